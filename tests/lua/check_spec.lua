local check <const> = require "frlua.check"

local function message_of(...)
  local ok <const>, message <const> = pcall(...)
  assert.is_false(ok)
  return message
end

-- What a script named user.lua is told, when it runs `text`.
local function told(text, ...)
  return message_of(assert(load(text, "@user.lua")), ...)
end

local function refuses(pattern, ...)
  assert.matches(pattern, message_of(...), 1, true)
end

describe("a refusal", function()
  it("carries the script's line, however deep in the library it is raised", function()
    local modes <const> = require "frlua.modes"
    assert.matches("^user%.lua:2: x must be a whole number",
      told("local check = ...\ncheck.whole(3.5, 'x')", check))
    assert.matches("^user%.lua:3: unknown step",
      told("local modes = ...\n\nlocal m = modes.resolve({ 'spim' }, {})", modes))
  end)

  it("looks past C functions that lie between", function()
    assert.matches("^user%.lua:2: oops",
      told("local check = ...\nlocal ok, e = pcall(check.fail, 'oops')\nerror(e, 0)", check))
  end)

  it("has the noted line when a tail call took the script off the stack", function()
    local library <const> = debug.getinfo(check.fail, "S").source:gsub("[^/]*$", "")
    local kind <const> = assert(load([[
      local check <const> = require "frlua.check"
      local name <const> = ...
      local place <const> = check.place()
      return function(fields) return check.from(place, check.keys, fields, { "doc" }, name) end
    ]], library .. "kind.lua"))
    local script <const> = "local kind = ...\n\nreturn kind 'experiment' { dok = 1 }"
    assert.matches("^user%.lua:3: unknown key 'dok'", told(script, kind))
    assert.equal("fine", kind "experiment" { doc = "fine" }.doc)
  end)

  it("shows every value so that it fits into a line", function()
    assert.equal("3.5", check.show(3.5))
    assert.equal("4096.0", check.show(4096.0))
    assert.equal("nan", check.show(0 / 0))
    assert.equal("nan", check.show(-(0 / 0)))
    assert.equal("-inf", check.show(-math.huge))
    assert.equal("nil", check.show(nil))
    assert.equal("true", check.show(true))
    assert.equal("a table", check.show {})
    assert.equal("'two\\10lines'", check.show "two\nlines")
    assert.equal("'" .. ("x"):rep(37) .. "...'", check.show(("x"):rep(1000)))
    assert.truthy(utf8.len(check.show(("µ"):rep(100))))
  end)
end)

