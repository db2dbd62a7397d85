"""Samples of functions, and draws of chains."""

import numpy as np
import pytest

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


def test_without_draws_there_is_nothing_to_sample(rows):
    model = rfnn.PaperRFNNRegressor(blocks=1, iterations=10).fit(*rows)
    with pytest.raises(rfnn.UsageError, match="draws 100"):
        model.sample_y(rows[0])
