"""The command ``certify``: a deployment's number with its proof."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from exactdp.cli.numeric import whole
from exactdp.errors import ParseError

__all__ = ["Neighbors", "certify"]


class Neighbors(Enum):
    """The relations of neighbors: a record is in or out, or another one takes its place."""

    ADD_OR_REMOVE = "add_or_remove"
    REPLACE = "replace"


def certify(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A problem file; - is stdin.")],
    *,
    out: Annotated[Path, typer.Option(metavar="CARD", help="Where to write the card.")] = Path(
        "card.json"
    ),
    epsilon: Annotated[
        str | None, typer.Option(help="In nats; by default the smallest of four digits.")
    ] = None,
    delta: Annotated[str | None, typer.Option(help="By default that of the file's claim.")] = None,
    neighbors: Annotated[
        Neighbors | None,
        typer.Option(help="By default add_or_remove; of batches and shuffles replace."),
    ] = None,
    group: Annotated[int, typer.Option(help="How many records differ.", **whole(1))] = 1,
    relative_width: Annotated[
        str, typer.Option(help="How far from the truth epsilon may be.")
    ] = "1/200",
    label: Annotated[str, typer.Option(help="A text that the card repeats.")] = "",
    refute: Annotated[
        bool, typer.Option("--refute", help="Show that the claim is false instead.")
    ] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print a paragraph for a model card.")
    ] = False,
) -> None:
    """Write a card, which proves that a deployment is private.

    Example: exactdp certify examples/problems/dp_sgd_card.json --out card.json

    The file may have a "claim": {"epsilon": "1.84", "delta": "1e-5"}; its "ask" is not needed.
    `exactdp verify card.json`, or the kernel alone on a bare Python, recomputes the card. Exit code
    2: the claim is not seen to hold.
    """
    from exactdp import cards
    from exactdp.cli.files import content
    from exactdp.problems.reading import problem_of
    from exactdp.problems.strict_json import strict_json

    document: Any = strict_json(content(file))
    claim = document.pop("claim", {}) if isinstance(document, dict) else {}
    if not isinstance(claim, dict) or not claim.keys() <= {"epsilon", "delta"}:
        raise ParseError('$.claim is not {"epsilon": ..., "delta": ...}. Give these as strings.')
    delta = delta if delta is not None else claim.get("delta")
    if delta is None:
        raise ParseError('$ has no claim with a delta. Add "claim": {"delta": "1e-5"}, or --delta.')
    epsilon = epsilon if epsilon is not None else claim.get("epsilon")
    if isinstance(document, dict):
        document.setdefault("ask", {"epsilon": [str(delta)]})
    profile = problem_of(document).law.profile("$")
    if profile is None:
        raise ParseError("$ leaves out a parameter. Give it: a card says what was deployed.")
    write = cards.refute if refute else cards.certify
    card = write(
        profile,
        epsilon=epsilon,
        delta=delta,
        neighbors=neighbors and neighbors.value,
        group=group,
        relative_width=relative_width,
        label=label,
    )
    card.write(out)
    print(card.markdown(out.name) if markdown else f"{card}\nwritten to {out}")
