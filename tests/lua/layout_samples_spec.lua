local core <const> = require "frlua.core"
local errno <const> = require "posix.errno"
local evidence <const> = require "frlua.evidence"
local fakes <const> = require "fakes"
local fr <const> = require "frlua"
local job <const> = require "frlua.job"
local run <const> = require "frlua.run"
local sweep <const> = require "frlua.report.sweep"

local sizes <const> = fr.geometry { line = 64, sets = 64 }
local page <const>, line <const> = sizes.page_bytes, sizes.line_bytes
local SILENT <const> = { before = function() end, after = function() end }

local function made(fields)
  local all <const> = {
    sweep = { lines = { 8, 32 } },
    arms = {
      fr.arm "packed" { layout = fr.layout { gap = line, geometry = sizes } },
      fr.arm "spread" { layout = fr.layout { gap = page, off = line, geometry = sizes } },
    },
    timed = fr.chase {}, rounds = 3, metrics = { fr.metric "walk" { at = 1, per = "load" } },
  }
  for name, value in pairs(fields or {}) do all[name] = value or nil end
  return fr.experiment "x" (all)
end

local function samples_of(experiment, options)
  local design <const> = assert(run.design(experiment, options or {}))
  return run.samples(experiment, design, SILENT), design
end

local function one_arm(layout)
  layout.geometry = sizes
  return made { sweep = false, rounds = 1, arms = { fr.arm "a" { layout = fr.layout(layout) } } }
end

