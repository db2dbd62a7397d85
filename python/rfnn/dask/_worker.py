"""What workers do: functions of rows and of what they are told, which any worker may repeat."""

from __future__ import annotations

import asyncio
import pickle
import queue
import threading
import time
from typing import Any

import numpy as np

from .. import _core
from .._errors import InputError, UsageError

Part = tuple[np.ndarray, np.ndarray, np.ndarray | None]


def _numbers(values: Any, what: str) -> np.ndarray:
    """A partition as an array of float64 or float32, of one or two dimensions."""
    for name, dtype in _dtypes(values):
        if not is_number(dtype):
            column = what if name is None else f"Column {name!r} of {what}"
            raise UsageError(
                f"{column} holds {dtype}: over Dask columns have to be plain numbers.",
                "Make numbers of it with Dask, or fit a sample in memory with rfnn.RFNNRegressor, which takes any columns.",
            )
    if hasattr(values, "to_numpy") and not isinstance(values, np.ndarray):
        plain = all(isinstance(dtype, np.dtype) for _, dtype in _dtypes(values))
        values = values.to_numpy() if plain else values.to_numpy(dtype=np.float64, na_value=np.nan)
    array = np.asarray(values)
    if array.dtype not in (np.float64, np.float32):
        array = array.astype(np.float64)
    return np.ascontiguousarray(array)


def _dtypes(values: Any) -> list[tuple[Any, Any]]:
    if hasattr(values, "dtypes") and hasattr(values, "columns"):
        return list(zip(values.columns, values.dtypes))
    return [(None, getattr(values, "dtype", np.asarray(values).dtype))]


def is_number(dtype: Any) -> bool:
    if isinstance(dtype, np.dtype):
        return dtype.kind in "iuf"
    return getattr(dtype, "kind", "O") in "iuf" or str(dtype).lower().startswith(("int", "uint", "float", "double"))


def described(X: Any, y: Any) -> tuple[list[str] | None, int, list[str], int]:
    """Of a partition: names and number of its inputs, names of its targets, and their number, 0 for a vector."""
    names = list(X.columns) if hasattr(X, "columns") else None
    inputs, targets = _numbers(X, "X"), _numbers(y, "y")
    if inputs.ndim != 2:
        raise UsageError(f"A partition of X has {inputs.ndim} dimensions.", "Give tables, with a row per row.")
    given = list(y.columns) if hasattr(y, "columns") else [getattr(y, "name", None)]
    texts = [name for name in given if isinstance(name, str) and name]
    return names, inputs.shape[1], texts if len(texts) == len(given) else [], 0 if targets.ndim == 1 else targets.shape[1]


def part(X: Any, y: Any, weights: Any, number: int, names: list[str] | None, width: int, outputs: int) -> Part:
    """The numbers of a partition, checked to have the columns of the others."""
    inputs, targets = _numbers(X, "X"), _numbers(y, "y")
    there = list(X.columns) if hasattr(X, "columns") else None
    same = inputs.ndim == 2 and inputs.shape[1] == width and (names is None or there is None or there == names)
    if not same or targets.ndim != (2 if outputs else 1) or (outputs and targets.shape[1] != outputs):
        raise UsageError(
            f"Partition {number} (from 0) has other columns than the first.",
            "Give partitions of one table: the same inputs and targets, in the same order.",
        )
    if weights is not None:
        weights = _numbers(weights, "sample_weight").reshape(-1)
    for what, array in (("y", targets), ("sample_weight", weights)):
        if array is not None and len(array) != len(inputs):
            raise UsageError(
                f"Partition {number} (from 0) has {len(inputs)} rows of X, but {len(array)} of {what}.",
                f"Partition X and {what} alike.",
            )
    return inputs, targets, weights


def _rows(part: Part) -> _core.Rows:
    inputs, targets, weights = part
    return _core.Rows(inputs, targets, weights)


