--- What the two CSV forms have in common: lines, and the columns that say which sample a row is of.
local escape <const> = require "frlua.report.escape"

local csv_fields <const> = {}

-- RFC 4180 ends lines so, on every system.
local END_OF_LINE <const> = "\r\n"

---The columns in front of every row.
csv_fields.SAMPLE = {
  "experiment", "arm", "group", "params", "round", "position", "status", "cpu",
}

---The first line, with the names of the columns.
---@param ... string those behind the sample's
---@return string
function csv_fields.head(...)
  return table.concat(csv_fields.SAMPLE, ",") .. "," .. table.concat({ ... }, ",") .. END_OF_LINE
end

---The end of a row.
---@param ... string|number|nil the last fields
---@return string
function csv_fields.tail(...)
  local fields <const> = table.pack(...)
  for index = 1, fields.n do fields[index] = escape.csv(fields[index]) end
  return "," .. table.concat(fields, ",") .. END_OF_LINE
end

-- "lines=8"; more than one are sorted by name and parted by ";".
local function params_text(params)
  local parts <const> = {}
  for name, value in pairs(params or {}) do
    parts[#parts + 1] = ("%s=%s"):format(name, escape.number(value))
  end
  table.sort(parts)
  return table.concat(parts, ";")
end

---Which arms of a design were made by a sweep, of which arm of the script.
---@param document table
---@return table<string, string> groups by the arms' names
function csv_fields.groups(document)
  local groups <const> = {}
  for _, arm in ipairs(document.design.arms) do groups[arm.name] = arm.group end
  return groups
end

---The fields of a sample, without the end of a row.
---@param document table
---@param sample frlua.Sample
---@param groups table<string, string>
---@return string
function csv_fields.sample(document, sample, groups)
  local fields <const> = {
    document.experiment, sample.arm, groups[sample.arm] or "", params_text(sample.params),
    sample.round, sample.position, sample.status, sample.cpu,
  }
  for index, field in ipairs(fields) do fields[index] = escape.csv(field) end
  return table.concat(fields, ",")
end

return csv_fields
