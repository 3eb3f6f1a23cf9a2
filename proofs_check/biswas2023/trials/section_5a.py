"""Section V-A: the Gaussian mechanism and matrix inversion (shuffle+INV)."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from itertools import combinations_with_replacement, product
from typing import Any

from exactdp.audit.claimed import in_numbers
from exactdp.claims.cases import cases
from exactdp.claims.claim import Outcome
from exactdp.claims.forms import (
    Relation,
    Said,
    Trials,
    at_least,
    at_most,
    decided,
    equal,
    for_all,
)
from exactdp.claims.kinds import Sort, integers, objects, reals
from exactdp.claims.laws import finite_pair, hockey_stick, mass
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, TermFunctions, named, term, total
from exactdp.claims.verdicts import Falls
from exactdp.coq.values import coq_value
from exactdp.numbers import Exact
from exactdp.testing.later import st
from exactdp.truth import Truth
from proofs_check.biswas2023.protocol import (
    Others,
    Setting,
    datasets,
    histogram_pair,
    message_law,
    of_histograms,
    rows,
)
from proofs_check.lemmas.quantities import SAME
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}

FEW: dict[str, Sort] = {
    "n": integers(1, draws=2),
    "k": integers(2, draws=1),
    "exp_epsilon0": reals(above=1),
}


def inverse(x: Any, k: int) -> list[list[Any]]:
    """Return R^-1 = ((x+k-1) I - J) / (x-1), J all ones."""
    return [
        [((x + (k - 1) if i == j else 0 * x) - 1) / (x - 1) for j in range(k)] for i in range(k)
    ]


def times(a: Sequence[Sequence[Any]], b: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Return the product of two matrices."""
    columns = list(zip(*b, strict=True))
    return [
        [sum((u * v for u, v in zip(row, c, strict=True)), row[0] * 0) for c in columns]
        for row in a
    ]


def inverted(h: Sequence[int], x: Any, k: int) -> list[Any]:
    """Return h R^-1 / n."""
    return times([[x * 0 + Fraction(c, sum(h)) for c in h]], inverse(x, k))[0]


def projected(point: Sequence[Exact]) -> list[Exact]:
    """Return the Euclidean projection on the probability simplex (Wang, Carreira-Perpinan 2013)."""
    ordered = sorted(point, reverse=True)
    shift, total_so_far = Exact(0), Exact(0)
    for size, entry in enumerate(ordered, start=1):
        total_so_far += entry
        candidate = (1 - total_so_far) / size
        if entry + candidate > 0:
            shift = candidate
    return [max(Exact(0), entry + shift) for entry in point]


ESTIMATES: dict[str, Callable[[tuple[int, ...], Exact], Any]] = {
    "inverted and projected": lambda h, x: tuple(projected(inverted(h, x, len(h)))),
    "inverted": lambda h, x: tuple(inverted(h, x, len(h))),
    "count of x_0": lambda h, x: h[0],
}
_COUNT_IN_COQ = "(fun h => nth 0 h 0%nat)"


@quantity("(estimate_apart same {0:nat} {1} 0 1 {2} {3} {4})", name="D")
def delta_of_estimate(k: int, x: Term, others: Others, estimate: str, exp_epsilon: Any) -> Term:
    """Return delta of a function of the histogram, for a victim who holds x_0 or x_1."""
    n, view = 1 + sum(m for _, m in others), named("view", histogram_pair(x, k, others))
    images: dict[Any, list[tuple[int, ...]]] = {}
    for h in product(range(n + 1), repeat=k):
        if sum(h) == n:
            found = ESTIMATES[estimate](h, x.parts[-1].parts[-1])
            images.setdefault(found, []).append(h)
    laws = (
        [total([mass(view, side, h) for h in held]) for held in images.values()] for side in "pq"
    )
    return hockey_stick(finite_pair(*laws), exp_epsilon)


def image_keeps_privacy(
    compare: Callable[[Term, Term], Relation], estimate: str, **at: Any
) -> Relation:
    """delta of an estimate from the histogram is at most delta of the histogram."""
    here = Setting(**at)
    shown = delta_of_estimate(here.k, here.x, here.others, estimate, here.exp_epsilon)
    return compare(shown, here.of_histogram())


