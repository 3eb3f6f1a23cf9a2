"""The pages that are made from tables of the library: described mechanisms, and renamed names.

python docs/tables.py           # writes them; a test compares them with what is kept
"""

from collections.abc import Callable
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

from exactdp import accounting, mechanisms, shuffle
from exactdp.divergences.description import described_in, description_of
from exactdp.numbers.crossing import Slope
from exactdp.numbers.renamed import RENAMED

HERE = Path(__file__).parent
DOES = {Slope.FALLING: "falls", Slope.GROWING: "grows", None: ""}


def rows(heads: list[str], lines: list[list[str]]) -> str:
    """Return a table of Markdown."""
    shown = [heads, ["---"] * len(heads), *lines]
    return "\n".join(f"| {' | '.join(line)} |".replace("  ", " ") for line in shown) + "\n"


def cell(text: str) -> str:
    """Return a text as it may stand in a cell."""
    return text.replace("|", "\\|")


def section(mechanism: Callable[..., Any]) -> str:
    """Return what there is to know of one mechanism's parameters."""
    about, arguments = description_of(mechanism), signature(mechanism).parameters
    lines = []
    for one in about.parameters:
        default = arguments[one.name].default
        is_chosen = one.name in about.one_of
        shown = "" if default is Parameter.empty or default is None else f"`{default}`"
        if is_chosen:
            shown = f"one of {', '.join(about.one_of)}"
        row = [f"`{one.name}`", one.meaning, one.range.words, one.unit, shown, DOES[one.slope]]
        lines.append([cell(text) for text in row])
    head = about.text.split("\n")[0]
    heads = ["parameter", "meaning", "values", "unit", "default", "delta"]
    return f"### {about.kind}\n\n`{mechanism.__name__}`: {head}\n\n{rows(heads, lines)}"


def of_mechanisms() -> str:
    """Return the page of all described mechanisms."""
    found = {
        description_of(one).kind: section(one)
        for room in (mechanisms, accounting, shuffle)
        for one in described_in(room)
    }
    return (
        "# Mechanisms and their parameters\n\n"
        "The names are those of Python, of problem files, of tables and of messages. Every delta "
        "*falls* or *grows* in a parameter where the last column says so: such a one may be left "
        "out, and asked for, by `calibrated` and in problem files. The page is made from the "
        "descriptions that the library itself reads.\n\n"
        + "\n".join(found[kind] for kind in sorted(found))
    )


def of_names() -> str:
    """Return the page of names that have changed."""
    lines = [[f"`{x.owner}`", f"`{x.before}`", x.now, f"through {x.until}"] for x in RENAMED]
    files = [
        ["`dp_sgd`", "`sigma`, `rate`", "`noise_multiplier`, `sampling_probability`"],
        ["`sampling`", "`poisson`", "`sampling_probability`"],
        ["`ask`", "`rate`; `sigma` of `dp_sgd`", "`sampling_probability`; `noise_multiplier`"],
    ]
    return (
        "# Names that have changed\n\n"
        "A call by an old name is answered as before, with a `DeprecationWarning` that says the "
        "new one.\n\n"
        + rows(["of", "old name", "new name", "the old one works"], lines)
        + "\n`subset_selection(k, epsilon, *, size)` and `local_hashing(k, epsilon, *, buckets)` "
        "have the order of the other randomizers; what changed its place is given by name, so that "
        "no old call means something else.\n\n"
        "Problem files of all versions are read, without a warning, and answered under the names "
        "that they have:\n\n" + rows(["object", "old key", "key"], files)
    )


PAGES = {"reference/mechanisms.md": of_mechanisms, "renamed.md": of_names}
"""The pages, and what makes each."""


if __name__ == "__main__":
    for name, made in PAGES.items():
        (HERE / name).write_text(made(), encoding="utf-8")
