local random <const> = require "frlua.random"

describe("the seeded generator", function()
  it("gives the published numbers of SplitMix64", function()
    local zero <const> = random.new(0)
    assert.equal(0xe220a8397b1dcdaf, zero:next())
    assert.equal(0x6e789e6aa1b965f4, zero:next())
    assert.equal(0x06c45d188009454f, zero:next())
    assert.equal(6457827717110365317, random.new(1234567):next())
  end)

  it("repeats itself for one seed and differs for another", function()
    local function draws(seed)
      local generator <const>, list <const> = random.new(seed), {}
      for index = 1, 20 do list[index] = generator:below(1000) end
      return list
    end
    assert.same(draws(7), draws(7))
    assert.not_same(draws(7), draws(8))
  end)

  it("neither uses nor moves math.random", function()
    math.randomseed(42)
    local expected <const> = { math.random(1 << 30), math.random(1 << 30) }
    math.randomseed(42)
    local first <const> = math.random(1 << 30)
    random.new(1):shuffle { 1, 2, 3, 4, 5 }
    assert.same(expected, { first, math.random(1 << 30) })
  end)

  it("stays from 0 to n - 1 and reaches both ends", function()
    local generator <const>, seen <const> = random.new(3), {}
    for _ = 1, 1000 do
      local draw <const> = generator:below(6)
      assert.is_true(draw >= 0 and draw <= 5)
      seen[draw] = true
    end
    for value = 0, 5 do assert.is_true(seen[value]) end
    assert.equal(0, generator:below(1))
  end)

  it("favours no value, even for an n that divides its range badly", function()
    -- 2^63 values modulo 3 x 2^61 would give the lowest third half of all draws.
    local generator <const>, lowest_third = random.new(5), 0
    for _ = 1, 3000 do
      if generator:below(3 << 61) < 1 << 61 then lowest_third = lowest_third + 1 end
    end
    assert.is_true(lowest_third > 900 and lowest_third < 1100)
  end)

  it("shuffles in place into every order equally often", function()
    local generator <const>, counts <const> = random.new(11), {}
    for _ = 1, 6000 do
      local list <const> = { "a", "b", "c" }
      assert.equal(list, generator:shuffle(list))
      local order <const> = table.concat(list)
      counts[order] = (counts[order] or 0) + 1
    end
    local orders = 0
    for _, count in pairs(counts) do
      orders = orders + 1
      assert.is_true(count > 850 and count < 1150)
    end
    assert.equal(6, orders)
  end)

  it("refuses a seed that is no whole number, and an empty range", function()
    assert.error_matches(function() random.new(1.5) end, "seed must be a whole number, not 1.5")
    assert.error_matches(function() random.new(1):below(0) end,
      "n must be a whole number of at least 1, not 0")
  end)
end)
