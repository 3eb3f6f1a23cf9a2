"""Terms as text: what is printed, read back by Python, is the number that the term is."""

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.claims import (
    event,
    finite_pair,
    formula,
    function,
    hockey_stick,
    ldp_ratio,
    mass,
    matrix,
    named,
    positive_part,
    shuffle_pair,
    sum_over,
    term,
    total,
    total_variation_of,
    value,
    when,
)
from exactdp.claims.printing import shown, shown_value, variable, where
from exactdp.claims.terms import Term

X, Y = Term("variable", "exp_epsilon0"), Term("variable", "n")
F = named("F", finite_pair(["3/4", "1/4"], ["1/4", "3/4"]))
R = named("R", matrix([["3/4", "1/4"], ["1/4", "3/4"]]))

SHOWN = {
    "e^(ε_0) + n − 1": X + Y - 1,
    "e^(ε_0) − (n − 1)": X - (Y - 1),
    "(e^(ε_0) + 1)/(n·2)": (X + 1) / (Y * 2),
    "n·(−1/2)": Y * "-1/2",
    "(e^(ε_0))^n": X**Y,
    "(1/3)^(n − 1)": term("1/3") ** (Y - 1),
    "−(n + 1) − n": -(Y + 1) - Y,
    "1 − n": 1 + -Y,
    "n": ((Y + 0) * 1 / 1) ** 1,
    "0": total([0, 0]),
    "e^(−n/2)": function("exp", -Y / 2),
    "√(ln(2))": function("sqrt", function("log", 2)),
    "2·Φ(n·√(2)) − 1": formula(lambda f, *, x: f.erf(x), x=Y),
    "|n| + max(0, n − 1)": abs(Y) + positive_part(Y - 1),
    "Σ_{i=0}^{n} C(n, i)": sum_over("i", 0, Y, lambda i: function("binomial", Y, i)),
    "(1 if n < 2 else n)": when("<", Y, 2, 1, Y),
    "D_{e^(ε_0)}(F)/2": hockey_stick(F, X) / 2,
    "F_p(1) + F_q({0, 1})": mass(F, "p", 1) + event(F, "q", [0, 1]),
    "TV((1, 0) ‖ (0, 1))": total_variation_of(finite_pair([1, 0], [0, 1])),
    "ldp_ratio(R)": ldp_ratio(R),
    "D_{2}(shuffle(R(0) ‖ R(1), 3 × R(1)))": hockey_stick(
        shuffle_pair(R, inputs=(0, 1), others=[(1, 3)]), 2
    ),
    "D_{1}(shuffle(S(0) ‖ S(1), messages ((0, 1),) merged, S = [(1, 0), (0, 1)]))": hockey_stick(
        shuffle_pair({"S": [[1, 0], [0, 1]]}, inputs=(0, 1), others=[], victim="S", merge=[(0, 1)]),
        1,
    ),
}


@pytest.mark.parametrize("text", SHOWN)
def test_terms(text):
    assert shown(SHOWN[text]) == text


def test_names_are_explained_inner_ones_first():
    inner = named("half", term("1/2"))
    outer = named("both", inner + inner)
    assert where([outer * inner, outer]) == [
        ("half", "1/2"),
        ("both", "half + half"),
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("exp_half_epsilon", "e^(ε/2)"),
        ("exp_epsilon", "e^ε"),
        ("next_n", "n′"),
        ("mu_prime_0", "μ′_0"),
        ("p_star", "p*"),
        ("n_x0", "n_x0"),
        ("delta1", "δ_1"),
        ("others", "others"),
    ],
)
def test_variables(name, text):
    assert variable(name) == text


def test_values_of_a_witness():
    assert shown_value([2, ["1/2"], {"a": None}, "x"]) == "(2, (1/2,), {a: None}, x)"


NUMBERS = st.fractions(-3, 3, max_denominator=4).map(term)
TERMS = st.recursive(
    NUMBERS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda pair: pair[0] + pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] - pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] * pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] / (pair[1] * pair[1] + 1)),
        inner.map(lambda x: -x),
        st.tuples(inner, st.integers(0, 3)).map(lambda pair: pair[0] ** pair[1]),
        st.lists(inner, min_size=1, max_size=3).map(total),
    ),
    max_leaves=8,
)


@given(TERMS)
def test_what_is_printed_is_the_number(t):
    """Brackets are where they must be: Python, which knows nothing of terms, reads the same."""
    text = shown(t).replace("·", "*").replace("−", "-").replace("^", "**")
    read = eval(re.sub(r"\d+", r"Fraction(\g<0>)", text), {"Fraction": Fraction})
    assert read == value(t).as_fraction()
