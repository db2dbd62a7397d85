"""Error bars: intervals, quantiles and standard deviations of new measurements, samples of functions."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from . import _core, _random, _threads
from ._errors import UsageError
from ._options import in_words_of_python, refused
from ._types import RandomState


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
        share = share_of(coverage, "coverage")
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
        shares = shares_of(probabilities)
        predictions, widths = self._bars(X)
        with in_words_of_python():
            scores = np.array(self.model_.score_quantiles(shares)).T  # outputs × quantiles
        values = predictions[:, :, None] + widths[:, :, None] * scores[None]
        return values[:, 0] if self._vector_target else values

    def sample_y(
        self, X: Any, n_samples: int = 1, random_state: RandomState = 0, noise: bool = False
    ) -> np.ndarray:
        """Samples of whole functions that the model holds possible, at the rows given.

        The same seed gives the same functions, whatever the rows and their order. Values at different rows belong
        together: a sample is a smooth curve, not a band of noise. Preset auto draws from the posterior of its closed form;
        ``PaperRFNNRegressor(draws=100)`` has as many samples as draws of its chains.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        n_samples : int, default=1
            How many functions.

        random_state : int, RandomState, Generator or None, default=0
            The seed, or where it comes from.

        noise : bool, default=False
            Add the noise of a measurement to every value.

        Returns
        -------
        samples : ndarray of shape (n_rows, n_samples) or (n_rows, n_outputs, n_samples)
        """
        if not isinstance(n_samples, numbers.Integral) or isinstance(n_samples, bool) or not 1 <= n_samples <= 10000:
            raise UsageError(f"n_samples is {n_samples!r}, not a whole number from 1 to 10000.", "Give 10, say.")
        predictions, rows, unknown = self._known(X)
        values = np.empty((len(rows), predictions.shape[1] * int(n_samples)))
        seed, threads = _random.seed(random_state), _threads.resolve(self.n_jobs)
        with in_words_of_python():
            self.model_.draw_functions(rows, predictions, values, seed, bool(noise), threads)
        values[unknown] = np.nan
        samples = values.reshape(len(rows), predictions.shape[1], int(n_samples))
        return samples[:, 0] if self._vector_target else samples

    def _bars(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        predictions, rows, unknown = self._known(X)
        widths = np.empty_like(predictions)
        with in_words_of_python():
            self.model_.widths(rows, predictions, widths, _threads.resolve(self.n_jobs))
        widths[unknown] = np.nan
        return predictions, widths

    def _known(self, X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Predictions (rows × outputs), the rows as numbers, and the places of those that cannot be predicted."""
        rows, unknown = self._inputs(X)  # type: ignore[attr-defined]
        self._warn_of_rows_outside(  # type: ignore[attr-defined]
            np.delete(rows, unknown, axis=0) if len(unknown) else rows
        )
        predictions = self._predict(rows, unknown, None).reshape(len(rows), -1)  # type: ignore[attr-defined]
        return predictions, rows.astype(np.float64, copy=False), unknown


def shares_of(probabilities: Any) -> list[float]:
    """Probabilities, checked."""
    if isinstance(probabilities, (str, dict)) or np.ndim(probabilities) > 1:
        raise refused("probabilities", probabilities, "a list of shares like 0.9")
    return [share_of(p, "probabilities") for p in np.atleast_1d(probabilities)]


def share_of(value: Any, name: str) -> float:
    """A probability, checked."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise refused(name, value, "a share like 0.9")
    if not 0 < value < 1:
        raise UsageError(f"{name} is {value}, not between 0 and 1.", "Give a share like 0.9.")
    return float(value)
