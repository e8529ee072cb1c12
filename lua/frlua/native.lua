--- C modules that need a library of their own, loaded only when they are asked for:
--- `require "frlua.native" "digest"`.
local core <const> = require "frlua.core"

local loaded <const> = {}

---@param name string
---@return table module
return function(name)
  if not loaded[name] then
    local path <const> = ("%s/lib/frlua/%s.so"):format(core.root, name)
    local open, message = package.loadlib(path, "luaopen_frlua_" .. name)
    if not open then error(("cannot load %s: %s"):format(path, message), 0) end
    loaded[name] = open()
  end
  return loaded[name]
end
