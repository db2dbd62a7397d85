#!/usr/bin/env python3
"""Kills Dask workers at random moments of a fit, and compares tensors with those of a fit left alone.

    PYTHONPATH=build/python build/venv/bin/python tests/soak/dask_workers.py [--kills N] [--seed S]

A fit of rows that can be made again has to end with the same bits. One of rows that were sent to the workers alone may also end
with a ClusterError that says so, and one of which all workers were killed with one that none was there for a minute. None may wait
for ever: after ten minutes this ends with where it waits. No part of `make test`.
"""

import argparse
import contextlib
import faulthandler
import logging
import os
import pathlib
import random
import signal
import sys
import tempfile
import threading
import time

import dask
import dask.array as da
import numpy as np
from dask.distributed import Client, LocalCluster
from resume import tensors

from rfnn.dask import ClusterError, RFNNRegressor

PATIENCE = 600.0
WORKERS = 3
PAPER = {"preset": "paper", "random_state": 1}

# name, parameters, rows, with weights, rows sent to the workers alone
PLANS = [
    ("paper", {**PAPER, "width": 8, "blocks": 2, "iterations": 40}, 20000, False, False),
    ("auto", {"width": 12, "blocks": 3, "random_state": 1}, 1000, False, False),
    ("paper, rows held out", {**PAPER, "width": 6, "blocks": 2, "iterations": 30, "validation_fraction": 0.1}, 20000, True, False),
    ("paper, rows sent", {**PAPER, "width": 6, "blocks": 2, "iterations": 30}, 20000, False, True),
    ("paper, rows of blocks", {**PAPER, "width": 6, "blocks": 2, "iterations": 30, "block_rows": "subset"}, 20000, False, False),
]


def table(client, rows, weighted, sent):
    """Twelve partitions: as arrays that are in the graph, or on workers and nowhere else."""
    draw = np.random.default_rng(7)
    X = draw.uniform(-1.0, 1.0, (rows, 3))
    y = np.sin(5.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.05 * draw.standard_normal(rows)
    columns = [X, y, draw.integers(0, 4, rows).astype(float)][: 2 + weighted]
    if sent:
        return [client.scatter(np.array_split(column, 12), hash=False) for column in columns]
    return [da.from_array(column, chunks=(-(-rows // 12), *column.shape[1:])) for column in columns]


class Killer(threading.Thread):
    """Kills `count` workers at some moment after it has been started."""

    def __init__(self, client, draw, after, count):
        super().__init__(daemon=True)
        self._chosen = draw.sample(list(client.run(os.getpid).values()), count)
        self._after, self._off = after, threading.Event()
        self.killed = 0

    def run(self):
        if self._off.wait(self._after):
            return
        for pid in self._chosen:
            os.kill(pid, signal.SIGKILL)
            self.killed += 1

    def stop(self):
        self._off.set()
        self.join()


@contextlib.contextmanager
def workers():
    """New ones for every fit, that know rfnn already."""
    given = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": logging.CRITICAL}
    with LocalCluster(n_workers=WORKERS, **given) as cluster, Client(cluster) as client:
        client.run(__import__, "rfnn.dask._worker")
        yield client


def fitted(client, plan, folder):
    """Seconds and tensors of a fit."""
    _, parameters, rows, weighted, sent = plan
    columns = table(client, rows, weighted, sent)
    began = time.monotonic()
    model = RFNNRegressor(**parameters).fit(*columns)
    (folder / "out.rfnn").write_bytes(model.model_.to_bytes())
    return time.monotonic() - began, tensors(folder / "out.rfnn")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=20, help="fits in which workers are killed")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    draw = random.Random(arguments.seed)
    # A task may be on several workers that are killed; on a busy machine a worker takes long to be there again, and a LocalCluster
    # gives up those that are not in 15 s.
    dask.config.set({"distributed.scheduler.allowed-failures": 10, "distributed.deploy.lost-worker-timeout": "600s"})
    kills = wrong = number = 0
    alone = {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        while kills < arguments.kills:
            plan = PLANS[number % len(PLANS)]
            number += 1
            what, sent = plan[0], plan[-1]
            faulthandler.dump_traceback_later(PATIENCE, exit=True)
            if what not in alone:
                with workers() as client:
                    alone[what] = fitted(client, plan, folder)
            seconds, expected = alone[what]
            after, count = draw.uniform(0.0, 1.0) * seconds, draw.choice([1, 1, 1, 2, WORKERS])
            with workers() as client:
                killer = Killer(client, draw, after, count)
                killer.start()
                began = time.monotonic()
                try:
                    _, found = fitted(client, plan, folder)
                    good = found == expected
                    end = "same bits" if good else "OTHER BITS"
                except ClusterError as error:
                    good = (sent and "lost" in str(error)) or (count == WORKERS and "no Dask worker" in str(error))
                    end = f"{'' if good else 'FAILED: '}{error}"
                took = time.monotonic() - began
                killer.stop()
            kills += killer.killed > 0
            if not killer.killed:  # too late: the machine has other work to do at times
                alone[what] = min(seconds, took), expected
            wrong += not good
            faulthandler.cancel_dump_traceback_later()
            print(f"{what}: {seconds:.1f} s alone; {killer.killed} of {WORKERS} killed after {after:.1f} s, over after {took:.1f} s: {end}", flush=True)
    print(f"{kills} fits with workers killed, {wrong} failures")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
