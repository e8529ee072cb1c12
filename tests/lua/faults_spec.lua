local analysis <const> = require "frlua.analysis"
local fakes <const> = require "fakes"
local faults <const> = require "frlua.faults"
local fr <const> = require "frlua"
local json <const> = require "frlua.json"

local page <const> = fr.machine.page_bytes

-- Samples of one arm with so many faults each; `huge`: AnonHugePages of the buffer.
local function samples_of(arm, counts, huge)
  local samples <const> = {}
  for round, count in ipairs(counts) do
    samples[round] = fakes.sample(arm, round, { 4, 3, 2, 1 }, count)
    samples[round].evidence.regions = json.array {
      { region = "buffer", bytes = 16 * page, anon_huge_bytes = huge },
    }
  end
  return samples
end

-- The account of an arm's "faults" over a buffer of 16 pages.
local function account(arm, samples, machine, changes)
  local fields <const> = { regions = { fr.region "buffer" { bytes = 16 * page } } }
  for name, value in pairs(changes or {}) do fields[name] = value end
  local experiment <const> = fakes.experiment(fields)
  local design <const> = fakes.document(experiment, samples).design
  local values <const> = analysis.values(design, samples)
  for _, one in ipairs(faults.account(design, samples, values, machine or {})) do
    if one.arm == arm then return one end
  end
end

describe("an account of faults", function()
  it("has nothing to explain where every process had what was expected", function()
    assert.same({ arm = "natural", metric = "faults", expected = 16, seen = { exact = 16 } },
      account("natural", samples_of("natural", { 16, 16, 16 })))
    assert.same({ arm = "warm", metric = "faults", expected = 0, seen = { exact = 0 } },
      account("warm", samples_of("warm", { 0, 0, 0 })))
  end)

  it("names the huge pages that the kernel says it gave", function()
    local found <const> = account("natural", samples_of("natural", { 1, 1, 1 }, 16 * page),
      { thp = "always", mthp = { ["64 KiB"] = "always" } })
    assert.same({ 16, { exact = 1 } }, { found.expected, found.seen })
    assert.equal("huge pages: " .. fr.units.bytes(16 * page) .. " of 'buffer' are AnonHugePages in"
      .. " smaps, one fault maps one of them", found.why)
  end)

  it("infers multi-size huge pages from settings, and says that it does", function()
    local found <const> = account("natural", samples_of("natural", { 4, 4, 4 }, 0), {
      thp = "always", huge_page_bytes = 2097152,
      mthp = { ["64 KiB"] = "always", ["32 KiB"] = "inherit", ["2 MiB"] = "always",
        ["128 KiB"] = "madvise" },
    })
    assert.equal("multi-size huge pages, inferred from settings (32 KiB inherit, 64 KiB always):"
      .. " smaps has no field for them", found.why)
  end)

  it("infers nothing from settings that are not in force", function()
    local unknown <const> = "fewer than one fault a page, for a reason that was not read back"
    local few <const> = samples_of("natural", { 4, 4, 4 }, 0)
    assert.equal(unknown, account("natural", few).why)
    assert.equal(unknown, account("natural", few, { mthp = {} }).why)
    assert.equal(unknown, account("natural", few, {
      thp = "madvise", mthp = { ["64 KiB"] = "inherit", ["32 KiB"] = "madvise" },
    }).why)
    local advised <const> = {
      regions = { fr.region "buffer" { bytes = 16 * page, advise = "hugepage" } },
    }
    assert.matches("inferred from settings (32 KiB madvise, 64 KiB inherit)", account("natural",
      few, { thp = "madvise", mthp = { ["64 KiB"] = "inherit", ["32 KiB"] = "madvise" } },
      advised).why, 1, true)
  end)

  it("gives every count that occurred, and how many processes had more", function()
    local found <const> = account("natural", samples_of("natural", { 16, 18, 17 }))
    assert.same({ values = { 16, 17, 18 } }, found.seen)
    assert.equal("2 of 3 processes had more, for a reason that was not read back", found.why)
    assert.equal("1 of 3 processes had more, for a reason that was not read back",
      account("warm", samples_of("warm", { 0, 0, 1 })).why)
  end)

  it("does not blame huge pages for more faults than expected", function()
    assert.equal("1 of 1 processes had more, for a reason that was not read back",
      account("natural", samples_of("natural", { 17 }, 16 * page)).why)
  end)

  it("expects none in a later iteration", function()
    local late <const> = { metrics = { fr.metric "later" { faults_at = 2 } } }
    assert.equal(0, account("natural", samples_of("natural", { 16 }), nil, late).expected)
  end)

  it("is silent where nothing can be expected, or nothing was seen", function()
    local strided <const> = { timed = { fr.write { "buffer", every = 2 * page } },
      arms = fr.modes { "natural" } }
    assert.is_nil(account("natural", samples_of("natural", { 8 }), nil, strided))
    assert.is_nil(account("natural", { fakes.lost("natural", 1, "timed out") }))
  end)
end)
