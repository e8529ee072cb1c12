--- Directories of small files for specs, such as another machine's /sys: what is in them stands
--- beside what is expected of it. `local root <close> = tree.new { ["cpu/online"] = "0-3" }`
local files <const> = require "frlua.files"
local stdlib <const> = require "posix.stdlib"

local tree <const> = {}

local removed_in_the_end <const> = {
  __close = function(root) os.execute("rm -rf '" .. root.path .. "'") end,
}

---@param contents? table<string, string> texts by path below the root; each gets a newline
---@return { path: string } root
function tree.new(contents)
  local root <const> = { path = assert(stdlib.mkdtemp("/tmp/frlua-spec-XXXXXX")) }
  for path, text in pairs(contents or {}) do
    local whole <const> = root.path .. "/" .. path
    assert(files.make_directories(whole:match "^(.*)/"))
    local file <close> = assert(io.open(whole, "w"))
    assert(file:write(text, "\n"))
  end
  return setmetatable(root, removed_in_the_end)
end

---A locale with a decimal comma, and words sorted as in a dictionary, until it is closed.
---@return table? locale nil when none can be made here
function tree.comma_locale()
  local root <close> = tree.new()
  os.execute(("localedef -i de_DE -f UTF-8 '%s/de_DE.UTF-8' >/dev/null 2>&1"):format(root.path))
  stdlib.setenv("LOCPATH", root.path)
  local before <const> = os.setlocale()
  local done <const> = os.setlocale "de_DE.UTF-8"
  stdlib.setenv("LOCPATH", nil)
  return done and setmetatable({}, { __close = function() os.setlocale(before) end })
end

return tree
