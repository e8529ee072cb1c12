--- The clock of a core by its own counters: APERF counts its cycles while it is awake, MPERF those
--- of its nominal clock (Intel SDM, volume 3, "Hardware feedback"; AMD APM, volume 2, "Effective
--- frequency"). The kernel shows them in /dev/cpu/N/msr, to who may read it.
local frequency <const> = {}

-- Numbers of the registers, which are where in the device they are.
local MPERF <const>, APERF <const> = 0xE7, 0xE8
local REGISTER_BYTES <const> = 8

local function read_register(file, path, number)
  local unistd <const> = require "posix.unistd"
  local bytes, message = unistd.lseek(file, number, unistd.SEEK_SET)
  if bytes then bytes, message = unistd.read(file, REGISTER_BYTES) end
  if bytes and #bytes == REGISTER_BYTES then return (string.unpack("<i8", bytes)) end
  return nil, ("cannot read register %X of '%s': %s"):format(number, path,
    message or "it ends before")
end

---@param path string such as /dev/cpu/0/msr
---@return { aperf: integer, mperf: integer }? counters
---@return string? why
function frequency.counters(path)
  local fcntl <const> = require "posix.fcntl"
  local file <const>, message <const> = fcntl.open(path, fcntl.O_RDONLY | fcntl.O_CLOEXEC)
  if not file then return nil, message end
  local mperf <const>, mperf_why <const> = read_register(file, path, MPERF)
  local aperf <const>, aperf_why <const> = read_register(file, path, APERF)
  require "posix.unistd".close(file)
  if not mperf or not aperf then return nil, mperf_why or aperf_why end
  return { aperf = aperf, mperf = mperf }
end

---How many times its nominal clock a core had between two readings, while it was awake.
---@param before { aperf: integer, mperf: integer }
---@param after { aperf: integer, mperf: integer }
---@return number? ratio
---@return string? why
function frequency.ratio(before, after)
  -- Differences are right when a counter passes 2^64, too.
  local awake <const>, nominal <const> = after.aperf - before.aperf, after.mperf - before.mperf
  if nominal <= 0 or awake <= 0 then
    return nil, ("the counters do not move forward: APERF by %d, MPERF by %d"):format(awake,
      nominal)
  end
  return awake / nominal
end

---The same while `work` runs on a CPU, in a child of its own. Nothing is forked where the counters
---can't be read.
---@param cpu integer
---@param work fun()
---@param path? string of the counters, by default that CPU's device
---@return number? ratio
---@return string? why
function frequency.during(cpu, work, path)
  path = path or ("/dev/cpu/%d/msr"):format(cpu)
  local readable <const>, why <const> = frequency.counters(path)
  if not readable then return nil, why end
  local child <const>, message <const> = require "frlua.process".fork { cpu = cpu, run = function()
    local before <const> = assert(frequency.counters(path))
    work()
    return { before = before, after = assert(frequency.counters(path)) }
  end }
  if not child then return nil, message end
  if child.status ~= "ok" then return nil, child.error or child.status end
  return frequency.ratio(child.value.before, child.value.after)
end

return frequency
