"""How a network came about: errors from block to block, losses along a chain."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import _core
from .._errors import UsageError
from ._drawing import axes_or_new, style_colour, target_words, text_colour, tidy



def plot_convergence(est: Any, *, ax: Any = None) -> Any:
    """Draws the mean squared error after every block, block 0 being the mean alone.

    Training rows and, where there are some, held-out rows. Members have a line each; the error of their average is a
    line across. Blocks that were given up again are open circles.

    Parameters
    ----------
    est : RFNNRegressor
        Fitted.

    ax : matplotlib.axes.Axes, default=None

    Returns
    -------
    ax : matplotlib.axes.Axes
    """
    check_is_fitted(est)
    ax = axes_or_new(ax)
    summary = json.loads(_core.summary(est.model_))
    members: dict[int, list[dict[str, Any]]] = {}
    for record in json.loads(est.model_.history()):
        members.setdefault(record["member"], []).append(record)
    several = len(members) > 1
    given_up = False
    for k, (which, words) in enumerate((("train_mse", "training rows"), ("validation_mse", "held-out rows"))):
        colour = style_colour(k)
        start = summary["empty_" + which]
        if start is None and summary[which] is None:
            continue
        label = words + (", each member" if several else "")
        for records in members.values() or [[]]:
            course = [(0, start, True)] + [(r["block"], r[which], r["kept"]) for r in records]
            course = [(block, error, kept) for block, error, kept in course if error is not None and error > 0]
            if not course:
                continue
            faded = 0.45 if several else 1.0
            kept = [(block, error) for block, error, stays in course if stays]
            ax.plot(*zip(*kept), "o-", color=colour, alpha=faded, markersize=4, label=label)
            gone = [(block, error) for block, error, stays in course if not stays]
            if gone:
                given_up = True
                ax.plot(*zip(*([kept[-1]] if kept else []), *gone), ":", color=colour, alpha=faded)
                ax.plot(*zip(*gone), "o", color=colour, markersize=4, alpha=faded, markerfacecolor="none")
            label = None
        if several and (final := summary[which]):
            ax.axhline(final, color=colour, linewidth=1.5, linestyle="--", label=f"{words}, average of the members")
    if given_up:
        ax.plot([], [], "o", color=text_colour(ax), markersize=4, markerfacecolor="none", label="given up again")
    if tolerance := float(est.model_.options.get("tolerance")):
        ax.axhline(tolerance, color=text_colour(ax), linewidth=1, linestyle=":", label="tolerance")
    ax.set_yscale("log")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_xlabel("blocks")
    ax.set_ylabel(f"mean squared error of {target_words(est.model_)}")
    ax.legend(frameon=False)
    tidy(ax)
    return ax


def plot_trace(est: Any, *, ax: Any = None) -> Any:
    """Draws the loss along the Markov chain, block after block.

    Only preset ``"paper"`` has a chain. What preset ``"auto"`` does from block to block is in
    :func:`plot_convergence`.

    Parameters
    ----------
    est : RFNNRegressor
        Fitted with ``preset="paper"``.

    ax : matplotlib.axes.Axes, default=None

    Returns
    -------
    ax : matplotlib.axes.Axes
    """
    check_is_fitted(est)
    records = [record for record in json.loads(est.model_.history()) if record["trace"]["iteration"]]
    if not records:
        raise UsageError(
            "This network was not found by a Markov chain, so there is no trace.",
            'Fit with preset="paper", or look at plot_convergence().',
        )
    ax = axes_or_new(ax)
    quiet = text_colour(ax)
    start = 0
    for number, record in enumerate(records):
        steps = start + np.array(record["trace"]["iteration"])
        loss = np.array(record["trace"]["loss"], dtype=float)
        ax.plot(steps, loss, color=style_colour(number % 2), linewidth=1)
        if number:
            ax.axvline(start, color=quiet, linewidth=0.5, alpha=0.4)
        ends = start + record["iterations"]
        ax.text((start + ends) / 2, 1.01, str(record["block"]), transform=ax.get_xaxis_transform(), ha="center",
                va="bottom", color=quiet, fontsize="small")  # fmt: skip
        start = ends
    ax.set_yscale("log")
    ax.set_xlim(0, start)
    ax.set_xlabel("iterations of the chain (blocks are numbered above)")
    ax.set_ylabel(f"mean squared error of {target_words(est.model_)}, training rows")
    tidy(ax)
    return ax
