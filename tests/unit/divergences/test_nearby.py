"""Laws nearby enclose the truth: against exact answers, and at the ends of what they decide."""

import time
from fractions import Fraction
from itertools import chain, combinations, product

import pytest
from flint import arb

from exactdp.accounting import CertifiedComposition, compose
from exactdp.divergences import Pair
from exactdp.divergences.nearby import (
    NearLaws,
    delta_of_near,
    epsilon_of_near,
    rounded_masses,
    rounded_pair,
)
from exactdp.mechanisms import randomized_response, skellam_mechanism
from exactdp.numbers import Enclosure, Epsilon, Exact, enclosure, fmpq_of, precision
from exactdp.problems import read_problem, solve
from exactdp.shuffle import (
    MultiMessageUsers,
    MultiMessageVictim,
    MultisetLaw,
    Users,
    Victim,
    multi_message_view,
    shuffle_view,
)

RR = randomized_response(3, Epsilon.rational(2))


def view_of(n, *, others=(1, 2), merge=None):
    groups = [Users(RR, x, (n - 1) // len(others)) for x in others]
    return shuffle_view(Victim(RR), groups, merge=merge)


@pytest.mark.parametrize("bits", [3, 20, 64])
def test_rounded_masses_are_near_and_sum_to_one(bits):
    e = Exact.exp("1/3")
    masses = [Exact(0), 1 / (1 + e**40), e**40 / (1 + e**40)]
    rounded = rounded_masses(masses, bits=bits)
    factor = 1 / (1 - Exact(Fraction(1, 2**bits)))
    assert sum(rounded, Exact(0)) == 1
    assert rounded[0] == 0
    assert all(a <= b * factor and b <= a * factor for a, b in zip(masses, rounded, strict=True))


VIEWS = [
    view_of(9),
    view_of(8, others=(2,)),
    view_of(21, merge=[[0], [1, 2]]),
    view_of(7, others=(0, 1, 2)).reversed(),
]


@pytest.mark.parametrize("view", VIEWS)
def test_the_laws_of_a_view_are_near_event_by_event(view):
    near, factor = view._near(16)
    exact = dict(zip(view.pair.outcomes, view.pair.masses(), strict=True))
    for outcome, rounded in zip(near.outcomes, near.masses(), strict=True):
        for a, b in zip(exact[outcome], rounded, strict=True):
            assert a <= b * Exact(factor)
            assert b <= a * Exact(factor)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("width", ["1e-2", "1e-9", "1e-40"])
def test_enclosures_of_a_view_hold_the_exact_answers(view, width):
    for epsilon in ("0", "1/10", "1", "19/10"):
        exact = view.delta(Epsilon.rational(epsilon))
        found = view.delta(Epsilon.rational(epsilon), relative_width=width)
        assert found.contains(exact)
        assert found.width <= Fraction(width) * found.lower
    for delta in ("1/10", "1/1000", "1e-6"):
        exact = enclosure(view.epsilon(delta).nats, relative_bits=300)
        found = view.epsilon(delta, relative_width=width)
        assert found.lower <= exact.lower <= exact.upper <= found.upper
        assert found.width <= Fraction(width) * found.lower


def test_several_messages_a_user():
    coin = Exact.exp("1/2") / (1 + Exact.exp("1/2"))
    laws = [MultisetLaw.one_of([coin, 1 - coin]), MultisetLaw.one_of([1 - coin, coin])]
    other = MultisetLaw.sampled([0, 1], letters=2, sampling_probability=coin)
    view = multi_message_view(MultiMessageVictim(*laws), [MultiMessageUsers(other, 5)])
    exact = view.delta(Epsilon.rational("1/10"))
    assert view.delta(Epsilon.rational("1/10"), relative_width="1e-20").contains(exact)
    exact = enclosure(view.epsilon("1/20").nats, relative_bits=200)
    found = view.epsilon("1/20", relative_width="1e-20")
    assert found.lower <= exact.lower < found.upper
    assert found.width <= found.lower / 10**20


def test_what_rounding_cannot_decide_is_decided_exactly():
    view = view_of(5)
    total_variation = view.delta(Epsilon.rational(0))
    assert view.epsilon(total_variation, relative_width="1e-3").upper == 0
    assert view.epsilon(1, relative_width="1e-3").upper == 0
    assert view.epsilon("0.9", relative_width="1e-3").upper == 0
    top = view.max_divergence()
    assert view.delta(top, relative_width="1e-3").upper == 0
    assert enclosure(top.nats, relative_bits=99).upper == pytest.approx(
        view.epsilon(0, relative_width="1e-20").upper
    )


def test_mass_that_only_one_law_has():
    e = Exact.exp(1)
    rare = Exact("1/100") / e
    first = MultisetLaw.from_masses({(1, 0): 1 - rare, (0, 1): rare})
    view = multi_message_view(
        MultiMessageVictim(first, MultisetLaw.point((1, 0))),
        [MultiMessageUsers(MultisetLaw.point((1, 0)), 3)],
    )
    assert view.infinity_mass() == rare
    assert view.epsilon("1/1000", relative_width="1e-3").is_infinite
    assert view.epsilon(rare, relative_width="1e-3").upper == 0


@pytest.mark.parametrize("factor", [Fraction(11, 10), Fraction(6, 5)])
@pytest.mark.parametrize("is_below", [True, False])
def test_factors_that_are_attained_are_enough_and_no_less_would_be(factor, is_below):
    """P' = P/c and Q' = cQ on the outcome that pays, or the other way round."""
    p, q, c = Exact("1/4"), Exact("1/64"), Exact(factor if is_below else 1 / factor)
    true = Pair.from_masses([p, 1 - p], [q, 1 - q])
    near = Pair.from_masses([p / c, 1 - p / c], [q * c, 1 - q * c])
    for of, at in ((delta_of_near, Exact(5)), (epsilon_of_near, Exact("1/20"))):
        found = of(lambda bits: (near, factor), at, Fraction(1000))
        value = true.delta(Epsilon(at)) if of is delta_of_near else true.epsilon(at).nats
        ball = enclosure(value, relative_bits=80)
        reached = found.upper if is_below else found.lower
        assert found.lower <= ball.upper and ball.lower <= found.upper
        assert abs(reached - ball.upper) < Fraction(1, 10**6)


def test_too_coarse_laws_give_no_enclosure():
    near = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])

    def coarse(bits):
        return near, Fraction(3, 2)

    assert delta_of_near(coarse, Exact(2), Fraction(1, 100)) is None
    assert epsilon_of_near(coarse, Exact("1/8"), Fraction(1, 100)) is None


