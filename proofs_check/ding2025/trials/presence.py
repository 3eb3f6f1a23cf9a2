"""Abstract, Sections 1 and 4.1: what depends on the other users, and on who is present."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from exactdp.certificates import Certificate
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.pufferfish import Others, Secret, line_law
from exactdp.truth import Truth
from proofs_check.ding2025.attainment import (
    attains_relations,
    exp_moment,
    one_sided_ratio,
    with_others,
)
from proofs_check.ding2025.bounds import psi
from proofs_check.ding2025.cumulative import Cumulative, Shifts, largest_shift
from proofs_check.ding2025.instances import (
    GROWTHS,
    OTHER_LAWS,
    System,
    drawn_systems,
    pair_strategy,
    systems,
)
from proofs_check.ding2025.laws import Law, Shown, bernoulli, laws_on, point, worst_ratio
from proofs_check.ding2025.proof_steps import triangle_inequality
from proofs_check.ding2025.terms import LinePair

__all__ = ["TRIALS"]


# --- what depends on the other users ------------------------------------------------------


def _own_pairs() -> Iterator[tuple[str, Law, Law]]:
    """Yield what two secrets of user i make the user add, for the four sets of pairs."""
    yield "S_a,b", point(3), point(1)
    yield "S_a,absent", point(2), point(0)
    for law in (*laws_on((0, 1), 3), *laws_on((-1, 1), 2), *laws_on((0, 3), 2)):
        yield "S_P,absent", law, point(0)
    for first, second in product(list(laws_on((0, 1, 2), 2)), repeat=2):
        if first != second:
            yield "S_P,Q", first, second


def _own_scale_serves(*, is_smallest: bool) -> Statement:
    """A θ that attains ε on the user's own pair attains it beside all others.

    ``is_smallest``: and conversely, so that the smallest θ is a matter of the user alone.
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        for others, growth in product(OTHER_LAWS[1:], (Fraction(3), Fraction(3, 2))):
            for pairs, p, q in _own_pairs():
                yield Instance.of(
                    pairs=pairs, P=Shown(p), Q=Shown(q), others=Shown(others), growth=growth
                )

    def strategy() -> Any:
        from hypothesis import strategies as st

        return st.builds(
            lambda own, rest, growth: Instance.of(
                pairs="S_P,Q",
                P=Shown(own[0]),
                Q=Shown(own[1]),
                others=Shown(rest[0]),
                growth=growth,
            ),
            pair_strategy(),
            pair_strategy(),
            st.sampled_from(GROWTHS),
        )

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        p, q, others, growth = v["P"].law, v["Q"].law, v["others"].law, v["growth"]
        alone, _, _ = worst_ratio(p, q, growth=growth)
        beside, _, _ = worst_ratio(with_others(p, others), with_others(q, others), growth=growth)
        found = f"at this theta the worst ratio is {alone} alone, {beside} beside the others"
        if not is_smallest:
            return Outcome(Truth.of(beside <= alone), found, slack=alone / beside)

        def certificate() -> Certificate:
            # e^ε = beside: attained beside the others, not alone; so alone θ must be larger.
            _, worse, z = worst_ratio(p, q, growth=growth)
            own = LinePair.of(p, q, name="own")
            with_rest = own.with_other(others, name="X")
            fails = own.exceeds(worse, z, exp_epsilon=beside, growth=growth)
            within = attains_relations(with_rest, exp_epsilon=beside, growth=growth)
            return Certificate(define=with_rest.define, conclusion=[fails, *within])

        return Outcome(Truth.of(alone == beside), found, certificate)

    def proof() -> Proved | None:
        if not triangle_inequality():
            return None
        return Proved(
            "all four sets of pairs, all others (any law of their sum)",
            "f_P beside the others is the average of f_P(y - t) over the sum t of their reports, "
            "and f_Q likewise: f_P <= e^eps f_Q passes to averages. So the theta that attains eps "
            "alone serves, for one |a - b|/eps, |a|/eps, W_infinity(P, Q)/eps ((4) with the plan "
            "(6) of P and Q)",
        )

    return Statement(
        instances=instances,
        holds=holds,
        strategy=None if is_smallest else strategy,
        proof=None if is_smallest else proof,
        false_variant=None if is_smallest else _own_scale_serves(is_smallest=True),
    )


