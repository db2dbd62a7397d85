"""Runs every benchmark, prints a summary of ratios and writes build/bench/results.json, results.md and report.html. The
figures are ratios within one run: seconds mean nothing on another machine. Standard library only; the parts that compare
with Python libraries find or make a Python that has them."""

import argparse
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import time

import tables
from common import ROOT, VERDICTS, bench_python, check, processor_name, program

HERE = pathlib.Path(__file__).resolve().parent
TARGETS = ("rfnn", "bench_cholesky", "bench_gibbs", "bench_kernels", "bench_predict", "bench_read_csv", "bench_report",
           "bench_training")


def build_programs(build):
    """Configures and builds where that has not been done (`make bench` has)."""
    if not (build / "CMakeCache.txt").exists():
        subprocess.run(["cmake", "-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DRFNN_BUILD_BENCHMARKS=ON",
                        "-DRFNN_BUILD_TESTS=OFF", "-DRFNN_BUILD_EXAMPLES=OFF"], check=True)
    if not (build / "benchmarks").exists():
        subprocess.run(["cmake", "-S", ROOT, "-B", build, "-DRFNN_BUILD_BENCHMARKS=ON"], check=True)
    subprocess.run(["cmake", "--build", build, "--target", *TARGETS], check=True, stdout=subprocess.DEVNULL)


