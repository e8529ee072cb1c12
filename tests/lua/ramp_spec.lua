local core <const> = require "frlua.core"
local ramp <const> = require "frlua.ramp"

-- A series of `count` slices: the given ones, then the last one again and again.
local function slices(count, first)
  local list <const> = {}
  for slice = 1, count do list[slice] = first[math.min(slice, #first)] end
  return list
end

local function of(count, first, steps)
  return ramp.of(core.series(slices(count, first)), steps)
end

describe("the ramp of a process", function()
  it("is the rate of its first slice, and the median one of its second half", function()
    local list <const> = slices(100, { 2000, 1500 })
    for slice = 51, 100 do list[slice] = 500 end
    local found <const> = assert(ramp.of(core.series(list), 1000))
    assert.same({ first = 0.5, settled = 2, is_settled = true }, found)
  end)

  it("is not settled while the last two quarters differ", function()
    local list <const> = slices(100, { 1000 })
    for slice = 51, 75 do list[slice] = 1021 end
    assert.is_false(ramp.of(core.series(list), 1000).is_settled)
    for slice = 51, 75 do list[slice] = 1019 end
    assert.is_true(ramp.of(core.series(list), 1000).is_settled)
  end)

  it("is unknown, and no rate infinite, where the clock did not move", function()
    for _, list in ipairs { { 0, 1000 }, { 1000, 0 } } do
      local none <const>, why <const> = of(100, list, 1000)
      assert.is_nil(none)
      assert.equal("the clock did not resolve the slices", why)
    end
    local none <const>, why <const> = of(3, { 5 }, 1000)
    assert.is_nil(none)
    assert.equal("3 slices have no quarters", why)
  end)
end)

describe("the curve of several processes", function()
  it("has the median of each slice, which one that was interrupted does not bend", function()
    local list <const> = {
      core.series { 40, 20, 10 }, core.series { 42, 9000, 10 }, core.series { 44, 22, 11 },
    }
    assert.same({ 42, 22, 10 }, ramp.medians(list))
    assert.same({}, ramp.medians {})
  end)

  it("has reached the settled rate where 95 % of it begin", function()
    assert.equal(0, ramp.reached_ns(slices(20, { 1000 })))
    -- 1000 / 1052 is above 0.95, 1000 / 1053 below
    assert.equal(0, ramp.reached_ns(slices(20, { 1052, 1000 })))
    assert.equal(1053, ramp.reached_ns(slices(20, { 1053, 1000 })))
    assert.equal(3000 + 2000, ramp.reached_ns(slices(20, { 3000, 2000, 1000 })))
    local list <const> = slices(20, { 1100 })
    for slice = 11, 20 do list[slice] = 1000 end -- the settled rate is that of the second half
    assert.equal(10 * 1100, ramp.reached_ns(list))
    local none <const>, why <const> = ramp.reached_ns(slices(20, { 1000, 0 }))
    assert.is_nil(none)
    assert.equal("the clock did not resolve the slices", why)
  end)

  it("has the rate of the slice that goes on at a time", function()
    local list <const> = { 100, 50, 0, 25 } -- until 100, 150, 150 and 175 ns
    assert.same({ 1, 1, 2, 2, 4 }, ramp.at(list, 100, { 0, 99, 100, 149, 150 }))
    assert.same({ [1] = 4 }, ramp.at(list, 100, { 174, 175, 1000 }))
  end)
end)
