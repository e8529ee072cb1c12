local fakes <const> = require "fakes"
local fr <const> = require "frlua"
local plots <const> = require "frlua.report.plots"
local simulated <const> = require "simulated"

-- The rows of a block of data, as gnuplot is told them; an empty line is an empty row.
local function data_of(plot, name)
  local rows, found = nil, nil
  for _, command in ipairs(plot.commands) do
    if command == ("$%s << END_OF_DATA"):format(name) then
      rows, found = {}, {}
    elseif command == "END_OF_DATA" then
      rows = nil
    elseif rows then
      local row <const> = {}
      for number in command:gmatch "%S+" do row[#row + 1] = tonumber(number) end
      rows[#rows + 1], found[#found + 1] = row, row
    end
  end
  return found
end

local function section(document, title)
  for _, one in ipairs(plots.of({ document })[1]) do
    if one.title == title then return one end
  end
end

local function near(expected, rows)
  assert.equal(#expected, #rows)
  for index, row in ipairs(expected) do
    for column, number in ipairs(row) do
      assert.near(number, rows[index][column], 1e-5 * math.abs(number) + 1e-9)
    end
  end
end

-- Processes of so many iterations: a first one, then `late`.
local function series(first, late, count)
  local list <const> = { first }
  for iteration = 2, count do list[iteration] = late end
  return list
end

local function document(fields, samples, settled)
  return fakes.document(fakes.experiment(fields), samples, settled)
end

local function two_arms()
  local samples <const> = {}
  for round, first in ipairs { 90000, 30000, 60000 } do
    samples[#samples + 1] = fakes.sample("natural", round, series(first, 2000, 20), 2)
    samples[#samples + 1] = fakes.sample("warm", round, series(first // 10, 1000, 20))
  end
  return document({ iterations = 20 }, samples)
end

describe("a plot of iterations", function()
  it("has every process, and their median, over the iterations", function()
    local made <const> = section(two_arms(), "Iterations")
    assert.equal(2, #made.plots)
    local natural <const> = made.plots[1]
    local median <const> = data_of(natural, "median")
    near({ { 1, 60 }, { 2, 2 } }, { median[1], median[2] }) -- µs
    local each <const>, firsts = data_of(natural, "each"), {}
    for _, row in ipairs(each) do
      if row[1] == 1 then firsts[#firsts + 1] = row[2] end
    end
    assert.same({ 90, 30, 60 }, firsts)
    assert.equal("Iteration 1 takes 60.0 µs, the later half 2000 ns: 30.00 times as long.",
      (natural.caption:gsub("60000 ns", "60.0 µs")))
    assert.same({ "natural", "60000", "2000", "2000" }, made.table.rows[1])
  end)

  it("has no point for a reading that is not above 0, and says so", function()
    local made <const> = section(document({ iterations = 12 }, {
      fakes.sample("natural", 1, series(0, 100, 12)) }), "Iterations")
    assert.equal(2, data_of(made.plots[1], "median")[1][1])
    assert.matches("Readings that are not above 0 are not drawn", made.plots[1].caption)
  end)

  it("is left out where there is no curve: few iterations, or no samples", function()
    assert.is_nil(section(document({ iterations = 4 }, {
      fakes.sample("natural", 1, { 5, 4, 3, 2 }) }), "Iterations"))
    assert.same({}, plots.of({ document({ iterations = 20 }, {}) })[1])
    assert.is_nil(section(document({ iterations = 20 }, {
      fakes.lost("natural", 1, "timed out") }), "Iterations"))
  end)
end)

describe("a plot of a distribution", function()
  it("has a dot for each process, in the rounds' order, and the median", function()
    local made <const> = section(two_arms(), "Distribution over the processes").plots[1]
    assert.equal("distribution-first", made.name)
    near({ { 90, -0.9 }, { 30, -1.12 }, { 60, -1.34 }, { 9, -1.9 }, { 3, -2.12 }, { 6, -2.34 } },
      data_of(made, "dots"))
    near({ { 60, -0.82, 0, -0.6 }, { 6, -1.82, 0, -0.6 } }, data_of(made, "medians"))
    assert.is_nil(data_of(made, "intervals")) -- 3 rounds have none
    assert.matches("from 6000 ns of 'warm' to 60000 ns of 'natural'", made.caption)
  end)
end)

describe("a waterfall", function()
  local function split()
    return document({ splits = { fr.split "where it goes" {
      whole = { "natural", "first" },
      fr.part "faults" { { "natural", "first" }, less = { "warm", "first" } },
      fr.part "work" { { "natural", "late" } },
    } } }, {
      fakes.sample("natural", 1, { 50000, 10000, 10000, 10000 }),
      fakes.sample("warm", 1, { 20000, 9000, 9000, 9000 }),
    }, { rounds = 1, order = { { 1, 2 } } })
  end

  it("begins each part where the one before it ends", function()
    local made <const> = section(split(), "where it goes")
    local function ends(name)
      local list <const> = {}
      for index, row in ipairs(data_of(made.plots[1], name)) do list[index] = { row[3], row[4] } end
      return list
    end
    near({ { 0, 50 } }, ends "whole")
    near({ { 0, 30 }, { 30, 40 }, { 40, 50 } }, ends "parts") -- 30 + 10, and 10 remain
    assert.same({ "faults", "30000", "-", "60.0 %", "-" }, made.table.rows[2])
    assert.matches("faults 30000 ns; work 10000 ns; remainder that medians leave 10000 ns",
      made.plots[1].description)
  end)

  it("that is withdrawn says why, and draws nothing", function()
    local taken <const> = split()
    taken.splits[1] = { split = "where it goes", why = "it can't be", withdrawn = true }
    local made <const> = section(taken, "where it goes")
    assert.same({}, made.plots)
    assert.equal("withdrawn: it can't be", made.note)
  end)
end)

describe("a plot of a sweep", function()
  local function swept(factor)
    return simulated.swept({ 8, 16, 32, 64, 128 }, {
      fr.claim "it costs more" { test = fr.above { "spread", than = "packed", metric = "walk",
        where = { lines = { 64, 128 } } } },
    }, 10, 3, function(arm, round)
      local lines <const> = arm.params.lines
      local step <const> = arm.group == "spread" and lines >= 64 and factor or 1
      return { ns = 1000 * step + (3 * round + #arm.name) % 10 } -- a twin's name is longer
    end)
  end

  it("marks the noise and where the step begins", function()
    local taken <const> = swept(3)
    local made <const> = section(taken, "walk over lines")
    assert.equal(2, #made.plots)
    local floor = 1
    for _, found in ipairs(taken.floors) do
      if found.metric == "walk" then floor = math.max(floor, found.floor) end
    end
    assert.is_true(floor > 1)
    local ratio <const> = made.plots[2]
    assert.matches("The onset lies between 32 and 64", ratio.caption)
    local text <const> = table.concat(ratio.commands, "\n")
    assert.matches("rect from first 32, graph 0 to first 64, graph 1", text)
    assert.is_truthy(text:find(("rect from graph 0, first %.6g to graph 1, first %.6g back")
      :format(1 / floor, floor), 1, true), text)
    local rows <const> = data_of(ratio, "ratios")
    assert.near(1, rows[1][2], 0.01)
    assert.near(3, rows[4][2], 0.01)
    assert.equal(64, rows[4][1])
  end)

  it("marks none where there is none", function()
    local ratio <const> = section(swept(1), "walk over lines").plots[2]
    assert.matches("No step is found", ratio.caption)
    assert.is_nil(table.concat(ratio.commands, "\n"):find("set object 2", 1, true))
  end)

  it("has no band of noise that nobody measured", function()
    local taken <const> = swept(3)
    taken.floors = {}
    local ratio <const> = section(taken, "walk over lines").plots[2]
    assert.matches("The noise is unknown", ratio.caption)
    assert.is_nil(table.concat(ratio.commands, "\n"):find("set object", 1, true))
  end)
end)

describe("a plot of whole processes", function()
  it("stacks the medians of their parts, in the order in which they come", function()
    local taken <const> = two_arms()
    for _, sample in ipairs(taken.samples) do
      sample.process.parts_ns = { exec_to_main = 20000 + sample.round, spawn_to_exec = 10000,
        something_new = 5000 }
    end
    local made <const> = section(taken, "Start and end of a process")
    local bars <const> = {}
    for part = 1, 3 do
      local row <const> = data_of(made.plots[1], "part" .. part)[1]
      bars[part] = { row[3], row[4] }
    end
    near({ { 0, 10 }, { 10, 30.002 }, { 30.002, 35.002 } }, bars)
    assert.same({ "arm", "spawn to exec, ns", "exec to main, ns", "something new, ns", "sum, ns" },
      made.table.heads)
  end)

  it("is left out where the parts were not read", function()
    assert.is_nil(section(two_arms(), "Start and end of a process"))
  end)
end)

describe("a plot of the clock's ramp", function()
  it("has steps per ns over the time of counting", function()
    local ns <const> = {}
    for slice = 1, 40 do ns[slice] = slice <= 4 and 4000 or 1000 end
    local taken <const> = document({ regions = false, steps = false, iterations = 40,
      arms = fr.modes { "natural" }, timed = { fr.count { steps = 2000 } } },
      { fakes.sample("natural", 1, ns), fakes.sample("natural", 2, ns) })
    local made <const> = section(taken, "The clock's ramp")
    local median <const> = data_of(made.plots[1], "median")
    near({ { 0.002, 0.5 }, { 0.006, 0.5 }, { 0.010, 0.5 }, { 0.014, 0.5 }, { 0.0165, 2 } },
      { median[1], median[2], median[3], median[4], median[5] }) -- ms
    assert.equal("Settled at 2.000 steps per ns; 95 % of that is reached after 16000 ns.",
      made.plots[1].caption)
  end)
end)

describe("the names of plots", function()
  it("are unique in a page, also where names of arms are alike", function()
    local first <const>, second <const> = two_arms(), two_arms()
    local seen <const> = {}
    for _, plot in ipairs(plots.flat(plots.of { first, second })) do
      assert.is_nil(seen[plot.id])
      assert.matches("^[%w._-]+$", plot.id)
      seen[plot.id] = true
    end
    assert.is_true(seen["fake-iterations-natural"])
    assert.is_true(seen["fake-iterations-natural-2"])
  end)
end)
