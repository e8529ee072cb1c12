--- What the kernel tells of a process' memory, mapping by mapping (/proc/PID/smaps, proc(5)). A
--- field that is not there is unknown, and never 0.
local kernel <const> = require "frlua.kernel"

local smaps <const> = {}

---@class frlua.Mapping
---@field from integer address of its first byte
---@field to integer the address after its last byte
---@field perms string such as "rw-p"
---@field offset integer in the file, in bytes
---@field device string
---@field inode integer
---@field path string? nil for anonymous memory; as the kernel writes it, with "\012" for a newline
---@field fields table<string, number|string> sizes in bytes (what the kernel calls kB is 1024
---bytes); what has no unit as it is, a number or a text
---@field unitless table<string, true> the names of those fields that are no sizes
---@field flags string[]? of VmFlags; nil when there is no such line

-- Addresses from 2^63 on come out negative: they are compared with math.ult.
local function address(digits)
  return tonumber(digits, 16)
end

local function mapping_of(line)
  local from <const>, to <const>, perms <const>, offset <const>, device <const>, inode <const>,
    name <const> = line:match "^(%x+)%-(%x+) (%S+) (%x+) (%S+) (%d+)%s*(.*)$"
  if not from then return nil end
  return {
    from = address(from), to = address(to), perms = perms, offset = address(offset),
    device = device, inode = tonumber(inode), path = name ~= "" and name or nil,
    fields = {}, unitless = {},
  }
end

