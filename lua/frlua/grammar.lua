--- The words that experiments are written in: regions, steps, phases, arms. One grammar throughout:
--- `fr.kind "name" { … }`, and `fr.operation { … }` for what has no name, see frlua.operations.
--- Each makes a plain table with its `kind`; fr.experiment puts them together and checks that they
--- fit.
local check <const> = require "frlua.check"

local grammar <const> = {}

---@class frlua.Op one primitive operation
---@field kind "op"
---@field code string
---@field region string? the name of the region that it works on
---@field from string? the name of the region that it reads
---@field every string|integer? word, line, page, or a stride in bytes
---@field amount integer? bytes or nanoseconds
---@field mul integer?
---@field value integer?

---Makes a word that takes a name and fields, `fr.kind "name" { … }`: misuse is reported at the line
---of the name.
---@param kind string
---@param build fun(name: string, fields: table, what: string): table
---@return fun(name: string): fun(fields: table): table
function grammar.named(kind, build)
  return function(name)
    local place <const> = check.place()
    check.text(name, ("the name of fr.%s"):format(kind))
    return function(fields)
      return check.from(place, build, name, fields, ("fr.%s '%s'"):format(kind, name))
    end
  end
end

local named <const> = grammar.named

---An entry that nothing makes use of would be passed over in silence.
---@param fields table
---@param most integer how many make sense
---@param what string
function grammar.check_entries(fields, most, what)
  local surplus <const> = fields[most + 1]
  if surplus ~= nil then
    check.fail(("entry %d of %s is one too many: %s"):format(most + 1, what, check.show(surplus)))
  end
end

---A list of things of certain kinds.
---@param kinds table<string, any> true for each kind; `wanted`: what is expected, in words
---@param fields table
---@param what string
---@return table[]
function grammar.list_of(kinds, fields, what)
  local list <const> = {}
  for index, item in ipairs(fields) do
    local kind <const> = type(item) == "table" and item.kind
    if not kinds[kind] then
      check.fail(("entry %d of %s is %s: expected %s")
        :format(index, what, kind and "an fr." .. kind or check.show(item), kinds.wanted))
    end
    list[index] = item
  end
  return list
end

local list_of <const> = grammar.list_of

local OPS <const> = { op = true, wanted = "operations such as fr.write or fr.affine" }
local STEP_PARTS <const> = {
  op = true, phase = true, wanted = "operations such as fr.write, or timed phases",
}
local PHASES <const> = { phase = true, wanted = "phases such as fr.phase 'first' { … }" }

---A list of operations, for fields of other modules.
---@param fields frlua.Op[]|frlua.Op one alone stands for a list of it
---@param what string
---@return frlua.Op[]
function grammar.ops(fields, what)
  if type(fields) == "table" and fields.kind == "op" then return { fields } end
  check.keys(fields, { entries = true }, what)
  local ops <const> = list_of(OPS, fields, what)
  if #ops == 0 then check.fail(what .. " has no operations") end
  return ops
end

---A stride: a number of bytes, or the name of a unit.
---@param every any
---@param what string
---@return integer|string
function grammar.stride(every, what)
  if math.type(every) then return check.whole(every, "every in " .. what, 1) end
  return check.one_of(every, { "word", "line", "page" }, "every", what)
end

---A region by its name, or a region of fr.map for fr.time.
---@param value any
---@param what string
---@return any
function grammar.region_of(value, what)
  return type(value) == "userdata" and value or check.text(value, what)
end

---The region of an operation that has one: `fr.write "output"`, or the entry of a table that may
---have other keys.
---@param fields any
---@param keys string[]
---@param what string
---@return any
function grammar.one_region(fields, keys, what)
  if type(fields) ~= "table" then fields = { fields } end
  check.keys(fields, { entries = true, table.unpack(keys) }, what)
  grammar.check_entries(fields, 1, what)
  return grammar.region_of(fields[1], "the region of " .. what)
end

---Memory of a sample. `bytes` is a number or a text such as "64 MiB"; without anything else it is
---private, anonymous and only reserved. The other keys are those of fr.map, see frlua.Memory; with
---`fill = "index"` it holds 0, 1, 2 … and is resident before anything is timed: a file that is made
---for it is in memory then, and not yet mapped. `chain = "line"` links every line (or every so many
---bytes) into one cycle in random order for fr.chase, with `within = "page"` page by page. An arm's
---sample has the regions that the arm names.
---`fr.region "input" { bytes = 512 * fr.KiB, fill = "index" }`
grammar.region = named("region", function(name, fields, what)
  local mapping <const> = require "frlua.mapping"
  check.keys(fields, { "fill", "chain", "within", table.unpack(mapping.KEYS) }, what)
  local region <const> = mapping.fields(fields, "in " .. what)
  region.kind, region.name = "region", name
  region.fill = fields.fill and check.one_of(fields.fill, { "index" }, "fill", what)
  region.chain = fields.chain and grammar.stride(fields.chain, what)
  region.within = fields.within and check.one_of(fields.within, { "page" }, "within", what)
  if (region.fill or region.chain) and not mapping.is_fillable(region) then
    check.fail(("fill or chain in %s would write over a file, or over what may only be read")
      :format(what))
  end
  return region
end)

