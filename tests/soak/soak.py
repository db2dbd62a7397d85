#!/usr/bin/env python3
"""Stops training at random moments, over and over, and looks at what is left.

    tests/soak/soak.py build/rfnn [--rounds N] [--seed S]

Every round draws a preset, a table of 1, 2 or 8 inputs and 50 to 20000 rows, 1, 2 or 4 threads, and a way to stop: a
signal or a time budget. Whatever the moment, the command must end by itself with exit code 0, or 4 where it was cut short, and
leave a model file that can be inspected; a model with blocks that stood there before must not be replaced by one
without because the run was cut short. No part of `make test`: it takes as long as it is told to.
"""

import argparse
import json
import math
import pathlib
import random
import signal
import subprocess
import sys
import tempfile

PATIENCE = 120.0  # seconds after a stop before a run counts as hung


def write_table(path, rows, inputs, draw):
    with open(path, "w", encoding="utf-8") as table:
        table.write(",".join([f"x{k}" for k in range(inputs)] + ["y"]) + "\n")
        for _ in range(rows):
            x = [draw.uniform(-2.0, 2.0) for _ in range(inputs)]
            y = math.sin(5.0 * x[0]) + 0.3 * sum(v * v for v in x) + 0.1 * draw.gauss(0.0, 1.0)
            table.write(",".join(repr(v) for v in [*x, y]) + "\n")


def inspect(rfnn, model):
    """What is wrong with a model file, and how many features, laws and trends it has."""
    done = subprocess.run([rfnn, "inspect", "--json", model], capture_output=True, text=True, timeout=PATIENCE)
    if done.returncode != 0:
        return f"inspect ends with {done.returncode}: {done.stderr.strip()}", 0
    found = json.loads(done.stdout)
    return None, len(found["spectrum"]) + len(found["laws"]) + len(found["trend"] or [])


def draw_plan(draw):
    plan = {
        "preset": draw.choice(["auto", "paper"]),
        "holdout": draw.choice(["random", "random", "random", "tail", "gap"]),
        "inputs": draw.choice([1, 2, 8]),
        "rows": round(math.exp(draw.uniform(math.log(50), math.log(20000)))),
        "threads": draw.choice([1, 2, 4]),
        "seed": draw.randrange(1, 1000),
        "signal": draw.choice([None, signal.SIGINT, signal.SIGTERM]),
        "after": math.exp(draw.uniform(math.log(0.005), math.log(4.0))),
    }
    return plan


def run_round(rfnn, folder, plan, draw):
    """Trains once and stops it; a sentence about what went wrong, or None."""
    table, model = folder / "table.csv", folder / "model.rfnn"
    write_table(table, plan["rows"], plan["inputs"], draw)
    command = [rfnn, "fit", table, "--target", "y", "--out", model, "--quiet", "--preset", plan["preset"],
               "--threads", str(plan["threads"]), "--seed", str(plan["seed"])]
    if plan["preset"] == "auto":
        command += ["--holdout", plan["holdout"]]
    features_before = 0
    if draw.random() < 0.5:
        # A good model is there already.
        subprocess.run([rfnn, "fit", table, "--target", "y", "--out", model, "--quiet", "--preset", "paper",
                        "--blocks", "1", "--iterations", "20"], check=True, timeout=PATIENCE)
        features_before = inspect(rfnn, model)[1]
    if plan["signal"] is None:
        command += ["--max-time", f"{plan['after']:.4f}"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        if plan["signal"] is not None:
            try:
                running.wait(plan["after"])
            except subprocess.TimeoutExpired:
                running.send_signal(plan["signal"])
        _, errors = running.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        running.kill()
        running.communicate()
        return "does not end"
    # A signal may come before the command listens to it.
    if plan["signal"] is not None and running.returncode == -plan["signal"] and plan["after"] < 0.1:
        return None
    if running.returncode not in (0, 4):
        return f"ends with {running.returncode}: {errors.strip()[-500:]}"
    if not model.exists():
        return None if running.returncode == 4 else "leaves no model"
    wrong, features = inspect(rfnn, model)
    if wrong:
        return wrong
    # One that was trained to its end and found nothing to be learnt may say so.
    if features_before > 0 and features == 0 and running.returncode == 4:
        return "replaces a model with blocks by one without"
    left = [path.name for path in folder.iterdir() if path.name not in ("table.csv", "model.rfnn")]
    return f"leaves {', '.join(left)} behind" if left else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rfnn", help="the command")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rfnn = str(pathlib.Path(arguments.rfnn).resolve())
    failures = 0
    for number in range(arguments.rounds):
        draw = random.Random(f"{arguments.seed}:{number}")
        plan = draw_plan(draw)
        with tempfile.TemporaryDirectory() as folder:
            wrong = run_round(rfnn, pathlib.Path(folder), plan, draw)
        if wrong:
            failures += 1
            print(f"round {number}: {wrong}\n    {plan}", flush=True)
    print(f"{arguments.rounds - failures} of {arguments.rounds} rounds passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
