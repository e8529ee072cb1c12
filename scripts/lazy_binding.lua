-- What does the first call of a function of a shared library cost? With lazy binding it goes
-- through the dynamic loader, which finds the function and writes down where it is; with
-- LD_BIND_NOW=1 that is done before main. One call of libc as the first look, 512 functions for the
-- cost of a binding, and dlopen for where it is paid.
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

-- Whole environments: what the user's says of the loader must not decide, nor its size. The
-- variable that means nothing takes the place of the one that does.
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
local ZERO_BINDS <const> = "LD_BIND_NOW=0 binds before main, as any text does that is not empty"
local EMPTY_DOES_NOT <const> = "an empty LD_BIND_NOW binds lazily"
local OF_BUILT <const> = "LD_BIND_NOW=1 makes it faster in a program linked with -z now, too"
local OF_EACH <const> = "bound before main, the first calls of 512 functions are faster"
local PAID <const> = "it is paid by dlopen instead: RTLD_NOW takes longer than RTLD_LAZY"
local KNOWN <const> = "the cost of a binding is known within 10 %"

local function claims()
  local list <const> = {
    fr.claim(FASTER) { test = fr.below { BOUND, than = LAZY, metric = "first" } },
    fr.claim(ZERO_BINDS) { test = fr.exact { "LD_BIND_NOW=0", "bound", 0 } },
    fr.claim(EMPTY_DOES_NOT) { test = fr.exact { "LD_BIND_NOW empty", "bound", 1 } },
  }
  if given_probe then return list end
  list[4] = fr.claim(OF_BUILT) { test = fr.below { BUILT_BOUND, than = BUILT, metric = "first" } }
  list[5] = fr.claim(OF_EACH) { test = fr.below { EACH_BOUND, than = EACH, metric = "each" } }
  list[6] = fr.claim(PAID) { test = fr.above { OPEN_BOUND, than = OPEN, metric = "open" } }
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
  third = function(readings) return readings.ns and readings.ns[3] end,
  each = function(readings) return readings.first_ns and mean(readings.first_ns) end,
  middle = function(readings) return readings.first_ns and stats.median(readings.first_ns) end,
  again = function(readings) return readings.second_ns and mean(readings.second_ns) end,
  open = function(readings) return readings.open_ns end,
  bound = function(readings)
    return readings.bound_before and readings.bound_after - readings.bound_before
  end,
  faults = function(readings) return readings.minor_faults end,
}

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
  arms = arms(), metrics = { "first", "each", "open" }, claims = claims(), rounds = rounds,
})
local started_at <const> = os.date "!%Y-%m-%dT%H:%M:%SZ"
local samples <const> = programs.run(design, read)
local values <const> = programs.values(design, samples, TAKEN)

local function of(arm) return programs.whole(samples, arm) end
local function list_of(arm, metric) return analysis.dense(values[arm][metric], rounds) end

-- The file whose calls an arm is about.
local function file_of(arm) return arm.argv[1] == open and library or arm.argv[1] end

local lazy_why <const> = binding.not_lazy(call, of(LAZY)) or binding.not_now(of(BOUND))
local each_why <const> = not given_probe
  and (binding.not_lazy(calls, of(EACH)) or binding.not_now(of(EACH_BOUND))) or nil

-- Why claims can't be made.
local function objections()
  local found <const> = { [FASTER] = lazy_why, [ZERO_BINDS] = lazy_why,
    [EMPTY_DOES_NOT] = lazy_why }
  if given_probe then return found end
  found[OF_BUILT] = binding.not_lazy(directory .. "call_now", of(BUILT))
  found[OF_EACH] = each_why
  found[PAID] = binding.not_lazy(library, of(OPEN)) or binding.not_now(of(OPEN_BOUND))
  return found
end

local function difference(arm, than, metric, count)
  return programs.difference(values[arm][metric], values[than][metric], rounds, count)
end

local function interval_text(found, digits)
  if not found.median then return "unknown: no round has both" end
  return ("%s ns%s"):format(units.fixed(found.median, digits), found.ci95 and (" [%s, %s]"):format(
    units.fixed(found.ci95[1], digits), units.fixed(found.ci95[2], digits))
    or ", " .. found.ci95_why)
end

-- How the cost of a binding is claimed: both ends of its interval are near the median.
local function judge_cost(cost)
  local judged <const> = { claim = KNOWN, asked = KNOWN, numbers = {}, verdict = "withdrawn",
    reason = each_why or not cost.ci95 and interval_text(cost, 1) or nil }
  if judged.reason then return judged end
  local is_known <const> = cost.ci95[1] >= (1 - WITHIN) * cost.median
    and cost.ci95[2] <= (1 + WITHIN) * cost.median
  judged.verdict = is_known and "pass" or "withdrawn"
  judged.reason = ("%s in %d rounds%s"):format(interval_text(cost, 1), cost.n,
    is_known and "" or ": too wide; more rounds narrow it")
  return judged
end

