"""Forms, cases and proofs: a statement, what it is tried on, what establishes it."""

import json
from fractions import Fraction

import pytest
from hypothesis import strategies as st

from exactdp.audit import decide
from exactdp.audit.algebra import identity
from exactdp.audit.claimed import in_numbers
from exactdp.claims import (
    Effort,
    Falls,
    above,
    at_least,
    at_most,
    below,
    cases,
    checked,
    decided,
    differs,
    equal,
    finite_pair,
    for_all,
    function,
    hockey_stick,
    lemma,
    listed,
    named,
    proof,
    some,
    term,
    words,
)
from exactdp.claims.forms import holding
from exactdp.claims.kinds import among, integers
from exactdp.errors import DomainError
from exactdp.truth import Truth
from proofs_check.kernel import Accepted, Rejected, check


def squares(n, factor=1):
    return at_most(n * n * factor, 40)


def test_a_failure_is_the_negated_relation_with_the_hypotheses_of_the_instance():
    def says(n):
        pair = named("pair", finite_pair([1, 0], [Fraction(1, n), 1 - Fraction(1, n)]))
        return at_most(hockey_stick(pair, 1), "1/2").given(lambda: [above(n, 0), below(n, 99)])

    verdict = decide(for_all(cases(n=range(1, 9)), says, falls=Falls.STEP))
    assert (verdict.witness, verdict.found, verdict.falls) == ("n=3", "2/3 > 1/2", Falls.STEP)
    content = verdict.certificate.to_bytes(claim="p/c")
    document = json.loads(content)
    assert document["conclusion"][0][0] == ">" and len(document["hypotheses"]) == 2
    assert isinstance(check(content), Accepted)


def test_a_drawn_instance_meets_the_conditions_whose_variables_it_has():
    drawn = st.integers(0, 50).map(lambda n: {"n": n})
    over = cases(_m=[1], n=[1]).where(lambda n: n % 2).where(lambda _m: _m > 0).drawn(lambda: drawn)
    assert decide(for_all(over, lambda n: at_most(n, 21))).witness == "n=23"
    by_name = cases(n=[1]).drawn(lambda: {"n": st.integers(0, 50)})
    assert decide(for_all(by_name, lambda n: at_most(n, 21))).witness == "n=22"


def test_a_hypothesis_that_the_witness_breaks_is_not_accepted():
    broken = for_all(cases(n=[7]), lambda n: squares(n).given([below(n, 7)]))
    content = decide(broken).certificate.to_bytes(claim="p/c")
    assert not isinstance(check(content), Accepted)


@pytest.mark.parametrize(
    ("relation", "holds"),
    [
        (at_most(1, 1), True),
        (below(1, 1), False),
        (at_least(1, 2), False),
        (above(2, 1), True),
        (equal("1/2", "2/4"), True),
        (differs("1/2", "2/4"), False),
        (equal(function("sqrt", 2), function("exp", 1)), False),
    ],
)
def test_relations(relation, holds):
    assert relation.holds() is holds
    assert relation.negated.holds() is not holds


def test_a_tie_of_reals_is_undecided_not_true():
    tie = for_all(cases(n=[2]), lambda n: equal(function("sqrt", n) ** 2, function("sqrt", n) ** 2))
    assert decide(tie).label == "undecided"


def test_several_relations_fail_with_the_first_and_have_the_smallest_slack():
    both = for_all(cases(n=range(1, 5)), lambda n: [at_most(n, 8), at_most(n, 6)])
    assert decide(both).slack == "1.5" or decide(both).slack == "1.500"
    failing = for_all(cases(n=[9]), lambda n: [at_most(n, 10), at_most(n, 6), at_most(n, 7)])
    assert decide(failing).found == "9 > 6"


def test_false_variants_are_values_over_the_same_cases_without_the_search():
    over = cases(n=range(5)).drawn(lambda: st.integers(0, 6).map(lambda n: {"n": n}))
    statement = for_all(over, squares, wrong=lambda n: squares(n, 9))
    assert decide(statement).label == "survived"
    assert statement.false_variant.strategy is None
    assert decide(statement.false_variant).witness == "n=3"


