#!/usr/bin/env python3
"""Six small stories told with generated data: a picture each, and a page to look at them.

    python examples/gallery.py [--out gallery] [--quick] [--only NAME ...]

Needs rfnn and matplotlib; uses xgboost where it is installed, else scikit-learn's gradient boosting. With --quick there
are few rows and the pictures are rougher.
"""

from __future__ import annotations

import argparse
import html
import os
import pathlib
import sys
import warnings

os.environ.setdefault("MPLBACKEND", "Agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy.special import sici
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rfnn
from rfnn import RFNNRegressor, datasets

BLUE, ORANGE, GREEN, GREY = "#1769b5", "#c77700", "#14805a", "#6b7480"


def network(**params):
    return RFNNRegressor(random_state=1, n_jobs=-1, **params)


def spectrum(quick):
    """Which waves are in a tide gauge's record?"""
    X, y = datasets.tide(600 if quick else 1000, noise=0.05, random_state=1)
    model = network(width=8, members=1).fit(X, y)
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), width_ratios=[1.3, 1])
    shown = X[:, 0] < 8
    time = np.linspace(0, 8, 1200)
    left.plot(time, model.predict(time[:, None]), color=BLUE, label="network")
    left.plot(X[shown, 0], y[shown], "o", color=GREY, markersize=3.5, label="readings")
    left.set(xlabel="time (days)", ylabel="sea level (m)")
    left.legend(frameon=False, loc="lower right", bbox_to_anchor=(1, 1), ncols=2)
    left.set_title("Eight of sixty days", loc="left")
    model.plot_spectrum(ax=right)
    for number, (name, (cycles, amplitude, _)) in enumerate(datasets.TIDE.items()):
        right.plot(cycles, amplitude, "_", color=ORANGE, markersize=16, markeredgewidth=2,
                   label=None if number else "truth")  # fmt: skip
        side = -1 if name in ("M2", "O1") else 1
        right.annotate(name, (cycles, amplitude), xytext=(14 * side, -3), textcoords="offset points",
                       ha="right" if side < 0 else "left", color=ORANGE)  # fmt: skip
    for text in right.texts[: -len(datasets.TIDE)]:
        text.remove()
    right.set(xlabel="frequency (cycles per day)", ylabel="amplitude (m)", title="Waves found", xlim=(0, 4.6))
    right.legend(frameon=False, loc="upper right")
    worst = max(min(abs(line["cycles"][0] - cycles) for line in model.spectrum())
                for cycles, _, _ in datasets.TIDE.values())  # fmt: skip
    return figure, (
        f"A sea level read {len(y)} times in sixty days, at irregular times, with an error of 5 cm. The network finds "
        f"the five constituents of the tide; the worst frequency is off by {worst:.1g} cycles per day. Two pairs of "
        "them are closer together than a tenth of a cycle per day."
    )


def ringing(quick):
    """No ringing at a jump"""
    X, y = datasets.stairstep(500, random_state=1)
    model = network().fit(X, y)
    waves = 30
    phases = lambda x: np.pi / 1.25 * x * np.arange(1, waves + 1)
    basis = lambda x: np.c_[np.ones(len(x)), np.cos(phases(x)), np.sin(phases(x))]
    B = basis(X)
    coefficients = np.linalg.solve(B.T @ B + 1e-3 * np.eye(B.shape[1]), B.T @ y)
    layers = MLPRegressor(
        hidden_layer_sizes=(64, 64), max_iter=50 if quick else 3000, tol=1e-6, n_iter_no_change=50, random_state=1
    )
    neural = make_pipeline(StandardScaler(), layers)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # --quick ends it early
        neural.fit(X, y)
    x = np.linspace(-0.95, 0.95, 3000)[:, None]
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), sharey=True)
    overshoot = {}
    for ax, name, values, colour in zip(
        axes,
        ("rfnn", f"Fourier series, {waves} waves", "MLP, two layers of 64"),
        (model.predict(x), basis(x) @ coefficients, neural.predict(x)),
        (BLUE, ORANGE, GREEN),
    ):
        overshoot[name] = max(values.max() - 1, -values.min(), 0.0)
        ax.plot(x, steps_at(x[:, 0]), color=GREY, linewidth=1, linestyle="--", label="truth")
        ax.plot(x, values, color=colour, label=name)
        wrong = np.mean(abs(values - steps_at(x[:, 0])) > 0.01)
        ax.set(title=f"{name}\noff by over 0.01 on {wrong:.0%}", xlabel="x")
    axes[0].set_ylabel("y")
    axes[0].legend(frameon=False, loc="upper left")
    series = list(overshoot)[1]
    return figure, (
        f"Four steps, seen at {len(y)} random points without noise. A Fourier series fitted by least squares "
        f"overshoots by {overshoot[series]:.2g} of the whole height and rings; a network of ReLU layers smears the "
        f"jumps. Later blocks of rfnn see the output of earlier ones and turn it into steps: {model.n_blocks_} blocks, "
        f"overshoot {overshoot['rfnn']:.1g}."
    )


