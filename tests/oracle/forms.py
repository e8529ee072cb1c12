#!/usr/bin/env python3
"""Reads the forms of a result back, as their users do, and compares them with its JSON.

    forms.py JSON FORM=FILE...      FORM: csv, csv-iterations, md, junit, tap

CSV is read by Python's csv, Markdown by cmark-gfm (GitHub's own rules) and html.parser, JUnit XML
by xml.etree, TAP by Perl's TAP::Parser. Numbers are compared as they are written, digit by digit.
Prints what differs, and exits with status 1 then. A form whose reader is not there is left out.
"""
import csv
import io
import json
import shutil
import subprocess
import sys
import xml.etree.ElementTree

sys.dont_write_bytecode = True  # beside the sources
from crosscheck import Result
from markdown_page import page_of

SAMPLE = ["experiment", "arm", "group", "params", "round", "position", "status", "cpu"]


def documents_of(path, **options):
    with open(path, encoding="utf-8") as file:
        read = json.load(file, **options)
    return read if isinstance(read, list) else [read]


def shown(text):
    """A text in which every character can be seen, as all forms but CSV have it."""
    def one(character):
        code = ord(character)
        if code < 32 or code == 127:
            return f"\\{code}"
        hidden = 0x80 <= code <= 0x9F or code in (0x2028, 0x2029, 0xFFFE, 0xFFFF)
        return f"\\u{{{code:X}}}" if hidden else character
    return "".join(map(one, text))


def differences(name, got, wanted):
    if len(got) != len(wanted):
        yield f"{name}: {len(got)} of {len(wanted)} are there"
    for index, (one, other) in enumerate(zip(got, wanted), 1):
        if one != other:
            yield f"{name} {index} is {one!r}, not {other!r}"


# CSV. A NUL, which this reader refuses, has a symbol in its place.

def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        text = file.read()
    if not text.endswith("\r\n"):
        raise ValueError("rows don't end as RFC 4180 has it")
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


def front_of(document, sample):
    group = {arm["name"]: arm.get("group", "") for arm in document["design"]["arms"]}
    params = ";".join(f"{name}={value}" for name, value in sorted(sample.get("params", {}).items()))
    fields = [document["experiment"], sample["arm"], group[sample["arm"]], params, sample["round"],
              sample["position"], sample["status"], sample["cpu"]]
    return [str(field).replace("\0", "\u2400") for field in fields]


def unit_of(metric):
    return metric["unit"] + ("/" + metric["per"] if "per" in metric else "")


def number_text(value):
    """As few digits as tell a double from all others; whole numbers as they are."""
    if value is None:
        return ""
    if isinstance(value, float):
        return repr(value)
    return str(int(value)) if value == int(value) else repr(float(value))


def check_csv(documents, path):
    wanted = [SAMPLE + ["metric", "unit", "value"]]
    for document in documents:
        result = Result(document)
        for sample in document["samples"]:
            for metric in document["design"]["metrics"]:
                value = (result.value(sample["arm"], metric["name"], sample["round"])
                         if sample["status"] == "ok" else None)
                wanted.append(front_of(document, sample) + [metric["name"], unit_of(metric),
                                                            number_text(value)])
    yield from differences("row", rows_of(path), wanted)


def check_iterations(documents, path):
    kinds = ("minor_faults", "major_faults")
    wanted = [SAMPLE + ["phase", "iteration", "ns", *kinds]]
    for document in documents:
        for sample in document["samples"]:
            for phase in sample["phases"]:
                faults = [dict(phase[kind]) for kind in kinds]
                name = phase["phase"].replace("\0", "\u2400")
                for index, ns in enumerate(phase["ns"], 1):
                    wanted.append(front_of(document, sample) + [name] + [
                        str(field) for field in (index, ns, *(kind.get(index, 0)
                                                              for kind in faults))])
    yield from differences("row", rows_of(path), wanted)


# Markdown.

