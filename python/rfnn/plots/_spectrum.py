"""The learnt frequencies as a picture."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._errors import UsageError
from ._drawing import amplitude_label, axes_or_new, legend, style_colour, text_colour, tidy
from ._lines import law_curves, lines_of

_NAMED = 1e-2  # share of the largest amplitude that is labelled
_LEAST_SHARE = 1e-5  # of the largest share of a law, drawn


def plot_spectrum(
    est: Any, *, input: int | str | None = None, output: int | str | None = None, labels: int = 5, ax: Any = None
) -> Any:
    """Draws the learnt frequencies as lines: amplitude over cycles per unit of the input.

    Where the network holds a closed form, whose infinitely many frequencies are a law (``laws_``), the law is drawn as
    a density: the share of its variance per factor e of frequency, on logarithmic axes. Lines of other blocks stand
    over it with an axis of their own.

    Lines that the data cannot tell apart (less than a radian over the range of the inputs) are drawn as one, those of
    different members too. The constant, trends (slower than a hundredth of a cycle over the data), lines below a
    thousandth of the largest and branches that are not over the inputs alone are left out. Axes are logarithmic where
    the lines span much. Where the network sees the logarithm of an input, frequencies are per unit of the natural
    logarithm, and the axis says so.

    Parameters
    ----------
    est : RFNNRegressor
        Fitted.

    input : int or str, default=None
        With several inputs: the one whose component of the frequency is shown. None shows the length of the frequency,
        in cycles over the range of the inputs; of a law, a curve for each of the inputs with the fastest waves.

    output : int or str, default=None
        With several targets: the one whose amplitudes are shown. None shows the norm over all.

    labels : int, default=5
        How many of the largest lines are labelled with their frequency.

    ax : matplotlib.axes.Axes, default=None

    Returns
    -------
    ax : matplotlib.axes.Axes
    """
    check_is_fitted(est)
    ax = axes_or_new(ax)
    model = est.model_
    frequencies, amplitudes, place = lines_of(model, input, output)
    if model.holds_rows:
        curves = law_curves(model, input)
        _draw_law(ax, curves, place)
        if frequencies.size:
            _draw_lines_over(ax, frequencies, amplitudes, amplitude_label(model, output))
        return ax
    if frequencies.size == 0:
        raise UsageError("The network has no waves over the inputs to show.", "Look at plot_prediction().")
    main, quiet = style_colour(0), text_colour(ax)
    log_x = frequencies.max() > 30 * frequencies.min()
    if log_x:
        ax.set_xscale("log")
    named = _named(frequencies, amplitudes, labels, log_x)
    log_y = bool(named) and amplitudes[named].min() < amplitudes[0] / 15
    if log_y:
        ax.set_yscale("log")
        floor = amplitudes.min() / 2
        ax.set_ylim(floor, amplitudes[0] * 4)
    else:
        floor = 0.0
        ax.set_ylim(0, amplitudes[0] * 1.18)
    rest = [i for i in range(len(frequencies)) if i not in named]
    ax.vlines(frequencies[rest], floor, amplitudes[rest], colors=main, alpha=0.45, linewidth=1)
    ax.vlines(frequencies[named], floor, amplitudes[named], colors=main, linewidth=2)
    ax.plot(frequencies[named], amplitudes[named], "o", color=main, markersize=5)
    if not log_x:
        ax.set_xlim(0, frequencies.max() * 1.08)
    else:
        ax.set_xlim(frequencies.min() / 1.5, frequencies.max() * 1.5)
    _label_lines(ax, [(frequencies[i], amplitudes[i]) for i in named], quiet)
    ax.set_xlabel(place)
    ax.set_ylabel(amplitude_label(model, output))
    tidy(ax)
    return ax


def _draw_law(ax: Any, curves: list[tuple[str, np.ndarray, np.ndarray]], place: str) -> None:
    for number, (name, frequencies, density) in enumerate(curves):
        ax.plot(frequencies, density, color=style_colour(number), linewidth=1.5, label=name)
    highest = max(density.max() for _, _, density in curves)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_ylim(_LEAST_SHARE * highest, 2 * highest)
    ax.set_xlabel(place)
    ax.set_ylabel("share of the variance per factor e of frequency")
    if len(curves) > 1:
        legend(ax, loc="upper right")
    tidy(ax)


def _draw_lines_over(ax: Any, frequencies: np.ndarray, amplitudes: np.ndarray, label: str) -> None:
    over = ax.twinx()
    over.vlines(frequencies, 0, amplitudes, colors=text_colour(ax), alpha=0.6, linewidth=1)
    over.set_ylim(bottom=0)
    over.set_ylabel(label)
    over.spines["top"].set_visible(False)


def _named(frequencies: np.ndarray, amplitudes: np.ndarray, most: int, log: bool) -> list[int]:
    """The largest lines that deserve a label: not dwarfed by the largest, and not on top of a larger one."""
    places = np.log(frequencies) if log else frequencies
    near = 0.004 * np.ptp(places)
    chosen: list[int] = []
    for i, place in enumerate(places):
        if len(chosen) < most and amplitudes[i] >= _NAMED * amplitudes[0]:
            if all(abs(place - places[j]) > near for j in chosen):
                chosen.append(i)
    return chosen


def _label_lines(ax: Any, lines: list[tuple[float, float]], colour: Any) -> None:
    """Writes each line's frequency above its head, or beside it where another label or line is in the way."""
    from matplotlib.font_manager import FontProperties

    size = FontProperties(size="small").get_size_in_points()
    pixels = ax.figure.dpi / 72
    heads = [ax.transData.transform(line) for line in lines]
    taken: list[tuple[float, float, float, float]] = []
    for (frequency, amplitude), (x, y) in zip(lines, heads):
        text = f"{frequency:#.4g}".rstrip(".")
        width, height = 0.62 * size * len(text) * pixels, 1.2 * size * pixels
        gap = 5 * pixels
        above = ("center", x - width / 2, y + gap, (0, 5))
        before, behind = ("right", x - width - gap, y - height / 2, (-5, 0)), ("left", x + gap, y - height / 2, (5, 0))
        others = sorted((abs(hx - x), hx > x) for hx, _ in heads if hx != x)
        away = [before, behind] if not others or others[0][1] else [behind, before]  # from the nearest line
        for align, left, bottom, offset in (above, *away, (*above[:2], y + gap + height, (0, 5 + 1.2 * size))):
            box = (left, bottom, left + width, bottom + height)
            hit = any(box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in taken)
            crossed = any(box[0] < hx < box[2] and hy > box[1] for hx, hy in heads if (hx, hy) != (x, y))
            if not hit and not crossed:
                break
        else:
            continue
        taken.append(box)
        ax.annotate(text, (frequency, amplitude), xytext=offset, textcoords="offset points", ha=align,
                    va="bottom" if align == "center" else "center", color=colour, fontsize="small")  # fmt: skip
