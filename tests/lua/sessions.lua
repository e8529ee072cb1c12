--- What several specs need: scripts as users write them, and hosts of their own to run them in.
local core <const> = require "frlua.core"
local fr <const> = require "frlua"

local sessions <const> = { host = core.root .. "/bin/frlua" }

local directory

---A directory for the files of the sessions, from `setup` to `teardown`.
function sessions.open()
  directory = assert(require "posix.stdlib".mkdtemp "/tmp/frlua-sessions-XXXXXX")
  sessions.directory = directory
end

function sessions.close()
  os.execute("rm -r " .. directory)
end

---What a script named user.lua is told when it breaks. The line after the one that loads is line 2.
---@param text string `fr`, and the further arguments as `a` and `b`, are there
---@return string message
function sessions.told(text, ...)
  local script <const> = assert(load("local fr, a, b = ...\n" .. text, "@user.lua"))
  local ok <const>, message <const> = pcall(script, fr, ...)
  assert(not ok, "the script did not break")
  return message
end

---Asserts what `run` returns, in one of five runs at least: the kernel may move a page of this
---process at any time, and a count of faults then has one more.
---@param expected any
---@param run fun(): any
function sessions.exactly(expected, run)
  local is_same <const> = require "luassert.util".deepcompare
  local result
  for _ = 1, 5 do
    result = run()
    if is_same(expected, result) then break end
  end
  require "luassert".same(expected, result)
end

---Runs a line of the shell, with arguments.
function sessions.shell(line, ...)
  return assert(fr.spawn { "sh", "-c", line, "sh", ... })
end

---Runs a script in a host of its own.
---@param line string of the shell, where the host is "$1" and the script "$2"
---@param script string
function sessions.run(line, script, ...)
  local file <close> = assert(io.open(directory .. "/script.lua", "w"))
  file:write('local fr = require "frlua"\n', script)
  file:flush()
  return sessions.shell("cd " .. directory .. "\n" .. line, sessions.host, "script.lua", ...)
end

---@param name string of a file that a session left
---@return string?
function sessions.contents(name)
  local file <close> = io.open(directory .. "/" .. name)
  return file and file:read "a"
end

-- A process that is dead, but not yet reaped by whoever inherited it, has no command line.
local function is_running(pid)
  local file <close> = io.open(("/proc/%d/cmdline"):format(pid))
  return file ~= nil and file:read "a" ~= ""
end

---Whether the process whose number is in a file of the sessions has ended, or does so presently.
---@param name string
---@return boolean
function sessions.ends(name)
  local pid <const> = tonumber(sessions.contents(name))
  for _ = 1, 50 do
    if not is_running(pid) then return true end
    os.execute "sleep 0.02"
  end
  return false
end

return sessions
