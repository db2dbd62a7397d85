"""``python -m rfnn`` is the command ``rfnn``, and reads Parquet, Feather and Arrow besides."""

from __future__ import annotations

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


def _to_read(words: list[str]) -> list[int]:
    """The places of words that name such files."""
    after = ["", *words[:-1]]
    return [
        k for k, word in enumerate(words)
        if after[k] not in _WRITTEN and not word.startswith("-o") and arrow_format(_of_rank(word.partition("=")[2] or word))
    ]  # fmt: skip


def _run(words: list[str], line: list[str]) -> int:
    # Signals do what they do to the program: Python's handler would only make a note while the core works.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _core.run_command_line(["rfnn", *words], ["rfnn", *line])


def _run_with_copies(line: list[str], places: list[int]) -> int:
    """Runs the command on copies of these files that it can read; they go when it ends, whatever ends it."""
    folder = tempfile.mkdtemp(prefix="rfnn-")
    try:
        words = list(line)
        for number, k in enumerate(places):
            flag, equals, path = line[k].rpartition("=") if line[k].startswith("--") else ("", "", line[k])
            os.mkdir(os.path.join(folder, str(number)))
            copy = os.path.join(folder, str(number), os.path.basename(path))  # the model is named after it
            write_csv(_of_rank(path), _of_rank(copy))
            words[k] = flag + equals + copy
        child = os.fork()
        if child == 0:
            os._exit(_run(words, line))
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
    places = _to_read(line)
    if not places:
        return _run(line, line)
    try:
        return _run_with_copies(line, places)
    except Error as error:
        print(f"rfnn: error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
