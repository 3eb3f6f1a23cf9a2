"""The paper's probabilities for Laplace and Gaussian noise in closed form, over a number system.

Noise on the clip range [0, 1], x_i = x_1^0 = 0, and user 1 the less noisy. ``noise`` computes the
same sets for any inputs.

Source: Liu et al. 2024, Sections 3.2.1 and 3.2.2.
"""

from typing import Any


def laplace_p_1(f: Any, *, epsilon_1: Any) -> Any:
    """Return p_1 = e^(−eps_1/2)/2: the message is nearer to the other input."""
    return f.exp(-epsilon_1 / 2) / 2


def gaussian_p_1(f: Any, *, sigma_1: Any) -> Any:
    """Return p_1 = Φ(−1/(2 sigma_1))."""
    return f.normal_cdf(-1 / (2 * sigma_1))


def laplace_ends(f: Any, *, epsilon_1: Any, epsilon_i: Any) -> tuple[Any, Any]:
    """Return p_i^0 and p_i^1 for eps_1 > eps_i.

    U_0 is |z| < c, z < 1/2, c = L/(eps_1 − eps_i), L = log(eps_1/eps_i); U_1 is z > 1/2 with
    z > (eps_1 − L)/(eps_1 + eps_i) and z < (L + eps_1)/(eps_1 − eps_i).
    """
    size = f.log(epsilon_1 / epsilon_i)
    c = size / (epsilon_1 - epsilon_i)
    half = f.constant("1/2")
    top = f.minimum(c, half)
    low = f.maximum(half, (epsilon_1 - size) / (epsilon_1 + epsilon_i))
    high = (size + epsilon_1) / (epsilon_1 - epsilon_i)
    first = 1 - f.exp(-epsilon_i * top) / 2 - f.exp(-epsilon_i * c) / 2
    return first, (f.exp(-epsilon_i * low) - f.exp(-epsilon_i * high)) / 2


def laplace_p_i(f: Any, *, epsilon_1: Any, epsilon_i: Any) -> Any:
    """Return p_i = min(p_i^0, p_i^1)."""
    return f.minimum(*laplace_ends(f, epsilon_1=epsilon_1, epsilon_i=epsilon_i))


def gaussian_ends(f: Any, *, d: Any, r: Any) -> tuple[Any, Any]:
    """Return p_i^0 and p_i^1 for d = 1/sigma_1 and r = sigma_i/sigma_1 > 1.

    In units of sigma_1, U_0 is |z| < √(2 log r/a), z < d/2, and U_1 is z > d/2 between the roots
    of a z² − 2 d z + d² − 2 log r, with a = 1 − 1/r².
    """
    bottom, top, low, high = _gaussian_places(f, d=d, r=r)
    first = f.normal_cdf(top) - f.normal_cdf(bottom)
    return first, f.normal_cdf(high) - f.normal_cdf(low)


def gaussian_p_i(f: Any, *, sigma_1: Any, sigma_i: Any) -> Any:
    """Return p_i = min(p_i^0, p_i^1), p_i^1 in the lower tail, as nothing cancels there."""
    bottom, top, low, high = _gaussian_places(f, d=1 / sigma_1, r=sigma_i / sigma_1)
    first = f.normal_cdf(top) - f.normal_cdf(bottom)
    return f.minimum(first, f.normal_cdf(-low) - f.normal_cdf(-high))


def _gaussian_places(f: Any, *, d: Any, r: Any) -> tuple[Any, Any, Any, Any]:
    """Return the ends of U_0 and of U_1 in units of sigma_i."""
    a, size = 1 - 1 / r**2, 2 * f.log(r)
    reach = f.sqrt(size / a)
    half = d / 2
    spread = f.sqrt(d**2 / r**2 + a * size)
    low, high = (d - spread) / a, (d + spread) / a
    return -reach / r, f.minimum(reach, half) / r, f.maximum(half, low) / r, high / r


def response_p(f: Any, *, epsilon: Any) -> Any:
    """Return 1/(e^eps + 1): the p of (2), and p_i of binary randomized response."""
    return 1 / (f.exp(epsilon) + 1)


def clone_p(f: Any, *, epsilon: Any) -> Any:
    """Return 1/(2 e^eps): the p with which (2) holds."""
    return 1 / (2 * f.exp(epsilon))


def laplace_weight(f: Any, *, epsilon_1: Any, epsilon_i: Any) -> Any:
    """Return min_z R(x_i)(z)/(R(x_1^0)(z) + R(x_1^1)(z)) at x_i = 0, or 1; eps_i <= eps_1.

    (eps_i/eps_1) e^(−eps_i)/(1 + e^(−eps_1)): the ratio falls up to the clip range and grows
    beyond it, and is log-concave inside, so that it is least at an end.
    """
    return epsilon_i / epsilon_1 * f.exp(-epsilon_i) / (1 + f.exp(-epsilon_1))


def gaussian_ratio(f: Any, *, sigma_1: Any, sigma_i: Any) -> Any:
    """Return min_z R(x_i)(z)/R(x_1^b)(z) for |x_i − x_1^b| = 1, sigma_1 < sigma_i.

    (sigma_1/sigma_i) e^(−1/(2 (sigma_i² − sigma_1²))), by the least of a quadratic.
    """
    return sigma_1 / sigma_i * f.exp(-1 / (2 * (sigma_i**2 - sigma_1**2)))


def with_failure(f: Any, *, delta_1: Any, delta: Any) -> Any:
    """Return delta_1 + (1 − delta_1) delta' of a user who fails with probability delta_1."""
    return delta_1 + (1 - delta_1) * delta
