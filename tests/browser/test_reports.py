import base64
import re

import pytest

from conftest import MAKERS

ALL = list(MAKERS)
WITH_MARKS = [name for name in ALL if name != "failed"]


@pytest.mark.parametrize("name", ALL)
def test_opens_from_disk_without_a_complaint_or_a_request(page, name):
    report = page(name)
    assert report.console() == []
    assert report.requests() == []
    assert report.path.stat().st_size < 1_000_000
    report.screenshot(name)


@pytest.mark.parametrize("name", WITH_MARKS)
def test_every_figure_has_marks(page, name):
    report = page(name)
    figures = report.figures()
    assert figures, "no figures at all"
    empty = [figure for figure in figures if report.inked(figure) < 20]
    assert empty == []


@pytest.mark.parametrize("name", WITH_MARKS)
def test_every_figure_is_explained(page, name):
    report = page(name)
    lacking = report.js("""
        return [...document.querySelectorAll('[data-figure]')].filter((f) =>
            f.querySelector('canvas').getAttribute('aria-label').length < 20 ||
            f.querySelector('figcaption').textContent.length < 20 || !f.querySelector('h3').textContent)
            .map((f) => f.dataset.figure)""")
    assert lacking == []
    # Colours: where several series are drawn, the legend names each.
    unnamed = report.js("""
        return [...document.querySelectorAll('[data-figure]')].filter((f) => {
          const chart = Chart.getChart(f.querySelector('canvas'));
          const sets = chart.data.datasets.filter((d) => !d.$hidden && d.$mark !== 'cells' && d.data.length);
          const colours = new Set(sets.map((d) => d.borderColor));
          return colours.size > 1 && sets.some((d) => !d.label);
        }).map((f) => f.dataset.figure)""")
    assert unnamed == []


@pytest.mark.parametrize("name", ["one", "one-fit", "two", "three"])
def test_the_block_slider_changes_the_prediction(page, name):
    report = page(name)
    figures = report.js("return [...document.querySelectorAll('#predictions [data-figure]')].map((f) => f.dataset.figure)")
    assert figures
    changed = 0
    for figure in figures:
        before = report.picture(figure)
        label = report.js("""
            const box = document.querySelector(`[data-figure="${arguments[0]}"]`), slider = box.querySelector('input[type=range]');
            if (!slider) return null;
            slider.value = '0';
            slider.dispatchEvent(new Event('input', {bubbles: true}));
            return box.querySelector('output').textContent;""", figure)
        if label is None:
            continue
        assert report.picture(figure) != before, figure
        assert label
        assert report.js("""return document.querySelector(`[data-figure="${arguments[0]}"] input`).getAttribute('aria-valuetext')""",
                         figure) == label
        changed += 1
    assert changed, "no prediction figure has a slider"


def test_the_slider_works_from_the_keyboard(page):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    report = page("one")
    slider = report.driver.find_element(By.CSS_SELECTOR, "#predictions input[type=range]")
    figure = report.js("return arguments[0].closest('[data-figure]').dataset.figure", slider)
    before = report.picture(figure)
    slider.send_keys(Keys.HOME)
    assert report.picture(figure) != before


def test_dark_and_light(page):
    light = page("one")
    figure = light.figures()[0]
    ground = "return getComputedStyle(document.body).backgroundColor"
    assert light.js(ground) == "rgb(255, 255, 255)"
    light_picture = light.picture(figure)
    dark = page("one", dark=True)
    dark.screenshot("one-dark")
    shade = [int(part) for part in re.findall(r"\d+", dark.js(ground))]
    assert max(shade) < 60
    assert dark.picture(figure) != light_picture
    assert all(dark.inked(name) >= 20 for name in dark.figures())
    dark.js("document.getElementById('theme').click()")
    assert dark.js(ground) == "rgb(255, 255, 255)"
    assert dark.picture(figure) == light_picture


def test_a_column_named_like_a_script_is_text(page):
    report = page("two")
    assert report.js("return document.querySelectorAll('script').length") == 4
    assert "<script>alert(1)</script>" in report.js("return document.body.innerText")
    labels = report.js("""
        return [...document.querySelectorAll('[data-figure] canvas')].flatMap((c) =>
            Object.values(Chart.getChart(c).scales).map((s) => s.options.title.text.join(' ')))""")
    assert any("<script>alert(1)</script>" in label for label in labels)
    assert report.console() == []


def test_the_report_of_an_interrupted_run_says_so(page):
    report = page("interrupted")
    assert "nterrupt" in report.js("return document.querySelector('.notice').textContent")
    assert report.figures()


def test_the_report_of_a_failed_run_says_why(page):
    report = page("failed")
    text = report.js("return document.querySelector('.notice').textContent")
    assert "ailed" in text
    report.screenshot("failed")


@pytest.mark.parametrize("name", ["one", "two", "three", "reproduction"])
def test_phone(page, name):
    report = page(name, width=390, height=844, mobile=True)
    report.screenshot(f"{name}-phone")
    assert report.js("return document.documentElement.scrollWidth") <= 390
    assert all(report.inked(figure) >= 20 for figure in report.figures())


