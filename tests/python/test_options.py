"""The estimator's keywords are the option table."""

import inspect
import pickle
import textwrap

import numpy as np
import pytest
from conftest import quick, waves

import rfnn
from rfnn import RFNNRegressor, _core, _options

OWN = {"random_state": None, "n_jobs": None, "verbose": 0, "warm_start": False}


def test_keywords_and_defaults_are_those_of_the_table():
    signature = inspect.signature(RFNNRegressor.__init__).parameters
    expected = {name: o.keyword_default for name, o in _options.table().items() if name not in _options.RENAMED}
    given = {name: parameter.default for name, parameter in signature.items() if name != "self"}
    assert given == {**expected, **OWN}
    assert all(type(given[name]) is type(value) for name, value in expected.items())


def test_a_keyword_without_a_default_of_its_own_differs_between_the_presets():
    for name, option in _options.table().items():
        if name not in _options.RENAMED and name != "preset" and not option.paper_only:
            assert (option.keyword_default is None) == (option.auto != option.paper), name


@pytest.mark.parametrize("preset", ["auto", "paper"])
def test_nothing_given_is_the_preset_of_the_command_line(preset, cli):
    import json

    text = cli("options", "--json").stdout
    assert text  # the same table, printed by the program
    options, idle = _options.build(RFNNRegressor(preset=preset).get_params())
    assert idle == []
    assert json.loads(options.to_json()) == json.loads(_core.Options(preset).to_json())


def test_the_docstring_describes_every_option():
    # On a change of the table: replace the section of the docstring by what documentation() returns.
    assert textwrap.indent(_options.documentation(), "    ") in RFNNRegressor.__doc__


def test_what_is_given_wins_over_the_preset():
    X, y = waves()
    model = RFNNRegressor(preset="paper", blocks=2, iterations=5, ridge=[1e-3, 1e-5], random_state=1).fit(X, y).model_
    assert [model.options.get(name) for name in ("width", "blocks", "ridge")] == ["6", "2", "0.001,1e-5"]


@pytest.mark.parametrize(
    "value, text",
    [(True, "true"), (3, "3"), (np.int64(3), "3"), (0.1, "0.1"), (np.float64(1e-30), "1e-30"), ("auto", "auto"),
     ([1, 0.5], "1,0.5"), (np.array([1.0, 2.0]), "1.0,2.0"), (float("nan"), "nan"), (None, "None")],
)  # fmt: skip
def test_text_forms(value, text):
    assert _options.to_text(value) == text


def test_defaults_of_a_preset():
    assert rfnn.default_options("paper")["width"] == 6
    assert rfnn.default_options()["blocks"] == 30
    with pytest.raises(rfnn.UsageError):
        rfnn.default_options("other")


@pytest.mark.parametrize("wrong", [{"width": -1}, {"width": "wide"}, {"preset": "best"}, {"gamma": float("nan")},
                                   {"random_state": -1}, {"n_jobs": 0}, {"solver": "lu"}])  # fmt: skip
def test_a_wrong_option_is_an_error_with_cause_and_cure(wrong):
    X, y = waves()
    with pytest.raises(ValueError) as caught:
        quick(**wrong).fit(X, y)
    assert isinstance(caught.value, rfnn.UsageError)
    assert caught.value.cause and caught.value.cure and caught.value.cure in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again)) == (type(caught.value), str(caught.value))


def test_options_of_the_paper_given_to_preset_auto_are_told():
    X, y = waves(30)
    with pytest.warns(rfnn.RFNNWarning, match="gamma"):
        RFNNRegressor(gamma=3.0, blocks=1, random_state=1).fit(X, y)


def test_seeds():
    X, y = waves()
    fit = lambda state: quick(random_state=state).fit(X, y).seed_
    assert fit(7) == 7 and fit(2**64 - 1) == 2**64 - 1
    assert fit(np.random.RandomState(3)) == fit(np.random.RandomState(3)) != fit(np.random.RandomState(4))
    assert fit(np.random.default_rng(3)) == fit(np.random.default_rng(3))
    np.random.seed(5)
    first = fit(None)
    assert fit(None) != first
    np.random.seed(5)
    assert fit(None) == first
