"""The printed formula (6) at the scale of the tables: certified values, and a fast search.

Certified: the terms of (6) in balls, at any precision; the indicator v_s > eps, which a
ball cannot decide when v_s = eps, is then decided in the exact field.

Search: doubles (extended), because it only proposes parameters; what it proposes is
certified afterwards.
"""

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any

from flint import arb, arb_poly, fmpz_poly

from exactdp.numbers import Enclosure, Exact, Real, decimal, enclosure, fmpq_of, precision
from exactdp.numbers.balls import working_bits
from exactdp.numbers.later import np
from exactdp.truth import Truth
from proofs_check.biswas2023.bounds import Counts, exp_privacy_loss_printed, kappa1, kappa2, kappa3
from proofs_check.biswas2023.tables import Cell

_INDICATOR_BITS = 128


@lru_cache(maxsize=16)
def _ball_terms(epsilon0: Fraction, c: Counts, bits: int) -> list[tuple[arb, arb]]:
    """Return the (e^(v_s), weight_s) of (6) in balls, for all s at once.

    The sums over r are coefficients of (1 + kappa1 w)^a times a polynomial in w: with
    m = n - n_x0 and j = s - r, (s-r) C(m-1, s-1-r) = (j^2/m) C(m, j) in the printed v_s,
    and tau_r = kappa2 m + (x - kappa2) j in the weight.
    """
    k, m, w = c.k, c.n - c.n_x0, fmpz_poly([0, 1])
    others = (1 + w) ** m
    linear = w * others.derivative()
    # Coefficients, from 1 to (1 + kappa1)^n_x0 2^m, differ in size, which costs as many bits.
    size = math.log2(1 + kappa1(math.exp(epsilon0), k))
    with precision(bits + math.ceil(c.n_x0 * size) + m + 64):
        x = arb(fmpq_of(epsilon0)).exp()
        held = arb_poly([1, kappa1(x, k)]) ** c.n_x0
        by_power = (others, linear, w * linear.derivative())
        plain, once, twice = ((held * arb_poly(part)).coeffs() for part in by_power)
    with precision(bits + 64):
        second, third, terms = kappa2(x, k), kappa3(x, c, 0), []
        for s in range(c.n + 1):
            exp_loss = second + (x - second) * twice[s] / (plain[s] * m * m)
            weight = third * (second * plain[s] + (x - second) * once[s] / m)
            terms.append((exp_loss, weight))
            third /= x + (k - 2)  # kappa3 at s + 1
        return terms


def printed_delta(epsilon0: Fraction, c: Counts, epsilon: Fraction) -> Exact | Real:
    """Return the value of (6) with the printed v_s: exactly 0, or a computable real > 0."""
    e = Exact.exp(epsilon)
    above = _indices_above(epsilon0, c, epsilon)
    if not above:
        return Exact(0)

    def rule() -> arb:
        bits = max(working_bits(), _INDICATOR_BITS)
        terms, threshold = _ball_terms(epsilon0, c, bits), e.ball(bits)
        total = arb(0)
        for s in above:
            exp_loss, weight = terms[s]
            total += (1 - threshold / exp_loss) * weight
        return total

    return Real(rule, f"delta-hat(eps0={epsilon0}, {c}, eps={epsilon})")


@lru_cache(maxsize=256)
def _indices_above(epsilon0: Fraction, c: Counts, epsilon: Fraction) -> tuple[int, ...]:
    """Return the s with v_s > eps, decided exactly."""
    e = Exact.exp(epsilon)
    threshold = e.ball(_INDICATOR_BITS)
    found = []
    for s, (exp_loss, _) in enumerate(_ball_terms(epsilon0, c, _INDICATOR_BITS)):
        if exp_loss > threshold or (
            not exp_loss < threshold and exp_privacy_loss_printed(Exact.exp(epsilon0), c, s) > e
        ):
            found.append(s)
    return tuple(found)


