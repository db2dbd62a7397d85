"""The work around a model in Python, beside the commands that do it: one story, and what else the functions take."""

import io
import json
import os
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from conftest import quick, waves
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GroupKFold, KFold, TimeSeriesSplit, cross_val_predict

import rfnn

READING = ["--decimal", ",", "--comment", "#", "--missing", "mean"]
CHECKING = ["--target", "yield", "--preset", "paper", "--blocks", "3", "--iterations", "30", *READING]
WORDS = ["--target", "yield", "--preset", "paper", "--blocks", "3", "--iterations", "30", "--seed", "1", "--quiet", *READING]


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    """A file as people write it: a comment, decimal commas, moments, a category, a truth value, 3 % missing cells."""
    rng = np.random.default_rng(5)
    rows = 160
    frame = pd.DataFrame(
        {
            "plot": [f"p{k % 20}" for k in range(rows)],
            "sown": pd.date_range("2023-04-01 08:30", periods=rows, freq="11h").strftime("%Y-%m-%dT%H:%M:%SZ"),
            "soil": rng.choice(["clay", "loam", "sand"], rows),
            "irrigated": rng.choice(["yes", "no"], rows),
            "rain": rng.gamma(2, 10, rows).round(2),
        }
    )
    frame["yield"] = (np.cos(np.arange(rows) / 12) + (frame.soil == "loam") + 0.02 * frame.rain + 0.1 * rng.normal(size=rows)).round(4)
    for name in ("soil", "irrigated", "rain"):
        frame.loc[rng.random(rows) < 0.03, name] = None
    path = tmp_path_factory.mktemp("story") / "field.csv"
    text = io.StringIO()
    frame.to_csv(text, index=False, sep=";", decimal=",")
    path.write_text("# measured by hand\n" + text.getvalue())
    return path


def test_the_story_is_the_same_in_python(story, tmp_path, cli):
    frame = rfnn.read_table(story, decimal=",", comment="#")
    assert [str(kind) for kind in frame.dtypes[:2]] == ["category", "datetime64[ns, UTC]"] and frame.rain.isna().any()
    X, y = frame.drop(columns=["plot", "yield"]), frame["yield"]
    model = quick(missing="mean")

    found = rfnn.check(model, X, y)
    told = json.loads(cli("check", story, "--ignore", "plot", "--json", *CHECKING).stdout)
    assert list(found.problems["kind"]) == [problem["kind"] for problem in told["problems"]] and not found.refused
    assert (found.rows, found.inputs, found.highest_frequency) == (told["rows"], told["inputs"], told["highest_frequency"])
    assert found.sampled_along == "sown" and "down to periods of 22 h" in str(found)
    strict = rfnn.check(quick(), X, y)
    counts = dict(zip(strict.problems["column"], strict.problems["count"]))
    assert strict.refused and {name: counts[name] for name in ("soil", "rain")} == frame[["soil", "rain"]].isna().sum().to_dict()

    crossed = rfnn.cross_validate(model, X, y, folds=4)
    told = json.loads(cli("cv", story, "--folds", 4, "--json", "--ignore", "plot", "--out", tmp_path / "o.csv", *WORDS).stdout)
    assert (crossed.mse, crossed.standard_error, crossed.r2) == (told["mse"], told["standard_error"], told["r2"])
    assert dict(zip(crossed.methods["method"][1:], crossed.methods["mse"][1:])) == told["baselines"]
    assert np.array_equal(crossed.predictions, pd.read_csv(tmp_path / "o.csv", float_precision="round_trip")["yield"])

    model.fit(X, y)
    cli("fit", story, "--ignore", "plot", "--out", tmp_path / "m.rfnn", *WORDS)
    cli("predict", tmp_path / "m.rfnn", story, "--keep", "plot,sown", "--out", tmp_path / "p.csv", "--quiet")
    predicted = pd.read_csv(tmp_path / "p.csv", float_precision="round_trip")
    assert list(predicted) == ["plot", "sown", "yield"] and list(predicted["plot"]) == list(frame["plot"])
    assert np.array_equal(predicted["yield"], model.predict(X))
    assert np.array_equal(rfnn.load(tmp_path / "m.rfnn").predict(X), model.predict(X))

    found = rfnn.importance(model, X, y, groups=[["soil", "rain"]])
    told = json.loads(cli("importance", tmp_path / "m.rfnn", "--data", story, "--group-columns", "soil+rain", "--json").stdout)
    assert list(found.columns["column"]) == [entry["name"] for entry in told["inputs"]]
    for name, key in ("r2_lost", "share"), ("mse_added", "importance"), ("mse_added_error", "standard_error"):
        np.testing.assert_allclose(found.columns[name], [entry[key] for entry in told["inputs"]], rtol=1e-12)
    assert found.groups["r2_lost"][0] == pytest.approx(told["groups"][0]["share"], rel=1e-12)
    assert "soil" in str(found) and "soil + rain" in str(found)

    model.report(tmp_path / "page.html", X, y)
    assert "3 levels: clay, loam, sand" in (tmp_path / "page.html").read_text()


