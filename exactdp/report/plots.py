"""Plots as inline SVG: bars of verdicts, claimed against true values, survivors, looseness.

Colors are classes of the page's style sheet, so that dark mode and print change them too. Each
plot says in words what it shows: its title and its rows are text that a screen reader finds.

Definitions: :func:`verdict_bar`, :func:`claimed_against_true`, :func:`slack_plot`,
:func:`looseness_plot`, :func:`symbol`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from html import escape
from math import ceil, floor
from typing import TypeVar

from exactdp.claims import Sides
from exactdp.report.looseness import Looseness, Setting, drawn_bounds

__all__ = ["claimed_against_true", "four_digits", "log10", "looseness_plot", "slack_plot"]
__all__ += ["symbol", "verdict_bar"]

_Row = TypeVar("_Row")
_ROW, _TOP = 40, 24
"""The height of a row, and what is above the first. Widths are in percent: they fit any screen."""


def verdict_bar(counts: Mapping[str, int]) -> str:
    """Return one bar, cut by verdict; the page lists the same numbers in words."""
    total, at, parts = sum(counts.values()) or 1, 0.0, []
    for verdict, count in counts.items():
        width = 100 * count / total
        parts.append(f'<rect class="fill {verdict}" x="{at:.2f}" width="{width:.2f}" height="6"/>')
        at += width
    return (
        '<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">'
        f"{''.join(parts)}</svg>"
    )


def log10(value: Decimal) -> float:
    """Return the logarithm of a positive number, also of 1e-500: for the place on an axis."""
    return float(value.log10())


def four_digits(value: Decimal) -> str:
    """Return a number with four digits.

    Example:
        >>> [four_digits(Decimal(text)) for text in ("0.0174907600268", "1.97e-10", "0.12")]
        ['0.01749', '1.97e-10', '0.12']
    """
    return f"{float(value):.4g}" if -300 < log10(value) < 300 else f"{value:.3e}"


def claimed_against_true(rows: Sequence[tuple[str, str, Sides]], *, name: str) -> str:
    """Return a log axis with the claimed and the true value of each row (anchor, label, sides).

    The interval between them is what the certificate refutes.
    """
    ends = [log10(value) for _, _, s in rows for value in _ends(s)]
    axis, drawn = _Axis(min(ends), max(ends)), []
    for y, (anchor, label, s) in _placed(rows):
        stated, true = _ends(s)
        a, b = axis.x(log10(stated)), axis.x(log10(true))
        marks = (
            f'<rect class="gap" x="{min(a, b):.2f}%" y="{y - 5}" width="{abs(a - b):.2f}%" '
            f'height="10"/><circle class="claimed" cx="{a:.2f}%" cy="{y}" r="4.5"/>'
            f'<svg x="{b:.2f}%" y="{y}"><path class="true" d="M0-6l6 6l-6 6l-6-6z"/></svg>'
        )
        values = f"claimed {four_digits(stated)}, true {four_digits(true)}"
        drawn.append(_row(y, anchor, label, values, marks))
    return _svg(axis, drawn, f"Claimed against true values, {name}, on a logarithmic axis")


def _ends(s: Sides) -> tuple[Decimal, Decimal]:
    """Return the claimed and the true number, as it is told which one is which."""
    assert s.stated is not None and s.true is not None
    return Decimal(s.stated.decimal), Decimal(s.true.decimal)


def slack_plot(rows: Sequence[tuple[str, str, Decimal]], *, name: str) -> str:
    """Return how close each surviving bound came to the truth: the ratio claimed/true."""
    axis, drawn = _Axis(0.0, max(0.3, *(log10(ratio) for _, _, ratio in rows))), []
    for y, (anchor, label, ratio) in _placed(rows):
        x = axis.x(log10(ratio))
        marks = (
            f'<line class="slack" x1="{axis.x(0):.2f}%" x2="{x:.2f}%" y1="{y}" y2="{y}"/>'
            f'<circle class="survivor" cx="{x:.2f}%" cy="{y}" r="4.5"/>'
        )
        drawn.append(_row(y, anchor, label, f"claimed/true {four_digits(ratio)}", marks))
    return _svg(axis, drawn, f"Smallest ratio claimed/true of what survived, {name}")


_LOOSEST = 2.0
"""Ratios above 10^2 are drawn at the edge, as an arrow."""

_SHAPES = (
    "M-4-4h8v8h-8z",
    "M0-5.5l5 9h-10z",
    "M0-5.5l5.5 5.5l-5.5 5.5l-5.5-5.5z",
    "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z",
    "M0 5.5l5-9h-10z",
    "M-6-2h4v-4h4v4h4v4h-4v4h-4v-4h-4z",
)
"""The symbols of bounds, each around its place."""

_ARROW = "M-5-5l9 5l-9 5z"
"""The symbol of what is beyond the axis."""


def symbol(number: int) -> str:
    """Return the symbol of a bound in the legend: its shape tells it, not its color alone."""
    return f'<svg class="mark" viewBox="-7 -7 14 14" aria-hidden="true">{_shape(number)}</svg>'


def looseness_plot(settings: Sequence[Setting], *, anchors: Mapping[str, str]) -> str:
    """Return how many times the truth each bound is at each setting.

    The best one is filled, and above the others.

    Args:
        settings: What is drawn, a row for each.
        anchors: The place on the page of a bound, where it has one.
    """
    names = drawn_bounds(settings)
    least = min(log10(ratio.lower) for one in settings for ratio in one.ratios.values())
    axis, drawn = _Axis(min(least, 0.0), _LOOSEST), []
    for y, one in _placed(settings):
        marks = "".join(
            _interval(axis, y, names.index(name), name, ratio, is_best=name == one.best)
            for name, ratio in sorted(one.ratios.items(), key=lambda row: row[0] == one.best)
        )
        best = f"best: {one.best}, {_times(one.ratios[one.best])}" if one.best else "none holds"
        drawn.append(_row(y, anchors.get(one.best or "", ""), str(one), best, marks))
    height = _TOP + len(drawn) * _ROW
    truth = (
        f'<line class="truth" x1="{axis.x(0):.2f}%" x2="{axis.x(0):.2f}%" y1="18" y2="{height}"/>'
    )
    says = "How many times the truth each published bound is, on a logarithmic axis"
    label = f'<text class="tick" x="50%" y="{height + 22}">the bound over the truth</text>'
    return _svg(axis, [truth, *drawn, label], says, height=height + 28)


def _interval(
    axis: _Axis, y: int, number: int, name: str, ratio: Looseness, *, is_best: bool
) -> str:
    low, high = (log10(end) for end in (ratio.lower, ratio.upper))
    beyond = high > _LOOSEST
    a, b = (axis.x(min(end, _LOOSEST)) for end in (low, high))
    below = f" (below the truth: its {ratio.below_truth})" if ratio.below_truth else ""
    return (
        f'<g class="ratio s{number}{" best" if is_best else ""}"><title>{escape(name)}: '
        f'{_times(ratio)}{below}</title><line x1="{a:.2f}%" x2="{b:.2f}%" y1="{y}" y2="{y}"/>'
        f'<svg x="{b if beyond else (a + b) / 2:.2f}%" y="{y}">'
        f"{_shape(number, arrow=beyond)}</svg></g>"
    )


def _shape(number: int, *, arrow: bool = False) -> str:
    return f'<path d="{_ARROW if arrow else _SHAPES[number % len(_SHAPES)]}"/>'


def _times(ratio: Looseness) -> str:
    return f"{ratio.lower:.3g} to {ratio.upper:.3g} times the truth"


def _placed(rows: Sequence[_Row]) -> list[tuple[int, _Row]]:
    return [(_TOP + i * _ROW + _ROW - 13, row) for i, row in enumerate(rows)]


def _row(y: int, anchor: str, label: str, values: str, marks: str) -> str:
    row = (
        f'<text x="0" y="{y - 11}"><tspan class="name">{escape(label)}'
        f'</tspan><tspan class="values" dx="8">{escape(values)}</tspan></text>{marks}'
    )
    return f'<a href="#{escape(anchor)}">{row}</a>' if anchor else f"<g>{row}</g>"


def _svg(axis: _Axis, rows: Sequence[str], title: str, *, height: int | None = None) -> str:
    height = height or _TOP + len(rows) * _ROW + 6
    return (
        f'<svg class="plot" width="100%" height="{height}" role="group" '
        f'aria-label="{escape(title)}">{axis.drawn(height)}{"".join(rows)}</svg>'
    )


class _Axis:
    """A logarithmic axis from one power of ten, or a half of one, to another."""

    def __init__(self, low: float, high: float) -> None:
        wide = high - low > 3
        self.low = floor(low) if wide else floor(low * 4) / 4
        self.high = ceil(high) if wide else ceil(high * 4) / 4
        self.high = max(self.high, self.low + 0.25)

    def x(self, value: float) -> float:
        """Return the place of a value, in percent of the width."""
        return 3 + 94 * (value - self.low) / (self.high - self.low)

    def drawn(self, height: int) -> str:
        """Return lines at powers of ten, or at round numbers if there are too few of them."""
        whole = range(ceil(self.low), floor(self.high) + 1)
        step = next(n for n in (1, 2, 5, 10, 20, 50, 100, 200, 10**9) if len(whole) <= 7 * n)
        ticks = [(float(v), _power(v)) for v in whole if v % step == 0]
        if len(ticks) < 2:
            round_ones = [Decimal(d).scaleb(v) for v in range(-4, 4) for d in (1, 2, 5)]
            ticks = [(log10(v), f"{v.normalize():f}") for v in round_ones]
            ticks = [(v, text) for v, text in ticks if self.low <= v <= self.high]
        return "".join(
            f'<line class="grid" x1="{self.x(v):.2f}%" x2="{self.x(v):.2f}%" y1="18" '
            f'y2="{height}"/><text class="tick" x="{self.x(v):.2f}%" y="12">{text}</text>'
            for v, text in ticks
        )


def _power(exponent: int) -> str:
    if -3 <= exponent <= 3:
        return f"{Decimal(1).scaleb(exponent):f}"
    return f'10<tspan dy="-5" font-size="9">{str(exponent).replace("-", "−")}</tspan>'