local function add(lines, ...)
  for _, line in ipairs { ... } do lines[#lines + 1] = line end
end

local function report_processes(lines)
  for _, arm in ipairs { LAZY, BOUND } do
    add(lines, "", ("%s: the first %d of %d fresh processes"):format(arm,
      math.min(SHOWN, rounds), rounds))
    add(lines, table.unpack(first_calls.processes(samples, arm, SHOWN)))
  end
  add(lines, first_calls.remark())
  add(lines, "", table.unpack(first_calls.evidence(design, samples, file_of)))
  local rows <const> = {}
  for _, arm in ipairs(design.arms) do
    local list <const> = list_of(arm.name, "first")
    if list[1] then
      rows[#rows + 1] = { name = arm.name, ns = list, faults = list_of(arm.name, "faults") }
    end
  end
  rows[#rows + 1] = { name = "third call, lazy", ns = list_of(LAZY, "third"), faults = {} }
  add(lines, "", table.unpack(first_calls.distribution(rows, "first call")))
end

-- Where the first call goes. Binding has page faults of its own, in the loader's code and tables:
-- what it costs without any is told beside it.
local function report_parts(lines)
  if lazy_why then return add(lines, "", "Where the first call goes is not shown: " .. lazy_why) end
  local whole <const> = fr.split "where the lazy first call goes" {
    whole = { LAZY, "first" },
    fr.part "binding" { { LAZY, "first" }, less = { BOUND, "first" } },
    fr.part "page faults of the function" { { BOUND, "first" }, less = { MAPPED, "first" } },
    fr.part "cold code and data" { { MAPPED, "first" }, less = { MAPPED, "third" } },
    fr.part "the call, and reading the clock" { { MAPPED, "third" } },
  }
  local taken <const> = require "frlua.split".take(whole, values, rounds)
  add(lines, table.unpack(splits.lines { splits = { taken }, design = design }))
  add(lines, "binding where all code is mapped before, and nothing faults: "
    .. interval_text(difference(LAZY_MAPPED, MAPPED, "first"), 0))
  return taken
end

local function median_of(arm, metric)
  local median <const> = stats.median(list_of(arm, metric))
  return median and units.fixed(median, 1) or "-"
end

local function report_library(lines, cost, in_bulk)
  add(lines, "", "512 functions of a library, medians over the processes of ns a call; opened, ns")
  local rows <const> = { { "", "first calls", "their median", "second calls", "dlopen" } }
  for _, arm in ipairs { EACH, EACH_BOUND, OPEN, OPEN_BOUND } do
    rows[#rows + 1] = { arm, median_of(arm, "each"), median_of(arm, "middle"),
      median_of(arm, "again"), median_of(arm, "open") }
  end
  add(lines, table.unpack(aligned.lines(rows)))
  if each_why then return add(lines, "what a binding costs is not shown: " .. each_why) end
  add(lines, "a binding at the first call: " .. interval_text(cost, 1)
    .. ", the mean of a process; their median: "
    .. interval_text(difference(EACH, EACH_BOUND, "middle"), 1))
  add(lines, "a binding within dlopen by RTLD_NOW: " .. interval_text(in_bulk, 1))
end

local function reading(parts, cost, in_bulk)
  if lazy_why then return "Nothing is said of lazy binding: " .. lazy_why .. "." end
  local whole <const>, bound <const> = parts.whole.ns.median, parts.parts[1].ns.median
  if not whole or not bound then return "Nothing is said of lazy binding: no process is whole." end
  local first <const> = ("Of the %s of a lazy first call, binding is about %s; the rest would be"
    .. " there without it."):format(units.ns(whole), units.ns(bound))
  if not cost or not cost.median or each_why then return first end
  return ("%s Over many functions a binding costs %s at the first call%s: LD_BIND_NOW=1, RTLD_NOW"
    .. " and -z now pay it earlier, also for what is never called."):format(first,
    units.fixed(cost.median, 0) .. " ns", in_bulk.median and (", %s ns in bulk"):format(
    units.fixed(in_bulk.median, 0)) or "")
end

local function main()
  local judged <const>, floors <const> = programs.judge(design, samples, values, objections())
  local cost, in_bulk
  if not given_probe then
    local count <const> = of(EACH)[1] and #of(EACH)[1].readings.first_ns or 1
    cost = difference(EACH, EACH_BOUND, "each")
    in_bulk = difference(OPEN_BOUND, OPEN, "open", count)
    judged[#judged + 1] = judge_cost(cost)
  end
  local document <const> = programs.document(design, samples, {
    experiment = "lazy_binding", args = fr.json.array(table.move(arg, 1, #arg, 1, {})),
    started_at = started_at, claims = judged, floors = floors,
  })
  local lines <const> = { "Lazy binding: what the first call of a function costs" }
  add(lines, table.unpack(text.machine(document)))
  add(lines, ("%s of %d arms, each sample a fresh process on CPU %d (%s); order by seed %d"):format(
    units.plural(rounds, "round"), #design.arms, design.cpu, design.cpu_why, design.seed))
  report_processes(lines)
  local parts <const> = report_parts(lines)
  if cost then report_library(lines, cost, in_bulk) end
  add(lines, table.unpack(verdicts.floors(document)))
  add(lines, table.unpack(verdicts.report(document)))
  add(lines, table.unpack(programs.lost(design, samples)))
  add(lines, "", reading(parts, cost, in_bulk))
  local path <const>, message <const> = programs.keep("lazy_binding", document)
  add(lines, path and "All readings: " .. path or "The readings are not kept: " .. message)
  for _, line in ipairs(lines) do print(aligned.printable(line)) end
  return programs.status(samples, judged)
end

os.exit(main(), true)