def look(part: Part) -> tuple[int, np.ndarray, bool]:
    """How many rows, between which values they lie, and whether all of them can be used."""
    inputs, targets, weights = part
    sound = bool(np.isfinite(inputs).all() and np.isfinite(targets).all())
    if weights is not None:
        sound = sound and bool((np.isfinite(weights) & (weights >= 0)).all())
    return len(inputs), _core.extents(_rows(part)), sound


def check(part: Part, facts: _core.TableFacts, before: int) -> None:
    """Says which row cannot be used, and why."""
    _core.check_part(_rows(part), facts, before)


def sort_out(part: Part, varies: list[bool], buckets: int) -> list[np.ndarray]:
    return _core.sort_out(_rows(part), varies, buckets)


def put_in_order(parts: list[np.ndarray], facts: _core.TableFacts, varies: list[bool]) -> np.ndarray:
    return _core.put_in_order(parts, facts, varies)


def counts(records: np.ndarray) -> tuple[int, int]:
    """Rows, and the rows of the table that they stand for."""
    return len(records), int(records[:, -1].sum())


def inputs_of(part: Part) -> np.ndarray:
    return part[0]


def targets_of(part: Part) -> np.ndarray:
    return part[1]


def fingerprint(columns: np.ndarray, so_far: tuple[bytes, str] | None, begin: list[int] | None) -> tuple[bytes, str]:
    return _core.fingerprint_part(columns, None if so_far is None else so_far[0], begin)


def same(value: Any) -> Any:
    return value


def describe(records: np.ndarray, rank: int, heard: list[list[bytes]], about: tuple[Any, ...]) -> tuple[Any, Any, Any]:
    """A round of the description: what there is to say, or None and the rows to train on and those held out."""
    facts, rows, ranks, options, start = about
    return _core.describe_records(records, rank, heard, facts, rows, ranks, options, None, start)


# Pieces that are held here. All of it can be made again: what nobody has touched for an hour, as its client is gone, is
# dropped.

_OLD = 3600.0
_ANSWER = 10.0  # seconds to wait for what the client says


class _Run:
    """Some pieces, one after the other, and how many messages they have been told."""

    def __init__(self, run: Any, number: int):
        self.lock = threading.Lock()
        self.run, self.number, self.answer, self.touched = run, number, b"", time.monotonic()


_lock = threading.Lock()
_staged: dict[tuple[str, int], tuple[Any, float]] = {}
_runs: dict[tuple[str, int, int], _Run] = {}
_ended: dict[str, float] = {}
_asked: dict[str, queue.SimpleQueue[float]] = {}


def _drop_old() -> None:
    before = time.monotonic() - _OLD
    with _lock:
        for key in [key for key, (_, touched) in _staged.items() if touched < before]:
            del _staged[key]
        for key in [key for key, run in _runs.items() if run.touched < before]:
            del _runs[key]
        for key in [key for key, touched in _ended.items() if touched < before]:
            del _ended[key]


def stage(fit: str, number: int, parts: list[np.ndarray], slices: list[tuple[int, int]], about: tuple[Any, ...]) -> float:
    """Keeps a piece here, until a run takes it; the sum of its weights."""
    facts, scales, weighted = about
    _drop_old()
    piece = _core.piece([part[first:last] for part, (first, last) in zip(parts, slices)], facts, scales, weighted)
    with _lock:
        _staged[fit, number] = piece, time.monotonic()
    return piece.weight


def open_run(
    fit: str, begin: int, end: int, scales: list[float], cuts: list[int], threads: int | None, log: list[bytes], number: int
) -> bool:
    """Takes the pieces staged here and tells them what others have been told. False where they are not here."""
    with _lock:
        if any((fit, piece) not in _staged for piece in range(begin, end)):
            return False
        pieces = [_staged.pop((fit, piece))[0] for piece in range(begin, end)]
    run = _core.run_of_pieces(begin, pieces, scales, cuts, threads or _own_threads())
    for message in log:
        run.answer(message)
    with _lock:
        _runs[fit, begin, end] = _Run(run, number)
    return True


