"""Cases for functions of doubles: the arguments as floats, and the truth for those very doubles.

A :class:`~exactdp.testing.mechanisms.Deployment` is what an accountant is asked about;
:class:`ShuffledRandomizedResponse` what a bound on shuffling is.

The ε of a deployment is drawn from a δ between 0.5 and 1e-300, so that tails are visited; the
ends of each range come early. Everything shrinks to the most ordinary deployment: one Gaussian
of σ = 1 at δ = 1e-5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import combinations_with_replacement
from math import comb

from flint import arb, arb_poly

from exactdp.divergences.chernoff import chernoff_epsilon
from exactdp.errors import DomainError, TooLargeError
from exactdp.numbers import (
    Epsilon,
    Exact,
    Number,
    RationalLike,
    Real,
    count_text,
    fmpq_of,
    precision,
    refuse_above,
)
from exactdp.numbers.renamed import renamed
from exactdp.testing.later import st
from exactdp.testing.mechanisms import KINDS, Deployment, Mechanism
from exactdp.testing.ranges import doubles, least_and_largest, whole_numbers

__all__ = [
    "ShuffledRandomizedResponse",
    "deployments",
    "shuffled_randomized_response_deltas",
]

MAX_CELLS = 2_000_000
"""Cases whose truth takes more histograms, over all datasets, are refused."""

SMALLEST_EPSILON = 2.0**-10
"""The smallest positive epsilon that the strategies draw."""

_BENEATH_THE_LARGEST = 1 - 2.0**-20
"""The part of the largest loss up to which an ε is drawn: beyond, δ is 0."""

_LITTLE = 2.0**-4
"""Noise below which the truth of several sampled copies is out of reach; and a small loss."""

_MOST_TERMS = 32.0
"""The scale of a discrete Gaussian, at most, where the range does not begin above it."""

LEVELS = (0.05, 0.01, 0.1, 0.5, 1e-3, 1e-6, 0.9, 1e-4, 1e-9, 1e-12)
"""Rates of false positives of an attack."""

Ends = tuple[RationalLike | float, RationalLike | float]
"""The least and the largest number of a range."""

_BISECTIONS = 12
"""Halvings of 16 decades by which an ε in the tail is proposed: to a hundredth of a decade."""

_PROPOSAL_BITS = 128
"""Bits of the balls by which that ε is proposed; no case rests on them."""


@renamed
@st.composite
def deployments(
    draw: st.DrawFn,
    *kinds: str,
    max_mechanisms: int = 1,
    max_times: int = 1,
    is_sampled: bool = False,
    k: int = 2,
    parameters: Ends | None = None,
    sampling_probabilities: Ends | None = None,
    times: tuple[int, int] | None = None,
) -> Deployment:
    """Draw deployments of some mechanisms and copies, with the truth for the doubles drawn.

    Parameters are between 1/4 and 8, of noise times √times, of randomized response over
    √times; δ between 0.5 and 1e-300 (1e-35 of several mechanisms, 1e-12 where records are
    sampled: further out a truth may take more than a second), ε about where the deployment
    has this δ, or 0; orders from 1.25 to 64, levels of tests from 0.9 to 1e-12. Shrinks to one
    copy of the first kind, of parameter 1, at δ = 1e-5 and an ε of two digits.

    With ranges of one's own the ends come first, then what is beside them and round numbers,
    then any others, spread over the decades; half of those inside go with √times as above, as
    far as the range allows. Little noise (below 1/16) is sampled once only: the truth of more is
    out of reach.

    Args:
        draw: Supplied by hypothesis.
        kinds: Some of :data:`KINDS`; by default all, or with sampling Gaussians.
        max_mechanisms: The largest number of different mechanisms, at least 1.
        max_times: The largest number of copies of one, at least 1.
        is_sampled: Whether records are sampled, with probabilities of 1/100, 1/10, 1/2 or 1.
        k: The number of answers of randomized response.
        parameters: The least and the largest parameter, above 0.
        sampling_probabilities: The least and the largest for Poisson samples, above 0, at most 1.
        times: The least and the largest number of copies.

    Example:
        >>> from hypothesis import find
        >>> find(deployments("gaussian", parameters=("1e-3", "1e6")), lambda case: True).mechanism
        Mechanism(kind='gaussian', parameter=1.0, sampling_probability=1.0, times=1, k=2)
    """
    shares = sampling_probabilities
    ranges = _Ranges(
        None if parameters is None else least_and_largest(parameters, name="parameters"),
        None
        if shares is None
        else least_and_largest(shares, name="sampling_probabilities", most=1.0),
        times,
    )
    is_sampled = is_sampled or shares is not None
    for kind in kinds:
        Mechanism(kind, 1.0, 0.5 if is_sampled else 1.0)
    allowed = kinds or (("gaussian",) if is_sampled else tuple(KINDS))
    count = draw(st.integers(1, max_mechanisms))
    most = max(1, max_times // count)
    mechanisms = tuple(
        drawn_mechanism(draw, allowed, max_times=most, is_sampled=is_sampled, k=k, ranges=ranges)
        for _ in range(count)
    )
    delta = drawn_delta(draw, to=12 if is_sampled else 35 if count > 1 else 300)
    order = draw(st.sampled_from([2.0, 3.0, 8.0, 32.0, 64.0, 1.25, 1.5, 2.75]))
    case = Deployment(mechanisms, 0.0, delta, order)
    epsilon = _epsilon_about(case)
    shown = draw(st.integers(0, 4))
    if shown < 3:
        epsilon = float(f"{epsilon:.1e}")
    if shown == 4:
        epsilon = 0.0
    return replace(case, epsilon=epsilon, alpha=draw(st.sampled_from(LEVELS)))


def _epsilon_about(case: Deployment) -> float:
    """Return an ε at which δ may be the case's, below the largest loss; 0 where it is all along."""
    if _spread(case) / 2 <= case.delta:
        return 0.0
    found = chernoff_epsilon(case.profile, Exact(Fraction(case.delta)))
    epsilon = min(0.0 if found is None else float(found[0]), _epsilon_of_a_normal_loss(case))
    top = case.profile.max_divergence()
    if not (isinstance(top, Epsilon) and top.is_infinite):
        nats = top.nats if isinstance(top, Epsilon) else top
        epsilon = min(epsilon, float(nats.ball(64).lower()) * _BENEATH_THE_LARGEST)
    return epsilon


