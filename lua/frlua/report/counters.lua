--- What --counters adds to the report: what every timed phase came to, in user mode and in the
--- kernel, what is unknown of it and why, and what of it is the counting's own.
local aligned <const> = require "frlua.report.table"
local counts <const> = require "frlua.counts"
local event_counts <const> = require "frlua.event_counts"
local timed_phases <const> = require "frlua.timed_phases"
local units <const> = require "frlua.units"

local counters <const> = {}

local MISSING <const> = "-"

local TABLES <const> = {
  { title = "Counted in user mode", sides = { "user" } },
  { title = "Counted in the kernel", sides = { "kernel", "both" } },
}

local WHERE <const> = { user = " in user mode", kernel = " in the kernel", both = "" }

-- What metrics of a phase are divided by, where the design alone tells how many there are.
local function per_of(design, arm, phase)
  for _, metric in ipairs(design.metrics) do
    local count <const> = metric.source ~= "process" and counts[metric.per]
    for _, of in ipairs(count and timed_phases.of(arm, metric.phases) or {}) do
      local divisor <const> = of == phase and count(design, arm, { phases = { phase.name } })
      if divisor and divisor > 0 then return metric.per, divisor * phase.iterations end
    end
  end
end

-- A row for each timed phase of each arm: what it is called, and how to look a count up.
local function rows_of(document)
  local rows <const> = {}
  for _, arm in ipairs(event_counts.arms(document.design)) do
    for index, phase in ipairs(event_counts.phases(arm)) do
      local per <const>, divisor <const> = per_of(document.design, arm, phase)
      rows[#rows + 1] = {
        arm = arm.name, phase = index, name = phase.name .. (per and ", per " .. per or ""),
        divisor = divisor,
      }
    end
  end
  return rows
end

