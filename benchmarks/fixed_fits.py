#!/usr/bin/env python3
"""Ten fixed fits, five per preset: a hash of the tensors of each, so that any two builds can be compared.

    python3 benchmarks/fixed_fits.py build/rfnn                 prints a line per fit: hash, training error, seconds
    python3 benchmarks/fixed_fits.py build/rfnn OTHER/rfnn      prints both, and which fits have the same tensors

Needs nothing but Python. The tables are generated here, with six digits, so that they are the same everywhere. Tensors
depend on data, options and seed alone: a change of the code that is to change no result leaves every hash as it was, on
the same kind of processor (another SIMD level rounds differently). Exit code 1: the builds differ.
"""

import hashlib
import json
import math
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import time


def table(rows, inputs, function, noise, seed):
    """Lines of a CSV file with inputs x1, x2, … and the target y."""
    source = random.Random(seed)
    lines = [",".join([f"x{k + 1}" for k in range(inputs)] + ["y"])]
    for _ in range(rows):
        x = [source.uniform(-1, 1) for _ in range(inputs)]
        y = function(x) + noise * source.gauss(0, 1)
        lines.append(",".join(f"{number:.6f}" for number in [*x, y]))
    return "\n".join(lines) + "\n"


def multiscale(x):
    return math.cos(4 * x[0]) + 0.3 * math.sin(70 * x[0]) + 0.05 * math.cos(150 * x[0])


def field(x):
    return math.tanh(8 * (x[0] + 0.5 * x[1] - 0.2)) + 0.3 * math.sin(6 * x[1])


def friedman(x):
    u = [(v + 1) / 2 for v in x]
    return 10 * math.sin(math.pi * u[0] * u[1]) + 20 * (u[2] - 0.5) ** 2 + 10 * u[3] + 5 * u[4]


TABLES = {
    "line": (800, 1, multiscale, 0.01, 1),
    "field": (900, 2, field, 0.05, 2),
    "friedman": (600, 5, friedman, 1.0, 3),
    "many": (3000, 3, lambda x: friedman([*x, 0.0, 0.0]), 0.3, 4),
    "few": (60, 4, lambda x: x[0] * x[1] + x[2], 0.1, 5),
}
PAPER = ["--preset", "paper", "--blocks", "3", "--iterations", "200", "--width", "4"]
FITS = {
    "paper, one input": ("line", PAPER),
    "paper, two inputs, best state": ("field", [*PAPER, "--keep", "best"]),
    "paper, five inputs, outputs standardised": ("friedman", [*PAPER, "--standardise-outputs", "true"]),
    "paper, subsets, QR": ("many", [*PAPER, "--block-rows", "subset", "--solver", "qr"]),
    "paper, held-out rows, patience": ("few", [*PAPER, "--validation-fraction", "0.2", "--patience", "1"]),
    "auto, one input": ("line", []),
    "auto, two inputs, few features": ("field", ["--width", "8", "--blocks", "3", "--members", "1"]),
    "auto, five inputs": ("friedman", ["--members", "1"]),
    "auto, three inputs, features": ("many", ["--width", "200", "--blocks", "2", "--members", "1"]),
    "auto, few rows": ("few", []),
}


def hash_of_tensors(path):
    """Of names, shapes and numbers of all tensors of a model file."""
    content = path.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    del header["__metadata__"]
    digest = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
    digest.update(content[8 + length :])
    return digest.hexdigest()[:16]


def fit(program, data, words, folder):
    """Hash, training error and seconds of one fit."""
    model = folder / "model.rfnn"
    command = [program, "fit", data, "--target", "y", "--out", model, "--seed", "1", "--threads", "1", "--json", *words]
    began = time.monotonic()
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nended with {done.returncode}: {done.stderr.strip()}")
    last = json.loads(done.stdout.splitlines()[-1])
    return hash_of_tensors(model), last["train_mse"], time.monotonic() - began


def main():
    programs = [pathlib.Path(word).resolve() for word in sys.argv[1:]]
    if not 1 <= len(programs) <= 2 or not all(program.is_file() for program in programs):
        sys.exit(__doc__)
    differ = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, shape in TABLES.items():
            (folder / f"{name}.csv").write_text(table(*shape))
        for name, (data, words) in FITS.items():
            found = [fit(program, folder / f"{data}.csv", words, folder) for program in programs]
            shown = "   ".join(f"{hash}  {error:.6e}  {seconds:5.1f} s" for hash, error, seconds in found)
            same = len({hash for hash, _, _ in found}) == 1
            differ += not same
            print(f"{name:42} {shown}" + ("" if len(found) == 1 else "   same" if same else "   DIFFERENT"), flush=True)
    if len(programs) == 2:
        print(f"{len(FITS) - differ} of {len(FITS)} the same")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
