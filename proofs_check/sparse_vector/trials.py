"""Six published algorithms, their promises, and how far they are from private."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from exactdp.audit.algebra import identity
from exactdp.claims.cases import Cases, cases, listed
from exactdp.claims.claim import Statement
from exactdp.claims.forms import Relation, Trials, above, at_most, for_all
from exactdp.claims.kinds import Sort, integers, objects, reals
from exactdp.claims.proofs import proof, words
from exactdp.claims.quantities import Notion, quantity
from exactdp.claims.terms import function, named, term
from exactdp.claims.verdicts import Falls
from exactdp.numbers import Exact
from exactdp.testing import fractions
from proofs_check.lemmas.theorems import theorem
from proofs_check.sparse_vector.data import (
    ANSWERS,
    ENDLESS,
    GENERAL,
    MONOTONE,
    PAIRS,
    REPORTS,
    monotone,
    reports,
)
from proofs_check.sparse_vector.variants import (
    VARIANTS,
    Answers,
    fresh,
    is_private,
    likelihoods,
    once,
    private,
)

TRIALS: Trials = {}

EPSILONS = [Fraction(x) for x in ("1", "1/10", "4")]
AT_MOST = (Fraction(0), Fraction(1))
"""What told answers are at most: the threshold, and more."""


def instances(neighbors: Sort, *, is_ended: bool = True, **more: Any) -> Cases:
    """Return instances of a claim on answers, the adversary's reports among them."""
    pairs = [pair for pair in PAIRS if neighbors is GENERAL or monotone(*pair)]
    if not is_ended:
        found = cases(answers__neighbor=pairs, report=lambda answers: reports(answers, 60))
        return replace(found, axes={**more, **found.axes})
    found = cases(c=(1, 2), answers__neighbor=pairs, report=reports)
    return replace(found, axes={**more, **found.axes}).then(at_threshold(2, (1, 0), **more))


def at_threshold(c: int, report: tuple[int, ...], **more: Any) -> Cases:
    """Return instances with answers at the threshold, where Coq has the integral in closed form."""
    same = cases(c=(c,), answers__neighbor=[((0, 0), (0, 0))], report=[report])
    return replace(same, axes={**more, **same.axes})


def domain(neighbors: Sort, *, is_ended: bool = True) -> dict[str, Sort]:
    """Return the kinds of the variables of these instances."""
    data: dict[str, Sort] = {"answers": ANSWERS, "neighbor": neighbors}
    if is_ended:
        return {"c": integers(1), **data, "report": REPORTS}
    return {**data, "report": ENDLESS}


def stands(name: str, neighbors: Sort, proved: str) -> Statement:
    """Return the claim that a variant is private; with half the noise on answers it is not."""
    variant = VARIANTS[name]
    return for_all(
        instances(neighbors, epsilon=EPSILONS).within(epsilon=reals(above=0), **domain(neighbors)),
        partial(is_private, variant),
        wrong=partial(is_private, variant.sharper),
        proof=theorem(proved),
    )


TRIALS["sparse_vector/algorithm-1"] = stands("algorithm-1", GENERAL, "sparse_vector_algorithm_1")
TRIALS["sparse_vector/algorithm-1/monotone"] = stands(
    "algorithm-1/monotone", MONOTONE, "sparse_vector_algorithm_1_monotone"
)
TRIALS["sparse_vector/algorithm-2"] = stands("algorithm-2", GENERAL, "sparse_vector_algorithm_2")


Example = dict[str, Any]


def falls_at(name: str, neighbors: Sort, example: Example) -> Statement:
    """Return the claim that a variant is private, tried at an example and beyond."""
    variant = VARIANTS[name]
    more: dict[str, Any] = {"x": AT_MOST} if "x" in example else {}
    kinds: dict[str, Sort] = {"x": reals()} if "x" in example else {}
    over = instances(neighbors, is_ended=variant.is_ended, epsilon=EPSILONS, **more)
    kinds = {"epsilon": reals(above=0), **domain(neighbors, is_ended=variant.is_ended), **kinds}
    return for_all(
        listed({"epsilon": Fraction(1), **example}).then(over).within(**kinds),
        partial(private, variant=variant),
        falls=Falls.RESULT,
    )


THREE_RISE: Example = {
    **{"c": 1, "answers": (0, 0, 0, 0), "neighbor": (1, 1, 1, 0)},
    **{"report": (0, 0, 0, 1), "x": Fraction(0)},
}

