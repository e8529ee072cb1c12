--- The words of claims: fr.claim, and the tests that it is made of. All of them make plain data,
--- which is kept in the result and judged by frlua.verdict.
local check <const> = require "frlua.check"
local grammar <const> = require "frlua.grammar"
local measures <const> = require "frlua.measures"

local claims <const> = {}

---@class frlua.Claim
---@field kind "claim"
---@field name string the sentence
---@field needs frlua.Test[]? evidence and tests that must hold for the claim to be made
---@field test frlua.Test
---@field otherwise frlua.Claim? what is asked when a need is contrary

---@class frlua.Test one of several forms, told apart by `form`
---@field kind "test"
---@field form "below"|"above"|"same"|"exact"|"monotone"|"onset"|"all"|"huge"|"granted"|"bound"|
---  "same_sets"
---@field value { arm: string, metric: string }? of below, above and exact
---@field than { arm: string, metric: string }? of below and above
---@field factor number? of below and above
---@field values { arm: string, metric: string }[]? of same and monotone
---@field metric string? of same over all arms
---@field within number? of same and monotone
---@field count integer? of exact
---@field tests frlua.Test[]? of all
---@field arm string? of huge, granted and bound
---@field as "lazy"|"now"? of bound
---@field region string? of huge
---@field arms string[]? of same_sets
---@field is string? of onset
---@field where table<string, integer[]>? of arms that a sweep made: which of its values are meant;
---  frlua.swept_claims writes such tests out

-- An arm's name, whose metric is the test's, or a pair { arm, metric }.
local function value_of(item, metric, what)
  if type(item) == "table" then return measures.value_of(item, "a value of " .. what) end
  if type(item) ~= "string" or item == "" then
    check.fail(("%s compares %s: expected an arm's name or { 'arm', 'metric' }")
      :format(what, check.show(item)))
  end
  if not metric then
    check.fail(("%s does not say which metric of arm '%s': metric = '…', or { '%s', '…' }")
      :format(what, item, item))
  end
  return { arm = item, metric = check.text(metric, "metric in " .. what) }
end

local function positive(number, what)
  if check.number(number, what, 0) == 0 then check.fail(what .. " must be above 0, not 0") end
  return tonumber(number)
end

