--- `frlua verify [FILE]`. Like every module of this directory it has `run`, which takes the
--- arguments of the command and returns an exit status; core/host/options.c knows their names.
local read_result <const> = require "frlua.read_result"

local verify <const> = {}

local DOES_NOT_VERIFY <const>, UNREADABLE <const>, USAGE <const> = 5, 1, 2

local HELP <const> = [[
usage: frlua verify [FILE]

Recomputes every metric, interval, share, fault account, noise floor and verdict of a result file
from its raw samples, and holds the samples against their digest and the design. FILE is that of the
last run by default, "-" standard input. What nothing follows from is taken as it stands: machine,
clock, frlua, script, args, doc, started_at, reading.
Exit status: 0 all well, 1 the file can't be read, 5 it does not verify.
]]

local function print_verification(document, found)
  io.stdout:write(("%s, %d samples: "):format(document.experiment or "no experiment",
    type(document.samples) == "table" and #document.samples or 0))
  if #found.findings == 0 then
    io.stdout:write(("verified, %d derived values recomputed, the digest matches\n")
      :format(found.compared))
  else
    io.stdout:write(("does NOT verify, %d %s\n"):format(#found.findings,
      #found.findings == 1 and "finding" or "findings"))
  end
  for _, line in ipairs(found.findings) do
    io.stdout:write("  ", require "frlua.report.table".printable(line), "\n")
  end
end

---@param arguments string[]
---@return integer status
function verify.run(arguments)
  local path <const> = arguments[1]
  local is_option <const> = path and path:find "^%-."
  if path == "--help" or path == "-h" then
    io.stdout:write(HELP)
    return 0
  elseif #arguments > 1 or is_option then
    io.stderr:write("frlua: ", is_option and ("verify has no option '%s'"):format(path)
      or ("verify takes one file, not %d"):format(#arguments), "\n", HELP)
    return USAGE
  end
  local documents, message = path or read_result.default_path(), nil
  if documents then documents, message = read_result.raw(documents) end
  if not documents then
    io.stderr:write("frlua: ", message, "\n")
    return UNREADABLE
  end
  local status = 0
  if message > 0 then
    io.stdout:write(("the text does NOT verify: %d of its keys are written twice, and one reader"
      .. " takes the first, another the last\n"):format(message))
    status = DOES_NOT_VERIFY
  end
  for _, document in ipairs(documents) do
    local found <const> = require "frlua.verify".document(document)
    print_verification(document, found)
    if #found.findings > 0 then status = DOES_NOT_VERIFY end
  end
  io.stdout:write("Taken as they stand: machine, clock, frlua, script, args, doc, started_at,",
    " reading.\n")
  return status
end

return verify
