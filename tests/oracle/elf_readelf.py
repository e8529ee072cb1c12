"""Compares fr.elf with readelf (GNU binutils), file by file.

    elf_readelf.py FRLUA [--sample N] [FILE or DIRECTORY …]

By default every ELF file under /usr/bin and /usr/lib; with --sample, so many of them that are
spread evenly over the sorted list. Prints what differs, and a line with the counts; exit status 1 if
anything differs, or nothing was compared.
"""
import json
import os
import re
import subprocess
import sys

BATCH = 64
LISTING = r'''
local fr <const>, json <const> = require "frlua", require "frlua.json"
for path in io.lines() do
  local found <const>, message <const> = fr.elf(path)
  print(json.encode(found or { path = path, message = message }))
end
'''


def elf_files(places):
    """Regular files, each once, that begin as ELF files do."""
    for place in places:
        inside = ([os.path.join(directory, name) for directory, _, names in os.walk(place)
                   for name in names] if os.path.isdir(place) else [place])
        for path in inside:
            if os.path.islink(path) and inside != [place] or not os.path.isfile(path):
                continue
            if "\n" in path:
                continue
            with open(path, "rb") as file:
                if file.read(4) == b"\x7fELF":
                    yield path


def readelf(paths):
    """What readelf prints, a text for each path."""
    environment = dict(os.environ, LC_ALL="C")
    ran = subprocess.run(["readelf", "-W", "-h", "-l", "-d", "-n", "-r", "-D", *paths],
                         env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = ran.stdout.decode("latin-1")
    if len(paths) == 1:
        return [text]
    parts = re.split(r"^\nFile: .*$", text, flags=re.M)
    assert len(parts) == len(paths) + 1, "readelf printed other than one part a file"
    return parts[1:]


def one(pattern, text, default=None):
    found = re.search(pattern, text, re.M)
    return found.group(1) if found else default


SEGMENT = re.compile(r"^  (\S+) +0x(\w+) 0x(\w+) 0x\w+ 0x(\w+) 0x(\w+) (.{3}) (?:0x)?(\w+)$", re.M)

# What processors have of their own is a number for fr.elf.
PROCESSOR_SEGMENTS = {"ABIFLAGS": "0x70000003", "REGINFO": "0x70000000", "EXIDX": "0x70000001",
                      "RISCV_ATTRIBUT": "0x70000003", "RTPROC": "0x70000001"}


def signed(number):
    return number - (1 << 64) if number >= 1 << 63 else number


def segments_of(text):
    found = []
    for kind, offset, vaddr, filesz, memsz, flags, align in SEGMENT.findall(text):
        # "LOOS+0x474e553" for what has no name
        if kind.startswith("LOOS+"):
            kind = "0x%x" % (0x60000000 + int(kind[5:], 16))
        kind = PROCESSOR_SEGMENTS.get(kind, kind)
        flags = "".join(new if old in flags else "-" for old, new in ("Rr", "Ww", "Ex"))
        found.append([kind, *(signed(int(x, 16)) for x in (offset, vaddr, filesz, memsz)), flags,
                      signed(int(align, 16))])
    return found


def dynamic_of(text):
    if "Dynamic section at offset" not in text:
        return None
    rows = re.findall(r"^ 0x(\w+) \((\S+)\) +(.*)$", text.split("Dynamic section at offset")[1],
                      re.M)
    named = {}
    for _, name, value in rows:
        named.setdefault(name, []).append(value)

    def bracketed(name):
        values = [re.search(r"\[(.*)\]", value).group(1) for value in named.get(name, [])]
        return values

    def last(name):
        return (bracketed(name) or [None])[-1]

    def words(name):
        value = named.get(name, [""])[-1]
        return value.replace("Flags:", "").split()
    return {
        "needed": bracketed("NEEDED"), "soname": last("SONAME"), "rpath": last("RPATH"),
        "runpath": last("RUNPATH"), "flags": words("FLAGS"), "flags_1": words("FLAGS_1"),
        "has_bind_now_tag": "BIND_NOW" in named, "has_hash": "HASH" in named,
        "has_gnu_hash": "GNU_HASH" in named, "has_debug": "DEBUG" in named,
    }


MACHINES = {
    "Advanced Micro Devices X86-64": "x86-64", "Intel 80386": "i386", "AArch64": "AArch64",
    "ARM": "ARM", "RISC-V": "RISC-V", "IBM S/390": "S/390", "PowerPC": "PowerPC",
    "PowerPC64": "PowerPC64", "Linux BPF": "BPF", "Intel IA-64": "IA-64", "LoongArch": "LoongArch",
    "Sparc": "SPARC", "Sparc v9": "SPARC V9", "MC68000": "68k", "MIPS R3000": "MIPS",
    "Renesas / SuperH SH": "SuperH",
}


def jump_slots_of(text):
    """The lines of the PLT's relocations whose type is a jump slot's, and all of them."""
    part = re.search(r"^'PLT' relocation section at offset.*?(?=^$|\Z)", text,
                     re.M | re.S)
    rows = re.findall(r"^[0-9a-f]{8,16} +[0-9a-f]{8,16} +(R_\S+)", part.group(0) if part else "",
                      re.M)
    return sum(bool(re.search("JUMP?_SLO", row)) for row in rows), len(rows)


def expected(text):
    """The same facts as fr.elf, by readelf."""
    dynamic = dynamic_of(text)
    segments = segments_of(text)
    loads = [segment for segment in segments if segment[0] == "LOAD"]
    places = []
    if dynamic:
        places = [place for place, is_there in (
            ("DT_BIND_NOW", dynamic["has_bind_now_tag"]),
            ("DT_FLAGS", "BIND_NOW" in dynamic["flags"]),
            ("DT_FLAGS_1", "NOW" in dynamic["flags_1"])) if is_there]
    interpreter = one(r"\[Requesting program interpreter: (.*)\]", text)
    # readelf itself goes by DF_1_PIE alone, which linkers have not always written.
    has_pie_signs = bool(dynamic) and ("PIE" in dynamic["flags_1"]
                                       or bool(interpreter) and dynamic.pop("has_debug"))
    if dynamic:
        dynamic.pop("has_debug", None)
    slots, relocations = jump_slots_of(text)
    machine = one(r"^  Machine: +(.*?) *$", text)
    kind = one(r"^  Type: +(\S+)", text)
    return {
        "class": int(one(r"^  Class: +ELF(\d+)", text)),
        "byte_order": one(r"^  Data: .*, (\S+) endian", text),
        "type": kind, "machine": MACHINES.get(machine, machine),
        "entry": signed(int(one(r"^  Entry point address: +0x(\w+)", text), 16)),
        "interpreter": interpreter,
        "segments": segments, "largest_align": max([load[6] for load in loads], default=None),
        "dynamic": dynamic, "bind_now": places,
        "is_pie": kind == "DYN" and has_pie_signs,
        "plt_relocations": relocations, "jump_slots": slots,
        # Of object files no notes are read.
        "build_id": one(r"Build ID: (\w+)", text) if segments else None,
    }


def said(found):
    """What fr.elf says, in the same form."""
    result = {key: found.get(key) for key in (
        "class", "byte_order", "type", "machine", "entry", "interpreter", "largest_align",
        "bind_now", "is_pie", "plt_relocations", "jump_slots", "build_id")}
    result["bind_now"] = list(found.get("bind_now") or [])
    result["segments"] = [[segment[key] for key in ("type", "offset", "vaddr", "filesz", "memsz",
                                                    "flags", "align")]
                          for segment in found["segments"]]
    dynamic = found.get("dynamic")
    if dynamic:
        dynamic = {key: dynamic.get(key) for key in (
            "needed", "soname", "rpath", "runpath", "flags", "flags_1", "has_bind_now_tag",
            "has_hash", "has_gnu_hash")}
        for key in ("needed", "flags", "flags_1"):
            dynamic[key] = list(dynamic[key])
    result["dynamic"] = dynamic
    return result


def differences(path, text, found):
    if "message" in found:
        return ["%s: refused: %s" % (path, found["message"])]
    wanted, got = expected(text), said(found)
    return ["%s: %s is %r, by readelf %r" % (path, key, got[key], wanted[key])
            for key in wanted if wanted[key] != got[key]]


def ours(frlua, paths):
    ran = subprocess.run([frlua, "-e", LISTING], input="\n".join(paths) + "\n", text=True,
                         encoding="utf-8", errors="surrogateescape", stdout=subprocess.PIPE,
                         check=True)
    return [json.loads(line) for line in ran.stdout.splitlines()]


def main(frlua, arguments):
    sample = None
    if arguments[:1] == ["--sample"]:
        sample, arguments = int(arguments[1]), arguments[2:]
    paths = sorted(elf_files(arguments or ["/usr/bin", "/usr/lib"]))
    if sample and len(paths) > sample:
        paths = [paths[i * len(paths) // sample] for i in range(sample)]
    different = 0
    for start in range(0, len(paths), BATCH):
        batch = paths[start:start + BATCH]
        for path, text, found in zip(batch, readelf(batch), ours(frlua, batch)):
            lines = differences(path, text, found)
            different += bool(lines)
            for line in lines:
                print(line)
    print("%d files compared, %d differ" % (len(paths), different))
    return 1 if different or not paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
