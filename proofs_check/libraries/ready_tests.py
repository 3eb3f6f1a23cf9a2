"""A ready test file for whoever maintains a library: its numbers beside certified ones.

The file needs the library and Python's unittest alone (which pytest and absl run, too). Each
promise is a class: its documented deployments, with the doubles around the truth. Those where it
is known to fall are marked as expected failures: where the library is at hand, the ones that fail
there; else, of a promise that is refuted, all. A promise whose truth would have to be computed
from the library's own answer (a calibrated parameter) is named at the end, not tested.

Definitions: :func:`ready_tests`, :func:`libraries_with_tests`.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from itertools import islice
from typing import Any

from exactdp.audit import read_inventory
from exactdp.claims import Claim, Effort, Instance, value
from exactdp.claims.calls import called
from exactdp.errors import DomainError, ExactDPError
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, float_above, float_below
from exactdp.side import Side
from exactdp.testing.deciding import HAIR, within_budget
from proofs_check.libraries import PAPER
from proofs_check.libraries.promises import Promise, Readings

__all__ = ["libraries_with_tests", "ready_tests"]

_Truth = Enclosure | Epsilon | Number

_MOST = 12
"""Deployments of one promise: the first ones of its list, which are the ordinary ones."""

_SECONDS, _WIDTH = 2.0, Fraction(1, 10**9)
"""How long one number is asked for, and how narrow it is."""

_HAIR = float(HAIR)

_HEAD = '''\
"""Numbers of {library} {version} beside certified ones: made by exactdp, for unittest or pytest.

Bounds are the doubles around the truth. A test fails where an answer is on the wrong side of it by
more than {hair}, relatively, and more than its documented tolerance. Expected failures are known:
when one is mended, its test says so.
"""

import unittest


def number(answer, place):
    """Return one of several numbers, or the one that there is."""
    values = list(answer) if hasattr(answer, "__iter__") else [answer]
    return float(values[place])
'''

_CLASS = '''

class {name}(unittest.TestCase):
    """{words}

    {where}
    """

    def check(self, answer, low, high, room):
        {check}
'''

_CASES = """
    def cases(self):
{imports}
        # What is asked, how, the doubles around the truth, and the documented tolerance.
{cases}
    def test_{side}(self):
        for name, ask, low, high, room in self.cases():
            with self.subTest(name):
                try:
                    answer = number(ask(), {place})
                except Exception as refusal:
                    self.skipTest(f"no number: {{refusal}}")
                self.check(answer, low, high, room)
"""

_FAILURE = """
    @unittest.expectedFailure
    def test_known_failure_{count}(self):
{imports}
        # {row.name}
        answer = number({row.call}, {place})
        self.check(answer, {row.low!r}, {row.high!r}, {row.room!r})
"""

_LAST = """

if __name__ == "__main__":
    unittest.main()
