"""Exact composition of privacy loss distributions, k-fold and heterogeneous.

Independent pairs compose to the pair of the product laws; its losses are the sums
of theirs. Where the losses of a pair lie on a lattice, ratios c·b^i, the weight of
loss i of k copies is the coefficient of z^i in A(z)^k, A(z) = Σ_i w_i z^i, and the
ratio there is c^k·b^i: one power of one polynomial for P and one for Q. Mass at an
infinite loss is what the coefficients lack of the total. Parts with commensurable
lattices share one product; others are merged as exact multisets.

Weights are integers, or polynomials in g = e^rate: then g is one more variable.

References: D. Sommer, S. Meiser and E. Mohammadi, Privacy Loss Classes: The
Central Limit Theorem in Differential Privacy, 2019 (composition is convolution).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from math import prod
from typing import Any

from flint import fmpz, fmpz_mpoly_ctx, fmpz_poly

from exactdp.accounting.composition.parts import composed_parts
from exactdp.distributions.polynomials import histogram_count, scale_rows
from exactdp.divergences import FiniteProfile, PrivacyLossDistribution
from exactdp.numbers import Exact, count_text, refuse_above
from exactdp.numbers.commensurable import (
    GeometricScale,
    common_base,
    floor_of_logarithm,
    geometric_scale,
)
from exactdp.numbers.limits import MAX_BITS_OF_WEIGHTS, MAX_PRODUCTS, MAX_STEPS_OF_A_LATTICE

__all__ = ["compose_exactly", "is_soon_composed"]

_WORD_BITS = 64
"""Bits that each cell of a law counts for beside its weight: it bounds memory, and no answer."""


_SOON, _SOON_CELLS = 200, 40_000
"""Sums of losses that are polynomials in a power of e which take about a second; and, where losses
lie on a lattice, the coefficients of all these polynomials, of which δ and ε take about as long."""


def compose_exactly(parts: Iterable[tuple[FiniteProfile, int]]) -> PrivacyLossDistribution:
    """Return the exact privacy loss distribution of independent pairs composed.

    Formula:
        For parts ((P_1, Q_1), k_1), ..., the law under P of ln(P/Q), where
        P = P_1^k_1 x P_2^k_2 x ... and Q = Q_1^k_1 x Q_2^k_2 x ...

    Meaning:
        One ordered pair: the worst case over neighbors takes both directions. The
        pairs are fixed in advance; adaptive choice is not modeled.

    Args:
        parts: Profiles with finitely many losses, and how often each occurs, at least 0
            times. Nothing composed has the loss 0.

    Returns:
        The exact law. A lattice of n losses in all costs two polynomial powers;
        parts without a common lattice O(n m) products of weights each time.

    Raises:
        DomainError: If a count is negative or no int.
        TooLargeError: If the exact law would take more than minutes or gigabytes.

    Source:
        Sommer, Meiser & Mohammadi 2019: losses of independent mechanisms are
        convolved. Differs from the source: exact, with every atom kept.

    Example:
        >>> from exactdp.divergences import Pair
        >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> compose_exactly([(coin, 2)]).atoms[1:]
        ((Exact('1'), Exact('3/8')), (Exact('9'), Exact('9/16')))
    """
    lattices: list[list[_Part]] = []
    loose: list[_Part] = []
    merged: list[PrivacyLossDistribution] = []
    for part, times in composed_parts(parts, FiniteProfile):
        if times == 0:
            continue
        losses = part.losses()
        entry = _Part.of(losses, times)
        if entry is None:
            merged.append(losses.self_compose(times))
        elif entry.scale.size < 2:
            loose.append(entry)
        else:
            _join(lattices, entry)
            count = 2 ** len(lattices)  # each has two losses at least, and none has a common base
            what = f"the composition has at least {count_text(count)} losses"
            refuse_above(MAX_PRODUCTS, count, what, advice="Ask for an enclosure.")
    # Parts with at most one finite loss shift any lattice.
    if not lattices:
        lattices.append([])
    lattices[0] = lattices[0] + loose
    products = [_lattice_product(group) for group in lattices]
    if len(products) == 1 and not merged:
        return products[0]
    return reduce(
        PrivacyLossDistribution.compose, sorted([*products, *merged], key=lambda law: len(law.p))
    )


def is_soon_composed(parts: Iterable[tuple[FiniteProfile, int]]) -> bool:
    """Return whether an exact law takes seconds, not minutes, as far as losses tell that.

    Losses that are neither powers of one number nor rational are polynomials in a power of e:
    each sum of them is brought to lowest terms. So are weights, of losses on a lattice: δ and ε
    add up polynomials as long as all copies together make them.

    Example:
        >>> from exactdp.divergences import Pair
        >>> third, e = Exact("1/3"), Exact("e^(1/10)")
        >>> pair = Pair.from_masses([third, third, third], [e / 4, e / 5, 1 - 9 * e / 20])
        >>> is_soon_composed([(pair, 9)]), is_soon_composed([(pair, 10**4)])
        (True, False)
    """
    for part, times in parts:
        atoms = part.losses().atoms
        ratios = [ratio for ratio, _ in atoms]
        if len(ratios) < 2 or all(ratio.is_rational for ratio in ratios):
            continue
        found = geometric_scale(ratios)
        if found is None and histogram_count(times, len(ratios)) > _SOON:
            return False
        if found is not None:
            rows = [mass for _, mass in atoms], [mass / ratio for ratio, mass in atoms]
            degree = max(int(weight.degree()) for row in scale_rows(rows).weights for weight in row)
            if times**2 * (found[0].size - 1) * degree > _SOON_CELLS:
                return False
    return True


@dataclass(frozen=True, slots=True)
class _Part:
    """A pair on a lattice, ``times`` times.

    Attributes:
        scale: The lattice of its finite losses (size 0 or 1 if there are no two).
        indices: Where on the lattice its finite losses are.
        p: The masses of P there, then the mass at plus infinity.
        q: The masses of Q there, then the mass at minus infinity.
        times: The number of copies, at least 1.
    """

    scale: GeometricScale
    indices: Sequence[int]
    p: Sequence[Exact]
    q: Sequence[Exact]
    times: int

    @classmethod
    def of(cls, losses: PrivacyLossDistribution, times: int) -> _Part | None:
        """Return the part, or None if the finite losses are on no lattice."""
        ratios = [r for r, _ in losses.atoms]
        found: tuple[GeometricScale, list[int]] | None
        if len(ratios) >= 2:
            found = geometric_scale(ratios)
        else:
            offset = ratios[0] if ratios else Exact(1)
            found = GeometricScale(offset, Exact(2), len(ratios)), list(range(len(ratios)))
        if found is None:
            return None
        p = [mass for _, mass in losses.atoms]
        q = [mass / r for r, mass in losses.atoms]
        p.append(losses.infinity_mass())
        q.append(losses.minus_infinity_mass())
        return cls(*found, p, q, times)

    def refined(self, base: Exact) -> _Part:
        """Return the part on the lattice of a base that its own base is a power of."""
        steps = floor_of_logarithm(self.scale.base, base)
        scale = replace(self.scale, base=base, size=(self.scale.size - 1) * steps + 1)
        return replace(self, scale=scale, indices=[i * steps for i in self.indices])


def _join(lattices: list[list[_Part]], part: _Part) -> None:
    """Add a part to the lattices with which it has a common base; start a new one otherwise."""
    for position, group in enumerate(lattices):
        base = common_base(group[0].scale.base, part.scale.base)
        if base is None:
            continue
        refined = [member.refined(base) for member in [*group, part]]
        if all(member.scale.size <= MAX_STEPS_OF_A_LATTICE + 1 for member in refined):
            lattices[position] = refined
            return
    lattices.append([part])


def _lattice_product(parts: Sequence[_Part]) -> PrivacyLossDistribution:
    """Return the composition of parts that share the base of the first."""
    size = sum(part.times * max(0, part.scale.size - 1) for part in parts) + 1
    if any(part.scale.size == 0 for part in parts):
        size = 0  # P and Q have nothing in common, so no loss is finite
    # The laws of P, then those of Q, over one rate.
    forms = scale_rows([part.p for part in parts] + [part.q for part in parts])
    count = len(parts)
    p, p_total = _law(forms.weights[:count], forms.totals[:count], parts, size, forms.rate)
    q, q_total = _law(forms.weights[count:], forms.totals[count:], parts, size, forms.rate)
    offset = prod((part.scale.offset**part.times for part in parts), start=Exact(1))
    base = parts[0].scale.base if parts else Exact(2)
    scale = GeometricScale(offset, base, size)
    return PrivacyLossDistribution(scale, p, q, p_total, q_total, rate=forms.rate)


def _law(
    weights: Sequence[Sequence[fmpz_poly]],
    totals: Sequence[fmpz_poly],
    parts: Sequence[_Part],
    size: int,
    rate: Fraction,
) -> tuple[list[Any], Any]:
    """Return the weights of the product law on the lattice, and their common denominator."""
    _refuse_large(weights, totals, parts, size)
    total = prod((t**part.times for t, part in zip(totals, parts, strict=True)), start=_ONE)
    if size == 0:
        return [], total[0] if rate == 0 else total
    if rate == 0:
        factors = [
            fmpz_poly(_dense({i: w[0] for i, w in zip(part.indices, row, strict=False)}))
            ** part.times
            for part, row in zip(parts, weights, strict=True)
        ]
        return prod(sorted(factors, key=len), start=_ONE).coeffs(), total[0]
    ring = fmpz_mpoly_ctx.get(("z", "g"), "lex")
    product = ring.constant(1)
    for part, row in zip(parts, weights, strict=True):
        # The last weight of a row is at an infinite loss: it has no index.
        terms: dict[tuple[int, ...], int | fmpz] = {
            (i, power): c
            for i, weight in zip(part.indices, row, strict=False)
            for power, c in enumerate(weight.coeffs())
            if c != 0
        }
        product *= ring.from_dict(terms) ** part.times
    by_loss: list[dict[int, fmpz]] = [{} for _ in range(size)]
    for (i, power), c in product.to_dict().items():
        by_loss[i][power] = c
    return [fmpz_poly(_dense(powers)) for powers in by_loss], total


def _dense(coefficients: dict[int, fmpz]) -> list[fmpz]:
    zero = fmpz(0)
    return [coefficients.get(i, zero) for i in range(max(coefficients, default=-1) + 1)]


def _refuse_large(
    weights: Sequence[Sequence[fmpz_poly]],
    totals: Sequence[fmpz_poly],
    parts: Sequence[_Part],
    size: int,
) -> None:
    """Refuse a law that would fill too much memory, before it is built."""
    height = degree = 0
    terms = 1
    for row, total, part in zip(weights, totals, parts, strict=True):
        coefficients = [c for weight in [*row, total] for c in weight.coeffs() if c != 0]
        height += part.times * int(sum(abs(int(c)) for c in coefficients)).bit_length()
        degree += part.times * max(int(weight.degree()) for weight in [*row, total])
        terms *= histogram_count(part.times, len(coefficients))
    cells = max(1, size) * (degree + 1)
    bits = min(terms, cells) * height + cells * _WORD_BITS
    refuse_above(
        MAX_BITS_OF_WEIGHTS,
        bits,
        f"the composition has {count_text(size)} losses with exact weights that fill "
        f"{count_text(bits)} bits",
        advice="Compose fewer copies, or ask for an enclosure.",
    )


_ONE = fmpz_poly([1])
"""The product of no polynomials."""
