local core <const> = require "frlua.core"
local errno <const> = require "posix.errno"
local fr <const> = require "frlua"
local sessions <const> = require "sessions"

local told <const> = sessions.told

setup(sessions.open)
teardown(sessions.close)

describe("fr.spawn", function()
  it("runs a program of PATH with its arguments, and keeps both of its outputs", function()
    local child <const> = sessions.shell('echo "$1"; echo "$2" >&2; exit 3', "a  b", 7)
    assert.same({ "exited", 3, "a  b\n", "7\n", 0 },
      { child.status, child.exit_status, child.stdout, child.stderr, child.dropped })
  end)

  it("returns nil, the program's name and the error when it can't be started", function()
    local child <const>, message <const>, code <const> = fr.spawn { "/no/such/program" }
    assert.is_nil(child)
    assert.equal("cannot start '/no/such/program': No such file or directory (ENOENT)", message)
    assert.equal(errno.ENOENT, code)
    assert.equal(errno.EACCES, select(3, fr.spawn { "/etc/passwd" }))
    assert.equal(errno.E2BIG, select(3, fr.spawn { "true", ("x"):rep(1 << 20) }))
  end)

  it("does not wait for room in a pipe that nobody reads", function()
    local child <const> =
      sessions.shell "head -c 200000 /dev/zero >&2; head -c 200000 /dev/zero; exit 3"
    assert.same({ 3, 200000, 200000 }, { child.exit_status, #child.stdout, #child.stderr })
  end)

  it("keeps output up to the limit, and counts the rest", function()
    local child <const> = assert(fr.spawn {
      "sh", "-c", "head -c 200000 /dev/zero >&2; head -c 50 /dev/zero", limit = "1 KiB",
    })
    assert.same({ 50, 1024, 198976 }, { #child.stdout, #child.stderr, child.dropped })
  end)

  it("waits for a program that closes its outputs and runs on", function()
    assert.equal(5, sessions.shell("exec >&- 2>&-; sleep 0.2; exit 5").exit_status)
  end)

  it("ends when the program does, and what it left behind with it", function()
    local child <const> =
      sessions.shell("sleep 60 & echo $! >$1/sleeper; echo x", sessions.directory)
    assert.same({ "exited", "x\n" }, { child.status, child.stdout })
    assert.is_true(child.wall_ns < 30000000000)
    assert.is_true(sessions.ends "sleeper")
  end)

  it("keeps what lay in the pipe when the program ended, however much", function()
    local child <const> = sessions.run('"$1" "$2" "$1"', [[
      local child <const> = fr.spawn { ..., "-e", [=[
        local signal <const>, unistd <const> = require "posix.signal", require "posix.unistd"
        local host <const>, set_pipe_size <const> = unistd.getppid(), 1031
        assert(require "posix.fcntl".fcntl(1, set_pipe_size, 1 << 20))
        os.execute("(sleep 0.2; kill -CONT " .. host .. ") >/dev/null 2>&1 &")
        signal.kill(host, signal.SIGSTOP) -- it reads nothing before all is over
        io.write(("x"):rep(1000000))
      ]=] }
      print(child.status, #child.stdout, child.stderr)
    ]])
    assert.equal("exited\t1000000\t\n", child.stdout)
  end)

  it("does not wait for a writer outside of its group", function()
    local writer <const> = "echo $$ >$0/writer; while echo x; do :; done"
    local child <const> =
      sessions.shell("setsid sh -c '" .. writer .. "' $1 & sleep 0.2", sessions.directory)
    assert.equal("exited", child.status)
    assert.matches("^x\n", child.stdout)
    assert.is_true(sessions.ends "writer") -- of SIGPIPE: the other end is closed
  end)

  it("gives the program an empty input, and no descriptors of the script's", function()
    local file <close> = assert(io.open "/proc/self/status")
    assert.equal("0\n1\n2\n", sessions.shell("cat; ls /proc/$$/fd; :").stdout)
    assert.truthy(file:read())
  end)

  it("leaves the output to the host's, or discards it", function()
    local child <const> = sessions.run('"$1" "$2"', [[
      for _, output in ipairs { "inherit", "discard" } do
        local ended = fr.spawn { "sh", "-c", "echo $0; echo $0 >&2", output, output = output }
        print(ended.status, ended.stdout, ended.stderr, ended.dropped)
      end
    ]])
    assert.equal("inherit\nexited\tnil\tnil\tnil\nexited\tnil\tnil\tnil\n", child.stdout)
    assert.equal("inherit\n", child.stderr)
  end)

  it("has the environment that it is given and no other, in order", function()
    local child <const> = fr.spawn {
      "/usr/bin/env", env = { E = "x y", H = 1, C = "", A = 2, G = 3, B = 4, F = 5, D = 6 },
    }
    assert.equal("A=2\nB=4\nC=\nD=6\nE=x y\nF=5\nG=3\nH=1\n", child.stdout)
    assert.equal(os.getenv "PATH" .. "\n", sessions.shell("echo $PATH").stdout)
    assert.matches("^user%.lua:2: 'A=' is no name of an environment variable",
      told "fr.spawn { 'true', env = { ['A='] = 1 } }")
  end)

  it("runs on the CPU that it is pinned to", function()
    local cpu <const> = core.allowed_cpus()[1]
    local child <const> = fr.spawn { "grep", "Cpus_allowed_list", "/proc/self/status", cpu = cpu }
    assert.same({ ("Cpus_allowed_list:\t%d\n"):format(cpu), cpu }, { child.stdout, child.cpu })
    assert.matches("^user%.lua:2: cpu of fr%.spawn: CPU 65000 ",
      told "fr.spawn { 'true', cpu = 65000 }")
  end)

  it("ends a program at its time limit", function()
    local child <const> = fr.spawn { "sleep", 60, time_limit = 0.2 }
    assert.same({ "timed out", "SIGKILL" }, { child.status, child.signal_name })
    assert.is_true(child.wall_ns >= 200000000)
  end)

  it("does not show the host's peak of memory as the program's", function()
    local child <const> = fr.spawn { "true" }
    assert.is_nil(child.peak_resident_bytes)
    assert.matches("inherits the peak", child.peak_resident_bytes_why)
  end)

  it("shows a peak that is above the host's", function()
    if os.getenv "FRLUA_SANITIZE" == "1" then
      return pending "a sanitizer's own memory may have made the host's peak larger"
    end
    local text <const> = "require'frlua'.map { bytes = '256 MiB' }:write()"
    local child <const> = fr.spawn { sessions.host, "-e", text }
    assert.is_true(child.peak_resident_bytes >= 256 << 20)
    assert.is_true(child.peak_resident_bytes < 512 << 20)
  end)

  it("returns EMFILE when descriptors run out, and loses none itself", function()
    local child <const> = assert(fr.fork { run = function()
      local resource <const> = require "posix.sys.resource"
      local function limit(count)
        assert(resource.setrlimit(resource.RLIMIT_NOFILE, { rlim_cur = count, rlim_max = 1024 }))
      end
      local function count_open() return #require "posix.dirent".dir "/proc/self/fd" end
      local file <const> = assert(io.open "/dev/null")
      local next_free <const> = require "posix.stdio".fileno(file) + 1
      local before <const>, codes <const> = count_open(), {}
      collectgarbage "stop" -- which would close what is lost
      limit(next_free + 4) -- /dev/null and one pipe may be had, the second pipe is not
      for index = 1, 3 do codes[index] = select(3, fr.spawn { "true" }) end
      limit(1024)
      return { codes, count_open() - before }
    end })
    assert.is_nil(child.error)
    assert.same({ { errno.EMFILE, errno.EMFILE, errno.EMFILE }, 0 }, child.value)
  end)

  it("refuses what is no program, and arguments that are no texts", function()
    assert.matches("^user%.lua:2: the program, entry 1 of fr%.spawn, must be a text that is not "
      .. "empty, not nil", told "fr.spawn {}")
    assert.matches("^user%.lua:2: entry 2 of fr%.spawn is nil", told "fr.spawn { 'a', nil, 'b' }")
    assert.matches("^user%.lua:2: entry 2 of fr%.spawn must be a text or a number, not a table",
      told "fr.spawn { 'a', {} }")
    assert.matches("^user%.lua:2: entry 1 of fr%.spawn must not hold a NUL byte",
      told "fr.spawn { 'a\\0b' }")
    assert.matches("^user%.lua:2: unknown output 'captured' in fr%.spawn: did you mean 'capture'%?",
      told "fr.spawn { 'a', output = 'captured' }")
    assert.matches("^user%.lua:2: limit of fr%.spawn must be a whole number of bytes",
      told "fr.spawn { 'a', limit = '1 MB' }")
  end)
end)
