#!/usr/bin/env python3
"""Draws the README's picture from the output of the rfnn command.

    make build
    python3 -m venv .venv && .venv/bin/pip install matplotlib
    .venv/bin/python docs/images/make_picture.py build/rfnn

Trains three blocks on the paper's multiscale function (about ten seconds), predicts after each of them, and writes
multiscale-light.svg and multiscale-dark.svg beside this script. Another folder may be given as second argument.
"""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

TRUE_LINES = {4: 1.0, 70: 0.3, 150: 0.05}
BLOCKS = 3
WINDOW = (0.0, 0.4)
FIT = f"--keep best --iterations 20000 --blocks {BLOCKS} --seed 1".split()

THEMES = {
    "light": dict(text="#1f2328", faint="#8c959f", grid="#d1d9e0", truth="#6e7781", blocks=["#0969da", "#bc4c00", "#1a7f37"]),
    "dark": dict(text="#e6edf3", faint="#7d8590", grid="#30363d", truth="#9198a1", blocks=["#58a6ff", "#f0883e", "#3fb950"]),
}


def columns(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [float(row[name]) for row in rows] for name in rows[0]}


def train(rfnn, folder):
    """Everything the picture shows, from the command's own output."""

    def run(*words):
        return subprocess.run([rfnn, *map(str, words)], cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout

    run("generate", "multiscale", "--rows", 2000, "--seed", 1, "--out", "train.csv")
    run("generate", "multiscale", "--rows", 10000, "--seed", 2, "--out", "test.csv")
    run("fit", "train.csv", "--target", "y", "--preset", "paper", "--out", "model.rfnn", "--quiet", *FIT)
    predictions, errors = [], []
    for block in range(1, BLOCKS + 1):
        run("predict", "model.rfnn", "test.csv", "--blocks", block, "--out", f"block{block}.csv", "--quiet")
        predictions.append(columns(folder / f"block{block}.csv")["y"])
        scores = run("evaluate", "model.rfnn", "test.csv", "--blocks", block, "--json", "--quiet")
        errors.append(json.loads(scores)["mse"])
    spectrum = json.loads(run("inspect", "model.rfnn", "--json"))["spectrum"]
    return columns(folder / "test.csv"), predictions, errors, [line for line in spectrum if line["branch"] == "input"]


def scientific(value):
    mantissa, exponent = f"{value:.1e}".split("e")
    return rf"${mantissa}\times10^{{{int(exponent)}}}$"


def draw(test, predictions, errors, lines, theme, place):
    plt.rcParams.update({
        "font.size": 10, "svg.fonttype": "path", "svg.hashsalt": "rfnn", "axes.spines.top": False, "axes.spines.right": False,
        "text.color": theme["text"], "axes.labelcolor": theme["text"], "axes.edgecolor": theme["faint"],
        "xtick.color": theme["text"], "ytick.color": theme["text"],
    })
    figure = plt.figure(figsize=(9.6, 6.4), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.1, h_pad=0.06)
    grid = figure.add_gridspec(3, BLOCKS, height_ratios=[1.25, 0.8, 1.35])

    inside = sorted((i for i, x in enumerate(test["x"]) if WINDOW[0] <= x <= WINDOW[1]), key=lambda i: test["x"][i])
    x = [test["x"][i] for i in inside]
    target = [test["y"][i] for i in inside]
    top, rest = [], []
    for block, (prediction, error, colour) in enumerate(zip(predictions, errors, theme["blocks"])):
        here = [prediction[i] for i in inside]
        axes = figure.add_subplot(grid[0, block], sharey=top[0] if top else None)
        axes.plot(x, target, color=theme["truth"], linewidth=4, alpha=0.55, label="target", solid_capstyle="round")
        axes.plot(x, here, color=colour, linewidth=1.3, label="prediction")
        axes.set_title(f"after block {block + 1}", color=colour, fontweight="bold", loc="left")
        axes.set_title(f"test MSE {scientific(error)}", fontsize=9, loc="right")
        axes.tick_params(labelbottom=False, labelleft=not top)
        top.append(axes)
        below = figure.add_subplot(grid[1, block], sharex=axes, sharey=rest[0] if rest else None)
        below.axhline(0, color=theme["grid"], linewidth=1)
        below.plot(x, [a - b for a, b in zip(target, here)], color=colour, linewidth=1.1)
        below.tick_params(labelleft=not rest)
        below.set_xlabel("x")
        rest.append(below)
    top[0].set_ylabel("y")
    top[0].legend(frameon=False, fontsize=9, loc="lower left", labelcolor=theme["text"])
    rest[0].set_ylabel("what is left")

    axes = figure.add_subplot(grid[2, :])
    for frequency, amplitude in TRUE_LINES.items():
        axes.axvline(frequency, color=theme["grid"], linewidth=6, zorder=0)
        axes.annotate(f"{frequency}", (frequency, 2.0), ha="center", va="bottom", fontsize=10, fontweight="bold",
                      annotation_clip=False)
    smallest = 1e-4
    for line in lines:
        colour = theme["blocks"][line["block"] - 1]
        frequency, amplitude = line["frequency"][0], line["amplitude"][0]
        if amplitude < smallest:
            continue
        axes.vlines(frequency, smallest, amplitude, color=colour, linewidth=1.2)
        axes.plot(frequency, amplitude, "o", color=colour, markersize=4.5)
    axes.set_yscale("log")
    axes.set_ylim(smallest, 2.0)
    axes.set_xlim(-3, 160)
    axes.set_xlabel("frequency (radians per unit of x); the target holds 4, 70 and 150")
    axes.set_ylabel("amplitude")
    for block, colour in enumerate(theme["blocks"]):
        axes.plot([], [], "o", color=colour, markersize=4.5, label=f"block {block + 1}")
    axes.legend(frameon=False, fontsize=9, loc="upper center", bbox_to_anchor=(0.25, 1.0), labelcolor=theme["text"])
    for kind, extra in ((".svg", {"metadata": {"Date": None}}), (".png", {"dpi": 110})):
        if kind == ".svg" or "--png" in sys.argv:
            figure.savefig(place.with_suffix(kind), transparent=True, **extra)
    plt.close(figure)


def main():
    words = [word for word in sys.argv[1:] if word != "--png"]
    if not words:
        sys.exit(__doc__)
    rfnn = str(pathlib.Path(words[0]).resolve())
    out = pathlib.Path(words[1]) if len(words) > 1 else pathlib.Path(__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        results = train(rfnn, pathlib.Path(folder))
    for name, theme in THEMES.items():
        draw(*results, theme, out / f"multiscale-{name}.svg")
    print("test MSE after each block:", ", ".join(f"{error:.3g}" for error in results[2]))


if __name__ == "__main__":
    main()
