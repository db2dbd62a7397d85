"""Tables from files: what the command reads by the core, Parquet, Feather and Arrow by pyarrow."""

from __future__ import annotations

import datetime
import os
from typing import Any

import numpy as np

from . import _core, _options
from ._data import path_of
from ._errors import UsageError
from ._foreign import arrow_format, read_arrow

_MICROSECONDS = 1000


def _times(values: np.ndarray, form: str, zoned: bool) -> Any:
    import pandas as pd

    counts = values.view(np.int64)
    if form == "date":
        return pd.Series(counts.astype("M8[D]").astype("M8[s]"))
    if form == "date-time":
        moments = pd.Series(counts.view("M8[ns]"))
        return moments.dt.tz_localize("UTC") if zoned else moments
    midnight = datetime.datetime(2000, 1, 1)
    missing = np.isnat(counts.view("m8[ns]"))
    clock = lambda count: (midnight + datetime.timedelta(microseconds=int(count) // _MICROSECONDS)).time()
    return pd.Series([None if gone else clock(count) for count, gone in zip(counts, missing)], dtype=object)


def _column(kind: str, values: np.ndarray, levels: list[str], form: str, zoned: bool) -> Any:
    import pandas as pd

    if kind == "time":
        return _times(values, form, zoned)
    if kind == "category":
        codes = np.where(np.isnan(values), -1, values).astype(int)
        return pd.Series(pd.Categorical.from_codes(codes, categories=levels))
    if kind == "boolean":
        known = ~np.isnan(values)
        return pd.Series(values == 1.0 if known.all() else pd.array(np.where(known, values == 1.0, None), dtype="boolean"))
    return pd.Series(values)


def read_table(
    path: str | bytes | os.PathLike[Any],
    *,
    header: str = "auto",
    delimiter: str = "auto",
    decimal: str = ".",
    comment: str = "none",
    missing_values: Any = None,
    categorical: Any = None,
) -> Any:
    """A table from a file as a frame of pandas, its columns as ``rfnn fit`` takes them.

    What a file is is decided by its first bytes: CSV (also gzipped), NPY and NPZ as the command reads them; Parquet,
    Feather and Arrow through pyarrow.

    Parameters
    ----------
    path : str, bytes or path-like

    header, delimiter, decimal, comment
        How a text table is to be understood, as the options of the command.

    missing_values : str or list, default=None
        Words and numbers that mark a missing cell, beside an empty one, NA, NaN, null and ?.

    categorical : str or list, default=None
        Columns whose values are categories although they are numbers.

    Returns
    -------
    frame : pandas.DataFrame
        Times are moments of pandas (of UTC where they had zones), texts categories, truth values booleans; missing
        cells are missing.
    """
    name = path_of(path)
    try:
        import pandas as pd
    except ImportError:
        raise UsageError("Frames of pandas need pandas.", "Install it: pip install pandas.") from None
    if arrow_format(name):
        return read_arrow(name).to_pandas()
    given = {"header": header, "delimiter": delimiter, "decimal": decimal, "comment": comment}
    options, _ = _options.build({**given, "missing_values": missing_values, "categorical": categorical})
    columns = _core.read_table(name, options)
    made = {
        column: _column(kind, cells[:, 0], levels, form, zoned) for column, kind, cells, levels, form, zoned in columns
    }
    return pd.DataFrame(made)