ESTIMATE = objects(
    "a function of the histogram, such as matrix inversion",
    lambda: st.sampled_from(list(ESTIMATES)),
    coq=("counts -> A", "", SAME),
    written=lambda estimate: _COUNT_IN_COQ if "count" in estimate else coq_value("A", estimate),
)

TRIALS["biswas2023/section-I/post-processing"] = for_all(
    cases(
        n=range(1, 4),
        k=(2, 3),
        n_x0=lambda n: range(n),
        others=datasets,
        estimate=ESTIMATES,
        exp_epsilon0=[Fraction(3)],
        exp_epsilon=[Fraction(v) for v in ("1", "5/4", "2")],
    ).within(
        **of_histograms(2, estimate=ESTIMATE, exp_epsilon0=reals(above=1), exp_epsilon=reals(1))
    ),
    partial(image_keeps_privacy, at_most),
    # The count of x_0 alone would reveal at least as much as the histogram.
    wrong=partial(image_keeps_privacy, at_least),
    proof=theorem("biswas2023_post_processing"),
)


def classical_gaussian(
    epsilon: Fraction, delta: Fraction, scale: Fraction = Fraction(1)
) -> Relation:
    """Phi(1/(2 sigma) - eps sigma) - e^eps Phi(-1/(2 sigma) - eps sigma) <= delta.

    The sensitivity is 1, and sigma (or sigma/scale) is sqrt(2 ln(1.25/delta))/eps.
    """
    f = TermFunctions()
    sigma = named("sigma", f.sqrt(2 * f.log(Fraction(5, 4) / delta)) * (scale / epsilon))
    shift = epsilon * sigma
    upper, lower = f.normal_cdf(1 / (2 * sigma) - shift), f.normal_cdf(-1 / (2 * sigma) - shift)
    return at_most(upper - f.exp(epsilon) * lower, delta)


DELTAS = [Fraction(v) for v in ("1/2", "9/10", "1/10", "1/100", "1e-5", "1e-10")]

LARGE = cases(epsilon=[Fraction(v) for v in ("1/2", "1", "2", "4", "8")], delta=DELTAS)

TRIALS["biswas2023/definition-V.1"] = for_all(LARGE, classical_gaussian, falls=Falls.MISPRINT)

SMALL = cases(epsilon=[Fraction(v) for v in ("1/10", "1/2", "9/10")], delta=DELTAS).within(
    epsilon=reals(above=0, below=1), delta=reals(above=0, below=1)
)

TRIALS["biswas2023/repair/definition-V.1-small-epsilon"] = for_all(
    SMALL,
    classical_gaussian,
    wrong=partial(classical_gaussian, scale=Fraction(1, 2)),
    proof=theorem("biswas2023_repair_small_epsilon"),
)


def is_inverse(k: Any, exp_epsilon0: Any, offset: int = 0) -> list[Relation]:
    """R R^-1 = I (with R^-1 at e^eps0 + offset): an entry on the diagonal, and one beside it."""
    x = term(exp_epsilon0)
    (same, other), y = (x / (x + k - 1), 1 / (x + k - 1)), x + offset
    inner, outer = (y + k - 2) / (y - 1), -1 / (y - 1)
    beside = same * outer + other * inner + (k - 2) * other * outer
    return [equal(same * inner + (k - 1) * other * outer, 1), equal(beside, 0)]


TRIALS["biswas2023/footnote-5/inverse"] = for_all(
    cases(k=range(2, 7), exp_epsilon0=[Fraction(v) for v in ("2", "3/2", "11/10")]).within(
        k=integers(2), exp_epsilon0=reals(above=1)
    ),
    is_inverse,
    wrong=partial(is_inverse, offset=1),
    proof=in_numbers(),
)


