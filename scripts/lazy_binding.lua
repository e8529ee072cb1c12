-- What does the first call of a function of a shared library cost? With lazy binding it goes
-- through the dynamic loader, which finds the function and writes down where it is; with
-- LD_BIND_NOW=1 that is done before main. One call of libc as the first look, 512 functions for the
-- cost of a binding, and dlopen for where it is paid.
--
--   frlua scripts/lazy_binding.lua [--rounds N]            60 by default, some seconds
--   frlua scripts/lazy_binding.lua --probe PROGRAM         another program that prints what
--                                                          core/probe/call.c does
--
-- The arms are commands: each sample is a fresh process of a program that times its own calls. How
-- they were bound is read back in every one of them; where that is not as the name of its arm says,
-- nothing is claimed.
local fr       <const> = require "frlua"
local aligned  <const> = require "frlua.report.table"
local analysis <const> = require "frlua.analysis"
local core     <const> = require "frlua.core"
local first_calls <const> = require "frlua.report.first_calls"
local verdict  <const> = require "frlua.verdict"

local units <const>, stats <const> = fr.units, fr.stats
local SHOWN <const>, WITHIN <const> = 5, 0.1

local arguments <const> = fr.args { values = { "probe" } }
if arguments[1] then
  require "frlua.options".fail(
    "lazy_binding.lua takes --probe PROGRAM and no other argument, not " .. arguments[1])
end
local given <const> = arguments.probe
local directory <const> = core.root .. "/lib/frlua/probe/"
local call <const> = given and (given:find "/" and given or "./" .. given)
  or directory .. "call_lazy"
local calls <const>, open <const> = directory .. "calls_lazy", directory .. "open_lazy"
local library <const> = directory .. "libcallers_lazy.so"

-- Whole environments: what the user's says of the loader must not decide, nor its size. The
-- variable that means nothing takes the place of the one that does.
local NONE <const>, NOW <const> = { FRLUA_EQUAL = "1" }, { LD_BIND_NOW = "1" }
local ZERO <const>, EMPTY <const> = { LD_BIND_NOW = "0" }, { LD_BIND_NOW = "" }

local LAZY <const>, BOUND <const> = "lazy", "LD_BIND_NOW=1"
local WITH_ZERO <const>, WITH_EMPTY <const> = "LD_BIND_NOW=0", "LD_BIND_NOW empty"
local MAPPED <const>, LAZY_MAPPED <const> = "LD_BIND_NOW=1, code mapped", "lazy, code mapped"
local BUILT <const>, BUILT_BOUND <const> = "-z now", "-z now, LD_BIND_NOW=1"
local EACH <const>, EACH_BOUND <const> = "512 functions, lazy", "512 functions, LD_BIND_NOW=1"
local OPEN <const>, OPEN_BOUND <const> = "dlopen RTLD_LAZY", "dlopen RTLD_NOW"

local function arm(name, env, command, calls_of)
  return fr.arm(name) { command = command, env = env, prints = "readings", calls_of = calls_of }
end

local arms <const> = {
  arm(LAZY, NONE, { call }), arm(BOUND, NOW, { call }),
  arm(WITH_ZERO, ZERO, { call }), arm(WITH_EMPTY, EMPTY, { call }),
  arm(LAZY_MAPPED, NONE, { call, "populate" }), arm(MAPPED, NOW, { call, "populate" }),
}
local metrics <const> = {
  fr.metric "first" { printed = "ns", at = 1 }, fr.metric "third" { printed = "ns", at = 3 },
}
local is_lazy <const> = { fr.bound { LAZY, as = "lazy" }, fr.bound { BOUND, as = "now" } }
local claims <const> = {
  fr.claim "bound before main, the first call of a function is faster" {
    needs = is_lazy, test = fr.below { BOUND, than = LAZY, metric = "first" },
  },
  fr.claim "LD_BIND_NOW=0 binds before main, as any text does that is not empty" {
    needs = is_lazy, test = fr.bound { WITH_ZERO, as = "now" },
  },
  fr.claim "an empty LD_BIND_NOW binds lazily" {
    needs = is_lazy, test = fr.bound { WITH_EMPTY, as = "lazy" },
  },
}

local each_is_lazy <const> = {
  fr.bound { EACH, as = "lazy" }, fr.bound { EACH_BOUND, as = "now" },
}

