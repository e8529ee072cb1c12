local core <const> = require "frlua.core"
local cpus <const> = require "frlua.cpus"
local fakes <const> = require "fakes"
local fr <const> = require "frlua"
local plan <const> = require "frlua.plan"
local run <const> = require "frlua.run"

local SILENT <const> = { before = function() end, after = function() end }

local function design_of(experiment, options)
  return assert(run.design(experiment, options or {}))
end

local function samples_of(fields, options)
  local experiment <const> = fakes.experiment(fields)
  return run.samples(experiment, design_of(experiment, options), SILENT)
end

-- Calls `body` while functions of the core are replaced.
local function with_core(replaced, body)
  local originals <const> = {}
  for name, stand_in in pairs(replaced) do originals[name], core[name] = core[name], stand_in end
  local ok <const>, message <const> = pcall(body)
  for name, original in pairs(originals) do core[name] = original end
  assert(ok, message)
end

describe("the design of a run", function()
  local experiment <const> = fakes.experiment { rounds = 12 }

  it("has the experiment's rounds, a chosen CPU, a minute for each sample", function()
    local design <const> = design_of(experiment)
    assert.same({ 12, 60000000000, 1 },
      { design.rounds, design.time_limit_ns, design.pause_divisor })
    assert.equal((cpus.choose()), design.cpu)
    assert.equal("integer", math.type(design.time_limit_ns))
    assert.equal("string", type(design.cpu_why))
  end)

  it("has an order that its seed reproduces", function()
    local design <const> = design_of(experiment)
    assert.same(plan.order(2, 12, design.seed), design.order)
    assert.same(design.order, design_of(experiment, { seed = design.seed }).order)
    assert.equal(12, #design.order)
  end)

  it("draws a new seed for every run", function()
    assert.not_equal(design_of(experiment).seed, design_of(experiment).seed)
    assert.is_true(design_of(experiment).seed >= 0)
  end)

  it("follows the options", function()
    local design <const> = design_of(experiment, { rounds = 4, seed = 9, time_limit = 0.25 })
    assert.same({ 4, 9, 250000000 }, { design.rounds, design.seed, design.time_limit_ns })
    local quick <const> = design_of(experiment, { quick = true })
    assert.same({ 3, 10 }, { quick.rounds, quick.pause_divisor })
    assert.equal(5, design_of(experiment, { quick = true, rounds = 5 }).rounds)
  end)

  it("is none on a CPU that is not allowed", function()
    local design <const>, why <const> = run.design(experiment, { cpu = 65535 })
    assert.is_nil(design)
    assert.matches("^CPU 65535 .*; allowed are ", why)
  end)
end)

describe("a run", function()
  it("takes every sample in the planned order, and says where each was", function()
    local experiment <const> = fakes.experiment()
    local design <const> = design_of(experiment)
    local samples <const>, interrupted <const> = run.samples(experiment, design, SILENT)
    assert.is_false(interrupted)
    assert.equal(6, #samples)
    for number, sample in ipairs(samples) do
      local round <const>, position <const> = (number - 1) // 2 + 1, (number - 1) % 2 + 1
      local arm <const> = experiment.arms[design.order[round][position]]
      assert.same({ arm.name, round, position, design.cpu, "ok" },
        { sample.arm, sample.round, sample.position, sample.cpu, sample.status })
      assert.is_nil(sample.stopped_in)
    end
  end)

  it("tells the progress before and after every sample", function()
    local told <const> = {}
    local experiment <const> = fakes.experiment { rounds = 2, arms = fr.modes { "natural" } }
    run.samples(experiment, design_of(experiment), {
      before = function(arm, round) told[#told + 1] = ("%s %d"):format(arm, round) end,
      after = function(arm) told[#told + 1] = arm end,
    })
    assert.same({ "natural 1", "natural", "natural 2", "natural" }, told)
  end)

  it("pins each fresh process to the CPU of the design", function()
    for _, cpu in ipairs(assert(cpus.allowed())) do
      local seen <const> = {}
      for _, sample in ipairs(samples_of({ rounds = 2 }, { cpu = cpu })) do
        assert.same({ cpu, cpu, cpu },
          { sample.cpu, sample.process.cpu_before, sample.process.cpu_after })
        assert.is_nil(seen[sample.process.pid])
        seen[sample.process.pid] = true
      end
    end
  end)

  it("reads back what became of the regions, and what else the process took", function()
    if fakes.is_sanitized then pending "a sanitizer takes faults of its own" end
    local page <const> = fr.machine.page_bytes
    local buffer <const> = fr.region "buffer" { bytes = 6 * page, advise = "nohugepage" }
    for _, sample in ipairs(samples_of { regions = { buffer } }) do
      local region <const> = sample.evidence.regions[1]
      assert.same({ "buffer", 6 * page, 6 * page, 0 }, { region.region, region.bytes,
        region.resident_bytes, region.anon_huge_bytes })
      local timed <const> = sample.phases[#sample.phases]
      assert.equal(4, #timed.ns)
      assert.same(sample.arm == "natural" and { { 1, 6 } } or {},
        { table.unpack(timed.minor_faults) })
      assert.is_true(sample.process.minor_faults >= 6)
      assert.is_true(sample.process.wall_ns > timed.ns[1])
      assert.is_true(sample.process.rusage.minor_faults > 6)
    end
  end)

  it("shortens the pauses of a quick run", function()
    local original <const>, amounts <const> = core.sample, {}
    with_core({
      sample = function(plain, ...)
        amounts[#amounts + 1] = plain.phases[1].ops[1].amount
        return original(plain, ...)
      end,
    }, function()
      local fields <const> = { arms = fr.modes { "natural" }, timed = { fr.sleep { ms = 5 } } }
      samples_of(fields, { quick = true, rounds = 1 })
      samples_of(fields, { rounds = 1 })
    end)
    assert.same({ 500000, 5000000 }, amounts)
  end)

  it("stops at an interrupt, and keeps the samples before it", function()
    local taken = 0
    with_core({ interrupted = function() return taken >= 3 end }, function()
      local experiment <const> = fakes.experiment()
      local samples <const>, interrupted <const> = run.samples(experiment, design_of(experiment),
        { before = function() taken = taken + 1 end, after = function() end })
      assert.is_true(interrupted)
      assert.equal(2, #samples)
    end)
  end)
end)

describe("a sample that is lost", function()
  local natural <const> = { rounds = 1, arms = fr.modes { "natural" } }

  local function lost(changes, options)
    local fields <const> = {}
    for name, value in pairs(natural) do fields[name] = value end
    for name, value in pairs(changes) do fields[name] = value end
    return samples_of(fields, options)[1]
  end

  -- Asserts which of what a worker counts is unknown, and says so.
  local function assert_unknown(expected, sample)
    local unknown <const> = {}
    for _, name in ipairs { "cpu_before", "cpu_after", "minor_faults", "major_faults",
      "voluntary_switches", "involuntary_switches" } do
      if sample.process[name] == nil then
        unknown[#unknown + 1] = name
        assert.equal("the sample did not come to its end", sample.process[name .. "_why"])
      else
        assert.is_nil(sample.process[name .. "_why"])
      end
    end
    assert.same(expected, unknown)
    assert.is_nil(sample.evidence.checksum)
    assert.equal("the sample did not come to its end", sample.evidence.checksum_why)
  end

  it("before its phases has no CPU and no counts, rather than none of them", function()
    assert_unknown({ "cpu_before", "cpu_after", "minor_faults", "major_faults",
      "voluntary_switches", "involuntary_switches" },
      lost { regions = { fr.region "buffer" { bytes = 1 << 50 } } })
  end)

  it("amid its phases has the CPU where it began", function()
    assert_unknown({ "cpu_after", "minor_faults", "major_faults", "voluntary_switches",
      "involuntary_switches" }, lost({ timed = { fr.sleep { ms = 60000 } } }, { time_limit = 0.1 }))
  end)

  it("for a region that is too large has the errno, and the region's name and size", function()
    for _, bytes in ipairs { 1 << 50, math.maxinteger } do
      local sample <const> = lost { regions = { fr.region "buffer" { bytes = bytes } } }
      assert.equal(("refused: ENOMEM for region 'buffer' of %d bytes"):format(bytes),
        sample.status)
      assert.equal("map", sample.stopped_in)
      assert.equal(0, #sample.phases[1].ns)
      assert.equal("the sample did not come to reading smaps", sample.evidence.regions_why)
      assert.equal(1, sample.process.exit_status)
    end
  end)

  it("for a region of a file, or of an alignment that can't be had, has that as well", function()
    local missing <const> = fr.region "buffer" { bytes = 4096, file = "/nowhere/file" }
    assert.equal("refused: ENOENT for region 'buffer' of 4096 bytes of '/nowhere/file'",
      lost { regions = { missing } }.status)
    local far <const> = fr.region "buffer" { bytes = 4096, align = 1 << 62 }
    assert.equal("refused: ENOMEM for region 'buffer' of 4096 bytes aligned to "
      .. "4611686018427387904", lost { regions = { far } }.status)
  end)

  it("at the end of a file names the file", function()
    local path <const> = os.tmpname()
    local page <const> = fr.machine.page_bytes
    local file <close> = assert(io.open(path, "w"))
    file:write(("x"):rep(page)):flush()
    local status <const> = lost {
      regions = { fr.region "buffer" { bytes = 3 * page, file = path } },
    }.status
    os.remove(path)
    assert.equal(("killed by SIGBUS; region 'buffer' of %d bytes of '%s': past the end of the file,"
      .. " or its disk is full"):format(3 * page, path), status)
  end)

  it("for an eviction that is too large says so", function()
    local sample <const> = lost { timed = { fr.evict { bytes = 1 << 50 } } }
    assert.equal("refused: ENOMEM for the evict buffer of 1125899906842624 bytes", sample.status)
  end)

  it("by its time limit has the readings of what it finished, and the phase", function()
    local sample <const> = lost({ timed = { fr.sleep { ms = 150 } }, iterations = 1000 },
      { time_limit = 1 })
    assert.equal("timed out", sample.status)
    assert.equal("phase 'timed'", sample.stopped_in)
    assert.is_true(#sample.phases[1].ns >= 1 and #sample.phases[1].ns <= 6)
    assert.equal("SIGKILL", sample.process.signal)
    local steps <const> = lost({ arms = fr.modes { "pause" },
      steps = { fr.step "pause" { fr.sleep { ms = 60000 } } } }, { time_limit = 0.1 })
    assert.equal("phase 'steps'", steps.stopped_in)
  end)

  it("because it could not be started says why, and has no process", function()
    with_core({ sample = function() return nil, "vfork: Cannot allocate memory", 12 end },
      function()
        local sample <const> = lost {}
        assert.equal("not started: vfork: Cannot allocate memory", sample.status)
        assert.is_nil(sample.process)
        assert.equal(0, #sample.phases)
        assert.same({ 1, 1, "natural" }, { sample.round, sample.position, sample.arm })
      end)
    with_core({ sample = function() return nil, "execve: Permission denied", 13 end }, function()
      assert.equal("not started: " .. core.root .. "/bin/frlua-worker: Permission denied",
        lost {}.status)
    end)
  end)

  it("by a signal, or by an exit status, says which", function()
    local original <const> = core.sample
    local function ended(changes)
      with_core({
        sample = function(...)
          local outcome <const>, finish <const> = original(...)
          for name, value in pairs(changes.outcome or {}) do outcome[name] = value end
          finish.exit_status = nil
          for name, value in pairs(changes.finish) do finish[name] = value end
          return outcome, finish
        end,
      }, function()
        local sample <const> = lost {}
        assert.same(changes.expected, { sample.status, sample.stopped_in })
      end)
    end
    ended { finish = { how = "killed", signal = 11 }, outcome = { stage = "phase" },
      expected = { "killed by SIGSEGV", "phase 'timed'" } }
    ended { finish = { how = "killed", signal = 9 }, outcome = { stage = "map" },
      expected = { "killed by SIGKILL", "map" } }
    ended { finish = { how = "killed", signal = 7 }, outcome = { stage = "read back" },
      expected = { "killed by SIGBUS", "read back" } }
    ended { finish = { how = "exited", exit_status = 2 }, outcome = { stage = "start" },
      expected = { "exit status 2", "start" } }
    ended { finish = { how = "exited", exit_status = 0 }, outcome = { stage = "phase" },
      expected = { "exit status 0", "phase 'timed'" } }
    ended { finish = { how = "exited", exit_status = 0 }, expected = { "ok" } }
  end)

  it("leaves the other samples as they are", function()
    local count = 0
    local original <const> = core.sample
    with_core({
      sample = function(...)
        count = count + 1
        if count == 2 then return nil, "vfork: Resource temporarily unavailable", 11 end
        return original(...)
      end,
    }, function()
      for number, sample in ipairs(samples_of {}) do
        assert.equal(number == 2 and "not started: vfork: Resource temporarily unavailable" or "ok",
          sample.status)
      end
    end)
    assert.equal(6, count)
  end)
end)

describe("an advice that the kernel refuses", function()
  it("is a hint that was not taken: the sample stands, and says so", function()
    local region <const> = fr.region "buffer" { bytes = 4096, advise = "remove" }
    local sample <const> = samples_of({ regions = { region }, rounds = 1 })[1]
    assert.equal("ok", sample.status)
    local refused <const> = sample.evidence.refused[1]
    assert.same({ "advise", "buffer", "EINVAL" }, { refused.op, refused.region, refused.error })
  end)
end)
