"""How much faster a CSV file of a million rows and four columns is read than by NumPy's loadtxt, in turns within one
run; and the rate, in cells, at which a table with dates and categories is read for training, beside one of numbers."""

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


def write_tables(folder, rows):
    """The same number of cells twice: numbers, and times, levels, truth values and numbers."""
    numbers, mixed = folder / "numbers.csv", folder / "mixed.csv"
    levels = ("north", "south", "east", "west", "elsewhere")
    with open(numbers, "w") as plain, open(mixed, "w") as other:
        plain.write("a,b,c,y\n")
        other.write("when,where,on,y\n")
        for i in range(rows):
            x = (i * 0.6180339887498949) % 1.0
            plain.write(f"{x:.6f},{1 - x:.6f},{x * x:.6f},{i * 0.25}\n")
            other.write(f"2024-{1 + i // 40320 % 12:02}-{1 + i // 1440 % 28:02}T{i // 60 % 24:02}:{i % 60:02}:00Z,"
                        f"{levels[i * 7 % 5]},{'true' if i % 3 else 'false'},{x:.6f}\n")
    return numbers, mixed


def mixed_rate(reader, folder, rows, turns):
    """Cells per second of the mixed table over that of the one of numbers, one thread, in turns."""
    numbers, mixed = write_tables(folder, rows)
    taken = {numbers: [], mixed: []}
    for _ in range(turns + 1):
        for path, list_of in taken.items():
            list_of.append(float(output_of(reader, path, 1, "kinds").split()[0]))
    return median(taken[numbers][1:]) / median(taken[mixed][1:])


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

        kinds = mixed_rate(reader, pathlib.Path(folder), rows // 4, turns)

    def ratio_to_loadtxt(measured, way):
        return median(measured["loadtxt"]) / median(measured[way])

    print(f"Reading {rows} rows × 4 columns of CSV ({megabytes:.0f} MB), NumPy {numpy.__version__}")
    ratios = {}
    for way in ("one thread", "all threads"):
        ratios[way] = ratio_to_loadtxt(times, way)
        print(f"  {way:<12} {megabytes / median(times[way]):6.0f} MB/s, {ratios[way]:.1f} × loadtxt "
              f"(processor time {ratio_to_loadtxt(processor_times, way):.1f})")
    print(f"  {rows} cells with dates, levels and truth values, one thread: {kinds:.2f} of the rate of numbers")
    finish({"rows": rows, "megabytes": megabytes, "turns": turns, "numpy": numpy.__version__, "seconds": times,
            "processor_seconds": processor_times,
            "ratios": ratios, "mixed_rate": kinds,
            "checks": [check(f"CSV reading, {way}, times loadtxt", ratio, "≥ 5", ratio >= 5)
                       for way, ratio in ratios.items()] +
                      [check("CSV with dates and levels, rate of numbers", kinds, "≥ 0.3", kinds >= 0.3)]},
           given.json)


if __name__ == "__main__":
    main()
