"""Section 3.3: Theorem 1, the theorem that holds in its place, and equation (1)."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from math import comb
from typing import Any

from exactdp.audit.algebra import identity
from exactdp.claims.cases import cases
from exactdp.claims.claim import Outcome
from exactdp.claims.forms import (
    Relation,
    Said,
    Trials,
    above,
    at_least,
    at_most,
    below,
    decided,
    for_all,
    not_all,
)
from exactdp.claims.kinds import Sort, objects, reals
from exactdp.claims.laws import hockey_stick, total_variation_of
from exactdp.claims.proofs import checked, proof, words
from exactdp.claims.terms import Term, formula, function, named, term
from exactdp.claims.values import value
from exactdp.claims.verdicts import Falls
from exactdp.numbers import Enclosure, Epsilon, Exact, decimal, enclosure
from exactdp.numbers.real_functions import evaluate
from exactdp.shuffle import variation_ratio_pair
from exactdp.testing.later import st
from proofs_check.lemmas.mixtures import Row, among, variation
from proofs_check.lemmas.theorems import theorem
from proofs_check.lemmas.trials.divergences import laws
from proofs_check.wang2024 import bounds
from proofs_check.wang2024.quantities import MEASURE
from proofs_check.wang2024.randomizers import (
    MESSAGES,
    OTHER_LAWS,
    VICTIM,
    apart_of_laws,
    four_apart_of_laws,
    with_slots,
)
from proofs_check.wang2024.trials.section_3 import properties
from proofs_check.wang2024.trials.views import HALF, ONE, dominated, numbers, reduction_counts

TRIALS: Trials = {}

Rows = tuple[Row, ...]


def small_rows(outcomes: int, weights: Sequence[int]) -> Iterator[Rows]:
    """Yield the victim's two rows and another's with finite p and q, small numbers first."""
    for weight in weights:
        for two, one, other in product(laws(outcomes, weight)[::-1], repeat=3):
            columns = zip(one, two, other, strict=True)
            if one != two and all((u > 0) == (v > 0) <= (w > 0) for u, v, w in columns):
                yield one, two, other


SMALL_ROWS = list(small_rows(2, (2, 3, 4)))


def smallest(rows: Rows) -> dict[str, Fraction]:
    """Return the smallest p, β and q of a victim (rows 0 and 1) and another user (row 2)."""
    columns = [column for column in zip(*rows, strict=True) if any(column)]
    p = max(max(u / v, v / u) for u, v, _ in columns if u)
    return {"p": p, "beta": variation(*rows[:2]), "q": max(max(u, v) / w for u, v, w in columns)}


def reduction(rows: Rows, slots: int, gamma: Fraction = ONE) -> Said:
    """Compare a victim among others of row 2, who send with probability γ, with n = slots + 1."""
    at = smallest(rows)
    counts = reduction_counts(slots + 1, **{**at, "q": at["q"] / gamma})
    return Said(
        dominated(named("view", sent(rows, slots, gamma)), named("counts", counts)),
        [
            *properties(rows[:2], [(row, rows[2]) for row in rows[:2]], **at),
            at_most(at["beta"], (term(at["p"]) - 1) / (term(at["p"]) + 1)),
            at_least(at["q"], 1),
        ],
    )


def sent(rows: Rows, slots: int, gamma: Fraction) -> Term:
    """Return the view; the last letter is nothing, where γ < 1."""
    if gamma < 1:
        none = Fraction(0)
        rows = ((*rows[0], none), (*rows[1], none), (*(gamma * m for m in rows[2]), 1 - gamma))
    return among(rows, slots)


# n - 1 other users, whose randomizer ignores its input; two messages.
TRIALS["wang2024/theorem-1"] = for_all(
    cases(n=(2, 3), rows=SMALL_ROWS), lambda n, rows: reduction(rows, n - 1), falls=Falls.RESULT
)


SHAPED = [
    (rows[:2], rows[2], at["p"], at["q"])
    for rows in [*small_rows(2, (4,)), *list(small_rows(3, (5,)))[::97]]
    for at in [smallest(rows)]
]
"""The victim's two laws and another, with their p and q."""

