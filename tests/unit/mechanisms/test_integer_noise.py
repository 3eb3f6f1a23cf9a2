"""Integer noise: exact against Python's fractions, enclosures against sums in mpmath."""

import pickle
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product

import mpmath
import pytest

from exactdp.accounting import compose, worst_shift
from exactdp.divergences import calibrated
from exactdp.errors import DomainError, TooLargeError
from exactdp.mechanisms import (
    binomial_mechanism,
    bounded_discrete_laplace_mechanism,
    discrete_gaussian_mechanism,
    discrete_laplace_mechanism,
    laplace_mechanism,
    modular_noise,
    skellam_mechanism,
    truncated_discrete_laplace_mechanism,
)
from exactdp.numbers import Enclosure, Epsilon, Exact, enclosure
from tests.routes.laws import binomial, hockey_stick
from tests.routes.reals import mpf_of

nats = Epsilon.rational


def assert_around(found, truth, *, width=0):
    """The truth has 50 digits, of which 30 are relied on."""
    ends = found if isinstance(found, Enclosure) else enclosure(found, relative_bits=60)
    slack = abs(truth) * mpmath.mpf(10) ** -30
    assert mpf_of(ends.lower) <= truth + slack
    assert truth - slack <= mpf_of(ends.upper)
    assert ends.upper - ends.lower <= (width or Fraction(1, 10**12)) * ends.lower


def doubled(law, radius, sizes):
    """The masses of a law of two variables, by their definition: all pairs of values."""
    found = {}
    for (x, p), (y, q) in product(law.items(), repeat=2):
        if abs(x - y) <= radius and max(x, y) <= sizes:
            found[x - y] = found.get(x - y, 0) + p * q
    total = sum(found.values())
    return {k: mass / total for k, mass in found.items()}


def shifted_delta(law, size, gamma, modulus=None):
    """Σ of the positive parts of P − γQ, straight from the definition."""
    key = (lambda k: k % modulus) if modulus else (lambda k: k)
    p, q = {}, {}
    for k, mass in law.items():
        p[key(k)] = p.get(key(k), 0) + mass
        q[key(k + size)] = q.get(key(k + size), 0) + mass
    return hockey_stick(p, q, gamma)


HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
LAW_OF_GEOMETRICS = {k: HALF**k for k in range(20)}
EXACT = [
    (binomial_mechanism(trials=7), binomial(7, HALF)),
    (binomial_mechanism(trials=6, success="1/3"), binomial(6, THIRD)),
    *(
        (
            truncated_discrete_laplace_mechanism(rate=Epsilon.log(2), radius=r),
            {k: HALF ** abs(k) / (3 - 2 * HALF**r) for k in range(-r, r + 1)},
        )
        for r in (1, 3, 6)
    ),
    (
        truncated_discrete_laplace_mechanism(rate=Epsilon.log(2), radius=4, ends="each"),
        doubled(LAW_OF_GEOMETRICS, 4, 4),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("noise", "law"), EXACT)
@pytest.mark.parametrize("size", [1, 2, 3, 9])
def test_exact_noise_is_its_definition(noise, law, size):
    """Exactly, at ties and beside them, in both directions, with and without a modulus."""
    one = replace(noise, sensitivity=size)
    assert one.is_exact
    back = {-k: mass for k, mass in law.items()}
    for gamma in (Fraction(1, 3), 1, Fraction(3, 2), 2, 4, 9, 100):
        at = Epsilon.log(Exact(gamma))
        assert one.delta(at) == shifted_delta(law, size, gamma)
        assert one.reversed().delta(at) == shifted_delta(back, size, gamma)
        for m in (5, 7, 11):
            worst = max(shifted_delta(law, s, gamma, m) for s in range(1, min(size, m - 1) + 1))
            # Of noise that does not wrap the largest shift is the worst.
            assert modular_noise(one, modulus=m).delta(at) == worst
    infinite = one.infinity_mass()
    assert infinite == shifted_delta(law, size, 10**9)
    if infinite < Exact("1/7"):
        found = one.epsilon("1/7")
        assert found == nats(0) or one.delta(found) == Exact("1/7")


def binomial_law(n, p):
    p = mpf_of(p)
    # Beyond 10√n there is less than 2e^(−200), by Hoeffding.
    middle, reach = int(n * p), 10 * int(mpmath.sqrt(n))
    inside = range(max(0, middle - reach), min(n, middle + reach) + 1)
    mass = mpmath.binomial(n, inside[0]) * p ** inside[0] * (1 - p) ** (n - inside[0])
    found = {}
    for k in inside:
        found[k] = mass
        mass = mass * p * (n - k) / ((1 - p) * (k + 1))
    return found


def skellam_law(v):
    reach = 13 * int(mpmath.sqrt(mpf_of(v)) + 1) + 40  # the masses beyond are below 1e-40
    one = {k: mpmath.besseli(k, mpf_of(v)) * mpmath.exp(-mpf_of(v)) for k in range(reach)}
    return {k: one[abs(k)] for k in range(1 - reach, reach)}


def laplace_law(b, radius, ends):
    a = mpmath.exp(-1 / mpf_of(b))
    taken = (lambda k: a ** (2 * radius + 2 - abs(k))) if ends == "each" else (lambda k: 0)
    law = {k: a ** abs(k) - taken(k) for k in range(-radius, radius + 1)}
    total = mpmath.fsum(law.values())
    return {k: mass / total for k, mass in law.items()}


ENCLOSED = [
    (binomial_mechanism(trials=2701, success="2/5"), lambda: binomial_law(2701, "2/5")),
    (skellam_mechanism(variance="1/3"), lambda: skellam_law("1/3")),
    (skellam_mechanism(variance=9, sensitivity=2), lambda: skellam_law(9)),
    (
        truncated_discrete_laplace_mechanism(scale=90, radius=700, sensitivity=40),
        lambda: laplace_law(90, 700, "together"),
    ),
    (
        truncated_discrete_laplace_mechanism(scale=90, radius=700, sensitivity=3, ends="each"),
        lambda: laplace_law(90, 700, "each"),
    ),
    (
        truncated_discrete_laplace_mechanism(scale=9, radius=30, ends="each"),
        lambda: laplace_law(9, 30, "each"),
    ),
]


@pytest.mark.parametrize(("noise", "law"), ENCLOSED)
def test_noise_at_scale_against_mpmath(noise, law):
    with mpmath.workdps(50):
        masses, size = law(), noise.sensitivity
        back = {-k: mass for k, mass in masses.items()}
        loss = size / 2 / mpmath.sqrt(mpf_of(noise.spread))
        for epsilon in ("0", "-1/9", str(Fraction(round(loss * 1000), 1000))):
            gamma = mpmath.exp(mpf_of(epsilon))
            for one, truth in ((noise, masses), (noise.reversed(), back)):
                found = one.delta(nats(epsilon), relative_width="1e-12")
                assert_around(found, shifted_delta(truth, size, gamma))
        target = shifted_delta(masses, size, gamma)
        found = noise.epsilon(Fraction(str(target)), relative_width="1e-9")
        assert mpf_of(found.lower) <= mpf_of(epsilon) * (1 + mpmath.mpf(10) ** -15)
        assert mpf_of(epsilon) <= mpf_of(found.upper) * (1 + mpmath.mpf(10) ** -15)


@pytest.mark.parametrize("order", ["1/2", "2", "7/2"])
@pytest.mark.parametrize(("variance", "size"), [("1/3", 1), ("9", 3), ("90", 2)])
def test_renyi_divergence_of_skellam_noise(variance, size, order):
    with mpmath.workdps(60):
        v, a = mpf_of(variance), mpf_of(order)
        # From 12 deviations and 60 on, far below 1e-40 of the sum is left.
        reach = 12 * int(mpmath.sqrt(v)) + 60
        f = [mpmath.besseli(k, v) * mpmath.exp(-v) for k in range(reach + size + 1)]
        total = mpmath.fsum(
            f[abs(k)] ** a * f[abs(k - size)] ** (1 - a) for k in range(-reach, reach + 1)
        )
        truth = mpmath.log(total) / (a - 1)
    noise = skellam_mechanism(variance=variance, sensitivity=size)
    assert_around(noise.renyi(order, relative_width="1e-15"), truth)


def test_truncated_noise_of_a_large_radius_is_a_closed_form():
    """Far more values than can be summed; beyond ε0 only the end is left."""
    noise = truncated_discrete_laplace_mechanism(scale=10**12, radius=10**15, sensitivity=3)
    with mpmath.workdps(80):
        a = mpmath.exp(-(mpmath.mpf(10) ** -12))
        total = (1 + a - 2 * a ** (10**15 + 1)) / (1 - a)
        truth = sum(a ** (10**15 - j) for j in range(3)) / total
        assert_around(noise.delta(nats(1), relative_width="1e-15"), truth)
    whole = discrete_laplace_mechanism(scale=9, sensitivity=2)
    ended = truncated_discrete_laplace_mechanism(scale=9, radius=4000, sensitivity=2)
    at = nats("1/7")
    assert ended.delta(at, relative_width="1e-15").contains(whole.delta(at))  # e^(−444) apart


@pytest.mark.parametrize(("radius", "size"), [(1, 3), (2, 5), (3, 2), (6, 10), (6, 14)])
def test_the_closed_form_is_that_of_the_pair(radius, size):
    """Exactly, for every kind of ε: also where the laws have little or nothing in common."""
    noise = truncated_discrete_laplace_mechanism(
        rate=Epsilon.log(2), radius=radius, sensitivity=size
    )
    for gamma in (Fraction(1, 300), Fraction(1, 4), 1, Fraction(3, 2), 2, 4, 32, 1000):
        found = noise._closed(Exact(gamma), lambda j: Exact(2) ** -j)
        assert found == noise.pair().delta(Epsilon.log(gamma))


def test_calibrations_are_the_smallest():
    one = {"epsilon": nats(1)}
    n = int(calibrated(binomial_mechanism, **one, delta="1e-6").upper)
    e = Fraction(271828182845904523536, 10**20)  # to 1e-20
    deltas = [shifted_delta(binomial(k, HALF), 1, e) for k in (n, n - 1)]
    assert deltas[0] <= Fraction(1, 10**6) < deltas[1]
    of = {"success": "1/3", "sensitivity": 2}
    n = int(calibrated(binomial_mechanism, epsilon=nats("1/2"), delta="1e-4", **of).upper)
    ok = [
        all(d.delta(nats("1/2")) <= Exact("1e-4") for d in (one, one.reversed()))
        for one in (binomial_mechanism(trials=k, **of) for k in (n, n - 1))
    ]
    assert ok == [True, False]
    for ends in ("together", "each"):
        of = {"scale": 2, "sensitivity": 2, "ends": ends}
        found = calibrated(truncated_discrete_laplace_mechanism, **one, delta="1e-8", **of)
        r = int(found.upper)
        with mpmath.workdps(40):
            deltas = [shifted_delta(laplace_law(2, k, ends), 2, mpmath.e) for k in (r, r - 1)]
        assert deltas[0] <= mpmath.mpf(10) ** -8 < deltas[1]
    found = calibrated(skellam_mechanism, **one, delta="1e-5", relative_width="1e-6")
    with mpmath.workdps(40):
        deltas = [shifted_delta(skellam_law(v), 1, mpmath.e) for v in (found.upper, found.lower)]
    assert deltas[0] <= mpmath.mpf(10) ** -5 < deltas[1]
    assert found.width <= found.lower / 10**6


def test_a_radius_never_helps_by_falling():
    """The argument for a truncated radius, for every γ >= 1 of a grid."""
    for size, gamma in product((1, 2, 5), (1, "3/2", 2, 5, 40)):
        at = Epsilon.log(gamma)
        deltas = [
            truncated_discrete_laplace_mechanism(
                rate=Epsilon.log(2), radius=r, sensitivity=size
            ).delta(at)
            for r in range(1, 9)
        ]
        assert all(a >= b for a, b in pairwise(deltas))


@pytest.mark.parametrize(("upper", "size"), [(1, 1), (4, 1), (4, 2), (3, 9)])
def test_bounded_results_against_all_pairs_of_inputs(upper, size):
    """In both orders, from the definition."""

    def law(x):
        total = sum(HALF ** abs(y - x) for y in range(upper + 1))
        return [HALF ** abs(y - x) / total for y in range(upper + 1)]

    found = bounded_discrete_laplace_mechanism(rate=Epsilon.log(2), upper=upper, sensitivity=size)
    pairs = [(law(x), law(y)) for x, y in product(range(upper + 1), repeat=2) if abs(x - y) <= size]
    for gamma in (Fraction(1, 2), 1, Fraction(3, 2), 2, Fraction(9, 4), 3):
        truth = max(sum(max(0, a - gamma * b) for a, b in zip(p, q, strict=True)) for p, q in pairs)
        assert found.delta(Epsilon.log(gamma)) == truth
        assert found.reversed().delta(Epsilon.log(gamma)) == truth
    with pytest.raises(TooLargeError, match="discrete Laplace noise"):
        bounded_discrete_laplace_mechanism(scale=1, upper=10**6)


def composed_delta(laws, gamma):
    """Σ of the positive parts over all outcomes of independent integers: (law, shift) each."""
    pairs = [(Fraction(1), Fraction(1))]
    for law, size in laws:
        some = [(law.get(k, 0), law.get(k - size, 0)) for k in {*law, *(k + size for k in law)}]
        pairs = [(p * a, q * b) for p, q in pairs for a, b in some]
    return sum(max(0, p - gamma * q) for p, q in pairs)


def test_composition():
    one, law = binomial_mechanism(trials=9), binomial(9, HALF)
    truth = composed_delta([(law, 1)] * 3, Fraction(2))
    found = compose([(one, 3)])
    assert found.delta(Epsilon.log(2), relative_width="1e-6").contains(truth)
    assert found.infinity_mass() == 1 - (1 - Exact("1/512")) ** 3
    ends = found.epsilon(truth, relative_width="1e-5")
    assert Exact.exp(ends.lower) <= 2 <= Exact.exp(ends.upper)
    assert found.epsilon("1/512").is_infinite and found.max_divergence().is_infinite
    assert compose([(one, 1)]) is one
    # Few losses stay exact.
    noise = truncated_discrete_laplace_mechanism(rate=Epsilon.log(2), radius=2)
    law = {k: HALF ** abs(k) * Fraction(2, 5) for k in range(-2, 3)}
    assert compose([(noise, 3)]).delta(Epsilon.log(3)) == composed_delta([(law, 1)] * 3, 3)
    # Skellam noise adds up: of variances 2 and 3 the sum has 5, of one shift.
    two = compose([(skellam_mechanism(variance=4), 2)])
    with mpmath.workdps(40):
        law = {k: x for k, x in skellam_law(4).items() if abs(k) < 45}
        pairs = [(law.get(k, 0), law.get(k - 1, 0)) for k in range(-44, 46)]
        truth = mpmath.fsum(
            max(0, p * a - mpmath.e * q * b) for p, q in pairs for a, b in pairs
        )  # what is left out is below 1e-30
        assert_around(two.delta(nats(1), relative_width="1e-6"), truth, width=Fraction(1, 10**6))
    alone = skellam_mechanism(variance=4).renyi(2, relative_width="1e-12")
    twice = two.renyi(2, relative_width="1e-12")
    assert pickle.loads(pickle.dumps(two)).renyi(2, relative_width="1e-12") == twice
    assert twice.lower <= 2 * alone.upper and 2 * alone.lower <= twice.upper


def test_the_worst_of_several_integers():
    """Against every vector of integers within the norms."""
    for success, law in (("1/2", binomial(3, HALF)), ("1/3", binomial(3, THIRD))):
        norms = {"l1": 3, "l2_squared": 5}
        worst = worst_shift(
            lambda s, p=success: binomial_mechanism(trials=3, success=p, sensitivity=s),
            dimensions=2,
            **norms,
        )
        truth = max(
            composed_delta([(law, x), (law, y)], 2)
            for x, y in product(range(-3, 4), repeat=2)
            if abs(x) + abs(y) <= 3 and x * x + y * y <= 5
        )
        found = worst.delta(Epsilon.log(2), relative_width="1e-9")
        assert found.contains(truth) and found.width < Fraction(1, 10**8)


def test_modulus_of_noise_at_scale():
    wrapped = modular_noise(skellam_mechanism(variance=10, sensitivity=2), modulus=11)
    assert wrapped.worst_of()
    with mpmath.workdps(40):
        law = skellam_law(10)
        for epsilon in ("0", "1/2"):
            gamma = mpmath.exp(mpf_of(epsilon))
            truth = max(shifted_delta(law, s, gamma, 11) for s in (1, 2))
            assert_around(
                wrapped.delta(nats(epsilon), relative_width="1e-9"), truth, width=Fraction(1, 10**9)
            )
        g = [mpmath.fsum(x for k, x in law.items() if k % 11 == r) for r in range(11)]
        top = max(mpmath.log(g[r] / g[r - s]) for r in range(11) for s in (1, 2))
        assert_around(wrapped.max_divergence(), top)
        copy = pickle.loads(pickle.dumps(wrapped.profiles[0]))
        assert_around(copy.max_divergence(), mpmath.log(max(g[r] / g[r - 1] for r in range(11))))
    long = binomial_mechanism(trials=10_007, sensitivity=3)
    assert modular_noise(long, modulus=10_011) is long
    part = modular_noise(long, modulus=10_009)  # two residues are free, three wrap
    assert part.worst_of() and part.infinity_mass() is not None


@pytest.mark.parametrize(
    ("noise", "mass"),
    [
        (discrete_gaussian_mechanism(sigma=1), lambda k: mpmath.exp(-(mpmath.mpf(k) ** 2) / 2)),
        (discrete_laplace_mechanism(scale=2, sensitivity=3), lambda k: mpmath.exp(-abs(k) / 2)),
        (discrete_laplace_mechanism(rate=Epsilon.log(3)), lambda k: mpmath.mpf(3) ** -abs(k)),
    ],
)
@pytest.mark.parametrize("modulus", [2, 5])
def test_modulus_of_noise_without_ends(noise, mass, modulus):
    wrapped, size = modular_noise(noise, modulus=modulus), noise.sensitivity
    with mpmath.workdps(60):
        law = {k: mass(mpmath.mpf(k)) for k in range(-400, 401)}
        total = mpmath.fsum(law.values())
        law = {k: x / total for k, x in law.items()}
        shifts = range(1, min(size, modulus - 1) + 1)
        for epsilon in ("0", "1/10", "1/4"):
            gamma = mpmath.exp(mpf_of(epsilon))
            truth = max(shifted_delta(law, s, gamma, modulus) for s in shifts)
            found = wrapped.delta(nats(epsilon), relative_width="1e-9")
            if truth > 0:
                assert_around(found, truth, width=Fraction(1, 10**9))
            else:
                assert found == Enclosure(Fraction(0), Fraction(0))
        g = [mpmath.fsum(x for k, x in law.items() if k % modulus == r) for r in range(modulus)]
        ratios = [g[r] / g[r - s] for r in range(modulus) for s in shifts]
        if max(ratios) > 1:
            assert_around(wrapped.max_divergence(), mpmath.log(max(ratios)))
    # Wrapping is post-processing.
    assert wrapped.delta(nats("1/10"), relative_width="1e-3").lower <= enclosed_delta(noise).upper


def enclosed_delta(noise):
    return noise.delta(nats("1/10"), relative_width="1e-3")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: modular_noise(laplace_mechanism(scale=1), modulus=5),
            "is not integer noise, for which a modulus is. Pass one.",
        ),
        (lambda: binomial_mechanism(trials=0), "trials=0 must be at least 1"),
        (lambda: binomial_mechanism(trials=3, success=1), "success=1 must be rational, above 0"),
        (lambda: binomial_mechanism(trials=3, success=1.5), "success=1.5 is not a prob"),
        (lambda: binomial_mechanism(trials=3, sensitivity=0), "sensitivity=0"),
        (lambda: skellam_mechanism(variance=0), "variance=0 is not positive"),
        (lambda: truncated_discrete_laplace_mechanism(radius=3), "Pass one of scale, rate"),
        (lambda: truncated_discrete_laplace_mechanism(radius=0, scale=1), "radius=0"),
        (lambda: truncated_discrete_laplace_mechanism(radius=1, scale=1, ends="all"), "together"),
        (lambda: truncated_discrete_laplace_mechanism(radius=1, rate=nats(0)), "not positive"),
        (
            lambda: calibrated(
                truncated_discrete_laplace_mechanism, epsilon=nats(1), delta="1e-6", scale="1/4"
            ),
            "nothing up to there meets it",
        ),
        (
            lambda: calibrated(binomial_mechanism, epsilon=nats(1), delta="1e-6", sensitivity=0),
            "sensitivity=0",
        ),
        (lambda: modular_noise(binomial_mechanism(trials=3), modulus=1), "modulus=1"),
        (lambda: bounded_discrete_laplace_mechanism(upper=0, scale=1), "upper=0"),
        (lambda: bounded_discrete_laplace_mechanism(upper=1, rate=nats(0)), "not positive"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(DomainError, match=message):
        call()


def test_what_is_too_large_is_refused_at_once():
    with pytest.raises(TooLargeError, match="likely values"):
        binomial_mechanism(trials=10**15).delta(nats("1e-9"), relative_width="1e-3")
    with pytest.raises(TooLargeError, match="without its modulus"):
        modular_noise(skellam_mechanism(variance=3), modulus=2**31 - 1)
