"""Runs every benchmark and prints a summary of ratios. The figures are ratios within one run: seconds mean nothing on
another machine. Standard library only; the CSV part compares with NumPy and looks for a Python that has it."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from common import ROOT, arguments, check, processor_name, program

HERE = pathlib.Path(__file__).resolve().parent
SCRIPTS = ("csv_speed", "predict_memory", "paper_figures")


def build_programs(build):
    """Configures and builds where that has not been done (`make bench` has)."""
    if not (build / "CMakeCache.txt").exists():
        subprocess.run(["cmake", "-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DRFNN_BUILD_BENCHMARKS=ON",
                        "-DRFNN_BUILD_TESTS=OFF", "-DRFNN_BUILD_EXAMPLES=OFF"], check=True)
    if not (build / "benchmarks").exists():
        subprocess.run(["cmake", "-S", ROOT, "-B", build, "-DRFNN_BUILD_BENCHMARKS=ON"], check=True)
    targets = ["rfnn", "bench_gibbs", "bench_kernels", "bench_read_csv"]
    subprocess.run(["cmake", "--build", build, "--target", *targets], check=True, stdout=subprocess.DEVNULL)


def python_with_numpy():
    """This Python or the system's own (python3-numpy belongs to that one), whichever has NumPy; else None."""
    for python in (sys.executable, shutil.which("python3"), "/usr/bin/python3"):
        if not python:
            continue
        if subprocess.run([python, "-c", "import numpy"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return python
    return None


def gibbs_checks(found):
    checks = []
    for example in found["examples"]:
        name, difference = example["example"], example["frequency_difference"]["largest"]
        for key, words in (("later_block", "later block"), ("first_block", "block 1")):
            ratio = example[key]["ratio"]
            checks.append(check(f"{name}, {words}, iterations per second / plain loop", ratio, "≥ 3", ratio >= 3))
        checks.append(check(f"{name}, solver qr, largest difference of frequencies", difference, "≤ 1e-6",
                            difference <= 1e-6))
    return checks


def run_all(build, quick, folder):
    """Results by name; a benchmark that fails is noted and the others go on."""
    results, failed = {}, []

    def run(name, *command):
        file = folder / f"{name}.json"
        print(f"\n== {name}", flush=True)
        flags = ["--quick"] if quick else []
        if subprocess.run([*command, "--json", file, *flags], check=False).returncode == 0:
            results[name] = json.loads(file.read_text())
        else:
            failed.append(name)

    run("gibbs", program(build, "bench_gibbs"))
    if "gibbs" in results:
        results["gibbs"]["checks"] = gibbs_checks(results["gibbs"])
    for script in SCRIPTS:
        python = python_with_numpy() if script == "csv_speed" else sys.executable
        if python is None:
            print("\n== csv_speed: left out, no Python with NumPy was found. Debian's package is python3-numpy.")
            failed.append(script)
            continue
        run(script, python, "-B", HERE / f"{script}.py", "--build", build)
    print("\n== kernels", flush=True)
    command = [program(build, "bench_kernels"), f"--benchmark_out={folder / 'kernels.json'}",
               "--benchmark_out_format=json", f"--benchmark_min_time={0.05 if quick else 0.5}"]
    if subprocess.run(command, check=False).returncode == 0:
        results["kernels"] = json.loads((folder / "kernels.json").read_text())["benchmarks"]
    else:
        failed.append("kernels")
    return results, failed


def main():
    given = arguments(__doc__)
    build_programs(given.build)
    with tempfile.TemporaryDirectory(prefix="rfnn-bench-") as folder:
        results, failed = run_all(given.build, given.quick, pathlib.Path(folder))
    checks = [line for result in results.values() if isinstance(result, dict) for line in result["checks"]]
    print(f"\nSummary ({processor_name()}{', --quick: nothing proven' if given.quick else ''})")
    for line in checks:
        print(f"  {'ok  ' if line['ok'] else 'MISS'} {line['value']:>10.4g}  {line['what']} (wanted {line['wanted']})")
    for name in failed:
        print(f"  FAIL             {name}")
    if given.json:
        everything = {"processor": processor_name(), "results": results, "failed": failed}
        given.json.write_text(json.dumps(everything, indent=2) + "\n")
    sys.exit(1 if failed else 0)  # a figure that misses its bound is a finding, not a failure


if __name__ == "__main__":
    main()
