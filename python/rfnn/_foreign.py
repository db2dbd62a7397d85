"""Parquet, Feather and Arrow, recognised by their first bytes and read through pyarrow."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

from ._errors import InputError, UsageError

_ROWS = 1 << 14  # of a file that are in memory at a time while it is copied
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


def _pyarrow(path: str) -> Any:
    try:
        import pyarrow as pa
        import pyarrow.csv
        import pyarrow.feather
        import pyarrow.parquet
    except ImportError:
        raise UsageError(
            f"{path} is a {arrow_format(path)} file, and reading it needs pyarrow.", "Install it: pip install pyarrow."
        ) from None
    return pa


@contextlib.contextmanager
def _reading(path: str) -> Iterator[None]:
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path} cannot be read: {str(error).splitlines()[0]}", "Get a sound copy of it.") from None


def read_arrow(path: str) -> Any:
    """The table of such a file, as pyarrow has it."""
    pa, what = _pyarrow(path), arrow_format(path)
    with _reading(path):
        if what == "Parquet":
            return pa.parquet.read_table(path)
        if what == "Arrow stream":
            with pa.OSFile(path) as file:
                return pa.ipc.open_stream(file).read_all()
        return pa.feather.read_table(path)


def _batches(path: str) -> tuple[Any, Iterator[Any]]:
    """The schema of such a file, and its rows, some at a time."""
    pa, what = _pyarrow(path), arrow_format(path)
    if what == "Parquet":
        # Else whole row groups are read at once, a million rows as a rule.
        parquet = pa.parquet.ParquetFile(path, buffer_size=1 << 20, pre_buffer=False)
        return parquet.schema_arrow, parquet.iter_batches(_ROWS)
    if what == "Arrow stream":
        stream = pa.ipc.open_stream(pa.OSFile(path))
        return stream.schema, iter(stream)
    if what == "Arrow":
        file = pa.ipc.open_file(pa.memory_map(path))
        return file.schema, (file.get_batch(k) for k in range(file.num_record_batches))
    table = pa.feather.read_table(path)  # Feather's first version is of one piece
    return table.schema, iter(table.to_batches())


def _written(field: Any, path: str) -> Any:
    """A column's field in the CSV."""
    import pyarrow as pa

    kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    if pa.types.is_nested(kind):
        raise InputError(f"{path}: column {field.name!r} holds lists or records ({kind}).", "Give each part as a column.")
    numbers = pa.types.is_duration(kind) or pa.types.is_decimal(kind) or pa.types.is_floating(kind)
    return pa.field(field.name, pa.float64() if numbers else kind)


def _as_written(column: Any, kind: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_duration(column.type):  # in days
        nanoseconds = pc.cast(pc.cast(column, pa.duration("ns")), pa.int64())
        return pc.divide(pc.cast(nanoseconds, pa.float64(), safe=False), 86400e9)
    return pc.cast(column, kind)


def write_csv(path: str, place: str) -> None:
    """The same table as CSV that the command reads: numbers exactly, moments with their zone, levels as text.

    Some rows at a time are in memory, however many there are.
    """
    pa = _pyarrow(path)
    with _reading(path):
        given, batches = _batches(path)
    schema = pa.schema([_written(field, path) for field in given])
    try:
        with pa.csv.CSVWriter(place, schema) as writer:
            while True:
                with _reading(path):
                    if (batch := next(batches, None)) is None:
                        break
                for first in range(0, batch.num_rows, _ROWS):
                    some = batch.slice(first, _ROWS)
                    columns = [_as_written(column, field.type) for column, field in zip(some.columns, schema)]
                    writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))
    except OSError as error:
        raise InputError(f"{path} cannot be copied to {place}: {error}", "Make room, or name another folder in TMPDIR.") from None
