--- Plots of splits: a time as a waterfall of its parts, with their intervals.
local canvas <const> = require "frlua.report.plots.canvas"
local stats <const> = require "frlua.stats"
local units <const> = require "frlua.units"

local splits <const> = {}

-- The whole, then each part from where the one before it ends, then what medians leave.
local function bars_of(split)
  local whole <const> = split.whole.ns
  local bars <const>, at = { {
    name = ("whole: %s of %s"):format(split.whole.metric, split.whole.arm),
    from = 0, to = whole.median, ci95 = whole.ci95,
  } }, 0
  for _, part in ipairs(split.parts) do
    if part.ns.median then
      bars[#bars + 1] = { name = part.part, from = at, to = at + part.ns.median,
        ci95 = part.ns.ci95, share = part.share }
      at = at + part.ns.median
    end
  end
  if split.remainder_ns then
    bars[#bars + 1] = { name = "remainder that medians leave", from = at,
      to = at + split.remainder_ns, share = { median =
        (stats.ratio(split.remainder_ns, whole.median)) } }
  end
  return bars
end

-- Where the interval of a bar's end lies.
local function ends_of(bar)
  if not bar.ci95 then return nil end
  return bar.from + bar.ci95[1], bar.from + bar.ci95[2]
end

local function axis_of(bars, scale)
  local places <const> = { 0 }
  for _, bar in ipairs(bars) do
    local low <const>, high <const> = ends_of(bar)
    for _, place in ipairs { bar.to, low or bar.to, high or bar.to } do
      places[#places + 1] = place
    end
  end
  local low <const>, high <const> = canvas.range(places, false)
  return { label = "time, " .. scale.name, low = math.min(0, low < 0 and low or 0) / scale.divisor,
    high = high / scale.divisor }
end

local function box(bar, index, divisor)
  local from <const>, to <const> = bar.from / divisor, bar.to / divisor
  return { (from + to) / 2, -index, math.min(from, to), math.max(from, to), -index - 0.32,
    -index + 0.12 }
end

local function percent(share)
  return share and units.fixed(100 * share, 1) .. " %" or "-"
end

local function commands_of(bars, scale, drawn)
  local names <const>, boxes <const>, whole <const>, whiskers <const> = {}, {}, {}, {}
  for index, bar in ipairs(bars) do
    local share <const> = bar.share and bar.share.median
    names[index] = ("%s: %s%s"):format(bar.name, units.ns(bar.to - bar.from, scale),
      share and ", " .. percent(share) or "")
    local list <const> = index == 1 and whole or boxes
    list[#list + 1] = box(bar, index, drawn.divisor)
    local low <const>, high <const> = ends_of(bar)
    if low then
      whiskers[#whiskers + 1] = { bar.to / drawn.divisor, -index - 0.1, low / drawn.divisor,
        high / drawn.divisor }
    end
  end
  local commands <const> = canvas.rows(axis_of(bars, drawn), names)
  commands[#commands + 1] = "set style fill solid 1 noborder"
  canvas.data(commands, "whole", whole)
  canvas.data(commands, "parts", boxes)
  local parts <const> = {
    ("$whole using 1:2:3:4:5:6 with boxxyerror lc rgb '%s'"):format(canvas.QUIET),
    ("$parts using 1:2:3:4:5:6 with boxxyerror lc rgb '%s'"):format(canvas.COLORS[1]),
  }
  if whiskers[1] then
    canvas.data(commands, "intervals", whiskers)
    parts[3] = ("$intervals using 1:2:3:4 with xerrorbars pt 0 lw 2 lc rgb '%s'"):format(
      canvas.COLORS[2])
  end
  canvas.plot(commands, parts)
  return commands
end

local function interval(ci95, write)
  return ci95 and ("[%s, %s]"):format(write(ci95[1]), write(ci95[2])) or "-"
end

local function table_of(bars, scale, why)
  local function time(ns) return units.scaled(ns, scale) end
  local rows <const> = {}
  for index, bar in ipairs(bars) do
    local share <const> = bar.share or {}
    rows[index] = { bar.name, time(bar.to - bar.from), interval(bar.ci95, time),
      percent(share.median), interval(share.ci95, percent) }
  end
  return {
    caption = "Medians over the rounds, with 95 % intervals" .. (why and "; " .. why or ""),
    heads = { "part", scale.name, "95 % interval", "share", "95 % interval" }, rows = rows,
  }
end

local function description(split, bars, scale)
  local texts <const> = {}
  for index, bar in ipairs(bars) do
    texts[index] = ("%s %s"):format(bar.name, units.ns(bar.to - bar.from, scale))
  end
  return ("%s, as a waterfall: %s."):format(split.split, table.concat(texts, "; "))
end

local function section_of(split)
  if split.why or not split.whole.ns.median then
    return { title = split.split, plots = {}, note = ("%s: %s"):format(
      split.withdrawn and "withdrawn" or "not shown",
      split.why or "no round has all of its samples") }
  end
  local bars <const> = bars_of(split)
  local scale <const> = units.scale { split.whole.ns.median }
  local drawn_scale <const> = canvas.scale { split.whole.ns.median }
  return {
    title = split.split,
    plots = { {
      name = "split-" .. split.split, title = split.split, width = canvas.WIDTH,
      height = canvas.height_of_rows(#bars), commands = commands_of(bars, scale, drawn_scale),
      caption = "Each bar begins where the one above it ends: their lengths are what the parts"
        .. " take of the whole. A whisker is the 95 % interval of a part, drawn at its end; where"
        .. " it is longer than the bar, that part can't be told from nothing.",
      description = description(split, bars, scale),
    } },
    table = table_of(bars, scale, split.whole.ns.ci95_why),
  }
end

---@param document table
---@return frlua.PlotSection[]
function splits.sections(document)
  local sections <const> = {}
  for index, split in ipairs(document.splits) do sections[index] = section_of(split) end
  return sections
end

return splits
