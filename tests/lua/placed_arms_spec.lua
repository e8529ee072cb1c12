local clock <const> = require "frlua.clock"
local core <const> = require "frlua.core"
local fr <const> = require "frlua"
local returned <const> = require "frlua.returned"
local told <const> = require "sessions".told

local sizes <const> = fr.geometry { line = 64, sets = 64 }
local page <const>, line <const> = sizes.page_bytes, sizes.line_bytes
local huge <const> = sizes.huge_bytes

-- Two arms over three counts of lines, unless the fields say otherwise.
local function made(fields)
  local all <const> = {
    sweep = { lines = { 64, 8, 72 } },
    arms = {
      fr.arm "packed" { layout = fr.layout { gap = line, geometry = sizes } },
      fr.arm "spread" { layout = fr.layout { gap = page, off = line, geometry = sizes } },
    },
    timed = fr.chase {}, metrics = { fr.metric "walk" { at = 1 } },
  }
  for name, value in pairs(fields or {}) do all[name] = value or nil end
  return fr.experiment "x" (all)
end

local function names_of(list)
  local names <const> = {}
  for index, item in ipairs(list) do names[index] = item.name end
  return names
end

local function one_arm(fields)
  return made { sweep = false, arms = { fr.arm "a" (fields) } }
end

describe("arms that a sweep makes", function()
  it("come value by value, in the script's order of values and arms", function()
    local experiment <const> = made()
    assert.same({ "packed, 64 lines", "spread, 64 lines", "packed, 8 lines", "spread, 8 lines",
      "packed, 72 lines", "spread, 72 lines" }, names_of(experiment.arms))
    assert.same(names_of(experiment.arms), names_of(experiment.regions))
    assert.same({ name = "lines", values = { 64, 8, 72 } }, experiment.sweep)
  end)

  it("have the value that they were made for, the script's name, and a layout of it", function()
    local experiment <const> = made()
    local arm <const>, region <const> = experiment.arms[4], experiment.regions[4]
    assert.same({ "spread", { lines = 8 } }, { arm.group, arm.params })
    assert.same({ 8, page }, { region.layout.lines, region.layout.gap })
    assert.equal("spread, 8 lines", arm.phases[1].ops[1].region)
  end)

  it("may be made by another parameter, which their names have", function()
    local experiment <const> = made {
      sweep = { gap = { page, 2 * page } },
      arms = { fr.arm "a" { layout = fr.layout { lines = 4, geometry = sizes } } },
    }
    assert.same({ ("a, gap %d"):format(page), ("a, gap %d"):format(2 * page) },
      names_of(experiment.arms))
    assert.equal(2 * page, experiment.regions[2].layout.gap)
    assert.equal(0, made { sweep = { off = { 0 } },
      arms = { fr.arm "a" { layout = fr.layout { lines = 4, gap = page } } },
    }.regions[1].layout.off)
  end)

  it("have no group and no params without a sweep", function()
    local arm <const> = one_arm({ layout = fr.layout { lines = 8, gap = line } }).arms[1]
    assert.same({ "a" }, { arm.name, arm.group, arm.params })
  end)

  it("are one phase with the experiment's iterations", function()
    local phase <const> = made({ iterations = 7 }).arms[1].phases[1]
    assert.same({ "timed", 7, true }, { phase.name, phase.iterations, phase.timed })
  end)
end)

describe("the region of a layout", function()
  it("is on small pages unless it is told otherwise", function()
    local region <const> = one_arm({ layout = fr.layout { lines = 8, gap = page } }).regions[1]
    assert.equal("nohugepage", region.advise)
    assert.is_nil(region.fill)
    assert.equal(7 * page + line, region.bytes)
  end)

  it("on huge pages is aligned to them, of whole ones, advised so, and touched all over", function()
    if not huge then pending "the size of a huge page is unknown" end
    local experiment <const> = one_arm { pages = "huge",
      layout = fr.layout { lines = 2, gap = huge, geometry = sizes } }
    local region <const> = experiment.regions[1]
    assert.same({ "hugepage", "index", 2 * huge, 0 }, { region.advise, region.fill, region.bytes,
      region.align % huge })
  end)

  it("begins at the start of a page, of a huge one and of all sets", function()
    local region <const> = one_arm({
      layout = fr.layout { lines = 8, gap = line, geometry = sizes } }).regions[1]
    for _, unit in ipairs { page, huge or page, sizes.sets * line } do
      assert.equal(0, region.align % unit)
    end
  end)

  it("is on pages of a kind that there is", function()
    assert.matches("unknown pages 'hgue' in fr.arm 'a': did you mean 'huge'%?",
      told "fr.arm 'a' { layout = fr.layout { lines = 8, gap = 64 }, pages = 'hgue' }")
  end)
end)

