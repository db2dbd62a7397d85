"""What the paper claims, with its published settings, over several seeds: test errors, learned frequencies, Method 1
against Method 2. Two runs at a time, one thread each; some minutes."""

import cmath
import json
import pathlib
import tempfile
from concurrent.futures import ThreadPoolExecutor

from common import arguments, check, finish, median, output_of, program

PUBLISHED = {
    "multiscale": {"rows": 2000, "options": {"width": 6, "blocks": 10, "iterations": 20000, "ridge": 1e-4}},
    "stairstep": {"rows": 1000, "options": {"width": 6, "blocks": 10, "iterations": 5000, "ridge": 1e-6}},
    "sine": {"rows": 8000, "options": {"width": 4, "blocks": 10, "iterations": 5000, "ridge": 1e-4, "gamma": 20,
                                       "gamma-state": 20, "delta": 2.4**2 / 3, "delta-state": 2.4**2}},
}
TEST_ROWS = {"multiscale": 10_000, "stairstep": 10_000, "sine": 25**3}
LINES = (4.0, 70.0, 150.0)  # of the multiscale function
MERGE = 0.5


def merged(lines):
    """(frequency, amplitude), lines within MERGE of a larger one added to it with their phases, as `rfnn inspect` merges
    them; largest first."""
    groups = []
    for frequency, wave in sorted(lines, key=lambda line: -abs(line[1])):
        near = next((group for group in groups if abs(group[0] - frequency) < MERGE), None)
        if near:
            near[1] += wave
        else:
            groups.append([frequency, wave])
    return sorted(([frequency, abs(wave)] for frequency, wave in groups), key=lambda group: -group[1])


def has_all_lines(groups):
    return all(any(abs(frequency - line) <= MERGE for frequency, _ in groups[:6]) for line in LINES)


class Runner:
    def __init__(self, rfnn, folder, quick):
        self.rfnn, self.folder, self.quick = rfnn, folder, quick

    def data(self, target, rows, seed):
        path = self.folder / f"{target}-{rows}-{seed}.csv"
        if not path.exists():
            output_of(self.rfnn, "generate", target, "--rows", rows, "--seed", seed, "--out", path)
        return path

    def fit(self, target, seed, **more):
        """Trains with the published settings and says how good the model is on fresh rows."""
        settings = PUBLISHED[target]["options"] | more
        if self.quick:
            settings |= {"iterations": settings["iterations"] // 20}
        name = "-".join([target, str(seed), *map(str, more.values())])
        model = self.folder / f"{name}.rfnn"
        flags = [word for key, value in settings.items() for word in (f"--{key}", value)]
        train = self.data(target, PUBLISHED[target]["rows"], seed)
        output_of(self.rfnn, "fit", train, "--target", "y", "--preset", "paper",
                  "--seed", seed, "--threads", 1, "--quiet", "--out", model,
                  *flags)
        test = self.data(target, TEST_ROWS[target], 1000 + seed)
        found = json.loads(output_of(self.rfnn, "inspect", model, "--json"))
        waves = [(line["frequency"][0], cmath.rect(line["amplitude"][0], line["phase"][0])) for line in found["spectrum"]
                 if line["branch"] == "input" and len(line["frequency"]) == 1]
        return {
            "seed": seed,
            "test_mse": json.loads(output_of(self.rfnn, "evaluate", model, test, "--json"))["mse"],
            "train_mse": [block["train_mse"] for block in found["blocks"]],
            "acceptance": [branch["accepted"] / max(1, branch["proposed"])
                           for block in found["blocks"] for branch in block["branches"]],
            "input_lines": merged(waves)[:6],
        }


def table(title, runs):
    print(f"{title}: median {median(run['test_mse'] for run in runs):.2e}")
    for run in runs:
        acceptance = sum(run["acceptance"]) / len(run["acceptance"])
        print(f"  seed {run['seed']}: test MSE {run['test_mse']:.2e}, train MSE {run['train_mse'][-1]:.2e}, "
              f"acceptance {acceptance:.2f}")
        if run["input_lines"]:
            lines = ", ".join(f"{frequency:.2f} ({amplitude:.3g})" for frequency, amplitude in run["input_lines"])
            print(f"    largest lines (amplitude): {lines}")


def main():
    given = arguments(__doc__, ("--seeds", {"type": int, "default": 5, "help": "seeds 1, 2, … [5]"}))
    seeds = range(1, (2 if given.quick else given.seeds) + 1)
    with tempfile.TemporaryDirectory(prefix="rfnn-bench-") as folder, ThreadPoolExecutor(2) as pool:
        runner = Runner(program(given.build, "rfnn"), pathlib.Path(folder), given.quick)

        def over_seeds(target, **more):
            return list(pool.map(lambda seed: runner.fit(target, seed, **more), seeds))

        for target, rows in TEST_ROWS.items():  # made beforehand: two runs share a file
            for seed in seeds:
                runner.data(target, rows, 1000 + seed)
                runner.data(target, PUBLISHED[target]["rows"], seed)
        multiscale = over_seeds("multiscale")
        table("multiscale, published settings, test MSE", multiscale)
        best = over_seeds("multiscale", keep="best")
        table("multiscale, best state", best)
        method_1 = over_seeds("stairstep", keep="best")
        table("stairstep, best state, Method 1", method_1)
        method_2 = over_seeds("stairstep", keep="best", **{"state-branch": "frozen"})
        table("stairstep, best state, Method 2", method_2)
        sine = over_seeds("sine")
        table("sine, published settings", sine)

    error = median(run["test_mse"] for run in multiscale)
    with_lines = {words: sum(has_all_lines(run["input_lines"]) for run in runs)
                  for words, runs in (("published settings", multiscale), ("best state", best))}
    ratio = median(run["test_mse"] for run in method_1) / median(run["test_mse"] for run in method_2)
    finish({"quick": given.quick,
            "multiscale": multiscale, "multiscale_best": best,
            "stairstep_method_1": method_1, "stairstep_method_2": method_2, "sine": sine,
            "checks": [
                check("multiscale, median test MSE", error, "< 1.25e-3", error < 1.25e-3),
                *(check(f"multiscale, {words}: runs of {len(seeds)} whose six largest lines include 4, 70, 150", count,
                        "most", 2 * count > len(seeds)) for words, count in with_lines.items()),
                check("stairstep, Method 1 / Method 2, medians of test MSE", ratio, "≤ 1/3", ratio <= 1 / 3),
            ]}, given.json)


if __name__ == "__main__":
    main()
