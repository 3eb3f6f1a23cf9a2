"""The bounds that the paper publishes, as people run them."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from exactdp.bounds import BoundedNumber, PublishedBound, asked_between, one_number
from exactdp.claims.domains import Domain
from exactdp.claims.forms import at_least, at_most
from exactdp.claims.kinds import Numbers, integers, reals
from exactdp.claims.terms import formula
from exactdp.divergences.questions import Question
from exactdp.numbers import Epsilon, Exact
from exactdp.numbers.real_functions import evaluate
from exactdp.shuffle import CountPair, Hidden, HiddenVictim, Named, variation_ratio_pair
from proofs_check.lemmas.counted import Letters, counted, k_ary_letters
from proofs_check.lemmas.targets import OF_K_ARY, k_ary_at
from proofs_check.wang2023 import bounds
from proofs_check.wang2023.parameters import PARAMETERS

LETTER = "wang2023/repair/given-a-letter"
INSTEAD = f"{LETTER}; for one known randomizer the privacy blanket (balle2019/reduction)"

UNITS = {"p": "the largest ratio of the victim's rows", "beta": "their total variation",
         "q": "the largest ratio of the victim's rows to others'"}  # fmt: skip

OF_PAIR = "the pair of counts of n users"
OF_RATIOS = (
    "n shuffled users, the victim's rows with ratios <= p, total variation <= β, <= q others'"
)

RATIOS: dict[str, Numbers] = {
    "p": reals(above=1),
    "beta": reals(above=0, most=lambda p: (p - 1) / (p + 1)),
    "q": reals(1),
}


def few_letters(p: Any, beta: Any, q: Any) -> Any:
    """Return 2r <= 1: others send each letter with probability r."""
    return at_most(2 * beta * p, (p - 1) * q)


RATIOS_AT = Domain({"n": integers(1), **RATIOS, "epsilon": reals(0)}, (few_letters,))


def letters(f: Any, *, p: Any, beta: Any, q: Any, **_: Any) -> Letters:
    """Return a = p alpha, b = alpha, r = alpha p/q, alpha = beta/(p - 1)."""
    alpha = beta / (p - 1)
    return Letters(p * alpha, alpha, alpha * p / q, gap=beta)


def labeled(f: Any, *, p: Any, beta: Any, q: Any, **_: Any) -> Letters:
    """Return the letters of a victim who sends one, with the weight alpha + p alpha."""
    alpha = beta / (p - 1)
    return Letters(
        p / (p + 1),
        1 / (p + 1),
        alpha * p / q,
        weight=alpha + p * alpha,
        gap=(p - 1) / (p + 1),
        rest=0,
    )


def with_ratios(
    n: int, p: Fraction, beta: Fraction, q: Fraction, epsilon: Fraction
) -> BoundedNumber:
    """Return δ of randomizers with these ratios.

    Below: leftovers of one law; and a leftover of the victim's that others send as rarely as the
    ratio q allows. Above: the victim's leftover is shown (a theorem in Coq).
    """
    alpha = Exact(beta) / (p - 1)
    r, rest = alpha * p / q, 1 - alpha - p * alpha
    rows = [(p * alpha, alpha, r), (alpha, p * alpha, r)]

    def hidden(least: Exact) -> HiddenVictim:
        other = (Exact(0), Exact(0), 1 - 2 * r - least)
        return HiddenVictim(n, Hidden.of([*rows, (rest, rest, least), other]))

    below = []
    if rest <= q * (1 - 2 * r):
        below.append(Named("leftovers of one law", CountPair(n, p * alpha, alpha, r)))
        words = "others send the victim's leftover as rarely as q allows, else one of their own"
        below.append(Named(words, hidden(rest / q)))
    above = [Named(f"the victim's leftover is shown ({LETTER})", hidden(Exact(0)))]
    there = Epsilon.rational(epsilon)
    return asked_between(below, above, lambda one: Question(one.profile, there))


def pair_at(name: str) -> Callable[..., BoundedNumber]:
    """Return δ of the pair of counts at an ε, or its smallest ε for a δ."""

    def target(n: int, p: Fraction, beta: Fraction, q: Fraction, **at: Any) -> BoundedNumber:
        pair = variation_ratio_pair(n, p=p, beta=beta, q=q)
        there = Epsilon.rational(at[name]) if name == "epsilon" else Exact(at[name])
        return one_number("the pair of counts", Question(pair, there))

    return target


def users_that_do(**at: Fraction) -> BoundedNumber:
    """Return how many users make the closed form hold: at least one, at most as the theorem says.

    That so many do is a theorem in Coq; whether fewer do is open.
    """
    return BoundedNumber(
        (("a pair has a user", Exact(1)),),
        (("Theorem 4.3, proved in Coq", evaluate(bounds.smallest_n, **at)),),
    )


BOUNDS = [
    counted(
        "wang2023/variation-ratio",
        letters,
        domain=RATIOS_AT,
        of=OF_RATIOS,
        truth=with_ratios,
        instead=INSTEAD,
        units=UNITS,
    ),
    counted(
        "wang2023/variation-ratio#k-rr",
        k_ary_letters,
        domain=Domain(
            {"n": integers(1), "k": integers(2), "epsilon0": reals(above=0), "epsilon": reals(0)}
        ),
        of=OF_K_ARY,
        truth=k_ary_at("epsilon"),
        instead=INSTEAD,
    ),
    counted(
        LETTER,
        labeled,
        domain=RATIOS_AT,
        of=OF_RATIOS,
        truth=with_ratios,
        units=UNITS,
    ),
    counted(
        "wang2023/theorem-4.8",
        letters,
        domain=RATIOS_AT,
        of=OF_PAIR,
        truth=pair_at("epsilon"),
        units=UNITS,
    ),
    PublishedBound(
        "wang2023/theorem-4.3",
        bounds.amplified,
        Domain(
            {"n": integers(2), **RATIOS, "delta": reals(above=0, most=1)},
            (
                few_letters,
                lambda n, p, beta, q, delta: at_least(
                    n, formula(bounds.smallest_n, p=p, beta=beta, q=q, delta=delta)
                ),
            ),
        ),
        bounds="epsilon",
        of=OF_PAIR,
        truth=pair_at("delta"),
        stable=bounds.amplified_stably,
        units=UNITS,
    ),
    PublishedBound(
        "wang2023/theorem-4.3#users",
        bounds.smallest_n,
        Domain({**RATIOS, "delta": reals(above=0, most=1)}, (few_letters,)),
        bounds="users",
        of="a pair from which on the closed form of Theorem 4.3 holds",
        truth=users_that_do,
        units=UNITS,
    ),
    *PARAMETERS,
]
