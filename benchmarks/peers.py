"""Seconds until a given test error on the paper's three functions: this program and well-known learners in Python.

Each learner is given a schedule of growing budgets (iterations, features, trees, rows) until its test error is below the
last level or the next step would take too long. What counts is the seconds of the first fit that is below a level, as if
the right budget had been known; choosing settings on held-out rows is part of a fit. One thread each, two learners at a
time. Rows are the same for all, in memory for the Python learners, in a CSV file for rfnn, whose time is that of the whole
command."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

for library in ("OMP", "OPENBLAS", "MKL"):  # before NumPy is loaded
    os.environ[f"{library}_NUM_THREADS"] = "1"

from common import arguments, bench_python, finish, output_of, program
from paper_figures import PUBLISHED, TEST_ROWS

LEVELS = {"multiscale": (1e-2, 1e-4), "stairstep": (3e-3, 5e-4), "sine": (1e-2, 1e-3)}
LEARNERS = ("rfnn", "rff_ridge", "mlp", "hist_gradient_boosting", "xgboost", "gaussian_process")
NAMES = {"rfnn": "rfnn, paper's settings, best state", "rff_ridge": "scikit-learn RBFSampler + Ridge",
         "mlp": "scikit-learn MLPRegressor", "hist_gradient_boosting": "scikit-learn HistGradientBoosting",
         "xgboost": "XGBoost", "gaussian_process": "scikit-learn GaussianProcess"}


def doubling(first, last):
    while first <= last:
        yield first
        first *= 2


# Each fits on (x, y) and returns a function that predicts. Settings are those a user would start from.
def rff_ridge(features, x, y):
    """Width of the kernel chosen on every fifth row."""
    import numpy
    from sklearn.kernel_approximation import RBFSampler
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    held = numpy.arange(len(x)) % 5 == 0

    def pipeline(gamma):
        return make_pipeline(StandardScaler(), RBFSampler(gamma=gamma, n_components=features, random_state=1),
                             Ridge(alpha=1e-6))

    def error(gamma):
        return numpy.mean((pipeline(gamma).fit(x[~held], y[~held]).predict(x[held]) - y[held]) ** 2)

    return pipeline(min((0.1, 1, 10, 100, 1000, 10_000), key=error)).fit(x, y).predict


def mlp(epochs, x, y):
    from sklearn.neural_network import MLPRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    return make_pipeline(StandardScaler(), MLPRegressor(hidden_layer_sizes=(128, 128), max_iter=epochs, tol=0.0,
                                                        n_iter_no_change=epochs, random_state=1)).fit(x, y).predict


def hist_gradient_boosting(trees, x, y):
    from sklearn.ensemble import HistGradientBoostingRegressor
    return HistGradientBoostingRegressor(max_iter=trees, early_stopping=False, random_state=1).fit(x, y).predict


def xgboost(trees, x, y):
    from xgboost import XGBRegressor
    return XGBRegressor(n_estimators=trees, learning_rate=0.1, n_jobs=1, random_state=1).fit(x, y).predict


def gaussian_process(rows, x, y):
    """On the first rows only: its time grows with their cube."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    kernel = ConstantKernel() * RBF(0.1, (1e-3, 1e2)) + WhiteKernel(1e-6, (1e-10, 1.0))
    return make_pipeline(StandardScaler(), GaussianProcessRegressor(kernel, n_restarts_optimizer=2, random_state=1)
                         ).fit(x[:rows], y[:rows]).predict


SCHEDULES = {"rff_ridge": (64, 8192), "mlp": (25, 100_000), "hist_gradient_boosting": (50, 100_000),
             "xgboost": (50, 100_000), "gaussian_process": (125, 8000)}


def run_schedule(steps, levels, seconds, growth=2):
    """(budget, seconds, error) of every step taken; a step takes about `growth` times as long as the one before."""
    taken, began, last = [], time.perf_counter(), 0.0
    for budget, step in steps:
        if taken and (taken[-1]["error"] <= levels[-1] or time.perf_counter() - began + growth * last > seconds):
            break
        error, last = step()
        taken.append({"budget": budget, "seconds": last, "error": error})
    return taken


