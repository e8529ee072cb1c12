--- The report for a terminal, made from a result document.
local aligned <const> = require "frlua.report.table"
local analysis <const> = require "frlua.analysis"
local backing <const> = require "frlua.report.backing"
local notes <const> = require "frlua.report.notes"
local refit <const> = require "frlua.report.refit"
local scales <const> = require "frlua.report.scales"
local screen <const> = require "frlua.report.screen"
local splits <const> = require "frlua.report.splits"
local sweep <const> = require "frlua.report.sweep"
local units <const> = require "frlua.units"
local verdicts <const> = require "frlua.report.verdicts"

local text <const> = {}

local MISSING <const> = "-"

local key_of <const> = analysis.key

local function time_cell(metric, ns, shared, clock)
  if not ns then return MISSING end
  if not metric.per and notes.is_below_step(ns, clock) then return "< step" end
  return units.scaled(ns, scales.of(metric, shared))
end

local function summary_cell(metric, summary, shared, clock)
  if metric.unit ~= "ns" then return notes.counts(summary) end
  return time_cell(metric, summary.median, shared, clock)
end

-- What stands for an arm, where that is not the median.
local function kept_cell(metric, summary, shared, clock)
  if metric.unit ~= "ns" then return summary.kept and units.count(summary.kept) or MISSING end
  return time_cell(metric, summary.kept, shared, clock)
end

local function has_best(metric)
  return metric.keep ~= nil and metric.keep ~= "median"
end

local function headed(metric, shared, word)
  return metric.name .. (word and " " .. word or "")
    .. (metric.unit == "ns" and " " .. scales.of(metric, shared).name or "")
end

-- Whether one of the arms has a value, or none of any metric: then all columns stay.
local function is_taken(metric, arms)
  for _, arm in ipairs(arms) do
    local summary <const> = arm.metrics[key_of(metric)]
    if summary.n ~= 0 or arm.processes == 0 then return true end
  end
  return false
end

