local elf_image <const> = require "elf_image"
local errno <const> = require "posix.errno"
local fr <const> = require "frlua"
local sessions <const> = require "sessions"

local BASE <const>, NEEDED <const>, build <const> = elf_image.BASE, 1, elf_image.build
local names <const> = elf_image.NAMES

setup(sessions.open)
teardown(sessions.close)

-- What is said of a file that is refused, without its name.
local function refusal(image, length)
  local path <const> = elf_image.write(sessions.directory .. "/image", image, length)
  local found <const>, message <const> = fr.elf(path)
  assert.is_nil(found)
  return (message:gsub("^'[^']*' ", ""))
end

describe("a file that is not right", function()
  it("is refused wherever it is cut", function()
    for _, kind in ipairs(elf_image.KINDS) do
      local image <const>, at <const> = build(elf_image.everything(kind[1], kind[2]))
      local headers <const> = at.segments -- which stand behind the header
      local loads <const> = at.contents
      for length = 1, #image - 1 do
        local part <const> = refusal(image:sub(1, length)):match "^is cut in (.-) ?%d*: "
        assert.equal(length < headers and "its header" or length < loads and "its program headers"
          or "segment", part)
      end
    end
  end)

  it("is told apart from what was never an ELF file", function()
    assert.equal("is empty", refusal "")
    assert.equal("is no ELF file: it begins with the bytes 23 21 2f 62", refusal "#!/bin/sh\n")
    assert.equal("is no ELF file: it begins with the bytes 7f 45 4c 00", refusal "\x7fEL\0" )
    assert.equal("is cut in its header: 16 bytes at 0x0, in a file of 3", refusal "\x7fEL")
  end)

  it("is refused with what is wrong in its header", function()
    local image <const> = build {}
    for _, case in ipairs {
      { 4, "\3", "ELF class 3" }, { 5, "\0", "byte order 0" }, { 6, "\2", "ELF version 2" },
      { 54, "\57", "has program headers of 57 bytes, not 56" },
      { 56, "\xff\xff", "has 65535 program headers or more" },
      { 32, ("\xff"):rep(8), "is cut in its program headers: 112 bytes at 0xffffffffffffffff" },
    } do
      assert.matches(case[3], refusal(elf_image.patched(image, case[1], case[2])), 1, true)
    end
  end)

  it("is refused with what is wrong in its segments", function()
    for _, case in ipairs {
      { { load = { filesz = 1 << 40, memsz = 1 << 40 } }, "is cut in segment 0: 0x10000000000" },
      { { load = { offset = -1 } }, "is cut in segment 0" },
      { { load = { memsz = 1 } }, "segment 0 with more bytes in the file than in memory" },
      { { load = { vaddr = -16 } }, "segment 0 that ends beyond all addresses" },
      { { bits = 32, load = { vaddr = 0xfffffff0 } }, "segment 0 that ends beyond all addresses" },
      { { interpreter = "/lib/ld.so" }, "cut in its interpreter (PT_INTERP): no byte 0 ends it" },
      { { interpreter = ("x"):rep(8192) .. "\0" }, "has an interpreter of 8193 bytes" },
      { { build_id = ("x"):rep(2000) }, "has a build id of 2000 bytes, more than 1024" },
    } do
      assert.matches(case[2], refusal((build(case[1]))), 1, true)
    end
    local image <const>, at <const> = build { build_id = "1234" }
    assert.matches("is cut in its notes: one has 0x", refusal(
      elf_image.patched(image, at.note + 4, "\xf0\xff\xff\xff")), 1, true)
  end)

  it("is refused with what is wrong in its dynamic section", function()
    for _, case in ipairs {
      { { names = names, tags = { { NEEDED, #names } } }, "has a name at 0x1c of a table of 0x1c" },
      { { names = "libx", tags = { { NEEDED, 0 } } }, "names (DT_STRTAB): no byte 0 ends it" },
      { { tags = { { 2, 24 } } }, "without their address (DT_JMPREL)" },
      { { tags = { { 2, 24 }, { 23, BASE } } }, "without their kind (DT_PLTREL)" },
      { { tags = { { 2, 25 }, { 23, BASE }, { 20, 7 } } }, "that are no whole ones" },
      { { tags = { { 2, 24 << 30 }, { 23, BASE }, { 20, 7 } } }, "relocations of the PLT, more" },
      { { tags = { { 2, 24 }, { 23, 8 }, { 20, 7 } } }, "no segment with all of its relocations" },
    } do
      assert.matches(case[2], refusal((build(case[1]))), 1, true)
    end
    local image <const> = build { names = names, tags = { { NEEDED, 1 } } }
    local endless <const> = image:sub(1, -17) .. ("\1"):rep(16)
    assert.matches("without an end (DT_NULL)", refusal(endless), 1, true)
  end)

  it("has no more than one dynamic section", function()
    local zeros <const> = ("\0"):rep(16) -- a section of nothing but DT_NULL
    local function with_second(offset)
      return build { names = zeros, segments = { { type = 2, offset = offset, filesz = 16 } } }
    end
    local _, at <const> = with_second(0)
    assert.equal("has more than one dynamic section (PT_DYNAMIC)",
      refusal((with_second(at.names))))
  end)

  it("costs neither the time nor the memory that it claims", function()
    local long <const> = ("x"):rep(1 << 16) .. "\0"
    local tags <const> = {}
    for index = 1, 20 do tags[index] = { NEEDED, 0 } end
    assert.matches("has names of more than", refusal((build { names = long, tags = tags })))
    local hole <const> = 1 << 40 -- bytes of a file that is nothing but a hole
    for kind, what in pairs { [2] = "has a dynamic section of 68719476224 entries",
      [4] = "has more than 65536 notes" } do
      local image <const> = build { static = true, segments = {
        { type = kind, offset = 8192, filesz = hole - 8192 } } }
      assert.matches(what, refusal(image, hole), 1, true)
    end
  end)

  it("is no regular file, and none that blocks", function()
    local path <const> = sessions.directory .. "/fifo"
    assert(require "posix.sys.stat".mkfifo(path, tonumber("600", 8)))
    local found <const>, message <const>, code <const> = fr.elf(path)
    assert.same({ nil, ("'%s' is no regular file, but a FIFO"):format(path), nil },
      { found, message, code })
    local socket <const> = require "posix.sys.socket"
    local address <const> = { family = socket.AF_UNIX, path = sessions.directory .. "/socket" }
    local descriptor <const> = assert(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0))
    assert(socket.bind(descriptor, address))
    require "posix.unistd".close(descriptor)
    assert.equal(("'%s' is no regular file, but a socket"):format(address.path),
      select(2, fr.elf(address.path)))
    assert.equal("'/dev/null' is no regular file, but a character device",
      select(2, fr.elf "/dev/null"))
  end)

  it("is an error of the system, with its name and number, when it can't be read", function()
    local found <const>, message <const>, code <const> = fr.elf "/no/such/file"
    assert.is_nil(found)
    assert.equal("cannot read '/no/such/file': No such file or directory (ENOENT)", message)
    assert.equal(errno.ENOENT, code)
    assert.equal(errno.EISDIR, select(3, fr.elf "/"))
    if require "posix.unistd".geteuid() ~= 0 then
      local path <const> = sessions.directory .. "/secret"
      assert(io.open(path, "w")):close()
      assert(require "posix.sys.stat".chmod(path, 0))
      assert.equal(errno.EACCES, select(3, fr.elf(path)))
    end
  end)

  it("is refused at the script's line when its path is none", function()
    assert.matches("^user%.lua:2: the path of fr%.elf must be a text that is not empty, not nil",
      sessions.told "fr.elf()")
    assert.matches("^user%.lua:2: the path of fr%.elf must not hold a NUL byte",
      sessions.told "fr.elf 'a\\0b'")
  end)
end)
