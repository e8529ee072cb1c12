--- How JSON writes one string and one float. What is written is the same in every locale.
local json_text <const> = {}

-- The beginnings of more than one byte that characters may have. The longest one found is replaced
-- as a whole (Unicode 15.0, chapter 3.9, table 3-7 and "U+FFFD Substitution of Maximal Subparts").
local beginnings <const> = {
  "^\xE0[\xA0-\xBF]", "^[\xE1-\xEC\xEE\xEF][\x80-\xBF]", "^\xED[\x80-\x9F]",
  "^\xF0[\x90-\xBF][\x80-\xBF]?", "^[\xF1-\xF3][\x80-\xBF][\x80-\xBF]?",
  "^\xF4[\x80-\x8F][\x80-\xBF]?",
}

local function end_of_invalid(text, from)
  for _, pattern in ipairs(beginnings) do
    local _, to <const> = text:find(pattern, from)
    if to then return to end
  end
  return from
end

---Exchanges what is not UTF-8 for U+FFFD: a byte that can't begin a character, or a character cut
---short (also one overlong, a surrogate, or beyond U+10FFFF).
---@param text string
---@return string
function json_text.valid(text)
  local length, invalid = utf8.len(text)
  if length then return text end
  local parts <const>, from = {}, 1
  while not length do
    parts[#parts + 1] = text:sub(from, invalid - 1) .. "\u{FFFD}"
    from = end_of_invalid(text, invalid) + 1
    length, invalid = utf8.len(text, from)
  end
  return table.concat(parts) .. text:sub(from)
end

local escapes <const> = {
  ['"'] = '\\"', ["\\"] = "\\\\", ["\b"] = "\\b", ["\f"] = "\\f", ["\n"] = "\\n", ["\r"] = "\\r",
  ["\t"] = "\\t",
}
for byte = 0, 31 do
  local character <const> = string.char(byte)
  escapes[character] = escapes[character] or ("\\u%04x"):format(byte)
end

---@param text string
---@return string # in quotes, in UTF-8; only what must be escaped is
function json_text.string(text)
  return '"' .. json_text.valid(text):gsub('[\0-\31"\\]', escapes) .. '"'
end

-- The decimal of 16 digits above the nearest one. Doubles lie closer below a power of two than
-- above it: there this one may read back as the same double where the nearest does not.
local function next_decimal(number)
  local sign <const>, first <const>, rest <const>, exponent <const> =
    ("%.15e"):format(number):match "^(%-?)(%d)%D+(%d+)(e.+)$"
  local digits <const> = ("%d"):format(tonumber(first .. rest) + 1)
  return sign .. digits:sub(1, 1) .. "." .. digits:sub(2) .. exponent
end

local function is_power_of_two(number)
  return ("j"):unpack(("n"):pack(number)) & 0xFFFFFFFFFFFFF == 0 -- no bit of the fraction is set
end

-- 17 digits tell all doubles apart. 15 always survive being a double, so that fewer need not be
-- tried, except below 0x1p-1022, where doubles have fewer bits.
local function fewest_digits(number)
  for digits = math.abs(number) < 0x1p-1022 and 1 or 15, 16 do
    local text <const> = ("%%.%dg"):format(digits):format(number)
    if tonumber(text) == number then return text end
  end
  local text <const> = is_power_of_two(number) and next_decimal(number)
  if text and tonumber(text) == number then return text end
  return (math.abs(number) < 1e16 and "%.17g" or "%.16e"):format(number)
end

---@param number number finite
---@return string # with a point or an exponent; a point in every locale
function json_text.float(number)
  local whole <const> = number % 1 == 0 and math.abs(number) < 1e16
  local text <const> = whole and ("%.1f"):format(number) or fewest_digits(number)
  return (text:gsub("[^%de+-]+", ".")) -- the locale's decimal point may be a comma
end

return json_text
