"""The paper's formulas as programs: δ of pairs of counts, and the searches of Section 5.2.

Definitions: :func:`placed`, the letters of each statement, :func:`largest_rate_in`,
:func:`least_messages_in`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Any

from exactdp.bounds import PublishedBound
from exactdp.errors import DomainError, TooLargeError
from exactdp.numbers import Epsilon, Exact
from exactdp.numbers.real_functions import FloatFunctions
from exactdp.numbers.tracked import Tracked
from proofs_check.lemmas.counted import Letters, _in_doubles, _value, _written, stably
from proofs_check.wang2024 import bounds
from proofs_check.wang2024.parameters import Setting, is_admissible, least_messages

_MOST_SLOTS = 10**7
"""The blanket slots up to which a search, of dozens of δ, is run."""


def placed(
    claim: str, place: Callable[..., dict[str, Any]], letters: Callable[..., Letters], **rest: Any
) -> PublishedBound:
    """Return δ of a pair of counts as a bound whose arguments are others than the pair's.

    Args:
        claim: Its name.
        place: Returns the pair's n and epsilon, and what letters take, at the bound's arguments.
        letters: The letters at these, over a number system.
        rest: As for :class:`PublishedBound`.
    """

    def of_pair(run: Callable[..., Any], at: dict[str, Any], *f: Any) -> Any:
        found = place(**at)
        fixed = {name: found.pop(name) for name in ("s",) if name in found}  # stays an integer
        return run(partial(letters, **fixed), *f, **found)

    return PublishedBound(
        claim,
        lambda f, **at: of_pair(_written, at, f),
        bounds="delta",
        program=lambda f, **at: of_pair(_in_doubles, at, f),
        value=lambda **at: of_pair(_value, at),
        stable=lambda f, **at: of_pair(stably, at, f),
        **rest,
    )


def reduction(f: Any, *, p: Any, beta: Any, q: Any, **_: Any) -> Letters:
    """Return the letters of Theorem 1."""
    first = bounds.first_probability(f, p=p, beta=beta)
    r = bounds.letters_probability(f, p=p, beta=beta, q=q) / 2
    return Letters(first, first / p, r, gap=beta)


def slotted(f: Any, *, p: Any, beta: Any, q: Any, gamma: Any, **_: Any) -> Letters:
    """Return the letters of Theorem 2: q/γ for q."""
    one = reduction(f, p=p, beta=beta, q=q)
    return replace(one, other=one.other * gamma)


def poisson(f: Any, *, d: Any, rate: Any, gamma: Any, **_: Any) -> Letters:
    """Return the letters of Lemma 3: p = ∞, β = λ_k, q = dλ_k/γ."""
    return Letters(rate, f.constant(0), gamma / d)


def told(f: Any, *, d: Any, rate: Any, gamma: Any, **_: Any) -> Letters:
    """Return the same given that the victim's item was sent: λ_k times the pair for β = 1."""
    return Letters(f.constant(1), f.constant(0), gamma / d, weight=rate)


def grouped(f: Any, *, s: int, epsilon: Any, **at: Any) -> Letters:
    """Return the letters of Theorem 3, for s items: times s e^(s ε')."""
    return replace(poisson(f, **at), weight=s * f.exp(s * epsilon))


def chained(f: Any, *, s: int, epsilon: Any, rate: Any, **at: Any) -> Letters:
    """Return the letters of its repair: times λ_k (1 + e^ε' + ... + e^((s−1)ε'))."""
    total = f.constant(1)
    for _ in range(s - 1):
        total = 1 + f.exp(epsilon) * total
    return replace(told(f, rate=rate, **at), weight=rate * total)


def one_more(*, n: int, **at: Any) -> dict[str, Any]:
    """Place n slots beside the victim: a pair of n + 1."""
    return {"n": n + 1, **at}


def of_users(*, n: int, s: int, m: Any, epsilon: Any, victim: int = 0, **at: Any) -> dict[str, Any]:
    """Place n users: n⌈m⌉ slots of γ = m/⌈m⌉ (and the victim), at ε' = ε/s."""
    if isinstance(m, Tracked) and m.error == 0:
        slots = ceil(m.value)
    elif isinstance(m, Fraction | float):
        slots = ceil(m)
    else:
        raise TooLargeError("m is not a number that is known exactly: ⌈m⌉ has no term. Give one.")
    return {"n": n * slots + victim, "s": s, "gamma": m / slots, "epsilon": epsilon / s, **at}


