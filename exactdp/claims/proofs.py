"""Proofs as data: steps, each checked by machine or said in words.

A claim is ``proved`` only by a proof whose last line, checked by machine, is the claim itself: its
relations on its domain. Steps that lead to it in words are an argument, and so are checked steps
that do not end in it: the claim is ``argued``, and is never counted as proved.

Definitions: :class:`Step`, :class:`Proof`, :func:`proof`, :func:`checked`, :func:`words`,
:func:`lemma`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, Protocol

from exactdp.claims.certificate import ProofCertificate, Rule
from exactdp.claims.verdicts import Argued, Proved, StepRecord
from exactdp.errors import DomainError
from exactdp.truth import Truth

__all__ = ["Checker", "Proof", "Step", "checked", "lemma", "proof", "words"]

Checker = Literal["kernel", "coq", "engine", "words"]
"""What a step, or a proof, rests on: the kernel, a theorem in Coq, the engine's own check
(sympy, balls), or words."""

_WEAKEST_LAST: tuple[Checker, ...] = ("kernel", "coq", "engine", "words")


class HasProof(Protocol):
    """A statement, as far as a lemma cites it."""

    @property
    def proof(self) -> Proof | None:
        """Its proof, if there is one."""
        ...


@dataclass(frozen=True, slots=True)
class Step:
    """One step.

    Attributes:
        text: The sentence that it establishes.
        check: Decides it by machine, and could fail; None for a step in words.
        cites: The id of a claim of ours that it rests on.
        rests_on: The proof of the claim that it cites.
        rules: Writes the step down for the kernel, where its rules show it.
        evidence: The ground it rests on, if neither a rule of the kernel nor the engine's check.
        is_claim: Whether what is checked is the claim itself: its relations, on its domain.
    """

    text: str
    check: Callable[[], bool | Truth] | None = None
    cites: str | None = None
    rests_on: Proof | None = None
    rules: Callable[[], Sequence[Rule]] | None = None
    evidence: Checker | None = None
    is_claim: bool = False

    @property
    def rests(self) -> Checker:
        """What it rests on; with a lemma, on what is weakest in its proof."""
        if self.evidence is not None:
            return self.evidence
        if self.rests_on is not None:
            return self.rests_on.rests
        return "words" if self.check is None else "engine" if self.rules is None else "kernel"

    @property
    def is_checked(self) -> bool:
        """Whether a machine has checked it, or all of the lemma that it cites."""
        if self.rests_on is not None:
            return all(step.is_checked for step in self.rests_on.steps)
        return self.check is not None

    def stands(self) -> bool:
        """Return whether the check, and the proof of the lemma that it cites, go through.

        Raises:
            DomainError: If the check answers with anything but True, False or a Truth.
        """
        if self.rests_on is not None and not _stands(self.rests_on):
            return False
        answer = True if self.check is None else self.check()
        if type(answer) is bool:
            return answer
        if type(answer) is not Truth:
            raise DomainError(
                f"the step {self.text!r} was checked with the answer {answer!r}. "
                "Return True, False or a Truth."
            )
        return answer.is_certain

    def record(self, *, kernel: bool) -> StepRecord:
        """Return the step as it is kept; ``kernel`` says whether the kernel is given the proof."""
        if self.cites is not None:
            return StepRecord(self.text, "claim", self.cites)
        rests = self.rests
        return StepRecord(self.text, "engine" if rests == "kernel" and not kernel else rests)


@dataclass(frozen=True, slots=True)
class Proof:
    """Steps that establish a statement on the whole of its domain; at least one.

    Example:
        >>> found = proof(checked("1 + 1 is 2", lambda: 1 + 1 == 2)).verdict("all n")
        >>> found.label, found.steps
        ('argued', (StepRecord(text='1 + 1 is 2', rests='engine', cites=None),))
    """

    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        if not self.steps:
            raise DomainError("the proof has no step. Give one or more.")

    @property
    def is_of_claim(self) -> bool:
        """Whether all steps are checked by machine, and the last one is the claim itself."""
        return self.steps[-1].is_claim and self.is_checked

    def verdict(self, domain: str) -> Proved | Argued | None:
        """Check the steps; None if one fails.

        Args:
            domain: The set on which the statement is claimed, in words.
        """
        if not _stands(self):
            return None
        kind = Proved if self.is_of_claim else Argued
        certificate = self.certificate(domain)
        return kind(domain, self.records(), certificate=certificate)

    def records(self) -> tuple[StepRecord, ...]:
        """Return the steps as they are kept, without checking them."""
        kernel = self.is_checked
        return tuple(step.record(kernel=kernel) for step in self.steps)

    @property
    def is_checked(self) -> bool:
        """Whether a machine has checked every step."""
        return all(step.is_checked for step in self.steps)

    @property
    def rests(self) -> Checker:
        """What the weakest of its steps rests on."""
        return max((step.rests for step in self.steps), key=_WEAKEST_LAST.index)

    def certificate(self, domain: str) -> ProofCertificate | None:
        """Return the steps that the kernel has rules for, those of lemmas too.

        None if there is no such step, or one that no machine has checked.
        """
        written = [(step.text, step.rules()) for step in _leaves(self) if step.rules is not None]
        if not (written and self.is_checked):
            return None
        return ProofCertificate(domain, [(text, x) for text, rules in written for x in rules])


def _leaves(proof: Proof) -> Iterator[Step]:
    for step in proof.steps:
        if step.rests_on is None:
            yield step
        else:
            yield from _leaves(step.rests_on)


@lru_cache(maxsize=1024)
def _stands(proof: Proof) -> bool:
    """Whether every step does; a lemma that many proofs cite is checked once."""
    return all(step.stands() for step in proof.steps)


def proof(*steps: Step) -> Proof:
    """Return the proof of a statement on its domain by these steps."""
    return Proof(steps)


def checked(
    text: str,
    check: Callable[[], bool | Truth],
    *,
    rules: Callable[[], Sequence[Rule]] | None = None,
) -> Step:
    """Return a step that a machine decides each time; one that cannot fail is no such step.

    ``rules`` writes it down for the kernel.
    """
    return Step(text, check, rules=rules)


def words(text: str) -> Step:
    """Return a step in words."""
    return Step(text)


def lemma(cites: str, rests_on: Proof | HasProof | None, text: str) -> Step:
    """Return a step that applies a claim of ours, by id; by its proof, or the statement with it.

    Raises:
        DomainError: If it has no proof.
    """
    found = rests_on if isinstance(rests_on, Proof | None) else rests_on.proof
    if found is None:
        raise DomainError(f"the lemma {cites} has no proof. Cite one that has.")
    return Step(text, None, cites, found)
