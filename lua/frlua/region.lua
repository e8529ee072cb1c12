--- Regions: memory that a script maps, touches and asks about. Each pass over one is a single call
--- into C, and returns what was measured of it.
local check <const> = require "frlua.check"
local clock <const> = require "frlua.clock"
local core <const> = require "frlua.core"
local grammar <const> = require "frlua.grammar"
local job <const> = require "frlua.job"
local signals <const> = require "frlua.signals"
local units <const> = require "frlua.units"

local region <const> = {}

---@class frlua.Region private anonymous memory, given back by `<close>`, `close` or the collector
---@field bytes integer as asked for
---@field pages integer of base size that hold them
---@field address integer
---@field close fun(self: frlua.Region) a second time does nothing; any other use is an error then
local methods <const> = core.region_methods

---@class frlua.Pass one timed pass over memory
---@field ns integer
---@field minor_faults integer
---@field major_faults integer
---@field accesses integer? words or bytes that were written or read
---@field sum integer? of what was read, modulo 2^64
---@field bytes integer? of other memory that an eviction went through

-- Why madvise(2) refuses memory that is private, mapped and whole pages long.
local refusals <const> = {
  EINVAL = "this kernel does not know the advice, or not for such memory",
  ENOMEM = "the kernel has not enough memory for it",
  EPERM = "only a privileged process may ask for it",
  EAGAIN = "what the kernel needs for it is not available now, another time it may be",
  EBUSY = "pages of the region are in use elsewhere",
}

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
  local advised <const>, message <const>, errno <const> = self:madvise(core.advice_number(name))
  if advised then return true end
  local error_name <const> = signals.error_name(errno)
  local meaning <const> = refusals[error_name] and ": " .. refusals[error_name] or ""
  local system <const> = message:gsub("^madvise: ", "")
  return nil, ("cannot advise '%s': %s (%s)%s"):format(name, system, error_name, meaning), errno
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
  }
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
    local op <const> = grammar[name] { self, every = fields.every, value = fields.value }
    local result <const> = pass(op)
    result.accesses = accesses(self.bytes, job.stride(op.every))
    return result
  end
end

---Writes over the region once: every word (8 bytes), or one byte of every line, page or stretch of
---so many bytes. `m:write()`, `m:write "word"`, `m:write { every = 256, value = 7 }`
---@type fun(self: frlua.Region, how: nil|string|integer|table): frlua.Pass # by default "page", 1
methods.write = touching("write", { "every", "value" })

---Reads over the region once, likewise.
---@type fun(self: frlua.Region, how: nil|string|integer|table): frlua.Pass # by default "page"
methods.read = touching("read", { "every" })

---Makes the region cold: writes and reads so much other memory that the caches hold that instead.
---@param options? { bytes: integer|string? } default: the larger of 64 MiB and twice the last-level
---cache, as far as that is plausible
---@return frlua.Pass? pass with the `bytes`
---@return string? message
---@return integer? errno
function methods:evict(options)
  check_open(self, "evict")
  local op <const> = grammar.evict(options)
  op.amount = op.amount or require "frlua.machine".evict_bytes()
  local result <const>, message <const>, errno <const> = pass(op)
  if not result then return nil, message, errno end
  result.bytes = op.amount
  return result
end

---Writes its own number into every word: 0, 1, 2 …; the region is resident afterwards.
function methods:fill()
  check_open(self, "fill")
  self:fill_index()
end

---What the kernel tells of the region's memory now, from /proc/self/smaps.
function methods:smaps()
  check_open(self, "smaps")
  return require "frlua.smaps".of_range(self.address, self.bytes)
end

local function power_of_two(value, name)
  local bytes <const> = check.bytes(value, name)
  if bytes & (bytes - 1) == 0 then return bytes end
  check.fail(("%s must be a power of two, not %d"):format(name, bytes))
end

---Maps memory. Nothing of it is resident yet: the first access of each page faults.
---`local m <close> = assert(fr.map { bytes = "512 MiB" })`
---@param options { bytes: integer|string, align: integer|string?, advise: string? } `align`: the
---address is a multiple of it, by default of the page size; `advise`: as by `region:advise`
---@return frlua.Region? region
---@return string? message "cannot map 1 TiB: Cannot allocate memory (ENOMEM)"
---@return integer? errno
function region.map(options)
  check.keys(options, { "bytes", "align", "advise" }, "fr.map")
  local bytes <const> = check.bytes(options.bytes, "bytes of fr.map")
  local align <const> = options.align and power_of_two(options.align, "align of fr.map")
  local advice <const> = options.advise
    and check.one_of(options.advise, core.advice_names(), "advice", "fr.map")
  local mapped <const>, refusal <const>, error_number <const> = core.map(bytes, align)
  if not mapped then
    local system <const> = refusal:gsub("^mmap: ", "")
    return nil, ("cannot map %s: %s (%s)")
      :format(units.bytes(bytes), system, signals.error_name(error_number)), error_number
  end
  if not advice then return mapped end
  local advised <const>, message <const>, errno <const> = mapped:advise(advice)
  if advised then return mapped end
  mapped:close()
  return nil, message, errno
end

return region
