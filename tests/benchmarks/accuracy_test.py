"""The judge of accuracy, without a fit: formulas have their known values, draws are what they say, statistics are right,
and a file of results that was cut off is read on. Needs NumPy alone.

    python3 -B -m unittest tests/benchmarks/accuracy_test.py
"""
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

HERE = pathlib.Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[2] / "benchmarks" / "accuracy"))
import formulas  # noqa: E402
import page  # noqa: E402
import sets  # noqa: E402
import summary  # noqa: E402
import tables  # noqa: E402
import text  # noqa: E402
import work  # noqa: E402


def at(function, *inputs):
    return float(function(np.array([inputs], float))[0])


class Formulas(unittest.TestCase):
    def test_known_values(self):
        known = (
            (at(formulas.friedman1, *[0.5] * 10), 10 * math.sin(math.pi / 4) + 7.5),
            (at(formulas.friedman2, 3.0, 4.0, 1.0, 1e30), 5.0),
            (at(formulas.friedman3, 4.0, 4.0, 1.0, 1e30), math.pi / 4),
            (at(formulas.ishigami, math.pi / 2, math.pi / 2, 1.0), 8.1),
            (at(formulas.grating, 3.0, math.pi, 3.0), 3.0),
            (at(formulas.robot_arm, 0, 0, 0, 0, 1, 1, 1, 1), 4.0),
            (at(formulas.robot_arm, 0, math.pi, 0, 0, 1, 1, 0, 0), 0.0),
            (at(formulas.sobol_g, *[0.5] * 5), 0.0),
            (at(formulas.sobol_g, *[1.0] * 5), 2.0 * 3 / 2 * 6.5 / 5.5 * 11 / 10 * 101 / 100),
            (at(formulas.franke, 0, 0), 0.7664205912849231),
            (at(formulas.gramacy_lee, 1.0), 0.0),
            (at(formulas.multiscale, 0.0), 1.35),
            (at(formulas.blocks, 1.0), 0.0),
            (at(formulas.blocks, 0.12), 4.0),
            (at(formulas.heavisine, 0.0), 0.0),
            (at(formulas.doppler, 1.0), 0.0),
            (at(formulas.boxes, 0.9, 0.9, 0.9, 0.9), 2.7),
            (at(formulas.boxes, 0.0, 0.0, 0.0, 0.0), 0.0),
        )
        for found, wanted in known:
            self.assertAlmostEqual(found, wanted, places=9)

    def test_solitons_start_as_one_hump_and_stay_finite(self):
        for place in (-3.0, 0.0, 0.7):
            self.assertAlmostEqual(at(formulas.solitons, place, 0.0), 6 / math.cosh(place) ** 2, places=9)
        self.assertEqual(at(formulas.solitons, 800.0, 0.1), 0.0)

    def test_shocks_solve_their_equation(self):
        """u_t + u u_x = 0.003 u_xx, by differences."""
        h = 1e-4
        for place, time in ((0.3, 0.2), (0.45, 0.05), (0.5, 0.6)):
            u = {(i, j): at(formulas.merging_shocks, place + i * h, time + j * h)
                 for i, j in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))}
            left = (u[0, 1] - u[0, -1]) / (2 * h) + u[0, 0] * (u[1, 0] - u[-1, 0]) / (2 * h)
            right = 0.003 * (u[1, 0] - 2 * u[0, 0] + u[-1, 0]) / h**2
            self.assertAlmostEqual(left, right, delta=1e-3 * max(1.0, abs(right)))

    def test_colebrook_solves_its_equation(self):
        factor = at(formulas.colebrook, 1e5, 1e-3)
        self.assertAlmostEqual(factor**-0.5, -2 * math.log10(1e-3 / 3.7 + 2.51 / (1e5 * math.sqrt(factor))), places=9)

    def test_published_moments(self):
        generator = np.random.default_rng(1)
        x = formulas.FORMULAS["ishigami"].inputs(200_000, generator)
        y = formulas.ishigami(x)
        self.assertAlmostEqual(float(y.mean()), 3.5, delta=0.05)
        self.assertAlmostEqual(float(y.var()), 13.8446, delta=0.15)
        x = formulas.FORMULAS["sobol_g"].inputs(200_000, generator)
        self.assertAlmostEqual(float(formulas.sobol_g(x).mean()), 1.0, delta=0.01)


