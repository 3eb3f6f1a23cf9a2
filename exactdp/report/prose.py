"""Sentences with formulas as HTML: sub- and superscripts, signs, and witnesses.

The catalog's sentences, and the printed formulas, are text in which ``x_0`` and ``e^{-x}`` are an
index and a power; nothing else is read out of a text. Values of a witness are data, each set by
itself. Nothing is evaluated or left out.

Definitions: :func:`prose`, :func:`signs`, :func:`witness`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape

from exactdp.claims.printing import shown_value, variable
from exactdp.claims.verdicts import Plain

__all__ = ["prose", "signs", "witness"]

_SCRIPT = re.compile(
    r"(?<=\S)([_^])(\{(?:[^{}]|\{[^{}]*\})*\}|[-−+]?[^\W_]+|[+*]|\((?:[^()]|\([^()]*\))*\))"
)
_BASE = re.compile(r"(?:^|[\W\d])[^\W\d]$|\b(?:max|min|sup|inf)$|[)\]}′']$")


def witness(at: Mapping[str, Plain]) -> str:
    """Return the values of a witness by name as HTML.

    Example:
        >>> witness({"exp_epsilon0": "4/3", "survey": "<as printed>"})
        'e<sup>ε<sub>0</sub></sup> = 4/3, survey = &lt;as printed&gt;'
    """
    values = ((prose(variable(name)), escape(shown_value(value))) for name, value in at.items())
    return ", ".join(f"{name} = {value}" for name, value in values)


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


def signs(text: str) -> str:
    """Return a sentence with ≤ for <=, and ε for eps.

    Example:
        >>> signs("eps <= eps0")
        'ε ≤ ε_0'
    """
    text = text.replace(" != ", " ≠ ").replace(" <= ", " ≤ ").replace(" >= ", " ≥ ")
    return re.sub(r"\beps(0?)\b", lambda found: "ε_0" if found[1] else "ε", text)
