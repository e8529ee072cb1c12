--- Child processes of a script: a fork that runs a Lua function, and programs.
local check <const> = require "frlua.check"
local core <const> = require "frlua.core"
local signals <const> = require "frlua.signals"
local units <const> = require "frlua.units"
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
---@field rusage table<string, integer> as of `fr.rusage`, of the child
---@field stdout string? of fr.spawn, captured
---@field stderr string?
---@field dropped integer? bytes of both that were beyond the limit
---@field peak_resident_bytes integer? of fr.spawn
---@field peak_resident_bytes_why string? why it is unknown
---@field faults frlua.ProgramFaults? of fr.spawn, when they were asked for
---@field faults_why string? why they are unknown

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

-- What execve(2) takes: C ends texts at their first NUL byte.
local function c_text(item, name)
  local text <const> = type(item) == "number" and units.number(item) or item
  if type(text) ~= "string" then
    check.fail(("%s must be a text or a number, not %s"):format(name, check.show(item)))
  elseif text:find("\0", 1, true) then
    check.fail(("%s must not hold a NUL byte: %s"):format(name, check.show(text)))
  end
  return text
end

local function environment(fields)
  if fields == nil then return nil end
  if type(fields) ~= "table" then
    check.fail("env of fr.spawn must be a table, not " .. check.show(fields))
  end
  local list <const> = {}
  for name, text in next, fields do
    if type(name) ~= "string" or name:find "[=\0]" or name == "" then
      check.fail(("%s is no name of an environment variable, in env of fr.spawn")
        :format(check.show(name)))
    end
    list[#list + 1] = ("%s=%s"):format(name, c_text(text, ("env.%s of fr.spawn"):format(name)))
  end
  table.sort(list) -- the order is visible to the program, and must not be a table's
  return list
end

local function arguments(options)
  local list <const> = {}
  for index, item in ipairs(options) do
    list[index] = c_text(item, ("entry %d of fr.spawn"):format(index))
  end
  check.text(list[1], "the program, entry 1 of fr.spawn,")
  return list
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

-- Adds to the outcome what is known of programs only.
local function of_program(result, ended, captured)
  result.peak_resident_bytes = ended.peak_resident_bytes
  result.peak_resident_bytes_why = not ended.peak_resident_bytes and PEAK_HIDDEN or nil
  if captured then
    result.stdout, result.stderr, result.dropped = captured[1], captured[2], captured[3]
  end
  return result
end

local KEYS <const> = {
  "cpu", "env", "time_limit", "output", "limit", "faults", entries = true,
}

---Runs a program and waits for it. Its standard input is empty, it gets no other descriptors of the
---script's, and what it leaves running in its process group when it ends is killed.
---`fr.spawn { "sh", "-c", "echo $HOME", env = { HOME = "/tmp" } }`
---@param options table the program, searched along PATH, and its arguments; and by name:
---`cpu`: pinned to that one before it is executed; `env`: its whole environment, by default the
---script's; `time_limit`: in seconds, by default none; `output`: "capture" (default), "inherit" or
---"discard"; `limit`: of output and of errors so many bytes each are kept, by default 16 MiB;
---`faults`: true to trace the page faults of the program's first thread
---@return frlua.Child? child
---@return string? message when it can't be started, such as a program that does not exist
---@return integer? errno
function process.spawn(options)
  check.keys(options, KEYS, "fr.spawn")
  local output <const> = check.one_of(options.output or "capture",
    { "capture", "inherit", "discard" }, "output", "fr.spawn")
  local keep <const> = check.bytes(options.limit or "16 MiB", "limit of fr.spawn")
  local argv <const> = arguments(options)
  local cpu <const> = allowed_cpu(options.cpu, "fr.spawn")
  local limit <const> = limit_ns(options.time_limit, "fr.spawn")
  local child <close>, message <const>, errno <const> = core.spawn {
    path = argv[1], argv = argv, env = environment(options.env), cpu = cpu,
    capture = output == "capture" and keep or nil, discard = output == "discard",
    traced = options.faults,
  }
  if not child then
    return refused("cannot start " .. check.show(argv[1]), "execve", message, errno)
  end
  local ended <const>, stdout <const>, stderr <const>, dropped <const>, raw <const>, why <const>,
    trace_errno <const> = child:wait(limit)
  if not ended then
    return refused("cannot wait for " .. check.show(argv[1]), "wait", stdout, stderr)
  end
  local captured <const> = output == "capture" and { stdout, stderr, dropped }
  local result <const> = of_program(outcome(ended, cpu), ended, captured)
  return options.faults and with_faults(result, raw, why, trace_errno) or result
end

return process
