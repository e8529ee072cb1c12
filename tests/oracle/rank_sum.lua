-- Random data sets and what frlua.rank_sum says of them, for rank_sum.R: on each line the first
-- list, the second list, and p, method, ratio, interval (NA where there is none) and its coverage.
local random <const> = require "frlua.random"
local rank_sum <const> = require "frlua.rank_sum"

local generator <const> = random.new(20)

local function list_of(count, values, shift)
  local list <const> = {}
  for index = 1, count do list[index] = 1 + shift + generator:below(values) end
  return list
end

local function show(number)
  return number and ("%.17g"):format(number) or "NA"
end

local function print_set(a, b)
  local test <const>, ratio <const> = rank_sum.test(a, b), rank_sum.ratio(a, b)
  local interval <const> = ratio.ci95 or {}
  print(table.concat({ table.concat(a, " "), table.concat(b, " "), show(test.p), test.method,
    show(ratio.ratio), show(interval[1]), show(interval[2]), show(ratio.ci95_coverage) }, "|"))
end

-- Few values, which tie often; values among which there are few ties; values without any.
for number = 1, 300 do
  local values <const> = ({ 3, 8, 40, 1000000000 })[1 + number % 4]
  local shift <const> = generator:below(2) * generator:below(values // 3 + 1)
  print_set(list_of(1 + generator:below(25), values, 0), list_of(1 + generator:below(25), values,
    shift))
end
-- The longest that are counted exactly, and longer ones.
print_set(list_of(50, 20, 0), list_of(50, 20, 3))
print_set(list_of(4, 20, 0), list_of(100, 20, 5))
for _ = 1, 20 do print_set(list_of(80, 100, 0), list_of(60, 100, generator:below(40))) end
