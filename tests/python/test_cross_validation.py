"""`rfnn cv` divides rows as scikit-learn does, and its networks and simple methods are those one gets there."""

import json

import numpy as np
import pandas as pd
import pytest
from conftest import quick
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_squared_error, r2_score
from sklearn.model_selection import GroupKFold, KFold, TimeSeriesSplit, cross_val_predict

import rfnn

QUICK = ["--preset", "paper", "--blocks", "3", "--iterations", "30", "--seed", "1"]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Two inputs, a group of text in groups of many sizes, some of them equal, and times in no order."""
    rng = np.random.default_rng(0)
    rows = 131
    frame = pd.DataFrame(rng.uniform(-1, 1, (rows, 2)), columns=["a", "b"])
    frame["site"] = np.array(["Oslo, N", "Rom", 'the "Hof"', "Ulm", "Wien", "Y", "Z"])[
        rng.choice(7, rows, p=[0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1])
    ]
    frame["when"] = rng.permutation(rows) // 2
    frame["y"] = np.sin(4 * frame.a) + frame.b + 0.1 * rng.normal(size=rows)
    path = tmp_path_factory.mktemp("cv") / "table.csv"
    frame.to_csv(path, index=False)
    return path, frame


def crossed(cli, path, out, *words):
    result = json.loads(cli("cv", path, "--target", "y", "--json", "--quiet", "--out", out, *words).stdout)
    return result, pd.read_csv(out)


@pytest.mark.core
@pytest.mark.parametrize("threads", [1, 3])
def test_k_fold(cli, table, tmp_path, threads):
    path, frame = table
    result, out = crossed(cli, path, tmp_path / "o.csv", "--ignore", "site,when", "--threads", threads, *QUICK)
    X, y = frame[["a", "b"]].to_numpy(), frame.y.to_numpy()
    expected = cross_val_predict(quick(), X, y, cv=KFold(5))
    np.testing.assert_allclose(out.y, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(out.y_residual, y - expected, rtol=0, atol=1e-12)
    assert list(out.row) == list(range(1, len(y) + 1))
    assert result["mse"] == pytest.approx(mean_squared_error(y, expected), rel=1e-12)
    assert result["r2"] == pytest.approx(r2_score(y, expected), rel=1e-12)
    assert result["standard_error"] == pytest.approx(((y - expected) ** 2).std(ddof=1) / len(y) ** 0.5, rel=1e-9)
    folds = list(KFold(5).split(X))
    assert [fold["rows"] for fold in result["folds"]] == [len(test) for _, test in folds]
    for fold, (_, test) in zip(result["folds"], folds, strict=True):
        assert fold["mse"] == pytest.approx(mean_squared_error(y[test], expected[test]), rel=1e-12)
    linear = cross_val_predict(LinearRegression(), X, y, cv=KFold(5))
    assert result["baselines"]["linear"] == pytest.approx(mean_squared_error(y, linear), rel=1e-8)
    assert result["baselines"]["mean"] > result["baselines"]["neighbours"] > 0


@pytest.mark.core  # before 1.7 scikit-learn's order of groups of one size is that of the machine's sort
def test_group_k_fold(cli, table, tmp_path):
    path, frame = table
    words = ["--folds", "3", "--group", "site", "--ignore", "when", *QUICK]
    _, out = crossed(cli, path, tmp_path / "o.csv", *words)
    X, y = frame[["a", "b"]].to_numpy(), frame.y.to_numpy()
    for fold, (_, test) in enumerate(GroupKFold(3).split(X, y, frame.site)):
        assert list(np.flatnonzero(out.fold == fold + 1)) == list(test)
    expected = cross_val_predict(quick(), X, y, cv=GroupKFold(3), groups=frame.site)
    np.testing.assert_allclose(out.y, expected, rtol=0, atol=1e-12)


@pytest.mark.core
def test_time_series_split(cli, table, tmp_path):
    path, frame = table
    words = ["--folds", "4", "--time", "when", "--ignore", "site", *QUICK]
    result, out = crossed(cli, path, tmp_path / "o.csv", *words)
    order = np.argsort(frame.when, kind="stable")
    X, y = frame[["a", "b", "when"]].to_numpy()[order], frame.y.to_numpy()[order]
    out = out.iloc[order]
    last = []
    for fold, (train, test) in enumerate(TimeSeriesSplit(4).split(X)):
        assert list(np.flatnonzero(out.fold == fold + 1)) == list(test)
        expected = quick().fit(X[train], y[train]).predict(X[test])
        np.testing.assert_allclose(out.y.iloc[test], expected, rtol=0, atol=1e-12)
        last.append(np.mean((y[test] - y[train[-1]]) ** 2))
    assert out.y.isna().sum() == len(y) - 4 * (len(y) // 5)
    assert result["baselines"]["last"] == pytest.approx(np.mean(last), rel=1e-12)


@pytest.mark.core
def test_preset_auto(cli, table, tmp_path):
    path, frame = table
    _, out = crossed(cli, path, tmp_path / "o.csv", "--ignore", "site,when", "--folds", "2", "--seed", "7")
    X, y = frame[["a", "b"]].to_numpy(), frame.y.to_numpy()
    expected = cross_val_predict(rfnn.RFNNRegressor(random_state=7), X, y, cv=KFold(2))
    np.testing.assert_allclose(out.y, expected, rtol=0, atol=1e-12)


@pytest.mark.core
def test_columns_are_learnt_fold_by_fold(cli, tmp_path):
    """Levels, first dates, means: of the rows that a fold is trained on, as for an estimator that is given these."""
    rng = np.random.default_rng(3)
    rows = 90
    frame = pd.DataFrame(
        {
            "when": pd.date_range("2024-03-01 05:00", periods=rows, freq="7h"),
            "site": np.where(np.arange(rows) < 20, "first", rng.choice(["a", "b"], rows)),
            "x": np.where(rng.random(rows) < 0.1, np.nan, rng.normal(size=rows)),
            "z": np.where(np.arange(rows) < 3, np.nan, rng.normal(size=rows)),
        }
    )
    y = frame.x.fillna(2) + np.sin(np.arange(rows) / 9) + (frame.site == "a")
    frame.assign(y=y).to_csv(tmp_path / "t.csv", index=False)
    words = ["--folds", "3", "--missing", "mean", *QUICK]
    result, out = crossed(cli, tmp_path / "t.csv", tmp_path / "o.csv", *words)
    model = quick(missing="mean", unseen="mean")
    expected = np.empty(rows)
    with pytest.warns(rfnn.RFNNWarning, match="20 cells have a level"):
        for train, test in KFold(3).split(frame):
            expected[test] = model.fit(frame.iloc[train], y.iloc[train]).predict(frame.iloc[test])
    np.testing.assert_allclose(out.y, expected, rtol=0, atol=1e-12)
    crossed_here = rfnn.cross_validate(model, frame, y, folds=3)
    assert np.array_equal(crossed_here.predictions, expected)
    assert crossed_here.mse == pytest.approx(result["mse"], rel=1e-12)
    told = cli("cv", tmp_path / "t.csv", "--target", "y", *words).stderr
    assert "fold 1: 20 cells have a level that the rows to learn from have not" in told
    # A plain number with gaps in the rows to predict only.
    other = frame[["z"]].assign(w=rng.normal(size=rows))
    predicted = rfnn.cross_validate(model, other, y, folds=3).predictions
    train, test = next(KFold(3).split(other))
    assert np.array_equal(predicted[test], model.fit(other.iloc[train], y.iloc[train]).predict(other.iloc[test]))
