"""Generated data: test functions written from their published formulas. Needs NumPy alone.

A function takes rows of inputs and returns their exact targets; a Formula adds the ranges the inputs are drawn from and
the noise on the training targets. Test targets are exact, so an error is that of the function and not of the noise.
"""
from dataclasses import dataclass
from typing import Callable

import numpy as np

pi = np.pi


def friedman1(x):
    """Friedman (1991), eq. 56, five of the inputs have no influence."""
    return 10 * np.sin(pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]


def friedman2(x):
    """Friedman (1991): impedance of an alternating current series circuit."""
    return np.sqrt(x[:, 0] ** 2 + (x[:, 1] * x[:, 2] - 1 / (x[:, 1] * x[:, 3])) ** 2)


def friedman3(x):
    """Friedman (1991): phase angle of the same circuit."""
    return np.arctan((x[:, 1] * x[:, 2] - 1 / (x[:, 1] * x[:, 3])) / x[:, 0])


def ishigami(x):
    """Ishigami and Homma (1990), a = 7, b = 0.1."""
    return np.sin(x[:, 0]) + 7 * np.sin(x[:, 1]) ** 2 + 0.1 * x[:, 2] ** 4 * np.sin(x[:, 0])


def borehole(x):
    """Water through a borehole: Harper and Gupta (1983)."""
    rw, r, tu, hu, tl, hl, length, kw = x.T
    log = np.log(r / rw)
    return 2 * pi * tu * (hu - hl) / (log * (1 + 2 * length * tu / (log * rw**2 * kw) + tu / tl))


def grating(x):
    """Light behind a grating of n slits (Feynman lectures I.30.3)."""
    return x[:, 0] * np.sin(x[:, 2] * x[:, 1] / 2) ** 2 / np.sin(x[:, 1] / 2) ** 2


def otl_circuit(x):
    """Midpoint voltage of a push-pull circuit without transformer: Ben-Ari and Steinberg (2007)."""
    rb1, rb2, rf, rc1, rc2, beta = x.T
    vb1 = 12 * rb2 / (rb1 + rb2)
    outer = beta * (rc2 + 9)
    return ((vb1 + 0.74) * outer + 11.35 * rf) / (outer + rf) + 0.74 * rf * outer / ((outer + rf) * rc1)


def piston(x):
    """Seconds of a piston's cycle: Kenett and Zacks (1998)."""
    mass, surface, volume, k, pressure, ambient, filling = x.T
    a = pressure * surface + 19.62 * mass - k * volume / surface
    v = surface / (2 * k) * (np.sqrt(a**2 + 4 * k * pressure * volume / filling * ambient) - a)
    return 2 * pi * np.sqrt(mass / (k + surface**2 * pressure * volume / filling * ambient / v**2))


def wing_weight(x):
    """Weight of a light aircraft's wing: Forrester, Sobester and Keane (2008)."""
    sw, wfw, a, sweep, q, taper, tc, nz, wdg, wp = x.T
    cosine = np.cos(np.deg2rad(sweep))
    return (0.036 * sw**0.758 * wfw**0.0035 * (a / cosine**2) ** 0.6 * q**0.006 * taper**0.04
            * (100 * tc / cosine) ** -0.3 * (nz * wdg) ** 0.49 + sw * wp)


def robot_arm(x):
    """Distance of the end of an arm of four joints from its shoulder: An and Owen (2001)."""
    angles, lengths = np.cumsum(x[:, :4], axis=1), x[:, 4:]
    return np.hypot((lengths * np.cos(angles)).sum(axis=1), (lengths * np.sin(angles)).sum(axis=1))


def sobol_g(x):
    """Sobol' (1993): a product with a kink in every input."""
    a = np.array([0.0, 1.0, 4.5, 9.0, 99.0])
    return np.prod((np.abs(4 * x - 2) + a) / (1 + a), axis=1)


def franke(x):
    """Franke (1979): two peaks and a dip."""
    u, v = 9 * x[:, 0], 9 * x[:, 1]
    return (0.75 * np.exp(-((u - 2) ** 2 + (v - 2) ** 2) / 4) + 0.75 * np.exp(-((u + 1) ** 2) / 49 - (v + 1) / 10)
            + 0.5 * np.exp(-((u - 7) ** 2 + (v - 3) ** 2) / 4) - 0.2 * np.exp(-((u - 4) ** 2) - (v - 7) ** 2))


def gramacy_lee(x):
    """Gramacy and Lee (2012): a wave that dies out."""
    return np.sin(10 * pi * x[:, 0]) / (2 * x[:, 0]) + (x[:, 0] - 1) ** 4


