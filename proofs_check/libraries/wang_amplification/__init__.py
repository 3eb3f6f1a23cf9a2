"""The program of the variation-ratio reduction: bounds of ε, and δ of its pair of counts."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

from exactdp.claims import Cases, Falls, Statement, Trials, cases, listed
from exactdp.compare.adapters import wang_amplification as calls
from exactdp.compare.adapters.wang_amplification import IMPORTS, PROGRAM
from exactdp.side import Side
from exactdp.testing.later import st
from proofs_check.libraries.promises import Promise
from proofs_check.libraries.search import doubles, small, whole
from proofs_check.libraries.shuffling import (
    letters,
    letters_delta,
    protocol,
    protocol_delta,
)

__all__ = ["TRIALS"]

# Binary and 10-ary randomized response, another β, large p, and others who send less.
PAIRS: tuple[dict[str, Any], ...] = (
    {"p": 3.0, "beta": 0.1875, "q": 3.0},
    {"p": 3.0, "beta": 0.5, "q": 3.0},
    {"p": 2.0, "beta": 0.25, "q": 2.0},
    {"p": 20.0, "beta": 0.5, "q": 20.0},
    {"p": 2.0, "beta": 0.25, "q": 8.0},
)
# T of the program's own run, whose 10^6 users take a minute: so fewer here.
THEIRS = {**PAIRS[0], "n": 1000, "delta": 1e-5, "iterations": 12}


def drawn(**more: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Return a pair, β at most (p − 1)/(p + 1), of few users, and more fields."""

    def fields(p: float, share: float, less: float, n: int, **rest: Any) -> dict[str, Any]:
        beta = share * (p - 1) / (p + 1) * (1 - 2.0**-40)
        return {"p": p, "beta": beta, "q": p * less, "n": n, **rest}

    shares, factors = st.sampled_from([1.0, 0.5, 0.1]), st.sampled_from([1.0, 2.0])
    return st.builds(fields, doubles(1.25, 1e3), shares, factors, whole(20, least=2), **more)


EPSILONS = listed(
    THEIRS,
    *(
        {**pair, "n": n, "delta": delta, "iterations": iterations}
        for iterations in (12, 20)
        for n, delta in ((50, 1e-3), (50, 1e-6), (2, 1e-3), (10, 1e-10))
        for pair in PAIRS
    ),
).drawn(lambda: drawn(delta=small(30), iterations=st.sampled_from([12, 20])))
DELTAS = listed(
    *(
        {**pair, "n": n, "epsilon": epsilon, "tol": tol}
        for tol in (1e-60, 1e-12)
        for n, epsilon in ((200, 0.1), (50, 0.5), (2, 0.1), (10, 0.0), (50, 0.65))
        for pair in PAIRS
    ),
    # δ of 1.8e-29 and 2.5e-26, where tails of 1e-16 and less are lost.
    {**PAIRS[2], "n": 62, "epsilon": 0.66, "tol": 1e-60},
    {**PAIRS[2], "n": 60, "epsilon": 0.65, "tol": 1e-60},
).drawn(lambda: drawn(epsilon=doubles(0.001, 2.0), tol=st.just(1e-60)))


def bound(
    name: str, side: Side, call: Any, over: Cases, law: Any, delta: Any, draws: int = 3
) -> dict[str, Statement]:
    """Return the readings of an end of ε."""
    return Promise(
        PROGRAM,
        IMPORTS,
        partial(call, name),
        "epsilon",
        law,
        delta,
        over,
        side=side,
        shaved=Fraction(9, 10),
        draws=draws,
    ).readings()


def of_pair(
    name: str, p: float, beta: float, q: float, n: int, delta: float, iterations: int
) -> str:
    """Return the call for a bound of the pair's ε."""
    return calls.end_of_pair(name, repr(p), repr(beta), repr(q), n, delta, iterations)


ROWS = (
    ("k_rr", "k_rr_third", 10),
    ("k_rr", "k_rr", 2),
    ("general", "k_rr", 2),
    ("general", "k_rr_third", 3),
    ("k_rr", "k_rr", 10),
    ("rappor", "rappor", 2),
    ("laplace", "laplace", 2),
)
OF_RANDOMIZERS = cases(
    row__randomizer__k=ROWS,
    epsilon0=(1.0, 3.0, 0.5),
    n__delta=((50, 1e-3), (2, 1e-3)),
    iterations=(20,),
).drawn(
    lambda: st.builds(
        lambda row, **rest: dict(zip(("row", "randomizer", "k"), row, strict=True)) | rest,
        st.sampled_from(ROWS),
        epsilon0=doubles(0.1, 8.0),
        n=whole(50, 2),
        delta=small(10),
        iterations=st.just(20),
    )
)
BINARY = cases(  # of two users the other's input is one of two: the larger direction is the worst
    row=("k_rr",),
    randomizer__k=(("k_rr", 2),),
    epsilon0=(1.0, 3.0, 0.5),
    n=(2,),
    delta=(1e-3, 0.1, 1e-6),
    iterations=(20,),
).drawn(
    lambda: {
        "row": st.just("k_rr"),
        "randomizer": st.just("k_rr"),
        "k": st.just(2),
        "epsilon0": doubles(0.1, 8.0),
        "n": st.just(2),
        "delta": small(10),
        "iterations": st.just(20),
    }
)


def delta_of(side: Side) -> Statement:
    """Return that δ is not on the wrong side by more than 1e-6, relatively."""
    return Promise(
        PROGRAM,
        IMPORTS,
        lambda p, beta, q, n, epsilon, tol: (
            f"(lambda a, r: program.Delta({epsilon!r}, a, r, r, {n}, {p!r}, {tol!r}))"
            f"({beta!r} / ({p!r} - 1), {beta!r} / ({p!r} - 1) * {p!r} / {q!r})"
        ),
        "delta",
        letters,
        letters_delta,
        DELTAS,
        side=side,
        draws=3,
        falls=Falls.ROUNDING,
    ).beyond(Fraction(1, 10**6))


LOWER = bound("LB", Side.LOWER, of_pair, EPSILONS, letters, letters_delta)
LOWER_BINARY = bound("LB", Side.LOWER, calls.tabulated, BINARY, protocol, protocol_delta)

TRIALS: Trials = {
    "libraries/wang-amplification/upper-bound": bound(
        "UB", Side.UPPER, of_pair, EPSILONS, letters, letters_delta
    ),
    "libraries/wang-amplification/upper-bound-of-randomizers": bound(
        "UB", Side.UPPER, calls.tabulated, OF_RANDOMIZERS, protocol, protocol_delta, draws=40
    ),
    "libraries/wang-amplification/lower-bound": LOWER
    | dict(zip("cd", LOWER_BINARY.values(), strict=True)),
    "libraries/wang-amplification/delta": {
        "a": delta_of(Side.UPPER),
        "b": delta_of(Side.LOWER),
    },
}
