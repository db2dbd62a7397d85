"""What all pictures share: axes, colours, names, and inputs as they are shown."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from .. import _core
from .._errors import UsageError

_MOST_POINTS = 5000  # drawn of a table


def legend(ax: Any, **given: Any) -> None:
    for handle in ax.legend(frameon=False, **given).legend_handles:
        if hasattr(handle, "set_sizes"):  # points: as small as in the plot they would not be seen
            handle.set_sizes([20])


def axes_or_new(ax: Any) -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("Plots need matplotlib, which is not installed: pip install matplotlib") from error
    return plt.subplots(layout="constrained")[1] if ax is None else ax


def style_colour(number: int) -> Any:
    import matplotlib

    colours = matplotlib.rcParams["axes.prop_cycle"].by_key().get("color", ["C0"])
    return colours[number % len(colours)]


def text_colour(ax: Any) -> Any:
    return ax.xaxis.label.get_color()  # of the style that these axes were made in


def tidy(ax: Any) -> None:
    ax.spines[["top", "right"]].set_visible(False)


def escaped(name: str) -> str:
    return name.replace("$", r"\$")  # a dollar would begin a formula


def input_names(model: _core.Model) -> list[str]:
    return [escaped(name) for name in model.inputs]


def target_words(model: _core.Model) -> str:
    names = model.targets
    return escaped(names[0]) if len(names) == 1 else f"{len(names)} targets, mean"


def amplitude_label(model: _core.Model, output: Any) -> str:
    if output is None and len(model.targets) > 1:
        return "amplitude, norm over the targets"
    return f"amplitude, in units of {escaped(model.targets[place_of(output or 0, model.targets, 'output')])}"


def place_of(name: Any, names: list[str], what: str) -> int:
    if isinstance(name, str) and name in names:
        return names.index(name)
    if not isinstance(name, str) and -len(names) <= int(name) < len(names):
        return int(name) % len(names)
    shown = ", ".join(names[:10]) + ("…" if len(names) > 10 else "")
    raise UsageError(f"There is no {what} {name!r}.", f"Give a number from 0, or a name: {shown}.")


def some_rows(count: int) -> np.ndarray:
    return np.unique(np.linspace(0, count - 1, min(count, _MOST_POINTS)).astype(int))


def predicted_of(est: Any, rows: np.ndarray, column: int) -> np.ndarray:
    values = est._predict(np.ascontiguousarray(rows, dtype=np.float64), np.empty(0, dtype=int), None)
    return values if values.ndim == 1 else values[:, column]


def is_logarithm(model: _core.Model, input: int) -> bool:
    used = np.flatnonzero(model.used_inputs)
    if input not in used:
        return False
    seen = json.loads(_core.summary(model))["variables"][int(np.searchsorted(used, input))]
    return seen["name"] != model.inputs[input]


def column_of(model: _core.Model, input: int) -> dict[str, Any]:
    """What the column holds that an input comes from, as model files have it."""
    for column in json.loads(_core.columns_json(model))["inputs"]:
        input -= len(column.get("levels", [None])) + bool(column["indicator"])
        if input < 0:
            return column
    raise IndexError(input)


def as_shown(model: _core.Model, input: int, values: np.ndarray) -> np.ndarray:
    """Values of an input as an axis shows them: days since a date as dates."""
    column = column_of(model, input)
    if column["kind"] != "time" or column["form"] == "time of day":
        return values
    return np.datetime64(column["origin"], "us") + np.round(values * 86400e6).astype("m8[us]")


def short_dates(model: _core.Model, input: int, axis: Any) -> None:
    """Labels of an axis of dates that do not run into each other."""
    column = column_of(model, input)
    if column["kind"] == "time" and column["form"] != "time of day":
        from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

        locator = AutoDateLocator()
        axis.set_major_locator(locator)
        axis.set_major_formatter(ConciseDateFormatter(locator))


def unit_of(model: _core.Model, input: int) -> str:
    """What frequencies of an input are counted per."""
    column, name = column_of(model, input), model.inputs[input]
    return f"day of {escaped(name)}" if column["kind"] == "time" and column["name"] == name else f"unit of {escaped(name)}"
