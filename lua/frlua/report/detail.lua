--- What --detail adds: every iteration of interest and one line per process, in the order in which
--- they ran.
local analysis <const> = require "frlua.analysis"
local aligned <const> = require "frlua.report.table"
local units <const> = require "frlua.units"

local detail <const> = {}

local function iteration_lines(document, sample, lines)
  for _, phase in ipairs(sample.phases) do
    local of_phase <const> = #sample.phases > 1 and phase.phase .. ", " or ""
    for _, iteration in ipairs(document.design.detail or {}) do
      local ns <const> = phase.ns[iteration]
      if ns then
        lines[#lines + 1] = ("  %siteration %2d: %9d ns %5d page faults"):format(
          aligned.printable(of_phase), iteration, ns,
          analysis.faults_at(phase.minor_faults, iteration))
      end
    end
  end
end

local function metric_text(metric, value)
  if not value then return metric.name .. " -" end
  if metric.per then
    return ("%s %9s ns/%s"):format(metric.name, units.fixed(value, 1), metric.per)
  elseif metric.unit == "ns" then
    return ("%s %9s ns"):format(metric.name, units.count(value))
  end
  return ("%s %3s"):format(metric.name, units.count(value))
end

---@param document table a result document
---@return string[] lines
function detail.lines(document)
  local values <const> = analysis.values(document.design, document.samples)
  local lines <const> = { "", "Every process, in the order in which they ran" }
  for _, sample in ipairs(document.samples) do
    local parts <const> = { ("%-20s round %2d"):format(sample.arm, sample.round) }
    for _, metric in ipairs(document.design.metrics) do
      parts[#parts + 1] = metric_text(metric, values[sample.arm][metric.name][sample.round])
    end
    if sample.status ~= "ok" then parts[#parts + 1] = sample.status end
    lines[#lines + 1] = aligned.printable(table.concat(parts, "  "))
    iteration_lines(document, sample, lines)
  end
  return lines
end

return detail
