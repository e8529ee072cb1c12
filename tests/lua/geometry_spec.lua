local core <const> = require "frlua.core"
local fr <const> = require "frlua"
local geometry <const> = require "frlua.geometry"
local told <const> = require "sessions".told
local tree <const> = dofile "tests/lua/data/tree.lua"

-- What `body` returns on a machine with these files below a cache directory of CPU 0, where the C
-- library knows no more than the page size.
local function on(contents, body)
  local below <const> = {}
  for path, text in pairs(contents) do below["devices/system/cpu/cpu0/cache/" .. path] = text end
  local sys <close> = tree.new(below)
  fr.machine.read_from { sys = sys.path }
  stub(core, "sizes", function() return { page_bytes = 4096 } end)
  local returned <const> = table.pack(pcall(body))
  core.sizes:revert()
  fr.machine.read_from {}
  assert(table.unpack(returned))
  return table.unpack(returned, 2)
end

local function made_on(contents, defaults)
  return on(contents, function() return fr.geometry(defaults) end)
end

local FIRST_LEVEL <const> = {
  ["index0/level"] = "1", ["index0/type"] = "Data", ["index0/size"] = "48K",
  ["index0/ways_of_associativity"] = "12", ["index0/coherency_line_size"] = "32",
}

-- FIRST_LEVEL with other files; false for none.
local function first_level(changes)
  local contents <const> = {}
  for path, text in pairs(FIRST_LEVEL) do contents[path] = text end
  for path, text in pairs(changes) do contents["index0/" .. path] = text or nil end
  return contents
end

describe("the geometry of a machine", function()
  it("is what it tells, whatever the script says", function()
    for _, defaults in ipairs { {}, { line = 64, sets = 64 } } do
      local made <const> = made_on(first_level { number_of_sets = "256" }, defaults)
      assert.same({ 4096, 32, 256 }, { made.page_bytes, made.line_bytes, made.sets })
      assert.equal("read from the C library or sysfs", made.line_from)
      assert.equal("read from sysfs", made.sets_from)
    end
  end)

  it("has as many sets as its size, ways and lines make, where they are not counted", function()
    local made <const> = made_on(FIRST_LEVEL)
    assert.equal(128, made.sets) -- 48 KiB / (12 * 32 B)
    assert.equal("read from sysfs, from its size, ways and line", made.sets_from)
  end)

  it("is that of the data cache, not of the one of instructions or a higher level", function()
    local made <const> = made_on {
      ["index0/level"] = "1", ["index0/type"] = "Instruction", ["index0/number_of_sets"] = "8",
      ["index1/level"] = "2", ["index1/type"] = "Unified", ["index1/number_of_sets"] = "1024",
      ["index2/level"] = "1", ["index2/type"] = "Data", ["index2/number_of_sets"] = "512",
    }
    assert.equal(512, made.sets)
  end)

  it("is the script's where the machine tells nothing, and named as that", function()
    local made <const> = made_on({}, { line = 128, sets = 32.0 })
    assert.same({ 128, 32 }, { made.line_bytes, made.sets })
    assert.matches("^given by the script; this machine's is unknown: neither ", made.line_from)
    assert.matches("^given by the script; this machine's is unknown: neither ", made.sets_from)
    assert.matches("^lines of 128 B %(given by the script; .*%), 32 sets .*%(given by the script; ",
      geometry.text(made))
  end)

  it("is unknown, with the reason, where nobody tells it", function()
    local made <const> = made_on {}
    assert.is_nil(made.line_bytes)
    assert.is_nil(made.sets)
    assert.matches("^unknown: neither the C library nor sysfs", made.line_from)
    assert.matches("^unknown: neither sysfs nor the C library", made.sets_from)
    assert.matches("^lines of unknown size %(unknown: .*%), unknown sets ", geometry.text(made))
  end)

  it("has no sets of a cache that lacks one of the sizes, or has 0 of it", function()
    for _, changes in ipairs {
      { size = false }, { size = "0K" }, { size = "1K" }, { ways_of_associativity = false },
      { ways_of_associativity = "0" }, { coherency_line_size = false },
      { coherency_line_size = "0" }, { number_of_sets = "0", ways_of_associativity = "0" },
      { level = "0" },
    } do
      local made <const> = made_on(first_level(changes), {})
      assert.is_nil(made.sets)
      assert.matches("^unknown: ", made.sets_from)
      assert.equal(16, made_on(first_level(changes), { sets = 16 }).sets)
    end
  end)

  it("of zeros in all of its files is unknown, too", function()
    local made <const> = made_on(first_level {
      size = "0K", ways_of_associativity = "0", coherency_line_size = "0", number_of_sets = "0",
    })
    assert.same({}, { made.line_bytes, made.sets })
  end)
end)

describe("a geometry that a script gives", function()
  it("has powers of two, by names that are known", function()
    local function refusal(text)
      return told("\nfr.geometry " .. text):match "^user%.lua:3: (.*)$"
    end
    assert.equal("line in fr.geometry must be a power of two, not 48", refusal "{ line = 48 }")
    assert.equal("sets in fr.geometry must be a whole number of at least 1, not 0",
      refusal "{ sets = 0 }")
    assert.equal("sets in fr.geometry must be a whole number of at least 1, not 0.5",
      refusal "{ sets = 0.5 }")
    assert.equal("unknown key 'lines' in fr.geometry: did you mean 'line'?",
      refusal "{ lines = 64 }")
  end)
end)

describe("a layout on a machine without sets", function()
  local PARTS <const> = { lines = 32, gap = 4096 }

  local function audit_on_nothing(fields)
    return on({}, function()
      for key, value in pairs(PARTS) do fields[key] = value end
      return require "frlua.layout".place(fr.layout(fields), {}, "it").audit
    end)
  end

  it("counts pages and slots, and leaves what it can't count unknown", function()
    local audit <const> = audit_on_nothing {}
    assert.same({ 32, 32 }, { audit.slots, audit.pages })
    assert.same({}, { audit.lines, audit.used_sets, audit.fullest_set, audit.set_hash })
  end)

  it("may have an offset that wraps as it says, and no other", function()
    assert.equal(32, audit_on_nothing({ off = 64, wrap = 64 }).pages)
    local message <const> = on({}, function()
      return told("\nlocal l = fr.layout { lines = 32, gap = 4096, off = 64 }\n"
        .. "require 'frlua.layout'.place(l, {}, 'it')")
    end)
    assert.matches("^user%.lua:3: off in it repeats after 'wrap' lines, by default the sets of the"
      .. " first%-level cache, which are unknown: .*: give wrap, or geometry = fr%.geometry",
      message)
  end)

  it("may lie in the sets that the script gives", function()
    on({}, function()
      local sizes <const> = fr.geometry { line = 64, sets = 64 }
      local placed <const> = require "frlua.layout".place(
        fr.layout { lines = 32, gap = 4096, off = 64, geometry = sizes }, {}, "it")
      assert.same({ 64, 32, 1 }, { placed.wrap, placed.audit.used_sets, placed.audit.fullest_set })
    end)
  end)
end)