def steps_at(x):
    return np.digitize(x, [-0.5, 0.0, 0.5]) / 3


def shock(quick):
    """A shock front in two dimensions"""
    X, y = datasets.shock(250 if quick else 2000, random_state=1)
    model = network(**({"blocks": 1, "width": 20, "members": 1} if quick else {})).fit(X, y)
    X_test, y_test = datasets.shock(4000, random_state=2)
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.9))
    u = np.linspace(0, 1, 241)
    grid = np.array(np.meshgrid(u, u)).reshape(2, -1).T
    radius = np.hypot(*grid.T)
    truth = np.where(radius < 0.7, 1 + 2 * (radius / 0.7) ** 3, 0.5 + 0.1 * np.cos(8 * grid[:, 0]))
    predicted = model.predict(grid)
    limits = {"vmin": 0.4, "vmax": 3.0, "cmap": "viridis", "rasterized": True}
    points = axes[0].scatter(*X.T, c=y, s=4, linewidths=0, **limits)
    axes[0].set_title(f"{len(y)} measurements")
    axes[1].pcolormesh(u, u, predicted.reshape(241, 241), **limits)
    axes[1].set_title("network")
    figure.colorbar(points, ax=axes[:2], label="pressure", shrink=0.85)
    error = axes[2].pcolormesh(u, u, abs(predicted - truth).reshape(241, 241), vmin=0, vmax=1, cmap="magma_r",
                               rasterized=True)  # fmt: skip
    axes[2].set_title("absolute error")
    figure.colorbar(error, ax=axes[2], shrink=0.85, extend="max")
    for ax in axes:
        ax.set(aspect="equal", xlim=(0, 1), ylim=(0, 1), xlabel="x")
    axes[0].set_ylabel("y")
    far = abs(np.hypot(*X_test.T) - 0.7) > 0.05
    residual = model.predict(X_test) - y_test
    return figure, (
        f"{len(y)} measurements of a pressure that jumps across a circle. On fresh points R² is "
        f"{r2_score(y_test, y_test + residual):.3f}. The error is at the front itself, which no measurement has "
        f"located better than the distance of its neighbours; further away than 0.05 the root mean squared error is "
        f"{np.sqrt(np.mean(residual[far] ** 2)):.2g}."
    )


def image(quick):
    """An image from a part of its pixels"""
    size = 24 if quick else 72
    v, u = np.mgrid[0:size, 0:size] / (size - 1)
    rings = np.cos(26 * np.hypot(u - 0.35, v - 0.4)) * np.exp(-4 * ((u - 0.35) ** 2 + (v - 0.4) ** 2))
    picture = 0.5 + 0.28 * rings + 0.2 * np.sin(9 * u + 5 * v) * v + 0.12 * np.cos(38 * (u - v)) * (u > 0.55) * u
    X, y = np.c_[u.ravel(), v.ravel()], picture.ravel()
    given = np.random.default_rng(1).uniform(size=len(y)) < 0.4
    model = network(**({"blocks": 1, "width": 20, "members": 1} if quick else {})).fit(X[given], y[given])
    filled = model.predict(X)
    figure, axes = plt.subplots(1, 3, figsize=(11, 4))
    seen = np.where(given, y, np.nan)
    for ax, values, title in zip(axes, (seen, filled, y), (f"{given.mean():.0%} of the pixels", "network", "original")):
        ax.imshow(values.reshape(size, size), cmap="gray", vmin=0, vmax=1, interpolation="nearest")
        ax.set(title=title, xticks=[], yticks=[])
    axes[0].set_facecolor("#f2c9a8")
    ratio = -10 * np.log10(np.mean((filled - y)[~given] ** 2))
    return figure, (
        f"A generated picture of {size}×{size} pixels, of which {given.sum()} are given. The network is a function of "
        f"the place and so has a value for the others: their peak signal-to-noise ratio is {ratio:.0f} dB. "
        "The texture on the right ends at an edge, which is the hard part."
    )


