local core <const> = require "frlua.core"
local fr <const> = require "frlua"
local json <const> = require "frlua.json"
local machine <const> = require "frlua.machine"
local read_result <const> = require "frlua.read_result"
local result <const> = require "frlua.result"
local sessions <const> = require "sessions"
local verify <const> = require "frlua.verify"

-- Everything that a result can have: splits, ratios, a steady state, claims of every form.
local SCRIPT <const> = [[
local page = fr.machine.page_bytes
local natural, warm = { "natural", "first" }, { "warm", "first" }
return fr.experiment "whole" {
  doc = "all that is derived",
  regions = { fr.region "b" { bytes = 16 * page, advise = "nohugepage" } },
  steps = { fr.step "warm" { fr.write "b" } },
  timed = { fr.write { "b", every = "line" } }, iterations = 50,
  arms = fr.modes { "natural", "warm" },
  metrics = { fr.metric "first" { at = 1 }, fr.metric "faults" { faults_at = 1 },
              fr.metric "late" { median_from = 11 } },
  ratios = { of = { "first", "process" }, to = "late" },
  apart = { metric = "late", above = 1.5 },
  splits = { fr.split "s" { whole = natural, per = "faults",
    fr.part "faulting" { natural, less = warm }, fr.part "writing" { warm } } },
  claims = {
    fr.claim "faults cost" { test = fr.above { natural, than = warm } },
    fr.claim "late is late" { test = fr.same { metric = "late", within = 9 } },
    fr.claim "counted" { test = fr.all { fr.exact { "natural", "faults", 16 },
                                         fr.exact { "warm", "faults", 0 } } },
    fr.claim "rises" { test = fr.monotone { arms = { "warm", "natural" }, metric = "first" } },
    fr.claim "huge" { needs = fr.huge "natural", test = fr.exact { "natural", "faults", 1 },
      otherwise = fr.claim "small" { test = fr.exact { "natural", "faults", 16 } } },
  },
}
]]

local text

setup(function()
  sessions.open()
  local child <const> = sessions.run('"$1" "$2" --json out.json >report.txt', SCRIPT)
  assert(child.exit_status == 0 or child.exit_status == 5, child.stderr)
  text = sessions.contents "out.json"
end)
teardown(sessions.close)

local function raw() return assert(json.decode(text)) end

local function findings(document) return table.concat(verify.document(document).findings, "\n") end

-- Writes the digest that fits the samples, as somebody would who does it well.
local function sign(document)
  document.digest = result.digest(read_result.document(document).samples)
end

describe("a result file, read back", function()
  it("gives the report that was printed when it was measured", function()
    local document <const> = read_result.document(raw())
    assert.equal(sessions.contents "report.txt", require "frlua.report.text".report(document))
  end)

  it("is written again byte for byte", function()
    assert.equal(text, result.encode(read_result.document(raw())))
  end)

  it("is refused where it is none", function()
    for content, told in pairs {
      ["{"] = "is no result file: no JSON", ["[]"] = "is no result file: it holds no result",
      [("["):rep(300000)] = "no JSON: nested too deeply", ["[1]"] = "of schema frlua/1",
      ['{"schema":"frlua/2"}'] = "of schema frlua/1",
    } do
      assert(require "frlua.files".write(sessions.directory .. "/none.json", content))
      local documents <const>, message <const> =
        read_result.raw(sessions.directory .. "/none.json")
      assert.is_nil(documents)
      assert.matches(told, message, 1, true)
    end
    assert.matches("cannot read", select(2, read_result.raw "/nowhere"), 1, true)
  end)
end)

describe("frlua verify", function()
  it("finds nothing in a result that is as it was measured, and recomputes all of it", function()
    local found <const> = verify.document(raw())
    assert.same({}, found.findings)
    assert.is_true(found.compared > 150)
  end)

  it("verifies what an interrupted run has left", function()
    local document <const> = raw()
    document.partial = true
    for _ = 1, 5 do table.remove(document.samples) end
    sign(document)
    local partial <const> = read_result.document(document)
    for name, part in pairs(result.derive(partial.design, partial.samples, partial.machine)) do
      document[name] = part
    end
    assert.equal("", findings(assert(json.decode(result.encode(document)))))
  end)

  it("finds nothing on a machine of other pages, with lines that it does not tell", function()
    local sizes <const> = core.sizes()
    local there <const> = { page_bytes = 4 * sizes.page_bytes }
    local original <const> = core.sizes
    core.sizes = function() return setmetatable(there, { __index = function(_, key)
      return key ~= "line_bytes" and sizes[key] or nil
    end }) end
    machine.read_from { sys = "/nowhere" }
    local seen <const>, document <const> = { machine.page_bytes, machine.line_bytes }, raw()
    local told <const> = findings(document)
    core.sizes = original
    machine.read_from {}
    assert.same({ 4 * sizes.page_bytes }, seen)
    assert.equal("", told)
  end)
end)

