"""Laws that every divergence obeys, and every number by a second route."""

from fractions import Fraction
from itertools import pairwise

import mpmath
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from exactdp.divergences import (
    Largest,
    Pair,
    kl_divergence,
    renyi_divergence,
    renyi_moment,
    total_variation,
    trade_off_function,
)
from exactdp.numbers import Epsilon, Exact, is_below
from exactdp.testing import (
    epsilons,
    exact_pairs,
    fractions,
    local_randomizers,
    probability_vectors,
    push_forward,
    rational_pairs,
    stochastic_matrices,
)
from exactdp.truth import Truth
from tests.routes.reals import fraction_of, mpf_of

law = settings(max_examples=60)

gammas = fractions(0, 8, max_denominator=6)
levels = fractions(0, 1, max_denominator=12)


def delta_at(pair, gamma):
    """H_γ(P ‖ Q), for γ = 0 too."""
    return pair.delta(Epsilon(Exact(gamma))) if gamma else Exact(1)


def fractions_of(pair):
    """The pair as Python's own fractions: the route that uses none of our arithmetic."""
    return [(p.as_fraction(), q.as_fraction()) for p, q in pair.masses()]


all_pairs = rational_pairs() | exact_pairs()


@st.composite
def processed_pairs(draw):
    """A pair of rational laws, and both laws sent through one randomizer."""
    pair = draw(rational_pairs(max_size=4))
    columns = draw(st.integers(1, 4))
    matrix = draw(stochastic_matrices(rows=len(pair), columns=columns))
    masses = fractions_of(pair)
    p = push_forward([a for a, _ in masses], matrix)
    q = push_forward([b for _, b in masses], matrix)
    return pair, Pair.from_masses(p, q)


# --- data processing --------------------------------------------------------------


@law
@given(processed=processed_pairs(), epsilon=epsilons(), alpha=levels)
def test_post_processing_lowers_every_divergence(processed, epsilon, alpha):
    before, after = processed
    gamma = epsilon.exp
    assert delta_at(after, gamma) <= delta_at(before, gamma)
    assert trade_off_function(after).type_two_error(alpha=alpha) >= trade_off_function(
        before
    ).type_two_error(alpha=alpha)
    assert after.max_divergence() <= before.max_divergence()
    if not before.max_divergence().is_infinite:
        assert renyi_moment(after, order=3) <= renyi_moment(before, order=3)
        lower, upper = kl_divergence(after), kl_divergence(before)
        # Equality of computable reals stays open; a proof of the opposite must not exist.
        assert is_below(upper, lower, max_bits=256) is not Truth.TRUE


@law
@given(pair=rational_pairs(min_size=2), gamma=gammas)
def test_merging_two_outcomes_loses_nothing_only_at_equal_sides(pair, gamma):
    masses = fractions_of(pair)
    (p0, q0), (p1, q1), *rest = masses
    merged = Pair.from_masses([p0 + p1, *(p for p, _ in rest)], [q0 + q1, *(q for _, q in rest)])
    loss = delta_at(pair, gamma) - delta_at(merged, gamma)
    opposite = (p0 - gamma * q0) * (p1 - gamma * q1) < 0
    assert (loss > 0) == opposite
    assert loss >= 0


@law
@given(data=st.data(), max_ratio=fractions(1, 5, max_denominator=3))
def test_local_randomizers_keep_their_ratio(data, max_ratio):
    matrix = data.draw(local_randomizers(rows=2, columns=3, max_ratio=max_ratio))
    assert Pair.from_masses(*matrix).max_divergence() <= Epsilon.log(max_ratio)
    assert Pair.from_masses(*matrix[::-1]).max_divergence() <= Epsilon.log(max_ratio)


# --- shape ------------------------------------------------------------------------


@law
@given(pair=all_pairs, a=gammas, b=gammas, weight=levels)
def test_nonincreasing_and_convex_in_exp_epsilon(pair, a, b, weight):
    at_a = delta_at(pair, a)
    at_b = delta_at(pair, b)
    between = delta_at(pair, weight * a + (1 - weight) * b)
    assert between <= weight * at_a + (1 - weight) * at_b
    assert (at_a >= at_b) if a <= b else (at_a <= at_b)
    assert max(Exact(0), Exact(1 - a)) <= at_a <= 1


