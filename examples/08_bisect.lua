-- A study: experiments that follow from each other. Here each halves the interval in which the cost
-- of spreading lines over pages begins. scripts/tlb_onset.lua does it with more care.
local fr <const> = require "frlua"
local page <const>, line <const> = fr.machine.page_bytes, fr.machine.line_bytes

local function comparison(lines)
  return fr.experiment(("%d lines"):format(lines)) {
    arms = {
      fr.arm "packed" { layout = fr.layout { lines = lines, gap = line } },
      fr.arm "spread" { layout = fr.layout { lines = lines, gap = page, off = line } },
    },
    timed = { fr.chase {} }, iterations = 3, rounds = 10,
    metrics = { fr.metric "walk" { median_from = 2, per = "load" } },
  }
end

return fr.study "where the cost begins" {
  run = function(measure)
    local found <const> = fr.bisect {
      low = 8, high = 512,
      decide = function(lines)
        local arms <const> = measure(comparison(lines)).arms -- fresh processes, of both in turn
        local ratio <const> =
          arms[2].metrics.walk_ns_per_load.min / arms[1].metrics.walk_ns_per_load.min
        return ratio < 1.05 and "flat" or "step", ratio
      end,
    }
    local said <const> = {}
    for index, question in ipairs(found.history) do
      said[index] = ("%4d lines: ratio %.2f, %s"):format(question.at, question.evidence,
        question.decision)
    end
    said[#said + 1] = ("between %s and %s lines"):format(found.low, found.high)
    return said
  end,
}