GAMMAS = numbers("1", "2", "3/2", "1/2")

COUNTED: dict[str, Sort] = {
    "D": MEASURE,
    "k": MESSAGES,
    "p": reals(above=1),
    "q": reals(1),
    "victim": VICTIM,
}


def rest_counted(D: Any, k: int, p: Any, q: Any, victim: Any, others: Any) -> Relation:
    """Compare the messages with the counts of both letters, of the rest, and of leftovers."""
    return at_most(apart_of_laws(D, k, victim, others), four_apart_of_laws(D, p, q, victim, others))


def not_counted(
    D: Any, k: int, p: Any, q: Any, victim: Any, others: Any, gamma: Fraction = ONE
) -> Relation:
    """False: the printed two counts."""
    true = with_slots(victim, others[0], len(others), gamma)
    printed = reduction_counts(len(others) + 1, p, variation(*victim), q / gamma)
    return at_most(hockey_stick(true, D), hockey_stick(printed, D))


TRIALS["wang2024/repair/theorem-1"] = for_all(
    cases(
        victim___other__p__q=SHAPED,
        others=lambda _other: [(_other,), (_other,) * 2],
        k=lambda _other: [len(_other)],
        D=GAMMAS,
    ).within(**COUNTED, others=OTHER_LAWS),
    rest_counted,
    wrong=not_counted,
    proof=theorem("wang2024_repair_theorem_1"),
)


HOEFFDING = 6  # 3 from log(4/δ) <= 3 log(1/δ), 2 from n <= 2(n-1)


def amplified(f: Any, *, n: Any, p: Any, beta: Any, q: Any, delta: Any) -> Any:
    """Return the formula in (1) times the constant that the proof gives for these p, β, q."""
    r = beta * p / ((p - 1) * q)
    counted = (p - 1) * (f.sqrt(f.constant(2)) + 1) / f.sqrt(r)
    whole = f.log(p) / (r * f.sqrt(f.constant(2)))
    scale = f.sqrt(beta * (p - 1) * q / p)
    constant = f.sqrt(f.constant(HOEFFDING)) * f.maximum(counted, whole) / scale
    return constant * bounds.amplified_epsilon(f, p=p, beta=beta, q=q, n=n, delta=delta)


SHAPES = [
    (Fraction(2), Fraction(1, 3), Fraction(3, 2)),
    (Fraction(2), Fraction(1, 10), Fraction(2)),
    (Fraction(5), Fraction(1, 2), Fraction(5)),
    (Fraction(20), Fraction(9, 10), Fraction(3)),
]


def proof_applies(n: int, p: Fraction, beta: Fraction, q: Fraction, delta: Fraction) -> bool:
    """Return whether n is large enough for δ near 1."""
    nobody = (1 - bounds.letters_probability(None, p=p, beta=beta, q=q)) ** (n - 1)
    return bool(delta <= HALF or beta * (1 + nobody) <= 1)


def order(
    n: int, p: Fraction, beta: Fraction, q: Fraction, delta: Fraction, claimed: Any = None
) -> Outcome:
    """Reading (a), with the constant of the proof; ``claimed`` replaces δ in the formula."""
    pair = variation_ratio_pair(n, p=p, beta=beta, q=q)
    if pair.delta(Epsilon.log(1), relative_width="1e-9").is_at_most(delta).is_certain:
        return decided(holds=True, found="ε = 0")
    if not pair.delta(Epsilon.log(p), relative_width="1e-9").is_at_most(delta).is_possible:
        return decided(holds=False, found="the ratio of the laws exceeds p")
    true = pair.epsilon(delta, relative_width="1e-6")
    assert isinstance(true, Enclosure), "ε is between 0 and log p"
    bound = evaluate(amplified, n=n, p=p, beta=beta, q=q, delta=claimed or delta)
    bracket = enclosure(bound, relative_bits=40)
    fine = true.is_at_most(bracket)
    found = f"ε is {decimal(Exact(true.lower), digits=6)}, claimed {decimal(bound, digits=6)}"
    return decided(fine, found, slack=bracket.lower / true.upper)


