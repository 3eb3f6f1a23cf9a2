"""Positive parts of counts against exact convolution, incomplete beta functions, another engine."""

import random
from fractions import Fraction

import pytest
from flint import arb

from exactdp.errors import DomainError, UndecidedError
from exactdp.numbers import Enclosure, Exact, fmpq_of, precision
from exactdp.numbers.balls import endpoints
from exactdp.sums.counting import trials
from exactdp.sums.counting.trials import sum_of_positive_parts
from exactdp.sums.lines.factors import FiniteVariable
from exactdp.sums.lines.smoothed import SmoothedSum


def law(kinds):
    masses = [Fraction(1)]
    for p, times in kinds:
        for _ in range(times):
            pairs = zip([*masses, 0], [0, *masses], strict=True)
            masses = [(1 - p) * x + p * y for x, y in pairs]
    return masses


def convolution(kinds, c):
    masses = law(kinds)
    terms = [Fraction(0)] * (len(masses) + len(c) - 1)
    for j, x in enumerate(c):
        for s, mass in enumerate(masses):
            terms[s + j] += x * mass
    return terms


def convolved(kinds, c):
    return sum(x for x in convolution(kinds, c) if x > 0)


def balls_of(kinds, c):
    return [(arb(fmpq_of(p)), times) for p, times in kinds], [arb(fmpq_of(x)) for x in c]


def cases(count, seed):
    """Kinds of small denominators, and c of one change of sign, at times with a tie or a 0."""
    chosen = random.Random(seed)
    for i in range(count):
        kinds = [
            (Fraction(chosen.randint(0, 12), 12), chosen.randint(0, 9))
            for _ in range(chosen.randint(1, 3))
        ]
        degree = chosen.choice([1, 1, 2, 3])
        place = chosen.randint(1, degree)
        c = [Fraction(chosen.randint(0, 30) * (1 if j >= place else -1), 8) for j in range(degree)]
        c = [*c, Fraction(1, 10 ** chosen.randint(0, 9))]
        c[0] = min(c[0], Fraction(0)) - max(sum(c), Fraction(0))
        yield kinds, c if i % 2 else c[::-1]


def found(kinds, c, width):
    exact = [(Exact(p), times) for p, times in kinds], [Exact(x) for x in c]
    return sum_of_positive_parts(*exact, relative_width=width)


def test_few_variables_are_the_convolution():
    for i, (kinds, c) in enumerate(cases(120, seed=1)):
        width = Fraction(1, 10 ** (3, 6, 8, 40)[i % 4])
        truth, enclosure = convolved(kinds, c), found(kinds, c, width)
        assert enclosure.contains(truth), (kinds, c)
        assert enclosure.width <= width * truth


