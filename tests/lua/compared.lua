--- Comparisons of results that were never run.
local comparison <const> = require "frlua.compare.comparison"
local conditions <const> = require "frlua.compare.conditions"
local simulated <const> = require "simulated"
local sources <const> = require "frlua.compare.sources"

local compared <const> = {}

---A run of some arms, whose log times vary by `noise`.
---@param about { seed: integer, names: string[]?, rounds: integer?, noise: number?, shift: table?,
---  faults: fun(arm: string, round: integer): integer?, lost: fun(arm: string, round: integer):
---  boolean? }
---@return table document
function compared.run(about)
  local generator <const> = simulated.generator(about.seed)
  return simulated.document(about.names or { "a", "b", "c" }, {}, about.rounds or 10, about.seed,
    function(arm, round)
      local shift <const> = about.shift and about.shift[arm.name] or 0
      local time <const> = 1e7 * math.exp((about.noise or 0.1)
        * (simulated.normal(generator) + shift))
      if about.lost and about.lost(arm.name, round) then return nil end
      return { ns = math.tointeger(time // 1),
        faults = about.faults and about.faults(arm.name, round) or 1 }
    end)
end

---@param documents table[] one for each file, or lists of them
---@return frlua.Source[]
function compared.sources(documents)
  local list <const> = {}
  for index, document in ipairs(documents) do
    list[index] = { label = sources.label(index), path = index .. ".json", objections = {},
      documents = document.schema and { document } or document }
  end
  return list
end

---@param ... table documents
---@return table comparison
function compared.take(...)
  return assert(comparison.take(compared.sources { ... }, false))
end

---What --fail-if says of a comparison: the verdicts of its rows.
---@param document table
---@param text string
---@return string[] verdicts
---@return string[] reasons
function compared.judge(document, text)
  local condition <const> = assert(conditions.parse(text))
  assert(conditions.resolve({ condition }, document))
  local verdicts <const>, reasons <const> = {}, {}
  for index, judged in ipairs(conditions.judge({ condition }, document)) do
    verdicts[index], reasons[index] = judged.verdict, judged.reason
  end
  return verdicts, reasons
end

return compared
