--- Fault counts beside what the job let one expect, and why they differ where they do.
local analysis <const> = require "frlua.analysis"
local evidence <const> = require "frlua.evidence"
local job <const> = require "frlua.job"
local stats <const> = require "frlua.stats"
local timed_phases <const> = require "frlua.timed_phases"
local units <const> = require "frlua.units"

local faults <const> = {}

-- A region of the arm's samples that the kernel says it backed with huge pages.
local function huge_reason(samples, arm, regions)
  for _, sample in ipairs(samples) do
    for _, region in ipairs(sample.arm == arm.name and regions or {}) do
      local huge <const> = evidence.anon_huge_bytes(sample, region.name)
      if huge and huge > 0 then
        return ("huge pages: %s of '%s' are AnonHugePages in smaps, one fault maps one of them")
          :format(units.bytes(huge), region.name)
      end
    end
  end
end

local function is_advised(regions)
  for _, region in ipairs(regions) do
    if region.advise == "hugepage" then return true end
  end
  return false
end

-- Multi-size huge pages have no field in smaps: all that can be read is which settings are in
-- force. The largest size is not one of them.
local function mthp_reason(machine, regions)
  local largest <const> = machine.huge_page_bytes and units.bytes(machine.huge_page_bytes)
  local advised <const>, sizes <const> = is_advised(regions), {}
  for size, setting in pairs(machine.mthp or {}) do
    local word <const> = setting == "inherit" and machine.thp or setting
    if size ~= largest and (word == "always" or word == "madvise" and advised) then
      sizes[#sizes + 1] = ("%s %s"):format(size, setting)
    end
  end
  table.sort(sizes)
  if not sizes[1] then return nil end
  return "multi-size huge pages, inferred from settings (" .. table.concat(sizes, ", ")
    .. "): smaps has no field for them"
end

local function difference_reason(seen, expected)
  local more = 0
  for _, count in ipairs(seen) do
    if count > expected then more = more + 1 end
  end
  if more == 0 then return "fewer than one fault a page, for a reason that was not read back" end
  return ("%d of %d processes had more, for a reason that was not read back"):format(more, #seen)
end

-- The arm's job on the machine of a design, which need not be this one: how large the pages of its
-- pool are is not asked for, since nothing is expected of such a region.
local function job_of(arm, design)
  local regions <const> = {}
  for index, region in ipairs(design.regions) do
    regions[index] = setmetatable({ huge = region.huge and 1 }, { __index = region })
  end
  return job.plain(arm, regions, nil, nil, design)
end

-- What a metric of an arm would count if every page were of base size.
local function expected_of(arm, metric, design)
  if metric.iteration > 1 then return 0 end
  local wanted <const>, plain <const> = {}, job_of(arm, design)
  for _, phase in ipairs(timed_phases.of(arm, metric.phases)) do wanted[phase] = true end
  local sum = 0
  for number, phase in ipairs(arm.phases) do
    local expected <const> = wanted[phase] and job.expected_faults(plain, number)
    if wanted[phase] and not expected then return nil end
    sum = sum + (expected or 0)
  end
  return sum
end

local function reason(seen, expected, samples, arm, regions, machine)
  local fewer = false
  for _, count in ipairs(seen) do fewer = fewer or count < expected end
  local huge <const> = fewer
    and (huge_reason(samples, arm, regions) or mthp_reason(machine, regions))
  return huge or difference_reason(seen, expected)
end

---One entry per arm and metric that counts faults.
---@param design table
---@param samples frlua.Sample[]
---@param values frlua.Values
---@param machine table the passport
---@return table[] # { arm, metric, expected, seen = { exact } or { values }, why }
function faults.account(design, samples, values, machine)
  local accounts <const>, arms <const> = {}, analysis.own_arms(design)
  for _, metric in ipairs(design.metrics) do
    for _, arm in ipairs(metric.source == "faults_at" and arms or {}) do
      local seen <const> = analysis.dense(values[arm.name][metric.name], design.rounds)
      local counts <const> = stats.exact(seen)
      local expected <const> = expected_of(arm, metric, design)
      if counts and expected then
        accounts[#accounts + 1] = {
          arm = arm.name, metric = metric.name, expected = expected, seen = counts,
          why = counts.exact ~= expected
            and reason(seen, expected, samples, arm, design.regions, machine) or nil,
        }
      end
    end
  end
  return accounts
end

return faults
