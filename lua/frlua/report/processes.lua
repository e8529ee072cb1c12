--- What reports say of whole processes: how long a series of them took from outside, the first
--- apart from those after it, and what their parts were.
local aligned <const> = require "frlua.report.table"
local process_parts <const> = require "frlua.parts"
local stats <const> = require "frlua.stats"
local units <const> = require "frlua.units"

local processes <const> = {}

local UNKNOWN <const> = "unknown"

-- The arm's samples in the order in which they ran.
local function samples_of(document, arm)
  local list <const> = {}
  for _, sample in ipairs(document.samples) do
    if sample.arm == arm.name then list[#list + 1] = sample end
  end
  return list
end

-- The times of whole processes: the first of the series, nil when it was lost; and the later ones.
local function series_of(document, arm)
  local first, later <const> = nil, {}
  for index, sample in ipairs(samples_of(document, arm)) do
    local ns <const> = sample.status == "ok" and sample.process.wall_ns or nil
    if index == 1 then first = ns else later[#later + 1] = ns end
  end
  return first, later
end

local function all_of(first, later)
  local all <const> = { first }
  table.move(later, 1, #later, #all + 1, all)
  table.sort(all)
  return all
end

local function series_line(arm, first, all)
  local count <const>, scale <const> = #all, units.scale(all)
  local function time(ns) return ns and units.ns(ns, scale) or UNKNOWN end
  return ("%d fresh %s of '%s': first %s, min %s, median %s, max %s"):format(count,
    count == 1 and "process" or "processes", arm.name, time(first), time(all[1]),
    time(stats.median(all)), time(all[count]))
end

---A line for each arm: `20 fresh processes of 'true': first 781 µs, min 651 µs, median …, max …`
---@param document table
---@return string[]
function processes.series(document)
  local lines <const> = {}
  for _, arm in ipairs(document.arms) do
    local first <const>, later <const> = series_of(document, arm)
    local all <const> = all_of(first, later)
    lines[#lines + 1] = all[1] and series_line(arm, first, all)
      or ("no process of '%s' ended well"):format(arm.name)
  end
  return lines
end

local DECILES <const> = { 10, 20, 30, 40, 50, 60, 70, 80, 90 }

-- The smallest value that so many per cent of them do not exceed.
local function percentile(sorted, percent)
  return sorted[(#sorted * percent + 99) // 100]
end

---A table of how the processes after the first are spread, and the first as so many times their
---median: what it alone paid for, such as reading the program's file, which later ones find in
---memory.
---@param document table
---@return string[]
function processes.distribution(document)
  local rows <const> = { { "arm, µs" } }
  for _, percent in ipairs(DECILES) do table.insert(rows[1], percent .. " %") end
  table.insert(rows[1], "first/median")
  for _, arm in ipairs(document.arms) do
    local first <const>, later <const> = series_of(document, arm)
    table.sort(later)
    local row <const> = { arm.name }
    for _, percent in ipairs(later[1] and DECILES or {}) do
      row[#row + 1] = units.fixed(percentile(later, percent) / 1000, 0)
    end
    if later[1] then
      row[#row + 1] = first and units.fixed(first / stats.median(later), 2) or UNKNOWN
      rows[#rows + 1] = row
    end
  end
  if not rows[2] then return {} end
  return { "The processes after the first, by deciles; and the first to their median",
    table.unpack(aligned.lines(rows)) }
end

local function spoken(part) return (part:gsub("_", " ")) end

-- The values of a part over an arm's processes, and its share of the whole in each.
local function part_of(document, arm, part)
  local values <const>, shares <const> = {}, {}
  for _, sample in ipairs(samples_of(document, arm)) do
    local parts <const> = sample.status == "ok" and sample.process.parts_ns
    if parts and parts[part] then
      values[#values + 1] = parts[part]
      shares[#shares + 1] = parts[part] / sample.process.wall_ns
    end
  end
  return values, shares
end

---A table of the parts of an arm's processes: medians with their intervals, and their shares.
---@param document table
---@param arm table of the document
---@return string[]
function processes.parts(document, arm)
  local rows <const> = { { "part", "ns", "interval", "share" } }
  for _, part in ipairs(process_parts.OF_WORKER) do
    local values <const>, shares <const> = part_of(document, arm, part)
    if values[1] then
      local found <const> = stats.summary(values)
      local lo <const>, hi <const> = table.unpack(found.ci95 or {})
      rows[#rows + 1] = {
        spoken(part), units.count(found.median // 1),
        lo and ("[%s, %s]"):format(units.count(lo), units.count(hi)) or "no 95 % interval",
        units.fixed(100 * stats.median(shares), 1) .. " %",
      }
    end
  end
  if not rows[2] then return { ("parts of '%s': %s"):format(arm.name, UNKNOWN) } end
  return { ("Parts of '%s', medians over the processes"):format(arm.name),
    table.unpack(aligned.lines(rows)) }
end

local function mappings(part)
  local texts <const> = {}
  for index, item in ipairs(part.by_mapping) do
    texts[index] = ("%s %d"):format(item.mapping, item.count)
  end
  return texts[1] and table.concat(texts, ", ") or "none with an address"
end

---Where the page faults of each part fell, as far as they were traced.
---@param document table
---@return string[]
function processes.faults(document)
  if not document.fault_traces then
    return { "Page faults of the parts: unknown, " .. (document.fault_traces_why
      or "they are traced with --faults, in one more process of each arm") }
  end
  local lines <const> = { "Page faults of the parts, of one more process of each arm; those of the"
    .. " kernel itself, as in exec, have no address" }
  for _, taken in ipairs(document.fault_traces) do
    for _, part in ipairs(taken.parts or {}) do
      lines[#lines + 1] = ("  %s, %s: %s%s"):format(taken.arm, spoken(part.part),
        part.total and part.total .. " in all, " or "", mappings(part))
    end
  end
  return lines
end

return processes