def multiscale(x):
    """Three waves a factor of forty apart: Davis, Geraci and Motamed (2024)."""
    return np.cos(4 * x[:, 0]) + 0.3 * np.cos(70 * x[:, 0]) + 0.05 * np.cos(150 * x[:, 0])


KNOTS = np.array([0.1, 0.13, 0.15, 0.23, 0.25, 0.40, 0.44, 0.65, 0.76, 0.78, 0.81])


def blocks(x):
    """Donoho and Johnstone (1994): jumps."""
    heights = np.array([4, -5, 3, -4, 5, -4.2, 2.1, 4.3, -3.1, 2.1, -4.2])
    return ((1 + np.sign(x[:, :1] - KNOTS)) / 2) @ heights


def bumps(x):
    """Donoho and Johnstone (1994): peaks."""
    heights = np.array([4, 5, 3, 4, 5, 4.2, 2.1, 4.3, 3.1, 5.1, 4.2])
    widths = np.array([5, 5, 6, 10, 10, 30, 10, 10, 5, 8, 5]) / 1000
    return ((1 + np.abs((x[:, :1] - KNOTS) / widths)) ** -4) @ heights


def heavisine(x):
    """Donoho and Johnstone (1994): a sine with two jumps."""
    t = x[:, 0]
    return 4 * np.sin(4 * pi * t) - np.sign(t - 0.3) - np.sign(0.72 - t)


def doppler(x):
    """Donoho and Johnstone (1994): a chirp."""
    t = x[:, 0]
    return np.sqrt(t * (1 - t)) * np.sin(2 * pi * 1.05 / (t + 0.05))


def colebrook(x):
    """Friction factor of a pipe, Reynolds number and relative roughness over four decades: Colebrook (1939)."""
    reynolds, roughness = x.T
    root = np.full(len(x), 8.0)  # of 1/f; the iteration contracts by a factor of ten or more
    for _ in range(60):
        root = -2 * np.log10(roughness / 3.7 + 2.51 / reynolds * root)
    return root**-2


def merging_shocks(x):
    """Two shocks that become one: an exact solution of Burgers' equation, viscosity 0.003 (Whitham, 1974). Inputs: place,
    time."""
    place, time = x.T
    exponents = np.stack([-0.05 * (place - 0.5 + 4.95 * time), -0.25 * (place - 0.5 + 0.75 * time),
                          -0.5 * (place - 0.375)]) / 0.003
    weights = np.exp(exponents - exponents.max(axis=0))
    return np.array([0.1, 0.5, 1.0]) @ weights / weights.sum(axis=0)


def solitons(x):
    """Two solitons that pass through each other: the exact solution of the Korteweg–de Vries equation that starts as
    6 sech²(x) (Drazin and Johnson, 1989). In logarithms: cosh overflows far out. Inputs: place, time."""
    place, time = x.T

    def log_cosh(z):
        return np.abs(z) + np.log1p(np.exp(-2 * np.abs(z))) - np.log(2)

    top = [np.full(len(x), np.log(3.0)), np.log(4) + log_cosh(2 * place - 8 * time), log_cosh(4 * place - 64 * time)]
    bottom = [np.log(3) + log_cosh(place - 28 * time), log_cosh(3 * place - 36 * time)]
    return 12 * np.exp(np.logaddexp.reduce(top) - 2 * np.logaddexp.reduce(bottom))


def ripples(x):
    """Waves from three sources of different lengths in a pond, weaker with the distance."""
    sources = ((-0.7, -0.4, 18.0, 1.0), (0.8, 0.1, 31.0, 0.6), (0.1, 0.9, 47.0, 0.3))
    total = np.zeros(len(x))
    for across, up, number, strength in sources:
        distance = np.hypot(x[:, 0] - across, x[:, 1] - up)
        total += strength * np.cos(number * distance) / np.sqrt(1 + 10 * distance)
    return total


def curved_front(x):
    """Smooth on either side of a jump along a curve."""
    behind = x[:, 1] > 0.3 * np.sin(4 * x[:, 0])
    return np.where(behind, 1 + 0.3 * np.cos(3 * x[:, 0]), 0.2 * x[:, 1])


def boxes(x):
    """Constant in boxes with sides along the axes: what trees are made for."""
    return (2.0 * ((x[:, 0] > 0.3) & (x[:, 1] > 0.5)) - 1.5 * ((x[:, 1] < 0.7) & (x[:, 2] > 0.6))
            + 1.0 * ((x[:, 0] < 0.8) & (x[:, 3] > 0.25)) + 0.7 * (x[:, 2] > 0.2))


