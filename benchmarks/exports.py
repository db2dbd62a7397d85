"""Do exports compute what predict does? Trains a model for every set of a folder (basket.json names them, with files and
targets), exports it as C, ONNX and Python, and compares each with predict on rows of the set, relative to the prediction
or, where that is larger, to the target's standard deviation. The column `predict` is how far predict itself is from the
same sums in numbers of 80 bits: no export can be expected to be nearer than that. `bars` is the largest difference of
the standard deviations that C and NumPy state from predict's, relative. Then the speed of the C file of a paper
network of ten blocks, beside the library on one thread; without a folder that alone.

    PYTHONPATH=build/python build/venv/bin/python benchmarks/exports.py [FOLDER] [--max-time 2] [--only NAME...]

It needs rfnn's Python package, onnxruntime, and gcc or clang.
"""

import argparse
import csv
import ctypes
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

import rfnn

ROWS = 500
WANTED = 1e-12
RATE_WANTED = 0.5
FLAGS = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def table(path, targets):
    """Inputs and targets: the last column where none are named."""
    with open(path) as file:
        names = next(csv.reader(file))
    values = np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)
    if isinstance(targets, int):
        targets = names[-targets:]
    chosen = [names.index(name) for name in targets or names[-1:]]
    others = [k for k in range(len(names)) if k not in chosen]
    return values[:, others], values[:, chosen]


def pointer(array):
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def compiled(source, compiler, *flags):
    """The exported functions, and the seconds that the compiler took."""
    library = source.with_name(f"{source.stem}-{compiler}{len(flags)}.so")
    begin = time.perf_counter()
    subprocess.run([compiler, *FLAGS, *flags, "-shared", "-fPIC", source, "-o", library, "-lm"], check=True)
    return ctypes.CDLL(str(library)), time.perf_counter() - begin


def by_c(source, rows, outputs, compiler="gcc"):
    library, seconds = compiled(source, compiler, "-O1")
    found = np.empty_like(outputs)
    predict = getattr(library, f"{source.stem}_predict")
    for row, place in zip(rows, found):
        predict(pointer(row), pointer(place))
    return found, seconds, library


