-- Does lazy_binding.lua see what the probes print when a shell starts them? Pairs of processes, one
-- started by fr.spawn as the script does it, one by a loop of bash; beside them the probe against
-- itself. First calls are of two kinds, with a page fault and without: the ratio of those without
-- is what a few pairs can tell. Prints ratios; 1 is the same.
--
--   frlua tests/bench/lazy_binding.lua [pairs]
local fr      <const> = require "frlua"
local core    <const> = require "frlua.core"
local cpus    <const> = require "frlua.cpus"
local compare <const> = require "compare"

local pairs_of <const> = tonumber(arg[1] or 200)
local cpu <const> = cpus.choose()
local directory <const> = core.root .. "/lib/frlua/probe/"

local function by_frlua(probe, env)
  return function()
    return fr.json.decode(assert(fr.spawn { directory .. probe, cpu = cpu, env = env }).stdout)
  end
end

-- A plain loop in another process: it prints one line for each that it is asked for.
local function by_shell(probe, setting)
  return function()
    local shell <close> = assert(io.popen(("env -i %s taskset -c %d '%s'"):format(setting, cpu,
      directory .. probe)))
    return fr.json.decode(shell:read "a")
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
for _, case in ipairs {
  { "lazy", nil, "FRLUA_EQUAL=1" }, { "LD_BIND_NOW=1", "1", "LD_BIND_NOW=1" },
} do
  local env <const> = { LD_BIND_NOW = case[2], FRLUA_EQUAL = not case[2] and "1" or nil }
  local ours <const>, shell <const>, again <const> = compare.interleave(pairs_of, {
    by_frlua("call_lazy", env), by_shell("call_lazy", case[3]), by_shell("call_lazy", case[3]) })
  line(case[1] .. ": first call, frlua / shell", ours, shell, first)
  line(case[1] .. ": first call, shell / shell", again, shell, first)
  local left <const>, right <const> = without_faults(ours, shell)
  line(case[1] .. ": no fault, frlua / shell", left, right, first)
  local twin <const>, other <const> = without_faults(again, shell)
  line(case[1] .. ": no fault, shell / shell", twin, other, first)
  local each <const>, by_hand <const>, twice <const> = compare.interleave(pairs_of, {
    by_frlua("calls_lazy", env), by_shell("calls_lazy", case[3]), by_shell("calls_lazy", case[3]) })
  line(case[1] .. ": 512 functions, frlua / shell", each, by_hand, mean)
  line(case[1] .. ": 512 functions, shell / shell", twice, by_hand, mean)
end
