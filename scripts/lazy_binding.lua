-- What does the first call of a function of a shared library cost? With lazy binding it goes through
-- the dynamic loader, which finds the function and writes down where it is; with LD_BIND_NOW=1 that
-- is done before main. One call of libc as the first look, 512 functions for the cost of a binding,
-- and dlopen for where it is paid.
--
--   frlua scripts/lazy_binding.lua [--rounds N]            60 by default, some seconds
--   frlua scripts/lazy_binding.lua --probe PROGRAM         another program that prints what
--                                                          core/probe/call.c does
--
-- All readings of all processes are kept in $XDG_STATE_HOME/frlua/lazy_binding.json.
local fr       <const> = require "frlua"
local aligned  <const> = require "frlua.report.table"
local analysis <const> = require "frlua.analysis"
local binding  <const> = require "frlua.binding"
local core     <const> = require "frlua.core"
local first_calls <const> = require "frlua.report.first_calls"
local programs <const> = require "frlua.programs"
local splits   <const> = require "frlua.report.splits"
local text     <const> = require "frlua.report.text"
local verdicts <const> = require "frlua.report.verdicts"

local units <const>, stats <const> = fr.units, fr.stats
local ROUNDS <const>, SHOWN <const>, WITHIN <const> = 60, 5, 0.1
local USAGE <const> = "lazy_binding.lua [--rounds N] [--probe PROGRAM], not "

local function arguments()
  local rounds, probe = ROUNDS, nil
  for i = 1, #arg, 2 do
    local value <const> = arg[i + 1]
    local number <const> = math.tointeger(tonumber(value))
    if arg[i] == "--rounds" and number and number >= 1 and number <= 1000 then
      rounds = number
    elseif arg[i] == "--probe" and value then
      probe = value:find "/" and value or "./" .. value
    else
      error(USAGE .. table.concat(arg, " "), 0)
    end
  end
  return rounds, probe
end

local rounds <const>, given_probe <const> = arguments()
local directory <const> = core.root .. "/lib/frlua/probe/"
local call <const> = given_probe or directory .. "call_lazy"
local calls <const>, open <const> = directory .. "calls_lazy", directory .. "open_lazy"
local library <const> = directory .. "libcallers_lazy.so"

-- Whole environments: what the user's says of the loader must not decide, nor its size. The variable
-- that means nothing takes the place of the one that does.
local NONE <const>, NOW <const> = { FRLUA_EQUAL = "1" }, { LD_BIND_NOW = "1" }
local ZERO <const>, EMPTY <const> = { LD_BIND_NOW = "0" }, { LD_BIND_NOW = "" }

local LAZY <const>, BOUND <const> = "lazy", "LD_BIND_NOW=1"
local MAPPED <const>, LAZY_MAPPED <const> = "LD_BIND_NOW=1, code mapped", "lazy, code mapped"
local BUILT <const>, BUILT_BOUND <const> = "-z now", "-z now, LD_BIND_NOW=1"
local EACH <const>, EACH_BOUND <const> = "512 functions, lazy", "512 functions, LD_BIND_NOW=1"
local OPEN <const>, OPEN_BOUND <const> = "dlopen RTLD_LAZY", "dlopen RTLD_NOW"

