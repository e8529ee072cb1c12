-- How often a claim of a difference passes, when there is one and when there is none, over
-- simulated experiments (see noise_model.lua). Prints the table of lua/frlua/claims.md in Markdown.
--
--   frlua tests/bench/power.lua [experiments per figure]
local fr <const> = require "frlua"
local noise_model <const> = require "noise_model"

local experiments <const> = tonumber(fr.args()[1] or 2000)
local generator <const> = noise_model.generator(1)
local NOISE <const>, ROUNDS <const> = { 0.01, 0.02, 0.05, 0.1 }, { 10, 20 }

-- The share of experiments in which the first claim passes, and in which any does.
local function shares(effects, rounds, sd)
  local first, any = 0, 0
  for _ = 1, experiments do
    local verdicts <const> = noise_model.experiment(generator, effects, rounds, sd)
    local passed = false
    for _, found in ipairs(verdicts) do passed = passed or found.verdict == "pass" end
    first = first + (verdicts[1].verdict == "pass" and 1 or 0)
    any = any + (passed and 1 or 0)
  end
  return first / experiments, any / experiments
end

local function percent(share) return fr.units.fixed(100 * share, 1) .. " %" end

local function repeated(effect, count)
  local effects <const> = {}
  for index = 1, count do effects[index] = effect end
  return effects
end

print "| noise of a sample | rounds | claims | 5 % | 20 % | 50 % | none, any passes |"
print "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
for _, sd in ipairs(NOISE) do
  for _, rounds in ipairs(ROUNDS) do
    for _, claims in ipairs { 1, 5 } do
      local cells <const> = {}
      for index, effect in ipairs { 0.05, 0.2, 0.5 } do
        cells[index] = percent((shares(repeated(effect, claims), rounds, sd)))
      end
      local _, any <const> = shares(repeated(0, claims), rounds, sd)
      print(("| %.0f %% | %d | %d | %s | %s |"):format(100 * sd, rounds, claims,
        table.concat(cells, " | "), percent(any)))
    end
  end
end
