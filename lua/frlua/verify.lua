--- Whether a result file follows from its own raw samples: everything derived is derived again and
--- compared, the samples are held against their digest and against the design.
local analysis <const> = require "frlua.analysis"
local core <const> = require "frlua.core"
local elimination <const> = require "frlua.elimination"
local findings <const> = require "frlua.findings"
local read_result <const> = require "frlua.read_result"
local result <const> = require "frlua.result"
local schema <const> = require "frlua.schema"
local trace <const> = require "frlua.trace"
local verify_design <const> = require "frlua.verify_design"
local verify_samples <const> = require "frlua.verify_samples"

local compare <const>, find <const>, place <const> = findings.compare, findings.add, findings.place

local verify <const> = {}

---@class frlua.Verification
---@field findings string[] each names the place; empty for a file that is well
---@field compared integer how many derived values were recomputed

local DERIVED <const> = { "arms", "references", "faults", "splits", "apart", "floors", "claims" }

local function check_digest(document, found)
  local digest <const> = result.digest(document.samples)
  if digest ~= document.digest then
    find(found, "digest is not that of the samples: a sample or the digest was changed")
  end
end

local function check_derived(document, found)
  local derived <const> = result.derive(document.design, document.samples, document.machine,
    document.guards)
  for _, name in ipairs(DERIVED) do compare(document[name], derived[name], name, found) end
end

-- A guard for every timed loop, none left out, and the verdicts from their readings.
local function check_guards(document, found)
  local guards <const> = document.guards or {}
  for index, kernel in ipairs(elimination.kernels(document.design.arms)) do
    if guards[index] or not document.partial then
      compare(guards[index] and guards[index].kernel, kernel,
        place("guards", index) .. ".kernel", found, "by the design")
    end
  end
  for index, guard in ipairs(guards) do
    local derived <const> = {}
    for key, value in pairs(guard) do derived[key] = value end
    compare(guard, elimination.judge(derived), place("guards", index), found, "by its readings")
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
  { "design.order", verify_design.order, is_ground = true },
  { "design.sweep", verify_design.sweep },
  { "the layouts of the design", verify_design.layouts },
  { "samples", verify_samples.samples, is_ground = true },
  { "design.rounds_for_claims", verify_design.rounds_for_claims },
  { "wall_ns", verify_samples.times },
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
  found.findings = attempt(found, "the schema", schema.findings, raw, schema.of_results(), "result")
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