def by_onnx(file, rows):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    return np.concatenate([session.run(None, {"inputs": part})[0] for part in np.array_split(rows, 1 + len(rows) // 100)])


def module_of(file):
    module = {"__name__": file.stem}
    exec(compile(file.read_text(), file, "exec"), module)
    return module


def by_long_numbers(module, rows):
    """The same sums in 80 bits: tables stay what they are, everything computed from them is longer."""
    return np.concatenate([module["_outputs"](part.astype(np.longdouble)) for part in np.array_split(rows, 1 + len(rows) // 50)])


def bars_difference(estimator, library, stem, module, rows, count):
    """Nothing where the model has no error bars or exports leave them out."""
    if "predict_std" not in module:
        return None
    expected = np.asarray(estimator.predict(rows, return_std=True)[1]).reshape(count)
    of_c = np.empty(count)
    std = getattr(library, f"{stem}_std")
    for row, place in zip(rows, of_c):
        std(pointer(row), pointer(place))
    return float(max(np.max(np.abs(found / expected - 1)) for found in (of_c, module["predict_std"](rows))))


def difference(found, outputs, sd):
    return float(np.max(np.abs(found - outputs) / np.maximum(np.abs(outputs), sd)))


def export_stem(name):
    return "".join(c if c.isalnum() else "_" for c in name)


def compare(given, name, entry, scratch):
    X, y = table(given.folder / entry["file"], entry.get("targets"))
    if given.models:
        estimator = rfnn.load(given.models / f"{name}.rfnn")
    else:
        estimator = rfnn.RFNNRegressor(max_time=given.max_time, random_state=1).fit(X, y if y.shape[1] > 1 else y[:, 0])
    rows = np.ascontiguousarray(X[np.linspace(0, len(X) - 1, min(ROWS, len(X))).astype(int)])
    outputs = estimator.predict(rows).reshape(len(rows), -1)
    sd = y.std(axis=0)
    # A library of a name that was loaded before would be that one again.
    files = {end: scratch / f"of_{export_stem(name)}{end}" for end in (".c", ".onnx", ".py")}
    for file in files.values():
        estimator.export(file, check=False)
    module = module_of(files[".py"])
    of_c, seconds, library = by_c(files[".c"], rows, outputs)
    exact = by_long_numbers(module, rows[::5])
    line = {
        "set": name,
        "blocks": estimator.n_blocks_,
        "c": difference(of_c, outputs, sd),
        "onnx": difference(by_onnx(files[".onnx"], rows), outputs, sd),
        "python": difference(module["predict"](rows), outputs, sd),
        "predict": difference(outputs[::5], exact, sd),
        "bars": bars_difference(estimator, library, files[".c"].stem, module, np.ascontiguousarray(rows[::5]),
                                (len(rows[::5]), y.shape[1])),
        "megabytes": files[".c"].stat().st_size / 1e6,
        "compile_seconds": seconds,
    }
    for file in scratch.iterdir():
        file.unlink()
    return line


def rates(scratch, compiler):
    """Rows per second of the C file over those of the library, each the best of several in turns."""
    X, y = rfnn.datasets.multiscale(2000, random_state=1)[:2]
    X = np.asarray(X).reshape(len(y), -1)
    estimator = rfnn.PaperRFNNRegressor(iterations=100, random_state=1, n_jobs=1).fit(X, y)
    source = scratch / f"paper_{compiler}.c"
    estimator.export(source, check=False)
    library, _ = compiled(source, compiler, "-O3", "-march=native")
    rows = np.ascontiguousarray(np.random.default_rng(0).uniform(X.min(), X.max(), (200_000, 1)))
    outputs = np.empty((len(rows), 1))
    predict_rows = getattr(library, f"{source.stem}_predict_rows")
    times = {"library": [], "c": []}
    for _ in range(7):
        begin = time.process_time()
        estimator.model_.predict(rows, outputs, None, 1)
        times["library"].append(time.process_time() - begin)
        begin = time.process_time()
        predict_rows(pointer(rows), ctypes.c_size_t(len(rows)), pointer(outputs))
        times["c"].append(time.process_time() - begin)
    return min(times["library"]) / min(times["c"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, nargs="?", help="without it the speed alone")
    parser.add_argument("--max-time", type=float, default=2.0)
    parser.add_argument("--models", type=pathlib.Path, help="a folder with trained models, NAME.rfnn, in place of training")
    parser.add_argument("--only", nargs="*", help="these sets alone")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE")
    given = parser.parse_args()
    basket = json.loads((given.folder / "basket.json").read_text()) if given.folder else {}
    result = {"sets": [], "rates": {}}
    kinds = ("c", "onnx", "python")
    if given.folder:
        print(f"{'set':32}{'C':>9}{'ONNX':>9}{'NumPy':>9}{'predict':>9}{'bars':>9}{'MB of C':>9}{'compiled':>10}")
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        for name, entry in basket.items():
            if given.only and name not in given.only:
                continue
            line = compare(given, name, entry, scratch)
            if line["blocks"] == 0:
                print(f"{name:32} is its mean alone: there was no time to train, give more (--max-time) or --models", flush=True)
                continue
            result["sets"].append(line)
            print(f"{name:32}" + "".join(f"{line[kind]:9.1e}" for kind in (*kinds, "predict")) +
                  ("         " if line["bars"] is None else f"{line['bars']:9.1e}") + f"{line['megabytes']:9.2f}{line['compile_seconds']:9.1f}s", flush=True)
        for kind in kinds if given.folder else ():
            near = sum(line[kind] <= WANTED for line in result["sets"])
            fair = sum(line[kind] <= max(WANTED, 10 * line["predict"]) for line in result["sets"])
            print(f"{kind}: within {WANTED:g} of predict on {near} of {len(result['sets'])} sets, within that or ten times "
                  f"predict's own rounding on {fair}")
        for compiler in ("gcc", "clang"):
            try:
                result["rates"][compiler] = rates(scratch, compiler)
            except (OSError, subprocess.CalledProcessError) as error:
                print(f"{compiler}: {error}")
                continue
            rate = result["rates"][compiler]
            print(f"C by {compiler} -O3 -march=native, many rows: {rate:.2f} of the library's rate on one thread (wanted "
                  f"{RATE_WANTED:g}): {'ok' if rate >= RATE_WANTED else 'MISS'}")
    if given.json:
        given.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
