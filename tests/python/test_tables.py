"""Tables as people have them: any kinds of columns, the same as the command reads from a CSV file of them."""

import copy
import datetime
import decimal
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from conftest import quick, tensors
from sklearn.base import clone
from sklearn.utils import get_tags

import rfnn

ROWS = 120
WORDS = ["--target", "y", "--preset", "paper", "--blocks", "3", "--iterations", "30", "--seed", "1", "--quiet"]


def mixed(missing=0.05):
    """Moments, a category, a truth value and numbers, some cells of them missing."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "when": pd.date_range("2024-03-01 05:00", periods=ROWS, freq="7h").astype("datetime64[ns]"),
            "colour": rng.choice(["red", "green", "blue"], ROWS),
            "open": rng.random(ROWS) < 0.5,
            "depth": rng.normal(size=ROWS),
        }
    )
    y = np.sin(np.arange(ROWS) / 9) + (frame.colour == "red") + 0.5 * frame.open + 0.3 * frame.depth
    for name in ("colour", "depth"):
        frame[name] = frame[name].astype(object).where(rng.random(ROWS) >= missing, None)
    frame["depth"] = frame.depth.astype(float)
    return frame, pd.Series(y + 0.1 * rng.normal(size=ROWS), name="y")


@pytest.fixture(scope="module")
def table(tmp_path_factory, cli):
    """The table as a file, the command's model of it and its predictions."""
    X, y = mixed()
    folder = tmp_path_factory.mktemp("table")
    X.assign(y=y).to_csv(folder / "t.csv", index=False)
    cli("fit", folder / "t.csv", "--missing", "mean", "--out", folder / "t.rfnn", *WORDS)
    cli("predict", folder / "t.rfnn", folder / "t.csv", "--out", folder / "p.csv", "--quiet")
    return folder, pd.read_csv(folder / "p.csv", float_precision="round_trip")["y"].to_numpy()


def same_frames(X):
    """The same columns as other types have them."""
    moments = X.when.astype("datetime64[us]")
    nullable = X.assign(when=moments, colour=X.colour.astype("string"), open=X.open.astype("boolean"), depth=X.depth.astype("Float64"))
    objects = X.assign(when=[moment.to_pydatetime() for moment in X.when], open=X.open.astype(object), depth=X.depth.astype(object))
    plain = pl.DataFrame({name: pl.Series(X[name].to_list(), strict=False) for name in X}).with_columns(
        pl.col("colour").cast(pl.Categorical), pl.col("depth").fill_nan(None)
    )
    return {
        "categories": X.assign(colour=X.colour.astype("category")),
        "nullable": nullable,
        "objects": objects,
        "arrow": X.convert_dtypes(dtype_backend="pyarrow") if _has_pyarrow() else X,
        "polars": plain,
        "array": X.to_numpy(dtype=object),
        "rows": X.to_numpy(dtype=object).tolist(),
        "text": X.assign(when=X.when.dt.strftime("%Y-%m-%dT%H:%M"), open=np.where(X.open, "yes", "no")),
    }


def _has_pyarrow():
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        return False
    return True


def test_the_command_and_python_predict_the_same_to_the_last_bit(table):
    folder, expected = table
    X, y = mixed()
    model = quick(missing="mean").fit(X, y)
    assert np.array_equal(model.predict(X), expected)
    assert tensors(model.model_.to_bytes()) == tensors((folder / "t.rfnn").read_bytes())
    loaded = rfnn.load(folder / "t.rfnn")
    assert np.array_equal(loaded.predict(X), expected)
    assert [list(one.feature_names_in_) for one in (loaded, model)] == [list(X)] * 2
    assert loaded.missing == "mean" and loaded.n_features_in_ == model.n_features_in_ == 4
    for frame in (pd.read_csv(folder / "t.csv", float_precision="round_trip"), rfnn.read_table(folder / "t.csv")):
        assert np.array_equal(quick(missing="mean").fit(frame.drop(columns="y"), frame.y).predict(X), expected)


