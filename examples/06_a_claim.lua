-- A claim is a sentence and a test. It passes, fails, or is withdrawn: here the evidence that it
-- needs is read back in every sample, and without huge pages another question is asked.
local fr <const> = require "frlua"
local bytes <const> = 8 * fr.MiB

local function first_touch(region)
  return fr.phase "first" { fr.write(region) }
end

return fr.experiment "huge_pages" {
  doc     = "is a first touch cheaper on huge pages?",
  regions = {
    fr.region "small" { bytes = bytes, advise = "nohugepage" },
    fr.region "huge"  { bytes = bytes, advise = "hugepage", align = fr.machine.huge_page_bytes },
  },
  arms    = {
    fr.arm "small pages" { first_touch "small" },
    fr.arm "huge pages"  { first_touch "huge" },
  },
  metrics = { fr.metric "first" { at = 1, per = "page" }, fr.metric "faults" { faults_at = 1 } },
  claims  = {
    fr.claim "a first touch of huge pages costs less than half" {
      needs     = fr.huge { "huge pages", region = "huge" },
      test      = fr.below { "huge pages", than = "small pages", metric = "first", factor = 0.5 },
      otherwise = fr.claim "without huge pages both are the same" {
        test = fr.same { "huge pages", "small pages", metric = "first", within = 0.2 },
      },
    },
  },
}