def python_learner(learner, train, test, levels, seconds):
    import warnings

    import numpy
    warnings.simplefilter("ignore")  # of learners that would like more iterations
    table, fresh = (numpy.loadtxt(path, delimiter=",", skiprows=1) for path in (train, test))
    x, y = table[:, :-1], table[:, -1]

    def step(budget):
        start = time.perf_counter()
        predict = globals()[learner](budget, x, y)
        took = time.perf_counter() - start
        return float(numpy.mean((predict(fresh[:, :-1]) - fresh[:, -1]) ** 2)), took

    first, last = SCHEDULES[learner]
    step(first)  # loads what the learner needs
    cubic = learner == "gaussian_process"  # in its budget, the rows
    steps = [(budget, lambda b=budget: step(b)) for budget in doubling(first, min(last, len(x)) if cubic else last)]
    return run_schedule(steps, levels, seconds, 8 if cubic else 2)


def ours(rfnn, target, folder, train, test, levels, seconds):
    """Growing chains; a block is the last when every tenth row, held out, is below the level."""
    flags = [word for key, value in PUBLISHED[target]["options"].items() if key != "iterations"
             for word in (f"--{key}", value)]
    model = folder / f"{target}.rfnn"

    def step(iterations, level):
        start = time.perf_counter()
        output_of(rfnn, "fit", train, "--target", "y", "--preset", "paper",
                  "--keep", "best", "--iterations", iterations, "--tolerance", level,
                  "--validation-fraction", 0.1, "--threads", 1, "--seed", 1, "--quiet", "--out", model, *flags)
        took = time.perf_counter() - start
        return json.loads(output_of(rfnn, "evaluate", model, test, "--json", "--quiet"))["mse"], took

    taken = []
    for level in levels:
        taken += run_schedule([(f"{m} iterations, tolerance {level}", lambda m=m: step(m, level))
                               for m in doubling(25, 100_000)], [level], seconds)
    return taken


def learn(learner, target, folder, given, python):
    """One learner on one function, in a process of its own."""
    train, test = folder / f"{target}-train.csv", folder / f"{target}-test.csv"
    seconds = 1.0 if given.quick else 12.0
    if learner == "rfnn":
        taken = ours(program(given.build, "rfnn"), target, folder, train, test, LEVELS[target], seconds)
    else:
        words = json.dumps([learner, str(train), str(test), LEVELS[target], seconds])
        taken = json.loads(output_of(python, "-B", __file__, "--learner", words))
    reached = [next((step["seconds"] for step in taken if step["error"] <= level), None) for level in LEVELS[target]]
    return {"learner": learner, "name": NAMES[learner], "target": target, "steps": taken, "levels": LEVELS[target],
            "reached": reached, "best_error": min(step["error"] for step in taken)}


def main():
    given = arguments(__doc__, ("--learner", {"help": "one learner, given as JSON (used by this program itself)"}))
    if given.learner:
        print(json.dumps(python_learner(*json.loads(given.learner))))
        return
    python = bench_python(given.build)
    learners = LEARNERS if python else LEARNERS[:1]
    rfnn = program(given.build, "rfnn")
    with tempfile.TemporaryDirectory(prefix="rfnn-bench-") as name, ThreadPoolExecutor(2) as pool:
        folder = pathlib.Path(name)
        for target, settings in PUBLISHED.items():
            for kind, rows, seed in (("train", settings["rows"], 1), ("test", TEST_ROWS[target], 1001)):
                output_of(rfnn, "generate", target, "--rows", rows, "--seed", seed, "--out", folder / f"{target}-{kind}.csv")
        jobs = [(learner, target) for target in PUBLISHED for learner in learners]
        results = list(pool.map(lambda job: learn(*job, folder, given, python), jobs))
    for target, levels in LEVELS.items():
        print(f"{target}: seconds to a test error of {' and '.join(map(str, levels))}")
        for result in results:
            if result["target"] == target:
                words = ", ".join("not reached" if took is None else f"{took:.3g} s" for took in result["reached"])
                print(f"  {result['name']:<38} {words} (best error {result['best_error']:.2g})")
    versions = {}
    if python:
        versions = json.loads(output_of(python, "-c", "import json, numpy, sklearn, xgboost; print(json.dumps({'NumPy': "
                                        "numpy.__version__, 'scikit-learn': sklearn.__version__, 'XGBoost': "
                                        "xgboost.__version__}))"))
    finish({"results": results, "versions": versions, "python_peers": bool(python), "checks": []}, given.json)


if __name__ == "__main__":
    main()
