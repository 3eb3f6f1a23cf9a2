"""Generating polynomials: the law of a multiset of independent messages.

Put a variable z_y on each message y. A user who sends y with weight w_y is the
linear form sum_y w_y z_y; independent users multiply, and the coefficient of
z^h in the product is the weight of the histogram h. The product is homogeneous,
so the last variable is set to 1 and read back from the degree: FLINT then sees
a dense polynomial in one variable fewer.

Weights live in Z, or in Z[g] with g = e^rate: then g is one more variable.

Definitions: :class:`LinearForm`, :func:`product_of_forms`, :func:`histogram_weights`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, gcd, lcm
from typing import Any

from flint import fmpz, fmpz_mpoly_ctx, fmpz_poly

from exactdp.errors import TooLargeError
from exactdp.numbers import Exact

__all__ = ["Forms", "histogram_count", "scale_rows"]

MAX_CELLS = 3_000_000
"""Histograms with more cells are refused: they would need gigabytes."""


@dataclass(frozen=True, slots=True)
class Forms:
    """Linear forms with weights in Z or Z[e^rate], one tuple of weights a form.

    Attributes:
        weights: For each form its weights, one a message class: integer
            polynomials in e^rate (constants where rate is 0).
        totals: For each form the sum of its weights, the common denominator.
        rate: The r of g = e^r; 0 if all weights are integers.
    """

    weights: tuple[tuple[fmpz_poly, ...], ...]
    totals: tuple[fmpz_poly, ...]
    rate: Fraction


def scale_rows(rows: Sequence[Sequence[Exact]]) -> Forms:
    """Clear the denominators of rows of exact masses.

    Each row is multiplied by its own common denominator, made positive, so that
    the row's weights are polynomials in one e^rate common to all rows.

    Example:
        >>> forms = scale_rows([[Exact("1/3"), Exact("2/3")], [Exact("1/2"), Exact("1/2")]])
        >>> [str(w[0]) for w in forms.weights[0]], forms.rate
        (['1', '2'], Fraction(0, 1))
    """
    rate = _common_rate([mass.rate for row in rows for mass in row])
    weights, totals = [], []
    for row in rows:
        parts = [(_over(m.numerator, m.rate, rate), _over(m.denominator, m.rate, rate)) for m in row]
        common = fmpz_poly([1])
        for _, den in parts:
            common = common * (den // common.gcd(den))
        if Exact.from_polynomial(common, rate=rate).sign() < 0:
            common = -common
        weights.append(tuple(num * (common // den) for num, den in parts))
        totals.append(common)
    return Forms(tuple(weights), tuple(totals), rate)


def histogram_count(users: int, classes: int) -> int:
    """Return the number of histograms: C(users + classes - 1, classes - 1)."""
    return comb(users + classes - 1, classes - 1)


class HistogramPolynomial:
    """A product of linear forms with multiplicities, and of one more form each time.

    Args:
        forms: The linear forms.
        powers: For each form how many users have it.

    Raises:
        TooLargeError: If the product (with one more user) has too many terms.
    """

    def __init__(self, forms: Forms, powers: Sequence[int]) -> None:
        self._forms = forms
        self._classes = len(forms.weights[0])
        self._users = sum(powers)
        _refuse_large(self._users + 1, self._classes)
        names = tuple(f"z{i}" for i in range(self._classes - 1)) + ("g",)
        ring = fmpz_mpoly_ctx.get(names, "lex")
        *variables, self._g = ring.gens()
        self._variables = [*variables, ring.constant(1)]
        self._zero = ring.constant(0)
        factors = [
            self._linear(weights) ** power
            for weights, power in zip(forms.weights, powers, strict=True)
            if power
        ]
        # Multiply the smallest first: the cost is in the last products.
        factors.sort(key=len)
        while len(factors) > 1:
            factors = sorted([factors[0] * factors[1], *factors[2:]], key=len)
        self._product = factors[0] if factors else ring.constant(1)

    def times(self, weights: Sequence[fmpz_poly]) -> Any:
        """Return the product with one more linear form."""
        return self._linear(weights) * self._product

    def positive_part_sum(self, weights: Sequence[fmpz_poly]) -> fmpz:
        """Return the sum of the positive coefficients of form * product (rate 0 only)."""
        total = fmpz(0)
        for coefficient in self.times(weights).coeffs():
            if coefficient > 0:
                total += coefficient
        return total

    def weights_by_histogram(self, weights: Sequence[fmpz_poly]) -> dict[tuple[int, ...], Any]:
        """Return histogram -> weight of form * product; fmpz, or Exact if rate > 0."""
        users = self._users + 1
        terms = self.times(weights).to_dict()
        if self._forms.rate == 0:
            return {(*h[:-1], users - sum(h[:-1])): c for h, c in terms.items()}
        grouped: dict[tuple[int, ...], dict[int, fmpz]] = {}
        for exponents, coefficient in terms.items():
            grouped.setdefault(exponents[:-1], {})[exponents[-1]] = coefficient
        return {
            (*h, users - sum(h)): Exact.from_polynomial(_dense(by_power), rate=self._forms.rate)
            for h, by_power in grouped.items()
        }

    def _linear(self, weights: Sequence[fmpz_poly]) -> Any:
        result = self._zero
        for variable, weight in zip(self._variables, weights, strict=True):
            for power, coefficient in enumerate(weight.coeffs()):
                if coefficient != 0:
                    result += coefficient * self._g**power * variable
        return result


def _refuse_large(users: int, classes: int) -> None:
    cells = histogram_count(users, classes)
    if cells <= MAX_CELLS:
        return
    size = f"{cells:,}" if cells < 10**15 else f"about 10^{len(str(cells)) - 1}" if cells < 10**4000 else "more than 10^4000"
    raise TooLargeError(
        f"n={users} users with {classes} distinguishable message classes have {size} histograms; "
        f"the limit is {MAX_CELLS:,}. Merge messages (\"merge\": a certified lower bound), "
        "let the others share fewer inputs, or lower n."
    )


def _dense(by_power: dict[int, fmpz]) -> fmpz_poly:
    coefficients = [fmpz(0)] * (max(by_power) + 1)
    for power, coefficient in by_power.items():
        coefficients[power] = coefficient
    return fmpz_poly(coefficients)


def _common_rate(rates: Sequence[Fraction]) -> Fraction:
    positive = [r for r in rates if r]
    if not positive:
        return Fraction(0)
    denominator = lcm(*(r.denominator for r in positive))
    return Fraction(gcd(*(int(r * denominator) for r in positive)), denominator)


def _over(p: fmpz_poly, rate: Fraction, common: Fraction) -> fmpz_poly:
    """Rewrite a polynomial in e^rate as one in e^common."""
    if rate == 0 or rate == common or p.length() <= 1:
        return p
    return p.inflate(int(rate / common))
