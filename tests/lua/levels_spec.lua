-- Which level of the caches a range of working sets lies in.
local levels <const> = require "frlua.levels"

local KiB <const>, MiB <const>, GiB <const> = 1 << 10, 1 << 20, 1 << 30

local function cache(level, bytes, kind)
  return { level = level, bytes = bytes, type = kind or "Unified", shared_cpus = "0-1" }
end

local function machine()
  return {
    cache(1, 64 * KiB, "Instruction"), cache(1, 32 * KiB, "Data"), cache(2, 1 * MiB),
    cache(3, 32 * MiB),
  }
end

local function of(list) return levels.of(list, 24 * GiB) end

describe("levels", function()
  it("are the data caches, in the order of their levels", function()
    assert.same({ bytes = { 32 * KiB, 1 * MiB, 32 * MiB } }, of(machine()))
    assert.same({ bytes = { 32 * KiB } }, of { cache(1, 32 * KiB, "Data") })
  end)

  it("name what lies wholly in one of them, and memory behind the last", function()
    local known <const> = of(machine())
    assert.equal("L1", levels.name(known, 4 * KiB, 32 * KiB))
    assert.equal("L2", levels.name(known, 64 * KiB, 256 * KiB))
    assert.equal("L2", levels.name(known, 64 * KiB, 1 * MiB))
    assert.equal("L3", levels.name(known, 2 * MiB, 32 * MiB))
    assert.equal("memory", levels.name(known, 64 * MiB, 256 * MiB))
  end)

  it("do not name what reaches beyond one, by however little", function()
    local known <const> = of(machine())
    local name, why = levels.name(known, 4 * KiB, 32 * KiB + 1)
    assert.is_nil(name)
    assert.equal("it reaches beyond the 32 KiB of the level 1 cache", why)
    name, why = levels.name(known, 32 * KiB, 256 * KiB)
    assert.is_nil(name)
    assert.equal("it reaches beyond the 32 KiB of the level 1 cache", why)
    name, why = levels.name(known, 8 * MiB, 256 * MiB)
    assert.is_nil(name)
    assert.equal("it reaches beyond the 32 MiB of the level 3 cache", why)
  end)

  it("name nothing at or above a size that is unknown", function()
    local list <const> = machine()
    list[3].bytes = nil
    local known <const> = of(list)
    assert.equal("L1", levels.name(known, 4 * KiB, 32 * KiB))
    local name, why = levels.name(known, 64 * KiB, 256 * KiB)
    assert.is_nil(name)
    assert.equal("the size of the level 2 cache is unknown", why)
    name = levels.name(known, 64 * MiB, 256 * MiB)
    assert.is_nil(name)
    list[2].bytes = nil
    name, why = levels.name(of(list), 4 * KiB, 8 * KiB)
    assert.is_nil(name)
    assert.equal("the size of the level 1 cache is unknown", why)
  end)

  it("believe no implausible size", function()
    local list <const> = machine()
    list[4].bytes = 1 * GiB -- of two CPUs
    local known <const> = of(list)
    assert.equal("L2", levels.name(known, 64 * KiB, 1 * MiB))
    local name, why = levels.name(known, 64 * MiB, 256 * MiB)
    assert.is_nil(name)
    assert.matches("^1 GiB for the level 3 cache is not believed: more than 64 MiB for each", why)
    list[4].bytes = 512 * KiB
    name, why = levels.name(of(list), 64 * MiB, 256 * MiB)
    assert.is_nil(name)
    assert.equal("512 KiB for the level 3 cache is not believed: no more than that of level 2", why)
  end)

  it("name nothing behind a level that is left out, nor without any", function()
    local known <const> = of { cache(1, 32 * KiB, "Data"), cache(3, 32 * MiB) }
    local name, why = levels.name(known, 64 * KiB, 128 * KiB)
    assert.is_nil(name)
    assert.equal("no level 2 cache is told of", why)
    name, why = levels.name(levels.of(nil, nil, "for no reason"), 4 * KiB, 8 * KiB)
    assert.is_nil(name)
    assert.equal("no cache is known: for no reason", why)
    name, why = levels.name(of {}, 4 * KiB, 8 * KiB)
    assert.is_nil(name)
    assert.equal("no cache that holds data is told of", why)
  end)

  it("say what they know, and why it is not more", function()
    local list <const> = machine()
    assert.equal("L1 32 KiB; L2 1 MiB; L3 32 MiB", levels.text(of(list)))
    list[3].bytes = nil
    assert.equal("L1 32 KiB; the size of the level 2 cache is unknown", levels.text(of(list)))
  end)
end)
