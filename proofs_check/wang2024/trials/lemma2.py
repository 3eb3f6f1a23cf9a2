"""Lemma 2, other users' messages may be left out, and when nothing is lost by it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations, product
from math import ceil
from typing import Any

from hypothesis import strategies as st

from exactdp.certificates import Certificate, Term, hockey_stick, relation, shuffle_pair
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.divergences import Pair, PrivacyCurve
from exactdp.numbers import Exact
from exactdp.truth import Truth
from proofs_check.wang2024.protocol import protocol_view
from proofs_check.wang2024.trials.pairs import (
    Law,
    below,
    between,
    convolution,
    pair_of,
    power,
    same_curve,
    single,
    uniform_row,
)

__all__ = ["TRIALS", "brute_slot", "brute_user", "contents", "victims"]

ONE, HALF = Fraction(1), Fraction(1, 2)


def contents(d: int, s: int) -> list[tuple[int, ...]]:
    """Return the sets of s items."""
    return list(combinations(range(d), s))


def victims(d: int, s: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return, up to names of items, the victim's two sets: by how many items they differ."""
    return [(tuple(range(s)), tuple(range(k, s + k))) for k in range(1, min(s, d - s) + 1)]


def brute_user(items: Sequence[int], *, d: int, rate: Fraction) -> Law:
    """Return the law of a user's input-dependent messages, item by item."""
    law: Law = {(0,) * d: ONE}
    for item in items:
        one = tuple(int(y == item) for y in range(d))
        law = convolution(law, {one: rate, (0,) * d: 1 - rate})
    return law


def brute_slot(*, d: int, gamma: Fraction) -> Law:
    """Return the law of one blanket slot."""
    law = {tuple(int(y == item) for y in range(d)): gamma / d for item in range(d)}
    return {**law, (0,) * d: 1 - gamma}


def _views(v: Mapping[str, Any]) -> tuple[Pair, Pair]:
    """Return the two sides of Lemma 2."""
    d, m, others = v["d"], v["m"], v["others"]
    slots = ceil(m)
    arguments = {
        "d": d,
        "rate": v["rate"],
        "blankets": (len(others) + 1) * slots,
        "slot_rate": m / slots,
    }
    first, second = v["sets"]
    whole = protocol_view(first, second, others=others, **arguments)
    return whole.pair, protocol_view(first, second, **arguments).pair


def _settings(effort: Effort, rates: Sequence[Fraction]) -> Iterator[Instance]:
    shapes = (
        [(2, 1), (3, 1), (3, 2)] if effort is Effort.DEFAULT else [(2, 1), (3, 1), (3, 2), (4, 2)]
    )
    for (d, s), m in product(shapes, (HALF, ONE, Fraction(3, 2))):
        for sets, held, rate in product(victims(d, s), contents(d, s), rates):
            for own in (HALF, ONE):
                yield Instance.of(d=d, m=m, sets=sets, rate=own, others=((held, rate),))


# --- Lemma 2 -------------------------------------------------------------------------------


def _lemma_2(*, reverse: bool = False) -> Statement:
    """Left side below right side, for all D (false variant: right side below left side)."""

    def instances(effort: Effort) -> Iterator[Instance]:
        yield from _settings(effort, (HALF, Fraction(1, 5)))
        others = (((0,), HALF), ((2,), ONE))
        yield Instance.of(d=3, m=ONE, sets=((0,), (1,)), rate=HALF, others=others)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        left, right = _views(v)
        # By brute force, where the other user holds item 0 with λ = 1/2.
        if v["others"] == (((0,), HALF),) and not _is_channel(v, left):
            return Outcome(Truth.FALSE, "the view is not the right side with messages added")
        return below(right, left) if reverse else below(left, right)

    def strategy() -> st.SearchStrategy[Instance]:
        rate = st.fractions(0, 1, max_denominator=6)
        held = st.sampled_from(contents(3, 1))
        return st.builds(
            lambda m, own, sets, others: Instance.of(
                d=3, m=m, sets=sets, rate=own, others=tuple(others)
            ),
            st.sampled_from([HALF, ONE, Fraction(2, 3)]),
            rate,
            st.sampled_from([*victims(3, 1), *victims(3, 2)]),
            st.lists(st.tuples(held, rate), min_size=1, max_size=1),
        )

    def proof() -> Proved | None:
        return Proved(
            "all randomizers R_k, all m, levels and data, all measures D",
            "the messages of R_(k_j)(x_j), j != i, are independent of those of user i and of the "
            "blanket, and have one law under X and X': the left side is a post-processing of the "
            "right one, which adds them (that the laws are these convolutions is computed)",
        )

    return Statement(
        instances=instances,
        holds=holds,
        strategy=None if reverse else strategy,
        proof=None if reverse else proof,
        false_variant=None if reverse else _lemma_2(reverse=True),
    )


