--- What differs between the machines, builds and settings that results were made with. It stands
--- before all figures: it is what a difference in them may come from.
local json <const> = require "frlua.json"
local units <const> = require "frlua.units"

local passports <const> = {}

---@class frlua.Difference
---@field what string
---@field values { file: string, value: string?, value_why: string? }[]

-- What a comparison looks at first, and where it is.
local FIRST <const> = {
  { "kernel", "machine", "kernel" },
  { "transparent huge pages", "machine", "thp" },
  { "huge pages by size", "machine", "mthp" },
  { "governor", "machine", "governor" },
  { "page size", "machine", "page_bytes" },
  { "huge page size", "machine", "huge_page_bytes" },
  { "CPU model", "machine", "cpu_model" },
  { "hypervisor", "machine", "hypervisor" },
  { "architecture", "machine", "arch" },
  { "caches", "machine", "caches" },
  { "clock", "clock", "source" },
  { "clock without a system call", "clock", "vdso" },
  { "clock's step in ns", "clock", "step_ns" },
  { "frlua", "frlua", "version" },
  { "commit", "frlua", "commit" },
  { "compiler", "frlua", "compiler" },
  { "flags", "frlua", "flags" },
  { "CPU of the samples", "design", "cpu" },
  { "arguments", nil, "args" },
}

local function caches_text(caches)
  local texts <const> = {}
  for index, cache in ipairs(caches) do
    texts[index] = ("level %s %s %s"):format(cache.level, cache.type,
      cache.bytes and units.bytes(cache.bytes) or "of unknown size")
  end
  return table.concat(texts, ", ")
end

local function text_of(key, value)
  if key == "caches" then return caches_text(value) end
  if key:find "_bytes$" and math.type(value) then return units.bytes(value) end
  if type(value) == "table" then return json.encode(value) end
  return type(value) == "number" and units.count(value) or tostring(value)
end

-- Which fields of the machine are not among the first: every field counts, also one that a later
-- frlua reads.
local function other_fields(documents)
  local seen <const>, names <const> = {}, {}
  for _, field in ipairs(FIRST) do
    if field[2] == "machine" then seen[field[3]] = true end
  end
  for _, document in ipairs(documents) do
    for key in pairs(document.machine) do
      if not seen[key] and not key:find "_why$" then
        seen[key] = true
        names[#names + 1] = key
      end
    end
  end
  table.sort(names)
  return names
end

local function difference(what, part, key, documents, labels)
  local values <const>, is_same = json.array {}, true
  for index, document in ipairs(documents) do
    local owner <const> = part and document[part] or document
    local value <const> = owner[key]
    local text <const> = value ~= nil and text_of(key, value) or nil
    values[index] = { file = labels[index], value = text,
      value_why = text == nil and (owner[key .. "_why"] or "not in the file") or nil }
    is_same = is_same and text == values[1].value
  end
  return not is_same and { what = what, values = values } or nil
end

---@param documents table[] one of each file
---@param labels string[] of the files
---@return frlua.Difference[]
function passports.differences(documents, labels)
  local found <const> = json.array {}
  for _, field in ipairs(FIRST) do
    found[#found + 1] = difference(field[1], field[2], field[3], documents, labels)
  end
  for _, key in ipairs(other_fields(documents)) do
    found[#found + 1] = difference("machine's " .. key:gsub("_", " "), "machine", key, documents,
      labels)
  end
  return found
end

return passports
