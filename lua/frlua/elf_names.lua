--- The numbers of ELF files by the names that elf(5), elf.h and readelf have for them.
local names <const> = {}

names.TYPES = { [0] = "NONE", "REL", "EXEC", "DYN", "CORE" }

names.MACHINES = {
  [2] = "SPARC", [3] = "i386", [4] = "68k", [8] = "MIPS", [15] = "HPPA", [20] = "PowerPC",
  [21] = "PowerPC64", [22] = "S/390", [40] = "ARM", [42] = "SuperH", [43] = "SPARC V9",
  [50] = "IA-64", [62] = "x86-64", [183] = "AArch64", [195] = "ARCv2", [243] = "RISC-V",
  [247] = "BPF", [258] = "LoongArch", [0x9026] = "Alpha",
}

names.SEGMENTS = {
  [0] = "NULL", "LOAD", "DYNAMIC", "INTERP", "NOTE", "SHLIB", "PHDR", "TLS",
  [0x6474e550] = "GNU_EH_FRAME", [0x6474e551] = "GNU_STACK", [0x6474e552] = "GNU_RELRO",
  [0x6474e553] = "GNU_PROPERTY",
}

---Tags that something is made of here.
names.TAGS = {
  [1] = "NEEDED", [2] = "PLTRELSZ", [4] = "HASH", [14] = "SONAME", [15] = "RPATH", [21] = "DEBUG",
  [22] = "TEXTREL", [24] = "BIND_NOW", [29] = "RUNPATH", [30] = "FLAGS", [0x6ffffef5] = "GNU_HASH",
  [0x6ffffffb] = "FLAGS_1",
}

-- From bit 0 on.
names.FLAGS = { "ORIGIN", "SYMBOLIC", "TEXTREL", "BIND_NOW", "STATIC_TLS" }
names.FLAGS_1 = {
  "NOW", "GLOBAL", "GROUP", "NODELETE", "LOADFLTR", "INITFIRST", "NOOPEN", "ORIGIN", "DIRECT",
  "TRANS", "INTERPOSE", "NODEFLIB", "NODUMP", "CONFALT", "ENDFILTEE", "DISPRELDNE", "DISPRELPND",
  "NODIRECT", "IGNMULDEF", "NOKSYMS", "NOHDR", "EDITED", "NORELOC", "SYMINTPOSE", "GLOBAUDIT",
  "SINGLETON", "STUB", "PIE", "KMOD", "WEAKFILTER", "NOCOMMON",
}

---The name of a number; one without a name in hexadecimal digits, unlike every name.
---@param list table<integer, string>
---@param number integer
---@return string
function names.of(list, number)
  return list[number] or ("0x%x"):format(number)
end

---The names of the bits that are set, from the lowest on; what has no name is the last entry, in
---hexadecimal digits.
---@param list string[]
---@param value integer
---@return string[]
function names.bits(list, value)
  local set <const>, rest = {}, value
  for index, name in ipairs(list) do
    local bit <const> = 1 << index - 1
    if value & bit ~= 0 then set[#set + 1], rest = name, rest & ~bit end
  end
  if rest ~= 0 then set[#set + 1] = ("0x%x"):format(rest) end
  return set
end

return names
