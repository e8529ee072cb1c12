--- fr.study: experiments that follow from each other, such as the steps of a bisection.
local check <const> = require "frlua.check"
local grammar <const> = require "frlua.grammar"

local study <const> = {}

---@class frlua.Study
---@field kind "study"
---@field name string
---@field doc string?
---@field run fun(measure: fun(experiment: frlua.Experiment): table): string[]

---A script that returns one is run by frlua as one that returns an experiment is: with the same
---options, and all results in one file. `run` is called once, with a function that measures an
---experiment, whose name no other of the study has, and returns its result document; it returns the
---lines to report. After Ctrl-C `run` is not come back to; what was measured is kept.
---`fr.study "onset" { doc = "…", run = function(measure) … return { "…" } end }`
study.study = grammar.named("study", function(name, fields, what)
  check.keys(fields, { "doc", "run" }, what)
  return {
    kind = "study", name = name, run = check.callable(fields.run, "run in " .. what),
    doc = fields.doc and check.text(fields.doc, "doc in " .. what),
  }
end)

return study
