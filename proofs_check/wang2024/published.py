"""The bounds that the paper publishes, as people run them.

Theorems 1 to 3 and Lemma 3 are refuted: they are here to be told. λ_k is ``rate``.
"""

from fractions import Fraction
from typing import Any

from exactdp.bounds import PublishedBound, one_number
from exactdp.claims.domains import Domain
from exactdp.claims.forms import above, at_least
from exactdp.claims.kinds import integers, reals
from exactdp.numbers import Exact
from exactdp.side import Side
from proofs_check.lemmas.counted import counted
from proofs_check.wang2024 import algorithms, bounds, needed

_UNITS = {
    "s": "items a user, or entries",
    "d": "items in the domain",
    "m": "blanket messages a user",
    "slots": "⌈m⌉, the most blanket messages a user",
    "rate": "λ_k, a probability",
    "rate_1": "λ_1, a probability",
    "rate_2": "λ_2, a probability",
    "n_1": "users of level 1",
    "n_2": "users of level 2",
    "beta": "a total variation",
    "gamma": "how likely a slot sends",
    "w": "how frequent an item is",
    "steps": "halvings",
}

_SLOTS = {**_UNITS, "n": "blanket slots"}

_S = integers(1, 64)
"""Items a user: the theorem has any number, of which a sum of so many powers is computed."""

_VARIATION: dict[str, Any] = {
    "p": reals(above=1),
    "beta": reals(0, lambda p: (p - 1) / (p + 1)),
    "q": reals(1),
}
_GAMMA = reals(0, 1)
_EPSILON = reals(0)
_DELTA = reals(above=0, below=1)


def _has_room(q: Any, beta: Any) -> Any:
    """Others' laws exist only with q >= 1 + β."""
    return at_least(q, 1 + beta)


_PROCEDURE: dict[str, Any] = {
    "n": integers(1),
    "d": integers(2),
    "rate": reals(0, 1),
    "gamma": _GAMMA,
    "epsilon": _EPSILON,
}
_AGGREGATION: dict[str, Any] = {
    "n": integers(1),
    "s": _S,
    "d": integers(lambda s: s + 1),
    "m": reals(above=0),
    "rate": reals(0, 1),
    "epsilon": _EPSILON,
}
_BUDGET: dict[str, Any] = {**_AGGREGATION, "delta": _DELTA, "steps": integers(1, 60)}
del _BUDGET["rate"]
_LEVEL = {name: _BUDGET[name] for name in ("n", "s", "d", "epsilon", "delta")}

_OF_VICTIM = "a victim of the (p, β)-variation among n − 1 others of the q-ratio"
_OF_SLOTS = "one message of the (p, β)-variation among n blanket slots of the q-ratio"

_ITEM: dict[str, Any] = {
    "domain": Domain(_PROCEDURE),
    "of": "one item, sent with λ_k among n blanket slots (procedure H)",
    "truth": needed.procedure,
    "units": _SLOTS,
}
_USER: dict[str, Any] = {
    "domain": Domain(_AGGREGATION),
    "of": "a user of s items in Algorithm 2 (n users)",
    "truth": needed.aggregated,
    "counts": ("n", "s", "d"),
    "units": _UNITS,
}

_FOUR = "four counts, with what is left over: wang2024/repair/theorem-1 (shuffle.HiddenVictim)"

