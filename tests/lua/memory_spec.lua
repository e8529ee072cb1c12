local fakes <const> = require "fakes"
local fr <const> = require "frlua"
local sessions <const> = require "sessions"

local exactly <const>, told <const> = sessions.exactly, sessions.told
local page <const>, huge <const> = fr.machine.page_bytes, fr.machine.huge_page_bytes
local PAGES <const> = 256

setup(sessions.open)
teardown(sessions.close)

-- A region of base pages, whatever the machine's policy is.
local function map(options)
  options.bytes = options.bytes or PAGES * page
  local m <const> = assert(fr.map(options))
  assert(m:advise "nohugepage")
  return m
end

local function file_of(bytes)
  local path <const> = sessions.directory .. "/data"
  local file <close> = assert(io.open(path, "w"))
  file:write(("x"):rep(bytes))
  return path
end

local function unless_sanitized(what)
  if fakes.is_sanitized then pending("a sanitizer " .. what) end
end

-- Runs a script as a user whom limits bind; pending where there is no way to be one.
local function as_user(limit, script)
  local line = limit .. ' "$1" "$2"'
  if require "posix.unistd".geteuid() == 0 then
    -- env: only behind a second exec are the privileges gone with which a path may be searched.
    local user <const> = "setpriv --reuid 65534 --regid 65534 --clear-groups env"
    os.execute("chmod 755 " .. sessions.directory)
    if not os.execute(("%s '%s' -e '' 2>/dev/null"):format(user, sessions.host)) then
      pending "another user can't run this build"
    end
    line = ("%s %s"):format(user, line)
  end
  return sessions.run(line, script)
end

local function with_failing(calls, script)
  if not os.execute "strace -o /dev/null true 2>/dev/null" then
    pending "strace does not work here"
  end
  return sessions.run(("strace -f -o /dev/null -e trace=%s -e inject=%s:error=EINVAL:when=1+ "
    .. '"$1" "$2"'):format(calls, calls), script)
end

