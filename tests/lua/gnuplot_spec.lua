local gnuplot <const> = require "frlua.gnuplot"

local is_here <const> = os.execute "command -v gnuplot >/dev/null 2>&1"

local function plot(...)
  return { width = 300, height = 200, commands = { ... } }
end

describe("what gnuplot is told", function()
  it("holds no byte of a text that gnuplot or a shell would act upon", function()
    local all <const> = {}
    for byte = 32, 255 do all[#all + 1] = string.char(byte) end
    local quoted <const> = gnuplot.quoted(table.concat(all))
    assert.matches('^"[%a \\%d]*"$', quoted)
    assert.equal('"a\\140b \\061\\042\\134\\303\\251"', gnuplot.quoted 'a`b 1"\\é')
  end)

  it("has numbers with a point, whole ones in full", function()
    assert.equal("10000000", gnuplot.number(1e7))
    assert.equal("0.125", gnuplot.number(0.125))
    assert.equal("-3", gnuplot.number(-3))
  end)
end)

describe("plots", function()
  if not is_here then
    pending "are drawn by gnuplot, which is not installed"
    return
  end

  it("show a text as it is, and run nothing of it", function()
    local text <const> = [['q' "d" `touch /tmp/frlua-run` $(id) @x \n 10 % _^{2} &lt; é]]
    local drawn <const>, why <const> = gnuplot.draw({
      plot("set label " .. gnuplot.quoted(text) .. " at graph 0, 0.5", "plot x") }, { "svg" })
    assert.is_nil(why)
    local shown <const> = text:gsub("&", "&amp;")
    assert.is_truthy(drawn[1].svg:find(shown, 1, true), drawn[1].svg)
    assert.is_nil(io.open "/tmp/frlua-run")
  end)

  it("come in every format that is asked for", function()
    local drawn <const> = gnuplot.draw({ plot "plot x", plot "plot -x" }, { "svg", "png" })
    for index = 1, 2 do
      assert.matches("^<%?xml", drawn[index].svg)
      assert.matches("^\x89PNG", drawn[index].png)
    end
    assert.are_not.equal(drawn[1].svg, drawn[2].svg)
  end)

  it("that take too long are given up, and nothing is left behind", function()
    local stdlib <const> = require "posix.stdlib"
    local base <const>, before <const> = assert(stdlib.mkdtemp "/tmp/frlua-spec-XXXXXX"),
      os.getenv "TMPDIR"
    stdlib.setenv("TMPDIR", base)
    local drawn <const>, why <const> = gnuplot.draw({ plot "plot x", plot "pause 100" }, { "svg" },
      0.5)
    stdlib.setenv("TMPDIR", before)
    assert.is_truthy(drawn[1].svg)
    assert.equal("gnuplot did not draw all plots: it was stopped after 0.5 s", why)
    assert.is_true(os.remove(base)) -- it is empty
  end)

  it("that can't be drawn leave those before them, and a reason", function()
    local drawn <const>, why <const> = gnuplot.draw({ plot "plot x", plot "plot nothing(x)",
      plot "plot x" }, { "svg" })
    assert.is_truthy(drawn[1].svg)
    assert.is_nil(drawn[2].svg)
    assert.matches("gnuplot did not draw all plots: .*undefined function", why)
  end)
end)
