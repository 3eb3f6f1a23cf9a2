"""Abstract and Section 1."""

from fractions import Fraction
from functools import partial
from typing import Any

from exactdp.claims.cases import cases, listed
from exactdp.claims.claim import Open
from exactdp.claims.forms import (
    Relation,
    Said,
    Trials,
    at_least,
    at_most,
    below,
    for_all,
)
from exactdp.claims.kinds import integers, objects, reals
from exactdp.claims.laws import hockey_stick, shuffle_pair
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import function, named, term
from exactdp.claims.values import value
from exactdp.claims.verdicts import Falls
from exactdp.coq.values import coq_value
from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact, enclosure
from proofs_check.erlingsson2019.client import ChangeVector
from proofs_check.erlingsson2019.server import node_sum_law
from proofs_check.erlingsson2019.tree import cover_from_binary, log2_of
from proofs_check.erlingsson2019.trials.section_3 import (
    INPUTS,
    LONGER,
    client_apart,
    client_is_private,
)
from proofs_check.erlingsson2019.trials.section_4_1 import COPIED_REPORT, group_claim
from proofs_check.erlingsson2019.trials.theorem_6 import THEOREM_6
from proofs_check.erlingsson2019.trials.theorem_7_bounds import (
    BINARY,
    MANY_RANDOMIZERS,
    amplification,
    is_below_half,
)
from proofs_check.lemmas.sequences import two_users
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}


def is_polylogarithmic(cost: str, k: int = 2**20) -> Relation:
    """The ε at k changes is at most (1 + log_2 k)³ times that at one change."""
    times = {"Algorithm 1's own ε": 1, "the ε that keeps the error of Algorithm 2": k}[cost]
    return at_most(times, (1 + log2_of(k)) ** 3)


TRIALS["erlingsson2019/abstract/polylog-in-changes"] = Open(
    "the ε of Algorithm 1 does not depend on k at all, while at fixed error, which has the factor "
    "c_ε k, ε must grow in proportion to k for ε <= 1",
    ("at what error the privacy cost is counted",),
    for_all(
        cases(cost=["Algorithm 1's own ε", "the ε that keeps the error of Algorithm 2"]),
        is_polylogarithmic,
    ),
)


def any_n_bound(f: Any, *, n: Any, epsilon0: Any, delta: Any) -> Any:
    """Return the bound of the abstract with the constant 27."""
    return 27 * epsilon0 * f.sqrt(f.log(1 / delta) / n)


ANY_N, PART_OF_ANY_N = amplification(
    any_n_bound, "(fun n x d => 27 / 12 * large_bound n x d)", divide=45
)


def one_constant(C: int, n: int, exp_epsilon0: int, delta: Fraction) -> Said:
    """Say that one constant C serves all ε_0: randomized response, all others with input 0.

    Once C² ln(1/δ) < n the claimed ε is a fraction of ε_0, and as ε_0 grows the view tells
    whether the victim's input is 1.
    """
    x = Fraction(exp_epsilon0)
    epsilon = C * function("log", x) * function("sqrt", function("log", 1 / delta) / n)
    rows = [[x / (x + 1), 1 / (x + 1)], [1 / (x + 1), x / (x + 1)]]
    view = shuffle_pair(rows, inputs=(1, 0), others=[(0, n - 1)])
    return at_most(hockey_stick(view, named("e", function("exp", epsilon))), delta).given(
        [below(delta, Fraction(1, n))]
    )


TRIALS["erlingsson2019/abstract/amplification"] = {
    "a": for_all(
        cases(
            n=(1, 10, 1000, 10**6),
            exp_epsilon0=[Fraction(8, 5), Fraction(11, 10)],
            delta=[Fraction(99, 100), Fraction(1, 5), Fraction(1, 101), Fraction(1, 10**6)],
            randomizers=(BINARY,),
        )
        .then(
            cases(
                n=(2,),
                exp_epsilon0=[Fraction(11, 10)],
                delta=[Fraction(9999, 10_000)],
                randomizers=lambda exp_epsilon0: [two_users(exp_epsilon0)],
            )
        )
        .within(
            is_below_half,
            n=integers(1, draws=1),
            exp_epsilon0=reals(above=1),
            delta=reals(above=0, below=1),
            randomizers=MANY_RANDOMIZERS,
        ),
        ANY_N,
        wrong=PART_OF_ANY_N,
        proof=theorem("erlingsson2019_any_n"),
    ),
    "b": for_all(
        listed(
            {"C": 1, "n": 10, "exp_epsilon0": 10**4, "delta": Fraction(1, 100)},
            {"C": 10, "n": 1000, "exp_epsilon0": 10**30, "delta": Fraction(1, 2000)},
        ),
        one_constant,
        falls=Falls.RESULT,
    ),
}


