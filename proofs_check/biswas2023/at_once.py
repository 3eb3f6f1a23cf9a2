"""(6) and (15) over a number system, for all counts s at once.

A sum over r of :mod:`proofs_check.biswas2023.bounds` is a coefficient of the product of two
polynomials: u_r = C(n_x0, r) kappa1^r, and v_t = C(m, t), m = n - n_x0, t = s - r. One product is
all s. As a term (6) stays the sum that is printed.

Doubles overflow where the terms do, although the masses do not; ``is_scaled`` has u and v times
what makes them binomial laws, which cancels in (15) and takes the place of kappa3 in (6).

Definitions: :class:`Form`, :func:`delta`, :func:`loss`.
"""

from collections.abc import Sequence
from enum import Enum
from fractions import Fraction
from functools import reduce
from math import comb
from operator import add, mul
from typing import Any

from flint import arb_poly

from exactdp.claims import Term, named
from exactdp.numbers.number_systems import Ball, ExactValue, LeavesFieldError
from proofs_check.biswas2023.bounds import (
    Counts,
    kappa1,
    kappa2,
    kappa3,
    mended_delta_hat,
    printed_delta_hat,
)

__all__ = ["Form", "delta", "loss"]

_FEW = 8
"""So many users (6) is an exact number of, rather than a ball."""


class Form(Enum):
    """A form of (15)."""

    FIRST = 1
    SECOND = 2
    PRINTED = 3


def delta(
    f: Any,
    *,
    n: int,
    k: int,
    n_x0: int,
    epsilon0: Fraction,
    epsilon: Fraction,
    form: Form = Form.PRINTED,
    is_scaled: bool = False,
) -> Any:
    """Return (6), with a form of (15) for v_s.

    No v_s is above ε0, whatever the form, and at s = n it is ε0: from ε = ε0 on (6) is 0, which
    balls alone cannot tell. So ε0 and ε come as exact numbers.

    Example:
        Two users, k = 2, where n_x0 = 0: (6) as printed is below what is true.

        >>> from functools import partial
        >>> from exactdp.numbers.real_functions import evaluate_float
        >>> at = {"n": 2, "k": 2, "n_x0": 0, "epsilon0": Fraction(2), "epsilon": Fraction(1, 2)}
        >>> forms = Form.PRINTED, Form.SECOND
        >>> [round(evaluate_float(partial(delta, form=form, **at)), 6) for form in forms]
        [0.203202, 0.525369]
    """
    x, gamma = f.exp(f.constant(epsilon0)), f.exp(f.constant(epsilon))
    c = Counts(k, n, n_x0)
    if epsilon >= epsilon0 and not isinstance(x, float | Term):
        return f.constant(0)
    if isinstance(x, ExactValue) and n > _FEW:
        raise LeavesFieldError(f"n={n} makes long exact numbers")
    if isinstance(x, Term):
        whole = printed_delta_hat if form is Form.PRINTED else mended_delta_hat
        return whole.compute(k, named("x", x), n_x0, c.b, gamma)
    if is_scaled:
        return _scaled_delta(f, c, f.constant(epsilon0), f.constant(epsilon), form)
    m, (u, v) = n - n_x0, _weights(x, c)
    total, mean = _product(u, v), _product(u, _times_index(v))
    fixed, gap = kappa2(x, k), x - kappa2(x, k)
    losses = _losses(x, c, u, form, total)
    zero = f.constant(0)
    parts = [
        f.maximum(1 - gamma / losses[s], zero)
        * (kappa3(x, c, s) / m * (fixed * m * total[s] + gap * mean[s]))
        for s in range(n + 1)
    ]
    return reduce(add, parts)


def loss(
    f: Any, *, n: int, k: int, n_x0: int, s: int, epsilon0: Any, form: Form = Form.PRINTED
) -> Any:
    """Return v_s, the logarithm of a form of (15), at one count s."""
    x, c = f.exp(epsilon0), Counts(k, n, n_x0)
    u, v = _weights(x, c)
    total = {s: _at(u, v, s)}
    return f.log(_losses(x, c, u, form, total, only=s)[s])


