"""A claim as a theorem of Coq: the statement is exported from the claim's own form."""

import pytest

from exactdp.claims import at_least, at_most, below, cases, equal, for_all, some
from exactdp.claims.forms import Said
from exactdp.claims.kinds import integers, objects, reals
from exactdp.claims.laws import finite_pair, hockey_stick, total_variation_of
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, function, positive_part, term, when
from exactdp.coq.statements import coq_statement
from exactdp.errors import DomainError

SAME = "{A} (same : forall x y : A, {x = y} + {x <> y})"
LAW = objects("a law", coq=("law A", "is_law {0}", SAME))


@quantity("hockey_stick same {0} {1} {2}")
def divergence(P, Q, gamma):
    return hockey_stick(finite_pair(P, Q), gamma)


@quantity("chance {0:nat} {1}")
def chance(n, p):
    return p**n


def said(over, says):
    return coq_statement(for_all(over, says))


def test_laws_are_laws_in_coq():
    over = cases(P=[(1, 0)], Q=[(0, 1)], g=(1,), f=(2,)).within(
        P=LAW, Q=LAW, g=reals(0), f=reals(1)
    )

    def says(P, Q, g, f):
        return at_most(divergence(P, Q, g * f), divergence(P, Q, g))

    assert said(over, says) == (
        f"{SAME} (P : law A) (Q : law A) (g : R) (f : R) : "
        "is_law P -> is_law Q -> 0 <= g -> 1 <= f -> "
        "hockey_stick same P Q (g * f) <= hockey_stick same P Q g"
    )
    # At an instance it is a number.
    assert says((1, 0), (0, 1), 1, 2).holds()


@pytest.mark.parametrize(
    ("says", "text"),
    [
        (lambda n, x: at_least((term(x) - 1) / (x + n), 0), "(x - 1) / (x + (INR n)) >= 0"),
        (lambda n, x: equal(chance(n - 1, x * x), x), "chance (n - 1) (x * x) = x"),
        (lambda n, x: below(-term(x), function("exp", x)), "- x < exp x"),
        (lambda n, x: at_most(term(x) ** 2, x**n), "x ^ 2 <= x ^ n"),
        (lambda n, x: at_most(function("max", x, 1, 2), 5), "Rmax x (Rmax 1 2) <= 5"),
        (
            lambda n, x: at_most(positive_part(x - term(1) / 2), 5),
            "positive_part (x - (1 / 2)) <= 5",
        ),
        (lambda n, x: at_most(term("-1/3"), x), "(- 1) / 3 <= x"),
        (lambda n, x: [at_most(0, x), at_most(1, x)], "0 <= x /\\ 1 <= x"),
        (lambda n, x: Said((at_most(0, x),)), "0 <= x"),
    ],
)
def test_terms(says, text):
    over = cases(n=(1,), x=(2,)).within(n=integers(1), x=reals(above=1, below=9))
    head = "(n : nat) (x : R) : (1 <= n)%nat -> 1 < x -> x < 9 -> "
    assert said(over, says) == head + text


def test_ends_and_conditions_are_hypotheses():
    over = cases(n=(1,), j=(0,), b=(0,)).within(
        lambda n, b: at_most(n * b, 1), n=integers(0), j=integers(0, lambda n: n - 1), b=reals()
    )
    assert said(over, lambda n, j, b: at_most(j, n)) == (
        "(n : nat) (j : nat) (b : R) : (j <= (n - 1))%nat -> (INR n) * b <= 1 -> INR j <= INR n"
    )


def test_an_integer_with_an_end_that_is_not_whole_is_compared_as_a_real_number():
    over = cases(x=(1,), n=(4,)).within(x=reals(1), n=integers(lambda x: 4 * x))
    assert said(over, lambda n: at_least(n, 4)) == (
        "(x : R) (n : nat) : 1 <= x -> 4 * x <= INR n -> INR n >= 4"
    )


def test_divergences_of_listed_masses_are_written_out():
    over = cases(x=(1,)).within(x=reals(0, 1))

    def says(x):
        pair = finite_pair([x, 1 - x], [1, 0])
        return [at_most(hockey_stick(pair, 2), 1), equal(total_variation_of(pair), 1 - x)]

    assert said(over, says) == (
        "(x : R) : 0 <= x -> x <= 1 -> "
        "(positive_part (x - (2 * 1))) + (positive_part ((1 - x) - (2 * 0))) <= 1 /\\ "
        "(positive_part (x - 1)) + (positive_part ((1 - x) - 0)) = 1 - x"
    )


@pytest.mark.parametrize(
    "statement",
    [
        for_all(cases(x=(1,)), lambda x: at_most(x, 1)),
        for_all(cases(P=(1,)).within(P=objects("a law")), lambda P: at_most(0, 1)),
        for_all(cases(x=(1,)).within(x=reals(0)), lambda x: at_most(Term("sin", x), 1)),
        some(cases(x=(1,)).within(x=reals(0)), lambda x: at_most(x, 1)),
        for_all(cases(n=(1,)).within(n=integers()), lambda n: at_most(0, n)),
        for_all(cases(n=(1,)).within(n=integers(-1)), lambda n: at_most(0, n)),
        for_all(
            cases(n=(1,), j=(0,)).within(n=integers(0), j=integers(lambda n: n - 1)),
            lambda n, j: at_most(0, j),
        ),
    ],
)
def test_what_has_no_form_is_refused(statement):
    with pytest.raises(DomainError):
        coq_statement(statement)


def test_a_term_without_a_form_is_refused_by_its_name():
    over = cases(x=(1,)).within(x=reals(0, 1))
    with pytest.raises(DomainError, match="when has no form in Coq here"):
        said(over, lambda x: at_least(when("<", x, 1, x, 0), 0))
