"""Cross-validation, as the command `rfnn cv` does it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv

from . import _columns, _core, _data, _options, _training
from ._assessment import Table, nan_for_none, table_of
from ._errors import UsageError
from ._out_of_time import OutOfTimeWarning
from ._warnings import warn
from .estimator import RFNNRegressor


@dataclass(frozen=True)
class CrossValidation:
    """What :func:`cross_validate` returns. Printed, it is the table of ``rfnn cv``.

    Attributes
    ----------
    mse, standard_error, r2 : float
        Mean squared error of rows that were not learnt from, its standard error, and R² of all predictions together.

    methods : dict of ndarray
        ``method`` (network and the simple ones: mean, linear, neighbours, along time also last), ``mse``,
        ``standard_error`` and ``r2``. ``pandas.DataFrame(result.methods)`` is a table.

    folds : dict of ndarray
        ``repeat``, ``fold``, ``rows``, ``train_rows``, ``mse``, ``seconds``, and the error of each simple method.

    predictions : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        By networks that have not seen the row, the mean over repeats; NaN for rows that were in no fold.

    fold : ndarray of int of shape (n_samples,)
        The fold of each row in the first repeat, from 1; 0 where it was in none.
    """

    mse: float
    standard_error: float
    r2: float
    methods: Table = field(repr=False)
    folds: Table = field(repr=False)
    predictions: np.ndarray = field(repr=False)
    fold: np.ndarray = field(repr=False)
    text: str = field(repr=False)

    def __str__(self) -> str:
        return self.text


def _labels(X: Any, given: Any, what: str) -> tuple[str, list[str]]:
    """The name and the texts of groups or times, which are given, or named as a column of X."""
    if isinstance(given, str):
        if not _columns.is_frame(X) or given not in list(X.columns):
            raise UsageError(f"{what} names {given!r}, which is no column of X.", "Name one, or give a value per row.")
        name, values = given, X[given]
    else:
        name, values = str(getattr(given, "name", None) or what), given
    if hasattr(values, "to_list"):
        values = values.to_list()
    texts = ["" if _columns._missing(value) else _columns._text(value) for value in values]
    if len(texts) != _rows_of(X):
        raise UsageError(f"{what} has {len(texts)} values for {_rows_of(X)} rows.", "Give one for every row.")
    return name, texts


def _rows_of(X: Any) -> int:
    return X.shape[0] if hasattr(X, "shape") else len(X)


def _without(X: Any, name: str) -> Any:
    return X.drop(columns=name) if _columns.library_of(X) == "pandas" else X.drop(name)


def cross_validate(
    estimator: RFNNRegressor,
    X: Any,
    y: Any,
    *,
    folds: Any = 5,
    groups: Any = None,
    time: Any = None,
    repeats: int | None = None,
    sample_weight: Any = None,
) -> CrossValidation:
    """Cross-validates: networks trained on part of the rows predict the others, in turn; beside simple methods.

    The folds are those of scikit-learn for the same arguments, the networks those of ``cross_val_predict``, to the bit,
    and the numbers those of ``rfnn cv``. What columns hold (levels, first dates, means for missing cells) is learnt by each
    fold from the rows it is trained on; a level that these have not is the mean over theirs.

    Parameters
    ----------
    estimator : RFNNRegressor
        Whose parameters the networks have. It is not fitted. Its ``max_time`` is for all folds together: a fold whose
        training its share cut counts all the same, with a warning.

    X, y : array-like
        As in ``fit``.

    folds : int, cross-validation splitter or list of (train, test), default=5
        Parts that are predicted in turn, stretches of the table (``KFold``); or what scikit-learn takes as ``cv``.

    groups : array-like or str, default=None
        Rows of a group stay together (``GroupKFold``): a value per row, or the name of a column of X, which is then no
        input.

    time : array-like or str, default=None
        Each part is predicted from the rows before it only (``TimeSeriesSplit``): a value per row, or the name of a
        column of X, which stays an input. To forecast give the estimator ``holdout="tail"``.

    repeats : int, default=None
        So many times, with folds cut from an order of the rows (or groups) that the estimator's seed draws. None is
        once, in the order of the table.

    sample_weight : array-like of shape (n_samples,), default=None

    Returns
    -------
    result : CrossValidation

    Examples
    --------
    >>> import rfnn
    >>> X, y = rfnn.datasets.multiscale(200, random_state=1)
    >>> result = rfnn.cross_validate(rfnn.RFNNRegressor(width=8, members=1, random_state=1), X, y, folds=3)
    >>> result.mse < 0.1
    True
    """
    if groups is not None and time is not None:
        raise UsageError("groups and time both say how rows are divided.", "Give one of the two.")
    if time is not None and repeats is not None:
        raise UsageError("repeats draws other orders of the rows, and along time there is but one.", "Leave it out.")
    name, texts = _labels(X, groups, "groups") if groups is not None else ("", [])
    if time is not None:
        name, texts = _labels(X, time, "time")
    given_groups = texts if groups is not None else None
    if isinstance(groups, str):
        X = _without(X, groups)
    estimator = _fresh(estimator)
    options = _training.options_of(estimator)
    inputs, targets = _data.check_fit(estimator, X, y, True, None)
    columns = [str(one) for one in getattr(estimator, "feature_names_in_", [])]
    rows = _data.rows(estimator, inputs, targets, sample_weight, _data.target_names(y, columns))
    usual = [f"x{number}" for number in range(1, inputs.width + 1)]
    _options.set_input(options, "holdout_by", estimator.holdout_by, rows.input_names or usual)
    stay = np.array(rows.places or range(inputs.rows), dtype=int)
    if isinstance(folds, (int, np.integer)):
        labels = [texts[place] for place in stay] if texts else []
        by_group, by_time = (labels if groups is not None else []), (labels if time is not None else [])
        with _options.in_words_of_python():
            division = _core.divide(len(stay), int(folds), repeats, int(options.get("seed")), by_group, by_time, name)
    else:
        division = _splits(folds, inputs.rows, targets, given_groups, stay)
    with _options.in_words_of_python():
        told, text, predicted, cut = _core.cross_validate(rows, options, division, "X", time is not None)
    if cut:
        text = f"max_time cut the training of {cut} of {len(predicted)} folds: with more the network may be better."
        warn(text, OutOfTimeWarning)
    return _result(json.loads(told), text, predicted, division, stay, targets)


def _fresh(
    estimator: RFNNRegressor, other: str = "sklearn.model_selection.cross_validate takes any estimator."
) -> RFNNRegressor:
    from sklearn.base import clone

    if not isinstance(estimator, RFNNRegressor):
        raise UsageError(f"{type(estimator).__name__} is no RFNNRegressor.", other)
    return clone(estimator)


def _splits(cv: Any, count: int, y: np.ndarray, groups: Any, stay: np.ndarray) -> _core.Division:
    """The folds of a splitter of scikit-learn, or a list of them; rows left out for missing cells are in none."""
    place = np.full(count, -1)
    place[stay] = np.arange(len(stay))
    kept = lambda rows: [int(k) for k in place[rows] if k >= 0]
    every = np.zeros((count, 1))
    pairs = [(kept(train), kept(test)) for train, test in check_cv(cv, y).split(every, y, groups)]
    return _core.Division.of(pairs, len(stay), f"{len(pairs)} folds ({type(cv).__name__})")


def _result(
    told: dict[str, Any], text: str, predicted: list[Any], division: _core.Division, stay: np.ndarray, targets: np.ndarray
) -> CrossValidation:
    outputs = targets.reshape(len(targets), -1).shape[1]
    sums, counts = np.zeros((len(targets), outputs)), np.zeros(len(targets))
    fold_of = np.zeros(len(targets), dtype=int)
    for number, (test, values) in enumerate(predicted):
        places = stay[np.array(test, dtype=int)]
        np.add.at(sums, places, values)
        np.add.at(counts, places, 1)
        if number < division.folds_each:
            fold_of[places] = number + 1
    with np.errstate(invalid="ignore"):
        predictions = sums / counts[:, None]
    simple = list(told["baselines"])
    folds = [
        {name: fold[name] for name in ("repeat", "fold", "rows", "train_rows", "mse", "seconds")} | fold["baselines"]
        for fold in told["folds"]
    ]
    methods: Table = {
        "method": np.array(["network", *simple]),
        "mse": np.array([told["mse"], *(nan_for_none(told["baselines"][name]) for name in simple)]),
        "standard_error": np.array(
            [nan_for_none(told["standard_error"]), *(nan_for_none(told["baselines_standard_error"][name]) for name in simple)]
        ),
        "r2": np.array([nan_for_none(told["r2"]), *(nan_for_none(told["baselines_r2"][name]) for name in simple)]),
    }
    return CrossValidation(
        mse=told["mse"],
        standard_error=nan_for_none(told["standard_error"]),
        r2=nan_for_none(told["r2"]),
        methods=methods,
        folds=table_of(folds),
        predictions=predictions[:, 0] if targets.ndim == 1 else predictions,
        fold=fold_of,
        text=text,
    )
