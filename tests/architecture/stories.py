"""The code that a stranger reads to follow one call: ten calls, traced, and a table of them.

A line counts if it belongs to a function of ours that ran, its docstring too, in the process that
was asked; imports do not count, as modules are loaded before. Run as a script it prints the table,
with --keep it writes it into docs/architecture.md: its diff is what a change costs readers.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "architecture.md"
HEAD = "| call | files | functions | executed lines |"
OURS = ("exactdp", "proofs_check")

Story = tuple[str, tuple[str, ...], Callable[[], Any]]
"""What is asked, what is loaded before, and the call."""


def view() -> Any:
    import exactdp as e

    rr = e.randomized_response(2, e.Epsilon.log(3))
    return e.shuffle_view(e.Victim(rr, (0, 1)), [e.Users(rr, 1, 1)]).delta(e.Epsilon.log(2))


def view_at_scale() -> Any:
    import exactdp as e

    rr = e.randomized_response(2, e.Epsilon.log(3))
    seen = e.shuffle_view(e.Victim(rr, (0, 1)), [e.Users(rr, 1, 10**6)])
    return seen.delta(e.Epsilon.rational("1/1000"), relative_width="1e-6")


def dp_sgd() -> Any:
    from exactdp.accounting import dp_sgd

    return dp_sgd(noise_multiplier=1, sampling_probability="1/100", steps=1000).epsilon(
        "1e-5", relative_width="1e-2"
    )


def worst_case() -> Any:
    import exactdp as e
    from exactdp.shuffle import shuffle_worst_case

    rr = e.randomized_response(3, e.Epsilon.log(3))
    return shuffle_worst_case(100, rr).epsilon("1e-6", relative_width="1e-2")


def problem_file() -> Any:
    from exactdp.problems import read_problem, solve

    return solve(read_problem((ROOT / "examples/problems/shuffle.json").read_bytes()))


def claim(claim_id: str) -> Any:
    from exactdp.audit import audit_claim
    from exactdp.claims.catalog import find_claim

    found = find_claim(claim_id)
    assert found is not None
    verdict = audit_claim(found[1])
    assert verdict.label in {"refuted", "depends"}
    return verdict.files


def certificate() -> bytes:
    lines = (ROOT / "proofs_check/biswas2023/evidence.jsonl").read_bytes().splitlines()
    return next(line for line in lines if b'"biswas2023/equation-10","reading":"b"' in line)


def in_coq() -> Any:
    from exactdp.coq.certificates import coq_file

    return coq_file(certificate())


def kernel() -> Any:
    from proofs_check.kernel.check import check
    from proofs_check.kernel.results import Accepted

    found = check(certificate())
    assert isinstance(found, Accepted)
    return found


def published_bound() -> Any:
    from exactdp.bounds import published

    found = published("feldman2021/theorem-3.1")(n=10**6, epsilon0=1, delta="1e-9")
    assert found.is_told and found.below_truth is None
    return found


TRIALS = [
    f"proofs_check.biswas2023.trials.{path.stem}"
    for path in (ROOT / "proofs_check/biswas2023/trials").glob("[a-z]*.py")
]
"""The files that the catalog loads for a claim of this paper."""

PUBLISHED = "proofs_check.feldman2021.published"

STORIES: dict[str, Story] = {
    "view": ("delta of a view, exactly", ("exactdp.shuffle",), view),
    "view_at_scale": ("the same with 10^6 others", ("exactdp.shuffle",), view_at_scale),
    "dp_sgd": ("epsilon of 1,000 steps of DP-SGD", ("exactdp.accounting",), dp_sgd),
    "worst_case": ("epsilon of a shuffle, all data", ("exactdp.shuffle",), worst_case),
    "problem_file": (
        "`solve` of a shuffle problem",
        ("exactdp.problems.reading", "exactdp.problems.solving"),
        problem_file,
    ),
    "claim": (
        "a claim: catalog, verdict, certificate",
        ("exactdp.audit", *TRIALS),
        partial(claim, "biswas2023/theorem-IV.1"),
    ),
    "promise": (
        "a promise of a library",
        ("exactdp.audit", "proofs_check.libraries.dp_accounting"),
        partial(claim, "libraries/dp-accounting/gaussian-sigma"),
    ),
    "bound": ("a published bound", ("exactdp.bounds", PUBLISHED), published_bound),
    "coq": ("a certificate in Coq", ("exactdp.coq.certificates",), in_coq),
    "kernel": ("the kernel on it", ("proofs_check.kernel.check",), kernel),
}


def trace(name: str) -> dict[str, int]:
    """Run a story, and count what ran of ours."""
    _, modules, call = STORIES[name]
    for module in modules:
        import_module(module)
    # Rooms load a file when one of its names is asked for: here all are there before.
    import exactdp

    for found in walk_packages(exactdp.__path__, "exactdp.", onerror=lambda _: None):
        with suppress(ImportError):
            import_module(found.name)
    codes: set[CodeType] = set()

    def seen(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            codes.add(frame.f_code)

    sys.setprofile(seen)
    try:
        call()
    finally:
        sys.setprofile(None)
    lines: dict[Path, set[int]] = defaultdict(set)
    functions = set()
    for code in codes:
        file = Path(code.co_filename)
        is_ours = any(file.is_relative_to(ROOT / room) for room in OURS)
        if not is_ours or code.co_name == "<module>":
            continue
        last = max(line for _, _, line in code.co_lines() if line)
        lines[file] |= set(range(code.co_firstlineno, last + 1))
        if not code.co_name.startswith("<"):
            functions.add((file, code.co_qualname))
    counts = {"files": len(lines), "functions": len(functions)}
    return counts | {"lines": sum(map(len, lines.values()))}


def counted(name: str) -> dict[str, int]:
    """The same in a process of its own, where nothing is kept from another story."""
    finished = subprocess.run(
        [sys.executable, __file__, name], capture_output=True, text=True, check=True, cwd=ROOT
    )
    found: dict[str, int] = json.loads(finished.stdout)
    return found


def kept() -> dict[str, dict[str, int]]:
    """The table in the page, by what is asked."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    start = lines.index(HEAD) + 2
    found = {}
    for line in lines[start : start + len(STORIES)]:
        asked, *counts = (cell.strip() for cell in line.strip("|").split("|"))
        files, functions, executed = (int(count.replace(",", "")) for count in counts)
        found[asked] = {"files": files, "functions": functions, "lines": executed}
    return found


def rows() -> list[str]:
    """The table as it is now."""
    found = [HEAD, "|---|---|---|---|"]
    for name, (asked, _, _) in STORIES.items():
        one = counted(name)
        found.append(f"| {asked} | {one['files']} | {one['functions']} | {one['lines']:,} |")
    return found


def main(arguments: list[str]) -> None:
    if arguments and arguments[0] in STORIES:
        print(json.dumps(trace(arguments[0])))
        return
    table = rows()
    print("\n".join(table))
    if arguments == ["--keep"]:
        lines = PAGE.read_text(encoding="utf-8").splitlines()
        end = start = lines.index(HEAD)
        while end < len(lines) and lines[end].startswith("|"):
            end += 1
        lines[start:end] = table
        PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.path[0] = str(ROOT)  # the tree is read, not what is installed
    main(sys.argv[1:])