local function arms()
  local list <const> = {}
  -- A reference, which others are compared with, runs twice.
  local function add(name, env, is_reference, ...)
    list[#list + 1] = { name = name, argv = { ... }, env = env }
    if not is_reference then return end
    list[#list + 1] = { name = name .. " (twin)", argv = { ... }, env = env, twin_of = name }
  end
  add(LAZY, NONE, true, call)
  add(BOUND, NOW, false, call)
  add("LD_BIND_NOW=0", ZERO, false, call)
  add("LD_BIND_NOW empty", EMPTY, false, call)
  add(LAZY_MAPPED, NONE, false, call, "populate")
  add(MAPPED, NOW, false, call, "populate")
  if given_probe then return list end
  add(BUILT, NONE, true, directory .. "call_now")
  add(BUILT_BOUND, NOW, false, directory .. "call_now")
  add(EACH, NONE, true, calls)
  add(EACH_BOUND, NOW, false, calls)
  add(OPEN, NONE, true, open, library, "lazy")
  add(OPEN_BOUND, NONE, false, open, library, "now")
  return list
end

local FASTER <const> = "bound before main, the first call of a function is faster"
local OF_BUILT <const> = "LD_BIND_NOW=1 makes it faster also in a program linked with -z now"
local OF_EACH <const> = "so are the first calls of 512 functions"
local PAID <const> = "dlopen by RTLD_NOW takes longer than by RTLD_LAZY: it is paid there"

local function claims()
  local list <const> = {
    fr.claim(FASTER) { test = fr.below { BOUND, than = LAZY, metric = "first" } },
    fr.claim "LD_BIND_NOW=0 binds before main: any text that is not empty does" {
      test = fr.exact { "LD_BIND_NOW=0", "bound", 0 },
    },
    fr.claim "an empty LD_BIND_NOW binds lazily" {
      test = fr.exact { "LD_BIND_NOW empty", "bound", 1 },
    },
  }
  if given_probe then return list end
  list[#list + 1] = fr.claim(OF_BUILT) {
    test = fr.below { BUILT_BOUND, than = BUILT, metric = "first" },
  }
  list[#list + 1] = fr.claim(OF_EACH) {
    test = fr.below { EACH_BOUND, than = EACH, metric = "each" },
  }
  list[#list + 1] = fr.claim(PAID) { test = fr.above { OPEN_BOUND, than = OPEN, metric = "open" } }
  return list
end

local function mean(list)
  local sum = 0
  for _, ns in ipairs(list) do sum = sum + ns end
  return sum / #list
end

-- What is taken of a process: times of the metrics below, and counts.
local TAKEN <const> = {
  first = function(readings) return readings.ns and readings.ns[1] end,
  second = function(readings) return readings.ns and readings.ns[2] end,
  third = function(readings) return readings.ns and readings.ns[3] end,
  each = function(readings) return readings.first_ns and mean(readings.first_ns) end,
  middle = function(readings) return readings.first_ns and stats.median(readings.first_ns) end,
  again = function(readings) return readings.second_ns and mean(readings.second_ns) end,
  open = function(readings) return readings.open_ns end,
  bound = function(readings)
    return readings.bound_before and readings.bound_after - readings.bound_before
  end,
  faults = function(readings) return readings.minor_faults or readings.first_faults end,
}
local METRICS <const> = { "first", "each", "open" }

local function is_list(list, count)
  return type(list) == "table" and #list > 0 and (not count or #list == count)
end

local function read(output)
  local readings <const> = fr.json.decode(output)
  if type(readings) ~= "table" or not (is_list(readings.ns, 3)
    or is_list(readings.first_ns) and is_list(readings.second_ns, #readings.first_ns)) then
    return nil, "the program printed no times of calls: " .. output:sub(1, 60)
  end
  return readings
end

local design <const> = assert(programs.design {
  arms = arms(), metrics = METRICS, claims = claims(), rounds = rounds,
})
local samples <const> = programs.run(design, read)
local values <const> = programs.values(design, samples, TAKEN)

local function of(arm) return programs.whole(samples, arm) end
local function list_of(arm, metric) return analysis.dense(values[arm][metric], rounds) end

-- Why claims can't be made, by what their processes read of their slots.
local function objections()
  local lazily <const>, empty <const> = binding.not_lazy(of(LAZY)), binding.not_lazy(of(LAZY))
  local found <const> = { [FASTER] = lazily or binding.not_now(of(BOUND)),
    [ZERO_BINDS] = empty, [EMPTY_DOES_NOT] = empty }
  if given_probe then return found end
  found[OF_BUILT] = binding.not_lazy(of(BUILT))
  found[OF_EACH] = binding.not_lazy(of(EACH)) or binding.not_now(of(EACH_BOUND))
  found[PAID] = binding.not_lazy(of(OPEN)) or binding.not_now(of(OPEN_BOUND))
  return found
end
