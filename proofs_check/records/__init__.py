"""Records on trial: numbers in public texts of deployments, and statements of recent preprints.

One folder a record: ``catalog.toml`` says which text was read, and the folder's ``TRIALS`` puts it
on trial. ``concentrated`` has the two terms between which all that ρ-zCDP implies is.
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
_FOLDERS = tuple(path.parent for path in sorted(_FOLDER.glob("*/catalog.toml")))


def _records(folder: Path) -> tuple[Claim, ...]:
    trials = import_module(f"{__name__}.{folder.name}").TRIALS
    return claims_of_paper(folder, trials=trials, key=PAPER.key)


def _claims() -> tuple[Claim, ...]:
    return tuple(claim for folder in _FOLDERS for claim in _records(folder))


def _of_all(named: Callable[[Catalog, str], dict[str, str]]) -> dict[str, str]:
    catalogs = (read_catalog(folder, key="records")[0] for folder in _FOLDERS)
    return {name: says for catalog in catalogs for name, says in named(catalog, "records").items()}


PAPER = Paper(
    key="records",
    citation="Numbers of deployments, and statements of preprints, as their texts print them",
    claims=_claims,
    folder=str(_FOLDER),
    parts={
        f"records/{folder.name.replace('_', '-')}": partial(_records, folder) for folder in _FOLDERS
    },
    causes=_of_all(Catalog.causes_of),
    mends=_of_all(Catalog.mends_of),
)
