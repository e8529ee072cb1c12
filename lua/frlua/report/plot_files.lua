--- The plots of a page as files: each as SVG, and as PNG for places that show no SVG.
local files <const> = require "frlua.files"
local gnuplot <const> = require "frlua.gnuplot"
local plots <const> = require "frlua.report.plots"
local svg <const> = require "frlua.report.plots.svg"

local plot_files <const> = {}

---Makes the directory, open to others as far as the umask allows; one that is there stays.
---@param directory string
---@return true?
---@return string? message
function plot_files.prepare(directory)
  local made <const>, message <const> = files.make_directories(directory, "777")
  if not made then return nil, message end
  return files.check(directory .. "/plot.svg")
end

---Writes every plot under a name that is the same from run to run.
---@param documents table[]
---@param directory string
---@return true?
---@return string? message
function plot_files.write(documents, directory)
  local prepared <const>, message <const> = plot_files.prepare(directory)
  if not prepared then return nil, message end
  local all <const> = plots.flat(plots.of(documents))
  local drawn <const>, why <const> = gnuplot.draw(all, { "svg", "png" })
  for index, plot in ipairs(all) do
    local base <const>, one <const> = directory .. "/" .. plot.id, drawn[index] or {}
    for format, text in pairs { svg = one.svg and svg.of(one.svg, plot, true), png = one.png } do
      local written <const>, refusal <const> = files.write(base .. "." .. format, text)
      if not written then return nil, refusal end
    end
  end
  if why then return nil, why end
  return true
end

return plot_files
