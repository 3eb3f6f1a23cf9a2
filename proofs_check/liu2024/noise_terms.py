"""The probabilities of Laplace and Gaussian noise in closed form, as terms; x_i = x_1^0 = 0.

``noise`` computes the same sets for any inputs; the tests compare the two.
"""

from fractions import Fraction

from exactdp.claims import Relation, Term, at_least, function, term
from proofs_check.liu2024.noise import Shape


def normal_cdf(x: Term | Fraction) -> Term:
    """Return Φ(x)."""
    return function("normal_cdf", x)


def is_classical(c: Fraction, delta: Fraction) -> Relation:
    """c² >= 2 ln(1.25/δ): σ = c/ε is a classical calibration."""
    return at_least(c**2, 2 * function("log", Fraction(5, 4) / delta))


def probability_below(shape: Shape, cut: Fraction, *, center: int, scale: Fraction) -> Term:
    """Return the probability that noise around a center is below a threshold."""
    x = (cut - center) / scale
    if shape is Shape.GAUSSIAN:
        return normal_cdf(x)
    return 1 - function("exp", -x) / 2 if x > 0 else function("exp", x) / 2


def gaussian_delta(d: Fraction | Term, epsilon: Fraction) -> Term:
    """Return the least δ at ε of Gaussian noise with d = 1/σ, sensitivity 1."""
    first, second = (normal_cdf(side * (term(d) / 2) - epsilon / term(d)) for side in (1, -1))
    return first - function("exp", epsilon) * second


def gaussian_other_terms(d: Fraction, r: Fraction) -> tuple[Term, Term]:
    """Return p_i^0 and p_i^1 at x_i = x_1^0 for d = 1/σ_1 and r = σ_i/σ_1 > 1.

    In units of σ_1, U_0 is |z| < √(2 log r/a), z < d/2, and U_1 is z > d/2 between the roots
    of a z² − 2 d z + d² − 2 log r, with a = 1 − 1/r².
    """
    a, size = 1 - 1 / r**2, 2 * function("log", r)
    reach = function("sqrt", size / a)
    half = term(d / 2)
    first = normal_cdf(function("min", reach, half) / r) - normal_cdf(-reach / r)
    spread = function("sqrt", d**2 / r**2 + a * size)
    low, high = (d - spread) / a, (d + spread) / a
    return first, normal_cdf(high / r) - normal_cdf(function("max", half, low) / r)


def laplace_other_terms(e: Fraction, f: Fraction) -> tuple[Term, Term]:
    """Return p_i^0 and p_i^1 at x_i = x_1^0 = 0 for ε_1 = e > ε_i = f.

    U_0 is |z| < c, z < 1/2, c = L/(e − f), L = log(e/f); U_1 is z > 1/2 with
    z > (e − L)/(e + f) and z < (L + e)/(e − f).
    """
    size = function("log", e / f)
    c = size / (e - f)
    top = function("min", c, Fraction(1, 2))
    low = function("max", Fraction(1, 2), (e - size) / (e + f))
    high = (size + e) / (e - f)
    first = 1 - function("exp", -f * top) / 2 - function("exp", -f * c) / 2
    return first, (function("exp", -f * low) - function("exp", -f * high)) / 2
