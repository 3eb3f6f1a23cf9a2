"""Adaptive randomizers on shuffled and swapped data, against sums over all permutations."""

from fractions import Fraction
from itertools import combinations, permutations, product
from math import factorial

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from exactdp.distributions import FinitePmf
from exactdp.divergences import Pair
from exactdp.errors import DomainError
from exactdp.mechanisms import Randomizer, randomized_response
from exactdp.numbers import Epsilon, Exact
from exactdp.shuffle import Users, Victim, shuffle_view
from proofs_check.lemmas.adaptive import (
    IN_ORDER,
    SHUFFLED,
    SWAPPED,
    AdaptiveRandomizers,
    outputs_law,
    pair_of,
    shuffled_outputs_law,
    swapped_data,
)
from proofs_check.lemmas.drawn import adaptive_randomizers

QUICK = settings(max_examples=25)
COIN = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
LIE = Randomizer.from_matrix([["1/4", "3/4"], ["3/4", "1/4"]])
STOP = Randomizer.from_matrix([[1], [1]])
RR3 = randomized_response(3, Epsilon.log(3))


@st.composite
def cases(draw, largest=3):
    """Tables of 2..largest steps, and data: alphabets depend on the history, masses may be 0."""
    n = draw(st.integers(2, largest))
    table, level = {}, [()]
    for _ in range(n):
        for history in level:
            m = draw(st.integers(1, 3))
            weights = st.lists(st.integers(0, 4), min_size=m, max_size=m)
            rows = [draw(weights.filter(any)) for _ in range(3)]
            table[history] = Randomizer.from_matrix(
                [[Fraction(w, sum(row)) for w in row] for row in rows]
            )
        level = [(*history, y) for history in level for y in range(table[history].messages)]
    return table, tuple(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))


def average(table, orders):
    """The mean over the datasets in ``orders`` of the law of A_local, in fractions."""
    law = {}
    for inputs in (orders := list(orders)):
        level = {(): Fraction(1, len(orders))}
        for x in inputs:
            level = {
                (*history, y): weight * mass.as_fraction()
                for history, weight in level.items()
                for y, mass in enumerate(table[history].rows[x])
            }
        for z, mass in level.items():
            law[z] = law.get(z, 0) + mass
    return {z: mass for z, mass in law.items() if mass}


def fractions(law: FinitePmf):
    return {y: mass.as_fraction() for y, mass in law.masses.items()}


def shuffled_outputs(randomizers, others):
    """The pair of A_post where the first user has input 0 or 1."""
    laws = (shuffled_outputs_law(randomizers, (x, *others)) for x in (0, 1))
    return Pair.from_pmfs(*laws)


def swap(data, j):
    return (data[j], *data[1:j], data[0], *data[j + 1 :]) if j else data


@QUICK
@given(cases())
def test_laws_are_the_sums_of_their_definitions(case):
    table, data = case
    randomizers = AdaptiveRandomizers.from_table(table)
    assert fractions(outputs_law(IN_ORDER, randomizers, data)) == average(table, [data])
    assert fractions(outputs_law(SHUFFLED, randomizers, data)) == average(table, permutations(data))
    swaps = [swap(data, j) for j in range(len(data))]
    assert fractions(outputs_law(SWAPPED, randomizers, data)) == average(table, swaps)


@QUICK
@given(cases())
def test_shuffled_outputs_are_the_permuted_sequence(case):
    """A_post from its definition: every order of the multiset is equally likely."""
    table, data = case
    n = len(data)
    permuted = {}
    for z, mass in average(table, [data]).items():
        for order in permutations(range(n)):
            image = tuple(z[i] for i in order)
            permuted[image] = permuted.get(image, 0) + mass / factorial(n)
    law = fractions(shuffled_outputs_law(AdaptiveRandomizers.from_table(table), data))
    for z, mass in permuted.items():
        assert mass * len(set(permutations(z))) == law[tuple(sorted(z))]
    assert sum(permuted.values()) == 1 == sum(law.values())


@QUICK
@given(cases(largest=4))
def test_shuffling_is_a_uniform_order_of_the_others_and_a_swap(case):
    """The reduction in the proof of Theorem 7, for every index i*."""
    table, data = case
    randomizers = AdaptiveRandomizers.from_table(table)
    for star in range(len(data)):
        orders = list(permutations(data[:star] + data[star + 1 :]))
        parts = [outputs_law(SWAPPED, randomizers, (data[star], *order)) for order in orders]
        mixture = FinitePmf.mixture([Fraction(1, len(parts))] * len(parts), parts)
        assert mixture == outputs_law(SHUFFLED, randomizers, data)


