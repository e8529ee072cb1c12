-- Sweeps, steps, layouts and guards against tests/oracle/crosscheck.py, written from their
-- definitions in another language.
local crosschecked <const> = require "crosschecked"
local fr <const> = require "frlua"
local result <const> = require "frlua.result"
local sessions <const> = require "sessions"
local simulated <const> = require "simulated"

setup(sessions.open)
teardown(sessions.close)

local LINES <const> = { 8, 16, 24, 32, 40, 48, 56 }
local ASPECTS <const> = { "flat below", "one row wide", "flat above", "lasting" }

-- How many times as long the spread arm takes, row by row; a row that is so noisy may end half-way.
local SHAPES <const> = {
  { 1, 1, 1, 1, 1, 1, 1 },
  { 1, 1, 1, 2, 2, 2, 2 },
  { 1, 1, 1.3, 1.6, 2, 2, 2 },
  { 1, 1, 2, 2, 2, 1, 1 },                 -- vanishes
  { 0.96, 0.98, 1, 1.02, 1.04, 2, 2 },     -- a trend below
  { 0.99, 0.995, 1, 1.005, 1.01, 2, 2 },   -- inside of the noise
  { 1, 1, 2, 2.06, 2.12, 2.18, 2.24 },     -- a trend above
  { 1, 1, 2, 2.03, 2.06, 2.09, 2.12 },     -- inside of the noise
  { 1, 1, 2, 2.15, 2.3, 2, 2.1 },          -- no flat plateau
  { 1, 2, 2, 1, 1, 2, 2 },                 -- twice
  { 1, 3, 3, 2, 2, 3, 3 },                 -- once up, and up again
  { 2, 2, 2, 2, 2, 2, 2 },                 -- from the first row on
  { 1, 1, 1, 0.5, 0.5, 0.5, 0.5 },         -- down
  { 0.93, 0.99, 1.1, 1.05, 1.15, 1.3, 1.2 }, -- undecided
  { 1, 1, 1, 2, 2, 2, 2, noisy = 2, noise = 0.8 },
  { 1, 1, 1, 2, 2, 2, 2, noisy = 3, noise = 1 },
  { 1, 1, 1, 1, 1, 1, 1, noisy = 3, noise = 0.15 },
}

-- About every row, and one; in a guest, and wherever.
local function claims()
  local list <const> = {}
  for _, aspect in ipairs(ASPECTS) do
    list[#list + 1] = fr.claim(aspect) { test = fr.onset { "spread", than = "packed",
      metric = "walk", over = "lines", is = aspect } }
  end
  list[#list + 1] = fr.claim "sets" { test = fr.same_sets { "packed", "spread" } }
  list[#list + 1] = fr.claim "huge" { test = fr.huge { "spread", where = { lines = { 8, 56 } } } }
  local last <const> = { "spread", than = "packed", metric = "walk", factor = 1.5,
    where = { lines = { 56 } } }
  list[#list + 1] = fr.claim "guest" { test = fr.below(last), in_guest = "of another kernel" }
  list[#list + 1] = fr.claim "rises" { test = fr.monotone { "spread", over = "lines",
    metric = "walk" } }
  return list
end

local function pick(generator, list) return list[1 + generator:below(#list)] end

-- Documents of one shape differ in noise, rounds, lost samples, evidence, guards and the machine.
local function document(shape, seed)
  local generator <const> = simulated.generator(seed)
  local noise <const> = pick(generator, { 0.001, 0.001, 0.02 })
  local is_lossy <const>, is_void <const> = generator:below(5) == 0, generator:below(8) == 0
  local huge <const>, mapped <const> = pick(generator, { 0, 1 << 30 }),
    pick(generator, { 0, 1 << 30, false })
  local odd_sets <const> = generator:below(6)
  local rounds <const> = pick(generator, { 20, 20, 20, 12 })
  local row_of <const> = {}
  for index, lines in ipairs(LINES) do row_of[lines] = index end
  return simulated.swept(LINES, claims(), rounds, seed, function(arm, round)
    if is_lossy and generator:below(100) == 0 then return nil end
    local is_spread <const> = arm.name:find "^spread" ~= nil
    local row <const> = row_of[arm.params.lines]
    local ratio <const> = is_spread and shape[row] or 1
    local own_noise <const> = is_spread and row == shape.noisy and shape.noise or noise
    local ns <const> = 1e6 * ratio * math.exp(own_noise * simulated.normal(generator))
    local has_odd_sets <const> = is_spread and (odd_sets == 0 or odd_sets == 1 and round == 3)
    return { ns = math.tointeger(ns // 1), huge = huge, mapped = mapped or nil,
      set_hash = has_odd_sets and "0123456789abcdef" or nil }
  end, { hypervisor = pick(generator, { "KVM", false }) or nil,
    guard = simulated.guard("chase", "chase", nil, is_void and 1.4 or 2.2) }), odd_sets < 2
end

-- What came out, by the claim's name and the verdict.
local function note(seen, made)
  for _, claim in ipairs(made.claims) do
    local how <const> = claim.reason:find("guest of KVM", 1, true) and "excused"
      or claim.reason:find("void, chase", 1, true) and "void" or claim.verdict
    seen[claim.claim] = seen[claim.claim] or {}
    seen[claim.claim][how] = true
  end
end

describe("an independent recomputation of sweeps", function()
  it("agrees on simulated ones, whose verdicts are of every kind", function()
    local well <const>, odd <const>, seen <const> = {}, {}, {}
    for index, shape in ipairs(SHAPES) do
      for seed = 1, 5 do
        local made <const>, is_odd <const> = document(shape, 100 * index + seed)
        note(seen, made)
        table.insert(is_odd and odd or well, result.encode(made))
      end
    end
    crosschecked.write("swept.json", "[" .. table.concat(well, ",") .. "]")
    local told <const>, status <const> = crosschecked.run "swept.json"
    assert.equal(0, status, told)
    assert.not_matches("NOT CHECKED", told)
    crosschecked.write("odd.json", "[" .. table.concat(odd, ",") .. "]")
    for line in crosschecked.run "odd.json":gmatch "[^\n]+" do -- other sets than the layout has
      assert.is_true(line:find "^  DIFFERENT" == nil
        or line:find "samples 'spread.*evidence%.layouts: " ~= nil, line)
    end
    for _, name in ipairs { "flat below", "one row wide", "flat above", "lasting", "sets", "huge",
      "guest", "rises" } do
      for _, verdict in ipairs { "pass", "fail" } do
        assert.is_true(seen[name][verdict], ("'%s' never came out as %s"):format(name, verdict))
      end
    end
    for name, how in pairs { ["flat below"] = "withdrawn", sets = "withdrawn", guest = "excused",
      lasting = "void", rises = "void" } do
      assert.is_true(seen[name][how], ("'%s' never came out as %s"):format(name, how))
    end
  end)
end)
