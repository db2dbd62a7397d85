"""What a fit goes on from: a run that was ended, or a base to learn the difference to."""

from __future__ import annotations

import json
import numbers
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._columns import is_frame
from ._data import path_of
from ._errors import UsageError
from ._options import refused

if TYPE_CHECKING:
    from .estimator import RFNNRegressor


def record_of(run_dir: Any, resume: Any, checkpoint_every: float) -> _core.Record:
    """Where a run is recorded; nowhere where neither folder is given."""
    if run_dir is not None and resume is not None:
        raise UsageError("Both run_dir and resume are given.", "Give run_dir for a new run, resume for one that goes on.")
    every = checkpoint_every
    if isinstance(every, (bool, np.bool_)) or not isinstance(every, numbers.Real) or not 0 <= every <= 1e9:
        raise refused("checkpoint_every", every, "a number of seconds, 0 or more")
    folder = run_dir if resume is None else resume
    return _core.Record("" if folder is None else path_of(folder), resume is not None, float(every))


def take_seed(estimator: RFNNRegressor, options: _core.Options, resume: Any) -> None:
    """A seed that was drawn when the run was begun is the run's."""
    if resume is None or isinstance(estimator.random_state, (int, np.integer)):
        return
    try:
        run = json.loads((Path(os.fspath(resume)) / "run.json").read_text(encoding="utf-8"))
        options.set("seed", str(run["options"]["seed"]))
    except (OSError, ValueError, KeyError):
        pass  # what is wrong with the folder is told by who opens it


def table_base(base: Any, X: Any) -> _core.Model | None:
    """The model of a base that sees dates, categories or gaps: X is read as it reads it, and has its columns alone."""
    model = getattr(base, "model_", base)
    if not isinstance(model, _core.Model) or not model.has_table:
        return None
    wanted = [column["name"] for column in json.loads(_core.columns_json(model))["inputs"]]
    given = list(X.columns) if is_frame(X) else None
    if given is not None and model.named_columns and given != wanted:
        raise UsageError(
            f"The base sees columns that are no plain numbers, and X is read as it reads them: its columns, "
            f"{', '.join(wanted)}, and no others. X has {', '.join(map(str, given))}.",
            f"Give a frame with these columns in this order: X[{wanted!r}].",
        )
    count = len(given) if given is not None else np.shape(X)[1] if np.ndim(X) == 2 else len(wanted)
    if count != len(wanted):
        raise UsageError(f"The base has {len(wanted)} columns, X has {count}.", "Give the same columns.")
    return model


def base_of(base: Any, rows: _core.Rows, usual: list[str]) -> tuple[_core.Model | None, list[int] | None]:
    """The base as the core takes it: a model and the places of its inputs, or no model and the places of columns."""
    if base is None:
        return None, None
    inputs, count = rows.input_names, len(rows.input_names or usual)
    model = getattr(base, "model_", base)
    if isinstance(model, _core.Model):
        return model, _places_of(model, inputs, count)
    columns = base if isinstance(base, (list, tuple, np.ndarray)) else [base]
    return None, [_place_of(column, inputs, count) for column in columns]


def _places_of(model: _core.Model, inputs: list[str], count: int) -> list[int]:
    if model.named_columns and inputs:
        missing = [name for name in model.inputs if name not in inputs]
        if missing:
            raise UsageError(
                f"The base needs {', '.join(missing)}, which X has not.", "Give X with the columns that the base was fitted to."
            )
        return [inputs.index(name) for name in model.inputs]
    if len(model.inputs) != count:
        raise UsageError(
            f"The base has {len(model.inputs)} inputs, X has {count}, and there are no names to match them by.",
            "Give data frames to both, or the same columns.",
        )
    return list(range(count))


def _place_of(column: Any, inputs: list[str], count: int) -> int:
    if isinstance(column, str) and column in inputs:
        return inputs.index(column)
    if isinstance(column, (int, np.integer)) and not isinstance(column, bool) and 0 <= column < count:
        return int(column)
    raise UsageError(
        f"base={column!r} is no fitted RFNNRegressor, no rfnn.Model and no column of X.",
        "Give one of these: a column by its name or, from 0 on, its number. What another estimator predicts can be a column.",
    )
