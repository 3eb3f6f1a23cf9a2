"""The command ``new-paper``: a package that puts a paper of one's own on trial.

What it writes works as written: a claim that a machine proves, a claim that falls with its
certificate, and tests of both. The author then replaces the claims.
"""

from __future__ import annotations

from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from string import Template
from typing import Annotated

import typer

from exactdp.errors import DomainError

__all__ = ["SKELETON", "new_paper"]

SKELETON = {
    "pyproject.toml": """\
[build-system]
requires = ["setuptools>=64"]
build-backend = "setuptools.build_meta"

[project]
name = "$key"
version = "0.1.0"
requires-python = ">=3.11"
dependencies = ["exactdp"]

# What makes `exactdp audit $key` find the paper.
[project.entry-points."exactdp.papers"]
$key = "$key:PAPER"

[tool.setuptools]
packages = ["$key"]

[tool.setuptools.package-data]
$key = ["*.toml", "*.json", "*.jsonl"]
""",
    "README.md": """\
# The trial of $key

    python -m pip install -e .                # once: exactdp then finds the paper
    exactdp audit $key --out report           # the verdicts, and a certificate of what falls
    exactdp verify report/certificates/*.json
    exactdp audit $key --update-inventory     # keep them: a verdict that changes is exit code 1
    python -m pytest

`$key/catalog.toml` says what the paper asserts, `$key/trials.py` puts each claim on trial.
""",
    "$key/__init__.py": '''\
"""The trial of $key: ``catalog.toml`` says what it asserts, ``trials`` tries it."""

from exactdp.claims import paper_of_package

__all__ = ["PAPER"]

PAPER = paper_of_package(__name__)
''',
    "$key/catalog.toml": """\
# What the paper asserts, in its order, under permanent ids: each has a trial in trials.py, and
# verdicts are found, not kept here. Beside id, where and says an entry may have readings,
# hypothetical, withdrawn, repair: `python -c "help('exactdp.claims.catalog_file')"`.
citation = "Authors: Title (year)"

[[claims]]
id = "$key/lemma-1"
where = "Lemma 1"
says = "Binary randomized response with e^ε0 = x ≥ e^ε ≥ 1 has δ(ε) = (x − e^ε)/(x + 1)."

[[claims]]
id = "$key/theorem-2"
where = "Theorem 2"
says = "Shuffling the reports of n users of binary randomized response divides δ(ε) by n."
""",
    "$key/trials.py": '''\
"""What each claim of the catalog says, as a formula, and where it is tried.

A trial has instances, smallest first, what its variables may be (``within``: more instances are
drawn from that), a formula, and a nearby false variant (``wrong``): the audit must refute it, or
the claim does not stand. Each stands below its formula, in the paper's order.
"""

from fractions import Fraction
from functools import partial

from exactdp.audit.claimed import in_numbers
from exactdp.claims import (
    Falls,
    Relation,
    Term,
    Trials,
    at_most,
    cases,
    equal,
    finite_pair,
    for_all,
    hockey_stick,
    integers,
    reals,
    shuffle_pair,
    term,
)

TRIALS: Trials = {}


def randomized_response(x: Fraction) -> list[list[Fraction]]:
    """The laws of the reports on the inputs 0 and 1, for e^ε0 = x."""
    return [[x / (x + 1), 1 / (x + 1)], [1 / (x + 1), x / (x + 1)]]


def delta(x: Fraction, exp_epsilon: Fraction) -> Fraction:
    """The printed δ(ε) of one report."""
    return (x - exp_epsilon) / (x + 1)


def lemma_1(x: Fraction, exp_epsilon: Fraction, factor: int = 1) -> Relation:
    """The true δ(ε) of one report is the printed one (times ``factor``)."""
    report = finite_pair(*randomized_response(x))
    return equal(hockey_stick(report, exp_epsilon), factor * delta(x, exp_epsilon))


RATIOS = (
    cases(
        exp_epsilon=(Fraction(1), Fraction(4, 3), Fraction(2)),
        x=(Fraction(3, 2), Fraction(3), Fraction(9)),
    )
    .where(lambda x, exp_epsilon: x >= exp_epsilon)
    .within(exp_epsilon=reals(1), x=reals(lambda exp_epsilon: exp_epsilon))
)

TRIALS["$key/lemma-1"] = for_all(
    RATIOS,
    lemma_1,
    wrong=partial(lemma_1, factor=2),
    proof=in_numbers(),  # its relation, on its domain, by the coefficients
)


def view(x: Fraction, n: int) -> Term:
    """What the analyzer sees: the victim has 0 (under P) or 1 (under Q), all others have 0."""
    return shuffle_pair(randomized_response(x), inputs=(0, 1), others=[(0, n - 1)])


def theorem_2(n: int, x: Fraction, exp_epsilon: Fraction) -> Relation:
    """The δ(ε) of the shuffled reports is at most that of one report, divided by n."""
    return at_most(hockey_stick(view(x, n), exp_epsilon), term(delta(x, exp_epsilon)) / n)


TRIALS["$key/theorem-2"] = for_all(
    cases(n=range(1, 20), x=(Fraction(3), Fraction(9)), exp_epsilon=(Fraction(2),)).within(
        n=integers(1), exp_epsilon=reals(1), x=reals(lambda exp_epsilon: exp_epsilon)
    ),
    theorem_2,
    falls=Falls.RESULT,
)
''',
    "tests/test_$key.py": '''\
"""Every claim: its verdict, its false variant, and its certificate."""

import pytest
from exactdp.audit import audit_claim
from proofs_check.kernel import Accepted, check

from $key import PAPER

EXPECTED = {"$key/lemma-1": "proved", "$key/theorem-2": "refuted"}
CLAIMS = {claim.id: claim for claim in PAPER.claims()}


def test_every_claim_is_expected():
    assert set(CLAIMS) == set(EXPECTED)


@pytest.mark.parametrize("claim", CLAIMS)
def test_the_verdict_and_what_it_rests_on(claim):
    result = audit_claim(CLAIMS[claim])
    assert result.label == EXPECTED[claim]
    for verdict in result.readings.values():
        assert getattr(verdict, "untested", None) is None
    certificates = [*result.certificates().values(), *result.proofs().values()]
    assert len(certificates) == 1
    assert all(isinstance(check(content), Accepted) for content in certificates)
''',
}
"""Path -> content of what the command writes, with $key for the paper's key."""


def new_paper(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A new folder, named as the paper: smith2024.")
    ],
) -> None:
    """Write a package that puts a paper of yours on trial.

    Its two claims are examples.

    Example: exactdp new-paper smith2024
    """
    key = folder.resolve().name
    if not key.isidentifier() or not key.isascii() or key != key.lower() or iskeyword(key):
        raise DomainError(
            f"DIR={str(folder)!r}: {key!r} is not a name of a package. Use lower-case letters, "
            "digits and _, such as smith2024, and no word of Python's own."
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise DomainError(f"DIR={str(folder)!r} is there already. Name a new folder.")
    if find_spec(key) is not None:
        raise DomainError(
            f"DIR={str(folder)!r}: a module {key!r} is installed already. Take another name."
        )
    for path, content in SKELETON.items():
        file = folder / Template(path).substitute(key=key)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(Template(content).substitute(key=key), encoding="utf-8")
        print(file)
    print(f"next: python -m pip install -e {folder} && exactdp audit {key} --out report")
