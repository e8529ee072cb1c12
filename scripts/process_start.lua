-- What does a whole process cost, beside one warm iteration of its work? Fresh processes, timed
-- from outside, from before the fork to after the reaping; of the worker, which reads the clock
-- itself, also by parts.
--
--   frlua scripts/process_start.lua                    the worker, and what else there is to start
--   frlua scripts/process_start.lua -- git --version   a command of yours, beside /bin/true
--   frlua scripts/process_start.lua --faults           page faults of the parts, by mapping
--
-- Commands are arms like the worker: the same rounds, the same order, the same result file. They
-- run no job of frlua's, so all that is known of them is the process from outside, with parts that
-- end where the host sees them end; what they print is discarded. Nothing is dropped from the page
-- cache: the first of a series is the first in this run, and cold only if nobody ran the program
-- before.
local fr         <const> = require "frlua"
local core       <const> = require "frlua.core"
local conclusion <const> = require "frlua.report.conclusion"
local processes  <const> = require "frlua.report.processes"
local stdlib     <const> = require "posix.stdlib"
local unistd     <const> = require "posix.unistd"

local bytes <const> = 512 * fr.KiB
local work  <const> = fr.affine { to = "output", from = "input", mul = 3, add = 1 }

local command <const> = fr.args()
local arms <const>, missing <const> = {}, {}

local function find(program)
  if program:find "/" then return unistd.access(program, "x") and program end
  for directory in (os.getenv "PATH" or ""):gmatch "[^:]+" do
    local path <const> = directory .. "/" .. program
    if unistd.access(path, "x") then return path end
  end
end

local function miss(name, why) missing[#missing + 1] = ("%s: %s"):format(name, why) end

local function add(name, words)
  if not find(words[1]) then return miss(name, "there is no " .. words[1]) end
  arms[#arms + 1] = fr.arm(name) { command = words }
end

-- A directory for what is compiled, that goes when Lua does, at the end of the run.
local function temporary_directory()
  local path <const> = stdlib.mkdtemp "/tmp/frlua-process-start-XXXXXX"
  if not path then return nil end
  local function remove(made)
    for _, program in ipairs(made.programs) do os.remove(program) end
    os.remove(path)
  end
  return setmetatable({ path = path, programs = {} }, { __gc = remove })
end

local directory

-- The smallest program in C, linked in one way; a machine without a compiler, or without a static
-- libc, goes without it.
local function add_c(name, flag)
  if not find "cc" then return miss(name, "there is no cc to compile it with") end
  directory = directory or temporary_directory()
  if not directory then return miss(name, "there is no directory for it in /tmp") end
  local path <const> = ("%s/c%s"):format(directory.path, flag)
  table.insert(directory.programs, path)
  local compiled <const> = fr.spawn {
    "cc", "-O2", "-x", "c", flag, "-o", path, "-", input = "int main(void) { return 0; }\n",
    time_limit = 20,
  }
  if not compiled or compiled.exit_status ~= 0 then return miss(name, "cc can't link it here") end
  arms[#arms + 1] = fr.arm(name) { command = { path } }
end

-- How many shared libraries a program is linked with, by ldd; nil when that can't tell.
local function libraries(path)
  local told <const> = find "ldd" and fr.spawn { "ldd", path }
  if not told or told.exit_status ~= 0 then return nil end
  return select(2, told.stdout:gsub("=>", ""))
end

local LINKED <const> = { { "curl", "--version" }, { "python3", "-c", "" }, { "git", "--version" } }

-- The one with the most libraries of those that many systems have.
local function add_many_libraries()
  local most, words = 0, nil
  for _, candidate in ipairs(LINKED) do
    local path <const> = find(candidate[1])
    local count <const> = path and libraries(path)
    if count and count > most then most, words = count, candidate end
  end
  if not words then return miss("many libraries", "no curl, python3 or git that ldd knows") end
  add(("%s (%d libraries)"):format(words[1], most), words)
end

local has_worker <const> = not command[1]
if command[1] then
  add(table.concat(command, " "), command)
  if missing[1] then require "frlua.options".fail("process_start.lua: " .. missing[1]) end
else
  arms[1] = fr.arm "worker" { fr.phase "once" { work } }
  add_c("static C", "-static")
  add_c("dynamic C", "-pie")
  add_many_libraries()
  add("lua5.4 -e ''", { "lua5.4", "-e", "" })
  add("frlua -e ''", { core.root .. "/bin/frlua", "-e", "" })
end
add("/bin/true", { "/bin/true" })

local function named(list, name)
  for _, arm in ipairs(list) do
    if arm.name == name then return arm end
  end
end

local function extend(lines, more)
  if more[1] then table.move({ "", table.unpack(more) }, 1, #more + 1, #lines + 1, lines) end
end

-- What a warm iteration of the worker's work is to its first and to its whole process.
local function conclude(document, worker, lines)
  local first <const> = worker.metrics.once_ns.median
  local whole <const> = worker.metrics.process_ns.median
  local warm <const> = named(document.references, "warm")
  local steady <const> = warm and warm.metrics.steady_ns.median
  if not first or not steady then return end
  extend(lines, {
    ("One warm iteration of the worker's work: %s; its whole process: %s times that."):format(
      fr.units.ns(steady), steady > 0 and fr.units.significant(whole / steady) or "unknown"),
  })
  extend(lines, conclusion.lines { first_ns = first, steady_ns = steady, process_ns = whole })
end

local function reading(document)
  local lines <const> = processes.series(document)
  extend(lines, processes.distribution(document))
  local worker <const> = named(document.arms, "worker")
  if worker then extend(lines, processes.parts(document, worker)) end
  extend(lines, processes.faults(document))
  for _, text in ipairs(missing) do lines[#lines + 1] = "not started, " .. text end
  if directory then lines[#lines + 1] = "the C programs were compiled for this run, by cc" end
  if worker then conclude(document, worker, lines) end
  return lines
end

local function part(name, of) return fr.metric(name) { part = of } end

local function metrics()
  local list <const> = {
    part("start", "spawn_to_exec"), part("run", "exec_to_exit_seen"),
    part("reap", "exit_seen_to_reaped"),
  }
  return not has_worker and list or {
    fr.metric "once" { phase = "once" },
    list[1], part("load", "exec_to_main"), part("work", "main_to_work_done"),
    part("leave", "work_done_to_exit"), part("end", "exit_to_reaped"), list[2], list[3],
    fr.metric "steady" { phase = "warm", median_from = 51 },
  }
end

return fr.experiment "process_start" {
  doc        = "what a whole process costs, beside one warm iteration",
  regions    = has_worker and {
    fr.region "input"  { bytes = bytes, fill = "index" },
    fr.region "output" { bytes = bytes },
  } or nil,
  arms       = arms,
  references = has_worker and {
    fr.arm "warm" { fr.phase "warm" { work, iterations = 2050 } },
  } or nil,
  rounds     = 20,
  metrics    = metrics(),
  reading    = reading,
}
