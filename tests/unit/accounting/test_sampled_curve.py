"""Samples of whatever has a δ, against explicit mixtures of finite laws."""

from fractions import Fraction
from itertools import product

import pytest

from exactdp.accounting import (
    PoissonSubsampled,
    compose,
    composed_randomized_response,
    from_zcdp,
    poisson_subsampled,
    sampled,
)
from exactdp.divergences import Largest, Pair
from exactdp.divergences.values import Bounds, enclosed
from exactdp.errors import DomainError, UndecidedError
from exactdp.mechanisms import (
    discrete_laplace_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    randomized_response,
)
from exactdp.numbers import Epsilon, Exact
from exactdp.shuffle import (
    Users,
    Victim,
    clone_pair,
    random_allocation,
    shuffle_view,
    shuffle_worst_case,
)
from tests.routes.kinds import OnlyDelta

nats, ln = Epsilon.rational, Epsilon.log
LEAKY = (["1/10", "6/10", "3/10", "0"], ["0", "3/10", "1/2", "2/10"])
"""Each law has mass where the other has none."""
UNEVEN = (["1/2", "1/3", "1/6"], ["1/4", "1/4", "1/2"])


def mixture(p, q, rate):
    """(1 − q)Q + qP and Q, by the masses."""
    first, second = ([Fraction(x) for x in law] for law in (p, q))
    return [(1 - rate) * b + rate * a for a, b in zip(first, second, strict=True)], second


def hockey_stick(p, q, gamma):
    """The definition: an atom whose ratio is the threshold adds nothing."""
    return sum((max(a - gamma * b, 0) for a, b in zip(p, q, strict=True)), Fraction(0))


@pytest.mark.parametrize("laws", [LEAKY, UNEVEN])
@pytest.mark.parametrize("rate", ["1/1000000", "1/3", "999/1000"])
def test_delta_is_that_of_the_mixture_in_both_directions(laws, rate):
    share = Fraction(rate)
    upper, lower = mixture(*laws, share)
    curve = PoissonSubsampled(OnlyDelta(Pair.from_masses(*laws)), Exact(share))
    ratios = {a / b for a, b in zip(upper, lower, strict=True) if a and b}
    places = {1 - share, 1 / (1 - share), *ratios, *(1 / x for x in ratios)}
    for gamma in [*places, Fraction(1), Fraction(2), Fraction(1, 7)]:
        at = ln(gamma)
        assert curve.delta(at) == hockey_stick(upper, lower, gamma)
        assert curve.reversed().delta(at) == hockey_stick(lower, upper, gamma)
        for one, other in ((curve, (upper, lower)), (curve.reversed(), (lower, upper))):
            assert one.delta(at, relative_width="1e-9").contains(Exact(hockey_stick(*other, gamma)))


@pytest.mark.parametrize("laws", [LEAKY, UNEVEN])
def test_epsilon_and_the_ends_of_the_losses_are_those_of_the_mixture(laws):
    exact = Pair.from_masses(*laws).subsampled("1/3")
    curve = PoissonSubsampled(OnlyDelta(Pair.from_masses(*laws)), Exact("1/3"))
    for one, other in ((curve, exact), (curve.reversed(), exact.reversed())):
        assert one.infinity_mass() == other.infinity_mass()
        assert one.max_divergence() == other.max_divergence()
        for delta in ("1/20", "1/25", "1/100"):
            truth, found = other.epsilon(delta), one.epsilon(delta, relative_width="1e-6")
            if truth.is_infinite:
                assert found == truth
                continue
            assert Epsilon.rational(found.lower) <= truth <= Epsilon.rational(found.upper)
            assert found.width <= found.lower / 10**6
        for level in ("1/10", "1/2"):
            found = one.trade_off(level, relative_width="1e-6")
            assert found.contains(other.trade_off(level))


def test_two_samples_one_after_the_other_are_one_of_both_rates():
    noise = gaussian_mechanism(sigma=2)
    twice = poisson_subsampled(
        poisson_subsampled(noise, sampling_probability="1/4"), sampling_probability="1/5"
    )
    assert twice == poisson_subsampled(noise, sampling_probability="1/20")
    laws = mixture(*mixture(*UNEVEN, Fraction(1, 4))[::-1], Fraction(1, 5))
    adding = poisson_subsampled(Pair.from_masses(*UNEVEN), sampling_probability="1/4").reversed()
    found = PoissonSubsampled(OnlyDelta(adding), Exact("1/5"))
    assert found.delta(ln("11/10")) == hockey_stick(*laws, Fraction(11, 10))


@pytest.mark.parametrize("adds", [False, True])
def test_what_has_enclosures_alone_is_sampled_as_its_exact_view(adds):
    survey = randomized_response(2, ln(3))
    view = shuffle_view(Victim(survey, (0, 1)), [Users(survey, 1, 12)])
    exact = poisson_subsampled(view, sampling_probability="1/4")
    found = poisson_subsampled(view.at_scale(), sampling_probability="1/4")
    assert isinstance(exact, Pair) and isinstance(found, PoissonSubsampled)
    exact, found = (x.reversed() if adds else x for x in (exact, found))
    for at in (nats(0), nats("1/20"), nats("-1/20")):
        assert found.delta(at, relative_width="1e-6").contains(exact.delta(at))
        truth = compose([(exact, 3)]).delta(at)
        ends = compose([(found, 3)]).delta(at, relative_width="2e-2")
        assert ends.contains(truth) and ends.width <= ends.lower / 50


