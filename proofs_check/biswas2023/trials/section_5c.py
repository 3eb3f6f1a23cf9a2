"""Sections V-C and V-D: how delta moves with eps, eps0, n and k; the experiments.

Reading (a) is the tight delta of M "at these parameters": the whole histogram, for
(x_0, x_1), worst case over all other users with the given n_x0. Reading (b) is the
value of (6) with the printed v_s. "Decreases" and "increases" are read weakly: the
paper's own Table IV has runs of zeros.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

from exactdp.claims.cases import Cases, cases
from exactdp.claims.claim import Open, Statement
from exactdp.claims.forms import Relation, Trials, above, at_least, at_most, below, for_all
from exactdp.claims.kinds import Sort, among, integers, reals
from exactdp.claims.terms import Term, function, named, term, total
from exactdp.claims.verdicts import Falls
from proofs_check.biswas2023.bounds import Counts, printed_delta_hat
from proofs_check.biswas2023.protocol import (
    ABOVE_0,
    SIZES,
    Others,
    datasets,
    delta_of_histogram,
    of_histograms,
    sized,
    tight_delta_at,
)
from proofs_check.biswas2023.trials.table_iv import delta_at_epsilon0
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}

Delta = Callable[..., Term]
"""From n, k, n_x0, e^eps0 and e^eps, by name."""


def printed(n: int, k: int, n_x0: int, exp_epsilon0: Fraction, exp_epsilon: Fraction) -> Term:
    """Return (6) with the printed v_s."""
    c, x = Counts(k, n, n_x0), term(exp_epsilon0)
    value: Term = printed_delta_hat(k, x, n_x0, c.b, term(exp_epsilon))
    return value


def tight(n: int, k: int, n_x0: int, exp_epsilon0: Fraction, exp_epsilon: Fraction) -> Term:
    """Return the tight delta, over the others' values."""
    value: Term = tight_delta_at(n, k, n_x0, term(exp_epsilon0), exp_epsilon)
    return value


def moves(
    compare: Callable[[Term, Term], Relation], delta: Delta, moved: str = "", **at: Any
) -> Relation:
    """delta at the next point (next_k for k, ..., or for one that is moved) compares so."""
    first = {name: value for name, value in at.items() if not name.startswith("next_")}
    after = {x: at.get(f"next_{x}", v) for x, v in first.items() if moved in ("", x)}
    return compare(delta(**{**first, **after}), delta(**first))


falls, rises = partial(moves, at_most), partial(moves, at_least)

POINTS = sized(range(1, 4), range(2, 4)).deep(n=range(1, 7))
SMALL: dict[str, Sort] = {**SIZES, "n": integers(1, draws=2), "k": integers(2, draws=1)}
STEPS = [Fraction(1, 2), Fraction(1), Fraction(2)]


def then(**axes: tuple[Any, Sort]) -> Cases:
    """Return the points, each with next ones: their values, and their kinds."""
    values, kinds = {x: v for x, (v, _) in axes.items()}, {x: kind for x, (_, kind) in axes.items()}
    over = Cases({**POINTS.axes, **values}, deeper=POINTS.deeper)
    return over.within(**SMALL, **ABOVE_0, **kinds)


FROM_EPSILON, FROM_EPSILON0 = (
    reals(lambda exp_epsilon: exp_epsilon),
    reals(lambda exp_epsilon0: exp_epsilon0),
)
NEXT_EPSILON = then(
    next_exp_epsilon=(lambda exp_epsilon: [exp_epsilon + d for d in STEPS], FROM_EPSILON)
)

TRIALS["biswas2023/section-V-C1/decreasing-in-epsilon"] = {
    "a": for_all(
        NEXT_EPSILON,
        partial(falls, tight),
        wrong=partial(rises, tight),
        proof=theorem("biswas2023_decreasing_in_epsilon"),
    ),
    "b": for_all(
        NEXT_EPSILON,
        partial(falls, printed),
        wrong=partial(rises, printed),
        proof=theorem("biswas2023_printed_decreases_in_epsilon"),
    ),
}

