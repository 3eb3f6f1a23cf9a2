"""The catalog: installed papers, and their claims, each a sentence joined with its trial.

Papers are found through the entry-point group ``exactdp.papers``, so that any package can
bring one; ``exactdp new-paper`` writes such a package. A paper that cannot be imported, or
whose catalog is malformed, is reported beside all others, which go on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules

from exactdp.claims.catalog_file import CATALOG, REPAIRS, Entry, read_catalog
from exactdp.claims.claim import Claim, Open, Paper, Source, Statement
from exactdp.claims.forms import Trials
from exactdp.errors import TRIALS_NEED, DomainError, what_happened

__all__ = [
    "Catalogs",
    "Selection",
    "claims_of_paper",
    "find_claim",
    "folder_of",
    "installed_paper",
    "packages_of_papers",
    "paper_of_package",
    "papers",
    "select",
]

GROUP = "exactdp.papers"


def papers() -> dict[str, Paper]:
    """Return the installed papers by key, in alphabetical order.

    Raises:
        Exception: Whatever the import of one raises; :func:`select` goes on without it.
    """
    return {key: installed_paper(key) for key in _entries()}


def installed_paper(key: str) -> Paper:
    """Return the paper that an installed package brings under this key.

    Raises:
        DomainError: If there is none, if there are two, or if what there is is not a Paper.
        Exception: Whatever the import of the package raises.
    """
    installed = _entries()
    if key not in installed:
        raise DomainError(
            f"paper={key!r} is not installed. Installed: {', '.join(installed) or 'none'}."
        )
    entry, *others = installed[key]
    if others:
        values = ", ".join(e.value for e in installed[key])
        raise DomainError(f"paper={key!r} is brought by several packages: {values}. Remove one.")
    paper = entry.load()
    if not isinstance(paper, Paper) or paper.key != key:
        raise DomainError(
            f"entry point {key!r} of group {GROUP!r} is {paper!r}, "
            f"not a Paper with key {key!r}. Fix the package that declares it."
        )
    return paper


def _entries() -> dict[str, list[EntryPoint]]:
    found: dict[str, list[EntryPoint]] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda e: e.name):
        same = found.setdefault(entry.name, [])
        if all(entry.value != other.value for other in same):
            same.append(entry)
    return found


def folder_of(key: str) -> Path | None:
    """Return the folder of an installed paper, which is not imported; None if there is none."""
    for entry in entry_points(group=GROUP, name=key):
        spec = find_spec(entry.module)
        if spec is not None and spec.origin is not None:
            return Path(spec.origin).parent
    return None


def packages_of_papers() -> list[str]:
    """Return the names of the packages that bring papers, each the first part of its name."""
    entries = (entry for same in _entries().values() for entry in same)
    return sorted({entry.module.partition(".")[0] for entry in entries})


@dataclass(frozen=True, slots=True)
class Selection:
    """The selected claims: papers with their claims.

    Attributes:
        chosen: Each paper with the chosen claims.
        whole: The keys of the papers all of whose claims are chosen.
        unreadable: Paper key -> what happened when it was read.
    """

    chosen: Sequence[tuple[Paper, tuple[Claim, ...]]]
    whole: frozenset[str]
    unreadable: Mapping[str, str]


def select(names: Sequence[str]) -> Selection:
    """Return the claims that the names ask for, by paper: all if there is no name.

    Args:
        names: Paper keys, claim ids, or prefixes of claim ids that end at a slash.

    Raises:
        DomainError: If a name matches nothing.
    """
    installed = _entries()
    asked: dict[str, list[str]] = {} if names else {key: [key] for key in installed}
    for name in names:
        key = name.partition("/")[0]
        if key not in installed:
            installed_paper(key)  # says so
        asked.setdefault(key, []).append(name)
    chosen: list[tuple[Paper, tuple[Claim, ...]]] = []
    whole, unreadable = set(), {}
    for key, wanted in asked.items():
        try:
            paper = installed_paper(key)
            parts = paper.parts_with(wanted)
            is_part = len(parts) < len(paper.parts)
            claims = _checked(
                paper,
                tuple(c for part in parts for c in paper.parts[part]())
                if is_part
                else paper.claims(),
            )
        except (Exception, SystemExit) as error:  # whatever the code of others raises
            if isinstance(error, ModuleNotFoundError) and error.name in TRIALS_NEED:
                raise
            unreadable[key] = what_happened(error)
            continue
        found = {claim.id: claim for name in wanted for claim in _matching(name, claims)}
        chosen.append((paper, tuple(found.values())))
        if len(found) == len(claims) and not is_part:
            whole.add(key)
    return Selection(chosen, frozenset(whole), unreadable)


def find_claim(claim_id: str) -> tuple[Paper, Claim] | None:
    """Return the claim with this id and its paper; None if no catalog that can be read has it."""
    with suppress(Exception, SystemExit):  # else the whole catalog says what happened
        paper = installed_paper(claim_id.partition("/")[0])
        if claim := paper.alone(claim_id):
            return paper, claim
    try:
        chosen = select([claim_id]).chosen
    except DomainError:
        return None
    return next(((p, c) for p, claims in chosen for c in claims if c.id == claim_id), None)


class Catalogs:
    """The claims of installed papers by id, for many questions: each file is read once."""

    def __init__(self) -> None:
        self._read: dict[str, tuple[Paper, Claim] | None] = {}

    def find(self, claim_id: str) -> tuple[Paper, Claim] | None:
        """Return the claim that :func:`find_claim` finds.

        Example:
            >>> catalogs = Catalogs()
            >>> catalogs.find("wang2023/lemma-4.5") is catalogs.find("wang2023/lemma-4.5")
            True
        """
        if claim_id not in self._read:
            self._read[claim_id] = find_claim(claim_id)
        return self._read[claim_id]


def _matching(name: str, claims: Sequence[Claim]) -> list[Claim]:
    key, prefix = name.partition("/")[0], name.rstrip("/")
    matches = [c for c in claims if prefix in (key, c.id) or c.id.startswith(prefix + "/")]
    if not matches:
        raise DomainError(
            f"claim={name!r} is not in the catalog. See `exactdp claims {key}` for the ids."
        )
    return matches


def _checked(paper: Paper, claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """Return the claims of a paper that need not come from a catalog file."""
    for claim in claims:
        if not isinstance(claim, Claim) or not claim.id.startswith(f"{paper.key}/"):
            raise DomainError(f"{claim!r} is not a Claim whose id begins with {paper.key}/.")
    if not claims or len({claim.id for claim in claims}) != len(claims):
        raise DomainError(f"paper {paper.key!r} has no claims, or two with one id.")
    return tuple(claims)


def claims_of_paper(
    folder: Path,
    *,
    trials: Mapping[str, Statement | Open | Mapping[str, Statement | Open]],
    repairs: Mapping[str, str] | None = None,
    key: str = "",
    only: str = "",
) -> tuple[Claim, ...]:
    """Return the claims of a paper's folder: ``catalog.toml``, then ``repairs.toml``.

    Args:
        folder: The folder; ``catalog_file`` has the format.
        trials: What to decide, by id; those with ``/repair/`` belong to ``repairs.toml``.
        repairs: Claim id -> the id of the claim that mends it, where no entry says so.
        key: What the ids begin with; by default the folder's name, which is the paper's key.
        only: The id of the one claim that is returned; by default all are.

    Raises:
        ParseError: If a file is malformed; it names the place.
        DomainError: If a claim has no trial, a trial has no claim, the readings differ, or
            ``repairs`` names what is not a claim.
    """
    catalog, mended = read_catalog(folder, key=key)
    entries = [(folder / CATALOG, i, entry) for i, entry in enumerate(catalog.claims)]
    entries += [(folder / REPAIRS, i, entry) for i, entry in enumerate(mended)]
    ids = {entry.id for _, _, entry in entries}
    if only:
        entries = [one for one in entries if one[-1].id == only]
    tried = {entry.id for _, _, entry in entries}
    missing, unknown = sorted(tried - set(trials)), sorted(set(trials) - tried)
    if missing or unknown:
        raise DomainError(
            f"{folder / CATALOG}: claims without a trial {missing}, "
            f"trials without a claim {unknown}. Every id needs both, once."
        )
    for broken, mends in (repairs or {}).items():
        if broken not in ids or mends not in ids:
            raise DomainError(
                f"repairs[{broken!r}]={mends!r} does not lead from a claim of {folder / CATALOG} "
                "to another. Correct the ids."
            )
    return tuple(
        replace(
            _joined(entry, f"{path}: $.claims[{i}]", folder.name, trials[entry.id], repairs or {}),
            source=Source(folder.name, entry.where, catalog.read or ""),
            causes=entry.causes(key or folder.name),
            about=catalog.about,
            files=catalog.files,
        )
        for path, i, entry in entries
    )


def _joined(
    entry: Entry,
    place: str,
    key: str,
    trial: Statement | Open | Mapping[str, Statement | Open],
    repairs: Mapping[str, str],
) -> Claim:
    readings = entry.by_reading
    tried = trial if isinstance(trial, Mapping) else {"": trial}
    if set(readings) != set(tried):
        raise DomainError(
            f"{place}.readings of {entry.id} are {sorted(readings)}, but trials are for "
            f"{sorted(tried)}. Give each reading one trial."
        )
    return Claim(
        id=entry.id,
        says=entry.says,
        source=Source(key, entry.where),
        readings={name: _with_unit(tried[name], entry.unit) for name in readings},
        reading_says={name: text for name, text in readings.items() if name},
        repair=entry.repair or repairs.get(entry.id),
        withdrawn=entry.withdrawn,
        hypothetical=frozenset(entry.hypothetical or ()),
        words=entry.words,
        asked_by_us=entry.asked,
        known=entry.known,
    )


def _with_unit(trial: Statement | Open, unit: str) -> Statement | Open:
    if isinstance(trial, Statement) and unit and not trial.unit:
        return replace(trial, unit=unit)
    return trial


def paper_of_package(package: str, *, repairs: Mapping[str, str] | None = None) -> Paper:
    """Return the paper that a package tries: its ``catalog.toml``, and ``TRIALS`` of its trials.

    These are a module ``trials``, or a package of that name, whose files have ``TRIALS`` each.

    Args:
        package: Its full name; the last part is the paper's key.
        repairs: Claim id -> the id of the claim that mends it.

    Raises:
        ParseError: If the catalog is malformed; it names the place.
        DomainError: If two files try one claim (when the claims are asked for).
    """
    folder = Path(str(import_module(package).__file__)).parent
    catalog, _ = read_catalog(folder)

    def claims() -> tuple[Claim, ...]:
        return claims_of_paper(folder, trials=_trials(f"{package}.trials"), repairs=repairs)

    def alone(name: str) -> Claim | None:
        trial = _trial(f"{package}.trials", name)
        found = trial and claims_of_paper(folder, trials=trial, repairs=repairs, only=name)
        return found[0] if found else None

    causes, mends = catalog.causes_of(folder.name), catalog.mends_of(folder.name)
    about = catalog.citation, claims, str(folder)
    return Paper(folder.name, *about, causes=causes, mends=mends, alone=alone)


def _trial(name: str, claim_id: str) -> Trials:
    """Return the trial of one claim, of the first file that speaks of it; empty if it has none."""
    module = import_module(name)
    for file in iter_modules(getattr(module, "__path__", ())):
        spec = find_spec(f"{name}.{file.name}")
        if spec and f'"{claim_id}"' in Path(str(spec.origin)).read_text(encoding="utf-8"):
            module = import_module(spec.name)
            break
    own: Trials = getattr(module, "TRIALS", {})
    return {claim_id: own[claim_id]} if claim_id in own else {}


def _trials(name: str) -> Trials:
    """Return ``TRIALS`` of a module and, if it is a package, of its files."""
    module = import_module(name)
    inside = iter_modules(getattr(module, "__path__", ()))
    files = [module, *(import_module(f"{name}.{file.name}") for file in inside)]
    found: Trials = {}
    for file in files:
        own: Trials = getattr(file, "TRIALS", {})
        for key, trial in own.items():
            if found.setdefault(key, trial) is not trial:
                raise DomainError(f"{file.__name__} tries {key!r} once more. Delete one trial.")
    return found
