"""Fits of tables on a Dask cluster.

>>> from rfnn.dask import RFNNRegressor
>>> model = RFNNRegressor(preset="paper").fit(X, y)  # doctest: +SKIP
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

try:
    import dask
    import distributed
except ImportError as _error:
    raise ImportError(
        f'rfnn.dask needs Dask, and {_error.name} is not installed. Install it: pip install "rfnn[dask]", '
        'or pip install "dask[array,dataframe]" distributed.'
    ) from None

from .._errors import ClusterError

if TYPE_CHECKING:
    from ._estimator import RFNNRegressor

__all__ = ["ClusterError", "RFNNRegressor"]


def __getattr__(name: str) -> Any:
    if name != "RFNNRegressor":  # imported when it is asked for: workers need no scikit-learn to train
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = importlib.import_module("._estimator", __name__).RFNNRegressor
    globals()[name] = value
    return value
