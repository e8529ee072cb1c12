"""Guards: whether a timed loop that did its work twice took twice as long; see crosscheck.py."""
from fractions import Fraction

LOOPS = {"affine", "chase", "count", "read", "write", "stream"}
OFF_BY = Fraction(30, 100)  # that the ratio may differ from 2


def kernel_of(op):
    every = op.get("every")
    return op["code"] + ("" if every is None else
                         f" by {every} bytes" if isinstance(every, int) else f" by {every}")


def kernels_of(arm):
    """The timed loops of an arm, in their order."""
    return [kernel_of(op) for phase in arm["phases"] if phase["timed"] for op in phase["ops"]
            if op["code"] in LOOPS]


def guard_verdict(guard):
    """(verdict, ratio): of the fastest passes, less a reading of the clock."""
    if guard.get("once") is None:
        return "unknown", None
    reading = Fraction(guard.get("read_ns") or 0)
    once, twice = min(guard["once"]) - reading, min(guard["twice"]) - reading
    least = Fraction(guard.get("elements") or 0) / 100  # ns in which no core goes over so many
    if once < least and reading < least:
        return "void", None
    if once <= 0 or once < 10 * reading:
        return "unknown", None
    ratio = twice / once
    return "well" if abs(ratio - 2) <= OFF_BY else "void", ratio
