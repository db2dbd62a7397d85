

def _lower(columns):
    """A triangular matrix of its columns, each from the diagonal on."""
    size = math.isqrt(2 * columns.size)
    upper = np.zeros((size, size))
    upper[np.triu_indices(size)] = columns.ravel()
    return upper.T


#: Per output what the square of its width is made of, how its shape sees the prediction, and what errors over widths are
#: like: gain, spread, least, standard deviation; mean and scale; median, deviation, powers of both tails; quantiles.
_BARS = @bars@
#: The closed form whose variance says how far the rows are; None: there is none.
_POSTERIOR = @posterior@
#: The closed form of the shape of the widths, over inputs and predictions.
_SHAPE = @shape@
#: The first of the members are the model's own.
_OWN_MEMBERS = @own@
#: The networks whose disagreement counts: lists of blocks, drawn from chains, or how many of the members.
_SPREADING = @spreading@
#: Per column: whether a missing cell is one that is not known, 2 where networks have learnt what such rows are in the
#: mean; of how many levels others are none, and what such a cell
#: may have been, each as likely; None: nobody looks at it.
_CELLS = @cells@
#: The share of rows that intervals over such cells hold, and with how many of these it is looked how wide errors are.
_HELD, _FOR_WIDTHS = @held@


def predict_interval(rows, coverage=0.9):
    """Lower and upper bounds, rows by outputs each, between which a share `coverage` of new rows lies."""
    if not 0 < coverage < 1:
        raise ValueError(f"coverage is a share between 0 and 1, not {coverage}")
    outputs, widths = _outputs_and_widths(rows)
    low, high = ([_quantile(*bar[6:], p) for bar in _BARS] for p in (0.5 * (1 - coverage), 0.5 * (1 + coverage)))
    return outputs + low * widths, outputs + high * widths


def predict_std(rows):
    """Standard deviations of new rows around the prediction, rows by outputs."""
    outputs, widths = _outputs_and_widths(rows)
    return 0 * outputs + [bar[7] for bar in _BARS] * widths


def _quantile(median, _, lower, upper, scores, p):
    """At k/(K + 1) the k-th of K scores, between them a straight line, beyond them a power law."""
    at = p * (len(scores) + 1)
    if at < 1:
        return median + (scores[0] - median) * at**-lower
    if at > len(scores):
        return median + (scores[-1] - median) * (len(scores) + 1 - at) ** -upper
    below = min(int(at - 1), len(scores) - 1)
    above = min(below + 1, len(scores) - 1)
    return scores[below] + (at - 1 - below) * (scores[above] - scores[below])


def _outputs_and_widths(rows):
    return np.split(_by_parts(_both, rows, 2 * len(OUTPUTS)), 2, axis=1)


def _both(rows):
    both = _known(rows)
    unknown = np.zeros(rows.shape, dtype=int)
    for k, (missing, levels, likely) in enumerate(_CELLS):
        if likely is not None:
            gone = np.isnan(rows[:, k])
            there = (rows[:, k] >= 0) & (rows[:, k] < levels) & (rows[:, k] == np.floor(rows[:, k]))
            unknown[:, k] = np.where(gone, missing, ~there & (levels > 0))
    for i in np.flatnonzero(unknown.any(axis=1)):
        columns = np.flatnonzero(unknown[i])
        drawn = np.repeat(rows[i : i + 1], len(_CELLS[columns[0]][2]), axis=0)
        drawn[:, columns] = np.transpose([_CELLS[k][2] for k in columns])
        others = _outputs(drawn)
        outputs, widths = np.split(both[i], 2)
        some = np.split(_known(drawn[:_FOR_WIDTHS]), 2, axis=1)[1]
        for o, bar in enumerate(_BARS):
            learnt = unknown[i].max() == 2
            shift = outputs[o] - others[:, o].mean() if learnt else 0.0
            width = _width_over(bar, outputs[o], math.sqrt((some[:, o] ** 2).mean()), others[:, o] + shift)
            widths[o] = max(width, widths[o]) if learnt else width
    return both