def test_check_names_what_the_command_names(tmp_path, cli):
    """The same faults in a file and in a frame, with the words of each."""
    rng = np.random.default_rng(2)
    rows = 300
    frame = pd.DataFrame(
        {
            "when": pd.date_range("2024-05-01", periods=rows, freq="h").strftime("%Y-%m-%dT%H:%M").astype(object),
            "town": [f"t{k % 150}" for k in range(rows)],
            "flat": 7.0,
            "temp": (20 + 5 * rng.normal(size=rows)).round(3),
            "b": [str(value) for value in rng.normal(size=rows).round(3)],
        }
    )
    frame.loc[80, "when"] = "noon"
    frame.loc[[20, 40, 90], "temp"] = -999.0
    frame.loc[55, "b"] = "abc"
    y = pd.Series(rng.normal(size=rows).round(3), name="y")
    frame.assign(y=y).to_csv(tmp_path / "t.csv", index=False)
    ended = subprocess.run([cli.program, "check", tmp_path / "t.csv", "--target", "y", "--json"], capture_output=True, text=True)
    assert ended.returncode == 2
    told = {(one["column"], one["kind"]): one["count"] for one in json.loads(ended.stdout)["problems"]}
    found = rfnn.check(quick(), frame, y)
    table = pd.DataFrame(found.problems)
    assert {(one.column, one.kind): one["count"] for _, one in table.iterrows()} == told
    assert {("when", "unlike"), ("town", "levels"), ("flat", "constant"), ("temp", "sentinel"), ("b", "text")} <= {*told}
    assert table.set_index("column").row[["when", "temp", "b"]].to_list() == [81, 21, 56]
    words = " ".join([*table.text, *table.cure])
    assert "--" not in words and "X['town'] = TargetEncoder" in words and 'missing="mean"' in words
    assert found.refused and "refused" in str(found) and "row" in str(found).splitlines()[5]
    with pytest.raises(rfnn.InputError, match='row 81, column 1 .when.: "noon" is not a date'):
        quick().fit(frame.drop(columns="town"), y)


def test_check_of_arrays():
    X, y = waves(60)
    clean = rfnn.check(quick(), X, y)
    assert len(clean.problems["kind"]) == 0 and not clean.refused and "no problem found" in str(clean)
    X[3, 1], X[7, 0], y[5] = np.nan, np.inf, np.nan
    found = rfnn.check(quick(), X, y, sample_weight=np.r_[-1, np.ones(59)])
    told = {(one.column, one.kind, one.row) for one in pd.DataFrame(found.problems).itertuples()}
    assert {("x2", "missing", 4), ("x1", "infinite", 8), ("y", "missing", 6), ("weight", "weight", 1)} <= told
    text = rfnn.check(quick(), X.tolist(), ["a", "b"] * 30)
    assert ("y", "target") in zip(text.problems["column"], text.problems["kind"])
    assert rfnn.check(quick(), np.arange(50.0)[:, None], np.arange(50.0) % 7).highest_frequency == 0.5
    for wrong, words in ((X[:9], "X has 9"), (None, "no table"), (np.empty((0, 2)), "no rows")):
        with pytest.raises(rfnn.UsageError, match=words):
            rfnn.check(quick(), wrong, y)
    with pytest.raises(rfnn.UsageError, match="no RFNNRegressor"):
        rfnn.check(LinearRegression(), X, y)


