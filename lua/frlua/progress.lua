--- One line on standard error while samples run: arm, round, how many of how many, time left.
local aligned <const> = require "frlua.report.table"
local clock <const> = require "frlua.clock"
local unistd <const> = require "posix.unistd"

local progress <const> = {}

-- What takes a line off the terminal; one that knows no control sequences has it written over.
local function clearing(last)
  local term <const> = os.getenv "TERM"
  if term and term ~= "dumb" then return "\r\27[K" end
  return "\r" .. (" "):rep(#last) .. "\r"
end

local function write(text)
  io.stderr:write(text)
  io.stderr:flush()
end

local function duration(ns)
  local seconds <const> = math.tointeger((ns + 999999999) // 1000000000)
  if seconds < 60 then return ("%d s"):format(seconds) end
  return ("%d min %02d s"):format(seconds // 60, seconds % 60)
end

-- What is left, from what each arm's samples took so far; an arm not yet seen counts as the mean.
local function time_left(state)
  local sum, seen = 0, 0
  for _, arm in pairs(state.arms) do
    sum, seen = sum + arm.ns, seen + arm.count
  end
  if seen == 0 then return nil end
  local left = 0
  for _, name in ipairs(state.arm_names) do
    local arm <const> = state.arms[name]
    local mean <const> = arm and arm.ns / arm.count or sum / seen
    left = left + mean * (state.rounds - (arm and arm.count or 0))
  end
  return left
end

local function line(state, arm, round)
  local left <const> = time_left(state)
  return ("%s: round %d of %d, %s, %d of %d samples done%s"):format(state.name, round,
    state.rounds, arm, state.done, state.rounds * #state.arm_names,
    left and ", " .. duration(left) .. " left" or "")
end

---@param experiment frlua.Experiment
---@param rounds integer
---@param when "auto"|"always"|"never"
---@return { before: function, after: function, finish: function }
function progress.new(experiment, rounds, when)
  local silent <const> = when == "never" or (when == "auto" and unistd.isatty(2) ~= 1)
  local state <const> = { name = experiment.name, rounds = rounds, done = 0, arms = {},
    arm_names = {} }
  for index, arm in ipairs(experiment.arms) do state.arm_names[index] = arm.name end
  local started, last = nil, ""
  return {
    before = function(arm, round)
      started = clock()
      if silent then return end
      local text <const> = aligned.printable(line(state, arm, round))
      write(clearing(last) .. text)
      last = text
    end,
    after = function(name)
      local arm <const> = state.arms[name] or { ns = 0, count = 0 }
      arm.ns, arm.count = arm.ns + clock() - started, arm.count + 1
      state.arms[name], state.done = arm, state.done + 1
    end,
    finish = function()
      if not silent then write(clearing(last)) end
    end,
  }
end

return progress
