"""The estimators' keywords are the option table."""

import inspect
import json
import pickle
import re
import textwrap
import warnings

import numpy as np
import pytest
from conftest import quick, tensors, waves
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rfnn
from rfnn import PaperRFNNRegressor, RFNNRegressor, _core, _docstrings, _options, _types

OWN = {"random_state": None, "n_jobs": None, "verbose": 0, "warm_start": False}
BOTH = [RFNNRegressor, PaperRFNNRegressor]


def keywords(estimator):
    signature = inspect.signature(estimator.__init__).parameters
    return {name: parameter.default for name, parameter in signature.items() if name not in ("self", "published")}


def test_keywords_and_defaults_are_those_of_the_table():
    auto = {option.name: option.keyword_default for option in _docstrings.options_of_auto()}
    paper = {option.name: option.paper for option in _docstrings.options_of_paper()}
    for estimator, expected in zip(BOTH, (auto, paper)):
        given = keywords(estimator)
        assert given == {**expected, **OWN}
        assert all(type(given[name]) is type(value) for name, value in expected.items())
    everything = {*auto, *paper, *_options.RENAMED}
    assert everything == {name for name, option in _options.table().items() if not option.reading or name in _options.reading()}
    assert {*auto} & {*_options.published()} == set()


def test_the_published_options_are_typed():
    assert list(_types.PublishedOptions.__annotations__) == list(_options.published())
    for estimator in BOTH:
        signature = inspect.signature(estimator.__init__).parameters
        for name in keywords(estimator):
            assert signature[name].annotation is not inspect.Parameter.empty
    words = {"Keep": "keep", "StateBranch": "state_branch", "Negative": "negative", "BlockRows": "block_rows",
             "Missing": "missing", "Unseen": "unseen", "Solver": "solver", "Branches": "branches", "Preset": "preset"}  # fmt: skip
    for kind, name in words.items():
        assert getattr(_types, kind).__args__ == _options.table()[name].choices
        assert inspect.signature(BOTH[name not in ("branches", "preset")].__init__).parameters[name].annotation.startswith(kind)


def test_a_keyword_without_a_default_of_its_own_differs_between_the_presets():
    for name, option in _options.table().items():
        none_in_both = option.auto is None and option.paper is None  # a limit or a list that there is not
        if name not in _options.RENAMED and name != "preset" and not option.paper_only and not none_in_both:
            assert (option.keyword_default is None) == (option.auto != option.paper), name


@pytest.mark.parametrize("preset", ["auto", "paper"])
def test_nothing_given_is_the_preset_of_the_command_line(preset, cli):
    printed = {row["name"]: row["defaults"][preset] for row in json.loads(cli("options", "--json").stdout)}
    usual = json.loads(_core.Options(preset).to_json())
    assert printed == usual
    options, idle = _options.build(RFNNRegressor(preset=preset)._option_keywords())
    assert idle == [] and json.loads(options.to_json()) == usual
    if preset == "paper":
        options, idle = _options.build(PaperRFNNRegressor()._option_keywords())
        assert idle == [] and json.loads(options.to_json()) == usual


@pytest.mark.parametrize("estimator", BOTH)
def test_the_docstring_describes_every_option(estimator):
    # On a change of the table: replace the section of the docstring by what documentation() returns.
    expected = _docstrings.documentation(paper=estimator is PaperRFNNRegressor)
    assert textwrap.indent(expected, "    ") in estimator.__doc__
    flags = [name.replace("_", "-") for name in _options.table() if "_" in name]
    assert not re.search("|".join(["command", " true", " false", *flags]), expected)


def test_what_is_given_wins_over_the_preset():
    X, y = waves()
    model = RFNNRegressor(preset="paper", blocks=2, iterations=5, ridge=[1e-3, 1e-5], random_state=1).fit(X, y).model_
    assert [model.options.get(name) for name in ("width", "blocks", "ridge")] == ["6", "2", "0.001,1e-5"]