TRIALS["erlingsson2019/section-1.2/group"] = {
    "a": group_claim(
        cases(
            n=(1000,),
            exp_epsilon0=[Fraction(8, 5), Fraction(11, 10)],
            delta=[Fraction(1, 10**4), Fraction(1, 10**6)],
            group=(5,),
        )
    ),
    "b": COPIED_REPORT,
}


def binary_bound(epsilon0: Fraction, power: int = 2) -> list[Relation]:
    """min(1, ε_0) e^{ε_0/2} and (e^{ε_0} − 1) e^{2ε_0}: less above; up to 1 of one order.

    The second is said at min(1, ε_0), which is ε_0 there.
    """
    up_to_1 = function("min", 1, epsilon0)

    def general(at: Any) -> Any:
        return (function("exp", at) - 1) * function("exp", power * term(at))

    return [
        at_least(general(epsilon0), up_to_1 * function("exp", term(epsilon0) / 2)),
        at_most(general(up_to_1), 8 * up_to_1 * function("exp", up_to_1 / 2)),
    ]


TRIALS["erlingsson2019/section-1.2/binary-bound"] = for_all(
    cases(epsilon0=[Fraction(e) for e in ("1/100", "1/2", "1", "2", "5")]).within(
        epsilon0=reals(above=0)
    ),
    binary_bound,
    wrong=partial(binary_bound, power=-1),
    proof=theorem("erlingsson2019_binary_bound"),
)


Clients = tuple[ChangeVector, ...]
"""The changes of each user."""


@quantity("(estimates_off {0:nat} {1:nat} {2} {3} {4})", name="off")
def estimates_off(
    d: int, k: int, exp_half_epsilon: Fraction, clients: Clients, allowed: Any
) -> Any:
    """Return the probability that an estimate is off by more than is allowed, over all d periods.

    Scaled by c k (log_2 d + 1). That some estimate is has at most this probability.
    """
    y, least = exp_half_epsilon, enclosure(value(term(allowed))).lower
    scale, failures = (y + 1) / (y - 1) * k * (log2_of(d) + 1), Exact(0)
    for t in range(1, d + 1):
        law = node_sum_law(clients, cover_from_binary(t), k=k, epsilon=Epsilon.log(y * y))
        true = sum(sum(x[:t]) for x in clients)
        failures += sum(
            (m for a, m in law.masses.items() if abs(scale * a - true) > least), Exact(0)
        )
    return failures


def corrected_error(
    n: Any,
    d: Any,
    k: Any,
    clients: Any,
    inputs: Any,
    exp_half_epsilon: Any,
    constant: Any = 42,
) -> list[Relation]:
    """The client is ε-private, and all estimates are off by at most 42 (ln d)² k √n/ε, but for 1/3.

    e^(ε/2) <= 5/3, and so ε <= 1; the protocol is Algorithms 1 and 2 with log_2 d + 1 levels.
    """
    logarithm, epsilon = function("log", term(d)), 2 * function("log", term(exp_half_epsilon))
    allowed = constant * logarithm * logarithm * k * function("sqrt", term(n)) / epsilon
    return [
        client_is_private(client_apart, d, k, exp_half_epsilon, inputs),
        at_most(estimates_off(d, k, exp_half_epsilon, clients, allowed), Fraction(1, 3)),
    ]


def written_clients(clients: Clients) -> str:
    """Return the changes of few users in Coq.

    Raises:
        DomainError: If there are many, all of whose reports Coq would list.
    """
    if len(clients) > 1:
        raise DomainError(f"Coq would list all that {len(clients)} users may report.")
    return coq_value("list (list Z)", clients)


CLIENTS = objects(
    "the changes of each of n users, at most k of them",
    condition=lambda n, d, k, clients: (
        len(clients) == n and all(len(x) == d and sum(map(abs, x)) <= k for x in clients)
    ),
    coq=("list (list Z)", "length {0} = n /\\ Forall (input d k) {0}", ""),
    written=written_clients,
)

TRIALS["erlingsson2019/section-1.2/frequency-error"] = {
    "a": for_all(
        cases(
            n=(2, 41),
            d=(2, 4),
            k=(1, 2),
            clients=lambda n, d: [((0,) * d,) * n, ((1, *[0] * (d - 1)),) * n],
            inputs=lambda d: [((1, *[0] * (d - 1)), (0, -1, *[0] * (d - 2)))],
            exp_half_epsilon=[Fraction(3, 2)],
        ).within(
            n=integers(1),
            d=LONGER,
            k=integers(1),
            clients=CLIENTS,
            inputs=INPUTS,
            exp_half_epsilon=reals(above=1, most=Fraction(5, 3)),
        ),
        corrected_error,
        wrong=partial(corrected_error, constant=Fraction(1, 9)),
        proof=theorem("erlingsson2019_frequency_error"),
    ),
    "b": THEOREM_6,
}
