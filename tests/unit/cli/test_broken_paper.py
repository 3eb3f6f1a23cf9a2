"""One broken file of a paper: one line that names it, and the other papers are answered."""

import json

import pytest

from tests.commands import outcome

KEY, OTHER = "smith2024", "feldman2021"

NO_IMPORTS = "BOUNDS = [PublishedBound()]\n"
TWO_OF_ONE_NAME = """
from exactdp.bounds import PublishedBound, one_number
from exactdp.claims import reals
from exactdp.claims.domains import Domain

one = PublishedBound(
    "smith2024/lemma-1",
    lambda f, *, x: x,
    Domain({"x": reals(0)}),
    bounds="epsilon",
    of="nothing",
    truth=lambda x: one_number("x", x),
)
BOUNDS = [one, one]
"""
NOT_PRINTABLE = TWO_OF_ONE_NAME.replace(
    'Domain({"x": reals(0)})', 'Domain({"x": reals(0)}, (lambda x: range(x),))'
).replace("[one, one]", "[one]")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (NO_IMPORTS, "smith2024.published could not be read: NameError: name 'PublishedBound'"),
        ("raise SystemExit(1)", "smith2024.published could not be read: SystemExit: 1"),
        ("", "smith2024.published could not be read: AttributeError: "),
        (TWO_OF_ONE_NAME, "two bounds of smith2024 have one name"),
        (NOT_PRINTABLE, "a function of x computes with the numbers of an instance"),
    ],
)
def test_bounds_go_on_without_a_module_that_cannot_be_read(package, capsys, content, says):
    (package / "published.py").write_text(content)
    for more in ((), ("--json",)):
        code, out, err = outcome(capsys, "bounds", KEY, OTHER, *more)
        (line,) = err.splitlines()
        assert code == 3 and line.startswith("error: ") and says in line
        assert f"{OTHER}/reduction" in out
    code, out, _ = outcome(
        capsys, "bound", f"{OTHER}/theorem-3.1", "n=1e6", "epsilon0=1", "delta=1e-9"
    )
    assert code == 0 and "0.0282" in out
    code, _, err = outcome(capsys, "bound", f"{KEY}/lemma-1", "x=1")
    assert code == 2 and says in err and len(err.splitlines()) == 1


def test_a_paper_that_cannot_be_imported_keeps_no_bounds_of_others_back(package, capsys):
    (package / "__init__.py").write_text("1 / 0\n")
    code, out, err = outcome(capsys, "bounds", "--json")
    assert code == 3 and "smith2024.published could not be read: ZeroDivisionError" in err
    assert any(one["claim"].startswith(OTHER) for one in json.loads(out)["bounds"])
    code, _, err = outcome(capsys, "bound", f"{OTHER}/theorem-3")
    assert code == 2 and f"Near: {OTHER}/theorem-3.1." in err


COMPUTED = """
from proofs_check.lemmas.theorems import theorem

TRIALS["smith2024/theorem-2"] = for_all(
    cases(n=(1, 2)).within(lambda n: at_most(sum([1] * n), n), n=integers(1)),
    lambda n: at_most(sum([1] * n), n),
    proof=theorem("more_users"),
)
"""


def test_a_formula_that_refuses_variables_is_refused_alone(package, tmp_path, capsys):
    with (package / "trials.py").open("a") as file:
        file.write(COMPUTED)
    other = "biswas2023/remark-1/adp-implies-dp"
    code, out, err = outcome(
        capsys, "export", "coq-meanings", KEY, other, "--out", tmp_path / "coq"
    )
    assert (code, err) == (1, "") and "1 of 2 claims written" in out
    assert f"{KEY}.theorem-2: refused: a statement in Coq is of relations, and a condition" in out
    code, out, err = outcome(capsys, "show", f"{KEY}/theorem-2")
    assert (code, err) == (0, "")
    domain = "integer n ≥ 1 with a condition on n that is computed at each instance"
    assert domain in " ".join(out.split())


RAISING = """
from exactdp.claims.quantities import quantity
from proofs_check.lemmas.theorems import theorem


@quantity("(length {0:nat})")
def of(n):
    return [][n]


TRIALS["smith2024/theorem-2"] = for_all(
    cases(n=(1, 2)).within(n=integers(1)), lambda n: at_most(of(n), n), proof=theorem("more_users")
)
"""


def test_what_a_quantity_raises_at_an_instance_is_refused_alone(package, tmp_path, capsys):
    with (package / "trials.py").open("a") as file:
        file.write(RAISING)
    code, out, err = outcome(capsys, "export", "coq-meanings", KEY, "--out", tmp_path / "coq")
    assert (code, err) == (1, "") and "0 of 1 claims written" in out
    assert (
        f"{KEY}.theorem-2: refused: a quantity has no value there: list index out of range" in out
    )
    assert "not compared: " in out and not (tmp_path / "coq" / "Meanings.v").exists()
