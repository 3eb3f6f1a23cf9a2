"""The table, first part: mechanisms, each by its public call and by its definition."""

from fractions import Fraction
from functools import partial

import numpy as np
from flint import arb

from exactdp.accounting import worst_shift
from exactdp.mechanisms import (
    above_threshold,
    binomial_mechanism,
    bounded_discrete_laplace_mechanism,
    bounded_laplace_mechanism,
    clamped_noise,
    clamped_results,
    discrete_gaussian_mechanism,
    discrete_laplace_mechanism,
    exponential_mechanism,
    gaussian_mechanism,
    hadamard_response,
    integer_noise,
    laplace_mechanism,
    local_hashing,
    log_concave_mechanism,
    matrix_mechanism,
    modular_noise,
    noisy_max,
    optimized_unary_encoding,
    partition_selection,
    randomized_response,
    skellam_mechanism,
    subset_selection,
    symmetric_unary_encoding,
    thresholded,
    tree_aggregation,
    truncated_discrete_laplace_mechanism,
    truncated_laplace_mechanism,
    unary_encoding,
)
from exactdp.numbers import Epsilon
from tests.routes.laws import binomial, log_logistic
from tests.twins import definitions as d
from tests.twins import shown
from tests.twins.games import Versus, product_of
from tests.twins.twin import (
    COMPOSED,
    GROUPS,
    LN2,
    LN3,
    Twin,
    given,
    of_counts,
    of_gaussian,
    of_inputs,
    of_noise,
    of_pairs,
    of_users,
    pair,
)

F = Fraction
BITS = partial(d.geometric, F(1, 2))


def of_bounded(results):
    """Laplace noise on inputs in [0, 2] with results kept there; the inputs on a fine grid."""
    law, spread = d.bounded(d.laplace(per_unit=64), 2, results)
    beside = frozenset({"with a coin", "with noise"})
    slow = {"clamped": frozenset(), "folded": beside, "redrawn": beside | {"twice"}}
    return of_inputs(
        lambda: bounded_laplace_mechanism(upper=2, scale=1, results=results),
        law,
        [F(i, 32) for i in range(65)],
        [1],
        spread=spread,
        slack="1/500",
        slow=slow[results],
    )


def of_residues(make, noise, modulus):
    return of_inputs(make, shown.modulo(noise, modulus), range(modulus), [1, modulus - 1])


FAR = np.arange(6.25, 24, 1 / 4)
"""Gaps at which one candidate is hardly ever chosen: a tail is the largest there."""


def of_scores():
    """Two candidates: the second is better by any number, and each score moves by up to 1."""
    moves = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)]
    return {
        "": [
            Versus(shown.exponential([0, gap], 2), shown.exponential([x, gap + y], 2))
            for gap in np.concatenate([np.arange(-6, 6.01, 1 / 16), FAR, -FAR])
            for x, y in moves
        ]
    }


def of_reports(noise, law, first=(1, 0, 0), second=(0, 0, 1)):
    """The report of a noisy maximum for two vectors of scores."""
    return of_pairs(
        lambda: noisy_max(noise, scale=1).pair(first, second), Versus(law(first, 1), law(second, 1))
    )


def of_selection(make):
    kept = shown.kept_with(F(2), F(1, 10))

    def sides(size=1):
        shown = [(x, 1 - x) for x in kept]
        return d.both([Versus(*ends) for ends in zip(shown[size:], shown, strict=False)])

    return Twin(make, sides, lambda: sides(2))


def coins_in_two_places():
    """Four coins on each of two integers that change by 2 in all."""
    noise = d.finite_noise(binomial(4), reach=7)
    return [
        product_of(noise.versus(x, 0), noise.versus(y, 0))
        for x in range(-2, 3)
        for y in range(-2, 3)
        if 0 < abs(x) + abs(y) <= 2
    ]


