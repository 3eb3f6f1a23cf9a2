"""Sections 4.1 and 4.2: secrets about the value that a user reports (Theorems 1 and 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from exactdp.certificates import Certificate, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.pufferfish import Secret
from exactdp.truth import Truth
from proofs_check.ding2025.attainment import attains_relations, one_sided_ratio, with_others
from proofs_check.ding2025.instances import GROWTHS, OTHER_LAWS, System, drawn_systems, systems
from proofs_check.ding2025.laws import Law, Shown, bernoulli, point, worst_ratio
from proofs_check.ding2025.proof_steps import triangle_inequality
from proofs_check.ding2025.terms import LinePair, violation

__all__ = ["TRIALS"]

Pair = tuple[Fraction, Fraction | None]
"""The values a_i and b_i of a pair of secrets; None: the user is absent."""

Distance = Callable[[Sequence[Pair]], Fraction]
"""εθ, from the pairs of secrets of all users."""

LAWS = (bernoulli("1/2"), OTHER_LAWS[2], point(1))


@dataclass(frozen=True, slots=True)
class Pairs:
    """One pair of secrets for each user; it prints short."""

    values: tuple[Pair, ...]

    def __str__(self) -> str:
        return ", ".join(f"({a}, {'absent' if b is None else b})" for a, b in self.values)


def _secret(value: Fraction | None) -> Secret:
    return Secret.absent() if value is None else Secret.value(value)


# --- Theorems 1 and 2 ---------------------------------------------------------------------


def _attains(
    distance: Distance,
    *,
    with_absence: bool,
    proof: Callable[[], Proved | None] | None,
    wrong: Distance | None,
) -> Statement:
    """Noise of scale distance/ε attains ε on one pair of secrets for each user.

    With e^{1/θ} = g it is e^ε = g^distance.
    """
    choices: tuple[tuple[int, int], ...] = ((5, 6), (0, 1), (2, 0), (-1, 2))

    def pairs_of(count: int, start: int) -> Pairs:
        taken = [choices[(start + k) % len(choices)] for k in range(count)]
        return Pairs(tuple((Fraction(a), None if with_absence else Fraction(b)) for a, b in taken))

    def instances(effort: Effort) -> Iterator[Instance]:
        for start, system in product(range(2), systems(effort, laws=LAWS)):
            secrets = pairs_of(len(system.laws), start)
            yield Instance.of(V=system, secrets=secrets, growth=GROWTHS[start])

    def strategy() -> Any:
        from hypothesis import strategies as st

        values = st.integers(-4, 6)

        @st.composite
        def drawn(draw: Any) -> Instance:
            system = drawn_systems(draw, points=(-2, 0, 1, 3))
            secrets = []
            for _ in system.laws:
                a = draw(values)
                b = a + draw(st.sampled_from([1, -1, 2, -3, 5]))
                secrets.append((Fraction(a), None if with_absence else Fraction(b)))
            growth = draw(st.sampled_from(GROWTHS))
            return Instance.of(V=system, secrets=Pairs(tuple(secrets)), growth=growth)

        return drawn()

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        d = distance(v["secrets"].values)
        ratio = max(
            worst_ratio(*v["V"].pair(i, _secret(a), _secret(b)), growth=v["growth"])[0]
            for i, (a, b) in enumerate(v["secrets"].values)
        )
        claimed = v["growth"] ** d.numerator
        return Outcome(
            Truth.of(ratio**d.denominator <= claimed),
            f"theta = {d}/eps, worst ratio {ratio}",
            slack=claimed / ratio if d.denominator == 1 else None,
        )

    return Statement(
        instances=instances,
        holds=holds,
        strategy=strategy if proof is not None else None,
        proof=proof,
        false_variant=None
        if wrong is None
        else _attains(wrong, with_absence=with_absence, proof=None, wrong=None),
    )


def _largest_difference(pairs: Sequence[Pair]) -> Fraction:
    return max(abs(a - (0 if b is None else b)) for a, b in pairs)


def _half_difference(pairs: Sequence[Pair]) -> Fraction:
    return _largest_difference(pairs) / 2


def _spread(pairs: Sequence[Pair]) -> Fraction:
    """max D_i − min D_i for the alphabet {a_i − 1, a_i} instead of |a_i|."""
    return Fraction(1)


def _theorem_1_proof() -> Proved | None:
    if not triangle_inequality():
        return None
    return Proved(
        "all systems: any law of the sum of the others, whoever is present",
        "||y - t - b| - |y - t - a|| <= |a - b| for each sum t of the others' reports bounds the "
        "ratio of the densities given t by e^(|a - b|/theta) <= e^eps both ways, and so that of "
        "their averages over t",
    )


def _theorem_2_proof() -> Proved | None:
    if not triangle_inequality():
        return None
    return Proved(
        "all systems: any law of the sum of the others, whoever is present",
        "an absent user adds 0: Theorem 1's proof with b = 0; if all a_i = 0, the two laws are "
        "equal and need no noise",
    )


# --- the displays of the proofs -----------------------------------------------------------


def _display(*, absent: bool, sign: int, is_claim: bool, wrong: int | None = None) -> Statement:
    """f_a − e^ε f_b = Σ ... <= Σ N(y−t−b)(e^{sign |a−b|/θ} − e^ε) Pr(t) = (...) f_b, for all y."""

    def instances(effort: Effort) -> Iterator[Instance]:
        values = ((1, 0), (-2, 0)) if absent else ((1, 0), (0, 2), (3, 2))
        for (a, b), others, gamma in product(values, OTHER_LAWS, ("2", "11/10")):
            yield Instance.of(
                a=a, b=b, others=Shown(others), growth=Fraction(2), exp_epsilon=Fraction(gamma)
            )

    def strategy() -> Any:
        from hypothesis import strategies as st

        @st.composite
        def drawn(draw: Any) -> Instance:
            system = drawn_systems(draw, points=(-2, 0, 1, 3))
            return Instance.of(
                a=draw(st.integers(-4, 4)),
                b=0 if absent else draw(st.integers(-4, 4)),
                others=Shown(system.others_of(0)),
                growth=draw(st.sampled_from(GROWTHS)),
                exp_epsilon=draw(st.sampled_from([Fraction(2), Fraction(101, 100)])),
            )

        return drawn()

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        a, b, gamma, growth = v["a"], v["b"], v["exp_epsilon"], v["growth"]
        law = [(t, m.as_fraction()) for t, m in v["others"].law.masses.items()]
        points = [int(t) + c for t, _ in law for c in (a, b)]

        def power(exponent: Any) -> Fraction:
            return Fraction(growth) ** int(exponent)

        for y in sorted(range(min(points) - 2, max(points) + 3), key=lambda y: (abs(y - a), y)):
            first = sum(power(-abs(y - t - a)) * m for t, m in law)
            second = sum(power(-abs(y - t - b)) * m for t, m in law)
            inner = sum(
                power(-abs(y - t - b)) * (power(abs(y - t - b) - abs(y - t - a)) - gamma) * m
                for t, m in law
            )
            left, factor = first - gamma * second, power(sign * abs(a - b)) - gamma
            right = sum(power(-abs(y - t - b)) * factor * m for t, m in law)
            if left == inner <= right == factor * second:
                continue
            return Outcome(
                Truth.FALSE,
                f"at y = {y} the left side is {left}, the right side {right} (times 2 theta)",
                lambda y=y: _display_fails(at, y, sign),  # type: ignore[misc]
            )
        return Outcome(Truth.TRUE)

    def proof() -> Proved | None:
        if not triangle_inequality():
            return None
        return Proved(
            "any law of the sum of the others, all y, a, b, theta > 0, eps, and any factor w >= 0",
            "e^(-|u|) - e^(eps - |v|) = e^(-|v|) (e^(|v| - |u|) - e^eps) and "
            "|y - t - b| - |y - t - a| <= |a - b|, checked in every order; the last factor does "
            "not depend on t",
        )

    return Statement(
        instances=instances,
        holds=holds,
        strategy=strategy if is_claim and wrong is not None else None,
        proof=proof if is_claim and wrong is not None else None,
        false_variant=None
        if wrong is None
        else _display(absent=absent, sign=wrong, is_claim=False),
    )


def _display_fails(at: Instance, y: int, sign: int) -> Certificate:
    v: Mapping[str, Any] = at.mapping()
    a, b, gamma, growth = v["a"], v["b"], v["exp_epsilon"], v["growth"]
    others: Law = v["others"].law
    pair = LinePair.of(with_others(point(a), others), with_others(point(b), others))
    first, second = (pair.density(side, y, growth=growth) for side in ("p", "q"))
    factor = term(growth) ** (sign * abs(a - b)) - gamma
    return Certificate(
        define=pair.define,
        hypotheses=[relation(">", gamma, 1), relation(">", growth, 1)],
        conclusion=[relation(">", first - gamma * second, factor * second)],
    )


def _minimal(*, claimed: Distance, is_claim: bool) -> Statement:
    """sup over y and i of f_a / f_b is e^{claimed/θ}: so θ >= claimed/ε is needed, and enough."""

    def instances(effort: Effort) -> Iterator[Instance]:
        values = (((2, 1),), ((0, 3),), ((1, 0), (5, 3)), ((-1, 1), (4, 3)))
        for chosen, system in product(values, systems(effort, laws=LAWS)):
            if len(chosen) == len(system.laws):
                secrets = Pairs(tuple((Fraction(a), Fraction(b)) for a, b in chosen))
                yield Instance.of(V=system, secrets=secrets, growth=Fraction(2))

    def strategy() -> Any:
        from hypothesis import strategies as st

        @st.composite
        def drawn(draw: Any) -> Instance:
            system = drawn_systems(draw, points=(-2, 0, 1, 3))
            values = [(draw(st.integers(-4, 0)), draw(st.integers(1, 4))) for _ in system.laws]
            turned = [(a, b) if draw(st.booleans()) else (b, a) for a, b in values]
            secrets = Pairs(tuple((Fraction(a), Fraction(b)) for a, b in turned))
            growth = draw(st.sampled_from(GROWTHS))
            return Instance.of(V=system, secrets=secrets, growth=growth)

        return drawn()

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        d = claimed(v["secrets"].values)
        ratio = max(
            one_sided_ratio(*v["V"].pair(i, _secret(a), _secret(b)), growth=v["growth"])
            for i, (a, b) in enumerate(v["secrets"].values)
        )
        return Outcome(
            Truth.of(ratio == v["growth"] ** int(d)), f"sup of f_a/f_b is {ratio}, distance {d}"
        )

    def proof() -> Proved | None:
        if not triangle_inequality():
            return None
        return Proved(
            "finite alphabets (with infinite ones the others can hide more), where the others are "
            "all present with positive probability",
            "f_a <= e^(|a - b|/theta) f_b by the triangle inequality, with equality where y is "
            "beyond all points on the side of a: there f_a/f_b is e^(|a - b|/theta) term by term; "
            "so f_a <= e^eps f_b for all y exactly if theta >= |a - b|/eps, and for all i and rho "
            "exactly if theta is at least the maximum, (10)",
        )

    return Statement(
        instances=instances,
        holds=holds,
        strategy=strategy if is_claim else None,
        proof=proof if is_claim else None,
        false_variant=_minimal(claimed=_sum_of_sizes, is_claim=False) if is_claim else None,
    )


def _sum_of_sizes(pairs: Sequence[Pair]) -> Fraction:
    return max(abs(a) + (0 if b is None else abs(b)) for a, b in pairs)


# --- Remark 1 -----------------------------------------------------------------------------


def _absent_is_zero(*, reports: int = 0) -> Statement:
    """The law of X given absence is that given the report 0 (the false variant: 1)."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for system in systems(effort, laws=[*LAWS, OTHER_LAWS[3]]):
            yield Instance.of(V=system)

    def strategy() -> Any:
        from hypothesis import strategies as st

        @st.composite
        def drawn(draw: Any) -> Instance:
            return Instance.of(V=drawn_systems(draw, points=(-2, 0, 1, 3)))

        return drawn()

    def holds(at: Instance) -> Outcome:
        system = at["V"]
        assert isinstance(system, System)
        same = [
            system.model.law_given(i, Secret.absent())
            == system.model.law_given(i, Secret.value(reports))
            for i in range(len(system.laws))
        ]
        return Outcome(Truth.of(all(same)), f"{same}")

    def proof() -> Proved | None:
        return Proved(
            "the sum of reports, all systems",
            "(8) is (7) with a_i = 0, so both sets of pairs have the same laws of X and of Y, and "
            "the same scales attain eps on both",
        )

    return Statement(
        instances=instances,
        holds=holds,
        strategy=strategy if reports == 0 else None,
        proof=proof if reports == 0 else None,
        false_variant=_absent_is_zero(reports=1) if reports == 0 else None,
    )