NEXT_EPSILON0 = then(
    next_exp_epsilon0=(lambda exp_epsilon0: [exp_epsilon0 + d for d in STEPS], FROM_EPSILON0)
)

TRIALS["biswas2023/section-V-C1/increasing-in-epsilon0"] = {
    "a": for_all(
        NEXT_EPSILON0,
        partial(rises, tight),
        wrong=partial(falls, tight),
        proof=theorem("biswas2023_increasing_in_epsilon0"),
    ),
    "b": for_all(NEXT_EPSILON0, partial(rises, printed), falls=Falls.REMARK),
}

TRIALS["biswas2023/section-V-C1/equation-57"] = for_all(
    # The paper's displayed equations are numbered (1) to (15).
    cases(equation=[57]),
    lambda equation: at_most(equation, 15),
    falls=Falls.MISPRINT,
)

NEXT_N = then(next_n=(lambda n: [n + 1], integers(lambda n: n, draws=2)))

TRIALS["biswas2023/section-V-C1/decreasing-in-n"] = {
    "a": for_all(
        NEXT_N,
        partial(falls, tight),
        wrong=partial(rises, tight),
        proof=theorem("biswas2023_decreasing_in_n"),
    ),
    "b": for_all(NEXT_N, partial(falls, printed), falls=Falls.REMARK),
}

NEXT_K = then(next_k=(lambda k: [k + 1], integers(lambda k: k, draws=1)))
SAME_DATASET = (
    sized(range(1, 4), range(2, 4), others=datasets, next_k=lambda k: [k + 1])
    .deep(n=range(1, 6))
    .within(**of_histograms(2, next_k=integers(lambda k: k, draws=1), **ABOVE_0))
)


def same_dataset(
    n: int,
    k: int,
    n_x0: int,
    others: Others,
    exp_epsilon0: Fraction,
    exp_epsilon: Fraction,
    next_k: int,
) -> Relation:
    """For a dataset held fixed, delta falls when the alphabet grows by values nobody holds."""
    before, after = (
        delta_of_histogram(size, term(exp_epsilon0), 0, 1, others, exp_epsilon)
        for size in (k, next_k)
    )
    return at_most(after, before)


TRIALS["biswas2023/section-V-C1/decreasing-in-k"] = {
    "a": for_all(NEXT_K, partial(falls, tight), falls=Falls.REMARK),
    "b": for_all(NEXT_K, partial(falls, printed), falls=Falls.REMARK),
    "c": for_all(
        SAME_DATASET,
        same_dataset,
        wrong=for_all(NEXT_K, partial(falls, tight)),
        proof=theorem("biswas2023_decreasing_in_k"),
    ),
}

TRIALS["biswas2023/figure-1/text"] = for_all(
    NEXT_EPSILON, partial(rises, tight), falls=Falls.MISPRINT
)


def caption(delta: Delta, **at: Any) -> list[Relation]:
    """Figure 1's caption: delta falls with eps and rises with eps0."""
    return [falls(delta, "exp_epsilon", **at), rises(delta, "exp_epsilon0", **at)]


NEXT_BOTH = then(
    next_exp_epsilon=(lambda exp_epsilon: [exp_epsilon + 1], FROM_EPSILON),
    next_exp_epsilon0=(lambda exp_epsilon0: [exp_epsilon0 + d for d in STEPS], FROM_EPSILON0),
)

TRIALS["biswas2023/figure-1/caption"] = {
    "a": for_all(
        NEXT_BOTH,
        partial(caption, tight),
        wrong=for_all(NEXT_EPSILON, partial(rises, tight)),
        proof=theorem("biswas2023_figure_1"),
    ),
    "b": for_all(NEXT_BOTH, partial(caption, printed), falls=Falls.REMARK),
}

