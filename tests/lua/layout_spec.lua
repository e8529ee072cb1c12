local core <const> = require "frlua.core"
local fr <const> = require "frlua"
local layout <const> = require "frlua.layout"
local random <const> = require "frlua.random"

local POINTER <const> = 8
local sizes <const> = fr.geometry { line = 64, sets = 64 }
local page <const>, line <const> = sizes.page_bytes, sizes.line_bytes

local function placed_as(fields, params)
  fields.geometry = fields.geometry or sizes
  return layout.place(fr.layout(fields), params or {}, "it")
end

-- The sizes of a machine with other sets; nothing else of it is other.
local function sizes_with(sets, huge_bytes)
  local made <const> = fr.geometry { line = 64, sets = 64 }
  made.sets, made.huge_bytes = sets, huge_bytes
  return made
end

local function different(offsets, unit)
  local seen <const>, count = {}, 0
  for _, offset in ipairs(offsets) do
    if not seen[offset // unit] then count = count + 1 end
    seen[offset // unit] = true
  end
  return count
end

-- What an audit must say, counted in the plainest way; and the counts of all sets as one text.
local function counted(offsets, geometry)
  local in_set <const>, used, fullest = {}, 0, 0
  for set = 1, geometry.sets do in_set[set] = 0 end
  for _, offset in ipairs(offsets) do
    local set <const> = offset // geometry.line_bytes % geometry.sets + 1
    in_set[set] = in_set[set] + 1
  end
  for _, count in ipairs(in_set) do
    used, fullest = used + (count > 0 and 1 or 0), math.max(fullest, count)
  end
  return {
    slots = #offsets, lines = different(offsets, geometry.line_bytes),
    pages = different(offsets, geometry.page_bytes),
    huge_pages = geometry.huge_bytes and different(offsets, geometry.huge_bytes),
    used_sets = used, fullest_set = fullest,
  }, table.concat(in_set, " ")
end

-- Where the lines of a layout are to be, by the formula in its documentation.
local function offsets_of(fields)
  local offsets <const> = {}
  for i = 0, fields.lines - 1 do
    offsets[i + 1] = fields.addr and fields.addr(i, fields.lines)
      or i * fields.gap + (fields.off or 0) * (i % (fields.wrap or fields.geometry.sets))
  end
  return offsets
end

local function any_formula(numbers)
  local gaps <const> = { line, 3 * line, page, page + line, 5 * POINTER, page // 2 }
  return {
    lines = 1 + numbers:below(300), gap = gaps[1 + numbers:below(#gaps)],
    off = numbers:below(3) > 0 and POINTER * numbers:below(3 * line // POINTER) or nil,
    wrap = numbers:below(2) > 0 and 1 + numbers:below(100) or nil,
  }
end

local function any_function(numbers)
  local offsets <const>, at = {}, 0
  for index = 1, 1 + numbers:below(200) do
    offsets[index] = at
    at = at + line * (1 + numbers:below(150)) + POINTER * numbers:below(8)
  end
  numbers:shuffle(offsets)
  return { lines = #offsets, addr = function(i) return offsets[i + 1] end }
end

local GEOMETRIES <const> = { sizes, sizes_with(128, 16 * page), sizes_with(7, nil) }

-- The layout's audit, or nil where two of its lines are one, which is refused.
local function audit_of(fields)
  local expected <const>, distribution <const> = counted(offsets_of(fields), fields.geometry)
  local ok <const>, placed <const> = pcall(placed_as, fields)
  if expected.lines < fields.lines then
    assert.is_false(ok)
    assert.truthy(placed:find(("asked for %d lines and touches %d"):format(fields.lines,
      expected.lines), 1, true), placed)
    return nil
  end
  assert(ok, placed)
  local audit <const>, hash <const> = placed.audit, placed.audit.set_hash
  audit.set_hash = nil
  assert.same(expected, audit)
  return fields.geometry.sets .. ": " .. distribution, hash
end

describe("the audit of a layout", function()
  it("counts what its addresses are, of any layout", function()
    local numbers <const> = random.new(20)
    local hash_of <const>, distribution_of <const>, audited, refused = {}, {}, 0, 0
    for number = 1, 400 do
      local fields <const> = (number % 4 == 0 and any_function or any_formula)(numbers)
      fields.geometry = GEOMETRIES[1 + numbers:below(#GEOMETRIES)]
      local distribution <const>, hash <const> = audit_of(fields)
      if distribution then
        audited = audited + 1
        assert.equal(hash_of[distribution] or hash, hash)
        assert.equal(distribution_of[hash] or distribution, distribution)
        hash_of[distribution], distribution_of[hash] = hash, distribution
      else
        refused = refused + 1
      end
    end
    assert.is_true(audited > 200 and refused > 20, ("%d audited, %d refused"):format(audited,
      refused)) -- both kinds are among them, or this tests little
  end)

  it("has the same hash for the same sets by two routes, and another for others", function()
    local packed <const> = placed_as { lines = 300, gap = line }
    local spread <const> = placed_as { lines = 300, gap = page, off = line }
    local trap <const> = placed_as { lines = 300, gap = page }
    assert.equal(packed.audit.set_hash, spread.audit.set_hash)
    assert.not_equal(packed.audit.set_hash, trap.audit.set_hash)
    assert.same({ 300 * line // page + 1, 300 }, { packed.audit.pages, spread.audit.pages })
    assert.matches("^" .. ("%x"):rep(16) .. "$", packed.audit.set_hash)
  end)

  it("is the same of the chain that a worker links", function()
    for _, order in ipairs { "random", "sequential" } do
      local experiment <const> = fr.experiment "audited" {
        arms = { fr.arm "spread" {
          layout = fr.layout { lines = 77, gap = page, off = line, order = order,
            geometry = sizes },
        } },
        timed = fr.chase {}, metrics = { fr.metric "walk" { at = 1 } },
      }
      local plain <const> = require "frlua.job".plain(experiment.arms[1], experiment.regions)
      local outcome <const> = assert(core.sample(plain, core.allowed_cpus()[1], 60000000000))
      assert.same(experiment.regions[1].layout.audit, outcome.audits[1])
    end
  end)
end)

describe("a layout", function()
  it("is as long as its lines go, or as it is told", function()
    assert.equal(8 * line, placed_as({ lines = 8, gap = line }).bytes)
    assert.equal(7 * page + 8 * line, placed_as({ lines = 8, gap = page, off = line }).bytes)
    assert.equal(65536, placed_as({ lines = 8, gap = line, bytes = "64 KiB" }).bytes)
  end)

  it("takes whole floats, and keeps integers", function()
    local placed <const> = placed_as { lines = 8.0, gap = line * 1.0, addr = nil }
    assert.same({ "integer", "integer", "integer" }, { math.type(placed.lines),
      math.type(placed.gap), math.type(placed.bytes) })
    assert.equal(8, placed_as({ lines = 8, addr = function(i) return i * (line * 1.0) end }).lines)
  end)

  it("may have one line, a loop of one", function()
    local audit <const> = placed_as({ lines = 1, gap = page }).audit
    assert.same({ 1, 1, 1, 1 }, { audit.slots, audit.lines, audit.pages, audit.fullest_set })
  end)

  it("starts at line 0, wherever that is", function()
    local placed <const> = placed_as { lines = 4, addr = function(i) return (3 - i) * page end }
    assert.same({ 3 * page, "function" }, { placed.start, placed.by })
    assert.is_nil(placed.gap)
  end)

  it("wraps its offsets after as many lines as the cache has sets, unless it is told", function()
    local placed <const> = placed_as { lines = 4, gap = page, off = line }
    assert.equal(sizes.sets, placed.wrap)
    assert.equal(2, placed_as({ lines = 4, gap = page, off = line, wrap = 2 }).audit.used_sets)
    assert.is_nil(placed_as({ lines = 4, gap = page }).wrap)
  end)

  it("is in groups of so many lines, or of those in so many pages", function()
    local function group(within, gap)
      return placed_as({ lines = 200, gap = gap or line, within = within }).group
    end
    assert.is_nil(group(nil))
    assert.equal(page // line, group "page")
    assert.equal(4 * page // line, group { pages = 4 })
    assert.equal(9, group { lines = 9 })
    assert.equal(1, group("page", 2 * page)) -- a page has no more of them
  end)

  it("touches the pages that its caption says", function()
    assert.equal(32, placed_as({ lines = 32, gap = page, off = line, pages = "lines" }).audit.pages)
    assert.equal(8, placed_as({ lines = 8 * page // line, gap = line, pages = 8 }).audit.pages)
  end)

  it("leaves to the sweep what it has not", function()
    local given <const> = fr.layout { gap = page, geometry = sizes }
    assert.equal(9, layout.place(given, { lines = 9 }, "it").lines)
    assert.equal(10, layout.place(given, { lines = 10 }, "it").lines)
    assert.is_nil(given.lines)
  end)
end)

describe("the seed of a layout's order", function()
  it("is the same for all arms of a round, and another in the next", function()
    local packed <const>, spread <const> = placed_as { lines = 8, gap = line },
      placed_as { lines = 8, gap = page }
    local seen <const> = {}
    for round = 1, 50 do
      local seed <const> = layout.seed(packed, 7, round)
      assert.equal(seed, layout.seed(spread, 7, round))
      assert.is_nil(seen[seed])
      seen[seed] = true
      assert.is_true(seed >= 0)
    end
    assert.not_equal(layout.seed(packed, 7, 1), layout.seed(packed, 8, 1))
  end)

  it("is the script's in all rounds where it has one", function()
    local placed <const> = placed_as { lines = 8, gap = line, seed = 5 }
    assert.same({ 5, 5, 5 }, { layout.seed(placed, 7, 1), layout.seed(placed, 7, 2),
      layout.seed(placed, 8, 1) })
  end)
end)

describe("what contradicts a layout", function()
  local placed <const> = placed_as { lines = 32, gap = page, off = line }

  -- What is said of an audit that differs in some fields.
  local function said(changes)
    local audit <const> = {}
    for key, value in pairs(placed.audit) do audit[key] = value end
    for key, value in pairs(changes) do audit[key] = value end
    return layout.contradiction(placed, audit)
  end

  it("is nothing where the audit is the same", function()
    assert.is_nil(said {})
  end)

  it("is said with both numbers", function()
    assert.equal("asked for 32 pages, touched 16", said { pages = 16 })
    assert.equal("asked for 32 lines, touched 31", said { lines = 31 })
    assert.equal("asked for 32 slots, touched 8", said { slots = 8 })
    assert.equal("asked for 1 fullest_set, touched 2", said { fullest_set = 2 })
    assert.matches("^asked for %x+ set_hash, touched 0$", said { set_hash = "0" })
  end)

  it("may be a chain that is no cycle, or leads elsewhere", function()
    assert.equal("the chain is no cycle of 32 lines", said { fault = "no cycle" })
    assert.equal("after 3 loads the chain is at byte 4, misaligned",
      said { fault = "misaligned", fault_slot = 4, fault_address = 4 })
    assert.equal("after 0 loads the chain is at byte -64, outside",
      said { fault = "outside", fault_slot = 1, fault_address = -64 })
  end)
end)
