local compared <const> = require "compared"
local conditions <const> = require "frlua.compare.conditions"
local verdict_files <const> = require "frlua.report.verdict_files"

-- A comparison in which the times of "b" are about 1.8 times the base's.
local function slower()
  return compared.take(compared.run { seed = 1 }, compared.run { seed = 2, shift = { b = 6 } })
end

describe("a condition", function()
  it("is read in any spacing", function()
    for _, text in ipairs { "time > 5%", " time>5% ", "time > +5 %", "time > 5.0%" } do
      local condition <const> = assert(conditions.parse(text))
      assert.same({ "time", ">", 5.0 }, { condition.subject, condition.side,
        condition.percent + 0.0 })
    end
    assert.equal(-2.5, conditions.parse("a of b < -2.5%").percent)
  end)

  it("that is none is named, with what would be right", function()
    for text, expected in pairs {
      ["time 5%"] = "it has no > or < before a percentage",
      ["> 5%"] = "it names no metric",
      ["time > 5"] = "'5' lacks the %: a percentage of the base's value is meant",
      ["time > five%"] = "'five%' is no percentage",
      ["time > 5%%"] = "'5%%' is no percentage",
      ["time >= 5%"] = "'>=' is no comparison here: it is > or <",
      ["time < 5%"] = "'< 5%' may mean two things: '< -5%' is faster than that, "
        .. "'< +5%' not slower than that",
    } do
      local condition <const>, message <const> = conditions.parse(text)
      assert.is_nil(condition)
      assert.equal(("--fail-if '%s': %s; such as 'steady > 5%%' or 'steady of natural > 5%%'")
        :format(text, expected), message)
    end
  end)

  it("about nothing that was compared names the nearest", function()
    local document <const> = slower()
    for text, expected in pairs {
      ["tme > 5%"] = "there is no metric 'tme', did you mean 'time'?",
      ["time of bb > 5%"] = "there is no arm 'bb', did you mean 'b'?",
      ["nothing > 5%"] = "there is no metric 'nothing': there are 'time', 'faults', 'process'",
    } do
      local found <const>, message <const> =
        conditions.resolve({ conditions.parse(text) }, document)
      assert.is_false(found)
      assert.matches(expected, message, 1, true)
    end
  end)

  it("fails where the whole interval is above the bound, passes where it is below", function()
    local document <const> = slower()
    assert.same({ "pass", "fail", "pass" }, (compared.judge(document, "time > 30%")))
    assert.same({ "fail" }, (compared.judge(document, "time of b > 0%")))
    assert.same({ "pass" }, (compared.judge(document, "time of b > 200%")))
    local verdicts <const>, reasons <const> = compared.judge(document, "time of b > 80%")
    assert.same({ "withdrawn" }, verdicts)
    assert.matches("it holds the bound", reasons[1], 1, true)
  end)

  it("fails of what became faster by more only with a sign", function()
    local document <const> = compared.take(compared.run { seed = 1, shift = { b = 3 } },
      compared.run { seed = 2 })
    assert.same({ "fail" }, (compared.judge(document, "time of b < -5%")))
    assert.same({ "pass" }, (compared.judge(document, "time of b < -50%")))
    assert.same({ "fail" }, (compared.judge(document, "time of b < +5%")))
    assert.same({ "pass" }, (compared.judge(document, "time of b > 5%")))
  end)

  it("is not fulfilled by one row of many that clears it by chance", function()
    local document <const> = slower()
    for _, row in ipairs(document.rows) do row.p_holm = row.p_holm and 0.06 end
    local verdicts <const>, reasons <const> = compared.judge(document, "time of b > 0%")
    assert.same({ "withdrawn" }, verdicts)
    assert.matches("p is 0.06000 after Holm over all rows", reasons[1], 1, true)
  end)

  it("judges counts as whole numbers, from 0, too", function()
    local function faults(base, other)
      local function run(seed, list)
        return compared.run { seed = seed, names = { "a" }, faults = function(_, round)
          return list[1 + round % #list]
        end }
      end
      return compared.take(run(1, base), run(2, other))
    end
    for _, case in ipairs {
      { { 100 }, { 105 }, "faults > 5%", "pass" }, { { 100 }, { 106 }, "faults > 5%", "fail" },
      { { 0 }, { 1 }, "faults > 900%", "fail" }, { { 0 }, { 0 }, "faults > 0%", "pass" },
      { { 100 }, { 90 }, "faults > 0%", "pass" }, { { 100 }, { 90 }, "faults < -5%", "fail" },
      { { 100 }, { 100, 120 }, "faults > 5%", "withdrawn" },
      { { 100, 110 }, { 111 }, "faults > 0%", "fail" },
    } do
      assert.same({ case[4] }, (compared.judge(faults(case[1], case[2]), case[3])))
    end
  end)

  it("without a counterpart is withdrawn: silence is no pass", function()
    local document <const> = compared.take(compared.run { seed = 1, names = { "a", "b" } },
      compared.run { seed = 2, names = { "a" } })
    assert.same({ "withdrawn" }, (compared.judge(document, "time of b > 5%")))
    local verdicts <const>, reasons <const> = compared.judge(document, "time > 90%")
    assert.same({ "pass", "withdrawn" }, verdicts)
    assert.equal("unmatched: only in the base", reasons[2])
  end)

  it("of arms that were lost is withdrawn", function()
    local document <const> = compared.take(compared.run { seed = 1 }, compared.run { seed = 2,
      lost = function(arm, round) return arm == "b" and round == 1 end })
    assert.same({ "pass", "withdrawn", "pass" }, (compared.judge(document, "time > 90%")))
  end)

  it("may name metrics and arms that hold the word of", function()
    local document <const> = compared.take(compared.run { seed = 1, names = { "all of it" } },
      compared.run { seed = 2, names = { "all of it" } })
    assert.same({ "pass" }, (compared.judge(document, "time of all of it > 90%")))
  end)
end)

describe("verdicts as files", function()
  local list <const> = {
    { name = "a # b\n<c>", verdict = "pass", reason = "well" },
    { name = "d", verdict = "fail", reason = "\xFF & \"more\"" },
    { name = "e", verdict = "withdrawn", reason = "too few" },
  }

  it("are TAP, each in a line", function()
    assert.equal("TAP version 13\n1..3\nok 1 - a \\# b\\\\10<c>\n# well\nnot ok 2 - d\n"
      .. "# \u{FFFD} & \"more\"\nok 3 - e # SKIP withdrawn: too few\n", verdict_files.tap(list))
  end)

  it("are XML, with the counts of each kind", function()
    local text <const> = verdict_files.junit(list, "s")
    assert.matches('tests="3" failures="1" errors="0" skipped="1"', text, 1, true)
    assert.matches('name="a # b\\10&lt;c&gt;"', text, 1, true)
    assert.matches('<failure message="\u{FFFD} &amp; &quot;more&quot;"/>', text, 1, true)
    assert.matches('<skipped message="withdrawn: too few"/>', text, 1, true)
  end)

  it("are one for each row where there is no condition", function()
    local verdicts <const> = {}
    for index, judged in ipairs(conditions.of_rows(slower())) do
      verdicts[index] = judged.verdict:sub(1, 1)
    end
    assert.equal("pfp" .. "ppp" .. "pfp", table.concat(verdicts))
  end)
end)
