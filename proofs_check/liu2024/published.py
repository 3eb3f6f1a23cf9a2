"""The bounds that the paper publishes, as people run them.

User 1 has ε_1, n_2 users have ε_2, and n_3 have ε_3. Theorem 2 is refuted: it is here to be told.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

from exactdp.bounds import BoundedNumber, PublishedBound, one_number
from exactdp.claims.domains import Domain
from exactdp.claims.kinds import integers, reals
from exactdp.divergences.questions import Question
from exactdp.numbers import Epsilon, Exact, enclosure
from exactdp.numbers.real_functions import evaluate
from exactdp.side import Side
from proofs_check.liu2024 import algorithms, closed_forms, needed, stable
from proofs_check.liu2024.personalized_clones import PersonalizedCountPair, personalized_clones

_UNITS = {
    "epsilon_1": "nats, of user 1",
    "epsilon_i": "nats, of another user",
    "epsilon_2": "nats, of each of n_2 users",
    "epsilon_3": "nats, of each of n_3 users",
    "n_2": "users",
    "n_3": "users",
    "sigma_1": "σ of user 1, on the clip range [0, 1]",
    "sigma_2": "σ of each of n_2 users",
    "sigma_i": "σ of another user, on the clip range [0, 1]",
    "delta_1": "a probability",
    "r_2": "the weight of each of n_2 users",
    "r_3": "the weight of each of n_3 users",
}

_ABOVE_0 = reals(above=0)
_LESS = reals(above=0, below=lambda epsilon_1: epsilon_1)


def _users(most: int | None = None, budget: Any = _LESS) -> dict[str, Any]:
    """Return two groups of users beside user 1."""
    return {
        "epsilon_1": _ABOVE_0,
        "n_2": integers(0, most),
        "epsilon_2": budget,
        "n_3": integers(0, most),
        "epsilon_3": budget,
        "epsilon": reals(0),
    }


_SIGMAS: dict[str, Any] = {
    "sigma_1": _ABOVE_0,
    "n_2": integers(0),
    "sigma_2": reals(above=lambda sigma_1: sigma_1),
    "delta_1": reals(0, below=1),
    "epsilon": reals(0),
}

Family = Callable[..., tuple[Any, list[tuple[Any, int]]]]
"""Returns w = p_1 and the p_i with their users, of a function that evaluates formulas."""


def _response(call: Any, *, epsilon_1: Any, **at: Any) -> Any:
    groups = [(call(closed_forms.response_p, epsilon=e), c) for e, c in _groups(**at)]
    return call(closed_forms.response_p, epsilon=epsilon_1), groups


def _laplace(call: Any, *, epsilon_1: Any, **at: Any) -> Any:
    groups = [
        (call(closed_forms.laplace_p_i, epsilon_1=epsilon_1, epsilon_i=e), c)
        for e, c in _groups(**at)
    ]
    return call(closed_forms.laplace_p_1, epsilon_1=epsilon_1), groups


def _gaussian(call: Any, *, sigma_1: Any, n_2: int, sigma_2: Any) -> Any:
    p = call(closed_forms.gaussian_p_i, sigma_1=sigma_1, sigma_i=sigma_2)
    return call(closed_forms.gaussian_p_1, sigma_1=sigma_1), [(p, n_2)] if n_2 else []


def _groups(*, n_2: int, epsilon_2: Any, n_3: int, epsilon_3: Any) -> list[tuple[Any, int]]:
    return [(e, c) for e, c in ((epsilon_2, n_2), (epsilon_3, n_3)) if c]


def _algorithm(family: Family, exact: Any, double: Callable[..., Any], gap: Any = None) -> Any:
    """Return an algorithm on w and the groups, for a family of users: value, program and stable.

    With ``gap``, 1 − 2w of user 1's budget or σ.
    """

    def value(*, epsilon: Fraction, delta_1: Fraction | None = None, **at: Any) -> Any:
        failing = {} if delta_1 is None else {"delta_1": delta_1}
        return exact(*family(evaluate, **at), epsilon, **failing)

    def program(f: Any, *, epsilon: float, delta_1: float | None = None, **at: Any) -> Any:
        failing = {} if delta_1 is None else {"delta_1": delta_1}
        in_doubles = family(lambda formula, **numbers: formula(f, **numbers), **at)
        return double(*in_doubles, epsilon, **failing)

    def stably(f: Any, *, epsilon: Any, delta_1: Any = Fraction(0), **at: Any) -> Any:
        def call(formula: Any, **numbers: Any) -> Any:
            return stable.FORMS.get(formula, formula)(f, **numbers)

        _, groups = family(call, **at)
        own = {name: x for name, x in at.items() if name in ("epsilon_1", "sigma_1")}
        return stable.largest(f, gap(f, **own), groups, epsilon, delta_1)

    return {"value": value, "program": program, "stable": stably if gap else None}


def _needed(truth: Callable[..., BoundedNumber]) -> Callable[..., BoundedNumber]:
    def target(*, epsilon: Fraction, epsilon_1: Fraction, **at: Any) -> BoundedNumber:
        return truth(epsilon=epsilon, groups=[(epsilon_1, 1), *_groups(**at)])

    return target


def _gaussian_needed(*, sigma_1: Fraction, n_2: int, sigma_2: Fraction, **at: Any) -> BoundedNumber:
    return needed.gaussian(epsilon=at["epsilon"], groups=[(sigma_1, 1), (sigma_2, n_2)])


def _printed(first: int) -> Any:
    """Return the algorithm at the printed t_ε."""

    def exact(*, epsilon_1: Fraction, epsilon: Fraction, **at: Any) -> Any:
        return algorithms.as_printed(epsilon_1, _groups(**at), epsilon, first=first)

    double = partial(algorithms.as_printed_in_doubles, first=first)
    return {**_algorithm(_response, None, double), "value": exact}


def _theorem_2(name: str, of: str, truth: Any, algorithm: Any, kinds: Any, **more: Any) -> Any:
    counts = tuple(x for x in ("n_2", "n_3") if x in kinds)
    return PublishedBound(
        name,
        algorithms.no_formula,
        Domain(kinds),
        bounds="delta",
        of=of,
        truth=truth,
        counts=counts,
        units=_UNITS,
        **algorithm,
        **more,
    )


_WEIGHTED: dict[str, Any] = {
    "epsilon_1": reals(0),
    "n_2": integers(0),
    "r_2": reals(0, Fraction(1, 2)),
    "n_3": integers(0),
    "r_3": reals(0, Fraction(1, 2)),
    "epsilon": reals(0),
}
"""User 1's rows are within e^ε_1 of each other; r_2 and r_3 are weights that hold."""