def test_folds_are_those_of_scikit_learn():
    X, y = waves(90)
    labels = np.array(["a", "b", "c", "d", "e"])[np.random.default_rng(0).integers(0, 5, 90)]
    expected = cross_val_predict(quick(), X, y, cv=KFold(3))
    result = rfnn.cross_validate(quick(), X, y, folds=3)
    assert np.array_equal(result.predictions, expected) and list(result.folds["rows"]) == [30, 30, 30]
    assert result.mse == pytest.approx(np.mean((y - expected) ** 2), rel=1e-12)
    linear = cross_val_predict(LinearRegression(), X, y, cv=KFold(3))
    assert pd.DataFrame(result.methods).set_index("method").mse["linear"] == pytest.approx(np.mean((y - linear) ** 2), rel=1e-8)
    assert "neighbours" in str(result) and "3 folds (KFold)" in str(result)
    frame = pd.DataFrame(X, columns=["u", "v"]).assign(site=labels)
    grouped = cross_val_predict(quick(), X, y, cv=GroupKFold(3), groups=labels)
    for given in ({"X": X, "groups": labels}, {"X": frame, "groups": "site"}, {"X": X, "groups": labels, "folds": GroupKFold(3)}):
        assert np.array_equal(rfnn.cross_validate(quick(), y=y, **{"folds": 3, **given}).predictions, grouped)
    times = pd.Series(np.arange(90)).sample(frac=1, random_state=0).to_numpy()
    along = rfnn.cross_validate(quick(), X, y, folds=3, time=times)
    order = np.argsort(times)
    for number, (_, test) in enumerate(TimeSeriesSplit(3).split(X)):
        assert list(np.flatnonzero(along.fold == number + 1)) == sorted(order[test])
    assert np.isnan(along.predictions).sum() == (along.fold == 0).sum() > 0 and "last" in along.methods["method"]
    twice = rfnn.cross_validate(quick(), X, y, folds=3, repeats=2)
    assert list(twice.folds["repeat"]) == [1, 1, 1, 2, 2, 2] and np.isfinite(twice.predictions).all()
    several = rfnn.cross_validate(quick(), X, np.c_[y, -y], folds=3, sample_weight=np.ones(90))
    assert several.predictions.shape == (90, 2)


def test_the_limit_of_time_is_for_all_folds():
    X, y = waves(90)
    endless = quick(iterations=10**7, max_time=0.6)
    began = time.monotonic()
    with pytest.warns(rfnn.OutOfTimeWarning, match="max_time cut the training of 3 of 3 folds"):
        result = rfnn.cross_validate(endless, X, y, folds=3)
    assert time.monotonic() - began < 60  # without the limit hours
    assert np.isfinite(result.predictions).all() and result.folds["seconds"].sum() < 60


def test_rows_left_out_are_in_no_fold():
    X, y = waves(60)
    X[::9, 1] = np.nan
    for folds in (3, KFold(3)):
        result = rfnn.cross_validate(quick(missing="drop"), X, y, folds=folds)
        assert np.array_equal(np.isnan(result.predictions), np.isnan(X[:, 1])) and (result.fold[::9] == 0).all()


