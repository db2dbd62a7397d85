"""What a type checker sees of the package, in its strictest mode."""

import os
import re
import subprocess
import sys

import pytest

pytest.importorskip("mypy")

PROGRAM = """
import rfnn
from rfnn import PaperRFNNRegressor, RFNNRegressor

X, y = rfnn.datasets.multiscale(100, random_state=1)
model = RFNNRegressor(width=8, ridge=[1e-3, 1e-4], random_state=1).fit(X, y, callbacks=[lambda progress: False])
reveal_type(model)  # RFNNRegressor
reveal_type(model.partial_fit(X, y))  # RFNNRegressor
reveal_type(model.n_blocks_)  # int
reveal_type(model.model_)  # Model
reveal_type(model.predict(X))  # ndarray
reveal_type(PaperRFNNRegressor(iterations=5).fit(X, y))  # PaperRFNNRegressor
reveal_type(RFNNRegressor(preset="paper", iterations=5, keep="best"))  # RFNNRegressor
reveal_type(rfnn.load("file"))  # RFNNRegressor
reveal_type(rfnn.cross_validate(model, X, y, folds=3))  # CrossValidation
reveal_type(rfnn.compare({"a": model}, X, y))  # Comparison
reveal_type(rfnn.importance(model, X, y).columns)  # dict
reveal_type(rfnn.evaluate("file", X, y, groups=[1]))  # Evaluation
reveal_type(rfnn.tune(model, X, y, budget=1.5).best_estimator)  # RFNNRegressor
RFNNRegressor(missing="mean", missing_values=[-999, "n.d."], categorical=["code"], unseen="mean")
RFNNRegressor(missing="maybe")  # error
RFNNRegressor(width="three")  # error
RFNNRegressor(width=None, blocks="auto")  # error
RFNNRegressor(preset="papr")  # error
RFNNRegressor(iterations="5")  # error
RFNNRegressor(widht=3)  # error
PaperRFNNRegressor(keep="first")  # error
PaperRFNNRegressor(width=None)  # error
model.fit(X)  # error
model.model_.block  # error
"""


def test_a_fitted_model_has_its_type_and_wrong_keywords_are_found(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--cache-dir", os.devnull, "program.py"]
    where = os.path.dirname(os.path.dirname(__import__("rfnn").__file__))
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "MYPYPATH": where})
    told = {}
    for line in done.stdout.splitlines():
        if found := re.match(r"program.py:(\d+): (error|note: Revealed type is \"([\w.]+))", line):
            told[int(found[1])] = "error" if found[2] == "error" else found[3].rpartition(".")[2]
    expected = {number: line.partition("  # ")[2] for number, line in enumerate(PROGRAM.split("\n"), 1) if "  # " in line}
    assert told == expected, done.stdout
