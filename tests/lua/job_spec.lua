local core <const> = require "frlua.core"
local cpus <const> = require "frlua.cpus"
local fakes <const> = require "fakes"
local fr <const> = require "frlua"
local job <const> = require "frlua.job"

local page <const>, line <const> = fr.machine.page_bytes, fr.machine.line_bytes

-- An arm of timed phases, each a list of operations.
local function arm_of(...)
  local arm <const> = { name = "arm", phases = {} }
  for number, ops in ipairs { ... } do
    arm.phases[number] = { name = "p" .. number, ops = ops, iterations = 2, timed = true }
  end
  return arm
end

-- A region of base pages only, whatever the machine's policy is.
local function region(name, bytes, fill)
  return fr.region(name) { bytes = bytes, fill = fill, advise = "nohugepage" }
end

-- What a job lets one expect of iteration 1 of its last phase.
local function expected(regions, ...)
  local arm <const> = arm_of(...)
  return job.expected_faults(job.plain(arm, regions), #arm.phases)
end

describe("a job", function()
  it("is what the operations mean on this machine", function()
    local regions <const> = { region("a", 10 * page, "index"), region("b", 3 * page) }
    local plain <const> = job.plain(arm_of {
      fr.write { "b", every = "word", value = 9 }, fr.read { "a", every = "line" }, fr.read "a",
      fr.write { "b", every = 24 }, fr.evict { bytes = 1000 },
      fr.sleep { ms = 2 }, fr.affine { to = "b", from = "a", mul = 3, add = 4 },
    }, regions, 4)
    assert.equal(4, plain.clock)
    assert.same({
      { code = "write", region = 2, stride = 8, value = 9 },
      { code = "read", region = 1, stride = line, value = 1 },
      { code = "read", region = 1, stride = page, value = 1 },
      { code = "write", region = 2, stride = 24, value = 1 },
      { code = "evict", amount = 1000, stride = line },
      { code = "sleep", amount = 2000000 },
      { code = "affine", region = 2, from = 1, amount = 3 * page // 8, mul = 3, value = 4 },
    }, plain.phases[1].ops)
    assert.same({ 1, 0 }, { plain.regions[1].fill_index, plain.regions[2].fill_index })
    assert.equal(core.advice_number "nohugepage", plain.regions[1].advice)
  end)

  it("has shorter pauses in a quick run, and nothing else", function()
    local pauses <const> = { fr.sleep { ms = 300 }, fr.spin { ms = 20 }, fr.evict { bytes = 70 } }
    local phase <const> = job.plain(arm_of(pauses), {}, 0, 10).phases[1]
    local ops <const> = phase.ops
    assert.same({ 30000000, 2000000, 70 }, { ops[1].amount, ops[2].amount, ops[3].amount })
    assert.equal(2, phase.iterations)
  end)

  it("computes what its operations say", function()
    local regions <const> = { region("in", 100 * 8, "index"), region("out", 100 * 8) }
    local plain <const> = job.plain(arm_of {
      fr.affine { to = "out", from = "in", mul = 3, add = 1 },
    }, regions, fr.clock.id)
    local outcome <const> = assert(core.sample(plain, (cpus.choose()), 10000000000))
    assert.equal(3 * (99 * 100 // 2) + 100, outcome.checksum)
  end)
end)

describe("the faults that a job lets one expect", function()
  it("are one for each page that nothing touched before", function()
    local input <const>, output <const> = region("in", 512 * 1024, "index"),
      region("out", 512 * 1024)
    local kernel <const> = { fr.affine { to = "out", from = "in", mul = 3, add = 1 } }
    local pages <const> = 512 * 1024 // page
    assert.equal(pages, expected({ input, output }, kernel))
    assert.equal(2 * pages, expected({ region("in", 512 * 1024), output }, kernel))
    assert.equal(0, expected({ input, output }, { fr.write { "out", every = "word" } }, kernel))
    assert.equal(0, expected({ input, output }, kernel, kernel))
    if page == 4096 then assert.equal(128, expected({ input, output }, kernel)) end
  end)

  it("are counted up to the last page that is touched", function()
    local cases <const> = { { page, 1 }, { page + 1, 2 }, { 3 * page - 1, 3 }, { 1, 1 } }
    for _, case in ipairs(cases) do
      for _, every in ipairs { "page", "line", 1 } do
        assert.equal(every == "line" and (case[1] - 1) // line * line // page + 1 or case[2],
          expected({ region("b", case[1]) }, { fr.write { "b", every = every } }))
      end
    end
    -- Only whole words are written: the byte behind the last one is not.
    assert.equal(1, expected({ region("b", page + 7) }, { fr.write { "b", every = "word" } }))
    assert.equal(2, expected({ region("b", page + 8) }, { fr.write { "b", every = "word" } }))
    -- 0, 3000 and nothing on the second page.
    assert.equal(1, expected({ region("b", page + 1) }, { fr.write { "b", every = page - 1000 } }))
  end)

  it("are those of the words that a kernel has in both of its regions", function()
    local regions <const> = { region("a", 10 * page), region("b", 4 * page) }
    local kernel <const> = { fr.affine { to = "b", from = "a" } }
    assert.equal(4 + 4, expected(regions, kernel))
    -- Of "a" four pages were only read, and six not at all.
    assert.equal(10, expected(regions, kernel, { fr.write "a", fr.write "b" }))
  end)

  it("come twice where a page is read before it is written", function()
    local regions <const> = { region("b", 5 * page) }
    assert.equal(5, expected(regions, { fr.read "b" }))
    assert.equal(5 + 5, expected(regions, { fr.read "b", fr.write "b" }))
    assert.equal(5, expected(regions, { fr.read "b" }, { fr.write "b" }))
    assert.equal(0, expected(regions, { fr.write "b" }, { fr.read "b" }))
    assert.equal(0, expected(regions, { fr.read "b" }, { fr.read "b" }))
  end)

  it("are none of pages that the region's fill or advice made resident", function()
    local b <const> = fr.region "b"
    assert.equal(0, expected({ b { bytes = 4 * page, fill = "index" } }, { fr.write "b" }))
    assert.equal(0, expected({ b { bytes = 4 * page, advise = "populate_write" } },
      { fr.write "b" }))
    assert.equal(4, expected({ b { bytes = 4 * page, advise = "populate_read" } },
      { fr.write "b" }))
    assert.equal(0, expected({ b { bytes = 4 * page, advise = "populate_read" } }, { fr.read "b" }))
  end)

  it("are unknown when an operation leaves pages out", function()
    local regions <const> = { region("b", 8 * page) }
    assert.is_nil(expected(regions, { fr.write { "b", every = 2 * page } }))
    assert.is_nil(expected(regions, { fr.write { "b", every = page + 1 } }, { fr.write "b" }))
    assert.equal(8, expected(regions, { fr.write { "b", every = page } }))
  end)

  it("are none of pauses and evictions", function()
    assert.equal(0, expected({}, { fr.sleep { ms = 1 }, fr.spin { ms = 1 }, fr.evict {} }))
  end)

  it("are those that a worker takes", function()
    if fakes.is_sanitized then pending "a sanitizer takes faults of its own" end
    local jobs <const> = {
      { { region("a", 16 * page), region("b", 6 * page + 5) }, { fr.read "a", fr.write "b" },
        { fr.affine { to = "a", from = "b" } } },
      { { region("b", 9 * page + 7) }, { fr.write { "b", every = "word" } }, { fr.write "b" } },
      { { region("b", 9 * page) }, { fr.read "b", fr.write "b" }, { fr.write "b" } },
      { { region("b", page + 1) }, { fr.write { "b", every = page - 1000 } }, { fr.write "b" } },
      { { fr.region "b" { bytes = 7 * page, advise = "populate_read" } }, { fr.write "b" } },
      { { fr.region "b" { bytes = 7 * page, advise = "populate_write" } }, { fr.write "b" } },
      { { region("b", 12 * page, "index") }, { fr.write { "b", every = "line" } } },
    }
    for number, case in ipairs(jobs) do
      local plain <const> = job.plain(arm_of(table.unpack(case, 2)), case[1], fr.clock.id)
      local outcome <const> = assert(core.sample(plain, (cpus.choose()), 10000000000))
      for phase, readings in ipairs(outcome.phases) do
        local first <const> = readings.minor_faults[1]
        assert.equal(job.expected_faults(plain, phase), first and first[1] == 1 and first[2] or 0,
          ("job %d, phase %d"):format(number, phase))
        assert.is_nil(readings.minor_faults[2])
      end
    end
  end)
end)

describe("the stride of an operation", function()
  it("is this machine's, or the bytes that were given", function()
    assert.same({ 8, line, page, 24 },
      { job.stride "word", job.stride "line", job.stride "page", job.stride(24) })
  end)
end)

describe("the room of a sample", function()
  -- A worker's own limits are those that experiments are checked against.
  local function sample(regions, ops, phases)
    local plain <const> = { clock = fr.clock.id, regions = {}, phases = {} }
    for number = 1, regions do plain.regions[number] = { bytes = 1 } end
    for number = 1, phases do
      plain.phases[number] = { ops = {}, iterations = 1, timed = true }
      for op = 1, ops do
        plain.phases[number].ops[op] = { code = "write", region = 1, stride = 1, value = 0 }
      end
    end
    return pcall(core.sample, plain, (cpus.choose()), 10000000000)
  end

  it("has no region but the job's, and needs none for what works on none", function()
    local function refusal(regions, op)
      local plain <const> = { clock = fr.clock.id, regions = {},
        phases = { { ops = { op }, iterations = 1, timed = true } } }
      for number = 1, regions do plain.regions[number] = { bytes = 8 } end
      local ok <const>, why <const> = pcall(core.sample, plain, (cpus.choose()), 10000000000)
      return not ok and why:match "an operation's region is not in the job"
    end
    for _, op in ipairs { { code = "read", region = 2 }, { code = "read", region = 0 },
      { code = "read" , region = -1 }, { code = "affine", region = 1, from = 2 } } do
      assert.truthy(refusal(1, op))
    end
    assert.truthy(refusal(0, { code = "write" }))
    for _, code in ipairs { "sleep", "spin", "evict" } do
      assert.is_false(refusal(0, { code = code, amount = 1 }))
    end
  end)

  it("is as large as the core's", function()
    assert.is_true(sample(16, 128, 1))
    assert.is_true(sample(16, 2, 64))
    assert.is_false(sample(17, 1, 1))
    assert.is_false(sample(1, 129, 1))
    assert.is_false(sample(1, 1, 65))
  end)
end)
