"""Good options of preset paper, and how much is chance with preset auto, as the command `rfnn tune` finds them."""

from __future__ import annotations

import math
import numbers
import sys
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone

from . import _core, _data, _options, _training
from ._assessment import Table
from ._cross_validation import _fresh
from ._errors import UsageError
from ._out_of_time import OutOfTimeWarning
from ._warnings import warn
from .estimator import RFNNRegressor

_SEEDS = 5  # that preset auto is trained with
_WITH_THEM = {"gamma": "gamma_state", "delta": "delta_state"}  # what follows a tuned option


@dataclass(frozen=True)
class Tuning:
    """What :func:`tune` returns. Printed, it is a leaderboard.

    Attributes
    ----------
    best_estimator : RFNNRegressor
        Not fitted, with the parameters of the least error; with preset auto those given.

    best_params : dict
        The tuned parameters of it; empty with preset auto.

    mse, standard_error : float
        Its mean squared error over the folds measured, and the standard error of that; with preset auto the mean over
        seeds on one fold, and how much it varies from seed to seed. The least of many errors is a little too small.

    trials : dict of ndarray
        Best first: ``mse``, ``standard_error``, ``folds`` (measured), ``begun_with`` (are these the parameters given?) and
        the tuned parameters; with preset auto ``seed`` and ``mse``. ``pandas.DataFrame(result.trials)`` is a table.

    fold_errors : list of ndarray
        The mean squared error of each fold, by trial; with preset auto one array, of the first seed.

    complete : bool
        Was the best measured on all folds, and was nothing cut by the budget before?
    """

    best_estimator: RFNNRegressor
    best_params: dict[str, Any]
    mse: float
    standard_error: float
    trials: Table = field(repr=False)
    fold_errors: list[np.ndarray] = field(repr=False)
    complete: bool

    def __str__(self) -> str:
        names = list(self.trials)
        rows = [[_shown(value) for value in row] for row in zip(*(self.trials[name][:10] for name in names))]
        widths = [max(len(text) for text in column) for column in zip(names, *rows)]
        line = lambda texts: "  ".join(f"{text:>{width}}" for text, width in zip(texts, widths))
        lines = [line(names), *map(line, rows)]
        if self.best_params:
            lines += ["", f"best: {self.best_estimator!r}"]
        else:
            folds = self.fold_errors[0]
            spread = f"; from fold to fold by {np.std(folds, ddof=1):.2g}" if len(folds) > 1 else ""
            lines += ["", f"From seed to seed the error, {self.mse:.4g}, varies by {self.standard_error:.2g}{spread}."]
        return "\n".join(lines)


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, (float, np.floating)) else str(value)


def tune(
    estimator: RFNNRegressor, X: Any, y: Any, *, budget: float | None = None, folds: int = 5, sample_weight: Any = None
) -> Tuning:
    """Looks for good parameters of :class:`rfnn.PaperRFNNRegressor`, or shows how much is chance with preset auto.

    The published algorithm's ``width``, ``blocks``, ``iterations``, ``gamma``, ``delta``, ``ridge`` and ``keep`` are tuned
    by successive halving over cross-validation, the search of ``rfnn tune``; one that is not at its default stays as it is.
    Preset auto has nothing to tune: it is trained with five seeds, and with other rows held out. Without a budget the
    result depends on data, parameters and seed alone.

    Parameters
    ----------
    estimator : RFNNRegressor or PaperRFNNRegressor
        What the search begins with. It is not fitted. ``n_jobs`` networks are trained side by side; ``verbose=1`` prints a
        line for each step.

    X, y : array-like
        As in ``fit``.

    budget : float, default=None
        Seconds to search for. None is four rounds of eight candidates.

    folds : int, default=5
        Of the cross-validation.

    sample_weight : array-like of shape (n_samples,), default=None

    Returns
    -------
    result : Tuning

    Examples
    --------
    >>> import rfnn
    >>> X, y = rfnn.datasets.multiscale(100, random_state=1)
    >>> begin = rfnn.PaperRFNNRegressor(blocks=2, iterations=20, gamma=5, delta=0.1, keep="best", random_state=1)
    >>> found = rfnn.tune(begin, X, y, folds=2)
    >>> sorted(found.best_params)
    ['ridge', 'width']
    """
    _check(budget, folds)
    given = estimator
    estimator = _fresh(estimator, "The searches of sklearn.model_selection take any estimator.")
    options = _training.options_of(estimator)
    if float(options.get("max_time")) > 0:
        raise UsageError("max_time is of a single network.", "Give budget for the whole search.")
    inputs, targets = _data.check_fit(estimator, X, y, True, None)
    columns = [str(one) for one in getattr(estimator, "feature_names_in_", [])]
    rows = _data.rows(estimator, inputs, targets, sample_weight, _data.target_names(y, columns))
    usual = [f"x{number}" for number in range(1, inputs.width + 1)]
    _options.set_input(options, "holdout_by", estimator.holdout_by, rows.input_names or usual)
    seconds = 0.0 if budget is None else float(budget)
    with _options.in_words_of_python():
        if options.get("preset") == "auto":
            return _chance(given, options, _core.chance(rows, options, _SEEDS, int(folds), seconds), int(folds), budget)
        fixed = _not_default(estimator)
        see = _teller(estimator)
        found = _core.tune(rows, options, fixed, int(folds), seconds, see)
    return _searched(given, options, found, fixed, int(folds), budget)


