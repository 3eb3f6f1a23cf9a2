"""Integer noise on a Poisson sample, against its definition: laws of integers, mixed and added up.

With masses that are rational all is exact; others are summed in mpmath, so far out that what is
left is below what is compared.
"""

import math
from fractions import Fraction
from itertools import product

import mpmath
import pytest
from mpmath import mp

from exactdp.accounting import (
    CertifiedPLD,
    compose,
    compose_certified,
    poisson_subsampled,
    sampled,
)
from exactdp.divergences import Pair
from exactdp.divergences.convex_bounds import bound_on_sample
from exactdp.divergences.profile import enclosed
from exactdp.errors import DomainError
from exactdp.mechanisms import (
    binomial_mechanism,
    bounded_discrete_laplace_mechanism,
    bounded_laplace_mechanism,
    discrete_gaussian_mechanism,
    discrete_laplace_mechanism,
    gaussian_mechanism,
    skellam_mechanism,
    truncated_discrete_laplace_mechanism,
    truncated_laplace_mechanism,
)
from exactdp.numbers import Epsilon, Exact
from tests.routes.laws import binomial, hockey_stick
from tests.routes.reals import mpf_of
from tests.routes.samples import replaced

LN2 = Epsilon.log(2)
FAR = 140
Q = Fraction(1, 10)


def geometric(size):
    return {k: Fraction(1, 3) / 2 ** abs(k) for k in range(-size, size + 1)}


def cut(size):
    weights = {k: Fraction(1, 2 ** abs(k)) for k in range(-size, size + 1)}
    total = sum(weights.values())
    return {k: w / total for k, w in weights.items()}


def gaussian(variance):
    weights = {k: mp.exp(-(mp.mpf(k) ** 2) / (2 * variance)) for k in range(-FAR, FAR + 1)}
    total = mp.fsum(weights.values())
    return {k: w / total for k, w in weights.items()}


def skellam(variance):
    return {k: mp.exp(-variance) * mp.besseli(abs(k), variance) for k in range(-40, 41)}


EXACT = {
    "discrete laplace": (
        lambda size: discrete_laplace_mechanism(rate=LN2, sensitivity=size),
        geometric(FAR),
    ),
    "binomial": (lambda size: binomial_mechanism(trials=6, sensitivity=size), binomial(6)),
    "uneven binomial": (
        lambda size: binomial_mechanism(trials=5, success="1/3", sensitivity=size),
        binomial(5, Fraction(1, 3)),
    ),
    "truncated": (
        lambda size: truncated_discrete_laplace_mechanism(rate=LN2, radius=4, sensitivity=size),
        cut(4),
    ),
}
REAL = {
    "discrete gaussian": (
        lambda size: discrete_gaussian_mechanism(sigma=2, sensitivity=size),
        gaussian,
        4,
    ),
    "skellam": (lambda size: skellam_mechanism(variance=3, sensitivity=size), skellam, 3),
}
KINDS = ["remove", "add", "replace"]


def moved(law, shift):
    return {k + shift: mass for k, mass in law.items()}


def mixed(first, other, q):
    points = {*first, *other}
    return {k: (1 - q) * first.get(k, 0) + q * other.get(k, 0) for k in points}


def laws(law, size, kind, q):
    """P and Q: as it is said, P0 the noise around 0 and Q0 that around Δ."""
    if kind == "replace":
        return mixed(law, moved(law, size), q), mixed(law, moved(law, -size), q)
    whole = moved(law, size)
    found = mixed(whole, law, q), whole
    return found if kind == "remove" else found[::-1]


def profile(noise, kind, q=Q):
    if kind == "replace":
        return sampled(noise, sampling_probability=q, neighbors="substitution")
    one = poisson_subsampled(noise, sampling_probability=q)
    return one if kind == "remove" else one.reversed()


def copies(law, n):
    """The law of n outcomes, in order."""
    return {
        point: math.prod((law[x] for x in point), start=Fraction(1))
        for point in product(law, repeat=n)
    }


