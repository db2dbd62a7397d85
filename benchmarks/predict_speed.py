"""How much faster a million rows are predicted in memory than by the same formula in NumPy, one thread each, in turns
within one run."""

import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import time

for library in ("OMP", "OPENBLAS", "MKL"):  # before NumPy is loaded
    os.environ[f"{library}_NUM_THREADS"] = "1"

from common import arguments, check, finish, output_of, program

try:
    import numpy
except ImportError:
    sys.exit("predict_speed.py compares with NumPy, which this Python does not have: install python3-numpy "
             "and run it with Debian's own python3.")


def read_model(path):
    """Tensors by name, and the metadata (docs/model-file.md)."""
    content = path.read_bytes()
    length, = struct.unpack("<Q", content[:8])
    header = json.loads(content[8:8 + length])
    metadata = header.pop("__metadata__")
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        tensors[name] = numpy.frombuffer(content[begin:end]).reshape(entry["shape"])
    return tensors, metadata


class InNumpy:
    """One input, one output, `input` and `state` branches. Features lie along the first axis, so that all work is on long
    contiguous arrays; rows go in chunks, so that they may stay in the cache."""

    def __init__(self, tensors):
        self.mean, self.sd = tensors["scale.input.mean"][0], tensors["scale.input.sd"][0]
        self.out_mean, self.out_sd = tensors["scale.output.mean"][0], tensors["scale.output.sd"][0]
        self.blocks = []
        for block in range(1, 1 + max(int(name.split(".")[1][5:]) for name in tensors if name.startswith("member"))):
            branches = []
            for branch in ("input", "state"):
                if f"member0.block{block}.{branch}.frequencies" in tensors:
                    amplitudes = tensors[f"member0.block{block}.{branch}.amplitudes"]
                    branches.append((branch, tensors[f"member0.block{block}.{branch}.frequencies"],
                                     amplitudes[:, 0, 0].copy(), amplitudes[:, 1, 0].copy()))
            self.blocks.append(branches)

    def predict(self, x, chunk):
        result = numpy.empty_like(x)
        width = max(branch[1].shape[0] for branches in self.blocks for branch in branches)
        phases, waves = numpy.empty((width, chunk)), numpy.empty((width, chunk))
        for first in range(0, len(x), chunk):
            v = (x[first:first + chunk] - self.mean) / self.sd
            phase, wave = phases[:, :len(v)], waves[:, :len(v)]
            z = numpy.zeros_like(v)
            for branches in self.blocks:
                before = z
                for branch, frequencies, real, imaginary in branches:
                    numpy.multiply(frequencies, v if branch == "input" else before, out=phase[:len(frequencies)])
                    numpy.cos(phase, out=wave)
                    z = z + real @ wave
                    numpy.sin(phase, out=wave)
                    z -= imaginary @ wave
            result[first:first + chunk] = self.out_mean + self.out_sd * z
        return result


def main():
    given = arguments(__doc__)
    rows, turns = (100_000, 2) if given.quick else (1_000_000, 4)
    width, blocks = 6, 10
    rfnn = program(given.build, "rfnn")
    with tempfile.TemporaryDirectory(prefix="rfnn-bench-") as name:
        folder = pathlib.Path(name)
        data, model, out = folder / "train.csv", folder / "model.rfnn", folder / "predictions"
        output_of(rfnn, "generate", "multiscale", "--rows", 2000, "--seed", 1, "--out", data)
        output_of(rfnn, "fit", data, "--target", "y", "--preset", "paper",
                  "--width", width, "--blocks", blocks, "--iterations", 200, "--quiet",
                  "--out", model)
        tensors, metadata = read_model(model)
        column = json.loads(metadata["columns"])["inputs"][0]
        x = column["min"] + numpy.arange(rows) / (rows - 1) * (column["max"] - column["min"])
        in_numpy = InNumpy(tensors)
        seconds = {"rfnn": []} | {f"NumPy, {chunk} rows at a time": [] for chunk in (2_000, 20_000, rows)}
        with subprocess.Popen([program(given.build, "bench_predict"), model, str(rows), out], text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE) as ours:
            if ours.stdout.readline() != "ready\n":
                sys.exit("bench_predict did not start.")
            difference = float(numpy.abs(numpy.fromfile(out) - in_numpy.predict(x, 20_000)).max())
            for _ in range(turns):
                ours.stdin.write("again\n")
                ours.stdin.flush()
                seconds["rfnn"].append(float(ours.stdout.readline()))
                for way in list(seconds)[1:]:
                    chunk = int(way.split()[1])
                    began = time.perf_counter()
                    in_numpy.predict(x, chunk)
                    seconds[way].append(time.perf_counter() - began)
            ours.stdin.close()
    best = {way: min(times) for way, times in seconds.items()}
    theirs = min(list(best)[1:], key=best.get)
    ratio = best[theirs] / best["rfnn"]
    print(f"Predicting {rows} rows, W = {width}, L = {blocks}, one input, one thread, NumPy {numpy.__version__}")
    for way, took in best.items():
        print(f"  {way:<32} {1e-6 * rows / took:6.2f} million rows a second")
    finish({"rows": rows, "width": width, "blocks": blocks, "numpy": numpy.__version__, "turns": turns,
            "rows_per_second": {way: rows / took for way, took in best.items()}, "best_numpy": theirs, "ratio": ratio,
            "largest_difference": difference,
            "checks": [check(f"prediction, {rows} rows, W = {width}, L = {blocks}, rows per second / NumPy "
                             f"{numpy.__version__}", ratio, "≥ 5", ratio >= 5),
                       check("prediction, largest difference from NumPy", difference, "≤ 1e-9", difference <= 1e-9)]},
           given.json)


if __name__ == "__main__":
    main()
