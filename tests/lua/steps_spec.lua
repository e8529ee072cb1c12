local fr <const> = require "frlua"
local random <const> = require "frlua.random"

-- Rows at 1, 2, 3 and so on, or at the places given; each interval reaches a factor `around` from
-- its ratio. A ratio may be a row's own { ratio, low, high }, or { ratio } without an interval.
local function rows_of(ratios, around, at)
  local rows <const> = {}
  for index, ratio in ipairs(ratios) do
    local row <const> = { at = at and at[index] or index }
    if type(ratio) == "table" then
      row.ratio = ratio[1]
      row.ci95 = ratio[2] and { ratio[2], ratio[3] }
    else
      row.ratio, row.ci95 = ratio, { ratio / around, ratio * around }
    end
    rows[index] = row
  end
  return rows
end

local function steps_of(ratios, options)
  return fr.find_step(rows_of(ratios, 1.02), options)
end

local function standings(found)
  local list <const> = {}
  for index, row in ipairs(found.rows) do list[index] = row.standing end
  return table.concat(list, " ")
end

local function assert_finite(value)
  if type(value) == "table" then
    for _, field in pairs(value) do assert_finite(field) end
  elseif type(value) == "number" then
    assert(math.abs(value) < math.huge, value)
  end
end

local PAGES <const> = { 8, 32, 48, 56, 64, 72, 96, 128, 256, 512 }