-- Metrics of these arms, without the whole process, which has a column of its own.
local function own_metrics(document, arms)
  local list <const> = {}
  for _, metric in ipairs(document.design.metrics) do
    if metric.source ~= "process" and is_taken(metric, arms) then list[#list + 1] = metric end
  end
  return list
end

local function all_times(document, metrics, pick)
  local numbers <const> = {}
  for _, arm in ipairs(document.arms) do
    for _, metric in ipairs(metrics) do
      local summary <const> = arm.metrics[key_of(metric)]
      if metric.unit == "ns" and not metric.per and summary.median then
        for _, number in ipairs(pick(summary)) do numbers[#numbers + 1] = number end
      end
    end
  end
  return numbers
end

local function add(lines, ...)
  for _, line in ipairs { ... } do lines[#lines + 1] = aligned.printable(line) end
end

local function add_table(lines, rows)
  add(lines, table.unpack(aligned.lines(rows)))
end

local function known(value)
  return value or "unknown"
end

local function arms_text(document)
  local parts <const> = { units.plural(#document.arms, "arm") }
  local references <const> = #document.references
  local twins <const> = #document.design.arms - #document.arms - references
  if twins > 0 then parts[#parts + 1] = units.plural(twins, "twin") end
  if references > 0 then parts[#parts + 1] = units.plural(references, "reference") end
  return table.concat(parts, ", ")
end

---The machine and the clock that a document was made with.
---@param document table
---@return string[]
function text.machine(document)
  local machine <const>, clock <const> = document.machine, document.clock
  return {
    ("%s, %s; Linux %s, pages of %s, THP %s"):format(
      known(machine.cpu_model),
      machine.hypervisor and "guest of " .. machine.hypervisor or "no hypervisor seen",
      known(machine.kernel), units.bytes(machine.page_bytes), known(machine.thp)),
    ("clock %s%s: %s a reading, steps of %s"):format(
      clock.source, clock.vdso and " from the vDSO" or " by system call",
      clock.read_ns and units.fixed(clock.read_ns, 1) .. " ns" or "unknown",
      clock.step_ns and units.count(clock.step_ns) .. " ns" or "unknown"),
  }
end

local function head(document, lines)
  local design <const> = document.design
  add(lines, document.experiment .. (document.doc and ": " .. document.doc or ""))
  add(lines, table.unpack(text.machine(document)))
  add(lines, ("%s of %s, each sample a fresh process on CPU %d (%s); order by seed %s"):format(
    units.plural(design.rounds, "round"), arms_text(document), design.cpu, design.cpu_why,
    units.count(document.seed)))
  if design.pause_divisor > 1 then
    add(lines, ("quick run: %s, pauses divided by %d, nothing is claimed"):format(
      units.plural(design.rounds, "round"), design.pause_divisor))
  end
end

local function medians(document, lines)
  local metrics <const> = own_metrics(document, document.arms)
  local scale <const> = scales.shared(all_times(document, metrics, function(summary)
    return { summary.median }
  end))
  local heads <const> = { "arm" }
  for _, metric in ipairs(metrics) do
    if has_best(metric) then heads[#heads + 1] = headed(metric, scale, "best") end
    heads[#heads + 1] = headed(metric, scale)
  end
  local rows <const> = { heads }
  for _, arm in ipairs(document.arms) do
    local row <const> = { arm.name }
    for _, metric in ipairs(metrics) do
      local summary <const> = arm.metrics[key_of(metric)]
      if has_best(metric) then
        row[#row + 1] = kept_cell(metric, summary, scale, document.clock)
      end
      row[#row + 1] = summary_cell(metric, summary, scale, document.clock)
    end
    rows[#rows + 1] = row
  end
  add(lines, "", "Medians over the processes")
  add_table(lines, rows)
  add(lines, table.unpack(notes.clock(document)))
  add(lines, table.unpack(notes.metrics(document)))
end

local PLAIN <const> = scales.shared {}

-- What others are compared with: one line each.
local function references(document, lines)
  for _, arm in ipairs(document.references) do
    for _, metric in ipairs(own_metrics(document, { arm })) do
      local summary <const>, scale <const> = arm.metrics[key_of(metric)], scales.of(metric, PLAIN)
      if summary.median then
        add(lines, ("reference '%s': %s %s %s, from %s to %s"):format(arm.name, metric.name,
          units.scaled(summary.median, scale), scale.name, units.scaled(summary.min, scale),
          units.scaled(summary.max, scale)))
      end
    end
  end
end

local function median_named(arm, name, metrics)
  return arm.metrics[key_of(analysis.metric(name, metrics))].median
end

-- There is no ratio of, or to, what the clock did not resolve, nor to a broken reading.
local function ratio_cell(arm, name, to, metrics, clock)
  local value <const> = median_named(arm, name, metrics)
  local base <const> = median_named(arm, to, metrics)
  if not value or not base or base <= 0 then return MISSING end
  if notes.is_below_step(value, clock) or notes.is_below_step(base, clock) then return MISSING end
  return units.fixed(value / base, 2)
end

local function steady_cell(arm)
  local steady <const> = arm.steady_from
  if not steady then return MISSING end
  local from <const> = steady.median and units.count(steady.median // 1) or "never"
  return steady.never > 0 and steady.median and ("%s (%d never)"):format(from, steady.never) or from
end

local function ratios(document, lines)
  local wanted <const> = document.design.ratios
  if not wanted then return end
  local heads <const> = { "arm" }
  for _, name in ipairs(wanted.of) do heads[#heads + 1] = name end
  heads[#heads + 1] = "steady from"
  local rows <const> = { heads }
  for _, arm in ipairs(document.arms) do
    local row <const> = { arm.name }
    for _, name in ipairs(wanted.of) do
      row[#row + 1] = ratio_cell(arm, name, wanted.to, document.design.metrics,
        document.clock)
    end
    row[#row + 1] = steady_cell(arm)
    rows[#rows + 1] = row
  end
  add(lines, "", ("Times %s (process: the whole process, from outside)"):format(wanted.to))
  add_table(lines, rows)
  add(lines, "steady from: the iteration after which a running median of 20 stays within 2 %")
end

local function spread_cell(metric, summary, shared)
  local scale <const> = scales.of(metric, shared)
  if not summary.median then return MISSING end
  return ("%s..%s"):format(units.scaled(summary.min, scale), units.scaled(summary.max, scale))
end

local function spread(document, lines)
  local metrics <const> = {}
  for _, metric in ipairs(document.design.metrics) do
    if metric.unit == "ns" and is_taken(metric, document.arms) then
      metrics[#metrics + 1] = metric
    end
  end
  local scale <const> = scales.shared(all_times(document, metrics, function(summary)
    return { summary.min, summary.max }
  end))
  local heads <const> = { "arm" }
  for _, metric in ipairs(metrics) do heads[#heads + 1] = headed(metric, scale) end
  heads[#heads + 1] = "processes"
  local rows <const> = { heads }
  for _, arm in ipairs(document.arms) do
    local row <const> = { arm.name }
    for _, metric in ipairs(metrics) do
      row[#row + 1] = spread_cell(metric, arm.metrics[key_of(metric)], scale)
    end
    row[#row + 1] = arm.lost > 0 and ("%d, %d lost"):format(arm.processes, arm.lost)
      or tostring(arm.processes)
    rows[#rows + 1] = row
  end
  add(lines, "", "Spread over the processes, smallest to largest")
  add_table(lines, rows)
end

---@param document table of result.build, or read from a file
---@param tables? fun(document: table): string[] in place of the tables of medians and of spread
---@return string
function text.report(document, tables)
  local lines <const> = {}
  head(document, lines)
  if document.partial then
    add(lines, "", "PARTIAL: interrupted after " .. units.plural(#document.samples, "sample"))
  end
  if #document.samples > 0 then
    if tables then
      add(lines, table.unpack(tables(document)))
    elseif document.design.sweep then
      add(lines, table.unpack(sweep.lines(document)))
    else
      medians(document, lines)
    end
    references(document, lines)
    ratios(document, lines)
    if not tables and not document.design.sweep then spread(document, lines) end
    add(lines, table.unpack(sweep.layouts(document)))
    add(lines, table.unpack(notes.apart(document)))
    add(lines, table.unpack(notes.faults(document)))
    add(lines, table.unpack(backing.report(document)))
    add(lines, table.unpack(splits.lines(document)))
    add(lines, table.unpack(require "frlua.report.counters".lines(document)))
    add(lines, table.unpack(require "frlua.report.fault_traces".lines(document)))
    add(lines, table.unpack(notes.lost(document)))
    add(lines, table.unpack(notes.guards(document)))
    add(lines, table.unpack(screen.take_extras(document)))
    add(lines, table.unpack(verdicts.floors(document)))
    if document.reading then add(lines, "", table.unpack(refit.lines(document.reading))) end
    add(lines, table.unpack(verdicts.report(document)))
  end
  return table.concat(lines, "\n") .. "\n"
end

return text
