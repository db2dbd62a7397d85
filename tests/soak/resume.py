#!/usr/bin/env python3
"""Kills training with SIGKILL at random moments, resumes it, and compares tensors with those of a run left alone.

    tests/soak/resume.py build/rfnn [--moments N] [--seed S]

Moments are spread over both presets and over tables that go through every way to find a block; a run is killed up to three
times before it may end. The end must be that of the run left alone, to the bit. No part of `make test`.
"""

import argparse
import csv
import json
import math
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

PATIENCE = 600.0

# name, options, inputs, rows, what to hold out
PLANS = [
    ("paper", ["--preset", "paper", "--width", "12", "--blocks", "4", "--iterations", "1500"], 2, 3000),
    ("paper, best kept, both branches", ["--preset", "paper", "--width", "20", "--blocks", "3", "--iterations", "600", "--keep", "best"], 3, 2000),
    ("paper, iterative, some rows", ["--preset", "paper", "--width", "8", "--blocks", "3", "--iterations", "250", "--solver", "iterative", "--proposal-fraction", "0.3"], 2, 2000),
    ("auto, one input", [], 1, 1500),
    ("auto, two inputs, windows", [], 2, 6000),
    ("auto, eight inputs, few rows", ["--threads", "2"], 8, 300),
    ("auto, eight inputs", [], 8, 5000),
    ("auto, members", ["--members", "3"], 3, 600),
    ("auto, to forecast", ["--holdout", "tail"], 1, 1200),
]


def write_table(path, rows, inputs, draw):
    with open(path, "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow([f"x{k}" for k in range(inputs)] + ["y"])
        for _ in range(rows):
            x = [draw.uniform(-2.0, 2.0) for _ in range(inputs)]
            y = math.sin(5.0 * x[0]) + 0.3 * math.prod(x[:2]) + sum(0.2 * v * v for v in x[1:]) + 0.05 * draw.gauss(0.0, 1.0)
            table.writerow([*x, y])


def tensors(model):
    data = pathlib.Path(model).read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + length])
    return {name: entry for name, entry in header.items() if name != "__metadata__"}, data[8 + length :]


def killed_after(words, seconds):
    """Runs a command for so long; True where it had to be killed."""
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        _, error = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.communicate()
        return True
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: exit code {process.returncode}\n{error}")
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rfnn")
    parser.add_argument("--moments", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", default="0.2", help="seconds between checkpoints")
    arguments = parser.parse_args()
    rfnn = str(pathlib.Path(arguments.rfnn).resolve())
    draw = random.Random(arguments.seed)
    moments = wrong = number = 0
    alone = {}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        while moments < arguments.moments:
            name, options, inputs, rows = PLANS[number % len(PLANS)]
            number += 1
            table, run = folder / f"{name}.csv", folder / "run"
            fit = [rfnn, "fit", str(table), "--target", "y", "--quiet", *options]
            if name not in alone:
                write_table(table, rows, inputs, random.Random(7))
                began = time.monotonic()
                killed_after([*fit, "--out", str(folder / f"{name}.rfnn")], PATIENCE)
                alone[name] = (time.monotonic() - began, tensors(folder / f"{name}.rfnn"))
            seconds, expected = alone[name]
            shutil.rmtree(run, ignore_errors=True)
            out = folder / "out.rfnn"
            out.unlink(missing_ok=True)
            words = [*fit, "--out", str(out), "--run-dir", str(run), "--checkpoint-every", arguments.every]
            kills, ended = [], False
            for _ in range(draw.randint(1, 3)):
                after = draw.uniform(0.05, 1.0) * seconds
                if not killed_after(words, after):
                    ended = True
                    break
                kills.append(after)
                if (run / "run.json").exists():  # killed before there was one: as if it had not begun
                    words = [rfnn, "fit", "--resume", str(run), "--quiet"]
            began = time.monotonic()
            if not ended:
                killed_after(words, PATIENCE)
            moments += len(kills)
            same = tensors(out) == expected
            wrong += not same
            shown = ", ".join(f"{after:.2f}" for after in kills) or "none"
            print(f"{name}: {seconds:.2f} s alone; killed after {shown} s; then {time.monotonic() - began:.2f} s: "
                  f"{'same bits' if same else 'OTHER BITS'}", flush=True)
    print(f"{moments} moments, {wrong} of the results with other bits")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
