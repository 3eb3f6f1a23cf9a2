"""The bounds that the paper published, as people run them; the authors have withdrawn most."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from exactdp.bounds import BoundedNumber, PublishedBound, asked_between
from exactdp.claims.domains import Domain
from exactdp.claims.forms import at_most
from exactdp.claims.kinds import integers, reals
from exactdp.claims.terms import formula
from exactdp.divergences import Pair
from exactdp.divergences.questions import Question
from exactdp.numbers import Epsilon, Exact
from exactdp.shuffle import CountPair, Hidden, HiddenVictim, Named, stronger_clone_pair
from proofs_check.feldman2023 import bounds
from proofs_check.lemmas.counted import Letters, counted, k_ary_letters
from proofs_check.lemmas.targets import (
    OF_K_ARY,
    OF_SHUFFLED,
    k_ary,
    k_ary_at,
    local_guarantee,
    shuffled_at,
)

CLONES = "feldman2021/reduction (clones), for general randomizers"
PROVED = "feldman2023/repair/reduction-two-letters, where p = 1/(e^ε0 + 1)"

USERS = {"n": integers(1), "epsilon0": reals(0)}


def exp(x: Any) -> Any:
    """Return e^x as a term."""
    return formula(lambda f, *, x: f.exp(x), x=x)


def stronger(f: Any, *, epsilon0: Any, **_: Any) -> Letters:
    """Return a = e^eps0/(e^eps0 + 1), b = r = 1/(e^eps0 + 1)."""
    x = f.exp(epsilon0)
    alone = f.expm1(epsilon0) / (x + 1)
    return Letters(x / (x + 1), 1 / (x + 1), 1 / (x + 1), loss=epsilon0, rest=0, alone=alone)


def with_p(f: Any, *, epsilon0: Any, p: Any, **_: Any) -> Letters:
    """Return a = e^eps0 p, b = r = p, of Lemma 3.5."""
    return Letters(f.exp(epsilon0) * p, p, p, loss=epsilon0)


def approximate(f: Any, *, n: int, epsilon: Any, epsilon0: Any, delta0: Any) -> Letters:
    """Return the stronger clones with (e^eps + 1)(1 + e^-eps0/2) n delta0 more."""
    one = stronger(f, epsilon0=epsilon0)
    more = (f.exp(epsilon) + 1) * (1 + f.exp(-epsilon0) / 2) * n * delta0
    return replace(one, more=more)


def decomposed(n: int, epsilon0: Fraction, p: Fraction, epsilon: Fraction) -> BoundedNumber:
    """Return δ of randomizers with the decomposition of Lemma 3.5 for a p.

    Below: leftovers of one law; and, if e^ε0-private rows allow it, p <= 1/(e^ε0 + 2), a leftover
    of the victim's that no other user has. Above: all leftovers shown.
    """
    x, q = Epsilon.rational(epsilon0).exp, Exact(p)
    rest = 1 - q - x * q
    letters = [(x * q, q, q), (q, x * q, q), (rest, rest, Exact(0))]
    shown = HiddenVictim(n, Hidden.of([*letters, (Exact(0), Exact(0), 1 - 2 * q)]))
    below = [Named("leftovers of one law", CountPair(n, x * q, q, q))]
    if q * (x + 2) <= 1:
        below.append(Named("the victim has a leftover of its own", shown))
    above = [Named("all leftovers are shown (data processing)", shown)]
    there = Epsilon.rational(epsilon)
    return asked_between(below, above, lambda one: Question(one.profile, there))


def two_letters(n: int, epsilon0: Fraction, epsilon: Fraction) -> BoundedNumber:
    """Return δ of randomizers that are above the victim's two letters.

    Below: 3-ary response. Above: the stronger clones (a theorem in Coq).
    """
    local = Epsilon.rational(epsilon0)
    below, _ = k_ary(n, 3, local)
    above = [
        Named("the stronger clones (this theorem)", stronger_clone_pair(n, local)),
        local_guarantee(local),
    ]
    there = Epsilon.rational(epsilon)
    return asked_between(below, above, lambda one: Question(one.profile, there))


def approximately_private(
    n: int, epsilon0: Fraction, delta0: Fraction, epsilon: Fraction
) -> BoundedNumber:
    """Return δ of n users of one (ε0, δ0)-private randomizer.

    Below: 3-ary response that tells its input with probability δ0, all others on a third input.
    Above: the guarantee of one report alone.
    """
    x, t, none = Epsilon.rational(epsilon0).exp, Exact(delta0), Exact(0)
    high, low = (1 - t) * x / (x + 2), (1 - t) / (x + 2)
    told = [(t, none, none), (none, t, none), (none, none, t)]
    response = [(high, low, low), (low, high, low), (low, low, high)]
    below = [
        Named(
            "3-ary response that tells the input with probability δ0, all others on a third input",
            HiddenVictim(n, Hidden.of([*told, *response])),
        )
    ]
    high, low = (1 - t) * x / (x + 1), (1 - t) / (x + 1)
    local = Pair.from_masses([t, high, low, none], [none, low, high, t])
    above = [Named("the local guarantee", local)]
    there = Epsilon.rational(epsilon)
    return asked_between(below, above, lambda one: Question(one.profile, there))


BOUNDS = [
    counted(
        "feldman2023/stronger-clones",
        stronger,
        domain=Domain({**USERS, "epsilon": reals(0)}),
        of=OF_SHUFFLED,
        truth=shuffled_at("epsilon"),
        instead=CLONES,
    ),
    counted(
        "feldman2023/lemma-3.5",
        with_p,
        domain=Domain(
            {**USERS, "p": reals(above=0, most="1/2"), "epsilon": reals(0)},
            (lambda epsilon0, p: at_most(p * (exp(epsilon0) + 1), 1),),
        ),
        of="n shuffled users, ε0-private, whose rows have the decomposition with one p",
        truth=decomposed,
        instead=PROVED,
        units={"p": "a probability"},
    ),
    counted(
        "feldman2023/repair/reduction-two-letters",
        stronger,
        domain=Domain({**USERS, "epsilon": reals(0)}),
        of="n shuffled users whose rows are at least 1/(e^ε0 + 1) of the sum of the victim's two",
        truth=two_letters,
    ),
    counted(
        "feldman2023/k-rr",
        k_ary_letters,
        domain=Domain({**USERS, "k": integers(2), "epsilon": reals(0)}),
        of=OF_K_ARY,
        truth=k_ary_at("epsilon"),
        instead=PROVED + ", or the privacy blanket (balle2019/reduction)",
    ),
    PublishedBound(
        "feldman2023/closed-form",
        bounds.amplified,
        Domain(
            {**USERS, "delta": reals(above=0, most=1)},
            (
                lambda n, epsilon0, delta: at_most(
                    exp(epsilon0), formula(bounds.largest_exp_epsilon0, n=n, delta=delta)
                ),
            ),
        ),
        bounds="epsilon",
        of=OF_SHUFFLED,
        truth=shuffled_at(),
        stable=bounds.amplified_stably,
        instead=f"feldman2021/theorem-3.1, or {CLONES}",
    ),
    counted(
        "feldman2023/approximate",
        approximate,
        domain=Domain({**USERS, "delta0": reals(0, below=1), "epsilon": reals(0)}),
        of="n shuffled users of one (ε0, δ0)-private randomizer, for all data",
        truth=approximately_private,
    ),
]
