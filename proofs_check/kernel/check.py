"""Check certificates: ``check(data)`` in Python, or the command line.

    python -I -S check.py [--budget SECONDS] FILE...

prints one line a file; its exit status is 0 if every file is accepted, 2 if any is
unreadable, else 1. Each line of a file whose name ends in .jsonl is a file of its own.
FORMAT.md is the authority on the format, TRUST.md says what an acceptance rests on.
"""

import hashlib
import os
import sys
from collections.abc import Iterator
from typing import IO, Any

if not __package__:
    # Run as a script, this is no package, and -I hides its folder. This makes it one, so that
    # the imports below find this folder's files and no others.
    __package__, __path__ = __name__, [os.path.dirname(os.path.abspath(__file__))]

from . import cards, results, rules, text
from .results import Accepted, Incomplete, RefusedError, Rejected, Result, Unreadable, require
from .terms import OF_LAWS, Evaluator
from .text import Json

FORMAT = "exactdp-certificate/1"
PARTS = {"define": "definition", "hypotheses": "hypothesis", "conclusion": "conclusion"}
# Each format: what checks one entry of its conclusion, and prints what it shows.
FORMATS = {FORMAT: Evaluator.confirm, rules.FORMAT: rules.step}
LABELS = ("claim", "reading", "domain")
AT_ONCE = getattr(os, "O_NONBLOCK", 0)  # a pipe that nobody writes to is empty, not waited for
STATUS = {Accepted: 0, Incomplete: 1, Rejected: 1, Unreadable: 2}


def check(data: bytes, *, seconds: int = results.SECONDS) -> Result:
    """Return the verdict on one certificate; never raises.

    Args:
        data: The bytes of the file.
        seconds: The budget: the work that is allowed, on an ordinary machine (and with it the
            memory; see FORMAT.md).

    Returns:
        Accepted, only if every hypothesis and every conclusion certainly holds. Incomplete,
        if only holes keep it from that. Unreadable, if the data is not a certificate of
        this format at all. Rejected, in every other case.

    Example:
        >>> coin = b'["entry", [["0x1/0x3", "0x2/0x3"]], 0, 0]'
        >>> check(b'{"format": "exactdp-certificate/1", "claim": "example", '
        ...       b'"conclusion": [["<", %b, "0x1/0x2"]]}' % coin).statement
        'entry([[1/3, 2/3]], 0, 0) < 1/2 [left = 1/3 (~0.333333333333), right = 1/2 (~0.5)]'
        >>> check(b"{}")
        Unreadable(reason="certificate: the key 'claim' is missing")
    """
    refusal: type[Rejected] | type[Unreadable] = Unreadable
    try:
        fields = text.read_json(data)
        if isinstance(fields, dict) and str(fields.get("format")).startswith(cards.FAMILY):
            require(fields["format"] == cards.FORMAT, f"the format is not {cards.FORMAT}")
            refusal = Rejected
            return cards.check(fields, Evaluator(results.DEFAULT_PRECISION, seconds).spend)
        fields = _outer(fields)
        refusal = Rejected
        evaluator = Evaluator(fields["precision_bits"], seconds)
        evaluator.spend(len(data))
        return _verdict(fields, evaluator, hashlib.sha256(data).hexdigest())
    except RefusedError as error:
        return refusal(str(error))
    except Exception as error:
        # Total by contract, and closed: whatever goes wrong is never an acceptance.
        return refusal(f"cannot be checked here: {type(error).__name__}")


def _outer(value: Json) -> dict[str, Any]:
    """Return the certificate, after checking all but the inside of its lists."""
    optional = "reading domain precision_bits define hypotheses"
    fields = text.keys(value, "certificate", "format claim conclusion", optional)
    require(fields["format"] in tuple(FORMATS), f"the format is not {' or '.join(FORMATS)}")
    for key in LABELS:
        text.label(fields.get(key, ""), key)
    bits = fields.setdefault("precision_bits", results.DEFAULT_PRECISION)
    least, most = results.MIN_PRECISION, results.MAX_PRECISION
    good = type(bits) is int and least <= bits <= most
    require(good, f"precision_bits must be an integer from {least} to {most}")
    for part in PARTS:
        require(isinstance(fields.setdefault(part, []), list), f"{part} must be a list")
    return fields