@law
@given(pair=all_pairs)
def test_curve_bends_at_every_breakpoint_and_is_linear_between(pair):
    vertices = pair.losses().vertices
    last_gamma, last_delta = vertices[-1]
    points = [*vertices, (last_gamma + 1, last_delta)]
    slopes = [(d1 - d0) / (g1 - g0) for (g0, d0), (g1, d1) in pairwise(points)]
    assert all(left < right for left, right in pairwise(slopes))
    for (g0, d0), (g1, d1) in pairwise(points):
        middle = delta_at(pair, (g0 + g1) / 2)
        assert middle == (d0 + d1) / 2


@law
@given(pair=all_pairs)
def test_total_variation_is_symmetric_and_half_the_l1_distance(pair):
    distance = sum((abs(p - q) for p, q in pair.masses()), Exact(0)) / 2
    assert total_variation(pair) == total_variation(pair.reversed()) == distance
    assert pair.losses().delta(Epsilon.log(1)) == distance


@law
@given(pair=rational_pairs(), gamma=fractions(Fraction(1, 6), 8, max_denominator=6))
def test_reversal_identity(pair, gamma):
    # max(0, x) - max(0, -x) = x, summed over outcomes.
    forward = delta_at(pair, gamma)
    backward = delta_at(pair.reversed(), 1 / gamma)
    assert forward - gamma * backward == 1 - gamma


@law
@given(data=st.data(), weight=levels, gamma=gammas, size=st.integers(1, 4))
def test_joint_convexity(data, weight, gamma, size):
    p0, p1, q0, q1 = (data.draw(probability_vectors(size=size)) for _ in range(4))

    def mix(first, second):
        return [weight * a + (1 - weight) * b for a, b in zip(first, second, strict=True)]

    mixed = Pair.from_masses(mix(p0, p1), mix(q0, q1))
    at_0 = delta_at(Pair.from_masses(p0, q0), gamma)
    at_1 = delta_at(Pair.from_masses(p1, q1), gamma)
    bound = weight * at_0 + (1 - weight) * at_1
    assert delta_at(mixed, gamma) <= bound


@law
@given(pair=rational_pairs(), order=st.integers(2, 5))
def test_renyi_moments_are_log_convex_in_the_order(pair, order):
    assume(not pair.max_divergence().is_infinite)
    below = renyi_moment(pair, order=order - 1) if order > 2 else Exact(1)
    here, above = renyi_moment(pair, order=order), renyi_moment(pair, order=order + 1)
    assert here * here <= below * above
    assert here <= pair.max_divergence().exp ** (order - 1)
    assert (here == 1) == (total_variation(pair) == 0)


# --- inverse and envelope ---------------------------------------------------------


@law
@given(pair=all_pairs, delta=levels)
def test_inverse_is_the_least_epsilon(pair, delta):
    epsilon = pair.epsilon(delta)
    assert epsilon.is_infinite == (pair.infinity_mass() > delta)
    if epsilon.is_infinite:
        return
    assert delta_at(pair, epsilon.exp) <= delta
    assert epsilon >= Epsilon.log(1)
    if epsilon > Epsilon.log(1):
        # Continuous and strictly decreasing before it: the bound is met with equality,
        # and any smaller epsilon exceeds it.
        smaller = (1 + epsilon.exp) / 2
        assert delta_at(pair, epsilon.exp) == delta
        assert delta_at(pair, smaller) > delta


@law
@given(pair=all_pairs, epsilon=epsilons())
def test_inverse_of_a_value_that_is_attained(pair, epsilon):
    delta = pair.delta(epsilon)
    back = pair.epsilon(delta)
    largest = pair.max_divergence()
    assert back <= epsilon
    if epsilon < largest and not largest.is_infinite:
        assert back == epsilon


