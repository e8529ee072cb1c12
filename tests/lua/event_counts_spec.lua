local core <const> = require "frlua.core"
local event_counts <const> = require "frlua.event_counts"
local fakes <const> = require "fakes"
local fr <const> = require "frlua"
local json <const> = require "frlua.json"
local kernel <const> = require "frlua.kernel"
local lines <const> = require "frlua.report.counters".lines
local result <const> = require "frlua.result"
local schema <const> = require "frlua.schema"

-- The numbers of errors are this system's.
local errno <const> = require "posix.errno"

-- A counter as the worker reads it.
local function count(event, side, value, running_ns)
  return { event = event, side = side, value = value, enabled_ns = 1000,
    running_ns = running_ns or 1000, empty = value // 10 }
end

local function refused(event, side, error)
  return { event = event, side = side, error = error }
end

local function of(...)
  return event_counts.of_phase { ... }
end

describe("the counts of a phase", function()
  it("are of user mode and the kernel apart, with what the counting adds", function()
    assert.same({ { event = "page-faults", user = 128, user_empty = 12, kernel = 30,
      kernel_empty = 3 } },
      of(count("page-faults", "user", 128), count("page-faults", "kernel", 30)))
  end)

  it("keep their order", function()
    local list <const> = of(count("b", "user", 1), count("b", "kernel", 1), count("a", "both", 1))
    assert.same({ "b", "a" }, { list[1].event, list[2].event })
  end)

  it("say why an event has no such side", function()
    local list <const> = of(count("context-switches", "kernel", 2), count("task-clock", "both", 9))
    assert.equal("it happens in the kernel alone", list[1].user_why)
    assert.is_nil(list[1].kernel_why)
    local why <const> = "the kernel does not tell user mode and its own apart"
    assert.same({ why, why, 9 }, { list[2].user_why, list[2].kernel_why, list[2].both })
    assert.is_false(event_counts.has(list[1], "user"))
    assert.is_false(event_counts.has(list[2], "kernel"))
    assert.is_true(event_counts.has(list[2], "both"))
  end)

  it("have the share of the time that the hardware was theirs, and are not extrapolated", function()
    local entry <const> = of(count("cycles", "user", 900, 250))[1]
    assert.same({ 900, 0.25 }, { entry.user, entry.user_running_of_enabled })
    assert.equal(3600.0, event_counts.estimate(entry, "user"))
    assert.is_nil(of(count("cycles", "user", 900))[1].user_running_of_enabled)
  end)

  it("are unknown, and not 0, where other events had the hardware all the time", function()
    local entry <const> = of(count("cycles", "user", 0, 0))[1]
    assert.is_nil(entry.user)
    assert.equal("other events had the hardware's counters for all of the time", entry.user_why)
    assert.is_nil(event_counts.estimate(entry, "user"))
  end)

  it("are unknown where nothing was enabled", function()
    local entry <const> = of { event = "cycles", side = "user", value = 0, enabled_ns = 0,
      running_ns = 0 }[1]
    assert.same({ nil, "it was not counted at any time" }, { entry.user, entry.user_why })
  end)
end)

describe("a refused counter", function()
  after_each(function() kernel.read_from {} end)

  local function why(number)
    local entry <const> = of(refused("cycles", "user", number))[1]
    assert.is_nil(entry.user)
    return entry.user_why
  end

  it("is unknown with the error's name and its meaning", function()
    local expected <const> = {
      ENOENT = "no hardware here counts it, as in most virtual machines",
      EOPNOTSUPP = "this processor does not count it",
      EINVAL = "this processor does not count it, or not so",
      ENOSYS = "this kernel has no perf_event_open, or a seccomp filter hides it",
      EBUSY = "somebody else has the hardware's counters alone",
    }
    for name, meaning in pairs(expected) do
      local number <const> = errno[name]
      assert.equal(("%s (%s): %s"):format(core.error_text(number), name, meaning), why(number))
    end
  end)

  it("has the setting that refuses it", function()
    local directory <const> = assert(require "posix.stdlib".mkdtemp "/tmp/frlua-counters-XXXXXX")
    assert(os.execute(("mkdir -p %s/sys/kernel"):format(directory)))
    local file <close> = assert(io.open(directory .. "/sys/kernel/perf_event_paranoid", "w"))
    file:write "3\n"
    file:flush()
    kernel.read_from { proc = directory }
    for _, name in ipairs { "EACCES", "EPERM" } do
      assert.matches("this user may not count it: kernel.perf_event_paranoid is 3, or a seccomp "
        .. "filter forbids it", why(errno[name]), 1, true)
    end
    os.remove(directory .. "/sys/kernel/perf_event_paranoid")
    assert.matches("kernel.perf_event_paranoid is unknown", why(errno.EPERM), 1, true)
    os.execute("rm -r " .. directory)
  end)

  it("has the limit of open files", function()
    local resource <const> = require "posix.sys.resource"
    local limit <const> = resource.getrlimit(resource.RLIMIT_NOFILE).rlim_cur
    assert.matches(("RLIMIT_NOFILE, which is %d here"):format(limit), why(errno.EMFILE), 1, true)
  end)
end)

local ENOENT <const> = errno.ENOENT

-- What hardware without counters for anything but faults and switches gives.
local function plain(faults, switches)
  return of(refused("cycles", "user", ENOENT), refused("cycles", "kernel", ENOENT),
    count("page-faults", "user", faults), count("page-faults", "kernel", 0),
    count("context-switches", "kernel", switches), count("task-clock", "both", 1000 * faults))
end

local function sample(arm, round, counts)
  local made <const> = fakes.sample(arm, round, { 40, 30, 20, 10 })
  made.phases[1].counters = counts
  return made
end

local function document(samples, fields)
  return fakes.document(fakes.experiment(fields), samples, { counters = true })
end

local ORDINARY <const> = {
  sample("natural", 1, plain(2, 0)), sample("warm", 1, plain(0, 0)),
  sample("natural", 2, plain(4, 1)), sample("warm", 2, plain(0, 0)),
  sample("natural", 3, plain(3, 5)), sample("warm", 3, plain(0, 3)),
}

describe("medians of counts", function()
  it("are over the processes in which the event was counted", function()
    assert.equal(3, event_counts.median(ORDINARY, "natural", 1, "page-faults", "user"))
    local some <const> = { ORDINARY[1], sample("natural", 2, plain(40, 0)),
      sample("natural", 3, of(count("page-faults", "user", 9, 0))) }
    assert.equal(21, event_counts.median(some, "natural", 1, "page-faults", "user"))
  end)

  it("extrapolate each process by itself", function()
    local shared <const> = { sample("natural", 1, of(count("cycles", "user", 100, 500))),
      sample("natural", 2, of(count("cycles", "user", 100, 250))),
      sample("natural", 3, of(count("cycles", "user", 100))) }
    assert.equal(200.0, event_counts.median(shared, "natural", 1, "cycles", "user"))
  end)

  it("are unknown with the reason, also of a run without counters", function()
    local value, why = event_counts.median(ORDINARY, "natural", 1, "cycles", "user")
    assert.is_nil(value)
    assert.matches("ENOENT", why)
    value, why = event_counts.median({ fakes.sample("natural", 1, { 1 }) }, "natural", 1, "cycles",
      "user")
    assert.same({ nil, "no counters were read (--counters)" }, { value, why })
  end)

  it("leave out samples that were lost", function()
    local lost <const> = sample("natural", 2, plain(1000, 0))
    lost.status = "timed out"
    assert.equal(2, event_counts.median({ ORDINARY[1], lost }, "natural", 1, "page-faults", "user"))
  end)

  it("are of each load of all iterations", function()
    local line <const> = fr.machine.line_bytes or 64
    local chased <const> = document({ sample("natural", 1, plain(64, 0)) }, {
      regions = { fr.region "buffer" { bytes = 8 * line, chain = line } },
      timed = { fr.chase "buffer" }, steps = false, arms = fr.modes { "natural" },
    })
    assert.equal(64 / (8 * 4), -- loads, iterations
      event_counts.per_load(chased, "natural", 1, "page-faults", "user"))
    assert.same({ nil, "phase 'timed' makes no loads" }, { event_counts.per_load(
      document(ORDINARY), "natural", 1, "page-faults", "user") })
  end)
end)

describe("the report of counters", function()
  local function text(...) return table.concat(lines(document(...)), "\n") .. "\n" end

  local function has(written, ...)
    for _, part in ipairs { ... } do
      assert.is_truthy(written:find(part .. "\n", 1, true),
        ("no '%s' in:\n%s"):format(part, written))
    end
  end

  it("has a row for every arm and phase, and the sides apart", function()
    has(text(ORDINARY),
      "Counted in user mode, over all iterations of a phase: medians over the processes",
      "arm      phase  page-faults",
      "natural  timed            3",
      "warm     timed            0",
      "Counted in the kernel, over all iterations of a phase: medians over the processes",
      "0 in all phases: page-faults",
      "arm      phase  context-switches  task-clock ns, with user mode",
      "natural  timed                 1                           3000",
      "warm     timed                 0                              0")
  end)

  it("says once what is unknown and why", function()
    local written <const> = text(ORDINARY)
    has(written, ("unknown: cycles: %s (ENOENT): no hardware here counts it, as in most virtual "
      .. "machines"):format(core.error_text(ENOENT)))
    assert.equal(1, select(2, written:gsub("unknown:", "")))
  end)

  it("says of which side, and in how many processes it is unknown", function()
    local function counted(user, kernel_side)
      return of(user, kernel_side, count("page-faults", "user", 1))
    end
    local written <const> = text {
      sample("natural", 1, counted(count("cycles", "user", 5), refused("cycles", "kernel",
        errno.EACCES))),
      sample("natural", 2, counted(count("cycles", "user", 5, 0), refused("cycles", "kernel",
        errno.EACCES))),
    }
    has(written, "unknown in user mode: cycles (1 of 2): "
      .. "other events had the hardware's counters for all of the time")
    assert.matches("unknown in the kernel: cycles: [^\n]*EACCES", written)
  end)

  it("says what was counted for a part of the time", function()
    has(text { sample("natural", 1, of(count("cycles", "user", 100, 400))),
      sample("natural", 2, of(count("cycles", "user", 100, 250))) },
      "counted for a part of the time, and extrapolated: cycles in user mode 25..40 %")
  end)

  it("says what of it is the counting's own", function()
    assert.matches("iterations without operations: page%-faults in user mode 0, [^\n]*"
      .. "context%-switches in the kernel 0, task%-clock 0..400\n", text(ORDINARY))
  end)

  it("divides by loads where a metric does", function()
    local line <const> = fr.machine.line_bytes or 64
    has(text({ sample("natural", 1, plain(64, 0)) }, {
      regions = { fr.region "buffer" { bytes = 8 * line, chain = line } },
      timed = { fr.chase "buffer" }, steps = false, arms = fr.modes { "natural" },
      metrics = { fr.metric "walk" { at = 1, per = "load" } },
    }), "natural  timed, per load        2.000")
  end)

  it("is not there without --counters", function()
    assert.same({}, lines(fakes.document(fakes.experiment(), { sample("natural", 1) })))
  end)
end)

describe("counts in a result", function()
  it("fit the schema, with null for what is unknown", function()
    local text <const> = result.encode(document(ORDINARY))
    local root <const> = assert(json.decode(assert(require "frlua.files".read(
      core.root .. "/share/frlua/lua/frlua/result.schema.json"))))
    local written <const> = json.decode(text)
    assert.same({}, schema.findings(written, root, "result"))
    local entry <const> = written.samples[1].phases[1].counters[1]
    assert.same({ json.null, json.null }, { entry.user, entry.kernel })
    entry.user = -1
    assert.is_true(#schema.findings(written, root, "result") > 0)
  end)
end)
