local json <const> = require "frlua.json"
local tree <const> = dofile "tests/lua/data/tree.lua"

local function refuses(message, value)
  local ok <const>, told <const> = pcall(json.encode, value)
  assert.is_false(ok)
  assert.matches(message, told, 1, true)
end

-- What Python's json module makes of a JSON text when it reads it and writes it again.
local function rewritten_by_python(text)
  local root <close> = tree.new { json = text }
  local python <close> = io.popen(([[python3 -c '
import json, sys
value = json.load(open("%s/json", encoding="utf-8"))
text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
sys.stdout.buffer.write(text.encode())
']]):format(root.path))
  return python:read "a"
end

-- What Python reads in bytes that need not be UTF-8.
local function decoded_by_python(bytes)
  local python <close> = io.popen(([[python3 -c '
import sys
text = bytes.fromhex("%s").decode("utf-8", errors="replace")
sys.stdout.buffer.write(text.encode())
']]):format(bytes:gsub(".", function(byte) return ("%02x"):format(byte:byte()) end)))
  return python:read "a"
end

describe("JSON as it is written", function()
  it("has one text for a value: no white space, keys sorted bytewise", function()
    assert.equal('{"B":[1,true,"x"],"a":{"n":5},"a1":null,"á":1}',
      json.encode { ["á"] = 1, a1 = json.null, a = { n = 5 }, B = { 1, true, "x" } })
  end)

  it("has the named keys of the value itself first, where they exist", function()
    assert.equal('{"z":{"a":1,"z":2},"m":1,"a":3}',
      json.encode({ a = 3, m = 1, z = { z = 2, a = 1 } }, { "schema", "z", "m" }))
  end)

  it("tells arrays from objects, also empty ones", function()
    assert.equal('{"list":[],"object":{},"rows":[[],[1]]}',
      json.encode { list = json.array {}, object = {}, rows = { json.array {}, { 1 } } })
  end)

  it("keeps every digit of whole numbers", function()
    assert.equal("[1764500000123456789,9007199254740993,9223372036854775807,-9223372036854775808]",
      json.encode { 1764500000123456789, 9007199254740993, math.maxinteger, math.mininteger })
  end)

  it("writes floats that look like floats and read back as the same double", function()
    assert.equal("[128.0,-0.0,0.1,69.01,9007199254740992.0,1e+16,1.2345678901234568e+16,5e-324]",
      json.encode { 128.0, -0.0, 0.1, 69.01, 2.0 ^ 53, 1e16, 12345678901234568.0, 5e-324 })
  end)

  it("is what Python's json writes, whatever the doubles", function()
    math.randomseed(7)
    local list <const> = { 1e15, 12345678901234568.0, 0x1p-1022 - 5e-324 }
    for exponent = -1074, 1023 do list[#list + 1] = 2.0 ^ exponent end
    while #list < 8000 do
      local double <const> = ("n"):unpack(("j"):pack(math.random(0)))
      if double - double == 0 then list[#list + 1] = double end
      list[#list + 1] = math.random(1000000) / 1000
    end
    local text <const> = json.encode { list = list, ["\u{2028}\127\""] = "\0\u{1F9EA}/é\\" }
    assert.is_true(text == rewritten_by_python(text))
  end)

  it("escapes control bytes, quotes and backslashes and nothing else; NUL cuts nothing", function()
    assert.equal([["a\u0000b\u0001\u001b[31m\r\n\t\b\f\"\\/]] .. "\127\u{2028}é\u{1F9EA}\"",
      json.encode "a\0b\1\27[31m\r\n\t\b\f\"\\/\127\u{2028}é\u{1F9EA}")
  end)

  it("puts U+FFFD for what is not UTF-8", function()
    assert.equal('"tail \u{FFFD}"', json.encode "tail \xff")
    assert.equal('"cut \u{FFFD} on"', json.encode "cut \xe2\x82 on")
    assert.equal('"overlong \u{FFFD}\u{FFFD}"', json.encode "overlong \xc0\xaf")
    assert.equal('"surrogate \u{FFFD}\u{FFFD}\u{FFFD}"', json.encode "surrogate \xed\xa0\x80")
    assert.equal('{"k\u{FFFD}":1}', json.encode { ["k\xff"] = 1 })
  end)

  it("replaces just what Python replaces, whatever the bytes", function()
    math.randomseed(11)
    local lead <const> = { "\xE0", "\xE2", "\xED", "\xEF", "\xF0", "\xF1", "\xF4", "\xF5", "\xC1",
      "\xC3", "\x80", "\x8F", "\x90", "\x9F", "\xA0", "\xBF", "a", "é" }
    local parts <const> = {}
    for index = 1, 6000 do parts[index] = lead[math.random(#lead)] end
    local bytes <const> = table.concat(parts)
    assert.is_true(json.encode(bytes) == '"' .. decoded_by_python(bytes) .. '"')
  end)

  it("writes a series of the core as an array", function()
    local series <const> = require "frlua.core".series { 3, 1764500000123456789 }
    assert.equal('{"ns":[3,1764500000123456789]}', json.encode { ns = series })
  end)

  it("is the same in a locale with a decimal comma and another order of letters", function()
    local value <const> = { a = 1.5, B = 1 / 3, ["á"] = -2.5e-300, c = { 0.25, 1000000 } }
    local expected <const> = '{"B":0.3333333333333333,"a":1.5,"c":[0.25,1000000],"á":-2.5e-300}'
    local locale <close> = tree.comma_locale()
    if not locale then return pending "no locale with a decimal comma can be made here" end
    assert.equal("1,5", tostring(1.5)) -- the locale is what the test supposes
    assert.equal(expected, json.encode(value))
    assert.equal(0.25, json.decode(expected).c[1])
  end)

  it("leaves the caller's tables as they were", function()
    local inner <const> = { 1, 2 }
    local value <const> = { b = inner, a = {} }
    json.encode(value, { "b" })
    assert.is_nil(getmetatable(value))
    assert.is_nil(getmetatable(inner))
    assert.same({ b = { 1, 2 }, a = {} }, value)
  end)

  it("copes with a hundred thousand elements, nested", function()
    local rows <const> = {}
    for index = 1, 100000 do rows[index] = { index, { depth = index % 7 } } end
    local text <const> = json.encode { rows = rows }
    assert.matches('^{"rows":%[%[1,{"depth":1}%],%[2,', text)
    assert.matches(',%[100000,{"depth":5}%]%]}$', text)
    local deep = {}
    for _ = 1, 10000 do deep = { deep } end
    assert.equal(("["):rep(10000) .. "{}" .. ("]"):rep(10000), json.encode(deep))
  end)
end)

describe("JSON refuses, naming the place,", function()
  it("numbers that it does not have", function()
    refuses("samples[2].phases[1].ns is nan",
      { samples = { {}, { phases = { { ns = 0 / 0 } } } } })
    refuses("x is inf", { x = 1 / 0 })
    refuses("x['a b'] is -inf", { x = { ["a b"] = -1 / 0 } })
    refuses("the value is nan", 0 / 0)
  end)

  it("tables that are neither an array nor an object", function()
    refuses("holes has an entry 3, but not all before it", { holes = { [1] = 1, [3] = 3 } })
    refuses("mixed is an array, but has the key 'x'", { mixed = { 1, 2, x = 3 } })
    refuses("list is an array, but has the key 'x'", { list = json.array { x = 3 } })
    refuses("t has the key true", { t = { [true] = 1 } })
    refuses("t has the key 1.5", { t = { [1.5] = 1 } })
    refuses("t has the key 0", { t = { [0] = 1 } })
  end)

  it("two keys that would be written alike", function()
    refuses("twice", { ["k\xff"] = 1, ["k\xfe"] = 2 })
    refuses("twice", { ["k\xff"] = 1, ["k\u{FFFD}"] = 2 })
  end)

  it("what is no data, and a table inside itself", function()
    refuses("run is a function", { run = print })
    refuses("list[2] is a userdata", { list = { 1, io.stdout } })
    refuses("the value is nil: JSON's null is json.null", nil)
    local loop <const> = { inner = {} }
    loop.inner.outer = loop
    refuses("inner.outer contains itself", loop)
  end)

  it("at the script's line", function()
    local script <const> = assert(load("local json = ...\njson.encode { x = 0/0 }", "@user.lua"))
    local _, message <const> = pcall(script, json)
    assert.matches("^user%.lua:2: ", message)
  end)

  it("but not a table that is in two places", function()
    local shared <const> = { 1 }
    assert.equal('{"a":[1],"b":[1]}', json.encode { a = shared, b = shared })
  end)
end)

describe("JSON that is read", function()
  it("keeps whole numbers whole and floats floats", function()
    local value <const> = json.decode '{"a":[1764500000123456789,128,128.0],"b":null}'
    assert.equal(1764500000123456789, value.a[1])
    assert.equal("integer", math.type(value.a[2]))
    assert.equal("float", math.type(value.a[3]))
    assert.equal(json.null, value.b)
  end)

  it("is written again byte for byte", function()
    local text <const> = '{"empty":[],"f":128.0,"none":null,"o":{},"s":"\\u0000é"}'
    assert.equal(text, json.encode(json.decode(text)))
    assert.equal(json.null, json.decode "null")
    assert.is_false(json.decode "false")
  end)

  it("has a message when it is no JSON", function()
    for _, text in ipairs { "", "[1,2", "{'a':1}", "nan", "[1] x", "1,5", ("["):rep(1000000) } do
      local value <const>, message <const> = json.decode(text)
      assert.is_nil(value)
      assert.matches("^no JSON: ", message)
    end
  end)
end)
