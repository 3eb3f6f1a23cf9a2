"""The abstract's last sentence: the distances of the two models to the data's distribution.

Each is an expectation of the total variation distance: of the counts with Gaussian noise N(0, σ²)
each, over n, and of the inverted histogram of the shuffled reports. σ is calibrated where it is the
least whose δ is at most the δ of the shuffled reports, so it is at most any that does.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

from flint import fmpz_poly

from exactdp.claims.cases import cases
from exactdp.claims.forms import Relation, Said, Trials, above, at_most, for_all
from exactdp.claims.kinds import Sort, integers, objects, reals
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, TermLike, function, named, sum_over, term
from exactdp.claims.verdicts import Falls
from exactdp.coq.values import coq_value
from exactdp.testing.later import st
from proofs_check.biswas2023.protocol import Others, counted
from proofs_check.biswas2023.trials.section_5c import printed, tight
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}


@quantity("(noisy_distance {0:nat} {1} {2})", name="E_central")
def noisy_distance(k: int, sigma: TermLike, data: Others) -> Term:
    """Return the mean distance of the noisy shares: E|N(0, σ²)| = σ √(2/π), k times, over 2n."""
    n = sum(count for _, count in data)
    return k * (term(sigma) * function("sqrt", 2 / Term("pi")) / n) / 2


@quantity("(inverted_distance {0:nat} {1} {2})", name="E_shuffle")
def inverted_distance(k: int, exp_epsilon0: Any, data: Others) -> Term:
    """Return the mean distance of inverted shares: |s − E s| (x + k − 1)/((x − 1) n), s sent."""
    x, n = Fraction(exp_epsilon0), sum(count for _, count in data)
    parts: list[Fraction] = []
    for j in range(k):
        held = dict(data).get(j, 0)
        mean = (held * x + (n - held)) / (x + (k - 1))
        weights = sent(k, x, held, n - held)
        deviation = sum((w * abs(s - mean) for s, w in enumerate(weights)), Fraction(0))
        parts.append(deviation / sum(weights))
    return term(sum(parts, Fraction(0)) * (x + (k - 1)) / (x - 1) / n / 2)


def sent(k: int, x: Fraction, with_it: int, without: int) -> list[int]:
    """Return how likely each number of reports of a value is, up to a factor.

    So many users hold it, and so many do not.
    """
    own, other = x.numerator, x.denominator
    holds, lacks = fmpz_poly([(k - 1) * other, own]), fmpz_poly([own + (k - 2) * other, other])
    return [int(weight) for weight in (holds**with_it * lacks**without).coeffs()]


def least(n: Any, k: Any, x: TermLike, e: TermLike) -> Term:
    """Return (x − e^ε) q^n, q = 1/(x + k − 1): all messages are x_0, and it is for x_0 to say."""
    found: Term = (term(x) - e) * (1 / (term(x) + (k - 1))) ** n
    return found


def difference_vanishes(
    n: int,
    k: int,
    n_x0: int,
    exp_epsilon0: Any,
    exp_epsilon: Any,
    data: Any,
    sigma: Any,
    times: int = 1,
) -> list[Relation]:
    """A σ of the order √n has no more δ at ε than the view, and than (6); the difference is c/√n.

    At σ = √2 (√(−2 ln((x − e^ε) q^n)) + ε)/ε, so that the calibrated one is at most that. The
    change of the histogram is √2 in l_2. Times another number, σ does not do.
    """
    x, e = term(exp_epsilon0), term(exp_epsilon)
    epsilon, low = function("log", e), least(n, k, x, e)
    d = named("d", times * epsilon / (root_of(low) + epsilon))
    one, two = (function("normal_cdf", side * (d / 2) - epsilon / d) for side in (1, -1))
    at = (n, k, n_x0, exp_epsilon0, exp_epsilon)
    rate = 2 * (function("log", x + (k - 1)) + function("abs", function("log", x - e)))
    central = (function("sqrt", rate) + epsilon) / epsilon
    constant = k * (central + (x + (k - 1)) / (4 * (x - 1)))
    gap = noisy_distance(k, sigma, data) - inverted_distance(k, exp_epsilon0, data)
    return [
        at_most(one - e * two, low),
        at_most(low, printed(*at)),
        at_most(low, tight(*at)),
        at_most(function("abs", gap), constant / function("sqrt", term(n))),
    ]


def root_of(low: Term) -> Term:
    """Return √(−2 ln low)."""
    return function("sqrt", -2 * function("log", low))


def calibrated(n: Any, k: Any, exp_epsilon0: Any, exp_epsilon: Any, sigma: Any) -> Relation:
    """σ is at most √2 (√(−2 ln((x − e^ε) q^n)) + ε)/ε."""
    x, e = term(exp_epsilon0), term(exp_epsilon)
    epsilon = function("log", e)
    most = function("sqrt", term(2)) * (root_of(least(n, k, x, e)) + epsilon)
    return at_most(term(sigma) * epsilon, most)


def values_of_users(k: str, drawn: Callable[..., Any] | None = None) -> Sort:
    """Return the kind of the data of n users, as (value, count), with values below k."""
    return objects(
        f"the values of n users, below {k}",
        drawn,
        condition=lambda n, data, k=None: (
            sum(m for _, m in data) == n and all(0 <= v < (k or 2) and m > 0 for v, m in data)
        ),
        coq=("list nat", f"length {{0}} = n /\\ Forall (fun v => (v < {k})%nat) {{0}}", ""),
        written=lambda data: coq_value("list nat", [v for v, m in data for _ in range(m)]),
    )


RATIO = Fraction(9, 10)


def noise_serves(n: Any, d: Term, share: Fraction = Fraction(1)) -> list[Relation]:
    """At k = 2, e^ε_0 = 55, e^ε = 50, noise with σ = √2/d has no more δ than the worst data.

    Where all others hold x_0, all messages are x_0 with probability p^n, or p^(n − 1) q under the
    other input, p = 55/56: so δ is at least p^n (1 − 50/55), and a share of it is between both.
    """
    low = share * Fraction(1, 11) * term(Fraction(55, 56)) ** n
    epsilon = function("log", term(50))
    one, two = (function("normal_cdf", side * (d / 2) - epsilon / d) for side in (1, -1))
    return [
        at_most(one - 50 * two, low),
        at_most(low, tight(n, 2, n - 1, Fraction(55), Fraction(50))),
    ]


def ratio_stays_below(n: Any, data: Any, sigma: Any, ratio: Fraction = RATIO) -> list[Relation]:
    """With σ² = n/160 the distance is at most 9/10 of the other one's, for all data."""
    d = function("sqrt", 320 / term(n))
    central, shuffle = noisy_distance(2, sigma, data), inverted_distance(2, 55, data)
    return [*noise_serves(n, d), at_most(central, ratio * shuffle)]


