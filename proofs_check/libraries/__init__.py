"""Deployed numbers on trial: the promises of accountants, calibrators and drafts.

One folder a library (or draft): ``catalog.toml`` says what is promised, at which version, and the
folder's ``TRIALS`` puts it on trial. Where the library is not installed at that version its
claims are not tried, and the inventory keeps their last verdict. ``promises`` has the one form
that they share: a number on its side of the truth.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path

from exactdp.claims import Claim, Paper, claims_of_paper
from exactdp.claims.catalog_file import Catalog, read_catalog

__all__ = ["PAPER"]

_FOLDER = Path(__file__).parent


def _promises(folder: Path, key: str) -> tuple[Claim, ...]:
    trials = import_module(f"{__name__}.{folder.name}").TRIALS
    return claims_of_paper(folder, trials=trials, key=key)


def _claims() -> tuple[Claim, ...]:
    return tuple(claim for promises in PAPER.parts.values() for claim in promises())


_FOLDERS = {
    f"libraries/{path.parent.name.replace('_', '-')}": path.parent
    for path in sorted(_FOLDER.glob("*/catalog.toml"))
}


def _of_all(named: Callable[[Catalog, str], dict[str, str]]) -> dict[str, str]:
    catalogs = ((key, read_catalog(folder, key=key)[0]) for key, folder in _FOLDERS.items())
    return {name: says for key, catalog in catalogs for name, says in named(catalog, key).items()}


PAPER = Paper(
    key="libraries",
    citation="Accountants, calibrators and drafts in use, each at a named version",
    claims=_claims,
    folder=str(_FOLDER),
    parts={key: partial(_promises, folder, key) for key, folder in _FOLDERS.items()},
    causes=_of_all(Catalog.causes_of),
    mends=_of_all(Catalog.mends_of),
)
