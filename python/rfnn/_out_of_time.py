"""What warns of fits that max_time ended. Apart from the other warnings, since it needs scikit-learn."""

from __future__ import annotations

from sklearn.exceptions import ConvergenceWarning

from ._errors import RFNNWarning


class OutOfTimeWarning(RFNNWarning, ConvergenceWarning):
    """A fit that ``max_time`` ended before all that was planned was done: with more time the model may be better."""


class MeanOnlyWarning(OutOfTimeWarning):
    """A fit that ran out of time before its first block: the prediction is the mean of the targets."""
