--- What an ELF file says of how it is loaded: `fr.elf "/bin/true"`. It is read as the kernel and
--- the loader read it, by its program headers. What a process made of it is another question, for
--- `frlua.loaded`.
local backing <const> = require "frlua.backing"
local check <const> = require "frlua.check"
local machine <const> = require "frlua.machine"
local names <const> = require "frlua.elf_names"
local native <const> = require "frlua.native" "elf"
local signals <const> = require "frlua.signals"
local units <const> = require "frlua.units"

local elf <const> = {}

---@class frlua.ElfSegment a program header; fields as in elf(5), in bytes
---@field type string such as "LOAD", or in hexadecimal digits
---@field flags string such as "r-x"
---@field offset integer
---@field vaddr integer
---@field filesz integer
---@field memsz integer
---@field align integer p_align

---@class frlua.ElfDynamic
---@field needed string[] in the order of the file
---@field soname string?
---@field rpath string?
---@field runpath string?
---@field flags string[] of DT_FLAGS, by name
---@field flags_raw integer? nil without DT_FLAGS
---@field flags_1 string[]
---@field flags_1_raw integer?
---@field has_bind_now_tag boolean DT_BIND_NOW
---@field has_hash boolean DT_HASH
---@field has_gnu_hash boolean DT_GNU_HASH

---@class frlua.ElfText whether the code could be on huge pages
---@field possible boolean? as far as the file goes; nil when the size of a huge page is unknown
---@field why string
---@field huge_bytes integer? how much of it whole huge pages could map at most, rightly placed
---@field segment frlua.ElfSegment? its PT_LOAD

---@class frlua.Elf
---@field path string
---@field class integer 32 or 64
---@field byte_order "little"|"big"
---@field type string "EXEC", "DYN", "REL", "CORE", "NONE", or in hexadecimal digits
---@field machine string such as "x86-64", or in hexadecimal digits
---@field entry integer an address; like all of them it is negative from 2^63 on
---@field is_pie boolean a program that can be loaded anywhere; a shared library is none
---@field is_program boolean something to be started: it has fixed addresses or is_pie
---@field interpreter string?
---@field segments frlua.ElfSegment[] all program headers
---@field loads frlua.ElfSegment[] of PT_LOAD
---@field largest_align integer? of PT_LOAD
---@field has table<string, boolean> by type of segment: `has.GNU_STACK`
---@field dynamic frlua.ElfDynamic?
---@field dynamic_why string? why there is none
---@field bind_now string[] where binding at start is asked for: "DT_BIND_NOW", "DT_FLAGS",
---"DT_FLAGS_1"; empty for nowhere
---@field binding "lazy"|"now"|"none" when calls into other libraries are bound; LD_BIND_NOW, which
---may change "lazy", is no part of the file
---@field binding_why string
---@field plt_relocations integer entries of DT_JMPREL
---@field jump_slots integer? those of them that lazy binding is about
---@field jump_slots_why string?
---@field relro "none"|"partial"|"full" full: PT_GNU_RELRO, and bound before it is protected
---@field build_id string? hexadecimal digits
---@field text frlua.ElfText

local PF_X <const>, PF_W <const>, PF_R <const> = 1, 2, 4

local function permissions(flags)
  return (flags & PF_R ~= 0 and "r" or "-") .. (flags & PF_W ~= 0 and "w" or "-")
    .. (flags & PF_X ~= 0 and "x" or "-")
end

