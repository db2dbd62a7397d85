"""Model files, reports and the command, shared with the program."""

import errno
import html
import json
import os
import pickle
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from conftest import quick, tensors, waves
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rfnn


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A table as NPY and as CSV with a header; inputs first, then the target."""
    folder = tmp_path_factory.mktemp("table")
    X, y = waves(120)
    frame = pd.DataFrame(np.c_[X, y], columns=["u", "v", "height"])
    frame.to_csv(folder / "table.csv", index=False, float_format="%.17g")
    np.save(folder / "table.npy", frame.to_numpy())
    return folder, frame


@pytest.mark.parametrize("params", [
    {"preset": "paper", "blocks": 3, "iterations": 40, "width": 5, "ridge": [1e-3, 1e-5], "validation_fraction": 0.2},
    pytest.param({"preset": "auto", "blocks": 2}, marks=pytest.mark.core),
])  # fmt: skip
@pytest.mark.parametrize("kind", ["npy", "csv"])
def test_python_command_and_library_train_the_same_tensors(params, kind, table, cli, tmp_path):
    folder, frame = table
    words = []
    for name, value in params.items():
        text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
        words += ["--" + name.replace("_", "-"), text]
    target = "3" if kind == "npy" else "height"
    cli("fit", folder / f"table.{kind}", "--target", target, "--seed", 11, "--out", tmp_path / "a.rfnn", *words)
    X, y = (frame[["u", "v"]], frame["height"]) if kind == "csv" else (frame.to_numpy()[:, :2], frame.to_numpy()[:, 2])
    model = rfnn.RFNNRegressor(**params, random_state=11).fit(X, y)
    expected = tensors((tmp_path / "a.rfnn").read_bytes())
    assert len(expected) > 4
    assert tensors(model.model_.to_bytes()) == expected
    if program := os.environ.get("RFNN_DIRECT_FIT"):
        options = json.dumps({**{k: v for k, v in params.items() if k != "preset"}, "seed": 11})
        subprocess.run([program, folder / "table.npy", params["preset"], options, tmp_path / "b.rfnn"], check=True)
        assert tensors((tmp_path / "b.rfnn").read_bytes()) == expected


def test_the_command_reads_what_python_saves(table, cli, tmp_path):
    folder, frame = table
    model = quick(width=4).fit(frame[["u", "v"]], frame["height"])
    rfnn.save(model, tmp_path / "m.rfnn")
    cli("predict", tmp_path / "m.rfnn", folder / "table.csv", "--out", tmp_path / "p.npy")
    assert np.array_equal(np.load(tmp_path / "p.npy").ravel(), model.predict(frame[["u", "v"]]))
    told = json.loads(cli("evaluate", tmp_path / "m.rfnn", folder / "table.csv", "--json").stdout)
    assert told["r2"] == pytest.approx(model.score(frame[["u", "v"]], frame["height"]))
    assert json.loads(cli("inspect", tmp_path / "m.rfnn", "--json").stdout) == json.loads(model.model_.describe())


def test_the_command_matches_columns_of_arrays_by_place(table, cli, tmp_path):
    folder, frame = table
    X, y = frame.to_numpy()[:, :2], frame.to_numpy()[:, 2]
    model = quick().fit(X, y)
    rfnn.save(model, tmp_path / "m.rfnn")
    np.save(tmp_path / "inputs.npy", X)
    for rows in (folder / "table.npy", tmp_path / "inputs.npy", folder / "table.csv"):
        cli("predict", tmp_path / "m.rfnn", rows, "--out", tmp_path / "p.npy")
        assert np.array_equal(np.load(tmp_path / "p.npy").ravel(), model.predict(X))


def test_python_reads_what_the_command_saves(table, cli, tmp_path):
    folder, frame = table
    cli("fit", folder / "table.csv", "--target", "height", "--preset", "paper", "--blocks", 2, "--iterations", 20,
        "--seed", 5, "--out", tmp_path / "m.rfnn")  # fmt: skip
    model = rfnn.load(tmp_path / "m.rfnn")
    assert repr(model) == "PaperRFNNRegressor(blocks=2, iterations=20, random_state=5)"
    assert (model.preset, model.width) == ("paper", 6)
    assert list(model.feature_names_in_) == ["u", "v"]
    cli("predict", tmp_path / "m.rfnn", folder / "table.csv", "--out", tmp_path / "p.npy")
    assert np.array_equal(model.predict(frame[["u", "v"]]), np.load(tmp_path / "p.npy").ravel())
    again = model.fit(frame[["u", "v"]], frame["height"])
    assert tensors(again.model_.to_bytes()) == tensors((tmp_path / "m.rfnn").read_bytes())


@pytest.mark.parametrize("model", [
    rfnn.PaperRFNNRegressor(blocks=3, iterations=30, ridge=[1e-3, 1e-4], gamma=7.0, random_state=1),
    rfnn.RFNNRegressor(blocks=1, width=4, members=1, random_state=1),
])  # fmt: skip
def test_save_and_load_keep_everything(model, tmp_path):
    X, y = waves()
    model.fit(X, np.c_[y, -y])
    rfnn.save(model, tmp_path / "m.rfnn")
    again = rfnn.load(tmp_path / "m.rfnn")
    assert type(again) is type(model) and again.get_params() == model.get_params()
    assert not hasattr(again, "feature_names_in_") and again.n_features_in_ == 2
    assert np.array_equal(again.predict(X), model.predict(X))
    with pytest.raises(ValueError):
        rfnn.save(quick(), tmp_path / "other.rfnn")


def test_a_damaged_file_is_an_input_error(tmp_path):
    (tmp_path / "bad.rfnn").write_bytes(b"nonsense")
    with pytest.raises(rfnn.InputError) as caught:
        rfnn.load(tmp_path / "bad.rfnn")
    assert isinstance(caught.value, ValueError) and caught.value.cure and not isinstance(caught.value, OSError)


@pytest.mark.parametrize("kind", [rfnn.InputError, rfnn.MissingFileError, FileNotFoundError, OSError, ValueError])
def test_a_missing_file_is_caught_as_python_users_do(kind, tmp_path):
    with pytest.raises(kind) as caught:
        rfnn.load(tmp_path / "none.rfnn")
    error = caught.value
    assert error.errno == errno.ENOENT and error.filename == str(tmp_path / "none.rfnn") and "none.rfnn" in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.filename) == (type(error), str(error), error.filename)


def test_paths_of_every_kind(tmp_path):
    X, y = waves()
    model = quick().fit(X, y)
    place = tmp_path / "m.rfnn"
    for path in (place, str(place), os.fsencode(place)):
        rfnn.save(model, path)
        assert rfnn.load(path).n_blocks_ == 3
        model.report(path)
        place.unlink()
    with open(place, "wb") as file:
        for use in (lambda: rfnn.save(model, file), lambda: rfnn.load(file), lambda: model.report(file)):
            with pytest.raises(rfnn.UsageError, match="is no path"):
                use()


def test_a_file_need_not_say_where_it_comes_from(table, cli, tmp_path):
    folder, frame = table
    cli("fit", folder / "table.csv", "--target", "height", "--preset", "paper", "--blocks", 1, "--iterations", 5,
        "--out", tmp_path / "command.rfnn")  # fmt: skip
    for model in (rfnn.load(tmp_path / "command.rfnn"), quick().fit(frame[["u", "v"]], frame["height"])):
        rfnn.save(model, tmp_path / "with.rfnn")
        rfnn.save(model, tmp_path / "without.rfnn", origin=False)
        full, bare = ((tmp_path / name).read_bytes() for name in ("with.rfnn", "without.rfnn"))
        assert os.uname().nodename.encode() in full and os.uname().nodename.encode() not in bare
        assert str(tmp_path).encode() not in bare and b"table.csv" not in bare and b"height" in bare
        assert tensors(full) == tensors(bare)
        again = rfnn.load(tmp_path / "without.rfnn")
        assert np.array_equal(again.predict(frame[["u", "v"]]), model.predict(frame[["u", "v"]]))


def test_only_networks_are_saved(tmp_path):
    X, y = waves()
    pipeline = make_pipeline(StandardScaler(), quick()).fit(X, y)
    with pytest.raises(rfnn.UsageError, match=r"Pipeline is no RFNNRegressor.*pipeline\[-1\]"):
        rfnn.save(pipeline, tmp_path / "m.rfnn")
    rfnn.save(pipeline[-1], tmp_path / "m.rfnn")
    with pytest.raises(rfnn.UsageError, match="is no RFNNRegressor"):
        rfnn.save(StandardScaler(), tmp_path / "m.rfnn")


@pytest.mark.core
def test_too_little_memory_is_said_with_how_much_it_takes():
    code = (
        "import resource, numpy as np, rfnn\n"
        "X = np.random.default_rng(0).normal(size=(100, 2))\n"
        "model = rfnn.PaperRFNNRegressor(width=20000, blocks=1, iterations=1)\n"
        "rfnn.PaperRFNNRegressor(blocks=1, iterations=1).fit(X, X[:, 0])\n"
        "resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))\n"
        "try: model.fit(X, X[:, 0])\n"
        "except MemoryError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert re.search(r"training on 100 rows .* at least \S+ [GT]B. Use fewer", done.stdout), done.stdout


def test_report(tmp_path):
    X, y = waves()
    model = quick().fit(X, y)
    place = tmp_path / "page.html"
    model.report(place)
    without = place.read_text()
    assert without.startswith("<!doctype html>") and "No rows were given" in without
    model.report(place, X, y)
    assert "training rows" in place.read_text()
    model.report(str(place), X + 0.01, y)
    assert "test rows" in place.read_text()
    with pytest.raises(rfnn.InputError):
        model.report(tmp_path / "no" / "folder" / "x.html")
    with pytest.raises(rfnn.UsageError):
        model.report(place, X)


def test_the_report_of_a_fit_in_python_speaks_python(cli, table, tmp_path):
    X, y = waves()
    place = tmp_path / "page.html"
    model = rfnn.RFNNRegressor(blocks=1, width=8, members=1).fit(X, y)
    for rows in ((), (X, y)):
        model.report(place, *rows)
        page = html.unescape(place.read_text())
        assert "rfnn predict model.rfnn" not in page and "rfnn report" not in page
    code = re.search(r"from rfnn import .*?estimator\.fit\(X, y\)", page, re.S)[0]
    names = {"X": X, "y": y}
    exec(code, names)
    assert tensors(names["estimator"].model_.to_bytes()) == tensors(model.model_.to_bytes())
    folder, _ = table
    cli("fit", folder / "table.csv", "--target", "height", "--blocks", 0, "--out", tmp_path / "m.rfnn")
    rfnn.load(tmp_path / "m.rfnn").report(place)
    assert "rfnn fit" in place.read_text()


def run(*words, **more):
    return subprocess.run([sys.executable, "-m", "rfnn", *map(str, words)], capture_output=True, text=True, **more)


def test_python_m_rfnn_is_the_command(table, cli, tmp_path):
    folder, _ = table
    assert run("--version").stdout == cli("--version").stdout == rfnn.__version__ + "\n"
    wrong = run("fit", folder / "table.csv", "--target", "none")
    assert wrong.returncode == 2 and "none" in wrong.stderr
    done = run("fit", folder / "table.csv", "--target", "height", "--preset", "paper", "--blocks", 1, "--iterations", 5,
               "--out", tmp_path / "m.rfnn", "--quiet")  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert rfnn.load(tmp_path / "m.rfnn").n_blocks_ == 1


def test_show_versions(capsys):
    rfnn.show_versions()
    text = capsys.readouterr().out
    assert all(word in text for word in (rfnn.__version__, "numpy", "scikit-learn", "SIMD"))


def test_errors_of_the_data_name_cause_and_cure():
    X, y = waves()
    with pytest.raises(rfnn.NumericalError) as caught:
        quick().fit(X, y * 1e306)
    assert caught.value.cause and caught.value.cure and isinstance(caught.value, ArithmeticError)
