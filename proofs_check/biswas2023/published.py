"""The bounds that the paper publishes, as people run them.

(6) has n^2 terms: up to 1,000 users, as in the paper's tables.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, partial
from math import comb
from typing import Any

from exactdp.bounds import BoundedNumber, PublishedBound, one_number
from exactdp.claims.domains import Domain
from exactdp.claims.kinds import integers, reals
from exactdp.divergences.questions import Question
from exactdp.mechanisms.gaussian import smallest_sigma
from exactdp.numbers import Enclosure, Epsilon, Exact, enclosure
from exactdp.numbers.real_functions import evaluate
from exactdp.shuffle import Named
from exactdp.shuffle.at_scale.score_sums import ScoreSum
from exactdp.side import Side
from proofs_check.biswas2023.at_once import Form, delta, loss
from proofs_check.lemmas.targets import OF_SHUFFLED, k_ary, shuffled_at

_USERS = integers(1, 1000, draws=40)
_SIZES = {"n": _USERS, "k": integers(2), "n_x0": integers(0, lambda n: n - 1)}
_LOCAL = {"epsilon0": reals(above=0)}
_AT = {**_LOCAL, "epsilon": reals(above=0)}
_COUNTED = ("n", "k", "n_x0")
_READ = ("epsilon0", "epsilon")
_UNITS = {"n_x0": "other users who hold x_0", "k": "values", "s": "messages x_0"}
_COUNT = "the number of messages x_0 among n, n_x0 of the others on x_0, victim x_0 or x_1"
_HISTOGRAM = "the histogram of n shuffled users of k-RR, n_x0 of the others on x_0"
_INSTEAD = (
    "exactdp.shuffle.shuffle_worst_case for the histogram; "
    "biswas2023/repair/theorem-IV.1-count for the count of x_0 alone"
)


def _rows(k: int, epsilon0: Fraction) -> tuple[tuple[Exact, Exact], tuple[Exact, Exact]]:
    """Return the probabilities of x_0 and of another message, for x_0 and for another input."""
    x = Epsilon.rational(epsilon0).exp
    whole = x + (k - 1)
    return (x / whole, (k - 1) / whole), (1 / whole, (x + (k - 2)) / whole)


def _count(n: int, k: int, n_x0: int, epsilon0: Fraction) -> Named:
    """Return the count of x_0, with n_x0 of the others on x_0."""
    held, other = _rows(k, epsilon0)
    kinds = ((held, n_x0), (other, n - 1 - n_x0))
    others = tuple((row, count) for row, count in kinds if count)
    return Named("the count of x_0 alone", ScoreSum(held, other, others))


def _of_count(epsilon: Fraction, **data: Any) -> BoundedNumber:
    one = _count(**data)
    return one_number(one.words, Question(one.profile, Epsilon.rational(epsilon)))


def _of_histogram(
    n: int, k: int, n_x0: int, epsilon0: Fraction, epsilon: Fraction
) -> BoundedNumber:
    """Return δ of the histogram for these n_x0: at least that of its count of x_0."""
    at = Epsilon.rational(epsilon)
    count = _count(n, k, n_x0, epsilon0)
    _, above = k_ary(n, k, Epsilon.rational(epsilon0))
    return BoundedNumber(
        ((count.words, Question(count.profile, at)),),
        tuple((one.words, Question(one.profile, at)) for one in above),
    )


def _of_all_data(n: int, k: int, epsilon0: Fraction, epsilon: Fraction, **_: Any) -> BoundedNumber:
    at = Epsilon.rational(epsilon)
    ends = k_ary(n, k, Epsilon.rational(epsilon0))
    below, above = (tuple((one.words, Question(one.profile, at)) for one in side) for side in ends)
    return BoundedNumber(below, above)


def _highest(f: Any, *, n: int, k: int, held: int, epsilon0: Any, epsilon: Any, **how: Any) -> Any:
    """Return δ-hat of (10), by (6) as printed: ``held`` users hold a value, the others another."""
    found = [
        delta(f, n=n, k=k, n_x0=count - 1, epsilon0=epsilon0, epsilon=epsilon, **how)
        for count in dict.fromkeys((held, n - held))
        if count
    ]
    return found[0] if len(found) == 1 else f.maximum(*found)


def _loss_stably(f: Any, *, n: int, k: int, n_x0: int, s: int, epsilon0: Any) -> Any:
    """Return v_s as log(1 + (x − 1)(A − B)/(A + (x + k − 2) B)), or its negative: for doubles.

    A and B are the chances that the others' count is s − 1 and s, but for one factor.
    """
    more, rest, b = f.exp(epsilon0) + (k - 2), f.exp(-epsilon0), n - 1 - n_x0
    odds = (k - 1) * rest / more

    def others(count: int) -> Any:
        """Return Σ_r C(a, r) C(b, count − r) odds^(its last r − r)."""
        last = min(n_x0, count)
        held = range(max(0, count - b), last + 1)
        parts = (comb(n_x0, r) * comb(b, count - r) * odds ** (last - r) for r in held)
        return sum(parts, f.constant(0))

    one = others(s - 1) * ((k - 1) * rest if s <= n_x0 else more)
    two, nothing = others(s), f.constant(0)
    up = f.expm1(epsilon0) * (f.maximum(one - two, nothing) / (one + more * two))
    down = f.expm1(-epsilon0) * (f.minimum(one - two, nothing) / (one + (k - 1) * rest * two))
    return f.log1p(up) - f.log1p(down)


@lru_cache(maxsize=64)
def _loss_of_count(n: int, k: int, n_x0: int, s: int, epsilon0: Fraction) -> BoundedNumber:
    """Return ln P(M(x_0) = s)/P(M(x_1) = s), from the law of the others' count."""
    words = "the count's law, by convolution of two binomial laws"
    return one_number(words, _near(_exact_loss, n=n, k=k, n_x0=n_x0, s=s, epsilon0=epsilon0))


