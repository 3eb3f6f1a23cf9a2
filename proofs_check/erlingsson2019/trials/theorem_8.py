"""Section 4: Theorem 8 and its proof: the steps of A_swap, over all randomizers for small n.

Every local randomizer is post-processing of one with extremal columns, so a maximum over
these is one over all. x = e^{ε_0}; n users; T is the swapped position given the outputs.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product

from exactdp.audit.algebra import follows
from exactdp.claims.cases import cases, listed
from exactdp.claims.claim import Open, Outcome
from exactdp.claims.domains import Sort, integers, reals
from exactdp.claims.forms import Relation, Trials, at_most, decided, differs, for_all
from exactdp.claims.proofs import lemma, proof, words
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import function, term
from exactdp.claims.verdicts import Falls
from exactdp.mechanisms import randomized_response
from exactdp.numbers import Epsilon, Exact
from proofs_check.erlingsson2019 import bounds
from proofs_check.erlingsson2019.steps import LOG_BELOW, SAMPLED_STEP
from proofs_check.erlingsson2019.swaps import largest_probability, largest_step_ratio, swap_step
from proofs_check.erlingsson2019.trials.section_4 import (
    AMPLIFIED,
    SMALL_CASES,
    delta_at,
    general,
    sequence_of,
    values,
)
from proofs_check.lemmas.adaptive import SWAPPED, AdaptiveRandomizers, swapped_data
from proofs_check.lemmas.quantities import SAME
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}

swapped_delta = quantity(
    "(swapped_apart same {1:nat} {0} (exp (general_bound {1:nat} {2} {3})))", name="swapped"
)(partial(delta_at, bounds.general_bound, SWAPPED))

SWAPPING = sequence_of(
    SWAPPED,
    (
        "swapping X A",
        "private_after same (ln exp_epsilon0) (randomizer {0})",
        f"{SAME} {{X : Type}}",
    ),
)

TRIALS["erlingsson2019/theorem-8"] = for_all(
    SMALL_CASES.within(**{**AMPLIFIED, "randomizers": SWAPPING}),
    partial(general, swapped_delta),
    wrong=partial(general, partial(delta_at, bounds.general_bound, SWAPPED, divide=50)),
    proof=theorem("erlingsson2019_theorem_8"),
)

RATIOS = [Fraction(2), Fraction(3), Fraction(3, 2)]

FEW: dict[str, Sort] = {"n": integers(2, draws=1), "exp_epsilon0": reals(above=1)}
STEPS = (
    cases(n=(2, 3, 4), exp_epsilon0=RATIOS, step=lambda n: range(1, n + 1))
    .deep(n=(2, 3, 4, 5))
    .within(**FEW, step=integers(1, lambda n: n))
)


def step_claim(
    claimed: Callable[[int, Fraction], Fraction], n: int, step: int, exp_epsilon0: Fraction
) -> Relation:
    """The largest ratio of the laws of B^(i) on datasets that differ at index 1."""
    ratio = largest_step_ratio(inputs=3, users=n, step=step, exp_epsilon0=exp_epsilon0)
    return at_most(ratio, function("exp", claimed(n, exp_epsilon0)))


def last_step_ratio(n: int, exp_epsilon0: Fraction) -> Relation:
    """The ratio at step n, for 3-ary randomized response, against e^{2x(x−1)/n}.

    D = (2, 1, ..., 1, 0) and D' = (0, 1, ..., 1, 0), after the outputs (0, 1, ..., 1), at the
    output 2; Pr[s | I = j] in units of the smallest, for I = 1, I = n and the n − 2 others.
    """
    x = term(exp_epsilon0)
    one, last, middle = x ** (n - 2), x ** (n - 1), (n - 2) * x ** (n - 3)
    ratio = (one + last * x + middle) / (one + last + middle)
    return at_most(ratio, function("exp", 2 * x * (x - 1) / n))


def b_i(n: int, step: int, exp_epsilon0: Fraction) -> Relation:
    """B^(i) is 2x(x−1)/n-DP at index 1: all randomizers for few users, then one."""
    if n == step and n > 10:
        return last_step_ratio(n, exp_epsilon0)
    return step_claim(lambda n, x: 2 * x * (x - 1) / n, n, step, exp_epsilon0)


TRIALS["erlingsson2019/theorem-8/proof/B-i"] = for_all(
    STEPS.then(listed({"n": 37, "step": 37, "exp_epsilon0": Fraction(10, 3)})),
    b_i,
    falls=Falls.MISPRINT,
)


def ternary(n: int, x: Fraction) -> AdaptiveRandomizers:
    """Return n users of 3-ary randomized response."""
    return AdaptiveRandomizers((randomized_response(3, Epsilon.log(x)),) * n)


def elsewhere(
    first: int, given: str, n: int, exp_epsilon0: Fraction, data: tuple[int, ...]
) -> Outcome:
    """The laws of an output given T ≠ i are those on the neighbor, and p = 1/n at i = 1."""
    history = [] if first else [1] * (n - 1)
    one, two = (swap_step(ternary(n, exp_epsilon0), [x, *data[1:]], history) for x in (0, 1))
    same = getattr(one, given) == getattr(two, given)
    here = [step.index_law[len(history)] for step in (one, two)]
    uniform = not first or set(here) == {Exact(1) / n}
    return decided(same and uniform, f"p = {here[0]}")


USERS: dict[str, Sort] = {"n": integers(2, draws=2), "exp_epsilon0": reals(above=1)}

NEIGHBORS = cases(
    n=(2, 3),
    exp_epsilon0=RATIOS,
    data=lambda n: [(0, *others) for others in product(range(3), repeat=n - 1)],
).within(**USERS, data=values(3))

FROM_OTHERS = proof(
    words("given T != i the input of step i is x_T or x_i, not x_1; T is uniform at i = 1"),
)

TRIALS["erlingsson2019/theorem-8/proof/case-1/mu0"] = for_all(
    NEIGHBORS,
    partial(elsewhere, 1, "law_elsewhere"),
    wrong=partial(elsewhere, 1, "law"),
    proof=FROM_OTHERS,
)

MIXED = (
    follows(
        "mu <= (1 + p (x - 1)) mu_0 for mu = (1-p) mu_0 + p mu_1, by mu_1 <= x mu_0; p = 1/(1+r)",
        "a u t r",
        lambda a, u, t, r: (1 + t / (1 + r)) * a - (r * a + u) / (1 + r),
        lambda a, u, t, r: [(1 / (1 + r), (1 + t) * a - u)],
    ),
    follows(
        "mu_0 <= (1 + p (x - 1)) mu, by mu_0 <= x mu_1",
        "a u t r",
        lambda a, u, t, r: (1 + t / (1 + r)) * (r * a + u) / (1 + r) - a,
        lambda a, u, t, r: [
            ((1 + r + t) / ((1 + r) ** 2 * (1 + t)), (1 + t) * u - a),
            (r * t * t / ((1 + r) ** 2 * (1 + t)), a),
        ],
    ),
    LOG_BELOW,
)
"""μ and μ_0 are p (x − 1)-close; μ_0 is the mean of laws that are ε_0-close to μ_1, or one."""


def first_step(
    n: int, exp_epsilon0: Fraction, data: tuple[int, ...], factor: Fraction = Fraction(1)
) -> list[Relation]:
    """μ_0 and μ at i = 1 are (x − 1)/n-close, for 3-ary randomized response."""
    x = exp_epsilon0
    step = swap_step(ternary(n, x), list(data), [])
    claimed = function("exp", factor * (x - 1) / n)
    pairs = [(step.law[y], step.law_elsewhere[y]) for y in range(3)]
    return [at_most(max(u / v, v / u), claimed) for u, v in pairs]


TRIALS["erlingsson2019/theorem-8/proof/case-1/first-step"] = {
    "a": for_all(
        cases(n=(2, 3, 4), exp_epsilon0=RATIOS, data=lambda n: product(range(3), repeat=n)).within(
            **USERS, data=values(3)
        ),
        first_step,
        wrong=partial(first_step, factor=Fraction(1, 4)),
        proof=proof(*MIXED),
    ),
    "b": Open("the symbol e^eps with index 0 has no meaning in the paper"),
}

TRIALS["erlingsson2019/theorem-8/proof/case-1/conclusion"] = for_all(
    cases(n=(2, 3, 4), exp_epsilon0=RATIOS).within(**USERS),
    partial(step_claim, lambda n, x: 2 * (x - 1) / n, step=1),
    wrong=partial(step_claim, lambda n, x: (x - 1) / n / 2, step=1),
    proof=proof(SAMPLED_STEP, LOG_BELOW),
)

TRIALS["erlingsson2019/theorem-8/proof/case-2/mu0"] = for_all(
    NEIGHBORS,
    partial(elsewhere, 0, "law_elsewhere"),
    wrong=partial(elsewhere, 0, "law"),
    proof=FROM_OTHERS,
)

TWO_POSITIONS = proof(words("only positions 1, i and j are touched, and i is not below i"))


def two_positions(end: Callable[[int, int], int], n: int, i: int, j: int) -> Relation:
    """σ_i(D) and σ_j(D) differ in at most two of the first positions, all elements different."""
    a, b = (swapped_data(tuple(range(n)), index - 1) for index in (i, j))
    apart = sum(u != v for u, v in zip(a[: end(n, i)], b[: end(n, i)], strict=True))
    return at_most(apart, 2)


SWAPS = (
    cases(n=range(2, 7), i=lambda n: range(1, n + 1), j=lambda n: range(1, n + 1))
    .where(lambda i, j: i != j)
    .within(
        lambda i, j: differs(i, j), n=integers(2), **dict.fromkeys("ij", integers(1, lambda n: n))
    )
)
AMONG_ALL = partial(two_positions, lambda n, i: n)

TRIALS["erlingsson2019/theorem-8/proof/two-positions"] = {
    "a": for_all(SWAPS, AMONG_ALL, falls=Falls.STEP),
    "b": for_all(
        SWAPS, partial(two_positions, lambda n, i: i - 1), wrong=AMONG_ALL, proof=TWO_POSITIONS
    ),
}

LATER = STEPS.where(lambda step: step > 1).within(**FEW, step=integers(2, lambda n: n))


def p_bound(n: int, step: int, exp_epsilon0: Fraction, power: int = 2) -> Relation:
    """p <= x²/n, the largest over all data, randomizers and histories."""
    p = largest_probability(inputs=3, users=n, step=step, exp_epsilon0=exp_epsilon0)
    return at_most(p, exp_epsilon0**power / n)


LIKELIHOOD = proof(
    lemma(
        "erlingsson2019/theorem-8/proof/two-positions",
        TWO_POSITIONS,
        "(b): the inputs of the first i-1 steps given T = i and T = j differ in at most two",
    ),
    words(
        "given T the likelihood of s is the product over steps of masses of s_k, so those given "
        "T = i and T = j differ by at most x^2; average over j"
    ),
)

P_BOUND = for_all(LATER, p_bound, wrong=partial(p_bound, power=0), proof=LIKELIHOOD)

TRIALS["erlingsson2019/theorem-8/proof/likelihood-ratio"] = P_BOUND

TRIALS["erlingsson2019/theorem-8/proof/p-bound"] = P_BOUND

EPSILON_1 = proof(
    lemma("erlingsson2019/theorem-8/proof/p-bound", LIKELIHOOD, "p, p' <= x^2/n"),
    *MIXED,
    words("mu_0 = mu_0' given T != i, so mu and mu' are 2 x^2 (x-1)/n-close by way of it"),
)

TRIALS["erlingsson2019/theorem-8/proof/epsilon1"] = for_all(
    STEPS,
    partial(step_claim, lambda n, x: 2 * x**2 * (x - 1) / n),
    wrong=partial(step_claim, lambda n, x: (x - 1) / n / 4),
    proof=EPSILON_1,
)
