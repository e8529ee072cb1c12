local fr <const> = require "frlua"

-- Halvings that bring a width down to a resolution.
local function halvings(width, resolution)
  local count = 0
  while resolution << count < width do count = count + 1 end
  return count
end

-- Answers from `boundary` (the first step) on, undecided from `from` to `to`.
local function answers(boundary, from, to)
  return function(at)
    if from and at >= from and at <= to then return "undecided" end
    return at < boundary and "flat" or "step"
  end
end

local function points(found)
  local list <const> = {}
  for index, question in ipairs(found.history) do list[index] = question.at end
  return list
end

local function assert_no_point_twice(found)
  local seen <const> = {}
  for _, at in ipairs(points(found)) do
    assert(not seen[at], at)
    seen[at] = true
  end
end

-- What holds of every result, whatever was answered.
local function assert_sound(found, decide, low, high, resolution)
  assert_no_point_twice(found)
  assert(#found.history <= math.max(2, 1 + 2 * halvings(high - low, resolution)))
  assert(decide(found.low) == "flat" and decide(found.high) == "step")
  assert(found.is_resolved == (found.high - found.low <= resolution))
  assert((found.why == nil) == found.is_resolved)
  for index, at in ipairs(found.undecided) do
    assert(at > (found.undecided[index - 1] or found.low) and at < found.high)
    assert(decide(at) == "undecided")
  end
end

-- Every script of answers to the questions between the ends, one result each.
local function for_all_answers(width, resolution, visit)
  local DECISIONS <const> = { "flat", "step", "undecided" }
  local script <const> = { 1 }
  while script[1] do
    local asked, given <const> = 0, { [0] = "flat", [width] = "step" }
    local found <const> = fr.bisect { low = 0, high = width, resolution = resolution,
      decide = function(at)
        if given[at] then return given[at] end
        asked = asked + 1
        script[asked] = script[asked] or 1
        given[at] = DECISIONS[script[asked]]
        return given[at]
      end }
    visit(found, function(at) return given[at] end)
    for index = #script, asked + 1, -1 do script[index] = nil end
    while script[#script] == 3 do script[#script] = nil end
    if script[1] then script[#script] = script[#script] + 1 end
  end
end

describe("a bisection", function()
  it("finds every boundary of a range, in the questions of a plain one", function()
    for width = 1, 70 do
      for boundary = 1, width do
        local found <const> = fr.bisect { low = 0, high = width, decide = answers(boundary) }
        assert(found.low == boundary - 1 and found.high == boundary and found.is_resolved)
        assert(not found.why and #found.undecided == 0)
        assert(#found.history <= 2 + halvings(width, 1))
        assert_no_point_twice(found)
      end
    end
  end)

  it("ends as soon as the interval is as narrow as the resolution", function()
    for resolution = 1, 20 do
      for boundary = 101, 200 do
        local found <const> = fr.bisect { low = 100, high = 200, resolution = resolution,
          decide = answers(boundary) }
        assert(found.low < boundary and boundary <= found.high)
        assert(found.high - found.low <= resolution)
        assert(2 * (found.high - found.low) + 1 >= resolution) -- no halving too many
        assert(#found.history <= 2 + halvings(100, resolution))
      end
    end
    assert.same({ 8, 512 }, points(fr.bisect { low = 8, high = 512, resolution = 504,
      decide = answers(64) }))
  end)

  it("goes on around an undecided zone, up to both of its ends", function()
    for width = 1, 24 do
      for boundary = 1, width do
        for from = 1, width - 1 do
          for to = from, width - 1 do
            local decide <const> = answers(boundary, from, to)
            local found <const> = fr.bisect { low = 0, high = width, decide = decide }
            assert_sound(found, decide, 0, width, 1)
            assert(found.low < boundary and boundary <= found.high)
            if boundary >= from and boundary <= to + 1 then -- the zone hides the boundary
              assert(found.low == from - 1 or boundary == to + 1 and found.low == to)
              assert(found.high == to + 1 or boundary == from and found.high == from)
            else
              assert(found.is_resolved)
            end
          end
        end
      end
    end
  end)

  it("names the undecided points, and why it is not resolved", function()
    local found <const> = fr.bisect { low = 8, high = 72, decide = answers(64, 63, 65) }
    assert.equal(62, found.low)
    assert.equal(66, found.high)
    assert.is_false(found.is_resolved)
    assert.same({ 63, 65 }, { found.undecided[1], found.undecided[#found.undecided] })
    assert.equal("undecided at " .. table.concat(found.undecided, ", ")
      .. ": the boundary lies between 62 and 66", found.why)
  end)

  it("drops an undecided point that lies beyond what was decided later", function()
    local found <const> = fr.bisect { low = 0, high = 16, decide = answers(3, 8, 8) }
    assert.same({ low = 2, high = 3, is_resolved = true, undecided = {} },
      { low = found.low, high = found.high, is_resolved = found.is_resolved,
        undecided = found.undecided })
    assert.equal("undecided", found.history[3].decision)
  end)

  it("ends whatever the answers are, in a bounded number of questions", function()
    for _, case in ipairs { { 1, 1 }, { 2, 1 }, { 9, 1 }, { 17, 1 }, { 20, 2 }, { 29, 3 } } do
      local width <const>, resolution <const> = case[1], case[2]
      for_all_answers(width, resolution, function(found, decide)
        assert_sound(found, decide, 0, width, resolution)
      end)
    end
  end)

  it("asks the same bounded number where all but the ends are undecided", function()
    for exponent = 1, 40 do
      local found <const> = fr.bisect { low = 0, high = 1 << exponent,
        decide = answers(1, 1, (1 << exponent) - 1) }
      assert.equal(1 + 2 * exponent, #found.history)
      assert.same({ 0, 1 << exponent }, { found.low, found.high })
      assert.equal(2 * exponent - 1, #found.undecided)
    end
  end)

  it("does not overflow, up to all whole numbers that there are", function()
    local max <const>, min <const> = math.maxinteger, math.mininteger
    for _, boundary in ipairs { min + 1, -7, 0, 1, 1 << 62, max - 1, max } do
      local found <const> = fr.bisect { low = min, high = max, decide = answers(boundary) }
      assert.same({ boundary - 1, boundary, true }, { found.low, found.high, found.is_resolved })
      assert.is_true(#found.history <= 2 + 64)
      local undecided <const> = fr.bisect { low = min, high = max,
        decide = answers(boundary, min + 1, max - 1) }
      assert.is_true(#undecided.history <= 1 + 2 * 64)
    end
    local found <const> = fr.bisect { low = max - 1, high = max, decide = answers(max) }
    assert.is_true(found.is_resolved)
  end)
end)

describe("the history of a bisection", function()
  it("has every question with its answer, its evidence and what was known then", function()
    local decide <const> = answers(3, 2, 2)
    local found <const> = fr.bisect { low = 0, high = 4, decide = function(at)
      return decide(at), { ratio = at / 2 }
    end }
    assert.same({
      { at = 0, decision = "flat", evidence = { ratio = 0 }, low = 0 },
      { at = 4, decision = "step", evidence = { ratio = 2 }, low = 0, high = 4 },
      { at = 2, decision = "undecided", evidence = { ratio = 1 }, low = 0, high = 4 },
      { at = 1, decision = "flat", evidence = { ratio = 0.5 }, low = 1, high = 4 },
      { at = 3, decision = "step", evidence = { ratio = 1.5 }, low = 1, high = 3 },
    }, found.history)
  end)
end)

describe("a range without a boundary", function()
  local function ends(at_low, at_high)
    return fr.bisect { low = 8, high = 512, decide = function(at)
      return at == 8 and at_low or at_high
    end }
  end

  local function assert_ended(why, found, low, high, undecided)
    assert.equal(why, found.why)
    assert.same({ 8, 512 }, points(found))
    assert.is_false(found.is_resolved)
    assert.equal(low, found.low)
    assert.equal(high, found.high)
    assert.same(undecided or {}, found.undecided)
  end

  it("says so, with what is known", function()
    assert_ended("at 512 it is still flat: no step up to there", ends("flat", "flat"), 512, nil)
    assert_ended("at 8 it is a step already: no flat point to start from", ends("step", "step"),
      nil, 8)
    assert_ended("at 8 it is a step already: no flat point to start from; at 512 it is still flat:"
      .. " no step up to there", ends("step", "flat"), nil, nil)
  end)

  it("is one whose ends are undecided, too", function()
    assert_ended("at 8 it is undecided: no flat point to start from", ends("undecided", "step"),
      nil, 512, { 8 })
    assert_ended("at 512 it is undecided: no step to end with", ends("flat", "undecided"),
      8, nil, { 512 })
    assert_ended("at 8 it is undecided: no flat point to start from; at 512 it is undecided:"
      .. " no step to end with", ends("undecided", "undecided"), nil, nil, { 8, 512 })
  end)
end)

describe("misuse of a bisection", function()
  local function refuses(message, fields)
    assert.error_matches(function() fr.bisect(fields) end, message, 1, true)
  end

  it("is refused by name and value", function()
    refuses("unknown key 'hi' in fr.bisect", { low = 1, hi = 2 })
    refuses("low of fr.bisect must be a whole number", { low = 1.5, high = 2 })
    refuses("high of fr.bisect must be a whole number of at least 9, not 8", { low = 8, high = 8 })
    refuses("low of fr.bisect must be a whole number of at most 9223372036854775806, not",
      { low = math.maxinteger, high = math.maxinteger })
    refuses("resolution of fr.bisect must be a whole number of at least 1, not 0",
      { low = 1, high = 2, resolution = 0 })
    refuses("decide of fr.bisect must be a function, not nil", { low = 1, high = 2 })
  end)

  it("is another answer, told with its place", function()
    refuses("unknown answer 'flatt' in decide of fr.bisect, at 1: did you mean 'flat'?",
      { low = 1, high = 2, decide = function() return "flatt" end })
    refuses("unknown answer nil in decide of fr.bisect, at 1: known are 'flat', 'step'",
      { low = 1, high = 2, decide = function() end })
  end)
end)