def close(found, truth, width):
    """Whether an enclosure holds a number that is known to 25 digits, and is as narrow as asked."""
    slack = Fraction(1, 10**25)
    truth = truth if isinstance(truth, Fraction) else Fraction(mpmath.nstr(truth, 35))
    low, high = found.lower, found.upper
    return low - slack <= truth <= high + slack and high - low <= width * low + slack


@pytest.mark.parametrize("gamma", ["1/2", "21/20", "3/2", 4])
@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", EXACT)
def test_delta_of_one_step_is_that_of_the_mixed_laws(name, kind, size, gamma):
    make, law = EXACT[name]
    if name == "uneven binomial" and kind == "replace":
        pytest.skip("refused")
    truth = hockey_stick(*laws(law, size, kind, Q), Fraction(gamma))
    one = profile(make(size), kind)
    found = one.delta(Epsilon.log(gamma))
    if name != "discrete laplace" and isinstance(found, Exact):
        assert found == truth  # the law is listed whole
    assert close(enclosed(found, "1e-20"), truth, Fraction(1, 10**19))
    assert close(one.delta(Epsilon.log(gamma), relative_width="1e-9"), truth, Fraction(1, 10**9))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", REAL)
def test_delta_of_one_step_of_real_masses(name, kind):
    make, law, variance = REAL[name]
    with mpmath.workdps(40):
        p, q = laws(law(mp.mpf(variance)), 2, kind, mp.mpf(1) / 10)
        for gamma in ("1/2", "21/20", 2):
            at = Fraction(gamma)
            truth = hockey_stick(p, q, mpf_of(at))
            found = profile(make(2), kind).delta(Epsilon.log(gamma))
            assert close(enclosed(found, "1e-20"), truth, Fraction(1, 10**19))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["binomial", "truncated", "uneven binomial"])
def test_two_and_three_steps_are_those_of_all_outcomes(name, kind):
    make, law = EXACT[name]
    if name == "uneven binomial" and kind == "replace":
        pytest.skip("refused")
    p, q = laws(law, 1, kind, Q)
    p, q = ({k: law.get(k, Fraction(0)) for k in {*p, *q}} for law in (p, q))
    for n, gamma in ((2, "21/20"), (3, "5/4")):
        truth = hockey_stick(copies(p, n), copies(q, n), Fraction(gamma))
        one = compose([(profile(make(1), kind), n)])
        found = enclosed(one.delta(Epsilon.log(gamma), relative_width="1e-8"), "1e-8")
        assert close(found, truth, Fraction(1, 10**8))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", REAL)
def test_two_steps_of_real_masses(name, kind):
    make, law, variance = REAL[name]
    with mpmath.workdps(30):
        p, q = laws(law(mp.mpf(variance)), 1, kind, mp.mpf(1) / 10)
        kept = range(-18, 19)
        rest = 1 - min(mp.fsum(law[k] for k in kept) for law in (p, q))
        pairs = [(p[i] * p[j], q[i] * q[j]) for i, j in product(kept, kept)]
        truth = mp.fsum(max(0, a - mp.mpf("1.05") * b) for a, b in pairs)
    found = compose([(profile(make(1), kind), 2)]).delta(
        Epsilon.log("21/20"), relative_width="1e-9"
    )
    assert float(found.lower) - 5 * rest <= truth <= float(found.upper) + 5 * rest
    assert rest < 1e-9 and truth > 1e-5


@pytest.mark.parametrize("order", ["1/2", "3/2", 2, 9])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [*EXACT, *REAL])
def test_moments_are_those_of_the_mixed_laws(name, kind, order):
    a = Fraction(order)
    if name == "uneven binomial" and kind == "replace":
        pytest.skip("refused")
    with mpmath.workdps(40):
        if name in EXACT:
            make, law = EXACT[name]
            law = {k: mpf_of(m) for k, m in law.items()}
        else:
            make, rule, variance = REAL[name]
            law = rule(mp.mpf(variance))
        p, q = laws(law, 1, kind, mp.mpf(1) / 10)
        found = profile(make(1), kind).renyi(order, relative_width="1e-12")
        is_cut = name in ("binomial", "truncated", "uneven binomial") and kind != "add"
        if is_cut and a > 1:
            assert found == Epsilon.infinity()
            return
        power = mpf_of(a)
        whole = mp.fsum(p[k] ** power * q[k] ** (1 - power) for k in q if q[k] and p.get(k, 0))
        truth = mp.log(whole) / (power - 1)
    assert close(found, truth, Fraction(1, 10**12))


