"""From the partitions of a table to its rows in the order of a fit, which follows from their numbers.

Every stage is a map over partitions or over buckets of rows; only counts, extents and sums come to the client.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from dask import delayed
from distributed import Future

from .. import _core
from .._errors import InputError
from . import _worker
from ._cluster import Cluster, translated

_BUCKET_ROWS = 131072
_MOST_MOVES = 50000  # of pieces of partitions to buckets: each is a task


@dataclass
class Ordered:
    """The rows in order, in buckets that stay on the workers."""

    facts: _core.TableFacts
    buckets: list[Future]
    counts: list[int]
    weighted: bool
    fingerprint: str

    @property
    def rows(self) -> int:
        return sum(self.counts)


def order(
    cluster: Cluster,
    parts: list[Any],
    make_facts: Callable[[int], _core.TableFacts],
    columns: tuple[int, int],
    weights_given: bool,
    poll: Callable[[], bool],
) -> Ordered:
    """``parts``: delayed, as ``_worker.part`` makes them. ``make_facts``: of the number of rows."""
    client = cluster.client
    looked = cluster.results(client.compute([delayed(_worker.look)(part) for part in parts]), poll)
    lengths = [length for length, _, _ in looked]
    facts = make_facts(sum(lengths))
    if not facts.rows:
        raise InputError("The data have no rows.", "Give at least one row.")
    for number, (_, _, sound) in enumerate(looked):
        if not sound:
            before = sum(lengths[:number])
            cluster.results([client.compute(delayed(_worker.check)(parts[number], facts, before))], poll)
    low = np.min([extents[:, 0] for _, extents, _ in looked], axis=0)
    high = np.max([extents[:, 1] for _, extents, _ in looked], axis=0)
    varies = _core.columns_vary(np.ascontiguousarray(np.column_stack([low, high])))

    workers = max(1, len(cluster.workers()))
    wanted = max(facts.rows // _BUCKET_ROWS + 1, min(workers, facts.rows // 4096 + 1))
    count = max(1, min(wanted, max(workers, _MOST_MOVES // len(parts))))
    sorted_out = [delayed(_worker.sort_out)(part, varies, count) for part in parts]
    put_in_order = delayed(_worker.put_in_order)
    buckets = [put_in_order([part[b] for part in sorted_out], facts, varies) for b in range(count)]
    hashed = _fingerprint(parts, facts.rows, columns)
    *kept, mark = client.compute([*buckets, hashed])
    summed = client.map(_worker.counts, kept, pure=False)
    *told, (_, fingerprint) = cluster.results([*summed, mark], poll)
    rows = [rows for rows, _ in told]
    if not sum(rows):
        raise InputError("All rows of the data have weight 0.", "Give at least one row a weight above 0.")
    weighted = weights_given or sum(behind for _, behind in told) != sum(rows)
    return Ordered(facts, kept, rows, weighted, fingerprint)


def _fingerprint(parts: list[Any], rows: int, columns: tuple[int, int]) -> Any:
    """The fingerprint of the table as it is listed: part after part, first the inputs and then the targets."""
    so_far: Any = None
    for pick, width in zip((_worker.inputs_of, _worker.targets_of), columns):
        begin: list[int] | None = [rows, width]
        for part in parts:
            so_far = delayed(_worker.fingerprint)(delayed(pick)(part), so_far, begin)
            begin = None
    return so_far


@dataclass
class Described:
    """What preset paper trains on."""

    model: _core.Model
    target_varies: bool
    held_out: np.ndarray | None
    buckets: list[Future]
    counts: list[int]

    @property
    def rows(self) -> int:
        return sum(self.counts)


def describe(
    cluster: Cluster,
    ordered: Ordered,
    options: _core.Options,
    validation: _core.Rows | None,
    start: _core.Model | None,
    poll: Callable[[], bool],
) -> Described:
    """Columns, scales and rows to hold out, in rounds: each bucket tells all others what they need to know of it.

    The client is the first of them, without rows.
    """
    client, buckets = cluster.client, ordered.buckets
    ranks = len(buckets) + 1
    about = (ordered.facts, ordered.rows, ranks, options, start)
    holds_out = validation is None and float(options.get("validation_fraction")) > 0
    heard: list[list[bytes]] = []
    while True:
        says, model, varies = _core.describe_records(
            None, 0, heard, ordered.facts, ordered.rows, ranks, options, validation, start
        )
        known = client.submit(_worker.same, list(heard), pure=False)  # once, and it can be made again
        rounds = client.map(_worker.describe, buckets, range(1, ranks), heard=known, about=about, pure=False)
        if says is None:
            break
        heard.append([says, *cluster.results(client.map(_first, rounds, pure=False), poll)])
    if not holds_out or not model.validation_rows:
        return Described(model, varies, None, buckets, ordered.counts)
    train, held = client.map(_second, rounds, pure=False), client.map(_third, rounds, pure=False)
    counts = [rows for rows, _ in cluster.results(client.map(_worker.counts, train, pure=False), poll)]
    held_out = np.concatenate(cluster.results(held, poll))
    return Described(model, varies, held_out, train, counts)


def _first(told: tuple[Any, ...]) -> Any:
    return told[0]


def _second(told: tuple[Any, ...]) -> Any:
    return told[1]


def _third(told: tuple[Any, ...]) -> Any:
    return told[2]


def cut(counts: list[int], begin: int, end: int) -> list[tuple[int, int, int]]:
    """Rows [begin, end) of all as numbers of buckets, with the first row in each and the one behind the last."""
    found, before = [], 0
    for bucket, count in enumerate(counts):
        first, last = max(begin, before), min(end, before + count)
        if first < last:
            found.append((bucket, first - before, last - before))
        before += count
    return found
