--- Child processes of a script: a fork that runs a Lua function, and programs.
local check <const> = require "frlua.check"
local core <const> = require "frlua.core"
local signals <const> = require "frlua.signals"
local value <const> = require "frlua.value"

local process <const> = {}

local RUSAGE <const> = {
  "user_ns", "system_ns", "minor_faults", "major_faults", "voluntary_switches",
  "involuntary_switches",
}

---What the kernel has counted for this process: user_ns, system_ns, minor_faults, major_faults,
---voluntary_switches, involuntary_switches. With an earlier reading, what came since:
---`local before <const> = fr.rusage()` … `fr.rusage(before).minor_faults`
---@param before? table<string, integer>
---@return table<string, integer>
function process.rusage(before)
  local now <const> = core.rusage()
  if before == nil then return now end
  check.keys(before, RUSAGE, "fr.rusage")
  for _, name in ipairs(RUSAGE) do
    now[name] = now[name] - check.whole(before[name], name .. " of fr.rusage")
  end
  return now
end

-- A CPU is refused before anything is started: nothing may run under the name of another one.
local function allowed_cpu(cpu, what)
  if cpu == nil then return nil end
  local number <const> = check.whole(cpu, "cpu of " .. what, 0)
  local allowed <const>, why_not <const> = require "frlua.cpus".choose(number)
  return allowed or check.fail(("cpu of %s: %s"):format(what, why_not))
end

