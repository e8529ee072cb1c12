--- The rows of a comparison as a table (RFC 4180, with plain newlines): one line each, numbers in
--- full, empty where there is none.
local escape <const> = require "frlua.report.escape"

local compare_csv <const> = {}

local HEADS <const> = { "experiment", "arm", "metric", "unit", "file", "base_n", "base_median",
  "n", "median", "base_counts", "counts", "ratio", "ci95_lo", "ci95_hi", "ci95_coverage", "p",
  "p_holm", "method", "verdict", "reason" }

local function counts_of(side)
  return side.values and table.concat(side.values, " ") or side.exact
end

local function cells_of(row)
  local interval <const> = row.ci95 or {}
  local unit <const> = row.per and row.unit .. "/" .. row.per or row.unit
  return { row.experiment, row.arm, row.metric, unit, row.file, row.base.n, row.base.median,
    row.other.n, row.other.median, counts_of(row.base), counts_of(row.other), row.ratio,
    interval[1], interval[2], row.ci95_coverage, row.p, row.p_holm, row.method, row.verdict,
    row.reason }
end

---@param document table of comparison.take
---@return string
function compare_csv.render(document)
  local lines <const> = { table.concat(HEADS, ",") }
  for _, row in ipairs(document.rows) do
    local cells <const>, texts <const> = cells_of(row), {}
    for index = 1, #HEADS do texts[index] = escape.csv(cells[index]) end
    lines[#lines + 1] = table.concat(texts, ",")
  end
  return table.concat(lines, "\n") .. "\n"
end

return compare_csv
