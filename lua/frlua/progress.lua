--- One line on standard error while samples run: arm, round, how many of how many, time left.
local aligned <const> = require "frlua.report.table"
local clock <const> = require "frlua.clock"
local core <const> = require "frlua.core"
local unistd <const> = require "posix.unistd"

local progress <const> = {}

-- One that knows no control sequences has the line written over.
local function takes_sequences()
  local term <const> = os.getenv "TERM"
  return term ~= nil and term ~= "dumb"
end

-- Where the line may be written while a sample runs: on no CPU that it is measured on.
local function other_cpus(cpu)
  local others <const> = {}
  for _, allowed in ipairs(core.allowed_cpus() or {}) do
    if allowed ~= cpu then others[#others + 1] = allowed end
  end
  return others
end

-- What a sample of an arm takes, from those so far; one not yet seen counts as the mean.
local function expected(state, name)
  local arm <const> = state.arms[name]
  if arm then return arm.ns / arm.count end
  local sum, seen = 0, 0
  for _, other in pairs(state.arms) do sum, seen = sum + other.ns, seen + other.count end
  return seen > 0 and sum / seen or nil
end

-- What is left, from what samples took so far; nil before there is one.
local function time_left(state)
  if state.done == 0 then return nil end
  local left = 0
  for _, name in ipairs(state.arm_names) do
    local arm <const> = state.arms[name]
    left = left + expected(state, name) * (state.rounds - (arm and arm.count or 0))
  end
  return left
end

local function whole(ns)
  return math.tointeger(ns // 1)
end

local function show(state, arm, round)
  local left <const> = time_left(state)
  core.progress_show {
    title = aligned.printable(state.name),
    round = (": round %d of %d, "):format(round, state.rounds),
    arm = aligned.printable(arm),
    done = (", %d of %d samples done"):format(state.done, state.rounds * #state.arm_names),
    left_ns = left and whole(left),
    others_ns = left and whole(math.max(0, left - expected(state, arm))),
  }
end

---@param experiment frlua.Experiment
---@param design { rounds: integer, cpu: integer }
---@param when "auto"|"always"|"never"
---@return { before: function, after: function, finish: function } # closing it finishes it, too
function progress.new(experiment, design, when)
  local silent <const> = when == "never" or (when == "auto" and unistd.isatty(2) ~= 1)
  local state <const> = { name = experiment.name, rounds = design.rounds, done = 0, arms = {},
    arm_names = {} }
  for index, arm in ipairs(experiment.arms) do state.arm_names[index] = arm.name end
  local started
  local made <const> = {
    before = function(arm, round)
      started = clock()
      if not silent then show(state, arm, round) end
    end,
    after = function(name)
      local arm <const> = state.arms[name] or { ns = 0, count = 0 }
      arm.ns, arm.count = arm.ns + clock() - started, arm.count + 1
      state.arms[name], state.done = arm, state.done + 1
    end,
    finish = function()
      if not silent then core.progress_stop() end
    end,
  }
  -- Where there can be no thread, the line still changes with every sample.
  if not silent then core.progress_start(other_cpus(design.cpu), takes_sequences()) end
  return setmetatable(made, { __close = made.finish })
end

return progress
