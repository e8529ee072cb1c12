local bins <const> = require "frlua.report.plots.bins"
local canvas <const> = require "frlua.report.plots.canvas"
local core <const> = require "frlua.core"
local data <const> = require "frlua.report.html.data"
local markup <const> = require "frlua.report.html.markup"
local plots <const> = require "frlua.report.plots"
local svg <const> = require "frlua.report.plots.svg"

describe("bins of a long series", function()
  it("have each iteration once, in order", function()
    for _, count in ipairs { 1, 2, 12, 13, 14, 1000, 2050 } do
      local expected = 1
      for _, edge in ipairs(bins.edges(count)) do
        assert.equal(expected, edge[1])
        assert.is_true(edge[2] >= edge[1])
        expected = edge[2] + 1
      end
      assert.equal(count + 1, expected)
    end
  end)

  it("are one iteration each at the start, and few in the end", function()
    local edges <const> = bins.edges(10000000)
    for iteration = 1, 10 do assert.same({ iteration, iteration }, edges[iteration]) end
    assert.is_true(#edges < 250, #edges)
    for _, edge in ipairs(edges) do assert.is_true(edge[2] <= 1.1 * edge[1]) end
    assert.equal(edges[#edges][2], 10000000)
  end)

  it("of a shorter series are the same as far as it goes", function()
    local long <const>, short <const> = bins.edges(1000), bins.edges(500)
    for index = 1, #short - 1 do assert.same(long[index], short[index]) end
  end)

  it("stand for their median", function()
    local series <const> = core.series { 9, 1, 5, 7, 100, 3 }
    assert.same({ 9, 1, 6, 100, 3 }, bins.medians(series,
      { { 1, 1 }, { 2, 2 }, { 3, 4 }, { 5, 5 }, { 6, 6 } }))
    assert.same({ 6, 6 }, bins.medians(series, { { 1, 6 }, { 3, 4 }, { 7, 9 } }))
  end)

  it("have a median over the processes that all have", function()
    assert.same({ 2, 20 }, bins.over { { 1, 20, 5 }, { 2, 30 }, { 90, 10 } })
    assert.same({}, bins.over {})
  end)

  it("say from where on they are shared", function()
    assert.equal(4, bins.shared_from { { 1, 1 }, { 2, 2 }, { 3, 3 }, { 4, 5 }, { 6, 8 } })
    assert.is_nil(bins.shared_from { { 1, 1 } })
  end)
end)

describe("an axis", function()
  it("has a few round numbers, whatever its range", function()
    for _, range in ipairs { { 0, 1 }, { 11.2, 16.4 }, { -3, 40 }, { 0, 241048 }, { 5, 5.01 } } do
      local ticks <const> = canvas.linear_ticks(range[1], range[2])
      assert.is_true(#ticks >= 2 and #ticks <= 6, #ticks)
      for _, tick in ipairs(ticks) do assert.is_true(tick >= range[1] and tick <= range[2]) end
    end
    assert.same({ 0, 100, 200, 300 }, canvas.linear_ticks(-5, 330))
  end)

  it("has whole decades on a long logarithmic scale, more numbers on a short one", function()
    assert.same({ 1, 10, 100, 1000, 10000 }, canvas.log_ticks(0.9, 11000))
    assert.same({ 10, 20, 50, 100, 200 }, canvas.log_ticks(9, 300))
    assert.same({ 1, 1.2, 1.5, 2, 2.5 }, canvas.log_ticks(0.95, 2.9))
  end)

  it("of times has the unit that leaves few digits", function()
    assert.equal("ns", canvas.scale({ 9999 }).name)
    assert.equal("µs", canvas.scale({ 5, 10000 }).name)
    assert.equal("ms", canvas.scale({ -10000000 }).name)
    assert.equal("ns", canvas.scale({}).name)
  end)

  it("shows names that fit, cut at a character", function()
    assert.equal('"ab"', canvas.text("ab", 2))
    assert.equal('"\\303\\251\\342\\200\\246"', canvas.text("ééé", 2)) -- é…
    assert.equal('"\\134\\062\\067a"', canvas.text "\27a")
  end)
end)

local DRAWN <const> = [[
<?xml version="1.0"?>
<svg width="9" height="9">
<title>Gnuplot</title><desc>by gnuplot</desc>
<g id="gnuplot_canvas">
<defs>
	<circle id='gpPt5' r='1'/>
	<use xlink:href='#gpPt5' id='gpPt6'/>
	<path id='gpPt7' d='M0,0'/>
</defs>
<g fill="none" stroke="black"></g>
<path stroke='rgb(  0, 114, 178)' fill = 'none' d='M1,1'/>
<path stroke='rgb(204, 204, 204)' d='M1,1'/>
<rect fill="#ffffff"/>
<use xlink:href='#gpPt6'/>
<text fill="rgb(0,0,0)">id='x' fill="black" rgb(1,2,3)</text>
</g>
</svg>
]]
local PLOT <const> = { id = "p", width = 9, height = 9, title = "<t>", description = "d & e" }

describe("an SVG of a page", function()
  local made <const> = svg.of(DRAWN, PLOT)

  it("has a title and a description, of which it tells", function()
    assert.matches('role="img" aria%-labelledby="p%-title p%-desc"', made)
    assert.matches('<title id="p%-title">&lt;t&gt;</title>', made)
    assert.matches('<desc id="p%-desc">d &amp; e</desc>', made)
    assert.is_nil(made:find("[Gg]nuplot</"))
  end)

  it("has the ink of the page, and the colours of the plot", function()
    assert.matches('<path stroke="#0072B2"', made)
    assert.matches('<path stroke="currentColor" stroke%-opacity="0.16"', made)
    assert.matches('<rect fill="none"', made)
    assert.matches('<text fill="currentColor"', made)
  end)

  it("leaves alone what it says", function()
    assert.is_truthy(made:find([[>id='x' fill="black" rgb(1,2,3)</text>]], 1, true), made)
  end)

  it("has names of its own, and no more than it draws", function()
    assert.matches("id='p%-gpPt5'", made)
    assert.matches("<use href='#p%-gpPt5' id='p%-gpPt6'/>", made)
    assert.is_nil(made:find("gpPt7", 1, true))
    assert.is_nil(made:find "<g [^>]*></g>")
  end)

  it("has a size and colours of its own where it stands alone", function()
    assert.is_nil(made:find("<style>", 1, true))
    local alone <const> = svg.of(DRAWN, PLOT, true)
    assert.matches("prefers%-color%-scheme:dark", alone)
    assert.matches('viewBox="0 0 9 9" width="9" height="9"', alone)
  end)
end)

describe("markup", function()
  it("is nothing that comes from a document", function()
    assert.equal("&lt;a b=&quot;&#39;&quot;&gt;&amp;", markup.escaped [[<a b="'">&]])
    assert.equal("\\0\\27\u{FFFD}", markup.escaped "\0\27\xff")
    assert.matches("a\n\tb&lt;\\27", markup.preformatted "a\r\n\tb<\27")
  end)

  it("has bytes in base 64, as RFC 4648 has them", function()
    for plain, coded in pairs { [""] = "", f = "Zg==", fo = "Zm8=", foo = "Zm9v", foob = "Zm9vYg==",
      fooba = "Zm9vYmE=", foobar = "Zm9vYmFy", ["\xff\xfe\xfd\0"] = "//79AA==" } do
      assert.equal(coded, markup.base64(plain))
    end
  end)

  it("can't be ended by the raw data", function()
    assert.equal([[<script type="application/json" id="raw-data">]]
      .. [[{"a":"\u003c/script>\u003c!--\u003cscript>\\u003c"}</script>]],
      data.embedded [[{"a":"</script><!--<script>\\u003c"}]])
  end)

  it("names files by letters, digits and little else", function()
    assert.equal("b-x", plots.slug "<b>/x")
    assert.equal("etc-passwd", plots.slug "../../etc/passwd")
    assert.equal("rf", plots.slug "-rf")
    assert.equal("unnamed", plots.slug "\xff\0/")
    assert.equal(60, #plots.slug(("a"):rep(100)))
  end)
end)
