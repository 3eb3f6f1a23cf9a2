"""The variants, each with the noise of its program, and the claim that all of them share.

An instance has the answers on two data sets, which differ by at most 1 each, and a report; the
claim is that its probability on the first is at most e^ε times that on the second. The threshold
is 0: another one is the same as other answers.

Definitions: :data:`VARIANTS`, :func:`likelihoods`, :func:`private`, :func:`fresh`,
:data:`once`, :func:`is_private`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

from exactdp.claims.forms import Relation, Said, at_most
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import function, named, term
from exactdp.mechanisms import AboveThreshold, above_threshold
from exactdp.numbers import Exact

Answers = tuple[Fraction | int, ...]


@dataclass(frozen=True, slots=True)
class Variant:
    """An algorithm, whose noise has scales times 1/ε, for answers of sensitivity 1.

    Attributes:
        threshold: The scale for the threshold.
        query: The scale for each answer.
        by_count: Which of the two (first, second) are multiplied by c.
        is_ended: Whether it ends after c answers above.
        renewed: Whether the threshold has new noise after each of them.
    """

    threshold: Fraction | int
    query: Fraction | int
    by_count: tuple[bool, bool] = (False, True)
    is_ended: bool = True
    renewed: bool = False

    @property
    def sharper(self) -> Variant:
        """This variant with half the noise on the answers."""
        return replace(self, query=Fraction(self.query, 2))

    def scales(self, epsilon: Any, c: Any) -> tuple[Any, Any]:
        """Return the scales of the noise on the threshold and each answer, of numbers or terms."""
        first, second = self.by_count
        return (
            (self.threshold * c if first else self.threshold) / epsilon,
            (self.query * c if second else self.query) / epsilon,
        )

    def at(self, epsilon: Fraction | int, c: int, cells: Sequence[Fraction] = ()) -> AboveThreshold:
        """Return it for ε and c; with cells, it tells the noisy answers that are above by them."""
        b1, b2 = self.scales(Fraction(epsilon), c)
        most = c if self.is_ended else None
        return above_threshold(
            threshold_scale=b1, query_scale=b2, most=most, renewed=self.renewed, cells=cells
        )


VARIANTS = {
    "algorithm-1": Variant(2, 4),
    "algorithm-1/monotone": Variant(2, 2),
    "algorithm-2": Variant(2, 4, by_count=(True, True), renewed=True),
    "algorithm-3": Variant(2, 2),
    "algorithm-4": Variant(4, Fraction(4, 3), by_count=(False, False)),
    "algorithm-5": Variant(2, 0, is_ended=False),
    "algorithm-6": Variant(2, 2, by_count=(False, False), is_ended=False),
    "numerical": Variant(3, 6),
}


def likelihoods(
    variant: Variant,
    epsilon: Fraction | int,
    c: int,
    report: Sequence[int],
    data: Sequence[Answers],
    x: Fraction | None = None,
) -> list[Exact]:
    """Return the probability of a report on each data, no answer told as more than x.

    Example:
        >>> likelihoods(VARIANTS["algorithm-3"], 1, 1, (0, 0, 0, 1), [(0, 0, 0, 0)], Fraction(0))
        [Exact('1/640')]
    """
    one = variant.at(epsilon, c, () if x is None else (x,))
    return [one.probability(answers, report) for answers in data]


def probability_by(
    b1: Any, b2: Any, c: int, answers: Answers, report: Sequence[int], *, renewed: bool = False
) -> Exact:
    """Return the probability of a report, by the scales of the noise."""
    one = above_threshold(threshold_scale=b1, query_scale=b2, most=c, renewed=renewed)
    return one.probability(answers, report)


once = quantity("(report_probability {0} {1} {3} {4})", name="Pr")(probability_by)
"""The probability of a report, by the two scales."""

_anew = quantity("(renewed_probability {0} {1} {3} {4})", name="Pr")(
    partial(probability_by, renewed=True)
)
"""The probability where the threshold has new noise after each answer above."""


def is_private(
    variant: Variant,
    epsilon: Any,
    c: Any,
    answers: Answers,
    neighbor: Answers,
    report: Sequence[int],
) -> Relation:
    """The probability of a report is at most e^ε times that on the neighbor, of numbers or not."""
    one, scales = _anew if variant.renewed else once, variant.scales(epsilon, c)
    p, q = (one(*scales, c, data, report) for data in (answers, neighbor))
    return at_most(p, function("exp", epsilon) * q)


def private(
    epsilon: Fraction,
    answers: Answers,
    neighbor: Answers,
    report: Sequence[int],
    c: int = 1,
    x: Fraction | None = None,
    *,
    variant: Variant,
) -> Said:
    """The probability of a report is at most e^ε times that on the neighbor."""
    p, q = likelihoods(variant, epsilon, c, report, (answers, neighbor), x)
    return _compared(p, q, epsilon, answers, neighbor)


def _compared(p: Exact, q: Exact, loss: Fraction, answers: Answers, neighbor: Answers) -> Said:
    """P is at most e^loss times Q, where no answer differs by more than 1."""
    bound = at_most(named("P", term(p)), function("exp", loss) * named("Q", term(q)))
    return bound.given(partial(_near, answers, neighbor))


def _near(answers: Answers, neighbor: Answers) -> list[Relation]:
    """Each answer is within the sensitivity, 1, of its neighbor."""
    return [at_most(abs(term(a) - b), 1) for a, b in zip(answers, neighbor, strict=True)]


@quantity("(told_at_most {0} {1} {2} {3})", name="told")
def fresh(b3: Fraction, x: Fraction, answers: Answers, report: Sequence[int]) -> Exact:
    """Return the probability that new noise of scale b3 takes no answer above beyond x.

    Example:
        >>> fresh(Fraction(1), Fraction(0), (5, 0), (0, 1))
        Exact('1/2')
    """
    found = Exact(1)
    for answer, letter in zip(answers, report, strict=False):
        tail = Exact.exp(-abs(x - answer) / Fraction(b3)) / 2
        if letter:
            found *= 1 - tail if x >= answer else tail
    return found
