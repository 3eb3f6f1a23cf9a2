"""Printing: numbers, terms and statements, short, from parsed data only.

Decimal digits come from integer arithmetic, and no long integer is converted to decimal.
"""

from fractions import Fraction

from .parse import Node, Part
from .values import Dyadic, Value

_DIGITS = 6
_SHORT = 10**18
_LONGEST = 400
_INFIX = {"add": " + ", "sub": " - ", "mul": " * ", "div": " / ", "pow": "^"}


def decimal(n: int, d: int, *, up: bool, digits: int = _DIGITS) -> tuple[str, bool]:
    """Return n/d (d > 0) rounded down, or up, to so many digits, and whether that is exact."""
    if n == 0:
        return "0", True
    m, sign = abs(n), "-" if n < 0 else ""
    k = (m.bit_length() - d.bit_length()) * 30103 // 100000 + 1
    while m < d * 10**k if k >= 0 else m * 10**-k < d:
        k -= 1
    while m >= d * 10 ** (k + 1) if k >= -1 else m * 10 ** (-k - 1) >= d:
        k += 1
    s = digits - 1 - k
    q, rest = divmod(m * 10 ** max(0, s), d * 10 ** max(0, -s))
    q += rest != 0 and up == (n > 0)
    if q == 10**digits:
        q, k = q // 10, k + 1
    mantissa = str(q)
    if -5 <= k < 0:
        text = "0." + "0" * (-k - 1) + mantissa
    elif 0 <= k < digits:
        text = mantissa[: k + 1] + "." + mantissa[k + 1 :]
    else:
        text = mantissa[0] + "." + mantissa[1:]
    text = text.rstrip("0").rstrip(".")
    return sign + text + ("" if -5 <= k < digits else f"e{k}"), rest == 0


def shown_number(x: Fraction) -> str:
    """Return a rational as written, if short; else a decimal approximation with its size."""
    if abs(x.numerator) < _SHORT and x.denominator < _SHORT:
        return str(x)
    size = x.numerator.bit_length() + x.denominator.bit_length()
    return f"~{_rounded(x)} (a rational of {size} bits)"


def _rounded(x: Fraction) -> str:
    text, exact = decimal(x.numerator, x.denominator, up=x < 0)
    return text if exact else f"{text}..." if "e" not in text else text.replace("e", "...e")


def shown_value(x: Value) -> str:
    """Return a value with a decimal approximation; an interval by outward-rounded ends."""
    if isinstance(x, Fraction):
        short = shown_number(x)
        return short if x.denominator == 1 or "~" in short else f"{short} ({_rounded(x)})"
    return f"a number in [{_end(x.lo, up=False)}, {_end(x.hi, up=True)}]"


def _end(a: Dyadic, *, up: bool) -> str:
    m, e = a
    if abs(e) > 200_000:
        return f"about {'-' if m < 0 else ''}2^{m.bit_length() + e}"
    return decimal(m << max(0, e), 1 << max(0, -e), up=up, digits=17)[0]


def shortened(text: str, limit: int = _LONGEST) -> str:
    """Return the text, with its middle left out if it is long."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]} [... {len(text) - 2 * half} characters ...] {text[-half:]}"


def shown(part: Part) -> str:
    """Return a term, matrix, pair or relation in ordinary notation."""
    if isinstance(part, Fraction):
        return shown_number(part)
    if isinstance(part, tuple):
        return "[" + ", ".join(shown(x) for x in part) + "]"
    if not isinstance(part, Node):
        return str(part)
    kind, parts = part.kind, part.parts
    if kind in ("number", "ref"):
        return shown(parts[0])
    if kind == "matrix":
        return shown(parts)
    if kind == "shuffle":
        return _shown_shuffle(parts)
    if kind in ("<", "<=", "=", "!=", ">=", ">"):
        return f"{shown(parts[0])} {kind} {shown(parts[1])}"
    if kind in _INFIX:
        return "(" + _INFIX[kind].join(shown(x) for x in parts) + ")"
    if kind in ("sum", "product"):
        variable, lo, hi, body = (shown(x) for x in parts)
        return f"{kind}({variable} = {lo}..{hi}: {body})"
    return f"{kind}({', '.join(shown(x) for x in parts)})" if parts else kind


def _shown_shuffle(parts: tuple[Part, ...]) -> str:
    randomizers, (victim, first, second), others, merge = map(_tuple, parts)
    users = [f"{shown(r)}({shown(x)}) times {shown(c)}" for r, x, c in map(_tuple, others)]
    where = [f"{shown(r)} is {shortened(shown(m))}" for r, m in map(_tuple, randomizers)]
    text = (
        f"shuffled view (all messages, as counts) of victim {shown(victim)}({shown(first)}) or "
        f"{shown(victim)}({shown(second)}) with {', '.join(users) or 'no other users'}"
    )
    if merge:
        text += f", merged into the classes {shown(merge)}"
    text += f", where {', '.join(where)}"
    return "{" + text + "}"


def _tuple(part: Part) -> tuple[Part, ...]:
    return part if isinstance(part, tuple) else (part,)
