--- The order in which arms run. Drift (a warming machine, a noisy neighbour) must not favour an
--- arm: every round runs every arm once, and each arm comes equally often first, second and so on.
local check <const> = require "frlua.check"
local random <const> = require "frlua.random"

local plan <const> = {}

local function permutation(count, generator)
  local numbers <const> = {}
  for index = 1, count do numbers[index] = index - 1 end
  return generator:shuffle(numbers)
end

-- Appends up to `count` rounds of one Latin square: `(row + column) mod size` with its rows,
-- columns and symbols permuted. Any set of its rows has an arm in a position once or not at all.
local function append_square(order, size, count, generator)
  local rows <const> = permutation(size, generator)
  local columns <const> = permutation(size, generator)
  local arms <const> = permutation(size, generator)
  for row = 1, math.min(size, count) do
    local round <const> = {}
    for position = 1, size do
      round[position] = 1 + arms[1 + (rows[row] + columns[position]) % size]
    end
    order[#order + 1] = round
  end
end

---The seeded order of a design: squares drawn anew until there are enough rounds, the last one cut.
---Over the rounds, an arm's counts in each position differ by at most one.
---@param arm_count integer at least 1
---@param rounds integer at least 1
---@param seed integer the same seed gives the same order
---@return integer[][] order for each round the arms' indices, in the order in which they run
function plan.order(arm_count, rounds, seed)
  arm_count = check.whole(arm_count, "arms", 1)
  rounds = check.whole(rounds, "rounds", 1)
  local generator <const> = random.new(seed)
  local order <const> = {}
  while #order < rounds do
    append_square(order, arm_count, rounds - #order, generator)
  end
  return order
end

return plan
