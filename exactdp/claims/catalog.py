"""The catalog: installed papers, and the files that keep what their claims say.

Papers are found through the entry-point group ``exactdp.papers``, so that any
package can bring one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

from exactdp.claims.claim import Claim, Open, Paper, Source, Statement
from exactdp.errors import DomainError

__all__ = [
    "Trials",
    "claims_from_catalog",
    "claims_of_paper",
    "paper_of_package",
    "papers",
    "select",
]

GROUP = "exactdp.papers"

Trials = Mapping[str, Statement | Open | Mapping[str, Statement | Open]]
"""Claim id -> what to decide; by reading, if the print has several."""


def papers() -> dict[str, Paper]:
    """Return the installed papers by key, in alphabetical order.

    Raises:
        DomainError: If an entry point does not name a Paper.
    """
    found: dict[str, Paper] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda e: e.name):
        paper = entry.load()
        if not isinstance(paper, Paper) or paper.key != entry.name:
            raise DomainError(
                f"entry point {entry.name!r} of group {GROUP!r} is {paper!r}, "
                f"not a Paper with key {entry.name!r}. Fix the package that declares it."
            )
        found[paper.key] = paper
    return found


def select(names: list[str]) -> list[tuple[Paper, tuple[Claim, ...]]]:
    """Return the claims that the names ask for, by paper: all if there is no name.

    Args:
        names: Paper keys, claim ids, or prefixes of claim ids that end at a slash.

    Raises:
        DomainError: If a name matches nothing.
    """
    installed = papers()
    if not names:
        return [(paper, paper.claims()) for paper in installed.values()]
    chosen: dict[str, list[Claim]] = {}
    for name in names:
        key = name.partition("/")[0]
        if key not in installed:
            raise DomainError(
                f"paper={key!r} is not installed. Installed: {', '.join(installed) or 'none'}."
            )
        prefix = name.rstrip("/")
        matches = [
            c
            for c in installed[key].claims()
            if prefix in (key, c.id) or c.id.startswith(prefix + "/")
        ]
        if not matches:
            raise DomainError(
                f"claim={name!r} is not in the catalog. See `exactdp claims {key}` for the ids."
            )
        for claim in matches:
            if claim not in chosen.setdefault(key, []):
                chosen[key].append(claim)
    return [(installed[key], tuple(claims)) for key, claims in chosen.items()]


def claims_from_catalog(
    path: Path,
    *,
    paper: str,
    trials: Trials,
    repairs: Mapping[str, str] | None = None,
) -> tuple[Claim, ...]:
    """Join a catalog file with the trials of its claims.

    An entry (TOML) has id, where, says; readings if the print has several, ``hypothetical``
    (those that nobody can be shown to have claimed), ``withdrawn`` (where the authors have
    taken it back), ``repair`` (the id of the claim that mends it; or ``repairs`` has it).

    Raises:
        DomainError: If a claim has no trial, a trial has no claim, or the readings
            differ: the catalog and the trials must match entry by entry.
    """
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["claims"]
    ids = [entry["id"] for entry in entries]
    missing, unknown = set(ids) - set(trials), set(trials) - set(ids)
    if missing or unknown or len(set(ids)) != len(ids):
        raise DomainError(
            f"{path.name}: claims without a trial {sorted(missing)}, "
            f"trials without a claim {sorted(unknown)}. Every id needs both, once."
        )
    claims = []
    for entry in entries:
        readings = entry.get("readings", {"": ""})
        trial = trials[entry["id"]]
        tried = trial if isinstance(trial, Mapping) else {"": trial}
        if set(readings) != set(tried):
            raise DomainError(
                f"{entry['id']}: readings {sorted(readings)} in {path.name}, but trials for "
                f"{sorted(tried)}. Give each reading one trial."
            )
        claims.append(
            Claim(
                id=entry["id"],
                says=entry["says"],
                source=Source(paper, entry["where"]),
                readings={key: tried[key] for key in readings},
                reading_says={key: text for key, text in readings.items() if key},
                repair=entry.get("repair", (repairs or {}).get(entry["id"])),
                withdrawn=entry.get("withdrawn"),
                hypothetical=frozenset(entry.get("hypothetical", ())),
            )
        )
    return tuple(claims)


def claims_of_paper(
    folder: Path,
    *,
    trials: Trials,
    repairs: Mapping[str, str] | None = None,
) -> tuple[Claim, ...]:
    """Return the claims of a paper's folder: ``catalog.toml``, then ``repairs.toml``.

    Args:
        folder: The folder, named as the paper's key.
        trials: Those with ``/repair/`` in their ids belong to ``repairs.toml``.
        repairs: Claim id -> the id of the claim that mends it, where no entry says so.
    """
    printed = {name: trial for name, trial in trials.items() if "/repair/" not in name}
    mended = {name: trial for name, trial in trials.items() if "/repair/" in name}
    key = folder.name
    return (
        *claims_from_catalog(folder / "catalog.toml", paper=key, trials=printed, repairs=repairs),
        *claims_from_catalog(folder / "repairs.toml", paper=key, trials=mended),
    )


def paper_of_package(package: str, *, repairs: Mapping[str, str] | None = None) -> Paper:
    """Return the paper that a package tries: its ``catalog.toml``, and ``TRIALS`` of its trials.

    Args:
        package: Its full name; the last part is the paper's key.
        repairs: Claim id -> the id of the claim that mends it.
    """
    folder = Path(str(import_module(package).__file__)).parent
    catalog = tomllib.loads((folder / "catalog.toml").read_text(encoding="utf-8"))

    def claims() -> tuple[Claim, ...]:
        trials = import_module(f"{package}.trials").TRIALS
        return claims_of_paper(folder, trials=trials, repairs=repairs or {})

    return Paper(folder.name, catalog["citation"], claims, str(folder))
