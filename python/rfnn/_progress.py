"""Progress for people, on standard error: rich where it is installed, else tqdm, else plain lines."""

from __future__ import annotations

import importlib.util
import math
import numbers
import sys
from typing import Any

import numpy as np

from . import _core
from ._options import refused

_PAUSE = 2.0  # seconds between lines that say what is being done


def _in_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and "IPKernelApp" in getattr(shell, "config", {})


def _has_widgets() -> bool:
    return importlib.util.find_spec("ipywidgets") is not None


def _words(now: _core.Progress) -> str:
    text = now.stage or ("preparing the rows" if now.block == 0 else f"block {now.block}/{now.blocks}")
    if now.block > 0 and now.iterations > 0:
        text += f"  {now.iteration}/{now.iterations}  accepted {100 * now.acceptance:.0f}%"
    if math.isfinite(now.loss):
        text += f"  train {now.loss:.3e}"
    return text


def _line(record: dict[str, Any]) -> str:
    text = f"block {record['block']}"
    if record["member"] > 0:
        text = f"member {record['member']}, {text}"
    text += f"  width {record['width']}  train {record['train_mse']:.3e}"
    if record["validation_mse"] is not None:
        text += f"  valid {record['validation_mse']:.3e}"
    return text + ("" if record["complete"] else "  cut short")


class _Plain:
    """A line per block; between them one when something else is being done, so that a log shows that it goes on."""

    def __init__(self, verbose: int):
        del verbose
        self._next, self._stage = _PAUSE, ""

    def progress(self, now: _core.Progress) -> None:
        if now.stage and now.elapsed >= self._next and now.stage != self._stage:
            self._next, self._stage = now.elapsed + _PAUSE, now.stage
            self.say(f"{now.elapsed:.0f} s  {now.stage}")

    def block(self, record: dict[str, Any]) -> None:
        self.say(_line(record))

    def say(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    def close(self, model: _core.Model | None) -> None:
        if model is not None:
            words = "1 block" if model.blocks == 1 else f"{model.blocks} blocks"
            self.say(f"{words} in {model.seconds:.3g} s: {model.stop_text}")


class _Live(_Plain):
    """A line that is redrawn; from verbose 2 on also one per block."""

    def __init__(self, verbose: int):
        self._lines = verbose > 1

    def block(self, record: dict[str, Any]) -> None:
        if self._lines:
            self.say(_line(record))


class _Rich(_Live):
    def __init__(self, verbose: int):
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        if _in_notebook() and not _has_widgets():
            raise ImportError("rich shows nothing in a notebook without ipywidgets")
        super().__init__(verbose)
        console = Console(stderr=True) if not _in_notebook() else None
        columns = SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
        self._bar = Progress(*columns, console=console, transient=True)
        self._task = self._bar.add_task("preparing the rows", total=None)
        self._bar.start()

    def progress(self, now: _core.Progress) -> None:
        self._bar.update(self._task, description=_words(now))

    def say(self, text: str) -> None:
        self._bar.console.print(text, markup=False, highlight=False)

    def close(self, model: _core.Model | None) -> None:
        self._bar.stop()
        super().close(model)


class _Tqdm(_Live):
    def __init__(self, verbose: int):
        if _in_notebook() and _has_widgets():
            from tqdm.notebook import tqdm
        else:
            from tqdm.std import tqdm

        super().__init__(verbose)
        self._bar = tqdm(bar_format="{desc} {elapsed}", leave=False, desc="preparing the rows")

    def progress(self, now: _core.Progress) -> None:
        self._bar.set_description_str(_words(now))

    def say(self, text: str) -> None:
        self._bar.write(text, file=sys.stderr)

    def close(self, model: _core.Model | None) -> None:
        self._bar.close()
        super().close(model)


def level(verbose: Any) -> int:
    """The verbosity as a number; None is 0."""
    if verbose is None:
        return 0
    if not isinstance(verbose, (numbers.Integral, np.bool_)):
        raise refused("verbose", verbose, "0, 1 or 2")
    return max(0, int(verbose))


def display(verbose: int) -> Any:
    """The display for a verbosity; None for 0."""
    if verbose <= 0:
        return None
    if _in_notebook() or sys.stderr.isatty():
        for kind in (_Rich, _Tqdm):
            try:
                return kind(verbose)
            except ImportError:
                continue
    return _Plain(verbose)
