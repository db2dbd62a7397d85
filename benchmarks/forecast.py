"""Forecasts and gaps: trained on the first 80 % in time with `--holdout tail`, judged on the last 20 %; with a tenth in the
middle left out and `--holdout gap`, judged there. Synthetic series with a trend, lines and noise; and tables given by
FILE:TARGET, one input each (docs/performance.md has a tide and a season). Beside it, for gaps, what people use: a cubic
spline (SciPy) and a Gaussian process of three oscillators (celerite2), each where it is installed.

    python benchmarks/forecast.py build/rfnn tide.csv:level_mm co2.csv:co2_ppm
"""

import argparse
import csv
import json
import pathlib
import subprocess
import tempfile

import numpy as np


def synthetic():
    """Series that no finder was tuned on: name, time, values, standard deviation of the noise."""
    draw = np.random.default_rng(20)
    even = np.arange(2000) * 0.05
    yield "three lines, slope", even, (
        0.03 * even + 2.0 * np.cos(1.3 * even) + 1.0 * np.sin(4.1 * even + 1.0) + 0.5 * np.cos(11.7 * even)
    ), 0.3, draw
    odd = np.sort(draw.uniform(0.0, 100.0, 1500))
    curve = 4.0 * (odd / 100.0) ** 2
    close = np.cos(2 * np.pi * 1.000 * odd) + 0.6 * np.cos(2 * np.pi * 1.025 * odd + 0.5)
    yield "a close pair at odd times, curved", odd, curve + close + 0.8 * np.sin(0.9 * odd), 0.4, draw
    many = np.arange(3000) * 0.1
    lines = sum((1.0 / (k + 1)) * np.cos(0.7 * (k + 1) ** 1.3 * many + k) for k in range(9))
    yield "nine lines", many, 10.0 + lines, 0.1, draw


def tables(listed):
    for one in listed:
        path, _, target = one.rpartition(":")
        with open(path, newline="") as file:
            rows = list(csv.reader(file))
        place = rows[0].index(target)
        numbers = np.array(rows[1:], dtype=float)
        yield pathlib.Path(path).stem, numbers[:, 1 - place], numbers[:, place]


def with_rfnn(program, options, x, y, test_x, folder):
    np.savetxt(folder / "train.csv", np.column_stack([x, y]), delimiter=",", header="t,y", comments="", fmt="%.12g")
    np.savetxt(folder / "test.csv", test_x[:, None], delimiter=",", header="t", comments="", fmt="%.12g")
    run = [program, "fit", folder / "train.csv", "--target", "y", "--out", folder / "m.rfnn", "--quiet", "--json", *options]
    told = subprocess.run(run, check=True, capture_output=True, text=True).stdout.splitlines()
    subprocess.run([program, "predict", folder / "m.rfnn", folder / "test.csv", "--out", folder / "p.csv", "--quiet"], check=True,
                   capture_output=True)
    return np.loadtxt(folder / "p.csv", skiprows=1), json.loads(told[-1])["seconds"]


def with_spline(x, y, test_x):
    try:
        from scipy.interpolate import CubicSpline
    except ImportError:
        return None
    x, first = np.unique(x, return_index=True)
    return CubicSpline(x, y[first])(test_x)


def with_oscillators(x, y, test_x):
    """Three damped oscillators and noise by maximum likelihood, begun at the largest peaks of the periodogram."""
    try:
        import celerite2
        from celerite2 import terms
        from scipy.optimize import minimize
    except ImportError:
        return None
    mean, scale, start, unit = y.mean(), y.std(), x[0], np.ptp(x)
    t, z = (x - start) / unit, (y - mean) / scale

    def process(p):
        kernel = sum((terms.SHOTerm(sigma=np.exp(p[3 * k]), rho=np.exp(p[3 * k + 1]), Q=np.exp(p[3 * k + 2]))
                      for k in range(1, 3)), terms.SHOTerm(sigma=np.exp(p[0]), rho=np.exp(p[1]), Q=np.exp(p[2])))
        made = celerite2.GaussianProcess(kernel, mean=0.0)
        made.compute(t, diag=np.full(len(t), np.exp(p[9])), quiet=True)
        return made

    def loss(p):
        if np.any(np.abs(p) > 18.0):
            return 1e10
        value = -process(p).log_likelihood(z)
        return value if np.isfinite(value) else 1e10

    frequencies = np.arange(1.0, len(t) / 2, 0.5)
    left, peaks = z - np.polyval(np.polyfit(t, z, 2), t), []
    for _ in range(3):
        power = [abs(np.exp(-2j * np.pi * f * t) @ left) for f in frequencies]
        peaks.append(frequencies[int(np.argmax(power))])
        wave = np.column_stack([np.cos(2 * np.pi * peaks[-1] * t), np.sin(2 * np.pi * peaks[-1] * t)])
        left = left - wave @ np.linalg.lstsq(wave, left, rcond=None)[0]
    best = None
    slow = [0.0, 0.0, -0.35]  # a process that wanders, in place of the weakest line
    for first in (slow, None):
        for quality in (5.0, 9.0):
            oscillators = [[-0.5, -np.log(peak), quality] for peak in peaks]
            begin = np.concatenate([oscillators[2] if first is None else first, oscillators[0], oscillators[1], [-6.0]])
            for _ in range(2):
                found = minimize(loss, begin, method="Nelder-Mead", options={"maxfev": 2000, "adaptive": True})
                begin = found.x
            if best is None or found.fun < best.fun:
                best = found
    return process(best.x).predict(z, t=(test_x - start) / unit) * scale + mean


def r2(y, predicted):
    return 1.0 - np.mean((y - predicted) ** 2) / np.var(y)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the rfnn command")
    parser.add_argument("tables", nargs="*", metavar="FILE:TARGET")
    parser.add_argument("--threads", default="2")
    parser.add_argument("--no-peers", action="store_true", help="rfnn alone")
    given = parser.parse_args()
    series = [(name, x, y + noise * draw.normal(size=len(x)), noise) for name, x, y, noise, draw in synthetic()]
    series += [(name, x, y, None) for name, x, y in tables(given.tables)]
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        print(f"{'series':<34} {'tail R2':>8} {'rmse/noise':>10} {'s':>6} | {'gap R2':>8} {'spline':>8} {'celerite2':>9} {'s':>6}")
        for name, x, y, noise in series:
            count = len(x)
            train, test = np.arange(count) < int(0.8 * count), np.arange(count) >= int(0.8 * count)
            options = ["--threads", given.threads, "--holdout"]
            tail, seconds = with_rfnn(given.program, [*options, "tail"], x[train], y[train], x[test], folder)
            ratio = f"{np.sqrt(np.mean((y[test] - tail) ** 2)) / noise:.3f}" if noise else ""
            line = f"{name:<34} {r2(y[test], tail):8.4f} {ratio:>10} {seconds:6.1f} |"
            gap = (np.arange(count) >= int(0.45 * count)) & (np.arange(count) < int(0.55 * count))
            filled, seconds = with_rfnn(given.program, [*options, "gap"], x[~gap], y[~gap], x[gap], folder)
            line += f" {r2(y[gap], filled):8.4f}"
            for width, peer in ((8, with_spline), (9, with_oscillators)):
                other = None if given.no_peers else peer(x[~gap], y[~gap], x[gap])
                line += " " * (width + 1) if other is None else f" {r2(y[gap], other):{width}.3f}"
            print(f"{line} {seconds:6.1f}", flush=True)


if __name__ == "__main__":
    main()