describe("writes and reads of every kind of memory", function()
  it("fault once a page when they write to private memory, anonymous or of a file", function()
    unless_sanitized "takes faults of its own"
    exactly({ PAGES, PAGES, PAGES }, function()
      local anonymous <close> = map {}
      local shared <close> = map { shared = true }
      local private <close> = map { file = file_of(PAGES * page) }
      return { anonymous:write().minor_faults, shared:write().minor_faults,
        private:write().minor_faults }
    end)
  end)

  it("fault far less often when they read a file that is in memory", function()
    local disk <close> = map { file = "/var/tmp", shared = true }
    local memory <close> = map { memfd = true, shared = true }
    for _, m in ipairs { disk, memory } do
      assert(m:fill())
      assert.equal(PAGES, m:resident_pages())
      local faults <const> = m:read().minor_faults
      assert.is_true(faults >= 1 and faults <= PAGES // 2, faults .. " faults")
    end
  end)

  it("keep what a file holds, and what is written to shared memory reaches it", function()
    local path <const> = file_of(2 * page)
    local private <close> = assert(fr.map { file = path })
    private:write { value = 1 }
    assert.equal(2 * page, private.bytes)
    local whole <close> = assert(fr.map { file = path, read_only = true })
    assert.equal(2 * ("x"):byte(), whole:read().sum)
    local shared <close> = assert(fr.map { file = path, shared = true })
    shared:write { value = 3 }
    assert.equal(6, whole:read().sum)
  end)
end)

describe("populating", function()
  it("moves the faults into one call, and removes none of them", function()
    exactly({ PAGES, 0, "madvise", PAGES }, function()
      local m <close> = map {}
      local populated <const> = assert(m:populate())
      return { populated.minor_faults, m:write().minor_faults, populated.how, m:resident_pages() }
    end)
  end)

  it("for reading leaves the fault of the first write", function()
    exactly({ 0, PAGES }, function()
      local m <close> = map {}
      assert(m:populate "read")
      return { m:read().minor_faults, m:write().minor_faults }
    end)
  end)

  it("is also what mapping does when it is asked to", function()
    exactly({ 0, PAGES }, function()
      local m <close> = assert(fr.map { bytes = PAGES * page, populate = true })
      local touched <const> = m:write().minor_faults
      m:remap()
      m:advise "nohugepage"
      return { touched, m:write().minor_faults }
    end)
  end)

  it("names the real error, and takes none for an old kernel", function()
    local constant <close> = assert(fr.map { bytes = page, read_only = true })
    local populated <const>, message <const> = constant:populate()
    assert.is_nil(populated)
    assert.matches("^cannot populate 4 KiB: Invalid argument %(EINVAL%): .* may only be read$",
      message)
    local beyond <close> = assert(fr.map { bytes = 3 * page, file = file_of(page), shared = true })
    assert.matches("%(EFAULT%): .*past the end of a file$", (select(2, beyond:populate())))
  end)

  it("is a touch loop that keeps the bytes where the kernel has no call for it", function()
    unless_sanitized "takes faults of its own"
    local run <const> = with_failing("madvise", ([[
      local m <close> = fr.map { bytes = 16 * %d }
      m:fill()
      local populated = m:populate()
      local fresh <close> = fr.map { bytes = 16 * %d }
      local again = fresh:populate()
      print(populated.how, m:read("word").sum)
      print(again.how, again.minor_faults, fresh:write().minor_faults)
    ]]):format(page, page))
    local words <const> = 16 * page // 8
    assert.equal(("touch loop\t%d\ntouch loop\t16\t0\n"):format(words * (words - 1) // 2),
      run.stdout)
    assert.equal("", run.stderr)
  end)

  it("refuses an access that is none", function()
    local m <close> = map {}
    assert.matches("^user%.lua:2: unknown access 'wirte' in fr%.populate: did you mean 'write'%?",
      told("a:populate 'wirte'", m))
  end)
end)

describe("memory that is not there", function()
  it("ends a pass with the name of the signal and the byte, not the script", function()
    local m <close> = assert(fr.map { bytes = 3 * page, file = file_of(page), shared = true })
    for _, pass in ipairs { "write", "read" } do
      local result <const>, message <const> = m[pass](m)
      assert.is_nil(result)
      assert.equal(("SIGBUS: byte %d of %d can't be touched: past the end of the file, or its disk "
        .. "is full"):format(page, 3 * page), message)
    end
    assert.is_nil((m:fill()))
    assert.is_nil((fr.time(fr.write { m })))
  end)

  it("includes stores to what may only be read", function()
    local m <close> = assert(fr.map { bytes = page, read_only = true })
    assert.matches("^SIGSEGV: byte 0 .* may only be read$", (select(2, m:write())))
    assert.equal(0, m:read().sum)
  end)
end)

describe("locking", function()
  it("brings all pages into memory, and is read back", function()
    unless_sanitized "has mlock(2) do nothing"
    exactly({ 0, 4 * page, 0 }, function()
      local m <close> = map { bytes = 4 * page }
      assert(m:lock())
      local found <const> = { m:write().minor_faults, m:backing().locked_bytes }
      assert(m:unlock())
      found[3] = m:backing().locked_bytes
      return found
    end)
  end)

  it("is refused with the limit that was hit, and the script goes on", function()
    unless_sanitized "has mlock(2) do nothing"
    local run <const> = as_user("prlimit --memlock=65536:65536", [[
      local m = assert(fr.map { bytes = "1 MiB" })
      print(m:lock())
      print(fr.map { bytes = "1 MiB", lock = true })
      print(m:write().accesses)
    ]])
    local first <const>, second <const>, third <const> = run.stdout:match "(.-)\n(.-)\n(.-)\n"
    assert.matches("cannot lock 1 MiB: .*%(ENOMEM%): .*RLIMIT_MEMLOCK, which is 64 KiB", first)
    assert.matches("cannot map 1 MiB: .*%(EAGAIN%): .*RLIMIT_MEMLOCK, which is 64 KiB", second)
    assert.equal(tostring((1 << 20) // page), third)
  end)
end)

describe("mapping", function()
  it("that is refused names the limit of the address space", function()
    unless_sanitized "reserves more address space than ulimit -v leaves"
    local run <const> = sessions.run('ulimit -v 300000; "$1" "$2"',
      'local m = assert(fr.map { bytes = "1 GiB" })')
    assert.equal(1, run.exit_status)
    assert.matches("cannot map 1 GiB: .*%(ENOMEM%): the address space is limited to 293%.0 MiB",
      run.stderr)
  end)

  it("takes huge pages from the pool, and never small ones in their place", function()
    local m <const>, message <const> = fr.map { bytes = "20 MiB", huge = true }
    if m then
      m:write()
      assert.equal(20 << 20, m:backing().hugetlb_bytes)
      assert.equal(0, m:backing().huge_bytes)
      m:close()
    else
      assert.matches("%(ENOMEM%): .*HugePages_Total %d+, HugePages_Free %d+", message)
    end
  end)

  it("refuses what does not go together, and files that are not there", function()
    assert.matches("^user%.lua:2: file of fr%.map goes without memfd",
      told "fr.map { bytes = 1, file = '/tmp', memfd = true }")
    assert.matches("^user%.lua:2: shared of fr%.map must be true or false, not 1",
      told "fr.map { bytes = 1, shared = 1 }")
    assert.matches("^user%.lua:2: offset of fr%.map must be whole pages",
      told "fr.map { bytes = 1, offset = 1 }")
    local m <const>, message <const>, errno <const> = fr.map { file = "/nowhere" }
    assert.is_nil(m)
    assert.matches("'/nowhere': No such file or directory %(ENOENT%)", message)
    assert.equal(require "posix.errno".ENOENT, errno)
  end)

  it("names the alignment that can't be had", function()
    assert.matches("^cannot map 4 KiB aligned to 4194304 TiB: ",
      (select(2, fr.map { bytes = 4096, align = 1 << 62 })))
  end)

  it("refuses a pipe with a name rather than waiting for its other end", function()
    local run <const> = sessions.run('mkfifo pipe; timeout 20 "$1" "$2"; echo $?', [[
      print(fr.map { file = "pipe" })
      print(fr.map { file = "pipe", bytes = 1, shared = true })
    ]])
    local why <const> = "of 'pipe': No such device %(ENODEV%): only regular files and block devices"
    assert.matches("cannot map 1 B " .. why .. ".*cannot map 1 B " .. why, run.stdout)
    assert.matches("\n0\n$", run.stdout)
  end)
end)

-- Hints and touches `bytes` at a place relative to a huge page; returns faults and backing.
local function touched(bytes, offset)
  if not huge or (fr.machine.thp ~= "madvise" and fr.machine.thp ~= "always") then
    pending(("no transparent huge pages here: %s"):format(fr.machine.thp or fr.machine.why.thp))
  end
  local m <close> = assert(fr.map { bytes = bytes, align = huge, offset = offset,
    advise = "hugepage" })
  return m:write().minor_faults, m:backing()
end

describe("huge pages", function()
  it("map all of a region that begins and ends at their boundaries, one fault each", function()
    exactly({ 8, 8 * huge }, function()
      local faults <const>, backing <const> = touched(8 * huge)
      return { faults, backing.huge_bytes, backing.why }
    end)
  end)

  it("leave head and tail small where the region begins a page behind one", function()
    exactly({ 7 + huge // page, 7 * huge, "its place has room for 7 aligned huge pages of "
      .. require "frlua.units".bytes(huge) .. " only" }, function()
      local faults <const>, backing <const> = touched(8 * huge, page)
      return { faults, backing.huge_bytes, backing.why }
    end)
  end)

  it("are none in a region that is smaller than one, which says so", function()
    local _, backing <const> = touched(huge // 2)
    assert.equal(0, backing.huge_bytes)
    assert.matches("^smaller than one huge page of ", backing.why)
  end)

  it("come by collapse without any hint, and then are known by what is mapped", function()
    touched(huge)
    local m <close> = assert(fr.map { bytes = 4 * huge, align = huge })
    m:write()
    local collapsed <const>, message <const> = m:collapse()
    if not collapsed then pending(message) end
    assert.equal(4 * huge, m:backing().huge_bytes)
  end)

  it("that can't be made are refused by name", function()
    local m <close> = map { bytes = page }
    assert.matches("^cannot collapse 4 KiB: Invalid argument %(EINVAL%): ",
      (select(2, m:collapse())))
  end)
end)

describe("dropping a file from memory", function()
  it("is verified page by page: a file system in memory keeps all of it", function()
    local m <close> = map { file = "/dev/shm", shared = true }
    m:fill()
    local evicted <const> = assert(m:evict_file())
    assert.same({ PAGES, PAGES, false }, { evicted.resident_pages, evicted.pages, evicted.cold })
  end)

  it("writes out first what is dirty, and the next read waits for the disk", function()
    local m <close> = map { file = "/var/tmp", shared = true }
    m:fill()
    local evicted <const> = assert(m:evict_file())
    if not evicted.cold then pending "/var/tmp keeps its files in memory" end
    assert.equal(0, m:resident_pages())
    assert.is_true(m:read().major_faults >= 1)
  end)

  it("is an error without a file", function()
    local m <close> = map {}
    assert.matches("^cannot evict the file of 1 MiB: .*%(EBADF%)", (select(2, m:evict_file())))
  end)
end)

describe("reading a file", function()
  it("takes the faults of its buffer inside the kernel", function()
    exactly({ PAGES, 0 }, function()
      local file <close> = map { memfd = true, shared = true }
      local buffer <close> = map {}
      file:fill()
      return { assert(buffer:read_file(file)).minor_faults, buffer:write().minor_faults }
    end)
  end)
end)

describe("smaps of a process", function()
  it("are its mappings, with this one's by default", function()
    assert.is_true(#fr.smaps() > 10)
    local child <const> = assert(fr.fork { run = function()
      return #assert(fr.smaps(require "posix.unistd".getppid()))
    end })
    assert.is_true(child.value > 10)
  end)

  it("are unknown, by the name of the error, and never empty", function()
    local none <const>, why <const>, errno <const> = fr.smaps(1 << 30)
    assert.is_nil(none)
    assert.matches("^unknown: ENOENT, ", why)
    assert.equal(require "posix.errno".ENOENT, errno)
    local run <const> = as_user("env", "print(fr.smaps(1))")
    assert.matches("^nil\tunknown: EACCES, cannot read '/proc/1/smaps'", run.stdout)
  end)
end)

describe("fr.rusage", function()
  it("with an earlier reading is what came since", function()
    exactly(PAGES, function()
      local m <close> = map {}
      fr.rusage(fr.rusage()) -- its own code
      local before <const> = fr.rusage()
      m:write()
      return fr.rusage(before).minor_faults // PAGES * PAGES
    end)
    assert.matches("^user%.lua:2: unknown key 'minor' in fr%.rusage: ",
      told "fr.rusage { minor = 1 }")
  end)
end)
