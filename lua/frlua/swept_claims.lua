--- Claims about arms that a sweep made: tests that name them as the script does are written out for
--- every value of the sweep.
local check <const> = require "frlua.check"
local placed_arms <const> = require "frlua.placed_arms"

local swept_claims <const> = {}

-- The values of the sweep that a test is about.
local function values_of(test, sweep, what)
  local where <const> = test.where
  if where == nil then return sweep.values end
  local place <const> = "where in " .. what
  check.keys(where, { sweep.name }, place)
  local known <const>, chosen <const> = {}, {}
  for _, value in ipairs(sweep.values) do known[value] = true end
  for _, value in ipairs(check.keys(where[sweep.name], { entries = true }, place)) do
    if not known[value] then
      check.fail(("%s %s in %s is none of the sweep's values: %s"):format(sweep.name,
        check.show(value), place, table.concat(sweep.values, ", ")))
    end
    chosen[#chosen + 1] = value
  end
  if not chosen[1] then check.fail(place .. " names no value") end
  return chosen
end

-- A test of the same kind, with the arms of one value in the places of those in the script.
local function at(test, sweep, groups, value)
  local function arm(name)
    return groups[name] and placed_arms.name(name, sweep.name, value) or name
  end
  local function pair(item) return item and { arm = arm(item.arm), metric = item.metric } end
  local copy <const> = {}
  for key, field in pairs(test) do copy[key] = field end
  copy.where, copy.over = nil, nil
  copy.value, copy.than, copy.arm = pair(test.value), pair(test.than), test.arm and arm(test.arm)
  for _, key in ipairs { "values", "arms" } do
    local list <const> = test[key] and {}
    for index, item in ipairs(test[key] or {}) do
      list[index] = key == "values" and pair(item) or arm(item)
    end
    copy[key] = list
  end
  return copy
end

local function names_group(test, groups)
  local named <const> = { test.arm, test.value and test.value.arm, test.than and test.than.arm }
  for _, name in ipairs(test.arms or {}) do named[#named + 1] = name end
  for _, value in ipairs(test.values or {}) do named[#named + 1] = value.arm end
  for _, name in pairs(named) do
    if groups[name] then return true end
  end
  return false
end

-- fr.onset and fr.monotone are of all values at once: rows, in rising order.
local function over_rows(test, sweep, groups, values, what)
  check.one_of(test.over, { sweep.name }, "parameter", "over in " .. what)
  local rising <const> = table.move(values, 1, #values, 1, {})
  table.sort(rising)
  local written <const> = at(test, sweep, groups, rising[1])
  written.value, written.than = nil, nil
  if test.form == "monotone" then
    written.values = {}
    for index, value in ipairs(rising) do
      written.values[index] = at(test, sweep, groups, value).value
    end
    return written
  end
  written.over, written.rows = sweep.name, {}
  for index, value in ipairs(rising) do
    local row <const> = at(test, sweep, groups, value)
    written.rows[index] = { at = value, value = row.value, than = row.than }
  end
  return written
end

local function written_out(test, sweep, groups, what)
  local where <const> = ("fr.%s of %s"):format(test.form, what)
  if test.form == "all" then
    local parts <const> = {}
    for index, part in ipairs(test.tests) do
      parts[index] = written_out(part, sweep, groups, what)
    end
    return { kind = "test", form = "all", tests = parts }
  elseif not sweep or not names_group(test, groups) then
    if test.where or test.over then
      check.fail(("%s is about no arm that a sweep made: 'where' and 'over' mean nothing there")
        :format(where))
    end
    return test
  end
  local values <const> = values_of(test, sweep, where)
  if test.over then return over_rows(test, sweep, groups, values, where) end
  if #values == 1 then return at(test, sweep, groups, values[1]) end
  local parts <const> = {}
  for index, value in ipairs(values) do parts[index] = at(test, sweep, groups, value) end
  return { kind = "test", form = "all", tests = parts }
end

local function claim_written_out(claim, sweep, groups)
  local what <const> = ("claim '%s'"):format(claim.name)
  local copy <const> = {}
  for key, field in pairs(claim) do copy[key] = field end
  copy.test = written_out(claim.test, sweep, groups, what)
  copy.needs = claim.needs and {}
  for index, need in ipairs(claim.needs or {}) do
    copy.needs[index] = written_out(need, sweep, groups, what)
  end
  copy.otherwise = claim.otherwise and claim_written_out(claim.otherwise, sweep, groups)
  return copy
end

---@param claims frlua.Claim[] as the script has them
---@param arms table[] of the experiment
---@param sweep frlua.Sweep?
---@return frlua.Claim[] # without `where` and `over` of tests that are of one value each
function swept_claims.expand(claims, arms, sweep)
  local groups <const>, list <const> = {}, {}
  for _, arm in ipairs(arms) do
    if arm.group then groups[arm.group] = true end
  end
  for index, claim in ipairs(claims) do list[index] = claim_written_out(claim, sweep, groups) end
  return list
end

return swept_claims
