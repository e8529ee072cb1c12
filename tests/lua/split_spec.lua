local fr <const> = require "frlua"
local split <const> = require "frlua.split"

-- 1000 = (1000 - 300) page faults + (300 - 100) cold + 100 work, and the like in five rounds more.
local VALUES <const> = {
  natural = { iter1 = { 1000, 1200, 900, 1100, 1300, 800 }, faults = { 7, 7, 7, 10, 7, 7 } },
  prefault = {
    iter1 = { 300, 250, 280, 310, 290, 260 }, steady = { 100, 110, 90, 100, 105, 95 },
  },
}

local wanted <const> = fr.split "where it goes" {
  whole = { "natural", "iter1" },
  fr.part "page faults" { { "natural", "iter1" }, less = { "prefault", "iter1" } },
  fr.part "cold" { { "prefault", "iter1" }, less = { "prefault", "steady" } },
  fr.part "work" { { "prefault", "steady" } },
  per = "faults",
}

-- VALUES with some rounds taken out, as { arm, metric, round }.
local function without(...)
  local values <const> = {}
  for arm, metrics in pairs(VALUES) do
    values[arm] = {}
    for metric, list in pairs(metrics) do values[arm][metric] = table.move(list, 1, 6, 1, {}) end
  end
  for _, hole in ipairs { ... } do values[hole[1]][hole[2]][hole[3]] = nil end
  return values
end

local function near(expected, number)
  assert.is_true(math.abs(expected - number) < 1e-12, ("%g is not %g"):format(number, expected))
end

describe("a split", function()
  local taken <const> = split.take(wanted, VALUES, 6)

  it("is made of differences round by round", function()
    -- 700 950 620 790 1010 540; 200 140 190 210 185 165; 100 110 90 100 105 95
    assert.equal(1050.0, taken.whole.ns.median)
    assert.same({ "natural", "iter1" }, { taken.whole.arm, taken.whole.metric })
    assert.equal(745.0, taken.parts[1].ns.median)
    assert.equal(187.5, taken.parts[2].ns.median)
    assert.equal(100.0, taken.parts[3].ns.median)
    assert.same({ 540, 1010 }, { taken.parts[1].ns.min, taken.parts[1].ns.max })
    assert.same({ 540, 1010 }, taken.parts[1].ns.ci95) -- of six values: from the first to the last
  end)

  it("has the share of each part, round by round", function()
    -- 0.7 0.791… 0.688… 0.718… 0.776… 0.675
    near((0.7 + 790 / 1100) / 2, taken.parts[1].share.median)
    near(540 / 800, taken.parts[1].share.min)
    near(950 / 1200, taken.parts[1].share.max)
    assert.equal(6, taken.parts[3].share.n)
  end)

  it("says what the medians of the parts leave of the median of the whole", function()
    assert.equal(1050.0 - 745.0 - 187.5 - 100.0, taken.remainder_ns)
  end)

  it("has no remainder in any single round", function()
    local one <const> = split.take(wanted, VALUES, 1)
    assert.equal(0, one.remainder_ns)
    assert.equal(1000, one.whole.ns.median)
  end)

  it("gives the first part per count of its own round", function()
    assert.same({ "faults", "page faults" }, { taken.per.metric, taken.per.part })
    -- 100 135.7 88.6 79 144.3 77.1
    near((620 / 7 + 100) / 2, taken.per.ns.median)
    near(540 / 7, taken.per.ns.min)
    near(1010 / 7, taken.per.ns.max)
  end)

  it("leaves out of a part the rounds in which a sample of it was lost", function()
    local fewer <const> = split.take(wanted, without({ "prefault", "iter1", 2 },
      { "prefault", "steady", 6 }), 6)
    assert.same({ 6, 5, 4, 5 }, { fewer.whole.ns.n, fewer.parts[1].ns.n, fewer.parts[2].ns.n,
      fewer.parts[3].ns.n })
    assert.equal(700, fewer.parts[1].ns.median) -- of 700 620 790 1010 540
    assert.equal(195.0, fewer.parts[2].ns.median) -- of 200 190 210 185
    assert.equal(5, fewer.per.ns.n)
    assert.equal(5, fewer.parts[1].share.n)
    assert.truthy(fewer.parts[2].ns.ci95_why)
  end)

  it("has neither parts nor remainder where all samples of an arm were lost", function()
    local holes <const> = {}
    for round = 1, 6 do holes[round] = { "prefault", "iter1", round } end
    local fewer <const> = split.take(wanted, without(table.unpack(holes)), 6)
    assert.same({ n = 0, why = "no values" }, fewer.parts[1].ns)
    assert.same({ n = 0, why = "no values" }, fewer.parts[1].share)
    assert.is_nil(fewer.remainder_ns)
    assert.equal(0, fewer.per.ns.n)
  end)

  it("has no shares of a whole that is 0, and nothing per no faults", function()
    local values <const> = {
      natural = { iter1 = { 0, 0 }, faults = { 0, 0 } },
      prefault = { iter1 = { 0, 0 }, steady = { 0, 0 } },
    }
    local none <const> = split.take(wanted, values, 2)
    assert.equal(0, none.whole.ns.median)
    assert.equal(0, none.parts[1].ns.median)
    assert.same({ n = 0, why = "no values" }, none.parts[1].share)
    assert.same({ n = 0, why = "no values" }, none.per.ns)
  end)

  it("says which arm it needs that was not run", function()
    assert.same({ split = "where it goes", why = "arm 'prefault' was not run" },
      split.take(wanted, { natural = VALUES.natural }, 6))
    assert.same({ split = "where it goes", why = "arm 'natural' was not run" },
      split.take(wanted, { prefault = VALUES.prefault }, 6))
  end)
end)