def test_one_fixed_randomizer_is_shuffled_before_or_after():
    randomizers = AdaptiveRandomizers((RR3,) * 4)
    for data in product(range(3), repeat=4):
        before = outputs_law(SHUFFLED, randomizers, data)
        after = shuffled_outputs_law(randomizers, data)
        assert before.push_forward(lambda z: tuple(sorted(z))) == after
        # Given the histogram the order is uniform, so the two say the same.
        assert all(before[z] == before[tuple(sorted(z))] for z in before.masses)


def test_two_randomizers_shuffled_before_and_after_differ():
    randomizers = AdaptiveRandomizers((COIN, LIE))
    before = outputs_law(SHUFFLED, randomizers, (0, 1))
    after = shuffled_outputs_law(randomizers, (0, 1))
    assert before[(0, 0)] == Exact("5/16")
    assert after[(0, 0)] == Exact("9/16")


@pytest.mark.parametrize("exp_epsilon", [1, "3/2", 2, Exact.exp("1/3")])
@pytest.mark.parametrize("randomizer", [COIN, RR3, randomized_response(3, Epsilon.rational("1/2"))])
def test_histograms_are_those_of_the_shuffle_view(randomizer, exp_epsilon):
    randomizers = AdaptiveRandomizers((randomizer,) * 4)
    others = (1, 0, randomizer.inputs - 1)
    view = shuffle_view(Victim(randomizer, (0, 1)), [Users(randomizer, x) for x in others])
    epsilon = Epsilon(Exact(exp_epsilon))
    truth = view.delta(epsilon)
    for pair in (
        pair_of(SHUFFLED, randomizers, (0, *others), (1, *others)),
        shuffled_outputs(randomizers, others),
    ):
        assert pair.delta(epsilon) == truth


def test_different_randomizers_shuffled_afterwards_are_the_shuffle_view():
    view = shuffle_view(Victim(COIN), [Users(LIE, 0), Users(COIN, 1)])
    pair = shuffled_outputs(AdaptiveRandomizers((COIN, LIE, COIN)), (0, 1))
    for gamma in (1, Fraction(5, 4), 2):
        assert pair.delta(Epsilon.log(gamma)) == view.delta(Epsilon.log(gamma))


def test_an_adaptive_witness_outside_the_group_undoes_the_shuffling_of_outputs():
    """A user who copies another's output under an own name reveals it: Corollary 9's setting.

    Users 0, 2, 3 share the coin (columns 0 and 1). User 1 ignores the own input and
    sends column 2 or 3, the copy of user 0's output. All four are (ln 3)-DP.
    """
    coin = Randomizer.from_matrix([["3/4", "1/4", 0, 0], ["1/4", "3/4", 0, 0]])
    copies = {
        (y,): Randomizer.from_matrix([[int(z == 2 + y % 2) for z in range(4)]] * 2)
        for y in range(4)
    }
    randomizers = AdaptiveRandomizers((coin, copies, coin, coin))
    assert randomizers.ldp_epsilon() == Epsilon.log(3)
    for others in product(range(2), repeat=3):
        pair = shuffled_outputs(randomizers, others)
        assert pair.both_directions().max_divergence() == Epsilon.log(3)
        assert pair.delta(Epsilon.log(2)) == Exact("1/4")  # the coin's own
    # Where nobody copies, the same three users hide one another.
    alone = AdaptiveRandomizers((coin, coin, coin))
    pair = shuffled_outputs(alone, (0, 1))
    assert pair.delta(Epsilon.log(2)) < Exact("1/8")


def test_swapped_datasets_differ_in_three_positions():
    data = (0, 1, 2, 3)
    assert swapped_data(data, 1) == (1, 0, 2, 3)
    assert swapped_data(data, 3) == (3, 1, 2, 0)
    for i, j in combinations(range(4), 2):
        pairs = zip(swapped_data(data, i), swapped_data(data, j), strict=True)
        assert sum(a != b for a, b in pairs) == (2 if i == 0 else 3)


