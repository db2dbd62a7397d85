"""Ranks of MPI that fit one network together, each with its part of the rows (docs/scale.md)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from . import _core
from ._errors import UsageError

Result = TypeVar("Result")


def together(comm: Any, work: Callable[[], Result]) -> Result:
    """What work() returns. With a communicator: where it fails on one of the ranks, all raise."""
    if comm is None:
        return work()
    failure: Exception | None = None
    try:
        result = work()
    except Exception as problem:  # whatever it is, the others wait
        failure = problem
    told = comm.allgather(None if failure is None else f"{type(failure).__name__}: {failure}")
    if failure is not None:
        raise failure
    for rank, text in enumerate(told):
        if text is not None:
            raise UsageError(f"Rank {rank} of {comm.size} has failed ({text})", "")
    return result


def address(comm: Any, options: _core.Options, recorded: bool) -> int | None:
    """Where a communicator of mpi4py has its handle, for the core; None without one. All ranks get the seed of rank 0."""
    if comm is None:
        return None
    try:
        from mpi4py import MPI
    except ImportError:
        raise UsageError("comm needs mpi4py, which is not installed.", "Install mpi4py, or leave comm out.") from None
    if not isinstance(comm, MPI.Comm):
        raise UsageError(f"comm cannot be a {type(comm).__name__}.", "Give a communicator of mpi4py, such as MPI.COMM_WORLD.")
    if recorded:
        raise UsageError("run_dir and resume have no use with comm.", "Use the command for that: mpirun rfnn fit --run-dir DIR.")
    options.set("seed", comm.bcast(options.get("seed")))
    return int(MPI._addressof(comm))
