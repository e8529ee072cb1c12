--- The machine's passport: constants and settings, read when they are first asked for and never
--- assumed. `fr.machine.page_bytes`; what is unknown is nil, and `fr.machine.why.thp` says why.
local check <const> = require "frlua.check"
local core <const> = require "frlua.core"
local caches <const> = require "frlua.caches"
local cpus <const> = require "frlua.cpus"
local kernel <const> = require "frlua.kernel"
local units <const> = require "frlua.units"

---@class frlua.Machine
---@field kernel string? its release
---@field arch string? as `uname -m` has it
---@field hypervisor string? whose guest this is; nil also when nothing shows one
---@field cpu_model string?
---@field cpus_allowed string? such as "0-3,8"
---@field memory_bytes integer?
---@field page_bytes integer? of base size
---@field line_bytes integer? of the caches
---@field huge_page_bytes integer? of a transparent huge page of the largest kind
---@field thp string? "always", "madvise", "never", or whatever word the kernel has chosen
---@field thp_defrag string?
---@field mthp table<string, string>? settings of the other sizes of transparent huge pages, only
---those that are not "never": { ["64 KiB"] = "always" }
---@field thp_disabled boolean? this process, and what it starts, gets no transparent huge pages
---@field thp_only_advised boolean? it gets them only where madvise asked, whatever `thp` says
---@field caches frlua.Cache[]? of the CPU that samples run on
---@field clocksource string?
---@field governor string? of that CPU's clock
---@field aslr string? "on", "on, but not for the heap", "off" or "off for this process"
local machine <const> = {}

-- Each returns the value, or nil and the reason. A CPU is given where another than the default is
-- meant.
local readers <const> = {}

local fields <const> = {
  "kernel", "arch", "hypervisor", "cpu_model", "cpus_allowed", "memory_bytes", "page_bytes",
  "line_bytes", "huge_page_bytes", "thp", "thp_defrag", "mthp", "thp_disabled", "thp_only_advised",
  "caches", "clocksource", "governor", "aslr",
}

function readers.kernel()
  return require "posix.sys.utsname".uname().release
end

function readers.arch()
  return require "posix.sys.utsname".uname().machine
end

local cpuinfo <const> = "/proc/cpuinfo"

-- Makers of virtual machines by the names that these give themselves. Names that are on real
-- machines, too (Microsoft, Google, Amazon), prove nothing.
local virtual_vendors <const> = {
  "QEMU", "KVM", "VMware", "Xen", "Bochs", "Parallels", "innotek", "Apple Virtualization",
}

-- What hypervisors call themselves to the processor's instruction for that.
local signatures <const> = {
  KVMKVMKVM = "KVM", ["Microsoft Hv"] = "Hyper-V", VMwareVMware = "VMware", XenVMMXenVMM = "Xen",
  TCGTCGTCGTCG = "QEMU without KVM", ["bhyve bhyve "] = "bhyve",
}

function readers.hypervisor()
  local kind <const> = kernel.line "/sys/hypervisor/type"
  if kind then return kind end
  local signature <const> = kernel.is_this_machine() and core.hypervisor()
  if signature then return signatures[signature] or signature end
  local vendor <const> = kernel.line "/sys/class/dmi/id/sys_vendor"
  local text <const>, message <const> = kernel.text(cpuinfo)
  if text and text:find "\nflags%s*:[^\n]* hypervisor%f[%s]" then
    return vendor or "unknown hypervisor"
  end
  for _, name in ipairs(vendor and virtual_vendors or {}) do
    if vendor:find(name, 1, true) then return vendor end
  end
  return nil, message or "nothing in /sys or /proc/cpuinfo shows one"
end

function readers.cpu_model()
  local text <const>, message <const> = kernel.text(cpuinfo)
  if not text then return nil, message end
  local model <const> = text:match "\nmodel name%s*:%s*([^\n]+)"
  if model then return model end
  local implementer <const>, part <const> =
    text:match "\nCPU implementer%s*:%s*(%w+)", text:match "\nCPU part%s*:%s*(%w+)"
  if part then return ("implementer %s, part %s"):format(implementer, part) end
  return nil, "/proc/cpuinfo names no model"
end

function readers.cpus_allowed()
  local numbers <const>, message <const> = cpus.allowed()
  if numbers then return cpus.format(numbers) end
  return nil, message
end

function readers.memory_bytes()
  local text <const>, message <const> = kernel.text "/proc/meminfo"
  local kilobytes <const> = text and text:match "MemTotal:%s*(%d+) kB"
  if kilobytes then return tonumber(kilobytes) * 1024 end -- what the kernel calls kB is a KiB
  return nil, message or "/proc/meminfo has no MemTotal"
