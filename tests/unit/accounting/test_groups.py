"""Groups of compositions and of mechanisms, against products of chains and laws written out."""

from fractions import Fraction
from itertools import product
from math import exp

import pytest

from exactdp.accounting import compose, from_zcdp, group_profile, guarantee
from exactdp.accounting.groups.group_curve import GroupCurve
from exactdp.accounting.groups.powers_of_tests import group_beside, group_of_finite, joined
from exactdp.divergences import Pair
from exactdp.mechanisms import (
    bounded_laplace_mechanism,
    discrete_laplace_mechanism,
    exponential_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    partition_selection,
    skellam_mechanism,
    thresholded,
)
from exactdp.numbers import Epsilon, Exact, sqrt
from tests.routes.kinds import OnlyDelta
from tests.unit.accounting.test_group_curve import COIN, FAILING, LEAKY, UNEVEN, chain, masses

nats, ln = Epsilon.rational, Epsilon.log


def ends_of_chain(laws, size):
    rows = masses(chain(*laws, size))
    return rows[0], rows[-1]


def product_of(*pairs):
    """The laws of independent outcomes, all combinations listed."""
    sides = ([pair[side] for pair in pairs] for side in (0, 1))
    found = []
    for laws in sides:
        row = []
        for outcome in product(*laws):
            mass = Fraction(1)
            for x in outcome:
                mass *= x
            row.append(mass)
        found.append(row)
    return found


def delta_of(p, q, gamma):
    return sum((max(a - Fraction(gamma) * b, Fraction(0)) for a, b in zip(p, q, strict=True)))


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("others", [UNEVEN, LEAKY, FAILING])
def test_a_product_of_chains_attains_the_group_of_a_composition(others, size):
    whole = compose([(Pair.from_masses(*COIN), 1), (Pair.from_masses(*others), 1)])
    found = group_profile(whole, size)
    p, q = product_of(ends_of_chain(COIN, size), ends_of_chain(others, size))
    for gamma in ("1/3", "1", "2", "9"):
        assert found.delta(ln(gamma)) == Exact(delta_of(p, q, gamma))
        assert found.reversed().delta(ln(gamma)) == Exact(delta_of(q, p, gamma))


@pytest.mark.parametrize("laws", [COIN, UNEVEN, LEAKY, LEAKY[::-1]])
@pytest.mark.parametrize("size", [2, 3])
def test_the_pairs_near_a_group_are_below_and_above_the_chain(laws, size):
    curve = GroupCurve(OnlyDelta(Pair.from_masses(*laws)), size)
    low, high = curve.pairs_near(40, Fraction(1, 2**20))
    p, q = ends_of_chain(laws, size)
    for i in range(-12, 40):
        gamma = Fraction(11, 10) ** i
        truth = Exact(delta_of(p, q, gamma))
        assert low.delta(ln(gamma)) <= truth <= high.delta(ln(gamma))
    assert high.delta(ln("1")) - low.delta(ln("1")) < Exact("1/50")


@pytest.mark.parametrize("laws", [COIN, UNEVEN, LEAKY, FAILING])
def test_rounded_powers_are_below_and_above_the_chain(laws):
    one = Pair.from_masses(*laws)
    p, q = ends_of_chain(laws, 3)
    low, high = (group_beside(one, 3, 1, is_above=is_above) for is_above in (False, True))
    for i in range(-6, 7):
        gamma = Fraction(3, 2) ** i
        truth = Exact(delta_of(p, q, gamma))
        assert low.delta(ln(gamma)) <= truth <= high.delta(ln(gamma))
    assert low.delta(ln(1)) < high.delta(ln(1))


@pytest.mark.parametrize("of", [laplace_mechanism, gaussian_mechanism])
def test_copies_of_noise_known_by_its_delta_are_copies_of_more_sensitive_noise(of):
    name = "scale" if of is laplace_mechanism else "sigma"
    one, three = of(**{name: 4}), of(**{name: 4}, sensitivity=3)
    found = group_profile(compose([(OnlyDelta(one), 2), (one, 1)]), 3)
    ends = found.epsilon("1e-2", relative_width="1e-2")
    truth = compose([(three, 3)]).epsilon("1e-2", relative_width="1e-9")
    assert ends.lower <= truth.lower <= truth.upper <= ends.upper


def test_the_upper_end_of_zcdp_holds_for_a_chain_and_gaussian_noise_is_below():
    budget = from_zcdp("1/10")
    found = group_profile(budget, 3)
    noise = gaussian_mechanism(sigma=sqrt(5), sensitivity=3)
    # A pair of 2 outcomes that is (1/10)-zCDP, as its losses are at most √(2/10), 3 times.
    laws = (["11/20", "9/20"], ["9/20", "11/20"])
    p, q = ends_of_chain(laws, 3)
    for at in ("1/4", "1", "3"):
        ends = found.delta(nats(at), relative_width="1e-6")
        truth = noise.delta(nats(at), relative_width="1e-9")
        assert ends.lower <= truth.upper and truth.upper <= ends.upper
        assert delta_of(p, q, Fraction(exp(float(Fraction(at))))) <= ends.upper
    for order in (Fraction(3, 2), Fraction(2), Fraction(8)):
        size = Pair.from_masses(p, q).renyi(order, relative_width="1e-9").upper
        assert size <= 9 * Fraction(1, 10) * order
    five = group_profile(compose([(budget, 5)]), 3).epsilon("1e-5", relative_width="1e-3")
    whole = from_zcdp(Exact(45) / 10).epsilon("1e-5", relative_width="1e-3")
    assert five.lower < whole.lower and five.upper < whole.upper * Fraction(1001, 1000)