-- What is changed, and what is said of it; `signed`: with a digest that fits.
local function first_ok(d) return d.samples[1] end
local changes <const> = {
  -- Raw values: the digest tells, whatever they are.
  { "a reading", "digest", function(d) d.samples[3].phases[1].ns[7] = 1 end },
  { "a reading by one", "digest", function(d)
    local ns <const> = d.samples[9].phases[1].ns
    ns[50] = ns[50] + 1
  end },
  { "a fault count", "digest", function(d)
    for _, sample in ipairs(d.samples) do
      local faults <const> = sample.phases[1].minor_faults
      if faults[1] then faults[1][2] = faults[1][2] + 1 break end
    end
  end },
  { "a major fault", "digest", function(d)
    first_ok(d).phases[1].major_faults = json.array { json.array { 1, 1 } }
  end },
  { "a process' time", "digest", function(d)
    first_ok(d).process.wall_ns = first_ok(d).process.wall_ns + 1
  end },
  { "a count of rusage", "digest", function(d) first_ok(d).process.rusage.minor_faults = 7 end },
  { "a process id", "digest", function(d) first_ok(d).process.pid = 1 end },
  { "stolen time", "digest", function(d) first_ok(d).process.steal_ns = 12345 end },
  { "evidence", "digest", function(d) first_ok(d).evidence.regions[1].resident_bytes = 0 end },
  { "a checksum", "digest", function(d) first_ok(d).evidence.checksum = -1 end },
  { "a status", "digest", function(d) first_ok(d).status = "timed out" end },
  { "the digest", "digest is not", function(d) d.digest = "sha256:" .. ("0"):rep(64) end },
  -- Raw values by somebody who also writes the digest: what follows from them tells.
  { "a first reading, signed", "arms[", function(d)
    for _, sample in ipairs(d.samples) do
      if sample.arm == "natural" then sample.phases[1].ns[1] = 3 end
    end
  end, true },
  { "a twin's reading, signed", "floors[", function(d)
    for _, sample in ipairs(d.samples) do
      if sample.arm == "warm (twin)" then sample.phases[1].ns[1] = 3 end
    end
  end, true },
  { "fault counts, signed", "faults[", function(d)
    for _, sample in ipairs(d.samples) do
      if sample.arm == "natural" then sample.phases[1].minor_faults = json.array {} end
    end
  end, true },
  { "evidence of huge pages, signed", "claims[5]", function(d)
    for _, sample in ipairs(d.samples) do
      local region <const> = sample.evidence.regions[1]
      region.huge_bytes = region.bytes
    end
  end, true },
  { "a sample left out, signed", "samples[", function(d) table.remove(d.samples, 4) end, true },
  { "the last sample left out, signed", "is missing, though the result is not partial",
    function(d) table.remove(d.samples) end, true },
  { "a sample too many, signed", "is one more than the design has",
    function(d) table.insert(d.samples, d.samples[1]) end, true },
  { "two samples swapped, signed", "is not that of arm", function(d)
    d.samples[1], d.samples[2] = d.samples[2], d.samples[1]
  end, true },
  { "a sample's round, signed", "is not that of arm", function(d)
    d.samples[5].round = 9
  end, true },
  { "a sample's CPU, signed", "ran on CPU", function(d) d.samples[5].cpu = 4095 end, true },
  { "an iteration left out, signed", "is not phase 'timed' with 50 iterations",
    function(d) table.remove(d.samples[5].phases[1].ns) end, true },
  { "a lost sample made of a good one, signed", "is 10 in the file, and 9 by", function(d)
    first_ok(d).status = "timed out"
  end, true },
  -- Derived values.
  { "a median", "arms[1].metrics.first_ns.median", function(d)
    d.arms[1].metrics.first_ns.median = d.arms[1].metrics.first_ns.median + 1
  end },
  { "a whole number made a float", "arms[1].metrics.first_ns.min", function(d)
    d.arms[1].metrics.first_ns.min = d.arms[1].metrics.first_ns.min + 0.0
  end },
  { "a maximum", "arms[2].metrics.late_ns.max", function(d) d.arms[2].metrics.late_ns.max = 1 end },
  { "an interval", "arms[2].metrics.process_ns.ci95[2]", function(d)
    d.arms[2].metrics.process_ns.ci95[2] = 1
  end },
  { "a coverage", "ci95_coverage", function(d)
    d.arms[1].metrics.first_ns.ci95_coverage = 0.96
  end },
  { "a number of processes", "arms[1].processes", function(d) d.arms[1].processes = 11 end },
  { "samples lost", "arms[1].lost", function(d) d.arms[1].lost = 1 end },
  { "an exact count", "arms[1].metrics.faults.exact", function(d)
    d.arms[1].metrics.faults = { exact = 17 }
  end },
  { "an arm's name", "arms[1].name", function(d) d.arms[1].name = "other" end },
  { "where steady begins", "arms[1].steady_from", function(d)
    d.arms[1].steady_from = { n = 0, never = 3 }
  end },
  { "negative readings", "arms[2].negative_readings", function(d)
    d.arms[2].negative_readings = 2
  end },
  { "an expected count", "faults[1].expected", function(d) d.faults[1].expected = 15 end },
  { "a share", "splits[1].parts[1].share.median", function(d)
    d.splits[1].parts[1].share.median = 0.99
  end },
  { "a remainder", "splits[1].remainder_ns", function(d)
    d.splits[1].remainder_ns = d.splits[1].remainder_ns + 1
  end },
  { "a cost per fault", "splits[1].per.ns.median", function(d)
    d.splits[1].per.ns.median = d.splits[1].per.ns.median / 2
  end },
  { "what stands apart", "apart.reference", function(d) d.apart.reference = 1 end },
  { "a process named", "apart.processes", function(d)
    table.insert(d.apart.processes, { arm = "natural", round = 1, value = 1 })
  end },
  { "a noise floor", "floors[1].floor", function(d) d.floors[1].floor = 1.0 end },
  { "a noise floor left out", "floors[", function(d) table.remove(d.floors) end },
  { "a verdict", "claims[1].verdict", function(d)
    d.claims[1].verdict = d.claims[1].verdict == "pass" and "fail" or "pass"
  end },
  { "a ratio", "claims[1].numbers.contrasts[1].ratio", function(d)
    d.claims[1].numbers.contrasts[1].ratio = 2.5
  end },
  { "a p", "claims[1].numbers.contrasts[1].p_holm", function(d)
    d.claims[1].numbers.contrasts[1].p_holm = 0.001
  end },
  { "a reason", "claims[2].reason", function(d) d.claims[2].reason = "because" end },
  { "the question asked", "claims[5].asked", function(d) d.claims[5].asked = "huge" end },
  { "why a claim was not made", "claims[5].withdrawn", function(d)
    d.claims[5].withdrawn = nil
  end },
  { "a claim left out", "claims[5]", function(d) table.remove(d.claims) end },
  -- The design.
  { "a metric's iteration", "arms[1].metrics.late_ns", function(d)
    d.design.metrics[3].iteration = 49
  end },
  { "a claim's factor", "claims[1].test.factor", function(d)
    d.design.claims[1].test.factor = 1000000
  end },
  { "a region's size", ".bytes is", function(d)
    d.design.regions[1].bytes = 2 * d.design.regions[1].bytes
  end },
  { "a region's size in a sample, signed", "samples[1].evidence.regions[1].bytes is 1, and",
    function(d) first_ok(d).evidence.regions[1].bytes = 1 end, true },
  { "the region of a sample, signed", "samples[1].evidence.regions[1] is 'c', which is not what",
    function(d) first_ok(d).evidence.regions[1].region = "c" end, true },
  { "a field more in a metric", "design.metrics[1].twist is no field of a result",
    function(d) d.design.metrics[1].twist = 1 end },
  { "a field more in the design", "design.twist is no field of a result",
    function(d) d.design.twist = 1 end },
  { "a whole run called partial", "partial is true in the file, though no sample is missing",
    function(d) d.partial = true end },
  { "a partial run called whole", "is missing, though the result is not partial", function(d)
    for _ = 1, 4 do table.remove(d.samples) end
  end, true },
  { "the seed", "design.order", function(d) d.seed = d.seed + 1 end },
  { "the order", "design.order", function(d)
    local order <const> = d.design.order
    order[1], order[2] = order[2], order[1]
  end },
  { "an order that is none", "does not run every arm once", function(d)
    d.design.order[2] = json.array { 1, 1, 2 }
  end },
  { "an order that is not balanced", "is not balanced", function(d)
    for round in ipairs(d.design.order) do d.design.order[round] = json.array { 1, 2, 3 } end
  end },
  { "the rounds", "design.rounds", function(d) d.design.rounds = 9 end },
  { "a run made partial that ended well", "samples[", function(d)
    d.partial = true
    table.remove(d.samples, 1)
  end },
  { "the rounds, to more than can be run", "design.rounds is above 100000", function(d)
    d.design.rounds = math.maxinteger
  end },
  { "the rounds and their order, to arms that there are not", "does not run every arm once",
    function(d)
      d.design.order, d.design.rounds = json.array { json.array { 5 }, json.array { 1 } }, 2
    end },
  { "an operation left out of the design", "samples can't be checked: the document is not as any"
    .. " experiment makes it", function(d)
    d.design.arms[1].phases[1].ops = nil
  end },
  { "the rounds that claims need", "design.rounds_for_claims is 1 in the file, and 10 by",
    function(d) d.design.rounds_for_claims = 1 end },
  { "the time of the run", "wall_ns is 5, less than", function(d) d.wall_ns = 5 end },
  -- What does not fit the schema.
  { "a field misspelt", "arms[1].proceses is no field", function(d)
    d.arms[1].proceses = 10
  end },
  { "a field left out", "lacks 'machine'", function(d) d.machine = nil end },
  { "a text for a number", "wall_ns is of type string, not integer",
    function(d) d.wall_ns = "5" end },
  { "a fraction of a nanosecond", "ns[1] is of type number, not integer",
    function(d) d.samples[1].phases[1].ns[1] = 1.5 end },
  { "a verdict that is none", "claims[1].verdict is none of", function(d)
    d.claims[1].verdict = "passed"
  end },
  { "a date in another form", "started_at does not match", function(d)
    d.started_at = "yesterday"
  end },
}

