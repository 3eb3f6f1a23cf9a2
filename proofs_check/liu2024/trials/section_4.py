"""Sections 4 and 5: tables and figures. The draws of the budgets are not published.

What does not depend on the draws, or holds for all of them, is put on trial; else evenly
spaced budgets stand for a draw.
"""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial

from exactdp.claims.cases import Cases, cases
from exactdp.claims.claim import Open, Outcome
from exactdp.claims.forms import (
    Relation,
    Said,
    Trials,
    above,
    at_least,
    at_most,
    decided,
    for_all,
)
from exactdp.claims.terms import Term, function, named, positive_part, sum_over, term
from exactdp.claims.values import value
from exactdp.claims.verdicts import Beside, Falls
from exactdp.numbers import Enclosure, Epsilon, Exact, decimal, enclosure
from exactdp.shuffle import stronger_clone_pair
from exactdp.truth import Truth
from proofs_check.liu2024.curves import CentralBound
from proofs_check.liu2024.noise import (
    Shape,
    gaussian_noise,
    least_probability,
    noise,
    victim_probability,
)
from proofs_check.liu2024.noise_terms import (
    gaussian_delta,
    gaussian_other_terms,
    is_classical,
    laplace_other_terms,
)
from proofs_check.liu2024.truth import TwoLetterView, best_threshold

TRIALS: Trials = {}

TRIALS["liu2024/table-1"] = Open(
    "a setting is an interval of budgets: what is computed in it turns on their draw (table-2)",
    ("the draws of the budgets",),
)

DELTA = Fraction(1, 10**10)
CLASSICAL = Fraction(6819, 1000)
"""c of σ = c/ε, c² >= 2 ln(1.25/δ) for δ = 10^−10."""


def spaced(low: Fraction, high: Fraction, groups: int) -> list[Fraction]:
    """Return budgets at the middles of equal parts."""
    return [low + (high - low) * Fraction(2 * j + 1, 2 * groups) for j in range(groups)]


def text(found: Enclosure | Fraction) -> str:
    """Return the upper end, shortly."""
    return decimal(Exact(found.upper if isinstance(found, Enclosure) else found), digits=3)


SETTINGS = {"Uniform1": (Fraction(1, 20), Fraction(1)), "Uniform2": (Fraction(1, 2), Fraction(2))}
CONSTANT = {Shape.LAPLACE: Fraction(1), Shape.GAUSSIAN: CLASSICAL}


