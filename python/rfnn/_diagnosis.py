"""What went wrong with a run, as the command `rfnn diagnose` tells it."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _core, _data, _options
from ._assessment import Table
from ._errors import UsageError
from .estimator import RFNNRegressor


@dataclass(frozen=True)
class Diagnosis:
    """What :func:`diagnose` returns. Printed, it has a line for each problem.

    Attributes
    ----------
    problems : dict of ndarray
        ``kind``, ``text`` (what and how bad, with what would be right) and ``parameters`` (what to give the estimator;
        in words where none helps), most serious first. ``pandas.DataFrame(found.problems)`` is a table.
    """

    problems: Table = field(repr=False)

    def __str__(self) -> str:
        lines = [f"{kind}: {text}; try {parameters}" for kind, text, parameters in zip(*self.problems.values())]
        return "\n".join(lines) or "no problem found"


def diagnose(source: RFNNRegressor | str | os.PathLike[Any], X: Any = None, y: Any = None) -> Diagnosis:
    """Says what is wrong with a training run: at most one line for each kind of problem, most serious first.

    Chains that do not move or have not settled, ill-conditioned systems, twin frequencies and those beyond what the rows
    can show, over- and underfitting, too few rows, structure left in the residuals; docs/diagnose.md has the thresholds.

    Parameters
    ----------
    source : RFNNRegressor, str or path-like
        A fitted estimator; or a model file, or the folder of ``fit(..., run_dir=...)`` or ``rfnn fit --run-dir``.

    X, y : array-like, default=None
        Rows to look for structure in the residuals of, and to count errors on, beside a fitted estimator: those of
        ``fit``, or others.

    Returns
    -------
    found : Diagnosis
    """
    if (X is None) != (y is None):
        raise UsageError("Of X and y one is missing.", "Give both or neither.")
    if isinstance(source, RFNNRegressor):
        check_is_fitted(source)
        rows = None
        if X is not None:
            inputs, targets = _data.check_rows(source, X, y, "diagnose", source.model_)
            rows = _data.rows(source, inputs, targets, None, source.model_.targets, source.model_)
        told = _core.diagnose_model(source.model_, rows)
    elif X is not None:
        raise UsageError("Rows are for a fitted estimator.", "Give rfnn.load(path) in the place of a path.")
    else:
        with _options.in_words_of_python():
            told = _core.diagnose_source(_data.path_of(source))
    found = json.loads(told)["problems"]
    return Diagnosis(
        {
            "kind": np.array([problem["kind"] for problem in found]),
            "text": np.array([_options.in_python(problem["text"]) for problem in found]),
            "parameters": np.array([_as_parameters(problem["flag"]) for problem in found]),
        }
    )


def _as_parameters(flags: str) -> str:
    """``--blocks 8 --iterations 600`` as ``blocks=8, iterations=600``; words stay."""
    text = re.sub(r"--([a-z-]+) ([^\s,]+)", lambda pair: f"{_name(pair[1])}={_value(pair[2])}", flags)
    text = re.sub(r"--([a-z-]+)", lambda flag: _name(flag[1]), text)
    return re.sub(r"(\w=\S*[^\s,]) (?=\w+=)", r"\1, ", text)


def _name(flag: str) -> str:
    return flag.replace("-", "_")


def _value(word: str) -> str:
    return word if re.fullmatch(r"[-+0-9.e]+", word) else f'"{word}"'
