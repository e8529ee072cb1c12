--- The report of a study: what it found, and what its experiments were made with.
local aligned <const> = require "frlua.report.table"
local notes <const> = require "frlua.report.notes"
local refit <const> = require "frlua.report.refit"
local text <const> = require "frlua.report.text"
local units <const> = require "frlua.units"

local study <const> = {}

---@param documents table[] of its experiments, the first of which has the `study`
---@return string
function study.report(documents)
  local first <const>, samples = documents[1], 0
  local made <const> = first.study
  local lines <const> = { made.name .. (made.doc and ": " .. made.doc or "") }
  for _, document in ipairs(documents) do samples = samples + #document.samples end
  for _, line in ipairs(text.machine(first)) do lines[#lines + 1] = line end
  lines[#lines + 1] = ("%s, %s, each a fresh process on CPU %d (%s)"):format(
    units.plural(#documents, "experiment"), units.plural(samples, "sample"), first.design.cpu,
    first.design.cpu_why)
  if documents[#documents].partial then
    lines[#lines + 1] = "PARTIAL: interrupted in " .. documents[#documents].experiment
  end
  for _, line in ipairs(refit.lines(made.reading)) do lines[#lines + 1] = line end
  for _, line in ipairs(notes.guards(first)) do lines[#lines + 1] = line end
  for _, document in ipairs(documents) do
    for _, line in ipairs(notes.lost(document)) do lines[#lines + 1] = line end
  end
  for index, line in ipairs(lines) do lines[index] = aligned.printable(line) end
  return table.concat(lines, "\n") .. "\n"
end

return study
