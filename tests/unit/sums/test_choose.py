"""All routes that can answer a sum are asked the same: enclosures overlap, and are as narrow."""

import random
import re
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import combinations
from math import comb, inf

import pytest

from exactdp.accounting import poisson_subsampled
from exactdp.accounting.composition.parts import loss_law
from exactdp.divergences import Pair
from exactdp.errors import TooLargeError, UndecidedError
from exactdp.mechanisms import (
    discrete_laplace_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    randomized_response,
)
from exactdp.numbers import Enclosure, Epsilon, Exact
from exactdp.numbers.limits import effort
from exactdp.shuffle import CountPair, Users, Victim, blanket_pair, shuffle_view
from exactdp.sums import (
    LossSum,
    choose,
    compositions,
    mean_positive_sum,
)
from exactdp.sums.choose import Route, answered
from exactdp.sums.counting.letters import LetterSum
from exactdp.sums.lattices.fourier import TooFineError
from exactdp.sums.lattices.power_sums import PowerSum
from exactdp.sums.positive import mean_of_copies
from exactdp.sums.table import ROUTES, Mean, mean_excess

WIDE, NARROW = Fraction(1, 10**4), Fraction(1, 10**8)
MOST = 10**6
"""The operations of a route that is left out, if it costs more."""


def agreed(total, width):
    """What all routes find that can, by name; they overlap and are narrow enough."""
    found = {}
    for route in ROUTES:
        if route.way(total) is None or route.price(total, width) > MOST:
            continue
        try:
            found[route.name] = route.answer(total, width)
        except (TooLargeError, UndecidedError):
            continue
    for name, one in found.items():
        assert one.lower > 0 and one.upper - one.lower <= width * one.lower, name
    for (name, one), (other_name, other) in combinations(found.items(), 2):
        assert one.lower <= other.upper and other.lower <= one.upper, (name, other_name)
    return found


def law(draw, size):
    """Values with a mean below 0, one or more of them positive, and their masses."""
    weights = [draw.randint(1, 9) for _ in range(size)]
    masses = [Fraction(w, sum(weights)) for w in weights]
    values = [Fraction(draw.randint(-40, 40), draw.randint(1, 9)) for _ in range(size)]
    values[0] = abs(values[0]) + 1
    mean = sum(v * m for v, m in zip(values, masses, strict=True))
    if mean > 0:
        values = [v - mean * Fraction(draw.randint(10, 11), 10) for v in values]
    return values, masses


def brute(values, masses, n):
    """E max(0, S) over all histograms."""
    total = Fraction(0)

    def add(i, left, mass, height):
        nonlocal total
        if i == len(values) - 1:
            total += mass * masses[i] ** left * max(Fraction(0), height + left * values[i])
            return
        for k in range(left + 1):
            more = comb(left, k) * masses[i] ** k
            add(i + 1, left - k, mass * more, height + k * values[i])

    add(0, n, Fraction(1), Fraction(0))
    return total


def sums():
    draw = random.Random("routes")
    for i in range(36):
        size = 2 + i % 4
        values, masses = law(draw, size)
        if any(v > 0 for v in values) and len(set(values)) == size:
            n = draw.choice([1, 2, 5, 9, 40, 300, 20_000])
            # Narrowly, which takes ten times as long, every third: of each size.
            for width in (WIDE, NARROW)[: 2 if i % 3 == 0 else 1]:
                yield pytest.param(values, masses, n, width)


@pytest.mark.parametrize(("values", "masses", "n", "width"), list(sums()))
def test_all_routes_to_a_positive_part(values, masses, n, width):
    exact = [[Exact(x) for x in column] for column in (values, masses)]
    found = agreed(mean_of_copies(*exact, n), width)
    assert found
    if n < 10:
        truth = brute(values, masses, n)
        assert all(one.contains(truth) for one in found.values())
    door = mean_positive_sum(*exact, n, relative_width=width)
    assert door == choose.Routed(door.lower, door.upper, door.route) and door.route in found
    assert all(door.lower <= one.upper and one.lower <= door.upper for one in found.values())


