"""Weights stand for repeated rows."""

import numpy as np
import pytest
from conftest import quick, tensors, waves

import rfnn

PRESETS = [
    {"preset": "paper", "blocks": 2, "iterations": 20},
    pytest.param({"preset": "auto", "blocks": 2}, marks=pytest.mark.core),
]


def fitted(X, y, params, **more):
    return tensors(rfnn.RFNNRegressor(**params, random_state=3).fit(X, y, **more).model_.to_bytes())


@pytest.fixture
def rows():
    X, y = waves(150)
    return X, y, np.random.default_rng(1).integers(0, 4, size=150)


@pytest.mark.parametrize("params", PRESETS)
def test_a_whole_weight_is_so_many_rows_and_zero_is_none(params, rows):
    X, y, weights = rows
    repeated = np.repeat(np.arange(150), weights)
    expected = fitted(X[repeated], y[repeated], params)
    assert fitted(X, y, params, sample_weight=weights) == expected
    assert fitted(X, y, params, sample_weight=weights.astype(np.float32)[::-1][::-1]) == expected
    assert fitted(X, y, params) != expected


@pytest.mark.parametrize("params", PRESETS)
def test_the_order_of_the_rows_does_not_matter(params, rows):
    X, y, weights = rows
    order = np.random.default_rng(2).permutation(150)
    expected = fitted(X, y, params, sample_weight=weights)
    assert fitted(X[order], y[order], params, sample_weight=weights[order]) == expected


def test_weights_of_the_validation_rows(rows):
    X, y, _ = rows
    Xv, yv = waves(60, seed=5)
    wv = np.arange(60) % 3
    model = quick().fit(X, y, eval_set=(Xv, yv, wv))
    error = np.average((model.predict(Xv) - yv) ** 2, weights=wv)
    assert model.history_["validation_mse"][-1] == pytest.approx(error)


def test_errors_are_weighted(rows):
    X, y, weights = rows
    model = quick().fit(X, y, sample_weight=weights)
    error = np.average((model.predict(X) - y) ** 2, weights=weights)
    assert model.history_["train_mse"][-1] == pytest.approx(error)


@pytest.mark.parametrize("wrong", [-np.ones(150), np.ones(149), np.full(150, np.nan), np.zeros(150)])
def test_wrong_weights_are_refused(wrong, rows):
    X, y, _ = rows
    with pytest.raises(ValueError):
        quick().fit(X, y, sample_weight=wrong)


def test_the_command_knows_the_same_weights(rows, cli, tmp_path):
    X, y, weights = rows
    np.save(tmp_path / "table.npy", np.c_[X, y, weights])
    cli("fit", tmp_path / "table.npy", "--target", 3, "--weight", 4, "--preset", "paper", "--blocks", 2, "--iterations",
        20, "--seed", 3, "--out", tmp_path / "m.rfnn")  # fmt: skip
    assert fitted(X, y, PRESETS[0], sample_weight=weights) == tensors((tmp_path / "m.rfnn").read_bytes())
