"""Section 2: Definition 1 and Theorem 2, advanced composition."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import chain, combinations
from typing import Any

from exactdp.accounting import compose_exactly
from exactdp.claims.cases import cases
from exactdp.claims.forms import Relation, Trials, at_most, below, equal, for_all
from exactdp.claims.kinds import integers, objects, reals
from exactdp.claims.laws import event, finite_pair, hockey_stick
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, formula, function
from exactdp.claims.verdicts import Falls
from exactdp.coq.values import coq_value
from exactdp.divergences import Pair
from exactdp.numbers import Exact, Real, certainly_below, log
from exactdp.numbers.real_functions import Bound, evaluate
from exactdp.testing.later import st
from proofs_check.erlingsson2019 import bounds
from proofs_check.lemmas.quantities import SAME, divergence
from proofs_check.lemmas.theorems import theorem
from proofs_check.lemmas.trials.divergences import laws

TRIALS: Trials = {}

Law = tuple[Fraction, ...]

RATIOS = [Fraction(v) for v in ("2", "3/2", "3", "1")]
"""Values of e^ε, simplest first."""


def most(*numbers: Any) -> Term:
    """Return the largest of terms."""
    return function("max", *numbers)


def events(size: int) -> Iterator[tuple[int, ...]]:
    """Yield all sets of outcomes."""
    yield from chain.from_iterable(combinations(range(size), r) for r in range(size + 1))


def least_delta(
    p: Law, q: Law, exp_epsilon: Fraction, chosen: Callable[[int], Iterator[tuple[int, ...]]]
) -> Term:
    """Return the least δ over the chosen sets of outcomes."""
    pair = finite_pair(p, q)
    gaps = [event(pair, "p", s) - exp_epsilon * event(pair, "q", s) for s in chosen(len(p))]
    return most(0, *gaps)


over_all_events = quantity("least_delta same {0} {1} {2}", name="delta")(
    partial(least_delta, chosen=events)
)
"""The least δ over all sets of outcomes."""


def largest_event(delta: Callable[..., Term], p: Law, q: Law, exp_epsilon: Fraction) -> Relation:
    """The least δ over events is the hockey-stick divergence."""
    return equal(delta(p, q, exp_epsilon), divergence(p, q, exp_epsilon))


def drawn_law(least: int, most: int) -> Any:
    """Return a strategy for laws on so many outcomes."""
    weights = st.lists(st.integers(0, 5), min_size=least, max_size=most).filter(any)
    return weights.map(lambda row: tuple(Fraction(w, sum(row)) for w in row))


TRIALS["erlingsson2019/definition-1"] = for_all(
    cases(p=laws(3, 3), q=laws(3, 3), exp_epsilon=RATIOS).within(
        p=objects(
            "a law on finitely many outcomes",
            lambda: drawn_law(1, 4),
            coq=("law A", "is_law {0}", SAME),
        ),
        q=objects(
            "a law on as many",
            lambda p: drawn_law(len(p), len(p)),
            condition=lambda p, q: len(p) == len(q),
            coq=("law A", "is_law {0}", SAME),
        ),
        exp_epsilon=reals(1),
    ),
    partial(largest_event, over_all_events),
    wrong=partial(
        largest_event,
        partial(least_delta, chosen=lambda size: iter((i,) for i in range(size))),
    ),
    proof=theorem("erlingsson2019_definition_1"),
)


def index(n: int, i: int) -> Relation:
    """A(x) = x_2 is private where datasets differ at index 1; for those that differ at index i?"""
    del n
    kept = finite_pair([1, 0], [1, 0] if i == 1 else [0, 1])
    return at_most(hockey_stick(kept, 2), 0)


TRIALS["erlingsson2019/definition-1/index"] = for_all(
    cases(n=(2,), i=(1, 2)), index, falls=Falls.MISPRINT
)


WORST = "worst"
"""Stands for the worst steps: they tell the data set with probability δ, and are randomized
response else; draws of these dominate every adaptive composition (Kairouz, Oh, Viswanath 2015)."""


def worst_masses(exp_epsilon: Any, delta: Any) -> tuple[list[Any], list[Any]]:
    """Return the laws of a worst step on the one data set and on the other."""
    high, low = ((1 - delta) * u / (1 + exp_epsilon) for u in (exp_epsilon, 1))
    return [delta, high, low, 0], [0, low, high, delta]


def composed(
    bound: Bound,
    steps: str,
    k: int,
    exp_epsilon: Fraction,
    delta: Fraction,
    delta_prime: Fraction,
    scale: Fraction = Fraction(1),
) -> Term:
    """Return δ(ε') of the composition (ε' scaled)."""
    assert steps == WORST
    e = exp_epsilon
    claimed = formula(bound, k=k, epsilon=function("log", e), delta=delta_prime)
    each = Pair.from_masses(*worst_masses(e, delta))
    masses = Pair.from_losses(compose_exactly([(each, k)])).masses()
    gamma = function("exp", scale * claimed)
    return hockey_stick(finite_pair(*zip(*masses, strict=True)), gamma)


COMPOSED = quantity(
    "(composed_apart same {1:nat} {0} (exp (composed_epsilon {1:nat} {2} {4})))", name="composed"
)(partial(composed, bounds.advanced_composition))

CLOSE_STEPS = objects(
    "steps on neighboring data, (ε, δ)-close whatever came before",
    lambda: st.just(WORST),
    coq=(
        "(list A -> law A) * (list A -> law A)",
        "(forall past, approximately_private same exp_epsilon delta (fst {0} past) (snd {0} past))",
        SAME,
    ),
    written=lambda exp_epsilon, delta: "({}, {})".format(
        *(f"fun _ => {coq_value('law A', x)}" for x in worst_masses(exp_epsilon, delta))
    ),
)

STEPS = [
    (Fraction(11, 10), Fraction(0)),
    (Fraction(2), Fraction(0)),
    (Fraction(3, 2), Fraction(1, 100)),
    (Fraction(101, 100), Fraction(1, 10_000)),
]
"""(e^ε, δ) of one step."""


def advanced(
    delta_of: Callable[..., Any],
    k: int,
    exp_epsilon: Fraction,
    delta: Fraction,
    delta_prime: Fraction,
    steps: Any,
) -> Relation:
    """δ of k steps at ε' is at most kδ + δ'."""
    found = delta_of(steps, k, exp_epsilon, delta, delta_prime)
    return at_most(found, k * delta + delta_prime)


TRIALS["erlingsson2019/theorem-2"] = for_all(
    cases(
        k=(1, 2, 5, 20),
        _step=STEPS,
        exp_epsilon=lambda _step: _step[:1],
        delta=lambda _step: _step[1:],
        delta_prime=[Fraction(1, 2), Fraction(1, 100), Fraction(99, 100)],
        steps=(WORST,),
    )
    .deep(k=(1, 2, 5, 20, 100, 300))
    .within(
        k=integers(1, draws=40),
        exp_epsilon=reals(1),
        delta=reals(0, below=1),
        delta_prime=reals(above=0, below=1),
        steps=CLOSE_STEPS,
    ),
    partial(advanced, COMPOSED),
    wrong=partial(advanced, partial(composed, bounds.advanced_composition, scale=Fraction(1, 10))),
    proof=theorem("erlingsson2019_theorem_2"),
)


def overhead(k: int, exp_epsilon: Fraction, delta: Fraction) -> Real | Exact:
    """Return 2ε √(2k ln(1/δ))."""
    return evaluate(bounds.overhead, k=k, epsilon=log(exp_epsilon), delta=delta)


@quantity(
    "(composed_apart same {1:nat} {0} (exp (overhead_epsilon {1:nat} {2} {3})))", name="composed"
)
def with_overhead(steps: str, k: int, exp_epsilon: Fraction, delta: Fraction) -> Term:
    """Return δ of k steps at 2ε √(2k ln(1/δ))."""
    return composed(bounds.overhead, steps, k, exp_epsilon, delta, delta)


def corollary(
    total_delta: Callable[[Any], Any], k: int, exp_epsilon: Fraction, delta: Fraction, steps: Any
) -> Relation:
    """δ of k steps at 2ε √(2k ln(1/δ)) is at most so many δ."""
    return at_most(with_overhead(steps, k, exp_epsilon, delta), total_delta(k) * delta)


TRIALS["erlingsson2019/theorem-2/corollary"] = for_all(
    cases(
        k=(1, 2, 5, 20, 50),
        exp_epsilon=[Fraction(101, 100), Fraction(11, 10), Fraction(5, 2)],
        delta=[Fraction(1, 1000), Fraction(1, 10), Fraction(1, 4)],
        steps=(WORST,),
    )
    .where(lambda k, exp_epsilon, delta: certainly_below(overhead(k, exp_epsilon, delta), Exact(1)))
    .within(
        lambda k, exp_epsilon, delta: [
            below(exp_epsilon, function("exp", 1)),
            below(
                formula(bounds.overhead, k=k, epsilon=function("log", exp_epsilon), delta=delta), 1
            ),
        ],
        k=integers(1, draws=40),
        exp_epsilon=reals(1),
        delta=reals(above=0, below=1),
        steps=CLOSE_STEPS,
    ),
    partial(corollary, lambda k: k + 1),
    wrong=partial(corollary, lambda k: 1),
    proof=theorem("erlingsson2019_theorem_2_corollary"),
)
