"""The option table of the library in Python's terms. It is read from the native core, never repeated here."""

from __future__ import annotations

import contextlib
import math
import numbers
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from . import _core
from ._errors import Error, UsageError

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
    reading: bool

    @property
    def keyword_default(self) -> Any:
        """Default of the estimator's keyword: the value where it is the same in both presets, else None."""
        if self.name == "preset":
            return self.auto
        if self.paper_only or self.auto == self.paper:
            return self.paper
        return None

    @property
    def allowed(self) -> str:
        """What may be given, in words."""
        if self.kind == "boolean":
            return "True or False"
        if self.kind == "size":
            return 'a number of bytes, a text such as "2GB", or None'
        if self.kind == "texts":
            return "a text, or a list of them"
        if self.kind == "choice":
            words = [shown(choice) for choice in self.choices]
            return ", ".join(words[:-1]) + " or " + words[-1]
        text = self.values.replace(", several separated by commas", ", a list of such numbers")
        return text.replace("or auto", 'or "auto"')


def from_text(kind: str, text: str) -> Any:
    """The Python value of an option's text form."""
    if kind in ("choice", "size", "text", "texts") or text == "auto":
        return None if kind in ("size", "texts") and text in ("none", "all") else text
    if kind == "boolean":
        return text == "true"
    if kind.startswith(("integer", "input")):
        return int(text)
    if kind.startswith("numbers"):
        values = [float(piece) for piece in text.split(",")]
        return values[0] if len(values) == 1 else values
    return float(text)


def to_text(value: Any) -> str:
    """The text form of a value of a kind that an option may have."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value)) if math.isfinite(value) else str(float(value))
    return ",".join(_in_list(piece) for piece in value)


def _in_list(value: Any) -> str:
    """A number, or a name as it stands in a list of names."""
    return '"' + value.replace('"', '""') + '"' if isinstance(value, str) and value != "auto" else to_text(value)


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
            reading=row["reading"],
        )
    return rows


@cache
def published() -> dict[str, Option]:
    """The options that only the published algorithm has."""
    return {name: option for name, option in table().items() if option.paper_only}


@cache
def reading() -> tuple[str, ...]:
    """The options for reading tables that are keywords of the estimators: the others are about files of text."""
    return "missing", "missing_values", "categorical", "unseen"


@cache
def chosen_by_paper() -> tuple[str, ...]:
    """Options that leave the published algorithm no choice, so that its class has no keyword for them."""
    return "preset", "members", "branches", "refine"


def default_options(preset: str = "auto") -> dict[str, Any]:
    """The options of a preset, ``"auto"`` or ``"paper"``, by name.

    Examples
    --------
    >>> import rfnn
    >>> rfnn.default_options("paper")["width"]
    6
    """
    check("preset", preset)
    options = _core.Options(preset)
    return {name: from_text(option.kind, options.get(name)) for name, option in table().items()}


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


def _has_kind(option: Option, value: Any) -> bool:
    """Is a value of the kind that the table gives the option? Whole numbers may be floats, as in ``1e6``."""
    if option.kind == "choice":
        return isinstance(value, str) and value in option.choices
    if option.kind == "boolean":
        return isinstance(value, (bool, np.bool_))
    if option.kind == "text":
        return isinstance(value, str)
    if option.kind == "size":
        return isinstance(value, str) or _is_number(value)
    if option.kind == "texts":
        listed = isinstance(value, (list, tuple, np.ndarray))
        return isinstance(value, str) or _is_number(value) or listed and all(isinstance(piece, str) or _is_number(piece) for piece in value)
    if option.kind.endswith("auto") and isinstance(value, str):
        return value == "auto" or option.kind.startswith("input")
    if option.kind.startswith(("integer", "input")):
        return isinstance(value, numbers.Integral) and _is_number(value) or (_is_number(value) and value % 1 == 0)
    if option.kind.startswith("numbers") and isinstance(value, (list, tuple, np.ndarray)):
        return np.ndim(value) == 1 and len(value) > 0 and all(_is_number(piece) for piece in value)
    return _is_number(value)


def refused(name: str, value: Any, allowed: str, more: str = "") -> UsageError:
    """The error for a keyword that cannot be what it is."""
    text = repr(value)
    return UsageError(f"{name} cannot be {text if len(text) <= 80 else text[:79] + '…'}.", f"Give {allowed}{more}.")


def check(name: str, value: Any) -> None:
    """Refuses a value that is not of its option's kind."""
    option = table()[name]
    if not _has_kind(option, value):
        raise refused(name, value, option.allowed)


def build(params: dict[str, Any]) -> tuple[_core.Options, list[str]]:
    """Options from keywords, and the names of those given that have no effect.

    The defaults follow from the preset; whatever is not None wins over them.
    """
    preset = params.get("preset", "auto")
    check("preset", preset)
    options = _core.Options(preset)
    idle = []
    for name, option in table().items():
        value = params.get(name)
        if name == "preset" or name in RENAMED or value is None:
            continue
        check(name, value)
        if option.paper_only and _same(value, option.paper):
            continue
        if option.kind.startswith("input") and isinstance(value, str):
            continue  # a name: set_input, once the columns are known
        try:
            options.set(name, to_text(value))
        except UsageError:
            raise refused(name, value, option.allowed) from None
        if option.paper_only and preset != "paper":
            idle.append(name)
    return options, idle