def _width_over(bar, own, width, others):
    """The width whose interval of _HELD around `own` holds _HELD of rows whose prediction may be any of `others`."""
    distances = np.abs(others - own)
    farthest = distances.max()
    if not 0 < farthest < math.inf or not width < math.inf:
        return width
    low, high = (_quantile(*bar[6:], p) for p in (0.5 * (1 - _HELD), 0.5 * (1 + _HELD)))
    if not low < 0 < high:
        return math.sqrt(width**2 + (distances**2).mean() / bar[7] ** 2)
    unit = max(width, 1e-9 * farthest)

    def held(wide):
        upper, lower = (_probability(*bar[6:], (own + wide * bound - others) / unit) for bound in (high, low))
        return (upper - lower).mean()

    least, most = width, unit
    for _ in range(200):
        if held(most) >= _HELD:
            break
        least, most = most, 2 * most
    for _ in range(60):
        if not least < most:
            break
        middle = 0.5 * (least + most)
        least, most = (middle, most) if held(middle) < _HELD else (least, middle)
    return max(most, width)


def _probability(median, _, lower, upper, scores, s):
    """That a score is less: the inverse of the quantile."""
    outermost = 1 / (len(scores) + 1)
    below, up_to = np.searchsorted(scores, s, "left"), np.searchsorted(scores, s, "right")
    first, last = scores[np.maximum(below - 1, 0)], scores[np.minimum(below, len(scores) - 1)]
    between = below + np.divide(s - first, last - first, out=np.zeros_like(s), where=last > first)
    p = np.where(below == up_to, between, 0.5 * (below + 1 + up_to)) * outermost
    with np.errstate(divide="ignore", invalid="ignore"):
        under, over = (median - s) / (median - scores[0]), (s - median) / (scores[-1] - median)
        p = np.where(s < scores[0], outermost * np.abs(under) ** (-1 / lower), p)
        return np.where(s > scores[-1], 1 - outermost * np.abs(over) ** (-1 / upper), p)


def _known(rows):
    """Outputs and widths of rows whose cells are known."""
    states = []
    outputs = _outputs(rows, states)
    inputs = _seen(rows, _INPUTS[0])
    known = ~np.isnan(inputs).any(axis=1)
    widths = np.full_like(outputs, np.nan)
    if known.any():
        states = [state[known] for state in states]
        opened, none = _opened(rows[known], inputs[known])
        widths[known] = np.hypot(_widths(opened, none, states), _change_below(opened, inputs[known], states))
    return np.concatenate([outputs, widths], axis=1)


def _opened(rows, inputs):
    """What is not known grows below the smallest value of an input that is taken as its logarithm, where outputs do not
    change: the number's own logarithm in its place, and where there is none."""
    none = np.zeros(len(rows), dtype=bool)
    for k, (column, *_, mean, sd, log_from) in enumerate(_INPUTS[0]):
        low = (rows[:, column] < log_from) & (log_from > 0)
        none |= low & (rows[:, column] <= 0)
        low &= rows[:, column] > 0
        inputs[low, k] = (np.log(rows[low, column]) - mean) / sd
    return inputs, none


def _change_below(opened, inputs, states):
    """What the model's own networks would change the outputs by, did these not stay as they are there."""
    change = np.zeros_like(states[0])
    below = (opened != inputs).any(axis=1)
    for member, state in zip(_MEMBERS[:_OWN_MEMBERS], states) if below.any() else ():
        there = _state(member["blocks"], opened[below], np.zeros_like(state[below]))
        change[below] += member["scale"] * (there - state[below])
    return change / [bar[7] for bar in _BARS]


def _widths(inputs, no_logarithm, states):
    gain, spread, least, sd, mean, scale = np.array([bar[:6] for bar in _BARS]).T
    own = sum(member["mean"] + member["scale"] * state for member, state in zip(_MEMBERS[:_OWN_MEMBERS], states))
    square = spread * _spread(inputs, states) + least
    if _POSTERIOR:
        prior, far, reach = _POSTERIOR["prior"], _POSTERIOR["far"], _POSTERIOR["reach"]
        variance = np.clip(_variance(inputs), _ROUNDING * prior, prior)[:, None]
        variance[no_logarithm] = prior
        closed, opened = prior - variance, gain * variance
        if reach is not None:
            opened = opened + np.maximum(1 - gain, 0) * np.maximum(variance - reach * closed, 0)
        square = square + np.where(opened > 0, far * opened / (far / prior * closed + opened), 0)
    if _SHAPE:
        seen = np.concatenate([inputs, scale * (own - mean)], axis=1)
        sd = sd * np.exp(_closed_form(seen, _SHAPE, inputs.shape[1]))
    return sd * np.sqrt(square)


