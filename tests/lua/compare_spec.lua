local compared <const> = require "compared"
local comparison <const> = require "frlua.compare.comparison"
local core <const> = require "frlua.core"
local files <const> = require "frlua.files"
local json <const> = require "frlua.json"
local rank_sum <const> = require "frlua.rank_sum"
local schema <const> = require "frlua.schema"
local simulated <const> = require "simulated"
local sources <const> = require "frlua.compare.sources"

local function of_rows(document, key)
  local list <const> = {}
  for index, row in ipairs(document.rows) do list[index] = row[key] end
  return list
end

-- Every objection to comparing two documents, in one text.
local function refused(...)
  local document <const>, objections <const> = comparison.take(compared.sources { ... }, false)
  assert.is_nil(document)
  local texts <const> = {}
  for index, item in ipairs(objections) do texts[index] = item.file .. " " .. item.objection end
  return table.concat(texts, "\n")
end

local function assert_valid(document)
  local root <const> = json.decode(files.read(core.root
    .. "/share/frlua/lua/frlua/compare.schema.json"))
  assert.same({}, schema.findings(json.decode(comparison.encode(document)), root, "comparison"))
end

describe("the rows of a comparison", function()
  it("stand in the order of the base's metrics, arms, and the files", function()
    local document <const> = compared.take(compared.run { seed = 1, names = { "b", "a" } },
      compared.run { seed = 2, names = { "a", "b" } }, compared.run { seed = 3, names = { "a" } })
    local seen <const> = {}
    for index, row in ipairs(document.rows) do
      seen[index] = ("%s %s %s"):format(row.metric, row.arm, row.file)
    end
    assert.same({ "time b B", "time a B", "time a C", "faults b B", "faults a B", "faults a C",
      "process b B", "process a B", "process a C" }, seen)
    assert_valid(document)
  end)

  it("have the medians, p and ratio of one value for each process", function()
    local a <const>, b <const> = { 100, 300, 200, 500, 400 }, { 550, 250, 450, 650, 350 }
    local function run(list)
      return simulated.document({ "x" }, {}, 5, 1, function(_, round)
        return { ns = 1000 * list[round] }
      end)
    end
    local row <const> = compared.take(run(a), run(b)).rows[1]
    assert.same({ 300000, 450000 }, { row.base.median, row.other.median })
    assert.same({ 5, 5 }, { row.base.n, row.other.n })
    assert.equal(19, row.u) -- of 25 pairs, counted by hand, as the 13th of their ratios is
    assert.equal(rank_sum.test(a, b).p, row.p)
    assert.equal(1.5, row.ratio_of_medians)
    assert.equal(450 / 300, row.ratio)
  end)

  it("have p after Holm over all of them, files and arms", function()
    local document <const> = compared.take(compared.run { seed = 1 },
      compared.run { seed = 2, shift = { b = 3 } }, compared.run { seed = 3 })
    assert.equal(12, document.tests) -- 3 arms, time and process, 2 files
    local smallest, holm = 1, 1
    for _, row in ipairs(document.rows) do
      if row.p and row.p < smallest then smallest, holm = row.p, row.p_holm end
    end
    assert.near(12 * smallest, holm, 1e-15)
    for _, row in ipairs(document.rows) do
      local expected <const> = row.unit == "faults" and "same"
        or row.arm == "b" and row.file == "B" and "slower" or "not told apart"
      assert.equal(expected, row.verdict)
    end
  end)

  it("find a faster one, too", function()
    local document <const> = compared.take(compared.run { seed = 1, names = { "a" } },
      compared.run { seed = 2, names = { "a" }, shift = { a = -3 } })
    assert.same({ "faster", "same", "faster" }, of_rows(document, "verdict"))
  end)

  it("compare counts exactly: one other count of many is a difference", function()
    local function run(seed, odd, count)
      return compared.run { seed = seed, names = { "a" }, faults = function(_, round)
        return round == odd and (count or 2) or 1
      end }
    end
    local row = compared.take(run(1), run(2, 7)).rows[2]
    assert.same({ "different", 1, { 1, 2 } }, { row.verdict, row.base.exact,
      setmetatable(row.other.values, nil) })
    row = compared.take(run(1, 3), run(2, 7)).rows[2]
    assert.same({ "same", "the counts vary from process to process" }, { row.verdict, row.reason })
    assert.equal("different", compared.take(run(1, 3), run(2, 7, 3)).rows[2].verdict)
  end)

  it("are withdrawn where samples were lost, and Holm leaves them out", function()
    local document <const> = compared.take(compared.run { seed = 1 }, compared.run { seed = 2,
      shift = { b = 9 }, lost = function(arm, round) return arm == "b" and round < 3 end })
    assert.equal(4, document.tests)
    for _, row in ipairs(document.rows) do
      if row.arm == "b" then
        assert.same({ "withdrawn", "2 of 10 samples lost in B" }, { row.verdict, row.reason })
        assert.is_nil(row.p_holm)
      end
    end
    assert.matches("2 of 30 samples of 'simulated' lost", document.notes[1].note, 1, true)
    assert_valid(document)
  end)

  it("are withdrawn of too few processes, and of times that the clock can't tell", function()
    local document = compared.take(compared.run { seed = 1, rounds = 3 },
      compared.run { seed = 2, rounds = 3 })
    assert.equal("no 95 % interval of 3 and 3 values", document.rows[1].reason)
    assert_valid(document)
    local coarse <const> = compared.run { seed = 2 }
    coarse.clock.step_ns = 1 << 40
    document = compared.take(compared.run { seed = 1 }, coarse)
    assert.matches("below the clock's step of .* in B", document.rows[1].reason)
    assert.equal(0, document.tests)
    local zeros <const> = simulated.document({ "a", "b", "c" }, {}, 10, 3, function()
      return { ns = 0, faults = 1 }
    end)
    assert.equal("withdrawn", compared.take(compared.run { seed = 1 }, zeros).rows[1].verdict)
  end)
end)

