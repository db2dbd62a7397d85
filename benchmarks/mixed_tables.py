"""Mixed tables: scikit-learn's ColumnTransformer in front of RFNNRegressor against the estimator's own reading of columns.

    pip install statsmodels palmerpenguins vega_datasets      three packages that carry such tables with them
    PYTHONPATH=build/python build/venv/bin/python benchmarks/mixed_tables.py [--seeds 3] [--folds 5]

Both get the same rows and the same seeds. Prints a Markdown table: mean squared error on rows that were not learnt from,
over the folds and seeds, each with the standard error over seeds and folds of its difference, and the lines of code of
either way. docs/data-files.md has the figures.
"""

import argparse
import inspect
import pathlib
import warnings

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

from rfnn import RFNNRegressor


def penguins():
    """Body mass of penguins by species, island, sex and measures of the bill; nine that were weighed lack their sex."""
    from palmerpenguins import load_penguins

    return load_penguins(), "body_mass_g", ["year"], []


def cars():
    """Miles per gallon of cars by engine, weight, origin and date; six lack their horsepower."""
    from vega_datasets import local_data

    return local_data.cars().drop(columns="Name"), "Miles_per_Gallon", [], ["Year"]


def pigs():
    """Weight of pigs by week, feed eaten, litter and doses of vitamin E and copper; the first week has no feed."""
    import statsmodels

    folder = pathlib.Path(statsmodels.__file__).parent / "regression" / "tests" / "results"
    return pd.read_csv(folder / "dietox.csv").drop(columns="Pig"), "Weight", ["Evit", "Cu", "Litter"], []


def with_pipeline(X, y, codes, dates, seed):
    texts = [name for name in X if name in codes or not pd.api.types.is_numeric_dtype(X[name]) and name not in dates]
    rest = [name for name in X if name not in texts and name not in dates]
    days = FunctionTransformer(lambda frame: frame.apply(lambda date: (date - pd.Timestamp("1970-01-01")).dt.days))
    levels = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore", sparse_output=False))
    columns = make_column_transformer(
        (levels, texts),
        (days, dates),
        (SimpleImputer(add_indicator=True), rest),
    )
    return make_pipeline(columns, RFNNRegressor(random_state=seed)).fit(X, y)


def with_own_reading(X, y, codes, dates, seed):
    return RFNNRegressor(missing="mean", unseen="mean", categorical=codes, random_state=seed).fit(X, y)


def lines(way):
    return len(inspect.getsource(way).strip().splitlines()) - 1


def errors(table, target, codes, dates, seeds, folds):
    """Squared errors of both ways, per seed and fold."""
    table = table[table[target].notna()].reset_index(drop=True)
    X, y = table.drop(columns=target), table[target]
    found = []
    for seed in range(1, seeds + 1):
        for train, test in KFold(folds, shuffle=True, random_state=seed).split(X):
            given = X.iloc[train], y.iloc[train], codes, dates, seed
            found.append([np.mean((way(*given).predict(X.iloc[test]) - y.iloc[test]) ** 2) for way in (with_pipeline, with_own_reading)])
    return len(X), np.array(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--folds", type=int, default=5)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"| table | rows | missing cells | pipeline, {lines(with_pipeline)} lines | own, {lines(with_own_reading)} line | ratio |")
    print("|---|---|---|---|---|---|")
    for source in (penguins, cars, pigs):
        table, target, codes, dates = source()
        rows, found = errors(table, target, codes, dates, given.seeds, given.folds)
        mean = found.mean(axis=0)
        spread = (found[:, 1] - found[:, 0]).std(ddof=1) / len(found) ** 0.5 / mean[0]
        missing = int(table.drop(columns=target)[table[target].notna()].isna().sum().sum())
        ratio = f"{mean[1] / mean[0]:.3f} ± {spread:.3f}"
        print(f"| {source.__name__} | {rows} | {missing} | {mean[0]:.4g} | {mean[1]:.4g} | {ratio} |", flush=True)


if __name__ == "__main__":
    main()
