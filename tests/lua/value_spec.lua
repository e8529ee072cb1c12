local core <const> = require "frlua.core"
local value <const> = require "frlua.value"

local function travelled(item)
  return value.unpack(assert(value.pack(item)))
end

local function refusal(item)
  local text <const>, why <const> = value.pack(item)
  assert.is_nil(text)
  return why
end

describe("a value that is handed over", function()
  it("arrives as the same number, of the same kind", function()
    for _, number in ipairs { 0, -1, 1 << 53, math.maxinteger, math.mininteger } do
      assert.equal("integer", math.type(travelled(number)))
      assert.equal(number, travelled(number))
    end
    for _, number in ipairs { 1.0, 0.1, -1e308, 5e-324, math.huge, -math.huge } do
      assert.equal("float", math.type(travelled(number)))
      assert.equal(number, travelled(number))
    end
  end)

  it("keeps a NaN and the sign of zero", function()
    local nan <const> = travelled(0 / 0)
    assert.is_true(nan ~= nan)
    assert.equal(-math.huge, 1 / travelled(-0.0))
  end)

  it("keeps nil, false and true apart", function()
    assert.is_nil(travelled(nil))
    assert.is_false(travelled(false))
    assert.is_true(travelled(true))
  end)

  it("keeps every byte of a text", function()
    local bytes <const> = {}
    for byte = 0, 255 do bytes[#bytes + 1] = string.char(byte) end
    local text <const> = table.concat(bytes) .. "}{0[\0"
    assert.equal(text, travelled(text))
    assert.equal("", travelled "")
  end)

  it("keeps tables in tables, with keys of every kind", function()
    local item <const> = {
      1, "two", { 3, {} }, [10] = false, [0.5] = "half", [true] = "yes", name = { deep = { 1.5 } },
    }
    assert.same(item, travelled(item))
  end)

  it("keeps a series a series", function()
    local arrived <const> = travelled({ ns = core.series { 5, math.mininteger, 7 } }).ns
    assert.equal("[5,-9223372036854775808,7]", arrived:json())
    assert.equal("[]", travelled(core.series {}):json())
  end)

  it("may hold a table twice, which arrives as two", function()
    local shared <const> = { 1 }
    local arrived <const> = travelled { shared, shared }
    assert.same({ { 1 }, { 1 } }, arrived)
    assert.not_equal(arrived[1], arrived[2])
  end)

  it("leaves metatables behind, and calls none of their functions", function()
    local function never() error "called" end
    local guarded <const> = setmetatable({ 1 }, { __index = never, __len = never, __pairs = never })
    local arrived <const> = travelled(guarded)
    assert.same({ 1 }, arrived)
    assert.is_nil(getmetatable(arrived))
  end)
end)

describe("what can't be handed over", function()
  it("is named by the keys that lead to it", function()
    assert.matches("^value is a function: only nil, booleans", refusal(print))
    assert.matches("^value%.list%[3%]%.call is a function: ",
      refusal { list = { 1, 2, { call = print } } })
    assert.matches("^value%['two words'%]%[true%] is a thread: ",
      refusal { ["two words"] = { [true] = coroutine.create(print) } })
    assert.matches("^value%.file is a userdata: ", refusal { file = io.stdout })
  end)

  it("is a table that contains itself, however far down", function()
    local item <const> = { a = { b = {} } }
    item.a.b.back = item.a
    assert.matches("^value%.a%.b%.back is a table that contains itself: ", refusal(item))
  end)

  it("may be a key", function()
    assert.matches("^value%[a function%] is a function: ", refusal { [print] = 1 })
  end)
end)
