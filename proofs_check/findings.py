"""Write FINDINGS.md: the findings on each paper, and on deployed libraries and releases.

    python -m proofs_check.findings > new.md && mv new.md proofs_check/FINDINGS.md

Each folder has a ``findings.md``: prose in which no verdict and no result is typed. What stands
in braces is filled in, and refused if the kept inventory or the catalog says otherwise:

=============================  ==============================================================
``{refuted theorem-1 a}``      the verdict of a claim, or of one reading of it, what falls with
                               it, and a link to the certificate. Any verdict, or ``depends``;
                               ``{argued|proved ...}`` where either will do
``{witness theorem-1 a}``      the kept witness, and what is found there
``{withdrawn theorem-1}``      where the authors have taken it back
``{stands autodp opendp}``     which promises of these libraries are not refuted
``{says theorem-1}``           the statement itself, such as one that mends another
``{number truth 1000}``        ``truth(1000)`` of the folder's ``findings.py``, to three digits
                               or as many as its certified ends agree on (of another folder:
                               ``lemmas/truth``)
=============================  ==============================================================

Prose begins with the line that stands in the contents, too. Ids are written without the paper's
key. What else is refuted as a result is counted below the prose; of the libraries all that is
refuted is listed.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, cached_property
from importlib import import_module
from itertools import chain, groupby
from pathlib import Path
from typing import Any

from exactdp.audit import certificate_name, kept_evidence, read_inventory
from exactdp.audit.history import upstream
from exactdp.audit.kept import Kept
from exactdp.audit.sizes import errs, first_ones, is_ordinary_kept, size_in_words
from exactdp.audit.tally import RULE, rows_of, tally
from exactdp.claims import Claim, Effort, Open, Paper, Statement
from exactdp.errors import DomainError, UndecidedError
from exactdp.numbers import decimal
from proofs_check.looseness import section
from proofs_check.repairs import mend_of

__all__ = ["KEYS", "Findings", "findings", "head"]

KEYS = (
    *("biswas2023", "erlingsson2019", "wang2024", "liu2024", "ding2025", "feldman2021"),
    *("feldman2023", "balle2019", "wang2023", "sparse_vector", "lemmas", "libraries", "records"),
)

HEAD = """\
<!-- Made by `python -m proofs_check.findings` from */findings.md; a test compares. -->

# Findings

One line for each paper and each library; below them how to read the rest, and a section for each.
"""

READING = f"""\
**How to read the rest.**

What a reader should know of each paper, and of what is deployed: what holds, what falls and where,
by how much in ordinary deployments, and what to use instead. Verdicts and witnesses are those of
the kept inventories, all filled in by a program; numbers are the engine's, of which the digits
that are shown are certain, and the kernel has checked those of certificates. *Proved* is checked by
machine over a stated domain; *argued* is proved in words; *survived* means only that no
counterexample was found; *refuted* links to a certificate that `exactdp verify` checks, and says
what falls: a result, a step, a remark, a misprint, or rounding. A reading is one way in which the
print can be meant.

{RULE}

