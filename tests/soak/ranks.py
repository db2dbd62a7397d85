#!/usr/bin/env python3
"""Kills a rank of MPI at random moments, goes on with another number of ranks, and compares tensors with those of a run left alone.

    tests/soak/ranks.py build/rfnn [--kills N] [--seed S]

A rank killed has to end the job within ten seconds, with a message and a checkpoint that can be read; the end must be that of the
run left alone, to the bit. No part of `make test`.
"""

import argparse
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from resume import tensors, write_table

PATIENCE = 600.0
PLANS = [
    ("paper", ["--preset", "paper", "--width", "8", "--blocks", "6", "--iterations", "150", "--validation-fraction", "0.1"], 2, 6000),
    ("paper, iterative", ["--preset", "paper", "--width", "6", "--blocks", "4", "--iterations", "20", "--solver", "iterative"], 3, 4000),
    ("auto", ["--width", "24", "--blocks", "6"], 3, 3000),
]


def mpirun(ranks, rfnn, words):
    return ["mpirun", "--oversubscribe", "-n", str(ranks), rfnn, *words, "--threads", "1", "--quiet"]


def ranks_of(process):
    """The ranks: children of mpirun's."""
    try:
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="ascii").split()
        return [int(child) for child in children]
    except OSError:
        return []


def run_and_kill(words, after, ranks, draw):
    """Kills a rank after so many seconds. None where the job had ended by then, else what it said and seconds it took to end."""
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + PATIENCE
    while process.poll() is None and len(ranks_of(process)) < ranks and time.monotonic() < end:
        time.sleep(0.01)
    try:
        _, error = process.communicate(timeout=after)
        if process.returncode != 0:
            raise RuntimeError(f"{' '.join(words)}: exit code {process.returncode}\n{error}")
        return None
    except subprocess.TimeoutExpired:
        pass
    there = ranks_of(process)
    if not there:
        process.communicate()
        return None
    began = time.monotonic()
    os.kill(draw.choice(there), signal.SIGKILL)
    _, error = process.communicate(timeout=PATIENCE)
    return error if process.returncode != 0 else "exit code 0", time.monotonic() - began


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rfnn")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rfnn = str(pathlib.Path(arguments.rfnn).resolve())
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    draw = random.Random(arguments.seed)
    kills = wrong = number = 0
    alone = {}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        # OpenMPI's jobs of one user share a folder below TMPDIR, and one that ends may take it from another that begins.
        os.environ["TMPDIR"] = str(folder)
        while kills < arguments.kills:
            name, options, inputs, rows = PLANS[number % len(PLANS)]
            number += 1
            table, run, out = folder / f"{name}.csv", folder / "run", folder / "out.rfnn"
            fit = ["fit", str(table), "--target", "y", *options, "--out", str(out)]
            if name not in alone:
                write_table(table, rows, inputs, random.Random(7))
                began = time.monotonic()
                subprocess.run(mpirun(2, rfnn, fit), check=True, timeout=PATIENCE)
                alone[name] = time.monotonic() - began, tensors(out)
            seconds, expected = alone[name]
            shutil.rmtree(run, ignore_errors=True)
            out.unlink(missing_ok=True)
            words, told = [*fit, "--run-dir", str(run), "--checkpoint-every", "0.2"], []
            for _ in range(draw.randint(1, 3)):
                ranks = draw.randint(1, 4)
                ended = run_and_kill(mpirun(ranks, rfnn, words), draw.uniform(0.0, 1.0) * seconds, ranks, draw)
                if ended is None:
                    break
                kills += 1
                said, took = ended
                checkpoint = run / "model.rfnn"
                valid = not checkpoint.exists() or subprocess.run([rfnn, "inspect", str(checkpoint)], stdout=subprocess.DEVNULL, check=False).returncode == 0
                good = took < 10.0 and "signal 9" in said and valid
                wrong += not good
                told.append(f"one of {ranks} killed, over after {took:.1f} s{'' if good else ': ' + said}{'' if valid else ', CHECKPOINT BROKEN'}")
                if (run / "run.json").exists():  # killed before there was one: as if it had not begun
                    words = ["fit", "--resume", str(run)]
            if not out.exists():
                subprocess.run(mpirun(draw.randint(1, 4), rfnn, words), check=True, timeout=PATIENCE)
            same = tensors(out) == expected
            wrong += not same
            print(f"{name}: {seconds:.2f} s alone; {'; '.join(told) or 'none killed'}: {'same bits' if same else 'OTHER BITS'}", flush=True)
    print(f"{kills} kills, {wrong} failures")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
