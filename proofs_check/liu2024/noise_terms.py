"""The probabilities of Laplace and Gaussian noise in closed form, as terms; x_i = x_1^0 = 0.

``noise`` computes the same sets for any inputs; the tests compare the two.
"""

from fractions import Fraction

from exactdp.claims import Relation, Term, at_least, function, term
from exactdp.claims.terms import TermFunctions
from proofs_check.liu2024 import closed_forms
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
    """Return p_i^0 and p_i^1 at x_i = x_1^0 for d = 1/σ_1 and r = σ_i/σ_1 > 1."""
    return closed_forms.gaussian_ends(TermFunctions(), d=d, r=r)


def laplace_other_terms(e: Fraction, f: Fraction) -> tuple[Term, Term]:
    """Return p_i^0 and p_i^1 at x_i = x_1^0 = 0 for ε_1 = e > ε_i = f."""
    return closed_forms.laplace_ends(TermFunctions(), epsilon_1=e, epsilon_i=f)