TRIALS["biswas2023/repair/gap-ratio"] = for_all(
    cases(
        n=(1000,),
        data=[((0, 1000),), ((0, 500), (1, 500))],
        sigma=[Fraction(1), Fraction(5, 2)],
    ).within(
        lambda n, sigma: at_most(160 * term(sigma) ** 2, n),
        n=integers(1000),
        data=values_of_users("2"),
        sigma=reals(above=0),
    ),
    ratio_stays_below,
    wrong=partial(ratio_stays_below, ratio=Fraction(1, 2)),
    proof=theorem("biswas2023_gap_ratio"),
)


def ratio_nears_1(n: int, sigma: Fraction) -> Said:
    """From this n on the ratio of the distances, at k = 2, e^ε_0 = 55 and e^ε = 50, is above 9/10.

    n users hold x_0; σ is at least the calibrated one. It is below 9/10 at all n from 1,000 on
    (repair/gap-ratio), and so at some n beyond any.
    """
    p, d = Fraction(55, 56), function("sqrt", term(2)) / sigma
    off = sum_over(
        "s",
        0,
        n,
        lambda s: (
            function("binomial", n, s)
            * (term(p) ** s * term(1 - p) ** (n - s) * function("abs", s - n * p))
        ),
    )
    central = noisy_distance(2, sigma, ((0, n),))
    # Half: that both are equal no enclosure shows.
    given = partial(noise_serves, n, d, Fraction(1, 2))
    return Said([above(central, RATIO * (off * Fraction(56, 54) / n))], given)


TRIALS["biswas2023/abstract/gap-vanishes"] = {
    "a": for_all(
        cases(
            n=(2, 3, 4),
            k=(2, 3),
            n_x0=lambda n: range(n),
            exp_epsilon0=[Fraction(3), Fraction(55)],
            exp_epsilon=[Fraction(11, 10), Fraction(2)],
            data=lambda n, k: [counted([i % k for i in range(n)])],
            sigma=[Fraction(1, 2)],
        ).within(
            calibrated,
            n=integers(2, draws=2),
            k=integers(2, draws=1),
            n_x0=integers(0, lambda n: n - 1),
            exp_epsilon0=reals(above=1),
            exp_epsilon=reals(above=1, below=lambda exp_epsilon0: exp_epsilon0),
            data=values_of_users(
                "k", lambda n, k: st.tuples(*[st.integers(0, k - 1)] * n).map(counted)
            ),
            sigma=reals(above=0),
        ),
        difference_vanishes,
        wrong=partial(difference_vanishes, times=9),
        proof=theorem("biswas2023_gap_vanishes"),
    ),
    "b": for_all(
        cases(n=[200], sigma=[Fraction(3, 2)]),
        ratio_nears_1,
        falls=Falls.REMARK,
    ),
}
