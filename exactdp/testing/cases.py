"""Cases for functions of doubles: the arguments as floats, and the truth for those very doubles.

A float function gets the double 0.49, which is not 49/100. Its truth is computed
for that double: e^ε of a double is handled as a ball, so no double is too awkward.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement
from math import comb

from flint import arb, arb_poly
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from exactdp.errors import DomainError, TooLargeError
from exactdp.numbers import Exact, Number, Real, fmpq_of

__all__ = ["ShuffledRandomizedResponse", "shuffled_randomized_response_deltas"]

MAX_CELLS = 2_000_000
"""Cases whose truth takes more histograms, over all datasets, are refused."""

SMALLEST_EPSILON = 2.0**-10
"""The smallest positive epsilon that the strategies draw."""


@dataclass(frozen=True)
class ShuffledRandomizedResponse:
    """n users of k-ary randomized response, shuffled, at two doubles.

    Attributes:
        epsilon0: The local ε₀ in nats: the double that a float function gets, at least 0.
        n: The number of users, the victim included (TooLargeError where the truth would
            take more than two million histograms).
        epsilon: The ε in nats at which δ is asked for: a double, at least 0.
        k: The number of answers, at least 2.

    Example:
        One user: δ is (e^ε₀ − e^ε) / (e^ε₀ + 1).

        >>> from exactdp.numbers import decimal
        >>> decimal(ShuffledRandomizedResponse(1.0, 1, 0.0).truth, digits=12)
        '0.462117157260'
        >>> ShuffledRandomizedResponse(1.0, 3, 1.0).truth
        Exact('0')
    """

    epsilon0: float
    n: int
    epsilon: float
    k: int = 2

    def __post_init__(self) -> None:
        for name, value in (("epsilon0", self.epsilon0), ("epsilon", self.epsilon)):
            if not isinstance(value, float) or not 0 <= value < math.inf:
                raise DomainError(f"{name}={value!r} must be a finite float of at least 0.")
        for name, count, least in (("n", self.n, 1), ("k", self.k, 2)):
            if not isinstance(count, int) or isinstance(count, bool) or count < least:
                raise DomainError(f"{name}={count!r} must be an int of at least {least}.")
        cells = comb(self.n + self.k - 2, self.k - 1) * (self.n + 1) ** (self.k - 1)
        if cells > MAX_CELLS:
            raise TooLargeError(
                f"n={self.n}, k={self.k} take {cells:,} histograms over all datasets; the limit is "
                f"{MAX_CELLS:,}. Lower n or k."
            )

    @cached_property
    def truth(self) -> Number:
        """The exact δ: 0 if epsilon >= epsilon0, else a computable real.

        Formula:
            max over the inputs of the other users of D_{e^ε}(P ‖ Q), with P and Q
            the laws of the histogram of all messages when the victim's input is 0
            or 1. Randomized response looks the same after a permutation of the
            answers, so this ordered pair stands for all.
        """
        if self.epsilon >= self.epsilon0:
            return Exact(0)
        local, asked = Fraction(self.epsilon0), Fraction(self.epsilon)
        return Real(
            lambda: _largest_delta(local, asked, self.n, self.k), "the delta of these users"
        )


@st.composite
def shuffled_randomized_response_deltas(
    draw: DrawFn, *, k: int = 2, max_users: int = 8, max_epsilon0: float = 4.0
) -> ShuffledRandomizedResponse:
    """Cases of shuffled k-ary randomized response, with the truth for the doubles drawn.

    1 <= n <= max_users; epsilon0 any double from 2^-10 to max_epsilon0; epsilon is 0,
    or any double from 2^-10 to epsilon0, or (one case in four) from epsilon0 to
    max_epsilon0, where the truth is 0. Shrinks to one user, epsilon = 0 and a whole
    epsilon0.

    Truths take milliseconds up to n = 20 for k = 2, n = 8 for k = 3, n = 5 for k = 4; a
    max_users that is too large for an exact truth is a TooLargeError.

    Example:
        >>> from hypothesis import find
        >>> find(shuffled_randomized_response_deltas(), lambda case: case.n > 1)
        ShuffledRandomizedResponse(epsilon0=1.0, n=2, epsilon=0.0, k=2)
    """
    if not SMALLEST_EPSILON <= max_epsilon0 < math.inf:
        raise DomainError(f"max_epsilon0={max_epsilon0!r} must be finite and at least 2^-10.")
    ShuffledRandomizedResponse(float(max_epsilon0), max_users, 0.0, k)  # checks k and the size
    n = draw(st.integers(1, max_users))
    epsilon0 = draw(st.floats(SMALLEST_EPSILON, float(max_epsilon0)))
    below, above = st.floats(SMALLEST_EPSILON, epsilon0), st.floats(epsilon0, float(max_epsilon0))
    kinds = (st.just(0.0), below, below, above)
    epsilon = draw(kinds[draw(st.integers(0, 3))])
    return ShuffledRandomizedResponse(epsilon0, n, epsilon, k)


def _largest_delta(epsilon0: Fraction, epsilon: Fraction, n: int, k: int) -> arb:
    """Return a ball around δ at the current precision.

    With x = e^ε₀ a user with input v is the form L_v = Σ_y z_y + (x − 1) z_v over
    x + k − 1. The variables are packed into one: message y < k − 1 is Z^((n+1)^y),
    the last message is 1, so a power of Z holds one histogram.
    """
    x, gamma = arb(fmpq_of(epsilon0)).exp(), arb(fmpq_of(epsilon)).exp()
    places = [(n + 1) ** y for y in range(k - 1)] + [0]
    forms = []
    for v in range(k):
        coefficients = [arb(0)] * (max(places) + 1)
        for y, place in enumerate(places):
            coefficients[place] = x if y == v else arb(1)
        forms.append(arb_poly(coefficients))
    difference = forms[0] - arb_poly([gamma]) * forms[1]
    largest = arb(0)
    for others in combinations_with_replacement(range(k), n - 1):
        counts = [others.count(v) for v in range(k)]
        if counts[2:] != sorted(counts[2:], reverse=True):
            continue  # inputs that the victim never holds are interchangeable
        product = difference
        for form, count in zip(forms, counts, strict=True):
            product *= form**count
        # The positive part of a ball whose sign is open still contains the truth.
        total = sum((c.nonnegative_part() for c in product.coeffs()), arb(0))
        largest = largest.max(total)
    return largest / (x + (k - 1)) ** n