def folded(x, y, upper, scale):
    """The density at y of x with Laplace noise, reflected at 0 and at the upper end."""
    total = 0.0
    for k in range(-40, 41):
        for image in (2 * k * upper + y, 2 * k * upper - y):
            total += exp(-abs(image - x) / scale) / (2 * scale)
    return total


def test_folded_noise_moves_the_inputs_further_apart():
    found = group_profile(bounded_laplace_mechanism(upper=10, scale=4, results="folded"), 3)
    cells = [(i + 0.5) / 200 for i in range(2000)]
    for at in ("1/5", "1/2"):
        gamma, best = exp(float(Fraction(at))), 0.0
        for x in (0.0, 1.0, 2.0, 3.5):
            gains = (folded(x, y, 10, 4) - gamma * folded(x + 3, y, 10, 4) for y in cells)
            best = max(best, sum(max(g, 0.0) for g in gains) / 200)
        truth = found.delta(nats(at), relative_width="1e-9")
        assert best <= float(truth.upper) + 1e-4
        assert float(truth.lower) <= best + 2e-3
    all_apart = bounded_laplace_mechanism(upper=2, scale=4, sensitivity=2, results="redrawn")
    near = bounded_laplace_mechanism(upper=2, scale=4, results="redrawn")
    assert group_profile(near, 5) == all_apart


def shown(counts, noise, threshold, most=60):
    """The law of what is shown of groups with noisy counts: nothing, or a number, of each."""
    laws = []
    for count in counts:
        law = {}
        if count == 0:
            law[None] = Fraction(1)
        else:
            for k in range(-most, most + 1):
                value = count + k if count + k > threshold else None
                law[value] = law.get(value, Fraction(0)) + noise(k)
        laws.append(law)
    return laws


def test_a_family_in_one_group_or_in_two_is_within_thresholded_counts():
    one = discrete_laplace_mechanism(rate=ln(2))
    found = group_profile(thresholded(one, threshold=3), 2)

    def noise(k):
        return Fraction(1, 3) * Fraction(1, 2) ** abs(k)

    for after, before in (((2,), (0,)), ((1, 1), (0, 0)), ((6, 1), (5, 0)), ((4,), (2,))):
        laws = [shown(counts, noise, 3) for counts in (after, before)]
        keys = [sorted({*a, *b}, key=str) for a, b in zip(*laws, strict=True)]
        p, q = product_of(
            *(
                ([a.get(y, Fraction(0)) for y in row], [b.get(y, Fraction(0)) for y in row])
                for a, b, row in zip(*laws, keys, strict=True)
            )
        )
        for gamma in ("1", "3/2", "2", "4"):
            upper = found.delta(ln(gamma), relative_width="1e-3").upper
            assert delta_of(p, q, gamma) <= upper
            assert delta_of(q, p, gamma) <= upper


def test_groups_of_a_partition_selection_are_between_sizes_that_far_apart():
    best = partition_selection(ln(2), "1/100")
    found, copies = (group_profile(x, 3) for x in (best, compose([(best, 2)])))
    for gamma in ("1", "2", "5"):
        upper = found.delta(ln(gamma), relative_width="1e-3").upper
        both = copies.delta(ln(gamma), relative_width="1e-2").upper
        for n in range(best.last):
            more, less = (Fraction(best.kept(m).as_fraction()) for m in (n + 3, n))
            p, q = [more, 1 - more], [less, 1 - less]
            for a, b in ((p, q), (q, p)):
                assert delta_of(a, b, gamma) <= upper
                assert delta_of(*product_of((a, b), (a, b)), gamma) <= both


@pytest.mark.parametrize("epsilon", [nats("1/4"), ln("5/4")])
def test_the_worst_of_finite_pairs_has_its_own_corners_in_groups(epsilon):
    worst = partition_selection(epsilon, "1e-4").toward(0)
    every = [
        Pair.from_masses(*zip(*one.as_finite().masses(), strict=True)) for one in worst.worst_of()
    ]
    exact = group_of_finite(joined(every), 3)
    curve = GroupCurve(worst, 3)
    for size in (80, 2400):
        low, high = curve.pairs_near(size, Fraction(1, 2**60))
        assert high.loss_count <= exact.loss_count + 4  # the same for more points
        for gamma in ("1/2", "1", "3/2", "20"):
            truth = exact.delta(ln(gamma))
            assert low.delta(ln(gamma)) <= truth <= high.delta(ln(gamma))
            assert high.delta(ln(gamma)) - low.delta(ln(gamma)) < Exact(Fraction(1, 2**50))


@pytest.mark.parametrize(
    "part",
    [
        lambda: thresholded(laplace_mechanism(scale=4), threshold=60),
        lambda: partition_selection(nats("1/4"), "1e-6"),
        lambda: from_zcdp("1/100"),
        lambda: exponential_mechanism(scale=10),
        lambda: guarantee("1/4", "1e-8"),
        lambda: skellam_mechanism(variance=16),
    ],
)
def test_five_copies_have_groups_with_both_ends(part):
    found = group_profile(compose([(part(), 5)]), 3)
    ends = found.delta(nats(2), relative_width="1e-2")
    one = compose([(part(), 5)]).delta(nats(2), relative_width="1e-2")
    assert one.lower <= ends.upper and 0 <= ends.lower <= ends.upper <= 1
