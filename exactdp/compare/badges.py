"""A badge: one line of a claim and its verdict, as an SVG that stands for itself.

It names no font but "sans-serif", loads nothing and runs nothing. Its title is what a screen reader
says; the verdict is a word, not a color alone, and white on each color has a contrast above 4.5.
"""

from __future__ import annotations

from html import escape

__all__ = ["COLORS", "badge"]

COLORS = {"holds": "#1b7f3b", "loose": "#8a5a00", "exceeded": "#b3261e", "open": "#5f6368"}
"""The color behind each verdict."""

_LONGEST = 60
"""Characters of a part; a longer one is cut, and whole in the title."""

_WIDTH, _GAP, _HEIGHT = 7, 8, 20
"""Pixels of a character, beside a text, and of the badge's height."""


def badge(label: str, verdict: str, *, standing: str, title: str = "") -> str:
    """Return a badge as SVG.

    Args:
        label: The left part, such as a claim.
        verdict: The right part, in words.
        standing: Which of :data:`COLORS`.
        title: What is told of it where it is not seen; by default both parts.

    Example:
        >>> badge("a < b", "holds", standing="holds").count("a &lt; b")
        2
    """
    left, right = _shown(label), _shown(verdict)
    a, b = (len(text) * _WIDTH + 2 * _GAP for text in (left, right))
    says = escape(_printable(title or f"{label}: {verdict}"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{a + b}" height="{_HEIGHT}" role="img" '
        f'aria-labelledby="title" viewBox="0 0 {a + b} {_HEIGHT}">'
        f'<title id="title">{says}</title>'
        f'<rect width="{a}" height="{_HEIGHT}" fill="#3c4043"/>'
        f'<rect x="{a}" width="{b}" height="{_HEIGHT}" fill="{COLORS[standing]}"/>'
        f'<g fill="#fff" font-family="sans-serif" font-size="12">'
        f"{_text(left, _GAP)}{_text(right, a + _GAP)}</g></svg>\n"
    )


def _text(text: str, x: int) -> str:
    width = len(text) * _WIDTH
    return f'<text x="{x}" y="14" textLength="{width}">{escape(text)}</text>'


def _shown(text: str) -> str:
    line = _printable(text)
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."


def _printable(text: str) -> str:
    """Return a text as one line; characters that XML forbids, or that reverse text, are marked."""
    return "".join(c if c.isprintable() else "\ufffd" for c in " ".join(text.split()))
