--- Makes of what gnuplot draws an SVG that fits into a page, or stands by itself: without what is
--- gnuplot's own, with a title and a description, and in the page's colours, light or dark.
local markup <const> = require "frlua.report.html.markup"

local svg <const> = {}

-- Black is the colour of the text around a plot, the grid a faint shade of it.
local INKS <const> = {
  ["#000000"] = "currentColor", black = "currentColor", ["#FFFFFF"] = "none", white = "none",
}
local GRID <const> = "#CCCCCC"

local function hex(red, green, blue)
  return ("#%02X%02X%02X"):format(tonumber(red), tonumber(green), tonumber(blue))
end

-- The colour of one attribute.
local function ink(name, written)
  local color <const> = written:find "^#" and written:upper() or written
  if color == GRID then return ('%s="currentColor" %s-opacity="0.16"'):format(name, name) end
  return ('%s="%s"'):format(name, INKS[color] or color)
end

local function recolored(tag)
  return (tag:gsub("rgb%(%s*(%d+),%s*(%d+),%s*(%d+)%)", hex)
    :gsub("([%a]+)=['\"](#%x%x%x%x%x%x)['\"]", ink)
    :gsub("([%a]+)=['\"](%l+)['\"]", function(name, color)
      local is_color <const> = name == "fill" or name == "stroke" or name == "color"
      if is_color and INKS[color] then return ink(name, color) end
    end))
end

-- Names of elements are unique in a page: those of a plot begin with the plot's own.
local function renamed(tag, prefix)
  return (tag:gsub("(%f[%w]id=['\"])", "%1" .. prefix)
    :gsub("(href=['\"]#)", "%1" .. prefix)
    :gsub("(url%(#)", "%1" .. prefix))
end

-- What no plot here uses: gnuplot's titles, filters, groups without anything in them.
local function stripped(body)
  local count = 1
  body = body:gsub("<title>[^<]*</title>", ""):gsub("<desc>[^<]*</desc>", "")
    :gsub("<filter.-</filter>%s*", "")
  while count > 0 do body, count = body:gsub("<g [^>]*>%s*</g>%s*", "") end
  return body
end

-- Markers that are defined and not drawn. A drawn one may be defined by another.
local function without_unused(body)
  local count = 1
  while count > 0 do
    count = 0
    body = body:gsub("%s*<[%a]+[^>]- id='(gp%w+)'[^>]*/>", function(name)
      local is_used <const> = body:find(("href='#%s'"):format(name), 1, true)
      if is_used then return nil end
      count = count + 1
      return ""
    end)
  end
  return body
end

local STYLE <const> = "<style>svg{color:#1b1f24;background:#fff}"
  .. "@media (prefers-color-scheme:dark){svg{color:#e6e8eb;background:#14171a}}</style>"

---@param drawn string what gnuplot has written
---@param plot frlua.Plot
---@param is_alone boolean a file of its own, not a part of a page
---@return string
function svg.of(drawn, plot, is_alone)
  local body <const> = without_unused(stripped(drawn:match "<svg.->(.*)</svg>"))
  local prefix <const> = plot.id .. "-"
  local themed <const> = body:gsub("<%a[^>]*>", function(tag)
    return renamed(recolored(tag), prefix)
  end):gsub("xlink:href", "href"):gsub("\n%s*\n", "\n")
  local size <const> = ('viewBox="0 0 %d %d"'):format(plot.width, plot.height)
  return ('<svg xmlns="http://www.w3.org/2000/svg" %s%s role="img" aria-labelledby="%stitle'
    .. ' %sdesc">\n<title id="%stitle">%s</title>\n<desc id="%sdesc">%s</desc>\n%s%s</svg>\n')
    :format(size, is_alone and (' width="%d" height="%d"'):format(plot.width, plot.height) or "",
      prefix, prefix, prefix, markup.escaped(plot.title), prefix,
      markup.escaped(plot.description), is_alone and STYLE or "", themed)
end

return svg
