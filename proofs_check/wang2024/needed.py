"""The quantities that the paper bounds: exactly where one protocol is the worst, else between two.

Definitions: :func:`reduced`, :func:`procedure`, :func:`aggregated`, :func:`largest_rate_needed`,
:func:`messages_needed`, :func:`group`, :func:`item_budget`, :func:`counts_variance`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, comb
from typing import Any

from flint import arb

from exactdp.bounds import BoundedNumber, one_number
from exactdp.divergences import Largest, PrivacyProfile
from exactdp.divergences.questions import Question
from exactdp.numbers import Enclosure, Epsilon, Exact, Real, enclosure, fmpq_of
from exactdp.numbers.crossing import Slope, crossing
from exactdp.shuffle import CountPair, Hidden, HiddenVictim, ScoreSum

_WIDTH = Fraction(1, 10**6)
_MOST_ITEMS = 20
_MOST_MESSAGES = 2**20
_MOST_ENTRIES = 1000


def reduced(name: str, more: int = 0) -> Callable[..., BoundedNumber]:
    """Return the need of a victim of the (p, β)-variation among others of the q-ratio.

    The four counts of the repairs of Theorems 1 and 2 are a protocol, if there is room for what is
    left over (q >= 1 + β), and no other needs more.

    Args:
        name: ``epsilon``: δ there; ``delta``: the smallest ε for it.
        more: Others beside n − 1.
    """

    def target(
        *,
        n: int,
        p: Fraction,
        beta: Fraction,
        q: Fraction,
        gamma: Fraction = Fraction(1),
        **at: Any,
    ) -> BoundedNumber:
        if q < 1 + beta:
            return BoundedNumber((), ())  # no randomizers have these ratios
        b = beta / (p - 1)
        rest = 1 - (1 + p) * b
        rows = [
            (p * b, b, gamma * p * b / q),
            (b, p * b, gamma * p * b / q),
            (rest, rest, gamma * rest / q),
            (Fraction(0), Fraction(0), 1 - gamma * (1 + beta) / q),
        ]
        words = "four counts, with what is left over (a protocol, and proved to be the worst)"
        asked = Epsilon.rational(at[name]) if name == "epsilon" else Exact(at[name])
        return one_number(words, Question(_hidden(n + more, rows), asked))

    return target


def procedure(
    *, n: int, d: int, rate: Fraction, gamma: Fraction, epsilon: Fraction
) -> BoundedNumber:
    """Return the δ of procedure H of n slots: three counts, and the number of messages."""
    words = "procedure H itself: three counts and the number of messages"
    return one_number(words, Question(_three(n, d, rate, gamma), Epsilon.rational(epsilon)))


def aggregated(
    *, n: int, s: int, d: int, m: Fraction, rate: Fraction, epsilon: Fraction
) -> BoundedNumber:
    """Return the δ of Algorithm 2 for a user of s items: exactly for one, else between."""
    slots = ceil(m)
    there, part = Epsilon.rational(epsilon), epsilon / s
    if s == 1:
        return procedure(n=n * slots, d=d, rate=rate, gamma=m / slots, epsilon=epsilon)
    alone = Question(
        CountPair(n * slots + 1, Exact(1), Exact(0), Exact(m / (slots * d))), Epsilon.rational(part)
    ).answer(_WIDTH)
    assert alone is not None
    scale = enclosure(_geometric(s, part) * Exact(rate))
    most = _at_most_one(Enclosure(alone.lower * scale.lower, alone.upper * scale.upper))
    below = []
    for words, profile in _seen(n, s, d, m, rate):
        below.append((words, Question(profile, there)))
    return BoundedNumber(
        tuple(below),
        (("each item told apart, chained (wang2024/repair/theorem-3)", most),),
    )


def largest_rate_needed(
    *, n: int, s: int, d: int, m: Fraction, epsilon: Fraction, delta: Fraction, **_: Any
) -> BoundedNumber:
    """Return the largest λ_k with (ε, δ)-privacy of s items: for γ = 1 and s = 1 exactly."""
    slots, part = ceil(m), epsilon / s
    gamma = m / slots
    alone = Question(
        CountPair(n * slots + 1, Exact(1), Exact(0), Exact(gamma / d)), Epsilon.rational(part)
    ).answer(_WIDTH)
    assert alone is not None
    scale = enclosure(_geometric(s, part))
    least, most = Fraction(1), Fraction(1)
    if alone.upper * scale.upper > delta:
        least = delta / (alone.upper * scale.upper)
        if s == 1 and gamma == 1:
            most = min(most, delta / (alone.lower * scale.lower))
        elif s == 1:
            most = _crossed(n * slots, d, gamma, epsilon, delta)
    words = "three counts and the number of messages" if s == 1 else "a probability"
    return BoundedNumber(
        (("each item told apart, chained (wang2024/repair/theorem-3)", Exact(least)),),
        ((words, Exact(most)),),
    )


def messages_needed(
    *, n: int, s: int, d: int, epsilon: Fraction, delta: Fraction, **_: Any
) -> BoundedNumber:
    """Return the least m with (ε, δ)-privacy of s items at λ_k = 1.

    The number of empty slots is seen, and can be filled: more messages in as many slots, and more
    full slots, need no more. So the least number of full slots is ⌈m⌉ for the least m.
    """
    scale = enclosure(_geometric(s, epsilon / s))
    allowed = Fraction(delta) / scale.upper
    part = Epsilon.rational(epsilon / s)

    def suffices(m: Fraction) -> bool:
        slots = ceil(m)
        pair = CountPair(n * slots + 1, Exact(1), Exact(0), Exact(m / (slots * d)))
        return _is_below(pair, part, allowed)

    most = _least_whole(suffices)
    above: tuple[Any, ...] = ()
    low = Fraction(0)
    if most is not None:
        low, high = Fraction(most - 1), Fraction(most)
        while (high - low) * 1000 > high:
            middle = (low + high) / 2
            low, high = (low, middle) if suffices(middle) else (middle, high)
        words = "blanket messages that suffice (wang2024/repair/theorem-3)"
        above = ((words, Exact(high)),)
    if s > 1:
        low = _whole_needed(n, s, d, epsilon, delta)
    words = "fewer do not suffice: the counts of the victim's items"
    return BoundedNumber(((words, Exact(low)),), above)


def group(*, s: int, epsilon: Fraction, delta: Fraction, **_: Any) -> BoundedNumber:
    """Return the largest δ at sε of s entries, of all (ε, δ)-private protocols.

    Formula:
        g^s(0) for g(x) = min(1, e^ε x + δ, 1 − e^(−ε)(1 − x − δ)): (ε, δ)-privacy says that an
        event of probability x has at most g(x) beside; coins of these chances are a protocol.
    """
    if delta == 0:
        return one_number(_GROUP, Exact(0))
    if s > _MOST_ENTRIES:
        fewer = group(s=_MOST_ENTRIES, epsilon=epsilon, delta=delta)
        return BoundedNumber(fewer.below, (("a probability", Exact(1)),))

    def ball() -> arb:
        with_bits = arb(fmpq_of(Fraction(epsilon)))
        growth, step, x = with_bits.exp(), arb(fmpq_of(Fraction(delta))), arb(0)
        for _ in range(s):
            x = (growth * x + step).min(1 - (1 - x - step) / growth).min(arb(1))
        return x

    return one_number(_GROUP, Real(ball, "a chain of coins"))


_GROUP = "a chain of coins (a protocol, and the worst of all)"


def grouped(*, s: int, epsilon: Fraction, delta: Fraction) -> BoundedNumber:
    """Return the proved bound for s items of one user: δ' (1 + e^ε' + ... + e^((s−1)ε'))."""
    proved = enclosure(_geometric(s, epsilon) * Exact(delta))
    words = "the sum of group composition (wang2024/repair/theorem-3)"
    return BoundedNumber((), ((words, _at_most_one(proved)),))


def item_budget(*, s: int, epsilon: Fraction, delta: Fraction) -> BoundedNumber:
    """Return the largest δ' of one entry with which s entries have (ε, δ)."""
    proved = enclosure(Exact(delta) / _geometric(s, epsilon / s))
    words = "the sum of group composition"
    part = Epsilon.rational(epsilon / s)
    # The chain of coins grows by e^ε' as long as its chance is at most (1 − δ')/(1 + e^ε').
    chance = enclosure((1 - Exact(proved.upper)) / (1 + part.exp))
    is_exact = delta < chance.lower
    return BoundedNumber(
        ((words, proved),),
        (("a chain of coins", proved if is_exact else Exact(delta)),),
    )


def counts_variance(
    *, d: int, s: int, m: Fraction, n_1: int, n_2: int, rate_1: Fraction, rate_2: Fraction, **_: Any
) -> Fraction:
    """Return Σ_j Var[C_j] where all items are as likely: w_j = s/d, the largest for any w_j.

    (w_j λ (1 − w_j λ) is concave in w_j, and the w_j sum to s.)
    """
    slots, n = ceil(m), n_1 + n_2
    share = Fraction(m) / (slots * d)
    found = d * n * slots * share * (1 - share)
    for count, rate in ((n_1, rate_1), (n_2, rate_2)):
        found += count * s * rate * (1 - s * rate / Fraction(d))
    return found


def _at_most_one(known: Enclosure) -> Enclosure:
    return Enclosure(min(Fraction(1), known.lower), min(Fraction(1), known.upper))


def _hidden(n: int, rows: list[tuple[Fraction, Fraction, Fraction]]) -> HiddenVictim:
    return HiddenVictim(n, Hidden.of([(Exact(u), Exact(v), Exact(w)) for u, v, w in rows]))


def _three(n: int, d: int, rate: Fraction, gamma: Fraction) -> HiddenVictim:
    none, share = Fraction(0), gamma / d
    rows = [
        (rate, none, share),
        (none, rate, share),
        (none, none, (d - 2) * share),
        (1 - rate, 1 - rate, 1 - gamma),
    ]
    return _hidden(n + 1, rows)


def _seen(n: int, s: int, d: int, m: Fraction, rate: Fraction) -> list[tuple[str, PrivacyProfile]]:
    """Return views of one item that is exchanged, and of all s items, counted together."""
    slots = ceil(m)
    found: list[tuple[str, PrivacyProfile]] = [
        (
            "one item exchanged for another: their two counts",
            CountPair(n * slots + 1, Exact(rate), Exact(0), Exact(m / (slots * d))),
        )
    ]
    if 2 * s <= d and s <= _MOST_ITEMS:
        sent = tuple(Exact(comb(s, k) * rate**k * (1 - rate) ** (s - k)) for k in range(s + 1))
        nothing = (Exact(1), *[Exact(0)] * s)
        share = Exact(s * m / (slots * d))
        view = ScoreSum(sent, nothing, (((1 - share, share), n * slots),))
        words = "all items exchanged: how many of the first set arrive"
        found.append((words, Largest((view, view.reversed()))))
    return found


def _crossed(n: int, d: int, gamma: Fraction, epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return a λ above the largest with which n slots hide one item."""

    def at(rate: Fraction, width: Fraction) -> Enclosure:
        found = Question(_three(n, d, min(rate, Fraction(1)), gamma), Epsilon.rational(epsilon))
        answer = found.answer(width)
        assert answer is not None
        return answer

    if at(Fraction(1), _WIDTH).upper <= delta:
        return Fraction(1)
    found = crossing(
        at,
        Exact(delta),
        slope=Slope.GROWING,
        first=Fraction(1, 2),
        relative_width=Fraction(1, 10**4),
    )
    return min(found.upper, Fraction(1))


def _geometric(s: int, epsilon: Fraction) -> Exact:
    """Return 1 + e^ε + ... + e^((s−1)ε)."""
    if epsilon == 0:
        return Exact(s)
    return (Exact.exp(s * epsilon) - 1) / (Exact.exp(epsilon) - 1)


def _is_below(profile: PrivacyProfile, epsilon: Epsilon, delta: Fraction) -> bool:
    """Return whether δ at an ε is certainly at most a number."""
    for known in Question(profile, epsilon).bounds(Exact(delta)):
        if known.upper <= delta:
            return True
        if known.lower > delta:
            return False
    return False


def _least_whole(suffices: Callable[[Fraction], bool]) -> int | None:
    """Return the least number of full slots that suffices; None if it is too large."""
    high = 1
    while not suffices(Fraction(high)):
        high *= 2
        if high > _MOST_MESSAGES:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if suffices(Fraction(middle)) else (middle, high)
    return high


def _whole_needed(n: int, s: int, d: int, epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return a number of messages that does not suffice for s items: full slots, all certain."""

    def may_suffice(k: Fraction) -> bool:
        there = Epsilon.rational(epsilon)
        for _, view in _seen(n, s, d, k, Fraction(1)):
            answer = Question(view, there).answer(_WIDTH)
            if answer is not None and answer.lower > delta:
                return False
        return True

    least = _least_whole(may_suffice)
    return Fraction(0 if least is None else least - 1)
