"""The view in notebooks: a small card without scripts or addresses; scikit-learn's diagram elsewhere."""

import html.parser
import re

import numpy as np
import pandas as pd
import pytest
import sklearn
from conftest import quick, waves
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rfnn


class Outline(html.parser.HTMLParser):
    """Tags that stand open, and the text; table cells and rows may stay open."""

    def __init__(self, page):
        super().__init__()
        self.open, self.text, self.seen = [], "", set()
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        if tag not in ("tr", "td", "th", "path"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag != "path":
            assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.text += data


@pytest.fixture(scope="module")
def fitted():
    X, y = waves(120, inputs=1)
    return quick(validation_fraction=0.2, width=3).fit(pd.DataFrame(X, columns=["hour"]), pd.Series(y, name="height"))


def test_the_card_says_what_there_is(fitted):
    page = fitted._repr_html_()
    card = Outline(page)
    assert len(page) < 20_000 and not card.open
    for words in ("RFNNRegressor", "fitted, preset paper", "hour → height", "120 rows · 3 blocks", "training96",
                  "held out24", "R²", f"Training ended: {fitted.model_.stop_text}.", "cycles per unit of hour",
                  ".predict(X)", "iterations30"):  # fmt: skip
        assert words in card.text
    error = float(np.sqrt(fitted.validation_mse_))
    assert f"{error:.3g}" in card.text
    assert "svg" in card.seen


def test_it_needs_nothing_from_outside_and_no_script(fitted):
    page = fitted._repr_html_()
    assert not re.search(r"https?:|//|<script|@import|url\(|\son\w+=", page)


def test_names_are_escaped():
    X, y = waves(60)
    names = ["<script>alert(1)</script>", "a&b" + "c" * 100]
    page = quick(solver="qr").fit(pd.DataFrame(X, columns=names), pd.Series(y, name='"<b>'))._repr_html_()
    assert "<script" not in page and "&lt;script&gt;" in page and "a&amp;b" in page and '"<b>' not in page
    assert "c" * 50 not in page


def test_many_columns_rows_and_features_stay_small():
    X, y = waves(300, inputs=30)
    page = quick(width=50, blocks=2).fit(X, np.c_[y, y, y, y, y])._repr_html_()
    assert len(page) < 20_000 and "and 26 more" in page and "and 1 more" in page and "mean squared error" in page


def test_what_has_no_waves_or_blocks_has_a_card():
    assert "Training ended" in quick().fit(np.ones((20, 1)), np.arange(20.0))._repr_html_()
    assert "0 blocks" in quick(blocks=0).fit(np.arange(20.0)[:, None], np.arange(20.0))._repr_html_()
    assert "Training ended" in quick().fit(np.arange(20.0)[:, None], np.ones(20))._repr_html_()


def test_a_loaded_model_has_a_card(fitted, tmp_path):
    rfnn.save(fitted, tmp_path / "m.rfnn")
    assert "hour" in rfnn.load(tmp_path / "m.rfnn")._repr_html_()


def test_notebooks_get_the_card(fitted):
    bundle = fitted._repr_mimebundle_()
    assert "rfnn-card" in bundle["text/html"] and bundle["text/plain"].startswith("RFNNRegressor(")
    with sklearn.config_context(display="text"):
        assert list(fitted._repr_mimebundle_()) == ["text/plain"]
        assert not hasattr(fitted, "_repr_html_")


def test_before_fit_and_in_pipelines_there_is_scikit_learns_diagram(fitted):
    blank = rfnn.RFNNRegressor()
    assert "sk-container" in blank._repr_html_() and "sk-container" in blank._repr_mimebundle_()["text/html"]
    X, y = waves(60)
    pipeline = make_pipeline(StandardScaler(), quick()).fit(X, y)
    page = pipeline._repr_html_()
    assert "RFNNRegressor" in page and "StandardScaler" in page and "rfnn-card" not in page
