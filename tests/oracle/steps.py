"""Trends, and the step in a sweep of ratios, from their definitions; see crosscheck.py.

Rows are pairs of a ratio and its interval (None where there is none), in the order of the sweep.
The noise reaches from 1 / floor to floor.
"""
import math
from fractions import Fraction
from statistics import median

LEVEL = Fraction(5, 100)


def trend_p(values):
    """Two-sided p of Mann and Kendall's test, every tie taken against a trend; None where none is.

    A permutation's S is its rising pairs less its falling ones; the number of permutations with so
    many inversions is a coefficient of (1)(1 + x)(1 + x + x^2)...
    """
    n = len(values)
    if not 4 <= n <= 100:
        return None
    differences = [b - a for i, a in enumerate(values) for b in values[i + 1:]]
    s = sum((d > 0) - (d < 0) for d in differences)
    least = max(0, abs(s) - differences.count(0))
    ways = [1]
    for size in range(2, n + 1):
        ways = [sum(ways[max(0, k - size + 1):k + 1]) for k in range(len(ways) + size - 1)]
    pairs = len(differences)
    far = sum(count for inversions, count in enumerate(ways) if pairs - 2 * inversions >= least)
    return min(Fraction(1), Fraction(2 * far, math.factorial(n)))


def plateau_of(rows, floor):
    """(first, last, level) of the rows above the noise, without those at the ends that are lower
    than its own noise allows; None where no row is above."""
    above = [i for i, (_, bounds) in enumerate(rows) if bounds and bounds[0] > floor]
    while above:
        level = median(rows[i][0] for i in above)
        for end in 0, -1:
            if rows[above[end]][1][1] < level / floor:
                del above[end]
                break
        else:
            return above[0], above[-1], level
    return None


def standings(rows, floor, plateau):
    """How each row stands: flat, up (of the plateau), between, down, or None: undecided."""
    limit = 1 + (plateau[2] - 1) / 2 if plateau else floor ** 2
    for index, (ratio, bounds) in enumerate(rows):
        if bounds is None:
            yield None
        elif bounds[0] > floor:
            yield "up" if plateau[0] <= index <= plateau[1] else "between"
        elif bounds[1] < 1 / floor:
            yield "down"
        elif 1 / floor <= bounds[0] and bounds[1] <= floor:
            yield "flat"
        else:
            is_near = bounds[0] <= 1 <= bounds[1] or 1 / floor <= ratio <= floor
            yield "flat" if is_near and 1 / limit < bounds[0] and bounds[1] < limit else None


def excursions(stands):
    """The stretches on one side of the noise: [is_down, indices...]; undecided rows are passed."""
    found, side = [], None
    for index, stand in enumerate(stands):
        if stand == "flat":
            side = None
        elif stand:
            if side != (stand == "down"):
                side = stand == "down"
                found.append([side])
            found[-1].append(index)
    return found


def rises_again(rows, first, last, floor):
    """Whether intervals show a fall by more than the noise and then a rise by more than that."""
    intervals = [rows[i][1] for i in range(first, last + 1) if rows[i][1]]
    n = len(intervals)
    return any(intervals[a][0] > intervals[b][1] * floor < intervals[c][0]
               for a in range(n) for b in range(a + 1, n) for c in range(b + 1, n))


def said_of_step(aspect, within, floor, rows):
    """The verdict on an aspect of the one step that the rows make."""
    plateau = plateau_of(rows, floor)
    stands = list(standings(rows, floor, plateau))
    left = excursions(stands)
    if len(left) != 1 or None in stands or left[0][0] or left[0][1] == 0:
        return "withdrawn"
    first, last = left[0][1], left[0][-1]
    if rises_again(rows, first, last, floor):
        return "withdrawn"
    if aspect == "one row wide":
        return "pass" if plateau[0] == first else "fail"
    if aspect == "lasting":
        return "fail" if "flat" in stands[last:] else "pass"
    lower = aspect == "flat below"
    ratios = [ratio for i, (ratio, _) in enumerate(rows)
              if (i < first if lower else stands[i] == "up")]
    p, low, high = trend_p(ratios), min(ratios), max(ratios)
    if p is not None and p <= LEVEL and high > low * floor:  # a trend that leaves the noise
        return "fail"
    if lower:
        is_well = low <= 1 <= high or (1 / floor <= low and high <= floor)
    else:
        is_well = high <= low * (1 + within)
    return "pass" if is_well else "fail"
