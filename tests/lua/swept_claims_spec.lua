local fr <const> = require "frlua"
local sessions <const> = require "sessions"
local swept_claims <const> = require "frlua.swept_claims"

local SWEEP <const> = { name = "lines", values = { 32, 8, 16 } }

local function arms()
  local list <const> = { { name = "other" } }
  for _, value in ipairs(SWEEP.values) do
    for _, group in ipairs { "packed", "spread" } do
      list[#list + 1] = { name = ("%s, %d lines"):format(group, value), group = group }
    end
  end
  return list
end

local function expanded(test, fields)
  local all <const> = fields or {}
  all.test = test
  return swept_claims.expand({ fr.claim "it" (all) }, arms(), SWEEP)[1]
end

local function walk(arm) return { arm = arm, metric = "walk" } end

local function below(where)
  return fr.below { "spread", than = "packed", metric = "walk", factor = 0.5, where = where }
end

describe("a claim about arms that a sweep made", function()
  it("is about every value, in the order of the script", function()
    local test <const> = expanded(below()).test
    assert.equal("all", test.form)
    local written <const> = {}
    for index, part in ipairs(test.tests) do
      written[index] = { part.form, part.value.arm, part.than.arm, part.than.metric, part.factor }
    end
    assert.same({
      { "below", "spread, 32 lines", "packed, 32 lines", "walk", 0.5 },
      { "below", "spread, 8 lines", "packed, 8 lines", "walk", 0.5 },
      { "below", "spread, 16 lines", "packed, 16 lines", "walk", 0.5 },
    }, written)
  end)

  it("is about the values that 'where' names, in its order", function()
    local test <const> = expanded(below { lines = { 16, 32 } }).test
    assert.same({ "spread, 16 lines", "spread, 32 lines" },
      { test.tests[1].value.arm, test.tests[2].value.arm })
    assert.is_nil(test.tests[1].where)
    assert.equal(2, #test.tests)
  end)

  it("is one test where one value is meant", function()
    local test <const> = expanded(below { lines = { 8 } }).test
    assert.same({ "below", "spread, 8 lines", "packed, 8 lines" },
      { test.form, test.value.arm, test.than.arm })
    assert.is_nil(test.where)
  end)

  it("may compare them with arms that no sweep made", function()
    local test <const> = expanded(fr.above { "spread", than = "other", metric = "walk",
      where = { lines = { 8 } } }).test
    assert.same({ walk "spread, 8 lines", walk "other" }, { test.value, test.than })
  end)

  it("has the arms of one value together, in tests of several", function()
    local where <const> = { lines = { 8 } }
    assert.same({ walk "packed, 8 lines", walk "spread, 8 lines" },
      expanded(fr.same { "packed", "spread", metric = "walk", within = 0.1, where = where })
        .test.values)
    assert.same({ "packed, 8 lines", "spread, 8 lines" },
      expanded(fr.same_sets { "packed", "spread", where = where }).test.arms)
    assert.equal("spread, 8 lines", expanded(fr.huge { "spread", where = where }).test.arm)
    assert.equal(3, #expanded(fr.huge "spread").test.tests)
  end)

  it("is written out in parts, in needs and in what is asked otherwise", function()
    local one <const> = { lines = { 8 } }
    local claim <const> = expanded(fr.all { below(one), fr.granted "other" }, {
      needs = { fr.huge "spread", fr.huge "other" },
      otherwise = fr.claim "instead" { test = below { lines = { 16 } } },
    })
    assert.same({ "spread, 8 lines", "other" },
      { claim.test.tests[1].value.arm, claim.test.tests[2].arm })
    assert.same({ 3, "other" }, { #claim.needs[1].tests, claim.needs[2].arm })
    assert.equal("spread, 16 lines", claim.otherwise.test.value.arm)
    assert.equal("instead", claim.otherwise.name)
  end)

  it("leaves alone what names the arms as they are", function()
    local test <const> = fr.below { "spread, 8 lines", than = "packed, 8 lines", metric = "walk" }
    assert.equal(test, expanded(test).test)
  end)

  it("leaves the script's own tests as they were", function()
    local test <const> = below { lines = { 8 } }
    expanded(test)
    assert.same({ "spread", { lines = { 8 } } }, { test.value.arm, test.where })
  end)
end)

describe("a claim over a sweep", function()
  local function step(where)
    return fr.onset { "spread", than = "packed", metric = "walk", over = "lines", is = "lasting",
      where = where }
  end

  it("has a row for every value, rising", function()
    local test <const> = expanded(step()).test
    assert.same({
      { at = 8, value = walk "spread, 8 lines", than = walk "packed, 8 lines" },
      { at = 16, value = walk "spread, 16 lines", than = walk "packed, 16 lines" },
      { at = 32, value = walk "spread, 32 lines", than = walk "packed, 32 lines" },
    }, test.rows)
    assert.same({ "onset", "lasting", "lines", 0.05 },
      { test.form, test.is, test.over, test.within })
    assert.is_nil(test.value)
    assert.is_nil(test.than)
  end)

  it("has those that 'where' names, rising", function()
    local rows <const> = expanded(step { lines = { 32, 8 } }).test.rows
    assert.same({ 2, 8, 32 }, { #rows, rows[1].at, rows[2].at })
  end)

  it("is monotone over the values, rising", function()
    local test <const> = expanded(fr.monotone { "spread", over = "lines", metric = "walk" }).test
    assert.same({ walk "spread, 8 lines", walk "spread, 16 lines", walk "spread, 32 lines" },
      test.values)
    assert.is_nil(test.over)
    assert.is_nil(test.value)
  end)
end)

describe("a claim about a sweep that there is not", function()
  local function told(test, sweep)
    return sessions.told(([[
local line = fr.geometry { line = 64 }.line_bytes
return fr.experiment "e" {
  regions = { fr.region "b" { bytes = 4096 } }, %s
  metrics = { fr.metric "walk" { at = 1 } },
  claims = { fr.claim "it" { test = %s } },
}]]):format(sweep == false
      and 'arms = { fr.arm "spread" { fr.phase "p" { fr.read "b" } },'
        .. ' fr.arm "packed" { fr.phase "p" { fr.read "b" } } },'
      or 'sweep = { lines = { 32, 8 } }, timed = { fr.chase {} }, arms = {'
        .. ' fr.arm "spread" { layout = fr.layout { gap = 2 * line } },'
        .. ' fr.arm "packed" { layout = fr.layout { gap = line } } },', test))
  end
  local BELOW <const> = 'fr.below { "spread", than = "packed", metric = "walk", where = %s }'

  it("is refused, with what there is", function()
    for where, expected in pairs {
      ["{ lines = { 9 } }"] = "lines 9 in where in fr.below of claim 'it' is none of the sweep's"
        .. " values: 32, 8",
      ["{ lines = {} }"] = "where in fr.below of claim 'it' names no value",
      ["{ gap = { 8 } }"] = "'gap'", ["{ lines = 8 }"] = "where in fr.below of claim 'it'",
    } do
      local message <const> = told(BELOW:format(where))
      assert.matches("^user%.lua:%d+: ", message)
      assert.matches(expected, message, 1, true)
    end
  end)

  it("is refused over another parameter", function()
    local message <const> = told 'fr.monotone { "spread", over = "gap", metric = "walk" }'
    assert.matches("over in fr.monotone of claim 'it'", message, 1, true)
    assert.matches("'gap'", message, 1, true)
    assert.matches("user%.lua:%d+: over in fr%.onset",
      told 'fr.onset { "spread", than = "packed", metric = "walk", is = "lasting" }')
  end)

  it("is refused of arms that no sweep made", function()
    local expected <const> = "of claim 'it' is about no arm that a sweep made: 'where' and 'over'"
      .. " mean nothing there"
    for _, test in ipairs { BELOW:format "{ lines = { 8 } }",
      'fr.monotone { "spread", over = "lines", metric = "walk" }',
      'fr.onset { "spread", than = "packed", metric = "walk", over = "lines", is = "lasting" }',
    } do assert.matches(expected, told(test, false), 1, true) end
    assert.matches(expected, told 'fr.huge { "spread, 8 lines", where = { lines = { 8 } } }', 1,
      true)
  end)
end)
