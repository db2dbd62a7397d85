"""The published algorithm as an estimator of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .estimator import RFNNRegressor

if TYPE_CHECKING:
    from ._types import Auto, BlockRows, Holdout, Keep, Negative, RandomState, Solver, StateBranch


class PaperRFNNRegressor(RFNNRegressor):
    """The published algorithm: Markov chains over the frequencies, block after block.

    ``RFNNRegressor(preset="paper")`` with the same keywords trains the same network. Methods and attributes are those of
    :class:`rfnn.RFNNRegressor`, which is the one to begin with: it needs no tuning.

    Parameters
    ----------
    width : int, default=6
        W, features per branch of a block.

    blocks : int, default=10
        L, the number of blocks; 0 is the mean alone.

    iterations : int, default=5000
        M, Metropolis-within-Gibbs iterations per block.

    gamma : float, default=10.0
        Exponent of the acceptance rule, input branch.

    gamma_state : float, default=10.0
        Exponent of the acceptance rule, state branch.

    delta : float or "auto", default="auto"
        Variance of the proposals, input branch; "auto" is 2.4²/inputs.

    delta_state : float or "auto", default="auto"
        Variance of the proposals, state branch; "auto" is 2.4²/outputs.

    ridge : float or sequence of float, default=0.0001
        λ, Tikhonov regularisation; of a sequence every block has its own, the last one serves all later blocks.

    initial_spread : float, default=1.0
        Standard deviation of the initial frequencies.

    keep : {"last", "best"}, default="last"
        State of the chain a block ends with: its last or its best.

    state_branch : {"sampled", "frozen"}, default="sampled"
        Frequencies over the state: sampled, or frozen as drawn (the predecessor's method).

    negative : {"half-space", "component"}, default="half-space"
        Frequencies refused: one of every pair ω, −ω (half-space), or all with a negative component.

    standardise_inputs : bool, default=True
        Scale inputs to mean 0 and standard deviation 1.

    standardise_outputs : bool, default=False
        Scale targets to mean 0 and standard deviation 1.

    burn_in : int, default=2000
        Iterations before accepted frequencies enter the histograms, at most half of them all.

    block_rows : {"same", "disjoint", "subset"}, default="same"
        Rows a block is fitted to: the same, disjoint parts, or random subsets.

    subset_fraction : float, default=0.5
        Share of the rows in each random subset, with block_rows="subset".

    proposal_fraction : float, default=1.0
        Share of a block's rows that proposals are weighed on; the kept state is solved for on all of them.

    solver : {"cholesky", "qr", "svd", "iterative"}, default="cholesky"
        Method for the least-squares problems.

    solver_tolerance : float, default=1e-10
        Relative residual at which the iterative solver ends.

    flat_window : int, default=0
        End a block when its best loss was flat over so many iterations; 0 is never.

    flat_tolerance : float, default=0.001
        Relative fall of the loss that still counts as flat.

    tolerance : float, default=0.0
        Stop as soon as the mean squared error on held-out rows (training rows, where there are none) is this small;
        0 is never. An error to reach, not a change.

    patience : int, default=0
        Stop after so many blocks without gain and go back to the best; 0 is never.

    validation_fraction : float, default=0.0
        Share of the rows held out for validation.

    holdout : {"random", "tail", "gap"}, default="random"
        Which rows are held out: at random, the last ones (to forecast), or stretches in the middle (to fill gaps).

    holdout_by : int or "auto", default="auto"
        Number, from 1, of the input along which holdout="tail" and "gap" go, time; "auto" is the first.

    max_time : float, default=0.0
        Seconds of wall clock that fit may take; 0 is no limit. What is found then depends on the machine.

    random_state : int, RandomState, Generator or None, default=None
        The seed. An int is the seed itself: the command line with ``--seed`` gives the same network. None draws one
        from NumPy's global state, RandomState and Generator draw one from theirs.

    n_jobs : int or None, default=None
        Threads of fit and predict: None is 1 unless a ``joblib.parallel_config`` says otherwise, -1 all processors.
        The result does not depend on it.

    verbose : int, default=0
        0 prints nothing, also no remarks about the data (they are in ``warnings_``); 1 shows progress; 2 also a line
        per block.

    warm_start : bool, default=False
        Whether another call of ``fit`` goes on from the blocks there are, up to ``blocks`` in total, instead of
        starting anew. Columns and scales stay those of the first call.

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
        holdout_by: int | Auto = "auto",
        max_time: float = 0.0,
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
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.warm_start = warm_start

    def _option_keywords(self) -> dict[str, Any]:
        return {"preset": "paper", **super()._option_keywords()}
