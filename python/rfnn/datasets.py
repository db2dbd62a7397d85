"""Generated data: the paper's functions, and two signals of the tutorial and the gallery.

Every function returns ``X, y``: an array of shape (n_samples, n_inputs) and a vector.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core, _random

__all__ = ["TIDE", "multiscale", "shock", "sine", "stairstep", "tide"]

#: Constituents of :func:`tide`: cycles per day, amplitude in metres, phase in radians.
TIDE = {
    "M2": (1.93227, 1.20, 0.4),
    "S2": (2.00000, 0.45, 1.9),
    "K1": (1.00274, 0.25, 2.8),
    "O1": (0.92954, 0.18, 5.1),
    "M4": (3.86455, 0.10, 3.3),
}


def multiscale(n_samples: int = 2000, noise: float = 0.0, random_state: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """The paper's cos(4x) + 0.3 cos(70x) + 0.05 cos(150x) at random points of [-1, 1].

    Parameters
    ----------
    n_samples : int, default=2000
        Rows. More rows extend fewer of the same seed.

    noise : float, default=0.0
        Standard deviation of noise added to y.

    random_state : int, RandomState, Generator or None, default=None
        An int gives the rows of ``rfnn generate --seed``.

    Returns
    -------
    X : ndarray of shape (n_samples, 1)
    y : ndarray of shape (n_samples,)
    """
    return _core.generate("multiscale", n_samples, _random.seed(random_state), noise)


def stairstep(n_samples: int = 2000, noise: float = 0.0, random_state: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """The paper's four steps 0, 1/3, 2/3, 1 with jumps at -0.5, 0 and 0.5, at random points of [-1, 1].

    Parameters
    ----------
    n_samples, noise, random_state
        As in :func:`multiscale`.

    Returns
    -------
    X : ndarray of shape (n_samples, 1)
    y : ndarray of shape (n_samples,)
    """
    return _core.generate("stairstep", n_samples, _random.seed(random_state), noise)


def sine(n_samples: int = 2000, noise: float = 0.0, random_state: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """The paper's function of three inputs, at random points of the unit cube.

    A sine integral across the plane x1 = 1/2, a smoothed jump, under a Gaussian.

    Parameters
    ----------
    n_samples, noise, random_state
        As in :func:`multiscale`.

    Returns
    -------
    X : ndarray of shape (n_samples, 3)
    y : ndarray of shape (n_samples,)
    """
    return _core.generate("sine", n_samples, _random.seed(random_state), noise)


def tide(
    n_samples: int = 1000, noise: float = 0.05, random_state: Any = None, days: float = 60.0
) -> tuple[np.ndarray, np.ndarray]:
    """A sea level like that of a tide gauge, read at irregular times.

    The sum of the waves in :data:`TIDE`, whose frequencies are those of the tide, and noise.

    Parameters
    ----------
    n_samples : int, default=1000
        Readings.

    noise : float, default=0.05
        Standard deviation of noise added to y, in metres.

    random_state : int, RandomState, Generator or None, default=None

    days : float, default=60.0
        Length of the record.

    Returns
    -------
    X : ndarray of shape (n_samples, 1)
        Time in days, ascending.
    y : ndarray of shape (n_samples,)
        Sea level in metres.
    """
    random = np.random.default_rng(_random.seed(random_state))
    time = np.sort(random.uniform(0.0, days, n_samples))
    level = sum(a * np.cos(2 * np.pi * cycles * time + phase) for cycles, a, phase in TIDE.values())
    return time[:, None], level + noise * random.standard_normal(n_samples)


def shock(n_samples: int = 2000, noise: float = 0.0, random_state: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """A pressure behind and before a curved shock front, at random points of the unit square.

    Behind the front, which is a circle of radius 0.7 around the origin, the pressure rises from 1 to 3; before it there
    is a weak wave around 0.5.

    Parameters
    ----------
    n_samples, noise, random_state
        As in :func:`multiscale`.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
    y : ndarray of shape (n_samples,)
    """
    random = np.random.default_rng(_random.seed(random_state))
    X = random.uniform(0.0, 1.0, (n_samples, 2))
    radius = np.hypot(X[:, 0], X[:, 1])
    y = np.where(radius < 0.7, 1.0 + 2.0 * (radius / 0.7) ** 3, 0.5 + 0.1 * np.cos(8.0 * X[:, 0]))
    return X, y + noise * random.standard_normal(n_samples)
