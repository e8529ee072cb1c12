--- Fresh processes of programs as samples: every arm is a command, run once in every round in the
--- balanced order of frlua.plan, its standard output what it measured. The samples of fr.experiment
--- are jobs of frlua-worker; those of any other program are these, judged by the same tests.
local analysis <const> = require "frlua.analysis"
local check <const> = require "frlua.check"
local claim_design <const> = require "frlua.claim_design"
local clock <const> = require "frlua.clock"
local core <const> = require "frlua.core"
local files <const> = require "frlua.files"
local json <const> = require "frlua.json"
local plan <const> = require "frlua.plan"
local process <const> = require "frlua.process"
local stats <const> = require "frlua.stats"
local verdict <const> = require "frlua.verdict"

local programs <const> = {}

---@class frlua.Program an arm
---@field name string
---@field argv string[] the program, and its arguments
---@field env table<string, string>? its whole environment; by default the script's
---@field twin_of string? the arm that it is, under a second name

---@class frlua.ProgramSample
---@field arm string
---@field round integer
---@field position integer in its round
---@field status string "ok", or how the process ended: "exited", "killed", "timed out"
---@field why string? unless "ok"
---@field wall_ns integer? nil when the program could not be started
---@field readings table? what `read` made of the output

---@class frlua.ProgramDesign
---@field arms frlua.Program[]
---@field metrics { name: string, unit: string, source: string }[] as floors and verdicts need them
---@field rounds integer
---@field rounds_for_claims integer
---@field order integer[][]
---@field seed integer
---@field cpu integer
---@field cpu_why string

local SECONDS <const> = 10 -- that a process may take where the design says nothing

---Puts a design together.
---@param fields { arms: frlua.Program[], metrics: string[], claims: frlua.Claim[], rounds: integer,
---  seed: integer?, cpu: integer?, time_limit: number? } `time_limit`: of a process, in seconds
---@return frlua.ProgramDesign? design
---@return string? why the CPU that was asked for can't be had
function programs.design(fields)
  local cpu <const>, cpu_why <const> = require "frlua.cpus".choose(fields.cpu)
  if not cpu then return nil, cpu_why end
  local metrics <const> = {}
  for index, name in ipairs(fields.metrics) do
    metrics[index] = { name = name, unit = "ns", source = "process" }
  end
  local seed <const> = fields.seed or require "frlua.run".any_seed()
  return {
    arms = fields.arms, metrics = metrics, claims = fields.claims, rounds = fields.rounds,
    rounds_for_claims = claim_design.rounds(fields.claims, fields.arms),
    order = plan.order(#fields.arms, fields.rounds, seed), seed = seed,
    cpu = cpu, cpu_why = cpu_why, time_limit = fields.time_limit or SECONDS, pause_divisor = 1,
  }
end

-- How a process that did not end well ended, in words.
local function ending(child)
  if child.status ~= "exited" then
    return child.status .. (child.signal_name and " by " .. child.signal_name or "")
  end
  local said <const> = (child.stderr or ""):match "^[^\n]+"
  return ("exit status %d%s"):format(child.exit_status, said and ": " .. said or "")
end

local function take_sample(arm, design, read)
  local options <const> = table.move(arm.argv, 1, #arm.argv, 1, {
    env = arm.env, cpu = design.cpu, time_limit = design.time_limit,
  })
  local child <const>, message <const> = process.spawn(options)
  local sample <const> = { arm = arm.name }
  if not child then
    sample.status, sample.why = "not started", message
    return sample
  end
  sample.wall_ns = child.wall_ns
  if child.exit_status ~= 0 then
    sample.status, sample.why = child.status, ending(child)
    return sample
  end
  sample.readings, sample.why = read(child.stdout)
  sample.status = sample.readings and "ok" or "unreadable"
  return sample
end

