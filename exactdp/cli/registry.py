"""The command ``registry``, whose entries have cards; and the lines of ``compare`` on one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from exactdp.cli.files import content
from exactdp.cli.tables import one_line, print_table
from exactdp.errors import ExactDPError, ParseError

if TYPE_CHECKING:
    from exactdp.claims import Certificate
    from exactdp.compare.registry import EntryAnswer, RegistryEntry

__all__ = ["Action", "answered_registry", "registry"]

_COLUMNS = ("entry", "claimed", "true epsilon", "is", "factor")
_SECONDS = 10
"""What the kernel may take for one claim."""

_WORST = ("exceeded", "open", "loose", "holds")


class Action(Enum):
    """The actions on a registry."""

    CHECK = "check"


def registry(
    action: Annotated[Action, typer.Argument(metavar="check", help="Check the entries' cards.")],
    file: Annotated[str, typer.Argument(metavar="FILE", help="A registry; - is stdin.")],
) -> None:
    """Check the cards of a registry of deployments.

    Example: exactdp registry check examples/registry/deployments.json

    A card holds, and is of its entry's deployment and claim. It stands beside the registry, where
    an entry says "card": "FILE". Exit code 1: a card is not there, is rejected by the kernel, shows
    less than is claimed, or is of another deployment. An entry without a card is listed, and does
    not fail.
    """
    from exactdp.compare.registry import registry_of
    from exactdp.problems.strict_json import strict_json

    folder, is_good = Path(file).parent, True
    for entry in registry_of(strict_json(content(file))):
        said = "no card"
        if entry.card:
            try:
                said = _shown_by_card(entry, folder / entry.card)
            except (ExactDPError, OSError) as error:
                is_good = False
                said = f"FAILS: {entry.card}: {getattr(error, 'strerror', None) or error}"
        print(one_line(f"{entry.name}: {entry.claim}: {said}"))
    raise typer.Exit(not is_good)


def _shown_by_card(entry: RegistryEntry, path: Path) -> str:
    """Return the answer of an entry's card, in words."""
    from exactdp.cards.reading import read_card, refuse_other

    card, profile = read_card(path.read_bytes()), entry.law.profile("$.parameters")
    if profile is None:
        raise ParseError("a parameter is left out: there is no mechanism yet. Give it.")
    refuse_other(card, profile, epsilon=entry.epsilon, delta=entry.delta)
    shown = f"({card.content['epsilon']}, {card.content['delta']})-DP"
    return f"{entry.card} shows {shown}, neighbors by {card.content['neighbors']}"


def answered_registry(
    document: Any, *, style: str, badge: Path | None, certificate: Path | None
) -> bool:
    """Print the answers of a registry, write the files asked for; return whether all claims stand.

    Args:
        document: The file, as read by ``strict_json``.
        style: text or json.
        badge: Where a badge goes.
        certificate: Where a certificate goes.
    """
    from exactdp.compare.registry import answer_of_entry, registry_of

    if style not in ("text", "json"):
        raise ParseError(f"--format={style!r} is not for registries. Give text or json.")
    if certificate is not None and certificate.exists():
        raise ParseError(f"--certificate={str(certificate)!r} exists. Name another file.")
    answers = [answer_of_entry(entry) for entry in registry_of(document)]
    proved, lines = _proved(answers), []
    if badge is not None:
        badge.write_text(_badge(answers), encoding="utf-8")
        lines.append(f"badge: {badge}")
    if certificate is not None:
        lines.append(_written(answers, proved, certificate))
    if style == "json":
        print(json.dumps(_document(answers, proved), indent=1))
    else:
        _print(answers, proved, lines)
    return all(answer.standing != "exceeded" for answer in answers)


def _proved(answers: Sequence[EntryAnswer]) -> list[bool]:
    """Return for each answer whether the kernel accepts a certificate of it."""
    from exactdp.compare.statements import certificate_of_answer

    return [_is_accepted(certificate_of_answer(answer)) for answer in answers]


def _is_accepted(made: Certificate | None) -> bool:
    from proofs_check.kernel import Accepted, check

    return made is not None and isinstance(check(made.to_bytes(), seconds=_SECONDS), Accepted)


def _written(answers: Sequence[EntryAnswer], proved: Sequence[bool], file: Path) -> str:
    """Write the certificate of all claims that the kernel can check; return the line on it."""
    from exactdp.compare.statements import certificate_of_answers

    kept = [answer for answer, is_proved in zip(answers, proved, strict=True) if is_proved]
    made = certificate_of_answers(kept)
    if made is None:
        return f"certificate: none is written, no claim has a term that the kernel checks ({file})"
    file.write_bytes(made.to_bytes())
    return f"certificate: {file} of {len(kept)} of {len(answers)} claims (exactdp verify {file})"


def _badge(answers: Sequence[EntryAnswer]) -> str:
    from exactdp.compare.badges import badge

    if len(answers) == 1:
        [one] = answers
        verdict = one.standing + (f", {one.says}" if one.standing == "loose" else "")
        title = (
            f"{one.entry.name}: {one.entry.claim}; the true epsilon is {one.known.text}: {verdict}"
        )
        return badge(one.entry.claim, one.standing, standing=one.standing, title=title)
    counts = {word: sum(one.standing == word for one in answers) for word in _WORST}
    told = ", ".join(f"{count} {word}" for word, count in counts.items() if count) or "no claims"
    worst = next((word for word in _WORST if counts[word]), "open")
    return badge("privacy claims", told, standing=worst)


def _print(answers: Sequence[EntryAnswer], proved: Sequence[bool], lines: Sequence[str]) -> None:
    rows = [
        [
            one_line(one.entry.name),
            one.entry.claim,
            one.known.text,
            "EXCEEDED" if one.standing == "exceeded" else one.standing,
            one.says,
        ]
        for one in answers
    ]
    print_table(_COLUMNS, rows)
    for one, is_proved in zip(answers, proved, strict=True):
        name = one_line(one.entry.name)
        if one.reason:
            print(one_line(f"open: {name} ({one.reason})"))
        if one.note:
            print(one_line(f"note: {name}: {one.note}"))
        if not is_proved and one.standing != "open":
            print(f"no certificate: {name} (no term that the kernel checks: {one.entry.mechanism})")
    for line in lines:
        print(one_line(line))


def _document(answers: Sequence[EntryAnswer], proved: Sequence[bool]) -> dict[str, Any]:
    from exactdp import __version__
    from exactdp.compare.registry import claim_text

    entries = [
        {
            "name": one.entry.name,
            "mechanism": one.entry.mechanism,
            "claimed_epsilon": claim_text(one.entry.epsilon),
            "delta": claim_text(one.entry.delta),
            "epsilon": None if one.known.enclosure is None else str(one.known),
            "epsilon_missing": one.known.missing,
            "delta_at_claim": None if one.known.there is None else str(one.known.there),
            "verdict": one.standing,
            "claimed_over_true": None if one.factor is None else str(one.factor),
            "reason": one.reason,
            "note": one.note,
            "certificate": is_proved,
        }
        for one, is_proved in zip(answers, proved, strict=True)
    ]
    return {"format": "exactdp-registry-answers/1", "exactdp": __version__, "entries": entries}
