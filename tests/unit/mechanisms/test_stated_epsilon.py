"""Each mechanism has exactly the matrix and the LDP epsilon that it states.

The independent route: each mechanism is run here as its description says, coin by
coin, over plain fractions (or over exact numbers, for a transcendental e^epsilon),
and the law of its message is added up; the worst ratio is taken over all pairs of
inputs.
"""

from fractions import Fraction
from functools import partial
from itertools import combinations, product
from math import isqrt

import pytest

from exactdp.mechanisms import (
    hadamard_response,
    local_hashing,
    optimized_unary_encoding,
    randomized_response,
    subset_selection,
    symmetric_unary_encoding,
)
from exactdp.numbers import Epsilon, Exact

RATIONAL = [Epsilon.log(4), Epsilon.log("9/4"), Epsilon.log(1)]
TRANSCENDENTAL = [Epsilon.rational("1/2"), Epsilon.rational(3)]
EPSILONS = RATIONAL + TRANSCENDENTAL
TWO_FUNCTIONS = ((0, 0, 0), (0, 1, 2))


def exp_of(epsilon):
    """e^epsilon as a plain Fraction where it is one."""
    return epsilon.exp.as_fraction() if epsilon.exp.is_rational else epsilon.exp


def weigh_answers(k, x, weight):
    """Answer y with weight e^epsilon if true, 1 if not; divide by the sum of all weights."""
    weights = {y: weight if y == x else 1 for y in range(k)}
    total = sum(weights.values())
    return {y: w / total if w == weight else Fraction(1) / total for y, w in weights.items()}


def send_bits(k, x, p, q):
    """Toss one coin a bit."""
    law = {}
    for bits in product("01", repeat=k):
        mass = 1
        for place, bit in enumerate(bits):
            one = p if place == x else q
            mass = mass * (one if bit == "1" else 1 - one)
        law["".join(bits)] = mass
    return law


def symmetric_bits(k, x, exp_epsilon):
    """Keep each bit with odds e^(epsilon/2), given its square."""
    if isinstance(exp_epsilon, Fraction):
        root = Fraction(isqrt(exp_epsilon.numerator), isqrt(exp_epsilon.denominator))
    else:
        root = Exact.exp(exp_epsilon.monomial_exponent() / 2)
    return send_bits(k, x, root / (root + 1), 1 / (root + 1))


def optimized_bits(k, x, exp_epsilon):
    """Send the bit at x fairly, every other as 1 with probability 1 / (e^epsilon + 1)."""
    return send_bits(k, x, Fraction(1, 2), 1 / (exp_epsilon + 1))


def choose_subset(k, size, x, exp_epsilon):
    """Decide whether to hold x, then draw the other elements uniformly, in two steps."""
    holding = [s for s in combinations(range(k), size) if x in s]
    missing = [s for s in combinations(range(k), size) if x not in s]
    hold = exp_epsilon * len(holding) / (exp_epsilon * len(holding) + len(missing))
    return {s: hold / len(holding) for s in holding} | {
        s: (1 - hold) / len(missing) for s in missing
    }


def hadamard_matrix(order):
    """Sylvester's doubling."""
    rows = [[1]]
    while len(rows) < order:
        rows = [r + r for r in rows] + [r + [-v for v in r] for r in rows]
    return rows


def choose_column(k, x, exp_epsilon):
    """Decide on a sign, then draw a column where the input's row has it."""
    order = 1
    while order <= k:
        order *= 2
    row = hadamard_matrix(order)[x + 1]
    plus = exp_epsilon / (exp_epsilon + 1)
    places = {sign: [y for y in range(order) if row[y] == sign] for sign in (1, -1)}
    return {y: (plus if row[y] == 1 else 1 - plus) / len(places[row[y]]) for y in range(order)}


def hash_and_answer(family, buckets, x, exp_epsilon):
    """Draw a function, then answer its value at x by randomized response."""
    return {
        (i, v): mass / len(family)
        for i, function in enumerate(family)
        for v, mass in weigh_answers(buckets, function[x], exp_epsilon).items()
    }


def all_functions(k, buckets):
    return list(product(range(buckets), repeat=k))


# Name: the mechanism of epsilon, and the law of the message of input x given e^epsilon.
MECHANISMS = {
    f"{mechanism.__name__}{parameters}": (
        partial(mechanism, parameters[0], **dict(zip(("size",), parameters[1:], strict=False))),
        partial(law, *parameters),
    )
    for mechanism, law, cases in [
        (randomized_response, weigh_answers, [(2,), (3,), (7,)]),
        (symmetric_unary_encoding, symmetric_bits, [(2,), (3,), (5,)]),
        (optimized_unary_encoding, optimized_bits, [(2,), (3,), (5,)]),
        (subset_selection, choose_subset, [(2, 1), (4, 2), (5, 2), (5, 4)]),
        (hadamard_response, choose_column, [(2,), (3,), (4,), (7,), (8,)]),
    ]
    for parameters in cases
}
for k, g in ((2, 2), (3, 2), (2, 3)):
    law_of_hashing = partial(hash_and_answer, all_functions(k, g), g)
    MECHANISMS[f"local_hashing{k, g}"] = (partial(local_hashing, k, buckets=g), law_of_hashing)
MECHANISMS["two functions"] = (
    partial(local_hashing, 3, buckets=3, hash_family=TWO_FUNCTIONS),
    partial(hash_and_answer, TWO_FUNCTIONS, 3),
)
CASES = pytest.mark.parametrize(("mechanism", "law"), MECHANISMS.values(), ids=MECHANISMS)


@CASES
@pytest.mark.parametrize("epsilon", EPSILONS, ids=repr)
def test_ldp_epsilon_is_the_stated_epsilon(mechanism, law, epsilon):
    assert mechanism(epsilon).ldp_epsilon() == epsilon


@CASES
@pytest.mark.parametrize("epsilon", EPSILONS, ids=repr)
def test_the_matrix_is_the_law_of_the_described_protocol(mechanism, law, epsilon):
    randomizer = mechanism(epsilon)
    for x in range(randomizer.inputs):
        labeled = dict(zip(randomizer.labels, randomizer.row(x), strict=True))
        assert labeled == law(x, exp_of(epsilon))


@CASES
@pytest.mark.parametrize("epsilon", RATIONAL, ids=repr)
def test_the_worst_ratio_over_plain_fractions_is_exp_epsilon(mechanism, law, epsilon):
    laws = [law(x, exp_of(epsilon)) for x in range(mechanism(epsilon).inputs)]
    worst = max(p[y] / q[y] for p in laws for q in laws for y in p)
    assert isinstance(worst, Fraction)
    assert worst == exp_of(epsilon)


def test_hashing_by_constants_hides_everything():
    hashing = local_hashing(3, Epsilon.log(3), buckets=2, hash_family=[(0, 0, 0), (1, 1, 1)])
    assert hashing.ldp_epsilon() == Epsilon.rational(0)
