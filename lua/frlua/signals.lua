--- Names of signals and of errors, as programmers say them: SIGKILL, ENOMEM.
local core <const> = require "frlua.core"

local signals <const> = {}

-- The name in luaposix that bears a number; aliases (SIGPOLL) come after the first.
local function name_of(number)
  local names <const> = {}
  for name, value in pairs(require "posix.signal") do
    if value == number and name:match "^SIG%u" then names[#names + 1] = name end
  end
  table.sort(names)
  return names[1]
end

---@param number integer
---@return string # "SIGKILL", or "signal 64" for one without a name
function signals.name(number)
  return name_of(number) or ("signal %d"):format(number)
end

---@param number integer
---@return string # "ENOMEM", or "error 4095"
function signals.error_name(number)
  return core.error_name(number) or ("error %d"):format(number)
end

return signals