-- All counts of a document: { entry, side }, of each event and side that there is.
local function each_count(document)
  local list <const> = {}
  for _, sample in ipairs(document.samples) do
    for index, phase in ipairs(sample.phases) do
      for _, entry in ipairs(phase.counters or {}) do
        for _, side in ipairs(event_counts.SIDES) do
          if event_counts.has(entry, side) then
            list[#list + 1] = { arm = sample.arm, phase = index, entry = entry, side = side }
          end
        end
      end
    end
  end
  return list
end

-- The columns of a table: events of these sides that are known in some process, in their order.
local function columns_of(all, sides)
  local columns <const>, seen <const> = {}, {}
  for _, side in ipairs(sides) do
    for _, count in ipairs(all) do
      local event <const> = count.entry.event
      if count.side == side and count.entry[side] and not seen[event] then
        columns[#columns + 1], seen[event] = { event = event, side = side }, true
      end
    end
  end
  return columns
end

local function head_of(column)
  return column.event .. (column.event == "task-clock" and " ns" or "")
    .. (column.side == "both" and ", with user mode" or "")
end

local function median_of(document, row, column)
  return (event_counts.median(document.samples, row.arm, row.phase, column.event, column.side))
end

-- Columns that tell phases apart, and the heads of those that are 0 in all of them.
local function told_apart(document, rows, columns)
  local telling <const>, zero <const> = {}, {}
  for _, column in ipairs(columns) do
    local is_zero = true
    for _, row in ipairs(rows) do
      is_zero = is_zero and (median_of(document, row, column) or 0) == 0
    end
    if is_zero then zero[#zero + 1] = column.event else telling[#telling + 1] = column end
  end
  return telling, zero
end

local function cell(document, row, column)
  local median <const> = median_of(document, row, column)
  if not median then return MISSING end
  if row.divisor and median ~= 0 then return units.significant(median / row.divisor) end
  local whole <const> = math.tointeger(median)
  return whole and units.count(whole) or units.fixed(median, median < 100 and 1 or 0)
end

local function add_table(document, rows, known, lines)
  local columns <const>, zero <const> = told_apart(document, rows, known)
  if zero[1] then lines[#lines + 1] = "0 in all phases: " .. table.concat(zero, ", ") end
  if not columns[1] then return end
  local cells <const> = { { "arm", "phase" } }
  for index, column in ipairs(columns) do cells[1][index + 2] = head_of(column) end
  for _, row in ipairs(rows) do
    local line <const> = { row.arm, row.name }
    for index, column in ipairs(columns) do line[index + 2] = cell(document, row, column) end
    cells[#cells + 1] = line
  end
  for _, line in ipairs(aligned.lines(cells)) do lines[#lines + 1] = line end
end

-- Adds one to how often a reason is in a list.
local function note(reasons, why)
  for _, reason in ipairs(reasons) do
    if reason.why == why then
      reason.n = reason.n + 1
      return
    end
  end
  reasons[#reasons + 1] = { why = why, n = 1 }
end

-- Of each event and side how often it is there, and how often it is unknown for which reason, in
-- the order in which they come: { event, side, total, reasons = { { why, n }, … } }.
local function tallies_of(all)
  local list <const>, by_key <const> = {}, {}
  for _, count in ipairs(all) do
    local event <const>, why <const> = count.entry.event, count.entry[count.side .. "_why"]
    local key <const> = event .. "\0" .. count.side
    if not by_key[key] then
      by_key[key] = { event = event, side = count.side, total = 0, reasons = {} }
      list[#list + 1] = by_key[key]
    end
    by_key[key].total = by_key[key].total + 1
    if why then note(by_key[key].reasons, why) end
  end
  return list
end

-- The one reason for which a side is unknown in all processes.
local function only_reason(tally)
  local reason <const> = tally.reasons[1]
  return reason and reason.n == tally.total and reason.why or nil
end

-- Whether all sides of an event are unknown for one reason.
local function is_all(tallies, event, why)
  for _, tally in ipairs(tallies) do
    if tally.event == event and only_reason(tally) ~= why then return false end
  end
  return true
end

local function add_unknown(all, lines)
  local tallies <const>, groups <const>, by_key <const> = tallies_of(all), {}, {}
  local function add(where, why, name)
    local key <const> = where .. "\0" .. why
    if not by_key[key] then
      by_key[key] = { where = where, why = why, names = {} }
      groups[#groups + 1] = by_key[key]
    end
    local names <const> = by_key[key].names
    if names[#names] ~= name then names[#names + 1] = name end
  end
  for _, tally in ipairs(tallies) do
    for _, reason in ipairs(tally.reasons) do
      if is_all(tallies, tally.event, reason.why) then
        add("", reason.why, tally.event)
      else
        add(WHERE[tally.side], reason.why, tally.event .. (reason.n < tally.total
          and (" (%d of %d)"):format(reason.n, tally.total) or ""))
      end
    end
  end
  for _, group in ipairs(groups) do
    lines[#lines + 1] = ("unknown%s: %s: %s"):format(group.where, table.concat(group.names, ", "),
      group.why)
  end
end

-- What a number of each count comes to per event and side: { column, list }, in their order.
local function gathered(all, number_of)
  local list <const>, by_key <const> = {}, {}
  for _, count in ipairs(all) do
    local number <const> = number_of(count)
    local key <const> = count.entry.event .. "\0" .. count.side
    if number and not by_key[key] then
      by_key[key] = { name = count.entry.event .. WHERE[count.side] }
      list[#list + 1] = by_key[key]
    end
    if number then table.insert(by_key[key], number) end
  end
  return list
end

-- Events that had the hardware for a part of the time only.
local function add_shares(all, lines)
  local texts <const> = {}
  for index, shares in ipairs(gathered(all, function(count)
    return count.entry[count.side .. "_running_of_enabled"]
  end)) do
    table.sort(shares)
    local low <const>, high <const> = units.fixed(100 * shares[1], 0),
      units.fixed(100 * shares[#shares], 0)
    texts[index] = ("%s %s %%"):format(shares.name, low == high and low or low .. ".." .. high)
  end
  if texts[1] then
    lines[#lines + 1] = "counted for a part of the time, and extrapolated: "
      .. table.concat(texts, ", ")
  end
end

local function add_own(all, lines)
  local texts <const> = {}
  for index, own in ipairs(gathered(all, function(count)
    return count.entry[count.side .. "_empty"]
  end)) do
    table.sort(own)
    local low <const>, high <const> = units.count(own[1]), units.count(own[#own])
    texts[index] = ("%s %s"):format(own.name, low == high and low or low .. ".." .. high)
  end
  if texts[1] then
    lines[#lines + 1] = "of it the counting's and the clock's own, by iterations without"
      .. " operations: " .. table.concat(texts, ", ")
  end
end

---@param document table
---@return string[] lines empty when --counters was not given
function counters.lines(document)
  if not document.design.counters then return {} end
  local all <const>, rows <const>, lines <const> = each_count(document), rows_of(document), {}
  for _, wanted in ipairs(TABLES) do
    local columns <const> = columns_of(all, wanted.sides)
    lines[#lines + 1] = ""
    lines[#lines + 1] = wanted.title
      .. (columns[1] and ", over all iterations of a phase: medians over the processes"
        or ": nothing")
    if columns[1] then add_table(document, rows, columns, lines) end
  end
  add_shares(all, lines)
  add_own(all, lines)
  add_unknown(all, lines)
  lines[#lines + 1] = "The counters were on while the phases were timed: their times are those of"
    .. " such a run."
  return lines
end

return counters
