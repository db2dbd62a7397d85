#!/usr/bin/env python3
"""Error bars away from the rows: beyond the last one, and in a gap.

    opening.py PATH/TO/rfnn [FILE:TARGET ...] [--draws N] [--threads T] [--max-time S] [--fit-args "..."]

Tables (one input, FILE:TARGET) are cut off after the first 80 % in time and fitted with `--holdout tail`: printed are
the share of the last fifth inside the 90 % band, and how wide the band is there, at its end and in the mean, over what
it is among the rows; and the same without `--holdout tail`, where a model does not know that it is to be gone beyond. A sine on [0, 10] has no rows between 4 and 6; 150 rows, noise of 0.1 and 0.01 in turn: printed
are, draw by draw, whether the truth lies inside the 90 % band everywhere in the gap, and how wide the band is in the
middle of the gap over the mean among the rows. Needs numpy.
"""
import argparse
import csv
import pathlib
import subprocess
import tempfile

import numpy as np


def write(path, columns):
    np.savetxt(path, np.column_stack(list(columns.values())), delimiter=",", header=",".join(columns), comments="",
               fmt="%.17g")


def band(o, options, x, y, at, folder):
    """What is predicted at `at`, and the 90 % band: (predicted, lower, upper)."""
    train, asked, model, out = (folder / name for name in ("train.csv", "asked.csv", "m.rfnn", "p.csv"))
    write(train, {"x": x, "y": y})
    write(asked, {"x": at})
    limit = ["--max-time", str(o.max_time)] if o.max_time else []
    subprocess.run([o.rfnn, "fit", train, "--target", "y", "--out", model, "--quiet", "--threads", str(o.threads),
                    *limit, *options, *o.fit_args.split()], check=True, capture_output=True)
    subprocess.run([o.rfnn, "predict", model, asked, "--out", out, "--interval", "0.9", "--quiet"], check=True,
                   capture_output=True)
    return np.loadtxt(out, delimiter=",", skiprows=1).T


def beyond(o, listed, folder):
    path, _, target = listed.rpartition(":")
    with open(path, newline="") as file:
        header, *rows = csv.reader(file)
    numbers = np.array(rows, dtype=float)
    y, x = numbers[:, header.index(target)], numbers[:, 1 - header.index(target)]
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    cut = len(x) * 4 // 5
    for options in (["--holdout", "tail"], []):
        _, low, high = band(o, options, x[:cut], y[:cut], x, folder)
        inside, width = (low <= y) & (y <= high), high - low
        among = width[:cut].mean()
        print(f"{pathlib.Path(path).stem}, {' '.join(options) or 'as it is'}: {100 * inside[cut:].mean():.1f} % of the "
              f"last fifth inside the 90 % band, {100 * inside[:cut].mean():.1f} % of the rows; as wide as among the "
              f"rows times {width[cut:].mean() / among:.2f} in the mean, {width[cut] / among:.2f} at the cut, "
              f"{width[-1] / among:.2f} at the end; {width[-1] / y[:cut].std():.2f} deviations of the target", flush=True)


def gap(o, draw, noise, folder):
    random = np.random.default_rng(draw)
    x = random.uniform(0.0, 8.0, 150)
    x[x > 4.0] += 2.0
    y = np.sin(x) + noise * random.normal(size=x.size)
    inside, among = np.linspace(4.0, 6.0, 41), np.concatenate([np.linspace(0.5, 3.5, 31), np.linspace(6.5, 9.5, 31)])
    _, low, high = band(o, [], x, y, np.concatenate([inside, among]), folder)
    truth = np.sin(inside)
    holds = bool(np.all((low[:41] <= truth) & (truth <= high[:41])))
    width = high - low
    print(f"sine with a gap, draw {draw}, noise {noise}: {'holds the truth' if holds else 'MISSES'}, "
          f"{width[20] / width[41:].mean():.1f} times as wide in the middle", flush=True)
    return holds, width[20] > width[41:].mean()


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("rfnn")
    a.add_argument("tables", nargs="*")
    a.add_argument("--draws", type=int, default=10)
    a.add_argument("--threads", type=int, default=1)
    a.add_argument("--max-time", type=float)
    a.add_argument("--fit-args", default="")
    o = a.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for listed in o.tables:
            beyond(o, listed, pathlib.Path(folder))
        told = [gap(o, draw, (0.1, 0.01)[draw % 2], pathlib.Path(folder)) for draw in range(o.draws)]
        if told:
            print(f"the truth everywhere in the gap inside the 90 % band: {sum(t[0] for t in told)} of {len(told)}; "
                  f"the band opens: {sum(t[1] for t in told)}")


if __name__ == "__main__":
    main()
