"""Section 4, Remark 1: Rényi divergences of private pairs and of shuffled outputs."""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from exactdp.claims.cases import cases
from exactdp.claims.forms import Relation, Trials, at_most, for_all
from exactdp.claims.kinds import Sort, objects, reals
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import function, term, total
from exactdp.testing import probability_vectors
from exactdp.testing.later import st
from proofs_check.erlingsson2019.trials.section_4 import AMPLIFIED, RATIOS
from proofs_check.lemmas.adaptive import SHUFFLED, outputs_law
from proofs_check.lemmas.extremal import worst_moment
from proofs_check.lemmas.quantities import LAW, SAME, is_law
from proofs_check.lemmas.sequences import two_users
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}

ORDER: Sort = reals(1)


def renyi_divergence(order: Fraction, P: Sequence[Any], Q: Sequence[Any]) -> Any:
    """Return ln Σ P^a Q^(1−a) / (a − 1), and the mean of ln(P/Q) for a = 1."""
    masses = [(u, v) for u, v in zip(P, Q, strict=True) if u > 0]
    if all(u == v for u, v in masses):
        return 0
    losses = [function("log", u / v) for u, v in masses]
    if order == 1:
        return total([u * x for (u, _), x in zip(masses, losses, strict=True)])
    powers = [
        u * function("exp", (order - 1) * x) for (u, _), x in zip(masses, losses, strict=True)
    ]
    return function("log", total(powers)) / (order - 1)


renyi = quantity("(renyi same {0} {1} {2})", name="Renyi")(renyi_divergence)


def response(x: Fraction) -> tuple[Fraction, Fraction]:
    """Return the law of randomized response, the worst e^ε-private one beside the other bit's."""
    return x / (x + 1), 1 / (x + 1)


def is_private_pair(P: Sequence[Any], Q: Sequence[Any], exp_epsilon: Any) -> bool:
    """Return whether the masses of two laws have ratios of at most e^ε."""
    return is_law(Q) and all(
        u <= exp_epsilon * v and v <= exp_epsilon * u for u, v in zip(P, Q, strict=True)
    )


def near(P: Sequence[Any]) -> Any:
    """Return a strategy for laws with the masses of P in some order, or near P."""
    other = probability_vectors(size=len(P), max_weight=4)
    return other.flatmap(
        lambda Q: st.sampled_from(
            [tuple((9 * u + v) / 10 for u, v in zip(P, Q, strict=True)), tuple(P[::-1]), Q]
        )
    )


def dp_to_rdp(exp_epsilon: Any, order: Any, P: Any, Q: Any, divide: int = 1) -> Relation:
    """The divergence of order a is at most aε²/2."""
    epsilon = function("log", exp_epsilon)
    return at_most(renyi(order, P, Q), order * epsilon**2 / (2 * divide))


TRIALS["erlingsson2019/remark-1/dp-to-rdp"] = for_all(
    cases(
        exp_epsilon=[Fraction(11, 10), Fraction(2), Fraction(10)],
        order=(1, 2, 3, 10, Fraction(3, 2)),
        P=lambda exp_epsilon: [response(exp_epsilon)],
        Q=lambda exp_epsilon: [response(exp_epsilon)[::-1]],
    ).within(
        exp_epsilon=reals(1),
        order=ORDER,
        P=LAW,
        Q=objects(
            "a law whose masses have ratios of at most e^ε to those of P",
            near,
            condition=is_private_pair,
            coq=("law A", "private_pair same exp_epsilon P {0}", SAME),
        ),
    ),
    dp_to_rdp,
    wrong=partial(dp_to_rdp, divide=4),
    proof=theorem("erlingsson2019_dp_to_rdp"),
)


@quantity("(messages_renyi same {0} {1})", name="Renyi")
def messages_renyi(order: Any, randomizers: Any, n: int, exp_epsilon0: Fraction) -> Any:
    """Return the Rényi divergence of A_sl (a number of inputs stands for the worst randomizers)."""
    if isinstance(randomizers, int):
        moment = worst_moment(
            inputs=randomizers, users=n, exp_epsilon0=exp_epsilon0, order=int(order)
        )
        return function("log", moment) / (order - 1)
    steps, data, neighbor = randomizers
    P, Q = (outputs_law(SHUFFLED, steps, d).masses for d in (data, neighbor))
    outputs = list(P)
    return renyi_divergence(order, [P[z] for z in outputs], [Q[z] for z in outputs])


def shuffled_rdp(
    n: int, exp_epsilon0: Any, order: Any, randomizers: Any, factor: Fraction | int = 2
) -> Relation:
    """It is at most 2a x⁴ (x − 1)²/n."""
    x = term(exp_epsilon0)
    found = messages_renyi(order, randomizers, n, exp_epsilon0)
    return at_most(found, factor * term(order) * x**4 * (x - 1) ** 2 / n)


TRIALS["erlingsson2019/remark-1/rdp"] = for_all(
    cases(n=(2, 3), exp_epsilon0=RATIOS, order=(2, 3, 4), randomizers=(3,))
    .then(
        cases(
            n=(2,),
            exp_epsilon0=[Fraction(3, 2)],
            order=(2,),
            randomizers=lambda exp_epsilon0: [two_users(exp_epsilon0)],
        )
    )
    .within(
        n=AMPLIFIED["n"],
        exp_epsilon0=AMPLIFIED["exp_epsilon0"],
        order=ORDER,
        randomizers=AMPLIFIED["randomizers"],
    ),
    shuffled_rdp,
    wrong=partial(shuffled_rdp, factor=Fraction(1, 500)),
    proof=theorem("erlingsson2019_rdp"),
)