def python_with_numpy():
    """This Python or the system's own (python3-numpy belongs to that one), whichever has NumPy; else None."""
    for python in (sys.executable, shutil.which("python3"), "/usr/bin/python3"):
        if not python:
            continue
        if subprocess.run([python, "-c", "import numpy"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return python
    return None


def gibbs_checks(found):
    bounds = {"multiscale": 9, "stairstep": 9, "sine": 8}
    checks = []
    for example in found["examples"]:
        name, difference = example["example"], example["frequency_difference"]["largest"]
        ratio, bound = example["later_block"]["ratio"], bounds[name]
        checks.append(check(f"{name}, later block, iterations per second / plain loop", ratio, f"≥ {bound}",
                            ratio >= bound))
        fast = example["later_block"]["fast_ratio"]
        checks.append(check(f"{name}, later block, iterations per second / plain loop with vector cos/sin", fast,
                            "no bound", None))
        checks.append(check(f"{name}, solver qr, largest difference of frequencies", difference, "≤ 1e-6",
                            difference <= 1e-6))
    return checks


def training_checks(found):
    checks = []
    for rows, inputs, width in ((100_000, 3, 16), (100_000, 10, 256)):
        for size in found["sizes"]:
            if (size["rows"], size["inputs"], size["width"]) == (rows, inputs, width):
                checks.append(check(f"N = {rows}, d = {inputs}, W = {width}, share of the bound", size["share"], "≥ 0.75",
                                    size["share"] >= 0.75))
    return checks


def kernel_checks(found):
    trig = found["trig"][0]
    checks = [check(f"cos/sin kernel, {trig['level']}, pairs per second / SLEEF's own loop", trig["ratio"], "≥ 0.85",
                    trig["ratio"] >= 0.85)]
    for words, bound, sizes in (("8 to 64", 1.0, range(8, 65)), ("more than 64", 0.9, range(65, 1 << 20))):
        for shape in ("upper", "product"):
            some = [row for row in found["gram"] if row["shape"] == shape and row["n"] in sizes]
            if some:
                worst = min(some, key=lambda row: row["ratio"])
                checks.append(check(f"Gram kernel, {shape}, {words} columns, least over the best library "
                                    f"({worst['p']} × {worst['n']})", worst["ratio"], f"≥ {bound:g}",
                                    worst["ratio"] >= bound))
    return checks


def cholesky_checks(found):
    checks = []
    for row in found["rows"]:
        if row["what"] == "factor" and row["n"] in (1000, 4000, 10000):
            words = f"{row['threads']} thread{'s' if row['threads'] > 1 else ''}"
            checks.append(check(f"Cholesky factor, {row['precision']} precision, n = {row['n']}, {words}, rate / OpenBLAS's",
                                row["ratio"], "≥ 0.8", row["ratio"] >= 0.8))
    return checks


CHECKS = {"gibbs": gibbs_checks, "training": training_checks, "kernels": kernel_checks, "cholesky": cholesky_checks}


def parts(build):
    """What there is to run: name -> how to find its command (None where it cannot be run, with words)."""
    def script(name, python=sys.executable, *more):
        return lambda: [python, "-B", HERE / f"{name}.py", "--build", build, *more]

    def with_numpy(name):
        def command():
            python = python_with_numpy()
            if python is None:
                print("No Python with NumPy was found; Debian's package is python3-numpy.")
            return python and script(name, python)()
        return command

    def with_current_numpy(name):
        def command():
            python = bench_python(build)
            return python and script(name, python)()
        return command

    everything = {
        "gibbs": lambda: [program(build, "bench_gibbs")],
        "training": lambda: [program(build, "bench_training")],
        "threads": script("threads"),
        "kernels": lambda: [program(build, "bench_kernels")],
        "cholesky": lambda: [program(build, "bench_cholesky")],
        "predict_speed": with_current_numpy("predict_speed"),
        "predict_speed_debian": with_numpy("predict_speed"),
        "peers": script("peers"),
        "csv_speed": with_numpy("csv_speed"),
        "predict_memory": script("predict_memory"),
        "fit_memory": script("fit_memory"),
        "paper_figures": script("paper_figures"),
    }
    return {name: command for name, command in everything.items()
            if name != "fit_memory" or (HERE / "fit_memory.py").exists()}


def busy_share(seconds=1.0):
    """Share of the processors that others use, while this program waits."""
    def ticks():
        numbers = list(map(int, pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:9]))
        return sum(numbers), numbers[3] + numbers[4]

    all_before, idle_before = ticks()
    time.sleep(seconds)
    all_after, idle_after = ticks()
    return 1 - (idle_after - idle_before) / max(1, all_after - all_before)


# Minutes of chains over many seeds; `make reproduction` says the same and more.
LONG = ("paper_figures",)


def run_all(build, quick, chosen, results):
    """Fills results by name; a benchmark that fails is noted and the others go on."""
    failed = []
    with tempfile.TemporaryDirectory(prefix="rfnn-bench-") as name:
        for part in chosen:
            print(f"\n== {part}", flush=True)
            file = pathlib.Path(name) / f"{part}.json"
            busy = busy_share()
            if busy > tables.BUSY:
                print(f"Others use {busy:.0%} of this machine: figures with two threads will show nothing, others are "
                      "less certain.", flush=True)
            began = time.monotonic()
            command = parts(build)[part]()
            if command is None or subprocess.run([*command, "--json", file, *(["--quick"] if quick else [])],
                                                 check=False).returncode != 0:
                failed.append(part)
                continue
            results[part] = json.loads(file.read_text())
            if part in CHECKS:
                results[part]["checks"] = CHECKS[part](results[part])
            results[part]["busy_before"] = busy
            results[part]["seconds_taken"] = time.monotonic() - began
    return failed


def without_verdict_where_busy(results):
    """Two threads and two processes alike get no more than the cores others leave: on a busy machine their ratio, good or
    bad, shows nothing."""
    for part, words in (("threads", ""), ("cholesky", "2 threads")):
        if results.get(part, {}).get("busy_before", 0) > tables.BUSY:
            for line in results[part]["checks"]:
                if words in line["what"]:
                    line.update(ok=None, wanted=f"{line['wanted']}; no verdict, the machine was busy")


def compiler(build):
    for line in (build / "CMakeCache.txt").read_text().splitlines():
        if line.startswith("CMAKE_CXX_COMPILER:"):
            return subprocess.run([line.split("=", 1)[1], "--version"], capture_output=True, text=True,
                                  check=False).stdout.splitlines()[0]
    return "unknown compiler"


def replace_section(document, text):
    """Puts text between the two markers of a document."""
    before, _, rest = document.read_text().partition(tables.BEGIN)
    _, marker, after = rest.partition(tables.END)
    if not marker:
        sys.exit(f"{document} has no lines\n{tables.BEGIN}\n{tables.END}\nto put the results between.")
    document.write_text(f"{before}{tables.BEGIN}\n{text}{tables.END}{after}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="build folder [build]")
    parser.add_argument("--out", type=pathlib.Path, help="folder for the results [bench in the build folder]")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write all figures here too")
    parser.add_argument("--quick", action="store_true", help="a short version: noisier, smaller, nothing proven")
    parser.add_argument("--only", metavar="PART,...", help=f"run these alone; parts: {', '.join(parts(ROOT))}")
    parser.add_argument("--long", action="store_true", help=f"run {', '.join(LONG)} too")
    parser.add_argument("--from", dest="old", type=pathlib.Path, metavar="FILE",
                        help="take what is not run now from an earlier results.json; with --only '' run nothing")
    parser.add_argument("--markdown", type=pathlib.Path, metavar="FILE",
                        help="put the tables between the markers of this document, docs/performance.md say")
    given = parser.parse_args()
    given.build = given.build.resolve()
    if given.only is None:
        chosen = [part for part in parts(given.build) if given.long or part not in LONG]
    else:
        chosen = [part for part in given.only.split(",") if part]
        unknown = [part for part in chosen if part not in parts(given.build)]
        if unknown:
            sys.exit(f"No such part: {', '.join(unknown)}. There are {', '.join(parts(given.build))}.")
    out = given.out or given.build / "bench"
    out.mkdir(parents=True, exist_ok=True)
    build_programs(given.build)

    everything = {"processor": processor_name(), "cores": len(os.sched_getaffinity(0)), "system": platform.platform(),
                  "compiler": compiler(given.build), "quick": given.quick, "results": {}}
    if given.old:
        everything["results"] = json.loads(given.old.read_text())["results"]
    failed = run_all(given.build, given.quick, chosen, everything["results"])
    everything["failed"] = failed
    without_verdict_where_busy(everything["results"])
    everything["checks"] = [line for result in everything["results"].values() for line in result["checks"]]
    everything["remark"] = tables.busy_words(everything)
    text = json.dumps(everything, indent=2) + "\n"
    for file in filter(None, (out / "results.json", given.json)):
        file.write_text(text)
    (out / "results.md").write_text(tables.document(everything))
    subprocess.run([program(given.build, "bench_report"), out / "results.json", out / "report.html"], check=True)
    if given.markdown:
        replace_section(given.markdown, tables.document(everything))

    print(f"\nSummary ({everything['processor']}{', --quick: nothing proven' if given.quick else ''})")
    for line in everything["checks"]:
        print(f"  {VERDICTS[line['ok']]} {line['value']:>10.4g}  {line['what']} (wanted {line['wanted']})")
    for name in failed:
        print(f"  FAIL             {name}")
    if tables.busy_words(everything):
        print(f"\n{tables.busy_words(everything)}")
    print(f"\n{out / 'results.json'}, results.md, report.html")
    sys.exit(1 if failed else 0)  # a figure that misses its bound is a finding, not a failure


if __name__ == "__main__":
    main()
