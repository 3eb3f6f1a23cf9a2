"""The privacy profile: one ordered pair of laws as the function ε -> δ(ε).

Whatever answers "what is δ at this ε" is a :class:`PrivacyProfile`: a finite pair, the view
of a shuffled protocol, a pair of counts, a noise mechanism, a composition. What follows
from δ alone is written here once: the smallest ε for a δ, the larger of two directions,
the names of other accountants, the display in a notebook.

Definitions: :class:`PrivacyProfile`, :class:`BothDirections`, :func:`enclosed`,
:func:`larger`, :func:`larger_number`.

References: B. Balle, G. Barthe and M. Gaboardi, Privacy Profiles and Amplification by
Subsampling, 2020.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from exactdp.errors import UndecidedError
from exactdp.numbers import (
    Enclosure,
    Epsilon,
    Exact,
    Number,
    RationalLike,
    Real,
    decimal,
    enclosure,
    is_below,
    working_bits,
)
from exactdp.numbers.arguments import open_probability
from exactdp.numbers.arguments import relative_width as checked_width
from exactdp.numbers.crossing import smallest_from_zero
from exactdp.truth import Truth

__all__ = ["BothDirections", "PrivacyProfile", "enclosed", "larger", "larger_number"]

_SHOWN_EPSILONS = ("0", "1/10", "1/2", "1", "2", "4")


class PrivacyProfile(ABC):
    """One ordered pair (P, Q) as the function ε -> δ(ε) = H_{e^ε}(P ‖ Q).

    Formula:
        H_γ(P ‖ Q) = sup over events S of P(S) − γ·Q(S), γ = e^ε, ε in nats.

    A mechanism's δ is the largest over all neighboring pairs, each in both orders.
    """

    __slots__ = ()

    usual_width: ClassVar[Fraction] = Fraction(1, 10**9)
    """The relative width of an enclosure where none is asked for."""

    @property
    def note(self) -> str | None:
        """What these numbers do not show of a mechanism, in one line; None if nothing is open."""
        return None

    @abstractmethod
    def delta(
        self, epsilon: Epsilon, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure:
        """Return δ(ε) = H_{e^ε}(P ‖ Q).

        Args:
            epsilon: ε in nats, finite; negative ones are allowed where P and Q are.
            relative_width: The width of an enclosure, at most this times δ.

        Returns:
            Without a width: a number (exact, or a real that refines) where the profile has
            one, else an enclosure of the usual width. With a width: an enclosure.

        Raises:
            DomainError: If an argument is outside its range.
            UndecidedError: If the width is not reached.
        """

    @abstractmethod
    def max_divergence(self) -> Epsilon | Number:
        """Return D_∞(P ‖ Q), the least ε with δ(ε) = 0; as nats where e^ε is not exact."""

    @abstractmethod
    def reversed(self) -> PrivacyProfile:
        """Return the profile of (Q, P), the other direction."""

    def epsilon(
        self, delta: Exact | RationalLike, *, relative_width: RationalLike | None = None
    ) -> Epsilon | Enclosure:
        """Return the smallest ε >= 0 (nats) with H_{e^ε}(P ‖ Q) <= δ.

        Args:
            delta: δ, above 0 and below 1 (exact profiles take 0 and 1 too).
            relative_width: The width of an enclosure, at most this times ε.

        Returns:
            An Epsilon where the profile has exact ones and no width is asked; else an
            enclosure: δ certainly holds at its upper end and certainly fails at its lower
            one; the point 0 if δ holds at ε = 0. Epsilon.infinity() if no finite ε has it.

        Raises:
            DomainError: If an argument is outside its range.
            UndecidedError: If δ is so close to a limit that it cannot be told from it.
        """
        target = open_probability(delta, name="delta")
        limit = self.infinity_mass()
        match is_below(limit, target):
            case Truth.FALSE:
                return Epsilon.infinity()
            case Truth.UNKNOWN:
                raise UndecidedError(
                    f"delta={target} cannot be told from the mass that P has where Q has none. "
                    "Ask for another delta."
                )
        return smallest_from_zero(
            lambda x, width: enclosed(self.delta(Epsilon.rational(x), relative_width=width), width),
            target,
            first=self.first_guess(target),
            relative_width=self.usual_width if relative_width is None else relative_width,
        )

    def infinity_mass(self) -> Number:
        """Return the limit of δ(ε) for ε to infinity: the mass of P where Q has none."""
        return Exact(0)

    def first_guess(self, delta: Exact) -> Fraction:
        """Return a guess of ε for a δ, above 0, from which the search starts."""
        return Fraction(1)

    def both_directions(self) -> PrivacyProfile:
        """Return the larger of the two directions, ε by ε: the δ of the unordered pair."""
        return BothDirections(self, self.reversed())

    # The names that other accountants have for the same questions.

    def get_delta_for_epsilon(
        self, epsilon: Epsilon, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure:
        """Return :meth:`delta`, as dp_accounting calls it."""
        return self.delta(epsilon, relative_width=relative_width)

    def get_epsilon_for_delta(
        self, delta: Exact | RationalLike, *, relative_width: RationalLike | None = None
    ) -> Epsilon | Enclosure:
        """Return :meth:`epsilon`, as dp_accounting calls it."""
        return self.epsilon(delta, relative_width=relative_width)

    def _repr_html_(self) -> str:
        """Return a table of δ at a few ε, for a notebook."""
        rows = []
        for nats in _SHOWN_EPSILONS:
            found = enclosed(self.delta(Epsilon.rational(nats), relative_width="1e-3"), "1e-3")
            rows.append(f"<tr><td>{nats}</td><td>{decimal(Exact(found.upper), digits=4)}</td></tr>")
        head = "<tr><th>ε (nats)</th><th>δ at most</th></tr>"
        return f"<table><caption>{self!r}</caption>{head}{''.join(rows)}</table>".replace(
            repr(self), repr(self).replace("<", "&lt;").replace(">", "&gt;")
        )


@dataclass(frozen=True, slots=True)
class BothDirections(PrivacyProfile):
    """The pointwise larger of two profiles: the worst case over both orders, or over cases.

    Attributes:
        first: A profile.
        second: Another, such as the first reversed.

    Example:
        >>> from exactdp.divergences import Pair
        >>> pair = Pair.from_masses(["1/2", "1/2"], [1, 0])
        >>> pair.delta(Epsilon.log(2)), pair.reversed().delta(Epsilon.log(2))
        (Exact('1/2'), Exact('0'))
        >>> pair.both_directions().delta(Epsilon.log(2))
        Exact('1/2')
    """

    first: PrivacyProfile
    second: PrivacyProfile

    @property
    def note(self) -> str | None:
        """The note of either."""
        return self.first.note or self.second.note

    def delta(
        self, epsilon: Epsilon, *, relative_width: RationalLike | None = None
    ) -> Number | Enclosure:
        """Return the larger δ(ε) of the two."""
        one = self.first.delta(epsilon, relative_width=relative_width)
        return larger(one, self.second.delta(epsilon, relative_width=relative_width))

    def epsilon(
        self, delta: Exact | RationalLike, *, relative_width: RationalLike | None = None
    ) -> Epsilon | Enclosure:
        """Return the larger ε(δ) of the two."""
        one = self.first.epsilon(delta, relative_width=relative_width)
        other = self.second.epsilon(delta, relative_width=relative_width)
        if isinstance(one, Epsilon) and isinstance(other, Epsilon):
            return max(one, other)
        if any(isinstance(end, Epsilon) and end.is_infinite for end in (one, other)):
            return Epsilon.infinity()
        return _larger_enclosure(_nats_enclosure(one), _nats_enclosure(other))

    def max_divergence(self) -> Epsilon | Number:
        """Return the larger maximal divergence of the two."""
        one, other = self.first.max_divergence(), self.second.max_divergence()
        if isinstance(one, Epsilon) and isinstance(other, Epsilon):
            return max(one, other)
        if any(isinstance(end, Epsilon) and end.is_infinite for end in (one, other)):
            return Epsilon.infinity()
        return larger_number(*(e.nats if isinstance(e, Epsilon) else e for e in (one, other)))

    def infinity_mass(self) -> Number:
        """Return the larger limit of δ(ε) of the two."""
        return larger_number(self.first.infinity_mass(), self.second.infinity_mass())

    def reversed(self) -> PrivacyProfile:
        """Return the larger of both, reversed."""
        return BothDirections(self.first.reversed(), self.second.reversed())


def enclosed(value: Number | Enclosure, relative_width: RationalLike) -> Enclosure:
    """Return a number as an enclosure of a relative width; an enclosure as it is."""
    if isinstance(value, Enclosure):
        return value
    if isinstance(value, Exact) and value.is_rational:
        return Enclosure(value.as_fraction(), value.as_fraction())
    width = checked_width(relative_width)
    bits = width.denominator.bit_length() - width.numerator.bit_length() + 2
    return enclosure(value, relative_bits=max(8, bits))


def larger(one: Number | Enclosure, other: Number | Enclosure) -> Number | Enclosure:
    """Return the larger of two values of δ; of enclosures, an enclosure of the larger."""
    if isinstance(one, Enclosure) or isinstance(other, Enclosure):
        return _larger_enclosure(enclosed(one, "1e-15"), enclosed(other, "1e-15"))
    return larger_number(one, other)


def larger_number(a: Number, b: Number) -> Number:
    """Return the larger of two numbers; of computable reals, without deciding which."""
    if isinstance(a, Exact) and isinstance(b, Exact):
        return max(a, b)
    return Real(
        lambda: a.ball(working_bits()).max(b.ball(working_bits())), f"max({_text(a)}, {_text(b)})"
    )


def _text(value: Number) -> str:
    return value.text if isinstance(value, Real) else value.expression()


def _larger_enclosure(one: Enclosure, other: Enclosure) -> Enclosure:
    return Enclosure(max(one.lower, other.lower), max(one.upper, other.upper))


def _nats_enclosure(value: Epsilon | Enclosure) -> Enclosure:
    return value if isinstance(value, Enclosure) else enclosed(value.nats, "1e-15")
