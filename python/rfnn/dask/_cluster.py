"""Waiting for a cluster: with a look at who wants to end the fit, and at whether anybody is still at work."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from typing import Any

from distributed import Client, Future, get_client, get_worker, worker_client
from distributed.comm import CommClosedError
from distributed.scheduler import KilledWorker

from .._errors import ClusterError, Error, UsageError
from . import _worker

_LOOK = 0.05  # seconds between two looks at who wants to end the fit
_CHECK = 0.5  # and at which workers there are
_PATIENCE = 60.0  # seconds without any worker
_PAUSED = 30.0  # seconds that a worker may be without room for more
_ANSWER = 5.0  # seconds that a worker has for something small: one that hangs is waited for no longer

LOST = "The connection to the Dask scheduler is lost.", "Connect again, and fit again."


@contextlib.contextmanager
def current() -> Iterator[Client]:
    """The client of this place; UsageError where there is none. A task of a worker leaves its slot to others meanwhile: it is they who are waited for."""
    try:
        get_worker()
    except ValueError:
        pass  # no task
    else:
        with worker_client() as client:
            yield client
        return
    try:
        client = get_client()
    except ValueError:
        raise UsageError(
            "There is no Dask client.",
            "Make one first: from dask.distributed import Client; client = Client(), or Client(address) of a cluster.",
        ) from None
    yield client


def has_client() -> bool:
    """Is there a client, so that what is computed is computed on its cluster?"""
    try:
        get_client()
    except ValueError:
        return False
    return True


class Cluster:
    """A client, and which of its workers are at work."""

    def __init__(self, client: Client):
        self.client = client
        self._checked, self._seen = 0.0, time.monotonic()
        self._workers: dict[str, int] = {}
        self._missing: dict[str, float] = {}

    def workers(self) -> dict[str, int]:
        """Addresses and threads of the workers that take tasks, as of half a second ago."""
        now = time.monotonic()
        if now - self._checked > _CHECK or not self._workers:
            self._workers = self._ask("ncores_running")
            self._checked = time.monotonic()
            if self._workers:
                self._seen = self._checked
        return self._workers

    def _ask(self, what: str, patience: float = _PATIENCE) -> dict[str, int]:
        if self.client.status not in ("running", "connecting"):
            raise ClusterError(*LOST)

        async def asked() -> dict[str, int]:
            return await getattr(self.client.scheduler, what)(workers=None)

        try:
            job = asyncio.run_coroutine_threadsafe(asked(), self.client.loop.asyncio_loop)
            return dict(job.result(patience))
        except (OSError, TimeoutError) as error:
            raise ClusterError(f"The Dask scheduler does not answer: {error}.", "Connect again, and fit again.") from error

    def lost_by(self, error: BaseException) -> bool:
        """Is this what becomes of a fit whose scheduler is gone? Dask fails in many ways then."""
        if isinstance(error, Error) or not isinstance(error, Exception):
            return False
        return isinstance(error, CommClosedError) or self.client.status not in ("running", "connecting")

    def check(self) -> None:
        """Refuses to wait for nobody."""
        if not self.workers() and time.monotonic() - self._seen > _PATIENCE:
            raise ClusterError(
                f"For {_PATIENCE:.0f} s no Dask worker has taken tasks: there is none any more, or all are out of memory.",
                "Start more workers, with more memory, and fit again.",
            )

    def lost(self, workers: Iterable[str]) -> set[str]:
        """Those that are gone, or have had no room for tasks for long while others have."""
        running = self.workers()
        away = set(workers) - set(running)
        if not away:
            self._missing.clear()
            return set()
        there, now = self._ask("ncores"), time.monotonic()
        for worker in away:
            self._missing.setdefault(worker, now)
        return {worker for worker in away if worker not in there or (running and now - self._missing[worker] > _PAUSED)}

    def gathered(
        self, futures: Sequence[Future], poll: Callable[[], bool], check: Callable[[], bool] = lambda: True
    ) -> list[Any] | None:
        """What they come to; None where poll() is False, or check(), which is asked now and then."""
        failed = lambda: next((future for future in futures if future.status in ("error", "cancelled")), None)

        async def gather() -> list[Any]:  # "skip": else the client prints what other futures have failed with
            return await self.client.gather(list(futures), errors="skip", asynchronous=True)

        found = self._waited(gather(), poll, lambda: failed() is None and check())
        if (one := failed()) is not None:
            with translated():
                one.result()
        return found

    def called(
        self,
        workers: Sequence[str],
        poll: Callable[[], bool],
        check: Callable[[], bool],
        function: Callable[..., Any],
        *given: Any,
    ) -> dict[str, Any] | None:
        """What a function comes to on workers, or the exception that it has ended with there; None as above."""

        async def call() -> dict[str, Any]:
            return await self.client.run(function, *given, workers=workers, on_error="return", asynchronous=True)

        return self._waited(call(), poll, check)

    def _waited(self, work: Coroutine[Any, Any, Any], poll: Callable[[], bool], check: Callable[[], bool]) -> Any:
        job = asyncio.run_coroutine_threadsafe(work, self.client.loop.asyncio_loop)
        next_check = time.monotonic() + _CHECK
        try:
            while True:
                try:
                    with translated():
                        return job.result(_LOOK)
                except TimeoutError:
                    if job.done():
                        raise
                if not poll():
                    return None
                if time.monotonic() > next_check:
                    next_check = time.monotonic() + _CHECK
                    self.check()
                    if not check():
                        return None
        finally:
            job.cancel()

    def results(self, futures: Sequence[Future], poll: Callable[[], bool] = lambda: True) -> list[Any]:
        """What they come to, whether or not somebody wants to end the fit."""
        while (found := self.gathered(futures, lambda: poll() or True)) is None:
            pass
        return found

    def tell(self, function: Callable[..., Any], *given: Any) -> None:
        """Has all workers do something small, as far as they answer."""
        with contextlib.suppress(Exception):
            self._answers(function, *given)

    def rooms(self) -> list[tuple[float | None, int]]:
        """Memory and threads of the workers that answer."""
        return self._answers(_worker.room)

    def _answers(self, function: Callable[..., Any], *given: Any) -> list[Any]:
        """What a function comes to on each of the workers that answer in time."""

        async def answer(worker: str) -> list[Any]:
            try:
                call = self.client.run(function, *given, workers=[worker], on_error="ignore", asynchronous=True)
                return list((await asyncio.wait_for(call, _ANSWER)).values())
            except (OSError, TimeoutError):
                return []

        async def answers(workers: Iterable[str]) -> list[list[Any]]:
            return await asyncio.gather(*map(answer, workers))

        asked = answers(self._ask("ncores", _ANSWER))
        job = asyncio.run_coroutine_threadsafe(asked, self.client.loop.asyncio_loop)
        try:
            return [found for one in job.result(2.0 * _ANSWER) for found in one]
        finally:
            job.cancel()

    def some_workers(self) -> list[str]:
        """Waits for one, if there is none."""
        while not self.workers():
            self.check()
            time.sleep(_CHECK)
        return list(self._workers)


class translated:
    """What a cluster has failed with, in words of rfnn."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if error is None or isinstance(error, (Error, KeyboardInterrupt)):
            return
        if isinstance(error, KilledWorker):
            raise ClusterError(
                f"Dask workers have died again and again over one task: {error}",
                "Give them more memory, or the table in smaller partitions.",
            ) from error
        if isinstance(error, asyncio.CancelledError) or type(error).__name__ in ("CancelledError", "FutureCancelledError", "FuturesCancelledError"):
            raise ClusterError(
                f"Rows of the table are lost, and Dask cannot make them again: {error}",
                "Give collections that are read from files or computed, not data that were sent to a worker.",
            ) from error
