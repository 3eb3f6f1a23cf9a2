"""The quantities that several papers bound, from below by protocols, from above by theorems.

Definitions: :func:`shuffled`, :func:`shuffled_at`, :func:`k_ary`, :func:`k_ary_at`,
:func:`composed`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

from exactdp.accounting import composed_randomized_response
from exactdp.bounds import BoundedNumber, asked_between, one_number
from exactdp.divergences import Pair
from exactdp.divergences.questions import Question
from exactdp.mechanisms import randomized_response
from exactdp.numbers import Epsilon, Exact
from exactdp.shuffle import (
    CountPair,
    Hidden,
    HiddenVictim,
    Named,
    clone_pair,
    stronger_clone_pair,
)

__all__ = [
    "OF_K_ARY",
    "OF_SHUFFLED",
    "composed",
    "k_ary",
    "k_ary_at",
    "local_guarantee",
    "shuffled",
    "shuffled_at",
]

OF_SHUFFLED = "n shuffled users of any ε0-private randomizer, for all data"

OF_K_ARY = "n shuffled users of k-ary randomized response, for all data"


@lru_cache(maxsize=64)
def shuffled(n: int, epsilon0: Fraction) -> tuple[tuple[Named, ...], tuple[Named, ...]]:
    """Return profiles below and above the worst case of n shuffled ε0-private randomizers.

    Below: k-ary randomized response. If all others hold a third input, the counts of the victim's
    two messages tell all. Above: hiding among clones (a theorem in Coq), and the guarantee of one
    report alone.
    """
    local = Epsilon.rational(epsilon0)
    x = local.exp
    below = [
        Named(
            "3-ary randomized response, all others on a third input",
            CountPair(n, x / (x + 2), 1 / (x + 2), 1 / (x + 2)),
        )
    ]
    if n > 1 and epsilon0:
        rows = randomized_response(2, local).rows
        messages = [(rows[0][y], rows[1][y], rows[0][y]) for y in (0, 1)]
        words = "binary randomized response, all others on the victim's input"
        below.append(Named(words, HiddenVictim(n, Hidden.of(messages))))
    above = (
        Named("hiding among clones (feldman2021/reduction)", clone_pair(n, local)),
        local_guarantee(local),
    )
    return tuple(below), above


def shuffled_at(name: str = "delta") -> Callable[..., BoundedNumber]:
    """Return the need of n shuffled ε0-private users, at an argument of that name.

    Args:
        name: ``delta``: the smallest ε for it; ``epsilon``: δ there; ``order``: the Rényi
            divergence.
    """

    def target(**at: Any) -> BoundedNumber:
        below, above = shuffled(at["n"], at["epsilon0"])
        asked = _point(name, at[name])
        return asked_between(below, above, lambda one: Question(one.profile, asked))

    return target


def local_guarantee(local: Epsilon) -> Named:
    """Return the profile of one report: binary randomized response, the worst for its ε0."""
    x = local.exp
    one = Pair.from_masses([x / (x + 1), 1 / (x + 1)], [1 / (x + 1), x / (x + 1)])
    return Named("the local guarantee", one)


@lru_cache(maxsize=64)
def k_ary(n: int, k: int, local: Epsilon) -> tuple[tuple[Named, ...], tuple[Named, ...]]:
    """Return profiles below and above the worst case of n shuffled users of k-ary response.

    Below: the views whose others all hold a third input, or the victim's, exactly. Above: the
    privacy blanket and the stronger clones, which are proved for this randomizer.
    """
    x = local.exp
    each = 1 / (x + k - 1)
    rest = (k - 2) * each
    letters = ((x * each, each), (each, x * each))

    def view(first: Exact, second: Exact, others: Exact) -> HiddenVictim:
        """Return the others send the victim's two messages with these masses."""
        known = [(*letters[0], first), (*letters[1], second), (rest, rest, others)]
        return HiddenVictim(n, Hidden.of(known))

    below = [
        Named("all others on the victim's input", view(x * each, each, rest)),
    ]
    if k > 2:
        third = (each, each, x * each)
        fourth = ((k - 3) * each,) * 3
        hidden = Hidden.of([(*letters[0], each), (*letters[1], each), third, fourth])
        below.append(Named("all others on a third input", HiddenVictim(n, hidden)))
    above = (
        Named("the privacy blanket (balle2019/reduction)", view(each, each, rest)),
        Named(
            "the stronger clones, proved for k-ary response (feldman2023/repair/k-rr-two-letters)",
            stronger_clone_pair(n, local),
        ),
        local_guarantee(local),
    )
    return tuple(below), above


def k_ary_at(name: str = "delta") -> Callable[..., BoundedNumber]:
    """Return the need of n shuffled users of k-ary response, at an argument (see shuffled_at)."""

    def target(**at: Any) -> BoundedNumber:
        below, above = k_ary(at["n"], at["k"], Epsilon.rational(at["epsilon0"]))
        asked = _point(name, at[name])
        return asked_between(below, above, lambda one: Question(one.profile, asked))

    return target


def composed(k: int, epsilon: Fraction, delta: Fraction) -> BoundedNumber:
    """Return the smallest ε for a δ of k ε-private steps: of randomized response, exactly."""
    profile = composed_randomized_response(Epsilon.rational(epsilon), k)
    words = "k-fold randomized response (optimal composition)"
    return one_number(words, Question(profile, Exact(delta)))


def _point(name: str, value: Fraction) -> Epsilon | Exact | Fraction:
    if name == "delta":
        return Exact(value)
    return Epsilon.rational(value) if name == "epsilon" else value
