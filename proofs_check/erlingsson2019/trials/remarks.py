"""Remarks around Theorem 7: definitions, orders of shuffling, single steps, comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import permutations, product
from math import factorial
from typing import Any

from exactdp.audit.boxes import HoldsOnBox, decide_on_box
from exactdp.certificates import Certificate, finite_pair, function, hockey_stick, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.mechanisms import Randomizer, randomized_response
from exactdp.numbers import Epsilon, Exact, decimal, enclosure, exp, is_below, log, sqrt
from exactdp.shuffle import (
    AdaptiveRandomizers,
    local_responses_law,
    shuffled_inputs_law,
    shuffled_outputs_law,
    swapped_data,
)
from exactdp.truth import Truth

__all__ = ["TRIALS"]

RATIOS = [Fraction(2), Fraction(3, 2), Fraction(11, 10)]


def _uniform_permutation(*, swapped_first: int = 0) -> Statement:
    """sigma_I of a random arrangement of the others after x_1 is a uniform permutation."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n in range(2, 6 if effort is Effort.DEFAULT else 8):
            for index in range(n):
                yield Instance.of(n=n, i_star=index + 1)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, star = v["n"], v["i_star"] - 1
        rest = [i for i in range(n) if i != star]
        counts: dict[tuple[int, ...], int] = {}
        for arrangement in permutations(rest):
            for index in range(swapped_first, n):
                image = swapped_data((star, *arrangement), index)
                counts[image] = counts.get(image, 0) + 1
        uniform = len(counts) == factorial(n) and len(set(counts.values())) == 1
        return Outcome(Truth.of(uniform), f"{len(counts)} of {factorial(n)} permutations")

    def proof() -> Proved | None:
        return Proved(
            "all n and i*",
            "position I of element i* and the order of the others are read back from the result: "
            "n (n-1)! equally likely pairs map one to one to n! permutations",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if swapped_first == 0 else None,
        false_variant=_uniform_permutation(swapped_first=1) if swapped_first == 0 else None,
    )


def _order_of_shuffling(*, single: bool = True) -> Statement:
    """A_sl and A_post have one law of output multisets, for one fixed randomizer."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n in (2, 3):
            for data in product(range(2), repeat=n):
                for x in (Fraction(2), Fraction(3)):
                    yield Instance.of(n=n, exp_epsilon0=x, data=data)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, data, x = v["n"], v["data"], v["exp_epsilon0"]
        rr = randomized_response(2, Epsilon.log(x))
        other = rr if single else Randomizer.from_matrix([["1/2", "1/2"], ["1/2", "1/2"]])
        steps = AdaptiveRandomizers.from_randomizers([rr, *[other] * (n - 1)])
        before = shuffled_inputs_law(steps, data).push_forward(lambda z: tuple(sorted(z)))
        return Outcome(Truth.of(before == shuffled_outputs_law(steps, data)), "laws compared")

    def proof() -> Proved | None:
        return Proved(
            "all n, data and (non-adaptive) randomizers",
            "the joint law of outputs given a permutation of the data is that permutation of the "
            "product law",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if single else None,
        false_variant=_order_of_shuffling(single=False) if single else None,
    )


def _algorithm_4(*, permute: bool = True) -> Statement:
    """The text's A_sl (with A^(i) at step i) is Algorithm 4: A_local on permuted data."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for data in product(range(2), repeat=3):
            yield Instance.of(n=3, data=data)

    def holds(at: Instance) -> Outcome:
        data = at["data"]
        assert isinstance(data, tuple)
        flat = Randomizer.from_matrix([["1/2", "1/2"], ["1/3", "2/3"]])
        steep = Randomizer.from_matrix([["1/4", "3/4"], ["1/2", "1/2"]])
        steps = AdaptiveRandomizers((flat, {(0,): steep, (1,): flat}, steep))
        orders = list(permutations(data)) if permute else [data]
        law: dict[tuple[int, ...], Exact] = {}
        for order in orders:
            for z, mass in local_responses_law(steps, order).masses.items():
                law[z] = law.get(z, Exact(0)) + mass / len(orders)
        printed = shuffled_inputs_law(steps, data)
        return Outcome(Truth.of(all(printed[z] == m for z, m in law.items())), "laws compared")

    return Statement(
        instances=instances,
        holds=holds,
        complete="n = 3 and all binary data, adaptive randomizers, with A_ldp read as A_ldp^(i)",
        false_variant=_algorithm_4(permute=False) if permute else None,
    )