def _weights(x: Any, c: Counts) -> tuple[list[Any], list[Any]]:
    first, m = kappa1(x, c.k), c.n - c.n_x0
    u = [comb(c.n_x0, r) * first**r for r in range(c.n_x0 + 1)]
    return u, [x * 0 + comb(m, t) for t in range(m + 1)]


def _losses(
    x: Any, c: Counts, u: list[Any], form: Form, total: Any, *, only: int | None = None
) -> dict[int, Any]:
    """Return e^(v_s) for all s, or one."""
    b, m = c.b, c.n - c.n_x0
    up = [x * 0, *(x * 0 + comb(b, t) for t in range(b + 1))]  # C(b, t - 1)
    fixed, gap = kappa2(x, c.k), x - kappa2(x, c.k)

    def product(v: list[Any]) -> Any:
        return _product(u, v) if only is None else {only: _at(u, v, only)}

    places = range(c.n + 1) if only is None else [only]
    if form is Form.FIRST:
        stay = [x * 0 + comb(b, t) for t in range(m + 1)]
        raised, stays = product(up), product(stay)
        return {s: (x * raised[s] + fixed * stays[s]) / (raised[s] + stays[s]) for s in places}
    if form is Form.SECOND:
        raised = product(up)
        return {s: fixed + gap * raised[s] / total[s] for s in places}
    top = product(_times_index(up))
    return {s: fixed + gap / m * top[s] / total[s] for s in places}


def _times_index(v: Sequence[Any]) -> list[Any]:
    return [t * one for t, one in enumerate(v)]


def _at(u: Sequence[Any], v: Sequence[Any], s: int) -> Any:
    """Return one coefficient of a product."""
    first, last = max(0, s - len(v) + 1), min(s, len(u) - 1)
    return sum(map(mul, u[first : last + 1], v[s - last : s - first + 1][::-1]))


def _product(u: Sequence[Any], v: Sequence[Any]) -> list[Any]:
    """Return the coefficients of the product of two polynomials of positive coefficients."""
    if isinstance(u[0], Ball):
        a, b = (arb_poly([one.value for one in side]) for side in (u, v))
        return [Ball(one) for one in (a * b).coeffs()]
    return [_at(u, v, s) for s in range(len(u) + len(v) - 1)]


def _scaled_delta(f: Any, c: Counts, epsilon0: Any, epsilon: Any, form: Form) -> Any:
    """Return (6) as the sum of (e^(v_s) - e^eps)+ P(M(x_1) = s), times P(s)/e^(v_s) of the print.

    With t/m averaged over r, e^(v_s) - 1 is (x - 1)/(x + k - 2) ((x + k - 1) mean - 1): no
    difference of nearly equal numbers where eps0 is small.
    """
    x, m = f.exp(epsilon0), c.n - c.n_x0
    whole = x + (c.k - 1)
    u = _binomial(f, c.n_x0, x / whole, (c.k - 1) / whole)
    v = _binomial(f, m, 1 / whole, (x + (c.k - 2)) / whole)
    total, mean = _product(u, v), _product(u, _times_index(v))
    rise = f.expm1(epsilon0) / (x + (c.k - 2))
    zero = f.constant(0)

    def above(share: Any) -> Any:
        return rise * (whole * share - 1)

    if form is Form.PRINTED:
        squares = _product(u, _times_index(_times_index(v)))
    parts = []
    for s in range(c.n + 1):
        if not total[s]:
            continue  # below the smallest double
        right = above(mean[s] / total[s] / m)
        seen = above(squares[s] / total[s] / m / m) if form is Form.PRINTED else right
        part = f.maximum(seen - f.expm1(epsilon), zero) * total[s]
        parts.append(part * (1 + right) / (1 + seen) if form is Form.PRINTED else part)
    return reduce(add, parts, zero)


def _binomial(f: Any, n: int, p: Any, q: Any) -> list[Any]:
    """Return the masses of Bin(n, p), q = 1 - p."""
    log_p, log_q, chosen = f.log(p), f.log(q), f.constant(0)
    found = []
    for r in range(n + 1):
        found.append(f.exp(chosen + r * log_p + (n - r) * log_q))
        if r < n:
            chosen = chosen + f.log(f.constant(n - r) / (r + 1))
    return found
