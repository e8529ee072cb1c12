local fr <const> = require "frlua"
local sessions <const> = require "sessions"

local exactly <const>, told <const> = sessions.exactly, sessions.told
local page <const> = fr.machine.page_bytes

local function map(pages)
  return assert(fr.map { bytes = pages * page, advise = "nohugepage" })
end

describe("fr.clock", function()
  it("reads whole nanoseconds that do not go back", function()
    local first <const>, second <const> = fr.clock(), fr.clock()
    assert.equal("integer", math.type(first))
    assert.is_true(second >= first)
  end)

  it("goes as fast as time does", function()
    local time <const> = require "posix.time"
    local function now()
      local monotonic <const> = time.clock_gettime(time.CLOCK_MONOTONIC)
      return monotonic.tv_sec * 1000000000 + monotonic.tv_nsec
    end
    local start_ns <const>, start <const> = now(), fr.clock()
    assert(os.execute "sleep 0.1")
    local ratio <const> = (fr.clock() - start) / (now() - start_ns)
    assert.is_true(ratio > 0.9 and ratio < 1.1)
  end)

  it("says which clock it is, and what was measured of it", function()
    assert.matches("^CLOCK_MONOTONIC", fr.clock.source)
    assert.equal("boolean", type(fr.clock.vdso))
    assert.is_true(fr.clock.getres_ns >= 1)
    assert.is_true(fr.clock.read_ns > 0)
    assert.is_true(fr.clock.step_ns >= 1)
    assert.equal(fr.clock.vdso, fr.clock.read_ns < fr.clock.syscall_read_ns / 2)
  end)

  it("names the field that was meant", function()
    assert.matches("^user%.lua:2: unknown field 'readns' in fr%.clock: did you mean 'read_ns'%?",
      told "return fr.clock.readns")
  end)
end)

describe("fr.time", function()
  it("has one reading an iteration, and lists only iterations with faults", function()
    exactly({ 5, { { 1, 32 } }, {} }, function()
      local m <close> = map(32)
      local times <const> = fr.time(fr.write { m, every = "word" }, 5)
      return { #times.ns, times.minor_faults, times.major_faults }
    end)
    local m <close> = map(1)
    assert.equal(1, #fr.time(fr.read { m }).ns)
  end)

  it("computes mul * in + add on every word", function()
    local input <close> = map(2)
    local output <close> = map(2)
    local words <const> = input.bytes // 8
    input:fill()
    for mul = 0, 7 do -- small multipliers have loops of their own
      fr.time(fr.affine { to = output, from = input, mul = mul, add = 5 })
      assert.equal(mul * (words * (words - 1) // 2) + 5 * words, output:read("word").sum)
    end
  end)

  it("charges the first write of the output to iteration 1", function()
    local input <close> = map(16)
    input:fill()
    exactly({ { 1, 16 } }, function()
      local output <close> = map(16)
      local kernel <const> = fr.affine { to = output, from = input, mul = 3, add = 1 }
      return fr.time(kernel, 100).minor_faults
    end)
  end)

  it("runs a list of operations in each iteration, and pauses as long as it is told", function()
    local m <close> = map(4)
    local times <const> = fr.time({ fr.write { m }, fr.spin { ms = 2 }, fr.sleep { ms = 2 } }, 3)
    local shortest <const> = times.ns:bounds()
    assert.is_true(shortest >= 4000000)
    local many <const> = {}
    for index = 1, 40 do many[index] = fr.read { m, every = "word" } end
    m:fill()
    assert.equal(40 * m:read("word").sum, fr.time(many).sum)
  end)

  it("evicts", function()
    assert.equal(2, #fr.time(fr.evict { bytes = "1 MiB" }, 2).ns)
  end)

  it("refuses regions that do not fit, at the script's line", function()
    local two <close> = map(2)
    local one <close> = map(1)
    assert.matches("^user%.lua:2: fr%.time: to and from of fr%.affine are the same region",
      told("fr.time(fr.affine { to = a, from = a })", two))
    local words <const> = page // 8
    assert.equal(
      ("user.lua:3: fr.time: from of fr.affine holds %d words, fewer than the %d of to")
        :format(words, 2 * words),
      told("\nfr.time(fr.affine { to = a, from = b })", two, one))
    assert.equal(1, #fr.time(fr.affine { to = one, from = two }).ns)
  end)

  it("refuses to time words in a region that holds none", function()
    local small <close> = assert(fr.map { bytes = 4 })
    local word <close> = assert(fr.map { bytes = 8 })
    local why <const> =
      "^user%.lua:2: fr%.time: fr%.%l+ works on words of 8 bytes, the region has 4$"
    for _, kernel in ipairs { "fr.time(fr.write { a, every = 'word' })", "a:read 'word'",
      "a:write { every = 8 }", "fr.time(fr.affine { to = a, from = b })" } do
      assert.matches(why, told(kernel, small, word))
    end
    assert.equal(1, small:write().accesses)
    assert.equal(1, word:write("word").accesses)
  end)

  it("refuses what is no open region", function()
    local closed <const> = map(1)
    closed:close()
    assert.matches("^user%.lua:2: fr%.time: the region of fr%.read is closed",
      told("fr.time(fr.read { a })", closed))
    assert.matches("^user%.lua:2: fr%.time: to of fr%.affine must be a region from fr%.map, "
      .. "not 'out'", told "fr.time(fr.affine { to = 'out', from = 'in' })")
    assert.matches("^user%.lua:2: fr%.time: the region of fr%.write must be a region from fr%.map, "
      .. "not a userdata", told("fr.time(fr.write { a })", io.stdout))
  end)

  it("refuses counts of iterations that are none", function()
    local m <close> = map(1)
    for _, count in ipairs { "0", "-1", "1.5", "2^63", "0/0", "1 << 60" } do
      assert.matches("^user%.lua:2: iterations of fr%.time must be a whole number",
        told(("fr.time(fr.read { a }, %s)"):format(count), m))
    end
    assert.equal(4, #fr.time(fr.read { m }, 4.0).ns)
    assert.matches("^user%.lua:2: fr%.time has 1000000000000000 iterations: to record them takes "
      .. "16 bytes each, this machine has ", told("fr.time(fr.read { a }, 1e15)", m))
  end)

  it("refuses kernels that are no operations", function()
    assert.matches("^user%.lua:2: the kernel of fr%.time has no operations", told "fr.time {}")
    assert.matches("^user%.lua:2: the kernel of fr%.time must be given a table, not nil",
      told "fr.time()")
    assert.matches("^user%.lua:2: entry 1 of the kernel of fr%.time is 3: expected operations",
      told "fr.time { 3 }")
  end)
end)
