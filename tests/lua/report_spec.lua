local detail <const> = require "frlua.report.detail"
local fakes <const> = require "fakes"
local fr <const> = require "frlua"
local table_lines <const> = require "frlua.report.table".lines
local text <const> = require "frlua.report.text"

local RATIOS <const> = { of = { "first", "process" }, to = "late" }

local function experiment(changes)
  local fields <const> = { ratios = RATIOS }
  for name, value in pairs(changes or {}) do fields[name] = value end
  return fakes.experiment(fields)
end

local function samples(natural, warm, faults)
  local list <const> = {}
  for round, ns in ipairs(natural) do
    list[#list + 1] = fakes.sample("natural", round, ns, faults and faults[round] or 2)
  end
  for round, ns in ipairs(warm or {}) do list[#list + 1] = fakes.sample("warm", round, ns) end
  return list
end

local ORDINARY <const> = samples({ { 900, 130, 110, 120 }, { 700, 140, 150, 170 },
  { 801, 120, 120, 130 } }, { { 400, 200, 200, 200 }, { 500, 200, 200, 200 } })

-- The report, whose document `change` may spoil first.
local function report(list, fields, change, settled)
  local document <const> = fakes.document(experiment(fields), list, settled)
  if change then change(document) end
  local written <const> = text.report(document)
  for _, word in ipairs { "nan", "inf", "nil" } do
    assert.is_nil(written:find("%f[%a]" .. word .. "%f[%A]"), written)
  end
  return written
end

local function detail_report(document)
  return table.concat(detail.lines(document), "\n") .. "\n"
end

local function has(written, ...)
  for _, part in ipairs { ... } do
    assert.is_truthy(("\n" .. written):find("\n" .. part .. "\n", 1, true),
      ("no line '%s' in:\n%s"):format(part, written))
  end
end

local function lacks(written, part)
  assert.is_nil(written:find(part, 1, true), written)
end

describe("a report", function()
  it("has the medians over the processes, in nanoseconds", function()
    has(report(ORDINARY),
      "Medians over the processes",
      "arm      first ns  faults  late ns",
      "natural       801       2      120",
      "warm          450       0      200",
      "late: median of the iterations from 2 on, first 1 iteration discarded")
  end)

  it("does not say that none is discarded", function()
    local written <const> = report(ORDINARY, { ratios = false,
      metrics = { fr.metric "all" { median_from = 1 } } })
    has(written, "all: median of all iterations")
  end)

  it("has the ratios of the medians", function()
    has(report(ORDINARY),
      "Times late (process: the whole process, from outside)",
      "arm      first  process  steady from",
      "natural   6.67     8.33            -",
      "warm      2.25     5.00            -")
  end)

  it("has the spread over the processes, and their number", function()
    has(report(ORDINARY),
      "arm      first ns   late ns  process ns  processes",
      "natural  700..900  120..150  1000..1000          3",
      "warm     400..500  200..200  1000..1000          2")
  end)

  it("has every count that occurred", function()
    local ns <const> = { 900, 300, 300, 300 }
    has(report(samples({ ns, ns }, nil, { 2, 5 })), "natural       900    2..5      300",
      "  natural, faults: expected 2, seen 2..5: 1 of 2 processes had more, for a reason"
      .. " that was not read back")
  end)

  it("keeps columns apart whatever the names are", function()
    assert.same({ "  µ         1", "  \\27[31m  22", "  \u{FFFD}         3" },
      table_lines({ { "µ", "1" }, { "\27[31m", "22" }, { "\xff", "3" } }, "  "))
  end)

  it("prints no byte that a terminal would obey", function()
    local odd <const> = "\27[31m\xff\n"
    local arms <const> = { fr.arm(odd) { fr.phase "timed" { fr.write "buffer" } } }
    local fields <const> = { arms = arms, steps = false, timed = false, iterations = false,
      metrics = { fr.metric "first" { at = 1 }, fr.metric "faults" { faults_at = 1 } },
      ratios = false, apart = { metric = "first", above = 1 }, rounds = 4 }
    local list <const> = { fakes.sample(odd, 1, { 100 }, 3), fakes.sample(odd, 2, { 100 }, 3),
      fakes.sample(odd, 3, { 101 }, 3), fakes.lost(odd, 4, "timed out") }
    local document <const> = fakes.document(fakes.experiment(fields), list)
    local written <const> = text.report(document) .. detail_report(document)
    assert.is_nil(written:find("[\0-\9\11-\31]"))
    assert.truthy(utf8.len(written))
    has(written, "  \\27[31m\u{FFFD}\\10: 1, 101 ns (round 3)",
      "  \\27[31m\u{FFFD}\\10: timed out (round 4)")
  end)
end)

describe("a report of what can't be trusted", function()
  it("says of a quick run that nothing is claimed", function()
    has(report(ORDINARY, nil, nil, { pause_divisor = 10, rounds = 3 }),
      "quick run: 3 rounds, pauses divided by 10, nothing is claimed")
    lacks(report(ORDINARY), "quick run")
  end)

  it("says of an interrupted run that it is partial", function()
    local function partial(document) document.partial = true end
    has(report(ORDINARY, nil, partial), "PARTIAL: interrupted after 5 samples")
    has(report({}, nil, partial), "PARTIAL: interrupted after 0 samples")
  end)

  it("shows medians below the clock's step as such, and makes no ratio of them", function()
    local written <const> = report(samples({ { 0, 9, 9, 9 } }, { { 400, 0, 0, 0 } }))
    has(written,
      "natural    < step       2   < step",
      "warm          400       0   < step",
      "< step: below the clock's step of 10 ns, no ratio is made of it",
      "natural      -        -            -")
    lacks(report(ORDINARY), "step of")
  end)

  it("names the medians that the clock itself dominates, below 10 readings of it", function()
    has(report(samples({ { 900, 199, 199, 199 } }, { { 200, 200, 200, 200 } })),
      "dominated by the clock, below 10 readings of it (200 ns): late of 'natural'")
    has(report(samples({ { 150, 150, 150, 150 } }, { { 100, 300, 300, 300 } })),
      "dominated by the clock, below 10 readings of it (200 ns): first of all arms;"
        .. " late of 'natural'")
    lacks(report(samples({ { 200, 200, 200, 200 } })), "dominated")
  end)

  it("says when the clock's step or cost is unknown", function()
    local written <const> = report(ORDINARY, nil, function(document)
      document.clock.step_ns, document.clock.read_ns = nil, nil
      document.clock.step_ns_why = "clock too coarse: no two readings differed"
    end)
    has(written, "clock CLOCK_MONOTONIC from the vDSO: unknown a reading, steps of unknown",
      "the clock's step is unknown: clock too coarse: no two readings differed")
  end)

  it("says when the clock ran backwards", function()
    has(report(ORDINARY, nil, function(document) document.clock.backward_steps = 3 end),
      "the clock ran backwards 3 times while it was looked at")
    lacks(report(ORDINARY), "backwards")
  end)

  it("names broken readings beside the medians", function()
    local written <const> = report(samples({ { -30000, 120, -1, 120 } },
      { { 400, 200, 200, 200 } }))
    has(written, "broken readings, below 0: 2 in arm 'natural'")
    assert.is_true(written:find("broken", 1, true) < written:find("Times late", 1, true))
    lacks(report(ORDINARY), "broken")
  end)

  it("makes no ratio to 0, nor to a broken reading", function()
    local fields <const> = { ratios = { of = { "first" }, to = "late" } }
    local list <const> = samples({ { 900, -50, -50, -50 } }, { { 900, 0, 0, 0 } })
    for _, step in ipairs { 10, false } do
      has(report(list, fields, function(document)
        document.clock.step_ns, document.clock.step_ns_why = step or nil, not step and "why" or nil
      end), "natural      -            -", "warm         -            -",
        "natural       900       2      -50")
    end
  end)

  it("says of every lost sample what became of it, the same ones together", function()
    local gone <const> = fakes.lost("warm", 2, "killed by SIGKILL")
    gone.stopped_in = "phase 'timed'"
    local list <const> = { fakes.lost("warm", 3, "not started: execve: No such file or directory"),
      fakes.lost("warm", 1, "not started: execve: No such file or directory"), gone,
      table.unpack(samples { { 900, 130, 110, 120 } }) }
    has(report(list), "Samples lost: 3 of 4",
      "  warm: not started: execve: No such file or directory (rounds 1, 3)",
      "  warm: killed by SIGKILL, in phase 'timed' (round 2)",
      "warm            -       -        -",
      "warm            -         -           -  0, 3 lost")
  end)
end)

describe("processes that stand apart", function()
  local rule <const> = { apart = { metric = "late", above = 1.5 } }

  it("are named with their times in one unit", function()
    has(report(samples { { 9, 1, 100, 1 }, { 9, 1, 999000, 1 }, { 9, 1, 1100000, 1 },
      { 9, 1, 100, 1 }, { 9, 1, 100, 1 } }, { apart = { metric = "third", above = 1.5 }, rounds = 5,
      metrics = { fr.metric "third" { at = 3 } }, ratios = false }),
      "  natural: 2, 999.0 µs (round 2), 1100.0 µs (round 3)")
  end)


  it("are named, with their values and rounds", function()
    has(report(samples({ { 900, 100, 100, 100 }, { 900, 100, 100, 100 }, { 900, 120, 120, 120 } },
      { { 900, 600, 600, 600 }, { 900, 100, 100, 100 }, { 900, 170, 170, 170 } }), rule),
      "Processes that stand apart, with late above 1.5 times the median over all arms (110 ns):",
      "  warm: 2, 600 ns (round 1), 170 ns (round 3)")
  end)

  it("are denied when there are none", function()
    has(report(ORDINARY, rule),
      "No process stands apart: none has late above 1.5 times the median over all arms (150 ns).")
    lacks(report(ORDINARY), "stand")
  end)

  it("are not judged by a median of 0", function()
    has(report(samples({ { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, { 0, 500, 500, 500 } }), rule),
      "No verdict on processes that stand apart: they have late above 1.5 times the median over"
        .. " all arms (0 ns).")
  end)
end)

describe("a split in a report", function()
  local function splits(per)
    return { splits = { fr.split "where it goes" {
      whole = { "natural", "first" }, per = per,
      fr.part "faults" { { "natural", "first" }, less = { "warm", "first" } },
      fr.part "rest" { { "warm", "first" } },
    } } }
  end
  local function six(ns)
    local list <const> = {}
    for round = 1, 6 do list[round] = { ns + round, 200, 200, 200 } end
    return list
  end

  it("has every part with its share and interval, and what medians leave", function()
    local fields <const> = splits "faults"
    fields.rounds = 6
    -- natural 1001 … 1006, warm 401 … 406: 600 in every round.
    has(report(samples(six(1000), six(400)), fields),
      "where it goes: first of natural, per round; medians, with 95 % intervals",
      "part                            ns      interval   share          interval",
      "whole                         1004  [1001, 1006]",
      "faults                         600    [600, 600]  59.8 %  [59.6 %, 59.9 %]",
      "rest                           404    [401, 406]  40.2 %  [40.1 %, 40.4 %]",
      "remainder that medians leave     0                 0.0 %",
      "faults: 300 ns for each of the faults, interval [300 ns, 300 ns]")
  end)

  it("says that there are too few rounds for an interval", function()
    has(report(ORDINARY, splits()), "no 95 % interval below 6 values")
  end)

  it("is not shown without its arms, or without their samples", function()
    local natural_only <const> = splits()
    natural_only.arms = fr.modes { "natural" }
    has(report(samples { { 900, 200, 200, 200 } }, natural_only),
      "where it goes: not shown, arm 'warm' was not run")
    has(report({ fakes.lost("natural", 1, "timed out"), fakes.sample("warm", 1, { 1, 1, 1, 1 }) },
      splits()), "where it goes: not shown, no round has all of its samples")
  end)

  it("has no shares of a whole that is 0", function()
    local written <const> = report(samples({ { 0, 200, 200, 200 } }, { { 0, 200, 200, 200 } },
      { 0 }), splits "faults")
    has(written, "faults                         0         -      -         -",
      "remainder that medians leave   0                -")
  end)
end)

describe("--detail", function()
  it("has one line for each process, in the order in which they ran, and its iterations", function()
    local list <const> = { fakes.sample("warm", 1, { 40, 20, 21, 22 }, 0, 7000),
      fakes.sample("natural", 1, { 900, 130, 110, 120 }, 2, 5000),
      fakes.lost("warm", 2, "timed out") }
    local document <const> = fakes.document(experiment { detail = { 1, 4, 9 } }, list)
    assert.equal([[

Every process, in the order in which they ran
warm                 round  1  first        40 ns  faults   0  late        21 ns
  iteration  1:        40 ns     0 page faults
  iteration  4:        22 ns     0 page faults
natural              round  1  first       900 ns  faults   2  late       120 ns
  iteration  1:       900 ns     2 page faults
  iteration  4:       120 ns     0 page faults
warm                 round  2  first -  faults -  late -  timed out
]], (detail_report(document):gsub("  process [%s%d]- ns\n", "\n"):gsub("  process %-", "")))
    assert.matches("\nwarm .*  process +7000 ns\n", detail_report(document))
  end)

  it("names the phase of an iteration where there are several", function()
    local sample <const> = fakes.sample("natural", 1, { 900, 130, 110, 120 }, 2)
    sample.phases[2] = { phase = "again", ns = require "frlua.core".series { 70 },
      minor_faults = {}, major_faults = {} }
    has(detail_report(fakes.document(experiment { detail = { 1 } }, { sample })),
      "  timed, iteration  1:       900 ns     2 page faults",
      "  again, iteration  1:        70 ns     0 page faults")
  end)
end)