"""


@dataclass(frozen=True, slots=True)
class _Row:
    """A deployment: its call, the doubles around the truth, the allowance, and if it fails."""

    name: str
    call: str
    low: float
    high: float
    room: float
    is_known: bool


def libraries_with_tests() -> list[str]:
    """Return the libraries of which a file can be written."""
    return [key.partition("/")[2] for key in PAPER.parts if _promises(key)]


def ready_tests(library: str) -> str:
    """Return the test file of a library.

    Raises:
        DomainError: If no promise of a number of that name is on trial, or none can be tested so.
    """
    key = f"libraries/{library}"
    if library not in libraries_with_tests():
        known = ", ".join(libraries_with_tests())
        raise DomainError(f"--for={library!r}: no number of it is on trial. Give one of {known}.")
    claims = {claim.id: claim for claim in PAPER.parts[key]()}
    kept, left = read_inventory(PAPER) or {}, []
    version = (next(iter(claims.values())).about or "").partition("==")[2]
    text = _HEAD.format(library=library, version=version, hair=_HAIR)
    for name, promise in _promises(key).items():
        written = _class(claims[name], promise, kept[name]["readings"])
        if written is None:
            left.append(f"# {name.removeprefix(key + '/')}: {' '.join(claims[name].says.split())}")
        else:
            text += written
    if "unittest.TestCase" not in text:
        raise DomainError(
            f"--for={library!r}: its numbers are parameters, or several at once, whose truth is "
            f"asked at the answer. Try them: exactdp audit {key}."
        )
    if left:
        text += "\n\n# Not tested here, as no truth stands beside an answer before it is known:\n"
        text += "\n".join(left) + "\n"
    return text + _LAST


def _promises(key: str) -> dict[str, Promise]:
    module = import_module(f"proofs_check.{key.replace('/', '.').replace('-', '_')}")
    kept = {name: one for name, one in module.TRIALS.items() if isinstance(one, Readings)}
    return {name: one.promise for name, one in kept.items()}


def _class(claim: Claim, promise: Promise, kept: Mapping[str, Any]) -> str | None:
    """Return the class of a promise; None if no deployment has a truth to stand beside it."""
    facts = kept["a"]
    has_fallen = facts["verdict"] == "refuted"
    asked = [at.mapping() for at in islice(promise.over.instances(Effort.DEFAULT), _MOST)]
    if has_fallen:
        asked.insert(0, {x: _read(v) for x, v in facts["at"].items() if x != "answer"})
    asked = [at for i, at in enumerate(asked) if at not in asked[:i]]
    rows = [row for at in asked for row in _rows(promise, at, has_fallen=has_fallen)]
    if not rows:
        return None
    is_upper = promise.side is Side.UPPER
    imports = textwrap.indent(promise.imports.strip(), " " * 8)
    text = _CLASS.format(
        name="".join(part.title() for part in re.split(r"\W+", claim.id)[2:]),
        words=_wrapped(claim.says),
        where=_wrapped(claim.source.locator),
        check=f"self.assertGreaterEqual(answer * (1 + {_HAIR}) + room, low)"
        if is_upper
        else f"self.assertLessEqual(answer * (1 - {_HAIR}) - room, high)",
    )
    sound = [
        f"        yield {row.name!r}, lambda: {row.call}, {row.low!r}, {row.high!r}, {row.room!r}\n"
        for row in rows
        if not row.is_known
    ]
    if sound:
        side = "is_not_below" if is_upper else "is_not_above"
        text += _CASES.format(imports=imports, cases="".join(sound), side=side, place=promise.picks)
    for count, row in enumerate((row for row in rows if row.is_known), 1):
        text += _FAILURE.format(count=count, imports=imports, place=promise.picks, row=row)
    return text


def _rows(promise: Promise, at: Mapping[str, Any], *, has_fallen: bool) -> Iterator[_Row]:
    """Yield a deployment with its truth; nothing where it has no call, or no truth in a moment."""
    call = called(promise.call, at)
    if call is None or promise.asks in ("parameter", "scale") or isinstance(promise.picks, slice):
        return
    try:
        with within_budget(_SECONDS):
            truth = _truth(promise, at)
    except ExactDPError:
        return
    if truth is None:
        return
    low, high, allowed = float_below(truth), float_above(truth), promise.tolerance
    room = float_above(Exact(called(allowed, at) if callable(allowed) else allowed))
    answer, is_known = promise.answer(call), has_fallen
    if isinstance(answer, float):  # as the test says it
        is_above, is_below = answer * (1 + _HAIR) + room >= low, answer * (1 - _HAIR) - room <= high
        is_known = not (is_above if promise.side is Side.UPPER else is_below)
    yield _Row(str(Instance.of(**at)), call, low, high, room, is_known)


def _truth(promise: Promise, at: Mapping[str, Any]) -> _Truth | None:
    if promise.law is not None:
        law = called(promise.law, at)
        if promise.asks == "epsilon":
            nats: _Truth = law.epsilon(Exact(Fraction(at["delta"])), relative_width=_WIDTH)
            return nats
        found: _Truth = law.delta(Epsilon.rational(Fraction(at["epsilon"])), relative_width=_WIDTH)
        return found
    if promise.asks == "epsilon" or promise.bounded is not None:
        return None
    made = called(promise.delta, {**at, "epsilon": Fraction(at.get("epsilon", 0))})
    return None if made is None else value(made)


def _read(kept: Any) -> Any:
    """Return a kept field, of which doubles are texts."""
    try:
        return float(kept) if isinstance(kept, str) else kept
    except ValueError:
        return kept


def _wrapped(text: str) -> str:
    """Return a text as lines of a docstring."""
    plain = text.replace("\\", "\\\\").replace('"', "'")
    return textwrap.fill(plain, 94, subsequent_indent="    ")
