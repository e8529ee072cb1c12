local claim_design <const> = require "frlua.claim_design"
local fr <const> = require "frlua"
local json <const> = require "frlua.json"
local sessions <const> = require "sessions"

setup(sessions.open)
teardown(sessions.close)

local TEST <const> = fr.below { "a", than = "b", metric = "time" }

-- An experiment of the arms a, b and c, or of modes.
local function experiment(claims, fields)
  local arms <const> = {}
  for index, name in ipairs { "a", "b", "c" } do
    arms[index] = fr.arm(name) { fr.phase "work" { fr.write "buffer" } }
  end
  local all <const> = {
    regions = { fr.region "buffer" { bytes = 4096 } }, arms = arms, claims = claims,
    metrics = { fr.metric "time" { at = 1 }, fr.metric "faults" { faults_at = 1 } },
  }
  for key, value in pairs(fields or {}) do all[key] = value end
  return fr.experiment "e" (all)
end

local MODES <const> = { arms = fr.modes { "natural" }, timed = { fr.write "buffer" },
  steps = { fr.step "warm" { fr.write "buffer" }, fr.step "spin" { fr.spin { ms = 1 } } } }

local function names_of(arms)
  local names <const> = {}
  for index, arm in ipairs(arms) do names[index] = arm.name end
  return names
end

describe("a claim", function()
  it("is plain data, which JSON can hold", function()
    local claim <const> = fr.claim "s" { needs = fr.huge { "a", region = "r" }, test = TEST,
      otherwise = fr.claim "t" { test = fr.exact { "a", "faults", 1 } } }
    assert.equal('{"kind":"claim","name":"s","needs":[{"arm":"a","form":"huge","kind":"test",'
      .. '"region":"r"}],"otherwise":{"kind":"claim","name":"t","test":{"count":1,"form":"exact",'
      .. '"kind":"test","value":{"arm":"a","metric":"faults"}}},"test":{"factor":1,"form":"below",'
      .. '"kind":"test","than":{"arm":"b","metric":"time"},"value":{"arm":"a","metric":"time"}}}',
      json.encode(claim))
  end)

  it("compares two metrics, also of one arm", function()
    local test <const> = fr.above { { "a", "iter2" }, than = { "a", "steady" } }
    assert.same({ arm = "a", metric = "iter2" }, test.value)
    assert.same({ arm = "a", metric = "steady" }, test.than)
    assert.same({ arm = "b", metric = "m" },
      fr.above { { "a", "x" }, than = "b", metric = "m" }.than)
  end)

  for what, told in pairs {
    ["fr.claim '' {}"] = "the name of fr.claim must be a text that is not empty",
    ["fr.claim 's' {}"] = "fr.claim 's' has no test",
    ["fr.claim 's' { test = a }"] = "entry 1 of test in fr.claim 's' is an fr.claim",
    ["fr.claim 's' { test = b, othrwise = a }"] = "did you mean 'otherwise'?",
    ["fr.claim 's' { test = b, otherwise = b }"] = "expected fr.claim '…' { … }",
    ["fr.claim 's' { test = b, otherwise = a }"] = "has 'otherwise', but no 'needs'",
    ["fr.claim 's' { test = b, needs = {} }"] = "needs in fr.claim 's' names nothing",
    ["fr.claim 's' { test = b, needs = 'x' }"] = "needs in fr.claim 's' must be given a table",
    ["fr.below { 'x' , metric = 'm' }"] = "fr.below does not say than what",
    ["fr.below { 'x', than = 'y' }"] = "does not say which metric of arm 'x'",
    ["fr.below { 'x', 'z', than = 'y', metric = 'm' }"] = "fr.below takes 1 entry, not 2",
    ["fr.below { 'x', than = 'x', metric = 'm' }"] = "compares m of 'x' with itself",
    ["fr.below { 'x', than = 'y', metric = 'm', factor = 0 }"] = "must be above 0, not 0",
    ["fr.below { 'x', than = 'y', metric = 'm', factor = 'b' }"] = "factor in fr.below must be",
    ["fr.below { 7, than = 'y', metric = 'm' }"] = "fr.below compares 7: expected an arm's name",
    ["fr.below { 'x', than = 'y', metric = 'm', factr = 2 }"] = "did you mean 'factor'?",
    ["fr.same { 'x', metric = 'm', within = 1 }"] = "fr.same needs two values or more",
    ["fr.same { 'x', 'y', metric = 'm' }"] = "within in fr.same must be a finite number",
    ["fr.same { within = 0.1 }"] = "metric in fr.same must be a text",
    ["fr.same { 'x', 'x', metric = 'm', within = 1 }"] = "compares m of 'x' with itself",
    ["fr.monotone { metric = 'm' }"] = "arms in fr.monotone must be given a table",
    ["fr.exact { 'x', 'm' }"] = "fr.exact takes 3 entries, not 2",
    ["fr.exact { 'x', 'm', 1.5 }"] = "the count of fr.exact must be a whole number",
    ["fr.all {}"] = "fr.all has no tests",
    ["fr.all { 1 }"] = "entry 1 of fr.all is 1: expected tests",
    ["fr.huge {}"] = "fr.huge takes 1 entry, not 0",
    ["fr.belw { 'x' }"] = "did you mean 'below'?",
  } do
    it("is refused at its line for " .. what, function()
      assert.matches("user.lua:2: .*" .. told:gsub("%p", "%%%0"),
        sessions.told("local c = " .. what, fr.claim "q" { test = TEST }, TEST))
    end)
  end
end)