PRIVACY = [
    PublishedBound(
        "wang2024/lemma-1",
        bounds.grouped_delta,
        Domain({"s": integers(1), "epsilon": _EPSILON, "delta": reals(0, 1)}),
        bounds="delta",
        of="s entries of an (ε, δ)-private protocol, at s·ε",
        truth=needed.group,
        stable=bounds.grouped_delta_stably,
        units=_UNITS,
    ),
    counted(
        "wang2024/theorem-1",
        algorithms.reduction,
        domain=Domain({"n": integers(1), **_VARIATION, "epsilon": _EPSILON}, (_has_room,)),
        of=_OF_VICTIM,
        truth=needed.reduced("epsilon"),
        units=_UNITS,
        instead=_FOUR,
    ),
    PublishedBound(
        "wang2024/equation-1",
        bounds.amplified_epsilon,
        Domain({"n": integers(1), **_VARIATION, "delta": _DELTA}, (_has_room,)),
        bounds="epsilon",
        of=f"{_OF_VICTIM}, with 1 for the constant of O(.)",
        stable=bounds.amplified_epsilon_stably,
        truth=needed.reduced("delta"),
        units=_UNITS,
        instead=_FOUR,
    ),
    algorithms.placed(
        "wang2024/theorem-2",
        algorithms.one_more,
        algorithms.slotted,
        domain=Domain(
            {"n": integers(1), **_VARIATION, "gamma": _GAMMA, "epsilon": _EPSILON}, (_has_room,)
        ),
        of=_OF_SLOTS,
        truth=needed.reduced("epsilon", more=1),
        counts=("n",),
        units=_SLOTS,
        instead="four counts and the number of messages: wang2024/repair/theorem-2",
    ),
    counted(
        "wang2024/lemma-3",
        algorithms.poisson,
        instead="wang2024/repair/lemma-3/coin-told",
        **_ITEM,
    ),
    algorithms.placed(
        "wang2024/repair/lemma-3/coin-told",
        algorithms.one_more,
        algorithms.told,
        counts=("n",),
        **_ITEM,
    ),
    PublishedBound(
        "wang2024/section-5.1.3/group-step",
        bounds.grouped_delta,
        Domain({"s": _S, "epsilon": _EPSILON, "delta": reals(0, 1)}),
        bounds="delta",
        of="a user's s items, each (ε, δ)-private, at s·ε",
        truth=needed.grouped,
        stable=bounds.grouped_delta_stably,
        units=_UNITS,
    ),
    PublishedBound(
        "wang2024/section-5.1.3/group-step#allowed-delta",
        bounds.allowed_delta,
        Domain({"s": _S, "epsilon": _EPSILON, "delta": _DELTA}),
        bounds="delta",
        of="one entry, with which s entries have (ε, δ): the right side of (7)",
        truth=needed.item_budget,
        side=Side.LOWER,
        units=_UNITS,
    ),
    algorithms.placed(
        "wang2024/theorem-3",
        algorithms.of_users,
        algorithms.grouped,
        instead="wang2024/repair/theorem-3",
        **_USER,
    ),
    algorithms.placed(
        "wang2024/repair/theorem-3",
        algorithms.of_users_and_victim,
        algorithms.chained,
        **_USER,
    ),
    PublishedBound(
        "wang2024/theorem-3#rate",
        algorithms.no_formula,
        Domain(_BUDGET),
        bounds="probability",
        of="the λ_k with which Algorithm 2 is (ε, δ)-private: binary search of (7)",
        truth=needed.largest_rate_needed,
        side=Side.LOWER,
        counts=("n", "s", "d", "steps"),
        program=algorithms.largest_rate_in_doubles,
        stable=algorithms.largest_rate_stably,
        value=algorithms.largest_rate_in,
        units=_UNITS,
        instead="the λ_k that wang2024/repair/theorem-3 allows",
    ),
    PublishedBound(
        "wang2024/section-5.2/m_k",
        algorithms.no_formula,
        Domain(_LEVEL),
        bounds="messages",
        of="the blanket with which λ_k = 1 is (ε, δ)-private: search of (7)",
        truth=needed.messages_needed,
        counts=("n", "s", "d"),
        program=algorithms.least_messages_in_doubles,
        value=algorithms.least_messages_in,
        units=_UNITS,
        instead="the m that wang2024/repair/theorem-3 allows",
    ),
]

_SURVEY: dict[str, Any] = {
    "s": integers(1),
    "d": integers(lambda s: s),
    "slots": integers(1),
    "m": reals(above=lambda slots: slots - 1, most=lambda slots: slots),
    "n_1": integers(1),
    "n_2": integers(0),
    "rate_1": reals(0, 1),
    "rate_2": reals(0, 1),
}


def _is_heard(n_1: Any, n_2: Any, rate_1: Any, rate_2: Any) -> Any:
    """Return the estimate divides by Σ_k n_k λ_k."""
    return above(n_1 * rate_1 + n_2 * rate_2, 0)


