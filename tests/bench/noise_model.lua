--- A model of noise for trying the statistics: every round is slower or faster as a whole (a drift
--- of 10 %, which pairing removes), every sample scatters around it lognormally, and one sample in
--- 20 is disturbed: it takes up to twice as long.
local fr <const> = require "frlua"
local random <const> = require "frlua.random"
local verdict <const> = require "frlua.verdict"

local noise_model <const> = { DRIFT = 0.1, DISTURBED = 0.05 }

---@param seed integer
---@return { uniform: function, normal: function }
function noise_model.generator(seed)
  local drawn <const> = random.new(seed)
  local function uniform() return (drawn:next() >> 11) * 0x1p-53 end
  return {
    uniform = uniform,
    normal = function() -- Box and Muller 1958
      return math.sqrt(-2 * math.log(1 - uniform())) * math.cos(2 * math.pi * uniform())
    end,
  }
end

-- Times of an arm that takes `level` times as long as the reference.
local function times(generator, level, drift, sd)
  local list <const> = {}
  for round, slowness in ipairs(drift) do
    local disturbed <const> = generator.uniform() < noise_model.DISTURBED
    list[round] = level * slowness * math.exp(sd * generator.normal())
      * (disturbed and 1 + generator.uniform() or 1)
  end
  return { time = list }
end

---One experiment: arms that are slower than a reference by so much, each claimed to be slower.
---@param generator table of noise_model.generator
---@param effects number[] 0.05: that arm takes 5 % longer
---@param rounds integer
---@param sd number of a sample's logarithm, about its coefficient of variation
---@return frlua.Verdict[] verdicts
function noise_model.experiment(generator, effects, rounds, sd)
  local arms <const> = { { name = "r" }, { name = "r (twin)", twin_of = "r" } }
  local drift <const>, claims <const> = {}, {}
  for round = 1, rounds do drift[round] = math.exp(noise_model.DRIFT * generator.normal()) end
  local values <const> = { r = times(generator, 1, drift, sd),
    ["r (twin)"] = times(generator, 1, drift, sd) }
  for index, effect in ipairs(effects) do
    local name <const> = "arm " .. index
    arms[#arms + 1] = { name = name }
    values[name] = times(generator, 1 + effect, drift, sd)
    claims[index] = { name = name, test = fr.above { name, than = "r", metric = "time" } }
  end
  return (verdict.evaluate({ rounds = rounds, rounds_for_claims = 10, pause_divisor = 1,
    arms = arms, claims = claims,
    metrics = { { name = "time", unit = "ns" } } }, {}, values))
end

return noise_model