# --- what depends on who is present -------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Own:
    """The statistics of user 1 that the conditions are written in."""

    a: int
    b: int
    first: Law
    second: Law
    p: Fraction
    q: Fraction


_OWN = _Own(
    a=2,
    b=-1,
    first=line_law({0: "1/2", 1: "1/4", 2: "1/4"}),
    second=line_law({0: "1/4", 2: "3/4"}),
    p=Fraction(1, 4),
    q=Fraction(1, 2),
)


def _conditions(own: _Own, rest: Law, growth: Fraction) -> dict[str, object]:
    """Return what each condition of Section 4 says: εθ, or e^ε at this e^{1/θ}, or ψ.

    ``rest`` is the law of f(D_{-1}), which only (21) is written in; x in its support.
    """
    alphabet = range(3)
    shift = largest_shift(
        Cumulative.of(own.first), Cumulative.of(own.second), alphabet, shifts=Shifts.INTEGERS
    )
    ratios = [
        (mass / rest.masses[x - 1]).as_fraction()
        for x, mass in rest.masses.items()
        if mass and rest.masses.get(x - 1)
    ]
    orders = ((own.p, own.q), (own.q, own.p))
    least = [min((psi(p=p, q=q, ratio=r) for r in ratios), default=None) for p, q in orders]
    return {
        "(10)": abs(own.a - own.b),
        "(12)": abs(own.a),
        "(13)": exp_moment(own.first, growth=growth),
        "(14)": max(alphabet),
        "(16)": shift,
        "(18)": 1,
        "(21)": least,
    }


