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

  it("changes variables of the environment, and leaves the others and their order", function()
    local child <const> = fr.spawn {
      "env", env = { A = 1, B = 2, C = 3 }, set_env = { B = "x", D = 4 }, unset_env = { "C", "Z" },
    }
    assert.equal("A=1\nB=x\nD=4\n", child.stdout)
    local changed <const> = fr.spawn { "sh", "-c", "echo $ADDED; env", set_env = { ADDED = "new" },
      unset_env = { "HOME" } }.stdout
    assert.matches("^new\n", changed)
    assert.matches("\nPATH=", changed)
    assert.is_nil(changed:find "\nHOME=")
  end)

  it("pads the environment by exactly so many bytes, and records its size", function()
    local function spawn(bytes)
      return assert(fr.spawn {
        "cat", "/proc/self/environ", env = { A = "xyz" }, pad_env = bytes,
      })
    end
    local plain <const>, padded <const> = spawn(nil), spawn(4000)
    assert.same({ 6, 4006 }, { #plain.stdout, #padded.stdout })
    assert.same({ 6, 4006 }, { plain.environment_bytes, padded.environment_bytes })
    assert.equal(#"cat" + 1 + #"/proc/self/environ" + 1, plain.argument_bytes)
    assert.matches("^user%.lua:2: pad_env of fr%.spawn must be a whole number of at least 11",
      told "fr.spawn { 'true', pad_env = 3 }")
  end)

  it("takes arguments of 100 KiB, and says E2BIG of what is too large for one text", function()
    local child <const> = assert(fr.spawn { "sh", "-c", "echo ${#1}", "sh", ("x"):rep(100 << 10) })
    assert.equal("102400\n", child.stdout)
    assert.equal(#"sh -c " + #"echo ${#1} sh " + (100 << 10) + 1, child.argument_bytes)
    local _, message <const>, code <const> = fr.spawn { "true", pad_env = 8 << 20 }
    assert.equal("cannot start 'true': Argument list too long (E2BIG)", message)
    assert.equal(errno.E2BIG, code)
  end)

  it("says whether addresses are random, which it leaves as it is", function()
    local child <const> = fr.spawn { "true" }
    assert.equal(fr.machine.aslr, child.aslr)
    local fixed <const> = fr.spawn { "setarch", "-R", sessions.host, "-e",
      "print(require'frlua'.spawn { 'true' }.aslr)" }
    if not fixed or fixed.exit_status ~= 0 then return pending "addresses can't be fixed here" end
    assert.equal("off for this process\n", fixed.stdout)
  end)

  it("runs in the directory that it is given, with paths of its own relative to that", function()
    assert.equal("/usr/bin\n", fr.spawn { "pwd", cwd = "/usr/bin" }.stdout)
    assert.equal(0, fr.spawn { "./true", cwd = "/usr/bin" }.exit_status)
    local none <const>, message <const>, code <const> = fr.spawn { "true", cwd = "/no/such" }
    assert.same({ nil, "cannot start 'true': chdir: No such file or directory (ENOENT)",
      errno.ENOENT }, { none, message, code })
  end)

  it("has the limits that it is given, soft and hard, and says which was refused", function()
    local child <const> = assert(fr.spawn {
      "sh", "-c", "ulimit -n; ulimit -Hn; ulimit -c; ulimit -v",
      limits = { nofile = 17, core = 0, as = "1 GiB" },
    })
    assert.equal("17\n17\n0\n1048576\n", child.stdout)
    local free <const> = fr.spawn { "sh", "-c", "ulimit -t", limits = { cpu = "unlimited" } }
    assert.equal("unlimited\n", free.stdout)
    assert.matches("^user%.lua:2: unknown key 'nofiles' in limits of fr%.spawn: did you mean ",
      told "fr.spawn { 'true', limits = { nofiles = 3 } }")
    assert.matches("^user%.lua:2: limits%.nofile of fr%.spawn must be a whole number",
      told "fr.spawn { 'true', limits = { nofile = '1 KiB' } }")
  end)

  it("reads a text, however long and whether it reads it or not, or a file", function()
    local text <const> = ("x"):rep(1 << 20) .. "\0end"
    assert.equal(text, fr.spawn { "cat", input = text }.stdout)
    assert.equal(0, fr.spawn { "true", input = text }.exit_status)
    local path <const> = sessions.directory .. "/input"
    local file <close> = assert(io.open(path, "w"))
    file:write "from a file\n"
    file:flush()
    assert.equal("from a file\n", fr.spawn { "cat", input_file = path }.stdout)
    assert.same({ errno.ENOENT, errno.ENOENT }, {
      select(3, fr.spawn { "cat", input_file = "/no/such" }),
      (select(3, fr.spawn { "cat", output_file = "/no/such/file" })),
    })
  end)

  it("writes output and errors into files, and keeps what has none", function()
    local output <const>, errors <const> = sessions.directory .. "/out",
      sessions.directory .. "/err"
    local line <const> = "echo out; echo err >&2"
    local child <const> = fr.spawn { "sh", "-c", line, output_file = output }
    assert.same({ nil, "err\n", "out\n" },
      { child.stdout, child.stderr, sessions.contents "out" })
    local other <const> = fr.spawn { "sh", "-c", line, errors_file = errors }
    assert.same({ "out\n", nil, "err\n" },
      { other.stdout, other.stderr, sessions.contents "err" })
  end)

  it("tells the moments of its life by fr.clock, in order, and what lies between", function()
    local before <const> = fr.clock()
    local child <const> = sessions.shell "sleep 0.05"
    local times <const>, after <const> = child.times, fr.clock()
    local list <const> = { before, times.start_ns, times.exec_ns, times.exit_seen_ns,
      times.reaped_ns, after }
    for index = 2, #list do assert.is_true(list[index - 1] <= list[index], index) end
    assert.is_true(times.exec_ns <= times.exec_seen_ns and times.exec_seen_ns <= times.reaped_ns)
    local parts <const> = child.parts_ns
    assert.equal(child.wall_ns,
      parts.spawn_to_exec + parts.exec_to_exit_seen + parts.exit_seen_to_reaped)
    assert.is_true(parts.exec_to_exit_seen >= 50000000)
  end)

  it("ends a whole process group at the time limit", function()
    local line <const> = "sleep 60 & echo $! >$0/group; wait"
    local child <const> = fr.spawn { "sh", "-c", line, sessions.directory, time_limit = 0.3 }
    assert.same({ "timed out", "SIGKILL" }, { child.status, child.signal_name })
    assert.is_true(sessions.ends "group")
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