RANDOMIZERS = {
    "k-ary response": (lambda: randomized_response(3, LN3), shown.response_rows(3, F(3))),
    "subset selection": (lambda: subset_selection(3, LN3, size=2), shown.subset_rows(3, 2, F(3))),
    "symmetric unary encoding": (
        lambda: symmetric_unary_encoding(2, Epsilon.log(9)),
        shown.unary_rows(2, F(3, 4), F(1, 4)),
    ),
    "optimized unary encoding": (
        lambda: optimized_unary_encoding(2, LN3),
        shown.unary_rows(2, F(1, 2), F(1, 4)),
    ),
    "unary encoding": (
        lambda: unary_encoding(2, p="1/5", q="2/3"),
        shown.unary_rows(2, F(1, 5), F(2, 3)),
    ),
    "local hashing": (lambda: local_hashing(2, LN3, buckets=2), shown.hashing_rows(2, 2, F(3))),
    "hadamard response": (lambda: hadamard_response(3, LN3), shown.hadamard_rows(F(3))),
}


def clamped(law, first, last):
    """Return masses on a range, with those beyond at its ends; geometric tails by their sums."""
    found = [law(k) for k in range(first, last + 1)]
    for i, k in ((0, first), (-1, last)):
        found[i] = F(2, 3) * F(1, 2) ** abs(k)
    return tuple(found)


def of_ends():
    """Geometric noise on inputs of 0 to 3 whose results are moved there."""
    laws = [clamped(lambda k: F(1, 3) * F(1, 2) ** abs(k), -x, 3 - x) for x in range(4)]
    return [Versus(laws[x], laws[y]) for x in range(4) for y in range(4) if abs(x - y) == 1]


def of_clamped_noise():
    law = clamped(lambda k: F(1, 3) * F(1, 2) ** abs(k), -2, 2)
    pair = Versus((*law, F(0)), (F(0), *law))
    return [pair, pair.swapped]


