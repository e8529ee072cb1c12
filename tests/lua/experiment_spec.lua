local fr <const> = require "frlua"
local told <const> = require "sessions".told
local timed_phases <const> = require "frlua.timed_phases"

-- An experiment as scripts write it. Fields of `changes` replace its own ones: texts of Lua code,
-- or false for none.
local FIELDS <const> = {
  regions = "{ fr.region 'input' { bytes = 4096, fill = 'index' },"
    .. " fr.region 'output' { bytes = 4096 } }",
  steps = "{ fr.step 'prefault' { fr.write { 'output', every = 'word' } },"
    .. " fr.step 'spin' { fr.spin { ms = 1 } } }",
  timed = "{ fr.affine { to = 'output', from = 'input' } }",
  iterations = "10",
  arms = "fr.modes { 'natural', 'prefault', 'spin,prefault' }",
  metrics = "{ fr.metric 'iter1' { at = 1 }, fr.metric 'faults' { faults_at = 1 } }",
}

local function text_of(changes)
  local parts <const> = {}
  for name, text in pairs(FIELDS) do
    if changes[name] == nil then parts[#parts + 1] = name .. " = " .. text end
  end
  for name, text in pairs(changes) do
    if text then parts[#parts + 1] = name .. " = " .. text end
  end
  return "return fr.experiment 'x' {\n" .. table.concat(parts, ",\n") .. "\n}"
end

local function made(changes)
  return assert(load("local fr = ...\n" .. text_of(changes or {})))(fr)
end

-- The message of a refusal, without its place: line 2, where the experiment is named, unless the
-- part that is refused stands on a line of its own.
local function refusal(changes)
  local line <const>, message <const> = told(text_of(changes)):match "^user%.lua:(%d+): (.*)$"
  assert.is_true(tonumber(line) >= 2)
  return message
end

local TWO_ARMS <const> = {
  steps = false, timed = false, iterations = false,
  arms = [[{
    fr.arm 'touch' { fr.phase 'first' { fr.write 'output', iterations = 3 },
                     fr.phase 'again' { fr.write 'output' } },
    fr.arm 'read' { fr.phase 'first' { fr.read 'output', iterations = 2 },
                    fr.phase 'again' { fr.read 'output', fr.write 'output' } },
  }]],
}

-- The changes of TWO_ARMS and others.
local function two_arms(changes)
  local all <const> = {}
  for name, text in pairs(TWO_ARMS) do all[name] = text end
  for name, text in pairs(changes or {}) do all[name] = text end
  return all
end

describe("an experiment of modes", function()
  it("runs the steps of a mode once, untimed, and then the timed part", function()
    local arms <const> = made().arms
    assert.same({ "natural", "prefault", "spin,prefault" },
      { arms[1].name, arms[2].name, arms[3].name })
    assert.equal(1, #arms[1].phases)
    assert.same({ name = "timed", iterations = 10, timed = true },
      { name = arms[1].phases[1].name, iterations = arms[1].phases[1].iterations,
        timed = arms[1].phases[1].timed })
    local before <const>, timed <const> = table.unpack(arms[3].phases)
    assert.same({ 1, false }, { before.iterations, before.timed })
    assert.same({ "spin", "write" }, { before.ops[1].code, before.ops[2].code })
    assert.equal("affine", timed.ops[1].code)
  end)

  it("has ten rounds and one iteration unless told otherwise", function()
    assert.equal(10, made().rounds)
    assert.equal(7, made { rounds = "7.0" }.rounds)
    assert.equal(1, made { iterations = false }.arms[1].phases[1].iterations)
  end)

  it("may time one operation that stands alone", function()
    assert.equal("write", made { timed = "fr.write 'output'" }.arms[1].phases[1].ops[1].code)
  end)

  it("names the nearest step, region, metric or key for one that is unknown", function()
    local typos <const> = {
      [{ arms = "fr.modes { 'prefualt' }" }] =
        "unknown step 'prefualt' in mode 'prefualt': did you mean 'prefault'?",
      [{ arms = "fr.modes { 'prefault,spinn' }" }] =
        "unknown step 'spinn' in mode 'prefault,spinn': did you mean 'spin'?",
      [{ timed = "{ fr.write 'outptu' }" }] = "unknown region 'outptu' in timed in"
        .. " fr.experiment 'x': did you mean 'output'?",
      [{ timed = "{ fr.affine { to = 'output', from = 'inptu' } }" }] = "unknown region 'inptu'"
        .. " in timed in fr.experiment 'x': did you mean 'input'?",
      [{ steps = "{ fr.step 'prefault' { fr.write 'ouput' } }" }] =
        "unknown region 'ouput' in step 'prefault': did you mean 'output'?",
      [{ iteratons = "3" }] =
        "unknown key 'iteratons' in fr.experiment 'x': did you mean 'iterations'?",
      [{ ratios = "{ of = { 'iter1' }, to = 'itre1' }" }] = "unknown metric 'itre1' in ratios in"
        .. " fr.experiment 'x': did you mean 'iter1'?",
      [{ ratios = "{ of = { 'iter2' }, to = 'iter1' }" }] = "unknown metric 'iter2' in ratios in"
        .. " fr.experiment 'x': did you mean 'iter1'?",
      [{ ratios = "{ off = { 'iter1' }, to = 'iter1' }" }] = "unknown key 'off' in ratios in"
        .. " fr.experiment 'x': did you mean 'of'?",
      [{ apart = "{ metric = 'Iter1', above = 2 }" }] = "unknown metric 'Iter1' in apart in"
        .. " fr.experiment 'x': did you mean 'iter1'?",
      [{ splits = "{ fr.split 's' { whole = { 'natural', 'iter' },"
        .. " fr.part 'p' { { 'natural', 'iter1' } } } }" }] = "unknown metric 'iter' in split 's'"
        .. " in fr.experiment 'x': did you mean 'iter1'?",
      [{ splits = "{ fr.split 's' { whole = { 'natural', 'iter1' }, per = 'fault',"
        .. " fr.part 'p' { { 'natural', 'iter1' } } } }" }] = "unknown metric 'fault' in split 's'"
        .. " in fr.experiment 'x': did you mean 'faults'?",
    }
    for changes, message in pairs(typos) do assert.equal(message, refusal(changes)) end
  end)
end)

describe("an experiment of arms", function()
  it("times every phase", function()
    local arms <const> = made(two_arms()).arms
    assert.same({ "touch", "read" }, { arms[1].name, arms[2].name })
    for _, arm in ipairs(arms) do
      for _, phase in ipairs(arm.phases) do assert.is_true(phase.timed) end
    end
    assert.same({ "first", 3, "again", 1 }, { arms[1].phases[1].name, arms[1].phases[1].iterations,
      arms[1].phases[2].name, arms[1].phases[2].iterations })
  end)

  it("takes a metric from the phase that it names, or the first", function()
    local arm <const> = made(two_arms()).arms[1]
    assert.equal("first", timed_phases.of(arm)[1].name)
    assert.equal("again", timed_phases.of(arm, { "again" })[1].name)
    assert.equal(2, #timed_phases.of(arm, { "again", "first" }))
    assert.same({}, timed_phases.of(arm, { "third" }))
  end)

  it("refuses a metric whose phase no arm has, with the nearest", function()
    assert.equal("unknown phase 'agian' in metric 'm' in fr.experiment 'x': did you mean 'again'?",
      refusal(two_arms { metrics = "{ fr.metric 'm' { at = 1, phase = 'agian' } }" }))
    assert.equal("phase in fr.metric 'm' must be a text that is not empty, not 2",
      refusal(two_arms { metrics = "{ fr.metric 'm' { at = 1, phase = 2 } }" }))
  end)

  it("refuses a metric beyond the iterations of any arm", function()
    assert.equal("metric 'm' in fr.experiment 'x' is taken from iteration 3, but arm 'read' has 2",
      refusal(two_arms { metrics = "{ fr.metric 'm' { at = 3 } }" }))
    assert.equal("metric 'm' in fr.experiment 'x' is taken from iteration 11, but arm 'natural'"
      .. " has 10", refusal { metrics = "{ fr.metric 'm' { median_from = 11 } }" })
    assert.equal("metric 'm' in fr.experiment 'x' is taken from iteration 2, but arm 'touch' has 1",
      refusal(two_arms { metrics = "{ fr.metric 'm' { faults_at = 2, phase = 'again' } }" }))
    assert.equal(1, #made { metrics = "{ fr.metric 'm' { median_from = 10 } }" }.metrics)
  end)

  it("makes no use of what only modes need, and says so", function()
    for name, text in pairs { steps = FIELDS.steps, timed = FIELDS.timed, iterations = "3" } do
      assert.equal(("fr.experiment 'x' has '%s', which only fr.modes makes use of"):format(name),
        refusal(two_arms { [name] = text }))
    end
  end)
end)

describe("an experiment", function()
  it("refuses counts that are none by name, value and line", function()
    local counts <const> = {
      rounds = "rounds in fr.experiment 'x'", iterations = "iterations in fr.experiment 'x'",
      detail = "entry 1 of detail in fr.experiment 'x'",
    }
    for name, argument in pairs(counts) do
      for value, shown in pairs {
        ["0"] = "0", ["-3"] = "-3", ["3.5"] = "3.5", ["2^63"] = "9.2233720368548e+18",
        ["0/0"] = "nan", ["1/0"] = "inf", ["'ten'"] = "'ten'",
      } do
        local text <const> = name == "detail" and "{ " .. value .. " }" or value
        local message <const> = refusal { [name] = text }
        assert.equal(1, (message:find(argument .. " must be a whole number", 1, true)), message)
        assert.equal(", not " .. shown, message:match ", not .*$")
      end
    end
  end)

  it("refuses more rounds than statistics are made for", function()
    assert.equal("rounds in fr.experiment 'x' must be a whole number from 1 to 100000, not 100001",
      refusal { rounds = "100001" })
  end)

  it("refuses more iterations than the machine can record", function()
    local memory <const> = fr.machine.memory_bytes
    local too_many <const> = memory // 16 + 1
    local message <const> = refusal { iterations = tostring(too_many) }
    assert.equal(1, (message:find("arm 'natural' in fr.experiment 'x' has " .. too_many
      .. " iterations: to record them takes 16 bytes each, this machine has ", 1, true)), message)
    assert.equal(too_many - 1, made { iterations = tostring(too_many - 1) }
      .arms[1].phases[1].iterations)
  end)

  it("refuses operations on words of a region that is smaller than one", function()
    local small <const> = "{ fr.region 'input' { bytes = 8 }, fr.region 'output' { bytes = 7 } }"
    local where <const> = "arm 'natural' in fr.experiment 'x': "
    assert.equal(where .. "fr.affine works on words of 8 bytes, region 'output' has 7",
      refusal { regions = small })
    for _, every in ipairs { "'word'", "8" } do
      assert.equal(where .. "fr.read works on words of 8 bytes, region 'output' has 7", refusal {
        regions = small, steps = false, arms = "fr.modes { 'natural' }",
        timed = ("fr.read { 'output', every = %s }"):format(every),
      })
    end
    made { regions = small, steps = false, arms = "fr.modes { 'natural' }",
      timed = "{ fr.write 'output', fr.write { 'input', every = 'word' } }" }
  end)

  it("refuses more parts than a sample has room for", function()
    local region <const> = "fr.region(('r'):rep(%d)) { bytes = 1 }, "
    local regions <const> = {}
    for number = 1, 15 do regions[number] = region:format(number) end
    local all <const> = "{ fr.region 'input' { bytes = 8 }, fr.region 'output' { bytes = 8 }, "
      .. table.concat(regions) .. "}"
    local writes <const> = {}
    for number = 1, 15 do writes[number] = ("fr.write(('r'):rep(%d)), "):format(number) end
    local some <const> = table.concat(writes) .. "fr.write 'output' }"
    assert.equal("arm 'natural' in fr.experiment 'x' has 17 regions: a sample has room for 16",
      refusal { regions = all, timed = "{ fr.write 'input', " .. some })
    made { regions = all, timed = "{ " .. some }
    assert.equal("arm 'natural' in fr.experiment 'x' has 129 operations: a sample has room for 128",
      refusal { timed = "{ " .. ("fr.write 'output', "):rep(129) .. "}" })
    local phases <const> = {}
    for number = 1, 65 do
      phases[number] = ("fr.phase 'p%d' { fr.write 'output' }"):format(number)
    end
    assert.equal("arm 'a' in fr.experiment 'x' has 65 phases: a sample has room for 64",
      refusal(two_arms { arms = "{ fr.arm 'a' { " .. table.concat(phases, ", ") .. "} }" }))
  end)

  it("refuses a name that is given twice", function()
    local twice <const> = {
      [{ regions = "{ fr.region 'input' { bytes = 8 }, fr.region 'input' { bytes = 8 } }" }] =
        "regions in fr.experiment 'x' names region 'input' twice",
      [{ steps = "{ fr.step 's' { fr.write 'output' }, fr.step 's' { fr.write 'output' } }" }] =
        "steps in fr.experiment 'x' names step 's' twice",
      [{ metrics = "{ fr.metric 'm' { at = 1 }, fr.metric 'm' { at = 2 } }" }] =
        "metrics in fr.experiment 'x' names metric 'm' twice",
      [{ arms = "fr.modes { 'natural', 'spin,prefault', 'spin, prefault' }" }] =
        "mode 'spin,prefault' is given twice",
      [two_arms { arms = "{ fr.arm 'a' { fr.phase 'first' { fr.write 'output' } },"
        .. " fr.arm 'a' { fr.phase 'first' { fr.write 'output' } } }" }] =
        "arms in fr.experiment 'x' names arm 'a' twice",
      [two_arms { arms = "{ fr.arm 'a' { fr.phase 'p' { fr.write 'output' },"
        .. " fr.phase 'p' { fr.write 'output' } } }" }] = "arm 'a' names phase 'p' twice",
    }
    for changes, message in pairs(twice) do assert.equal(message, refusal(changes)) end
  end)

  it("refuses to be without arms, metrics or, with modes, a timed part", function()
    local without <const> = {
      [{ arms = false }] =
        "fr.experiment 'x' has no arms: expected fr.modes { … } or a list of fr.arm '…' { … }",
      [{ arms = "{}" }] =
        "fr.experiment 'x' has no arms: expected fr.modes { … } or a list of fr.arm '…' { … }",
      [{ metrics = false }] = "fr.experiment 'x' has no metrics: what is it to report?",
      [{ metrics = "{}" }] = "fr.experiment 'x' has no metrics: what is it to report?",
      [{ timed = false }] = "fr.experiment 'x' has modes, but no 'timed' operations",
      [{ regions = "{ 'input' }" }] =
        "entry 1 of regions in fr.experiment 'x' is 'input': expected fr.region '…' { … }",
      [{ regions = "{ fr.region 'input' }" }] =
        "entry 1 of regions in fr.experiment 'x' is a function: expected fr.region '…' { … }",
      [{ metrics = "fr.metric 'm' { at = 1 }" }] = false,
    }
    for changes, message in pairs(without) do
      if message then assert.equal(message, refusal(changes)) else refusal(changes) end
    end
  end)

  it("refuses to read and write one region in the same kernel", function()
    assert.equal("to and from of fr.affine in timed in fr.experiment 'x' are both region 'output',"
      .. " and may not overlap",
      refusal { timed = "{ fr.affine { to = 'output', from = 'output' } }" })
  end)

  it("refuses a region of fr.map, which a fresh process does not have", function()
    local mapped <close> = assert(fr.map { bytes = 1 })
    local message <const> = told("return " .. [[fr.experiment 'x' {
      timed = fr.write(a), arms = fr.modes { 'natural' }, metrics = { fr.metric 'm' { at = 1 } },
    }]], mapped)
    assert.equal("user.lua:2: fr.write in timed in fr.experiment 'x' works on a region of fr.map:"
      .. " name one of the experiment's regions", message)
  end)

  it("compares times with times and counts with counts only", function()
    local mixed <const> = {
      [{ ratios = "{ of = { 'iter1' }, to = 'faults' }" }] =
        "metric 'faults' in ratios in fr.experiment 'x' does not count in ns",
      [{ ratios = "{ of = { 'faults' }, to = 'iter1' }" }] =
        "metric 'faults' in ratios in fr.experiment 'x' does not count in ns",
      [{ apart = "{ metric = 'faults', above = 2 }" }] =
        "metric 'faults' in apart in fr.experiment 'x' does not count in ns",
      [{ splits = "{ fr.split 's' { whole = { 'natural', 'iter1' },"
        .. " fr.part 'p' { { 'natural', 'faults' } } } }" }] =
        "metric 'faults' in split 's' in fr.experiment 'x' does not count in ns",
      [{ splits = "{ fr.split 's' { whole = { 'natural', 'iter1' }, per = 'iter1',"
        .. " fr.part 'p' { { 'natural', 'iter1' } } } }" }] =
        "metric 'iter1' in split 's' in fr.experiment 'x' does not count in faults",
    }
    for changes, message in pairs(mixed) do assert.equal(message, refusal(changes)) end
    assert.same({ "iter1", "process" },
      made { ratios = "{ of = { 'iter1', 'process' }, to = 'iter1' }" }.ratios.of)
  end)

  it("calls nothing apart that is below its reference", function()
    assert.equal("above in apart in fr.experiment 'x' must be a finite number of at least 1,"
      .. " not 0.5", refusal { apart = "{ metric = 'iter1', above = 0.5 }" })
    assert.equal(1.5, made { apart = "{ metric = 'iter1', above = 1.5 }" }.apart.above)
  end)

  it("may be for arms that are not run, as scripts take them as arguments", function()
    local split <const> = "{ fr.split 's' { whole = { 'prefault,spin', 'iter1' },"
      .. " fr.part 'p' { { 'natural', 'iter1' } } } }"
    assert.equal("s", made { splits = split }.splits[1].name)
  end)

  it("names the line where it is named, in a tail call as elsewhere", function()
    assert.matches("^user%.lua:2: rounds", told(text_of { rounds = "0" }))
    assert.matches("^user%.lua:2: rounds",
      told((text_of { rounds = "0" }:gsub("^return", "local unused ="))))
    assert.matches("^user%.lua:4: fr%.metric",
      told "return fr.experiment 'x' {\n\nmetrics = { fr.metric 'm' {} }, }")
  end)
end)
