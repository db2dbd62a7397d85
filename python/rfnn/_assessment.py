"""Models beside each other and what they depend on, as the commands `rfnn compare` and `importance` do it."""

from __future__ import annotations

import json
import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _core, _data, _threads
from ._errors import UsageError
from ._options import refused
from .estimator import RFNNRegressor

Table = dict[str, np.ndarray]


def nan_for_none(value: float | None) -> float:
    return float("nan") if value is None else value


def table_of(rows: Sequence[Mapping[str, Any]]) -> Table:
    """Rows as one array per column, which ``pandas.DataFrame`` takes."""
    columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
    return {name: np.array([nan_for_none(value) for value in values]) for name, values in columns.items()}


@dataclass(frozen=True)
class Comparison:
    """What :func:`compare` returns. Printed, it is a table of errors and of their differences.

    Attributes
    ----------
    rows : int
        Rows that all of the models predict.

    errors : dict of ndarray
        ``model``, ``mse``, ``rmse``, ``mae``, and ``q50``, ``q90``, ``q95``: the absolute error that so many percent of
        the rows do not exceed.

    differences : dict of ndarray
        Of every model but the first and every measure: ``model``, ``measure``, ``difference`` from the first model, the
        ends ``low`` and ``high`` of its 95 % confidence interval, and ``sure``: does the interval leave out 0.
    """

    rows: int
    errors: Table = field(repr=False)
    differences: Table = field(repr=False)

    def __str__(self) -> str:
        names = self.errors["model"]
        width = max(5, *(len(name) for name in names))
        measures = [name for name in self.errors if name not in ("model", "rmse")]
        lines = [f"{self.rows} rows", "", f"{'model':<{width}}" + "".join(f"{name:>12}" for name in measures)]
        for k, name in enumerate(names):
            lines.append(f"{name:<{width}}" + "".join(f"{self.errors[measure][k]:>12.5g}" for measure in measures))
        for model, measure, difference, low, high, sure in zip(*self.differences.values()):
            if measure == measures[0]:
                lines += ["", f"{model} minus {names[0]}, with 95 % confidence intervals"]
            verdict = ("better" if difference < 0 else "worse") if sure else "not told apart"
            lines.append(f"  {measure:<5}{difference:>+12.4g}   [{low:>+11.4g}, {high:>+11.4g} ]  {verdict}")
        return "\n".join(lines)


def compare(models: Any, X: Any, y: Any, *, report: Any = None) -> Comparison:
    """Compares models on the same rows: errors, and whether their differences are chance.

    Confidence intervals are paired, row by row, as in ``rfnn compare``. They take rows for independent draws.

    Parameters
    ----------
    models : dict of str to estimator, or list of estimators
        Fitted regressors of any kind; differences are from the first.

    X : array-like of shape (n_samples, n_features)
        Rows that no model was trained on.

    y : array-like of shape (n_samples,) or (n_samples, n_outputs)

    report : path, default=None
        A place for the page of ``rfnn compare --report``: errors, predictions, convergence and spectra over each other,
        the last two of networks of rfnn alone.

    Returns
    -------
    result : Comparison
    """
    named = _named(models)
    page = None if report is None else _data.path_of(report)
    targets = np.asarray(_data._numbers_of_texts(y, "y"), dtype=float)
    targets = np.ascontiguousarray(targets.reshape(len(targets), -1))
    predicted = {name: np.asarray(model.predict(X), dtype=float).reshape(len(targets), -1) for name, model in named.items()}
    for name, values in predicted.items():
        if values.shape != targets.shape:
            raise UsageError(f"{name} predicts {values.shape[1]} targets, y has {targets.shape[1]}.", "Give the same.")
    known = np.isfinite(targets).all(axis=1)
    for values in predicted.values():
        known &= np.isfinite(values).all(axis=1)
    if not known.any():
        raise UsageError("There is no row that all models predict.", "Give other rows.")
    threads = _threads.resolve(None)
    judged = [np.ascontiguousarray(values[known]) for values in predicted.values()]
    compared = json.loads(_core.compare(targets[known], judged, threads))
    if page is not None:
        _write_page(page, named, X, y, known, targets[known], judged, threads)
    errors = [{"model": name, **one["errors"]} for name, one in zip(named, compared)]
    order = ["model", "mse", "rmse", "mae", "q50", "q90", "q95"]
    differences = []
    for name, one in list(zip(named, compared))[1:]:
        for measure in (word for word in order if word in one["differences"]):
            found = one["differences"][measure]
            low, high = nan_for_none(found["low"]), nan_for_none(found["high"])
            row = {"model": name, "measure": measure, "difference": nan_for_none(found["difference"]), "low": low, "high": high}
            differences.append({**row, "sure": low > 0 or high < 0})
    return Comparison(int(known.sum()), table_of([{key: row[key] for key in order} for row in errors]), table_of(differences))


def _named(models: Any) -> dict[str, Any]:
    """Models by their names."""
    if hasattr(models, "predict") or not isinstance(models, (Mapping, list, tuple)):
        raise UsageError(
            f"models is a {type(models).__name__}, no dict and no list of models.",
            'Give {"one": model, "other": another}, or [model, another].',
        )
    named = dict(models) if isinstance(models, Mapping) else {f"model {k + 1}": one for k, one in enumerate(models)}
    if not named:
        raise UsageError("There is no model to compare.", "Give some.")
    for name, model in named.items():
        if not hasattr(model, "predict"):
            raise UsageError(
                f"{name} is a {type(model).__name__}, no fitted regressor.", "Give what has predict; rfnn.load reads a file."
            )
    return {str(name): model for name, model in named.items()}


