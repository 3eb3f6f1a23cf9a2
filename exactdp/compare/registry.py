"""Deployments as registries list them: a mechanism, its parameters, and the (ε, δ) that is claimed.

A registry is JSON of the format ``exactdp-registry/1``: one entry, or a list under ``entries``.
A mechanism is a kind of problem files, its parameters are that kind's fields. Each claim is
answered by the smallest ε for its δ, over both directions.

Definitions: :class:`RegistryEntry`, :func:`read_registry`, :class:`EntryAnswer`,
:func:`answer_of_entry`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from msgspec import Struct

from exactdp.compare.known import Known, decided_at, known_of, said
from exactdp.divergences.questions import question
from exactdp.errors import ExactDPError, ParseError, UndecidedError
from exactdp.numbers import Enclosure, Exact, decimal
from exactdp.numbers.limits import MAX_QUESTIONS, refuse_above
from exactdp.numbers.text import in_full
from exactdp.numbers.validated import validated
from exactdp.problems.laws import Law
from exactdp.problems.reading import problem_of
from exactdp.problems.strict_json import shown_json, strict_json
from exactdp.problems.validation import converted
from exactdp.problems.values import Rational
from exactdp.side import Side

__all__ = ["LOOSE", "EntryAnswer", "RegistryEntry", "answer_of_entry", "claim_text"]
__all__ += ["is_registry", "read_registry", "registry_of"]

Standing = Literal["holds", "loose", "exceeded", "open"]

LOOSE = Fraction(11, 10)
"""How many times the truth a claim is from which on it holds, but is called loose."""

_HEAD = "exactdp-registry/"

_DIGITS, _LONGEST = 12, 24
"""Digits of a decimal that is exactly a number, and characters of one that has none."""


class ClaimedEpsilon(
    Rational,
    allows=lambda x: x.is_rational and bool(x >= 0),
    rule='is not a rational number >= 0. Give an epsilon in nats, such as "1.5".',
):
    """A claimed ε, in nats."""


class ClaimedDelta(
    Rational,
    allows=lambda x: bool(0 <= x < 1),
    rule='is not a number from 0 to below 1. Give a delta, such as "1e-5".',
):
    """A claimed δ; 0 is pure privacy."""


class _Written(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    mechanism: str
    parameters: dict[str, Any]
    claimed_epsilon: ClaimedEpsilon
    delta: ClaimedDelta
    name: str = ""
    card: str = ""


class _One(_Written, frozen=True, kw_only=True, forbid_unknown_fields=True):
    format: Literal["exactdp-registry/1"]


class _Registry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    format: Literal["exactdp-registry/1"]
    entries: list[_Written]


@dataclass(frozen=True)
class RegistryEntry:
    """A deployment with a claim.

    Attributes:
        name: How the registry calls it; its mechanism and its place where it has no name.
        law: The mechanism with its parameters.
        epsilon: The claimed ε, in nats.
        delta: δ of the claim, below 1; 0 for pure privacy.
        card: The file that shows the claim, beside the registry; "" if none does.
    """

    name: str
    law: Law
    epsilon: Exact
    delta: Exact
    card: str = ""

    @property
    def mechanism(self) -> str:
        """The kind of problem files that it is."""
        return str(self.law.__struct_config__.tag)

    @property
    def claim(self) -> str:
        """The claim in words."""
        return f"({claim_text(self.epsilon)}, {claim_text(self.delta)})-DP"


@dataclass(frozen=True)
class EntryAnswer:
    """The truth about an entry.

    Attributes:
        entry: The entry.
        known: What is known of the smallest ε for its δ.
        standing: "exceeded" where the truth is certainly above the claim; "loose" where the
            claim holds and is more than 1.1 times the truth, "holds" where it is not known to be;
            "open" where that was not decided.
        reason: Why it is open; "" otherwise.
        note: What the model of the mechanism leaves open; "" if nothing.
    """

    entry: RegistryEntry
    known: Known
    standing: Standing
    reason: str = ""
    note: str = ""

    @property
    def factor(self) -> Enclosure | None:
        """An enclosure of the claimed ε over the true one; None where the truth may be 0."""
        about, claimed = self.known.enclosure, self.entry.epsilon.as_fraction()
        if about is None or about.lower <= 0:
            return None
        return Enclosure(claimed / about.upper, claimed / about.lower)

    @property
    def says(self) -> str:
        """By how much the claim is off, in words."""
        if self.factor is not None:
            return f"claimed/true in {self.factor:.4g}"
        if self.known.is_infinite:
            return "no epsilon has this delta"
        if self.known.there is not None:
            return f"at the claimed epsilon delta is {self.known.there}"
        return "" if self.known.enclosure is None else f"the truth is {self.known.text}"


def claim_text(number: Exact) -> str:
    """Return a claimed number as the decimal that it is, where that is short.

    Example:
        >>> claim_text(Exact("1e-5")), claim_text(Exact("1/3"))
        ('0.00001', '1/3')
    """
    text = decimal(number, digits=_DIGITS)
    if "." in text and "e" not in text:
        text = text.rstrip("0").rstrip(".")
    elif "e" in text:
        mantissa, _, exponent = text.partition("e")
        text = f"{mantissa.rstrip('0').rstrip('.') if '.' in mantissa else mantissa}e{exponent}"
    return (
        text
        if number.is_rational and Exact(text) == number
        else number.text(most=_LONGEST, written=in_full)
    )


def is_registry(document: Any) -> bool:
    """Return whether a document, read by ``strict_json``, is a registry, of any version."""
    found = document.get("format") if isinstance(document, dict) else None
    return isinstance(found, str) and found.startswith(_HEAD)


@validated
def read_registry(text: str | bytes) -> list[RegistryEntry]:
    """Return the entries of a file.

    Args:
        text: The whole file, JSON.

    Raises:
        ParseError: If it is not a registry; the message names the place, on one line.

    Example:
        >>> [entry] = read_registry('''{"format": "exactdp-registry/1", "mechanism": "laplace",
        ...     "parameters": {"scale": "2"}, "claimed_epsilon": "1/2", "delta": 0}''')
        >>> entry.name, entry.claim, answer_of_entry(entry).standing
        ('laplace', '(0.5, 0)-DP', 'holds')
    """
    return registry_of(strict_json(text))


def registry_of(document: Any) -> list[RegistryEntry]:
    """Return the entries of a document that was read by ``strict_json``.

    Raises:
        ParseError: As :func:`read_registry`.
        TooLargeError: If they are too many.
    """
    if not isinstance(document, dict):
        raise ParseError(
            f"$={shown_json(document)} is not a registry. Give an object of the format "
            "exactdp-registry/1."
        )
    if "entries" in document:
        written = converted(document, _Registry).entries
        what = f"the registry has {len(written):,} entries"
        refuse_above(MAX_QUESTIONS, len(written), what, advice="Split it into several files.")
        return [_entry(one, f"$.entries[{i}]", i) for i, one in enumerate(written)]
    return [_entry(converted(document, _One), "$", None)]


def _entry(written: _Written, path: str, place: int | None) -> RegistryEntry:
    for key in ("kind", "ask"):
        if key in written.parameters:
            raise ParseError(
                f"{path}.parameters.{key} is not a parameter. Leave it out: the mechanism and the "
                "claim stand beside the parameters."
            )
    document = {**written.parameters, "kind": written.mechanism, "ask": {"max_divergence": True}}
    try:
        law = problem_of(document).law
    except ParseError as error:
        raise ParseError(_placed(str(error), path)) from None
    for left, parameter in law.open_parameters().items():
        if not parameter.has_default:
            raise ParseError(f"{path}.parameters has no {left}. Add it.")
    name = written.name or written.mechanism + ("" if place is None else f" ({place + 1})")
    epsilon, delta = written.claimed_epsilon.number, written.delta.number
    return RegistryEntry(name, law, epsilon, delta, written.card)


def _placed(message: str, path: str) -> str:
    """Return a message about a problem with its places in the entry."""
    if message.startswith("$.kind"):
        return f"{path}.mechanism{message.removeprefix('$.kind')}"
    return f"{path}.parameters{message.removeprefix('$')}" if message[:1] == "$" else message


def answer_of_entry(entry: RegistryEntry) -> EntryAnswer:
    """Return the truth of an entry, and how its claim stands to it.

    The truth is sought for 10 s; where that is not enough, the claim is decided by its δ.
    """
    try:
        profile = entry.law.profile("$.parameters")
        if profile is None:
            raise ParseError("a parameter is left out: there is no mechanism yet. Give it")
        note = entry.law.note() or ""
        asked = question(profile.both_directions(), delta=entry.delta)
    except ExactDPError as error:
        return EntryAnswer(entry, Known(missing=said(error)), "open", said(error))
    known = known_of(asked)
    try:
        is_wrong, known = decided_at(Side.UPPER, entry.epsilon, known, asked)
    except UndecidedError as error:
        return EntryAnswer(entry, known, "open", said(error), note)
    if is_wrong:
        return EntryAnswer(entry, known, "exceeded", note=note)
    if entry.law.is_lower_bound():
        return EntryAnswer(entry, known, "open", "the model is a lower bound of the truth", note)
    return EntryAnswer(entry, known, "loose" if _is_loose(entry, known) else "holds", note=note)


def _is_loose(entry: RegistryEntry, known: Known) -> bool:
    about, claimed = known.enclosure, entry.epsilon.as_fraction()
    return about is not None and bool(claimed > LOOSE * about.upper)