describe("a chase over a layout", function()
  after_each(function() clock.step_ns = nil end) -- it is read from the clock again

  local function loads_with(step_ns, lines, chase)
    clock.step_ns = step_ns
    return made({ sweep = { lines = { lines } }, timed = chase }).arms[1].phases[1].ops[1].loads
  end

  it("ends where it began, and takes a thousand steps of the clock or more", function()
    for _, lines in ipairs { 1, 7, 8, 72, 512 } do
      for _, step_ns in ipairs { 1, 20, 1000 } do
        local loads <const> = loads_with(step_ns, lines)
        assert.equal(0, loads % lines)
        assert.is_true(loads * 0.5 >= 1000 * step_ns) -- no load is faster than half a nanosecond
        assert.is_true(loads < 2000 * step_ns + lines)
      end
    end
  end)

  it("is bounded where the clock is coarse, or has no step that was seen", function()
    local bounded <const> = loads_with(4000000, 72)
    assert.equal(bounded // 72, loads_with(1 << 40, 72) // 72)
    assert.is_true(bounded >= 1 << 20 and bounded < 1 << 25)
    assert.equal(0, bounded % 72)
    stub(core, "clock", function() return {} end) -- it never moved
    local loads <const> = loads_with(nil, 72)
    core.clock:revert()
    assert.is_true(loads >= 72 and loads <= bounded)
  end)

  it("is of as many loads as the script says", function()
    assert.equal(5, loads_with(20, 72, fr.chase { loads = 5 }))
  end)
end)

describe("a sweep that is none", function()
  local function refusal(sweep, layout)
    local message <const> = told(([[

return fr.experiment 'x' { sweep = %s, arms = { fr.arm 'a' { layout = fr.layout %s } },
  timed = fr.chase {}, metrics = { fr.metric 'walk' { at = 1 } } }]]):format(sweep,
      layout or "{ gap = 4096 }"))
    return (assert(message:match "^user%.lua:3: (.*)$", message))
  end
  local WHERE <const> = "sweep in fr.experiment 'x'"

  it("is refused with what it has", function()
    for sweep, message in pairs {
      ["{ lines = { 8 }, gap = { 64 } }"] = WHERE .. " goes over one parameter: { lines = { … } }",
      ["{}"] = WHERE .. " goes over one parameter: { lines = { … } }",
      ["{ lines = {} }"] = WHERE .. " has no values",
      ["{ lines = { 8, 16, 8.0 } }"] = WHERE .. " has 8 twice",
      ["{ liens = { 8 } }"] = "unknown key 'liens' in " .. WHERE .. ": did you mean 'lines'?",
      ["{ lines = 8 }"] = "lines of " .. WHERE .. " must be given a table, not 8",
      ["3"] = WHERE .. " must be given a table, not 3",
      ["{ lines = { 8, 0 } }"] = "value 2 of " .. WHERE
        .. " must be a whole number of at least 1, not 0",
      ["{ lines = { 8.5 } }"] = "value 1 of " .. WHERE
        .. " must be a whole number of at least 1, not 8.5",
      ["{ lines = { 8, nil, 9 } }"] = "entry 2 of lines of " .. WHERE .. " is nil",
    } do
      assert.equal(message, refusal(sweep))
    end
  end)

  it("is refused at the layout that has the value itself, or lacks another", function()
    assert.equal("the layout of 'a, 8 lines' has its own lines, which the sweep is to give",
      refusal("{ lines = { 8 } }", "{ lines = 4, gap = 4096 }"))
    assert.matches("^lines in the layout of 'a, gap 64' must be a whole number .*, not nil$",
      refusal("{ gap = { 64 } }", "{ off = 64 }"))
  end)

  it("is refused where no arm has a layout, or only some have", function()
    local where <const> = "return fr.experiment 'x' { sweep = { lines = { 8 } }, timed = fr.chase"
      .. " {}, regions = { fr.region 'b' { bytes = 8 } }, arms = "
    assert.matches("arm 'b' in fr.experiment 'x' has no layout, as others have",
      told(where .. "{ fr.arm 'a' { layout = fr.layout { gap = 64 } },"
        .. " fr.arm 'b' { fr.phase 'p' { fr.write 'b' } } } }"))
    assert.matches("has 'sweep', which only layouts makes use of",
      told(where .. "fr.modes { 'natural' } }"))
  end)
end)

describe("arms of a sweep on the command line", function()
  local function run_with(names, fields)
    local found <const> = returned.to_run({ made(fields) }, { arm = names, quick = true })[1]
    return found and names_of(found.arms)
  end

  it("are all that the script's name has made, or the one of a name", function()
    assert.same({ "spread, 64 lines", "spread, 8 lines", "spread, 72 lines" },
      run_with { "spread" })
    assert.same({ "spread, 8 lines" }, run_with { "spread, 8 lines" })
    assert.same({ "spread, 64 lines", "packed, 8 lines", "spread, 8 lines", "spread, 72 lines" },
      run_with { "spread", "packed, 8 lines" })
  end)

  it("are refused by a name that is near none of them, with both kinds of names", function()
    local ok <const>, problem <const> = pcall(run_with, { "spraed" })
    assert.is_false(ok)
    assert.equal("--arm: there is no arm 'spraed': did you mean 'spread'?", tostring(problem))
  end)

  it("have a twin each where the script's name is to have one", function()
    local function twins(fields)
      return table.move(run_with({}, fields), 7, 12, 1, {})
    end
    assert.same({ "spread, 64 lines (twin)", "spread, 8 lines (twin)", "spread, 72 lines (twin)" },
      twins { twins = { "spread" } })
    assert.same({ "packed, 8 lines (twin)" }, twins { twins = { "packed, 8 lines" } })
    assert.matches("unknown arm 'spraed' in twins in fr.experiment 'x'",
      select(2, pcall(made, { twins = { "spraed" } })))
  end)
end)
