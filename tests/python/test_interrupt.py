"""Ctrl-C, the notebook's stop button, callbacks: a fit ends soon and leaves a fitted estimator."""

import itertools
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from conftest import quick, waves
from sklearn.exceptions import ConvergenceWarning

import rfnn
from rfnn import _training

LONG = """
import sys
import numpy as np
from rfnn import RFNNRegressor
rng = np.random.default_rng(0)
X = rng.normal(size=({rows}, 5))
y = np.sin(3 * X[:, 0]) * X[:, 1] + rng.normal(size=len(X))
model = RFNNRegressor({options}, random_state=1)
told = []
def tell(progress):
    if not told:
        told.append(print("training", flush=True))
"""
CASES = {
    "paper": {"options": "preset='paper', iterations=10**9", "rows": 5000},
    "paper, many rows": {"options": "preset='paper', iterations=10**9, n_jobs=-1", "rows": 300000},
    "auto": {"options": "preset='auto'", "rows": 3000},
    "auto, many rows": {"options": "n_jobs=-1", "rows": 100000},
}


@pytest.mark.parametrize("case", CASES)
def test_sigint_in_a_process(case):
    script = (
        LONG.format(**CASES[case])
        + """
try:
    model.fit(X, y, callbacks=[tell])
    print("not interrupted", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
print(model.stop_reason_, model.predict(X[:7]).shape, flush=True)
"""
    )
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "training\n"
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "interrupted\n"
        assert child.stdout.readline() == "interrupted (7,)\n"
        assert child.wait(20) == 0
    finally:
        child.kill()
        child.stdout.close()


def test_the_stop_button_of_a_notebook(tmp_path):
    from jupyter_client.manager import KernelManager

    environment = {**os.environ, "IPYTHONDIR": str(tmp_path), "JUPYTER_RUNTIME_DIR": str(tmp_path)}
    manager = KernelManager(kernel_name="python3")
    manager.kernel_spec.argv[0] = sys.executable  # this Python, whatever kernels are installed
    manager.start_kernel(env=environment)
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)

        def texts(request, stop_at=None):
            """What the kernel prints until it is idle, or until it prints stop_at."""
            printed, error = "", None
            while True:
                message = client.get_iopub_msg(timeout=60)
                if message["parent_header"].get("msg_id") != request:
                    continue
                content = message["content"]
                if message["msg_type"] == "stream":
                    printed += content["text"]
                    if stop_at and stop_at in printed:
                        return printed, error
                elif message["msg_type"] == "error":
                    error = content["ename"]
                elif message["msg_type"] == "status" and content["execution_state"] == "idle":
                    return printed, error

        texts(client.execute(LONG.format(**CASES["paper"])))
        request = client.execute("model.fit(X, y, callbacks=[tell])")
        assert "training" in texts(request, stop_at="training")[0]
        manager.interrupt_kernel()
        _, error = texts(request)
        assert error == "KeyboardInterrupt"
        printed, error = texts(client.execute("print(model.stop_reason_, model.predict(X[:7]).shape)"))
        assert (printed, error) == ("interrupted (7,)\n", None)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def test_python_m_rfnn_stops_as_the_command_does(tmp_path):
    X, y = waves(3000)
    np.save(tmp_path / "rows.npy", np.c_[X, y])
    words = ["fit", "rows.npy", "--target", "3", "--preset", "paper", "--iterations", "1000000000", "--json"]
    command = [sys.executable, "-m", "rfnn", *words]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=tmp_path)
    try:
        assert '"start"' in child.stdout.readline()
        child.send_signal(signal.SIGINT)
        child.stdout.read()
        assert child.wait(20) == 4  # cut short, model saved
    finally:
        child.kill()
        child.stdout.close()
    assert rfnn.load(tmp_path / "rows.rfnn").stop_reason_ == "interrupted"


def test_a_fit_in_another_thread():
    X, y = waves()
    expected = quick().fit(X, y).predict(X)
    found = []
    thread = threading.Thread(target=lambda: found.append(quick().fit(X, y).predict(X)))
    thread.start()
    thread.join()
    assert np.array_equal(found[0], expected)


def test_others_run_while_a_fit_runs():
    X, y = waves(2000)
    ticks = itertools.count()
    enough = threading.Event()
    model = quick(iterations=10**9)
    thread = threading.Thread(target=lambda: model.fit(X, y, callbacks=[lambda progress: enough.is_set()]))
    thread.start()
    while next(ticks) < 10000:  # only without the interpreter's lock does this get anywhere
        pass
    enough.set()
    thread.join()
    assert model.stop_reason_ == "interrupted"


def test_no_look_at_python_passes_over_a_signal():
    """Between a signal and the end of the fit the callbacks are not asked again, however long the run would be."""
    X, y = waves(2000)
    began, sent, after = threading.Event(), threading.Event(), []

    def look(progress):
        if sent.is_set():
            after.append(progress)
        began.set()

    def interrupt():
        began.wait()
        os.kill(os.getpid(), signal.SIGINT)
        sent.set()

    thread = threading.Thread(target=interrupt)
    thread.start()
    model = quick(iterations=10**9)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y, callbacks=look)
    thread.join()
    assert len(after) <= 1 and model.stop_reason_ == "interrupted" and model.predict(X).shape == (2000,)


