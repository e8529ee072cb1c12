--- What a time can be divided by, as far as a design alone lets one count it. The keys are what a
--- metric is `per`.
local timed_phases <const> = require "frlua.timed_phases"

local counts <const> = {}

---Pages of base size that the regions of a metric's phases have.
---@param design table
---@param arm table
---@param metric table
---@return integer
function counts.page(design, arm, metric)
  local bytes_of <const>, page <const>, pages = {}, design.page_bytes, 0
  for _, region in ipairs(design.regions) do bytes_of[region.name] = region.bytes end
  for _, phase in ipairs(timed_phases.of(arm, metric.phases)) do
    for _, op in ipairs(phase.ops) do
      local bytes <const> = bytes_of[op.region]
      if bytes then pages = pages + (bytes + page - 1) // page end
      if op.region then bytes_of[op.region] = nil end -- each once
    end
  end
  return pages
end

---Loads that the chases of a metric's phases make.
---@param design table
---@param arm table
---@param metric table
---@return integer
function counts.load(design, arm, metric)
  local slots <const>, loads = {}, 0
  for _, region in ipairs(design.regions) do
    local stride <const> = region.chain == "line" and design.line_bytes or region.chain
    slots[region.name] = math.type(stride) and region.bytes // stride
  end
  for _, phase in ipairs(timed_phases.of(arm, metric.phases)) do
    for _, op in ipairs(phase.ops) do
      if op.code == "chase" then loads = loads + (op.loads or slots[op.region] or 0) end
    end
  end
  return loads
end

return counts
