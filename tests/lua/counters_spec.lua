local core <const> = require "frlua.core"
local counters <const> = require "frlua.counters"
local kernel <const> = require "frlua.kernel"
local tree <const> = dofile "tests/lua/data/tree.lua"

local interrupts <const> = [[
           CPU0       CPU2       CPU3
  1:          9          4          0   IO-APIC   1-edge      i8042
 24:          0    1000000          5  PCI-MSIX-0000:00:01.0   0-edge      virtio0-config
NMI:          1          2          3   Non-maskable interrupts
LOC:       1000       2000       3000   Local timer interrupts
ERR:          7
MIS:          0
]]

describe("interrupts of one CPU", function()
  it("are the sum of the column that bears its name", function()
    assert.equal(1010, counters.column_sum(interrupts, 0))
    assert.equal(1002006, counters.column_sum(interrupts, 2)) -- in the second column
    assert.equal(3008, counters.column_sum(interrupts, 3))
  end)

  it("do not include what is counted for all CPUs together", function()
    assert.equal(12, counters.column_sum("   CPU0\n1:  12   x\nERR:   7\nMIS:  5\n", 0))
    assert.equal(3, counters.column_sum("   CPU0   CPU1\n1:  3  4\nodd:  99\n", 0))
  end)

  it("are unknown for a CPU without a column", function()
    local sum <const>, why <const> = counters.column_sum(interrupts, 1)
    assert.is_nil(sum)
    assert.equal("no column for CPU 1", why)
    assert.is_nil((counters.column_sum("", 0)))
  end)

  it("are found among hundreds of CPUs", function()
    local header <const>, first <const>, second <const> = {}, {}, {}
    for cpu = 0, 299 do
      header[cpu + 1] = ("CPU%-8d"):format(cpu)
      first[cpu + 1], second[cpu + 1] = ("%10d"):format(cpu), ("%10d"):format(1000)
    end
    local text <const> = ("        %s\n  1: %s  x 3-edge\n  2: %s\nERR:   5\n"):format(
      table.concat(header), table.concat(first, " "), table.concat(second, " "))
    for _, cpu in ipairs { 0, 31, 32, 63, 64, 255, 299 } do
      assert.equal(1000 + cpu, counters.column_sum(text, cpu))
    end
  end)
end)

describe("ticks of a CPU", function()
  it("are stolen by the eighth number, and those of guests are not counted twice", function()
    local steal <const>, total <const> = counters.ticks "cpu  1000 0 500 8000 10 0 5 100 40 0"
    local steal_after <const>, total_after <const> =
      counters.ticks "cpu  1100 0 520 8200 10 0 5 400 50 0"
    assert.equal(300, steal_after - steal)
    assert.equal(620, total_after - total)
  end)

  it("stolen are unknown where a kernel does not count them", function()
    assert.is_nil((counters.ticks "cpu  1000 0 500 8000 10 0 5"))
    local steal <const>, why <const> = counters.steal_ticks("cpu  9\ncpu0 1 0 5 8 10 0 5\n", 0)
    assert.is_nil(steal)
    assert.equal("this kernel does not count it", why)
  end)

  it("are those of the CPU's own line", function()
    local text <const> = "cpu  9 9 9 9 9 9 9 99\ncpu1 1 1 1 1 1 1 1 11\ncpu11 2 2 2 2 2 2 2 22\n"
    assert.equal(11, counters.steal_ticks(text, 1))
    assert.equal(22, counters.steal_ticks(text, 11))
    local steal <const>, why <const> = counters.steal_ticks(text, 0)
    assert.is_nil(steal)
    assert.equal("no line for CPU 0", why)
  end)
end)

describe("a reading", function()
  it("holds what the three files say of the CPU", function()
    local proc <close> = tree.new {
      interrupts = interrupts,
      softirqs = "       CPU0 CPU1 CPU2 CPU3\n   HI: 1 2 3 4\nTIMER: 10 20 30 40",
      stat = "cpu  9\ncpu2 1 2 3 4 5 6 7 8 9 10\nintr 5",
    }
    kernel.read_from { proc = proc.path }
    local reading <const> = counters.read(2)
    kernel.read_from {}
    assert.same({ interrupts = 1002006, softirqs = 33, steal_ticks = 8 }, reading)
  end)

  it("lacks what can't be read, and says why", function()
    local proc <close> = tree.new { softirqs = "   CPU0\nHI:  5", stat = "cpu 1" }
    kernel.read_from { proc = proc.path }
    local reading <const> = counters.read(0)
    kernel.read_from {}
    assert.same({
      interrupts_why = ("cannot read '%s/interrupts': No such file or directory"):format(proc.path),
      softirqs = 5,
      steal_ticks_why = "/proc/stat: no line for CPU 0",
    }, reading)
  end)

  it("of this machine has interrupts that do not go back", function()
    local cpu <const> = core.allowed_cpus()[1]
    local before <const> = counters.read(cpu)
    local difference <const> = counters.difference(before, counters.read(cpu))
    assert.is_true(before.interrupts == nil or difference.interrupts >= 0)
    assert.is_true(before.interrupts ~= nil or before.interrupts_why ~= nil)
  end)
end)

describe("the difference of two readings", function()
  local tick_ns <const> = 1000000000 // core.sizes().ticks_per_second

  it("is in counts, and stolen time in nanoseconds", function()
    assert.same({ interrupts = 5, softirqs = 0, steal_ns = 3 * tick_ns },
      counters.difference({ interrupts = 10, softirqs = 7, steal_ticks = 100 },
        { interrupts = 15, softirqs = 7, steal_ticks = 103 }))
  end)

  it("is unusable where a counter went backwards", function()
    local difference <const> = counters.difference(
      { interrupts = 10, softirqs = 7, steal_ticks = 900 },
      { interrupts = 9, softirqs = 8, steal_ticks = 400 })
    assert.same({
      interrupts_why = "went backwards, from 10 to 9: unusable",
      softirqs = 1,
      steal_ns_why = "went backwards, from 900 to 400: unusable",
    }, difference)
  end)

  it("is unknown where a reading is", function()
    assert.same({ interrupts_why = "a", softirqs_why = "b", steal_ns_why = "c" },
      counters.difference({ interrupts_why = "a", softirqs = 1, steal_ticks_why = "c" },
        { interrupts = 1, softirqs_why = "b", steal_ticks_why = "c" }))
  end)

  it("is unknown where the length of a tick is", function()
    stub(core, "sizes", function() return {} end)
    local reading <const> = { interrupts = 1, softirqs = 1, steal_ticks = 1 }
    local difference <const> = counters.difference(reading, reading)
    core.sizes:revert()
    assert.is_nil(difference.steal_ns)
    assert.equal("the length of a tick is unknown", difference.steal_ns_why)
  end)
end)
