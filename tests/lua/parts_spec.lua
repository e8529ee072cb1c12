local conclusion <const> = require "frlua.report.conclusion"
local fakes <const> = require "fakes"
local fr <const> = require "frlua"
local json <const> = require "frlua.json"
local parts <const> = require "frlua.parts"
local processes <const> = require "frlua.report.processes"
local sessions <const> = require "sessions"
local timed_phases <const> = require "frlua.timed_phases"
local verify <const> = require "frlua.verify"

local told <const> = sessions.told

-- A worker, and commands that end well, badly and never begin.
local SCRIPT <const> = [[
return fr.experiment "starts" {
  regions = { fr.region "b" { bytes = "64 KiB" } },
  arms = {
    fr.arm "worker" { fr.phase "work" { fr.write "b" } },
    fr.arm "true" { command = { "true" } },
    fr.arm "fails" { command = { "sh", "-c", "exit 3" } },
    fr.arm "dies" { command = { "sh", "-c", "kill -KILL $$" } },
    fr.arm "missing" { command = { "/no/such/program" } },
  },
  rounds = 3,
  metrics = {
    fr.metric "load" { part = "exec_to_main" }, fr.metric "run" { part = "exec_to_exit_seen" },
    fr.metric "start" { part = "spawn_to_exec" }, fr.metric "work" { at = 1 },
  },
}
]]

local text

setup(function()
  sessions.open()
  local child <const> = sessions.run('"$1" "$2" --faults --json out.json >report.txt', SCRIPT)
  assert(child.exit_status == 3, child.stderr) -- samples were lost
  text = sessions.contents "out.json"
end)
teardown(sessions.close)

local function raw() return assert(json.decode(text)) end

local function statuses(document)
  local list <const> = {}
  for _, sample in ipairs(document.samples) do list[sample.arm] = sample.status end
  return list
end

local function sum(list)
  local total = 0
  for _, ns in pairs(list) do total = total + ns end
  return total
end

