"""Section 4: the steps of the proof of Theorem 8: one step of A_swap after its outputs so far.

x = e^{ε_0}; n users; T is the swapped position given the outputs, p = Pr[T = i], μ the law of the
next output, μ_0 that law given T ≠ i.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from exactdp.claims.cases import cases
from exactdp.claims.claim import Open
from exactdp.claims.forms import Relation, Trials, at_most, differs, equal, for_all
from exactdp.claims.kinds import Objects, Sort, integers, objects, reals
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, function, term, total, when
from exactdp.claims.values import exact_value
from exactdp.claims.verdicts import Falls
from exactdp.coq.values import coq_value
from exactdp.distributions import FinitePmf
from exactdp.divergences import Pair
from exactdp.errors import DomainError
from exactdp.mechanisms import randomized_response
from exactdp.numbers import Epsilon, Exact, enclosure, exp
from exactdp.numbers.balls import endpoints
from exactdp.testing.later import st
from proofs_check.erlingsson2019.swaps import (
    SwapRun,
    largest_probability,
    largest_step_divergence,
    likelihoods,
)
from proofs_check.erlingsson2019.trials.theorem_8 import FEW, RATIOS, SWAPPING
from proofs_check.lemmas.adaptive import AdaptiveRandomizers, swapped_data
from proofs_check.lemmas.quantities import EVENT, SAME
from proofs_check.lemmas.sequences import two_users, written_swapping
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}


@st.composite
def drawn_run(draw: st.DrawFn, n: int, exp_epsilon0: Fraction, step: int = 1) -> SwapRun:
    """Return a strategy for a possible history of adaptive randomizers, with neighboring data."""
    at = {"n": n, "exp_epsilon0": exp_epsilon0}
    randomizers, data, neighbor = draw(SWAPPING.strategy(at))
    outputs = st.tuples(*[st.integers(0, 1)] * (step - 1))
    history = draw(outputs.filter(lambda s: any(likelihoods(randomizers, data, s))))
    return SwapRun(randomizers, tuple(data), tuple(neighbor), history)


WITH_DATA = f"{SAME} {{X : Type}}"


def runs(step: str) -> Objects:
    """Return A_swap on neighboring data and the outputs before a step, as a kind.

    They stand behind n, exp_epsilon0 and, if there is one, step; a number is the worst ones on so
    many inputs.
    """
    return objects(
        "adaptive e^ε0-DP randomizers of n users, with neighboring data and the outputs so far",
        drawn_run,
        condition=lambda run, step=1: isinstance(run, int) or len(run.history) == step - 1,
        coq=(
            "swap_step X A",
            f"has_earlier same exp_epsilon0 {step} {{0}}",
            WITH_DATA,
        ),
        written=lambda run: written_run(run),
    )


def written_run(run: Any) -> str:
    """Return A_swap and the outputs so far, the last one first, as ``swap_step`` of Coq.

    Raises:
        DomainError: If it is a number, which stands for the worst ones on so many inputs.
    """
    if not isinstance(run, SwapRun):
        raise DomainError(f"{run!r} stands for many randomizers, data and outputs")
    swapping = written_swapping((run.randomizers, run.data, run.neighbor))
    return f"(Build_swap_step X A {swapping} {coq_value('list A', run.history[::-1])})"


def two_steps(exp_epsilon0: Fraction, history: tuple[int, ...] = ()) -> SwapRun:
    """Return two users, the second of whom sees the first one's output."""
    randomizers, data, neighbor = two_users(exp_epsilon0)
    return SwapRun(randomizers, tuple(data), tuple(neighbor), history)


USERS: dict[str, Sort] = {"n": integers(2, draws=2), "exp_epsilon0": reals(above=1)}
FIRST: dict[str, Sort] = {**USERS, "run": runs("1")}
AT_STEP: dict[str, Sort] = {**FEW, "step": integers(1, lambda n: n), "run": runs("step")}
LATER: dict[str, Sort] = {**AT_STEP, "step": integers(2, lambda n: n)}
TWO_AT_FIRST = cases(
    n=(2,),
    exp_epsilon0=[Fraction(3, 2)],
    run=lambda exp_epsilon0: [two_steps(exp_epsilon0)],
)
TWO_LATER = cases(
    n=(2,),
    exp_epsilon0=[Fraction(3, 2)],
    step=(2,),
    run=lambda exp_epsilon0: [two_steps(exp_epsilon0, (0,))],
)


