--- Whether a result file follows from its own raw samples: everything derived is derived again and
--- compared, the samples are held against their digest and against the design.
local analysis <const> = require "frlua.analysis"
local claim_design <const> = require "frlua.claim_design"
local core <const> = require "frlua.core"
local elimination <const> = require "frlua.elimination"
local files <const> = require "frlua.files"
local findings <const> = require "frlua.findings"
local job <const> = require "frlua.job"
local json <const> = require "frlua.json"
local plan <const> = require "frlua.plan"
local read_result <const> = require "frlua.read_result"
local result <const> = require "frlua.result"
local schema <const> = require "frlua.schema"
local trace <const> = require "frlua.trace"

local compare <const>, find <const>, place <const> = findings.compare, findings.add, findings.place

local verify <const> = {}

---@class frlua.Verification
---@field findings string[] each names the place; empty for a file that is well
---@field compared integer how many derived values were recomputed

local DERIVED <const> = { "arms", "references", "faults", "splits", "apart", "floors", "claims" }

local function root_schema()
  return assert(json.decode(assert(files.read(
    core.root .. "/share/frlua/lua/frlua/result.schema.json"))))
end

local function check_digest(document, found)
  local digest <const> = result.digest(document.samples)
  if digest ~= document.digest then
    find(found, "digest is not that of the samples: a sample or the digest was changed")
  end
end

-- What a design has that follows from the rest of it.
local function check_rounds_for_claims(document, found)
  local design <const> = document.design
  compare(design.rounds_for_claims,
    claim_design.rounds(design.claims, analysis.own_arms(design)), "design.rounds_for_claims",
    found)
end

