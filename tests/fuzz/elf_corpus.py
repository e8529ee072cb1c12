"""Writes small ELF files for a fuzzer to begin with: elf_corpus.py DIRECTORY

Each has every part that is read: segments, an interpreter, notes, a dynamic section with names and
relocations. They are of both classes and both orders of bytes, with and without addends. Laid out
by the System V ABI and elf(5).
"""
import os
import struct
import sys

PT_NULL, PT_LOAD, PT_DYNAMIC, PT_INTERP, PT_NOTE = 0, 1, 2, 3, 4
DT_NEEDED, DT_PLTRELSZ, DT_STRTAB, DT_STRSZ, DT_SONAME, DT_RPATH = 1, 2, 5, 10, 14, 15
DT_REL, DT_RELA, DT_PLTREL, DT_JMPREL, DT_RUNPATH, DT_FLAGS = 17, 7, 20, 23, 29, 30
SHT_NOTE = 7
BASE = 0x10000


class Layout:
    """Packs words of a class and an order of bytes."""

    def __init__(self, bits, order):
        self.bits, self.order = bits, order
        self.word = "Q" if bits == 64 else "I"

    def pack(self, form, *values):
        return struct.pack(self.order + form.replace("W", self.word), *values)

    def header(self, machine, segments, sections_at):
        size, entry, section = (64, 56, 64) if self.bits == 64 else (52, 32, 40)
        ident = b"\x7fELF" + bytes([self.bits // 32, 1 if self.order == "<" else 2, 1]) + bytes(9)
        return ident + self.pack("HHIWWWIHHHHHH", 3, machine, 1, BASE, size, sections_at, 0, size,
                                 entry, segments, section, 1, 0)

    def note_section(self, offset, size):
        return self.pack("IIWWWWIIWW", 0, SHT_NOTE, 0, 0, offset, size, 0, 0, 4, 0)

    def segment(self, kind, flags, offset, size, align):
        address = BASE + offset
        if self.bits == 64:
            return self.pack("IIQQQQQQ", kind, flags, offset, address, address, size, size, align)
        return self.pack("IIIIIIII", kind, offset, address, address, size, size, flags, align)

    def relocation(self, kind, has_addend):
        info = 1 << 32 | kind if self.bits == 64 else 1 << 8 | kind
        return self.pack("WW", BASE, info) + (self.pack("W", 0) if has_addend else b"")


def build(layout, machine, jump_slot, has_addend, has_note_segment):
    names = b"\0libc.so.6\0libx.so\0/opt/lib\0"
    relocations = layout.relocation(jump_slot, has_addend) * 3
    note = layout.pack("III", 4, 8, 3) + b"GNU\0" + bytes(range(8))
    parts, at = {}, len(layout.header(machine, 4, 0)) + 4 * (56 if layout.bits == 64 else 32)
    for name, body in (("interpreter", b"/lib/ld.so\0\0"), ("note", note), ("names", names),
                       ("relocations", relocations)):
        at += -at % 8
        parts[name] = (at, body)
        at += len(body)
    at += -at % 8
    tags = [(DT_NEEDED, 1), (DT_SONAME, 11), (DT_RPATH, 19), (DT_RUNPATH, 19), (DT_FLAGS, 8),
            (DT_STRTAB, BASE + parts["names"][0]), (DT_STRSZ, len(names)),
            (DT_PLTREL, DT_RELA if has_addend else DT_REL), (DT_PLTRELSZ, len(relocations)),
            (DT_JMPREL, BASE + parts["relocations"][0]), (0x6ffffffb, 1), (0, 0)]
    parts["dynamic"] = (at, b"".join(layout.pack("WW", *tag) for tag in tags))
    at += len(parts["dynamic"][1])
    parts["sections"] = (at, layout.note_section(parts["note"][0], len(note)))
    size = at + len(parts["sections"][1])
    image = bytearray(size)
    headers = layout.header(machine, 4, at) + layout.segment(PT_LOAD, 5, 0, size, 0x1000)
    for kind, name in ((PT_INTERP, "interpreter"), (PT_DYNAMIC, "dynamic"),
                       (PT_NOTE if has_note_segment else PT_NULL, "note")):
        headers += layout.segment(kind, 4, parts[name][0], len(parts[name][1]), 4)
    image[:len(headers)] = headers
    for offset, body in parts.values():
        image[offset:offset + len(body)] = body
    return bytes(image)


def main(directory):
    os.makedirs(directory, exist_ok=True)
    for name, bits, order, machine, jump_slot, has_addend, has_note in (
            ("x86_64", 64, "<", 62, 7, True, True), ("i386", 32, "<", 3, 7, False, False),
            ("ppc64", 64, ">", 21, 21, True, False), ("arm_big", 32, ">", 40, 22, False, True)):
        with open(os.path.join(directory, name), "wb") as file:
            file.write(build(Layout(bits, order), machine, jump_slot, has_addend, has_note))


main(sys.argv[1])