def _spread(case: Deployment) -> float:
    """Return about the standard deviation of the sum of the losses, if that is small."""
    parts = (one.sampling_probability**2 * one.times * _loss(one) ** 2 for one in case.mechanisms)
    return math.sqrt(sum(parts))


def _epsilon_of_a_normal_loss(case: Deployment) -> float:
    """Return about the ε at most, where the sum of the losses has the tail of a normal law."""
    if any(one.is_sampled and _loss(one) > _LITTLE for one in case.mechanisms):
        return math.inf
    mu = _spread(case)
    return mu * mu / 2 + mu * math.sqrt(-2 * math.log(case.delta))


def _loss(one: Mechanism) -> float:
    return KINDS[one.kind].loss(one.parameter)


def drawn_delta(draw: st.DrawFn, *, to: int) -> float:
    """Return 0.5 or a power of ten, at least 10^−to; shrinks to 1e-5."""
    ends = (5, 9), (10, 12), (13, 35), (36, 300)
    near = st.sampled_from([1e-5, 0.5, float(f"1e-{to}"), 1e-4, 1e-3, 1e-2, 1e-1])
    far = [st.integers(low, high) for low, high in ends if high <= to]
    return draw(near | st.one_of(far).map(lambda power: float(f"1e-{power}")))


@dataclass(frozen=True, slots=True)
class _Ranges:
    """Ranges that are asked for, each with its least and largest number."""

    parameters: tuple[float, float] | None = None
    rates: tuple[float, float] | None = None
    times: tuple[int, int] | None = None


def drawn_mechanism(
    draw: st.DrawFn,
    kinds: tuple[str, ...],
    *,
    max_times: int = 1,
    is_sampled: bool = False,
    k: int = 2,
    ranges: _Ranges = _Ranges(),
) -> Mechanism:
    """Return a mechanism as :func:`deployments` describes them."""
    kind = draw(st.sampled_from(kinds))
    rate = _rate(draw, ranges.rates) if is_sampled else 1.0
    times = _times(draw, max_times, ranges.times)
    if kind == "discrete_gaussian":  # a theta function of σ terms a question
        times = min(times, 1000)
    if ranges.parameters is None:
        least = 0.5 if is_sampled else 0.25
        factor = draw(st.sampled_from([1.0, 8.0, least]) | st.floats(1, 8) | st.floats(least, 1))
        parameter = factor if rate < 1 else _with_copies(kind, factor, times)
    else:
        parameter = _within(draw, kind, ranges.parameters, times)
    if rate < 1 and parameter < _LITTLE:
        times = 1
    return Mechanism(kind, parameter, rate, times, k if kind == "randomized_response" else 2)


def _rate(draw: st.DrawFn, ends: tuple[float, float] | None) -> float:
    return draw(st.sampled_from([1.0, 0.5, 0.1, 0.01]) if ends is None else doubles(*ends))