def test_models_of_python_serve_the_command(table, tmp_path, cli):
    folder, expected = table
    X, y = mixed()
    rfnn.save(quick(missing="mean").fit(X, y), tmp_path / "m.rfnn")
    cli("predict", tmp_path / "m.rfnn", folder / "t.csv", "--out", tmp_path / "p.csv", "--quiet")
    assert np.array_equal(pd.read_csv(tmp_path / "p.csv", float_precision="round_trip")["y"], expected)


@pytest.mark.parametrize("form", list(same_frames(mixed()[0])))
def test_every_type_of_a_column_is_the_same_column(form, table):
    X, y = mixed()
    other = same_frames(X)[form]
    names = ["x1", "x2", "x3", "x4"] if form in ("array", "rows") else list(X)
    model = quick(missing="mean").fit(other, y)
    assert [(column["name"], column["kind"]) for column in model.columns_] == list(zip(names, ["time", "category", "boolean", "number"]))
    assert np.array_equal(model.predict(other), table[1])


def test_what_is_learnt_of_columns():
    X, y = mixed()
    model = quick(missing="mean").fit(X, y)
    when, colour, is_open, depth = model.columns_
    assert when["origin"] == "2024-03-01" and when["form"] == "date-time" and not when["utc"]
    assert colour["levels"] == ["blue", "green", "red"] and colour["inputs"] == ["colour=blue", "colour=green", "colour=red"]
    assert colour["missing"] == X.colour.isna().sum() and depth["missing"] == X.depth.isna().sum()
    assert model.model_.inputs == ["when", "colour=blue", "colour=green", "colour=red", "open", "depth"]
    assert model.frequencies_.shape[1] == len(model.input_transforms_) == 6
    assert when["description"] == "date-time, in days since 2024-03-01" and is_open["description"] == "boolean, 0 or 1"


def test_copies_pickles_and_clones():
    X, y = mixed()
    model = quick(missing="mean", categorical=["open"], missing_values=[-999, "gone"], unseen="mean").fit(X, y)
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model)), clone(model).fit(X, y)):
        assert other.get_params() == model.get_params()
        assert np.array_equal(other.predict(X), model.predict(X))


def test_missing_cells():
    X, y = mixed()
    gone = X.isna().any(axis=1).to_numpy()
    assert 3 < gone.sum() < 20
    with pytest.raises(rfnn.InputError, match=r'X, row .* the cell is missing. Give it, or choose missing="drop" or missing="mean"'):
        quick().fit(X, y)
    dropped = quick(missing="drop").fit(X, y)
    assert dropped.model_.train_rows == ROWS - gone.sum()
    with pytest.warns(rfnn.RFNNWarning, match=f"{gone.sum()} of {ROWS} rows have missing cells") as caught:
        predicted = dropped.predict(X)
    assert len(caught) == 1 and caught[0].filename == __file__
    assert np.array_equal(np.isnan(predicted), gone)
    with warnings.catch_warnings():
        warnings.simplefilter("error", rfnn.RFNNWarning)
        warnings.simplefilter("ignore", rfnn.RangeWarning)
        assert np.array_equal(dropped.predict(X[~gone]), predicted[~gone])
        assert not np.isnan(dropped.set_params(missing="mean").predict(X)).any()
    with pytest.raises(rfnn.InputError, match="missing"):
        dropped.set_params(missing="error").predict(X)
    with pytest.warns(rfnn.RFNNWarning, match="missing cells"):
        assert not dropped.set_params(missing="drop").rows_outside(X)[gone].any()


