#!/usr/bin/env python3
"""Writes the reference of the Python package, docs/python-api.md, from its docstrings.

    PYTHONPATH=build/python build/venv/bin/python scripts/python-api.py [FILE]
"""

import argparse
import inspect
import pathlib
import re

import rfnn
import rfnn.dask

PAGE = pathlib.Path(__file__).parents[1] / "docs" / "python-api.md"

#: Names by section, in reading order.
SECTIONS = {
    "Estimators": ["RFNNRegressor", "PaperRFNNRegressor"],
    "On a Dask cluster": ["dask.RFNNRegressor"],
    "Files": ["save", "load", "read_table"],
    "The work around a model": (
        "check Findings evaluate Evaluation cross_validate CrossValidation compare Comparison importance Importance tune Tuning diagnose Diagnosis"
    ).split(),
    "Plots": [f"plots.{name}" for name in ("plot_spectrum", "plot_convergence", "plot_prediction", "plot_trace")],
    "Data": [f"datasets.{name}" for name in ("multiscale", "stairstep", "sine", "tide", "shock")],
    "Watching a fit": ["Callback", "Progress"],
    "Options and versions": ["default_options", "show_versions"],
    "The network itself": ["Model"],
    "Errors and warnings": [
        *("Error", "UsageError", "InputError", "MissingFileError", "NumericalError", "dask.ClusterError"),
        *("RFNNWarning", "RangeWarning", "OutOfTimeWarning", "MeanOnlyWarning"),
    ],
}
#: What stands above a section.
INTRODUCTIONS = {"Plots": rfnn.plots, "Data": rfnn.datasets}
#: What a user calls, in reading order; what comes from scikit-learn is documented there, the plots below.
METHODS = {
    "RFNNRegressor": (
        "fit partial_fit predict predict_interval predict_quantiles sample_y predict_gradient hessian_product optimum "
        "sensitivity staged_predict rows_outside spectrum report export"
    ).split(),
    "dask.RFNNRegressor": "fit predict predict_interval predict_quantiles rows_outside staged_predict score".split(),
    "Callback": ["on_progress", "on_block"],
}


def plain(text):
    """Roles and double backquotes of docstrings as Markdown."""
    text = re.sub(r":(?:class|func|meth|data):`([^`]+)`", r"`\1`", text)
    return re.sub(r"(?<!`)``(?!`)", "`", text)  # three are a fence


def entries(lines):
    """Pairs of a heading at the left and the indented text below it."""
    found = []
    for line in lines:
        if line.strip() and not line.startswith(" "):
            found.append((line.strip(), []))
        elif found and line.strip():
            found[-1][1].append(line.strip())
    return [(head, " ".join(text)) for head, text in found]


def body(docstring):
    """A docstring in NumPy's layout as Markdown."""
    lines = (inspect.cleandoc(docstring) if docstring else "").splitlines()
    parts, heading, held = [], None, []

    def flush():
        if heading is None:
            parts.extend(["\n".join(held).strip(), ""])
        elif heading in ("Examples", "Notes"):
            text = "\n".join(held).strip()
            parts.extend([f"**{heading}**", "", f"```pycon\n{text}\n```" if ">>>" in text else text, ""])
        else:
            parts.extend([f"**{heading}**", ""])
            for head, text in entries(held):
                name, _, kind = head.partition(" : ")
                kind = f" *{kind}*" if kind else ""
                parts.append(f"- `{name}`{kind}" + (f": {text}" if text else ""))
            parts.append("")

    for number, line in enumerate(lines):
        after = lines[number + 1] if number + 1 < len(lines) else ""
        if line.strip() and re.fullmatch(r"-{3,}", after):
            flush()
            heading, held = line, []
        elif not re.fullmatch(r"-{3,}", line):
            held.append(line)
    flush()
    return plain("\n".join(parts)).strip()


def signature(thing, name):
    """How it is called, without types: they are below."""
    parameters = list(inspect.signature(thing).parameters.values())
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in parameters if p.name != "self"]
    return f"{name}{inspect.Signature(bare)}"


def is_native(thing):
    return getattr(thing, "__module__", "").endswith("_core")


def native_members(thing):
    """Attributes and methods of a class of the core, with what their bindings say."""
    lines = []
    for name, member in sorted(vars(thing).items()):
        if name.startswith("_"):
            continue
        text = (member.__doc__ or "").strip()
        kind = re.match(r"\(self\) -> (\S+)$", text, re.M)
        text = re.sub(r"^(def )?\w*\(.*\) -> .*$", "", text, flags=re.M)
        words = " ".join(text.split())
        call = "()" if callable(member) or isinstance(member, staticmethod) else ""
        lines.append(f"- `{name}{call}`" + (f" *{kind[1]}*" if kind else "") + (f": {words}" if words else ""))
    return lines


def described(full):
    thing = rfnn
    for piece in full.split("."):
        thing = getattr(thing, piece)
    out = [f"### rfnn.{full}", ""]
    if not inspect.isclass(thing):
        return [*out, f"```python\nrfnn.{signature(thing, full)}\n```", "", body(thing.__doc__), ""]
    if full.endswith("Regressor"):
        first = str(next(p for p in inspect.signature(thing).parameters.values()).replace(annotation=inspect.Parameter.empty))
        out += [f"```python\nrfnn.{full}(*, {first}, ...)\n```", ""]
    out += [body(thing.__doc__), ""]
    if is_native(thing):
        return [*out, *native_members(thing), ""]
    for name in METHODS.get(full, ()):
        method = getattr(thing, name)
        out += [f"#### {full}.{name}", "", f"```python\n{signature(method, name)}\n```", "", body(method.__doc__), ""]
    return out


def page():
    lines = [
        "# Python reference",
        "",
        "Written by [python-api.py](../scripts/python-api.py) from the docstrings. The [tutorial](python.md) shows how "
        "it is used.",
        "",
    ]
    for section, names in SECTIONS.items():
        lines += [f"## {section}", ""]
        if section in INTRODUCTIONS:
            lines += [body(INTRODUCTIONS[section].__doc__), ""]
        for name in names:
            lines += described(name)
    text = "\n".join(lines)
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=pathlib.Path, default=PAGE, help="to write (default: %(default)s)")
    parser.parse_args().file.write_text(page())
