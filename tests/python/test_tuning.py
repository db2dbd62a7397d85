"""The search for good parameters, beside the command that does it."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import rfnn
from rfnn import _tuning


@pytest.fixture(scope="module")
def steps(tmp_path_factory):
    """A small table, as arrays and as a file."""
    X, y = rfnn.datasets.stairstep(150, random_state=1)
    folder = tmp_path_factory.mktemp("steps")
    pd.DataFrame({"x": X[:, 0], "y": y}).to_csv(folder / "t.csv", index=False)
    return X, y, folder


def test_the_search_is_that_of_the_command(steps, cli, capsys):
    X, y, folder = steps
    begin = rfnn.PaperRFNNRegressor(blocks=2, iterations=30, random_state=1, n_jobs=2, verbose=1)
    found = rfnn.tune(begin, X, y, folds=2)
    words = "--preset", "paper", "--blocks", 2, "--iterations", 30, "--folds", 2, "--seed", 1, "--json", "--quiet"
    told = json.loads(cli("tune", "t.csv", "--target", "y", *words, cwd=folder).stdout)
    np.testing.assert_allclose(found.trials["mse"], [trial["mse"] for trial in told["trials"]], rtol=1e-12)
    assert [list(errors) for errors in found.fold_errors] == [trial["folds"] for trial in told["trials"]]
    for name in "width", "gamma", "keep":
        assert list(found.trials[name]) == [trial["options"][name] for trial in told["trials"]]
    assert found.complete and found.trials["begun_with"].sum() == 1
    assert "blocks" not in found.best_params and found.best_estimator.blocks == 2 and found.best_estimator.iterations == 30
    assert found.best_params == {name: getattr(found.best_estimator, name) for name in found.best_params}
    assert not hasattr(found.best_estimator, "model_") and found.mse == found.trials["mse"].min()
    assert "begun_with" in str(found) and "best: PaperRFNNRegressor(" in str(found)
    assert "round 4, step" in capsys.readouterr().err


def test_preset_auto_shows_how_much_is_chance(steps, cli):
    X, y, folder = steps
    begin = rfnn.RFNNRegressor(members=1, width=4, blocks=1, random_state=3)
    found = rfnn.tune(begin, X, y, folds=3)
    words = "--members", 1, "--width", 4, "--blocks", 1, "--seed", 3, "--folds", 3, "--json", "--quiet"
    told = json.loads(cli("tune", "t.csv", "--target", "y", *words, cwd=folder).stdout)
    assert list(found.trials["mse"]) == [one["mse"] for one in told["repeats"]]
    assert list(found.trials["seed"]) == [one["seed"] for one in told["repeats"]]
    assert list(found.fold_errors[0]) == told["folds"]
    assert (found.mse, found.standard_error) == pytest.approx((told["mse"], told["sd"]), rel=1e-12)
    assert found.best_params == {} and found.best_estimator.get_params() == begin.get_params()
    assert "From seed to seed" in str(found)


def test_a_search_that_its_budget_ends(steps):
    X, y, _ = steps
    for begin in rfnn.PaperRFNNRegressor(random_state=1), rfnn.RFNNRegressor(random_state=1):
        with pytest.raises(rfnn.UsageError, match="budget=1e-06 was over before .* Give a larger one"):
            rfnn.tune(begin, X, y, budget=1e-6)
    begin, options = rfnn.PaperRFNNRegressor(blocks=2), rfnn._core.Options("paper")
    with pytest.warns(rfnn.OutOfTimeWarning, match="budget=2 was over before a candidate was measured on all folds"):
        found = _tuning._searched(begin, options, [(options, [0.2, 0.1]), (options, [0.3])], ["blocks"], 3, 2)
    assert not found.complete and found.mse == pytest.approx(0.15) and np.isnan(found.trials["standard_error"][1])
    with pytest.warns(rfnn.OutOfTimeWarning, match="budget=2 was over before all networks"):
        assert not _tuning._chance(begin, options, [0.2, 0.1], 3, 2).complete


@pytest.mark.parametrize("wrong, words", [
    ({"budget": 0}, "budget cannot be 0"), ({"budget": "1"}, "budget cannot be '1'"), ({"folds": 1}, "from 2 to 100"),
    ({"estimator": LinearRegression()}, "no RFNNRegressor. The searches"),
    ({"estimator": rfnn.RFNNRegressor(max_time=2)}, "max_time is of a single network"),
])  # fmt: skip
def test_what_cannot_be_searched_is_refused(wrong, words, steps):
    X, y, _ = steps
    with pytest.raises(rfnn.UsageError, match=words):
        rfnn.tune(**{"estimator": rfnn.PaperRFNNRegressor(), "X": X, "y": y, **wrong})
