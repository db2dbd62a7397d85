#!/usr/bin/python3
"""usage: reproduction-docs.py REPRODUCTION DOCS

Takes the folder that `rfnn reproduce all` wrote and puts into DOCS what is worth keeping with the sources: the claims
and the medians and quartiles of results.json (summary.json), and pictures of the report as people see it: on a screen,
in dark colours, on a phone, on paper. Needs Chromium, chromedriver, Selenium and pdftoppm.
"""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from selenium import webdriver
from selenium.webdriver.chrome.service import Service


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


class Browser:
    def __init__(self):
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
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, docs = map(pathlib.Path, sys.argv[1:])
    docs.mkdir(parents=True, exist_ok=True)
    results = json.loads((source / "results.json").read_text(encoding="utf-8"))
    write_summary(results, docs / "summary.json")
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
    for place in sorted(docs.iterdir()):
        print(f"{place}  {place.stat().st_size / 1000:.0f} kB")


main()
