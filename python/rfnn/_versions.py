"""What a report of a problem should say about the machine."""

from __future__ import annotations

import importlib.metadata
import platform
import sys

from . import _core

_PACKAGES = ("numpy", "scipy", "scikit-learn", "joblib", "threadpoolctl", "pandas", "polars", "matplotlib")


def versions() -> dict[str, str]:
    """Names and versions of what rfnn works with here."""
    found = {
        "rfnn": _core.version(),
        "python": sys.version.split()[0],
        "system": platform.platform(),
        "compiler": _core.compiler(),
        "SIMD": _core.simd_level(),
        "threads": str(_core.thread_limit()),
    }
    for name in _PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def show_versions() -> None:
    """Prints the versions of rfnn, Python, the packages it works with, and facts about the machine."""
    for name, version in versions().items():
        print(f"{name:>14}: {version}")
