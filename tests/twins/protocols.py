"""The table, second part: guarantees, samples and protocols of many users."""

from fractions import Fraction
from functools import partial

from exactdp.accounting import (
    Runs,
    best_of_runs,
    composed_randomized_response,
    cut_poisson_sampled,
    dp_sgd,
    from_gdp,
    from_renyi,
    from_trade_off,
    from_zcdp,
    gaussian_mixture,
    guarantee,
    poisson_subsampled,
    read_budget,
    sampled,
    sampled_with_replacement,
)
from exactdp.distributions import FinitePmf
from exactdp.divergences import Pair, add_or_remove, pair_of_reals
from exactdp.mechanisms import (
    Randomizer,
    discrete_laplace_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    log_concave_mechanism,
    thresholded,
)
from exactdp.numbers import Exact, exp, log
from exactdp.pufferfish import LaplaceMixturePair, LaplaceScale
from exactdp.shuffle import (
    MultiMessageUsers,
    MultiMessageVictim,
    MultisetLaw,
    Users,
    Victim,
    blanket_pair,
    clone_pair,
    multi_message_view,
    random_allocation,
    shuffle_view,
    stronger_clone_pair,
    variation_ratio_pair,
)
from tests.routes.laws import log_logistic
from tests.twins import definitions as d
from tests.twins import shown
from tests.twins.games import Versus
from tests.twins.mechanisms import BITS
from tests.twins.twin import (
    ALL_BUT_ALONE,
    COMPOSED,
    GROUPS,
    LN2,
    LN3,
    Twin,
    alone,
    of_guarantee,
    of_noise,
    of_pairs,
    of_users,
    pair,
    weighted,
)

F = Fraction
COIN = pair("3/4 1/4", "1/4 3/4")
HALVES = pair("1 0", "1/2 1/2")
RR_ROWS = ((F(3, 4), F(1, 4)), (F(1, 4), F(3, 4)))
HALF_ROWS = ((F(1, 2), F(1, 2)), (F(0), F(1)))
UNEVEN_ROWS = ((F(1, 2), F(1, 3), F(1, 6)), (F(1, 4), F(1, 4), F(1, 2)), (F(1, 3),) * 3)


def finite(one):
    return Pair.from_masses(*([str(x) for x in law] for law in (one.p, one.q)))


def noisy_sum(noise):
    """The law of the sum of a data set's records, with noise."""
    return lambda data: noise.law(sum(data))


def sampled_bits(relation, records):
    law = d.poisson(noisy_sum(BITS()), F(1, 3))
    return alone(*relation(law, d.data_sets((-1, 1), 2), records))


def sampled_counts(law):
    return d.removals(law, [(1,) * n for n in range(13)], (1,))


def batches(noise, size, others, records, spread):
    """All replacements of one record, in a batch of so many."""
    law = d.fixed_size(noisy_sum(noise), size)
    return alone(*d.replacements(law, others, records, spread=spread))


def around(noise, *sides):
    """Mixtures of noise, each pair with the one in the other order."""
    found = [weighted(noise, first, second) for first, second in sides]
    return alone(*found, *d.swapped(found))


def wide(most):
    return d.gaussian(1, most=most, per_unit=100)


RUNS = {1: F(1, 3), 3: F(2, 3)}
THREE = pair("1/4 1/4 1/2", "1/2 1/3 1/6")


def reals(law):
    """Masses as computable reals, of which no sum is known to be a fraction."""
    return [exp(log(Exact(x))) for x in law]


def best_of_three(one, runs):
    return Versus(*(shown.best_of(law, runs) for law in (one.p, one.q)))


QUARTER = {0: F(3, 4)}
REPLACED = [(1, -1), (1, F(1, 2)), (1, 0)]

