"""Columns of frames, arrays and lists in the few forms that the native core reads."""

from __future__ import annotations

import datetime
import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from ._errors import InputError, UsageError

FLOATS = [np.float64, np.float32]  # the first is what other numbers become
MISSING_TIME = np.iinfo(np.int64).min
_DAY = np.timedelta64(1, "D")
_CLOCKS = datetime.date, datetime.time  # a datetime is a date
_SPANS = datetime.timedelta, np.timedelta64


@dataclass(frozen=True)
class Column:
    """A column as ``_core.Table`` takes it.

    ``holds`` says what the cells are: "numbers", "booleans" (0 or 1), "texts" and "categories" (places in ``texts``),
    NaN where one is missing; "times" are counts of days (``form`` "date") or nanoseconds as int64, seen as float64.
    """

    name: str
    holds: str
    cells: np.ndarray
    texts: Sequence[str] = ()
    form: str = ""
    zoned: bool = False
    unit: str = ""

    def entry(self) -> tuple[Any, ...]:
        return self.name, self.holds, self.cells, list(self.texts), self.form, self.zoned, self.unit


def readable(array: np.ndarray) -> np.ndarray:
    """The array itself where the core can read it in place, else a copy."""
    if array.dtype not in FLOATS:
        array = array.astype(np.float64)
    if any(stride % array.itemsize for stride in array.strides) or not array.flags.aligned:
        array = array.copy()
    return array


def _missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating, Decimal, np.datetime64, np.timedelta64)) and bool(value != value)


def _text(value: Any) -> str:
    """A value as a CSV file would have it."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, (bool, np.bool_)):
        return "True" if value else "False"
    if isinstance(value, _CLOCKS):
        return value.isoformat()
    if isinstance(value, np.datetime64):
        return str(value)
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, (numbers.Real, Decimal)):
        return repr(float(value))
    if type(value).__name__ == "Period":
        return value.start_time.isoformat()
    if type(value).__name__ in ("Interval", "Timedelta"):
        return str(value)
    shown = repr(value)
    raise TypeError(
        "a cell of a table must be a string or a number, a date, a time or a truth value, not "
        f"{shown if len(shown) <= 80 else shown[:79] + '…'}. Give each part as a column."
    )


def _placed(name: str, values: Iterable[Any], holds: str = "texts") -> Column:
    """Values as places among those that differ."""
    places: dict[str, int] = {}
    try:
        cells = [np.nan if _missing(value) else places.setdefault(_text(value), len(places)) for value in values]
    except TypeError as error:
        raise TypeError(f"Column {name!r}: {error}") from None
    return Column(name, holds, np.array(cells, dtype=float), list(places))


def _of_times(name: str, values: np.ndarray, zoned: bool) -> Column:
    """Moments of NumPy. Those without a zone that are all midnights are dates."""
    days = values.astype("M8[D]")
    known = ~np.isnat(values)
    if not zoned and bool((days[known] == values[known]).all()):
        return Column(name, "times", days.astype(np.int64).view(np.float64), form="date")
    moments = values.astype("M8[ns]")
    if not bool((moments[known].astype(values.dtype) == values[known]).all()):
        raise InputError(
            f"Column {name!r} has moments beyond those that can be held to the nanosecond, from 1678 to 2261.",
            "Give dates without a time, or years as numbers.",
        )
    return Column(name, "times", moments.astype(np.int64).view(np.float64), form="date-time", zoned=zoned)


def _of_spans(name: str, values: np.ndarray) -> Column:
    return Column(name, "numbers", np.asarray(values / _DAY, dtype=float), unit="d")


def _kinds(values: Iterable[Any]) -> set[type]:
    """The types of the values that are not missing."""
    kinds = {kind for kind in set(map(type, values)) if kind.__name__ not in ("NoneType", "NAType", "NaTType")}
    floats = {kind for kind in kinds if issubclass(kind, (float, np.floating))}
    if floats != kinds and all(value != value for value in values if type(value) in floats):
        return kinds - floats
    return kinds


def _of_values(name: str, values: Any) -> Column:
    """Python's objects."""
    kinds = _kinds(values)
    every = lambda *bases: bool(kinds) and all(issubclass(kind, bases) for kind in kinds)
    floats = lambda: np.array([np.nan if _missing(value) else float(value) for value in values], dtype=float)
    if any(issubclass(kind, (complex, np.complexfloating)) for kind in kinds):
        raise ValueError("Complex data not supported")
    if every(bool, np.bool_):
        return Column(name, "booleans", floats())
    if every(*_SPANS):
        spans = [np.timedelta64("NaT", "ns") if _missing(value) else np.timedelta64(value).astype("m8[ns]") for value in values]
        return _of_spans(name, np.array(spans, dtype="m8[ns]"))
    if not kinds or (every(numbers.Real, Decimal, np.number) and not any(issubclass(kind, _SPANS) for kind in kinds)):
        return Column(name, "numbers", floats())
    return _placed(name, values)


def of_array(name: str, values: np.ndarray) -> Column:
    """A column from a vector of NumPy."""
    kind = values.dtype.kind
    if kind == "b":
        return Column(name, "booleans", values.astype(float))
    if kind in "iuf":
        return Column(name, "numbers", readable(values))
    if kind == "M":
        return _of_times(name, values, False)
    if kind == "m":
        return _of_spans(name, values)
    if kind == "c":
        raise ValueError("Complex data not supported")
    if kind == "V":
        raise UsageError(f"Column {name!r} holds records of several fields.", "Give each field as a column.")
    return _of_values(name, values.astype(object).tolist() if kind in "UST" else values)


