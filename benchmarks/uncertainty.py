#!/usr/bin/env python3
"""Coverage and sharpness of error bars on test rows that nothing has seen.

    uncertainty.py PATH/TO/rfnn DATA [--only NAME ...] [--group NAME ...] [--splits K] [--max-time S] [--threads T]
                   [--jobs N] [--fit-args "..."] [--peers conformal,mapie,gp] [--json OUT]

DATA holds basket.json (name -> file, group, targets), the CSV files and splits/NAME_test_indices.csv (a line per
split, row numbers from 0). For every set and split it cuts the test rows off, fits with the rest, predicts the test
rows with quantiles, and prints per set (mean over splits and outputs):

    coverage of the 50, 90 and 99 % intervals, that of the 90 % one in each third of the rows by predicted width,
    the interval score at 90 % over that of a constant width around the same predictions (each half of the test rows
    by the residuals of the other: split conformal), CRPS over the target's standard deviation, and the mean negative
    log likelihood of the standardised target

and below the means over sets. Of sets with fewer splits in the file than wanted, further ones are drawn: as many test
rows, by numpy's generator with the number of the split as seed. `--peers` adds others on the same rows: `conformal`
XGBoost with normalised split conformal intervals (crepes), `mapie` the same by MAPIE, `gp` scikit-learn's Gaussian
process (ARD, 1500 rows), `gpytorch` GPyTorch's exact one (ARD, all rows, `--max-time` seconds; sets of up to 4000
rows). Needs numpy; peers need their packages, and one that fails is left out where it fails. OUT is written anew after
every set.
"""
import argparse
import concurrent.futures
import csv
import json
import math
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

COVERAGES = (0.5, 0.9, 0.99)
THREADS = 2  # of peers that take a number
LEVELS = sorted({p for c in COVERAGES for p in ((1 - c) / 2, (1 + c) / 2)})


