--- What a report says beside its tables: what the clock could not tell, processes that stand apart,
--- fault counts that were not expected, samples that were lost. All are lists of lines, empty when
--- there is nothing to say.
local analysis <const> = require "frlua.analysis"
local units <const> = require "frlua.units"

local notes <const> = {}

-- A time below so many readings of the clock is mostly that of the readings themselves.
local FEW_READINGS <const> = 10

---@param counts { exact: integer?, values: integer[]? }
---@return string # the one count, or the smallest and the largest
function notes.counts(counts)
  if counts.exact then return units.count(counts.exact) end
  local values <const> = counts.values
  return values and units.count(values[1]) .. ".." .. units.count(values[#values]) or "-"
end

-- A list of the items with the same key, for each key, in the order in which they come.
local function grouped(items, key_of)
  local groups <const>, by_key <const> = {}, {}
  for _, item in ipairs(items) do
    local key <const> = key_of(item)
    if not by_key[key] then
      by_key[key] = { key = key }
      groups[#groups + 1] = by_key[key]
    end
    table.insert(by_key[key], item)
  end
  return groups
end

---Whether the clock can't tell a time from nothing, or from its neighbours.
---@param ns number
---@param clock table of a document
---@return boolean
function notes.is_below_step(ns, clock)
  return clock.step_ns ~= nil and math.abs(ns) < clock.step_ns
end

local function is_mostly_clock(ns, clock)
  return clock.read_ns ~= nil and ns >= 0 and ns < FEW_READINGS * clock.read_ns
end

-- "iter2 of all arms", "steady of 'natural', 'prefault'": where the medians of times are such.
local function where(document, is_such)
  local found <const> = {}
  for _, metric in ipairs(document.design.metrics) do
    local arms <const> = {}
    local is_read <const> = metric.unit == "ns" and not metric.per -- not divided by anything
    for _, arm in ipairs(is_read and document.arms or {}) do
      local median <const> = arm.metrics[metric.name .. "_ns"].median
      if median and is_such(median, document.clock) then arms[#arms + 1] = arm.name end
    end
    if arms[1] then
      found[#found + 1] = metric.name .. " of " .. (#arms == #document.arms and "all arms"
        or "'" .. table.concat(arms, "', '") .. "'")
    end
  end
  return table.concat(found, "; ")
end

---What can't be trusted in the medians, because of the clock.
---@param document table
---@return string[]
function notes.clock(document)
  local clock <const>, lines <const> = document.clock, {}
  if not clock.step_ns then lines[1] = "the clock's step is unknown: " .. clock.step_ns_why end
  if clock.backward_steps > 0 then
    lines[#lines + 1] = ("the clock ran backwards %d times while it was looked at")
      :format(clock.backward_steps)
  end
  if where(document, notes.is_below_step) ~= "" then
    lines[#lines + 1] = ("< step: below the clock's step of %s, no ratio is made of it"):format(
      units.ns(clock.step_ns))
  end
  local clocks_own <const> = where(document, is_mostly_clock)
  if clocks_own ~= "" then
    lines[#lines + 1] = ("dominated by the clock, below %d readings of it (%s): %s"):format(
      FEW_READINGS, units.ns(FEW_READINGS * clock.read_ns), clocks_own)
  end
  for _, arm in ipairs(document.arms) do
    if arm.negative_readings > 0 then
      lines[#lines + 1] = ("broken readings, below 0: %d in arm '%s'"):format(
        arm.negative_readings, arm.name)
    end
  end
  return lines
end

local function discarded(metric)
  if metric.source == "median_from" and metric.iteration == 1 then
    return "median of all iterations"
  end
  return metric.source == "median_from"
    and ("median of the iterations from %d on, first %s discarded"):format(metric.iteration,
      units.plural(metric.iteration - 1, "iteration"))
end

local function kept(metric)
  if type(metric.keep) == "table" then
    return "that of the process whose " .. metric.keep.fastest .. " is the smallest"
  end
  return metric.keep == "min" and "that of the fastest process"
end

-- "steady: median of …", "faults, again best: that of …": columns that mean the same in one line.
local function explain(metrics, meaning, word, lines)
  local meant <const> = {}
  for _, metric in ipairs(metrics) do
    local text <const> = meaning(metric)
    if text then meant[#meant + 1] = { name = metric.name, text = text } end
  end
  for _, group in ipairs(grouped(meant, function(item) return item.text end)) do
    local names <const> = {}
    for index, item in ipairs(group) do names[index] = item.name end
    lines[#lines + 1] = ("%s%s: %s"):format(table.concat(names, ", "), word, group.key)
  end
end

-- The metrics that an arm, or a reference, has values of.
local function taken(document)
  local list <const> = {}
  for _, metric in ipairs(document.design.metrics) do
    local is_taken = false
    for _, arms in ipairs { document.arms, document.references } do
      for _, arm in ipairs(arms) do
        local summary <const> = arm.metrics[analysis.key(metric)]
        is_taken = is_taken or summary ~= nil and summary.n ~= 0
      end
    end
    list[#list + 1] = is_taken and metric or nil
  end
  return list
end

---What the columns of the first table mean, where their names don't say it.
---@param document table
---@return string[]
function notes.metrics(document)
  local lines <const>, per <const>, metrics <const> = {}, {}, taken(document)
  explain(metrics, discarded, "", lines)
  explain(metrics, kept, " best", lines)
  for _, metric in ipairs(metrics) do
    if metric.per then per[metric.per] = true end
  end
  if per.page then
    lines[#lines + 1] = ("page: %s, whatever pages the kernel has mapped"):format(
      units.bytes(document.design.page_bytes))
  end
  if per.fault then lines[#lines + 1] = "fault: one that the kernel counted, minor or major" end
  return lines
end

---@param document table
---@return string[]
function notes.apart(document)
  local found <const> = document.apart
  if not found or not found.reference then return {} end
  local limit <const> = ("%s above %s times the median over all arms (%s)"):format(
    found.metric, units.count(found.above), units.ns(found.reference))
  if found.reference <= 0 then
    return { "", ("No verdict on processes that stand apart: they have %s."):format(limit) }
  elseif #found.processes == 0 then
    return { "", ("No process stands apart: none has %s."):format(limit) }
  end
  local lines <const> = { "", ("Processes that stand apart, with %s:"):format(limit) }
  local values <const> = {}
  for index, process in ipairs(found.processes) do values[index] = process.value end
  local scale <const> = units.scale(values)
  for _, group in ipairs(grouped(found.processes, function(process) return process.arm end)) do
    local texts <const> = {}
    for index, process in ipairs(group) do
      texts[index] = ("%s (round %d)"):format(units.ns(process.value, scale), process.round)
    end
    lines[#lines + 1] = ("  %s: %d, %s"):format(group.key, #group, table.concat(texts, ", "))
  end
  return lines
end

---@param document table
---@return string[]
function notes.faults(document)
  local lines <const> = {}
  for _, account in ipairs(document.faults) do
    if account.why then
      lines[#lines + 1] = ("  %s, %s: expected %d, seen %s: %s"):format(account.arm,
        account.metric, account.expected, notes.counts(account.seen), account.why)
    end
  end
  if #lines == 0 then return {} end
  return { "", "Fault counts that are not what the job lets one expect", table.unpack(lines) }
end

---How much longer the same work twice took, of each timed loop.
---@param document table
---@return string[]
function notes.guards(document)
  local well <const>, lines <const> = {}, {}
  for _, guard in ipairs(document.guards or {}) do
    if guard.verdict == "well" then
      well[#well + 1] = ("%s %s"):format(guard.kernel, units.significant(guard.ratio))
    else
      lines[#lines + 1] = ("  %s: %s, %s"):format(guard.kernel,
        guard.verdict == "void" and "its figures are VOID" or "unknown", guard.why)
    end
  end
  if well[1] then
    table.insert(lines, 1, "  times as long: " .. table.concat(well, ", "))
  end
  if not lines[1] then return {} end
  return { "", "The same work twice, of every timed loop, is to take twice as long",
    table.unpack(lines) }
end

---@param document table
---@return string[]
function notes.lost(document)
  local lost <const> = {}
  for _, sample in ipairs(document.samples) do
    if sample.status ~= "ok" then lost[#lost + 1] = sample end
  end
  if #lost == 0 then return {} end
  local lines <const> = { "", ("Samples lost: %d of %d"):format(#lost, #document.samples) }
  local groups <const> = grouped(lost, function(sample)
    return ("%s: %s%s"):format(sample.arm, sample.status,
      sample.stopped_in and ", in " .. sample.stopped_in or "")
  end)
  for _, group in ipairs(groups) do
    local rounds <const> = {}
    for index, sample in ipairs(group) do rounds[index] = sample.round end
    table.sort(rounds)
    lines[#lines + 1] = ("  %s (%s %s)"):format(group.key, #rounds == 1 and "round" or "rounds",
      table.concat(rounds, ", "))
  end
  return lines
end

return notes
