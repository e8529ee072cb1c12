--- The kernel's pool of huge pages (hugetlb): which sizes there are, and how many pages are free.
local kernel <const> = require "frlua.kernel"
local units <const> = require "frlua.units"

local hugetlb <const> = {}

---The size of a huge page that is meant where none is named.
---@return integer? bytes
---@return string? why there is none
function hugetlb.default_bytes()
  local text <const>, message <const> = kernel.text "/proc/meminfo"
  local kilobytes <const> = text and text:match "\nHugepagesize:%s*(%d+) kB"
  if kilobytes then return tonumber(kilobytes) * 1024 end -- what the kernel calls kB is a KiB
  return nil, message or "/proc/meminfo names no size of huge pages"
end

---How full the pool is, in the kernel's words.
---@param bytes integer the size of its pages
---@return string
function hugetlb.pool(bytes)
  local directory <const> = ("/sys/kernel/mm/hugepages/hugepages-%dkB/"):format(bytes // 1024)
  local total <const> = kernel.whole(directory .. "nr_hugepages")
  local free <const> = kernel.whole(directory .. "free_hugepages")
  if not total or not free then
    return ("this machine shows no pool of huge pages of %s"):format(units.bytes(bytes))
  end
  return ("the pool of huge pages of %s has HugePages_Total %d, HugePages_Free %d"):format(
    units.bytes(bytes), total, free)
end

return hugetlb
