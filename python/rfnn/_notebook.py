"""A fitted estimator as a card in notebooks: one piece of HTML without scripts, fonts or links.

It takes text colour and background from the page around it, so that it fits light and dark notebooks alike.
"""

from __future__ import annotations

import html
import json
import math
from typing import Any

from . import _core
from .plots._lines import law_curves, lines_of

_STYLE = """<style>
.rfnn-card{max-width:640px;border:1px solid rgba(128,128,128,.4);border-radius:8px;padding:12px 16px;
font:14px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;color:inherit;overflow-wrap:anywhere}
.rfnn-card p{margin:4px 0}.rfnn-card b{font-size:15px}.rfnn-quiet{opacity:.72}
.rfnn-card .rfnn-row{display:flex;flex-wrap:wrap;gap:8px 24px;align-items:flex-end;margin:8px 0}
.rfnn-card table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:13px;border:0;margin:0}
.rfnn-card th,.rfnn-card td{padding:2px 10px 2px 0;text-align:left;border:0;background:none;color:inherit}
.rfnn-card td+td{text-align:right}.rfnn-card th+th{text-align:right;font-weight:400;opacity:.72}
.rfnn-card svg{display:block;max-width:100%;height:auto}.rfnn-card svg text{font-size:11px;fill:currentColor}
.rfnn-card code{font-size:12.5px;background:rgba(128,128,128,.14);border-radius:4px;padding:0 4px;color:inherit}
.rfnn-card summary{cursor:pointer}.rfnn-card details{margin:6px 0}
</style>"""

_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 300, 116, 8, 18, 22
_LINE, _SECOND = "#3987d6", "#d9822b"  # readable on white and on black
_MOST_NAMES, _MOST_WARNINGS, _LONGEST = 4, 3, 40


def card(est: Any) -> str:
    """The card of a fitted estimator."""
    model = est.model_
    summary = json.loads(_core.summary(model))
    parts = [
        f"<p><b>{html.escape(type(est).__name__)}</b> <span class=rfnn-quiet>fitted, preset "
        f"{html.escape(model.options.get('preset'))}</span></p>",
        f"<p>{_listed([column['name'] for column in est.columns_])} → {_listed(model.targets)}</p>",
        f"<p class=rfnn-quiet>{_size(model)}</p>",
        f"<div class=rfnn-row>{_errors(summary)}{_picture(est, model, summary)}</div>",
        f"<p>Training ended: {_text(model.stop_text)}.</p>",
        *(f"<p>⚠ {_text(warning, 300)}</p>" for warning in model.warnings[:_MOST_WARNINGS]),
        _parameters(est),
        "<p class=rfnn-quiet>Go on with <code>.predict(X)</code> <code>.plot_spectrum()</code> "
        '<code>.plot_convergence()</code> <code>.report("page.html")</code> '
        '<code>rfnn.save(model, "model.rfnn")</code></p>',
    ]
    return f"{_STYLE}<div class=rfnn-card>{''.join(part for part in parts if part)}</div>"


def _text(text: str, longest: int = _LONGEST) -> str:
    return html.escape(text if len(text) <= longest else text[: longest - 1] + "…")


def _listed(names: list[str]) -> str:
    shown = ", ".join(f"<b>{_text(name)}</b>" for name in names[:_MOST_NAMES]) or "no input"
    return shown + (f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else "")


