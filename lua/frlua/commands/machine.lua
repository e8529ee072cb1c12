--- `frlua machine`: prints the machine's passport, with what it means for a measurement.
local argparse <const> = require "argparse"
local cpus <const> = require "frlua.cpus"
local passport <const> = require "frlua.passport"

local machine <const> = {}

local USAGE <const>, OUTPUT <const> = 2, 4

local function parser()
  local made <const> = argparse("frlua machine", "Prints what this machine is, with what each fact"
    .. " means for a measurement, and whether it would disturb one that is made now: ok, note,"
    .. " disturbs or unknown. Looks for a quarter of a second, and changes nothing.")
  made:option("--cpu", "the CPU that samples would be on, by default chosen as for a run")
    :argname "N"
  made:option("--json", "write it as one JSON document, to standard output by default")
    :argname "F":args "?"
  return made
end

-- Where nothing tells which CPUs are allowed, the passport still comes, for CPU 0.
local function choose(wanted)
  local number <const> = wanted and math.tointeger(tonumber(wanted))
  if wanted and not (number and number >= 0) then
    return nil, ("--cpu must be a whole number of at least 0, not '%s'"):format(wanted)
  end
  local cpu <const>, why <const> = cpus.choose(number)
  if cpu then return cpu, why end
  if number then return nil, "--cpu: " .. why end
  return 0, why
end

local function encoded(document)
  local json <const>, result <const> = require "frlua.json", require "frlua.result"
  local order <const> = { "schema", "taken_at", "frlua", "cpu", "cpu_chosen", "look_ms", "counts" }
  return json.encode(result.with_nulls(document), order) .. "\n"
end

local function refuse(message)
  io.stderr:write("frlua: ", message, "\n       frlua machine --help lists the options\n")
  return USAGE
end

---@param arguments string[]
---@return integer status
function machine.run(arguments)
  local well <const>, parsed <const> = parser():pparse(arguments)
  if not well then return refuse(parsed) end
  local cpu <const>, why <const> = choose(parsed.cpu)
  if not cpu then return refuse(why) end
  local document <const> = passport.document(passport.look(cpu), why)
  local path <const> = parsed.json and (parsed.json[1] or "-")
  if path then
    local written <const>, message <const> = require "frlua.files".write(path, encoded(document))
    if not written then
      io.stderr:write("frlua: ", message, "\n")
      return OUTPUT
    end
  end
  if path ~= "-" then io.stdout:write(require "frlua.report.machine".text(document)) end
  return 0
end

return machine