describe("what has no counterpart", function()
  it("is listed, and in no row", function()
    local other <const> = compared.run { seed = 2, names = { "a", "d" } }
    other.design.metrics[1].iteration = 2
    local document <const> = compared.take(compared.run { seed = 1, names = { "a", "b" } }, other)
    local listed <const> = {}
    for index, missing in ipairs(document.unmatched) do
      listed[index] = ("%s %s: %s"):format(missing.kind, missing.name, missing.why)
    end
    assert.same({ "arm b: only in the base", "arm d: not in the base",
      "metric time: defined otherwise: it has iteration 2, not 1" }, listed)
    assert.same({ "a", "a" }, of_rows(document, "arm"))
    assert_valid(document)
  end)

  it("is matched by the names of experiments where a file has several", function()
    local function named(seed, name)
      local document <const> = compared.run { seed = seed, names = { "a" } }
      document.experiment = name
      return document
    end
    local document <const> = compared.take({ named(1, "x"), named(2, "y") },
      { named(3, "z"), named(4, "y") })
    assert.same({ "y", "y", "y" }, of_rows(document, "experiment"))
    assert.same({ "x", "z" }, { document.unmatched[1].name, document.unmatched[2].name })
  end)
end)

describe("a comparison that makes no sense", function()
  local function changed(change)
    local document <const> = compared.run { seed = 2 }
    change(document)
    return document
  end

  it("is refused with what is wrong", function()
    local base <const> = compared.run { seed = 1 }
    for expected, change in pairs {
      ["B is of another experiment: 'other', not 'simulated'"] = function(document)
        document.experiment = "other"
      end,
      ["B arm 'b' has phase 1, iterations 7, not 1"] = function(document)
        document.design.arms[2].phases[1].iterations = 7
      end,
      ["B region 'buffer' has bytes 8192, not 4096"] = function(document)
        document.design.regions[1].bytes = 8192
      end,
      ["B region 'buffer' has advise hugepage, not none"] = function(document)
        document.design.regions[1].advise = "hugepage"
      end,
      ["B has a region 'more' more"] = function(document)
        document.design.regions[2] = { name = "more", bytes = 1 }
      end,
    } do
      assert.equal(expected, refused(base, changed(change)))
    end
  end)

  it("is no other size of what gauges the caches, nor of an eviction", function()
    local function gauged(seed, bytes)
      local document <const> = compared.run { seed = seed }
      document.design.regions[2] = { name = "memory", bytes = bytes, chain = "line" }
      document.design.arms[1].phases[1].ops[2] = { code = "evict", amount = bytes }
      return document
    end
    assert.equal(9, #compared.take(gauged(1, 1 << 20), gauged(2, 1 << 21)).rows)
  end)

  it("is shown by force, and marked; nothing is decided by it", function()
    local list <const> = compared.sources { compared.run { seed = 1 },
      changed(function(document) document.experiment = "other" end) }
    local document <const> = comparison.take(list, true)
    assert.equal(1, #document.forced)
    assert.equal(9, #document.rows)
    assert.matches("^FORCED: ", require "frlua.report.compare_text".report(document))
    for _, verdict in ipairs(compared.judge(document, "time > 50%")) do
      assert.equal("withdrawn", verdict)
    end
    assert_valid(document)
  end)
end)

describe("what differs in the passports", function()
  it("is named in a fixed order, what is unknown with its reason; nothing else", function()
    local base <const>, other <const> = compared.run { seed = 1 }, compared.run { seed = 2 }
    assert.same({}, setmetatable(compared.take(base, other).differences, nil))
    other.machine.kernel = "9.9"
    other.machine.governor, other.machine.governor_why = nil, "no cpufreq"
    base.machine.governor, base.machine.governor_why = "powersave", nil
    other.machine.page_bytes = 4 * base.machine.page_bytes
    other.machine.new_field = true
    other.frlua.flags = "-O0"
    local found <const> = compared.take(base, other).differences
    local named <const> = {}
    for index, difference in ipairs(found) do named[index] = difference.what end
    assert.same({ "kernel", "governor", "page size", "flags", "machine's new field" }, named)
    assert.same({ file = "B", value_why = "no cpufreq" }, found[2].values[2])
  end)
end)

describe("comparisons of many", function()
  it("tell nothing apart where nothing differs, but in 5 % of them", function()
    local false_ones <const>, times <const> = {}, 200
    for seed = 1, times do
      local document <const> = compared.take(compared.run { seed = 2 * seed, rounds = 8 },
        compared.run { seed = 2 * seed + 1, rounds = 8 })
      for _, row in ipairs(document.rows) do
        if row.verdict == "slower" or row.verdict == "faster" then false_ones[seed] = true end
      end
    end
    local count = 0
    for _ in pairs(false_ones) do count = count + 1 end
    assert(count <= times * (0.05 + 3 * math.sqrt(0.05 * 0.95 / times)), count .. " false ones")
  end)

  -- The figures of compare.md, which are R's.
  it("find differences as often as stated", function()
    local generator <const>, times <const> = simulated.generator(9), 1000
    for _, stated in ipairs { { 10, 1.5, 0.853, 0.507 }, { 20, 1, 0.849, 0.511 },
      { 6, 2, 0.827, 0.283 } } do
      local n <const>, shift <const> = stated[1], stated[2]
      local alone, of_twelve = 0, 0
      for _ = 1, times do
        local a <const>, b <const> = {}, {}
        for index = 1, n do
          a[index], b[index] = simulated.normal(generator), simulated.normal(generator) + shift
        end
        local p <const> = rank_sum.test(a, b).p
        alone, of_twelve = alone + (p <= 0.05 and 1 or 0), of_twelve + (p <= 0.05 / 12 and 1 or 0)
      end
      assert.near(stated[3], alone / times, 4 * math.sqrt(0.25 / times))
      assert.near(stated[4], of_twelve / times, 4 * math.sqrt(0.25 / times))
    end
  end)
end)

describe("the names of files", function()
  it("go on after Z as columns do", function()
    assert.same({ "A", "Z", "AA", "AZ", "BA", "ZZ", "AAA" }, { sources.label(1), sources.label(26),
      sources.label(27), sources.label(52), sources.label(53), sources.label(702),
      sources.label(703) })
  end)
end)
