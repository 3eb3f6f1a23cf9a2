"""No changed certificate or proof is accepted if it is false, or a certificate lost if true.

The default run tries a sample; ``--deep`` more than 100,000, in chunks (tests that run side by
side), for about six minutes of processor time. TRUST.md has the figures.
"""

from collections import Counter
from pathlib import Path

import pytest

from proofs_check.kernel import Accepted, check
from tests.kernel import proof_mutations
from tests.kernel.certificates import LOGISTIC, stated
from tests.kernel.mutations import CERTIFICATES, FALSE, KINDS, LOST, compared, is_heavy, mutants
from tests.kernel.second_checker import Judgment, judged

OWN = [path for path in CERTIFICATES if isinstance(path, Path)]


def campaign(paths: list, each: int, seed: int) -> Counter[str]:
    """Return how often what was found, and fail at the first disagreement."""
    counts: Counter[str] = Counter()
    for path in paths:
        for kind, mutant in mutants(path, each, seed):
            found = compared(mutant)
            assert found not in (FALSE, LOST), (path.name, kind, mutant)
            counts[found] += 1
    return counts


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.stem)
def test_the_kernel_and_the_second_checker_agree_on_mutants(path) -> None:
    counts = campaign([path], 80, 1)
    assert counts["false refused"] + counts["undefined refused"] > 20
    assert counts["true accepted"] > 5


CHUNKS = 8


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_they_agree_on_mutants_of_kept_certificates(request, chunk: int) -> None:
    deep = request.config.getoption("--deep")
    paths = CERTIFICATES[chunk :: CHUNKS if deep else 2 * CHUNKS]
    heavy = [path for path in paths if is_heavy(path)]
    counts = campaign([path for path in paths if path not in heavy], 400 if deep else 3, 2)
    if deep:
        counts += campaign(heavy, 20, 2)
        assert counts.total() > 5_500
    assert counts["false refused"] > 1 and counts["undefined refused"] > 5
    assert counts["true accepted"] > 5


STEPS = list(enumerate(proof_mutations.steps()))
SLOW = "biswas2023.table-IV."  # the kernel takes tenths of a second for each mutant of these


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_no_changed_step_is_false_as_it_is_printed(request, chunk: int) -> None:
    deep, counts = request.config.getoption("--deep"), Counter[str]()
    for number, (name, document, step) in STEPS[chunk::CHUNKS]:
        count = 480 if deep else 1 if name.startswith(SLOW) else 8
        for kind, mutant in proof_mutations.mutants(number, step, count, 2):
            found = proof_mutations.compared(document, mutant)
            assert found != proof_mutations.FALSE, (name, kind, mutant)
            counts[found] += 1
    assert not deep or counts.total() > 6_000
    assert counts["rejected"] > 15 and counts.total() - counts["rejected"] > 15


def test_every_kind_of_change_is_made() -> None:
    made = {kind for path in OWN for kind, _ in mutants(path, 80, 1)}
    assert made == set(KINDS)


E = ["exp", "0x1"]
JUDGED = {
    "zero over a hidden zero": (["=", ["div", "0x0", ["sub", E, E]], "0x0"], Judgment.OPEN),
    "zero over zero": (["=", ["div", "0x0", "0x0"], "0x0"], Judgment.UNDEFINED),
    "the exact one of two": (["=", ["max", "0x3", E], "0x3"], Judgment.TRUE),
    "the other of two": (["=", ["max", "0x2", E], E], Judgment.OPEN),
    "an exponent of two": (["=", ["pow", "0x2", ["min", "0x2", E]], "0x4"], Judgment.TRUE),
    "e is above 2.718": ([">", E, "0xa9e/0x3e8"], Judgment.TRUE),
    "e is below 2.718": (["<", E, "0xa9e/0x3e8"], Judgment.FALSE),
    "a law of exp": (["=", ["mul", E, ["exp", "-0x1"]], "0x1"], Judgment.OPEN),
    "no law": ([">", ["row_sum", [[LOGISTIC] * 2], 0], "0x0"], Judgment.UNDEFINED),
    "normal": (["<", ["normal_cdf", "-0x28"], ["pow", "0x2", -1000]], Judgment.TRUE),
}


@pytest.mark.parametrize("name", JUDGED)
def test_the_second_checker_by_hand(name: str) -> None:
    relation, judgment = JUDGED[name]
    assert judged({"conclusion": [relation]}) is judgment
    assert isinstance(check(stated(relation)), Accepted) is (judgment is Judgment.TRUE)
