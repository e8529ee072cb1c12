-- Plots in the terminal: dots, axes, and what is drawn of a result.
local canvas <const> = require "frlua.report.canvas"
local fakes <const> = require "fakes"
local fr <const> = require "frlua"
local panel <const> = require "frlua.report.panel"
local plot <const> = require "frlua.report.plot"
local screen <const> = require "frlua.report.screen"
local units <const> = require "frlua.units"
local wrap <const> = require "frlua.report.wrap"

local function on(columns, make, is_ascii)
  return screen.with({ columns = columns, utf8 = not is_ascii, color = false }, make)
end

describe("a canvas", function()
  it("has eight dots to a character of braille", function()
    local area <const> = canvas.new(2, 1, true)
    assert.same({ 4, 4 }, { area.width, area.height })
    area:dot(0, 3) -- dot 1, U+2801
    area:dot(1, 0) -- dot 8, U+2880
    area:dot(2, 0) -- dot 7, U+2840
    assert.same({ "\u{2881}\u{2840}" }, area:lines())
  end)

  it("has one dot to a character of ASCII, and the origin below on the left", function()
    local area <const> = canvas.new(3, 2, false)
    area:dot(0, 0)
    area:dot(2, 1)
    assert.same({ "  *", "*  " }, area:lines())
  end)

  it("draws lines to both of their ends, and nothing outside", function()
    local area <const> = canvas.new(4, 4, false)
    area:line(0, 0, 3, 3)
    area:line(3, 0, 3, 0)
    area:dot(4, 0)
    area:dot(0, -1)
    assert.same({ "   *", "  * ", " *  ", "*  *" }, area:lines())
    local steep <const> = canvas.new(2, 4, false)
    steep:line(1, 3, 0, 0)
    assert.same({ " *", " *", "* ", "* " }, steep:lines())
  end)
end)

local function axes()
  return {
    x = { low = 1, high = 1000, is_log = true, ticks = { 1, 10, 100, 1000 }, write = units.count,
      name = "iteration" },
    y = { low = 0, high = 30, ticks = { 0, 15, 30 }, write = units.count },
  }
end

describe("a plot", function()
  it("has its curve between axes with numbers", function()
    -- Ten columns, four rows: the points are at (0, 3), (3, 2), (6, 1) and (9, 0). 100 would run
    -- into 1000, and is left out.
    local points <const> = { { 1, 30 }, { 10, 20 }, { 100, 10 }, { 1000, 0 } }
    assert.same({
      "falling",
      "30 |**",
      "15 |  ***",
      "   |     ***",
      " 0 |        **",
      "   ++--+-----+",
      "    1 10  1000",
      "     iteration",
    }, on(nil, function() return panel.lines("falling", points, axes(), 14, 4) end, true))
  end)
end)

-- Two arms whose iterations fall from 1000 times to the last one's time.
local function falling(iterations)
  local fields <const> = { iterations = iterations, metrics = { fr.metric "first" { at = 1 } },
    ratios = false }
  local samples <const> = {}
  for round = 1, 3 do
    for arm, name in ipairs { "natural", "warm" } do
      local times <const> = {}
      for iteration = 1, iterations do times[iteration] = 1000 * arm // iteration + round end
      samples[#samples + 1] = fakes.sample(name, round, times)
    end
  end
  return fakes.document(fakes.experiment(fields), samples)
end

local function has(lines, part)
  for _, line in ipairs(lines) do
    if line:find(part, 1, true) then return true end
  end
  assert.is_true(false, ("no '%s' in:\n%s"):format(part, table.concat(lines, "\n")))
end

describe("--plot", function()
  it("draws the iterations of every arm, in the unit of the tables, at any width", function()
    local document <const> = falling(200)
    for _, is_ascii in ipairs { false, true } do
      for columns = 60, 200, 7 do
        local lines <const> = on(columns, function() return plot.lines(document) end, is_ascii)
        assert.equal("", lines[1])
        assert.equal("Iterations: ns of each, medians over the processes", lines[2])
        -- Over three rounds 1001..1003 at first and 6..8 at last, of the other arm twice as much.
        for _, part in ipairs { "natural", "warm", "2002 ", " 7 ", "1 ", "200", "iteration",
          "Both axes are logarithmic." } do
          has(lines, part)
        end
        for _, line in ipairs(lines) do
          assert.is_true(wrap.columns(line) <= columns, line)
          if is_ascii then assert.is_nil(line:find "[\x80-\xFF]", line) end
        end
      end
    end
  end)

  it("has plots beside each other where there is room", function()
    local document <const> = falling(50)
    local narrow <const> = on(60, function() return #plot.lines(document) end)
    local wide <const> = on(120, function() return #plot.lines(document) end)
    assert.is_true(wide < narrow)
  end)

  it("draws a sweep over its values", function()
    local document <const> = {
      design = { sweep = { name = "lines", values = { 8, 64, 512 } },
        metrics = { { name = "walk", unit = "ns", per = "load", source = "at" } } },
      arms = {}, samples = {},
    }
    for index, value in ipairs { 8, 64, 512 } do
      document.arms[index] = { name = "a" .. value, group = "packed", params = { lines = value },
        metrics = { walk_ns_per_load = { n = 1, median = index } } }
    end
    local lines <const> = on(60, function() return plot.lines(document) end, true)
    assert.equal("walk over lines: ns/load, medians over the processes", lines[2])
    for _, part in ipairs { "packed", "3.0 |", "1.5 |", "0.0 |", "8 ", " 64 ", " 512", " lines",
      "The axis of lines is logarithmic." } do
      has(lines, part)
    end
  end)

  it("says so where there is nothing to draw", function()
    local lines <const> = plot.lines(falling(4))
    assert.same({ "",
      "Nothing to draw: no arm has 5 iterations or more, and nothing was swept over" }, lines)
  end)

  it("draws times that are all the same, and those of 0", function()
    local document <const> = falling(10)
    for _, sample in ipairs(document.samples) do
      sample.phases[1].ns = require "frlua.core".series { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
    end
    has(on(60, function() return plot.lines(document) end), "natural")
  end)

  it("leaves lost samples out", function()
    local document <const> = falling(10)
    document.samples[1].status, document.samples[1].phases = "killed by SIGKILL", {}
    has(on(60, function() return plot.lines(document) end), "natural")
  end)
end)
