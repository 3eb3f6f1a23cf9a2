"""The program of Hiding among the Clones: its numerical bounds, and its closed form."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Any

from exactdp.bounds import published
from exactdp.claims import Cases, Falls, Term, Trials, cases, function, listed, term
from exactdp.compare.adapters import apple_shuffling as calls
from exactdp.compare.adapters.apple_shuffling import IMPORTS, PROGRAM
from exactdp.side import Side
from exactdp.testing.deciding import HAIR
from exactdp.testing.later import st
from proofs_check.libraries.decreasing import Decreasing
from proofs_check.libraries.promises import Promise
from proofs_check.libraries.search import doubles, small, whole
from proofs_check.libraries.shuffling import clones, clones_delta, protocol, protocol_delta

__all__ = ["TRIALS"]

STEPS = (100, 10, 1, 1000)

# The program's example; fewer users; fewer than a step; large and small ε0.
USERS: tuple[dict[str, Any], ...] = (
    {"n": 10**5, "epsilon0": 4.0, "step": 100},
    {"n": 10**4, "epsilon0": 1.0, "step": 100},
    {"n": 20, "epsilon0": 1.0, "step": 1},
    {"n": 20, "epsilon0": 1.0, "step": 10},
    {"n": 20, "epsilon0": 1.0, "step": 100},
    {"n": 10, "epsilon0": 2.0, "step": 100},
    {"n": 2, "epsilon0": 0.5, "step": 1},
    {"n": 1, "epsilon0": 1.0, "step": 1},
    {"n": 10**3, "epsilon0": 6.0, "step": 10},
    {"n": 10**3, "epsilon0": 0.1, "step": 10},
)


def users() -> dict[str, Any]:
    """Return fields of the search: at most a hundred steps, which take a second."""
    return {"n": whole(100), "epsilon0": doubles(0.01, 10.0), "step": st.sampled_from(STEPS)}


@st.composite
def below(draw: st.DrawFn) -> dict[str, Any]:
    """Return users, as many as a hundred steps, and an ε below ε0, or 0."""
    found = {name: draw(one) for name, one in users().items()}
    found["n"] *= draw(st.sampled_from([1, found["step"]]))
    share = draw(st.sampled_from([0.1, 0.5, 0.2, 0.05, 0.9, 0.0, 0.01]))
    return {**found, "epsilon": found["epsilon0"] * share}


EPSILONS = listed(
    *(
        {**row, "iterations": iterations, "delta": delta}
        for iterations, delta, rows in (
            (10, 1e-6, USERS[:1]),
            (12, 1e-3, USERS),
            (20, 1e-10, USERS),
        )
        for row in rows
    )
).drawn(lambda: {**users(), "iterations": st.sampled_from([20, 10]), "delta": small(12)})
DELTAS = listed(
    *({**row, "epsilon": epsilon} for epsilon in (0.1, 0.17, 0.5, 0.01, 0.9, 0.0) for row in USERS)
).drawn(lambda: below())

WITHIN = listed(
    *(
        {"n": n, "epsilon0": 1.0, "step": step, "epsilon": epsilon}
        for n, step in ((10**4, 100), (1000, 10), (20, 1))
        for epsilon in (0.1, 0.0, 0.5, 0.9)
    )
).drawn(lambda: below())


def lost_by(side: Side) -> Falls:
    """Return the kind of an end's failure: of the lower end, rounding or the search's width."""
    return Falls.RESULT if side is Side.UPPER else Falls.ROUNDING


def epsilon_of(side: Side) -> Promise:
    """Return the promise of an end of ε."""
    return Promise(
        PROGRAM,
        IMPORTS,
        partial(calls.numerical_epsilon, side=side),
        "epsilon",
        clones,
        clones_delta,
        EPSILONS,
        side=side,
        shaved=Fraction(1, 2),
        tolerance=lambda epsilon0, iterations: Fraction(epsilon0) / 2**iterations,
        draws=30,
        falls=lost_by(side),
    )


def delta_of(side: Side) -> Promise:
    """Return the promise of an end of δ."""
    return Promise(
        PROGRAM,
        IMPORTS,
        partial(calls.numerical_delta, side=side),
        "delta",
        clones,
        clones_delta,
        DELTAS,
        side=side,
        shaved=Fraction(1, 2),
        draws=200,
        falls=lost_by(side),
    )


def both_deltas(n: int, epsilon0: float, epsilon: float, step: int) -> str:
    """Return the call for both ends, the upper one first."""
    sides = (Side.UPPER, Side.LOWER)
    ends = (calls.numerical_delta(n, epsilon0, epsilon, step, side) for side in sides)
    return f"[{', '.join(ends)}]"


def is_promised(n: int, epsilon0: float, delta: float) -> bool:
    """Return whether the paper's condition on ε0 holds."""
    stated = published("feldman2021/theorem-3.1").domain
    at = {"n": n, "epsilon0": Fraction(epsilon0), "delta": Fraction(delta)}
    return all(relation.holds() for relation in stated.relations(at))


