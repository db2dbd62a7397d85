"""From an estimator's parameters and rows to a trained network."""

from __future__ import annotations

import numbers
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _data, _going_on, _options, _progress, _random, _ranks, _threads
from ._callbacks import SklearnTasks, Watcher
from ._errors import Error, UsageError
from ._out_of_time import MeanOnlyWarning, OutOfTimeWarning
from ._warnings import warn

if TYPE_CHECKING:
    from .estimator import RFNNRegressor


def options_of(estimator: RFNNRegressor, blocks: int | None = None) -> _core.Options:
    """The options of an estimator, checked; ``blocks`` replaces its own."""
    params = estimator._option_keywords()
    if blocks is not None:
        params["blocks"] = blocks
    options, idle = _options.build(params)
    if idle:
        warn(f'Without effect in preset auto: {", ".join(idle)}. Use PaperRFNNRegressor, or leave them out.')
    options.set("threads", str(_threads.resolve(estimator.n_jobs)))
    options.set("seed", str(_random.seed(estimator.random_state)))
    try:
        options.validate()
    except Error as error:
        raise _options.translated(error) from None
    return options


def blocks_to_add(blocks: Any) -> int:
    """The number of blocks that partial_fit is to add."""
    if isinstance(blocks, (bool, np.bool_)) or not isinstance(blocks, numbers.Integral) or blocks < 1:
        raise _options.refused("blocks", blocks, "a whole number from 1 on")
    return int(blocks)


def start_of(estimator: RFNNRegressor, options: _core.Options) -> _core.Model | None:
    """The network that fit goes on from: with warm_start the one there is."""
    if not isinstance(estimator.warm_start, (bool, np.bool_)):
        raise _options.refused("warm_start", estimator.warm_start, "True or False")
    if not estimator.warm_start or not hasattr(estimator, "model_"):
        return None
    wanted, there = int(options.get("blocks")), estimator.model_.blocks
    if wanted < there:
        raise UsageError(
            f"blocks={wanted} is less than the {there} that the network has, and warm_start is True.",
            "Give more blocks, or set warm_start to False to begin anew.",
        )
    if wanted == there:
        warn(f"The network has {there} blocks already, as many as asked for: another fit with warm_start adds none.")
    return estimator.model_


def check_first_rows(rows: _core.Rows) -> None:
    """Refuses rows that a network cannot begin with: scales stay those of the first rows."""
    if rows.constant:
        raise UsageError(
            "Every input is constant in the first rows: there is nothing to take scales from, and later rows keep them.",
            "Begin partial_fit with rows that differ, some dozens or more, or collect rows and call fit.",
        )


def train(
    estimator: RFNNRegressor,
    X: Any,
    y: Any,
    sample_weight: Any,
    eval_set: Any,
    callbacks: Any,
    options: _core.Options,
    start: _core.Model | None,
    first: bool | None = None,
    base: Any = None,
    record: _core.Record | None = None,
    comm: Any = None,
) -> None:
    """Trains and leaves the network in the estimator.

    ``first`` is for rows of partial_fit: True for the first ones, False for later ones, which have the same columns.
    """
    display = _progress.level(estimator.verbose)
    address = _ranks.address(comm, options, record is not None and record.folder != "")
    given = (X, y, sample_weight, eval_set)
    rows, validation, tasks, columns, learnt, base_of = _ranks.together(
        comm, lambda: _prepared(estimator, given, options, start, first, base)
    )
    base_record_comm = (*base_of, record or _core.Record(""), address)
    doubts = _core.doubts(rows, validation, *base_of)
    for doubt in doubts:
        warn(_options.in_python(doubt))
    shown = _progress.display(display if comm is None or comm.rank == 0 else 0)
    model, error = _run(rows, options, validation, start, callbacks, shown, tasks, columns, base_record_comm)
    vars(estimator).update(learnt(model))
    if error is not None:
        raise error
    if tasks is not None:
        tasks.end(model)
    _remark(estimator, model, rows.notes, [text for text in model.warnings if text not in doubts], display)


