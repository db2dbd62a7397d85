"""scikit-learn's own checks, all of them."""

import os

from sklearn.utils.estimator_checks import parametrize_with_checks

from rfnn import PaperRFNNRegressor, RFNNRegressor

# The checks are about the interface: of the published algorithm's 50 000 iterations a few are enough for them. With the
# oldest versions allowed, which the core does not see, so is one network of few features.
LITTLE = os.environ.get("RFNN_LITTLE_WORK") is not None
AUTO = RFNNRegressor(width=8, blocks=2, members=1) if LITTLE else RFNNRegressor()


@parametrize_with_checks([AUTO, PaperRFNNRegressor(blocks=3, iterations=200)])
def test_scikit_learn_check(estimator, check):
    check(estimator)
