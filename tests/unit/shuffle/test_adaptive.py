"""Adaptive randomizers on shuffled and swapped data, against sums over all permutations."""

from fractions import Fraction
from itertools import combinations, permutations, product
from math import factorial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.distributions import FinitePmf
from exactdp.divergences import hockey_stick_divergence
from exactdp.errors import DomainError, TooLargeError
from exactdp.mechanisms import Randomizer, randomized_response
from exactdp.numbers import Epsilon, Exact
from exactdp.shuffle import Users, Victim, adaptive, sequential, shuffle_view
from exactdp.shuffle.adaptive import AdaptiveRandomizers, local_responses_law
from exactdp.shuffle.permuted import (
    pair_of,
    shuffled_inputs_law,
    shuffled_outputs_law,
    swapped_data,
    swapped_inputs_law,
)
from exactdp.shuffle.swap_steps import swap_history_probability, swap_step

QUICK = settings(max_examples=25)
COIN = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
LIE = Randomizer.from_matrix([["1/4", "3/4"], ["3/4", "1/4"]])
STOP = Randomizer.from_matrix([[1], [1]])
RR3 = randomized_response(3, Epsilon.log(3))


@st.composite
def tables(draw, *, inputs=3, largest=3):
    """Tables of 2..largest steps: alphabets depend on the history, masses may be 0."""
    steps = draw(st.integers(2, largest))
    table, level = {}, [()]
    for _ in range(steps):
        grown = []
        for history in level:
            messages = draw(st.integers(1, 3))
            weights = st.lists(st.integers(0, 4), min_size=messages, max_size=messages)
            rows = [draw(weights.filter(any)) for _ in range(inputs)]
            table[history] = Randomizer.from_matrix(
                [[Fraction(w, sum(row)) for w in row] for row in rows]
            )
            grown += [(*history, y) for y in range(messages)]
        level = grown
    return table


@st.composite
def cases(draw, **arguments):
    table = draw(tables(**arguments))
    n = 1 + max(map(len, table))
    data = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    return table, tuple(data)


def mass_of(table, z, inputs):
    """P(z) of A_local as a Fraction, 0 where z leaves the tree."""
    result = Fraction(1)
    for i, x in enumerate(inputs):
        row = table[z[:i]].rows[x]
        result *= row[z[i]].as_fraction() if z[i] < len(row) else 0
        if result == 0:
            break
    return result


def average(table, orders):
    """The mean over the datasets in ``orders`` of the law of A_local."""
    orders = list(orders)
    law = {
        z: sum(mass_of(table, z, inputs) for inputs in orders) / len(orders)
        for z in product(range(3), repeat=len(orders[0]))
    }
    return {z: mass for z, mass in law.items() if mass}


def fractions(law: FinitePmf):
    return {y: mass.as_fraction() for y, mass in law.masses.items()}


def swap(data, j):
    return (data[j], *data[1:j], data[0], *data[j + 1 :]) if j else data


@QUICK
@given(cases())
def test_laws_are_the_sums_of_their_definitions(case):
    table, data = case
    randomizers = AdaptiveRandomizers.from_table(table)
    assert fractions(local_responses_law(randomizers, data)) == average(table, [data])
    assert fractions(shuffled_inputs_law(randomizers, data)) == average(table, permutations(data))
    swaps = [swap(data, j) for j in range(len(data))]
    assert fractions(swapped_inputs_law(randomizers, data)) == average(table, swaps)


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
        parts = [swapped_inputs_law(randomizers, (data[star], *order)) for order in orders]
        mixture = FinitePmf.mixture([Fraction(1, len(parts))] * len(parts), parts)
        assert mixture == shuffled_inputs_law(randomizers, data)


