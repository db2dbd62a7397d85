"""The guard must be able to fail: its comparison, and the whole of it with a stand-in for valgrind."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import guard

RECORDED = {"features": 100_000, "gram": 200_000, "combine": 10_000}

# Writes the profiles callgrind would, with the counts in FAKE_COUNTS.
STAND_IN = """#!/usr/bin/env python3
import json, os, sys
out = next(word.split("=", 1)[1] for word in sys.argv if word.startswith("--callgrind-out-file="))
for number, (name, count) in enumerate(json.loads(os.environ["FAKE_COUNTS"]).items(), 1):
    with open(f"{out}.{number}", "w") as file:
        file.write(f"version: 1\\ndesc: Trigger: Client Request: {name}\\nevents: Ir\\ntotals: {count}\\n")
print("counted")
"""


class Comparison(unittest.TestCase):
    def test_equal_and_nearly_equal_counts_pass(self):
        self.assertEqual(guard.complaints(RECORDED, RECORDED), [])
        self.assertEqual(guard.complaints(RECORDED | {"gram": 209_000}, RECORDED), [])
        self.assertEqual(guard.complaints(RECORDED | {"gram": 191_000}, RECORDED), [])

    def test_six_percent_more_is_slower(self):
        line, = guard.complaints(RECORDED | {"gram": 212_000}, RECORDED)
        self.assertIn("gram: 212000 instructions, 200000 recorded (+6.0%): slower", line)

    def test_six_percent_less_asks_for_a_record(self):
        line, = guard.complaints(RECORDED | {"combine": 9_400}, RECORDED)
        self.assertIn("combine: 9400 instructions, 10000 recorded (-6.0%): better", line)
        self.assertIn("update-instructions", line)

    def test_every_kernel_is_looked_at(self):
        doubled = {kernel: 2 * count for kernel, count in RECORDED.items()}
        self.assertEqual(len(guard.complaints(doubled, RECORDED)), 3)


class WholeGuard(unittest.TestCase):
    def run_guard(self, found, recorded, *more):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            stand_in, counts = folder / "valgrind", folder / "counts.json"
            stand_in.write_text(STAND_IN)
            stand_in.chmod(0o755)
            counts.write_text(json.dumps(recorded))
            done = subprocess.run([sys.executable, "-B", guard.__file__, "--valgrind", stand_in, "--program", "work",
                                   "--compiler", "GNU-12", "--counts", counts, *more], capture_output=True, text=True,
                                  env=os.environ | {"FAKE_COUNTS": json.dumps(found)}, check=False)
            return done.returncode, done.stdout + done.stderr, json.loads(counts.read_text())

    def test_passes_with_the_recorded_counts(self):
        code, words, _ = self.run_guard(RECORDED, {"GNU-12 avx2": RECORDED, "GNU-12 baseline": RECORDED})
        self.assertEqual(code, 0, words)

    def test_fails_with_doctored_counts(self):
        doctored = RECORDED | {"features": 90_000}
        code, words, _ = self.run_guard(RECORDED, {"GNU-12 avx2": doctored, "GNU-12 baseline": RECORDED})
        self.assertEqual(code, 1, words)
        self.assertIn("features: 100000 instructions, 90000 recorded (+11.1%): slower", words)

    def test_fails_where_a_count_is_missing(self):
        code, words, _ = self.run_guard({"gram": 1}, {"GNU-12 avx2": RECORDED})
        self.assertEqual(code, 1, words)
        self.assertIn("expected features, gram, combine", words)

    def test_skips_an_unknown_compiler(self):
        code, words, _ = self.run_guard(RECORDED, {"Clang-14 avx2": RECORDED})
        self.assertEqual(code, guard.SKIPPED, words)
        self.assertIn("no counts are recorded for this compiler", words)

    def test_update_records_this_compiler_and_leaves_others(self):
        code, words, counts = self.run_guard(RECORDED, {"Clang-14 avx2": {}, "GNU-12 avx2": {}}, "--update")
        self.assertEqual(code, 0, words)
        self.assertEqual(counts, {"Clang-14 avx2": {}, "GNU-12 avx2": RECORDED, "GNU-12 baseline": RECORDED})


if __name__ == "__main__":
    unittest.main()
