"""Random batches: the sentences of abstracts, compared with the truth of one step of T.

Poisson subsampling has, at every ε, at most the probability that the record is in some batch.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, Literal

from exactdp.accounting import dp_sgd
from exactdp.claims import (
    Cases,
    Falls,
    Open,
    Outcome,
    Relation,
    Trials,
    at_most,
    cases,
    decided,
    for_all,
    integers,
    listed,
    named,
    reals,
    rows,
    some,
    term,
)
from exactdp.divergences import PrivacyProfile
from exactdp.divergences.profile import enclosed
from exactdp.mechanisms import gaussian_mechanism
from exactdp.numbers import Enclosure, Epsilon
from exactdp.truth import Truth
from proofs_check.libraries.allocation import allocated

__all__ = ["TRIALS"]

DELTA = Fraction(1, 10**5)
Batches = Literal["poisson", "balls_and_bins"]


@lru_cache(maxsize=256)
def epoch(noise: Fraction, steps: int, batches: Batches) -> PrivacyProfile:
    """Return the truth of an epoch of so many batches, the larger of both directions."""
    return dp_sgd(noise, Fraction(1, steps), steps, batches=batches)


def no_more(noise: Fraction, steps: int, epsilon: Fraction, part: int = 1) -> Relation:
    """Compare a lower bound on δ of one step of T with an upper one of Poisson subsampling."""
    bound = named("some_batch", (1 - (1 - term(Fraction(1, steps))) ** steps) / part)
    found = allocated(noise, steps, epsilon)  # type: ignore[arg-type]
    assert found is not None
    return at_most(named("in_one_batch", found), bound)


@lru_cache(maxsize=256)
def deltas(noise: Fraction, steps: int, epsilon: Fraction) -> tuple[Enclosure, Enclosure]:
    """Return δ of one step of T, and of Poisson subsampling."""
    at = Epsilon.rational(epsilon)
    one, poisson = (
        enclosed(epoch(noise, steps, batches).delta(at, relative_width="1/10"), "1/10")
        for batches in ("balls_and_bins", "poisson")
    )
    return one, poisson


def smaller(
    noise: Fraction, steps: int, epsilon: Fraction, factor: Fraction = Fraction(1)
) -> Outcome:
    """Say that δ of one step is below that of Poisson subsampling, or a part of it."""
    one, poisson = deltas(noise, steps, epsilon)
    return decided(Truth.of(one.upper < factor * poisson.lower), "one step")


def apart(noise: Fraction, rate: Fraction, steps: int, most: Fraction = Fraction("1.1")) -> Outcome:
    """Say that ε is below ``most`` with Poisson subsampling, and above 10 with half the noise."""
    poisson, fixed = (
        enclosed(training.delta(Epsilon.rational(at), relative_width="1/2"), "1/2")
        for training, at in (
            (dp_sgd(noise, rate, steps), most),
            (dp_sgd(noise / 2, rate, steps), Fraction(10)),
        )
    )
    return decided(Truth.of(poisson.upper <= DELTA < fixed.lower), "both")


def sent(
    sigma: Fraction, epsilon: Fraction, root: int, more: Fraction, *, is_above: bool = False
) -> Outcome:
    """Say that root² blocks, each sent with probability 1/64, need at most so much more noise.

    A vector of norm 1 has 1/root in each block, which is sent as 64/root; without sampling noise
    of sigma has some δ at epsilon. Or say that they need more.
    """
    blocks = dp_sgd(sigma * (1 + more) * root / 64, Fraction(1, 64), root**2)
    found, allowed = (
        enclosed(one.delta(Epsilon.rational(epsilon), relative_width="1/100"), "1/100")
        for one in (blocks, gaussian_mechanism(sigma=sigma))
    )
    holds = found.lower > allowed.upper if is_above else found.upper <= allowed.lower
    return decided(Truth.of(holds), f"{root**2} blocks")


EVERY = cases(
    noise=(Fraction(3, 10), Fraction(1), Fraction(1, 10)),
    steps=(2, 10),
    epsilon=(Fraction(1), Fraction(0)),
).within(noise=reals(above=0), steps=integers(1), epsilon=reals(0))
PRACTICAL = [
    {"noise": Fraction(noise), "steps": steps, "epsilon": Fraction(epsilon)}
    for noise, steps, epsilon in (
        ("0.7", 10, "4"),
        ("1", 10, "2"),
        ("1", 100, "1"),
    )
]
"""Poisson subsampling has δ from 6e-7 to 5e-4."""
REALISTIC = {"noise": Fraction(7, 10), "rate": Fraction(1, 1000), "steps": 3000}


VECTORS = [
    {"sigma": Fraction(sigma), "epsilon": Fraction(epsilon), "root": 128}
    for sigma, epsilon in (("4.22", "1"), ("36.3", "0.1"))
]
"""With a δ of about 1e-6; 2^14 blocks, of 512 coordinates where there are 2^23."""
OVERHEAD, LARGE = Fraction(1, 100), {"sigma": Fraction("4.22"), "epsilon": Fraction(1), "root": 16}


def one(values: dict[str, Any]) -> Cases:
    """Return one instance."""
    return listed(values)


FALLS = for_all(EVERY, no_more, falls=Falls.RESULT, unit="δ")
HOLDS = for_all(
    listed(*PRACTICAL).all_of(**rows(*PRACTICAL)),
    smaller,
    wrong=partial(smaller, factor=Fraction(1, 100)),
    falls=Falls.RESULT,
)

TRIALS: Trials = {
    "records/random-batches/balls-and-bins": {"a": FALLS, "b": HOLDS},
    "records/random-batches/balanced": {
        "a": FALLS,
        "b": some(
            one(PRACTICAL[1]),
            smaller,
            wrong=partial(smaller, factor=Fraction(0)),
            falls=Falls.RESULT,
        ),
    },
    "records/random-batches/trade-off": {"a": FALLS, "b": HOLDS},
    "records/random-batches/rate": {
        "a": FALLS,
        "b": Open(
            "what is of lower order decides it: it holds with probability 1, and not with k/t",
            ("the o(1)",),
            for_all(
                listed({"rate": Fraction(1, 2)}, {"rate": Fraction(1)}),
                lambda rate: at_most(
                    named("in_one_batch", allocated(Fraction(3, 10), 2, Fraction(1))),  # type: ignore[arg-type]
                    1 - (1 - term(rate)) ** 2,
                ),
            ),
        ),
    },
    "records/random-batches/blocks": {
        "a": for_all(
            listed(*VECTORS).all_of(**rows(*VECTORS)),
            partial(sent, more=OVERHEAD),
            wrong=partial(sent, more=-OVERHEAD),
            falls=Falls.RESULT,
        ),
        "b": some(
            one(LARGE),
            partial(sent, more=OVERHEAD, is_above=True),
            wrong=partial(sent, more=Fraction(9), is_above=True),
            falls=Falls.RESULT,
        ),
    },
    "records/random-batches/without-replacement": some(
        one(REALISTIC), apart, wrong=partial(apart, most=Fraction(1, 10)), falls=Falls.RESULT
    ),
}
