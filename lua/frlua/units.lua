--- Quantities as people write and read them: bytes with the factor 1024, durations in one unit for
--- a whole column, whole numbers without ".0". The decimal point is a point in every locale.
--- Files for programs hold bare bytes and nanoseconds instead.
local units <const> = {}

---@class frlua.ByteUnit
---@field name string
---@field bytes integer

---@class frlua.Scale how every duration of one column is written
---@field name string the unit, "ns", "µs", "ms" or "s"
---@field divisor integer nanoseconds in the unit
---@field digits integer digits after the point

---The units of sizes, from the smallest to the largest; the only ones that frlua reads or writes.
---@type frlua.ByteUnit[]
units.BYTES = {
  { name = "B", bytes = 1 },
  { name = "KiB", bytes = 1 << 10 },
  { name = "MiB", bytes = 1 << 20 },
  { name = "GiB", bytes = 1 << 30 },
  { name = "TiB", bytes = 1 << 40 },
}

local durations <const> = {
  { name = "ns", divisor = 1 },
  { name = "µs", divisor = 1000 },
  { name = "ms", divisor = 1000000 },
  { name = "s", divisor = 1000000000 },
}

-- The locale's decimal point may be a comma, or several bytes long.
local function with_point(text)
  return (text:gsub("^(%-?%d+)[^%de]+(%d)", "%1.%2"))
end

-- What may follow the digits of a size, and the bytes that it stands for.
local byte_factors <const> = { [""] = 1 }
for _, unit in ipairs(units.BYTES) do
  byte_factors[unit.name], byte_factors[" " .. unit.name] = unit.bytes, unit.bytes
end

local function meant_size(text)
  local digits <const>, letter <const> = text:match "^%s*(%d+)%s*(%a)%a*%s*$"
  for _, unit in ipairs(letter and units.BYTES or {}) do
    if unit.name:sub(1, 1) == letter:upper() then return digits .. " " .. unit.name end
  end
end

---Reads a size. The one rule: decimal digits, then nothing, or one of B, KiB, MiB, GiB and TiB
---exactly so written, with at most one space before it.
---@param text string
---@return integer? bytes nil when the text breaks the rule, or means 2^63 bytes or more
---@return string? meant what somebody most likely meant who wrote 64M, 64MB, 64m or 64 kB
function units.parse_bytes(text)
  local digits <const>, suffix <const> = text:match "^(%d+)(.*)$"
  local factor <const> = byte_factors[suffix]
  if not factor then return nil, meant_size(text) end
  local count <const> = tonumber(digits) -- from 2^63 on a float, which is refused, too
  if count <= math.maxinteger // factor then return count * factor end
end

---A number with a fixed count of digits after the decimal point.
---@param number number
---@param digits integer
---@return string
function units.fixed(number, digits)
  return with_point(("%%.%df"):format(digits):format(number))
end

---A ratio or a probability in four digits that count, without an exponent: `45.32`, `0.0004120`.
---@param number number
---@return string
function units.significant(number)
  local magnitude <const> = number == 0 and 0 or math.log(math.abs(number), 10) // 1
  return units.fixed(number, math.tointeger(math.max(0, math.min(3 - magnitude, 12))))
end

---A number as Lua writes it: `4096`, `4096.0`, `1e+20`, `inf`; every NaN is `nan`.
---@param number number
---@return string
function units.number(number)
  if number ~= number then return "nan" end
  return with_point(tostring(number))
end

---A count: whole numbers lose the ".0" that a division leaves, other numbers stay as they are.
---@param number number
---@return string
function units.count(number)
  return units.number(math.tointeger(number) or number)
end

---How many there are of something: "1 sample", "2 samples".
---@param count integer
---@param one string what one of them is called
---@return string
function units.plural(count, one)
  return ("%d %s%s"):format(count, one, count == 1 and "" or "s")
end

---A size in the largest unit that it fills: `64 MiB` when exact, `1.5 KiB` and `64.0 MiB` (a page
---more than 64 MiB) when rounded to one decimal.
---@param bytes number
---@return string
function units.bytes(bytes)
  local unit = units.BYTES[1]
  for _, larger in ipairs(units.BYTES) do
    -- From 1023.95 on, one decimal would show 1024.0 of the smaller unit.
    if math.abs(bytes) >= 1023.95 / 1024 * larger.bytes then unit = larger end
  end
  if bytes % unit.bytes == 0 then return ("%d %s"):format(bytes // unit.bytes, unit.name) end
  return units.fixed(bytes / unit.bytes, 1) .. " " .. unit.name
end

local function all_whole(list)
  for _, number in ipairs(list) do
    if not math.tointeger(number) then return false end
  end
  return true
end

---The scale for a set of durations, chosen once by the largest, so that a column never mixes units.
---A unit serves up to 999999; nanoseconds show decimals only where a duration has a fraction.
---@param durations_ns number[] without holes; an empty list is written in nanoseconds
---@return frlua.Scale
function units.scale(durations_ns)
  local largest = 0
  for _, ns in ipairs(durations_ns) do largest = math.max(largest, math.abs(ns)) end

  local chosen = durations[1]
  for _, unit in ipairs(durations) do
    if largest >= 1000 * unit.divisor then chosen = unit end
  end
  local digits = 1
  if chosen.divisor == 1 then
    digits = all_whole(durations_ns) and 0 or largest < 100 and 2 or 1
  end
  return { name = chosen.name, divisor = chosen.divisor, digits = digits }
end

---A duration as a bare number in a scale, for a column whose head names the unit.
---@param ns number
---@param scale frlua.Scale
---@return string
function units.scaled(ns, scale)
  return units.fixed(ns / scale.divisor, scale.digits)
end

---A duration with its unit, in the given scale or else in its own: `999999 ns`, `1000.0 µs`.
---@param ns number
---@param scale? frlua.Scale
---@return string
function units.ns(ns, scale)
  scale = scale or units.scale { ns }
  return units.scaled(ns, scale) .. " " .. scale.name
end

return units
