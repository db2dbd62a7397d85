"""Fits on a Dask cluster: the model of one machine, whoever holds the rows and whoever is lost."""

import asyncio
import collections
import contextlib
import faulthandler
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import tensors

import rfnn
from rfnn import _core

pytest.importorskip("dask", reason="Dask is not installed")
pytest.importorskip("distributed", reason="dask.distributed is not installed")

import dask
import dask.array as da
import dask.dataframe as dd
import pandas as pd
from dask import delayed
from distributed import Client, LocalCluster, get_client
from sklearn.base import clone

from rfnn.dask import ClusterError, RFNNRegressor, _cluster, _training, _worker

PAPER = {"preset": "paper", "width": 4, "blocks": 2, "iterations": 4, "random_state": 1}
AUTO = {"width": 8, "blocks": 2, "members": 1, "random_state": 1}


@pytest.fixture(autouse=True)
def never_hangs():
    """A test that waits for ever ends the run, with where it waits."""
    faulthandler.dump_traceback_later(240, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


@contextlib.contextmanager
def workers(count, **given):
    given = {"processes": False, "threads_per_worker": 1, "dashboard_address": ":0", **given}
    with LocalCluster(n_workers=count, **given) as cluster, Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def two():
    with workers(2) as client:
        yield client


def table(rows=3000):
    """A smooth function of three inputs, the last of them constant; some rows are there twice, some count more."""
    random = np.random.default_rng(3)
    X = random.uniform(-1, 1, (rows, 3))
    X[5::17] = X[4 : rows - 1 : 17][: len(X[5::17])]
    X[:, 2] = 7.0
    y = np.column_stack([np.sin(3 * X[:, 0]) + X[:, 1] ** 2, np.cos(X[:, 0] + X[:, 1])])
    return X, y, random.integers(0, 4, rows).astype(float)


def spread(chunk, *arrays):
    return [da.from_array(array, chunks=(chunk, *array.shape[1:])) for array in arrays]


def same(one, other):
    return tensors(one.model_.to_bytes()) == tensors(other.model_.to_bytes())


def test_there_is_no_client():  # the first one: others leave theirs open
    with pytest.raises(ValueError):
        get_client()
    X, y, _ = table(60)
    model = RFNNRegressor(**AUTO).fit(X, y)
    inputs, targets = spread(20, X, y)
    with dask.config.set(scheduler="synchronous"):
        assert model.score(inputs, targets) == pytest.approx(model.score(X, y))
    with pytest.raises(rfnn.UsageError, match="There is no Dask client.*Client"):
        RFNNRegressor(**PAPER).fit(*spread(20, X, y))


def test_the_same_bits_on_any_number_of_workers_and_in_any_partitions():
    X, y, _ = table()
    alone = rfnn.RFNNRegressor(**PAPER).fit(X, y)
    few = rfnn.RFNNRegressor(**AUTO).fit(X[:200], y[:200])
    first = None
    for count, chunk in (1, 3000), (2, 701), (3, 1000), (4, 250):
        with workers(count):
            model = RFNNRegressor(**PAPER).fit(*spread(chunk, X, y))
            assert same(RFNNRegressor(**AUTO).fit(*spread(chunk // 10, X[:200], y[:200])), few)
        first = first or model
        assert same(model, first)
        assert model.train_mse_ == first.train_mse_
        assert model.model_.data_fingerprint == alone.model_.data_fingerprint
        assert np.abs(model.predict(X) - alone.predict(X)).max() < 1e-10
    assert first.history_["block"].tolist() == [1, 2] and first.stop_reason_ == alone.stop_reason_
    assert first.warnings_ == alone.warnings_ and first.model_.train_rows == 3000


@pytest.mark.parametrize("given", [
    {"validation_fraction": 0.2},
    {"solver": "qr", "block_rows": "disjoint"},
    {"block_rows": "subset"},
])  # fmt: skip
def test_weights_rows_held_out_and_rows_of_blocks(two, given):
    X, y, weights = table(1500)
    model = RFNNRegressor(**{**PAPER, **given}).fit(*spread(400, X, y, weights))
    alone = rfnn.RFNNRegressor(**{**PAPER, **given}).fit(X, y, weights)
    assert np.abs(model.predict(X) - alone.predict(X)).max() < 1e-10
    assert model.model_.validation_rows == alone.model_.validation_rows
    assert model.validation_mse_ == pytest.approx(alone.validation_mse_, rel=1e-9) if model.validation_mse_ else True


def test_rows_given_to_judge_and_going_on(two):
    X, y, _ = table(900)
    given = {**PAPER, "blocks": 1}
    model = RFNNRegressor(**given, warm_start=True).fit(*spread(300, X[:600], y[:600]), eval_set=tuple(spread(100, X[600:], y[600:])))
    alone = rfnn.RFNNRegressor(**given, warm_start=True).fit(X[:600], y[:600], eval_set=(X[600:], y[600:]))
    assert model.validation_mse_ == pytest.approx(alone.validation_mse_, rel=1e-9)
    model.set_params(blocks=2).fit(*spread(300, X[:600], y[:600]))
    alone.set_params(blocks=2).fit(X[:600], y[:600])
    assert model.n_blocks_ == 2 and np.abs(model.predict(X) - alone.predict(X)).max() < 1e-10


def test_preset_auto_is_the_fit_of_one_process(two, capsys):
    X, y, weights = table(300)
    seen = []
    model = RFNNRegressor(**AUTO, verbose=1)
    model.fit(*spread(70, X, y, weights), callbacks=[lambda progress: seen.append(progress.stage)])
    alone = rfnn.RFNNRegressor(**AUTO).fit(X, y, weights)
    assert same(model, alone) and model.warnings_ == alone.warnings_ and model.validation_mse_ == alone.validation_mse_
    assert "bringing the rows in order" in seen and len(set(seen)) > 1
    assert "block 1" in capsys.readouterr().err
    assert not _worker._runs and not _worker._staged and not _worker._ended and not _worker._asked


def test_preset_auto_draws_the_rows_that_a_worker_has_memory_for(monkeypatch):
    X, y, _ = table(20000)
    monkeypatch.setattr(_training, "_SHARE_OF_FIT", 0.01)  # the worker is in this process, which needs some hundred megabytes
    with workers(1, memory_limit="4GB"):
        model = RFNNRegressor(members=1, random_state=1, max_time=2).fit(*spread(5000, X, y[:, 0]))
    assert model.model_.train_rows < 20000 and any("there is memory (40MB)" in warning for warning in model.warnings_)


def test_frames_files_and_lists(two, tmp_path):
    X, y, _ = table(600)
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).astype({"a": "float64"}).assign(n=np.arange(600) % 7, height=y[:, 0])
    alone = rfnn.RFNNRegressor(**PAPER).fit(frame[["a", "b", "c", "n"]], frame["height"])
    dd.from_pandas(frame, npartitions=3).to_parquet(tmp_path / "parquet")
    dd.from_pandas(frame, npartitions=3).to_csv(str(tmp_path / "part-*.csv"), index=False)
    parquet = dd.read_parquet(tmp_path / "parquet" / "*.parquet")
    for ddf in dd.read_csv(str(tmp_path / "part-*.csv")), parquet:
        model = RFNNRegressor(**PAPER).fit(ddf[["a", "b", "c", "n"]], ddf["height"])
        assert list(model.feature_names_in_) == ["a", "b", "c", "n"] and model.model_.targets == ["height"]
        assert np.abs(model.predict(frame[["a", "b", "c", "n"]]) - alone.predict(frame[["a", "b", "c", "n"]])).max() < 1e-10
    predicted = model.predict(parquet[["a", "b", "c", "n"]])
    assert isinstance(predicted, dd.Series) and predicted.name == "height"
    together = parquet.assign(predicted=predicted).compute()
    assert np.array_equal(together["predicted"], model.predict(frame[["a", "b", "c", "n"]]))
    parts = [delayed(frame.iloc[first : first + 200]) for first in (0, 200, 400)]
    listed = RFNNRegressor(**PAPER).fit([part[["a", "b", "c", "n"]] for part in parts], [part["height"] for part in parts])
    assert same(listed, model)
    first = listed.predict([part[["a", "b", "c", "n"]] for part in parts])[0].compute()
    assert np.array_equal(first, model.predict(frame.iloc[:200][["a", "b", "c", "n"]]))
    futures = two.scatter([frame.iloc[:300], frame.iloc[300:]])
    pick = lambda *names: [two.submit(lambda part: part[names[0] if len(names) == 1 else list(names)], f) for f in futures]
    assert same(RFNNRegressor(**PAPER).fit(pick("a", "b", "c", "n"), pick("height")), model)


def test_what_is_predicted_is_lazy(two):
    X, y, _ = table(400)
    inputs, targets = spread(150, X, y)
    for target, lazy in (y[:, 0], targets[:, 0]), (y, targets):
        model = RFNNRegressor(**AUTO).fit(X, target)  # in memory, as its parent
        predicted = model.predict(inputs)
        assert isinstance(predicted, da.Array) and predicted.shape == target.shape
        assert np.array_equal(predicted.compute(), model.predict(X))
        lazily = [*model.predict(inputs, return_std=True), *model.predict_interval(inputs, 0.8), model.predict_quantiles(inputs, [0.2, 0.5])]
        at_once = [*model.predict(X, return_std=True), *model.predict_interval(X, 0.8), model.predict_quantiles(X, [0.2, 0.5])]
        for one, other in zip(lazily, at_once):
            assert isinstance(one, da.Array) and one.shape == other.shape and np.array_equal(one.compute(), other)
        assert model.score(inputs, lazy) == pytest.approx(model.score(X, target), abs=1e-12)
        stages = [stage.compute() for stage in model.staged_predict(inputs)]
        assert all(np.array_equal(one, other) for one, other in zip(stages, model.staged_predict(X), strict=True))
    far = np.where(np.arange(400)[:, None] == 3, 99.0, X)
    assert np.flatnonzero(model.rows_outside(da.from_array(far, chunks=(100, 2))).compute()).tolist() == [3]
    unknown = dd.from_pandas(pd.DataFrame(X), npartitions=3)
    assert np.array_equal(model.predict(unknown.values).compute(), model.predict(X))
    lower, upper = model.predict_interval(unknown)
    assert list(lower.columns) == ["y1_lower", "y2_lower"] and list(upper.compute().columns) == ["y1_upper", "y2_upper"]
    with pytest.raises(rfnn.UsageError, match="coverage is 90"):
        model.predict_interval(inputs, 90)
    with pytest.raises(rfnn.UsageError, match="probabilities is 1.0"):
        model.predict_quantiles(inputs, [0.5, 1.0])
    weights = np.arange(400.0)
    assert model.score(inputs, targets, da.from_array(weights, chunks=150)) == pytest.approx(model.score(X, y, weights))


def test_what_workers_forget_is_made_again(two):
    X, y, weights = table(1000)
    given = {**PAPER, "iterations": 12, "validation_fraction": 0.1, "block_rows": "subset"}
    parts = spread(300, X, y, weights)
    lost = []

    def lose(progress):  # workers are threads here: this is what they hold
        if progress.block > 0 and _worker._runs and len(lost) < 5:
            lost.append(progress.iteration)
            _worker._runs.pop(next(iter(_worker._runs)))

    assert same(RFNNRegressor(**given).fit(*parts, callbacks=lose), RFNNRegressor(**given).fit(*parts)) and lost


def test_a_worker_that_hangs_is_not_waited_for_where_it_is_told_something(monkeypatch):
    monkeypatch.setattr(_cluster, "_ANSWER", 0.5)
    with workers(2, processes=True, memory_limit=0) as client:
        cluster = _cluster.Cluster(client)
        assert len(cluster.rooms()) == 2
        pid = next(iter(client.run(os.getpid).values()))
        os.kill(pid, signal.SIGSTOP)
        try:
            cluster.tell(_worker.forget, "nothing")
            assert len(cluster.rooms()) == 1
        finally:
            os.kill(pid, signal.SIGCONT)


def test_workers_that_are_killed(two):
    X, y, _ = table(4000)
    given, parts, few = {**PAPER, "iterations": 20}, spread(1000, X, y), spread(500, X[:2000], y[:2000])
    whole, automatic = RFNNRegressor(**given).fit(*parts), RFNNRegressor(**AUTO).fit(*few)
    # A LocalCluster gives up workers that are not there again in 15 s: a busy machine takes longer.
    with dask.config.set({"distributed.deploy.lost-worker-timeout": "200s"}), workers(2, processes=True) as client:
        killed = []

        def kill(worker):
            killed.append(worker)
            os.kill(client.run(os.getpid)[worker], signal.SIGKILL)

        def kill_one(progress):
            if progress.block > 0 and not killed:
                kill(next(iter(client.nthreads())))

        def kill_who_trains(progress):
            trains = [worker for worker, tasks in client.processing().items() if any("train" in str(task) for task in tasks)]
            if trains and not killed:
                kill(trains[0])

        assert same(RFNNRegressor(**given).fit(*parts, callbacks=kill_one), whole) and len(killed) == 1
        killed.clear()
        client.wait_for_workers(2)
        assert same(RFNNRegressor(**AUTO).fit(*few, callbacks=kill_who_trains), automatic) and len(killed) == 1
        # Rows that were sent to a worker nobody can make again.
        client.wait_for_workers(2)
        holder = client.submit(os.getpid, pure=False)
        pid, (worker,) = holder.result(), client.who_has(holder)[holder.key]
        sent = [client.scatter([array[:300]], workers=[worker]) for array in (X, y)]
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(ClusterError, match="lost"):
            RFNNRegressor(**given).fit(*sent)


@pytest.mark.parametrize("given", [{**PAPER, "iterations": 200}, AUTO])
def test_ctrl_c_and_callbacks_end_a_fit(two, given):
    X, y, _ = table(500)

    class Stop(rfnn.Callback):
        def on_block(self, record):
            raise KeyboardInterrupt

    for callback, expected in (Stop(), KeyboardInterrupt), (lambda progress: progress.block > 0, None):
        model = RFNNRegressor(**{**given, "blocks": 5})
        with pytest.raises(expected) if expected else contextlib.nullcontext():
            model.fit(*spread(100, X, y), callbacks=callback)
        assert model.stop_reason_ == "interrupted" and model.n_blocks_ < 5
        assert np.isfinite(model.predict(X)).all()


@pytest.mark.parametrize("given", [{**PAPER, "blocks": 100}, {**AUTO, "blocks": 100}])
def test_a_scheduler_that_is_gone_ends_a_fit(given):
    X, y, _ = table(500)
    with dask.config.set({"distributed.comm.timeouts.connect": "0.1s"}), workers(1) as client:

        class Close(rfnn.Callback):
            def on_block(self, record):
                if client.status == "running":
                    asyncio.run_coroutine_threadsafe(client.cluster.scheduler.close(), client.loop.asyncio_loop).result()
                while client.status != "closed":  # Dask tries to reconnect
                    time.sleep(0.01)

        with pytest.raises(ClusterError, match="scheduler"):
            RFNNRegressor(**given).fit(*spread(100, X, y), callbacks=Close())


_GATES = collections.defaultdict(threading.Event)  # each test has its own: workers may still be at what it has given up
_FITS = []
_TRAIN = _worker.train


def held_up(part, gate):
    """A partition that comes when it may."""
    _GATES[gate].wait(200)
    return part


def train_much_later(fit, parts, most, about):
    """The rows took a thousand seconds to come."""
    _FITS[-1]._began -= 1000.0
    return _TRAIN(fit, parts, most, about)


def train_when_it_may(*given):
    _GATES["train"].wait(200)
    return _TRAIN(*given)


def test_max_time_counts_from_the_start_of_fit(two, monkeypatch):
    X, y, _ = table(300)
    told, seen = [], []
    make, trained = _training._Fit.__init__, _core.fit_records
    monkeypatch.setattr(_training._Fit, "__init__", lambda self, *given: (make(self, *given), _FITS.append(self))[0])
    monkeypatch.setattr(_core, "fit_records", lambda *given: (told.append(given[-2]), trained(*given))[1])
    monkeypatch.setattr(_worker, "train", train_much_later)
    RFNNRegressor(**AUTO, max_time=2000).fit(*spread(100, X, y), callbacks=lambda progress: seen.append(progress.elapsed))
    assert 1000 < told[0] < 2000
    assert seen == sorted(seen) and 1000 < seen[-1] < 2000  # seconds since fit began, of all stages


@pytest.mark.parametrize("given", [PAPER, AUTO])
def test_rows_that_come_too_late_for_max_time(two, given):
    X, y, _ = table(200)
    gate = given.get("preset", "auto")
    parts = [[delayed(held_up)(array[first : first + 100], gate) for first in (0, 100)] for array in (X, y)]
    try:
        with pytest.raises(ClusterError, match=r"max_time=0.5 was over before .* looking at the table.* persist"):
            RFNNRegressor(**given, max_time=0.5).fit(*parts)
        columns = [da.concatenate([da.from_delayed(part, (100, width), float) for part in some]) for some, width in zip(parts, (3, 2))]
        with pytest.raises(ClusterError, match=r"max_time=0.5 was over before .* bringing the rows in order"):
            RFNNRegressor(**given, max_time=0.5).fit(*columns)
        with pytest.raises(ClusterError, match="max_time"):
            RFNNRegressor(**given, max_time=0.5).fit(*spread(100, X, y), eval_set=tuple(columns))
    finally:
        _GATES[gate].set()


def test_a_worker_that_gets_the_rows_too_late_for_max_time(two, monkeypatch):
    X, y, _ = table(200)
    monkeypatch.setattr(_worker, "train", train_when_it_may)
    make = _training._Fit.__init__
    monkeypatch.setattr(_training._Fit, "__init__", lambda self, *given: (make(self, *given), _FITS.append(self))[0])
    model = RFNNRegressor(**AUTO, max_time=100)

    def much_later(progress):
        if progress.stage == "bringing the rows to one worker":
            _FITS[-1]._began -= 1000.0
            _FITS[-1]._watcher._began -= 1000.0

    try:
        with pytest.raises(ClusterError, match="max_time=100 was over before .* bringing the rows to one worker"):
            model.fit(*spread(100, X, y), callbacks=much_later)
        assert not hasattr(model, "model_")
    finally:
        _GATES["train"].set()


@pytest.mark.parametrize("given", [PAPER, AUTO])
def test_a_fit_within_a_task_leaves_its_slot_to_its_own_tasks(given):
    X, y, _ = table(300)
    fit = lambda: RFNNRegressor(**given).fit(*spread(100, X, y))
    with workers(1) as client:
        within = client.submit(fit, pure=False).result(timeout=60)
        assert same(within, fit())


def test_what_is_refused(two):
    X, y, _ = table(300)
    parts = spread(100, X, y)
    model = RFNNRegressor(**AUTO).fit(X, y)
    for method in model.predict, model.predict_interval, model.rows_outside:
        with pytest.raises(ValueError, match="X has 2 features, but RFNNRegressor is expecting 3"):
            method(parts[0][:, :2])  # at once, not when it is computed
    named = RFNNRegressor(**AUTO).fit(pd.DataFrame(X, columns=["a", "b", "c"]), y)
    with pytest.raises(ValueError, match="feature names"):
        named.predict(dd.from_pandas(pd.DataFrame(X, columns=["a", "b", "z"]), npartitions=2))
    X[250, 1] = np.nan
    fit = lambda *table, **given: RFNNRegressor(**PAPER).set_params(**given).fit(*table)
    with pytest.raises(rfnn.InputError, match="Row 251.*x2"):
        fit(*spread(100, X, y))
    with pytest.raises(rfnn.InputError, match="no rows"):
        fit(*(part[:0] for part in parts))
    with pytest.raises(rfnn.InputError, match="weight 0"):
        RFNNRegressor(**PAPER).fit(*parts, sample_weight=da.zeros(300, chunks=100))
    frame = pd.DataFrame(X[:, :2], columns=["a", "b"]).assign(c="red", when=pd.Timestamp("2026-01-01"))
    ddf = dd.from_pandas(frame, npartitions=2)
    target = dd.from_pandas(pd.Series(y[:, 0]), npartitions=2)
    for columns in ["a", "c"], ["a", "when"]:
        with pytest.raises(rfnn.UsageError, match=f"Column '{columns[1]}' of X holds"):
            fit(ddf[columns], target)
    one, two_columns = delayed(X[:100]), delayed(X[:100, :2])
    with pytest.raises(rfnn.UsageError, match="Partition 1 .* other columns"):
        fit([one, two_columns], [delayed(y[:100])] * 2)
    with pytest.raises(rfnn.UsageError, match="Partition 1 .* 100 rows of X, but 50"):
        fit([one, one], [delayed(y[:100]), delayed(y[:50])])
    with pytest.raises(rfnn.UsageError, match="X has 2 partitions, y has 1"):
        fit([one, one], [delayed(y[:100])])
    with pytest.raises(rfnn.UsageError, match="no collection of Dask"):
        fit(parts[0], y)
    with pytest.raises(rfnn.UsageError, match="dropna"):
        fit(*parts, missing="drop")
    with pytest.raises(rfnn.UsageError, match="needs all rows in one place"):
        fit(*parts, holdout="tail", validation_fraction=0.2)
    with pytest.raises(rfnn.UsageError, match="run_dir is for tables in memory"):
        RFNNRegressor(**PAPER).fit(*parts, run_dir="folder")
    with pytest.raises(rfnn.UsageError, match="memory_limit of LocalCluster"):
        fit(*parts, memory="1GB")
    with pytest.raises(rfnn.UsageError, match="warm_start"):
        RFNNRegressor(**PAPER).partial_fit(*parts)


def test_parameters_are_those_of_the_estimator():
    model = RFNNRegressor(preset="paper", iterations=5, width=3)
    assert model.get_params() == rfnn.RFNNRegressor(preset="paper", iterations=5, width=3).get_params()
    assert clone(model).get_params() == model.get_params()
    assert repr(model) == "RFNNRegressor(iterations=5, preset='paper', width=3)"


def test_without_dask_the_import_says_what_to_install():
    code = "import sys; sys.modules['dask'] = None; import rfnn.dask"
    where = pathlib.Path(rfnn.__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(where)})
    assert done.returncode != 0 and 'pip install "rfnn[dask]"' in done.stderr
