local escape <const> = require "frlua.report.escape"
local fakes <const> = require "fakes"
local fr <const> = require "frlua"
local json <const> = require "frlua.json"
local simulated <const> = require "simulated"

local function lines_of(text)
  local lines <const> = {}
  for line in text:gmatch "([^\n]*)\n" do lines[#lines + 1] = line end
  return lines
end

local function csv_lines(name, documents)
  local parts <const> = {}
  for piece in require("frlua.report." .. name).pieces(documents) do parts[#parts + 1] = piece end
  local text <const> = table.concat(parts)
  assert.equal(select(2, text:gsub("\n", "")), select(2, text:gsub("\r\n", "")))
  return lines_of((text:gsub("\r\n", "\n")))
end

local function render(name, documents)
  return require("frlua.report." .. name).render(documents)
end

local function has(text, ...)
  for _, line in ipairs { ... } do
    assert.is_truthy(("\n" .. text):find("\n" .. line .. "\n", 1, true),
      ("no line '%s' in:\n%s"):format(line, text))
  end
end

-- Two samples of three: the second arm's was lost.
local function ordinary()
  return fakes.document(fakes.experiment(), {
    fakes.sample("natural", 1, { 900, 130, 110, 121 }, 2),
    fakes.lost("warm", 1, "timed out"),
    fakes.sample("natural", 2, { 700, 150, 150, 170 }, 3, 1001),
  })
end

-- Verdicts of every kind, as verdict.evaluate gives them.
local function judged()
  local document <const> = ordinary()
  document.claims = json.array {
    { claim = "it passes", asked = "it passes", verdict = "pass", reason = "as said", numbers = {
      contrasts = { { arm = "a", metric = "m", than = { arm = "b", metric = "m" }, n = 12,
        ratio = 2.1228312407821455, ci95 = { 2.0, 2.25 } } } } },
    { claim = "it fails", asked = "it fails", verdict = "fail", reason = "not <so>", numbers = {} },
    { claim = "it is huge", asked = "it is small", withdrawn = "no huge page", verdict = "pass",
      reason = "16 in each", numbers = {} },
    { claim = "too few", asked = "too few", verdict = "withdrawn", reason = "2 rounds",
      numbers = {} },
  }
  return document
end

describe("a text in a form", function()
  it("is a field of CSV as it is, in quotes where it needs them", function()
    assert.equal("prefault", escape.csv "prefault")
    assert.equal('"a,b"', escape.csv "a,b")
    assert.equal('"say ""x"""', escape.csv 'say "x"')
    assert.equal('"a\nb\r"', escape.csv "a\nb\r")
    assert.equal("\u{FFFD}", escape.csv "\xff")
    assert.equal('a\u{2400}b', escape.csv "a\0b")
    assert.equal("", escape.csv(nil))
  end)

  it("has its numbers as JSON has them", function()
    assert.equal("128", escape.csv(128))
    assert.equal("0.1", escape.csv(0.1))
    assert.equal("0.30000000000000004", escape.csv(0.1 + 0.2))
    assert.equal("128.0", escape.number(128.0))
  end)

  it("shows what no form may hold: controls of all kinds, what ends lines", function()
    assert.equal("\\27[31m\\0\\10\\127", escape.shown "\27[31m\0\n\127")
    assert.equal("\\u{85}\\u{2028}\\u{2029}\\u{FFFE}\\u{FFFF}\u{FFFD}",
      escape.shown "\u{85}\u{2028}\u{2029}\u{FFFE}\u{FFFF}\xff")
    assert.equal("µ–é\u{A0}\u{FFFD}\u{1F600}", escape.shown "µ–é\u{A0}\u{FFFD}\u{1F600}")
  end)

  it("is text in Markdown: code where it can be, else with every mark escaped", function()
    assert.equal("`huge_pages*2`", escape.markdown_name "huge_pages*2")
    assert.equal("a\\`b", escape.markdown_name "a`b")
    assert.equal("a&#124;b", escape.markdown_name "a|b")
    assert.equal("\\\\\\<b\\>\\*\\_\\&\\#\\[x\\]", escape.markdown "\\<b>*_&#[x]")
  end)

  it("is text in XML, in TAP and in YAML", function()
    assert.equal("&lt;a b=&quot;&#39;&quot;&gt;]]&gt;&amp;--&gt;", escape.xml "<a b=\"'\">]]>&-->")
    assert.equal("a \\# SKIP b\\\\10c", escape.tap "a # SKIP b\nc")
    assert.equal('"a \\"b\\" \\\\ \\\\10"', escape.yaml 'a "b" \\ \n')
  end)
end)

describe("--csv", function()
  it("has a row for each sample and metric, and no value for a lost one", function()
    assert.same({
      "experiment,arm,group,params,round,position,status,cpu,metric,unit,value",
      "fake,natural,,,1,1,ok,0,first,ns,900",
      "fake,natural,,,1,1,ok,0,faults,faults,2",
      "fake,natural,,,1,1,ok,0,late,ns,121",
      "fake,natural,,,1,1,ok,0,process,ns,1000",
      'fake,warm,,,1,1,"timed out",0,first,ns,',
      'fake,warm,,,1,1,"timed out",0,faults,faults,',
      'fake,warm,,,1,1,"timed out",0,late,ns,',
      'fake,warm,,,1,1,"timed out",0,process,ns,',
      "fake,natural,,,2,1,ok,0,first,ns,700",
      "fake,natural,,,2,1,ok,0,faults,faults,3",
      "fake,natural,,,2,1,ok,0,late,ns,150",
      "fake,natural,,,2,1,ok,0,process,ns,1001",
    }, csv_lines("csv", { ordinary() }))
  end)

  it("says what a time is divided by", function()
    local document <const> = fakes.document(fakes.experiment {
      metrics = { fr.metric "each" { at = 1, per = "page" } } },
      { fakes.sample("natural", 1, { 901 }, 0) })
    assert.same("fake,natural,,,1,1,ok,0,each,ns/page,450.5", csv_lines("csv", { document })[2])
  end)

  it("tells the arms and values of a sweep, and several experiments, apart", function()
    local swept <const> = simulated.swept({ 8, 32 }, {}, 1, 3, function() return { ns = 80 } end)
    local lines <const> = csv_lines("csv", { swept, ordinary() })
    local text <const> = table.concat(lines, "\n") .. "\n"
    local row <const> = text:match '\n(swept,"packed, 32 lines",[^\n]*walk[^\n]*)\n'
    assert.matches('^swept,"packed, 32 lines",packed,lines=32,1,%d,ok,0,walk,ns,80$', row)
    has(text, "fake,natural,,,1,1,ok,0,first,ns,900")
  end)
end)

describe("--csv-iterations", function()
  it("has a row for each iteration, with its faults", function()
    local document <const> = ordinary()
    document.samples[1].phases[1].minor_faults = { { 1, 2 }, { 3, 1 } }
    document.samples[1].phases[1].major_faults = { { 3, 4 }, { 4, 7 } }
    table.remove(document.samples)
    assert.same({
      "experiment,arm,group,params,round,position,status,cpu,phase,iteration,ns,"
        .. "minor_faults,major_faults",
      "fake,natural,,,1,1,ok,0,timed,1,900,2,0", "fake,natural,,,1,1,ok,0,timed,2,130,0,0",
      "fake,natural,,,1,1,ok,0,timed,3,110,1,4", "fake,natural,,,1,1,ok,0,timed,4,121,0,7",
    }, csv_lines("csv_iterations", { document }))
  end)

  it("leaves none out where pieces meet", function()
    local ns <const> = {}
    for iteration = 1, 20001 do ns[iteration] = 3 * iteration end
    local sample <const> = fakes.sample("natural", 1, ns)
    sample.phases[1].minor_faults = { { 10000, 5 }, { 10001, 6 }, { 20001, 7 } }
    local lines <const> = csv_lines("csv_iterations",
      { fakes.document(fakes.experiment(), { sample }) })
    local faults <const> = { [10000] = 5, [10001] = 6, [20001] = 7 }
    assert.equal(20002, #lines)
    for iteration = 1, 20001 do
      assert.equal(("fake,natural,,,1,1,ok,0,timed,%d,%d,%d,0"):format(iteration, 3 * iteration,
        faults[iteration] or 0), lines[iteration + 1])
    end
  end)
end)

describe("--md", function()
  it("has medians, with their intervals or why there are none, and what was lost", function()
    has(render("markdown", { ordinary() }),
      "Medians over the processes; in brackets their 95 % intervals, but no 95 % interval below 6"
        .. " values.",
      "| arm | `first`, ns | `faults` | `late`, ns | `process`, ns | processes |",
      "| :--- | ---: | ---: | ---: | ---: | ---: |",
      "| `natural` | 800 | 2..3 | 135.5 | 1000.5 | 2 |",
      "| `warm` | – | – | – | – | 0, 1 lost |",
      "**Samples lost: 1 of 3**: warm: timed out (round 1)")
    local list <const> = {}
    for round = 1, 6 do
      list[round] = fakes.sample("natural", round, { 100 * round, 1, 1, 1 }, 2)
    end
    has(render("markdown", { fakes.document(fakes.experiment(), list, { rounds = 6 }) }),
      "| `natural` | 350 \\[100, 600\\] | 2 | 1 \\[1, 1\\] | 1000 \\[1000, 1000\\] | 6 |")
  end)

  it("has a sweep's values as rows", function()
    local document <const> = simulated.swept({ 8, 32 }, {}, 6, 3, function(arm, round)
      return { ns = (arm.group == "spread" and 30 or 10) * arm.params.lines + round }
    end)
    has(render("markdown", { document }),
      "`walk`, ns by `lines`, medians over the processes; in brackets their 95 % intervals.",
      "| `lines` | `packed` | `spread` | `spread` / `packed` |",
      "| 8 | 83.5 \\[81, 86\\] | 243.5 \\[241, 246\\] | 2.92 \\[2.86, 2.98\\] |")
  end)

  it("has the verdicts, and what was asked instead", function()
    has(render("markdown", { judged() }),
      "| verdict | claim | reason |",
      "| pass | it passes | as said |",
      "| **fail** | it fails | not \\<so\\> |",
      "| withdrawn | it is huge | no huge page |",
      "| pass | asked instead: it is small | 16 in each |",
      "| withdrawn | too few | 2 rounds |")
  end)

  it("has what the script read off in a block that nothing of it ends", function()
    local document <const> = ordinary()
    document.reading = { "a  b", "````", "c" }
    assert.is_truthy(render("markdown", { document }):find(
      "\n`````text\na  b\n````\nc\n`````\n", 1, true))
  end)

  it("says that a run is quick, or partial", function()
    local document <const> = ordinary()
    document.partial, document.design.pause_divisor = true, 10
    has(render("markdown", { document }), "**Partial**: interrupted after 3 samples.",
      "Quick run: pauses divided by 10, nothing is claimed.")
  end)

  it("has what a study found in front of its experiments", function()
    local document <const> = ordinary()
    document.study = { name = "onset", doc = "how far", reading = { "as far as 64" } }
    local text <const> = render("markdown", { document, ordinary() })
    assert.matches("^## `onset`: how far\n\nMachine: .*\n```text\nas far as 64\n```\n\n### `fake`",
      text)
    assert.equal(1, select(2, text:gsub("Machine: ", "")))
  end)
end)

describe("--tap", function()
  it("has a plan, a point for the samples and one for each claim", function()
    local lines <const> = lines_of(render("tap", { judged() }))
    assert.equal("1..6", lines[2])
    local points <const> = {}
    for _, line in ipairs(lines) do
      if line:find "^n?o[kt]" then points[#points + 1] = line end
    end
    assert.same({
      "not ok 1 - fake: every sample came back",
      "ok 2 - fake: it passes",
      "not ok 3 - fake: it fails",
      "ok 4 - fake: it is huge # SKIP withdrawn: no huge page",
      "ok 5 - fake: it is small",
      "ok 6 - fake: too few # SKIP withdrawn: 2 rounds",
    }, points)
  end)

  it("says why, with all digits", function()
    has(render("tap", { judged() }),
      '  reason: "Samples lost: 1 of 3; warm: timed out (round 1)"', '  reason: "not <so>"',
      '  asked_instead_of: "it is huge"',
      [[    - "m of 'a' is 2.1228312407821455 times m of 'b', 95 % interval 2.0 to 2.25, n = 12"]])
  end)

  it("has a point that fails for a run that was interrupted", function()
    local document <const> = fakes.document(fakes.experiment(), {}, nil, { partial = true })
    has(render("tap", { document }), "1..1", "not ok 1 - fake: every sample came back",
      '  reason: "interrupted after 0 samples"')
  end)

  it("has no claims of a study's steps", function()
    local document <const> = judged()
    document.study = { name = "onset", reading = {} }
    has(render("tap", { document, judged() }), "1..2")
  end)
end)

describe("--junit", function()
  it("counts what passed, failed, was lost and withdrawn", function()
    has(render("junit", { judged(), ordinary() }),
      '<testsuites name="fake.lua" tests="7" failures="1" errors="2" time="0.000000010">',
      '  <testsuite name="fake" tests="6" failures="1" errors="1" skipped="2" time="0.000000005"'
        .. ' timestamp="2020-01-01T00:00:00">',
      '  <testsuite name="fake" tests="1" failures="0" errors="1" skipped="0" time="0.000000005"'
        .. ' timestamp="2020-01-01T00:00:00">')
  end)

  it("says why", function()
    has(render("junit", { judged() }),
      '      <error message="Samples lost: 1 of 3; warm: timed out (round 1)" type="samples lost">'
        .. "Samples lost: 1 of 3; warm: timed out (round 1)</error>",
      '      <failure message="not &lt;so&gt;" type="claim failed">not &lt;so&gt;</failure>',
      '      <skipped message="withdrawn: no huge page"/>',
      "      <system-out>asked instead of: it is huge",
      "16 in each</system-out>")
  end)
end)
