"""Section 4.4: the two displays of the proof of Theorem 4.

F_{X|S}(x + Δ | s_P) − F_{X|S}(x | s_Q) is the average over m, with weights G(m),
of h(x − m), h(t) = F_P(t + Δ) − F_Q(t), and that t may lie outside of D_i. For Δ = 0 the
values of h are those on D_i, 0 at the largest; for Δ > 0 its maximum is perhaps on D_i − Δ only.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

from hypothesis import strategies as st

from exactdp.claims import (
    Cases,
    Falls,
    Relation,
    Term,
    above,
    at_least,
    at_most,
    below,
    cases,
    equal,
    for_all,
    function,
    proof,
    total,
    when,
    words,
)
from proofs_check.ding2025.law import Law, bernoulli, drawn_law, laws_on, sum_of
from proofs_check.ding2025.line import LinePair
from proofs_check.ding2025.systems import OTHER_LAWS, Rest
from proofs_check.ding2025.trials.lemma_1 import (
    Points,
)

__all__ = ["TRIALS"]


# --- the proof of Theorem 4 -----------------------------------------------------------------

_OTHERS = (Rest(), Rest((bernoulli("1/2"),)), *(Rest((law,)) for law in OTHER_LAWS[2:]))


def laws_beside_others(**more: Any) -> Cases:
    """Return pairs of laws on small alphabets beside others."""

    def found(denominator: int) -> Cases:
        return cases(
            _points=((0, 1), (0, 2), (0, 1, 3), (0, 1, 2)),
            D=lambda _points: [Points(map(Fraction, _points))],
            P=lambda _points: laws_on(_points, denominator),
            Q=lambda _points: laws_on(_points, denominator),
            others=_OTHERS,
            **more,
        )

    short, long = found(2), found(4)
    return short.deep(P=long.axes["P"], Q=long.axes["Q"])


@st.composite
def drawn_beside_others(draw: st.DrawFn, *, with_step: bool = False) -> dict[str, Any]:
    """Draw laws on integers beside others, and perhaps Δ."""
    points = sorted(draw(st.sets(st.integers(-3, 4), min_size=1, max_size=4)))
    rest = draw(st.lists(drawn_law(range(-1, 3)), max_size=2))
    laws = {side: draw(drawn_law(points)) for side in "PQ"}
    found = {"D": Points(map(Fraction, points)), **laws, "others": Rest(rest)}
    return {**found, "Delta": Fraction(draw(st.integers(1, 12)), 2)} if with_step else found


def sign_cases(D: Points, P: Law, Q: Law, others: Rest, *, strict: bool = True) -> list[Relation]:
    """F_X|P − F_X|Q is at most its maximum on D_i, and negative if that is, positive if ...."""
    own = LinePair.of(P, Q, name="own", points=D)
    x_pair = others.beside(own)
    gaps = [own.cumulative("p", t) - own.cumulative("q", t) for t in D]
    top, bottom = function("max", *gaps), function("min", *gaps)
    claimed = []
    for x in range(int(x_pair.points[0]) - 1, int(x_pair.points[-1]) + 2):
        gap = x_pair.cumulative("p", x) - x_pair.cumulative("q", x)
        claimed += [
            at_most(gap, top),
            below(when("<" if strict else "<=", top, 0, gap, -1), 0),
            above(when(">" if strict else ">=", bottom, 0, gap, 1), 0),
        ]
    return claimed


Places = Callable[[Points, Fraction], list[Fraction]]
"""(D_i, Δ) -> the t over which minimum and maximum run."""


def on_alphabet(D: Points, step: Fraction) -> list[Fraction]:
    """As printed."""
    return list(D)


def with_shifted(D: Points, step: Fraction) -> list[Fraction]:
    """With D_i − Δ too."""
    return sorted({*D, *(t - step for t in D)})


def between(
    places: Places, D: Points, P: Law, Q: Law, others: Rest, Delta: Fraction
) -> list[Relation]:
    """The difference is the average of h, and lies between minimum and maximum of h over t."""
    own = LinePair.of(P, Q, name="own", points=D)
    x_pair, rest = others.beside(own), sum_of(others)

    def h(t: Fraction) -> Term:
        return own.cumulative("p", t + Delta) - own.cumulative("q", t)

    values = [h(t) for t in places(D, Delta)]
    claimed = []
    # Where x runs over the alphabet of X; of the mended form, also where F_{X|S}(x + Δ) steps.
    steps = (0,) if places is on_alphabet else (0, Delta)
    for x in sorted({t + z - s for t in D for z in rest.points for s in steps}):
        found = x_pair.cumulative("p", x + Delta) - x_pair.cumulative("q", x)
        claimed += [
            equal(found, total([m * h(x - z) for z, m in rest.masses])),
            at_least(found, function("min", *values)),
            at_most(found, function("max", *values)),
        ]
    return claimed


TRIALS = {
    "ding2025/theorem-4/proof/sign-cases": {
        "": for_all(
            laws_beside_others().drawn(drawn_beside_others),
            sign_cases,
            wrong=partial(sign_cases, strict=False),
            proof=proof(
                "all laws on finite alphabets",
                words(
                    "F_X|P(x) - F_X|Q(x) is an average of values F_P(t) - F_Q(t), t real, which "
                    "are those on D_i, 0 at its largest point; so it is at most the maximum on "
                    "D_i, which is >= 0, and the minimum is <= 0: both implications are empty"
                ),
            ),
        )
    },
    "ding2025/theorem-4/proof/bounds": {
        "": for_all(
            laws_beside_others(Delta=[Fraction(1)]),
            partial(between, on_alphabet),
            falls=Falls.STEP,
        )
    },
    "ding2025/repair/theorem-4-bounds": {
        "": for_all(
            laws_beside_others(
                Delta=lambda others: [
                    Fraction(v) for v in (("1", "2", "1/2") if others is _OTHERS[1] else ("1",))
                ]
            ).drawn(partial(drawn_beside_others, with_step=True)),
            partial(between, with_shifted),
            wrong=partial(between, on_alphabet),
            proof=proof(
                "all laws on finite alphabets, Delta > 0, all real x",
                words(
                    "the difference is an average of h(t) = F_P(t+Delta) - F_Q(t), t real; h is "
                    "constant between neighbors of D_i and D_i - Delta, 0 below them and 0 at the "
                    "largest of D_i"
                ),
            ),
        )
    },
}
