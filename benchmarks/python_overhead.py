#!/usr/bin/env python3
"""What Python adds to a fit and to a prediction: ratios to the library's own wall clock, for 10^5 rows.

Run it with the package installed, or with PYTHONPATH=build/python. The library is timed inside the same calls and
process: a fit by the seconds the model records, a prediction by the bare call into the core, which writes into a new
array as the library's own function returns a new matrix.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time

import numpy as np

from rfnn import RFNNRegressor


def seconds(work, clock=time.perf_counter) -> float:
    began = clock()
    work()
    return clock() - began


def fit_ratio(params: dict, X: np.ndarray, y: np.ndarray, rounds: int) -> dict:
    """Median over rounds of (call of fit) / (seconds within the library)."""
    ratios, totals = [], []
    for _ in range(rounds):
        model = RFNNRegressor(**params, random_state=1)
        totals.append(seconds(lambda: model.fit(X, y)))
        ratios.append(totals[-1] / model.model_.seconds)
    return {"ratio": statistics.median(ratios), "seconds": statistics.median(totals)}


def predict_ratio(model: RFNNRegressor, X: np.ndarray, rounds: int) -> dict:
    """Shortest call of predict / shortest bare call into the core, in CPU seconds of one thread: what other processes
    take away is left out."""
    def core() -> np.ndarray:
        out = np.empty((len(X), 1))
        model.model_.predict(X, out, None, 1)
        return out

    whole, bare = [], []
    for _ in range(rounds):
        bare.append(seconds(core, time.process_time))
        whole.append(seconds(lambda: model.predict(X), time.process_time))
    assert np.array_equal(core()[:, 0], model.predict(X))
    return {"ratio": min(whole) / min(bare), "seconds": min(whole)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100000)
    parser.add_argument("--inputs", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    rng = np.random.default_rng(0)
    X = rng.normal(size=(arguments.rows, arguments.inputs))
    y = np.sin(3 * X[:, 0]) * X[:, 1] + 0.1 * rng.normal(size=len(X))
    paper = {"preset": "paper", "blocks": 2, "iterations": 100}
    results = {
        "fit, paper, 2 blocks of 100 iterations": fit_ratio(paper, X, y, arguments.rounds),
        "fit, auto, 10 s": fit_ratio({"max_time": 10.0}, X, y, 1),
    }
    model = RFNNRegressor(preset="paper", iterations=20, random_state=1).fit(X, y)
    for name, rows in (("rows", X), ("columns", np.asfortranarray(X))):
        results[f"predict, 10 blocks of width 6, {name}"] = predict_ratio(model, rows, 4 * arguments.rounds)
    if arguments.json:
        print(json.dumps(results, indent=2))
        return
    print(f"{arguments.rows} rows, {arguments.inputs} inputs; time of the Python call / time of the library")
    for name, result in results.items():
        print(f"  {name:<55} {result['ratio']:.3f}   ({result['seconds']:.3f} s)")


if __name__ == "__main__":
    main()