MECHANISMS = {
    "pair": given("1/10 6/10 3/10", "0 3/10 7/10"),
    "noise of a tail": of_noise(
        lambda: integer_noise(lambda k: arb(2) ** -k / 3, steepest=LN2), BITS
    ),
    "clamped results": of_pairs(
        lambda: clamped_results(discrete_laplace_mechanism(rate=LN2), upper=3), *of_ends()
    ),
    "clamped noise": of_pairs(
        lambda: clamped_noise(discrete_laplace_mechanism(rate=LN2), radius=2), *of_clamped_noise()
    ),
    "coin": given("3/4 1/4", "1/4 3/4"),
    "halves": given("1 0", "1/2 1/2"),
    "disjoint": given("0 1", "1 0"),
    "equal": given("1/3 2/3", "1/3 2/3"),
    # Noise.
    "laplace": of_noise(lambda: laplace_mechanism(scale=1), d.laplace, steps=4),
    "gaussian": of_noise(lambda: gaussian_mechanism(sigma=1), partial(d.gaussian, most=2), steps=4),
    "logistic, by its density": of_noise(
        lambda: log_concave_mechanism(log_logistic, steepest=1),
        d.logistic,
        steps=4,
        slow=frozenset({"twice", "with noise"}),
    ),
    "discrete laplace": of_noise(lambda: discrete_laplace_mechanism(rate=LN2), BITS),
    "discrete laplace of 2": of_noise(
        lambda: discrete_laplace_mechanism(rate=LN2, sensitivity=2), BITS, 2, steps=2
    ),
    "discrete gaussian": of_noise(
        lambda: discrete_gaussian_mechanism(sigma=1), partial(d.discrete_gaussian, 1)
    ),
    "skellam": of_noise(lambda: skellam_mechanism(variance=1), partial(d.skellam, 1)),
    "binomial": of_noise(lambda: binomial_mechanism(trials=3), lambda: d.finite_noise(binomial(3))),
    "binomial of thirds": of_pairs(  # one order, as its note says
        lambda: binomial_mechanism(trials=2, success="2/3"),
        pair("1/9 4/9 4/9 0", "0 1/9 4/9 4/9"),
    ),
    "truncated discrete laplace": of_noise(
        lambda: truncated_discrete_laplace_mechanism(rate=LN2, radius=2),
        lambda: d.finite_noise({k: F(1, 2) ** abs(k) for k in range(-2, 3)}),
    ),
    "difference of geometric": of_noise(
        lambda: truncated_discrete_laplace_mechanism(rate=LN2, radius=2, ends="each"),
        lambda: d.finite_noise(shown.difference([F(1, 2) ** k for k in range(3)])),
    ),
    "truncated laplace": of_noise(
        lambda: truncated_laplace_mechanism(scale=1, radius=3),
        lambda: d.truncated(d.laplace(), 3),
        steps=4,
        slow=frozenset({"with a coin", "with noise"}),
    ),
    "two integers": of_pairs(
        lambda: worst_shift(
            lambda s: binomial_mechanism(trials=4, sensitivity=s), dimensions=2, l1=2
        ),
        *coins_in_two_places(),
    ),
    # Results that are kept in bounds, or modulo m.
    "laplace redrawn": of_bounded("redrawn"),
    "laplace folded": of_bounded("folded"),
    "laplace clamped": of_bounded("clamped"),
    "bounded discrete laplace": of_inputs(
        lambda: bounded_discrete_laplace_mechanism(upper=3, rate=LN2),
        shown.discrete_within(3, F(1, 2)),
        range(4),
        [1],
    ),
    "modular binomial": of_residues(
        lambda: modular_noise(binomial_mechanism(trials=2), modulus=3), binomial(2), 3
    ),
    "modular discrete laplace": of_residues(
        lambda: modular_noise(discrete_laplace_mechanism(rate=LN2), modulus=5),
        shown.circle(F(1, 2), 5),
        5,
    ),
    # Thresholds and selections.
    "thresholded": of_counts(
        lambda: thresholded(discrete_laplace_mechanism(rate=LN2), threshold=1),
        lambda: shown.thresholded(BITS(), 1),
    ),
    "thresholded at 0": of_counts(
        lambda: thresholded(discrete_laplace_mechanism(rate=LN2), threshold=0),
        lambda: shown.thresholded(BITS(), 0),
    ),
    "thresholded below 0": of_counts(
        lambda: thresholded(discrete_laplace_mechanism(rate=LN2), threshold=-9),
        lambda: shown.thresholded(BITS(), -9),
    ),
    "thresholded laplace": of_counts(
        lambda: thresholded(laplace_mechanism(scale=1), threshold=2),
        lambda: shown.thresholded(d.laplace(reach=18, per_unit=64), 2),
        4,
        spread=1 / 32,
        slow=GROUPS,
    ),
    "thresholded gaussian": of_counts(
        lambda: thresholded(gaussian_mechanism(sigma=1), threshold=2),
        lambda: shown.thresholded(d.gaussian(reach=12, per_unit=64, most=2), 2),
        4,
        spread=1 / 32,
        slow=GROUPS | {"twice"},
    ),
    "partition selection": of_selection(lambda: partition_selection(LN2, "1/10")),
    "partition selection, every size": of_selection(
        lambda: partition_selection(LN2, "1/10").everything()
    ),
    "exponential mechanism": Twin(
        lambda: exponential_mechanism(scale=2), of_scores, slack="1/100", slow=COMPOSED
    ),
    "exponential report": of_reports("gumbel", shown.exponential),
    "permute and flip": of_reports("exponential", shown.permute_and_flip),
    "noisy max of laplace": of_reports("laplace", shown.laplace_max),
    "above threshold": of_pairs(
        lambda: above_threshold(threshold_scale=1, query_scale=2).pair([0, 1], [1, 0]),
        Versus(shown.above_threshold((0, 1), 1, 2), shown.above_threshold((1, 0), 1, 2)),
    ),
    # Matrices.
    "matrix": of_gaussian(lambda: matrix_mechanism([[1, 0], [1, 1]], sigma=2), 2, 2),
    "tree": of_gaussian(lambda: tree_aggregation(steps=2, sigma=2), 2, 2),
    # Local randomizers, of one user who is not shuffled with others.
    **{name: of_users(rows, 1, make) for name, (make, rows) in RANDOMIZERS.items()},
}