def _times(draw: st.DrawFn, most: int, ends: tuple[int, int] | None) -> int:
    if ends is not None:
        copies: int = draw(whole_numbers(ends, name="times"))
        return copies
    tens = draw(st.integers(0, len(str(most)) - 1))
    digit: int = draw(st.integers(1, 9))
    return min(most, digit * int(10**tens))


def _with_copies(kind: str, factor: float, times: int) -> float:
    """Return the parameter with which so many copies lose about as much as one at the factor."""
    root = math.sqrt(times)
    return factor / root if kind == "randomized_response" else factor * root


def _within(draw: st.DrawFn, kind: str, ends: tuple[float, float], times: int) -> float:
    low, high = ends
    parameter = draw(doubles(low, high))
    if times > 1 and parameter not in ends and draw(st.booleans()):
        parameter = min(max(_with_copies(kind, parameter, times), low), high)
    if kind == "discrete_gaussian":  # so many terms
        parameter = min(parameter, max(low, _MOST_TERMS))
    return parameter


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
                raise DomainError(f"{name}={value!r} is not a finite float >= 0. Pass one.")
        for name, count, least in (("n", self.n, 1), ("k", self.k, 2)):
            if not isinstance(count, int) or isinstance(count, bool) or count < least:
                raise DomainError(f"{name}={count!r} is not an int >= {least}. Pass one.")
            refuse_above(MAX_CELLS, count, f"{name}={count_text(count)}", advice=f"Lower {name}.")
        cells = comb(self.n + self.k - 2, self.k - 1) * (self.n + 1) ** (self.k - 1)
        if cells > MAX_CELLS:
            raise TooLargeError(
                f"n={self.n}, k={self.k} take {count_text(cells)} histograms over all datasets; "
                f"the limit is {MAX_CELLS:,}. Lower n or k."
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
        rule = partial(_largest_delta, local, asked, self.n, self.k)
        return Real(rule, "the delta of these users")


@st.composite
def shuffled_randomized_response_deltas(
    draw: st.DrawFn, *, k: int = 2, max_users: int = 8, max_epsilon0: float = 4.0
) -> ShuffledRandomizedResponse:
    """Draw cases of shuffled k-ary randomized response, with the truth for the doubles drawn.

    1 <= n <= max_users; epsilon0 any double from 2^-10 to max_epsilon0; epsilon is 0,
    or any double from 2^-10 to epsilon0, or about where δ is a number drawn between 0.5 and
    1e-300 (the largest double below epsilon0, if δ is not as small there), or from epsilon0
    to max_epsilon0, where the truth is 0. Shrinks to one user, epsilon = 0 and a whole
    epsilon0.

    Truths take milliseconds up to n = 20 for k = 2, n = 8 for k = 3, n = 5 for k = 4; a
    max_users that is too large for an exact truth is a TooLargeError.

    Example:
        >>> from hypothesis import find
        >>> find(shuffled_randomized_response_deltas(), lambda case: case.n > 1)
        ShuffledRandomizedResponse(epsilon0=1.0, n=2, epsilon=0.0, k=2)
    """
    if not SMALLEST_EPSILON <= max_epsilon0 < math.inf:
        raise DomainError(
            f"max_epsilon0={max_epsilon0!r} is not finite, or below 2^-10. Pass a number such as 4."
        )
    ShuffledRandomizedResponse(float(max_epsilon0), max_users, 0.0, k)  # checks k and the size
    n = draw(st.integers(1, max_users))
    epsilon0 = draw(st.floats(SMALLEST_EPSILON, float(max_epsilon0)))
    match draw(st.integers(0, 3)):
        case 0:
            epsilon = 0.0
        case 1:
            epsilon = draw(st.floats(SMALLEST_EPSILON, epsilon0))
        case 2:
            epsilon = _epsilon_in_the_tail(epsilon0, n, k, drawn_delta(draw, to=300))
        case _:
            epsilon = draw(st.floats(epsilon0, float(max_epsilon0)))
    return ShuffledRandomizedResponse(epsilon0, n, epsilon, k)


def _epsilon_in_the_tail(epsilon0: float, n: int, k: int, delta: float) -> float:
    """Return about the ε of a δ: bisection over how far e^(ε − ε0) is from 1, by decades."""
    known, (low, high) = Fraction(epsilon0), (-16.0, 0.0)
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        asked = Fraction(max(0.0, epsilon0 + math.log1p(-(10**middle))))
        with precision(_PROPOSAL_BITS):
            is_above = _largest_delta(known, asked, n, k) > delta
        low, high = (low, middle) if is_above else (middle, high)
    found = epsilon0 + math.log1p(-(10**low))
    return max(0.0, min(found, math.nextafter(epsilon0, 0.0)))


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
