"""How far off a model is on rows with targets, as the command `rfnn evaluate` tells it."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils.validation import _check_sample_weight, check_consistent_length

from . import _columns, _core, _data, _files, _threads
from ._assessment import Table, table_of
from ._columns import readable
from ._cross_validation import _labels, _without
from ._errors import RangeWarning, UsageError
from ._warnings import warn
from .estimator import RFNNRegressor

Number = float | np.ndarray


@dataclass(frozen=True)
class Evaluation:
    """What :func:`evaluate` returns. Printed, it is the table of ``rfnn evaluate``.

    Attributes
    ----------
    rows : int
        Rows that were judged.

    mse, rmse, r2, mae, max_error : float
        Mean squared error, its root, R², mean and largest absolute error; of several targets an array each.

    quantiles : dict of float to float
        The absolute error that such a share of the rows (0.5, 0.9, 0.95, 0.99) does not exceed.

    uncertainty : dict or None
        Of the error bars: ``coverage`` and ``interval_score`` by the share that an interval should hold (0.5, 0.9,
        0.99), ``crps`` (continuous ranked probability score) and ``nll`` (negative log likelihood). None where the model
        has none.

    groups : dict of ndarray
        ``group``, ``rows``, ``mse``, ``rmse``, ``r2``, ``mae`` and ``max_error`` of each group; of several targets also
        ``target``. ``pandas.DataFrame(result.groups)`` is a table. Empty where no groups were given.
    """

    rows: int
    mse: Number
    rmse: Number
    r2: Number
    mae: Number
    max_error: Number
    quantiles: dict[float, Number] = field(repr=False)
    uncertainty: dict[str, Any] | None = field(repr=False)
    groups: Table = field(repr=False)
    text: str = field(repr=False)

    def __str__(self) -> str:
        return self.text


_ERRORS = "mse", "rmse", "r2", "mae", "max_error"


def evaluate(
    model: RFNNRegressor | _core.Model | str | os.PathLike[Any],
    X: Any,
    y: Any,
    sample_weight: Any = None,
    groups: Any = None,
) -> Evaluation:
    """Compares a model's predictions with the targets: errors, their quantiles, and how its error bars fared.

    The numbers are those of ``rfnn evaluate``, by the same code.

    Parameters
    ----------
    model : RFNNRegressor, rfnn.Model, str or path-like
        A fitted estimator, its network, or a model file.

    X, y : array-like
        Rows that were not trained on. Rows with missing cells are left out, or filled in, as ``missing`` says.

    sample_weight : array-like of shape (n_samples,), default=None
        How much each row counts in the mean errors.

    groups : array-like or str, default=None
        Also the errors of each group: a value per row, or the name of a column of X, which need be no input.

    Returns
    -------
    result : Evaluation

    Examples
    --------
    >>> import rfnn
    >>> X, y = rfnn.datasets.multiscale(200, noise=0.1, random_state=1)
    >>> model = rfnn.RFNNRegressor(width=8, members=1, random_state=1).fit(X, y)
    >>> found = rfnn.evaluate(model, *rfnn.datasets.multiscale(100, noise=0.1, random_state=2))
    >>> found.rows, found.r2 > 0.9, found.uncertainty["coverage"][0.9] > 0.7
    (100, True, True)
    """
    estimator = _files.fitted(model)
    network = estimator.model_
    labels: list[str] = []
    if groups is not None:
        X = _columns.converted(X)
        _, labels = _labels(X, groups, "groups")
        if isinstance(groups, str) and groups not in list(getattr(estimator, "feature_names_in_", [])):
            X = _without(X, groups)
    inputs, incomplete = _data.judged_inputs(estimator, X)
    targets = _data.check_targets(estimator, y, "y")
    check_consistent_length(inputs, targets)
    targets = targets.reshape(len(targets), -1)
    if targets.shape[1] != len(network.targets):
        raise UsageError(f"y has {targets.shape[1]} columns, the model {len(network.targets)} targets.", "Give the same.")
    known = ~np.isnan(targets).any(axis=1)
    known[incomplete] = False
    if not known.any():
        raise UsageError("No row has all its cells.", "Give some that have, or a model with missing=\"mean\".")
    stay = lambda values: readable(values if known.all() else values[known])
    weights = None
    if sample_weight is not None:
        weights = stay(_check_sample_weight(sample_weight, targets, dtype=np.float64, ensure_non_negative=True))
    rows = _core.Rows(stay(inputs), stay(targets), weights, network.inputs, network.targets)
    labels = [label for label, judged in zip(labels, known) if judged]
    told, text, outside = _core.evaluate(network, rows, labels, _threads.resolve(estimator.n_jobs))
    if outside > estimator._outside_by_chance(rows.count):
        warn(
            f"{outside:,} of {rows.count:,} rows lie outside the range seen in training; predictions there are "
            "extrapolations. rows_outside(X) tells which.",
            RangeWarning,
        )
    return _result(json.loads(told), text, network.targets)


def _number(value: Any) -> Number:
    """A number, or an array of several targets; what is not known is NaN."""
    array = np.array(value, dtype=float)
    return float(array) if array.ndim == 0 else array


def _result(found: dict[str, Any], text: str, targets: list[str]) -> Evaluation:
    groups = []
    for group in found.get("groups", []):
        for k, target in enumerate(targets):
            of = {name: group[name] if len(targets) == 1 else group[name][k] for name in _ERRORS}
            one = {"target": target} if len(targets) > 1 else {}
            groups.append({"group": group["group"], **one, "rows": group["rows"], **of})
    bars = found.get("uncertainty")
    if bars is not None:
        by_share = {name: {float(share): _number(value) for share, value in bars[name].items()} for name in _BY_SHARE}
        bars = {**by_share, "crps": _number(bars["crps"]), "nll": _number(bars["nll"])}
    return Evaluation(
        rows=found["rows"],
        **{name: _number(found[name]) for name in _ERRORS},
        quantiles={float(share): _number(value) for share, value in found["quantiles"].items()},
        uncertainty=bars,
        groups=table_of(groups),
        text=text,
    )


_BY_SHARE = "coverage", "interval_score"
