--- `frlua report [FILE]`: shows a result again, in any form.
local argparse <const> = require "argparse"
local core <const> = require "frlua.core"
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

local function named(path)
  return path == "-" and "standard input" or path and ("'%s'"):format(path) or "the last run"
end

-- What is wrong with a document, first of all; nil when it is as the schema has it.
local function objection_to(raw, root)
  local found <const> = require "frlua.schema".findings(raw, root, "result")
  return found[1] and require "frlua.report.escape".shown(found[1])
    .. (found[2] and (" (first of %d findings)"):format(#found) or "")
end

---The documents of a result file, as they were before it was written.
---@param path string? by default the last run's
---@return table[]? documents
---@return string|table[] message or the same documents as they stand in the file
function report.documents(path)
  local message
  if not path then path, message = read_result.default_path() end
  if not path then return nil, message end
  local raw <const>, why <const> = read_result.raw(path)
  if not raw then return nil, why end
  local documents <const>, root <const> = {}, require "frlua.schema".of_results()
  for index, document in ipairs(raw) do
    local objection <const> = objection_to(document, root)
    if objection then
      return nil, ("%s is no result as frlua writes it: %s"):format(named(path), objection)
    end
    documents[index] = read_result.document(document)
  end
  return documents, raw
end

-- Why a file that fits the schema can't be shown all the same: its parts contradict each other. An
-- error in whose file nothing is found is frlua's own.
local function tell_contradiction(parsed, raw, problem)
  if core.interrupted() then error(problem, 0) end
  for _, document in ipairs(raw) do
    local finding <const> = require "frlua.verify".document(document).findings[1]
    if finding then
      outputs.note("%s can't be shown, its parts contradict each other: %s", named(parsed.file),
        require "frlua.report.escape".shown(finding))
      return UNREADABLE
    end
  end
  error(problem, 0)
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
  local documents <const>, raw <const> = report.documents(parsed.file)
  if not documents then
    io.stderr:write("frlua: ", raw, "\n")
    return UNREADABLE
  end
  local ok <const>, written <const> = xpcall(outputs.show, core.message_handler, documents,
    function() print_reports(documents, parsed) end, parsed)
  if not ok then return tell_contradiction(parsed, raw, written) end
  return written and 0 or OUTPUT
end

return report
