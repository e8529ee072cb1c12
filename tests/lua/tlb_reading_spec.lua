-- What scripts/tlb.lua says of samples that no worker took: a step above 64 pages, of two more
-- nanoseconds a load.
local core <const> = require "frlua.core"
local event_counts <const> = require "frlua.event_counts"
local fakes <const> = require "fakes"
local plan <const> = require "frlua.plan"

local ROUNDS <const>, LAST_FREE <const> = 8, 64

local tlb <const> = dofile(core.root .. "/share/frlua/scripts/tlb.lua")[1]

local function loads_of(arm)
  return arm.phases[1].ops[1].loads or 1 << 20
end

-- As the hardware of a machine with a PMU counts them; `error` instead where it has none.
local function counters_of(misses, error)
  local counted <const> = not error
  return event_counts.of_phase { { event = "dTLB-load-misses", side = "user", error = error,
    value = counted and misses, enabled_ns = counted and 1000, running_ns = counted and 1000 } }
end

-- A sample in which each load takes so long, and misses so often.
local function sample_of(arm, round, ns_per_load, counters)
  local loads <const>, ns <const> = loads_of(arm), {}
  for iteration = 1, arm.phases[1].iterations do
    ns[iteration] = math.tointeger(ns_per_load * loads // 1) + round
  end
  local sample <const> = fakes.sample(arm.name, round, ns)
  sample.params, sample.phases[1].phase = arm.params, arm.phases[1].name
  sample.phases[1].counters = counters and counters(loads * arm.phases[1].iterations)
  return sample
end

-- The lines that the script reads off; `counters` makes the counts of a number of loads.
local function reading(counters)
  local samples <const>, order <const> = {}, plan.order(#tlb.arms, ROUNDS, 1)
  for round in ipairs(order) do
    for _, arm in ipairs(tlb.arms) do
      local is_slow <const> = arm.group == "spread" and arm.params.lines > LAST_FREE
      local of_arm <const> = counters and function(loads) return counters(arm, loads) end
      local ns <const> = arm.is_reference and 90 or is_slow and 3 or 1
      samples[#samples + 1] = sample_of(arm, round, ns, of_arm)
    end
  end
  local document <const> = fakes.document(tlb, samples, { rounds = ROUNDS, order = order,
    counters = counters and true })
  return table.concat(tlb.reading(document), "\n")
end

local function has(text, part)
  assert.is_truthy(text:find(part, 1, true), ("no '%s' in:\n%s"):format(part, text))
end

describe("what tlb.lua reads off", function()
  it("has the misses that were counted, for each load and more than when packed", function()
    local text <const> = reading(function(arm, loads)
      local share <const> = arm.group == "spread" and 3 or 1 -- of four loads
      return counters_of(loads * share // 4)
    end)
    has(text, "Up to 64 pages spreading costs nothing")
    has(text, "A PMU counted of it 0.500 dTLB misses a load, at 512 pages: 0.750 spread, 0.250"
      .. " packed")
  end)

  it("has that they are unknown, and why, where nothing counts them", function()
    local text <const> = reading(function()
      return counters_of(nil, require "posix.errno".ENOENT)
    end)
    has(text, "What a PMU would count of it (dTLB misses) is unknown: ")
    has(text, "(ENOENT): no hardware here counts it")
  end)

  it("has that they are unknown without --counters", function()
    has(reading(), "What a PMU would count of it (dTLB misses) is unknown: no counters were read"
      .. " (--counters).")
  end)
end)
