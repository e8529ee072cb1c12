--- The words for primitive operations, each of them a plain table: on a region that is named, or,
--- for fr.time, on one of fr.map. Those that ask the kernel for something are in frlua.memory.
local check <const> = require "frlua.check"
local grammar <const> = require "frlua.grammar"

local operations <const> = {}

local function touching(code)
  return function(fields)
    local what <const> = "fr." .. code
    local region <const> = grammar.one_region(fields, { "every", "value" }, what)
    if type(fields) ~= "table" then fields = {} end
    return {
      kind = "op",
      code = code,
      region = region,
      every = grammar.stride(fields.every or "page", what),
      value = check.whole(fields.value or 1, "value in " .. what),
    }
  end
end

---Writes every word (8 bytes), line, page (one byte each) or n-th byte of a region.
---`fr.write "output"`, `fr.write { "output", every = "word", value = 7 }`; a page by default.
---@type fun(fields: string|table): frlua.Op
operations.write = touching "write"

---Reads likewise.
---@type fun(fields: string|table): frlua.Op
operations.read = touching "read"

---Makes what the caches hold something else: writes and reads `bytes` of other memory, by default
---the larger of 64 MiB and twice the last-level cache, as far as that is plausible.
---@param fields? { bytes: integer|string? }
---@return frlua.Op
function operations.evict(fields)
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
operations.sleep = pausing "sleep"

---Stays on the CPU for `ms` milliseconds, reading the clock and nothing else.
---@type fun(fields: { ms: number }): frlua.Op
operations.spin = pausing "spin"

---The kernel out[i] = mul * in[i] + add over 64-bit words, modulo 2^64. In an experiment `to` and
---`from` are names of regions, for fr.time they are regions from fr.map.
---@param fields { to: any, from: any, mul: integer?, add: integer? } mul 1 and add 0 by default
---@return frlua.Op
function operations.affine(fields)
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

---Follows the chain of a region, every load waiting for the one before it. The region has a
---`chain`, see fr.region, or is that of the arm's layout: `fr.chase {}`; or fr.link has linked it.
---`loads`: by default once around; of a layout so often around that a step of the clock is no more
---than a thousandth of it. `fr.chase "control"`, `fr.chase { "buffer", loads = 1 << 20 }`
---@param fields string|table
---@return frlua.Op
function operations.chase(fields)
  local what <const> = "fr.chase"
  if type(fields) ~= "table" then fields = { check.text(fields, "the region of fr.chase") } end
  check.keys(fields, { "loads", entries = true }, what)
  grammar.check_entries(fields, 1, what)
  return {
    kind = "op", code = "chase",
    region = fields[1] and check.text(fields[1], "the region of fr.chase"),
    loads = fields.loads and check.whole(fields.loads, "loads in fr.chase", 1, 1 << 40),
  }
end

---Counts to `steps`, every addition waiting for the one before it, and no memory: as many cycles of
---the core's clock, as far as one addition takes one cycle. `fr.count { steps = 10000 }`
---@param fields { steps: integer }
---@return frlua.Op
function operations.count(fields)
  check.keys(fields, { "steps" }, "fr.count")
  return {
    kind = "op", code = "count",
    steps = check.whole(fields.steps, "steps in fr.count", 1, 1 << 40),
  }
end

---Links the first `bytes` of a region into one cycle of slots of `slot` bytes (a line by default, a
---multiple of a word) for fr.chase { region, loads = n }: in random order over all of them, or with
---`within = "page"` or { pages = n } in such groups. An operation of phases that are not timed.
---`fr.link { "buffer", bytes = "64 KiB", within = { pages = 16 } }`
---@param fields table
---@return frlua.Op
function operations.link(fields)
  local what <const> = "fr.link"
  local region <const> =
    grammar.one_region(fields, { "bytes", "slot", "within", "order", "seed" }, what)
  local within = fields.within
  if within ~= nil then
    if type(within) == "string" then
      check.one_of(within, { "page" }, "within", what)
      within = { pages = 1 }
    end
    check.keys(within, { "pages" }, "within in " .. what)
    within = check.whole(within.pages, "pages of within in " .. what, 1, 1 << 31)
  end
  return {
    kind = "op", code = "link", region = region, within_pages = within,
    bytes = check.bytes(fields.bytes, "bytes in " .. what),
    slot = grammar.stride(fields.slot or "line", what),
    order = check.one_of(fields.order or "random", { "random", "sequential" }, "order", what),
    seed = check.whole(fields.seed or 0, "seed in " .. what, 0),
  }
end

return operations
