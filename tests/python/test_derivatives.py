"""Derivatives of predictions."""

import datetime

import numpy as np
import pandas as pd
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


@pytest.mark.core
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


@pytest.mark.core
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


@pytest.mark.core
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


@pytest.fixture(scope="module")
def mixed():
    """y by a date, a category, a truth value and a number, one cell of it missing."""
    random, rows = np.random.default_rng(0), 160
    X = pd.DataFrame(
        {
            "day": pd.date_range("2024-01-01", periods=rows, freq="D"),
            "soil": random.choice(["clay", "loam", "sand"], rows),
            "wet": random.random(rows) < 0.5,
            "rain": random.uniform(size=rows),
        }
    )
    y = np.cos(np.arange(rows) / 9) + (X.soil == "loam") + 0.5 * X.wet + X.rain
    return rfnn.RFNNRegressor(width=6, blocks=2, members=1, random_state=1).fit(X, y), X, y


def test_derivatives_by_a_date_are_those_of_differences(mixed):
    """Per day, first and second, through blocks on top of others."""
    model, X, _ = mixed
    rows, step = X.iloc[20:140:7].copy(), 0.02

    def moved(values, column, by):
        at = rows.copy()
        at[column] = at[column] + (pd.to_timedelta(by, unit="D") if column == "day" else by)
        return np.asarray(values(at))

    def difference(values, column, size):
        by = [moved(values, column, k * size) for k in (-2, -1, 1, 2)]
        return (by[0] - 8 * by[1] + 8 * by[2] - by[3]) / (12 * size)

    gradient = model.predict_gradient(rows)
    for k, column, size in (0, "day", step), (-1, "rain", step / 20):
        exact = difference(model.predict, column, size)
        np.testing.assert_allclose(gradient[:, k], exact, atol=1e-7 * np.abs(exact).max())
        direction = np.zeros_like(gradient)
        direction[:, k] = 1
        product = model.hessian_product(rows, direction)
        expected = difference(model.predict_gradient, column, size)
        np.testing.assert_allclose(product, expected, atol=1e-6 * np.abs(expected).max())
    assert np.abs(gradient[:, 0]).max() > 0.02


def test_shares_of_ishigami_s_function_are_the_exact_ones():
    """sin a + 7 sin² b + 0.1 c⁴ sin a over a cube of side 2π, learnt from 600 rows."""
    X = np.random.default_rng(1).uniform(-np.pi, np.pi, (600, 3))
    y = np.sin(X[:, 0]) + 7 * np.sin(X[:, 1]) ** 2 + 0.1 * X[:, 2] ** 4 * np.sin(X[:, 0])
    model = rfnn.RFNNRegressor(members=1, random_state=1).fit(X, y)
    shares = model.sensitivity(box={f"x{k}": (-np.pi, np.pi) for k in (1, 2, 3)}, samples=1024)
    # With a = 7, b = 0.1 and D = a²/8 + bπ⁴/5 + b²π⁸/18 + 1/2 (Ishigami and Homma 1990).
    alone = 0.5 * (1 + 0.1 * np.pi**4 / 5) ** 2
    other, together = 49 / 8, 8 * 0.01 * np.pi**8 / 225
    all_of_it = alone + other + together
    np.testing.assert_allclose(shares["first"], np.array([alone, other, 0]) / all_of_it, atol=0.005)
    np.testing.assert_allclose(shares["total"], np.array([alone + together, other, together]) / all_of_it, atol=0.005)


def test_the_place_of_an_extreme_is_a_row_for_predict(mixed):
    model, X, y = mixed
    best = model.optimum()
    assert best["x"].shape == (4,) and list(best["inputs"]) == list(X)
    for row in pd.DataFrame([best["x"]], columns=X.columns), pd.DataFrame([best["inputs"]]):
        assert model.predict(row)[0] == pytest.approx(best["value"], abs=1e-9)
    unnamed = rfnn.RFNNRegressor(width=6, blocks=2, members=1, random_state=1).fit(X.to_numpy(dtype=object), y)
    found = unnamed.optimum(box={3: 0.25, 1: "sand"})
    assert found["inputs"]["x4"] == 0.25 and found["inputs"]["x2"] == "sand"
    assert unnamed.predict([found["x"]])[0] == pytest.approx(found["value"], abs=1e-9)


