--- `frlua report [FILE]`: shows a result again, in any form.
local argparse <const> = require "argparse"
local output_options <const> = require "frlua.output_options"
local outputs <const> = require "frlua.outputs"
local read_result <const> = require "frlua.read_result"

local report <const> = {}

local UNREADABLE <const>, USAGE <const>, OUTPUT <const> = 1, 2, 4

local function parser()
  local made <const> = argparse("frlua report",
    "Shows a result again, by default that of the last run, in any of the forms of a run.")
  made:argument("file", "a result file; - is standard input"):args "?"
  output_options.add(made)
  made:flag("--detail", "also print every iteration of interest, and one line per process")
  return made
end

local function print_reports(documents, parsed)
  if documents[1].study then
    outputs.study(documents, parsed)
    return
  end
  for index, document in ipairs(documents) do
    if index > 1 then io.stdout:write "\n" end
    outputs.report(document, {}, parsed)
  end
end

---The documents of a result file, as they were before it was written.
---@param path string? by default the last run's
---@return table[]? documents
---@return string? message
function report.documents(path)
  local message
  if not path then path, message = read_result.default_path() end
  if not path then return nil, message end
  local raw <const>, why <const> = read_result.raw(path)
  if not raw then return nil, why end
  local documents <const> = {}
  for index, document in ipairs(raw) do
    local ok <const>, read <const> = pcall(read_result.document, document)
    if not ok then return nil, ("'%s' is no result as frlua writes it"):format(path) end
    documents[index] = read
  end
  return documents
end

---@param arguments string[]
---@return integer status
function report.run(arguments)
  local well <const>, parsed <const> = parser():pparse(arguments)
  local objection <const> = not well and parsed or output_options.objection(parsed)
  if objection then
    io.stderr:write("frlua: ", objection, "\n       frlua report --help lists the options\n")
    return USAGE
  end
  local documents <const>, message <const> = report.documents(parsed.file)
  if not documents then
    io.stderr:write("frlua: ", message, "\n")
    return UNREADABLE
  end
  local written <const> = outputs.show(documents, function() print_reports(documents, parsed) end,
    parsed)
  return written and 0 or OUTPUT
end

return report
