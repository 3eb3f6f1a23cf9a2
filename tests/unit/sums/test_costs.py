"""The cost of a sum in the table is the count while it is answered."""

import random
from fractions import Fraction

import pytest

from exactdp.accounting import poisson_subsampled
from exactdp.accounting.composition.parts import loss_law
from exactdp.divergences import Pair
from exactdp.mechanisms import (
    discrete_gaussian_mechanism,
    discrete_laplace_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
)
from exactdp.numbers import Exact
from exactdp.numbers.effort import within_work
from exactdp.sums import LossSum
from exactdp.sums.choose import answered
from exactdp.sums.positive import mean_of_copies
from exactdp.sums.table import ROUTES, Mean

TIMES = 4
"""How many times more, or less, may be counted than was told."""


def drawn_pair(draw, size):
    p = [draw.randint(1, 60) for _ in range(size)]
    q = [max(1, round(x * draw.uniform(0.5, 2))) for x in p]
    return Pair.from_masses([Fraction(x, sum(p)) for x in p], [Fraction(x, sum(q)) for x in q])


def sampled(sigma, rate):
    return poisson_subsampled(gaussian_mechanism(sigma=sigma), sampling_probability=rate)


def losses(draw):
    """Parts with copies, a target of δ, and the digits of a width."""
    for size, copies, digits in [
        (2, 1, 9), (2, 100, 12), (2, 10_000, 4), (3, 5, 10), (3, 100, 6), (3, 10_000, 3),
        (4, 10, 8), (4, 1000, 3), (6, 30, 4), (6, 10_000, 3), (10, 2, 6), (10, 30, 2),
        (10, 100, 4), (20, 3, 6), (20, 5, 2), (20, 1000, 4), (40, 1, 2), (40, 3, 3), (40, 1000, 2),
    ]:  # fmt: skip
        yield f"{size} values", [(drawn_pair(draw, size), copies)], "1e-4", digits
    for sizes, copies, digits in [
        ((3, 5), (3, 10), 4), ((2, 20), (10, 1), 6), ((5, 3), (1000, 3), 3), ((12, 2), (100, 3), 2),
    ]:  # fmt: skip
        pairs = [drawn_pair(draw, size) for size in sizes]
        yield f"{sizes} values", [*zip(pairs, copies, strict=True)], "1e-4", digits
    for sigma, rate, copies, digits in [
        ("0.7", "1e-1", 10_000, 3), ("0.7", "1/2", 10_000, 3), ("1", "1/2", 1000, 12),
        ("1", "1e-2", 1000, 8), ("2", "1e-1", 10_000, 10), ("5", "1/2", 10_000, 3),
        ("5", "1e-3", 100, 8), ("5", "1e-3", 1000, 2), ("1", "1e-3", 1, 3),
    ]:  # fmt: skip
        yield f"{sigma}, {rate}", [(sampled(sigma, rate), copies)], "1e-5", digits
    for mechanism, copies, digits in [
        (gaussian_mechanism(sigma=2), 1, 8), (gaussian_mechanism(sigma=10), 100, 3),
        (laplace_mechanism(scale=3), 10, 6), (laplace_mechanism(scale=3), 1000, 8),
        (discrete_gaussian_mechanism(sigma=4), 2, 4),
        (discrete_gaussian_mechanism(sigma=40), 9, 12),
        (discrete_laplace_mechanism(scale=5), 100, 6),
        (discrete_laplace_mechanism(scale=5), 3, 10),
    ]:  # fmt: skip
        yield repr(mechanism), [(mechanism, copies)], "1e-5", digits
    coin = drawn_pair(draw, 2)
    yield "laplace, coin", [(laplace_mechanism(scale=3), 40), (coin, 5)], "1e-5", 4
    yield "gaussian, coin", [(gaussian_mechanism(sigma=2), 10), (coin, 5)], "1e-5", 9


def positive_parts(draw):
    """Values and masses, copies, and the digits of a width."""
    for size, copies, digits in [
        (2, 10, 3), (2, 100, 8), (2, 10**6, 4), (3, 5, 10), (3, 300, 12), (4, 100, 3),
        (5, 10**6, 6), (8, 1000, 6),
    ]:  # fmt: skip
        weights = [draw.randint(1, 9) for _ in range(size)]
        values = [Fraction(draw.randint(-40, -1), draw.randint(1, 9)) for _ in range(size - 1)]
        masses = [Fraction(w, sum(weights)) for w in weights]
        top = -sum(v * m for v, m in zip(values, masses[1:], strict=True)) / masses[0]
        yield [top * Fraction(9, 10), *values], masses, copies, digits


def questions():
    draw = random.Random("costs")
    for name, parts, target, digits in losses(draw):
        total = LossSum(tuple((loss_law(one), times) for one, times in parts))
        nats = Exact(total.guess(Exact(target)))
        name = f"{name} x {sum(n for _, n in parts)} to 1e-{digits}"
        yield pytest.param(
            lambda parts=total.parts, nats=nats: Mean.of_losses(LossSum(parts).routes, nats),
            Fraction(1, 10**digits),
            id=name,
        )
    for values, masses, copies, digits in positive_parts(draw):
        exact = [[Exact(x) for x in column] for column in (values, masses)]
        yield pytest.param(
            lambda exact=exact, copies=copies: mean_of_copies(*exact, copies),
            Fraction(1, 10**digits),
            id=f"positive part of {len(values)} values x {copies} to 1e-{digits}",
        )


QUESTIONS = list(questions())


@pytest.mark.parametrize(("question", "width"), QUESTIONS)
def test_what_is_told_is_what_is_counted(question, width):
    with within_work(10**12) as spent:
        found = answered(ROUTES, question(), width)
    assert found.is_narrow(width)
    (route,) = (route for route in ROUTES if route.name == found.route)
    told = route.price(question(), width)
    assert told / TIMES <= spent.used <= told * TIMES, (found.route, told, spent.used)


def test_the_questions_are_many_and_of_many_rows():
    """Fifty questions, of nearly all rows."""
    assert len(QUESTIONS) >= 50
    found = {answered(ROUTES, one.values[0](), one.values[1]).route for one in QUESTIONS[::2]}
    assert len(found) >= 5
