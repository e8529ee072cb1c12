local core <const> = require "frlua.core"
local fr <const> = require "frlua"
local sessions <const> = require "sessions"

local page <const>, huge <const> = fr.machine.page_bytes, fr.machine.huge_page_bytes

local function map(bytes)
  return assert(fr.map { bytes = bytes, align = huge, advise = "nohugepage" })
end

-- Where neither way of asking is open to this user, nothing is known of any region.
local function table_of(m)
  local found <const>, message <const> = m:page_table()
  if not found then pending(message) end
  return found
end

local function needs_huge_pages()
  if huge and (fr.machine.thp == "madvise" or fr.machine.thp == "always") then return end
  pending(("no transparent huge pages here: %s"):format(fr.machine.thp or fr.machine.why.thp))
end

describe("the page table of a region", function()
  it("has nothing before the first touch, and afterwards every page that was touched", function()
    local m <close> = map(64 * page)
    assert.equal(0, table_of(m).present_bytes)
    m:write(2 * page)
    assert.equal(32 * page, table_of(m).present_bytes)
    m:write()
    local found <const> = table_of(m)
    assert.same({ 64 * page, 0 }, { found.present_bytes, found.huge_bytes })
    assert.is_true(found.method == "PAGEMAP_SCAN" or found.method == "kpageflags")
  end)

  it("has whole pages of a region that ends inside one", function()
    local m <close> = map(2 * page + 1)
    m:write()
    assert.equal(3 * page, table_of(m).present_bytes)
  end)

  it("has an entry for every page that was only read, too", function() -- one of zeros
    local m <close> = map(8 * page)
    m:read()
    assert.equal(8 * page, table_of(m).present_bytes)
  end)

  it("has huge entries where smaps has AnonHugePages", function()
    needs_huge_pages()
    local m <close> = assert(fr.map { bytes = 3 * huge, align = huge, advise = "hugepage" })
    m:write()
    local found <const> = table_of(m)
    assert.equal(3 * huge, found.present_bytes)
    if found.method == "kpageflags" then pending "frames are an upper bound" end
    assert.equal(m:smaps().AnonHugePages, found.huge_bytes)
  end)

  it("is unknown, with the error's name and meaning, where the kernel refuses", function()
    local m <close> = map(page)
    stub(core.region_methods, "read_page_table", function()
      return nil, "/proc/self/pagemap: Operation not permitted", require "posix.errno".EPERM
    end)
    local found <const>, message <const>, errno <const> = m:page_table()
    core.region_methods.read_page_table:revert()
    assert.is_nil(found)
    assert.matches("^cannot read the page table: .*%(EPERM%): this kernel has no PAGEMAP_SCAN",
      message)
    assert.equal(require "posix.errno".EPERM, errno)
  end)

  it("is an error of a region that is closed", function()
    local m <const> = map(page)
    m:close()
    assert.matches("^user%.lua:2: region:page_table: the region is closed",
      sessions.told("a:page_table()", m))
  end)
end)

describe("collapsing", function()
  local function collapsed(advice)
    local m <close> = map(2 * huge)
    m:write(huge * 2) -- one byte: the second huge page has nothing of its own
    if advice then m:advise(advice) end
    local pass <const>, message <const> = m:collapse()
    return pass, message, m:backing().huge_bytes
  end

  it("that is refused keeps what was made until then, which is read back", function()
    needs_huge_pages()
    local pass <const>, message <const>, bytes <const> = collapsed "hugepage"
    assert.is_nil(pass)
    assert.matches("%(EINVAL%): a part of the region could not be one huge page", message)
    assert.equal(huge, bytes)
  end)

  it("obeys 'nohugepage', and says so", function()
    needs_huge_pages()
    local pass <const>, message <const>, bytes <const> = collapsed()
    assert.is_nil(pass)
    assert.matches("%(EINVAL%): the region is advised 'nohugepage'", message)
    assert.equal(0, bytes)
  end)

  it("explains every error that the kernel has for it", function()
    local refusal <const>, errno <const> = require "frlua.refusal", require "posix.errno"
    for name, part in pairs {
      ENOMEM = "no free huge page", EAGAIN = "another time it may work", EBUSY = "memory%.max",
    } do
      assert.matches(part, refusal.text("collapse", errno[name]))
    end
  end)

  it("is not there before Linux 6.1", function()
    local text
    local tried <const> = table.pack(pcall(function()
      stub(require "posix.sys.utsname", "uname", function() return { release = "5.10.0-9" } end)
      fr.machine.read_from {} -- forgets what it knew
      text = require "frlua.refusal".text("collapse", require "posix.errno".EINVAL)
    end))
    require "posix.sys.utsname".uname:revert()
    fr.machine.read_from {}
    assert(table.unpack(tried))
    assert.matches("Linux 5%.10%.0%-9 has no MADV_COLLAPSE", text)
  end)
end)