-- An account of a traced phase, as --faults takes it: 20 faults, three of them without an address.
local function traced(d)
  local phase <const> = { phase = "timed", total = 20, in_kernel = 2, lost = 1,
    kernel_excluded = false, faults = json.array {},
    by_mapping = json.array { { mapping = "b", count = 16 }, { mapping = "stack", count = 1 } },
    by_code = json.array { { code = "worker text", count = 9 }, { code = "kernel", count = 8 } } }
  for index, run in ipairs { { 8, "b", "worker text" }, { 8, "b", "kernel" },
    { 1, "stack", "worker text" } } do
    phase.faults[index] = { address = 4096 * index, count = run[1], step = 4096, mapping = run[2],
      code = run[3], code_address = 1, major = false }
  end
  local traces <const> = json.array {}
  for index, name in ipairs { "natural", "warm" } do
    traces[index] = { arm = name, status = "ok", phases = json.array { phase } }
  end
  d.fault_traces = assert(json.decode(json.encode(traces)))
  return d.fault_traces
end

describe("fault traces", function()
  local PHASE <const> = "fault_traces[2].phases[1]."
  local function found_after(change)
    local document <const> = raw()
    local traces <const> = traced(document)
    change(traces[2].phases[1], traces)
    return findings(document)
  end

  it("are verified: what is summed, and that nothing is left over", function()
    assert.equal("", found_after(function() end))
    for told, change in pairs {
      [PHASE .. "total is 21, and by_mapping + in_kernel + lost are 20"] =
        function(phase) phase.total = 21 end,
      [PHASE .. "total is 20, and by_mapping + in_kernel + lost are 19"] =
        function(phase) phase.lost = 0 end,
      [PHASE .. "by_mapping[1].count"] = function(phase) phase.by_mapping[1].count = 15 end,
      [PHASE .. "by_mapping[2].mapping"] = function(phase)
        phase.by_mapping[2].mapping = "libc text"
      end,
      [PHASE .. "by_code[1].count"] = function(phase) phase.faults[1].code = "kernel" end,
      [PHASE .. "phase"] = function(phase) phase.phase = "other" end,
      ["fault_traces[2].arm"] = function(_, traces) table.remove(traces) end,
    } do assert.matches(told, found_after(change), 1, true) end
  end)
end)

