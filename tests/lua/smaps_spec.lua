local core <const> = require "frlua.core"
local kernel <const> = require "frlua.kernel"
local smaps <const> = require "frlua.smaps"
local tree <const> = dofile "tests/lua/data/tree.lua"

local KiB <const> = 1024

local function text_of(name)
  local file <close> = assert(io.open("tests/lua/data/" .. name))
  return file:read "a"
end

-- Two neighbours as a recent kernel writes them, and some lines that no kernel has yet.
local recent <const> = text_of "smaps_recent.txt"
-- From the pool of huge pages, beside small pages.
local hugetlb <const> = text_of "smaps_hugetlb.txt"
-- Of a kernel that had fewer fields, and no flags for the second.
local old <const> = text_of "smaps_old.txt"

describe("a mapping in smaps", function()
  it("has its place, permissions, file and name", function()
    local anonymous <const>, shared <const> = table.unpack(smaps.parse(recent))
    assert.equal(0x7e1000000000, anonymous.from)
    assert.equal(0x7e1000400000, anonymous.to)
    assert.equal("rw-p", anonymous.perms)
    assert.is_nil(anonymous.path)
    assert.equal("r--s", shared.perms)
    assert.equal(0x3000, shared.offset)
    assert.equal("fe:01", shared.device)
    assert.equal(4711, shared.inode)
    assert.equal("/tmp/a file (deleted)", shared.path)
  end)

  it("has sizes in bytes: what the kernel calls kB is 1024 of them", function()
    local fields <const> = smaps.parse(recent)[1].fields
    assert.equal(2052 * 1024, fields.Rss)
    assert.equal("integer", math.type(fields.Rss))
    assert.equal(2097152, fields.AnonHugePages)
  end)

  it("keeps fields that nobody knew, and none of them shifts a neighbour", function()
    local mappings <const> = smaps.parse(recent)
    local fields <const> = mappings[1].fields
    assert.equal(2, #mappings)
    assert.equal(12 * KiB, fields["Frobnicated(new)"])
    assert.equal(7, fields.NewCounter)
    assert.equal(0.5, fields.WeirdRatio)
    assert.equal("very good", fields.Mood)
    assert.equal(1, fields.THPeligible)
    assert.equal(4 * KiB, mappings[2].fields.Rss)
  end)

  it("keeps flags as text; an empty line of flags is not an absent one", function()
    assert.same({ "rd", "wr", "mr", "mw", "me", "nr", "zz", "q9", "hg" },
      smaps.parse(recent)[1].flags)
    assert.same({}, smaps.parse(recent)[2].flags)
    assert.is_nil(smaps.parse(old)[2].flags)
  end)

  it("may lie where addresses have their highest bit set", function()
    local mappings <const> = smaps.parse(
      "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0    [vsyscall]\nRss:  0 kB\n")
    assert.equal(0xffffffffff600000, mappings[1].from)
    assert.is_nil(smaps.sum(mappings, 0x1000, 0x2000))
    assert.equal(1, smaps.sum(mappings, 0xffffffffff600800, 0xffffffffff600900).mappings)
  end)

  it("is not invented where the text is empty or begins in the middle", function()
    assert.same({}, smaps.parse "")
    assert.same({}, smaps.parse "Rss:   4 kB\nVmFlags: rd\n")
  end)
end)

describe("huge pages of a mapping", function()
  it("are answered by what is mapped so, never by flags or eligibility", function()
    local flagged <const> = smaps.parse [[
7e1000000000-7e1000400000 rw-p 00000000 00:00 0
AnonHugePages:         0 kB
THPeligible:           1
VmFlags: hg
]]
    assert.equal(0, smaps.huge_bytes(flagged[1]))
    local unhinted <const> = smaps.parse [[
7e1000000000-7e1000400000 rw-p 00000000 00:00 0
AnonHugePages:      8192 kB
ShmemPmdMapped:     2048 kB
FilePmdMapped:      4096 kB
THPeligible:           0
VmFlags: rd
]]
    assert.equal(14336 * KiB, smaps.huge_bytes(unhinted[1]))
  end)

  it("are known from the one field that an old kernel has, and unknown without any", function()
    assert.equal(4096 * KiB, smaps.huge_bytes(smaps.parse(old)[1]))
    assert.is_nil(smaps.huge_bytes(smaps.parse(old)[2]))
  end)
end)

describe("resident memory", function()
  it("includes the pages of hugetlb, which are not in Rss", function()
    local pool <const>, small <const> = table.unpack(smaps.parse(hugetlb))
    assert.equal(20480 * KiB, smaps.resident(pool))
    assert.equal(20480 * KiB, smaps.hugetlb_bytes(pool))
    assert.equal(1024 * KiB, smaps.resident(small))
    assert.equal(0, smaps.hugetlb_bytes(small))
  end)

  it("is unknown without Rss, and not 0", function()
    local mapping <const> = smaps.parse "7e10-7e20 rw-p 00000000 00:00 0 \nSize: 4 kB\n"
    assert.is_nil(smaps.resident(mapping[1]))
    assert.is_nil(smaps.hugetlb_bytes(mapping[1]))
    assert.equal(4 * KiB, smaps.resident(smaps.parse(old)[2]))
  end)
end)

describe("a range of addresses", function()
  it("is the sum of the mappings that lie in it, wholly or in part", function()
    local mappings <const> = smaps.parse(hugetlb)
    local both <const> = smaps.sum(mappings, 0x7e40013fffff, 0x7e4001400001)
    assert.equal(2, both.mappings)
    assert.equal(0x7e4000000000, both.from)
    assert.equal(0x7e4001500000, both.to)
    assert.equal(21504 * KiB, both.fields.Size)
    assert.equal(21504 * KiB, smaps.resident(both))
    assert.equal(1024 * KiB, smaps.sum(mappings, 0x7e4001400000, 0x7e4001500000).Rss)
  end)

  it("ends before its last address", function()
    local mappings <const> = smaps.parse(hugetlb)
    assert.equal(1, smaps.sum(mappings, 0x7e4000000000, 0x7e4001400000).mappings)
    assert.is_nil(smaps.sum(mappings, 0x7e4001500000, 0x7e4001600000))
    assert.is_nil(smaps.sum(mappings, 0x7e3fffffff00, 0x7e4000000000))
  end)

  it("has no total of a field that one mapping lacks", function()
    local sum <const> = smaps.sum(smaps.parse(old), 0x7e5000000000, 0x7e5000401000)
    assert.equal(4100 * KiB, sum.fields.Rss)
    assert.is_nil(sum.fields.AnonHugePages)
    assert.is_nil(smaps.huge_bytes(sum))
    local turned <const> = smaps.sum({ smaps.parse(old)[2], smaps.parse(old)[1] }, 0, -1)
    assert.is_nil(turned.fields.AnonHugePages)
  end)

  it("has the page size that its mappings share, or those that they have", function()
    local mappings <const> = smaps.parse(hugetlb)
    local sum <const> = smaps.sum(mappings, 0x7e4000000000, 0x7e4001500000)
    assert.same({ 2048 * KiB, 4 * KiB }, sum.fields.KernelPageSize)
    assert.equal(4 * KiB, smaps.sum(smaps.parse(recent), 0, -1).fields.KernelPageSize)
    assert.same({ 1, 0 }, smaps.sum(smaps.parse(recent), 0, -1).fields.THPeligible)
  end)

  it("of this process tells what of a region is resident", function()
    local bytes <const> = 16 * core.sizes().page_bytes
    local region <close> = core.map { bytes = bytes }
    region:madvise(core.advice_number "nohugepage") -- or it may be joined with a neighbour
    assert.equal(0, smaps.of_range(region.address, bytes).Rss)
    region:fill_index()
    local sum <const> = smaps.of_range(region.address, bytes)
    assert.same({ bytes, bytes, region.address }, { sum.Rss, sum.Size, sum.from })
  end)

  it("is unknown, with the reason, where smaps is unreadable, empty or ends before", function()
    local function of(contents)
      local proc <close> = tree.new(contents)
      kernel.read_from { proc = proc.path }
      local sum <const>, why <const> = smaps.of_range(0x7e4000000000, 4096)
      kernel.read_from {}
      assert.is_nil(sum)
      return why
    end
    assert.matches("^unknown: ENOENT, cannot read '.*/self/smaps'", of {})
    assert.matches("^unknown: EISDIR, ", of { ["self/smaps/x"] = "" })
    assert.equal("unknown: /proc/self/smaps is empty",
      of { ["self/smaps"] = "" })
    assert.matches("no mapping at 0x7e4000000000$", of { ["self/smaps"] = recent })
  end)
end)
