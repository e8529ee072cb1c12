--- The words that experiments are written in: regions, operations, steps, phases, arms.
--- One grammar throughout: `fr.kind "name" { … }`, and `fr.operation { … }` for what has no name.
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

local function stride(every, what)
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

local function touching(code)
  return function(fields)
    local what <const> = "fr." .. code
    local region <const> = grammar.one_region(fields, { "every", "value" }, what)
    if type(fields) ~= "table" then fields = {} end
    return {
      kind = "op",
      code = code,
      region = region,
      every = stride(fields.every or "page", what),
      value = check.whole(fields.value or 1, "value in " .. what),
    }
  end
end

---Writes every word (8 bytes), line, page (one byte each) or n-th byte of a region.
---`fr.write "output"`, `fr.write { "output", every = "word", value = 7 }`; a page by default.
---@type fun(fields: string|table): frlua.Op
grammar.write = touching "write"

---Reads likewise.
---@type fun(fields: string|table): frlua.Op
grammar.read = touching "read"

---Makes what the caches hold something else: writes and reads `bytes` of other memory, by default
---the larger of 64 MiB and twice the last-level cache, as far as that is plausible.
---@param fields? { bytes: integer|string? }
---@return frlua.Op
function grammar.evict(fields)
  check.keys(fields or {}, { "bytes" }, "fr.evict")
  local bytes <const> = fields and fields.bytes
  return {
    kind = "op",
    code = "evict",
    amount = bytes and check.bytes(bytes, "bytes in fr.evict")
      or (require "frlua.machine".evict_bytes()),
  }
end

local function pausing(code)
  return function(fields)
    local what <const> = "fr." .. code
    check.keys(fields, { "ms" }, what)
    local ms <const> = check.number(fields.ms, "ms in " .. what, 0, 1000000000)
    return { kind = "op", code = code, amount = math.tointeger(ms * 1e6 // 1) }
  end
end

---Leaves the CPU for `ms` milliseconds.
---@type fun(fields: { ms: number }): frlua.Op
grammar.sleep = pausing "sleep"

---Stays on the CPU for `ms` milliseconds, reading the clock and nothing else.
---@type fun(fields: { ms: number }): frlua.Op
grammar.spin = pausing "spin"

---The kernel out[i] = mul * in[i] + add over 64-bit words, modulo 2^64. In an experiment `to` and
---`from` are names of regions, for fr.time they are regions from fr.map.
---@param fields { to: any, from: any, mul: integer?, add: integer? } mul 1 and add 0 by default
---@return frlua.Op
function grammar.affine(fields)
  check.keys(fields, { "to", "from", "mul", "add" }, "fr.affine")
  return {
    kind = "op",
    code = "affine",
    region = grammar.region_of(fields.to, "to in fr.affine"),
    from = grammar.region_of(fields.from, "from in fr.affine"),
    mul = check.whole(fields.mul or 1, "mul in fr.affine"),
    add = check.whole(fields.add or 0, "add in fr.affine"),
  }
end

---Follows the chain of a region once around, every load waiting for the one before it. The region
---has a `chain`, see fr.region.
---@param name string
---@return frlua.Op
function grammar.chase(name)
  return { kind = "op", code = "chase", region = check.text(name, "the region of fr.chase") }
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
  region.chain = fields.chain and stride(fields.chain, what)
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
  local most <const> = math.maxinteger // 256 -- 16 bytes a reading, in 16 phases: no size wraps
  return check.whole(value or 1, "iterations in " .. what, 1, most)
end

---A timed phase: operations, repeated `iterations` times (default 1), each iteration one reading.
---`fr.phase "first" { fr.write "buffer", iterations = 1 }`
grammar.phase = named("phase", function(name, fields, what)
  check.keys(fields, { "iterations", entries = true }, what)
  local ops <const> = list_of(OPS, fields, what)
  if #ops == 0 then check.fail(what .. " has no operations") end
  return {
    kind = "phase", name = name, ops = ops,
    iterations = grammar.iterations(fields.iterations, what),
  }
end)

---One condition, as a list of phases. `fr.arm "first touch" { fr.phase "first" { … }, … }`
grammar.arm = named("arm", function(name, fields, what)
  check.keys(fields, { entries = true }, what)
  local phases <const> = list_of(PHASES, fields, what)
  if #phases == 0 then check.fail(what .. " has no phases") end
  return { kind = "arm", name = name, phases = phases }
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

---The names of a list of named things.
---@param list { name: string }[]
---@return string[]
function grammar.names_of(list)
  local names <const> = {}
  for index, item in ipairs(list) do names[index] = item.name end
  return names
end

return grammar
