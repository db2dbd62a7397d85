"""The estimator over Dask's collections."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, Self

import dask
import numpy as np
from dask import delayed
from sklearn.utils.validation import check_is_fitted, validate_data

from .. import estimator as _estimator
from .._errors import UsageError
from .. import _training as _in_memory
from .._intervals import share_of, shares_of
from .._options import in_words_of_python
from . import _collections, _training
from ._cluster import Cluster, current, has_client


class RFNNRegressor(_estimator.RFNNRegressor):
    """:class:`rfnn.RFNNRegressor` for tables on a Dask cluster: the same parameters, the same attributes.

    X and y are Dask arrays, Dask frames, or lists of delayed partitions, of plain numbers; a client of
    ``dask.distributed`` has to be there. Rows stay on the workers. The network is that of a fit in memory, whatever the
    number of workers and partitions: with ``preset="auto"`` bit for bit, with ``preset="paper"`` up to rounding, and bit
    for bit the same on any number of workers. Workers may come and go: rows that are lost are made again.

    With ``preset="paper"`` every pass over the rows is made by all workers. With ``preset="auto"`` at most two million
    rows, drawn at random, come to one worker, which trains on them while the others are free.

    ``n_jobs`` are the threads of each task; None is as many as the worker has. What is not here: ``base``, ``run_dir``
    and ``resume``, columns of other kinds than numbers, missing cells, and with ``preset="paper"`` ``holdout`` other than
    "random".

    Everything else is as in :class:`rfnn.RFNNRegressor`, also for arrays and frames in memory.

    Examples
    --------
    >>> from dask.distributed import Client
    >>> import dask.dataframe as dd
    >>> from rfnn.dask import RFNNRegressor
    >>> client = Client()  # doctest: +SKIP
    >>> table = dd.read_parquet("measurements/*.parquet")  # doctest: +SKIP
    >>> X, y = table.drop(columns="height"), table["height"]  # doctest: +SKIP
    >>> model = RFNNRegressor(random_state=1).fit(X, y)  # doctest: +SKIP
    >>> table.assign(predicted=model.predict(X)).to_parquet("predicted")  # doctest: +SKIP
    """

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
    ) -> Self:
        """Trains the network.

        Ctrl-C, or a callback that returns True, ends the passes; the blocks found so far are kept.

        Parameters
        ----------
        X : Dask array, Dask frame or list of delayed partitions
            Inputs: plain numbers. Partitions are read twice: ``X.persist()`` what is slow to make and fits into the
            workers' memory.

        y : the same
            Targets, partitioned like X.

        sample_weight : the same, default=None
            Weights, partitioned like X.

        eval_set : tuple (X, y) or (X, y, weights), default=None
            Rows to control the error on. They are gathered at the client: keep them few.

        callbacks : callable, Callback or list of them, default=None
            As in memory; they are called where ``fit`` is.

        base, run_dir, resume, checkpoint_every
            For tables in memory.

        Returns
        -------
        self : RFNNRegressor
        """
        if not _collections.is_distributed(X):
            return super().fit(X, y, sample_weight, eval_set, callbacks, base, run_dir, resume, checkpoint_every)
        for name, value in (("base", base), ("run_dir", run_dir), ("resume", resume)):
            if value is not None:
                raise UsageError(f"{name} is for tables in memory.", "Leave it out, or fit with rfnn.RFNNRegressor.")
        options = _in_memory.options_of(self)
        start = _in_memory.start_of(self, options)
        _training.train(self, X, y, sample_weight, eval_set, callbacks, options, start)
        return self

    def partial_fit(
        self, X: Any, y: Any, sample_weight: Any = None, blocks: int = 1, eval_set: Any = None, callbacks: Any = None
    ) -> Self:
        """Adds blocks, fitted to rows in memory; with collections of Dask set ``warm_start`` and call ``fit``."""
        if _collections.is_distributed(X):
            raise UsageError(
                "partial_fit is for rows in memory.", "With collections of Dask set warm_start=True and call fit."
            )
        return super().partial_fit(X, y, sample_weight, blocks, eval_set, callbacks)

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Predicts the targets, of collections of Dask lazily: an array for an array, a series or a frame for a frame.

        Rows outside the range of the training rows are not warned of there: ``rows_outside`` finds them.

        Parameters
        ----------
        X : Dask array, Dask frame, list of delayed partitions, or array-like

        return_std : bool, default=False
            Also return the standard deviation of new measurements around the predictions.

        Returns
        -------
        y : like X

        std : like X
            With ``return_std`` only.
        """
        if not _collections.is_distributed(X):
            return super().predict(X, return_std)
        if not return_std:
            return self._lazily(X, "predict", self._sizes(), self._target_names())
        self._check_bars()
        names, count = self._target_names(), len(self.model_.targets)
        both = self._lazily(X, "_with_std", (2 * count,), [*names, *(f"{name}_std" for name in names)])
        take = lambda first, given: _collections.taken(both, range(first, first + count), given, self._vector_target)
        return take(0, names), take(count, [f"{name}_std" for name in names])

    def predict_interval(self, X: Any, coverage: float = 0.9) -> Any:
        """Intervals that contain a share of new measurements, as large a share outside on either side; lazily.

        Parameters
        ----------
        X : Dask array, Dask frame, list of delayed partitions, or array-like

        coverage : float, default=0.9
            The share, between 0 and 1.

        Returns
        -------
        lower, upper : like X
        """
        if not _collections.is_distributed(X):
            return super().predict_interval(X, coverage)
        self._check_bars()
        share_of(coverage, "coverage")
        names, count = self._target_names(), len(self.model_.targets)
        ends = [f"{name}_{end}" for end in ("lower", "upper") for name in names]
        both = self._lazily(X, "_with_interval", (2 * count,), ends, coverage)
        take = lambda first: _collections.taken(
            both, range(first, first + count), ends[first : first + count], self._vector_target
        )
        return take(0), take(count)

    def predict_quantiles(self, X: Any, probabilities: Any) -> Any:
        """Quantiles of new measurements, lazily; of a frame columns named after target and probability.

        Parameters
        ----------
        X : Dask array, Dask frame, list of delayed partitions, or array-like

        probabilities : array-like of shape (n_quantiles,)
            Each between 0 and 1: the share of new measurements that lie below.

        Returns
        -------
        quantiles : like X
        """
        if not _collections.is_distributed(X):
            return super().predict_quantiles(X, probabilities)
        self._check_bars()
        shares = shares_of(probabilities)
        names = [f"{name}_{share:g}" for name in self._target_names() for share in shares]
        return self._lazily(X, "predict_quantiles", (*self._sizes(), len(shares)), names, shares)

    def rows_outside(self, X: Any) -> Any:
        """Which rows have an input outside the range of the training rows, lazily.

        Parameters
        ----------
        X : Dask array, Dask frame, list of delayed partitions, or array-like

        Returns
        -------
        outside : like X, of bool
        """
        if not _collections.is_distributed(X):
            return super().rows_outside(X)
        return self._lazily(X, "rows_outside", (), ["outside"], dtype=bool)

    def staged_predict(self, X: Any) -> Iterator[Any]:
        """Yields the predictions with the first block alone, the first two, … all of them, lazily.

        Parameters
        ----------
        X : Dask array, Dask frame, list of delayed partitions, or array-like

        Yields
        ------
        y : like X
        """
        if not _collections.is_distributed(X):
            yield from super().staged_predict(X)
            return
        for blocks in range(1, self.n_blocks_ + 1):
            yield self._lazily(X, "_of_blocks", self._sizes(), self._target_names(), blocks)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R² of the predictions, the mean over several targets; of collections of Dask one pass over their partitions, now.

        Parameters
        ----------
        X, y, sample_weight : Dask collections partitioned alike, or array-like

        Returns
        -------
        score : float
        """
        if not _collections.is_distributed(X):
            return float(super().score(X, y, sample_weight))
        check_is_fitted(self)
        inputs, targets = _collections.partitions(X, "X"), _collections.alike(X, y, "y")
        weights = [None] * len(inputs) if sample_weight is None else _collections.alike(X, sample_weight, "sample_weight")
        model, moments = delayed(self._alone()), delayed(_moments)
        parts = [moments(model, *part) for part in zip(inputs, targets, weights)]
        if not has_client():
            return _r2(list(dask.compute(*parts)))
        with current() as client:
            return _r2(Cluster(client).results(client.compute(parts)))

    def _sizes(self) -> tuple[int, ...]:
        check_is_fitted(self)
        return () if self._vector_target else (len(self.model_.targets),)

    def _target_names(self) -> list[str]:
        return list(self.model_.targets)

    def _check_bars(self) -> None:
        """Fails now rather than in a task where the model has no error bars."""
        check_is_fitted(self)
        with in_words_of_python():
            self.model_.score_deviations()

    def _alone(self) -> _estimator.RFNNRegressor:
        """What workers predict with."""
        alone = _estimator.RFNNRegressor(**self.get_params())
        kept = {name: value for name, value in vars(self).items() if name.endswith("_") or name == "_vector_target"}
        vars(alone).update({**kept, "verbose": 0})
        return alone

    def _check_columns(self, X: Any) -> None:
        """Fails now rather than in a task where the columns are known and not those of the training rows."""
        if _collections.is_frame(X) and hasattr(X, "columns"):
            import pandas as pd

            row: Any = pd.DataFrame(np.zeros((1, len(X.columns))), columns=X.columns)
        elif isinstance(X, _collections.da.Array) and X.ndim == 2 and isinstance(X.shape[1], int):
            row = np.zeros((1, X.shape[1]))
        else:
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            validate_data(self._alone(), row, reset=False, skip_check_array=True)

    def _lazily(
        self, X: Any, method: str, sizes: tuple[int, ...], names: list[str], *given: Any, dtype: Any = np.float64
    ) -> Any:
        check_is_fitted(self)
        self._check_columns(X)
        shape = _collections.Shape(sizes, names, dtype)
        return _collections.mapped(_call, X, shape, delayed(self._alone()), method, sizes, np.dtype(dtype), *given)


def _call(part: Any, model: _estimator.RFNNRegressor, method: str, sizes: tuple[int, ...], dtype: Any, *given: Any) -> np.ndarray:
    """A method of the estimator, of a partition."""
    if len(part) == 0:
        return np.empty((0, *sizes), dtype=dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nobody would see them
        if method in _OF_PARTS:
            return _OF_PARTS[method](model, part, *given)
        return getattr(model, method)(part, *given)


def _with_std(model: _estimator.RFNNRegressor, part: Any) -> np.ndarray:
    return np.column_stack(model.predict(part, return_std=True))


def _with_interval(model: _estimator.RFNNRegressor, part: Any, coverage: float) -> np.ndarray:
    return np.column_stack(model.predict_interval(part, coverage))


def _of_blocks(model: _estimator.RFNNRegressor, part: Any, blocks: int) -> np.ndarray:
    rows, unknown = model._inputs(part)
    return model._predict(rows, unknown, blocks)


_OF_PARTS = {"_with_std": _with_std, "_with_interval": _with_interval, "_of_blocks": _of_blocks}


def _moments(model: _estimator.RFNNRegressor, X: Any, y: Any, weights: Any) -> tuple[Any, ...]:
    """Of a partition, per target: sum of weights, mean, squares about the mean, and squared errors."""
    y = np.asarray(y, dtype=float)
    y = y.reshape(len(y), -1)
    if len(y) == 0:
        return 0.0, np.zeros(y.shape[1]), np.zeros(y.shape[1]), np.zeros(y.shape[1])
    w = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float).reshape(-1)
    predicted = np.asarray(_call(X, model, "predict", (), float)).reshape(y.shape)
    total = w.sum()
    mean = w @ y / total if total > 0 else np.zeros(y.shape[1])
    return total, mean, w @ (y - mean) ** 2, w @ (y - predicted) ** 2


def _r2(moments: list[tuple[Any, ...]]) -> float:
    total, mean, squares, errors = moments[0]
    for more, its_mean, its_squares, its_errors in moments[1:]:
        both = total + more
        if both > 0:
            squares = squares + its_squares + (its_mean - mean) ** 2 * total * more / both
            mean = mean + (its_mean - mean) * more / both
        total, errors = both, errors + its_errors
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = np.where(squares > 0, 1 - errors / squares, np.where(errors > 0, 0.0, 1.0))
    return float(scores.mean())
