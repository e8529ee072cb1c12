--- What it means for an experiment that the kernel refused something: the error's name is not
--- enough for a reader, and the limit that was hit is not in it.
local core <const> = require "frlua.core"
local signals <const> = require "frlua.signals"
local units <const> = require "frlua.units"

local refusal <const> = {}

local function limit(bytes)
  return bytes and units.bytes(bytes) or "unlimited"
end

local function locked_limit()
  return ("no more may be locked than RLIMIT_MEMLOCK, which is %s here")
    :format(limit(core.limits().locked_bytes))
end

local function no_memory(region)
  if region and region.huge then
    local bytes <const> = require "frlua.mapping".huge_bytes(region)
    return require "frlua.hugetlb".pool(bytes) .. ": small pages do not stand in for them"
  end
  local bytes <const> = core.limits().address_space_bytes
  return bytes and ("the address space is limited to %s (RLIMIT_AS)"):format(units.bytes(bytes))
end

local COLLAPSE_FROM <const> = 6 << 8 | 1 -- Linux 6.1

-- The kernel says EINVAL for whatever trying again does not help with: what of that is known here.
local function not_collapsible(region)
  local machine <const> = require "frlua.machine"
  local major <const>, minor <const> = (machine.kernel or ""):match "^(%d+)%.(%d+)"
  if major and (tonumber(major) << 8 | tonumber(minor)) < COLLAPSE_FROM then
    return ("Linux %s has no MADV_COLLAPSE: 6.1 is the first with it"):format(machine.kernel)
  elseif machine.thp_disabled then
    return require "frlua.backing".DISABLED
  elseif region and region.advise == "nohugepage" then
    return "the region is advised 'nohugepage', which holds for MADV_COLLAPSE, too"
  end
  return "a part of the region could not be one huge page: nothing of it is resident, it is"
    .. " too small or not aligned, is advised 'nohugepage', or is no memory of that kind"
end

-- Of containers' filters, too: they can't be told from the kernel's own refusals.
local function not_permitted()
  local paranoid <const> = require "frlua.kernel".line "/proc/sys/kernel/perf_event_paranoid"
  return ("this user may not count it: kernel.perf_event_paranoid is %s, or a seccomp filter"
    .. " forbids it"):format(paranoid or "unknown")
end

local function open_files_limit()
  local resource <const> = require "posix.sys.resource"
  local limits <const> = resource.getrlimit(resource.RLIMIT_NOFILE)
  return ("no more files may be open than RLIMIT_NOFILE, which is %s here")
    :format(limits and limits.rlim_cur or "unknown")
end

local ADVICE <const> = {
  EINVAL = "this kernel does not know the advice, or not for such memory",
  ENOMEM = "the kernel has not enough memory for it",
  EPERM = "only a privileged process may ask for it",
  EAGAIN = "what the kernel needs for it is not available now, another time it may be",
  EBUSY = "pages of the region are in use elsewhere",
}