def set_input(options: _core.Options, name: str, value: Any, inputs: list[str]) -> None:
    """Sets an option that says which input, where it was given by name: to the number of that input."""
    if not isinstance(value, str) or value == "auto":
        return
    if value not in inputs:
        there = ", ".join(map(repr, inputs[:12])) + (", …" if len(inputs) > 12 else "")
        raise UsageError(f"{name} names {value!r}, which is no input.", f"Give one of {there}, or the input's number.")
    options.set(name, str(inputs.index(value) + 1))


def keywords(options: _core.Options) -> dict[str, Any]:
    """The keywords that give these options: those that are not the default of their preset."""
    preset = options.get("preset")
    usual = _core.Options(preset)
    given = {"preset": preset}
    for name, option in table().items():
        if name in RENAMED or name == "preset" or (option.reading and name not in reading()):
            continue
        if options.get(name) != usual.get(name):
            given[name] = from_text(option.kind, options.get(name))
    return given


def unknown(name: str, known: Iterable[str]) -> TypeError:
    """The error for a keyword that there is not, with the nearest one there is."""
    import difflib

    near = difflib.get_close_matches(name, list(known), n=1)
    return TypeError(f"there is no keyword argument {name!r}" + (f". Did you mean {near[0]!r}?" if near else ""))


#: What the core says in the command's words, in Python's.
_PHRASES = {
    "`rfnn cv`": "rfnn.cross_validate",
    "name another --target": "give another y",
    "Give --memory, or": "Give memory, or",
    "goes to --missing-values": "goes to missing_values",
    "table['": "X['",
    "table[['": "X[['",
    "']], target)": "']], y)",
    "choose --missing drop or --missing mean": 'choose missing="drop" or missing="mean"',
    "with --missing drop": 'with missing="drop"',
    "with --missing mean": 'with missing="mean"',
    "--unseen mean": 'unseen="mean"',
    "Give width a number": "Give width=6, say",
    " (the published one is 6)": "",
    "Give ridge a number": "Give ridge=1e-4, say",
    " (the published one is 1e-4)": "",
    "Give members 1": "Give members=1",
    "Give branches input,state": 'Give branches="input,state"',
    "Give refine false": "Give refine=False",
    "use preset auto": 'use preset="auto"',
    "set block-rows to same or subset": 'set block_rows to "same" or "subset"',
    "Consider standardise-outputs.": "Consider standardise_outputs=True.",
    "without validation-fraction 0": "without validation_fraction=0",
    "without --from": "without warm_start or partial_fit",
    "leave out blocks 0": "leave out blocks=0",
    "Preset paper learns": "PaperRFNNRegressor learns",
    "with draws 100, say, or with preset auto": "with draws=100, say, or with RFNNRegressor",
    "(option draws)": "(draws=)",
    "not seen by --valid": "not seen as eval_set",
    "the data given has changed since": "The data have changed since",
    "the folder that `rfnn fit --run-dir` wrote": "the folder of a fit with run_dir",
}


@cache
def _flags() -> re.Pattern[str]:
    flags = [name.replace("_", "-") for name in table() if "_" in name]
    return re.compile(rf"(?<![\w-])(?:--)?({'|'.join(flags)})(?![\w-])")


def in_python(text: str) -> str:
    """A sentence of the core with the names that things have in Python."""
    for phrase, words in _PHRASES.items():
        text = text.replace(phrase, words)
    for pattern, words in _SENTENCES:
        text = re.sub(pattern, words, text)
    return _flags().sub(lambda found: found[1].replace("-", "_"), text)


#: The same where a name of the table stands in the middle.
_SENTENCES = [
    (r"an input is left out of training with --ignore .*\.$", "an input may be left out."),
    (r" \(`rfnn check` counts them\)", ""),
    (r"([Ll])eave it out with --ignore ('[^']*'|\S+?)(?=[.,]|$)", r"\1eave it out"),
    (r"([Ll])eave the column out with --ignore\b", r"\1eave the column out"),
    (r"leave columns out with --ignore", "leave columns out"),
    (r"; --ignore ('[^']*'|\S+) says so", ""),
    (r" --ignore ('[^']*'|\S+) leaves the column out\.", ""),
    (r"--missing-values=(\S+)", r"missing_values=\1"),
    (r"--missing (drop|mean|error)\b", r'missing="\1"'),
    (r"--categorical '([^']*)'(?=[.,;]|$)", r'categorical=["\1"]'),
    (r"--categorical (\S+?)(?=[.,;]|$)", r'categorical=["\1"]'),
    (r"give --categorical with its name", "name it in categorical"),
    (r"--(folds|repeat|group|time)s? (\d+)\b", r"\1s=\2"),
]


@contextlib.contextmanager
def in_words_of_python() -> Iterator[None]:
    """Errors of the core come out in Python's names."""
    try:
        yield
    except Error as error:
        raise translated(error) from None


def translated(error: Error) -> Error:
    """The same error in Python's names."""
    return type(error)(in_python(error.cause), in_python(error.cure))


def _same(value: Any, default: Any) -> bool:
    return type(value) in (bool, int, float, str) and value == default


def shown(value: Any) -> str:
    """As one writes it in a program."""
    return f'"{value}"' if isinstance(value, str) else repr(value)
