"""Gibbs iterations per second of one process with two threads over the joint rate of two processes with one thread each
that run at the same time, in turns within one run."""

import subprocess
import sys

from common import arguments, check, finish, program

SIZES = ((100_000, 3, 16), (100_000, 10, 256))


class Runner:
    """One process that iterates when told to."""

    def __init__(self, bench, size, threads, seconds):
        command = [bench, "--rate", *map(str, size), str(threads), str(seconds)]
        self.process = subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def wait(self):
        if self.process.stdout.readline() != "ready\n":
            sys.exit("bench_training did not start.")

    def start(self):
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def rate(self):
        return float(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def together(runners):
    for runner in runners:
        runner.start()
    return sum(runner.rate() for runner in runners)


def measure(bench, size, seconds, turns):
    pair = [Runner(bench, size, 1, seconds) for _ in range(2)]
    team = [Runner(bench, size, 2, seconds)]
    for runner in pair + team:
        runner.wait()
    rates = {"two_processes": [], "two_threads": []}
    for _ in range(turns):
        rates["two_processes"].append(together(pair))
        rates["two_threads"].append(together(team))
    for runner in pair + team:
        runner.end()
    best = {way: max(found) for way, found in rates.items()}
    rows, inputs, width = size
    return {"rows": rows, "inputs": inputs, "width": width, **best, "all_rates": rates,
            "ratio": best["two_threads"] / best["two_processes"]}


def main():
    given = arguments(__doc__)
    bench = program(given.build, "bench_training")
    found = []
    for size in SIZES[:1] if given.quick else SIZES:
        wide = size[2] > 100  # seconds an iteration
        seconds, turns = (0.2, 2) if given.quick else (4.0, 2) if wide else (1.0, 5)
        found.append(measure(bench, size, seconds, turns))
    print("Gibbs iterations per second, two threads / two processes at once")
    checks = []
    for size in found:
        name = f"N = {size['rows']}, d = {size['inputs']}, W = {size['width']}"
        print(f"  {name}: {size['two_threads']:.4g} / {size['two_processes']:.4g}")
        checks.append(check(f"{name}, two threads / two one-thread processes", size["ratio"], "≥ 0.9",
                            size["ratio"] >= 0.9))
    finish({"sizes": found, "checks": checks}, given.json)


if __name__ == "__main__":
    main()