local function limit_ns(seconds, what)
  if seconds == nil then return nil end
  local limit <const> = check.number(seconds, "time_limit of " .. what, 0.001, 1e9)
  return math.tointeger(limit * 1e9 // 1)
end

-- "cannot fork: Resource temporarily unavailable (EAGAIN)": the call is named only where it is not
-- the one that is expected.
local function refused(what, call, message, errno)
  local shown <const> = message:gsub(("^%s: "):format(call), "")
  return nil, ("%s: %s (%s)"):format(what, shown, signals.error_name(errno)), errno
end

-- How a child ended, as both kinds of children say it.
local function outcome(ended, cpu)
  return {
    status = ended.how,
    exit_status = ended.exit_status,
    signal = ended.signal,
    signal_name = ended.signal and signals.name(ended.signal),
    pid = ended.pid,
    cpu = cpu,
    wall_ns = ended.wall_ns,
    times = ended.times,
    rusage = ended.rusage,
  }
end

local RETURNED <const>, FAILED <const> = "+", "-"

-- The whole life of a forked child; what it hands to its parent.
local function live(run, cpu)
  local pinned, message = true, nil
  if cpu then pinned, message = core.pin(cpu) end
  if not pinned then return FAILED .. message end
  local returned <const>, result <const> = xpcall(run, core.message_handler)
  if not returned then return FAILED .. tostring(result) end
  local text <const>, why <const> = value.pack(result)
  return text and RETURNED .. text or FAILED .. "fr.fork: " .. why
end

-- Adds to the outcome what the child has handed over.
local function receive(result, text)
  if result.status ~= "exited" or text == "" then return result end
  if result.exit_status ~= 0 then
    result.status, result.error = "error", "what the child printed could not be written"
  elseif text:sub(1, 1) == RETURNED then
    result.status, result.value = "ok", value.unpack(text:sub(2))
  else
    result.status, result.error = "error", text:gsub("^" .. FAILED, "", 1)
  end
  return result
end

---@class frlua.Child how a child ended
---@field status string fr.spawn: "exited", "killed", "timed out" or "interrupted"; fr.fork: "ok" or
---"error", or one of those: "exited" when it left by os.exit
---@field value any? of fr.fork, status "ok": the first value that the function returned
---@field error string? of fr.fork, status "error": the message with the child's traceback
---@field exit_status integer? nil for a child that was killed
---@field signal integer? that killed it
---@field signal_name string? such as "SIGSEGV"
---@field pid integer
---@field cpu integer? that it was pinned to
---@field wall_ns integer from before the fork to after the reaping
---@field times frlua.ChildTimes of fr.fork: by CLOCK_MONOTONIC, and without the exec
---@field parts_ns frlua.ChildParts? of fr.spawn
---@field rusage table<string, integer> as of `fr.rusage`, of the child
---@field argument_bytes integer? of fr.spawn: of the arguments, each with the NUL at its end
---@field environment_bytes integer? of fr.spawn: likewise, of the environment
---@field aslr string? of fr.spawn: whether the kernel places the program's memory at random, as
---`fr.machine.aslr`; the personality is inherited, and never changed
---@field aslr_why string? why it is unknown
---@field stdout string? of fr.spawn, captured
---@field stderr string?
---@field dropped integer? bytes of both that were beyond the limit
---@field peak_resident_bytes integer? of fr.spawn
---@field peak_resident_bytes_why string? why it is unknown
---@field faults frlua.ProgramFaults? of fr.spawn, when they were asked for
---@field faults_why string? why they are unknown

---@class frlua.ChildTimes the moments of a child's life: readings of `fr.clock`, in this order
---@field start_ns integer before the fork
---@field exec_ns integer? in the child, right before its exec; where PATH is searched, before the
---first that is tried
---@field exec_seen_ns integer? when the host went on, which waits for the exec to be over: late
---where it shares a CPU with the program
---@field exit_seen_ns integer when the host was told of the end; the program's memory is gone then
---@field reaped_ns integer

---@class frlua.ChildParts what the moments have between them; together, wall_ns
---@field spawn_to_exec integer
---@field exec_to_exit_seen integer
---@field exit_seen_to_reaped integer

---Runs a Lua function in a forked child, and waits for it. The child has a copy of everything that
---the script has, and its changes stay its own; what it prints appears before fr.fork returns. Its
---standard input is empty. It ends when the function does, and closes nothing of the script's.
---An error in the child is no error here: look at `status`.
---`fr.fork { cpu = 1, run = function() return m:read() end }`
---@param options { run: function, cpu: integer?, time_limit: number? } `cpu`: pinned to that one
---before it runs; `time_limit`: in seconds, by default none. The function's first value comes back:
---nil, booleans, numbers, texts, series, and tables of them
---@return frlua.Child? child
---@return string? message when there can be no child
---@return integer? errno
function process.fork(options)
  check.keys(options, { "cpu", "run", "time_limit" }, "fr.fork")
  local run <const> = options.run
  if type(run) ~= "function" then
    check.fail("run of fr.fork must be a function, not " .. check.show(run))
  end
  local cpu <const> = allowed_cpu(options.cpu, "fr.fork")
  local limit <const> = limit_ns(options.time_limit, "fr.fork")
  local function main() return live(run, cpu) end
  local child <close>, message <const>, errno <const> = core.fork(main)
  if not child then return refused("cannot fork", "fork", message, errno) end
  local ended <const>, text <const>, wait_errno <const> = child:wait(limit)
  if not ended then return refused("cannot wait for the child", "wait", text, wait_errno) end
  return receive(outcome(ended, cpu), text)
end

local PEAK_HIDDEN <const> = "a program inherits the peak of the process that starts it"
  .. " (getrusage(2)), and this one did not exceed it"

-- Adds to the outcome where the program's page faults fell, or why that is unknown.
local function with_faults(result, raw, message, errno)
  local trace <const> = require "frlua.trace"
  if raw then
    result.faults = trace.of_program(raw)
  else
    result.faults_why = trace.refusal(message, errno)
  end
  return result
end

-- What was captured: the first pipe is that of the errors where the output has a file.
local function add_captured(result, plain, first, second, dropped)
  if not plain.capture then return end
  if not plain.output_file then result.stdout = first end
  if not plain.errors_file then result.stderr = plain.output_file and first or second end
  result.dropped = dropped
end

-- Adds to the outcome what is known of programs only.
local function of_program(result, ended)
  local machine <const> = require "frlua.machine"
  result.parts_ns = require "frlua.parts".of_program(ended.times)
  result.aslr, result.aslr_why = machine.aslr, machine.why.aslr
  result.peak_resident_bytes = ended.peak_resident_bytes
  result.peak_resident_bytes_why = not ended.peak_resident_bytes and PEAK_HIDDEN or nil
  return result
end

---Runs a program and waits for it. Its standard input is empty, it gets no other descriptors of the
---script's, and what it leaves running in its process group when it ends is killed.
---`fr.spawn { "sh", "-c", "echo $HOME", set_env = { HOME = "/tmp" } }`
---@param options table the program, searched along PATH, and its arguments; and by name:
---`cpu`: pinned to that one before it is executed; `cwd`: the directory that it runs in, and that a
---path of its own is relative to;
---`env`: its whole environment, by default the script's, and changes of that: `set_env`, a table of
---texts by name; `unset_env`, a list of names; `pad_env`, a variable more of exactly so many bytes;
---`limits`: the most that it may have, soft and hard, by the names of RLIMIT_… in small letters,
---`{ nofile = 16, as = "1 GiB", core = "unlimited" }`;
---`input`: a text, or `input_file`: a path, for its standard input; `output`: "capture" (default),
---"inherit" or "discard"; `limit`: of output and of errors so many bytes each are kept, by default
---16 MiB; `output_file`, `errors_file`: paths of files to write them to instead;
---`time_limit`: in seconds, by default none; it and its process group are killed then;
---`faults`: true to trace the page faults of the program's first thread, by `fr.clock`
---@return frlua.Child? child
---@return string? message when it can't be started, such as a program that does not exist
---@return integer? errno
function process.spawn(options)
  local plain <const> = require "frlua.spawn_options".plain(options)
  local what <const> = check.show(plain.path)
  plain.cpu = allowed_cpu(options.cpu, "fr.spawn")
  plain.clock = core.clock().id -- which is chosen, and measured, before anything is timed
  local limit <const> = limit_ns(options.time_limit, "fr.spawn")
  local child <close>, arguments <const>, environment <const> = core.spawn(plain)
  if not child then return refused("cannot start " .. what, "execve", arguments, environment) end
  local ended <const>, first <const>, second <const>, dropped <const>, raw <const>, why <const>,
    trace_errno <const> = child:wait(limit)
  if not ended then return refused("cannot wait for " .. what, "wait", first, second) end
  local result <const> = of_program(outcome(ended, plain.cpu), ended)
  result.argument_bytes, result.environment_bytes = arguments, environment
  add_captured(result, plain, first, second, dropped)
  return options.faults and with_faults(result, raw, why, trace_errno) or result
end

return process
