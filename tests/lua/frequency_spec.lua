local core <const> = require "frlua.core"
local frequency <const> = require "frlua.frequency"
local tree <const> = dofile "tests/lua/data/tree.lua"

-- A file with the registers where the device has them: one byte apart, so that they overlap.
local function device(root, bytes)
  local path <const> = root.path .. "/msr"
  local file <close> = assert(io.open(path, "wb"))
  assert(file:write(("\0"):rep(0xE7), bytes))
  return path
end

describe("the counters of a core's clock", function()
  it("are read from their registers, 8 bytes each, the lowest first", function()
    local root <close> = tree.new()
    local path <const> = device(root, "\1\2\0\0\0\0\0\0\3")
    assert.same({ mperf = 0x0201, aperf = 0x0300000000000002 },
      frequency.counters(path))
  end)

  it("are unknown, with the reason, where there are none", function()
    local none, why = frequency.counters "/nonexistent/msr"
    assert.is_nil(none)
    assert.equal("/nonexistent/msr: No such file or directory", why)
    local root <close> = tree.new()
    local path <const> = device(root, "\1\2")
    none, why = frequency.counters(path)
    assert.is_nil(none)
    assert.equal(("cannot read register E7 of '%s': it ends before"):format(path), why)
  end)

  it("tell how many times the nominal clock there was, also past 2^64", function()
    assert.equal(1.5, frequency.ratio({ aperf = 100, mperf = 50 }, { aperf = 400, mperf = 250 }))
    assert.equal(2, frequency.ratio({ aperf = -100, mperf = math.maxinteger },
      { aperf = 100, mperf = math.mininteger + 99 }))
  end)

  it("tell nothing when they stand still", function()
    local none <const>, why <const> =
      frequency.ratio({ aperf = 1, mperf = 7 }, { aperf = 4, mperf = 7 })
    assert.is_nil(none)
    assert.equal("the counters do not move forward: APERF by 3, MPERF by 0", why)
  end)

  it("are read before and after what a child does on that CPU", function()
    local root <close> = tree.new()
    local path <const> = device(root, "\0\0\0\0\0\0\0\0\0")
    local cpu <const> = core.allowed_cpus()[1]
    assert.equal(2 / 512, (frequency.during(cpu, function()
      device(root, "\0\2\0\0\0\0\0\0\0") -- of MPERF it is the second byte, of APERF the first
    end, path)))
    local ran = false
    local none <const>, why <const> = frequency.during(cpu, function() ran = true end,
      "/nonexistent/msr")
    assert.same({ false, "/nonexistent/msr: No such file or directory" }, { ran, why })
    assert.is_nil(none)
  end)
end)
