"""A generated table of flights on a Dask LocalCluster: rfnn, LightGBM and XGBoost with the same workers and about the same time.

    PYTHONPATH=build/python python benchmarks/dask_accuracy.py [--rows 1000000] [--seconds 60] [--workers 2]

Needs the Python package with its extra `dask`, and lightgbm and xgboost. Delays of flights by day, weekday, hour, distance, places
of origin and destination, and carrier (twenty numbers without an order), with noise of more than half of the variance. The
peers have 127 leaves and a learning rate of 0.1, and as many trees as, by a fit with 20, take the time that rfnn is given; errors
are those against the delay without noise, on fresh rows. Nothing is chosen by them.
"""

import argparse
import logging
import time

import dask.array as da
import numpy as np
from dask.distributed import Client, LocalCluster, wait

CARRIERS = np.random.default_rng(2).normal(0.0, 4.0, 20)
AIRPORTS = np.random.default_rng(3).uniform((0.0, 0.0, 0.5), (4500.0, 2500.0, 2.0), (60, 3))  # kilometres east, north; traffic
PEER = {"learning_rate": 0.1, "num_leaves": 127}
PILOT = 20  # trees


def flights(rows: int, seed: int) -> np.ndarray:
    """Rows of eight inputs, the measured delay in minutes, and the delay without noise."""
    draw = np.random.default_rng((5, seed))
    day, weekday, carrier = draw.integers(0, 365, rows), draw.integers(0, 7, rows), draw.integers(0, 20, rows)
    hour = np.clip(draw.normal(14.0, 4.5, rows), 5.0, 23.5)
    start, end = AIRPORTS[draw.integers(0, 60, rows)], AIRPORTS[draw.integers(0, 60, rows)]
    distance = np.hypot(*(start - end)[:, :2].T)
    storms = np.exp(-(((day - 200.0) / 45.0) ** 2)) + 0.6 * np.exp(-(((day - 20.0) / 25.0) ** 2))
    rush = np.exp(-(((hour - 8.0) / 1.5) ** 2)) + 1.5 * np.exp(-(((hour - 18.0) / 2.5) ** 2))
    delay = 8.0 * start[:, 2] * rush + 10.0 * storms * np.sin(start[:, 0] / 900.0) * np.cos(end[:, 1] / 700.0)
    delay += 0.7 * (hour - 5.0) * storms + np.where((weekday == 4) | (weekday == 6), 5.0, 0.0) * rush
    delay += CARRIERS[carrier] - 0.002 * distance
    noise = draw.gamma(2.0, 1.0, rows) * (4.0 + 0.3 * hour)
    measured = delay + noise - 2.0 * (4.0 + 0.3 * hour)
    inputs = [day, weekday, hour, distance, start[:, 0], start[:, 1], end[:, 1], carrier]
    return np.column_stack([*inputs, measured, delay]).astype(float)


def table(rows: int, chunk: int):
    """In partitions made on the workers, and there already."""
    sizes = tuple(min(chunk, rows - first) for first in range(0, rows, chunk))
    blocks = da.map_blocks(lambda block_id=None: flights(sizes[block_id[0]], block_id[0]), chunks=(sizes, (10,)), dtype=float)
    X, y = blocks[:, :8].persist(), blocks[:, 8].persist()
    wait([X, y])
    return X, y


def fitted_rfnn(client, X, y, seconds, threads):
    from rfnn.dask import RFNNRegressor

    return RFNNRegressor(max_time=seconds, n_jobs=threads, random_state=1).fit(X, y)


def fitted_lightgbm(client, X, y, trees):
    from lightgbm import DaskLGBMRegressor

    model = DaskLGBMRegressor(client=client, n_estimators=trees, verbose=-1, tree_learner="data", **PEER).fit(X, y)
    return model.to_local()


def fitted_xgboost(client, X, y, trees):
    from xgboost.dask import DaskXGBRegressor

    given = {"learning_rate": PEER["learning_rate"], "max_leaves": PEER["num_leaves"], "max_depth": 0, "grow_policy": "lossguide"}
    model = DaskXGBRegressor(n_estimators=trees, tree_method="hist", **given)
    model.client = client
    return model.fit(X, y)


def timed(work, *given):
    began = time.monotonic()
    found = work(*given)
    return found, time.monotonic() - began


def peer(work, client, X, y, seconds):
    """With as many trees as take the time."""
    work(client, X, y, 1)  # what is done once
    _, pilot = timed(work, client, X, y, PILOT)
    trees = max(PILOT, int(PILOT * seconds / pilot))
    return (*timed(work, client, X, y, trees), f"{trees} trees")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--threads", type=int, help="of rfnn, which trains on one worker while the others are idle [as many as there are workers]")
    given = parser.parse_args()
    fresh = flights(100_000, 1 << 20)
    X_new, truth = np.ascontiguousarray(fresh[:, :8]), fresh[:, 9]
    error = lambda predicted: float(np.mean((np.asarray(predicted) - truth) ** 2) / np.var(truth))
    options = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": logging.ERROR}
    with LocalCluster(n_workers=given.workers, **options) as cluster, Client(cluster) as client:
        X, y = table(given.rows, -(-given.rows // (4 * given.workers)))
        model, seconds = timed(fitted_rfnn, client, X, y, given.seconds, given.threads or given.workers)
        lines = [("rfnn", seconds, error(model.predict(X_new)), f"{model.n_blocks_} blocks")]
        for name, work in ("LightGBM", fitted_lightgbm), ("XGBoost", fitted_xgboost):
            model, seconds, what = peer(work, client, X, y, given.seconds)
            booster = model.get_booster().inplace_predict if name == "XGBoost" else model.predict
            lines.append((name, seconds, error(booster(X_new)), what))
    _, base_seconds, base_error, _ = lines[0]
    print(f"{given.rows} rows, {given.workers} workers of one thread; error: mean square over variance, without noise")
    print(f"{'':9} {'seconds':>8} {'error':>9} {'time/rfnn':>10} {'error/rfnn':>11}")
    for name, seconds, wrong, what in lines:
        print(f"{name:9} {seconds:8.1f} {wrong:9.5f} {seconds / base_seconds:10.2f} {wrong / base_error:11.2f}  {what}")


if __name__ == "__main__":
    main()
