"""Generating polynomials: the law of a multiset of independent messages.

Put a variable z_y on each message y. A user who sends y with weight w_y is the
linear form Σ_y w_y z_y; independent users multiply, and the coefficient of z^h in
the product is the weight of the histogram h. The product is homogeneous, so one
variable is set to 1 and read back from the degree.

Users of few kinds make a product of few powers, whose rows follow from one another
(:class:`PowerProduct`); otherwise FLINT multiplies it out.

Weights live in Z, or in Z[g] with g = e^rate: then g is one more variable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import comb
from typing import Any

from flint import fmpz, fmpz_mpoly_ctx, fmpz_poly

from exactdp.errors import DomainError, TooLargeError, number_of
from exactdp.numbers import Exact, count_text, refuse_above
from exactdp.numbers.limits import MAX_BITS_OF_A_PRODUCT, MAX_HISTOGRAMS
from exactdp.numbers.powers import fraction_gcd
from exactdp.numbers.validated import validated

__all__ = [
    "Forms",
    "HistogramPolynomial",
    "PowerProduct",
    "histogram_count",
    "recurrence_terms",
    "refuse_large",
    "scale_rows",
]

_KEPT_BITS = 2_000_000_000
"""Rows that fill no more bits are kept for the next question."""

_MAX_RECURRENCE_TERMS = 300
"""Longer recurrences are slower than multiplying out."""

_PRODUCT_OVERHEAD = 10
"""How many times more memory than its terms FLINT takes to multiply a product out."""

_DEGREE_OVERHEAD = 20
"""How many times more where weights are polynomials in e^rate: all are held while added up."""


@validated
@dataclass(frozen=True, slots=True)
class Forms:
    """Linear forms with weights in Z or Z[e^rate], one tuple of weights a form.

    Attributes:
        weights: The weights of each form, one a message class: integer polynomials in e^rate
            (constants where rate is 0).
        totals: The sum of the weights of each form, the common denominator.
        rate: The r of g = e^r; 0 if all weights are integers.
    """

    weights: tuple[tuple[fmpz_poly, ...], ...]
    totals: tuple[fmpz_poly, ...]
    rate: Fraction

    def number(self, weight: fmpz_poly) -> fmpz | Exact:
        """Return the value of a polynomial in e^rate; an integer where rate is 0."""
        return Exact.from_polynomial(weight, rate=self.rate) if self.rate else weight[0]

    def total(self, powers: Sequence[int]) -> fmpz_poly:
        """Return the common denominator of the product of the forms to these powers."""
        value = fmpz_poly([1])
        for total, power in zip(self.totals, powers, strict=True):
            value *= total**power
        return value

    def size(self, powers: Sequence[int]) -> tuple[int, int]:
        """Return the bits, and the degree in e^rate, of a weight of that product, at most."""
        bits = degree = 0
        for weights, power in zip(self.weights, powers, strict=True):
            size = sum(abs(int(c)) for weight in weights for c in weight.coeffs())
            bits += power * (size**8).bit_length() // 8
            degree += power * max(0, *(int(weight.degree()) for weight in weights))
        return bits, degree

    def by_outcome(self, polynomial: Any) -> Iterator[tuple[tuple[int, ...], Any]]:
        """Yield exponents, weight of a polynomial whose last variable is e^rate, if not 0."""
        # Exponents as Python's integers, whose hashes are fast; to_dict() is slower, too.
        terms = zip(polynomial.monoms(), polynomial.coeffs(), strict=True)
        if self.rate == 0:
            yield from ((tuple(map(int, exponents)), c) for exponents, c in terms)
            return
        grouped: dict[tuple[int, ...], dict[int, fmpz]] = {}
        for exponents, c in terms:
            *h, power = map(int, exponents)
            grouped.setdefault(tuple(h), {})[power] = c
        for outcome, parts in grouped.items():
            weight = fmpz_poly([parts.get(power, 0) for power in range(max(parts) + 1)])
            yield outcome, self.number(weight)


@validated
def scale_rows(rows: Sequence[Sequence[Exact]]) -> Forms:
    """Clear the denominators of rows of exact masses.

    Each row is multiplied by its own common denominator, made positive, so that
    the row's weights are polynomials in one e^rate common to all rows.

    Example:
        >>> forms = scale_rows([[Exact("1/3"), Exact("2/3")], [Exact("1/2"), Exact("1/2")]])
        >>> [str(w[0]) for w in forms.weights[0]], forms.rate
        (['1', '2'], Fraction(0, 1))
    """
    rates = (mass.rate for row in rows for mass in row if not mass.is_rational)
    rate = reduce(fraction_gcd, rates, Fraction(0))
    weights, totals = [], []
    for row in rows:
        parts = [mass.over(rate) for mass in row]
        common = fmpz_poly([1])
        for _, den in parts:
            common = common * (den // common.gcd(den))
        if rate and Exact.from_polynomial(common, rate=rate).sign() < 0:
            common = -common
        weights.append(tuple(num * (common // den) for num, den in parts))
        totals.append(common)
    return Forms(tuple(weights), tuple(totals), rate)


@validated
def histogram_count(users: int, classes: int) -> int:
    """Return the number of histograms: C(users + classes - 1, classes - 1).

    Raises:
        DomainError: If there is less than one class, or a number of users below 0.
        TooLargeError: If both are beyond 2^63.
    """
    if users < 0 or classes < 1:
        raise DomainError(
            f"users={users} must be at least 0, classes={classes} at least 1. Pass such numbers."
        )
    if users + classes < 2**63:
        return int(fmpz.bin_uiui(users + classes - 1, classes - 1))
    if min(users, classes) >= 2**63:
        raise TooLargeError("the histograms are too many to be counted. Pass smaller numbers.")
    return comb(users + classes - 1, classes - 1)


@validated
class HistogramPolynomial:
    """A product of linear forms with multiplicities, and of one more form each time.

    Args:
        forms: The linear forms.
        powers: The number of users of each form.

    Raises:
        TooLargeError: If the product (with one more user) has too many terms, or
            its weights too many bits.

    Example:
        Three fair coins, the third of them asked for last:

        >>> forms = scale_rows([[Exact("1/2"), Exact("1/2")]])
        >>> two = HistogramPolynomial(forms, [2])
        >>> two.weights_by_histogram(forms.weights[0])
        {(3, 0): 1, (2, 1): 3, (1, 2): 3, (0, 3): 1}
    """

    def __init__(self, forms: Forms, powers: Sequence[int]) -> None:
        self._forms, self._powers = forms, tuple(powers)
        self._users = sum(powers) + 1
        bits = refuse_large(forms, powers)
        classes = len(forms.weights[0])
        used = [(w, power) for w, power in zip(forms.weights, powers, strict=True) if power]
        self._has_rows = _has_rows(forms, powers)
        # The last class has the variable of the rows, if there are rows; the one
        # before it (else the last) has 1.
        free = classes - 2 if self._has_rows else classes - 1
        names = [f"z{i}" for i in range(free)] + ["g"] * (forms.rate != 0)
        ring = fmpz_mpoly_ctx.get(tuple(names) or ("z0",), "lex")
        self._zero, one = ring.constant(0), ring.constant(1)
        self._g = ring.gen(free) if forms.rate != 0 else one
        self._variables = [*(ring.gen(i) for i in range(free)), one]
        self._rows: Iterable[Any]
        if self._has_rows:
            self._rows = PowerProduct(
                ring, [self._split(w) for w, _ in used], [power for _, power in used]
            )
            if bits <= _KEPT_BITS:
                self._rows = list(self._rows)
        else:
            self._rows = [_balanced_product([self._split(w)[0] ** p for w, p in used], one)]

    def __repr__(self) -> str:
        return f"<HistogramPolynomial of {number_of(self._users, 'user')}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return HistogramPolynomial, (self._forms, self._powers)

    def positive_part_sum(self, weights: Sequence[fmpz_poly]) -> fmpz:
        """Return the sum of the positive coefficients of form * product (rate 0 only)."""
        total = fmpz(0)
        for row in self._times(weights):
            total += sum([c for c in row.coeffs() if c > 0], fmpz(0))
        return total

    def weights_in_order(self, weights: Sequence[fmpz_poly]) -> list[fmpz]:
        """Return the weights of form * product that are not 0 (rate 0 only).

        Forms with the same messages have the same histograms, in one order.
        """
        return [c for row in self._times(weights) for c in row.coeffs()]

    def weights_by_histogram(self, weights: Sequence[fmpz_poly]) -> dict[tuple[int, ...], Any]:
        """Return histogram -> weight of form * product; fmpz, or Exact if rate > 0."""
        result: dict[tuple[int, ...], Any] = {}
        for j, row in enumerate(self._times(weights)):
            last = (j,) if self._has_rows else ()
            for h, weight in self._forms.by_outcome(row):
                free = h[: len(self._variables) - 1]
                result[(*free, self._users - j - sum(free), *last)] = weight
        return result

    def _times(self, weights: Sequence[fmpz_poly]) -> Iterator[Any]:
        """Yield the rows of the product with one more linear form."""
        rest, last = self._split(weights)
        previous = self._zero
        for row in self._rows:
            yield rest * row + last * previous
            previous = row
        if self._has_rows:
            yield last * previous

    def _split(self, weights: Sequence[fmpz_poly]) -> tuple[Any, Any]:
        """Return R and b with form = R + b v, v the variable of the rows (b = 0 without rows)."""
        constants = [self._constant(weight) for weight in weights]
        last = constants.pop() if self._has_rows else self._zero
        products = [c * z for c, z in zip(constants, self._variables, strict=True)]
        return sum(products, self._zero), last

    def _constant(self, weight: fmpz_poly) -> Any:
        if self._forms.rate == 0:
            return weight[0] * self._g
        powers = [c * self._g**power for power, c in enumerate(weight.coeffs()) if c != 0]
        return sum(powers, self._zero)


def _balanced_product(factors: list[Any], one: Any) -> Any:
    # The smallest first: the cost is in the last products.
    factors = sorted(factors, key=len) or [one]
    while len(factors) > 1:
        factors = sorted([factors[0] * factors[1], *factors[2:]], key=len)
    return factors[0]


def _has_rows(forms: Forms, powers: Sequence[int]) -> bool:
    """Return whether the rows of the product follow from one another."""
    classes, used = len(forms.weights[0]), sum(power > 0 for power in powers)
    return classes > 1 and recurrence_terms(max(1, used), classes - 1) <= _MAX_RECURRENCE_TERMS


@validated
def refuse_large(forms: Forms, powers: Sequence[int]) -> int:
    """Return about how many bits the weights of a :class:`HistogramPolynomial` fill.

    Raises:
        TooLargeError: If the product has too many terms, or too many bits.
    """
    if len(powers) != len(forms.weights):
        raise DomainError(
            f"powers has {len(powers)} numbers for {len(forms.weights)} forms. Give one for each."
        )
    overhead = 1 if _has_rows(forms, powers) else _PRODUCT_OVERHEAD
    users, classes = sum(powers) + 1, len(forms.weights[0])
    cells = histogram_count(users, classes)
    refuse_above(
        MAX_HISTOGRAMS,
        cells,
        f"n={count_text(users)} users with {classes} distinguishable message classes have "
        f"{count_text(cells)} histograms",
        advice='Merge messages ("merge": a certified lower bound), let the others share fewer '
        "inputs, or lower n.",
    )
    bits, degree = forms.size(powers)
    if degree > 0:
        overhead = max(overhead, _DEGREE_OVERHEAD)
    total = cells * bits * (degree + 1)
    refuse_above(
        MAX_BITS_OF_A_PRODUCT,
        total * overhead,
        f"n={count_text(users)} users have {cells:,} histograms with exact weights of "
        f"{count_text(bits * (degree + 1))} bits each, {count_text(total * overhead)} bits while "
        "they are multiplied out",
        advice="Lower n, merge messages, or give probabilities (and epsilons) with smaller "
        "denominators.",
    )
    return total


def recurrence_terms(forms: int, variables: int) -> int:
    """Return how many terms the recurrence has, for forms in that many variables and 1.

    Example:
        For one form a + b v: one product and one division a row.

        >>> recurrence_terms(1, 1)
        2
    """
    return comb(forms - 1 + variables, variables) + comb(forms + variables - 1, variables - 1)


class PowerProduct:
    """The rows of Π_i (R_i + b_i v)^(m_i), made one at a time each time they are iterated.

    Write f = Π_i (R_i + b_i v)^(m_i), where v is one variable and the R_i and b_i lie in
    a ring of polynomials in the others. The rows of f are its coefficients f_0, f_1, ...
    as a polynomial in v. With

        A = Π_i (R_i + b_i v),    Q = Σ_i m_i b_i Π_{j ≠ i} (R_j + b_j v),

    the logarithmic derivative of f says A·∂f/∂v = Q·f. At v^j, for d different forms:

        (j + 1)·A_0·f_{j+1} = Σ_{s=0}^{d−1} (Q_s − (j − s)·A_{s+1})·f_{j−s}.

    So a row follows from d rows before it, and only they are in memory. The division is
    exact: f_{j+1} is a polynomial, and A_0 = Π_i R_i is not zero once the forms without
    R_i are taken out (R. P. Stanley, Differentiably Finite Power Series, 1980).

    Args:
        ring: Integer polynomials in the other variables.
        forms: The (R_i, b_i), elements of the ring, not both zero. Different ones
            make the shortest recurrence; equal ones are correct too.
        powers: The m_i, at least 1.

    Example:
        The rows of (u + 2v)(u + v)^2 = u^3 + 4 u^2 v + 5 u v^2 + 2 v^3:

        >>> ring = fmpz_mpoly_ctx.get(("u",), "lex")
        >>> u, one = ring.gen(0), ring.constant(1)
        >>> [str(row) for row in PowerProduct(ring, [(u, 2 * one), (u, one)], [1, 2])]
        ['u^3', '4*u^2', '5*u', '2']
    """

    def __init__(
        self, ring: fmpz_mpoly_ctx, forms: Sequence[tuple[Any, Any]], powers: Sequence[int]
    ) -> None:
        self._zero = ring.constant(0)
        self._first = ring.constant(1)
        self._shift = 0
        kept = []
        for (rest, last), power in zip(forms, powers, strict=True):
            if rest == 0:
                self._first *= last**power
                self._shift += power
            else:
                self._first *= rest**power
                kept.append(((rest, last), power))
        self._degree = sum(power for (_, last), power in kept if last != 0)
        one = ring.constant(1)
        self._a = self._product([[one], *([rest, last] for (rest, last), _ in kept)])
        self._q = [self._zero] * len(kept)
        for i, ((_, last), power) in enumerate(kept):
            others = [[rest, b] for j, ((rest, b), _) in enumerate(kept) if j != i]
            part = self._product([[power * last], *others])
            self._q = [x + y for x, y in zip(self._q, part, strict=True)]

    def __iter__(self) -> Iterator[Any]:
        """Yield the coefficients of v^0, v^1, ... up to the degree in v."""
        yield from [self._zero] * self._shift
        recent = [self._first]
        yield self._first
        for j in range(self._degree):
            total = self._zero
            for s, row in enumerate(recent):
                total += (self._q[s] - (j - s) * self._a[s + 1]) * row
            recent = [total / ((j + 1) * self._a[0]), *recent][: len(self._q)]
            yield recent[0]

    def _product(self, factors: Sequence[Sequence[Any]]) -> list[Any]:
        """Multiply polynomials in v, given by their coefficients."""
        result = list(factors[0])
        for factor in factors[1:]:
            longer = [self._zero] * (len(result) + len(factor) - 1)
            for i, a in enumerate(result):
                for j, b in enumerate(factor):
                    longer[i + j] += a * b
            result = longer
        return result
