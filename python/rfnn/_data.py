"""From arrays and frames to rows of the native core: numbers where they lie, other columns by what they hold."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import (
    _check_sample_weight,
    check_array,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from . import _columns, _core, _options
from ._columns import FLOATS, Column, readable
from ._errors import InputError, UsageError
from ._warnings import warn

if TYPE_CHECKING:
    from .estimator import RFNNRegressor

def path_of(path: Any) -> str:
    """A path as text, from text, bytes or a path-like object."""
    try:
        return os.fsdecode(path)
    except TypeError:
        raise UsageError(
            f"An object of type {type(path).__name__} is no path.",
            "Give the name of a file. pickle.dump(model, file) writes to an open one.",
        ) from None


@dataclass(frozen=True)
class Inputs:
    """The inputs of some rows, checked: an array of numbers, or the columns of a table."""

    array: np.ndarray | None
    columns: list[Column] | None
    rows: int

    @property
    def width(self) -> int:
        return self.array.shape[1] if self.columns is None else len(self.columns)


def reading_options(estimator: Any) -> _core.Options:
    """The options by which an estimator reads tables."""
    options, _ = _options.build({name: getattr(estimator, name) for name in _options.reading()})
    return options


def _reads_as_table(options: _core.Options, model: _core.Model | None) -> bool:
    """Do options or the network want more of columns than their numbers?"""
    usual = _core.Options("auto")
    asked = any(options.get(name) != usual.get(name) for name in _options.reading() if name != "unseen")
    return asked or (model is not None and model.has_table)


def _refuse_not_finite(array: np.ndarray, what: str, nan_too: bool) -> None:
    """Refuses infinite numbers, and NaN where cells may not be missing."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(array.sum(dtype=np.float64)):
            return
    bad = ~np.isfinite(array) if nan_too else np.isinf(array)
    if not bad.any():
        return
    first = tuple(int(k) for k in np.argwhere(bad)[0])
    nan, count = bool(np.isnan(array[first])), int(bad.sum())
    cells = "" if count == 1 else f", the first of {count} such numbers"
    raise InputError(
        f"Input {what} contains {'NaN' if nan else 'infinity'}: {what}[{', '.join(map(str, first))}]{cells}.",
        'missing="drop" leaves such rows out' + (', missing="mean" fills them in.' if what == "X" else ".")
        if nan
        else "Give a finite number, or leave the row out.",
    )


def _check_categorical(estimator: Any, columns: list[Column]) -> None:
    """Refuses names and numbers of no column. The core has the target among the columns, too."""
    given = estimator.categorical
    names = [column.name for column in columns]
    for one in [given] if isinstance(given, str) or np.ndim(given) == 0 else given:
        number = str(one) not in names and str(one).isdecimal()
        if one is not None and str(one) not in names and not (number and 1 <= int(one) <= len(names)):
            there = ", ".join(map(repr, names[:12])) + (", …" if len(names) > 12 else "")
            raise InputError(
                f'X has no column "{one}", which categorical names.',
                f"Give some of {there}, or numbers from 1 to {len(names)}.",
            )


def check_inputs(estimator: Any, X: Any, reset: bool, model: _core.Model | None) -> Inputs:
    """X checked as scikit-learn does, without a copy where it holds floats. ``model``: that whose rows they are to be."""
    options = reading_options(estimator)
    always = _reads_as_table(options, model)
    X, columns = _columns.columns_of(X, always)
    if columns is None or (isinstance(X, np.ndarray) and X.dtype.kind in "biuf"):
        array = readable(validate_data(estimator, X, reset=reset, dtype=FLOATS, ensure_all_finite=False))
        _refuse_not_finite(array, "X", options.get("missing") == "error")
        if not always:
            return Inputs(array, None, len(array))
        columns = [Column(f"x{k + 1}", "numbers", array[:, k]) for k in range(array.shape[1])]
        if model is None:
            _check_categorical(estimator, columns)
        return Inputs(None, columns, len(array))
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    if 0 in X.shape:
        kind = "sample" if X.shape[0] == 0 else "feature"
        raise ValueError(f"Found array with 0 {kind}(s) (shape={X.shape}) while a minimum of 1 is required.")
    if model is None:
        _check_categorical(estimator, columns)
    return Inputs(None, columns, X.shape[0])


