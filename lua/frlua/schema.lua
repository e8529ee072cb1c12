--- As much of JSON Schema (draft 2020-12) as the schema of results uses. The values are those of
--- json.decode: null is json.null, arrays are marked, whole numbers are integers. A series of the
--- core is an array of integers.
local core <const> = require "frlua.core"
local files <const> = require "frlua.files"
local json <const> = require "frlua.json"

local schema <const> = {}

local function type_of(value)
  if value == json.null then return "null" end
  if json.is_series(value) then return "array" end
  if type(value) == "table" then return json.is_array(value) and "array" or "object" end
  if type(value) == "number" then return math.type(value) == "integer" and "integer" or "number" end
  return type(value)
end

local function is_of_type(value, wanted)
  local kind <const> = type_of(value)
  return kind == wanted or kind == "integer" and wanted == "number"
end

-- A Lua pattern for the regular expressions of the schema: \d, sets, {n} behind a set, anchors.
local function pattern_of(expression)
  local pattern <const> = expression:gsub("%-", "%%-"):gsub("(%b[])", function(set)
    return (set:gsub("%%%-", "-"))
  end):gsub("\\d{(%d+)}", function(count) return ("%d"):rep(count) end):gsub("\\d", "%%d")
  return (pattern:gsub("(%b[]){(%d+)}", function(set, count) return set:rep(count) end))
end

local Validator <const> = {}
Validator.__index = Validator

function Validator:find(path, message)
  local where <const> = path == "" and "the document" or path
  self.findings[#self.findings + 1] = where .. " " .. message
end

-- Whether a value fits, without a word.
function Validator:fits(value, rule)
  local probe <const> = setmetatable({ root = self.root, findings = {} }, Validator)
  probe:check(value, rule, "")
  return #probe.findings == 0
end

local keywords <const> = {}

function keywords.type(self, value, wanted, path)
  for _, kind in ipairs(type(wanted) == "table" and wanted or { wanted }) do
    if is_of_type(value, kind) then return end
  end
  self:find(path, ("is of type %s, not %s"):format(type_of(value),
    type(wanted) == "table" and table.concat(wanted, " or ") or wanted))
end

function keywords.const(self, value, wanted, path)
  if value ~= wanted then self:find(path, "is not " .. tostring(wanted)) end
end

function keywords.enum(self, value, wanted, path)
  for _, one in ipairs(wanted) do
    if value == one then return end
  end
  self:find(path, "is none of " .. table.concat(wanted, ", "))
end

function keywords.minimum(self, value, limit, path)
  if type(value) == "number" and value < limit then self:find(path, "is below " .. limit) end
end

function keywords.maximum(self, value, limit, path)
  if type(value) == "number" and value > limit then self:find(path, "is above " .. limit) end
end

function keywords.exclusiveMinimum(self, value, limit, path)
  if type(value) == "number" and value <= limit then self:find(path, "is not above " .. limit) end
end

function keywords.minLength(self, value, limit, path)
  if type(value) == "string" and #value < limit then self:find(path, "is too short") end
end

function keywords.pattern(self, value, expression, path)
  if type(value) == "string" and not value:find(pattern_of(expression)) then
    self:find(path, "does not match " .. expression)
  end
end

function keywords.minItems(self, value, limit, path)
  if type_of(value) == "array" and #value < limit then
    self:find(path, ("has fewer than %d items"):format(limit))
  end
end

function keywords.maxItems(self, value, limit, path)
  if type_of(value) == "array" and #value > limit then
    self:find(path, ("has more than %d items"):format(limit))
  end
end

-- Of a series the smallest and the largest: what they keep to, all between them do.
function keywords.items(self, value, rule, path)
  if json.is_series(value) then
    for _, bound in ipairs { value:bounds() } do self:check(bound, rule, path .. "[…]") end
    return
  end
  for index, item in ipairs(json.is_array(value) and value or {}) do
    self:check(item, rule, ("%s[%d]"):format(path, index))
  end
end

function keywords.required(self, value, names, path)
  for _, name in ipairs(type_of(value) == "object" and names or {}) do
    if value[name] == nil then self:find(path, ("lacks '%s'"):format(name)) end
  end
end

local function below(path, key) return path == "" and key or path .. "." .. key end

-- properties, patternProperties and additionalProperties belong together.
local function check_properties(self, value, rule, path)
  if type_of(value) ~= "object" then return end
  for key, item in pairs(value) do
    local known = false
    local own <const> = rule.properties and rule.properties[key]
    if own then
      known = true
      self:check(item, own, below(path, key))
    end
    for expression, part in pairs(rule.patternProperties or {}) do
      if key:find(pattern_of(expression)) then
        known = true
        self:check(item, part, below(path, key))
      end
    end
    if not known and rule.additionalProperties == false then
      self:find(below(path, key), "is no field of a result")
    elseif not known and type(rule.additionalProperties) == "table" then
      self:check(item, rule.additionalProperties, below(path, key))
    end
  end
end

function keywords.anyOf(self, value, rules, path)
  for _, rule in ipairs(rules) do
    if self:fits(value, rule) then return end
  end
  self:find(path, "is none of the kinds that it may be")
end

function keywords.oneOf(self, value, rules, path)
  local count = 0
  for _, rule in ipairs(rules) do count = count + (self:fits(value, rule) and 1 or 0) end
  if count ~= 1 then
    self:find(path, ("is %d of the kinds of which it must be one"):format(count))
  end
end

keywords["$ref"] = function(self, value, reference, path)
  self:check(value, self.root["$defs"][reference:match "^#/%$defs/(.+)$"], path)
end

function Validator:check(value, rule, path)
  for keyword, argument in pairs(rule) do
    local check <const> = keywords[keyword]
    if check then check(self, value, argument, path) end
  end
  check_properties(self, value, rule, path)
  if rule["if"] and rule["then"] and self:fits(value, rule["if"]) then
    self:check(value, rule["then"], path)
  end
end

---What of a value does not fit a schema.
---@param value any as json.decode gives it
---@param root table a schema, decoded likewise
---@param name string which of its $defs
---@return string[] findings sorted; each names the place
function schema.findings(value, root, name)
  local validator <const> = setmetatable({ root = root, findings = {} }, Validator)
  validator:check(value, root["$defs"][name], "")
  table.sort(validator.findings)
  return validator.findings
end

---The schema of result files.
---@return table
function schema.of_results()
  return assert(json.decode(assert(files.read(
    core.root .. "/share/frlua/lua/frlua/result.schema.json"))))
end

return schema