def test_every_loss_is_counted():
    """On lines with too short a period, or hardly any points: losses are most of the answer."""
    chosen = random.Random(3)
    for kinds, c in cases(150, seed=2):
        if c[-1] <= 0:
            continue
        terms = convolution(kinds, c)
        place = next(s for s, term in enumerate(terms) if term > 0)
        period = chosen.choice([5, 9, 15, 25, 61, 201])
        last = chosen.choice([0, 1, 3, period // 2])
        with precision(128):
            line = trials._Line(
                *balls_of(kinds, c),
                tilt=chosen.choice([0.01, 0.1, 0.5, 2]),
                period=period,
                last=min(last, period // 2),
                start=place + chosen.choice([0, 0, 1, -1, 2]),
            )
            scale = (line.log_moment - line.tilt * line.start).exp()
            for t, term in enumerate(terms):
                assert (line._term(t) * scale).contains(arb(fmpq_of(term)))
                assert (line._sum(t) * scale).contains(arb(fmpq_of(sum(terms[t:]))))
            assert line.total().contains(arb(fmpq_of(convolved(kinds, c))))


@pytest.mark.parametrize("off", range(-4, 5))
def test_signs_that_were_not_found_are_counted(monkeypatch, off):
    monkeypatch.setattr(trials, "_STEPS", 0)
    kinds, c = [(Fraction(1, 3), 20), (Fraction(3, 4), 9)], [Fraction(-1), Fraction(9, 10)]
    terms = convolution(kinds, c)
    with precision(128):
        line = trials._Line.of(*balls_of(kinds, c), 60)
        line.start = off + next(s for s, term in enumerate(terms) if term > 0)
        total = line.total()
        assert total.is_finite() is (abs(off) <= 1)
        assert total.contains(arb(fmpq_of(convolved(kinds, c))))


def beta_route(p, n, a, b):
    """Σ_s max(0, a·G(s) + b·G(s − 1)) for G binomial, by FLINT's incomplete beta function.

    G(s − 1)/G(s) = s(1 − p)/((n − s + 1)p) rises through −a/b.
    """
    ratio = Fraction(-a) / b * p / (1 - p)
    t = max(0, -int(-ratio * (n + 1) / (1 + ratio) // 1))
    with precision(256):
        q = arb(fmpq_of(p))
        tail = q.beta_lower(t, n - t + 1, regularized=True)
        mass = tail - q.beta_lower(t + 1, n - t, regularized=True)
        before = mass * t * (1 - q) / ((n - t + 1) * q)
        return Enclosure(*endpoints(arb(fmpq_of(a + b)) * tail + arb(fmpq_of(b)) * before))


@pytest.mark.parametrize(
    ("n", "deviations"),
    [(10**3, 0), (10**3, 30), (10**6, 160), (10**9, 6), (10**9, 160), (10**13, 12)],
)
def test_one_kind_is_an_incomplete_beta_function(n, deviations):
    """From the middle of the law to 1e-300."""
    p = Fraction(1, 3)
    a, b = Fraction(-1), 1 - Fraction(deviations, 2 * int(n**0.5))
    truth = beta_route(p, n, a, b)
    for width in (Fraction(1, 10**3), Fraction(1, 10**8)):
        enclosure = found([(p, n)], [a, b], width)
        assert enclosure.width <= width * enclosure.lower
        assert enclosure.lower <= truth.lower and truth.upper <= enclosure.upper
    assert (truth.upper < Fraction(1, 10**300)) is (deviations == 160)


def test_two_kinds_of_a_billion_are_those_of_one_engine_more():
    """E max(0, S) of the sum of two-valued variables, tilted apart, by smoothing."""
    p, n, c = Fraction(3, 4), 10**9, [Fraction(-1), Fraction(9999, 10000)]
    enclosure = found([(p, n)], c, Fraction(1, 10**6))
    with precision(192):
        values, masses = [arb(-4), arb("3.9996") / 3], [arb("0.25"), arb("0.75")]
        one = FiniteVariable(values, masses, n + 1)
        other = SmoothedSum([one], 0).mean_above(arb(0), Fraction(1, 10**3), start=1e-5)
    assert other.lower <= (n + 1) * enclosure.upper and (n + 1) * enclosure.lower <= other.upper


def test_more_users_hide_more():
    """Two kinds at 10^9: what is shown of one user more can only help (data processing)."""
    p, q, gamma = Fraction(3, 4), Fraction(1, 4), 1 + Fraction(1, 10**4)
    c = [q - gamma * p, p - gamma * q]
    previous = None
    for n in (10**8, 10**9, 2 * 10**9, 10**10):
        delta = found([(p, n // 3), (q, n - n // 3)], c, Fraction(1, 10**6))
        assert previous is None or delta.upper < previous.lower
        previous = delta


@pytest.mark.parametrize(("p", "tilt", "last"), [("1/10000", 0.05, 0), ("1/5", 0.1, 1)])
def test_points_left_out_are_bounded_one_by_one(p, tilt, last):
    """Their moduli, not their sum, in which phases cancel."""
    kinds, c = balls_of([(Fraction(p), 3)], [Fraction(1)])
    with precision(128):
        short, whole = (
            trials._Line(kinds, c, tilt=tilt, period=401, last=end, start=1) for end in (last, 200)
        )
        for values, bound in ((whole.terms, short.beyond), (whole.sums, short.beyond_sums)):
            left_out = sum(2 * abs(value) for value in values[last + 1 :]) / 401
            assert left_out < bound * short.size
        assert sum(2 * abs(x) for x in whole.sums[last + 1 :]) / 401 > short.beyond * short.size


def test_what_is_refused():
    half = Fraction(1, 2)
    with pytest.raises(DomainError, match="more than once"):
        found([(half, 3)], [-half, half, Fraction(0), -half], Fraction(1, 10))
    with pytest.raises(UndecidedError, match="smaller epsilon"):
        found([(half, 10**9)], [-2 * half, half], Fraction(1, 10))
    with pytest.raises(UndecidedError, match="not reached"):
        found([(half, 3)], [-half, -half], Fraction(1, 10))