def _sampled_step(*, factor: Fraction = Fraction(1)) -> Statement:
    """Given pi(1..i-1), step i is ((e^eps0 - 1)/m)-DP, m = n - i + 1 elements left."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for m, x in product((1, 2, 3, 10), RATIOS):
            yield Instance.of(left=m, exp_epsilon0=x)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        m, x = v["left"], v["exp_epsilon0"]
        # The worst output: the others' mean mass a = 1, the differing element's x against 1.
        ratio = ((m - 1) + x) / ((m - 1) + 1)
        return Outcome(
            is_below(Exact(ratio), exp(Exact(factor * (x - 1) / m))), f"largest ratio {ratio}"
        )

    def proof() -> Proved | None:
        import sympy

        q, x, b, s = sympy.symbols("q x b s", positive=True)
        # Others' mean mass a = b + s >= b, where x b and b are the differing element's masses.
        a = b + s
        gap = (1 + q * (x - 1)) * ((1 - q) * a + q * b) - ((1 - q) * a + q * x * b)
        if sympy.expand(gap - q * (x - 1) * (1 - q) * s) != 0:
            return None
        return Proved(
            "all n, i and eps0-DP randomizers, pi(1..i-1) fixed",
            "the ratio is at most 1 + q (e^eps0 - 1), q = 1/(n-i+1): the gap is "
            "q (x-1)(1-q) s >= 0",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if factor == 1 else None,
        false_variant=_sampled_step(factor=Fraction(1, 3)) if factor == 1 else None,
    )


def _binary_comparison(*, power: int = 2) -> Statement:
    """min(1, eps0) e^(eps0/2) and (e^eps0 - 1) e^(2 eps0): same order up to 1, less above."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for e0 in ("1/100", "1/2", "1", "2", "5"):
            yield Instance.of(epsilon0=Fraction(e0))

    def holds(at: Instance) -> Outcome:
        e0 = at["epsilon0"]
        assert isinstance(e0, Fraction)
        general = (Exact.exp(e0) - 1) * Exact.exp(power * e0)
        binary = min(Fraction(1), e0) * Exact.exp(e0 / 2)
        ratio = general / binary
        fine = ratio >= 1 and (e0 > 1 or ratio <= 8)
        return Outcome(Truth.of(fine), f"ratio {decimal(ratio, digits=4)}")

    def proof() -> Proved | None:
        lower = decide_on_box(
            lambda f, *, e: (f.exp(e) - 1) * f.exp(2 * e) - e * f.exp(e / 2), {"e": (0, 1)}
        )
        upper = decide_on_box(
            lambda f, *, e: 8 * e * f.exp(e / 2) - (f.exp(e) - 1) * f.exp(2 * e), {"e": (0, 1)}
        )
        if not (isinstance(lower, HoldsOnBox) and isinstance(upper, HoldsOnBox)):
            return None
        return Proved(
            "the comparison of the two expressions, all eps0 > 0",
            f"ratio in [1, 8] on (0, 1] ({lower.by}); above 1, (e^eps0 - 1) e^(3 eps0/2) > 1",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if power == 2 else None,
        false_variant=_binary_comparison(power=-1) if power == 2 else None,
    )


def _one_constant() -> Statement:
    """One constant C for all eps: n = 1, delta = 1 - eta, eta = 1/(4 C^2), eps0 = 2 ln(4/eta)."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for constant in (1, 10, 100):
            yield Instance.of(C=constant, n=1, exp_epsilon0=Fraction(16 * constant**2) ** 2)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        constant, x = v["C"], v["exp_epsilon0"]
        delta = 1 - Fraction(1, 4 * constant**2)
        bound = constant * log(x) * sqrt(log(1 / delta))
        gamma = enclosure(exp(bound), relative_bits=80).upper
        true = max(Fraction(0), (x - gamma) / (x + 1))
        pair = finite_pair([x / (x + 1), 1 / (x + 1)], [1 / (x + 1), x / (x + 1)])

        def certificate() -> Certificate:
            e = function(
                "exp",
                constant * function("log", x) * function("sqrt", function("log", 1 / delta)),
            )
            return Certificate(
                define=[("e", e)], conclusion=[relation(">", hockey_stick(pair, term(e)), delta)]
            )

        return Outcome(
            Truth.of(true <= delta),
            f"delta {delta} is claimed, {decimal(Exact(true), digits=8)} is needed; the family "
            "serves every C",
            certificate,
        )

    return Statement(instances=instances, holds=holds)


def _index() -> Statement:
    """DP at index 1 is what holds for datasets that differ at index i, for every i."""

    def holds(at: Instance) -> Outcome:
        i = at["i"]
        same, apart = finite_pair([1, 0], [1, 0]), finite_pair([1, 0], [0, 1])
        return Outcome(
            Truth.of(i == 1),
            "A(x) = x_2 is private for datasets that differ at index 1, not for index 2: the index "
            "of the definition is printed as 1 and as i",
            lambda: Certificate(
                conclusion=[
                    relation("=", hockey_stick(same, 2), 0),
                    relation("=", hockey_stick(apart, 2), 1),
                ]
            ),
        )

    return Statement(
        instances=lambda effort: [Instance.of(n=2, i=1), Instance.of(n=2, i=2)], holds=holds
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "erlingsson2019/abstract/amplification": {
        "a": Open(
            "an asymptotic bound with an unstated constant; it follows from Theorem 7, which "
            "survived, by an argument that is not audited"
        ),
        "b": _one_constant(),
    },
    "erlingsson2019/section-1.2/binary-bound": {"": _binary_comparison()},
    "erlingsson2019/definition-1/index": {"": _index()},
    "erlingsson2019/section-4/shuffle-order": {"": _order_of_shuffling()},
    "erlingsson2019/theorem-7/z_i": {"": _algorithm_4()},
    "erlingsson2019/section-4/step-i": {"": _sampled_step()},
    "erlingsson2019/theorem-7/proof/uniform-permutation": {"": _uniform_permutation()},
    "erlingsson2019/section-4.2/translation": {
        "": Open("a rough translation of lower bounds, without a statement that has instances")
    },
    "erlingsson2019/section-4.2/theorem-6-tight": {
        "": Open(
            "an implication between asymptotic lower bounds that the paper does not prove; the "
            "Theorem 6 that it calls tight is refuted as printed"
        )
    },
}