def _absent_is_zero_for_separable() -> Statement:
    """User 1 alone, f_1(t) = t + c: the noise that attains ε on (s_a, s_0) does on (s_a, s_⊥)."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for c in (0, 1):
            yield Instance.of(a=1, f_1=f"t + {c}", c=c, growth=Fraction(2))

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        a, c, growth = v["a"], v["c"], v["growth"]
        reported, zero, absent = point(a + c), point(c), point(0)
        gamma, _, _ = worst_ratio(reported, zero, growth=growth)
        ratio, _, _ = worst_ratio(reported, absent, growth=growth)

        def certificate() -> Certificate:
            pair = LinePair.of(reported, zero, name="zero")
            attained = attains_relations(pair, exp_epsilon=gamma, growth=growth)
            fails = violation(reported, absent, exp_epsilon=gamma, growth=growth)
            return Certificate(
                define=[*pair.define, *fails.define],
                hypotheses=[*fails.hypotheses, *attained],
                conclusion=fails.conclusion,
            )

        return Outcome(
            Truth.of(ratio <= gamma),
            f"e^eps = {gamma} is attained on (s_a, s_0); on (s_a, s_absent) the ratio is {ratio}",
            certificate,
        )

    return Statement(instances=instances, holds=holds)


TRIALS: dict[str, Mapping[str, Statement | Open]] = {
    "ding2025/theorem-1": {
        "": _attains(
            _largest_difference,
            with_absence=False,
            proof=_theorem_1_proof,
            wrong=_half_difference,
        )
    },
    "ding2025/theorem-1/proof/inequality": {
        "": _display(absent=False, sign=1, is_claim=True, wrong=-1)
    },
    "ding2025/theorem-1/proof/minimal": {"": _minimal(claimed=_largest_difference, is_claim=True)},
    "ding2025/theorem-2": {
        "": _attains(_largest_difference, with_absence=True, proof=_theorem_2_proof, wrong=_spread)
    },
    "ding2025/theorem-2/proof/inequality": {"": _display(absent=True, sign=-1, is_claim=True)},
    "ding2025/remark-1": {"a": _absent_is_zero(), "b": _absent_is_zero_for_separable()},
    "ding2025/repair/theorem-2-proof": {"": _display(absent=True, sign=1, is_claim=True, wrong=-1)},
}
