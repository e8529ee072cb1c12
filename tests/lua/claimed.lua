--- Claims on values that are made up: what verdicts are made of, without an experiment.
local verdict <const> = require "frlua.verdict"

local claimed <const> = {}

---A list of as many rounds, each `value` times one factor of `factors` in turn.
---@param value number
---@param rounds integer
---@param factors? number[]
---@return number[]
function claimed.around(value, rounds, factors)
  local list <const> = {}
  for round = 1, rounds do
    list[round] = value * (factors and factors[1 + round % #factors] or 1)
  end
  return list
end

---Verdicts and floors on arms with one metric in ns, "time", and one count, "faults".
---@param claims frlua.Claim[]
---@param arms table<string, number[]|{ time: number[]?, faults: integer[]? }> a list is of times
---@param fields? { rounds: integer?, rounds_for_claims: integer?, samples: table[]?,
---  pause_divisor: integer?, passport: table?, guards: frlua.Guard[]? } `rounds_for_claims`: 1, so
---  that the statistics alone decide
---@return frlua.Verdict[]
---@return table[] floors
function claimed.judge(claims, arms, fields)
  fields = fields or {}
  local rounds, values <const>, names <const>, list <const> = 0, {}, {}, {}
  for name, measured in pairs(arms) do
    local is_list <const> = measured.time == nil and measured.faults == nil
    values[name] = { time = is_list and measured or measured.time or {},
      faults = measured.faults or {} }
    for round in pairs(values[name].time) do rounds = math.max(rounds, round) end
    for round in pairs(values[name].faults) do rounds = math.max(rounds, round) end
    names[#names + 1] = name
  end
  table.sort(names)
  for index, name in ipairs(names) do
    list[index] = { name = name, twin_of = name:match "^(.*) %(twin%)$",
      phases = { { name = "work", timed = true, ops = { { code = "write", region = "buffer" },
        { code = "read", every = "line", region = "other" } } } } }
  end
  return verdict.evaluate({
    rounds = fields.rounds or rounds,
    rounds_for_claims = fields.rounds_for_claims or 1,
    pause_divisor = fields.pause_divisor or 1,
    arms = list, claims = claims,
    metrics = { { name = "time", unit = "ns" }, { name = "faults", unit = "faults" } },
    regions = { { name = "buffer", bytes = 4194304 }, { name = "other", bytes = 2097152 },
      { name = "third", bytes = 4096 } },
  }, fields.samples or {}, values, fields.passport, fields.guards)
end

return claimed