describe("a step", function()
  it("has its onset, its width, its plateau and what lies below", function()
    local ratios <const> = { 1.02, 1.11, 0.95, 1.23, 0.99, 2.78, 2.73, 2.63, 2.69, 2.80 }
    local found <const> = fr.find_step(rows_of(ratios, 1.1, PAGES), { floor = 1.29 })
    local rows <const> = found.rows
    found.rows = nil
    assert.same({
      kind = "one", floor = 1.29, is_monotone = true,
      below = {
        low = 0.95, high = 1.23, straddles = true,
        trend = { s = 0, p = 1.0 }, -- 5 pairs rise, 5 fall
      },
      onset = { below = 64, above = 72 }, rows_wide = 1, half = 72,
      plateau = {
        from = 72, to = 512, level = 2.73, low = 2.63, high = 2.80, is_flat = true,
        trend = { s = 0, p = 1.0 },
      },
    }, found)
    assert.equal("flat flat flat flat flat up up up up up", standings { rows = rows })
    assert.same({ at = 8, ratio = 1.02, ci95 = { 1.02 / 1.1, 1.02 * 1.1 }, standing = "flat" },
      rows[1])
  end)

  it("is none where no row leaves the band, which is an outcome", function()
    local found <const> = steps_of { 1, 1.01, 0.99, 1.02, 1 }
    assert.equal("none", found.kind)
    assert.is_nil(found.why)
    assert.is_nil(found.plateau)
    assert.is_nil(found.onset)
    assert.is_nil(found.half)
    assert.same({ low = 0.99, high = 1.02, straddles = true, trend = { s = 1, p = 1.0 } },
      found.below) -- 5 rise, 4 fall, 1 tie, which may be what the 1 is
    assert.equal("none", steps_of({ 1 }).kind)
  end)

  it("is as many rows wide as lie between the last flat one and the plateau, and one", function()
    local found <const> = steps_of { 1, 1, 1, 1.3, 1.8, 2.2, 3, 3, 3, 3, 3 }
    assert.equal("one", found.kind)
    assert.equal("flat flat flat between between between up up up up up", standings(found))
    assert.equal(4, found.rows_wide)
    assert.same({ below = 3, above = 4 }, found.onset)
    assert.equal(6, found.half) -- 2.2 is the first of at least 2
    assert.same({ 7, 11, 3, true }, { found.plateau.from, found.plateau.to, found.plateau.level,
      found.plateau.is_flat })
  end)

  it("has a first row half-way up where the ratio is exactly half-way", function()
    assert.equal(3, steps_of({ 1, 1, 2, 3, 3, 3 }).half)
    assert.equal(4, steps_of({ 1, 1, 1.99, 3, 3, 3 }).half)
  end)

  it("has a plateau that is not flat where a row's interval leaves its level", function()
    local found <const> = steps_of { 1, 1, 3, 3, 3, 3, 4, 4.5 }
    assert.equal("one", found.kind)
    assert.is_false(found.plateau.is_flat)
    assert.equal(4.5, found.plateau.high)
    assert.equal(9, found.plateau.trend.s) -- and 6 ties, so that p is that of 3: twice 0.360
    assert.near(2 * 0.360, found.plateau.trend.p, 1.1e-3)
  end)

  it("has a plateau that is not flat where a row inside it lies too low", function()
    local found <const> = steps_of { 1, 1, { 3, 2.6, 3.1 }, { 2.5, 2.45, 2.7 }, { 3, 2.6, 3.1 } }
    assert.equal("one", found.kind)
    assert.is_false(found.plateau.is_flat)
    assert.same({ 2.5, 3, 3 }, { found.plateau.low, found.plateau.high, found.plateau.level })
  end)

  it("has a plateau that rises inside its noise: flat, with a trend", function()
    local found <const> = steps_of { 1, 1, 3, 3.02, 3.04, 3.06, 3.08 }
    assert.is_true(found.plateau.is_flat)
    assert.same({ s = 10, p = 2 / 120 }, found.plateau.trend)
    assert.is_nil(found.below.trend)
    assert.equal("no trend below 4 values", found.below.trend_why)
  end)

  it("does not know of one row whether the plateau is flat", function()
    local found <const> = steps_of { 1, 1, 1, 3 }
    assert.equal("one", found.kind)
    assert.is_nil(found.plateau.is_flat)
    assert.equal("one row", found.plateau.is_flat_why)
    assert.equal("no trend below 4 values", found.plateau.trend_why)
  end)

  it("may vanish again, in part or whole", function()
    local found <const> = steps_of { 1, 1, 3, 3, 3, 1.5, 1, 1 }
    assert.equal("one", found.kind)
    assert.equal(7, found.vanishes_at)
    assert.equal("flat flat up up up between flat flat", standings(found))
    assert.equal(5, found.plateau.to)
    assert.is_false(found.is_monotone)
    assert.is_nil(steps_of({ 1, 1, 3, 3 }).vanishes_at)
  end)

  it("is monotone as long as no ratio falls by more than the floor", function()
    assert.is_true(steps_of({ 1, 1.04, 1, 3, 2.9, 3 }).is_monotone)
    assert.is_false(steps_of({ 1, 1.04, 1, 3, 2.8, 3 }).is_monotone)
    assert.is_true(steps_of({ 1, 1.04, 1, 3, 2.8, 3 }, { floor = 1.1 }).is_monotone)
  end)

  it("lies above rows that straddle 1, or that don't", function()
    local around_1 <const> = { 1.03, { 1.1, 0.99, 1.2 }, 1.02, 3, 3 }
    assert.is_false(steps_of(around_1).below.straddles)
    around_1[3] = 0.99
    assert.is_true(steps_of(around_1).below.straddles)
    assert.is_true(steps_of({ 1.01, 1.02, 3, 3 }).below.straddles)
  end)
end)

