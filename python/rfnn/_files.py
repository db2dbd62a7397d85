"""Model files, shared with the command line."""

from __future__ import annotations

import os

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _core, _options
from .estimator import RFNNRegressor


def save(estimator: RFNNRegressor, path: str | os.PathLike) -> None:
    """Writes a fitted estimator's network to a model file, whole or not at all.

    Parameters
    ----------
    estimator : RFNNRegressor
    path : str or path-like
        Usually ends in ``.rfnn``. ``rfnn predict``, ``evaluate``, ``inspect`` and ``report`` read it.
    """
    check_is_fitted(estimator)
    estimator.model_.save(os.fspath(path))


def load(path: str | os.PathLike) -> RFNNRegressor:
    """A fitted estimator from a model file of ``rfnn.save`` or ``rfnn fit``.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    estimator : RFNNRegressor
        Its parameters are the options that the model was trained with, ``random_state`` the seed. With one target
        predictions are vectors.
    """
    return estimator_of(_core.Model.load(os.fspath(path)))


def estimator_of(model: _core.Model) -> RFNNRegressor:
    """The fitted estimator of a model."""
    given = _options.keywords(model.options)
    estimator = RFNNRegressor(**given, random_state=int(model.options.get("seed")))
    estimator.model_ = model
    estimator._vector_target = len(model.targets) == 1
    estimator.n_features_in_ = len(model.inputs)
    if model.named_columns:
        estimator.feature_names_in_ = np.array(model.inputs, dtype=object)
    return estimator
