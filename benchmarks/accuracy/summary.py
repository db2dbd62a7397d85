"""What the fits say together: ratios of errors with standard errors, wins and times, as values. Needs NumPy alone."""
import math
from dataclasses import dataclass
from typing import Optional

import numpy as np

SMALLEST = 1e-12  # errors below count as this: rounding, not learning
FLOOR = 0.1  # a ratio below counts as this in means over sets, so that no single formula decides
# Student's t, 97.5 %, by splits: two standard errors of few splits are nothing sure.
SURE = {2: 12.71, 3: 4.30, 4: 3.18, 5: 2.78, 6: 2.57, 7: 2.45, 8: 2.36, 9: 2.31, 10: 2.26}


@dataclass(frozen=True)
class Ratio:
    """Of two errors on the same splits: geometric mean, and the standard error of its logarithm (None: one split)."""
    value: float
    se: Optional[float]
    splits: int

    @property
    def verdict(self):
        """-1 where surely smaller than 1, 1 where surely larger, 0 where it may be chance."""
        if self.se is None or abs(math.log(self.value)) <= SURE.get(self.splits, 2.2) * self.se:
            return 0
        return -1 if self.value < 1 else 1


def ratio(errors, others, overlap=0.0):
    """Ratio of errors over others ({split: error} each) on the splits both have. `overlap` is test rows over training
    rows where the splits are drawn from one table: they share rows, so their spread is too small by itself (Nadeau and
    Bengio, 2003, have the correction)."""
    splits = sorted(set(errors) & set(others))
    if not splits:
        return None
    logs = np.array([math.log(max(errors[s], SMALLEST) / max(others[s], SMALLEST)) for s in splits])
    se = None
    if len(splits) > 1:
        se = float(logs.std(ddof=1) * math.sqrt(1 / len(splits) + overlap))
    return Ratio(float(math.exp(logs.mean())), se, len(splits))


def geometric(values):
    return math.exp(float(np.mean(np.log(values)))) if len(values) else float("nan")


def mean_of(ratios, most=math.inf):
    """Geometric mean of ratios over sets, each at least FLOOR and at most `most`, with the standard error of its logarithm
    over the splits (the sets are what they are: nothing is said about others)."""
    value = geometric([min(max(each.value, FLOOR), most) for each in ratios])
    if any(each.se is None for each in ratios):
        return Ratio(value, None, 0)
    parts = [each.se for each in ratios if FLOOR < each.value < most]
    return Ratio(value, math.sqrt(sum(part**2 for part in parts)) / len(ratios), 0)


@dataclass
class SetResult:
    """One data set: errors and times of every learner by split, and the peer to beat."""
    name: str
    kind: str
    role: str
    rows: int
    inputs: int
    errors: dict  # {learner: {split: error}}
    cpu: dict  # {learner: mean seconds of processor time}
    failed: dict  # {learner: words}
    overlap: float
    best_peer: Optional[str] = None

    def error(self, learner, beside=None):
        """Geometric mean over the splits; over those that `beside` has too, where that is given."""
        splits = self.errors[learner].keys() & self.errors[beside or learner].keys()
        return geometric([max(self.errors[learner][split], SMALLEST) for split in splits])

    def against_best(self, learner):
        if self.best_peer is None or learner not in self.errors:
            return None
        return ratio(self.errors[learner], self.errors[self.best_peer], self.overlap)


def by_set(records, sets_by_name, peer_names):
    """SetResults in the order of the sets. The best peer is the one with the least geometric mean of its errors on the
    test rows: chosen with hindsight, a harder mark than any single peer."""
    results = []
    for name, described in sets_by_name.items():
        own = [record for record in records if record["set"] == name]
        if not own:
            continue
        learners = dict.fromkeys(record["learner"] for record in own)
        errors = {learner: {r["split"]: r["error"] for r in own if r["learner"] == learner} for learner in learners}
        cpu = {learner: float(np.mean([r["cpu_seconds"] for r in own if r["learner"] == learner])) for learner in learners}
        failed = {r["learner"]: r["failed"] for r in own if "failed" in r}
        result = SetResult(name, described.kind, described.role, own[0]["rows"], own[0]["inputs"], errors, cpu, failed,
                           0.0 if described.fresh else own[0]["test_rows"] / own[0]["rows"])
        most = max((len(errors.get(peer, ())) for peer in peer_names), default=0)
        whole = [peer for peer in peer_names if most and len(errors.get(peer, ())) == most]
        result.best_peer = min(whole, key=result.error) if whole else None
        results.append(result)
    return results


def groups(results, learner):
    """(kind, ratios) for each kind and for all together."""
    found = [(result.kind, result.against_best(learner)) for result in results]
    found = [(kind, each) for kind, each in found if each is not None]
    kinds = [(kind, [each for own, each in found if own == kind]) for kind in dict.fromkeys(kind for kind, _ in found)]
    return [*kinds, ("all", [each for _, each in found])]


def standings(results, learners):
    """Per learner: geometric mean over the sets of its error over that of the best learner on the set (at most 1/FLOOR
    each), on how many sets it is that best one, the geometric mean of its seconds of processor time."""
    table = []
    whole = [result for result in results if all(learner in result.errors for learner in learners)]
    for learner in learners:
        over = [min(1 / FLOOR, result.error(learner) / min(map(result.error, learners))) for result in whole]
        seconds = [max(result.cpu[learner], 1e-3) for result in whole]
        table.append({"learner": learner, "over_best": geometric(over), "best_on": sum(each == 1.0 for each in over),
                      "cpu_seconds": geometric(seconds), "sets": len(whole)})
    return sorted(table, key=lambda row: row["over_best"])


def honesty(records, learner):
    """(set, reported over true error) of every fit that reported one; the true one includes the noise of the rows that
    were held out of training."""
    return [(r["set"], r["reported"] / (r["mse"] + r["noise"] ** 2), r["error"]) for r in records
            if r["learner"] == learner and r.get("reported") and r["mse"] + r["noise"] ** 2 > 0]
