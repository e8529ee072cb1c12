--- The options that say where results go and how they look: of a run, and of the commands that show
--- results again.
local output_options <const> = {}

-- Each once: name, what its value is called (none: a switch), what it does.
output_options.LIST = {
  { "json", "F", "write the result to F; - is standard output, and then nothing else goes there" },
  { "csv", "F", "write a table to F, a row for each sample and metric" },
  { "csv-iterations", "F", "write a table to F, a row for each timed iteration" },
  { "md", "F", "write tables for a course or an issue to F, in Markdown" },
  { "html", "F", "write one page to F, with plots, that needs nothing else" },
  { "plots", "DIR", "write the plots of that page to DIR, as SVG and PNG" },
  { "tap", "F", "write the verdicts to F, in the Test Anything Protocol" },
  { "junit", "F", "write the verdicts to F, as JUnit XML" },
  { "plot", nil, "also draw the curves in the terminal" },
  { "color", "WHEN", "auto (to a terminal, unless NO_COLOR is set), always or never" },
}

---Adds them to a parser.
---@param parser table of argparse
function output_options.add(parser)
  for _, option in ipairs(output_options.LIST) do
    local name <const> = "--" .. option[1]
    if option[2] then
      parser:option(name, option[3]):argname(option[2]):count "0-1"
    else
      parser:flag(name, option[3])
    end
  end
end

---What is wrong with the values that were given; nil when nothing is.
---@param parsed table
---@return string?
function output_options.objection(parsed)
  local color <const> = parsed.color or "auto"
  if color ~= "auto" and color ~= "always" and color ~= "never" then
    return ("--color is auto, always or never, not '%s'"):format(color)
  end
  parsed.color = color
  return require "frlua.outputs".conflict(parsed)
end

return output_options
