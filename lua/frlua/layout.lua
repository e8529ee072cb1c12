--- Layouts: where the lines of a chase lie in their region. A layout is built once into offsets,
--- which C counts: lines, pages and sets are those that the addresses have, never those that a
--- caption says.
local check <const> = require "frlua.check"
local core <const> = require "frlua.core"
local geometry <const> = require "frlua.geometry"
local machine <const> = require "frlua.machine"
local random <const> = require "frlua.random"
local units <const> = require "frlua.units"

local layout <const> = {}

local POINTER_BYTES <const> = 8
local MOST_LINES <const> = 1 << 31 -- a chain numbers its slots by 32 bits
local FIELDS <const> = {
  "lines", "gap", "off", "wrap", "addr", "order", "within", "seed", "pages", "bytes", "geometry",
}
-- What a sweep may go over.
layout.SWEPT = { "lines", "gap", "off", "wrap" }

---@class frlua.Layout as fr.layout takes it, without what a sweep gives
---@field kind "layout"

---@class frlua.Placed a layout with nothing left open; plain data
---@field lines integer
---@field gap integer? of addr(i) = i * gap + off * (i mod wrap)
---@field off integer?
---@field wrap integer?
---@field by string? "function" where a script's own gave the addresses
---@field order "random"|"sequential"
---@field group integer? lines that are finished before the next ones begin
---@field seed integer? of the order in all rounds
---@field bytes integer from the region's start to behind its last line
---@field start integer offset of line 0
---@field geometry frlua.Geometry
---@field audit frlua.Audit of the offsets

---@class frlua.Audit what was counted; a count is nil where the geometry does not know its unit
---@field slots integer
---@field lines integer?
---@field pages integer of base size
---@field huge_pages integer? units of the size of a huge page
---@field used_sets integer?
---@field fullest_set integer? lines in the set that has most
---@field set_hash string? the same for the same distribution

