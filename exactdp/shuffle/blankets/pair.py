"""The pair of the privacy blanket at scale: certified δ and ε for up to billions of users.

The victim's message is shuffled with the messages of those others that come from the blanket
ω (``exactdp.shuffle.blankets.decomposition``). With γ its mass, Y drawn from ω, and

    Z = (R(x)(Y) − e^ε R(x')(Y)) / (γ ω(Y)) with probability γ, 0 else,

    D_{e^ε} = Σ_{y: ω(y) = 0} max(0, R(x)(y) − e^ε R(x')(y)) + E max(0, Z_1 + ... + Z_n) / n.

For m others that send blanket messages are Bin(n − 1, γ), the victim's message makes m + 1,
the sum over them is m + 1 times the divergence given m (its average over who is the victim),
and Bin(n − 1, γ)(m)/(m + 1) = Bin(n, γ)(m + 1)/(nγ). A message outside the blanket can only
be the victim's. The mean is enclosed by ``exactdp.distributions.grid_sums``.

What it bounds: every divergence of the view of n users of this randomizer, whatever the
others' inputs, is at most that of the blanket's. It is no lower bound in general. For few users
``BlanketDecomposition.blanket_view`` is the same pair exactly.

References: B. Balle, J. Bell, A. Gascon and K. Nissim, The Privacy Blanket of the Shuffle
Model, CRYPTO 2019 (Lemma 5.3 for the mean).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import permutations

from flint import arb

from exactdp.divergences.profile import PrivacyProfile, enclosed
from exactdp.errors import DomainError, UndecidedError
from exactdp.grids import mean_positive_sum
from exactdp.mechanisms import Randomizer
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    RationalLike,
    Real,
    fmpq_of,
    working_bits,
)
from exactdp.numbers.arguments import any_epsilon, relative_bits, whole_number
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.compare import is_ratio_above
from exactdp.numbers.crossing import smallest_from_zero
from exactdp.numbers.limits import MAX_INPUT_PAIRS, refuse_above
from exactdp.shuffle.blankets.decomposition import blanket_decomposition
from exactdp.shuffle.counts.pairs import guess_from_zero
from exactdp.shuffle.views.worst_case import is_input_symmetric

__all__ = ["BlanketPair", "blanket_pair"]

_COARSE = (Fraction(1, 8), Fraction(1, 64))
_MAX_OPEN = 12


@dataclass(frozen=True, slots=True)
class _Letters:
    """What one ordered pair of inputs has in each message.

    Attributes:
        shared: (R(x)(y)/(γω(y)), R(x')(y)/(γω(y))) with the mass γω(y), equal ones together.
        nothing: 1 − γ.
        alone: (R(x)(y), R(x')(y)) where ω(y) = 0.
    """

    shared: tuple[tuple[Exact, Exact, Exact], ...]
    nothing: Exact
    alone: tuple[tuple[Exact, Exact], ...]

    @classmethod
    def of(cls, randomizer: Randomizer, inputs: tuple[int, int]) -> _Letters:
        shared: dict[tuple[Exact, Exact], Exact] = {}
        alone, gamma = [], Exact(0)
        for column in randomizer.columns():
            least, p, q = min(column), column[inputs[0]], column[inputs[1]]
            if least == 0:
                alone.append((p, q))
                continue
            ratios = (p / least, q / least)
            shared[ratios] = shared.get(ratios, Exact(0)) + least
            gamma += least
        letters = sorted((*ratios, mass) for ratios, mass in shared.items())
        present = sorted(pair for pair in alone if pair[0] != 0)
        return cls(tuple(letters), 1 - gamma, tuple(present))

    @property
    def unmatched(self) -> Exact:
        """The mass that P has where Q has none, whatever the others send."""
        return sum((p for p, q in self.alone if q == 0), Exact(0))

    def max_divergence(self) -> Epsilon:
        """Return ln of the largest ratio of the two rows."""
        if self.unmatched > 0:
            return Epsilon.infinity()
        rows = [(p, q) for p, q, _ in self.shared] + list(self.alone)
        return Epsilon(max(p / q for p, q in rows))

    def delta(self, n: int, gamma: Exact, width: Fraction) -> Enclosure:
        """Return an enclosure of D_gamma, gamma >= 1."""
        exposed = self._exposed(gamma)
        if not any(is_ratio_above(p, q, gamma) for p, q, _ in self.shared):
            return enclosed(exposed, width / 16)
        values = [_difference(p, q, gamma) for p, q, _ in self.shared]
        masses = [mass for _, _, mass in self.shared]
        if self.nothing != 0:
            values, masses = [*values, Exact(0)], [*masses, self.nothing]
        found = mean_positive_sum(values, masses, n, relative_width=width)
        alone = enclosed(exposed, width / 16)
        return Enclosure(found.lower / n + alone.lower, found.upper / n + alone.upper)

    def _exposed(self, gamma: Exact) -> Number:
        """Return what the messages outside the blanket contribute."""
        total: Number = Exact(0)
        for p, q in self.alone:
            if is_ratio_above(p, q, gamma):
                total = total + _difference(p, q, gamma)
        return total


@dataclass(frozen=True, eq=False)
class BlanketPair(PrivacyProfile):
    """The victim's message among the blanket messages of n users, for certified δ and ε.

    Its own worst case if no inputs are given: the largest δ of all ordered pairs, ε by ε.

    Build it with :func:`blanket_pair`.

    Example:
        Without others, δ = 3/4 − e^ε/4:

        >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
        >>> e = blanket_pair(1, coin).epsilon("1/4")  # ε = ln 2
        >>> Exact.exp(e.lower) < 2 < Exact.exp(e.upper)
        True
    """

    n: int
    randomizer: Randomizer
    inputs: tuple[int, int] | None
    _pairs: tuple[_Letters, ...] = field(repr=False)

    usual_width = Fraction(1, 10**3)

    def delta(self, epsilon: Epsilon, *, relative_width: RationalLike | None = None) -> Enclosure:
        """Return an enclosure of δ(ε) = H_{e^ε}(P ‖ Q), the largest of all pairs of inputs.

        Args:
            epsilon: ε in nats, finite, of any sign.
            relative_width: The width is at most this times the value; 1e-3 if none is
                given, which takes about a second. 1e-4 takes a few, while δ is above
                10^-80 or so.

        Raises:
            DomainError: If an argument is outside its range.
            TooLargeError: If n is above 10^13.
            UndecidedError: If the width is not reached.

        Example:
            >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
            >>> blanket_pair(2, coin).delta(Epsilon.log(2)).contains(Exact("3/16"))
            True
            >>> blanket_pair(2, coin).delta(Epsilon.log(3))
            Enclosure(lower=Fraction(0, 1), upper=Fraction(0, 1))
        """
        gamma = any_epsilon(epsilon).exp
        width = checked_width(self.usual_width if relative_width is None else relative_width)
        if gamma >= 1:
            return self._largest(gamma, width)
        # D_γ(P ‖ Q) = 1 − γ + γ·D_{1/γ}(Q ‖ P).
        inner = self.reversed()._largest(1 / gamma, width)
        factor, rest = enclosed(gamma, width / 128), enclosed(1 - gamma, width / 128)
        lower = rest.lower + factor.lower * inner.lower
        return Enclosure(lower, rest.upper + factor.upper * inner.upper)

    def _largest(self, gamma: Exact, width: Fraction) -> Enclosure:
        """Return an enclosure of the largest D_gamma of the pairs of inputs, gamma >= 1."""
        pairs = self._pairs
        if len(pairs) > 1:
            coarse = [letters.delta(self.n, gamma, max(width, _COARSE[0])) for letters in pairs]
            least = max(found.lower for found in coarse)
            pairs = tuple(x for x, found in zip(pairs, coarse, strict=True) if found.upper >= least)
        narrow = [letters.delta(self.n, gamma, width) for letters in pairs]
        return Enclosure(max(found.lower for found in narrow), max(found.upper for found in narrow))

    def _smallest_from(self, start: Fraction, target: Exact, width: Fraction) -> Enclosure:
        finest = Fraction(1, 2 ** relative_bits(width))
        open_ones: list[Fraction] = []

        @cache
        def delta_at(epsilon: Fraction) -> Enclosure:
            """Return δ no finer than it takes to tell it from the target: it is slow."""
            for tried in (*_COARSE, finest):
                delta = self._largest(Exact.exp(epsilon), max(tried, finest))
                if not delta.contains(target):
                    return delta
            open_ones.append(epsilon)
            if len(open_ones) > _MAX_OPEN:
                raise UndecidedError(
                    f"δ is too flat near delta={target}: {len(open_ones)} enclosures of relative "
                    f"width {finest} contain it. Ask for a larger relative width."
                )
            return delta

        at_zero = arb(fmpq_of(delta_at(Fraction(0)).lower))
        return smallest_from_zero(
            lambda epsilon, _width: delta_at(epsilon),
            target,
            first=guess_from_zero(at_zero, target),
            relative_width=width,
        )

    def max_divergence(self) -> Epsilon:
        """Return D_∞(P ‖ Q), the victim's own: the others may all send one message."""
        return max(letters.max_divergence() for letters in self._pairs)

    def reversed(self) -> BlanketPair:
        """Return the pair with the victim's inputs exchanged; itself if it is the worst case."""
        if self.inputs is None:
            return self
        return blanket_pair(self.n, self.randomizer, inputs=(self.inputs[1], self.inputs[0]))

    def infinity_mass(self) -> Exact:
        """Return the mass that P has where Q has none, whatever the others send."""
        return max(letters.unmatched for letters in self._pairs)


def blanket_pair(
    n: int, randomizer: Randomizer, inputs: tuple[int, int] | None = None
) -> BlanketPair:
    """Return the pair of the privacy blanket for n users of a randomizer.

    Args:
        n: The number of users, the victim included, at least 1.
        randomizer: Of all users.
        inputs: The victim's inputs, for P and for Q; None for the worst ordered pair of
            different inputs at each ε.

    Raises:
        DomainError: If n < 1, an input is no row number, there is only one input, or the
            blanket is empty.
        TooLargeError: If there are too many ordered pairs of inputs.

    Source:
        Balle, Bell, Gascon & Nissim 2019, Section 5, with the blanket of finite alphabets.

    Example:
        At n = 2 binary randomized response with ε0 = ln 3 has δ = 3/16 at ε = ln 2:

        >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
        >>> blanket_pair(2, coin)
        BlanketPair(n=2, randomizer=<Randomizer randomizer: 2 inputs, 2 messages>, inputs=None)
        >>> found = blanket_pair(2, coin, inputs=(0, 1)).delta(Epsilon.log(2))
        >>> found.contains(Exact("3/16")), found.width < Fraction(1, 1000)
        (True, True)
    """
    whole_number(n, name="n", at_least=1)
    blanket_decomposition(randomizer)  # refuses an empty blanket
    if inputs is not None:
        for x in inputs:
            randomizer.row(x)  # refuses what is no row number
        return BlanketPair(n, randomizer, inputs, (_Letters.of(randomizer, inputs),))
    if randomizer.inputs < 2:
        raise DomainError("the alphabet has one input, so no two datasets differ.")
    if is_input_symmetric([randomizer]):
        return BlanketPair(n, randomizer, None, (_Letters.of(randomizer, (0, 1)),))
    searched = randomizer.inputs * (randomizer.inputs - 1)
    what = f"{randomizer.inputs:,} inputs have {searched:,} ordered pairs"
    refuse_above(MAX_INPUT_PAIRS, searched, what, advice="Pass inputs=(x, x').")
    pairs = permutations(range(randomizer.inputs), 2)
    different = dict.fromkeys(_Letters.of(randomizer, pair) for pair in pairs)
    return BlanketPair(n, randomizer, None, tuple(different))


def _difference(p: Exact, q: Exact, gamma: Exact) -> Number:
    """Return p − gamma·q, as balls where a common rate might be tiny."""
    if p.is_rational and q.is_rational and gamma.is_rational:
        return p - gamma * q

    def ball() -> arb:
        bits = working_bits()
        return p.ball(bits) - gamma.ball(bits) * q.ball(bits)

    return Real(ball, f"({p} - {gamma}*{q})")