end

-- Only what asks for one CPU pays for choosing it.
local function default_cpu()
  return (cpus.choose()) or 0
end

function readers.caches(cpu)
  return caches.of(cpu or default_cpu())
end

function readers.governor(cpu)
  return kernel.line(("/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor"):format(
    cpu or default_cpu()))
end

function readers.page_bytes()
  return core.sizes().page_bytes
end

function readers.line_bytes(cpu)
  local bytes <const> = core.sizes().line_bytes
  if bytes then return bytes end
  for _, cache in ipairs(readers.caches(cpu) or {}) do
    if cache.line_bytes and cache.type ~= "Instruction" then return cache.line_bytes end
  end
  return nil, "neither the C library nor sysfs knows it"
end

local thp <const> = "/sys/kernel/mm/transparent_hugepage/"

function readers.huge_page_bytes()
  local bytes <const>, message <const> = kernel.whole(thp .. "hpage_pmd_size")
  if bytes and bytes > 0 then return bytes end
  return nil, message or thp .. "hpage_pmd_size is not above 0"
end

-- The word in brackets is the one in force.
local function chosen_word(path)
  local line <const>, message <const> = kernel.line(path)
  if not line then return nil, message end
  local word <const> = line:match "%[([^%]]+)%]"
  if word then return word end
  return nil, ("no word of '%s' in %s is in brackets"):format(line, path)
end

function readers.thp()
  return chosen_word(thp .. "enabled")
end

function readers.thp_defrag()
  return chosen_word(thp .. "defrag")
end

function readers.mthp()
  local files <const>, settings <const> = kernel.matching(thp .. "hugepages-*kB/enabled"), {}
  for _, path in ipairs(files) do
    local bytes <const> = tonumber(path:match "hugepages%-(%d+)kB/") * 1024
    local word <const> = chosen_word(path) or "unknown"
    if word ~= "never" then settings[units.bytes(bytes)] = word end
  end
  if files[1] then return settings end
  return nil, ("%s has no sizes: the kernel is older than 6.8, or hides them"):format(thp)
end

-- PR_GET_THP_DISABLE: bit 0, disabled; with bit 1, too (Linux 6.18), except where madvise asked.
local function thp_disabled_bits()
  local bits <const>, message <const> = core.thp_disabled()
  return bits, message
end

function readers.thp_disabled()
  local bits <const>, message <const> = thp_disabled_bits()
  if bits then return bits & 3 == 1 end
  return nil, message
end

function readers.thp_only_advised()
  local bits <const>, message <const> = thp_disabled_bits()
  if bits then return bits & 3 == 3 end
  return nil, message
end

function readers.clocksource()
  return kernel.line "/sys/devices/system/clocksource/clocksource0/current_clocksource"
end

-- Of /proc/sys/kernel/randomize_va_space; with 1 the heap stays behind the program (the kernel's
-- Documentation/admin-guide/sysctl/kernel.rst).
local aslr_settings <const> = { [0] = "off", [1] = "on, but not for the heap", [2] = "on" }

function readers.aslr()
  if core.aslr_off() then return "off for this process" end
  local setting <const>, message <const> = kernel.whole "/proc/sys/kernel/randomize_va_space"
  if not setting then return nil, message end
  return aslr_settings[setting] or ("setting %d"):format(setting)
end

local known, reasons = {}, {}

local function read(field)
  check.one_of(field, fields, "field", "fr.machine")
  if known[field] == nil and not reasons[field] then
    known[field], reasons[field] = readers[field]()
  end
end

---Why a field is nil.
---@type table<string, string>
machine.why = setmetatable({}, {
  __index = function(_, field)
    read(field)
    return reasons[field]
  end,
})

setmetatable(machine, {
  __index = function(_, field)
    read(field)
    return known[field]
  end,
})

---How much memory an eviction goes through unless told otherwise, see `caches.evict_bytes`.
---@return integer bytes
---@return string why
function machine.evict_bytes()
  return caches.evict_bytes(machine.caches or {}, machine.memory_bytes)
end

---All fields, read now; what is unknown is absent, with the reason in a field of its name and
---"_why".
---@param cpu integer the one that samples run on
---@return table
function machine.passport(cpu)
  local passport <const> = {}
  for _, field in ipairs(fields) do
    passport[field], passport[field .. "_why"] = readers[field](cpu)
  end
  return passport
end

---Reads below other directories from now on, and forgets what was read before.
---@param directories { sys: string?, proc: string? } what is absent is the real one
function machine.read_from(directories)
  kernel.read_from(directories)
  known, reasons = {}, {}
end

return machine
