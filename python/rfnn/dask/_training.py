"""From an estimator's parameters and partitions to a trained network."""

from __future__ import annotations

import contextlib
import copy
import pickle
import queue
import time
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from dask import delayed

from .. import _core, _data, _options, _progress, _threads
from .. import _training as _in_memory
from .._callbacks import Watcher
from .._columns import readable
from .._errors import ClusterError, Error, UsageError
from . import _collections, _worker
from ._cluster import LOST, Cluster, current
from ._ordering import Ordered, cut, describe, order
from ._passes import Passes

if TYPE_CHECKING:
    from ._estimator import RFNNRegressor

# Of the memory that a worker may use what preset auto may take there: beside it are Python and its packages, 0.2 GB, and the
# rows as they came. Dask ends workers at 0.95.
_SHARE_OF_FIT = 0.4


def train(
    estimator: RFNNRegressor,
    X: Any,
    y: Any,
    sample_weight: Any,
    eval_set: Any,
    callbacks: Any,
    options: _core.Options,
    start: _core.Model | None,
) -> None:
    """Trains and leaves the network in the estimator."""
    began = time.monotonic()
    _check_options(estimator, options)
    with current() as client:
        _train(Cluster(client), began, estimator, X, y, sample_weight, eval_set, callbacks, options, start)


def _train(
    cluster: Cluster,
    began: float,
    estimator: RFNNRegressor,
    X: Any,
    y: Any,
    sample_weight: Any,
    eval_set: Any,
    callbacks: Any,
    options: _core.Options,
    start: _core.Model | None,
) -> None:
    display = _progress.display(_progress.level(estimator.verbose))
    model = None
    try:
        watcher = _Watcher(callbacks, display, began, float(options.get("max_time")))
        watcher.stage = "looking at the table"
        table = _Table(cluster, X, y, sample_weight, watcher.look)
        frame = _frame_like(table)
        _data.check_inputs(estimator, frame, start is None, start)
        columns = list(getattr(estimator, "feature_names_in_", []))
        names = table.target_names
        if len({*names, *columns}) != len(names) + len(columns):
            names = []
        if start is not None:
            names = start.targets
            if table.outputs != len(names):
                raise UsageError(
                    f"y has {table.outputs} columns, the network that is to go on has {len(names)}.",
                    "Give the same targets, or begin anew with warm_start=False.",
                )
        inputs = columns or [f"x{k + 1}" for k in range(table.width)]
        _options.set_input(options, "holdout_by", estimator.holdout_by, inputs)
        weights = sample_weight is not None
        facts = lambda rows: _core.TableFacts(columns, names, table.width, table.outputs, rows, weights)
        given = _validation(estimator, eval_set, table.outputs, start, cluster, watcher.look)
        fit = _Fit(cluster, options, given, start, watcher, bool(columns), estimator.n_jobs, began)
        watcher.stage = "bringing the rows in order"
        ordered = order(
            cluster, table.parts, facts, (table.width, table.outputs), sample_weight is not None, watcher.look
        )
        paper = options.get("preset") == "paper"
        model, error = fit.passes(ordered) if paper else fit.automatic(ordered)
    except Error as problem:
        raise _options.translated(problem) from None
    except Exception as problem:
        if cluster.lost_by(problem):
            raise ClusterError(*LOST) from problem
        raise
    finally:
        if display is not None:
            display.close(model)
    if model is not None:
        vars(estimator).update({"model_": model, "_vector_target": table.vector})
    if error is not None and cluster.lost_by(error):
        raise ClusterError(*LOST) from error
    if error is not None:
        raise error
    _in_memory._remark(estimator, model, [], model.warnings, _progress.level(estimator.verbose))


def _check_options(estimator: RFNNRegressor, options: _core.Options) -> None:
    for name in _options.reading():
        if name != "unseen" and getattr(estimator, name) != _options.table()[name].keyword_default:
            raise UsageError(
                f"{name}={getattr(estimator, name)!r} is for tables in memory: over Dask all columns are numbers, and none "
                "is missing.",
                "Drop or fill them with Dask, X.dropna() or X.fillna(value).",
            )
    if options.get("preset") == "paper" and options.get("memory") != "none":
        raise UsageError(
            "memory is for tables in memory and for preset auto: over Dask preset paper takes what its rows take.",
            "Leave it out. Dask's workers have limits of their own, memory_limit of LocalCluster.",
        )
    if options.get("preset") == "paper" and options.get("holdout") != "random":
        raise UsageError(
            f'holdout="{options.get("holdout")}" needs all rows in one place, and preset paper leaves them where they are.',
            'Leave holdout="random", or give an eval_set.',
        )


