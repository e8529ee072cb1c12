local sessions <const> = require "sessions"

local told <const> = sessions.told

local function refusal(line)
  return (told("local _ = fr." .. line):gsub("^user.lua:2: ", ""))
end

describe("an arm that prints", function()
  it("is refused where it makes no sense", function()
    for line, message in pairs {
      ["arm 'a' { command = { 'x' }, prints = 'reading' }"] =
        "unknown prints 'reading' in fr.arm 'a': did you mean 'readings'?",
      ["arm 'a' { fr.phase 'p' { fr.write 'b' }, prints = 'readings' }"] =
        "fr.arm 'a' has prints, and is no command, which alone makes use of it",
      ["arm 'a' { command = { 'x' }, calls_of = '/lib' }"] =
        "fr.arm 'a' has calls_of, but prints no readings of calls: prints = 'readings'",
      ["arm 'a' { command = { 'x' }, env = { ['A=B'] = '1' } }"] =
        "'A=B' is no name of an environment variable, in env of fr.arm 'a'",
      ["arm 'a' { command = { 'x' }, set_env = { A = false } }"] =
        "A of set_env of fr.arm 'a' must be a text without NUL bytes, not false",
      ["metric 'm' { printed = 'a', at = 1, of = 'mean' }"] =
        "fr.metric 'm' has both at and of: of a list one entry, or what all are reduced to",
      ["metric 'm' { printed = 'a', phase = 'p' }"] =
        "fr.metric 'm' is of what a command prints, and has phase beside it",
      ["metric 'm' { at = 1, of = 'mean' }"] =
        "of in fr.metric 'm' is of lists that a command prints",
      ["bound { 'a' }"] = "unknown binding nil in fr.bound: known are 'lazy', 'now'",
      ["split 's' { whole = { 'a', 'm' }, needs = fr.huge 'a', fr.part 'p' { { 'a', 'm' } } }"] =
        "entry 1 of needs in fr.split 's' is an fr.huge: expected fr.bound or fr.granted",
    } do
      assert.equal(message, refusal(line))
    end
  end)

  it("is what its metrics, and the evidence of its calls, need", function()
    local function experiment(fields)
      return refusal("experiment 'x' { arms = { fr.arm 'a' { command = { 'x' } },"
        .. " fr.arm 'b' { command = { 'x' }, prints = 'readings' } },"
        .. " metrics = { fr.metric 'm' { printed = 'n' } }, " .. fields .. " }")
    end
    local function claim(test)
      return experiment("claims = { fr.claim 'c' { test = " .. test .. " } }")
    end
    local silent <const> = "'x': arm 'a' prints no readings: prints = 'readings'"
    assert.equal("fr.below of claim 'c' in fr.experiment 'x' has m of 'a', which prints no"
      .. " readings", claim "fr.below { 'b', than = 'a', metric = 'm' }")
    assert.equal("fr.bound of claim 'c' in fr.experiment " .. silent,
      claim "fr.bound { 'a', as = 'now' }")
    assert.equal("fr.bound of split 's' in fr.experiment " .. silent,
      experiment("splits = { fr.split 's' { whole = { 'b', 'm' },"
        .. " needs = fr.bound { 'a', as = 'now' }, fr.part 'p' { { 'b', 'm' } } } }"))
  end)
end)