@QUICK
@given(cases())
def test_swap_steps_are_conditional_laws(case):
    table, data = case
    n = len(data)
    randomizers = AdaptiveRandomizers.from_table(table)
    joint = {
        (j, z): mass / n for j in range(n) for z, mass in average(table, [swap(data, j)]).items()
    }
    chain = dict.fromkeys({z for _, z in joint}, Fraction(1))
    for i in range(n):
        for s in {z[:i] for _, z in joint}:
            given_s = {key: mass for key, mass in joint.items() if key[1][:i] == s}
            total = sum(given_s.values())
            step = swap_step(randomizers, data, s)

            def conditional(condition, given_s=given_s, i=i):
                masses = {}
                for (j, z), mass in given_s.items():
                    if condition(j):
                        masses[z[i]] = masses.get(z[i], 0) + mass
                return FinitePmf.normalized(masses)

            for j in range(n):
                index_mass = sum(mass for (k, _), mass in given_s.items() if k == j)
                assert step.index_law[j] == index_mass / total
                stated = swap_history_probability(randomizers, data, s, index=j)
                assert stated == index_mass * n
            p = step.probability_here
            assert p == step.index_law[i]
            assert step.law == conditional(lambda j: True)
            if p != 0:
                assert step.law_here == conditional(lambda j, i=i: j == i)
            if p != 1:
                assert step.law_elsewhere == conditional(lambda j, i=i: j != i)
            assert step.law == FinitePmf.mixture([1 - p, p], [step.law_elsewhere, step.law_here])
            for z in chain:
                if z[:i] == s:
                    chain[z] *= step.law[z[i]].as_fraction()
    assert chain == fractions(swapped_inputs_law(randomizers, data))


def test_one_fixed_randomizer_is_shuffled_before_or_after():
    randomizers = AdaptiveRandomizers.from_randomizers([RR3] * 4)
    for data in product(range(3), repeat=4):
        before = shuffled_inputs_law(randomizers, data)
        after = shuffled_outputs_law(randomizers, data)
        assert before.push_forward(lambda z: tuple(sorted(z))) == after
        # Given the histogram the order is uniform, so the two say the same.
        assert all(before[z] == before[tuple(sorted(z))] for z in before.masses)


def test_two_randomizers_shuffled_before_and_after_differ():
    randomizers = AdaptiveRandomizers.from_randomizers([COIN, LIE])
    before = shuffled_inputs_law(randomizers, (0, 1))
    after = shuffled_outputs_law(randomizers, (0, 1))
    assert before[(0, 0)] == Exact("5/16")
    assert after[(0, 0)] == Exact("9/16")


@pytest.mark.parametrize("exp_epsilon", [1, "3/2", 2, Exact.exp("1/3")])
@pytest.mark.parametrize("randomizer", [COIN, RR3, randomized_response(3, Epsilon.rational("1/2"))])
def test_histograms_are_those_of_the_shuffle_view(randomizer, exp_epsilon):
    randomizers = AdaptiveRandomizers.from_randomizers([randomizer] * 4)
    others = (1, 0, randomizer.inputs - 1)
    view = shuffle_view(Victim(randomizer, (0, 1)), [Users(randomizer, x) for x in others])
    gamma = exp_epsilon if isinstance(exp_epsilon, Exact) else Exact(exp_epsilon)
    truth = view.delta(Epsilon(Exact(gamma)))
    for law in (shuffled_outputs_law, shuffled_inputs_law):
        pair = pair_of(law, randomizers, (0, *others), (1, *others))
        assert hockey_stick_divergence(pair, exp_epsilon=gamma) == truth


def test_different_randomizers_shuffled_afterwards_are_the_shuffle_view():
    view = shuffle_view(Victim(COIN), [Users(LIE, 0), Users(COIN, 1)])
    pair = pair_of(
        shuffled_outputs_law, AdaptiveRandomizers((COIN, LIE, COIN)), (0, 0, 1), (1, 0, 1)
    )
    for gamma in (1, Fraction(5, 4), 2):
        assert hockey_stick_divergence(pair, exp_epsilon=gamma) == view.delta(Epsilon(Exact(gamma)))


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
        pair = pair_of(shuffled_outputs_law, randomizers, (0, *others), (1, *others))
        assert pair.both_directions().max_divergence() == Epsilon.log(3)
        assert hockey_stick_divergence(pair, exp_epsilon=2) == Exact("1/4")  # the coin's own
    # Where nobody copies, the same three users hide one another.
    alone = AdaptiveRandomizers((coin, coin, coin))
    pair = pair_of(shuffled_outputs_law, alone, (0, 0, 1), (1, 0, 1))
    assert hockey_stick_divergence(pair, exp_epsilon=2) < Exact("1/8")


