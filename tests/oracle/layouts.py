"""Layouts: what their addresses count, and the seeds of their chains; see crosscheck.py."""

MASK = 2 ** 64 - 1


def splitmix64(state):
    """The first output of the generator in this state."""
    z = (state + 0x9E3779B97F4A7C15) & MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def fnv_1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & MASK
    return value


def offsets_of(layout):
    """The offset of every line; None where a script's own function gave them."""
    if layout.get("by") == "function":
        return None
    off, wrap = layout["off"], layout.get("wrap", 1)
    return [line * layout["gap"] + off * (line % wrap) for line in range(layout["lines"])]


def audit_of(offsets, geometry):
    """What addresses count, in a region that begins at a multiple of every size."""
    line, sets = geometry.get("line_bytes"), geometry.get("sets")
    found = {"slots": len(offsets)}
    for name, size in (("lines", line), ("pages", geometry["page_bytes"]),
                       ("huge_pages", geometry.get("huge_bytes"))):
        if size:
            found[name] = len({offset // size for offset in offsets})
    if line and sets:
        in_set = [0] * sets
        for offset in offsets:
            in_set[offset // line % sets] += 1
        found.update(used_sets=sum(map(bool, in_set)), fullest_set=max(in_set),
                     set_hash="%016x" % fnv_1a(b"".join(n.to_bytes(8, "little") for n in in_set)))
    return found
