"""Arrays, frames and weights into what the native core reads where it lies."""

from __future__ import annotations

import datetime
import os
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import _check_sample_weight, check_array, check_consistent_length, validate_data

from . import _core
from ._errors import UsageError

FLOATS = [np.float64, np.float32]  # the first is what other numbers become


def readable(array: np.ndarray) -> np.ndarray:
    """The array itself where the core can read it in place, else a copy."""
    if array.dtype not in FLOATS:
        array = array.astype(np.float64)
    if any(stride % array.itemsize for stride in array.strides) or not array.flags.aligned:
        array = array.copy()
    return array


def path_of(path: Any) -> str:
    """A path as text, from text, bytes or a path-like object."""
    try:
        return os.fsdecode(path)
    except TypeError:
        raise UsageError(
            f"An object of type {type(path).__name__} is no path.",
            "Give the name of a file. pickle.dump(model, file) writes to an open one.",
        ) from None


_CURES = {  # what makes days of dates, per library
    "pandas": '(X["{0}"] - X["{0}"].min()) / pandas.Timedelta("1D")',
    "polars": '(X["{0}"] - X["{0}"].min()).dt.total_seconds() / 86400',
    "numpy": '(dates - dates.min()) / numpy.timedelta64(1, "D")',
}


_TIMES = datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64


def _is_temporal(column: Any) -> bool:
    """Does a column of an array or frame hold dates, times or spans of time?"""
    dtype = column.dtype
    if getattr(dtype, "kind", "") in ("m", "M") or getattr(dtype, "is_temporal", lambda: False)():
        return True
    if getattr(dtype, "kind", "") != "O":
        return False
    first = column.dropna()[:1] if hasattr(column, "dropna") else column[:1]
    return any(isinstance(value, _TIMES) or type(value).__name__ == "Period" for value in first)


def _columns(X: Any) -> tuple[str, list[tuple[str, Any]]]:
    """The library that X is from and those of its columns that may hold dates, with their names."""
    library = type(X).__module__.partition(".")[0]
    if library == "pandas" and hasattr(X, "columns"):
        return library, [(f'"{name}"', X.iloc[:, k]) for k, name in enumerate(X.columns)]
    if library == "polars" and hasattr(X, "columns"):
        return library, [(f'"{name}"', X[name]) for name in X.columns]
    if library in ("pandas", "polars") and hasattr(X, "dtype"):
        return library, [(f'"{X.name}"', X)]
    if isinstance(X, (list, tuple)) and len(X) > 0:  # a look at the first row
        first = X[0] if isinstance(X[0], (list, tuple)) else X[:1]
        X = np.array([first], dtype=object) if any(isinstance(value, _TIMES) for value in first) else X
    if isinstance(X, np.ndarray) and X.dtype.kind in "mMO" and X.ndim in (1, 2):
        return "numpy", [(str(k), column) for k, column in enumerate([X] if X.ndim == 1 else X.T)]
    return library, []


def refuse_dates(X: Any, what: str) -> None:
    """Refuses dates, which scikit-learn would take for the number of their nanoseconds."""
    library, columns = _columns(X)
    for name, column in columns:
        if _is_temporal(column):
            raise UsageError(
                f"Column {name} of {what} holds dates or times ({column.dtype}), and rfnn reads numbers.",
                f"Convert it, to days since the first one for instance: {_CURES[library].format(name.strip(chr(34)))}.",
            )


def target_names(y: Any, inputs: list[str]) -> list[str]:
    """Names of the targets where y has them and they differ from each other and from the inputs'."""
    columns = getattr(y, "columns", None)
    given = list(columns) if columns is not None else [getattr(y, "name", None)]
    names = [name for name in given if isinstance(name, str) and name]
    distinct = len({*names, *inputs}) == len(names) + len(inputs)
    return names if distinct and len(names) == len(given) else []


def check_fit(estimator: Any, X: Any, y: Any, reset: bool) -> tuple[np.ndarray, np.ndarray]:
    """X and y checked as scikit-learn does, without a copy where they are floats."""
    if sparse.issparse(y):
        raise UsageError("y is a sparse matrix.", "Give a dense array.")
    refuse_dates(X, "X")
    refuse_dates(y, "y")
    X, y = validate_data(estimator, X, y, reset=reset, dtype=FLOATS, multi_output=True, y_numeric=True)
    return X, y


def rows(estimator: Any, X: np.ndarray, y: np.ndarray, sample_weight: Any, names: list[str]) -> _core.Rows:
    """Rows for the core."""
    weights = None
    if sample_weight is not None:
        weights = readable(_check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True))
    inputs = [str(name) for name in getattr(estimator, "feature_names_in_", [])]
    return _core.Rows(readable(X), readable(y), weights, inputs, names)


def check_rows(estimator: Any, X: Any, y: Any, what: str) -> tuple[np.ndarray, np.ndarray]:
    """Further rows with targets for an estimator whose columns are known."""
    refuse_dates(X, f"X of {what}")
    refuse_dates(y, f"y of {what}")
    X = validate_data(estimator, X, reset=False, dtype=FLOATS)
    y = check_array(y, ensure_2d=False, dtype=FLOATS, input_name=f"y of {what}")
    check_consistent_length(X, y)
    return X, y


def evaluation_rows(estimator: Any, eval_set: Any, names: list[str], outputs: int) -> _core.Rows | None:
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
    X, y = check_rows(estimator, eval_set[0], eval_set[1], "eval_set")
    if (1 if y.ndim == 1 else y.shape[1]) != outputs:
        raise UsageError("The targets of eval_set have another number of columns than y.", "Give the same columns.")
    return rows(estimator, X, y, eval_set[2] if len(eval_set) == 3 else None, names)
