local command_arm <const> = require "frlua.command_arm"
local crosschecked <const> = require "crosschecked"
local fr <const> = require "frlua"
local json <const> = require "frlua.json"
local printed <const> = require "frlua.printed"
local read_result <const> = require "frlua.read_result"
local result <const> = require "frlua.result"
local sessions <const> = require "sessions"
local verify <const> = require "frlua.verify"

-- Commands that tell of their calls as the probes do, with counts and times that are made up.
local SCRIPT <const> = [[
local probe = require "frlua.core".root .. "/lib/frlua/probe/call_"
local function arm(name, kind, text, env)
  return fr.arm(name) { command = { "/bin/sh", "-c", "echo '{" .. text .. ",\"mine\":'${N:-1}'}'" },
    prints = "readings", calls_of = probe .. kind, env = env }
end
local long = {}
for i = 1, 100 do long[i] = i end
local lazy = '"slots":9,"bound_before":2,"bound_after":3,"ns":[' .. table.concat(long, ",") .. "]"
local now = '"slots":9,"bound_before":9,"bound_after":9,"ns":[4,1,2]'
local function claim(name, ...) return fr.claim(name) { needs = { ... },
  test = fr.below { "now", than = "lazy", metric = "mean" } } end
return fr.experiment "printing" {
  arms = {
    arm("lazy", "lazy", lazy, { N = "5" }), arm("now", "lazy", now), arm("built", "now", lazy),
    fr.arm "silent" { command = { "/bin/sh", "-c", "echo '{\"ns\":[8]}'" }, prints = "readings",
      calls_of = probe .. "lazy" },
    fr.arm "odd" { command = { "/bin/sh", "-c", "echo text" }, prints = "readings" },
    fr.arm "true" { command = { "true" } },
  },
  rounds = 20,
  metrics = {
    fr.metric "mine" { printed = "mine" }, fr.metric "second" { printed = "ns", at = 2 },
    fr.metric "mean" { printed = "ns", of = "mean" },
    fr.metric "middle" { printed = "ns", of = "median" },
  },
  splits = {
    fr.split "shown" { whole = { "lazy", "mean" }, needs = fr.bound { "lazy", as = "lazy" },
      fr.part "late" { { "lazy", "mean" }, less = { "now", "mean" } } },
    fr.split "hidden" { whole = { "lazy", "mean" }, needs = { fr.bound { "built", as = "lazy" } },
      fr.part "late" { { "lazy", "mean" }, less = { "now", "mean" } } },
  },
  claims = {
    claim("as it is", fr.bound { "lazy", as = "lazy" }, fr.bound { "now", as = "now" }),
    claim("contrary", fr.bound { "lazy", as = "now" }),
    claim("by the file", fr.bound { "built", as = "lazy" }),
    claim("untold", fr.bound { "silent", as = "lazy" }),
    claim("lost", fr.bound { "odd", as = "now" }),
    fr.claim "a test" { test = fr.bound { "now", as = "now" } },
  },
}
]]

local text

setup(function()
  sessions.open()
  local child <const> = sessions.run('"$1" "$2" --json out.json >report.txt', SCRIPT)
  assert(child.exit_status == 3, child.stderr) -- the samples of 'odd' are lost
  text = sessions.contents "out.json"
end)
teardown(sessions.close)

local function raw() return assert(json.decode(text)) end

local function by_name(list, key, name)
  for _, item in ipairs(list) do
    if item[key] == name then return item end
  end
end

local function metrics_of(arm) return by_name(raw().arms, "name", arm).metrics end