def boosting():
    """A tree booster as it comes, one searched for, and its name."""
    try:
        from xgboost import XGBRegressor

        plain = XGBRegressor(n_jobs=1, random_state=1)
        grid = {"max_depth": [2, 4], "learning_rate": [0.05, 0.15], "n_estimators": [150, 500]}
        return plain, GridSearchCV(plain, grid, cv=3), "XGBoost"
    except ImportError:
        from sklearn.ensemble import HistGradientBoostingRegressor

        plain = HistGradientBoostingRegressor(random_state=1)
        grid = {"max_depth": [2, 4], "learning_rate": [0.05, 0.15], "max_iter": [150, 500]}
        return plain, GridSearchCV(plain, grid, cv=3), "HistGradientBoosting of scikit-learn"


def smooth_table(rows, noise, seed):
    random = np.random.default_rng(seed)
    X = random.uniform(0, 1, (rows, 6))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return X, y + noise * random.standard_normal(rows)


def stepped_table(rows, noise, seed):
    random = np.random.default_rng(seed)
    X = random.uniform(0, 1, (rows, 6))
    y = 4.0 * (X[:, 0] > 0.3) * (X[:, 1] > 0.6) + 3.0 * (X[:, 2] > 0.5) - 2.0 * (X[:, 3] > 0.7) * (X[:, 4] < 0.4)
    return X, y + noise * random.standard_normal(rows)


def table(quick):
    """Tables against boosted trees: where each is at home"""
    sizes = [50, 100] if quick else [100, 300, 900]
    plain, searched, name = boosting()
    if quick:
        searched.param_grid = {"max_depth": [2, 4]}
    figure, axes = plt.subplots(1, 2, figsize=(11, 4))
    last, humbled = [], []
    for ax, make, noise, title in zip(
        axes, (smooth_table, stepped_table), (1.0, 0.5), ("smooth in six inputs", "thresholds in six inputs")
    ):
        X_test, y_test = make(4000, 0.0, 2)
        scores = np.array([
            [m.fit(*make(rows, noise, 1)).score(X_test, y_test) for m in (network(), plain, searched)] for rows in sizes
        ])  # fmt: skip
        short = name.split()[0]
        for values, label, colour, mark in zip(
            scores.T, ("rfnn, defaults", f"{short}, defaults", f"{short}, best of a search"),
            (BLUE, ORANGE, GREEN), ("o-", "s--", "^:"),
        ):  # fmt: skip
            ax.plot(sizes, values, mark, color=colour, label=label)
        ax.set(xscale="log", xlabel="rows to train on", ylabel="R² on 4000 exact values", title=title)
        ax.set_xticks(sizes, [str(rows) for rows in sizes], minor=False)
        ax.minorticks_off()
        ax.legend(frameon=False, loc="lower right")
        last.append(scores[-1])
        humbled += [f"{rows} rows ({title.split()[0]})" for rows, score in zip(sizes, scores[:, 0]) if abs(score) < 0.01]
    remark = f" With {' and '.join(humbled)} nothing beat the mean on the held-out rows, so it kept to the mean."
    remark = remark if humbled else ""
    return figure, (
        f"Two noisy tables with six columns, one of them idle, against {name}. On the smooth one rfnn has R² "
        f"{last[0][0]:.3f} with {sizes[-1]} rows, the booster {last[0][1]:.3f} as it comes and {last[0][2]:.3f} after "
        f"a search. On the one made of thresholds along the axes it is {last[1][0]:.3f} against {last[1][1]:.3f} and "
        f"{last[1][2]:.3f}: that is what trees are made for."
        f"{remark}"
    )


