"""Pictures of fitted estimators on matplotlib's axes.

Each function draws on ``ax``, or on a new figure's axes, and returns them. Colours come from the style in use; nothing
global is changed. The functions are methods of :class:`rfnn.RFNNRegressor` too.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _core, _data
from ._errors import UsageError

__all__ = ["plot_convergence", "plot_prediction", "plot_spectrum", "plot_trace"]

_MOST_LINES = 150  # drawn; the others are too small to be seen
_SMALLEST = 1e-3  # share of the largest amplitude that is still drawn
_NAMED = 1e-2  # share of the largest amplitude that is labelled
_SLOWEST = 0.01  # cycles over the range of the inputs; slower ones are a constant or a trend
_MOST_POINTS = 5000  # drawn of a table
_CURVE = 4000  # points of a curve
_MOST_CURVES, _LAW_POINTS = 6, 240  # inputs with a law of their own, points of each
_LEAST_SHARE = 1e-5  # of the largest share of a law, drawn
_CYCLES = 10  # over the range of an input, to which its law is drawn at least


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
    ax = _axes(ax)
    model = est.model_
    frequencies, amplitudes, place = _lines(model, input, output)
    if model.holds_rows:
        curves = _law_curves(model, input)
        _draw_law(ax, curves, place)
        if frequencies.size:
            _draw_lines_over(ax, frequencies, amplitudes, _amplitude_label(model, output))
        return ax
    if frequencies.size == 0:
        raise UsageError("The network has no waves over the inputs to show.", "Look at plot_prediction().")
    main, quiet = _colour(0), _text_colour(ax)
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
    ax.set_ylabel(_amplitude_label(model, output))
    _tidy(ax)
    return ax


def _law_curves(model: _core.Model, input: Any) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """Name, frequencies and ω·density of the law along an input; without one along those with the fastest waves, in
    cycles over their ranges."""
    seen = json.loads(_core.summary(model))["variables"]
    names = [name for name, used in zip(model.inputs, model.used_inputs) if used]
    ranges = np.array([column["max"] - column["min"] for column in seen]) / (2 * np.pi)
    if input is not None:
        places, units = [names.index(model.inputs[_place(input, model.inputs, "input")])], np.full(1, 1 / (2 * np.pi))
    elif len(seen) == 1:
        places, units = [0], np.full(1, 1 / (2 * np.pi))
    else:
        medians = np.array([_core.law_quantiles(model, k, [0.5])[0] for k in range(len(seen))]) * ranges
        places = [int(k) for k in np.argsort(-medians, kind="stable")[:_MOST_CURVES] if medians[k] > 0]
        units = ranges[places]
    curves = []
    for k, unit in zip(places, units):
        low, high = _core.law_quantiles(model, k, [0.02, 0.97])
        if not high > 0:
            continue
        high = max(high, _CYCLES / ranges[k])
        radians = np.geomspace(max(low, high / 1e4) / 1.5, high * 1.5, _LAW_POINTS)
        density = radians * np.array(_core.law_density(model, k, radians.tolist()))
        curves.append((_escaped(seen[k]["name"]), radians * unit, density))
    if not curves:
        raise UsageError("The network's closed form does not depend on it.", "Name another input.")
    return curves


def _draw_law(ax: Any, curves: list[tuple[str, np.ndarray, np.ndarray]], place: str) -> None:
    for number, (name, frequencies, density) in enumerate(curves):
        ax.plot(frequencies, density, color=_colour(number), linewidth=1.5, label=name)
    highest = max(density.max() for _, _, density in curves)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_ylim(_LEAST_SHARE * highest, 2 * highest)
    ax.set_xlabel(place)
    ax.set_ylabel("share of the variance per factor e of frequency")
    if len(curves) > 1:
        _legend(ax, loc="upper right")
    _tidy(ax)


def _draw_lines_over(ax: Any, frequencies: np.ndarray, amplitudes: np.ndarray, label: str) -> None:
    over = ax.twinx()
    over.vlines(frequencies, 0, amplitudes, colors=_text_colour(ax), alpha=0.6, linewidth=1)
    over.set_ylim(bottom=0)
    over.set_ylabel(label)
    over.spines["top"].set_visible(False)


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
    ax = _axes(ax)
    summary = json.loads(_core.summary(est.model_))
    members: dict[int, list[dict[str, Any]]] = {}
    for record in json.loads(est.model_.history()):
        members.setdefault(record["member"], []).append(record)
    several = len(members) > 1
    given_up = False
    for k, (which, words) in enumerate((("train_mse", "training rows"), ("validation_mse", "held-out rows"))):
        colour = _colour(k)
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
        ax.plot([], [], "o", color=_text_colour(ax), markersize=4, markerfacecolor="none", label="given up again")
    if tolerance := float(est.model_.options.get("tolerance")):
        ax.axhline(tolerance, color=_text_colour(ax), linewidth=1, linestyle=":", label="tolerance")
    ax.set_yscale("log")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_xlabel("blocks")
    ax.set_ylabel(f"mean squared error of {_targets(est.model_)}")
    ax.legend(frameon=False)
    _tidy(ax)
    return ax


def plot_prediction(
    est: Any, X: Any, y: Any = None, *, kind: str | None = None, output: int | str = 0, ax: Any = None
) -> Any:
    """Draws predictions: a curve over one input, else predicted against actual values.

    Parameters
    ----------
    est : RFNNRegressor
        Fitted.

    X : array-like of shape (n_samples, n_features)
        Rows to predict. A curve or map covers their range.

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
    inputs = est.n_features_in_
    kind = kind or ("curve" if inputs == 1 else "actual")
    needed = {"curve": 1, "map": 2, "actual": inputs}
    if kind not in needed:
        raise UsageError(f'There is no kind "{kind}".', 'Give "curve", "actual" or "map".')
    if needed[kind] != inputs:
        words = f"{inputs} input" + "s" * (inputs > 1)
        raise UsageError(f'A plot of kind "{kind}" is for {needed[kind]}, not for {words}.', 'Use kind="actual".')
    if kind == "actual" and y is None:
        raise UsageError("Predicted against actual values needs the actual ones.", "Give y.")
    column = _place(output, est.model_.targets, "output")
    rows = est._inputs(X)
    if y is not None:
        rows, y = _data.check_rows(est, X, y, "plot_prediction")
        y = y.reshape(len(y), -1)[:, column]
    ax = _axes(ax)
    {"curve": _curve, "actual": _actual, "map": _map}[kind](est, rows, y, column, ax)
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
    ax = _axes(ax)
    quiet = _text_colour(ax)
    start = 0
    for number, record in enumerate(records):
        steps = start + np.array(record["trace"]["iteration"])
        loss = np.array(record["trace"]["loss"], dtype=float)
        ax.plot(steps, loss, color=_colour(number % 2), linewidth=1)
        if number:
            ax.axvline(start, color=quiet, linewidth=0.5, alpha=0.4)
        ends = start + record["iterations"]
        ax.text((start + ends) / 2, 1.01, str(record["block"]), transform=ax.get_xaxis_transform(), ha="center",
                va="bottom", color=quiet, fontsize="small")  # fmt: skip
        start = ends
    ax.set_yscale("log")
    ax.set_xlim(0, start)
    ax.set_xlabel("iterations of the chain (blocks are numbered above)")
    ax.set_ylabel(f"mean squared error of {_targets(est.model_)}, training rows")
    _tidy(ax)
    return ax


