"""Section 4.3.1: how (13) is solved, and classes of records to which it is applied."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import isqrt, prod
from typing import Any

from exactdp.certificates import Certificate, Term, function, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.pufferfish import sum_of_independent
from exactdp.truth import Truth
from proofs_check.ding2025.attainment import exp_moment, exp_moment_term, with_others
from proofs_check.ding2025.instances import GROWTHS, OTHER_LAWS, System
from proofs_check.ding2025.laws import (
    Law,
    Shown,
    bernoulli,
    law_strategy,
    laws_on,
    point,
    text,
    worst_ratio,
)
from proofs_check.ding2025.terms import LinePair, violation
from proofs_check.ding2025.trials.distributions import attains_on_presence, moment_proof

__all__ = ["TRIALS"]

TOLERANCE = Fraction(1, 10**12)
"""That of a numerical method for θ."""


# --- (13) as a polynomial equation --------------------------------------------------------


def _polynomial_for_reals() -> Statement:
    """E[z^{|D|}], D uniform on an alphabet of square roots, is a polynomial in z = e^{1/θ}."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for squares in ((1,), (1, 4), (1, 2)):
            yield Instance.of(squares_of_alphabet=squares)

    def holds(at: Instance) -> Outcome:
        squares = at["squares_of_alphabet"]
        assert isinstance(squares, tuple)
        top = max(squares)
        degree = isqrt(top)

        def moment(z: int) -> Term:
            powers = [
                term(z) ** isqrt(s)
                if isqrt(s) ** 2 == s
                else function("exp", function("sqrt", s) * function("log", z))
                for s in squares
            ]
            total = term(0)
            for power in powers:
                total = total + power
            return total / len(squares)

        def certificate() -> Certificate:
            # moment(z)/z² → 0, so a polynomial would have degree 1 at most, and no second
            # difference.
            assert degree == 1
            return Certificate(
                hypotheses=[
                    relation("<", degree, function("sqrt", top)),
                    relation("<", function("sqrt", top), degree + 1),
                ],
                conclusion=[relation(">", moment(1) - 2 * moment(2) + moment(3), 0)],
            )

        return Outcome(
            Truth.of(all(isqrt(s) ** 2 == s for s in squares)),
            f"the largest exponent, sqrt {top}, lies between {degree} and {degree + 1}: divided "
            f"by e^({degree + 1}/theta) the expectation tends to 0, so as a polynomial it would "
            f"have degree {degree} at most; its second difference at 1, 2, 3 is positive",
            certificate,
        )

    return Statement(instances=instances, holds=holds)


def _polynomial_for_integers(*, with_sign: bool = False) -> Statement:
    """E[z^{|D|}] is a polynomial of degree max|t| (the false variant: E[z^D])."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for law in (*laws_on((0, 1), 2), *laws_on((-1, 0, 2), 2), *OTHER_LAWS):
            yield Instance.of(P=Shown(law))

    def strategy() -> Any:
        return law_strategy((0, 1, -2, 3, 7)).map(lambda law: Instance.of(P=Shown(law)))

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        masses = [(x, m.as_fraction()) for x, m in v["P"].law.masses.items() if m]
        powers = [(x if with_sign else abs(x), m) for x, m in masses]
        if any(k < 0 or k.denominator != 1 for k, _ in powers):
            return Outcome(Truth.FALSE, "a negative power")
        degree = int(max(k for k, _ in powers))
        coefficients = [
            sum((m for k, m in powers if k == j), Fraction(0)) for j in range(degree + 1)
        ]
        agree = all(
            sum(c * z**j for j, c in enumerate(coefficients))
            == exp_moment(v["P"].law, growth=Fraction(z))
            for z in range(1, degree + 2)
        )
        return Outcome(Truth.of(agree and coefficients[-1] > 0), f"degree {degree}")

    def proof() -> Proved | None:
        return Proved(
            "all finite alphabets of integers",
            "|t| is a nonnegative integer: collect equal powers; the degree is max|t|",
        )

    return Statement(
        instances=instances,
        holds=holds,
        strategy=None if with_sign else strategy,
        proof=None if with_sign else proof,
        false_variant=None if with_sign else _polynomial_for_integers(with_sign=True),
    )


# --- numerical roots ----------------------------------------------------------------------


def _any_approximation() -> Statement:
    """Noise with e^{1/θ} within the tolerance of the root of (13) attains ε, one user."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for error in (-TOLERANCE, TOLERANCE):
            yield Instance.of(P=Shown(bernoulli("1/2")), root=Fraction(3), error=error)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        law, root = v["P"].law, v["root"]
        growth = root + v["error"]
        gamma = exp_moment(law, growth=root)
        ratio, _, _ = worst_ratio(law, point(0), growth=growth)

        def certificate() -> Certificate:
            own = LinePair.of(law, point(0))
            theta, exact = (1 / function("log", g) for g in (growth, root))
            return violation(
                law,
                point(0),
                exp_epsilon=gamma,
                growth=growth,
                hypotheses=[
                    relation("=", exp_moment_term(own, "p", growth=root), gamma),
                    relation("<", function("abs", theta - exact), TOLERANCE),
                ],
            )

        return Outcome(
            Truth.of(ratio <= gamma),
            f"at e^(1/theta) = {growth}, root {root}, the worst ratio is {ratio}, e^eps = {gamma}",
            certificate,
        )

    return Statement(instances=instances, holds=holds)


