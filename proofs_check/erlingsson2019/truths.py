"""The quantities that the paper bounds, from below by protocols and from above by theorems.

Definitions: :func:`composed_steps`, :func:`triangle`, :func:`sampled`, :func:`client`,
:func:`estimates`, :func:`swapped`, :func:`renyi_of_private`, :func:`copied`.
"""

from fractions import Fraction

from exactdp.accounting import composed_randomized_response
from exactdp.bounds import BoundedNumber, asked_between, one_number
from exactdp.divergences.questions import Question
from exactdp.numbers import Epsilon, Exact, Number
from exactdp.numbers.real_functions import evaluate
from exactdp.shuffle import Named
from proofs_check.erlingsson2019 import bounds
from proofs_check.lemmas.targets import local_guarantee, shuffled


def composed_steps(
    k: int, epsilon: Fraction, delta: Fraction, step_delta: Fraction
) -> BoundedNumber:
    """Return the smallest ε of k steps at kδ_step + δ; none is needed where that is 1."""
    allowed = k * step_delta + delta
    if allowed >= 1:
        return one_number("nothing is asked at a δ of 1", Exact(0))
    pair = composed_randomized_response(Epsilon.rational(epsilon), k, delta0=step_delta)
    words = "k-fold randomized response (optimal composition)"
    return one_number(words, Question(pair, Exact(allowed)))


def triangle(
    epsilon1: Fraction, delta1: Fraction, epsilon2: Fraction, delta2: Fraction
) -> BoundedNumber:
    """Return δ of μ_1 and μ_3.

    Below: μ_3 = (0, 1), μ_2 = (δ_2, 1 − δ_2), μ_1 = (s, 1 − s), s = δ_1 + e^ε_1 δ_2, and the two
    roles exchanged, where these laws are as close as is supposed. Above: the repair (a theorem in
    Coq), and 1.
    """
    x, y = Exact.exp(epsilon1), Exact.exp(epsilon2)
    one, two = Exact(delta1), Exact(delta2)
    first, second = one + x * two, two + y * one
    below = []
    if first <= 1 and 1 - two <= x * (1 - first) + one:
        below.append(("three laws on two points", first))
    if second <= 1 and 1 - one <= y * (1 - second) + two:
        below.append(("three laws on two points", second))
    largest = first if first >= second else second
    words = "the triangle inequality with other deltas (repair/lemma-3-triangle)"
    return BoundedNumber(tuple(below), ((words, largest), ("a probability", Exact(1))))


def sampled(q: Fraction, epsilon: Fraction) -> BoundedNumber:
    """Return the smallest ε' of the mixture: the largest loss of randomized response in it."""
    loss = Epsilon(1 - Exact(q) + Exact(q) * Exact.exp(epsilon))
    words = "randomized response for μ_1 and μ_0"
    return one_number(words, Exact(0) if loss.exp == 1 else loss.nats)


def client(levels: int, k: int, epsilon: Fraction) -> BoundedNumber:
    """Return the exact privacy of the client, over all of {−1, 0, 1}^d.

    Given the level, d' <= d signs u have mass 2^−d' (1 + (1/k) Σ s_κ/c_ε), s_κ in {−1, 0, 1} for
    each change. At the leaves m = min(k, d) of them are all right, or all wrong.
    """
    half = Epsilon.rational(epsilon / 2).exp
    share = Exact(Fraction(min(k, 2**levels), k)) * (half - 1) / (half + 1)
    loss = Epsilon((1 + share) / (1 - share))
    words = "all changes told right beside all told wrong, at the leaves"
    return one_number(words, Exact(0) if loss.exp == 1 else loss.nats)


def estimates(levels: int, n: int, k: int, epsilon: Fraction, beta: Fraction) -> BoundedNumber:
    """Return the deviation that Algorithm 2 exceeds with probability β, L = log_2 d.

    f̃_t is c_ε k L times a sum of n independent reports in [−1, 1] (a client reports at one level,
    and C has one node of it at most), of mean f_t L/(L + 1). So by Hoeffding's inequality, of one
    period from below (all users change at the first), and of d periods from above,

        n/(L+1) − c_ε k L √(2n ln(1/(1−β))) <= deviation
            <= n min(k,d)/(L+1) + c_ε k L √(2n ln(2d/β)).
    """

    def spread(logarithm: str) -> Number:
        def formula(f, *, levels, n, k, epsilon, beta):  # type: ignore[no-untyped-def]
            half = f.exp(epsilon / 2)
            many = (levels + 1) * f.log(f.constant(2)) - f.log(beta)
            log = many if logarithm == "many" else -f.log(1 - beta)
            return (half + 1) / (half - 1) * k * levels * f.sqrt(2 * n * log)

        return evaluate(formula, levels=levels, n=n, k=k, epsilon=epsilon, beta=beta)

    bias = Exact(Fraction(n, levels + 1))
    below = ("all users change at the first period (Hoeffding)", bias - spread("one"))
    above = ("the bias and the spread (Hoeffding)", bias * min(k, 2**levels) + spread("many"))
    return BoundedNumber((below,), (above,))


def swapped(n: int, epsilon0: Fraction, delta: Fraction) -> BoundedNumber:
    """Return the smallest ε of swapped users.

    If all others hold one input, swapping is shuffling. Above: Theorem 8 itself (in Coq), and one
    report alone.
    """
    below, _ = shuffled(n, epsilon0)
    asked = Exact(delta)
    found = asked_between(
        below,
        [local_guarantee(Epsilon.rational(epsilon0))],
        lambda one: Question(one.profile, asked),
    )
    itself = evaluate(bounds.general_bound, n=n, epsilon0=epsilon0, delta=delta)
    return BoundedNumber(found.below, (*found.above, ("this theorem (in Coq)", itself)))


def renyi_of_private(epsilon: Fraction, order: Fraction) -> BoundedNumber:
    """Return the largest Rényi divergence: that of randomized response."""
    one = local_guarantee(Epsilon.rational(epsilon))
    return one_number("binary randomized response, the worst", Question(one.profile, order))


def copied(n: int, epsilon0: Fraction, delta: Fraction) -> BoundedNumber:
    """Return the smallest ε if another user repeats the victim's report under its name."""
    one: Named = local_guarantee(Epsilon.rational(epsilon0))
    return one_number(
        "another user repeats the report, so it is not hidden", Question(one.profile, Exact(delta))
    )
