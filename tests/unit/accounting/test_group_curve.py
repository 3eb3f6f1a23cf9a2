"""Groups of a profile against chains of laws, written out, that attain them."""

from fractions import Fraction
from itertools import pairwise

import pytest

from exactdp.accounting import (
    GroupCurve,
    compose,
    compose_certified,
    composed_randomized_response,
    group_privacy,
    group_profile,
    guarantee,
)
from exactdp.divergences import Largest, Pair
from exactdp.divergences.values import enclosed
from exactdp.divergences.worst import Named, Sandwich
from exactdp.errors import DomainError, ParseError, TooLargeError, UndecidedError
from exactdp.mechanisms import gaussian_mechanism, laplace_mechanism
from exactdp.numbers import Epsilon
from tests.routes.kinds import OnlyDelta

nats, ln = Epsilon.rational, Epsilon.log
COIN = (["3/4", "1/4"], ["1/4", "3/4"])
UNEVEN = (["1/2", "1/3", "1/6"], ["1/4", "1/4", "1/2"])
LEAKY = (["1/10", "6/10", "3/10"], ["0", "3/10", "7/10"])
FAILING = (["1/10", "6/10", "3/10", "0"], ["0", "3/10", "1/2", "2/10"])
LAWS = [COIN, UNEVEN, LEAKY, LEAKY[::-1], FAILING]


def laplace_noise(size, sensitivity=1):
    return laplace_mechanism(scale=size, sensitivity=sensitivity)


def gaussian_noise(size, sensitivity=1):
    return gaussian_mechanism(sigma=size, sensitivity=sensitivity)


def odds(a, b):
    """Q/P, which is largest where P has nothing."""
    return Fraction(b) / Fraction(a) if Fraction(a) else Fraction(2**99)


def chain(p, q, size):
    """Laws S_0, ..., S_size on points of the line, each link of which is like (p, q).

    S_0 is uniform in [0, 1); S_(i+1) sends the share of S_i that is seen as an outcome of P, from
    the most likely under Q on, to be as much of it as Q has; what P lacks goes to a point before
    all. A law is a list of (left, right, mass): densities are constant in between.
    """
    order = sorted(range(len(p)), key=lambda y: -odds(p[y], q[y]))
    shares = [(Fraction(p[y]), Fraction(q[y])) for y in order]
    current = [(Fraction(0), Fraction(1), Fraction(1))]  # left, right, mass
    history = [current]
    for link in range(1, size + 1):
        nxt, below = [], Fraction(0)
        edges, seen = [], Fraction(0)
        for a, b in shares:
            edges.append((seen, seen + a, a, b))
            seen += a
        for left, right, mass in current:
            lo, hi = below, below + mass
            below = hi
            for start, stop, a, b in edges:
                cut_lo, cut_hi = max(lo, start), min(hi, stop)
                if cut_lo < cut_hi:
                    length = right - left
                    u = left + (cut_lo - lo) / mass * length
                    v = left + (cut_hi - lo) / mass * length
                    nxt.append((u, v, (cut_hi - cut_lo) / a * b))
        new = sum(b for a, b in shares if a == 0)
        before = [(Fraction(-link), Fraction(1 - link), new)] if new else []
        current = [one for one in [*before, *nxt] if one[2]]
        history.append(current)
    return history


def masses(history):
    """The laws of a chain as masses of common cells."""
    cells = sorted({x for law in history for left, right, _ in law for x in (left, right)})
    found = []
    for law in history:
        row = []
        for u, v in pairwise(cells):
            inside = [m * (v - u) / (b - a) for a, b, m in law if a <= u and v <= b]
            row.append(sum(inside, Fraction(0)))
        found.append(row)
    return found


@pytest.mark.parametrize("laws", LAWS)
@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_a_chain_attains_it_each_link_of_which_has_the_profile(laws, size):
    rows = masses(chain(*laws, size))
    one = Pair.from_masses(*laws)
    for p, q in pairwise(rows):
        assert Pair.from_masses(p, q).losses() == one.losses()
    ends = Pair.from_masses(rows[0], rows[-1])
    assert ends.losses() == group_profile(one, size).losses()
    assert ends.reversed().losses() == group_profile(one.reversed(), size).losses()


def power(laws, level):
    """F(α) by the definition: the best test fills up from the smallest P/Q on."""
    total = sum((Fraction(b) for a, b in zip(*laws, strict=True) if Fraction(a) == 0), Fraction(0))
    both = [(Fraction(a), Fraction(b)) for a, b in zip(*laws, strict=True) if Fraction(a)]
    for a, b in sorted(both, key=lambda x: -x[1] / x[0]):
        part = min(Fraction(1), level / a)
        total, level = total + part * b, level - part * a
    return total


@pytest.mark.parametrize("laws", LAWS)
def test_the_error_is_that_of_tests_one_after_the_other(laws):
    found = group_profile(Pair.from_masses(*laws), 3)
    for level in (Fraction(i, 60) for i in range(61)):
        again = power(laws, power(laws, power(laws, level)))
        assert found.trade_off(level) == 1 - again


@pytest.mark.parametrize("delta", ["0", "1/50"])
@pytest.mark.parametrize("size", [2, 3, 4])
def test_it_is_at_most_what_epsilon_and_delta_say_of_groups(delta, size):
    one = guarantee(ln(2), delta)
    found = group_profile(one, size)
    epsilon, bound = group_privacy(ln(2), delta=delta, size=size)
    assert found.delta(epsilon) <= bound
    if delta == "0":
        assert found.max_divergence() == size * ln(2)
        # Strictly less than (size·ln 2)-privacy between its ends.
        assert found.delta(ln(1)) < guarantee(size * ln(2)).delta(ln(1))


