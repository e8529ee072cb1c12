--- What the host does with a script's result: runs the experiments that it returned, keeps and
--- reports what they measured.
local core <const> = require "frlua.core"
local options <const> = require "frlua.options"
local outputs <const> = require "frlua.outputs"

local cli <const> = {}

-- Exit statuses, in the order of precedence; see frlua --help.
local INTERRUPTED <const>, OUTPUT <const>, SAMPLES <const>, CLAIMS <const>, USAGE <const> =
  130, 4, 3, 5, 2
local PRECEDENCE <const> = { INTERRUPTED, OUTPUT, SAMPLES, CLAIMS }

---The arguments that belong to the script: what is left on the command line when frlua has taken
---its options. `local megabytes <const> = fr.args()[1] or 512`
---Switches of the script's own are told beforehand: `fr.args { flags = { "all" } }` takes `--all`
---anywhere behind the script's name, and has it as `.all`; with `values = { "probe" }` likewise the
---value of `--probe PROGRAM`.
---@param own? { flags: string[]?, values: string[]? }
---@return table # a new list, which the script may change; true under the name of each given switch
function cli.args(own)
  own = require "frlua.check".keys(own or {}, { "flags", "values" }, "fr.args")
  local flags <const>, values <const> = own.flags or {}, own.values or {}
  options.declare(flags, values)
  local parsed <const> = options.parsed()
  local arguments <const> = table.move(parsed.arguments, 1, #parsed.arguments, 1, {})
  for _, names in ipairs { flags, values } do
    for _, name in ipairs(names) do arguments[name] = parsed[name] end
  end
  return arguments
end

local note <const> = outputs.note

-- Settles everything that a wrong option could stand in the way of, before anything is measured.
local function designs_of(experiments, parsed)
  local run <const>, designs <const> = require "frlua.run", {}
  for index, experiment in ipairs(experiments) do
    local why
    designs[index], why = run.design(experiment, parsed)
    if not designs[index] then options.fail((parsed.cpu and "--cpu: " or "") .. why) end
  end
  local why_not <const> = require "frlua.room".of_run(experiments, designs)
  if why_not then options.fail(why_not) end
  return designs
end

-- Says what an interrupt left undone.
local function tell_interrupt(is_cut_short, lacks_traces)
  note(is_cut_short and "interrupted: the result is partial"
    or lacks_traces and "interrupted: the fault traces are missing" or "interrupted")
end

-- What the script says of its result. Where that breaks, the measurement is still kept.
local function add_reading(document, experiment)
  if not experiment.reading then return end
  local ok <const>, lines <const> = xpcall(experiment.reading, core.message_handler, document)
  local is_list <const> = ok and type(lines) == "table"
  document.reading = require "frlua.json".array(is_list and lines or {})
  if not is_list then
    note("the reading of experiment '%s' broke: %s", experiment.name,
      ok and "it returned no list of lines" or lines)
  end
end

-- Runs one experiment; returns its document and whether it was interrupted.
local function measure(experiment, design, parsed)
  local clock <const> = require "frlua.clock"
  local progress <const> = require "frlua.progress"
  local result <const> = require "frlua.result"
  local run <const> = require "frlua.run"
  local started_at <const>, start <const> = os.date "!%Y-%m-%dT%H:%M:%SZ", clock()
  local shown <close> = progress.new(experiment, design, parsed.progress)
  local guards <const> = require "frlua.elimination".take(experiment, design)
  local samples <const>, is_cut_short <const> = run.samples(experiment, design, shown)
  shown.finish()
  local traces, traces_why
  if parsed.faults then
    traces, traces_why = require "frlua.fault_traces".take(experiment, design)
  end
  local is_interrupted <const> = core.interrupted()
  local lacks_traces <const> = is_interrupted and parsed.faults and not traces
  if is_interrupted then tell_interrupt(is_cut_short, lacks_traces) end
  local document <const> = result.build(experiment, design, samples, {
    script = parsed.script, args = options.script_arguments(), started_at = started_at,
    wall_ns = clock() - start, partial = is_cut_short or lacks_traces or false,
    guards = guards, fault_traces = traces, fault_traces_why = traces_why,
  })
  add_reading(document, experiment)
  return document, is_interrupted
end

local function is_lost(document)
  for _, sample in ipairs(document.samples) do
    if sample.status ~= "ok" then return true end
  end
  return false
end

local function is_refuted(document, is_strict)
  for _, claim in ipairs(document.claims) do
    if claim.verdict == "fail" or is_strict and claim.verdict == "withdrawn" then return true end
  end
  return false
end

-- A summary is all that standard output has: every experiment must have one.
local function check_summaries(experiments, parsed)
  if not parsed.summary then return end
  for _, experiment in ipairs(experiments) do
    if not experiment.summary then
      options.fail(("--summary: experiment '%s' has no summary"):format(experiment.name))
    end
  end
end

local function note_status(document, interrupted, statuses)
  if is_lost(document) then statuses[SAMPLES] = true end
  if interrupted then statuses[INTERRUPTED] = true end
end

local function status_of(statuses)
  for _, status in ipairs(PRECEDENCE) do
    if statuses[status] then return status end
  end
  return 0
end

local function run_all(experiments, parsed)
  check_summaries(experiments, parsed)
  if not outputs.have_places(parsed) then return OUTPUT end
  local designs <const> = designs_of(experiments, parsed)
  local documents <const>, statuses <const> = {}, {}
  for index, experiment in ipairs(experiments) do
    local interrupted
    documents[index], interrupted = measure(experiment, designs[index], parsed)
    note_status(documents[index], interrupted, statuses)
    if is_refuted(documents[index], parsed.strict) then statuses[CLAIMS] = true end
    if interrupted then break end
  end
  local written <const> = outputs.write(documents, function()
    for index, document in ipairs(documents) do
      if index > 1 then io.stdout:write "\n" end
      outputs.report(document, experiments[index], parsed)
    end
  end, parsed)
  statuses[OUTPUT] = not written
  return status_of(statuses)
end

local INTERRUPT <const> = {} -- what ends a study that was interrupted

-- An error of the script's, with the traceback that it was caught with.
local function broken(problem)
  local message <const> = core.message_handler(problem)
  if type(message) ~= "string" then return message end
  return setmetatable({}, { __exit_status = 1, __tostring = function() return message end })
end

-- What a study calls to measure an experiment. After Ctrl-C it does not return, however often it is
-- called.
local function measurer(documents, statuses, parsed)
  local returned <const>, taken <const> = require "frlua.returned", {}
  return function(experiment)
    if statuses[INTERRUPTED] then error(INTERRUPT, 0) end
    require "frlua.study".check_experiment(experiment, taken)
    local wanted <const> = returned.to_run({ experiment }, parsed)
    local document <const>, interrupted <const> =
      measure(wanted[1], designs_of(wanted, parsed)[1], parsed)
    documents[#documents + 1] = document
    note_status(document, interrupted, statuses)
    if interrupted then error(INTERRUPT, 0) end
    return document
  end
end

-- A study's experiments are steps on its way: what one of them claims is no claim of the study.
local function run_study(study, parsed)
  if parsed.summary then
    options.fail(("--summary: study '%s' has no summary"):format(study.name))
  end
  if not outputs.have_places(parsed) then return OUTPUT end
  local documents <const>, statuses <const> = {}, {}
  local ok <const>, lines <const> = xpcall(study.lines, function(problem)
    return problem == INTERRUPT and problem or broken(problem)
  end, measurer(documents, statuses, parsed))
  if documents[1] then
    documents[1].study = { name = study.name, doc = study.doc,
      reading = require "frlua.json".array(ok and lines or {}) }
  end
  local written <const> = not documents[1] or outputs.write(documents, function()
    outputs.study(documents, parsed)
  end, parsed)
  if not ok and lines ~= INTERRUPT then error(lines, 0) end
  statuses[OUTPUT] = not written
  return status_of(statuses)
end

-- A script that returns no experiment is a plain program, whose arguments are its own.
local function refuse(returned)
  local first <const> = core.arguments()[1]
  if first:find "^%-%-" then
    options.fail(("%s returned no experiment: the options before its name have nothing to apply to")
      :format(options.parsed().script))
  end
  local given <const> = options.given()
  if given[1] then
    options.fail(("%s returned no experiment: %s %s nothing to apply to"):format(first,
      table.concat(given, ", "), given[2] and "have" or "has"))
  elseif returned ~= nil then
    note("%s returned a %s, not an experiment: nothing was measured", first, type(returned))
  end
  return 0
end

---Called by the host with what a script returned.
---@param value any its first result
---@return integer status
function cli.finish(value)
  local returned <const> = require "frlua.returned"
  local is_study <const> = type(value) == "table" and value.kind == "study"
  local experiments <const> = not is_study and returned.experiments(value)
  if not is_study and not experiments then return refuse(value) end
  local parsed <const> = options.parsed()
  core.defer_interrupt(true)
  if is_study then return run_study(value, parsed) end
  return run_all(returned.to_run(experiments, parsed), parsed)
end

---Called by the host when a long option or a subcommand comes before the script.
---@param first integer where the library's arguments begin in argv
---@return integer? script its place in argv; nil when there is nothing to run
---@return integer status
function cli.begin(first)
  local arguments <const> = core.arguments()
  if not arguments[1]:find "^%-" then
    local name <const> = table.remove(arguments, 1)
    return nil, require("frlua.commands." .. name).run(arguments)
  end
  local index <const> = options.script_index(arguments)
  options.check_before_script(index)
  if not index then return nil, USAGE end
  return first + index - 1, 0
end

return cli