describe("what a program prints", function()
  it("is read as one object of whole numbers and lists of them", function()
    assert.same({ a = 1, list = { -2, 3 }, none = {} },
      printed.read '{"a":1,"list":[-2,3],"none":[]}\n')
    for output, why in pairs {
      [""] = "it printed '', not one JSON object",
      ["text"] = "it printed 'text', not one JSON object",
      ["[1]"] = "it printed '[1]', not one JSON object",
      ["null"] = "it printed 'null', not one JSON object",
      ['{"a":1.5}'] = "'a' is neither a whole number below 2^63 nor a list of them",
      ['{"a":{}}'] = "'a' is neither a whole number below 2^63 nor a list of them",
      ['{"a":null}'] = "'a' is neither a whole number below 2^63 nor a list of them",
      ['{"a":[1,"2"]}'] = "entry 2 of 'a' is no whole number below 2^63",
      ['{"a_why":1}'] = "'a_why' is no name of a reading",
      ['{"a b":1}'] = "'a b' is no name of a reading",
    } do
      assert.same({ nil, why }, { printed.read(output) }, output)
    end
    assert.same({ nil, "it printed more than 1 MiB" }, { printed.read('{"a":1}', 1) })
  end)

  it("is a metric: a number, an entry of a list, its mean or its median", function()
    local readings <const> = { one = 7, list = { 9, 1, 2, 4 } }
    local function value(fields)
      return printed.value(readings, fr.metric "m" (fields))
    end
    assert.equal(7, value { printed = "one" })
    assert.equal(1, value { printed = "list", at = 2 })
    assert.equal(4, value { printed = "list", of = "mean" }) -- 16 / 4
    assert.equal(3, value { printed = "list", of = "median" }) -- of 2 and 4
    for _, fields in ipairs { { printed = "none" }, { printed = "list" },
      { printed = "list", at = 5 }, { printed = "one", at = 1 }, { printed = "one", of = "mean" },
      { printed = "none", of = "median" } } do
      assert.is_nil(value(fields))
    end
  end)

  it("is kept with each sample, and its metrics are taken of that", function()
    local document <const> = raw()
    for _, sample in ipairs(document.samples) do
      assert.equal(sample.arm ~= "odd" and sample.arm ~= "true", sample.printed ~= nil)
    end
    local lazy <const> = metrics_of "lazy"
    assert.same({ 5, 2, 50.5, 50.5 }, { lazy.mine_ns.median, lazy.second_ns.median,
      lazy.mean_ns.median, lazy.middle_ns.median }) -- of 1 … 100
    assert.equal(20, metrics_of("now").mean_ns.n)
    assert.equal(0, metrics_of("silent").second_ns.n)
  end)

  it("is of the environment that the arm names", function()
    assert.same({ 5, 1 }, { metrics_of("lazy").mine_ns.min, metrics_of("now").mine_ns.max })
    local function options(fields)
      fields.command = { "x" }
      local made <const> = command_arm.spawn_options(fr.arm "a" (fields))
      return { made.env, made.set_env, made.unset_env }
    end
    assert.same({ { A = "1=2", B = "" } }, options { env = { B = "", A = "1=2" } })
    assert.same({}, options {})
    assert.same({ {}, { C = "3" }, { "D" } },
      options { env = {}, set_env = { C = "3" }, unset_env = { "D" } })
  end)

  it("is a lost sample where it is no such object, with the reason", function()
    local sample <const> = by_name(raw().samples, "arm", "odd")
    assert.equal("no readings: it printed 'text\\10', not one JSON object", sample.status)
    assert.equal(20, by_name(raw().arms, "name", "odd").lost)
  end)
end)

describe("the evidence of bound calls", function()
  local function assert_claim(name, verdict, reason)
    local claim <const> = by_name(raw().claims, "claim", name)
    assert.equal(verdict, claim.verdict, claim.reason)
    assert.matches(reason, claim.reason, 1, true)
  end

  it("lets a claim be made where it is there", function()
    assert_claim("as it is", "pass", "mean of 'now' is 0.04620 times mean of 'lazy'") -- 7/3 / 50.5
    assert_claim("a test", "pass",
      "all slots of 'now' were bound before the first call in each of 20 samples")
  end)

  it("withdraws it where it is contrary, by the processes or by the file", function()
    assert_claim("contrary", "withdrawn",
      "the evidence is contrary: 7 of 9 slots were not bound before the first call (round 1)")
    assert_claim("by the file", "withdrawn", "the evidence is contrary: call_now is not bound"
      .. " lazily, and LD_BIND_NOW can make no difference: asked for by DT_FLAGS")
  end)

  it("withdraws it where it is missing", function()
    assert_claim("untold", "withdrawn",
      "the evidence is missing: unknown: the program does not tell")
    assert_claim("lost", "withdrawn", "the evidence is missing: unknown: no process is there")
  end)

  it("withdraws a split that needs it", function()
    local shown <const>, hidden <const> = table.unpack(raw().splits)
    assert.equal(20, shown.whole.ns.n)
    assert.is_true(hidden.withdrawn)
    assert.matches("call_now is not bound lazily", hidden.why, 1, true)
    assert.matches("hidden: withdrawn, call_now", sessions.contents "report.txt", 1, true)
  end)

  it("keeps of the file what it said when the run began", function()
    local arms <const> = raw().design.arms
    assert.equal("lazy", by_name(arms, "name", "lazy").file.binding)
    assert.equal("now", by_name(arms, "name", "built").file.binding)
    assert.same(by_name(arms, "name", "lazy").file, by_name(arms, "name", "lazy (twin)").file)
    assert.is_nil(by_name(arms, "name", "true").file)
  end)
end)

