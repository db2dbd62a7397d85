"""Plots: what is drawn is what the estimator knows, with labels, on any axes, and nothing global changes."""

import json
import subprocess
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from conftest import quick, waves
from matplotlib.collections import LineCollection, PathCollection

import rfnn
from rfnn import datasets, plots


@pytest.fixture(autouse=True)
def nothing_global_changes():
    plt.close("all")
    before = matplotlib.rcParams.copy()
    yield
    assert matplotlib.rcParams == before
    plt.close("all")


@pytest.fixture(scope="module")
def tide():
    X, y = datasets.tide(600, random_state=1)
    X, y = pd.DataFrame({"day": X[:, 0]}), pd.Series(y, name="level")
    return rfnn.RFNNRegressor(width=8, members=1, random_state=1).fit(X, y), X, y


@pytest.fixture(scope="module")
def paper():
    X, y = waves(150)
    model = quick(validation_fraction=0.2, blocks=4, patience=1).fit(X, np.c_[y, X[:, 0] ** 2])
    return model, X, np.c_[y, X[:, 0] ** 2]


def texts(ax):
    return [text.get_text() for text in ax.texts]


def stems(ax):
    """Heads of the drawn lines."""
    return np.array([path.vertices[1] for lines in ax.collections if isinstance(lines, LineCollection)
                     for path in lines.get_paths()])  # fmt: skip


def test_spectrum_has_the_lines_of_the_tide_with_labels(tide):
    ax = tide[0].plot_spectrum()
    assert ax.get_xlabel() == "frequency, cycles per unit of day"
    assert ax.get_ylabel() == "amplitude, in units of level"
    heads = stems(ax)
    assert len(texts(ax)) == 5
    for text, (cycles, size, _) in zip(sorted(map(float, texts(ax))), sorted(datasets.TIDE.values())):
        assert text == pytest.approx(cycles, rel=2e-3)
        assert np.abs(heads - [cycles, size]).max(axis=1).min() < 0.02
    assert len(texts(plots.plot_spectrum(tide[0], labels=2))) == 2


def test_labels_of_neighbours_do_not_overlap(tide):
    figure, ax = plt.subplots()
    tide[0].plot_spectrum(ax=ax)
    figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_axes_are_logarithmic_where_lines_span_much(tide):
    X, y = datasets.multiscale(200, random_state=1)
    wide = rfnn.RFNNRegressor(width=6, blocks=1, members=1, random_state=1).fit(X, y).plot_spectrum()
    assert (wide.get_xscale(), wide.get_yscale()) == ("log", "log")
    assert tide[0].plot_spectrum().get_yscale() == "linear"


def test_several_inputs_show_a_length_or_the_chosen_one(paper):
    assert "range of the inputs" in paper[0].plot_spectrum().get_xlabel()
    ax = paper[0].plot_spectrum(input=1, output=1)
    assert ax.get_xlabel().endswith("unit of x2") and ax.get_ylabel().endswith("units of y2")
    lines = [line for line in paper[0].spectrum() if line["branch"] == "input"]
    assert stems(ax)[:, 1].max() <= sum(line["amplitude"][1] for line in lines)
    with pytest.raises(rfnn.UsageError, match="x1, x2"):
        paper[0].plot_spectrum(input="z")
    with pytest.raises(rfnn.UsageError, match="no output 2"):
        paper[0].plot_spectrum(output=2)


def test_convergence_has_the_errors_of_history(paper):
    ax = paper[0].plot_convergence()
    assert ax.get_yscale() == "log" and ax.get_xlabel() == "blocks"
    history = pd.DataFrame(paper[0].history_)
    kept = history[history.kept]
    for line, which in zip((line for line in ax.lines if "rows" in line.get_label()), ("train_mse", "validation_mse")):
        assert np.array_equal(line.get_xdata(), [0, *kept.block])
        assert np.array_equal(line.get_ydata()[1:], kept[which])
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels[:2] == ["training rows", "held-out rows"]
    assert ("given up again" in labels) == (len(kept) < len(history))


def test_convergence_shows_given_up_blocks_members_and_tolerance():
    X, y = waves(80)
    y = y + np.random.default_rng(1).normal(0, 0.5, 80)
    model = quick(validation_fraction=0.3, blocks=6, patience=1, tolerance=1e-3).fit(X, y)
    assert not model.history_["kept"].all()
    assert {"given up again", "tolerance"} <= {text.get_text() for text in
                                               model.plot_convergence().get_legend().get_texts()}  # fmt: skip
    several = rfnn.RFNNRegressor(members=2, width=6, blocks=1, random_state=1).fit(*datasets.multiscale(200, 0.1, 1))
    assert several.model_.members == 2
    labels = [text.get_text() for text in several.plot_convergence().get_legend().get_texts()]
    assert "training rows, each member" in labels and "held-out rows, average of the members" in labels


def test_prediction_over_one_input_is_a_curve_and_points(tide):
    model, X, y = tide
    ax = model.plot_prediction(X, y)
    (curve,) = ax.lines
    x = curve.get_xdata()
    assert np.array_equal(curve.get_ydata(), model.predict(pd.DataFrame({"day": x})))
    assert (x.min(), x.max()) == (X.day.min(), X.day.max())
    (points,) = [c for c in ax.collections if isinstance(c, PathCollection)]
    assert np.array_equal(points.get_offsets(), np.c_[X, y])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("day", "level")
    assert not model.plot_prediction(X).collections


