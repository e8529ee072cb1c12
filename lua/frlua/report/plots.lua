--- The plots of results, as what gnuplot is told, and what is written beside them. Nothing is drawn
--- here.
local plots <const> = {}

---@class frlua.Plot
---@field name string of what it shows; `id` makes it a file's
---@field id string? unique among all plots of a page: letters, digits, "-", "_" and "."
---@field title string
---@field width integer CSS pixels
---@field height integer
---@field commands string[] for gnuplot
---@field caption string what to read in it
---@field description string what it shows, in words, for those who don't see it

---@class frlua.PlotSection
---@field title string
---@field plots frlua.Plot[]
---@field table { caption: string, heads: string[], rows: string[][] }?
---@field note string?

---A part of a file's name, without anything that a shell or a web server would ask about.
---@param text string
---@return string
function plots.slug(text)
  local plain <const> = text:gsub("[^%w._]+", "-"):gsub("^[-.]+", ""):gsub("%-+$", "")
  return plain == "" and "unnamed" or plain:sub(1, 60)
end

local function add_all(list, more)
  table.move(more, 1, #more, #list + 1, list)
end

-- In the order in which they are read: where a time goes, how it develops, how far it is spread.
local function sections_of(document)
  local list <const> = {}
  if #document.samples == 0 then return list end
  add_all(list, require "frlua.report.plots.swept".sections(document))
  add_all(list, require "frlua.report.plots.splits".sections(document))
  for _, name in ipairs { "iterations", "ramp", "distribution", "start" } do
    list[#list + 1] = require("frlua.report.plots." .. name).section(document)
  end
  return list
end

local function number_ids(document, sections, taken)
  for _, section in ipairs(sections) do
    for _, plot in ipairs(section.plots) do
      local base <const> = plots.slug(document.experiment) .. "-" .. plots.slug(plot.name)
      local id, count = base, 1
      while taken[id:lower()] do
        count = count + 1
        id = ("%s-%d"):format(base, count)
      end
      taken[id:lower()], plot.id = true, id
    end
  end
end

-- Two forms that are written of the same documents share them.
local known <const> = setmetatable({}, { __mode = "k" })

---@param documents table[]
---@return frlua.PlotSection[][] # a list for each document
function plots.of(documents)
  if known[documents] then return known[documents] end
  local lists <const>, taken <const> = {}, {}
  for index, document in ipairs(documents) do
    lists[index] = sections_of(document)
    number_ids(document, lists[index], taken)
  end
  known[documents] = lists
  return lists
end

---@param lists frlua.PlotSection[][]
---@return frlua.Plot[] # all of them
function plots.flat(lists)
  local all <const> = {}
  for _, sections in ipairs(lists) do
    for _, section in ipairs(sections) do add_all(all, section.plots) end
  end
  return all
end

return plots
