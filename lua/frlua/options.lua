--- The command line of scripts that return an experiment: options on both sides of the script's
--- name, the script's own arguments, and everything behind `--`, which is the script's too.
local argparse <const> = require "argparse"
local core <const> = require "frlua.core"
local help <const> = require "frlua.help"
local output_options <const> = require "frlua.output_options"

local options <const> = {}

-- Every option once: name, what its value is called (none: a switch), what it does.
local OPTIONS <const> = {
  { "rounds", "N", "rounds to run, instead of the experiment's" },
  { "arm", "NAME", "run this arm only; repeatable", many = true },
  { "cpu", "N", "pin the samples to this CPU" },
  { "seed", "N", "seed of the order of arms; by default a new one, recorded in the result" },
  { "time-limit", "S", "seconds until a sample is killed (60)" },
  { "quick", nil, "3 rounds, pauses divided by 10: to try a script, not to claim anything" },
  { "strict", nil, "a claim that is withdrawn counts as one that failed" },
  { "summary", nil, "print the experiment's summary as one flat JSON object, and nothing else" },
  { "detail", nil, "also print every iteration of interest, and one line per process" },
  { "counters", nil, "count cycles, misses, faults and more of each timed phase (perf events)" },
  { "faults", nil, "trace the page faults of one more process of each arm: by mapping and code" },
  { "progress", "WHEN", "auto (to a terminal), always or never" },
}

table.move(output_options.LIST, 1, #output_options.LIST, #OPTIONS + 1, OPTIONS)

-- A usage error: the host prints it without a traceback and exits with status 2.
local usage_error <const> = {
  __exit_status = 2,
  __tostring = function(self) return self.message end,
}

---@param message string
function options.fail(message)
  error(setmetatable({ message = message }, usage_error), 0)
end

-- Switches that are the script's own, by their names.
local script_flags <const> = {}

local function parser()
  local made <const> = argparse("frlua", help.DESCRIPTION, help.EPILOG):usage(help.USAGE)
  made:argument("script", "what to run; - is standard input")
  made:argument("arguments", "the script's own"):args "*"
  for _, option in ipairs(OPTIONS) do
    local name <const> = "--" .. option[1]
    if option[2] then
      made:option(name, option[3]):argname(option[2]):count(option.many and "*" or "0-1")
    else
      made:flag(name, option[3])
    end
  end
  for _, name in ipairs(script_flags) do made:flag("--" .. name, "a switch of the script's own") end
  made:flag("--version", "print the version and exit"):action(function()
    io.stdout:write(help.version())
    os.exit(0)
  end)
  return made
end

-- Numbers by the name under which the user knows them.
local function whole(parsed, name, min, max)
  local value <const> = parsed[name]
  if value == nil then return end
  local number <const> = math.tointeger(tonumber(value))
  if not number or number < min or number > (max or number) then
    options.fail(("--%s needs a whole number %s, not '%s'"):format(name,
      max and ("from %d to %d"):format(min, max) or ("of at least %d"):format(min), value))
  end
  parsed[name] = number
end

local function checked(parsed)
  whole(parsed, "rounds", 1, parsed.rounds and require "frlua.experiment".MOST_ROUNDS)
  whole(parsed, "cpu", 0)
  whole(parsed, "seed", 0)
  local limit <const> = parsed.time_limit and tonumber(parsed.time_limit)
  if parsed.time_limit and not (limit and limit > 0 and limit <= 1e9) then
    options.fail(("--time-limit needs a number of seconds above 0, up to 1000000000, not '%s'")
      :format(parsed.time_limit))
  end
  parsed.time_limit = limit
  local progress <const> = parsed.progress or "auto"
  if progress ~= "auto" and progress ~= "always" and progress ~= "never" then
    options.fail(("--progress is auto, always or never, not '%s'"):format(progress))
  end
  parsed.progress = progress
  local objection <const> = output_options.objection(parsed)
  if objection then options.fail(objection) end
  return parsed
end

local takes_value <const> = {}
for _, option in ipairs(OPTIONS) do takes_value["--" .. option[1]] = option[2] ~= nil end

-- Every option together with its value, which may look like an option: `--rounds -1`.
local function joined(arguments)
  local list <const>, index = {}, 1
  while arguments[index] do
    local argument <const>, value <const> = arguments[index], arguments[index + 1]
    if argument == "--" then return table.move(arguments, index, #arguments, #list + 1, list) end
    local takes <const> = takes_value[argument] and value
    list[#list + 1] = takes and argument .. "=" .. value or argument
    index = index + (takes and 2 or 1)
  end
  return list
end

-- Which options a command line has, in the order of the list.
local function names_given(parsed)
  local given <const> = {}
  for _, option in ipairs(OPTIONS) do
    local value <const> = parsed[option[1]:gsub("%-", "_")]
    if value and not (option.many and #value == 0) then given[#given + 1] = "--" .. option[1] end
  end
  return given
end

local function parse(arguments)
  local well <const>, parsed <const> = parser():pparse(joined(arguments))
  if not well then options.fail(parsed .. "\n       frlua --help lists the options") end
  local given <const> = names_given(parsed)
  return checked(parsed), given
end

local parsed_once, given_once

---The command line of this run; parsed when it is first asked for. A wrong one is a usage error.
---@return table # options by name, `script`, `arguments`
function options.parsed()
  if not parsed_once then parsed_once, given_once = parse(core.arguments()) end
  return parsed_once
end

---The options of this run that were taken from the command line.
---@return string[] names such as "--json"; none while nobody has asked for any
function options.given()
  return given_once or {}
end

---Checks what comes before the script's name, which can't be the script's own.
---@param last integer? the place of the script's name; nil: there is none
function options.check_before_script(last)
  local arguments <const> = core.arguments()
  parse(table.move(arguments, 1, last or #arguments, 1, {}))
end

---Tells the switches of the script's own, before the command line is parsed.
---@param names string[]
function options.declare(names)
  for _, name in ipairs(names) do
    for _, option in ipairs(OPTIONS) do
      if option[1] == name then options.fail(("--%s is an option of frlua itself"):format(name)) end
    end
    if not name:find "^%l+$" then
      options.fail(("a switch of a script is named in small letters, not '%s'"):format(name))
    end
    script_flags[#script_flags + 1] = name
  end
end

---The script's own arguments and switches, as a result records them.
---@return string[]
function options.script_arguments()
  local parsed <const>, list <const> = options.parsed(), {}
  table.move(parsed.arguments, 1, #parsed.arguments, 1, list)
  for _, name in ipairs(script_flags) do
    if parsed[name] then list[#list + 1] = "--" .. name end
  end
  return list
end

---Which argument is the script's name, when options come first.
---@param arguments string[]
---@return integer? index nil when there is none
function options.script_index(arguments)
  local index = 1
  while arguments[index] do
    local argument <const> = arguments[index]
    if argument == "--" then return arguments[index + 1] and index + 1 end
    if argument:sub(1, 1) ~= "-" or argument == "-" then return index end
    index = index + (takes_value[argument] and 2 or 1)
  end
end

return options
