"""Laws of counts: how often things happen in independent trials.

Representation: masses are polynomials' coefficients. Trial i is the linear form
(1 − p_i) + p_i z; the product of the forms has the mass of j successes at z^j. For
rational p it is one product of FLINT's integer polynomials over one denominator.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import comb, prod
from typing import Any

from flint import fmpq, fmpz, fmpz_poly

from exactdp.distributions.finite import FinitePmf, weights_of
from exactdp.numbers import Exact, RationalLike, count_text, refuse_above
from exactdp.numbers.arguments import probability, whole_number
from exactdp.numbers.limits import MAX_BITS_OF_WEIGHTS, MAX_COUNTS
from exactdp.numbers.validated import validated

__all__ = ["binomial", "multinomial", "poisson_binomial"]


def binomial(n: int, p: Exact | RationalLike) -> FinitePmf[int]:
    """Return the law of the number of successes in n independent trials.

    Formula:
        P(j) = C(n, j) p^j (1 − p)^{n−j}, j = 0, ..., n; outcomes of mass 0 are left out.

    Args:
        n: The number of trials, at least 0.
        p: The probability of success, in [0, 1], exact.

    Raises:
        DomainError: If n is not an int >= 0, or p is outside [0, 1].
        TooLargeError: If the masses would fill more than a fifth of a gigabyte.

    Example:
        >>> binomial(2, "1/3")
        FinitePmf({0: 4/9, 1: 4/9, 2: 1/9})
    """
    n = whole_number(n, name="n", at_least=0)
    value = probability(p, name="p")
    success, total = value.numerator, value.denominator
    failure = total - success
    _refuse_large(n, n * total.degree(), n * _height_bits(total))
    if value.is_rational:
        power = fmpz_poly([failure[0], success[0]]) ** n
        return _law_of_integers(power, total[0] ** n)
    weights = [comb(n, j) * success**j * failure ** (n - j) for j in range(n + 1)]
    whole = total**n
    return FinitePmf(
        {
            j: Exact.from_polynomial(weight, rate=value.rate, denominator=whole)
            for j, weight in enumerate(weights)
        }
    )


@validated
def poisson_binomial(probabilities: Iterable[Exact | RationalLike]) -> FinitePmf[int]:
    """Return the law of the number of successes in independent, unequal trials.

    Formula:
        P(j) is the coefficient of z^j in Π_i ((1 − p_i) + p_i z); outcomes of mass
        0 are left out.

    Args:
        probabilities: The p_i, each in [0, 1], exact; none gives the constant 0.
            Transcendental ones are practical to a few hundred: O(n²) products.

    Raises:
        DomainError: If some p_i is outside [0, 1].
        TooLargeError: If the masses would fill more than a fifth of a gigabyte.

    Example:
        >>> poisson_binomial(["1/2", "1/3"])
        FinitePmf({0: 1/3, 1: 1/2, 2: 1/6})
    """
    values = [probability(p, name=f"probabilities[{i}]") for i, p in enumerate(probabilities)]
    denominators = [p.denominator for p in values]
    _refuse_large(
        len(values), sum(d.degree() for d in denominators), sum(map(_height_bits, denominators))
    )
    if all(p.is_rational for p in values):
        forms = [fmpz_poly([p.denominator[0] - p.numerator[0], p.numerator[0]]) for p in values]
        return _law_of_integers(_product(forms), prod((d[0] for d in denominators), start=fmpz(1)))
    weights, total = [Exact(1)], Exact(1)
    for p in values:
        # Polynomials in e^r while multiplying: fractions would be reduced n² times.
        success = Exact.from_polynomial(p.numerator, rate=p.rate)
        whole = Exact.from_polynomial(p.denominator, rate=p.rate)
        failed = [w * (whole - success) for w in weights]
        succeeded = [w * success for w in weights]
        weights = [a + b for a, b in zip([*failed, Exact(0)], [Exact(0), *succeeded], strict=True)]
        total *= whole
    return FinitePmf({j: w / total for j, w in enumerate(weights) if w})


@validated
def multinomial(
    n: int, probabilities: Sequence[Exact | RationalLike]
) -> FinitePmf[tuple[int, ...]]:
    """Return the law of the histogram of n independent draws from one law.

    Formula:
        P(h) = n! / (h_1! ... h_k!) · Π_i p_i^{h_i} over the tuples h of k counts
        with sum n; outcomes of mass 0 are left out.

    Args:
        n: The number of draws, at least 0.
        probabilities: The p_i, exact, nonnegative, with sum 1.

    Raises:
        DomainError: If n is not an int >= 0, or probabilities are not a law.
        TooLargeError: If the histograms hold more than a million counts in all, or the
            masses would fill more than a fifth of a gigabyte.

    Example:
        >>> multinomial(2, ["1/2", "1/3", "1/6"])[(1, 1, 0)]
        Exact('1/3')
    """
    n = whole_number(n, name="n", at_least=0)
    law = FinitePmf(dict(enumerate(probabilities)), name="probabilities")
    possible = [i for i, p in law.masses.items() if p]
    outcomes = comb(n + len(possible) - 1, len(possible) - 1)
    refuse_above(
        MAX_COUNTS,
        outcomes * len(law),
        f"n={count_text(n)} draws from {len(possible)} values have {count_text(outcomes)} "
        f"histograms, with {count_text(outcomes * len(law))} counts in all",
        advice="Lower n, or merge values.",
    )
    denominators = [p.denominator for p in law.masses.values()]
    _refuse_large(
        n,
        n * max(d.degree() for d in denominators),
        n * max(map(_height_bits, denominators)),
        masses=outcomes,
    )
    weights, total = weights_of(list(law.masses.values()))
    # Histograms grow value by value, so that equal beginnings share their product.
    begun: list[tuple[tuple[int, ...], int, Any]] = [((), n, weights[0] ** 0)]
    for i, weight in enumerate(weights):
        powers = [weight**count for count in range(n + 1)] if weight else [weight**0]
        begun = [
            ((*counts, j), left - j, product * fmpz.bin_uiui(left, j) * powers[j])
            for counts, left, product in begun
            for j in ((left,) if i == possible[-1] else range(min(left, len(powers) - 1) + 1))
        ]
    whole = total**n
    return FinitePmf({h: _ratio(weight, whole) for h, _, weight in begun})


def _refuse_large(n: int, degree: int, height_bits: int, *, masses: int | None = None) -> None:
    """Refuse too many masses: polynomials in e^r of this degree and height of coefficients."""
    bits = (n + 1 if masses is None else masses) * (degree + 1) * height_bits
    refuse_above(
        MAX_BITS_OF_WEIGHTS,
        bits,
        f"n={count_text(n)} trials have masses of {count_text(bits)} bits in all",
        advice="Lower n, or take probabilities with smaller denominators.",
    )


def _height_bits(p: fmpz_poly) -> int:
    return max(int(abs(c)).bit_length() for c in p.coeffs())


def _law_of_integers(weights: fmpz_poly, total: fmpz) -> FinitePmf[int]:
    return FinitePmf({j: Exact(fmpq(w, total)) for j, w in enumerate(weights.coeffs()) if w})


def _product(factors: list[fmpz_poly]) -> fmpz_poly:
    # Neighbors in pairs: equal sizes, where FLINT's multiplication is fast.
    one = fmpz_poly([1])
    while len(factors) > 1:
        factors = [prod(factors[i : i + 2], start=one) for i in range(0, len(factors), 2)]
    return factors[0] if factors else one


def _ratio(weight: Any, total: Any) -> Exact:
    return weight / total if isinstance(weight, Exact) else Exact(fmpq(weight, total))
