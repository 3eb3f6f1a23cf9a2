"""How a profile shows itself: a table in a notebook, as HTML and LaTeX, and curves in a plot."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from html import escape
from typing import Any

from exactdp.errors import DomainError, ExactDPError
from exactdp.numbers import Enclosure, Epsilon, Exact, decimal, float_above, float_below
from exactdp.numbers.digits import bracketed_decimal

__all__ = ["LEVELS", "POINTS", "InNotebook", "curve", "deltas", "drawing"]

_SHOWN = ("0", "1/10", "1/2", "1", "2", "4")
"""Values of ε (nats) in a table of δ."""

POINTS = tuple(Epsilon.rational(Fraction(i, 8)) for i in range(33))
"""Values of ε (nats) for a plot, from 0 to 4."""

LEVELS = tuple(Exact(Fraction(i, 32)) for i in range(33))
"""Levels α for a plot, from 0 to 1."""

_ESCAPED = {c: f"\\{c}" for c in "#$%&_{}"} | {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
}
_IN_LATEX = str.maketrans(_ESCAPED)

Table = tuple[str, Sequence[str], Sequence[Sequence[str]]]
"""A title, columns, and rows."""

DeltaAt = Callable[[Epsilon], Enclosure]


class InNotebook:
    """What a notebook shows as a table: in HTML on its page, in LaTeX where it is printed."""

    __slots__ = ()

    @abstractmethod
    def table(self) -> Table:
        """Return the table that is shown: a title, columns, and rows of text."""

    def _repr_html_(self) -> str:
        title, columns, rows = self.table()
        cells = [f"<th>{escape(name)}</th>" for name in columns]
        lines = ["".join(cells)]
        lines += ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows]
        body = "".join(f"<tr>{line}</tr>" for line in lines)
        return f"<table><caption>{escape(title)}</caption>{body}</table>"

    def _repr_latex_(self) -> str:
        title, columns, rows = self.table()
        head, *lines = (
            " & ".join(rf"\text{{{cell.translate(_IN_LATEX)}}}" for cell in row) + r" \\"
            for row in ([title], columns, *rows)
        )
        first, *rest = lines
        body = [
            rf"\begin{{array}}{{{'l' * len(columns)}}}",
            first,
            r"\hline",
            *rest,
            r"\end{array}",
        ]
        return "\n".join(["$$", r"\begin{array}{l}", head, *body, r"\end{array}", "$$"])


def deltas(title: str, delta_at: DeltaAt) -> Table:
    """Return a table of δ at a few ε: common digits, with the bracket that is left."""
    rows = []
    for nats in _SHOWN:
        try:
            found = delta_at(Epsilon.rational(nats))
            shown = bracketed_decimal(
                *(decimal(end, digits=5) for end in (found.lower, found.upper))
            )
        except ExactDPError as error:  # a notebook shows what it can
            shown = str(error)
        rows.append([nats, shown])
    return title, ["ε (nats)", "δ"], rows


def drawing() -> Any:
    """Return matplotlib, which draws.

    Raises:
        DomainError: If it is not installed.
    """
    try:
        import matplotlib
    except ImportError:
        raise DomainError(
            "a plot needs matplotlib, which is not installed. Install exactdp[report]."
        ) from None
    return matplotlib


def curve(
    value_at: Callable[[Any], Enclosure],
    at: Sequence[Epsilon] | Sequence[Exact],
    across: str,
    up: str,
    *,
    label: str,
    axes: Any = None,
) -> Any:
    """Draw a curve, each value as the interval that encloses it; δ on a logarithmic axis.

    Args:
        value_at: The curve.
        at: Where it is drawn.
        across: The name of the horizontal axis.
        up: The label of the vertical axis.
        label: Whose curve it is.
        axes: What to draw on; by default new axes.

    Returns:
        The axes of matplotlib that were drawn on.

    Raises:
        DomainError: If matplotlib is not installed.
    """
    drawing()
    if axes is None:
        from matplotlib import pyplot

        _, axes = pyplot.subplots()
    found = [value_at(one) for one in at]
    x = [float_above(one) for one in at]
    lower = [float_below(one.lower) for one in found]
    upper = [float_above(one.upper) for one in found]
    axes.fill_between(x, lower, upper, alpha=Fraction(1, 4))
    axes.plot(x, upper, label=label)
    axes.set(xlabel=across, ylabel=up, yscale="log" if up == "δ" else "linear")
    return axes
