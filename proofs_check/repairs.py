"""The mends of refuted claims, and whether less would do.

A refuted result or step is mended by what its paper names (:meth:`Paper.mend_of`), else by another
reading of its own that stands. Less would not do where the statement that mends is an equation, or
where a tried instance has both of its sides equal: every smaller bound fails there. Else nothing
is said to be least.

Definitions: :func:`mend_of`, :func:`least`, :data:`NONE`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from exactdp.claims import Claim, Open, Paper
from exactdp.claims.general import formula_of

__all__ = ["NONE", "least", "mend_of"]

NONE = "none is known"
"""What is said where nothing mends."""

_STAND = ("proved", "argued")

Kept = Mapping[str, Any]
"""An inventory: the id of a claim, with the paper's key, to what is kept of it."""


def mend_of(paper: Paper, fallen: Sequence[tuple[Claim, str]], kept: Kept) -> str:
    """Return the mend of refuted readings that have one cause, in Markdown.

    Args:
        paper: The paper.
        fallen: Claims with their refuted readings.
        kept: The paper's inventory.
    """
    claims = {claim.id: claim for claim in paper.claims()}
    for mend in filter(None, (paper.mend_of(claim, key) for claim, key in fallen)):
        if mend not in claims:
            return f"in words: {mend}"
        name = mend.removeprefix(f"{paper.key}/")
        return f"{kept[mend]['verdict']}: `{name}`, {least(claims[mend], kept)}"
    for claim, key in fallen:
        for other, facts in kept[claim.id]["readings"].items():
            if other != key and facts["verdict"] in _STAND:
                return f"{facts['verdict']}: its reading ({other}), {claim.reading_says[other]}"
    return NONE


def least(claim: Claim, kept: Kept) -> str:
    """Return why nothing less than a statement would do, or that it is not shown."""
    for key, facts in kept[claim.id]["readings"].items():
        if facts.get("slack") == "1":
            return f"attained at `{facts['closest']}`"
        statement = claim.readings[key]
        formula = None if isinstance(statement, Open) else formula_of(statement)
        if formula is not None and all(" = " in relation for relation in formula.relations):
            return "an equation"
    return "not shown to be least"
