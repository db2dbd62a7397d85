"""@title@"""

import base64
import math

import numpy as np


def _doubles(text, *shape):
    return np.frombuffer(base64.b64decode(text), "<f8").reshape(shape)


def _integers(text, *shape):
    return np.frombuffer(base64.b64decode(text), "<i4").reshape(shape)


#: The columns of the rows that `predict` takes, and of what it returns.
COLUMNS = @columns@
OUTPUTS = @outputs@

#: Lists of numbers that networks see. Of each its column; its kind, which is 0: the number of the column, 1: whether it is a level, 2:
#: whether it is missing; which level of how many; what stands in for a missing number or an unknown level; mean and
#: standard deviation; and where it is positive, from where on the logarithm is taken.
_INPUTS = @inputs@
#: Whether missing numbers are filled in. Else the outputs of their rows are NaN.
_FILLS = @fills@

#: Networks, whose outputs add up, with the list that each sees. A block is a list of branches; each sees a slice of the inputs followed by the state.
_MEMBERS = @members@
#: Rows that are computed together.
_ROWS = @rows@


def predict(rows):
    """The outputs for rows of inputs: an array, rows by outputs. `rows` is an array, rows by columns, of numbers."""
    return _by_parts(_outputs, rows, len(OUTPUTS))


def _by_parts(function, rows, columns):
    rows = np.asarray(rows, dtype=float)
    if rows.ndim != 2 or rows.shape[1] != len(COLUMNS):
        raise ValueError(f"rows are an array with {len(COLUMNS)} columns: {COLUMNS}")
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        parts = [function(rows[first : first + _ROWS]) for first in range(0, len(rows), _ROWS)]
    return np.concatenate(parts) if parts else np.empty((0, columns))


def _outputs(rows, states=None):
    """`states`: a list that gets the members' states."""
    lists = [_seen(rows, inputs) for inputs in _INPUTS]
    outputs = np.zeros((len(rows), len(OUTPUTS)), rows.dtype)
    for member in _MEMBERS:
        state = _state(member["blocks"], lists[member["inputs"]], np.zeros_like(outputs))
        outputs += member["mean"] + member["scale"] * state
        if states is not None:
            states.append(state)
    for inputs in lists:
        outputs[np.isnan(inputs).any(axis=1)] = np.nan
    return outputs


def _state(blocks, inputs, state):
    for block in blocks:
        seen = np.concatenate([inputs, state], axis=1)
        state = state + sum(_branch(branch, seen[:, branch["sees"]], inputs.shape[1]) for branch in block)
    return state


def _seen(rows, kinds):
    """The inputs, standardised."""
    inputs = np.empty((len(rows), len(kinds)), rows.dtype)
    for k, (column, kind, level, levels, fill, mean, sd, log_from) in enumerate(kinds):
        cell = rows[:, column]
        missing = np.isnan(cell)
        x = cell
        if kind == 1:
            known = (cell >= 0) & (cell < levels) & (cell == np.floor(cell))
            x = np.where(known, cell == level, fill)
        x = np.where(missing, fill if _FILLS else np.nan, x)
        if kind == 2:
            x = missing.astype(rows.dtype)
        if log_from > 0:
            x = np.log(np.maximum(x, log_from))
        inputs[:, k] = (x - mean) / sd
    return inputs


def _branch(branch, v, inputs):
    value = 0.0
    if "trend" in branch:
        value = value + _trend(v, *branch["trend"])
    if "waves" in branch:
        frequencies, cosines, sines = branch["waves"]
        phase = v @ frequencies.T
        value = value + np.cos(phase) @ cosines - np.sin(phase) @ sines
    if "series" in branch:
        value = value + _series(v[:, 0], *branch["series"])
    if "kernel" in branch:
        value = value + _closed_form(v, branch["kernel"], inputs)
    return value


def _trend(v, degree, coefficients):
    """c_0 + sum_q sum_k c_qk v_k^q."""
    variables = v.shape[1]
    value = coefficients[0]
    for q in range(degree):
        value = value + v ** (q + 1) @ coefficients[1 + q * variables : 1 + (q + 1) * variables]
    return value


