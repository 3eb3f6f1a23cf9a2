"""Shuffled users: the truths that programs about shuffling bound, as profiles and as terms.

A pair of counts, or a protocol on one data set: the victim's row is P or Q, and all others hold
one input, whose row is M. So the view of n users is known exactly, at any n; its δ, the larger of
both directions, is at most that of the worst data.

Definitions: :func:`blanket`, :func:`blanket_delta`, :func:`clones`, :func:`clones_delta`,
:func:`letters`, :func:`letters_delta`, :func:`protocol`, :func:`protocol_delta`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

from exactdp.claims import (
    Term,
    function,
    hockey_stick,
    named,
    positive_part,
    shuffle_pair,
    term,
)
from exactdp.divergences import PrivacyProfile
from exactdp.numbers import Epsilon, Exact
from exactdp.shuffle import CountPair, Hidden, HiddenVictim, variation_ratio_pair

__all__ = [
    "PROTOCOLS",
    "blanket",
    "blanket_delta",
    "clones",
    "clones_delta",
    "letters",
    "letters_delta",
    "protocol",
    "protocol_delta",
]

_MOST_USERS = 64
"""Users up to which the kernel has the laws; a term is None above."""

Power = Callable[[Fraction], Any]
"""A share s to e^(s ε0): a number of the engine, or a term."""
Rows = tuple[Sequence[Any], Sequence[Any], Sequence[Any]]


@lru_cache(maxsize=1024)
def clones(n: int, epsilon0: float) -> PrivacyProfile:
    """Return the pair of the clones of Feldman, McMillan and Talwar 2021.

    As a victim among users who send a letter or nothing; it is the same in both directions.
    """
    x = Epsilon.rational(Fraction(epsilon0)).exp
    a, b, r = x / (x + 1), 1 / (x + 1), 1 / (2 * x)
    messages = [(a, b, r), (b, a, r), (Exact(0), Exact(0), 1 - 2 * r)]
    return HiddenVictim(n, Hidden.of(messages))


def clones_delta(n: int, epsilon0: float, epsilon: Fraction) -> Term | None:
    """Return its δ."""
    x = named("x", function("exp", Fraction(epsilon0)))
    a, b, r = x / (x + 1), 1 / (x + 1), 1 / (2 * x)
    return _stick(n, ([a, b, 0], [b, a, 0], [r, r, 1 - 2 * r]), epsilon)


@lru_cache(maxsize=1024)
def letters(n: int, p: float, beta: float, q: float) -> CountPair:
    """Return the pair of the variation-ratio reduction of Wang et al. 2023, q0 = q1 = q."""
    return variation_ratio_pair(n, p=Fraction(p), beta=Fraction(beta), q=Fraction(q))


def letters_delta(n: int, p: float, beta: float, q: float, epsilon: Fraction) -> Term | None:
    """Return its δ."""
    ratio, b = Fraction(p), Fraction(beta) / (Fraction(p) - 1)
    a, r = ratio * b, ratio * b / Fraction(q)
    none = 1 - a - b
    return _stick(n, ([a, b, none], [b, a, none], [r, r, 1 - 2 * r]), epsilon)


def _responses(k: int, power: Power) -> Rows:
    """Return k-ary randomized response, all others on the victim's first input."""
    x = power(Fraction(1))
    s = x + (k - 1)
    rest = [(k - 2) / s] * (k > 2)
    first, second = [x / s, 1 / s, *rest], [1 / s, x / s, *rest]
    return first, second, first


def _third(k: int, power: Power) -> Rows:
    """Return the same of k > 2 inputs, all others on a third one."""
    x = power(Fraction(1))
    s = x + (k - 1)
    first, second, _ = _responses(k, power)
    return first, second, [1 / s, 1 / s, (x + (k - 3)) / s]


def _rappor(k: int, power: Power) -> Rows:
    """Return One-hot vectors of two bits, each flipped with probability 1/(1 + h), h = e^(ε0/2).

    All others hold the victim's first input; 00 and 11 tell the same.
    """
    h = power(Fraction(1, 2))
    s = (h + 1) ** k
    first, second = [h * h / s, 1 / s, 2 * h / s], [1 / s, h * h / s, 2 * h / s]
    return first, second, first


def _laplace(k: int, power: Power) -> Rows:
    """Laplace noise 1/ε0 on [0, 1], the victim's 0 becomes 1, others hold 0.

    The analyzer is shown which of k equal parts of [0, 1] a message is in, or on which side: a
    post-processing.
    """
    at = [power(Fraction(-i, k)) for i in range(k + 1)]  # P(X > i/k) = e^(−ε0 i/k)/2
    inside = [(x - y) / 2 for x, y in pairwise(at)]
    half = at[0] / 2
    first = [half, *inside, at[-1] / 2]
    return first, first[::-1], first


def _blanket(adversary: str, k: int, gamma: Any) -> Rows:
    """Return k-ary randomized response whose others show if they are of the blanket, of mass γ.

    Who is not of it sends what the analyzer knows. The victim's is shown, too (strong), or not.
    """
    each = gamma / k
    rest = [each * (k - 2)] * (k > 2)
    if adversary == "strong":
        return [1, 0, 0], [0, 1, 0], [each, each, 1 - 2 * each]
    true = 1 - gamma + each
    return [true, each, *rest, 0], [each, true, *rest, 0], [each, each, *rest, 1 - gamma]


@lru_cache(maxsize=1024)
def blanket(adversary: str, n: int, k: int, gamma: float) -> PrivacyProfile:
    """Return the profile of n shuffled users whose blanket is seen."""
    rows = _blanket(adversary, k, Exact(Fraction(gamma)))
    exact = ([Exact(x) if isinstance(x, int) else x for x in row] for row in rows)
    return HiddenVictim(n, Hidden.of(zip(*exact, strict=True))).both_directions()


def blanket_delta(adversary: str, n: int, k: int, gamma: float, epsilon: Fraction) -> Term | None:
    """Return its δ: it is the same in both directions."""
    return _stick(n, _blanket(adversary, k, Fraction(gamma)), epsilon)


PROTOCOLS = {
    "k_rr": _responses,
    "k_rr_third": _third,
    "rappor": _rappor,
    "laplace": _laplace,
}


@lru_cache(maxsize=1024)
def protocol(randomizer: str, k: int, n: int, epsilon0: float) -> PrivacyProfile:
    """Return the profile of n shuffled users of an ε0-private randomizer on one data set."""

    def power(share: Fraction) -> Any:
        return Epsilon.rational(Fraction(epsilon0) * share).exp

    rows = PROTOCOLS[randomizer](k, power)
    return HiddenVictim(n, Hidden.of(zip(*rows, strict=True))).both_directions()


def protocol_delta(
    randomizer: str, k: int, n: int, epsilon0: float, epsilon: Fraction
) -> Term | None:
    """Return its δ."""

    def power(share: Fraction) -> Any:
        return function("exp", Fraction(epsilon0) * share) if share else term(1)

    p, q, m = PROTOCOLS[randomizer](k, power)
    forward, back = (_stick(n, rows, epsilon) for rows in ((p, q, m), (q, p, m)))
    if forward is None or back is None:
        return None
    larger: Term = forward + positive_part(back - forward)
    return larger


def _stick(n: int, rows: Rows, epsilon: Fraction) -> Term | None:
    """Return δ of a victim with the first two rows among n − 1 others with the third."""
    if n ** (len(rows[0]) - 1) > _MOST_USERS**2:
        return None
    view = shuffle_pair([list(row) for row in rows], inputs=(0, 1), others=[(2, n - 1)])
    return hockey_stick(view, function("exp", term(epsilon)))
