local caches <const> = require "frlua.caches"
local core <const> = require "frlua.core"
local kernel <const> = require "frlua.kernel"
local tree <const> = dofile "tests/lua/data/tree.lua"

local MiB <const> = 1 << 20
local GiB <const> = 1 << 30

-- The caches of CPU 0 on a machine with these files below its cache directory, and with what the C
-- library says.
local function caches_of(contents, sizes)
  local below <const> = {}
  for path, text in pairs(contents) do below["devices/system/cpu/cpu0/cache/" .. path] = text end
  local sys <close> = tree.new(below)
  kernel.read_from { sys = sys.path }
  stub(core, "sizes", function() return sizes or {} end)
  local list <const>, why <const> = caches.of(0)
  core.sizes:revert()
  kernel.read_from {}
  return list, why
end

describe("the caches of a CPU", function()
  it("are those that sysfs lists", function()
    assert.same({
      { level = 1, type = "Data", bytes = 32768, ways = 8, line_bytes = 64, sets = 64,
        shared_cpus = "0-1", source = "sysfs" },
      { level = 3, type = "Unified", bytes = 32 * MiB, ways = 16, line_bytes = 64, sets = 32768,
        shared_cpus = "0-7", source = "sysfs" },
    }, caches_of {
      ["index0/level"] = "1", ["index0/type"] = "Data", ["index0/size"] = "32K",
      ["index0/ways_of_associativity"] = "8", ["index0/coherency_line_size"] = "64",
      ["index0/number_of_sets"] = "64", ["index0/shared_cpu_list"] = "0-1",
      ["index3/level"] = "3", ["index3/type"] = "Unified", ["index3/size"] = "32768K",
      ["index3/ways_of_associativity"] = "16", ["index3/coherency_line_size"] = "64",
      ["index3/number_of_sets"] = "32768", ["index3/shared_cpu_list"] = "0-7",
      uevent = "",
    })
  end)

  it("have no size, ways, sets or lines of 0: these are unknown, and it is said why", function()
    local cache <const> = caches_of {
      ["index0/level"] = "1", ["index0/type"] = "Data", ["index0/size"] = "0K",
      ["index0/ways_of_associativity"] = "0", ["index0/coherency_line_size"] = "0",
      ["index0/number_of_sets"] = "0", ["index0/shared_cpu_list"] = "0",
    }[1]
    for _, name in ipairs { "bytes", "ways", "line_bytes", "sets" } do
      assert.is_nil(cache[name])
      assert.is_string(cache[name .. "_why"])
    end
    assert.matches("size' is '0K'$", cache.bytes_why)
    assert.equal(1, cache.level)
    assert.is_nil(cache.level_why)
  end)

  it("may be listed without a size", function()
    local cache <const> = caches_of { ["index0/level"] = "2", ["index0/type"] = "Unified" }[1]
    assert.is_nil(cache.bytes)
    assert.matches("No such file", cache.bytes_why)
    assert.equal("Unified", cache.type)
  end)

  it("have sizes with the factor 1024", function()
    local bytes <const> = { ["1048576K"] = GiB, ["512"] = 512, ["3M"] = 3 * MiB, ["2G"] = 2 * GiB }
    for text, expected in pairs(bytes) do
      assert.equal(expected, caches_of({ ["index3/level"] = "3", ["index3/size"] = text })[1].bytes)
    end
    for _, text in ipairs { "K", "3k", "3T", "-3K", "3.5M" } do
      assert.is_nil(caches_of({ ["index3/level"] = "3", ["index3/size"] = text })[1].bytes)
    end
  end)

  it("are what the C library knows where sysfs lists none", function()
    assert.same({
      { level = 1, type = "Data", bytes = 49152, line_bytes = 128, source = "sysconf" },
      { level = 3, type = "Unified", bytes = 8 * MiB, source = "sysconf" },
    }, caches_of({}, { l1d_bytes = 49152, l3_bytes = 8 * MiB, line_bytes = 128 }))
  end)

  it("are unknown where neither knows of any", function()
    local list <const>, why <const> = caches_of({}, { line_bytes = 64 })
    assert.is_nil(list)
    assert.is_string(why)
  end)
end)

describe("an eviction", function()
  local function unified(level, bytes, shared_cpus)
    return { level = level, type = "Unified", bytes = bytes, shared_cpus = shared_cpus or "0-7" }
  end

  it("goes through twice the last-level cache", function()
    local bytes <const>, why <const> =
      caches.evict_bytes({ unified(2, MiB), unified(3, 96 * MiB) }, 64 * GiB)
    assert.equal(192 * MiB, bytes)
    assert.equal("twice the level 3 cache, 96 MiB", why)
  end)

  it("goes through 64 MiB at least, also where no cache is known", function()
    local bytes <const>, why <const> = caches.evict_bytes({ unified(3, 8 * MiB) }, 64 * GiB)
    assert.equal(64 * MiB, bytes)
    assert.matches("level 3 cache, 8 MiB", why)
    assert.equal(64 * MiB, (caches.evict_bytes({}, nil)))
    assert.equal(64 * MiB, (caches.evict_bytes({ { level = 3, bytes_why = "0K" } }, 64 * GiB)))
  end)

  it("does not believe a guest that reports the cache of its host", function()
    local bytes <const>, why <const> =
      caches.evict_bytes({ unified(2, 40 * MiB, "0"), unified(3, 508 * MiB, "0-1") }, 24 * GiB)
    assert.equal(80 * MiB, bytes)
    assert.equal("twice the level 2 cache, 40 MiB; not believed: level 3 cache, 508 MiB, which is"
      .. " more than 64 MiB for each of 2 CPUs", why)
  end)

  it("believes the largest caches that there are", function()
    local function doubled(cache)
      return 2 * cache.bytes == caches.evict_bytes({ cache }, 256 * GiB)
    end
    assert.is_true(doubled(unified(3, 96 * MiB, "0-1")))
    assert.is_true(doubled(unified(3, 504 * MiB, "0-127")))
    assert.is_true(doubled(unified(3, 96 * MiB, "0")))
  end)

  it("does not take more than half of the memory", function()
    assert.equal(64 * MiB, (caches.evict_bytes({ unified(3, 96 * MiB) }, 256 * MiB)))
    assert.equal(192 * MiB, (caches.evict_bytes({ unified(3, 96 * MiB) }, 384 * MiB)))
  end)

  it("asks how many CPUs are online where a cache does not tell who shares it", function()
    local function evict_bytes_with(online)
      local sys <close> = tree.new { ["devices/system/cpu/online"] = online }
      kernel.read_from { sys = sys.path }
      local bytes <const> = caches.evict_bytes({ { level = 3, bytes = 320 * MiB } }, 64 * GiB)
      kernel.read_from {}
      return bytes
    end
    assert.equal(64 * MiB, evict_bytes_with "0-3")
    assert.equal(640 * MiB, evict_bytes_with "0-4")
  end)

  it("does not count caches of instructions", function()
    local instructions <const> = { level = 1, type = "Instruction", bytes = 64 * MiB }
    assert.equal(64 * MiB, (caches.evict_bytes({ instructions }, 64 * GiB)))
  end)
end)