@law
@given(first=rational_pairs(), second=rational_pairs(), epsilon=epsilons(), delta=levels)
def test_the_largest_of_two_profiles_is_the_worst_of_both(first, second, epsilon, delta):
    worst = Largest((first, second.losses()))
    assert worst.delta(epsilon) == max(first.delta(epsilon), second.delta(epsilon))
    assert worst.max_divergence() == max(first.max_divergence(), second.max_divergence())
    smallest = worst.epsilon(delta)
    assert smallest == max(first.epsilon(delta), second.epsilon(delta))
    if not smallest.is_infinite:
        assert worst.delta(smallest) <= delta


# --- trade-off --------------------------------------------------------------------


@law
@given(pair=all_pairs, alpha=levels)
def test_trade_off_is_the_conjugate_of_the_curve(pair, alpha):
    beta = trade_off_function(pair).type_two_error(alpha=alpha)
    lines = [(1 - delta_at(pair, gamma) - alpha) / gamma for gamma in pair.losses().breakpoints]
    assert beta == max([Exact(0), *lines])


@law
@given(pair=rational_pairs(max_size=4), alpha=levels)
def test_no_deterministic_test_beats_the_trade_off(pair, alpha):
    function = trade_off_function(pair)
    masses = fractions_of(pair)
    for event in range(2 ** len(masses)):
        p = sum((p for i, (p, _) in enumerate(masses) if event >> i & 1), Fraction(0))
        q = sum((q for i, (_, q) in enumerate(masses) if event >> i & 1), Fraction(0))
        assert function.type_two_error(alpha=p) <= 1 - q
    assert function.type_two_error(alpha=alpha) <= 1 - alpha


@law
@given(pair=all_pairs)
def test_trade_off_of_the_reversed_pair_is_its_inverse(pair):
    forward, backward = trade_off_function(pair), trade_off_function(pair.reversed())
    for alpha, beta in forward.vertices:
        assert forward.type_two_error(alpha=alpha) == beta
        # The least level at which the error beta is reached, which may be below alpha.
        assert backward.type_two_error(alpha=beta) <= alpha
        assert forward.type_two_error(alpha=backward.type_two_error(alpha=beta)) == beta


@law
@given(pair=all_pairs)
def test_trade_off_is_convex_and_nonincreasing(pair):
    vertices = trade_off_function(pair).vertices
    slopes = [(b1 - b0) / (a1 - a0) for (a0, b0), (a1, b1) in pairwise(vertices)]
    assert vertices[0][0] == 0
    assert vertices[-1] == (Exact(1), Exact(0))
    assert all(left < right for left, right in pairwise(slopes))
    assert slopes[-1] <= 0


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
@given(pair=rational_pairs(), nats=fractions(0, 3, max_denominator=4))
def test_mpmath_agrees_at_sixty_digits(pair, nats):
    exact = delta_at(pair, Epsilon.rational(nats).exp)
    with mpmath.workdps(60):
        gamma = mpmath.exp(mpf_of(nats))
        estimate = mpmath.fsum(
            max(mpmath.mpf(0), mpf_of(p) - gamma * mpf_of(q)) for p, q in fractions_of(pair)
        )
    assert within(estimate, exact, Fraction(1, 10**55))


@law
@given(pair=rational_pairs(), order=fractions(Fraction(5, 4), 4, max_denominator=4))
def test_mpmath_agrees_on_renyi_and_kullback_leibler(pair, order):
    assume(not pair.max_divergence().is_infinite)
    masses = [(p, q) for p, q in fractions_of(pair) if p != 0]
    with mpmath.workdps(60):
        a = mpf_of(order)
        moment = mpmath.fsum(mpf_of(p) ** a * mpf_of(q) ** (1 - a) for p, q in masses)
        renyi = mpmath.log(moment) / (a - 1)
        kl = mpmath.fsum(mpf_of(p) * mpmath.log(mpf_of(p) / mpf_of(q)) for p, q in masses)
    assert within(renyi, renyi_divergence(pair, order=order), Fraction(1, 10**55))
    assert within(kl, kl_divergence(pair), Fraction(1, 10**55))


def within(estimate, exact, error):
    """Whether the exact number lies in estimate ± error, by exact comparisons."""
    middle = fraction_of(estimate)
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
    assert pair.max_divergence() == pair.epsilon(0) == pair.losses().max_divergence()


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
    assert in_field.max_divergence() == pair.max_divergence()
