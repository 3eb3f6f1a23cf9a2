"""The display of profiles: a table in a notebook, as HTML and LaTeX, and curves in a plot.

A plot is drawn here alone: on axes of matplotlib, and as a picture that stands for itself.
"""

from __future__ import annotations

import io
import re
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from html import escape
from math import isnan, nan
from typing import Any

from exactdp.errors import DomainError, ExactDPError
from exactdp.numbers import Enclosure, Epsilon, Exact, Real, decimal, float_above, float_below
from exactdp.numbers import short as shortened
from exactdp.numbers.digits import bracketed_decimal

__all__ = ["DELTA", "LEVELS", "POINTS", "InNotebook", "Points", "curve", "deltas", "drawing"]
__all__ += ["marked", "name_of", "picture"]

_SHOWN = ("0", "1/10", "1/2", "1", "2", "4")
"""Values of ε (nats) in a table of δ."""

POINTS = tuple(Epsilon.rational(Fraction(i, 8)) for i in range(33))
"""Values of ε (nats) for a plot, from 0 to 4."""

LEVELS = tuple(Exact(Fraction(i, 32)) for i in range(33))
"""Levels α for a plot, from 0 to 1."""

DELTA = "δ, logarithmic scale"
"""The label of an axis of δ, which is logarithmic."""

Points = Sequence[Epsilon] | Sequence[Exact]
"""Where a curve is drawn."""

_SIZE = (8, 5)
"""The width and the height of a picture, in inches."""

_LONGEST = 60
"""Characters of a name in a legend."""

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
    """A table in a notebook: in HTML on its page, in LaTeX where it is printed."""

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


def name_of(thing: object) -> str:
    """Return the name of a profile: its kind, and those of its parameters that are numbers.

    Example:
        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> name_of(gaussian_mechanism(sigma="1/2"))
        'Gaussian mechanism (sigma 1/2, sensitivity 1)'
    """
    sides = getattr(thing, "profiles", None)
    if isinstance(sides, tuple) and sides:
        names = dict.fromkeys(_kind(one) for one in sides)
        return f"{', '.join(names)}, the largest of {len(sides)}"
    found = []
    if is_dataclass(thing):
        values = [(one.name, getattr(thing, one.name)) for one in fields(thing) if one.repr]
        kinds = Exact | Real | Fraction | int | str
        found = [(x, y) for x, y in values if isinstance(y, kinds) and not isinstance(y, bool)]
    shown = [(x, shortened(y if isinstance(y, Fraction) else str(y))) for x, y in found]
    told = ", ".join(f"{x.replace('_', ' ')} {y}" for x, y in shown)
    return f"{_kind(thing)} ({told})" if told else _kind(thing)


def _kind(thing: object) -> str:
    return re.sub("(?<=[a-z])(?=[A-Z])", " ", type(thing).__name__).capitalize()


def curve(
    value_at: Callable[[Any], Enclosure],
    at: Points,
    across: str,
    up: str,
    *,
    label: str,
    title: str,
    axes: Any = None,
) -> Any:
    """Draw a curve, each value as the interval that encloses it; δ on a logarithmic axis.

    Where a value is not found the curve has a gap; where none is, the reason is raised.

    Args:
        value_at: The curve.
        at: Where it is drawn.
        across: The name of the horizontal axis.
        up: The label of the vertical axis.
        label: Whose curve it is, for the legend.
        title: The title of new axes.
        axes: What to draw on; by default new axes.

    Returns:
        The axes of matplotlib that were drawn on.

    Raises:
        DomainError: If matplotlib is not installed.
    """
    drawing()
    x, lower, upper = [], [], []
    reason: ExactDPError | None = None
    for one in at:
        x.append(float_above(one))
        try:
            found = value_at(one)
        except ExactDPError as error:
            lower.append(nan)
            upper.append(nan)
            reason = error
        else:
            lower.append(float_below(found.lower))
            upper.append(float_above(found.upper))
    if reason is not None and all(map(isnan, upper)):
        raise reason
    if axes is None:
        from matplotlib import pyplot

        _, axes = pyplot.subplots()
    if not axes.get_title():
        axes.set_title(title)
    axes.fill_between(x, lower, upper, alpha=Fraction(1, 4))
    axes.plot(x, upper, label=_in_legend(label))
    axes.set(xlabel=across, ylabel=up)
    if up == DELTA:
        axes.set_yscale("log", nonpositive="mask")  # where δ is 0 a curve ends
    axes.legend()
    return axes


def marked(axes: Any, epsilon: Epsilon, delta: Exact) -> None:
    """Mark a claimed (ε, δ) on the axes of a profile: one above the curve is met."""
    x, y = float_above(epsilon), float_above(delta)
    axes.plot([x], [y], "kx", markersize=9, label=f"claim ({x:.6g}, {y:.6g})")
    axes.legend()


def picture(draw: Callable[[Any], None], *, title: str = "") -> bytes:
    """Return a plot on new axes as SVG, the same bytes on every run.

    Args:
        draw: Draws on the axes.
        title: What the picture says of itself, where it is not seen.

    Raises:
        DomainError: If matplotlib is not installed.
    """
    matplotlib = drawing()
    from matplotlib.figure import Figure

    figure = Figure(figsize=_SIZE, layout="constrained")
    draw(figure.subplots())
    about = {"Date": None, **({"Title": title} if title else {})}
    out = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "exactdp", "svg.fonttype": "none"}):
        figure.savefig(out, format="svg", metadata=about)
    return out.getvalue()


def _in_legend(label: str) -> str:
    """Return a name as a legend shows it: no formula, and not left out for how it begins."""
    text = label if len(label) <= _LONGEST else f"{label[: _LONGEST - 3]}..."
    text = text.replace("$", r"\$")
    return f"\u200b{text}" if text.startswith("_") else text
