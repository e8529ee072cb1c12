local kernel <const> = require "frlua.kernel"
local look <const> = require "frlua.look"
local tree <const> = dofile "tests/lua/data/tree.lua"

local function stat(line)
  return ("cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 0 0 0 0 0 0 0 0 0 0\ncpu1 %s\n"):format(line)
end

-- What became of CPU 1's time.
local function between(before, after)
  return look.between(stat(before), stat(after), 1)
end

describe("a look at a CPU", function()
  it("tells which share others took, and which the hypervisor", function()
    -- Of 620 ticks 200 were idle and 300 stolen; those of guests are in user's 100 already.
    local seen <const> =
      between("1000 0 500 8000 10 0 5 100 40 0", "1100 0 520 8200 10 0 5 400 50 0")
    assert.near(120 / 620, seen.busy_share, 1e-12)
    assert.near(300 / 620, seen.steal_share, 1e-12)
  end)

  it("takes waiting for a disk as idle", function()
    local seen <const> = between("0 0 0 0 0 0 0 0", "1 0 0 0 3 0 0 0")
    assert.equal(0.25, seen.busy_share)
    assert.equal(0.0, seen.steal_share)
  end)

  it("knows no steal time where the kernel counts none", function()
    local seen <const> = between("1000 0 500 8000 10 0 5", "1100 0 520 8200 10 0 5")
    assert.is_nil(seen.steal_share)
    assert.is_string(seen.steal_share_why)
    assert.near(120 / 320, seen.busy_share, 1e-12)
  end)

  it("is unusable where a counter ran backwards", function()
    local seen <const> = between("1000 0 500 8000 10 0 5 900", "1100 0 520 8900 10 0 5 400")
    assert.is_nil(seen.steal_share)
    assert.is_nil(seen.busy_share)
    assert.matches("backwards", seen.steal_share_why)
  end)

  it("shows nothing where nothing moved, or the CPU has no line", function()
    assert.matches("did not move", between("1 2 3 4 5 6 7 8", "1 2 3 4 5 6 7 8").busy_share_why)
    local none <const> = look.between(stat "1 2 3 4 5", stat "1 2 3 4 5", 2)
    assert.is_nil(none.busy_share)
    assert.matches("no line for CPU 2", none.busy_share_why)
  end)

  it("does not wait where /proc is hidden", function()
    local root <close> = tree.new {}
    kernel.read_from { proc = root.path }
    local looks <const> = look.take({ 0 }, 3600000)
    kernel.read_from {}
    assert.is_nil(looks[0].busy_share)
    assert.matches("No such file", looks[0].busy_share_why)
  end)
end)
