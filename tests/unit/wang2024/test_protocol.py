"""Algorithm 2 as code, run under every outcome of its coins, against the laws of its parts."""

from collections import Counter
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from exactdp.divergences import hockey_stick_divergence
from exactdp.errors import DomainError
from exactdp.mechanisms import Randomizer
from exactdp.shuffle import union_of
from proofs_check.wang2024.protocol import (
    LevelAggregation,
    Parameters,
    aggregate_levels,
    blanket_slot,
    client,
    input_law,
    protocol_view,
    random_blanket_view,
    server,
    set_valued_aggregation,
    shuffler,
)


class Script:
    """A source of coins that takes the branches it is told, and keeps the probability."""

    def __init__(self, choices):
        self.choices, self.sizes, self.probability = choices, [], Fraction(1)

    def randrange(self, size):
        at = len(self.sizes)
        self.sizes.append(size)
        self.probability /= size
        return self.choices[at] if at < len(self.choices) else 0

    def shuffle(self, messages):
        """The estimate does not depend on the order."""


def every_run(run):
    """Yield (result, probability) of a function of a source of coins, for all coins."""
    choices = []
    while True:
        script = Script(choices)
        result = run(script)
        yield result, script.probability
        choices = choices + [0] * (len(script.sizes) - len(choices))
        while choices and choices[-1] == script.sizes[len(choices) - 1] - 1:
            choices.pop()
        if not choices:
            return
        choices[-1] += 1


def law_of(run):
    masses = Counter()
    for result, probability in every_run(run):
        masses[result] += probability
    assert sum(masses.values()) == 1
    return masses


@pytest.mark.parametrize(("m", "rate"), [("3/2", "1/3"), ("1", "1"), ("2/3", "0"), ("0", "1/2")])
def test_what_a_client_sends(m, rate):
    d, items = 3, [0, 2]
    parameters = Parameters(m, (Fraction(1, 5), rate))

    def counts(random):
        sent = client(items, 1, parameters, d=d, random=random)
        return tuple(sent.count(j) for j in range(d))

    slot = blanket_slot(d=d, rate=parameters.slot_rate)
    own = input_law(items, d=d, rate=rate)
    law = union_of([own, *[slot] * parameters.slots])
    assert law_of(counts) == {h: mass for h, mass in law.masses.masses.items() if mass}


def test_the_mean_number_of_blanket_messages_is_m():
    for m in (Fraction(1, 3), Fraction(2), Fraction(5, 2)):
        parameters = Parameters(m, (Fraction(0),))
        runs = every_run(lambda r, p=parameters: client([], 0, p, d=2, random=r))
        assert sum(len(sent) * p for sent, p in runs) == m


@pytest.mark.parametrize("truth", [Fraction(1), Fraction(3, 4), Fraction(1, 2)])
def test_the_level_counts_are_unbiased(truth):
    aggregation, levels = LevelAggregation(3, truth), [0, 2, 2]
    law = law_of(lambda random: aggregate_levels(levels, aggregation, random))
    for k, count in enumerate((1, 0, 2)):
        assert sum(estimate[k] * p for estimate, p in law.items()) == count
    assert (len(law) == 1) == (truth == 1)


def test_all_runs_of_the_protocol_have_the_mean_that_the_data_have():
    data, levels = [[0], [1]], [0, 1]
    parameters = Parameters(Fraction(1, 2), (Fraction(1, 2), Fraction(1, 3)))
    law = law_of(
        lambda random: set_valued_aggregation(
            data,
            levels,
            d=2,
            aggregation=LevelAggregation(2),
            optimize=lambda counts: parameters,
            random=random,
        )
    )
    # Σ_i [j in x_i] λ_k / Σ λ_k: 1/2 and 1/3 over 5/6.
    means = [sum(w[j] * p for w, p in law.items()) for j in range(2)]
    assert means == [Fraction(3, 5), Fraction(2, 5)]