def answer(fit: str, begin: int, end: int, messages: list[tuple[int, bytes]]) -> bytes | None:
    """What the last of the messages comes to on these pieces; None where they are not here, or have missed some."""
    with _lock:
        held = _runs.get((fit, begin, end))
    if held is None:
        return None
    with held.lock:
        held.touched = time.monotonic()
        for number, message in messages:
            if number <= held.number:
                continue  # it has been told, to a task of which the answer was lost
            if number != held.number + 1:
                return None
            try:
                held.answer = held.run.answer(message)
            except BaseException:
                with _lock:
                    _runs.pop((fit, begin, end), None)
                raise
            held.number = number
        return held.answer if held.number == messages[-1][0] else None


async def answers(
    fit: str, runs: dict[str, list[tuple[int, int]]], messages: list[tuple[int, bytes]], dask_worker: Any = None
) -> list[bytes | None]:
    """The same of the runs that this worker has, one after the other; ``runs``: by worker.

    Passes come beside Dask's tasks: a task takes the scheduler some milliseconds, and there are very many passes.
    """
    here = lambda: [answer(fit, begin, end, messages) for begin, end in runs[dask_worker.address]]
    return await asyncio.to_thread(here)


def forget(fit: str) -> None:
    with _lock:
        for key in [key for key in _staged if key[0] == fit]:
            del _staged[key]
        for key in [key for key in _runs if key[0] == fit]:
            del _runs[key]
        _ended.pop(fit, None)


def end(fit: str) -> None:
    """The training of preset auto is to end and return what it has."""
    with _lock:
        _ended[fit] = time.monotonic()


def hear(fit: str, seconds: float) -> None:
    """What a training here has asked the client for."""
    with _lock:
        if (asked := _asked.get(fit)) is not None:
            asked.put(seconds)


def room(dask_worker: Any = None) -> tuple[float | None, int]:
    """Bytes of memory that Dask lets this worker use, None where it sets no limit, and its threads."""
    return dask_worker.memory_manager.memory_limit, dask_worker.state.nthreads


def _own_threads() -> int:
    """Of the worker that this task runs on."""
    from distributed import get_worker

    return get_worker().state.nthreads


class _Reporter:
    """Tells the client of a training how it goes, five times a second."""

    def __init__(self, fit: str):
        from distributed import get_worker

        self._fit, self._worker, self._next = fit, get_worker(), 0.0

    def seconds(self, at_least: float) -> float:
        """Of the fit until now, by the clock of its client: the rows may have been long on their way here.

        They may also have been made again, as the worker that trained on them is lost.
        """
        asked: queue.SimpleQueue[float] = queue.SimpleQueue()
        with _lock:
            _asked[self._fit] = asked
        try:
            given_up = self._tell(begins=True)
            return at_least if given_up else max(at_least, asked.get(timeout=_ANSWER))
        except queue.Empty:
            return at_least
        finally:
            with _lock:
                _asked.pop(self._fit, None)

    def _tell(self, **message: Any) -> bool:
        self._worker.log_event(f"rfnn-{self._fit}", message)
        return self._fit in _ended

    def progress(self, now: _core.Progress) -> bool:
        time_now = time.monotonic()
        if time_now < self._next:
            return self._fit in _ended
        self._next = time_now + 0.2
        return self._tell(progress=pickle.dumps(now))

    def block(self, record: str) -> bool:
        return self._tell(block=record)

    def checkpoint(self, model: _core.Model) -> bool:
        return self._fit in _ended


def train(fit: str, parts: list[np.ndarray], most: int, about: dict[str, Any]) -> bytes:
    """Preset auto, on the first rows in order."""
    options = about["options"]
    if about["threads"] is None:
        options.set("threads", str(_own_threads()))
    given = about["validation"]
    validation = None if given is None else _core.Rows(*given)
    reporter = _Reporter(fit)
    seconds = reporter.seconds(about["seconds"])
    model, error = _core.fit_records(
        parts,
        most,
        about["facts"],
        about["in_all"],
        about["weighted"],
        options,
        validation,
        about["start"],
        reporter,
        about["named"],
        seconds,
        about["fingerprint"],
    )
    if error is not None:
        raise error
    return model.to_bytes()
