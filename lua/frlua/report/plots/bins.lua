--- Long series made short for plots with a logarithmic axis: the first iterations are points of
--- their own, later ones share a point with their neighbours.
local stats <const> = require "frlua.stats"

local bins <const> = {}

local PER_DECADE <const> = 30 -- finer than a line is wide

---The first and last iterations of each bin; the same for every series, but that the last one ends
---with it.
---@param count integer iterations
---@return integer[][] { from, to }
function bins.edges(count)
  local edges <const>, growth <const> = {}, 10 ^ (1 / PER_DECADE)
  local from = 1
  while from <= count do
    local to <const> = math.max(from, math.ceil(from * growth) - 1)
    edges[#edges + 1] = { from, math.min(to, count) }
    from = to + 1
  end
  return edges
end

---Where the point of a bin stands.
---@param edge integer[]
---@return number
function bins.middle(edge)
  return edge[1] == edge[2] and edge[1] or math.sqrt(edge[1] * edge[2])
end

---From which iteration on a point stands for several; nil when none does.
---@param edges integer[][]
---@return integer?
function bins.shared_from(edges)
  for _, edge in ipairs(edges) do
    if edge[2] > edge[1] then return edge[1] end
  end
end

---The median of each bin.
---@param series userdata
---@param edges? integer[][] by default those of its length
---@return number[]
function bins.medians(series, edges)
  local medians <const> = {}
  for index, edge in ipairs(edges or bins.edges(#series)) do
    if edge[1] > #series then break end
    local single <const> = edge[1] == edge[2]
    medians[index] = single and series[edge[1]]
      or stats.median { series:middle(edge[1], edge[2]) }
  end
  return medians
end

---The median over processes, where all of them have the bin.
---@param processes number[][] medians of their bins
---@return number[]
function bins.over(processes)
  local over <const> = {}
  for index = 1, processes[1] and #processes[1] or 0 do
    local values <const> = {}
    for _, medians in ipairs(processes) do values[#values + 1] = medians[index] end
    if #values < #processes then break end
    over[index] = stats.median(values)
  end
  return over
end

return bins
