"""Section 4.3: secrets about the presence of a user who reports at random (Theorem 3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from exactdp.certificates import Certificate, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.pufferfish import Secret, line_law
from exactdp.truth import Truth
from proofs_check.ding2025.attainment import exp_moment, exp_moment_term
from proofs_check.ding2025.instances import GROWTHS, System, drawn_systems, systems
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
from proofs_check.ding2025.proof_steps import harmonic_mean_is_least, triangle_inequality
from proofs_check.ding2025.terms import LinePair

__all__ = ["TRIALS", "attains_on_presence", "moment_proof"]

Power = tuple[Fraction, int]
"""(b, n): e^ε = b^{1/n}."""

Claimed = Callable[[System, Fraction], Power]
"""The e^ε that noise of scale θ is said to attain, from the users' laws and e^{1/θ}."""

LAWS = (
    bernoulli("1/2"),
    line_law({-1: "1/2", 1: "1/2"}),
    line_law({0: "1/2", 2: "1/2"}),
    point(1),
    line_law({-2: "1/3", 1: "1/3", 3: "1/3"}),
)


# --- Theorem 3 ----------------------------------------------------------------------------


def attains_on_presence(
    claimed: Claimed,
    *,
    proof: Callable[[], Proved | None] | None,
    wrong: Claimed | None,
    alike: bool = False,
    exact: bool = False,
) -> Statement:
    """Return the statement that noise attains ε on (s_{P_i}, s_⊥), P_i the law of user i.

    Args:
        claimed: e^ε, from the system and e^{1/θ}.
        proof: A proof for all systems; without one, nothing is searched beyond the list.
        wrong: What a false variant claims.
        alike: Whether all users have one law up to its sign, so that (13) holds for all at once.
        exact: Whether ε is also the smallest that this noise attains, if no alphabet has both
            signs.
    """

    def chosen(system: System) -> System:
        if not alike:
            return system
        laws = tuple(
            _mirrored(system.laws[0]) if i % 2 else system.laws[0] for i in range(len(system.laws))
        )
        return System(laws, system.presence, system.others)

    def instances(effort: Effort) -> Iterator[Instance]:
        for growth, system in product(GROWTHS[:2], systems(effort, laws=LAWS)):
            if growth == 2 or len(system.laws) == 1:
                yield Instance.of(V=chosen(system), growth=growth)

    def strategy() -> Any:
        from hypothesis import strategies as st

        @st.composite
        def drawn(draw: Any) -> Instance:
            system = drawn_systems(draw, points=(-2, 0, 1, 3))
            return Instance.of(V=chosen(system), growth=draw(st.sampled_from(GROWTHS)))

        return drawn()

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        system: System = v["V"]
        base, root = claimed(system, v["growth"])
        ratios = [
            worst_ratio(*system.pair(i, Secret.follows(law), Secret.absent()), growth=v["growth"])[
                0
            ]
            for i, law in enumerate(system.laws)
        ]
        fine = max(ratios) ** root <= base
        if exact and all(_has_one_sign(law) for law in system.laws):
            fine = fine and max(ratios) ** root == base
        return Outcome(
            Truth.of(fine),
            f"worst ratio {max(ratios)}, e^eps = {base}" + (f"^(1/{root})" if root > 1 else ""),
            slack=base / max(ratios) if root == 1 else None,
        )

    return Statement(
        instances=instances,
        holds=holds,
        strategy=strategy if proof is not None else None,
        proof=proof,
        false_variant=None
        if wrong is None
        else attains_on_presence(wrong, proof=None, wrong=None, alike=alike, exact=exact),
    )


def _mirrored(law: Law) -> Law:
    return line_law({-x: m for x, m in law.masses.items()})


def _has_one_sign(law: Law) -> bool:
    points = [x for x, m in law.masses.items() if m]
    return min(points) >= 0 or max(points) <= 0


def _largest_moment(system: System, growth: Fraction) -> Power:
    return max(exp_moment(law, growth=growth) for law in system.laws), 1


