"""What the analyzer sees when users have randomizers of their own: exact or certified.

Any finite randomizers and few users: ``exactdp.shuffle.shuffle_view``, whose groups of users
may each have another randomizer. Two letters and any number of users: the view is the number
N of letters 1, a sum of independent unequal trials, plus the victim's letter
(:class:`TwoLetterView`). Laplace or Gaussian noise: messages sorted into bins are a
post-processing, so divergences of the binned view are lower bounds on the protocol's
(:func:`threshold_view`, :func:`binned_lower_bound`).

Definitions: :class:`TwoLetterView`, :class:`ScoreView`, :func:`threshold_view`,
:func:`best_threshold`, :func:`score_view`, :func:`binned_row`, :func:`binned_lower_bound`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from flint import arb, arb_poly

from exactdp.distributions import CountWindow, count_window, sum_window
from exactdp.errors import DomainError
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, RationalLike, fmpq_of, precision
from exactdp.numbers.balls import endpoints, nonnegative_ball
from exactdp.shuffle import Users, Victim, shuffle_view
from proofs_check.liu2024.intervals import Interval
from proofs_check.liu2024.noise import Noise

__all__ = [
    "ScoreView",
    "TwoLetterView",
    "best_threshold",
    "binned_lower_bound",
    "binned_row",
    "score_view",
    "threshold_view",
]


@dataclass(frozen=True)
class TwoLetterView:
    """The number of letters 1 among n users with unequal probabilities.

    Attributes:
        zero: The victim's probability of letter 1 under P.
        one: The same under Q.
        window: The law of the others' count, from below.

    Example:
        >>> view = TwoLetterView.of_users(Exact("1/4"), Exact("3/4"), [(Exact("1/4"), 1)])
        >>> view.delta(exp_epsilon=Exact(2)).contains(Exact("3/16"))  # 9/16 − 2·3/16 at N = 0
        True
        >>> view.reverse_delta(exp_epsilon=Exact(2)).contains(Exact("1/16"))
        True
    """

    zero: Number
    one: Number
    window: CountWindow

    @classmethod
    def of_users(
        cls,
        zero: Number,
        one: Number,
        others: Iterable[tuple[Number | RationalLike, int]],
        *,
        bits: int = 192,
    ) -> TwoLetterView:
        """Return the view; ``others`` are probabilities of letter 1 with numbers of users."""
        return cls(zero, one, count_window(others, bits=bits))

    def delta(self, *, exp_epsilon: Exact) -> Enclosure:
        """Return an enclosure of D_γ(P ‖ Q), γ = exp_epsilon, of width about 2^−bits."""
        return self._scores.delta(exp_epsilon=exp_epsilon)

    def reverse_delta(self, *, exp_epsilon: Exact) -> Enclosure:
        """Return an enclosure of D_γ(Q ‖ P)."""
        return self._scores.reverse_delta(exp_epsilon=exp_epsilon)

    @property
    def _scores(self) -> ScoreView:
        return ScoreView((1 - self.zero, self.zero), (1 - self.one, self.one), self.window)


@dataclass(frozen=True)
class ScoreView:
    """The sum of integer scores of all messages: a post-processing of the whole view.

    Attributes:
        zero: The masses of the scores 0, 1, 2, ... of the victim's message under P.
        one: The same under Q.
        window: The law of the others' sum, from below.
    """

    zero: tuple[Number, ...]
    one: tuple[Number, ...]
    window: CountWindow

    def delta(self, *, exp_epsilon: Exact) -> Enclosure:
        """Return an enclosure of D_γ(P ‖ Q), γ = exp_epsilon, of width about 2^−bits.

        Formula:
            Σ_k max(0, Σ_v s_v·Pr[N = k − v]), s_v = P_1(v) − γ·Q_1(v) with the victim's masses.
            It is sublinear in the law of N, so what the window leaves out adds at most its
            mass times Σ max(0, s_v), and takes away at most its mass times Σ max(0, −s_v).
        """
        return self._delta(self.zero, self.one, exp_epsilon)

    def reverse_delta(self, *, exp_epsilon: Exact) -> Enclosure:
        """Return an enclosure of D_γ(Q ‖ P)."""
        return self._delta(self.one, self.zero, exp_epsilon)

    def _delta(self, first: Sequence[Number], second: Sequence[Number], gamma: Exact) -> Enclosure:
        bits = self.window.bits + 64
        with precision(bits):
            g = gamma.ball(bits)
            gains = [u.ball(bits) - g * v.ball(bits) for u, v in zip(first, second, strict=True)]
            sums = arb_poly(gains) * arb_poly(list(self.window.weights))
            total = sum((_positive(value) for value in sums.coeffs()), arb(0))
            total *= arb(2) ** -self.window.bits
            missing = arb(fmpq_of(self.window.missing))
            total += nonnegative_ball(missing * sum((_positive(s) for s in gains), arb(0)))
            total -= nonnegative_ball(missing * sum((_positive(-s) for s in gains), arb(0)))
        lower, upper = endpoints(total)
        return Enclosure(max(Fraction(0), lower), max(Fraction(0), upper))


def score_view(
    zero: Noise,
    one: Noise,
    others: Iterable[tuple[Noise, int]],
    *,
    edges: Sequence[Fraction],
    bits: int = 192,
) -> ScoreView:
    """Return the view of the sum of bin numbers, bins between ascending edges: a lower bound.

    Many narrow bins make it the sum of the messages, clipped and rounded.
    """
    regions = _regions(edges)

    def masses(noise: Noise) -> tuple[Number, ...]:
        return tuple(noise.mass([region]) for region in regions)

    laws = [(masses(noise), count) for noise, count in others]
    return ScoreView(masses(zero), masses(one), sum_window(laws, bits=bits))


def threshold_view(
    zero: Noise,
    one: Noise,
    others: Iterable[tuple[Noise, int]],
    *,
    threshold: Fraction,
    bits: int = 192,
) -> TwoLetterView:
    """Return the view of how many messages are below a threshold: a lower bound."""
    cut = Exact(threshold)
    trials = [(noise.below(cut), count) for noise, count in others]
    return TwoLetterView.of_users(zero.below(cut), one.below(cut), trials, bits=bits)


def best_threshold(
    zero: Noise,
    one: Noise,
    others: Sequence[tuple[Noise, int]],
    *,
    thresholds: Iterable[Fraction],
    exp_epsilon: Exact,
    bits: int = 128,
) -> tuple[Fraction, Enclosure]:
    """Return the threshold with the largest certified δ, either direction, and that δ."""
    found: list[tuple[Fraction, Fraction, Enclosure]] = []
    for threshold in thresholds:
        view = threshold_view(zero, one, others, threshold=threshold, bits=bits)
        for value in (
            view.delta(exp_epsilon=exp_epsilon),
            view.reverse_delta(exp_epsilon=exp_epsilon),
        ):
            found.append((value.lower, threshold, value))
    if not found:
        raise DomainError("no threshold is given. Pass one or more.")
    _, threshold, value = max(found, key=lambda entry: entry[0])
    return threshold, value


def binned_row(
    noise: Noise, *, edges: Sequence[Fraction], bits: int = 64
) -> tuple[tuple[Exact, ...], Fraction]:
    """Return rational masses of the bins between the edges, and their total variation error.

    The masses sum to 1; the exact law of the bin is within the error in total variation.

    Example:
        >>> from proofs_check.liu2024.noise import laplace_noise
        >>> row, error = binned_row(laplace_noise(0, 1), edges=[Fraction(0)])
        >>> row, error < Fraction(1, 2**60)
        ((Exact('1/2'), Exact('1/2')), True)
    """
    regions = _regions(edges)
    masses: list[Fraction] = []
    error = Fraction(0)
    for region in regions[:-1]:
        low, high = endpoints(noise.mass([region]).ball(bits + 32))
        mass = Fraction(max(0, round((low + high) / 2 * 2**bits)), 2**bits)
        masses.append(mass)
        error += max(abs(high - mass), abs(mass - low))
    last = 1 - sum(masses, Fraction(0))
    if last < 0:
        raise DomainError(f"the last bin has a mass below 2^-{bits}. Pass more bits.")
    # The last bin's error is minus the others' sum: total variation is half of all.
    return tuple(Exact(m) for m in (*masses, last)), error


def binned_lower_bound(
    zero: Noise,
    one: Noise,
    others: Sequence[tuple[Noise, int]],
    *,
    edges: Sequence[Fraction],
    epsilon: Epsilon,
    bits: int = 64,
) -> Fraction:
    """Return a certified lower bound on max over directions of the view's δ at ε.

    Meaning:
        Bins are a post-processing. Rows rounded to rationals move P and Q in total variation
        by at most the sum of the users' errors, so δ by (1 + e^ε) times that.

    Example:
        >>> from proofs_check.liu2024.noise import laplace_noise
        >>> z, o = laplace_noise(0, 1), laplace_noise(1, 1)
        >>> half, zero = Fraction(1, 2), Epsilon.log(1)
        >>> least = binned_lower_bound(z, o, [(z, 2)], edges=[half], epsilon=zero)
        >>> q = 1 - Exact.exp("-1/2") / 2  # below 1/2; both others are with q²
        >>> (2 * q - 1) * q**2 - Exact("1e-15") < least < (2 * q - 1) * q**2
        True
    """
    rows = [binned_row(noise, edges=edges, bits=bits) for noise in (zero, one)]
    moved = max(rows[0][1], rows[1][1])
    groups = []
    for noise, count in others:
        row, error = binned_row(noise, edges=edges, bits=bits)
        groups.append(Users(Randomizer((row,)), 0, count))
        moved += count * error
    victim = Randomizer((rows[0][0], rows[1][0]))
    lower_gamma = endpoints(epsilon.exp.ball(128))[0]
    upper_gamma = endpoints(epsilon.exp.ball(128))[1]
    # δ falls with γ: a rational γ above is safe, and keeps the sums rational.
    gamma = lower_gamma if lower_gamma == upper_gamma else upper_gamma
    best = Fraction(0)
    for inputs in ((0, 1), (1, 0)):
        view = shuffle_view(Victim(victim, inputs), groups)
        value = view.hockey_stick_divergence(exp_epsilon=gamma)
        best = max(best, value.as_fraction())
    return max(Fraction(0), best - (1 + gamma) * moved)


def _regions(edges: Sequence[Fraction]) -> list[Interval]:
    """Return the bins between the edges, and beyond them."""
    cuts = [Exact(edge) for edge in edges]
    if not cuts or any(a >= b for a, b in pairwise(cuts)):
        raise DomainError("edges must ascend, and be at least one. Sort them.")
    return [(None, cuts[0]), *pairwise(cuts), (cuts[-1], None)]


def _positive(value: arb) -> arb:
    """Return a ball around max(0, value)."""
    if value >= 0:
        return value
    return arb(0) if value < 0 else nonnegative_ball(value)
