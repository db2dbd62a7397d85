"""Error bars: intervals, quantiles and standard deviations of new measurements."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core, _threads
from ._errors import UsageError


class Intervals:
    """How far off predictions may be."""

    model_: _core.Model
    n_jobs: int | None
    _vector_target: bool

    def predict_interval(self, X: Any, coverage: float = 0.9) -> tuple[np.ndarray, np.ndarray]:
        """Intervals that contain a share of new measurements, as large a share outside on either side.

        They are calibrated: by rows that the network had not seen. A model without error bars says how to get them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        coverage : float, default=0.9
            The share, between 0 and 1.

        Returns
        -------
        lower, upper : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        share = _share(coverage, "coverage")
        quantiles = self.predict_quantiles(X, [0.5 * (1 - share), 0.5 * (1 + share)])
        return quantiles[..., 0], quantiles[..., 1]

    def predict_quantiles(self, X: Any, probabilities: Any) -> np.ndarray:
        """Quantiles of new measurements.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        probabilities : array-like of shape (n_quantiles,)
            Each between 0 and 1: the share of new measurements that lie below.

        Returns
        -------
        quantiles : ndarray of shape (n_samples, n_quantiles) or (n_samples, n_outputs, n_quantiles)
        """
        shares = [_share(p, "probabilities") for p in np.atleast_1d(np.asarray(probabilities, dtype=float))]
        predictions, widths = self._bars(X)
        scores = np.array(self.model_.score_quantiles(shares)).T  # outputs × quantiles
        values = predictions[:, :, None] + widths[:, :, None] * scores[None]
        return values[:, 0] if self._vector_target else values

    def _bars(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        rows, unknown = self._inputs(X)  # type: ignore[attr-defined]
        self._warn_of_rows_outside(  # type: ignore[attr-defined]
            np.delete(rows, unknown, axis=0) if len(unknown) else rows
        )
        predictions = self._predict(rows, unknown, None).reshape(len(rows), -1)  # type: ignore[attr-defined]
        widths = np.empty_like(predictions)
        self.model_.widths(rows.astype(np.float64, copy=False), predictions, widths, _threads.resolve(self.n_jobs))
        widths[unknown] = np.nan
        return predictions, widths


def _share(value: Any, name: str) -> float:
    share = float(value)
    if not 0 < share < 1:
        raise UsageError(f"{name} is {value}, not between 0 and 1.", "Give a share like 0.9.")
    return share