def key_of(metric):
    if metric["unit"] != "ns":
        return metric["name"]
    return metric["name"] + "_ns" + ("_per_" + metric["per"] if "per" in metric else "")


def cell_of(summary):
    if "exact" in summary:
        return summary["exact"]
    if "values" in summary:
        return f"{summary['values'][0]}..{summary['values'][-1]}"
    if "median" not in summary:
        return "–"
    interval = summary["ci95"] and " [" + ", ".join(summary["ci95"]) + "]"
    return summary["median"] + (interval or "")


def medians_of(document):
    rows = []
    for arm in document["arms"]:
        row = [shown(arm["name"]).strip()]
        for metric in document["design"]["metrics"]:
            summaries = [one["metrics"][key_of(metric)] for one in document["arms"]]
            if any(one.get("n") != "0" for one in summaries):
                if metric.get("keep", "median") != "median":
                    row.append(arm["metrics"][key_of(metric)].get("kept", "–"))
                row.append(cell_of(arm["metrics"][key_of(metric)]))
        rows.append(row + [arm["processes"] if arm["lost"] == "0"
                           else f"{arm['processes']}, {arm['lost']} lost"])
    return rows


def verdicts_of(document):
    rows = []
    for claim in document["claims"]:
        if "withdrawn" in claim:
            rows.append(["withdrawn", claim["claim"], claim["withdrawn"]])
        prefix = "asked instead: " if "withdrawn" in claim else ""
        rows.append([claim["verdict"], prefix + claim["asked"], claim["reason"]])
    return [[shown(cell).strip() for cell in row] for row in rows]


def check_markdown(documents, path):
    """Of experiments without a sweep: one table of medians each, and one of verdicts."""
    page = page_of(path)
    wanted, blocks = [], []
    for document in documents:
        wanted.append(medians_of(document))
        if document["claims"]:
            wanted.append(verdicts_of(document))
        if document.get("reading"):
            blocks.append("\n".join(map(shown, document["reading"])) + "\n")
    got = [table[1:] for table in page.tables]
    for index, (one, other) in enumerate(zip(got, wanted), 1):
        yield from differences(f"table {index}, row", one, other)
    yield from differences("table", [len(table) for table in got], [len(rows) for rows in wanted])
    yield from differences("block", page.blocks, blocks)
    yield from differences("heading", page.headings, [
        (shown(one["experiment"]) + (": " + shown(one["doc"]) if "doc" in one else "")).strip()
        for one in documents])
    if page.others:
        yield f"there is markup that nobody meant: {sorted(page.others)}"


# Points, in both forms: name, verdict, and for a claim that was not made the reason.

def points_of(document):
    is_there = all(sample["status"] == "ok" for sample in document["samples"])
    yield "every sample came back", "pass" if is_there and not document["partial"] else "lost", None
    for claim in document["claims"]:
        if "withdrawn" in claim:
            yield claim["claim"], "withdrawn", claim["withdrawn"]
        yield claim["asked"], claim["verdict"], claim["reason"]


# The attributes and elements of a JUnit report, and those without which it is none.
ATTRIBUTES = {
    "testsuites": ({"name", "tests", "failures", "errors", "time"}, set()),
    "testsuite": ({"name", "tests", "failures", "errors", "skipped", "time", "timestamp"}, set()),
    "properties": (set(), set()), "property": ({"name", "value"}, set()),
    "testcase": ({"name", "classname"}, {"time"}), "system-out": (set(), set()),
    "skipped": ({"message"}, set()), "failure": ({"message", "type"}, set()),
    "error": ({"message", "type"}, set()),
}
ELEMENTS = {
    "testsuites": {"testsuite"}, "testsuite": {"properties", "testcase"},
    "properties": {"property"},
    "testcase": {"skipped", "failure", "error", "system-out"},
}
OUTCOME = {"pass": "system-out", "fail": "failure", "lost": "error", "withdrawn": "skipped"}