describe("frlua verify finds a change of", function()
  for _, change in ipairs(changes) do
    it(change[1], function()
      local document <const> = raw()
      change[3](document)
      if change[4] then sign(document) end
      assert.matches(change[2], findings(document), 1, true)
    end)
  end
end)

describe("an interrupt", function()
  it("is no finding: it ends the command, whatever it was doing", function()
    for _, module in ipairs { "dkjson", "frlua.schema", "frlua.stats" } do
      local child <const> = sessions.run('"$1" "$2" "$3/out.json"', [[
        local unistd, signal = require "posix.unistd", require "posix.signal"
        local function hang()
          signal.kill(unistd.getpid(), signal.SIGINT)
          while true do end
        end
        local stuck = setmetatable({}, { __index = function() return hang end })
        package.loaded["]] .. module .. [["] = stuck
        os.exit(require "frlua.commands.verify".run { arg[1] })]], sessions.directory)
      assert.same({ 130, "" }, { child.exit_status, child.stdout }, module)
    end
  end)
end)

describe("the command", function()
  it("prints what it verified, and has status 0", function()
    local child <const> = sessions.shell('"$1" verify "$2"', sessions.host,
      sessions.directory .. "/out.json")
    assert.equal(0, child.exit_status)
    assert.matches("^whole, 30 samples: verified, %d+ derived values recomputed", child.stdout)
  end)

  it("has status 5 for a file that does not verify, and lists why", function()
    local document <const> = raw()
    document.arms[1].lost, document.wall_ns = 1, 5
    local path <const> = sessions.directory .. "/changed.json"
    assert(require "frlua.files".write(path, json.encode(document)))
    local child <const> = sessions.shell('"$1" verify "$2"', sessions.host, path)
    assert.equal(5, child.exit_status)
    assert.matches("does NOT verify, 2 findings\n", child.stdout, 1, true)
    assert.matches("\n  arms[1].lost is 1 in the file, and 0 by its samples\n", child.stdout, 1,
      true)
  end)

  it("verifies the last run when no file is named, and each of a list of results", function()
    local state <const> = sessions.directory .. "/state"
    assert(require "frlua.files".make_directories(state .. "/frlua"))
    assert(require "frlua.files".write(state .. "/frlua/last.json",
      "[" .. text .. "," .. text:gsub('"lost":0', '"lost":7', 1) .. "]"))
    local child <const> = sessions.shell('XDG_STATE_HOME="$2" "$1" verify', sessions.host, state)
    assert.equal(5, child.exit_status)
    assert.matches("^whole, 30 samples: verified.*\nwhole, 30 samples: does NOT", child.stdout)
  end)

  it("reads standard input where the file is '-'", function()
    local child <const> = sessions.shell('"$1" verify - <"$2/out.json"', sessions.host,
      sessions.directory)
    assert.equal(0, child.exit_status)
    assert.matches("^whole, 30 samples: verified", child.stdout)
  end)

  it("says what nothing follows from", function()
    local child <const> = sessions.shell('"$1" verify "$2/out.json"', sessions.host,
      sessions.directory)
    assert.matches("\nTaken as they stand: machine, clock, ", child.stdout, 1, true)
  end)

  it("has status 5 for a text that has a key twice, but not for one in another format", function()
    local path <const> = sessions.directory .. "/text.json"
    local function told(changed)
      assert(require "frlua.files".write(path, changed))
      local child <const> = sessions.shell('"$1" verify "$2"', sessions.host, path)
      return child.exit_status, child.stdout
    end
    assert.equal(0, told((text:gsub('","', '" ,\n "'):gsub('":', '"\t: '))))
    for _, twice in ipairs {
      (text:gsub('"seed":', '"seed":7,"seed":', 1)), (text:gsub('"n":10', '"n":9,"n":10', 1)),
      (text:gsub('"partial":false', '"p\\u0061rtial":true,"partial" : false', 1)),
    } do
      local status <const>, said <const> = told(twice)
      assert.equal(5, status)
      assert.matches("the text does NOT verify: 1 of its keys", said, 1, true)
    end
  end)

  it("has status 1 for what is no result, and 2 for wrong usage", function()
    assert.equal(1, sessions.shell('"$1" verify /nowhere', sessions.host).exit_status)
    for arguments, told in pairs { ["a b"] = "frlua: verify takes one file, not 2\n",
      ["--quick"] = "frlua: verify has no option '--quick'\n" } do
      local child <const> = sessions.shell('"$1" verify ' .. arguments, sessions.host)
      assert.equal(2, child.exit_status)
      assert.matches(told, child.stderr, 1, true)
    end
    assert.matches("usage: frlua verify", fr.spawn { sessions.host, "verify", "--help" }.stdout, 1,
      true)
  end)

  it("leaves scripts of that name to be run by a path", function()
    local child <const> = sessions.shell('cd "$2" && echo "print(7)" >verify && "$1" ./verify',
      sessions.host, sessions.directory)
    assert.equal("7\n", child.stdout)
  end)
end)
