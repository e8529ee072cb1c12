local fr <const> = require "frlua"

local function refuses(message, fields)
  assert.error_matches(function() fr.sweep(fields) end, message, 1, true)
end

local function identity(value) return value end

describe("a sweep", function()
  it("measures every value once in every round", function()
    local calls <const> = {}
    fr.sweep { values = { 1, 2, 3, 4 }, rounds = 6, seed = 1, measure = function(value)
      calls[#calls + 1] = value
      return value
    end }
    assert.equal(24, #calls)
    for round = 0, 5 do
      local of_round <const> = table.move(calls, 4 * round + 1, 4 * round + 4, 1, {})
      table.sort(of_round)
      assert.same({ 1, 2, 3, 4 }, of_round)
    end
  end)

  it("has a row of each value, rising, with what its rounds came to", function()
    local calls = 0
    local rows <const> = fr.sweep { values = { 20, 10 }, rounds = 7, seed = 3,
      measure = function(value)
        calls = calls + 1
        return 1000 * value + (calls + 1) // 2 -- the number of the round
      end }
    assert.same({
      at = 10, n = 7, median = 10004, min = 10001, max = 10007, lost = 0,
      ci95 = { 10001, 10007 }, ci95_coverage = 1 - 2 / 2 ^ 7,
      values = { 10001, 10002, 10003, 10004, 10005, 10006, 10007 },
    }, rows[1])
    assert.equal(20, rows[2].at)
    assert.equal(20004, rows[2].median)
    assert.equal(2, #rows)
  end)

  it("has 5 rounds where none are asked for, and says why they have no interval", function()
    local row <const> = fr.sweep { values = { 1 }, measure = identity }[1]
    assert.equal(5, row.n)
    assert.is_nil(row.ci95)
    assert.equal("no 95 % interval below 6 values", row.ci95_why)
  end)

  it("lets steady drift favour no value", function()
    local calls = 0
    local rows <const> = fr.sweep { values = { 1, 2, 3, 4, 5 }, rounds = 5, seed = 9,
      measure = function()
        calls = calls + 1
        return calls
      end }
    for _, row in ipairs(rows) do
      local sum = 0
      for _, value in ipairs(row.values) do sum = sum + value end
      assert.equal(5 * 13, sum) -- each position once in each round: 1 + 7 + 13 + 19 + 25
    end
  end)

  it("tells its order, and repeats it with its seed", function()
    local function calls_of(seed)
      local calls <const> = {}
      local _, order <const> = fr.sweep { values = { 8, 16, 32, 64 }, rounds = 3, seed = seed,
        measure = function(value)
          calls[#calls + 1] = value
          return value
        end }
      return table.concat(calls, " "), order
    end
    local calls <const>, order <const> = calls_of(5)
    local told <const> = {}
    for round = 1, 3 do told[round] = table.concat(order.order[round], " ") end
    assert.equal(calls, table.concat(told, " "))
    assert.equal(3, order.rounds)
    assert.equal(5, order.seed)
    assert.equal(calls, calls_of(5))
    assert.not_equal(calls, calls_of(6))
  end)

  it("counts what was not measured, with the reason", function()
    local round = 0
    local rows <const> = fr.sweep { values = { 1 }, rounds = 5, seed = 1, measure = function()
      round = round + 1
      if round == 2 then return nil, "out of memory" end
      if round == 3 then return nil end
      if round == 4 then return 0 / 0 end
      return round
    end }
    assert.same({
      at = 1, n = 2, median = 3, min = 1, max = 5, values = { 1, 5 }, lost = 3,
      losses = {
        { round = 2, why = "out of memory" },
        { round = 3, why = "measure gave no reason" },
        { round = 4, why = "the value is nan" },
      },
      ci95_why = "no 95 % interval below 6 values",
    }, rows[1])
  end)

  it("has no figure for a value that was always lost", function()
    local rows <const> = fr.sweep { values = { 1, 2 }, rounds = 2, seed = 1,
      measure = function(value)
        if value == 1 then return 7 end
        return nil, "refused"
      end }
    assert.equal(7, rows[1].median)
    assert.same({
      at = 2, n = 0, values = {}, lost = 2, why = "no values",
      losses = { { round = 1, why = "refused" }, { round = 2, why = "refused" } },
    }, rows[2])
  end)

  it("ends with an error of the function that measures", function()
    assert.error_matches(function()
      fr.sweep { values = { 1 }, measure = function() error "broken" end }
    end, "broken")
  end)

  it("refuses what it can't measure, by name and value", function()
    refuses("fr.sweep must be given a table, not nil", nil)
    refuses("unknown key 'vaules' in fr.sweep: did you mean 'values'?", { vaules = { 1 } })
    refuses("values of fr.sweep must be given a table, not 3", { values = 3 })
    refuses("values of fr.sweep must hold at least one number", { values = {} })
    refuses("value 2 of fr.sweep must be a finite number, not 'x'", { values = { 1, "x" } })
    refuses("value 1 of fr.sweep must be a finite number, not nan", { values = { 0 / 0 } })
    refuses("value 3 of fr.sweep is there already, as value 1: 64.0", { values = { 64, 8, 64.0 } })
    refuses("rounds of fr.sweep must be a whole number of at least 1, not 0",
      { values = { 1 }, rounds = 0, measure = identity })
    refuses("seed of fr.sweep must be a whole number, not 1.5",
      { values = { 1 }, seed = 1.5, measure = identity })
    refuses("measure of fr.sweep must be a function, not nil", { values = { 1 } })
    refuses("measure of fr.sweep must return a finite number, or nil and the reason, not 'slow'"
      .. " (at 8)", { values = { 8 }, measure = function() return "slow" end })
  end)

  it("is refused at the caller's line", function()
    local script <const> = assert(load("local fr = ...\n\nlocal r = fr.sweep { values = {} }",
      "@user.lua"))
    local _, message <const> = pcall(script, fr) -- luassert would cut the line off
    assert.matches("^user%.lua:3: values of fr%.sweep", message)
  end)
end)