def nothing(x):
    """The targets are noise: there is nothing to learn."""
    return np.zeros(len(x))


@dataclass(frozen=True)
class Formula:
    """Inputs uniform in `low` to `high` (uniform in their logarithm where `decades`), targets `function` of them, with
    Gaussian noise on those of the training rows: `noise` in units of the target, or `noise_share` of its standard
    deviation."""
    function: Callable
    low: tuple
    high: tuple
    noise: float = 0.0
    noise_share: float = 0.0
    decades: bool = False
    noisy_test: bool = False  # where the exact targets are all the same

    def inputs(self, rows, generator):
        low, high = np.array(self.low, float), np.array(self.high, float)
        if self.decades:
            return np.exp(generator.uniform(np.log(low), np.log(high), (rows, len(low))))
        return generator.uniform(low, high, (rows, len(low)))

    def draw(self, train_rows, test_rows, generator):
        """x, y to train on, x, y to test on, and the standard deviation of what the training targets have beyond those to
        test on."""
        x, fresh = self.inputs(train_rows, generator), self.inputs(test_rows, generator)
        y, exact = self.function(x), self.function(fresh)
        sd = self.noise + self.noise_share * exact.std()
        y = y + sd * generator.standard_normal(train_rows)
        if self.noisy_test:
            exact, sd = exact + sd * generator.standard_normal(test_rows), 0.0
        return x, y, fresh, exact, sd


def cube(inputs, low=0.0, high=1.0):
    return {"low": (low,) * inputs, "high": (high,) * inputs}


CIRCUIT = {"low": (0, 40 * pi, 0, 1), "high": (100, 560 * pi, 1, 11)}
FORMULAS = {
    "friedman1": Formula(friedman1, **cube(10), noise=1.0),
    "friedman1_weak": Formula(friedman1, **cube(10), noise_share=1.0),
    "friedman2": Formula(friedman2, **CIRCUIT, noise=125.0),
    "friedman3": Formula(friedman3, **CIRCUIT, noise=0.1),
    "ishigami": Formula(ishigami, **cube(3, -pi, pi)),
    "borehole": Formula(borehole, (0.05, 100, 63070, 990, 63.1, 700, 1120, 9855),
                        (0.15, 50000, 115600, 1110, 116, 820, 1680, 12045)),
    "grating": Formula(grating, **cube(3, 1, 5)),
    "otl_circuit": Formula(otl_circuit, (50, 25, 0.5, 1.2, 0.25, 50), (150, 70, 3, 2.5, 1.2, 300)),
    "piston": Formula(piston, (30, 0.005, 0.002, 1000, 90000, 290, 340), (60, 0.020, 0.010, 5000, 110000, 296, 360)),
    "wing_weight": Formula(wing_weight, (150, 220, 6, -10, 16, 0.5, 0.08, 2.5, 1700, 0.025),
                           (200, 300, 10, 10, 45, 1, 0.18, 6, 2500, 0.08)),
    "robot_arm": Formula(robot_arm, (0,) * 8, (2 * pi,) * 4 + (1,) * 4),
    "sobol_g": Formula(sobol_g, **cube(5)),
    "franke": Formula(franke, **cube(2), noise_share=0.1),
    "gramacy_lee": Formula(gramacy_lee, (0.5,), (2.5,), noise_share=0.1),
    "multiscale": Formula(multiscale, (-1,), (1,), noise=0.1),
    "blocks": Formula(blocks, **cube(1), noise_share=1 / 7),
    "bumps": Formula(bumps, **cube(1), noise_share=1 / 7),
    "heavisine": Formula(heavisine, **cube(1), noise_share=1 / 7),
    "doppler": Formula(doppler, **cube(1), noise_share=1 / 7),
    "colebrook": Formula(colebrook, (4e3, 1e-6), (1e8, 0.05), decades=True),
    "merging_shocks": Formula(merging_shocks, **cube(2)),
    "solitons": Formula(solitons, (-8, -0.4), (8, 0.4)),
    "ripples": Formula(ripples, **cube(2, -1, 1), noise_share=0.05),
    "curved_front": Formula(curved_front, **cube(2, -1, 1), noise_share=0.05),
    "boxes": Formula(boxes, **cube(4), noise_share=0.1),
    "nothing": Formula(nothing, **cube(5), noise=1.0, noisy_test=True),
}