def test_boxes_and_laws_of_columns_of_any_kind(mixed):
    model, _, _ = mixed
    moments = "2024-02-01", "2024-02-09"
    expected = model.optimum(box={"day": moments})["value"]
    for make in pd.Timestamp, datetime.datetime.fromisoformat, datetime.date.fromisoformat, np.datetime64:
        assert model.optimum(box={"day": tuple(map(make, moments))})["value"] == expected
        assert model.optimum(box={"day": make("2024-02-03")})["inputs"]["day"] == "2024-02-03"
    assert model.optimum(box={"soil": ["clay", "sand"]}, maximum=True)["inputs"]["soil"] in ("clay", "sand")
    for wet in True, np.bool_(True), 1, "true":
        assert model.optimum(box={"wet": wet})["inputs"]["wet"] is True
    shares = [
        model.sensitivity(normal={"day": law}, samples=64)["first"].tolist()
        for law in [("2024-02-01", 3), (pd.Timestamp("2024-02-01"), pd.Timedelta(days=3))]
    ]
    assert shares[0] == shares[1]


def test_targets_by_name_and_seeds_of_any_kind():
    X, y = waves()
    model = quick().fit(X, pd.DataFrame({"wave": y, "square": X[:, 0] ** 2}))
    assert model.optimum(target="square")["value"] == model.optimum(target=np.int64(1))["value"]
    assert model.optimum(random_state=np.random.RandomState(3))["value"] == model.optimum(random_state=np.random.RandomState(3))["value"]
    first = [model.sensitivity(samples=64, random_state=np.random.default_rng(2))["first"].tolist() for _ in range(2)]
    assert first[0] == first[1] and model.sensitivity(samples=64, random_state=None)["first"].shape == (2, 2)


@pytest.mark.parametrize("given, message", [
    ({"target": "t"}, "target cannot be 't'. Give one of 'wave', 'square', or a number from 0 to 1"),
    ({"target": -1}, "target cannot be -1"),
    ({"target": True}, "target cannot be True"),
    ({"starts": 0}, "starts cannot be 0. Give a whole number from 1 on"),
    ({"starts": 2.5}, "starts cannot be 2.5"),
    ({"random_state": -1}, "random_state cannot be -1"),
    ({"box": [(0, 1)]}, "box cannot be .*Give a dictionary"),
    ({"box": {5: 1}}, "box names 5, which is no column. Give one of 'x1', 'x2', or a number from 0 to 1"),
    ({"box": {-1: 1}}, "box names -1"),
    ({"box": {"x1": (0.3, 0.2)}}, r"box\['x1'\] cannot be \(0.3, 0.2\). Give a pair \(low, high\), the lower one first"),
    ({"box": {"x1": (1, 2, 3)}}, r"box\['x1'\] cannot be \(1, 2, 3\)"),
    ({"box": {"x1": None}}, r"box\['x1'\] cannot be None"),
    ({"box": {"x1": (float("nan"), 1)}}, r"box\['x1'\] cannot be"),
])  # fmt: skip
def test_what_an_optimum_cannot_be_asked_for(given, message):
    X, y = waves()
    model = quick().fit(X, pd.DataFrame({"wave": y, "square": X[:, 0] ** 2}))
    with pytest.raises(rfnn.UsageError, match=message):
        model.optimum(**given)


@pytest.mark.parametrize("given, message", [
    ({"samples": -4}, "samples cannot be -4"),
    ({"samples": 0}, "samples cannot be 0"),
    ({"normal": {"x1": 0.5}}, r"normal\['x1'\] cannot be 0.5. Give a pair \(mean, standard deviation\)"),
    ({"normal": {"x1": (0.5, -1)}}, r"normal\['x1'\] cannot be \(0.5, -1\)"),
    ({"normal": {"x9": (0, 1)}}, "normal names 'x9'"),
    ({"normal": {"x1": (0, 1)}, "box": {0: (0, 1)}}, "Both box and normal say how 'x1' varies"),
])  # fmt: skip
def test_what_a_sensitivity_cannot_be_asked_for(given, message):
    X, y = waves()
    model = quick().fit(X, y)
    with pytest.raises(rfnn.UsageError, match=message):
        model.sensitivity(**given)


def test_levels_and_directions_that_there_are_not(mixed):
    model, X, _ = mixed
    with pytest.raises(rfnn.UsageError, match="soil has no level peat"):
        model.optimum(box={"soil": ["clay", "peat"]})
    with pytest.raises(rfnn.UsageError, match=r"normal\['soil'\] cannot be"):
        model.sensitivity(normal={"soil": (0, 1)})
    assert model.hessian_product(X[:3], np.ones(6)).shape == model.predict_gradient(X[:3]).shape == (3, 6)
    with pytest.raises(rfnn.UsageError, match="direction cannot be 'up'"):
        model.hessian_product(X[:3], "up")