def _larger_than_moment(system: System, growth: Fraction) -> Power:
    return _largest_moment(system, growth)[0] * Fraction(11, 10), 1


def _smallest_moment(system: System, growth: Fraction) -> Power:
    return min(exp_moment(law, growth=growth) for law in system.laws), 1


def _signed_moment(system: System, growth: Fraction) -> Power:
    """E[e^{D/θ}], without the absolute value."""
    moments = (
        sum((m.as_fraction() * growth ** int(x) for x, m in law.masses.items()), Fraction(0))
        for law in system.laws
    )
    return max(moments), 1


def _largest_value(system: System, growth: Fraction) -> Power:
    return growth ** int(max(_size(law) for law in system.laws)), 1


def _mean_size(system: System, growth: Fraction) -> Power:
    """e^{E|D|/θ}: the mean of |D| instead of its maximum, or of e^{|D|/θ}."""
    mean = max(
        sum((m.as_fraction() * abs(x) for x, m in law.masses.items()), Fraction(0))
        for law in system.laws
    )
    return growth**mean.numerator, mean.denominator


def _size(law: Law) -> Fraction:
    return max(abs(x) for x, m in law.masses.items() if m)


_MOMENT = (
    "f_P(y) = sum over m, t of G(m) P(t) N(y - m - t), G the law of the others: at most "
    "E[e^(|D|/theta)] f_G(y) by the triangle inequality, and at least E[e^(-|D|/theta)] f_G(y), "
    "which is at least f_G(y)/E[e^(|D|/theta)] (harmonic and arithmetic mean)"
)

_SYSTEMS = "all systems: any law of the sum of the others, whoever is present"


def moment_proof(*, domain: str = _SYSTEMS, more: str = "") -> Proved | None:
    """Return the proof that E[e^{|D_i|/θ}] <= e^ε suffices, with what turns it into a claim."""
    if not (triangle_inequality() and harmonic_mean_is_least()):
        return None
    return Proved(domain, _MOMENT + more)


def _condition_14_proof() -> Proved | None:
    return moment_proof(more="; and E[e^(|D|/theta)] <= e^(max|t|/theta) = e^eps")


def _repair_proof() -> Proved | None:
    return moment_proof(
        more="; the moment falls as theta grows, so at the largest root it is at most e^eps for "
        "all i and rho (it is 1 for D = 0). If D >= 0 (or D <= 0), then right (left) of all "
        "points of a finite system f_P/f_G is E[e^(|D|/theta)] itself, and no smaller theta serves"
    )


# --- (13) as a calibration ----------------------------------------------------------------