class Draws(unittest.TestCase):
    def test_every_formula_gives_numbers_and_the_same_ones_again(self):
        for each in sets.SETS:
            if each.formula is None:
                continue
            first, again, other = each.draw(0, 50), each.draw(0, 50), each.draw(1, 50)
            self.assertEqual(first.fingerprint(), again.fingerprint(), each.name)
            self.assertNotEqual(first.fingerprint(), other.fingerprint(), each.name)
            self.assertEqual((len(first.y), len(first.exact)), (50, sets.TEST_ROWS))
            for part in (first.x, first.y, first.fresh, first.exact):
                self.assertTrue(np.isfinite(part).all(), each.name)
            self.assertGreater(first.exact.std(), 0, each.name)

    def test_noise_is_what_is_said(self):
        draw = sets.Set("loud", "signal", "choose", 20_000, formula=formulas.FORMULAS["multiscale"]).draw(3)
        self.assertEqual(draw.noise, 0.1)
        self.assertAlmostEqual(float((draw.y - formulas.multiscale(draw.x)).std()), 0.1, delta=0.003)
        np.testing.assert_array_equal(draw.exact, formulas.multiscale(draw.fresh))

    def test_splits_of_a_table_share_no_row_between_their_two_parts(self):
        numbers = np.arange(103.0)
        table = sets.Set("numbers", "table", "choose", 60, load=lambda: (numbers[:, None], numbers))
        sets.BY_NAME["numbers"] = table
        try:
            draw = table.draw(0)
        finally:
            del sets.BY_NAME["numbers"]
            sets.loaded.cache_clear()
        self.assertEqual((len(draw.y), len(draw.exact)), (60, 20))
        self.assertFalse(set(draw.y) & set(draw.exact))

    def test_text_columns_become_numbers_and_rows_with_gaps_go(self):
        table = {"size": [1, 2, 3, 4], "cut": ["Fair", "Ideal", "Good", "NA"], "town": ["a", "c", "b", "a"],
                 "y": [1.0, 2.0, 3.0, 4.0]}
        x, y = tables.from_columns(table, "y", ["size", "cut", "town"])
        np.testing.assert_array_equal(x, [[1, 0, 0, 0], [2, 4, 0, 1], [3, 1, 1, 0]])
        np.testing.assert_array_equal(y, [1, 2, 3])

    def test_roles(self):
        """Every set has one role, and none that earlier choices saw is among those that report."""
        self.assertEqual(len(sets.BY_NAME), len(sets.SETS))
        for each in sets.SETS:
            self.assertIn(each.role, sets.ROLES)
            if each.earlier:
                self.assertEqual(each.role, "choose", each.name)
        self.assertTrue(all(each.role == "report" for each in sets.chosen(role="report")))
        with self.assertRaises(ValueError):
            sets.chosen(["no such set"])

    def test_the_pages_name_every_set(self):
        """The README lists the sets by role."""
        listed = (HERE.parents[2] / "benchmarks" / "accuracy" / "README.md").read_text(encoding="utf-8")
        for role in sets.ROLES:
            (line,) = [line for line in listed.splitlines() if line.startswith(f"| `{role}` |")]
            self.assertEqual(set(line.split("`")[3::2]), {each.name for each in sets.chosen(role=role)})


def record(name, learner, split, error, **more):
    return {"set": name, "learner": learner, "split": split, "error": error, "mse": error, "noise": 0.0, "rows": 80,
            "inputs": 2, "test_rows": 20, "cpu_seconds": 1.0, **more}