@pytest.mark.parametrize("wrong, words", [
    ({"groups": "site"}, "no column of X"), ({"time": np.arange(9)}, "9 values for 60 rows"), ({"folds": 1}, "at least 2 folds"),
    ({"groups": np.arange(60), "time": np.arange(60)}, "one of the two"), ({"time": np.arange(60), "repeats": 2}, "repeats"),
])  # fmt: skip
def test_wrong_divisions(wrong, words):
    X, y = waves(60)
    with pytest.raises(rfnn.UsageError, match=words) as caught:
        rfnn.cross_validate(quick(), X, y, **wrong)
    assert "--" not in str(caught.value)
    with pytest.raises(rfnn.UsageError, match="no RFNNRegressor"):
        rfnn.cross_validate(LinearRegression(), X, y)


def test_compare(tmp_path, cli):
    X, y = waves(300)
    names = ["a", "b"]
    train, test = pd.DataFrame(X[:200], columns=names), pd.DataFrame(X[200:], columns=names)
    small = quick(blocks=1).fit(train, pd.Series(y[:200], name="y"))
    large = clone(small).set_params(blocks=4).fit(train, pd.Series(y[:200], name="y"))
    result = rfnn.compare({"small": small, "large": large, "line": LinearRegression().fit(train, y[:200])}, test, y[200:])
    assert result.rows == 100 and list(result.errors["model"]) == ["small", "large", "line"]
    assert result.errors["mse"][1] == pytest.approx(np.mean((large.predict(test) - y[200:]) ** 2))
    for name, model in (("small", small), ("large", large)):
        rfnn.save(model, tmp_path / f"{name}.rfnn")
    test.assign(y=y[200:]).to_csv(tmp_path / "t.csv", index=False)
    files = [tmp_path / "small.rfnn", tmp_path / "large.rfnn"]
    told = json.loads(cli("compare", *files, "--data", tmp_path / "t.csv", "--json").stdout)["models"][1]
    row = pd.DataFrame(result.differences).query("model == 'large' and measure == 'mse'").iloc[0]
    assert row.low == pytest.approx(told["difference"]["mse"]["low"], rel=1e-9) and row.sure
    assert "large minus small" in str(result) and "better" in str(result)
    with pytest.raises(rfnn.UsageError, match="predicts 1 targets"):
        rfnn.compare([small], test, np.c_[y, y][200:])


def test_diagnose(tmp_path, cli):
    X, y = waves(200)
    names = ["a", "b"]
    table = pd.DataFrame(X, columns=names).assign(y=y)
    table.to_csv(tmp_path / "t.csv", index=False)
    poor = quick(blocks=1, width=2, iterations=20).fit(table[names], table["y"], run_dir=tmp_path / "run")
    found = rfnn.diagnose(poor, table[names], table["y"])
    words = ["--preset", "paper", "--blocks", "1", "--width", "2", "--iterations", "20", "--seed", "1", "--quiet"]
    cli("fit", tmp_path / "t.csv", "--target", "y", "--run-dir", tmp_path / "told", *words, cwd=tmp_path)
    told = json.loads(cli("diagnose", tmp_path / "told", "--json").stdout)["problems"]
    assert list(found.problems["kind"]) == [problem["kind"] for problem in told] and "residuals" in found.problems["kind"]
    assert "--" not in str(found) and "blocks=2, iterations=40" in found.problems["parameters"]
    assert set(rfnn.diagnose(tmp_path / "run").problems["kind"]) <= {*found.problems["kind"]}
    assert str(rfnn.diagnose(rfnn.RFNNRegressor(random_state=1).fit(X, y), X, y)) == "no problem found"
    for wrong in ((tmp_path / "run", X, y), (poor, X, None)):
        with pytest.raises(rfnn.UsageError):
            rfnn.diagnose(*wrong)
    with pytest.raises(rfnn.InputError):
        rfnn.diagnose(tmp_path / "none.rfnn")


@pytest.mark.parametrize("flags, words", [
    ("--ridge 1e-6", "ridge=1e-6"), ("--width, smaller, or more rows", "width, smaller, or more rows"),
    ("--blocks 3, or --patience 2 --validation-fraction 0.2", "blocks=3, or patience=2, validation_fraction=0.2"),
    ("--blocks 3, or a larger --ridge", "blocks=3, or a larger ridge"), ("--width auto --blocks 30", 'width="auto", blocks=30'),
])  # fmt: skip
def test_flags_are_parameters(flags, words):
    from rfnn._diagnosis import _as_parameters

    assert _as_parameters(flags) == words


