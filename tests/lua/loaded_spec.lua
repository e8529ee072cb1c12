local errno <const> = require "posix.errno"
local fr <const> = require "frlua"
local hold <const> = require "frlua.native" "hold"
local loaded <const> = require "frlua.loaded"
local sessions <const> = require "sessions"
local smaps <const> = require "frlua.smaps"
local unistd <const> = require "posix.unistd"

setup(sessions.open)
teardown(sessions.close)

local shell <const> = assert(require "posix.stdlib".realpath "/bin/sh")

local function exists(name)
  return unistd.access(sessions.directory .. "/" .. name) == 0
end

local function start_touching(name)
  return assert(hold.start { "sh", "-c", "touch " .. sessions.directory .. "/" .. name })
end

local function ends(held)
  for _ = 1, 200 do
    if held:has_ended() then return true end
    os.execute "sleep 0.02"
  end
  return false
end

local function maps(pid, path)
  for _, mapping in ipairs(smaps.read(pid) or {}) do
    if mapping.path == path then return true end
  end
  return false
end

local function is_running(pid)
  return require "posix.signal".kill(pid, 0) == 0
end

-- The file of the C library that this process has.
local function libc_path()
  for _, mapping in ipairs(assert(smaps.read())) do
    local path <const> = mapping.path
    if path and path:find "/libc%.so" or path and path:find "/libc%-[%d.]+%.so" then return path end
  end
end

describe("a program that is held", function()
  it("is mapped, and has run none of its instructions", function()
    local pid
    do
      local held <close> = start_touching "early"
      pid = held:pid()
      assert.is_true(maps(pid, shell))
      assert.is_false(held:has_ended())
      os.execute "sleep 0.1"
    end
    assert.is_false(exists "early")
    assert.is_false(is_running(pid)) -- killed, and reaped
  end)

  it("runs when it is released", function()
    local held <close> = start_touching "late"
    assert.is_true(held:release())
    assert.is_true(ends(held))
    assert.is_true(exists "late")
  end)

  it("waits at an input where nothing comes, and is killed with what it started", function()
    local writer <const> = ("sleep 60 & echo $! >%s/sleeper; cat"):format(sessions.directory)
    local held <const> = assert(hold.start { "sh", "-c", writer })
    held:release()
    for _ = 1, 200 do
      if sessions.contents "sleeper" and sessions.contents "sleeper" ~= "" then break end
      os.execute "sleep 0.02"
    end
    assert.is_false(held:has_ended())
    held:close()
    assert.is_true(sessions.ends "sleeper")
    held:close() -- a second time does nothing
    assert.has_error(function() held:pid() end)
  end)

  it("is none when its exec is refused, with the call and the error", function()
    local none <const>, message <const>, code <const> = hold.start { "/no/such/program" }
    assert.same({ "execve: No such file or directory", errno.ENOENT }, { message, code })
    assert.is_nil(none)
    assert.equal(errno.EACCES, select(3, hold.start { "/etc/passwd" }))
    local path <const> = sessions.directory .. "/text"
    os.execute(("echo 'exit 0' >%s; chmod +x %s"):format(path, path))
    assert.equal(errno.ENOEXEC, select(3, hold.start { path })) -- no shell is put in its place
  end)

  it("leaves no descriptors and no processes behind", function()
    local function count() return #require "posix.dirent".dir "/proc/self/fd" end
    collectgarbage()
    local before <const> = count()
    for _ = 1, 5 do
      assert(hold.start { "true" }):close()
      hold.start { "/no/such/program" }
    end
    assert.equal(before, count())
    local _, _, code <const> = require "posix.sys.wait".wait(-1, 1)
    assert.equal(errno.ECHILD, code)
  end)
end)

describe("where a file is loaded", function()
  it("is read for a program without letting it run", function()
    local found <const> = assert(fr.elf(shell))
    local seen <const> = assert(loaded.observe(found, nil, 4))
    assert.equal(4, #seen.addresses)
    assert.is_nil(seen.text)
    assert.matches("held before its first instruction", seen.text_why)
    local bits = 0
    for _, address in ipairs(seen.addresses) do
      assert.equal(0, address % fr.machine.page_bytes)
      bits = bits | address
    end
    local alignment <const> = seen.alignment or 1 -- a program at fixed addresses has none
    assert.equal(0, alignment & (alignment - 1))
    assert.equal(0, bits % alignment)
    if seen.alignment then assert.not_equal(0, bits % (2 * alignment)) end
  end)

  it("is unknown for a library, unless a command has it", function()
    local path <const> = libc_path()
    if not path then return pending "no file of the C library is mapped here" end
    local found <const> = assert(fr.elf(path))
    local none <const>, why <const> = loaded.observe(found, nil, 1)
    assert.same({ nil, "a shared library is not started: a command can load it" }, { none, why })
    local seen <const> = assert(loaded.observe(found, { "cat" }, 2))
    assert.equal(2, #seen.addresses)
    assert.is_true(seen.text.resident_bytes > 0)
    assert.equal(0, seen.text.bytes % fr.machine.page_bytes)
    assert.is_true(seen.text.bytes >= found.text.segment.filesz)
    assert.is_false(seen.text.has_ended)
  end)

  it("is unknown with the reason where a command has it not", function()
    local path <const> = libc_path()
    if not path then return pending "no file of the C library is mapped here" end
    local found <const> = assert(fr.elf(path))
    assert.same({ nil, "cannot start '/no/such': execve: No such file or directory (ENOENT)" },
      { loaded.observe(found, { "/no/such" }, 1) })
    found.path = sessions.directory .. "/gone"
    assert.matches("gone' is gone$", select(2, loaded.observe(found, { "cat" }, 1)))
    os.execute(("cp %s %s"):format(path, found.path))
    assert.matches("^it was not mapped: it ended before that was seen",
      select(2, loaded.observe(found, { "true" }, 1)))
  end)
end)
