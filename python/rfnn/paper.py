"""The published algorithm as an estimator of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ._docstrings import parameters_of_paper
from .estimator import RFNNRegressor

if TYPE_CHECKING:
    from ._types import (
        Auto,
        BlockRows,
        Holdout,
        Keep,
        Missing,
        Names,
        Negative,
        RandomState,
        Solver,
        StateBranch,
        Unseen,
    )


class PaperRFNNRegressor(RFNNRegressor):
    """The published algorithm: Markov chains over the frequencies, block after block.

    ``RFNNRegressor(preset="paper")`` with the same keywords trains the same network. Methods and attributes are those of
    :class:`rfnn.RFNNRegressor`, which is the one to begin with: it needs no tuning.

    Parameters
    ----------
    {parameters}
    Examples
    --------
    >>> from rfnn import PaperRFNNRegressor, datasets
    >>> X, y = datasets.multiscale(200, random_state=1)
    >>> PaperRFNNRegressor(blocks=2, iterations=100, random_state=1).fit(X, y).n_blocks_
    2
    """

    preset = "paper"  # of no choice here: it is no parameter

    def __init__(
        self,
        *,
        width: int = 6,
        blocks: int = 10,
        iterations: int = 5000,
        gamma: float = 10.0,
        gamma_state: float = 10.0,
        delta: float | Auto = "auto",
        delta_state: float | Auto = "auto",
        ridge: float | Sequence[float] = 0.0001,
        initial_spread: float = 1.0,
        keep: Keep = "last",
        state_branch: StateBranch = "sampled",
        negative: Negative = "half-space",
        standardise_inputs: bool = True,
        standardise_outputs: bool = False,
        burn_in: int = 2000,
        draws: int = 0,
        block_rows: BlockRows = "same",
        subset_fraction: float = 0.5,
        proposal_fraction: float = 1.0,
        solver: Solver = "cholesky",
        solver_tolerance: float = 1e-10,
        flat_window: int = 0,
        flat_tolerance: float = 0.001,
        tolerance: float = 0.0,
        patience: int = 0,
        validation_fraction: float = 0.0,
        holdout: Holdout = "random",
        holdout_by: int | str = "auto",
        max_time: float = 0.0,
        memory: str | float | None = None,
        missing: Missing = "error",
        missing_values: Names | float | None = None,
        categorical: Names | None = None,
        unseen: Unseen = "error",
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        warm_start: bool = False,
    ) -> None:
        self.width = width
        self.blocks = blocks
        self.iterations = iterations
        self.gamma = gamma
        self.gamma_state = gamma_state
        self.delta = delta
        self.delta_state = delta_state
        self.ridge = ridge
        self.initial_spread = initial_spread
        self.keep = keep
        self.state_branch = state_branch
        self.negative = negative
        self.standardise_inputs = standardise_inputs
        self.standardise_outputs = standardise_outputs
        self.burn_in = burn_in
        self.draws = draws
        self.block_rows = block_rows
        self.subset_fraction = subset_fraction
        self.proposal_fraction = proposal_fraction
        self.solver = solver
        self.solver_tolerance = solver_tolerance
        self.flat_window = flat_window
        self.flat_tolerance = flat_tolerance
        self.tolerance = tolerance
        self.patience = patience
        self.validation_fraction = validation_fraction
        self.holdout = holdout
        self.holdout_by = holdout_by
        self.max_time = max_time
        self.memory = memory
        self.missing = missing
        self.missing_values = missing_values
        self.categorical = categorical
        self.unseen = unseen
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.warm_start = warm_start

    def _option_keywords(self) -> dict[str, Any]:
        return {"preset": "paper", **super()._option_keywords()}


if PaperRFNNRegressor.__doc__ and RFNNRegressor.__doc__:  # with -OO there are none
    PaperRFNNRegressor.__doc__ = PaperRFNNRegressor.__doc__.replace(
        "{parameters}", parameters_of_paper(RFNNRegressor.__doc__)
    )