def mean_mode(trials: int, share: Fraction) -> Fraction:
    """Return E[h(C)] for C ~ Binomial(trials, share), h the largest mass of Binomial(C, 1/2)."""
    law = [comb(trials, c) * share**c * (1 - share) ** (trials - c) for c in range(trials + 1)]
    return sum((m * Fraction(comb(c, c // 2), 2**c) for c, m in enumerate(law)), Fraction(0))


ORDER = proof(
    identity(
        "given that the victim sends a letter the ratio of the laws at a + b = C + 1 is 1 + "
        "(p-1)(a-b)/(a+pb)",
        "a b p",
        lambda a, b, p: ((p * a + b) / (a + p * b) - 1, (p - 1) * (a - b) / (a + p * b)),
    ),
    checked(
        "the total variation is β E[h(C)], h the largest mass of Binomial(C, 1/2) (at n = 2, 10)",
        lambda: all(
            value(total_variation_of(reduction_counts(n, p, beta, q)))
            == beta * mean_mode(n - 1, bounds.letters_probability(None, p=p, beta=beta, q=q))
            for n, (p, beta, q) in product((2, 10), SHAPES)
        ),
    ),
    words(
        "the laws agree where the victim sends no letter; where it does, log P/Q <= (p-1)|a-b|/"
        "(a+b), |a-b| <= |2A-C|+1. Hoeffding, L = log(4/δ): |2A-C| <= sqrt(2CL) but for "
        "δ/2, C >= r(n-1) but for e^(-2r²(n-1)); if that is at most δ/2, ε <= (p-1)(sqrt(2)+1)"
        "sqrt(L/(r(n-1))), else L > 2r²(n-1) and ε <= log p <= log(p) sqrt(L/(2(n-1)))/r. For "
        "δ <= 1/2, L <= 3 log(1/δ). For δ > 1/2 the total variation β E[h(C)] <= β(1 + "
        "(1-2r)^(n-1))/2 (h(0) = 1, else h <= 1/2) is at most δ, and ε = 0"
    ),
)


def uniformly(constant: int, n: int, beta: Fraction) -> Outcome:
    """Reading (b): β -> 0 at fixed p, q = 150 n and δ = β/4 makes (1) go to 0, and not ε.

    D_2(P‖Q) >= (pα - 2α) P(C = 0) = (β/2)(1 - 2r)^(n-1) > β/4 as 2r = β/(50n) is small:
    so ε >= log 2, for every n, while (1) is sqrt(100 β log(4/β)).
    """
    p, q, delta = Fraction(3), Fraction(150 * n), beta / 4
    printed = formula(bounds.amplified_epsilon, p=p, beta=beta, q=q, n=n, delta=delta)
    two = hockey_stick(named("counts", reduction_counts(n, p, beta, q)), 2)
    return not_all(
        [above(two, delta), below(constant * printed, function("log", 2))],
        found="δ = β/4; as β -> 0 the same holds for every constant and every n",
        given=[at_most(beta, (term(p) - 1) / (term(p) + 1)), at_least(q, 1)],
    )


TRIALS["wang2024/equation-1"] = {
    "a": for_all(
        cases(
            p__beta__q=SHAPES,
            n=(2, 10, 100, 1000, 10_000),
            delta=[Fraction(d) for d in ("3/4", "1/10", "1e-6", "1e-200")],
        )
        .where(proof_applies)
        .printed("n p beta q delta")
        .within(
            lambda p, beta, q: at_most(2 * beta * p / ((p - 1) * q), 1),
            p=reals(above=1),
            beta=reals(above=0, most=lambda p: (p - 1) / (p + 1)),
            q=reals(1),
            delta=reals(above=0, below=1),
            n=objects(
                "an integer ≥ 2 that is large enough for δ",
                lambda: st.sampled_from((2, 10, 100)),
                condition=proof_applies,
            ),
        ),
        order,
        wrong=partial(order, claimed=Fraction(1, 3)),
        proof=ORDER,
    ),
    "b": for_all(
        cases(constant=(1000,), n=(100,), beta=(Fraction(1, 10**10),)),
        uniformly,
        falls=Falls.REMARK,
    ),
}