def test_a_thousand_cells_take_seconds():
    view = view_of(1000, others=(1,), merge=[[0], [1, 2]])
    assert not view.has_exact_epsilon
    start = time.process_time()
    found = view.epsilon("1e-6", relative_width="1e-9")
    assert time.process_time() - start < 10
    assert found.width <= found.lower / 10**9


def test_a_problem_file_answers_with_an_enclosure_where_exact_takes_long():
    text = """{"kind": "shuffle", "randomizers": {"R": {"mechanism": "randomized_response",
        "k": 3, "epsilon": {"rational": "2"}}}, "victim": {"randomizer": "R", "inputs": [0, 1]},
        "merge": [[0], [1, 2]], "others": [{"randomizer": "R", "input": 1, "count": %d}],
        "ask": {"epsilon": ["1e-6"]}}"""
    short, long = (solve(read_problem(text % count)).answers[0] for count in (9, 600))
    assert short.expression.startswith("log(")
    assert not long.expression
    assert Fraction(long.upper) - Fraction(long.lower) <= Fraction(long.lower) / 10**15


RARE, RAREST = Fraction(1, 10**9), Fraction(1, 2**300)
THIRDS = [Fraction(1, 3**k) for k in range(1, 8)]
SHORT = [*THIRDS, 1 - sum(THIRDS)]
LAWS = [
    (SHORT, SHORT[::-1]),
    ([Fraction(2, 7), Fraction(5, 7)], [Fraction(5, 7), Fraction(2, 7)]),
    (
        [Fraction(1, 3), Fraction(2, 3) - Fraction(1, 10**9), Fraction(1, 10**9)],
        [Fraction(1, 3)] * 3,
    ),
    (
        [Fraction(1, 2), Fraction(1, 2) - RAREST, RAREST],
        [Fraction(1, 2), RAREST, Fraction(1, 2) - RAREST],
    ),
    ([Fraction(1, 3), Fraction(2, 3), Fraction(0)], [Fraction(0), Fraction(1, 7), Fraction(6, 7)]),
]


