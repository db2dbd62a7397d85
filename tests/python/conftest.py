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


def tensors(model_file: bytes) -> dict[str, bytes]:
    """The tensors of a model file, as the format says: header length, JSON header, numbers without gaps."""
    (length,) = struct.unpack("<Q", model_file[:8])
    header = json.loads(model_file[8 : 8 + length])
    data = model_file[8 + length :]
    found = {}
    for name, entry in header.items():
        if name != "__metadata__":
            first, last = entry["data_offsets"]
            found[name] = json.dumps([entry["dtype"], entry["shape"]]).encode() + data[first:last]
    return found


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