local function words(text)
  local list <const> = {}
  for word in text:gmatch "%S+" do list[#list + 1] = word end
  return list
end

local function add_field(mapping, name, text)
  local kilobytes <const> = text:match "^(%d+) kB$"
  if kilobytes then
    mapping.fields[name] = tonumber(kilobytes) * 1024
  else
    mapping.fields[name], mapping.unitless[name] = tonumber(text) or text, true
  end
end

---@param text string of smaps
---@return frlua.Mapping[] # in the order of the text; empty if there is nothing in it
function smaps.parse(text)
  local mappings <const> = {}
  for line in text:gmatch "[^\n]+" do
    local name <const>, value <const> = line:match "^([^%s:]+):%s*(.-)%s*$"
    local mapping <const> = mappings[#mappings]
    if not name then
      mappings[#mappings + 1] = mapping_of(line)
    elseif mapping and name == "VmFlags" then
      mapping.flags = words(value)
    elseif mapping then
      add_field(mapping, name, value)
    end
  end
  return mappings
end

local function overlapping(mappings, from, to)
  local found <const> = {}
  for _, mapping in ipairs(mappings) do
    if math.ult(mapping.from, to) and math.ult(from, mapping.to) then
      found[#found + 1] = mapping
    end
  end
  return found
end

-- nil when one of them lacks the field.
local function values_of(mappings, name)
  local values <const> = {}
  for index, mapping in ipairs(mappings) do
    if not mapping.fields[name] then return nil end
    values[index] = mapping.fields[name]
  end
  return values
end

local function total(values)
  local sum = 0
  for _, value in ipairs(values) do sum = sum + value end
  return sum
end

-- The value that all have in common, or the list of the different ones.
local function common(values)
  local different <const>, seen <const> = {}, {}
  for _, value in ipairs(values) do
    if not seen[value] then different[#different + 1] = value end
    seen[value] = true
  end
  return #different == 1 and different[1] or different
end

local page_sizes <const> = { KernelPageSize = true, MMUPageSize = true }

---@class frlua.MappingSum its fields can be read from the sum itself, too: `sum.Rss`
---@field from integer address of the first byte of the first mapping
---@field to integer the address after the last byte of the last
---@field mappings integer how many
---@field fields table<string, number|string|table> those that every mapping has
---@field is_anonymous boolean none of them has a file
---@field flags table<string, true>? those of VmFlags that all have; nil when one has no such line

-- Memory that the kernel or the process has named, "[heap]", is of no file.
local function is_anonymous(mappings)
  for _, mapping in ipairs(mappings) do
    if mapping.path and mapping.path:sub(1, 1) ~= "[" then return false end
  end
  return true
end

local function flags_of_all(mappings)
  local counts <const>, of_all <const> = {}, {}
  for _, mapping in ipairs(mappings) do
    if not mapping.flags then return nil end
    for _, flag in ipairs(mapping.flags) do
      counts[flag] = (counts[flag] or 0) + 1
      of_all[flag] = counts[flag] == #mappings or nil
    end
  end
  return of_all
end

---The mappings that lie in a range of addresses, wholly or in part, as one: the kernel counts whole
---mappings, and may have joined one with a neighbour, which `from` and `to` tell. Sizes are added;
---page sizes and what is no size are the common value, or a list of the different ones.
---@param mappings frlua.Mapping[] rising, as read
---@param from integer
---@param to integer the address after the last byte
---@return frlua.MappingSum? sum nil when there is no mapping in the range
function smaps.sum(mappings, from, to)
  local found <const>, fields <const> = overlapping(mappings, from, to), {}
  if not found[1] then return nil end
  for name in pairs(found[1].fields) do
    local values <const> = values_of(found, name)
    local is_size <const> = not found[1].unitless[name] and not page_sizes[name]
    if values then fields[name] = (is_size and total or common)(values) end
  end
  return setmetatable({
    from = found[1].from, to = found[#found].to, mappings = #found, fields = fields,
    is_anonymous = is_anonymous(found), flags = flags_of_all(found),
  }, { __index = fields })
end

---The mappings of a process: `fr.smaps(pid)`, of this one `fr.smaps()`. A text that is empty is no
---process without memory: that of another user, or a kernel's own, looks so.
---@param pid? integer
---@return frlua.Mapping[]? mappings rising
---@return string? why they are unknown
---@return integer? errno
function smaps.read(pid)
  local who <const> = pid and ("%d"):format(require "frlua.check".whole(pid, "pid of fr.smaps", 1))
  local path <const> = ("/proc/%s/smaps"):format(who or "self")
  local text <const>, message <const>, code <const> = kernel.text(path)
  if not text then
    local name <const> = require "frlua.signals".error_name(code)
    return nil, ("unknown: %s, %s"):format(name, message), code
  end
  local mappings <const> = smaps.parse(text)
  if mappings[1] then return mappings end
  return nil, ("unknown: %s is empty"):format(path)
end

---Reads the sum of this process' own mappings in a range.
---@param from integer address of the first byte
---@param bytes integer
---@return frlua.MappingSum? sum
---@return string? why it is unknown
---@return integer? errno
function smaps.of_range(from, bytes)
  local mappings <const>, message <const>, code <const> = smaps.read()
  if not mappings then return nil, message, code end
  local sum <const> = smaps.sum(mappings, from, from + bytes)
  if sum then return sum end
  return nil, ("unknown: /proc/self/smaps has no mapping at 0x%x"):format(from)
end

-- Of those fields that there are; nil when there is none.
local function sum_of_known(fields, names)
  local sum
  for _, name in ipairs(names) do
    if fields[name] then sum = (sum or 0) + fields[name] end
  end
  return sum
end

---Bytes that huge page table entries map, of whatever kind of memory. The kernel counts only those
---of the largest size so: 0 does not mean that all pages are of base size.
---@param mapping frlua.Mapping|frlua.MappingSum
---@return integer? bytes nil when the kernel does not say
function smaps.huge_bytes(mapping)
  return sum_of_known(mapping.fields, { "AnonHugePages", "ShmemPmdMapped", "FilePmdMapped" })
end

---Resident bytes from the pool of huge pages (hugetlb), which are not in Rss.
---@param mapping frlua.Mapping|frlua.MappingSum
---@return integer? bytes nil when the kernel does not say
function smaps.hugetlb_bytes(mapping)
  return sum_of_known(mapping.fields, { "Private_Hugetlb", "Shared_Hugetlb" })
end

---All resident bytes, hugetlb included.
---@param mapping frlua.Mapping|frlua.MappingSum
---@return integer? bytes nil when the kernel does not say
function smaps.resident(mapping)
  local rss <const> = mapping.fields.Rss
  return rss and rss + (smaps.hugetlb_bytes(mapping) or 0)
end

return setmetatable(smaps, { __call = function(_, pid) return smaps.read(pid) end })
