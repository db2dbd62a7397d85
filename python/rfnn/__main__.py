"""``python -m rfnn`` is the command ``rfnn``."""

from __future__ import annotations

import signal
import sys

from . import _core


def main() -> int:
    """Runs the command line of this process and returns its exit code."""
    # Signals do what they do to the program: Python's handler would only make a note while the core works.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _core.run_command_line(["rfnn", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
