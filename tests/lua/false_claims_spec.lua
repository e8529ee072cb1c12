-- What the statistics promise, tried over many simulated experiments. The figures for other noises
-- and numbers of rounds are printed by tests/bench/power.lua.
package.path = "tests/bench/?.lua;" .. package.path
local noise_model <const> = require "noise_model"

local function count(experiments, effects, rounds, sd, seed)
  local generator <const>, any = noise_model.generator(seed), { pass = 0, fail = 0 }
  for _ = 1, experiments do
    local seen <const> = {}
    for _, found in ipairs(noise_model.experiment(generator, effects, rounds, sd)) do
      seen[found.verdict] = true
    end
    for verdict in pairs(any) do any[verdict] = any[verdict] + (seen[verdict] and 1 or 0) end
  end
  return any
end

describe("over 10,000 experiments without a difference", function()
  it("at most 5 % have a claim of a difference that passes, or one that fails", function()
    local any <const> = count(10000, { 0, 0, 0 }, 10, 0.05, 11)
    assert.is_true(any.pass <= 500, any.pass .. " passed")
    assert.is_true(any.fail <= 500, any.fail .. " failed")
  end)
end)

describe("over experiments with a difference", function()
  it("of 50 %, nearly all claims of it pass in 10 rounds", function()
    assert.is_true(count(500, { 0.5 }, 10, 0.05, 12).pass >= 475)
  end)

  it("of 20 %, nearly all pass in 20 rounds", function()
    assert.is_true(count(500, { 0.2 }, 20, 0.05, 13).pass >= 450)
  end)

  it("claims of the opposite never pass, and nearly all fail", function()
    local any <const> = count(500, { -0.3 }, 20, 0.05, 14)
    assert.equal(0, any.pass)
    assert.is_true(any.fail >= 475)
  end)
end)
