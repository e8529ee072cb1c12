--- Plots on a page, beside their tables.
local analysis <const> = require "frlua.analysis"
local markup <const> = require "frlua.report.html.markup"
local notes <const> = require "frlua.report.notes"
local svg <const> = require "frlua.report.plots.svg"

local figures <const> = {}

local function figure(plot, drawn, tag)
  return ('<figure id="%s">%s%s%s</figure>'):format(plot.id,
    tag and markup.element(tag, plot.title) .. "\n" or "", svg.of(drawn, plot),
    markup.element("figcaption", plot.caption))
end

-- A plot that has its section's title needs none of its own.
local function figures_of(section, drawn_of, tag)
  local list <const> = {}
  for _, plot in ipairs(section.plots) do
    local drawn <const> = drawn_of[plot]
    if drawn then list[#list + 1] = figure(plot, drawn, plot.title ~= section.title and tag) end
  end
  return list
end

local function section_of(section, drawn_of, level)
  local list <const> = figures_of(section, drawn_of, "h" .. level + 1)
  local rows <const> = section.table
  local tabled <const> = rows and markup.table(rows.caption, rows.heads, rows.rows) or ""
  local lines <const> = {
    "<section>", markup.element("h" .. level, section.title),
    section.note and markup.element('p class="note"', section.note) or "",
  }
  if #list == 1 then -- one plot and its table stand side by side
    lines[#lines + 1] = '<div class="beside">' .. list[1] .. tabled .. "</div>"
  else
    if list[1] then
      lines[#lines + 1] = '<div class="plots">' .. table.concat(list, "\n") .. "</div>"
    end
    lines[#lines + 1] = tabled
  end
  lines[#lines + 1] = "</section>"
  return table.concat(lines, "\n")
end

---@param sections frlua.PlotSection[]
---@param drawn_of table<frlua.Plot, string> what gnuplot wrote of each
---@param level integer of their headings
---@return string
function figures.render(sections, drawn_of, level)
  local texts <const> = {}
  for index, section in ipairs(sections) do
    texts[index] = section_of(section, drawn_of, level)
  end
  return table.concat(texts, "\n")
end

-- Whether some arm has a count of the metric.
local function is_counted(document, metric)
  for _, arm in ipairs(document.arms) do
    local summary <const> = arm.metrics[analysis.key(metric)]
    if metric.unit ~= "ns" and (summary.exact or summary.values) then return true end
  end
  return false
end

---The counts of a document, which are exact and have no plot.
---@param document table
---@param level integer
---@return string # empty where nothing is counted
function figures.counts(document, level)
  local heads <const>, rows <const>, metrics <const> = { "arm" }, {}, {}
  for _, metric in ipairs(document.design.metrics) do
    if is_counted(document, metric) then
      metrics[#metrics + 1], heads[#heads + 1] = metric, metric.name
    end
  end
  if not metrics[1] then return "" end
  for index, arm in ipairs(document.arms) do
    rows[index] = { arm.name }
    for _, metric in ipairs(metrics) do
      table.insert(rows[index], notes.counts(arm.metrics[analysis.key(metric)]))
    end
  end
  return "<section>" .. markup.element("h" .. level, "Counts") .. "\n"
    .. markup.table("Exact in every process; where they differ, the smallest and the largest",
      heads, rows) .. "</section>"
end

return figures