def test_prediction_over_several_inputs_is_against_the_actual_values(paper):
    model, X, Y = paper
    ax = model.plot_prediction(X, Y, output="y2")
    (points,) = ax.collections
    assert np.allclose(points.get_offsets(), np.c_[Y[:, 1], model.predict(X)[:, 1]])
    assert ax.get_xlabel() == "y2, actual" and ax.get_legend().get_title().get_text().startswith("R² = ")
    with pytest.raises(rfnn.UsageError, match="Give y"):
        model.plot_prediction(X)
    with pytest.raises(rfnn.UsageError, match="not for 2 inputs"):
        model.plot_prediction(X, Y, kind="curve")
    with pytest.raises(rfnn.UsageError, match="no kind"):
        model.plot_prediction(X, Y, kind="pie")


def test_prediction_over_two_inputs_can_be_a_map(paper):
    model, X, _ = paper
    ax = model.plot_prediction(X, kind="map")
    mesh = ax.collections[0]
    corners = np.array([[X[:, 0].min(), X[:, 1].min()], [X[:, 0].max(), X[:, 1].max()]])
    assert np.allclose(np.asarray(mesh.get_array()).ravel()[[0, -1]], model.predict(corners)[:, 0])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x1", "x2")


def test_a_map_shows_the_data_in_the_same_colours(paper):
    model, X, Y = paper
    mesh, points = model.plot_prediction(X, Y, kind="map", output=1).collections[:2]
    assert np.array_equal(points.get_offsets(), X) and np.array_equal(points.get_array(), Y[:, 1])
    assert mesh.get_clim() == points.get_clim() and mesh.get_clim()[0] <= Y[:, 1].min()


def test_points_lie_above_a_dense_curve(tide):
    ax = tide[0].plot_prediction(*tide[1:])
    (points,) = [c for c in ax.collections if isinstance(c, PathCollection)]
    assert points.get_zorder() > ax.lines[0].get_zorder()


def test_logarithms_have_logarithmic_axes():
    X = 10 ** np.random.default_rng(0).uniform(-3, 4, (300, 2))
    model = rfnn.RFNNRegressor(blocks=1, width=8, members=1, random_state=1).fit(X[:, :1], np.sin(np.log(X[:, 0])))
    assert model.input_transforms_ == ["log"]
    ax = model.plot_prediction(X[:, :1])
    x = ax.lines[0].get_xdata()
    assert ax.get_xscale() == "log" and np.allclose(np.diff(np.log(x)), np.log(x[1] / x[0]))
    both = rfnn.RFNNRegressor(blocks=1, width=8, members=1, random_state=1).fit(X, np.log(X).sum(axis=1))
    ax = both.plot_prediction(X, kind="map")
    assert (ax.get_xscale(), ax.get_yscale()) == tuple("log" if w == "log" else "linear" for w in both.input_transforms_)


def test_nothing_is_cut_off_on_a_figure_of_their_own(paper):
    for plot in (paper[0].plot_convergence, paper[0].plot_trace, paper[0].plot_spectrum):
        ax = plot()
        ax.set_yticks([0.6], labels=["a label as long as 6×10⁻¹ is wide"])
        ax.figure.canvas.draw()
        box = ax.yaxis.label.get_window_extent()
        assert box.x0 >= 0 and box.y0 >= 0


def test_trace_is_that_of_the_chain(paper):
    ax = paper[0].plot_trace()
    records = json.loads(paper[0].model_.history())
    lines = [line for line in ax.lines if len(line.get_xdata()) > 2]
    assert len(lines) == len(records) and texts(ax) == [str(r["block"]) for r in records]
    assert np.array_equal(lines[1].get_ydata(), records[1]["trace"]["loss"])
    assert lines[1].get_xdata()[0] >= records[0]["iterations"]


def test_trace_without_a_chain_says_where_to_look(tide):
    with pytest.raises(rfnn.UsageError, match=r"plot_convergence\(\)"):
        tide[0].plot_trace()
    assert not plt.get_fignums()


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_colours_follow_the_style(style, tide, paper):
    with plt.style.context(style):
        figure, axes = plt.subplots(2, 2)
        tide[0].plot_spectrum(ax=axes[0, 0])
        tide[0].plot_convergence(ax=axes[0, 1])
        tide[0].plot_prediction(*tide[1:], ax=axes[1, 0])
        paper[0].plot_trace(ax=axes[1, 1])
        figure.canvas.draw()
        for text in (*axes[0, 0].texts, *axes[1, 1].texts):
            assert text.get_color() == matplotlib.rcParams["axes.labelcolor"]


def test_names_are_not_taken_for_formulas(tide):
    X = tide[1].rename(columns={"day": "a$_b$"})
    ax = quick().fit(X, tide[2].rename("$y")).plot_prediction(X)
    ax.figure.canvas.draw()
    assert ax.get_xlabel() == r"a\$_b\$" and ax.get_ylabel() == r"\$y"


def test_a_network_without_waves_says_so():
    model = quick().fit(np.ones((20, 1)), np.arange(20.0))
    with pytest.raises(rfnn.UsageError, match="no waves"):
        model.plot_spectrum()


def test_before_fit_there_is_nothing_to_plot():
    from sklearn.exceptions import NotFittedError

    for plot in (plots.plot_spectrum, plots.plot_convergence, plots.plot_trace):
        with pytest.raises(NotFittedError):
            plot(rfnn.RFNNRegressor())


def test_without_matplotlib_the_error_says_what_to_install():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import rfnn\n"
        "model = rfnn.RFNNRegressor(preset='paper', blocks=1, iterations=2).fit([[0.], [1.], [2.]], [0., 1., 0.])\n"
        "try: model.plot_convergence()\n"
        "except ImportError as error: print(error)\n"
        "print(len(model._repr_html_()) > 100)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install matplotlib" in done.stdout and "True" in done.stdout