def three_symbol_witness(n, x):
    """x_1 = 2, x_n = 0 and the others 1; s = 0, 1, ..., 1: the likeliest T = n can be."""
    randomizers = AdaptiveRandomizers.from_randomizers([randomized_response(3, Epsilon.log(x))] * n)
    data = (2, *[1] * (n - 2), 0)
    return randomizers, data, (0, *[1] * (n - 2))


@pytest.mark.parametrize("n", [2, 3, 7, 40])
@pytest.mark.parametrize("x", [Fraction(3, 2), Fraction(2), Fraction(3)])
def test_largest_swap_probability_in_closed_form(n, x):
    randomizers, data, s = three_symbol_witness(n, x)
    step = swap_step(randomizers, data, s)
    p = x**2 / (x**2 + x + n - 2)
    assert step.probability_here == p
    neighbor = swap_step(randomizers, (0, *data[1:]), s)
    assert neighbor.law_elsewhere == step.law_elsewhere
    assert step.law[2] / neighbor.law[2] == 1 + p * (x - 1)
    ratios = [
        swap_history_probability(randomizers, data, s, index=n - 1)
        / swap_history_probability(randomizers, data, s, index=j)
        for j in range(n)
    ]
    assert ratios == [x, *[x**2] * (n - 2), 1]


def test_swapped_datasets_differ_in_three_positions():
    data = (0, 1, 2, 3)
    assert swapped_data(data, 1) == (1, 0, 2, 3)
    assert swapped_data(data, 3) == (3, 1, 2, 0)
    distances = {
        (i, j): sum(
            a != b for a, b in zip(swapped_data(data, i), swapped_data(data, j), strict=True)
        )
        for i, j in combinations(range(4), 2)
    }
    assert distances == {(i, j): 2 if i == 0 else 3 for i, j in distances}


def test_transcendental_masses():
    rr = randomized_response(2, Epsilon.rational(1))
    randomizers = AdaptiveRandomizers((rr, {(0,): rr, (1,): COIN}))
    e = Exact.exp(1)
    assert randomizers.ldp_epsilon() == Epsilon.log(3)
    assert local_responses_law(randomizers, (0, 1))[(1, 0)] == 1 / (4 * (1 + e))
    assert shuffled_inputs_law(randomizers, (0, 1))[(0, 0)] == e / (1 + e) ** 2
    assert swap_step(randomizers, (0, 1), (0,)).probability_here == 1 / (1 + e)


def test_ldp_epsilon_sees_every_history():
    only_zero = Randomizer.from_matrix([[1, 0], [1, 0]])
    hidden = AdaptiveRandomizers((only_zero, {(0,): STOP, (1,): COIN}))
    assert hidden.ldp_epsilon() == Epsilon.log(3)  # a history of mass 0 counts
    assert AdaptiveRandomizers((STOP, STOP)).ldp_epsilon() == Epsilon.log(1)
    leaky = AdaptiveRandomizers.from_function(
        lambda s: Randomizer.from_matrix([[1, 0], ["1/2", "1/2"]]) if s == (1, 1) else COIN, steps=3
    )
    assert leaky.ldp_epsilon().is_infinite


