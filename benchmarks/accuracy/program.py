"""Runs the command `rfnn` as a user does: fit to a CSV file, predict another."""
import hashlib
import json
import os
import pathlib
import subprocess
import time
from dataclasses import asdict, dataclass

import numpy as np


@dataclass(frozen=True)
class Program:
    """A binary with options; max_time 0 is no limit."""
    label: str
    path: str
    max_time: float = 0.0
    options: tuple = ()

    def identity(self):
        """What a cached result depends on: the bytes of the program, not where it lies or what it is called."""
        described = asdict(self)
        del described["label"], described["path"]
        return {"program": hashlib.sha256(pathlib.Path(self.path).read_bytes()).hexdigest()[:16], **described}

    def version(self):
        return subprocess.run([self.path, "--version"], capture_output=True, text=True, check=True).stdout.strip()


class Failed(Exception):
    """The program ended with an error; its own words."""


def write_table(path, columns):
    """CSV with the inputs x1, x2, … and the target y, numbers as they are."""
    names = [f"x{number + 1}" for number in range(columns.shape[1] - 1)] + ["y"]
    np.savetxt(path, columns, fmt="%.17g", delimiter=",", header=",".join(names), comments="")


def call(command, output):
    """Exit code, seconds and seconds of processor time of a command. It gets no Ctrl-C of the terminal: a fit that is cut
    short must not pass for one that ended."""
    with open(output, "w", encoding="utf-8") as out, open(f"{output}.err", "w", encoding="utf-8") as words:
        began = time.monotonic()
        process = subprocess.Popen(command, stdout=out, stderr=words, stdin=subprocess.DEVNULL, start_new_session=True)
        try:
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        except BaseException:
            process.kill()
            raise
    return process.returncode, time.monotonic() - began, used.ru_utime + used.ru_stime


def fit_and_predict(program, draw, seed, folder):
    """Predictions for the fresh rows, and what the fit said and took."""
    folder = pathlib.Path(folder)
    write_table(folder / "train.csv", np.column_stack([draw.x, draw.y]))
    write_table(folder / "test.csv", np.column_stack([draw.fresh, np.zeros(len(draw.fresh))]))
    limit = ["--max-time", str(program.max_time)] if program.max_time else []
    code, seconds, cpu = call([program.path, "fit", folder / "train.csv", "--target", "y", "--threads", "1", "--seed",
                               str(seed), "--json", "--quiet", "--out", folder / "model.rfnn", *limit, *program.options],
                              folder / "fit.jsonl")
    if code != 0 and not (code == 4 and program.max_time):
        words = (folder / "fit.jsonl.err").read_text().strip()
        raise Failed(f"fit ended with exit code {code}: {words[-300:]}")
    said = [json.loads(line) for line in (folder / "fit.jsonl").read_text().splitlines()]
    done = next((line for line in reversed(said) if line.get("event") == "done"), {})
    ended, _, _ = call([program.path, "predict", folder / "model.rfnn", folder / "test.csv", "--out",
                        folder / "predicted.csv", "--quiet"], folder / "predict.txt")
    if ended != 0:
        raise Failed(f"predict ended with exit code {ended}: {(folder / 'predict.txt.err').read_text().strip()[-300:]}")
    predicted = np.loadtxt(folder / "predicted.csv", delimiter=",", skiprows=1, ndmin=2)[:, -1]
    return predicted, {"seconds": seconds, "cpu_seconds": cpu, "reported": first(done.get("validation_mse")),
                       "reported_se": first(done.get("validation_se")), "blocks": done.get("blocks"),
                       "members": done.get("members"), "cut_short": code == 4}


def first(value):
    return value[0] if isinstance(value, list) else value
