"""Check certificates: ``check(data)`` in Python, or the command line.

    python -I -S check.py FILE...

prints one line a file; its exit status is 0 if every file is accepted, 2 if any is
unreadable, else 1. FORMAT.md is the authority on the format, TRUST.md says what an
acceptance rests on.
"""

import os
import sys
from importlib import import_module
from types import ModuleType

if __name__ == "__main__" and not __package__:
    # Run as a script there is no package, and -I hides this folder. Name the folder as a
    # package, without touching sys.path, and go on inside it.
    _folder = ModuleType("exactdp_kernel")
    _folder.__path__ = [os.path.dirname(os.path.abspath(__file__))]
    sys.modules[_folder.__name__] = _folder
    sys.exit(import_module("exactdp_kernel.check").main(sys.argv[1:]))

from .parse import (
    Json,
    Node,
    Reader,
    items,
    keys,
    name,
    quoted,
    read_json,
)
from .results import (
    DEFAULT_PRECISION,
    MAX_FILE_BYTES,
    MAX_LABEL,
    MAX_PRECISION,
    MIN_PRECISION,
    Accepted,
    Budget,
    Incomplete,
    MalformedError,
    NotACertificateError,
    RefusedError,
    Rejected,
    Result,
    Unreadable,
)
from .terms import Evaluator
from .text import shortened, shown, shown_value

FORMAT = "exactdp-certificate/1"
_OPTIONAL = {"reading", "precision_bits", "define", "hypotheses"}


def check(data: bytes) -> Result:
    """Return the verdict on one certificate; never raises.

    Args:
        data: The bytes of the file.

    Returns:
        Accepted, only if every hypothesis and every conclusion certainly holds. Incomplete,
        if only holes keep it from that. Unreadable, if the data is not a certificate of
        this format at all. Rejected, in every other case.

    Example:
        >>> check(b'{"format": "exactdp-certificate/1", "claim": "example", '
        ...       b'"conclusion": [["<", "0x1/0x3", "0x1/0x2"]]}').statement
        '1/3 < 1/2 [left = 1/3 (0.333333...), right = 1/2 (0.5)]'
        >>> check(b"{}")
        Unreadable(reason="certificate: the key 'claim' is missing")
    """
    if not isinstance(data, bytes):
        return Unreadable("a certificate is given as bytes")
    try:
        return _verdict(_outer(read_json(data)))
    except NotACertificateError as error:
        return Unreadable(str(error))
    except RefusedError as error:
        return Rejected(str(error))
    except (RecursionError, MemoryError) as error:
        return Rejected(f"too large for this machine: {type(error).__name__}")
    except Exception as error:
        # Total by contract, and closed: whatever goes wrong is never an acceptance.
        return Rejected(f"internal error: {type(error).__name__}: {quoted(str(error), 200)}")


def _outer(value: dict[str, Json]) -> dict[str, Json]:
    try:
        fields = keys(value, {"format", "claim", "conclusion"}, _OPTIONAL, "certificate")
    except MalformedError as error:
        raise NotACertificateError(str(error)) from error
    if fields["format"] != FORMAT:
        raise NotACertificateError(f"the format is {quoted(fields['format'])}, not {FORMAT!r}")
    for label in ("claim", "reading"):
        text = fields.get(label, "")
        if not isinstance(text, str) or len(text) > MAX_LABEL:
            raise NotACertificateError(
                f"{label} must be a string of at most {MAX_LABEL} characters"
            )
    bits = fields.get("precision_bits", DEFAULT_PRECISION)
    if isinstance(bits, bool) or not isinstance(bits, int):
        raise NotACertificateError("precision_bits must be an integer")
    if not MIN_PRECISION <= bits <= MAX_PRECISION:
        raise NotACertificateError(
            f"precision_bits={bits} must be from {MIN_PRECISION} to {MAX_PRECISION}"
        )
    for part in ("define", "hypotheses", "conclusion"):
        if not isinstance(fields.get(part, []), list):
            raise NotACertificateError(f"{part} must be a list")
    return fields


