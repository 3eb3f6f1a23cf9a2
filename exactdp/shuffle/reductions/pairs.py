"""The reductions of privacy amplification to pairs of counts, and their bounds.

The clones, the stronger clones and the variation-ratio reduction replace the view of the analyzer
by two counts (``exactdp.shuffle.at_scale.count_pairs``) of n >= 1 users, the victim included. If a
+ b = 1 and the users' randomizers are mixtures with these weights, every divergence of (P, Q) is an
upper bound on the view's; if a + b < 1, the view may show what the counts hide, and the published
reductions do not hold for all randomizers (see the trials of feldman2023 and wang2023).
``decompositions`` builds the mixtures of a given randomizer, and says why and when. Nothing here is
a lower bound in general. What a pair does not bound stands in its ``note``.

References: V. Feldman, A. McMillan and K. Talwar, Hiding among the Clones, FOCS 2021, and
Stronger Privacy Amplification by Shuffling, SODA 2023; S. Wang et al., Privacy
Amplification via Shuffling: Unified, Simplified, and Tightened, 2023.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from exactdp.divergences.description import (
    EPSILON,
    PROBABILITY,
    USERS,
    Parameter,
    Range,
    checked,
    described,
    growing,
)
from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, EpsilonLike, Exact, RationalLike, precision
from exactdp.numbers.arguments import (
    exact,
    open_probability,
    privacy_epsilon,
    whole_number,
)
from exactdp.numbers.balls import endpoints
from exactdp.shuffle.at_scale.count_pairs import CountPair

__all__ = ["clone_pair", "stronger_clone_pair", "variation_ratio_pair"]


def _likely_epsilon0(epsilon: Epsilon, delta: Exact, *, n: int) -> Fraction:
    """Return a guess of ε0, rather too small: far above the target δ is found sooner than below.

    Formula:
        As for a normal law, ε² is about 3·ln(1/δ)·e^ε0/n, or δ² about e^ε0/n at ε = 0.
    """
    target, bits = open_probability(delta, name="delta"), 64
    nats, n = epsilon.nats.ball(bits), whole_number(n, name="n", at_least=1)
    with precision(bits):
        share = nats**2 / (-8 * target.ball(bits).log()) + target.ball(bits) ** 2
        guess = endpoints((nats + (1 + n * share).log()).mid())[0]
    return max(guess.limit_denominator(1000), Fraction(1, 1000))


_EPSILON0 = growing(
    "epsilon0",
    "ε0, of each user's local randomizer",
    EPSILON,
    "nats",
    argument=Epsilon.rational,
    first=_likely_epsilon0,
)
"""A pair with a smaller ε0 is a post-processing of one with a larger: flip every letter with one
probability, which leaves the others' law and lowers a; and let users who sent nothing send a random
letter with one probability, which raises r. So δ grows in ε0."""

_PARAMETERS = Parameter("n", "the number of users", USERS, "users"), _EPSILON0
_OF_COUNTS = (
    "the two counts, with the victim's first input",
    "the two counts, with the victim's second input",
    "one user's input is replaced, the other users are the same",
)


@described(
    "clone_pair",
    "The pair of counts that dominates n shuffled ε0-private users: C ~ Bin(n − 1, e^−ε0).",
    *_PARAMETERS,
    sides=_OF_COUNTS,
    is_sampled=False,
)
def clone_pair(n: int, epsilon0: EpsilonLike) -> CountPair:
    """Return the pair of counts of the clone reduction.

    Formula:
        r = e^−ε0 / 2, a = e^ε0 / (e^ε0 + 1), b = 1 / (e^ε0 + 1).

    Meaning:
        An upper bound on every divergence of n shuffled reports of ε0-private local
        randomizers, whoever the victim is (proved: feldman2021/reduction).

    Source:
        Feldman, McMillan & Talwar 2021: C ~ Bin(n − 1, e^−ε0), A ~ Bin(C, 1/2),
        Δ ~ Bern(e^ε0/(e^ε0 + 1)); (A + Δ, C − A + 1 − Δ) against the same with 1 − Δ.

    Example:
        >>> clone_pair(10, Epsilon.log(3))
        CountPair(n=10, first=Exact('3/4'), second=Exact('1/4'), other=Exact('1/6'))
    """
    e = privacy_epsilon(epsilon0, name="epsilon0").exp
    return CountPair(n, e / (e + 1), 1 / (e + 1), 1 / (2 * e))


@described(
    "stronger_clone_pair",
    "The pair of counts with C ~ Bin(n − 1, 2/(e^ε0 + 1)); ``epsilon0`` as for clone_pair.",
    *_PARAMETERS,
    sides=_OF_COUNTS,
    is_sampled=False,
)
def stronger_clone_pair(n: int, epsilon0: EpsilonLike) -> CountPair:
    """Return the pair of counts of the stronger clone reduction.

    Formula:
        r = 1 / (e^ε0 + 1), a = e^ε0 / (e^ε0 + 1), b = 1 / (e^ε0 + 1).

    Meaning:
        As for clones, with more of them: an upper bound where the decomposition exists
        (:func:`stronger_clone_decomposition`), as for k-ary randomized response. As a bound
        for all ε0-private randomizers it is not proved: a lemma of the published proof is
        refuted, and no counterexample is known.

    Source:
        Feldman, McMillan & Talwar 2023: C ~ Bin(n − 1, 2/(e^ε0 + 1)), the rest as for
        clones.

    Example:
        >>> stronger_clone_pair(10, Epsilon.log(3))
        CountPair(n=10, first=Exact('3/4'), second=Exact('1/4'), other=Exact('1/4'))
    """
    e = privacy_epsilon(epsilon0, name="epsilon0").exp
    note = (
        "As a bound for all randomizers stronger clones are not proved (no counterexample is "
        "known); they are where the decomposition exists: see stronger_clone_decomposition."
    )
    return CountPair(n, e / (e + 1), 1 / (e + 1), 1 / (e + 1), note)


def _ratio(value: Any, *, name: str) -> Exact | None:
    """Return a ratio above 1, which no finite one bounds if it is None."""
    if value == "infinity" or (isinstance(value, Epsilon) and value.is_infinite):
        return None
    odds = value.exp if isinstance(value, Epsilon) else exact(value, name=name)
    if odds <= 1:
        raise DomainError(f'{name}={odds} must be above 1. Pass "infinity" if no ratio bounds it.')
    return odds


def _of_others(value: Any, *, name: str) -> Exact:
    ratio = exact(value, name=name)
    if ratio < 1:
        shown = ratio.text(most=40)
        raise DomainError(f"{name}={shown} must be at least 1. It is a ratio of two laws' masses.")
    return ratio


@described(
    "variation_ratio_pair",
    "The pair of counts of a randomizer with ratio p, total variation beta and blanket ratio q.",
    _PARAMETERS[0],
    Parameter("p", "the ratio of the victim's rows", Range('above 1, or "infinity"', _ratio)),
    Parameter("beta", "β, the total variation of these rows", PROBABILITY),
    Parameter("q", "the ratio of these to others' rows", Range("at least 1", _of_others)),
    sides=_OF_COUNTS,
    is_sampled=False,
)
def variation_ratio_pair(
    n: int,
    *,
    p: Exact | RationalLike | Epsilon,
    beta: Exact | RationalLike,
    q: Exact | RationalLike,
) -> CountPair:
    """Return the pair of counts of the variation-ratio reduction.

    Formula:
        α = β/(p − 1), a = p·α, b = α, r = p·α/q; for p = ∞: a = β, b = 0, r = β/q.

    Meaning:
        An upper bound on every divergence of the view if a + b = 1, that is, for β =
        (p − 1)/(p + 1). For a + b < 1 the published claim, an upper bound for all
        randomizers, is *refuted* (wang2023/variation-ratio); what holds is
        :meth:`CloneDecomposition.labeled_count_pair`.

    Args:
        n: The number of users.
        p: The largest ratio between the victim's two rows, above 1; the string
            "infinity" or Epsilon.infinity() if there is none.
        beta: β, the total variation between the victim's two rows, at least 0 and at
            most (p − 1)/(p + 1), so that a + b <= 1.
        q: The largest ratio of the victim's rows to another user's, at least 1, and
            large enough for 2r <= 1.

    Raises:
        DomainError: If an argument is outside its range.

    Source:
        Wang et al. 2023, as restated in Wang et al. 2024 (segmented messages), Theorem 1:
        C ~ Bin(n − 1, 2βp/((p − 1)q)).

    Example:
        Binary randomized response with p = q = 3, β = 1/2 is the stronger clone:

        >>> variation_ratio_pair(10, p=3, beta="1/2", q=3)
        CountPair(n=10, first=Exact('3/4'), second=Exact('1/4'), other=Exact('1/4'))
        >>> variation_ratio_pair(10, p="infinity", beta="1/2", q=3)
        CountPair(n=10, first=Exact('1/2'), second=Exact('0'), other=Exact('1/6'))
    """
    given = checked(variation_ratio_pair, n=n, p=p, beta=beta, q=q)
    odds, variation, ratio = (given[name] for name in ("p", "beta", "q"))
    first, second, limit = variation, Exact(0), Exact(1)
    if odds is not None:
        second = variation / (odds - 1)
        first, limit = odds * second, (odds - 1) / (odds + 1)
    if variation > limit:
        raise DomainError(
            f"beta={variation} is more than (p - 1)/(p + 1) = {limit}, which no pair of laws with "
            "ratios of at most p reaches. "
            "Pass a smaller beta."
        )
    if 2 * first > ratio:
        raise DomainError(
            f"q={ratio.text(most=40)} makes 2*beta*p/((p - 1)*q) more than 1. Pass a q of at least "
            f"{(2 * first).text(most=40)}."
        )
    said = (
        "Not an upper bound for all randomizers (refuted): with a + b < 1 the view may show what "
        "these counts hide. (a + b) times the pair with a/(a + b) and b/(a + b) is one: see "
        "labeled_count_pair."
    )
    note = None if first + second == 1 else said
    return CountPair(n, first, second, first / ratio, note)
