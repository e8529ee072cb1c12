local plan <const> = require "frlua.plan"

-- counts[arm][position]: in how many rounds the arm ran there.
local function position_counts(order, arm_count)
  local counts <const> = {}
  for arm = 1, arm_count do
    counts[arm] = {}
    for position = 1, arm_count do counts[arm][position] = 0 end
  end
  for _, round in ipairs(order) do
    for position, arm in ipairs(round) do counts[arm][position] = counts[arm][position] + 1 end
  end
  return counts
end

local function for_every_size(body)
  for arm_count = 1, 9 do
    for rounds = 1, 40 do
      body(plan.order(arm_count, rounds, 1000 * arm_count + rounds), arm_count, rounds)
    end
  end
end

describe("the order of a plan", function()
  it("runs every arm once in every round", function()
    for_every_size(function(order, arm_count, rounds)
      assert.equal(rounds, #order)
      for _, round in ipairs(order) do
        assert.equal(arm_count, #round)
        local sorted <const> = table.move(round, 1, arm_count, 1, {})
        table.sort(sorted)
        for arm = 1, arm_count do assert.equal(arm, sorted[arm]) end
      end
    end)
  end)

  it("has every arm equally often in every position, give or take one", function()
    for_every_size(function(order, arm_count)
      for _, counts in ipairs(position_counts(order, arm_count)) do
        assert.is_true(math.max(table.unpack(counts)) - math.min(table.unpack(counts)) <= 1)
      end
    end)
  end)

  it("is the same for the same seed, and another for another", function()
    assert.same(plan.order(6, 10, 42), plan.order(6, 10, 42))
    assert.not_same(plan.order(6, 10, 42), plan.order(6, 10, 43))
  end)

  it("is drawn anew for every block of rounds", function()
    local order <const> = plan.order(6, 12, 1)
    assert.not_same(table.move(order, 1, 6, 1, {}), table.move(order, 7, 12, 1, {}))
  end)

  it("does not let each arm follow one and the same other arm", function()
    local seen <const>, neighbours = {}, 0
    for _, round in ipairs(plan.order(6, 6, 9)) do
      for position = 2, 6 do
        local pair <const> = round[position - 1] .. "," .. round[position]
        if not seen[pair] then seen[pair], neighbours = true, neighbours + 1 end
      end
    end
    assert.is_true(neighbours > 6)
  end)

  it("does not go from round to round by a rule", function()
    -- Which arm takes the place of arm 1, of arm 2 and so on, in the next round.
    local function exchange(round, next_round)
      local replaced <const> = {}
      for position, arm in ipairs(round) do replaced[arm] = next_round[position] end
      return table.concat(replaced, ",")
    end
    local seen <const>, exchanges, repeated = {}, 0, 0
    for seed = 1, 60 do
      local order <const> = plan.order(5, 3, seed)
      local first <const> = exchange(order[1], order[2])
      if not seen[first] then seen[first], exchanges = true, exchanges + 1 end
      if first == exchange(order[2], order[3]) then repeated = repeated + 1 end
    end
    assert.is_true(exchanges > 5) -- 5 arms can be shifted by their numbers in 4 ways
    assert.is_true(repeated < 60)
  end)

  it("lets every arm begin some time, over the seeds", function()
    local first <const> = {}
    for seed = 1, 60 do first[plan.order(4, 1, seed)[1][1]] = true end
    assert.same({ true, true, true, true }, first)
  end)

  it("refuses no arms, no rounds and halves", function()
    assert.error_matches(function() plan.order(0, 3, 1) end, "arms must be .* at least 1, not 0")
    assert.error_matches(function() plan.order(3, 0, 1) end, "rounds must be .* at least 1, not 0")
    assert.error_matches(function() plan.order(3, 2.5, 1) end, "rounds must be .*, not 2%.5")
  end)
end)