def _write_page(
    page: str,
    named: dict[str, Any],
    X: Any,
    y: Any,
    known: np.ndarray,
    targets: np.ndarray,
    judged: list[np.ndarray],
    threads: int,
) -> None:
    """The page of `rfnn compare --report`."""
    networks = [getattr(model, "model_", None) for model in named.values()]
    networks = [network if isinstance(network, _core.Model) else None for network in networks]
    name, places = "", []
    first, network = next(iter(named.values())), networks[0]
    if isinstance(first, RFNNRegressor) and network is not None and network.used_inputs == [True]:
        name, places = network.inputs[0], _data.model_inputs(first, X)[0][known, 0].tolist()
    names = network.targets if network is not None else _data.target_names(y, [])
    names = names or (["y"] if targets.shape[1] == 1 else [f"y{k + 1}" for k in range(targets.shape[1])])
    code = "rfnn.compare({" + ", ".join(f"{one!r}: {type(model).__name__}" for one, model in named.items()) + "}, X, y)"
    _core.write_comparison(page, targets, names, list(named), networks, judged, name, places, code, threads)


@dataclass(frozen=True)
class Importance:
    """What :func:`importance` returns. Printed, it is the table of ``rfnn importance``.

    Attributes
    ----------
    columns : dict of ndarray
        ``column``, largest first; ``r2_lost`` and ``mse_added`` with their standard errors ``r2_lost_error`` and
        ``mse_added_error``.

    groups : dict of ndarray
        The same of the groups asked for.
    """

    columns: Table
    groups: Table = field(repr=False)

    def __str__(self) -> str:
        lines = []
        for title, table in (("column", self.columns), ("group", self.groups)):
            if not table:
                continue
            width = max(len(title), *(len(name) for name in table["column"]))
            head = "".join(f"  {word:>10}" for word in ("r2 lost", "+/-", "mse added", "+/-"))
            lines += [*([""] if lines else []), f"{title:<{width}}{head}"]
            for name, lost, lost_error, added, added_error in zip(*table.values()):
                lines.append(f"{name:<{width}}  {lost:>10.4f}  {lost_error:>10.2g}  {added:>10.4g}  {added_error:>10.2g}")
        return "\n".join(lines)


def importance(
    estimator: RFNNRegressor, X: Any, y: Any, *, groups: Sequence[Sequence[str]] = (), repeats: int = 10, seed: int = 1
) -> Importance:
    """Permutation importance: how much worse predictions become when rows are given each other's values of a column.

    Columns that say the same share their importance: neither is missed while the other is there. ``groups`` permutes such
    columns together. A category is one column, whatever its levels.

    Parameters
    ----------
    estimator : RFNNRegressor
        Fitted.

    X, y : array-like
        Best of rows that were not trained on. Rows with missing cells are treated as in ``fit``.

    groups : sequence of lists of str, default=()
        Columns that are also permuted together.

    repeats : int, default=10
        Permutations of each column that are averaged.

    seed : int, default=1
        Of the permutations.

    Returns
    -------
    result : Importance
    """
    if not isinstance(estimator, RFNNRegressor):
        raise UsageError(
            f"{type(estimator).__name__} is no RFNNRegressor.",
            "sklearn.inspection.permutation_importance takes any estimator.",
        )
    check_is_fitted(estimator)
    model = estimator.model_
    _check_whole("repeats", repeats, 1)
    _check_whole("seed", seed, 0)
    listed = lambda one: isinstance(one, (list, tuple, set, np.ndarray))
    if not listed(groups) or not all(listed(group) and all(isinstance(name, str) for name in group) for group in groups):
        raise UsageError(f"groups={groups!r} is no list of lists of columns.", 'Give [["one", "other"]], say.')
    inputs, targets = _data.check_rows(estimator, X, y, "importance", model)
    rows = _data.rows(estimator, inputs, targets, None, model.targets, model)
    place, places = 0, {}
    for column in estimator.columns_:
        places[column["name"]] = list(range(place, place + len(column["inputs"])))
        place += len(column["inputs"])
    asked = {" + ".join(group): [one for name in group for one in _known(places, name)] for group in groups}
    used = {name: group for name, group in places.items() if any(model.used_inputs[k] for k in group)}
    threads = _threads.resolve(estimator.n_jobs)
    found = _core.importance(model, rows, [*used.values(), *asked.values()], repeats, seed, threads)
    return Importance(_ranked(list(used), found[: len(used)]), _ranked(list(asked), found[len(used) :]))


def _check_whole(name: str, value: Any, least: int) -> None:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral) or not least <= value < 2**63:
        raise refused(name, value, f"a whole number from {least} on")


def _known(places: dict[str, list[int]], name: str) -> list[int]:
    if name not in places:
        raise UsageError(f"groups names {name!r}, which is no column.", f"There are {', '.join(places)}.")
    return places[name]


def _ranked(names: list[str], numbers: list[list[float]]) -> Table:
    order = sorted(range(len(names)), key=lambda k: -numbers[k][0])
    words = "r2_lost", "r2_lost_error", "mse_added", "mse_added_error"
    return table_of([{"column": names[k], **dict(zip(words, numbers[k]))} for k in order])
