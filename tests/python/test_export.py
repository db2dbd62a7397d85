"""Models as files for use without rfnn."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from conftest import quick, waves

import rfnn

ROUNDING = 1e-12
ROUNDING_OF_BARS = 1e-10  # of the length of an interval
NAMES = ["waves", "fast_waves", "lattice", "closed_forms", "radial", "windows", "series", "table", "on_bases", "empty"]
BARS = ["given_all", "given_nearest", "of_windows", "by_companion", "by_draws", "shaped_on_bases", "noise_alone"]


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """A folder with models of every kind, exported, rows for them and what the library predicts."""
    program = os.environ.get("RFNN_EXPORT_MODELS")
    if not program:
        pytest.skip("RFNN_EXPORT_MODELS does not name the program")
    folder = tmp_path_factory.mktemp("exported")
    subprocess.run([program, folder], check=True)
    assert sorted(path.stem for path in folder.glob("*.rfnn")) == sorted(NAMES + BARS)
    return folder


def load(path):
    """The module in a file."""
    module = {"__name__": path.stem}
    exec(compile(path.read_text(), path, "exec"), module)
    return module


def rows_of(folder, name):
    """Rows, outputs and the deviations of the targets."""
    module = load(folder / f"{name}.py")
    rows = np.fromfile(folder / f"{name}.rows").reshape(-1, len(module["COLUMNS"]))
    outputs = np.fromfile(folder / f"{name}.outputs").reshape(len(rows), len(module["OUTPUTS"]))
    return rows, outputs


def difference(a, b, sd=1.5):
    assert a.shape == b.shape
    assert (np.isnan(a) == np.isnan(b)).all()
    return np.nanmax(np.abs(a - b) / np.maximum(np.abs(b), sd))


@pytest.mark.parametrize("name", NAMES)
def test_python_predicts_as_the_model_does(exported, name):
    rows, outputs = rows_of(exported, name)
    predict = load(exported / f"{name}.py")["predict"]
    assert difference(predict(rows), outputs) < ROUNDING
    assert predict(rows[:0]).shape == outputs[:0].shape
    assert difference(predict(rows[:1]), outputs[:1]) < ROUNDING if not np.isnan(outputs[0, 0]) else True


@pytest.mark.parametrize("name", BARS)
def test_python_has_the_intervals_of_the_model(exported, name):
    rows, outputs = rows_of(exported, name)
    module = load(exported / f"{name}.py")
    bounds = np.fromfile(exported / f"{name}.bounds").reshape(3, *outputs.shape)
    lower, upper, std = bounds
    own = module["predict"](rows)
    low, high = module["predict_interval"](rows, coverage=0.9)
    assert (np.isnan(low) == np.isnan(outputs)).all()
    length = upper - lower
    for found, expected in ((low - own, lower - outputs), (high - own, upper - outputs), (module["predict_std"](rows), std)):
        assert np.nanmax(np.abs(found - expected) / length) < ROUNDING_OF_BARS
    assert module["predict_std"](rows[:0]).shape == outputs[:0].shape
    np.testing.assert_allclose(module["predict_interval"](rows[3:5])[0], low[3:5], rtol=1e-9)
    with pytest.raises(ValueError, match="share between 0 and 1"):
        module["predict_interval"](rows, 1)


@pytest.mark.parametrize("name", NAMES)
def test_python_without_error_bars_says_so(exported, name):
    module = load(exported / f"{name}.py")
    assert "predict_interval" not in module and "predict_std" not in module
    assert "There is no\n`predict_interval`: the model has no error bars" in module["__doc__"]


@pytest.mark.parametrize("name", NAMES)
def test_onnx_predicts_as_the_model_does(exported, name):
    onnx = pytest.importorskip("onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    rows, outputs = rows_of(exported, name)
    file = exported / f"{name}.onnx"
    onnx.checker.check_model(str(file), full_check=True)
    session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
    (found,) = session.run(None, {"inputs": rows})
    assert found.dtype == np.float64
    assert difference(found, outputs) < ROUNDING
    (one,) = session.run(["outputs"], {"inputs": rows[-1:]})
    assert difference(one, outputs[-1:]) < ROUNDING


def test_onnx_says_what_its_columns_are(exported):
    onnx = pytest.importorskip("onnx")
    model = onnx.load(str(exported / "table.onnx"))
    columns = {entry.key: entry.value for entry in model.metadata_props}["columns"].splitlines()
    assert columns[2] == "2 colour: the place of its level: 0 = blue, 1 = green, 2 = red"
    assert "days since 2024-05-01 (UTC)" in columns[1]
    assert columns[2] in model.doc_string


@pytest.mark.parametrize("end", [".c", ".py", ".onnx", ".json", ".txt"])
def test_an_estimator_is_exported_and_compared(tmp_path, end):
    X, y = waves()
    estimator = quick(blocks=2, width=3).fit(X, y)
    if end == ".onnx":
        pytest.importorskip("onnxruntime")
    place = tmp_path / f"surrogate{end}"
    found = estimator.export(place)
    assert found is not None
    assert found < (ROUNDING if end != ".txt" else 1e-3)
    assert place.stat().st_size > 100
    if end == ".py":
        np.testing.assert_allclose(load(place)["predict"](X)[:, 0], estimator.predict(X), rtol=1e-12, atol=1e-12)
    assert estimator.export(place, check=False) is None


def test_the_format_has_to_be_known(tmp_path):
    X, y = waves()
    estimator = quick(blocks=1).fit(X, y)
    with pytest.raises(rfnn.UsageError, match="does not say the format"):
        estimator.export(tmp_path / "model.xyz")
    with pytest.raises(rfnn.UsageError, match='no format "fortran"'):
        estimator.export(tmp_path / "model.c", format="fortran")


def test_json_holds_what_error_bars_are_made_of(exported):
    tensors = json.loads((exported / "by_companion.json").read_text())["tensors"]
    assert [name for name in tensors if name.startswith("uncertainty.")]


def test_json_holds_the_whole_model(exported):
    document = json.loads((exported / "waves.json").read_text())
    assert document["format"] == "rfnn-json"
    tensors = document["tensors"]
    frequencies = tensors["member0.block2.input.frequencies"]
    assert frequencies["shape"] == [9, 2]
    assert np.array(frequencies["data"]).shape == (18,)
    assert document["metadata"]["columns"]["inputs"][1]["used"] is False
    assert Path(exported / "waves.rfnn").exists()
