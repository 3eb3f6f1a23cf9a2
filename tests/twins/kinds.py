"""The table: each kind of mechanism, by its public call and by its definition."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np

from exactdp.accounting import (
    composed_randomized_response,
    dp_sgd,
    from_gdp,
    from_trade_off,
    from_zcdp,
    gaussian_mixture,
    guarantee,
    poisson_subsampled,
    read_budget,
    sampled,
)
from exactdp.divergences import Pair, PrivacyProfile
from exactdp.mechanisms import (
    Randomizer,
    binomial_mechanism,
    bounded_discrete_laplace_mechanism,
    bounded_laplace_mechanism,
    discrete_gaussian_mechanism,
    discrete_laplace_mechanism,
    exponential_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    matrix_mechanism,
    modular_noise,
    noisy_max,
    partition_selection,
    skellam_mechanism,
    thresholded,
    tree_aggregation,
    truncated_discrete_laplace_mechanism,
    truncated_laplace_mechanism,
)
from exactdp.numbers import Epsilon
from exactdp.shuffle import clone_pair, random_allocation, shuffle_worst_case
from tests.routes.laws import binomial
from tests.twins import definitions as d
from tests.twins.games import Versus

F = Fraction
LN2, LN3 = Epsilon.log(2), Epsilon.log(3)


@dataclass(frozen=True)
class Twin:
    """A kind of mechanism: the profile that a user gets, and all pairs of neighbors.

    Attributes:
        make: Calls the public function.
        sides: All pairs, by the direction in which neighbors differ: one for all parts of a
            composition. With the name "" it stands beside every direction.
        groups: Pairs of neighbors that are two records apart, where the definition says which.
        slack: How much, relatively, the truth may be above what a grid of inputs shows.
    """

    make: Callable[[], PrivacyProfile]
    sides: Callable[[], dict[str, list[Versus]]]
    groups: Callable[[], dict[str, list[Versus]]] | None = None
    slack: str = "0"


def pair(p, q):
    """A pair by its masses, as texts."""
    return Versus(*(tuple(F(x) for x in law.split()) for law in (p, q)))


def alone(*pairs):
    return {"": list(pairs)}


def one(make, p, q, **options):
    """One ordered pair that is given by its masses."""
    return Twin(make, lambda: alone(pair(p, q)), **options)


def of_masses(p, q):
    return Pair.from_masses(p.split(), q.split())


def of_noise(make, noise, most=1, *, steps=1):
    return Twin(
        make,
        lambda: {"": noise().moved(most, steps=steps)},
        lambda: {"": noise().moved(2 * most, steps=2 * steps)},
    )


COIN = pair("3/4 1/4", "1/4 3/4")
LEAKY = "1/10 6/10 3/10", "0 3/10 7/10"
HALVES = "1 0", "1/2 1/2"
BITS = partial(d.geometric, F(1, 2))


def of_inputs(make, law, inputs, apart, *, spread=0.0, slack="0"):
    return Twin(
        make,
        lambda: {"": d.inputs_apart(law, inputs, apart, spread=spread)},
        lambda: {"": d.inputs_apart(law, inputs, [2 * x for x in apart], spread=spread)},
        slack=slack,
    )


def of_bounded(results):
    """Laplace noise on inputs in [0, 2] with results kept there; the inputs on a fine grid."""
    law, spread = d.bounded(d.laplace(per_unit=64), 2, results)
    return of_inputs(
        lambda: bounded_laplace_mechanism(upper=2, scale=1, results=results),
        law,
        [F(i, 32) for i in range(65)],
        [F(1, 2), F(1)],
        spread=spread,
        slack="1/1000",
    )


def of_counts(make, law, most=12):
    """Counts n -> n + 1, and back."""

    def sides(k=1):
        f = law()
        return d.both([v for n in range(most + 1) for v in d.removals(f, [(1,) * n], (1,), size=k)])

    return Twin(make, sides, lambda: sides(2))


def discrete_within(upper, ratio):
    """Discrete Laplace noise with results redrawn until they are in 0, ..., upper."""

    def law(x):
        weights = [ratio ** abs(y - x) for y in range(upper + 1)]
        return tuple(w / sum(weights) for w in weights)

    return law


def modulo(noise, modulus):
    """The law of a value plus noise, modulo m."""

    def law(x):
        masses = [F(0)] * modulus
        for y, mass in noise.items():
            masses[(x + y) % modulus] += mass
        return tuple(masses)

    return law


def circle(ratio, modulus):
    """Discrete Laplace noise modulo m: on the residue r the sum of ratio^|r + jm| over all j."""
    whole = (1 - ratio) / (1 + ratio) / (1 - ratio**modulus)
    return {r: (ratio**r + ratio ** (modulus - r)) * whole for r in range(modulus)}


def of_residues(make, noise, modulus):
    return of_inputs(make, modulo(noise, modulus), range(modulus), [1, modulus - 1])


def of_scores():
    """Two candidates: the second is better by any number, and each score moves by up to 1."""
    found = []
    for gap in np.arange(-6, 6.01, 0.125):
        for first in (-1, 0, 1):
            for second in (-1, 0, 1):
                if (first, second) != (0, 0):
                    laws = d.exponential([0, gap], 2), d.exponential([first, gap + second], 2)
                    found.append(Versus(*laws))
    return {"": found}


def of_reports(noise, law, first, second, **options):
    """The report of a noisy maximum for two vectors of scores."""
    return Twin(
        lambda: noisy_max(noise, scale=1).pair(first, second),
        lambda: alone(Versus(law(first, 1), law(second, 1))),
        **options,
    )


def of_selection(make):
    kept = d.kept_with(F(2), F(1, 10))

    def sides(k=1):
        return d.both(
            [
                Versus((kept[n + k], 1 - kept[n + k]), (kept[n], 1 - kept[n]))
                for n in range(len(kept) - k)
            ]
        )

    return Twin(make, sides, lambda: sides(2))


def of_gaussian(make, squared, sigma):
    """Gaussian noise on a vector whose largest move has this squared length."""
    noise = d.gaussian(sigma, most=float(squared) ** 0.5)
    return Twin(make, lambda: {"": [noise.versus(s * squared**0.5, 0) for s in (-1, 1)]})


def weighted(noise, first, second):
    """Mixtures of noise around values: two dictionaries of weights."""
    laws = (d.mixed(*((w, noise.law(x)) for x, w in side.items())) for side in (first, second))
    return Versus(*laws, 3 * noise.spread)


RR_ROWS = ((F(3, 4), F(1, 4)), (F(1, 4), F(3, 4)))
UNEVEN_ROWS = (
    (F(1, 2), F(1, 3), F(1, 6)),
    (F(1, 4), F(1, 4), F(1, 2)),
    (F(1, 3), F(1, 3), F(1, 3)),
)


def of_users(rows, users):
    return Twin(
        lambda: shuffle_worst_case(users, Randomizer.from_matrix(rows)),
        lambda: {"": d.shuffled_pairs(rows, users)},
    )


def of_guarantee(make, growth, delta):
    b, left = F(growth), 1 - F(delta)
    p = F(delta), left * b / (1 + b), left / (1 + b), F(0)
    return Twin(make, lambda: alone(Versus(p, p[::-1])))


KINDS = {
    "pair": one(lambda: of_masses(*LEAKY), *LEAKY),
    "coin": one(lambda: of_masses("3/4 1/4", "1/4 3/4"), "3/4 1/4", "1/4 3/4"),
    "halves": one(lambda: of_masses(*HALVES), *HALVES),
    "disjoint": one(lambda: of_masses("0 1", "1 0"), "0 1", "1 0"),
    "equal": one(lambda: of_masses("1/3 2/3", "1/3 2/3"), "1/3 2/3", "1/3 2/3"),
    # Noise.
    "laplace": of_noise(lambda: laplace_mechanism(scale=1), d.laplace, steps=4),
    "gaussian": of_noise(lambda: gaussian_mechanism(sigma=1), partial(d.gaussian, most=2), steps=4),
    "discrete laplace": of_noise(lambda: discrete_laplace_mechanism(rate=LN2), BITS),
    "discrete laplace of 2": of_noise(
        lambda: discrete_laplace_mechanism(rate=LN2, sensitivity=2), BITS, 2, steps=2
    ),
    "discrete gaussian": of_noise(
        lambda: discrete_gaussian_mechanism(sigma=1), partial(d.discrete_gaussian, 1)
    ),
    "skellam": of_noise(lambda: skellam_mechanism(variance=1), partial(d.skellam, 1)),
    "binomial": of_noise(lambda: binomial_mechanism(trials=3), lambda: d.finite_noise(binomial(3))),
    "binomial of thirds": of_noise(
        lambda: binomial_mechanism(trials=2, success="1/3"),
        lambda: d.finite_noise(binomial(2, F(1, 3))),
    ),
    "truncated discrete laplace": of_noise(
        lambda: truncated_discrete_laplace_mechanism(rate=LN2, radius=2),
        lambda: d.finite_noise({k: F(1, 2) ** abs(k) for k in range(-2, 3)}),
    ),
    "truncated laplace": of_noise(
        lambda: truncated_laplace_mechanism(scale=1, radius=3),
        lambda: d.truncated(d.laplace(), 3),
        steps=4,
    ),
    # Results that are kept in bounds, or modulo m.
    "laplace redrawn": of_bounded("redrawn"),
    "laplace folded": of_bounded("folded"),
    "laplace clamped": of_bounded("clamped"),
    "bounded discrete laplace": of_inputs(
        lambda: bounded_discrete_laplace_mechanism(upper=3, rate=LN2),
        discrete_within(3, F(1, 2)),
        range(4),
        [1],
    ),
    "modular binomial": of_residues(
        lambda: modular_noise(binomial_mechanism(trials=2), modulus=3), binomial(2), 3
    ),
    "modular discrete laplace": of_residues(
        lambda: modular_noise(discrete_laplace_mechanism(rate=LN2), modulus=5),
        circle(F(1, 2), 5),
        5,
    ),
    # Thresholds and selections.
    "thresholded": of_counts(
        lambda: thresholded(discrete_laplace_mechanism(rate=LN2), threshold=1),
        lambda: d.thresholded(BITS(), 1),
    ),
    "thresholded at 0": of_counts(
        lambda: thresholded(discrete_laplace_mechanism(rate=LN2), threshold=0),
        lambda: d.thresholded(BITS(), 0),
    ),
    "thresholded laplace": of_counts(
        lambda: thresholded(laplace_mechanism(scale=1), threshold=2),
        lambda: d.thresholded(d.laplace(reach=18, per_unit=64), 2),
        4,
    ),
    "partition selection": of_selection(lambda: partition_selection(LN2, "1/10").profile()),
    "partition selection, every size": of_selection(
        lambda: partition_selection(LN2, "1/10").everything()
    ),
    "exponential mechanism": Twin(lambda: exponential_mechanism(scale=2), of_scores),
    "exponential report": of_reports("gumbel", d.exponential, [1, 0, 0], [0, 0, 1]),
    "permute and flip": of_reports("exponential", d.permute_and_flip, [1, 0, 0], [0, 0, 1]),
    # Guarantees.
    "guarantee": of_guarantee(lambda: guarantee(LN3, "1/9"), 3, "1/9"),
    "pure guarantee": of_guarantee(lambda: guarantee(LN3), 3, 0),
    "budget": of_guarantee(lambda: read_budget({"epsilon": "0", "delta": "1/9"}), 1, "1/9"),
    "randomized response": of_guarantee(
        lambda: composed_randomized_response(LN3, 1, delta0="1/9"), 3, "1/9"
    ),
    "trade-off": Twin(
        lambda: from_trade_off([(0, 1), ("1/10", "1/2"), (1, 0)]),
        lambda: alone(pair("1/10 9/10", "1/2 1/2"), pair("1/2 1/2", "1/10 9/10")),
    ),
    "gdp": of_noise(lambda: from_gdp(1), partial(d.gaussian, most=2)),
    # Matrices.
    "matrix": of_gaussian(lambda: matrix_mechanism([[1, 0], [1, 1]], sigma=2), 2, 2),
    "tree": of_gaussian(lambda: tree_aggregation(steps=2, sigma=2), 2, 2),
    # Shuffled users.
    "two users": of_users(RR_ROWS, 2),
    "three users": of_users(RR_ROWS, 3),
    "one user": of_users(RR_ROWS, 1),
    "two users of three inputs": of_users(UNEVEN_ROWS, 2),
    "allocation": Twin(
        lambda: random_allocation(of_masses("3/4 1/4", "1/4 3/4"), steps=3, chosen=2),
        lambda: alone(d.allocated(COIN, 3, 2)),
    ),
    # Samples.
    "sampled discrete laplace": Twin(
        lambda: sampled(discrete_laplace_mechanism(rate=LN2), rate="1/3"),
        lambda: alone(
            *d.removals(
                d.poisson(lambda x: BITS().law(sum(x)), F(1, 3)), d.data_sets((-1, 1), 2), (-1, 1)
            )
        ),
    ),
    "sampled discrete laplace, replaced": Twin(
        lambda: sampled(discrete_laplace_mechanism(rate=LN2), rate="1/3", neighbors="substitution"),
        lambda: alone(
            *d.replacements(
                d.poisson(lambda x: BITS().law(sum(x)), F(1, 3)),
                d.data_sets((-1, 1), 2),
                (-1, 0, 1),
            )
        ),
    ),
    "sampled thresholded": Twin(
        lambda: poisson_subsampled(
            thresholded(discrete_laplace_mechanism(rate=LN2), threshold=0), rate="1/2"
        ),
        lambda: alone(
            *d.removals(
                d.poisson(d.thresholded(BITS(), 0), F(1, 2)), [(1,) * n for n in range(13)], (1,)
            )
        ),
    ),
    "batches of halves": Twin(
        lambda: sampled(
            of_masses(*HALVES), rate="1/2", neighbors="substitution", batches="fixed_size"
        ),
        lambda: {"": [v for x in d.mixed_pairs(pair(*HALVES), F(1, 2)) for v in (x, x.swapped)]},
    ),
    "mixture of shifts": Twin(
        lambda: gaussian_mixture(
            sigma=1, sensitivities=[0, 1, 2], probabilities=["1/2", "1/4", "1/4"]
        ),
        lambda: alone(
            weighted(d.gaussian(1, most=2), {0: F(1, 2), 1: F(1, 4), 2: F(1, 4)}, {0: 1})
        ),
    ),
    "dp-sgd": Twin(
        lambda: dp_sgd(sigma=1, rate="1/4", steps=1),
        lambda: d.both([weighted(d.gaussian(1, most=1), {0: F(3, 4), 1: F(1, 4)}, {0: 1})]),
    ),
    "dp-sgd, replaced": Twin(
        lambda: dp_sgd(sigma=1, rate="1/4", steps=1, neighbors="substitution"),
        lambda: {
            "": [
                weighted(d.gaussian(1, most=2), {0: F(3, 4), r: F(1, 4)}, {0: F(3, 4), s: F(1, 4)})
                for r, s in ((1, -1), (-1, 1), (1, 0.5))
            ]
        },
    ),
}
