"""The lines that the data can tell apart: the same from Python, the command and the report, logarithms included."""

import json
import re

import numpy as np
import pytest

import rfnn
from rfnn import _core, _notebook, plots


@pytest.fixture(scope="module")
def logarithmic():
    """A network that sees the logarithm of its first input; four members, so that lines merge."""
    rng = np.random.default_rng(0)
    X = np.column_stack([10 ** rng.uniform(-3, 4, 300), rng.uniform(0, 1, 300)])
    y = np.sin(3 * np.log(X[:, 0])) + 0.5 * np.cos(9 * X[:, 1]) + 0.01 * rng.normal(size=300)
    model = rfnn.RFNNRegressor(width=12, members=2, random_state=1).fit(X, y)
    names = [column["name"] for column in json.loads(_core.summary(model.model_))["variables"]]
    assert names == ["log(x1)", "x2"]
    return model, X, y


@pytest.fixture(scope="module")
def one_logarithm():
    rng = np.random.default_rng(0)
    X = 10 ** rng.uniform(-3, 4, (300, 1))
    y = np.sin(3 * np.log(X[:, 0])) + 0.01 * rng.normal(size=300)
    return rfnn.RFNNRegressor(width=6, members=1, random_state=1).fit(X, y), X, y


def report_lines(page, names):
    """Amplitude and frequency of the page's table of largest lines, which names the inputs that a line goes along."""
    table = re.search(r"<table[^>]*>(?:(?!</table>).)*Largest lines.*?</table>", page, re.DOTALL).group(0)
    rows = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL) for row in re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)]

    def along(text):
        parts = dict(part.rsplit(" ", 1) for part in text.split(", ")) if text != "0" else {}
        assert set(parts) <= set(names)
        return [float(parts.get(name, 0)) for name in names]

    return [(float(row[0]), along(row[1])) for row in rows if row and re.match(r"[\d.]", row[0])]


def test_python_command_and_report_give_the_same_lines(logarithmic, tmp_path, cli):
    model, X, y = logarithmic
    lines = model.spectrum(merged=True)
    features = [line for line in model.spectrum() if line["branch"] == "input"]
    assert 2 <= len(lines) < len(features)

    place = tmp_path / "model.rfnn"
    rfnn.save(model, place)
    document = json.loads(cli("inspect", place, "--json").stdout)
    assert document["lines"] == lines

    model.report(tmp_path / "page.html")
    shown = report_lines((tmp_path / "page.html").read_text(encoding="utf-8"), ["log(x1)", "x2"])
    assert len(shown) == min(len(lines), 20)
    for (amplitude, frequency), line in zip(shown, lines):
        assert amplitude == pytest.approx(line["amplitude"][0], rel=0.01)
        assert frequency == pytest.approx(line["frequency"], rel=0.01, abs=1e-3)


def test_a_line_over_a_logarithm_is_where_the_data_have_it(logarithmic):
    model, _, _ = logarithmic
    largest = model.spectrum(merged=True)[0]
    assert abs(largest["frequency"][0]) == pytest.approx(3, abs=0.05)
    frequencies, amplitudes, words = plots._lines.lines_of(model.model_, None, None)
    assert frequencies[0] == pytest.approx(3 * np.log(1e7) / (2 * np.pi), rel=0.05)
    assert "log(x1)" in words


def test_axes_name_the_logarithm(logarithmic, one_logarithm):
    assert "unit of log(x1)" in logarithmic[0].plot_spectrum(input=0).get_xlabel()
    assert "unit of x2" in logarithmic[0].plot_spectrum(input="x2").get_xlabel()
    model = one_logarithm[0]
    assert "unit of log(x1)" in model.plot_spectrum().get_xlabel()
    assert "unit of log(x1)" in _notebook.card(model)


def test_a_curve_over_a_logarithm_is_even_in_it(one_logarithm):
    model, X, y = one_logarithm
    ax = model.plot_prediction(X, y)
    places = ax.lines[0].get_xdata()
    assert ax.get_xscale() == "log"
    steps = np.diff(np.log(places))
    assert np.allclose(steps, steps[0])
    assert places[0] == pytest.approx(X.min()) and places[-1] == pytest.approx(X.max())


def test_a_report_from_python_speaks_of_no_file(one_logarithm, tmp_path):
    model, X, y = one_logarithm
    model.report(tmp_path / "page.html", X, y)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Report of" not in page
    assert "rfnn.save(estimator, &quot;model.rfnn&quot;)" in page or 'rfnn.save(estimator, "model.rfnn")' in page
    row = re.search(r"writing, and all the rest.*?</tr>", page, re.DOTALL)
    assert row is None or int(re.search(r"(\d+) %", row.group(0)).group(1)) < 50
