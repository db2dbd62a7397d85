"""The scikit-learn estimator."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Self

from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin

from . import _going_on, _options, _training
from ._callbacks import CallbackSupportMixin, with_callbacks
from ._derivatives import Derivatives
from ._intervals import Intervals
from ._learnt import Learnt
from ._predictions import Predictions
from ._views import Views

if TYPE_CHECKING:
    from typing import Unpack

    from ._types import Auto, Branches, Holdout, Missing, Names, Preset, PublishedOptions, RandomState, Ridge, Unseen


class RFNNRegressor(
    Learnt,
    Predictions,
    Intervals,
    Views,
    Derivatives,
    CallbackSupportMixin,
    RegressorMixin,
    MultiOutputMixin,
    BaseEstimator,
):
    """Deep residual Fourier-feature network for regression, trained block by block without global optimisation.

    It needs no tuning: widths, depth and regularisation are found from the data. The published algorithm, with all that
    can be set there, is :class:`rfnn.PaperRFNNRegressor`; ``preset="paper"`` is the same here.

    A keyword means what the option of the command line does. None stands for the default of the preset;
    :func:`rfnn.default_options` lists those. What scikit-learn's users know by another name has that name: ``n_jobs`` for
    ``threads``, ``random_state`` for ``seed``.

    Parameters
    ----------
    preset : {"auto", "paper"}, default="auto"
        How a network is found: "auto", or "paper" for the published algorithm, which has a class of its own,
        PaperRFNNRegressor.

    width : int or "auto", default=None
        The most features a branch of a block may have; "auto" is no bound. None is "auto", with preset="paper" 6.

    blocks : int, default=None
        The largest number of blocks; 0 is the mean alone. None is 30, with preset="paper" 10.

    members : int or "auto", default=None
        Networks trained on seeds of their own and averaged; "auto" is as many as pay. None is "auto", with
        preset="paper" 1.

    branches : {"auto", "input,state", "joint"}, default=None
        Branches of later blocks: over inputs and state apart, or over both together; "auto" is what held-out rows
        prefer. None is "auto", with preset="paper" "input,state".

    refine : bool, default=None
        Refine each block's frequencies by least squares. None is True, with preset="paper" False.

    ridge : float, sequence of float or "auto", default=None
        λ, Tikhonov regularisation; of a sequence every block has its own, the last one serves all later blocks;
        "auto" is from the data. None is "auto", with preset="paper" 0.0001.

    standardise_inputs : bool, default=True
        Scale inputs to mean 0 and standard deviation 1.

    standardise_outputs : bool, default=None
        Scale targets to mean 0 and standard deviation 1. None is True, with preset="paper" False.

    tolerance : float, default=0.0
        Stop as soon as the mean squared error on held-out rows (training rows, where there are none) is this small;
        0 is never. An error to reach, not a change.

    patience : int, default=None
        Stop after so many blocks without gain and go back to the best; 0 is never. None is 4, with preset="paper"
        0.

    validation_fraction : float, default=None
        Share of the rows held out for validation; of fewer than 1000 each is held out once. None is 0.1, with
        preset="paper" 0.0.

    holdout : {"random", "tail", "gap"}, default="random"
        Which rows are held out: at random, the last ones (to forecast), or stretches in the middle (to fill gaps).

    holdout_by : int, str or "auto", default="auto"
        The input along which holdout="tail" and "gap" go, time: its name, or its number from 1; "auto" is the
        first.

    max_time : float, default=0.0
        Seconds of wall clock that fit may take; 0 is no limit. What is found then depends on the machine.

    memory : str or float, default=None
        Memory that fit may use, in bytes or as a text such as "2GB"; of arrays too large for it preset="paper"
        works from temporary files, "auto" draws rows. None is no limit.

    missing : {"error", "drop", "mean"}, default="error"
        Rows with missing cells (None, NaN, NA, NaT): refuse them, leave them out, or fill in the column's mean; a
        row to predict that is not filled in has the prediction NaN, with a warning.

    missing_values : str or list, default=None
        Words and numbers that mark a missing cell, beside an empty one, NA, NaN, null and ?; None is none.

    categorical : str or list, default=None
        Columns whose values are categories although they are numbers: names, or numbers from 1; None is none.
        Columns of text and of pandas' and polars' categories are categories by themselves.

    unseen : {"error", "mean"}, default="error"
        Levels of a category that training has not seen: refuse them, or take the mean over those seen.

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

    **published
        Options that only the published algorithm has, for ``preset="paper"``: ``iterations``, ``gamma`` and the others
        of :class:`rfnn.PaperRFNNRegressor`. With preset auto they are warned of.

    Attributes
    ----------
    model_ : rfnn.Model
        The trained network. ``rfnn.save`` writes it to a file that the command line reads too.

    n_blocks_ : int
        Blocks of the deepest member.

    train_mse_ : float
        Mean squared error on the training rows, in the target's units, the mean over several targets.

    validation_mse_ : float or None
        The same on rows that the network was not fitted to; None where there were none.

    validation_mse_se_ : float or None
        Its standard error, where it is known.

    judge_ : str
        What it was measured on: "held-out" rows, or all rows by "leave-one-out" or "cross-fitting".

    columns_ : list of dict
        What the columns of X hold and what they became: ``name``, ``kind`` ("number", "time", "category" or "boolean"),
        ``description`` in words, ``inputs`` (the names of those it makes), ``missing`` (cells, in training),
        ``indicator`` (is there an input that says where it was missing), ``fill`` (what stands in for a missing cell), of
        times ``origin``, ``form`` and ``utc``, of categories ``levels``.

    frequencies_ : ndarray of shape (n_lines, n_inputs)
        Learnt frequencies of the branches over the inputs, largest amplitude first, in radians per unit of each input,
        or of its natural logarithm where ``input_transforms_`` says so. 0 for inputs that were constant.

    amplitudes_ : ndarray of shape (n_lines, n_outputs)
        Their amplitudes, in units of the targets. ``spectrum()`` has the other branches too.

    laws_ : list of dict
        The laws of frequencies of closed forms, which stand for infinitely many features: ``member``, ``block``,
        ``branch``, ``variables``, ``centres``, ``variance``, ``cycles_median`` and ``cycles_90`` (per variable, the
        frequencies in cycles per unit below which half and nine tenths of the variance are) and ``parts``, as ``rfnn
        inspect --json`` has them. Empty where there are none. A model with closed forms holds training rows.

    trend_ : list of dict
        The terms of trends, which go on beyond the data: ``coefficient`` (per output) times (``variable`` − ``about``)
        to the ``power``, on top of the target's mean, with ``member``, ``block`` and ``branch``. Empty where there are
        none, as with ``holdout="random"``.

    input_transforms_ : list of str
        How the network sees each input: "identity", "log" (its natural logarithm, which preset auto takes of positive
        inputs over decades where that is better) or "unused" (it was constant).

    history_ : dict of ndarray
        One array per column, one value per trained block; ``pandas.DataFrame(model.history_)`` is a table. Errors are mean
        squared errors in the target's units, NaN where there are none. ``kept`` is False for blocks given up again.

    stop_reason_ : str
        Why training ended: all-blocks, tolerance, stalled, out-of-time, interrupted, constant-target or no-inputs.

    warnings_ : list of str
        Remarks about data and training.

    seed_ : int
        The seed used.

    n_features_in_ : int
        Number of columns of X.

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
        preset: Preset = "auto",
        width: int | Auto | None = None,
        blocks: int | None = None,
        members: int | Auto | None = None,
        branches: Branches | None = None,
        refine: bool | None = None,
        ridge: Ridge | None = None,
        standardise_inputs: bool = True,
        standardise_outputs: bool | None = None,
        tolerance: float = 0.0,
        patience: int | None = None,
        validation_fraction: float | None = None,
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
        **published: Unpack[PublishedOptions],
    ) -> None:
        self.preset = preset
        self.width = width
        self.blocks = blocks
        self.members = members
        self.branches = branches
        self.refine = refine
        self.ridge = ridge
        self.standardise_inputs = standardise_inputs
        self.standardise_outputs = standardise_outputs
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
        for name, value in published.items():
            if name not in _options.published():
                raise _options.unknown(name, [*self._get_param_names(), *_options.published()])
            setattr(self, name, value)

    @with_callbacks
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        eval_set: Any = None,
        callbacks: Any = None,
        base: Any = None,
        run_dir: Any = None,
        resume: Any = None,
        checkpoint_every: float = 30.0,
        comm: Any = None,
    ) -> Self:
        """Trains the network.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Inputs: numbers, dates and times, text and categories, truth values, as arrays, lists, frames of pandas or
            polars. Arrays of float64 and float32 are read where they lie, whatever their strides.

        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.

        sample_weight : array-like of shape (n_samples,), default=None
            Weights, not negative. A weight of 2 is the row given twice, 0 the row left out.

        eval_set : tuple (X, y) or (X, y, weights), default=None
            Rows to control the error on, instead of ``validation_fraction``. Of a list of such tuples the last one
            counts, as in XGBoost.

        callbacks : callable, Callback or list of them, default=None
            Functions ``f(progress)``, called about ten times a second, or objects like :class:`rfnn.Callback`. One
            that returns True ends the fit.

        base : fitted RFNNRegressor, rfnn.Model, or column of X, default=None
            What to learn the difference to: a model of something cheaper, which becomes part of this one, or a column of
            X by name or number, a list of them for several targets.

        run_dir : path, default=None
            A folder for a record of the run and its checkpoints, so that it can be resumed. It holds nothing else.

        resume : path, default=None
            The folder of a run that was ended: it goes on to the result it would have had. Parameters and data have to
            be those it was begun with.

        checkpoint_every : float, default=30.0
            Seconds between checkpoints inside long pieces of work.

        comm : mpi4py.MPI.Comm, default=None
            Processes that fit one network together: each calls ``fit`` with its own part of the rows, numbers all, and
            has the network afterwards. Rank 0 alone is given an eval_set, and its callbacks are called.

        Returns
        -------
        self : RFNNRegressor
        """
        options = _training.options_of(self)
        _going_on.take_seed(self, options, resume)
        start = _training.start_of(self, options)
        record = _going_on.record_of(run_dir, resume, checkpoint_every)
        _training.train(
            self, X, y, sample_weight, eval_set, callbacks, options, start, base=base, record=record, comm=comm
        )
        return self

    @with_callbacks
    def partial_fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        blocks: int = 1,
        eval_set: Any = None,
        callbacks: Any = None,
    ) -> Self:
        """Adds blocks, fitted to these rows, to the network there is.

        The first call that finds a block begins the network; later ones keep its columns and scales. So the first rows
        should be some dozens at least, and rows that all have the same inputs are refused.

        Parameters
        ----------
        X, y, sample_weight, eval_set, callbacks
            As in ``fit``.

        blocks : int, default=1
            Blocks to add at most.

        Returns
        -------
        self : RFNNRegressor
        """
        start = getattr(self, "model_", None)
        known = start is not None
        if start is not None and start.blocks == 0:
            start = None  # nothing was learnt yet that these rows could spoil: their scales are as good
        total = _training.blocks_to_add(blocks) + (0 if start is None else start.blocks)
        options = _training.options_of(self, total)
        _training.train(self, X, y, sample_weight, eval_set, callbacks, options, start, first=not known)
        return self

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name: those of the signature, and of the published algorithm's those that were given.

        Parameters
        ----------
        deep : bool, default=True
            As in scikit-learn; there is nothing deeper here.

        Returns
        -------
        params : dict
        """
        given = {name: value for name, value in vars(self).items() if name in _options.published()}
        return {**super().get_params(deep), **given}

    def set_params(self, **params: Any) -> Self:
        """Sets parameters by name, also those that only the published algorithm has.

        Returns
        -------
        self : RFNNRegressor
        """
        super().set_params(**{name: value for name, value in params.items() if name not in _options.published()})
        vars(self).update((name, value) for name, value in params.items() if name in _options.published())
        return self

    def _option_keywords(self) -> dict[str, Any]:
        """The parameters that are options."""
        return {name: value for name, value in self.get_params(deep=False).items() if name in _options.table()}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.categorical = tags.input_tags.string = True
        return tags


# What was not given reads as its default.
for _option in _options.published().values():
    setattr(RFNNRegressor, _option.name, _option.paper)
# scikit-learn takes every name of the signature for a parameter.
_signature = inspect.signature(RFNNRegressor.__init__)
RFNNRegressor.__init__.__signature__ = _signature.replace(  # type: ignore[attr-defined]
    parameters=[parameter for parameter in _signature.parameters.values() if parameter.name != "published"]
)
