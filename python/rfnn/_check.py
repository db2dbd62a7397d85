"""What may be wrong with a table before anything is trained on it, as the command `rfnn check` finds it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import _check_sample_weight

from . import _columns, _core, _data, _options, _training
from ._assessment import Table
from ._columns import Column, readable
from ._cross_validation import _fresh
from ._errors import UsageError
from .estimator import RFNNRegressor


@dataclass(frozen=True)
class Findings:
    """What :func:`check` returns. Printed, it is what ``rfnn check`` prints.

    Attributes
    ----------
    problems : dict of ndarray
        ``column`` (empty: the table as a whole), ``kind``, ``count`` (cells or rows), ``row`` (the first, counted from 1
        as in messages; 0: no single one), ``text``, ``cure``, and ``refused``: does ``fit`` refuse the table for it?
        ``pandas.DataFrame(found.problems)`` is a table.

    refused : bool
        Would ``fit`` refuse the table?

    rows, inputs : int
        Rows, and inputs as the network sees them: a category is several.

    sampled_along : str or None
        The column along which rows are samples: the only one, the first time, or one in whose order all rows stand.

    highest_frequency : float or None
        The highest frequency along it that the sampling can show, in cycles per unit; per day along a time.

    seconds, memory_bytes : float
        What training may take, roughly.
    """

    problems: Table = field(repr=False)
    refused: bool
    rows: int
    inputs: int
    sampled_along: str | None
    highest_frequency: float | None
    seconds: float
    memory_bytes: float
    text: str = field(repr=False)

    def __str__(self) -> str:
        return self.text


def check(estimator: RFNNRegressor, X: Any, y: Any, *, sample_weight: Any = None) -> Findings:
    """Looks a table over before anything is trained on it: what is wrong with it, and what to do about it.

    It names every cell that cannot be read, columns that are constant, cut off, heavy-tailed, codes, dates packed into
    numbers or an image of the target, numbers that stand for missing cells, equal inputs with different targets, too
    few rows, the highest frequency that the sampling can show, and the time and memory that training may take. A
    problem is a question, not a verdict.

    Parameters
    ----------
    estimator : RFNNRegressor
        Whose parameters say how the table is read (``missing``, ``categorical``, ...) and what is to be trained. It is
        not fitted.

    X, y : array-like
        As ``fit`` takes them, whatever is wrong with them.

    sample_weight : array-like of shape (n_samples,), default=None

    Returns
    -------
    found : Findings

    Examples
    --------
    >>> import numpy as np, rfnn
    >>> X = np.c_[np.arange(60) % 7, np.ones(60)]
    >>> X[5, 0] = np.nan
    >>> found = rfnn.check(rfnn.RFNNRegressor(), X, X[:, 0] ** 2)
    >>> print(*found.problems["kind"])
    missing missing constant
    >>> found.refused
    True
    """
    estimator = _fresh(estimator)
    options = _training.options_of(estimator)
    inputs, targets = _columns_of(X, "X", "x"), [_as_texts(column) for column in _columns_of(y, "y", "y")]
    rows = len(inputs[0].cells)
    if len(targets[0].cells) != rows:
        raise UsageError(f"y has {len(targets[0].cells)} rows, X has {rows}.", "Give a target for every row.")
    weight = []
    if sample_weight is not None:
        values = _check_sample_weight(sample_weight, np.broadcast_to(0.0, (rows, 1)), dtype=np.float64)
        weight = [Column("weight", "numbers", readable(values))]
    _data._check_categorical(estimator, inputs)
    table = _core.Table("X", rows, [column.entry() for column in (*inputs, *targets, *weight)])
    with _options.in_words_of_python():
        told, text = _core.check_table(table, len(inputs), len(targets), options, _options.in_python)
    found = json.loads(told)
    problems = [{**problem, "row": problem["line"] or 0} for problem in found["problems"]]
    return Findings(
        problems={name: np.array([problem[name] for problem in problems]) for name in _PROBLEM},
        refused=any(problem["refused"] for problem in problems),
        text=text,
        **{name: found[name] for name in _FACTS},
    )


_PROBLEM = "column", "kind", "count", "row", "text", "cure", "refused"
_FACTS = "rows", "inputs", "sampled_along", "highest_frequency", "seconds", "memory_bytes"


def _as_texts(target: Column) -> Column:
    """Categories of a target by their texts, as a file has them: they may be truth values."""
    return replace(target, holds="texts") if target.holds == "categories" else target


def _columns_of(values: Any, what: str, stem: str) -> list[Column]:
    """The columns of a table, or of a vector, with all that is in them."""
    if values is None or sparse.issparse(values):
        raise UsageError(f"{what} is no table of columns.", "Give an array or a frame.")
    if _columns.library_of(values) in ("pandas", "polars") and hasattr(values, "to_frame"):  # a series
        values = values.to_frame()
    values, columns = _columns.columns_of(values, True)
    if columns is None:
        array = np.asarray(values)
        array = array[:, None] if array.ndim == 1 else array
        if array.ndim != 2:
            raise UsageError(f"{what} has {array.ndim} dimensions.", "Give a table of rows and columns.")
        columns = [_columns.of_array(stem, array[:, k]) for k in range(array.shape[1])]
    if not columns or not len(columns[0].cells):
        raise UsageError(f"{what} has no {'rows' if columns else 'columns'}.", "Give some.")
    given = list(values.columns) if _columns.is_frame(values) else [None] * len(columns)
    usual = [stem] if stem == "y" and len(columns) == 1 else [f"{stem}{k + 1}" for k in range(len(columns))]
    names = [name if isinstance(name, str) and name else other for name, other in zip(given, usual)]
    return [replace(column, name=name) for column, name in zip(columns, names)]
