--- The result document of a run, schema "frlua/1": everything that was asked, read and measured.
--- Every view (text, JSON) is made from it alone. A field that is unknown is absent, with the
--- reason in a field of that name and "_why"; in the file it is null.
local analysis <const> = require "frlua.analysis"
local claim_design <const> = require "frlua.claim_design"
local core <const> = require "frlua.core"
local clock <const> = require "frlua.clock"
local digest <const> = require "frlua.native" "digest"
local faults <const> = require "frlua.faults"
local json <const> = require "frlua.json"
local machine <const> = require "frlua.machine"
local split <const> = require "frlua.split"
local verdict <const> = require "frlua.verdict"

local result <const> = {}

-- The order of the top-level keys in a file.
local ORDER <const> = {
  "schema", "study", "experiment", "doc", "script", "args", "seed", "started_at", "wall_ns",
  "partial", "frlua", "machine", "clock", "design", "arms", "references", "faults", "splits",
  "apart", "floors", "guards", "claims", "reading", "fault_traces", "fault_traces_why",
}

local function clock_facts()
  return {
    source = clock.source,
    vdso = clock.vdso,
    read_ns = clock.read_ns,
    read_ns_why = not clock.read_ns and "the clock did not move during the readings" or nil,
    step_ns = clock.step_ns,
    step_ns_why = not clock.step_ns and "clock too coarse: no two readings differed" or nil,
    getres_ns = clock.getres_ns,
    backward_steps = clock.backward,
  }
end

-- Definitions as data, without what only the grammar needs.
local function definition(thing)
  local plain <const> = {}
  for key, value in pairs(thing) do
    if key ~= "kind" then plain[key] = type(value) == "table" and definition(value) or value end
  end
  return (#thing > 0 or json.is_array(thing)) and json.array(plain) or plain
end

local function definitions(list)
  local plain <const> = {}
  for index, thing in ipairs(list) do plain[index] = definition(thing) end
  return json.array(plain)
end

local function design_of(experiment, design)
  local metrics <const> = table.move(experiment.metrics, 1, #experiment.metrics, 1, {})
  metrics[#metrics + 1] = analysis.PROCESS
  return {
    rounds = design.rounds,
    rounds_for_claims = claim_design.rounds(experiment.claims, analysis.own_arms(experiment)),
    order = json.array(design.order),
    cpu = design.cpu,
    cpu_why = design.cpu_why,
    time_limit_ns = design.time_limit_ns,
    pause_divisor = design.pause_divisor,
    counters = design.counters,
    page_bytes = machine.page_bytes,
    line_bytes = machine.line_bytes,
    warm_up = experiment.warm_up,
    sweep = experiment.sweep and definition(experiment.sweep),
    regions = definitions(experiment.regions),
    arms = definitions(experiment.arms),
    metrics = definitions(metrics),
    ratios = experiment.ratios and definition(experiment.ratios),
    apart = experiment.apart and definition(experiment.apart),
    detail = experiment.detail and json.array(experiment.detail),
    splits = definitions(experiment.splits),
    claims = definitions(experiment.claims),
    summary = experiment.summary and definitions(experiment.summary),
  }
end

local function splits_of(design, values, samples)
  local taken <const> = {}
  for index, wanted in ipairs(design.splits) do
    taken[index] = split.take(wanted, values, design.rounds, samples)
  end
  return json.array(taken)
end

---What follows from a design and its samples: all of a document that is not read or measured.
---@param design table
---@param samples frlua.Sample[]
---@param passport table
---@param guards? frlua.Guard[]
---@return table
function result.derive(design, samples, passport, guards)
  local values <const> = analysis.values(design, samples)
  local claims <const>, floors <const> =
    verdict.evaluate(design, samples, values, passport, guards)
  return {
    arms = json.array(analysis.arms(analysis.own_arms(design), design, samples, values)),
    references =
      json.array(analysis.arms(analysis.references(design), design, samples, values)),
    faults = json.array(faults.account(design, samples, values, passport)),
    splits = splits_of(design, values, samples),
    apart = analysis.apart(design, values),
    floors = floors,
    claims = claims,
  }
end

---What made the numbers: this frlua, as it was built.
---@return table
function result.build_facts()
  return {
    version = core.version, compiler = core.compiler, flags = core.flags,
    commit = core.commit ~= "" and core.commit or nil,
    commit_why = core.commit == "" and "not built from a git checkout" or nil,
  }
end

---@param experiment frlua.Experiment
---@param settled frlua.Design
---@param samples frlua.Sample[]
---@param about { script: string, args: string[], started_at: string, wall_ns: integer,
---  partial: boolean, guards: frlua.Guard[]?, fault_traces: table[]?, fault_traces_why: string? }
---@return table document
function result.build(experiment, settled, samples, about)
  local design <const> = design_of(experiment, settled)
  local passport <const> = machine.passport(design.cpu)
  local document <const> = result.derive(design, samples, passport, about.guards)
  for key, value in pairs {
    schema = "frlua/1",
    experiment = experiment.name,
    doc = experiment.doc,
    script = about.script,
    args = json.array(about.args),
    seed = settled.seed,
    started_at = about.started_at,
    wall_ns = about.wall_ns,
    partial = about.partial,
    frlua = result.build_facts(),
    machine = passport,
    clock = clock_facts(),
    design = design,
    guards = about.guards or json.array {},
    fault_traces = about.fault_traces,
    fault_traces_why = about.fault_traces_why,
    samples = json.array(samples),
  } do
    document[key] = value
  end
  return document
end

---What a field "x_why" explains is null. Values that are not tables stay as they are.
---@param value any
---@return any # a copy
function result.with_nulls(value)
  if type(value) ~= "table" or value == json.null then return value end
  local copy <const> = setmetatable({}, getmetatable(value))
  for key, item in pairs(value) do
    copy[key] = result.with_nulls(item)
    local explained <const> = type(key) == "string" and key:match "^(.+)_why$"
    if explained and value[explained] == nil then copy[explained] = json.null end
  end
  return copy
end

local function digest_of(text) return "sha256:" .. digest.sha256(text) end

---The SHA-256 of the text of samples, which is canonical as json.encode says.
---@param samples frlua.Sample[]
---@return string
function result.digest(samples)
  return digest_of(json.encode(result.with_nulls(samples)))
end

---The document as the text of a file: one line, with the digest of its samples.
---@param document table
---@return string
function result.encode(document)
  local whole <const> = result.with_nulls(document)
  local samples <const> = json.encode(whole.samples)
  whole.samples, whole.digest = nil, nil
  return ('%s,"samples":%s,"digest":"%s"}\n'):format(
    json.encode(whole, ORDER):sub(1, -2), samples, digest_of(samples))
end

return result