def test_tables_from_files(tmp_path):
    arrays = {"a": np.arange(5.0), "X": np.arange(10).reshape(5, 2)}
    np.savez(tmp_path / "t.npz", **arrays)
    np.save(tmp_path / "t.npy", arrays["X"])
    assert list(rfnn.read_table(tmp_path / "t.npz")) == ["a", "X1", "X2"]
    assert rfnn.read_table(str(tmp_path / "t.npy")).shape == (5, 2)
    text = "day,clock,ok,kind,code,n\n2024-05-01,12:30,yes,a,7,1\n2024-05-02,,no,b,8,NA\n,13:00:01.5,,a,7,3\n"
    (tmp_path / "t.csv").write_text(text)
    frame = rfnn.read_table(tmp_path / "t.csv", categorical=["code"])
    assert str(frame.day[0]) == "2024-05-01 00:00:00" and frame.day.isna().sum() == 1
    assert frame.clock[0].isoformat() == "12:30:00" and frame.clock[2].microsecond == 500000 and frame.clock[1] is None
    assert list(frame.ok[:2]) == [True, False] and frame.ok.isna()[2]
    assert list(frame.kind.cat.categories) == ["a", "b"] and list(frame.code) == ["7", "8", "7"]
    with pytest.raises(rfnn.InputError, match="does not exist"):
        rfnn.read_table(tmp_path / "none.csv")


def run(*words, **more):
    return subprocess.run([sys.executable, *map(str, words)], capture_output=True, text=True, **more)