def _check(budget: Any, folds: Any) -> None:
    number = isinstance(budget, numbers.Real) and not isinstance(budget, (bool, np.bool_))
    if budget is not None and not (number and 0 < budget < math.inf):
        raise _options.refused("budget", budget, "a number of seconds > 0, or None")
    if isinstance(folds, (bool, np.bool_)) or not isinstance(folds, numbers.Integral) or not 2 <= folds <= 100:
        raise _options.refused("folds", folds, "a whole number from 2 to 100")


def _not_default(estimator: RFNNRegressor) -> list[str]:
    """The options that somebody has chosen."""
    usual = type(estimator)()
    return [
        name for name in _options.table()
        if hasattr(estimator, name) and not _same(getattr(estimator, name), getattr(usual, name, None))
    ]  # fmt: skip


def _same(value: Any, other: Any) -> bool:
    return bool(np.array_equal(np.asarray(value, dtype=object), np.asarray(other, dtype=object)))


def _teller(estimator: RFNNRegressor) -> Any:
    def see(number: int, step: int, tried: int, error: float, folds: int) -> None:
        if estimator.verbose:
            print(f"round {number}, step {step}: {tried} tried, best {error:.4g} on {folds} folds", file=sys.stderr)

    return see


def _warn_of_budget(budget: Any, what: str) -> None:
    warn(f"budget={budget} was over {what}: with more time the result may be better.", OutOfTimeWarning)


def _searched(
    given: RFNNRegressor, begun: _core.Options, found: list[tuple[Any, list[float]]], fixed: list[str], folds: int, budget: Any
) -> Tuning:
    if not found:
        raise UsageError(f"budget={budget} was over before a candidate was measured.", "Give a larger one, or fewer rows.")
    value = lambda options, name: _options.from_text(_options.table()[name].kind, options.get(name))
    names = [name for name in _core.tuned_options() if name not in fixed]
    names += [_WITH_THEM[name] for name in names if name in _WITH_THEM and _WITH_THEM[name] not in fixed]
    best = found[0][0]
    params = {name: value(best, name) for name in names}
    complete = len(found[0][1]) == folds
    if not complete:
        _warn_of_budget(budget, "before a candidate was measured on all folds")
    trials: Table = {
        "mse": np.array([sum(errors) / len(errors) for _, errors in found]),
        "standard_error": np.array([_standard_error(errors) for _, errors in found]),
        "folds": np.array([len(errors) for _, errors in found]),
        "begun_with": np.array([options.to_json() == begun.to_json() for options, _ in found]),
        **{name: _column([value(options, name) for options, _ in found]) for name in names},
    }
    return Tuning(
        best_estimator=clone(given).set_params(**params),
        best_params=params,
        mse=float(trials["mse"][0]),
        standard_error=float(trials["standard_error"][0]),
        trials=trials,
        fold_errors=[np.array(errors) for _, errors in found],
        complete=complete,
    )


def _column(values: list[Any]) -> np.ndarray:
    """Values of a parameter, words such as "auto" among numbers or not."""
    mixed = len({isinstance(value, str) for value in values}) > 1
    return np.array(values, dtype=object if mixed else None)


def _standard_error(errors: list[float]) -> float:
    if not np.isfinite(errors).all():
        return float("nan")
    return float(np.std(errors, ddof=1) / np.sqrt(len(errors))) if len(errors) > 1 else float("nan")


def _chance(given: RFNNRegressor, options: _core.Options, errors: list[float], folds: int, budget: Any) -> Tuning:
    if len(errors) < 2:
        raise UsageError(f"budget={budget} was over before two networks were trained.", "Give a larger one, or fewer rows.")
    by_seed = np.array(errors[:_SEEDS])
    complete = len(errors) == _SEEDS + folds - 1
    if not complete:
        _warn_of_budget(budget, "before all networks were trained")
    first = int(options.get("seed"))
    return Tuning(
        best_estimator=clone(given),
        best_params={},
        mse=float(by_seed.mean()),
        standard_error=float(np.std(by_seed, ddof=1)),
        trials={"seed": np.arange(first, first + len(by_seed)), "mse": by_seed},
        fold_errors=[np.array([errors[0], *errors[_SEEDS:]])],
        complete=complete,
    )