describe("the claims of an experiment", function()
  it("name its arms, metrics and regions", function()
    for told, test in pairs {
      ["unknown arm 'bb' in fr.below of claim 's'"] =
        fr.below { "bb", than = "b", metric = "time" },
      ["unknown arm 'd'"] = fr.monotone { arms = { "a", "d" }, metric = "time" },
      ["unknown metric 'tme'"] = fr.below { "a", than = "b", metric = "tme" },
      ["metric 'faults' in fr.same"] = fr.same { metric = "faults", within = 1 },
      ["metric 'time' in fr.exact of claim 's' in fr.experiment 'e' does not count in faults"] =
        fr.exact { "a", "time", 3 },
      ["unknown region 'bufer'"] = fr.huge { "a", region = "bufer" },
      ["unknown arm 'x'"] = fr.all { TEST, fr.all { fr.huge "x" } },
    } do
      assert.error_matches(function() experiment { fr.claim "s" { test = test } } end, told, 1,
        true)
      assert.error_matches(function()
        experiment { fr.claim "s" { needs = TEST, test = TEST, otherwise = fr.claim "s" {
          test = TEST, needs = test } } }
      end, told, 1, true)
    end
  end)

  it("compare what the arms have, and what is measured by one thing", function()
    local fields <const> = {
      regions = { fr.region "buffer" { bytes = 4096 }, fr.region "other" { bytes = 4096 } },
      arms = {
        fr.arm "a" { fr.phase "work" { fr.write "buffer" } },
        fr.arm "b" { fr.phase "first" { fr.write "other" }, fr.phase "work" { fr.write "other" } },
      },
      metrics = { fr.metric "time" { phase = "work" }, fr.metric "first" { phase = "first" },
        fr.metric "each" { phase = "work", per = "page" } },
    }
    for told, test in pairs {
      ["has first of 'a', which has no phase 'first'"] =
        fr.below { "b", than = "a", metric = "first" },
      ["fr.same of claim 's' in fr.experiment 'e' has first of 'a'"] =
        fr.same { metric = "first", within = 1 },
      ["has both each, for each page, and time, of the whole"] =
        fr.below { { "a", "each" }, than = { "b", "time" } },
      ["has both process, of the whole, and each, for each page"] =
        fr.below { { "a", "process" }, than = { "b", "each" } },
      ["unknown region 'other' in fr.huge"] = fr.huge { "a", region = "other" },
    } do
      assert.error_matches(function() experiment({ fr.claim "s" { test = test } }, fields) end,
        told, 1, true)
    end
    experiment({ fr.claim "s" { test = fr.below { "b", than = "a", metric = "each" } } }, fields)
  end)

  it("may be about the whole process", function()
    experiment { fr.claim "s" { test = fr.below { "a", than = "b", metric = "process" } } }
  end)

  it("may be about modes that this run leaves out, named as arms are", function()
    local found <const> = experiment({ fr.claim "s" { test = fr.below { "warm , spin",
      than = "natural", metric = "time" } } }, MODES)
    assert.equal("warm,spin", found.claims[1].test.value.arm)
    assert.error_matches(function()
      experiment({ fr.claim "s" { test = fr.below { "wrm", than = "natural", metric = "time" } } },
        MODES)
    end, "did you mean 'warm'?", 1, true)
  end)

  it("have different names, and leave the names of twins alone", function()
    assert.error_matches(function()
      experiment { fr.claim "s" { test = TEST }, fr.claim "s" { test = TEST } }
    end, "names claim 's' twice", 1, true)
    local twin <const> = fr.arm "a (twin)" { fr.phase "work" { fr.write "buffer" } }
    assert.error_matches(function()
      experiment({ fr.claim "s" { test = fr.same { metric = "time", within = 1 } } },
        { arms = { twin } })
    end, "has the name of a twin", 1, true)
  end)
end)

