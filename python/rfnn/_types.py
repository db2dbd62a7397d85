"""Types of the keywords. A test compares them with the option table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict

import numpy as np

Auto = Literal["auto"]
Preset = Literal["auto", "paper"]
Branches = Literal["auto", "input,state", "joint"]
Keep = Literal["last", "best"]
StateBranch = Literal["sampled", "frozen"]
Negative = Literal["half-space", "component"]
BlockRows = Literal["same", "disjoint", "subset"]
Holdout = Literal["random", "tail", "gap"]
Missing = Literal["error", "drop", "mean"]
Unseen = Literal["error", "mean"]
Names = str | Sequence[str | int | float]
Solver = Literal["cholesky", "qr", "svd", "iterative"]
ExportFormat = Literal["onnx", "c", "python", "formula", "json"]
Ridge = float | Sequence[float] | Auto
RandomState = int | np.random.RandomState | np.random.Generator | None


class PublishedOptions(TypedDict, total=False):
    """What only the published algorithm has."""

    iterations: int
    gamma: float
    gamma_state: float
    delta: float | Auto
    delta_state: float | Auto
    initial_spread: float
    keep: Keep
    state_branch: StateBranch
    negative: Negative
    burn_in: int
    draws: int
    block_rows: BlockRows
    subset_fraction: float
    proposal_fraction: float
    solver: Solver
    solver_tolerance: float
    flat_window: int
    flat_tolerance: float