def tolerance(quick):
    """Growing to a tolerance"""
    X, y = datasets.sine(500 if quick else 2000, random_state=1)
    goals = [1e-2, 3e-3] if quick else [1e-2, 1e-3, 2e-4]
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4))
    grown = []
    for goal, colour in zip(goals, (ORANGE, GREEN, BLUE)):
        model = network(preset="paper", keep="best", iterations=100 if quick else 500, blocks=30, tolerance=goal,
                        validation_fraction=0.1).fit(X, y)  # fmt: skip
        errors = model.history_["validation_mse"]
        left.plot(range(1, len(errors) + 1), errors, "o-", color=colour, markersize=10 - 2.5 * len(grown),
                  zorder=3 - len(grown), label=f"asked for {goal:g}: {counted(model.n_blocks_)}")  # fmt: skip
        left.axhline(goal, color=colour, linewidth=1, linestyle=":")
        grown.append(model)
    left.set(yscale="log", xlabel="blocks", ylabel="mean squared error on held-out rows", title="Until it is enough")
    left.xaxis.get_major_locator().set_params(integer=True)
    left.legend(frameon=False)
    x = np.linspace(0, 1, 600)
    stages = list(grown[-1].staged_predict(np.c_[x, np.full((600, 2), 0.5)]))
    truth = np.exp(-((x - 0.5) ** 2) / 2) * sici((x - 0.5) / 0.1)[0]
    right.plot(x, truth, color=GREY, linewidth=5, alpha=0.35, label="truth")
    for block, colour in ((1, ORANGE), (2, GREEN), (len(stages), BLUE)):
        right.plot(x, stages[block - 1], color=colour, linewidth=1.4, label=f"after {counted(block)}")
    right.set(xlabel="first input, the others 0.5", ylabel="y", title="The last one, as it grew")
    right.legend(frameon=False)
    words = "; ".join(
        f"{goal:g}: {counted(model.n_blocks_)}" + ("" if model.stop_reason_ == "tolerance" else ", and not reached")
        for model, goal in zip(grown, goals)
    )
    return figure, (
        f"A function of three inputs, {len(y)} rows. Blocks are added until the mean squared error on held-out rows is "
        f"as small as asked. {words}. The larger networks begin with the blocks of the smaller ones. "
        'The algorithm is the published one (preset="paper", keep="best").'
    )


def counted(blocks):
    return f"{blocks} block{'' if blocks == 1 else 's'}"


STORIES = {story.__name__: story for story in (spectrum, ringing, shock, image, table, tolerance)}

STYLE = """:root{color-scheme:light dark}body{max-width:1120px;margin:2rem auto;padding:0 1rem;line-height:1.5;
font-family:system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
img{width:100%;height:auto;background:#fff;border-radius:8px}figure{margin:0 0 2.5rem}h2{margin:0 0 .4rem}"""


def page(told):
    parts = [f"<!doctype html><html lang=en><meta charset=utf-8><title>rfnn: gallery</title><style>{STYLE}</style>",
             "<h1>rfnn: gallery</h1>"]  # fmt: skip
    for name, (title, text) in told.items():
        title = html.escape(title)
        parts.append(f"<figure><h2>{title}</h2><img src='{name}.png' alt='{title}'>")
        parts.append(f"<figcaption>{html.escape(text)}</figcaption></figure>")
    return "\n".join(parts) + "\n"


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default="gallery", type=pathlib.Path, help="folder for the pictures [gallery]")
    parser.add_argument("--quick", action="store_true", help="few rows, rough pictures")
    parser.add_argument("--only", nargs="+", choices=list(STORIES), default=list(STORIES), help="stories to tell [all]")
    given = parser.parse_args(words)
    given.out.mkdir(parents=True, exist_ok=True)
    told = {}
    style = {"figure.constrained_layout.use": True, "axes.spines.top": False, "axes.spines.right": False}
    with plt.rc_context(style):
        for name in given.only:
            print(f"{name} …", file=sys.stderr, flush=True)
            figure, text = STORIES[name](given.quick)
            figure.savefig(given.out / f"{name}.png", dpi=110)
            plt.close(figure)
            told[name] = (STORIES[name].__doc__, text)
            print(text)
    (given.out / "index.html").write_text(page(told), encoding="utf-8")
    print(f"{given.out / 'index.html'}", file=sys.stderr)


if __name__ == "__main__":
    main()
