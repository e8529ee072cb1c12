-- Does lazy_binding.lua see what the probes print when a plain C program starts them? Pairs of
-- processes, one started by fr.spawn as the script does it, one by posix_spawn from a loop; beside
-- them the probe against itself. First calls are of two kinds, with a page fault and without: the
-- ratios are told of all pairs, and of those without. Prints ratios; 1 is the same.
--
--   frlua tests/bench/lazy_binding.lua [pairs]
local fr      <const> = require "frlua"
local core    <const> = require "frlua.core"
local cpus    <const> = require "frlua.cpus"
local fcntl   <const> = require "posix.fcntl"
local unistd  <const> = require "posix.unistd"
local compare <const> = require "compare"

local pairs_of <const> = tonumber(arg[1] or 200)
local cpu <const> = cpus.choose()
local directory <const> = core.root .. "/lib/frlua/probe/"
core.stay_on(cpu) -- as a run does

local function by_frlua(probe, setting)
  local name <const>, value <const> = setting:match "^([^=]+)=(.*)$"
  return function()
    local child <const> = assert(fr.spawn { directory .. probe, cpu = cpu,
      env = { [name] = value } })
    return fr.json.decode(child.stdout)
  end
end

-- A C program that waits to be told: each byte is one process, which prints one line.
local function by_loop(probe, setting)
  local from <const>, to_loop <const> = unistd.pipe()
  local from_loop <const>, to <const> = unistd.pipe()
  -- Another loop that held an end of them would keep this one from ending with the benchmark.
  for _, descriptor in ipairs { from, to_loop, from_loop, to } do
    fcntl.fcntl(descriptor, fcntl.F_SETFD, fcntl.FD_CLOEXEC)
  end
  if unistd.fork() == 0 then
    unistd.dup2(from, unistd.STDIN_FILENO)
    unistd.dup2(to, unistd.STDOUT_FILENO)
    unistd.exec(core.root .. "/tests/oracle/spawn_loop", { [0] = "spawn_loop", tostring(cpu),
      setting, directory .. probe })
    unistd._exit(127)
  end
  unistd.close(from)
  unistd.close(to)
  return function()
    unistd.write(to_loop, "x")
    local text = ""
    repeat
      local part <const> = unistd.read(from_loop, 65536)
      assert(part and part ~= "", "spawn_loop has ended")
      text = text .. part
    until text:find "\n$"
    return fr.json.decode(text)
  end
end

local function first(readings) return readings.ns[1] end
local function mean(readings)
  local sum = 0
  for _, ns in ipairs(readings.first_ns) do sum = sum + ns end
  return sum / #readings.first_ns
end

local function of(samples, take)
  local list <const> = {}
  for index, sample in ipairs(samples) do list[index] = take(sample) end
  return list
end

-- The pairs in which neither process had a page fault in its calls.
local function without_faults(a, b)
  local left <const>, right <const> = {}, {}
  for index = 1, #a do
    if a[index].minor_faults == 0 and b[index].minor_faults == 0 then
      left[#left + 1], right[#right + 1] = a[index], b[index]
    end
  end
  return left, right
end

local function line(name, a, b, take)
  compare.line(("%s, %d pairs"):format(name, #a), of(a, take), of(b, take))
end

print(("%d pairs, medians of ratios with 95 %% intervals"):format(pairs_of))
for _, setting in ipairs { "FRLUA_EQUAL=1", "LD_BIND_NOW=1" } do
  print(setting == "LD_BIND_NOW=1" and setting or "lazy")
  local ours <const>, loop <const>, again <const> = compare.interleave(pairs_of, {
    by_frlua("call_lazy", setting), by_loop("call_lazy", setting),
    by_loop("call_lazy", setting) })
  line("first call, frlua / C", ours, loop, first)
  line("first call, C / C", again, loop, first)
  local left <const>, right <const> = without_faults(ours, loop)
  line("no fault, frlua / C", left, right, first)
  local twin <const>, other <const> = without_faults(again, loop)
  line("no fault, C / C", twin, other, first)
  local each <const>, by_hand <const>, twice <const> = compare.interleave(pairs_of, {
    by_frlua("calls_lazy", setting), by_loop("calls_lazy", setting),
    by_loop("calls_lazy", setting) })
  line("512 functions, frlua / C", each, by_hand, mean)
  line("512 functions, C / C", twice, by_hand, mean)
end
