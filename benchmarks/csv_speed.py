"""How much faster a CSV file of a million rows and four columns is read than by NumPy's loadtxt, in turns within one
run."""

import pathlib
import sys
import tempfile
import time

from common import arguments, check, finish, median, output_of, program

try:
    import numpy
except ImportError:
    sys.exit("csv_speed.py compares with NumPy, which this Python does not have: install python3-numpy "
             "and run it with Debian's own python3.")


def ours(reader, path, threads):
    seconds, processor, rows, total = output_of(reader, path, threads).split()
    return float(seconds), float(processor), int(rows), float(total)


def loadtxt(path):
    began, processor = time.perf_counter(), time.process_time()
    cells = numpy.loadtxt(path, delimiter=",", skiprows=1)
    return time.perf_counter() - began, time.process_time() - processor, cells.shape[0], float(cells.sum())


def main():
    given = arguments(__doc__)
    rows, turns = (100_000, 3) if given.quick else (1_000_000, 5)
    reader = program(given.build, "bench_read_csv")
    with tempfile.TemporaryDirectory(prefix="rfnn-bench-") as folder:
        path = pathlib.Path(folder) / "table.csv"
        output_of(program(given.build, "rfnn"), "generate", "sine", "--rows", rows, "--seed", 1, "--out", path)
        megabytes = path.stat().st_size / 1e6
        ours(reader, path, 1)  # the file is in the page cache from here on
        times = {"loadtxt": [], "one thread": [], "all threads": []}
        processor_times = {"loadtxt": [], "one thread": [], "all threads": []}
        for _ in range(turns):
            found = {"loadtxt": loadtxt(path),
                     "one thread": ours(reader, path, 1),
                     "all threads": ours(reader, path, 0)}
            _, _, expected_rows, expected_sum = found["loadtxt"]
            for way, (seconds, processor, read, total) in found.items():
                if read != expected_rows or abs(total - expected_sum) > 1e-9 * rows:
                    sys.exit(f"{way} read {read} rows of sum {total}, "
                             f"loadtxt {expected_rows} rows of sum {expected_sum}.")
                times[way].append(seconds)
                processor_times[way].append(processor)

    def ratio_to_loadtxt(measured, way):
        return median(measured["loadtxt"]) / median(measured[way])

    print(f"Reading {rows} rows × 4 columns of CSV ({megabytes:.0f} MB), NumPy {numpy.__version__}")
    ratios = {}
    for way in ("one thread", "all threads"):
        ratios[way] = ratio_to_loadtxt(times, way)
        print(f"  {way:<12} {megabytes / median(times[way]):6.0f} MB/s, {ratios[way]:.1f} × loadtxt "
              f"(processor time {ratio_to_loadtxt(processor_times, way):.1f})")
    finish({"rows": rows, "megabytes": megabytes, "turns": turns, "numpy": numpy.__version__, "seconds": times,
            "processor_seconds": processor_times,
            "ratios": ratios,
            "checks": [check(f"CSV reading, {way}, times loadtxt", ratio, "≥ 5", ratio >= 5)
                       for way, ratio in ratios.items()]},
           given.json)


if __name__ == "__main__":
    main()