def _at_most(system: System, growth: Fraction) -> tuple[Fraction, int]:
    return max(exp_moment(law, growth=growth) for law in system.laws) * (1 + TOLERANCE), 1


def _at_most_nearly(system: System, growth: Fraction) -> tuple[Fraction, int]:
    """An e^ε that E[e^{|D|/θ}] exceeds by a relative tolerance."""
    return max(exp_moment(law, growth=growth) for law in system.laws) / (1 + TOLERANCE), 1


# --- classes of records -------------------------------------------------------------------


def _class_removal() -> Statement:
    """Noise by (13) for one record hides whether a class of n such records is there."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n, law in product((1, 2), (point(1), bernoulli("1/2"))):
            yield Instance.of(n=n, P=Shown(law), growth=Fraction(2))

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        law, growth = v["P"].law, v["growth"]
        gamma = exp_moment(law, growth=growth)
        total = sum_of_independent([law] * v["n"])
        ratio, _, _ = worst_ratio(total, point(0), growth=growth)

        def certificate() -> Certificate:
            record = LinePair.of(law, law, name="record")
            fails = violation(total, point(0), exp_epsilon=gamma, growth=growth)
            return Certificate(
                define=[*record.define, *fails.define],
                hypotheses=[
                    *fails.hypotheses,
                    relation("=", exp_moment_term(record, "p", growth=growth), gamma),
                ],
                conclusion=fails.conclusion,
            )

        return Outcome(
            Truth.of(ratio <= gamma),
            f"{v['n']} records of law {text(law)}: e^eps = {gamma} by (13), the ratio is {ratio}",
            certificate,
        )

    return Statement(instances=instances, holds=holds)


class _Records(tuple[Law, ...]):
    """The laws of the records of a class; prints short."""

    __slots__ = ()

    def __str__(self) -> str:
        return text(self)


def _classes(laws: Sequence[Law], growth: Fraction) -> Fraction:
    return prod((exp_moment(law, growth=growth) for law in laws), start=Fraction(1))


def _class_removal_repaired(*, one_record: bool = False) -> Statement:
    """n independent records: Π E[e^{|D_k|/θ}] <= e^ε, or θ = Σ max|t| / ε, suffices.

    The false variant has the largest factor only.
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        laws = [bernoulli("1/2"), OTHER_LAWS[2], point(-1)]
        for n in (1, 2, 3):
            for records, others in product(product(laws, repeat=n), OTHER_LAWS[:2]):
                yield Instance.of(
                    records=_Records(records), others=Shown(others), growth=Fraction(2)
                )

    def strategy() -> Any:
        from hypothesis import strategies as st

        law = law_strategy((1, 0, -2, 3), largest=3)
        return st.builds(
            lambda records, others, growth: Instance.of(
                records=_Records(records), others=Shown(others), growth=growth
            ),
            st.lists(law, min_size=1, max_size=3),
            law,
            st.sampled_from(GROWTHS),
        )

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        laws, others, growth = v["records"], v["others"].law, v["growth"]
        factors = [exp_moment(law, growth=growth) for law in laws]
        gamma = max(factors) if one_record else _classes(laws, growth)
        total = with_others(sum_of_independent(laws), others)
        ratio, _, _ = worst_ratio(total, others, growth=growth)
        size = sum(int(max(abs(x) for x, m in law.masses.items() if m)) for law in laws)
        return Outcome(
            Truth.of(ratio <= gamma <= growth**size),
            f"worst ratio {ratio}, e^eps = {gamma}",
            slack=gamma / ratio,
        )

    def proof() -> Proved | None:
        return moment_proof(
            domain="n independent records, any law of the sum of all others",
            more="; here D is the sum of the records, |D| <= sum |D_k|, and the expectation of a "
            "product of independent factors is the product, each at most e^(max|t|/theta)",
        )

    return Statement(
        instances=instances,
        holds=holds,
        strategy=None if one_record else strategy,
        proof=None if one_record else proof,
        false_variant=None if one_record else _class_removal_repaired(one_record=True),
    )


TRIALS: dict[str, Mapping[str, Statement | Open]] = {
    "ding2025/section-4.3.1/polynomial": {
        "a": _polynomial_for_reals(),
        "b": _polynomial_for_integers(),
    },
    "ding2025/section-4.3.1/brent": {
        "a": _any_approximation(),
        "b": attains_on_presence(_at_most, proof=moment_proof, wrong=_at_most_nearly),
    },
    "ding2025/section-4.3.1/class-removal": {"": _class_removal()},
    "ding2025/repair/class-removal": {"": _class_removal_repaired()},
}