def test_missing_numbers_of_arrays():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(100, 2))
    y = X.sum(axis=1)
    holes = X.copy()
    holes[::10, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        quick().fit(holes, y)
    model = quick(missing="mean").fit(holes, y)
    known = np.delete(holes[:, 1], slice(None, None, 10))
    assert model.columns_[1]["fill"][0] == pytest.approx(known.mean(), rel=1e-6)
    for other in (holes.astype(np.float32).astype(float), np.where(np.isnan(holes), -999, holes), pd.DataFrame(holes, columns=["x1", "x2"])):
        again = quick(missing="mean", missing_values=-999).fit(other, y)
        assert again.columns_[1]["missing"] == 10
    assert np.array_equal(again.predict(pd.DataFrame(holes, columns=["x1", "x2"])), model.predict(holes))
    targets = np.where(np.arange(100) < 5, np.nan, y)
    assert quick(missing="drop").fit(X, targets).model_.train_rows == 95
    with pytest.raises(ValueError, match="NaN"):
        quick().fit(X, targets)
    with pytest.raises(ValueError, match="infinity"):
        quick(missing="mean").fit(np.where(np.isnan(holes), np.inf, holes), y)


def test_levels_that_training_has_not_seen():
    X, y = mixed(missing=0)
    model = quick().fit(X, y)
    strange = X.assign(colour="pink")
    with pytest.raises(rfnn.InputError, match='"pink" is a level that training has not seen. .* unseen="mean"'):
        model.predict(strange)
    with pytest.warns(rfnn.RFNNWarning, match=f"{ROWS} cells have a level"):
        assert np.isfinite(model.set_params(unseen="mean").predict(strange)).all()


def test_numbers_that_are_codes():
    X, y = mixed(missing=0)
    X["code"] = np.arange(ROWS) % 3 + 10
    for given in (["code"], "code", [5], X.astype({"code": "category"})):
        frame = given if isinstance(given, pd.DataFrame) else X
        model = quick(categorical=None if frame is given else given).fit(frame, y)
        assert model.columns_[4]["levels"] == ["10", "11", "12"]
        assert np.array_equal(model.predict(X), quick(categorical=["code"]).fit(X, y).predict(X))
    with pytest.raises(rfnn.InputError, match='no column "cod'):
        quick(categorical=["cod"]).fit(X, y)


HOURS = pd.date_range("2024-01-01 06:00", periods=60, freq="6h")


@pytest.mark.parametrize("times, form, origin, utc", [
    (HOURS, "date-time", "2024-01-01", False),
    (HOURS.tz_localize("Europe/Berlin"), "date-time", "2024-01-01", True),
    (HOURS.normalize().tz_localize("Asia/Tokyo"), "date-time", "2023-12-31", True),
    (HOURS.normalize(), "date", "2024-01-01", False),
    (HOURS.to_period("D"), "date", "2024-01-01", False),
    (pl.Series(HOURS.date), "date", "2024-01-01", False),
    (pl.Series(HOURS.to_numpy()).dt.replace_time_zone("UTC"), "date-time", "2024-01-01", True),
    (pl.Series(HOURS.time), "time of day", "1970-01-01", False),
    (list(HOURS.time), "time of day", "1970-01-01", False),
    (HOURS.to_numpy().astype("M8[D]"), "date", "2024-01-01", False),
    ([moment.isoformat() + "Z" for moment in HOURS], "date-time", "2024-01-01", True),
])  # fmt: skip
def test_times(times, form, origin, utc):
    y = np.arange(60.0) % 7
    frame = pl.DataFrame({"when": times, "n": y}) if isinstance(times, pl.Series) else pd.DataFrame({"when": times, "n": y})
    model = quick(blocks=1).fit(frame, y)
    when = model.columns_[0]
    assert (when["kind"], when["form"], when["origin"], when["utc"]) == ("time", form, origin, utc)
    assert np.isfinite(model.predict(frame[:3])).all()
    with pytest.raises(rfnn.InputError, match="date|time"):
        model.predict(pd.DataFrame({"when": np.arange(60.0), "n": y}))


def test_arrays_of_times_and_records():
    y = np.arange(60.0) % 7
    moments = HOURS.to_numpy()
    model = quick(blocks=1).fit(moments[:, None], y)
    days = (moments - moments[0].astype("M8[D]")) / np.timedelta64(1, "D")
    numbers = quick(blocks=1).fit(days[:, None], y)
    assert np.array_equal(model.predict(moments[:, None]), numbers.predict(days[:, None]))
    spans = quick(blocks=1).fit((moments - moments[0])[:, None], y)
    assert spans.columns_[0]["unit"] == "d"
    records = np.zeros(60, dtype=[("t", "M8[s]"), ("n", "f8")])
    records["t"], records["n"] = moments, y
    kinds = [column["kind"] for column in quick(blocks=1).fit(records, y).columns_]
    assert kinds == ["time", "number"]


@pytest.mark.parametrize("cells, error, words", [
    (["a", {"b": 1}] * 10, TypeError, "must be a string or a number"),
    ([1.0, "x"] * 10, rfnn.InputError, 'column 1 .* "x" is not a number.*categorical='),
    (["2024-05-01", "2024-05-01T12:00Z"] * 10, rfnn.InputError, "has no zone|has a zone"),
    ([f"name {k}" for k in range(20)], rfnn.InputError, "text that is another in nearly every row"),
    ([np.inf, "1"] * 10, rfnn.InputError, "infinite|is not"),
    ([1j] * 20, ValueError, "[Cc]omplex"),
    (pd.date_range("1600-01-01 01:00", periods=20, unit="s"), rfnn.InputError, "1678"),
])  # fmt: skip
def test_columns_that_cannot_be_are_refused(cells, error, words):
    with pytest.raises(error, match=words) as caught:
        quick().fit(pd.DataFrame({"a": cells, "n": np.arange(20.0)}), np.arange(20.0))
    assert "--" not in str(caught.value)


def test_numbers_of_many_types():
    numbers = pd.DataFrame({"d": [decimal.Decimal(k) / 8 for k in range(30)], "i": pd.array(range(30), dtype="Int16"),
                            "s": pd.arrays.SparseArray(np.arange(30.0) % 2), "t": [datetime.timedelta(hours=k) for k in range(30)]})  # fmt: skip
    y = np.arange(30.0)
    expected = np.c_[y / 8, y, y % 2, y / 24]
    assert np.array_equal(quick().fit(numbers, y).predict(numbers), quick().fit(expected, y).predict(expected))


def test_validation_rows_weights_and_more_blocks():
    X, y = mixed()
    model = quick(missing="mean").fit(X[:90], y[:90], sample_weight=np.ones(90), eval_set=(X[90:], y[90:]))
    assert model.model_.validation_rows == 30
    more = quick(missing="mean", blocks=2, warm_start=True).fit(X, y).set_params(blocks=3).fit(X, y)
    assert more.n_blocks_ == 3 and np.isfinite(more.predict(X)).all()
    grown = quick(missing="mean").partial_fit(X, y).partial_fit(X[:60], y[:60])
    assert grown.n_blocks_ == 2 and grown.columns_ == more.columns_
    tail = rfnn.RFNNRegressor(missing="mean", holdout="tail", width=4, blocks=1, members=1, random_state=1, n_jobs=1)
    assert tail.fit(X, y).model_.options.get("holdout_by") == "1"
    by = clone(tail).set_params(holdout_by="depth").fit(X, y)
    assert by.model_.options.get("holdout_by") == "6"


def test_tags_say_what_is_taken():
    tags = get_tags(quick()).input_tags
    assert tags.categorical and tags.string and not tags.allow_nan
    assert get_tags(quick(missing="mean")).input_tags.allow_nan


def test_dates_on_axes_and_in_the_report(tmp_path):
    X, y = mixed(missing=0)
    model = quick().fit(X[["when"]], y)
    ax = model.plot_prediction(X[["when"]], y)
    low, high = ax.get_xlim()
    assert 19700 < low < high < 19900  # days since 1970, as matplotlib has dates
    ax = rfnn.RFNNRegressor(width=4, blocks=1, members=1, random_state=1).fit(X[["when"]], y).plot_spectrum()
    assert "cycles per day of when" in ax.get_xlabel()
    whole = quick().fit(X, y)
    whole.report(tmp_path / "page.html", X, y)
    page = (tmp_path / "page.html").read_text()
    assert "3 levels: blue, green, red" in page and "days since 2024-03-01" in page
    assert "colour" in whole._repr_html_()


def test_lazy_frames_are_collected():
    X, y = mixed(0)
    lazy = pl.LazyFrame({name: X[name].to_list() for name in X})
    with warnings.catch_warnings():
        warnings.simplefilter("error", pl.exceptions.PerformanceWarning)
        model = quick().fit(lazy, y)
        assert list(model.feature_names_in_) == list(X) and np.array_equal(model.predict(lazy), quick().fit(X, y).predict(X))


@pytest.mark.parametrize("categorical", ["shape", ["open", "y"], [0], [5], 5])
def test_categorical_names_columns_of_x_alone(categorical):
    X, y = mixed(0)
    message = r"X has no column .*, which categorical names. Give some of 'when', 'colour', 'open', 'depth', or numbers from 1 to 4"
    with pytest.raises(rfnn.InputError, match=message):
        quick(categorical=categorical).fit(X, y)
    for good in "open", ["open"], [3], 3, np.array(["open", "depth"]):
        assert quick(categorical=good, missing="drop").fit(X.assign(depth=X.depth.round()), y).columns_[2]["kind"] == "category"


def test_what_is_said_of_cells_is_said_in_python_s_words():
    X, y = mixed(0)
    with pytest.raises(rfnn.InputError, match=r'is not a number.* give categorical=\["depth"\]'):
        quick().fit(X.assign(depth=[1.0, "deep"] * (ROWS // 2)), y)
    with pytest.raises(rfnn.InputError, match="Every row of y has a missing target"):
        quick(missing="drop").fit(X, np.full(ROWS, np.nan))
    model = quick(unseen="mean").fit(X, y)
    with pytest.warns(rfnn.RFNNWarning, match="^1 cell has a level"):
        model.predict(X.assign(colour=["pink", *X.colour[1:]]))


def test_targets_of_truth_values_are_numbers_and_other_text_is_refused(tmp_path, cli):
    X = np.random.default_rng(0).normal(size=(60, 2))
    words = np.where(X[:, 0] > 0, "Yes", "no")
    plain = quick().fit(X, words == "Yes").predict(X)
    for y in words, words.tolist(), pd.Series(words), pd.Series(words).astype("category"), pl.Series(words.tolist()):
        assert np.array_equal(quick().fit(X, y).predict(X), plain)
        found = rfnn.check(quick(), X, y)
        assert not found.refused and "target" not in found.problems["kind"]
    pd.DataFrame(X, columns=["a", "b"]).assign(y=words).to_csv(tmp_path / "t.csv", index=False)
    cli("fit", tmp_path / "t.csv", "--out", tmp_path / "m.rfnn", *WORDS)
    frame = pd.DataFrame(X, columns=["a", "b"])
    assert np.array_equal(rfnn.load(tmp_path / "m.rfnn").predict(frame), plain)
    gap = words.astype(object)
    gap[3] = "NA"
    assert len(quick(missing="drop").fit(X, gap).history_["block"]) == 3
    for odd in np.where(words == "no", "cat", "dog"), np.where(words == "no", "yes", "2.5"), ["on", "off"] * 30:
        with pytest.raises(rfnn.UsageError, match="y holds text, such as .* true and false"):
            quick().fit(X, odd)
        assert rfnn.check(quick(), X, odd).refused


def test_a_column_of_lists_is_refused_by_name():
    with pytest.raises(TypeError, match=r"Column 'parts': a cell of a table must be .* not \[1\]. Give each part as a column"):
        quick().fit(pd.DataFrame({"parts": [[1], [2]] * 5, "x": range(10)}), range(10))