def test_allocations_are_sampled_by_the_pairs_around_them():
    coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
    exact = poisson_subsampled(random_allocation(coin, steps=3), sampling_probability="1/2")
    assert isinstance(exact, Pair)
    noise = poisson_subsampled(
        random_allocation(laplace_mechanism(scale=2), steps=2), sampling_probability="1/2"
    )
    for one in (noise, noise.reversed()):
        once = one.delta(nats("1/20"), relative_width="1/50")
        alone = compose([(one, 1)]).delta(nats("1/20"), relative_width="1/50")
        assert once.lower <= alone.upper and alone.lower <= once.upper
        twice = compose([(one, 2)]).delta(nats("1/20"), relative_width="1/20")
        assert once.lower < twice.lower <= twice.upper < 2 * once.upper


def test_of_several_pairs_all_choices_are_between_the_ends():
    coin, other = Pair.from_masses(["2/3", "1/3"], ["1/3", "2/3"]), Pair.from_masses(*UNEVEN)
    found = compose([(poisson_subsampled(Largest((coin, other)), sampling_probability="1/2"), 2)])
    assert found.reached == "bound"
    pairs = [x.subsampled("1/2") for x in (coin, other)]
    for gamma in ("1", "6/5", "3/2"):
        ends = found.delta(ln(gamma), relative_width="1e-3")
        for choice in product(pairs, repeat=2):
            assert compose([(x, 1) for x in choice]).delta(ln(gamma)) <= ends.upper
        same = max(compose([(x, 2)]).delta(ln(gamma)) for x in pairs)
        assert same * Fraction(999, 1000) <= ends.lower <= same


def test_a_worst_case_between_bounds_is_sampled_end_by_end():
    worst = shuffle_worst_case(5, randomized_response(2, ln(3)))
    found = poisson_subsampled(worst, sampling_probability="1/4")
    at, image = ln("6/5"), ln("9/5")  # (6/5 − 3/4)·4 = 9/5
    ends = found.delta(at, relative_width="1e-6")
    whole = worst.delta(image, relative_width="1e-6")
    assert isinstance(ends, Bounds) and "sampled" in ends.upper_by
    assert ends.lower <= whole.upper / 4 and whole.lower / 4 <= ends.upper


def test_a_guarantee_on_a_sample_is_above_each_mechanism_that_keeps_it():
    guarantee, noise = from_zcdp("1/8"), gaussian_mechanism(sigma=2)  # which is 1/8-zCDP
    parts = [poisson_subsampled(x, sampling_probability="1/4") for x in (guarantee, noise)]
    worst, kept = (compose([(x, 2)]) for x in parts)
    ends = worst.delta(nats("1/5"), relative_width="5e-2")
    truth = kept.delta(nats("1/5"), relative_width="1e-6")
    assert ends.lower <= truth.upper and truth.lower < ends.upper
    assert ends.lower_by.startswith("each time the same: a Gaussian mechanism that keeps")


def test_copies_of_randomized_response_are_sampled_exactly():
    whole = composed_randomized_response(ln(3), 2)
    found = poisson_subsampled(whole, sampling_probability="1/2")
    laws = mixture(["9/16", "6/16", "1/16"], ["1/16", "6/16", "9/16"], Fraction(1, 2))
    assert found.delta(ln(2)) == hockey_stick(*laws, Fraction(2)) == Fraction(3, 16)
    assert isinstance(
        poisson_subsampled(clone_pair(20, ln(3)), sampling_probability="1/2"), PoissonSubsampled
    )


def test_a_batch_of_fixed_size_is_at_most_what_one_record_in_sight_attains():
    """Two of four records, mechanism: is the marked one there? By listing all batches."""
    share = Fraction(1, 2)
    found = sampled(
        Pair.from_masses(*UNEVEN),
        sampling_probability=share,
        neighbors="substitution",
        batches="fixed_size",
    )
    batches = [choice for choice in product((0, 1), repeat=4) if sum(choice) == 2]
    p, q = ([Fraction(x) for x in law] for law in UNEVEN)
    marked = [sum((p, q)[1 - b[0]][y] for b in batches) / len(batches) for y in range(3)]
    for gamma in (Fraction(1), Fraction(6, 5), Fraction(3, 2), Fraction(2)):
        attained = [hockey_stick(*pair, gamma) for pair in ((marked, q), mixture(q, p, share))]
        assert found.delta(ln(gamma)) == max(attained)
        # Below γ = 1 it is what the other order has above it.
        assert found.delta(ln(1 / gamma)) >= 1 - 1 / gamma + max(attained) / gamma
    assert found.reversed() is found
    assert "fixed size" in found.note


def test_integer_noise_on_a_batch_of_fixed_size_moves_twice():
    noise = discrete_laplace_mechanism(rate=ln(2))
    found = sampled(
        noise, sampling_probability="1/4", neighbors="substitution", batches="fixed_size"
    )
    moved = discrete_laplace_mechanism(rate=ln(2), sensitivity=2).pair().subsampled("1/4")
    for gamma in ("1", "6/5", "3/2"):
        assert enclosed(found.delta(ln(gamma)), "1e-15").contains(moved.delta(ln(gamma)))


def test_what_no_pair_is_known_for_says_what_to_do():
    with pytest.raises(DomainError, match='batches="fixed_size"'):
        sampled(clone_pair(5, ln(3)), sampling_probability="1/2", neighbors="substitution")
    with pytest.raises(DomainError, match="sampling_probability="):
        poisson_subsampled(clone_pair(5, ln(3)), sampling_probability="3/2")
    leaky = PoissonSubsampled(OnlyDelta(Pair.from_masses(*LEAKY)), Exact("1/2"), adds_record=True)
    with pytest.raises(UndecidedError, match="Ask for delta"):
        leaky.renyi_bound(Fraction(2), width=Fraction(1, 100))
