--- What fr.spawn is asked for, checked and put as frlua.core.spawn takes it.
local check <const> = require "frlua.check"
local core <const> = require "frlua.core"
local units <const> = require "frlua.units"

local spawn_options <const> = {}

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

local function check_table(value, key)
  if type(value) ~= "table" then
    check.fail(("%s of fr.spawn must be a table, not %s"):format(key, check.show(value)))
  end
  return value
end

local function check_name(name, key)
  if type(name) ~= "string" or name:find "[=\0]" or name == "" then
    check.fail(("%s is no name of an environment variable, in %s of fr.spawn")
      :format(check.show(name), key))
  end
  return name
end

-- "NAME=text" of a table's fields, sorted: the order is visible to the program, and must not be a
-- table's.
local function variables(fields, key)
  local list <const> = {}
  for name, text in next, check_table(fields, key) do
    list[#list + 1] = ("%s=%s"):format(check_name(name, key),
      c_text(text, ("%s.%s of fr.spawn"):format(key, name)))
  end
  table.sort(list)
  return list
end

local function name_of(variable) return variable:match "^[^=]*" end

-- The list without the variables of these names.
local function without(list, gone)
  local kept <const> = {}
  for _, variable in ipairs(list) do
    if not gone[name_of(variable)] then kept[#kept + 1] = variable end
  end
  return kept
end

local PAD <const> = "FRLUA_PAD="

-- One variable that takes exactly so many bytes, with the NUL at its end.
local function padding(bytes)
  local least <const> = #PAD + 1
  return PAD .. ("x"):rep(check.whole(bytes, "pad_env of fr.spawn", least) - least)
end

-- The script's environment, or the one that is given, with the changes; nil: as it is.
local function environment(options)
  if not (options.env or options.set_env or options.unset_env or options.pad_env) then
    return nil
  end
  local set <const> = options.set_env and variables(options.set_env, "set_env") or {}
  local gone <const> = {}
  for _, variable in ipairs(set) do gone[name_of(variable)] = true end
  for _, name in ipairs(check_table(options.unset_env or {}, "unset_env")) do
    gone[check_name(name, "unset_env")] = true
  end
  if options.pad_env then gone[name_of(PAD)] = true end
  local list <const> = without(options.env and variables(options.env, "env")
    or core.environment(), gone)
  table.move(set, 1, #set, #list + 1, list)
  if options.pad_env then list[#list + 1] = padding(options.pad_env) end
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

-- Sizes may be texts for those limits only that are in bytes (getrlimit(2)).
local IN_BYTES <const> = {
  as = true, core = true, data = true, fsize = true, memlock = true, msgqueue = true, rss = true,
  stack = true,
}

local function limit_of(name, value)
  local what <const> = ("limits.%s of fr.spawn"):format(name)
  if value == "unlimited" then return -1 end
  if IN_BYTES[name] and type(value) == "string" then return check.bytes(value, what) end
  return check.whole(value, what, 0)
end

-- { number, value, … } in the order of the names.
local function limits_of(limits)
  if limits == nil then return nil end
  local known <const>, list <const> = {}, {}
  for name in pairs(core.resources) do known[#known + 1] = name end
  table.sort(known)
  check.keys(check_table(limits, "limits"), known, "limits of fr.spawn")
  for _, name in ipairs(known) do
    if limits[name] ~= nil then
      list[#list + 1] = core.resources[name]
      list[#list + 1] = limit_of(name, limits[name])
    end
  end
  return list
end

local function path_of(options, key)
  return options[key] and c_text(check.text(options[key], key .. " of fr.spawn"), key)
end

local function input_of(options)
  local input <const> = options.input
  if input == nil then return nil end
  if options.input_file then check.fail "fr.spawn has both input and input_file" end
  if type(input) ~= "string" then
    check.fail("input of fr.spawn must be a text, not " .. check.show(input))
  end
  return input
end

local KEYS <const> = {
  "cpu", "env", "set_env", "unset_env", "pad_env", "cwd", "limits", "input", "input_file",
  "time_limit", "output", "output_file", "errors_file", "limit", "faults", entries = true,
}

---@param options table of fr.spawn
---@return table plain as frlua.core.spawn takes it, without the CPU
function spawn_options.plain(options)
  check.keys(options, KEYS, "fr.spawn")
  local output <const> = check.one_of(options.output or "capture",
    { "capture", "inherit", "discard" }, "output", "fr.spawn")
  local keep <const> = check.bytes(options.limit or "16 MiB", "limit of fr.spawn")
  local argv <const> = arguments(options)
  return {
    path = argv[1], argv = argv, env = environment(options),
    directory = path_of(options, "cwd"), limits = limits_of(options.limits),
    input = input_of(options), input_file = path_of(options, "input_file"),
    output_file = path_of(options, "output_file"), errors_file = path_of(options, "errors_file"),
    capture = output == "capture" and keep or nil, discard = output == "discard",
    traced = options.faults,
  }
end

return spawn_options
