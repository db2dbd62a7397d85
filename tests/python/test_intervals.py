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


@pytest.mark.filterwarnings("ignore::rfnn.RFNNWarning")
def test_rows_with_cells_that_are_not_known():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(3)

    def table(count):
        colour, x = rng.choice(["blue", "green", "red"], count), rng.uniform(0, 3, count)
        y = np.array([{"blue": 0.0, "green": 1.0, "red": 3.0}[c] for c in colour]) + np.sin(2 * x)
        return pd.DataFrame({"colour": colour, "x": x, "k": 5.0}), y + 0.1 * rng.normal(size=count)

    X, y = table(250)
    model = rfnn.RFNNRegressor(random_state=1, missing="mean", unseen="mean").fit(X, y)
    tests, truth = table(500)

    def share(rows):
        lower, upper = model.predict_interval(rows, coverage=0.9)
        return np.mean((truth >= lower) & (truth <= upper))

    assert 0.8 < share(tests) < 0.97
    changed = (tests.assign(x=np.nan), tests.assign(colour="pink"), tests.assign(colour=[None] * 499 + ["red"]))
    for rows in changed:
        with pytest.warns(rfnn.RangeWarning):
            assert 0.8 <= share(rows) <= 1.0
    assert model.rows_outside(tests).sum() < 20
    assert [model.rows_outside(rows).sum() for rows in changed] == [500, 500, 499]
    one = tests.assign(x=tests.x.clip(0.2, 2.8).where(tests.index != 4))
    assert np.flatnonzero(model.rows_outside(one)).tolist() == [4]
    assert model.rows_outside(tests.assign(k=50.0)).all()
    with pytest.warns(rfnn.RangeWarning, match="1 of 1 rows"):
        model.predict(tests.iloc[:1].assign(k=50.0))
    # Where training filled in missing cells itself, they are nothing new.
    model.fit(X.assign(x=X.x.where(X.index % 10 != 0)), y)
    assert not model.rows_outside(tests.assign(x=np.nan)).any()


@pytest.mark.filterwarnings("ignore::rfnn.RFNNWarning")
def test_missing_cells_that_the_network_has_learnt_of_leave_open_what_they_were():
    rng = np.random.default_rng(4)

    def table(count):
        X, gone = rng.uniform(0, 1, (count, 2)), rng.uniform(size=count) < 0.1
        y = np.sin(6 * X[:, 0]) + X[:, 1] + gone + 0.1 * rng.normal(size=count)
        X[gone, 0] = np.nan
        return X, y, gone

    X, y, _ = table(400)
    model = rfnn.RFNNRegressor(random_state=1, missing="mean").fit(X, y)
    assert model.columns_[0]["indicator"]
    tests, truth, gone = table(2000)
    lower, upper = model.predict_interval(tests, coverage=0.9)
    inside = (truth >= lower) & (truth <= upper)
    assert 0.84 < inside[~gone].mean() < 0.97 and 0.75 < inside[gone].mean() < 0.99
    assert (upper - lower)[gone].min() > 2 * np.median((upper - lower)[~gone])
    assert not model.rows_outside(tests)[gone].all()
