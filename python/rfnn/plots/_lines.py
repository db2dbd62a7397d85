"""The lines and laws of a network as numbers to draw."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from .. import _core
from .._errors import UsageError
from ._drawing import escaped, place_of, unit_of

_MOST_LINES = 150  # drawn; the others are too small to be seen
_SMALLEST = 1e-3  # share of the largest amplitude that is still drawn
_SLOWEST = 0.01  # cycles over the range of the inputs; slower ones are a constant or a trend
_MOST_CURVES, _LAW_POINTS = 6, 240  # inputs with a law of their own, points of each
_CYCLES = 10  # over the range of an input, to which its law is drawn at least


def lines_of(model: _core.Model, input: Any, output: Any) -> tuple[np.ndarray, np.ndarray, str]:
    """Frequencies with their amplitudes, largest first, and what the frequencies are."""
    summary = json.loads(_core.summary(model))
    names = [column["name"] for column in summary["inputs"] if column["used"]]
    seen = summary["variables"]  # the same inputs as the network sees them: log(x)
    ranges = np.array([column["max"] - column["min"] for column in seen])
    lines = _core.distinguishable_lines(model)
    cycles = np.array([line[4] for line in lines], dtype=float).reshape(len(lines), len(seen))
    sizes = np.array([line[5] for line in lines], dtype=float).reshape(len(lines), len(model.targets))
    amplitudes = np.linalg.norm(sizes, axis=1) if output is None else sizes[:, place_of(output, model.targets, "output")]
    if len(seen) == 1 and input is None:
        input = names[0]
    if input is None:
        frequencies, words = np.linalg.norm(cycles * ranges, axis=1), "frequency, cycles over the range of the inputs"
        if logarithms := [escaped(column["name"]) for column, name in zip(seen, names) if column["name"] != name]:
            words += f"\n({_shortened(logarithms)} where logarithms are taken)"
        slowest = _SLOWEST
    else:
        name = model.inputs[place_of(input, model.inputs, "input")]
        if name not in names:
            raise UsageError(f'The input "{name}" was constant: there are no frequencies for it.', "Name another.")
        place = names.index(name)
        frequencies = np.abs(cycles[:, place])
        logarithm = seen[place]["name"] != name
        unit = f"unit of {escaped(seen[place]['name'])}" if logarithm else unit_of(model, model.inputs.index(name))
        words = f"frequency, cycles per {unit}"
        slowest = _SLOWEST / ranges[place]
    waves = frequencies > slowest
    frequencies, amplitudes = frequencies[waves], amplitudes[waves]
    order = np.argsort(-amplitudes, kind="stable")[:_MOST_LINES]
    order = order[amplitudes[order] >= _SMALLEST * amplitudes.max(initial=0)]
    order = order[amplitudes[order] > 0]
    return frequencies[order], amplitudes[order], words


def law_curves(model: _core.Model, input: Any) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """Name, frequencies and ω·density of the law along an input; without one along those with the fastest waves, in
    cycles over their ranges."""
    seen = json.loads(_core.summary(model))["variables"]
    names = [name for name, used in zip(model.inputs, model.used_inputs) if used]
    ranges = np.array([column["max"] - column["min"] for column in seen]) / (2 * np.pi)
    if input is not None:
        places, units = [names.index(model.inputs[place_of(input, model.inputs, "input")])], np.full(1, 1 / (2 * np.pi))
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
        curves.append((escaped(seen[k]["name"]), radians * unit, density))
    if not curves:
        raise UsageError("The network's closed form does not depend on it.", "Name another input.")
    return curves


def _shortened(names: list[str], most: int = 4) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
