"""The other learners. Each fits on (x, y) and returns a function that predicts; choosing settings on held-out rows is
part of a fit and of its time. Settings are those a careful user would begin with, the same for every set: a few
candidates, judged on a fifth of the training rows (early stopping on the same rows), then fitted to all of them. One
thread each. None sees a test row.
"""
import functools
import hashlib
import importlib.metadata
import inspect
import sys
import warnings

import numpy as np

warnings.simplefilter("ignore")  # of learners that would like more iterations


def held_out(rows, seed):
    """Row numbers to fit on and to judge on."""
    order = np.random.default_rng(seed).permutation(rows)
    judged = max(10, rows // 5)
    return order[judged:], order[:judged]


def mse(y, predicted):
    return float(np.mean((y - predicted) ** 2))


def standardised(x, y, make):
    """Fits to inputs and targets of mean 0 and standard deviation 1; predicts in the target's units."""
    mean, sd = x.mean(axis=0), x.std(axis=0)
    sd[sd == 0] = 1.0
    shift, scale = y.mean(), y.std() or 1.0
    predict = make((x - mean) / sd, (y - shift) / scale)
    return lambda fresh: shift + scale * predict((fresh - mean) / sd)


def column_share(x):
    """Columns a tree may use: of few columns all, for a part would make interactions impossible."""
    return 0.8 if x.shape[1] >= 5 else 1.0


def linear(x, y, seed):
    """Ridge regression on the inputs, λ by leave-one-out."""
    from sklearn.linear_model import RidgeCV
    return standardised(x, y, lambda x, y: RidgeCV(np.logspace(-4, 4, 17)).fit(x, y).predict)


def rff_ridge(x, y, seed):
    """2000 random Fourier features (at most twice the rows), scale and λ by held-out rows."""
    from scipy.linalg import cho_factor, cho_solve
    generator = np.random.default_rng(seed)
    features = min(2000, 2 * len(x))
    draws = generator.standard_normal((x.shape[1], features)) / np.sqrt(x.shape[1])
    phases = generator.uniform(0, 2 * np.pi, features)
    fit, judge = held_out(len(x), seed)
    fit = fit[:4000]  # enough to compare settings by
    ridges = (1e-5, 1e-2, 1.0, 30.0)

    def make(x, y):
        def lift(inputs, scale):
            return np.cos(inputs @ (scale * draws) + phases)

        def solutions(lifted, y):
            """Amplitudes for every ridge: of the two equivalent systems the smaller."""
            dual = len(y) < features
            gram = lifted @ lifted.T if dual else lifted.T @ lifted
            for ridge in ridges:
                factor = cho_factor(gram + ridge * np.eye(len(gram)))
                yield lifted.T @ cho_solve(factor, y) if dual else cho_solve(factor, lifted.T @ y)

        def errors(scale):
            judged = lift(x[judge], scale)
            for number, amplitudes in enumerate(solutions(lift(x[fit], scale), y[fit])):
                yield mse(y[judge], judged @ amplitudes), scale, number

        _, scale, number = min(each for scale in 2.0 ** np.arange(-2, 9) for each in errors(scale))
        amplitudes = list(solutions(lift(x, scale), y))[number]
        return lambda fresh: lift(fresh, scale) @ amplitudes

    return standardised(x, y, make)


def gaussian_process(x, y, seed):
    """A scale per input and white noise; squared exponential or Matérn 3/2, by the likelihood of at most 500 rows, that
    also gives the scales. At most 1500 rows: its time grows with their cube."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern, WhiteKernel
    some = np.random.default_rng(seed).permutation(len(x))[:1500]

    def make(x, y):
        scales, bounds = np.ones(x.shape[1]), (1e-2, 1e3)
        shapes = [RBF(scales, bounds), Matern(scales, bounds, nu=1.5)]
        if x.shape[1] <= 2:  # from a short scale too: the likelihood of waves has many peaks
            shapes.append(RBF(0.1 * scales, bounds))
        kernels = [ConstantKernel(1.0, (1e-3, 1e5)) * shape + WhiteKernel(0.1, (1e-8, 10.0)) for shape in shapes]
        fits = [GaussianProcessRegressor(kernel, random_state=seed).fit(x[some[:500]], y[some[:500]])
                for kernel in kernels]
        best = max(fits, key=lambda each: each.log_marginal_likelihood_value_)
        return GaussianProcessRegressor(best.kernel_, optimizer=None).fit(x[some], y[some]).predict

    return standardised(x, y, make)


def mlp(x, y, seed):
    """Two hidden layers of 128, Adam, early stopping; rate and decay by held-out rows, two networks averaged."""
    from sklearn.neural_network import MLPRegressor
    fit, judge = held_out(len(x), seed)

    def make(x, y):
        def network(rate, decay, rows, number):
            return MLPRegressor(hidden_layer_sizes=(128, 128), learning_rate_init=rate, alpha=decay, max_iter=600,
                                early_stopping=True, n_iter_no_change=25, batch_size=min(64, len(rows)),
                                random_state=seed + number).fit(x[rows], y[rows])

        _, rate, decay = min((mse(y[judge], network(rate, decay, fit, 0).predict(x[judge])), rate, decay)
                             for rate, decay in ((1e-3, 1e-4), (5e-3, 1e-4), (1e-3, 1e-1)))
        networks = [network(rate, decay, np.arange(len(x)), number) for number in (1, 2)]
        return lambda fresh: np.mean([each.predict(fresh) for each in networks], axis=0)

    return standardised(x, y, make)


def hist_gradient_boosting(x, y, seed):
    """scikit-learn's. Leaves by held-out rows, trees by early stopping."""
    from sklearn.ensemble import HistGradientBoostingRegressor
    fit, judge = held_out(len(x), seed)

    def model(leaves, trees, **more):
        return HistGradientBoostingRegressor(learning_rate=0.05, max_leaf_nodes=leaves, max_iter=trees,
                                             min_samples_leaf=10, random_state=seed, **more)

    def judged(leaves):
        tried = model(leaves, 2000, early_stopping=True, n_iter_no_change=30).fit(x[fit], y[fit])
        return mse(y[judge], tried.predict(x[judge])), leaves, tried.n_iter_

    _, leaves, trees = min(judged(leaves) for leaves in (7, 31))
    return model(leaves, trees, early_stopping=False).fit(x, y).predict


def xgboost(x, y, seed):
    """Depth by held-out rows, trees by early stopping."""
    from xgboost import XGBRegressor
    fit, judge = held_out(len(x), seed)

    def model(depth, trees, **more):
        return XGBRegressor(n_estimators=trees, max_depth=depth, learning_rate=0.05, subsample=0.8,
                            colsample_bytree=column_share(x), min_child_weight=2, n_jobs=1, random_state=seed, **more)

    def judged(depth):
        tried = model(depth, 3000, early_stopping_rounds=50)
        tried.fit(x[fit], y[fit], eval_set=[(x[judge], y[judge])], verbose=False)
        return tried.best_score, depth, tried.best_iteration + 1

    _, depth, trees = min(judged(depth) for depth in (3, 6))
    return model(depth, trees).fit(x, y).predict


def lightgbm(x, y, seed):
    """Leaves by held-out rows, trees by early stopping."""
    from lightgbm import LGBMRegressor, early_stopping
    fit, judge = held_out(len(x), seed)

    def model(leaves, trees):
        return LGBMRegressor(n_estimators=trees, num_leaves=leaves, learning_rate=0.05, min_child_samples=10,
                             subsample=0.8, subsample_freq=1, colsample_bytree=column_share(x), n_jobs=1,
                             random_state=seed, verbose=-1)

    def judged(leaves):
        tried = model(leaves, 3000).fit(x[fit], y[fit], eval_set=[(x[judge], y[judge])],
                                        callbacks=[early_stopping(50, verbose=False)])
        return tried.best_score_["valid_0"]["l2"], leaves, tried.best_iteration_

    _, leaves, trees = min(judged(leaves) for leaves in (7, 31))
    return model(leaves, max(1, trees)).fit(x, y).predict


def catboost(x, y, seed):
    """Its own defaults but for the rate; trees by early stopping."""
    from catboost import CatBoostRegressor
    fit, judge = held_out(len(x), seed)

    def model(trees):
        return CatBoostRegressor(iterations=trees, learning_rate=0.05, thread_count=1, random_seed=seed, verbose=False,
                                 allow_writing_files=False)

    tried = model(3000)
    tried.fit(x[fit], y[fit], eval_set=(x[judge], y[judge]), early_stopping_rounds=50, verbose=False)
    return model(max(1, tried.get_best_iteration() + 1)).fit(x, y).predict


# By name in the tables; the distributions whose version decides about the result.
PEERS = {"XGBoost": (xgboost, ("xgboost-cpu", "xgboost")), "CatBoost": (catboost, ("catboost",)),
         "LightGBM": (lightgbm, ("lightgbm",)), "HistGB": (hist_gradient_boosting, ("scikit-learn",)),
         "MLP": (mlp, ("scikit-learn",)), "GP": (gaussian_process, ("scikit-learn",)),
         "RFF ridge": (rff_ridge, ("scipy",)), "linear": (linear, ("scikit-learn",))}


@functools.lru_cache(maxsize=None)
def load(name):
    """Loads the learner's library, once in a process: its seconds are none of a fit's."""
    x = np.linspace(0, 1, 60)[:, None]
    PEERS[name][0](x, x[:, 0], 1)


def version(names):
    """The version of the first of these distributions that is installed; None where none is."""
    for name in names:
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            pass
    return None


def installed():
    return [name for name, (_, packages) in PEERS.items() if version(packages)]


def identity(name):
    """What a cached result depends on: library and version, and this file's text about the learner."""
    function, packages = PEERS[name]
    helpers = (function, held_out, standardised, column_share, mse)
    text = "".join(inspect.getsource(each) for each in helpers)
    return {"peer": name, "version": version(packages), "settings": hashlib.sha256(text.encode()).hexdigest()[:16]}


def versions():
    """For the record: what was installed."""
    names = ("numpy", "scipy", "scikit-learn", "xgboost-cpu", "xgboost", "lightgbm", "catboost", "statsmodels")
    found = {name: version((name,)) for name in names}
    return {"Python": sys.version.split()[0], **{name: value for name, value in found.items() if value}}
