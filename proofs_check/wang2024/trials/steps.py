"""Steps about errors of Section 6: for every law W, and with certified λ_k.

An error depends on W through Q = Σ_j w_j² alone, as a − b Q. So one is at most a multiple of
another for every Q of a range if it is at both ends, which the kernel decides by the coefficients,
and :func:`at_every_q` by values.

Definitions: :func:`chosen_rates`, :data:`DATA`, :func:`at_every_q`, :class:`AtMost`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from exactdp.audit.algebra import identity, nonnegative
from exactdp.claims.certificate import Rule
from exactdp.claims.proofs import Step, checked
from exactdp.claims.terms import Term, term
from exactdp.numbers import Epsilon
from proofs_check.wang2024.parameters import is_admissible
from proofs_check.wang2024.trials.scales import (
    GRID,
    LEVELS,
    UNIT,
    Measure,
    Study,
    error,
    measures,
    rates,
    setting_of,
)

KINDS = ("bound", "population", "empirical")

MARGIN = 1 + Fraction(1, 10**9)
"""An error that is at most another one over this is below it."""


def chosen_rates(*studies: Study) -> Step:
    """Return the step that the λ_k of the studies, at each m of the grid, are those of (7)."""

    def is_chosen(study: Study, m: Fraction) -> bool:
        setting = setting_of(study)
        return all(
            is_admissible(setting, m=m, rate=rate, epsilon=level)
            and (rate == 1 or not is_admissible(setting, m=m, rate=rate + UNIT, epsilon=level))
            for level, rate in zip(map(Epsilon.rational, LEVELS), rates(study, m), strict=True)
        )

    return checked(
        f"each λ_k meets (7), and is 1 or meets it no more with {UNIT} added, by balls",
        lambda: all(is_chosen(study, m) for study, m in product(studies, GRID)),
    )


DATA = (
    identity(
        "a user's part of an item's estimate, a z − b x (x = 1 with w, and then z = 1 with λ), has "
        "the variance w (λ a² − 2 λ a b + b²) − w² (λ a − b)²: in all, s and Q tell the error",
        "w rate a b",
        lambda w, rate, a, b: (
            w * rate * (a - b) ** 2 + w * (1 - rate) * b**2 - (w * (rate * a - b)) ** 2,
            w * (rate * a**2 - 2 * rate * a * b + b**2) - w**2 * (rate * a - b) ** 2,
        ),
    ),
    identity(
        "(w_j − μ)² is w_j² − 2 μ w_j + μ²: over d items it adds up to Q − 2 μ s + d μ²",
        "w mu",
        lambda w, mu: ((w - mu) ** 2, w**2 - 2 * mu * w + mu**2),
    ),
    identity(
        "at μ = s/d this is Q − s²/d, a sum of squares: Q is at least s²/d, whatever d is",
        "Q s d",
        lambda Q, s, d: (Q - 2 * (s / d) * s + d * (s / d) ** 2, Q - s**2 / d),
    ),
    nonnegative(
        "w_j − w_j² is at least 0 for w_j = t/(1 + t), so Q <= s",
        "t",
        lambda t: t / (1 + t) - (t / (1 + t)) ** 2,
    ),
)
"""What an error depends on, and the range of Q: s²/d <= Q <= s."""


@dataclass(frozen=True, slots=True)
class AtMost:
    """The relation that a study's error at m is at most ``factor`` times one, of any study.

    Under S_1. The kind is that of :class:`~proofs_check.wang2024.trials.scales.Measure`, and Q
    has the range, for both.
    """

    kind: str
    study: Study
    m: Fraction
    factor: Fraction
    other: Study
    at: Fraction
    between: tuple[Fraction, Fraction]

    def slack(self, q: Fraction) -> Fraction:
        """Return by how much the error is smaller at Q = q."""
        measure = Measure(self.kind, None if self.kind == "bound" else q)
        above = self.factor * error(self.other, "S_1", self.at, measure)
        return above - error(self.study, "S_1", self.m, measure)

    def holds(self) -> bool:
        """Return whether it holds at both ends, and the slack is a line: half their sum between."""
        low, high = self.between
        first, middle, last = map(self.slack, (low, (low + high) / 2, high))
        return first >= 0 and last >= 0 and first + last == 2 * middle

    @property
    def terms(self) -> Term:
        """The slack as a term of the variable Q."""
        return term(self.factor) * self._line(self.other, self.at) - self._line(self.study, self.m)

    def _line(self, study: Study, m: Fraction) -> Term:
        if self.kind == "bound":
            return term(error(study, "S_1", m, Measure("bound")))
        first, last = (error(study, "S_1", m, Measure(self.kind, Fraction(q))) for q in (0, 1))
        return term(first) - term(first - last) * Term("variable", "Q")


def at_every_q(text: str, found: Callable[[], Iterable[AtMost]]) -> Step:
    """Return the step that all of these hold, for every Q of their ranges; it fails with none."""

    def rules() -> Sequence[Rule]:
        ranges: dict[tuple[Fraction, Fraction], list[Any]] = {}
        for one in found():
            ranges.setdefault(one.between, []).append([one.terms, "coefficients"])
        return [
            Rule("nonnegative", {"variables": [["Q", term(low), term(high)]], "terms": terms})
            for (low, high), terms in ranges.items()
        ]

    def check() -> bool:
        wanted = list(found())
        return bool(wanted) and all(one.holds() for one in wanted)

    return checked(text, check, rules=rules)


def ends_of(study: Study) -> tuple[Fraction, Fraction]:
    """Return the least and the largest Q of a study."""
    known = [measure.q for measure in measures(study) if measure.q is not None]
    return min(known), max(known)
