--- A small seeded generator of its own, so that a script's `math.random` is neither used nor moved.
--- SplitMix64: a counter stepped by an odd constant, mixed by shifts and multiplications (Steele,
--- Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014). Not for secrets.
local check <const> = require "frlua.check"

---@class frlua.Random
---@field private state integer
local Random <const> = {}
Random.__index = Random

local random <const> = {}

---@param seed integer any whole number; the same seed gives the same numbers, on every machine
---@return frlua.Random
function random.new(seed)
  return setmetatable({ state = check.whole(seed, "seed") }, Random)
end

---64 random bits.
---@return integer # of either sign
function Random:next()
  self.state = self.state + 0x9E3779B97F4A7C15
  local bits = self.state
  bits = (bits ~ bits >> 30) * 0xBF58476D1CE4E5B9
  bits = (bits ~ bits >> 27) * 0x94D049BB133111EB
  return bits ~ bits >> 31
end

---A whole number from 0 to n - 1, each equally likely.
---@param n integer at least 1
---@return integer
function Random:below(n)
  n = check.whole(n, "n", 1)
  local bits, remainder
  repeat
    bits = self:next() >> 1
    remainder = bits % n
  until bits - remainder <= math.maxinteger - n + 1 -- else from the last, shorter run of n: again
  return remainder
end

---Puts a list into random order, every order equally likely (Fisher and Yates).
---@generic T
---@param list T[] changed in place
---@return T[] list
function Random:shuffle(list)
  for last = #list, 2, -1 do
    local pick <const> = 1 + self:below(last)
    list[last], list[pick] = list[pick], list[last]
  end
  return list
end

return random
