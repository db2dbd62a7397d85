"""What the tests of the Python package share."""

import json
import os
import shutil
import struct
import subprocess

import numpy as np
import pytest

import rfnn


def waves(rows=200, inputs=2, seed=0):
    """A smooth function of a few inputs."""
    X = np.random.default_rng(seed).uniform(-1, 1, (rows, inputs))
    return X, np.sin(4 * X[:, 0]) + X[:, 1:].sum(axis=1)


def parts(model_file: bytes) -> tuple[dict, bytes]:
    """Header and numbers of a model file, as the format says: header length, JSON header, numbers without gaps."""
    (length,) = struct.unpack("<Q", model_file[:8])
    return json.loads(model_file[8 : 8 + length]), model_file[8 + length :]


def tensors(model_file: bytes) -> dict[str, bytes]:
    """The tensors of a model file, with what they are."""
    header, data = parts(model_file)
    found = {}
    for name, entry in header.items():
        if name != "__metadata__":
            first, last = entry["data_offsets"]
            found[name] = json.dumps([entry["dtype"], entry["shape"]]).encode() + data[first:last]
    return found


def law_kernel(tensor, name, a, b):
    """k(a − b) of the closed form whose law is named so, for all rows of a and b, as docs/model-file.md says.

    `tensor` gives a tensor of the model file by its name, None where there is none.
    """
    law = {part: tensor(f"{name}.law.{part}") for part in ("strength", "smooth", "rough", "order", "centre", "radial", "map")}
    delta = a[:, None, :] - b[None, :, :]
    turned = delta if law["map"] is None else delta @ law["map"].T
    k = np.zeros(delta.shape[:2])
    for p, strength in enumerate(law["strength"]):
        order = 0 if law["order"] is None else int(law["order"][p])
        x = law["rough"][p] * np.abs(delta)
        if law["radial"] is not None and law["radial"][p]:
            x = np.sqrt((x**2).sum(-1, keepdims=True))
        q = [1, 1 + x, 1 + x + x**2 / 3][order]
        wave = 1 if law["centre"] is None else np.cos(delta @ law["centre"][p])
        k += strength * np.exp(-0.5 * ((law["smooth"][p] * turned) ** 2).sum(-1)) * (q * np.exp(-x)).prod(-1) * wave
    return k


def reader(model_file):
    """The metadata of a model file, and a function that gives its tensors by their names, None where there is none."""
    header, data = parts(model_file.read_bytes())

    def tensor(name):
        if name not in header:
            return None
        first, last = header[name]["data_offsets"]
        return np.frombuffer(data[first:last]).reshape(header[name]["shape"])

    return header["__metadata__"], tensor


def quick(**params):
    """The published algorithm with little work: most tests are not about how well it learns."""
    return rfnn.RFNNRegressor(**{"preset": "paper", "blocks": 3, "iterations": 30, "random_state": 1, **params})


@pytest.fixture(scope="session")
def cli():
    """Runs the program `rfnn`."""
    program = os.environ.get("RFNN_CLI") or shutil.which("rfnn")
    if not program:
        pytest.skip("RFNN_CLI does not name the program")

    def run(*words, **more):
        return subprocess.run([program, *map(str, words)], check=True, capture_output=True, text=True, **more)

    run.program = program
    return run