def of_users_and_victim(**at: Any) -> dict[str, Any]:
    """Place n users' slots beside the victim's item."""
    return of_users(victim=1, **at)


def no_formula(f: Any, **_: Any) -> Any:
    """Say that a search is not a formula."""
    raise TooLargeError("a search is not a formula. Ask for its value.")


def largest_rate_in(
    *, n: int, s: int, d: int, m: Fraction, epsilon: Fraction, delta: Fraction, steps: int
) -> Exact:
    """Return the λ_k that so many steps of the binary search over [0, 1] find for (7)."""
    _refuse_many(n, m)
    setting, level = Setting(n, d, s, delta), Epsilon.rational(epsilon)
    return Exact(_halved(lambda rate: is_admissible(setting, m=m, rate=rate, epsilon=level), steps))


def largest_rate_in_doubles(
    f: Any, *, n: int, s: int, d: int, m: float, epsilon: float, delta: float, steps: int
) -> float:
    """Return the same in doubles."""
    _refuse_many(n, m)
    allowed = bounds.allowed_delta(f, s=s, epsilon=epsilon, delta=delta)

    def admits(rate: Fraction) -> bool:
        return bool(_pair(n, s, d, m, epsilon, float(rate)) <= allowed)

    return float(_halved(admits, steps))


def largest_rate_stably(
    f: Any, *, n: int, s: int, d: int, m: Any, epsilon: Any, delta: Any, steps: int
) -> Any:
    """Return the same in doubles that carry a bound on their error, where they tell each step.

    Raises:
        DomainError: If a δ may be on either side of what is allowed.
    """
    allowed = bounds.allowed_delta(f, s=s, epsilon=epsilon, delta=delta)
    place = of_users(n=n, s=s, m=m, epsilon=epsilon)
    place.pop("s")

    def admits(rate: Fraction) -> bool:
        left = allowed - stably(poisson, f, d=f.constant(d), rate=f.constant(rate), **place)
        if abs(left.value) <= left.error:
            raise DomainError(f"λ={rate} may be allowed or not. Use the value.")
        return bool(left.value > 0)

    return f.constant(_halved(admits, steps))


def least_messages_in(*, n: int, s: int, d: int, epsilon: Fraction, delta: Fraction) -> Exact:
    """Return an m that admits λ_k = 1 where a smaller one, by a thousandth, does not."""
    _refuse_many(n, Fraction(1))
    found = least_messages(Setting(n, d, s, delta), epsilon=Epsilon.rational(epsilon))
    return Exact(found.upper)


def least_messages_in_doubles(
    f: Any, *, n: int, s: int, d: int, epsilon: float, delta: float
) -> float:
    """Return the same in doubles."""
    _refuse_many(n, 1)
    allowed = bounds.allowed_delta(f, s=s, epsilon=epsilon, delta=delta)

    def admits(m: float) -> bool:
        _refuse_many(n, m)
        return bool(_pair(n, s, d, m, epsilon, 1.0) <= allowed)

    upper = 1.0
    while not admits(upper):
        upper *= 2
    lower = upper / 2
    while admits(lower) and lower > 0:
        lower, upper = lower / 2, lower
    while (upper - lower) * 1000 > lower:
        middle = (lower + upper) / 2
        lower, upper = (lower, middle) if admits(middle) else (middle, upper)
    return upper


def _halved(admits: Callable[[Fraction], bool], steps: int) -> Fraction:
    lower, upper = Fraction(0), Fraction(1)
    for _ in range(steps):
        middle = (lower + upper) / 2
        lower, upper = (middle, upper) if admits(middle) else (lower, middle)
    return lower


def _pair(n: int, s: int, d: int, m: float, epsilon: float, rate: float) -> float:
    place = of_users(n=n, s=s, m=m, epsilon=epsilon)
    return _in_doubles(poisson, FloatFunctions(), d=d, rate=rate, **place)


def _refuse_many(n: int, m: Any) -> None:
    if n * math.ceil(m) > _MOST_SLOTS:
        raise TooLargeError(
            f"{n} users with {m} messages: at most {_MOST_SLOTS} slots are searched. Take fewer."
        )
