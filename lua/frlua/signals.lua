--- Names of signals and of errors, as programmers say them: SIGKILL, ENOMEM.
local signals <const> = {}

-- The name in a luaposix module that bears a number; aliases (EWOULDBLOCK) come after the first.
local function name_in(module, pattern, number)
  local names <const> = {}
  for name, value in pairs(require(module)) do
    if value == number and name:match(pattern) then names[#names + 1] = name end
  end
  table.sort(names)
  return names[1]
end

---@param number integer
---@return string # "SIGKILL", or "signal 64" for one without a name
function signals.name(number)
  return name_in("posix.signal", "^SIG%u", number) or ("signal %d"):format(number)
end

---@param number integer
---@return string # "ENOMEM", or "error 4095"
function signals.error_name(number)
  return name_in("posix.errno", "^E%u", number) or ("error %d"):format(number)
end

return signals
