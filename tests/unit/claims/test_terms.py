"""Terms: what the engine computes is what the kernel computes, and what is written."""

import json
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.claims import (
    Certificate,
    Term,
    equal,
    event,
    exact_value,
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
from exactdp.errors import DomainError
from exactdp.numbers import Exact, is_below
from exactdp.testing import fractions, local_randomizers, probability_vectors
from exactdp.truth import Truth
from proofs_check.kernel import Accepted, Rejected, check


def answer(*conclusion, **kwargs):
    return check(Certificate(list(conclusion), **kwargs).to_bytes(claim="test"))


def agrees(t):
    """The kernel finds the engine's value, and not one that is a little larger."""
    found = exact_value(t)
    near = found + Fraction(1, 10**12)
    return isinstance(answer(("=", t, term(found))), Accepted) and isinstance(
        answer(("=", t, term(near))), Rejected
    )


RATIONALS = fractions(-3, 3, max_denominator=9).map(term)


def nested(inner):
    pairs = st.tuples(inner, inner)
    return st.one_of(
        pairs.map(lambda x: x[0] + x[1]),
        pairs.map(lambda x: x[0] - x[1]),
        pairs.map(lambda x: x[0] * x[1]),
        pairs.map(lambda x: x[0] / (1 + x[1] * x[1])),
        pairs.map(lambda x: function("max", *x)),
        pairs.map(lambda x: function("min", *x)),
        inner.map(positive_part),
        inner.map(lambda x: function("abs", -x)),
        st.tuples(inner, st.integers(0, 3)).map(lambda x: x[0] ** x[1]),
        st.tuples(inner, inner, inner).map(lambda x: when("<", x[0], x[1], x[2], x[0])),
        RATIONALS.map(lambda x: sum_over("i", 0, 3, lambda i: i * x + function("binomial", 3, i))),
    )


@given(st.recursive(RATIONALS, nested, max_leaves=8))
def test_the_kernel_finds_what_the_engine_found(t):
    assert agrees(t)


@given(
    probability_vectors(size=3),
    probability_vectors(size=3),
    fractions(0, 4, max_denominator=5),
    st.lists(st.integers(0, 2), unique=True),
)
def test_pairs(p, q, gamma, outcomes):
    pair = finite_pair(p, q)
    assert agrees(hockey_stick(pair, gamma))
    assert agrees(total_variation_of(pair))
    assert agrees(event(pair, "p", outcomes) - mass(pair, "q", 1))


@given(
    local_randomizers(rows=2, columns=3, max_ratio=Fraction(3)),
    st.integers(0, 2),
    fractions(0, 3, max_denominator=4),
)
def test_views_also_where_messages_tell_nothing_apart(rows, others, gamma):
    view = named(
        "view", shuffle_pair(named("R", matrix(rows)), inputs=(0, 1), others=[(1, others)])
    )
    assert agrees(hockey_stick(view, gamma))
    for outcome in ([others + 1, 0, 0], [0, 1, others], [others, 0, 1]):
        assert agrees(mass(view, "p", outcome))
    merged = shuffle_pair(rows, inputs=(0, 1), others=[(0, others)], merge=[[0, 1], [2]])
    assert agrees(hockey_stick(merged, gamma))


def test_several_randomizers_and_their_ratio():
    rows = {"own": [["3/4", "1/4"], ["1/4", "3/4"]], "foreign": [["1/2", "1/2"]]}
    view = shuffle_pair(rows, victim="own", inputs=(0, 1), others=[("foreign", 0, 2)])
    assert agrees(hockey_stick(view, 2))
    assert agrees(ldp_ratio(rows["own"])) and exact_value(ldp_ratio(rows["own"])) == 3


@pytest.mark.parametrize(
    "t",
    [
        function("exp", "1/3"),
        function("log", 5) * function("sqrt", 2),
        function("normal_cdf", "-3/2"),
        Term("pi") / 7,
        hockey_stick(finite_pair(["3/4", "1/4"], ["1/4", "3/4"]), function("exp", "1/2")),
        hockey_stick(finite_pair(["3/4", "1/4"], ["1/4", "3/4"]), function("sqrt", 2)),
        term((Exact.exp("1/2") - 1) / (Exact.exp(1) + 3)),
        formula(lambda f, *, x: f.expm1(x) + f.log1p(x) + f.erf(x) - f.erfc(x) * f.pi, x="1/5"),
    ],
)
def test_irrational_values_lie_where_the_kernel_has_them(t):
    found, gap = value(t), Fraction(1, 10**20)
    low = Fraction(str(found.ball(200).mid().str(30, radius=False))) - gap
    assert is_below(Exact(low), found) is Truth.TRUE
    assert is_below(found, Exact(low + 2 * gap)) is Truth.TRUE
    inside = answer((">", t, term(low)), ("<", t, term(low + 2 * gap)))
    assert isinstance(inside, Accepted)


@pytest.mark.parametrize(
    ("t", "exact"),
    [
        (function("exp", 0), 1),
        (function("log", Exact.exp("1/2")), Fraction(1, 2)),
        (function("sqrt", "4/9"), Fraction(2, 3)),
        (function("normal_cdf", 0), Fraction(1, 2)),
        (hockey_stick(finite_pair([1, 0], [0, 1]), 0), 1),
        (total([]), 0),
    ],
)
def test_what_is_exact_stays_exact(t, exact):
    assert exact_value(t) == exact


def test_what_is_named_is_written_once_and_means_one_thing():
    x = named("x", term(1) / 3)
    document = json.loads(
        Certificate([("=", x + x, term("2/3"))], [("<", x, term(1))]).to_bytes(claim="c")
    )
    assert [name for name, _ in document["define"]] == ["x"]
    assert document["hypotheses"] == [["<", {"ref": "x"}, "0x1"]]
    with pytest.raises(DomainError, match="'x'"):
        Certificate([("=", x, named("x", term(2)))]).to_bytes(claim="c")


def test_a_name_may_not_depend_on_the_index_of_a_sum():
    depends = sum_over("i", 1, 3, lambda i: named("x", i + 1))
    with pytest.raises(DomainError, match="'i'"):
        value(depends)
    inside = named("x", sum_over("j", 1, 3, lambda j: j))
    assert exact_value(sum_over("i", 1, 2, lambda i: i * inside)) == 18


def test_documents_are_deterministic_and_carry_the_labels():
    certificate = Certificate([("<", term(1), term(2))])
    content = certificate.to_bytes(claim="p/c", reading="a")
    assert content == certificate.to_bytes(claim="p/c", reading="a")
    assert json.loads(content)["reading"] == "a"


def test_a_mass_outside_the_field_is_refused():
    with pytest.raises(DomainError, match="exact field"):
        value(hockey_stick(finite_pair([function("sqrt", 2), 0], [1, 0]), 1))


@pytest.mark.parametrize("t", [function("binomial", "5/2", 1), term(2) ** term("1/2")])
def test_a_count_that_is_not_whole_is_refused_as_by_the_kernel(t):
    with pytest.raises(DomainError, match="not a whole number"):
        value(t)
    assert isinstance(answer((">=", t, term(0))), Rejected)


@pytest.mark.parametrize("n", [0, 7, 300, 2**63 - 1, 2**63, 2**64 + 1])
def test_binomials_are_those_of_the_standard_library(n):
    for k in {0, 1, 3, n // 2 if n < 1000 else 9, n, n + 1}:
        if min(k, abs(n - k)) < 1000:
            assert exact_value(function("binomial", n, k)) == math.comb(n, k)


def test_a_relation_is_the_triple_of_the_format():
    relation = equal(1, "1/2")
    assert (relation.sign, relation.left.json, relation.right.json) == ("=", "0x1", "0x1/0x2")
