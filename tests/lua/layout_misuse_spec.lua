local fr <const> = require "frlua"
local told <const> = require "sessions".told

local sizes <const> = fr.geometry { line = 64, sets = 64 }
local page <const>, line <const> = sizes.page_bytes, sizes.line_bytes

-- A script with layouts of these fields, on line 3 and those that follow, and claims.
local function script(layouts, claims)
  local arms <const> = {}
  for index, fields in ipairs(layouts) do
    arms[index] = ("fr.arm 'arm%d' { layout = fr.layout %s }"):format(index, fields)
  end
  return ([[
local page, line, sizes = fr.machine.page_bytes, a.line_bytes, a
local arms = {%s}
return fr.experiment 'x' { arms = arms, timed = fr.chase {}, rounds = 20,
  metrics = { fr.metric 'walk' { at = 1 } }, claims = {%s} }
]]):format(table.concat(arms, ",\n"), claims or "")
end

-- The message for one layout, whose line is checked.
local function refusal(fields, claims)
  local message <const> = told(script({ fields }, claims), sizes)
  return (assert(message:match "^user%.lua:3: (.*)$", message))
end

local function refuses(expected, fields)
  assert.equal(expected, refusal(fields))
end

describe("a layout with a field that is no number", function()
  local NUMBERS <const> = {
    ["nil"] = "nil", ["'many'"] = "'many'", ["64.5"] = "64.5", ["0/0"] = "nan", ["1/0"] = "inf",
    ["-1"] = "-1", ["2^63"] = "9.2233720368548e+18", ["1 << 63"] = "-9223372036854775808",
    ["{}"] = "a table",
  }

  it("is refused by name, value and line", function()
    for value, shown in pairs(NUMBERS) do
      local count <const>, size <const> =
        refusal(("{ lines = %s, gap = line, geometry = sizes }"):format(value)),
        refusal(("{ lines = 8, gap = %s, geometry = sizes }"):format(value))
      assert.equal("lines in the layout of 'arm1' must be a whole number from 1 to 2147483648, not "
        .. shown, count)
      assert.matches("^gap in the layout of 'arm1' must be a whole number .*1.*, not ", size)
      assert.equal(shown, size:match ", not (.*)$")
      for _, key in ipairs(value ~= "nil" and { "off", "wrap", "seed" } or {}) do
        local message <const> = refusal(("{ lines = 8, gap = line, %s = %s, geometry = sizes }")
          :format(key, value))
        assert.equal(("%s in the layout of 'arm1' must be a whole number"):format(key),
          message:match "^.* whole number")
        assert.equal(shown, message:match ", not (.*)$")
      end
    end
  end)

  it("is refused with 0 lines, gaps of 0 and offsets that wrap after 0", function()
    refuses("lines in the layout of 'arm1' must be a whole number from 1 to 2147483648, not 0",
      "{ lines = 0, gap = line }")
    refuses("gap in the layout of 'arm1' must be a whole number of at least 1, not 0",
      "{ lines = 8, gap = 0 }")
    refuses("wrap in the layout of 'arm1' must be a whole number of at least 1, not 0",
      "{ lines = 8, gap = line, wrap = 0 }")
  end)
end)

