--- What a command prints as its readings: one JSON object of whole numbers, and of lists of them.
local check <const> = require "frlua.check"
local json <const> = require "frlua.json"
local stats <const> = require "frlua.stats"
local units <const> = require "frlua.units"

local printed <const> = {
  LIMIT = 1 << 20, -- bytes: what is longer is no reading, but a log
}

local function list_of(name, list)
  for index, item in ipairs(list) do
    if math.type(item) ~= "integer" then
      return nil, ("entry %d of '%s' is no whole number below 2^63"):format(index, name)
    end
  end
  return list
end

-- One reading; nil, and what is wrong with it. A name that ends in "_why" would explain another one
-- in a result.
local function reading_of(name, value)
  if not name:find "^%a[%w_]*$" or name:find "_why$" then
    return nil, ("%s is no name of a reading"):format(check.show(name))
  elseif math.type(value) == "integer" then
    return value
  elseif json.is_array(value) then
    return list_of(name, value)
  end
  return nil, ("'%s' is neither a whole number below 2^63 nor a list of them"):format(name)
end

---Reads what a command wrote to its standard output.
---@param output string
---@param dropped integer? bytes beyond the limit
---@return table<string, integer|integer[]>? readings
---@return string? why there are none
function printed.read(output, dropped)
  if dropped and dropped > 0 then
    return nil, ("it printed more than %s"):format(units.bytes(printed.LIMIT))
  end
  local decoded <const> = json.decode(output)
  if type(decoded) ~= "table" or json.is_array(decoded) or decoded == json.null then
    return nil, ("it printed %s, not one JSON object"):format(check.show(output))
  end
  local names <const>, readings <const> = {}, {}
  for name in pairs(decoded) do names[#names + 1] = name end
  table.sort(names) -- of several that are wrong, always the same is told
  for _, name in ipairs(names) do
    local why
    readings[name], why = reading_of(name, decoded[name])
    if why then return nil, why end
  end
  return readings
end

local function mean(list)
  local sum = 0
  for _, number in ipairs(list) do sum = sum + number end
  return list[1] and sum / #list
end

---The value of a metric: a number as it is, of a list one entry, the mean or the median.
---@param readings table<string, integer|integer[]>
---@param metric { printed: string, at: integer?, of: "mean"|"median"? }
---@return number? # nil where the program printed no such thing
function printed.value(readings, metric)
  local value <const> = readings[metric.printed]
  local is_list <const> = type(value) == "table"
  if metric.at then return is_list and value[metric.at] or nil end
  if metric.of == "mean" then return is_list and mean(value) or nil end
  if metric.of == "median" then return is_list and stats.median(value) or nil end
  return not is_list and value or nil
end

return printed
