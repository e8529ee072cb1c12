--- Regions: memory that a script maps, touches and asks about. Each pass over one is a single call
--- into C, and returns what was measured of it.
local check <const> = require "frlua.check"
local clock <const> = require "frlua.clock"
local core <const> = require "frlua.core"
local job <const> = require "frlua.job"
local mapping <const> = require "frlua.mapping"
local memory <const> = require "frlua.memory"
local operations <const> = require "frlua.operations"
local refusal <const> = require "frlua.refusal"

local region <const> = {}

---@class frlua.Region memory of fr.map, given back by `<close>`, `close` or the collector
---@field bytes integer as asked for
---@field pages integer of base size that hold them
---@field address integer
---@field close fun(self: frlua.Region) a second time does nothing; any other use is an error then
---@field unmap fun(self: frlua.Region) the same
local methods <const> = core.region_methods

methods.unmap = methods.close

---@class frlua.Pass one timed pass over memory
---@field ns integer
---@field minor_faults integer
---@field major_faults integer
---@field accesses integer? words or bytes that were written or read
---@field sum integer? of what was read, modulo 2^64
---@field bytes integer? of other memory that an eviction went through

local function check_open(self, name)
  local state <const> = core.region_state(self)
  if state == "closed" then check.fail(("region:%s: the region is closed"):format(name)) end
  if state == "open" then return end
  check.fail(("region:%s is called on a region, as in m:%s(), not on %s")
    :format(name, name, check.show(self)))
end

---Advises the kernel about the whole region, as madvise(2) does. That it was taken says little:
---what came of it is read back by `smaps`.
---@param name string in lower case, such as "nohugepage"
---@return true? advised
---@return string? message
---@return integer? errno
function methods:advise(name)
  check_open(self, "advise")
  check.one_of(name, core.advice_names(), "advice", "region:advise")
  local advised <const>, _ <const>, errno <const> = self:madvise(core.advice_number(name))
  if advised then
    if name:find "hugepage$" and mapping.of[self] then mapping.of[self].advise = name end
    return true
  end
  return nil, ("cannot advise '%s': %s"):format(name, refusal.text("advise", errno)), errno
end

-- Runs one operation once.
local function pass(op)
  local readings <const>, message <const>, errno <const> = clock.time { op }
  if not readings then return nil, message, errno end
  local minor <const>, major <const> = readings.minor_faults[1], readings.major_faults[1]
  return {
    ns = readings.ns[1],
    minor_faults = minor and minor[2] or 0,
    major_faults = major and major[2] or 0,
    sum = op.code == "read" and readings.sum or nil,
  }, readings.ops[1]
end

-- Whole words; of any other stride one byte each, also of a last one that is not whole.
local function accesses(bytes, stride)
  local word <const> = job.stride "word"
  return stride == word and bytes // word or (bytes + stride - 1) // stride
end

local function touching(name, keys)
  return function(self, how)
    check_open(self, name)
    local fields <const> = type(how) == "table" and check.keys(how, keys, "region:" .. name)
      or { every = how }
    local op <const> = operations[name] { self, every = fields.every, value = fields.value }
    local result <const>, message <const> = pass(op)
    if not result then return nil, message end
    result.accesses = accesses(self.bytes, job.stride(op.every))
    return result
  end
end

---Writes over the region once: every word (8 bytes), or one byte of every line, page or stretch of
---so many bytes. `m:write()`, `m:write "word"`, `m:write { every = 256, value = 7 }`
---Where nothing is behind an address, such as past the end of a file, the pass ends there: nil, and
---a message that names the signal and the byte.
---@type fun(self: frlua.Region, how: nil|string|integer|table): frlua.Pass?, string? # by default
---"page", 1
methods.write = touching("write", { "every", "value" })

---Reads over the region once, likewise.
---@type fun(self: frlua.Region, how: nil|string|integer|table): frlua.Pass # by default "page"
methods.read = touching("read", { "every" })

-- The operation of `region:faults_by_mapping`, in the words of `write` and `read`.
local function traced_op(self, how)
  local what <const> = "region:faults_by_mapping"
  local fields <const> = type(how) == "table" and how or { pass = how }
  check.keys(fields, { "pass", "every", "value" }, what)
  local name <const> = check.one_of(fields.pass or "write", { "write", "read" }, "pass", what)
  if name == "read" then check.keys(fields, { "pass", "every" }, what .. " that reads") end
  return operations[name] { self, every = fields.every, value = fields.value }