describe("the parts of a process", function()
  it("are between moments of one clock, and all of its wall time", function()
    local times <const> = { start_ns = 100, exec_ns = 130, exit_seen_ns = 900, reaped_ns = 1000 }
    local outcome <const> = { main_ns = 330, work_done_ns = 730, exit_ns = 780 }
    assert.same({ spawn_to_exec = 30, exec_to_main = 200, main_to_work_done = 400,
      work_done_to_exit = 50, exit_to_reaped = 220 }, parts.of_worker(times, outcome))
    assert.same({ spawn_to_exec = 30, exec_to_exit_seen = 770, exit_seen_to_reaped = 100 },
      parts.of_program(times))
  end)

  it("are unknown of a worker that did not come to its end", function()
    local times <const> = { start_ns = 100, exec_ns = 130, exit_seen_ns = 900, reaped_ns = 1000 }
    assert.is_nil(parts.of_worker(times, { main_ns = 330 }))
    assert.same({}, parts.windows(times, { main_ns = 330 }))
  end)

  it("are kept with every sample, those of commands as the host sees them", function()
    for _, sample in ipairs(raw().samples) do
      local process <const> = sample.process
      if sample.arm == "missing" then
        assert.is_nil(process)
      else
        assert.equal(process.wall_ns, sum(process.parts_ns))
        assert.is_not_nil(process.parts_ns[sample.arm == "worker" and "exec_to_main"
          or "exec_to_exit_seen"])
      end
    end
  end)

  it("are null of a worker that is ended by its time limit, with the reason", function()
    local child <const> = sessions.run('"$1" "$2" --time-limit 0.2 --json -', [[
      local long <const> = fr.phase "p" { fr.spin { ms = 60000 } }
      return fr.experiment "long" {
        arms = { fr.arm "a" { long } }, rounds = 1, metrics = { fr.metric "p" { at = 1 } },
      }
    ]])
    local process <const> = assert(json.decode(child.stdout)).samples[1].process
    assert.equal(json.null, process.parts_ns)
    assert.equal("the sample did not come to its end", process.parts_ns_why)
  end)

  it("are metrics, of the arms that have them", function()
    local metric <const> = fr.metric "load" { part = "exec_to_main" }
    assert.same({ "part", "exec_to_main", "ns" }, { metric.source, metric.part, metric.unit })
    local worker <const>, command <const> = { phases = {} }, { phases = {}, command = { "true" } }
    local reference <const> = { phases = {}, is_reference = true }
    assert.same({ true, false, false }, { timed_phases.has(worker, metric),
      timed_phases.has(command, metric), timed_phases.has(reference, metric) })
    for _, arm in ipairs(raw().arms) do
      local counts <const> = { arm.metrics.load_ns.n, arm.metrics.run_ns.n, arm.metrics.start_ns.n,
        arm.metrics.work_ns.n }
      assert.same(arm.name == "worker" and { 3, 0, 3, 3 } or arm.name == "true" and { 0, 3, 3, 0 }
        or { 0, 0, 0, 0 }, counts)
    end
  end)

  it("are refused as metrics where they can't be", function()
    assert.matches("^user%.lua:2: unknown part 'exec_to_mian' in fr%.metric 'a': did you mean ",
      told "fr.metric 'a' { part = 'exec_to_mian' }")
    assert.matches("is of a part of the process, and has at beside it",
      told "fr.metric 'a' { part = 'exec_to_main', at = 1 }")
  end)

  it("that are not the whole are found by a verification", function()
    assert.same({}, verify.document(raw()).findings)
    local document <const> = raw()
    local process <const> = document.samples[1].process or document.samples[2].process
    process.parts_ns.spawn_to_exec = process.parts_ns.spawn_to_exec + 1
    assert.matches("process%.wall_ns is %d+, and its parts are %d+",
      table.concat(verify.document(document).findings, "\n"))
  end)

  it("have their page faults by mapping, where they can be traced", function()
    local document <const> = raw()
    if document.fault_traces == json.null then return pending(document.fault_traces_why) end
    local names <const> = {}
    for _, part in ipairs(document.fault_traces[1].parts) do names[#names + 1] = part.part end
    assert.same({ "exec_to_main", "main_to_work_done", "work_done_to_exit", "exit_to_reaped" },
      names)
    local whole <const> = document.fault_traces[2].parts[1]
    local with_address = 0
    for _, item in ipairs(whole.by_mapping) do with_address = with_address + item.count end
    assert.equal(whole.total, with_address + whole.in_kernel + whole.lost)
  end)
end)

describe("an arm that is a command", function()
  it("is a sample of its own, lost when it fails, dies or is not there", function()
    assert.same({ worker = "ok", ["true"] = "ok", fails = "exit status 3",
      dies = "killed by SIGKILL", missing = "not started: cannot start '/no/such/program': "
      .. "No such file or directory (ENOENT)" }, statuses(raw()))
  end)

  it("is kept in the design, without phases", function()
    local arm <const> = raw().design.arms[3]
    assert.same({ "sh", "-c", "exit 3" }, { table.unpack(arm.command) })
    assert.is_true(json.is_array(arm.phases))
    assert.equal(0, #arm.phases)
  end)

  it("is one of phases, a layout, a command, and a list of texts", function()
    assert.matches("^user%.lua:2: fr%.arm 'a' is to be one of phases, a layout, a command", told [[
      fr.arm 'a' { command = { 'true' }, fr.phase 'p' { fr.spin { ms = 1 } } }]])
    assert.matches("entry 2 of command of fr%.arm 'a' must be a text", told [[
      fr.arm 'a' { command = { 'true', {} } }]])
    assert.matches("the program of command of fr%.arm 'a' must be a text that is not empty",
      told "fr.arm 'a' { command = {} }")
  end)
end)

describe("the report of whole processes", function()
  local function document_of(walls)
    local experiment <const> = fakes.experiment { arms = fr.modes { "natural" }, rounds = #walls }
    local samples <const> = {}
    for round, wall_ns in ipairs(walls) do
      samples[round] = fakes.sample("natural", round, { 1, 1, 1, 1 }, 0, wall_ns or nil)
      if not wall_ns then samples[round].status = "timed out" end
    end
    return fakes.document(experiment, samples)
  end

  it("prints the first, minimum, median and maximum of a series", function()
    assert.same({ "4 fresh processes of 'natural': first 900 ns, min 500 ns, median 650 ns, "
      .. "max 900 ns" }, processes.series(document_of { 900, 500, 700, 600 }))
  end)

  it("does not pass off another process as the first when that was lost", function()
    assert.same({ "2 fresh processes of 'natural': first unknown, min 500 ns, median 600 ns, "
      .. "max 700 ns" }, processes.series(document_of { false, 500, 700 }))
    assert.same({ "no process of 'natural' ended well" },
      processes.series(document_of { false }))
  end)

  it("has the deciles of the later ones, and the first apart", function()
    local walls <const> = { 50000 }
    for index = 1, 10 do walls[index + 1] = 11000 - index * 1000 end
    local lines <const> = processes.distribution(document_of(walls))
    assert.equal(3, #lines)
    local cells <const> = {}
    for cell in lines[3]:gmatch "%S+" do cells[#cells + 1] = cell end
    assert.same({ "natural", "1", "2", "3", "4", "5", "6", "7", "8", "9", "9.09" }, cells)
  end)
end)

describe("a conclusion", function()
  it("reports the first run, the steady state and their ratio, and who feels what", function()
    local lines <const> = conclusion.lines {
      first_ns = 145000, steady_ns = 12000, process_ns = 688000,
      pauses = { { name = "sleep", ns = 46000 } },
    }
    local said <const> = table.concat(lines, "\n")
    assert.matches("the first run +145000 ns\n", said)
    assert.matches("their ratio +12%.08\n", said)
    assert.matches("command%-line tool feels the whole process: 57%.33 times", said)
    assert.matches("after a pause %(sleep%) feels a first run again: 46000 ns, 3%.833 times", said)
  end)

  it("has no ratio to what the clock did not resolve, and no pause that was not run", function()
    local said <const> =
      table.concat(conclusion.lines { first_ns = 100, steady_ns = 0, process_ns = 200 }, "\n")
    assert.is_nil(said:find "inf")
    assert.matches("their ratio +none", said)
    assert.matches("after a pause feels a first run again; its size is unknown", said)
  end)
end)