class _Table:
    """Partitions of inputs, targets and weights, and what is known of their columns."""

    def __init__(self, cluster: Cluster, X: Any, y: Any, weights: Any, poll: Callable[[], bool]):
        inputs = _collections.partitions(X, "X")
        targets = _collections.alike(X, y, "y")
        weighted = [None] * len(inputs) if weights is None else _collections.alike(X, weights, "sample_weight")
        if not inputs:
            raise UsageError("X has no partitions.", "Give a table with rows.")
        if all(_collections.is_frame(table) for table in (X, y)):
            known = _worker.described(X._meta, y._meta)
        elif isinstance(X, _collections.da.Array) and isinstance(y, _collections.da.Array):
            known = _worker.described(*(np.empty((0, *table.shape[1:]), dtype=table.dtype) for table in (X, y)))
        else:
            (known,) = cluster.results([cluster.client.compute(delayed(_worker.described)(inputs[0], targets[0]))], poll)
        self.names, self.width, self.target_names, outputs = known
        self.vector, self.outputs = outputs == 0, max(1, outputs)
        part = delayed(_worker.part)
        self.parts = [
            part(x, t, w, k, self.names, self.width, outputs) for k, (x, t, w) in enumerate(zip(inputs, targets, weighted))
        ]


def _frame_like(table: _Table) -> Any:
    """A row with the columns of the table, for scikit-learn to look at."""
    row = np.zeros((1, table.width))
    if table.names is None:
        return row
    import pandas as pd

    return pd.DataFrame(row, columns=table.names)


def _validation(
    estimator: Any,
    eval_set: Any,
    outputs: int,
    start: _core.Model | None,
    cluster: Cluster,
    poll: Callable[[], bool],
) -> tuple[Any, ...] | None:
    """Numbers of the rows to control the error on, gathered here."""
    if eval_set is None:
        return None
    if isinstance(eval_set, list) and eval_set and all(isinstance(pair, tuple) for pair in eval_set):
        eval_set = eval_set[-1]
    if not isinstance(eval_set, tuple) or len(eval_set) not in (2, 3):
        raise UsageError(
            "eval_set is neither a tuple (X, y) nor a list of such tuples.",
            "Give validation rows as (X, y) or (X, y, weights); of a list the last ones control the error.",
        )
    here = lambda part: cluster.results([cluster.client.compute(part)], poll)[0]
    X, y, *weights = (here(part) if _collections.is_dask_collection(part) else part for part in eval_set)
    inputs, targets = _data.check_rows(estimator, X, y, "eval_set", start)
    if (1 if targets.ndim == 1 else targets.shape[1]) != outputs:
        raise UsageError("The targets of eval_set have another number of columns than y.", "Give the same columns.")
    if inputs.array is None:
        raise UsageError("eval_set has columns that are no plain numbers.", "Give the columns that X has.")
    given = None if not weights or weights[0] is None else np.asarray(weights[0], dtype=float)
    return inputs.array, readable(targets), given


class _Watcher(Watcher):
    """Also tells what the cluster does before anything is trained, and ends it when the time is over."""

    def __init__(self, callbacks: Any, display: Any, began: float, max_time: float):
        super().__init__(callbacks, display, None)
        self.stage, self._began, self._max_time, self._next = "", began, max_time, 0.0
        self.before = 0.0  # seconds of the fit until the training began

    def look(self) -> bool:
        """Raises once max_time is over: before anything is trained there is nothing to keep."""
        now = time.monotonic()
        if 0 < self._max_time < now - self._began:
            raise ClusterError(
                f"max_time={self._max_time:g} was over before the training began (what was done then: {self.stage}).",
                "Give more time or more workers, or persist() the table first: it is read twice.",
            )
        if now >= self._next and not self.idle:
            self._next = now + 0.1
            progress = _core.Progress.__new__(_core.Progress)
            nan = float("nan")
            counts, numbers = [0, 0, 0, 0, 0], [0.0, nan, nan, 0.0, now - self._began]
            progress.__setstate__((self.stage, counts, numbers, [None, None, None]))
            super().progress(progress)
        return True

    def progress(self, now: _core.Progress) -> bool:
        """Of the training, which counts its own seconds."""
        stage, counts, numbers, maybe = now.__getstate__()
        told = _core.Progress.__new__(_core.Progress)
        told.__setstate__((stage, counts, [*numbers[:-1], numbers[-1] + self.before], maybe))
        return super().progress(told)