def _prepared(
    estimator: RFNNRegressor,
    given: tuple[Any, Any, Any, Any],
    options: _core.Options,
    start: _core.Model | None,
    first: bool | None,
    base: Any,
) -> tuple[Any, ...]:
    """Rows and what else the core needs of what was given, checked."""
    X, y, sample_weight, eval_set = given
    given_y = y
    like = start or _going_on.table_base(base, X)
    inputs, y = _data.check_fit(estimator, X, y, start is None and first is not False, like)
    columns = list(getattr(estimator, "feature_names_in_", []))
    names = _data.target_names(given_y, columns) if start is None else start.targets
    outputs = 1 if y.ndim == 1 else y.shape[1]
    if start is not None and outputs != len(start.targets):
        raise UsageError(
            f"y has {outputs} columns, the network that is to go on has {len(start.targets)}.",
            "Give the same targets, or begin anew with warm_start=False.",
        )
    rows = _data.rows(estimator, inputs, y, sample_weight, names, like)
    if first is not None and start is None:
        check_first_rows(rows)
    usual = [f"x{number}" for number in range(1, inputs.width + 1)]  # what columns without names are called
    _options.set_input(options, "holdout_by", estimator.holdout_by, rows.input_names or usual)
    validation = _data.evaluation_rows(estimator, eval_set, names, outputs, like or rows)
    learnt = lambda model: {"model_": model, "_vector_target": y.ndim == 1}
    tasks = SklearnTasks.of(estimator, X if inputs.array is None else inputs.array, y, sample_weight, learnt)
    return rows, validation, tasks, bool(columns), learnt, _going_on.base_of(base, rows, usual)


def _run(
    rows: _core.Rows,
    options: _core.Options,
    validation: _core.Rows | None,
    start: _core.Model | None,
    callbacks: Any,
    display: Any,
    tasks: SklearnTasks | None,
    named: bool,
    base_record_comm: tuple[_core.Model | None, list[int] | None, _core.Record, int | None],
) -> tuple[_core.Model, BaseException | None]:
    model = None
    try:
        watcher = Watcher(callbacks, display, tasks)
        model, error = _core.fit(
            rows,
            options,
            validation,
            start,
            None if watcher.idle else watcher,
            tasks is not None,
            named,
            *base_record_comm,
        )
    except Error as problem:
        raise _options.translated(problem) from None
    except MemoryError:
        need = _core.memory_needed(rows, options)
        raise MemoryError(
            f"Out of memory: training on {rows.count:,} rows with these options takes at least "
            f"{_size(need)}. Use fewer rows or columns, a smaller width, or a machine with more memory."
        ) from None
    finally:
        if display is not None:
            display.close(model)
    return model, error


def _size(count: float) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} TB"


_ABOUT_TIME = "longer max-time may help"  # ends what the core says of work that the clock kept from being done


def _remark(estimator: RFNNRegressor, model: _core.Model, notes: list[str], warnings: list[str], verbose: int) -> None:
    if model.blocks == 0 and model.stop_reason == "out-of-time":
        warn(
            f"max_time={estimator.max_time} was over before the first block: the prediction is the mean of the targets. "
            "Give more time.",
            MeanOnlyWarning,
        )
    elif model.stop_reason == "out-of-time":
        untold = [_options.in_python(text) for text in warnings if _ABOUT_TIME in text]
        warnings = [text for text in warnings if _ABOUT_TIME not in text]
        text = f"max_time={estimator.max_time} ended training early; what was learnt by then is the model."
        warn(" ".join([text, *(untold or ["A longer max_time may help."])]), OutOfTimeWarning)
    told = {name: model.options.get(name) for name in ("preset", "validation_fraction", "tolerance")}
    if told == {"preset": "auto", "validation_fraction": "0", "tolerance": "0"} and model.validation_mse is None and model.blocks:
        warn(
            "No rows were held out, so that preset auto could not tell noise from signal: the network may fit both. "
            "Leave validation_fraction at its default, or give an eval_set or a tolerance."
        )
    if verbose:
        for note in notes:
            print(f"  {_options.in_python(note)}", file=sys.stderr)
        for text in warnings:
            warn(_options.in_python(text))