@pytest.mark.parametrize("name", ["binomial", "truncated", "uneven binomial"])
def test_no_replacement_is_worse_and_one_is_as_bad(name):
    """All x, x' within Δ, at many γ: the pair of Δ and −Δ is the largest, if noise is symmetric."""
    make, law = EXACT[name]
    size, changes = 2, range(-2, 3)
    for gamma in (Fraction(1, 2), Fraction(1), Fraction(11, 10), Fraction(3, 2)):
        every = {
            (x, y): hockey_stick(mixed(law, moved(law, x), Q), mixed(law, moved(law, y), Q), gamma)
            for x, y in product(changes, changes)
        }
        if name == "uneven binomial":
            continue
        assert max(every.values()) == every[size, -size] == every[-size, size]
        found = replaced(make(size), Exact(Q)).delta(Epsilon.log(gamma))
        assert close(enclosed(found, "1e-20"), every[size, -size], Fraction(1, 10**19))


def test_noise_that_is_not_symmetric_is_refused_as_its_two_worst_pairs_differ():
    noise, law = EXACT["uneven binomial"][0](1), EXACT["uneven binomial"][1]
    up, down = (
        hockey_stick(mixed(law, moved(law, s), Q), mixed(law, moved(law, -s), Q), Fraction(11, 10))
        for s in (1, -1)
    )
    assert up != down
    with pytest.raises(DomainError, match="not symmetric"):
        sampled(noise, sampling_probability=Q, neighbors="substitution")
    with pytest.raises(DomainError, match="add_or_remove"):
        sampled(Pair.from_masses([1, 0], [0, 1]), sampling_probability=Q, neighbors="substitution")


def test_a_thousand_steps_are_answered():
    """Between those of Gaussian noise whose deviation is a bit larger and a bit smaller."""
    one = poisson_subsampled(discrete_gaussian_mechanism(sigma=2), sampling_probability="1/100")
    found = compose([(one, 1000)]).epsilon("1e-6", relative_width="1e-3")
    beside = [
        compose(
            [(poisson_subsampled(gaussian_mechanism(sigma=s), sampling_probability="1/100"), 1000)]
        ).epsilon("1e-6", relative_width="1e-3")
        for s in ("199/100", "201/100")
    ]
    assert beside[1].lower < found.lower < found.upper < beside[0].upper
    assert found.upper < found.lower * Fraction("1.001")


def test_what_is_finite_is_sampled_exactly():
    pair = Pair.from_masses(["1/2", "1/4", "1/4", 0], ["1/8", "1/8", "1/2", "1/4"])
    one, two = (
        poisson_subsampled(pair, sampling_probability=Q),
        poisson_subsampled(pair.losses(), sampling_probability=Q),
    )
    for gamma in ("1/2", 1, "11/10", 3):
        assert one.delta(Epsilon.log(gamma)) == two.delta(Epsilon.log(gamma))
        assert one.reversed().delta(Epsilon.log(gamma)) == two.reversed().delta(Epsilon.log(gamma))
    bounded = bounded_discrete_laplace_mechanism(upper=3, rate=LN2)
    worst = poisson_subsampled(bounded, sampling_probability=Q)
    assert worst.worst_of()
    for gamma in (1, "11/10"):
        at = (Fraction(gamma) - 1 + Q) / Q
        assert worst.delta(Epsilon.log(gamma)) == Q * bounded.delta(Epsilon.log(at))


def test_folded_noise_has_a_delta_on_a_sample_and_is_composed_between_polygons():
    folded = bounded_laplace_mechanism(upper=3, scale=1, results="folded")
    one = poisson_subsampled(folded, sampling_probability=Q)
    found = enclosed(one.delta(Epsilon.log("11/10")), "1e-12")
    whole = enclosed(folded.delta(Epsilon.log(2)), "1e-12")
    assert found.lower <= whole.upper * Q and whole.lower * Q <= found.upper
    twice = compose([(one, 2)]).delta(Epsilon.log("11/10"), relative_width="1e-2")
    assert found.lower <= twice.upper and twice.lower <= 2 * found.upper