def _parts(at: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of a line of Section 5.2: two levels of users, w_j = s/d."""
    n_1, n_2, s, d = (at[name] for name in ("n_1", "n_2", "s", "d"))
    levels = ((n_1, at["rate_1"]), (n_2, at["rate_2"]))
    first, second = (
        n * d * bounds.user_signal_variance(None, w=s / d, rate=rate) for n, rate in levels
    )
    return {
        "n": n_1 + n_2,
        "signal": n_1 * at["rate_1"] + n_2 * at["rate_2"],
        "signal_variance": first + second,
        **{name: at[name] for name in ("m", "slots", "d", "s")},
    }


def _line(bound: Any, names: str) -> Any:
    """Return a line as a formula of the survey's numbers."""

    def formula(f: Any, **at: Any) -> Any:
        parts = _parts(at)
        return bound(f, **{name: parts[name] for name in names.split()})

    return formula


def _stably(name: str) -> Any:
    """Return a line for doubles, its products p (1 - p) without a difference; None for a sum."""
    if name.endswith("line-3"):
        return None

    def form(f: Any, **at: Any) -> Any:
        n, m, d, s, slots = (_parts(at)[x] for x in ("n", "m", "d", "s", "slots"))
        levels = ((at["n_1"], at["rate_1"]), (at["n_2"], at["rate_2"]))
        first, second = (x * s * r * (((d - s) + s * (1 - r)) / d) for x, r in levels)
        blanket = n * m
        if "line-1" in name:
            one = bounds.blanket_slot_variance_stably(f, m=m, slots=slots, d=d)
            blanket = (d if "inside" in name else 1) * d * n * slots * one
        variance = first + second + blanket
        return variance / _parts(at)["signal"] ** 2 if name.startswith("mse") else variance

    return form


def _error_line_1(f: Any, **at: Any) -> Any:
    """Return line 1 of the error, of the variance that is in line 1."""
    variance = _line(bounds.variance_line_1_outside, "n m slots d signal_variance")(f, **at)
    return bounds.error_line_1(f, variance=variance, signal=_parts(at)["signal"])


def _variance(**at: Any) -> Any:
    return one_number(
        "the counts' variance, all items as likely", Exact(needed.counts_variance(**at))
    )


def _error(*, n_1: int, n_2: int, rate_1: Fraction, rate_2: Fraction, **at: Any) -> Any:
    levels: dict[str, Any] = {"n_1": n_1, "n_2": n_2, "rate_1": rate_1, "rate_2": rate_2}
    signal = n_1 * rate_1 + n_2 * rate_2
    variance = needed.counts_variance(**levels, **at)
    return one_number("the error, all items as likely", Exact(variance / Fraction(signal) ** 2))


_LINES = [
    (
        "variance-chain/line-1#outside",
        bounds.variance_line_1_outside,
        "n m slots d signal_variance",
    ),
    ("variance-chain/line-1#inside", bounds.variance_line_1_inside, "n m slots d signal_variance"),
    ("variance-chain/line-2", bounds.variance_line_2, "n m signal_variance"),
    ("variance-chain/line-3", bounds.variance_line_3, "n m s signal"),
]
_ERRORS = [
    ("mse-chain/line-1", None, ""),
    ("mse-chain/line-2", bounds.error_line_2, "n m signal signal_variance"),
    ("mse-chain/line-3", bounds.error_line_3, "n m s signal"),
]

UTILITY = [
    PublishedBound(
        "wang2024/section-4.3/expected-m",
        lambda f, *, slots, m: slots * (m / slots),
        Domain({name: _SURVEY[name] for name in ("slots", "m")}),
        bounds="messages",
        of="the blanket of a user, in expectation: ⌈m⌉ coins of m/⌈m⌉",
        truth=lambda slots, m: one_number("m", Exact(m)),
        units=_UNITS,
    ),
    PublishedBound(
        "wang2024/section-5.2/signal-variance",
        bounds.user_signal_variance,
        Domain({"w": reals(0, 1), "rate": reals(0, 1)}),
        bounds="variance",
        of="what a user of level k adds to the count of an item",
        stable=bounds.user_signal_variance_stably,
        truth=lambda w, rate: one_number("a coin of w λ_k", Exact(w * rate * (1 - w * rate))),
        units=_UNITS,
    ),
    PublishedBound(
        "wang2024/section-5.2/blanket-variance",
        bounds.blanket_slot_variance,
        Domain({"d": integers(1), "slots": _SURVEY["slots"], "m": _SURVEY["m"]}),
        bounds="variance",
        of="what a blanket slot adds to the count of an item",
        stable=bounds.blanket_slot_variance_stably,
        truth=lambda d, slots, m: one_number(
            "a coin of m/(d⌈m⌉)", Exact(m / (d * slots) * (1 - m / (d * slots)))
        ),
        units=_UNITS,
    ),
    *(
        PublishedBound(
            f"wang2024/section-5.2/{name}",
            _line(bound, names),
            Domain(_SURVEY),
            bounds="variance",
            of="the counts of all items, two levels of users",
            truth=_variance,
            stable=_stably(name),
            units=_UNITS,
        )
        for name, bound, names in _LINES
    ),
    *(
        PublishedBound(
            f"wang2024/section-5.2/{name}",
            _error_line_1 if bound is None else _line(bound, names),
            Domain(_SURVEY, (_is_heard,)),
            bounds="error",
            of="the frequencies of all items, two levels of users",
            truth=_error,
            stable=_stably(name),
            units=_UNITS,
        )
        for name, bound, names in _ERRORS
    ),
]

BOUNDS = [*PRIVACY, *UTILITY]
