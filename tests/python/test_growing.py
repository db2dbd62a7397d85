"""Going on from the blocks there are."""

import numpy as np
import pytest
from conftest import quick, tensors, waves

import rfnn


def blocks_of(model):
    return {name: data for name, data in tensors(model.model_.to_bytes()).items() if ".block" in name}


def test_warm_start_adds_blocks():
    X, y = waves()
    model = quick(blocks=2, warm_start=True).fit(X, y)
    before, errors = blocks_of(model), list(model.history_["train_mse"])
    model.set_params(blocks=4).fit(X, y)
    after = blocks_of(model)
    assert model.n_blocks_ == 4 and {name: after[name] for name in before} == before
    assert list(model.history_["block"]) == [1, 2, 3, 4] and list(model.history_["train_mse"][:2]) == errors
    assert len(list(model.staged_predict(X))) == 4
    assert np.mean((model.predict(X) - y) ** 2) < errors[-1]


def test_without_warm_start_a_fit_begins_anew():
    X, y = waves()
    model = quick(blocks=2).fit(X, y)
    first = blocks_of(model)
    assert blocks_of(model.fit(X, y)) == first and model.n_blocks_ == 2


@pytest.mark.parametrize("preset", ["paper", "auto"])
def test_partial_fit_adds_a_block_at_a_time(preset):
    X, y = waves(400)
    model = quick(preset=preset, blocks=None, iterations=5000 if preset == "auto" else 30)
    model.partial_fit(X[:200], y[:200])
    assert model.n_blocks_ == 1
    first = blocks_of(model)
    scales = tensors(model.model_.to_bytes())["scale.input.mean"]
    model.partial_fit(X[200:], y[200:])
    assert model.n_blocks_ in ((2,) if preset == "paper" else (1, 2))
    assert tensors(model.model_.to_bytes())["scale.input.mean"] == scales
    if model.model_.members == 1:
        assert {name: blocks_of(model)[name] for name in first} == first
    with pytest.raises(ValueError):
        model.partial_fit(X[:, :1], y)
    if preset == "paper":
        assert model.partial_fit(X, y, blocks=3).n_blocks_ == 5


def test_going_on_from_a_file(tmp_path):
    X, y = waves()
    rfnn.save(quick(blocks=1).fit(X, y), tmp_path / "m.rfnn")
    model = rfnn.load(tmp_path / "m.rfnn").set_params(blocks=2, warm_start=True).fit(X, y)
    assert model.n_blocks_ == 2
