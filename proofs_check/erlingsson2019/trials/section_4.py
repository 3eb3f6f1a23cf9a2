"""Section 4: Theorem 7, the text around it, and Remark 1, over all randomizers for small n."""

from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from functools import partial
from itertools import permutations, product
from typing import Any

from exactdp.claims.cases import cases
from exactdp.claims.domains import Domain
from exactdp.claims.forms import (
    Relation,
    Said,
    Trials,
    above,
    at_most,
    equal,
    for_all,
)
from exactdp.claims.kinds import Objects, Sort, integers, objects, reals
from exactdp.claims.laws import finite_pair, hockey_stick
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import formula, function, term
from exactdp.claims.verdicts import Falls
from exactdp.distributions import FinitePmf
from exactdp.mechanisms import Randomizer, randomized_response
from exactdp.numbers import Epsilon, Exact, enclosure, exp, log
from exactdp.numbers.real_functions import Bound, evaluate
from exactdp.testing import neighboring_datasets, probability_vectors
from exactdp.testing.later import st
from proofs_check.erlingsson2019 import bounds
from proofs_check.lemmas.adaptive import (
    IN_ORDER,
    SHUFFLED,
    SWAPPED,
    AdaptiveRandomizers,
    Order,
    outputs_law,
    pair_of,
    shuffled_outputs_law,
    swapped_data,
)
from proofs_check.lemmas.drawn import adaptive_randomizers
from proofs_check.lemmas.extremal import worst_divergence
from proofs_check.lemmas.quantities import SAME
from proofs_check.lemmas.sequences import (
    two_users,
    written_protocol,
    written_set,
    written_steps,
    written_swapping,
)
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}


OPEN_TYPES = "{A : Type} {X : Type}"
"""The types of outcomes and of data, in Coq."""

DATA = objects(
    "the values of n users, 0 or 1",
    lambda n: st.tuples(*[st.integers(0, 1)] * n),
    condition=lambda n, data: len(data) == n and {*data} <= {0, 1},
    coq=("list X", "length {0} = n", OPEN_TYPES),
)
RANDOMIZER = objects(
    "a local randomizer, a law of outputs for each value",
    lambda: st.tuples(*[probability_vectors(size=2, max_weight=3)] * 2),
    coq=("X -> law A", "", OPEN_TYPES),
)
OUTPUTS = objects(
    "a set of sequences of outputs, the last output first",
    lambda n: st.sets(st.tuples(*[st.integers(0, 1)] * n), max_size=3).map(tuple),
    coq=("list A -> bool", "", OPEN_TYPES),
    written=lambda event: written_set(event),
)

Rows = tuple[tuple[Fraction, ...], ...]
Event = Collection[tuple[int, ...]]


def probability_of(law: FinitePmf[tuple[int, ...]], event: Event) -> Exact:
    """Return the probability of sequences of outputs, the last output first."""
    return sum((law[order[::-1]] for order in event), Exact(0))


def alike(randomizer: Rows, data: tuple[int, ...], others: Rows | None = None) -> Any:
    """Return one randomizer for all users, or for the first one."""
    one, rest = (Randomizer.from_matrix(rows) for rows in (randomizer, others or randomizer))
    return AdaptiveRandomizers((one, *[rest] * (len(data) - 1)))


@quantity("prob {2} (shuffled (alike {1} {0}) {0})", name="Pr_sl")
def shuffled_data(data: tuple[int, ...], randomizer: Rows, event: Event) -> Exact:
    """Return the probability where the data are shuffled, then randomized."""
    return probability_of(outputs_law(SHUFFLED, alike(randomizer, data), data), event)


def posted_by(others: Rows | None, data: tuple[int, ...], randomizer: Rows, event: Event) -> Exact:
    """Return the probability where the data are randomized, then the outputs are shuffled."""
    law = shuffled_outputs_law(alike(randomizer, data, others), data)
    orders = {order: len({*permutations(order)}) for order in event}
    return sum((law[tuple(sorted(order))] / n for order, n in orders.items()), Exact(0))


def order_of_shuffling(
    posted: Callable[..., Any], data: tuple[int, ...], randomizer: Rows, event: Event
) -> Relation:
    """A_sl and A_post have one law of outputs, for a single fixed randomizer."""
    return equal(shuffled_data(data, randomizer, event), posted(data, randomizer, event))


TRIALS["erlingsson2019/section-4/shuffle-order"] = for_all(
    cases(
        n=(2, 3),
        data=lambda n: product(range(2), repeat=n),
        randomizer=[tuple(map(tuple, randomized_response(2, Epsilon.log(x)).rows)) for x in (2, 3)],
        event=lambda n: [(order,) for order in product(range(2), repeat=n)],
    ).within(n=integers(1, draws=2), data=DATA, randomizer=RANDOMIZER, event=OUTPUTS),
    partial(
        order_of_shuffling,
        quantity("prob {2} (posted (alike {1} {0}) {0})", name="Pr_post")(partial(posted_by, None)),
    ),
    wrong=partial(order_of_shuffling, partial(posted_by, ((Fraction(1, 2),) * 2,) * 2)),
    proof=theorem("erlingsson2019_shuffle_order"),
)


