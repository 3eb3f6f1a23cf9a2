"""The command ``verify``: the kernel's answer to certificates, and whether their labels match."""

from __future__ import annotations

import json
from decimal import Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

import typer

from exactdp.cli.files import certificates_in
from exactdp.cli.kernel import ends_of
from exactdp.cli.numeric import whole
from exactdp.errors import DomainError, what_happened

if TYPE_CHECKING:
    from exactdp.claims.catalog import Catalogs
    from exactdp.cli.proved import ProvedAnswer, ProvedChecker
    from proofs_check.kernel import Accepted

__all__ = ["verify"]

CARD = "exactdp-card/1"
_WIDTH = 100  # characters of a line
_LEAST_OF_NAME = 24  # characters of the file's name that are left in a line that is too long
_FEWEST, _MOST = 3, 8  # digits of a number
_LONGEST = 12  # characters of a fraction that is printed as it is


def verify(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Certificates to check.")],
    *,
    budget: Annotated[
        int,
        typer.Option(help="Work and memory that one file may take.", **whole(1, metavar="SECONDS")),
    ] = 60,
    full: Annotated[
        bool, typer.Option("--full", help="Print whole statements, and the claims they are about.")
    ] = False,
    proved: Annotated[
        bool,
        typer.Option("--proved", help="Ask the checker that is proved in Coq, too."),
    ] = False,
) -> None:
    """Check certificates and cards with the kernel.

    Example: exactdp verify report/certificates/*.json

    Exit code 0: all are accepted; 1: some are rejected or labeled falsely; 2: some are unreadable.
    Each line of a .jsonl is a file of its own. One line a file: the answer, the relation that was
    checked, and the claim that the label was compared with. A label that no catalog here has is
    labeled falsely, too; a file without one says `no claim`. With --proved both checkers must
    accept a file: 1 if the proved one refuses it or leaves it undecided. That one is built when it
    is first asked, by Coq and OCaml.
    """
    from exactdp.claims.catalog import Catalogs
    from proofs_check.kernel import Accepted, Incomplete, Rejected, Unreadable, check

    second = None
    if proved:
        from exactdp.cli.proved import ProvedChecker, theorems

        second = ProvedChecker.built()
    worst, catalogs = 0, Catalogs()
    for name, data in (part for file in files for part in certificates_in(file)):
        answer = check(data, seconds=budget) if isinstance(data, bytes) else data
        match answer:
            case Accepted():
                assert isinstance(data, bytes)
                document = json.loads(data)
                about, code = _about(document, catalogs, full=full)
                said = answer.statement if full else _relation(document, answer)
                line = f"accepted: {said}"
            case Rejected():
                line, about, code = f"rejected: {answer.reason}", "", 1
            case Incomplete():
                line, about, code = f"incomplete: {'; '.join(answer.holes)}", "", 1
            case Unreadable():
                line, about, code = f"unreadable: {answer.reason}", "", 2
        shown = name if name.isascii() and name.isprintable() else ascii(name)
        print(f"{shown}: {line}{about}" if full else _fitted(shown, line, about))
        if second is not None and isinstance(data, bytes) and code < 2:
            word, said = _second_answer(
                second, data, is_accepted=isinstance(answer, Accepted), seconds=budget
            )
            line = f"  the proved checker: {word}: {said}"
            print(line if full else _cut(line, _WIDTH))
            code = max(code, word != "accepted")
        worst = max(worst, code)
    if second is not None:
        print(f"what the proved checker accepts is true and has a meaning:\n{theorems()}")
    raise typer.Exit(worst)


def _second_answer(
    second: ProvedChecker, data: bytes, *, is_accepted: bool, seconds: int
) -> ProvedAnswer:
    """Return the proved checker's answer; a card is given to it with the laws of its steps."""
    from exactdp.cards.laws import with_laws
    from exactdp.cli.proved import ProvedAnswer

    document = json.loads(data)
    if isinstance(document, dict) and document.get("format") == CARD:
        if not is_accepted:
            return ProvedAnswer("undecided", "the kernel, which makes its laws, rejects it")
        try:
            data = json.dumps(with_laws(document)).encode()
        except DomainError as error:
            return ProvedAnswer("undecided", str(error))
    return second.answer(data, seconds=seconds)


