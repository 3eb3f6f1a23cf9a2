"""The scales θ of Laplace noise that the paper publishes, as people run them.

All are for small systems whose laws are numbers: user 1 reports a value, a Bernoulli value or one
of 0, 1, d; another user, present with probability zeta, reports 1 with probability r. What each
bounds is the smallest scale of that system, computed from the two laws of the answer.

The paper has no presence in its scales, which :data:`OTHER` shows: theirs may be anything.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from exactdp.bounds import BoundedNumber, PublishedBound
from exactdp.claims.domains import Domain
from exactdp.claims.forms import above
from exactdp.claims.kinds import Sort, integers, reals
from exactdp.claims.terms import TermFunctions
from exactdp.claims.values import exact_value
from proofs_check.ding2025 import bounds
from proofs_check.ding2025.line import LinePair, Shifts
from proofs_check.ding2025.needed import (
    beside_another,
    of_absent,
    of_bernoulli,
    of_class,
    of_presence,
    of_priors,
    of_reports,
    of_three_points,
    of_two_users,
    of_values,
    pair_of,
)
from proofs_check.ding2025.stable import (
    stable_by_plan,
    stable_on_alphabet,
    stable_on_support,
    stable_presence_scale,
    stable_smallest_bernoulli_scale,
    stable_three_point_scale,
)

EPSILON: dict[str, Sort] = {"epsilon": reals(above=0)}
OTHER: dict[str, Sort] = {"r": reals(0, most=1), "zeta": reals(0, most=1)}
"""Another user reports 1 with probability r, else 0, and is present with probability zeta."""

THREE: dict[str, Sort] = {
    "d": integers(2, 50),
    "p_1": reals(0, most=1),
    "p_d": reals(0, lambda p_1: 1 - p_1),
    "q_1": reals(0, most=1),
    "q_d": reals(0, lambda q_1: 1 - q_1),
}
"""Two laws on 0, 1 and d, by their masses at 1 and at d."""

_UNITS = {
    "a": "a value of the query",
    "b": "a value of the query",
    "d": "a value of the query",
    "n": "records of the class",
    **dict.fromkeys(("p", "p_1", "p_2", "p_a", "p_b", "p_d"), "a probability"),
    **dict.fromkeys(("q", "q_1", "q_d", "r"), "a probability"),
    "zeta": "the probability that the other user is present",
    "zeta_1": "the probability that user 1 is present",
    "zeta_2": "the probability that user 2 is present",
}


def _shifted(shift: Callable[[LinePair], Any]) -> Callable[..., Any]:
    """Return θ = shift/ε of two laws on 0, 1 and d, which are read exactly."""

    def theta(f: Any, *, epsilon: Any, r: Any = 0, zeta: Any = 0, **at: Any) -> Any:
        pair = LinePair.of(*pair_of(**at), points=(0, 1, at["d"]))
        return f.constant(exact_value(shift(pair)).as_fraction()) / epsilon

    return theta


def _printed(pair: LinePair) -> Any:
    return pair.largest_shift(pair.points, over=Shifts.INTEGERS)


def _symmetric(pair: LinePair) -> Any:
    return pair.symmetric_shift(pair.points)


def _scale(
    claim: str,
    formula: Callable[..., Any],
    kinds: dict[str, Sort],
    truth: Callable[..., BoundedNumber],
    of: str,
    *hypotheses: Callable[..., Any],
    **more: Any,
) -> PublishedBound:
    """Return a scale θ of Laplace noise: that many units of the answer."""
    return PublishedBound(
        f"ding2025/{claim}",
        formula,
        Domain({**kinds, **EPSILON}, hypotheses),
        bounds="scale",
        of=f"Laplace noise that hides {of}",
        truth=truth,
        units=_UNITS,
        **more,
    )


def _alone(formula: Callable[..., Any]) -> Callable[..., Any]:
    """Return a formula that does not know the other user."""

    def scale(f: Any, *, r: Any, zeta: Any = 1, **at: Any) -> Any:
        return formula(f, **at)

    return scale


def _one_over_epsilon(f: Any, *, epsilon: Any, **_: Any) -> Any:
    return 1 / epsilon


def _largest_value(f: Any, *, a: Any, b: Any, p_a: Any, p_b: Any, epsilon: Any) -> Any:
    """Return (14) for reports a, b and 0."""
    return f.maximum(f.maximum(a, -a), f.maximum(b, -b)) / epsilon


def _two_users(one: Callable[..., Any]) -> Callable[..., Any]:
    def scale(f: Any, *, p_1: Any, p_2: Any, epsilon: Any, **_: Any) -> Any:
        return f.maximum(one(f, p=p_1, epsilon=epsilon), one(f, p=p_2, epsilon=epsilon))

    return scale


def _distance(f: Any, *, p_1: Any, p_d: Any, q_1: Any, q_d: Any) -> Any:
    """Return the total variation distance of two laws on three points."""
    sizes = [f.maximum(x, -x) for x in (p_1 - q_1, p_d - q_d, p_1 + p_d - q_1 - q_d)]
    return (sizes[0] + sizes[1] + sizes[2]) / 2


def _by_total_variation(f: Any, *, d: Any, epsilon: Any, r: Any, zeta: Any, **at: Any) -> Any:
    return bounds.total_variation_scale(f, d=d, distance=_distance(f, **at), epsilon=epsilon)


def _stably_by_total_variation(
    f: Any, *, d: Any, epsilon: Any, r: Any, zeta: Any, **at: Any
) -> Any:
    return d / f.log1p(f.expm1(epsilon) / _distance(f, **at))


def _differ(p_1: Any, p_d: Any, q_1: Any, q_d: Any) -> Any:
    return above(_distance(TermFunctions(), p_1=p_1, p_d=p_d, q_1=q_1, q_d=q_d), 0)


def _by_psi(*, of_support: bool) -> Callable[..., Any]:
    """Return (21) beside one other binary user, who reports 1 with probability r.

    On the support {0, 1} of the other's report the quotient at 0 is r/0, so that only x = 1 counts;
    on the alphabet {0, 1, 2} of X the quotient at 2 is 0.
    """

    def scale(f: Any, *, p: Any, q: Any, r: Any, epsilon: Any) -> Any:
        low, high = f.minimum(p, q), f.maximum(p, q)
        if not of_support:
            return bounds.bernoulli_replacement_scale(f, low=low, high=high, epsilon=epsilon)
        return _relaxed(f, bounds.psi_of(low=low, high=high, ratio=r / (1 - r)), epsilon)

    return scale


def _relaxed(f: Any, psi: Any, epsilon: Any) -> Any:
    return 1 / f.log(f.exp(epsilon) + (f.exp(epsilon) - 1) * psi)


def _by_plan(f: Any, *, p: Any, q: Any, r: Any, epsilon: Any) -> Any:
    """Return (20) for p > q: the plan's ratio is least at the other's 0, where Pr(x − 1) = 0."""
    return _relaxed(f, (1 - p) / (p - q), epsilon)


def _needs_noise(p: Any, q: Any, epsilon: Any) -> Any:
    f = TermFunctions()
    excess = bounds.smallest_bernoulli_excess(
        low=f.minimum(p, q), high=f.maximum(p, q), exp_epsilon=f.exp(epsilon), maximum=f.maximum
    )
    return above(excess, 0)


P: dict[str, Sort] = {"p": reals(above=0, most=1)}
ANY: dict[str, Sort] = {"p": reals(0, most=1), "q": reals(0, most=1)}
LESS: dict[str, Sort] = {"p": reals(0, below=1), "q": reals(above=lambda p: p, most=1)}
MORE: dict[str, Sort] = {"p": reals(above=0, most=1), "q": reals(0, below=lambda p: p)}
RANDOM: dict[str, Sort] = {"r": reals(above=0, below=1)}
VALUES: dict[str, Sort] = {"a": reals(), "b": reals(above=lambda a: a)}
PRIORS = "which of two laws on 0, 1, d the answer has"
OWN = "which of two laws on 0, 1, d a user's report has, beside another user"
BINARY = "whether a user's 0 or 1 is of probability p or q, beside another user"
PRESENT = "whether a user who reports 1 with probability p is there, beside another user"
READ = ("d", "p_1", "p_d", "q_1", "q_d")

BOUNDS = [
    _scale("proposition-1", _shifted(LinePair.farthest), THREE, of_priors, PRIORS, counts=READ),
    _scale(
        "theorem-1",
        _alone(bounds.distance_scale),
        {**VALUES, **OTHER},
        of_values,
        "whether a user reports a or b, beside another user",
    ),
    _scale(
        "theorem-2",
        _alone(partial(bounds.distance_scale, b=0)),
        {"a": reals(), **OTHER},
        of_absent,
        "whether a user who reports a is there, beside another user",
    ),
    _scale(
        "theorem-3/condition-13",
        _alone(bounds.three_point_scale),
        {"p_1": reals(0, below=1), "p_2": reals(above=0, most=lambda p_1: 1 - p_1), **OTHER},
        of_three_points,
        "whether a user who reports 1 or 2 with probabilities p_1, p_2, else 0, is there, "
        "beside another user",
        stable=_alone(stable_three_point_scale),
        instead="ding2025/repair/theorem-3-condition-13, where users differ",
    ),
    _scale(
        "repair/theorem-3-condition-13",
        _two_users(bounds.presence_scale),
        {
            "p_1": reals(above=0, most=1),
            "p_2": reals(above=0, most=1),
            "zeta_1": reals(0, most=1),
            "zeta_2": reals(0, most=1),
        },
        of_two_users,
        "whether either of two users is there, who report 1 with probabilities p_1, p_2",
        stable=_two_users(stable_presence_scale),
    ),
    _scale(
        "theorem-3/condition-14",
        _alone(_largest_value),
        {
            **VALUES,
            "p_a": reals(0, most=1),
            "p_b": reals(0, most=lambda p_a: 1 - p_a),
            **OTHER,
        },
        of_reports,
        "whether a user who reports a or b with probabilities p_a, p_b, else 0, is there, "
        "beside another user",
    ),
    _scale(
        "equation-15",
        _alone(bounds.presence_scale),
        {**P, **OTHER},
        of_presence,
        PRESENT,
        stable=_alone(stable_presence_scale),
    ),
    _scale(
        "section-4.3.2/one-over-epsilon", _one_over_epsilon, {**P, **OTHER}, of_presence, PRESENT
    ),
    _scale(
        "section-4.3.1/class-removal",
        lambda f, *, n, p, epsilon: bounds.presence_scale(f, p=p, epsilon=epsilon),
        {"n": integers(1), **P},
        of_class,
        "whether a class of n records is there, each 1 with probability p, by (13) for one record",
        stable=lambda f, *, n, p, epsilon: stable_presence_scale(f, p=p, epsilon=epsilon),
        counts=("n",),
        instead="ding2025/repair/class-removal#moments",
    ),
    _scale(
        "repair/class-removal#moments",
        bounds.class_scale,
        {"n": integers(1), **P},
        of_class,
        "whether a class of n records is there, each 1 with probability p",
        stable=lambda f, *, n, p, epsilon: stable_presence_scale(f, p=p, epsilon=epsilon / n),
        counts=("n",),
    ),
    _scale(
        "repair/class-removal#sizes",
        lambda f, *, n, p, epsilon: n / epsilon,
        {"n": integers(1), **P},
        of_class,
        "whether a class of n records is there, each 1 with probability p",
    ),
    _scale(
        "theorem-4",
        _shifted(_printed),
        {**THREE, **OTHER},
        beside_another,
        OWN,
        counts=READ,
        instead="ding2025/repair/theorem-4",
    ),
    _scale(
        "repair/theorem-4",
        _shifted(_symmetric),
        {**THREE, **OTHER},
        beside_another,
        OWN,
        counts=READ,
    ),
    _scale(
        "repair/theorem-4-total-variation",
        _by_total_variation,
        {**THREE, **OTHER},
        beside_another,
        OWN,
        _differ,
        stable=_stably_by_total_variation,
    ),
    _scale("lemma-5", _one_over_epsilon, {**ANY, **OTHER}, of_bernoulli, BINARY),
    _scale(
        "lemma-6/p-less-than-q#support",
        _by_psi(of_support=True),
        {**LESS, **RANDOM},
        of_bernoulli,
        f"{BINARY}: (21) over the support of the other's report",
        stable=stable_on_support,
        instead="ding2025/repair/lemma-6",
    ),
    _scale(
        "lemma-6/p-less-than-q#alphabet",
        _by_psi(of_support=False),
        {**LESS, **RANDOM},
        of_bernoulli,
        f"{BINARY}: (21) over the alphabet of the answer",
        stable=stable_on_alphabet,
        instead="ding2025/repair/lemma-6, the smallest",
    ),
    _scale(
        "lemma-6/p-greater-than-q#support",
        _by_psi(of_support=True),
        {**MORE, **RANDOM},
        of_bernoulli,
        f"{BINARY}: (21) over the support of the other's report",
        stable=stable_on_support,
        instead="ding2025/repair/lemma-6",
    ),
    _scale(
        "lemma-6/p-greater-than-q#alphabet",
        _by_psi(of_support=False),
        {**MORE, **RANDOM},
        of_bernoulli,
        f"{BINARY}: (21) over the alphabet of the answer",
        stable=stable_on_alphabet,
        instead="ding2025/repair/lemma-6, the smallest",
    ),
    _scale(
        "repair/lemma-6",
        _alone(bounds.smallest_bernoulli_scale),
        {**ANY, **OTHER},
        of_bernoulli,
        f"{BINARY}, where noise is needed at all",
        _needs_noise,
        stable=_alone(stable_smallest_bernoulli_scale),
    ),
    _scale(
        "repair/lemma-6-condition-20",
        _by_plan,
        {**MORE, **RANDOM},
        of_bernoulli,
        f"{BINARY}: by (20) and the plan's own ratio",
        stable=stable_by_plan,
    ),
    _scale(
        "proposition-2",
        _shifted(_printed),
        THREE,
        of_priors,
        PRIORS,
        counts=READ,
        instead="ding2025/repair/proposition-2",
    ),
    _scale("repair/proposition-2", _shifted(_symmetric), THREE, of_priors, PRIORS, counts=READ),
]
"""In the paper's order, with what mends a bound behind it."""