-- The order of a design, against its seed and its own rules.
local function check_order(document, found)
  local design <const> = document.design
  if #design.order ~= design.rounds then
    find(found, "design.order has %d rounds, design.rounds is %d", #design.order, design.rounds)
    return
  end
  local counts <const>, arms <const> = {}, #design.arms
  for round, order in ipairs(design.order) do
    local seen <const> = {}
    for position, arm in ipairs(order) do
      if seen[arm] or arm > arms then
        find(found, "design.order[%d] does not run every arm once", round)
        return
      end
      seen[arm] = true
      local key <const> = ("arm %d in position %d"):format(arm, position)
      counts[key] = (counts[key] or 0) + 1
    end
    if #order ~= arms then
      find(found, "design.order[%d] does not run every arm once", round)
      return
    end
  end
  for _, count in pairs(counts) do
    if count < design.rounds // arms or count > (design.rounds + arms - 1) // arms then
      find(found, "design.order is not balanced: an arm is too often in one position")
      break
    end
  end
  compare(design.order, plan.order(arms, design.rounds, document.seed), "design.order", found)
end

-- Whether a sample has the readings that its arm was to give.
local function check_readings(sample, arm, where, found)
  local index = 0
  for _, phase in ipairs(arm.phases) do
    if phase.timed then
      index = index + 1
      local readings <const> = sample.phases[index]
      if not readings or readings.phase ~= phase.name or #readings.ns ~= phase.iterations then
        find(found, "%s.phases[%d] is not phase '%s' with %d iterations", where, index, phase.name,
          phase.iterations)
      end
    end
  end
end

-- Whether the memory that a sample tells of is that of the design.
local function check_regions(sample, arm, design, where, found)
  local regions <const> = job.regions_of(arm, design.regions)
  for index, told in ipairs(sample.evidence.regions or {}) do
    local region <const>, path <const> = regions[index], place(where .. ".evidence.regions", index)
    if not region or told.region ~= region.name then
      find(found, "%s is '%s', which is not what arm '%s' works on there", path, told.region,
        arm.name)
    elseif told.bytes and told.bytes ~= region.bytes then
      find(found, "%s.bytes is %d, and %d in the design", path, told.bytes, region.bytes)
    end
  end
end

-- A run is partial where samples are missing, or the traces that it was to take in the end.
local function check_completeness(document, missing, found)
  if missing and not document.partial then
    find(found, "%s is missing, though the result is not partial", missing)
  elseif document.partial and not missing and document.fault_traces_why ~= "interrupted" then
    find(found, "partial is true in the file, though no sample is missing")
  end
end

-- The samples, against the design: which ran when, and that none is missing.
local function check_samples(document, found)
  local design <const>, index = document.design, 0
  for round, order in ipairs(design.order) do
    for position, number in ipairs(order) do
      index = index + 1
      local sample <const>, arm <const> = document.samples[index], design.arms[number]
      local where <const> = ("samples[%d]"):format(index)
      if not sample then return check_completeness(document, where, found) end
      if sample.arm ~= arm.name or sample.round ~= round or sample.position ~= position then
        find(found, "%s is not that of arm '%s' in round %d, position %d", where, arm.name, round,
          position)
      elseif sample.cpu ~= design.cpu then
        find(found, "%s ran on CPU %d, not on CPU %d", where, sample.cpu, design.cpu)
      elseif sample.status == "ok" then
        check_readings(sample, arm, where, found)
        check_regions(sample, arm, design, where, found)
      end
    end
  end
  check_completeness(document, nil, found)
  if document.samples[index + 1] then
    find(found, "samples[%d] is one more than the design has", index + 1)
  end
end

-- The parts of a process are all of it.
local function check_parts(process, where, found)
  local sum = 0
  for _, ns in pairs(process.parts_ns or {}) do sum = sum + ns end
  if process.parts_ns and sum ~= process.wall_ns then
    find(found, "%s.process.wall_ns is %d, and its parts are %d", where, process.wall_ns, sum)
  end
end

local function check_times(document, found)
  local sum = 0
  for index, sample in ipairs(document.samples) do
    local process <const> = sample.process or { wall_ns = 0 }
    sum = sum + process.wall_ns
    check_parts(process, ("samples[%d]"):format(index), found)
  end
  if sum > document.wall_ns then
    find(found, "wall_ns is %d, less than the %d that its samples took", document.wall_ns, sum)
  end
end

local function check_derived(document, found)
  local derived <const> = result.derive(document.design, document.samples, document.machine,
    document.guards)
  for _, name in ipairs(DERIVED) do compare(document[name], derived[name], name, found) end
end

-- The verdicts on the timed loops, from their readings.
local function check_guards(document, found)
  for index, guard in ipairs(document.guards or {}) do
    local derived <const> = {}
    for key, value in pairs(guard) do derived[key] = value end
    compare(guard, elimination.judge(derived), place("guards", index), found)
  end
end

-- The account of one traced phase: what has an address, by mapping and by code, and what has none.
local function check_account(phase, path, found)
  for _, key in ipairs { "mapping", "code" } do
    local name <const> = "by_" .. key
    compare(phase[name], trace.sums(phase.faults, key), place(path, name), found)
  end
  local sum = phase.lost + (phase.in_kernel or 0)
  for _, run in ipairs(phase.faults) do sum = sum + run.count end
  if phase.in_kernel and sum ~= phase.total then
    find(found, "%s.total is %d, and by_mapping + in_kernel + lost are %d", path, phase.total, sum)
  end
  found.compared = found.compared + 1
end

-- The traces of --faults: one of each arm, with its timed phases.
local function check_traces(document, found)
  if not document.fault_traces then return end
  for index, arm in ipairs(analysis.own_arms(document.design)) do
    local taken <const>, where <const> = document.fault_traces[index], place("fault_traces", index)
    compare(taken and taken.arm, arm.name, where .. ".arm", found)
    local number = 0
    for _, timed in ipairs(taken and taken.phases and arm.phases or {}) do
      if timed.timed then
        number = number + 1
        local phase <const> = taken.phases[number]
        local path <const> = place(where .. ".phases", number)
        compare(phase and phase.phase, timed.name, path .. ".phase", found)
        if phase then check_account(phase, path, found) end
      end
    end
    for order, part in ipairs(taken and taken.parts or {}) do
      check_account(part, place(where .. ".parts", order), found)
    end
  end
end

-- Every check, and whether those behind it rest on what it looks at.
local CHECKS <const> = {
  { "digest", check_digest },
  { "design.order", check_order, is_ground = true },
  { "samples", check_samples, is_ground = true },
  { "design.rounds_for_claims", check_rounds_for_claims },
  { "wall_ns", check_times },
  { "what follows from the samples", check_derived },
  { "guards", check_guards },
  { "fault_traces", check_traces },
}

-- The result of `work`; nil, and a finding, where it breaks: no check foresees all that values of
-- the right kinds may be together.
local function attempt(found, what, work, ...)
  local ok <const>, value <const> = pcall(work, ...)
  if ok then return value end
  if core.interrupted() then error(value, 0) end
  find(found, "%s can't be checked: the document is not as any experiment makes it", what)
end

---Verifies a document as read_result.raw gives it.
---@param raw table
---@return frlua.Verification
function verify.document(raw)
  local found <const> = { findings = {}, compared = 0 }
  found.findings = attempt(found, "the schema", schema.findings, raw, root_schema(), "result")
    or found.findings
  if #found.findings > 0 then return found end -- what does not fit can't be recomputed
  local document <const> = attempt(found, "the document", read_result.document, raw)
  for _, check in ipairs(document and CHECKS or {}) do
    local before <const> = #found.findings
    attempt(found, check[1], check[2], document, found)
    if check.is_ground and #found.findings > before then break end
  end
  return found
end

return verify
