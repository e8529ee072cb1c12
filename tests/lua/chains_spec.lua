local core <const> = require "frlua.core"
local fakes <const> = require "fakes"
local fr <const> = require "frlua"
local job <const> = require "frlua.job"
local told <const> = require "sessions".told

local page <const> = fr.machine.page_bytes
local SLOT <const> = 64

-- An experiment whose regions are "buffer", 16 pages of it, and "linked", a page and an odd rest.
local HEAD <const> = ([[
local regions = { fr.region "buffer" { bytes = %d },
  fr.region "linked" { bytes = %d, chain = %d } }
return fr.experiment "x" { regions = regions, metrics = { fr.metric "walk" { at = 1 } },
]]):format(16 * page, page + SLOT + 7, SLOT)

local function experiment_of(text)
  return assert(load("local fr = ...\n" .. HEAD .. text .. "}"))(fr)
end

-- The message of a refusal, which is that of the line where the experiment is named.
local function refusal(text)
  local message <const> = told(HEAD .. text .. "}")
  return (assert(message:match "^user%.lua:%d+: (.*)$", message))
end

-- Of an arm "a" with a phase "link" that is not timed, and a timed one, "walk".
local function refusal_of_arm(link, walk)
  return refusal(("arms = { fr.arm 'a' { fr.phase 'link' { %s, timed = false },"
    .. " fr.phase 'walk' { %s } } }"):format(link, walk))
end

local function outcome_of(experiment)
  local plain <const> = job.plain(experiment.arms[1], experiment.regions, fr.clock.id)
  return assert(core.sample(plain, core.allowed_cpus()[1], 60000000000)), plain
end

describe("chains of several lengths in one process", function()
  it("are each linked into one cycle, as long as they were asked for", function()
    local phases <const>, expected <const> = {}, {}
    for index, slots in ipairs { 1, 2, 64, 100, 16 * page // SLOT } do
      phases[#phases + 1] = fr.phase("link " .. index) {
        fr.link { "buffer", bytes = slots * SLOT, slot = SLOT, seed = index }, timed = false,
      }
      phases[#phases + 1] = fr.phase("walk " .. index) {
        fr.chase { "buffer", loads = 3 * slots }, iterations = 2,
      }
      expected[#expected + 1], expected[#expected + 2] = slots, 0 -- a chase links nothing
    end
    local outcome <const> = outcome_of(fr.experiment "x" {
      regions = { fr.region "buffer" { bytes = 16 * page } }, arms = { fr.arm "a" (phases) },
      metrics = { fr.metric "walk" { at = 1, phase = "walk 1" } },
    })
    local slots <const> = {}
    for index, op in ipairs(outcome.ops) do slots[index] = op.slots end
    assert.same(expected, slots)
    assert.same({ "done", 0 }, { outcome.stage, outcome.error })
    for index, readings in ipairs(outcome.phases) do
      assert.equal(index % 2 == 0 and 2 or nil, readings and #readings.ns or nil)
    end
  end)

  it("have no part of a slot that does not fit", function()
    for bytes, slots in pairs { [page + 7] = page // SLOT, [page - 1] = page // SLOT - 1 } do
      local made <const> = experiment_of(("arms = { fr.arm 'a' { fr.phase 'link' { fr.link {"
        .. " 'buffer', bytes = %d, slot = %d }, timed = false }, fr.phase 'walk' { fr.chase {"
        .. " 'buffer', loads = 1 } } } }"):format(bytes, SLOT))
      assert.equal(slots, outcome_of(made).ops[1].slots)
    end
    local outcome <const>, plain <const> = outcome_of(experiment_of
      "arms = { fr.arm 'a' { fr.phase 'walk' { fr.chase 'linked' } } }")
    assert.equal(page // SLOT + 1, plain.phases[1].ops[1].amount)
    assert.equal("done", outcome.stage)
  end)
end)

describe("fr.link", function()
  it("says how a chain is linked", function()
    local op <const> = fr.link { "buffer", bytes = "64 KiB", slot = "page", within = { pages = 4 },
      order = "sequential", seed = 5 }
    assert.same({ 65536, "page", 4, "sequential", 5 },
      { op.bytes, op.slot, op.within_pages, op.order, op.seed })
    local plain <const> = fr.link { "buffer", bytes = 4096 }
    assert.same({ "line", nil, "random", 0 },
      { plain.slot, plain.within_pages, plain.order, plain.seed })
    assert.equal(1, fr.link { "buffer", bytes = 4096, within = "page" }.within_pages)
  end)

  it("becomes slots and groups of them for the worker", function()
    local made <const> = experiment_of(("arms = { fr.arm 'a' { fr.phase 'link' { fr.link {"
      .. " 'buffer', bytes = %d, slot = %d, within = { pages = 2 }, order = 'sequential', seed = 9"
      .. " }, timed = false }, fr.phase 'walk' { fr.chase { 'buffer', loads = 8 } } } }"):format(
      8 * page, SLOT))
    local op <const> = job.plain(made.arms[1], made.regions).phases[1].ops[1]
    assert.same({ 8 * page // SLOT, SLOT, 2 * page // SLOT, 9, 1 },
      { op.amount, op.stride, op.mul, op.value, op.flags })
  end)

  it("is refused with what it lacks, or has too much of", function()
    for fields, message in pairs {
      ["{ 'buffer' }"] = "bytes in fr.link must be a whole number of bytes",
      ["{ 'buffer', bytes = 0 }"] = "bytes in fr.link must be a whole number of bytes",
      ["{ bytes = 4096 }"] = "the region of fr.link must be a text that is not empty, not nil",
      ["{ 'buffer', bytes = 4096, within = 'pgae' }"] =
        "unknown within 'pgae' in fr.link: did you mean 'page'?",
      ["{ 'buffer', bytes = 4096, within = { pages = 0 } }"] =
        "pages of within in fr.link must be a whole number from 1 to 2147483648, not 0",
      ["{ 'buffer', bytes = 4096, order = 'randm' }"] =
        "unknown order 'randm' in fr.link: did you mean 'random'?",
      ["{ 'buffer', bytes = 4096, seed = -1 }"] =
        "seed in fr.link must be a whole number of at least 0, not -1",
      ["{ 'buffer', byte = 4096 }"] = "unknown key 'byte' in fr.link: did you mean 'bytes'?",
    } do
      local text <const> = told("\nfr.link " .. fields)
      assert.equal(1, (text:find("user.lua:3: " .. message, 1, true)), text)
    end
  end)

  it("is refused where a region has no room for its slots, or they hold no pointer", function()
    local where <const>, walk <const> = "fr.link in phase 'link' of arm 'a' in fr.experiment 'x' ",
      "fr.chase { 'buffer', loads = 1 }"
    assert.equal(("%slinks %d bytes of region 'buffer', which has %d"):format(where, 16 * page + 1,
      16 * page),
      refusal_of_arm(("fr.link { 'buffer', bytes = %d }"):format(16 * page + 1), walk))
    assert.equal(("%shas no room for one slot of 64 bytes in 63"):format(where),
      refusal_of_arm("fr.link { 'buffer', bytes = 63, slot = 64 }", walk))
    for _, slot in ipairs { 4, 12 } do
      assert.equal(("%shas slots of %d bytes: expected a multiple of 8, the size of a pointer")
        :format(where, slot),
        refusal_of_arm(("fr.link { 'buffer', bytes = 4096, slot = %d }"):format(slot), walk))
    end
  end)

  it("is never in a timed phase", function()
    local link <const> = "fr.link { 'buffer', bytes = 4096 }"
    assert.equal("fr.link in fr.phase 'walk' is for phases that are not timed",
      refusal_of_arm("fr.write 'buffer'", link))
    assert.equal("fr.link in phase 'timed' of arm 'natural' in fr.experiment 'x' is for phases that"
      .. " are not timed", refusal("arms = fr.modes { 'natural' }, timed = " .. link))
    assert.equal("fr.link in phase 'timed' of arm 'a' in fr.experiment 'x' is for phases that are"
      .. " not timed", refusal("arms = { fr.arm 'a' { layout = fr.layout { lines = 8, gap = 4096 }"
        .. " } }, timed = { fr.chase {}, " .. link .. " }"))
  end)

  it("may be a step of a mode", function()
    local made <const> = experiment_of("arms = fr.modes { 'ready' }, steps = { fr.step 'ready' {"
      .. " fr.link { 'buffer', bytes = 4096, slot = 64 } } }, timed = fr.chase { 'buffer', loads ="
      .. " 64 }")
    assert.equal(64, outcome_of(made).ops[1].slots)
  end)
end)

describe("fr.chase", function()
  it("is refused without a region where there is no layout", function()
    assert.equal("fr.chase in phase 'walk' names no region: only where arms have layouts it can do"
      .. " without", refusal_of_arm("fr.write 'buffer'", "fr.chase {}"))
    assert.matches("^fr%.chase in timed in fr%.experiment 'x' names no region",
      refusal "arms = fr.modes { 'natural' }, timed = fr.chase {}")
  end)

  it("is refused where nothing has linked a chain before", function()
    local message <const> = "fr.chase in phase 'walk' of arm 'a' in fr.experiment 'x' follows a"
      .. " chain in region 'buffer', which has none: give it chain = 'line', or link it before"
    assert.equal(message, refusal_of_arm("fr.write 'buffer'", "fr.chase 'buffer'"))
    assert.equal(message, refusal_of_arm("fr.write 'buffer'",
      "fr.chase { 'buffer', loads = 8 }"))
    assert.matches("^fr.chase in phase 'link' .* which has none", refusal_of_arm(
      "fr.chase { 'buffer', loads = 8 }, fr.link { 'buffer', bytes = 4096 }", "fr.chase 'linked'"))
  end)

  it("needs loads where fr.link has made the chain", function()
    assert.equal("fr.chase in phase 'walk' of arm 'a' in fr.experiment 'x' needs loads: the chain"
      .. " of region 'buffer' is one of fr.link",
      refusal_of_arm("fr.link { 'buffer', bytes = 4096 }", "fr.chase 'buffer'"))
  end)

  it("takes whole numbers of loads, 1 or more", function()
    assert.equal(64, fr.chase { "linked", loads = 64.0 }.loads)
    for value, shown in pairs { ["0"] = "0", ["1.5"] = "1.5", ["'x'"] = "'x'" } do
      assert.equal("user.lua:2: loads in fr.chase must be a whole number from 1 to 1099511627776,"
        .. " not " .. shown, told(("fr.chase { 'b', loads = %s }"):format(value)))
    end
  end)

  it("goes once around the layout of another arm", function()
    local made <const> = experiment_of("arms = { fr.arm 'a' { layout = fr.layout { lines = 8, gap ="
      .. " 4096 } }, fr.arm 'b' { layout = fr.layout { lines = 4, gap = 4096 } } },"
      .. " timed = fr.chase 'a'")
    local loads <const> = job.plain(made.arms[2], made.regions).phases[1].ops[1].amount
    assert.equal(8, loads)
  end)
end)

describe("a region", function()
  it("has no chain of slots that hold no pointer, or none at all", function()
    local text <const> = "\nreturn fr.experiment 'x' { regions = { fr.region 'b' { bytes = 32,"
      .. " chain = %d } }, arms = { fr.arm 'a' { fr.phase 'p' { fr.chase 'b' } } } }"
    local where <const> = "user.lua:3: the chain of region 'b' in fr.experiment 'x' has "
    assert.equal(where .. "slots of 12 bytes: expected a multiple of 8, the size of a pointer",
      told(text:format(12)))
    assert.equal(where .. "no room for one slot of 64 bytes in 32", told(text:format(64)))
  end)

  it("has another name than an arm with a layout, whose region has the arm's", function()
    assert.equal("fr.experiment 'x' has both a region and an arm with a layout named 'buffer'",
      refusal("arms = { fr.arm 'buffer' { layout = fr.layout { lines = 8, gap = 4096 } } },"
        .. " timed = fr.chase {}"))
  end)
end)

describe("a phase that is not timed", function()
  it("runs once, and has no readings", function()
    local phase <const> = fr.phase "p" { fr.write "buffer", timed = false }
    assert.same({ false, 1 }, { phase.timed, phase.iterations })
    assert.is_true(fr.phase "p" { fr.write "buffer" }.timed)
    local outcome <const> = outcome_of(experiment_of("arms = { fr.arm 'a' { fr.phase 'p' { fr.write"
      .. " 'buffer', timed = false }, fr.phase 'walk' { fr.write 'buffer' } } },"))
    assert.is_false(outcome.phases[1])
    assert.equal(1, #outcome.phases[2].ns)
    if fakes.is_sanitized then pending "a sanitizer takes faults of its own" end
    assert.same({}, outcome.phases[2].minor_faults) -- all of its pages are there by then
  end)

  it("takes no iterations, and is told by true or false", function()
    assert.equal("user.lua:2: fr.phase 'p' is not timed, and runs once: it goes without iterations",
      told "fr.phase 'p' { fr.write 'b', timed = false, iterations = 2 }")
    assert.equal("user.lua:2: timed in fr.phase 'p' must be true or false, not 1",
      told "fr.phase 'p' { fr.write 'b', timed = 1 }")
  end)

  it("is none that a metric could be taken from", function()
    assert.matches("unknown phase 'link' in metric 'm'", told("return fr.experiment 'x' { regions ="
      .. " { fr.region 'b' { bytes = 8 } }, arms = { fr.arm 'a' { fr.phase 'link' { fr.write 'b',"
      .. " timed = false }, fr.phase 'walk' { fr.write 'b' } } }, metrics = { fr.metric 'm' {"
      .. " phase = 'link', at = 1 } } }"))
  end)
end)
