"""Passes over rows that lie in pieces on workers.

A pass is a call of every worker: it is told a message, does what the message asks for on its pieces, and returns sums, which
the client adds up in an order that follows from the number of pieces alone. What a worker holds is a function of its rows
and of the messages so far: where it is lost, another worker takes the rows, is told the messages that still show, and
the pass goes on.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from distributed import Future

from .. import _core
from .._errors import ClusterError
from . import _worker
from ._cluster import Cluster
from ._ordering import Described, Ordered, cut


@dataclass(eq=False)
class _Run:
    """Pieces [begin, end), on a worker: brought there, taken by a run, of which so many messages have been answered."""

    begin: int
    end: int
    worker: str
    staged: bool = False
    number: int | None = None


@dataclass
class Passes:
    """What ``_core.fit_pieces`` asks for passes."""

    cluster: Cluster
    ordered: Ordered
    described: Described
    threads: int | None
    fit: str = field(default_factory=lambda: uuid.uuid4().hex)

    def __post_init__(self) -> None:
        self._cuts = _core.piece_cuts(self.described.rows)
        self._about = (self.ordered.facts, _core.scales(self.described.model), self.ordered.weighted)
        self._weights: dict[int, float] = {}  # of pieces
        self._scales: list[float] = []
        self._runs: list[_Run] = []
        self._number = 0
        self._untold: list[tuple[int, bytes]] = []  # messages that some run has not answered
        self._losses = 0

    def begin(self, poll: Callable[[], bool]) -> None:
        """Places the pieces."""
        pieces = len(self._cuts) - 1
        self._runs = self._placed(0, pieces)
        while away := [run for run in self._runs if not run.staged]:
            self._move_lost(away)
            self._stage([run for run in self._runs if not run.staged], poll)
        mean = sum(self._weights[piece] for piece in range(pieces)) / self.described.rows
        for piece in range(pieces):
            count = self._cuts[piece + 1] - self._cuts[piece]
            self._scales.append(self._weights[piece] / count / mean if self.ordered.weighted else 1.0)

    def forget(self) -> None:
        """Frees what the workers hold."""
        self.cluster.tell(_worker.forget, self.fit)

    def __call__(
        self, message: bytes, log: Callable[[], list[bytes]], poll: Callable[[], bool], end: Callable[[Any], None]
    ) -> list[tuple[int, int, bytes]] | None:
        self._number += 1
        self._untold.append((self._number, message))
        self._losses = 0
        while True:
            try:
                return self._answers(log, poll)
            except KeyboardInterrupt as interrupt:
                end(interrupt)  # the run ends as soon as it may: what is asked for is asked again

    def _answers(self, log: Callable[[], list[bytes]], poll: Callable[[], bool]) -> list[tuple[int, int, bytes]] | None:
        found: dict[_Run, bytes] = {}
        while waiting := [run for run in self._runs if run not in found]:
            if not poll():
                return None
            if self._losses:
                self._move_lost(waiting)
                waiting = [run for run in self._runs if run not in found]
            if not self._open([run for run in waiting if run.number is None], log, poll):
                continue
            for run, answer in self._call(waiting, poll).items():
                run.number = None if answer is None else self._number
                if answer is None:
                    self._note_loss()
                else:
                    found[run] = answer
        self._untold = []
        return [(run.begin, run.end, found[run]) for run in sorted(found, key=lambda run: run.begin)]

    def _call(self, waiting: list[_Run], poll: Callable[[], bool]) -> dict[_Run, bytes | None]:
        """The answers of runs to the messages that they have not been told; not of those on workers that are lost."""
        runs: dict[str, list[_Run]] = {}
        for run in waiting:
            runs.setdefault(run.worker, []).append(run)
        bounds = {worker: [(run.begin, run.end) for run in some] for worker, some in runs.items()}
        known = min(run.number or 0 for run in waiting)
        untold = [(number, message) for number, message in self._untold if number > known]
        go_on = lambda: not self.cluster.lost(runs)
        told = self.cluster.called(list(runs), poll, go_on, _worker.answers, self.fit, bounds, untold)
        if told is None and self.cluster.lost(runs):
            self._note_loss()
        answers: dict[_Run, bytes | None] = {}
        for worker, answer in (told or {}).items():
            if isinstance(answer, OSError):  # nobody is there any more: the scheduler may not know yet
                self._note_loss()
                time.sleep(0.1 * self._losses)
            elif isinstance(answer, BaseException):
                raise answer
            else:
                answers.update(zip(runs[worker], answer))
        return answers

    def _ask(
        self, function: Callable[..., Any], given: dict[_Run, tuple[Any, ...]], poll: Callable[[], bool]
    ) -> dict[_Run, Any]:
        """What a function of the pieces of runs comes to; nothing where a worker is lost, or poll() is False."""
        futures = [self._submit(run.worker, function, run.begin, run.end, *more) for run, more in given.items()]
        return dict(zip(given, self._gathered(futures, given, poll)))

    def _submit(self, worker: str, function: Callable[..., Any], *given: Any) -> Future:
        return self.cluster.client.submit(
            function, self.fit, *given, workers=[worker], allow_other_workers=False, pure=False
        )

    def _gathered(self, futures: list[Future], runs: Iterable[_Run], poll: Callable[[], bool]) -> list[Any]:
        workers = {run.worker for run in runs}
        found = self.cluster.gathered(futures, poll, lambda: not self.cluster.lost(workers))
        if found is None and self.cluster.lost(workers):
            self._note_loss()
        return found or []

    def _note_loss(self) -> None:
        self._losses += 1
        if self._losses > 8 + 2 * len(self._runs):
            raise ClusterError(
                "Dask workers are lost again and again during one pass over the rows.",
                "Look into their logs. Workers that are out of memory need more of it, or should be more.",
            )

    def _placed(self, begin: int, end: int) -> list[_Run]:
        """Pieces [begin, end), shared among the workers in order, those with the fewest pieces first."""
        workers = self.cluster.some_workers()
        load = {worker: sum(run.end - run.begin for run in self._runs if run.worker == worker) for worker in workers}
        chosen = sorted(workers, key=lambda worker: load[worker])[: end - begin]
        cuts = [begin + (end - begin) * k // len(chosen) for k in range(len(chosen) + 1)]
        return [_Run(first, last, worker) for first, last, worker in zip(cuts, cuts[1:], chosen)]

    def _move_lost(self, runs: list[_Run]) -> None:
        """Gives pieces of lost workers to others."""
        lost = self.cluster.lost(run.worker for run in runs)
        for run in [run for run in runs if run.worker in lost]:
            self._runs.remove(run)
            self._runs.extend(self._placed(run.begin, run.end))

    def _stage(self, runs: list[_Run], poll: Callable[[], bool]) -> None:
        """Brings the pieces of runs to their workers."""
        pieces = [(run, piece) for run in runs for piece in range(run.begin, run.end)]
        futures = []
        for run, piece in pieces:
            where = cut(self.described.counts, self._cuts[piece], self._cuts[piece + 1])
            buckets = [self.described.buckets[bucket] for bucket, _, _ in where]
            slices = [(first, last) for _, first, last in where]
            futures.append(self._submit(run.worker, _worker.stage, piece, buckets, slices, self._about))
        for (_, piece), weight in zip(pieces, weights := self._gathered(futures, runs, lambda: poll() or True)):
            self._weights[piece] = weight
        for run in runs:
            run.staged = bool(weights)

    def _open(self, runs: list[_Run], log: Callable[[], list[bytes]], poll: Callable[[], bool]) -> bool:
        """Has runs take their pieces, and tells them what still shows of the messages so far."""
        if not runs:
            return True
        go_on = lambda: poll() or True
        self._stage([run for run in runs if not run.staged], go_on)
        if not all(run.staged for run in runs):
            return False
        told, messages = self._number - 1, log()
        given = {
            run: (self._scales[run.begin : run.end], self._cuts, self.threads, messages, told) for run in runs
        }
        opened = self._ask(_worker.open_run, given, go_on)
        for run in runs:
            run.staged = False
            if opened.get(run):
                run.number = told
            else:
                self._note_loss()
        return len(opened) == len(runs) and all(opened.values())
