-- The same lines, packed and spread over pages: a layout is a formula, or any function of the
-- line's number. What its addresses really touch is counted, and printed with the result.
local fr <const> = require "frlua"
local page <const>, line <const> = fr.machine.page_bytes, fr.machine.line_bytes

return fr.experiment "layouts" {
  doc        = "what does it cost to spread lines over pages?",
  sweep      = { lines = { 32, 64, 128, 256 } },
  arms       = {
    fr.arm "packed" { layout = fr.layout { gap = line } },
    fr.arm "spread" { layout = fr.layout { gap = page, off = line, pages = "lines" } },
    fr.arm "pairs"  { layout = fr.layout { addr = function(i)
      return i // 2 * page + i % 64 * line -- two lines in each page, in the sets of the others
    end } },
  },
  timed      = { fr.chase {} },             -- around and around one cycle of all lines
  iterations = 3,
  metrics    = { fr.metric "walk" { median_from = 2, per = "load" } },
  rounds     = 20,
  claims     = {
    fr.claim "it is pages that cost, in the same sets of the cache" {
      needs = fr.same_sets { "packed", "spread", "pairs" },
      test  = fr.above { "spread", than = "packed", metric = "walk", where = { lines = { 256 } } },
    },
  },
}
