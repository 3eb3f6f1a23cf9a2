"""A small profile of every kind, with what is known of it by hand: for the laws that all obey."""

from exactdp.accounting import (
    LossProfile,
    compose,
    compose_certified,
    composed_randomized_response,
    from_renyi,
    from_zcdp,
    gaussian_mixture,
    group_profile,
    sampled,
)
from exactdp.accounting.accountants.privacy_loss_names import CertifiedPLD
from exactdp.accounting.sampling.random_batches import seen_mixture
from exactdp.distributions import FinitePmf
from exactdp.divergences import Largest, Pair
from exactdp.mechanisms import (
    binomial_mechanism,
    bounded_discrete_laplace_mechanism,
    bounded_laplace_mechanism,
    discrete_gaussian_mechanism,
    discrete_laplace_mechanism,
    exponential_mechanism,
    log_concave_mechanism,
    matrix_mechanism,
    modular_noise,
    noisy_max,
    partition_selection,
    rounded_noise,
    skellam_mechanism,
    thresholded,
    truncated_discrete_laplace_mechanism,
    truncated_laplace_mechanism,
)
from exactdp.numbers import Epsilon, Exact
from exactdp.pufferfish import LaplaceMixturePair, LaplaceScale
from exactdp.shuffle import (
    CountPair,
    clone_pair,
    random_allocation,
)
from tests.routes.kinds import (
    BITS,
    COIN,
    GAUSSIAN,
    LAPLACE,
    LEAKY,
    LN2,
    LN3,
    ONE,
    REAL,
    WITH_E,
    E,
    Kind,
)
from tests.routes.laws import log_logistic
from tests.routes.shuffled_kinds import SHUFFLED

__all__ = ["KINDS"]

FAILING = composed_randomized_response


def mixture(p, q):
    return LaplaceMixturePair(FinitePmf(p), FinitePmf(q), LaplaceScale.rational(1))


def law_of_max(noise, scores):
    return noisy_max(noise, scale=1).law(scores)