def check_shape(element):
    needed, allowed = ATTRIBUTES[element.tag]
    if not needed <= set(element.keys()) <= needed | allowed:
        yield f"{element.tag} has the attributes {sorted(element.keys())}"
    for child in element:
        if child.tag in ELEMENTS.get(element.tag, ()):
            yield from check_shape(child)
        else:
            yield f"there is a {child.tag} in a {element.tag}"


def counted(element):
    found = [len(list(element.iter(tag))) for tag in ("testcase", "failure", "error", "skipped")]
    said = [int(element.get(name, found[3])) for name in ("tests", "failures", "errors", "skipped")]
    return found, said


def check_junit(documents, path):
    root = xml.etree.ElementTree.parse(path).getroot()
    yield from check_shape(root)
    for element in root.iter():
        if element.tag in ("testsuites", "testsuite"):
            yield from differences(f"count of {element.tag}", *counted(element))
    cases = [(case.get("classname"), case.get("name"), [child.tag for child in case])
             for case in root.iter("testcase")]
    yield from differences("case", cases, [
        (shown(document["experiment"]), shown(name), [OUTCOME[verdict]])
        for document in documents for name, verdict, _ in points_of(document)])
    for suite, document in zip(root, documents):
        if round(float(suite.get("time")) * 1e9) != document["wall_ns"]:
            yield f"{suite.get('time')} s is not {document['wall_ns']} ns"


READER = r"""
use TAP::Parser; use JSON::PP; binmode STDOUT, ":raw";
open my $file, "<:encoding(UTF-8)", $ARGV[0] or die $!; my $text = do { local $/; <$file> };
my $parser = TAP::Parser->new({ tap => $text }); my @points;
while (my $one = $parser->next) {
    push @points, [ $one->is_ok ? 1 : 0, $one->description, $one->directive, $one->explanation ]
        if $one->is_test;
    push @{$points[-1]}, $one->data if $one->is_yaml;
    push @points, "unknown: " . $one->raw if $one->is_unknown;
}
print encode_json({ points => \@points, errors => [ $parser->parse_errors ],
                    plan => $parser->plan });
"""


def described(name):
    """As this reader of version 13 has it: it leaves the marks of escape where they are."""
    return shown(name).replace("\\", "\\\\").replace("#", "\\#").rstrip()


def check_tap(documents, path):
    read = json.loads(subprocess.run(["perl", "-e", READER, path], capture_output=True,
                                     check=True).stdout)
    wanted = [(f"{document['experiment']}: {name}", verdict, reason)
              for document in documents for name, verdict, reason in points_of(document)]
    yield from read["errors"]
    if read["plan"] != f"1..{len(wanted)}":
        yield f"the plan is {read['plan']}"
    got = [[point[0], point[1].removeprefix("- "), point[2], point[3], point[4]["verdict"]]
           for point in read["points"]]
    yield from differences("point", got, [
        [int(verdict in ("pass", "withdrawn")), described(name),
         "SKIP" if verdict == "withdrawn" else "",
         "withdrawn: " + described(reason) if verdict == "withdrawn" else "", verdict]
        for name, verdict, reason in wanted])
    reasons = [point[4]["reason"] for point in read["points"] if point[4]["verdict"] != "lost"]
    yield from differences("reason", [reason for reason, one in zip(reasons, wanted) if one[2]], [
        shown(reason) for _, verdict, reason in wanted if verdict != "lost" and reason])


CHECKS = {"csv": check_csv, "csv-iterations": check_iterations, "md": check_markdown,
          "junit": check_junit, "tap": check_tap}
READERS = {"md": "cmark-gfm", "tap": "perl"}


def main(json_path, *pairs):
    found = []
    for form, path in (pair.split("=", 1) for pair in pairs):
        if form in READERS and not shutil.which(READERS[form]):
            continue
        as_text = {"parse_int": str, "parse_float": str} if form == "md" else {}
        found += (f"--{form}: {complaint}"
                  for complaint in CHECKS[form](documents_of(json_path, **as_text), path))
    print("\n".join(found[:20]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
