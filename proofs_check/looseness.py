"""The looseness of published bounds on shuffling: formula over truth, setting by setting.

    python -m proofs_check.looseness > proofs_check/looseness.json

asks every published bound on ε of n shuffled users of any ε0-private randomizer, whose arguments
are n, ε0 and δ, at each setting of a grid. The ends of a ratio are certified; a bound whose
hypotheses do not hold at a setting has no entry there.

Definitions: :func:`found`, :func:`kept`, :func:`table`, :func:`in_doubles`, :func:`section`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from exactdp.bounds import PublishedBound, bounds_of
from exactdp.bounds.kept import kept as kept_of_claim
from exactdp.bounds.papers import papers_with_bounds
from exactdp.claims.doubles import doubles_file
from exactdp.errors import ExactDPError
from proofs_check.lemmas.targets import OF_SHUFFLED

__all__ = ["FILE", "GRID", "found", "in_doubles", "kept", "rivals", "section", "table"]

FILE = Path(__file__).parent / "looseness.json"
"""What was found, kept."""

GRID: tuple[dict[str, str], ...] = tuple(
    {"n": n, "epsilon0": epsilon0, "delta": delta}
    for n, epsilon0, delta in product(
        ("1e3", "1e5", "1e7"), ("0.1", "1", "4"), ("1e-6", "1e-10", "1e-30")
    )
)
"""The settings: users, the nats of one report, δ."""

_SECTION = """\
## Published bounds, as people run them

{count} formulas and algorithms of the papers, each tried in doubles over its whole domain
(`exactdp bounds --try`), by their worst fault: {tally}.
On the wrong side of the truth by more than rounding, each with a certificate where the kernel
computes the formula:

{doubles}

How many times the truth are the bounds on ε of n shuffled users of any ε0-private randomizer? (At
other settings: `exactdp bound NAME n=... epsilon0=... delta=...`.) It lies between what k-ary
randomized response needs and what hiding among clones gives. A dash is a setting where the
hypotheses do not hold; what is "below" is no bound there; the best is of those that stand and are
not withdrawn.

{table}

{mends}"""

_ARGUMENTS = {"n", "epsilon0", "delta"}


def rivals() -> Iterator[PublishedBound]:
    """Yield the bounds that answer the same question."""
    for paper in papers_with_bounds():
        for bound in bounds_of(paper):
            same = bound.of.startswith(OF_SHUFFLED) and set(bound.domain.kinds) == _ARGUMENTS
            if same and bound.bounds == "epsilon":
                yield bound


def found(grid: tuple[dict[str, str], ...] = GRID) -> list[dict[str, Any]]:
    """Return, for each setting, the truth's ends and each bound's ratio to the truth."""
    return [_setting(at) for at in grid]


def _setting(at: dict[str, str]) -> dict[str, Any]:
    ratios: dict[str, Any] = {}
    truth: dict[str, str] = {}
    for bound in rivals():
        try:
            answer = bound(**at)
        except ExactDPError:
            continue
        document = answer.document()
        truth = document["truth"] or truth
        if answer.holds.is_certain and document["ratio"]:
            ratios[bound.claim] = document["ratio"] | {"below_truth": document["below_truth"]}
    return {"at": at, "truth": truth, "ratios": ratios}


def kept() -> list[dict[str, Any]]:
    """Return the kept row of each setting, with the ``best`` bound there that may be used."""
    settings: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return [one | {"best": _best(one["ratios"])} for one in settings]


def _best(ratios: dict[str, Any]) -> str | None:
    sound = [(float(ratio["upper"]), name) for name, ratio in ratios.items() if _is_sound(name)]
    return min(sound)[1] if sound else None


def table() -> str:
    """Return the kept ratios as a table in Markdown, with the best bound of each setting."""
    settings = kept()
    names = [one.claim for one in rivals() if any(one.claim in x["ratios"] for x in settings)]
    lines = [
        f"| n | ε0 | δ | the truth | {' | '.join(f'`{name}`' for name in names)} | the best |",
        "|" + "---|" * (len(names) + 5),
    ]
    for one in settings:
        cells = [_cell(one["ratios"].get(name)) for name in names]
        best = f"`{one['best']}`" if one["best"] else "none"
        truth = f"{float(one['truth']['lower']):.3g} to {float(one['truth']['upper']):.3g}"
        at = " | ".join(one["at"].values())
        lines.append(f"| {at} | {truth} | {' | '.join(cells)} | {best} |")
    return "\n".join(lines)


def in_doubles() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the kept entry of each published bound in doubles, by name."""
    for paper in papers_with_bounds():
        entries = doubles_file(paper)
        for bound in bounds_of(paper):
            if bound.claim in entries:
                yield bound.claim, entries[bound.claim]


def section() -> str:
    """Return the section of FINDINGS.md on published bounds."""
    from proofs_check import mends  # it stays in the repository

    entries = dict(in_doubles())
    words = Counter(entry["in_doubles"].partition(" of ")[0] for entry in entries.values())
    tally = ", ".join(f"{count} {word}" for word, count in sorted(words.items()))
    lines = ["| bound | fault | at | the double | the formula |", "|---|---|---|---|---|"]
    for name, entry in entries.items():
        for fault, fall in entry["falls"].items():
            if fall["below_truth"] and fault != "rounding":
                cells = [f"`{name}`", fault, fall["at"], fall["double"], fall["formula"]]
                lines.append(f"| {' | '.join(cells)} |")
    doubles = "\n".join(lines)
    parts = {"doubles": doubles, "table": table(), "mends": mends.section()}
    return _SECTION.format(count=len(entries), tally=tally, **parts)


def _is_sound(name: str) -> bool:
    """Return whether somebody may use a bound: its claim stands, and nobody has withdrawn it."""
    found = kept_of_claim(name.partition("#")[0])
    return found.verdict in ("proved", "argued", "survived") and not found.withdrawn


def _cell(ratio: dict[str, Any] | None) -> str:
    if ratio is None:
        return "–"
    ends = [f"{float(ratio[end]):.3g}" for end in ("lower", "upper")]
    return " to ".join(ends) + (" (below)" if ratio["below_truth"] else "")


if __name__ == "__main__":
    print(json.dumps(found(), indent=1, ensure_ascii=False))
