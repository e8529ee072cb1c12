--- Whole results of experiments that were never run: values from a model of noise.
local claim_design <const> = require "frlua.claim_design"
local core <const> = require "frlua.core"
local elimination <const> = require "frlua.elimination"
local fr <const> = require "frlua"
local job <const> = require "frlua.job"
local json <const> = require "frlua.json"
local layout <const> = require "frlua.layout"
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

local function evidence_of(arm, regions, round, value, seed)
  local found <const> = { regions = json.array {}, layouts = json.array {},
    page_tables = json.array {} }
  for index, region in ipairs(job.regions_of(arm, regions)) do
    found.regions[index] = { region = region.name, bytes = region.bytes, huge_bytes = value.huge }
    if region.layout then
      local audit <const> = { region = region.name,
        seed = layout.seed(region.layout, seed, round) }
      for name, count in pairs(region.layout.audit) do audit[name] = count end
      audit.set_hash = value.set_hash or audit.set_hash
      table.insert(found.layouts, audit)
    end
    if value.mapped then
      table.insert(found.page_tables, { region = region.name, method = "PAGEMAP_SCAN",
        present_bytes = region.bytes, huge_bytes = value.mapped })
    end
  end
  for _, name in ipairs { "layouts", "page_tables" } do
    found[name] = found[name][1] and found[name]
  end
  return found
end

local function sample_of(arm, regions, round, position, value, seed)
  local sample <const> = { arm = arm.name, params = arm.params, round = round, position = position,
    cpu = 0, status = value and "ok" or "timed out", phases = json.array {} }
  if not value then return sample end
  local faults <const> = value.faults or 0
  sample.phases[1] = { phase = arm.phases[1].name, ns = core.series { value.ns },
    major_faults = json.array {},
    minor_faults = json.array(faults > 0 and { json.array { 1, faults } } or {}) }
  sample.process = { pid = 1, wall_ns = value.ns, cpu_before = 0, cpu_after = 0, interrupts = 0,
    softirqs = 0, steal_ns = 0, rusage = { user_ns = 1, system_ns = 1, minor_faults = 1,
      major_faults = 0, voluntary_switches = 0, involuntary_switches = 0 } }
  sample.evidence = evidence_of(arm, regions, round, value, seed)
  return sample
end

---What a guard read: `times` as long for twice the work.
---@param kernel string
---@param code string
---@param every string?
---@param times number
---@return frlua.Guard
function simulated.guard(kernel, code, every, times)
  local twice <const> = 20 + math.tointeger(5000 * times // 1) -- with a reading of the clock
  return elimination.judge { kernel = kernel, code = code, every = every, read_ns = 20,
    once = json.array { 5050, 5020, 9000 }, twice = json.array { twice, 99999 } }
end

-- The document of samples made up in the planned order.
local function finish(experiment, rounds, seed, value, about)
  local samples <const> = {}
  experiment.arms = claim_design.with_twins(experiment.arms, experiment.claims)
  local order <const> = plan.order(#experiment.arms, rounds, seed)
  for round, line in ipairs(order) do
    for position, index in ipairs(line) do
      local arm <const> = experiment.arms[index]
      samples[#samples + 1] = sample_of(arm, experiment.regions, round, position,
        value(arm, round), seed)
    end
  end
  local document <const> = result.build(experiment, { rounds = rounds, seed = seed, cpu = 0,
    cpu_why = "made up", time_limit_ns = 1000000000, pause_divisor = 1, order = order }, samples, {
    script = "simulated.lua", args = {}, started_at = "2020-01-01T00:00:00Z",
    wall_ns = 1 << 60, partial = false, guards = json.array { about.guard },
  })
  local machine <const> = document.machine
  machine.hypervisor, machine.hypervisor_why = about.hypervisor, "made up"
  if about.hypervisor then machine.hypervisor_why = nil end
  for name, part in pairs(result.derive(document.design, samples, machine, document.guards)) do
    document[name] = part
  end
  return document
end

---The document of an experiment on arms of these names, with the metrics "time" and "faults".
---@param names string[]
---@param claims frlua.Claim[]
---@param rounds integer
---@param seed integer
---@param value fun(arm: table, round: integer): { ns: integer, faults: integer, huge: integer? }?
---  nil for a lost sample
---@param about? { guard: frlua.Guard?, hypervisor: string? }
---@return table
function simulated.document(names, claims, rounds, seed, value, about)
  local arms <const> = {}
  for index, name in ipairs(names) do
    arms[index] = fr.arm(name) { fr.phase "work" { fr.write "buffer" } }
  end
  local experiment <const> = fr.experiment "simulated" {
    regions = { fr.region "buffer" { bytes = 4096 } }, arms = arms, claims = claims,
    metrics = { fr.metric "time" { at = 1 }, fr.metric "faults" { faults_at = 1 } },
  }
  return finish(experiment, rounds, seed, value, { hypervisor = about and about.hypervisor,
    guard = about and about.guard or simulated.guard("write by page", "write", "page", 2) })
end

---The document of a sweep over lines, of the arms "packed" and "spread" with one metric, "walk".
---@param lines integer[]
---@param claims frlua.Claim[]
---@param rounds integer
---@param seed integer
---@param value fun(arm: table, round: integer): { ns: integer, huge: integer?, mapped: integer?,
---  set_hash: string? }? nil for a lost sample
---@param about? { guard: frlua.Guard?, hypervisor: string? }
---@return table
function simulated.swept(lines, claims, rounds, seed, value, about)
  local sizes <const> = fr.geometry { line = 64, sets = 64 }
  local line <const> = sizes.line_bytes
  local experiment <const> = fr.experiment "swept" {
    sweep = { lines = lines }, timed = { fr.chase {} }, claims = claims,
    arms = {
      fr.arm "packed" { layout = fr.layout { gap = line, geometry = sizes } },
      fr.arm "spread" { layout = fr.layout { gap = sizes.page_bytes, off = line,
        geometry = sizes } },
    },
    metrics = { fr.metric "walk" { at = 1 } },
  }
  return finish(experiment, rounds, seed, value, { hypervisor = about and about.hypervisor,
    guard = about and about.guard or simulated.guard("chase", "chase", nil, 2) })
end

return simulated
