"""Put one statement on trial: untrusted search, then proof, then the trial of the trial.

Order: enumerated instances, smallest first, so that a witness is as small as the
claim's own list of cases; then hypothesis' search beyond them (``beyond``); then
the proof. A failure anywhere ends the trial. What stands after that has its false
variant tried, up to the variant's first failure: a trial that does not refute it would
not have refuted the statement either. What is returned is what was found in this run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice

from exactdp.audit.ranges import Ranges
from exactdp.audit.vacuous import idle_part, unsearched
from exactdp.audit.variants import is_about
from exactdp.claims import (
    Absent,
    Argued,
    Beside,
    Certificate,
    Effort,
    Errored,
    Instance,
    Open,
    Outcome,
    ProofCertificate,
    Proved,
    Quantifier,
    Refuted,
    Standing,
    Statement,
    Survived,
    Undecided,
    Unspecified,
    Verdict,
)
from exactdp.claims.general import proved_form
from exactdp.claims.sides import sides_of
from exactdp.claims.verdicts import Evidence
from exactdp.errors import DomainError
from exactdp.numbers import Exact, decimal

__all__ = ["decide", "domain_of", "found_text"]


@dataclass(slots=True)
class _Tally:
    """The state of the search: instances tried, and the smallest slack so far."""

    instances: int = 0
    undecided: int = 0
    first_undecided: str = ""
    slack: Fraction | None = None
    closest: str | None = None
    beside: list[Beside] = field(default_factory=list)
    ranges: Ranges = field(default_factory=Ranges)

    def record(self, at: Instance, outcome: Outcome) -> None:
        self.instances += 1
        self.ranges.add(at)
        if outcome.truth.is_open:
            self.undecided += 1
            self.first_undecided = self.first_undecided or f"{at}: {outcome.found}"
        if outcome.slack is not None and (self.slack is None or outcome.slack < self.slack):
            self.slack, self.closest = outcome.slack, str(at)
        # The printed cell stands beside the exact value itself.
        where = Instance(tuple(field for field in at.values if field[0] != "cell"))
        self.beside += [replace(cell, at=cell.at or str(where)) for cell in outcome.beside]


def decide(statement: Statement | Open, *, effort: Effort = Effort.DEFAULT) -> Verdict:
    """Return the verdict on a statement; a variant that is not refuted makes it untested.

    Raises:
        DomainError: If a trial answers with anything but an Outcome.
        Exception: Whatever a trial raises; a note on it says at which instance.

    Example:
        >>> from exactdp.truth import Truth
        >>> squares = Statement(
        ...     instances=lambda effort: (Instance.of(n=n) for n in range(1, 50)),
        ...     holds=lambda at: Outcome(Truth.of(at["n"] ** 2 < 30), f"n^2 = {at['n'] ** 2}"),
        ... )
        >>> verdict = decide(squares)
        >>> verdict.label, verdict.witness, verdict.found
        ('refuted', 'n=6', 'n^2 = 36')
        >>> small = replace(squares, instances=lambda effort: [Instance.of(n=1)])
        >>> decide(small).untested
        'it has no false variant'
        >>> decide(replace(small, false_variant=small)).reason
        'no failure on 1 instance, no proof; but its false variant is survived, not refuted'
    """
    if isinstance(statement, Open):
        return _open(statement, effort)
    verdict = _searched(statement, effort)
    if not isinstance(verdict, Standing):
        return verdict
    if statement.false_variant is None:
        return replace(verdict, untested="it has no false variant")
    try:
        variant = _searched(statement.false_variant, Effort.DEFAULT, is_variant=True)
    except Exception as error:
        error.add_note("in its false variant")
        raise
    if not isinstance(variant, Refuted):
        problem = f"is {variant.label}, not refuted"
    elif _is_of(statement, statement.false_variant, variant):
        return verdict
    else:
        problem = f"is false whatever is claimed: at {variant.witness}, {variant.found}"
    return Undecided(f"{found_text(verdict)}; but its false variant {problem}", verdict.instances)


def _open(question: Open, effort: Effort) -> Undecided | Unspecified:
    """Return the missing facts, with values at which the sentence holds and at which it fails."""
    if not question.missing:
        return Undecided(question.reason)
    unspecified = Unspecified(question.reason, question.missing)
    if question.tried is None:
        return unspecified
    count, seen = 0, dict[str, str]()
    for at in question.tried.instances(effort):
        outcome, count = _outcome(question.tried, at), count + 1
        if not outcome.truth.is_open:
            word = "holds" if outcome.truth.is_certain else "fails"
            seen.setdefault(word, f"{word} at {at}: {outcome.found}")
        if len(seen) == 2:
            return replace(unspecified, instances=count, found="; ".join(seen.values()))
    said = "; ".join(seen.values()) or "nothing is decided"
    return Undecided(f"{question.reason}; but of {count} instances: {said}", count)


def _is_of(statement: Statement, variant: Statement, refuted: Refuted) -> bool:
    """Return whether a refuted variant is about the statement, at its listed witness."""
    listed = variant.instances(Effort.DEFAULT)
    at = next((at for at in listed if str(at) == refuted.witness), None)
    return at is None or is_about(variant, statement, at)


def found_text(verdict: Verdict) -> str:
    """Return the numbers found, in words."""
    match verdict:
        case Proved(domain, ()):
            text = f"{domain}: {verdict.found}"
        case Proved(domain, steps) | Argued(domain, steps):
            text = f"{domain}: {'; '.join(map(str, steps))}"
        case Refuted(witness, found):
            falls = f" ({verdict.falls.value} falls)" if verdict.falls else ""
            shown = "" if verdict.certificate else "; no certificate shows it"
            return f"at {witness}: {found}{falls}{shown}"
        case Survived(instances, slack, closest, unproved):
            ratio = f"; smallest claimed/true {slack} at {closest}" if slack else ""
            why = f" that counts: {unproved}" if unproved else ""
            drawn = verdict.drawn
            of = f" ({instances - drawn} listed, {drawn} drawn)" if drawn else ""
            many = "1 instance" if instances == 1 else f"{instances} instances"
            text = f"no failure on {many}{of}, no proof{why}{ratio}"
        case Unspecified(reason, missing):
            shown = f"; {verdict.found}" if verdict.found else ""
            return f"{reason}{shown}; the print does not say: {'; '.join(missing)}"
        case Undecided(reason) | Errored(reason) | Absent(reason):
            return reason
    return f"{text}; untested: {verdict.untested}" if verdict.untested else text


def _searched(statement: Statement, effort: Effort, *, is_variant: bool = False) -> Verdict:
    match statement.quantifier:
        case Quantifier.ALL:
            return _decide_all(statement, effort, is_variant=is_variant)
        case Quantifier.SOME:
            return _decide_some(statement, effort, is_variant=is_variant)


def _decide_all(statement: Statement, effort: Effort, *, is_variant: bool = False) -> Verdict:
    tally = _Tally()
    shown: list[tuple[Instance, Outcome]] = []
    instances = iter(statement.instances(effort))
    for at in instances:
        outcome = _outcome(statement, at)
        tally.record(at, outcome)
        if statement.complete and statement.proof is None:
            shown.append((at, outcome))
        if not outcome.truth.is_possible:
            if is_variant:  # nobody asks for its certificate, which may be long
                outcome = replace(outcome, certificate=None)
            refuted = _refuted(statement, at, outcome, tally)
            if not outcome.beside:
                return refuted
            for other in instances:  # the witness is found; a reader wants the whole table
                tally.record(other, _outcome(statement, other))
            return replace(refuted, beside=tuple(tally.beside))
    listed = tally.instances
    if statement.strategy is not None:

        def recorded(at: Instance) -> Outcome:
            outcome = _outcome(statement, at)
            tally.record(at, outcome)
            return outcome

        def decided(at: Instance) -> Outcome:
            outcome = _outcome(statement, at)
            if not outcome.truth.is_open:  # so far out that it says nothing
                tally.record(at, outcome)
            return outcome

        # Who searches loads hypothesis; who compares a statement at its witness does not.
        from exactdp.audit.beyond import failure_beyond

        failure = failure_beyond(statement, effort, recorded)
        if failure is None and statement.far is not None:
            from exactdp.audit.far import failure_far

            failure = failure_far(statement, effort, decided)
        if failure is not None:
            return _refuted(statement, failure, _outcome(statement, failure), tally)
    if tally.undecided or not tally.instances:
        return _undecided(tally)
    slack, closest = _slack(tally.slack), tally.closest
    uncounted = None
    if statement.proof is not None:
        form = proved_form(statement)
        uncounted = form if isinstance(form, str) else statement.proof.refusal()
        if not uncounted and (idle := idle_part(statement)):
            uncounted = f"the claim is the same whatever {idle} is"
        if not uncounted and not statement.proof.is_of(statement):
            uncounted = unsearched(statement)
        verdict = None if uncounted else statement.proof.verdict(domain_of(statement), statement)
        if verdict is not None:
            return replace(verdict, instances=tally.instances, slack=slack, closest=closest)
    beside = tuple(tally.beside)
    if statement.complete and statement.proof is None:
        domain = domain_of(statement)
        uncounted = _missing(statement, [at for at, _ in shown])
    if statement.complete and uncounted is None:
        return Proved(
            domain,
            instances=len(shown),
            certificate=_listed(domain, shown),
            beside=beside,
            slack=slack,
            closest=closest,
            found="its one instance computed"
            if len(shown) == 1
            else f"all {len(shown)} instances computed",
        )
    found = Survived(tally.instances, slack, closest, uncounted, beside=beside)
    return replace(found, tried=str(tally.ranges), drawn=tally.instances - listed)


def _missing(statement: Statement, tried: Sequence[Instance]) -> str | None:
    """Return why instances, each of them in the domain, are not all of it; None where they are."""
    if statement.domain is None:
        return "no domain is declared of which they could be all"
    count = len({str(at) for at in tried})
    more = sum(1 for _ in islice(statement.domain.members(), count + 1)) - count
    return f"they are {count} of {statement.domain}, which has more" if more else None


def _slack(ratio: Fraction | None) -> str | None:
    return None if ratio is None else "1" if ratio == 1 else decimal(Exact(ratio), digits=4)


def _decide_some(statement: Statement, effort: Effort, *, is_variant: bool = False) -> Verdict:
    """Decide by an example, or by all of a counted domain; a false variant by its candidates."""
    tally, last = _Tally(), ""
    certificate, tried = None, list[Instance]()
    for at in statement.instances(effort):
        outcome = _outcome(statement, at)
        tally.record(at, outcome)
        if outcome.truth.is_certain:
            domain, cells = f"an example: {at}", outcome.beside
            listed = _listed(domain, [(at, outcome)])
            return Proved(
                domain,
                instances=tally.instances,
                certificate=listed,
                beside=cells,
                found=outcome.found,
            )
        tried.append(at)
        last, certificate = outcome.found or last, certificate or outcome.certificate
    count = tally.instances
    is_whole = is_variant or (statement.complete and _missing(statement, tried) is None)
    if not count or (is_whole and tally.undecided):
        return _undecided(tally)
    if is_whole:
        shown = certificate() if certificate is not None else None
        where = f"none of {count}: {domain_of(statement) or 'the candidates'}"
        return Refuted(where, last, shown, count, statement.falls, sides=sides_of(shown))
    found = f"no example among {count} candidates; {last}"
    return Undecided(found, count, tuple(tally.beside))


def _listed(domain: str, shown: Sequence[tuple[Instance, Outcome]]) -> Evidence | None:
    """Return the instances for the kernel, if each has its evidence."""
    listed: list[tuple[str, Certificate | ProofCertificate]] = []
    for at, outcome in shown:
        one = None if outcome.certificate is None else outcome.certificate()
        if not isinstance(one, Certificate | ProofCertificate):
            return None
        listed.append((str(at), one))
    return ProofCertificate.of_instances(domain, listed)


def domain_of(statement: Statement) -> str:
    """Return the domain that a statement declares, as it is printed; "" where it declares none."""
    return "" if statement.domain is None else str(statement.domain)


def _outcome(statement: Statement, at: Instance) -> Outcome:
    """Return the decision at an instance; an error gets a note that names the instance."""
    try:
        if statement.domain is not None and not statement.domain.admits(at.mapping()):
            raise DomainError(f"it is tried outside its domain, {statement.domain}. Mend one.")
        outcome = statement.holds(at)
        if not isinstance(outcome, Outcome):
            raise DomainError(f"the trial answers {outcome!r}. Return an Outcome.")
    except Exception as error:
        error.add_note(f"at {at}")
        raise
    return outcome


def _undecided(tally: _Tally) -> Undecided:
    if not tally.instances:
        return Undecided("no instances: it was tried nowhere")
    return Undecided(
        f"{tally.undecided} of {tally.instances} instances could not be decided, "
        f"first {tally.first_undecided}",
        tally.instances,
        tuple(tally.beside),
    )


def _refuted(statement: Statement, at: Instance, outcome: Outcome, tally: _Tally) -> Refuted:
    certificate = outcome.certificate() if outcome.certificate is not None else None
    return Refuted(
        str(at),
        outcome.found,
        certificate,
        tally.instances,
        outcome.falls or statement.falls,
        at=at.plain(),
        sides=sides_of(certificate),
        over=outcome.over,
    )
