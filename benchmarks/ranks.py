"""What passes over ranks of MPI cost on this machine: coefficients of the model in docs/scale.md, and its predictions.

    python benchmarks/ranks.py [--rfnn build/rfnn] [--rows 200000] [--ranks 1 2 3 4]

Needs numpy and mpirun. Prints seconds per proposal of block 2 (width 8, 4 inputs, 1 output, one thread a rank), for few
rows (latency) and for many (arithmetic), and the weak scaling: as many rows per rank, against as many processes that
know nothing of each other.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np

WIDTH, INPUTS, OUTPUTS = 8, 4, 1
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def write_parts(folder: pathlib.Path, rows: int, ranks: int) -> None:
    for rank in range(ranks):
        random = np.random.default_rng(rank)
        x = random.standard_normal((rows, INPUTS))
        y = np.sin(2 * x[:, :1]) + x[:, 1:2] * x[:, 2:3]
        np.save(folder / f"part-{rank}.npy", np.hstack([x, y]))


def start(rfnn: str, folder: pathlib.Path, ranks: int, iterations: int, data: str, model: str) -> subprocess.Popen:
    line = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks), rfnn, "fit", data, "--target", "5",
            "--preset", "paper", "--width", str(WIDTH), "--blocks", "2", "--iterations", str(iterations),
            "--threads", "1", "--json", "--out", model]
    # OpenMPI's jobs of one user share a folder below TMPDIR, and one that ends may take it from another that begins.
    own = folder / f"tmp-{pathlib.Path(model).stem}"
    own.mkdir(exist_ok=True)
    environment = {**os.environ, **ENVIRONMENT, "TMPDIR": str(own)}
    return subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE, text=True, env=environment)


def seconds_per_proposal(process: subprocess.Popen, iterations: int) -> float:
    """Of block 2: two proposals an iteration, one per branch."""
    out, _ = process.communicate(timeout=600)
    events = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    blocks = [event for event in events if event["event"] == "block"]
    return blocks[1]["seconds"] / (2 * iterations)


def operations_per_row() -> float:
    """Multiply-adds of a proposal, features computed anew, as docs/scale.md counts them."""
    columns, proposed = 4 * WIDTH, 2 * WIDTH
    return 20 * (columns / 2 + proposed / 2) + proposed * (columns + proposed + OUTPUTS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rfnn", default="build/rfnn")
    parser.add_argument("--rows", type=int, default=200000, help="of each rank")
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 3, 4])
    arguments = parser.parse_args()
    rfnn = str(pathlib.Path(arguments.rfnn).resolve())
    most = max(arguments.ranks)
    few, many = 4096, arguments.rows
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_parts(folder, few, most)
        latency = {p: seconds_per_proposal(start(rfnn, folder, p, 100, "part-%r.npy", "few.rfnn"), 100)
                   for p in arguments.ranks}
        write_parts(folder, many, most)
        time, alone = {}, {}
        for p in arguments.ranks:
            time[p] = seconds_per_proposal(start(rfnn, folder, p, 5, "part-%r.npy", "many.rfnn"), 5)
            each = [start(rfnn, folder, 1, 5, f"part-{r}.npy", f"one-{r}.rfnn") for r in range(p)]
            alone[p] = max(seconds_per_proposal(process, 5) for process in each)
    rate = operations_per_row() * (many - few) / (time[1] - latency[1])
    print(f"multiply-adds per row {operations_per_row():.0f}, per second and rank {rate:.3g}")
    print(f"{'ranks':>5} {'few rows':>10} {'many rows':>10} {'predicted':>10} {'alone':>10} {'alone/many':>10}")
    for p in arguments.ranks:
        cores = min(1.0, len(os.sched_getaffinity(0)) / p)
        predicted = operations_per_row() * (many - few) / rate / cores + latency[p]
        print(f"{p:5} {latency[p]:10.2e} {time[p]:10.2e} {predicted:10.2e} {alone[p]:10.2e} {alone[p] / time[p]:10.2f}")


if __name__ == "__main__":
    main()