def _one_theta_for_all() -> Statement:
    """Where θ satisfies (13) for the first user, it does for all."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for laws in ((point(1),), (point(1), point(1)), (point(1), point(2))):
            yield Instance.of(V=System(laws, (1,) * len(laws)), growth=Fraction(2))

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        laws, growth = v["V"].laws, v["growth"]
        moments = [exp_moment(law, growth=growth) for law in laws]

        def certificate() -> Certificate:
            pair = LinePair.of(laws[0], laws[1])
            first, second = (exp_moment_term(pair, side, growth=growth) for side in ("p", "q"))
            return Certificate(
                define=pair.define,
                hypotheses=[relation(">", growth, 1), relation("=", first, moments[0])],
                conclusion=[relation("!=", second, moments[0])],
            )

        return Outcome(
            Truth.of(len(set(moments)) == 1),
            f"at e^eps = {moments[0]} user 1 asks for e^(1/theta) = {growth}, the one solution of "
            f"an increasing equation; there E[e^(|D_2|/theta)] = {moments[-1]}",
            certificate,
        )

    return Statement(instances=instances, holds=holds)


# --- Remark 2 -----------------------------------------------------------------------------


def _below_14(*, strict: bool, is_claim: bool, mean: bool = False) -> Statement:
    """θ by (13) is at most (below) θ by (14): E[e^{|D|/θ}] <= e^{max|t|/θ}, θ that of (13).

    The false variant has the mean of |D| for its maximum.
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        for law in (*laws_on((0, 1), 3), *laws_on((0, 2), 2), *laws_on((-1, 0, 2), 3), *LAWS):
            if law != point(0):  # (13) has no solution for D = 0
                yield Instance.of(P=Shown(law), growth=Fraction(3, 2))

    def strategy() -> Any:
        from hypothesis import strategies as st

        laws = law_strategy((1, -2, 0, 3, 5)).filter(lambda law: law != point(0))
        return st.builds(
            lambda law, growth: Instance.of(P=Shown(law), growth=growth),
            laws,
            st.sampled_from(GROWTHS),
        )

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        law, growth = v["P"].law, v["growth"]
        system = System((law,), (1,))
        gamma = exp_moment(law, growth=growth)
        bound, root = (_mean_size if mean else _largest_value)(system, growth)

        def certificate() -> Certificate:
            pair = LinePair.of(law, law)
            size = _size(law)
            largest = next(x for x in law.masses if abs(x) == size)
            return Certificate(
                define=pair.define,
                hypotheses=[
                    relation(">", growth, 1),
                    relation("=", exp_moment_term(pair, "p", growth=growth), gamma),
                    relation(">", pair.mass("p", largest), 0),
                ],
                conclusion=[relation("=", term(growth) ** int(abs(largest)), gamma)],
            )

        fine = gamma**root < bound if strict else gamma**root <= bound
        return Outcome(
            Truth.of(fine),
            f"{text(law)}: e^eps = {gamma}, e^(max|t|/theta) = {bound} at the theta of (13)",
            certificate if strict else None,
        )

    def proof() -> Proved | None:
        return Proved(
            "all P_i but that of D_i = 0",
            "e^eps = E[e^(|D|/theta)] <= e^(max|t|/theta), so max|t|/eps >= theta",
        )

    claim = is_claim and not strict
    return Statement(
        instances=instances,
        holds=holds,
        strategy=strategy if claim else None,
        proof=proof if claim else None,
        false_variant=_below_14(strict=False, is_claim=False, mean=True) if claim else None,
    )


def _strictly_below_14(*, nondegenerate: bool) -> Statement:
    """The repair: strictly below unless |D| is constant (the false variant: in all cases)."""
    base = _below_14(strict=True, is_claim=True)

    def instances(effort: Effort) -> Iterator[Instance]:
        for at in base.instances(effort):
            v: Mapping[str, Any] = at.mapping()
            sizes = {abs(x) for x, m in v["P"].law.masses.items() if m}
            if len(sizes) > 1 or not nondegenerate:
                yield at

    def proof() -> Proved | None:
        return Proved(
            "all P_i under which |D_i| is not constant",
            "E[e^(|D|/theta)] is an average of powers of which one is below the largest",
        )

    return Statement(
        instances=instances,
        holds=base.holds,
        proof=proof if nondegenerate else None,
        false_variant=_strictly_below_14(nondegenerate=False) if nondegenerate else None,
    )


TRIALS: dict[str, Mapping[str, Statement | Open]] = {
    "ding2025/theorem-3/condition-13": {
        "a": attains_on_presence(
            _largest_moment, proof=moment_proof, wrong=_signed_moment, alike=True
        ),
        "b": _one_theta_for_all(),
    },
    "ding2025/theorem-3/condition-14": {
        "": attains_on_presence(_largest_value, proof=_condition_14_proof, wrong=_mean_size)
    },
    "ding2025/theorem-3/proof/sufficient": {
        "": attains_on_presence(_larger_than_moment, proof=moment_proof, wrong=_mean_size)
    },
    "ding2025/remark-2": {
        "a": _below_14(strict=False, is_claim=True),
        "b": _below_14(strict=True, is_claim=True),
    },
    "ding2025/repair/theorem-3-condition-13": {
        "": attains_on_presence(
            _largest_moment, proof=_repair_proof, wrong=_smallest_moment, exact=True
        )
    },
    "ding2025/repair/remark-2": {"": _strictly_below_14(nondegenerate=True)},
}
