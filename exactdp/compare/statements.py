"""A registry's claim as a certificate: δ at the claimed ε, as a term that the kernel computes.

There are terms for mechanisms whose δ is a closed form, the same in both directions: Laplace and
Gaussian noise, pure guarantees (the worst of them is randomized response), Gaussians and pure
guarantees composed; and for two finite laws. They are written here anew, from the definitions.

Definitions: :func:`certificate_of_answer`, :func:`certificate_of_answers`, :func:`delta_term`.

References: B. Balle and Y.-X. Wang, Improving the Gaussian Mechanism for Differential Privacy,
ICML 2018, Theorem 8; P. Kairouz, S. Oh and P. Viswanath, The Composition Theorem for Differential
Privacy, ICML 2015, for randomized response.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from exactdp.claims import Certificate, Term, function, positive_part, sum_over, term
from exactdp.claims.laws import finite_pair, hockey_stick
from exactdp.compare.registry import EntryAnswer
from exactdp.numbers import Exact
from exactdp.numbers.arguments import any_epsilon
from exactdp.problems.composition import Composition
from exactdp.problems.guarantees import Guarantee
from exactdp.problems.laws import Law
from exactdp.problems.pairs import FinitePair
from exactdp.problems.sampling import SampledLaw

__all__ = ["certificate_of_answer", "certificate_of_answers", "delta_term"]

_PRECISION_BITS = 512
"""Bits of the kernel's balls: a δ of 1e-100 is a difference of numbers that agree so far."""

_MOST_COPIES = 1_000
"""The copies of one guarantee, at most: δ is a sum of as many terms."""


def certificate_of_answer(answer: EntryAnswer) -> Certificate | None:
    """Return a certificate that a claim holds, or is exceeded; None where there is no term.

    Formula:
        δ(ε) <= δ, or δ < δ(ε), for the claimed ε and δ.

    Example:
        >>> from exactdp.compare.registry import answer_of_entry, read_registry
        >>> [entry] = read_registry('''{"format": "exactdp-registry/1", "mechanism": "laplace",
        ...     "parameters": {"scale": "2"}, "claimed_epsilon": "1/4", "delta": "1e-5"}''')
        >>> [(sign, claimed, _)] = certificate_of_answer(answer_of_entry(entry)).conclusion
        >>> sign, claimed.json
        ('<', '0x1/0x186a0')
    """
    return certificate_of_answers([answer])


def certificate_of_answers(answers: Sequence[EntryAnswer]) -> Certificate | None:
    """Return one certificate of all claims for which there are terms; None if there is none."""
    relations = []
    for answer in answers:
        if answer.standing == "open":
            continue
        found = delta_term(answer.entry.law, answer.entry.epsilon)
        claimed = term(answer.entry.delta)
        if found is None:
            continue
        is_exceeded = answer.standing == "exceeded"
        relations.append(("<", claimed, found) if is_exceeded else ("<=", found, claimed))
    return Certificate(relations, precision_bits=_PRECISION_BITS) if relations else None


def delta_term(law: Law, epsilon: Exact) -> Term | None:
    """Return δ(ε), the larger of both directions, as a term; None if there is none of this law."""
    e = function("exp", epsilon)
    parts = [(p.problem, p.count) for p in law.parts] if isinstance(law, Composition) else []
    match law:
        case SampledLaw(kind="laplace", sampling=UnsetType()):
            top = _over_noise(law, "scale")
            if top is None:
                return None
            return 1 - function("exp", -positive_part(term(top - epsilon)) / 2)
        case SampledLaw():
            return _of_gaussians([(law, 1)], epsilon)
        case Guarantee():
            return _of_guarantees(law, 1, e)
        case FinitePair():
            p, q = ([mass.number for mass in side] for side in (law.p, law.q))
            return function(
                "max", hockey_stick(finite_pair(p, q), e), hockey_stick(finite_pair(q, p), e)
            )
        case Composition() if len(parts) == 1 and isinstance(parts[0][0], Guarantee):
            return _of_guarantees(parts[0][0], parts[0][1], e)
        case Composition():
            return _of_gaussians(parts, epsilon)
    return None


def _of_gaussians(parts: Sequence[tuple[Law, int]], epsilon: Exact) -> Term | None:
    """Return Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ), μ² the sum of Δ²/σ²; None of other noise."""
    square = Exact(0)
    for law, times in parts:
        if law.kind != "gaussian" or not isinstance(law, SampledLaw) or law.sampling is not UNSET:
            return None
        mean = _over_noise(law, "sigma")
        if mean is None:
            return None
        square += times * mean * mean
    if not square > 0:
        return None
    mu = function("sqrt", square)
    upper, lower = (sign * mu / 2 - epsilon / mu for sign in (term(1), term(-1)))
    below = function("exp", epsilon) * function("normal_cdf", lower)
    found: Term = function("normal_cdf", upper) - below
    return found


def _of_guarantees(law: Guarantee, times: int, e: Term) -> Term | None:
    """Return Σ C(n, i) (p^i q^(n − i) − e^ε q^i p^(n − i))+, p = e^ε0/(e^ε0 + 1), q = 1 − p."""
    if law.delta.number != 0 or times > _MOST_COPIES:
        return None
    odds = term(any_epsilon(law.epsilon.value).exp)
    whole = (1 + odds) ** times
    if times == 1:
        one: Term = positive_part(odds - e) / whole
        return one

    def part(i: Term) -> Term:
        excess: Term = positive_part(odds**i - e * odds ** (times - i))
        return function("binomial", times, i) * excess

    found: Term = sum_over("i", 0, times, part) / whole
    return found


def _over_noise(law: SampledLaw, scale: str) -> Exact | None:
    """Return the sensitivity over a scale of noise; None where one has roots or logarithms."""
    noise: Any = law.noise("$")
    size, spread = noise.sensitivity, getattr(noise, scale)
    return size / spread if isinstance(size, Exact) and isinstance(spread, Exact) else None
