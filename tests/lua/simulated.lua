--- Whole results of experiments that were never run: values from a model of noise.
local claim_design <const> = require "frlua.claim_design"
local core <const> = require "frlua.core"
local fr <const> = require "frlua"
local json <const> = require "frlua.json"
local plan <const> = require "frlua.plan"
local random <const> = require "frlua.random"
local result <const> = require "frlua.result"

local simulated <const> = {}

---A normally distributed number (Box and Muller 1958).
---@param generator table of frlua.random
---@return number
function simulated.normal(generator)
  local radius <const> = math.sqrt(-2 * math.log(1 - generator:uniform()))
  return radius * math.cos(2 * math.pi * generator:uniform())
end

---@param seed integer
---@return table
function simulated.generator(seed)
  local drawn <const> = random.new(seed)
  function drawn:uniform() return (self:below(1 << 53)) * 0x1p-53 end
  return drawn
end

local function sample_of(arm, round, position, value)
  local sample <const> = { arm = arm.name, round = round, position = position, cpu = 0,
    status = value and "ok" or "timed out", phases = json.array {} }
  if not value then return sample end
  sample.phases[1] = { phase = "work", ns = core.series { value.ns }, major_faults = json.array {},
    minor_faults = json.array(value.faults > 0 and { json.array { 1, value.faults } } or {}) }
  sample.process = { pid = 1, wall_ns = value.ns, cpu_before = 0, cpu_after = 0, interrupts = 0,
    softirqs = 0, steal_ns = 0, rusage = { user_ns = 1, system_ns = 1, minor_faults = 1,
      major_faults = 0, voluntary_switches = 0, involuntary_switches = 0 } }
  sample.evidence = { regions = json.array { { region = "buffer", bytes = 4096,
    huge_bytes = value.huge } } }
  return sample
end

---The document of an experiment on arms of these names, with the metrics "time" and "faults".
---@param names string[]
---@param claims frlua.Claim[]
---@param rounds integer
---@param seed integer
---@param value fun(arm: table, round: integer): { ns: integer, faults: integer, huge: integer? }?
---  nil for a lost sample
---@return table
function simulated.document(names, claims, rounds, seed, value)
  local arms <const>, samples <const> = {}, {}
  for index, name in ipairs(names) do
    arms[index] = fr.arm(name) { fr.phase "work" { fr.write "buffer" } }
  end
  local experiment <const> = fr.experiment "simulated" {
    regions = { fr.region "buffer" { bytes = 4096 } }, arms = arms, claims = claims,
    metrics = { fr.metric "time" { at = 1 }, fr.metric "faults" { faults_at = 1 } },
  }
  experiment.arms = claim_design.with_twins(experiment.arms, experiment.claims)
  local order <const> = plan.order(#experiment.arms, rounds, seed)
  for round, line in ipairs(order) do
    for position, index in ipairs(line) do
      local arm <const> = experiment.arms[index]
      samples[#samples + 1] = sample_of(arm, round, position, value(arm, round))
    end
  end
  return result.build(experiment, { rounds = rounds, seed = seed, cpu = 0, cpu_why = "made up",
    time_limit_ns = 1000000000, pause_divisor = 1, order = order }, samples, {
    script = "simulated.lua", args = {}, started_at = "2020-01-01T00:00:00Z",
    wall_ns = 1 << 60, partial = false,
  })
end

return simulated
