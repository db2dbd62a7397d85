"""Derivatives of the predictions, and what is made of them."""

from __future__ import annotations

import datetime
import json
import numbers
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _columns, _core, _random, _threads
from ._errors import UsageError
from ._options import refused
from ._types import RandomState

_DAY = np.timedelta64(1, "D")
_PAIR = "a pair (low, high), the lower one first, or one value; of a category its levels; of times moments or ISO 8601 texts"
_LAW = "a pair (mean, standard deviation), of a time a moment and days, for an input that is a number or a time"


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
        gradient : ndarray of shape (n_samples, n_inputs) or (n_samples, n_outputs, n_inputs)
            By the inputs in ``model_.inputs``: the columns of X, where these are numbers; a category has one for each of
            its levels, and times are in days.
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

        direction : array-like of shape (n_inputs,) or (n_samples, n_inputs)
            One for all rows, or one for each; the inputs are those of ``predict_gradient``.

        Returns
        -------
        product : ndarray of shape (n_samples, n_inputs) or (n_samples, n_outputs, n_inputs)
            How the gradient changes along the direction.
        """
        rows, unknown = self._doubles(X)
        try:
            directions = np.asarray(direction, dtype=np.float64)
        except (TypeError, ValueError):
            raise refused("direction", direction, "a number for each input, or for each input of each row") from None
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
        target: int | str = 0,
        starts: int = 32,
        random_state: RandomState = 1,
    ) -> dict[str, Any]:
        """Where the prediction is smallest, or largest, by local searches with the exact gradients.

        Parameters
        ----------
        maximum : bool, default=False
            The largest instead of the smallest prediction.

        box : mapping, default=None
            Bounds of columns, by name or by place from 0: a pair (low, high), or one value that the column has; of a
            category a level or a list of levels. The others have the range of the training rows.

        target : int or str, default=0
            Which of several: its place from 0, or its name.

        starts : int, default=32
            Local searches, from the best of many points that fill the box.

        random_state : int, RandomState, Generator or None, default=1
            The seed of these points, or where it comes from.

        Returns
        -------
        optimum : dict
            ``value``; ``x``, the place as a row for ``predict``; ``inputs``, the same by name of column; ``at_bound``, names of
            inputs at an end of their range; ``outside``, whether it lies outside the range of the training rows;
            ``starts`` and ``agreeing``, how many of them ended with this value.
        """
        model = self._checked()
        boxes, place, starts = self._boxes(box), self._target(target), _count("starts", starts)
        seed, threads = _random.seed(random_state), _threads.resolve(self.n_jobs)
        with _about({"box": self._by_name("box", box)}):
            text, row = model.optimum(boxes, place, bool(maximum), starts, seed, threads)
        found = json.loads(text)
        x = np.array(list(found["inputs"].values()), dtype=object) if model.has_table else np.array(row)
        return {"x": x, **found}

    def sensitivity(
        self,
        X: Any = None,
        *,
        box: Mapping[str | int, Any] | None = None,
        normal: Mapping[str | int, tuple[float, float]] | None = None,
        samples: int | None = None,
        random_state: RandomState = 1,
    ) -> dict[str, Any]:
        """Which shares of the prediction's variance come from which inputs, where they vary independently.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), default=None
            Rows to draw each input from, by itself. None is uniform over the range of the training rows.

        box : mapping, default=None
            Inputs that are uniform between bounds, as in ``optimum``.

        normal : mapping, default=None
            Inputs with a normal law, as (mean, standard deviation); of a time that is in days.

        samples : int, default=None
            Points of each of 16 replicates, rounded up to a power of two. None makes about a million predictions.

        random_state : int, RandomState, Generator or None, default=1
            The seed of the points, or where it comes from.

        Returns
        -------
        shares : dict
            ``inputs``, their names; ``first`` and ``total``, Sobol indices, a number per input (of several targets a
            row per target), with ``first_standard_error`` and ``total_standard_error``; ``pairs``, what two inputs do
            together that neither does alone; ``effects``, main effects; ``scales``, the share of each octave of
            wavelengths; ``mean`` and ``variance``.
        """
        model = self._checked()
        rows = None
        if X is not None:
            rows, unknown = self._doubles(X)
            rows = np.delete(rows, unknown, axis=0)
        boxes, normals = self._boxes(box), self._by_name("normal", normal)
        if both := [name for name in normals if name in self._by_name("box", box)]:
            raise UsageError(f"Both box and normal say how {both[0]!r} varies.", "Give one of the two.")
        laws = [f"{name}={_law(name, law)}" for name, law in normals.items()]
        count = 0 if samples is None else _count("samples", samples)
        seed, threads = _random.seed(random_state), _threads.resolve(self.n_jobs)
        with _about({"box": self._by_name("box", box), "normal": normals}):
            found = json.loads(model.sensitivity(rows, boxes, laws, count, seed, threads))
        for name in ("first", "first_standard_error", "total", "total_standard_error"):
            found[name] = np.array(found[name])
        return found

    def _checked(self) -> _core.Model:
        check_is_fitted(self)
        return self.model_

    def _target(self, target: Any) -> int:
        """The place of a target, given by it or by name."""
        names = self.model_.targets
        if isinstance(target, str) and target in names:
            return names.index(target)
        if _is_place(target, len(names)):
            return int(target)
        raise refused("target", target, f"one of {', '.join(map(repr, names))}, or a number from 0 to {len(names) - 1}")

    def _by_name(self, what: str, given: Mapping[str | int, Any] | None) -> dict[str, Any]:
        """The same with the names of columns in place of numbers."""
        if given is None:
            return {}
        if not isinstance(given, Mapping):
            raise refused(what, given, "a dictionary from columns, by name or by number from 0, to what they may be")
        names = self._kinds()
        found = {}
        for key, value in given.items():
            name = list(names)[key] if _is_place(key, len(names)) else key
            if name not in names:
                there = ", ".join(map(repr, names))
                raise UsageError(
                    f"{what} names {key!r}, which is no column.", f"Give one of {there}, or a number from 0 to {len(names) - 1}."
                )
            found[name] = value
        return found

    def _kinds(self) -> dict[str, str]:
        """What the columns hold, by name."""
        self._checked()
        return {column["name"]: column["kind"] for column in self.columns_}  # type: ignore[attr-defined]

    def _boxes(self, box: Mapping[str | int, Any] | None) -> list[str]:
        kinds = self._kinds()
        return [f"{name}={_bounds(value, kinds[name])}" for name, value in self._by_name("box", box).items()]

    def _doubles(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        rows, unknown = self._inputs(X)  # type: ignore[attr-defined]
        return rows.astype(np.float64, copy=False), unknown

    def _per_output(self, values: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return values if self._vector_target else values.reshape(len(rows), -1, rows.shape[1])


def _is_place(value: Any, count: int) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, (bool, np.bool_)) and 0 <= value < count


def _count(name: str, value: Any) -> int:
    if not isinstance(value, numbers.Integral) or isinstance(value, (bool, np.bool_)) or value < 1:
        raise refused(name, value, "a whole number from 1 on")
    return int(value)


def _value(value: Any, kind: str) -> str:
    """What a column has, as the core reads it: nothing where that cannot be."""
    if isinstance(value, str):
        return value
    if kind == "boolean" and value in (True, False):
        return "true" if value else "false"
    try:
        return _columns._text(value) if kind in ("time", "category") else repr(float(value))
    except (TypeError, ValueError):
        return ""


def _bounds(value: Any, kind: str) -> str:
    if isinstance(value, (str, Mapping)) or np.ndim(value) == 0:
        return _value(value, kind)
    if kind in ("category", "boolean"):
        return "|".join(_value(level, kind) for level in value)
    return "..".join(_value(end, kind) for end in value) if len(value) == 2 else ""


def _law(name: str, law: Any) -> str:
    if isinstance(law, (str, Mapping)) or np.ndim(law) != 1 or len(law) != 2:
        raise refused(f"normal[{name!r}]", law, _LAW)
    mean, deviation = law
    if isinstance(deviation, (datetime.timedelta, np.timedelta64)):
        deviation = np.timedelta64(deviation) / _DAY
    is_moment = isinstance(mean, (str, np.datetime64, *_columns._CLOCKS))
    return f"{_value(mean, 'time' if is_moment else 'number')},{_value(deviation, 'number')}"


@contextmanager
def _about(given: dict[str, dict[str, Any]]) -> Iterator[None]:
    """What the core says of the flags --box and --normal is said of these keywords."""
    try:
        yield
    except UsageError as error:
        found = re.match(r"--(box|normal) (.*)", error.cause, re.DOTALL)
        if found is None:
            raise
        named = [name for name in given[found[1]] if found[2].startswith(f"{name}=")]
        name = max(named, key=len)
        raise refused(f"{found[1]}[{name!r}]", given[found[1]][name], _PAIR if found[1] == "box" else _LAW) from None