describe("a layout whose addresses are wrong", function()
  it("because two lines are one is refused, with both, their addresses and the count", function()
    refuses(("the layout of 'arm1' was asked for 8 lines and touches 4: lines 0 and 1, at bytes 0"
      .. " and %d, are one cache line of %d bytes"):format(line // 2, line),
      "{ lines = 8, gap = line // 2, geometry = sizes }")
    refuses(("the layout of 'arm1' was asked for 8 lines and touches 7: lines 2 and 5, at bytes %d"
      .. " and %d, are one cache line of %d bytes"):format(2 * line, 2 * line + 8, line),
      "{ lines = 8, geometry = sizes,"
        .. " addr = function(i) return i == 5 and 2 * line + 8 or i * line end }")
  end)

  it("because one leaves the region is refused, with it and the region's size", function()
    refuses(("line 7 of the layout of 'arm1' lies at byte %d, outside of the region of %d bytes")
      :format(7 * page, 7 * page), "{ lines = 8, gap = page, bytes = 7 * page, geometry = sizes }")
    refuses(("line 1 of the layout of 'arm1' lies at byte %d, outside of the region of %d bytes")
      :format(page, page + 7), "{ lines = 2, gap = page, bytes = page + 7, geometry = sizes }")
    refuses(("line 3 of the layout of 'arm1' lies at byte -8, outside of the region of %d bytes")
      :format(3 * line), "{ lines = 4, geometry = sizes,"
        .. " addr = function(i) return i == 3 and -8 or i * line end }")
  end)

  it("because one holds no pointer is refused, with it", function()
    refuses(("line 1 of the layout of 'arm1' lies at byte %d, at no multiple of 8 bytes, the size"
      .. " of a pointer"):format(line + 4), "{ lines = 8, gap = line + 4, geometry = sizes }")
  end)

  it("because they touch other pages than the caption says is refused, with both", function()
    local said <const> = " pages and touches %d, of " .. fr.units.bytes(page)
      .. ": its lines are not where its caption says"
    refuses(("the layout of 'arm1' was asked for 32" .. said):format(16),
      "{ lines = 32, gap = page // 2, off = line, pages = 32, geometry = sizes }")
    refuses(("the layout of 'arm1' was asked for 8" .. said):format(1),
      "{ lines = 8, gap = line, pages = 'lines', geometry = sizes }")
    refuses(("the layout of 'arm1' was asked for 4" .. said):format(8),
      "{ lines = 8, gap = page, pages = 4, geometry = sizes }")
  end)

  it("because a function gives no offsets is refused, with what it gave", function()
    for value, shown in pairs {
      ["nil"] = "nil", ["'far'"] = "'far'", ["64.5"] = "64.5", ["0/0"] = "nan", ["{}"] = "a table",
    } do
      refuses(("addr(2) in the layout of 'arm1' returned %s: expected a whole number of bytes from"
        .. " the start of the region"):format(shown),
        ("{ lines = 8, addr = function(i) if i == 2 then return %s end return i * line end }")
          :format(value))
    end
  end)
end)

describe("a layout that does not fit", function()
  local memory <const> = fr.machine.memory_bytes

  it("has too many lines", function()
    refuses(("lines in the layout of 'arm1' are %d: to lay them out takes more than the %s that"
      .. " this machine has"):format(memory // 64 + 1, fr.units.bytes(memory)),
      ("{ lines = %d, gap = line, geometry = sizes }"):format(memory // 64 + 1))
  end)

  it("reaches further than there is memory", function()
    for _, gap in ipairs { memory, 1 << 50, 1 << 61 } do
      refuses(("the layout of 'arm1' reaches over %d bytes: this machine has %s of memory"):format(
        gap + line, fr.units.bytes(memory)),
        ("{ lines = 2, gap = %d, geometry = sizes }"):format(gap))
    end
    assert.matches("^the layout of 'arm1' reaches over 4611686018427387904 bytes: this machine has",
      refusal "{ lines = 8, gap = line, bytes = 1 << 62, geometry = sizes }")
    assert.matches("^the layout of 'arm1' reaches over 9223372036854775807 bytes: this machine has",
      refusal "{ lines = 2, addr = function(i) return i * math.maxinteger end, geometry = sizes }")
  end)

  it("reaches further than 64 bits", function()
    refuses("the layout of 'arm1' reaches beyond what can be addressed: 3 lines,"
      .. " 4611686018427387904 bytes apart", "{ lines = 3, gap = 1 << 62, geometry = sizes }")
    assert.matches("reaches beyond what can be addressed",
      refusal "{ lines = 8, gap = line, off = 1 << 60, geometry = sizes }")
  end)
end)

describe("a layout that says two things, or nothing that is known,", function()
  it("is refused with the nearest name", function()
    refuses("unknown key 'gpa' in fr.layout: did you mean 'gap'?", "{ lines = 8, gpa = line }")
    refuses("unknown order 'rnadom' in the layout of 'arm1': did you mean 'random'?",
      "{ lines = 8, gap = line, order = 'rnadom' }")
    refuses("unknown within 'pgae' in the layout of 'arm1': did you mean 'page'?",
      "{ lines = 8, gap = line, within = 'pgae' }")
    refuses("unknown pages 'line' in the layout of 'arm1': did you mean 'lines'?",
      "{ lines = 8, gap = line, pages = 'line' }")
    refuses("unknown key 'page' in within in the layout of 'arm1': did you mean 'pages'?",
      "{ lines = 8, gap = line, within = { page = 1 } }")
  end)

  it("is refused with what is meant", function()
    for _, key in ipairs { "gap", "off", "wrap" } do
      refuses(("fr.layout has both addr and %s: one is meant"):format(key),
        ("{ lines = 8, addr = function(i) return i * line end, %s = 1 }"):format(key))
    end
    refuses("within in the layout of 'arm1' has both pages and lines: one is meant",
      "{ lines = 8, gap = line, within = { pages = 2, lines = 3 } }")
    refuses("within in the layout of 'arm1' counts pages by the gap, which a function has none of:"
      .. " within = { lines = n }", "{ lines = 8, addr = function(i) return i * line end,"
        .. " within = 'page' }")
    refuses("addr in fr.layout must be a function of the line's number, not 3",
      "{ lines = 8, addr = 3 }")
    refuses("geometry in fr.layout is a table: expected fr.geometry { … }",
      "{ lines = 8, gap = line, geometry = { sets = 64 } }")
    refuses("fr.layout must be given a table, not 3", "(3)")
  end)
end)

-- The course's bug: off = 64 is a line in bytes; who multiplies it by 64 passes a page.
describe("an offset that is already multiplied by the line", function()
  local scaled <const> = "{ lines = %d, gap = page, off = 64 * line, wrap = 64, geometry = sizes }"
  local packed <const> = "{ lines = %d, gap = line, geometry = sizes }"

  it("is an error where the sets are claimed to be the same, with the numbers of both", function()
    if page ~= 64 * line or sizes.sets ~= 64 then pending "made for pages of 64 lines, 64 sets" end
    local claim <const> = "fr.claim 'c' { needs = fr.same_sets { 'arm1', 'arm2' },"
      .. " test = fr.above { 'arm2', than = 'arm1', metric = 'walk' } }"
    local message <const> = told(script({ packed:format(32), scaled:format(32) }, claim), sizes)
    assert.equal("user.lua:5: fr.same_sets of claim 'c' in fr.experiment 'x': 'arm1' has its 32"
      .. " lines in 32 sets, at most 1 in one; 'arm2' has its 32 lines in 1 set, at most 32 in one:"
      .. " what they differ by would be sets, not pages", message)
  end)

  it("is an error where lines collide by it, with the lines and their number", function()
    if page ~= 64 * line then pending "made for pages of 64 lines" end
    refuses(("the layout of 'arm1' was asked for 72 lines and touches 64: lines 32 and 64, at bytes"
      .. " %d and %d, are one cache line of %d bytes"):format(64 * page, 64 * page, line),
      scaled:format(72))
  end)
end)

describe("layouts of as many sets that are others", function()
  it("are no control, and it is said that the numbers are the same", function()
    local claim <const> = "fr.claim 'c' { needs = fr.same_sets { 'arm1', 'arm2' },"
      .. " test = fr.above { 'arm2', than = 'arm1', metric = 'walk' } }"
    assert.equal("user.lua:5: fr.same_sets of claim 'c' in fr.experiment 'x': 'arm1' has its 8"
      .. " lines in 8 sets, at most 1 in one; 'arm2' has its 8 lines in 8 sets, at most 1 in one,"
      .. " but not"
      .. " in the same ones: what they differ by would be sets, not pages",
      told(script({ "{ lines = 8, gap = line, geometry = sizes }",
        "{ lines = 8, gap = 2 * line, geometry = sizes }" }, claim), sizes))
  end)
end)
