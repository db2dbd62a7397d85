"""Fits on a Dask LocalCluster: ten million rows in four processes of 512 MB, and the weak scaling of passes.

    PYTHONPATH=build/python build/venv/bin/python benchmarks/dask_size.py [--rows 10000000] [--only paper auto scaling]

Needs the Python package with its extra `dask`. Prints seconds, the peak memory of every worker and how many Dask had to start
again. Scaling: as many rows per worker of one thread; seconds of a pass of one worker, of two, and of two processes of one
thread that fit in memory and know nothing of each other, side by side. Seconds by the clock are those of the machine and of
all else that it does; beside them are the processor's, of a pass in a worker and in the client with its scheduler.
"""

import argparse
import logging
import os
import pathlib
import statistics
import subprocess
import sys
import time

import dask.array as da
import numpy as np
from dask.distributed import Client, LocalCluster

import rfnn
from rfnn.dask import RFNNRegressor

INPUTS, CHUNK = 4, 250_000
PAPER = {"preset": "paper", "width": 8, "random_state": 1}


def table(rows: int, chunk: int):
    """A partition is made where it is wanted."""
    X = da.random.default_rng(1).uniform(-1.0, 1.0, (rows, INPUTS), chunks=(chunk, INPUTS))
    return X, da.sin(3.0 * X[:, 0]) + X[:, 1] * X[:, 2] - X[:, 3] ** 2


def cluster(workers: int, **given):
    given = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": logging.ERROR, **given}
    return LocalCluster(n_workers=workers, **given)


def peak_megabytes() -> tuple[int, float]:
    status = pathlib.Path("/proc/self/status").read_text(encoding="ascii")
    return os.getpid(), int(status.split("VmHWM:")[1].split()[0]) / 1024


def at_size(rows: int, memory: str, what: str, parameters: dict) -> None:
    with cluster(4, memory_limit=memory) as four, Client(four) as client:
        before = {pid for pid, _ in client.run(peak_megabytes).values()}
        X, y = table(rows, CHUNK)
        began = time.monotonic()
        first = []

        def note(progress) -> None:
            if progress.block > 0:
                first.append(time.monotonic())

        model = RFNNRegressor(**parameters).fit(X, y, callbacks=note)
        ended = time.monotonic()
        peaks = client.run(peak_megabytes).values()
        again = len({pid for pid, _ in peaks} - before)
        X, y = table(100_000, CHUNK)
        print(f"{what}, {rows} rows, 4 workers of {memory}: {ended - began:.0f} s, of which {first[0] - began if first else float('nan'):.0f} s before training; "
              f"peaks {', '.join(f'{peak:.0f}' for _, peak in sorted(peaks))} MB, {again} workers started again; "
              f"{model.model_.train_rows} rows used, {model.n_blocks_} blocks, R² {model.score(X, y):.4f}", flush=True)  # fmt: skip


class Processor:
    """Seconds of the processor that a pass of block 2 takes here, and in the slowest worker."""

    def __init__(self, client):
        self.client, self.at = client, []

    def __call__(self, progress) -> None:
        if progress.block == 2 and progress.iteration >= 1:
            self.at = [*self.at[:1], (progress.iteration, time.process_time(), self.client.run(time.process_time))]

    def per_pass(self) -> tuple[float, float]:
        (first, here, there), (last, here_then, there_then) = self.at
        passes = 2 * (last - first)
        return (here_then - here) / passes, max(there_then[worker] - there[worker] for worker in there) / passes


def seconds_per_pass(model) -> float:
    """Of block 2: two proposals an iteration, one per branch."""
    return float(model.history_["seconds"][1]) / (2 * int(model.history_["iterations"][1]))


def alone(rows: int, iterations: int) -> None:
    X, y = (part.compute(scheduler="synchronous") for part in table(rows, CHUNK))
    model = rfnn.RFNNRegressor(**PAPER, blocks=2, iterations=iterations, n_jobs=1).fit(X, y)
    print(seconds_per_pass(model))


def scaling(rows: int, iterations: int, rounds: int) -> None:
    times = {"one": [], "two": [], "apart": []}
    cpu = {"one": [], "two": []}
    for _ in range(rounds):
        for name, workers in ("one", 1), ("two", 2):
            with cluster(workers) as some, Client(some) as client:
                X, y = table(workers * rows, CHUNK)
                processor = Processor(client)
                model = RFNNRegressor(**PAPER, blocks=2, iterations=iterations).fit(X, y, callbacks=processor)
                times[name].append(seconds_per_pass(model))
                cpu[name].append(processor.per_pass())
        line = [sys.executable, __file__, "--alone", str(rows), str(iterations)]
        both = [subprocess.Popen(line, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        times["apart"].append(max(float(each.communicate()[0]) for each in both))
    one, two, apart = (statistics.median(times[name]) for name in ("one", "two", "apart"))
    print(f"a pass over {rows} rows a worker: {one:.3f} s with one worker, {two:.3f} s with two, {apart:.3f} s in two processes apart; "
          f"one/two {one / two:.2f}, apart/two {apart / two:.2f}; load {os.getloadavg()[0]:.1f}", flush=True)  # fmt: skip
    for name, count in ("one", 1), ("two", 2):
        here, there = (1e3 * statistics.median(pair[k] for pair in cpu[name]) for k in (0, 1))
        print(f"  processor, {count} worker{'s' * (count > 1)}: {there:.1f} ms a pass in a worker, {here:.1f} ms in the client", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--memory", default="512MB", help="of each of four workers")
    parser.add_argument("--iterations", type=int, default=3, help="of preset paper at size")
    parser.add_argument("--max-time", type=float, default=60.0, help="of preset auto at size")
    parser.add_argument("--only", nargs="+", choices=["paper", "auto", "scaling"], default=["paper", "auto", "scaling"])
    parser.add_argument("--scaling-rows", type=int, nargs="+", default=[500_000], help="of each worker")
    parser.add_argument("--rounds", type=int, default=3, help="of scaling")
    parser.add_argument("--alone", type=int, nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.alone:
        alone(*given.alone)
        return
    if "paper" in given.only:
        at_size(given.rows, given.memory, "paper", {**PAPER, "blocks": 3, "iterations": given.iterations})
    if "auto" in given.only:
        at_size(given.rows, given.memory, "auto", {"max_time": given.max_time, "random_state": 1})
    if "scaling" in given.only:
        for rows in given.scaling_rows:
            scaling(rows, 5, given.rounds)


if __name__ == "__main__":
    main()
