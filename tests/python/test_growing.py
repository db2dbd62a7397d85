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


def test_partial_fit_begins_with_rows_that_differ():
    X, y = waves(300)
    model = quick(blocks=None)
    for rows in (X[:1], np.repeat(X[:1], 5, axis=0)):
        with pytest.raises(rfnn.UsageError, match="constant in the first rows"):
            model.partial_fit(rows, y[: len(rows)])
        assert not hasattr(model, "model_")
    model.partial_fit(X[:30], y[:30])
    for k in range(30, 33):  # later a row may come alone
        model.partial_fit(X[k : k + 1], y[k : k + 1])
    assert model.n_blocks_ == 4


@pytest.mark.core
@pytest.mark.core
def test_scales_are_those_of_the_first_rows_that_gave_a_block():
    X, y = waves(300)
    model = rfnn.RFNNRegressor(random_state=1)
    model.partial_fit(X[:40], np.ones(40))
    assert model.n_blocks_ == 0
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[:, :1], y)
    model.partial_fit(X[40:], y[40:])
    fresh = rfnn.RFNNRegressor(random_state=1).partial_fit(X[40:], y[40:])
    assert model.n_blocks_ == 1 and tensors(model.model_.to_bytes()) == tensors(fresh.model_.to_bytes())


def test_partial_fit_is_watched_and_controlled_too():
    X, y = waves()
    blocks = []

    class Blocks(rfnn.Callback):
        def on_block(self, record):
            blocks.append(record["block"])

    model = quick(blocks=None).partial_fit(X, y, eval_set=(X[:50], y[:50]), callbacks=Blocks())
    model.partial_fit(X, y, blocks=2, callbacks=[Blocks()])
    assert blocks == [1, 2, 3] and model.history_["validation_mse"][0] > 0
    for wrong in (0, -1, 1.5, "2", True, None):
        with pytest.raises(rfnn.UsageError, match="blocks cannot be"):
            model.partial_fit(X, y, blocks=wrong)


def test_warm_start_with_fewer_blocks_is_an_error_and_with_as_many_a_remark():
    X, y = waves()
    model = quick(blocks=3, warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match="blocks=2 is less than the 3"):
        model.set_params(blocks=2).fit(X, y)
    before = blocks_of(model)
    with pytest.warns(rfnn.RFNNWarning, match="as many as asked for"):
        model.set_params(blocks=3).fit(X, y)
    assert blocks_of(model) == before


def test_warm_start_with_other_targets_is_an_error():
    X, y = waves()
    model = quick(blocks=1, warm_start=True).fit(X, y)
    with pytest.raises(rfnn.UsageError, match="y has 2 columns"):
        model.set_params(blocks=2).fit(X, np.c_[y, y])