E2 = Exact.exp(2)
KINDS: dict[str, Kind] = {
    "losses of Laplace noise": Kind(lambda: LossProfile(LAPLACE.loss_law()), ONE),
    # Finite pairs.
    "pair": Kind(lambda: COIN, LN3, far=True),
    "pair with mass at infinity": Kind(lambda: LEAKY, LN2, far=True),
    "pair reversed": Kind(lambda: LEAKY.reversed(), Epsilon.log("7/3"), far=True),
    "pair with e": Kind(lambda: WITH_E, Epsilon.log(3 * E / (1 + E)), far=True),
    "disjoint halves": Kind(
        lambda: Pair.from_masses(["1/2", "1/2", 0], [0, "1/2", "1/2"]), Epsilon.log(1), far=True
    ),
    "losses": Kind(lambda: LEAKY.losses().self_compose(2), 2 * LN2, far=True),
    "losses of e": Kind(lambda: WITH_E.losses().self_compose(2), far=True),
    "subsampled pair": Kind(lambda: COIN.subsampled("1/2"), LN2, far=True),
    "noisy max": Kind(
        lambda: Pair.from_masses(law_of_max("laplace", [1, 0, 0]), law_of_max("laplace", [0, 0, 1]))
    ),
    "permute and flip": Kind(
        lambda: Pair.from_masses(
            law_of_max("exponential", [1, 0]), law_of_max("exponential", [0, 1])
        ),
        far=True,
    ),
    "largest": Kind(lambda: Largest((LEAKY, COIN)), LN3, far=True),
    "both directions": Kind(lambda: LEAKY.both_directions(), far=True),
    # Noise.
    "laplace": Kind(lambda: LAPLACE, ONE, far=True),
    "laplace by a real": Kind(lambda: REAL, far=True),
    "gaussian": Kind(lambda: GAUSSIAN, None),
    "matrix mechanism": Kind(lambda: matrix_mechanism([[1, 0], [1, 1]], sigma=2), None),
    "matrix between ends": Kind(
        lambda: matrix_mechanism([[1, -1, 0], [0, 1, -1], [-1, 0, 1]], sigma=2, participations=3),
        None,
        width="1e-3",
        gap="500",
    ),
    "logistic, by its density": Kind(
        lambda: log_concave_mechanism(log_logistic, steepest=1), ONE, far=True
    ),
    "sampled logistic, replaced": Kind(
        lambda: sampled(
            log_concave_mechanism(log_logistic, steepest=1),
            sampling_probability="1/10",
            neighbors="substitution",
        )
    ),
    "discrete laplace": Kind(lambda: BITS, LN2, far=True),
    "discrete laplace of 3": Kind(
        lambda: discrete_laplace_mechanism(scale=2, sensitivity=3),
        Epsilon.rational("3/2"),
        far=True,
    ),
    "discrete gaussian": Kind(lambda: discrete_gaussian_mechanism(sigma=1), None),
    "truncated laplace": Kind(
        lambda: truncated_laplace_mechanism(scale=1, radius=3), ONE, far=True
    ),
    "truncated laplace of little room": Kind(
        lambda: truncated_laplace_mechanism(scale=1, radius="3/4"),
        Epsilon.rational("1/2"),
        far=True,
    ),
    "laplace clamped": Kind(
        lambda: bounded_laplace_mechanism(upper=3, scale=1, results="clamped"), ONE, far=True
    ),
    "laplace folded": Kind(
        lambda: bounded_laplace_mechanism(upper=3, scale=1, results="folded"), far=True
    ),
    "laplace folded in no room": Kind(
        lambda: bounded_laplace_mechanism(upper=1, scale=1, results="folded"),
        Epsilon.log((E2 + 1) / (2 * E)),
        far=True,
    ),
    "laplace redrawn": Kind(
        lambda: bounded_laplace_mechanism(upper=3, scale=1, results="redrawn"), width="1e-6"
    ),
    "laplace redrawn in no room": Kind(
        lambda: bounded_laplace_mechanism(upper=1, scale=1, results="redrawn"), ONE, far=True
    ),
    "bounded laplace, folded at equal inputs": Kind(
        lambda: bounded_laplace_mechanism(upper=3, scale=1, results="folded").cases()[4].profile,
        far=True,
    ),
    "bounded laplace, redrawn at equal inputs": Kind(
        lambda: bounded_laplace_mechanism(upper=3, scale=1, results="redrawn").cases()[4].profile,
        far=True,
    ),
    "bounded discrete laplace": Kind(
        lambda: bounded_discrete_laplace_mechanism(upper=4, rate=LN2), far=True
    ),
    "binomial": Kind(lambda: binomial_mechanism(trials=3), LN3, far=True),
    "binomial of many": Kind(
        lambda: binomial_mechanism(trials=40_000, sensitivity=2), Epsilon.log(40_000 * 39_999 // 2)
    ),
    "skellam": Kind(lambda: skellam_mechanism(variance=4), None),
    "truncated discrete laplace": Kind(
        lambda: truncated_discrete_laplace_mechanism(rate=LN2, radius=4), LN2, far=True
    ),
    "difference of geometric": Kind(
        lambda: truncated_discrete_laplace_mechanism(rate=LN2, radius=4, ends="each"), far=True
    ),
    "modular": Kind(lambda: modular_noise(binomial_mechanism(trials=2), modulus=3), LN2, far=True),
    "modular skellam": Kind(
        lambda: modular_noise(skellam_mechanism(variance=4), modulus=5), width="1e-6"
    ),
    "modular discrete gaussian": Kind(
        lambda: modular_noise(discrete_gaussian_mechanism(sigma=1), modulus=5), width="1e-6"
    ),
    "modular discrete laplace": Kind(
        lambda: modular_noise(discrete_laplace_mechanism(scale=1, sensitivity=2), modulus=5),
        width="1e-6",
    ),
    # Thresholds and selections.
    "thresholded": Kind(lambda: thresholded(BITS, threshold=1), LN2, far=True),
    "thresholded laplace": Kind(lambda: thresholded(LAPLACE, threshold=4), ONE, far=True),
    "lone user": Kind(
        lambda: thresholded(LAPLACE, threshold=4).profiles[0].profiles[1],
        Epsilon.log(1),
    ),
    "partition selection": Kind(lambda: partition_selection(LN2, "1/10"), far=True),
    "selection, every size": Kind(lambda: partition_selection(LN2, "1/10").everything(), far=True),
    "exponential mechanism": Kind(lambda: exponential_mechanism(scale=2), ONE, far=True),
    "exponential mechanism beside noise": Kind(
        lambda: compose([(exponential_mechanism(scale=2), 2), (LAPLACE, 1)]),
        Epsilon.rational(3),
        width="1e-2",
    ),
    "exponential mechanisms": Kind(
        lambda: compose([(exponential_mechanism(scale=2), 3)]), Epsilon.rational(3), width="1e-2"
    ),
    # Sampled.
    "sampled laplace": Kind(
        lambda: sampled(LAPLACE, sampling_probability="1/2"), Epsilon.log((1 + E) / 2), far=True
    ),
    "sampled laplace, adding": Kind(
        lambda: sampled(LAPLACE, sampling_probability="1/2").reversed(),
        Epsilon.log(2 * E / (1 + E)),
        far=True,
    ),
    "sampled gaussian": Kind(lambda: sampled(GAUSSIAN, sampling_probability="1/10"), None),
    "sampled gaussian, adding": Kind(
        lambda: sampled(GAUSSIAN, sampling_probability="1/10").reversed(), Epsilon.log("10/9")
    ),
    "sampled laplace, replaced": Kind(
        lambda: sampled(LAPLACE, sampling_probability="1/2", neighbors="substitution"),
        ONE,
        far=True,
    ),
    "sampled laplace by a real, replaced": Kind(
        lambda: sampled(REAL, sampling_probability="1/2", neighbors="substitution"), far=True
    ),
    "sampled gaussian, replaced": Kind(
        lambda: sampled(GAUSSIAN, sampling_probability="1/10", neighbors="substitution"), None
    ),
    "batches of laplace": Kind(
        lambda: sampled(
            LAPLACE, sampling_probability="1/2", neighbors="substitution", batches="fixed_size"
        ),
        Epsilon.log((1 + E2) / 2),
        far=True,
    ),
    "sampled discrete gaussian": Kind(
        lambda: sampled(discrete_gaussian_mechanism(sigma=1), sampling_probability="1/10"), None
    ),
    "sampled discrete gaussian, adding": Kind(
        lambda: sampled(
            discrete_gaussian_mechanism(sigma=1), sampling_probability="1/10"
        ).reversed(),
        Epsilon.log("10/9"),
    ),
    "sampled discrete gaussian, replaced": Kind(
        lambda: sampled(
            discrete_gaussian_mechanism(sigma=1),
            sampling_probability="1/10",
            neighbors="substitution",
        ),
        None,
    ),
    "sampled discrete laplace": Kind(
        lambda: sampled(BITS, sampling_probability="1/2"), Epsilon.log("3/2"), far=True
    ),
    "sampled discrete laplace, replaced": Kind(
        lambda: sampled(BITS, sampling_probability="1/2", neighbors="substitution"), LN2, far=True
    ),
    "sampled binomial": Kind(
        lambda: sampled(binomial_mechanism(trials=3), sampling_probability="1/2"), LN2, far=True
    ),
    "sampled binomial, adding": Kind(
        lambda: sampled(binomial_mechanism(trials=3), sampling_probability="1/2").reversed(),
        LN2,
        far=True,
    ),
    "sampled binomial, replaced": Kind(
        lambda: sampled(
            binomial_mechanism(trials=3), sampling_probability="1/2", neighbors="substitution"
        ),
        Epsilon.log(4),
        far=True,
    ),
    "sampled skellam": Kind(
        lambda: sampled(skellam_mechanism(variance=4), sampling_probability="1/10"), None
    ),
    "sampled truncated discrete laplace": Kind(
        lambda: sampled(
            truncated_discrete_laplace_mechanism(rate=LN2, radius=4), sampling_probability="1/2"
        ),
        Epsilon.log("3/2"),
        far=True,
    ),
    "sampled truncated laplace": Kind(
        lambda: sampled(truncated_laplace_mechanism(scale=1, radius=3), sampling_probability="1/2"),
        Epsilon.log((1 + E) / 2),
        far=True,
    ),
    "sampled folded laplace": Kind(
        lambda: sampled(
            bounded_laplace_mechanism(upper=3, scale=1, results="folded"),
            sampling_probability="1/2",
        ),
        far=True,
    ),
    "sampled clones": Kind(
        lambda: sampled(clone_pair(50, LN3), sampling_probability="1/2"),
        Epsilon.log(2),
        width="1e-6",
    ),
    "sampled clones, adding": Kind(
        lambda: sampled(clone_pair(50, LN3), sampling_probability="1/2").reversed(),
        Epsilon.log("3/2"),
        width="1e-6",
    ),
    "sampled counts with mass at infinity": Kind(
        lambda: sampled(
            CountPair(4, Exact("1/2"), Exact(0), Exact("1/4")), sampling_probability="1/2"
        ),
        Epsilon.log(4),
        width="1e-6",
    ),
    "batches of a survey": Kind(
        lambda: sampled(
            LEAKY, sampling_probability="1/2", neighbors="substitution", batches="fixed_size"
        ),
        far=True,
    ),
    # One of several is drawn.
    "mixed gaussian": Kind(
        lambda: gaussian_mixture(
            sigma=1, sensitivities=[0, 1, 2], probabilities=["1/2", "1/4", "1/4"]
        ),
        None,
    ),
    "seen mixture": Kind(
        lambda: seen_mixture([(Exact("1/2"), one) for one in (LAPLACE, GAUSSIAN)]), None
    ),
    # Compositions.
    "pairs composed": Kind(lambda: compose([(LEAKY, 2), (COIN, 1)]), 2 * LN2 + LN3, far=True),
    "both directions and a pair": Kind(
        lambda: compose([(LEAKY.both_directions(), 1), (COIN, 1)]), far=True
    ),
    "steps of discrete gaussian": Kind(
        lambda: compose(
            [(sampled(discrete_gaussian_mechanism(sigma=1), sampling_probability="1/10"), 3)]
        ),
        None,
        width="1e-6",
    ),
    "randomized response": Kind(lambda: FAILING(LN3, 3), 3 * LN3, far=True),
    "a guarantee": Kind(lambda: FAILING(ONE, 1, delta0="1e-6"), ONE),
    "many guarantees": Kind(
        lambda: FAILING(Epsilon.rational(8), 1001, delta0="1/4000"), Epsilon.rational(8008)
    ),
    "copies of laplace": Kind(lambda: compose([(LAPLACE, 3)]), 3 * ONE, far=True),
    "laplace and a guarantee": Kind(
        lambda: compose([(LAPLACE, 1), (FAILING(ONE, 1, delta0="1e-6"), 1)]),
        2 * ONE,
        width="1e-3",
    ),
    "pairs on a grid": Kind(lambda: compose_certified([(LEAKY, 2)]), 2 * LN2, width="1e-6"),
    "gaussian and laplace": Kind(
        lambda: compose_certified([(GAUSSIAN, 1), (LAPLACE, 1)]), None, width="1e-3"
    ),
    "noise of long masses and a guarantee": Kind(
        lambda: compose([(binomial_mechanism(trials=300), 1), (FAILING(LN2, 1, delta0="1/9"), 1)]),
        Epsilon.log(600),
        width="1e-6",
        at=("1/10", "1/2"),
    ),
    # Groups of records.
    "group of a pair": Kind(lambda: group_profile(LEAKY.reversed(), 3), far=True),
    "group of clones": Kind(
        lambda: group_profile(clone_pair(50, LN3), 2), 2 * LN3, width="1/20", at=("0", "1/4")
    ),
    # Guarantees by Rényi divergences.
    "zcdp": Kind(lambda: from_zcdp("1/10"), None, width="1e-6", at=("1/4", "2")),
    "approximate zcdp": Kind(
        lambda: from_zcdp(1, delta="1e-3"), None, width="1e-6", at=("1/2", "4")
    ),
    "renyi curve": Kind(
        lambda: from_renyi({"3/2": "1/10", 4: 1}), None, width="1e-6", at=("1/4", "2")
    ),
    "zcdp and laplace": Kind(
        lambda: compose([(from_zcdp("1/10"), 1), (LAPLACE, 1)]),
        width="1e-3",
        gap="20",
        at=("1/4", "1"),
    ),
    "certified losses": Kind(
        lambda: CertifiedPLD.from_parts([(LEAKY, 2), (COIN, 1)]), width="1e-6"
    ),
    **SHUFFLED,
    "several chosen steps": Kind(
        lambda: random_allocation(discrete_laplace_mechanism(scale=1), steps=3, chosen=2),
        None,
        width="1e-3",
        gap="1/2",
        at=("1/4", "1"),
    ),
    # Noise that is known by its tail.
    "rounded noise": Kind(lambda: rounded_noise(GAUSSIAN), None, width="1e-6", at=("1/4", "1")),
    # Laws of data.
    "pufferfish": Kind(
        lambda: mixture({0: "1/2", 1: "1/2"}, {0: 1}), Epsilon.log((1 + E) / 2), far=True
    ),
    "pufferfish of points": Kind(lambda: mixture({1: 1}, {0: 1}), ONE, far=True),
}
