"""scikit-learn's own checks, all of them."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from rfnn import PaperRFNNRegressor, RFNNRegressor


@parametrize_with_checks([RFNNRegressor(), PaperRFNNRegressor()])
def test_scikit_learn_check(estimator, check):
    check(estimator)