end

---Where the page faults of a pass over the region fall: in the region, or elsewhere. Performs the
---pass, as `write` and `read` do, in this process, while a thread of its own drains what the kernel
---records; it takes longer than an untraced pass and is not timed. Or traces a function: what it
---does, and what Lua's own memory takes meanwhile.
---`m:faults_by_mapping()`, `m:faults_by_mapping "read"`, `m:faults_by_mapping { every = "line" }`,
---`m:faults_by_mapping(function() m:advise "populate_write" end)`
---@param how nil|string|table|function "write" (default), "read", or { pass =, every =, value = }
---@return frlua.FaultAccount? account nil where the kernel lets nobody trace; the pass was
---performed all the same
---@return string? why
---@return integer? errno
function methods:faults_by_mapping(how)
  check_open(self, "faults_by_mapping")
  local op <const> = type(how) ~= "function" and traced_op(self, how)
  local trace <const> = require "frlua.trace"
  local mapped <const> = trace.mapped()
  local ok <const>, result <const>, raw <const>, message <const>, errno <const> =
    core.trace(op and function() return clock.time { op } end or how, clock.id)
  if not ok then error(result, 0) end
  if not raw then return nil, trace.refusal(message, errno), errno end
  raw.mappings = table.move(raw.mappings, 1, #raw.mappings, #mapped + 1, mapped)
  local window <const> = op and result or raw
  local function sum(faults)
    return type(faults) == "table" and (faults[1] and faults[1][2] or 0) or faults
  end
  return trace.account(raw, {
    from_ns = window.from_ns, to_ns = window.to_ns,
    total = sum(window.minor_faults) + sum(window.major_faults),
    regions = { { name = "region", address = self.address, bytes = self.bytes } },
  })
end

---Makes the region cold: writes and reads so much other memory that the caches hold that instead.
---@param options? { bytes: integer|string? } default: the larger of 64 MiB and twice the last-level
---cache, as far as that is plausible
---@return frlua.Pass? pass with the `bytes`
---@return string? message
---@return integer? errno
function methods:evict(options)
  check_open(self, "evict")
  local op <const> = operations.evict(options)
  op.amount = op.amount or require "frlua.machine".evict_bytes()
  local result <const>, message <const>, errno <const> = pass(op)
  if not result then return nil, message, errno end
  result.bytes = op.amount
  return result
end

-- What the kernel is asked for, timed as one pass. The outcome's table is added to it.
local function asking(name, op_of)
  return function(self, ...)
    check_open(self, name)
    local op <const> = op_of(self, ...)
    local result <const>, outcome <const>, errno <const> = pass(op)
    if not result then return nil, outcome, errno end
    if name == "populate" then
      result.how = outcome.is_touch_loop and "touch loop" or "madvise"
    elseif name == "evict_file" then
      result.resident_pages, result.pages = outcome.resident_pages, self.pages
      result.cold = outcome.resident_pages == 0
    end
    return result
  end
end

---Has the kernel take the faults of the whole region in one call: `m:populate()`, `m:populate
---"read"`. They are in the pass' `minor_faults`, as getrusage counts them, and no touch takes them
---later. Its `how` is "madvise", or "touch loop" where this kernel has no call for it: then a loop
---over the pages has taken them, which keeps what is written there and costs something else.
---@type fun(self: frlua.Region, access: "write"|"read"|nil): frlua.Pass?, string?, integer?
methods.populate = asking("populate", function(self, access)
  return memory.populate { self, access = access }
end)

---Asks for huge pages in the place of the small ones (MADV_COLLAPSE); what came of it is read back
---by `smaps`.
---@type fun(self: frlua.Region): frlua.Pass?, string?, integer?
methods.collapse = asking("collapse", memory.collapse)

---Locks the region into memory, with all its pages (mlock), or ends that.
---@type fun(self: frlua.Region): frlua.Pass?, string?, integer?
methods.lock = asking("lock", memory.lock)

---@type fun(self: frlua.Region): frlua.Pass?, string?, integer?
methods.unlock = asking("unlock", memory.unlock)

---Maps the region anew, without its pages, its advice and its lock. `m:remap { populate = true }`
---@type fun(self: frlua.Region, how: { populate: boolean? }?): frlua.Pass?, string?, integer?
methods.remap = asking("remap", function(self, how)
  check.keys(how or {}, { "populate" }, "region:remap")
  return memory.remap { self, populate = how and how.populate }
end)

---Reads the start of another region's file into this one, by read(2).
---@type fun(self: frlua.Region, from: frlua.Region): frlua.Pass?, string?, integer?
methods.read_file = asking("read_file", function(self, from)
  return memory.read_file { self, from = from }
end)

---Drops the region's file from memory, after writing out what is dirty. The pass says what came of
---it: `resident_pages` of `pages` were still there afterwards, and `cold` is true when none was.
---@type fun(self: frlua.Region): frlua.Pass?, string?, integer?
methods.evict_file = asking("evict_file", memory.evict_file)

---Pages of base size that are in memory (mincore); of a file also those that are not mapped. Of a
---file that this user neither owns nor may write, the kernel calls every page resident.
---@return integer? pages
---@return string? message
---@return integer? errno
function methods:resident_pages()
  check_open(self, "resident_pages")
  local pages <const>, _ <const>, errno <const> = self:count_resident()
  if pages then return pages end
  return nil, "cannot count resident pages: " .. refusal.text("mincore", errno), errno
end

---Writes its own number into every word: 0, 1, 2 …; the region is resident afterwards. A file that
---was made for it is filled by write(2): it is in memory then, and none of it is mapped.
---@return true? filled
---@return string? message
---@return integer? errno
function methods:fill()
  check_open(self, "fill")
  local filled <const>, message <const>, errno <const>, _ <const>, byte <const> = self:fill_index()
  if filled then return true end
  if byte then return nil, refusal.trap(message, byte, self.bytes, mapping.of[self]) end
  return nil, "cannot fill: " .. refusal.text("fill", errno), errno
end

---What the kernel tells of the region's memory now, from /proc/self/smaps.
function methods:smaps()
  check_open(self, "smaps")
  return require "frlua.smaps".of_range(self.address, self.bytes)
end

---How much of the region huge pages back, read from smaps now, and why not all of it.
---@return frlua.Backing? backing
---@return string? message
---@return integer? errno
function methods:backing()
  check_open(self, "backing")
  local sum <const>, message <const>, errno <const> = self:smaps()
  if not sum then return nil, message, errno end
  return require "frlua.backing".of(sum, self.address, self.bytes)
end

---What the page table maps of the region now, of this range alone, unlike smaps: bytes that are
---present, and those of them that huge entries map. By `method` "PAGEMAP_SCAN" (Linux 6.7), or, on
---older kernels for a privileged user, "kpageflags": then huge_bytes is an upper bound, as the
---frames are looked at, and not the entries.
---@return { method: string, present_bytes: integer, huge_bytes: integer }? table
---@return string? message
---@return integer? errno
function methods:page_table()
  check_open(self, "page_table")
  local found <const>, _ <const>, errno <const> = self:read_page_table()
  if found then return found end
  return nil, "cannot read the page table: " .. refusal.text("page_table", errno), errno
end

---Maps memory. Without `populate` and `lock` nothing of it is resident yet: the first access of
---each page faults.
---`local m <close> = assert(fr.map { bytes = "512 MiB", advise = "nohugepage" })`
---`local f <close> = assert(fr.map { file = "/etc/passwd", read_only = true })`
---@param options frlua.Memory `bytes` may be a text; of an existing file all of it is meant without
---@return frlua.Region? region
---@return string? message "cannot map 1 TiB: Cannot allocate memory (ENOMEM)"
---@return integer? errno
function region.map(options)
  check.keys(options, mapping.KEYS, "fr.map")
  local fields <const> = mapping.fields(options, "of fr.map")
  local plain <const>, why <const> = mapping.plain(fields)
  if not plain then return nil, why end
  local mapped <const>, _ <const>, number <const> = core.map(plain)
  if not mapped then
    local request <const> = refusal.request({ code = "map" }, fields)
    return nil, ("cannot %s: %s"):format(request, refusal.text("map", number, fields)), number
  end
  mapping.of[mapped] = fields
  if not fields.advise then return mapped end
  local advised <const>, message <const>, errno <const> = mapped:advise(fields.advise)
  if advised then return mapped end
  mapped:close()
  return nil, message, errno
end

return region
