"""The option table of the library in Python's terms. It is read from the native core, never repeated here."""

from __future__ import annotations

import math
import numbers
import string
import textwrap
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from . import _core

#: Options that scikit-learn's users know by another name.
RENAMED = {"threads": "n_jobs", "seed": "random_state"}


@dataclass(frozen=True)
class Option:
    """One row of the table, with the defaults of both presets as Python values."""

    name: str
    group: str
    kind: str
    help: str
    values: str
    choices: tuple[str, ...]
    auto: Any
    paper: Any
    paper_only: bool

    @property
    def keyword_default(self) -> Any:
        """Default of the estimator's keyword: the value where it is the same in both presets, else None."""
        if self.name == "preset":
            return self.auto
        if self.paper_only or self.auto == self.paper:
            return self.paper
        return None


def from_text(kind: str, text: str) -> Any:
    """The Python value of an option's text form."""
    if kind == "choice" or text == "auto":
        return text
    if kind == "boolean":
        return text == "true"
    if kind.startswith("integer"):
        return int(text)
    if kind.startswith("numbers"):
        values = [float(piece) for piece in text.split(",")]
        return values[0] if len(values) == 1 else values
    return float(text)


def to_text(value: Any) -> str:
    """The text form of a Python value; the library says what is wrong with one that has none."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (bool, str)):
        return str(value).lower() if isinstance(value, bool) else value
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value)) if math.isfinite(value) else str(value)
    if isinstance(value, (list, tuple, np.ndarray)):
        return ",".join(to_text(piece) for piece in value)
    return str(value)


@cache
def table() -> dict[str, Option]:
    """Every option by name, in the order of the table."""
    rows = {}
    for row in _core.option_table():
        kind = row["kind"]
        rows[row["name"]] = Option(
            name=row["name"],
            group=row["group"],
            kind=kind,
            help=row["help"],
            values=row["values"],
            choices=tuple(row["choices"]),
            auto=from_text(kind, row["auto"]),
            paper=from_text(kind, row["paper"]),
            paper_only=row["paper_only"],
        )
    return rows


def default_options(preset: str = "auto") -> dict[str, Any]:
    """The options of a preset, ``"auto"`` or ``"paper"``, by name.

    Examples
    --------
    >>> import rfnn
    >>> rfnn.default_options("paper")["width"]
    6
    """
    options = _core.Options(preset)
    return {name: from_text(option.kind, options.get(name)) for name, option in table().items()}


def build(params: dict[str, Any]) -> tuple[_core.Options, list[str]]:
    """Options from keywords, and the names of those given that have no effect.

    The defaults follow from the preset; whatever is not None wins over them.
    """
    options = _core.Options(to_text(params.get("preset", "auto")))
    idle = []
    for name, option in table().items():
        value = params.get(name)
        if name == "preset" or name in RENAMED or value is None:
            continue
        if option.paper_only and _same(value, option.paper):
            continue
        options.set(name, to_text(value))
        if option.paper_only and options.get("preset") != "paper":
            idle.append(name)
    return options, idle


def keywords(options: _core.Options) -> dict[str, Any]:
    """The keywords that give these options: those that are not the default of their preset."""
    preset = options.get("preset")
    usual = _core.Options(preset)
    given = {"preset": preset}
    for name, option in table().items():
        if name not in RENAMED and name != "preset" and options.get(name) != usual.get(name):
            given[name] = from_text(option.kind, options.get(name))
    return given


def _same(value: Any, default: Any) -> bool:
    return type(value) in (bool, int, float, str) and value == default


def _shown(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _type_of(option: Option) -> str:
    types = {
        "integer": "int",
        "integer or auto": 'int or "auto"',
        "number": "float",
        "number or auto": 'float or "auto"',
        "numbers or auto": 'float, sequence of float or "auto"',
        "boolean": "bool",
    }
    return types.get(option.kind) or "{" + ", ".join(_shown(choice) for choice in option.choices) + "}"


def documentation() -> str:
    """The options as the section of a docstring; a test compares it with that of the estimator."""
    entries = []
    for option in table().values():
        if option.name in RENAMED:
            continue
        default = option.keyword_default
        text = option.help if option.help[0] not in string.ascii_lowercase else option.help[0].upper() + option.help[1:]
        text += ". Preset paper only." if option.paper_only else "."
        if default is None:
            text += f" None is {_shown(option.auto)}, with preset paper {_shown(option.paper)}."
        lines = textwrap.wrap(text, width=108, break_long_words=False, break_on_hyphens=False)
        entries.append("\n    ".join([f"{option.name} : {_type_of(option)}, default={_shown(default)}", *lines]))
    return "\n\n".join(entries) + "\n"