@quantity("prob {2} (drawn {1} {0} [])", name="Pr_drawn")
def drawn_in_turn(data: tuple[int, ...], randomizers: AdaptiveRandomizers, event: Event) -> Exact:
    """Return the probability where each step's element is drawn uniformly from those left."""
    return probability_of(outputs_law(SHUFFLED, randomizers, data), event)


def ordered(
    orders: Callable[[tuple[int, ...]], list[tuple[int, ...]]],
    data: tuple[int, ...],
    randomizers: AdaptiveRandomizers,
    event: Event,
) -> Exact:
    """Return the probability where the order of the data is one of these, then A_local is run."""
    laws = [outputs_law(IN_ORDER, randomizers, order) for order in orders(data)]
    return probability_of(FinitePmf.mixture([Exact(1) / len(laws)] * len(laws), laws), event)


def algorithm_4(
    permuted: Callable[..., Any],
    data: tuple[int, ...],
    randomizers: AdaptiveRandomizers,
    event: Event,
) -> Relation:
    """The text's A_sl (with A^(i) at step i) is Algorithm 4: A_local on permuted data."""
    return equal(drawn_in_turn(data, randomizers, event), permuted(data, randomizers, event))


def looking_back(n: int) -> list[AdaptiveRandomizers]:
    """Return n steps of which the second depends on the first output."""
    flat, steep = (["1/2", "1/2"], ["1/3", "2/3"]), (["1/4", "3/4"], ["1/2", "1/2"])
    a, b = (Randomizer.from_matrix(rows) for rows in (flat, steep))
    steps: list[Randomizer | Mapping[tuple[int, ...], Randomizer]] = [a, {(0,): b, (1,): a}]
    return [AdaptiveRandomizers((*steps, *[b] * (n - 2)))]


TRIALS["erlingsson2019/theorem-7/z_i"] = for_all(
    cases(
        n=(3,),
        data=list(product(range(2), repeat=3)),
        randomizers=looking_back,
        event=[(order,) for order in product(range(2), repeat=3)],
    )
    .then(cases(n=(2,), data=[(0, 1)], randomizers=looking_back, event=[((0, 1),)]))
    .within(
        n=integers(1, draws=3),
        data=DATA,
        randomizers=objects(
            "local randomizers of n steps, that may depend on earlier outputs",
            lambda n: adaptive_randomizers(steps=n, rows=2, columns=2, max_ratio=Fraction(3)),
            condition=lambda n, randomizers: len(randomizers) == n,
            coq=("list (list A -> X -> law A)", "length {0} = n", OPEN_TYPES),
            written=lambda randomizers: written_steps(randomizers),
        ),
        event=OUTPUTS,
    ),
    partial(
        algorithm_4,
        quantity("prob {2} (shuffled {1} {0})", name="Pr_sl")(
            partial(ordered, lambda data: list(permutations(data)))
        ),
    ),
    wrong=partial(algorithm_4, partial(ordered, lambda data: [data])),
    proof=theorem("erlingsson2019_algorithm_4"),
)

RATIOS = [Fraction(2), Fraction(3, 2), Fraction(11, 10)]
DELTAS = [Fraction(1, 2), Fraction(99, 100), Fraction(1, 100)]


def amplified(bound: Bound, divide: int, **at: Any) -> Fraction:
    """Return a rational just below e^ε of a bound: δ there is at least δ(ε)."""
    epsilon = evaluate(
        bound, **{name: Exact(v) if name != "epsilon0" else v for name, v in at.items()}
    )
    return enclosure(exp(epsilon / divide), relative_bits=80).lower


def delta_at(
    bound: Bound,
    algorithm: Order,
    randomizers: Any,
    n: int,
    exp_epsilon0: Fraction,
    delta: Fraction,
    divide: int = 1,
) -> Any:
    """Return D of an algorithm's outputs at a bound (see :func:`sequence_of`)."""
    x = exp_epsilon0
    if n * (2 * x * x * (x - 1) / n) ** 2 >= x * divide:  # and ε is above n ε_1²
        return 0
    gamma = amplified(bound, divide, n=n, epsilon0=log(x), delta=delta)
    if gamma >= x:  # nothing is left
        return 0
    if isinstance(randomizers, int):
        return worst_divergence(
            inputs=randomizers, users=n, exp_epsilon0=x, exp_epsilon=gamma, algorithm=algorithm
        )
    masses = pair_of(algorithm, *randomizers).masses()
    claimed = formula(bound, n=n, epsilon0=function("log", x), delta=delta)
    return hockey_stick(finite_pair(*zip(*masses, strict=True)), function("exp", claimed / divide))