def _verdict(fields: dict[str, Any], evaluator: Evaluator, sha256: str) -> Result:
    printed: dict[str, list[str]] = {part: [] for part in (*PARTS, "holes")}
    require(fields["conclusion"] != [], "the conclusion must be a list that is not empty")
    for part, number, entry in ((p, *e) for p in PARTS for e in enumerate(fields[p], 1)):
        where = f"{PARTS[part]} {number}"
        try:
            if part == "define":
                name, value = text.items(entry, "a definition", count=2)
                where = f"{where}, {text.name(name)}"
                evaluator.define(text.name(name), value)
                printed[part].append(f"{name} = {text.shortened(text.shown(value))}")
            elif part == "conclusion" and isinstance(entry, list) and entry[:1] == ["hole"]:
                require(len(entry) == 2 and isinstance(entry[1], str), "a hole is ['hole', text]")
                printed["holes"].append(text.quoted(entry[1], results.MAX_LABEL))
            else:
                printed[part].append(FORMATS[fields["format"]](evaluator, entry))
        except RefusedError as error:
            raise RefusedError(f"{where}: {error}") from error
    if printed["holes"]:
        return Incomplete(tuple(printed["holes"]))
    heads = {"conclusion": "", "define": "where ", "hypotheses": "checked too: "}
    statement = "; ".join(heads[x] + " and ".join(printed[x]) for x in heads if printed[x])
    # The notes come last and whole: whatever is abbreviated, they are not.
    notes = [*evaluator.notes, *_unmentioned(fields["define"], fields["conclusion"])]
    statement = "; ".join([text.shortened(statement, 20_000), *notes])
    if "[..." in statement:
        statement += f"; in full ([...]) it is in the file with the sha256 {sha256}"
    labels = (f"{x} {text.quoted(fields[x], results.MAX_LABEL)}" for x in LABELS if x in fields)
    return Accepted(statement, tuple(labels), tuple(evaluator.values))


def _parts(whole: Json) -> Iterator[Json]:
    found = [whole]
    while found:
        yield (part := found.pop())
        found += part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()


def _unmentioned(definitions: list[Json], conclusion: list[Json]) -> Iterator[str]:
    """Yield the names that the conclusion is not about: definitions, or any law at all."""
    used, of_laws, unused = {""}, False, list[str]()
    # From the last definition to the first, as a definition can use earlier ones only.
    for name, value in [("", conclusion), *reversed(definitions)]:
        unused += [] if name in used else [name]
        for part in _parts(value) if name in used else ():
            if isinstance(part, dict) and isinstance(part.get("ref"), str):
                used.add(part["ref"])
            of_laws = of_laws or (isinstance(part, list) and bool(part) and part[0] in OF_LAWS)
    if unused:
        yield f"the conclusion does not mention {text.shortened(', '.join(reversed(unused)))}"
    if not of_laws:
        yield "the conclusion is about numbers only: it mentions no law and no matrix"


def parts_of(file: IO[bytes], path: str) -> Iterator[tuple[str, bytes | Unreadable]]:
    """Yield the certificates of an open file, each with its place: the file, or its lines."""
    # One byte more than the limit, so that a longer file or line is seen to be longer.
    most, number = results.MAX_FILE_BYTES + 1, 0
    if not path.endswith(".jsonl"):
        yield path, file.read(most)
        return
    for number, line in enumerate(iter(lambda: file.readline(most), b""), 1):
        place = f"{path}:{number}"
        if len(line) == most:
            yield place, Unreadable(f"more than {most - 1} bytes; what follows is not read")
            return
        yield place, Unreadable("the line is empty") if line.isspace() else line
    if not number:
        yield path, Unreadable("no line, and so no certificate")


def check_file(path: str, *, seconds: int = results.SECONDS) -> Iterator[tuple[str, Result]]:
    """Yield the verdict on a file, or on each of its lines; Unreadable if it cannot be read."""
    try:
        with open(path, "rb", opener=lambda x, flags: os.open(x, flags | AT_ONCE)) as file:
            if AT_ONCE:
                os.set_blocking(file.fileno(), True)
            for place, part in parts_of(file, path):
                yield place, part if isinstance(part, Unreadable) else check(part, seconds=seconds)
    except (OSError, ValueError) as error:
        yield path, Unreadable(f"cannot read the file: {type(error).__name__}")


def main(arguments: list[str]) -> int:
    """Print one line a file and return the exit status."""
    seconds = results.SECONDS
    if arguments[:1] == ["--budget"]:
        if len(arguments) < 2 or not arguments[1].isdecimal():
            print("--budget needs a whole number of seconds")
            return 2
        seconds, arguments = int(arguments[1]), arguments[2:]
    worst = 0 if arguments else 2
    for place, got in (x for path in arguments for x in check_file(path, seconds=seconds)):
        name = place if place.isascii() and place.isprintable() else ascii(place)
        said = "; ".join(str(x) for part, x in vars(got).items() if part != "values" and x != ())
        print(f"{name}: {type(got).__name__.lower()}: {said}")
        worst = max(worst, STATUS[type(got)])
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
