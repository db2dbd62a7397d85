"""One knob for what is shown, and scikit-learn's callbacks."""

import importlib.util
import os
import pty
import sys
import types
import warnings

import numpy as np
import pytest
from conftest import quick, waves

import rfnn
from rfnn import _progress

needs_callbacks = pytest.mark.skipif(
    importlib.util.find_spec("sklearn.callback") is None, reason="scikit-learn has no callbacks yet"
)


@pytest.fixture
def data():
    X, y = waves()
    return np.c_[X, np.ones(200)], y  # a constant column is worth a remark


def test_silence(data, capfd):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = quick().fit(*data)
        rfnn.RFNNRegressor(blocks=1, random_state=1).fit(*data).predict(data[0])
    assert capfd.readouterr() == ("", "")
    assert any("constant" in text for text in model.warnings_)


def test_lines_where_there_is_no_terminal(data, capsys):
    with pytest.warns(rfnn.RFNNWarning, match="constant"):
        quick(verbose=1).fit(*data)
    out, err = capsys.readouterr()
    assert out == "" and [line.split("  ")[0] for line in err.splitlines()[:3]] == ["block 1", "block 2", "block 3"]


@pytest.mark.parametrize("missing", ["", "rich", "rich tqdm"])
@pytest.mark.parametrize("verbose", [0, 1, 2])
def test_terminals(missing, verbose, monkeypatch):
    modules = {"rich": "rich.console", "tqdm": "tqdm.std"}
    for name in missing.split():
        monkeypatch.setitem(sys.modules, modules[name], None)
    X, y = waves(2000)
    master, slave = pty.openpty()
    with os.fdopen(slave, "w") as terminal, monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", terminal)
        quick(blocks=2, iterations=200, verbose=verbose).fit(X, y)
        terminal.write("end\n")
        terminal.flush()
        text = b""
        while b"end" not in text:
            text += os.read(master, 65536)
    os.close(master)
    if verbose == 0:
        assert text.strip() == b"end"
    else:
        assert b"2 blocks in" in text
        assert (b"width 6" in text) == (verbose == 2 or missing == "rich tqdm")


def test_a_log_shows_that_it_goes_on(capsys):
    display = _progress._Plain(1)
    for elapsed, stage in ((0.1, "a"), (1.9, "b"), (2.5, "c"), (3, "d"), (5, "c"), (6, "e"), (7, "")):
        display.progress(types.SimpleNamespace(elapsed=elapsed, stage=stage))
    assert capsys.readouterr().err.splitlines() == ["2 s  c", "6 s  e"]


def test_in_notebooks_without_widgets_rich_is_passed_over(monkeypatch):
    monkeypatch.setattr(_progress, "_in_notebook", lambda: True)
    monkeypatch.setattr(_progress, "_has_widgets", lambda: False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shown = _progress.display(1)
        shown.close(None)
    assert type(shown) is _progress._Tqdm


def test_one_block_is_no_plural(data, capsys):
    with pytest.warns(rfnn.RFNNWarning):
        quick(blocks=1, verbose=1).fit(*data)
    assert "\n1 block in " in capsys.readouterr().err


def test_verbosities(data, capfd):
    for silent in (None, 0, False, -1):
        quick(verbose=silent).fit(*data)
    assert capfd.readouterr() == ("", "")


@needs_callbacks
def test_scikit_learn_callbacks_see_a_task_per_block(data):
    class Recorder:
        def __init__(self, stop_after=None):
            self.events, self.scores, self.stop_after = [], [], stop_after

        def setup(self, estimator, context):
            self.events.append("setup")

        def on_fit_task_begin(self, estimator, context):
            self.events.append(("begin", context.task_name))

        def on_fit_task_end(self, estimator, context, *, X, y, fitted_estimator):
            self.events.append(("end", context.task_name))
            self.scores.append(fitted_estimator.score(X, y))
            return len(self.scores) == self.stop_after

        def teardown(self, estimator, context):
            self.events.append("teardown")

    X, y = data
    recorder = Recorder()
    model = quick().set_callbacks(recorder).fit(X, y)
    block = [("begin", "block"), ("end", "block")]
    assert recorder.events == ["setup", ("begin", "fit"), *3 * block, ("end", "fit"), "teardown"]
    stages = [1 - np.mean((stage - y) ** 2) / np.var(y) for stage in model.staged_predict(X)]
    assert np.allclose(recorder.scores, [*stages, stages[-1]])
    assert quick(iterations=5000).set_callbacks(Recorder(stop_after=1)).fit(X, y).n_blocks_ < 3


@needs_callbacks
def test_scikit_learn_progress_bar(data):
    from sklearn.callback import ProgressBar

    pytest.importorskip("rich")
    assert quick().set_callbacks(ProgressBar()).fit(*data).n_blocks_ == 3
