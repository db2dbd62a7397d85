"""How many threads a fit may use: scikit-learn's n_jobs within what joblib and threadpoolctl leave."""

from __future__ import annotations

import multiprocessing
import numbers
import os

import joblib
import threadpoolctl
from joblib.parallel import get_active_backend

from . import _core
from ._errors import UsageError


class _Controller(threadpoolctl.LibController):
    """Lets ``threadpoolctl.threadpool_limits`` bound the threads of rfnn too."""

    user_api = "rfnn"
    internal_api = "rfnn"
    filename_prefixes = ("_core",)
    check_symbols = ("rfnn_get_thread_limit", "rfnn_set_thread_limit")

    def get_num_threads(self) -> int:
        return self.dynlib.rfnn_get_thread_limit()

    def set_num_threads(self, num_threads: int) -> None:
        self.dynlib.rfnn_set_thread_limit(int(num_threads))

    def get_version(self) -> str:
        return _core.version()

    def set_additional_attributes(self) -> None:
        pass


def register() -> None:
    """Makes the module known to threadpoolctl and takes over the limit of the environment.

    joblib sets OMP_NUM_THREADS for its worker processes so that all of them together fill the machine once.
    """
    threadpoolctl.register(_Controller)
    text = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if text.isdecimal() and int(text) > 0:
        _core.set_thread_limit(int(text))


def resolve(n_jobs: int | None) -> int:
    """Threads for ``n_jobs``: None is 1 (or what a ``joblib.parallel_config`` says), -1 all, -2 all but one."""
    if n_jobs is None:
        n_jobs = joblib.effective_n_jobs(None)
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise UsageError(f"n_jobs cannot be {n_jobs!r}.", "Give a whole number other than 0; -1 is all processors.")
    wanted, most = int(n_jobs), _core.thread_limit()
    # Several fits side by side in the threads of one process already fill it. A worker process has its own limit.
    backend, _ = get_active_backend()
    if (getattr(backend, "nesting_level", 0) or 0) > 0 and multiprocessing.parent_process() is None:
        most = 1
    return max(1, min(wanted, most) if wanted > 0 else most + 1 + wanted)


register()
