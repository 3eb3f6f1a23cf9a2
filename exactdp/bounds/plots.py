"""A bound, its double and the truth's band over one argument, on logarithmic axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from exactdp.bounds.answers import BoundAnswer
from exactdp.bounds.bound import PublishedBound
from exactdp.claims.printing import variable
from exactdp.divergences.display import picture
from exactdp.numbers import float_above, float_below

__all__ = ["drawn"]


def drawn(bound: PublishedBound, over: str, answers: Sequence[BoundAnswer], fixed: str) -> bytes:
    """Return the plot as SVG.

    Args:
        bound: The bound.
        over: The argument of the horizontal axis.
        answers: Its answers, one for each value of that argument.
        fixed: The other arguments, in words.

    Raises:
        DomainError: If matplotlib is not installed.
    """

    def draw(axes: Any) -> None:
        _draw(axes, bound, over, sorted(answers, key=lambda one: one.arguments[over]), fixed)

    return picture(draw, title=bound.claim)


def _draw(
    axes: Any, bound: PublishedBound, over: str, told: Sequence[BoundAnswer], fixed: str
) -> None:
    known = [one for one in told if one.truth is not None and one.truth.upper > 0]
    if known:
        x = [float(one.arguments[over]) for one in known]
        lower = [float_below(one.truth.lower) if one.truth else 0.0 for one in known]
        upper = [float_above(one.truth.upper) if one.truth else 0.0 for one in known]
        axes.fill_between(x, lower, upper, alpha=0.25, color="tab:green", label="truth")
        axes.plot(x, upper, color="tab:green", linewidth=1)
        axes.plot(x, lower, color="tab:green", linewidth=1)
    value = [one for one in told if one.safe_double is not None and one.safe_double > 0]
    axes.plot(
        [float(one.arguments[over]) for one in value],
        [one.safe_double or 0.0 for one in value],
        color="tab:blue",
        label="bound",
    )
    double = [one for one in told if one.double is not None and one.double > 0]
    axes.plot(
        [float(one.arguments[over]) for one in double],
        [one.double or 0.0 for one in double],
        "x",
        color="tab:red",
        label="in doubles",
    )
    axes.set(
        xscale="log",
        yscale="log",
        xlabel=f"{variable(over)} ({bound.unit_of(over)})",
        ylabel=f"{bound.bounds} ({bound.unit})",
        title=f"{bound.claim}, {fixed}" if fixed else bound.claim,
    )
    axes.legend()