def test_constructors_agree_and_compare():
    table = {(): COIN, (0,): COIN, (1,): LIE}
    first = AdaptiveRandomizers.from_table(table)
    second = AdaptiveRandomizers(({(): COIN}, {(1,): LIE, (0,): COIN}))
    assert first == second
    assert hash(first) == hash(second)
    assert first != AdaptiveRandomizers.from_table({**table, (1,): COIN})
    rule = AdaptiveRandomizers.from_function(lambda s: table[s], steps=2)
    for law in (local_responses_law, shuffled_inputs_law, swapped_inputs_law):
        assert law(rule, (0, 1)) == law(first, (0, 1))
    assert list(first.histories(2)) == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_a_table_is_copied():
    table = {(): COIN, (0,): COIN, (1,): LIE}
    last = {(0,): COIN, (1,): LIE}
    built = [AdaptiveRandomizers.from_table(table), AdaptiveRandomizers((COIN, last))]
    table[(1,)] = last[(1,)] = COIN
    assert [randomizers.at((1,)) for randomizers in built] == [LIE, LIE]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: AdaptiveRandomizers(()), "at least one step"),
        (lambda: AdaptiveRandomizers((COIN, 3)), "step 1 is a int"),
        (lambda: AdaptiveRandomizers((COIN, RR3)), "step 1 has 3 inputs"),
        (lambda: AdaptiveRandomizers((COIN, {(0,): COIN})), r"no randomizer after history \(1,\)"),
        (
            lambda: AdaptiveRandomizers((COIN, {(0,): COIN, (1,): COIN, (2,): COIN})),
            r"holds \(2,\)",
        ),
        (lambda: AdaptiveRandomizers((COIN, {(0,): COIN, (1,): RR3})), "3 inputs"),
        (lambda: AdaptiveRandomizers.from_table({(0,): COIN}), r"after history \(\)"),
        (lambda: AdaptiveRandomizers.from_function(lambda s: None, steps=1), "no Randomizer"),
        (lambda: AdaptiveRandomizers.from_function(lambda s: COIN, steps=0), "at least one step"),
    ],
)
def test_bad_randomizers_are_refused(build, message):
    with pytest.raises(DomainError, match=message):
        build()


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda r: local_responses_law(r, (0,)), "1 elements and there are 2 steps"),
        (lambda r: shuffled_inputs_law(r, (0, 2)), r"data\[1\]=2 is no input"),
        (lambda r: swapped_inputs_law(r, (0, -1)), r"data\[1\]=-1 is no input"),
        (lambda r: pair_of(local_responses_law, r, (0, 1), (0, 1)), r"positions \[\]"),
        (lambda r: pair_of(local_responses_law, r, (0, 1), (1, 0)), r"positions \[0, 1\]"),
        (lambda r: swap_step(r, (0, 1), (0, 0)), "has 2 outputs"),
        (lambda r: swap_step(r, (0, 1), (5,)), r"history\[0\]=5"),
        (lambda r: swap_history_probability(r, (0, 1), (0,), index=2), "index=2 is no position"),
        (lambda r: r.histories(3), "length=3"),
    ],
)
def test_bad_questions_are_refused(ask, message):
    with pytest.raises(DomainError, match=message):
        ask(AdaptiveRandomizers((COIN, COIN)))


def test_conditions_of_probability_zero_are_refused():
    truth = Randomizer.from_matrix([[1, 0], [0, 1]])
    with pytest.raises(DomainError, match="probability 0"):
        swap_step(AdaptiveRandomizers((truth, COIN)), (0, 0), (1,))
    with pytest.raises(DomainError, match="at least 2"):
        swap_step(AdaptiveRandomizers((COIN,)), (0,), ())


def test_many_outputs_are_refused(monkeypatch):
    monkeypatch.setattr(sequential, "MAX_CELLS", 10_000)
    monkeypatch.setattr(adaptive, "MAX_HISTORIES", 1_000)
    randomizers = AdaptiveRandomizers.from_randomizers([COIN] * 40)
    with pytest.raises(TooLargeError, match="shuffle_view"):
        shuffled_inputs_law(randomizers, (0, 1) * 20)
    with pytest.raises(TooLargeError, match="histories"):
        AdaptiveRandomizers.from_function(lambda s: COIN, steps=30).ldp_epsilon()
