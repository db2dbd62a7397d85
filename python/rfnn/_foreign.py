"""Parquet, Feather and Arrow, recognised by their first bytes and read through pyarrow."""

from __future__ import annotations

import os
from typing import Any

from ._errors import InputError, UsageError

_FORMATS = {b"PAR1": "Parquet", b"ARROW1": "Arrow", b"FEA1": "Feather", b"\xff\xff\xff\xff": "Arrow stream"}


def arrow_format(path: str) -> str | None:
    """Parquet, Arrow, Feather, Arrow stream, or None where the file is none of them or cannot be opened."""
    try:
        if not os.path.isfile(path):
            return None
        with open(path, "rb") as file:
            start = file.read(8)
    except OSError:
        return None
    return next((name for magic, name in _FORMATS.items() if start.startswith(magic)), None)


def read_arrow(path: str) -> Any:
    """The table of such a file, as pyarrow has it."""
    what = arrow_format(path)
    try:
        import pyarrow as pa
        import pyarrow.feather
        import pyarrow.parquet
    except ImportError:
        raise UsageError(f"{path} is a {what} file, and reading it needs pyarrow.", "Install it: pip install pyarrow.") from None
    try:
        if what == "Parquet":
            return pa.parquet.read_table(path)
        if what == "Arrow stream":
            with pa.OSFile(path) as file:
                return pa.ipc.open_stream(file).read_all()
        return pa.feather.read_table(path)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path} cannot be read: {str(error).splitlines()[0]}", "Get a sound copy of it.") from None


def write_csv(path: str, place: str) -> None:
    """The same table as CSV that the command reads: numbers exactly, moments with their zone, levels as text."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv

    table = read_arrow(path)
    columns = []
    for name, column in zip(table.column_names, table.columns):
        kind = column.type
        if pa.types.is_dictionary(kind):
            column = pa.chunked_array([chunk.dictionary_decode() for chunk in column.chunks], type=kind.value_type)
            kind = kind.value_type
        if pa.types.is_duration(kind):
            nanoseconds = pc.cast(pc.cast(column, pa.duration("ns")), pa.int64())
            column = pc.divide(pc.cast(nanoseconds, pa.float64(), safe=False), 86400e9)
        elif pa.types.is_decimal(kind) or pa.types.is_floating(kind):
            column = pc.cast(column, pa.float64())
        elif pa.types.is_nested(kind):
            raise InputError(f"{path}: column {name!r} holds lists or records ({kind}).", "Give each part as a column.")
        columns.append(column)
    pa.csv.write_csv(pa.table(columns, names=table.column_names), place)
