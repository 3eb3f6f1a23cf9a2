"""Section 5.2, parameters: the objective and the constraint (7)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

from exactdp.audit.algebra import identity, nonnegative
from exactdp.claims import (
    Cases,
    Falls,
    Outcome,
    Relation,
    at_most,
    below,
    cases,
    decided,
    equal,
    exact_value,
    for_all,
    hockey_stick,
    lemma,
    proof,
    term,
    words,
)
from exactdp.distributions import FinitePmf
from proofs_check.wang2024 import bounds
from proofs_check.wang2024.protocol import LevelAggregation, Parameters
from proofs_check.wang2024.trials.views import ONE, Trials, constraint_pair, numbers
from proofs_check.wang2024.utility import Survey, squared_error

__all__ = ["TRIALS"]

TRIALS: Trials = {}


# --- the objective -------------------------------------------------------------------------------


def objectives(
    n: int,
    s: int,
    m: Fraction,
    count_1: Fraction,
    count_2: Fraction,
    rate_1: Fraction,
    to: Fraction,
    rate_2: Fraction,
    bound: Callable[..., Any] = bounds.error_line_3,
) -> Relation:
    """The bound (n m + s Σ n̂_k λ_k)/(Σ n̂_k λ_k)² at λ_1 = to is below that at λ_1 = rate_1."""
    first, last = (
        bound(None, n=n, m=m, s=s, signal=term(count_1) * rate + term(count_2) * rate_2)
        for rate in (rate_1, to)
    )
    return below(last, first)


def not_above(at: Callable[..., Relation]) -> Callable[..., Relation]:
    """Against noisy counts only a growing objective is held."""

    def says(**values: Any) -> Relation:
        strict = at(**values)
        return at_most(strict.left, strict.right)

    return says


def has_objective(
    count_1: Fraction, count_2: Fraction, rate_1: Fraction, to: Fraction, rate_2: Fraction
) -> bool:
    """Σ n̂_k λ_k is not 0 at either end."""
    return all(count_1 * rate + count_2 * rate_2 != 0 for rate in (rate_1, to))


def growing_rate(level_counts: Callable[[int, int], tuple[Fraction, ...]]) -> Cases:
    """λ_1 grows to ``to``; c of n users send the second level."""
    return cases(
        n=(2, 3, 4),
        s=(1, 2),
        m=numbers("1", "1/2", "4"),
        _counts=lambda n: [level_counts(n, c) for c in range(n + 1)],
        count_1=lambda _counts: [_counts[0]],
        count_2=lambda _counts: [_counts[1]],
        _step=(numbers("0", "1"), numbers("1/2", "1"), numbers("1/4", "1/3")),
        rate_1=lambda _step: [_step[0]],
        to=lambda _step: [_step[1]],
        rate_2=numbers("1", "1/3"),
    ).where(has_objective)


def exact_counts(n: int, c: int) -> tuple[Fraction, ...]:
    """Return the n_k."""
    return Fraction(n - c), Fraction(c)


def noisy_counts(n: int, c: int) -> tuple[Fraction, ...]:
    """Return the n̂_k of randomized response on the levels with truth 3/4."""
    return LevelAggregation(2, Fraction(3, 4)).estimates([0] * (n - c) + [1] * c)


def diluted(
    m: Fraction, law: FinitePmf[Any], rate_1: Fraction, to: Fraction, rate_2: Fraction
) -> Relation:
    """Reading (c): the mean squared error falls if λ_1 grows to ``to``: two users, one a level."""
    first, last = (
        squared_error(Survey((1, 1), 2, Parameters(m, (rate, rate_2)), law), name)
        for name, rate in (("start", rate_1), ("end", to))
    )
    return below(last, first)


EXACT_COUNTS = growing_rate(exact_counts).where(lambda count_1, count_2: min(count_1, count_2) > 0)

TRIALS["wang2024/section-5.2/objective-decreases"] = {
    "a": for_all(
        EXACT_COUNTS,
        objectives,
        # The factor s Σ n̂_k λ_k of the numerator squared, alone.
        wrong=lambda **at: objectives(**at, bound=lambda f, *, n, m, s, signal: s * signal**2),
        proof=proof(
            "all n, s >= 1, m >= 0, n̂_k > 0 and λ_k, Σ n̂_k λ_k > 0",
            nonnegative(
                "a larger λ_k is a larger signal, x + h; the objective there is smaller, by at "
                "least s h/(x (x + h)) > 0",
                "n m s x h",
                lambda n, m, s, x, h: (
                    bounds.error_line_3(None, n=n, m=m, s=s, signal=x)
                    - bounds.error_line_3(None, n=n, m=m, s=s, signal=x + h)
                    - s * h / (x * (x + h))
                ),
            ),
        ),
    ),
    "b": for_all(growing_rate(noisy_counts), not_above(objectives), falls=Falls.STEP),
    "c": for_all(
        cases(
            m=numbers("1", "1/2", "1/4"),
            law=[FinitePmf({(0,): "1"}), FinitePmf({(0,): "1/2", (1,): "1/2"})],
            _step=(
                numbers("0", "1"),
                numbers("0", "1/2"),
                numbers("0", "1/20"),
                numbers("1/4", "1/2"),
            ),
            rate_1=lambda _step: [_step[0]],
            to=lambda _step: [_step[1]],
            rate_2=(ONE,),
        ),
        diluted,
        falls=Falls.STEP,
    ),
}


# --- the constraint (7) --------------------------------------------------------------------------

RATES = tuple(Fraction(i, 8) for i in range(9))

SIZES = cases(
    n=(1, 2, 3),
    d=(2, 3, 5),
    m=numbers("1/2", "1", "3/2", "2"),
    exp_epsilon=numbers("11/10", "3/2", "2", "8"),
).deep(n=(1, 2, 3, 5, 8))


def grows(n: int, d: int, m: Fraction, exp_epsilon: Fraction) -> list[Relation]:
    """The divergence of (7) grows on a grid of [0, 1]; exp_epsilon is e^(E_k/s)."""
    values = [hockey_stick(constraint_pair(n, d, m, rate), exp_epsilon) for rate in RATES]
    return [below(x, y) for x, y in pairwise(values)]


def is_linear(n: int, d: int, m: Fraction, exp_epsilon: Fraction) -> list[Relation]:
    """It is λ times its end."""
    values = [hockey_stick(constraint_pair(n, d, m, rate), exp_epsilon) for rate in RATES]
    return [equal(x, rate * values[-1]) for x, rate in zip(values, RATES, strict=True)]


GROWTH = proof(
    "all n, d >= 2, m > 0 and E_k >= 0 (at λ = 0, where q = 0, C's law is taken by its limit)",
    identity(
        "at each outcome let u, v, z be the blanket's masses with the victim's letter first, "
        "second, none, and a - b = P - e Q at λ' (a, b >= 0): at λ < λ' it is (λ/λ')(a - b) less "
        "(e-1) z (λ'-λ)/λ'",
        "u v z e l h",
        lambda u, v, z, e, l, h: (  # noqa: E741
            (l * u + (1 - l) * z) - e * (l * v + (1 - l) * z),
            l / (l + h) * (((l + h) * u + (1 - l - h) * z) - e * ((l + h) * v + (1 - l - h) * z))
            - (e - 1) * z * h / (l + h),
        ),
    ),
    nonnegative(
        "so D at λ is at most λ/λ' times D at λ', summed over the outcomes: (λ/λ') a is at least "
        "0 and at least P - e Q at λ; and D at λ' is positive, at (n', 0) at least λ'(γ/d)^(n'-1)",
        "a b z g l h",
        lambda a, b, z, g, l, h: l / (l + h) * a,  # noqa: E741
        lambda a, b, z, g, l, h: (  # noqa: E741
            l / (l + h) * a - (l / (l + h) * (a - b) - g * z * h / (l + h))
        ),
    ),
)

TRIALS["wang2024/section-5.2/divergence-grows"] = {
    "": for_all(SIZES, grows, wrong=is_linear, proof=GROWTH)
}


def bisection(halvings: int) -> Callable[..., Outcome]:
    """t steps find the largest admissible λ to 2^-(t + halvings), for t up to 6."""

    def says(n: int, d: int, m: Fraction, exp_epsilon: Fraction, bound: Fraction) -> Outcome:
        def admits(rate: Fraction) -> bool:
            divergence = hockey_stick(constraint_pair(n, d, m, rate), exp_epsilon)
            return exact_value(divergence) <= bound

        lower, upper = Fraction(0), ONE
        for steps in range(1, 7):
            middle = (lower + upper) / 2
            lower, upper = (middle, upper) if admits(middle) else (lower, middle)
            beyond = lower + Fraction(1, 2 ** (steps + halvings))
            # The maximum lies in [lower, beyond]: beyond it, nothing is admissible.
            if not admits(lower) or (beyond < 1 and admits(beyond + Fraction(1, 2**20))):
                return decided(
                    holds=False, found=f"after {steps} steps at {lower}, more is admissible"
                )
        return decided(holds=True, found=f"the maximum is {lower} to 1/64")

    return says


TRIALS["wang2024/section-5.2/binary-search"] = {
    "": for_all(
        cases(**SIZES.axes, bound=numbers("1/3", "1/20")).deep(**SIZES.deeper),
        bisection(0),
        wrong=bisection(2),
        proof=proof(
            "all settings with m > 0, E_k >= 0, exact divergences",
            lemma("wang2024/section-5.2/divergence-grows", GROWTH, "D grows, and is 0 at 0"),
            words(
                "D is continuous (a finite sum of positive parts of affine functions), so the "
                "admissible λ are an interval [0, λ*]; bisection keeps λ* in an interval of "
                "length 2^-t whose lower end is admissible"
            ),
        ),
    )
}