def _about(document: dict[str, Any], catalogs: Catalogs, *, full: bool) -> tuple[str, int]:
    """Return the words on the claim that a file is labeled with, and the exit code."""
    if document["format"] == CARD:
        return "", 0
    from exactdp.audit import read_label

    named, reading = ascii(document["claim"])[:300], document.get("reading")
    gap = "\n  " if full else "; "
    try:
        label = read_label(document, catalogs)
    except (Exception, SystemExit) as error:  # whatever the code of a paper raises
        return f"{gap}labeled {named}, not compared: {what_happened(error)}", 1
    if label.mismatch:
        return f"{gap}label does not match: {label.mismatch} ({named})", 1
    if not label.says:
        return f"{gap}no claim", 0
    if not full:
        return f"{gap}{document['claim']}" + (f" ({reading})" if reading else ""), 0
    at = f"\n  at the witness: {label.witness}" if label.witness else ""
    # What a proof is labeled with here has been compared: it is the catalog's.
    on = f"\n  on the domain: {document['domain']}" if "domain" in document else ""
    return f"\n  the claim, {label.verdict}: {label.says}{at}{on}", 0


def _relation(document: dict[str, Any], answer: Accepted) -> str:
    """Return the first relation that a certificate concludes in numbers; of a proof, its length."""
    if document["format"] == CARD:
        return _short_card(document)
    from exactdp.claims.certificate import FORMAT
    from exactdp.claims.verdicts import WIDE

    count = len(document["conclusion"])
    if document["format"] != FORMAT:
        return f"a proof in {count} {'step' if count == 1 else 'steps'}"
    sign, left, right = answer.values[-count]
    shown = f"{_number(left, _FEWEST)} {sign} {_number(right, _FEWEST)}"
    for digits in range(_FEWEST, _MOST):
        x, y = _number(left, digits), _number(right, digits)
        shown = f"{x} {sign} {y}"
        if _rounded(left, digits) != _rounded(right, digits):
            break
    else:
        (a, b), (c, d) = ends_of(left), ends_of(right)
        apart = max(WIDE.subtract(c, b), WIDE.subtract(a, d))
        shown += f" by ~{_short(apart, _FEWEST)}" if apart > 0 else ""
    return shown + (f" and {count - 1} more" if count > 1 else "")


def _short_card(document: dict[str, Any]) -> str:
    """Return the claim of a card, and its mechanisms, in one line."""
    says = "" if document["says"] == "private" else "not "
    claim = f"{says}({document['epsilon']}, {document['delta']})-private"
    kinds = {one["mechanism"]: 0 for one in document["parts"]}
    for one in document["parts"]:
        kinds[one["mechanism"]] += one["times"]
    return f"{claim}: {', '.join(f'{times} x {kind}' for kind, times in kinds.items())}"


def _rounded(value: Any, digits: int) -> list[Decimal]:
    return [Context(prec=digits).plus(end) for end in ends_of(value)]


def _number(value: Any, digits: int) -> str:
    """Return a number of the kernel's: short ones exactly, others to some digits, with a ~."""
    if isinstance(value, Fraction) and len(str(value)) <= _LONGEST:
        return str(value)
    low, high = (_short(end, digits) for end in ends_of(value))
    return f"~{low}" if low == high else f"~[{low}, {high}]"


def _short(number: Decimal, digits: int) -> str:
    """Return a decimal to some digits, without zeros at its end."""
    leading, e, exponent = f"{number:.{digits}g}".partition("e")
    return (leading.rstrip("0").rstrip(".") if "." in leading else leading) + e + exponent


def _fitted(name: str, line: str, about: str) -> str:
    """Return the line of a file: names that are too long lose their beginning, reasons their end.

    Example:
        >>> _fitted("report/" * 30 + "lemma-2.json", "accepted: 1 < 2", "")[-42:]
        'eport/report/lemma-2.json: accepted: 1 < 2'
    """
    room = max(_LEAST_OF_NAME, _WIDTH - len(f": {line}{about}"))
    return _cut(f"{_tail(name, room)}: {line}{about}", _WIDTH)


def _tail(text: str, room: int) -> str:
    return text if len(text) <= room else f"...{text[3 - room :]}"


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: room - 3]}..."