Sizes are in the unit of what is promised. The *unsafe* side is that on which more is lost than is
promised; on the *safe* side there is too much noise, or a lower end is too high. A deployment is
*ordinary* with ε from 0.01 to 20, δ of at least 1e-9 and at most 1e5 uses. All tables have one
order: results, in ordinary deployments, on the unsafe side first. A true δ below 1e-15 decides no
result.
"""


_UNITS = {"hockey_stick": "δ", "total_variation": "total variation", "ldp_ratio": "ratio"}
"""The laws of certificates, and what their numbers are."""
_STANDING = {"survived", "argued", "proved"}


class Findings:
    """The findings on one paper.

    Args:
        paper: The paper, with a kept inventory.
    """

    def __init__(self, paper: Paper) -> None:
        self.paper = paper
        self.inventory: Mapping[str, Any] = {
            name.removeprefix(f"{paper.key}/"): entry
            for name, entry in (read_inventory(paper) or {}).items()
        }

    @cached_property
    def prose(self) -> str:
        """The text of ``findings.md``, not filled in."""
        return (Path(self.paper.folder) / "findings.md").read_text(encoding="utf-8")

    @cached_property
    def evidence(self) -> Mapping[str, Kept]:
        """The kept facts about certificates and proofs, by file name in a report."""
        return kept_evidence(Path(self.paper.folder))

    @cached_property
    def claims(self) -> Mapping[str, Claim]:
        """The claims by id, without the paper's key."""
        return {c.id.removeprefix(f"{self.paper.key}/"): c for c in self.paper.claims()}

    def section(self) -> str:
        """Return the paper's section of FINDINGS.md."""
        counts = Counter(entry["verdict"] for entry in self.inventory.values())
        told = [f"{count} {verdict}" for verdict, count in sorted(counts.items())]
        claims = list(self.claims.values())
        read = claims[0].source.read if not self.paper.parts else ""  # else several texts
        fallen = tally(rows_of(claims, read_inventory(self.paper) or {}))
        return (
            f"## {self.paper.key}\n\n*{self.paper.citation}*{read and f' ({read})'}\n\n"
            f"What falls: {fallen.line}. Claims: {len(self.inventory)}, of these "
            f"{', '.join(told)}.\n\n{self.filled(self.prose)}"
            + "".join(self.library_table() if self.paper.key == "libraries" else self.errors())
        )

    def line(self) -> str:
        """Return the paper's line in the contents, which tells how its headline stands."""
        says, _, _ = self.prose.removeprefix("*In one line:* ").partition("\n")
        return (
            f"| [{self.paper.key}](#{self.paper.key}) | {self.filled(says).replace('|', '/')} |\n"
        )

    def libraries(self) -> Iterator[str]:
        """Yield a line for each library: the numbers of tried and of refuted claims."""
        sections = self.prose.split("\n### ")[1:]
        rows = list(rows_of(self.claims.values(), read_inventory(self.paper) or {}))
        tried = groupby(sorted(self.claims.values(), key=_library), key=_library)
        for library, claims in tried:
            about = [claim.about for claim in claims]
            found = (x.partition("\n")[0] for x in sections if f" {library}/" in x)
            anchor = re.sub(r"[^\w -]", "", next(found, "libraries").lower()).replace(" ", "-")
            own = [row for row in rows if row.claim.split("/")[1] == library]
            name = (about[0] or library).replace("==", " ")
            sides = self.sides(library)
            line = tally(own).line + (f" (results: {sides})" if sides else "")
            yield f"| [{name}](#{anchor}) | {len(about)} | {line} | {self.use_of(library)} |\n"

    def use_of(self, library: str) -> str:
        """Return the result that tells most of a library, and the replacement, in Markdown."""
        for name, key, kept in self.telling:
            if kept["falls"] == "result" and name.startswith(f"{library}/"):
                claim = self.claims[name]
                link = self._link(name.partition("/")[2], name, key)
                mend = self.paper.mend_of(claim, key) or "No mend is known."
                return f"{link}, {self.size(name, key, kept)}. {mend}".replace("|", "/")
        return ""

    def filled(self, prose: str) -> str:
        """Return prose with everything in braces filled in.

        Raises:
            DomainError: If a stated verdict is not the kept one, or a name leads nowhere.
        """
        return re.sub(r"\{([^{}]*)\}", self._filled, prose)

    def _filled(self, place: re.Match[str]) -> str:
        kind, *rest = place[1].split() or [""]
        fill: Mapping[str, Callable[..., str | None]] = {
            "number": self._number,
            "witness": self._witness,
            "withdrawn": lambda name: self.claims[name].withdrawn,
            "says": lambda name: self.claims[name].says,
            "stands": self._stands,
        }
        try:
            found = fill[kind](*rest) if kind in fill else self._verdict(kind, *rest)
        except (AttributeError, ImportError, KeyError, TypeError) as error:
            raise DomainError(f"{self.paper.key}: {place[0]} leads nowhere ({error}).") from error
        if found is None:
            raise DomainError(f"{self.paper.key}: {place[0]}: nothing of the kind is kept.")
        return found

    def _verdict(self, stated: str, name: str, reading: str = "") -> str:
        entry, claim = self.inventory[name], self.claims[name]
        verdict = (entry["readings"][reading] if reading else entry)["verdict"]
        if verdict not in stated.split("|"):
            raise DomainError(
                f"{self.paper.key}/{name} {reading}: the prose says {stated}, the kept verdict is "
                f"{verdict}. Say what is kept."
            )
        about = [reading, *(why.partition(":")[0] for why in claim.apart(reading))]
        if verdict == "refuted":
            key = reading or min(entry["readings"])
            verdict = self._link(f"refuted, {entry['readings'][key]['falls']}", name, key)
        return f"{verdict}: `{name}`" + (f" ({', '.join(about)})" if reading else "")

    def _link(self, text: str, name: str, reading: str) -> str:
        file = certificate_name(f"{self.paper.key}/{name}", reading)
        place = Path(self.evidence[f"certificates/{file}"].place)
        path, _, line = place.name.partition(":")
        return f"[{text}]({self.paper.key}/{path}{line and f'#L{line}'})"

    def _witness(self, name: str, reading: str = "") -> str:
        witness = self.inventory[name]["readings"][reading]["witness"]
        found = _found(self.claims[name].readings[reading], witness)
        return f"`{witness}`" + (found and f" (there: {found})")

    def _stands(self, *libraries: str) -> str | None:
        """Return the promises of which no reading that somebody claims is refuted or open."""
        found = []
        for name, entry in self.inventory.items():
            apart = self.claims[name].apart
            verdicts = {r["verdict"] for k, r in entry["readings"].items() if not apart(k)}
            if name.partition("/")[0] in libraries and verdicts and verdicts <= _STANDING:
                found.append(f"`{name}`")
        return f"Tried and not refuted: {', '.join(found)}." if found else None

    def _number(self, name: str, *arguments: str) -> str:
        folder, _, function = name.rpartition("/")
        module = f"proofs_check.{folder or self.paper.key}.findings"
        value = _value(getattr(import_module(module), function), *map(int, arguments))
        for digits in (3, 2):
            try:
                return decimal(value, digits=digits)
            except UndecidedError:  # its ends are further apart
                continue
        return decimal(value, digits=1)

    def size(self, name: str, key: str, kept: Mapping[str, Any]) -> str:
        """Return the promise and the truth in the reading's unit, or in that of its law."""
        reading = self.claims[name].readings[key]
        if isinstance(reading, Statement) and not reading.unit:
            file = certificate_name(f"{self.paper.key}/{name}", key)
            certificate = json.loads(self.evidence[f"certificates/{file}"].content)
            _, *sides = certificate["conclusion"][0]
            heads = {side[0] for side in sides if isinstance(side, list)}
            units = [unit for head, unit in _UNITS.items() if head in heads]
            reading = replace(reading, unit="".join(units[:1]))
        return size_in_words(kept, reading)

    def refuted(self) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
        """Yield id, reading and kept facts of every refuted reading that someone claims."""
        for name, entry in self.inventory.items():
            for key, kept in entry["readings"].items():
                if kept["verdict"] == "refuted" and not self.claims[name].apart(key):
                    yield name, key, kept

    def errors(self) -> Iterator[str]:
        """Yield a table of the errors: the claims that each reaches, by how much, and the repair.

        An error is what the catalog names as a cause; else each result or step is one.
        """
        by_cause: dict[str, list[tuple[str, str, Mapping[str, Any]]]] = {}
        for name, key, kept in self.refuted():
            if kept.get("cause") or kept["falls"] in ("result", "step"):
                by_cause.setdefault(kept.get("cause") or name, []).append((name, key, kept))
        if not by_cause:
            return
        inventory = read_inventory(self.paper) or {}
        yield "\n| error | claims that it reaches | size, at worst | repair |\n"
        yield "|---|---|---|---|\n"
        for cause, found in by_cause.items():
            worst = min(
                found,
                key=lambda one: first_ones(
                    one[2], self.claims[one[0]].readings[one[1]], ordinary=True
                ),
            )
            links = ", ".join(
                self._link(f"{name} ({key})" if key else name, name, key)
                for name, key, _ in found[:3]
            )
            more = f" and {len(found) - 3} more" if len(found) > 3 else ""
            says = "" if cause in self.claims else _cause(cause)
            fallen = [(self.claims[name], key) for name, key, _ in found]
            mend = mend_of(self.paper, fallen, inventory).replace("|", "/")
            size = self.size(*worst)
            yield f"| {says} | {links}{more} | {size} | {mend} |\n"

    def library_table(self) -> Iterator[str]:
        """Yield a table of all that is refuted, each in the reading that tells most, in order."""
        yield "\n| library and version | newest release | promise | falls | side | ordinary "
        yield "| size | instance | cause |\n|---|---|---|---|---|---|---|---|---|\n"
        for name, key, kept in self.telling:
            claim, (library, _, promise) = self.claims[name], name.partition("/")
            reading = claim.readings[key]
            known = f" Known before: {claim.known}." if claim.known else ""
            cells = [
                (claim.about or library).replace("==", " "),
                upstream(self.paper.folder, claim, key) or "not asked",
                self._link(promise, name, key),
                kept["falls"],
                errs(kept, reading),
                "yes" if is_ordinary_kept(kept) else "no",
                self.size(name, key, kept) or _found(reading, kept["witness"]),
                f"`{kept['witness']}`",
                _cause(kept.get("cause")) + known,
            ]
            yield f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |\n"

    @cached_property
    def telling(self) -> list[tuple[str, str, Mapping[str, Any]]]:
        """Return each refuted claim in the reading that tells most, in the order of all tables."""

        def key(one: tuple[str, str, Mapping[str, Any]]) -> tuple[Any, ...]:
            name, reading, kept = one
            of = self.claims[name].readings[reading]
            return (*first_ones(kept, of, ordinary=is_ordinary_kept(kept)), name, reading)

        first: dict[str, tuple[str, str, Mapping[str, Any]]] = {}
        for one in sorted(self.refuted(), key=key):
            first.setdefault(one[0], one)
        return list(first.values())

    def sides(self, library: str) -> str:
        """Return how many of a library's results err on which side, in words."""
        found = Counter(
            errs(kept, self.claims[name].readings[key]) or "untold"
            for name, key, kept in self.telling
            if kept["falls"] == "result" and name.startswith(f"{library}/")
        )
        return ", ".join(f"{found[side]} {side}" for side in ("unsafe", "safe") if found[side])


