-- Lines of text broken at words, by the columns that characters take.
local wrap <const> = require "frlua.report.wrap"

local TEXT <const> = "iter1 of 'prefault' is 0.07688 times iter1 of 'natural' [0.05783, 0.1184] in"
  .. " 10 rounds: below 0.5000, p 0.007812 after Holm's correction, noise floor 1.405"

describe("columns of a text", function()
  it("are two for a wide character and none for one that combines", function()
    assert.equal(0, wrap.columns "")
    assert.equal(4, wrap.columns "µs…×")
    assert.equal(4, wrap.columns "日本")
    assert.equal(1, wrap.columns "e\u{301}")
    assert.equal(3, wrap.columns "a\u{200B}b\u{FE0F}c") -- a space of no width, a variation selector
  end)

  it("do not need UTF-8: a byte that is none takes one", function()
    assert.equal(3, wrap.columns "a\xFFb")
  end)
end)

describe("a wrapped text", function()
  it("is as it was where it fits", function()
    assert.same({ TEXT }, wrap.lines(TEXT, #TEXT, 2))
    assert.same({ "" }, wrap.lines("", 20, 2))
    assert.same({ "  a  b" }, wrap.lines("  a  b", 20, 2))
  end)

  it("has all its words in no line that is too wide", function()
    for columns = 20, #TEXT do
      local lines <const> = wrap.lines(TEXT, columns, 4)
      for index, line in ipairs(lines) do
        assert.is_true(#line <= columns, line)
        assert.equal(index > 1, line:find "^    %S" ~= nil, line)
      end
      assert.equal(TEXT, (table.concat(lines, " "):gsub(" +", " ")))
    end
  end)

  it("fills its lines: the next word had no room", function()
    local lines <const> = wrap.lines("aaa bbb ccc ddd eee fff", 8, 0)
    assert.same({ "aaa bbb", "ccc ddd", "eee fff" }, lines)
  end)

  it("keeps a number with its unit", function()
    assert.same({ "it takes", "1353 ns, or", "less" },
      wrap.lines("it takes 1353 ns, or less", 13, 0))
    assert.same({ "it takes 1353", "nanoseconds" }, wrap.lines("it takes 1353 nanoseconds", 13, 0))
  end)

  it("keeps an interval together", function()
    assert.same({ "about 1.2", "[1.051, 1.798] in", "10" },
      wrap.lines("about 1.2 [1.051, 1.798] in 10", 18, 0))
  end)

  it("does not part an aligned number from its name", function()
    assert.same({ "round  1", "  iter1   22 ns", "  iter2    3 ns" },
      wrap.lines("round  1  iter1   22 ns  iter2    3 ns", 16, 2))
  end)

  it("is broken after commas, else anywhere, where there are no spaces", function()
    assert.same({ "prefault,spin,", "touch" }, wrap.lines("prefault,spin,touch", 16, 0))
    assert.same({ "aaaa", "aaaa", "aa" }, wrap.lines("aaaaaaaaaa", 4, 0))
  end)

  it("never has half a wide character, nor an accent without its letter", function()
    assert.same({ "日", "本", "語" }, wrap.lines("日本語", 3, 0))
    assert.same({ "ae\u{301}", "bc" }, wrap.lines("ae\u{301}bc", 2, 0))
  end)

  it("ends also where nothing fits", function()
    assert.same({ "日", "本" }, wrap.lines("日本", 1, 0))
  end)
end)

describe("what is left of a line of a report", function()
  it("stands below its text, and of a verdict below the claim", function()
    assert.equal(2, wrap.hang "Medians over the processes")
    assert.equal(4, wrap.hang "  natural: 1, 20129 ns (round 5)")
    assert.equal(15, wrap.hang "  PASS       page faults are the biggest part")
    assert.equal(15, wrap.hang "  WITHDRAWN  page faults are the biggest part")
    assert.equal(15, wrap.hang "             iter1 of 'prefault' is 0.07688 times")
  end)
end)
