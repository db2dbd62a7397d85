"""scikit-learn's own checks, all of them."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from rfnn import PaperRFNNRegressor, RFNNRegressor


# The checks are about the interface: of the published algorithm's 50 000 iterations a few are enough for them.
@parametrize_with_checks([RFNNRegressor(), PaperRFNNRegressor(blocks=3, iterations=200)])
def test_scikit_learn_check(estimator, check):
    check(estimator)
