"""Rows held out as the model will be used."""

import numpy as np
import pandas
import pytest
from conftest import quick

import rfnn


def seasons(t):
    return 0.02 * t + np.sin(0.45 * t) + 0.5 * np.cos(1.3 * t)


def series(first, last):
    t = np.arange(first, last, dtype=float)
    return t[:, None], seasons(t) + 0.1 * np.random.default_rng(1).normal(size=len(t))


def test_a_forecast_goes_on_beyond_the_rows():
    model = rfnn.RFNNRegressor(holdout="tail", random_state=1).fit(*series(0, 400))
    later, y = series(400, 500)
    with pytest.warns(rfnn.RangeWarning):
        assert model.score(later, y) > 0.9
    slope = model.trend_[-1]
    assert (slope["variable"], slope["power"]) == ("x1", 1)
    assert slope["coefficient"][0] == pytest.approx(0.02, abs=1e-3)
    assert model.frequencies_[0, 0] == pytest.approx(0.45, abs=1e-3)


@pytest.mark.core
def test_time_may_be_any_input():
    X, y = series(0, 300)
    X = np.column_stack([np.random.default_rng(2).normal(size=len(y)), X])
    model = rfnn.RFNNRegressor(holdout="gap", holdout_by=2, random_state=1).fit(X, y + X[:, 0])
    assert any(term["variable"] == "x2" for term in model.trend_)


def test_time_may_be_named():
    X, y = series(0, 40)
    table = pandas.DataFrame({"other": y, "day": X[:, 0]})
    for rows, name in ((table, "day"), (table.to_numpy(), "x2")):
        model = quick(holdout="tail", holdout_by=name, validation_fraction=0.2).fit(rows, y)
        assert model.model_.options.get("holdout_by") == "2"
        assert model.holdout_by == name
    with pytest.raises(rfnn.UsageError, match="'days', which is no input. Give one of 'other', 'day'"):
        quick(holdout="tail", holdout_by="days", validation_fraction=0.2).fit(table, y)


def test_without_a_trend_there_is_none():
    assert rfnn.RFNNRegressor(width=4, random_state=1).fit(*series(0, 60)).trend_ == []


@pytest.mark.parametrize(("keywords", "words"), [
    ({"holdout": "last"}, '"random", "tail" or "gap"'),
    ({"holdout": "tail", "holdout_by": 2}, "there are 1 inputs"),
    ({"holdout": "tail", "validation_fraction": 0.0}, "no rows are held out"),
])  # fmt: skip
def test_bad_use_is_refused(keywords, words):
    with pytest.raises(rfnn.UsageError, match=words):
        rfnn.RFNNRegressor(**keywords).fit(*series(0, 60))