def test_parquet_feather_and_arrow(story, tmp_path, cli):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.feather
    import pyarrow.parquet

    frame = rfnn.read_table(story, decimal=",", comment="#")
    X, y = frame.drop(columns="yield"), frame["yield"]
    expected = quick(missing="mean").fit(X, y).predict(X)
    whole = pa.Table.from_pandas(frame, preserve_index=False)
    pa.parquet.write_table(whole, tmp_path / "t.parquet")
    pa.feather.write_feather(whole, tmp_path / "t.feather")
    with pa.OSFile(str(tmp_path / "t.arrows"), "wb") as sink, pa.ipc.new_stream(sink, whole.schema) as stream:
        stream.write_table(whole)
    for name in ("t.parquet", "t.feather", "t.arrows"):
        read = rfnn.read_table(tmp_path / name)
        assert np.array_equal(quick(missing="mean").fit(read.drop(columns="yield"), read["yield"]).predict(X), expected)
    words = [word for word in WORDS if word not in ("--decimal", ",", "--comment", "#")]
    ended = run("-m", "rfnn", "fit", tmp_path / "t.parquet", *words, cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
    ended = run("-m", "rfnn", "predict", "t.rfnn", tmp_path / "t.feather", "--quiet", cwd=tmp_path)
    assert np.array_equal(pd.read_csv(io.StringIO(ended.stdout), float_precision="round_trip")["yield"], expected)
    assert "t.parquet" in json.loads(cli("inspect", tmp_path / "t.rfnn", "--json").stdout)["data"].get("file", "t.parquet")
    ended = run("-m", "rfnn", "evaluate", "none.rfnn", tmp_path / "t.feather", cwd=tmp_path)
    assert ended.returncode == 2 and "none.rfnn" in ended.stderr
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 and nothing else")
    ended = run("-m", "rfnn", "fit", "broken.parquet", "--target", "y", cwd=tmp_path)
    assert ended.returncode == 2 and "error: broken.parquet cannot be read" in ended.stderr
    # The line that the plain command gives converts the file.
    with pytest.raises(subprocess.CalledProcessError) as caught:
        cli("fit", "t.parquet", "--target", "yield", cwd=tmp_path)
    line = caught.value.stderr.partition('python3 -c "')[2].partition('"')[0]
    assert run("-c", line, cwd=tmp_path).returncode == 0
    assert os.path.getsize(tmp_path / "table.csv") > 1000


def test_the_command_knows_such_a_file_by_its_own_name(tmp_path):
    """The copies that it reads are in nothing that it shows or writes, and a run's rows are found again."""
    pytest.importorskip("pyarrow")
    folder = tmp_path / "work"
    folder.mkdir()
    X, y = waves(60)
    pd.DataFrame(X, columns=["a", "b"]).assign(y=y).to_parquet(folder / "t.parquet")
    copies = {**os.environ, "TMPDIR": str(tmp_path)}
    words = "--target", "y", "--preset", "paper", "--blocks", 1, "--iterations", 30
    ended = run("-m", "rfnn", "fit", "t.parquet", *words, "--run-dir", "run", "--report", "page.html", cwd=folder, env=copies)
    assert ended.returncode == 0, ended.stderr
    told = json.loads((folder / "run" / "run.json").read_text())
    assert told["data"] == "t.parquet" and told["command"][1:3] == ["fit", "t.parquet"]
    found = run("-m", "rfnn", "diagnose", "work/run", cwd=tmp_path, env=copies)
    assert found.returncode == 0 and "residuals were not looked at" not in found.stderr
    tuned = run("-m", "rfnn", "tune", "t.parquet", *words, "--width", 4, "--gamma", 1, "--folds", 2, cwd=folder, env=copies)
    assert "rfnn fit t.parquet" in tuned.stdout
    refused = run("-m", "rfnn", "fit", "t.parquet", "--target", "y", "--out=t.parquet", cwd=folder, env=copies)
    assert refused.returncode == 1 and "overwrite t.parquet, which is read" in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["work"]  # the copies are gone
    written = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    for text in (*written, *(part.encode() for one in (ended, found, tuned, refused) for part in (one.stdout, one.stderr))):
        assert str(tmp_path / "rfnn-").encode() not in text


def test_parquet_and_arrow_are_copied_some_rows_at_a_time(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.csv
    import pyarrow.parquet

    rows = 600_000
    numbers = {name: np.random.default_rng(k).normal(size=rows) for k, name in enumerate("ab")}
    levels = pd.Categorical.from_codes(np.arange(rows) % 3, ["x", "y, z", 'w"'])
    whole = pa.Table.from_pandas(pd.DataFrame({**numbers, "level": levels, "days": pd.to_timedelta(np.arange(rows), "h")}))
    pa.parquet.write_table(whole, tmp_path / "t.parquet", data_page_size=1 << 16, use_dictionary=["level"])  # one row group
    with pa.OSFile(str(tmp_path / "t.arrow"), "wb") as sink, pa.ipc.new_file(sink, whole.schema) as file:
        file.write_table(whole)
    for name in ("t.parquet", "t.arrow"):
        line = f"import pyarrow; from rfnn._foreign import write_csv; write_csv({name!r}, 't.csv'); print(pyarrow.default_memory_pool().max_memory())"
        ended = run("-c", line, cwd=tmp_path)
        assert ended.returncode == 0, ended.stderr
        assert int(ended.stdout) < whole.nbytes / 2, name
        copy = pyarrow.csv.read_csv(tmp_path / "t.csv").to_pandas()
        assert list(copy) == whole.column_names and (copy["level"] == np.asarray(levels)).all()
        assert all(np.array_equal(copy[column], values) for column, values in numbers.items())
        assert np.array_equal(copy["days"], np.arange(rows) / 24)
    pa.parquet.write_table(whole.slice(0, 0), tmp_path / "none.parquet")
    assert run("-c", "from rfnn._foreign import write_csv; write_csv('none.parquet', 't.csv')", cwd=tmp_path).returncode == 0
    assert (tmp_path / "t.csv").read_text().count("\n") == 1
    ended = run("-c", "from rfnn._foreign import write_csv; write_csv('t.parquet', '/dev/full')", cwd=tmp_path)
    assert "t.parquet cannot be copied to /dev/full" in ended.stderr
