-- Long arrays of integers that are taken out of JSON before it is read.
local core <const> = require "frlua.core"
local files <const> = require "frlua.files"
local json <const> = require "frlua.json"
local read_result <const> = require "frlua.read_result"
local sessions <const> = require "sessions"

setup(sessions.open)
teardown(sessions.close)

-- The text of an array: 0, 1, 2 … and then what is given instead of the last entries.
local function array(count, ...)
  local entries <const>, last <const> = {}, { ... }
  for index = 1, count - #last do entries[index] = ("%d"):format(index - 1) end
  table.move(last, 1, #last, #entries + 1, entries)
  return "[" .. table.concat(entries, ",") .. "]"
end

local function lifted(text)
  local short <const>, list <const> = core.lift(text)
  return short, list
end

describe("a long array of integers", function()
  it("becomes a series, wherever it stands and however it is spaced", function()
    local short <const>, list <const> = lifted('{"a":' .. array(40) .. ',"b":[[ '
      .. array(33):gsub(",", " ,\n\t"):sub(2, -2) .. " ]]}")
    assert.equal('{"a":{"frlua:series":1},"b":[{"frlua:series":2}]}', short)
    assert.same({ 40, 33, 0, 39 }, { #list[1], #list[2], list[1][1], list[1][40] })
    assert.same({ 0, 32 }, { list[2][1], list[2][33] })
  end)

  it("has all integers of 64 bits, to the last", function()
    local _, list <const> = lifted(array(40, "-9223372036854775808", "9223372036854775807", "-1"))
    assert.same({ math.mininteger, math.maxinteger, -1 }, { list[1][38], list[1][39], list[1][40] })
  end)
end)

describe("what is no long array of integers", function()
  it("stays as it is", function()
    for _, text in ipairs {
      array(31), array(40, "1.5"), array(40, "1e3"), array(40, "9223372036854775808"),
      array(40, "-9223372036854775809"), array(40, "007"), array(40, "-"), array(40, ""),
      array(40, '"1"'), array(40, "[1]"), array(40, "1 2"), array(40, "+1"), array(40, "null"),
      array(40):sub(1, -2), array(40):sub(1, -2) .. "}", "", "[", '"', '"\\', "[]", "[,]",
    } do
      local short <const>, list <const> = lifted(text)
      assert.equal(text, short)
      assert.equal(0, #list)
    end
  end)

  it("may be a string, with anything in it", function()
    local text <const> = ('["%s","\\"%s\\\\","a\\\\\\"%s"]'):format(array(40), array(40), array(40))
    assert.equal(text, (lifted(text)))
  end)
end)

describe("a file", function()
  local path

  local function raw(text)
    path = sessions.directory .. "/text.json"
    assert(files.write(path, '{"schema":"frlua/1",' .. text .. "}"))
    return assert(read_result.raw(path))[1]
  end

  it("has readings as series, other long arrays as lists", function()
    local document <const> = raw('"ns":' .. array(40) .. ',"other":' .. array(40))
    assert.is_true(json.is_series(document.ns))
    assert.equal(40, #document.ns)
    assert.is_true(json.is_array(document.other))
    assert.same({ 40, 39 }, { #document.other, document.other[40] })
  end)

  it("can't have an array twice by naming a place of it", function()
    local document <const> = raw('"ns":' .. array(40) .. ',"x":{"ns":{"frlua:series":1}}'
      .. ',"y":{"frlua:series":2}')
    assert.not_equal(json.is_series(document.ns), json.is_series(document.x.ns))
    assert.same({ ["frlua:series"] = 2 }, document.y)
  end)

  it("is told where it is no JSON by its own text, not by what is left of it", function()
    assert(files.write(path, '{"ns":' .. array(400) .. ",oops}"))
    local _, message <const> = read_result.raw(path)
    assert.matches("column 1%d%d%d", message)
  end)
end)