def are_stochastic(k: int, exp_epsilon0: Fraction) -> Said:
    """All entries of R and R^-1 are at least 0."""
    x = term(exp_epsilon0)
    entries = [entry for matrix in (rows(x, k), inverse(x, k)) for row in matrix for entry in row]
    return Said([at_least(entry, 0) for entry in entries], lambda: is_inverse(k, exp_epsilon0))


TRIALS["biswas2023/section-V-A/stochastic-channels"] = for_all(
    cases(k=[2], exp_epsilon0=[Fraction(2)]), are_stochastic, falls=Falls.REMARK
)


@lru_cache(maxsize=1)
def mean_with_noise() -> tuple[Any, Any]:
    """Return f and E[f + N(0, sigma^2)] integrated symbolically."""
    import sympy

    y = sympy.symbols("y", real=True)
    f, sigma = sympy.symbols("f sigma", positive=True)
    density = sympy.exp(-((y - f) ** 2) / (2 * sigma**2)) / (sigma * sympy.sqrt(2 * sympy.pi))
    mean = sympy.integrate(y * density, (y, -sympy.oo, sympy.oo))
    return f, sympy.simplify(mean)


@quantity("noisy_mean {0} {1}", name="E")
def noisy_mean(count: int, sigma: Fraction) -> Fraction:
    """E(count + N(0, sigma^2))."""
    import sympy

    f, mean = mean_with_noise()
    found = mean.subs({f: count})  # sigma has gone
    return Fraction(int(sympy.Integer(found)))


def unbiased(k: Any, count: Any, sigma: Any, more: int = 0) -> Relation:
    """The mean of a noisy count is the count (or, false, more)."""
    return equal(noisy_mean(count, sigma), term(count) + more if more else count)


def unbiased_denoised(k: int, count: int, sigma: int) -> Relation:
    """E S(count + N(0, 1)) = count for soft-thresholding at t = sqrt(2 ln k), a step of [7].

    S(y) = sign(y) max(0, |y| - t), with mean
    (f-t) Phi(f-t) + phi(f-t) + (f+t) Phi(-f-t) - phi(f+t).
    """
    f = TermFunctions()
    t, count_term = named("t", f.sqrt(2 * f.log(k))), term(count)

    def density(y: Term) -> Term:
        return f.exp(-(y * y) / 2) / f.sqrt(2 * f.pi)

    up, down = count_term - t, count_term + t
    mean = up * f.normal_cdf(up) + density(up) + down * f.normal_cdf(-down) - density(down)
    return equal(mean, count)


NOISY = cases(k=(2, 3, 10), count=(1, 5, 100), sigma=(1,)).within(
    k=integers(2), count=integers(0), sigma=reals(above=0)
)

TRIALS["biswas2023/section-V-A/gaussian-mean"] = {
    "a": for_all(
        NOISY,
        unbiased,
        wrong=partial(unbiased, more=1),
        proof=theorem("biswas2023_gaussian_mean"),
    ),
    "b": for_all(NOISY, unbiased_denoised, falls=Falls.REMARK),
}


def likelihood(h: Sequence[int], pi: Sequence[Any], x: Any, k: int) -> Any:
    """Return the likelihood of pi: the product over messages y of ((pi R)_y)^(h_y)."""
    result = x**0
    for count, probability in zip(h, times([list(pi)], rows(x, k))[0], strict=True):
        result = result * probability**count
    return result


def is_a_distribution(k: int, exp_epsilon0: Fraction, histogram: Sequence[int]) -> list[Relation]:
    """The estimate has no negative entry (as a most likely distribution has none)."""
    return [at_least(entry, 0) for entry in inverted(histogram, term(exp_epsilon0), k)]


