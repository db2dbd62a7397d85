"""rfnn: deep residual Fourier-feature networks, trained block by block without global optimisation.

>>> from rfnn import RFNNRegressor
>>> model = RFNNRegressor().fit(X, y)  # doctest: +SKIP
>>> model.predict(X)  # doctest: +SKIP
"""

from ._callbacks import Callback
from ._core import Model, Progress
from ._core import version as _version
from ._errors import Error, InputError, NumericalError, RFNNWarning, UsageError
from ._files import load, save
from ._options import default_options
from ._threads import register as _register
from ._versions import show_versions
from .estimator import RFNNRegressor

__version__ = _version()
__all__ = [
    "Callback",
    "Error",
    "InputError",
    "Model",
    "NumericalError",
    "Progress",
    "RFNNRegressor",
    "RFNNWarning",
    "UsageError",
    "default_options",
    "load",
    "save",
    "show_versions",
]

_register()