-- What only the programs of frlua's own print.
local function extend(list, ...)
  for _, item in ipairs { ... } do list[#list + 1] = item end
end
if not given then
  extend(arms,
    arm(BUILT, NONE, { directory .. "call_now" }),
    arm(BUILT_BOUND, NOW, { directory .. "call_now" }),
    arm(EACH, NONE, { calls }), arm(EACH_BOUND, NOW, { calls }),
    arm(OPEN, NONE, { open, library, "lazy" }, library),
    arm(OPEN_BOUND, NONE, { open, library, "now" }, library))
  extend(metrics,
    fr.metric "each" { printed = "first_ns", of = "mean" },
    fr.metric "middle" { printed = "first_ns", of = "median" },
    fr.metric "again" { printed = "second_ns", of = "mean" },
    fr.metric "open" { printed = "open_ns" })
  extend(claims,
    fr.claim "LD_BIND_NOW=1 makes it faster in a program linked with -z now, too" {
      needs = fr.bound { BUILT, as = "lazy" },
      test = fr.below { BUILT_BOUND, than = BUILT, metric = "first" },
    },
    fr.claim "bound before main, the first calls of 512 functions are faster" {
      needs = each_is_lazy, test = fr.below { EACH_BOUND, than = EACH, metric = "each" },
    },
    fr.claim "it is paid by dlopen instead: RTLD_NOW takes longer than RTLD_LAZY" {
      needs = { fr.bound { OPEN, as = "lazy" }, fr.bound { OPEN_BOUND, as = "now" } },
      test = fr.above { OPEN_BOUND, than = OPEN, metric = "open" },
    })
end

-- Where the first call goes. Binding has page faults of its own, in the loader's code and tables:
-- what it costs without any is told in the reading.
local split <const> = fr.split "where the lazy first call goes" {
  whole = { LAZY, "first" }, needs = is_lazy,
  fr.part "binding" { { LAZY, "first" }, less = { BOUND, "first" } },
  fr.part "page faults of the function" { { BOUND, "first" }, less = { MAPPED, "first" } },
  fr.part "cold code and data" { { MAPPED, "first" }, less = { MAPPED, "third" } },
  fr.part "the call, and reading the clock" { { MAPPED, "third" } },
}

-- What the reading is made of: the values of a metric over an arm's processes, by round and as a
-- list, and what they differ by, round by round, divided among `count` things.
local function taken_of(document)
  local design <const> = document.design
  local values <const> = analysis.values(design, document.samples)
  local taken <const> = { document = document }
  function taken.by_round(name, metric) return values[name] and values[name][metric] or {} end
  function taken.list(name, metric)
    return analysis.dense(taken.by_round(name, metric), design.rounds)
  end
  function taken.difference(name, than, metric, count)
    local list <const> = {}
    local value <const>, base <const> = taken.by_round(name, metric), taken.by_round(than, metric)
    for round = 1, design.rounds do
      if value[round] and base[round] then
        list[#list + 1] = (value[round] - base[round]) / (count or 1)
      end
    end
    return stats.summary(list) or { n = 0 }
  end
  taken.lazy_why = verdict.objection(is_lazy, design, document.samples)
  taken.each_why = verdict.objection(each_is_lazy, design, document.samples)
  return taken
end

local function interval_text(found, digits)
  if not found.median then return "unknown: no round has both" end
  return ("%s ns%s"):format(units.fixed(found.median, digits), found.ci95 and (" [%s, %s]"):format(
    units.fixed(found.ci95[1], digits), units.fixed(found.ci95[2], digits))
    or ", " .. found.ci95_why)
end

local function faults_of(document, name)
  local list <const> = {}
  for _, sample in ipairs(first_calls.samples(document, name)) do
    local count <const> = sample.printed.minor_faults
    list[#list + 1] = math.type(count) and count or nil
  end
  return list
end

local function tell_processes(lines, taken)
  local document <const> = taken.document
  for _, name in ipairs { LAZY, BOUND } do
    local shown <const> = first_calls.processes(document, name, SHOWN)
    extend(lines, ("%s: the first %d of %d fresh processes"):format(name, #shown,
      document.design.rounds), table.unpack(shown))
    extend(lines, "")
  end
  extend(lines, first_calls.remark(document.clock))
  extend(lines, "", table.unpack(first_calls.evidence(document)))
  local rows <const> = {}
  for _, one in ipairs(document.design.arms) do
    local list <const> = taken.list(one.name, "first")
    if list[1] then
      rows[#rows + 1] = { name = one.name, ns = list, faults = faults_of(document, one.name) }
    end
  end
  rows[#rows + 1] = { name = "third call, lazy", ns = taken.list(LAZY, "third"), faults = {} }
  extend(lines, "", table.unpack(first_calls.distribution(rows, "first call", document.clock)))
  if not taken.lazy_why then
    extend(lines, "binding where all code is mapped before, and nothing faults: "
      .. interval_text(taken.difference(LAZY_MAPPED, MAPPED, "first"), 0))
  end
end

-- Whether both ends of the interval of a cost are near its median.
local function known_text(cost)
  if not cost.ci95 then return nil end
  local is_known <const> = cost.ci95[1] >= (1 - WITHIN) * cost.median
    and cost.ci95[2] <= (1 + WITHIN) * cost.median
  return ("the cost of a binding is %s within %d %%%s"):format(is_known and "known" or "not known",
    100 * WITHIN // 1, is_known and "" or ": more rounds narrow it")
end

local function tell_library(lines, taken, cost, in_bulk)
  extend(lines, "",
    "512 functions of a library, medians over the processes of ns a call; opened, ns")
  local rows <const> = { { "", "first calls", "their median", "second calls", "dlopen" } }
  for _, name in ipairs { EACH, EACH_BOUND, OPEN, OPEN_BOUND } do
    local row <const> = { name }
    for _, metric in ipairs { "each", "middle", "again", "open" } do
      local median <const> = stats.median(taken.list(name, metric))
      row[#row + 1] = median and units.fixed(median, 1) or "-"
    end
    rows[#rows + 1] = row
  end
  extend(lines, table.unpack(aligned.lines(rows)))
  if taken.each_why then
    return extend(lines, "what a binding costs is not shown: " .. taken.each_why)
  end
  extend(lines, "a binding at the first call: " .. interval_text(cost, 1)
    .. ", the mean of a process; their median: "
    .. interval_text(taken.difference(EACH, EACH_BOUND, "middle"), 1))
  extend(lines, known_text(cost))
  extend(lines, "a binding within dlopen by RTLD_NOW: " .. interval_text(in_bulk, 1))
end

local function conclusion(taken, cost, in_bulk)
  if taken.lazy_why then return "Nothing is said of lazy binding: " .. taken.lazy_why .. "." end
  local whole <const> = stats.median(taken.list(LAZY, "first"))
  local bound <const> = taken.difference(LAZY, BOUND, "first").median
  if not whole or not bound then
    return "Nothing is said of lazy binding: no round has both first calls."
  end
  local first <const> = ("Of the %s of a lazy first call, binding is about %s; the rest would be"
    .. " there without it."):format(units.ns(whole), units.ns(bound))
  if not cost or not cost.median or taken.each_why then return first end
  return ("%s Over many functions a binding costs %s at the first call%s: LD_BIND_NOW=1, RTLD_NOW"
    .. " and -z now pay it earlier, also for what is never called."):format(first,
    units.fixed(cost.median, 0) .. " ns", in_bulk.median and (", %s ns in bulk"):format(
    units.fixed(in_bulk.median, 0)) or "")
end

local function reading(document)
  local lines <const>, taken <const> = {}, taken_of(document)
  tell_processes(lines, taken)
  local cost, in_bulk
  if not given then
    local sample <const> = first_calls.samples(document, EACH)[1]
    cost = taken.difference(EACH, EACH_BOUND, "each")
    in_bulk = taken.difference(OPEN_BOUND, OPEN, "open", sample and #sample.printed.first_ns)
    tell_library(lines, taken, cost, in_bulk)
  end
  extend(lines, "", conclusion(taken, cost, in_bulk))
  return lines
end

return fr.experiment "lazy_binding" {
  doc     = "what the first call of a function of a shared library costs",
  arms    = arms,
  rounds  = 60,
  metrics = metrics,
  splits  = { split },
  claims  = claims,
  reading = reading,
}