local function check_entries(fields, wanted, what)
  if #fields ~= wanted then
    check.fail(("%s takes %d %s, not %d"):format(what, wanted,
      wanted == 1 and "entry" or "entries", #fields))
  end
end

local function check_distinct(values, what)
  local seen <const> = {}
  for _, value in ipairs(values) do
    local name <const> = ("%s of '%s'"):format(value.metric, value.arm)
    if seen[name] then check.fail(("%s compares %s with itself"):format(what, name)) end
    seen[name] = true
  end
  return values
end

local function comparison(form)
  local what <const> = "fr." .. form
  return function(fields)
    check.keys(fields, { "than", "metric", "factor", "where", entries = true }, what)
    check_entries(fields, 1, what)
    if fields.than == nil then check.fail(what .. " does not say than what: than = '…'") end
    local value <const> = value_of(fields[1], fields.metric, what)
    local than <const> = value_of(fields.than, fields.metric, what)
    check_distinct({ value, than }, what)
    return {
      kind = "test",
      form = form,
      value = value,
      than = than,
      factor = positive(fields.factor or 1, "factor in " .. what),
      where = fields.where,
    }
  end
end

---A value is below `factor` (1 by default) times another one of the same rounds. `fr.below {
---"prefault", than = "natural", metric = "iter1", factor = 0.5 }`; values of two metrics are pairs:
---`fr.below { { "prefault", "steady" }, than = { "prefault", "iter2" } }`. Of arms that a sweep
---made, by their name in the script, it is about every value, or about those that `where` names:
---`where = { lines = { 128, 256 } }`; likewise in the other tests.
---@type fun(fields: table): frlua.Test
claims.below = comparison "below"

---A value is above `factor` times another one, likewise.
---@type fun(fields: table): frlua.Test
claims.above = comparison "above"

local function values_of(fields, what)
  local values <const> = {}
  for index, item in ipairs(fields) do values[index] = value_of(item, fields.metric, what) end
  if #values < 2 then check.fail(what .. " needs two values or more to compare") end
  return check_distinct(values, what)
end

---Any two of the values differ by less than `within`: their ratio lies between 1 / (1 + within)
---and 1 + within. `fr.same { "natural", "prefault", metric = "steady", within = 0.1 }`; without
---arms it is about all that ran.
---@param fields table
---@return frlua.Test
function claims.same(fields)
  local what <const> = "fr.same"
  check.keys(fields, { "metric", "within", "where", entries = true }, what)
  local of_all <const> = #fields == 0
  return {
    kind = "test",
    form = "same",
    values = not of_all and values_of(fields, what) or nil,
    metric = of_all and check.text(fields.metric, "metric in " .. what) or nil,
    within = positive(fields.within, "within in " .. what),
    where = fields.where,
  }
end

---Each value is not below the one before it by more than a factor of 1 + within (0.1 by default).
---`fr.monotone { arms = { "8 pages", "16 pages", "32 pages" }, metric = "steady" }`, or of an arm
---over a sweep `fr.monotone { "spread", over = "lines", metric = "walk" }`
---@param fields table
---@return frlua.Test
function claims.monotone(fields)
  local what <const> = "fr.monotone"
  check.keys(fields, { "arms", "metric", "within", "over", "where", entries = true }, what)
  local test <const> = {
    kind = "test", form = "monotone", where = fields.where,
    within = positive(fields.within or 0.1, "within in " .. what),
  }
  if fields.over then
    check_entries(fields, 1, what)
    test.over, test.value = fields.over, value_of(fields[1], fields.metric, what)
    return test
  end
  check_entries(fields, 0, what)
  check.keys(fields.arms, { entries = true }, "arms in " .. what)
  local list <const> = table.move(fields.arms, 1, #fields.arms, 1, { metric = fields.metric })
  test.values = values_of(list, what)
  return test
end

-- What fr.onset may say of a step.
local ASPECTS <const> = { "flat below", "one row wide", "flat above", "lasting" }

---Something about the step that the ratio of two arms makes over a sweep, see frlua.steps; rows
---whose ratio is within `within` (0.05), or within what the arm behind `than` differs by when it is
---run twice, are flat. `is`: "flat below", the rows before the step straddle 1 without a trend;
---"one row wide", no row lies between them and the plateau; "flat above", the plateau has no trend,
---and stays within `within` (0.1 here); "lasting", no row behind the step is flat again. `fr.onset
---{ "spread", than = "packed", metric = "walk", over = "lines", is = "one row wide" }`
---@param fields table
---@return frlua.Test
function claims.onset(fields)
  local what <const> = "fr.onset"
  check.keys(fields, { "than", "metric", "over", "is", "within", "where", entries = true }, what)
  check_entries(fields, 1, what)
  local value <const> = value_of(fields[1], fields.metric, what)
  local than <const> = value_of(fields.than, fields.metric, what)
  local aspect <const> = check.one_of(fields.is, ASPECTS, "aspect", what)
  return {
    kind = "test", form = "onset", value = value, than = than, is = aspect,
    over = check.text(fields.over, "over in " .. what), where = fields.where,
    within = positive(fields.within or aspect == "flat above" and 0.1 or 0.05,
      "within in " .. what),
  }
end

---Evidence that layouts put their lines into the same sets of the first-level cache, so many into
---each: what two arms differ by is then no matter of sets. Counted in every sample; where the
---design contradicts it already, nothing is run. `fr.same_sets { "packed", "spread" }`
---@param fields string[] arms
---@return frlua.Test
function claims.same_sets(fields)
  check.keys(fields, { "where", entries = true }, "fr.same_sets")
  if #fields < 2 then check.fail "fr.same_sets needs two arms or more to compare" end
  local arms <const> = {}
  for index, name in ipairs(fields) do
    arms[index] = check.text(name, ("entry %d of fr.same_sets"):format(index))
  end
  return { kind = "test", form = "same_sets", arms = arms, where = fields.where }
end

---A count has this one value in every process: `fr.exact { "natural", "faults", 128 }`.
---@param fields table
---@return frlua.Test
function claims.exact(fields)
  check.keys(fields, { entries = true }, "fr.exact")
  check_entries(fields, 3, "fr.exact")
  return {
    kind = "test",
    form = "exact",
    value = measures.value_of({ fields[1], fields[2] }, "fr.exact"),
    count = check.whole(fields[3], "the count of fr.exact", 0),
  }
end

local TESTS <const> = { test = true, wanted = "tests such as fr.below { … }" }

---All of several tests hold: `fr.all { fr.below { … }, fr.exact { … } }`.
---@param tests frlua.Test[]
---@return frlua.Test
function claims.all(tests)
  check.keys(tests, { entries = true }, "fr.all")
  if #tests == 0 then check.fail "fr.all has no tests" end
  return { kind = "test", form = "all", tests = grammar.list_of(TESTS, tests, "fr.all") }
end

---Evidence that an arm's memory was backed by huge pages: in each of its samples those that smaps
---told of cover the regions that it works on, all or the one named. `fr.huge "spread+2M"`,
---`fr.huge { "spread+2M", region = "lines" }`
---@param fields string|table
---@return frlua.Test
function claims.huge(fields)
  if type(fields) ~= "table" then fields = { fields } end
  check.keys(fields, { "region", "where", entries = true }, "fr.huge")
  check_entries(fields, 1, "fr.huge")
  return {
    kind = "test",
    form = "huge",
    arm = check.text(fields[1], "the arm of fr.huge"),
    region = fields.region and check.text(fields.region, "region in fr.huge"),
    where = fields.where,
  }
end

---Evidence that a step of a mode made data cold. The mode's arm chases a control before and after
---the step, see fr.step, and a reference walks memory: `after` must have become twice as slow as
---`before`, and may cost at most twice as much as a load from memory; more would be lost
---translations. All three are metrics per load.
---`fr.cold { "prefault,evict", before = "warm", after = "control", memory = { "dram", "line" } }`
---@param fields table
---@return frlua.Test
function claims.cold(fields)
  local what <const> = "fr.cold"
  check.keys(fields, { "before", "after", "memory", entries = true }, what)
  check_entries(fields, 1, what)
  local after <const> = { fields[1], check.text(fields.after, "after in " .. what) }
  local before <const> = { fields[1], check.text(fields.before, "before in " .. what) }
  return claims.all {
    claims.above { after, than = before, factor = 2 },
    claims.below { after, than = fields.memory, factor = 2 },
  }
end

---Evidence that the kernel did, in each sample of an arm, what it was asked for: it refused nothing
---that the sample went on without, and no loop stood in for it. `fr.granted "populate then touch"`
---@param name string
---@return frlua.Test
function claims.granted(name)
  return { kind = "test", form = "granted", arm = check.text(name, "the arm of fr.granted") }
end

local NEEDS <const> = { test = true, wanted = "evidence such as fr.huge 'arm', or a test" }

local function needs_of(needs, what)
  if needs == nil then return nil end
  if type(needs) == "table" and needs.kind == "test" then needs = { needs } end
  check.keys(needs, { entries = true }, "needs in " .. what)
  if #needs == 0 then check.fail("needs in " .. what .. " names nothing") end
  return grammar.list_of(NEEDS, needs, "needs in " .. what)
end

---A sentence and the test that decides whether it passes. `needs` (evidence, or tests) must hold
---for it to be made at all; where one is contrary, the claim `otherwise` is asked instead.
---`in_guest`: a text, why the machine below a hypervisor may be what a failure shows; in a guest
---the claim is then withdrawn where it would fail. `fr.claim "page faults are most of it" { test =
---fr.below { … } }`
claims.claim = grammar.named("claim", function(name, fields, what)
  check.keys(fields, { "needs", "test", "otherwise", "in_guest" }, what)
  local otherwise <const> = fields.otherwise
  if otherwise and not (type(otherwise) == "table" and otherwise.kind == "claim") then
    check.fail(("otherwise in %s is %s: expected fr.claim '…' { … }")
      :format(what, check.show(otherwise)))
  elseif otherwise and not fields.needs then
    check.fail(what .. " has 'otherwise', but no 'needs' that could be contrary")
  end
  return {
    kind = "claim", name = name, otherwise = otherwise,
    in_guest = fields.in_guest and check.text(fields.in_guest, "in_guest in " .. what),
    needs = needs_of(fields.needs, what),
    test = grammar.list_of(TESTS, { fields.test }, "test in " .. what)[1]
      or check.fail(what .. " has no test"),
  }
end)

return claims
