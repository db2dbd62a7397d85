"""scikit-learn's own checks, all of them."""

import os

import sklearn
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from rfnn import PaperRFNNRegressor, RFNNRegressor

# The checks are about the interface: of the published algorithm's 50 000 iterations a few are enough for them. With the
# oldest versions allowed, which the core does not see, so is one network of few features.
LITTLE = os.environ.get("RFNN_LITTLE_WORK") is not None
AUTO = RFNNRegressor(width=8, blocks=2, members=1) if LITTLE else RFNNRegressor()
PAPER = PaperRFNNRegressor(blocks=3, iterations=200)
# There the check makes whole numbers of the inputs of whoever takes categories, and subtracts their mean in place.
OF_1_6 = {"check_positive_only_tag_during_fit": "a fault of scikit-learn 1.6"} if sklearn.__version__.startswith("1.6") else {}


@parametrize_with_checks(
    [AUTO, PAPER, clone(PAPER).set_params(missing="mean")], expected_failed_checks=lambda estimator: OF_1_6
)
def test_scikit_learn_check(estimator, check):
    check(estimator)