def _of_pandas(name: str, series: Any) -> Column:
    import pandas as pd

    dtype = series.dtype
    if isinstance(dtype, pd.SparseDtype):
        return _of_pandas(name, series.sparse.to_dense())
    if isinstance(dtype, pd.CategoricalDtype):
        codes = series.cat.codes.to_numpy().astype(float)
        codes[codes < 0] = np.nan
        return Column(name, "categories", codes, [_text(level) for level in series.cat.categories])
    if isinstance(dtype, pd.DatetimeTZDtype):
        return _of_times(name, series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy(), True)
    if isinstance(dtype, pd.PeriodDtype):
        return _of_pandas(name, series.dt.to_timestamp())
    if isinstance(dtype, np.dtype):
        return of_array(name, series.to_numpy())
    if pd.api.types.is_bool_dtype(dtype):
        return Column(name, "booleans", series.to_numpy(dtype=float, na_value=np.nan))
    if pd.api.types.is_numeric_dtype(dtype):
        return Column(name, "numbers", series.to_numpy(dtype=float, na_value=np.nan))
    if pd.api.types.is_string_dtype(dtype):
        codes, texts = pd.factorize(series)
        return Column(name, "texts", np.where(codes < 0, np.nan, codes).astype(float), [str(text) for text in texts])
    return _of_values(name, series.to_numpy(dtype=object))


def _of_polars(name: str, series: Any) -> Column:
    import polars as pl

    dtype = series.dtype
    if dtype == pl.Boolean:
        return Column(name, "booleans", series.cast(pl.Float64).to_numpy())
    if dtype.is_numeric() or dtype == pl.Null:
        exact = dtype in (pl.Float32, pl.Float64) and series.null_count() == 0
        return Column(name, "numbers", readable((series if exact else series.cast(pl.Float64)).to_numpy()))
    if dtype.is_temporal():  # as the counts they are: not every version makes NumPy's times of them
        counts = series.cast(pl.Int64).fill_null(MISSING_TIME).to_numpy()
        if dtype == pl.Time:
            return Column(name, "times", counts.view(np.float64), form="time of day")
        unit = "D" if dtype == pl.Date else dtype.time_unit
        if dtype == pl.Duration:
            return _of_spans(name, counts.view(f"m8[{unit}]"))
        return _of_times(name, counts.view(f"M8[{unit}]"), getattr(dtype, "time_zone", None) is not None)
    if dtype in (pl.Categorical, pl.Enum):
        return _placed(name, series.cast(pl.String).to_list(), "categories")
    return _placed(name, series.to_list())


def library_of(X: Any) -> str:
    """The library that an object is from."""
    return type(X).__module__.partition(".")[0]


def is_frame(X: Any) -> bool:
    """A frame of pandas or polars?"""
    return library_of(X) in ("pandas", "polars") and hasattr(X, "columns")


def converted(X: Any) -> Any:
    """X itself, or a frame where it is a table that scikit-learn does not know: of pyarrow, records, or a lazy one."""
    if library_of(X) == "polars" and type(X).__name__ == "LazyFrame":
        return X.collect()
    arrow = library_of(X) == "pyarrow" and hasattr(X, "to_pandas")
    records = isinstance(X, np.ndarray) and X.ndim == 1 and X.dtype.names is not None
    if not arrow and not records:
        return X
    try:
        import pandas as pd
    except ImportError:
        raise UsageError("A table of this kind is read through pandas.", "Install it: pip install pandas.") from None
    return X.to_pandas() if arrow else pd.DataFrame({name: X[name] for name in X.dtype.names})


def _is_plain(X: Any) -> bool:
    """Nothing but numbers, for scikit-learn to check?"""
    if library_of(X) == "pandas" and hasattr(X, "columns"):
        return all(isinstance(dtype, np.dtype) and dtype.kind in "iufc" for dtype in X.dtypes)
    if library_of(X) == "polars" and hasattr(X, "columns"):
        return all(dtype.is_numeric() and X[name].null_count() == 0 for name, dtype in X.schema.items())
    return not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind in "biufc"


def _as_array(X: Any) -> Any:
    """Lists of rows with texts or times in them as an array of objects; else X itself."""
    if not isinstance(X, (list, tuple)) or len(X) == 0 or not isinstance(X[0], (list, tuple, np.ndarray)):
        return X
    odd = str, bytes, *_CLOCKS, *_SPANS, np.datetime64
    try:
        if any(isinstance(cell, odd) for row in X for cell in row):
            made = np.empty((len(X), len(X[0])), dtype=object)
            made[:] = [list(row) for row in X]
            return made
    except (TypeError, ValueError):
        pass  # no table: scikit-learn says so
    return X


def columns_of(X: Any, always: bool = False) -> tuple[Any, list[Column] | None]:
    """X as scikit-learn is to look at it, and its columns; None where they are numbers that are read as they lie.

    ``always``: also of numbers, where X is a frame or an array.
    """
    X = _as_array(converted(X))
    if not always and _is_plain(X):
        return X, None
    if is_frame(X):
        make = _of_pandas if library_of(X) == "pandas" else _of_polars
        column_at = (lambda k: X.iloc[:, k]) if library_of(X) == "pandas" else (lambda k: X[:, k])
        names = [name if isinstance(name, str) else f"x{k + 1}" for k, name in enumerate(X.columns)]
        return X, [make(name, column_at(k)) for k, name in enumerate(names)]
    if not isinstance(X, np.ndarray) or X.ndim != 2:
        return X, None
    columns = [of_array(f"x{k + 1}", X[:, k]) for k in range(X.shape[1])]
    if not always and all(column.holds == "numbers" and not column.unit for column in columns):
        return np.column_stack([column.cells for column in columns]) if columns else X, None
    return X, columns
