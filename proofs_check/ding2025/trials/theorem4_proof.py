"""Section 4.4: the two displays of the proof of Theorem 4.

With G the law of f(D_{-i}), F_{X|S}(x + Δ | s_P) − F_{X|S}(x | s_Q) is the average over m, with
weights G(m), of h(x − m), h(t) = F_P(t + Δ) − F_Q(t). That t may lie outside of D_i:

- For Δ = 0, h is constant between neighbors in D_i, 0 below them and 0 at the largest; so its
  values are those on D_i, where the maximum is never negative and the minimum never positive.
- For Δ > 0, h steps down at the points of D_i and up at those of D_i − Δ. Its minimum is attained
  on D_i, its maximum perhaps on D_i − Δ only, which the print leaves out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from exactdp.certificates import Certificate, relation
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.pufferfish import sum_of_independent
from exactdp.truth import Truth
from proofs_check.ding2025.cumulative import Cumulative
from proofs_check.ding2025.instances import OTHER_LAWS
from proofs_check.ding2025.laws import Law, Shown, bernoulli, law_strategy, laws_on
from proofs_check.ding2025.terms import LinePair
from proofs_check.ding2025.trials.lemma1 import cumulative
from proofs_check.ding2025.trials.lemma1_instances import Points
from proofs_check.ding2025.trials.lemma6_systems import Rest, sums_are_mixtures

__all__ = ["TRIALS"]

_OTHERS = (Rest(()), Rest((bernoulli("1/2"),)), *(Rest((law,)) for law in OTHER_LAWS[2:]))


def _instances(effort: Effort) -> Iterator[Instance]:
    denominator = 2 if effort is Effort.DEFAULT else 4
    for points in ((0, 1), (0, 2), (0, 1, 3), (0, 1, 2)):
        for p, q in product(list(laws_on(points, denominator)), repeat=2):
            for rest in _OTHERS:
                alphabet = Points(Fraction(x) for x in points)
                yield Instance.of(D=alphabet, P=Shown(p), Q=Shown(q), others=rest)


def _strategy() -> Any:
    from hypothesis import strategies as st

    @st.composite
    def instances(draw: Any) -> Instance:
        points = sorted(draw(st.sets(st.integers(-3, 4), min_size=1, max_size=4)))
        p, q = draw(law_strategy(points)), draw(law_strategy(points))
        rest = Rest(tuple(draw(st.lists(law_strategy(range(-1, 3)), max_size=2))))
        alphabet = Points(Fraction(x) for x in points)
        return Instance.of(D=alphabet, P=Shown(p), Q=Shown(q), others=rest)

    return instances()


def _parts(at: Instance) -> tuple[Points, Law, Law, Rest]:
    v: Mapping[str, Any] = at.mapping()
    return v["D"], v["P"].law, v["Q"].law, v["others"]


def _of_x(p: Law, q: Law, rest: Rest) -> tuple[Cumulative, Cumulative]:
    first, second = (Cumulative.of(sum_of_independent([law, *rest.laws])) for law in (p, q))
    return first, second


# --- the signs -------------------------------------------------------------------------------


def _sign_cases(*, strict: bool = True) -> Statement:
    """F_X|P − F_X|Q is at most the maximum on D_i, and has its sign if the signs are strict.

    The variant takes a maximum of 0 for negative, a minimum of 0 for positive.
    """

    def holds(at: Instance) -> Outcome:
        alphabet, p, q, rest = _parts(at)
        first, second = _of_x(p, q, rest)
        own = [cumulative(p)(t) - cumulative(q)(t) for t in alphabet]
        top, bottom = max(own), min(own)
        start, end = int(min(first.points + second.points)), int(max(first.points + second.points))
        for x in range(start - 1, end + 2):
            gap = first(x) - second(x)
            negative = top < 0 if strict else top <= 0
            positive = bottom > 0 if strict else bottom >= 0
            if gap > top or (negative and gap >= 0) or (positive and gap <= 0):
                return Outcome(
                    Truth.FALSE, f"x = {x}: difference {gap}, on D_i from {bottom} to {top}"
                )
        return Outcome(Truth.TRUE)

    def proof() -> Proved | None:
        for p, q in product(list(laws_on((0, 1, 3), 3)), repeat=2):
            first, second = cumulative(p), cumulative(q)
            values = {first(t) - second(t) for t in (0, 1, 3)}
            if first(3) != second(3) or any(
                first(t) - second(t) not in values for t in range(-2, 6)
            ):
                return None
        if not sums_are_mixtures():
            return None
        return Proved(
            "all laws on finite alphabets",
            "F_X|P(x) - F_X|Q(x) is an average of values F_P(t) - F_Q(t), t real, which are those "
            "on D_i, 0 at its largest point; so it is at most the maximum on D_i, the "
            "maximum is >= 0 and the minimum <= 0: both implications are empty",
        )

    return Statement(
        instances=_instances,
        holds=holds,
        strategy=_strategy if strict else None,
        proof=proof if strict else None,
        false_variant=_sign_cases(strict=False) if strict else None,
    )


# --- the bounds ------------------------------------------------------------------------------

Places = Callable[[Points, Fraction], list[Fraction]]
"""(D_i, Δ) -> the t over which minimum and maximum run."""


def _printed(alphabet: Points, step: Fraction) -> list[Fraction]:
    return list(alphabet)


def _with_shifted(alphabet: Points, step: Fraction) -> list[Fraction]:
    return sorted({*alphabet, *(t - step for t in alphabet)})


def _bounds(places: Places, *, certified: bool = False, mended: bool = False) -> Statement:
    """The difference is the average of h, and lies between minimum and maximum of h over t.

    For the print x in the alphabet of X is enough.
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        for at in _instances(effort):
            steps = [Fraction(1)]
            if mended and at["others"] is _OTHERS[1]:
                steps += [Fraction(2), Fraction(1, 2)]
            for step in steps:
                yield Instance((*at.values, ("Delta", step)))

    def strategy() -> Any:
        from hypothesis import strategies as st

        steps = st.integers(1, 12).map(lambda k: Fraction(k, 2))
        return st.builds(
            lambda at, step: Instance((*at.values, ("Delta", step))), _strategy(), steps
        )

    def holds(at: Instance) -> Outcome:
        alphabet, p, q, rest = _parts(at)
        step = at["Delta"]
        assert isinstance(step, Fraction)
        first, second = _of_x(p, q, rest)
        others = {z: m.as_fraction() for z, m in rest.total.masses.items()}

        def h(t: Fraction) -> Fraction:
            return cumulative(p)(t + step) - cumulative(q)(t)

        values = [h(t) for t in places(alphabet, step)]
        where = {t + z for t in alphabet for z in others}
        if mended:
            where |= {x - step for x in where}
        for x in sorted(where):
            found = first(x + step) - second(x)
            average = sum((m * h(x - z) for z, m in others.items()), Fraction(0))
            if found != average or not min(values) <= found <= max(values):
                return Outcome(
                    Truth.FALSE,
                    f"x = {x}: {found}, claimed from {min(values)} to {max(values)}",
                    partial(_beyond_maximum, at, x, step) if certified else None,
                )
        return Outcome(Truth.TRUE)

    def proof() -> Proved | None:
        step = Fraction(1)
        for p, q in product(list(laws_on((0, 1, 3), 3)), repeat=2):
            first, second = cumulative(p), cumulative(q)
            points = Points(Fraction(t) for t in (0, 1, 3))
            values = {first(t + step) - second(t) for t in places(points, step)}
            halves = [Fraction(k, 2) for k in range(-6, 12)]
            if any(first(t + step) - second(t) not in {*values, 0} for t in halves):
                return None
            if not min(values) <= 0 <= max(values):
                return None
        if not sums_are_mixtures():
            return None
        return Proved(
            "all laws on finite alphabets, Delta > 0, all real x",
            "the difference is an average of h(t) = F_P(t+Delta) - F_Q(t), t real; h is constant "
            "between neighbors of D_i and D_i - Delta, 0 below them and 0 at the largest of D_i",
        )

    variant = _bounds(_printed) if mended else None
    return Statement(
        instances=instances,
        holds=holds,
        strategy=strategy if mended else None,
        proof=proof if mended else None,
        false_variant=variant,
    )


def _beyond_maximum(at: Instance, x: Fraction, step: Fraction) -> Certificate:
    """Evidence that the difference at x is above every value on D_i."""
    alphabet, p, q, rest = _parts(at)
    own = LinePair.of(p, q, name="own", points=alphabet)
    pair = own.with_other(rest.total, name="X")
    found = pair.cumulative("p", x + step) - pair.cumulative("q", x)
    return Certificate(
        define=pair.define,
        hypotheses=[relation(">", step, 0)],
        conclusion=[
            relation(">", found, own.cumulative("p", t + step) - own.cumulative("q", t))
            for t in alphabet
        ],
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "ding2025/theorem-4/proof/sign-cases": {"": _sign_cases()},
    "ding2025/theorem-4/proof/bounds": {"": _bounds(_printed, certified=True)},
    "ding2025/repair/theorem-4-bounds": {"": _bounds(_with_shifted, mended=True)},
}