def _spread(inputs, states):
    """The squared standard deviations of what networks say."""
    drawn = isinstance(_SPREADING, list)
    networks = _SPREADING if drawn else [member["blocks"] for member in _MEMBERS[:_SPREADING]]
    if drawn or any(log_from > 0 for *_, log_from in _INPUTS[0]):
        states = [_state(blocks, inputs, np.zeros_like(states[0])) for blocks in networks]
    else:
        states = states[:_SPREADING]
    if not states:
        return 0.0
    distances = [state - states[0] for state in states]
    return np.maximum(sum(d**2 for d in distances) / len(states) - (sum(distances) / len(states)) ** 2, 0)


#: Added to the diagonal of a covariance, as shares of the variance; and the steps by which kernels are told apart.
_ROUNDING, _MOST_ROUNDING, _RANKS = @rounding@


def _variance(inputs):
    """prior - k (K + noise)^-1 k. Of many centres, given some that are spread over all, and given these the nearest; of
    windows, given the nearest in the one that counts most."""
    form, prior, given = _POSTERIOR["kernel"], _POSTERIOR["prior"], _POSTERIOR["given"]
    if form is None:
        return np.full(len(inputs), prior)
    if "windows" in form:
        return np.array([_variance_in_window(v) for v in inputs])
    kernel = _kernel(form, _points(form, inputs), form["centres"])
    of_given = _half_solve(kernel[:, given].T)
    variance = prior - (of_given**2).sum(axis=0)
    if not _POSTERIOR["nearest"]:
        return variance
    ranks = _rank(kernel, prior)
    ranks[:, given] = -1
    table = _table()
    for i in range(len(inputs)):
        near = np.argsort(-ranks[i], kind="stable")[: _POSTERIOR["nearest"]]
        centres, left = form["centres"][near], table[:, near]
        covariance = _kernel(form, centres, centres) - left.T @ left
        variance[i] = _given_nearest(covariance, kernel[i, near] - left.T @ of_given[:, i], variance[i])
    return variance


def _variance_in_window(v):
    form, prior = _POSTERIOR["kernel"], _POSTERIOR["prior"]
    low, high, scales, _, _, counts = form["windows"]
    u = np.abs(2 * (v[: low.shape[1]] - low) / (high - low) - 1)
    weight = _rank(np.where(u < 1, (1 - u) ** 4 * (4 * u + 1), 0).prod(axis=1), 1.0)
    window = np.argmax(np.where(weight > 0, weight, -_rank(u.max(axis=1), 1.0)))
    first = sum(counts[:window])
    centres = form["centres"][first : first + counts[window]]
    kernel = _kernel(form, _points(form, v[None] * scales[window]), centres)[0]
    near = np.argsort(-_rank(kernel, prior), kind="stable")[: _POSTERIOR["nearest"]]
    return _given_nearest(_kernel(form, centres[near], centres[near]), kernel[near], prior)


def _rank(values, largest):
    """Numbers that only rounding tells apart are equal."""
    return np.floor(np.abs(values) * (_RANKS / largest) + 0.5)


def _given_nearest(covariance, left, variance):
    rounding = _ROUNDING
    while rounding <= _MOST_ROUNDING:
        try:
            more = _POSTERIOR["noise"] + rounding * _POSTERIOR["prior"]
            factor = np.linalg.cholesky(covariance + more * np.eye(len(left)))
            return variance - (np.linalg.solve(factor, left) ** 2).sum()
        except np.linalg.LinAlgError:
            rounding *= 100
    return variance


def _table():
    if "table" not in _POSTERIOR:
        form = _POSTERIOR["kernel"]
        _POSTERIOR["table"] = _half_solve(_kernel(form, form["centres"][_POSTERIOR["given"]], form["centres"]))
    return _POSTERIOR["table"]


def _half_solve(right):
    """L^-1 of that, by blocks."""
    factor, right = _POSTERIOR["factor"], right.copy()
    for first in range(0, len(factor), 64):
        rows = slice(first, first + 64)
        right[rows] = np.linalg.solve(factor[rows, rows], right[rows] - factor[rows, :first] @ right[:first])
    return right
