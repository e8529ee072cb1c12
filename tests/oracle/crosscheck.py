#!/usr/bin/env python3
"""Recomputes a result file of frlua from its raw samples, without any of frlua.

    python3 crosscheck.py FILE...

Written from the definitions, with nothing but Python's standard library: metrics, also per page,
line, load and fault, medians, binomial intervals, the begin of the steady state, fault accounts and
traces, splits and their withdrawal, processes that stand apart, noise floors, contrasts, sign
tests, Holm's correction, steps in sweeps, trends, verdicts, what commands printed and how their
calls were bound, the guards of timed loops, the order, the arms of a sweep, layouts with the seeds
of their chains, and the digest. What a script says of a result in words is not recomputed. Prints
what was checked and every difference; exit status 1 if there is one, 2 if a file can't be read.
"""
import functools
import hashlib
import json
import math
import sys
from fractions import Fraction

sys.dont_write_bytecode = True  # beside the sources
from bindings import bound_verdicts, reduced
from guards import guard_verdict, kernel_of, kernels_of
from layouts import audit_of, offsets_of, splitmix64
from steps import LEVEL, said_of_step

FARTHEST = 1000  # rounds that "needs N more rounds" looks at, at the most


# Statistics, exact as far as the numbers are: binomials are whole numbers, medians fractions.

