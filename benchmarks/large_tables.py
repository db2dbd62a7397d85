"""Fits to a table larger than the memory allowed: peak of resident memory of every process, and time.

    python benchmarks/large_tables.py [--rfnn build/rfnn] [--rows 100000000] [--ranks 4] [--memory 2GB] [--iterations 20]
                                      [--folder /var/tmp] [--max-time 300]

Makes an NPY file of floats with four inputs in slices (2 GB for 10⁸ rows; gone afterwards) and fits preset paper (width 8,
three blocks) and preset auto with a budget, by ranks of MPI or, with --ranks 0, by one process. Needs numpy, and mpirun.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time

import numpy as np

INPUTS = 4
SLICE = 1_000_000
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def write_table(path: pathlib.Path, rows: int) -> None:
    with open(path, "wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": (rows, INPUTS + 1)})
        for first in range(0, rows, SLICE):
            draw = np.random.default_rng(first)
            x = draw.random((min(SLICE, rows - first), INPUTS), dtype=np.float32)
            y = np.sin(6 * x[:, :1]) + x[:, 1:2] * x[:, 2:3] + np.float32(0.1) * draw.standard_normal((len(x), 1), dtype=np.float32)
            np.hstack([x, y]).tofile(file)


def peak(process: int) -> int:
    """Bytes that a process has had resident at the most."""
    try:
        for line in pathlib.Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return 1024 * int(line.split()[1])
    except OSError:
        pass
    return 0


def children(process: int) -> list[int]:
    try:
        return [int(each) for each in pathlib.Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()]
    except OSError:
        return []


def run(words: list[str], ranks: int, folder: pathlib.Path) -> tuple[float, list[int], list[dict]]:
    """Seconds, peaks by process, and what was told as JSON."""
    line = words if ranks == 0 else ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks), *words]
    began, peaks = time.monotonic(), {}
    with open(folder / "told", "w", encoding="utf-8") as told:
        process = subprocess.Popen(line, cwd=folder, stdout=told, env={**os.environ, **ENVIRONMENT, "TMPDIR": str(folder)})
        while process.poll() is None:
            for each in [process.pid] if ranks == 0 else children(process.pid):
                peaks[each] = max(peaks.get(each, 0), peak(each))
            time.sleep(0.05)
    if process.returncode not in (0, 4):
        raise RuntimeError(f"exit code {process.returncode}")
    events = [json.loads(each) for each in (folder / "told").read_text(encoding="utf-8").splitlines() if each.startswith("{")]
    return time.monotonic() - began, list(peaks.values()), events


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rfnn", default="build/rfnn")
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--max-time", type=float, default=300.0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--presets", nargs="+", default=["paper", "auto"])
    parser.add_argument("--folder", default="/var/tmp")
    arguments = parser.parse_args()
    rfnn = str(pathlib.Path(arguments.rfnn).resolve())
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        folder = pathlib.Path(name)
        write_table(folder / "big.npy", arguments.rows)
        for preset in arguments.presets:
            own = ["--width", "8", "--blocks", "3", "--iterations", str(arguments.iterations)] if preset == "paper" else ["--max-time", str(arguments.max_time)]
            words = [rfnn, "fit", "big.npy", "--target", str(INPUTS + 1), "--preset", preset, "--json", "--memory", arguments.memory,
                     "--threads", str(arguments.threads), "--out", f"{preset}.rfnn", *own]
            seconds, peaks, events = run(words, arguments.ranks, folder)
            shown = ", ".join(f"{each / 1e6:.0f}" for each in peaks)
            blocks = ", ".join(f"{event['seconds']:.0f}" for event in events if event["event"] == "block")
            done = [event for event in events if event["event"] == "done"][-1]
            print(f"{preset}: {seconds:.0f} s, blocks {blocks or '–'} s; peaks {shown} MB; train MSE {done.get('train_mse')}", flush=True)
            for event in events:
                if event["event"] == "warning":
                    print(f"  {event.get('text', event)}", flush=True)


if __name__ == "__main__":
    main()
