"""How far off models are, told of one as `rfnn evaluate` does and of several as `rfnn compare` does."""

import json
import os

import numpy as np
import pandas as pd
import pytest
from conftest import quick
from sklearn.linear_model import LinearRegression

import rfnn


@pytest.fixture(scope="module")
def judged():
    """A model of two inputs, and rows with weights and groups that it has not seen."""
    def table(rows, seed):
        random = np.random.default_rng(seed)
        made = pd.DataFrame({"a": random.uniform(-1, 1, rows), "b": random.uniform(-1, 1, rows)})
        made["y"] = np.sin(3 * made.a) + made.b + 0.1 * random.standard_normal(rows)
        return made.assign(site=random.choice(["north", "south", ""], rows), weight=random.integers(0, 3, rows))

    learnt = table(150, 1)
    inside = learnt[["a", "b"]].agg(["min", "max"])
    rows = table(5000, 2)
    rows = rows[((rows[["a", "b"]] > inside.loc["min"]) & (rows[["a", "b"]] < inside.loc["max"])).all(axis=1)]
    model = rfnn.RFNNRegressor(members=1, random_state=1).fit(learnt[["a", "b"]], learnt["y"])
    return model, rows.reset_index(drop=True)


def test_evaluate_tells_the_numbers_of_the_command(judged, tmp_path, cli):
    model, rows = judged
    rfnn.save(model, tmp_path / "m.rfnn")
    rows.to_csv(tmp_path / "t.csv", index=False)
    given = {"sample_weight": rows["weight"], "groups": "site"}
    found = rfnn.evaluate(tmp_path / "m.rfnn", rows[["a", "b", "site"]], rows["y"], **given)
    words = "evaluate", tmp_path / "m.rfnn", tmp_path / "t.csv", "--weight", "weight", "--group", "site"
    told = json.loads(cli(*words, "--json").stdout)
    close = lambda value: pytest.approx(value, rel=1e-12)
    assert found.rows == told["rows"] == len(rows)
    for name in "mse", "rmse", "r2", "mae", "max_error":
        assert getattr(found, name) == close(told[name])
        assert list(found.groups[name]) == [close(group[name]) for group in told["groups"]]
    assert list(found.groups["group"]) == ["", "north", "south"] == [group["group"] for group in told["groups"]]
    assert {str(share): value for share, value in found.quantiles.items()} == close(told["quantiles"])
    for name in "coverage", "interval_score":
        assert {str(share): value for share, value in found.uncertainty[name].items()} == close(told["uncertainty"][name])
    assert (found.uncertainty["crps"], found.uncertainty["nll"]) == close((told["uncertainty"]["crps"], told["uncertainty"]["nll"]))
    assert str(found) == cli(*words, env={**os.environ, "COLUMNS": "80"}).stdout
    assert rfnn.evaluate(model.model_, rows[["a", "b"]], rows["y"], groups=rows["site"], sample_weight=rows["weight"]) is not None


def test_evaluate_with_gaps_and_several_targets(judged):
    model, rows = judged
    X, y = rows[["a", "b"]][:60].copy(), rows["y"][:60]
    both = quick(missing="drop").fit(X, np.c_[y, -y])
    X.loc[3, "a"] = np.nan
    labels = np.where(np.arange(60) == 3, "gone", "here")
    found = rfnn.evaluate(both, X, np.c_[y, -y], groups=labels)
    assert found.rows == 59 and found.mse.shape == (2,) and found.quantiles[0.9].shape == (2,)
    assert set(found.groups["group"]) == {"here"} and len(found.groups["target"]) == 2 and found.uncertainty is None
    with pytest.warns(rfnn.RangeWarning, match="60 of 60 rows lie outside"):
        rfnn.evaluate(model, rows[["a", "b"]][:60] + 9, y)
    for wrong, words in ((LinearRegression(), "no path of a model file"), ("nowhere.rfnn", "nowhere.rfnn")):
        with pytest.raises(rfnn.Error, match=words):
            rfnn.evaluate(wrong, X, y)
    with pytest.raises(rfnn.UsageError, match="groups has 2 values for 60 rows"):
        rfnn.evaluate(model, rows[["a", "b"]][:60], y, groups=["a", "b"])


def test_compare_writes_the_command_s_page(judged, tmp_path):
    model, rows = judged
    X, y = rows[["a", "b"]][:300], rows["y"][:300]
    linear = LinearRegression().fit(X, y)
    page = tmp_path / "page.html"
    for models in {"wide": model, "narrow": quick().fit(X, y), "line": linear}, {"line": linear, "wide": model}:
        plain, written = rfnn.compare(models, X, y), rfnn.compare(models, X, y, report=page)
        assert str(plain) == str(written)
        text = page.read_text()
        assert f"{len(models)} models compared" in text and all(name in text for name in models) and "Convergence" in text
    one = quick().fit(X[["a"]], y)
    rfnn.compare([one, one], X[["a"]], y, report=page)
    assert "y over a" in page.read_text()
    with pytest.raises(rfnn.InputError, match="cannot be written"):
        rfnn.compare([model], X, y, report=tmp_path / "none" / "page.html")


def test_what_is_no_list_of_models_or_groups_is_refused(judged):
    model, rows = judged
    X, y = rows[["a", "b"]][:50], rows["y"][:50]
    for wrong, words in (
        (model, "models is a RFNNRegressor, no dict"),
        (3, "models is a int, no dict"),
        ({"one": "m.rfnn"}, "one is a str, no fitted regressor"),
        ([], "no model to compare"),
    ):
        with pytest.raises(rfnn.UsageError, match=words):
            rfnn.compare(wrong, X, y)
    for wrong, words in (
        ({"repeats": 0}, "repeats cannot be 0. Give a whole number from 1 on"),
        ({"repeats": -1}, "repeats cannot be -1"),
        ({"seed": "a"}, "seed cannot be 'a'. Give a whole number from 0 on"),
        ({"groups": ["a"]}, r"groups=\['a'\] is no list of lists"),
        ({"groups": "a"}, "is no list of lists"),
        ({"groups": [["c"]]}, "groups names 'c', which is no column"),
    ):
        with pytest.raises(rfnn.UsageError, match=words):
            rfnn.importance(model, X, y, **wrong)
    with pytest.raises(rfnn.UsageError, match="LinearRegression is no RFNNRegressor"):
        rfnn.importance(LinearRegression().fit(X, y), X, y)
