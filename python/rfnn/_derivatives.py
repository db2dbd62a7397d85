"""Derivatives of the predictions, and what is made of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _core, _threads
from ._errors import UsageError


class Derivatives:
    """Exact derivatives by the inputs, extremes, and where the variance comes from."""

    model_: _core.Model
    n_jobs: int | None
    _vector_target: bool

    def predict_gradient(self, X: Any) -> np.ndarray:
        """The exact derivatives of the predictions by the inputs, in the units of both.

        An input that was constant in training has derivative 0. Where the network sees an input's logarithm
        (``input_transforms_``) the derivative is still by the input itself.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        gradient : ndarray of shape (n_samples, n_features) or (n_samples, n_outputs, n_features)
        """
        rows, unknown = self._doubles(X)
        outputs = len(self.model_.targets)
        gradient = np.empty((len(rows), outputs * rows.shape[1]))
        self.model_.gradients(rows, np.empty((len(rows), outputs)), gradient, _threads.resolve(self.n_jobs))
        gradient[unknown] = np.nan
        return self._per_output(gradient, rows)

    def hessian_product(self, X: Any, direction: Any) -> np.ndarray:
        """The Hessian of the predictions by the inputs times a direction, exactly, in the units of both.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        direction : array-like of shape (n_features,) or (n_samples, n_features)
            One for all rows, or one for each.

        Returns
        -------
        product : ndarray of shape (n_samples, n_features) or (n_samples, n_outputs, n_features)
            How the gradient changes along the direction.
        """
        rows, unknown = self._doubles(X)
        directions = np.asarray(direction, dtype=np.float64)
        if directions.shape not in (rows.shape, rows.shape[1:]):
            raise UsageError(
                f"The direction has shape {directions.shape}, the rows have {rows.shape}.",
                "Give a number for each input, or for each input of each row.",
            )
        product = np.empty((len(rows), len(self.model_.targets) * rows.shape[1]))
        self.model_.hessian_products(
            rows, np.broadcast_to(directions, rows.shape), product, _threads.resolve(self.n_jobs)
        )
        product[unknown] = np.nan
        return self._per_output(product, rows)

    def optimum(
        self,
        *,
        maximum: bool = False,
        box: Mapping[str | int, Any] | None = None,
        target: int = 0,
        starts: int = 32,
        random_state: int = 1,
    ) -> dict[str, Any]:
        """Where the prediction is smallest, or largest, by local searches with the exact gradients.

        Parameters
        ----------
        maximum : bool, default=False
            The largest instead of the smallest prediction.

        box : mapping, default=None
            Bounds of inputs, by name or by place from 0: a pair (low, high), or one value that the input has. The
            others have the range of the training rows.

        target : int, default=0
            Which of several.

        starts : int, default=32
            Local searches, from the best of many points that fill the box.

        random_state : int, default=1
            The seed of these points.

        Returns
        -------
        optimum : dict
            ``value``; ``x``, the place as a row for ``predict``; ``inputs``, the same by name; ``at_bound``, names of
            inputs at an end of their range; ``outside``, whether it lies outside the range of the training rows;
            ``starts`` and ``agreeing``, how many of them ended with this value.
        """
        text, row = self._checked().optimum(
            self._boxes(box), target, maximum, starts, random_state, _threads.resolve(self.n_jobs)
        )
        return {"x": np.array(row), **json.loads(text)}

    def sensitivity(
        self,
        X: Any = None,
        *,
        box: Mapping[str | int, Any] | None = None,
        normal: Mapping[str | int, tuple[float, float]] | None = None,
        samples: int | None = None,
        random_state: int = 1,
    ) -> dict[str, Any]:
        """Which shares of the prediction's variance come from which inputs, where they vary independently.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), default=None
            Rows to draw each input from, by itself. None is uniform over the range of the training rows.

        box : mapping, default=None
            Inputs that are uniform between bounds, as in ``optimum``.

        normal : mapping, default=None
            Inputs with a normal law: (mean, standard deviation).

        samples : int, default=None
            Points of each of 16 replicates, rounded up to a power of two. None makes about a million predictions.

        random_state : int, default=1
            The seed of the points.

        Returns
        -------
        shares : dict
            ``inputs``, their names; ``first`` and ``total``, Sobol indices, a number per input (of several targets a
            row per target), with ``first_standard_error`` and ``total_standard_error``; ``pairs``, what two inputs do
            together that neither does alone; ``effects``, main effects; ``scales``, the share of each octave of
            wavelengths; ``mean`` and ``variance``.
        """
        rows = None
        if X is not None:
            rows, unknown = self._doubles(X)
            rows = np.delete(rows, unknown, axis=0)
        texts = [f"{name}={float(mean)!r},{float(sd)!r}" for name, (mean, sd) in self._by_name(normal).items()]
        found = json.loads(
            self._checked().sensitivity(
                rows, self._boxes(box), texts, samples or 0, random_state, _threads.resolve(self.n_jobs)
            )
        )
        for name in ("first", "first_standard_error", "total", "total_standard_error"):
            found[name] = np.array(found[name])
        return found

    def _checked(self) -> _core.Model:
        check_is_fitted(self)
        return self.model_

    def _by_name(self, given: Mapping[str | int, Any] | None) -> dict[str, Any]:
        """The same with names in place of numbers."""
        names = list(getattr(self, "feature_names_in_", self._checked().inputs))
        found = {}
        for key, value in (given or {}).items():
            known = names[key] if not isinstance(key, str) and 0 <= key < len(names) else key
            if known not in names and not isinstance(known, str):
                raise UsageError(f"There is no input {key}.", f"Give a name, or a number from 0 to {len(names) - 1}.")
            found[str(known)] = value
        return found

    def _boxes(self, box: Mapping[str | int, Any] | None) -> list[str]:
        def text(value: Any) -> str:
            return value if isinstance(value, str) else repr(float(value))

        def bounds(value: Any) -> str:
            if isinstance(value, str) or np.ndim(value) == 0:
                return text(value)
            low, high = value
            return f"{text(low)}..{text(high)}"

        return [f"{name}={bounds(value)}" for name, value in self._by_name(box).items()]

    def _doubles(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        rows, unknown = self._inputs(X)  # type: ignore[attr-defined]
        return rows.astype(np.float64, copy=False), unknown

    def _per_output(self, values: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return values if self._vector_target else values.reshape(len(rows), -1, rows.shape[1])