class _Fit:
    """A fit of rows that lie in order on a cluster."""

    def __init__(
        self,
        cluster: Cluster,
        options: _core.Options,
        validation: tuple[Any, ...] | None,
        start: _core.Model | None,
        watcher: _Watcher,
        named: bool,
        n_jobs: int | None,
        began: float,
    ):
        self._cluster, self._options, self._given, self._start = cluster, options, validation, start
        self._watcher, self._named, self._began = watcher, named, began
        self._threads = None if n_jobs is None else _threads.resolve(n_jobs)

    def _seconds(self) -> float:
        return time.monotonic() - self._began

    def passes(self, ordered: Ordered) -> tuple[_core.Model | None, BaseException | None]:
        """Preset paper: every pass over the rows is made where they are."""
        self._watcher.stage = "describing the columns"
        validation = None if self._given is None else _core.Rows(*self._given)
        look = self._watcher.look
        described = describe(self._cluster, ordered, self._options, validation, self._start, look)
        ordered.buckets = []
        passes = Passes(self._cluster, ordered, described, self._threads)
        try:
            self._watcher.stage = "placing the rows"
            passes.begin(look)
            self._watcher.before = self._seconds()
            return _core.fit_pieces(
                passes,
                described.model,
                described.target_varies,
                ordered.weighted,
                described.held_out,
                ordered.facts,
                described.rows,
                self._options,
                validation,
                self._start,
                None if self._watcher.idle else self._watcher,
                self._named,
                self._watcher.before,
                ordered.fingerprint,
            )
        finally:
            passes.forget()

    def automatic(self, ordered: Ordered) -> tuple[_core.Model | None, BaseException | None]:
        """Preset auto: the first rows in order come to one worker, which trains on them."""
        client, fit, events = self._cluster.client, uuid.uuid4().hex, queue.SimpleQueue[dict[str, Any]]()
        most = self._rows_used(ordered)
        parts = [ordered.buckets[bucket] for bucket, _, _ in cut(ordered.counts, 0, most)]
        about = {
            "facts": ordered.facts, "in_all": ordered.rows, "weighted": ordered.weighted, "options": self._options,
            "threads": self._threads, "validation": self._given, "start": self._start, "named": self._named,
            "seconds": self._seconds(), "fingerprint": ordered.fingerprint,
        }  # fmt: skip

        def begins() -> None:
            self._watcher.before = self._seconds()
            self._cluster.tell(_worker.hear, fit, self._watcher.before)

        topic, told = f"rfnn-{fit}", _Told(self._watcher, events, begins)
        self._watcher.stage = "bringing the rows to one worker"
        client.subscribe_topic(topic, lambda event: events.put(event[1]))
        leave = _worker.end  # also for a worker that takes up what has been given up here
        try:
            future = client.submit(_worker.train, fit, parts, most, about, pure=False)
            ordered.buckets = []
            while True:
                try:
                    found = self._cluster.gathered([future], told.look)
                    if found is not None:
                        break
                    self._cluster.tell(_worker.end, fit)
                except KeyboardInterrupt as interrupt:
                    told.end(interrupt)
            told.drain()
            leave = _worker.forget
            return _core.Model.from_bytes(found[0]), told.error
        finally:
            with contextlib.suppress(Exception):  # why the fit has ended is what is to be told
                client.unsubscribe_topic(topic)
            self._cluster.tell(leave, fit)

    def _rows_used(self, ordered: Ordered) -> int:
        """Of preset auto: fewer than usual where the worker with the least memory has no room for them."""
        rooms = self._cluster.rooms()
        threads = self._threads or max((threads for _, threads in rooms), default=1)
        used = lambda options: _core.rows_used(ordered.facts, ordered.rows, options, threads)
        usual, limits = used(self._options), [limit for limit, _ in rooms if limit]
        if self._options.get("memory") != "none" or not limits:
            return usual
        limited = copy.copy(self._options)
        limited.set("memory", f"{_SHARE_OF_FIT * min(limits) / 1e6:.0f}MB")
        most = used(limited)
        if most < usual:
            self._options = limited
        return most


class _Told:
    """What the worker that trains tells, for the watcher, and whether somebody wants to end the training.

    ``begins`` is called when a worker has the rows and is about to train.
    """

    def __init__(self, watcher: _Watcher, events: queue.SimpleQueue[dict[str, Any]], begins: Callable[[], None]):
        self._watcher, self._events, self._begins = watcher, events, begins
        self._trains = False
        self.error: BaseException | None = None
        self._ended = False
        self._told = 0.0

    def end(self, error: BaseException | None) -> None:
        self.error = self.error or error
        self._ended = True

    def look(self) -> bool:
        """False every second from when the training is to end."""
        self.drain()
        if not self._trains and not self._ended:
            self._watcher.look()
        now = time.monotonic()
        if not self._ended or now - self._told < 1.0:
            return True
        self._told = now
        return False

    def drain(self) -> None:
        while True:
            try:
                event = self._events.get_nowait()
            except queue.Empty:
                return
            if "begins" in event:
                self._trains = True
                self._begins()
                continue
            if self._ended:
                continue
            try:
                if "block" in event:
                    stop = self._watcher.block(event["block"])
                else:
                    stop = self._watcher.progress(pickle.loads(event["progress"]))
            except Exception as error:  # a callback's: the fit ends, and it is raised then
                self.end(error)
            else:
                self._ended = self._ended or stop
