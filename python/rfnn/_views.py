"""What an estimator shows of itself: plots, and a card in notebooks."""

from __future__ import annotations

from typing import Any

from sklearn import get_config

from . import _notebook, plots


class Views:
    """The plots as methods, and the view in notebooks: a card when fitted, else scikit-learn's diagram."""

    plot_spectrum = plots.plot_spectrum
    plot_convergence = plots.plot_convergence
    plot_prediction = plots.plot_prediction
    plot_trace = plots.plot_trace

    def _repr_html_inner(self) -> str:
        """What scikit-learn's ``_repr_html_`` returns where its display is "diagram"."""
        return _notebook.card(self) if self.__sklearn_is_fitted__() else super()._repr_html_inner()

    def _repr_mimebundle_(self, **given: Any) -> dict[str, str]:
        bundle = super()._repr_mimebundle_(**given)
        if get_config()["display"] == "diagram" and self.__sklearn_is_fitted__():
            bundle["text/html"] = _notebook.card(self)
        return bundle
