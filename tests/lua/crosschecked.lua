--- Result files of sessions, recomputed by tests/oracle/crosscheck.py.
local files <const> = require "frlua.files"
local fr <const> = require "frlua"
local sessions <const> = require "sessions"

local crosschecked <const> = {}

local PROGRAM <const> = debug.getinfo(1, "S").source:match "^@(.*)lua/[^/]*$"
  .. "oracle/crosscheck.py"

---@param name string of a file of the sessions
---@param text string
function crosschecked.write(name, text)
  assert(files.write(sessions.directory .. "/" .. name, text))
end

---@param name string of a file of the sessions
---@return string told
---@return integer status 1 for a difference, 2 for what can't be read
function crosschecked.run(name)
  local child <const> = assert(fr.spawn { "python3", PROGRAM, sessions.directory .. "/" .. name })
  return child.stdout .. child.stderr, child.exit_status
end

return crosschecked