@pytest.mark.parametrize("of", [laplace_noise, gaussian_noise])
@pytest.mark.parametrize("at", ["0", "1/2", "-3/4"])
def test_noise_known_by_its_delta_alone_is_that_of_more_sensitivity(of, at):
    one = of(3)
    curve = group_profile(OnlyDelta(one), 3)
    assert isinstance(curve, GroupCurve)
    whole = group_profile(one, 3)
    assert whole == of(3, sensitivity=3)
    for found, truth in ((curve, whole), (curve.reversed(), whole.reversed())):
        ends = found.delta(nats(at), relative_width="1/50")
        exact = truth.delta(nats(at), relative_width="1e-9")
        assert ends.lower <= exact.lower <= exact.upper <= ends.upper
        assert ends.width <= ends.lower / 50


def test_epsilon_error_and_largest_loss_by_delta_alone():
    curve, truth = group_profile(OnlyDelta(laplace_noise(3)), 2), laplace_noise("3/2")
    found = curve.epsilon("1/20", relative_width="1/50")
    exact = truth.epsilon("1/20", relative_width="1e-9")
    assert found.lower <= exact.lower <= exact.upper <= found.upper
    error = curve.trade_off("1/10", relative_width="1/50")
    whole = enclosed(truth.trade_off("1/10", relative_width="1e-9"), "1e-9")
    assert error.lower <= whole.lower <= whole.upper <= error.upper
    assert curve.max_divergence() == nats("2/3")
    assert curve.infinity_mass() == 0 and "groups of 2" in curve.note


def test_a_mass_at_infinity_grows_and_is_between_bounds():
    one = Pair.from_masses(*LEAKY)
    curve, exact = group_profile(OnlyDelta(one), 2), group_profile(one, 2)
    for at in ("1/2", "3"):
        found = curve.delta(nats(at), relative_width="1/10")
        assert found.contains(exact.delta(nats(at)))
    with pytest.raises(UndecidedError, match="Ask for delta"):
        curve.infinity_mass()
    assert curve.max_divergence() == Epsilon.infinity()


def test_a_sandwich_has_groups_between_groups():
    low, high = Pair.from_masses(*COIN).subsampled("1/2"), Pair.from_masses(*COIN)
    found = group_profile(Sandwich((Named("low", low),), (Named("high", high),)), 2)
    ends = found.delta(ln("5/4"), relative_width="1e-6")
    assert ends.lower == group_profile(low, 2).delta(ln("5/4"))
    assert ends.upper == group_profile(high, 2).delta(ln("5/4"))
    assert ends.upper_by == "high, groups"


def test_groups_compose_and_compositions_have_groups():
    two = group_profile(Pair.from_masses(*COIN), 2)
    assert compose([(two, 2)]).max_divergence() == ln(81)
    # A group of two in two releases is at most a group of two of the composed profile alone.
    whole = compose([(Pair.from_masses(*COIN), 2)])
    alone = group_profile(Pair.from_losses(whole.pair.losses().self_compose(2)), 2)
    for gamma in ("1", "3", "10"):
        assert group_profile(whole, 2).delta(ln(gamma)) == compose([(two, 2)]).delta(ln(gamma))
        assert compose([(two, 2)]).delta(ln(gamma)) <= alone.delta(ln(gamma))


def test_a_composition_of_noise_has_the_groups_of_the_noise_that_it_is():
    curve = group_profile(compose_certified([(gaussian_noise(3), 4)]), 2)
    ends = curve.delta(nats("1/2"), relative_width="1/50")
    exact = gaussian_noise(3, sensitivity=4).delta(nats("1/2"), relative_width="1e-9")
    assert ends.lower <= exact.lower <= exact.upper <= ends.upper


def test_none_one_and_too_many():
    coin = Pair.from_masses(*COIN)
    assert group_profile(coin, 0).max_divergence() == ln(1)
    assert group_profile(coin, 1) is coin
    with pytest.raises(DomainError, match="size=-1"):
        group_profile(coin, -1)
    with pytest.raises(TooLargeError, match="smaller group"):
        group_profile(coin, 1001)
    many = composed_randomized_response(ln(3), 200)
    assert isinstance(group_profile(Largest((many,)), 2), GroupCurve)


def test_outcomes_through_a_channel_are_the_masses_times_its_rows():
    pair = Pair.from_masses(*UNEVEN)
    rows = [["1/2", "1/2"], ["1", "0"], ["1/4", "3/4"]]
    sent = pair.post_process(rows)
    for side in (0, 1):
        law = [Fraction(x) for x in UNEVEN[side]]
        for z in (0, 1):
            told = sum(m * Fraction(row[z]) for m, row in zip(law, rows, strict=True))
            assert sent.masses()[z][side] == told
    for gamma in ("1/2", "1", "3/2"):  # data processing
        assert sent.delta(ln(gamma)) <= pair.delta(ln(gamma))
    for bad in ([["1"]], [["1"], ["1"], ["1/2"]], [["1"], ["1"], ["1", "0"]], "abc", [1, 2, 3], 7):
        with pytest.raises((DomainError, ParseError), match="matrix"):
            pair.post_process(bad)
