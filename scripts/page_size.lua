-- How large is a page here? Every size is printed with the place that it was read from; what is not
-- told is unknown. A table of counts of pages means nothing on a machine with another page size.
--
--   frlua scripts/page_size.lua
local fr      <const> = require "frlua"
local aligned <const> = require "frlua.report.table"
local hugetlb <const> = require "frlua.hugetlb"
local kernel  <const> = require "frlua.kernel"
local core    <const> = require "frlua.core"

local machine <const>, units <const> = fr.machine, fr.units
local page <const>, huge <const> = machine.page_bytes, machine.huge_page_bytes

local rows <const> = {}

local function add(what, value, source)
  rows[#rows + 1] = { what, value and units.bytes(value) or "unknown", source }
end

local function say(...) print(aligned.printable(string.format(...))) end

-- What smaps says of a region of that kind, touched: its fields, or the reason why not.
local function fields_of(bytes, align, advice)
  local m <close>, refused <const> = fr.map { bytes = bytes, align = align }
  if not m then return {}, refused end
  local advised <const>, refusal <const> = m:advise(advice)
  m:write()
  local sum <const>, why <const> = m:smaps()
  return sum and sum.fields or {}, why or not advised and refusal or nil
end

local function add_page_fields(kind, fields, why)
  for _, name in ipairs { "KernelPageSize", "MMUPageSize" } do
    -- A number that all mappings of the range share.
    add(name .. ", " .. kind, math.tointeger(fields[name]),
      fields[name] and "/proc/self/smaps" or why or "/proc/self/smaps has no such field")
  end
end

local function print_mapped()
  local small <const>, small_why <const> = fields_of(page, nil, "nohugepage")
  add_page_fields("of a small page", small, small_why)
  if not huge then
    add("the same, advised 'hugepage'", nil, "not mapped: the size of a huge page is unknown")
    return {}
  end
  local large <const>, large_why <const> = fields_of(huge, huge, "hugepage")
  add_page_fields("advised 'hugepage'", large, large_why)
  add("AnonHugePages, of the same", large.AnonHugePages, large.AnonHugePages
    and "/proc/self/smaps" or large_why or "/proc/self/smaps has no such field")
  return large
end

-- Directories of sizes in sysfs, the smallest first: { { bytes, path }, … }.
local function sizes_in(pattern)
  local list <const> = {}
  for i, path in ipairs(kernel.matching(pattern)) do
    list[i] = { bytes = tonumber(path:match "(%d+)kB$") * 1024, path = path }
  end
  table.sort(list, function(a, b) return a.bytes < b.bytes end)
  return list
end

local function add_pools()
  local default <const>, why <const> = hugetlb.default_bytes()
  add("huge page of the pool, default", default, default and "Hugepagesize in /proc/meminfo" or why)
  local sizes <const> = sizes_in "/sys/kernel/mm/hugepages/hugepages-*kB"
  if not sizes[1] then add("pool", nil, "/sys/kernel/mm/hugepages shows no size") end
  for _, size in ipairs(sizes) do
    add("pool", size.bytes, ("%s, %s pages in it"):format(size.path,
      kernel.whole(size.path .. "/nr_hugepages") or "an unknown number of"))
  end
end

local function add_transparent()
  local directory <const> = "/sys/kernel/mm/transparent_hugepage"
  add("transparent huge page", huge,
    huge and directory .. "/hpage_pmd_size" or machine.why.huge_page_bytes)
  local sizes <const> = sizes_in(directory .. "/hugepages-*kB")
  if not sizes[1] then add("multi-size huge pages", nil, machine.why.mthp) end
  for _, size in ipairs(sizes) do
    add("multi-size huge pages", size.bytes, ("%s: %s"):format(size.path,
      kernel.line(size.path .. "/enabled") or "no setting for anonymous memory"))
  end
end

-- One page of a page table holds page / 8 entries, of 8 bytes, and thus maps this much.
local function block(granule)
  return granule * (granule // 8)
end

-- The granules of the architecture (Arm ARM, D8: translation granules); a kernel is built for one.
local GRANULES <const> = { 4 * fr.KiB, 16 * fr.KiB, 64 * fr.KiB }

local function print_granules()
  if machine.arch ~= "aarch64" then
    say("A kernel on AArch64 has pages of 4, 16 or 64 KiB, as it was built; this one is on %s.",
      machine.arch or "an unknown architecture")
    return
  end
  for _, granule in ipairs(GRANULES) do
    say("AArch64 with pages of %s: blocks of %s%s", units.bytes(granule),
      units.bytes(block(granule)), granule == page and ", as this kernel" or "")
  end
  say("Which of them this CPU has is unknown: the kernel shows no program that register.")
end

local function print_remarks(large)
  say("A page of the page table has %d entries of 8 bytes and maps %s: that is %s.", page // 8,
    units.bytes(block(page)), not huge and "what a huge page would be, whose size is unknown"
    or huge == block(page) and "the huge page here" or "not the huge page here, which is "
      .. units.bytes(huge))
  local sizes <const> = core.sizes()
  if sizes.auxv_page_bytes and sizes.auxv_page_bytes ~= page then
    say("sysconf and AT_PAGESZ differ: do not trust either.")
  end
  local mmu <const> = large.MMUPageSize
  if huge and large.AnonHugePages == huge and mmu == page then
    say("MMUPageSize is %s for memory that is one huge page: of transparent huge pages it proves"
      .. " nothing, AnonHugePages does.", units.bytes(mmu))
  else
    say("MMUPageSize is that of the mapping: of transparent huge pages it proves nothing.")
  end
  say("What depends on the page size: how many faults and translations a footprint takes, the"
    .. " offsets and strides of a layout, what mmap, madvise and an ELF segment can be aligned to.")
end

local function main()
  add("page", page, "sysconf(_SC_PAGESIZE)")
  local auxv <const> = core.sizes().auxv_page_bytes
  add("page", auxv, auxv and "getauxval(AT_PAGESZ), from the kernel at exec"
    or "the auxiliary vector has no AT_PAGESZ")
  local large <const> = print_mapped()
  add_transparent()
  add_pools()
  local widths <const> = {}
  for i, row in ipairs(rows) do widths[i] = { row[1], row[2] } end
  for i, line in ipairs(aligned.lines(widths)) do
    print(line .. "  " .. aligned.printable(rows[i][3]))
  end
  print()
  print_granules()
  print_remarks(large)
end

main()
