"""Statements, and the relation of one at one instance.

A :class:`Claim` is data: a permanent id, what it says, where it stands, and one
or more readings. A reading is a :class:`Statement` (a quantifier over instances,
a decision at one instance, possibly a proof) or an :class:`Open` question with the
reason why it cannot be put on trial. Nothing here searches; ``exactdp.audit`` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import Any, Literal

from exactdp.claims.built import Form
from exactdp.claims.domains import Domain
from exactdp.claims.proofs import Proof
from exactdp.claims.verdicts import Beside, Evidence, Falls, Instance
from exactdp.errors import DomainError
from exactdp.truth import Truth

__all__ = [
    "APART",
    "Claim",
    "Effort",
    "Open",
    "Outcome",
    "Paper",
    "Quantifier",
    "Source",
    "Statement",
]


APART = {
    "hypothetical": "hypothetical: nobody is known to mean it",
    "asked_by_us": "asked by us: no text promises it",
}
"""Why a reading is counted nowhere, in words."""


class Effort(Enum):
    """The length of a search: the default trial, or hours."""

    DEFAULT = "default"
    DEEP = "deep"


class Quantifier(Enum):
    """The quantifier of a statement: it must hold at all its instances, or at some."""

    ALL = "all"
    SOME = "some"


@dataclass(frozen=True, slots=True)
class Source:
    """The place where a claim is printed, and the version that was read ("" if unknown)."""

    paper: str
    locator: str
    read: str = ""

    def __str__(self) -> str:
        return f"{self.paper}, {self.locator}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The decision at one instance.

    Raises:
        DomainError: If a part is of another type: ``False`` is not a :class:`Truth`.

    Attributes:
        truth: Whether the statement holds there.
        found: The result of the computation, in one line.
        certificate: Evidence for the decision that the kernel can check, if there is any. A
            function, because it is only needed for what is kept.
        slack: The ratio claimed/true, where the statement is a bound.
        beside: The cells of a printed table that it is about, beside the exact values.
        over: Where it fails: the truth over the claimed number, an enclosure.
        falls: What falls there, where that is less than what the statement says.
        nearness: Returns how far it is from failing, about: 0 at its end, 1 far away; a search
            climbs towards what is nearest.
        uncomputed: Returns the certificate of a failure without computing it, where that is less
            work: to compare it with one that the kernel has accepted.
    """

    truth: Truth
    found: str = ""
    certificate: Callable[[], Evidence | None] | None = None
    slack: Fraction | None = None
    beside: tuple[Beside, ...] = ()
    over: tuple[Fraction, Fraction] | None = None
    falls: Falls | None = None
    nearness: Callable[[], float] | None = field(default=None, repr=False, compare=False)
    uncomputed: Callable[[], Evidence | None] | None = field(
        default=None, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        if type(self.truth) is not Truth:
            raise DomainError(
                f"truth={self.truth!r} is not a Truth, and would count as neither yes nor no. "
                "Write Truth.of(...) of a bool, or Truth.UNKNOWN."
            )
        if not isinstance(self.found, str):
            raise DomainError(f"found={self.found!r} is not a text. Write it out.")
        if self.certificate is not None and not callable(self.certificate):
            raise DomainError(f"certificate={self.certificate!r} is not a function that makes one.")
        if self.slack is not None and type(self.slack) is not Fraction:
            raise DomainError(
                f"slack={self.slack!r} is not a Fraction. Give the exact ratio, or none."
            )


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement over instances.

    Attributes:
        instances: Yields instances, smallest and simplest first.
        holds: Decides the statement at one instance.
        quantifier: ALL (a failure refutes) or SOME (an example proves).
        strategy: A hypothesis strategy for instances beyond the enumerated ones.
        far: One for instances over the whole domain, integers up to a number; or, where it has few,
            at most as many as the second number, all of them.
        wide: One for a campaign over all that is documented, integers up to a number, where that is
            not ``far``: each instance takes a while.
        again: An instance that was kept, as it is now: with what a library answers today.
        draws: How many of the first a search draws; a long one 200 times as many.
        tells: How much a failure tells a reader: of those that a search draws the one that tells
            most is kept. Where it is None the first is.
        complete: Whether the enumeration is said to exhaust the domain: as many instances as that
            has decide the statement.
        domain: What the variables may be; every instance is in it.
        proof: Establishes the statement over a stated domain, or does not.
        false_variant: A nearby statement that the audit must refute: it shows that the
            audit would have noticed. Without one the verdict says that it is untested;
            where it is not refuted, the statement is undecided.
        falls: What falls if the statement is refuted.
        read: An instance from its text, where the enumeration asks what may not be here: so a
            certificate can be compared with the claim on any machine.
        says: What ``holds`` decides, as a function of an instance's values by name: relations
            between terms, or an outcome. None if it is not written so.
        is_exact: Whether a campaign refutes it by rounding, too, which decides no other statement.
        unit: What the numbers are that it compares, such as δ; "" where no text needs it.
        worse: Whether more (">") or less ("<") of that is worse for who relies on it.
        variables: The names of an instance's values, in order.
        form: What ``says`` says of symbols, asked once: a claim with a proof is decided at an
            instance by its values.
    """

    instances: Callable[[Effort], Iterable[Instance]]
    holds: Callable[[Instance], Outcome]
    quantifier: Quantifier = Quantifier.ALL
    strategy: Callable[[], Any] | None = None
    far: Callable[..., Any] | None = None
    wide: Callable[[int], Any] | None = None
    again: Callable[[Instance], Iterable[Instance]] | None = None
    draws: int = 100
    tells: Callable[[Instance, Outcome], tuple[int, float]] | None = None
    complete: bool = False
    domain: Domain | None = None
    proof: Proof | None = None
    false_variant: Statement | None = None
    falls: Falls | None = None
    read: Callable[[str], Instance] | None = None
    says: Callable[..., Any] | None = None
    is_exact: bool = False
    unit: str = ""
    worse: Literal["<", ">"] = ">"
    variables: tuple[str, ...] = ()
    form: Form | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.says is None:
            return
        known = self.form
        is_own = type(known) is Form and known.says is self.says
        if not (is_own and known is not None and known.variables == self.variables):
            object.__setattr__(self, "form", Form(self.says, self.variables))


@dataclass(frozen=True, slots=True)
class Open:
    """A question that the audit cannot put on trial, with the reason.

    Where the print fixes too little, ``missing`` lists what it leaves out.

    Raises:
        DomainError: If it is tried, and nothing is missing.

    Attributes:
        reason: Why; where something is missing, how the verdict depends on it.
        missing: What the print would have to say.
        tried: The sentence over values that the print allows: the audit must find one at which it
            holds and one at which it fails, or the verdict is not seen to depend on them.
    """

    reason: str
    missing: tuple[str, ...] = ()
    tried: Statement | None = None

    def __post_init__(self) -> None:
        if self.tried is not None and not self.missing:
            raise DomainError("a question that is tried lacks something. Say what is missing.")


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim of a paper.

    Attributes:
        id: Permanent, ``paper/place``.
        says: What it asserts, in words and formulas.
        source: Where it is printed.
        readings: One entry under "" if the print is unambiguous, else one a
            reading, under "a", "b", ....
        repair: The id of a claim that mends this one, if it falls.
        reading_says: What each reading takes the print to mean.
        withdrawn: Where the authors have taken it back themselves, or None.
        hypothetical: The readings that nobody can be shown to have claimed.
        words: The words of the source, as they are printed.
        asked_by_us: The readings whose side nobody has promised: they are not broken promises.
        known: What was said of it before, in the text itself or in public.
        causes: Reading -> the error behind its refutation, by its name ``paper/key``.
        about: The library and version that it is about, ``name==version``, if its trial has to
            ask one: elsewhere it is not tried.
        files: Where that is not a distribution: its files, each with its SHA-256 at that version.
    """

    id: str
    says: str
    source: Source
    readings: Mapping[str, Statement | Open]
    repair: str | None = None
    reading_says: Mapping[str, str] = field(default_factory=dict)
    withdrawn: str | None = None
    hypothetical: frozenset[str] = frozenset()
    words: str | None = None
    asked_by_us: frozenset[str] = frozenset()
    known: str | None = None
    causes: Mapping[str, str] = field(default_factory=dict)
    about: str | None = None
    files: Mapping[str, str] = field(default_factory=dict)

    def apart(self, reading: str) -> tuple[str, ...]:
        """Return why a reading is counted nowhere, in words; empty if somebody claims it."""
        of = {"hypothetical": self.hypothetical, "asked_by_us": self.asked_by_us}
        return tuple(APART[why] for why, readings in of.items() if reading in readings)

    def __post_init__(self) -> None:
        if not self.readings or ("" in self.readings and len(self.readings) > 1):
            raise DomainError(
                f"claim {self.id!r} has readings {list(self.readings)}. "
                'Give one reading "", or readings "a", "b", ....'
            )
        for key, reading in self.readings.items():
            if not isinstance(reading, Statement | Open):
                raise DomainError(
                    f"the trial of {self.id!r}{f' ({key})' if key else ''} is {reading!r}. "
                    "Give a Statement (for_all, some) or Open with the reason."
                )


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper on trial: its claims, in the paper's order, and its kept evidence.

    Attributes:
        key: The short name used on the command line, such as ``biswas2023``.
        citation: Authors, title, year.
        causes: What the errors are that its claims name, ``paper/key`` -> a sentence.
        mends: What would mend them, by the same names or a claim's id: a claim's id, or words.
        claims: Returns the claims (a function, so that listing papers is quick).
        folder: The path of the folder that keeps inventory and certificates.
        parts: What the ids of a part begin with -> a function that returns the part's claims; all
            of them together are the claims. A paper whose claims are one catalog has none.
        alone: Returns the claim with an id without the trials of others; None if it cannot.
    """

    key: str
    citation: str
    claims: Callable[[], tuple[Claim, ...]]
    folder: str = field(default="")
    parts: Mapping[str, Callable[[], tuple[Claim, ...]]] = field(default_factory=dict)
    causes: Mapping[str, str] = field(default_factory=dict)
    mends: Mapping[str, str] = field(default_factory=dict)
    alone: Callable[[str], Claim | None] = field(default=lambda _: None)

    def mend_of(self, claim: Claim, reading: str) -> str | None:
        """Return the repair of a claim that falls in a reading: a claim's id, or words, or None.

        It is what ``mends`` says of its cause, or of itself; else its ``repair``; else that of a
        claim with the same cause.
        """
        cause = claim.causes.get(reading)
        alike = [one for one in self.claims() if cause is not None and cause in one.causes.values()]
        repairs = (one.repair for one in (claim, *alike) if one.repair is not None)
        return self.mends.get(cause or claim.id) or next(repairs, None)

    def parts_with(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the parts with everything that the names ask for; all where one is in none."""
        found = {next((p for p in self.parts if f"{n}/".startswith(f"{p}/")), "") for n in names}
        return tuple(part for part in self.parts if "" in found or part in found)
