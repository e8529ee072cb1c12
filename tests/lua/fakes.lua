--- Experiments small enough to calculate with by hand, and samples of them that no worker took.
local core <const> = require "frlua.core"
local fr <const> = require "frlua"
local json <const> = require "frlua.json"
local result <const> = require "frlua.result"

local fakes <const> = {
  -- In such a build memory of the sanitizer's own is touched, too: no count of faults is exact.
  is_sanitized = os.getenv "FRLUA_SANITIZE" == "1",
}

---An experiment of two arms with four iterations over two pages, unless the fields say otherwise.
---@param fields? table fields of fr.experiment
---@return frlua.Experiment
function fakes.experiment(fields)
  local page <const> = fr.machine.page_bytes
  local all <const> = {
    regions = { fr.region "buffer" { bytes = 2 * page } },
    steps = { fr.step "warm" { fr.write "buffer" } },
    timed = { fr.write "buffer" },
    iterations = 4,
    arms = fr.modes { "natural", "warm" },
    rounds = 3,
    metrics = {
      fr.metric "first" { at = 1 }, fr.metric "faults" { faults_at = 1 },
      fr.metric "late" { median_from = 2 },
    },
  }
  for name, value in pairs(fields or {}) do all[name] = value or nil end
  return fr.experiment "fake" (all)
end

---What run.design makes of it.
---@param experiment frlua.Experiment
---@param fields? table
---@return frlua.Design
function fakes.settled(experiment, fields)
  local settled <const> = {
    rounds = experiment.rounds, seed = 7, cpu = 0, cpu_why = "made up",
    time_limit_ns = 60000000000, pause_divisor = 1, order = {},
  }
  for round = 1, experiment.rounds do
    settled.order[round] = {}
    for arm = 1, #experiment.arms do settled.order[round][arm] = arm end
  end
  for name, value in pairs(fields or {}) do settled[name] = value end
  return settled
end

---A sample of the phase "timed".
---@param arm string
---@param round integer
---@param ns integer[] of the iterations
---@param faults? integer minor faults of iteration 1
---@param wall_ns? integer of the whole process
---@return frlua.Sample
function fakes.sample(arm, round, ns, faults, wall_ns)
  local rusage <const> = { user_ns = 1, system_ns = 1, minor_faults = 1, major_faults = 0,
    voluntary_switches = 0, involuntary_switches = 0 }
  return {
    arm = arm, round = round, position = 1, cpu = 0, status = "ok",
    phases = json.array { {
      phase = "timed", ns = core.series(ns), major_faults = json.array {},
      minor_faults = json.array(faults and faults > 0 and { { 1, faults } } or {}),
    } },
    process = { pid = 1, rusage = rusage, wall_ns = wall_ns or 1000, cpu_before = 0, cpu_after = 0,
      interrupts = 0, softirqs = 0, steal_ns = 0 },
    evidence = { checksum = 0, regions = json.array {} },
  }
end

---A sample that was lost before it had any readings.
---@param arm string
---@param round integer
---@param status string
---@return frlua.Sample
function fakes.lost(arm, round, status)
  return { arm = arm, round = round, position = 1, cpu = 0, status = status,
    phases = json.array {} }
end

---The document of such samples, with a clock of 20 ns a reading in steps of 10 ns, whatever this
---machine's is.
---@param experiment frlua.Experiment
---@param samples frlua.Sample[]
---@param settled? table fields of the design
---@param about? table
---@return table
function fakes.document(experiment, samples, settled, about)
  local document <const> = result.build(experiment, fakes.settled(experiment, settled), samples, {
    script = "fake.lua", args = {}, started_at = "2020-01-01T00:00:00Z", wall_ns = 5,
    partial = about and about.partial or false,
  })
  document.clock = { source = "CLOCK_MONOTONIC", vdso = true, read_ns = 20.0, step_ns = 10,
    getres_ns = 1, backward_steps = 0 }
  return document
end

return fakes
