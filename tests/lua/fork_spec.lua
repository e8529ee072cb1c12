local core <const> = require "frlua.core"
local fr <const> = require "frlua"
local sessions <const> = require "sessions"
local signal <const> = require "posix.signal"

local function fork(run)
  return assert(fr.fork { run = run })
end

local function status_field(name)
  for line in io.lines "/proc/self/status" do
    local text <const> = line:match("^" .. name .. ":%s*(.*)")
    if text then return text end
  end
end

local told <const> = sessions.told

setup(sessions.open)
teardown(sessions.close)

describe("fr.fork", function()
  it("brings back the first value that the function returned", function()
    local child <const> = fork(function() return { 1, "two" }, 3 end)
    assert.equal("ok", child.status)
    assert.same({ 1, "two" }, child.value)
    assert.is_nil(child.error)
    assert.is_nil(fork(function() end).value)
    assert.is_false(fork(function() return false end).value)
  end)

  it("says how the child ended, and what it used", function()
    local child <const> = fork(function() return require "posix.unistd".getpid() end)
    assert.equal(0, child.exit_status)
    assert.is_nil(child.signal)
    assert.equal(child.value, child.pid)
    assert.is_true(child.wall_ns > 0)
    for _, count in pairs(child.rusage) do assert.equal("integer", math.type(count)) end
    local m <close> = assert(fr.map { bytes = 1000 * fr.machine.page_bytes, advise = "nohugepage" })
    local busy <const> = fork(function() return m:write() end)
    assert.is_true(busy.value.minor_faults >= 1000)
    assert.is_true(busy.rusage.minor_faults >= busy.value.minor_faults)
  end)

  it("pins the child, and only the child, before the function runs", function()
    local before <const> = status_field "Cpus_allowed_list"
    for _, cpu in ipairs(core.allowed_cpus()) do
      local child <const> = fr.fork {
        cpu = cpu, run = function() return status_field "Cpus_allowed_list" end,
      }
      assert.same({ tostring(cpu), cpu }, { child.value, child.cpu })
    end
    assert.equal(before, status_field "Cpus_allowed_list")
  end)

  it("refuses a CPU that is not allowed before anything runs, and lists those that are", function()
    local ran = false
    local message <const> = told("\nfr.fork { cpu = 65000, run = a }", function() ran = true end)
    assert.matches("^user%.lua:3: cpu of fr%.fork: CPU 65000 ", message)
    assert.equal(status_field "Cpus_allowed_list", message:match "allowed are (.*)$")
    assert.is_false(ran)
    for _, cpu in ipairs { "-1", "1.5", "2^63", "0/0", "{}" } do
      assert.matches("^user%.lua:2: cpu of fr%.fork must be a whole number ",
        told(("fr.fork { cpu = %s, run = print }"):format(cpu)))
    end
  end)

  it("leaves the host's variables and memory as they were", function()
    local count = 1
    local m <close> = assert(fr.map { bytes = 8 })
    fork(function()
      count = 2
      m:write { every = "word", value = 5 }
    end)
    assert.same({ 1, 0 }, { count, m:read("word").sum })
  end)

  it("carries an error of the child to the host, with the child's traceback", function()
    local run <const> = assert(load("local function deep() error 'boom' end\ndeep()", "@user.lua"))
    local child <const> = fork(run)
    assert.equal("error", child.status)
    assert.is_nil(child.value)
    assert.matches("^user%.lua:1: boom\nstack traceback:\n.*user%.lua:2: in ", child.error)
  end)

  it("carries errors that are no texts, too", function()
    local function error_of(object)
      return fork(function() error(object) end).error:match "^[^\n]*"
    end
    assert.matches("a nil value", error_of(nil))
    assert.matches("a table value", error_of { code = 7 })
    assert.equal("readable text",
      error_of(setmetatable({}, { __tostring = function() return "readable text" end })))
    assert.matches("a table value",
      error_of(setmetatable({}, { __tostring = function() return 42 end })))
    assert.matches("stack overflow",
      fork(function() local function f() return 1 + f() end f() end).error)
  end)

  it("names the key of what can't be brought back", function()
    local child <const> = fork(function() return { list = { 1, print } } end)
    assert.equal("error", child.status)
    assert.matches("^fr%.fork: value%.list%[2%] is a function: ", child.error)
  end)

  it("brings back large results whole", function()
    local bytes <const> = 5000000
    assert.equal(("x"):rep(bytes), fork(function() return ("x"):rep(bytes) end).value)
    local list <const> = fork(function()
      local numbers <const> = {}
      for index = 1, 300000 do numbers[index] = index end
      return numbers
    end).value
    assert.same({ 300000, 300000 }, { #list, list[300000] })
  end)

  it("ends a child at its time limit, and what it started", function()
    local line <const> = ("sleep 60 & echo $! >%s/sleeper; wait"):format(sessions.directory)
    local child <const> =
      assert(fr.fork { time_limit = 0.3, run = function() os.execute(line) end })
    assert.equal("timed out", child.status)
    assert.same({ signal.SIGKILL, "SIGKILL" }, { child.signal, child.signal_name })
    assert.is_true(child.wall_ns >= 300000000)
    assert.is_true(sessions.ends "sleeper")
    assert.matches("^user%.lua:2: time_limit of fr%.fork must be a finite number from 0%.001",
      told "fr.fork { run = print, time_limit = 0 }")
  end)

  it("says which signal killed the child", function()
    local child <const> = fork(function() signal.raise(signal.SIGSEGV) end)
    assert.same({ "killed", signal.SIGSEGV, "SIGSEGV" },
      { child.status, child.signal, child.signal_name })
    assert.is_nil(child.exit_status)
  end)

  it("lets the child leave by os.exit without closing anything of the host's", function()
    local child <const> = sessions.run('"$1" "$2"', [[
      local closing <close> = setmetatable({}, {
        __close = function() print "closed" end,
        __gc = function() print "collected" end,
      })
      local ended = fr.fork { run = function() os.exit(9, true) end }
      print(ended.status, ended.exit_status)
    ]])
    assert.equal("exited\t9\nclosed\ncollected\n", child.stdout)
  end)

  it("never lets a child come back to the script, not even by a yield", function()
    local child <const> = sessions.run('"$1" "$2"', [[
      local routine = coroutine.wrap(function()
        coroutine.yield(fr.fork { run = function() coroutine.yield() end }.status)
      end)
      print(routine())
      routine()
      print "end"
    ]])
    assert.equal("error\nend\n", child.stdout)
  end)

  it("works in a child, too", function()
    local function inner() return "inner" end
    assert.equal("inner", fork(function() return fork(inner).value end).value)
  end)

  it("refuses what is no function, and unknown keys", function()
    assert.matches("^user%.lua:2: run of fr%.fork must be a function, not nil", told "fr.fork {}")
    assert.matches("^user%.lua:2: unknown key 'cpus' in fr%.fork: did you mean 'cpu'%?",
      told "fr.fork { cpus = 1, run = print }")
  end)
end)

describe("fr.rusage", function()
  it("counts what this process does", function()
    local before <const> = fr.rusage()
    local m <close> = assert(fr.map { bytes = 500 * fr.machine.page_bytes, advise = "nohugepage" })
    m:write()
    assert.is_true(fr.rusage().minor_faults - before.minor_faults >= 500)
    assert.is_true(fr.rusage().user_ns >= before.user_ns)
  end)
end)
