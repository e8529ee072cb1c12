local normal <const> = require "frlua.normal"
local rank_sum <const> = require "frlua.rank_sum"
local simulated <const> = require "simulated"

-- Calls `use` with every way to deal a list to two, the second of n values.
local function for_every_deal(list, n, use)
  local function deal(index, first, second)
    if index > #list then
      if #second == n then use(first, second) end
      return
    end
    for _, side in ipairs { first, second } do
      side[#side + 1] = list[index]
      deal(index + 1, first, second)
      side[#side] = nil
    end
  end
  deal(1, {}, {})
end

-- Pair by pair, as Mann and Whitney define it.
local function pairs_above(a, b)
  local u = 0
  for _, x in ipairs(a) do
    for _, y in ipairs(b) do u = u + (y > x and 1 or y == x and 0.5 or 0) end
  end
  return u
end

-- Twice the smaller share of all deals whose u is at most, or at least, that of this one.
local function enumerated(a, b)
  local all <const>, seen <const> = table.move(b, 1, #b, #a + 1, { table.unpack(a) }),
    pairs_above(a, b)
  local below, above, count = 0, 0, 0
  for_every_deal(all, #b, function(first, second)
    local u <const> = pairs_above(first, second)
    below, above, count = below + (u <= seen and 1 or 0), above + (u >= seen and 1 or 0), count + 1
  end)
  return math.min(1, 2 * math.min(below, above) / count)
end

local function drawn(generator, count, values)
  local list <const> = {}
  for index = 1, count do list[index] = 1 + generator:below(values) end
  return list
end

-- Processes whose log times vary by 1, shifted.
local function times(generator, count, shift)
  local list <const> = {}
  for index = 1, count do list[index] = math.exp(simulated.normal(generator) + shift) end
  return list
end

describe("the rank-sum test", function()
  it("has the p of all ways to deal the values, with ties among them", function()
    local generator <const> = simulated.generator(1)
    for number = 1, 80 do
      local values <const> = number % 2 == 0 and 4 or 1000
      local a <const>, b <const> = drawn(generator, 1 + generator:below(6), values),
        drawn(generator, 1 + generator:below(6), values)
      local test <const> = rank_sum.test(a, b)
      assert.equal("exact", test.method)
      assert.equal(pairs_above(a, b), test.u)
      assert.near(enumerated(a, b), test.p, 1e-14)
    end
  end)

  it("has 2 of all deals against lists that lie apart", function()
    assert.equal(2 / 70, rank_sum.test({ 1, 2, 3, 4 }, { 5, 6, 7, 8 }).p)
    assert.equal(2 / 184756, rank_sum.test({ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 },
      { 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 }).p)
  end)

  it("is the same the other way round, and leaves the lists as they were", function()
    local a <const>, b <const> = { 7, 3, 3, 9 }, { 8, 3, 1, 12, 9, 9 }
    assert.near(rank_sum.test(a, b).p, rank_sum.test(b, a).p, 1e-15)
    assert.same({ 7, 3, 3, 9 }, a)
  end)

  it("tells nothing apart that is all equal", function()
    assert.equal(1.0, rank_sum.test({ 5, 5, 5 }, { 5, 5 }).p)
    local many <const> = {}
    for index = 1, 60 do many[index] = 5 end
    assert.same({ u = 1800.0, p = 1.0, method = "normal" }, rank_sum.test(many, many))
  end)

  it("is approximated beyond 2500 pairs, by less than 3 % of p near 0.05", function()
    local generator <const>, limit <const> = simulated.generator(2), rank_sum.MOST_PAIRS
    finally(function() rank_sum.MOST_PAIRS = limit end)
    local compared = 0
    for _ = 1, 40 do
      local a <const>, b <const> = drawn(generator, 50, 500), drawn(generator, 50, 400)
      rank_sum.MOST_PAIRS = limit
      local exact <const> = rank_sum.test(a, b)
      rank_sum.MOST_PAIRS = limit - 1
      local close <const> = rank_sum.test(a, b)
      assert.same({ "exact", "normal" }, { exact.method, close.method })
      if exact.p > 0.02 and exact.p < 0.2 then
        compared = compared + 1
        assert.near(1, close.p / exact.p, 0.03)
      end
    end
    assert(compared >= 5)
  end)

  it("takes the deviation of all deals for its approximation, with ties", function()
    local limit <const> = rank_sum.MOST_PAIRS
    finally(function() rank_sum.MOST_PAIRS = limit end)
    rank_sum.MOST_PAIRS = 0
    local a <const>, b <const>, all <const> = { 1, 2, 2, 3, 3 }, { 3, 3, 4, 2 },
      { 1, 2, 2, 3, 3, 3, 3, 4, 2 }
    local squares, count = 0, 0
    for_every_deal(all, #b, function(first, second)
      squares, count = squares + (pairs_above(first, second) - 10) ^ 2, count + 1
    end)
    local z <const> = (math.abs(pairs_above(a, b) - 10) - 0.5) / math.sqrt(squares / count)
    assert.near(2 * normal.above(z), rank_sum.test(a, b).p, 1e-13)
  end)

  it("refuses what has no rank, and lists without values", function()
    assert.has_error(function() rank_sum.test({ 0 / 0 }, { 1 }) end)
    assert.same({ nil, "no values to compare" }, { rank_sum.test({}, { 1 }) })
  end)
end)

describe("the ratio of two lists", function()
  it("is the median of all ratios, its ends are ratios of one rank from either end", function()
    local generator <const> = simulated.generator(3)
    for _ = 1, 60 do
      local a <const>, b <const> = drawn(generator, 4 + generator:below(8), 30),
        drawn(generator, 4 + generator:below(8), 30)
      local all <const>, found <const> = {}, rank_sum.ratio(a, b)
      for _, x in ipairs(a) do
        for _, y in ipairs(b) do all[#all + 1] = y / x end
      end
      table.sort(all)
      local middle <const> = math.sqrt(all[(#all + 1) // 2] * all[#all // 2 + 1])
      assert.near(middle, found.ratio, 1e-14 * middle)
      local rank = 1
      while all[rank] ~= found.ci95[1] or all[#all + 1 - rank] ~= found.ci95[2] do
        rank = rank + 1
        assert(rank <= #all, "the ends are no ratios")
      end
    end
  end)

  -- Without ties the interval holds exactly the factors that the test does not refuse.
  it("holds the factors that the test does not refuse", function()
    local generator <const> = simulated.generator(4)
    for _ = 1, 20 do
      local a <const>, b <const> = times(generator, 4 + generator:below(6), 0),
        times(generator, 4 + generator:below(6), 1)
      local function p_of(factor)
        local scaled <const> = {}
        for index, x in ipairs(a) do scaled[index] = factor * x end
        return rank_sum.test(scaled, b).p
      end
      local ci95 <const> = rank_sum.ratio(a, b).ci95
      assert(p_of(ci95[1] * (1 - 1e-9)) <= 0.05 and p_of(ci95[2] * (1 + 1e-9)) <= 0.05)
      assert(p_of(ci95[1] * (1 + 1e-9)) > 0.05 and p_of(ci95[2] * (1 - 1e-9)) > 0.05)
    end
  end)

  it("states a coverage that simulated intervals have", function()
    local generator <const>, held = simulated.generator(5), 0
    local coverage
    for _ = 1, 2000 do
      local found <const> = rank_sum.ratio(times(generator, 7, 0), times(generator, 9, 0.5))
      local truth <const> = math.exp(0.5)
      coverage = found.ci95_coverage
      if found.ci95[1] <= truth and truth <= found.ci95[2] then held = held + 1 end
    end
    assert(coverage >= 0.95)
    assert.near(coverage, held / 2000, 4 * math.sqrt(0.05 * 0.95 / 2000))
  end)

  it("has no interval of 3 and 3 values, and says so", function()
    local found <const> = rank_sum.ratio({ 1, 2, 3 }, { 4, 5, 6 })
    assert.is_nil(found.ci95)
    assert.equal("no 95 % interval of 3 and 3 values", found.ci95_why)
    assert.same({ 4 / 4, 8 / 1 }, rank_sum.ratio({ 1, 2, 3, 4 }, { 4, 5, 6, 8 }).ci95)
  end)

  it("is not made of times that the clock did not resolve", function()
    assert.same({ nil, "no ratio of values of 0 or less" }, { rank_sum.ratio({ 0, 1 }, { 1, 2 }) })
    assert.same({ nil, "no ratio of values of 0 or less" }, { rank_sum.ratio({ 1 }, { -1 }) })
  end)

  it("of long lists is found without making all ratios", function()
    local generator <const> = simulated.generator(6)
    local a <const>, b <const> = times(generator, 20000, 0), times(generator, 20000, 0.1)
    local found <const> = rank_sum.ratio(a, b)
    assert.equal("normal", found.method)
    assert.near(math.exp(0.1), found.ratio, 0.06)
    assert(found.ci95[1] < found.ratio and found.ratio < found.ci95[2])
  end)
end)

describe("the normal distribution", function()
  -- By R's pnorm.
  it("has the tails of the error function", function()
    for z, above in pairs { [0] = 0.5, [1] = 0.15865525393145705, [2.5] = 0.006209665325776132,
      [3] = 0.0013498980316300946, [5] = 2.866515718791939e-07, [10] = 7.619853024160526e-24,
      [-2] = 0.9772498680518208 } do
      assert.near(1, normal.above(z) / above, 1e-13)
    end
  end)
end)
