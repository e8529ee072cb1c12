--- What claims ask of an experiment's design: arms and metrics that there are, enough rounds, and a
--- twin for every arm that others are compared with.
local check <const> = require "frlua.check"
local units <const> = require "frlua.units"

local claim_design <const> = {
  FEWEST_ROUNDS = 10,     -- of an experiment that claims something
  ROUNDS_IF_SHARED = 20,  -- where more claims than the next number rest on one contrast
  MOST_TO_SHARE = 2,
}

-- Calls `visit` with every test of a claim that is not made of others, wherever it stands.
local function each_test(claim, visit)
  local function walk(test)
    if test.form ~= "all" then return visit(test) end
    for _, part in ipairs(test.tests) do walk(part) end
  end
  for _, need in ipairs(claim.needs or {}) do walk(need) end
  walk(claim.test)
  if claim.otherwise then each_test(claim.otherwise, visit) end
end

-- The values that a test is about, in its order; fr.same without values is about those of all arms.
local function values_of(test, arms)
  local values <const> = {}
  values[1] = test.value
  values[#values + 1] = test.than
  for _, value in ipairs(test.values or {}) do values[#values + 1] = value end
  for _, row in ipairs(test.rows or {}) do
    values[#values + 1], values[#values + 2] = row.value, row.than
  end
  for _, arm in ipairs(test.metric and arms or {}) do
    if not arm.is_reference then values[#values + 1] = { arm = arm.name, metric = test.metric } end
  end
  return values
end

---@class frlua.Names what the claims of an experiment may name; each refuses what is not there
---@field arm fun(name: string, where: string): string the name as the experiment writes it
---@field metric fun(name: string, unit: "ns"|"faults", where: string)
---@field values fun(values: { arm: string, metric: string }[], where: string) of one test
---@field regions_of fun(arm: string): string[] the names of those that it works on
---@field layout_of fun(arm: string): frlua.Placed?

local function check_huge(test, regions, where)
  if not regions[1] then
    check.fail(("%s: arm '%s' works on no region"):format(where, test.arm))
  elseif test.region then
    check.one_of(test.region, regions, "region", where)
  end
end

local function sets_text(audit)
  return ("its %d lines in %s, at most %d in one"):format(audit.slots,
    units.plural(audit.used_sets, "set"), audit.fullest_set)
end

-- The layouts of a claim that they are in the same sets: each there is one, and none that the
-- addresses contradict.
local function check_same_sets(test, names, where)
  local first
  for index, name in ipairs(test.arms) do
    test.arms[index] = names.arm(name, where)
    local placed <const> = names.layout_of(test.arms[index])
    if not placed then check.fail(("%s: arm '%s' has no layout"):format(where, name)) end
    local audit <const> = placed.audit
    first = first or audit
    if audit.set_hash and first.set_hash and audit.set_hash ~= first.set_hash then
      local are_alike <const> = audit.slots == first.slots and audit.used_sets == first.used_sets
        and audit.fullest_set == first.fullest_set
      check.fail(("%s: '%s' has %s; '%s' has %s%s: what they differ by would be sets, not pages")
        :format(where, test.arms[1], sets_text(first), test.arms[index], sets_text(audit),
        are_alike and ", but not in the same ones" or ""))
    end
  end
end

---Checks the names in claims, and writes them as the experiment does.
---@param claims frlua.Claim[]
---@param arms { name: string }[]
---@param names frlua.Names
---@param what string whose claims they are
function claim_design.check(claims, arms, names, what)
  for _, claim in ipairs(claims) do
    each_test(claim, function(test)
      local where <const> = ("fr.%s of claim '%s' in %s"):format(test.form, claim.name, what)
      local values <const> = values_of(test, arms)
      for _, value in ipairs(values) do
        value.arm = names.arm(value.arm, where)
        names.metric(value.metric, test.form == "exact" and "faults" or "ns", where)
      end
      names.values(values, where)
      if test.arm then test.arm = names.arm(test.arm, where) end
      if test.form == "huge" then check_huge(test, names.regions_of(test.arm), where) end
      if test.form == "same_sets" then check_same_sets(test, names, where) end
    end)
  end
end

---Whether a test claims that values differ, and not only that a difference is bounded: such a
---difference must be outside the noise that an arm and its twin show.
---@param test frlua.Test
---@return boolean
function claim_design.is_difference(test)
  return test.form == "below" and test.factor <= 1 or test.form == "above" and test.factor >= 1
    or test.form == "onset"
end

local function key(a, b)
  local first <const>, second <const> = a.arm .. "\0" .. a.metric, b.arm .. "\0" .. b.metric
  return first < second and first .. "\1" .. second or second .. "\1" .. first
end

-- The pairs of values that a test compares.
local function contrasts_of(test, arms)
  local pairs_found <const>, values <const> = {}, test.rows and {} or values_of(test, arms)
  for index, row in ipairs(test.rows or {}) do pairs_found[index] = key(row.value, row.than) end
  for second = 2, #values do
    for first = test.form == "same" and 1 or second - 1, second - 1 do
      pairs_found[#pairs_found + 1] = key(values[first], values[second])
    end
  end
  return pairs_found
end

---The fewest rounds for claims: 10, or 20 where more than two of them rest on one contrast.
---@param claims frlua.Claim[]
---@param arms { name: string }[]
---@return integer # 1 without claims
function claim_design.rounds(claims, arms)
  local resting <const>, most = {}, 0
  for _, claim in ipairs(claims) do
    local counted <const> = {}
    each_test(claim, function(test)
      for _, contrast in ipairs(contrasts_of(test, arms)) do
        if not counted[contrast] then
          counted[contrast], resting[contrast] = true, (resting[contrast] or 0) + 1
          most = math.max(most, resting[contrast])
        end
      end
    end)
  end
  if #claims == 0 then return 1 end
  return most > claim_design.MOST_TO_SHARE and claim_design.ROUNDS_IF_SHARED
    or claim_design.FEWEST_ROUNDS
end

local SUFFIX <const> = " (twin)"

---@param name string an arm's
---@return boolean
function claim_design.is_twin_name(name)
  return name:sub(-#SUFFIX) == SUFFIX
end

---The arms to run: those given, and behind them a twin of each that a claimed difference is
---measured from, or that is named. A twin is the same arm under a second name.
---@param arms table[]
---@param claims frlua.Claim[]
---@param names? string[]
---@return table[]
function claim_design.with_twins(arms, claims, names)
  local is_run <const>, is_reference <const> = {}, {}
  for _, name in ipairs(names or {}) do is_reference[name] = true end
  for _, arm in ipairs(arms) do is_run[arm.name] = true end
  for _, claim in ipairs(claims) do
    each_test(claim, function(test)
      for _, pair in ipairs(claim_design.is_difference(test) and (test.rows or { test }) or {}) do
        if is_run[pair.value.arm] then is_reference[pair.than.arm] = true end
      end
    end)
  end
  local all <const> = table.move(arms, 1, #arms, 1, {})
  for _, arm in ipairs(arms) do
    if is_reference[arm.name] then
      all[#all + 1] = { name = arm.name .. SUFFIX, twin_of = arm.name,
        phases = arm.phases, params = arm.params, command = arm.command }
    end
  end
  return all
end

return claim_design