---What a part of a mode's name means: what comes before the timed part, operations and phases that
---are timed by themselves. `fr.step "prefault" { fr.write { "output", every = "word" } }`
grammar.step = named("step", function(name, fields, what)
  check.keys(fields, { entries = true }, what)
  local parts <const> = list_of(STEP_PARTS, fields, what)
  if #parts == 0 then check.fail(what .. " has no operations") end
  return { kind = "step", name = name, parts = parts }
end)

---How often a timed phase is repeated.
---@param value any 1 by default
---@param what string
---@return integer
function grammar.iterations(value, what)
  local most <const> = math.maxinteger // 1024 -- 16 bytes a reading, in 64 phases: no size wraps
  return check.whole(value or 1, "iterations in " .. what, 1, most)
end

---A phase: operations, repeated `iterations` times (default 1), each iteration one reading; with
---`timed = false` they run once, and nothing is read.
---`fr.phase "first" { fr.write "buffer", iterations = 1 }`
grammar.phase = named("phase", function(name, fields, what)
  check.keys(fields, { "iterations", "timed", entries = true }, what)
  local ops <const> = list_of(OPS, fields, what)
  if #ops == 0 then check.fail(what .. " has no operations") end
  local timed <const> = fields.timed == nil or fields.timed
  if type(timed) ~= "boolean" then
    check.fail(("timed in %s must be true or false, not %s"):format(what, check.show(timed)))
  elseif not timed and fields.iterations then
    check.fail(what .. " is not timed, and runs once: it goes without iterations")
  end
  for _, op in ipairs(timed and ops or {}) do
    if op.code == "link" then
      check.fail("fr.link in " .. what .. " is for phases that are not timed")
    end
  end
  return {
    kind = "phase", name = name, ops = ops, timed = timed,
    iterations = grammar.iterations(fields.iterations, what),
  }
end)

local function command_of(words, what)
  check.keys(words, { entries = true }, what)
  local list <const> = {}
  for index, word in ipairs(words) do
    if type(word) ~= "string" or word:find("\0", 1, true) then
      check.fail(("entry %d of %s must be a text without NUL bytes, not %s"):format(index, what,
        check.show(word)))
    end
    list[index] = word
  end
  check.text(list[1], "the program of " .. what)
  return list
end

---One condition, as a list of phases: `fr.arm "first touch" { fr.phase "first" { … }, … }`; or as a
---layout that the experiment's `timed` operations go over: `fr.arm "spread" { layout = fr.layout {
---gap = page, off = line } }`. Its memory is on small pages (nohugepage); with `pages = "huge"` it
---is aligned and rounded to huge ones, advised so, and touched all over. Or as a program, of which
---only the whole process and its parts are metrics: `fr.arm "git" { command = { "git", "help" } }`;
---it is searched along PATH, and what it prints is discarded.
grammar.arm = named("arm", function(name, fields, what)
  check.keys(fields, { "layout", "pages", "command", entries = true }, what)
  local phases <const> = list_of(PHASES, fields, what)
  local layout <const> = fields.layout
  if layout ~= nil and (type(layout) ~= "table" or layout.kind ~= "layout") then
    check.fail(("layout in %s is %s: expected fr.layout { … }"):format(what, check.show(layout)))
  elseif (layout or fields.command) and phases[1] or layout and fields.command then
    check.fail(what .. " is to be one of phases, a layout, a command: it has two")
  elseif fields.pages and not layout then
    check.fail(what .. " has pages without a layout: give its region advise = 'hugepage'")
  elseif not layout and not fields.command and #phases == 0 then
    check.fail(what .. " has no phases, no layout and no command")
  end
  return {
    kind = "arm", name = name, phases = phases, layout = layout,
    command = fields.command and command_of(fields.command, "command of " .. what),
    pages = check.one_of(fields.pages or "small", { "small", "huge" }, "pages", what),
  }
end)

---Arms whose names say which steps come before the timed part.
---`fr.modes { "natural", "prefault,spin" }`
---@param names string[]
---@return table
function grammar.modes(names)
  check.keys(names, { entries = true }, "fr.modes")
  if #names == 0 then check.fail "fr.modes names no mode" end
  return { kind = "modes", names = names }
end

---The entries of a field of fr.experiment: all of one kind, no name twice.
---@param fields table?
---@param key string the field
---@param kind string
---@param what string whose field it is
---@return table[] list
---@return string[] names
function grammar.entries(fields, key, kind, what)
  local where <const> = key .. " in " .. what
  local list <const>, names <const>, seen <const> = {}, {}, {}
  check.keys(fields or {}, { entries = true }, where)
  for index, item in ipairs(fields or {}) do
    if type(item) ~= "table" or item.kind ~= kind then
      check.fail(("entry %d of %s is %s: expected fr.%s '…' { … }")
        :format(index, where, check.show(item), kind))
    end
    if seen[item.name] then
      check.fail(("%s names %s '%s' twice"):format(where, kind, item.name))
    end
    seen[item.name] = true
    list[index], names[index] = item, item.name
  end
  return list, names
end

---The names of a list of named things.
---@param list { name: string }[]
---@return string[]
function grammar.names_of(list)
  local names <const> = {}
  for index, item in ipairs(list) do names[index] = item.name end
  return names
end

return grammar