def _is_channel(v: Mapping[str, Any], left: Pair) -> bool:
    """Check by brute force that the left side is the right side with other messages added."""
    d, m = v["d"], v["m"]
    ((held, rate),) = v["others"]
    blanket = power(brute_slot(d=d, gamma=m / ceil(m)), 2 * ceil(m))
    added = convolution(blanket, brute_user(held, d=d, rate=rate))
    laws = [convolution(brute_user(x, d=d, rate=v["rate"]), added) for x in v["sets"]]
    return PrivacyCurve.from_pair(pair_of(*laws)) == PrivacyCurve.from_pair(left)


# --- tightness -----------------------------------------------------------------------------


def _noiseless(*, rate: Fraction = ONE) -> Statement:
    """Reading (a): others at λ = 1 (false variant: 1/2), whatever they hold."""

    def instances(effort: Effort) -> Iterator[Instance]:
        yield from _settings(effort, (rate,))

    def proof() -> Proved | None:
        return Proved(
            "all data of the others, those included that hold neither set's items; all measures D",
            "with λ = 1 the others' messages are their items: the analyzer who knows them takes "
            "them away, so either side is a post-processing of the other",
        )

    return Statement(
        instances=instances,
        holds=lambda at: same_curve(*_views(at.mapping())),
        proof=proof if rate == 1 else None,
        false_variant=_noiseless(rate=HALF) if rate == 1 else None,
    )


def _any_rate() -> Statement:
    """Reading (b): at every λ of the other user some item of it makes Lemma 2 an equality."""

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        d, rate, other, m = v["d"], v["rate"], v["other_rate"], v["m"]
        sides = [
            _views({**v, "sets": ((0,), (1,)), "others": ((held, other),)})
            for held in contents(d, 1)
        ]
        right = PrivacyCurve.from_pair(sides[0][1])
        curves = [PrivacyCurve.from_pair(left) for left, _ in sides]
        for gamma in between([right, *curves]):
            values, top = (
                [c.delta(exp_epsilon=gamma) for c in curves],
                right.delta(exp_epsilon=gamma),
            )
            if max(values) < top:
                found = ", ".join(str(value) for value in values)
                return Outcome(
                    Truth.FALSE,
                    f"e^ε = {gamma}: {found} for the items of the other user, not {top}",
                    partial(_strict, d, m, rate, other, gamma),
                )
        return Outcome(Truth.TRUE, "some item attains the right side at every ε")

    return Statement(
        instances=lambda effort: [
            Instance.of(d=d, m=m, rate=HALF, other_rate=HALF)
            for d, m in product((3, 4), (ONE, HALF))
        ],
        holds=holds,
    )


def _strict(d: int, m: Fraction, rate: Fraction, other: Fraction, gamma: Exact) -> Certificate:
    """Every item of the other user is below the right side; the last letter is nothing."""
    slots = ceil(m)
    rows = [
        single(0, d=d, rate=rate),
        single(1, d=d, rate=rate),
        uniform_row(d=d, gamma=m / slots),
        *(single(item, d=d, rate=other) for item in range(d)),
    ]

    def view(others: Sequence[tuple[int, int]]) -> Term:
        return shuffle_pair(rows, inputs=(0, 1), others=[(2, 2 * slots), *others])

    bound = hockey_stick(view([]), gamma)
    return Certificate(
        conclusion=[
            relation("<", hockey_stick(view([(3 + item, 1)]), gamma), bound) for item in range(d)
        ]
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "wang2024/lemma-2": {"": _lemma_2()},
    "wang2024/section-4.4/tight": {"a": _noiseless(), "b": _any_rate()},
}
