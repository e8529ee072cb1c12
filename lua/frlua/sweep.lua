--- A function measured over values, in rounds: what drifts meanwhile favours no value.
local check <const> = require "frlua.check"
local plan <const> = require "frlua.plan"
local stats <const> = require "frlua.stats"

local sweep <const> = {}

local FIELDS <const> = { "values", "rounds", "seed", "measure" }
local ROUNDS <const> = 5

---@class frlua.Loss
---@field round integer
---@field why string

---@class frlua.SweepFields
---@field values number[] without duplicates, in any order
---@field rounds integer? 5 by default
---@field seed integer? the time by default
---@field measure fun(value: number): number?, string? a finite number, or nil and why there is none

---@class frlua.SweepRow what stats.summary says of one value, and
---@field at number the value
---@field n integer rounds that it was measured in
---@field values number[] one of each of these rounds, in their order
---@field lost integer rounds that it was not measured in
---@field losses frlua.Loss[]? which rounds these are
---@field why string? why there is no median: every round was lost

---@class frlua.SweepOrder what else is needed to do the same again
---@field rounds integer
---@field seed integer
---@field order number[][] for each round the values, in the order in which they were measured

-- The values, rising. 64 and 64.0 are one value.
local function checked_values(values)
  check.keys(values, { entries = true }, "values of fr.sweep")
  if #values == 0 then check.fail "values of fr.sweep must hold at least one number" end
  local rising <const>, seen <const> = {}, {}
  for index, given in ipairs(values) do
    local value <const> = check.number(given, ("value %d of fr.sweep"):format(index))
    if seen[value] then
      check.fail(("value %d of fr.sweep is there already, as value %d: %s")
        :format(index, seen[value], check.show(given)))
    end
    rising[index], seen[value] = value, index
  end
  table.sort(rising)
  return rising
end

-- One round of one value. What is not a finite number is lost: hours of other readings stand beside
-- it. What is no number at all is a mistake of the script's, in every round.
local function measure_into(row, round, measure)
  local value, why = measure(row.at)
  if value ~= nil and type(value) ~= "number" then
    check.fail(("measure of fr.sweep must return a finite number, or nil and the reason, not %s"
      .. " (at %s)"):format(check.show(value), check.show(row.at)))
  elseif value and check.is_finite(value) then
    row.values[#row.values + 1] = value
    return
  elseif value then
    why = "the value is " .. check.show(value)
  end
  row.losses = row.losses or {}
  row.losses[#row.losses + 1] = { round = round, why = tostring(why or "measure gave no reason") }
end

local function finish(row)
  local summary <const>, why <const> = stats.summary(row.values)
  for key, figure in pairs(summary or { n = 0, why = why }) do row[key] = figure end
  row.lost = row.losses and #row.losses or 0
end

---Measures every value once in every round, in an order from `plan.order`: over the rounds each
---value comes equally often first, second and so on, so that drift favours none.
---
---`fr.sweep { values = { 8, 64, 512 }, rounds = 10, measure = function(pages) … return ns end }`
---
---Five rounds, the default, are too few for a 95 % interval, which needs 6. A round in which
---`measure` returns nil, NaN or infinity is lost to that value, with the reason; an error in
---`measure` ends the sweep. Misuse is an error at the caller's line.
---@param fields frlua.SweepFields
---@return frlua.SweepRow[] rows one of each value, rising
---@return frlua.SweepOrder order
function sweep.sweep(fields)
  check.keys(fields, FIELDS, "fr.sweep")
  local values <const> = checked_values(fields.values)
  local rounds <const> = check.whole(fields.rounds or ROUNDS, "rounds of fr.sweep", 1)
  local seed <const> = check.whole(fields.seed or os.time(), "seed of fr.sweep")
  local measure <const> = check.callable(fields.measure, "measure of fr.sweep")

  local rows <const>, order <const> = {}, {}
  for index, value in ipairs(values) do rows[index] = { at = value, values = {} } end
  for round, indices in ipairs(plan.order(#rows, rounds, seed)) do
    order[round] = {}
    for position, index in ipairs(indices) do
      order[round][position] = values[index]
      measure_into(rows[index], round, measure)
    end
  end
  for _, row in ipairs(rows) do finish(row) end
  return rows, { rounds = rounds, seed = seed, order = order }
end

return sweep
