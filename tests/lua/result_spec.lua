local core <const> = require "frlua.core"
local fakes <const> = require "fakes"
local fr <const> = require "frlua"
local json <const> = require "frlua.json"
local result <const> = require "frlua.result"
local sessions <const> = require "sessions"

setup(sessions.open)
teardown(sessions.close)

local SCHEMA <const> = core.root .. "/share/frlua/lua/frlua/result.schema.json"
local REFERENCE <const> = debug.getinfo(1, "S").source:match "^@(.*)lua/[^/]*$"
  .. "oracle/validate.py"

-- What the reference has to say against a file; it needs Python's jsonschema.
local function complaints(path)
  local child <const> = assert(fr.spawn { "python3", REFERENCE, SCHEMA, path })
  if child.stderr:find "No module named 'jsonschema'" then pending "there is no jsonschema here" end
  return child.stdout .. child.stderr
end

local function assert_valid(document)
  local path <const> = sessions.directory .. "/document.json"
  assert(require "frlua.files".write(path, result.encode(document)))
  assert.equal("\n", complaints(path))
end

-- A small experiment, to be run in a host of its own.
local SCRIPT <const> = [[
local page = fr.machine.page_bytes
return fr.experiment "small" {
  doc = "as small as can be",
  regions = { fr.region "b" { bytes = 4 * page, advise = "nohugepage" } },
  steps = { fr.step "warm" { fr.write "b" }, fr.step "large" { fr.evict { bytes = 1 << 50 } },
            fr.step "pause" { fr.sleep { ms = 60000 } } },
  timed = { fr.write "b" }, iterations = 60,
  arms = fr.modes { "natural", "warm" %s },
  rounds = 2,
  metrics = { fr.metric "first" { at = 1 }, fr.metric "faults" { faults_at = 1 },
              fr.metric "late" { median_from = 11 } },
  ratios = { of = { "first", "process" }, to = "late" },
  apart = { metric = "late", above = 1.5 },
  detail = { 1, 2 },
  splits = { fr.split "s" { whole = { "natural", "first" }, per = "faults",
    fr.part "a" { { "natural", "first" }, less = { "warm", "first" } },
    fr.part "b" { { "warm", "first" } } } },
}
]]

-- Runs it with options; returns the document that it left.
local function measured(script, options, status)
  local line <const> = 'export XDG_STATE_HOME=$PWD; "$1" "$2" --json out.json '
  local child <const> = sessions.run(line .. (options or ""), script)
  assert.equal(status or 0, child.exit_status, child.stderr)
  assert.equal("\n", complaints(sessions.directory .. "/out.json"))
  return assert(json.decode(sessions.contents "out.json"))
end

