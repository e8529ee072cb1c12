local fr <const> = require "frlua"
local random <const> = require "frlua.random"

-- Rows at 1 KiB, 2 KiB, 4 KiB and so on.
local function rows_of(values)
  local rows <const> = {}
  for index, value in ipairs(values) do rows[index] = { at = 1 << (9 + index), value = value } end
  return rows
end

-- Each level so many times, one behind the other.
local function steps_of(...)
  local values <const> = {}
  for _, step in ipairs { ... } do
    for _ = 1, step[2] do values[#values + 1] = step[1] end
  end
  return values
end

local function ramp(from, factor, count)
  local values <const> = {}
  for index = 1, count do values[index] = from * factor ^ (index - 1) end
  return values
end

local function joined(...)
  local values <const> = {}
  for _, list in ipairs { ... } do table.move(list, 1, #list, #values + 1, values) end
  return values
end

-- Noise of up to 2 % either way.
local function noisy(values, seed)
  local generator <const>, moved <const> = random.new(seed), {}
  for index, value in ipairs(values) do
    moved[index] = value * (1 + 0.02 * (generator:below(2001) - 1000) / 1000)
  end
  return moved
end

local function levels(values, options)
  local found <const> = {}
  for index, plateau in ipairs((fr.plateaus(rows_of(values), options))) do
    found[index] = plateau.level
  end
  return found
end

describe("plateaus", function()
  it("of flat data are one, of all rows", function()
    local plateaus <const>, transitions <const> = fr.plateaus(rows_of { 4, 4.1, 3.9, 4.2, 4 })
    assert.same({
      { from = 1024, to = 16384, level = 4, low = 3.9, high = 4.2, rows = 5 },
    }, plateaus)
    assert.same({}, transitions)
  end)

  it("of steps are as many as there are levels, with what lies between", function()
    local plateaus <const>, transitions <const> =
      fr.plateaus(rows_of { 1, 1, 1, 4, 4, 9, 20, 20, 20, 20 })
    assert.same({
      { from = 1024, to = 4096, level = 1, low = 1, high = 1, rows = 3 },
      { from = 8192, to = 16384, level = 4, low = 4, high = 4, rows = 2 },
      { from = 65536, to = 524288, level = 20, low = 20, high = 20, rows = 4 },
    }, plateaus)
    assert.same({
      { from = 4096, to = 8192, rows = 0, factor = 4.0 },
      { from = 16384, to = 65536, rows = 1, factor = 5.0 },
    }, transitions)
  end)

  it("may also fall", function()
    local _, transitions <const> = fr.plateaus(rows_of { 8, 8, 8, 2, 2, 2 })
    assert.same({ { from = 4096, to = 8192, rows = 0, factor = 0.25 } }, transitions)
  end)

  it("are none along a ramp, whatever it rises by from row to row", function()
    for percent = 3, 60 do
      assert.same({}, levels(ramp(1, 1 + percent / 100, 40)), percent)
      assert.same({}, levels(ramp(100, 1 / (1 + percent / 100), 40)), percent)
    end
    assert.same({}, levels(ramp(1, 1.10, 6)))
    assert.same({}, levels(ramp(1, 1.10, 3)))
  end)

  it("are none along a ramp with noise", function()
    for seed = 1, 400 do
      for _, factor in ipairs { 1.05, 1.07, 1.10 } do
        assert.same({}, levels(noisy(ramp(1, factor, 20), seed)))
      end
    end
  end)

  it("are not divided, nor joined, by noise of 2 %", function()
    for seed = 1, 200 do
      local found <const> = fr.plateaus(rows_of(
        noisy(steps_of({ 1, 6 }, { 1.3, 2 }, { 4, 7 }, { 60, 5 }), seed)))
      assert.equal(4, #found)
      local counts <const> = {}
      for index, plateau in ipairs(found) do counts[index] = plateau.rows end
      assert.same({ 6, 2, 7, 5 }, counts)
    end
  end)

  it("leave the foot and the head of a ramp between them to the ramp", function()
    local plateaus <const>, transitions <const> = fr.plateaus(rows_of(joined(
      steps_of { 1, 8 }, ramp(1.1, 1.1, 8), steps_of { 1.1 ^ 9, 8 })))
    assert.equal(2, #plateaus)
    assert.same({ 1, 1, 8 }, { plateaus[1].low, plateaus[1].high, plateaus[1].rows })
    assert.near(1.1 ^ 9, plateaus[2].level, 1e-12)
    assert.equal(8, plateaus[2].rows)
    assert.equal(8, transitions[1].rows)
  end)

  it("may share one row that is like both", function()
    local plateaus <const>, transitions <const> =
      fr.plateaus(rows_of { 2, 2, 2, 2.2, 2.4, 2.4, 2.4 })
    assert.same({ 3, 3 }, { plateaus[1].rows, plateaus[2].rows })
    assert.equal(1, transitions[1].rows)
  end)

  it("are as wide and as long as the options say", function()
    local values <const> = { 1, 1.2, 1, 1.2, 5, 5 }
    assert.same({ 5 }, levels(values))
    assert.same({ 1.1, 5 }, levels(values, { within = 0.2 }))
    assert.same({ 1.1 }, levels(values, { within = 0.2, least = 3 }))
    assert.same({}, levels({ 1, 1.001 }, { within = 0 }))
    assert.same({ 1 }, levels({ 1, 1 }, { within = 0 }))
  end)

  it("of one row are none", function()
    assert.same({}, levels { 7 })
  end)

  it("have no factor that is no number", function()
    local _, transitions <const> = fr.plateaus(rows_of { 1e-300, 1e-300, 1e300, 1e300 })
    assert.same({ { from = 2048, to = 4096, rows = 0,
      factor_why = "the ratio is not a finite number" } }, transitions)
  end)
end)

describe("rows of plateaus", function()
  local function refuses(message, ...)
    local list <const>, options <const> = ...
    assert.error_matches(function() fr.plateaus(list, options) end, message, 1, true)
  end

  it("are refused by name and value", function()
    refuses("rows of fr.plateaus must be given a table, not nil", nil)
    refuses("fr.plateaus needs at least one row", {})
    refuses("row 1 of fr.plateaus must be a table, not 3", { 3 })
    refuses("at in row 1 of fr.plateaus must be a finite number, not nil", { { value = 1 } })
    refuses("value in row 1 of fr.plateaus must be above 0, not 0", { { at = 1, value = 0 } })
    refuses("value in row 1 of fr.plateaus must be above 0, not -2", { { at = 1, value = -2 } })
    refuses("value in row 1 of fr.plateaus must be a finite number, not nan",
      { { at = 1, value = 0 / 0 } })
    refuses("at in row 2 of fr.plateaus must be above 8, that of the row before, not 8",
      { { at = 8, value = 1 }, { at = 8, value = 1 } })
    refuses("at in row 2 of fr.plateaus must be above 8, that of the row before, not 4",
      { { at = 8, value = 1 }, { at = 4, value = 1 } })
  end)

  it("have options that are checked", function()
    local rows <const> = rows_of { 1, 1 }
    refuses("unknown key 'witin' in the options of fr.plateaus: did you mean 'within'?", rows,
      { witin = 1 })
    refuses("within of fr.plateaus must be a finite number of at least 0, not -1", rows,
      { within = -1 })
    refuses("least of fr.plateaus must be a whole number of at least 2, not 1", rows, { least = 1 })
  end)
end)
