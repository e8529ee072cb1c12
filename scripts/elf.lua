-- What does a file say of how it is loaded, and where is it really loaded? p_align is what the file
-- asks for; the load address and the huge pages of its code are read in a process.
--
--   frlua scripts/elf.lua FILE                  a program is held before its first instruction
--   frlua scripts/elf.lua FILE -- command …     the command is let run, ten times, and looked at
local fr      <const> = require "frlua"
local aligned <const> = require "frlua.report.table"
local loaded  <const> = require "frlua.loaded"

local machine <const>, units <const> = fr.machine, fr.units
local page <const>, huge <const> = machine.page_bytes, machine.huge_page_bytes
local STARTS <const> = 10

local function arguments()
  if not arg[1] or arg[1] == "--" or arg[2] and not (arg[2] == "--" and arg[3]) then
    error("elf.lua FILE [-- command …], not " .. table.concat(arg, " "), 0)
  end
  return arg[1], arg[3] and table.move(arg, 3, #arg, 1, {})
end

local function say(...) print(aligned.printable(string.format(...))) end

local function row(name, ...)
  say("%-16s %s", name, string.format(...))
end

local function list(entries, raw)
  if not raw then return "none" end
  return ("%s (0x%x)"):format(entries[1] and table.concat(entries, " ") or "no names", raw)
end

local KINDS <const> = {
  EXEC = "a program at fixed addresses", REL = "an object file", CORE = "a core file",
  NONE = "of no type",
}

local function print_head(found)
  say("%s: ELF of %d bits, %s endian, %s", found.path, found.class, found.byte_order, found.machine)
  row("type", "%s, %s", found.type, found.type ~= "DYN" and (KINDS[found.type] or "of its own kind")
    or found.is_pie and "a program that may be loaded anywhere (PIE)" or "a shared library")
  row("entry", "0x%x", found.entry)
  row("interpreter", "%s", found.interpreter or "none")
  row("build id", "%s", found.build_id or "none")
end

local function print_dynamic(found)
  local dynamic <const> = found.dynamic
  if not dynamic then
    row("dynamic section", "none: %s", found.dynamic_why)
    return
  end
  for _, name in ipairs(dynamic.needed) do row("NEEDED", "%s", name) end
  for _, name in ipairs { "soname", "rpath", "runpath" } do
    if dynamic[name] then row(name:upper(), "%s", dynamic[name]) end
  end
  row("FLAGS", "%s", list(dynamic.flags, dynamic.flags_raw))
  row("FLAGS_1", "%s", list(dynamic.flags_1, dynamic.flags_1_raw))
  row("BIND_NOW", "%s", dynamic.has_bind_now_tag and "present" or "none")
  row("hash", "%s", dynamic.has_gnu_hash and dynamic.has_hash and "GNU_HASH, HASH"
    or dynamic.has_gnu_hash and "GNU_HASH" or dynamic.has_hash and "HASH" or "none")
end

local function print_binding(found)
  row("PLT relocations", "%d, jump slots: %s", found.plt_relocations, found.jump_slots
    or "unknown, " .. found.jump_slots_why)
  row("binding", "%s: %s", found.binding, found.binding_why)
  row("RELRO", "%s", found.relro)
  row("stack", "%s", found.has.GNU_STACK and "PT_GNU_STACK" or "no PT_GNU_STACK")
end

-- p_align against the page size, exercise 5's table.
local function against_page(align)
  if align == 0 or align == 1 then return "none" end
  if align & (align - 1) ~= 0 then return "no power of two" end
  if align % page ~= 0 then return "below a page" end
  return units.plural(align // page, "page")
end

local function print_loads(found)
  local rows <const> = {
    { "PT_LOAD", "flags", "offset", "vaddr", "filesz", "memsz", "p_align", "in pages", "mapped" },
  }
  for index, segment in ipairs(found.loads) do
    local from <const> = segment.vaddr // page * page
    local mapped <const> = (segment.vaddr + segment.memsz + page - 1) // page * page - from
    rows[index + 1] = {
      ("%d"):format(index), segment.flags, ("0x%x"):format(segment.offset),
      ("0x%x"):format(segment.vaddr), ("0x%x"):format(segment.filesz),
      ("0x%x"):format(segment.memsz), units.bytes(segment.align), against_page(segment.align),
      units.plural(mapped // page, "page"),
    }
  end
  say("Segments that are mapped, in whole pages of %s", units.bytes(page))
  if not found.loads[1] then say("none") else print(table.concat(aligned.lines(rows), "\n")) end
end

local function alignment_text(seen)
  if not seen.alignment then return "fixed: 0 is added to the addresses in the file" end
  return ("%s divides all of them%s"):format(units.bytes(seen.alignment), seen.different > 1 and ""
    or ", but one address says little")
end

local function text_text(seen)
  local text <const> = seen.text
  if not text then return "unknown: " .. seen.text_why end
  if not text.huge_bytes then return "unknown: smaps does not say" end
  return ("%s of %s on huge pages, %s resident%s"):format(units.bytes(text.huge_bytes),
    units.bytes(text.bytes), text.resident_bytes and units.bytes(text.resident_bytes) or "unknown",
    text.has_ended and " when it was seen last" or "")
end

local function print_loaded(found, command)
  local seen <const>, why <const> = loaded.observe(found, command, STARTS)
  local asked <const> = found.largest_align
  row("p_align", "%s", asked and ("%s at most, %s"):format(units.bytes(asked), against_page(asked))
    or "none: nothing is loaded")
  if seen then
    row("load address", "%d starts at %s, first 0x%x", STARTS,
      units.plural(seen.different, "different place"), seen.addresses[1])
    row("alignment seen", "%s", alignment_text(seen))
  else
    row("load address", "unknown: %s", why)
  end
  local text <const> = found.text
  row("code huge, could", "%s: %s", text.possible == nil and "unknown" or text.possible and "yes"
    or "no", text.why)
  row("code huge, is", "%s", seen and text_text(seen) or "unknown: " .. why)
end

local function main()
  local path <const>, command <const> = arguments()
  local found <const>, message <const> = fr.elf(path)
  if not found then error(message, 0) end
  print_head(found)
  print_dynamic(found)
  print_binding(found)
  print()
  print_loads(found)
  print()
  say("Loaded, with pages of %s%s", units.bytes(page), huge
    and (" and huge pages of %s; ASLR %s"):format(units.bytes(huge), machine.aslr or "unknown")
    or "; the size of a huge page is unknown, " .. machine.why.huge_page_bytes)
  print_loaded(found, command)
end

main()
