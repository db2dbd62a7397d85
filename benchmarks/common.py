"""What the benchmark scripts share: where the programs are, running them, and how results are shown."""

import argparse
import json
import pathlib
import platform
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
median = statistics.median
VERDICTS = {True: "ok  ", False: "MISS", None: "–   "}
PEER_PACKAGES = ("numpy", "scikit-learn", "xgboost")


def arguments(description, *extra):
    """Parses --build, --json, --quick and the extra (name, options) pairs."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="build folder [build]")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write the results here too")
    parser.add_argument("--quick", action="store_true", help="a short version: noisier, smaller, nothing proven")
    for name, options in extra:
        parser.add_argument(name, **options)
    return parser.parse_args()


def program(build, name):
    """Path of a program in the build folder."""
    for place in (build / name, build / "benchmarks" / name):
        if place.exists():
            return str(place.resolve())
    sys.exit(f"{build} holds no {name}. `make bench` builds it (cmake option RFNN_BUILD_BENCHMARKS).")


def output_of(*command):
    """Standard output of a command that must succeed."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with exit code {done.returncode}.")
    return done.stdout


def check(what, value, wanted, ok):
    """One line of the summary: a figure and the bound it is held against; `ok` is None where there is no bound."""
    return {"what": what, "value": value, "wanted": wanted, "ok": None if ok is None else bool(ok)}


def finish(result, where):
    """Prints the checks of a result and writes it as JSON where asked to."""
    for line in result["checks"]:
        print(f"  {VERDICTS[line['ok']]} {line['what']}: {line['value']:.4g} (wanted {line['wanted']})")
    if where:
        where.write_text(json.dumps(result, indent=2) + "\n")


def bench_python(build):
    """Python of the benchmark's own virtual environment, with the peers installed from PyPI; None, and words, where that
    cannot be had."""
    folder = build.resolve() / "bench-venv"
    python = folder / "bin" / "python"

    def ready():
        return python.exists() and subprocess.run([python, "-c", "import numpy, sklearn, xgboost"], check=False,
                                                  stderr=subprocess.DEVNULL).returncode == 0

    if ready():
        return str(python)
    print(f"Installing {', '.join(PEER_PACKAGES)} into {folder}", flush=True)
    system = "/usr/bin/python3" if pathlib.Path("/usr/bin/python3").exists() else sys.executable
    for command in ([system, "-m", "venv", folder],
                    [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PEER_PACKAGES]):
        if subprocess.run(command, check=False).returncode != 0:
            print(f"`{' '.join(map(str, command))}` failed. It needs Debian's python3-venv and a way to PyPI; without it "
                  "the Python peers are left out.")
            return None
    return str(python) if ready() else None


def processor_name():
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
