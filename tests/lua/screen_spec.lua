-- What a report is drawn on: width, characters and colours, by the environment.
local screen <const> = require "frlua.report.screen"
local terminal <const> = require "frlua.report.terminal"

local function environment(variables)
  return function(name) return variables[name] end
end

local function is_utf8(variables) return screen.is_utf8(environment(variables)) end

describe("the screen", function()
  it("shows UTF-8 where the locale that counts is one of UTF-8", function()
    assert.is_true(is_utf8 { LANG = "de_DE.UTF-8" })
    assert.is_true(is_utf8 { LANG = "C.utf8" })
    assert.is_true(is_utf8 { LC_CTYPE = "en_US.UTF-8", LANG = "C" })
    assert.is_true(is_utf8 { LC_ALL = "", LANG = "en_US.UTF-8" }) -- empty counts as not set
    assert.is_false(is_utf8 { LC_ALL = "C", LC_CTYPE = "en_US.UTF-8", LANG = "en_US.UTF-8" })
    assert.is_false(is_utf8 { LC_CTYPE = "POSIX", LANG = "en_US.UTF-8" })
    assert.is_false(is_utf8 { LANG = "de_DE.ISO-8859-1" })
    assert.is_false(is_utf8 {})
  end)

  it("is as wide as COLUMNS says, but not narrower than a report can be", function()
    local function columns(text)
      return screen.of_output("never", environment { COLUMNS = text }).columns
    end
    assert.equal(72, columns "72")
    assert.equal(20, columns "1")
    local unset <const> = columns(nil)
    for _, text in ipairs { "", "x", "-5", "0", "7.5", "1e999" } do
      assert.equal(unset, columns(text), text)
    end
  end)

  it("has colours when asked for, and none when asked for none", function()
    local here <const> = environment { NO_COLOR = "1", TERM = "dumb" }
    assert.is_true(screen.of_output("always", here).color)
    assert.is_false(screen.of_output("never", environment { TERM = "xterm" }).color)
    assert.is_false(screen.of_output("auto", here).color)
  end)

  it("is what files have again after an error", function()
    local before <const> = screen.current()
    assert.has_error(function() screen.with({ utf8 = false }, function() error "broken" end) end)
    assert.equal(before, screen.current())
    assert.same({ utf8 = true, color = false }, before)
  end)
end)

local REPORT <const> = [[
name: what it asks

Medians over the processes
arm  ns
a     1
b  2, 1 lost

PARTIAL: interrupted

Samples lost: 1 of 3
  b: timed out (round 1)

The same work twice
  chase: its figures are VOID, because

Verdicts
  PASS       a claim
             a reason
  FAIL       a claim
  WITHDRAWN  a claim
]]

local function fitted(settings)
  return screen.with(settings, function() return terminal.fitted(REPORT) end)
end

describe("a report on a terminal", function()
  it("is the same text without colours", function()
    assert.equal(REPORT, fitted { utf8 = true, color = false })
    assert.equal(REPORT, fitted { utf8 = true, color = false, columns = 60 })
    local colored <const> = fitted { utf8 = true, color = true, columns = 60, heads = {} }
    assert.not_equal(REPORT, colored)
    assert.equal(REPORT, (colored:gsub("\27%[[%d;]*m", "")))
  end)

  it("has titles, heads of tables, verdicts and what was lost in colour, each to its line's end",
    function()
      local colored <const> = fitted { utf8 = true, color = true, heads = { ["arm  ns"] = true } }
      for _, part in ipairs { "\27[1mname: what it asks\27[0m\n",
        "\n\27[1mMedians over the processes\27[0m\n",
        "\n\27[4marm  ns\27[0m\n", "\27[1;31m1 lost\27[0m\n",
        "\n\27[1;31mPARTIAL\27[0m: interrupted\n",
        "\n\27[1;31mSamples lost: 1 of 3\27[0m\n", "figures are \27[1;31mVOID\27[0m, because\n",
        "\n  \27[1;32mPASS\27[0m       a claim\n", "\n  \27[1;31mFAIL\27[0m       a claim\n",
        "\n  \27[1;33mWITHDRAWN\27[0m  a claim\n" } do
        assert.truthy(colored:find(part, 1, true), part)
      end
      assert.is_nil(colored:find "\27%[[1-9][%d;]*m[^\27]*\n")
    end)

  it("is broken where it is too wide, below its text", function()
    local text <const> = "  WITHDRAWN  a claim of more words\n             and its long reason\n"
    assert.equal("  WITHDRAWN  a claim of more\n               words\n"
      .. "             and its long\n               reason\n",
      screen.with({ utf8 = true, columns = 31 }, function() return terminal.fitted(text) end))
  end)

  it("may be empty", function()
    assert.equal("", terminal.fitted "")
  end)
end)

describe("what comes before the verdicts", function()
  it("is taken once", function()
    screen.with({ extras = { function(document) return { document, "b" } end } }, function()
      assert.same({ "a", "b" }, screen.take_extras "a")
      assert.same({}, screen.take_extras "a")
    end)
    assert.same({}, screen.take_extras "a")
  end)
end)