def ternary(n: int, x: Fraction, *others: int, history: tuple[int, ...] = ()) -> SwapRun:
    """Return n users of 3-ary randomized response, the first of whom has 0 or 1."""
    randomizers = AdaptiveRandomizers((randomized_response(3, Epsilon.log(x)),) * n)
    return SwapRun(randomizers, (0, *others), (1, *others), history)


# --- p, and the law of the next output ------------------------------------------------------


@quantity("(position_next same {1:nat} {0} {2:nat})", name="p")
def position(run: Any, n: int, side: int, exp_epsilon0: Fraction, step: int = 1) -> Any:
    """Pr[T = i | Z_1, ..., Z_(i−1)]."""
    if isinstance(run, int):
        return largest_probability(inputs=run, users=n, step=step, exp_epsilon0=exp_epsilon0)
    return run.step(side).index_law[len(run.history)]


def happens(law: FinitePmf[int], event: Any) -> Exact:
    """Return the probability of an event."""
    return sum((law[y] for y in event if y in law.masses), Exact(0))


@quantity("prob {3} (law_elsewhere same {1:nat} {0} {2:nat})", name="Pr_0")
def elsewhere(run: SwapRun, n: int, side: int, event: Any) -> Exact:
    """Return the probability of an event under μ_0."""
    del n
    return happens(run.step(side).law_elsewhere, event)


def not_elsewhere(run: SwapRun, n: int, side: int, event: Any) -> Exact:
    """Return the probability of an event under μ."""
    del n
    return happens(run.step(side).law, event)


def independent(at: Callable[..., Any], n: int, run: Any, event: Any) -> list[Relation]:
    """The law given T ≠ i is that on the neighbor."""
    return [equal(*(at(run, n, side, event) for side in (0, 1)))]


def independent_at_first(
    at: Callable[..., Any], n: int, exp_epsilon0: Any, run: Any, event: Any
) -> list[Relation]:
    """And p = 1/n at the first step."""
    uniform = [equal(position(run, n, side, exp_epsilon0), 1 / term(n)) for side in (0, 1)]
    return [*independent(at, n, run, event), *uniform]


SOME_EVENT = replace(EVENT, coq=("A -> bool", "", WITH_DATA))
EVENTS = [(), (0,), (1,), (2,), (0, 1)]

TRIALS["erlingsson2019/theorem-8/proof/case-1/mu0"] = for_all(
    cases(
        n=(2, 3),
        exp_epsilon0=RATIOS,
        _others=lambda n: product(range(3), repeat=n - 1),
        run=lambda n, exp_epsilon0, _others: [ternary(n, exp_epsilon0, *_others)],
        event=EVENTS,
    ).within(**FIRST, event=SOME_EVENT),
    partial(independent_at_first, elsewhere),
    wrong=partial(independent_at_first, not_elsewhere),
    proof=theorem("erlingsson2019_first_elsewhere"),
)


def below_exp(epsilon: Any) -> Fraction:
    """Return a rational just below e^ε, or e^64 if that is less: D there is at least D at e^ε."""
    return enclosure(exp(Exact(min(epsilon, 64))), relative_bits=80).lower


def not_above(gamma: Any) -> Fraction:
    """Return a factor, or a rational just below it where it is e^ε."""
    if isinstance(gamma, Exact):
        if gamma.is_rational:
            return gamma.as_fraction()
        most = below_exp(64)
        return most if gamma >= most else Fraction(endpoints(gamma.ball(128))[0])
    if not isinstance(gamma, Term):
        return Exact(gamma).as_fraction()
    assert gamma.head == "exp"
    return below_exp(exact_value(gamma.parts[0]).as_fraction())


def apart(P: FinitePmf[int], Q: FinitePmf[int], gamma: Any) -> Exact:
    """Return D of two laws at a factor."""
    return Pair.from_pmfs(P, Q).delta(Epsilon.log(not_above(gamma)))


def law_beside(order: int) -> Callable[..., Any]:
    """Return D of μ and μ_0, or of μ_0 and μ."""

    def found(run: SwapRun, n: int, gamma: Any) -> Exact:
        del n
        step = run.step(0)
        both = step.law, step.law_elsewhere
        return apart(*(both if order == 0 else both[::-1]), gamma)

    return found