def _conditions_ignore_presence(*, sum_of: Others = Others.ALL_PRESENT) -> Statement:
    """The conditions of Section 4 are the same for all ζ, and so is the ratio of (1).

    In (21) f(D_{-i}) is the sum of all D_j, j ≠ i, as Section 3 has it; in the false variant
    it is the sum of the reports of those who are present.
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        zetas = [Fraction(z) for z in ("1", "1/2", "3/4")]
        for law, zeta in product((*OTHER_LAWS, point(1), bernoulli("2/3")), zetas):
            yield Instance.of(V=System((bernoulli("1/2"), law), (Fraction(1, 2), zeta), sum_of))

    def strategy() -> Any:
        from hypothesis import strategies as st

        @st.composite
        def drawn(draw: Any) -> Instance:
            system = drawn_systems(draw, points=(0, 1, 2))
            shares = tuple(
                draw(st.sampled_from([Fraction(1, 9), Fraction(2, 3)])) for _ in system.laws
            )
            return Instance.of(V=System(system.laws, shares, sum_of))

        return drawn()

    def holds(at: Instance) -> Outcome:
        system = at["V"]
        assert isinstance(system, System)
        certain = System(system.laws, (1,) * len(system.laws), sum_of)
        found, sure = (_conditions(_OWN, s.others_of(0), Fraction(3)) for s in (system, certain))
        changed = [name for name, value in found.items() if sure[name] != value]
        # (7)-(9) without the factor that both secrets of a pair share.
        for secret in (Secret.value(2), Secret.absent(), Secret.follows(_OWN.first)):
            laws = [s.model.law_given(0, secret) for s in (system, certain)]
            if laws[0] != laws[1]:
                changed.append(secret.name)
        return Outcome(Truth.of(not changed), f"changed: {changed}")

    def proof() -> Proved | None:
        return Proved(
            "Theorems 1-4, Lemmas 5 and 6, with f(D_-i) in (21) the sum of all D_j, j != i "
            "(Section 3)",
            "(10), (12)-(14), (16), (18) are written in user i's own a, b, P, Q; (21) in p, q and "
            "the law of f(D_-i), which is that of a sum of reports D_j ~ P_j; zeta_j enters "
            "(7)-(9) only by the factor prod zeta_j, common to both secrets of a pair, which "
            "cancels in (1) unless it is 0",
        )

    claim = sum_of is Others.ALL_PRESENT
    return Statement(
        instances=instances,
        holds=holds,
        strategy=strategy if claim else None,
        proof=proof if claim else None,
        false_variant=_conditions_ignore_presence(sum_of=Others.PRESENT_AT_RANDOM)
        if claim
        else None,
    )


def _privacy_ignores_presence(
    secrets: Sequence[tuple[Secret, Secret]], *, claim: bool
) -> Statement:
    """The scales that attain ε on S_{a,b} are the same for all ζ, of both models of presence.

    The false variant: on a pair of S_{P,Q}.
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        for system in systems(effort, laws=[bernoulli("1/2"), OTHER_LAWS[2], point(1)]):
            yield Instance.of(V=system, growth=Fraction(3))

    def strategy() -> Any:
        from hypothesis import strategies as st

        @st.composite
        def drawn(draw: Any) -> Instance:
            system = drawn_systems(draw, points=(-2, 0, 1, 3))
            return Instance.of(V=system, growth=draw(st.sampled_from(GROWTHS)))

        return drawn()

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        system: System = v["V"]
        certain = System(system.laws, (1,) * len(system.laws))
        for first, second in secrets:
            values = [
                worst_ratio(*s.pair(0, first, second), growth=v["growth"])[0]
                for s in (system, certain)
            ]
            if values[0] != values[1]:
                return Outcome(
                    Truth.FALSE,
                    f"{first.name} or {second.name}: worst ratio {values[0]}, and {values[1]} if "
                    "all are present",
                )
        return Outcome(Truth.TRUE)

    def proof() -> Proved | None:
        if not (triangle_inequality() and _ends_attain()):
            return None
        return Proved(
            "finite alphabets; all zeta in [0,1] where absent users add 0, all zeta_j > 0 where "
            "(7) has the factor prod zeta_j (with a factor 0 the ratio of (1) is 0/0)",
            "for every finite law of the others the worst ratio is e^(|a - b|/theta): at most by "
            "the triangle inequality, and attained on one side of all points, where |y - t - a| "
            "is y - t - a or its negative; so theta attains eps exactly if theta >= |a - b|/eps",
        )

    variant = [(Secret.follows(line_law({0: "1/2", 2: "1/2"})), Secret.value(1))]
    return Statement(
        instances=instances,
        holds=holds,
        strategy=strategy if claim else None,
        proof=proof if claim else None,
        false_variant=_privacy_ignores_presence(variant, claim=False) if claim else None,
    )


def _ends_attain() -> bool:
    """Check the ratios right and left of all points on examples: e^{(a-b)/θ} and its inverse."""
    for others, growth in product(OTHER_LAWS, GROWTHS):
        first, second = with_others(point(3), others), with_others(point(1), others)
        if one_sided_ratio(first, second, growth=growth) != growth**2:
            return False
        if one_sided_ratio(second, first, growth=growth) != growth**2:
            return False
    return True


_VALUES = [(Secret.value(2), Secret.value(0)), (Secret.value(-1), Secret.value(2))]

TRIALS: dict[str, Mapping[str, Statement | Open]] = {
    "ding2025/abstract/own-statistics": {
        "a": _own_scale_serves(is_smallest=False),
        "b": _own_scale_serves(is_smallest=True),
    },
    "ding2025/section-1/presence": {"": _conditions_ignore_presence()},
    "ding2025/section-4.1/presence": {"": _privacy_ignores_presence(_VALUES, claim=True)},
}