def test_search_goes_beyond_the_cases_and_shrinks():
    over = cases(n=range(5)).drawn(lambda: st.integers(0, 10**6).map(lambda n: {"n": n}))
    assert decide(for_all(over, squares)).witness == "n=7"


def test_axes_depend_on_earlier_ones_and_may_be_hidden():
    over = (
        cases(k=(2, 3), _low=lambda k: range(k), others=lambda k, _low: [(_low,) * (k - 1)])
        .where(lambda _low: _low != 1)
        .deep(k=(2,))
        .then(listed({"k": 9}))
    )
    assert [str(at) for at in over.instances(Effort.DEFAULT)] == [
        "k=2, others=(0,)",
        "k=3, others=(0, 0)",
        "k=3, others=(2, 2)",
        "k=9",
    ]
    assert len(list(over.instances(Effort.DEEP))) == 2


def test_a_side_that_is_not_1_is_not_printed_as_1():
    near = 1 - Fraction(1, 10**7 + 3)
    assert decide(for_all(cases(n=[1]), lambda n: at_most(near, "999/1000"))).found == (
        "0.999999900000 > 999/1000"
    )
    assert decide(for_all(cases(n=[1]), lambda n: at_most(n, near))).found == "1 > 0.999999900000"


def test_a_condition_is_on_all_parts_of_a_chain_so_far():
    over = (
        cases(n=(1, 2)).then(listed({"n": 3}, {"n": 4}, {"n": 5})).drawn(lambda: st.just({"n": 1}))
    )
    odd = over.where(lambda n: n % 2).then(listed({"n": 8}))
    assert [at["n"] for at in odd.instances(Effort.DEFAULT)] == [1, 3, 5, 8]
    assert [at["n"] for at in over.instances(Effort.DEFAULT)] == [1, 2, 3, 4, 5]
    assert decide(for_all(odd, lambda n: at_most(n, 5))).witness == "n=8"
    assert decide(for_all(odd.where(lambda n: n < 8), lambda n: at_most(n, 5))).label == "survived"


def test_all_of_a_domain_proves_and_a_part_of_it_does_not():
    part = decide(for_all(cases(n=range(2)).all_of(n=integers(0, 2)), squares))
    assert (part.label, part.unproved) == (
        "survived",
        "they are 2 of all integer 0 ≤ n ≤ 2, which has more",
    )
    whole = for_all(cases(n=range(3)).all_of(n=integers(0, 2)), squares)
    assert (decide(whole).label, decide(whole).domain) == ("proved", "all integer 0 ≤ n ≤ 2")


def test_examples():
    assert decide(some(cases(n=range(9)), lambda n: equal(n * n, 49))).label == "proved"
    none = some(
        cases(n=range(9)).all_of(n=integers(0, 8)), lambda n: equal(n * n, 2), falls=Falls.RESULT
    )
    verdict = decide(none)
    assert (verdict.label, verdict.falls) == ("refuted", Falls.RESULT)
    assert isinstance(check(verdict.certificate.to_bytes(claim="p/c")), Accepted)


def shown_by_steps(half, factor):
    """A listing whose instances with k > 1 are shown by steps, which share what they name."""

    def says(n, k):
        if k == 1:
            return equal(named("y", term(n)) * 1, n)
        y = named("y", term(n) / 2)
        steps = proof(
            holding("half of it", lambda: [equal(y, Fraction(n * half, 2))]),
            identity("for any z", "z", lambda z: (k * z * factor, z + (k - 1) * z)),
        )
        return decided(holds=True, found="so", shown=steps)

    return for_all(cases(n=(3, 5), k=(1, 2, 3)).all_of(n=among(3, 5), k=among(1, 2, 3)), says)


def test_steps_show_an_instance_of_a_listing():
    listed = decide(shown_by_steps(1, 1)).certificate
    document = json.loads(listed.to_bytes(claim="p/c"))
    rules = [step["rule"] for step in document["conclusion"]]
    assert rules == ["every", *["every", "identity"] * 2] * 2
    # Instances whose names mean the same share them; no others do.
    assert [name for name, _ in document["define"]] == ["y", "y_1", "y_3", "y_4"]
    assert isinstance(check(listed.to_bytes(claim="p/c")), Accepted)


