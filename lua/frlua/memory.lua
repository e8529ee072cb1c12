--- The words for what the kernel is asked to do with memory: of a region that is named, or, for
--- fr.time, one of fr.map. What a job can't go on without (populate, remap, read_file) ends a
--- sample when it is refused; the others are hints: the sample goes on, and its evidence says so.
local check <const> = require "frlua.check"
local grammar <const> = require "frlua.grammar"

local memory <const> = {}

-- Operations on one region, without anything else to say.
local function plain(code)
  return function(fields)
    local what <const> = "fr." .. code
    return { kind = "op", code = code, region = grammar.one_region(fields, {}, what) }
  end
end

---Has the kernel take all faults of a region in one call, as for writing or only for reading.
---`fr.populate "buffer"`, `fr.populate { "buffer", access = "read" }`
---@param fields string|table
---@return frlua.Op
function memory.populate(fields)
  local region <const> = grammar.one_region(fields, { "access" }, "fr.populate")
  local access <const> = type(fields) == "table" and fields.access or "write"
  check.one_of(access, { "write", "read" }, "access", "fr.populate")
  return { kind = "op", code = "populate", region = region, access = access }
end

---Asks for huge pages in the place of the small ones that are there (MADV_COLLAPSE).
---@type fun(region: any): frlua.Op
memory.collapse = plain "collapse"

---Locks a region into memory, all of which it brings there (mlock), and ends that.
---@type fun(region: any): frlua.Op
memory.lock = plain "lock"

---@type fun(region: any): frlua.Op
memory.unlock = plain "unlock"

---Drops a file from memory: what is dirty is written out first. Whether it is cold then is read
---back, page by page. The region's own file; of a shared region the translations go, too.
---@type fun(region: any): frlua.Op
memory.evict_file = plain "evict_file"

---Advises the kernel about a region: `fr.advise { "buffer", "dontneed" }`.
---@param fields table the region and the name of the advice
---@return frlua.Op
function memory.advise(fields)
  check.keys(fields, { entries = true }, "fr.advise")
  grammar.check_entries(fields, 2, "fr.advise")
  local names <const> = require "frlua.core".advice_names()
  return {
    kind = "op", code = "advise",
    region = grammar.region_of(fields[1], "the region of fr.advise"),
    advice = check.one_of(fields[2], names, "advice", "fr.advise"),
  }
end

---Maps a region anew where it is: its pages are dropped, and its advice and lock with them. With
---`populate = true` (MAP_POPULATE) new ones are there at once.
---@param fields string|table
---@return frlua.Op
function memory.remap(fields)
  local region <const> = grammar.one_region(fields, { "populate" }, "fr.remap")
  local populate <const> = type(fields) == "table" and fields.populate == true
  return { kind = "op", code = "remap", region = region, populate = populate }
end

---Reads the start of a file into a region, by read(2): `fr.read_file { "buffer", from = "data" }`.
---@param fields { [1]: any, from: any } `from`: the region whose file it is
---@return frlua.Op
function memory.read_file(fields)
  return {
    kind = "op", code = "read_file",
    region = grammar.one_region(fields, { "from" }, "fr.read_file"),
    from = grammar.region_of(fields.from, "from in fr.read_file"),
  }
end

return memory
