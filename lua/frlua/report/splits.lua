--- What a report says of splits: where a time goes, part by part.
local aligned <const> = require "frlua.report.table"
local analysis <const> = require "frlua.analysis"
local scales <const> = require "frlua.report.scales"
local stats <const> = require "frlua.stats"
local units <const> = require "frlua.units"

local splits <const> = {}

local MISSING <const> = "-"
local WITH_INTERVALS <const> = { starts = { [2] = true, [4] = true } } -- each with what it is of

local function add(lines, ...)
  for _, line in ipairs { ... } do lines[#lines + 1] = line end
end

local function interval_text(summary, write)
  if not summary.ci95 then return MISSING end
  return ("[%s, %s]"):format(write(summary.ci95[1]), write(summary.ci95[2]))
end

local function percent(share)
  return share and units.fixed(100 * share, 1) .. " %" or MISSING
end

local function one_split(split, metrics, lines)
  if split.why then
    add(lines, "", ("%s: %s, %s"):format(split.split,
      split.withdrawn and "withdrawn" or "not shown", split.why))
    return
  end
  if not split.whole.ns.median then
    add(lines, "", ("%s: not shown, no round has all of its samples"):format(split.split))
    return
  end
  local scale <const> = scales.of(analysis.metric(split.whole.metric, metrics),
    scales.shared { split.whole.ns.median })
  local function in_scale(ns) return units.scaled(ns, scale) end
  add(lines, "", ("%s: %s of %s, per round; medians, with 95 %% intervals"):format(
    split.split, split.whole.metric, split.whole.arm))
  local rows <const> = {
    { "part", scale.name, "interval", "share", "interval" },
    { "whole", in_scale(split.whole.ns.median), interval_text(split.whole.ns, in_scale), "", "" },
  }
  for _, part in ipairs(split.parts) do
    if part.ns.median then
      rows[#rows + 1] = { part.part, in_scale(part.ns.median), interval_text(part.ns, in_scale),
        percent(part.share.median), interval_text(part.share, percent) }
    end
  end
  if split.remainder_ns then
    rows[#rows + 1] = { "remainder that medians leave", in_scale(split.remainder_ns), "",
      percent((stats.ratio(split.remainder_ns, split.whole.ns.median))), "" }
  end
  add(lines, table.unpack(aligned.lines(rows, "", WITH_INTERVALS)))
  if split.whole.ns.ci95_why then add(lines, split.whole.ns.ci95_why) end
  if split.per and split.per.ns.median then
    local one_scale <const> = units.scale { split.per.ns.median }
    local function one(ns) return units.ns(ns, one_scale) end
    add(lines, ("%s: %s for each of the %s, interval %s"):format(split.per.part,
      one(split.per.ns.median), split.per.metric, interval_text(split.per.ns, one)))
  end
end

---@param document table
---@return string[]
function splits.lines(document)
  local lines <const> = {}
  for _, split in ipairs(document.splits) do
    one_split(split, document.design.metrics, lines)
  end
  return lines
end

return splits
