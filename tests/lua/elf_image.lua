--- ELF files made by hand, from the System V ABI and elf(5): of both classes and both orders of
--- bytes.
local elf_image <const> = {}

---What the file is loaded at.
elf_image.BASE = 0x10000

---By bits and order of bytes.
elf_image.KINDS = { { 32, "<" }, { 32, ">" }, { 64, "<" }, { 64, ">" } }

---A table of names: libc.so.6 at 1, libx.so at 11, /opt/lib at 19.
elf_image.NAMES = "\0libc.so.6\0libx.so\0/opt/lib\0"

local SIZES <const> = {
  [32] = { header = 52, segment = 32, section = 40, word = "I4" },
  [64] = { header = 64, segment = 56, section = 64, word = "i8" },
}

local function packer(options)
  local word <const> = SIZES[options.bits].word
  return function(form, ...) return (options.order .. form:gsub("W", word)):pack(...) end
end

local function header(pack, options, segments, sections_at)
  local size <const> = SIZES[options.bits]
  local order <const> = options.order == "<" and 1 or 2
  local ident <const> = "\x7fELF" .. string.char(options.bits // 32, order, 1) .. ("\0"):rep(9)
  return ident .. pack("I2I2I4WWWI4I2I2I2I2I2I2", options.type, options.machine, 1, options.entry,
    size.header, sections_at, 0, size.header, size.segment, segments, size.section,
    sections_at > 0 and 1 or 0, 0)
end

local function segment_header(pack, bits, segment)
  local base <const> = segment.vaddr or elf_image.BASE + segment.offset
  local memsz <const> = segment.memsz or segment.filesz
  local flags <const>, align <const> = segment.flags or 4, segment.align or 4
  if bits == 64 then
    return pack("I4I4WWWWWW", segment.type, flags, segment.offset, base, base, segment.filesz,
      memsz, align)
  end
  return pack("I4WWWWWI4W", segment.type, segment.offset, base, base, segment.filesz, memsz, flags,
    align)
end

local DEFAULTS <const> = {
  bits = 64, order = "<", type = 3, machine = 62, entry = 0x10123, names = "", tags = {},
}

local function with_defaults(given)
  local options <const> = setmetatable({}, { __index = DEFAULTS })
  for key, value in pairs(given) do options[key] = value end
  return options
end

local PT_LOAD <const>, PT_DYNAMIC <const>, PT_INTERP <const>, PT_NOTE <const> = 1, 2, 3, 4

-- r_info has the symbol, 1, above the type: 8 or 32 bits further up (System V ABI).
local function relocations(pack, options)
  local list <const>, has_addend <const> = {}, options.bits == 64
  for index, kind in ipairs(options.relocations or {}) do
    list[index] = pack("WW", elf_image.BASE, 1 << (has_addend and 32 or 8) | kind)
      .. (has_addend and pack("W", 0) or "")
  end
  return table.concat(list)
end

local DT_STRTAB <const>, DT_STRSZ <const>, DT_RELA <const>, DT_REL <const> = 5, 10, 7, 17
local DT_PLTRELSZ <const>, DT_PLTREL <const>, DT_JMPREL <const> = 2, 20, 23

-- The tags asked for, then those that say where the names and the relocations are.
local function dynamic(pack, options, at, relocation_bytes)
  local tags <const> = table.move(options.tags, 1, #options.tags, 1, {})
  local function add(tag, value) tags[#tags + 1] = { tag, value } end
  add(DT_STRTAB, elf_image.BASE + at.names)
  add(DT_STRSZ, #options.names)
  if options.relocations then
    add(DT_PLTREL, options.bits == 64 and DT_RELA or DT_REL)
    add(DT_PLTRELSZ, relocation_bytes)
    add(DT_JMPREL, elf_image.BASE + at.relocations)
  end
  add(0, 0)
  for index, tag in ipairs(tags) do tags[index] = pack("WW", tag[1], tag[2]) end
  return table.concat(tags)
end

---Makes a file of one PT_LOAD with everything in it, and what is asked for.
---@param given table `bits`, `order`, `type`, `machine`, `entry`; `interpreter`, `build_id`: texts;
---`names`: the table of names; `tags`: `{ { tag, value }, … }`; `relocations`: their types;
---`segments`: further ones, `{ { type, offset, filesz, … }, … }`; `load`: fields of the PT_LOAD;
---`static`: no dynamic section
---@return string image
---@return table<string, integer> at offsets: `segments`, `contents`, `names`, `relocations`,
---`dynamic`, …
function elf_image.build(given)
  local options <const> = with_defaults(given)
  local pack <const>, size <const> = packer(options), SIZES[options.bits]
  local segments <const> = table.move(options.segments or {}, 1, #(options.segments or {}), 1, {})
  local count <const> = #segments + 1 + (options.interpreter and 1 or 0)
    + (options.build_id and 1 or 0) + (options.static and 0 or 1)
  local at <const>, parts = { segments = size.header }, {}
  local length = size.header + count * size.segment
  at.contents = length
  local function append(name, text, kind)
    local gap <const> = -length % 8
    at[name], parts[#parts + 1] = length + gap, ("\0"):rep(gap) .. text
    length = length + gap + #text
    if kind then
      segments[#segments + 1] = { type = kind, offset = at[name], filesz = #text }
    end
  end
  if options.interpreter then append("interpreter", options.interpreter, PT_INTERP) end
  if options.build_id then
    append("note", pack("I4I4I4", 4, #options.build_id, 3) .. "GNU\0" .. options.build_id, PT_NOTE)
  end
  append("names", options.names)
  local relocated <const> = relocations(pack, options)
  append("relocations", relocated)
  if not options.static then
    append("dynamic", dynamic(pack, options, at, #relocated), PT_DYNAMIC)
  end
  local load <const> = { type = PT_LOAD, offset = 0, filesz = length, flags = 5, align = 4096 }
  for key, value in pairs(options.load or {}) do load[key] = value end
  table.insert(segments, 1, load)
  local headers <const> = { header(pack, options, #segments, 0) }
  for index, segment in ipairs(segments) do
    headers[index + 1] = segment_header(pack, options.bits, segment)
  end
  return table.concat(headers) .. table.concat(parts), at
end

---Of `build`: a file that has one of each.
---@param bits 32|64
---@param order "<"|">"
---@return table
function elf_image.everything(bits, order)
  local needed <const>, soname <const>, rpath <const>, runpath <const> = 1, 14, 15, 29
  local hash <const>, flags <const>, flags_1 <const>, stack <const> = 4, 30, 0x6ffffffb, 0x6474e551
  local jump_slot <const>, irelative <const> = 7, bits == 64 and 37 or 42
  return {
    bits = bits, order = order, machine = bits == 64 and 62 or 3, names = elf_image.NAMES,
    interpreter = "/lib/ld.so\0", build_id = "\0\x12\xab\xff",
    tags = {
      { needed, 1 }, { soname, 11 }, { needed, 11 }, { runpath, 19 }, { rpath, 19 },
      { hash, 0x10000 }, { flags, 0x10 }, { flags_1, 0x8000002 },
    },
    relocations = { jump_slot, irelative, jump_slot },
    segments = { { type = stack, offset = 0, filesz = 0, flags = 6, align = 16 } },
  }
end

---@param path string
---@param image string
---@param length? integer of the file: what comes behind the image is a hole
---@return string path
function elf_image.write(path, image, length)
  local file <close> = assert(io.open(path, "wb"))
  file:write(image)
  if length then
    file:seek("set", length - 1)
    file:write "\0"
  end
  return path
end

---The image with some of its bytes exchanged.
---@param image string
---@param offset integer
---@param bytes string
---@return string
function elf_image.patched(image, offset, bytes)
  return image:sub(1, offset) .. bytes .. image:sub(offset + #bytes + 1)
end

return elf_image
