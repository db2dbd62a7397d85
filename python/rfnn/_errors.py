"""What the package raises and warns with."""

from __future__ import annotations


class Error(Exception):
    """Base of everything rfnn raises on purpose: what went wrong (``cause``) and what to do about it (``cure``)."""

    def __init__(self, cause: str = "", cure: str = ""):
        super().__init__(cause, cure)  # both, so that a pickled error is the same error

    @property
    def cause(self) -> str:
        return self.args[0]

    @property
    def cure(self) -> str:
        return self.args[1]

    def __str__(self) -> str:
        return f"{self.cause} {self.cure}".rstrip()


class UsageError(Error, ValueError):
    """An option or argument that cannot be meant."""


class InputError(Error, ValueError):
    """Data or a model file that is missing, malformed or unwritable."""


class NumericalError(Error, ArithmeticError):
    """Numbers that cannot be computed with: overflow to infinity, no finite solution."""


class RFNNWarning(UserWarning):
    """Something worth knowing about a fit that succeeded."""