def _exp(x):
    """States may be many times as large as what they add up to: the last bit counts, which np.exp has not always."""
    return np.vectorize(math.exp, otypes=[float])(x) if x.size and x.dtype == float else np.exp(x)


def _series(x, parts, centres, before, after):
    """A closed form of one variable, for laws that are Markov processes: every centre knows the sum over those up to it
    and the sum over those from it on, as states."""
    value = np.zeros((len(x), len(OUTPUTS)), x.dtype)
    behind = np.searchsorted(centres[:, 0], x, side="right")
    for states, nearest in ((before, behind - 1), (after, behind)):
        rows = np.flatnonzero((nearest >= 0) & (nearest < len(centres)))
        distance = np.abs(x[rows] - centres[nearest[rows], 0])[:, None]
        state = states[nearest[rows]].reshape(len(rows), len(OUTPUTS), -1)
        number = 0
        for order, slope, mu in parts:
            z, n = slope * distance, order + 1
            decay = _exp(-z)
            factors = [[1], [1 + z, z], [1 + z + z * z / 2, z + z * z, z * z / 2]][order]
            for j, factor in enumerate(factors):
                share = np.cos(mu * distance) * state[:, :, number + j]
                if mu:
                    share = share - np.sin(mu * distance) * state[:, :, number + n + j]
                value[rows] += np.where(decay > 0, decay * factor * share, 0)
            number += 2 * n if mu else n
    return value


def _closed_form(v, form, inputs):
    """sum_i c_i k(v - v_i); of windows that of each window, blended by their weights."""
    centres, coefficients = form["centres"], form["coefficients"]
    if "windows" not in form:
        return _kernel(form, _points(form, v), centres) @ coefficients
    low, high, scales, least, most, counts = form["windows"]
    at = np.clip(v[:, :inputs], least, most)
    value = np.zeros((len(v), coefficients.shape[1]), v.dtype)
    total = np.zeros((len(v), 1), v.dtype)
    first = 0
    for window, count in enumerate(counts):
        last = first + count
        u = np.abs(2 * (at - low[window]) / (high[window] - low[window]) - 1)
        weight = np.where(u < 1, (1 - u) ** 4 * (4 * u + 1), 0).prod(axis=1, keepdims=True)
        rows = np.flatnonzero(weight > 0)
        if len(rows):
            points = _points(form, v[rows] * scales[window])
            own = _kernel(form, points, centres[first:last]) @ coefficients[first:last]
            value[rows] += weight[rows] * own
            total[rows] += weight[rows]
        first = last
    return np.divide(value, total, out=np.zeros_like(value), where=total > 0)


def _points(form, v):
    v = np.clip(v, -1e100, 1e100)
    return np.concatenate([v, v @ form["map"].T], axis=1) if "map" in form else v


def _kernel(form, points, centres):
    """k(d) for all pairs of points and centres, a sum of parts: strength exp(-sum curve d^2) prod q(slope |d|)
    exp(-slope |d|) cos(centre.d), q(x) = 1, 1 + x or 1 + x + x^2/3; of a radial part strength q(r) exp(-r), r the length
    of (slope d)."""
    value = 0.0
    for order, radial, strength, slopes, curves, centre in form["parts"]:
        exponent, factor, phase = np.zeros((len(points), len(centres)), points.dtype), 1.0, 0.0
        for k in range(points.shape[1]):
            slope = slopes[k] if k < len(slopes) else 0.0
            if not slope and not curves[k] and not (centre and k < len(centre)):
                continue
            d = points[:, k, None] - centres[:, k]
            x = slope * np.abs(d)
            if radial:
                exponent += x * x
                continue
            exponent += curves[k] * d * d + x
            if slope and order:
                factor = factor * _q(order, x)
            if centre and k < len(centre):
                phase = phase + centre[k] * d
        if radial:
            exponent = np.sqrt(exponent)
            factor = _q(order, exponent)
        decay = np.exp(-exponent)
        value = value + np.where(decay > 0, strength * decay * factor * np.cos(phase), 0)
    return value


def _q(order, x):
    return 1.0 if order == 0 else 1 + x if order == 1 else 1 + x * (1 + x / 3)
