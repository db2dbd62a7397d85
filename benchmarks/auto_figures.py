#!/usr/bin/env python3
"""What preset auto reaches: errors on the paper's targets, time against the published algorithm, irrelevant inputs,
pure noise, lines of a record, bits for threads.

    auto_figures.py --rfnn build/rfnn [--only PART,...] [--seeds N] [--record FILE --target NAME --cycles X,...] [--json OUT]

Everything is started as a user starts it. Times are ratios within this run. Standard library only.
"""
import argparse
import csv
import json
import math
import pathlib
import random
import statistics
import subprocess
import tempfile

PARTS = ("targets", "free", "time", "irrelevant", "noise", "threads", "record")


class Run:
    """One folder and one binary."""

    def __init__(self, rfnn, folder):
        self.rfnn, self.folder = rfnn, pathlib.Path(folder)

    def path(self, name):
        return str(self.folder / name)

    def call(self, *arguments):
        done = subprocess.run([self.rfnn, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode not in (0, 4):
            raise SystemExit(f"{' '.join(map(str, arguments))}: {done.stderr}")
        return done.stdout

    def generate(self, target, rows, seed, name):
        self.call("generate", target, "--rows", rows, "--seed", seed, "--out", self.path(name))
        return self.path(name)

    def fit(self, data, target, *options, out="model.rfnn"):
        self.call("fit", data, "--target", target, "--out", self.path(out), "--quiet", *options)
        return self.path(out)

    def evaluate(self, model, data):
        result = json.loads(self.call("evaluate", model, data, "--json"))
        return {key: value[0] if isinstance(value, list) else value for key, value in result.items()}

    def inspect(self, model):
        return json.loads(self.call("inspect", model, "--json"))

    def predict(self, model, data):
        self.call("predict", model, data, "--out", self.path("predicted.csv"))
        return [row[-1] for row in read(self.path("predicted.csv"))[1]]


def read(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    return rows[0], [[float(cell) for cell in row] for row in rows[1:]]


def write(path, header, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


def nearest_neighbour_mse(train, test):
    train = sorted(train)
    total, at = 0.0, 0
    for x, y in sorted(test):
        while at + 1 < len(train) and abs(train[at + 1][0] - x) < abs(train[at][0] - x):
            at += 1
        total += (train[at][1] - y) ** 2
    return total / len(test)


def targets(run, seeds):
    """The paper's targets at the paper's N, W and L, one member."""
    settings = {"multiscale": (2000, 10000, 6), "stairstep": (1000, 10000, 6), "sine": (8000, 15625, 4)}
    result = {}
    for name, (rows, test_rows, width) in settings.items():
        errors, floors, inside = [], [], []
        for seed in range(1, seeds + 1):
            data = run.generate(name, rows, seed, "train.csv")
            test = run.generate(name, test_rows, 1000 + seed, "test.csv")
            model = run.fit(data, "y", "--width", width, "--blocks", 10, "--members", 1, "--seed", seed)
            errors.append(run.evaluate(model, test)["mse"])
            if name == "stairstep":
                floors.append(errors[-1] / nearest_neighbour_mse(read(data)[1], read(test)[1]))
                predicted = run.predict(model, test)
                inside.append(sum(-0.02 <= p <= 1.02 for p in predicted) / len(predicted))
        result[name] = {"mse": errors, "median_mse": statistics.median(errors)}
        print(f"{name:11} W {width}: test MSE median {statistics.median(errors):.2e} ({min(errors):.1e} to {max(errors):.1e})")
        if floors:
            result[name].update(over_nearest_neighbour=floors, within_0_02=inside)
            print(f"{'':11} over nearest neighbour median {statistics.median(floors):.2f}; "
                  f"share of points within 0.02 of [0, 1] median {statistics.median(inside):.4f}")
    return result


def free(run, seeds):
    """Sine, free width and depth, ten seconds."""
    errors = []
    for seed in range(1, min(seeds, 3) + 1):
        data, test = run.generate("sine", 8000, seed, "train.csv"), run.generate("sine", 15625, 1000 + seed, "test.csv")
        errors.append(run.evaluate(run.fit(data, "y", "--max-time", 10, "--seed", seed), test)["mse"])
    print(f"sine, free, 10 s: test MSE {', '.join(f'{e:.1e}' for e in errors)}")
    return errors


def time_ratio(run, seeds):
    """Time of the published algorithm's full run over the time auto takes to its error; one thread each."""
    ratios = []
    for seed in range(1, min(seeds, 3) + 1):
        data, test = run.generate("multiscale", 2000, seed, "train.csv"), run.generate("multiscale", 10000, 99, "test.csv")
        paper = run.fit(data, "y", "--preset", "paper", "--iterations", 20000, "--seed", seed, "--threads", 1, out="paper.rfnn")
        wanted = run.evaluate(paper, test)["mse"]
        seconds = []
        for _ in range(7):
            auto = run.fit(data, "y", "--width", 6, "--members", 1, "--tolerance", wanted, "--seed", seed, "--threads", 1)
            seconds.append(run.inspect(auto)["seconds"])
        reached = run.evaluate(auto, test)["mse"]
        ratios.append(run.inspect(paper)["seconds"] / min(seconds))
        print(f"multiscale: published {run.inspect(paper)['seconds']:.2f} s to {wanted:.1e}, auto {min(seconds) * 1e3:.1f} ms "
              f"to {reached:.1e}: {ratios[-1]:.0f} times")
    return ratios


def formula(name, generator):
    u = generator.uniform
    if name == "ishigami":
        x = [u(-math.pi, math.pi) for _ in range(3)]
        return x, math.sin(x[0]) + 7 * math.sin(x[1]) ** 2 + 0.1 * x[2] ** 4 * math.sin(x[0])
    if name == "borehole":
        rw, r, tu, hu, tl, hl, length, kw = (u(0.05, 0.15), u(100, 50000), u(63070, 115600), u(990, 1110),
                                             u(63.1, 116), u(700, 820), u(1120, 1680), u(9855, 12045))
        log = math.log(r / rw)
        flow = 2 * math.pi * tu * (hu - hl) / (log * (1 + 2 * length * tu / (log * rw * rw * kw) + tu / tl))
        return [rw, r, tu, hu, tl, hl, length, kw], flow
    intensity, theta, n = u(1, 5), u(1, 5), u(1, 5)  # light behind a grating of n slits
    return [intensity, theta, n], intensity * math.sin(n * theta / 2) ** 2 / math.sin(theta / 2) ** 2


def irrelevant(run, seeds):
    """Twenty Gaussian inputs without influence beside those of a formula."""
    ratios = {}
    for name in ("ishigami", "borehole", "grating"):
        errors = []
        for extra in (0, 20):
            generator = random.Random(5)
            noise = random.Random(6)
            for file, rows in (("train.csv", 9000), ("test.csv", 1000)):
                table = []
                for _ in range(rows):
                    x, y = formula(name, generator)
                    table.append([*x, *(noise.gauss(0, 1) for _ in range(extra)), y])
                write(run.path(file), [f"x{i + 1}" for i in range(len(table[0]) - 1)] + ["y"], table)
            model = run.fit(run.path("train.csv"), "y")
            errors.append(1.0 - run.evaluate(model, run.path("test.csv"))["r2"])
        ratios[name] = errors[1] / errors[0]
        print(f"{name:9} 1 - R2 {errors[0]:.2e}, with 20 irrelevant inputs {errors[1]:.2e}: {ratios[name]:.2f} times")
    print(f"geometric mean {math.exp(statistics.fmean(map(math.log, ratios.values()))):.2f}, largest {max(ratios.values()):.2f}")
    return ratios


def noise(run, seeds):
    """Targets that have nothing to do with the inputs."""
    generator = random.Random(3)
    rows = [[generator.random(), generator.random(), generator.random(), generator.random()] for _ in range(46000)]
    write(run.path("train.csv"), ["a", "b", "c", "y"], rows[:41000])
    write(run.path("test.csv"), ["a", "b", "c", "y"], rows[41000:])
    model = run.fit(run.path("train.csv"), "y")
    r2, blocks = run.evaluate(model, run.path("test.csv"))["r2"], len(run.inspect(model)["blocks"])
    print(f"pure noise: R2 {r2:.5f}, blocks {blocks}")
    return {"r2": r2, "blocks": blocks}


def threads(run, seeds):
    """Tensors of the file for one, two and three threads."""
    def tensors(path):
        content = pathlib.Path(path).read_bytes()
        return content[8 + int.from_bytes(content[:8], "little"):]

    same = {}
    for name, rows in (("multiscale", 3000), ("sine", 6000)):
        data = run.generate(name, rows, 1, "train.csv")
        found = [tensors(run.fit(data, "y", "--threads", count)) for count in (1, 2, 3)]
        same[name] = all(bits == found[0] for bits in found)
        print(f"{name}: tensors for 1, 2, 3 threads {'the same' if same[name] else 'DIFFERENT'}")
    return same


def record(run, path, target, cycles):
    """Lines of a record among the ten largest after merging those closer than its resolution."""
    header, rows = read(path)
    resolution = 1.0 / (max(row[0] for row in rows) - min(row[0] for row in rows))
    model = run.fit(path, target)
    merged = []
    for line in run.inspect(model)["spectrum"]:
        if line["branch"] != "input" or line["cycles"][0] == 0:
            continue
        place, size = abs(line["cycles"][0]), math.hypot(*line["amplitude"]) if isinstance(line["amplitude"], list) else line["amplitude"]
        near = next((m for m in merged if abs(m[0] / m[1] - place) < resolution), None)
        if near:
            near[0] += place * size ** 2
            near[1] += size ** 2
        else:
            merged.append([place * size ** 2, size ** 2])
    largest = sorted(merged, key=lambda m: -m[1])[:10]
    found = {}
    for line in cycles:
        found[line] = min(abs(m[0] / m[1] - line) for m in largest)
        print(f"line {line}: nearest of the ten largest {found[line]:.1e} away")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rfnn", default="build/rfnn")
    parser.add_argument("--only", default=",".join(PARTS[:-1]))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--record", help="CSV file with one input and a target")
    parser.add_argument("--target", default="y")
    parser.add_argument("--cycles", default="", help="lines to look for, cycles per unit of the input")
    parser.add_argument("--json")
    given = parser.parse_args()
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        run = Run(given.rfnn, folder)
        parts = {"targets": targets, "free": free, "time": time_ratio, "irrelevant": irrelevant, "noise": noise, "threads": threads}
        for name in given.only.split(","):
            if name in parts:
                results[name] = parts[name](run, given.seeds)
        if given.record:
            results["record"] = record(run, given.record, given.target, [float(c) for c in given.cycles.split(",") if c])
    if given.json:
        pathlib.Path(given.json).write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
