"""The options as sections of docstrings: PaperRFNNRegressor's is made of them; tests compare RFNNRegressor's, which
editors read, with them."""

from __future__ import annotations

import string
import textwrap

from ._options import RENAMED, Option, chosen_by_paper, reading, shown, table

#: Where the table's help is for the command, or for the other preset: the words for Python.
_WORDS = {
    "preset": 'how a network is found: "auto", or "paper" for the published algorithm, which has a class of its own, '
    "PaperRFNNRegressor",
    "width": 'the most features a branch of a block may have; "auto" is no bound',
    "blocks": "the largest number of blocks; 0 is the mean alone",
    "members": 'networks trained on seeds of their own and averaged; "auto" is as many as pay',
    "branches": 'branches of later blocks: over inputs and state apart, or over both together; "auto" is what held-out '
    "rows prefer",
    "refine": "refine each block's frequencies by least squares",
    "delta": 'variance of the proposals, input branch; "auto" is 2.4²/inputs',
    "delta_state": 'variance of the proposals, state branch; "auto" is 2.4²/outputs',
    "ridge": 'λ, Tikhonov regularisation; of a sequence every block has its own, the last one serves all later blocks; '
    '"auto" is from the data',
    "subset_fraction": 'share of the rows in each random subset, with block_rows="subset"',
    "burn_in": "iterations before accepted frequencies enter the histograms, at most half of them all",
    "draws": "states of each chain to keep after the first burn_in iterations: error bars and samples of functions come from "
    "them; 0 is none",
    "tolerance": "stop as soon as the mean squared error on held-out rows (training rows, where there are none) is this "
    "small; 0 is never. An error to reach, not a change",
    "patience": "stop after so many blocks without gain and go back to the best; 0 is never",
    "validation_fraction": "share of the rows held out for validation; of fewer than 1000 each is held out once",
    "holdout_by": 'the input along which holdout="tail" and "gap" go, time: its name, or its number from 1; "auto" is the '
    "first",
    "missing": 'rows with missing cells (None, NaN, NA, NaT): refuse them, leave them out, or fill in the column\'s mean; '
    "a row to predict that is not filled in has the prediction NaN, with a warning",
    "missing_values": "words and numbers that mark a missing cell, beside an empty one, NA, NaN, null and ?; None is "
    "none",
    "categorical": "columns whose values are categories although they are numbers: names, or numbers from 1; None is "
    "none. Columns of text and of pandas' and polars' categories are categories by themselves",
    "unseen": "levels of a category that training has not seen: refuse them, or take the mean over those seen",
    "max_time": "seconds of wall clock that fit may take; 0 is no limit. What is found then depends on the machine",
    "memory": 'memory that fit may use, in bytes or as a text such as "2GB"; of arrays too large for it preset="paper" works '
    'from temporary files, "auto" draws rows. None is no limit',
}
_WORDS_OF_PAPER = {
    "width": "W, features per branch of a block",
    "blocks": "L, the number of blocks; 0 is the mean alone",
    "ridge": "λ, Tikhonov regularisation; of a sequence every block has its own, the last one serves all later blocks",
    "validation_fraction": "share of the rows held out for validation",
}
_TYPES = {
    "integer": "int",
    "integer or auto": 'int or "auto"',
    "input or auto": 'int, str or "auto"',
    "number": "float",
    "number or auto": 'float or "auto"',
    "numbers or auto": 'float, sequence of float or "auto"',
    "boolean": "bool",
    "size": "str or float",
    "texts": "str or list",
}


def _type_of(option: Option, paper: bool) -> str:
    if option.kind == "choice":
        return "{" + ", ".join(shown(choice) for choice in option.choices) + "}"
    chosen = paper and not option.paper_only and option.paper != "auto"  # what "auto" would stand for, the published algorithm does not choose
    return _TYPES[option.kind].replace(' or "auto"', "").replace("float, seq", "float or seq") if chosen else _TYPES[option.kind]


def _entry(option: Option, paper: bool) -> str:
    words = {**_WORDS, **(_WORDS_OF_PAPER if paper else {})}
    text = words.get(option.name, option.help)
    text = (text[0].upper() + text[1:] if text[0] in string.ascii_lowercase else text) + "."
    default = option.paper if paper else option.keyword_default
    if default is None and option.auto != option.paper:
        text += f' None is {shown(option.auto)}, with preset="paper" {shown(option.paper)}.'
    lines = textwrap.wrap(text, width=108, break_long_words=False, break_on_hyphens=False)
    return "\n    ".join([f"{option.name} : {_type_of(option, paper)}, default={shown(default)}", *lines])


def _is_keyword(option: Option) -> bool:
    return option.name not in RENAMED and (not option.reading or option.name in reading())


def options_of_auto() -> list[Option]:
    """The keywords of RFNNRegressor that are options."""
    return [row for name, row in table().items() if _is_keyword(row) and not row.paper_only]


def options_of_paper() -> list[Option]:
    """Those of PaperRFNNRegressor."""
    return [row for name, row in table().items() if _is_keyword(row) and name not in chosen_by_paper()]


def documentation(paper: bool = False) -> str:
    """The options of RFNNRegressor, or of PaperRFNNRegressor, as the section of a docstring."""
    options = options_of_paper() if paper else options_of_auto()
    return "\n\n".join(_entry(option, paper) for option in options) + "\n"


def parameters_of_paper(of_auto: str) -> str:
    """The parameters of PaperRFNNRegressor, indented as in a class: its options, and those below RFNNRegressor's options
    (whose docstring is given) that are none and mean the same here."""
    common = of_auto[of_auto.index("random_state :") : of_auto.index("**published")]
    return textwrap.indent(documentation(paper=True), "    ").lstrip() + "\n    " + common.strip()