@pytest.mark.parametrize(("half", "factor"), [(2, 1), (1, 2)])
def test_steps_that_are_false_are_not_accepted(half, factor):
    false = decide(shown_by_steps(half, factor)).certificate
    assert isinstance(check(false.to_bytes(claim="p/c")), Rejected)


def test_decisions_carry_what_shows_their_failure():
    def says(n):
        return decided(n < 3, f"n is {n}", claimed=lambda: [below(n, 3)], given=[above(n, 0)])

    verdict = decide(for_all(cases(n=range(1, 9)), says))
    assert (verdict.witness, verdict.found) == ("n=3", "n is 3")
    assert isinstance(check(verdict.certificate.to_bytes(claim="p/c")), Accepted)
    assert decided(Truth.UNKNOWN, "?").truth is Truth.UNKNOWN


@pytest.mark.parametrize(
    ("left", "right", "found"),
    [
        (Fraction(10**9 + 1, 10**9), 1, "1.00000000100 > 1"),
        (Fraction(1, 3), Fraction(1, 4), "1/3 > 1/4"),
        (function("exp", -(10**12)), 0, "5.59980e-434294481904 > 0"),
        (function("exp", Fraction(1, 10**30)), 1, "1.00000000000000000000000 > 1"),
    ],
)
def test_both_sides_are_printed_until_they_differ(left, right, found):
    assert decide(for_all(cases(n=(1,)), lambda n: at_most(left, right))).found == found


@pytest.mark.parametrize("holds", [None, 1, "yes", Fraction(0), equal(1, 1)])
def test_a_decision_is_a_truth_or_a_bool(holds):
    with pytest.raises(DomainError, match="is not a Truth"):
        decided(holds, "found")


@pytest.mark.parametrize("said", [True, False, None, Truth.TRUE, 3, "n < 3", [True], [None]])
def test_a_formula_says_relations(said):
    with pytest.raises(DomainError, match=r"the formula of the claim is .* at n=0"):
        decide(for_all(cases(n=range(3)), lambda n: said))


def test_an_example_has_a_false_variant_too():
    is_49, is_50 = (lambda n: equal(n * n, 49)), (lambda n: equal(n * n, 50))
    over = cases(n=range(9))
    assert decide(some(over, is_49, wrong=is_50)).untested is None
    assert decide(some(over, is_49, wrong=is_49)).label == "undecided"
    assert decide(some(over, is_49)).untested == "it has no false variant"


TRUE, FALSE = checked("true", lambda: True), checked("false", lambda: False)
CLAIM = "the claim itself"
BELOW_3 = cases(n=range(3)).within(n=integers(0, 2))
PROVED, ARGUED = proof(TRUE), proof(TRUE, words("so"))


@pytest.mark.parametrize(
    ("steps", "label"),
    [
        ((TRUE,), "argued"),
        ((TRUE, CLAIM), "proved"),
        ((CLAIM, TRUE), "argued"),
        ((words("so"), CLAIM), "argued"),
        ((TRUE, words("and so on")), "argued"),
        ((TRUE, lemma("p/l", PROVED, "used")), "argued"),
        ((lemma("p/l", PROVED, "used"), CLAIM), "proved"),
        ((lemma("p/l", ARGUED, "used"), CLAIM), "argued"),
        ((TRUE, lemma("p/l", ARGUED, "used")), "argued"),
        ((FALSE,), "survived"),
        ((words("so"), FALSE), "survived"),
    ],
)
def test_a_proof_is_as_good_as_its_weakest_step(steps, label):
    def shown(statement):
        (claim,) = in_numbers()(statement).steps
        return proof(*(claim if step == CLAIM else step for step in steps))

    verdict = decide(for_all(BELOW_3, lambda n: at_most(n, 2), proof=shown))
    assert verdict.label == label
    if label != "survived":
        assert verdict.domain == "all integer 0 ≤ n ≤ 2" and verdict.instances > 3


def test_a_sign_that_does_not_exist_is_refused():
    with pytest.raises(DomainError, match="sign"):
        type(equal(1, 1))("~", equal(1, 1).left, equal(1, 1).right)
