"""Guarantees against brute force, closed formulas, mpmath, and mechanisms that keep them."""

import itertools
import math
import random
from fractions import Fraction

import mpmath
import pytest

from exactdp.accounting import (
    advanced_composition,
    compose,
    from_gdp,
    from_renyi,
    from_trade_off,
    from_zcdp,
    guarantee,
    renyi_curve,
    smallest_gdp,
    smallest_zcdp,
)
from exactdp.divergences import Pair, trade_off_function
from exactdp.divergences.chernoff import chernoff_epsilon
from exactdp.divergences.renyi_rows import RenyiRows
from exactdp.divergences.values import enclosed
from exactdp.errors import DomainError, UndecidedError
from exactdp.mechanisms import (
    discrete_gaussian_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    skellam_mechanism,
)
from exactdp.numbers import Enclosure, Epsilon, Exact, decimal, sqrt

COIN = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
TENTH = from_zcdp("1/10")


def pairs(seed, count, outcomes=3):
    rng = random.Random(seed)
    for _ in range(count):
        laws = [[rng.randint(1, 20) for _ in range(outcomes)] for _ in range(2)]
        yield Pair.from_masses(*([Fraction(w, sum(law)) for w in law] for law in laws))


# --- (ε, δ): optimal composition ---------------------------------------------------------


def worst(b, delta):
    """The randomized response of Kairouz, Oh and Viswanath, as Fractions."""
    truth, lie = (1 - delta) * b / (1 + b), (1 - delta) / (1 + b)
    return [(delta, Fraction(0)), (truth, lie), (lie, truth), (Fraction(0), delta)]


def product_delta(pairs, gamma):
    total = Fraction(0)
    for cells in itertools.product(*pairs):
        p, q = math.prod(a for a, _ in cells), math.prod(b for _, b in cells)
        total += max(Fraction(0), p - gamma * q)
    return total


@pytest.mark.parametrize("gamma", [Fraction(1), Fraction(7, 5), Fraction(3), Fraction(30)])
def test_optimal_composition_is_the_product_of_worst_pairs(gamma):
    b, c, delta, small = Fraction(3), Fraction(3, 2), Fraction(1, 50), Fraction(1, 999)
    first, second = guarantee(Epsilon.log(b), delta), guarantee(Epsilon.log(c), small)
    at = Epsilon.log(gamma)
    assert compose([(first, 4)]).delta(at) == product_delta([worst(b, delta)] * 4, gamma)
    mixed = product_delta([worst(b, delta)] * 2 + [worst(c, small)] * 3, gamma)
    assert compose([(first, 2), (second, 3)]).delta(at) == mixed