class Statistics(unittest.TestCase):
    def test_ratio(self):
        each = summary.ratio({0: 1.0, 1: 4.0}, {0: 2.0, 1: 2.0, 7: 1.0})
        self.assertAlmostEqual(each.value, 1.0)
        self.assertAlmostEqual(each.se, math.log(2))
        self.assertEqual((each.splits, each.verdict), (2, 0))
        self.assertIsNone(summary.ratio({0: 1.0}, {1: 1.0}))
        self.assertIsNone(summary.ratio({0: 1.0}, {0: 1.0}).se)

    def test_splits_of_one_table_are_worth_less(self):
        errors, others = {0: 1.0, 1: 1.2, 2: 1.1}, {0: 2.0, 1: 2.0, 2: 2.0}
        alone, shared = summary.ratio(errors, others), summary.ratio(errors, others, overlap=0.25)
        self.assertAlmostEqual(shared.se / alone.se, math.sqrt((1 / 3 + 0.25) / (1 / 3)))

    def test_two_splits_prove_little(self):
        self.assertEqual(summary.Ratio(0.5, 0.1, 2).verdict, 0)
        self.assertEqual(summary.Ratio(0.5, 0.1, 10).verdict, -1)
        self.assertEqual(summary.Ratio(2.0, 0.1, 10).verdict, 1)

    def test_best_peer_is_the_one_with_the_least_mean_on_all_splits(self):
        records = [record("franke", "rfnn", split, 1.0) for split in range(2)]
        records += [record("franke", "A", 0, 1.0), record("franke", "A", 1, 4.0)]
        records += [record("franke", "B", 0, 3.0), record("franke", "B", 1, 3.0), record("franke", "C", 0, 0.1)]
        (result,) = summary.by_set(records, sets.BY_NAME, ["A", "B", "C"])
        self.assertEqual(result.best_peer, "A")
        self.assertAlmostEqual(result.against_best("rfnn").value, 0.5)

    def test_means_do_not_hang_on_one_formula(self):
        mean = summary.mean_of([summary.Ratio(1e-9, 0.1, 3), summary.Ratio(1.0, 0.1, 3)])
        self.assertAlmostEqual(mean.value, math.sqrt(0.1))
        self.assertAlmostEqual(summary.mean_of([summary.Ratio(0.001, 0.1, 3), summary.Ratio(1000.0, 0.1, 3)], 10).value, 1)

    def test_reported_error_is_compared_with_noise(self):
        found = summary.honesty([record("franke", "rfnn", 0, 0.5, reported=1.5, noise=1.0)], "rfnn")
        self.assertAlmostEqual(found[0][1], 1.0)

    def test_comparison_of_two_programs(self):
        records = [record("franke", name, split, error) for split in range(4)
                   for name, error in (("now", 0.9 + 0.001 * split), ("before", 1.0))]
        _, rows = text.comparison(summary.by_set(records, sets.BY_NAME, []), "now", "before")
        self.assertEqual((rows[0][0], rows[0][7]), ("franke", "better"))
        self.assertEqual(rows[-1][0], "all")

    def test_comparison_of_a_run_that_was_stopped(self):
        """Errors are those of the splits both have, and one split has no standard error."""
        records = [record("franke", "now", 0, 0.5), record("franke", "before", 0, 1.0), record("franke", "before", 1, 9.0)]
        _, rows = text.comparison(summary.by_set(records, sets.BY_NAME, []), "now", "before")
        self.assertEqual(rows[0][3:7], ["1", "0.5", "0.5", 1])
        self.assertEqual(rows[-1][5], "0.5")


class Page(unittest.TestCase):
    def test_everything_has_a_place(self):
        """A page of a run with both roles, a failure and a set that is missing; only names that bench_page knows."""
        records = [record(name, learner, split, 0.1 + 0.1 * split, reported=0.1)
                   for name in ("franke", "boxes", "friedman1") for learner in ("rfnn", "GP") for split in range(2)]
        records[0]["failed"] = "no memory"
        run = {"sets": summary.by_set(records, sets.BY_NAME, ["GP"]), "records": records, "programs": ["rfnn"],
               "learners": ["rfnn", "GP"], "facts": {"Processor": "slow"}, "cautions": ["careful"],
               "missing": {"nox": "no package"}, "what": "a run"}
        described = page.described(run)
        self.assertEqual([section["id"] for section in described["sections"]], ["report", "choose", "run"])
        items = [item for section in described["sections"] for item in section["items"]]
        self.assertTrue(all(len(item) == 1 for item in items))
        self.assertEqual({kind for item in items for kind in item},
                         {"notice", "paragraph", "highlights", "figure", "table", "facts"})
        names = [item["figure"]["id"] for item in items if "figure" in item]
        self.assertEqual(len(names), len(set(names)))
        words = text.document(run)
        for each in ("careful", "no package", "(failed)", "| boxes |", "| friedman1 |"):
            self.assertIn(each, words)
        self.assertLess(words.index("| franke |"), words.index("| friedman1 |"))


class Cache(unittest.TestCase):
    def test_a_torn_line_costs_that_line_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "fits.jsonl"
            self.assertEqual(work.read_cache(path), {})
            work.append(path, {"key": "a", "error": 1.0})
            with open(path, "ab") as file:
                file.write(b'{"key": "b", "err')
            work.append(path, {"key": "c", "error": 3.0})
            self.assertEqual(sorted(work.read_cache(path)), ["a", "c"])

    def test_a_key_is_of_data_and_learner(self):
        job = work.Job("franke", 0, "GP", 0)
        first = job.key("data", {"peer": "GP", "version": "1"})
        self.assertEqual(first, work.Job("franke", 0, "GP", 99).key("data", {"peer": "GP", "version": "1"}))
        self.assertNotEqual(first, job.key("other data", {"peer": "GP", "version": "1"}))
        self.assertNotEqual(first, job.key("data", {"peer": "GP", "version": "2"}))

    def test_the_command_starts(self):
        """Without the peers installed: they are loaded when they are run."""
        done = subprocess.run([sys.executable, "-B", HERE.parents[2] / "benchmarks" / "accuracy" / "run.py", "--list"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("merging_shocks", done.stdout)


if __name__ == "__main__":
    unittest.main()