@pytest.mark.parametrize("kind", ["remove", "add"])
def test_truncated_laplace_noise_on_a_sample(kind):
    """Against the trapezoid rule on its densities, two steps; its ends are a part of δ."""
    noise = truncated_laplace_mechanism(scale=1, radius=3)
    one = profile(noise, kind)
    n, a = 60, 3
    norm = 2 * (1 - mp.exp(-a))

    def f(x):
        return mp.exp(-abs(x)) / norm if abs(x) <= a else mp.mpf(0)

    # Cells on which both densities are smooth: the loss is constant outside of [0, 1].
    cells = [
        (mp.mpf(-3), mp.mpf(-2)),
        (mp.mpf(-2), mp.mpf(0)),
        (mp.mpf(1), mp.mpf(3)),
        (mp.mpf(3), mp.mpf(4)),
    ]
    cells += [(mp.mpf(i) / n, mp.mpf(i + 1) / n) for i in range(n)]
    pairs = []
    for low, high in cells:
        p, q = mp.quad(f, [low, high]), mp.quad(lambda x: f(x - 1), [low, high])
        m = q * mp.mpf(9) / 10 + p / 10
        pairs.append((m, q) if kind == "remove" else (q, m))
    gamma = mp.mpf("1.05")
    below = mp.fsum(max(0, p * r - gamma * q * s) for (p, q), (r, s) in product(pairs, pairs))
    found = compose([(one, 2)]).delta(Epsilon.log("21/20"), relative_width="1e-6")
    low, high = float(found.lower), float(found.upper)
    # Cells lose some of δ (data processing), to second order.
    assert below <= high and low <= float(below) * 1.003


def test_accountants_of_other_names_sample_integer_noise():
    of_laplace = CertifiedPLD.from_discrete_laplace_mechanism(LN2, sampling_prob="1/2")
    of_gaussian = CertifiedPLD.from_discrete_gaussian_mechanism(4, sampling_prob="1/10")
    both = of_laplace.compose(of_gaussian).self_compose(2)
    known = compose(
        [
            (
                poisson_subsampled(
                    discrete_laplace_mechanism(rate=LN2), sampling_probability="1/2"
                ),
                2,
            ),
            (
                poisson_subsampled(
                    discrete_gaussian_mechanism(sigma=2), sampling_probability="1/10"
                ),
                2,
            ),
        ]
    ).both_directions()
    at = Epsilon.rational("1/2")
    first, second = (one.delta(at, relative_width="1e-6") for one in (both, known))
    assert first.lower <= second.upper and second.lower <= first.upper
    with pytest.raises(DomainError, match="compose"):
        compose_certified(
            [(poisson_subsampled(discrete_gaussian_mechanism(sigma=2), sampling_probability=Q), 3)]
        )


