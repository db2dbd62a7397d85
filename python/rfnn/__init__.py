"""rfnn: deep residual Fourier-feature networks, trained block by block without global optimisation.

>>> from rfnn import RFNNRegressor
>>> model = RFNNRegressor().fit(X, y)  # doctest: +SKIP
>>> model.predict(X)  # doctest: +SKIP
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._core import Model, Progress
from ._core import version as _version
from ._errors import (
    Error,
    InputError,
    MissingFileError,
    NumericalError,
    RangeWarning,
    RFNNWarning,
    UsageError,
)

if TYPE_CHECKING:
    from . import datasets, plots
    from ._assessment import Comparison, Importance, compare, importance
    from ._callbacks import Callback
    from ._check import Findings, check
    from ._cross_validation import CrossValidation, cross_validate
    from ._diagnosis import Diagnosis, diagnose
    from ._evaluation import Evaluation, evaluate
    from ._files import load, save
    from ._options import default_options
    from ._out_of_time import MeanOnlyWarning, OutOfTimeWarning
    from ._tables import read_table
    from ._tuning import Tuning, tune
    from ._versions import show_versions
    from .estimator import RFNNRegressor
    from .paper import PaperRFNNRegressor

__version__ = _version()
__all__ = [
    "Callback",
    "Comparison",
    "CrossValidation",
    "Diagnosis",
    "Error",
    "Evaluation",
    "Findings",
    "Importance",
    "InputError",
    "MeanOnlyWarning",
    "MissingFileError",
    "Model",
    "NumericalError",
    "OutOfTimeWarning",
    "PaperRFNNRegressor",
    "Progress",
    "RangeWarning",
    "RFNNRegressor",
    "RFNNWarning",
    "Tuning",
    "UsageError",
    "check",
    "compare",
    "cross_validate",
    "datasets",
    "default_options",
    "diagnose",
    "evaluate",
    "importance",
    "load",
    "plots",
    "read_table",
    "save",
    "show_versions",
    "tune",
]

# Where the rest is. It is imported when it is asked for: the command needs no scikit-learn, which takes a second.
_PLACES = {
    "Callback": "_callbacks",
    "Comparison": "_assessment",
    "CrossValidation": "_cross_validation",
    "Diagnosis": "_diagnosis",
    "Evaluation": "_evaluation",
    "Findings": "_check",
    "Importance": "_assessment",
    "MeanOnlyWarning": "_out_of_time",
    "OutOfTimeWarning": "_out_of_time",
    "PaperRFNNRegressor": "paper",
    "RFNNRegressor": "estimator",
    "Tuning": "_tuning",
    "check": "_check",
    "compare": "_assessment",
    "cross_validate": "_cross_validation",
    "default_options": "_options",
    "diagnose": "_diagnosis",
    "evaluate": "_evaluation",
    "importance": "_assessment",
    "load": "_files",
    "read_table": "_tables",
    "save": "_files",
    "show_versions": "_versions",
    "tune": "_tuning",
}


def __getattr__(name: str) -> Any:
    if name in ("datasets", "plots"):
        return importlib.import_module(f".{name}", __name__)
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_PLACES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
