local elf_image <const> = require "elf_image"
local fr <const> = require "frlua"
local machine <const> = require "frlua.machine"
local sessions <const> = require "sessions"
local tree <const> = dofile "tests/lua/data/tree.lua"

local BASE <const>, build <const> = elf_image.BASE, elf_image.build
local DEBUG <const>, BIND_NOW <const>, FLAGS <const>, FLAGS_1 <const> = 21, 24, 30, 0x6ffffffb
local JUMP_SLOT <const>, IRELATIVE <const> = 7, 37 -- of x86-64

setup(sessions.open)
teardown(sessions.close)

local function read(image, length)
  return fr.elf(elf_image.write(sessions.directory .. "/image", image, length))
end

local function image_of(fields) return assert(read((build(fields)))) end

describe("fr.elf", function()
  it("reads both classes in both orders of bytes", function()
    for _, kind in ipairs(elf_image.KINDS) do
      local image <const>, at <const> = build(elf_image.everything(kind[1], kind[2]))
      local found <const> = assert(read(image))
      assert.same({ kind[1], kind[2] == "<" and "little" or "big", "DYN", 0x10123 },
        { found.class, found.byte_order, found.type, found.entry })
      assert.equal(kind[1] == 64 and "x86-64" or "i386", found.machine)
      assert.same({ "/lib/ld.so", "0012abff" }, { found.interpreter, found.build_id })
      assert.same({
        needed = { "libc.so.6", "libx.so" }, soname = "libx.so", rpath = "/opt/lib",
        runpath = "/opt/lib", flags = { "STATIC_TLS" }, flags_raw = 0x10,
        flags_1 = { "GLOBAL", "PIE" }, flags_1_raw = 0x8000002, has_bind_now_tag = false,
        has_hash = true, has_gnu_hash = false,
      }, found.dynamic)
      assert.same({ 3, 2 }, { found.plt_relocations, found.jump_slots })
      assert.same({
        type = "LOAD", flags = "r-x", offset = 0, vaddr = BASE, filesz = #image, memsz = #image,
        align = 4096,
      }, found.loads[1])
      assert.same({ type = "INTERP", flags = "r--", offset = at.interpreter,
        vaddr = BASE + at.interpreter, filesz = 11, memsz = 11, align = 4 }, found.segments[3])
      assert.same({ 1, 5, 4096 }, { #found.loads, #found.segments, found.largest_align })
      assert.same({ GNU_STACK = true, INTERP = true, NOTE = true, LOAD = true, DYNAMIC = true },
        found.has)
    end
  end)

  it("names what it knows, and shows the rest in hexadecimal digits", function()
    local found <const> = image_of {
      type = 0xfe00, machine = 0x1234, tags = { { FLAGS, 0x108 }, { FLAGS_1, 1 << 40 | 1 } },
      segments = { { type = 0x70000001, offset = 0, filesz = 0 } },
    }
    assert.same({ "0xfe00", "0x1234", "0x70000001" },
      { found.type, found.machine, found.segments[2].type })
    assert.same({ "BIND_NOW", "0x100" }, found.dynamic.flags)
    assert.same({ "NOW", "0x10000000000" }, found.dynamic.flags_1)
  end)

  it("takes the largest p_align, of segments that are loaded", function()
    assert.equal(0x200000, image_of { segments = {
      { type = 1, offset = 0, filesz = 0, align = 0x200000 },
      { type = 1, offset = 0, filesz = 0, align = 0x1000 },
      { type = 7, offset = 0, filesz = 0, align = 0x400000 },
    } }.largest_align)
  end)

  it("tells programs from libraries, by what old linkers wrote, too", function()
    local loader <const> = "/lib/ld.so\0"
    for _, case in ipairs {
      { { type = 2 }, false, true }, { { type = 3 }, false, false }, { { type = 1 }, false, false },
      { { tags = { { FLAGS_1, 1 << 27 } } }, true, true }, -- static, too
      { { interpreter = loader, tags = { { DEBUG, 0 } } }, true, true },
      { { interpreter = loader }, false, false }, -- glibc's libc.so.6
      { { tags = { { DEBUG, 0 } } }, false, false },
    } do
      local found <const> = image_of(case[1])
      assert.same({ case[2], case[3] }, { found.is_pie, found.is_program })
    end
  end)

  it("finds the build id behind other notes, padded as their segment is", function()
    for _, align in ipairs { 4, 8 } do
      local function padded(text) return text .. ("\0"):rep(-#text % align) end
      local function note(kind, text)
        return padded(("<I4I4I4"):pack(4, #text, kind) .. "GNU\0") .. padded(text)
      end
      local notes <const> = note(1, "1234") .. note(3, "\xca\xfe") .. note(2, "12345")
      local function with_notes(offset)
        return build { names = notes, segments = {
          { type = 4, offset = offset, filesz = #notes, align = align },
        } }
      end
      local _, at <const> = with_notes(0)
      assert.equal("cafe", assert(read((with_notes(at.names)))).build_id)
    end
  end)

  it("does not find fault with a file without program headers", function()
    local image <const> = build { type = 1, static = true }
    local count <const> = 56 -- of e_phnum in the header of 64 bits
    local found <const> = assert(read(elf_image.patched(image, count, "\0\0")))
    assert.same({ {}, false, "none", "an object file: it is not linked yet" },
      { found.loads, found.text.possible, found.binding, found.binding_why })
    assert.is_nil(found.largest_align)
  end)
end)

describe("the binding of an ELF file", function()
  local lazy <const> = { JUMP_SLOT }

  local function of(tags, fields)
    fields = fields or {}
    fields.tags = tags
    if fields.relocations == nil then fields.relocations = lazy end
    local found <const> = image_of(fields)
    return { found.binding, found.bind_now }, found
  end

  it("is now when any of three places says so, and lazy when none does", function()
    assert.same({ "now", { "DT_BIND_NOW" } }, of { { BIND_NOW, 0 } })
    assert.same({ "now", { "DT_FLAGS" } }, of { { FLAGS, 8 } })
    assert.same({ "now", { "DT_FLAGS_1" } }, of { { FLAGS_1, 1 } })
    local all <const>, found <const> = of { { FLAGS_1, 1 }, { FLAGS, 8 }, { BIND_NOW, 0 } }
    assert.same({ "now", { "DT_BIND_NOW", "DT_FLAGS", "DT_FLAGS_1" } }, all)
    assert.equal("asked for by DT_BIND_NOW and DT_FLAGS and DT_FLAGS_1", found.binding_why)
    assert.same({ "lazy", {} }, of {})
    assert.same({ "lazy", {} }, of { { FLAGS, 0x17 }, { FLAGS_1, 1 << 27 } }) -- all but it
  end)

  it("takes the last of several tags, as the loader does", function()
    assert.same({ "lazy", {} }, of { { FLAGS, 8 }, { FLAGS, 0 } })
    assert.same({ "now", { "DT_FLAGS" } }, of { { FLAGS, 0 }, { FLAGS, 8 } })
    local names_table <const>, names_bytes <const>, needed <const> = 5, 10, 1
    assert.same({ "libc.so.6" }, image_of { names = elf_image.NAMES, tags = {
      { needed, 1 }, { names_table, 8 }, { names_bytes, 1 },
    } }.dynamic.needed)
  end)

  it("is none where there is nothing to bind late, with the reason", function()
    local _, plain <const> = of({}, { relocations = false })
    assert.same({ "none", "no PLT relocations: it has no DT_PLTRELSZ" },
      { plain.binding, plain.binding_why })
    local _, zero <const> = of({}, { relocations = {} })
    assert.same({ "none", "no PLT relocations: DT_PLTRELSZ is 0" },
      { zero.binding, zero.binding_why })
    local _, early <const> = of({}, { relocations = { IRELATIVE, IRELATIVE } })
    assert.same({ "none", 2, 0 }, { early.binding, early.plt_relocations, early.jump_slots })
    assert.equal("none of its 2 PLT relocations is a jump slot, which alone are bound late",
      early.binding_why)
    local static <const> = image_of { type = 2, static = true }
    assert.same({ "none", "static: it has no dynamic section" },
      { static.binding, static.binding_why })
    assert.equal(static.binding_why, static.dynamic_why)
  end)

  it("is now when it is asked for, though there is nothing to bind", function()
    assert.same({ "now", { "DT_FLAGS" } }, of({ { FLAGS, 8 } }, { relocations = false }))
  end)

  it("is now for a loader that knows no other", function()
    local _, found <const> = of({}, { interpreter = "/lib/ld-musl-x86_64.so.1\0" })
    assert.same({ "now", "musl's loader, /lib/ld-musl-x86_64.so.1, binds everything at start" },
      { found.binding, found.binding_why })
    assert.same({ "lazy", {} }, of({}, { interpreter = "/opt/ld-musl-like/ld.so\0" }))
  end)

  it("says that it is not known which relocations are bound late on a machine", function()
    local _, found <const> = of({}, { machine = 8 })
    assert.same({ "lazy", 1 }, { found.binding, found.plt_relocations })
    assert.is_nil(found.jump_slots)
    assert.matches("not known for MIPS", found.jump_slots_why)
    assert.matches("; which relocations are jump slots is not known", found.binding_why)
  end)

  it("decides between partial and full RELRO", function()
    local relro <const> = { { type = 0x6474e552, offset = 0, filesz = 0 } }
    local function of_tags(tags, segments)
      return image_of { tags = tags, segments = segments }.relro
    end
    assert.equal("none", of_tags({ { BIND_NOW, 0 } }))
    assert.equal("partial", of_tags({}, relro))
    assert.equal("full", of_tags({ { FLAGS_1, 1 } }, relro))
  end)
end)

describe("the text of an ELF file", function()
  local huge <const> = machine.huge_page_bytes
  local page <const> = machine.page_bytes

  -- Of a file whose only segment has that place; its bytes are a hole.
  local function text_of(load, fields)
    fields = fields or {}
    load.vaddr, load.filesz = load.vaddr or 0, load.filesz
    fields.load, fields.static = load, true
    return assert(read(build(fields), load.offset + load.filesz)).text
  end

  local function whole(fields)
    local load <const> = { offset = 0, filesz = 2 * huge, align = huge }
    for key, value in pairs(fields or {}) do load[key] = value end
    return load
  end

  it("could be on huge pages when its start is aligned, and it is long enough", function()
    if not huge then return pending "the size of a huge page is unknown" end
    local text <const> = text_of(whole())
    assert.same({ true, 2 * huge }, { text.possible, text.huge_bytes })
    assert.matches("room for 2 huge pages of .*, by p_align ", text.why)
    assert.equal(huge, text_of(whole { filesz = 2 * huge - page }).huge_bytes)
  end)

  it("counts what is mapped: whole pages", function()
    if not huge then return pending "the size of a huge page is unknown" end
    assert.equal(2 * huge, text_of(whole { filesz = 2 * huge - page + 1 }).huge_bytes)
    assert.equal(0, text_of(whole { filesz = huge - page }).huge_bytes)
  end)

  it("could not where the file gives no aligned start", function()
    if not huge then return pending "the size of a huge page is unknown" end
    local text <const> = text_of(whole { align = page })
    assert.is_false(text.possible)
    assert.matches("left to chance", text.why)
    assert.is_true(text_of(whole { align = page }, { type = 2 }).possible) -- fixed addresses
  end)

  it("could not where file and address differ modulo a huge page", function()
    if not huge then return pending "the size of a huge page is unknown" end
    local text <const> = text_of(whole { vaddr = page })
    assert.is_false(text.possible)
    assert.matches("^its offset in the file, 0x0, and its address, 0x%x+, differ modulo", text.why)
    assert.is_true(text_of(whole { vaddr = page, offset = page }).possible)
  end)

  it("could not where it holds no whole one", function()
    if not huge then return pending "the size of a huge page is unknown" end
    local text <const> =
      text_of(whole { vaddr = page, offset = page, filesz = 2 * huge - 2 * page })
    assert.same({ false, 0 }, { text.possible, text.huge_bytes })
    assert.matches("hold no whole, aligned huge page", text.why)
  end)

  it("is unknown where the size of a huge page is", function()
    local fake <close> = tree.new {}
    machine.read_from { sys = fake.path }
    local text <const> = image_of({}).text
    machine.read_from {}
    assert.is_nil(text.possible)
    assert.matches("^the size of a huge page is unknown: .", text.why)
  end)

  it("is the largest segment with code; without one it is none", function()
    local text <const> = image_of { load = { flags = 6 } }.text
    assert.same({ false, "it has no segment with code" }, { text.possible, text.why })
    assert.equal(64, image_of { load = { flags = 4 }, segments = {
      { type = 1, offset = 0, filesz = 8, flags = 5 },
      { type = 1, offset = 0, filesz = 64, flags = 5 },
      { type = 1, offset = 0, filesz = 16, flags = 5 },
    } }.text.segment.filesz)
  end)
end)
