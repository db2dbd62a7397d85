"""Every command on a terminal of 80 columns, in a pipe, and with --json."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios
import threading

import numpy as np
import pandas as pd
import pytest

pytestmark = pytest.mark.core

READING = ["--target", "level", "--decimal", ",", "--comment", "#", "--missing", "mean", "--ignore", "id"]
LITTLE = ["--preset", "paper", "--blocks", "2", "--iterations", "30"]
#: What is printed for programs or to be copied is not broken into lines.
FOR_SHELLS = ("completion", "generate")
TO_COPY = re.compile(r"^ +rfnn ")

#: Words, exit code, and whether the command has --json. In the order in which they make each other's files.
COMMANDS = {
    "fit": (["fit", "story.csv", *READING, "--members", "1", "--width", "8", "--blocks", "2", "--out", "auto.rfnn"], 0, "lines"),
    "fit, paper": (["fit", "story.csv", *READING, *LITTLE, "--draws", "20", "--out", "paper.rfnn"], 0, "lines"),
    "fit --dry-run": (["fit", "story.csv", *READING, "--dry-run"], 0, True),
    "predict": (["predict", "auto.rfnn", "story.csv", "--keep", "id,time", "--std", "--out", "p.csv"], 0, False),
    "evaluate": (["evaluate", "auto.rfnn", "story.csv", "--group", "site"], 0, True),
    "evaluate, no rows": (["evaluate", "auto.rfnn", "none.csv"], 0, True),
    "check": (["check", "story.csv", *READING], 0, True),
    "check, refused": (["check", "story.csv", "--target", "level", "--comment", "#"], 2, True),
    "cv": (["cv", "story.csv", *READING, *LITTLE, "--folds", "2"], 0, True),
    "compare": (["compare", "auto.rfnn", "paper.rfnn", "--data", "story.csv", "--report", "c.html"], 0, True),
    "importance": (["importance", "auto.rfnn", "--data", "story.csv"], 0, True),
    "sensitivity": (["sensitivity", "auto.rfnn"], 0, True),
    "optimum": (["optimum", "auto.rfnn"], 0, True),
    "export": (["export", "auto.rfnn", "--format", "json", "--out", "e.json"], 0, False),
    "export, formula": (["export", "auto.rfnn", "--format", "formula", "--out", "e.txt"], 0, False),
    "inspect": (["inspect", "auto.rfnn"], 0, True),
    "inspect, paper": (["inspect", "paper.rfnn"], 0, True),
    "diagnose": (["diagnose", "paper.rfnn", "--data", "story.csv"], 0, True),
    "draws": (["draws", "paper.rfnn"], 0, True),
    "report": (["report", "auto.rfnn", "--data", "story.csv", "--out", "r.html"], 0, False),
    "tune": (["tune", "small.csv", "--target", "y", *LITTLE, "--width", "4", "--folds", "2"], 0, True),
    "generate": (["generate", "sine", "--rows", "5"], 0, False),
    "options": (["options"], 0, True),
    "info": (["info"], 0, True),
    "help": (["help"], 0, False),
    "help fit": (["help", "fit"], 0, False),
    "help exports": (["help", "exports"], 0, False),
    "--version": (["--version"], 0, False),
    "completion": (["completion", "bash"], 0, False),
    "reproduce, refused": (["reproduce", "--out", "small.csv"], 2, False),
    "an error": (["fit", "story.csv", "--target", "levle", "--comment", "#"], 2, False),
}

#: Names of columns and files as instruments give them, longer than a column of any table.
NAMES = {
    "time": "time_of_the_reading_as_the_logger_had_it_utc",
    "site": "where_the_gauge_stands_along_the_harbour_wall",
    "valve": "was_the_valve_behind_the_gauge_open_or_closed",
    "flow": "flow_through_the_culvert_in_litres_per_second",
    "level": "level_of_the_water_above_the_datum_in_centimetres",
}
LONG = ["--target", NAMES["level"], "--missing", "mean"]
LONG_AUTO = "a_model_of_the_level_with_closed_forms_and_error_bars.rfnn"
LONG_PAPER = "a_model_of_the_level_by_the_published_algorithm_alone.rfnn"
LONG_COMMANDS = {
    "fit": ["fit", "long.csv", *LONG, "--members", "1", "--width", "8", "--blocks", "2", "--out", LONG_AUTO],
    "fit, paper": ["fit", "long.csv", *LONG, *LITTLE, "--out", LONG_PAPER],
    "fit --dry-run": ["fit", "long.csv", *LONG, "--dry-run"],
    "predict": ["predict", LONG_AUTO, "long.csv", "--out", "p.csv"],
    "evaluate": ["evaluate", LONG_AUTO, "long.csv", "--group", NAMES["site"]],
    "evaluate, paper": ["evaluate", LONG_PAPER, "long.csv"],
    "check": ["check", "long.csv", *LONG],
    "cv": ["cv", "long.csv", *LONG, *LITTLE, "--folds", "2"],
    "compare": ["compare", LONG_AUTO, LONG_PAPER, "--data", "long.csv"],
    "importance": ["importance", LONG_AUTO, "--data", "long.csv"],
    "sensitivity": ["sensitivity", LONG_AUTO],
    "optimum": ["optimum", LONG_AUTO],
    "inspect": ["inspect", LONG_AUTO],
    "inspect, paper": ["inspect", LONG_PAPER],
    "diagnose": ["diagnose", LONG_PAPER, "--data", "long.csv"],
    "report": ["report", LONG_AUTO, "--data", "long.csv", "--out", "r.html"],
    "tune": ["tune", "long.csv", *LONG, *LITTLE, "--width", "4", "--folds", "2", "--budget", "0.5"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    rng = np.random.default_rng(1)
    rows = 240
    frame = pd.DataFrame(
        {
            "id": np.arange(rows) + 1,
            "time": pd.date_range("2024-03-01", periods=rows, freq="7h").strftime("%Y-%m-%dT%H:%M"),
            "site": rng.choice(["north", "south", "harbour"], rows),
            "valve": rng.choice(["true", "false"], rows),
            "flow": (8 + 3 * rng.normal(size=rows)).round(3),
        }
    )
    frame["level"] = (3 * np.sin(np.arange(rows) * 7 / 24 / 14.77 * 2 * np.pi) + (frame.site == "south") + 0.3 * frame.flow).round(4)
    for name in ("site", "flow"):
        frame.loc[rng.random(rows) < 0.03, name] = None
    place = tmp_path_factory.mktemp("terminal")
    text = frame.to_csv(index=False, sep=";", decimal=",")
    (place / "story.csv").write_text("# gauge\n" + text)
    long = frame.drop(columns="id").rename(columns=NAMES)
    long.replace({"harbour": "harbour, at the end of the long mole behind the lighthouse"}).to_csv(place / "long.csv", index=False)
    (place / "none.csv").write_text(text.partition("\n")[0] + "\n")
    x = np.linspace(0, 1, 40)
    pd.DataFrame({"x": x, "y": np.sin(9 * x)}).to_csv(place / "small.csv", index=False)
    return place


def on_terminal(program, words, place):
    """Exit code and the lines that stay on a terminal of 80 columns."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    environment = {**os.environ, "TERM": "xterm"}
    environment.pop("COLUMNS", None)
    ended = subprocess.Popen([program, *words], stdin=follower, stdout=follower, stderr=follower, cwd=place, env=environment)
    os.close(follower)
    shown = bytearray()

    def read():
        try:
            while piece := os.read(leader, 65536):
                shown.extend(piece)
        except OSError:  # the other end is closed
            pass

    reader = threading.Thread(target=read)
    reader.start()
    code = ended.wait()
    reader.join()
    os.close(leader)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode()).replace("\r\n", "\n")
    return code, [line.rpartition("\r")[2] for line in text.split("\n")]


