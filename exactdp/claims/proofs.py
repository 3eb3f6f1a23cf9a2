"""Proofs as data: steps, each checked by machine or said in words.

A claim is ``proved`` only by a proof whose last line is the claim itself: its relations on its
domain, as they are built from symbols, on a ground that this library checks by code of its own
(:class:`Ground`). Steps that lead to it in words are an argument, and so are checked steps that do
not end in it: the claim is ``argued``, and is never counted as proved.

Definitions: :class:`Step`, :class:`Proof`, :class:`Ground`, :func:`proof`, :func:`checked`,
:func:`words`, :func:`lemma`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Literal, Protocol

from exactdp.claims.certificate import ProofCertificate, Rule
from exactdp.claims.verdicts import Argued, Proved, StepRecord
from exactdp.errors import DomainError
from exactdp.truth import Truth

__all__ = ["Checker", "Ground", "Proof", "Step", "checked", "lemma", "proof", "words"]

Checker = Literal["kernel", "coq", "engine", "words"]
"""What a step, or a proof, rests on: the kernel, a theorem in Coq, the engine's own check
(sympy, balls), or words."""

_WEAKEST_LAST: tuple[Checker, ...] = ("kernel", "coq", "engine", "words")


_GROUNDS = ("exactdp.audit.claimed", "exactdp.coq.theorems")
"""Where grounds are defined, and nowhere else."""


class Ground:
    """Evidence of a step that this library checks itself, not its author.

    Attributes:
        rests: What it rests on.
        statement: The claim that it shows; None for a step that is not the claim.
    """

    __slots__ = ()
    rests: ClassVar[Checker]
    statement: Any

    def __init_subclass__(cls) -> None:
        if cls.__module__ not in _GROUNDS:
            raise DomainError(
                f"{cls.__qualname__} is not a ground of a proof that this library checks. "
                "Use in_numbers(...), a theorem of proofs_check/coq, or checked(...)."
            )

    def refusal(self) -> str:
        """Return why it does not show its step; "" where it does."""
        return f"{type(self).__name__} does not say how it is checked"

    def rules(self) -> Sequence[Rule] | None:
        """Return it as the kernel has it; None if the kernel has no rule for it."""
        return None

    def is_of(self, statement: Any) -> bool:
        """Return whether it shows this claim: the same relations, on the same domain."""
        own = self.statement
        return own is not None and own.form is statement.form and own.domain is statement.domain


def _is_ground(kind: type[Ground]) -> bool:
    """Return whether a class is one that a module of grounds defines, and not one that says so."""
    module = sys.modules[kind.__module__] if kind.__module__ in _GROUNDS else None
    return getattr(module, kind.__qualname__, None) is kind


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
        ground: What it rests on instead of ``check`` and ``rules``.

    Raises:
        DomainError: If it has a ground beside a check, or one that is none.
    """

    text: str
    check: Callable[[], bool | Truth] | None = None
    cites: str | None = None
    rests_on: Proof | None = None
    rules: Callable[[], Sequence[Rule]] | None = None
    ground: Ground | None = None

    def __post_init__(self) -> None:
        if self.ground is None:
            return
        is_own = isinstance(self.ground, Ground) and _is_ground(type(self.ground))
        if not is_own or (self.check, self.rules) != (None, None):
            raise DomainError(
                f"the step {self.text!r} has the ground {self.ground!r:.80} beside its check. "
                "Give a check, or a ground that the library makes."
            )

    @property
    def rests(self) -> Checker:
        """The evidence it rests on; with a lemma, the weakest in its proof."""
        if self.ground is not None:
            return self.ground.rests
        if self.rests_on is not None:
            return self.rests_on.rests
        return "words" if self.check is None else "engine" if self.rules is None else "kernel"

    @property
    def is_checked(self) -> bool:
        """True if a machine has checked it, or all of the lemma that it cites."""
        if self.rests_on is not None:
            return all(step.is_checked for step in self.rests_on.steps)
        return self.check is not None or self.ground is not None

    def written(self) -> Sequence[Rule] | None:
        """Return it as the kernel has it; None if the kernel has no rule for it."""
        if self.ground is not None:
            return self.ground.rules()
        return None if self.rules is None else self.rules()

    def stands(self) -> bool:
        """Return whether the check, and the proof of the lemma that it cites, go through.

        Raises:
            DomainError: If the check answers with anything but True, False or a Truth.
        """
        if self.rests_on is not None and not _stands(self.rests_on):
            return False
        if self.ground is not None:
            return not self.ground.refusal()
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

    def is_of(self, statement: Any) -> bool:
        """Return whether all steps are checked by machine, and the last one is this claim."""
        ground = self.steps[-1].ground
        return ground is not None and ground.is_of(statement) and self.is_checked

    def refusal(self) -> str:
        """Return the first step that does not hold, and why if that is known; "" if all do."""
        failing = next((step for step in self.steps if not step.stands()), None)
        if failing is None:
            return ""
        why = "" if failing.ground is None else failing.ground.refusal()
        return f"the step does not hold: {failing.text}" + (f" ({why})" if why else "")

    def verdict(self, domain: str, statement: Any = None) -> Proved | Argued | None:
        """Check the steps; None if one fails.

        Args:
            domain: The set on which the statement is claimed, in words.
            statement: The claim; a proof is an argument for any but the one that it is of.
        """
        if not _stands(self):
            return None
        kind = Proved if statement is not None and self.is_of(statement) else Argued
        certificate = self.certificate(domain)
        return kind(domain, self.records(), certificate=certificate)

    def records(self) -> tuple[StepRecord, ...]:
        """Return the steps as they are kept, without checking them."""
        kernel = self.is_checked
        return tuple(step.record(kernel=kernel) for step in self.steps)

    @property
    def is_checked(self) -> bool:
        """True if a machine has checked every step."""
        return all(step.is_checked for step in self.steps)

    @property
    def rests(self) -> Checker:
        """The weakest evidence of its steps."""
        return max((step.rests for step in self.steps), key=_WEAKEST_LAST.index)

    def certificate(self, domain: str) -> ProofCertificate | None:
        """Return the steps that the kernel has rules for, those of lemmas too.

        None if there is no such step, or one that no machine has checked.
        """
        if not self.is_checked:
            return None
        rules = [(step.text, x) for step in _leaves(self) for x in step.written() or ()]
        return ProofCertificate(domain, rules) if rules else None


def _leaves(proof: Proof) -> Iterator[Step]:
    for step in proof.steps:
        if step.rests_on is None:
            yield step
        else:
            yield from _leaves(step.rests_on)


@lru_cache(maxsize=1024)
def _stands(proof: Proof) -> bool:
    """Return whether every step does; a lemma that many proofs cite is checked once."""
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
