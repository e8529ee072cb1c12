--- Runs gnuplot: what plots there are is said by others, in its commands.
local units <const> = require "frlua.units"

local gnuplot <const> = {
  MISSING = "gnuplot is not installed: apt-get install gnuplot-nox, and the plots are drawn",
  INTERRUPTED = "the run was interrupted, and nothing more is started: frlua report draws them",
}

local TIME_LIMIT <const> = 60 -- seconds, for all plots of a page

-- How a plot is begun, by the format. PNG has no vectors: it is drawn twice as large.
local TERMINALS <const> = {
  svg = "set terminal svg size %d,%d noenhanced font 'sans-serif,14' background 'white'",
  png = "set terminal pngcairo size %d,%d noenhanced font 'sans-serif,14' fontscale 2 linewidth 2"
    .. " pointscale 2 background 'white'",
}
local ENLARGED <const> = { svg = 1, png = 2 }

---A text as gnuplot's commands write it. Names come from results that anybody may have written, and
---gnuplot runs what stands between backquotes even inside of double quotes: so every byte that is
---no letter or space is written by its number; digits, too, which else would join the one before.
---@param text string in UTF-8, without bytes below 0x20
---@return string
function gnuplot.quoted(text)
  return '"' .. text:gsub("[^%a ]", function(c) return ("\\%03o"):format(c:byte()) end) .. '"'
end

---A number as gnuplot reads it, in as many digits as a plot shows.
---@param number number
---@return string
function gnuplot.number(number)
  local whole <const> = math.tointeger(number)
  if whole then return ("%d"):format(whole) end
  return (("%.6g"):format(number):gsub("[^%de+-]+", ".")) -- the locale's point may be a comma
end

-- A directory of nobody else's; what is in it goes with it.
local private <const> = {
  __close = function(directory)
    local unistd <const> = require "posix.unistd"
    for name in pairs(directory.names) do unistd.unlink(directory.path .. "/" .. name) end
    unistd.rmdir(directory.path)
  end,
}

local function private_directory()
  local base <const> = os.getenv "TMPDIR"
  local template <const> = (base and base:find "^/" and base or "/tmp") .. "/frlua-plots-XXXXXX"
  local path <const>, message <const> = require "posix.stdlib".mkdtemp(template)
  if not path then return nil, "no directory for plots: " .. message end
  return setmetatable({ path = path, names = {} }, private)
end

local function file_name(index, format) return ("%d.%s"):format(index, format) end

local function program(plots, formats, directory)
  local lines <const> = { "set encoding utf8" }
  for index, plot in ipairs(plots) do
    for _, format in ipairs(formats) do
      local name <const> = file_name(index, format)
      directory.names[name] = true
      lines[#lines + 1] = "reset"
      lines[#lines + 1] = TERMINALS[format]:format(plot.width * ENLARGED[format],
        plot.height * ENLARGED[format])
      lines[#lines + 1] = ("set output '%s'"):format(name)
      table.move(plot.commands, 1, #plot.commands, #lines + 1, lines)
      lines[#lines + 1] = "set output" -- written to its end
    end
  end
  return table.concat(lines, "\n") .. "\n"
end

-- Only what was written to its end.
local ENDS <const> = { svg = "</svg>%s*$", png = "IEND....$" }

local function collect(plots, formats, directory)
  local drawn <const>, is_whole = {}, true
  for index = 1, #plots do
    drawn[index] = {}
    for _, format in ipairs(formats) do
      local text <const> = require "frlua.files".read(directory.path .. "/"
        .. file_name(index, format))
      drawn[index][format] = text and text:sub(-64):find(ENDS[format]) and text or nil
      is_whole = is_whole and drawn[index][format] ~= nil
    end
  end
  return drawn, is_whole
end

local function complaint(child, limit)
  if child.status == "timed out" then
    return ("it was stopped after %s s"):format(units.count(limit))
  elseif child.status ~= "exited" then
    return "it was " .. (child.signal_name and "killed by " .. child.signal_name or child.status)
  end
  local said <const> = require "frlua.report.table".printable(child.stderr):match "%S.*"
  return said and said:sub(1, 200) or ("it left with status %d"):format(child.exit_status)
end

---Draws plots, all in one run.
---@param plots { width: integer, height: integer, commands: string[] }[] sizes in CSS pixels
---@param formats string[] of "svg" and "png"
---@param time_limit? number seconds, for all of them
---@return table<string, string>[] drawn for each plot the texts by format; without those that
---  could not be drawn
---@return string? why that is so, if there are such
function gnuplot.draw(plots, formats, time_limit)
  local limit <const> = time_limit or TIME_LIMIT
  if require "frlua.core".interrupted() then return {}, gnuplot.INTERRUPTED end
  local directory <close>, message <const> = private_directory()
  if not directory then return {}, message end
  directory.names["plots.gp"] = true
  local script <const> = directory.path .. "/plots.gp"
  local written <const>, why <const> =
    require "frlua.files".write(script, program(plots, formats, directory))
  if not written then return {}, why end
  -- -d: without what the user has set up for plots of another kind.
  local child <const>, refusal <const>, errno <const> = require "frlua.process".spawn {
    "sh", "-c", 'cd "$1" && exec gnuplot -d plots.gp', "sh", directory.path,
    time_limit = limit,
    env = { PATH = os.getenv "PATH" or "/usr/bin:/bin", LC_ALL = "C", HOME = directory.path,
      XDG_CACHE_HOME = os.getenv "XDG_CACHE_HOME"
        or os.getenv "HOME" and os.getenv "HOME" .. "/.cache" },
  }
  if not child then return {}, ("gnuplot: %s (%d)"):format(refusal, errno) end
  local COMMAND_NOT_FOUND <const> = 127 -- of a shell, POSIX
  if child.exit_status == COMMAND_NOT_FOUND then return {}, gnuplot.MISSING end
  local drawn <const>, is_whole <const> = collect(plots, formats, directory)
  if is_whole then return drawn end
  return drawn, "gnuplot did not draw all plots: " .. complaint(child, limit)
end

return gnuplot
