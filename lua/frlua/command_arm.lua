--- Arms that are commands: what fr.arm takes of them, and what the file says whose calls they time.
local check <const> = require "frlua.check"
local json <const> = require "frlua.json"

local command_arm <const> = {
  -- What an arm has of its command; a twin has the same.
  FIELDS = { "command", "env", "set_env", "unset_env", "prints", "calls_of" },
}

local function c_text(text, name)
  if type(text) ~= "string" or text:find("\0", 1, true) then
    check.fail(("%s must be a text without NUL bytes, not %s"):format(name, check.show(text)))
  end
  return text
end

local function command_of(words, what)
  check.keys(words, { entries = true }, what)
  local list <const> = json.array {}
  for index, word in ipairs(words) do
    list[index] = c_text(word, ("entry %d of %s"):format(index, what))
  end
  check.text(list[1], "the program of " .. what)
  return list
end

local function variable_name(name, what)
  if type(name) ~= "string" or name == "" or name:find "[=\0]" then
    check.fail(("%s is no name of an environment variable, in %s"):format(check.show(name), what))
  end
  return name
end

-- "NAME=text" of each, sorted: the order is visible to the program, and must not be a table's.
local function variables(fields, what)
  if fields == nil then return nil end
  if type(fields) ~= "table" then
    check.fail(("%s must be a table of texts by name, not %s"):format(what, check.show(fields)))
  end
  local list <const> = json.array {}
  for name, text in next, fields do
    list[#list + 1] = ("%s=%s"):format(variable_name(name, what), c_text(text,
      ("%s of %s"):format(name, what)))
  end
  table.sort(list)
  return list
end

local function names_of(fields, what)
  if fields == nil then return nil end
  check.keys(fields, { entries = true }, what)
  local list <const> = json.array {}
  for index, name in ipairs(fields) do list[index] = variable_name(name, what) end
  return list
end

---The fields of an arm that is a command, as the arm keeps them.
---@param fields table of fr.arm
---@param what string
---@return table # empty for an arm that is none
function command_arm.of(fields, what)
  if not fields.command then
    for index = 2, #command_arm.FIELDS do
      local key <const> = command_arm.FIELDS[index]
      if fields[key] ~= nil then
        check.fail(("%s has %s, and is no command, which alone makes use of it"):format(what, key))
      end
    end
    return {}
  end
  if fields.calls_of and not fields.prints then
    check.fail(("%s has calls_of, but prints no readings of calls: prints = 'readings'")
      :format(what))
  end
  return {
    command = command_of(fields.command, "command of " .. what),
    env = variables(fields.env, "env of " .. what),
    set_env = variables(fields.set_env, "set_env of " .. what),
    unset_env = names_of(fields.unset_env, "unset_env of " .. what),
    prints = fields.prints and check.one_of(fields.prints, { "readings" }, "prints", what),
    calls_of = fields.calls_of and check.text(fields.calls_of, "calls_of in " .. what),
  }
end

---Copies what an arm has of its command.
---@param arm table
---@param to table
---@return table to
function command_arm.copy(arm, to)
  for _, key in ipairs(command_arm.FIELDS) do to[key] = arm[key] end
  return to
end

local function table_of(list)
  if not list then return nil end
  local fields <const> = {}
  for _, variable in ipairs(list) do
    local name <const>, text <const> = variable:match "^([^=]*)=(.*)$"
    fields[name] = text
  end
  return fields
end

---What fr.spawn is to run of an arm, without the CPU and the limits.
---@param arm table
---@return table options
function command_arm.spawn_options(arm)
  return table.move(arm.command, 1, #arm.command, 1, {
    env = table_of(arm.env), set_env = table_of(arm.set_env), unset_env = arm.unset_env,
  })
end

local SEARCHED <const> = "it is searched along PATH: name its file with a /, or by calls_of"

-- How a file binds its calls, by what it says of itself.
local function file_of(path)
  if not path:find "/" then return { path = path, binding_why = SEARCHED } end
  local found <const>, message <const> = require "frlua.elf".read(path)
  return { path = path, binding = found and found.binding,
    binding_why = found and found.binding_why or message }
end

---What the files say of themselves whose calls the arms time: of arms that print readings.
---@param arms table[]
---@return table<string, { path: string, binding: string?, binding_why: string }> by the arm's name
function command_arm.files(arms)
  local by_arm <const>, by_path <const> = {}, {}
  for _, arm in ipairs(arms) do
    local path <const> = arm.prints and (arm.calls_of or arm.command[1])
    if path then
      by_path[path] = by_path[path] or file_of(path)
      by_arm[arm.name] = by_path[path]
    end
  end
  return by_arm
end

return command_arm