_LAWS = "(next_law same {1:nat} {0} 0)", "(law_elsewhere same {1:nat} {0} 0)"
BESIDE = tuple(
    quantity(f"hockey_stick same {P} {Q} {{2}}", name="D")(law_beside(order))
    for order, (P, Q) in enumerate((_LAWS, _LAWS[::-1]))
)


def both_ways(epsilon: Callable[..., Any], n: int, exp_epsilon0: Any, run: Any) -> list[Relation]:
    """The divergences are 0 at an ε of n and x."""
    gamma = function("exp", epsilon(n, exp_epsilon0))
    return [at_most(D(run, n, gamma), 0) for D in BESIDE]


TRIALS["erlingsson2019/theorem-8/proof/case-1/first-step"] = {
    "a": for_all(
        cases(
            n=(2, 3, 4),
            exp_epsilon0=RATIOS,
            _others=lambda n: product(range(3), repeat=n - 1),
            run=lambda n, exp_epsilon0, _others: [ternary(n, exp_epsilon0, *_others)],
        ).within(**FIRST),
        partial(both_ways, lambda n, x: (x - 1) / n),
        wrong=partial(both_ways, lambda n, x: (x - 1) / n / 4),
        proof=theorem("erlingsson2019_first_step"),
    ),
    "b": Open("taken as e^(ε_0) it is reading a", ("what the symbol e^ε with index 0 stands for",)),
}


@quantity("(steps_apart same {1:nat} {0} {2})", name="D")
def steps_apart(run: Any, n: int, gamma: Any, exp_epsilon0: Fraction, step: int = 1) -> Any:
    """Return the largest D of the laws of B^(i) on datasets that differ at index 1."""
    if isinstance(run, int):
        return largest_step_divergence(
            inputs=run,
            users=n,
            step=step,
            exp_epsilon0=exp_epsilon0,
            exp_epsilon=not_above(gamma),
        )
    return apart(run.step(0).law, run.step(1).law, gamma)


def first_private(epsilon: Callable[..., Any], n: int, exp_epsilon0: Any, run: Any) -> Relation:
    """The first step is private."""
    gamma = function("exp", epsilon(n, exp_epsilon0))
    return at_most(steps_apart(run, n, gamma, exp_epsilon0), 0)


TRIALS["erlingsson2019/theorem-8/proof/case-1/conclusion"] = for_all(
    cases(n=(2, 3, 4), exp_epsilon0=RATIOS, run=(3,)).then(TWO_AT_FIRST).within(**FIRST),
    partial(first_private, lambda n, x: 2 * (x - 1) / n),
    wrong=partial(first_private, lambda n, x: (x - 1) / n / 2),
    proof=theorem("erlingsson2019_first_private"),
)

TRIALS["erlingsson2019/theorem-8/proof/case-2/mu0"] = for_all(
    cases(
        n=(2, 3),
        exp_epsilon0=RATIOS,
        step=lambda n: [n],
        _others=lambda n: product(range(3), repeat=n - 1),
        run=lambda n, exp_epsilon0, _others: [
            ternary(n, exp_epsilon0, *_others, history=(1,) * (n - 1))
        ],
        event=EVENTS,
    ).within(**LATER, event=SOME_EVENT),
    partial(independent, elsewhere),
    wrong=partial(independent, not_elsewhere),
    proof=theorem("erlingsson2019_later_elsewhere"),
)

# --- which position it is -------------------------------------------------------------------


def two_positions(end: Callable[[int, int], int], n: int, i: int, j: int) -> Term:
    """Return at how many of the first positions σ_i(D) and σ_j(D) differ for distinct elements."""
    a, b = (swapped_data(tuple(range(n)), index - 1) for index in (i, j))
    both = zip(a[: end(n, i)], b[: end(n, i)], strict=True)
    return total([when("=", u, v, 0, 1) for u, v in both])


def at_most_two(differing: Callable[..., Any], n: int, i: int, j: int) -> Relation:
    """They differ at two at most."""
    return at_most(differing(n, i, j), 2)