def _exact_loss(f: Any, *, n: int, k: int, n_x0: int, s: int, epsilon0: Any) -> Any:
    x, b = f.exp(epsilon0), n - 1 - n_x0
    odds_0, odds_1 = x / (k - 1), 1 / (x + (k - 2))

    def others(count: int) -> Any:
        held = range(max(0, count - b), min(n_x0, count) + 1)
        return sum(
            (comb(n_x0, r) * comb(b, count - r) * odds_0**r * odds_1 ** (count - r) for r in held),
            f.constant(0),
        )

    more, same = others(s - 1), others(s)
    return f.log((x * more + (k - 1) * same) / (more + (x + (k - 2)) * same))


def _near(formula: Callable[..., Any], **at: Any) -> Enclosure:
    """Return a number's enclosure: one in which a formula of the same value lies."""
    counts = {name: x for name, x in at.items() if isinstance(x, int)}
    rest = {name: x for name, x in at.items() if name not in counts}
    return enclosure(evaluate(partial(formula, **counts), **rest))


def _sigma(f: Any, *, epsilon: Any, delta: Any, sensitivity: Any) -> Any:
    """Return the deviation of Definition V.1: √(2 ln(1.25/δ)) Δ/ε."""
    return f.sqrt(2 * f.log(f.constant("5/4") / delta)) * sensitivity / epsilon


def _smallest_sigma(epsilon: Fraction, delta: Fraction, sensitivity: Fraction) -> BoundedNumber:
    found = smallest_sigma(
        Epsilon.rational(epsilon),
        Exact(delta),
        sensitivity=Exact(sensitivity),
        relative_width=Fraction(1, 10**12),
    )
    return one_number("the analytic Gaussian mechanism", found)


def _gaussian(claim: str, most: int | None, **more: Any) -> PublishedBound:
    return PublishedBound(
        claim,
        _sigma,
        Domain(
            {
                "epsilon": reals(above=0) if most is None else reals(above=0, below=most),
                "delta": reals(above=0, below=1),
                "sensitivity": reals(above=0),
            }
        ),
        bounds="scale",
        of="Gaussian noise σ for (ε, δ)-privacy",
        truth=_smallest_sigma,
        units={"sensitivity": "in units of the query"},
        **more,
    )


def _losses(claim: str, form: Form, **more: Any) -> PublishedBound:
    return PublishedBound(
        claim,
        partial(loss, form=form),
        Domain({**_SIZES, "s": integers(0, lambda n: n), **_LOCAL}),
        bounds="epsilon",
        of=f"one output, the privacy loss v_s of s: {_COUNT}",
        truth=_loss_of_count,
        counts=(*_COUNTED, "s"),
        units=_UNITS,
        **more,
    )


