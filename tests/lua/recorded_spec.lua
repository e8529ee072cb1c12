local claimed <const> = require "claimed"
local fr <const> = require "frlua"

-- Samples of the arms "a" and "b", three each, whose evidence `of` gives.
local function samples_of(of)
  local samples <const> = {}
  for _, arm in ipairs { "a", "b" } do
    for round = 1, 3 do
      samples[#samples + 1] = { arm = arm, round = round, status = "ok", evidence = of(arm, round) }
    end
  end
  return samples
end

local function judged(test, samples)
  return claimed.judge({ fr.claim "it" { test = test } }, { a = { 1, 1, 1 }, b = { 1, 1, 1 } },
    { samples = samples })[1]
end

local function assert_verdict(verdict, reason, found)
  assert.equal(verdict, found.verdict, found.reason)
  assert.matches(reason, found.reason, 1, true)
end

describe("a claim of the same sets", function()
  local SAME <const> = fr.same_sets { "a", "b" }
  local function audited(hash_of)
    return samples_of(function(arm, round)
      local hash <const>, used <const>, fullest <const> = hash_of(arm, round)
      return { layouts = { { region = arm, slots = 8, set_hash = hash, used_sets = used,
        fullest_set = fullest } } }
    end)
  end
  local function alike() return "00000000000000aa", 8, 1 end

  it("passes where all samples count the same into each set", function()
    local found <const> = judged(SAME, audited(alike))
    assert_verdict("pass", "'a', 'b' have their lines in the same sets, at most 1 in one", found)
    assert.same({ { arm = "a", set_hash = "00000000000000aa", used_sets = 8, fullest_set = 1 },
      { arm = "b", set_hash = "00000000000000aa", used_sets = 8, fullest_set = 1 } },
      found.numbers.evidence)
  end)

  it("fails where they fill others, and says how many", function()
    assert_verdict("fail", "'a' has its lines in 8 sets, at most 1 in one; 'b' in 2, at most 4",
      judged(SAME, audited(function(arm)
        if arm == "b" then return "00000000000000bb", 2, 4 end
        return alike()
      end)))
  end)

  it("is withdrawn where the samples of one arm differ", function()
    assert_verdict("withdrawn", "unknown: the samples of 'b' fill different sets",
      judged(SAME, audited(function(arm, round)
        if arm == "b" and round == 3 then return "00000000000000bb", 2, 4 end
        return alike()
      end)))
  end)

  it("is withdrawn where nobody knows the sets, or where the lines are", function()
    assert_verdict("withdrawn", "unknown: the sets of the first-level cache are unknown",
      judged(SAME, audited(function() end)))
    assert_verdict("withdrawn", "unknown: arm 'a' has no layout",
      judged(SAME, samples_of(function() return {} end)))
  end)

  it("is withdrawn where samples were lost, or are not there", function()
    local samples <const> = audited(alike)
    samples[6].status = "the layout of 'b': asked for 8 lines, touched 7"
    assert_verdict("withdrawn", "unknown: 1 of 3 samples of 'b' was lost", judged(SAME, samples))
    for index = 4, 5 do samples[index].status = "timed out" end
    assert_verdict("withdrawn", "unknown: arm 'b' has no samples", judged(SAME, samples))
    assert_verdict("withdrawn", "unknown: arm 'c' was not run",
      judged(fr.same_sets { "a", "c" }, samples))
  end)
end)

describe("evidence of huge pages, with the page table's", function()
  local BYTES <const> = 4194304 -- of the region "buffer"
  local function backed(smaps, table_bytes, regions)
    return samples_of(function()
      return { regions = regions or { { region = "buffer", huge_bytes = smaps } },
        page_tables = { { region = "buffer", method = "PAGEMAP_SCAN", huge_bytes = table_bytes } } }
    end)
  end
  local function huge(...) return judged(fr.huge { "a", region = "buffer" }, backed(...)) end

  it("passes where both say so, or where the table was not read", function()
    assert_verdict("pass", "huge pages back 'buffer' of 'a' in each of 3 samples",
      huge(BYTES, BYTES))
    assert_verdict("pass", "in each of 3 samples", huge(BYTES, nil))
  end)

  it("fails where the table has less than smaps says", function()
    local found <const> = huge(BYTES, BYTES // 4)
    assert_verdict("fail", "huge pages back 'buffer' of 'a' in 0 of 3 samples, in one only 1 MiB of"
      .. " 4 MiB (25.0 %); in 3 the page table has less than smaps says", found)
    assert.equal(3, found.numbers.evidence[1].denied)
  end)

  it("fails where smaps has less, whatever the table has", function()
    local found <const> = huge(0, BYTES)
    assert_verdict("fail", "in 0 of 3 samples", found)
    assert.is_nil(found.numbers.evidence[1].denied)
  end)

  it("takes the pool's pages for what smaps says", function()
    assert_verdict("pass", "in each of 3 samples",
      huge(nil, nil, { { region = "buffer", huge_bytes = 0, hugetlb_bytes = BYTES } }))
  end)

  it("is withdrawn where smaps was not read, though the table was", function()
    assert_verdict("withdrawn", "unknown: what backs 'buffer' of 'a' was read back in 0 of 3",
      huge(nil, BYTES))
  end)
end)

describe("evidence of calls that were bound before", function()
  local function samples()
    return samples_of(function() return {} end)
  end
  local function bound(change)
    local list <const> = samples()
    for _, sample in ipairs(list) do
      sample.printed = { slots = 9, bound_before = 9, bound_after = 9 }
    end
    change(list)
    return judged(fr.bound { "a", as = "now" }, list)
  end

  it("passes where every process had bound all, and asks no other arm", function()
    local found <const> = bound(function(list) list[4].printed.bound_before = 1 end) -- of 'b'
    assert_verdict("pass", "all slots of 'a' were bound before the first call in each of 3", found)
    assert.same({ { arm = "a", as = "now", samples = 3 } }, found.numbers.evidence)
  end)

  it("fails where one had not", function()
    assert_verdict("fail", "2 of 9 slots were not bound before the first call (round 3)",
      bound(function(list) list[3].printed.bound_before = 7 end))
  end)

  it("is withdrawn where a sample was lost, or nobody ran the arm", function()
    assert_verdict("withdrawn", "unknown: 1 of 3 samples of 'a' was lost", bound(function(list)
      list[2].status, list[2].printed = "timed out", nil
    end))
    assert_verdict("withdrawn", "unknown: arm 'c' was not run",
      judged(fr.bound { "c", as = "now" }, samples()))
  end)
end)
