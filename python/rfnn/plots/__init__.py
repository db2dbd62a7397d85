"""Pictures of fitted estimators on matplotlib's axes.

Each function draws on ``ax``, or on a new figure's axes, and returns them. Colours come from the style in use; nothing
global is changed. The functions are methods of :class:`rfnn.RFNNRegressor` too.
"""

from ._course import plot_convergence, plot_trace
from ._prediction import plot_prediction
from ._spectrum import plot_spectrum

__all__ = ["plot_convergence", "plot_prediction", "plot_spectrum", "plot_trace"]
