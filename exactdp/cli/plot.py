"""The command ``plot``: the profiles of a problem file in one picture."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from exactdp.cli.numeric import seconds
from exactdp.errors import ParseError, number_of

if TYPE_CHECKING:
    from exactdp.numbers import Epsilon, Exact

__all__ = ["plot"]

_STEPS = 32
"""The steps of the horizontal axis."""

_FIRST_END = Fraction(4)
"""The last ε, in nats, where nothing else is asked for."""

_LAST = 10**9
"""The largest ε, in nats, that is drawn: doubles place the ones before it, too."""

_MOST = 8
"""The curves that one picture has at most: as many as have a color of their own."""


def plot(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="A problem, a sweep, or named problems; - is stdin."),
    ],
    *,
    out: Annotated[Path, typer.Option(metavar="FILE.svg", help="Where the picture goes.")],
    claim: Annotated[
        str | None,
        typer.Option(metavar="EPSILON,DELTA", help="A claimed point to mark, such as 1,1e-5."),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(metavar="EPSILON", help="The last epsilon, in nats; 4, or twice the claim's."),
    ] = None,
    trade_off: Annotated[
        bool, typer.Option("--trade-off", help="Draw the trade-off functions instead.")
    ] = False,
    time_limit: Annotated[
        float | None,
        typer.Option(help="When to give up; by default after 60.", **seconds()),
    ] = None,
) -> None:
    """Draw delta over epsilon for each problem of a file.

    Example: exactdp plot examples/problems/shuffle.json --out delta.svg

    Matplotlib draws it. A band is where delta certainly is. What a file asks is not drawn; both
    directions count.
    """
    from exactdp.cli.files import content
    from exactdp.execution import Limits, alone
    from exactdp.numbers.limits import MAX_MEMORY, MAX_SECONDS

    if out.suffix.lower() != ".svg":
        raise ParseError(f"--out={str(out)!r} does not end in .svg. Give a path that does.")
    limits = Limits(seconds=MAX_SECONDS if time_limit is None else time_limit, memory=MAX_MEMORY)
    picture, left_out = alone(_drawn, (content(file), claim, to, trade_off), limits=limits)
    out.write_bytes(picture)
    print(f"plot written to {out}")
    for name in left_out:
        print(f"note: {name} leaves out a parameter and has no curve: it is not drawn.")


def _drawn(asked: tuple[bytes, str | None, str | None, bool]) -> tuple[bytes, list[str]]:
    """Return the picture, and the names of problems that have no curve."""
    from exactdp.cli.tables import one_line
    from exactdp.divergences.display import picture
    from exactdp.numbers import Epsilon
    from exactdp.problems.fixtures import read_problem_set
    from exactdp.problems.reading import problem_of

    text, claimed, to, trade_off = asked
    named = read_problem_set(text)
    if not 1 <= len(named) <= _MOST:
        raise ParseError(
            f"FILE stands for {number_of(len(named), 'problem')}; a picture has 1 to "
            f"{_MOST}. Give fewer."
        )
    point = None if claimed is None else _claim(claimed)
    last = _last(to, point)
    points = [Epsilon.rational(last * i / _STEPS) for i in range(_STEPS + 1)]
    profiles, left_out = [], []
    for one in named:
        profile = problem_of(one.problem).law.profile("$")
        if profile is None:
            left_out.append(one_line(one.name))
        else:
            profiles.append((one_line(one.name), profile.both_directions()))
    if not profiles:
        raise ParseError(
            f"{left_out[0]} leaves out a parameter: it has no curve. Give it a number."
        )

    def draw(axes: Any) -> None:
        for i, (name, profile) in enumerate(profiles):
            label = "" if len(profiles) == 1 and name == "problem" else name
            is_last = i == len(profiles) - 1
            profile.plot(
                points,
                trade_off=trade_off,
                label=label,
                claim=point if is_last else None,
                axes=axes,
            )

    title = "Privacy profiles: " + ", ".join(name for name, _ in profiles)
    return picture(draw, title=title), left_out


def _claim(text: str) -> tuple[Epsilon, Exact]:
    from exactdp.numbers.arguments import any_epsilon, open_probability

    nats, comma, delta = text.partition(",")
    if not comma:
        raise ParseError(f"--claim={text!r} is not a pair. Give EPSILON,DELTA, such as 1,1e-5.")
    at = any_epsilon(nats.strip(), name="the claim's epsilon")
    return at, open_probability(delta.strip(), name="the claim's delta")


def _last(to: str | None, point: tuple[Epsilon, Exact] | None) -> Fraction:
    """Return the last ε of the horizontal axis."""
    from exactdp.numbers import Exact, enclosure
    from exactdp.numbers.arguments import exact

    if to is None:
        claimed = Exact(0) if point is None else point[0].nats
        last = Exact(max(_FIRST_END, 2 * enclosure(claimed).upper))
    else:
        last = exact(to, name="--to")
    if not last.is_rational or not 0 < last <= _LAST:
        raise ParseError(
            f"--to={to or str(last)} cannot be the last epsilon. Give a rational number above 0, "
            f"up to {_LAST:,}."
        )
    return last.as_fraction()