TRIALS["sparse_vector/algorithm-3"] = {
    "a": falls_at("algorithm-3", GENERAL, THREE_RISE),
    "b": falls_at("algorithm-3", MONOTONE, THREE_RISE),
}


def beyond(p: Any, q: Any, loss: Any) -> Relation:
    """P is more than e^loss times Q."""
    return above(named("P", term(p)), function("exp", loss) * named("Q", term(q)))


MULTIPLES: dict[str, Sort] = {"epsilon": reals(above=0), "k": integers(1)}


@quantity(
    "(told_probability (2 / {0}) (2 * INR {2:nat} / {0}) (repeat {3} (2 * {2:nat} * {1:nat} + 1)) "
    "(repeat false (2 * {2:nat} * {1:nat} + 1)) 0 0)",
    name="P",
)
def below_told(epsilon: Fraction, k: int, c: int, rise: int) -> Exact:
    """Algorithm 3: 2ck + 1 answers are below, and then 0 is told as at most the threshold."""
    m = 2 * c * k + 1
    data = (rise,) * m + (0,)
    report = (0,) * m + (1,)
    return likelihoods(VARIANTS["algorithm-3"], epsilon, c, report, [data], Fraction(0))[0]


def rise_is_told(epsilon: Any, k: Any, c: Any, more: int = 0) -> Relation:
    """Where the answers below rise from 0 to 1 the loss is more than kε."""
    p, q = (below_told(epsilon, k, c, rise) for rise in (0, 1))
    return above(p, function("exp", (k + more if more else k) * epsilon) * q)


TRIALS["sparse_vector/algorithm-3/unbounded"] = for_all(
    cases(epsilon=EPSILONS, k=(1, 2, 3), c=(1, 2)).within(**MULTIPLES, c=integers(1)),
    rise_is_told,
    wrong=partial(rise_is_told, more=1),
    proof=theorem("sparse_vector_algorithm_3_unbounded"),
)

TRIALS["sparse_vector/algorithm-4"] = {
    "a": falls_at(
        "algorithm-4",
        GENERAL,
        {"c": 1, "answers": (0, 0, 1), "neighbor": (1, 1, 0), "report": (0, 0, 1)},
    ),
    "b": falls_at(
        "algorithm-4",
        MONOTONE,
        {"c": 2, "answers": (0, 0, 0, 0), "neighbor": (1, 1, 0, 0), "report": (0, 0, 1, 1)},
    ),
    "c": for_all(
        instances(MONOTONE, epsilon=EPSILONS)
        .where(lambda c: c == 1)
        .then(at_threshold(1, (0, 1), epsilon=EPSILONS))
        .within(epsilon=reals(above=0), **{**domain(MONOTONE), "c": integers(1, 1)}),
        partial(is_private, VARIANTS["algorithm-4"]),
        wrong=partial(is_private, VARIANTS["algorithm-4"].sharper),
        proof=theorem("sparse_vector_algorithm_4"),
    ),
}

TRIALS["sparse_vector/algorithm-5"] = {
    "a": falls_at(
        "algorithm-5", GENERAL, {"answers": (0, 1), "neighbor": (1, 0), "report": (0, 1)}
    ),
    "b": falls_at(
        "algorithm-5", MONOTONE, {"answers": (0, 1), "neighbor": (1, 1), "report": (0, 1)}
    ),
}


def without_noise(first: int) -> Notion:
    """Return the probability that of a first answer and 1 the second alone is above."""
    return quantity(f"(noiseless_probability (2 / {{0}}) [{first}; 1] [false; true])", name="P")(
        lambda epsilon: likelihoods(VARIANTS["algorithm-5"], epsilon, 1, (0, 1), [(first, 1)])[0]
    )


BELOW, ABOVE = without_noise(0), without_noise(1)


def between(p: Notion, q: Notion, epsilon: Any, k: Any) -> Relation:
    """Algorithm 5: the threshold lies between two answers, which become one."""
    return above(p(epsilon), function("exp", k * epsilon) * q(epsilon))


TRIALS["sparse_vector/algorithm-5/unbounded"] = for_all(
    cases(epsilon=EPSILONS, k=(1, 2, 3)).within(**MULTIPLES),
    partial(between, BELOW, ABOVE),
    wrong=partial(between, ABOVE, BELOW),
    proof=theorem("sparse_vector_algorithm_5_unbounded"),
)

