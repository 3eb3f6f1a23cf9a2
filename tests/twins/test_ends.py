"""Each end of each parameter agrees with its neighborhood, or with what it is by definition.

An end takes a branch of its own: a full batch, an empty one, one step, all steps, one user, no
threshold, laws that are equal. There the answer must be that of parameters a hair away, or that of
the simpler mechanism that the end is.
"""

from fractions import Fraction
from functools import partial

import pytest

from exactdp.accounting import (
    compose,
    composed_randomized_response,
    cut_poisson_sampled,
    dp_sgd,
    from_trade_off,
    gaussian_mixture,
    group_profile,
    guarantee,
    poisson_subsampled,
    sampled,
    sampled_with_replacement,
)
from exactdp.divergences import Pair
from exactdp.divergences.profile import enclosed
from exactdp.mechanisms import (
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
    partition_selection,
    randomized_response,
    thresholded,
    tree_aggregation,
    truncated_laplace_mechanism,
)
from exactdp.numbers import Epsilon
from exactdp.shuffle import (
    blanket_pair,
    clone_pair,
    random_allocation,
    shuffle_worst_case,
    stronger_clone_pair,
)

F = Fraction
HAIR = F(1, 10**6)
LN2, LN3 = Epsilon.log(2), Epsilon.log(3)
COIN = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
HALVES = Pair.from_masses(["1", "0"], ["1/2", "1/2"])
LEAKY = Pair.from_masses(["1/10", "6/10", "3/10"], [0, "3/10", "7/10"])
SAME = Pair.from_masses([1], [1])
LOST = Pair.from_masses([1, 0], [0, 1])
LAPLACE, GAUSSIAN = laplace_mechanism(scale=1), gaussian_mechanism(sigma=1)
BITS = discrete_laplace_mechanism(rate=LN2)
DISCRETE = discrete_gaussian_mechanism(sigma=1)
NOISE = {"laplace": LAPLACE, "gaussian": GAUSSIAN, "bits": BITS, "discrete gaussian": DISCRETE}
KINDS = NOISE | {
    "leaky": LEAKY,
    "leaky, reversed": LEAKY.reversed(),
    "halves": HALVES,
    "halves, reversed": HALVES.reversed(),
    "disjoint": LOST,
    "equal": SAME,
    "losses": LEAKY.losses(),
    "guarantee": guarantee(LN3, "1/9"),
    "three coins": composed_randomized_response(LN3, 3),
    "binomial": binomial_mechanism(trials=2),
    "modular": modular_noise(BITS, modulus=5),
    "thresholded": thresholded(BITS, threshold=1),
    "selection": partition_selection(LN2, "1/10"),
    "exponential": exponential_mechanism(scale=2),
    "bounded": bounded_discrete_laplace_mechanism(upper=3, rate=LN2),
    "redrawn": bounded_laplace_mechanism(upper=2, scale=1, results="redrawn"),
    "clones": clone_pair(3, LN3),
    "clamped": bounded_laplace_mechanism(upper=2, scale=1, results="clamped"),
    "truncated": truncated_laplace_mechanism(scale=1, radius=3),
    "mixture": gaussian_mixture(sigma=1, sensitivities=[0, 1], probabilities=["1/2", "1/2"]),
    "both ways": LEAKY.both_directions(),
    "sampled": poisson_subsampled(LAPLACE, sampling_probability="1/2"),
    "copies": compose([(LAPLACE, 2)]),
    "allocation": random_allocation(COIN, steps=2),
}

replaced = partial(sampled, neighbors="substitution")
in_batches = partial(replaced, batches="fixed_size")


def ways_of_sgd():
    for neighbors in ("add_or_remove", "zero_out", "substitution"):
        for batches in ("poisson", "fixed_size", "balls_and_bins", "shuffled", "deterministic"):
            if neighbors == "add_or_remove" and batches in ("fixed_size", "shuffled"):
                continue
            if (neighbors, batches) in {
                ("zero_out", "fixed_size"),
                ("add_or_remove", "deterministic"),
            }:
                continue
            yield (
                f"{neighbors}, {batches}",
                partial(dp_sgd, noise_multiplier=1, neighbors=neighbors, batches=batches),
            )


def doubled(noise):
    return group_profile(noise, 2)