@lru_cache(maxsize=16)
def _weighted_pair(
    *, epsilon_1: Fraction, n_2: int, r_2: Fraction, n_3: int, r_3: Fraction
) -> PersonalizedCountPair:
    weights = [(r, count) for r, count in ((r_2, n_2), (r_3, n_3)) if count]
    algorithms.refuse_many(weights)
    return personalized_clones(Epsilon.rational(epsilon_1), weights)


def _weighted(*, epsilon: Fraction, **at: Any) -> Any:
    return _weighted_pair(**at).delta(Epsilon.rational(epsilon))


def _weighted_in_doubles(
    f: Any, *, epsilon_1: float, n_2: int, r_2: float, n_3: int, r_3: float, epsilon: float
) -> float:
    rare, g = closed_forms.response_p(f, epsilon=epsilon_1), f.exp(epsilon)
    groups = [(r, count) for r, count in ((r_2, n_2), (r_3, n_3)) if count]
    if 1 - rare <= g * rare:
        return 0.0
    return algorithms.gap_in_doubles(1 - rare - g * rare, g * (1 - rare) - rare, groups)


def _weighted_needed(*, epsilon: Fraction, **at: Any) -> BoundedNumber:
    words = "others who send the letters with exactly these, else a third (a protocol, and proved)"
    return one_number(words, Question(_weighted_pair(**at), Epsilon.rational(epsilon)))


_LARGEST = (algorithms.largest, algorithms.largest_in_doubles)
_WEIGHTS = "weights that hold message by message: liu2024/repair/theorem-2"
_OF_RESPONSE = "shuffled users of binary randomized response with budgets of their own"
_SMALL = _users(12)
"""t_ε as printed takes a number of steps that grows with the square of the users."""

DELTAS = [
    _theorem_2(
        "liu2024/theorem-2",
        f"{_OF_RESPONSE}; sums from i = 1 at the printed t_ε",
        _needed(needed.responding),
        _printed(1),
        _SMALL,
        instead="liu2024/repair/theorem-2-randomized-response",
    ),
    _theorem_2(
        "liu2024/theorem-2/t_epsilon",
        f"{_OF_RESPONSE}; sums from i = 0 at the printed t_ε",
        _needed(needed.responding),
        _printed(0),
        _SMALL,
        instead="liu2024/repair/t_epsilon",
    ),
    _theorem_2(
        "liu2024/repair/theorem-2-randomized-response",
        f"{_OF_RESPONSE}, ε_1 the largest",
        _needed(needed.responding),
        _algorithm(_response, *_LARGEST, stable.response_gap),
        _users(budget=reals(above=0, most=lambda epsilon_1: epsilon_1)),
    ),
    _theorem_2(
        "liu2024/theorem-2#laplace",
        "shuffled users of Laplace noise on [0, 1] with budgets of their own; the best t",
        _needed(needed.laplace),
        _algorithm(_laplace, *_LARGEST, stable.laplace_gap),
        _users(),
        instead=_WEIGHTS,
    ),
    _theorem_2(
        "liu2024/theorem-2#gaussian",
        "shuffled users of Gaussian noise on [0, 1] with σ of their own; the best t",
        _gaussian_needed,
        _algorithm(_gaussian, *_LARGEST, stable.gaussian_gap),
        _SIGMAS,
        instead=_WEIGHTS,
    ),
    _theorem_2(
        "liu2024/repair/theorem-2",
        "shuffled users who send each of user 1's two letters with r_2 or r_3 at least",
        _weighted_needed,
        {"value": _weighted, "program": _weighted_in_doubles, "stable": stable.weighted},
        _WEIGHTED,
    ),
    PublishedBound(
        "liu2024/repair/approximate-term",
        closed_forms.with_failure,
        Domain({"delta_1": reals(0, 1), "delta": reals(0, 1)}),
        bounds="delta",
        of="shuffled users of whom user 1 fails with δ_1, from the δ without failure",
        truth=lambda delta_1, delta: one_number(
            "a user who tells its input when it fails", Exact(delta_1 + (1 - delta_1) * delta)
        ),
        units={**_UNITS, "delta": "δ without failure"},
    ),
]