@cache
def spaced_bound(shape: Shape, setting: str, n: int) -> CentralBound:
    """Theorem 2 for 25 evenly spaced budgets, x_i = x_1^0."""
    groups, c = 25, CONSTANT[shape]
    *budgets, first = spaced(*SETTINGS[setting], groups)
    others = [(least_probability(shape, c / first, c / e), n // groups) for e in budgets]
    return CentralBound(
        others,
        w=victim_probability(noise(shape, 0, c / first), noise(shape, 1, c / first)),
        delta_1=0 if shape is Shape.LAPLACE else DELTA,
        bits=128,
    )


def tighter(setting: str, n: int, epsilon: Fraction, smaller: Shape = Shape.GAUSSIAN) -> Outcome:
    """δ_s of (5), sums from i = 0 and best t, is smaller for one noise than for the other."""
    small, large = (
        spaced_bound(shape, setting, n).best_delta(Epsilon.rational(epsilon))
        for shape in sorted(Shape, key=lambda shape: shape is not smaller)
    )
    return decided(
        ~large.is_at_most(small), f"{smaller.value} {text(small)}, the other {text(large)}"
    )


def larger_p(epsilon_1: Fraction, epsilon_i: Fraction) -> Said:
    """p_i is larger for Gaussian noise (classical σ, δ = 10^−10) than for Laplace noise."""
    gaussian = gaussian_other_terms(epsilon_1 / CLASSICAL, epsilon_1 / epsilon_i)
    laplace = laplace_other_terms(epsilon_1, epsilon_i)
    return above(function("min", *gaussian), function("min", *laplace)).given(
        lambda: [
            is_classical(CLASSICAL, DELTA),
            *(at_most(gaussian_delta(e / CLASSICAL, e), DELTA) for e in (epsilon_1, epsilon_i)),
        ]
    )


TRIALS["liu2024/figure-4/approximate-tighter"] = {
    "a": for_all(
        cases(
            setting=list(SETTINGS), n=(1000, 4000), epsilon=(Fraction(1, 100), Fraction(1, 20))
        ).deep(n=(1000, 10_000, 40_000)),
        tighter,
        wrong=partial(tighter, smaller=Shape.LAPLACE),
    ),
    "b": for_all(
        cases(
            epsilon_1=(Fraction(1), Fraction(2)),
            _part=(Fraction(1, 2), Fraction(1, 4), Fraction(3, 4)),
            epsilon_i=lambda epsilon_1, _part: [_part * epsilon_1],
        ),
        larger_p,
        falls=Falls.REMARK,
    ),
}

USERS = 10_000

EPSILONS = [Fraction(x, 100) for x in (1, 3, 5, 8, 10)]
ROWS = {
    "[12]": ("0.0083", "0.0029", "0.0008", "6e-5", "1e-5"),
    "[3]": ("0.0042", "0.0007", "5e-5", "3e-7", "3e-9"),
    "ours": ("0.0007", "2e-6", "3e-10", "1e-18", "1e-25"),
}


def printed(row: str) -> Cases:
    """Return the cells of a row."""
    return cases(epsilon__cell=list(zip(EPSILONS, map(Fraction, ROWS[row]), strict=True)))


def printed_cell(row: str, epsilon: Fraction) -> str:
    """Return the cell as it is printed."""
    return ROWS[row][EPSILONS.index(epsilon)]


def clones(epsilon: Fraction, cell: Fraction) -> Outcome:
    """The cell is not below the δ of the stronger clones' counts with ε_0 = 2 for all.

    For local δ_0 = 10^−10 this adds (e^ε + 1)(1 + e^(−ε_0)/2) n δ_0.
    """
    factor = Exact.exp(epsilon)
    pair = stronger_clone_pair(USERS, Epsilon.rational(2))
    counts = pair.delta(Epsilon.rational(epsilon), relative_width="1e-9")
    extra = (factor + 1) * (1 + Exact.exp(-2) / 2) * USERS * DELTA
    all_of = counts.upper + enclosure(extra).upper
    found = f"δ of the counts {text(counts)}, with the term for δ_0 {text(all_of)}"
    beside = [Beside(printed_cell("[12]", epsilon), text(all_of), "<=")]
    return decided(all_of <= cell, found, slack=cell / all_of, beside=beside)


TRIALS["liu2024/table-2/ref-12"] = {
    "a": Open(
        "[12] has several bounds, and its numerical ones end by their steps and tolerance; from "
        "below the cells are bounded by reading b",
        ("which bound of [12]", "its steps and its tolerance", "the draws of the budgets"),
    ),
    "b": for_all(printed("[12]"), clones, wrong=for_all(printed("[3]"), clones)),
}


def half_unit(row: str, epsilon: Fraction) -> Fraction:
    """Half a unit of the last digit of a cell."""
    digits = Decimal(printed_cell(row, epsilon)).as_tuple()
    return Fraction(10) ** int(digits.exponent) / 2


def gaussian_limit(epsilon: Fraction, cell: Fraction) -> Said:
    """[3]: μ² = 2/(Σ_i (1 − δ_i)/(1 + e^(ε_i)) − max_i ...), the process being about μ-GDP.

    All ε_i >= 1/2, so μ² >= 2 (1 + e^(1/2))/n for every draw, and δ grows with μ: a cell that
    is the value is at least this, rounded.
    """
    mu = named("mu", function("sqrt", 2 * (1 + function("exp", Fraction(1, 2))) / USERS))
    one, two = (function("normal_cdf", side * (mu / 2) - epsilon / mu) for side in (1, -1))
    least = at_most(one - function("exp", epsilon) * two, cell + half_unit("[3]", epsilon))
    return Said((least,), printed=printed_cell("[3]", epsilon))


def spaced_responses() -> TwoLetterView:
    """Return the view of binary randomized responses, evenly spaced budgets, others with x_1^0."""
    groups = 50
    chances = [1 / (Exact.exp(e) + 1) for e in spaced(*SETTINGS["Uniform2"], groups)]
    first, share = chances[-1], USERS // groups
    others = tuple((chance, share - (chance == first)) for chance in chances)
    return TwoLetterView(first, 1 - first, others)


def silent_others() -> TwoLetterView:
    """Return the view where the others' randomizers are (0, 0)-LDP: they always send one letter."""
    return replace(spaced_responses(), others=())


OTHERS = {"binary responses": spaced_responses, "constant reports": silent_others}
"""Randomizers of the others; the victim has binary randomized response."""


def true_delta(others: str, epsilon: Fraction, cell: Fraction) -> Outcome:
    """The cell is at least the true δ of the view."""
    found = OTHERS[others]().delta(Epsilon.rational(epsilon), relative_width="1e-6")
    return decided(found.is_at_most(Enclosure(cell, cell)), f"the true δ is {text(found)}")


TRIALS["liu2024/table-2/ref-3"] = {
    "a": for_all(printed("[3]"), gaussian_limit, falls=Falls.RESULT),
    "b": Open(
        "whether the cells are bounds turns on the randomizers: others whose reports do not depend "
        "on their data are private, and hide nobody",
        ("the randomizers", "the draws of the budgets"),
        for_all(cases(others=OTHERS, **printed("[3]").axes), true_delta),
    ),
}

FEWEST = 2200
"""So many clones there are, but for a probability that Hoeffding's inequality bounds."""


def values(epsilon: Fraction, cell: Fraction) -> Outcome:
    """The cells are δ_s(ε), σ_i of the least or of the classical calibration, any draw.

    p_i at x_i = x_1^0, which the paper takes for the worst. δ_s falls with every p_i and
    with w; printed (5), at whatever t and without i = 0, is at most what is bounded here.
    """
    fixed = CentralBound([("1/2", FEWEST)], w=value(largest_w()), delta_1=DELTA, bits=128)
    bound = fixed.best_delta(Epsilon.rational(epsilon)).upper + enclosure(value(rare())).upper
    least = cell - half_unit("ours", epsilon)
    return decided(
        Truth.FALSE if bound < least else Truth.UNKNOWN,
        f"δ_s is at most {text(bound)} for every draw without ties",
        claimed=lambda: [at_least(largest_value(epsilon), least)],
        given=calibrations,
        beside=[Beside(printed_cell("ours", epsilon), text(bound), "<=")],
    )


def largest_w() -> Term:
    """Return p_1 = Φ(−1/(2σ_1)) − δ for σ_1 >= 3."""
    return named("w", function("normal_cdf", Fraction(-1, 6)) - DELTA)


def clone_gap() -> Term:
    """Return 2p − FEWEST/(n − 1), p_i >= p for all 1/2 <= ε_i < ε_1 <= 2.

    With y = 1/(1 + r), r = σ_i/σ_1 <= 4, d = 1/σ_1 <= 1/3: by log r >= 2(r − 1)/(r + 1), U_0
    reaches from −2y to 0 at least and U_1 from d·y at most to 2y at least, in units of σ_i;
    Φ(2y) − Φ(dy) grows with y and falls with d. δ is subtracted for T_δ as tails of mass δ.
    """
    high, low = (function("normal_cdf", Fraction(1, x)) for x in (Fraction(5, 2), Fraction(15)))
    return 2 * named("p", high - low - DELTA) - Fraction(FEWEST, USERS - 1)


def rare() -> Term:
    """Pr[C < FEWEST] <= e^(−2 (n − 1) (2p − FEWEST/(n − 1))²)."""
    gap = clone_gap()
    return function("exp", -2 * (USERS - 1) * gap * gap)


def largest_value(epsilon: Fraction) -> Term:
    """Return the bound on δ_s as a term; the sum is over the outcomes given C = FEWEST."""
    w = largest_w()
    a = named("a", (1 - term(DELTA)) * (1 - 2 * w))
    b = named("b", function("exp", epsilon) - 2 * w * (1 - DELTA) - DELTA)
    middle = sum_over(
        "k",
        0,
        FEWEST + 1,
        lambda k: positive_part(
            a * function("binomial", FEWEST, k) - b * function("binomial", FEWEST, k - 1)
        ),
    )
    return middle / term(2) ** FEWEST + rare()


def calibrations() -> list[Relation]:
    """Least σ: above 3 for ε_1 <= 2, at most 12 for ε_i >= 1/2.

    Classical: σ_1² = 2 ln(1.25/δ)/4 > 9 at ε_1 = 2, and σ_i/σ_1 = ε_1/ε_i <= 4.
    """
    return [
        above(gaussian_delta(Fraction(1, 3), Fraction(2)), DELTA),
        at_most(gaussian_delta(Fraction(1, 12), Fraction(1, 2)), DELTA),
        above(function("log", Fraction(5, 4) / DELTA) / 2, 9),
        above(clone_gap(), 0),
    ]


def upper_bounds(epsilon: Fraction, cell: Fraction, finer: int = 1) -> Outcome:
    """No lower bound on the true δ exceeds a cell: evenly spaced budgets, counts below t.

    All other inputs are x_1^0; σ of the classical calibration, divided by ``finer``.
    """
    groups = 50
    scales = [CLASSICAL / e / finer for e in spaced(Fraction(1, 2), Fraction(2), groups)]
    first, share = scales[-1], USERS // groups
    others = [(gaussian_noise(0, s), share - (s == first)) for s in scales]
    cut, found = best_threshold(
        gaussian_noise(0, first),
        gaussian_noise(1, first),
        others,
        thresholds=[Fraction(1, 2) + first * Fraction(j, 2) for j in (0, 1, 2)],
        epsilon=Epsilon.rational(epsilon),
    )
    shown = f"true δ at least {text(found.lower)} (messages below {text(cut)})"
    beside = [Beside(printed_cell("ours", epsilon), text(found.lower), ">=")]
    return decided(found.lower <= cell, shown, beside=beside)


TRIALS["liu2024/table-2/ours"] = {
    "a": for_all(printed("ours"), values, falls=Falls.RESULT),
    "b": for_all(printed("ours"), upper_bounds, wrong=partial(upper_bounds, finer=8)),
}

TRIALS["liu2024/section-5/55-times"] = Open(
    "the ratio of two bounds on ε turns on n, δ, the draws and the bound that is compared",
    ("the data of the figures", "the baseline", "n of the ratio"),
)