def _refuse_times(y: Any, what: str) -> None:
    """Refuses targets that scikit-learn would take for the number of their nanoseconds."""
    columns = y.columns if _columns.is_frame(y) else [None]
    for name in columns:
        values = y if name is None else y[name]
        dtype = getattr(values, "dtype", None)
        if getattr(dtype, "kind", "") in ("m", "M") or getattr(dtype, "is_temporal", lambda: False)():
            raise UsageError(f"{what} holds dates or times ({dtype}).", "Learn a number, such as the days since some date.")


def _numbers_of_texts(y: Any, what: str) -> Any:
    """Texts as the command reads them in a file: numbers, truth values, missing cells. What holds none is left alone."""
    try:
        values = np.asarray(y)
    except ValueError:
        return y  # no table: scikit-learn says so
    if values.dtype.kind not in "OUST":
        return y
    values, any_text = values.astype(object), False
    for column in np.atleast_2d(values.T):
        texts = {cell for cell in column if isinstance(cell, str)}
        if not texts:
            continue
        any_text = True
        found = {text: _core.number_of_text(text) for text in texts}
        truths = sum(1 for read in found.values() if read is not None and read[1])
        numbers = sum(1 for read in found.values() if read is not None and not read[1] and read[0] == read[0])
        odd = sorted(text for text, read in found.items() if read is None or (truths and numbers and read[1]))
        if odd:
            raise UsageError(
                f"{what} holds text, such as {odd[0]!r:.80}.",
                "A network learns numbers: give one, or true and false (or yes and no) for two classes.",
            )
        column[:] = [found[cell][0] if isinstance(cell, str) else cell for cell in column]
    return values if any_text else y


def check_targets(estimator: Any, y: Any, what: str) -> np.ndarray:
    if y is None:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target y is None."
        )
    if sparse.issparse(y):
        raise UsageError(f"{what} is a sparse matrix.", "Give a dense array.")
    _refuse_times(y, what)
    y = _numbers_of_texts(y, what)
    if isinstance(getattr(y, "dtype", None), np.dtype) and y.dtype.kind == "O":
        y = np.asarray(y, dtype=object)
        y = np.where([value is None or type(value).__name__ == "NAType" for value in y.ravel()], np.nan, y.ravel()).reshape(y.shape)
    y = check_array(y, ensure_2d=False, dtype=FLOATS, ensure_all_finite=False, input_name=what, estimator=estimator)
    _refuse_not_finite(y, what, estimator.missing == "error")
    if len(y) and np.isnan(y).reshape(len(y), -1).any(axis=1).all():
        raise InputError(f"Every row of {what} has a missing target.", "Give some that are known.")
    return y


def check_fit(estimator: Any, X: Any, y: Any, reset: bool, model: _core.Model | None) -> tuple[Inputs, np.ndarray]:
    """X and y of a fit; ``model``: that which it goes on from."""
    inputs = check_inputs(estimator, X, reset, model)
    y = check_targets(estimator, y, "y")
    _check_lengths(inputs, y)
    return inputs, y


def check_rows(estimator: Any, X: Any, y: Any, what: str, model: _core.Model | None) -> tuple[Inputs, np.ndarray]:
    """Further rows with targets for an estimator whose columns are known."""
    inputs = check_inputs(estimator, X, False, model)
    y = check_targets(estimator, y, f"y of {what}")
    _check_lengths(inputs, y)
    return inputs, y


def _check_lengths(inputs: Inputs, y: np.ndarray) -> None:
    check_consistent_length(np.broadcast_to(0, inputs.rows), y)


