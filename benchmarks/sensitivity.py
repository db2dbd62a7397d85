#!/usr/bin/env python3
"""How much do errors and time depend on a tuning number? Builds variants of the command, with one number changed each, and
compares them with the build as it is.

    PYTHON benchmarks/sensitivity.py HEADER:NAME:FACTOR[,FACTOR...] ...     [--seeds 2] [--folder FOLDER]

HEADER is a path below src/rfnn, as in training/tuning.hpp:company_gain:0.97,1.03; every FACTOR makes a variant in which
the number NAME is multiplied by it (whole numbers are rounded). PYTHON has NumPy and scikit-learn (build/venv/bin/python,
say). The sources are copied to FOLDER (a temporary one), where they stay built for the next variant; with ccache
in PATH much of that is quick. A variant prints the geometric mean, over tables and seeds, of its error on fresh rows over that
of the build as it is, the standard error of that mean in per cent, the range over tables, and the ratio of CPU seconds.

The tables are generated or come with scikit-learn; none of them is one that accuracy is reported on.
"""

import argparse
import csv
import math
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

import numpy as np
from sklearn.datasets import load_diabetes

SOURCE = pathlib.Path(__file__).resolve().parents[1]
COPIED = "CMakeLists.txt CMakePresets.json VERSION LICENSE README.md cli cmake licences src".split()


def friedman(x):
    return 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]


def waves(x):
    return np.sin(25 * x[:, 0]) + 0.3 * np.cos(40 * x[:, 0] + 1)


def front(x):
    return np.tanh(10 * (x[:, 0] + 0.6 * x[:, 1] - 0.8)) + 0.3 * np.sin(9 * x[:, 1])


def product(x):
    return np.exp(-2 * x[:, 0]) * np.sin(6 * x[:, 1]) + x[:, 2] * x[:, 3]


#: Function, rows, inputs, standard deviation of the noise.
GENERATED = {
    "friedman": (friedman, 300, 6, 1.0),
    "waves": (waves, 500, 1, 0.05),
    "front": (front, 500, 2, 0.05),
    "product": (product, 1200, 4, 0.02),
}


def tables(seed):
    """Training and fresh rows by name; the fresh ones of generated tables are without noise."""
    random = np.random.default_rng(seed)
    made = {}
    for name, (function, rows, inputs, noise) in GENERATED.items():
        X, fresh = random.uniform(size=(rows, inputs)), random.uniform(size=(4000, inputs))
        made[name] = (X, function(X) + noise * random.standard_normal(rows), fresh, function(fresh))
    X, y = load_diabetes(return_X_y=True)
    order = random.permutation(len(y))
    train, apart = order[:300], order[300:]
    made["diabetes"] = (X[train], y[train], X[apart], y[apart])
    return made


def write(path, X, y):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([f"x{k + 1}" for k in range(X.shape[1])] + ["y"])
        writer.writerows(np.column_stack([X, y]).tolist())


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure(program, folder, seeds):
    """Mean squared error on fresh rows and CPU seconds, by table and seed."""
    found = {}
    for seed in range(1, seeds + 1):
        for name, (X, y, fresh, truth) in tables(seed).items():
            data, rows, model, out = (folder / part for part in ("data.csv", "fresh.csv", "model.rfnn", "out.npy"))
            write(data, X, y)
            write(rows, fresh, truth)
            began = cpu_seconds()
            run = [program, "fit", data, "--target", "y", "--out", model, "--threads", "1", "--seed", seed, "--quiet"]
            subprocess.run(list(map(str, run)), check=True)
            seconds = cpu_seconds() - began
            subprocess.run([program, "predict", model, rows, "--out", out], check=True, stderr=subprocess.DEVNULL)
            found[name, seed] = float(np.mean((np.load(out).ravel() - truth) ** 2)), seconds
    return found


def build(folder):
    if not (folder / "build" / "build.ninja").exists():
        subprocess.run(["cmake", "--preset", "release", "-DRFNN_BUILD_TESTS=OFF", "-DRFNN_BUILD_EXAMPLES=OFF"], cwd=folder,
                       check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    subprocess.run(["cmake", "--build", "build", "-j", "2", "--target", "rfnn"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip
    return folder / "build" / "rfnn"


def scaled(text, name, factor):
    """The header with one number multiplied."""
    pattern = re.compile(rf"(\b{name} = )([0-9][0-9.e+-]*)")
    found = pattern.findall(text)
    if len(found) != 1:
        sys.exit(f"{name} stands {len(found)} times in the header, as a plain number")
    old = found[0][1]
    whole = re.fullmatch("[0-9]+", old) is not None
    new = str(max(1, round(int(old) * factor))) if whole else repr(float(old) * factor)
    return pattern.sub(lambda match: match[1] + new, text), old, new


def compare(varied, usual):
    """Text: ratios of a variant to the build as it is."""
    tables_there = sorted({name for name, _ in usual})
    logs = {key: math.log(varied[key][0] / usual[key][0]) for key in usual}
    by_table = {name: np.mean([value for key, value in logs.items() if key[0] == name]) for name in tables_there}
    mean, error = np.mean(list(logs.values())), np.std(list(logs.values()), ddof=1) / math.sqrt(len(logs))
    low, high = min(by_table, key=by_table.get), max(by_table, key=by_table.get)
    time = sum(seconds for _, seconds in varied.values()) / sum(seconds for _, seconds in usual.values())
    changed = sum(varied[key][0] != usual[key][0] for key in usual)
    return (
        f"error × {math.exp(mean):.3f} ± {100 * error:.1f} % ({low} {math.exp(by_table[low]):.2f} … "
        f"{high} {math.exp(by_table[high]):.2f}), time × {time:.2f}, {changed} of {len(usual)} fits differ"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("numbers", nargs="+", metavar="HEADER:NAME:FACTOR[,FACTOR...]")
    parser.add_argument("--seeds", type=int, default=2, help="draws of every table [2]")
    parser.add_argument("--folder", type=pathlib.Path, help="for the copy of the sources [a temporary one]")
    given = parser.parse_args()
    os.nice(19)
    with tempfile.TemporaryDirectory() as temporary:
        folder = (given.folder or pathlib.Path(temporary) / "rfnn").resolve()
        for name in COPIED:
            source = SOURCE / name
            if source.is_dir():
                shutil.copytree(source, folder / name, dirs_exist_ok=True)
            else:
                folder.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, folder / name)
        work = pathlib.Path(temporary)
        usual = measure(build(folder), work, given.seeds)
        print(f"as it is: {sum(seconds for _, seconds in usual.values()):.0f} CPU s", flush=True)
        for number in given.numbers:
            header, name, factors = number.split(":")
            path = folder / "src" / "rfnn" / header
            text = path.read_text()
            for factor in map(float, factors.split(",")):
                changed, old, new = scaled(text, name, factor)
                path.write_text(changed)
                print(f"{header} {name} {old} → {new}: {compare(measure(build(folder), work, given.seeds), usual)}", flush=True)
            path.write_text(text)


if __name__ == "__main__":
    main()