describe("a result file", function()
  it("of a run is valid, and has everything that was asked and measured", function()
    local document <const> = measured(SCRIPT:format "", "--seed 11")
    assert.same({ "small", "as small as can be", "script.lua", 11, false }, { document.experiment,
      document.doc, document.script, document.seed, document.partial })
    assert.equal(4, #document.samples)
    assert.equal(60, #document.samples[1].phases[1].ns)
    if not fakes.is_sanitized then
      assert.same({ exact = 4 }, document.arms[1].metrics.faults)
      assert.same({ exact = 0 }, document.arms[2].metrics.faults)
    end
    assert.equal(4, document.faults[1].expected)
    assert.equal(2, document.arms[1].metrics.late_ns.n)
    assert.equal("no 95 % interval below 6 values", document.arms[1].metrics.late_ns.ci95_why)
    assert.equal(json.null, document.arms[1].metrics.late_ns.ci95)
    assert.same({ "first", "faults", "late", "process" }, { document.design.metrics[1].name,
      document.design.metrics[2].name, document.design.metrics[3].name,
      document.design.metrics[4].name })
    assert.equal("write", document.design.arms[1].phases[1].ops[1].code)
    assert.same({ 1, 2 }, { table.unpack(document.design.detail) })
    assert.equal(1.5, document.design.apart.above)
    assert.equal(core.version, document.frlua.version)
  end)

  it("of a quick run is valid", function()
    local document <const> = measured(SCRIPT:format "", "--quick")
    assert.same({ 3, 10, 6 }, { document.design.rounds, document.design.pause_divisor,
      #document.samples })
  end)

  it("with lost samples is valid, and has them all", function()
    local document <const> = measured(SCRIPT:format ', "large", "pause"',
      "--time-limit 1 --rounds 1", 3)
    local statuses <const> = {}
    for _, sample in ipairs(document.samples) do statuses[sample.arm] = sample.status end
    assert.same({ natural = "ok", warm = "ok", pause = "timed out",
      large = "refused: ENOMEM for the evict buffer of 1125899906842624 bytes" }, statuses)
    assert.same({ 0, 1, 0 }, { document.arms[3].processes, document.arms[3].lost,
      document.arms[3].metrics.first_ns.n })
  end)

  it("of which nothing succeeded is valid", function()
    measured(SCRIPT:format ', "large"', "--arm large", 3)
  end)

  it("of a part of the arms is valid, and says that a split needs the others", function()
    local document <const> = measured(SCRIPT:format "", "--arm warm")
    assert.same({ split = "s", why = "arm 'natural' was not run" }, document.splits[1])
  end)

  it("of a list of experiments is valid, and an array", function()
    local script <const> = "local function one()\n" .. SCRIPT:format ""
      .. "end\nlocal first, second = one(), one()\nsecond.name = 'second'\nreturn { first, second }"
    local documents <const> = measured(script)
    assert.same({ "small", "second" }, { documents[1].experiment, documents[2].experiment })
    assert.equal(2, #documents)
  end)

  it("has names of any bytes, as UTF-8", function()
    local script <const> = [[
      local names = { "quote\"back\\slash", "\xff\xfe", "line\nfeed\27[31m\0end", "µ, ü" }
      local arms = {}
      for i, name in ipairs(names) do
        arms[i] = fr.arm(name) { fr.phase(name) { fr.write(name) } }
      end
      local regions = {}
      for i, name in ipairs(names) do regions[i] = fr.region(name) { bytes = 1 } end
      return fr.experiment "\xff odd" { arms = arms, regions = regions,
        metrics = { fr.metric "m" { at = 1 } } }
    ]]
    local document <const> = measured(script, "--rounds 1")
    assert.equal("\u{FFFD} odd", document.experiment)
    assert.same({ 'quote"back\\slash', "\u{FFFD}\u{FFFD}", "line\nfeed\27[31m\0end", "µ, ü" }, {
      document.arms[1].name, document.arms[2].name, document.arms[3].name, document.arms[4].name })
  end)

  it("of a run that was interrupted is valid, and says that it is partial", function()
    local experiment <const> = fakes.experiment()
    local samples <const> = { fakes.sample("natural", 1, { 4, 3, 2, 1 }, 2) }
    local document <const> = fakes.document(experiment, samples, nil, { partial = true })
    assert_valid(document)
    assert.is_true(json.decode(result.encode(document)).partial)
    assert_valid(fakes.document(experiment, {}, nil, { partial = true }))
  end)
end)

describe("a document", function()
  local experiment <const> = fakes.experiment { splits = {
    fr.split "s" {
      whole = { "natural", "first" }, per = "faults",
      fr.part "a" { { "natural", "first" }, less = { "warm", "first" } },
    },
  }, apart = { metric = "late", above = 1.5 } }

  local function encoded(samples)
    local document <const> = fakes.document(experiment, samples)
    assert_valid(document)
    return json.decode(result.encode(document))
  end

  it("has exact counts as one number, and others as all that occurred", function()
    local document <const> = encoded {
      fakes.sample("natural", 1, { 9, 1, 1, 1 }, 2), fakes.sample("natural", 2, { 9, 1, 1, 1 }, 5),
      fakes.sample("warm", 1, { 9, 1, 1, 1 }, 0), fakes.sample("warm", 2, { 9, 1, 1, 1 }, 0),
    }
    assert.same({ 2, 5 }, { table.unpack(document.arms[1].metrics.faults.values) })
    assert.equal(0, document.arms[2].metrics.faults.exact)
  end)

  it("is valid with broken, zero and missing readings", function()
    encoded { fakes.sample("natural", 1, { 0, 0, 0, 0 }, 0),
      fakes.sample("warm", 1, { 0, 0, 0, 0 }, 0) }
    encoded { fakes.sample("natural", 1, { -30000, 1, 1, 1 }, 2),
      fakes.lost("warm", 1, "timed out") }
    encoded { fakes.lost("natural", 1, "not started: vfork: Cannot allocate memory") }
    encoded { fakes.sample("natural", 1, { math.maxinteger, math.mininteger, 0, 1 }, 2) }
    encoded {}
  end)

  it("has null, beside the reason, for what is unknown", function()
    local document <const> = fakes.document(experiment, {})
    document.clock.read_ns, document.clock.read_ns_why = nil, "the clock did not move"
    document.clock.step_ns, document.clock.step_ns_why = nil, "clock too coarse"
    assert_valid(document)
    local clock <const> = json.decode(result.encode(document)).clock
    assert.same({ json.null, json.null }, { clock.read_ns, clock.step_ns })
  end)

  it("is one line, whose keys have an order", function()
    local text <const> = result.encode(fakes.document(experiment, {}))
    assert.equal(#text, text:find "\n")
    assert.matches('^{"schema":"frlua/1","experiment":"fake","script":"fake.lua","args":%[%]', text)
    assert.matches('"samples":%[%],"digest":"sha256:' .. ("%x"):rep(64) .. '"}\n$', text)
  end)

  it("does not change in being written", function()
    local samples <const> = { fakes.sample("natural", 1, { 9, 1, 1, 1 }) }
    local document <const> = fakes.document(experiment, samples)
    assert.equal(result.encode(document), result.encode(document))
    assert.equal(1, #document.samples)
  end)

  it("has a digest that tells every change of a sample", function()
    local function digest(ns)
      local samples <const> = { fakes.sample("natural", 1, ns) }
      return result.encode(fakes.document(experiment, samples)):match '"digest":"([^"]*)"'
    end
    assert.equal(digest { 9, 1, 1, 1 }, digest { 9, 1, 1, 1 })
    assert.not_equal(digest { 9, 1, 1, 1 }, digest { 9, 1, 1, 2 })
  end)

  it("is not taken for valid when it is not", function()
    local path <const> = sessions.directory .. "/broken.json"
    local text <const> = result.encode(fakes.document(experiment,
      { fakes.sample("natural", 1, { 9, 1, 1, 1 }, 2) }))
    local function refused(from, to, by)
      local broken <const>, count <const> = text:gsub(from, to)
      assert.equal(1, count)
      assert(require "frlua.files".write(path, broken))
      assert.matches(by, complaints(path), 1, true)
    end
    refused('"partial":false,', "", "'partial' is a required property")
    refused('"position":1', '"position":0', "less than the minimum")
    refused('"ns":%[9,', '"ns":[8,', "the digest is not that of the samples")
  end)
end)
