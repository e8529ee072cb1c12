-- Where a step begins, as a range.
local onset_range <const> = require "frlua.onset_range"

local function of(...)
  local rows <const> = {}
  for index, standing in ipairs { ... } do
    rows[index] = { at = 10 * index, standing = standing }
  end
  return onset_range.of(rows)
end

describe("the range of an onset", function()
  it("reaches from the last flat row to the next one", function()
    assert.same({ below = 20, above = 30 }, of("flat", "flat", "up", "between", "up"))
    assert.same({ below = 10, above = 20 }, of("flat", "between", "up"))
  end)

  it("is widened by rows that are undecided", function()
    assert.same({ below = 10, above = 30 }, of("flat", "undecided", "up"))
    assert.same({ below = 10, above = 50 }, of("flat", "undecided", "flat", "undecided", "up"))
    assert.same({ below = 10, above = 40 }, of("flat", "up", "undecided", "up"))
  end)

  it("is not there without rows on both sides of it", function()
    assert.is_nil(of("flat", "flat"))
    assert.is_nil(of("up", "up"))
    assert.is_nil(of("flat", "up", "flat"))
    assert.is_nil(of("undecided", "up"))
    assert.is_nil(of("flat", "undecided"))
    assert.is_nil(of("flat", "down"))
  end)
end)
