"""A small profile of every kind of shuffled users and of batches, with what is known of it."""

from exactdp.accounting import (
    compose,
    dp_sgd,
)
from exactdp.divergences import add_or_remove
from exactdp.mechanisms import (
    Randomizer,
    laplace_mechanism,
)
from exactdp.numbers import Epsilon, Exact
from exactdp.shuffle import (
    CountPair,
    Hidden,
    HiddenVictim,
    MultiMessageUsers,
    MultiMessageVictim,
    MultisetLaw,
    Named,
    Sandwich,
    ScoreSum,
    Users,
    Victim,
    blanket_decomposition,
    blanket_pair,
    clone_pair,
    multi_message_view,
    random_allocation,
    shuffle_view,
    shuffle_worst_case,
    stronger_clone_pair,
    variation_ratio_pair,
)
from exactdp.shuffle.at_scale.hidden_curves import largest_curve
from exactdp.shuffle.noise_reports import NoiseBlanket
from tests.routes.kinds import COIN, HALF, LEAKY, LEAKY_ROWS, LN2, LN3, RR, RR3, UNEVEN, Kind

__all__ = ["SHUFFLED"]

TRUE, LIE = Exact("3/4"), Exact("1/4")
BINARY_SUMS = tuple(
    ScoreSum((TRUE, LIE), (LIE, TRUE), ((row, 9),)) for row in ((TRUE, LIE), (LIE, TRUE))
)
MANY_RATIOS = [(Exact(2 * i + 1) / 400, Exact("1/20"), Exact("1/20")) for i in range(20)]


def view(victim, *others):
    return shuffle_view(victim, list(others))


def messages():
    first, same = (
        MultisetLaw.from_masses({(1, 0): p, (1, 1): q}) for p, q in (("3/4", "1/4"),) * 2
    )
    other = MultisetLaw.from_masses({(1, 0): "1/4", (1, 1): "3/4"})
    return multi_message_view(MultiMessageVictim(first, other), [MultiMessageUsers(same, 2)])


SHUFFLED: dict[str, Kind] = {
    "view": Kind(lambda: view(Victim(HALF, (0, 1)), Users(HALF, 1, 3)), far=True),
    "view of several messages": Kind(messages, far=True),
    "view of a blanket": Kind(lambda: blanket_decomposition(RR3).blanket_view(n=3), far=True),
    "view at scale": Kind(
        lambda: view(Victim(HALF, (0, 1)), Users(HALF, 1, 3)).at_scale(), Epsilon.log(1)
    ),
    "view of bare messages at scale": Kind(
        lambda: view(Victim(HALF, (0, 1)), Users(HALF, 0, 3)).at_scale(), LN2
    ),
    "sum of scores": Kind(
        lambda: view(Victim(RR, (0, 1)), Users(RR, 0, 2), Users(RR, 1, 2)).at_scale(), LN3
    ),
    "view between bounds": Kind(
        lambda: view(Victim(RR3, (0, 1)), Users(RR3, 0, 2), Users(RR3, 1, 2)).at_scale(),
        width="1e-3",
        gap="2",
    ),
    "blanket": Kind(lambda: blanket_pair(4, RR3, inputs=(0, 1)), LN3, width="1e-6"),
    "blanket of two inputs": Kind(
        lambda: blanket_pair(4, UNEVEN, inputs=(0, 1)), LN2, width="1e-6"
    ),
    "blanket with mass at infinity": Kind(
        lambda: blanket_pair(4, LEAKY_ROWS, inputs=(0, 1)), LN2, width="1e-6"
    ),
    "blanket of all inputs": Kind(lambda: blanket_pair(3, UNEVEN), LN3, width="1e-6"),
    "counts": Kind(lambda: CountPair(4, Exact("3/4"), Exact("1/4"), Exact("1/4")), LN3),
    "counts with mass at infinity": Kind(
        lambda: CountPair(4, Exact("1/2"), Exact(0), Exact("1/4")), Epsilon.log(7)
    ),
    "counts of certain letters": Kind(
        lambda: CountPair(5, Exact(1), Exact(0), Exact("1/3")), Epsilon.log(4)
    ),
    "counts of the victim alone": Kind(
        lambda: CountPair(3, Exact("1/2"), Exact(0), Exact(0)), Epsilon.log(1)
    ),
    "clones": Kind(lambda: clone_pair(50, LN3), LN3),
    "stronger clones": Kind(lambda: stronger_clone_pair(50, LN3), LN3),
    "variation ratio": Kind(lambda: variation_ratio_pair(20, p=3, beta=Exact("1/2"), q=3), LN3),
    "add or remove": Kind(lambda: add_or_remove(LEAKY), far=True),
    "shuffled batches": Kind(
        lambda: dp_sgd(noise_multiplier=1, sampling_probability="1/2", steps=2, batches="shuffled"),
        None,
        width="1e-2",
        gap="9",
    ),
    "largest curve": Kind(lambda: largest_curve(BINARY_SUMS)),
    "hidden among many ratios": Kind(
        lambda: HiddenVictim(201, Hidden.of(MANY_RATIOS)), width="1e-3", at=("1/8",)
    ),
    "worst case": Kind(lambda: shuffle_worst_case(3, RR), LN3, width="1e-3", gap="1/4"),
    "worst case with mass at infinity": Kind(
        lambda: shuffle_worst_case(3, Randomizer.from_matrix([["1/2", "1/2", 0], [0, 1, 0]])),
        width="1e-3",
    ),
    "reports with noise": Kind(
        lambda: shuffle_worst_case(2, laplace_mechanism(scale=2)),
        Epsilon.rational("1/2"),
        width="1/20",
        gap="1/4",
    ),
    "blanket of noise": Kind(
        lambda: NoiseBlanket(laplace_mechanism(scale=2), 2),
        Epsilon.rational("1/2"),
        width="1/20",
    ),
    "between itself": Kind(
        lambda: Sandwich((Named("below", LEAKY),), (Named("above", LEAKY),)), LN2, width="1e-6"
    ),
    "allocation": Kind(lambda: random_allocation(COIN, steps=3), LN3, far=True),
    "allocation of noise": Kind(
        lambda: random_allocation(laplace_mechanism(scale=2), steps=2),
        Epsilon.rational("1/2"),
        width="1/20",
    ),
    "two views by enclosures": Kind(
        lambda: compose([(view(Victim(RR, (0, 1)), Users(RR, 1, 3)).at_scale(), 2)]),
        width="1/20",
        at=("0", "1/2", "1"),
    ),
}
