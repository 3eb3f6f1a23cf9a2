"""The paper's sets and probabilities for finite randomizers, and its decompositions.

Rows are masses of messages: ``zero`` and ``one`` of R(x_1^0) and R(x_1^1), ``other`` of
R(x_i), whose randomizer may be another one. Strict inequalities stay strict, so ties are
in no set. A decomposition is returned as an unchecked mixture: its ``check`` says whether
the leftover is a law.

Source: Liu et al. 2024, Sections 3.1, 3.2.1 and 3.2.2, equations (1)-(4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from exactdp.errors import DomainError
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Epsilon, Exact
from exactdp.shuffle import Component, Mixture, clone_decomposition
from exactdp.shuffle.mixtures import with_leftover

__all__ = [
    "OtherRegions",
    "VictimConfounding",
    "as_copies",
    "equation_1",
    "equation_3",
    "equation_3_over_letters",
    "failure_set",
    "inline_decomposition",
    "other_confounding",
    "other_regions",
    "rejection_region",
    "victim_confounding",
]

Row = Sequence[Exact]


def rejection_region(zero: Row, one: Row) -> frozenset[int]:
    """Return S = {z | R(x_1^0)(z) < R(x_1^1)(z)}.

    Example:
        >>> third = Exact("1/3")
        >>> rejection_region([third, third, third], [third / 2, third, 3 * third / 2])
        frozenset({2})
    """
    return frozenset(z for z, (u, v) in enumerate(zip(zero, one, strict=True)) if u < v)


def failure_set(row: Row, *, delta: Exact) -> frozenset[int]:
    """Return T_δ as printed: {z | R(x)(z) < −δ/2 or R(x)(z) > 1 − δ/2}.

    Example:
        >>> failure_set([Exact("9/10"), Exact("1/10")], delta=Exact("1/4"))
        frozenset({0})
    """
    return frozenset(z for z, m in enumerate(row) if m < -delta / 2 or m > 1 - delta / 2)


@dataclass(frozen=True, slots=True)
class VictimConfounding:
    """The probabilities that the display before (3) equates and calls p_1.

    Attributes:
        from_zero: Pr[R(x_1^0) ∈ S∖T^0].
        from_one: Pr[R(x_1^1) ∈ S̄∖T^0], as printed.
        from_one_own: Pr[R(x_1^1) ∈ S̄∖T^1], with the other failure set.
    """

    from_zero: Exact
    from_one: Exact
    from_one_own: Exact

    @property
    def least(self) -> Exact:
        """The least of the three."""
        return min(self.from_zero, self.from_one, self.from_one_own)


def victim_confounding(zero: Row, one: Row, *, delta: Exact | int = 0) -> VictimConfounding:
    """Return the probabilities of Section 3.2.1, with δ_1 = delta.

    Example:
        For randomized response with e^ε = 3 all are 1/4 = 1/(e^ε + 1):

        >>> q, t = Exact("1/4"), Exact("3/4")
        >>> victim_confounding([t, q], [q, t]).least
        Exact('1/4')
    """
    level = _failure_level(delta)
    s = rejection_region(zero, one)
    rest = frozenset(range(len(zero))) - s
    first, second = failure_set(zero, delta=level), failure_set(one, delta=level)
    return VictimConfounding(
        _mass(zero, s - first), _mass(one, rest - first), _mass(one, rest - second)
    )


@dataclass(frozen=True, slots=True)
class OtherRegions:
    """The sets U, U_0 and U_1 of Section 3.2.2."""

    union: frozenset[int]
    zero: frozenset[int]
    one: frozenset[int]

    @property
    def is_covered(self) -> bool:
        """Whether U_0 ∪ U_1 = U."""
        return self.zero | self.one == self.union


def other_regions(zero: Row, one: Row, other: Row) -> OtherRegions:
    """Return U = {R_i < max(R^0, R^1)}, U_0 = {R_i, R^1 < R^0} and U_1 = {R_i, R^0 < R^1}.

    Example:
        Where R^0 = R^1 exceeds R_i, z is in U alone:

        >>> h, q, s = Exact("1/2"), Exact("1/4"), Exact("1/8")
        >>> regions = other_regions([h, q, q], [h, s, 3 * s], [q, 2 * q, q])
        >>> sorted(regions.union), sorted(regions.zero), sorted(regions.one)
        ([0, 2], [], [2])
        >>> regions.is_covered
        False
    """
    triples = list(enumerate(zip(zero, one, other, strict=True)))
    return OtherRegions(
        frozenset(z for z, (u, v, w) in triples if w < max(u, v)),
        frozenset(z for z, (u, v, w) in triples if w < u and v < u),
        frozenset(z for z, (u, v, w) in triples if w < v and u < v),
    )


def other_confounding(
    zero: Row, one: Row, other: Row, *, delta: Exact | int = 0
) -> tuple[Exact, Exact]:
    """Return p_i^0 = Pr[R(x_i) ∈ U_0∖T^i] and p_i^1, with δ_i = delta.

    Example:
        >>> q, t, h = Exact("1/4"), Exact("3/4"), Exact("1/2")
        >>> other_confounding([t, q], [q, t], [h, h])
        (Exact('1/2'), Exact('1/2'))
        >>> other_confounding([t, q], [q, t], [t, q])  # ties are in no set
        (Exact('0'), Exact('1/4'))
    """
    regions = other_regions(zero, one, other)
    failed = failure_set(other, delta=_failure_level(delta))
    return _mass(other, regions.zero - failed), _mass(other, regions.one - failed)


def inline_decomposition(zero: Row, one: Row, *, p: Exact, letters: Sequence[Row]) -> list[Mixture]:
    """Return the display before (1) as printed, whose second line repeats Q(x_1^0)."""
    q0, q1 = Component("Q(x_1^0)", tuple(letters[0])), Component("Q(x_1^1)", tuple(letters[1]))
    return [
        Mixture("R(x_1^0)", tuple(zero), ((1 - p, q0), (p, q1))),
        Mixture("R(x_1^1)", tuple(one), ((p, q0), (1 - p, q0))),
    ]


def equation_1(zero: Row, one: Row, *, epsilon: Epsilon) -> tuple[Mixture, ...]:
    """Return (1) with p = 1/(e^ε + 1): both rows over the only letters that solve it.

    Example:
        >>> q, t = Exact("1/4"), Exact("3/4")
        >>> [m.check() for m in equation_1([t, q], [q, t], epsilon=Epsilon.log(3))]
        [None, None]
    """
    pair = Randomizer((tuple(zero), tuple(one)))
    return clone_decomposition(pair, epsilon0=epsilon).mixtures[:2]


def as_copies(zero: Row, one: Row, other: Row, *, p: Exact) -> Mixture:
    """Return (2), and with p = p_i (4): R(x_i) = p R(x_1^0) + p R(x_1^1) + (1 − 2p) leftover.

    Example:
        >>> q, t, h = Exact("1/4"), Exact("3/4"), Exact("1/2")
        >>> print(as_copies([t, q], [q, t], [t, q], p=h / 2).check())
        None
        >>> print(as_copies([t, q], [q, t], [t, q], p=h * 3 / 4).check())
        R(x_i), leftover: negative mass at message 1 (-1/2)
    """
    parts = [(p, Component("R(x_1^0)", tuple(zero))), (p, Component("R(x_1^1)", tuple(one)))]
    return with_leftover("R(x_i)", other, parts)


def equation_3(zero: Row, one: Row, *, p: Exact) -> list[Mixture]:
    """Return (3) as printed, with R on both sides: it holds only if p = 0 or the rows agree.

    Example:
        >>> q, t = Exact("1/4"), Exact("3/4")
        >>> print(equation_3([t, q], [q, t], p=q)[0].check())
        R(x_1^0): the mixture is not the row at message 0 (-1/8)
    """
    first, second = Component("R(x_1^0)", tuple(zero)), Component("R(x_1^1)", tuple(one))
    return [
        Mixture("R(x_1^0)", tuple(zero), ((1 - p, first), (p, second))),
        Mixture("R(x_1^1)", tuple(one), ((p, first), (1 - p, second))),
    ]


def equation_3_over_letters(zero: Row, one: Row, *, p: Exact) -> list[Mixture]:
    """Return (3) with letters Q on the right, Q(x_1^0) = ((1 − p)R^0 − p R^1)/(1 − 2p).

    These are the only letters that solve it; they are laws exactly if
    p R^1 <= (1 − p) R^0 and p R^0 <= (1 − p) R^1 at every message.

    Raises:
        DomainError: If p = 1/2, where the rows would have to agree.

    Example:
        >>> q, t = Exact("1/4"), Exact("3/4")
        >>> [m.check() for m in equation_3_over_letters([t, q], [q, t], p=q)]
        [None, None]
    """
    if 2 * p == 1:
        raise DomainError("p=1/2 leaves the letters undetermined. Pass another p.")
    letters = [
        Component(name, tuple(((1 - p) * u - p * v) / (1 - 2 * p) for u, v in pairs))
        for name, pairs in (
            ("Q(x_1^0)", zip(zero, one, strict=True)),
            ("Q(x_1^1)", zip(one, zero, strict=True)),
        )
    ]
    return [
        Mixture("R(x_1^0)", tuple(zero), ((1 - p, letters[0]), (p, letters[1]))),
        Mixture("R(x_1^1)", tuple(one), ((p, letters[0]), (1 - p, letters[1]))),
    ]


def _mass(row: Row, messages: frozenset[int]) -> Exact:
    return sum((row[z] for z in sorted(messages)), Exact(0))


def _failure_level(delta: Exact | int) -> Exact:
    level = delta if isinstance(delta, Exact) else Exact(delta)
    if level.sign() < 0 or level >= 1:
        raise DomainError(f"delta={level} must be at least 0 and below 1.")
    return level
