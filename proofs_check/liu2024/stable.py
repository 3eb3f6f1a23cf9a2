"""The weights and δ of published.py in forms for doubles: nothing large cancels.

Each is the same number as the printed formula, or as the algorithm's; arguments as there.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from proofs_check.lemmas.stable_counts import delta_beside
from proofs_check.liu2024 import closed_forms


def laplace_gap(f: Any, *, epsilon_1: Any) -> Any:
    """Return 1 − 2 p_1 without a difference of near numbers: for doubles."""
    return -f.expm1(-epsilon_1 / 2)


def gaussian_gap(f: Any, *, sigma_1: Any) -> Any:
    """Return 1 − 2 p_1 in the same way."""
    return f.erf(1 / (2 * f.sqrt(f.constant(2)) * sigma_1))


def response_gap(f: Any, *, epsilon_1: Any) -> Any:
    """Return 1 − 2 p of randomized response in the same way."""
    return f.expm1(epsilon_1) / (f.exp(epsilon_1) + 1)


def laplace_p_i(f: Any, *, epsilon_1: Any, epsilon_i: Any) -> Any:
    """Return laplace_p_i with log1p and expm1: for doubles, eps_1 near eps_i or both near 0."""
    apart = epsilon_1 - epsilon_i
    size = f.log1p(apart / epsilon_i)
    c, half = size / apart, f.constant("1/2")
    low = f.maximum(half, (epsilon_1 - size) / (epsilon_1 + epsilon_i))
    high = (size + epsilon_1) / apart
    first = f.expm1(-epsilon_i * f.minimum(c, half)) + f.expm1(-epsilon_i * c)
    second = f.exp(-epsilon_i * low) * f.expm1(-epsilon_i * (high - low))
    return f.minimum(-first, -second) / 2


def gaussian_p_i(f: Any, *, sigma_1: Any, sigma_i: Any) -> Any:
    """Return gaussian_p_i with log1p and no difference of near numbers: for doubles."""
    d, r, apart = 1 / sigma_1, sigma_i / sigma_1, sigma_i - sigma_1
    a, size = apart * (sigma_i + sigma_1) / sigma_i**2, 2 * f.log1p(apart / sigma_1)
    reach, half = f.sqrt(size / a), d / 2
    whole = d + f.sqrt(d**2 / r**2 + a * size)
    low = f.maximum(half, (d**2 - size) / whole)
    first = _normal_mass(f, 0, f.minimum(reach, half) / r) + _normal_mass(f, 0, reach / r)
    return f.minimum(first, _normal_mass(f, low / r, whole / a / r))


def _normal_mass(f: Any, low: Any, high: Any) -> Any:
    """Return P(low <= N(0, 1) <= high), low >= 0: by erf up to √2, by erfc from there on."""
    root = f.sqrt(f.constant(2))
    a, b, middle = low / root, high / root, f.constant(1)
    near = f.erf(f.minimum(b, middle)) - f.erf(f.minimum(a, middle))
    return (near + f.erfc(f.maximum(a, middle)) - f.erfc(f.maximum(b, middle))) / 2


FORMS: dict[Any, Any] = {
    closed_forms.laplace_p_i: laplace_p_i,
    closed_forms.gaussian_p_i: gaussian_p_i,
}
"""The form for doubles of a formula that cancels."""


def largest(
    f: Any, own: Any, groups: Sequence[tuple[Any, int]], epsilon: Any, delta_1: Any = Fraction(0)
) -> Any:
    """Return (5) at its best t in doubles that carry a bound on their error; own is 1 − 2w."""
    first = (1 - delta_1) * own
    return delta_beside(groups, over=first, under=first + f.expm1(epsilon))


def weighted(
    f: Any, *, epsilon_1: Any, n_2: int, r_2: Any, n_3: int, r_3: Any, epsilon: Any
) -> Any:
    """Return δ beside two groups who send the victim's letters with r_2 and r_3."""
    rare, gap = closed_forms.response_p(f, epsilon=epsilon_1), response_gap(f, epsilon_1=epsilon_1)
    step, groups = f.expm1(epsilon), [(r_2, n_2), (r_3, n_3)]
    return delta_beside(groups, over=gap - step * rare, under=gap + step * (1 - rare))
