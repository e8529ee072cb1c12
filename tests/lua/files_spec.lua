local files <const> = require "frlua.files"
local fcntl <const> = require "posix.fcntl"
local stat <const> = require "posix.sys.stat"
local stdio <const> = require "posix.stdio"
local stdlib <const> = require "posix.stdlib"
local unistd <const> = require "posix.unistd"
local tree <const> = dofile "tests/lua/data/tree.lua"

local ENOENT <const>, EISDIR <const>, ELOOP <const>, ENOSPC <const> = 2, 21, 40, 28

-- Reads without the code that is tested.
local function text_of(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end

local function names_in(directory)
  local names <const> = {}
  for _, name in ipairs(require "posix.dirent".dir(directory)) do
    if name ~= "." and name ~= ".." then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

local function permissions(path)
  return ("%o"):format(stat.stat(path).st_mode & tonumber("7777", 8))
end

local function fails(expected_errno, path, value, message, errno)
  assert.is_nil(value)
  assert.matches("'" .. path .. "'", message, 1, true)
  assert.equal(expected_errno, errno)
end

describe("a file that is written", function()
  it("holds the text, or the texts one after the other, with NULs and all", function()
    local root <close> = tree.new()
    assert.is_true(files.write(root.path .. "/a", "one\0two\n"))
    assert.equal("one\0two\n", text_of(root.path .. "/a"))
    assert.is_true(files.write(root.path .. "/a", { "three", "", "four" }))
    assert.equal("threefour", text_of(root.path .. "/a"))
    assert.same({ "a" }, names_in(root.path))
  end)

  it("holds what a function gives, piece by piece", function()
    local root <close> = tree.new()
    local pieces <const> = { "one\0", "", "two" }
    assert.is_true(files.write(root.path .. "/a", function() return table.remove(pieces, 1) end))
    assert.equal("one\0two", text_of(root.path .. "/a"))
    pieces[1] = "device"
    assert.is_true(files.write("/dev/null", function() return table.remove(pieces, 1) end))
    fails(ENOSPC, "/dev/full", files.write("/dev/full", function() return "x" end))
  end)

  it("is the old one, and nothing is beside it, where that function breaks", function()
    local root <close> = tree.new { file = "old" }
    local count = 0
    assert.has_error(function()
      files.write(root.path .. "/file", function()
        count = count + 1
        return count < 3 and "new" or error("broken", 0)
      end)
    end, "broken")
    assert.equal("old\n", text_of(root.path .. "/file"))
    assert.same({ "file" }, names_in(root.path))
  end)

  it("is never seen half done: the old one stays until the new one has its name", function()
    local root <close> = tree.new { file = "old" }
    local path <const> = root.path .. "/file"
    local seen
    stub(unistd, "fsync", function()
      seen = text_of(path)
      return 0
    end)
    local old <close> = assert(io.open(path))
    local written <const> = files.write(path, "new")
    unistd.fsync:revert()
    assert.is_true(written)
    assert.equal("old\n", seen)
    assert.equal("old\n", old:read "a") -- another file, not the same one written over
    assert.equal("new", text_of(path))
  end)

  it("is on the disk before it has its name", function()
    local root <close> = tree.new()
    local calls <const> = {}
    for name, module in pairs { fsync = unistd, write = unistd, rename = stdio } do
      local real <const> = module[name]
      stub(module, name, function(...)
        calls[#calls + 1] = name
        return real(...)
      end)
    end
    files.write(root.path .. "/file", "text")
    for name, module in pairs { fsync = unistd, write = unistd, rename = stdio } do
      module[name]:revert()
    end
    assert.same({ "write", "fsync", "rename" }, calls)
  end)

  it("is whole though the system takes it in parts or interrupts", function()
    local root <close> = tree.new()
    local real <const>, interrupted = unistd.write, false
    stub(unistd, "write", function(descriptor, text, bytes, offset)
      interrupted = not interrupted
      if interrupted then return nil, "Interrupted system call", 4 end
      return real(descriptor, text, math.min(bytes, 3), offset)
    end)
    local written <const> = files.write(root.path .. "/file", "0123456789")
    unistd.write:revert()
    assert.is_true(written)
    assert.equal("0123456789", text_of(root.path .. "/file"))
  end)

  it("is as it was after a failure, and nothing is left beside it", function()
    local root <close> = tree.new { file = "old" }
    stub(unistd, "write", function() return nil, "No space left on device", ENOSPC end)
    local written <const>, message <const>, errno <const> = files.write(root.path .. "/file", "new")
    unistd.write:revert()
    fails(ENOSPC, root.path .. "/file", written, message, errno)
    assert.matches("No space left on device", message)
    assert.equal("old\n", text_of(root.path .. "/file"))
    assert.same({ "file" }, names_in(root.path))
  end)

  it("leaves nothing beside it when the script is stopped halfway", function()
    local root <close> = tree.new { file = "old" }
    stub(unistd, "fsync", function() error "interrupted" end)
    local ok <const> = pcall(files.write, root.path .. "/file", "new")
    unistd.fsync:revert()
    assert.is_false(ok)
    assert.same({ "file" }, names_in(root.path))
  end)

  it("passes over a temporary file that an earlier process left", function()
    local root <close> = tree.new {
      [".frlua-" .. unistd.getpid() .. "-1.tmp"] = "left",
    }
    assert.is_true(files.write(root.path .. "/file", "new"))
    assert.equal("new", text_of(root.path .. "/file"))
    assert.equal(2, #names_in(root.path))
  end)

  it("keeps the permissions that it had, and gets new ones by the umask", function()
    local root <close> = tree.new { file = "old" }
    stat.chmod(root.path .. "/file", tonumber("4751", 8))
    files.write(root.path .. "/file", "new")
    assert.equal("4751", permissions(root.path .. "/file"))
    local umask <const> = stat.umask(tonumber("027", 8))
    files.write(root.path .. "/other", "new")
    stat.umask(umask)
    assert.equal("640", permissions(root.path .. "/other"))
  end)

  it("keeps its owner when root writes it", function()
    if unistd.geteuid() ~= 0 then return pending "only root can give files away" end
    local root <close> = tree.new { file = "old" }
    unistd.chown(root.path .. "/file", 12345, 23456)
    files.write(root.path .. "/file", "new")
    local found <const> = stat.stat(root.path .. "/file")
    assert.same({ 12345, 23456 }, { found.st_uid, found.st_gid })
  end)

  it("stays as it is when it may not be written", function()
    local root <close> = tree.new { file = "old" }
    stub(unistd, "access", function() return nil, "Permission denied", 13 end)
    local written <const>, message <const>, errno <const> = files.write(root.path .. "/file", "new")
    unistd.access:revert()
    fails(13, root.path .. "/file", written, message, errno)
    assert.equal("old\n", text_of(root.path .. "/file"))
  end)

  it("is the target of a symbolic link, and the link stays", function()
    local root <close> = tree.new { ["there/file"] = "old" }
    unistd.link("there/file", root.path .. "/relative", true)
    unistd.link(root.path .. "/relative", root.path .. "/twice", true)
    unistd.link("there/new", root.path .. "/dangling", true)
    assert.is_true(files.write(root.path .. "/twice", "new"))
    assert.is_true(files.write(root.path .. "/dangling", "newer"))
    assert.equal("new", text_of(root.path .. "/there/file"))
    assert.equal("newer", text_of(root.path .. "/there/new"))
    assert.equal("there/file", unistd.readlink(root.path .. "/relative"))
    assert.equal("there/new", unistd.readlink(root.path .. "/dangling"))
  end)

  it("is found in the current directory, too", function()
    local root <close> = tree.new()
    local before <const> = unistd.getcwd()
    unistd.chdir(root.path)
    local written <const>, message <const> = files.write("here", "new")
    unistd.chdir(before)
    assert.is_true(written, message)
    assert.equal("new", text_of(root.path .. "/here"))
  end)
end)

describe("what is no plain file", function()
  it("is written to as it is, not replaced", function()
    local root <close> = tree.new()
    local path <const> = root.path .. "/pipe"
    stat.mkfifo(path, tonumber("600", 8))
    local reader <const> = fcntl.open(path, fcntl.O_RDONLY | fcntl.O_NONBLOCK)
    assert.is_true(files.write(path, "through"))
    assert.equal("through", unistd.read(reader, 100))
    unistd.close(reader)
    assert.is_true(stat.S_ISFIFO(stat.lstat(path).st_mode) ~= 0)
    assert.same({ "pipe" }, names_in(root.path))
  end)

  it("is reported with its path when it does not take the text", function()
    local root <close> = tree.new()
    local path <const> = root.path .. "/pipe"
    stat.mkfifo(path, tonumber("600", 8))
    local reader <const> = fcntl.open(path, fcntl.O_RDONLY | fcntl.O_NONBLOCK)
    stub(unistd, "write", function() return nil, "No space left on device", ENOSPC end)
    local written <const>, message <const>, errno <const> = files.write(path, "x")
    unistd.write:revert()
    unistd.close(reader)
    fails(ENOSPC, path, written, message, errno)
  end)

  it("may be a descriptor, whose file is written on where it stands", function()
    local root <close> = tree.new { file = "old" }
    local path <const> = root.path .. "/file"
    local descriptor <const> = fcntl.open(path, fcntl.O_WRONLY | fcntl.O_APPEND)
    unistd.link("/dev/fd/" .. descriptor, root.path .. "/link", true)
    assert.is_true(files.write("/dev/fd/" .. descriptor, "1"))
    assert.is_true(files.write("/proc/self/fd/" .. descriptor, "2"))
    assert.is_true(files.write(root.path .. "/link", "3"))
    unistd.close(descriptor)
    assert.equal("old\n123", text_of(path))
  end)

  -- By a link of its own that is like /dev/stdout: the specs may run as root, and broken code would
  -- replace the real one.
  it("is standard output by the name - and by a link, after what was printed", function()
    local root <close> = tree.new { ["script.lua"] = [[
      local files = require "frlua.files"
      io.write "1"
      files.write("-", "2")
      io.write "3"
      files.write(arg[1], "4")
      io.write "5"
    ]] }
    unistd.link("/proc/self/fd/1", root.path .. "/stdout", true)
    local frlua <const> = require "frlua.core".root .. "/bin/frlua"
    os.execute(("cd %s && '%s' script.lua ./stdout > out"):format(root.path, frlua))
    assert.equal("12345", text_of(root.path .. "/out"))
  end)

  it("is refused with its path and errno", function()
    local root <close> = tree.new()
    fails(EISDIR, root.path, files.write(root.path, "x"))
    fails(ENOENT, root.path .. "/no/file", files.write(root.path .. "/no/file", "x"))
    unistd.link(root.path .. "/loop", root.path .. "/loop", true)
    fails(ELOOP, root.path .. "/loop", files.write(root.path .. "/loop", "x"))
    fails(9, "/dev/fd/999", files.write("/dev/fd/999", "x"))
  end)
end)

describe("a file that is read", function()
  it("comes whole, also from /proc and /sys, where files do not tell their size", function()
    local root <close> = tree.new()
    files.write(root.path .. "/file", ("x"):rep(100000) .. "\0end")
    assert.equal(("x"):rep(100000) .. "\0end", files.read(root.path .. "/file"))
    assert.matches("^cpu ", files.read "/proc/stat")
    assert.matches("^%d", files.read "/sys/devices/system/cpu/online")
  end)

  it("has a message with its path, and an errno, when it can't be read", function()
    local root <close> = tree.new()
    fails(ENOENT, root.path .. "/none", files.read(root.path .. "/none"))
    fails(EISDIR, root.path, files.read(root.path))
  end)
end)

describe("directories", function()
  it("are made with those above them, open to nobody else, and may be there already", function()
    local root <close> = tree.new()
    local path <const> = root.path .. "/a//b/c"
    local umask <const> = stat.umask(0)
    assert.is_true(files.make_directories(path))
    stat.umask(umask)
    assert.is_true(files.make_directories(path .. "/"))
    assert.same({ "700", "700", "700" }, { permissions(root.path .. "/a"),
      permissions(root.path .. "/a/b"), permissions(path) })
  end)

  it("can't be made where a file is", function()
    local root <close> = tree.new { file = "x" }
    fails(20, root.path .. "/file", files.make_directories(root.path .. "/file"))
    fails(20, root.path .. "/file", files.make_directories(root.path .. "/file/below"))
  end)
end)

describe("the place of what is kept between runs", function()
  local before <const> = { HOME = os.getenv "HOME", XDG_STATE_HOME = os.getenv "XDG_STATE_HOME" }

  local function state_path(home, state_home)
    stdlib.setenv("HOME", home)
    stdlib.setenv("XDG_STATE_HOME", state_home)
    local path <const>, message <const> = files.state_path "last.json"
    stdlib.setenv("HOME", before.HOME)
    stdlib.setenv("XDG_STATE_HOME", before.XDG_STATE_HOME)
    return path, message
  end

  it("is below $XDG_STATE_HOME, by default ~/.local/state", function()
    assert.equal("/state/frlua/last.json", state_path("/home/x", "/state"))
    assert.equal("/home/x/.local/state/frlua/last.json", state_path("/home/x", nil))
    assert.equal("/home/x/.local/state/frlua/last.json", state_path("/home/x", ""))
  end)

  it("is not below a relative $XDG_STATE_HOME, which is invalid", function()
    assert.equal("/home/x/.local/state/frlua/last.json", state_path("/home/x", "state"))
  end)

  it("is below the home directory of the passwd entry where HOME is not set", function()
    local home <const> = io.popen("getent passwd " .. unistd.getuid()):read "a"
      :match "^[^:]*:[^:]*:[^:]*:[^:]*:[^:]*:([^:]*):"
    assert.equal(home .. "/.local/state/frlua/last.json", state_path(nil, nil))
    assert.equal(home .. "/.local/state/frlua/last.json", state_path("relative", nil))
  end)

  it("is unknown for a user without either", function()
    local pwd <const> = require "posix.pwd"
    stub(pwd, "getpwuid", function() return nil end)
    local path <const>, message <const> = state_path(nil, nil)
    pwd.getpwuid:revert()
    assert.is_nil(path)
    assert.matches("HOME is not set", message)
  end)
end)
