#!/usr/bin/env python3
"""What a base is worth: errors of a model of few dear rows, alone and on a base of many cheap ones.

    benchmarks/multi_fidelity.py build/rfnn [--seeds N] [--only NAME]

Pairs of a cheap and a dear function from the literature on surrogates of several fidelities: borehole (Xiong, Qian and Wu
2013), Currin's and Park's (the same), Forrester's (Forrester, Sobester and Keane 2007). Rows are drawn uniformly; errors are
root mean squares on 2000 fresh rows of the dear function, means over the seeds.
"""

import argparse
import csv
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

BOX = [(0.05, 0.15), (100, 50000), (63070, 115600), (990, 1110), (63.1, 116), (700, 820), (1120, 1680), (9855, 12045)]


def borehole(x, factor, one):
    rw, r, tu, hu, tl, hl, length, kw = (low + u * (high - low) for u, (low, high) in zip(x, BOX))
    log = math.log(r / rw)
    return factor * tu * (hu - hl) / (log * (one + 2 * length * tu / (log * rw * rw * kw) + tu / tl))


def forrester(x):
    return (6 * x[0] - 2) ** 2 * math.sin(12 * x[0] - 4)


def currin(x):
    a, b = x
    return (1 - math.exp(-1 / (2 * max(b, 1e-12)))) * (2300 * a**3 + 1900 * a**2 + 2092 * a + 60) / (100 * a**3 + 500 * a**2 + 4 * a + 20)


def currin_cheap(x):
    a, b = x
    near = [(a + 0.05, b + 0.05), (a + 0.05, max(0, b - 0.05)), (a - 0.05, b + 0.05), (a - 0.05, max(0, b - 0.05))]
    return sum(map(currin, near)) / 4


def park(x):
    a, b, c, d = x
    a = max(a, 1e-8)
    return a / 2 * (math.sqrt(1 + (b + c * c) * d / a**2) - 1) + (a + 3 * d) * math.exp(1 + math.sin(c))


def park_cheap(x):
    a, b, c, _ = x
    return (1 + math.sin(a) / 10) * park(x) - 2 * a + b * b + c * c + 0.5


# name: inputs, dear, cheap, dear rows, cheap rows
PAIRS = {
    "borehole": (8, lambda x: borehole(x, 2 * math.pi, 1), lambda x: borehole(x, 5, 1.5), 30, 500),
    "currin": (2, currin, currin_cheap, 20, 200),
    "park": (4, park, park_cheap, 30, 300),
    "forrester": (1, forrester, lambda x: 0.5 * forrester(x) + 10 * (x[0] - 0.5) - 5, 8, 50),
}


def write(path, function, rows, inputs, draw):
    with open(path, "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow([f"x{k + 1}" for k in range(inputs)] + ["y"])
        for _ in range(rows):
            x = [draw.random() for _ in range(inputs)]
            table.writerow([*x, function(x)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rfnn")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", choices=PAIRS)
    arguments = parser.parse_args()
    rfnn = str(pathlib.Path(arguments.rfnn).resolve())

    def call(*words):
        return subprocess.run([rfnn, *map(str, words)], check=True, capture_output=True, text=True).stdout

    print(f"{'pair':<10} {'dear':>5} {'cheap':>6} {'alone':>10} {'base alone':>11} {'on the base':>12} {'ratio':>8}")
    for name, (inputs, dear, cheap, dear_rows, cheap_rows) in PAIRS.items():
        if arguments.only not in (None, name):
            continue
        sums = {"alone": 0.0, "base": 0.0, "both": 0.0}
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            write(folder / "test.csv", dear, 2000, inputs, random.Random(1000))
            for seed in range(1, arguments.seeds + 1):
                draw = random.Random(seed)
                write(folder / "cheap.csv", cheap, cheap_rows, inputs, draw)
                write(folder / "dear.csv", dear, dear_rows, inputs, draw)
                fit = ["--target", "y", "--quiet", "--seed", seed, "--out"]
                call("fit", folder / "dear.csv", *fit, folder / "alone.rfnn")
                call("fit", folder / "cheap.csv", *fit, folder / "base.rfnn")
                call("fit", folder / "dear.csv", "--base", folder / "base.rfnn", *fit, folder / "both.rfnn")
                for model in sums:
                    sums[model] += json.loads(call("evaluate", folder / f"{model}.rfnn", folder / "test.csv", "--json"))["rmse"]
        alone, base, both = (sums[model] / arguments.seeds for model in ("alone", "base", "both"))
        print(f"{name:<10} {dear_rows:>5} {cheap_rows:>6} {alone:>10.4g} {base:>11.4g} {both:>12.4g} {both / alone:>8.3f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
