local core <const> = require "frlua.core"
local fakes <const> = require "fakes"
local fr <const> = require "frlua"
local job <const> = require "frlua.job"
local told <const> = require "sessions".told

local page <const> = fr.machine.page_bytes

local function arm_of(...)
  local arm <const> = { name = "arm", phases = {} }
  for number, ops in ipairs { ... } do
    arm.phases[number] = { name = "p" .. number, ops = ops, iterations = 2, timed = true }
  end
  return arm
end

describe("streaming", function()
  local has_stores <const> = core.has_stream_stores

  after_each(function() core.has_stream_stores = has_stores end)

  it("is refused at the script's line where no such stores are known", function()
    core.has_stream_stores = function() return false end
    assert.equal("user.lua:3: fr.stream needs non-temporal stores, and frlua knows none of "
      .. fr.machine.arch .. ": fr.write { …, every = 'word' } stores words by way of the caches",
      told "\nfr.stream 'buffer'")
  end)

  if not has_stores() then return end

  it("is of words, with a value that may be given", function()
    local op <const> = fr.stream { "buffer", value = -7 }
    assert.same({ "op", "stream", "buffer", "word", -7 },
      { op.kind, op.code, op.region, op.every, op.value })
    assert.equal(1, fr.stream "buffer".value)
  end)

  it("takes no stride, and no second region", function()
    assert.equal("user.lua:3: unknown key 'every' in fr.stream: known are 'value'",
      told "\nfr.stream { 'buffer', every = 'line' }")
    assert.matches("^user%.lua:3: entry 2 of fr%.stream is one too many",
      told "\nfr.stream { 'a', 'b' }")
    assert.matches("^user%.lua:3: value in fr%.stream must be a whole number, not 0%.5$",
      told "\nfr.stream { 'a', value = 0.5 }")
  end)

  it("is refused of a region that has no word", function()
    assert.matches("fr%.stream works on words of 8 bytes, region 'b' has 7", told [[
return fr.experiment "e" {
  regions = { fr.region "b" { bytes = 7 } }, metrics = { fr.metric "m" { at = 1 } },
  arms = { fr.arm "a" { fr.phase "p" { fr.stream "b" } } },
}]])
  end)

  it("writes every whole word, by the same code in a script and in a worker", function()
    local region <close> = assert(fr.map { bytes = 3 * page + 7 })
    assert(fr.time(fr.stream { region, value = 5 }))
    local words <const> = assert(fr.time(fr.read { region, every = "word" })).sum
    assert.equal(5 * 3 * page // 8, words)
    local plain <const> = job.plain(arm_of { fr.stream { "b", value = 5 },
      fr.read { "b", every = "word" } }, { fr.region "b" { bytes = 3 * page + 7 } }, fr.clock.id)
    local outcome <const> = assert(core.sample(plain, core.allowed_cpus()[1], 10000000000))
    assert.equal(2 * words, outcome.checksum)
  end)

  it("takes the faults of a write of words", function()
    if fakes.is_sanitized then pending "a sanitizer takes faults of its own" end
    local regions <const> = { fr.region "b" { bytes = 9 * page + 7, advise = "nohugepage" } }
    for number, case in ipairs {
      { 9, { fr.stream "b" } },
      { 0, { fr.stream "b" }, { fr.write { "b", every = "word" } } },
      { 9, { fr.read { "b", every = "word" } }, { fr.stream "b" } }, -- pages of zeros before
    } do
      local plain <const> = job.plain(arm_of(table.unpack(case, 2)), regions, fr.clock.id)
      local last <const> = #plain.phases
      assert.equal(case[1], job.expected_faults(plain, last), "case " .. number)
      local outcome <const> = assert(core.sample(plain, core.allowed_cpus()[1], 10000000000))
      local first <const> = outcome.phases[last].minor_faults[1]
      assert.equal(case[1], first and first[1] == 1 and first[2] or 0, "case " .. number)
    end
  end)
end)