def count_delta(epsilon0: Fraction, c: Counts, epsilon: Fraction, *, reverse: bool = False) -> Real:
    """Return delta of the count of x_0 for (x_0, x_1), or reversed: at most the histogram's.

    In balls: the positive coefficients of (L0 - e^eps L1) G, for the polynomials in one
    variable of the victim's inputs and of the others.
    """

    def rule() -> arb:
        with precision(working_bits() + 64):
            x, e = arb(fmpq_of(epsilon0)).exp(), arb(fmpq_of(epsilon)).exp()
            q = 1 / (x + (c.k - 1))
            users = [arb_poly([1 - x * q, x * q]), arb_poly([1 - q, q])]
            first, second = reversed(users) if reverse else users
            law = (first - e * second) * users[0] ** c.n_x0 * users[1] ** c.b
            return sum((part.max(arb(0)) for part in law.coeffs()), arb(0))

    return Real(rule, f"delta of the count (eps0={epsilon0}, {c}, eps={epsilon})")


def agrees(cell: Cell, value: Exact | Real) -> bool:
    """Return whether a printed cell is within one unit of its last digit of the value."""
    if isinstance(value, Exact) and value == 0:
        return cell.value == 0
    if cell.value == 0:
        return False
    bounds: Enclosure = enclosure(value, relative_bits=64)
    return abs(bounds.lower - cell.value) < cell.unit and abs(bounds.upper - cell.value) < cell.unit


def shown(value: Exact | Real) -> str:
    """Return a value to six digits."""
    return decimal(value, digits=6)


def all_hold(*truths: Truth) -> Truth:
    """Return whether all of some decisions hold."""
    if not all(truth.is_possible for truth in truths):
        return Truth.FALSE
    return Truth.TRUE if all(truth.is_certain for truth in truths) else Truth.UNKNOWN


def printed_delta_estimates(x: float, c: Counts, exp_epsilons: list[float]) -> list[float]:
    """Return log10 of (6) with the printed v_s, in extended doubles (an estimate).

    With j = s - r of the m = n - n_x0 terms, (s-r) C(m-1, s-1-r) / m = (j/m)^2 C(m, j),
    so e^(v_s) = kappa2 + (x - kappa2) E[(j/m)^2 | s], and (12) has E[j/m | s]. The law of s
    and its moments in j are shifted sums of one law: j C(m, j) = m C(m-1, j-1), twice.
    """
    k, m = c.k, c.n - c.n_x0
    q = 1 / (x + k - 1)
    held = _binomial_law(c.n_x0, x * q)
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        if m == 1:
            once, twice = np.append(0, held * q), np.zeros(len(held) + 1, dtype=np.longdouble)
            base = np.append(held * (1 - q), 0) + once
        else:
            # In doubles, which is quick: what is too small for them is no part of a printed cell.
            least = np.convolve(held.astype(float), _binomial_law(m - 2, q).astype(float))
            less = _one_more(least, q)
            base = _one_more(less, q)
            once = np.append(0, less * q)
            twice = np.append([0, 0], least * (q * q))
        second = (k - 1) / (x + k - 2)
        loss = second + (x - second) * (twice * ((m - 1) / m) + once / m) / base
        weight = second * base + (x - second) * once
        result = []
        for e in exp_epsilons:
            part = np.where(loss > e, (1 - e / loss) * weight, 0)
            total = np.nansum(part)
            result.append(float(np.log10(total)) if total > 0 else float("-inf"))
    return result


def _one_more(law: Any, q: float) -> Any:
    """Return the law of a count with one more independent chance q."""
    return np.append(law * (1 - q), 0) + np.append(0, law * q)


@lru_cache(maxsize=2)
def _log_factorials(n: int) -> Any:
    logs = np.cumsum(np.log(np.arange(1, n + 1, dtype=np.longdouble)))
    return np.concatenate([[np.longdouble(0)], logs])


def _binomial_law(n: int, p: float) -> Any:
    j = np.arange(n + 1, dtype=np.longdouble)
    logs = _log_factorials(1000)[: n + 1]
    choose = logs[n] - logs - logs[::-1]
    return np.exp(choose + j * np.log(np.longdouble(p)) + (n - j) * np.log1p(-np.longdouble(p)))