---Runs it.
---@param design frlua.ProgramDesign
---@param read fun(output: string): table?, string? what a process printed, as readings; or why not
---@return frlua.ProgramSample[] samples in the order in which they ran
function programs.run(design, read)
  local samples <const> = {}
  core.stay_on(design.cpu) -- a child that is born on its CPU need not move
  local _ <close> = setmetatable({}, { __close = function() core.roam() end })
  for round, order in ipairs(design.order) do
    for position, index in ipairs(order) do
      local sample <const> = take_sample(design.arms[index], design, read)
      sample.round, sample.position = round, position
      samples[#samples + 1] = sample
    end
  end
  return samples
end

---The samples of an arm that are whole.
---@param samples frlua.ProgramSample[]
---@param arm string
---@return frlua.ProgramSample[]
function programs.whole(samples, arm)
  local found <const> = {}
  for _, sample in ipairs(samples) do
    if sample.arm == arm and sample.status == "ok" then found[#found + 1] = sample end
  end
  return found
end

---One number per process.
---@param design frlua.ProgramDesign
---@param samples frlua.ProgramSample[]
---@param take table<string, fun(readings: table): number?> by the metric's name; counts, too, which
---  are no metrics of the design
---@return frlua.Values values holes where a sample was lost, or has no such number
function programs.values(design, samples, take)
  local values <const> = {}
  for _, arm in ipairs(design.arms) do
    values[arm.name] = {}
    for name in pairs(take) do values[arm.name][name] = {} end
  end
  for _, sample in ipairs(samples) do
    for name, of in pairs(take) do
      values[sample.arm][name][sample.round] = sample.readings and of(sample.readings)
    end
  end
  return values
end

---What one value is above another, in the rounds that have both.
---@param value table<integer, number> by round
---@param than table<integer, number> likewise
---@param rounds integer
---@param count? number of things that a difference is divided among
---@return frlua.Summary|{ n: 0 } summary
function programs.difference(value, than, rounds, count)
  local list <const> = {}
  for round = 1, rounds do
    if value[round] and than[round] then
      list[#list + 1] = (value[round] - than[round]) / (count or 1)
    end
  end
  return stats.summary(list) or { n = 0 }
end

---The verdicts on the design's claims, and the noise floors of its twins. A claim whose evidence is
---contrary or missing is withdrawn, and no test of the others' family.
---@param design frlua.ProgramDesign
---@param samples frlua.ProgramSample[]
---@param values frlua.Values
---@param objections? table<string, string> why a claim of that name can't be made
---@return frlua.Verdict[] verdicts in the order of the claims
---@return table[] floors
function programs.judge(design, samples, values, objections)
  local made <const>, by_name <const> = {}, {}
  for _, claim in ipairs(design.claims) do
    local why <const> = objections and objections[claim.name]
    if why then
      by_name[claim.name] = { claim = claim.name, asked = claim.name, test = claim.test,
        verdict = "withdrawn", reason = why, numbers = {} }
    else
      made[#made + 1] = claim
    end
  end
  local asked <const> = setmetatable({ claims = made }, { __index = design })
  local judged <const>, floors <const> = verdict.evaluate(asked, samples, values)
  for _, one in ipairs(judged) do by_name[one.claim] = one end
  local verdicts <const> = json.array {}
  for index, claim in ipairs(design.claims) do verdicts[index] = by_name[claim.name] end
  return verdicts, floors
end

---What was measured, and where and how, as it is kept.
---@param design frlua.ProgramDesign
---@param samples frlua.ProgramSample[]
---@param fields table what else the document has
---@return table
function programs.document(design, samples, fields)
  local document <const> = {
    schema = "frlua-programs/1", machine = require "frlua.machine".passport(design.cpu),
    clock = { source = clock.source, vdso = clock.vdso, read_ns = clock.read_ns,
      step_ns = clock.step_ns, getres_ns = clock.getres_ns },
    design = design, samples = samples,
  }
  for name, value in pairs(fields) do document[name] = value end
  return document
end

---Keeps a document as `$XDG_STATE_HOME/frlua/NAME.json`, in place of the one before.
---@param name string
---@param document table
---@return string? path
---@return string? message
function programs.keep(name, document)
  check.text(name, "the name to keep a result under")
  local path <const>, nowhere <const> = files.state_path(name .. ".json")
  if not path then return nil, nowhere end
  local made <const>, refused <const> = files.make_directories(path:match "^(.*)/")
  if not made then return nil, refused end
  local written <const>, message <const> = files.write(path, { json.encode(document), "\n" })
  return written and path, message
end

---The exit status that they ask for: 3 samples were lost, 5 a claim failed, 0.
---@param samples frlua.ProgramSample[]
---@param verdicts frlua.Verdict[]
---@return integer
function programs.status(samples, verdicts)
  for _, sample in ipairs(samples) do
    if sample.status ~= "ok" then return 3 end
  end
  for _, one in ipairs(verdicts) do
    if one.verdict == "fail" then return 5 end
  end
  return 0
end

---Lines that name what was lost, arm by arm.
---@param design frlua.ProgramDesign
---@param samples frlua.ProgramSample[]
---@return string[]
function programs.lost(design, samples)
  local lines <const> = {}
  for _, arm in ipairs(design.arms) do
    local _, lost <const> = analysis.count_status(samples, arm.name)
    local first
    for _, sample in ipairs(lost > 0 and samples or {}) do
      if sample.arm == arm.name and sample.status ~= "ok" then first = first or sample end
    end
    if first then
      lines[#lines + 1] = ("%d of %d processes of '%s' are lost; the first, in round %d: %s")
        :format(lost, design.rounds, arm.name, first.round, first.why or first.status)
    end
  end
  return lines
end

return programs
