"""Every number by a second route, and composition against the explicit product."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from exactdp.distributions import FinitePmf
from exactdp.divergences import (
    Pair,
    kl_divergence,
    max_divergence,
    renyi_divergence,
    renyi_moment,
    total_variation,
    trade_off_function,
)
from exactdp.numbers import Epsilon, Exact, enclosure, is_below
from exactdp.testing import (
    epsilons,
    exact_pairs,
    rational_pairs,
)
from exactdp.truth import Truth

law = settings(max_examples=60)

gammas = st.fractions(0, 8, max_denominator=6)
levels = st.fractions(0, 1, max_denominator=12)


def delta_at(pair, gamma):
    """H_γ(P ‖ Q), for γ = 0 too."""
    return pair.delta(Epsilon(Exact(gamma))) if gamma else Exact(1)


def fractions_of(pair):
    """The pair as Python's own fractions: the route that uses none of our arithmetic."""
    return [(p.as_fraction(), q.as_fraction()) for p, q in pair.masses()]


all_pairs = rational_pairs() | exact_pairs()


# --- second routes ----------------------------------------------------------------


@law
@given(pair=rational_pairs(), gamma=gammas)
def test_hockey_stick_is_the_sum_in_plain_fractions(pair, gamma):
    expected = sum((max(Fraction(0), p - gamma * q) for p, q in fractions_of(pair)), Fraction(0))
    assert delta_at(pair, gamma).as_fraction() == expected


@law
@given(pair=rational_pairs(max_size=4), gamma=gammas)
def test_hockey_stick_is_the_supremum_over_all_events(pair, gamma):
    masses = fractions_of(pair)
    gaps = [
        sum((p - gamma * q for i, (p, q) in enumerate(masses) if event >> i & 1), Fraction(0))
        for event in range(2 ** len(masses))
    ]
    assert delta_at(pair, gamma) == max(gaps)


@law
@given(pair=all_pairs, epsilon=epsilons())
def test_event_attains_the_hockey_stick_and_has_only_positive_gaps(pair, epsilon):
    event = pair.event(epsilon)
    gaps = [p - epsilon.exp * q for p, q in pair.masses()]
    assert [gap > 0 for gap in gaps] == [y in event for y in pair.outcomes]
    total = sum((gap for gap in gaps if gap > 0), Exact(0))
    assert total == delta_at(pair, epsilon.exp)


@law
@given(pair=rational_pairs(), nats=st.fractions(0, 3, max_denominator=4))
def test_mpmath_agrees_at_sixty_digits(pair, nats):
    exact = delta_at(pair, Epsilon.rational(nats).exp)
    with mpmath.workdps(60):
        gamma = mpmath.exp(to_mpf(nats))
        estimate = mpmath.fsum(
            max(mpmath.mpf(0), to_mpf(p) - gamma * to_mpf(q)) for p, q in fractions_of(pair)
        )
    assert within(estimate, exact, Fraction(1, 10**55))


@law
@given(pair=rational_pairs(), order=st.fractions(Fraction(5, 4), 4, max_denominator=4))
def test_mpmath_agrees_on_renyi_and_kullback_leibler(pair, order):
    assume(not max_divergence(pair).is_infinite)
    masses = [(p, q) for p, q in fractions_of(pair) if p != 0]
    with mpmath.workdps(60):
        a = to_mpf(order)
        moment = mpmath.fsum(to_mpf(p) ** a * to_mpf(q) ** (1 - a) for p, q in masses)
        renyi = mpmath.log(moment) / (a - 1)
        kl = mpmath.fsum(to_mpf(p) * mpmath.log(to_mpf(p) / to_mpf(q)) for p, q in masses)
    assert within(renyi, renyi_divergence(pair, order=order), Fraction(1, 10**55))
    assert within(kl, kl_divergence(pair), Fraction(1, 10**55))


def to_mpf(value):
    return mpmath.mpf(value.numerator) / value.denominator


def within(estimate, exact, error):
    """Whether the exact number lies in estimate ± error, by exact comparisons."""
    sign, mantissa, exponent, _ = estimate._mpf_
    middle = Fraction(-int(mantissa) if sign else int(mantissa)) * Fraction(2) ** exponent
    above = is_below(Exact(middle - error), exact)
    return above is Truth.TRUE and is_below(exact, Exact(middle + error)) is Truth.TRUE


