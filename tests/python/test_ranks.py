"""Ranks of MPI that fit one network together, by a communicator of mpi4py."""

import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest
from conftest import tensors

import rfnn

pytestmark = pytest.mark.core

SCRIPT = """
import sys
import numpy as np
import rfnn
from mpi4py import MPI

y = np.load("y.npy")
for case in sys.argv[1:]:
    comm = MPI.COMM_SELF if case == "alone" else MPI.COMM_WORLD
    X = np.load("X.npy")
    cuts = [rank * rank * len(X) // comm.size**2 for rank in range(comm.size + 1)]
    own = slice(cuts[comm.rank], cuts[comm.rank + 1])
    if case == "bad" and comm.rank == comm.size - 1:
        X[-1, 0] = np.nan
    if case == "alone" and MPI.COMM_WORLD.rank > 0:
        continue
    try:
        model = rfnn.RFNNRegressor(preset="paper", width=4, blocks=2, iterations=20, random_state=1, n_jobs=1)
        if case == "auto":
            model = rfnn.RFNNRegressor(width=8, blocks=2, n_jobs=1)  # a seed that rank 0 draws
        if case == "other" and comm.rank == 1:
            model.preset = "auto"
        model.fit(X[own], y[own], comm=comm)
        np.save(f"{case}{comm.size}-{comm.rank}.npy", model.predict(np.load("X.npy")))
    except rfnn.Error as error:
        print(comm.rank, type(error).__name__, error, flush=True)
"""


def missing():
    try:
        import mpi4py  # noqa: F401
    except ImportError:
        return "mpi4py is not installed"
    if shutil.which("mpirun") is None:
        return "mpirun is not installed (openmpi-bin)"
    if not library().exists():
        return "librfnn_mpi.so was not built (libopenmpi-dev)"
    return ""


def library():
    return pathlib.Path(os.environ.get("RFNN_CLI", "rfnn")).resolve().parent / "librfnn_mpi.so"


def run(folder, ranks, *words):
    # OpenMPI's jobs of one user share a folder below TMPDIR, and one that ends may take it from another that begins.
    own = folder / "tmp"
    own.mkdir(exist_ok=True)
    environment = {
        **os.environ,
        "TMPDIR": str(own),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    }
    if len(words) == 1:
        words = ("script.py", *words)
    started = ["mpirun", "--oversubscribe", "-n", str(ranks), sys.executable, *words]
    done = subprocess.run(started, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    if why := missing():
        pytest.skip(why)
    place = tmp_path_factory.mktemp("ranks")
    draw = np.random.default_rng(1)
    X = draw.uniform(-1.0, 1.0, (1500, 2))
    np.save(place / "X.npy", X)
    np.save(place / "y.npy", np.sin(4.0 * X[:, 0]) * X[:, 1])
    (place / "script.py").write_text(SCRIPT)
    return place


@pytest.fixture(scope="module")
def said(folder):
    """What ranks say of all cases: starting them takes longer than what they do."""
    return run(folder, 3, "script.py", "alone", "paper", "auto", "other", "bad")


def test_ranks_have_the_same_network_whatever_their_number(folder, said):
    one = np.load(folder / "alone1-0.npy")
    for rank in range(3):
        assert np.array_equal(np.load(folder / f"paper3-{rank}.npy"), one)
    alone = rfnn.PaperRFNNRegressor(width=4, blocks=2, iterations=20, random_state=1)
    X = np.load(folder / "X.npy")
    assert np.allclose(alone.fit(X, np.load(folder / "y.npy")).predict(X), one, rtol=0.0, atol=1e-10)


def test_preset_auto_takes_the_seed_of_the_first(folder, said):
    for rank in (1, 2):
        assert np.array_equal(np.load(folder / "auto3-0.npy"), np.load(folder / f"auto3-{rank}.npy"))


def test_a_rank_that_fails_fails_all(said):
    lines = [line for line in said.splitlines() if "preset is" not in line]
    assert len(lines) == 3
    assert all("InputError Input X contains NaN" in line or "Rank 2 of 3 has failed" in line for line in lines), said


def test_ranks_of_other_presets_are_refused(said):
    lines = [line for line in said.splitlines() if "preset is" in line]
    assert len(lines) == 3
    assert all("UsageError" in line and "paper on rank 0 and auto on rank 1" in line for line in lines), said


def test_parquet_of_ranks(folder):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    X, y = np.load(folder / "X.npy"), np.load(folder / "y.npy")
    whole = pa.table({"a": X[:, 0], "b": X[:, 1], "y": y})
    for name, rows in ("p-0", whole[:700]), ("p-1", whole[700:]), ("p", whole):
        pa.parquet.write_table(rows, folder / f"{name}.parquet")
    words = "--target y --preset paper --width 4 --blocks 1 --iterations 5 --threads 1 --quiet".split()
    run(folder, 2, "-m", "rfnn", "fit", "p-%r.parquet", *words)  # files of their own
    own = tensors((folder / "p.rfnn").read_bytes())
    run(folder, 2, "-m", "rfnn", "fit", "p.parquet", *words, "--valid", "p-1.parquet", "--out", "parts.rfnn")
    assert own == tensors((folder / "parts.rfnn").read_bytes())  # the last block is kept, with or without rows to judge


def test_a_command_that_such_a_program_runs_is_no_rank(folder, cli):
    (folder / "words.csv").write_text("a,y\nred,1\nblue,2\nred,1\nblue,2\n")
    script = """
import subprocess, sys
from mpi4py import MPI
sys.exit(subprocess.run(sys.argv[1:]).returncode)
"""
    words = [cli.program, "fit", "words.csv", "--target", "y", "--preset", "paper", "--blocks", "1", "--quiet"]
    done = subprocess.run([sys.executable, "-c", script, *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr  # ranks would refuse the words


def test_what_is_no_communicator_is_refused():
    model = rfnn.RFNNRegressor(blocks=1)
    with pytest.raises(rfnn.UsageError, match="comm (cannot be a int|needs mpi4py)"):
        model.fit([[0.0], [1.0]], [0.0, 1.0], comm=3)