def median(values):
    ordered = sorted(values)
    n = len(ordered)
    return (Fraction(ordered[(n - 1) // 2]) + Fraction(ordered[n // 2])) / 2


@functools.lru_cache(maxsize=None)
def tail(k, n):
    """P(X <= k) of n tosses of a fair coin."""
    coefficient = ways = 1 if k >= 0 else 0
    for i in range(k):
        coefficient = coefficient * (n - i) // (i + 1)
        ways += coefficient
    return Fraction(ways, 2 ** n)


def interval(values):
    """The narrowest pair of order statistics that covers the median with 95 %, and its coverage."""
    ordered, found = sorted(values), None
    n = len(ordered)
    for k in range(1, (n + 1) // 2 + 1):
        coverage = 1 - 2 * tail(k - 1, n)
        if coverage < 1 - LEVEL:
            break
        found = [ordered[k - 1], ordered[n - k]], coverage
    return found


def summary(values):
    if not values:
        return {"n": 0}
    found = {"n": len(values), "median": median(values), "min": min(values), "max": max(values)}
    found_interval = interval(values)
    found["ci95"], coverage = found_interval or (None, None)
    if coverage:
        found["ci95_coverage"] = coverage
    return found


def sign_test(wrong, n):
    return min(Fraction(1), 2 * tail(wrong, n))


def count_wrong(ratios, side, factor):
    return sum(not (r < factor if side == "below" else r > factor) for r in ratios)


def holm(ps):
    """For every p: by how much it is multiplied, and what the smaller ones came to."""
    found, reached = [None] * len(ps), Fraction(0)
    for rank, index in enumerate(sorted(range(len(ps)), key=lambda i: ps[i])):
        found[index] = len(ps) - rank, reached
        reached = max(reached, min(Fraction(1), (len(ps) - rank) * ps[index]))
    return found


def rounds_needed(wrong, n, level):
    """The rounds at which the same share on the wrong side would do; None when none would."""
    if 2 * wrong >= n:
        return None
    for rounds in range(n, FARTHEST + 1):
        if sign_test(math.ceil(Fraction(wrong * rounds, n)), rounds) <= level:
            return rounds
    return None


def steady_from(ns, window=20, near=0.02):
    """The first iteration (from 1) after which every running median is near the second half's."""
    if len(ns) < 2 * window:
        return None
    target, first = median(ns[len(ns) // 2:]), None
    for start in range(len(ns) - window, -1, -1):
        if abs(float(median(ns[start:start + window])) - float(target)) > near * float(target):
            break
        first = start + 1
    return first


# A result: its samples by arm and round.

# What is known of metrics; a newer one has more.
KNOWN = {"name", "unit", "source", "iteration", "phases", "per", "keep", "part", "printed", "at",
         "of"}
SOURCES = {"process", "part", "printed", "at", "median_from", "faults_at", "major_faults_at"}

# In the order in which they follow each other.
PARTS_OF_WORKER = ["spawn_to_exec", "exec_to_main", "main_to_work_done", "work_done_to_exit",
                   "exit_to_reaped"]
PARTS_OF_COMMAND = ["spawn_to_exec", "exec_to_exit_seen", "exit_seen_to_reaped"]


def key_of(metric):
    if metric["unit"] != "ns":
        return metric["name"]
    return metric["name"] + "_ns" + ("_per_" + metric["per"] if "per" in metric else "")


def faults_in(readings, kind, iteration):
    return dict(map(tuple, readings[kind])).get(iteration, 0)


def one_value(readings, source, iteration):
    """Of a phase of a sample: the time or the faults of an iteration, or the median of a tail."""
    if source == "at":
        return readings["ns"][iteration - 1]
    if source == "median_from":
        return median(readings["ns"][iteration - 1:])
    kind = {"faults_at": "minor_faults", "major_faults_at": "major_faults"}[source]
    return faults_in(readings, kind, iteration)


# What a result has; a newer one has more.
FIELDS = {"schema", "experiment", "doc", "script", "args", "seed", "started_at", "wall_ns",
          "partial", "frlua", "machine", "clock", "study", "design", "arms", "references", "faults",
          "splits", "apart", "floors", "guards", "reading", "claims", "fault_traces",
          "fault_traces_why", "samples", "digest"}
DESIGN_FIELDS = {"rounds", "rounds_for_claims", "order", "cpu", "cpu_why", "time_limit_ns",
                 "pause_divisor", "page_bytes", "line_bytes", "line_bytes_why", "warm_up", "sweep",
                 "regions", "arms", "metrics", "ratios", "apart", "detail", "splits", "claims",
                 "summary", "counters"}


class Result:
    def __init__(self, document):
        self.document, self.design = document, document["design"]
        self.rounds = self.design["rounds"]
        self.arms = {arm["name"]: arm for arm in self.design["arms"]}
        self.metrics = {metric["name"]: metric for metric in self.design["metrics"]}
        self.whole = [s for s in document["samples"] if s["status"] == "ok"]
        self.at = {(s["arm"], s["round"]): s for s in self.whole}
        self.rounds_for_claims = rounds_for(self.design.get("claims", []), self.own_arms())
        self.claims_quick = self.design["pause_divisor"] > 1
        void = {guard["kernel"] for guard in document.get("guards", [])
                if guard_verdict(guard)[0] == "void"}
        self.is_guest = document["machine"]["hypervisor"] is not None
        self.void = {name for name, arm in self.arms.items() if void.intersection(kernels_of(arm))}

    def own_arms(self):
        return [name for name, arm in self.arms.items()
                if "twin_of" not in arm and "is_reference" not in arm]

    def references(self):
        return [name for name, arm in self.arms.items() if "is_reference" in arm]

    def phases_of(self, arm, metric):
        """The arm's timed phases that a metric names; else that of a mode, or the first."""
        phases = self.arms[arm]["phases"]
        if "phases" in metric:
            found = {p["name"]: p for p in reversed(phases)
                     if p["timed"] and p["name"] in metric["phases"]}
            return list(found.values())
        if "is_reference" in self.arms[arm] or not phases:
            return []
        return [phases[-1] if phases[-1]["name"] == "timed" else phases[0]]

    def has(self, arm, metric):
        """Whether the arm's processes can have the metric at all."""
        if metric["source"] == "part":
            parts = PARTS_OF_COMMAND if "command" in self.arms[arm] else PARTS_OF_WORKER
            return metric["part"] in parts and "is_reference" not in self.arms[arm]
        if metric["source"] == "printed":
            return "prints" in self.arms[arm]
        return metric["source"] == "process" or bool(self.phases_of(arm, metric))

    def readings(self, sample, metric):
        """Those of the metric's phases, the last of each name; empty where the sample lacks one."""
        by_name = {p["phase"]: p for p in sample["phases"]}
        names = [p["name"] for p in self.phases_of(sample["arm"], metric)]
        return [by_name[name] for name in names] if all(n in by_name for n in names) else []

    def pieces(self, size, arm, metric):
        """Pages or lines of a size, of the regions that the metric's phases work on."""
        names = {op["region"] for phase in self.phases_of(arm, metric) for op in phase["ops"]
                 if "region" in op}
        return sum(-(-region["bytes"] // size)
                   for region in self.design["regions"] if region["name"] in names)

    def regions_of(self, arm):
        """Those that an arm's operations name, in the design's order."""
        names = {op.get(key) for phase in self.arms[arm]["phases"] for op in phase["ops"]
                 for key in ("region", "from")}
        return [region for region in self.design["regions"] if region["name"] in names]

    def loads(self, arm, metric):
        """Of the chases of the metric's phases: as many as told, or once around the lines."""
        return sum(op.get("loads") or self.slots(op["region"])
                   for phase in self.phases_of(arm, metric) for op in phase["ops"]
                   if op["code"] == "chase")

    def slots(self, name):
        region = next(r for r in self.design["regions"] if r["name"] == name)
        stride = region.get("chain")  # none: an operation links it
        if stride == "line":
            stride = self.design["line_bytes"]
        return region["bytes"] // stride if isinstance(stride, int) else 0

    def value(self, arm, metric_name, number):
        sample, metric = self.at.get((arm, number)), self.metrics[metric_name]
        if not KNOWN.issuperset(metric) or metric["source"] not in SOURCES:
            raise Unknown(f"metric '{metric_name}'")
        if sample is None:
            return None
        source = metric["source"]
        if source == "process":
            return sample["process"]["wall_ns"]
        if source == "part":
            parts = sample["process"]["parts_ns"] or {}
            return parts.get(metric["part"]) if self.has(arm, metric) else None
        if source == "printed":
            taken = reduced(sample.get("printed") or {}, metric) if self.has(arm, metric) else None
            if not isinstance(taken, list):
                return taken
            return median(taken) if metric["of"] == "median" else Fraction(sum(taken), len(taken))
        readings, iteration = self.readings(sample, metric), metric["iteration"]
        if not readings:
            return None
        whole = sum(one_value(r, source, iteration) for r in readings)
        if "per" not in metric:
            return whole
        if metric["per"] == "page":
            units = self.pieces(self.design["page_bytes"], arm, metric)
        elif metric["per"] == "line":
            line = self.design.get("line_bytes")
            units = self.pieces(line, arm, metric) if line else None
        elif metric["per"] == "load":
            units = self.loads(arm, metric)
        elif metric["per"] == "fault":
            units = sum(faults_in(r, kind, iteration) for r in readings
                        for kind in ("minor_faults", "major_faults"))
        else:
            raise Unknown(f"metrics per {metric['per']}")
        return float(whole) / units if units else None

    def kept(self, arm, metric):
        """What stands for an arm by the metric's `keep`; None where nothing does."""
        keep, values = metric.get("keep"), self.values(arm, metric["name"])
        if isinstance(keep, str):
            return {"median": median, "min": min}[keep](values) if values else None
        rounds = [(self.value(arm, keep["fastest"], number), number)
                  for number in range(1, self.rounds + 1)] if keep else []
        rounds = [one for one in rounds if one[0] is not None]
        return self.value(arm, metric["name"], min(rounds)[1]) if rounds else None

    def values(self, arm, metric):
        found = (self.value(arm, metric, number) for number in range(1, self.rounds + 1))
        return [value for value in found if value is not None]

    def ratios(self, arm, metric, than_arm, than_metric):
        """By round, sorted; None where a time is not above 0."""
        found = []
        for number in range(1, self.rounds + 1):
            a, b = self.value(arm, metric, number), self.value(than_arm, than_metric, number)
            if a is not None and b is not None:
                if a <= 0 or b <= 0:
                    return None
                found.append(float(a) / float(b))
        return sorted(found)


def pairs_of(test, arms):
    """The pairs of values that a test compares."""
    if test["form"] == "all":
        return set().union(*(pairs_of(part, arms) for part in test["tests"]))
    if "rows" in test:
        return {frozenset((row[side]["arm"], row[side]["metric"]) for side in ("value", "than"))
                for row in test["rows"]}
    named = test.get("values") or [test[key] for key in ("value", "than") if key in test]
    if test["form"] == "same" and not named:
        named = [{"arm": arm, "metric": test["metric"]} for arm in arms]
    values = [(one["arm"], one["metric"]) for one in named]
    return {frozenset((values[a], values[b])) for b in range(len(values)) for a in range(b)
            if test["form"] == "same" or b == a + 1}


def pairs_of_claim(claim, arms):
    tests = claim.get("needs", []) + [claim["test"]]
    found = set().union(*(pairs_of(test, arms) for test in tests))
    return found | (pairs_of_claim(claim["otherwise"], arms) if "otherwise" in claim else set())


def rounds_for(claims, arms):
    """10 for claims, 20 where three of them or more rest on one pair."""
    resting = {}
    for claim in claims:
        for pair in pairs_of_claim(claim, arms):
            resting[pair] = resting.get(pair, 0) + 1
    return (20 if max(resting.values(), default=0) > 2 else 10) if claims else 1


class Unknown(Exception):
    """Something newer than this program."""


def contrast(ratios):
    """Of the log ratios: the median, as a ratio, and its interval."""
    n = len(ratios)
    low, high = ratios[(n - 1) // 2], ratios[n // 2]
    found = {"n": n, "ratio": math.exp((math.log(low) + math.log(high)) / 2)}
    found_interval = interval(ratios)
    found["ci95"], coverage = found_interval or (None, None)
    if coverage:
        found["ci95_coverage"] = coverage
    return found


def farness(ratio):
    return max(ratio, 1 / ratio)


# Claims.

class Judge:
    """Gives (verdict, entries of contrasts, entries of counts) of tests."""

    def __init__(self, result):
        self.result, self.floors, self.floor_ratios = result, {}, {}
        for name, arm in result.arms.items():
            for metric in result.metrics.values() if "twin_of" in arm else []:
                if metric["unit"] == "ns" and result.has(name, metric):
                    key = arm["twin_of"], metric["name"]
                    ratios = result.ratios(name, metric["name"], *key)
                    self.floor_ratios[key] = ratios
                    found = contrast(ratios) if ratios else {"n": len(ratios or [])}
                    bounds = found.get("ci95")
                    found["floor"] = bounds and max(bounds[1], 1 / bounds[0], 1)
                    self.floors[key] = found

    def is_gappy(self, value):
        """Samples of the arm were lost, or lack the metric."""
        taken = [s for s in self.result.document["samples"] if s["arm"] == value["arm"]]
        return len(self.result.values(value["arm"], value["metric"])) < len(taken)

    def bars(self, ratios, values):
        """Whether what the ratios show can't be a verdict: too few of them, samples lost, or made
        with a loop that did not do its work."""
        return (len(ratios) < self.result.rounds_for_claims or any(map(self.is_gappy, values))
                or any(value["arm"] in self.result.void for value in values))

    def twins_of(self, value):
        """The same metric of the arms that show its noise."""
        return [{"arm": name, "metric": value["metric"]}
                for name, arm in self.result.arms.items()
                if arm.get("twin_of") == value["arm"]
                and (value["arm"], value["metric"]) in self.floors]

    def compare(self, value, than):
        for side in value, than:
            if side["arm"] not in self.result.arms:
                return None
        ratios = self.result.ratios(value["arm"], value["metric"], than["arm"], than["metric"])
        return ratios or None

    def p(self, test):
        if "than" in test:
            ratios = self.compare(test["value"], test["than"])
            return ratios and sign_test(
                count_wrong(ratios, test["form"], test["factor"]), len(ratios))
        found = [p for p in map(self.p, test.get("tests", [])) if p]
        return max(found) if found else None

    def floor(self, test):
        keys = [(test["than"]["arm"], side["metric"]) for side in (test["value"], test["than"])]
        floors = [self.floors.get(key, {}).get("floor") for key in keys]
        return None if None in floors else max(floors)

    def comparison(self, test, family):
        ratios = self.compare(test["value"], test["than"])
        if not ratios:
            return "withdrawn", [], []
        side, factor, found = test["form"], test["factor"], contrast(ratios)
        p = sign_test(count_wrong(ratios, side, factor), len(ratios))
        multiplier, reached = family
        entry = dict(found, arm=test["value"]["arm"], metric=test["value"]["metric"],
                     than=test["than"], p=p, p_holm=max(reached, min(Fraction(1), multiplier * p)))
        claims_difference = factor <= 1 if side == "below" else factor >= 1
        if claims_difference:
            entry["floor"] = self.floor(test)
        bounds = found["ci95"]
        is_right = bounds and (bounds[1] < factor if side == "below" else bounds[0] > factor)
        is_wrong = bounds and (bounds[0] > factor if side == "below" else bounds[1] < factor)
        noise = entry.get("floor")
        in_noise = noise is not None and farness(found["ratio"]) <= noise
        verdict, rests_on = "withdrawn", [test["value"], test["than"]]
        if claims_difference:
            rests_on += [twin for side in tuple(rests_on)
                         for twin in self.twins_of(dict(test["than"], metric=side["metric"]))]
        if self.bars(ratios, rests_on) or (claims_difference and noise is None):
            pass
        elif is_wrong and not (in_noise and farness(factor) <= noise):
            verdict = "fail"
        elif is_right and not in_noise and entry["p_holm"] <= LEVEL:
            verdict = "pass"
        return verdict, [entry], []

    def between(self, pairs, low, high):
        verdicts, entries = [], []
        for value, than in pairs:
            ratios = self.compare(value, than)
            if not ratios:
                return "withdrawn", entries, []
            entry = dict(contrast(ratios), arm=value["arm"], metric=value["metric"], than=than)
            entries.append(entry)
            if self.bars(ratios, [value, than]):
                return "withdrawn", entries, []
            bounds = entry["ci95"]
            if bounds and low < bounds[0] and bounds[1] < high:
                verdicts.append("pass")
            elif bounds and (bounds[1] < low or bounds[0] > high):
                verdicts.append("fail")
            else:
                verdicts.append("withdrawn")
        return conjunction(verdicts), entries, []

    def same(self, test):
        values = test.get("values") or [{"arm": arm, "metric": test["metric"]}
                                        for arm in self.result.own_arms()]
        if len(values) < 2:
            return "withdrawn", [], []
        pairs = [(values[b], values[a]) for b in range(1, len(values)) for a in range(b)]
        return self.between(pairs, 1 / (1 + test["within"]), 1 + test["within"])

    def monotone(self, test):
        values = test["values"]
        return self.between(list(zip(values[1:], values)), 1 / (1 + test["within"]), math.inf)

    def onset(self, test):
        rows, entries, floor = [], [], 1 + test["within"]
        for row in test["rows"]:
            value, than = row["value"], row["than"]
            ratios = self.compare(value, than)
            if not ratios:
                return "withdrawn", entries, []
            found = contrast(ratios)
            entries.append(dict(found, arm=value["arm"], metric=value["metric"], than=than))
            if self.bars(ratios, [value, than] + self.twins_of(than)):
                return "withdrawn", entries, []
            rows.append((found["ratio"], found["ci95"]))
        for row in test["rows"]:
            noise = self.floors.get((row["than"]["arm"], row["than"]["metric"]), {}).get("floor")
            if noise is None:
                return "withdrawn", entries, []
            floor = max(floor, noise)
        return said_of_step(test["is"], test["within"], floor, rows), entries, []

    def same_sets(self, test):
        """Unknown where an arm's samples do not all tell of one and the same distribution."""
        hashes = []
        for arm in test["arms"]:
            told = {(s["evidence"].get("layouts") or [{}])[0].get("set_hash")
                    for s in self.samples({"arm": arm})}
            if len(told) != 1 or None in told or self.unless_lost({"arm": arm}) != "pass":
                return "withdrawn", [], []
            hashes.append(told.pop())
        return "pass" if len(set(hashes)) == 1 else "fail", [], []

    def exact(self, test):
        arm, metric = test["value"]["arm"], test["value"]["metric"]
        seen = self.result.values(arm, metric) if arm in self.result.arms else []
        if not seen:
            return "withdrawn", [], []
        entry = {"arm": arm, "metric": metric, "n": len(seen), "seen": counts(seen)}
        if any(count != test["count"] for count in seen):
            return "fail", [], [entry]
        return "pass" if len(seen) == self.result.rounds else "withdrawn", [], [entry]

    def samples(self, test):
        return [s for s in self.result.whole if s["arm"] == test["arm"]]

    def unless_lost(self, test):
        taken = [s for s in self.result.document["samples"] if s["arm"] == test["arm"]]
        return "pass" if len(taken) == len(self.samples(test)) else "withdrawn"

    def granted(self, test):
        if not self.samples(test):
            return "withdrawn", [], []
        refused = any("refused" in s["evidence"] or "populated_by" in s["evidence"]
                      for s in self.samples(test))
        return "fail" if refused else self.unless_lost(test), [], []

    def bound(self, test):
        if test["arm"] not in self.result.arms:
            return "withdrawn", [], []
        file = self.result.arms[test["arm"]].get("file")
        verdicts = bound_verdicts(file, self.samples(test), test["as"])
        return conjunction(verdicts + [self.unless_lost(test)]), [], []

    def huge(self, test):
        if test["arm"] not in self.result.arms:
            return "withdrawn", [], []
        verdicts = []
        for region in self.result.regions_of(test["arm"]):
            if test.get("region", region["name"]) != region["name"]:
                continue
            told = [backing(s["evidence"], region["name"]) for s in self.samples(test)]
            if any(huge is not None and huge < region["bytes"] for huge in told):
                verdicts.append("fail")
            else:
                verdicts.append("withdrawn" if not told or None in told else "pass")
        return conjunction(verdicts + [self.unless_lost(test)]), [], []

    def judge(self, test, family=(1, Fraction(0))):
        form = test["form"]
        if form in ("below", "above"):
            return self.comparison(test, family)
        if form == "all":
            parts = [self.judge(part, family) for part in test["tests"]]
            return (conjunction([part[0] for part in parts]), sum((p[1] for p in parts), []),
                    sum((p[2] for p in parts), []))
        if form not in ("same", "monotone", "onset", "exact", "huge", "granted", "bound",
                        "same_sets"):
            raise Unknown(f"tests of form '{form}'")
        return getattr(self, form)(test)

    def asked(self, claim):
        """The claim that is asked in the end, and whether its needs are there."""
        needs = conjunction([self.judge(need)[0] for need in claim.get("needs", [])])
        if needs == "fail" and "otherwise" in claim and not self.result.claims_quick:
            return self.asked(claim["otherwise"])
        return claim, needs == "pass"

    def verdicts(self, claims):
        asked = [self.asked(claim) for claim in claims]
        ps = [self.p(claim["test"]) if made else None for claim, made in asked]
        families = iter(holm([p for p in ps if p is not None]))
        for (claim, made), p in zip(asked, ps):
            family = next(families) if p is not None else (1, Fraction(0))
            if self.result.claims_quick or not made:
                yield claim["name"], "withdrawn", None, None
            else:
                verdict, contrasts, seen = self.judge(claim["test"], family)
                if verdict == "fail" and "in_guest" in claim and self.result.is_guest:
                    verdict = "withdrawn"
                yield claim["name"], verdict, contrasts, seen


def backing(evidence, region):
    """Bytes of huge pages behind a region by smaps, or by the page table if that has fewer."""
    def told(part):
        return next((r for r in evidence.get(part) or [] if r["region"] == region), {})
    by_smaps = told("regions").get("hugetlb_bytes") or told("regions").get("huge_bytes")
    by_table = told("page_tables").get("huge_bytes")
    return by_smaps if None in (by_smaps, by_table) else min(by_smaps, by_table)


def conjunction(verdicts):
    return next((v for v in ("fail", "withdrawn") if v in verdicts), "pass")


def counts(values):
    distinct = sorted(set(values))
    return {"exact": distinct[0]} if len(distinct) == 1 else {"values": distinct}


# What a file says, against that.

class Check:
    def __init__(self):
        self.differences, self.checked, self.unknown = [], {}, set()

    def equal(self, what, path, said, computed):
        self.checked[what] = self.checked.get(what, 0) + 1
        if not same(said, computed):
            self.differences.append(f"{path}: the file says {said}, the samples {show(computed)}")

    def fields(self, what, path, said, computed):
        for key, value in computed.items():
            self.equal(what, f"{path}.{key}", said.get(key), value)


def show(value):
    return float(value) if isinstance(value, Fraction) else value


def same(said, computed):
    if isinstance(computed, list):
        return (isinstance(said, list) and len(said) == len(computed)
                and all(map(same, said, computed)))
    if isinstance(computed, (float, Fraction)) and isinstance(said, (int, float)):
        # An even count of integers above 2^53 has a half that no double holds.
        return math.isclose(said, computed, rel_tol=1e-12, abs_tol=1e-15)
    return said == computed


def check_arms(result, check):
    check_summaries("arms", result.own_arms(), result, check)
    check_summaries("references", result.references(), result, check)


def check_summaries(field, names, result, check):
    said_arms = {arm["name"]: arm for arm in result.document[field]}
    check.equal("arms", field, list(said_arms), names)
    for name in names:
        said, path = said_arms.get(name, {"metrics": {}}), f"{field} '{name}'"
        samples = [s for s in result.document["samples"] if s["arm"] == name]
        whole = [s for s in samples if s["status"] == "ok"]
        for key in "group", "params":
            check.equal("arms", f"{path}.{key}", said.get(key), result.arms[name].get(key))
        check.equal("arms", path + ".processes", said.get("processes"), len(whole))
        for sample in whole:
            parts = sample["process"].get("parts_ns")
            if parts is not None:
                check.equal("parts", f"{path}, round {sample['round']}: sum of parts_ns",
                            sum(parts.values()), sample["process"]["wall_ns"])
        check.equal("arms", path + ".lost", said.get("lost"), len(samples) - len(whole))
        check.equal("arms", path + ".negative_readings", said.get("negative_readings"),
                    sum(ns < 0 for s in whole for p in s["phases"] for ns in p["ns"]))
        for metric in result.metrics.values():
            values = result.values(name, metric["name"])
            key = key_of(metric)
            found = summary(values) if metric["unit"] == "ns" or not values else counts(values)
            check.fields("metrics", f"{path}.{key}", said["metrics"].get(key, {}), found)
            kept = result.kept(name, metric)
            if kept is not None or "kept" in said["metrics"].get(key, {}):
                check.equal("kept values", f"{path}.{key}.kept", said["metrics"][key].get("kept"),
                            kept)
        phases = [result.readings(s, {}) for s in whole]
        long = [phase[0]["ns"] for phase in phases if phase and len(phase[0]["ns"]) >= 40]
        if long:
            begins = [steady_from(ns) for ns in long]
            found = summary([begin for begin in begins if begin])
            found["never"] = begins.count(None)
            check.fields("steady states", path + ".steady_from", said.get("steady_from", {}), found)


def check_faults(result, check):
    """What the accounts say was seen, and that a difference from the expected is explained."""
    for said in result.document.get("faults", []):
        path = f"faults {said['metric']} of '{said['arm']}'"
        seen = counts(result.values(said["arm"], said["metric"]))
        check.equal("fault accounts", path + ".seen", said["seen"], seen)
        check.equal("fault accounts", path + ".why", "why" in said,
                    seen != {"exact": said["expected"]})


def check_traces(result, check):
    """by mapping + in the kernel + lost = the count of the kernel, in every traced phase."""
    for trace in result.document.get("fault_traces") or []:
        for phase in trace.get("phases", []):
            path = f"fault_traces '{trace['arm']}'.'{phase['phase']}'"
            for key in "mapping", "code":
                sums = {}
                for run in phase["faults"]:
                    sums[run[key]] = sums.get(run[key], 0) + run["count"]
                said = phase["by_" + key]
                check.equal("fault traces", f"{path}.by_{key}",
                            {one[key]: one["count"] for one in said}, sums)
                check.equal("fault traces", f"order of {path}.by_{key}",
                            [one["count"] for one in said], sorted(sums.values(), reverse=True))
            if phase["in_kernel"] is not None:
                named = sum(one["count"] for one in phase["by_mapping"])
                check.equal("fault traces", path + ".total", phase["total"],
                            named + phase["in_kernel"] + phase["lost"])


def part_values(result, part):
    for number in range(1, result.rounds + 1):
        value = result.value(part["value"]["arm"], part["value"]["metric"], number)
        less = part.get("less")
        taken = result.value(less["arm"], less["metric"], number) if less else 0
        yield None if value is None or taken is None else value - taken


def is_withdrawn(result, unless):
    """A value is so many times another although the process took none of the faults."""
    if not unless:
        return False
    if any("populated_by" in s.get("evidence", {}) for s in result.document["samples"]):
        return True
    value, times, faults = (result.values(unless[key]["arm"], unless[key]["metric"])
                            for key in ("value", "times", "without"))
    if any(faults) or not value or not times or median(times) == 0:
        return False
    return float(median(value)) / float(median(times)) > unless["above"]


def check_splits(result, check):
    judge = Judge(result)
    for split, said in zip(result.design["splits"], result.document["splits"]):
        whole, path, unless = split["whole"], f"splits '{split['name']}'", split.get("unless")
        named = [whole] + [side for part in split["parts"]
                           for side in (part["value"], part.get("less")) if side]
        named += [unless[key] for key in ("value", "times", "without")] if unless else []
        if any(side["arm"] not in result.arms for side in named):
            check.equal("splits", path, "why" in said, True)
            continue
        needs = [judge.judge(need)[0] for need in split.get("needs", [])]
        withdrawn = is_withdrawn(result, unless) or conjunction(needs) != "pass"
        check.equal("splits", path + ".withdrawn", said.get("withdrawn", False), withdrawn)
        if withdrawn or "whole" not in said:
            continue
        wholes = [result.value(whole["arm"], whole["metric"], r + 1) for r in range(result.rounds)]
        check.fields("splits", path + ".whole", said["whole"]["ns"],
                     summary([w for w in wholes if w is not None]))
        for part, said_part in zip(split["parts"], said["parts"]):
            values = list(part_values(result, part))
            where = f"{path}.'{part['name']}'"
            check.fields("splits", where + ".ns", said_part["ns"],
                         summary([v for v in values if v is not None]))
            shares = [float(v) / float(w) for v, w in zip(values, wholes)
                      if v is not None and w not in (None, 0)]
            check.fields("splits", where + ".share", said_part["share"], summary(shares))
        medians = [summary([v for v in part_values(result, p) if v is not None]).get("median")
                   for p in split["parts"]]
        if "remainder_ns" in said and None not in medians:
            middle = median([w for w in wholes if w is not None])
            # A difference of nearly equal numbers is as exact as they are.
            check.equal("splits", path + ".remainder_ns", said["remainder_ns"] + float(middle),
                        2 * middle - sum(medians))
        if "per" in split:
            units = [result.value(whole["arm"], split["per"], r + 1) for r in range(result.rounds)]
            firsts = part_values(result, split["parts"][0])
            each = [float(v) / float(u) for v, u in zip(firsts, units)
                    if v is not None and u not in (None, 0)]
            check.fields("splits", path + ".per", said["per"]["ns"], summary(each))


def check_apart(result, check):
    rule, said = result.design.get("apart"), result.document.get("apart")
    if not rule:
        return
    values = {(arm, r): result.value(arm, rule["metric"], r) for arm in result.own_arms()
              for r in range(1, result.rounds + 1)}
    there = [value for value in values.values() if value is not None]
    if not there:
        return
    middle = median(there)
    check.equal("processes apart", "apart.reference", said["reference"], middle)
    apart = [key for key, value in values.items()
             if value is not None and middle > 0 and value > rule["above"] * middle]
    check.equal("processes apart", "apart.processes",
                [(p["arm"], p["round"]) for p in said["processes"]], apart)


def check_claims(result, check):
    judge, document = Judge(result), result.document
    check.equal("noise floors", "floors", len(document.get("floors", [])), len(judge.floors))
    for said in document.get("floors", []):
        check.fields("noise floors", f"floors {said['metric']} of '{said['arm']}'", said,
                     judge.floors.get((said["arm"], said["metric"]), {"n": None}))
    claims = result.design.get("claims", [])
    check.equal("rounds", "design.rounds_for_claims", result.design["rounds_for_claims"],
                result.rounds_for_claims)
    check.equal("verdicts", "claims", [c["claim"] for c in document["claims"]],
                [c["name"] for c in claims])
    for said, found in zip(document["claims"], judge.verdicts(claims)):
        asked, verdict, contrasts, seen = found
        path = f"claims '{said['claim']}'"
        check.equal("verdicts", path + ".asked", said["asked"], asked)
        check.equal("verdicts", path + ".verdict", said["verdict"], verdict)
        for kind, entries in (("contrasts", contrasts), ("counts", seen)):
            if entries is None:
                continue
            listed = said["numbers"].get(kind, [])
            check.equal(kind, f"{path}.{kind}", len(listed), len(entries))
            for index, (one, entry) in enumerate(zip(listed, entries)):
                check.fields(kind, f"{path}.{kind}[{index}]", one, entry)


def check_needed_rounds(result, check):
    """The sentence "needs N more rounds" of a comparison whose interval includes its factor."""
    judge = Judge(result)
    families = sum(judge.p(judge.asked(c)[0]["test"]) is not None and judge.asked(c)[1]
                   for c in result.design.get("claims", []))
    for said in result.document["claims"]:
        test, words = said["test"], said["reason"].split("needs ")
        if "than" not in test or "the interval includes" not in said["reason"] or len(words) < 2:
            continue
        if said["reason"].startswith("the evidence is"):  # of the needs, not of the claim's test
            continue
        ratios = judge.compare(test["value"], test["than"])
        wrong = count_wrong(ratios, test["form"], test["factor"])
        needed = rounds_needed(wrong, len(ratios), LEVEL / max(1, families))
        if needed and words[1].split()[0].isdigit():
            check.equal("rounds needed", f"claims '{said['claim']}'.reason",
                        int(words[1].split()[0]), needed - len(ratios))


def check_order(result, check):
    arms, order = list(result.arms), result.design["order"]
    check.equal("order", "design.order", len(order), result.rounds)
    positions = {}
    for number, line in enumerate(order, 1):
        check.equal("order", f"design.order round {number}", sorted(line),
                    list(range(1, len(arms) + 1)))
        for position, arm in enumerate(line):
            positions[arm, position] = positions.get((arm, position), 0) + 1
    frequencies = [positions.get((arm + 1, position), 0) for arm in range(len(arms))
                   for position in range(len(arms))]
    check.equal("order", "balance of design.order", max(frequencies) - min(frequencies) <= 1, True)
    ran = [(s["arm"], s["round"]) for s in result.document["samples"]]
    planned = [(arms[arm - 1], number) for number, line in enumerate(order, 1) for arm in line]
    check.equal("order", "samples", ran, planned[:len(ran)] if result.document["partial"]
                else planned)


def check_guards(result, check):
    """A guard for each timed loop, in their order, and what its readings say."""
    said, kernels = result.document.get("guards", []), []
    for arm in result.own_arms() + result.references():
        kernels += kernels_of(result.arms[arm])
    kernels = list(dict.fromkeys(kernels))  # each once, where it comes first
    check.equal("guards", "guards", [guard["kernel"] for guard in said],
                kernels[:len(said)] if result.document["partial"] else kernels)
    for guard in said:
        path = f"guards '{guard['kernel']}'"
        verdict, ratio = guard_verdict(guard)
        check.equal("guards", path + ".kernel", guard["kernel"], kernel_of(guard))
        check.equal("guards", path + ".verdict", guard["verdict"], verdict)
        check.equal("guards", path + ".ratio", guard.get("ratio"), ratio)
        check.equal("guards", path + ".why", "why" in guard, verdict != "well")


def check_sweep(result, check):
    """The arms that a sweep made have one of its values each, and their layouts that value."""
    sweep = result.design.get("sweep")
    for name, arm in result.arms.items():
        path, params = f"design.arms '{name}'", arm.get("params")
        if "twin_of" in arm:
            check.equal("sweeps", path + ".params", params,
                        result.arms[arm["twin_of"]].get("params"))
        elif not sweep or "is_reference" in arm:
            check.equal("sweeps", path + ".params", params, None)
            check.equal("sweeps", path + ".group", arm.get("group"), None)
        else:
            parameter = sweep["name"]
            value = (params or {}).get(parameter)
            check.equal("sweeps", path + ".params", value in sweep["values"], True)
            check.equal("sweeps", path + ".params", params, {parameter: value})
            ending = f"{value} lines" if parameter == "lines" else f"{parameter} {value}"
            check.equal("sweeps", path + ".name", name, f"{arm.get('group')}, {ending}")
            own = next((r for r in result.design["regions"] if r["name"] == name), {})
            check.equal("sweeps", f"design.regions '{name}'.layout.{parameter}",
                        own.get("layout", {}).get(parameter), value)
    for sample in result.document["samples"]:
        check.equal("sweeps", f"samples '{sample['arm']}' {sample['round']}.params",
                    sample.get("params"), result.arms[sample["arm"]].get("params"))


def check_printed(result, check):
    """Every sample of an arm that prints readings has them, and no other; its file is known."""
    for name, arm in result.arms.items():
        wanted = arm.get("calls_of", arm["command"][0]) if "prints" in arm else None
        check.equal("printed readings", f"design.arms '{name}'.file.path",
                    arm.get("file", {}).get("path"), wanted)
    for sample in result.whole:
        check.equal("printed readings", f"samples '{sample['arm']}' {sample['round']}.printed",
                    "printed" in sample, "prints" in result.arms[sample["arm"]])


def check_layouts(result, check):
    """The audit of each layout by its formula, and in every sample, with the order's seed."""
    for region in result.design["regions"]:
        layout, path = region.get("layout"), f"design.regions '{region['name']}'.layout"
        offsets = layout and offsets_of(layout)
        if offsets:
            check.equal("layouts", path + ".audit", layout["audit"],
                        audit_of(offsets, layout["geometry"]))
            check.equal("layouts", path + ".start", layout["start"], offsets[0])
        if layout:
            check.equal("layouts", path + ".lines", layout["lines"], layout["audit"]["slots"])
            check.equal("layouts", path + ".bytes", layout["bytes"] <= region["bytes"], True)
    for sample in result.whole:
        expected = []
        for region in result.regions_of(sample["arm"]):
            layout = region.get("layout")
            if layout:
                seed = splitmix64(result.document["seed"] + sample["round"]) >> 12
                expected.append(dict(layout["audit"], region=region["name"],
                                     seed=layout.get("seed", seed)))
        check.equal("layouts", f"samples '{sample['arm']}' {sample['round']}.evidence.layouts",
                    sample["evidence"].get("layouts", []), expected)


def check_digest(result, check):
    text = json.dumps(result.document["samples"], sort_keys=True, separators=(",", ":"),
                      ensure_ascii=False)
    check.equal("digest", "digest", result.document["digest"],
                "sha256:" + hashlib.sha256(text.encode()).hexdigest())


def crosscheck(document):
    check, result = Check(), Result(document)
    check.unknown.update(f"field '{name}'" for name in document if name not in FIELDS)
    check.unknown.update(f"field 'design.{name}'" for name in document["design"]
                         if name not in DESIGN_FIELDS)
    for part in (check_digest, check_order, check_arms, check_faults, check_traces, check_splits,
                 check_apart, check_claims, check_needed_rounds, check_guards, check_sweep,
                 check_layouts, check_printed):
        try:
            part(result, check)
        except Unknown as unknown:
            check.unknown.add(str(unknown))
    return check


def main(*paths):
    if not paths:
        print(__doc__)
        return 2
    status = 0
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                documents = json.load(file)
        except (OSError, ValueError) as error:
            print(f"{path}: {error}")
            return 2
        for document in documents if isinstance(documents, list) else [documents]:
            check = crosscheck(document)
            print(f"{path}: {document['experiment']}, {len(document['samples'])} samples: checked "
                  + ", ".join(f"{count} {what}" for what, count in check.checked.items()))
            for text in sorted(check.unknown):
                print(f"  NOT CHECKED, unknown to this program: {text}")
            for text in check.differences:
                print("  DIFFERENT", text)
            if check.differences:
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
