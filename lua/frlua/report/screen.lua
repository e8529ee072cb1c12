--- What a report is drawn on: how many columns there are, which characters and colours it shows.
--- While nothing is drawn, texts are as files have them: UTF-8, never broken, without colour.
local core <const> = require "frlua.core"
local unistd <const> = require "posix.unistd"

local screen <const> = {}

---@class frlua.Screen
---@field columns integer? nil: lines are never broken
---@field utf8 boolean else plain ASCII
---@field color boolean
---@field heads table<string, boolean>? lines that are heads of tables, noted where colour is shown
---@field extras (fun(document: table): string[])[]? what comes before the verdicts

local FEWEST_COLUMNS <const> = 20 -- below, lines are longer than the terminal
local USUAL_COLUMNS <const> = 80 -- of a terminal that does not tell, such as a serial line

local FILE <const> = { utf8 = true, color = false }
local now = FILE

---@return frlua.Screen
function screen.current()
  return now
end

---Calls a function while something else is drawn on.
---@param settings frlua.Screen
---@param make fun(): any
---@return any # what it returns
function screen.with(settings, make)
  local before <const> = now
  local _ <close> = setmetatable({}, { __close = function() now = before end })
  now = settings
  return (make())
end

---Whether the locale of the environment is one of UTF-8. By its name: setlocale would change how
---numbers are written.
---@param environment fun(name: string): string?
---@return boolean
function screen.is_utf8(environment)
  for _, name in ipairs { "LC_ALL", "LC_CTYPE", "LANG" } do
    local locale <const> = environment(name)
    if locale and locale ~= "" then
      return locale:lower():gsub("%-", ""):find("utf8", 1, true) ~= nil
    end
  end
  return false
end

local function columns(environment, is_terminal)
  local told = math.tointeger(tonumber(environment "COLUMNS"))
  if not told or told < 1 then
    if not is_terminal then return nil end
    told = core.terminal_columns(unistd.STDOUT_FILENO) or 0
  end
  return told > 0 and math.max(told, FEWEST_COLUMNS) or USUAL_COLUMNS
end

local function is_colored(when, environment, is_terminal)
  if when == "always" or when == "never" then return when == "always" end
  local without <const>, term <const> = environment "NO_COLOR", environment "TERM"
  return is_terminal and (without or "") == "" and term ~= nil and term ~= "dumb"
end

---Standard output. COLUMNS stands above what a terminal says; where there is neither, lines are not
---broken, so that programs see the same text everywhere.
---@param color? "auto"|"always"|"never"
---@param environment? fun(name: string): string?
---@return frlua.Screen
function screen.of_output(color, environment)
  environment = environment or os.getenv
  local is_terminal <const> = unistd.isatty(unistd.STDOUT_FILENO) == 1
  return {
    columns = columns(environment, is_terminal),
    utf8 = screen.is_utf8(environment),
    color = is_colored(color or "auto", environment, is_terminal),
    heads = {},
  }
end

---What comes before the verdicts; taken once.
---@param document table
---@return string[] lines
function screen.take_extras(document)
  local lines <const> = {}
  for _, extra in ipairs(now.extras or {}) do
    for _, line in ipairs(extra(document)) do lines[#lines + 1] = line end
  end
  now.extras = nil
  return lines
end

return screen