PROTOCOLS = {
    # Guarantees.
    "guarantee": of_guarantee(lambda: guarantee(LN3, "1/9"), 3, "1/9"),
    "pure guarantee": of_guarantee(lambda: guarantee(LN3), 3, 0),
    "budget": of_guarantee(lambda: read_budget({"epsilon": "0", "delta": "1/9"}), 1, "1/9"),
    "randomized response": of_guarantee(
        lambda: composed_randomized_response(LN3, 1, delta0="1/9"), 3, "1/9"
    ),
    "trade-off": of_pairs(
        lambda: from_trade_off([(0, 1), ("1/10", "1/2"), (1, 0)]),
        pair("1/10 9/10", "1/2 1/2"),
        pair("1/2 1/2", "1/10 9/10"),
    ),
    "best of runs": of_pairs(
        lambda: best_of_runs(Pair.from_masses(THREE.p, THREE.q), Runs.of(RUNS)),
        best_of_three(THREE, RUNS),
    ),
    "pair of reals": of_pairs(lambda: pair_of_reals(*map(reals, (THREE.p, THREE.q))), THREE),
    "gdp": of_noise(lambda: from_gdp(1), partial(d.gaussian, most=2)),
    "zcdp": Twin(
        lambda: from_zcdp("1/4"),
        lambda: alone(*shown.coins_within(lambda a: a / 4)),
        slack="1/100",
        slow=COMPOSED,
    ),
    "renyi": Twin(
        lambda: from_renyi({2: "1/2"}),
        lambda: alone(*shown.coins_within(lambda a: 0.5, orders=(2.0,))),
        slack="1/100",
        slow=COMPOSED,
    ),
    # Shuffled users.
    "two users": of_users(RR_ROWS, 2),
    "three users": of_users(RR_ROWS, 3),
    "two users of three inputs": of_users(UNEVEN_ROWS, 2),
    "view": of_pairs(
        lambda: shuffle_view(
            Victim(Randomizer.from_matrix(HALF_ROWS), (0, 1)),
            [Users(Randomizer.from_matrix(HALF_ROWS), 1, 2)],
        ),
        shown.over_all(shown.shuffled(HALF_ROWS, (0, 1, 1)), shown.shuffled(HALF_ROWS, (1, 1, 1))),
    ),
    "view of several messages": of_pairs(
        lambda: multi_message_view(
            MultiMessageVictim(*(MultisetLaw.one_of(list(map(str, r))) for r in RR_ROWS)),
            [MultiMessageUsers(MultisetLaw.one_of(["1/4", "3/4"]), 2)],
        ),
        shown.over_all(shown.shuffled(RR_ROWS, (0, 1, 1)), shown.shuffled(RR_ROWS, (1, 1, 1))),
    ),
    "clones": of_pairs(
        lambda: clone_pair(3, LN3), shown.clones(3, F(3, 4), F(1, 4), F(1, 6)), slow_epsilon=True
    ),
    "stronger clones": of_pairs(
        lambda: stronger_clone_pair(3, LN3),
        shown.clones(3, F(3, 4), F(1, 4), F(1, 4)),
        slow_epsilon=True,
    ),
    "variation ratio": of_pairs(
        lambda: variation_ratio_pair(3, p=3, beta="1/2", q=4),
        shown.clones(3, F(3, 4), F(1, 4), F(3, 16)),
        slow_epsilon=True,
    ),
    "blanket": of_pairs(
        lambda: blanket_pair(3, Randomizer.from_matrix(RR_ROWS), inputs=(0, 1)),
        shown.blanket(RR_ROWS, 3),
        slow_epsilon=True,
    ),
    "allocation": of_pairs(
        lambda: random_allocation(finite(COIN), steps=3, chosen=2), shown.allocated(COIN, 3, 2)
    ),
    "allocation of noise": of_pairs(
        lambda: random_allocation(laplace_mechanism(scale=2), steps=2),
        shown.one_of_two(d.laplace(2, reach=20, per_unit=8), {1: 1, 0: 1}, {0: 2}),
        slow=ALL_BUT_ALONE,
    ),
    # Samples.
    "sampled discrete laplace": Twin(
        lambda: sampled(discrete_laplace_mechanism(rate=LN2), sampling_probability="1/3"),
        partial(sampled_bits, d.removals, (-1, 1)),
    ),
    "sampled discrete laplace, replaced": Twin(
        lambda: sampled(
            discrete_laplace_mechanism(rate=LN2),
            sampling_probability="1/3",
            neighbors="substitution",
        ),
        partial(sampled_bits, d.replacements, (-1, 0, 1)),
        slow=GROUPS,
    ),
    "sampled logistic, replaced": Twin(
        lambda: sampled(
            log_concave_mechanism(log_logistic, steepest=1),
            sampling_probability="1/3",
            neighbors="substitution",
        ),
        lambda: alone(
            *d.replacements(
                d.poisson(noisy_sum(d.logistic(per_unit=25)), F(1, 3)),
                [(), (-1,), (1,)],
                (-1, 0, 1),
                spread=4 / 25,
            )
        ),
        slow=ALL_BUT_ALONE,
    ),
    "sampled thresholded": Twin(
        lambda: poisson_subsampled(
            thresholded(discrete_laplace_mechanism(rate=LN2), threshold=0),
            sampling_probability="1/2",
        ),
        lambda: alone(*sampled_counts(d.poisson(shown.thresholded(BITS(), 0), F(1, 2)))),
        slow=GROUPS,
        slow_epsilon=True,
    ),
    "sampled in both directions": Twin(
        lambda: add_or_remove(
            sampled(discrete_laplace_mechanism(rate=LN2), sampling_probability="1/3")
        ),
        lambda: d.both(sampled_bits(d.removals, (-1, 1))[""]),
        stays_both=True,
    ),
    "batches of halves": Twin(
        lambda: sampled(
            finite(HALVES),
            sampling_probability="1/2",
            neighbors="substitution",
            batches="fixed_size",
        ),
        lambda: alone(*shown.one_of_a_batch(HALVES, F(1, 2))),
    ),
    "batches of laplace": Twin(
        lambda: sampled(
            laplace_mechanism(scale=2),
            sampling_probability="1/2",
            neighbors="substitution",
            batches="fixed_size",
        ),
        lambda: batches(
            d.laplace(2, per_unit=50), 1, [(-1,), (0,), (1,)], (-1, 0, 1), spread=1 / 50
        ),
        above=lambda: around(d.laplace(2, per_unit=50), ({0: F(1, 2), 2: F(1, 2)}, {0: 1})),
    ),
    "drawn with replacement": Twin(
        lambda: sampled_with_replacement(laplace_mechanism(scale=2), drawn=1, records=2),
        lambda: batches(
            d.laplace(2, per_unit=50), 1, [(-1,), (0,), (1,)], (-1, 0, 1), spread=1 / 50
        ),
        above=lambda: around(d.laplace(2, per_unit=50), ({0: F(1, 2), 2: F(1, 2)}, {0: 1})),
    ),
    "samples cut to one": Twin(
        lambda: cut_poisson_sampled(
            gaussian_mechanism(sigma=1),
            sampling_probability="1/2",
            records=2,
            at_most=1,
            neighbors="substitution",
        ),
        lambda: around(
            wide(2),
            *(
                ({0: F(1, 4), x: F(3, 8), z: F(3, 8)}, {0: F(1, 4), y: F(3, 8), z: F(3, 8)})
                for x, y in REPLACED
                for z in (-1, 0, 1)
                if len({0, x, y, z}) == 4
            ),
        ),
        above=lambda: around(wide(2), ({2: 1}, {0: 1})),
        slow=GROUPS,
    ),
    "mixture of shifts": of_pairs(
        lambda: gaussian_mixture(
            sigma=1, sensitivities=[0, 1, 2], probabilities=["1/2", "1/4", "1/4"]
        ),
        weighted(wide(2), {0: F(1, 2), 1: F(1, 4), 2: F(1, 4)}, {0: 1}),
    ),
    # DP-SGD of one step, or of an epoch of two.
    "dp-sgd": Twin(
        lambda: dp_sgd(noise_multiplier=1, sampling_probability="1/4", steps=1),
        lambda: d.both([weighted(wide(1), QUARTER | {1: F(1, 4)}, {0: 1})]),
        stays_both=True,
    ),
    "dp-sgd, zeroed": Twin(
        lambda: dp_sgd(
            noise_multiplier=1, sampling_probability="1/4", steps=1, neighbors="zero_out"
        ),
        lambda: d.both([weighted(wide(1), QUARTER | {1: F(1, 4)}, {0: 1})]),
        stays_both=True,
        slow=GROUPS,
    ),
    "dp-sgd, replaced": Twin(
        lambda: dp_sgd(
            noise_multiplier=1, sampling_probability="1/4", steps=1, neighbors="substitution"
        ),
        lambda: around(
            wide(2), *((QUARTER | {x: F(1, 4)}, QUARTER | {y: F(1, 4)}) for x, y in REPLACED[:2])
        ),
        slow=GROUPS,
    ),
    "dp-sgd of fixed size": Twin(
        lambda: dp_sgd(
            noise_multiplier=1,
            sampling_probability="1/2",
            steps=1,
            neighbors="substitution",
            batches="fixed_size",
        ),
        lambda: batches(wide(2), 1, [(-1,), (0,), (1,)], (-1, 0, 1), spread=1 / 50),
        above=lambda: around(wide(2), ({0: F(1, 2), 2: F(1, 2)}, {0: 1})),
        slow=GROUPS,
    ),
    "dp-sgd in order": Twin(
        lambda: dp_sgd(
            noise_multiplier=1, sampling_probability="1/2", steps=2, batches="deterministic"
        ),
        lambda: around(wide(1), ({1: 1}, {0: 1})),
    ),
    "dp-sgd of balls and bins": Twin(
        lambda: dp_sgd(
            noise_multiplier=1, sampling_probability="1/2", steps=2, batches="balls_and_bins"
        ),
        lambda: d.both([shown.one_of_two(d.gaussian(per_unit=16), {1: 1, 0: 1}, {0: 2})]),
        slow=ALL_BUT_ALONE,
        stays_both=True,
    ),
    "dp-sgd, shuffled": Twin(
        lambda: dp_sgd(noise_multiplier=1, sampling_probability="1/2", steps=2, batches="shuffled"),
        lambda: d.both(
            [shown.one_of_two(d.gaussian(per_unit=16, most=2), {1: 1, -1: 1}, {0: 1, -1: 1})]
        ),
        above=lambda: around(wide(1), ({1: 1}, {0: 1})),
        slow=ALL_BUT_ALONE,
    ),
    # Laws of data.
    "mixtures of data": of_pairs(
        lambda: LaplaceMixturePair(
            FinitePmf({0: "1/2", 1: "1/2"}), FinitePmf({0: 1}), LaplaceScale.rational(1)
        ),
        weighted(d.laplace(per_unit=100), {0: F(1, 2), 1: F(1, 2)}, {0: F(1)}),
    ),
}