describe("a sample with a layout", function()
  it("has what its addresses were counted to be, as the design has it", function()
    local experiment <const> = made()
    local regions <const> = {}
    for _, region in ipairs(experiment.regions) do regions[region.name] = region end
    for _, sample in ipairs((samples_of(experiment))) do
      assert.same({ "ok", 1 }, { sample.status, #sample.evidence.layouts })
      local found <const> = sample.evidence.layouts[1]
      assert.equal(sample.arm, found.region)
      for key, count in pairs(regions[sample.arm].layout.audit) do
        assert.equal(count, found[key])
      end
      assert.equal(sample.params.lines, found.slots)
    end
  end)

  it("has its round's seed, which is that of all arms and of no other round", function()
    local seed_of <const>, round_of <const> = {}, {}
    local samples <const>, design <const> = samples_of(made(), { seed = 11 })
    for _, sample in ipairs(samples) do
      local seed <const> = sample.evidence.layouts[1].seed
      assert.equal(seed_of[sample.round] or seed, seed)
      assert.equal(round_of[seed] or sample.round, sample.round)
      seed_of[sample.round], round_of[seed] = seed, sample.round
    end
    assert.same({ 3, 11 }, { #seed_of, design.seed })
    assert.equal(seed_of[1], samples_of(made(), { seed = 11 })[1].evidence.layouts[1].seed)
  end)

  it("has its chain linked by the seed that it says", function()
    local original <const>, given <const> = core.sample, {}
    stub(core, "sample", function(plain, ...)
      given[#given + 1] = plain.regions[1].chain_seed
      return original(plain, ...)
    end)
    local tried <const> = table.pack(pcall(samples_of, made()))
    core.sample:revert()
    assert(table.unpack(tried))
    for index, sample in ipairs(tried[2]) do
      assert.equal(given[index], sample.evidence.layouts[1].seed)
    end
  end)

  it("has the script's seed in all rounds where it gives one", function()
    local given <const> = one_arm { lines = 8, gap = page, seed = 5 }
    for _, sample in ipairs((samples_of(given, { rounds = 3 }))) do
      assert.equal(5, sample.evidence.layouts[1].seed)
    end
  end)

  it("has what the page table maps, of the layout's region", function()
    for _, sample in ipairs((samples_of(one_arm { lines = 32, gap = page, off = line }))) do
      local found <const> = sample.evidence.page_tables[1]
      assert.equal("a", found.region)
      if found.why then pending(found.why) end
      assert.same({ 32 * page, 0 }, { found.present_bytes, found.huge_bytes })
    end
  end)

  it("takes no faults while it is timed", function()
    if fakes.is_sanitized then pending "a sanitizer takes faults of its own" end
    for _, sample in ipairs((samples_of(made()))) do
      assert.equal(0, #sample.phases[1].minor_faults)
    end
  end)
end)

describe("the job of a layout", function()
  local function region_of(layout)
    local experiment <const> = one_arm(layout)
    return job.plain(experiment.arms[1], experiment.regions).regions[1]
  end

  it("has its offsets, order and groups", function()
    local random <const> = region_of { lines = 4, gap = page, off = line, wrap = 3 }
    local offsets <const> = {}
    for index = 1, #random.layout do offsets[index] = random.layout[index] end
    assert.same({ 0, page + line, 2 * page + 2 * line, 3 * page }, offsets)
    assert.same({ 0 }, { random.chain_is_sequential, random.chain_group })
    assert.equal(1, region_of({ lines = 4, gap = page, order = "sequential" }).chain_is_sequential)
    assert.equal(page // line, region_of({ lines = 99, gap = line, within = "page" }).chain_group)
  end)

  it("starts its chase at line 0", function()
    local experiment <const> = one_arm {
      lines = 4, addr = function(i) return (4 - i) * page end,
    }
    local plain <const> = job.plain(experiment.arms[1], experiment.regions)
    assert.equal(4 * page, plain.phases[1].ops[1].value)
  end)
end)

describe("a sample whose audit contradicts its layout", function()
  local experiment <const> = one_arm { lines = 32, gap = page, off = line }

  -- The status of a sample whose audit, or other parts of its outcome, are these.
  local function status(audit, changes)
    local counted <const> = {}
    for key, value in pairs(experiment.regions[1].layout.audit) do counted[key] = value end
    for key, value in pairs(audit) do counted[key] = value end
    local outcome <const> = { error = 0, stage = "done", audits = { counted }, error_region = 1 }
    for key, value in pairs(changes or {}) do outcome[key] = value end
    local exit_status <const> = outcome.error == 0 and 0 or 1
    return run.status_of(outcome, { how = "exited", exit_status = exit_status },
      experiment.arms[1], experiment.regions)
  end

  it("is lost, with both numbers", function()
    assert.equal("ok", status {})
    assert.equal("the layout of 'a': asked for 32 pages, touched 16", status { pages = 16 })
    assert.equal("the layout of 'a': asked for 1 fullest_set, touched 32",
      status { fullest_set = 32, used_sets = 1 })
  end)

  it("is lost before it is timed where its chain is broken, and says how", function()
    local refused <const> = { error = errno.EILSEQ, stage = "map" }
    assert.equal("the layout of 'a': the chain is no cycle of 32 lines",
      status({ fault = "no cycle" }, refused))
    assert.equal("the layout of 'a': after 2 loads the chain is at byte 12, misaligned",
      status({ fault = "misaligned", fault_slot = 3, fault_address = 12 }, refused))
    assert.matches("^refused: ENOMEM for region 'a' of ",
      status({}, { error = errno.ENOMEM, stage = "map" }))
  end)

  it("is lost when a real worker finds other pages than the design has", function()
    local design <const> = assert(run.design(experiment, {}))
    local audit <const> = experiment.regions[1].layout.audit
    audit.pages = 31
    local sample <const> = run.samples(experiment, design, SILENT)[1]
    audit.pages = 32
    assert.equal("the layout of 'a': asked for 31 pages, touched 32", sample.status)
  end)
end)

describe("evidence of a page table", function()
  it("that could not be read is the reason", function()
    local experiment <const> = one_arm { lines = 8, gap = page }
    local plain <const> = job.plain(experiment.arms[1], experiment.regions, fr.clock.id)
    local outcome <const> = assert(core.sample(plain, core.allowed_cpus()[1], 60000000000))
    outcome.tables = { { error = errno.EPERM } }
    local found <const> = evidence.of_sample(outcome, experiment.arms[1], experiment.regions)
    assert.is_nil(found.page_tables[1].present_bytes)
    assert.matches("EPERM", found.page_tables[1].why)
  end)

  it("is none of regions without a layout", function()
    local sample <const> = run.samples(fakes.experiment { rounds = 1 },
      assert(run.design(fakes.experiment(), { rounds = 1 })), SILENT)[1]
    assert.same({}, { sample.evidence.page_tables, sample.evidence.layouts })
  end)
end)

describe("the report of layouts", function()
  local function lines_of(experiment)
    local samples <const>, design <const> = samples_of(experiment)
    return sweep.layouts(fakes.document(experiment, samples, design))
  end

  it("has what was counted, over all values and rounds, and where the sizes are from", function()
    local lines <const> = lines_of(made())
    assert.equal("Layouts, counted from the addresses in every sample", lines[2])
    assert.matches("^packed +8%.%.32 +8%.%.32 +1 .* 8%.%.32 +1 +6$", lines[4])
    assert.matches("^spread +8%.%.32 +8%.%.32 +8%.%.32 ", lines[5])
    assert.equal(require "frlua.geometry".text(sizes), lines[6])
    assert.is_nil(lines[7])
  end)

  it("says of one line that its chain is a loop of one", function()
    local lines <const> = lines_of(one_arm { lines = 1, gap = page })
    assert.equal("a: one line: its chain is a loop of one", lines[5])
    assert.is_nil(table.concat(lines_of(one_arm { lines = 2, gap = page })):find "loop of one")
  end)

  it("is none without layouts", function()
    assert.same({}, lines_of(fakes.experiment { rounds = 1 }))
  end)
end)
