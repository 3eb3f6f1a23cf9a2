"""The campaign of `audit --search`: survivors are searched over their whole domain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from exactdp.audit.campaign import Searched
    from exactdp.claims import Claim, Paper

__all__ = ["search"]

_SURVIVED = "survived"


def search(
    chosen: Sequence[tuple[Paper, Sequence[Claim]]],
    *,
    seed: int,
    budget: int | None,
    keep: bool,
    workers: int | None,
) -> int:
    """Search the surviving claims, one after another; print a line each, and return the exit code.

    Args:
        chosen: Papers with their claims.
        seed: The seed of the draws.
        budget: The operations of each reading; None for the usual ones.
        keep: Whether the folders keep what is found, after each claim: a campaign that is stopped
            goes on where it was, as what is kept with this seed and as large a budget is left out.
        workers: The processes.
    """
    from exactdp.audit import folder_to_keep, read_inventory
    from exactdp.audit.campaign import BUDGET, read_searches, write_searches
    from exactdp.execution import absence, side_by_side

    operations, code = BUDGET if budget is None else budget, 0
    for paper, claims in chosen:
        folder = folder_to_keep(paper) if keep else Path(paper.folder)
        verdicts, kept = read_inventory(paper) or {}, read_searches(paper)
        for claim in claims:
            known = kept.get(claim.id, {}) if keep else {}
            asked = list(_survived(claim, verdicts, known, seed, operations))
            if not asked or (claim.about and absence(claim.about, claim.files)):
                continue
            jobs = [(paper.key, claim.id, reading, seed, operations) for reading in asked]
            answers = side_by_side(_of_reading, jobs, workers=workers, name=lambda job: job[1])
            for reading, found in zip(asked, answers, strict=True):
                shown = f"{claim.id} ({reading})" if reading else claim.id
                typer.echo(f"{shown}: {found}")
                code |= found.failure is not None
                kept.setdefault(claim.id, {})[reading] = {
                    **({"about": claim.about} if claim.about else {}),
                    **asdict(found),
                }
            if keep:
                write_searches(folder, kept)
    return code


def _survived(
    claim: Claim, verdicts: Mapping[str, Any], known: Mapping[str, Any], seed: int, budget: int
) -> Iterator[str]:
    """Yield the readings that survived, and are not searched yet."""
    for reading, facts in verdicts.get(claim.id, {}).get("readings", {}).items():
        before = known.get(reading, {})
        is_known = (
            before.get("seed") == seed
            and before.get("budget", 0) >= budget
            and before.get("about") == claim.about
        )
        if facts["verdict"] == _SURVIVED and reading in claim.readings and not is_known:
            yield reading


def _of_reading(job: tuple[str, str, str, int, int]) -> Searched:
    from exactdp.audit.campaign import searched
    from exactdp.claims import Open, find_claim

    _, claim_id, reading, seed, budget = job
    found = find_claim(claim_id)
    assert found is not None
    statement = found[1].readings[reading]
    assert not isinstance(statement, Open)
    return searched(statement, seed=seed, budget=budget)