@pytest.mark.parametrize(("sensitivity", "order"), [(5, "9/10"), (25, "99/100"), (12, "1/3")])
def test_renyi_of_orders_below_1_where_the_noise_is_moved_far(sensitivity, order):
    """What the ends of the moved noise leave out counts: it is far more than what f lacks."""
    a = Fraction(order)
    replaced = sampled(
        discrete_gaussian_mechanism(sigma=1, sensitivity=sensitivity),
        sampling_probability="1/2",
        neighbors="substitution",
    )
    found = replaced.renyi(order, relative_width="1e-6")
    with mpmath.workdps(300):
        weights = [mpmath.exp(-mpmath.mpf(k * k) / 2) for k in range(-150, 151)]
        f = dict(zip(range(-150, 151), (w / sum(weights) for w in weights), strict=True))
        none, total, power = mpmath.mpf(0), mpmath.mpf(0), mpmath.mpf(a.numerator) / a.denominator
        for k in range(-200, 201):
            p = (f.get(k, none) + f.get(k - sensitivity, none)) / 2
            r = (f.get(k, none) + f.get(k + sensitivity, none)) / 2
            total += p**power * r ** (1 - power)
        truth = Fraction(mpmath.nstr(mpmath.log(total) / (power - 1), 290))
    assert found.lower <= truth <= found.upper


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("size", [1, 2, 6, 8, 20])
def test_the_largest_losses_are_those_of_the_mixed_laws(name, kind, size):
    """Up to sensitivities at which the laws of the noise have nothing in common."""
    if (name, kind) == ("uneven binomial", "replace"):
        pytest.skip("noise that is not symmetric has no one worst pair")
    make, law = EXACT[name]
    one = profile(make(size), kind)
    p, q = laws(law, size, kind, Q)
    infinite = Exact(0)
    if name == "discrete laplace":  # the law is cut off: beyond Δ its losses stay as they are
        shared = [k for k in p if abs(k) < FAR // 2]
    else:
        shared = [k for k in p if p[k] and q.get(k, 0)]
        infinite = Exact(sum(mass for k, mass in p.items() if not q.get(k, 0)))
    top = max(p[k] / q[k] for k in shared)
    assert one.infinity_mass() == infinite
    found = one.largest_finite_loss()
    if top <= 1:  # no loss is above 0, and nothing more is said
        assert (found.nats if isinstance(found, Epsilon) else found).ball(64) <= 0
    elif isinstance(found, Epsilon):
        assert found == Epsilon.log(top)
    else:
        assert found.ball(200).overlaps(Exact(top).ball(200).log())
    most = one.max_divergence()
    assert most == (Epsilon.log(top) if infinite == 0 else Epsilon.infinity())


@pytest.mark.parametrize("rate", [Epsilon.rational("1/2"), Epsilon.log("3/2")])
@pytest.mark.parametrize("size", [1, 3])
def test_a_replaced_record_has_less_than_the_loss_of_the_noise(rate, size):
    """ln((1 − q + q e^ε0)/(1 − q + q e^(−ε0))), from the masses at Δ and beyond."""
    noise = discrete_laplace_mechanism(rate=rate, sensitivity=size)
    p, q = (
        [(1 - Exact(Q)) * noise.mass(k) + Exact(Q) * noise.mass(k - shift) for k in range(-9, 10)]
        for shift in (size, -size)
    )
    found = profile(noise, "replace").max_divergence()
    assert found.exp == max(a / b for a, b in zip(p, q, strict=True))
    assert found < noise.max_divergence()


@pytest.mark.parametrize("order", [Fraction(3, 2), Fraction(2), Fraction(7), Fraction(300)])
@pytest.mark.parametrize("rate", [Fraction(1, 2), Fraction(1, 50)])
@pytest.mark.parametrize("adds_record", [False, True])
def test_divergences_on_a_sample_are_at_most_those_bounds(order, rate, adds_record):
    """The sum over all integers in mpmath: equal for whole orders of removing a record."""
    noise = discrete_gaussian_mechanism(sigma=3)
    width = Fraction(1, 10**9)
    found = bound_on_sample(noise, Exact(rate), order, width=width)
    if adds_record:
        found = poisson_subsampled(noise, sampling_probability=rate).reversed().convex_bound(order)
    with mpmath.workdps(60):
        q, a = mpf_of(rate), mpf_of(order)
        f = {k: mp.exp(-(mp.mpf(k) ** 2) / 18) for k in range(-1500, 1501)}
        total = mp.fsum(f.values())
        terms = (
            f[k]
            / total
            * (1 - q + q * mp.exp((2 * k - 1) / mp.mpf(18))) ** (1 - a if adds_record else a)
            for k in range(-1500, 1501)
        )
        truth = mp.log(mp.fsum(terms)) / (a - 1)
        assert truth * (1 - mp.mpf(10) ** -30) <= mpf_of(found)
        if order in (2, 7) and not adds_record:
            assert mpf_of(found) <= truth * (1 + mp.mpf(10) ** -8)


def test_noise_on_samples_that_is_too_wide_to_list_is_bounded():
    wide = discrete_gaussian_mechanism(sigma=10**6)
    steps = compose([(poisson_subsampled(wide, sampling_probability="1/100"), 1000)])
    for one in (steps, steps.reversed()):
        found = one.epsilon("1e-6")
        assert found.upper_by.startswith("looser: the Rényi bound")
        assert found.upper < Fraction(1, 4000)
