"""The formula of a statement with variables, and that it is what the claim says at an instance."""

from fractions import Fraction

import pytest

from exactdp.claims import (
    Said,
    Term,
    at_least,
    at_most,
    below,
    cases,
    decided,
    equal,
    finite_pair,
    for_all,
    hockey_stick,
    listed,
    named,
    some,
    value,
)
from exactdp.claims.general import formula_of, written_generally
from exactdp.truth import Truth


def text(over, says, make=for_all):
    return str(formula_of(make(over, says)))


def test_a_formula_is_written_with_variables():
    over = cases(n=(2,), exp_epsilon=(3,), _k=(1,))
    assert text(over, lambda n, exp_epsilon: at_most(n / 2, exp_epsilon)) == (
        "for all n, e^ε: n/2 ≤ e^ε"
    )
    assert text(over, lambda n: [at_least(n, 1), below(n, 9)], some) == (
        "for some n, e^ε: n ≥ 1 and n < 9"
    )
    assert text(listed({"n": 1}), lambda n: at_most(n, 1)) == "for all n: n ≤ 1"


def test_what_decides_the_shape_stays_what_it_is_at_the_first_instance():
    over = cases(n=(2, 3), law=((("1/2", "1/2")),))
    law = cases(n=(2, 3), law=[(Fraction(1, 2), Fraction(1, 2))])
    assert text(law, lambda n, law: equal(sum(law * n), n)) == (
        "for all law, at n = 2: law_0 + law_1 + law_0 + law_1 = 2"
    )
    assert text(over, lambda n, law: equal(n, len(law))) == "for all n, at law = (1/2, 1/2): n = 2"


def test_no_branch_is_taken_for_a_variable():
    """A condition on a variable has no answer: so its value stays, and is said."""
    over = cases(n=(2, 1))
    for says in (
        lambda n: at_most(n, 2) if n == 2 else at_most(n, 1),
        lambda n: at_most(n, 2) if n in (1, 2) else at_most(n, 3),
        lambda n: at_most(n, 2) if n else at_most(n, 1),
        lambda n: at_most(n, 2) if n > 1 else at_most(n, 1),
    ):
        assert text(over, says) == "at n = 2: 2 ≤ 2"


def test_what_names_and_hypotheses_are_stands_behind():
    def says(x):
        pair = named("F", finite_pair([x, 1 - x], [1 - x, x]))
        return Said([at_most(hockey_stick(pair, 2), x)], hypotheses=lambda: [below(x, 1)])

    found = formula_of(for_all(cases(x=(Fraction(1, 3),)), says))
    assert str(found) == "for all x: D_{2}(F) ≤ x; given x < 1; where F = (x, 1 − x) ‖ (1 − x, x)"
    assert found.variables == ("x",) and found.at == {} and found.every


def test_a_decision_has_no_formula_and_is_not_asked_for_one():
    def says(n) -> "Outcome":  # noqa: F821 - as an annotation of a trial
        raise AssertionError

    assert formula_of(for_all(cases(n=(1,)), says)) is None
    assert formula_of(for_all(cases(n=(1,)), lambda n: decided(Truth.TRUE, "so"))) is None
    assert formula_of(for_all(cases(n=()), lambda n: at_most(n / 0, int(n)))) is None


def test_a_long_relation_lacks_its_middle():
    found = text(cases(n=(1,)), lambda n: at_most(sum([n + i for i in range(999)]), n))
    assert "characters ...]" in found and len(found) < 2_000


def test_a_term_is_neither_compared_nor_true():
    x = Term("variable", "x")
    for wrong in (lambda: x == 1, lambda: x == Term("variable", "y"), lambda: bool(x)):
        with pytest.raises(TypeError, match="a term"):
            wrong()
    assert x == x and value(Term("mul", *[named("n", Term("pi"))] * 2)) is not None


def test_a_variable_that_is_read_nowhere_is_not_opened():
    over = cases(n=(2, 3), m=(5,))
    said, opened, fixed = written_generally(
        for_all(over, lambda n, m: at_most(len(range(n)), 2 if n == 2 else m))
    )
    assert (opened, fixed) == ({}, {"n": 2, "m": 5}) and said.relations[0].left.parts[0] == 2
