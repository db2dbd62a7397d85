"""Counts the instructions of the kernels under callgrind and compares them with counts.json, which has an entry per
compiler and SIMD level. More than 5 % above is a regression; more than 5 % below is an improvement to be recorded, or
the next regression would hide in it. Both fail. Where the compiler is not in the file the check is skipped (77).

    cmake --build build --target update-instructions      records the counts of this compiler
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

COUNTS = pathlib.Path(__file__).resolve().parent / "counts.json"
KERNELS = ("features", "gram", "combine")
TOLERANCE = 0.05
SKIPPED = 77
UPDATE = "cmake --build build --target update-instructions"


def totals(folder):
    """Instructions of each profile callgrind left in the folder, by the name it was dumped under."""
    found = {}
    for profile in folder.iterdir():
        text = profile.read_text()
        name = next((line.split(": ")[-1] for line in text.splitlines() if line.startswith("desc: Trigger:")), "")
        count = next((int(line.split()[1]) for line in text.splitlines() if line.startswith("totals:")), None)
        if name in KERNELS and count is not None:
            found[name] = count
    return found


def count(valgrind, program, level):
    """Instructions by kernel; None where CPU, build or valgrind do not have the level."""
    with tempfile.TemporaryDirectory(prefix="rfnn-instructions-") as name:
        folder = pathlib.Path(name)
        done = subprocess.run([valgrind, "--tool=callgrind", "--collect-atstart=no", "--combine-dumps=no",
                               f"--callgrind-out-file={folder / 'out'}", program, level],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"valgrind ended with exit code {done.returncode}:\n{done.stderr}")
        if done.stdout.strip() == "unavailable":
            return None
        found = totals(folder)
    if sorted(found) != sorted(KERNELS) or not all(found.values()):
        sys.exit(f"callgrind gave counts for {found or 'nothing'}, expected {', '.join(KERNELS)}:\n{done.stderr}")
    return found


def complaints(found, expected):
    """What is wrong with counts, a line per kernel; nothing when all are within the tolerance."""
    lines = []
    for kernel in KERNELS:
        change = found[kernel] / expected[kernel] - 1
        words = f"{kernel}: {found[kernel]} instructions, {expected[kernel]} recorded ({change:+.1%})"
        if change > TOLERANCE:
            lines.append(f"{words}: slower. If the cost is meant, record it: {UPDATE}")
        elif change < -TOLERANCE:
            lines.append(f"{words}: better. Record it, so that it cannot be lost unseen: {UPDATE}")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--valgrind", default="valgrind")
    parser.add_argument("--program", required=True, help="instruction_work")
    parser.add_argument("--compiler", required=True, help="name and major version, GNU-12 say")
    parser.add_argument("--counts", type=pathlib.Path, default=COUNTS)
    parser.add_argument("--update", action="store_true", help="record the counts instead")
    given = parser.parse_args()

    recorded = json.loads(given.counts.read_text()) if given.counts.exists() else {}
    for level in ("avx2", "baseline"):  # valgrind knows no AVX-512
        found = count(given.valgrind, given.program, level)
        if found is None:
            print(f"{level}: not to be had on this machine")
            continue
        key = f"{given.compiler} {level}"
        if given.update:
            recorded[key] = found
            print(f"{key}: {found}")
            continue
        if key not in recorded:
            print(f"{key}: no counts are recorded for this compiler ({UPDATE}); skipped")
            return SKIPPED
        lines = complaints(found, recorded[key])
        if lines:
            print(f"{key}:", *lines, sep="\n  ")
            return 1
        print(f"{key}: {found}, all within {TOLERANCE:.0%} of the record")
    if given.update:
        given.counts.write_text(json.dumps(dict(sorted(recorded.items())), indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
