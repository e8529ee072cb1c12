local claim_design <const> = require "frlua.claim_design"
local cli <const> = require "frlua.cli"
local core <const> = require "frlua.core"
local fakes <const> = require "fakes"

local SLICES <const>, FLAT_NS <const> = 3000, 4000

-- The script's experiment, as without arguments.
local function experiment_of_script()
  local fr <const> = require "frlua"
  stub(cli, "args", function() return {} end)
  local kept <const> = rawget(fr, "args")
  fr.args = cli.args
  local made <const> = dofile "scripts/clock_ramp.lua"
  fr.args = kept
  cli.args:revert()
  made.arms = claim_design.with_twins(made.arms, made.claims, made.twins)
  return made
end

-- What the script reads off ten processes of each arm. `slow`: by the arm's name so many slices at
-- the start take twice as long, or `factor` times; the others are alike but for a thousandth in
-- turn.
local function read_off(slow, flat_ns, factor)
  local made <const>, samples <const> = experiment_of_script(), {}
  for round = 1, made.rounds do
    for _, arm in ipairs(made.arms) do
      local list <const>, base <const> = {}, (flat_ns or FLAT_NS) + round % 2 * 4
      local slow_base <const> = math.tointeger((factor or 2) * base // 1)
      for slice = 1, SLICES do
        list[slice] = slice <= (slow[arm.name] or 0) and slow_base or base
      end
      local sample <const> = fakes.sample(arm.name, round, { 1 })
      sample.phases[1].phase, sample.phases[1].ns = "rate", core.series(list)
      samples[#samples + 1] = sample
    end
  end
  local document <const> = fakes.document(made, samples)
  return table.concat(made.reading(document), "\n"), document
end

local function has(text, pattern)
  return (text:find(pattern)) ~= nil
end

describe("clock_ramp.lua", function()
  it("reads a flat curve as an answer", function()
    local text <const>, document <const> = read_off {}
    assert.is_true(has(text, "\nNo ramp seen: the first slice is within noise %("))
    assert.is_false(has(text, "Slow at first"))
    assert.is_true(has(text, "\nsleep 1000 ms [^\n]* 1%.000 +%[1%.000, 1%.000%] +0%.0 +no"))
    for _, claim in ipairs(document.claims) do assert.equal("pass", claim.verdict, claim.claim) end
  end)

  it("names the pauses after which the core began slowly, and until when", function()
    local text <const>, document <const> =
      read_off { ["sleep 1000 ms"] = 100, ["sleep 100 ms"] = 1, ["sleep 100 ms (twin)"] = 1 }
    assert.is_true(has(text, "\nSlow at first: after sleep 100 ms, sleep 1000 ms%."))
    -- 100 slices of 2 * 4002 ns, the median of 2 * 4000 and 2 * 4004, are 800.4 µs.
    assert.is_true(has(text, "\nsleep 1000 ms [^\n]* 0%.500 +%[0%.500, 0%.500%] +800%.4 +yes"))
    assert.is_false(has(text, "No ramp seen"))
    local verdicts <const> = {}
    for _, claim in ipairs(document.claims) do verdicts[claim.claim] = claim.verdict end
    assert.equal("fail", verdicts["the core was not slow after a sleep of 1000 ms"])
    assert.equal("pass", verdicts["the core was not slow after a sleep of 10 ms"])
    assert.equal("pass", verdicts["the core was not slow after a spin of 1000 ms"])
  end)

  it("does not take less than a twentieth for a ramp, however quiet the machine", function()
    local text <const> = read_off({ ["sleep 10 ms"] = 1 }, nil, 1.04)
    assert.is_true(has(text, "\nNo ramp seen: .* or has 95 %% of it[,.]"))
    local slower <const> = read_off({ ["sleep 10 ms"] = 1 }, nil, 1.06)
    assert.is_true(has(slower, "\nSlow at first: after sleep 10 ms%."))
  end)

  it("sees a core that stays slow until the end by the spin beside it", function()
    local document <const> = select(2, read_off { ["sleep 1000 ms"] = SLICES })
    local last <const> = document.claims[#document.claims]
    assert.equal("in the end the core is as fast after a sleep as after a spin", last.claim)
    assert.equal("fail", last.verdict)
  end)

  it("makes no rate of slices that the clock did not resolve", function()
    local text <const> = read_off({}, -4)
    assert.is_true(has(text,
      "is unknown of 10 arms %(sleep 0 ms: the clock did not resolve the slices%)"))
    assert.is_false(has(text, "inf"))
  end)

  it("says why the clock's settings are unknown", function()
    local text <const>, document <const> = read_off {}
    assert.is_true(has(text, "\nCPU 0: "))
    document.machine.frequency_driver, document.machine.governor = "acpi-cpufreq", nil
    document.machine.governor_why, document.machine.frequency_khz = "hidden", 1800000
    local known <const> = table.concat(experiment_of_script().reading(document), "\n")
    assert.is_true(has(known,
      "\ncpufreq: driver acpi%-cpufreq; governor unknown, hidden; 1800000 kHz after the run\n"))
  end)
end)