describe("a result with readings of programs", function()
  -- A change of the document as anybody would make it: the digest fits.
  local function changed(change)
    local document <const> = read_result.document(raw())
    change(document)
    return result.encode(document)
  end

  local function findings(changed_text)
    return table.concat(verify.document(assert(json.decode(changed_text))).findings, "\n")
  end

  it("verifies, and other programs come to the same", function()
    assert.equal("", findings(text))
    assert.same(raw(), json.decode(changed(function() end)))
    local out <const>, status <const> = crosschecked.run "out.json"
    assert.equal(0, status, out)
    assert.not_matches("NOT CHECKED", out)
    assert.matches("127 printed readings", out, 1, true) -- 20 rounds of 5 arms and a twin; 7 files
  end)

  -- What the other program says of the same changes.
  local DIFFERENT <const> = {
    ["arms[1].metrics.mine_ns.max"] = "DIFFERENT arms 'lazy'.mine_ns.max",
    ["arms[2].metrics.mean_ns.max"] = "DIFFERENT arms 'now'.mean_ns.max",
    ["claims[6].verdict"] = "DIFFERENT claims 'a test'.verdict",
    ["claims[1].verdict"] = "DIFFERENT claims 'as it is'.verdict",
    ["splits[2].withdrawn"] = "DIFFERENT splits 'hidden'.withdrawn",
    [".printed is there, and arm 'true' prints nothing"] = "DIFFERENT samples 'true' 1.printed",
    [".printed is missing, and arm 'silent' prints readings"] =
      "DIFFERENT samples 'silent' 1.printed",
    ["design.arms[3].file.path is /other in the file"] =
      "DIFFERENT design.arms 'built'.file.path",
  }

  it("does not where something was changed, by both", function()
    local function first(document, arm) return by_name(document.samples, "arm", arm) end
    for what, change in pairs {
      ["arms[1].metrics.mine_ns.max"] = function(document)
        first(document, "lazy").printed.mine = 6
      end,
      ["arms[2].metrics.mean_ns.max"] = function(document)
        first(document, "now").printed.ns[1] = 400
      end,
      ["claims[6].verdict"] = function(document)
        first(document, "now").printed.bound_before = 8
      end,
      ["claims[1].verdict"] = function(document)
        by_name(document.design.arms, "name", "lazy").file.binding = "now"
      end,
      ["splits[2].withdrawn"] = function(document)
        by_name(document.design.arms, "name", "built").file.binding = "lazy"
      end,
      [".printed is there, and arm 'true' prints nothing"] = function(document)
        first(document, "true").printed = { ns = { 1 } }
      end,
      [".printed is missing, and arm 'silent' prints readings"] = function(document)
        first(document, "silent").printed = nil
      end,
      ["design.arms[3].file.path is /other in the file"] = function(document)
        by_name(document.design.arms, "name", "built").file.path = "/other"
      end,
    } do
      local other <const> = changed(change)
      assert.matches(what, findings(other), 1, true)
      crosschecked.write("changed.json", other)
      local out <const>, status <const> = crosschecked.run "changed.json"
      assert.equal(1, status, what)
      assert.matches(DIFFERENT[what], out, 1, true)
    end
  end)

  it("is read back from its file as it was written, also long lists", function()
    local child <const> = sessions.shell('"$1" report --json - "$2/out.json"', sessions.host,
      sessions.directory)
    assert.equal(text, child.stdout)
    assert.equal(0, sessions.shell('"$1" verify "$2/out.json"', sessions.host,
      sessions.directory).exit_status)
  end)
end)