def _counted(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def _size(model: _core.Model) -> str:
    words = [_counted(model.train_rows + model.validation_rows, "row"), _counted(model.blocks, "block")]
    if model.members > 1:
        words.append(f"average of {_counted(model.members, 'member')}")
    return " · ".join([*words, f"{model.seconds:.2g} s" if model.seconds < 100 else f"{model.seconds:.0f} s"])


def _errors(summary: dict[str, Any]) -> str:
    rows = []
    held_out = {"held-out": "held out"}.get(summary["judge"], summary["judge"])
    for which, words in (("train", "training"), ("validation", held_out)):
        error, start = summary[which + "_mse"], summary[f"empty_{which}_mse"]
        if error is None:
            continue
        share = f"{1 - error / start:.4f}" if start else "–"
        root = math.sqrt(error)
        uncertain = summary["validation_mse_se"] if which == "validation" else None
        spread = f" ± {uncertain / (2 * root):.1g}" if uncertain and root else ""
        rows.append(f"<tr><td>{words}<td>{summary[which + '_rows']:,}<td>{root:.3g}{spread}<td>{share}")
    if not rows:
        return ""
    return f"<table><tr><th><th>rows<th>RMSE<th>R²{''.join(rows)}</table>"


def _parameters(est: Any) -> str:
    usual = type(est)().get_params(deep=False)
    given = {name: value for name, value in est.get_params(deep=False).items()
             if name not in usual or repr(value) != repr(usual[name])}  # fmt: skip
    if not given:
        return "<p class=rfnn-quiet>All parameters are at their defaults.</p>"
    rows = "".join(f"<tr><td>{html.escape(name)}<td>{_text(repr(value), 80)}" for name, value in given.items())
    return f"<details><summary class=rfnn-quiet>{_counted(len(given), 'parameter')} given</summary><table>{rows}</table></details>"


def _picture(est: Any, model: _core.Model, summary: dict[str, Any]) -> str:
    """The largest lines of one input, else the errors from block to block."""
    if sum(model.used_inputs) == 1:
        frequencies, amplitudes, words = lines_of(model, None, None)
        if model.holds_rows:
            _, places, density = law_curves(model, None)[0]
            return _law(places, density, words.replace(r"\$", "$"))
        if len(frequencies):
            return _spectrum(frequencies[:60], amplitudes[:60], words.replace(r"\$", "$"))
    return _convergence(model, summary)


def _svg(title: str, marks: list[str], axis: str, note: str) -> str:
    base = _HEIGHT - _BOTTOM
    return (
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="{html.escape(title)}">{"".join(marks)}'
        f'<path d="M{_LEFT} {base}H{_WIDTH - _LEFT}" stroke="currentColor" opacity=".4"/>'
        f'<text x="{_LEFT}" y="{_HEIGHT - 7}" opacity=".75">{_text(axis, 50)}</text>{note}</svg>'
    )


def _spectrum(frequencies: Any, amplitudes: Any, words: str) -> str:
    base, width = _HEIGHT - _BOTTOM, _WIDTH - 2 * _LEFT
    log = frequencies.max() > 30 * frequencies.min()
    places = [math.log(f) for f in frequencies] if log else list(frequencies)
    low = min(places) if log else 0.0
    span = (max(places) - low) or 1.0
    x = [_LEFT + 10 + (width - 30) * (place - low) / span for place in places]
    top = [base - (base - _TOP) * float(a / amplitudes[0]) for a in amplitudes]
    style = f'stroke="{_LINE}" stroke-width="2"'
    marks = [f'<path d="M{a:.1f} {base}V{min(b, base - 1):.1f}" {style}/>' for a, b in zip(x, top)]
    labelled: list[tuple[float, float]] = []
    for f, a, b in zip(frequencies, x, top):
        dwarfed = base - b < 0.01 * (base - _TOP)
        if len(labelled) == 4 or dwarfed or any(abs(a - u) <= 42 and abs(b - v) <= 13 for u, v in labelled):
            continue
        shift, side = (4, "start") if any(abs(a - u) <= 42 for u, _ in labelled) else (0, "middle")
        marks.append(f'<text x="{a + shift:.1f}" y="{b - 4:.1f}" text-anchor="{side}">{f:.3g}</text>')
        labelled.append((a, b))
    axis = words.replace("frequency,", "amplitude over") + (" (log)" if log else "")
    return _svg("Amplitudes of the largest frequencies", marks, axis, "")


def _law(frequencies: Any, density: Any, words: str) -> str:
    base, width = _HEIGHT - _BOTTOM, _WIDTH - 2 * _LEFT
    low, high = math.log(frequencies[0]), math.log(frequencies[-1])
    x = [_LEFT + width * (math.log(f) - low) / (high - low) for f in frequencies]
    y = [base - (base - _TOP) * float(d / density.max()) for d in density]
    path = "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(x[::2], y[::2]))
    top = int(density.argmax())
    marks = [
        f'<path d="M{path}V{base}H{x[0]:.1f}Z" fill="{_LINE}" opacity=".2"/>',
        f'<path d="M{path}" fill="none" stroke="{_LINE}" stroke-width="1.8"/>',
        f'<text x="{x[top]:.1f}" y="{y[top] - 4:.1f}" text-anchor="middle">{frequencies[top]:.3g}</text>',
    ]
    return _svg("Law of the frequencies", marks, words.replace("frequency,", "law of frequencies,") + " (log)", "")


def _convergence(model: _core.Model, summary: dict[str, Any]) -> str:
    members: dict[int, list[Any]] = {}
    for record in json.loads(model.history()):
        if record["kept"]:
            members.setdefault(record["member"], []).append(record)
    courses = []
    for which, colour in (("train_mse", _LINE), ("validation_mse", _SECOND)):
        for records in members.values():
            course = [(0, summary["empty_" + which])] + [(r["block"], r[which]) for r in records]
            courses.append((colour, [(block, math.log10(error)) for block, error in course if error]))
    points = [point for _, course in courses for point in course]
    deepest = max((block for block, _ in points), default=0)
    if not deepest:
        return ""
    base = _HEIGHT - _BOTTOM
    low, high = min(value for _, value in points), max(value for _, value in points)
    across = lambda block: _LEFT + 4 + (_WIDTH - 2 * _LEFT - 8) * block / deepest
    down = lambda value: base - 6 - (base - 6 - _TOP) * (value - low) / ((high - low) or 1.0)
    marks = []
    for colour, course in courses:
        path = "L".join(f"{across(block):.1f} {down(value):.1f}" for block, value in course)
        if len(course) > 1:
            marks.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.8"/>')
    words = [("training", _LINE)] + ([("held out", _SECOND)] if summary["validation_mse"] is not None else [])
    note = "".join(
        f'<text x="{_WIDTH - _LEFT - 62 * k}" y="12" text-anchor="end" style="fill:{colour}">{word}</text>'
        for k, (word, colour) in enumerate(reversed(words))
    )
    return _svg("Mean squared error after every block", marks, f"mean squared error (log), blocks 0 to {deepest}", note)