@st.composite
def promised(draw: st.DrawFn) -> dict[str, Any]:
    """Return users and δ, and an ε0: any, or the largest that the paper's condition admits."""
    n, delta = draw(whole(10**7)), draw(small(100) | st.just(0.5))
    most = math.log(n / (16 * math.log(2 / delta))) * (1 - 2.0**-40)
    ends = [x for x in (most, most - 0.1, most / 2) if x > 0]
    epsilon0 = draw(st.sampled_from(ends) | doubles(0.01, 10.0) if ends else doubles(0.01, 10.0))
    return {"n": n, "epsilon0": epsilon0, "delta": delta}


def closed_form(n: int, epsilon0: float, delta: float) -> Term:
    """Return the program's formula: the paper's, with e^-(ε0 + e) where it has e^-ε0."""
    x, log = function("exp", Fraction(epsilon0)), function("log", 4 / Fraction(delta))
    grown = 8 * function("sqrt", x * log / n) + 8 * x / n
    factor = (1 - 1 / x) / (1 + 1 / (x * (1 + grown)))
    found: Term = function("log", term(1) + factor * grown)
    return found


PROMISED = (
    cases(
        n=(10**5, 10**4, 10**3),
        epsilon0=(4.0, 1.0, 0.5, 3.5, 0.1, 8.0),
        delta=(1e-6, 1e-3, 1e-10, 0.5),
    )
    .where(is_promised)
    .drawn(lambda: promised())
)


def closed(over: Cases, **more: Any) -> Promise:
    """Return a promise of the closed form."""
    return Promise(
        PROGRAM,
        IMPORTS,
        calls.closed_form,
        over=over,
        **more,
    )


NOT_BELOW = closed(
    cases(
        randomizer__k=(("k_rr", 2), ("k_rr", 10), ("k_rr_third", 3)),
        n=(10**5, 10**4, 10**3),
        epsilon0=(4.0, 1.0, 0.5, 3.5, 0.1),
        delta=(1e-6, 1e-3, 1e-10, 0.5),
    )
    .where(is_promised)
    .drawn(
        lambda: {
            "randomizer": st.just("k_rr_third"),
            "k": st.just(3),
            "n": whole(10**7),
            "epsilon0": doubles(0.01, 10.0),
            "delta": small(100),
        }
    ),
    asks="epsilon",
    law=protocol,
    delta=protocol_delta,
    shaved=Fraction(1, 20),
    draws=10,
)
NOT_ABOVE = closed(PROMISED, asks="loss", law=None, delta=closed_form, side=Side.LOWER)

TRIALS: Trials = {
    "libraries/apple-shuffling/numerical-upper-bound": epsilon_of(Side.UPPER).readings(),
    "libraries/apple-shuffling/numerical-lower-bound": epsilon_of(Side.LOWER).readings(),
    "libraries/apple-shuffling/delta-upper-bound": delta_of(Side.UPPER).readings(),
    "libraries/apple-shuffling/delta-lower-bound": delta_of(Side.LOWER).readings(),
    "libraries/apple-shuffling/delta-range": Decreasing(
        PROGRAM, IMPORTS, both_deltas, WITHIN, draws=100
    ).statement(),
    "libraries/apple-shuffling/closed-form": NOT_BELOW.readings(),
    "libraries/apple-shuffling/closed-form-formula": NOT_ABOVE.beyond(HAIR),
}