COIN = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
THREE = Pair.from_masses(["1/2", "1/4", "1/4"], ["1/5", "3/10", "1/2"])
GAUSSIAN, LAPLACE = gaussian_mechanism(sigma=2), laplace_mechanism(scale=3)
SAMPLED = poisson_subsampled(gaussian_mechanism(sigma=1), sampling_probability="1/100")
LOSSES = [
    ([(COIN, 1)], "1/2"),
    ([(COIN, 12)], "3"),
    ([(COIN, 1000)], "20"),
    ([(THREE, 6)], "1"),
    ([(THREE, 40)], "5"),
    ([(COIN, 4), (THREE, 3)], "2"),
    ([(COIN, 200), (THREE, 100)], "30"),
    ([(discrete_laplace_mechanism(scale=5), 9)], "1"),
    ([(LAPLACE, 1)], "1/5"),
    ([(LAPLACE, 5)], "1"),
    ([(LAPLACE, 60)], "4"),
    ([(GAUSSIAN, 1)], "1"),
    ([(GAUSSIAN, 20)], "4"),
    ([(GAUSSIAN, 3), (LAPLACE, 2)], "2"),
    ([(GAUSSIAN, 4), (COIN, 3)], "3"),
    ([(LAPLACE, 7), (COIN, 2)], "2"),
    ([(SAMPLED, 100)], "1/2"),
    ([(SAMPLED, 3000)], "1"),
]


@pytest.mark.parametrize(("parts", "nats"), LOSSES)
def test_all_routes_to_the_mean_above_a_threshold(parts, nats):
    losses = LossSum(tuple((loss_law(part), times) for part, times in parts))
    found = agreed(Mean.of_losses(losses.routes, Exact(nats)), WIDE)
    assert len(found) >= 2
    door = mean_excess(losses.routes, Exact(nats), WIDE)
    assert door.route in found
    assert all(door.lower <= one.upper and one.lower <= door.upper for one in found.values())


# --- the chooser ------------------------------------------------------------------


def route(name, *, cost, reach=Fraction(0), fails=None):
    def way(total):
        def run(width):
            total.append(name)
            if fails is not None and width < fails:
                raise UndecidedError(f"{name} fails. Ask another.")
            return Enclosure(Fraction(1), 1 + width)

        return run

    return Route(
        name,
        way=way,
        cost=lambda _, width: cost if width >= reach else inf,
    )


def test_the_cheapest_route_that_reaches_the_width_runs_and_then_the_next():
    table = (
        route("dear", cost=3),
        route("short", cost=1, reach=Fraction(1, 100)),
        route("failing", cost=2, fails=Fraction(1, 1000)),
    )
    seen = []
    assert answered(table, seen, Fraction(1, 10)).route == "short"
    assert answered(table, seen, Fraction(1, 500)).route == "failing"
    assert seen == ["short", "failing"]
    seen.clear()
    assert answered(table, seen, Fraction(1, 5000)).route == "dear"
    assert seen == ["failing", "dear"]


def test_a_refusal_names_the_best_width_of_all_routes():
    wide = route("wide", cost=1, reach=Fraction(1, 10**3))
    better = route("better", cost=2, reach=Fraction(1, 10**6))
    with pytest.raises(TooLargeError, match="Ask for 1e-6 or wider"):
        answered((wide, better), [], Fraction(1, 10**9))
    # What fails is asked for more, and what is wider than another is not.
    seen = []
    tried = route("tried", cost=0, fails=Fraction(1, 10**8), reach=Fraction(1, 10**9))
    with pytest.raises(TooLargeError, match="Ask for 1e-8 or wider"):
        answered((wide, better, tried), seen, Fraction(1, 10**12))
    assert seen == ["tried"] * 2
    with pytest.raises(UndecidedError, match=r"tried fails\. Ask another\.$"):
        answered((route("tried", cost=0, fails=Fraction(1)),), [], Fraction(1, 10**12))
    with pytest.raises(TooLargeError, match="Take mechanisms"):
        answered((), [], Fraction(1, 10))


def test_a_width_is_asked_for_before_it_is_named(monkeypatch):
    """What a route says that it reaches may be too little: 1e-3 is refused, too, and 1e-2 not."""

    def run(total, width):
        total.append(width)
        if width < Fraction(1, 10**2):
            raise TooFineError.at(1e-3)
        return Enclosure(Fraction(1), 1 + width)

    only = replace(route("lattice", cost=1), way=lambda total: partial(run, total))
    seen = []
    with pytest.raises(TooLargeError, match=r"Ask for 1\.1e-02 or wider"):
        answered((only,), seen, Fraction(1, 10**4))
    assert len(seen) == 3

    def never(width):
        raise TooFineError.at(1e-3)

    with pytest.raises(TooLargeError) as refused:
        answered((replace(only, way=lambda _: never),), [], Fraction(1, 10**4))
    assert "wider" not in str(refused.value)

    # The same of an ε, which is sought on a lattice of its own.
    def crossing(self, target, *, relative_width):
        return run([], relative_width)

    monkeypatch.setattr(PowerSum, "crossing", crossing)
    monkeypatch.setattr(compositions, "ROUTES", (compositions.LAWS,))
    total = LossSum(
        ((loss_law(poisson_subsampled(laplace_mechanism(scale=1), sampling_probability="1/2")), 9),)
    )
    with pytest.raises(TooLargeError) as refused:
        total.smallest(Exact("1e-5"), relative_width=Fraction(1, 10**4))
    named = re.search(r"Ask for (\S+) or wider", str(refused.value))
    assert Fraction(1, 100) <= Fraction(named[1]) < Fraction(1, 50)
    assert total.smallest(Exact("1e-5"), relative_width=Fraction(named[1])).lower == 1


