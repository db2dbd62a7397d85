"""Predictions beside data."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import _core, _data
from .._errors import UsageError
from ._drawing import (
    as_shown,
    axes_or_new,
    escaped,
    input_names,
    is_logarithm,
    legend,
    place_of,
    predicted_of,
    short_dates,
    some_rows,
    style_colour,
    text_colour,
    tidy,
)

_CURVE = 4000  # points of a curve


def plot_prediction(
    est: Any, X: Any, y: Any = None, *, kind: str | None = None, output: int | str = 0, ax: Any = None
) -> Any:
    """Draws predictions: a curve over one input, else predicted against actual values.

    Parameters
    ----------
    est : RFNNRegressor
        Fitted.

    X : array-like of shape (n_samples, n_features)
        Rows to predict. A curve or map covers their range. Dates are dates on the axes.

    y : array-like of shape (n_samples,) or (n_samples, n_outputs), default=None
        Their values; without them only the curve or map is drawn.

    kind : {"curve", "actual", "map"}, default=None
        "curve" (one input): data as points and the prediction as a line. "actual" (any number of inputs, needs y):
        predicted against actual values. "map" (two inputs): the prediction in colours, the data as points in the
        same colours. None is "curve" with one input, else "actual". An input that the network sees as its logarithm has
        a logarithmic axis.

    output : int or str, default=0
        With several targets: the one shown.

    ax : matplotlib.axes.Axes, default=None

    Returns
    -------
    ax : matplotlib.axes.Axes

    Notes
    -----
    Of more than 5000 rows an even choice of 5000 is drawn as points. Along an input whose logarithm the network sees, the
    axis is logarithmic and a curve's points are evenly spaced on it.
    """
    check_is_fitted(est)
    inputs = len(est.model_.inputs)
    kind = kind or ("curve" if inputs == 1 else "actual")
    needed = {"curve": 1, "map": 2, "actual": inputs}
    if kind not in needed:
        raise UsageError(f'There is no kind "{kind}".', 'Give "curve", "actual" or "map".')
    if needed[kind] != inputs:
        words = f"{inputs} input" + "s" * (inputs > 1)
        raise UsageError(f'A plot of kind "{kind}" is for {needed[kind]}, not for {words}.', 'Use kind="actual".')
    if kind == "actual" and y is None:
        raise UsageError("Predicted against actual values needs the actual ones.", "Give y.")
    column = place_of(output, est.model_.targets, "output")
    rows, unknown = est._inputs(X)
    if y is not None:
        _, y = _data.check_rows(est, X, y, "plot_prediction", est.model_)
        y = np.delete(y.reshape(len(y), -1)[:, column], unknown)
        rows = np.delete(rows, unknown, axis=0)[np.isfinite(y)]
        y = y[np.isfinite(y)]
    else:
        rows = np.delete(rows, unknown, axis=0)
    ax = axes_or_new(ax)
    {"curve": _curve, "actual": _actual, "map": _map}[kind](est, rows, y, column, ax)
    return ax


def _curve(est: Any, rows: np.ndarray, y: np.ndarray | None, column: int, ax: Any) -> None:
    if y is not None:
        some = some_rows(len(y))
        size = np.clip(2000 / len(some), 4, 20)
        # Above the curve: a dense signal would hide them.
        ax.scatter(as_shown(est.model_, 0, rows[some, 0]), y[some], s=size, color=text_colour(ax), alpha=0.6, linewidths=0, zorder=3,
                   label="data")  # fmt: skip
    grid = _grid(est.model_, 0, rows.min(), rows.max(), _CURVE)
    ax.plot(as_shown(est.model_, 0, grid), predicted_of(est, grid[:, None], column), color=style_colour(0), linewidth=1.5, label="prediction")
    if is_logarithm(est.model_, 0) and rows.min() > 0:
        ax.set_xscale("log")
    short_dates(est.model_, 0, ax.xaxis)
    ax.set_xlabel(input_names(est.model_)[0])
    ax.set_ylabel(escaped(est.model_.targets[column]))
    if y is not None:  # above: a signal may fill the axes
        legend(ax, loc="lower right", bbox_to_anchor=(1, 1), ncols=2)
    tidy(ax)


def _actual(est: Any, rows: np.ndarray, y: np.ndarray, column: int, ax: Any) -> None:
    predicted = predicted_of(est, rows, column)
    some = some_rows(len(y))
    size = np.clip(4000 / len(some), 4, 20)
    ax.scatter(y[some], predicted[some], s=size, color=style_colour(0), alpha=0.5, linewidths=0, label=f"{len(y):,} rows")
    low, high = min(y.min(), predicted.min()), max(y.max(), predicted.max())
    margin = 0.04 * (high - low) or 1.0
    ends = [low - margin, high + margin]
    ax.plot(ends, ends, color=text_colour(ax), linewidth=1, linestyle="--", label="predicted = actual")
    ax.set(aspect="equal", xlim=ends, ylim=ends)
    name = escaped(est.model_.targets[column])
    ax.set_xlabel(f"{name}, actual")
    ax.set_ylabel(f"{name}, predicted")
    spread = np.sum((y - y.mean()) ** 2)
    title = f"R² = {1 - np.sum((y - predicted) ** 2) / spread:.4f}" if spread > 0 else None
    legend(ax, title=title, loc="upper left", alignment="left")
    tidy(ax)


def _map(est: Any, rows: np.ndarray, y: np.ndarray | None, column: int, ax: Any) -> None:
    u, v = (_grid(est.model_, k, rows[:, k].min(), rows[:, k].max(), 201) for k in (0, 1))
    values = predicted_of(est, np.array(np.meshgrid(u, v)).reshape(2, -1).T, column).reshape(len(v), len(u))
    shown = [values] if y is None else [values, y]
    low, high = min(part.min() for part in shown), max(part.max() for part in shown)
    image = ax.pcolormesh(as_shown(est.model_, 0, u), as_shown(est.model_, 1, v), values, shading="nearest", rasterized=True, vmin=low, vmax=high)
    name = escaped(est.model_.targets[column])
    ax.figure.colorbar(image, ax=ax, label=f"{name}, predicted" + ("" if y is None else "; points: data"))
    if y is not None:  # in the same colours: where they do not stand out the prediction is right
        some = some_rows(len(y))
        ax.scatter(*(as_shown(est.model_, k, rows[some, k]) for k in (0, 1)), c=y[some], s=np.clip(8000 / len(some), 6, 30), vmin=low, vmax=high, linewidths=0.4,
                   edgecolors=text_colour(ax))  # fmt: skip
    for k, scale in enumerate((ax.set_xscale, ax.set_yscale)):
        if is_logarithm(est.model_, k) and rows[:, k].min() > 0:
            scale("log")
    for k, axis in enumerate((ax.xaxis, ax.yaxis)):
        short_dates(est.model_, k, axis)
    names = input_names(est.model_)
    ax.set_xlabel(names[0])
    ax.set_ylabel(names[1])


def _grid(model: _core.Model, input: int, low: float, high: float, count: int) -> np.ndarray:
    """Points along an input: evenly, or evenly in its logarithm where the network sees that."""
    if low > 0 and is_logarithm(model, input):
        return np.geomspace(low, high, count)
    return np.linspace(low, high, count)
