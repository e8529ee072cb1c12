--- What a time can be divided by, as far as a design alone lets one count it. The keys are what a
--- metric is `per`.
local timed_phases <const> = require "frlua.timed_phases"

local counts <const> = {}

-- Pieces of a size, such as pages, that the regions of a metric's phases have.
local function pieces(size, design, arm, metric)
  local bytes_of <const>, count = {}, 0
  for _, region in ipairs(design.regions) do bytes_of[region.name] = region.bytes end
  for _, phase in ipairs(timed_phases.of(arm, metric.phases)) do
    for _, op in ipairs(phase.ops) do
      local bytes <const> = bytes_of[op.region]
      if bytes then count = count + (bytes + size - 1) // size end
      if op.region then bytes_of[op.region] = nil end -- each once
    end
  end
  return count
end

---Pages of base size that the regions of a metric's phases have.
---@param design table
---@param arm table
---@param metric table
---@return integer
function counts.page(design, arm, metric)
  return pieces(design.page_bytes, design, arm, metric)
end

---Lines that the regions of a metric's phases have, whether all of them are touched or not.
---@param design table
---@param arm table
---@param metric table
---@return integer # 0 where the size of a line is unknown: there is nothing to divide by
function counts.line(design, arm, metric)
  return design.line_bytes and pieces(design.line_bytes, design, arm, metric) or 0
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