def test_a_prediction_is_interrupted():
    class Stop(Exception):
        pass

    def stop(number, frame):
        raise Stop

    X, y = waves(50, inputs=1)
    model = quick(blocks=1, width=100, iterations=0).fit(X, y).model_
    rows = np.tile(X, (50000, 1))
    outputs = np.full((len(rows), 1), np.nan)

    def interrupt():
        while np.isnan(outputs[0, 0]):
            pass
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, stop)
    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(Stop):
            model.predict(rows, outputs)
    finally:
        thread.join()
        signal.signal(signal.SIGINT, before)
    assert np.isnan(outputs[-1, 0]) and np.isfinite(outputs[0, 0])


def test_a_function_sees_the_progress_and_ends_the_fit():
    X, y = waves()
    seen = []

    def look(progress):
        seen.append((progress.block, progress.iteration))
        return progress.iteration > 100

    model = quick(iterations=10**9).fit(X, y, callbacks=[look])
    assert model.stop_reason_ == "interrupted" and model.n_blocks_ == 1
    assert seen[-1][0] == 1 and seen[-1][1] > 100


def test_an_object_sees_the_blocks_and_ends_the_fit():
    class Blocks(rfnn.Callback):
        def __init__(self):
            self.errors = []

        def on_block(self, record):
            self.errors.append(record["train_mse"])
            return record["block"] == 2

    X, y = waves()
    blocks = Blocks()
    model = quick(blocks=5).fit(X, y, callbacks=[blocks])
    assert model.n_blocks_ == 2 and list(model.history_["train_mse"]) == blocks.errors


def test_an_exception_of_a_callback_comes_through_and_the_estimator_is_fitted():
    class Odd(Exception):
        pass

    class Blocks(rfnn.Callback):
        def on_block(self, record):
            raise Odd("enough")

    X, y = waves()
    model = quick()
    with pytest.raises(Odd, match="enough"):
        model.fit(X, y, callbacks=[Blocks()])
    assert model.n_blocks_ == 1 and model.predict(X).shape == (200,)


def test_what_is_no_callback_is_refused():
    X, y = waves()
    for wrong in ([3], [rfnn.Callback], 3, rfnn.Callback, "function"):
        with pytest.raises(rfnn.UsageError, match="is no callback"):
            quick().fit(X, y, callbacks=wrong)


def test_a_callback_may_be_given_alone():
    class Blocks(rfnn.Callback):
        def on_block(self, record):
            return record["block"] == 1

    X, y = waves()
    assert quick().fit(X, y, callbacks=Blocks()).n_blocks_ == 1
    seen = []
    quick().fit(X, y, callbacks=seen.append)
    assert seen and repr(seen[0]).startswith("<rfnn.Progress: member 0, block ")
    assert quick(iterations=10**9).fit(X, y, callbacks=(look for look in [lambda progress: True])).n_blocks_ <= 1


def test_callbacks_do_not_change_the_result():
    X, y = waves()
    plain = quick().fit(X, y)
    watched = quick().fit(X, y, callbacks=[lambda progress: False, rfnn.Callback()])
    assert np.array_equal(plain.predict(X), watched.predict(X))


def test_time_that_is_over_at_once_leaves_the_mean_and_says_so():
    X, y = waves()
    model = rfnn.RFNNRegressor(max_time=1e-9, random_state=1)
    with pytest.warns(rfnn.MeanOnlyWarning, match="max_time=1e-09 was over before the first block") as caught:
        model.fit(X, y)
    assert caught[0].filename == __file__ and len(caught) == 1
    assert model.stop_reason_ == "out-of-time" and model.n_blocks_ == 0 and np.ptp(model.predict(X)) == 0


def test_a_fit_that_time_ended_is_warned_of_once():
    X, y = waves()
    model = quick(blocks=100, iterations=10_000, max_time=0.5)
    with pytest.warns(rfnn.OutOfTimeWarning, match=r"max_time=0.5 ended training early; .* A longer max_time may help") as caught:
        model.fit(X, y)
    assert model.stop_reason_ == "out-of-time" and len(caught) == 1 and caught[0].filename == __file__
    assert issubclass(rfnn.OutOfTimeWarning, ConvergenceWarning) and issubclass(rfnn.MeanOnlyWarning, rfnn.OutOfTimeWarning)


def test_what_time_left_undone_is_part_of_its_warning():
    class Model:
        blocks, stop_reason, validation_mse, options = 2, "out-of-time", 0.1, rfnn._core.Options("auto")

    told = [
        "Time ended before the plan: 2 networks were cut short. A longer max-time may help.",
        "There was not enough time to find out whether to take logarithms of inputs: a longer max-time may help.",
        "Other rows.",
    ]
    with pytest.warns(rfnn.RFNNWarning) as caught:
        _training._remark(rfnn.RFNNRegressor(max_time=2.0), Model(), [], told, 1)
    cut, other = (warning for warning in caught)
    assert cut.category is rfnn.OutOfTimeWarning and other.category is rfnn.RFNNWarning
    assert "2 networks were cut short. A longer max_time may help." in str(cut.message)
    assert "logarithms of inputs" in str(cut.message) and str(other.message) == "Other rows."


def test_progress_says_how_far_the_time_and_the_errors_are():
    X, y = waves(400)
    seen = []
    rfnn.RFNNRegressor(max_time=1000, blocks=1, width=4, members=1, random_state=1).fit(X, y, callbacks=seen.append)
    assert all(0 <= now.share < 1 for now in seen) and seen[-1].share > 0
    assert all(now.best_validation_mse is None or now.best_validation_mse > 0 for now in seen)
