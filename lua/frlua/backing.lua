--- What pages back a range of memory: how much of it is huge, and why not all of it.
local machine <const> = require "frlua.machine"
local smaps <const> = require "frlua.smaps"
local units <const> = require "frlua.units"

local backing <const> = {}

---@class frlua.Backing sizes in bytes
---@field resident_bytes integer? hugetlb included; nil when the kernel does not say
---@field huge_bytes integer? that huge page table entries of the largest size map; hugetlb excluded
---@field hugetlb_bytes integer? from the pool
---@field locked_bytes integer?
---@field page_bytes integer? of the mapping: that of the pool's pages for hugetlb
---@field room_bytes integer? how much whole, aligned huge pages could map at most
---@field why string? why transparent huge pages map less than all of it

---How much of a range whole, aligned huge pages could map.
---@param address integer
---@param bytes integer
---@param huge integer the size of a huge page
---@return integer
function backing.room(address, bytes, huge)
  local first <const> = (address + huge - 1) // huge * huge
  local last <const> = (address + bytes) // huge * huge
  return math.max(0, last - first)
end

backing.DISABLED = "transparent huge pages are disabled for this process (PR_SET_THP_DISABLE)"

local SETTINGS <const> = "/sys/kernel/mm/transparent_hugepage/"

-- The setting that holds for huge pages of the largest kind, and the file that it is in: one of
-- their size comes before the one for all sizes, unless it says "inherit".
local function setting(huge)
  local sizes <const> = machine.mthp
  local word <const> = sizes and (sizes[units.bytes(huge)] or "never")
  if word and word ~= "inherit" then
    return word, ("%shugepages-%dkB/enabled"):format(SETTINGS, huge // 1024)
  end
  return machine.thp, SETTINGS .. "enabled"
end

-- Why no huge page was given at all, as far as policy tells; nil when it does not. The settings
-- hold for anonymous memory only.
local function policy(sum, huge)
  local flags <const> = sum.flags
  if machine.thp_disabled then return backing.DISABLED end
  if flags and flags.nh then return "it is advised 'nohugepage'" end
  if not sum.is_anonymous then return nil end
  local word <const>, file <const> = setting(huge)
  if word == "never" then return ("%s is 'never'"):format(file) end
  if not flags or flags.hg then return nil end
  if word == "madvise" then
    return ("%s is 'madvise', and it is not advised 'hugepage'"):format(file)
  elseif machine.thp_only_advised then
    return "this process gets huge pages only where it is advised 'hugepage' (PR_SET_THP_DISABLE"
      .. " with PR_THP_DISABLE_EXCEPT_ADVISED), and this is not"
  end
end

local function reason(sum, found, bytes, huge)
  local size <const> = units.bytes(huge)
  if bytes < huge then return ("smaller than one huge page of %s"):format(size) end
  local why <const> = found.huge_bytes == 0 and found.room_bytes > 0 and policy(sum, huge)
  if why then return why end
  if found.huge_bytes < found.room_bytes then
    return ("the kernel has mapped %d of the %d huge pages of %s that there is room for"):format(
      found.huge_bytes // huge, found.room_bytes // huge, size)
  end
  return ("its place has room for %d aligned huge pages of %s only"):format(
    found.room_bytes // huge, size)
end

---@param sum frlua.MappingSum
---@param address integer
---@param bytes integer
---@return frlua.Backing
function backing.of(sum, address, bytes)
  local found <const> = {
    resident_bytes = smaps.resident(sum),
    huge_bytes = smaps.huge_bytes(sum),
    hugetlb_bytes = smaps.hugetlb_bytes(sum),
    locked_bytes = sum.fields.Locked,
    page_bytes = math.tointeger(sum.fields.KernelPageSize),
  }
  local huge <const> = machine.huge_page_bytes
  if huge then found.room_bytes = backing.room(address, bytes, huge) end
  if huge and found.huge_bytes and found.huge_bytes < bytes and (found.hugetlb_bytes or 0) == 0 then
    found.why = reason(sum, found, bytes, huge)
  end
  return found
end

return backing
