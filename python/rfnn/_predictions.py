"""What a fitted estimator predicts, and for which rows that is more than it was shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, overload

import numpy as np

from . import _core, _data, _threads
from ._errors import RangeWarning
from ._warnings import warn

_FAR = 0.25  # of the range of an input: a row so far outside is told of even if it is the only one


class Predictions:
    """Predictions, of all blocks or stage by stage."""

    model_: _core.Model
    n_blocks_: int
    n_jobs: int | None
    _vector_target: bool

    @overload
    def predict(self, X: Any, return_std: Literal[False] = False) -> np.ndarray: ...

    @overload
    def predict(self, X: Any, return_std: Literal[True]) -> tuple[np.ndarray, np.ndarray]: ...

    def predict(self, X: Any, return_std: bool = False) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """Predicts the targets.

        Rows outside the range of the training rows are warned of (:class:`rfnn.RangeWarning`) where they are more than
        rows from the same source would be by chance, or far outside.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Columns as in ``fit``: dates again where there were dates. A row with missing cells is refused
            with ``missing="error"``, its prediction is NaN, with a warning, with "drop", and they are filled in with
            "mean".

        return_std : bool, default=False
            Also return the standard deviation of new measurements around the predictions.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)

        std : ndarray of the same shape
            With ``return_std`` only.
        """
        if return_std:
            predictions, widths = self._bars(X)  # type: ignore[attr-defined]
            deviations = widths * np.array(self.model_.score_deviations())
            return (predictions[:, 0], deviations[:, 0]) if self._vector_target else (predictions, deviations)
        rows, unknown = self._inputs(X)
        self._warn_of_rows_outside(np.delete(rows, unknown, axis=0) if len(unknown) else rows)
        return self._predict(rows, unknown, None)

    def rows_outside(self, X: Any) -> np.ndarray:
        """Which rows have an input outside the range of the training rows, where predictions are extrapolations.

        So do rows with a missing cell or an unknown level that something stands in for where training had none, and
        with another value in a column that was always the same.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        outside : ndarray of bool of shape (n_samples,)
        """
        rows, unknown = self._inputs(X)
        outside = self._outside(rows)
        outside[unknown] = False
        return outside

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Yields the predictions with the first block alone, the first two, … all of them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Yields
        ------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        rows, unknown = self._inputs(X)
        for blocks in range(1, self.n_blocks_ + 1):
            yield self._predict(rows, unknown, blocks)

    def _inputs(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Rows as the network takes them, and the places of those that it cannot predict."""
        return _data.model_inputs(self, X)

    def _outside(self, rows: np.ndarray, margin: float = 0.0) -> np.ndarray:
        marks = np.empty(len(rows), dtype=bool)
        self.model_.mark_outside(rows, marks, margin)
        return marks

    def _warn_of_rows_outside(self, rows: np.ndarray) -> None:
        outside = int(np.count_nonzero(self._outside(rows)))
        if outside and (outside > self._outside_by_chance(len(rows)) or self._outside(rows, _FAR).any()):
            warn(
                f"{outside:,} of {len(rows):,} rows lie outside the range seen in training; predictions there are "
                "extrapolations. rows_outside(X) tells which.",
                RangeWarning,
            )

    def _outside_by_chance(self, count: int) -> float:
        """The most of so many rows that lie outside by chance where they come from the source of the training rows.

        Of n training rows and another m, all in random order, the number beyond an end of the range is geometric with
        the mean m / (n + 1). There are two ends per input; four standard deviations are added to the mean.
        """
        mean = count / (self.model_.train_rows + 1)
        ends = 2 * sum(self.model_.used_inputs)
        return ends * mean + 4 * (ends * mean * (1 + mean)) ** 0.5

    def _predict(self, rows: np.ndarray, unknown: np.ndarray, blocks: int | None) -> np.ndarray:
        outputs = np.empty((rows.shape[0], len(self.model_.targets)))
        self.model_.predict(rows, outputs, blocks, _threads.resolve(self.n_jobs))
        outputs[unknown] = np.nan
        return outputs[:, 0] if self._vector_target else outputs