def test_transcendental_masses():
    rr = randomized_response(2, Epsilon.rational(1))
    randomizers = AdaptiveRandomizers((rr, {(0,): rr, (1,): COIN}))
    e = Exact.exp(1)
    assert randomizers.ldp_epsilon() == Epsilon.log(3)
    assert outputs_law(IN_ORDER, randomizers, (0, 1))[(1, 0)] == 1 / (4 * (1 + e))
    assert outputs_law(SHUFFLED, randomizers, (0, 1))[(0, 0)] == e / (1 + e) ** 2


def test_ldp_epsilon_sees_every_history():
    only_zero = Randomizer.from_matrix([[1, 0], [1, 0]])
    hidden = AdaptiveRandomizers((only_zero, {(0,): STOP, (1,): COIN}))
    assert hidden.ldp_epsilon() == Epsilon.log(3)  # a history of mass 0 counts
    assert AdaptiveRandomizers((STOP, STOP)).ldp_epsilon() == Epsilon.log(1)
    last = dict.fromkeys(product(range(2), repeat=2), COIN)
    last[(1, 1)] = Randomizer.from_matrix([[1, 0], ["1/2", "1/2"]])
    assert AdaptiveRandomizers((COIN, COIN, last)).ldp_epsilon().is_infinite


def test_a_table_is_copied():
    table = {(): COIN, (0,): COIN, (1,): LIE}
    last = {(0,): COIN, (1,): LIE}
    built = [AdaptiveRandomizers.from_table(table), AdaptiveRandomizers((COIN, last))]
    table[(1,)] = last[(1,)] = COIN
    assert [randomizers.at((1,)) for randomizers in built] == [LIE, LIE]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: AdaptiveRandomizers(()), "no step"),
        (lambda: AdaptiveRandomizers((COIN, RR3)), "step 1 has 3 inputs"),
        (lambda: AdaptiveRandomizers((COIN, {(0,): COIN})), "exactly the histories of length 1"),
        (lambda: AdaptiveRandomizers((COIN, {(y,): COIN for y in range(3)})), "exactly"),
        (lambda: AdaptiveRandomizers((COIN, {(0,): COIN, (1,): RR3})), "3 inputs"),
        (lambda: AdaptiveRandomizers.from_table({(0,): COIN}), r"after history \(\)"),
        (lambda: AdaptiveRandomizers.from_table({}), "no step"),
    ],
)
def test_bad_randomizers_are_refused(build, message):
    with pytest.raises(DomainError, match=message):
        build()


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda r: outputs_law(IN_ORDER, r, (0,)), "1 elements and there are 2 steps"),
        (lambda r: outputs_law(SHUFFLED, r, (0, 2)), r"data\[1\]=2 is not an input"),
        (lambda r: outputs_law(SWAPPED, r, (0, -1)), r"data\[1\]=-1 is not an input"),
        (lambda r: pair_of(IN_ORDER, r, (0, 1), (0, 1)), r"positions \[\]"),
        (lambda r: pair_of(IN_ORDER, r, (0, 1), (1, 0)), r"positions \[0, 1\]"),
        (lambda r: r.at((0, 0)), "no randomizer"),
    ],
)
def test_bad_questions_are_refused(ask, message):
    with pytest.raises(DomainError, match=message):
        ask(AdaptiveRandomizers((COIN, COIN)))


@QUICK
@given(adaptive_randomizers(steps=3, rows=2, columns=2, max_ratio=Fraction(3)))
def test_drawn_randomizers_keep_the_ratio_after_every_history(randomizers):
    assert len(randomizers) == 3 and randomizers.inputs == 2
    assert randomizers.ldp_epsilon() <= Epsilon.log(3)
    for length in range(3):
        for history in randomizers.histories(length):
            assert randomizers.at(history).ldp_epsilon() <= Epsilon.log(3)


def test_drawn_randomizers_depend_on_history_and_shrink_to_silence():
    strategy = adaptive_randomizers(steps=2, rows=2, columns=2, max_ratio=Fraction(3), resolution=1)
    simplest = find(strategy, lambda randomizers: True)
    silent = Randomizer.from_matrix([[0, 1], [0, 1]])
    assert all(simplest.at(h) == silent for h in [(), (0,), (1,)])
    found = find(strategy, lambda r: r.at((0,)) != r.at((1,)) and r.ldp_epsilon() > Epsilon.log(1))
    assert found.ldp_epsilon() <= Epsilon.log(3)
