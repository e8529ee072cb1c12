--- Where a time goes: a whole taken apart by differences between arms, round by round.
local analysis <const> = require "frlua.analysis"
local stats <const> = require "frlua.stats"
local units <const> = require "frlua.units"

local split <const> = {}

local function arm_names(wanted)
  local unless <const> = wanted.unless
  local names <const> = { wanted.whole.arm }
  for _, key in ipairs(unless and { "value", "times", "without" } or {}) do
    names[#names + 1] = unless[key].arm
  end
  for _, part in ipairs(wanted.parts) do
    names[#names + 1] = part.value.arm
    names[#names + 1] = part.less and part.less.arm
  end
  return names
end

-- An arm that the split needs and that did not run.
local function missing_arm(wanted, values)
  for _, name in ipairs(arm_names(wanted)) do
    if not values[name] then return name end
  end
end

local function at(values, where, round)
  return values[where.arm][where.metric][round]
end

-- The value of a part in one round; nil when a sample that it needs was lost.
local function part_at(values, part, round)
  local value <const> = at(values, part.value, round)
  if not part.less or not value then return value end
  local less <const> = at(values, part.less, round)
  return less and value - less
end

local function summary(list)
  local found <const>, why <const> = stats.summary(list)
  return found or { n = 0, why = why }
end

-- One number per round, and each as a share of the whole.
local function take_part(wanted, part, values, rounds)
  local ns <const>, shares <const> = {}, {}
  for round = 1, rounds do
    local value <const> = part_at(values, part, round)
    local whole <const> = at(values, wanted.whole, round)
    ns[#ns + 1] = value
    shares[#shares + 1] = value and stats.ratio(value, whole)
  end
  return { part = part.name, ns = summary(ns), share = summary(shares) }
end

local function per_unit(wanted, values, rounds)
  local list <const> = {}
  for round = 1, rounds do
    local value <const> = part_at(values, wanted.parts[1], round)
    local count <const> = values[wanted.whole.arm][wanted.per][round]
    list[#list + 1] = value and stats.ratio(value, count)
  end
  return { metric = wanted.per, part = wanted.parts[1].name, ns = summary(list) }
end

local function median_of(values, where, rounds)
  return stats.median(analysis.dense(values[where.arm][where.metric], rounds))
end

local function is_touch_loop(samples)
  for _, sample in ipairs(samples or {}) do
    if sample.evidence and sample.evidence.populated_by then return true end
  end
end

-- Why the split can't be believed; nil when it can, or when that can't be told.
local function withdrawn(unless, values, rounds, samples)
  if not unless then return nil end
  if is_touch_loop(samples) then
    return "a touch loop populated, as this kernel has no call for it: it traps for every page"
  end
  local faults <const> = analysis.dense(values[unless.without.arm][unless.without.metric], rounds)
  for _, count in ipairs(faults) do
    if count > 0 then return nil end
  end
  local value <const>, base <const> = median_of(values, unless.value, rounds),
    median_of(values, unless.times, rounds)
  local ratio <const> = stats.ratio(value, base)
  if not ratio or ratio <= unless.above then return nil end
  return ("%s of '%s' is %s times %s of '%s', without any fault: %s"):format(unless.value.metric,
    unless.value.arm, units.fixed(ratio, 1), unless.times.metric, unless.times.arm, unless.because)
end

---@param wanted table an fr.split
---@param values frlua.Values
---@param rounds integer
---@param samples? frlua.Sample[] whose evidence may speak against it
---@param objection? string why what it needs is not there
---@return table # { split, whole, parts, remainder_ns, per } or { split, why, withdrawn }
function split.take(wanted, values, rounds, samples, objection)
  local missing <const> = missing_arm(wanted, values)
  if missing then
    return { split = wanted.name, why = ("arm '%s' was not run"):format(missing) }
  end
  local why <const> = objection or withdrawn(wanted.unless, values, rounds, samples)
  if why then return { split = wanted.name, why = why, withdrawn = true } end
  local whole <const> = analysis.dense(values[wanted.whole.arm][wanted.whole.metric], rounds)
  local taken <const> = {
    split = wanted.name,
    whole = { arm = wanted.whole.arm, metric = wanted.whole.metric, ns = summary(whole) },
    parts = {},
  }
  taken.remainder_ns = taken.whole.ns.median
  for index, part in ipairs(wanted.parts) do
    taken.parts[index] = take_part(wanted, part, values, rounds)
    local median <const> = taken.parts[index].ns.median
    taken.remainder_ns = taken.remainder_ns and median and taken.remainder_ns - median
  end
  if wanted.per then taken.per = per_unit(wanted, values, rounds) end
  return taken
end

return split
