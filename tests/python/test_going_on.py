"""Runs that are resumed, and models on a base."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import rfnn
from rfnn import PaperRFNNRegressor, RFNNRegressor, UsageError


def multiscale(rows=160):
    return rfnn.datasets.multiscale(rows, random_state=1)


@pytest.mark.parametrize("estimator", [
    lambda: PaperRFNNRegressor(blocks=3, width=4, iterations=400, random_state=3),
    lambda: RFNNRegressor(random_state=3),
    lambda: PaperRFNNRegressor(blocks=2, width=4, iterations=200, random_state=None),
])
@pytest.mark.core
def test_a_run_goes_on_to_the_result_it_would_have_had(estimator, tmp_path):
    X, y = multiscale()
    ended = estimator().fit(X, y, run_dir=tmp_path / "run", checkpoint_every=0, callbacks=lambda now: now.elapsed > 0.02)
    resumed = estimator().fit(X, y, resume=tmp_path / "run")
    whole = estimator().set_params(random_state=resumed.seed_).fit(X, y)
    assert ended.seed_ == resumed.seed_
    assert np.array_equal(resumed.predict(X), whole.predict(X))
    again = estimator().fit(X, y, resume=tmp_path / "run")  # finished: read
    assert np.array_equal(again.predict(X), whole.predict(X))


def test_other_data_and_parameters_are_refused(tmp_path):
    X, y = multiscale()
    PaperRFNNRegressor(blocks=2, width=4, iterations=50, random_state=3).fit(X, y, run_dir=tmp_path / "run")
    with pytest.raises(UsageError, match="width 4, not 5"):
        PaperRFNNRegressor(blocks=2, width=5, iterations=50, random_state=3).fit(X, y, resume=tmp_path / "run")
    with pytest.raises(rfnn.InputError, match="The data have changed since"):
        PaperRFNNRegressor(blocks=2, width=4, iterations=50, random_state=3).fit(X, y + 1, resume=tmp_path / "run")
    with pytest.raises(UsageError, match="Both run_dir and resume"):
        RFNNRegressor().fit(X, y, resume=tmp_path / "run", run_dir=tmp_path)
    with pytest.raises(rfnn.InputError, match="nothing holds no run.json.* the folder of a fit with run_dir"):
        RFNNRegressor().fit(X, y, resume=tmp_path / "nothing")
    for seconds in -1, "often", True, float("nan"):
        with pytest.raises(UsageError, match="checkpoint_every cannot be"):
            RFNNRegressor().fit(X, y, run_dir=tmp_path / "other", checkpoint_every=seconds)


def test_a_base_is_part_of_the_model(tmp_path):
    wave = lambda x: np.sin(20 * x)
    cheap_x, x = np.linspace(-1, 1, 120), np.linspace(-0.95, 0.9, 14)
    cheap = RFNNRegressor(random_state=1).fit(pd.DataFrame({"x": cheap_x}), wave(cheap_x))
    frame, y = pd.DataFrame({"z": 0.1 * x**2, "x": x}), 2 * wave(x) + 0.3 * x
    dear = RFNNRegressor(random_state=1).fit(frame, y, base=cheap)
    rfnn.save(dear, tmp_path / "dear.rfnn")
    test = np.linspace(-0.9, 0.85, 77)
    new, truth = pd.DataFrame({"z": 0.1 * test**2, "x": test}), 2 * wave(test) + 0.3 * test
    for model in (dear, rfnn.load(tmp_path / "dear.rfnn")):
        assert np.sqrt(np.mean((model.predict(new) - truth) ** 2)) < 0.05
    column = RFNNRegressor(random_state=1).fit(frame.assign(cheap=wave(x)), y, base="cheap")
    assert np.sqrt(np.mean((column.predict(new.assign(cheap=wave(test))) - truth) ** 2)) < 0.05
    with pytest.raises(UsageError, match="needs x, which X has not"):
        RFNNRegressor().fit(frame[["z"]], y, base=cheap)
    with pytest.raises(UsageError, match="no column of X"):
        RFNNRegressor().fit(frame, y, base="nothing")
    for base in RFNNRegressor(), LinearRegression().fit(frame, y), 3.5:
        with pytest.raises(UsageError, match=r"is no fitted RFNNRegressor, no rfnn.Model and no column of X"):
            RFNNRegressor().fit(frame, y, base=base)


def of_soils(rows, seed):
    random = np.random.default_rng(seed)
    days = pd.to_timedelta(random.integers(0, 60, rows), unit="D")
    frame = pd.DataFrame({"when": pd.Timestamp("2024-01-01") + days, "soil": random.choice(["clay", "loam"], rows)})
    frame["x"] = random.uniform(-1, 1, rows)
    return frame, np.sin(3 * frame["x"].to_numpy()) + (frame["soil"] == "loam").to_numpy()


def test_a_base_of_dates_and_categories(tmp_path, cli):
    X, cheap = of_soils(120, 1)
    base = RFNNRegressor(random_state=1).fit(X, cheap.copy())
    few, said = of_soils(30, 2)
    y = 2 * said + 0.3 * few["x"].to_numpy()
    model = RFNNRegressor(random_state=1).fit(few, y, base=base)
    new, truth = of_soils(200, 3)
    assert np.sqrt(np.mean((model.predict(new) - 2 * truth - 0.3 * new["x"]) ** 2)) < 0.01
    assert [column["kind"] for column in model.columns_] == ["time", "category", "number"]
    rfnn.save(base, tmp_path / "base.rfnn")
    few.assign(y=y).to_csv(tmp_path / "few.csv", index=False)
    cli("fit", "few.csv", "-t", "y", "-q", "--base", "base.rfnn", "-o", "both.rfnn", cwd=tmp_path)
    assert np.array_equal(rfnn.load(tmp_path / "both.rfnn").predict(new), model.predict(new))
    for wrong in few[["x", "soil", "when"]], few.assign(z=1.0), few[["x", "soil"]]:
        with pytest.raises(UsageError, match=r"its columns, when, soil, x, and no others.* X\[\['when', 'soil', 'x'\]\]"):
            RFNNRegressor().fit(wrong, y, base=base)


def test_a_base_that_has_seen_the_rows_is_warned_of():
    X, y = of_soils(60, 1)
    quick = lambda: RFNNRegressor(members=1, width=4, blocks=1, random_state=1)
    base = quick().fit(X, y)
    with pytest.warns(rfnn.RFNNWarning, match="fitted to these very rows.* error bars are too small.* eval_set") as caught:
        on = quick().fit(X, y, base=base)
    assert len(caught) == 1 and "fitted to these very rows" in on.warnings_[0]
    with pytest.warns(rfnn.RFNNWarning, match="fitted to these very rows"):  # what the base stands on counts too
        quick().fit(X, y, base=quick().fit(*of_soils(20, 2), base=base))
    other = of_soils(30, 3)
    with pytest.warns(rfnn.RFNNWarning, match="fitted to the validation rows"):
        quick().fit(*other, base=base, eval_set=(X, y))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        quick().fit(*other, base=base)
        quick().fit(X, y, base=base, eval_set=other)
