#!/usr/bin/env python3
"""How often the 95 % intervals of `rfnn compare` hold the true difference: errors of two models that share half of
their variance, the second ones larger by a fifth, drawn many times.

    PYTHONPATH=build/python build/venv/bin/python benchmarks/compare_coverage.py [--rows 150] [--draws 1000]
"""

import argparse
import math
from statistics import NormalDist

import numpy

import rfnn


class Known:
    """A model whose prediction is a column of the table."""

    def __init__(self, column):
        self.predict = lambda X: X[:, column]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=150)
    parser.add_argument("--draws", type=int, default=1000)
    given = parser.parse_args()
    larger, random = 1.2, numpy.random.default_rng(1)
    truth = {"mse": larger**2 - 1, "mae": (larger - 1) * math.sqrt(2 / math.pi)}
    truth |= {f"q{q}": (larger - 1) * NormalDist().inv_cdf(0.5 + q / 200) for q in (50, 90, 95)}
    covered = dict.fromkeys(truth, 0)
    for _ in range(given.draws):
        common, one, other = math.sqrt(0.5) * random.normal(size=(3, given.rows))
        errors = numpy.column_stack([common + one, larger * (common + other)])
        found = rfnn.compare([Known(0), Known(1)], errors, numpy.zeros(given.rows)).differences
        for measure, low, high in zip(found["measure"], found["low"], found["high"]):
            covered[measure] += low <= truth[measure] <= high
    print(f"{given.draws} draws of {given.rows} rows")
    for measure, count in covered.items():
        print(f"{measure:<4} {100 * count / given.draws:.1f} % of the intervals hold the truth")


if __name__ == "__main__":
    main()