def _library(claim: Claim) -> str:
    return claim.id.split("/")[1]


def _cause(name: str | None) -> str:
    """Return the sentence on an error; of another paper, with that paper's key."""
    if not name:
        return ""
    causes = import_module(f"proofs_check.{name.partition('/')[0]}").PAPER.causes
    return f"{causes[name]}"


@cache
def _value(function: Callable[..., Any], *arguments: int) -> Any:
    return function(*arguments)


def _found(statement: Statement | Open, witness: str) -> str:
    """Return the numbers found at a kept witness, "" if only a search can reach it."""
    assert isinstance(statement, Statement)
    listed = chain.from_iterable(map(statement.instances, Effort))
    for at in listed if statement.read is None else [statement.read(witness)]:
        if str(at) == witness:
            return statement.holds(at).found
    return ""


def _of(key: str) -> Findings:
    return Findings(import_module(f"proofs_check.{key}").PAPER)


def head() -> str:
    """Return the text above the sections: a line for each, and how to read them."""
    papers = "".join(_of(key).line() for key in KEYS)
    libraries = "".join(_of("libraries").libraries())
    return (
        f"{HEAD}\n| paper | in one line |\n|---|---|\n{papers}"
        "| [published bounds](#published-bounds-as-people-run-them) | How loose the formulas are, "
        "and where they fail in doubles. |\n\n"
        f"| library | promises tried | what falls | what tells most, and what to do "
        f"instead |\n|---|---|---|---|\n{libraries}\n{READING}"
    )


def findings() -> str:
    """Return the content of FINDINGS.md."""
    return "\n".join([head(), *(_of(key).section() for key in KEYS), section()])


if __name__ == "__main__":
    print(findings(), end="")
