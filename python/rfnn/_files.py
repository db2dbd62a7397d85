"""Model files, shared with the command line."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _core, _options
from ._data import path_of
from ._errors import InputError, MissingFileError, UsageError
from .estimator import RFNNRegressor
from .paper import PaperRFNNRegressor


def save(estimator: RFNNRegressor, path: str | bytes | os.PathLike[Any], *, origin: bool = True) -> None:
    """Writes a fitted estimator's network to a model file, whole or not at all.

    Parameters
    ----------
    estimator : RFNNRegressor or PaperRFNNRegressor

    path : str, bytes or path-like
        Usually ends in ``.rfnn``. ``rfnn predict``, ``evaluate``, ``inspect`` and ``report`` read it.

    origin : bool, default=True
        False leaves out of the file where the network comes from: host, folder, command and the names of data files.
        The names of the columns stay.
    """
    if not isinstance(estimator, RFNNRegressor):
        inside = "Give the step that is one: pipeline[-1]. " if hasattr(estimator, "steps") else "Give one. "
        raise UsageError(
            f"{type(estimator).__name__} is no RFNNRegressor, and model files hold nothing else.",
            inside + "pickle and joblib write any estimator.",
        )
    check_is_fitted(estimator)
    estimator.model_.save(path_of(path), origin)


def load(path: str | bytes | os.PathLike[Any]) -> RFNNRegressor:
    """A fitted estimator from a model file of ``rfnn.save`` or ``rfnn fit``.

    Parameters
    ----------
    path : str, bytes or path-like

    Returns
    -------
    estimator : RFNNRegressor
        A :class:`rfnn.PaperRFNNRegressor` where the preset was paper. Its parameters are the options that the model was
        trained with, ``random_state`` the seed. With one target predictions are vectors.
    """
    name = path_of(path)
    try:
        model = _core.Model.load(name)
    except InputError as error:
        if os.path.lexists(name):
            raise
        raise MissingFileError(error.cause, error.cure, name) from None
    return estimator_of(model)


def fitted(model: Any) -> RFNNRegressor:
    """A fitted estimator from what may stand for one: itself, its network, or a model file."""
    if isinstance(model, RFNNRegressor):
        check_is_fitted(model)
        return model
    if isinstance(model, _core.Model):
        return estimator_of(model)
    if isinstance(model, (str, bytes, os.PathLike)):
        return load(model)
    raise UsageError(
        f"{type(model).__name__} is no RFNNRegressor, no rfnn.Model and no path of a model file.",
        "Give one; rfnn.compare takes fitted regressors of any kind.",
    )


def estimator_of(model: _core.Model) -> RFNNRegressor:
    """The fitted estimator of a model."""
    given = _options.keywords(model.options)
    kind = PaperRFNNRegressor if given["preset"] == "paper" else RFNNRegressor
    if kind is PaperRFNNRegressor:
        given = {name: value for name, value in given.items() if name not in _options.chosen_by_paper()}
    estimator = kind(**given, random_state=int(model.options.get("seed")))
    estimator.model_ = model
    estimator._vector_target = len(model.targets) == 1
    columns = [column["name"] for column in estimator.columns_]
    estimator.n_features_in_ = len(columns)
    if model.named_columns:
        estimator.feature_names_in_ = np.array(columns, dtype=object)
    return estimator
