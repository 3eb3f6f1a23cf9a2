"""Section 4.4.1: the proof of Lemma 6: the plan (6), display by display.

In the proof F_Q(x) <= F_P(x) <= F_Q(x + 1) for p < q (P and Q exchanged for p > q), so each
minimum in (6) is decided by the order of x and x', and the masses of the plan are identities
in p, q and the masses of f(D_{-i}). For p > q the last display shifts that mass: π*(x'+1, x')
is (p − q) Pr(f(D_{-i}) = x'), not x' − 1; so the printed ψ is not the ratio of the two masses,
and the θ of (21) need not satisfy (20), over any range of x.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from exactdp.audit.algebra import vanishes
from exactdp.claims import (
    Falls,
    Proof,
    Relation,
    Said,
    Statement,
    Step,
    above,
    checked,
    equal,
    for_all,
    function,
    proof,
)
from proofs_check.ding2025.bernoulli_user import (
    INTEGER,
    LESS,
    MORE,
    Parts,
    Range,
    in_order,
    parts,
    symbolic,
    users,
    values,
)
from proofs_check.ding2025.law import sum_of
from proofs_check.ding2025.systems import Rest
from proofs_check.ding2025.trials.lemma_5 import Display, said, same_symbols

__all__ = ["ORDER", "TRIALS", "ratio_less", "repaired_more", "support"]


# --- the proof: (22), (24) and the support of the plan --------------------------------------


def minima(order: str, p: Fraction, q: Fraction, others: Rest, shift: int = 0) -> list[Relation]:
    """The minimum is F_Q(x') for x' <= x (p < q) or x' < x (p > q), and F_P(x) elsewhere."""
    t = parts(p, q, others)
    last = (0 if order == LESS else -1) + shift
    return [
        equal(
            function("min", t.f("p", x), t.f("q", z)), t.f("q", z) if z <= x + last else t.f("p", x)
        )
        for x in t.places
        for z in t.places
    ]


def in_sequence(order: str) -> Step:
    """Return the step F_Q(x) <= F_P(x) <= F_Q(x+1) for p < q, P and Q exchanged for p > q."""

    def check() -> bool:
        t = symbolic(order)
        (low, high), (small, large) = (
            (("q", "p"), (t.p, t.q)) if order == LESS else (("p", "q"), (t.q, t.p))
        )
        first = t.f(high, 0) - t.f(low, 0) - (large - small) * t.g(0)
        second = t.f(low, 1) - t.f(high, 0) - (small * t.g(0) + (1 - large) * t.g(1))
        return vanishes(first) and vanishes(second)

    return checked(
        "F_P(x) - F_Q(x) = (q-p) g(x) >= 0 and F_Q(x+1) - F_P(x) = p g(x) + (1-q) g(x+1) >= 0 for "
        "p < q (P and Q exchanged for p > q); F rises: this decides every minimum in (6)",
        check,
    )


ORDER = {order: in_sequence(order) for order in (LESS, MORE)}
FORMS = {LESS: (-1, 0), MORE: (0, 1)}
"""The values of x − x' that the print allows."""


def inside(
    order: str, p: Fraction, q: Fraction, others: Rest, forms: Sequence[int] | None = None
) -> list[Relation]:
    """Every pair of supp(π*) is of one of these forms."""
    t = parts(p, q, others)
    return [
        equal(t.plan(x, z), 0)
        for x in t.places
        for z in t.places
        if x - z not in (forms or FORMS[order])
    ]


def all_inside(order: str, p: Fraction, q: Fraction, others: Rest) -> Said:
    """Every pair of these forms in X² is in supp(π*)."""
    t, alphabet = parts(p, q, others), values(p, q, others, Range.ALPHABET)
    cells = [(int(x), int(z)) for x in alphabet for z in alphabet if x - z in FORMS[order]]
    return Said([above(t.plan(*cell), 0) for cell in cells], lambda: in_order(p, q))


def cancels(order: str) -> Step:
    """Return the step that off these forms the four minima of (6) cancel."""

    def check() -> bool:
        t = symbolic(order)
        return all(vanishes(t.plan(0, z)) for z in range(-3, 4) if -z not in FORMS[order])

    return checked(
        "elsewhere all four minima of (6) are F_P at x, x-1 or all are F_Q at x', x'-1, and cancel",
        check,
    )


def support(order: str) -> Proof:
    """Return the proof that the support has the two forms only."""
    return proof(f"all {order}, all integer-valued f(D_-i)", ORDER[order], cancels(order))


# --- the proof: the masses of the plan ------------------------------------------------------


def diagonal_less(t: Parts, x: int) -> Sequence[Any]:
    """π*(x', x') for p < q."""
    f, g = t.f, t.g
    return (
        t.plan(x, x),
        f("q", x) - f("q", x - 1) - f("p", x - 1) + f("q", x - 1),
        f("q", x) - f("p", x - 1),
        t.p * g(x - 1) + (1 - t.q) * g(x),
    )


def off_less(t: Parts, x: int) -> Sequence[Any]:
    """π*(x'−1, x') for p < q."""
    f = t.f
    return (
        t.plan(x - 1, x),
        f("p", x - 1) - f("q", x - 1) - f("p", x - 2) + f("p", x - 2),
        f("p", x - 1) - f("q", x - 1),
        (t.q - t.p) * t.g(x - 1),
    )


def ratio_less(t: Parts, x: int) -> Sequence[Any]:
    """The ratio of the two masses of a column, p < q."""
    return (
        t.plan(x, x) / t.plan(x - 1, x),
        ((1 - t.q) * (t.g(x) / t.g(x - 1)) + t.p) / (t.q - t.p),
    )


def ratio_less_inverted(t: Parts, x: int) -> Sequence[Any]:
    """The same with the quotient at the other summand."""
    return (
        t.plan(x, x) / t.plan(x - 1, x),
        ((1 - t.q) + t.p * (t.g(x) / t.g(x - 1))) / (t.q - t.p),
    )


def diagonal_more(t: Parts, x: int) -> Sequence[Any]:
    """π*(x', x') for p > q."""
    f, g = t.f, t.g
    return (
        t.plan(x, x),
        f("p", x) - f("q", x - 1) - f("p", x - 1) + f("p", x - 1),
        f("p", x) - f("q", x - 1),
        (1 - t.p) * g(x) + t.q * g(x - 1),
    )


def off_more(t: Parts, z: int, shift: int) -> Sequence[Any]:
    """The print's x is z + shift: the column z, or the row z + 1."""
    f = t.f
    return (
        t.plan(z + 1, z),
        f("q", z) - f("q", z - 1) - f("p", z) + f("q", z - 1),
        f("q", z) - f("p", z),
        (t.p - t.q) * t.g(z + shift - 1),
    )


def ratio_more(t: Parts, z: int, shift: int) -> Sequence[Any]:
    """The ratio of the two masses of a column, p > q, as printed."""
    x = z + shift
    return (
        t.plan(z, z) / t.plan(z + 1, z),
        ((1 - t.p) * (t.g(x) / t.g(x - 1)) + t.q) / (t.p - t.q),
    )


def repaired_more(t: Parts, z: int, shift: int = 0) -> Sequence[Any]:
    """Two equations: the mass beside the diagonal, and the ratio."""
    return (
        (t.plan(z + 1, z), t.plan(z, z) / t.plan(z + 1, z)),
        ((t.p - t.q) * t.g(z - shift), ((1 - t.p) + t.q * (t.g(z - 1) / t.g(z))) / (t.p - t.q)),
    )


def last_exchanged(shown: Display) -> Display:
    """The first side of a display against the last with p and q exchanged."""

    def exchanged(t: Parts, x: int) -> Sequence[Any]:
        other = Parts(t.f, t.g, t.plan, t.q, t.p, t.pair)
        return shown(t, x)[0], shown(other, x)[-1]

    return exchanged


def positive(*shifts: int) -> Callable[[Rest, int], bool]:
    """Where the masses of f(D_{-i}) that a display divides by are positive."""
    return lambda others, x: all(sum_of(others)[x + s] for s in shifts)


def of_plan(
    order: str,
    shown: Display,
    *,
    wrong: Display | None = None,
    defined: Callable[[Rest, int], bool] = lambda others, x: True,
    falls: Falls | None = None,
) -> Statement:
    """Return the statement that a display holds, for p and q in an order."""
    says = partial(said, shown, defined=defined)
    if wrong is None:
        return for_all(users(order, INTEGER), says, falls=falls)
    return for_all(
        users(order, INTEGER),
        says,
        wrong=partial(said, wrong, defined=defined),
        proof=proof(
            f"all {order}, all integer-valued f(D_-i) (where the quotients are finite)",
            ORDER[order],
            same_symbols(order, shown),
        ),
    )


TRIALS = {
    "ding2025/equation-22": {
        "": for_all(
            users(LESS, INTEGER),
            partial(minima, LESS),
            wrong=partial(minima, LESS, shift=1),
            proof=proof("all p < q, all integer-valued f(D_-i)", ORDER[LESS]),
        )
    },
    "ding2025/lemma-6/proof/support-p-less": {
        "a": for_all(
            users(LESS, INTEGER),
            partial(inside, LESS),
            wrong=partial(inside, LESS, forms=(0,)),
            proof=support(LESS),
        ),
        "b": for_all(users(LESS, INTEGER), partial(all_inside, LESS), falls=Falls.MISPRINT),
    },
    "ding2025/lemma-6/proof/diagonal-p-less": {
        "": of_plan(LESS, diagonal_less, wrong=last_exchanged(diagonal_less))
    },
    "ding2025/lemma-6/proof/off-diagonal-p-less": {
        "": of_plan(LESS, off_less, wrong=last_exchanged(off_less))
    },
    "ding2025/lemma-6/proof/ratio-p-less": {
        "": of_plan(LESS, ratio_less, wrong=ratio_less_inverted, defined=positive(-1))
    },
    "ding2025/equation-24": {
        "": for_all(
            users(MORE, INTEGER),
            partial(minima, MORE),
            wrong=partial(minima, MORE, shift=1),
            proof=proof("all p > q, all integer-valued f(D_-i)", ORDER[MORE]),
        )
    },
    "ding2025/lemma-6/proof/support-p-greater": {
        "a": for_all(
            users(MORE, INTEGER),
            partial(inside, MORE),
            wrong=partial(inside, MORE, forms=(0,)),
            proof=support(MORE),
        ),
        "b": for_all(users(MORE, INTEGER), partial(all_inside, MORE), falls=Falls.MISPRINT),
    },
    "ding2025/lemma-6/proof/diagonal-p-greater": {
        "": of_plan(MORE, diagonal_more, wrong=last_exchanged(diagonal_more))
    },
    "ding2025/lemma-6/proof/off-diagonal-p-greater": {
        "a": of_plan(MORE, partial(off_more, shift=0), falls=Falls.MISPRINT),
        "b": of_plan(MORE, partial(off_more, shift=1), wrong=partial(off_more, shift=2)),
    },
    "ding2025/lemma-6/proof/ratio-p-greater": {
        "a": of_plan(MORE, partial(ratio_more, shift=0), defined=positive(0, -1), falls=Falls.STEP),
        "b": of_plan(MORE, partial(ratio_more, shift=1), defined=positive(0), falls=Falls.STEP),
    },
    "ding2025/repair/lemma-6-plan": {
        "": of_plan(MORE, repaired_more, wrong=partial(repaired_more, shift=1), defined=positive(0))
    },
}
