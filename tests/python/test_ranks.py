"""Ranks of MPI that fit one network together, by a communicator of mpi4py."""

import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

import rfnn

pytestmark = pytest.mark.core

SCRIPT = """
import numpy as np
import rfnn
from mpi4py import MPI

X = np.load("X.npy")
y = np.load("y.npy")
paper = rfnn.RFNNRegressor(preset="paper", width=4, blocks=2, iterations=20, random_state=1, n_jobs=1)
auto = rfnn.RFNNRegressor(width=8, blocks=2, n_jobs=1)  # a seed that rank 0 draws


def fit(name, model, comm):
    cuts = [rank * rank * len(X) // comm.size**2 for rank in range(comm.size + 1)]
    own = slice(cuts[comm.rank], cuts[comm.rank + 1])
    model.fit(X[own], y[own], comm=comm)
    np.save(f"{name}{comm.size}-{comm.rank}.npy", model.predict(np.load("X.npy")))


world = MPI.COMM_WORLD
if world.rank == 0:
    fit("paper", paper, MPI.COMM_SELF)
fit("paper", paper, world)
fit("auto", auto, world)
if world.rank == world.size - 1:
    X[-1, 0] = np.nan
try:
    fit("bad", paper, world)
except rfnn.Error as error:
    print(world.rank, type(error).__name__, error, flush=True)
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


def run(folder, ranks):
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
    words = ["mpirun", "--oversubscribe", "-n", str(ranks), sys.executable, "script.py"]
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """The folder in which ranks have fitted, and what they said: starting them takes longer than what they do."""
    if why := missing():
        pytest.skip(why)
    place = tmp_path_factory.mktemp("ranks")
    draw = np.random.default_rng(1)
    X = draw.uniform(-1.0, 1.0, (1500, 2))
    np.save(place / "X.npy", X)
    np.save(place / "y.npy", np.sin(4.0 * X[:, 0]) * X[:, 1])
    (place / "script.py").write_text(SCRIPT)
    return place, run(place, 3)


def test_ranks_have_the_same_network_whatever_their_number(ended):
    folder, _ = ended
    one = np.load(folder / "paper1-0.npy")
    for rank in range(3):
        assert np.array_equal(np.load(folder / f"paper3-{rank}.npy"), one)
    alone = rfnn.PaperRFNNRegressor(width=4, blocks=2, iterations=20, random_state=1)
    X = np.load(folder / "X.npy")
    assert np.allclose(alone.fit(X, np.load(folder / "y.npy")).predict(X), one, rtol=0.0, atol=1e-10)


def test_preset_auto_takes_the_seed_of_the_first(ended):
    folder, _ = ended
    for rank in 1, 2:
        assert np.array_equal(np.load(folder / "auto3-0.npy"), np.load(folder / f"auto3-{rank}.npy"))


def test_a_rank_that_fails_fails_all(ended):
    said = ended[1].splitlines()
    assert len(said) == 3
    assert all("InputError Input X contains NaN" in line or "Rank 2 of 3 has failed" in line for line in said), said


def test_a_command_that_such_a_program_runs_is_no_rank(tmp_path, cli):
    if why := missing():
        pytest.skip(why)
    (tmp_path / "words.csv").write_text("a,y\nred,1\nblue,2\nred,1\nblue,2\n")
    script = """
import subprocess, sys
from mpi4py import MPI
sys.exit(subprocess.run(sys.argv[1:]).returncode)
"""
    words = [cli.program, "fit", "words.csv", "--target", "y", "--preset", "paper", "--blocks", "1", "--quiet"]
    done = subprocess.run([sys.executable, "-c", script, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr  # ranks would refuse the words


def test_what_is_no_communicator_is_refused():
    model = rfnn.RFNNRegressor(blocks=1)
    with pytest.raises(rfnn.UsageError, match="comm (cannot be a int|needs mpi4py)"):
        model.fit([[0.0], [1.0]], [0.0, 1.0], comm=3)
