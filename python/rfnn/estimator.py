"""The scikit-learn estimator."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _core, _data, _options, _progress, _random, _threads
from ._callbacks import CallbackSupportMixin, SklearnTasks, Watcher, with_callbacks
from ._errors import RFNNWarning, UsageError
from ._views import Views


class RFNNRegressor(Views, CallbackSupportMixin, RegressorMixin, MultiOutputMixin, BaseEstimator):
    """Deep residual Fourier-feature network for regression, trained block by block without global optimisation.

    The default needs no tuning: preset ``"auto"`` finds widths, depth and regularisation from the data. Preset
    ``"paper"`` is the published algorithm.

    Every keyword is an option of the command line, with underscores, the same meaning and the same default. Options
    whose default depends on the preset have the default None here, which stands for the preset's:
    ``RFNNRegressor(preset="paper", blocks=4)`` has the published width 6. :func:`rfnn.default_options` lists the
    values of a preset. What scikit-learn's users know by another name has that name: ``n_jobs`` for ``threads``,
    ``random_state`` for ``seed``.

    Parameters
    ----------
    preset : {"auto", "paper"}, default="auto"
        Set of defaults the other options start from.

    width : int or "auto", default=None
        W, features per branch of a block; with preset auto the most there may be, auto is no bound. None is "auto",
        with preset paper 6.

    blocks : int, default=None
        L, the largest number of blocks; 0 is the mean alone. None is 30, with preset paper 10.

    members : int or "auto", default=None
        Networks trained on seeds of their own and averaged (1 with preset paper). None is "auto", with preset paper
        1.

    branches : {"auto", "input,state", "joint"}, default=None
        Branches of later blocks: over inputs and state apart, or over both together; auto is what held-out rows
        prefer. None is "auto", with preset paper "input,state".

    refine : bool, default=None
        Refine each block's frequencies by least squares (preset auto only). None is True, with preset paper False.

    iterations : int, default=5000
        M, Metropolis-within-Gibbs iterations per block. Preset paper only.

    gamma : float, default=10.0
        Exponent of the acceptance rule, input branch. Preset paper only.

    gamma_state : float, default=10.0
        Exponent of the acceptance rule, state branch. Preset paper only.

    delta : float or "auto", default="auto"
        Variance of the proposals, input branch; auto is 2.4²/inputs. Preset paper only.

    delta_state : float or "auto", default="auto"
        Variance of the proposals, state branch; auto is 2.4²/outputs. Preset paper only.

    ridge : float, sequence of float or "auto", default=None
        λ, Tikhonov regularisation per block, the last one given serves all later blocks; auto is from the data.
        None is "auto", with preset paper 0.0001.

    initial_spread : float, default=1.0
        Standard deviation of the initial frequencies. Preset paper only.

    keep : {"last", "best"}, default="last"
        State of the chain a block ends with: its last or its best. Preset paper only.

    state_branch : {"sampled", "frozen"}, default="sampled"
        Frequencies over the state: sampled, or frozen as drawn (the predecessor's method). Preset paper only.

    negative : {"half-space", "component"}, default="half-space"
        Frequencies refused: one of every pair ω, −ω (half-space), or all with a negative component. Preset paper
        only.

    standardise_inputs : bool, default=True
        Scale inputs to mean 0 and standard deviation 1.

    standardise_outputs : bool, default=None
        Scale targets to mean 0 and standard deviation 1. None is True, with preset paper False.

    burn_in : int, default=2000
        Iterations before accepted frequencies enter the histograms (at most half of M). Preset paper only.

    block_rows : {"same", "disjoint", "subset"}, default="same"
        Rows a block is fitted to: the same, disjoint parts, or random subsets. Preset paper only.

    subset_fraction : float, default=0.5
        Share of the rows in each random subset (block-rows subset). Preset paper only.

    proposal_fraction : float, default=1.0
        Share of a block's rows that proposals are weighed on; the kept state is solved for on all of them. Preset
        paper only.

    solver : {"cholesky", "qr", "svd", "iterative"}, default="cholesky"
        Method for the least-squares problems. Preset paper only.

    solver_tolerance : float, default=1e-10
        Relative residual at which the iterative solver ends. Preset paper only.

    flat_window : int, default=0
        End a block when its best loss was flat over so many iterations; 0 is never. Preset paper only.

    flat_tolerance : float, default=0.001
        Relative fall of the loss that still counts as flat. Preset paper only.

    tolerance : float, default=0.0
        Stop at this mean squared error (validation rows, or else training rows); 0 is never.

    patience : int, default=None
        Stop after so many blocks without gain and go back to the best; 0 is never. None is 4, with preset paper 0.

    validation_fraction : float, default=None
        Share of the rows held out for validation; of few rows auto holds out up to a quarter. None is 0.1, with
        preset paper 0.0.

    max_time : float, default=0.0
        Seconds of wall clock for the whole command; 0 is no limit.

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

    Attributes
    ----------
    model_ : rfnn.Model
        The trained network. ``rfnn.save`` writes it to a file that the command line reads too.

    n_blocks_ : int
        Blocks of the deepest member.

    frequencies_ : ndarray of shape (n_lines, n_features_in_)
        Learnt frequencies of the branches over the inputs, in radians per unit of each input (of its natural logarithm
        where the network sees that), largest amplitude first. 0 for inputs that were constant.

    amplitudes_ : ndarray of shape (n_lines, n_outputs)
        Their amplitudes, in units of the targets. ``spectrum()`` has the other branches too.

    history_ : pandas.DataFrame, or dict of lists where pandas is not installed
        A row per trained block; errors are mean squared errors in the target's units. ``kept`` is False for blocks
        given up again.

    stop_reason_ : str
        Why training ended: all-blocks, tolerance, stalled, out-of-time, interrupted, constant-target or no-inputs.

    warnings_ : list of str
        Remarks about data and training.

    seed_ : int
        The seed used.

    n_features_in_ : int
        Number of inputs.

    feature_names_in_ : ndarray of str
        Their names, where X had names.

    Notes
    -----
    Ctrl-C (or a notebook's stop button) ends a fit within a second: the estimator is left fitted with what it had
    found, then KeyboardInterrupt is raised. So it is when a callback raises.

    Examples
    --------
    >>> import numpy as np
    >>> from rfnn import RFNNRegressor
    >>> X = np.linspace(0, 1, 200)[:, None]
    >>> y = np.sin(2 * np.pi * 5 * X[:, 0])
    >>> RFNNRegressor(random_state=1).fit(X, y).score(X, y) > 0.99
    True
    """

    def __init__(
        self,
        *,
        preset="auto",
        width=None,
        blocks=None,
        members=None,
        branches=None,
        refine=None,
        iterations=5000,
        gamma=10.0,
        gamma_state=10.0,
        delta="auto",
        delta_state="auto",
        ridge=None,
        initial_spread=1.0,
        keep="last",
        state_branch="sampled",
        negative="half-space",
        standardise_inputs=True,
        standardise_outputs=None,
        burn_in=2000,
        block_rows="same",
        subset_fraction=0.5,
        proposal_fraction=1.0,
        solver="cholesky",
        solver_tolerance=1e-10,
        flat_window=0,
        flat_tolerance=0.001,
        tolerance=0.0,
        patience=None,
        validation_fraction=None,
        max_time=0.0,
        random_state=None,
        n_jobs=None,
        verbose=0,
        warm_start=False,
    ):
        self.preset = preset
        self.width = width
        self.blocks = blocks
        self.members = members
        self.branches = branches
        self.refine = refine
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
        self.max_time = max_time
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.warm_start = warm_start

    @with_callbacks
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        eval_set: Any = None,
        callbacks: Iterable[Any] | None = None,
    ) -> RFNNRegressor:
        """Trains the network.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Inputs. Arrays of float64 and float32 are read where they lie, whatever their strides.

        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.

        sample_weight : array-like of shape (n_samples,), default=None
            Weights, not negative. A weight of 2 is the row given twice, 0 the row left out.

        eval_set : tuple (X, y) or (X, y, weights), default=None
            Rows to control the error on, instead of ``validation_fraction``. A list with one such tuple will do.

        callbacks : list, default=None
            Functions ``f(progress)``, called about ten times a second, or objects like :class:`rfnn.Callback`. One
            that returns True ends the fit.

        Returns
        -------
        self : RFNNRegressor
        """
        start = self.model_ if self.warm_start and hasattr(self, "model_") else None
        return self._train(X, y, sample_weight, eval_set, callbacks, start)

    @with_callbacks
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None, blocks: int = 1) -> RFNNRegressor:
        """Adds blocks, fitted to these rows, to the network there is.

        The first call begins a network; later ones keep its columns and scales.

        Parameters
        ----------
        X, y, sample_weight
            As in ``fit``.

        blocks : int, default=1
            Blocks to add at most.

        Returns
        -------
        self : RFNNRegressor
        """
        start = getattr(self, "model_", None)
        total = blocks + (0 if start is None else start.blocks)
        return self._train(X, y, sample_weight, None, None, start, blocks=total)

    def predict(self, X: Any) -> np.ndarray:
        """Predicts the targets.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        return self._predict(self._inputs(X), None)

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Yields the predictions with the first block alone, the first two, … all of them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Yields
        ------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        rows = self._inputs(X)
        for blocks in range(1, self.n_blocks_ + 1):
            yield self._predict(rows, blocks)

    def report(self, path: str | os.PathLike, X: Any = None, y: Any = None) -> None:
        """Writes a page about the fit: one HTML file that needs no other.

        Parameters
        ----------
        path : str or path-like

        X, y : array-like, default=None
            Rows to show predictions and residuals on: those of ``fit``, or others.
        """
        check_is_fitted(self)
        if (X is None) != (y is None):
            raise UsageError("Of X and y one is missing.", "Give both or neither.")
        rows = None
        if X is not None:
            inputs, targets = _data.check_rows(self, X, y, "report")
            rows = _data.rows(self, inputs, targets, None, self.model_.targets)
        _core.write_report(self.model_, os.fspath(path), rows)

    def spectrum(self, *, merged: bool = False) -> list[dict[str, Any]]:
        """Every learnt feature in the units of the data, largest amplitude first, as ``rfnn inspect --json`` has them.

        Where the network sees the logarithm of an input, frequencies are per unit of the natural logarithm.

        Parameters
        ----------
        merged : bool, default=False
            True: the lines over the inputs that the data can tell apart, as the plots, the report and ``inspect`` show
            them. Features less than a radian apart over the ranges of the inputs are one line, their amplitudes added
            with their phases; member and block are those of the largest.

        Returns
        -------
        lines : list of dict
            ``member`` (from 0), ``block`` (from 1), ``branch`` ("input", "state" or "joint"), ``frequency`` (radians
            per unit, per variable of the branch), ``cycles`` (per unit), ``amplitude`` and ``phase`` per output.
        """
        check_is_fitted(self)
        names = ("member", "block", "branch", "frequency", "cycles", "amplitude", "phase")
        lines = _core.distinguishable_lines(self.model_) if merged else self.model_.spectrum()
        return [dict(zip(names, line)) for line in lines]

    @property
    def n_blocks_(self) -> int:
        return self._fitted().blocks

    @property
    def stop_reason_(self) -> str:
        return self._fitted().stop_reason

    @property
    def warnings_(self) -> list[str]:
        return self._fitted().warnings

    @property
    def seed_(self) -> int:
        return int(self._fitted().options.get("seed"))

    @property
    def frequencies_(self) -> np.ndarray:
        model = self._fitted()
        used = np.flatnonzero(model.used_inputs)
        lines = [line[3] for line in model.spectrum() if line[2] == "input"]
        frequencies = np.zeros((len(lines), len(model.inputs)))
        if lines:
            frequencies[:, used] = lines
        return frequencies

    @property
    def amplitudes_(self) -> np.ndarray:
        model = self._fitted()
        lines = [line[5] for line in model.spectrum() if line[2] == "input"]
        return np.array(lines, dtype=float).reshape(len(lines), len(model.targets))

    @property
    def history_(self) -> Any:
        rows = [
            {
                **{name: value for name, value in record.items() if name not in ("branches", "trace")},
                "acceptance": _acceptance(record["branches"]),
            }
            for record in json.loads(self._fitted().history())
        ]
        try:
            import pandas
        except ImportError:
            return {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
        return pandas.DataFrame(rows)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _fitted(self) -> _core.Model:
        check_is_fitted(self)  # its error is an AttributeError too: hasattr says no before fit
        return self.model_

    def _inputs(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        rows = _data.readable(validate_data(self, X, reset=False, dtype=_data.FLOATS))
        return rows.astype(np.float64, copy=False)

    def _predict(self, rows: np.ndarray, blocks: int | None) -> np.ndarray:
        outputs = np.empty((rows.shape[0], len(self.model_.targets)))
        self.model_.predict(rows, outputs, blocks, _threads.resolve(self.n_jobs))
        return outputs[:, 0] if self._vector_target else outputs

    def _options(self, blocks: int | None) -> _core.Options:
        params = self.get_params(deep=False)
        if blocks is not None:
            params["blocks"] = blocks
        options, idle = _options.build(params)
        if idle:
            warnings.warn(
                f'Without effect in preset auto: {", ".join(idle)}. Use preset="paper", or leave them out.',
                RFNNWarning,
                stacklevel=4,
            )
        options.set("threads", str(_threads.resolve(self.n_jobs)))
        options.set("seed", str(_random.seed(self.random_state)))
        options.validate()
        return options

    def _train(self, X, y, sample_weight, eval_set, callbacks, start, blocks=None):
        options = self._options(blocks)
        given_y = y
        X, y = _data.check_fit(self, X, y, reset=start is None)
        inputs = list(getattr(self, "feature_names_in_", []))
        names = _data.target_names(given_y, inputs) if start is None else start.targets
        rows = _data.rows(self, X, y, sample_weight, names)
        validation = _data.evaluation_rows(self, eval_set, names, 1 if y.ndim == 1 else y.shape[1])
        learnt = lambda model: {"model_": model, "_vector_target": y.ndim == 1}
        tasks = SklearnTasks.of(self, X, y, sample_weight, learnt)
        display = _progress.display(self.verbose)
        model = None
        try:
            watcher = Watcher(callbacks, display, tasks)
            model, error = _core.fit(
                rows, options, validation, start, None if watcher.idle else watcher, tasks is not None, bool(inputs)
            )
        finally:
            if display is not None:
                display.close(model)
        vars(self).update(learnt(model))
        if error is not None:
            raise error
        if tasks is not None:
            tasks.end(model)
        if self.verbose:
            for text in model.warnings:
                warnings.warn(text, RFNNWarning, stacklevel=3)
        return self


def _acceptance(branches: list[dict[str, Any]]) -> float:
    """Share of the proposals that a chain took; NaN where there was no chain."""
    proposed = sum(branch["proposed"] for branch in branches)
    return sum(branch["accepted"] for branch in branches) / proposed if proposed else float("nan")
