--- What a verification finds: sentences that name the place, and values that are not as derived.
local json <const> = require "frlua.json"
local units <const> = require "frlua.units"

local findings <const> = {}

---@param found frlua.Verification
---@param ... any as string.format takes it
function findings.add(found, ...)
  table.insert(found.findings, string.format(...))
end

local function shown(value)
  if type(value) == "number" then return units.number(value) end
  if type(value) == "table" then return json.is_array(value) and "a list" or "an object" end
  return value == nil and "nothing" or tostring(value)
end

---The place of a part.
---@param path string of the whole
---@param key string|integer
---@return string
function findings.place(path, key)
  return math.type(key) == "integer" and ("%s[%d]"):format(path, key) or path .. "." .. key
end

---The keys of two tables, each once: numbers rising, texts by their bytes.
---@param a table
---@param b table
---@return any[]
function findings.keys_of_both(a, b)
  local keys <const>, seen <const> = {}, {}
  for _, side in ipairs { a, b } do
    for key in pairs(side) do
      if not seen[key] then keys[#keys + 1], seen[key] = key, true end
    end
  end
  table.sort(keys, function(x, y)
    if math.type(x) and math.type(y) then return x < y end
    return tostring(x) < tostring(y)
  end)
  return keys
end

---Compares what a file says with what was derived: the same numbers, to the last digit.
---@param said any
---@param derived any
---@param path string
---@param found frlua.Verification
---@param source? string what it was derived from; "by its samples" unless given
function findings.compare(said, derived, path, found, source)
  if type(said) == "table" and type(derived) == "table" then
    for _, key in ipairs(findings.keys_of_both(said, derived)) do
      findings.compare(said[key], derived[key], findings.place(path, key), found, source)
    end
  elseif said ~= derived or math.type(said) ~= math.type(derived) then
    findings.add(found, "%s is %s in the file, and %s %s", path, shown(said), shown(derived),
      source or "by its samples")
  else
    found.compared = found.compared + 1
  end
end

return findings
