"""Models with closed forms: the sum of infinitely many features, whose frequencies are a law."""

import pathlib
import pickle

import numpy as np
import pytest
from conftest import law_kernel, reader

import rfnn

DATA = pathlib.Path(__file__).parents[1] / "data"


@pytest.fixture()
def one():
    """One input, a law of two parts, thirty centres."""
    return rfnn.load(DATA / "closed_form.rfnn")


@pytest.fixture()
def several():
    """Two inputs and two outputs; closed forms of inputs, and of inputs and state, beside features."""
    return rfnn.load(DATA / "schema4.rfnn")


def test_predictions_are_the_documented_formula(one):
    _, tensor = reader(DATA / "closed_form.rfnn")
    X = np.linspace(0, 48, 700)[:, None]
    v = (X - tensor("scale.input.mean")) / tensor("scale.input.sd")
    kernel = "member0.block1.kernel"
    k = law_kernel(tensor, kernel, v, tensor(kernel + ".centres"))
    expected = tensor("scale.output.mean") + tensor("scale.output.sd") * (k @ tensor(kernel + ".coefficients"))
    np.testing.assert_allclose(one.predict(X), expected[:, 0], rtol=0, atol=1e-12)
    np.testing.assert_array_equal([one.predict(row[None])[0] for row in X[::70]], one.predict(X)[::70])


def test_the_law_is_an_attribute(one, several):
    (law,) = one.laws_
    assert (law["member"], law["block"], law["branch"], law["centres"]) == (0, 1, "input", 30)
    assert law["variables"] == ["hour"] and len(law["parts"]) == 2
    assert 0 < law["cycles_median"][0] < law["cycles_90"][0]
    assert one.spectrum() == [] and one.frequencies_.shape == (0, 1)
    assert [(law["member"], law["block"], law["branch"]) for law in several.laws_] == [
        (0, 2, "joint"), (0, 2, "input"), (1, 1, "input")]  # fmt: skip
    assert several.laws_[0]["variables"] == ["log(x)", 'größe, "m"', "y1", "y2"]
    assert {line["member"] for line in several.spectrum()} == {0}
    assert rfnn.load(DATA / "schema3.rfnn").laws_ == []
    assert one.model_.holds_rows and not rfnn.load(DATA / "schema3.rfnn").model_.holds_rows


def test_pickles_and_files_keep_it(one, tmp_path):
    X = np.linspace(0, 48, 100)[:, None]
    rfnn.save(one, tmp_path / "again.rfnn")
    for again in (pickle.loads(pickle.dumps(one)), rfnn.load(tmp_path / "again.rfnn")):
        np.testing.assert_array_equal(again.predict(X), one.predict(X))
        assert again.laws_ == one.laws_


def test_the_spectrum_is_drawn_as_a_density(one, several):
    plt = pytest.importorskip("matplotlib.pyplot")
    ax = one.plot_spectrum()
    assert ax.get_xscale() == "log" and "cycles per unit of hour" in ax.get_xlabel()
    (curve,) = ax.lines
    x, y = curve.get_data()
    area = np.sum(0.5 * (y[1:] + y[:-1]) * np.diff(np.log(x)))
    assert 0.9 < area <= 1
    median = one.laws_[0]["cycles_median"][0]
    below = x <= median
    assert abs(np.sum(0.5 * (y[below][1:] + y[below][:-1]) * np.diff(np.log(x[below]))) - 0.5) < 0.06
    ax = several.plot_spectrum()
    assert len(ax.lines) == 2 and "share of the variance" in ax.get_ylabel()
    assert len(ax.figure.axes) == 2, "lines of other blocks have an axis of their own"
    assert len(several.plot_spectrum(input="x").lines) == 1
    plt.close("all")


def test_card_and_report_show_it(one, several, tmp_path):
    assert "Law of the frequencies" in one._repr_html_()
    assert "<svg" in several._repr_html_()
    one.report(tmp_path / "page.html")
    assert "Law of frequencies of hour" in (tmp_path / "page.html").read_text()


def test_stages_go_through_it(several):
    X = np.column_stack([np.linspace(0.2, 2, 50), np.full(50, 3.0), np.full(50, 1e12)])
    stages = list(several.staged_predict(X))
    np.testing.assert_array_equal(stages[-1], several.predict(X))
