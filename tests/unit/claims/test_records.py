"""The data of a verdict: steps, the two sides of a refutation, the values of a witness."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import pytest

from exactdp.audit import decide, found_text
from exactdp.claims import (
    Certificate,
    Instance,
    Quantity,
    Sides,
    Step,
    StepRecord,
    at_most,
    below,
    cases,
    checked,
    differs,
    finite_pair,
    for_all,
    function,
    hockey_stick,
    holding,
    lemma,
    named,
    proof,
    term,
    words,
)
from exactdp.claims.kinds import integers
from exactdp.claims.sides import sides_of
from exactdp.coq.theorems import Cited, stated
from exactdp.errors import DomainError
from exactdp.numbers import Exact, decimal

KERNEL = holding("1 < 2", lambda: [below(1, 2)])
ENGINE = checked("1 + 1 is 2", lambda: 1 + 1 == 2)
COQ = Step("merging", ground=Cited("merged_view", stated("merged_view")))
CITED = lemma("lemmas/x", proof(words("it is so")), "so is this")
ONE = cases(n=(1,)).within(n=integers(1, 1))
DELTA = hockey_stick(finite_pair(["3/4", "1/4"], ["1/4", "3/4"]), 2)
"""3/4 - 2 * 1/4 = 1/4."""


def test_a_step_says_what_it_rests_on_and_what_it_cites():
    argument = proof(KERNEL, ENGINE, COQ, CITED, words("clear"))
    assert [(s.text, s.rests, s.cites) for s in argument.records()] == [
        ("1 < 2", "engine", None),  # the kernel has no file of a proof that is in words somewhere
        ("1 + 1 is 2", "engine", None),
        ("merging", "coq", None),
        ("so is this", "claim", "lemmas/x"),
        ("clear", "words", None),
    ]
    assert argument.certificate("all n") is None
    assert proof(KERNEL).records() == (StepRecord("1 < 2", "kernel"),)


def test_the_kernel_has_its_steps_of_a_proof_that_machines_checked():
    checked_by_both = proof(KERNEL, ENGINE)
    assert [s.rests for s in checked_by_both.records()] == ["kernel", "engine"]
    assert [text for text, _ in checked_by_both.certificate("all n").steps] == ["1 < 2"]
    assert proof(ENGINE, COQ).certificate("all n") is None
    verdict = decide(for_all(ONE, lambda n: at_most(n, 1), proof=checked_by_both))
    assert verdict.label == "argued" and verdict.certificate is not None


def test_the_steps_of_a_verdict_are_those_of_the_proof_and_its_line_is_made_of_them():
    argument = proof(ENGINE, CITED)
    verdict = decide(for_all(ONE, lambda n: at_most(n, 1), proof=argument))
    assert verdict.label == "argued" and verdict.steps == argument.records()
    line = "all integer 1 ≤ n ≤ 1: checked: 1 + 1 is 2; by lemmas/x: so is this"
    assert found_text(verdict) == f"{line}; untested: it has no false variant"


def test_the_sides_of_a_refutation_say_which_one_is_claimed():
    for relation, claimed in (
        ((">", DELTA, term("1/8")), "right"),
        (("<", term("1/8"), DELTA), "left"),  # only the right side is about a law
        (("<", function("exp", "1/2"), DELTA * 8), "left"),
        ((">", term(2) / 8, term("1/8")), None),  # arithmetic alone
    ):
        found = sides_of(Certificate([relation]))
        assert found.claimed == claimed and found.sign == relation[0]
        assert "1/8" in (found.left.exact, found.right.exact) or found.left.exact == "e^(1/2)"
    assert sides_of(None) is None


def test_the_first_relation_that_says_something_decides_a_positive_one_before_others():
    arithmetic, negative = ("<", term(1), term(2)), ("<", -named("d", DELTA), term(-1))
    positive, equality = (">", named("d", DELTA), term("1/8")), ("=", DELTA, term("1/4"))
    assert sides_of(Certificate([arithmetic, equality, negative, positive])).times == 2
    assert sides_of(Certificate([arithmetic, negative])).left.exact == "-1/4"
    assert sides_of(Certificate([arithmetic, equality])).right.exact == "2"


def test_how_far_the_sides_are_apart():
    pair = sides_of(Certificate([(">", DELTA, term("1/8"))]))
    assert pair.stated == Quantity("1/8", "0.125") and pair.true == Quantity("1/4", "0.25")
    assert pair.times == 2 and pair.apart == Decimal("0.125")
    assert sides_of(Certificate([("!=", DELTA, term(0))])).times is None


def test_a_long_number_is_a_decimal_that_tells_the_sides_apart():
    near = Fraction(10**20 + 1, 10**20)
    found = sides_of(Certificate([(">", function("exp", near - 1), term(1))]))
    assert found.left.decimal == "1.00000000000000000001000" and found.right.exact == "1"
    long = term(Fraction(7**300, 7**299 * 10**120 + 1))
    assert sides_of(Certificate([(">", long, term(0))])).left == Quantity(
        None, "7.00000000000e-120"
    )
    real = sides_of(Certificate([(">", function("sqrt", 2), term(1))])).left
    assert real == Quantity(None, "1.41421356237")


@dataclass(frozen=True)
class Named:
    name: str

    def __str__(self):
        return self.name


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (3, 3),
        (10**20, "100000000000000000000"),
        (True, "True"),
        (None, None),
        (Fraction(1, 3), "1/3"),
        (Fraction(-4), -4),
        (Exact(2), 2),
        (2.0, "2.0"),
        ("7", "7"),
        (Exact.exp(1), "e"),
        (((1, 2), "x"), [[1, 2], "x"]),
        ({"a": (Fraction(1, 2),)}, {"a": ["1/2"]}),
        (Named("the survey"), "the survey"),
    ],
)
def test_a_witness_is_kept_by_name(value, kept):
    assert Instance.of(n=value).plain() == {"n": kept}


def test_a_refutation_keeps_its_instance_and_its_sides():
    verdict = decide(for_all(cases(n=(1, 2), _k=(0,)), lambda n: at_most(DELTA * n, "1/4")))
    assert verdict.witness == "n=2" and verdict.at == {"n": 2}
    assert verdict.sides == Sides(
        Quantity("1/2", "0.5"), ">", Quantity("1/4", "0.25"), claimed="right"
    )
    assert decide(for_all(cases(n=(1,)), lambda n: differs(n, 1))).sides.sign == "="


def test_powers_of_e_without_a_common_denominator_are_computed_in_balls():
    """e^(1/p) - e^(1/q) for two primes above 2^40: exact, it is a polynomial of degree p q."""
    p, q = 1099511627791, 1099511627803
    found = sides_of(
        Certificate([(">", function("exp", f"1/{p}") - function("exp", f"1/{q}"), term(0))])
    )
    assert found.left.exact is None and found.claimed == "right"
    # e^x - e^y is x - y but for a part in 10^12; by hand: 12/(p q) = 9.92617...e-24.
    assert found.left.decimal.startswith(decimal(Exact(Fraction(q - p, p * q)), digits=10)[:-4])


def test_only_a_claim_with_a_proof_can_be_cited():
    with pytest.raises(DomainError, match="lemmas/x has no proof"):
        lemma("lemmas/x", None, "so is this")