describe("the rounds of an experiment with claims", function()
  local function claims(...)
    local list <const> = {}
    for index, test in ipairs { ... } do list[index] = fr.claim("s" .. index) { test = test } end
    return list
  end
  local swapped <const> = fr.above { "b", than = "a", metric = "time", factor = 2 }
  local same <const> = fr.same { "a", "b", metric = "time", within = 0.1 }

  it("are ten at least, more when the script says so", function()
    assert.equal(10, experiment(claims(TEST), { rounds = 5 }).rounds)
    assert.equal(15, experiment(claims(TEST), { rounds = 15 }).rounds)
    assert.equal(5, experiment({}, { rounds = 5 }).rounds)
    assert.equal(5, experiment(claims(TEST), { rounds = 5, keep_rounds = true }).rounds)
  end)

  it("are twenty where more than two claims rest on one contrast", function()
    assert.equal(10, experiment(claims(TEST, swapped)).rounds)
    assert.equal(20, experiment(claims(TEST, swapped, same)).rounds)
    assert.equal(20, experiment(claims(TEST, swapped,
      fr.same { metric = "time", within = 0.1 })).rounds)
    assert.equal(20, experiment(claims(TEST, swapped,
      fr.monotone { arms = { "c", "a", "b" }, metric = "time" })).rounds)
    assert.equal(10, experiment(claims(TEST, swapped,
      fr.monotone { arms = { "a", "c", "b" }, metric = "time" })).rounds)
    assert.equal(10, experiment(claims(TEST, swapped,
      fr.below { "a", than = "b", metric = "process" })).rounds)
  end)

  it("do not count what one claim says twice", function()
    assert.equal(10, experiment(claims(fr.all { TEST, swapped, same }, TEST)).rounds)
  end)
end)

describe("twins", function()
  local function with_twins(claims, arms)
    local found <const> = experiment(claims)
    return names_of(claim_design.with_twins(arms or found.arms, found.claims))
  end

  it("are those of the arms that differences are claimed from", function()
    assert.same({ "a", "b", "c", "b (twin)" }, with_twins { fr.claim "s" { test = TEST } })
    assert.same({ "a", "b", "c", "b (twin)", "c (twin)" }, with_twins {
      fr.claim "s" { test = fr.all { TEST, fr.above { "a", than = "c", metric = "time" } } },
      fr.claim "t" { test = fr.above { "a", than = "b", metric = "process", factor = 2 } },
    })
  end)

  it("are those that are named, too", function()
    local found <const> = experiment({}, { twins = { "c" } })
    assert.same({ "a", "b", "c", "c (twin)" },
      names_of(claim_design.with_twins(found.arms, found.claims, found.twins)))
    assert.error_matches(function() experiment({}, { twins = { "d" } }) end, "unknown arm 'd'", 1,
      true)
  end)

  it("come with needs, and with what is asked otherwise", function()
    assert.same({ "a", "b", "c", "b (twin)", "c (twin)" }, with_twins { fr.claim "s" {
      needs = fr.below { "a", than = "c", metric = "time" }, test = fr.exact { "a", "faults", 1 },
      otherwise = fr.claim "t" { test = TEST },
    } })
  end)

  it("are not needed where nothing differs by claim, or was not run", function()
    assert.same({ "a", "b", "c" }, with_twins { fr.claim "s" { test = fr.all {
      fr.same { metric = "time", within = 0.1 }, fr.exact { "a", "faults", 1 },
      fr.below { "a", than = "b", metric = "time", factor = 1.1 },
    } } })
    assert.same({ "b" }, with_twins({ fr.claim "s" { test = TEST } },
      { { name = "b", phases = {} } }))
    assert.same({ "a", "b", "c" }, with_twins {})
  end)

  it("are the same arm under another name", function()
    local found <const> = experiment { fr.claim "s" { test = TEST } }
    local all <const> = claim_design.with_twins(found.arms, found.claims)
    assert.equal("b", all[4].twin_of)
    assert.equal(all[2].phases, all[4].phases)
    assert.equal(3, #found.arms)
  end)
end)