def _weight(formula: Any, words: str) -> Callable[..., BoundedNumber]:
    """Return a weight that is one number."""
    return lambda **at: one_number(words, evaluate(formula, **at))


def _gaussian_weight(*, sigma_1: Fraction, sigma_i: Fraction) -> BoundedNumber:
    """Return min_z R(x_i)(z)/(R(x_1^0)(z) + R(x_1^1)(z)) for σ_i > σ_1.

    Both laws are at most R(x_i)/κ, so it is at least κ/2; at the z where R(x_i)/R(x_1^1) is κ it is
    κ/(1 + R(x_1^0)/R(x_1^1)).
    """

    def at_least(f: Any, *, sigma_1: Any, sigma_i: Any) -> Any:
        return closed_forms.gaussian_ratio(f, sigma_1=sigma_1, sigma_i=sigma_i) / 2

    def at_most(f: Any, *, sigma_1: Any, sigma_i: Any) -> Any:
        z = sigma_i**2 / (sigma_i**2 - sigma_1**2)
        ratio = f.exp((1 - 2 * z) / (2 * sigma_1**2))
        return closed_forms.gaussian_ratio(f, sigma_1=sigma_1, sigma_i=sigma_i) / (1 + ratio)

    low, high = (
        enclosure(evaluate(form, sigma_1=sigma_1, sigma_i=sigma_i)) for form in (at_least, at_most)
    )
    return BoundedNumber(
        (("half the least ratio to one of the laws", low),), (("the ratio at one message", high),)
    )


_OF_PART = "the weight with which another user's message is one of user 1's"
_LEAST = "the least ratio over all messages (liu2024/repair/equation-4)"
_LOWER: dict[str, Any] = {"bounds": "probability", "side": Side.LOWER, "units": _UNITS}
_ANY: dict[str, Any] = {
    "domain": Domain({"epsilon": reals(0)}),
    "of": f"{_OF_PART}, any ε-private randomizer",
    "truth": _weight(
        closed_forms.clone_p,
        "1/(2e^ε): a common letter of user 1 that is e^ε times as rare for the other",
    ),
    **_LOWER,
}

WEIGHTS = [
    PublishedBound(
        "liu2024/equation-2",
        closed_forms.response_p,
        instead="liu2024/repair/equation-2",
        **_ANY,
    ),
    PublishedBound("liu2024/repair/equation-2", closed_forms.clone_p, **_ANY),
    PublishedBound(
        "liu2024/section-3.2.1/p_1#laplace",
        closed_forms.laplace_p_1,
        Domain({"epsilon_1": reals(0)}),
        of="the p of (1), Laplace noise on [0, 1]",
        truth=lambda epsilon_1: one_number(
            "1/(e^ε + 1)", evaluate(closed_forms.response_p, epsilon=epsilon_1)
        ),
        instead="1/(e^ε + 1): liu2024/equation-1",
        **_LOWER,
    ),
    PublishedBound(
        "liu2024/equation-4#laplace",
        closed_forms.laplace_p_i,
        Domain({"epsilon_1": _ABOVE_0, "epsilon_i": _LESS}),
        stable=stable.laplace_p_i,
        of=f"{_OF_PART}, Laplace noise on [0, 1], for all inputs",
        truth=_weight(closed_forms.laplace_weight, _LEAST),
        instead="liu2024/repair/equation-4",
        **_LOWER,
    ),
    PublishedBound(
        "liu2024/equation-4#gaussian",
        closed_forms.gaussian_p_i,
        Domain({"sigma_1": _ABOVE_0, "sigma_i": reals(above=lambda sigma_1: sigma_1)}),
        stable=stable.gaussian_p_i,
        of=f"{_OF_PART}, Gaussian noise on [0, 1], for all inputs",
        truth=_gaussian_weight,
        instead="liu2024/repair/equation-4",
        **_LOWER,
    ),
]

BOUNDS = [*DELTAS, *WEIGHTS]
