--- One fact of the machine's passport: what is there, and what it means for a measurement today.
local fact <const> = {}

---How much a fact disturbs a measurement made now. "note": it does not by itself, but must be known
---to read the numbers.
---@alias frlua.Level "ok"|"note"|"disturbs"|"unknown"

---@class frlua.Fact
---@field name string with the unit, if its value has one
---@field group string? of facts that are shown together
---@field value any? nil when unknown
---@field value_why string? why it is unknown
---@field text string the value as people read it
---@field level frlua.Level
---@field meaning string a sentence on what follows for a measurement

---@param name string
---@param value any not nil
---@param text string?  by default the value itself
---@param level frlua.Level
---@param meaning string
---@return frlua.Fact
function fact.known(name, value, text, level, meaning)
  return { name = name, value = value, text = text or tostring(value), level = level,
    meaning = meaning }
end

---@param name string
---@param why string? why nothing is known
---@param meaning string what can't be told without it
---@return frlua.Fact
function fact.unknown(name, why, meaning)
  return { name = name, value_why = why or "nothing tells it", text = "unknown", level = "unknown",
    meaning = meaning }
end

---A fact of the result's passport, whose level and meaning follow from its value.
---@param passport table of machine.passport
---@param name string
---@param judge fun(value: any): frlua.Level, string, string? level, meaning, text
---@param without string what can't be told when it is unknown
---@return frlua.Fact
function fact.of(passport, name, judge, without)
  local value <const> = passport[name]
  if value == nil then return fact.unknown(name, passport[name .. "_why"], without) end
  local level <const>, meaning <const>, text <const> = judge(value)
  return fact.known(name, value, text, level, meaning)
end

---A share as a percentage.
---@param share number
---@return string
function fact.percent(share)
  return require "frlua.units".fixed(100 * share, 1) .. " %"
end

return fact
