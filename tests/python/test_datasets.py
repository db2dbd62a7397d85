"""Generated data: the rows of the command, and what the other signals promise."""

import numpy as np
import pytest

import rfnn
from rfnn import datasets


@pytest.mark.parametrize("name, inputs", [("multiscale", 1), ("stairstep", 1), ("sine", 3)])
def test_rows_are_those_of_the_command(name, inputs, cli, tmp_path):
    cli("generate", name, "--rows", 50, "--seed", 7, "--noise", 0.2, "--out", tmp_path / "rows.npy")
    X, y = getattr(datasets, name)(50, noise=0.2, random_state=7)
    assert X.shape == (50, inputs) and y.shape == (50,)
    assert np.array_equal(np.load(tmp_path / "rows.npy"), np.c_[X, y])


def test_arrays_outlive_each_other_and_may_be_written():
    X, y = datasets.multiscale(1000, random_state=1)
    expected = np.cos(4 * X[:, 0]) + 0.3 * np.cos(70 * X[:, 0]) + 0.05 * np.cos(150 * X[:, 0])
    del X
    y += 1
    assert np.allclose(y - 1, expected)


def test_more_rows_extend_fewer_and_other_seeds_differ():
    few, many = datasets.sine(10, random_state=3), datasets.sine(20, random_state=3)
    assert np.array_equal(few[0], many[0][:10]) and np.array_equal(few[1], many[1][:10])
    assert not np.array_equal(few[0], datasets.sine(10, random_state=4)[0])
    assert not np.array_equal(datasets.sine(10)[0], datasets.sine(10)[0])


def test_the_tide_has_its_constituents():
    X, y = datasets.tide(3000, noise=0.0, random_state=1)
    assert np.all(np.diff(X[:, 0]) >= 0) and X.min() >= 0 and X.max() <= 60
    phase = 2 * np.pi * X * np.array([cycles for cycles, _, _ in datasets.TIDE.values()])
    waves = np.linalg.lstsq(np.c_[np.cos(phase), np.sin(phase)], y, rcond=None)[0].reshape(2, -1)
    assert np.allclose(np.hypot(*waves), [size for _, size, _ in datasets.TIDE.values()])
    assert np.std(datasets.tide(3000, noise=0.3, random_state=1)[1] - y) == pytest.approx(0.3, rel=0.1)


def test_the_shock_jumps_at_its_front_and_nowhere_else():
    X, y = datasets.shock(4000, random_state=1)
    behind = np.hypot(*X.T) < 0.7
    assert X.shape == (4000, 2) and y[behind].min() >= 1 and y[~behind].max() <= 0.6
    near = (np.hypot(*X.T) > 0.69) & behind
    assert y[near].min() > 2.9


def test_what_cannot_be_meant_is_refused():
    with pytest.raises(rfnn.UsageError, match="at least 0"):
        datasets.multiscale(10, noise=-1)
    with pytest.raises(TypeError):
        datasets.multiscale(-1)
