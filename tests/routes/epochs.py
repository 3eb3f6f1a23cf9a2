"""Two shuffled batches of one epoch, by an integral in mpmath: none of our arithmetic.

All other records add −1, the record adds 1 and in its place nothing: relative to a batch of others
one output, either with probability 1/2, is N(2, σ²) under P and N(1, σ²) under Q, and the other one
is N(0, σ²). With W_c(x) = e^((cx − c²/2)/σ²), x and y from N(0, σ²) and γ = e^ε,

    δ = E max(0, f(x) + f(y))/2,  f = W_2 − γW_1, or W_1 − γW_2 where the record is added.

f is a quadratic polynomial in e^(x/σ²): the mean over y is one of normal tails, in closed form.
"""

import mpmath

from tests.routes.reals import mpf_of

__all__ = ["one_of_two", "one_or_none"]


def _tail(sigma, x, shift):
    """Return E(W_shift(y), y > x)."""
    return mpmath.ncdf((shift - x) / sigma)


def _roots(sigma, gamma, level, *, adds):
    """Return the y with f(y) = −level, ascending, with −∞ for a root that is not positive."""
    two, one = mpmath.exp(-2 / sigma**2), mpmath.exp(-1 / (2 * sigma**2))
    square, linear = (-gamma * two, one) if adds else (two, -gamma * one)
    inside = linear**2 - 4 * square * level
    if inside <= 0:
        return []
    found = sorted((-linear + s * mpmath.sqrt(inside)) / (2 * square) for s in (1, -1))
    return [sigma**2 * mpmath.log(u) if u > 0 else -mpmath.inf for u in found]


def one_of_two(sigma, epsilon, *, adds=False):
    """Return δ(ε) where one of two outputs is the record's."""
    sigma, gamma = mpf_of(sigma), mpmath.exp(mpf_of(epsilon))
    first, second = (-gamma, 1) if adds else (1, -gamma)  # the factors of W_2 and of W_1

    def weight(x, shift):
        return mpmath.exp((shift * x - mpf_of(shift) ** 2 / 2) / sigma**2)

    def f(x):
        return first * weight(x, 2) + second * weight(x, 1)

    def inner(x):
        level = f(x)
        ends = _roots(sigma, gamma, level, adds=adds)
        whole = level + first + second
        if not ends:
            return mpmath.mpf(0) if adds else whole
        between = sum(
            factor * (_tail(sigma, ends[0], shift) - _tail(sigma, ends[1], shift))
            for factor, shift in ((level, 0), (first, 2), (second, 1))
        )
        return between if adds else whole - between

    def density(x):
        return inner(x) * mpmath.npdf(x, 0, sigma)

    cuts = sorted({-8 * sigma, 8 * sigma, *_bends(sigma, gamma)})
    return mpmath.quad(density, cuts) / 2


def _bends(sigma, gamma):
    """Return where the inner mean bends: at a root of f, and where all y are beyond the roots."""
    one = sigma**2 * mpmath.log(gamma) + mpmath.mpf(3) / 2
    two = one + sigma**2 * mpmath.log((1 + mpmath.sqrt(2)) / 2)
    less = mpmath.mpf(3) / 2 - sigma**2 * mpmath.log(gamma)
    return [x for x in (0, 1, one, two, less) if abs(x) < 8 * sigma]


def one_or_none(sigma, epsilon, chance):
    """Return δ(ε) where the one output is the record's with a probability, else no one's."""
    sigma, gamma, chance = mpf_of(sigma), mpmath.exp(mpf_of(epsilon)), mpf_of(chance)

    def excess(x):
        rest = (1 - chance) * mpmath.npdf(x, 0, sigma)
        p = rest + chance * mpmath.npdf(x, 2, sigma)
        q = rest + chance * mpmath.npdf(x, 1, sigma)
        return max(mpmath.mpf(0), p - gamma * q)

    cuts = [mpf_of(k) * sigma / 2 for k in range(-20, 24)]
    return mpmath.quad(excess, cuts)
