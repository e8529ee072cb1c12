--- Whether the samples of a result are those that its design asks for: which ran when, with which
--- readings, on which memory, and what was counted there.
local findings <const> = require "frlua.findings"
local job <const> = require "frlua.job"
local layout <const> = require "frlua.layout"

local compare <const>, find <const>, place <const> = findings.compare, findings.add, findings.place

local verify_samples <const> = {}

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

-- Whether a sample counted in memory what its layouts are, in the order that the seed gives.
local function check_layouts(sample, arm, document, where, found)
  local audits <const>, index = sample.evidence.layouts or {}, 0
  for _, region in ipairs(job.regions_of(arm, document.design.regions)) do
    if region.layout then
      index = index + 1
      local expected <const> = { region = region.name,
        seed = layout.seed(region.layout, document.seed, sample.round) }
      for name, count in pairs(region.layout.audit) do expected[name] = count end
      compare(audits[index], expected, place(where .. ".evidence.layouts", index), found,
        "by the design and the seed")
    end
  end
  if audits[index + 1] then
    find(found, "%s.evidence.layouts[%d] is of no layout of arm '%s'", where, index + 1, arm.name)
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

---The samples, against the design: which ran when, and that none is missing.
---@param document table
---@param found frlua.Verification
function verify_samples.samples(document, found)
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
      end
      compare(sample.params, arm.params, where .. ".params", found, "in the design")
      if sample.status == "ok" and sample.arm == arm.name then
        check_readings(sample, arm, where, found)
        check_regions(sample, arm, design, where, found)
        check_layouts(sample, arm, document, where, found)
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

---A run takes as long as its samples, at least, and a process as long as its parts.
---@param document table
---@param found frlua.Verification
function verify_samples.times(document, found)
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

return verify_samples