def is_most_likely(k: int, exp_epsilon0: Fraction, histogram: Sequence[int]) -> Outcome:
    """The projected estimate maximizes the likelihood over the probability simplex.

    The likelihood is log-concave: a point is a maximum exactly if no vertex has a gradient
    above n (then moving towards that vertex gains).
    """
    x = Exact(exp_epsilon0)
    matrix = rows(x, k)
    point = projected(inverted(histogram, x, k))
    seen = times([point], matrix)[0]
    gradient = [
        sum((histogram[y] * row[y] / seen[y] for y in range(k)), Exact(0)) for row in matrix
    ]
    steepest = max(range(k), key=lambda i: gradient[i])
    if gradient[steepest] <= sum(histogram):
        return decided(Truth.TRUE, "no vertex is uphill")
    better = _towards(point, steepest, histogram, x, k)
    laws = (better, point)
    most, least = ([str(entry) for entry in law] for law in laws)
    return decided(
        Truth.FALSE,
        f"the projection {least} is less likely than {most}",
        claimed=lambda: [
            at_most(*(likelihood(histogram, list(map(term, law)), term(x), k) for law in laws))
        ],
    )


def _towards(
    point: Sequence[Exact], vertex: int, h: Sequence[int], x: Exact, k: int
) -> list[Exact]:
    """Return a more likely distribution on the way to a vertex."""
    step = Fraction(1, 2)
    while True:
        moved = [(1 - step) * p + (step if i == vertex else 0) for i, p in enumerate(point)]
        if likelihood(h, moved, x, k) > likelihood(h, point, x, k):
            return moved
        step /= 2


HISTOGRAMS = cases(
    n=range(1, 5),
    k=(2, 3),
    exp_epsilon0=[Fraction(2), Fraction(4)],
    histogram=lambda n, k: [
        h for h in product(range(n + 1), repeat=k) if sum(h) == n and list(h) == sorted(h)[::-1]
    ],
)

TRIALS["biswas2023/section-V-A/most-likely-estimate"] = {
    "a": for_all(HISTOGRAMS, is_a_distribution, falls=Falls.REMARK),
    "b": for_all(HISTOGRAMS, is_most_likely, falls=Falls.REMARK),
}


def mean_of(
    estimate: Callable[[Sequence[int], Exact, int], Sequence[Any]],
    k: int,
    exp_epsilon0: Fraction,
    data: Sequence[int],
    value: int,
) -> Term:
    """Return the mean of an estimate of the frequency of a value, over the messages of users."""
    means = []
    for messages, weight in message_law(rows(term(exp_epsilon0), k), data):
        h = [messages.count(y) for y in range(k)]
        means.append(weight * estimate(h, Exact(exp_epsilon0), k)[value])
    return total(means)


mean_estimate = quantity("(mean_estimate {0:nat} {1} {2} {3:nat})", name="E")(
    partial(mean_of, inverted)
)
mean_projected = partial(mean_of, lambda h, x, k: projected(inverted(h, x, k)))


@quantity("(INR (count_occ Nat.eq_dec {0} {1:nat}) / INR {2:nat})")
def frequency(data: Sequence[int], value: int, n: int) -> Fraction:
    """How many of n users hold a value, over n."""
    return Fraction(data.count(value), n)


def is_unbiased(
    mean: Callable[..., Term],
    n: int,
    k: int,
    exp_epsilon0: Fraction,
    data: Sequence[int],
    value: int,
) -> Relation:
    """E(estimate) = pi, over the messages of users whose values have distribution pi."""
    return equal(mean(k, exp_epsilon0, data, value), frequency(data, value, n))


DATA = cases(
    n=range(1, 4),
    k=(2, 3),
    exp_epsilon0=[Fraction(2)],
    data=lambda n, k: combinations_with_replacement(range(k), n),
    value=lambda k: range(k),
).within(
    **FEW,
    data=objects(
        "the values of n users, from 0 to k − 1",
        lambda n, k: st.tuples(*[st.integers(0, k - 1)] * n),
        condition=lambda n, k, data: len(data) == n and {*data} <= {*range(k)},
        coq=("list nat", "length {0} = n /\\ Forall (fun v => (v < k)%nat) {0}", ""),
    ),
    value=integers(0, lambda k: k - 1),
)

TRIALS["biswas2023/equation-7"] = {
    "a": for_all(
        DATA,
        partial(is_unbiased, mean_estimate),
        wrong=partial(is_unbiased, mean_projected),
        proof=theorem("biswas2023_equation_7"),
    ),
    "b": for_all(DATA, partial(is_unbiased, mean_projected), falls=Falls.REMARK),
}
