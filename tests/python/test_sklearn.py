"""At home in scikit-learn."""

import copy
import json
import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from conftest import quick, tensors, waves
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rfnn


def bytes_of(model):
    return tensors(model.model_.to_bytes())


def test_pipeline_with_frames_between_the_steps():
    X, y = waves()
    frame = pd.DataFrame(X, columns=["a", "b"])
    pipeline = make_pipeline(StandardScaler(), quick()).set_output(transform="pandas")
    pipeline.fit(frame, y)
    assert list(pipeline[-1].feature_names_in_) == ["a", "b"]
    assert pipeline.score(frame, y) > 0.5


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_grid_search_gives_the_same_with_two_workers(backend):
    X, y = waves(80)
    search = lambda n: GridSearchCV(quick(iterations=10), {"width": [2, 4], "blocks": [1, 2]}, cv=2, n_jobs=n)
    alone = search(1).fit(X, y)
    with joblib.parallel_config(backend):
        both = search(2).fit(X, y)
    assert both.best_params_ == alone.best_params_
    assert np.array_equal(both.cv_results_["mean_test_score"], alone.cv_results_["mean_test_score"])
    assert bytes_of(both.best_estimator_) == bytes_of(alone.best_estimator_)


def test_errors_come_back_from_worker_processes():
    X, y = waves(20)
    with pytest.raises(rfnn.UsageError, match="width"):
        cross_val_score(quick(width=-3), X, y, cv=2, n_jobs=2, error_score="raise")


def test_clone_copy_and_pickle():
    X, y = waves()
    model = quick(width=4).fit(X, y)
    assert clone(model).get_params() == model.get_params()
    assert not hasattr(clone(model), "model_")
    for other in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert other.get_params() == model.get_params()
        assert (other.predict(X) == model.predict(X)).all()
        assert all(np.array_equal(other.history_[name], column, equal_nan=column.dtype.kind == 'f')
                   for name, column in model.history_.items())  # fmt: skip
    assert pickle.loads(pickle.dumps(model.model_)).to_bytes() == model.model_.to_bytes()


def test_frames_and_their_column_names():
    X, y = waves()
    expected = bytes_of(quick().fit(X, y))
    pandas = pd.DataFrame(X, columns=["time", "depth"]), pd.Series(y, name="height")
    polars = pl.DataFrame({"time": X[:, 0], "depth": X[:, 1]}), pl.Series("height", y)
    for frame, target in (pandas, polars):
        model = quick().fit(frame, target)
        assert bytes_of(model) == expected
        assert list(model.feature_names_in_) == ["time", "depth"]
        assert model.model_.inputs == ["time", "depth"] and model.model_.targets == ["height"]
        assert (model.predict(frame) == quick().fit(X, y).predict(X)).all()
        with pytest.raises(ValueError, match="feature names"):
            model.predict(frame[["depth", "time"]])
    names = quick().fit(pandas[0], pd.DataFrame({"p": y, "q": -y})).model_.targets
    assert names == ["p", "q"]


def test_a_target_named_like_an_input_is_no_harm():
    X, y = waves()
    model = quick().fit(pd.DataFrame(X, columns=["a", "b"]), pd.Series(y, name="a"))
    assert model.model_.inputs == ["a", "b"] and model.model_.targets != ["a"]


def test_history_is_a_dict_of_arrays_that_pandas_takes():
    X, y = waves()
    history = quick(validation_fraction=0.2).fit(X, y).history_
    assert list(history["block"]) == [1, 2, 3] and history["kept"].dtype == bool
    assert pd.DataFrame(history).validation_mse.notna().all()
    empty = quick(blocks=0).fit(X, y).history_
    assert {name: column.dtype.kind for name, column in empty.items()} == {
        name: column.dtype.kind for name, column in history.items()
    }
    record = json.loads(quick(blocks=1).fit(X, y).model_.history())[0]
    assert {*record} - {"branches", "trace"} | {"acceptance"} == {*history}