def read(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    return rows[0], rows[1:]


def write(path, header, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


def interval_score(y, low, high, coverage):
    beyond = np.maximum(low - y, 0) + np.maximum(y - high, 0)
    return float(np.mean(high - low + 2 / (1 - coverage) * beyond))


def conformal_quantiles(residuals, coverage):
    """Of residuals that are exchangeable with a new one: k/(n + 1) of them lie below the k-th."""
    s = np.sort(residuals)
    at = np.array([(1 - coverage) / 2, (1 + coverage) / 2]) * (len(s) + 1) - 1
    return np.interp(at, np.arange(len(s)), s)


def constant_width_score(y, predicted, coverage):
    order = np.random.default_rng(0).permutation(len(y))
    low, high = np.empty(len(y)), np.empty(len(y))
    halves = order[::2], order[1::2]
    for judged, by in (halves, halves[::-1]):
        a, b = conformal_quantiles((y - predicted)[by], coverage)
        low[judged], high[judged] = predicted[judged] + a, predicted[judged] + b
    return interval_score(y, low, high, coverage)


def run(command, limit):
    done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    if done.returncode not in (0, 4):  # 4: stopped by its time budget, model saved
        raise RuntimeError(f"exit {done.returncode}: {' '.join(command)}\n{done.stderr[-600:]}")
    return done.stdout


def measure(y, predicted, quantiles):
    """quantiles: level -> values. Of one output."""
    out = {}
    for c in COVERAGES:
        low, high = quantiles[(1 - c) / 2], quantiles[(1 + c) / 2]
        inside = (y >= low) & (y <= high)
        out[f"c{round(100 * c)}"] = float(np.mean(inside))
        if c == 0.9:
            out["score"] = interval_score(y, low, high, c)
            thirds = np.array_split(np.argsort(high - low, kind="stable"), 3)
            out["thirds"] = [float(np.mean(inside[t])) for t in thirds]
    if predicted is not None:
        out["constant"] = constant_width_score(y, predicted, 0.9)
    return out


def fit_and_measure(o, header, train, test, targets, folder):
    files = [os.path.join(folder, name) for name in ("train.csv", "test.csv", "model.rfnn", "out.csv")]
    write(files[0], header, train)
    write(files[1], header, test)
    run([o.rfnn, "fit", files[0], "--target", ",".join(targets), "--out", files[2], "--seed", "1", "--quiet",
         "--max-time", str(o.max_time), "--threads", str(o.threads), *o.fit_args.split()], 3 * o.max_time + 120)
    names = [f"{p:.6g}" for p in LEVELS]
    run([o.rfnn, "predict", files[2], files[1], "--out", files[3], "--quantiles", ",".join(names), "--quiet",
         "--threads", str(o.threads)], 1200)
    columns, rows = read(files[3])
    table = np.array(rows, dtype=float)
    truth = {t: np.array([float(r[header.index(t)]) for r in test]) for t in targets}
    result = []
    scores = json.loads(run([o.rfnn, "evaluate", files[2], files[1], "--json", "--threads", str(o.threads)], 1200))
    known = scores.get("uncertainty", {})
    for k, t in enumerate(targets):
        quantiles = {p: table[:, columns.index(f"{t}_q{n}")] for p, n in zip(LEVELS, names)}
        one = measure(truth[t], table[:, columns.index(t)], quantiles)
        for name in ("crps", "nll"):
            if name in known:
                value = known[name][k] if isinstance(known[name], list) else known[name]
                sd = float(np.std(truth[t]))
                one[name] = value / sd if name == "crps" else value - math.log(sd)
        result.append(one)
    return result


def boosted(x, y):
    from xgboost import XGBRegressor
    return XGBRegressor(n_estimators=400, learning_rate=0.06, max_depth=6, subsample=0.8, colsample_bytree=0.8,
                        n_jobs=THREADS, random_state=0).fit(x, y)


def proper_and_calibration(count):
    order = np.random.default_rng(0).permutation(count)
    cut = count - max(count // 4, min(count // 2, 200))
    return order[:cut], order[cut:]


def conformal_peer(x, y, x_test, y_test):
    """XGBoost, intervals by split conformal prediction, normalised by the residuals of neighbours (crepes)."""
    from crepes import ConformalRegressor
    from crepes.extras import DifficultyEstimator
    fit, cal = proper_and_calibration(len(y))
    model = boosted(x[fit], y[fit])
    difficulty = DifficultyEstimator()
    difficulty.fit(X=x[fit], residuals=y[fit] - model.predict(x[fit]), scaler=True)
    predicted = model.predict(x_test)
    regressor = ConformalRegressor()
    regressor.fit(residuals=y[cal] - model.predict(x[cal]), sigmas=difficulty.apply(x[cal]))
    sigmas = difficulty.apply(x_test)
    quantiles = {}
    for c in COVERAGES:
        interval = regressor.predict_int(y_hat=predicted, sigmas=sigmas, confidence=c)
        quantiles[(1 - c) / 2], quantiles[(1 + c) / 2] = interval[:, 0], interval[:, 1]
    return measure(y_test, None, quantiles)


def mapie_peer(x, y, x_test, y_test):
    """XGBoost, intervals by split conformal prediction, normalised by a second XGBoost that learns the residuals
    (MAPIE)."""
    from mapie.conformity_scores import ResidualNormalisedScore
    from mapie.regression import SplitConformalRegressor
    from xgboost import XGBRegressor
    fit, cal = proper_and_calibration(len(y))
    of_residuals = XGBRegressor(n_estimators=100, learning_rate=0.1, max_depth=4, n_jobs=THREADS, random_state=0)
    score = ResidualNormalisedScore(residual_estimator=of_residuals, random_state=0, sym=True)
    regressor = SplitConformalRegressor(boosted(x[fit], y[fit]), confidence_level=list(COVERAGES),
                                        conformity_score=score, prefit=True)
    regressor.conformalize(x[cal], y[cal])
    _, intervals = regressor.predict_interval(x_test)
    quantiles = {}
    for k, c in enumerate(COVERAGES):
        quantiles[(1 - c) / 2], quantiles[(1 + c) / 2] = intervals[:, 0, k], intervals[:, 1, k]
    return measure(y_test, None, quantiles)


def with_normal_scores(out, y, at, s):
    """Adds CRPS and negative log likelihood of normal laws."""
    from scipy.stats import norm
    z = (y - at) / s
    crps = s * (z * (2 * norm.cdf(z) - 1) + 2 * norm.pdf(z) - 1 / math.sqrt(math.pi))
    out["crps"] = float(np.mean(crps)) / float(np.std(y))
    out["nll"] = float(np.mean(0.5 * z * z + np.log(s) + 0.5 * math.log(2 * math.pi))) - math.log(np.std(y))
    return out


def gp_peer(x, y, x_test, y_test):
    """scikit-learn's Gaussian process, a length per input, on 1500 rows."""
    from scipy.stats import norm
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
    rows = np.random.default_rng(0).permutation(len(y))[:1500]
    mean, sd = x[rows].mean(0), x[rows].std(0)
    sd[sd == 0] = 1
    kernel = ConstantKernel() * RBF(np.ones(x.shape[1])) + WhiteKernel()
    gp = GaussianProcessRegressor(kernel, normalize_y=True, random_state=0).fit((x[rows] - mean) / sd, y[rows])
    at, s = gp.predict((x_test - mean) / sd, return_std=True)
    s = np.maximum(s, 1e-12)
    return with_normal_scores(measure(y_test, None, {p: at + s * norm.ppf(p) for p in LEVELS}), y_test, at, s)


def gpytorch_peer(x, y, x_test, y_test, budget=10.0):
    """GPyTorch's exact Gaussian process, a length per input, all rows, Adam for as long as the budget lasts."""
    import gpytorch
    import torch
    from scipy.stats import norm
    begun = time.perf_counter()
    mean, sd = x.mean(0), x.std(0)
    sd[sd == 0] = 1
    at, scale = float(y.mean()), float(y.std())
    inputs, targets = torch.from_numpy((x - mean) / sd), torch.from_numpy((y - at) / scale)

    class Process(gpytorch.models.ExactGP):
        def __init__(self, likelihood):
            super().__init__(inputs, targets, likelihood)
            self.mean_module = gpytorch.means.ConstantMean()
            self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel(ard_num_dims=x.shape[1]))

        def forward(self, z):
            return gpytorch.distributions.MultivariateNormal(self.mean_module(z), self.covar_module(z))

    torch.manual_seed(0)
    likelihood = gpytorch.likelihoods.GaussianLikelihood().double()
    model = Process(likelihood).double()
    objective = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
    adam = torch.optim.Adam(model.parameters(), lr=0.1)
    longest = 0.0
    with gpytorch.settings.fast_computations(False, False, False):
        # A prediction takes about as long as a step.
        while time.perf_counter() - begun + 2 * longest < budget:
            step = time.perf_counter()
            adam.zero_grad()
            loss = -objective(model(inputs), targets)
            loss.backward()
            adam.step()
            longest = max(longest, time.perf_counter() - step)
        model.eval()
        likelihood.eval()
        with torch.no_grad():
            told = likelihood(model(torch.from_numpy((x_test - mean) / sd)))
            m, s = at + scale * told.mean.numpy(), scale * np.sqrt(np.maximum(told.variance.numpy(), 1e-24))
    return with_normal_scores(measure(y_test, None, {p: m + s * norm.ppf(p) for p in LEVELS}), y_test, m, s)


PEERS = {"conformal": conformal_peer, "mapie": mapie_peer, "gp": gp_peer, "gpytorch": gpytorch_peer}


def one_split(o, header, rows, cut, targets, peers):
    train = [r for i, r in enumerate(rows) if i not in cut]
    test = [r for i, r in enumerate(rows) if i in cut]
    with tempfile.TemporaryDirectory() as folder:
        ours = fit_and_measure(o, header, train, test, targets, folder)
    return ours, {p: peer_results(p, header, train, test, targets, o.max_time) for p in peers}


def mean_of(results, key):
    values = [r[key] for r in results if key in r]
    return sum(values) / len(values) if values else math.nan


def peer_results(name, header, train, test, targets, budget):
    if name == "gpytorch" and len(train) > 4000:
        return []
    inputs = [header.index(h) for h in header if h not in targets]
    take = lambda rows, at: np.array([[float(r[k]) for k in at] for r in rows])
    x, x_test = take(train, inputs), take(test, inputs)
    out = []
    for t in targets:
        at = [header.index(t)]
        more = {"budget": budget} if name == "gpytorch" else {}
        # Whatever goes wrong with another's method is that method's alone: a package that is not there, a covariance
        # that is not positive definite, no memory.
        try:
            out.append(PEERS[name](x, take(train, at)[:, 0], x_test, take(test, at)[:, 0], **more))
        except Exception as error:
            print(f"    {name:26} failed: {reason_of(error)}", flush=True)
            return []
    return out


def reason_of(error):
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[-1][:120]}" if lines else type(error).__name__


def line_of(name, rows, results):
    thirds = [sum(r["thirds"][k] for r in results) / len(results) for k in range(3)]
    ratio = mean_of(results, "score") / mean_of(results, "constant")
    return (f"{name:30} {rows:6} " + " ".join(f"{100 * mean_of(results, c):6.1f}" for c in ("c50", "c90", "c99")) +
            "  " + " ".join(f"{100 * t:5.1f}" for t in thirds) +
            f"  {ratio:6.3f} {mean_of(results, 'crps'):8.4f} {mean_of(results, 'nll'):7.3f}")


def keep(path, results):
    """As far as they go, so that a run that is ended leaves what it had; the file is whole at every moment."""
    with open(path + ".part", "w") as file:
        json.dump(results, file, indent=1)
    os.replace(path + ".part", path)


def geometric(values):
    return math.exp(sum(math.log(v) for v in values) / len(values)) if values else math.nan


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("rfnn")
    a.add_argument("data")
    a.add_argument("--only", nargs="*")
    a.add_argument("--group", nargs="*", default=["tabular", "formulas"])
    a.add_argument("--least-rows", type=int, default=1000)
    a.add_argument("--splits", type=int, default=3)
    a.add_argument("--max-time", type=float, default=10)
    a.add_argument("--threads", type=int, default=2)
    a.add_argument("--jobs", type=int, default=1, help="fits at a time, each with its threads")
    a.add_argument("--fit-args", default="")
    a.add_argument("--peers", default="")
    a.add_argument("--json")
    o = a.parse_args()
    basket = json.load(open(os.path.join(o.data, "basket.json")))
    peers = [p for p in o.peers.split(",") if p]
    pool, jobs = concurrent.futures.ThreadPoolExecutor(o.jobs), {}
    everything, of_peers = {}, {p: {} for p in peers}
    print(f"{'set':30} {'rows':>6} {'50 %':>6} {'90 %':>6} {'99 %':>6}  {'thirds of the width':>17}  {'const.':>6} "
          f"{'CRPS':>8} {'NLL':>7}")
    for name, spec in basket.items():
        if (o.only and name not in o.only) or (not o.only and spec["group"] not in o.group):
            continue
        header, rows = read(os.path.join(o.data, spec["file"]))
        if len(rows) < o.least_rows and not o.only:
            continue
        targets = spec.get("targets") or [header[-1]]
        with open(os.path.join(o.data, "splits", f"{name}_test_indices.csv")) as file:
            splits = [set(map(int, line.split(","))) for line in file][:o.splits]
        for k in range(len(splits), o.splits):
            splits.append(set(np.random.default_rng(k).permutation(len(rows))[:len(splits[0])].tolist()))
        jobs[name] = len(rows), [pool.submit(one_split, o, header, rows, cut, targets, peers) for cut in splits]
    for name, (count, tasks) in jobs.items():
        results, others = [], {p: [] for p in peers}
        for task in tasks:
            try:
                ours, theirs = task.result()
            except Exception as error:  # the other sets are still to be measured
                print(f"{name:30} failed: {reason_of(error)}", flush=True)
                continue
            results += ours
            for p in peers:
                others[p] += theirs[p]
        if not results:
            continue
        everything[name] = results
        for p in peers:
            of_peers[p][name] = others[p]
        if o.json:
            keep(o.json, {"ours": everything, "peers": of_peers})
        print(line_of(name, count, results), flush=True)
        for p in peers:
            if others[p]:
                print(f"    {p:26} {'':6} " +
                      " ".join(f"{100 * mean_of(others[p], c):6.1f}" for c in ("c50", "c90", "c99")) + " " * 19 +
                      f"  ours/its score {mean_of(results, 'score') / mean_of(others[p], 'score'):6.3f}"
                      f"  CRPS {mean_of(others[p], 'crps'):8.4f}  NLL {mean_of(others[p], 'nll'):7.3f}", flush=True)
    ratios = [mean_of(r, "score") / mean_of(r, "constant") for r in everything.values()]
    for c in ("c50", "c90", "c99"):
        values = [100 * mean_of(r, c) for r in everything.values()]
        if values:
            print(f"{c[1:]} %: mean {sum(values) / len(values):.1f}, from {min(values):.1f} to {max(values):.1f}")
    print(f"interval score over that of a constant width: geometric mean {geometric(ratios):.3f}, "
          f"at most 1 on {sum(r <= 1 for r in ratios)} of {len(ratios)}")
    for p in peers:
        both = [n for n in everything if of_peers[p].get(n)]
        for key in ("score", "crps"):
            pairs = [(mean_of(everything[n], key), mean_of(of_peers[p][n], key)) for n in both]
            pairs = [q for q in pairs if q[0] > 0 and q[1] > 0]
            print(f"{p}: {key} ours over its, geometric mean {geometric([a / b for a, b in pairs]):.3f} "
                  f"over {len(pairs)} sets")
        gaps = [mean_of(everything[n], "nll") - mean_of(of_peers[p][n], "nll") for n in both]
        gaps = [g for g in gaps if g == g]
        if gaps:
            print(f"{p}: NLL ours less its, mean {sum(gaps) / len(gaps):.3f} over {len(gaps)} sets")
    return 0


if __name__ == "__main__":
    sys.exit(main())
