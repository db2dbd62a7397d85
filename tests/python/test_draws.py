"""Samples of functions, and draws of chains: against a dense Gaussian process, against ArviZ."""

import json

import numpy as np
import pytest
from conftest import law_kernel, reader

import rfnn


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(1)
    X = rng.uniform(0, 6, (150, 1))
    return X, np.sin(X[:, 0]) + 0.1 * rng.normal(size=150)


def test_samples_of_preset_auto_are_functions(rows):
    model = rfnn.RFNNRegressor(random_state=1).fit(*rows)
    X = np.linspace(0, 6, 40)[:, None]
    samples = model.sample_y(X, n_samples=50)
    assert samples.shape == (40, 50)
    np.testing.assert_array_equal(samples, model.sample_y(X, n_samples=50, random_state=0))
    np.testing.assert_array_equal(samples[::-1][:7, :3], model.sample_y(X[::-1][:7], n_samples=3))
    assert not np.array_equal(samples, model.sample_y(X, n_samples=50, random_state=1))
    predicted, std = model.predict(X, return_std=True)
    assert np.abs(samples.mean(axis=1) - predicted).max() < std.max()
    assert (samples.std(axis=1) < std).mean() > 0.9  # without the noise of measurements
    noisy = model.sample_y(X, n_samples=50, noise=True)
    assert 0.7 < np.median(noisy.std(axis=1) / std) < 1.3


@pytest.mark.core
@pytest.mark.filterwarnings("ignore::rfnn.RangeWarning")
@pytest.mark.parametrize("rising, width", [(0.0, None), (0.2, 64)])
def test_samples_and_widths_are_those_of_a_dense_gaussian_process(rising, width, tmp_path):
    """docs/uncertainty.md in NumPy: widths, and the correlations of the posterior given the closed form's centres."""
    rng = np.random.default_rng(1)
    X = rng.uniform(0, 1, (160, 2))
    y = np.sin(5 * X[:, 0]) * (1 + X[:, 1]) + (0.05 + rising * X[:, 1]) * rng.normal(size=160)
    model = rfnn.RFNNRegressor(members=1, width=width, random_state=1).fit(X, y)
    rfnn.save(model, tmp_path / "m.rfnn")
    metadata, tensor = reader(tmp_path / "m.rfnn")
    known, (target,) = json.loads(metadata["uncertainty"]), json.loads(metadata["columns"])["targets"]
    place = known.get("place")  # of a closed form in the model, else there is a law of the errors' own
    assert (place is None) == (width is not None)
    name = f"member{place['member']}.block{place['block']}.kernel" if place else "uncertainty.reference"

    places = rng.uniform(-0.2, 1.2, (25, 2))
    predicted, std = model.predict(places, return_std=True)
    v = (places - tensor("scale.input.mean")) / tensor("scale.input.sd")
    centres = tensor(name + ".centres")
    gram = law_kernel(tensor, name, centres, centres) + known["noise"] * np.eye(len(centres))
    near = law_kernel(tensor, name, v, centres)
    prior = law_kernel(tensor, name, v, v)
    covariance = prior - near @ np.linalg.solve(gram, near.T)
    variance = np.diag(covariance)
    gain, u = tensor("uncertainty.gain")[0], variance / (prior[0, 0] - variance)
    w = gain * u + max(1 - gain, 0) * np.maximum(u - known.get("reach", np.inf), 0)
    far = known.get("far", prior[0, 0])
    w *= prior[0, 0] / far
    of_function, of_noise = far * w / (1 + w), tensor("uncertainty.floor")[0]
    unit = tensor("scale.output.sd") * np.array(model.model_.score_deviations()) * np.ones(len(places))
    if tensor("uncertainty.shape.centres") is not None:  # noise that changes over the inputs
        seen = np.column_stack([v, (predicted - target["mean"]) / target["sd"]])
        shape = law_kernel(tensor, "uncertainty.shape", seen, tensor("uncertainty.shape.centres"))
        unit *= np.exp(shape @ tensor("uncertainty.shape.coefficients"))[:, 0]
    np.testing.assert_allclose(std, unit * np.sqrt(of_function + of_noise), rtol=1e-8)

    count = 600
    error = 1 / np.sqrt(count)  # of a mean and a correlation; of a standard deviation at most as much
    samples = model.sample_y(places, n_samples=count)
    deviation = unit * np.sqrt(of_function)
    np.testing.assert_allclose((samples.mean(axis=1) - predicted) / deviation, 0, atol=4 * error)
    np.testing.assert_allclose(samples.std(axis=1), deviation, rtol=4 * error)
    np.testing.assert_allclose(
        np.corrcoef(samples), covariance / np.sqrt(np.outer(variance, variance)), atol=5 * error
    )
    noisy = model.sample_y(places, n_samples=count, noise=True)
    np.testing.assert_allclose(noisy.std(axis=1), std, rtol=4 * error)


def test_several_outputs(rows):
    X, y = rows
    model = rfnn.RFNNRegressor(random_state=1).fit(X, np.column_stack([y, y**2]))
    assert model.sample_y(X[:5], n_samples=4).shape == (5, 2, 4)