@pytest.mark.parametrize("name", COMMANDS)
def test_command(name, folder, cli):
    program = cli.program
    words, expected, has_json = COMMANDS[name]
    code, lines = on_terminal(program, words, folder)
    assert code == expected, lines
    if words[0] not in FOR_SHELLS:
        assert [line for line in lines if len(line) > 80 and not TO_COPY.match(line)] == []
    piped = subprocess.run([program, *words], capture_output=True, text=True, cwd=folder)
    assert piped.returncode == expected and "\x1b" not in piped.stdout + piped.stderr and "\r" not in piped.stdout + piped.stderr
    if has_json:
        told = subprocess.run([program, *words, "--json"], capture_output=True, text=True, cwd=folder)
        assert told.returncode == expected
        documents = told.stdout.splitlines() if has_json == "lines" else [told.stdout]
        assert documents and all(isinstance(json.loads(one), (dict, list)) for one in documents)


@pytest.mark.parametrize("name", LONG_COMMANDS)
def test_long_names(name, folder, cli):
    code, lines = on_terminal(cli.program, LONG_COMMANDS[name], folder)
    assert code in (0, 4), lines
    assert [line for line in lines if len(line) > 80 and not TO_COPY.match(line)] == []


def test_all_commands_are_here(cli):
    """Those of the help."""
    listed = {*re.findall(r"^  ([a-z]+) ", cli("help").stdout, re.MULTILINE)} - {"rfnn"}
    assert len(listed) > 15 and listed - {words[0] for words, _, _ in COMMANDS.values()} == set()
