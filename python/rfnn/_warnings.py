"""Warnings that point at the line which called the package, however scikit-learn wraps its methods."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

from ._errors import RFNNWarning

_BETWEEN = ("rfnn", "sklearn", "joblib")  # packages between a user's line and the place that warns


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


def warn(text: str, category: type[Warning] = RFNNWarning) -> None:
    """Warns at the first line that belongs neither to this package nor to scikit-learn or joblib."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and _module(frame).partition(".")[0] in _BETWEEN:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)
