"""Puts one statement on trial: untrusted search, then proof.

Order: enumerated instances, smallest first, so that a witness is as small as the
claim's own list of cases; then hypothesis' search with shrinking beyond them; then
the proof. A failure anywhere ends the trial. What is returned is what was found in
this run.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from hypothesis import HealthCheck, Phase, Verbosity, find, settings, target
from hypothesis.errors import NoSuchExample

from exactdp.claims import (
    Effort,
    Instance,
    Open,
    Outcome,
    Proof,
    Proved,
    Quantifier,
    Refuted,
    Statement,
    Survived,
    Undecided,
    Verdict,
)
from exactdp.numbers import Exact, decimal
from exactdp.truth import Truth

__all__ = ["decide"]

_LARGEST_SLACK = Fraction(10**6)
"""Beyond this a ratio says only that the claim is far from the truth."""

_EXAMPLES = {Effort.DEFAULT: 100, Effort.DEEP: 20_000}


@dataclass(slots=True)
class _Tally:
    """What the search has seen so far."""

    instances: int = 0
    undecided: int = 0
    first_undecided: str = ""
    slack: Fraction | None = None
    closest: str | None = None

    def record(self, at: Instance, outcome: Outcome) -> None:
        self.instances += 1
        if outcome.truth is Truth.UNKNOWN:
            self.undecided += 1
            self.first_undecided = self.first_undecided or f"{at}: {outcome.found}"
        if outcome.slack is not None and (self.slack is None or outcome.slack < self.slack):
            self.slack, self.closest = outcome.slack, str(at)


def decide(statement: Statement | Open, *, effort: Effort = Effort.DEFAULT) -> Verdict:
    """Return the verdict on a statement.

    Example:
        >>> squares = Statement(
        ...     instances=lambda effort: (Instance.of(n=n) for n in range(1, 50)),
        ...     holds=lambda at: Outcome(Truth.of(at["n"] ** 2 < 30), f"n^2 = {at['n'] ** 2}"),
        ... )
        >>> verdict = decide(squares)
        >>> verdict.label, verdict.witness, verdict.found
        ('refuted', 'n=6', 'n^2 = 36')
    """
    if isinstance(statement, Open):
        return Undecided(statement.reason)
    match statement.quantifier:
        case Quantifier.ALL:
            return _decide_all(statement, effort)
        case Quantifier.SOME:
            return _decide_some(statement, effort)


def _decide_all(statement: Statement, effort: Effort) -> Verdict:
    tally = _Tally()
    for at in statement.instances(effort):
        outcome = statement.holds(at)
        tally.record(at, outcome)
        if outcome.truth is Truth.FALSE:
            return _refuted(statement, at, outcome, tally)
    if statement.strategy is not None:
        failure = _search(statement, effort, tally)
        if failure is not None:
            return _refuted(statement, failure, statement.holds(failure), tally)
    if tally.undecided:
        return Undecided(
            f"{tally.undecided} of {tally.instances} instances could not be decided, "
            f"first {tally.first_undecided}",
            tally.instances,
        )
    if statement.proof is not None:
        found = statement.proof
        verdict = found.verdict() if isinstance(found, Proof) else found()
        if verdict is not None:
            return replace(verdict, instances=tally.instances)
    if statement.complete is not None:
        return Proved(
            statement.complete, f"all {tally.instances} instances computed", tally.instances
        )
    slack = None if tally.slack is None else decimal(Exact(tally.slack), digits=4)
    return Survived(tally.instances, slack, tally.closest, statement.domain)


def _decide_some(statement: Statement, effort: Effort) -> Verdict:
    count, last = 0, ""
    certificate = None
    for at in statement.instances(effort):
        count += 1
        outcome = statement.holds(at)
        if outcome.truth is Truth.TRUE:
            return Proved(f"an example: {at}", outcome.found, count)
        last, certificate = outcome.found or last, certificate or outcome.certificate
    if statement.complete is not None:
        shown = certificate() if certificate is not None else None
        where = f"none of {count}: {statement.complete}"
        return Refuted(where, last, shown, count, statement.falls)
    return Undecided(f"no example among {count} candidates; {last}", count)


def _refuted(statement: Statement, at: Instance, outcome: Outcome, tally: _Tally) -> Refuted:
    certificate = outcome.certificate() if outcome.certificate is not None else None
    return Refuted(str(at), outcome.found, certificate, tally.instances, statement.falls)


def _search(statement: Statement, effort: Effort, tally: _Tally) -> Instance | None:
    """Return a shrunk failing instance found by hypothesis, or None."""
    assert statement.strategy is not None

    def fails(at: Instance) -> bool:
        outcome = statement.holds(at)
        tally.record(at, outcome)
        if outcome.slack is not None:
            # The search climbs towards the smallest ratio claimed/true.
            target(-float(min(outcome.slack, _LARGEST_SLACK)), label="claimed/true")
        return outcome.truth is Truth.FALSE

    profile = settings(
        max_examples=_EXAMPLES[effort],
        derandomize=effort is Effort.DEFAULT,
        database=None,
        deadline=None,
        phases=[Phase.generate, Phase.target, Phase.shrink],
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )
    try:
        found: Instance = find(statement.strategy(), fails, settings=profile)
    except NoSuchExample:
        return None
    return found
