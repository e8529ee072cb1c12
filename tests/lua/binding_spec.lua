local binding <const> = require "frlua.binding"
local core <const> = require "frlua.core"
local fr <const> = require "frlua"
local first_calls <const> = require "frlua.report.first_calls"

local directory <const> = core.root .. "/lib/frlua/probe/"
local LAZY <const>, NOW <const> = directory .. "call_lazy", directory .. "call_now"

local function samples_of(...)
  local samples <const> = {}
  for round, counts in ipairs { ... } do
    samples[round] = { arm = "a", round = round, status = "ok", readings = {
      slots = counts[1], bound_before = counts[2], bound_after = counts[3] } }
  end
  return samples
end

describe("lazy binding", function()
  it("is there when the file asks for nothing else, and the call bound its slot", function()
    assert.is_nil(binding.not_lazy(LAZY, samples_of({ 9, 2, 3 }, { 9, 2, 3 })))
  end)

  it("is not, when the file is linked with -z now, whatever the processes say", function()
    assert.matches("call_now is not bound lazily, and LD_BIND_NOW can make no difference: asked",
      binding.not_lazy(NOW, samples_of { 9, 2, 3 }), 1, true)
  end)

  it("is not, when one process had bound all before", function()
    assert.equal("all 9 slots were bound before the first call (round 2)",
      binding.not_lazy(LAZY, samples_of({ 9, 2, 3 }, { 9, 9, 9 })))
  end)

  it("is not, when the calls bound nothing", function()
    assert.matches("bound nothing", binding.not_lazy(LAZY, samples_of { 9, 2, 2 }), 1, true)
  end)

  it("is unknown without slots, counts, processes or a file", function()
    assert.matches("no call of the program goes", binding.not_lazy(LAZY, samples_of { 0, 0, 0 }), 1,
      true)
    assert.matches("does not tell", binding.not_lazy(LAZY, samples_of {}), 1, true)
    assert.matches("does not tell", binding.not_lazy(LAZY, samples_of { -1, 0, 0 }), 1, true)
    assert.matches("no process is there", binding.not_lazy(LAZY, {}), 1, true)
    assert.matches("is unknown: cannot read", binding.not_lazy(directory .. "none", {}), 1, true)
  end)

  it("is known to be absent when every slot was bound before", function()
    assert.is_nil(binding.not_now(samples_of({ 9, 9, 9 }, { 9, 9, 9 })))
    assert.equal("7 of 9 slots were not bound before the first call (round 2)",
      binding.not_now(samples_of({ 9, 9, 9 }, { 9, 2, 3 })))
  end)

  it("is counted over processes: what differs is shown", function()
    assert.same({ "9", "2, 4", "1" }, binding.counts(samples_of({ 9, 2, 3 }, { 9, 4, 5 })))
    assert.same({ "0", "0", "0" }, binding.counts(samples_of { 0, 0, 0 }))
    assert.same({ "-", "-", "-" }, binding.counts(samples_of {}))
  end)
end)

describe("the probes", function()
  it("are what their names say, through a procedure linkage table", function()
    for _, name in ipairs { "call", "calls", "libcallers" } do
      for _, wanted in ipairs { "lazy", "now" } do
        local suffix <const> = name == "libcallers" and ".so" or ""
        local file <const> = assert(fr.elf(("%s%s_%s%s"):format(directory, name, wanted, suffix)))
        assert.equal(wanted, file.binding)
        assert.is_true(file.jump_slots >= (name == "call" and 3 or 512))
      end
    end
  end)

  -- random() and the other functions: one call binds one slot. LD_BIND_NOW as ld.so(8) says.
  it("count what was bound, by what LD_BIND_NOW says", function()
    for _, case in ipairs { { nil, 1 }, { "", 1 }, { "0", 0 }, { "1", 0 } } do
      local child <const> = assert(fr.spawn { LAZY, env = { LD_BIND_NOW = case[1] } })
      local readings <const> = fr.json.decode(child.stdout)
      assert.equal(case[2], readings.bound_after - readings.bound_before)
      assert.equal(fr.elf(LAZY).jump_slots, readings.slots)
      assert.equal(case[2] == 0, readings.bound_before == readings.slots)
    end
  end)

  it("call random() three times: its numbers are those that an unseeded one starts with", function()
    local child <const> = assert(fr.spawn { "python3", "-c", "import ctypes\n"
      .. "libc = ctypes.CDLL('libc.so.6')\nlibc.random.restype = ctypes.c_long\n"
      .. "print(sum(libc.random() for _ in range(3)))" })
    local probe <const> = assert(fr.spawn { LAZY, env = {} })
    assert.equal(tonumber(child.stdout), fr.json.decode(probe.stdout).sink)
  end)

  it("call each function of the library once, and once more", function()
    local child <const> = assert(fr.spawn { directory .. "calls_lazy", env = {} })
    local readings <const> = fr.json.decode(child.stdout)
    assert.equal(512, readings.bound_after - readings.bound_before)
    assert.same({ 512, 512 }, { #readings.first_ns, #readings.second_ns })
    assert.equal(2 * (511 * 512 // 2), readings.sink) -- twice 0 + 1 + … + 511
  end)
end)

describe("first calls in a report", function()
  it("are marked when they are shorter than ten steps or readings of the clock", function()
    local least <const> = first_calls.resolution()
    assert.equal(10 * math.max(fr.clock.step_ns, fr.clock.read_ns), least)
    assert.matches("^%d+ ns%*$", first_calls.marked(least - 1))
    assert.matches("^%d+ ns$", first_calls.marked(least + 1))
  end)

  it("are shown as quartiles, with how many processes had a page fault", function()
    local lines <const> = first_calls.distribution({
      { name = "a", ns = { 9000, 1000, 8000, 2000 }, faults = { 1, 0, 2, 0 } },
      { name = "none", ns = {}, faults = {} },
    }, "call")
    assert.matches("a +1000 ns +1000 ns +2000 ns +8000 ns +9000 ns +4 +2", lines[2])
    assert.matches("none +%- +%- +%- +%- +%- +0 +0", lines[3])
  end)
end)
