--- fr.study: experiments that follow from each other, such as the steps of a bisection.
local check <const> = require "frlua.check"
local grammar <const> = require "frlua.grammar"

local study <const> = {}

---@class frlua.Study
---@field kind "study"
---@field name string
---@field doc string?
---@field lines fun(measure: fun(experiment: frlua.Experiment): table): string[] what the script's
---  `run` returns, checked

-- The lines of a report, or what is wrong with them, at the line of the study.
local function check_lines(lines, what)
  check.keys(lines, { entries = true }, "what run returns in " .. what)
  for index, line in ipairs(lines) do
    if type(line) ~= "string" then
      check.fail(("line %d of what run returns in %s must be a text, not %s"):format(index, what,
        check.show(line)))
    end
  end
  return lines
end

---Refuses what is no experiment, or one of a name that the study has measured before.
---@param experiment any
---@param taken table<string, boolean> the names; this one is added
function study.check_experiment(experiment, taken)
  if type(experiment) ~= "table" or experiment.kind ~= "experiment" then
    check.fail("a study measures what fr.experiment made, not " .. check.show(experiment))
  elseif taken[experiment.name] then
    check.fail(("the study has measured experiment '%s' before"):format(experiment.name))
  end
  taken[experiment.name] = true
end

---A script that returns one is run by frlua as one that returns an experiment is: with the same
---options, and all results in one file. `run` is called once, with a function that measures an
---experiment, whose name no other of the study has, and returns its result document; it returns the
---lines to report. After Ctrl-C `run` is not come back to; what was measured is kept.
---`fr.study "onset" { doc = "…", run = function(measure) … return { "…" } end }`
study.study = grammar.named("study", function(name, fields, what)
  check.keys(fields, { "doc", "run" }, what)
  local place <const>, run <const> = check.place(), check.callable(fields.run, "run in " .. what)
  return {
    kind = "study", name = name,
    lines = function(measure) return check.from(place, check_lines, run(measure), what) end,
    doc = fields.doc and check.text(fields.doc, "doc in " .. what),
  }
end)

return study
