"""Claims of two faces: one formula and one domain is tried, shown and printed."""

from fractions import Fraction
from functools import lru_cache, wraps

import pytest
from hypothesis import strategies as st

from exactdp.audit import decide
from exactdp.audit.claimed import InNumbers, in_numbers
from exactdp.claims import (
    Proof,
    Relation,
    Step,
    Term,
    at_most,
    cases,
    decided,
    for_all,
    proof,
    some,
    words,
)
from exactdp.claims.forms import Never
from exactdp.claims.general import said_of
from exactdp.claims.kinds import integers, objects
from exactdp.claims.proofs import Ground
from exactdp.coq.theorems import is_shipped
from exactdp.errors import DomainError
from exactdp.numbers.effort import remembered
from proofs_check.lemmas.quantities import total_mass

USERS = cases(n=(1, 2, 3)).within(n=integers(1))
NINE = cases(n=range(1, 10)).all_of(n=integers(1, 9))
WORDS = proof(words("it is so"))


def test_conditions_of_the_listed_instances_do_not_make_the_domain_smaller():
    few = cases(n=(1, 2, 3)).where(lambda n: n < 5).within(n=integers(1))
    assert decide(for_all(few, lambda n: at_most(n, 5), proof=WORDS)).label == "refuted"
    small = cases(n=(1, 2)).where(lambda n: n < 3).within(n=integers(1, 3))
    assert decide(for_all(small, lambda n: at_most(n, 2), proof=WORDS)).label == "refuted"


@pytest.mark.parametrize(
    ("kinds", "why"),
    [
        ({"n": objects("an integer of at least 1")}, "n is a number, and its domain is in words"),
        (
            {"n": objects("an integer of at least 1", lambda: st.integers(1, 4))},
            "n is a number, and its domain is in words",
        ),
        ({"n": integers(1), "law": objects("a law")}, "beyond the listed ones can be drawn: law"),
    ],
)
def test_no_argument_is_for_a_domain_in_words_that_no_search_can_read(kinds, why):
    names = {"n": (1, 2, 3), "law": ("any",)}
    over = cases(**{name: names[name] for name in kinds}).within(**kinds)
    found = decide(for_all(over, lambda n: at_most(n, 5), proof=WORDS))
    assert found.label == "survived" and why in found.unproved


def test_all_of_a_domain_are_values_of_the_formula_that_is_printed():
    def says(n):
        return at_most(0 * n, 1) if isinstance(n, int) else at_most(n, 5)

    found = decide(for_all(NINE, says, wrong=lambda n: at_most(n, 3)))
    assert (found.label, found.witness) == ("refuted", "n=6")


def test_a_decision_that_what_is_claimed_contradicts_is_an_error():
    fine = lambda n: decided(True, "fine", claimed=[at_most(n, 0)])  # noqa: E731
    for statement in (some(cases(n=(1,)), fine), for_all(NINE, fine)):
        with pytest.raises(DomainError, match=r"the claim holds \(fine\), but what it says fails"):
            decide(statement)
    never = decided(True, "no", claimed=Never([at_most(1, 2)]))
    with pytest.raises(DomainError, match="but what it says fails: 1 <= 2"):
        never.certificate()
    assert decided(True, "yes", claimed=[at_most(1, 2)]).certificate() is None
    assert decided(True, "yes", claimed=Never([at_most(2, 1)])).certificate() is None


def test_a_ground_is_not_made_by_its_name():
    class Named(Ground):
        __module__ = "exactdp.audit.claimed"
        rests = "kernel"
        statement = None

        def refusal(self):
            return ""

    class Sub(InNumbers):
        __module__ = "exactdp.audit.claimed"

        def refusal(self):
            return ""

    statement = for_all(USERS, lambda n: at_most(n, 5))
    for ground in (Named(), Sub(statement)):
        with pytest.raises(DomainError, match="has the ground"):
            Proof((Step("so it is", ground=ground),))
    own = in_numbers()(statement).steps[0].ground
    with pytest.raises(AttributeError):
        object.__setattr__(own, "refusal", lambda: "")


def test_a_term_does_not_change_after_it_was_shown():
    with pytest.raises(AttributeError, match="a term does not change"):
        Term("variable", "n").parts = (0,)
    said = [at_most(Term("variable", "n"), 9)]
    statement = for_all(NINE, lambda n: said)
    assert str(said_of(statement).relations[0].right.json) == "0x9"
    said[0] = at_most(Term("variable", "n"), 5)
    assert str(said_of(statement).relations[0].right.json) == "0x9"


def test_a_relation_of_a_class_of_an_author_proves_nothing():
    class Changing(Relation):
        pass

    n = Term("variable", "n")
    statement = for_all(USERS, lambda n: Changing("<=", n, n + 1))
    assert said_of(for_all(USERS, lambda n: at_most(n, n + 1))) is not None
    assert said_of(statement) is None
    assert (
        said_of(for_all(USERS, lambda n: Relation("<=", type("T", (Term,), {})("pi"), n))) is None
    )
    assert n.head == "variable"


def test_what_wraps_a_shipped_quantity_is_not_shipped():
    @wraps(total_mass.compute)
    def other(*arguments):
        return Fraction(1, 3)

    assert is_shipped(total_mass.compute)
    assert not is_shipped(other)
    assert not is_shipped(lru_cache(other))
    assert not is_shipped(remembered(8)(lambda x: x))