def target_names(y: Any, inputs: list[str]) -> list[str]:
    """Names of the targets where y has them and they differ from each other and from the inputs'."""
    columns = getattr(y, "columns", None)
    given = list(columns) if columns is not None else [getattr(y, "name", None)]
    names = [name for name in given if isinstance(name, str) and name]
    distinct = len({*names, *inputs}) == len(names) + len(inputs)
    return names if distinct and len(names) == len(given) else []


def rows(
    estimator: Any,
    inputs: Inputs,
    y: np.ndarray,
    sample_weight: Any,
    names: list[str],
    like: _core.Model | _core.Rows | None = None,
) -> _core.Rows:
    """Rows for the core: of a training table, or of another one, read as that of a model or of rows was."""
    weights = None
    if sample_weight is not None:
        weights = readable(_check_sample_weight(sample_weight, y, dtype=np.float64, ensure_non_negative=True))
    if inputs.columns is None:
        known = [str(name) for name in getattr(estimator, "feature_names_in_", [])]
        return _core.Rows(inputs.array, readable(y), weights, known, names)
    outputs = y[:, None] if y.ndim == 1 else y
    count = outputs.shape[1]
    names = names or (["y"] if count == 1 else [f"y{k + 1}" for k in range(count)])
    targets = [Column(name, "numbers", readable(outputs[:, k])) for k, name in enumerate(names)]
    weight = [] if weights is None else [Column("weight", "numbers", weights)]
    table = _core.Table("X", inputs.rows, [column.entry() for column in (*inputs.columns, *targets, *weight)])
    options = reading_options(estimator)
    with _options.in_words_of_python():
        if like is None:
            return _core.training_rows(table, inputs.width, count, options)
        return _core.known_rows(table, inputs.width, count, like, options)


def evaluation_rows(
    estimator: Any, eval_set: Any, names: list[str], outputs: int, like: _core.Model | _core.Rows
) -> _core.Rows | None:
    """Rows to control the error on from ``(X, y)``, ``(X, y, weights)`` or a list of such tuples: its last one."""
    if eval_set is None:
        return None
    if isinstance(eval_set, list) and eval_set and all(isinstance(pair, tuple) for pair in eval_set):
        eval_set = eval_set[-1]
    if not isinstance(eval_set, tuple) or len(eval_set) not in (2, 3):
        raise UsageError(
            "eval_set is neither a tuple (X, y) nor a list of such tuples.",
            "Give validation rows as (X, y) or (X, y, weights); of a list the last ones control the error.",
        )
    inputs, y = check_rows(estimator, eval_set[0], eval_set[1], "eval_set", like)
    if (1 if y.ndim == 1 else y.shape[1]) != outputs:
        raise UsageError("The targets of eval_set have another number of columns than y.", "Give the same columns.")
    return rows(estimator, inputs, y, eval_set[2] if len(eval_set) == 3 else None, names, like)


def model_inputs(estimator: RFNNRegressor, X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Rows to predict as the network takes them, and the places of those that it cannot predict.

    What was filled in or not seen before is warned of.
    """
    numbers, incomplete = judged_inputs(estimator, X)
    if len(incomplete):
        warn(
            f"{len(incomplete):,} of {len(numbers):,} rows have missing cells and cannot be predicted: their predictions "
            'are NaN. missing="mean" fills them in.'
        )
    return numbers, incomplete


def judged_inputs(estimator: RFNNRegressor, X: Any) -> tuple[np.ndarray, np.ndarray]:
    """The same for who leaves out the rows that cannot be predicted: nothing is said of them."""
    check_is_fitted(estimator)
    inputs = check_inputs(estimator, X, False, estimator.model_)
    if inputs.columns is None:
        return inputs.array, np.empty(0, dtype=int)
    table = _core.Table("X", inputs.rows, [column.entry() for column in inputs.columns])
    with _options.in_words_of_python():
        numbers, incomplete, _, unseen = _core.model_inputs(table, estimator.model_, reading_options(estimator))
    if unseen:
        cells = "1 cell has" if unseen == 1 else f"{unseen:,} cells have"
        warn(f"{cells} a level that training has not seen: the mean over the levels stands in.")
    return numbers, np.array(incomplete, dtype=int)