def _curve(est: Any, rows: np.ndarray, y: np.ndarray | None, column: int, ax: Any) -> None:
    if y is not None:
        some = _some(len(y))
        size = np.clip(2000 / len(some), 4, 20)
        # Above the curve: a dense signal would hide them.
        ax.scatter(rows[some, 0], y[some], s=size, color=_text_colour(ax), alpha=0.6, linewidths=0, zorder=3,
                   label="data")  # fmt: skip
    grid = _grid(est.model_, 0, rows.min(), rows.max(), _CURVE)
    ax.plot(grid, _predicted(est, grid[:, None], column), color=_colour(0), linewidth=1.5, label="prediction")
    if _is_logarithm(est.model_, 0) and rows.min() > 0:
        ax.set_xscale("log")
    ax.set_xlabel(_inputs(est.model_)[0])
    ax.set_ylabel(_escaped(est.model_.targets[column]))
    if y is not None:  # above: a signal may fill the axes
        _legend(ax, loc="lower right", bbox_to_anchor=(1, 1), ncols=2)
    _tidy(ax)


def _actual(est: Any, rows: np.ndarray, y: np.ndarray, column: int, ax: Any) -> None:
    predicted = _predicted(est, rows, column)
    some = _some(len(y))
    size = np.clip(4000 / len(some), 4, 20)
    ax.scatter(y[some], predicted[some], s=size, color=_colour(0), alpha=0.5, linewidths=0, label=f"{len(y):,} rows")
    low, high = min(y.min(), predicted.min()), max(y.max(), predicted.max())
    margin = 0.04 * (high - low) or 1.0
    ends = [low - margin, high + margin]
    ax.plot(ends, ends, color=_text_colour(ax), linewidth=1, linestyle="--", label="predicted = actual")
    ax.set(aspect="equal", xlim=ends, ylim=ends)
    name = _escaped(est.model_.targets[column])
    ax.set_xlabel(f"{name}, actual")
    ax.set_ylabel(f"{name}, predicted")
    spread = np.sum((y - y.mean()) ** 2)
    title = f"R² = {1 - np.sum((y - predicted) ** 2) / spread:.4f}" if spread > 0 else None
    _legend(ax, title=title, loc="upper left", alignment="left")
    _tidy(ax)


