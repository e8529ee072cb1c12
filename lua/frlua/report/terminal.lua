--- Reports on standard output: broken to the width of a terminal, in the characters of the locale,
--- and on a terminal in colour. A colour stands beside a word that says the same.
local screen <const> = require "frlua.report.screen"
local wrap <const> = require "frlua.report.wrap"

local terminal <const> = {}

-- Select Graphic Rendition, ISO 6429 section 8.3.117.
local RESET <const>, BOLD <const>, UNDERLINED <const> = "\27[0m", "\27[1m", "\27[4m"
local RED <const>, GREEN <const>, YELLOW <const> = "\27[1;31m", "\27[1;32m", "\27[1;33m"

local VERDICTS <const> = { PASS = GREEN, FAIL = RED, WITHDRAWN = YELLOW }

local function in_color(color)
  return function(word) return color .. word .. RESET end
end

-- One line of a report, of which `is_title` says that a section begins with it.
local function painted(line, is_title)
  if line:find "^Samples lost: " then return RED .. line .. RESET end
  if screen.current().heads[line] then return UNDERLINED .. line .. RESET end
  if is_title then return BOLD .. line .. RESET end
  local verdict <const> = line:match "^  (%u+)  "
  if VERDICTS[verdict] then
    return (line:gsub("%u+", in_color(VERDICTS[verdict]), 1))
  end
  return (line:gsub("%f[%w]VOID%f[%W]", in_color(RED))
    :gsub("^PARTIAL%f[%W]", in_color(RED)):gsub("%d+ lost%f[%W]", in_color(RED)))
end

-- A title has a blank line before it, and something below it.
local function is_title(lines, index)
  local before <const>, after <const> = lines[index - 1], lines[index + 1]
  return not before or before == "" and lines[index] ~= "" and (after or "") ~= ""
    and not lines[index]:find "^PARTIAL"
end

local function lines_of(text)
  local lines <const> = {}
  for line in text:gmatch "([^\n]*)\n" do lines[#lines + 1] = line end
  return lines
end

---A report as it appears on what is being drawn on.
---@param text string whole lines
---@return string
function terminal.fitted(text)
  local settings <const> = screen.current()
  local lines <const>, fitted <const> = lines_of(text), {}
  for index, line in ipairs(lines) do
    local pieces <const> = settings.columns
      and wrap.lines(line, settings.columns, wrap.hang(line)) or { line }
    for _, piece in ipairs(pieces) do
      fitted[#fitted + 1] = settings.color and painted(piece, is_title(lines, index)) or piece
    end
  end
  return table.concat(fitted, "\n") .. (lines[1] and "\n" or "")
end

---Writes a report to standard output.
---@param make fun(): string called while the terminal is what is drawn on
---@param color? "auto"|"always"|"never"
---@param extras? (fun(document: table): string[])[] what comes before the verdicts, as lines
function terminal.show(make, color, extras)
  local settings <const> = screen.of_output(color)
  settings.extras = extras
  io.stdout:write(screen.with(settings, function() return terminal.fitted(make()) end))
end

return terminal
