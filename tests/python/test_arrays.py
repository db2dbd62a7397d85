"""Arrays of any kind give the same network, and those of floats are not copied."""

import tracemalloc

import numpy as np
import pytest
from conftest import quick, tensors, waves

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
    if dtype is np.float64:  # predictions themselves, an eighth
        assert peak(lambda: model.predict(X)) < X.nbytes / 4


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


def test_frequencies_are_in_radians_per_unit():
    x = np.linspace(0, 3, 500)
    model = rfnn.RFNNRegressor(random_state=1).fit(x[:, None], 2 * np.cos(11 * x))
    assert abs(model.frequencies_[0, 0]) == pytest.approx(11, rel=1e-3)


def test_eval_set_replaces_the_held_out_rows():
    X, y = waves()
    Xv, yv = waves(50, seed=9)
    model = quick().fit(X, y, eval_set=(Xv, yv))
    assert model.model_.validation_rows == 50
    assert model.history_["validation_mse"].iloc[-1] == pytest.approx(np.mean((model.predict(Xv) - yv) ** 2))
    assert fitted(X, y) == tensors(quick().fit(X, y, eval_set=[(Xv, yv)]).model_.to_bytes())
    for wrong in (Xv, (Xv,), [(Xv, yv), (Xv, yv)], (Xv, np.c_[yv, yv])):
        with pytest.raises(ValueError):
            quick().fit(X, y, eval_set=wrong)
    with pytest.raises(ValueError):
        quick().fit(X, y, eval_set=(Xv[:, :1], yv))
