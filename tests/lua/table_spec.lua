-- Tables at every width: in blocks of columns, each with the columns that tell the rows apart.
local aligned <const> = require "frlua.report.table"
local random <const> = require "frlua.random"
local refit <const> = require "frlua.report.refit"
local screen <const> = require "frlua.report.screen"
local wrap <const> = require "frlua.report.wrap"

local function on(columns, make, is_ascii)
  return screen.with({ columns = columns, utf8 = not is_ascii, color = false }, make)
end

local LETTERS <const> = { "a", "b", "µ", "日", "e\u{301}", ",", "7" }

-- A word of up to so many letters, the same for the same generator.
local function word(below, longest)
  local letters <const> = {}
  for index = 1, 1 + below(longest) do letters[index] = LETTERS[1 + below(#LETTERS)] end
  return table.concat(letters)
end

local function random_rows(below, longest_name, longest_cell)
  local rows <const>, columns <const> = {}, 2 + below(12)
  for row = 1, 2 + below(6) do
    rows[row] = { word(below, longest_name) }
    for column = 2, columns do rows[row][column] = word(below, longest_cell) end
  end
  return rows
end

local function below_of(seed)
  local numbers <const> = random.new(seed)
  return function(limit) return numbers:below(limit) end
end

-- The blocks of a table, as lists of lines.
local function blocks_of(lines)
  local blocks <const> = { {} }
  for _, line in ipairs(lines) do
    if line == "" then blocks[#blocks + 1] = {} else table.insert(blocks[#blocks], line) end
  end
  return blocks
end

-- Where the words of a line end, in columns of the terminal.
local function ends_of(line)
  local ends <const> = {}
  for at in line:gmatch "%S+()" do ends[#ends + 1] = wrap.columns(line:sub(1, at - 1)) end
  return ends
end

describe("a table that is too wide", function()
  it("has no line wider than the screen, and every cell in a column of its own", function()
    for seed = 1, 100 do
      local below <const> = below_of(seed)
      local rows <const> = random_rows(below, 12, 16)
      local columns <const> = 60 + below(80)
      local cells = {}
      for _, block in ipairs(blocks_of(on(columns, function() return aligned.lines(rows) end))) do
        assert.equal(#rows, #block)
        local ends <const> = ends_of(block[1])
        for index, line in ipairs(block) do
          assert.is_true(wrap.columns(line) <= columns, line)
          local name, place = rows[index][1], 0
          for text in line:gmatch "%S+" do
            place = place + 1
            if place == 1 then
              assert.equal(name, text)
            else
              cells[index] = (cells[index] or name) .. " " .. text
            end
          end
          table.remove(ends, 1)
          local these <const> = ends_of(line)
          table.remove(these, 1)
          assert.same(ends, these)
          table.insert(ends, 1, 0)
        end
      end
      for index, row in ipairs(rows) do assert.equal(table.concat(row, " "), cells[index]) end
    end
  end)

  it("has no line wider than the screen either where names and cells are longer than it", function()
    for seed = 1, 50 do
      local below <const> = below_of(seed)
      local rows <const> = random_rows(below, 150, 90)
      local lines <const> = on(60, function() return aligned.lines(rows, "  ") end)
      for _, line in ipairs(lines) do assert.is_true(wrap.columns(line) <= 60, line) end
      local letters <const> = table.concat(lines):gsub(" ", "")
      for _, row in ipairs(rows) do
        for _, cell in ipairs(row) do
          for character in cell:gmatch(utf8.charpattern) do
            assert.truthy(letters:find(character, 1, true))
          end
        end
      end
    end
  end)

  it("repeats the first column, and has blocks of about the same width", function()
    local rows <const> = { { "arm", "aaaa", "bbbb", "cccc", "dddd" }, { "x", "1", "2", "3", "4" } }
    assert.same({
      "arm  aaaa  bbbb", "x       1     2", "", "arm  cccc  dddd", "x       3     4",
    }, on(24, function() return aligned.lines(rows) end))
  end)

  it("keeps columns together that belong together, and all that tell rows apart", function()
    local rows <const> = { { "arm", "of", "aa", "bb", "cc", "dd" },
      { "x", "y", "1", "2", "3", "4" } }
    assert.same({
      "arm  of  aa", "x     y   1", "", "arm  of  bb  cc  dd", "x     y   2   3   4",
    }, on(22, function()
      return aligned.lines(rows, "", { keys = 2, starts = { [3] = true, [4] = true } })
    end))
  end)

  it("has long names on several lines, beside the figures", function()
    local rows <const> = { { "arm", "ns" }, { "a name of many words", "1234567890" } }
    assert.same({ "arm                ns", "a name of  1234567890", "  many", "  words" },
      on(21, function() return aligned.lines(rows) end))
  end)

  it("has sentences on several lines before it is broken into blocks", function()
    local rows <const> = { { "arm", "interval", "floor" }, { "x", "there is none below 6", "1.5" } }
    assert.same({ "arm  interval       floor", "x    there is none    1.5", "     below 6" },
      on(25, function() return aligned.lines(rows) end))
  end)

  it("is in one line a row where nobody says how wide the screen is", function()
    local cell <const> = ("x"):rep(300)
    assert.same({ "a  " .. cell }, aligned.lines { { "a", cell } })
  end)
end)

describe("text that can be printed", function()
  it("shows what a terminal would obey, also beyond ASCII", function()
    assert.equal("\\27[1m\\u{9B}1m\\u{202E}µ", aligned.printable "\27[1m\u{9B}1m\u{202E}µ")
  end)

  it("is plain ASCII where the screen has no more, and as wide as it says", function()
    on(60, function()
      assert.equal("10.0 us... 2x, +/-1 \\u{FC}\\u{65E5}", aligned.printable "10.0 µs… 2×, ±1 ü日")
      assert.same({ "us    1", "ns  234" }, aligned.lines { { "µs", "1" }, { "ns", "234" } })
    end, true)
  end)

  it("stays what it is when it is asked for twice", function()
    for _, is_ascii in ipairs { true, false } do
      on(nil, function()
        local once <const> = aligned.printable "µ ü \27 \xFF \u{85}"
        assert.equal(once, aligned.printable(once))
      end, is_ascii)
    end
  end)
end)

describe("a table among lines that were made before", function()
  local LINES <const> = { "Reading", "pause     first  settled  95 % after µs",
    "sleep 1   3.665    3.681            0.0", "spin 1 ms 3.665    3.681            0.0", "done" }

  it("is broken where it is too wide", function()
    assert.same({ "Reading", "pause      first  settled", "sleep 1    3.665    3.681",
      "spin 1 ms  3.665    3.681", "", "pause      95 % after µs", "sleep 1              0.0",
      "spin 1 ms            0.0", "done" },
      on(30, function()
        local wide <const> = {}
        for index, line in ipairs(LINES) do wide[index] = line:gsub("^(.........) ", "%1  ") end
        return refit.lines(wide)
      end))
  end)

  it("stays as it is where it fits, or where nothing has a width", function()
    assert.same(LINES, on(60, function() return refit.lines(LINES) end))
    assert.same(LINES, refit.lines(LINES))
  end)

  it("keeps its indentation, and is none where only two columns are found", function()
    local rows <const> = { "  one       22222  333", "  two       4      5" }
    assert.same({ "  one  22222", "  two      4", "", "  one  333", "  two    5" },
      on(15, function() return refit.lines(rows) end))
    local pairs_of <const> = { "    8 lines: flat       median 1.002, of some",
      "  512 lines: undecided  median 2.651, of many" }
    assert.same(pairs_of, on(30, function() return refit.lines(pairs_of) end))
  end)

  it("is not seen in prose, however long", function()
    local prose <const> = { ("a word "):rep(20), "  PASS       one", "done" }
    assert.same(prose, on(60, function() return refit.lines(prose) end))
  end)
end)