describe("a whole number", function()
  it("is taken in every form that Lua itself converts", function()
    local accepted <const> = {
      { 4096.0, 4096 }, { 64 * 1024 * 1024 / 4096, 16384 }, { 2 ^ 21, 2097152 }, { 1e6, 1000000 },
      { "4096", 4096 }, { math.maxinteger, math.maxinteger },
    }
    for _, case in ipairs(accepted) do
      local whole <const> = check.whole(case[1], "count", 1)
      assert.equal(case[2], whole)
      assert.equal("integer", math.type(whole))
    end
  end)

  it("is refused by name and value when it is none, or out of range", function()
    local refused <const> = {
      { 3.5, "3.5" }, { -1, "-1" }, { 0, "0" }, { 2 ^ 63, "9.2233720368548e+18" }, { 0 / 0, "nan" },
      { math.huge, "inf" }, { 1 << 63, "-9223372036854775808" }, { "3.5", "'3.5'" }, { "x", "'x'" },
      { true, "true" }, { {}, "a table" }, { nil, "nil" },
    }
    for _, case in pairs(refused) do
      local message <const> = message_of(check.whole, case[1], "rounds", 1)
      local ending <const> = ", not " .. case[2]
      assert.matches("rounds must be a whole number ", message, 1, true)
      assert.equal(ending, message:sub(-#ending))
    end
  end)

  it("is told the range that it left", function()
    refuses("cpu must be a whole number from 0 to 7, not 8", check.whole, 8, "cpu", 0, 7)
    refuses("rounds must be a whole number of at least 1, not 0", check.whole, 0, "rounds", 1)
    refuses("n must be a whole number of at most 9, not 10", check.whole, 10, "n", nil, 9)
    refuses("from 1 to 9223372036854775807, not 1e+19", check.whole, 1e19, "n", 1)
  end)
end)

describe("a finite number", function()
  it("may have a fraction, and is refused when it is not finite or out of range", function()
    assert.equal(0.5, check.number(0.5, "factor", 0, 1))
    assert.equal(0.5, check.number("0.5", "factor"))
    refuses("factor must be a finite number, not nan", check.number, 0 / 0, "factor")
    refuses("factor must be a finite number, not inf", check.number, math.huge, "factor")
    refuses("factor must be a finite number from 0 to 1, not 2", check.number, 2, "factor", 0, 1)
    refuses("factor must be a finite number of at least 0, not -1", check.number, -1, "factor", 0)
    refuses("factor must be a finite number, not a table", check.number, {}, "factor")
  end)
end)

describe("a size", function()
  it("is a whole number of bytes, or digits with a binary suffix", function()
    local accepted <const> = {
      [4096.0] = 4096, ["4096"] = 4096, ["64 MiB"] = 67108864, ["64MiB"] = 67108864,
      ["512 KiB"] = 524288, ["7 B"] = 7, ["1 GiB"] = 1073741824, ["3TiB"] = 3298534883328,
      ["8388607 TiB"] = 9223370937343148032,
    }
    for given, bytes in pairs(accepted) do assert.equal(bytes, check.bytes(given, "bytes")) end
  end)

  it("with another suffix is refused, with the one meant", function()
    local meant <const> = {
      ["64M"] = "64 MiB", ["64MB"] = "64 MiB", ["64m"] = "64 MiB", ["64 kB"] = "64 KiB",
      ["64  MiB"] = "64 MiB", [" 64 MiB "] = "64 MiB", ["64 mib"] = "64 MiB", ["3g"] = "3 GiB",
      ["512 bytes"] = "512 B",
    }
    for given, suggestion in pairs(meant) do
      local message <const> = message_of(check.bytes, given, "bytes")
      assert.matches("(B, KiB, MiB, GiB, TiB), not '" .. given .. "'", message, 1, true)
      assert.matches(": did you mean '" .. suggestion .. "'?", message, 1, true)
    end
  end)

  it("is refused without a suggestion when nothing can be meant", function()
    local refused <const> = {
      0, -1, 3.5, 2 ^ 63, 0 / 0, math.huge, 1 << 63, "", "0", "0 MiB", "-1", "1.5 GiB", "64 X",
      "MiB", "0x40", "4096 ", "8388608 TiB", "16777217 TiB", "9223372036854775808", true, {},
    }
    for _, given in ipairs(refused) do
      local message <const> = message_of(check.bytes, given, "bytes")
      local ending <const> = ", not " .. check.show(given)
      assert.matches("bytes must be a whole number of bytes, at least 1", message, 1, true)
      assert.equal(ending, message:sub(-#ending))
    end
    refuses("not nil", check.bytes, nil, "bytes")
  end)
end)

describe("a name", function()
  local steps <const> = { "prefault", "evict", "sleep", "spin", "touch" }

  it("with a typo names the nearest known one", function()
    assert.equal("prefault", check.nearest("prefualt", steps))
    assert.equal("prefault", check.nearest("PREFAULT", steps))
    assert.equal("THP", check.nearest("thp", { "THP" }))
    assert.equal("sleep", check.nearest("slep", { "sleep", "step" }))
    assert.equal("spin", check.nearest("spni", steps))
    assert.equal("touch", check.nearest("touhc", steps))
    assert.equal("cpu", check.nearest("cup", { "cpu", "doc" }))
  end)

  it("that is far from all names none", function()
    assert.is_nil(check.nearest("collapse", steps))
    assert.is_nil(check.nearest("", steps))
    assert.is_nil(check.nearest("a", { "b", "c" }))
    assert.is_nil(check.nearest("line", { "page" }))
    assert.is_nil(check.nearest("skip", { "spin" }))
    assert.is_nil(check.nearest("cup", { "abc", "doc" }))
  end)

  it("swapped in two neighbouring letters is one edit away, not two", function()
    assert.equal("ab", check.nearest("ba", { "ab" }))
  end)

  it("is taken from a list or refused with the nearest or all of it", function()
    assert.equal("spin", check.one_of("spin", steps, "step"))
    refuses("unknown step 'spim': did you mean 'spin'?", check.one_of, "spim", steps, "step")
    refuses("unknown step 'x' in mode 'x,spin': known are 'prefault', 'evict', 'sleep', 'spin'",
      check.one_of, "x", steps, "step", "mode 'x,spin'")
    refuses("unknown step 3: known are", check.one_of, 3, steps, "step")
    refuses("unknown step 'spin': none is known", check.one_of, "spin", {}, "step")
  end)

  it("must be a text that is not empty", function()
    assert.equal("first_run", check.text("first_run", "name"))
    refuses("name must be a text that is not empty, not ''", check.text, "", "name")
    refuses("name must be a text that is not empty, not 7", check.text, 7, "name")
  end)
end)

describe("a table of fields", function()
  local keys <const> = { "doc", "iterations", "rounds" }

  it("is taken when every key is known", function()
    local fields <const> = { doc = "x", rounds = 3 }
    assert.equal(fields, check.keys(fields, keys, "fr.experiment"))
  end)

  it("is refused for an unknown key, with the nearest or all known ones", function()
    refuses("unknown key 'itertions' in fr.experiment: did you mean 'iterations'?",
      check.keys, { itertions = 3 }, keys, "fr.experiment")
    refuses("unknown key 'colour' in fr.experiment: known are 'doc', 'iterations', 'rounds'",
      check.keys, { colour = 3 }, keys, "fr.experiment")
    refuses("unknown key 1 in fr.experiment", check.keys, { "x" }, keys, "fr.experiment")
    refuses("fr.experiment must be given a table, not 'x'", check.keys, "x", keys, "fr.experiment")
  end)

  it("takes entries without keys only where they are expected, and without holes", function()
    local known <const> = { "every", entries = true }
    assert.same({ "output", every = "word" },
      check.keys({ "output", every = "word" }, known, "fr.write"))
    refuses("entry 2 of fr.step is nil", check.keys, { "a", nil, "c" }, known, "fr.step")
    refuses("unknown key 1.5 in fr.step", check.keys, { [1.5] = "a" }, known, "fr.step")
    refuses("unknown key 'evry' in fr.step: did you mean 'every'?",
      check.keys, { "a", evry = 1 }, known, "fr.step")
  end)
end)
