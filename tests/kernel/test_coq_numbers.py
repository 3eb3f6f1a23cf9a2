"""Claims in numbers as theorems of Coq: true ones are accepted, false ones never."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from exactdp.audit.claimed import by_cases, by_sum, in_numbers
from exactdp.claims import (
    above,
    at_least,
    at_most,
    below,
    cases,
    equal,
    finite_pair,
    for_all,
    total_variation_of,
)
from exactdp.claims.kinds import integers, reals
from exactdp.claims.terms import function, positive_part, term
from exactdp.coq.claims_in_numbers import coq_file_of_claim
from proofs_check.wang2024 import PAPER

COQ = Path(__file__).parents[2] / "proofs_check" / "coq"


@pytest.fixture(scope="module")
def folder(tmp_path_factory, request):
    """A folder with the compiled program."""
    if not request.config.getoption("--coq"):
        pytest.skip("Coq takes a minute: with --coq, as in .ci/run")
    if shutil.which("coqc") is None:
        pytest.skip("coqc is not installed: no claim was checked in Coq")
    path = tmp_path_factory.mktemp("coq")
    for library in ("ExactDP.v", "Numbers.v"):
        shutil.copy(COQ / library, path)
        assert coqc(path, library) == ""
    return path


def coqc(path, file):
    """Coq's errors about a file, empty if it is accepted."""
    answer = subprocess.run(["coqc", file], cwd=path, capture_output=True, text=True, check=False)
    return answer.stderr if answer.returncode else ""


def answer_of(path, statement):
    (path / "n_test.v").write_text(coq_file_of_claim("test", statement))
    return coqc(path, "n_test.v")


def stated(over, says, *reasons):
    return for_all(over, says, proof=in_numbers(*reasons))


RATIOS = cases(x=(2,)).within(x=reals(1))
COUNTS = cases(n=(2,), x=(2,)).within(n=integers(2), x=reals(above=0))
MANY = cases(x=(1,), n=(4,)).within(x=reals(1), n=integers(lambda x: 4 * x))
SIGNED = cases(y=(-1,), z=(0,)).within(y=reals(), z=reals(most=0))
UNIT = cases(a=(0,), b=(1,)).within(a=reals(0, 1), b=reals(lambda a: a, below=2))
PAIRS = cases(p=(3,), b=(0,)).within(p=reals(above=1), b=reals(0, lambda p: (p - 1) / (p + 1)))
MASSES = cases(u=(1,), v=(1,), w=(1,)).within(
    lambda u, v: at_most(u, v), u=reals(0), v=reals(0), w=reals(above=0)
)
BOTH = cases(u=(1,), v=(1,)).within(lambda u, v: above(u * v, 0), u=reals(), v=reals())


def coin(x):
    return total_variation_of(finite_pair([1 / (1 + term(x)), term(x) / (1 + x)], [1, 0]))


