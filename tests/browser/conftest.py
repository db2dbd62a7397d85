"""Reports made by the real command, opened from disk in a real headless Chromium."""

import base64
import json
import os
import shutil
import signal
import subprocess
import time

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

RFNN = os.path.abspath(os.environ.get("RFNN_CLI", "build/rfnn"))


def run(*words, cwd, code=0):
    done = subprocess.run([RFNN, *map(str, words)], cwd=cwd, capture_output=True, text=True, timeout=300)
    assert done.returncode == code, f"{words}: exit {done.returncode}\n{done.stderr}"
    return done


class Page:
    """A report in the browser."""

    def __init__(self, driver, path):
        self.driver = driver
        self.path = path

    def open(self, width=1280, height=900, dark=False, mobile=False):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)
        scheme = "dark" if dark else "light"
        self.cdp("Emulation.setEmulatedMedia", media="", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        self.driver.get(f"file://{self.path}")
        self.wait_until("return document.documentElement.dataset.ready === 'true'")
        return self

    def cdp(self, command, **arguments):
        return self.driver.execute_cdp_cmd(command, arguments)

    def js(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    def wait_until(self, code, seconds=20):
        end = time.monotonic() + seconds
        while not self.js(code):
            assert time.monotonic() < end, f"never true: {code}"
            time.sleep(0.02)

    def console(self):
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        """Addresses the page asked for, itself aside."""
        asked = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                asked.append(message["params"]["request"]["url"])
        return [url for url in asked if url not in (f"file://{self.path}", "about:blank") and not url.startswith("data:")]

    def figures(self):
        return self.js("return [...document.querySelectorAll('[data-figure]')].map((f) => f.dataset.figure)")

    def inked(self, figure):
        """Pixels of the plotting area, per colour of the palette: how much of the picture is marks."""
        return self.js(
            """
            const canvas = document.querySelector(`[data-figure="${arguments[0]}"] canvas`);
            const chart = Chart.getChart(canvas), area = chart.chartArea, ratio = canvas.width / chart.width;
            const {data} = canvas.getContext('2d').getImageData(Math.round(area.left * ratio) + 2,
                Math.round(area.top * ratio) + 1, Math.round((area.right - area.left) * ratio) - 3,
                Math.round((area.bottom - area.top) * ratio) - 3);
            const probe = document.createElement('canvas').getContext('2d');
            const rgb = (name) => {
              probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
              const value = parseInt(probe.fillStyle.slice(1), 16);
              return [value >> 16, (value >> 8) & 255, value & 255];
            };
            const grid = rgb('grid');
            let marks = 0;
            for (let i = 0; i < data.length; i += 4) {
              if (data[i + 3] < 40) continue;
              if (Math.abs(data[i] - grid[0]) + Math.abs(data[i + 1] - grid[1]) + Math.abs(data[i + 2] - grid[2]) < 24) continue;
              ++marks;
            }
            return marks;
            """,
            figure,
        )

    def picture(self, figure):
        return self.js(
            "return document.querySelector(`[data-figure=\"${arguments[0]}\"] canvas`).toDataURL()", figure
        )

    def saved(self, figure, kind):
        """What the figure's button saves, as text (PNG: base64)."""
        return self.driver.execute_async_script(
            """
            const [id, kind, done] = arguments;
            const real = {url: URL.createObjectURL, click: HTMLAnchorElement.prototype.click};
            URL.createObjectURL = (blob) => {
              const reader = new FileReader();
              reader.onload = () => done({type: blob.type, data: reader.result});
              reader.readAsDataURL(blob);
              return real.url.call(URL, blob);
            };
            HTMLAnchorElement.prototype.click = function() {};
            const buttons = document.querySelectorAll(`[data-figure="${id}"] .tools button`);
            [...buttons].find((b) => b.textContent === kind).click();
            HTMLAnchorElement.prototype.click = real.click;
            """,
            figure,
            kind,
        )

    def pdf(self):
        return base64.b64decode(self.cdp("Page.printToPDF", printBackground=True)["data"])

    def screenshot(self, name):
        """Kept for people when RFNN_SCREENSHOTS names a folder."""
        folder = os.environ.get("RFNN_SCREENSHOTS")
        if not folder:
            return
        os.makedirs(folder, exist_ok=True)
        size = self.cdp("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        data = self.cdp("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)["data"]
        with open(os.path.join(folder, name + ".png"), "wb") as file:
            file.write(base64.b64decode(data))


@pytest.fixture(scope="session")
def driver():
    options = webdriver.ChromeOptions()
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    options.binary_location = chromium
    made = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
    yield made
    made.quit()


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("reports")


def write_table(path, header, rows):
    with open(path, "w") as file:
        file.write(",".join(header) + "\n")
        for row in rows:
            file.write(",".join(repr(float(value)) for value in row) + "\n")


QUICK = ("--iterations", 120, "--burn-in", 40, "--blocks", 4, "--keep", "best", "--quiet")


def one_input(folder):
    run("generate", "multiscale", "--rows", 800, "--seed", 1, "--out", "one.csv", cwd=folder)
    run("generate", "multiscale", "--rows", 500, "--seed", 2, "--out", "one-test.csv", cwd=folder)
    run("fit", "one.csv", "--target", "y", "--preset", "paper",
        "--validation-fraction", 0.2, "--report", "one-fit.html", *QUICK, cwd=folder)
    run("report", "one.rfnn", "--data", "one-test.csv", "--out", "one.html", cwd=folder)


def two_inputs(folder):
    import math

    grid = [(i / 29, j / 29) for i in range(30) for j in range(30)]
    rows = [(x, y, math.sin(7 * x) * math.cos(5 * y) + (x > 0.6)) for x, y in grid]
    write_table(folder / "two.csv", ["<script>alert(1)</script>", "depth & width", "f"], rows)
    run("fit", "two.csv", "--target", "f", "--preset", "paper", "--report", "two.html", *QUICK, cwd=folder)


def three_inputs(folder):
    run("generate", "sine", "--rows", 1500, "--seed", 1, "--out", "three.csv", cwd=folder)
    run("fit", "three.csv", "--target", "y", "--preset", "paper", "--run-dir", "three-run", *QUICK, cwd=folder)
    run("report", "three-run", "--out", "three.html", cwd=folder)


# How the table below is to be read.
MIXED = ("--target", "level", "--decimal", ",", "--comment", "#", "--missing", "mean", "--ignore", "id")


def write_mixed(path, first, rows):
    """A tide gauge as people keep it: ISO times, a text category, truth values, decimal commas, a comment, gaps."""
    import datetime
    import math
    import random

    with open(path, "w") as file:
        file.write("# gauge 12, metres\nid;time;site;valve;flow;level\n")
        for i in range(first, first + rows):
            draw = random.Random(i)
            day, flow = 0.2 * i + 0.1 * draw.random(), 8 + 3 * draw.gauss(0, 1)
            site, valve = draw.choice(["harbour", "north", "north", "south"]), draw.random() < 0.4
            level = (3 * math.sin(2 * math.pi * day / 14.77) + {"harbour": -0.8, "north": 0, "south": 1.2}[site]
                     + 0.8 * valve + 0.3 * flow + 0.1 * draw.gauss(0, 1))
            time = datetime.datetime(2024, 3, 1) + datetime.timedelta(days=day)
            cells = [time.strftime("%Y-%m-%dT%H:%M"), site, str(valve).lower(), f"{flow:.4f}".replace(".", ",")]
            cells = [cell if draw.random() >= 0.03 else draw.choice(["", "NA"]) for cell in cells]
            file.write(";".join([str(i + 1), *cells, f"{level:.4f}".replace(".", ",")]) + "\n")


def mixed_table(folder):
    """The daily work with such a table, from check to a report; what the commands printed."""
    write_mixed(folder / "mixed.csv", 0, 400)
    write_mixed(folder / "mixed-new.csv", 300, 150)
    told = {"refused": run("check", "mixed.csv", "--target", "level", "--comment", "#", "--json", cwd=folder, code=2).stdout}
    told["check"] = run("check", "mixed.csv", *MIXED, "--json", cwd=folder).stdout
    told["cv"] = run("cv", "mixed.csv", *MIXED, "--folds", 2, "--repeat", 1, "--members", 1, "--json", "--quiet",
                     cwd=folder).stdout
    run("fit", "mixed.csv", *MIXED, "--members", 1, "--out", "mixed.rfnn", "--quiet", cwd=folder)
    told["predict"] = run("predict", "mixed.rfnn", "mixed-new.csv", "--keep", "id,time,site", cwd=folder).stdout
    told["importance"] = run("importance", "mixed.rfnn", "--data", "mixed-new.csv", "--json", cwd=folder).stdout
    run("report", "mixed.rfnn", "--data", "mixed-new.csv", "--out", "mixed.html", cwd=folder)
    return told


def interrupted(folder):
    run("generate", "multiscale", "--rows", 800, "--seed", 1, "--out", "long.csv", cwd=folder)
    process = subprocess.Popen(
        [RFNN, "fit", "long.csv", "--target", "y", "--preset", "paper",
         "--iterations", "3000", "--blocks", "500", "--run-dir", "long-run", "--json"],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for line in process.stdout:
        if json.loads(line)["event"] == "block":
            break
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 4
    run("report", "long-run", "--out", "interrupted.html", cwd=folder)


def failed(folder):
    rows = [(i, 1e200 * (1 if i % 2 else -1)) for i in range(50)]
    write_table(folder / "huge.csv", ["x", "y"], rows)
    process = subprocess.run([RFNN, "fit", "huge.csv", "--target", "y", "--preset", "paper",
                              "--run-dir", "failed-run", "--quiet"], cwd=folder,
                             capture_output=True, text=True, timeout=60)
    assert process.returncode == 3, process.stderr
    run("report", "failed-run", "--out", "failed.html", cwd=folder)


def constant(folder):
    write_table(folder / "flat.csv", ["x", "y"], [(i, 2.5) for i in range(40)])
    run("fit", "flat.csv", "--target", "y", "--preset", "paper", "--report", "flat.html", "--quiet", cwd=folder)


def reproduction(folder):
    run("reproduce", "stairstep", "--quick", "--seeds", 1, "--out", "again", cwd=folder)
    shutil.copy(folder / "again" / "report.html", folder / "reproduction.html")


MAKERS = {
    "one-fit": one_input, "one": one_input, "two": two_inputs, "three": three_inputs, "mixed": mixed_table,
    "interrupted": interrupted,
    "failed": failed, "flat": constant, "reproduction": reproduction,
}


@pytest.fixture(scope="session")
def made(folder):
    """Makes a report when it is first asked for."""
    done = {}

    def make(name):
        maker = MAKERS[name]
        if maker not in done:
            done[maker] = maker(folder)
        return folder / f"{name}.html"

    make.told = lambda name: (make(name), done[MAKERS[name]])[1]
    return make


@pytest.fixture
def page(driver, made):
    def open_page(name, **how):
        return Page(driver, made(name)).open(**how)

    return open_page