def _verdict(fields: dict[str, Json]) -> Result:
    bits = fields.get("precision_bits", DEFAULT_PRECISION)
    reader, evaluator = Reader(), Evaluator(Budget(bits if isinstance(bits, int) else 0))
    where = "certificate"
    try:
        definitions: list[tuple[str, Node]] = []
        for number, entry in enumerate(_list(fields, "define"), 1):
            where = f"definition {number}"
            target, value = _definition(entry, reader)
            where = f"definition {number}, {target}"
            kind, node = reader.anything(value)
            evaluator.define(kind, target, node)
            reader.scope[target] = kind
            definitions.append((target, node))
        hypotheses: list[Node] = []
        for number, entry in enumerate(_list(fields, "hypotheses"), 1):
            where = f"hypothesis {number}"
            hypotheses.append(reader.relation(entry))
            evaluator.confirm(hypotheses[-1])
        conclusions: list[str] = []
        holes: list[str] = []
        where = "conclusion"
        for number, entry in enumerate(items(fields["conclusion"], "the conclusion"), 1):
            where = f"conclusion {number}"
            if isinstance(entry, list) and entry[:1] == ["hole"]:
                holes.append(_hole(entry))
                continue
            relation = reader.relation(entry)
            left, right = evaluator.confirm(relation)
            sides = f"[left = {shown_value(left)}, right = {shown_value(right)}]"
            conclusions.append(f"{shortened(shown(relation))} {sides}")
    except RefusedError as error:
        raise type(error)(f"{where}: {error}") from error
    if holes:
        return Incomplete(tuple(holes))
    return Accepted(_statement(definitions, hypotheses, conclusions, evaluator), _labels(fields))


def _list(fields: dict[str, Json], part: str) -> list[Json]:
    value = fields.get(part, [])
    return value if isinstance(value, list) else []


def _definition(entry: Json, reader: Reader) -> tuple[str, Json]:
    parts = items(entry, "a definition")
    if len(parts) != 2:
        raise MalformedError("a definition is a name and what it stands for")
    target = name(parts[0])
    if target in reader.scope:
        raise MalformedError(f"the name {target} is already defined")
    return target, parts[1]


def _hole(entry: list[Json]) -> str:
    if len(entry) != 2 or not isinstance(entry[1], str):
        raise MalformedError("a hole is written ['hole', text]")
    return quoted(entry[1], MAX_LABEL)


def _statement(
    definitions: list[tuple[str, Node]],
    hypotheses: list[Node],
    conclusions: list[str],
    evaluator: Evaluator,
) -> str:
    text = " and ".join(conclusions)
    if definitions:
        text += "; where " + ", ".join(f"{x} = {shortened(shown(t))}" for x, t in definitions)
    if hypotheses:
        text += "; checked too: " + " and ".join(shortened(shown(h)) for h in hypotheses)
    # The notes come last and whole: whatever is abbreviated, they are not.
    return "; ".join([shortened(text, 4000), *evaluator.notes])


def _labels(fields: dict[str, Json]) -> tuple[str, ...]:
    present = (key for key in ("claim", "reading") if key in fields)
    return tuple(f"{key} {quoted(fields[key], MAX_LABEL)}" for key in present)


def described(result: Result) -> tuple[str, int]:
    """Return the line for a result, and the exit status it asks for."""
    if isinstance(result, Accepted):
        labels = f" (labels, not checked: {', '.join(result.labels)})" if result.labels else ""
        return f"accepted: {result.statement}{labels}", 0
    if isinstance(result, Rejected):
        return f"rejected: {result.reason}", 1
    if isinstance(result, Incomplete):
        return f"incomplete: {len(result.holes)} holes: {'; '.join(result.holes)}", 1
    return f"unreadable: {result.reason}", 2


def check_file(path: str) -> Result:
    """Return the verdict on a file; a file that cannot be read is Unreadable."""
    try:
        with open(path, "rb") as file:
            # One byte more than the limit, so that a longer file is seen to be longer.
            data = file.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        return Unreadable(f"cannot read the file: {type(error).__name__}")
    return check(data)


def main(arguments: list[str]) -> int:
    """Print one line a file and return the exit status."""
    if not arguments:
        print("usage: check.py FILE...")
        return 2
    status = 0
    for path in arguments:
        line, code = described(check_file(path))
        shown_path = path if path.isascii() and path.isprintable() else quoted(path, 1000)
        print(f"{shown_path}: {line}")
        status = max(status, code)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