OVERLAPS = """
    const overlapping = [];
    for (const canvas of document.querySelectorAll('[data-figure] canvas')) {
      const chart = Chart.getChart(canvas), id = canvas.closest('[data-figure]').dataset.figure;
      for (const scale of Object.values(chart.scales)) {
        const shown = scale.ticks.map((tick, i) => [scale.getPixelForTick(i), tick.label]).filter(([, l]) => l !== '');
        if (shown.length < 2) overlapping.push(`${id}: ${scale.id} has ${shown.length} labels`);
        const context = canvas.getContext('2d');
        context.font = `12px ${Chart.defaults.font.family}`;
        const size = ([, label]) => (scale.isHorizontal() ? context.measureText(label).width + 2 : 11);
        const sorted = shown.sort((a, b) => a[0] - b[0]);
        for (let i = 1; i < sorted.length; ++i) {
          if (sorted[i][0] - sorted[i - 1][0] < (size(sorted[i]) + size(sorted[i - 1])) / 2) {
            overlapping.push(`${id}: ${scale.id} ${sorted[i - 1][1]} | ${sorted[i][1]}`);
          }
        }
        const room = scale.isHorizontal() ? chart.width : chart.height;
        for (const line of scale.options.title.text) {
          if (context.measureText(line).width > room - 40) overlapping.push(`${id}: title ${line}`);
        }
      }
    }
    return overlapping;
"""


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", WITH_MARKS)
def test_labels_do_not_overlap(page, name, width):
    report = page(name, width=width, mobile=width < 600)
    assert report.js(OVERLAPS) == []


@pytest.mark.parametrize("name", ["one", "two", "three", "reproduction"])
def test_prints_line_drawings(page, name, tmp_path):
    report = page(name, dark=True)
    document = report.pdf()
    assert document.startswith(b"%PDF")
    report.cdp("Emulation.setEmulatedMedia", media="print")
    report.js("window.dispatchEvent(new Event('beforeprint'))")
    drawings = report.js("""
        return [...document.querySelectorAll('[data-figure]')].map((f) => {
          const svg = f.querySelector('.plot svg'), canvas = f.querySelector('canvas');
          return [f.dataset.figure, svg ? svg.querySelectorAll('path, rect').length : 0,
                  svg ? svg.getBoundingClientRect().width : 0, getComputedStyle(canvas).display];
        })""")
    assert drawings
    for figure, marks, width, canvas in drawings:
        assert marks > 5 and width > 50 and canvas == "none", figure
    report.js("window.dispatchEvent(new Event('afterprint'))")
    assert report.js("return document.documentElement.classList.contains('drawn')") is False
    import os
    if os.environ.get("RFNN_SCREENSHOTS"):
        with open(os.path.join(os.environ["RFNN_SCREENSHOTS"], f"{name}.pdf"), "wb") as file:
            file.write(document)


@pytest.mark.parametrize("name", ["one", "two", "reproduction"])
def test_every_figure_can_be_saved(page, name):
    report = page(name)
    for figure in report.figures():
        svg = report.saved(figure, "SVG")
        text = base64.b64decode(svg["data"].split(",")[1]).decode()
        assert svg["type"] == "image/svg+xml"
        parsed = report.js("""
            const d = new DOMParser().parseFromString(arguments[0], 'image/svg+xml');
            return [d.querySelector('parsererror') === null, d.querySelectorAll('path').length, d.querySelectorAll('text').length]""",
                           text)
        assert parsed[0] and parsed[1] > 5 and parsed[2] > 3, figure
        assert "NaN" not in text and "undefined" not in text, figure
        png = report.saved(figure, "PNG")
        assert base64.b64decode(png["data"].split(",")[1]).startswith(b"\x89PNG")
        table = base64.b64decode(report.saved(figure, "CSV")["data"].split(",")[1]).decode()
        lines = table.strip().split("\n")
        assert len(lines) > 1 and "series,x,y" in lines[0], figure


def test_data_can_be_read_as_a_table(page):
    report = page("one")
    rows = report.js("""
        const details = document.querySelector('[data-figure] .tools details');
        details.open = true;
        details.dispatchEvent(new Event('toggle'));
        return details.querySelectorAll('tbody tr').length""")
    assert rows > 1


def test_structure_for_screen_readers(page):
    report = page("one")
    assert report.js("return document.documentElement.lang") == "en"
    assert report.js("return document.querySelectorAll('h1').length") == 1
    duplicates = report.js("""
        const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
        return ids.filter((id, i) => ids.indexOf(id) !== i)""")
    assert duplicates == []
    unlabelled = report.js("""
        return [...document.querySelectorAll('button, input')].filter((e) => !e.textContent && !e.labels?.length).length""")
    assert unlabelled == 0
    broken = report.js("""
        return [...document.querySelectorAll('nav a')].filter((a) => !document.querySelector(a.getAttribute('href'))).length""")
    assert broken == 0
