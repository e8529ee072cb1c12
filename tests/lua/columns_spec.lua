-- A row for each metric and a column for each arm; and what pages an arm really had.
local columns <const> = require "frlua.report.columns"

local function sample(arm, huge, status)
  return { arm = arm, status = status or "ok",
    evidence = { regions = { { region = "buffer", bytes = 100, huge_bytes = huge } } } }
end

local function document(...)
  return {
    design = {
      regions = { { name = "buffer", bytes = 100 } },
      metrics = { { name = "near", unit = "ns", per = "load" } },
    },
    arms = {
      { name = "a",
        metrics = { near_ns_per_load = { n = 3, median = 1.25, min = -0.04, max = 2 } } },
      { name = "b", metrics = { near_ns_per_load = { n = 0, why = "no values" } } },
    },
    samples = { ... },
  }
end

describe("columns", function()
  it("have medians with their range, and a dash where there is nothing", function()
    assert.same({
      "size               a  b            made",
      "near  1.2 (0.0..2.0)  -  5.0 (4.0..6.0)",
    }, columns.lines(document(), {
      head = "size", rows = { { metric = "near", label = "near" } },
      columns = {
        { arm = "a", label = "a" }, { arm = "b", label = "b" },
        { label = "made", of = function() return { median = 5, min = 4, max = 6 } end },
      },
    }))
    assert.is_nil(columns.summary(document(), "b", "near"))
    assert.is_nil(columns.summary(document(), "a", "far"))
  end)

  it("tell small from huge pages only where all samples agree on all of it", function()
    local function pages(...) return columns.pages(document(...), "a", "buffer") end
    assert.equal("huge", pages(sample("a", 100), sample("a", 100), sample("b", 0)))
    assert.equal("small", pages(sample("a", 0), sample("a", 0), sample("b", 100)))
    assert.equal("mixed", pages(sample("a", 100), sample("a", 0)))
    assert.equal("mixed", pages(sample("a", 50)))
    assert.equal("unknown", pages(sample("a", nil)))
    assert.equal("unknown", pages(sample("b", 100)))
    assert.equal("unknown", pages(sample("a", 100, "killed")))
  end)
end)
