"""Derivatives of predictions."""

import numpy as np
import pytest
from conftest import quick, waves

import rfnn


def differences(values, X, step=1e-4):
    """5-point differences of values(X) by every input, the last axis."""
    found = []
    for k in range(X.shape[1]):
        e = step * np.eye(X.shape[1])[k]
        found.append((values(X - 2 * e) - 8 * values(X - e) + 8 * values(X + e) - values(X + 2 * e)) / (12 * step))
    return np.stack(found, axis=-1)


@pytest.mark.parametrize("outputs", [1, 2])
def test_gradients_are_those_of_differences(outputs):
    X, y = waves()
    Y = y if outputs == 1 else np.column_stack([y, X[:, 0] ** 2])
    model = quick().fit(X, Y)
    rows = X[:20] * 0.9
    gradient = model.predict_gradient(rows)
    assert gradient.shape == ((20, 2) if outputs == 1 else (20, 2, 2))
    np.testing.assert_allclose(gradient, differences(model.predict, rows), atol=1e-6 * np.abs(gradient).max())
    along = model.hessian_product(rows, [1.0, -2.0])
    second = differences(model.predict_gradient, rows)
    np.testing.assert_allclose(along, second @ [1.0, -2.0], atol=1e-6 * np.abs(second).max())
    assert np.array_equal(model.hessian_product(rows, np.tile([1.0, -2.0], (20, 1))), along)


def test_the_function_s_own_derivative_is_found():
    X, y = waves(400)
    model = rfnn.RFNNRegressor(random_state=1).fit(X, y)
    rows = X[np.abs(X).max(axis=1) < 0.9].astype(np.float32)
    expected = np.column_stack([4 * np.cos(4 * rows[:, 0]), np.ones(len(rows))])
    np.testing.assert_allclose(model.predict_gradient(rows), expected, atol=0.02)


def test_a_direction_of_the_wrong_shape_is_refused():
    X, y = waves()
    model = quick().fit(X, y)
    with pytest.raises(rfnn.UsageError, match="direction"):
        model.hessian_product(X, [1.0, 2.0, 3.0])


@pytest.fixture(scope="module")
def product():
    """y = x1·x2 + x1² on [-1, 1]², an exact fit of it."""
    X = np.random.default_rng(1).uniform(-1, 1, (400, 3))
    return rfnn.RFNNRegressor(random_state=1).fit(X[:, :2], X[:, 0] * X[:, 1] + X[:, 0] ** 2), X


def test_extremes_are_found_within_the_box(product):
    model, _ = product
    best = model.optimum(box={"x1": (0.0, 1.0), 1: (-0.5, 0.5)}, maximum=True)
    assert best["value"] == pytest.approx(1.5, abs=0.02)
    np.testing.assert_allclose(best["x"], [1.0, 0.5], atol=1e-6)
    assert best["outside"]
    with pytest.warns(rfnn.RangeWarning):
        assert model.predict([best["x"]])[0] == best["value"]
    assert model.optimum(box={"x1": 0.5, "x2": (-0.5, 0.5)})["inputs"]["x1"] == 0.5
    with pytest.raises(rfnn.UsageError, match="x9"):
        model.optimum(box={"x9": 1.0})


def test_shares_of_the_variance(product):
    model, X = product
    found = model.sensitivity(samples=1024, box={0: (-1, 1), 1: (-1, 1)})
    # Var x1² = 4/45, Var x1·x2 = 1/9.
    np.testing.assert_allclose(found["first"], [4 / 9, 0], atol=0.02)
    np.testing.assert_allclose(found["total"], [1, 5 / 9], atol=0.02)
    assert found["pairs"][0]["value"] == pytest.approx(5 / 9, abs=0.02)
    assert (found["total_standard_error"] < 0.02).all()
    sampled = model.sensitivity(X[:, :2], samples=256)
    np.testing.assert_allclose(sampled["total"], found["total"], atol=0.1)
    narrow = model.sensitivity(normal={"x1": (0.5, 0.01)}, box={"x2": (-1, 1)}, samples=256)
    assert narrow["first"][1] > 0.95
