#!/usr/bin/env python3
"""What derivatives cost: CPU seconds of one thread for predictions with all their derivatives by the inputs, over those
of the predictions alone, for trained networks of several kinds and 2, 4 and 8 inputs.

Run it with the package installed, or with PYTHONPATH=build/python. Both are bare calls into the core, in turns, the
shortest of several each: what other processes take away is left out. What a kind of network is trained on is chosen so
that it becomes one; the column `is` says what it became.
"""

from __future__ import annotations

import argparse
import json
import time

import numpy as np

import rfnn

WANTED = 3.0


def rows_of(count: int, inputs: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """What no few waves are: bends, a bump and a product, with a little noise."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (count, inputs))
    bump = 1 / (0.1 + ((X - 0.3) ** 2).sum(axis=1))
    y = np.abs(X).sum(axis=1) + bump / bump.std() + 2 * X[:, 0] * np.abs(X[:, -1] - 0.2)
    return X, y + 0.02 * rng.normal(size=count)


def walk(count: int) -> tuple[np.ndarray, np.ndarray]:
    """A series that wanders."""
    rng = np.random.default_rng(2)
    return np.arange(count)[:, None] / count, np.cumsum(rng.normal(size=count))


def grid(side: int) -> tuple[np.ndarray, np.ndarray]:
    """A picture of clouds: amplitudes fall with the frequency."""
    rng = np.random.default_rng(3)
    frequency = np.hypot(*np.meshgrid(np.fft.fftfreq(side), np.fft.fftfreq(side)))
    spectrum = np.fft.fft2(rng.normal(size=(side, side))) / (0.02 + frequency) ** 1.5
    place = np.linspace(-1, 1, side)
    return np.stack(np.meshgrid(place, place), axis=-1).reshape(-1, 2), np.fft.ifft2(spectrum).real.ravel()


def trained(kind: str, X: np.ndarray, y: np.ndarray, max_time: float):
    common = {"random_state": 1, "n_jobs": 1}
    if kind == "paper, 10 blocks":
        return rfnn.PaperRFNNRegressor(iterations=50, **common).fit(X, y)
    if kind == "1000 features":
        return rfnn.RFNNRegressor(width=1000, blocks=1, members=1, **common).fit(X, y)
    return rfnn.RFNNRegressor(max_time=max_time, members=1, **common).fit(X, y)


def described(model) -> str:
    history = model.history_
    kept = history["kept"]
    methods = ", ".join(dict.fromkeys(history["method"][kept]))
    return f"blocks {kept.sum()}, width {history['width'][kept].max()}, by {methods}"


def ratio(model, seen: np.ndarray, rows: int, rounds: int) -> float:
    core = model.model_
    X = np.random.default_rng(0).uniform(seen.min(axis=0), seen.max(axis=0), (rows, seen.shape[1]))
    outputs, again = np.empty((rows, 1)), np.empty((rows, 1))
    jacobian = np.empty((rows, X.shape[1]))
    plain, derived = [], []
    for _ in range(rounds):
        began = time.process_time()
        core.predict(X, outputs, None, 1)
        plain.append(time.process_time() - began)
        began = time.process_time()
        core.gradients(X, again, jacobian, 1)
        derived.append(time.process_time() - began)
    assert np.array_equal(outputs, again)
    return min(derived) / min(plain)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20000, help="rows to predict")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--max-time", type=float, default=5.0, help="seconds for a fit of preset auto")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    found = []
    kinds = [(kind, inputs) for kind in ("paper, 10 blocks", "1000 features", "closed form") for inputs in (2, 4, 8)]
    for kind, inputs in [*kinds, ("series", 1), ("grid", 2)]:
        X, y = walk(5000) if kind == "series" else grid(100) if kind == "grid" else rows_of(2000, inputs)
        model = trained(kind, X, y, given.max_time)
        line = {"kind": kind, "inputs": inputs, "is": described(model),
                "ratio": ratio(model, X, given.rows, given.rounds)}
        found.append(line)
        if not given.json:
            verdict = "ok" if line["ratio"] <= WANTED else "MISS"
            print(f"{kind:18}{inputs} inputs{line['ratio']:7.2f}  {verdict:6}{line['is']}", flush=True)
    if given.json:
        print(json.dumps({"wanted": WANTED, "found": found}, indent=2))


if __name__ == "__main__":
    main()
