"""Arrays of any kind give the same network, and those of floats are not copied."""

import json
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from conftest import quick, tensors, waves
from sklearn.model_selection import cross_val_score

import rfnn


def fitted(X, y, **params):
    return tensors(quick(**params).fit(X, y).model_.to_bytes())


def layouts(a):
    """The same numbers laid out in many ways."""
    wide = np.full((2 * len(a), 3 * a.shape[1]), np.nan)
    wide[::2, 1::3] = a
    backwards = np.ascontiguousarray(a[::-1, ::-1])
    records = np.zeros(len(a), dtype=np.dtype([("a", "f8", a.shape[1]), ("odd", "i1")]))
    records["a"] = a
    shifted = np.frombuffer(b"x" + np.ascontiguousarray(a).tobytes(), np.float64, offset=1).reshape(a.shape)
    read_only = a.copy()
    read_only.flags.writeable = False
    return {
        "rows": np.ascontiguousarray(a),
        "columns": np.asfortranarray(a),
        "strided": wide[::2, 1::3],
        "backwards": backwards[::-1, ::-1],
        "fields of records": records["a"],
        "not aligned": shifted,
        "read-only": read_only,
        "other byte order": a.astype(">f8"),
        "objects": a.astype(object),
    }


def test_layouts():
    X, y = waves()
    expected = fitted(X, y)
    predicted = quick().fit(X, y).predict(X)
    model = quick().fit(X, y)
    for name, other in layouts(X).items():
        assert fitted(other, y) == expected, name
        assert (model.predict(other) == predicted).all(), name
    for name, other in layouts(y[:, None]).items():
        assert fitted(X, other) == expected, name
    assert fitted(X.tolist(), y.tolist()) == expected


def test_float32_is_read_as_the_doubles_it_is():
    X, y = waves()
    X32, y32 = X.astype(np.float32), y.astype(np.float32)
    assert fitted(X32, y32) == fitted(X32.astype(float), y32.astype(float))
    model = quick().fit(X32, y32)
    assert (model.predict(X32) == model.predict(X32.astype(float))).all()


def test_integers():
    X = np.arange(60).reshape(30, 2) % 7
    y = X.sum(axis=1)
    assert fitted(X, y) == fitted(X.astype(float), y.astype(float))
    assert fitted(X.astype(np.uint8), y.astype(np.int16)) == fitted(X, y)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F", "strided"])
def test_no_copy(dtype, order):
    X = np.random.default_rng(0).normal(size=(20000, 8)).astype(dtype)
    X = np.asfortranarray(X) if order == "F" else np.repeat(X, 2, axis=1)[:, ::2] if order == "strided" else X
    y = X[:, 0] * 2
    model = quick(blocks=1, iterations=1)

    def peak(work):  # of NumPy's arrays
        tracemalloc.start()
        work()
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    model.fit(X[:100], y[:100])
    assert peak(lambda: model.fit(X, y)) < X.nbytes / 4
    # predictions themselves are an eighth, a quarter of float32, and a sixteenth says which rows are outside
    assert peak(lambda: model.predict(X)) < X.nbytes / 3


def test_one_output_or_several():
    X, y = waves()
    assert quick().fit(X, y).predict(X).shape == (200,)
    assert quick().fit(X, y[:, None]).predict(X).shape == (200, 1)
    both = quick().fit(X, np.c_[y, 2 * y])
    assert both.predict(X).shape == (200, 2)
    assert both.amplitudes_.shape[1] == 2
    assert both.score(X, np.c_[y, 2 * y]) > 0.5


def test_staged_predictions_end_with_the_prediction():
    X, y = waves()
    model = quick().fit(X, y)
    stages = list(model.staged_predict(X))
    assert len(stages) == model.n_blocks_ == 3
    assert (stages[-1] == model.predict(X)).all()
    errors = [np.mean((stage - y) ** 2) for stage in stages]
    assert np.allclose(errors, model.history_["train_mse"], rtol=1e-9)


def test_attributes():
    X, y = waves()
    X = np.c_[X[:, 0], np.full(200, 7.0), X[:, 1]]
    model = quick()
    assert not any(hasattr(model, name) for name in ("n_blocks_", "frequencies_", "history_", "stop_reason_"))
    model.fit(X, y)
    lines = [line for line in model.spectrum() if line["branch"] == "input"]
    assert model.frequencies_.shape == (len(lines), 3) and model.amplitudes_.shape == (len(lines), 1)
    assert (model.frequencies_[:, 1] == 0).all()  # the constant column
    assert np.array_equal(model.frequencies_[:, [0, 2]], [line["frequency"] for line in lines])
    assert (np.diff(model.amplitudes_[:, 0]) <= 0).all()
    assert model.stop_reason_ == "all-blocks" and model.warnings_
    assert list(model.history_["block"]) == [1, 2, 3] and model.history_["kept"].all()


@pytest.mark.core
def test_frequencies_are_in_radians_per_unit():
    x = np.linspace(0, 3, 200)
    model = rfnn.RFNNRegressor(blocks=1, width=4, members=1, random_state=1).fit(x[:, None], 2 * np.cos(11 * x))
    assert abs(model.frequencies_[0, 0]) == pytest.approx(11, rel=1e-3)


def test_frequencies_of_logarithms():
    X = 10 ** np.random.default_rng(0).uniform(-3, 4, (400, 2))
    X = np.c_[X, np.ones(400), X[:, 0] % 1]
    y = np.sin(3 * np.log(X[:, 0])) + 0.5 * np.log(X[:, 1])
    model = rfnn.RFNNRegressor(blocks=1, width=8, members=1, random_state=1).fit(X, y)
    told = json.loads(model.model_.describe())["transforms"]
    assert model.input_transforms_[:3] == ["log", "log", "unused"]
    assert [word == "log" for word in model.input_transforms_] == [name in str(told) for name in ("x1", "x2", "x3", "x4")]
    assert np.abs(np.abs(model.frequencies_[:, 0]) - 3).min() < 0.1  # per unit of the logarithm
    assert quick().fit(X, y).input_transforms_ == ["identity", "identity", "unused", "identity"]