def test_paper_keeps_draws(rows, cli, tmp_path):
    X, y = rows
    model = rfnn.PaperRFNNRegressor(
        blocks=2, iterations=60, burn_in=20, draws=20, validation_fraction=0.2, random_state=1
    ).fit(X, y)
    assert model.model_.draws == 20
    predicted, std = model.predict(X, return_std=True)
    assert (std > 0).all()
    lower, upper = model.predict_interval(X)
    assert 0.7 < np.mean((y >= lower) & (y <= upper)) <= 1
    samples = model.sample_y(X, n_samples=20)
    assert samples.shape == (150, 20)
    assert len(np.unique(samples[0])) == 20
    with pytest.raises(rfnn.UsageError, match="keeps 20 draws"):
        model.sample_y(X, n_samples=21)
    with pytest.raises(rfnn.UsageError, match="n_samples"):
        model.sample_y(X, n_samples=0)

    rfnn.save(model, tmp_path / "p.rfnn")
    cli("draws", tmp_path / "p.rfnn", "--out", tmp_path / "d.npz", "--quiet")
    draws = dict(np.load(tmp_path / "d.npz"))
    assert draws["block1_input_frequencies"].shape == (1, 20, 6, 1)
    assert draws["block2_state_amplitudes"].shape == (1, 20, 6, 2, 1)
    assert draws["loss"].shape == draws["frequency"].shape == draws["amplitude"].shape == (1, 20, 2)
    kept = np.sort(model.frequencies_[:, 0])
    last = np.sort(np.concatenate([draws[f"block{k}_input_frequencies"][0, -1, :, 0] for k in (1, 2)]))
    np.testing.assert_allclose(last, kept)


def split_r_hat(chains):
    """Of chains × draws: Gelman and others, Bayesian Data Analysis, 3rd edition, section 11.4."""
    n = chains.shape[1] // 2
    halves = np.concatenate([chains[:, :n], chains[:, -n:]])
    within = halves.var(axis=1, ddof=1).mean()
    return np.sqrt(((n - 1) / n * within + halves.mean(axis=1).var(ddof=1)) / within)


def effective_samples(chains):
    """Of chains × draws: Vehtari and others, Bayesian Analysis 16, 2021, section 3.2, on halves as Stan takes it."""
    n = chains.shape[1] // 2
    halves = np.concatenate([chains[:, :n], chains[:, -n:]])
    centred = halves - halves.mean(axis=1, keepdims=True)
    autocovariance = np.array([(centred[:, : n - t] * centred[:, t:]).sum(axis=1).mean() / n for t in range(n)])
    within = halves.var(axis=1, ddof=1).mean()
    rho = 1 - (within - autocovariance) / ((n - 1) / n * within + halves.mean(axis=1).var(ddof=1))
    rho[0] = 1
    pairs = rho[0 : n - 1 : 2] + rho[1:n:2]
    pairs = pairs[: (n - 1) // 2]  # the last of an estimate from few values is noise
    ends = np.flatnonzero(pairs <= 0)
    end = ends[0] if len(ends) else len(pairs) - 1
    last = max(rho[2 * end], 0) if len(ends) else rho[2 * end]
    tau = 2 * np.minimum.accumulate(pairs[:end]).sum() + last - 1
    return halves.size / max(tau, 1 / np.log10(halves.size))


@pytest.fixture(scope="module")
def chains(rows, cli, tmp_path_factory):
    """Archive and statistics of one chain, and of three."""
    folder = tmp_path_factory.mktemp("chains")
    for seed in (1, 2, 3):
        model = rfnn.PaperRFNNRegressor(blocks=2, iterations=120, burn_in=20, draws=75, random_state=seed).fit(*rows)
        rfnn.save(model, folder / f"{seed}.rfnn")
    found = {}
    for names in (["1"], ["1", "2", "3"]):
        out = folder / f"{len(names)}.npz"
        told = cli("draws", *(folder / f"{name}.rfnn" for name in names), "--out", out, "--json", "--quiet")
        found[len(names)] = out, json.loads(told.stdout)
    return found


@pytest.mark.parametrize("count", [1, 3])
def test_statistics_are_the_published_ones(chains, count):
    place, told = chains[count]
    assert (told["chains"], told["draws"]) == (count, 75)
    draws = np.load(place)
    for statistic in told["statistics"]:
        values = draws[statistic["quantity"]][:, :, statistic["block"] - 1]
        assert values.shape == (count, 75)
        assert statistic["mean"] == pytest.approx(values.mean(), rel=1e-12)
        assert statistic["sd"] == pytest.approx(values.std(ddof=1), rel=1e-9)
        assert statistic["r_hat"] == pytest.approx(split_r_hat(values), rel=1e-9)
        assert statistic["effective_samples"] == pytest.approx(effective_samples(values), rel=1e-9)
    assert len(told["statistics"]) == 6


@pytest.mark.core
def test_arviz_opens_the_archive_and_says_the_same(chains):
    """Version 1 of arviz is these two packages and one for plots."""
    arviz_base, arviz_stats = pytest.importorskip("arviz_base"), pytest.importorskip("arviz_stats")
    place, told = chains[3]
    posterior = dict(np.load(place))
    data = arviz_base.from_dict({"posterior": posterior})["posterior"]
    assert (data.sizes["chain"], data.sizes["draw"]) == (3, 75)
    np.testing.assert_array_equal(data["block2_state_amplitudes"], posterior["block2_state_amplitudes"])
    for statistic in told["statistics"]:
        values = posterior[statistic["quantity"]][:, :, statistic["block"] - 1]
        axes = {"chain_axis": 0, "draw_axis": 1}
        r_hat, samples = arviz_stats.rhat(values, method="split", **axes), arviz_stats.ess(values, method="mean", **axes)
        assert statistic["r_hat"] == pytest.approx(float(r_hat), rel=1e-9)
        assert statistic["effective_samples"] == pytest.approx(float(samples), rel=1e-9)


def test_without_draws_there_is_nothing_to_sample(rows):
    model = rfnn.PaperRFNNRegressor(blocks=1, iterations=10).fit(*rows)
    with pytest.raises(rfnn.UsageError, match="draws=100"):
        model.sample_y(rows[0])
