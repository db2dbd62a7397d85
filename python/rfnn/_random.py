"""From scikit-learn's random_state to a seed."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

_LIMIT = 2**63 - 1  # what NumPy's integers hold


def seed(random_state: Any) -> int:
    """An int is the seed itself; anything else draws one."""
    if isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool):
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(_LIMIT))
    return int(check_random_state(random_state).randint(_LIMIT, dtype=np.int64))
