"""Threads, processes and forks."""

import multiprocessing
import os

import joblib
import numpy as np
import pytest
import threadpoolctl
from conftest import quick, waves

import rfnn
from rfnn import _core, _threads


def used(**params):
    X, y = waves(50)
    return int(quick(blocks=1, iterations=2, **params).fit(X, y).model_.options.get("threads"))


def test_n_jobs():
    most = len(os.sched_getaffinity(0))
    assert used() == 1
    assert used(n_jobs=-1) == most
    assert used(n_jobs=most + 5) == most
    assert used(n_jobs=-100) == 1
    for wrong in (0, 1.5, True):
        with pytest.raises(rfnn.UsageError, match="n_jobs"):
            used(n_jobs=wrong)


def test_threads_do_not_change_the_result():
    X, y = waves(3000)
    one, all_of_them = quick(n_jobs=1).fit(X, y), quick(n_jobs=-1).fit(X, y)
    assert np.array_equal(one.predict(X), all_of_them.predict(X))


def test_threadpoolctl_bounds_the_threads():
    info = [pool for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "rfnn"]
    assert len(info) == 1 and info[0]["num_threads"] == _core.thread_limit()
    with threadpoolctl.threadpool_limits(1):
        assert _core.thread_limit() == 1 and used(n_jobs=-1) == 1
    with threadpoolctl.threadpool_limits(1, user_api="blas"):
        assert _core.thread_limit() == info[0]["num_threads"]
    assert _core.thread_limit() == info[0]["num_threads"]


def resolved(n_jobs):
    return _threads.resolve(n_jobs)


def test_joblib_is_not_oversubscribed():
    most = _core.thread_limit()
    for backend in ("loky", "threading"):
        with joblib.parallel_config(backend, n_jobs=2):
            assert sum(joblib.Parallel()(joblib.delayed(resolved)(-1) for _ in range(2))) <= max(2, most)
            assert set(joblib.Parallel()(joblib.delayed(resolved)(None) for _ in range(2))) == {1}
    with joblib.parallel_config("loky", n_jobs=2, inner_max_num_threads=1):
        assert set(joblib.Parallel()(joblib.delayed(resolved)(-1) for _ in range(2))) == {1}


def fit_and_predict(n_jobs):
    X, y = waves(3000)
    return quick(n_jobs=n_jobs).fit(X, y).predict(X)


def test_forks_after_a_fit_with_threads():
    expected = fit_and_predict(-1)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for found in pool.map(fit_and_predict, [1, -1, -1], chunksize=1):
            assert np.array_equal(found, expected)
