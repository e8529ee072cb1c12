--- What memory a script asks for, in fr.map and in fr.region: checked here once, and as plain data
--- for C.
local check <const> = require "frlua.check"
local core <const> = require "frlua.core"

local mapping <const> = {}

---@class frlua.Memory
---@field bytes integer
---@field align integer? the address is a multiple of it, by default of the page size
---@field offset integer? that many bytes behind such a multiple, instead
---@field advise string? an madvise by name
---@field file string? path of an existing file; or of a directory: then of a file that is made
---there, sparse, without a name, and gone with the region
---@field memfd boolean? a file that is nowhere but in memory
---@field shared boolean? what is written goes to the file, or to whoever has the memory, too
---@field read_only boolean?
---@field huge true|integer? from the pool of huge pages, of the default size or of so many bytes
---@field populate boolean? all pages are there as soon as it is mapped (MAP_POPULATE)
---@field lock boolean? and stay there (MAP_LOCKED)

---What was asked for, by the region of fr.map that came of it.
---@type table<frlua.Region, frlua.Memory>
mapping.of = setmetatable({}, { __mode = "k" })

---The keys of fr.map, and of fr.region beside its own.
mapping.KEYS = {
  "bytes", "align", "offset", "advise", "file", "memfd", "shared", "read_only", "huge", "populate",
  "lock",
}

local SWITCHES <const> = { "memfd", "shared", "read_only", "populate", "lock" }

local function power_of_two(value, name)
  local bytes <const> = check.bytes(value, name)
  if bytes & (bytes - 1) == 0 then return bytes end
  check.fail(("%s must be a power of two, not %d"):format(name, bytes))
end

local function switch(value, name)
  if value == nil or type(value) == "boolean" then return value or nil end
  check.fail(("%s must be true or false, not %s"):format(name, check.show(value)))
end

local function huge_of(value, name)
  if value == nil or value == true then return value end
  return value and power_of_two(value, name) or nil
end

-- An existing file may be taken as it is: all of it. One that can't be opened, or is a pipe or the
-- like, is refused when it is mapped, whatever its length.
local function length_of(path)
  local stat <const> = require "posix.sys.stat"
  local found <const> = stat.stat(path)
  local function is(kind) return found and stat["S_IS" .. kind](found.st_mode) ~= 0 end
  if is "DIR" then return nil end
  local file <close> = (is "REG" or is "BLK") and io.open(path, "rb") or nil
  return file and file:seek "end" or 1
end

-- Where the address lies past an aligned one: whole pages.
local function offset_of(value, what)
  local name <const>, page <const> = "offset " .. what, core.sizes().page_bytes
  local offset <const> = check.whole(value, name, 0)
  if offset % page == 0 then return offset end
  check.fail(("%s must be whole pages of %d bytes, not %d"):format(name, page, offset))
end

---@param fields table of the script; its keys are checked by the caller
---@param what string such as "of fr.map"
---@return frlua.Memory
function mapping.fields(fields, what)
  local memory <const> = {
    file = fields.file and check.text(fields.file, "file " .. what),
    huge = huge_of(fields.huge, "huge " .. what),
    align = fields.align and power_of_two(fields.align, "align " .. what),
    offset = fields.offset and offset_of(fields.offset, what),
    advise = fields.advise
      and check.one_of(fields.advise, core.advice_names(), "advice", (what:gsub("^%a+ ", ""))),
  }
  local bytes = fields.bytes
  if bytes == nil and memory.file then bytes = length_of(memory.file) end
  memory.bytes = check.bytes(bytes, "bytes " .. what)
  for _, key in ipairs(SWITCHES) do memory[key] = switch(fields[key], key .. " " .. what) end
  if memory.file and (memory.memfd or memory.huge) then
    check.fail(("file %s goes without %s"):format(what, memory.memfd and "memfd" or "huge"))
  end
  return memory
end

---Whether a region may be filled: its file is made for it, and its memory can be written.
---@param memory frlua.Memory
---@return boolean
function mapping.is_fillable(memory)
  if memory.file then return length_of(memory.file) == nil end
  return memory.memfd or not memory.read_only
end

---The size of the huge pages that a region is to be of.
---@param memory frlua.Memory
---@return integer? bytes nil without `huge`, and where the machine has no default
---@return string? why
function mapping.huge_bytes(memory)
  if memory.huge == true then return require "frlua.hugetlb".default_bytes() end
  return memory.huge
end

---Plain data, as core.map and core.sample take it.
---@param memory frlua.Memory
---@return table? plain
---@return string? why the machine has no such memory
function mapping.plain(memory)
  local huge_bytes <const>, why <const> = mapping.huge_bytes(memory)
  if memory.huge and not huge_bytes then return nil, why end
  local plain <const> = {
    bytes = memory.bytes, align = memory.align, offset = memory.offset, file = memory.file,
    huge_bytes = huge_bytes,
  }
  for _, key in ipairs(SWITCHES) do plain[key] = memory[key] end
  return plain
end

return mapping
