"""How a profile shows itself: a table in a notebook, a curve in a plot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from html import escape
from typing import Any

from exactdp.errors import DomainError, ExactDPError
from exactdp.numbers import Enclosure, Epsilon, Exact, Rounding, decimal, float_above, float_below

__all__ = ["POINTS", "curve", "html_table"]

_SHOWN = ("0", "1/10", "1/2", "1", "2", "4")

POINTS = tuple(Fraction(i, 8) for i in range(33))
"""Values of ε (nats) for a plot, from 0 to 4."""

DeltaAt = Callable[[Epsilon], Enclosure]


def html_table(title: str, delta_at: DeltaAt) -> str:
    """Return a table of upper ends of δ at a few ε, as HTML."""
    rows = []
    for nats in _SHOWN:
        try:
            upper = Exact(delta_at(Epsilon.rational(nats)).upper)
            shown = decimal(upper, digits=4, rounding=Rounding.UP)
        except ExactDPError as error:  # a notebook shows what it can
            shown = escape(str(error))
        rows.append(f"<tr><td>{nats}</td><td>{shown}</td></tr>")
    head = "<tr><th>ε (nats)</th><th>δ at most</th></tr>"
    return f"<table><caption>{escape(title)}</caption>{head}{''.join(rows)}</table>"


def curve(delta_at: DeltaAt, epsilons: Sequence[Epsilon], *, label: str, axes: Any = None) -> Any:
    """Draw δ over ε on a logarithmic axis, each δ as the interval that encloses it.

    Returns:
        The axes of matplotlib that were drawn on.

    Raises:
        DomainError: If matplotlib is not installed.
    """
    try:
        from matplotlib import pyplot
    except ImportError:
        raise DomainError(
            "a plot needs matplotlib, which is not installed. Install exactdp[report]."
        ) from None
    if axes is None:
        _, axes = pyplot.subplots()
    found = [delta_at(epsilon) for epsilon in epsilons]
    x = [float_above(epsilon.nats) for epsilon in epsilons]
    lower = [float_below(Exact(one.lower)) for one in found]
    upper = [float_above(Exact(one.upper)) for one in found]
    axes.fill_between(x, lower, upper, alpha=Fraction(1, 4))
    axes.plot(x, upper, label=label)
    axes.set(yscale="log", xlabel="ε (nats)", ylabel="δ")
    return axes
