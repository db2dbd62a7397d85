#!/usr/bin/env python3
"""Sobol indices of two functions, learnt from rows, beside those of the functions themselves.

    indices.py PATH/TO/rfnn [--rows N] [--threads T] [--fit-args "..."]

Ishigami's function has them in closed form; those of the borehole function are estimated from 2^20 points of a Sobol
sequence in twice its eight dimensions, by the function itself. Printed are found ± standard error and exact, and per
function the largest difference; 0.005 and 0.01 are wanted. Needs numpy and scipy.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from scipy.stats import qmc

PI = np.pi
BOREHOLE = {"rw": (0.05, 0.15), "r": (100, 50000), "Tu": (63070, 115600), "Hu": (990, 1110), "Tl": (63.1, 116),
            "Hl": (700, 820), "L": (1120, 1680), "Kw": (9855, 12045)}
ISHIGAMI = {f"x{k}": (-PI, PI) for k in (1, 2, 3)}


def ishigami(x):
    a, b, c = x.T
    return np.sin(a) + 7 * np.sin(b) ** 2 + 0.1 * c**4 * np.sin(a)


def borehole(x):
    rw, r, tu, hu, tl, hl, length, kw = x.T
    log = np.log(r / rw)
    return 2 * PI * tu * (hu - hl) / (log * (1 + 2 * length * tu / (log * rw * rw * kw) + tu / tl))


def ishigami_indices():
    alone, other, together = 0.5 * (1 + 0.1 * PI**4 / 5) ** 2, 49 / 8, 8 * 0.01 * PI**8 / 225
    whole = alone + other + together
    return np.array([alone, other, 0]) / whole, np.array([alone + together, other, together]) / whole


def estimated_indices(function, box, power=20):
    """Saltelli's estimator of the first and Jansen's of the total indices."""
    low, high = np.array(list(box.values()), dtype=float).T
    points = qmc.Sobol(2 * len(box), seed=1).random_base2(power)
    a, b = (low + part * (high - low) for part in np.split(points, 2, axis=1))
    at_a, at_b = function(a), function(b)
    mean, variance = at_a.mean(), at_a.var()
    first, total = [], []
    for k in range(len(box)):
        mixed = a.copy()
        mixed[:, k] = b[:, k]
        at = function(mixed)
        first.append(np.mean((at_b - mean) * (at - at_a)) / variance)
        total.append(0.5 * np.mean((at_a - at) ** 2) / variance)
    return np.array(first), np.array(total)


def found_indices(o, function, box, folder):
    low, high = np.array(list(box.values()), dtype=float).T
    x = np.random.default_rng(1).uniform(low, high, (o.rows, len(box)))
    data, model = folder / "rows.csv", folder / "model.rfnn"
    np.savetxt(data, np.column_stack([x, function(x)]), delimiter=",", header=",".join([*box, "y"]), comments="",
               fmt="%.17g")
    threads = ["--threads", str(o.threads)]
    subprocess.run([o.rfnn, "fit", data, "--target", "y", "--out", model, "--quiet", *threads, *o.fit_args.split()],
                   check=True)
    boxes = [word for name, (a, b) in box.items() for word in ("--box", f"{name}={a!r}..{b!r}")]
    told = subprocess.run([o.rfnn, "sensitivity", model, "--json", "--quiet", *threads, *boxes], check=True,
                          capture_output=True, text=True)
    return json.loads(told.stdout)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("rfnn")
    a.add_argument("--rows", type=int, default=2000)
    a.add_argument("--threads", type=int, default=1)
    a.add_argument("--fit-args", default="")
    o = a.parse_args()
    missed = False
    for name, function, box, exact, wanted in (
            ("Ishigami", ishigami, ISHIGAMI, ishigami_indices(), 0.005),
            ("borehole", borehole, BOREHOLE, estimated_indices(borehole, BOREHOLE), 0.01)):
        with tempfile.TemporaryDirectory() as folder:
            found = found_indices(o, function, box, pathlib.Path(folder))
        worst = 0.0
        print(f"{name:10} {'alone':>9} {'±':>8} {'exact':>8} {'others':>9} {'±':>8} {'exact':>8}")
        for k, factor in enumerate(box):
            values = [(found[of][k], found[f"{of}_standard_error"][k], true[k])
                      for of, true in zip(("first", "total"), exact)]
            worst = max([worst, *(abs(value - true) for value, _, true in values)])
            print(f"  {factor:8}" + "".join(f" {value:9.4f} {error:8.4f} {true:8.4f}" for value, error, true in values))
        missed = missed or worst > wanted
        print(f"{name}: {worst:.4f} at the most, {wanted} wanted: {'MISS' if worst > wanted else 'ok'}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
