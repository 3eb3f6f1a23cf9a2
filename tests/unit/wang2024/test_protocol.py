"""The law of what Algorithm 2 sends, against all its coins, and how levels are collected."""

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

from exactdp.errors import DomainError
from exactdp.numbers import Epsilon
from proofs_check.wang2024.protocol import (
    LevelAggregation,
    Parameters,
    blanket_slot,
    protocol_view,
)
from tests.routes.laws import hockey_stick


def law_of_runs(users, *, d, slots, slot_rate):
    """Return the law of the sorted messages: every user's (items, λ), line by line."""
    steps = [{(item,): rate, (): 1 - rate} for items, rate in users for item in items]  # lines 9-12
    blanket = {(item,): slot_rate / d for item in range(d)} | {(): 1 - slot_rate}  # 13-16
    law = Counter()
    for run in product(*[step.items() for step in [*steps, *[blanket] * slots]]):
        probability, messages = Fraction(1), ()
        for sent, chance in run:
            probability, messages = probability * chance, messages + sent
        law[tuple(sorted(messages))] += probability
    return law


@pytest.mark.parametrize(
    ("sets", "others"),
    [
        (([0], [2]), [([1], Fraction(1, 2))]),
        (([0, 1], [0, 2]), []),
        (([0, 1], [1, 2]), [([0, 2], Fraction(1, 5))]),
    ],
)
def test_the_view_is_that_of_all_runs(sets, others):
    d, rate, slots, slot_rate = 3, Fraction(1, 3), 2, Fraction(1, 2)
    p, q = (law_of_runs([(x, rate), *others], d=d, slots=slots, slot_rate=slot_rate) for x in sets)
    view = protocol_view(*sets, d=d, rate=rate, blankets=slots, slot_rate=slot_rate, others=others)
    for gamma in (Fraction(1), Fraction(3, 2), Fraction(3)):
        truth = hockey_stick(p, q, gamma)
        assert view.delta(Epsilon.log(gamma)) == truth
        assert view.pair.delta(Epsilon.log(gamma)) == truth


@pytest.mark.parametrize("truth", ["3/5", "1"])
def test_level_counts_are_unbiased(truth):
    aggregation, levels = LevelAggregation(3, truth), [0, 2, 2]
    law = Counter()
    for sent in product(range(3), repeat=3):
        probability = Fraction(1)
        for level, message in zip(levels, sent, strict=True):
            probability *= aggregation.truth if message == level else aggregation.lie
        law[aggregation.estimates(sent)] += probability
    for k, count in enumerate((1, 0, 2)):
        assert sum(estimate[k] * p for estimate, p in law.items()) == count


def test_a_slot_sends_a_uniform_item_or_nothing():
    assert dict(blanket_slot(d=2, rate="1/2").masses.masses) == {
        (1, 0): Fraction(1, 4),
        (0, 1): Fraction(1, 4),
        (0, 0): Fraction(1, 2),
    }
    assert (Parameters("5/2", (1,)).slots, Parameters("5/2", (1,)).slot_rate) == (3, Fraction(5, 6))
    assert Parameters(0, (1,)).slot_rate == 0


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Parameters(Fraction(-1), (Fraction(1),)), "m=-1 is negative"),
        (lambda: Parameters(float("nan"), (Fraction(1),)), "is not finite"),
        (lambda: Parameters(Fraction(1), ()), "at least one"),
        (lambda: Parameters(Fraction(1), (Fraction(3, 2),)), "must be probabilities"),
        (lambda: LevelAggregation(0), "at least 1"),
        (lambda: LevelAggregation(3, Fraction(1, 3)), "above 1/levels"),
        (lambda: LevelAggregation(1, Fraction(1, 2)), "1 for one level"),
        (lambda: protocol_view([3], [0], d=3, rate=1, blankets=1), "outside the letters"),
    ],
)
def test_refusals(make, words):
    with pytest.raises(DomainError, match=words):
        make()
