"""Pairs of counts from privacy amplification: clones, stronger clones, variation-ratio.

The reductions of privacy amplification by shuffling replace the view of the analyzer by
two counts (X, Y). Each of the n − 1 other users adds 1 to X with probability r, 1 to Y
with probability r, and nothing otherwise. The victim adds 1 to X with probability a and
1 to Y with probability b under P; under Q the two are exchanged.

What they bound: if a + b = 1 and the users' randomizers are mixtures with these weights,
the view is a post-processing of the counts, so every divergence of (P, Q) is an upper
bound on the view's. If a + b < 1, the victim sometimes sends what both inputs share, and
the view can show that; the counts do not. Then the published reductions do not hold for
all randomizers (see the trials of feldman2023 and wang2023); a + b times the divergence
of ``CountPair(n, a/(a + b), b/(a + b), r)`` always is an upper bound. Nothing here is a
lower bound in general. ``decompositions`` builds the mixtures of a given randomizer and
says when the counts hide the victim.

Definitions: :class:`CountPair`, :func:`clone_pair`, :func:`stronger_clone_pair`,
:func:`variation_ratio_pair`.

References: V. Feldman, A. McMillan and K. Talwar, Hiding among the Clones, FOCS 2021, and
Stronger Privacy Amplification by Shuffling, SODA 2023; S. Wang et al., Privacy
Amplification via Shuffling: Unified, Simplified, and Tightened, 2023.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

from flint import fmpz_poly

from exactdp.distributions.polynomials import MAX_CELLS, scale_rows
from exactdp.divergences import Pair, Weight
from exactdp.divergences.validation import nonnegative_exp_epsilon, probability
from exactdp.errors import DomainError, TooLargeError
from exactdp.mechanisms.parameters import whole_number
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, RationalLike, count_text, rational
from exactdp.shuffle.count_delta import delta_enclosure, delta_number
from exactdp.shuffle.count_epsilon import epsilon_enclosure

__all__ = ["CountPair", "clone_pair", "stronger_clone_pair", "variation_ratio_pair"]

MAX_PAIR_BITS = 2_000_000_000
"""Exact laws whose weights would fill more bits are refused."""


@dataclass(frozen=True, slots=True)
class CountPair:
    """The pair of laws of the counts (X, Y) of n users.

    Attributes:
        n: The number of users, the victim included, at least 1.
        first: a, the victim's probability of letter 1 under P (of letter 2 under Q).
        second: b, the victim's probability of letter 2 under P (of letter 1 under Q).
        other: r, the probability of letter 1, and of letter 2, of each other user.

    Raises:
        DomainError: If n < 1, a probability is outside [0, 1], a + b > 1 or 2r > 1.

    Example:
        >>> pair = CountPair(2, Exact("3/4"), Exact("1/4"), Exact("1/4"))
        >>> pair.pair().outcomes
        [(1, 0), (0, 1), (2, 0), (1, 1), (0, 2)]
        >>> pair.pair().masses()[0]
        (Exact('3/8'), Exact('1/8'))
    """

    n: int
    first: Exact
    second: Exact
    other: Exact

    def __post_init__(self) -> None:
        whole_number(self.n, name="n", at_least=1)
        for name in ("first", "second", "other"):
            object.__setattr__(self, name, probability(getattr(self, name), name=name))
        if self.first + self.second > 1:
            raise DomainError(
                f"first={self.first} and second={self.second} sum to more than 1. They are the "
                "victim's probabilities of two different letters."
            )
        if 2 * self.other > 1:
            raise DomainError(
                f"other={self.other} is more than 1/2. Each other user sends either letter with "
                "this probability."
            )

    def delta(self, *, exp_epsilon: Exact | RationalLike) -> Number:
        """Return H_γ(P ‖ Q), γ = exp_epsilon; the reverse direction is the same.

        Args:
            exp_epsilon: γ = e^ε, at least 0.

        Returns:
            An exact number where δ is 0, 1 or the victim's alone; else a real that is
            computed, to any precision, when it is asked for: about 10·√n terms.

        Raises:
            DomainError: If exp_epsilon is negative, a float, or an Epsilon.

        Example:
            Without others, δ = a − γ·b:

            >>> clone_pair(1, Epsilon.log(3)).delta(exp_epsilon=2)
            Exact('1/4')
            >>> from exactdp.numbers import decimal
            >>> decimal(stronger_clone_pair(2, Epsilon.log(3)).delta(exp_epsilon=2), digits=6)
            '0.187500'
        """
        return delta_number(self, nonnegative_exp_epsilon(exp_epsilon))

    def delta_enclosure(
        self, *, exp_epsilon: Exact | RationalLike, relative_width: RationalLike = "1e-9"
    ) -> Enclosure:
        """Return an enclosure of H_γ(P ‖ Q), γ = exp_epsilon, however small it is.

        Args:
            exp_epsilon: γ = e^ε, at least 0.
            relative_width: The width is at most this times the value. From 1e-11 on the
                machine's floating point does the work, with a proven error bound.

        Returns:
            Two rationals around δ; a point where δ is zero.

        Raises:
            DomainError: If exp_epsilon is negative, a float, or an Epsilon; if
                relative_width is not positive.
            TooLargeError: If the sum would have too many terms.

        Example:
            >>> pair = stronger_clone_pair(2, Epsilon.log(3))
            >>> pair.delta_enclosure(exp_epsilon=2).contains(Exact("3/16"))
            True
            >>> pair.delta_enclosure(exp_epsilon=3)
            Enclosure(lower=Fraction(0, 1), upper=Fraction(0, 1))
        """
        gamma = nonnegative_exp_epsilon(exp_epsilon)
        return delta_enclosure(self, gamma, width=relative_width)

    def epsilon(
        self, *, delta: Exact | RationalLike, relative_width: RationalLike = "1e-9"
    ) -> Enclosure:
        """Return an enclosure of the smallest ε >= 0 (nats) with H_{e^ε}(P ‖ Q) <= δ.

        Args:
            delta: δ, above 0 and below 1.
            relative_width: The width is at most this times ε.

        Returns:
            Two rationals around ε: δ certainly holds at the upper one, and certainly
            fails at the lower one. The point 0 if δ holds at ε = 0.

        Raises:
            DomainError: If delta is not above 0 and below 1; if no finite ε has it
                (with b = 0 the mass where Q vanishes is a lower limit).
            UndecidedError: If delta is so close to a limit that it cannot be told from it.

        Example:
            Without others, e^ε = (a − δ)/b:

            >>> e = clone_pair(1, Epsilon.log(3)).epsilon(delta="1/4")  # ε = ln 2
            >>> Exact.exp(e.lower) < 2 < Exact.exp(e.upper)
            True
        """
        return epsilon_enclosure(self, delta, width=relative_width)

    def pair(self) -> Pair:
        """Return the exact laws, with outcomes (x, y); about n²/2 of them.

        Raises:
            TooLargeError: If there are more than three million outcomes, or their
                masses would fill gigabytes. Use delta_enclosure.
        """
        n, nothing = self.n, 1 - self.first - self.second
        rows = [(self.first, self.second, nothing), (self.other, self.other, 1 - 2 * self.other)]
        forms = scale_rows(rows)
        (a, b, none), (r, _, rest) = forms.weights
        _refuse_large(n, (*forms.weights[0], *forms.weights[1]))
        total = forms.totals[0] * forms.totals[1] ** (n - 1)
        of_total = [comb(n - 1, c) * r**c * rest ** (n - 1 - c) for c in range(n)]
        p: dict[tuple[int, int], Weight] = {}
        q: dict[tuple[int, int], Weight] = {}
        for c in range(n + 1):
            before = of_total[c - 1] if c else fmpz_poly()
            same = of_total[c] * none if c < n else fmpz_poly()
            for x in range(c, -1, -1):
                up = comb(c - 1, x - 1) * before if x else fmpz_poly()
                down = comb(c - 1, x) * before if x < c else fmpz_poly()
                still = comb(c, x) * same
                for law, one, two in ((p, a, b), (q, b, a)):
                    weight = one * up + two * down + still
                    if weight.length():
                        law[x, c - x] = (
                            Exact.from_polynomial(weight, rate=forms.rate)
                            if forms.rate
                            else weight[0]
                        )
        whole = Exact.from_polynomial(total, rate=forms.rate) if forms.rate else total[0]
        return Pair.from_weight_maps(p, q, p_total=whole, q_total=whole)


def clone_pair(n: int, epsilon0: Epsilon) -> CountPair:
    """Return the pair of counts of the clone reduction.

    Formula:
        r = e^−ε0 / 2, a = e^ε0 / (e^ε0 + 1), b = 1 / (e^ε0 + 1).

    Meaning:
        As published, an upper bound on every divergence of n shuffled reports of ε0-private
        local randomizers, whoever the victim is.

    Args:
        n: The number of users, the victim included, at least 1.
        epsilon0: ε0 in nats, finite, at least 0.

    Raises:
        DomainError: If an argument is outside its range.

    Source:
        Feldman, McMillan & Talwar 2021: C ~ Bin(n − 1, e^−ε0), A ~ Bin(C, 1/2),
        Δ ~ Bern(e^ε0/(e^ε0 + 1)); (A + Δ, C − A + 1 − Δ) against the same with 1 − Δ.

    Example:
        >>> clone_pair(10, Epsilon.log(3))
        CountPair(n=10, first=Exact('3/4'), second=Exact('1/4'), other=Exact('1/6'))
    """
    e = _finite(epsilon0)
    return CountPair(n, e / (e + 1), 1 / (e + 1), 1 / (2 * e))


def stronger_clone_pair(n: int, epsilon0: Epsilon) -> CountPair:
    """Return the pair of counts of the stronger clone reduction.

    Formula:
        r = 1 / (e^ε0 + 1), a = e^ε0 / (e^ε0 + 1), b = 1 / (e^ε0 + 1).

    Meaning:
        As for clones, with more of them. Which randomizers it bounds is a statement of the
        paper (its decomposition must exist), not of this function.

    Args:
        n: The number of users, the victim included, at least 1.
        epsilon0: ε0 in nats, finite, at least 0.

    Raises:
        DomainError: If an argument is outside its range.

    Source:
        Feldman, McMillan & Talwar 2023: C ~ Bin(n − 1, 2/(e^ε0 + 1)), the rest as for
        clones.

    Example:
        >>> stronger_clone_pair(10, Epsilon.log(3))
        CountPair(n=10, first=Exact('3/4'), second=Exact('1/4'), other=Exact('1/4'))
    """
    e = _finite(epsilon0)
    return CountPair(n, e / (e + 1), 1 / (e + 1), 1 / (e + 1))


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

    Args:
        n: The number of users, the victim included, at least 1.
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
    variation = probability(beta, name="beta")
    ratio = _exact(q, "q")
    if ratio < 1:
        raise DomainError(f"q={ratio} must be at least 1. It is a ratio of two laws' masses.")
    limit = Exact(1)
    if p == "infinity" or (isinstance(p, Epsilon) and p.is_infinite):
        first, second = variation, Exact(0)
    else:
        odds = p.exp if isinstance(p, Epsilon) else _exact(p, "p")
        if odds <= 1:
            raise DomainError(f'p={odds} must be above 1. Pass "infinity" if no ratio bounds it.')
        second = variation / (odds - 1)
        first, limit = odds * second, (odds - 1) / (odds + 1)
    if variation > limit:
        raise DomainError(
            f"beta={variation} is more than (p - 1)/(p + 1) = {limit}, which no pair of laws with "
            "ratios of at most p reaches."
        )
    if 2 * first > ratio:
        raise DomainError(
            f"q={ratio} makes 2*beta*p/((p - 1)*q) more than 1. Pass a q of at least {2 * first}."
        )
    return CountPair(n, first, second, first / ratio)


def _finite(epsilon0: Epsilon) -> Exact:
    """Return e^epsilon0."""
    if not isinstance(epsilon0, Epsilon):
        raise DomainError(
            f"epsilon0={epsilon0!r} is no Epsilon. Pass Epsilon.rational('1/2') (nats) or "
            "Epsilon.log(3)."
        )
    if epsilon0.is_infinite or epsilon0.exp < 1:
        raise DomainError(f"epsilon0={epsilon0!r} must be finite and at least 0.")
    return epsilon0.exp


def _exact(value: Exact | RationalLike, name: str) -> Exact:
    return value if isinstance(value, Exact) else Exact(rational(value, name=name))


def _refuse_large(n: int, weights: tuple[fmpz_poly, ...]) -> None:
    cells = (n + 1) * (n + 2) // 2
    size = max(
        w.length() * (max(int(abs(c).bit_length()) for c in w.coeffs()) + 2)
        for w in weights
        if w.length()
    )
    degree = max(w.length() for w in weights)
    bits = cells * n * size if degree == 1 else cells * n * degree * n * size
    if cells > MAX_CELLS or bits > MAX_PAIR_BITS:
        raise TooLargeError(
            f"n={count_text(n)}: the exact laws have {count_text(cells)} outcomes with masses of "
            f"about {count_text(bits)} bits in all; the limit is {MAX_CELLS:,} and "
            f"{MAX_PAIR_BITS:,}. Use delta_enclosure."
        )
