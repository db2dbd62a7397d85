"""Who may look at a fit while it runs, and end it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from . import _core
from ._errors import UsageError

if TYPE_CHECKING:  # scikit-learn's are not typed: they would take the type from the methods they decorate
    Method = TypeVar("Method", bound=Callable[..., Any])

    class CallbackSupportMixin: ...

    def with_callbacks(method: Method) -> Method: ...

else:
    try:  # scikit-learn 1.9 and later
        from sklearn.callback import CallbackSupportMixin, with_callbacks
    except ImportError:

        class CallbackSupportMixin:
            """Stands in where scikit-learn has no callbacks yet."""

        def with_callbacks(method):
            return method


class Callback:
    """Base of callbacks that are objects. Override what you need; a method that returns True ends the fit.

    A plain function in ``callbacks`` is called like :meth:`on_progress`.
    """

    def on_progress(self, progress: _core.Progress) -> bool | None:
        """About ten times a second: where the run stands."""

    def on_block(self, record: dict[str, Any]) -> bool | None:
        """A block has joined the network: its row of ``history_`` as a dictionary."""


class Watcher:
    """What the native core calls: the display, the callbacks of ``fit`` and scikit-learn's."""

    def __init__(self, callbacks: Any, display: Any, tasks: SklearnTasks | None):
        self._progress: list[Callable[..., Any]] = []
        self._block: list[Callable[..., Any]] = []
        self._tasks = tasks
        if display is not None:
            self._progress.append(display.progress)
            self._block.append(display.block)
        for callback in _listed(callbacks):
            methods = [getattr(callback, name, None) for name in ("on_progress", "on_block")]
            if isinstance(callback, type) or not (callable(callback) or any(methods)):
                raise UsageError(
                    f"{callback!r} is no callback.",
                    "Give a function of the progress, or an object with a method on_progress or on_block.",
                )
            if not any(methods):
                methods[0] = callback
            for method, calls in zip(methods, (self._progress, self._block)):
                if method:
                    calls.append(method)

    @property
    def idle(self) -> bool:
        return not (self._progress or self._block or self._tasks)

    def progress(self, now: _core.Progress) -> bool:
        return any([call(now) for call in self._progress])  # a list: all are called, also behind one that says stop

    def block(self, record: str) -> bool:
        row = json.loads(record)
        if self._tasks is not None:
            self._tasks.block_done()
        return any([call(row) for call in self._block])

    def checkpoint(self, model: _core.Model) -> bool:
        return self._tasks is not None and self._tasks.end_blocks(model)


def _listed(callbacks: Any) -> list[Any]:
    """Callbacks as a list, one that is given alone too."""
    if callbacks is None:
        return []
    alone = callable(callbacks) or hasattr(callbacks, "on_progress") or hasattr(callbacks, "on_block")
    return [callbacks] if alone or not isinstance(callbacks, Iterable) else list(callbacks)


class SklearnTasks:
    """The fit as scikit-learn's callbacks see it: a task with one subtask per block.

    ``learnt`` gives the attributes of an estimator fitted with a model.
    """

    def __init__(self, estimator: Any, X: Any, y: Any, sample_weight: Any, learnt: Callable[[_core.Model], dict[str, Any]]):
        self._estimator = estimator
        self._learnt = learnt
        self._given = {"X": X, "y": y, "metadata": {"sample_weight": sample_weight}}
        self._open: list[Any] = []
        self._root = estimator._init_callback_context(max_subtasks=None)
        self._root.call_on_fit_task_begin(estimator=estimator, **self._given)

    @classmethod
    def of(cls, estimator: Any, *given: Any) -> SklearnTasks | None:
        """None where nobody looks."""
        watched = getattr(estimator, "_skl_callbacks", None) or hasattr(estimator, "_parent_callback_ctx")
        return cls(estimator, *given) if watched else None

    def block_done(self) -> None:
        task = self._root.subcontext(task_name="block")
        task.call_on_fit_task_begin(estimator=self._estimator, **self._given)
        self._open.append(task)

    def end_blocks(self, model: _core.Model) -> bool:
        """Ends the tasks of the blocks that this model holds; True when a callback wants to stop."""
        done, self._open = self._open, []
        return any([self._end(task, model) for task in done])

    def end(self, model: _core.Model) -> None:
        self.end_blocks(model)
        self._end(self._root, model)

    def _end(self, task: Any, model: _core.Model) -> bool:
        return task.call_on_fit_task_end(
            estimator=self._estimator, **self._given, reconstruction_attributes=lambda: self._learnt(model)
        )