@pytest.mark.parametrize(
    "value, text",
    [(True, "true"), (3, "3"), (np.int64(3), "3"), (0.1, "0.1"), (np.float64(1e-30), "1e-30"), ("auto", "auto"),
     ([1, 0.5], "1,0.5"), (np.array([1.0, 2.0]), "1.0,2.0"), (float("nan"), "nan"), (np.bool_(False), "false"),
     ([-999, "n.d.", 'a"b,c'], '-999,"n.d.","a""b,c"')],
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


@pytest.mark.parametrize("wrong, allowed", [
    ({"width": [3]}, 'a whole number from 1 to 65536, or "auto"'),
    ({"width": "3"}, 'a whole number from 1 to 65536, or "auto"'),
    ({"width": 2.5}, 'a whole number from 1 to 65536, or "auto"'),
    ({"width": True}, 'a whole number from 1 to 65536, or "auto"'),
    ({"width": 0}, 'a whole number from 1 to 65536, or "auto"'),
    ({"standardise_inputs": "yes"}, "True or False"),
    ({"standardise_inputs": 1}, "True or False"),
    ({"ridge": "1e-4"}, 'a number >= 0, a list of such numbers, or "auto"'),
    ({"ridge": [1e-4, "x"]}, 'a number >= 0, a list of such numbers, or "auto"'),
    ({"ridge": []}, 'a number >= 0, a list of such numbers, or "auto"'),
    ({"validation_fraction": 1.0}, "a number >= 0 and < 1"),
    ({"validation_fraction": "0.1"}, "a number >= 0 and < 1"),
    ({"max_time": -1}, "a number >= 0 and <= 1e9"),
    ({"solver": "lu"}, '"cholesky", "qr", "svd" or "iterative"'),
    ({"preset": None}, '"auto" or "paper"'),
    ({"random_state": -1}, "a whole number from 0 to 2^64 - 1, a RandomState, a Generator or None"),
    ({"random_state": "one"}, "a whole number from 0 to 2^64 - 1, a RandomState, a Generator or None"),
    ({"random_state": True}, "a whole number from 0 to 2^64 - 1, a RandomState, a Generator or None"),
    ({"verbose": "2"}, "0, 1 or 2"),
    ({"warm_start": "no"}, "True or False"),
])  # fmt: skip
def test_kinds_are_checked_and_named_as_in_python(wrong, allowed):
    X, y = waves(30)
    ((name, value),) = wrong.items()
    with pytest.raises(rfnn.UsageError) as caught:
        quick(**wrong).fit(X, y)
    assert caught.value.cause == f"{name} cannot be {value!r}." and caught.value.cure == f"Give {allowed}."


def test_whole_numbers_may_be_floats_of_numpy_and_lists_arrays():
    given = {"iterations": 3e1, "blocks": np.int64(2), "ridge": np.array([1e-3, 1e-5]), "refine": np.bool_(False)}
    options, _ = _options.build({"preset": "paper", **given})
    assert [options.get(name) for name in given] == ["30", "2", "0.001,1e-5", "false"]


@pytest.mark.parametrize("wrong, words", [
    ({"width": "auto"}, 'Give width=6, say, or use preset="auto".'),
    ({"ridge": "auto"}, 'Give ridge=1e-4, say, or use preset="auto".'),
    ({"members": 2}, 'Give members=1, or use preset="auto".'),
    ({"branches": "joint"}, 'Give branches="input,state", or use preset="auto".'),
    ({"refine": True}, 'Give refine=False, or use preset="auto".'),
])  # fmt: skip
def test_what_the_published_algorithm_does_not_choose(wrong, words):
    X, y = waves(30)
    with pytest.raises(rfnn.UsageError) as caught:
        quick(**wrong).fit(X, y)
    assert caught.value.cure == words


def test_errors_and_remarks_of_the_core_have_the_names_of_python():
    X, y = waves(30)
    with pytest.raises(rfnn.Error, match='block_rows to "same"'):
        quick(block_rows="disjoint", blocks=40).fit(X, y)
    assert _options.in_python("Lower validation-fraction or --max-time.") == "Lower validation_fraction or max_time."
    assert _options.in_python("in half-space, pre-validation-fractions") == "in half-space, pre-validation-fractions"
    model = quick(standardise_outputs=False).fit(X, 1e9 * y)
    assert any("standardise_outputs=True" in text for text in model.warnings_), model.warnings_


@pytest.mark.parametrize("estimator", BOTH)
def test_a_keyword_that_there_is_not(estimator):
    with pytest.raises(TypeError, match="widht"):
        estimator(widht=3)
    with pytest.raises(ValueError, match="widht"):
        estimator().set_params(widht=3)


def test_both_ways_to_the_published_algorithm_are_one():
    X, y = waves()
    given = {"blocks": 2, "iterations": 20, "gamma": 7.0, "random_state": 3}
    old, new = RFNNRegressor(preset="paper", **given).fit(X, y), PaperRFNNRegressor(**given).fit(X, y)
    assert tensors(old.model_.to_bytes()) == tensors(new.model_.to_bytes())
    assert old.gamma == new.gamma == 7.0 and old.keep == new.keep == "last" and new.preset == "paper"


def test_published_options_of_the_default_class():
    model = RFNNRegressor(preset="paper", width=6, iterations=30)
    assert repr(model) == "RFNNRegressor(iterations=30, preset='paper', width=6)"
    assert repr(PaperRFNNRegressor(iterations=30)) == "PaperRFNNRegressor(iterations=30)"
    assert "iterations" not in RFNNRegressor().get_params() and len(RFNNRegressor().get_params()) == 24
    assert {"preset", "members", "branches", "refine"} & set(PaperRFNNRegressor().get_params()) == set()
    same = clone(model)
    assert same.get_params() == model.get_params() and same.get_params()["iterations"] == 30
    assert clone(model.set_params(gamma=3.0, width=4)).get_params()["gamma"] == 3.0
    assert pickle.loads(pickle.dumps(model)).get_params() == model.get_params()
    page = model._repr_html_()
    assert "iterations" in page and "proposal_fraction" not in page


@pytest.mark.parametrize("estimator", [RFNNRegressor(preset="paper"), PaperRFNNRegressor()])
def test_published_options_can_be_searched(estimator):
    X, y = waves(60)
    estimator.set_params(blocks=1, random_state=1)
    search = GridSearchCV(estimator, {"iterations": [5, 50], "keep": ["last", "best"]}, cv=2).fit(X, y)
    assert set(search.best_params_) == {"iterations", "keep"} and search.best_estimator_.n_blocks_ == 1
    pipeline = make_pipeline(StandardScaler(), clone(estimator))
    name = type(estimator).__name__.lower()
    assert pipeline.set_params(**{f"{name}__gamma": 2.0})[-1].gamma == 2.0


def test_options_of_the_paper_given_to_preset_auto_are_told():
    X, y = waves(30)
    with pytest.warns(rfnn.RFNNWarning, match="gamma") as caught:
        RFNNRegressor(gamma=3.0, blocks=1, random_state=1).fit(X, y)
    assert caught[0].filename == __file__
    with pytest.warns(rfnn.RFNNWarning, match="gamma") as caught:
        make_pipeline(StandardScaler(), RFNNRegressor(gamma=3.0, blocks=1, random_state=1)).fit(X, y)
    assert caught[0].filename == __file__


def test_holding_nothing_out_is_told():
    X, y = waves(40)
    with pytest.warns(rfnn.RFNNWarning, match="noise from signal"):
        model = RFNNRegressor(validation_fraction=0, blocks=1, width=4, random_state=1).fit(X, y)
    assert model.validation_mse_ is None
    for given in ({"validation_fraction": 0, "tolerance": 0.1}, {"validation_fraction": 0.1}):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            RFNNRegressor(**given, blocks=1, width=4, random_state=1).fit(X, y)


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