def rounded(p, q, bits, left_out=0):
    with precision(bits + 40):
        balls = [[arb(fmpq_of(m)) for m in law[left_out:]] for law in (p, q)]
        return rounded_pair(*balls, bits=bits)


def events(count):
    return chain.from_iterable(combinations(range(count), k) for k in range(count + 1))


@pytest.mark.parametrize("bits", [3, 6, 30])
@pytest.mark.parametrize(("p", "q"), LAWS)
@pytest.mark.parametrize("left_out", [0, 1])
def test_rounded_pairs_are_near_event_by_event(p, q, bits, left_out):
    """The three inequalities of the header, over all events; the first outcome may be outside."""
    found = rounded(p, q, bits, left_out)
    pair, t, u = found.laws, found.apart, found.inside
    kept = [i for i in range(left_out, len(p)) if p[i] or q[i]]
    inside = [[Fraction(0)] * len(p) for _ in range(2)]
    for i, both in zip(kept, pair.masses(), strict=True):
        for law, mass in zip(inside, both, strict=True):
            law[i] = mass.as_fraction()
    for law, near in zip((p, q), inside, strict=True):
        for event in events(len(p)):
            true, rough = (sum((x[i] for i in event), Fraction(0)) for x in (law, near))
            assert (1 - t) * rough <= true <= (1 + t) * rough + t
            if left_out not in (i + 1 for i in event):
                assert true <= (1 + t) * rough + u
    if not left_out:
        assert t <= Fraction(2, 2**bits)


@pytest.mark.parametrize("bits", [12, 16])
@pytest.mark.parametrize(("p", "q"), LAWS[:2])
@pytest.mark.parametrize("copies", [1, 3])
def test_what_is_near_encloses_the_truth_of_copies(p, q, bits, copies):
    def delta(first, second, gamma):
        pairs = list(zip(first, second, strict=True))
        total = Fraction(0)
        for chosen in product(pairs, repeat=copies):
            a, b = Fraction(1), Fraction(1)
            for x, y in chosen:
                a, b = a * x, b * y
            total += max(a - gamma * b, Fraction(0))
        return total

    found = rounded(p, q, bits)
    pair, t, u = found.laws, found.apart, found.inside
    laws = [[m.as_fraction() for m in law] for law in zip(*pair.masses(), strict=True)]
    near = NearLaws(pair, copies * t, copies * u * 2)
    for gamma in (Fraction(1), Fraction(3, 2), Fraction(9), Fraction(40)):
        rough = delta(*laws, gamma)
        assert near.around(Enclosure(rough, rough), gamma).contains(Exact(delta(p, q, gamma)))


def test_how_near_is_not_overrated():
    """Laws as far as t says: P' has what P has outside of W on an outcome that pays."""
    t = Fraction(1, 100)
    true = Pair.from_masses(["1/100", "99/100", 0], [0, 0, 1])
    near = NearLaws(Pair.from_masses([1, 0], [0, 1]), t)
    found = near.around(Enclosure(Fraction(99, 100), Fraction(99, 100)), Fraction(1))
    assert found.contains(true.delta(Epsilon.rational(0)))
    assert NearLaws(near.laws, Fraction(0)).around(found, Fraction(1)) == found
    assert near.around(found, Fraction(1)).width > found.width
    assert NearLaws(near.laws, Fraction(3, 4)).around(found, Fraction(1)).width == 1


def test_a_small_epsilon_is_told_from_those_of_laws_nearby_without_a_delta(monkeypatch):
    both, target = compose([(skellam_mechanism(variance=100), 2)]), Exact("1/20")
    with monkeypatch.context() as patched:
        patched.setattr(CertifiedComposition, "delta", None)
        found = both.epsilon(target, relative_width="1e-3")
    assert found.is_narrow(Fraction(1, 1000))
    low, high = (
        both.delta(Epsilon.rational(end), relative_width="1e-2")
        for end in (found.upper, found.lower)
    )
    assert low.lower <= target <= high.upper