def _probability(claim: str, *, is_same: bool) -> PublishedBound:
    def truth(k: int, epsilon: Fraction) -> BoundedNumber:
        x = Epsilon.rational(epsilon).exp
        return one_number(
            "the definition, normalized", (x if is_same else Exact(1)) / (x + (k - 1))
        )

    return PublishedBound(
        claim,
        (lambda f, *, k, epsilon: f.exp(epsilon) / (f.exp(epsilon) + (k - 1)))
        if is_same
        else (lambda f, *, k, epsilon: 1 / (f.exp(epsilon) + (k - 1))),
        Domain({"k": integers(2), "epsilon": reals(0)}),
        bounds="probability",
        of="the truth in k-RR" if is_same else "each other value in k-RR",
        truth=truth,
        side=Side.LOWER if is_same else Side.UPPER,
        stable=(lambda f, *, k, epsilon: 1 / (1 + (k - 1) * f.exp(-epsilon)))
        if is_same
        else (lambda f, *, k, epsilon: f.exp(-epsilon) / (1 + (k - 1) * f.exp(-epsilon))),
        counts=("k",),
    )


BOUNDS = [
    _probability("biswas2023/definition-III.5/normalization#same", is_same=True),
    _probability("biswas2023/definition-III.5/normalization#other", is_same=False),
    PublishedBound(
        "biswas2023/section-IV-A/feldman-bound",
        lambda f, *, n, epsilon0, delta: (
            (1 - f.exp(-epsilon0)) * f.sqrt(f.exp(epsilon0) * f.log(1 / delta) / n)
        ),
        Domain({"n": integers(1), "epsilon0": reals(0), "delta": reals(above=0, most=1)}),
        bounds="epsilon",
        of=f"{OF_SHUFFLED}: the O(...) cited, with the constant 1",
        truth=shuffled_at(),
        stable=lambda f, *, n, epsilon0, delta: (
            -f.expm1(-epsilon0) * f.exp(epsilon0 / 2) * f.sqrt(-f.log(delta) / n)
        ),
        instead="feldman2021/theorem-3.1, which has its constants",
    ),
    PublishedBound(
        "biswas2023/theorem-IV.1",
        delta,
        Domain({**_SIZES, **_AT}),
        bounds="delta",
        of=_HISTOGRAM,
        truth=_of_histogram,
        stable=partial(delta, is_scaled=True),
        counts=(*_COUNTED, *_READ),
        units=_UNITS,
        instead=_INSTEAD,
    ),
    PublishedBound(
        "biswas2023/repair/theorem-IV.1-count#count",
        partial(delta, form=Form.SECOND),
        Domain({**_SIZES, **_AT}),
        bounds="delta",
        of=_COUNT,
        truth=_of_count,
        stable=partial(delta, form=Form.SECOND, is_scaled=True),
        counts=(*_COUNTED, *_READ),
        units=_UNITS,
    ),
    PublishedBound(
        "biswas2023/repair/theorem-IV.1-count#histogram",
        partial(delta, form=Form.SECOND),
        Domain({**_SIZES, **_AT}),
        bounds="delta",
        of=_HISTOGRAM,
        truth=_of_histogram,
        side=Side.LOWER,
        stable=partial(delta, form=Form.SECOND, is_scaled=True),
        counts=(*_COUNTED, *_READ),
        units=_UNITS,
    ),
    _gaussian(
        "biswas2023/definition-V.1",
        None,
        instead="exactdp.mechanisms.smallest_sigma, the analytic Gaussian mechanism",
    ),
    _gaussian("biswas2023/repair/definition-V.1-small-epsilon", 1),
    PublishedBound(
        "biswas2023/equation-10",
        _highest,
        Domain({"n": _USERS, "k": integers(2), "held": integers(1, lambda n: n), **_AT}),
        bounds="delta",
        of="the histogram of n shuffled users of k-RR, from data where held of them hold one "
        "value and the others another",
        truth=_of_all_data,
        stable=partial(_highest, is_scaled=True),
        counts=("n", "k", "held", *_READ),
        units={"k": "values", "held": "users"},
        instead="exactdp.shuffle.shuffle_worst_case: the worst data need not be those at hand",
    ),
    _losses("biswas2023/equation-15/form-1", Form.FIRST, stable=_loss_stably),
    _losses("biswas2023/equation-15/form-2", Form.SECOND, stable=_loss_stably),
    _losses(
        "biswas2023/equation-15/form-3",
        Form.PRINTED,
        instead="biswas2023/equation-15/form-2",
    ),
]
"""In the paper's order."""
