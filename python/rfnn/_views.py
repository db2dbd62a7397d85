"""What an estimator shows of itself: plots, and a card in notebooks."""

from __future__ import annotations

from typing import Any

from sklearn import get_config

from . import _notebook, plots


class Views:
    """The plots as methods, and the view in notebooks: a card when fitted, else scikit-learn's diagram."""

    def plot_spectrum(self, **given: Any) -> Any:
        """Draws the learnt frequencies: :func:`rfnn.plots.plot_spectrum`, with its keywords."""
        return plots.plot_spectrum(self, **given)

    def plot_convergence(self, **given: Any) -> Any:
        """Draws the error after every block: :func:`rfnn.plots.plot_convergence`, with its keywords."""
        return plots.plot_convergence(self, **given)

    def plot_prediction(self, X: Any, y: Any = None, **given: Any) -> Any:
        """Draws predictions and data: :func:`rfnn.plots.plot_prediction`, with its keywords."""
        return plots.plot_prediction(self, X, y, **given)

    def plot_trace(self, **given: Any) -> Any:
        """Draws the loss along the chain of preset paper: :func:`rfnn.plots.plot_trace`, with its keywords."""
        return plots.plot_trace(self, **given)

    def _repr_html_inner(self) -> str:
        """What scikit-learn's ``_repr_html_`` returns where its display is "diagram"."""
        return _notebook.card(self) if self.__sklearn_is_fitted__() else super()._repr_html_inner()

    def _repr_mimebundle_(self, **given: Any) -> dict[str, str]:
        bundle = super()._repr_mimebundle_(**given)
        if get_config()["display"] == "diagram" and self.__sklearn_is_fitted__():
            bundle["text/html"] = _notebook.card(self)
        return bundle
