#!/usr/bin/python3
"""usage: reproduction-docs.py [--text] REPRODUCTION DOCS

Takes the folder that `rfnn reproduce all` wrote and puts into DOCS what is worth keeping with the sources: the claims
and the medians and quartiles of results.json (summary.json), the claims as a table and a few figures in the text of
README.md (between its marks `<!-- NAME -->` and `<!-- /NAME -->`), and pictures of the report as people see it: on a
screen, in dark colours, on a phone, on paper. Needs Chromium, chromedriver, Selenium and pdftoppm; with --text only the
files of text are renewed, and none of these is needed.
"""

import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def shortened(value):
    """Six significant digits are enough to read."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, list):
        return [shortened(item) for item in value]
    if isinstance(value, dict):
        return {name: shortened(item) for name, item in value.items()}
    return value


def write_summary(results, place):
    kept = {name: results[name] for name in ("format", "schema", "version", "quick", "complete", "settings", "claims", "summary")}
    place.write_text(json.dumps(shortened(kept), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def number(value, percent=False):
    """Two digits: more would be noise over ten seeds."""
    if value is None:
        return "–"
    value = 100 * value if percent else value
    text = f"{value:.1e}" if 0 < abs(value) < 0.01 and not percent else f"{value:.2g}"
    if "e" in text:
        mantissa, exponent = text.split("e")
        text = f"{float(text):.0f}" if 0 <= int(exponent) < 4 else f"{mantissa}e{int(exponent)}"
    return text.replace("-", "−", 1 if value < 0 else 0) + (" %" if percent else "")


def evidence(found, percent):
    low, high = number(found["lower_quartile"], percent), number(found["upper_quartile"], percent)
    return f"{number(found['median'], percent)} [{low}, {high}]"


def claims_table(claims):
    """A row per claim, in the order of the page."""
    lines = ["| example | claim | measured as | published settings, median [quartiles] | seeds | verdict | with the best state kept |",
             "|---|---|---|---|---|---|---|"]
    for claim in claims:
        percent = "%" in claim["condition"]
        met = round(claim["share_met"] * claim["seeds"]) if claim["seeds"] else 0
        best = claim["best_state"]
        kept = f"{number(best['median'], percent)}, {best['verdict']}" if best and best["seeds"] else "–"
        lines.append(f"| {claim['example']} | {claim['claim']} | {claim['measure']}: {claim['condition']} | {evidence(claim, percent)} "
                     f"| {met} of {claim['seeds']} | **{claim['verdict']}** | {kept} |")
    return "\n" + "\n".join(lines) + "\n"


def counts(claims):
    count = lambda words: sum(claim["verdict"] == words for claim in claims)
    return f"Of {len(claims)} measured claims {count('holds')} hold, {count('partly')} hold partly, {count('does not hold')} do not."


def seconds(results, example, method, blocks=None):
    for entry in results["summary"]:
        if (entry["example"], entry["method"]) == (example, method):
            return sum(block["seconds"]["median"] for block in entry["blocks"][:blocks])


def facts(results):
    """What the text says with figures in it, by the names of its marks."""
    claims = {claim["id"]: claim for claim in results["claims"]}
    median = lambda name: number(claims[name]["median"], "%" in claims[name]["condition"])
    met = lambda name: f"{round(claims[name]['share_met'] * claims[name]['seeds'])} of {claims[name]['seeds']}"
    error = {}
    for entry in results["summary"]:
        for block in entry["blocks"]:
            error[entry["example"], entry["method"], block["block"]] = block["test_mse"]["median"]
    ten = ("multiscale", "method1", 10)
    return {
        "claims": claims_table(results["claims"]),
        "counts": counts(results["claims"]),
        "version": results["version"],
        "ratio": f"{median('b1-ratio')} in the median",
        "method2": number(error["stairstep", "method2", 10]),
        "adam": f"With three blocks its test error is {median('a5-block-3')} times that of block 3 of Method 1 in the median, "
                f"more than twice on {met('a5-block-3')} seeds, in "
                f"{seconds(results, 'multiscale', 'adam-text'):.1f} s against {seconds(results, 'multiscale', 'method1', 3):.1f} s. "
                f"With ten blocks it is {number(error['multiscale', 'adam-table', 10] / error[ten])} times that of block 10, "
                f"in {seconds(results, 'multiscale', 'adam-table'):.1f} s against {seconds(results, 'multiscale', 'method1'):.1f} s.",
        "three": f"{met('a1-error-3')} seeds",
        "sine": f"{median('c-rate')} (half-space) and {median('c-rate-component')} (component)",
        "sine-errors": f"{number(error['sine', 'method1', 10])} and {number(error['sine', 'component', 10])}",
    }


def write_text(results, place):
    """Fills in what stands between the marks; one that is missing is an error, so that text and figures stay together."""
    text = place.read_text(encoding="utf-8")
    for name, words in facts(results).items():
        text, found = re.subn(f"(<!-- {name} -->).*?(<!-- /{name} -->)", lambda match: match[1] + words + match[2], text, flags=re.DOTALL)
        if not found:
            sys.exit(f"{place} has no place for {name}")
    place.write_text(text, encoding="utf-8")


class Browser:
    def __init__(self):
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        options = webdriver.ChromeOptions()
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
            options.add_argument(word)
        options.binary_location = shutil.which("chromium") or shutil.which("google-chrome")
        self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)

    def open(self, page, width, height, dark=False, mobile=False):
        cdp = self.driver.execute_cdp_cmd
        cdp("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile})
        scheme = "dark" if dark else "light"
        cdp("Emulation.setEmulatedMedia", {"media": "", "features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.driver.get(page.resolve().as_uri())

    def save_view(self, place, section=None):
        """The window, with the top of a section at its top."""
        if section:
            self.driver.execute_script("document.documentElement.style.scrollBehavior = 'auto';"
                                       "document.getElementById(arguments[0]).scrollIntoView()", section)
        data = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]
        place.write_bytes(base64.b64decode(data))

    def save_paper(self, place, sheet):
        data = self.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"]
        with tempfile.TemporaryDirectory() as folder:
            pdf = os.path.join(folder, "page.pdf")
            with open(pdf, "wb") as file:
                file.write(base64.b64decode(data))
            subprocess.run(["pdftoppm", "-r", "80", "-png", "-f", str(sheet), "-l", str(sheet), "-singlefile", pdf, str(place.with_suffix(""))],
                           check=True)


def main():
    words = [word for word in sys.argv[1:] if word != "--text"]
    if len(words) != 2:
        sys.exit(__doc__)
    source, docs = map(pathlib.Path, words)
    docs.mkdir(parents=True, exist_ok=True)
    results = json.loads((source / "results.json").read_text(encoding="utf-8"))
    write_summary(results, docs / "summary.json")
    if (docs / "README.md").exists():
        write_text(results, docs / "README.md")
    if "--text" in sys.argv:
        return
    page = source / "report.html"
    browser = Browser()
    browser.open(page, 1280, 900)
    sections = browser.driver.execute_script("return [...document.querySelectorAll('section')].map((s) => s.id)")
    for section in sections[:-1]:
        browser.save_view(docs / f"{section}.png", section)
    browser.open(page, 1280, 900, dark=True)
    browser.save_view(docs / "dark.png", sections[2])
    browser.open(page, 390, 844, mobile=True)
    browser.save_view(docs / "phone.png", sections[1])
    browser.open(page, 1280, 900)
    browser.save_paper(docs / "paper.png", sheet=4)
    browser.driver.quit()
    for place in sorted(docs.glob("*.png")):
        print(f"{place}  {place.stat().st_size / 1000:.0f} kB")


main()
