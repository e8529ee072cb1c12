"""Opens the page of --html from disk in a browser: what a reader sees, and what is behind it."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import webdriver

FRLUA = os.path.abspath(os.environ["FRLUA"])
SMALL = pathlib.Path(__file__).resolve().parent.parent / "cli" / "scripts" / "small.lua"
HOSTILE = r"""
local fr <const> = require "frlua"
local name <const> = [==[<script>alert(1)</script> "'&amp; `id` $(id) \u003c \\u003c ]==] .. "\xff\1"
return fr.experiment(name) {
  doc = "</title></script><img src=http://127.0.0.1:1/x onerror=alert(2)><!--",
  regions = { fr.region "buffer" { bytes = fr.machine.page_bytes } },
  arms = { fr.arm(name) { fr.phase "t" { fr.write "buffer", iterations = 20 } } },
  rounds = 2,
  metrics = { fr.metric "first" { at = 1 } },
}
"""
HOSTILE_STEM = "script-alert-1-script-amp-id-id-u003c-u003c"
failures = []


def check(holds, what):
    if not holds:
        failures.append(what)
        print("FAILED:", what)


def frlua(*arguments, **options):
    return subprocess.run([FRLUA, *arguments], capture_output=True, text=True, timeout=100,
                          check=False, **options)


def check_quiet(browser, page):
    complaints = [entry["message"] for entry in browser.log("browser")]
    check(not complaints, f"the console says {complaints}")
    strangers = [url for url in browser.requests()
                 if url != page.as_uri() and not url.startswith("blob:")]
    check(not strangers, f"the page asks for {strangers}")


FIGURES = """
return [...document.querySelectorAll("figure")].map(figure => {
  const svg = figure.querySelector("svg"), box = svg.getBoundingClientRect();
  const named = svg.getAttribute("aria-labelledby").split(" ")
    .map(id => document.getElementById(id).textContent);
  return { id: figure.id, role: svg.getAttribute("role"), title: named[0], description: named[1],
    caption: figure.querySelector("figcaption").textContent, width: box.width, height: box.height,
    drawn: svg.querySelectorAll("path, use, polygon, rect").length,
    tables: figure.closest("section").querySelectorAll("table").length };
});
"""


def check_figures(browser, stem, expected):
    figures = browser.run(FIGURES)
    kinds = [figure["id"].removeprefix(stem + "-").split("-")[0] for figure in figures]
    check(kinds == expected, f"the plots are {kinds}, not {expected}")
    for figure in figures:
        for key in ("title", "description", "caption"):
            check(figure[key].strip() != "", f"{figure['id']} has no {key}")
        check(figure["role"] == "img", f"{figure['id']} is no image to a screen reader")
        check(figure["width"] > 250 and figure["height"] > 100, f"{figure['id']} is too small")
        check(figure["drawn"] > 5, f"nothing is drawn in {figure['id']}")
        check(figure["tables"] == 1, f"{figure['id']} has no table beside it")
    check(browser.run("return new Set([...document.querySelectorAll('[id]')].map(e => e.id)).size"
                      " === document.querySelectorAll('[id]').length"), "an id is there twice")


COLORS = """
const light = color => color.match(/[\\d.]+/g).slice(0, 3).reduce((sum, part) => sum + +part, 0);
return { paper: light(getComputedStyle(document.body).backgroundColor),
  ink: light(getComputedStyle(document.querySelector("h1")).color),
  plot: light(getComputedStyle(document.querySelector("figure svg text")).fill),
  wide: document.documentElement.scrollWidth };
"""


def check_looks(browser):
    for width in (400, 1400):
        for scheme in ("light", "dark"):
            browser.look(width, scheme)
            seen = browser.run(COLORS)
            check(seen["wide"] <= width, f"at {width} pixels the page is {seen['wide']} wide")
            for ink in ("ink", "plot"):
                contrast = (seen["paper"] - seen[ink]) * (1 if scheme == "light" else -1)
                check(contrast > 400, f"{scheme}: the {ink} can't be read on the paper")


def downloaded(directory, name):
    path = directory / name
    for _ in range(200):
        if path.exists() and not list(directory.glob("*.crdownload")):
            return path
        time.sleep(0.05)
    check(False, f"{name} was not downloaded, but {os.listdir(directory)}")
    return None


def check_downloads(browser, directory, json, script, stem):
    for source in ("raw-data", "script-text"):
        browser.click(f'button[data-from="{source}"]')
    data = downloaded(directory, f"{stem}.json")
    if data:
        check(data.read_bytes() == json.read_bytes(), "the raw data is not that of --json")
        verified = frlua("verify", str(data))
        check(verified.returncode == 0 and "verified" in verified.stdout,
              f"verify says {verified.stdout} {verified.stderr}")
    text = downloaded(directory, re.sub(r"[^\w.]+", "-", script.name))
    if text:
        check(text.read_bytes() == script.read_bytes(), "the script is not the one that ran")


def check_page(browser, directory, script, stem, expected):
    page, json = directory / "page.html", directory / "result.json"
    ran = frlua(str(script), "--html", str(page), "--json", str(json), cwd=directory)
    check(ran.returncode == 0 and ran.stderr == "", f"the run says {ran.stderr}")
    browser.open(page.as_uri())
    check_figures(browser, stem, expected)
    check_looks(browser)
    check(browser.pdf().startswith(b"%PDF"), "it does not print")
    check_downloads(browser, directory / "downloads", json, script, stem)
    check_quiet(browser, page)


def main():
    absent = webdriver.missing()
    if absent:
        print("skipped:", absent)
        return 77
    with tempfile.TemporaryDirectory(prefix="frlua-browser-", ignore_cleanup_errors=True) as name:
        directory = pathlib.Path(name)
        (directory / "downloads").mkdir()
        hostile = directory / "host<i>le & 'quoted'.lua"
        hostile.write_text(HOSTILE)
        small = directory / "small.lua"
        small.write_bytes(SMALL.read_bytes())
        browser = webdriver.Browser(directory / "profile", str(directory / "downloads"))
        try:
            print("- an ordinary page")
            check_page(browser, directory, small, "small",
                       ["split"] + 3 * ["iterations"] + 3 * ["distribution"] + ["process"])
            print("- a page whose names are markup")
            check_page(browser, directory, hostile, HOSTILE_STEM,
                       ["iterations"] + 2 * ["distribution"] + ["process"])
        finally:
            browser.close()
    return 1 if failures else 0


sys.exit(main())