SWAPS = (
    cases(n=range(2, 7), i=lambda n: range(1, n + 1), j=lambda n: range(1, n + 1))
    .where(lambda i, j: i != j)
    .within(
        lambda i, j: differs(i, j), n=integers(2), **dict.fromkeys("ij", integers(1, lambda n: n))
    )
)
AMONG_ALL = partial(at_most_two, partial(two_positions, lambda n, i: n))

TRIALS["erlingsson2019/theorem-8/proof/two-positions"] = {
    "a": for_all(SWAPS, AMONG_ALL, falls=Falls.STEP),
    "b": for_all(
        SWAPS,
        partial(
            at_most_two,
            quantity(
                "INR (positions_apart ({1:nat} - 1) ({2:nat} - 1) ({1:nat} - 1))", name="apart"
            )(partial(two_positions, lambda n, i: i - 1)),
        ),
        wrong=AMONG_ALL,
        proof=theorem("erlingsson2019_two_positions"),
    ),
}


@quantity("(given_position same {0} {1:nat})", name="likelihood")
def given_position(run: SwapRun, j: int) -> Exact:
    """Pr[Z_1, ..., Z_(i−1) | T = j]."""
    return likelihoods(run.randomizers, run.data, run.history)[j - 1]


@quantity("(of_earlier same {1:nat} {0})", name="mean_likelihood")
def of_earlier(run: SwapRun, n: int) -> Exact:
    """Pr[Z_1, ..., Z_(i−1)]."""
    return sum(likelihoods(run.randomizers, run.data, run.history), Exact(0)) / n


def likelihood_ratio(
    n: int, exp_epsilon0: Any, step: int, run: Any, j: int, power: int = 2
) -> list[Relation]:
    """The likelihood given T = i is at most x² times that given T = j, and the mean."""
    here, most = given_position(run, step), term(exp_epsilon0) ** power
    return [at_most(here, most * given_position(run, j)), at_most(here, most * of_earlier(run, n))]


TRIALS["erlingsson2019/theorem-8/proof/likelihood-ratio"] = for_all(
    cases(
        n=(2, 3, 4),
        exp_epsilon0=RATIOS,
        step=lambda n: [n],
        run=lambda n, exp_epsilon0: [
            ternary(n, exp_epsilon0, *others, history=(0, 1, 1)[: n - 1])
            for others in product(range(2), repeat=n - 1)
        ],
        j=lambda n: range(1, n + 1),
    ).within(**LATER, j=integers(1, lambda n: n)),
    likelihood_ratio,
    wrong=partial(likelihood_ratio, power=1),
    proof=theorem("erlingsson2019_likelihood_ratio"),
)


def p_bound(n: int, exp_epsilon0: Any, step: int, run: Any, power: int = 2) -> Relation:
    """p <= x²/n."""
    return at_most(position(run, n, 0, exp_epsilon0, step), term(exp_epsilon0) ** power / n)


TRIALS["erlingsson2019/theorem-8/proof/p-bound"] = for_all(
    cases(n=(2, 3, 4), exp_epsilon0=RATIOS, step=lambda n: range(2, n + 1), run=(3,))
    .deep(n=(2, 3, 4, 5))
    .then(TWO_LATER)
    .within(**LATER),
    p_bound,
    wrong=partial(p_bound, power=0),
    proof=theorem("erlingsson2019_p_bound"),
)


@quantity("eps1 {0:nat} {1}", name="ε_1")
def epsilon1(n: int, exp_epsilon0: Any) -> Any:
    """Return 2 x² (x − 1)/n."""
    return 2 * exp_epsilon0**2 * (exp_epsilon0 - 1) / n


def step_private(
    epsilon: Callable[..., Any], n: int, exp_epsilon0: Any, step: int, run: Any
) -> Relation:
    """B^(i) is private at index 1."""
    gamma = function("exp", epsilon(n, exp_epsilon0))
    return at_most(steps_apart(run, n, gamma, exp_epsilon0, step), 0)


TRIALS["erlingsson2019/theorem-8/proof/epsilon1"] = for_all(
    cases(n=(2, 3, 4), exp_epsilon0=RATIOS, step=lambda n: range(1, n + 1), run=(3,))
    .deep(n=(2, 3, 4, 5))
    .then(TWO_LATER)
    .within(**AT_STEP),
    partial(step_private, epsilon1),
    wrong=partial(step_private, lambda n, x: (x - 1) / n / 4),
    proof=theorem("erlingsson2019_step_private"),
)