def rows():
    """Yield (name, at the end, what it must agree with, within): profiles made when asked."""
    for name, kind in KINDS.items():
        for way, sample in (("poisson", poisson_subsampled), ("batches", in_batches)):
            at = partial(sample, kind)
            yield f"{way} of {name}, rate 0", partial(at, sampling_probability=0), lambda: SAME, 0
            yield (
                f"{way} of {name}, rate 1",
                partial(at, sampling_probability=1),
                partial(at, sampling_probability=1 - HAIR),
                HAIR,
            )
            yield (
                f"{way} of {name}, near 0",
                partial(at, sampling_probability=0),
                partial(at, sampling_probability=HAIR),
                HAIR,
            )
        yield f"one {name}", lambda k=kind: compose([(k, 1)]), lambda k=kind: k, 0
        yield f"no {name}", lambda k=kind: compose([(k, 0)]), lambda: SAME, 0
        yield (
            f"{name} and no {name}",
            lambda k=kind: compose([(k, 1), (LEAKY, 0)]),
            lambda k=kind: k,
            0,
        )
        yield (
            f"{name} and nothing",
            lambda k=kind: compose([(k, 1), (SAME, 1)]),
            lambda k=kind: k,
            0,
        )
        yield f"group of one of {name}", partial(group_profile, kind, 1), lambda k=kind: k, 0
        yield f"group of none of {name}", partial(group_profile, kind, 0), lambda: SAME, 0
        yield f"{name}, reversed twice", lambda k=kind: k.reversed().reversed(), lambda k=kind: k, 0
    for name, kind in NOISE.items():
        at = partial(replaced, kind)
        yield (
            f"replaced {name}, rate 0",
            partial(at, sampling_probability=0),
            partial(at, sampling_probability=HAIR),
            HAIR,
        )
        yield (
            f"replaced {name}, rate 1",
            partial(at, sampling_probability=1),
            partial(at, sampling_probability=1 - HAIR),
            10 * HAIR,
        )
        yield (
            f"all of {name} replaced",
            partial(at, sampling_probability=1),
            partial(doubled, kind),
            0,
        )
        yield (
            f"all {name} in a batch",
            partial(in_batches, kind, sampling_probability=1),
            partial(doubled, kind),
            0,
        )
    for name, kind in {
        "leaky": LEAKY,
        "coin": COIN,
        "laplace": LAPLACE,
        "gaussian": GAUSSIAN,
    }.items():
        at = partial(random_allocation, kind)
        yield f"one step of {name}", partial(at, steps=1), lambda k=kind: k, 0
        yield (
            f"all steps of {name}",
            partial(at, steps=2, chosen=2),
            lambda k=kind: compose([(k, 2)]),
            0,
        )
    for name, sgd in ways_of_sgd():
        whole = dp_sgd(
            noise_multiplier="1/2" if "substitution" in name else 1, sampling_probability=1, steps=1
        )
        yield (
            f"{name}: no steps",
            partial(sgd, sampling_probability="1/2", steps=0),
            lambda: SAME,
            0,
        )
        yield (
            f"{name}: full batches",
            partial(sgd, sampling_probability=1, steps=1),
            lambda w=whole: w,
            0,
        )
        if "poisson" in name or "fixed_size" in name:
            yield (
                f"{name}: nearly full",
                partial(sgd, sampling_probability=1, steps=1),
                partial(sgd, sampling_probability=1 - HAIR, steps=1),
                10 * HAIR,
            )
            yield f"{name}: empty", partial(sgd, sampling_probability=0, steps=1), lambda: SAME, 0
    for noise in (LAPLACE, GAUSSIAN):
        at = partial(thresholded, noise)
        yield f"threshold 0 of {noise}", partial(at, threshold=0), partial(at, threshold=HAIR), HAIR
        yield (
            f"threshold below 0 of {noise}",
            partial(at, threshold=0),
            partial(at, threshold=-HAIR),
            HAIR,
        )
        yield f"no threshold of {noise}", partial(at, threshold=-100), lambda: LOST, HAIR
        yield f"high threshold of {noise}", partial(at, threshold=100), lambda n=noise: n, HAIR
    yield "high threshold of bits", partial(thresholded, BITS, threshold=100), lambda: BITS, HAIR
    yield (
        "threshold between integers",
        partial(thresholded, BITS, threshold="1/2"),
        partial(thresholded, BITS, threshold=0),
        0,
    )
    for results in ("redrawn", "folded", "clamped"):
        at = partial(bounded_laplace_mechanism, scale=1, results=results)
        yield (
            f"{results} in no more room",
            partial(at, upper=1),
            partial(at, upper=1 + HAIR),
            10 * HAIR,
        )
        yield (
            f"{results} in less room",
            partial(at, upper=1),
            partial(at, upper=1 - HAIR),
            10 * HAIR,
        )
    at = partial(truncated_laplace_mechanism, scale=1)
    yield "little room", partial(at, radius="1/2"), partial(at, radius=F(1, 2) + HAIR), 10 * HAIR
    yield "less room", partial(at, radius="1/2"), partial(at, radius=F(1, 2) - HAIR), 10 * HAIR
    yield (
        "two inputs",
        partial(bounded_discrete_laplace_mechanism, upper=1, rate=LN3),
        lambda: COIN,
        0,
    )
    yield (
        "one coin, modulo 2",
        lambda: modular_noise(binomial_mechanism(trials=1), modulus=2),
        lambda: SAME,
        0,
    )
    yield (
        "one coin",
        partial(binomial_mechanism, trials=1),
        lambda: Pair.from_masses(["1/2", "1/2", 0], [0, "1/2", "1/2"]),
        0,
    )
    for make in (clone_pair, stronger_clone_pair):
        yield f"{make.__name__} of one", partial(make, 1, LN3), lambda: COIN, 0
        yield f"{make.__name__} of nothing", partial(make, 3, Epsilon.log(1)), lambda: SAME, 0
    coin = randomized_response(2, LN3)
    yield "one user", partial(shuffle_worst_case, 1, coin), lambda: COIN, 0
    yield "blanket of one", partial(blanket_pair, 1, coin), lambda: COIN, 0
    yield "one user with noise", partial(shuffle_worst_case, 1, LAPLACE), lambda: LAPLACE, 0
    yield (
        "equal rows",
        partial(shuffle_worst_case, 2, randomized_response(2, Epsilon.log(1))),
        lambda: SAME,
        0,
    )
    yield "nothing is promised", partial(guarantee, LN3, 1), lambda: LOST, 0
    yield "all is promised", partial(guarantee, Epsilon.log(1), 0), lambda: SAME, 0
    yield "no coins", partial(composed_randomized_response, LN3, 0), lambda: SAME, 0
    yield "one coin of a guarantee", partial(composed_randomized_response, LN3, 1), lambda: COIN, 0
    yield (
        "coins that all fail",
        partial(composed_randomized_response, LN3, 1, delta0=1),
        lambda: LOST,
        0,
    )
    yield "no power", partial(from_trade_off, [(0, 1), (1, 0)]), lambda: SAME, 0
    yield "all power", partial(from_trade_off, [(0, 0), (1, 0)]), lambda: LOST, 0
    mixture = partial(gaussian_mixture, sigma=1)
    yield "no shift", partial(mixture, sensitivities=[0], probabilities=[1]), lambda: SAME, 0
    yield "one shift", partial(mixture, sensitivities=[1], probabilities=[1]), lambda: GAUSSIAN, 0
    yield (
        "two equal shifts",
        partial(mixture, sensitivities=[1, 1], probabilities=["1/2", "1/2"]),
        lambda: GAUSSIAN,
        0,
    )
    yield (
        "a shift never drawn",
        partial(mixture, sensitivities=[1, 5], probabilities=[1, 0]),
        lambda: GAUSSIAN,
        0,
    )
    yield (
        "a small shift",
        partial(mixture, sensitivities=[0], probabilities=[1]),
        partial(mixture, sensitivities=["1/100"], probabilities=[1]),
        F(1, 100),
    )
    yield (
        "one record drawn",
        partial(sampled_with_replacement, LAPLACE, drawn=1, records=4),
        partial(in_batches, LAPLACE, sampling_probability="1/4"),
        0,
    )
    yield (
        "one record, drawn once",
        partial(sampled_with_replacement, LAPLACE, drawn=1, records=1),
        partial(doubled, LAPLACE),
        0,
    )
    cut = partial(cut_poisson_sampled, GAUSSIAN, records=2)
    yield "nothing sampled", partial(cut, sampling_probability=0, at_most=1), lambda: SAME, 0
    yield (
        "nothing cut",
        partial(cut, sampling_probability="1/2", at_most=2),
        partial(sampled, GAUSSIAN, sampling_probability="1/2"),
        0,
    )
    yield (
        "nearly all sampled",
        partial(cut, sampling_probability=1, at_most=1),
        partial(cut, sampling_probability=1 - HAIR, at_most=1),
        10 * HAIR,
    )
    yield "a tree of one step", partial(tree_aggregation, steps=1, sigma=1), lambda: GAUSSIAN, 0
    yield "a matrix of one entry", partial(matrix_mechanism, [[1]], sigma=1), lambda: GAUSSIAN, 0


ROWS = {name: rest for name, *rest in rows()}


def asked(profile, gamma):
    found = enclosed(profile.delta(Epsilon.log(gamma), relative_width="1e-4"), F(1, 10**4))
    return found.lower, found.upper


@pytest.mark.parametrize("name", ROWS)
def test_an_end_agrees_with_its_neighborhood(name):
    at_the_end, other, within = ROWS[name]
    for gamma in (F(1), F(3, 2), F(20)):
        (low, high), (least, most) = (asked(make(), gamma) for make in (at_the_end, other))
        assert low <= most + within and least <= high + within, (
            float(gamma),
            float(low),
            float(most),
        )