@pytest.mark.parametrize("times", [1, 2, 5, 8])
def test_at_multiples_of_epsilon_it_is_the_closed_formula(times):
    """Kairouz, Oh and Viswanath 2015, Theorem 3.3, with e^ε = 3/2."""
    b, delta = Fraction(3, 2), Fraction(1, 100)
    profile = compose([(guarantee(Epsilon.log(b), delta), times)])
    for i in range(times // 2 + 1):
        inner = (
            sum(
                math.comb(times, j) * (b ** (times - j) - b ** (times - 2 * i + j))
                for j in range(i)
            )
            / (1 + b) ** times
        )
        formula = 1 - (1 - delta) ** times * (1 - inner)
        assert profile.delta(Epsilon.log(b ** (times - 2 * i))) == formula


def test_guarantees_compose_with_noise():
    mixed = compose([(guarantee("0.1", "1e-7"), 10), (gaussian_mechanism(sigma=5), 3)])
    found = mixed.epsilon("1e-5", relative_width="1e-4")
    alone = compose([(gaussian_mechanism(sigma=5), 3)]).epsilon("1e-5", relative_width="1e-4")
    assert alone.upper < found.lower < found.upper < alone.lower + 1


def test_a_guarantee_without_delta_is_randomized_response():
    assert guarantee(Epsilon.log(3)).delta(Epsilon.log(2)) == COIN.delta(Epsilon.log(2))
    assert guarantee("0.1") == guarantee(Epsilon.rational("0.1"), 0)


def test_advanced_composition_is_its_formula_and_not_below_the_optimal():
    epsilon, delta = advanced_composition(("1/10", "1e-7"), 100, "1e-5")
    by_hand = 0.1 * math.sqrt(200 * math.log(1e5)) + 100 * 0.1 * math.expm1(0.1)
    assert math.isclose(float(decimal(epsilon)), by_hand, rel_tol=1e-14)
    assert delta == Exact(100) * Exact("1e-7") + Exact("1e-5")
    optimal = compose([(guarantee("1/10", "1e-7"), 100)]).epsilon(delta, relative_width="1e-3")
    assert optimal.upper < float(decimal(epsilon)) * 0.8
    assert advanced_composition((0, 0), 7, "1/2") == (Exact(0), Exact("1/2"))
    assert advanced_composition((1, "1/9"), 0, "1/2") == (Exact(0), Exact("1/2"))


# --- Gaussian privacy and trade-off functions ----------------------------------------------


def test_gaussian_privacy_is_the_gaussian_mechanism():
    found = from_gdp("1/2").delta(Epsilon.rational(1), relative_width="1e-12")
    same = gaussian_mechanism(sigma=2).delta(Epsilon.rational(1), relative_width="1e-12")
    assert found.lower <= same.upper and same.lower <= found.upper


def test_a_trade_off_function_comes_back():
    for pair in [*pairs(1, 10), Pair.from_masses(["1/2", "1/2", 0], [0, "1/3", "2/3"])]:
        points = trade_off_function(pair).vertices
        both = from_trade_off(points)
        again = both.worst_of()[0] if both.worst_of() else both
        assert trade_off_function(again).vertices == points
        for gamma in ("1/2", 1, 2, 5):
            at = Epsilon.log(gamma)
            assert again.delta(at) == pair.delta(at)
            assert both.delta(at) == max(pair.delta(at), pair.reversed().delta(at))


@pytest.mark.parametrize(
    ("points", "says"),
    [
        ([(0, 1)], "from α = 0 to"),
        ([("1/2", "1/2"), (1, 0)], "from α = 0 to"),
        ([(0, 1), (1, "1/2")], "from α = 0 to"),
        ([(0, "1/2"), ("1/2", "3/4"), (1, 0)], "not higher"),
        ([(0, 1), (0, "1/2"), (1, 0)], "to the right"),
        ([(0, 1), ("1/2", "9/10"), (1, 0)], "not convex"),
        ([(0, 1, 2), (1, 0)], "3 entries"),
        ([(0, 2), (1, 0)], "not a probability"),
        (7, "points=7"),
    ],
)
def test_what_is_no_trade_off_function_is_refused(points, says):
    with pytest.raises(DomainError, match=says):
        from_trade_off(points)


# --- Rényi divergences -----------------------------------------------------------------------


@pytest.mark.parametrize("nats", [0, "1/2", 1, 2])
def test_a_gaussian_mechanism_keeps_its_rho(nats):
    noise = gaussian_mechanism(sigma=sqrt(5))  # 1/10-zCDP
    at = Epsilon.rational(nats)
    least, most = noise.delta(at, relative_width="1e-9"), TENTH.delta(at)
    assert least.upper < most.lower < least.upper * 6
    assert most.width <= most.lower / 10**6


def test_the_smallest_epsilon_is_below_that_of_one_order():
    """Canonne, Kamath & Steinke 2020, Proposition 12, minimized by mpmath."""
    with mpmath.workdps(30):

        def bound(a):
            rest = mpmath.log(10**6) + (a - 1) * mpmath.log(1 - 1 / a) - mpmath.log(a)
            return a / 10 + rest / (a - 1)

        least = min(bound(1 + mpmath.mpf(k) / 200) for k in range(20, 4000))
    found = TENTH.epsilon("1e-6")
    chernoff, _ = chernoff_epsilon(TENTH, Exact("1e-6"))  # the same, at fewer orders
    assert float(found.lower) < float(least) < float(chernoff) < float(least) * 1.01
    assert float(found.upper) > float(least) * (1 - 1e-5)  # it has little to lose in the tail
    noise = gaussian_mechanism(sigma=sqrt(5)).epsilon("1e-6")
    assert noise.upper < found.lower < found.upper < chernoff
    assert TENTH.delta(Epsilon.rational(found.upper)).lower <= Exact("1e-6")


@pytest.mark.parametrize("seed", [1, 2])
def test_no_pair_exceeds_what_its_own_divergences_imply(seed):
    for pair in pairs(seed, 6):
        curve = renyi_curve(pair, ["3/2", 2, 4])
        rho = smallest_zcdp(pair, relative_width="1e-3")
        bounds = from_renyi(curve), from_zcdp(Exact(rho.upper))
        for gamma in (1, "3/2", 3):
            at = Epsilon.log(gamma)
            truth = max(pair.delta(at), pair.reversed().delta(at))
            for bound in bounds:
                assert truth <= bound.delta(at, relative_width="1e-3").upper


def test_more_orders_say_more():
    few, many = from_renyi({2: "0.1", 4: "0.3"}), from_renyi(lambda a: a / 20, [2, 3, 4, 9, 17])
    at = Epsilon.rational(1)
    assert TENTH.delta(at).lower > from_zcdp("1/20").delta(at).upper
    assert many.delta(at).upper < few.delta(at).lower
    assert from_zcdp("1/20").delta(at).upper < many.delta(at).upper
    same = from_renyi({2: "0.1", 4: "0.2", 8: 7}, [2, 4]), from_renyi({2: "0.1", 4: "0.2"})
    assert same[0].delta(at) == same[1].delta(at)


def test_a_failure_adds_the_same_to_all():
    at, failure = Epsilon.rational(1), Fraction(1, 1000)
    plain, failing = TENTH.delta(at), from_zcdp("1/10", delta="1/1000").delta(at)
    assert failing.lower <= failure + (1 - failure) * plain.upper
    assert failure + (1 - failure) * plain.lower <= failing.upper
    assert from_zcdp("1/10", delta="1/1000").epsilon("1e-4") == Epsilon.infinity()
    assert from_zcdp("1/10", delta="1/1000").renyi(2) == Epsilon.infinity()
    assert from_zcdp("1/10", delta="1/1000").words == "1/1000-approximate 1/10-zCDP"


def test_what_a_guarantee_says_of_itself():
    assert TENTH.note.startswith("upper bound: ") and TENTH.words == "1/10-zCDP"
    assert TENTH.renyi(7) == Exact("7/10")
    assert TENTH.reversed() is TENTH
    assert TENTH.max_divergence() == Epsilon.infinity()
    found = from_renyi({2: "0.1", 4: "0.4"})
    # 2·D_3 is at most the mean of D_2 = 1/10 and 3·D_4 = 6/5.
    assert found.renyi(3) == Enclosure(Fraction(0), Fraction(13, 40))
    with pytest.raises(UndecidedError):
        found.renyi(5)


# --- their compositions ----------------------------------------------------------------------


@pytest.mark.parametrize("gamma", [1, 9, 81])
def test_compositions_are_above_those_of_members(gamma):
    at = Epsilon.log(gamma)
    for pair in pairs(5, 3):
        rho = Exact(smallest_zcdp(pair, relative_width="1e-2").upper)
        truth = compose([(pair, 2), (COIN, 9)]).delta(at)
        by_rho = compose([(from_zcdp(rho), 2), (COIN, 9)])
        by_table = compose([(from_renyi(renyi_curve(pair, [2, 5])), 2), (COIN, 9)])
        for bound in (by_rho, by_table):
            assert truth <= bound.delta(at, relative_width="1e-2").upper


def test_rho_adds_and_gaussians_are_below():
    both = compose([(TENTH, 1), (from_zcdp("1/5"), 2), (gaussian_mechanism(sigma=1), 1)])
    found, whole = both.epsilon("1e-6"), from_zcdp(1).epsilon("1e-6", relative_width="1e-3")
    assert found.upper_by == "upper bound: what the Rényi divergences at all orders imply"
    assert "Gaussian" in found.lower_by
    assert whole.lower <= found.upper <= whole.upper * Fraction(1001, 1000)
    noise = gaussian_mechanism(sigma=sqrt(Exact("1/2"))).epsilon("1e-6", relative_width="1e-3")
    assert found.lower <= noise.upper and noise.lower <= found.lower * Fraction(1001, 1000)


def test_discrete_gaussian_noise_adds_its_rho():
    assert smallest_zcdp(discrete_gaussian_mechanism(sigma=2, sensitivity=3)) == Exact("9/8")
    found = compose([(TENTH, 1), (discrete_gaussian_mechanism(sigma=2), 2)])
    above = found.above[0].profile.epsilon("1e-6", relative_width="1e-3")
    whole = from_zcdp("7/20").epsilon("1e-6", relative_width="1e-3")
    assert above.lower <= whole.upper and whole.lower <= above.upper


def test_failures_are_set_apart():
    mixed = compose([(from_zcdp("1/10", delta="1e-3"), 1), (guarantee("1/10", "1e-3"), 2)])
    failing = compose([(from_zcdp("1/10", delta="1e-3"), 3)])
    failure, far = 1 - (1 - Fraction(1, 1000)) ** 3, Epsilon.rational(20)
    for above in (mixed.above[0].profile, failing.above[0].profile):
        assert above.infinity_mass() == failure
        assert failure <= above.delta(far).upper <= failure + Fraction(1, 10**9)
    assert failing.delta(far).lower >= failure * Fraction(99, 100)


def test_one_guarantee_alone_is_itself():
    assert compose([(TENTH, 1)]) is TENTH
    assert compose([(TENTH, 1), (COIN, 0)]) is TENTH


def test_any_number_of_copies_is_added():
    whole = compose([(TENTH, 10**11)]).above[0].profile
    assert whole.rows == RenyiRows(rho=10**11 * TENTH.rows.rho)


# --- the best guarantee of a profile -----------------------------------------------------------


def divergence(p, q, order):
    return mpmath.log(sum(a**order * b ** (1 - order) for a, b in zip(p, q, strict=True))) / (
        order - 1
    )


def test_the_smallest_rho_is_the_supremum_over_orders():
    for pair in [COIN, *pairs(11, 4), Pair.from_masses(["1/100", "99/100"], ["1/2", "1/2"])]:
        found = smallest_zcdp(pair)
        with mpmath.workdps(40):
            p, q = ([_number(row[i]) for row in pair.masses()] for i in (0, 1))
            orders = [1 + mpmath.mpf(2) ** (mpmath.mpf(k) / 16) for k in range(-375, 160)]
            most = max(divergence(*side, a) / a for a in orders for side in ((p, q), (q, p)))
        assert float(most) <= found.upper * (1 + Fraction(1, 10**12))
        assert float(most) >= found.lower * (1 - Fraction(1, 10**3))
        assert found.width <= found.lower / 10**6
    tanh = math.log(3) * math.tanh(math.log(3) / 2)  # D_1 of randomized response
    assert abs(float(smallest_zcdp(COIN).upper) - tanh) < 1e-6


def _number(mass):
    value = mass.as_fraction()
    return mpmath.mpf(value.numerator) / value.denominator


def test_of_laplace_noise_it_is_its_mean_loss():
    found, truth = smallest_zcdp(laplace_mechanism(scale=2)), math.exp(-0.5) - 0.5  # e^−ε + ε − 1
    assert float(found.lower) <= truth * (1 + 1e-12)
    assert float(found.upper) >= truth * (1 - 1e-12)
    assert found.width < found.lower / 10**6


def test_the_smallest_mu_is_the_largest_over_levels():
    for pair in pairs(13, 6):
        mu = float(decimal(smallest_gdp(pair)))
        with mpmath.workdps(30):
            levels = [mpmath.mpf(k) / 100 for k in range(1, 100)]
            most = max(_score(1 - a) - _score(_error(pair, a)) for a in levels)
        assert float(most) <= mu * (1 + 1e-12)
        assert float(most) >= mu - 0.1
    assert smallest_gdp(Pair.from_masses([1], [1])) == 0
    assert decimal(smallest_gdp(gaussian_mechanism(sigma=4)), digits=3) == "0.250"


def _score(level):
    return mpmath.sqrt(2) * mpmath.erfinv(2 * level - 1)


def _error(pair, level):
    points = [(_number(a), _number(b)) for a, b in trade_off_function(pair).vertices]
    for (x, low), (y, high) in itertools.pairwise(points):
        if x <= level <= y:
            return low + (high - low) * (level - x) / (y - x)
    raise AssertionError(level)


def test_a_mu_is_kept():
    """δ of the pair is at most that of μ-GDP at every ε, and not of a smaller μ."""
    gammas = [Epsilon.log(Fraction(k, 16)) for k in range(1, 160)]

    def exceeds(pair, mu):
        noise = from_gdp(Exact(mu))
        most = ((g, noise.delta(g, relative_width="1e-12").upper) for g in gammas)
        return any(bool(pair.delta(g) > one) for g, one in most)

    for pair in pairs(17, 4):
        mu = enclosed(smallest_gdp(pair), "1e-9")
        assert not exceeds(pair, mu.upper * Fraction("1.000001"))
        assert exceeds(pair, mu.lower * Fraction(4, 5))


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda: smallest_zcdp(guarantee(1, "1e-3")), "no rho"),
        (lambda: smallest_gdp(guarantee(1, "1e-3")), "no mu"),
        (lambda: smallest_zcdp(skellam_mechanism(variance=4)), "unbounded"),
        (lambda: smallest_gdp(laplace_mechanism(scale=1)), "finite pair or Gaussian"),
        (lambda: renyi_curve(guarantee(1, "1e-3"), [2]), "infinite"),
        (lambda: renyi_curve(COIN, [1]), "order=1"),
        (lambda: from_renyi({}), "no order"),
        (lambda: from_renyi({"1/2": 1}), "above 1"),
        (lambda: from_renyi({2: 0}), "not positive"),
        (lambda: from_renyi({2: Epsilon.infinity()}), "infinite"),
        (lambda: from_renyi({2: 1}, [3]), "not in the table"),
        (lambda: from_renyi(lambda a: a), "orders is missing"),
        (lambda: from_renyi(3), "curve=3"),
        (lambda: from_zcdp(0), "not positive"),
        (lambda: from_zcdp(1, delta=2), "not a probability"),
        (lambda: from_zcdp(float("nan")), "not finite"),
        (lambda: from_gdp(0), "not positive"),
        (lambda: guarantee(-1), "negative"),
        (lambda: guarantee(float("inf")), "not finite"),
        (lambda: advanced_composition((1, 0), 3, 0), "above 0"),
        (lambda: advanced_composition((1, 0, 0), 3, "1/2"), "3 entries"),
    ],
)
def test_errors_name_what_is_wrong(ask, says):
    with pytest.raises((DomainError, UndecidedError), match=says) as caught:
        ask()
    assert "\n" not in str(caught.value)
