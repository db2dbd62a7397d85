"""Peak memory of `rfnn predict` on tables of a million and of ten million rows: it must not grow with the rows."""

import pathlib
import random
import struct
import subprocess
import tempfile
import time

from common import arguments, check, finish, output_of, program

BATCH = 100_000  # rows made once and written over and over


def write_csv(path, rows, numbers):
    text = "".join(f"{number!r},{-number!r}\n" for number in numbers).encode()
    with open(path, "wb", buffering=0) as file:
        file.write(b"x,y\n")
        for _ in range(rows // BATCH):
            file.write(text)


def write_npy(path, rows, numbers):
    cells = struct.pack(f"<{2 * BATCH}d", *(value for number in numbers for value in (number, -number)))
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, 2), }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    with open(path, "wb", buffering=0) as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
        for _ in range(rows // BATCH):
            file.write(cells)


def peak_megabytes(command):
    """Peak resident memory of a command: the kernel's high-water mark, read until the command ends. (What wait4 reports
    would include this process, whose copy the child is before it becomes the command.)"""
    peak = 0
    with subprocess.Popen([str(word) for word in command]) as child:
        while child.poll() is None:
            try:
                status = pathlib.Path(f"/proc/{child.pid}/status").read_text()
            except OSError:
                continue
            marks = [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")]
            peak = max([peak, *marks])
            time.sleep(0.002)
    if child.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))} ended with exit code {child.returncode}.")
    return peak / 1024


def main():
    given = arguments(__doc__)
    small, large = (200_000, 2_000_000) if given.quick else (1_000_000, 10_000_000)
    rfnn = program(given.build, "rfnn")
    source = random.Random(1)
    numbers = [source.uniform(-1, 1) for _ in range(BATCH)]
    result = {"rows": [small, large], "peak_megabytes": {}, "checks": []}
    print(f"Peak memory of `rfnn predict`, {small} and {large} rows")
    with tempfile.TemporaryDirectory(prefix="rfnn-bench-") as name:
        folder = pathlib.Path(name)
        model, data = folder / "small.rfnn", folder / "train.csv"
        output_of(rfnn, "generate", "multiscale", "--rows", 500, "--seed", 1, "--out", data)
        output_of(rfnn, "fit", data, "--target", "y", "--preset", "paper",
                  "--blocks", 3, "--iterations", 100, "--quiet", "--out", model)
        for kind, write in (("csv", write_csv), ("npy", write_npy)):
            # An NPY table has no names: give the model one without names too.
            if kind == "npy":
                write_npy(folder / "train.npy", BATCH, numbers)
                output_of(rfnn, "fit", folder / "train.npy", "--target", 2, "--preset", "paper",
                          "--blocks", 2, "--iterations", 3, "--quiet",
                          "--out", model)
            peaks = []
            for rows in (small, large):
                table, out = folder / f"table.{kind}", folder / f"out.{kind}"
                write(table, rows, numbers)
                peaks.append(peak_megabytes([rfnn, "predict", model, table, "--quiet", "--out", out]))
                table.unlink()
                out.unlink()
            result["peak_megabytes"][kind] = peaks
            ratio = peaks[1] / peaks[0]
            print(f"  {kind}: {peaks[0]:.1f} MB and {peaks[1]:.1f} MB")
            result["checks"].append(check(f"peak memory of predict, {kind}, {large} / {small} rows", ratio,
                                          "within 10 % of 1", abs(ratio - 1) <= 0.1))
    finish(result, given.json)


if __name__ == "__main__":
    main()
