-- Real experiments without a difference: one arm under three names, claimed to differ. Prints what
-- came of the claims; none should pass, and none fail.
--
--   frlua tests/bench/same_arms.lua [experiments]
local fr     <const> = require "frlua"
local result <const> = require "frlua.result"
local run    <const> = require "frlua.run"
local claim_design <const> = require "frlua.claim_design"

local experiments <const> = tonumber(fr.args()[1] or 20)

local function arm(name)
  return fr.arm(name) { fr.phase "work" { fr.affine { to = "output", from = "input", mul = 3 },
    iterations = 200 } }
end

local function experiment()
  return fr.experiment "same" {
    regions = { fr.region "input" { bytes = "512 KiB", fill = "index" },
                fr.region "output" { bytes = "512 KiB" } },
    arms = { arm "a", arm "b", arm "c" },
    metrics = { fr.metric "first" { at = 1 }, fr.metric "steady" { median_from = 51 } },
    claims = {
      fr.claim "first differs"  { test = fr.above { "b", than = "a", metric = "first" } },
      fr.claim "steady differs" { test = fr.below { "b", than = "a", metric = "steady" } },
      fr.claim "c is slower"    { test = fr.above { "c", than = "b", metric = "steady" } },
    },
  }
end

local counts <const> = { pass = 0, fail = 0, withdrawn = 0 }
for number = 1, experiments do
  local made <const> = experiment()
  made.arms = claim_design.with_twins(made.arms, made.claims)
  local design <const> = assert(run.design(made, { seed = number }))
  local silent <const> = { before = function() end, after = function() end }
  local document <const> = result.build(made, design, run.samples(made, design, silent),
    { script = "same_arms.lua", args = {}, started_at = "", wall_ns = 0, partial = false })
  for _, claim in ipairs(document.claims) do
    counts[claim.verdict] = counts[claim.verdict] + 1
    if claim.verdict ~= "withdrawn" then print(claim.verdict, claim.reason) end
  end
end
print(("%d experiments, %d claims of a difference that is not there: %d passed, %d failed,"
  .. " %d withdrawn"):format(experiments, 3 * experiments, counts.pass, counts.fail,
  counts.withdrawn))
