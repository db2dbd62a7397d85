"""What the package raises and warns with."""

from __future__ import annotations

import errno
from typing import Any


class Error(Exception):
    """Base of everything rfnn raises on purpose: what went wrong (``cause``) and what to do about it (``cure``)."""

    def __init__(self, cause: str = "", cure: str = ""):
        super().__init__(cause, cure)  # both, so that a pickled error is the same error

    @property
    def cause(self) -> str:
        return str(self.args[0])

    @property
    def cure(self) -> str:
        return str(self.args[1])

    def __str__(self) -> str:
        return f"{self.cause} {self.cure}".rstrip()


class UsageError(Error, ValueError):
    """An option or argument that cannot be meant."""


class InputError(Error, ValueError):
    """Data or a model file that is missing, malformed or unwritable."""


class MissingFileError(InputError, FileNotFoundError):
    """A model file that is not there. ``filename`` is its path; ``except FileNotFoundError`` catches it."""

    def __init__(self, cause: str = "", cure: str = "", filename: str | None = None):
        super().__init__(cause, cure)
        self.errno, self.strerror, self.filename = errno.ENOENT, "No such file", filename

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.cause, self.cure, self.filename)


class NumericalError(Error, ArithmeticError):
    """Numbers that cannot be computed with: overflow to infinity, no finite solution."""


class ClusterError(Error, RuntimeError):
    """A Dask cluster that has lost what a fit needs, or has not brought it before ``max_time`` was over."""


class RFNNWarning(UserWarning):
    """Something worth knowing about a fit that succeeded."""


class RangeWarning(RFNNWarning):
    """Rows to predict that lie outside the range of the training rows, where a sum of waves knows nothing."""
