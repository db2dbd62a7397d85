"""Arrays, frames and weights into what the native core reads where it lies."""

from __future__ import annotations

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
    X = validate_data(estimator, X, reset=False, dtype=FLOATS)
    y = check_array(y, ensure_2d=False, dtype=FLOATS, input_name=f"y of {what}")
    check_consistent_length(X, y)
    return X, y


def evaluation_rows(estimator: Any, eval_set: Any, names: list[str], outputs: int) -> _core.Rows | None:
    """Rows to control the error on from ``(X, y)``, ``(X, y, weights)`` or a list with one such tuple."""
    if eval_set is None:
        return None
    if isinstance(eval_set, list) and len(eval_set) == 1:
        eval_set = eval_set[0]
    if not isinstance(eval_set, tuple) or len(eval_set) not in (2, 3):
        raise UsageError(
            "eval_set is not a pair (X, y).", "Give validation rows, or a list with one such pair; weights may follow."
        )
    X, y = check_rows(estimator, eval_set[0], eval_set[1], "eval_set")
    if (1 if y.ndim == 1 else y.shape[1]) != outputs:
        raise UsageError("The targets of eval_set have another number of columns than y.", "Give the same columns.")
    return rows(estimator, X, y, eval_set[2] if len(eval_set) == 3 else None, names)