local function group_of(within, gap, what)
  if within == nil then return nil end
  local name <const> = "within in " .. what
  if type(within) == "string" then
    check.one_of(within, { "page" }, "within", what)
    within = { pages = 1 }
  end
  check.keys(within, { "pages", "lines" }, name)
  if within.lines and within.pages then
    check.fail(name .. " has both pages and lines: one is meant")
  elseif within.lines then
    return check.whole(within.lines, "lines of " .. name, 1, MOST_LINES)
  end
  local pages <const> = check.whole(within.pages, "pages of " .. name, 1, MOST_LINES)
  if not gap then
    check.fail(name
      .. " counts pages by the gap, which a function has none of: within = { lines = n }")
  end
  return math.max(1, pages * machine.page_bytes // gap)
end

---The offset of every line, by the formula.
---@param lines integer
---@param gap integer
---@param off integer
---@param wrap integer? of no meaning where `off` is 0
---@return integer[]
function layout.by_formula(lines, gap, off, wrap)
  local offsets <const> = {}
  for i = 0, lines - 1 do offsets[i + 1] = i * gap + (wrap and off * (i % wrap) or 0) end
  return offsets
end

---What offsets would count in a region that begins at a multiple of every size.
---@param offsets integer[]
---@param bytes integer of the region
---@param sizes frlua.Geometry
---@return frlua.Audit
---@return userdata offsets as a series
function layout.audit(offsets, bytes, sizes)
  local series <const> = core.series(offsets)
  return core.audit(series, bytes, sizes), series
end

local function formula(fields, what)
  local lines <const> = fields.lines
  local gap <const> = check.whole(fields.gap, "gap in " .. what, 1)
  local off <const> = check.whole(fields.off or 0, "off in " .. what, 0)
  local sizes <const> = fields.geometry
  local wrap <const> = fields.wrap and check.whole(fields.wrap, "wrap in " .. what, 1) or sizes.sets
  if off > 0 and not wrap then
    check.fail(("off in %s repeats after 'wrap' lines, by default the sets of the first-level"
      .. " cache, which are %s: give wrap, or geometry = fr.geometry { sets = … }")
      :format(what, sizes.sets_from))
  end
  if (lines - 1.0) * gap + (wrap or 0) * 1.0 * off >= 0x1p62 then
    check.fail(("%s reaches beyond what can be addressed: %d lines, %d bytes apart"):format(what,
      lines, gap))
  end
  return layout.by_formula(lines, gap, off, wrap),
    { gap = gap, off = off, wrap = off > 0 and wrap or nil }
end

local function by_function(fields, what)
  local offsets <const> = {}
  for i = 0, fields.lines - 1 do
    local given <const> = fields.addr(i, fields.lines)
    local whole <const> = math.type(given) and math.tointeger(given)
    if not whole then
      check.fail(("addr(%d) in %s returned %s: expected a whole number of bytes from the start of"
        .. " the region"):format(i, what, check.show(given)))
    end
    offsets[i + 1] = whole
  end
  return offsets, { by = "function" }
end

local FAULTS <const> = {
  outside = "outside of the region of %d bytes",
  misaligned = "at no multiple of %d bytes, the size of a pointer",
}

-- The first two lines that are one, by the offsets.
local function first_pair(offsets, line_bytes)
  local seen <const> = {}
  for index, offset in ipairs(offsets) do
    local line <const> = offset // line_bytes
    if seen[line] then return seen[line] - 1, index - 1 end
    seen[line] = index
  end
end

-- Refuses what the addresses contradict, with both numbers.
local function check_audit(placed, offsets, wanted_pages, what)
  local audit <const>, lines <const> = placed.audit, placed.lines
  if audit.fault then
    local rule <const> = FAULTS[audit.fault]:format(
      audit.fault == "outside" and placed.bytes or POINTER_BYTES)
    check.fail(("line %d of %s lies at byte %d, %s"):format(audit.fault_slot - 1, what,
      audit.fault_address, rule))
  end
  if audit.lines and audit.lines < lines then
    local first <const>, second <const> = first_pair(offsets, placed.geometry.line_bytes)
    check.fail(("%s was asked for %d lines and touches %d: lines %d and %d, at bytes %d and %d, are"
      .. " one cache line of %d bytes"):format(what, lines, audit.lines, first, second,
      offsets[first + 1], offsets[second + 1], placed.geometry.line_bytes))
  end
  if wanted_pages and audit.pages ~= wanted_pages then
    check.fail(("%s was asked for %d pages and touches %d, of %s: its lines are not where its"
      .. " caption says"):format(what, wanted_pages, audit.pages, units.bytes(machine.page_bytes)))
  end
end

-- From the start of the region to behind the last line, which is whole.
local function extent(offsets, line_bytes)
  local last = 0
  for _, offset in ipairs(offsets) do last = math.max(last, offset) end
  local unit <const> = line_bytes or POINTER_BYTES
  if last >= 1 << 62 then return last end -- far outside of anything: the audit says so
  return (last // unit + 1) * unit
end

-- To count the addresses takes a bit for each line that there is room for, and no kernel commits
-- itself to a region of more than all memory.
local function check_extent(placed, what)
  local memory <const> = machine.memory_bytes
  if memory and placed.bytes > memory then
    check.fail(("%s reaches over %d bytes: this machine has %s of memory"):format(what,
      placed.bytes, units.bytes(memory)))
  end
end

-- A list of so many offsets would itself not fit.
local function lines_of(fields, what)
  local lines <const> = check.whole(fields.lines, "lines in " .. what, 1, MOST_LINES)
  local memory <const> = machine.memory_bytes
  if memory and lines > memory // 64 then
    check.fail(("lines in %s are %d: to lay them out takes more than the %s that this machine has")
      :format(what, lines, units.bytes(memory)))
  end
  return lines
end

---@type table<frlua.Placed, userdata> the offsets of a placed layout, a series
layout.offsets = setmetatable({}, { __mode = "k" })

-- How many pages the layout says that it touches.
local function pages_wanted(fields, what)
  if type(fields.pages) == "string" and not tonumber(fields.pages) then
    check.one_of(fields.pages, { "lines" }, "pages", what)
    return fields.lines
  end
  return fields.pages and check.whole(fields.pages, "pages in " .. what, 1)
end

local function place(given, params, what)
  local fields <const> = setmetatable(params, { __index = given })
  fields.lines = lines_of(fields, what)
  fields.geometry = fields.geometry or geometry.geometry()
  local offsets <const>, placed <const> = (fields.addr and by_function or formula)(fields, what)
  placed.lines, placed.geometry = fields.lines, fields.geometry
  placed.order = check.one_of(fields.order or "random", { "random", "sequential" }, "order", what)
  placed.group = group_of(fields.within, placed.gap, what)
  placed.seed = fields.seed and check.whole(fields.seed, "seed in " .. what, 0)
  placed.start = offsets[1]
  placed.bytes = fields.bytes and check.bytes(fields.bytes, "bytes in " .. what)
    or extent(offsets, placed.geometry.line_bytes)
  check_extent(placed, what)
  local series
  placed.audit, series = layout.audit(offsets, placed.bytes, placed.geometry)
  check_audit(placed, offsets, pages_wanted(fields, what), what)
  layout.offsets[placed] = series
  return placed
end

---A layout with nothing left open. What is wrong with it is an error at the line of fr.layout.
---@param given frlua.Layout
---@param params table<string, integer> what a sweep gives
---@param what string such as "the layout of 'spread, 32 lines'"
---@return frlua.Placed
function layout.place(given, params, what)
  local copy <const> = {}
  for key, value in pairs(params) do
    if given[key] ~= nil then
      check.fail(("%s has its own %s, which the sweep is to give"):format(what, key))
    end
    copy[key] = value
  end
  return check.from(given.place, place, given, copy, what)
end

---The seed of a chain's order: the layout's own, or one of the run's for each round, the same for
---all arms of it.
---@param placed frlua.Placed
---@param seed integer of the run
---@param round integer
---@return integer
function layout.seed(placed, seed, round)
  return placed.seed or random.new(seed + round):next() >> 12
end

---What of a sample's audit contradicts its layout, in words; nil when nothing does.
---@param placed frlua.Placed
---@param audit frlua.Audit
---@return string?
function layout.contradiction(placed, audit)
  if audit.fault == "no cycle" then
    return ("the chain is no cycle of %d lines"):format(placed.lines)
  elseif audit.fault then
    return ("after %d loads the chain is at byte %d, %s"):format(audit.fault_slot - 1,
      audit.fault_address, audit.fault)
  end
  for _, name in ipairs { "slots", "lines", "pages", "fullest_set", "set_hash" } do
    if audit[name] ~= placed.audit[name] then
      return ("asked for %s %s, touched %s"):format(placed.audit[name], name, audit[name])
    end
  end
end

---Where the lines of a chase lie: line i, from 0, at i * gap + off * (i mod wrap) bytes, or where
---`addr(i, lines)` says. `wrap` is by default the number of sets of the first-level data cache, so
---that off = a line puts line i into set i mod wrap whatever the gap. `order`: "random" (default),
---one cycle through all lines, or "sequential"; `within = "page"`, { pages = n } or { lines = n }:
---random within such groups, one after the other. `seed` of the order: by default another in every
---round, the same for all arms. `pages`: how many it is to touch, of base size, or "lines": one for
---each; it is an error if its addresses touch another number. `bytes`: the region's, by default as
---far as the lines go. `geometry`: of fr.geometry, by default what the machine tells. `lines` and
---the like may be left to a sweep. `fr.layout { gap = page, off = line }`
---@param fields table
---@return frlua.Layout
function layout.layout(fields)
  check.keys(fields, FIELDS, "fr.layout")
  local made <const> = { kind = "layout", place = check.place() }
  for key, value in pairs(fields) do made[key] = value end
  if fields.addr and type(fields.addr) ~= "function" then
    check.fail("addr in fr.layout must be a function of the line's number, not "
      .. check.show(fields.addr))
  end
  if fields.geometry and not geometry.is_one(fields.geometry) then
    check.fail(("geometry in fr.layout is %s: expected fr.geometry { … }"):format(
      check.show(fields.geometry)))
  end
  for _, key in ipairs(fields.addr and { "gap", "off", "wrap" } or {}) do
    if fields[key] then check.fail(("fr.layout has both addr and %s: one is meant"):format(key)) end
  end
  return made
end

return layout
