--- The table of an experiment that swept over a parameter: a row for every value, the arms beside
--- each other, how many times the first one each of the others is, and what the addresses of their
--- layouts were counted to be.
local aligned <const> = require "frlua.report.table"
local analysis <const> = require "frlua.analysis"
local contrast <const> = require "frlua.contrast"
local geometry <const> = require "frlua.geometry"
local units <const> = require "frlua.units"

local sweep <const> = {}

local MISSING <const> = "-"
local DIGITS <const> = 3 -- loads are told apart by hundredths of a nanosecond

---The names that a script gave to swept arms, in its order.
---@param arms table[] of a document
---@return string[]
function sweep.groups(arms)
  local list <const>, seen <const> = {}, {}
  for _, arm in ipairs(arms) do
    if arm.group and not seen[arm.group] then list[#list + 1], seen[arm.group] = arm.group, true end
  end
  return list
end

---The arm of a group at a value of the sweep.
---@param document table
---@param group string
---@param value integer
---@return table?
function sweep.arm(document, group, value)
  for _, arm in ipairs(document.arms) do
    if arm.group == group and arm.params[document.design.sweep.name] == value then return arm end
  end
end

---How many times an arm's metric is that of another one, by round.
---@param values frlua.Values
---@param arm table?
---@param base table?
---@param metric string
---@param rounds integer
---@return frlua.Contrast?
function sweep.ratio(values, arm, base, metric, rounds)
  if not arm or not base then return nil end
  local found <const> = contrast.take(values[arm.name][metric], values[base.name][metric], rounds)
  return found and found.median and found or nil
end

local function number(value)
  return value and units.fixed(value, DIGITS) or MISSING
end

local function heads(groups, metric, name)
  local unit <const> = metric.per and "ns/" .. metric.per or "ns"
  local row <const> = { name }
  for index, group in ipairs(groups) do
    row[#row + 1], row[#row + 2] = group .. " min", "median " .. unit
    if index > 1 then row[#row + 1], row[#row + 2] = "ratio", "interval" end
  end
  return row
end

local function row_of(document, values, groups, metric, value)
  local row <const> = { units.count(value) }
  local key <const>, base = analysis.key(metric), nil
  for index, group in ipairs(groups) do
    local arm <const> = sweep.arm(document, group, value)
    local summary <const> = arm and arm.metrics[key] or {}
    row[#row + 1], row[#row + 2] = number(summary.min), number(summary.median)
    if index == 1 then
      base = arm
    else
      local found <const> = sweep.ratio(values, arm, base, metric.name, document.design.rounds)
      row[#row + 1] = found and units.fixed(found.median, 2) .. "x" or MISSING
      row[#row + 1] = found and found.ci95 and ("[%s, %s]"):format(
        units.fixed(found.ci95[1], 2), units.fixed(found.ci95[2], 2)) or MISSING
    end
  end
  return row
end

-- The columns that an arm's figures begin with: only the first of them has its name.
local function starts_of(groups)
  local starts <const> = {}
  for index = 1, #groups do starts[index == 1 and 2 or 4 * index - 4] = true end
  return starts
end

local function table_of(document, values, groups, metric)
  local rows <const> = { heads(groups, metric, document.design.sweep.name) }
  for index, value in ipairs(document.design.sweep.values) do
    rows[index + 1] = row_of(document, values, groups, metric, value)
  end
  return aligned.lines(rows, "", { starts = starts_of(groups) })
end

local function range_text(low, high)
  if not low then return MISSING end
  return low == high and units.count(low) or ("%s..%s"):format(units.count(low), units.count(high))
end

-- The smallest and the largest count in the samples of some arms.
local function range(samples, key)
  local low, high
  for _, sample in ipairs(samples) do
    for _, layout in ipairs(sample.evidence.layouts or {}) do
      local count <const> = layout[key]
      if count then low, high = math.min(low or count, count), math.max(high or count, count) end
    end
  end
  return range_text(low, high)
end

local COUNTED <const> = { "slots", "lines", "pages", "huge_pages", "used_sets", "fullest_set" }
local COUNTED_HEADS <const> = {
  "arm", "one cycle of", "lines", "pages", "huge units", "sets", "fullest set", "samples",
}

-- Arms under one name each: those of a sweep together.
local function samples_by_name(document)
  local names <const>, samples <const>, name_of <const> = {}, {}, {}
  for _, arm in ipairs(document.arms) do
    local name <const> = arm.group or arm.name
    name_of[arm.name] = name
    if not samples[name] then names[#names + 1], samples[name] = name, {} end
  end
  for _, sample in ipairs(document.samples) do
    local name <const> = name_of[sample.arm]
    if name and sample.evidence and sample.evidence.layouts then
      table.insert(samples[name], sample)
    end
  end
  return names, samples
end

-- A load after the other from one line is no walk through memory: whose it is, is said.
local function loops_of_one(document)
  local lines <const> = {}
  for _, region in ipairs(document.design.regions) do
    if region.layout and region.layout.lines == 1 then
      lines[#lines + 1] = ("%s: one line: its chain is a loop of one"):format(region.name)
    end
  end
  return lines
end

---What the addresses of layouts were counted to be, in every sample.
---@param document table
---@return string[] lines empty without layouts
function sweep.layouts(document)
  local names <const>, samples <const> = samples_by_name(document)
  local rows <const> = { COUNTED_HEADS }
  for _, name in ipairs(names) do
    if samples[name][1] then
      local row <const> = { name }
      for _, key in ipairs(COUNTED) do row[#row + 1] = range(samples[name], key) end
      row[#row + 1] = units.count(#samples[name])
      rows[#rows + 1] = row
    end
  end
  if #rows == 1 then return {} end
  local lines <const> = { "", "Layouts, counted from the addresses in every sample" }
  for _, line in ipairs(aligned.lines(rows)) do lines[#lines + 1] = line end
  for _, line in ipairs(loops_of_one(document)) do lines[#lines + 1] = line end
  for _, region in ipairs(document.design.regions) do
    if region.layout then
      lines[#lines + 1] = geometry.text(region.layout.geometry)
      break
    end
  end
  return lines
end

-- Whether an arm has any value of a metric; others are those of references.
local function is_taken(document, metric)
  for _, arm in ipairs(document.arms) do
    if arm.metrics[analysis.key(metric)].n ~= 0 then return true end
  end
  return false
end

---@param document table of an experiment with a sweep
---@return string[] lines
function sweep.lines(document)
  local values <const> = analysis.values(document.design, document.samples)
  local groups <const> = sweep.groups(document.arms)
  local lines <const> = {}
  for _, metric in ipairs(document.design.metrics) do
    if metric.source ~= "process" and metric.unit == "ns" and is_taken(document, metric) then
      lines[#lines + 1], lines[#lines + 2] = "",
        ("%s over %s: a fresh process for every reading, %d of each%s"):format(metric.name,
          document.design.sweep.name, document.design.rounds,
          groups[2] and "; ratio: to " .. groups[1] .. ", by round" or "")
      local rows <const> = table_of(document, values, groups, metric)
      table.move(rows, 1, #rows, #lines + 1, lines)
    end
  end
  return lines
end

return sweep
