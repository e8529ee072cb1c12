local backing <const> = require "frlua.backing"
local core <const> = require "frlua.core"
local khugepaged <const> = require "frlua.khugepaged"
local machine <const> = require "frlua.machine"
local smaps <const> = require "frlua.smaps"
local tree <const> = dofile "tests/lua/data/tree.lua"

local THP <const> = "sys/kernel/mm/transparent_hugepage/"
local HUGE <const>, FROM <const> = 2 << 20, 0x7e1000000000

-- What `ask` returns on a machine with these files, and these bits of PR_GET_THP_DISABLE.
local function on(contents, bits, ask)
  local root <close> = tree.new(contents)
  machine.read_from { sys = root.path .. "/sys" }
  stub(core, "thp_disabled", function() return bits end)
  local answer <const> = table.pack(pcall(ask))
  core.thp_disabled:revert()
  machine.read_from {}
  assert(answer[1], answer[2])
  return table.unpack(answer, 2, answer.n)
end

-- Why four huge pages' worth of touched memory has none, with such VmFlags and such a path.
local function why(contents, flags, bits, path)
  local text <const> = ([[
7e1000000000-7e1000800000 rw-p 00000000 00:00 0 %s
Rss:                8192 kB
AnonHugePages:         0 kB
%s
]]):format(path or "", flags and "VmFlags: rd wr " .. flags or "")
  contents[THP .. "hpage_pmd_size"] = tostring(HUGE)
  return on(contents, bits or 0, function()
    local sum <const> = smaps.sum(smaps.parse(text), FROM, FROM + 4 * HUGE)
    return backing.of(sum, FROM, 4 * HUGE).why
  end)
end

local NONE_OF_FOUR <const> =
  "the kernel has mapped 0 of the 4 huge pages of 2 MiB that there is room for"

describe("why nothing is huge", function()
  local always <const> = "[always] madvise never"

  it("is the process' own switch, before anything else", function()
    assert.equal("transparent huge pages are disabled for this process (PR_SET_THP_DISABLE)",
      why({ [THP .. "enabled"] = "always madvise [never]" }, "nh", 1))
  end)

  it("is that switch's milder kind only where nothing was advised", function()
    local setting <const> = { [THP .. "enabled"] = always }
    assert.matches("PR_THP_DISABLE_EXCEPT_ADVISED", why(setting, "", 3))
    assert.equal(NONE_OF_FOUR, why(setting, "hg", 3))
  end)

  it("is the setting 'never', and the file that it is in", function()
    assert.equal("/sys/kernel/mm/transparent_hugepage/enabled is 'never'",
      why({ [THP .. "enabled"] = "always madvise [never]" }, "hg"))
  end)

  it("is 'madvise' where it was not advised, and nothing of it where that is unknown", function()
    local setting <const> = { [THP .. "enabled"] = "always [madvise] never" }
    assert.equal("/sys/kernel/mm/transparent_hugepage/enabled is 'madvise', and it is not advised"
      .. " 'hugepage'", why(setting, ""))
    assert.equal(NONE_OF_FOUR, why(setting, "hg"))
    assert.equal(NONE_OF_FOUR, why(setting, nil))
  end)

  it("is the advice 'nohugepage', whatever the setting", function()
    assert.equal("it is advised 'nohugepage'", why({ [THP .. "enabled"] = always }, "nh"))
    assert.equal("it is advised 'nohugepage'", why({}, "nh"))
  end)

  it("is by the setting of that very size, which comes before the one for all", function()
    local size <const> = THP .. "hugepages-2048kB/enabled"
    assert.equal("/sys/kernel/mm/transparent_hugepage/hugepages-2048kB/enabled is 'never'",
      why({ [THP .. "enabled"] = always, [size] = "always inherit madvise [never]" }, ""))
    assert.equal(NONE_OF_FOUR,
      why({ [THP .. "enabled"] = "[never]", [size] = "[always] inherit madvise never" }, ""))
    assert.equal("/sys/kernel/mm/transparent_hugepage/enabled is 'never'",
      why({ [THP .. "enabled"] = "[never]", [size] = "always [inherit] madvise never" }, ""))
  end)

  it("is not by a setting for anonymous memory where there is a file", function()
    local setting <const> = { [THP .. "enabled"] = "[never]" }
    assert.equal(NONE_OF_FOUR, why(setting, "", 0, "/memfd:frlua-region (deleted)"))
    assert.matches("'never'$", why(setting, "", 0, "[anon:mine]"))
  end)

  it("is no guess where the setting is unknown", function()
    assert.equal(NONE_OF_FOUR, why({ [THP .. "enabled"] = "always madvise never" }, ""))
    assert.equal(NONE_OF_FOUR, why({}, ""))
  end)
end)

describe("khugepaged's pass", function()
  local function settings(contents)
    local files <const> = {}
    for name, text in pairs(contents) do files[THP .. "khugepaged/" .. name] = text end
    return on(files, 0, khugepaged.read)
  end

  it("takes a sleep for every so many pages, begun ones, too", function()
    local found <const> = settings { pages_to_scan = "100", scan_sleep_millisecs = "250" }
    assert.equal(250000000, khugepaged.pass_ns(found, 1))
    assert.equal(250000000, khugepaged.pass_ns(found, 100))
    assert.equal(500000000, khugepaged.pass_ns(found, 101))
  end)

  it("is unknown, with the reason, where a setting is", function()
    local ns <const>, reason <const> =
      khugepaged.pass_ns(settings { pages_to_scan = "100" }, 100)
    assert.is_nil(ns)
    assert.matches("scan_sleep_millisecs'", reason)
    assert.same({ nil, "pages_to_scan is 0" }, { khugepaged.pass_ns(
      settings { pages_to_scan = "0", scan_sleep_millisecs = "1" }, 100) })
  end)

  it("has settings that are nil, beside the reason, where they are unreadable", function()
    local found <const> = settings { defrag = "1", max_ptes_none = "many" }
    assert.equal(1, found.defrag)
    assert.is_nil(found.max_ptes_none)
    assert.matches("no whole number", found.why.max_ptes_none)
    assert.is_string(found.why.pages_collapsed)
  end)
end)

describe("a range's flags", function()
  local two <const> = [[
7e1000000000-7e1000400000 rw-p 00000000 00:00 0
VmFlags: rd wr hg
7e1000400000-7e1000800000 rw-p 00000000 00:00 0 /some/file
VmFlags: rd nh
]]

  it("are those that all its mappings have", function()
    local sum <const> = smaps.sum(smaps.parse(two), FROM, FROM + 4 * HUGE)
    assert.same({ rd = true }, sum.flags)
    assert.is_false(sum.is_anonymous)
    local first <const> = smaps.sum(smaps.parse(two), FROM, FROM + HUGE)
    assert.same({ rd = true, wr = true, hg = true }, first.flags)
    assert.is_true(first.is_anonymous)
  end)

  it("are unknown where one has none", function()
    local sum <const> = smaps.sum(smaps.parse(two:gsub("VmFlags: rd nh\n", "")), FROM, -1)
    assert.is_nil(sum.flags)
  end)
end)