-- By operation and error: a text, or a function of the region's fields that makes one.
local MEANINGS <const> = {
  map = {
    ENOMEM = no_memory,
    EAGAIN = locked_limit,
    EINVAL = function(region)
      return region and region.huge and require "frlua.hugetlb".pool(
        require "frlua.mapping".huge_bytes(region))
    end,
    ENODEV = "only regular files and block devices can be mapped, where their file system can",
    EACCES = "the file may not be opened so: shared memory that is written needs a writable file",
  },
  advise = ADVICE,
  collapse = { -- of the last huge page that failed: others may have been made all the same
    EINVAL = not_collapsible,
    ENOMEM = "the kernel has no free huge page, and could make none by moving other pages",
    EAGAIN = "pages of it are locked, pinned or being moved now: another time it may work",
    EBUSY = "the limit of the memory cgroup (memory.max) leaves no room for a huge page",
  },
  populate = {
    EINVAL = "the region can't be accessed so: it may only be read",
    ENOMEM = "there is not enough memory, or a part of the region is not mapped",
    EFAULT = "a part of the region has nothing behind it, such as what lies past the end of a file",
    EHWPOISON = "a page of it is broken memory",
  },
  lock = {
    ENOMEM = locked_limit,
    EPERM = locked_limit,
    EAGAIN = "a part of it could not be brought into memory",
  },
  count = { -- perf_event_open(2)
    ENOENT = "no hardware here counts it, as in most virtual machines",
    ENODEV = "this processor does not count it",
    EOPNOTSUPP = "this processor does not count it",
    EINVAL = "this processor does not count it, or not so",
    EBUSY = "somebody else has the hardware's counters alone",
    EACCES = not_permitted,
    EPERM = not_permitted,
    ENOSYS = "this kernel has no perf_event_open, or a seccomp filter hides it",
    EMFILE = open_files_limit,
  },
  read_file = { ENODATA = "the file is shorter" },
  page_table = {
    EPERM = "this kernel has no PAGEMAP_SCAN (Linux 6.7), and shows frames only to the privileged",
    ENOENT = "/proc/self/pagemap is missing, or PAGEMAP_SCAN (Linux 6.7) and /proc/kpageflags are",
  },
}

---What an error means; nil where there is nothing to add to its name.
---@param code string the operation, or "map"
---@param number integer the errno
---@param region? table the fields of the region
---@return string?
function refusal.meaning(code, number, region)
  local meaning <const> = (MEANINGS[code] or {})[signals.error_name(number)]
  if type(meaning) == "function" then return meaning(region) or nil end
  return meaning
end

---"Cannot allocate memory (ENOMEM): no more may be locked than …"
---@param code string
---@param number integer
---@param region? table
---@return string
function refusal.text(code, number, region)
  local meaning <const> = refusal.meaning(code, number, region)
  return ("%s (%s)%s"):format(core.error_text(number), signals.error_name(number),
    meaning and ": " .. meaning or "")
end

local VERBS <const> = {
  map = "map", populate = "populate", collapse = "collapse", lock = "lock", unlock = "unlock",
  remap = "map anew", read_file = "read the file into", evict_file = "evict the file of",
}

---What was asked of the kernel, in words: "lock 1 MiB", "advise 'remove'".
---@param op frlua.Op|{ code: string }
---@param region { bytes: integer, file: string?, align: integer? }
---@return string
function refusal.request(op, region)
  if op.code == "advise" then return ("advise '%s'"):format(op.advice) end
  return ("%s %s%s%s"):format(VERBS[op.code], units.bytes(region.bytes),
    region.align and " aligned to " .. units.bytes(region.align) or "",
    region.file and (" of '%s'"):format(region.file) or "")
end

local TRAPS <const> = {
  SIGBUS = function(region)
    return region.file and "past the end of the file, or its disk is full"
      or region.huge and "the pool of huge pages is empty"
  end,
  SIGSEGV = function(region) return region.read_only and "the region may only be read" end,
}

---What may have brought a signal at an access to a region.
---@param signal string such as "SIGBUS"
---@param region table its fields
---@return string? # nil where the region is no cause of it
function refusal.cause(signal, region)
  return TRAPS[signal] and TRAPS[signal](region) or nil
end

local NO_CAUSE <const> = {
  SIGBUS = "nothing is behind that address", SIGSEGV = "the address may not be accessed so",
}

---What a signal at an access means: "SIGBUS: byte 8192 of 12288, past the end of the file …".
---@param signal "SIGBUS"|"SIGSEGV"
---@param byte integer
---@param bytes integer of the region
---@param region? table its fields
---@return string
function refusal.trap(signal, byte, bytes, region)
  return ("%s: byte %d of %d can't be touched: %s"):format(signal, byte, bytes,
    region and refusal.cause(signal, region) or NO_CAUSE[signal])
end

return refusal
