"""Fixtures as source files: one case an answer, doubles bit for bit, in the language of a test.

A case has the problem's name, the problem itself as JSON, what is asked, its numbers by name
(``sigma``, ``parts[0].times``; where it is asked ``at.epsilon``, ``at.delta``, ``at.order`` or
``at.alpha``) as doubles, and the doubles ``below`` and ``above`` between which the truth lies.
``is_exact`` says whether all numbers of the problem are doubles: where one was rounded, the truth
is for the number, not for the double. Which function is to be called is up to the test.

The first line has the SHA-256 of all bytes after it: ``tail -n +2 FILE | sha256sum``.

To add a language, add a :class:`Language`: three templates, how a double and how a character
beyond ASCII is written.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from math import inf, isinf
from string import Template
from typing import Any

from exactdp import __version__
from exactdp.errors import ParseError
from exactdp.numbers import Number, decimal, float_above, float_below, log
from exactdp.problems.answers import Answer
from exactdp.problems.fixtures import Fixture
from exactdp.problems.values import RealNumber

__all__ = ["HEADS", "LANGUAGES", "Language", "source", "source_of_cases"]

_FORMAT = "exactdp-fixture-cases/1"
"""The name and version of the format that a file of cases begins with."""
_AT = {
    **dict.fromkeys(("delta", "hockey_stick"), "epsilon"),
    "epsilon": "delta",
    "renyi": "order",
    "trade_off": "alpha",
}


@dataclass(frozen=True, slots=True)
class Language:
    """The syntax in which a language writes the cases.

    Attributes:
        head: What stands before them.
        case: One, a template of name, problem, ask, direction, numbers, is_exact, below, above,
            and i, the number of the case.
        number: One named number, a template of name and value.
        foot: What stands after them, a template of calls.
        call: What the foot has of each case, a template of i; "" if nothing.
        double: A finite double, or infinity.
        beyond: A character beyond printable ASCII in a string.
        escaped: The characters of a string that take a backslash.
    """

    head: str
    case: str
    number: str
    foot: str
    double: Callable[[float], str]
    beyond: Callable[[str], str]
    call: str = ""
    escaped: str = '"\\'

    def string(self, text: str) -> str:
        """Return a string literal."""
        characters = (
            f"\\{c}" if c in self.escaped else c if " " <= c <= "~" else self.beyond(c)
            for c in text
        )
        return '"' + "".join(characters) + '"'


def source(fixtures: list[Fixture], *, language: str) -> str:
    """Return the fixtures as a source file, or as JSON Lines (``jsonl``).

    Equal fixtures have equal texts, byte for byte.

    Example:
        >>> first, *rest = source([], language="javascript").splitlines()
        >>> first[:42], rest[-1]
        ('// exactdp-fixture-cases/1, exactdp 0.3.0,', '];')
    """
    return source_of_cases([c for fixture in fixtures for c in _cases(fixture)], language=language)


def source_of_cases(cases: list[dict[str, Any]], *, language: str) -> str:
    """Return cases, each with the keys of the format, as a source file or as JSON Lines."""
    body = _lines(cases) if language == "jsonl" else _source(cases, LANGUAGES[language])
    digest = sha256(body.encode()).hexdigest()
    if language == "jsonl":
        about = {"format": _FORMAT, "exactdp": __version__, "cases": len(cases), "sha256": digest}
        return f"{json.dumps(about)}\n{body}"
    return (
        f"// {_FORMAT}, exactdp {__version__}, {len(cases)} cases, "
        f"SHA-256 of what follows this line: {digest}\n{body}"
    )


def _cases(fixture: Fixture) -> Iterator[dict[str, Any]]:
    """Yield the cases of a fixture: one for each answer."""
    law = {key: value for key, value in fixture.problem.items() if key != "ask"}
    for answer in fixture.answers:
        numbers = [*_numbers(law, ""), *_numbers(_asked(answer), "at")]
        yield {
            "name": fixture.name,
            "problem": json.dumps(law),
            "ask": answer.ask,
            "direction": answer.direction,
            "numbers": {name: double for name, double, _ in numbers},
            "is_exact": all(is_exact for _, _, is_exact in numbers),
            "below": inf if answer.float_below is None else answer.float_below,
            "above": inf if answer.float_above is None else answer.float_above,
        }


def _asked(answer: Answer) -> Any:
    name = _AT.get(answer.ask)
    return answer.at if name is None else {name: answer.at}


def _numbers(written: Any, path: str) -> Iterator[tuple[str, float, bool]]:
    """Yield the numbers of a problem: path, nearest double, whether the double is the number."""
    number = _number(written)
    if number is not None:
        below, above = float_below(number), float_above(number)
        yield path, _nearest(number, below, above), below == above
    elif isinstance(written, dict):
        for key, value in written.items():
            yield from _numbers(value, f"{path}.{key}".removeprefix("."))
    elif isinstance(written, list):
        for index, value in enumerate(written):
            yield from _numbers(value, f"{path}[{index}]")


def _number(written: Any) -> Number | None:
    """Return the number that is written in a file; None if it is not one."""
    if isinstance(written, dict) and list(written) == ["rational"]:
        return _number(written["rational"])
    try:
        if isinstance(written, dict) and list(written) == ["log"]:
            return log(RealNumber.read(written["log"]).number)
        found: Number = RealNumber.read(written).number
        return found
    except ParseError:
        return None


def _nearest(number: Number, below: float, above: float) -> float:
    if below == above or isinf(above):
        return below
    return float(Fraction(decimal(number, digits=40)))


def _lines(cases: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(_hexadecimal(case)) + "\n" for case in cases)


def _hexadecimal(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _hexadecimal(one) for key, one in value.items()}
    return value.hex() if isinstance(value, float) else value


def _source(cases: list[dict[str, Any]], to: Language) -> str:
    """Return the cases as a source file of a language."""
    texts, calls = [], []
    for i, case in enumerate(cases):
        numbers = (
            Template(to.number).substitute(name=to.string(name), value=to.double(value))
            for name, value in case["numbers"].items()
        )
        texts.append(
            Template(to.case).substitute(
                i=i,
                numbers=", ".join(numbers),
                is_exact=str(case["is_exact"]).lower(),
                **{key: to.string(case[key]) for key in ("name", "problem", "ask", "direction")},
                **{key: to.double(case[key]) for key in ("below", "above")},
            )
        )
        calls.append(Template(to.call).substitute(i=i))
    return to.head + "".join(texts) + Template(to.foot).substitute(calls=", ".join(calls))


def _bits(form: str, *, signed: bool = False) -> Callable[[float], str]:
    """Return a function that writes a double as its 64 bits."""
    whole = ">q" if signed else ">Q"
    return lambda x: form.format(struct.unpack(whole, struct.pack(">d", x))[0])


def _hex(infinity: str) -> Callable[[float], str]:
    return lambda x: infinity if x == inf else x.hex()


def _utf16(c: str) -> str:
    units = c.encode("utf-16-be")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def _octal(c: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in c.encode())


def _java(c: str) -> str:
    # Java reads \u000a before it reads strings.
    return f"\\{ord(c):03o}" if ord(c) < 256 else _utf16(c)


LANGUAGES: dict[str, Language] = {
    "rust": Language(
        head="""pub struct Case {
    pub name: &'static str,
    pub problem: &'static str,
    pub ask: &'static str,
    pub direction: &'static str,
    pub numbers: Vec<(&'static str, f64)>,
    pub is_exact: bool,
    pub below: f64,
    pub above: f64,
}

pub fn cases() -> Vec<Case> {
    vec![
""",
        case="""        Case { name: $name, problem: $problem, ask: $ask, direction: $direction,
            numbers: vec![$numbers], is_exact: $is_exact, below: $below, above: $above },
""",
        number="($name, $value)",
        foot="    ]\n}\n",
        double=_bits("f64::from_bits(0x{:016x})"),
        beyond=lambda c: f"\\u{{{ord(c):x}}}",
    ),
    "kotlin": Language(
        head="""class Case(
    val name: String, val problem: String, val ask: String, val direction: String,
    val numbers: Map<String, Double>, val isExact: Boolean, val below: Double, val above: Double)

""",
        # A function each: a method of the JVM has at most 64 kB.
        case="""private fun case$i() = Case($name, $problem, $ask, $direction,
    mapOf<String, Double>($numbers), $is_exact, $below, $above)
""",
        number="$name to $value",
        foot="\nval cases: List<Case> = listOf($calls)\n",
        call="case$i()",
        double=_bits("Double.fromBits({:#x}L)", signed=True),
        beyond=_utf16,
        escaped='"\\$',
    ),
    "java": Language(
        head="""import java.util.List;
import java.util.Map;

final class Fixtures {
    record Case(String name, String problem, String ask, String direction,
        Map<String, Double> numbers, boolean isExact, double below, double above) {}

""",
        case="""    private static Case case$i() {
        return new Case($name, $problem, $ask, $direction,
            Map.ofEntries($numbers), $is_exact, $below, $above);
    }
""",
        number="Map.entry($name, $value)",
        foot="\n    static final List<Case> CASES = List.of($calls);\n}\n",
        call="case$i()",
        double=_hex("Double.POSITIVE_INFINITY"),
        beyond=_java,
    ),
    "go": Language(
        head="""package fixtures

import "math"

type Case struct {
	Name, Problem, Ask, Direction string
	Numbers                       map[string]float64
	IsExact                       bool
	Below, Above                  float64
}

var infinity = math.Inf(1)

var Cases = []Case{
""",
        case="""	{$name, $problem, $ask, $direction,
		map[string]float64{$numbers}, $is_exact, $below, $above},
""",
        number="$name: $value",
        foot="}\n",
        double=_hex("infinity"),
        beyond=lambda c: f"\\U{ord(c):08x}",
    ),
    "cpp": Language(
        head="""#pragma once
#include <limits>
#include <map>
#include <string>
#include <vector>

struct Case {
    std::string name, problem, ask, direction;
    std::map<std::string, double> numbers;
    bool is_exact;
    double below, above;
};

inline const std::vector<Case>& cases() {
    static const std::vector<Case> all = {
""",
        case="""        {$name, $problem, $ask, $direction,
            {$numbers}, $is_exact, $below, $above},
""",
        number="{$name, $value}",
        foot="    };\n    return all;\n}\n",
        double=_hex("std::numeric_limits<double>::infinity()"),
        beyond=_octal,
    ),
    "javascript": Language(
        head="""const view = new DataView(new ArrayBuffer(8));
const double = (bits) => { view.setBigUint64(0, bits); return view.getFloat64(0); };

export const cases = [
""",
        case="""  { name: $name, problem: $problem, ask: $ask, direction: $direction,
    numbers: { $numbers }, isExact: $is_exact, below: $below, above: $above },
""",
        number="$name: $value",
        foot="];\n",
        double=_bits("double(0x{:016x}n)"),
        beyond=_utf16,
    ),
}
"""The languages; a source file begins with a comment, in all of them after two slashes."""

HEADS = {"jsonl": f'{{"format": "{_FORMAT}', **dict.fromkeys(LANGUAGES, f"// {_FORMAT}")}
"""The first characters of each kind of file."""
