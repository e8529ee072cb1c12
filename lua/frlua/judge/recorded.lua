--- fr.exact, fr.huge, fr.granted, fr.bound and fr.same_sets: what every process must have had,
--- counted or read back.
local common <const> = require "frlua.judge.common"
local evidence <const> = require "frlua.evidence"
local job <const> = require "frlua.job"
local json <const> = require "frlua.json"
local stats <const> = require "frlua.stats"
local units <const> = require "frlua.units"

local recorded <const> = {}

-- The counts of the rounds that have one, and those of them that are not as they should be.
local function counts_of(test, measured)
  local by_round <const> = measured.values[test.value.arm][test.value.metric]
  local seen <const>, deviations <const> = {}, {}
  for round = 1, measured.design.rounds do
    local count <const> = by_round[round]
    seen[#seen + 1] = count
    if count and count ~= test.count then deviations[#deviations + 1] = count end
  end
  return seen, deviations
end

local function distinct_text(counts)
  local distinct <const> = stats.exact(counts)
  return distinct.exact or table.concat(distinct.values, ", ")
end

---A count is the same in every process: any that differs fails it.
---@param test frlua.Test
---@param measured frlua.Measured
---@return frlua.Outcome
function recorded.exact(test, measured)
  local value <const>, name <const> = test.value, common.name(test.value)
  if not measured.values[value.arm] then
    return common.withdrawn(("arm '%s' was not run"):format(value.arm))
  end
  local seen <const>, deviations <const> = counts_of(test, measured)
  if #seen == 0 then return common.withdrawn(name .. ": no process is there to count in") end
  local numbers <const> = { counts = json.array {
    { arm = value.arm, metric = value.metric, n = #seen, seen = stats.exact(seen) },
  } }
  if deviations[1] then
    return common.outcome("fail", ("%s is not %d in %d of %d processes, but %s"):format(name,
      test.count, #deviations, #seen, distinct_text(deviations)), numbers)
  elseif #seen < measured.design.rounds then
    return common.withdrawn(("%s is %d in the %d processes that are there, of %d"):format(name,
      test.count, #seen, measured.design.rounds), numbers)
  end
  return common.outcome("pass", ("%s is %d in each of %d processes"):format(name, test.count,
    #seen), numbers)
end

-- The samples of an arm that are whole; nil when it was not run, else also the arm.
local function samples_of(name, measured)
  local samples <const> = {}
  for _, sample in ipairs(measured.samples) do
    if sample.arm == name and sample.status == "ok" then samples[#samples + 1] = sample end
  end
  for _, arm in ipairs(measured.design.arms) do
    if arm.name == name then return samples, arm end
  end
end

-- What was told of a region in the samples of an arm: how many there are, in how many huge pages
-- cover it, in how many smaps told nothing, and the least that was told. Where the page table was
-- read, too, both must say so.
local function backing_of(region, arm, samples)
  local found <const> = { arm = arm, region = region.name, bytes = region.bytes,
    samples = #samples, covered = 0, unknown = 0 }
  for _, sample in ipairs(samples) do
    local huge = evidence.huge_bytes(sample, region.name)
    local mapped <const> = evidence.table_huge_bytes(sample, region.name)
    if huge and mapped and mapped < huge then
      huge, found.denied = mapped, (found.denied or 0) + 1
    end
    found.unknown = found.unknown + (huge and 0 or 1)
    found.covered = found.covered + (huge and huge >= region.bytes and 1 or 0)
    found.least_bytes = huge and math.min(found.least_bytes or huge, huge) or found.least_bytes
  end
  return found
end

local function judge_backing(found)
  local whose <const> = ("'%s' of '%s'"):format(found.region, found.arm)
  if found.covered + found.unknown < found.samples then
    return "fail", ("huge pages back %s in %d of %d samples, in one only %s of %s (%s %%)%s")
      :format(whose, found.covered, found.samples, units.bytes(found.least_bytes),
        units.bytes(found.bytes), units.fixed(100 * found.least_bytes / found.bytes, 1),
        found.denied and ("; in %d the page table has less than smaps says"):format(found.denied)
        or "")
  elseif found.samples == 0 or found.unknown > 0 then
    return "withdrawn", ("unknown: what backs %s was read back in %d of %d samples")
      :format(whose, found.samples - found.unknown, found.samples)
  end
  return "pass", ("huge pages back %s in each of %d samples"):format(whose, found.samples)
end

---The kernel said in every sample that huge pages backed the regions that the arm works on, all or
---the one named.
---@param test frlua.Test
---@param measured frlua.Measured
---@return frlua.Outcome
function recorded.huge(test, measured)
  local samples <const>, arm <const> = samples_of(test.arm, measured)
  local parts <const> = {}
  if not samples then
    return common.withdrawn(("unknown: arm '%s' was not run"):format(test.arm))
  end
  for _, region in ipairs(job.regions_of(arm, measured.design.regions)) do
    if not test.region or region.name == test.region then
      local found <const> = backing_of(region, test.arm, samples)
      local verdict <const>, reason <const> = judge_backing(found)
      parts[#parts + 1] = common.outcome(verdict, reason, { evidence = json.array { found } })
    end
  end
  local lost <const> = common.lost(measured, test.arm)
  parts[#parts + 1] = lost and common.withdrawn("unknown: " .. lost)
  return common.all(parts)
end

-- What the kernel did not do of what a sample asked it for, in words; nil when it did all of it.
local function refused_in(sample)
  local refused <const> = sample.evidence.refused
  if refused then
    return ("%s of '%s': %s"):format(refused[1].op, refused[1].region, refused[1].error)
  end
  return sample.evidence.populated_by and "populate: by a " .. sample.evidence.populated_by
end

---The kernel did in every sample what it was asked for.
---@param test frlua.Test
---@param measured frlua.Measured
---@return frlua.Outcome
function recorded.granted(test, measured)
  local samples <const> = samples_of(test.arm, measured)
  if not samples or #samples == 0 then
    return common.withdrawn(("unknown: arm '%s' has no samples"):format(test.arm))
  end
  local found <const>, first = { arm = test.arm, samples = #samples, refused = 0 }, nil
  for _, sample in ipairs(samples) do
    local refused <const> = refused_in(sample)
    first = first or refused
    found.refused = found.refused + (refused and 1 or 0)
  end
  local numbers <const> = { evidence = json.array { found } }
  if first then
    return common.outcome("fail", ("the kernel did not do what '%s' asked it for in %d of %d"
      .. " samples (%s)"):format(test.arm, found.refused, #samples, first), numbers)
  end
  local lost <const> = common.lost(measured, test.arm)
  if lost then return common.withdrawn("unknown: " .. lost, numbers) end
  return common.outcome("pass", ("the kernel did what '%s' asked it for in each of %d samples")
    :format(test.arm, #samples), numbers)
end

---The calls of an arm were bound in every sample as they are said to be.
---@param test frlua.Test
---@param measured frlua.Measured
---@return frlua.Outcome
function recorded.bound(test, measured)
  local samples <const>, arm <const> = samples_of(test.arm, measured)
  if not samples then
    return common.withdrawn(("unknown: arm '%s' was not run"):format(test.arm))
  end
  local why <const>, is_contrary <const> =
    require "frlua.binding".objection(test.as, arm.file, samples)
  local numbers <const> = { evidence = json.array { { arm = test.arm, as = test.as,
    samples = #samples, file = arm.file and arm.file.binding } } }
  if is_contrary then return common.outcome("fail", why, numbers) end
  local unknown <const> = why or common.lost(measured, test.arm)
  if unknown then return common.withdrawn("unknown: " .. unknown, numbers) end
  local sentence <const> = test.as == "lazy"
    and "the calls that '%s' timed bound their slots in each of %d samples"
    or "all slots of '%s' were bound before the first call in each of %d samples"
  return common.outcome("pass", sentence:format(test.arm, #samples), numbers)
end

-- The sets that the lines of an arm fill, if all of its samples say the same.
local function sets_of(name, measured)
  local samples <const> = samples_of(name, measured)
  if not samples or not samples[1] then
    return nil, ("arm '%s' %s"):format(name, samples and "has no samples" or "was not run")
  end
  local first <const> = (samples[1].evidence.layouts or {})[1]
  if not first then return nil, ("arm '%s' has no layout"):format(name) end
  local lost <const> = common.lost(measured, name) -- whose addresses were others, maybe
  if lost then return nil, lost end
  if not first.set_hash then return nil, "the sets of the first-level cache are unknown" end
  for _, sample in ipairs(samples) do
    if sample.evidence.layouts[1].set_hash ~= first.set_hash then
      return nil, ("the samples of '%s' fill different sets"):format(name)
    end
  end
  return first
end

---The lines of all arms were counted into the same sets, so many into each.
---@param test frlua.Test
---@param measured frlua.Measured
---@return frlua.Outcome
function recorded.same_sets(test, measured)
  local found <const> = json.array {}
  for index, name in ipairs(test.arms) do
    local sets <const>, why <const> = sets_of(name, measured)
    if not sets then return common.withdrawn("unknown: " .. why) end
    found[index] = { arm = name, used_sets = sets.used_sets, fullest_set = sets.fullest_set,
      set_hash = sets.set_hash }
  end
  for index = 2, #found do
    if found[index].set_hash ~= found[1].set_hash then
      return common.outcome("fail", ("'%s' has its lines in %d sets, at most %d in one; '%s' in %d,"
        .. " at most %d"):format(found[1].arm, found[1].used_sets, found[1].fullest_set,
        found[index].arm, found[index].used_sets, found[index].fullest_set), { evidence = found })
    end
  end
  return common.outcome("pass", ("'%s' have their lines in the same sets, at most %d in one")
    :format(table.concat(test.arms, "', '"), found[1].fullest_set), { evidence = found })
end

return recorded