local function add_segments(found, raw)
  found.segments, found.loads, found.has = {}, {}, {}
  for index, segment in ipairs(raw.segments) do
    segment.type = names.of(names.SEGMENTS, segment.type)
    segment.flags = permissions(segment.flags)
    found.segments[index], found.has[segment.type] = segment, true
    if segment.type == "LOAD" then
      found.loads[#found.loads + 1] = segment
      local align <const> = found.largest_align
      found.largest_align =
        (not align or math.ult(align, segment.align)) and segment.align or align
    end
  end
end

-- The tags by name: the last of several counts, as for glibc's loader.
local function by_name(tags)
  local last <const>, needed <const> = {}, {}
  for _, tag in ipairs(tags) do
    local name <const> = names.TAGS[tag.tag]
    if name == "NEEDED" then
      needed[#needed + 1] = tag.text
    elseif name then
      last[name] = tag
    end
  end
  return last, needed
end

local function value_of(tag) return tag and tag.value end
local function text_of(tag) return tag and tag.text end

local function dynamic_of(last, needed)
  local flags <const>, flags_1 <const> = value_of(last.FLAGS), value_of(last.FLAGS_1)
  return {
    needed = needed, soname = text_of(last.SONAME),
    rpath = text_of(last.RPATH), runpath = text_of(last.RUNPATH),
    flags = names.bits(names.FLAGS, flags or 0), flags_raw = flags,
    flags_1 = names.bits(names.FLAGS_1, flags_1 or 0), flags_1_raw = flags_1,
    has_bind_now_tag = last.BIND_NOW ~= nil,
    has_hash = last.HASH ~= nil, has_gnu_hash = last.GNU_HASH ~= nil,
  }
end

local DF_BIND_NOW <const>, DF_1_NOW <const>, DF_1_PIE <const> = 1 << 3, 1 << 0, 1 << 27

-- Some linkers write one of them, some two.
local function bind_now_places(dynamic)
  local places <const> = {}
  local function add(is_asked_for, place)
    if is_asked_for then places[#places + 1] = place end
  end
  if dynamic then
    add(dynamic.has_bind_now_tag, "DT_BIND_NOW")
    add((dynamic.flags_raw or 0) & DF_BIND_NOW ~= 0, "DT_FLAGS")
    add((dynamic.flags_1_raw or 0) & DF_1_NOW ~= 0, "DT_FLAGS_1")
  end
  return places
end

-- Linkers have not always written DF_1_PIE; DT_DEBUG, a place for debuggers, they write into
-- programs only.
local function is_pie(found, last)
  return found.type == "DYN" and ((value_of(last.FLAGS_1) or 0) & DF_1_PIE ~= 0
    or found.interpreter ~= nil and last.DEBUG ~= nil)
end

local function no_dynamic_why(found)
  if found.has.DYNAMIC then
    return "its dynamic section has no bytes in the file, as in a file of debug information"
  elseif found.type == "REL" then
    return "an object file: it is not linked yet"
  end
  return "static: it has no dynamic section"
end

local function no_plt_why(found, size)
  if not size then return "no PLT relocations: it has no DT_PLTRELSZ" end
  if size.value == 0 then return "no PLT relocations: DT_PLTRELSZ is 0" end
  return ("none of its %s is a jump slot, which alone are bound late"):format(
    units.plural(found.plt_relocations, "PLT relocation"))
end

-- musl's loader binds everything when it loads it (its documentation, "Functional differences from
-- glibc": lazy bindings).
local function binds_always(interpreter)
  return interpreter and interpreter:match "/ld%-musl%-[^/]*$" ~= nil
end

-- What was asked for comes first, whether there is something to bind or not.
local function binding_of(found, last)
  if not found.dynamic then return "none", found.dynamic_why end
  if found.bind_now[1] then
    return "now", "asked for by " .. table.concat(found.bind_now, " and ")
  end
  if found.plt_relocations == 0 or found.jump_slots == 0 then
    return "none", no_plt_why(found, last.PLTRELSZ)
  end
  if binds_always(found.interpreter) then
    return "now", ("musl's loader, %s, binds everything at start"):format(found.interpreter)
  end
  local why <const> = "none of DT_BIND_NOW, DT_FLAGS and DT_FLAGS_1 asks for binding at start"
  return "lazy", found.jump_slots and why or ("%s; %s"):format(why, found.jump_slots_why)
end

local function relro_of(found)
  if not found.has.GNU_RELRO then return "none" end
  return found.bind_now[1] and "full" or "partial"
end

-- Of several segments with code the largest.
local function code_segment(loads)
  local largest
  for _, segment in ipairs(loads) do
    if segment.flags:find "x" and (not largest or segment.filesz > largest.filesz) then
      largest = segment
    end
  end
  return largest
end

-- What of a segment the kernel maps from the file: whole pages.
local function mapped_range(segment, page)
  local from <const> = segment.vaddr // page * page
  return from, (segment.vaddr + segment.filesz + page - 1) // page * page - from
end

-- A huge page of a file holds an aligned piece of it, at an aligned address. Where a program may
-- be loaded anywhere, only p_align asks for an aligned start; fixed addresses are what they are.
local function text_of_file(found)
  local segment <const> = code_segment(found.loads)
  if not segment then return { possible = false, why = "it has no segment with code" } end
  local huge <const>, page <const> = machine.huge_page_bytes, machine.page_bytes
  local text <const> = { segment = segment }
  if not huge then
    text.why = "the size of a huge page is unknown: " .. machine.why.huge_page_bytes
    return text
  end
  local from <const>, bytes <const> = mapped_range(segment, page)
  local size <const> = units.bytes(huge)
  text.huge_bytes, text.possible = backing.room(from, bytes, huge), false
  if (segment.vaddr - segment.offset) % huge ~= 0 then
    text.why = ("its offset in the file, 0x%x, and its address, 0x%x, differ modulo %s")
      :format(segment.offset, segment.vaddr, size)
  elseif text.huge_bytes == 0 then
    text.why = ("its %s hold no whole, aligned huge page of %s"):format(units.bytes(bytes), size)
  elseif found.type == "DYN" and math.ult(found.largest_align, huge) then
    text.why = ("it may be loaded anywhere, and its largest p_align, %s, is below %s: where it"
      .. " comes to lie is left to chance"):format(units.bytes(found.largest_align), size)
  else
    text.possible = true
    text.why = ("room for %s of %s, by %s"):format(units.plural(text.huge_bytes // huge,
      "huge page"), size, found.type == "DYN" and "p_align " .. units.bytes(found.largest_align)
      or "its fixed addresses")
  end
  return text
end

-- The meaning of what was read.
local function interpret(path, raw)
  local last <const>, needed <const> = by_name(raw.tags or {})
  local found <const> = {
    path = path, class = raw.class, byte_order = raw.byte_order, entry = raw.entry,
    type = names.of(names.TYPES, raw.type), machine = names.of(names.MACHINES, raw.machine),
    interpreter = raw.interpreter, build_id = raw.build_id,
    plt_relocations = raw.plt_relocations, jump_slots = raw.jump_slots,
    dynamic = raw.tags and dynamic_of(last, needed),
  }
  if not raw.jump_slots then
    found.jump_slots_why = ("which relocations are jump slots is not known for %s"):format(
      found.machine)
  end
  add_segments(found, raw)
  found.dynamic_why = not raw.tags and no_dynamic_why(found) or nil
  found.bind_now = bind_now_places(found.dynamic)
  found.is_pie = is_pie(found, last)
  found.is_program = found.is_pie or found.type == "EXEC"
  found.binding, found.binding_why = binding_of(found, last)
  found.relro, found.text = relro_of(found), text_of_file(found)
  return found
end

---Reads an ELF file: `fr.elf(path)`. One that is wrong, cut or no regular file is nil, and a
---message that says what is wrong.
---@param path string
---@return frlua.Elf?
---@return string? message
---@return integer? errno when the system refused to read it
function elf.read(path)
  check.text(path, "the path of fr.elf")
  if path:find("\0", 1, true) then
    check.fail("the path of fr.elf must not hold a NUL byte: " .. check.show(path))
  end
  local raw <const>, message <const>, code <const> = native.read(path)
  if raw then return interpret(path, raw) end
  if not code then return nil, ("'%s' %s"):format(path, message) end
  return nil, ("cannot read '%s': %s (%s)"):format(path, message, signals.error_name(code)), code
end

return setmetatable(elf, { __call = function(_, path) return elf.read(path) end })
