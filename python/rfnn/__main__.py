"""``python -m rfnn`` is the command ``rfnn``, and reads Parquet, Feather and Arrow besides."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import tempfile

from . import _core
from ._errors import Error
from ._foreign import arrow_format, write_csv

_WRITTEN = "-o", "--out", "--report", "--run-dir"  # what follows is a place to write to


def _of_rank(path: str) -> str:
    """The file that ``%r`` in its name stands for in this process, where MPI has started it."""
    ranks = (os.environ.get(name) for name in ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"))
    return path.replace("%r", next((rank for rank in ranks if rank is not None), "%r"))


def _to_read(line: list[str]) -> list[str]:
    """The files of this kind that the command may read: those named, and those that a run named was trained on."""
    found = []
    for before, word in zip(["", *line], line):
        flag, equals, value = word.partition("=") if word.startswith("--") else ("", "", word)
        if before in _WRITTEN or flag in _WRITTEN or word.startswith("-o"):
            continue
        path = _of_rank(value if equals else word)
        found += [name for name in (path, *_trained_on(path)) if arrow_format(name)]
    return list(dict.fromkeys(found))


def _trained_on(folder: str) -> list[str]:
    """The files of the rows of a run, where they were then and, of relative paths, from here."""
    try:
        with open(os.path.join(folder, "run.json"), encoding="utf-8") as file:
            run = json.load(file)
        names = [*str(run["data"]).split(" + "), run["validation"] or ""]
        return [path for name in names for path in (os.path.join(run["folder"], name), name)]
    except (OSError, ValueError, KeyError, TypeError):
        return []  # no folder of a run, or a damaged one, of which the command tells


def _run(line: list[str]) -> int:
    # Signals do what they do to the program: Python's handler would only make a note while the core works.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _core.run_command_line(["rfnn", *line])


def _run_with_copies(line: list[str], paths: list[str]) -> int:
    """Runs the command beside copies of these files that it can read; they go when it ends, whatever ends it."""
    folder = tempfile.mkdtemp(prefix="rfnn-")
    try:
        for path in paths:
            file = os.stat(path)
            write_csv(path, os.path.join(folder, f"{file.st_dev}-{file.st_ino}.csv"))
        child = os.fork()
        if child == 0:
            os.environ["RFNN_COPIES"] = folder  # where the core looks for them
            os._exit(_run(line))
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to both
        signal.signal(signal.SIGTERM, lambda number, _: os.kill(child, number))
        _, status = os.waitpid(child, 0)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if os.WIFSIGNALED(status):
        signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    return os.waitstatus_to_exitcode(status)


def main() -> int:
    """Runs the command line of this process and returns its exit code."""
    line = sys.argv[1:]
    paths = _to_read(line)
    if not paths:
        return _run(line)
    try:
        return _run_with_copies(line, paths)
    except Error as error:
        print(f"rfnn: error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