DRAWS = ("the sampled data", "the random draws and how many", "the δ of the Gaussian mechanism")
UNPUBLISHED_DRAWS = Open(
    "at the printed eps = eps0 = 4, (6) is exactly 0 for every n_x0, and no Gaussian mechanism has "
    "the same (eps, delta); at another delta the distances are what the draws gave",
    DRAWS,
)

for _place in ("table-V", "section-V-C2/community-tv"):
    TRIALS[f"biswas2023/{_place}"] = {
        "a": delta_at_epsilon0(
            "the central model has no (eps, delta) = (4, 0) by any Gaussian", Falls.RESULT
        ),
        "b": UNPUBLISHED_DRAWS,
    }

TRIALS["biswas2023/section-V-C2/small-n"] = {"a": UNPUBLISHED_DRAWS, "b": UNPUBLISHED_DRAWS}


def inverted_is_better(shares: tuple[Fraction, ...], n: int = 1000, epsilon0: int = 5) -> Relation:
    """The expected squared error of the inverted shares is below that of the reported ones."""
    x = function("exp", epsilon0)
    q = named("q", 1 / (x + (len(shares) - 1)))
    p = named("p", x * q)
    spread = total([(w * p * (1 - p) + (1 - w) * q * (1 - q)) / n for w in shares])
    bias = total([(q + (p - q) * w - w) ** 2 for w in shares])
    return below(spread / (p - q) ** 2, spread + bias)


TRIALS["biswas2023/figure-2"] = Open(
    "that inversion helps turns on the data, which are draws of N(0, 2) in bins that are not "
    "printed (shown for k = 15, n = 1,000, eps0 = 5), and so does the distance from the central "
    "model",
    ("eps0", "the bins of the data", *DRAWS[:2]),
    for_all(
        cases(shares=[(Fraction(1, 15),) * 15, (Fraction(1), *[Fraction(0)] * 14)]),
        inverted_is_better,
    ),
)


def area(
    latitudes: tuple[str, str], longitudes: tuple[str, str], width: int, height: int
) -> Statement:
    """The sides are as printed, to the nearest kilometer, on a sphere of radius 6371 km."""
    degree = Term("pi") / 180
    (south, north), (west, east) = ([Fraction(v) for v in ends] for ends in (latitudes, longitudes))
    parallel = function("cos", (south + north) / 2 * degree)
    sizes = {
        "width": (6371 * degree * (east - west) * parallel, width),
        "height": (6371 * degree * (north - south), height),
    }

    def says(side: str, more: int = 0) -> list[Relation]:
        size, claimed = sizes[side][0], sizes[side][1] + more
        return [above(size, claimed - Fraction(1, 2)), below(size, claimed + Fraction(1, 2))]

    sides = cases(side=sizes).all_of(side=among(*sizes))
    return for_all(sides, says, wrong=partial(says, more=1))


TRIALS["biswas2023/section-V-D/area-san-francisco"] = area(
    ("37.7228", "37.7946"), ("-122.5153", "-122.3789"), width=12, height=8
)

TRIALS["biswas2023/section-V-D/area-paris"] = area(
    ("48.8286", "48.8798"), ("2.2855", "2.3909"), width=8, height=6
)

GOWALLA = Open(
    "that inversion helps turns on the data (figure-2), and so does the distance from the central "
    "model, which at eps = eps0 would have delta = 0",
    ("the Gowalla check-ins of the run", "the random draws", "eps0 of the runs"),
)

TRIALS["biswas2023/figure-6"] = GOWALLA

TRIALS["biswas2023/figure-7"] = GOWALLA

TRIALS["biswas2023/table-VI"] = Open(
    "at the printed eps = eps0 = 4, (6) is exactly 0 for every n_x0, and no Gaussian mechanism has "
    "the same (eps, delta); at another delta the distances are what the draws gave",
    ("the Gowalla check-ins of the run", "the random draws", "the δ of the Gaussian mechanism"),
)
