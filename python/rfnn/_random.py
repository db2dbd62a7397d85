"""From scikit-learn's random_state to a seed."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ._options import refused

_LIMIT = 2**63 - 1  # what NumPy's integers hold
_ALLOWED = "a whole number from 0 to 2^64 - 1, a RandomState, a Generator or None"


def seed(random_state: Any) -> int:
    """An int is the seed itself; anything else draws one."""
    if isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool):
        if not 0 <= random_state < 2**64:
            raise refused("random_state", random_state, _ALLOWED)
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(_LIMIT))
    try:
        state = check_random_state("a truth value" if isinstance(random_state, bool) else random_state)
    except ValueError:
        raise refused("random_state", random_state, _ALLOWED) from None
    return int(state.randint(_LIMIT, dtype=np.int64))
