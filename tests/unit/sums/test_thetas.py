"""Sums of discrete Gaussian losses by theta functions, against laws that are convolved in mpmath.

The convolution knows nothing of transforms: masses at integers, added up as often as there are
losses. A second route is the law on the lattice in balls (``atoms``).
"""

from fractions import Fraction
from itertools import product

import mpmath
import pytest
from flint import arb
from mpmath import mp

from exactdp.accounting import compose
from exactdp.errors import TooLargeError
from exactdp.mechanisms import discrete_gaussian_mechanism, gaussian_mechanism
from exactdp.numbers import Epsilon, Exact, precision
from exactdp.sums import LatticeSum
from exactdp.sums.lines.thetas import ThetaSum
from tests.routes.reals import mpf_of

FAR = 60
MIXED = [(Fraction(2), 1, 2), (Fraction(3), 3, 1)]


def lattices(parts):
    found = []
    for variance, size, times in parts:
        noise = discrete_gaussian_mechanism(sigma_squared=variance, sensitivity=size)
        found.append((noise.loss_law().lattice, times))
    return LatticeSum.of(found)


def convolved(parts):
    """The law of the sum of losses: a loss Δ²/(2σ²) − kΔ/σ² for each value k of a noise."""
    law = {Fraction(0): mp.mpf(1)}
    for variance, size, times in parts:
        weights = {k: mp.exp(-mp.mpf(k * k) / (2 * mpf_of(variance))) for k in range(-FAR, FAR + 1)}
        total = mp.fsum(weights.values())
        one = {
            (Fraction(size**2, 2) - k * size) / variance: weight / total
            for k, weight in weights.items()
            if weight / total > mp.mpf(10) ** -40
        }
        for _ in range(times):
            found = {}
            for (x, p), (y, q) in product(law.items(), one.items()):
                found[x + y] = found.get(x + y, 0) + p * q
            law = found
    return law


def excess(law, c):
    """E max(0, 1 − e^(c − L)), from the definition."""
    return mp.fsum(m * -mp.expm1(mpf_of(c - x)) for x, m in law.items() if x > c)


@pytest.mark.parametrize(
    "parts",
    [
        [(Fraction(1), 1, 1)],
        [(Fraction(1, 4), 1, 3)],
        [(Fraction(3, 7), 2, 2)],
        [(Fraction(5), 1, 6)],
        MIXED,
    ],
    ids=["one", "little", "ratio", "six", "mixed"],
)
@pytest.mark.parametrize("c", [Fraction(0), Fraction(1, 2), Fraction(7, 3)])
def test_against_the_convolution(parts, c):
    with mpmath.workdps(40):
        truth = excess(convolved(parts), c)
        found = ThetaSum.of(lattices(parts)).mean_excess(
            Exact(c), relative_width=Fraction(1, 10**15)
        )
        slack = truth * mp.mpf(10) ** -25 + mp.mpf(10) ** -35
        assert mpf_of(found.lower) <= truth + slack
        assert truth - slack <= mpf_of(found.upper)
        assert 0 < found.width <= found.lower / 10**15


@pytest.mark.parametrize("width", ["1e-3", "1e-12", "1e-30"])
@pytest.mark.parametrize("c", ["0", "1", "21/2", "30"])
def test_against_the_law_on_the_lattice(width, c):
    """Also where the threshold is a loss of the sum: 21/2 is one of three at σ² = 4."""
    total = lattices([(Fraction(4), 1, 28)])
    one, other = (
        way.mean_excess(Exact(c), relative_width=Fraction(width))
        for way in (ThetaSum.of(total), total)
    )
    assert one.lower <= other.upper
    assert other.lower <= one.upper


def test_points_that_are_left_out_are_bounded():
    """Σ|φ| over what is not visited, summed at all of its points."""
    total = ThetaSum.of(lattices([(Fraction(9), 1, 3), (Fraction(18), 4, 2)]))
    with precision(128):
        start = [part.terms(arb(0), Fraction(0)).real for part in total.parts]
        count = 20_001
        points, rest = total._points(count, -20.0, start)
        step, left = arb(1), arb(0)
        for k in set(range((count + 1) // 2)) - set(points):
            left += abs(total._value(k, count, arb(0), step, start))
        assert 0 < len(points) < count // 4
        assert left <= rest
        assert rest < left * 10**4


@pytest.mark.parametrize("variance", [Fraction(1, 9), Fraction(1), Fraction(30)])
def test_the_bound_of_an_interval_is_no_less_than_its_points(variance):
    (part,) = ThetaSum.of(lattices([(variance, 1, 1)])).parts
    with precision(128):
        for first, last in [(1, 9), (10, 24), (25, 45), (48, 52), (60, 99), (0, 3), (95, 120)]:
            bound = part.bound(Fraction(first, 100), Fraction(last, 100)).exp()
            sizes = []
            for k in range(first, last + 1):
                turn = Fraction(k, 100) - round(Fraction(k, 100))
                sizes.append(part.terms(arb(0), turn).real)
            assert all(not size > bound for size in sizes)


def test_wide_noise_is_nearly_normal():
    """The lattice is so fine that δ is that of Gaussian noise to some millionths."""
    for sigma, times in ((1000, 1000), (10**6, 10**4)):
        one = compose([(discrete_gaussian_mechanism(sigma=sigma), times)])
        other = compose([(gaussian_mechanism(sigma=sigma), times)])
        at = other.epsilon("1e-6", relative_width="1e-9").upper
        found = one.epsilon("1e-6", relative_width="1e-9")
        assert abs(found.upper - at) < at / 10**5


def test_what_is_known_without_masses():
    """Noise so wide that its masses cannot be listed."""
    wide = discrete_gaussian_mechanism(sigma=10**9, sensitivity=1000)
    many = compose([(wide, 10**6)])
    found = many.epsilon("1e-9", relative_width="1e-6")
    assert found.width <= found.lower / 10**6
    delta = many.delta(Epsilon.rational(found.upper), relative_width="1e-9")
    assert delta.route == "its transform along a line in balls"
    assert delta.upper <= Fraction(1, 10**9)
    alone = wide.delta(Epsilon.rational("1e-6"), relative_width="1e-6")
    assert 0 < alone.lower <= alone.upper < alone.lower * (1 + Fraction(1, 10**5))


def test_what_is_too_far_out_is_refused():
    wide = discrete_gaussian_mechanism(sigma=10**6)
    with pytest.raises(TooLargeError, match="likely values"):
        compose([(wide, 1000)]).delta(Epsilon.rational(1), relative_width="1e-3")
    found = compose([(wide, 1000)]).delta(Epsilon.rational(1))
    assert (found.lower, found.upper_by) == (0, "looser: Chernoff's bound by Rényi divergences")
    with pytest.raises(TooLargeError, match="1e-50 or wider"):
        ThetaSum.of(lattices(MIXED)).mean_excess(Exact(1), relative_width=Fraction(1, 10**51))