def _map(est: Any, rows: np.ndarray, y: np.ndarray | None, column: int, ax: Any) -> None:
    u, v = (_grid(est.model_, k, rows[:, k].min(), rows[:, k].max(), 201) for k in (0, 1))
    values = _predicted(est, np.array(np.meshgrid(u, v)).reshape(2, -1).T, column).reshape(len(v), len(u))
    shown = [values] if y is None else [values, y]
    low, high = min(part.min() for part in shown), max(part.max() for part in shown)
    image = ax.pcolormesh(u, v, values, shading="nearest", rasterized=True, vmin=low, vmax=high)
    name = _escaped(est.model_.targets[column])
    ax.figure.colorbar(image, ax=ax, label=f"{name}, predicted" + ("" if y is None else "; points: data"))
    if y is not None:  # in the same colours: where they do not stand out the prediction is right
        some = _some(len(y))
        ax.scatter(*rows[some].T, c=y[some], s=np.clip(8000 / len(some), 6, 30), vmin=low, vmax=high, linewidths=0.4,
                   edgecolors=_text_colour(ax))  # fmt: skip
    for k, scale in enumerate((ax.set_xscale, ax.set_yscale)):
        if _is_logarithm(est.model_, k) and rows[:, k].min() > 0:
            scale("log")
    names = _inputs(est.model_)
    ax.set_xlabel(names[0])
    ax.set_ylabel(names[1])


def _grid(model: _core.Model, input: int, low: float, high: float, count: int) -> np.ndarray:
    """Points along an input: evenly, or evenly in its logarithm where the network sees that."""
    if low > 0 and _is_logarithm(model, input):
        return np.geomspace(low, high, count)
    return np.linspace(low, high, count)


def _is_logarithm(model: _core.Model, input: int) -> bool:
    used = np.flatnonzero(model.used_inputs)
    if input not in used:
        return False
    seen = json.loads(_core.summary(model))["variables"][int(np.searchsorted(used, input))]
    return seen["name"] != model.inputs[input]


