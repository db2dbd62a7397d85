"""Error bars."""

import numpy as np
import pytest

import rfnn


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(1)
    X = rng.uniform(0, 1, (240, 2))
    y = np.sin(5 * X[:, 0]) + (0.02 + 0.2 * X[:, 1]) * rng.normal(size=240)
    return rfnn.RFNNRegressor(members=1, random_state=1).fit(X, y), rng


def test_intervals_hold_their_share_and_follow_the_noise(fitted):
    model, rng = fitted
    X = rng.uniform(0, 1, (2000, 2))
    y = np.sin(5 * X[:, 0]) + (0.02 + 0.2 * X[:, 1]) * rng.normal(size=2000)
    lower, upper = model.predict_interval(X, coverage=0.9)
    assert 0.84 < np.mean((y >= lower) & (y <= upper)) < 0.95
    predicted, std = model.predict(X, return_std=True)
    np.testing.assert_array_equal(predicted, model.predict(X))
    assert std[X[:, 1] > 0.8].mean() > 1.5 * std[X[:, 1] < 0.2].mean()
    quantiles = model.predict_quantiles(X, [0.05, 0.5, 0.95])
    np.testing.assert_allclose(quantiles[:, 0], lower)
    assert (np.diff(quantiles, axis=1) > 0).all()


def test_several_outputs(fitted):
    _, rng = fitted
    X = rng.uniform(0, 1, (150, 1))
    Y = np.column_stack([X[:, 0] + 0.01 * rng.normal(size=150), X[:, 0] ** 2 + 0.1 * rng.normal(size=150)])
    model = rfnn.RFNNRegressor(random_state=1).fit(X, Y)
    predicted, std = model.predict(X, return_std=True)
    assert predicted.shape == std.shape == (150, 2)
    assert std[:, 1].mean() > 3 * std[:, 0].mean()
    assert model.predict_quantiles(X, [0.1, 0.9, 0.99]).shape == (150, 2, 3)


def test_what_cannot_be_asked_is_refused(fitted):
    model, rng = fitted
    with pytest.raises(rfnn.UsageError, match="between 0 and 1"):
        model.predict_interval(np.zeros((1, 2)), coverage=90)
    for coverage in [0.5, 0.9], "0.9", None, True, float("nan"):
        with pytest.raises(rfnn.UsageError, match="coverage"):
            model.predict_interval(np.zeros((1, 2)), coverage=coverage)
    for probabilities in [[0.1, 0.9]], "0.5", ["a"], [0.1, 1.0]:
        with pytest.raises(rfnn.UsageError, match="probabilities"):
            model.predict_quantiles(np.zeros((1, 2)), probabilities)
    paper = rfnn.PaperRFNNRegressor(blocks=1, iterations=5).fit(rng.uniform(size=(50, 1)), rng.uniform(size=50))
    with pytest.raises(rfnn.UsageError, match="how far off .* PaperRFNNRegressor learns .* with draws=100, say, or with RFNNRegressor"):
        paper.predict(np.zeros((1, 1)), return_std=True)
    X, y = rng.uniform(size=(50, 1)), rng.uniform(size=50)
    none_held_out = rfnn.RFNNRegressor(validation_fraction=0, width=4, blocks=1, members=1).fit(X, y)
    with pytest.raises(rfnn.UsageError, match="No rows were held out .* without validation_fraction=0"):
        none_held_out.predict(np.full((1, 1), 0.5), return_std=True)
