"""Claims that are not proved as statements of Coq, and the reason where one has no form there."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from exactdp.errors import DomainError

if TYPE_CHECKING:
    from exactdp.claims import Statement
    from exactdp.cli.meanings import Written

__all__ = ["statements"]

_OPEN = ("survived", "argued", "undecided")
_FIRST = 2
"""So many instances of a claim without a domain are named."""


def statements(names: Sequence[str], libraries: Sequence[str]) -> Written:
    """Yield the universal readings of papers that stand and are not theorems.

    Args:
        names: Papers or claims; all if none.
        libraries: The files of the theory, which each statement reads first.
    """
    from exactdp.audit import certificate_name, read_inventory
    from exactdp.claims import Statement, select
    from exactdp.claims.claim import Quantifier

    for paper, claims in select(names).chosen:
        kept = read_inventory(paper) or {}
        for claim in claims:
            facts = kept.get(claim.id, {}).get("readings", {})
            for key, stated in claim.readings.items():
                is_open = facts.get(key, {}).get("verdict") in _OPEN and claim.about is None
                if not is_open or not isinstance(stated, Statement):
                    continue
                if stated.quantifier is Quantifier.ALL:
                    name = certificate_name(claim.id, key).removesuffix(".json")
                    yield name, name, partial(_definition, name, stated, libraries)


def _definition(name: str, statement: Statement, libraries: Sequence[str]) -> str:
    """Return a claim as a proposition that nothing proves.

    Raises:
        DomainError: If it has no form in Coq, with the reason.
    """
    from exactdp.coq.statements import coq_definition

    if statement.domain is None:
        raise DomainError(_without_domain(statement))
    read = " ".join(file.removesuffix(".v") for file in libraries)
    return (
        f"(** What {name} claims; nothing here proves it: by `exactdp export coq-statements`. *)\n"
        f"From Coq Require Import Reals List.\nRequire Import {read}.\n"
        "Import ListNotations.\nOpen Scope R_scope.\n\n"
        f"{coq_definition(name, statement)}\n"
    )


def _without_domain(statement: Statement) -> str:
    """Return why a claim without a domain has no statement."""
    from exactdp.claims import Effort

    first = [str(at) for at in islice(statement.instances(Effort.DEFAULT), _FIRST + 1)]
    more = "; ..." if len(first) > _FIRST else ""
    return (
        f"it declares no domain: it is about listed instances ({'; '.join(first[:_FIRST])}{more}), "
        "whose numbers the engine computes"
    )