TRUE = {
    "an identity": (RATIOS, lambda x: equal((x + 1) ** 2, x * x + 2 * x + 1), ()),
    "two relations": (RATIOS, lambda x: [at_least(x * x, x), at_most(1, x)], ()),
    "above at an open end": (PAIRS, lambda p, b: above((p - 1) / p, 0), ()),
    "two ends": (PAIRS, lambda p, b: [at_most(b, 1), at_least(p - 1 - b * p, 0)], ()),
    "above at both ends": (PAIRS, lambda p, b: above(p - 1 - b * p, 0), ()),
    "ends that meet": (UNIT, lambda a, b: [below(a * b, 2), at_least(b, a)], ()),
    "whole numbers": (COUNTS, lambda n, x: above(n * x / (n - 1), x), ()),
    "an end that is not whole": (MANY, lambda x, n: at_most(x / n, "1/4"), ()),
    "all real numbers": (SIGNED, lambda y, z: equal((y + z) ** 2 - y * y, z * (2 * y + z)), ()),
    "no least value": (SIGNED, lambda y, z: at_least(positive_part(-z) + z, 0), ()),
    "a sum": (MASSES, lambda u, v, w: at_most(u * w, v * w + 1), (by_sum((lambda w: w, 0)),)),
    "a strict sum": (MASSES, lambda u, v, w: above(w + v, u), (by_sum((1, 0)),)),
    "cases": (
        MASSES,
        lambda u, v, w: at_least(positive_part(term(u) - w), term(u) - w),
        (by_cases(lambda u, w: u - w, "coefficients", by_sum((1, 1))),),
    ),
    "a hypothesis in a maximum": (
        MASSES,
        lambda u, v, w: [equal(function("max", u, v), v), equal(function("min", u, v, w + v), u)],
        (),
    ),
    "a divisor by a hypothesis": (
        BOTH,
        lambda u, v: equal(1 / (u * v) ** 2 * u * v, 1 / (u * v)),
        (),
    ),
    "a divisor below 0": (RATIOS, lambda x: at_most(1 / (-term(x)), 0), ()),
    "laws": (RATIOS, lambda x: equal(coin(x), x / (1 + term(x))), ()),
}
FALSE = {
    "an identity": (RATIOS, lambda x: equal((x + 1) ** 2, x * x + 2 * x + 2), ()),
    "a bound": (RATIOS, lambda x: at_least(x, "1001/1000"), ()),
    "at the end": (RATIOS, lambda x: above(x, 1), ()),
    "at the other end": (PAIRS, lambda p, b: below(b, (p - 1) / (p + 1)), ()),
    "where both ends meet": (UNIT, lambda a, b: above(b, a), ()),
    "a whole number": (COUNTS, lambda n, x: above(n * x / (n - 1), term("11/10") * x), ()),
    "the wrong hypothesis": (MASSES, lambda u, v, w: at_most(v, u), (by_sum((1, 0)),)),
    "a negative multiple": (
        MASSES,
        lambda u, v, w: at_most(u * w, v * w - 1),
        (by_sum((lambda w: w - 1, 0)),),
    ),
    "an equation by an inequality": (MASSES, lambda u, v, w: equal(u, v), (by_sum((1, 0)),)),
    "cases": (
        MASSES,
        lambda u, v, w: at_least(positive_part(term(u) - w), term(v) - w),
        (by_cases(lambda u, w: u - w, by_sum((1, 0)), "coefficients"),),
    ),
    "0 / 0 is 0 in Coq": (
        cases(x=(1,)).within(x=reals(0)),
        lambda x: equal(x / x, 1),
        (),
    ),
    "a divisor that may vanish": (
        cases(x=(1,)).within(x=reals(0)),
        lambda x: at_least(1 / term(x), 0),  # true of Coq's division, and not shown
        (),
    ),
    "laws": (RATIOS, lambda x: equal(coin(x), x / (2 + term(x))), ()),
}


@pytest.mark.parametrize("name", TRUE)
def test_true_claims_are_accepted(folder, name):
    assert answer_of(folder, stated(TRUE[name][0], TRUE[name][1], *TRUE[name][2])) == ""


@pytest.mark.parametrize("name", FALSE)
def test_false_claims_are_not_accepted(folder, name):
    over, says, reasons = FALSE[name]
    assert "Unable to unify" in answer_of(folder, stated(over, says, *reasons))


def test_a_claim_of_a_paper_and_its_false_variant(folder):
    claim = next(c for c in PAPER.claims() if c.id == "wang2024/section-5.1.2/total-variation")
    true = claim.readings[""]
    assert answer_of(folder, true) == ""
    wrong = stated(
        cases(d=(2,), rate=(1,)).within(**true.domain.kinds),
        lambda d, rate: equal(true.says(d, rate).left, rate * (1 - 1 / term(d))),
    )
    assert "Unable to unify" in answer_of(folder, wrong)


def test_the_program_rests_on_the_axioms_of_the_real_numbers(folder):
    (folder / "Printed.v").write_text("Require Import Numbers.\nPrint Assumptions shown.\n")
    command = ["coqc", "Printed.v"]
    asked = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    used = set(re.findall(r"^([\w.]+)(?= :|$)", asked.stdout, re.M))
    assert used == {
        "ClassicalDedekindReals.sig_forall_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
    }
