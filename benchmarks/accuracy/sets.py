"""The data sets: what they are, how rows are drawn from them, and which of the two roles each has.

role "choose"   constants of preset auto may be chosen by the errors on these sets. Every set that earlier choices are
                known to have looked at is among them.
role "report"   for reporting alone: no constant may be chosen by them, and so their errors are those of data that the
                program was not made for.
"""
import functools
import hashlib
import zlib
from dataclasses import dataclass
from typing import Callable, Optional

import numpy as np

import formulas
import tables

TEST_ROWS = 2000  # at most, and a fifth of a table
ROLES = ("choose", "report")


@dataclass(frozen=True)
class Draw:
    """Rows to train on and rows to test on."""
    x: np.ndarray
    y: np.ndarray
    fresh: np.ndarray
    exact: np.ndarray
    noise: float = 0.0  # sd of the noise on y that is not on exact

    def fingerprint(self):
        digest = hashlib.sha256()
        for part in (self.x, self.y, self.fresh, self.exact):
            digest.update(np.ascontiguousarray(part, dtype=float).tobytes())
        return digest.hexdigest()[:16]


@dataclass(frozen=True)
class Set:
    name: str
    kind: str  # signal (one input), field (two), formula or table
    role: str
    rows: int  # to train on, at most
    formula: Optional[formulas.Formula] = None
    load: Optional[Callable] = None
    quick: bool = False  # part of the quick run
    earlier: str = ""  # what of it earlier choices of constants have seen

    @property
    def fresh(self):
        """Whether every draw has rows of its own. Draws from a table share most of theirs."""
        return self.formula is not None

    def draw(self, split, most_rows=None):
        """The rows of one split, the same every time. `most_rows` shortens the training part."""
        generator = np.random.default_rng([zlib.crc32(self.name.encode()), split])
        rows = min(self.rows, most_rows or self.rows)
        if self.formula is not None:
            return Draw(*self.formula.draw(rows, TEST_ROWS, generator))
        x, y = loaded(self.name)
        order = generator.permutation(len(y))
        tested = min(TEST_ROWS, len(y) // 5)
        test, train = order[:tested], order[tested:][:rows]
        return Draw(x[train], y[train], x[test], y[test])


@functools.lru_cache(maxsize=2)
def loaded(name):
    return BY_NAME[name].load()


def formula(name, kind, role, rows, **more):
    return Set(name, kind, role, rows, formula=formulas.FORMULAS[name], **more)


def table(name, role, rows, load, kind="table", **more):
    return Set(name, kind, role, rows, load=load, **more)


BASKET = "in the earlier basket"
r, sm = tables.r_table, tables.statsmodels_table

SETS = (
    # For choosing.
    formula("multiscale", "signal", "choose", 1000, quick=True, earlier="developed with"),
    formula("blocks", "signal", "choose", 1000, earlier=f"{BASKET} without noise"),
    formula("bumps", "signal", "choose", 1000, earlier=f"{BASKET} without noise"),
    formula("doppler", "signal", "choose", 1000, quick=True, earlier=f"{BASKET} without noise"),
    table("co2", "choose", 2000, tables.co2, kind="signal", earlier=BASKET),
    table("sunspots", "choose", 400, sm("sunspots", "SUNACTIVITY", "YEAR"), kind="signal",
          earlier=f"{BASKET}, by months"),
    formula("colebrook", "field", "choose", 1000, earlier="logarithms of inputs"),
    formula("curved_front", "field", "choose", 2000, quick=True),
    table("volcano", "choose", 3000, tables.r_grid("datasets/volcano"), kind="field"),
    table("flower", "choose", 6000, tables.picture("flower.jpg"), kind="field"),
    formula("friedman1", "formula", "choose", 500, quick=True, earlier="weak signals"),
    formula("friedman1_weak", "formula", "choose", 200, quick=True, earlier="weak signals"),
    formula("ishigami", "formula", "choose", 1000, earlier=BASKET),
    formula("borehole", "formula", "choose", 1000, earlier=BASKET),
    formula("grating", "formula", "choose", 1000, earlier=BASKET),
    formula("nothing", "formula", "choose", 300, quick=True, earlier="pure noise"),
    table("boston", "choose", 500, r("MASS/Boston", "medv", "crim zn indus chas nox rm age dis rad tax ptratio black "
                                     "lstat"), quick=True, earlier="logarithms, held-out share"),
    table("house_prices", "choose", 500, r("Ecdat/Housing", "price", "lotsize bedrooms bathrms stories driveway recroom "
                                           "fullbase gashw airco garagepl prefarea"), earlier="held-out share"),
    table("diamonds", "choose", 8000, r("ggplot2/diamonds", "price", "carat cut color clarity depth table x y z"),
          earlier="logarithms"),
    table("cpus", "choose", 200, r("MASS/cpus", "perf", "syct mmin mmax cach chmin chmax", log_target=True)),
    table("quakes", "choose", 800, r("datasets/quakes", "mag", "lat long depth stations")),
    table("wages", "choose", 3000, r("Ecdat/Wages", "lwage", "exp wks bluecol ind south smsa married sex union ed "
                                     "black")),
    table("randhie", "choose", 4000, sm("randhie", "mdvis", "lncoins idp lpi fmde physlm disea hlthg hlthf hlthp")),
    # For reporting.
    formula("gramacy_lee", "signal", "report", 200, quick=True),
    formula("heavisine", "signal", "report", 1000, quick=True),
    table("elnino", "report", 600, tables.elnino, kind="signal", quick=True),
    table("manaus", "report", 900, r("boot/manaus", "manaus", "time"), kind="signal"),
    table("nottem", "report", 200, r("datasets/nottem", "nottem", "time"), kind="signal", quick=True),
    table("gag_urine", "report", 260, r("MASS/GAGurine", "GAG", "Age"), kind="signal"),
    formula("franke", "field", "report", 400, quick=True),
    formula("ripples", "field", "report", 2000, quick=True),
    formula("merging_shocks", "field", "report", 1000, quick=True),
    formula("solitons", "field", "report", 2000),
    table("terrain", "report", 6000, tables.terrain, kind="field"),
    table("radar", "report", 1200, r("robustbase/radarImage", "Band.1", "X.coord Y.coord"), kind="field"),
    formula("friedman2", "formula", "report", 400, quick=True),
    formula("friedman3", "formula", "report", 400, quick=True),
    formula("otl_circuit", "formula", "report", 600),
    formula("piston", "formula", "report", 1000, quick=True),
    formula("wing_weight", "formula", "report", 1000),
    formula("robot_arm", "formula", "report", 4000),
    formula("sobol_g", "formula", "report", 1000),
    formula("boxes", "formula", "report", 1000, quick=True),
    table("diabetes", "report", 400, tables.diabetes, quick=True),
    table("star98", "report", 300, tables.star98),
    table("fair", "report", 4000, sm("fair", "affairs", "rate_marriage age yrs_married children religious educ occupation "
                                     "occupation_husb")),
    table("computers", "report", 5000, r("Ecdat/Computers", "price", "speed hd ram screen cd multi premium ads trend")),
    table("schools", "report", 400, r("Ecdat/Caschool", "testscr", "enrltot teachers calwpct mealpct computer compstu "
                                      "expnstu str avginc elpct"), quick=True),
    table("nox", "report", 6000, r("robustbase/NOxEmissions", "LNOx", "julday LNOxEm sqrtWS")),
    table("cigarettes", "report", 1200, r("plm/Cigar", "sales", "state year price pop pop16 cpi ndi pimin"), quick=True),
    table("pigs", "report", 800, r("geepack/dietox", "Weight", "Feed Time Evit Cu Litter")),
    table("state_output", "report", 700, r("plm/Produc", "gsp", "year hwy water util pc emp unemp", log_target=True)),
    table("slid", "report", 3500, r("car/SLID", "wages", "education age sex language")),
)
BY_NAME = {each.name: each for each in SETS}


def chosen(names=None, role=None, quick=False):
    """The sets asked for: by name, or by role and for the quick run."""
    unknown = [name for name in names or () if name not in BY_NAME]
    if unknown:
        raise ValueError(f"no such set: {', '.join(unknown)}; there are {', '.join(BY_NAME)}")
    if names:
        return [BY_NAME[name] for name in names]
    return [each for each in SETS if role in (None, each.role) and (each.quick or not quick)]