def test_the_network_itself_writes_only_where_it_is_told():
    X, y = waves()
    model = quick().fit(X, y).model_
    expected = quick().fit(X, y).predict(X)
    out = np.full((200, 1), np.nan)
    model.predict(X, out)
    assert np.array_equal(out[:, 0], expected)
    for wrong in (np.empty((200, 1), np.float32), np.empty((200, 1), int), [[0.0]] * 200):
        with pytest.raises(TypeError):
            model.predict(X, wrong)
    for wrong in (np.empty((199, 1)), np.empty((200, 2))):
        with pytest.raises(rfnn.UsageError, match="place for predictions"):
            model.predict(X, wrong)
    model.predict(X.astype(np.float32), out)
    assert np.array_equal(out[:, 0], quick().fit(X, y).predict(X.astype(np.float32).astype(float)))
    assert repr(model) == "<rfnn.Model: 2 inputs, 1 target, 3 blocks, 1 member, preset paper, 200 rows trained on>"


def test_batches_do_not_change_predictions():
    X, y = waves()
    model = quick().fit(X, y)
    many = np.tile(X, (400, 1))
    for rows in (many, np.asfortranarray(many)):
        assert np.array_equal(model.predict(rows), np.tile(model.predict(X), 400))
    assert np.array_equal(model.predict(many.astype(np.float32)), np.tile(model.predict(X.astype(np.float32)), 400))


def test_rows_outside_the_data_are_told():
    X, y = waves()
    model = quick().fit(X, y)
    far = X.copy()
    far[[3, 7], [0, 1]] = [1.5, -2]
    assert np.array_equal(np.flatnonzero(model.rows_outside(far)), [3, 7]) and not model.rows_outside(X).any()
    assert np.array_equal(model.rows_outside(far.astype(np.float32)), model.rows_outside(far.astype(np.float32).astype(float)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(X)
    for rows in (far, far[[3]], far[[3, 7, 9]]):
        with pytest.warns(rfnn.RangeWarning, match=f"{min(len(rows), 2)} of {len(rows)} rows") as caught:
            model.predict(rows)
        assert len(caught) == 1 and caught[0].filename == __file__
    with pytest.warns(rfnn.RangeWarning) as caught:
        model.score(far, y)
    assert len(caught) == 1 and caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", rfnn.RangeWarning)
        model.predict(far)


def test_a_row_a_little_outside_is_told_unless_chance_explains_it():
    X, y = waves()
    edge = X.max(axis=0) + 0.01
    model = quick().fit(X, y)
    with pytest.warns(rfnn.RangeWarning, match="1 of 1 rows"):
        model.predict(edge[None])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(np.vstack([X, edge]))
        cross_val_score(quick(), X, y, cv=3)
        for seed in range(20):
            model.predict(waves(2000, seed=seed + 1)[0])
    with pytest.warns(rfnn.RangeWarning, match="40 of 240 rows"):
        model.predict(np.vstack([X, np.tile(edge, (40, 1))]))


def test_frequencies_are_read_at_once():
    X, y = waves(100)
    model = quick(width=300, blocks=2, iterations=0).fit(X, y)
    lines = [line for line in model.spectrum() if line["branch"] == "input"]
    frequencies, amplitudes = model.frequencies_, model.amplitudes_
    assert frequencies.shape == (600, 2) and np.array_equal(frequencies, [line["frequency"] for line in lines])
    assert np.array_equal(amplitudes, [line["amplitude"] for line in lines])
    del model
    assert np.isfinite(frequencies).all()  # they own their memory


DATES = np.datetime64("2024-01-01", "us") + np.arange(60) * np.timedelta64(3600, "s")


def test_dates_are_no_targets():
    for y in (pd.Series(DATES), pd.Series(DATES).to_frame(), pl.Series(DATES), DATES):
        with pytest.raises(rfnn.UsageError, match="dates or times"):
            quick().fit(np.arange(60.0)[:, None], y)


def test_eval_set_replaces_the_held_out_rows():
    X, y = waves()
    Xv, yv = waves(50, seed=9)
    model = quick().fit(X, y, eval_set=(Xv, yv))
    assert model.model_.validation_rows == 50
    assert model.history_["validation_mse"][-1] == pytest.approx(np.mean((model.predict(Xv) - yv) ** 2))
    assert fitted(X, y) == tensors(quick().fit(X, y, eval_set=[(Xv, yv)]).model_.to_bytes())
    assert quick().fit(X, y, eval_set=[(X, y), (Xv, yv)]).model_.validation_rows == 50  # as XGBoost: the last one
    for wrong in (Xv, (Xv,), [], [Xv, yv], (Xv, np.c_[yv, yv])):
        with pytest.raises(rfnn.UsageError, match="eval_set"):
            quick().fit(X, y, eval_set=wrong)
    with pytest.raises(ValueError):
        quick().fit(X, y, eval_set=(Xv[:, :1], yv))


def test_an_eval_set_of_the_training_rows_is_warned_of():
    X, y = waves()
    for model in (quick(), rfnn.RFNNRegressor(blocks=1, random_state=1)):
        with pytest.warns(UserWarning, match="rows that are trained on"):
            model.fit(X, y, eval_set=(X, y))
        assert any("rows that are trained on" in text for text in model.warnings_)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        quick().fit(X, y, eval_set=waves(50, seed=9))
