"""Proofs as data: steps, each checked by machine or said in words.

A proof all of whose steps a machine has checked is ``proved``; one with a step in words, or
with a lemma that is itself only argued, is ``argued``, and is never counted as proved.

Definitions: :class:`Step`, :class:`Proof`, :func:`proof`, :func:`checked`, :func:`words`,
:func:`lemma`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from exactdp.claims.verdicts import Argued, Proved
from exactdp.errors import DomainError
from exactdp.truth import Truth

__all__ = ["Proof", "Step", "checked", "lemma", "proof", "words"]


@dataclass(frozen=True, slots=True)
class Step:
    """One step.

    Attributes:
        text: What it establishes.
        check: Decides it by machine, and could fail; None for a step in words.
        cites: The id of a claim of ours that it rests on.
        rests_on: That claim's proof.
    """

    text: str
    check: Callable[[], bool | Truth] | None = None
    cites: str | None = None
    rests_on: Proof | None = None

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
        if type(answer) is not bool and type(answer) is not Truth:
            raise DomainError(
                f"the step {self.text!r} was checked with the answer {answer!r}. "
                "Return True, False or a Truth."
            )
        return answer is True or answer is Truth.TRUE

    def __str__(self) -> str:
        if self.cites is not None:
            return f"by {self.cites}: {self.text}"
        return f"checked: {self.text}" if self.check is not None else f"in words: {self.text}"


@dataclass(frozen=True, slots=True)
class Proof:
    """Steps that establish a statement on the whole of a domain; at least one.

    Example:
        >>> proof("all n", checked("1 + 1 is 2", lambda: 1 + 1 == 2)).verdict()
        Proved(domain='all n', by='checked: 1 + 1 is 2', instances=0, untested=None)
        >>> proof("all n", words("it is so")).verdict().label
        'argued'
    """

    domain: str
    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        if not self.steps:
            raise DomainError(f"the proof for {self.domain!r} has no step. Give one or more.")

    def verdict(self) -> Proved | Argued | None:
        """Check the steps; None if one fails."""
        if not _stands(self):
            return None
        if all(step.is_checked for step in self.steps):
            return Proved(self.domain, "; ".join(map(str, self.steps)))
        return Argued(self.domain, "; ".join(map(str, self.steps)))


@lru_cache(maxsize=1024)
def _stands(proof: Proof) -> bool:
    """Whether every step does; a lemma that many proofs cite is checked once."""
    return all(step.stands() for step in proof.steps)


def proof(domain: str, *steps: Step) -> Proof:
    """Return the proof of a statement on a domain, in words, by these steps."""
    return Proof(domain, steps)


def checked(text: str, check: Callable[[], bool | Truth]) -> Step:
    """Return a step that a machine decides each time; one that cannot fail is no such step."""
    return Step(text, check)


def words(text: str) -> Step:
    """Return a step in words."""
    return Step(text)


def lemma(cites: str, rests_on: Proof, text: str) -> Step:
    """Return a step that applies a claim of ours, by id."""
    return Step(text, None, cites, rests_on)
