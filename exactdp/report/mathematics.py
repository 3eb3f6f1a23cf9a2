"""Texts with formulas as a reader writes them: MathML for witnesses, sub- and superscripts.

A witness is a list such as ``n=2, others=((1, 1),), exp_epsilon0=4``. What is understood of it
becomes MathML; the rest stays the text that it is. Nothing is evaluated or left out.

Definitions: :func:`witness`, :func:`prose`.
"""

from __future__ import annotations

import re
from html import escape

__all__ = ["prose", "witness"]

_GREEK = {"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "Delta": "Δ", "epsilon": "ε"}
_GREEK |= {"eps": "ε", "theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ", "sigma": "σ"}
_LONGEST = 240
"""Longer values are easier to read, and to copy, as text."""

_ATOM = re.compile(
    r"\s*(?:(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])"
    r"|(?P<name>[^\W\d]\w*)|(?P<sign>[-+*^/(){}\[\]:;,=]))"
)
_SCRIPT = re.compile(
    r"(?<=\S)([_^])(\{(?:[^{}]|\{[^{}]*\})*\}|[-−+]?[^\W_]+|[+*]|\((?:[^()]|\([^()]*\))*\))"
)
_BASE = re.compile(r"(?:^|[\W\d])[^\W\d]$|\b(?:max|min|sup|inf)$|[)\]}′']$")


def witness(text: str) -> str:
    """Return a witness as HTML with MathML; a part that is no formula stays text.

    Example:
        >>> witness("n=2")
        '<math><mi>n</mi><mo>=</mo><mn>2</mn></math>'
        >>> witness("survey=[as printed]")
        '<code>survey=[as printed]</code>'
    """
    return ", ".join(_part(part) for part in _split(text))


def prose(text: str) -> str:
    """Return a sentence as HTML, with x_0 and e^{-x} as sub- and superscripts.

    A subscript follows a single letter, or stands in braces: names of programs stay.

    Example:
        >>> prose("e^{ε_0} < δ_i")
        'e<sup>ε<sub>0</sub></sup> &lt; δ<sub>i</sub>'
        >>> prose("exp_epsilon < max_i")
        'exp_epsilon &lt; max<sub>i</sub>'
    """
    found, end = [], 0
    for match in _SCRIPT.finditer(text):
        inner = match[2]
        before = text[end : match.start()]
        power = match[1] == "^" and before[-1:].isdigit()
        if not (inner[0] == "{" or not before or power or _BASE.search(before)):
            continue
        found.append(escape(before))
        tag = "sub" if match[1] == "_" else "sup"
        content = inner[1:-1] if inner[0] in "{(" else inner
        found.append(f"<{tag}>{prose(content)}</{tag}>")
        end = match.end()
    return "".join(found) + escape(text[end:])


def _split(text: str) -> list[str]:
    """Return the parts between the commas that stand in no bracket and are before a name."""
    parts, depth, start = [], 0, 0
    for place, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and not depth and re.match(r", [^\W\d]\w*=", text[place:]):
            parts.append(text[start:place])
            start = place + 2
    return [*parts, text[start:]]


def _part(text: str) -> str:
    name, equals, value = text.partition("=")
    formula = _value(value) if equals and len(value) <= _LONGEST else None
    if formula is None or not re.fullmatch(r"[^\W\d]\w*", name):
        return f"<code>{escape(text)}</code>"
    return f"<math>{_name(name)}<mo>=</mo>{formula}</math>"


def _name(name: str) -> str:
    """Return a variable: exp_epsilon0 is e to the epsilon_0, next_n is n', n_x0 has an index."""
    if name.startswith("next_"):
        return f"<mrow>{_name(name[5:])}<mo>′</mo></mrow>"
    if name == "exp_half_epsilon":
        return "<msup><mi>e</mi><mrow><mi>ε</mi><mo>/</mo><mn>2</mn></mrow></msup>"
    if name.startswith("exp_"):
        return f"<msup><mi>e</mi>{_name(name[4:])}</msup>"
    base, _, index = name.partition("_")
    if not index and (found := re.fullmatch(r"([^\W\d]+)(\d+)", base)):
        base, index = found.groups()
    if index in ("prime", "star"):
        return f"<msup>{_name(base)}<mo>{'′' if index == 'prime' else '*'}</mo></msup>"
    shown = _GREEK.get(base, base)
    letter = f"<mi>{escape(shown)}</mi>" if len(shown) == 1 else f"<mtext>{escape(shown)}</mtext>"
    if not index:
        return letter
    if (found := re.fullmatch(r"([^\W\d])(\d)", index)) and len(shown) == 1:
        small = f"<msub><mi>{found[1]}</mi><mn>{found[2]}</mn></msub>"
    else:
        small = (
            f"<mn>{index}</mn>"
            if index.isdigit()
            else f"<mi>{escape(index).replace('_', ',')}</mi>"
        )
    if len(shown) > 1:  # a word, not a letter with an index
        return f"<mtext>{escape(shown)} {escape(index).replace('_', ' ')}</mtext>"
    return f"<msub>{letter}{small}</msub>"


def _value(text: str) -> str | None:
    """Return a value of numbers, fractions, brackets and single names as MathML, else None."""
    found, place, text = [], 0, text.replace(",)", ")")
    while place < len(text):
        fraction = re.compile(r"\s*(-?\d+)/(\d+)(?![\w.^])").match(text, place)
        if fraction is not None:
            top, bottom = fraction.groups()
            sign = "<mo>−</mo>" if top[0] == "-" else ""
            found.append(f"{sign}<mfrac><mn>{top.lstrip('-')}</mn><mn>{bottom}</mn></mfrac>")
            place = fraction.end()
            continue
        atom = _ATOM.match(text, place)
        if atom is None:
            return None
        if atom["name"] and text[:place].rstrip()[-1:].isalpha():
            return None  # words, not a product
        place = atom.end()
        if atom["number"]:
            found.append(_number(atom["number"]))
        elif atom["name"]:
            found.append(_name(atom["name"]))
        else:
            found.append(f"<mo>{'−' if atom['sign'] == '-' else escape(atom['sign'])}</mo>")
    return found[0] if len(found) == 1 else f"<mrow>{''.join(found)}</mrow>" if found else None


def _number(text: str) -> str:
    mantissa, _, exponent = text.lower().partition("e")
    sign = "<mo>−</mo>" if mantissa[0] == "-" else ""
    shown = f"{sign}<mn>{mantissa.lstrip('-')}</mn>"
    if not exponent:
        return shown
    power = str(int(exponent)).replace("-", "−")
    return f"<mrow>{shown}<mo>·</mo><msup><mn>10</mn><mn>{power}</mn></msup></mrow>"