def sequence_of(algorithm: Order, coq: tuple[str, str, str]) -> Objects:
    """Return sequences of adaptive e^ε0-DP randomizers with neighboring data, as a kind.

    They stand behind n and exp_epsilon0; a number is the worst ones on so many inputs. For
    A_swap the first element is the one that differs.
    """

    @st.composite
    def drawn(draw: st.DrawFn, n: int, exp_epsilon0: Fraction) -> Any:
        steps = draw(adaptive_randomizers(steps=n, rows=3, columns=2, max_ratio=exp_epsilon0))
        data, neighbor = draw(neighboring_datasets(inputs=3, min_users=n, max_users=n))
        if algorithm is SWAPPED:
            place = next(i for i in range(n) if data[i] != neighbor[i])
            data, neighbor = (swapped_data(d, place) for d in (data, neighbor))
        return steps, data, neighbor

    written = written_swapping if algorithm is SWAPPED else written_protocol
    return objects(
        "adaptive e^ε0-DP randomizers of n users, with neighboring data",
        drawn,
        coq=coq,
        written=lambda randomizers: written(randomizers),
    )


RANDOMIZERS = sequence_of(
    SHUFFLED,
    (
        "protocol X A",
        "users {0} = n /\\ length (steps {0}) = n "
        "/\\ Forall (private_after same (ln exp_epsilon0)) (steps {0})",
        f"{SAME} {{X : Type}}",
    ),
)
AMPLIFIED: dict[str, Sort] = {
    "n": integers(2, draws=1),
    "exp_epsilon0": reals(above=1),
    "delta": reals(above=0, most=1),
    "randomizers": RANDOMIZERS,
}
SMALL_CASES = cases(
    n=(2, 3),
    exp_epsilon0=[*RATIOS, Fraction(101, 100)],
    delta=DELTAS,
    randomizers=(3,),
).deep(n=(2, 3, 4))
TWO_USERS = cases(
    n=(2,),
    exp_epsilon0=[Fraction(11, 10)],
    delta=[Fraction(99, 100)],
    randomizers=lambda exp_epsilon0: [two_users(exp_epsilon0)],
)

shuffled_delta = quantity(
    "(messages_apart same {0} (exp (general_bound {1:nat} {2} {3})))", name="shuffled"
)(partial(delta_at, bounds.general_bound, SHUFFLED))


def general(
    at_bound: Callable[..., Any], n: int, exp_epsilon0: Any, delta: Any, randomizers: Any
) -> Relation:
    """D of the outputs at the bound is at most δ."""
    return at_most(at_bound(randomizers, n, exp_epsilon0, delta), delta)


TRIALS["erlingsson2019/theorem-7/general"] = for_all(
    SMALL_CASES.then(TWO_USERS).within(**AMPLIFIED),
    partial(general, shuffled_delta),
    wrong=partial(general, partial(delta_at, bounds.general_bound, SHUFFLED, divide=50)),
    proof=theorem("erlingsson2019_theorem_7"),
)


def no_amplification(n: int, epsilon0: Fraction, delta: Fraction, factor: int = 1) -> Said:
    """The general bound is above ε_0 (times a factor)."""
    bound = formula(bounds.general_bound, n=n, epsilon0=epsilon0, delta=delta)
    return above(bound, factor * epsilon0).given(lambda: [large_epsilon0(n, epsilon0)])


USERS = {
    "n": integers(2),
    "epsilon0": reals(above=0),
    "delta": reals(above=0, most=lambda n: 1 / n),
}


def large_epsilon0(n: Any, epsilon0: Any) -> Relation:
    """Return the hypothesis ε_0 > ln(n/2)/3."""
    return above(3 * epsilon0, function("log", term(n) / 2))


def is_large(n: int, epsilon0: Fraction) -> bool:
    """Return whether it certainly holds."""
    return large_epsilon0(n, epsilon0).holds()


TRIALS["erlingsson2019/section-4/no-amplification"] = {
    "a": for_all(
        cases(
            n=(2, 3, 4, 5, 10, 100, 10**6),
            epsilon0=[Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(9, 2)],
            delta=lambda n: [Fraction(1, n), Fraction(1, n**3)],
        )
        .where(is_large)
        .within(large_epsilon0, **USERS)
        .drawn(Domain({**USERS, "epsilon0": reals(above=0, most=9)}, (large_epsilon0,)).strategy),
        no_amplification,
        wrong=partial(no_amplification, factor=20),
        proof=theorem("erlingsson2019_no_amplification"),
    ),
    "b": for_all(
        cases(
            n=(2, 3, 4, 5, 10),
            epsilon0=[Fraction(1, 10), Fraction(1, 4), Fraction(1, 2), Fraction(1)],
            delta=[Fraction(1, 2), Fraction(19, 20), Fraction(1, 10)],
        ).where(is_large),
        no_amplification,
        falls=Falls.REMARK,
    ),
}


def sampled_step(left: int, exp_epsilon0: Fraction, factor: Fraction = Fraction(1)) -> Relation:
    """The worst output of a step: the others' mean mass is 1, the element's x against 1."""
    x = exp_epsilon0
    return at_most((left - 1 + x) / left, function("exp", factor * (x - 1) / left))


TRIALS["erlingsson2019/section-4/step-i"] = for_all(
    cases(left=(1, 2, 3, 10), exp_epsilon0=RATIOS).within(
        left=integers(1), exp_epsilon0=reals(above=1)
    ),
    sampled_step,
    wrong=partial(sampled_step, factor=Fraction(1, 3)),
    proof=theorem("erlingsson2019_step_i"),
)