def test_the_server_by_hand():
    parameters = Parameters(Fraction(3, 2), (Fraction(1, 2), Fraction(1)))
    estimates = server([0, 1, 1, 2, 2, 2], n=4, d=3, parameters=parameters, level_counts=[2, 2])
    assert estimates == (Fraction(-1, 3), Fraction(0), Fraction(1, 3))


def test_the_shuffler_keeps_the_multiset():
    sent = [[0, 1], [], [2, 2, 0]]
    assert sorted(shuffler(sent, Random(1))) == [0, 0, 1, 2, 2]


def test_the_view_is_that_of_all_runs():
    d, parameters = 3, Parameters(Fraction(1, 2), (Fraction(1, 3), Fraction(1, 2)))

    def law(first):
        def run(random):
            sent = [
                client(first, 0, parameters, d=d, random=random),
                client([1], 1, parameters, d=d, random=random),
            ]
            return tuple(sorted(shuffler(sent, random)))

        return law_of(run)

    p, q = law([0]), law([2])
    view = protocol_view(
        [0], [2], d=d, rate="1/3", blankets=2, slot_rate="1/2", others=[([1], "1/2")]
    )
    for gamma in (Fraction(1), Fraction(3, 2), Fraction(3)):
        truth = sum(max(0, p[h] - gamma * q[h]) for h in {*p, *q})
        assert view.hockey_stick_divergence(exp_epsilon=gamma) == truth
        assert hockey_stick_divergence(view.pair, exp_epsilon=gamma) == truth


def test_a_random_number_of_blanket_messages():
    rows = [[Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 3), Fraction(2, 3)]]
    gamma, slots = Fraction(1, 4), 3
    view = random_blanket_view(
        Randomizer.from_matrix(rows), (0, 1), ["1/2", "1/2"], blankets=slots, gamma=gamma
    )
    laws = []
    for row in rows:
        masses = Counter()
        for own in (0, 1):
            for sent in product([None, 0, 1], repeat=slots):
                mass = row[own]
                for y in sent:
                    mass *= 1 - gamma if y is None else gamma / 2
                masses[tuple(sorted([own, *[y for y in sent if y is not None]]))] += mass
        laws.append(masses)
    p, q = laws
    truth = sum(max(0, p[h] - Fraction(3, 2) * q[h]) for h in {*p, *q})
    assert view.hockey_stick_divergence(exp_epsilon="3/2") == truth


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Parameters(Fraction(-1), (Fraction(1),)), "m=-1 is negative"),
        (lambda: Parameters(0.5, (Fraction(1),)), "is a float"),
        (lambda: Parameters(Fraction(1), ()), "at least one"),
        (lambda: Parameters(Fraction(1), (Fraction(3, 2),)), "must be probabilities"),
        (lambda: LevelAggregation(0), "at least 1"),
        (lambda: LevelAggregation(3, Fraction(1, 3)), "above 1/levels"),
        (lambda: LevelAggregation(1, Fraction(1, 2)), "1 for one level"),
        (lambda: LevelAggregation(2).message(2, Random(1)), "outside 0..1"),
        (lambda: input_law([3], d=3, rate=1), "no subset of the domain"),
        (lambda: input_law([1, 1], d=3, rate=1), "no subset of the domain"),
    ],
)
def test_refusals(make, words):
    with pytest.raises(DomainError, match=words):
        make()


def test_a_run_refuses_what_it_cannot_do():
    parameters = Parameters(Fraction(1), (Fraction(0),))
    with pytest.raises(DomainError, match="divides by it"):
        server([0], n=1, d=2, parameters=parameters, level_counts=[1])
    with pytest.raises(DomainError, match="1 users and 2 levels"):
        set_valued_aggregation(
            [[0]],
            [0, 0],
            d=2,
            aggregation=LevelAggregation(1),
            optimize=lambda counts: parameters,
            random=Random(1),
        )
