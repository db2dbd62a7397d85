"""What an estimator shows of itself: its lines, plots, a report, and a card in notebooks."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from sklearn import config_context, get_config
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from . import _core, _data, _notebook, plots
from ._errors import UsageError

if TYPE_CHECKING:
    from ._types import ExportFormat

_ENDS = {
    ".onnx": "onnx", ".c": "c", ".py": "python", ".txt": "formula", ".tex": "formula", ".json": "json"
}  # fmt: skip


class Views:
    """Lines and report, the plots as methods, and the view in notebooks: a card when fitted, else scikit-learn's diagram."""

    model_: _core.Model

    plot_spectrum = plots.plot_spectrum
    plot_convergence = plots.plot_convergence
    plot_prediction = plots.plot_prediction
    plot_trace = plots.plot_trace

    def report(self, path: str | bytes | os.PathLike[Any], X: Any = None, y: Any = None) -> None:
        """Writes a page about the fit: one HTML file that needs no other.

        Parameters
        ----------
        path : str, bytes or path-like

        X, y : array-like, default=None
            Rows to show predictions and residuals on: those of ``fit``, or others.
        """
        check_is_fitted(self)
        if (X is None) != (y is None):
            raise UsageError("Of X and y one is missing.", "Give both or neither.")
        rows = None
        if X is not None:
            inputs, targets = _data.check_rows(self, X, y, "report", self.model_)
            rows = _data.rows(self, inputs, targets, None, self.model_.targets, self.model_)
        _core.write_report(self.model_, _data.path_of(path), rows, self._code())

    def export(
        self, path: str | bytes | os.PathLike[Any], *, format: ExportFormat | None = None, check: bool = True
    ) -> float | None:
        """Writes the network as a file for use without rfnn, as ``rfnn export`` does.

        Parameters
        ----------
        path : str, bytes or path-like
            Functions in the file are named after its stem.

        format : {"onnx", "c", "python", "formula", "json"}, default=None
            None goes by the end of the path: .onnx, .c, .py, .json, and .txt or .tex for a formula.

        check : bool, default=True
            Compute sample rows with the file, C by a compiler, ONNX by onnxruntime, and compare them with ``predict``.

        Returns
        -------
        difference : float or None
            The largest difference, relative to the predictions; None where nobody could compute with the file.
        """
        check_is_fitted(self)
        name = _data.path_of(path)
        if format is None:
            format = _ENDS.get(os.path.splitext(name)[1])
            if format is None:
                raise UsageError(
                    f"{name!r} does not say the format.",
                    f"Give format, one of {', '.join(_core.export_formats())}, or a path that ends in {', '.join(_ENDS)}.",
                )
        return _core.write_export(self.model_, name, format, sys.executable if check else "")

    def _code(self) -> str:
        """The lines that train the network again."""
        again = clone(self).set_params(random_state=self.seed_)
        name = type(self).__name__
        with config_context(print_changed_only=True):
            made = again.__repr__(N_CHAR_MAX=10**6)
        return f"from {type(self).__module__.partition('.')[0]} import {name}\n\nestimator = {made}\nestimator.fit(X, y)"

    def spectrum(self, *, merged: bool = False) -> list[dict[str, Any]]:
        """Every learnt feature in the units of the data, largest amplitude first, as ``rfnn inspect --json`` has them.

        A closed form stands for infinitely many features, which are not listed: ``laws_`` says how they are spread.

        Parameters
        ----------
        merged : bool, default=False
            True: the lines over the inputs that the data can tell apart, as the plots, the report and ``inspect`` show
            them. Features less than a radian apart over the ranges of the inputs are one line, their amplitudes added
            with their phases; member and block are those of the largest.

        Returns
        -------
        lines : list of dict
            ``member`` (from 0), ``block`` (from 1), ``branch`` ("input", "state" or "joint"), ``frequency`` (radians
            per unit, per variable of the branch), ``cycles`` (per unit), ``amplitude`` and ``phase`` per output. Units
            are those of the logarithm for inputs that ``input_transforms_`` calls "log".
        """
        check_is_fitted(self)
        names = ("member", "block", "branch", "frequency", "cycles", "amplitude", "phase")
        lines = _core.distinguishable_lines(self.model_) if merged else self.model_.spectrum()
        return [dict(zip(names, line)) for line in lines]

    def _repr_html_inner(self) -> str:
        """What scikit-learn's ``_repr_html_`` returns where its display is "diagram"."""
        return _notebook.card(self) if self.__sklearn_is_fitted__() else super()._repr_html_inner()

    def _repr_mimebundle_(self, **given: Any) -> dict[str, str]:
        bundle = super()._repr_mimebundle_(**given)
        if get_config()["display"] == "diagram" and self.__sklearn_is_fitted__():
            bundle["text/html"] = _notebook.card(self)
        return bundle