TRIALS["sparse_vector/algorithm-6"] = {
    "a": falls_at(
        "algorithm-6",
        GENERAL,
        {"answers": (0, 0, 0, 0), "neighbor": (1, 1, -1, -1), "report": (0, 0, 1, 1)},
    ),
    "b": falls_at(
        "algorithm-6",
        MONOTONE,
        {
            "answers": (0, 0, 0, 0, 0, 0),
            "neighbor": (1, 1, 1, 0, 0, 0),
            "report": (0, 0, 0, 1, 1, 1),
        },
    ),
}


def half_and_half(epsilon: Fraction, k: int, more: int = 0) -> Relation:
    """Algorithm 6: 2k + 1 answers below rise, and as many above fall."""
    m = 2 * k + 1
    data = (0,) * (2 * m), (1,) * m + (-1,) * m
    p, q = likelihoods(VARIANTS["algorithm-6"], epsilon, 1, (0,) * m + (1,) * m, data)
    return beyond(p, q, (k + more * (k + 1)) * epsilon)


TRIALS["sparse_vector/algorithm-6/unbounded"] = for_all(
    cases(epsilon=EPSILONS, k=(1, 2, 3)).within(**MULTIPLES),
    half_and_half,
    wrong=partial(half_and_half, more=1),
    proof=proof(
        words(
            "2k + 1 answers 0 are below and become 1, and as many are above and become -1. Where "
            "the noisy threshold x is at most 0, F(x/b2) is e^(1/b2) F((x - 1)/b2), and where it "
            "is at least 0, 1 - F(x/b2) is e^(1/b2) (1 - F((x + 1)/b2)): either way 2k + 1 "
            "factors of the integrand are e^(1/b2) times as large, b2 = 2/ε, the others no smaller"
        ),
        identity(
            "the loss is at least ε/2 more than kε",
            "e k",
            lambda e, k: ((2 * k + 1) / (2 / e), k * e + e / 2),
        ),
    ),
)


def numerical(
    epsilon: Any,
    c: Any,
    answers: Answers,
    neighbor: Answers,
    report: tuple[int, ...],
    x: Any,
    share: int = 1,
) -> Relation:
    """Bound the report's ratio, with new noise for answers (``share`` times as little of it)."""
    scales, told = VARIANTS["numerical"].scales(epsilon, c), 3 * c / epsilon
    p, q = (
        once(*scales, c, data, report) * fresh(told / share if share > 1 else told, x, data, report)
        for data in (answers, neighbor)
    )
    return at_most(p, function("exp", epsilon) * q)


TRIALS["sparse_vector/numerical"] = for_all(
    instances(GENERAL, epsilon=EPSILONS, x=(Fraction(0), Fraction(-3))).within(
        epsilon=reals(above=0), **domain(GENERAL), x=reals()
    ),
    numerical,
    wrong=partial(numerical, share=3),
    proof=theorem("sparse_vector_numerical"),
)


def by_scales(
    threshold_scale: Any,
    query_scale: Any,
    c: Any,
    answers: Answers,
    neighbor: Answers,
    report: tuple[int, ...],
    *,
    each: Fraction | int,
) -> Relation:
    """The loss is at most 1/b1 + ``each`` c/b2."""
    p, q = (once(threshold_scale, query_scale, c, data, report) for data in (answers, neighbor))
    loss = 1 / term(threshold_scale) + each * term(c) / query_scale
    return at_most(p, function("exp", loss) * q)


SCALES: dict[str, Any] = {
    "threshold_scale": [Fraction(x) for x in ("2", "1/2", "10")],
    "query_scale": [Fraction(x) for x in ("4", "2", "1/2")],
}
POSITIVE: dict[str, Sort] = {
    "threshold_scale": reals(above=0),
    "query_scale": objects(
        "a positive rational",
        lambda threshold_scale: fractions(Fraction(1, 4), 12, max_denominator=4).map(
            lambda ratio: ratio * threshold_scale
        ),
        condition=lambda query_scale: query_scale > 0,
        coq=("R", "0 < {0}", ""),
    ),
}

TRIALS["sparse_vector/repair/scales"] = {
    "a": for_all(
        instances(GENERAL, **SCALES).within(**POSITIVE, **domain(GENERAL)),
        partial(by_scales, each=2),
        wrong=partial(by_scales, each=1),
        proof=theorem("sparse_vector_scales"),
    ),
    "b": for_all(
        instances(MONOTONE, **SCALES).within(**POSITIVE, **domain(MONOTONE)),
        partial(by_scales, each=1),
        wrong=partial(by_scales, each=Fraction(1, 2)),
        proof=theorem("sparse_vector_scales_monotone"),
    ),
}
