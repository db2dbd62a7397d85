"""Dask's collections as lists of partitions, and functions of partitions as collections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import dask.array as da
import numpy as np
from dask import delayed
from dask.base import is_dask_collection
from dask.delayed import Delayed
from distributed import Future

from .._errors import UsageError


def is_frame(X: Any) -> bool:
    return is_dask_collection(X) and hasattr(X, "map_partitions") and hasattr(X, "_meta")


def is_list(X: Any) -> bool:
    return isinstance(X, (list, tuple)) and len(X) > 0 and all(isinstance(part, (Delayed, Future)) for part in X)


def is_distributed(X: Any) -> bool:
    """A collection of Dask, or a list of delayed partitions?"""
    return is_dask_collection(X) or is_list(X)


def partitions(X: Any, what: str) -> list[Any]:
    """The partitions of a table, or of a column of it, as delayed values: of rows alone."""
    if is_list(X):
        return [delayed(part) if isinstance(part, Future) else part for part in X]
    if isinstance(X, da.Array):
        if X.ndim not in (1, 2):
            raise UsageError(f"{what} has {X.ndim} dimensions.", "Give one or two.")
        if X.ndim == 2 and len(X.chunks[1]) > 1:
            X = X.rechunk({1: -1})
        return list(X.to_delayed().ravel())
    if is_frame(X):
        # Not optimised: columns of one frame would be read apart, and Dask may give them other partitions.
        return list(X.to_delayed(optimize_graph=False))
    raise UsageError(
        f"{what} is a {type(X).__name__}, and no collection of Dask like X.",
        "Give all of them as Dask arrays or frames, or as lists of delayed partitions.",
    )


def alike(X: Any, other: Any, what: str) -> list[Any]:
    """Partitions of another table with as many rows as X in each."""
    if isinstance(other, da.Array) and isinstance(X, da.Array) and other.chunks[0] != X.chunks[0]:
        known = not any(np.isnan(size) for size in (*other.chunks[0], *X.chunks[0]))
        if known and sum(other.chunks[0]) == sum(X.chunks[0]):
            other = other.rechunk({0: X.chunks[0]})
        elif known:
            raise UsageError(f"X has {X.shape[0]} rows, {what} has {other.shape[0]}.", "Give as many of both.")
    parts = partitions(other, what)
    wanted = len(partitions(X, "X"))
    if len(parts) != wanted:
        raise UsageError(
            f"X has {wanted} partitions, {what} has {len(parts)}.", "Partition both alike, as columns of one frame are."
        )
    return parts


@dataclass(frozen=True)
class Shape:
    """What a function makes of each row: a number, or an array of numbers that have names as columns of a frame."""

    sizes: tuple[int, ...]
    names: Sequence[str]
    dtype: Any = np.float64


def mapped(function: Callable[..., np.ndarray], X: Any, shape: Shape, *given: Any) -> Any:
    """The function of every partition of X, lazily: an array for an array, a series or a frame for a frame."""
    if is_list(X):
        return [delayed(function)(part, *given) for part in X]
    if isinstance(X, da.Array):
        if X.ndim == 2 and len(X.chunks[1]) > 1:
            X = X.rechunk({1: -1})
        chunks = (X.chunks[0], *((size,) for size in shape.sizes))
        drop, new = ([], list(range(2, 1 + len(shape.sizes)))) if shape.sizes else (1, None)
        meta = np.empty((0,) * (1 + len(shape.sizes)), dtype=shape.dtype)
        return X.map_blocks(function, *given, dtype=shape.dtype, chunks=chunks, drop_axis=drop, new_axis=new, meta=meta)
    import pandas as pd

    empty = pd.Index([], dtype=X._meta.index.dtype, name=X._meta.index.name)
    columns = {name: pd.Series([], dtype=shape.dtype, index=empty) for name in shape.names}
    meta = pd.DataFrame(columns, index=empty) if shape.sizes else columns[shape.names[0]].rename(shape.names[0])
    return X.map_partitions(_framed, function, list(shape.names), bool(shape.sizes), *given, meta=meta)


def _framed(part: Any, function: Callable[..., np.ndarray], names: list[str], wide: bool, *given: Any) -> Any:
    """The function of a partition of a frame, with its index."""
    import pandas as pd

    values = function(part, *given)
    if not wide:
        return pd.Series(values, index=part.index, name=names[0])
    return pd.DataFrame(values.reshape(len(part), -1), index=part.index, columns=names)


def taken(values: Any, places: Sequence[int], names: Sequence[str], vector: bool) -> Any:
    """Of what `mapped` has made the columns at these places; ``vector``: the only one of them, as a vector."""
    if isinstance(values, list):
        return [delayed(_taken)(part, list(places), vector) for part in values]
    if isinstance(values, da.Array):
        return values[:, places[0]] if vector else values[:, list(places)]
    if vector:
        return values[values.columns[places[0]]].rename(names[0])
    chosen = values[[values.columns[place] for place in places]]
    return chosen.rename(columns=dict(zip(chosen.columns, names)))


def _taken(values: np.ndarray, places: list[int], vector: bool) -> np.ndarray:
    return values[:, places[0]] if vector else values[:, places]