def _lines(model: _core.Model, input: Any, output: Any) -> tuple[np.ndarray, np.ndarray, str]:
    """Frequencies with their amplitudes, largest first, and what the frequencies are."""
    summary = json.loads(_core.summary(model))
    names = [column["name"] for column in summary["inputs"] if column["used"]]
    seen = summary["variables"]  # the same inputs as the network sees them: log(x)
    ranges = np.array([column["max"] - column["min"] for column in seen])
    lines = _core.distinguishable_lines(model)
    cycles = np.array([line[4] for line in lines], dtype=float).reshape(len(lines), len(seen))
    sizes = np.array([line[5] for line in lines], dtype=float).reshape(len(lines), len(model.targets))
    amplitudes = np.linalg.norm(sizes, axis=1) if output is None else sizes[:, _place(output, model.targets, "output")]
    if len(seen) == 1 and input is None:
        input = names[0]
    if input is None:
        frequencies, words = np.linalg.norm(cycles * ranges, axis=1), "frequency, cycles over the range of the inputs"
        if logarithms := [_escaped(column["name"]) for column, name in zip(seen, names) if column["name"] != name]:
            words += f"\n({_shortened(logarithms)} where logarithms are taken)"
        slowest = _SLOWEST
    else:
        name = model.inputs[_place(input, model.inputs, "input")]
        if name not in names:
            raise UsageError(f'The input "{name}" was constant: there are no frequencies for it.', "Name another.")
        place = names.index(name)
        frequencies = np.abs(cycles[:, place])
        words = f"frequency, cycles per unit of {_escaped(seen[place]['name'])}"
        slowest = _SLOWEST / ranges[place]
    waves = frequencies > slowest
    frequencies, amplitudes = frequencies[waves], amplitudes[waves]
    order = np.argsort(-amplitudes, kind="stable")[:_MOST_LINES]
    order = order[amplitudes[order] >= _SMALLEST * amplitudes.max(initial=0)]
    order = order[amplitudes[order] > 0]
    return frequencies[order], amplitudes[order], words


def _shortened(names: list[str], most: int = 4) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


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


def _legend(ax: Any, **given: Any) -> None:
    for handle in ax.legend(frameon=False, **given).legend_handles:
        if hasattr(handle, "set_sizes"):  # points: as small as in the plot they would not be seen
            handle.set_sizes([20])


def _axes(ax: Any) -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("Plots need matplotlib, which is not installed: pip install matplotlib") from error
    return plt.subplots(layout="constrained")[1] if ax is None else ax


def _colour(number: int) -> Any:
    import matplotlib

    colours = matplotlib.rcParams["axes.prop_cycle"].by_key().get("color", ["C0"])
    return colours[number % len(colours)]


def _text_colour(ax: Any) -> Any:
    return ax.xaxis.label.get_color()  # of the style that these axes were made in


def _tidy(ax: Any) -> None:
    ax.spines[["top", "right"]].set_visible(False)


def _escaped(name: str) -> str:
    return name.replace("$", r"\$")  # a dollar would begin a formula


def _inputs(model: _core.Model) -> list[str]:
    return [_escaped(name) for name in model.inputs]


def _targets(model: _core.Model) -> str:
    names = model.targets
    return _escaped(names[0]) if len(names) == 1 else f"{len(names)} targets, mean"


def _amplitude_label(model: _core.Model, output: Any) -> str:
    if output is None and len(model.targets) > 1:
        return "amplitude, norm over the targets"
    return f"amplitude, in units of {_escaped(model.targets[_place(output or 0, model.targets, 'output')])}"


def _place(name: Any, names: list[str], what: str) -> int:
    if isinstance(name, str) and name in names:
        return names.index(name)
    if not isinstance(name, str) and -len(names) <= int(name) < len(names):
        return int(name) % len(names)
    shown = ", ".join(names[:10]) + ("…" if len(names) > 10 else "")
    raise UsageError(f"There is no {what} {name!r}.", f"Give a number from 0, or a name: {shown}.")


def _some(count: int) -> np.ndarray:
    return np.unique(np.linspace(0, count - 1, min(count, _MOST_POINTS)).astype(int))


def _predicted(est: Any, rows: np.ndarray, column: int) -> np.ndarray:
    values = est._predict(np.ascontiguousarray(rows, dtype=np.float64), None)
    return values if values.ndim == 1 else values[:, column]