@law
@given(pair=all_pairs, epsilon=epsilons())
def test_five_routes_to_delta(pair, epsilon):
    gamma = epsilon.exp
    direct = pair.delta(epsilon)
    loss = pair.losses()
    by_losses = loss.infinity_mass() + sum(
        (mass * max(Exact(0), 1 - gamma / exp_loss) for exp_loss, mass in loss.atoms), Exact(0)
    )
    vertices = trade_off_function(pair).vertices
    assert loss.delta(epsilon) == direct
    assert by_losses == direct
    assert loss.reversed().reversed().delta(epsilon) == direct
    assert loss.reversed().delta(epsilon) == pair.reversed().delta(epsilon)
    assert max(1 - alpha - gamma * beta for alpha, beta in vertices) == direct


@law
@given(pair=rational_pairs(), order=st.integers(2, 5))
def test_moment_is_the_sum_in_plain_fractions(pair, order):
    masses = fractions_of(pair)
    assume(not any(q == 0 < p for p, q in masses))
    expected = sum((p**order * q ** (1 - order) for p, q in masses if q != 0), Fraction(0))
    assert renyi_moment(pair, order=order).as_fraction() == expected


@law
@given(pair=all_pairs)
def test_max_divergence_is_where_the_curve_reaches_zero(pair):
    assert max_divergence(pair) == pair.epsilon(0) == pair.losses().max_divergence()


@law
@given(pair=all_pairs)
def test_exact_arithmetic_and_integers_agree(pair):
    in_field = Pair(
        [Exact(1) * a for a in pair.p],
        [Exact(1) * b for b in pair.q],
        Exact(1) * pair.p_total,
        Exact(1) * pair.q_total,
    )
    assert in_field.losses() == pair.losses()
    assert in_field.losses().p == pair.losses().p  # rational numbers become integers
    assert total_variation(in_field) == total_variation(pair)
    assert max_divergence(in_field) == max_divergence(pair)


# --- composition ------------------------------------------------------------------


@law
@given(first=rational_pairs(max_size=3), second=rational_pairs(max_size=3))
def test_composition_is_the_product(first, second):
    def law_of(pair, side):
        return FinitePmf({i: masses[side] for i, masses in enumerate(pair.masses())})

    product = Pair.from_pmfs(
        FinitePmf.product(law_of(first, 0), law_of(second, 0)),
        FinitePmf.product(law_of(first, 1), law_of(second, 1)),
    )
    left, right = first.losses(), second.losses()
    assert left.compose(right) == product.losses()
    assert left.compose(right) == right.compose(left)
    assert max_divergence(product) == max_divergence(first) + max_divergence(second)


@law
@given(
    first=exact_pairs(),
    second=rational_pairs(max_size=3, max_weight=4),
)
def test_composition_of_rational_and_transcendental_pairs(first, second):
    masses = [(a * c, b * d) for a, b in first.masses() for c, d in second.masses()]
    product = Pair.from_masses([p for p, _ in masses], [q for _, q in masses])
    assert first.losses().compose(second.losses()) == product.losses()


@law
@given(pair=rational_pairs(max_size=3), times=st.integers(0, 5))
def test_repeated_squaring_is_repeated_composition(pair, times):
    one = pair.losses()
    result = one.self_compose(times=0)
    for _ in range(times):
        result = result.compose(one)
    assert one.self_compose(times=times) == result
    if not max_divergence(pair).is_infinite:
        assert (
            renyi_moment(Pair.from_losses(result), order=2) == renyi_moment(pair, order=2) ** times
        )


@law
@given(pair=all_pairs)
def test_masses_of_the_losses_sum_to_one_under_both_laws(pair):
    loss = pair.losses()
    assert sum((mass for _, mass in loss.atoms), loss.infinity_mass()) == 1
    under_q = sum((mass / exp_loss for exp_loss, mass in loss.atoms), loss.minus_infinity_mass())
    assert under_q == 1


@law
@given(pair=rational_pairs(max_size=5), order=st.permutations(range(5)))
def test_canonical_form_forgets_order_scale_and_splitting(pair, order):
    masses = [m for i in order if i < len(pair) for m in [pair.masses()[i]]]
    halves = [(p / 2, q / 2) for p, q in masses for _ in range(2)]
    rewritten = Pair.from_masses([p for p, _ in halves], [q for _, q in halves])
    assert rewritten.losses() == pair.losses()
    assert rewritten.losses().weights() == pair.losses().weights()
    assert trade_off_function(rewritten) == trade_off_function(pair)
    assert Pair.from_losses(pair.losses()).losses() == pair.losses()


@pytest.mark.parametrize("bits", [64, 500])
def test_enclosures_are_as_narrow_as_asked(bits):
    coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
    for number in (kl_divergence(coin), renyi_divergence(coin, order="7/3")):
        found = enclosure(number, relative_bits=bits)
        assert found.width * 2**bits <= found.lower