describe("more than one step", function()
  local function assert_several(why, ratios)
    local found <const> = steps_of(ratios)
    assert.equal("several", found.kind)
    assert.equal(why, found.why)
    assert.same({}, { found.onset, found.plateau, found.half, found.vanishes_at, found.below })
  end

  it("is seen where the ratios leave the band, come back and leave it again", function()
    assert_several("it leaves the band of noise at 3 and again at 6", { 1, 1, 3, 3, 1, 3, 3 })
    assert_several("it leaves the band of noise at 1 and again at 3", { 3, 1, 3 })
  end)

  it("is seen where they rise, fall and rise without coming back", function()
    assert_several("it rises, falls, and at 5 rises again", { 1, 1, 3, 1.5, 3, 3 })
    assert_several("it rises, falls, and at 7 rises again", { 1, 2, 3, 2, 1.5, 1.3, 2, 3 })
  end)

  it("is seen where they leave the band to both sides", function()
    assert_several("it leaves the band of noise at 2 and again at 3", { 1, 0.5, 3, 3 })
  end)

  it("is not undone by rows that are undecided", function()
    assert_several("it leaves the band of noise at 2 and again at 5", { 1, 3, { 2 }, 1, 3, { 3 } })
  end)

  it("is not seen in falls inside the noise", function()
    assert.equal("one", steps_of({ 1, 1, 3, 2.9, 3, 2.92, 3 }).kind)
    local wide <const> = { 1, 1, 3, { 2.2, 1.9, 3.1 }, 3, 3 } -- low, but not shown to be
    assert.equal("one", steps_of(wide).kind)
    -- Intervals that are apart, but by less than the floor: no fall, and no second rise.
    local fall <const> = { 1, 1, { 3, 2.95, 3.05 }, { 2.85, 2.8, 2.9 }, { 3.2, 3.1, 3.3 } }
    assert.equal("one", steps_of(fall).kind)
    assert.equal("one", steps_of({ 1, 1, 3, { 2, 1.98, 2.02 }, { 2.08, 2.04, 2.12 } }).kind)
    assert.equal("several", steps_of(fall, { floor = 1.01 }).kind)
  end)

  it("is all that a table that goes up and down is made to, never one", function()
    local generator <const> = random.new(7)
    for _ = 1, 300 do
      local ratios <const> = { 1 }
      for index = 1, 2 + generator:below(4) do
        ratios[2 * index] = 1.3 + generator:below(300) / 100
        ratios[2 * index + 1] = index % 2 == 0 and 1 or 1.12 - generator:below(20) / 100
      end
      local kind <const> = steps_of(ratios).kind
      assert(kind == "several" or kind == "undecided" and #ratios == 5, kind)
    end
  end)
end)

describe("an undecided sweep", function()
  local function undecided(ratios, options)
    local found <const> = steps_of(ratios, options)
    assert.equal("undecided", found.kind)
    return found.why, found
  end

  it("has a row without an interval, and says what is known", function()
    local why <const>, found <const> = undecided { 1, 1, { 1 }, 3, 3 }
    assert.equal("at 3 it has no interval", why)
    assert.equal("flat flat undecided up up", standings(found))
    assert.same({ below = 2, above = 3 }, found.onset)
    assert.equal(2, found.rows_wide)
    assert.equal(3, found.plateau.level)
    local rows <const> = rows_of({ { 1 }, 1 }, 1.02)
    rows[1].ci95_why = "no 95 % interval below 6 values"
    assert.equal("at 1 no 95 % interval below 6 values", fr.find_step(rows).why)
  end)

  it("has a row whose interval reaches from the band to the plateau", function()
    assert.equal("at 3 its interval, 0.9000 to 2.100, ends further from 1 than a factor of 2.000,"
      .. " half-way to the plateau", (undecided { 1, 1, { 1.5, 0.9, 2.1 }, 3, 3 }))
    assert.equal("one", steps_of({ 1, 1, { 1.5, 0.9, 1.9 }, 3, 3 }).kind)
    assert.equal("at 3 its interval, 0.4000 to 1.100, ends further from 1 than a factor of 2.000,"
      .. " half-way to the plateau", (undecided { 1, 1, { 1, 0.4, 1.1 }, 3, 3 }))
  end)

  it("has a row that is neither 1 nor clear of the band", function()
    assert.equal("at 3 its interval, 1.010 to 1.300, neither holds 1 nor clears the band of noise",
      (undecided { 1, 1, { 1.1, 1.01, 1.3 }, 3, 3 }))
    assert.equal("one", steps_of({ 1, 1, { 1.04, 1.01, 1.3 }, 3, 3 }).kind) -- inside the band
    assert.matches("^at 3 its interval, 0%.8000 to 0%.9600, neither holds 1 nor clears",
      (undecided { 1, 1, { 0.9, 0.8, 0.96 }, 3, 3 }))
  end)

  it("has no row above the band, and one that might be", function()
    assert.equal("at 2 its interval, 0.9500 to 1.250, ends further from 1 than a factor of 1.210,"
      .. " the least step that could be shown", (undecided({ 1, { 1, 0.95, 1.25 } },
      { floor = 1.1 })))
    assert.equal("none", steps_of({ 1, { 1, 0.95, 1.2 } }, { floor = 1.1 }).kind)
  end)

  it("begins above the band, where no onset can be seen", function()
    local why <const>, found <const> = undecided { 3, 3, 3 }
    assert.equal("the first row, at 1, has left the band already: begin below it", why)
    assert.is_nil(found.onset)
    assert.is_nil(found.rows_wide)
    assert.is_nil(found.below)
    assert.equal(3, found.plateau.level)
    undecided { 3, 3, 1, 1 }
  end)

  it("has a step down, which a step up of the arms exchanged would be", function()
    local why <const>, found <const> = undecided { 1, 1, 0.5, 0.5 }
    assert.equal("at 3 it leaves the band downwards: a step up is looked for, exchange the arms",
      why)
    assert.equal("flat flat down down", standings(found))
    assert.is_nil(found.plateau)
  end)
end)

describe("the answer about steps", function()
  it("is plain data without NaN or infinity, whatever the rows are", function()
    local generator <const> = random.new(11)
    local function any_ratio()
      return 10.0 ^ (generator:below(7) == 0 and generator:below(600) - 300
        or generator:below(100) / 100 - 0.5)
    end
    local kinds <const> = {}
    for round = 1, 3000 do
      local ratios <const> = {}
      for index = 1, 1 + generator:below(9) do
        local ratio <const> = generator:below(3) > 0 and 1 or any_ratio()
        local around <const> = 1 + generator:below(30) / 100
        ratios[index] = generator:below(20) == 0 and { ratio }
          or { ratio, ratio / around, ratio * around }
      end
      local found <const> = steps_of(ratios, { floor = round % 2 == 0 and 1.05 or 1 })
      assert_finite(found)
      assert(fr.json.encode(found))
      kinds[found.kind] = (kinds[found.kind] or 0) + 1
      assert((found.why ~= nil) == (found.kind == "several" or found.kind == "undecided"))
      if found.kind == "one" then
        assert(found.onset.below < found.onset.above and found.rows_wide >= 1)
        assert(found.half and found.half > 1 and found.plateau.level > found.floor)
      end
    end
    for _, kind in ipairs { "none", "one", "several", "undecided" } do
      assert(kinds[kind] > 30, kind)
    end
  end)

  it("leaves the rows that it was given as they were", function()
    local rows <const> = rows_of({ 1, 3 }, 1.02)
    fr.find_step(rows)
    assert.same(rows_of({ 1, 3 }, 1.02), rows)
  end)
end)

describe("rows of steps", function()
  local function refuses(message, list, options)
    assert.error_matches(function() fr.find_step(list, options) end, message, 1, true)
  end

  it("are refused by name and value", function()
    local function row(ratio, ci95) return { { at = 8, ratio = ratio, ci95 = ci95 } } end
    refuses("rows of fr.find_step must be given a table, not nil", nil)
    refuses("fr.find_step needs at least one row", {})
    refuses("ratio in row 1 of fr.find_step must be above 0, not 0", row(0))
    refuses("ratio in row 1 of fr.find_step must be above 0, not -1.5", row(-1.5))
    refuses("ratio in row 1 of fr.find_step must be a finite number, not nan", row(0 / 0))
    refuses("ratio in row 1 of fr.find_step must be a finite number, not inf", row(math.huge))
    refuses("ratio in row 1 of fr.find_step must be a finite number, not nil", row(nil))
    refuses("ci95 in row 1 of fr.find_step must be given a table, not 3", row(1, 3))
    refuses("ci95[1] in row 1 of fr.find_step must be above 0, not 0", row(1, { 0, 2 }))
    refuses("ci95[2] in row 1 of fr.find_step must be a finite number, not nil", row(1, { 1 }))
    refuses("ci95 in row 1 of fr.find_step must hold the ratio, 1, not reach from 2 to 3",
      row(1, { 2, 3 }))
    refuses("must hold the ratio, 1, not reach from 0.5 to 0.8", row(1, { 0.5, 0.8 }))
    refuses("at in row 2 of fr.find_step must be above 8, that of the row before, not 8",
      { { at = 8, ratio = 1 }, { at = 8, ratio = 1 } })
    refuses("at in row 2 of fr.find_step must be above 8, that of the row before, not 4",
      { { at = 8, ratio = 1 }, { at = 4, ratio = 1 } })
  end)

  it("have a floor of at least 1", function()
    local rows <const> = rows_of({ 1 }, 1.02)
    refuses("floor of fr.find_step must be a finite number of at least 1, not 0.9", rows,
      { floor = 0.9 })
    refuses("unknown key 'flor' in the options of fr.find_step: did you mean 'floor'?", rows,
      { flor = 2 })
  end)
end)
