--- --tap: the verdicts in the Test Anything Protocol, a test point for each claim. All of it is as
--- in version 14 but for the first line: readers of version 13 know every construct that is used
--- here, and refuse a document that names a later version (TAP::Parser 3.44 of Perl 5.36 does).
local escape <const> = require "frlua.report.escape"
local points <const> = require "frlua.report.points"

local tap <const> = {
  VERSION = "TAP version 13", -- the first line
}

local DIRECTIVE <const> = " # SKIP withdrawn: "

local function first_line(number, document, point)
  local is_well <const> = point.verdict == "pass" or point.verdict == "withdrawn"
  return ("%s %d - %s%s"):format(is_well and "ok" or "not ok", number,
    escape.tap(document.experiment .. ": " .. point.name),
    point.verdict == "withdrawn" and DIRECTIVE .. escape.tap(point.reason) or "")
end

local function diagnostics(point)
  local lines <const> = {
    "  ---",
    "  verdict: " .. escape.yaml(point.verdict),
    "  reason: " .. escape.yaml(point.reason),
  }
  if point.instead_of then
    lines[#lines + 1] = "  asked_instead_of: " .. escape.yaml(point.instead_of)
  end
  local contrasts <const> = points.contrasts(point)
  if contrasts[1] then lines[#lines + 1] = "  contrasts:" end
  for _, line in ipairs(contrasts) do lines[#lines + 1] = "    - " .. escape.yaml(line) end
  lines[#lines + 1] = "  ..."
  return lines
end

---@param documents table[]
---@return string
function tap.render(documents)
  local lines <const>, number = { tap.VERSION, "" }, 0
  for _, suite in ipairs(points.suites(documents)) do
    for _, point in ipairs(suite.points) do
      number = number + 1
      lines[#lines + 1] = first_line(number, suite.document, point)
      for _, line in ipairs(diagnostics(point)) do lines[#lines + 1] = line end
    end
  end
  lines[2] = ("1..%d"):format(number)
  return table.concat(lines, "\n") .. "\n"
end

return tap
