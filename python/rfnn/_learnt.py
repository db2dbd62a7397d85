"""What a fitted estimator knows: the attributes that end in an underscore."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._options import in_python


class Learnt:
    """Attributes read from the trained network, in the order of the docstring."""

    model_: _core.Model
    n_features_in_: int
    feature_names_in_: np.ndarray
    _vector_target: bool

    @property
    def n_blocks_(self) -> int:
        return self._fitted().blocks

    @property
    def train_mse_(self) -> float | None:
        return self._fitted().train_mse

    @property
    def validation_mse_(self) -> float | None:
        return self._fitted().validation_mse

    @property
    def validation_mse_se_(self) -> float | None:
        return self._fitted().validation_mse_se

    @property
    def judge_(self) -> str:
        return self._fitted().judge

    @property
    def frequencies_(self) -> np.ndarray:
        return self._fitted().input_lines()[0]

    @property
    def amplitudes_(self) -> np.ndarray:
        return self._fitted().input_lines()[1]

    @property
    def laws_(self) -> list[dict[str, Any]]:
        return json.loads(self._fitted().laws())

    @property
    def trend_(self) -> list[dict[str, Any]]:
        return json.loads(self._fitted().trend())

    @property
    def columns_(self) -> list[dict[str, Any]]:
        described = json.loads(_core.columns_json(self._fitted()))["inputs"]
        names, place = self.model_.inputs, 0
        for column, words in zip(described, _core.column_descriptions(self.model_)):
            count = len(column.get("levels", [None])) + bool(column.get("indicator"))
            column["inputs"] = names[place : place + count]
            column["description"] = words
            place += count
        return described

    @property
    def input_transforms_(self) -> list[str]:
        return self._fitted().input_transforms

    @property
    def history_(self) -> dict[str, np.ndarray]:
        return _columns([_row(record) for record in json.loads(self._fitted().history())])

    @property
    def stop_reason_(self) -> str:
        return self._fitted().stop_reason

    @property
    def warnings_(self) -> list[str]:
        return [in_python(text) for text in self._fitted().warnings]

    @property
    def seed_(self) -> int:
        return int(self._fitted().options.get("seed"))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _fitted(self) -> _core.Model:
        check_is_fitted(self)  # its error is an AttributeError too: hasattr says no before fit
        return self.model_


#: The columns of ``history_``, those of an empty one too.
_HISTORY: dict[str, Any] = {
    "member": np.int64, "block": np.int64, "method": np.str_, "width": np.int64, "rows": np.int64,
    "proposal_rows": np.int64, "iterations": np.int64, "complete": np.bool_, "ridge": np.float64,
    "train_mse": np.float64, "validation_mse": np.float64, "condition": np.float64, "solves": np.int64,
    "solver_fallbacks": np.int64, "seconds": np.float64, "kept": np.bool_, "acceptance": np.float64,
}  # fmt: skip


def _row(record: dict[str, Any]) -> dict[str, Any]:
    return {**record, "acceptance": _acceptance(record["branches"])}


def _columns(rows: list[dict[str, Any]]) -> dict[str, np.ndarray]:
    """One array per column; what is not known is NaN."""
    value = lambda row, name, kind: np.nan if row.get(name) is None and kind is np.float64 else row[name]
    return {name: np.array([value(row, name, kind) for row in rows], dtype=kind) for name, kind in _HISTORY.items()}


def _acceptance(branches: list[dict[str, Any]]) -> float:
    """Share of the proposals that a chain took; NaN where there was no chain."""
    proposed = sum(branch["proposed"] for branch in branches)
    return sum(branch["accepted"] for branch in branches) / proposed if proposed else float("nan")
