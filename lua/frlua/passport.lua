--- The machine's passport with what each fact means for a measurement, and whether it would disturb
--- one made now. Nothing of the machine is changed.
local json <const> = require "frlua.json"

local passport <const> = {}

---@class frlua.Seen what the facts are made from
---@field cpu integer the one that samples would be on
---@field known table the passport of results
---@field topology frlua.Topology
---@field cgroups frlua.CgroupLimits
---@field clock frlua.Clock
---@field looks table<integer, frlua.CpuLook>
---@field look_ms integer
---@field limits { busy_share: number } from which on a share disturbs

-- One tick of 10 ms in the 200 ms of a look is 5 %, and may be chance.
local BUSY_SHARE <const> = 0.05

-- In the order in which they are shown. Each is a module with `facts`.
local GROUPS <const> = { "processor", "caches", "memory", "clock", "system", "limits", "load" }

---Looks at the machine, about a quarter of a second long.
---@param cpu integer
---@return frlua.Seen
function passport.look(cpu)
  local machine <const> = require "frlua.machine"
  -- First, while nothing but this process' start has been done: the rest is work on some CPU.
  local topology <const> = require "frlua.topology".of(cpu)
  local siblings <const> = require "frlua.passport.processor".siblings(topology, cpu)
  local looks <const>, look_ms <const> =
    require "frlua.look".take({ cpu, table.unpack(siblings) })
  return {
    cpu = cpu, known = machine.passport(cpu), topology = topology,
    cgroups = require "frlua.cgroups".limits(), clock = require "frlua.clock",
    looks = looks, look_ms = look_ms, limits = { busy_share = BUSY_SHARE },
  }
end

---@param seen frlua.Seen
---@return frlua.Fact[]
function passport.facts(seen)
  local list <const> = {}
  for _, group in ipairs(GROUPS) do
    for _, fact in ipairs(require("frlua.passport." .. group).facts(seen)) do
      fact.group = group
      list[#list + 1] = fact
    end
  end
  return list
end

local function counts(facts)
  local found <const> = { ok = 0, note = 0, disturbs = 0, unknown = 0 }
  for _, fact in ipairs(facts) do found[fact.level] = found[fact.level] + 1 end
  return found
end

---@param seen frlua.Seen
---@param cpu_why string how the CPU was chosen
---@return table document as machine.schema.json describes it
function passport.document(seen, cpu_why)
  local facts <const> = passport.facts(seen)
  return {
    schema = "frlua-machine/1", taken_at = os.date "!%Y-%m-%dT%H:%M:%SZ",
    frlua = require "frlua.result".build_facts(),
    cpu = seen.cpu, cpu_chosen = cpu_why, look_ms = seen.look_ms,
    counts = counts(facts), facts = json.array(facts),
  }
end

return passport