# --- every width through every door ---------------------------------------------------

RR2, RR3, RR10 = (randomized_response(k, Epsilon.log(3)) for k in (2, 3, 10))
AT = Epsilon.rational("1/1000")


def view(randomizer, z, n):
    return shuffle_view(Victim(randomizer, (0, 1)), [Users(randomizer, z, n - 1)])


def merged(randomizer, z, n):
    """The same counts as a pair: the two letters of the victim's inputs, and the others."""
    a, b = (randomizer.rows[0][y] for y in (0, 1))
    return CountPair(n, a, b, randomizer.rows[z][0])


@pytest.mark.parametrize(
    ("n", "width"), [(10**6, "1e-6"), (10**6, "1e-12"), (10**6, "1e-20"), (10**9, "1e-6")]
)
def test_two_exchanged_letters_in_a_view_and_in_a_blanket(n, width):
    narrow = merged(RR3, 2, n).delta(AT, relative_width="1e-25")
    found = view(RR3, 2, n).delta(AT, relative_width=width)
    assert found.lower <= narrow.lower and narrow.upper <= found.upper
    assert found.width <= Fraction(width) * found.lower
    a, b = RR2.rows[0]
    blanket = blanket_pair(n, RR2).delta(AT, relative_width=width)
    narrow = CountPair(n, a, b, b).delta(AT, relative_width="1e-25")
    assert blanket.lower <= narrow.lower and narrow.upper <= blanket.upper
    assert blanket.width <= Fraction(width) * blanket.lower


def test_letters_that_are_not_exchanged_reach_any_width_too():
    # All others hold the victim's own input: 3 messages, of masses 3/5, 1/5 and 1/5.
    for z, direction in ((0, (0, 1)), (1, (0, 1)), (0, (1, 0))):
        seen = shuffle_view(Victim(RR3, direction), [Users(RR3, z, 10**6 - 1)])
        wide, narrow = (seen.delta(AT, relative_width=width) for width in ("1e-6", "1e-30"))
        assert wide.lower <= narrow.lower and narrow.upper <= wide.upper
        assert narrow.width <= narrow.lower / 10**30


@pytest.mark.parametrize(("n", "width"), [(10**6, "1e-30"), (10**9, "1e-12")])
def test_what_a_refusal_advises_works(n, width):
    for seen in (view(RR10, 2, n), blanket_pair(n, randomized_response(4, Epsilon.log(5)))):
        with effort(points=1 << 20):  # soon refused
            with pytest.raises(TooLargeError) as refused:
                seen.delta(AT, relative_width=width)
            named = re.search(r"Ask for ([0-9]\S*) or wider\.$", str(refused.value))
            assert named is not None
            found = seen.delta(AT, relative_width=named[1])
        assert 0 < found.width <= Fraction(named[1]) * found.lower


def test_what_is_no_sum_of_letters():
    half, quarter = Exact("1/2"), Exact("1/4")
    one = [Exact(1), Exact(-1), Exact(-2), Exact(-3)]
    assert LetterSum.of(one, [quarter] * 4, 9) is None
    assert LetterSum.of([Exact(1), Exact(2), Exact(0)], [half, quarter, quarter], 9) is None
    turned = LetterSum.of([Exact(1), Exact(2), Exact(-9)], [quarter, quarter, half], 9)
    assert turned.shift == 9 * (quarter + half - Exact(9) / 2) and turned.letters.up == 9


@pytest.mark.parametrize(
    ("sigma", "rate", "copies", "at"),
    [("0.276", "1e-3", 300, 5), ("0.131", "1e-4", 300, 5), ("0.181", "1e-4", 300, 30)],
)
def test_little_noise_on_small_samples(sigma, rate, copies, at):
    """Where nearly all outputs are of others, what a record adds to the loss cancels to nothing."""
    one = poisson_subsampled(gaussian_mechanism(sigma=sigma), sampling_probability=rate)
    losses = LossSum(((loss_law(one.toward(0)), copies),))
    laws = PowerSum(losses.parts).mean_excess(Exact(at), relative_width=Fraction(1, 200))
    found = losses.delta(Epsilon.rational(at), relative_width=Fraction(1, 1000))
    assert laws.lower <= found.upper and found.lower <= laws.upper
