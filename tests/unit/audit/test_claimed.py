"""Proofs whose last line is the claim, and false variants that are about it."""

from fractions import Fraction

import pytest

from exactdp.audit.algebra import nonnegative
from exactdp.audit.claimed import by_cases, by_signs, by_sum, in_numbers
from exactdp.audit.trial import decide
from exactdp.claims import (
    above,
    at_least,
    at_most,
    below,
    cases,
    equal,
    finite_pair,
    for_all,
    hockey_stick,
    proof,
    total_variation_of,
)
from exactdp.claims.kinds import integers, reals
from exactdp.claims.terms import positive_part, term, when

RATIOS = cases(x=[Fraction(x) for x in ("1", "3/2", "3", "9")]).within(x=reals(1))


def delta(x, most):
    """Delta of one report of randomized response at e^eps = 1 is at most ``most``."""
    x = term(x)
    pair = finite_pair([x / (x + 1), 1 / (x + 1)], [1 / (x + 1), x / (x + 1)])
    return at_most(hockey_stick(pair, 1), most)


def tried(most, shown):
    return decide(
        for_all(RATIOS, lambda x: delta(x, most), wrong=lambda x: delta(x, "1/10"), proof=shown)
    )


def test_a_proof_of_something_else_does_not_fool_the_audit():
    squares = proof(nonnegative("squares", "s", lambda s: s))
    fooled = tried("4/5", squares)
    assert (fooled.label, fooled.witness) == ("refuted", "x=10")
    true = tried(1, squares)
    assert (true.label, true.domain) == ("argued", "all x ≥ 1")


def test_the_claim_itself_is_proved():
    found = tried(1, in_numbers())
    assert (found.label, found.domain) == ("proved", "all x ≥ 1")
    assert found.certificate.steps[0][1].name == "claim"


def verdict(over, says, *reasons):
    """What the proof alone says, without instances."""
    stated = for_all(over, says, proof=in_numbers(*reasons))
    found = stated.proof.verdict("", stated)
    return None if found is None else found.label


PAIRS = cases(p=(3,), b=(0,)).within(p=reals(above=1), b=reals(0, lambda p: (p - 1) / (p + 1)))
MASSES = cases(u=(1,), v=(1,), w=(1,)).within(
    lambda u, v: at_most(u, v), u=reals(0), v=reals(0), w=reals(above=0)
)


@pytest.mark.parametrize(
    ("over", "says", "reasons"),
    [
        (RATIOS, lambda x: equal((x + 1) ** 2, x * x + 2 * x + 1), []),
        (RATIOS, lambda x: [at_least(x * x, x), at_least(x, 1)], []),
        (RATIOS, lambda x: above(x, 0), []),
        (PAIRS, lambda p, b: at_most(b, 1), []),
        (PAIRS, lambda p, b: at_least(p - 1 - b * p, 0), []),
        (MASSES, lambda u, v, w: at_most(u * w, v * w + 1), [by_sum((lambda w: w, 0))]),
        (MASSES, lambda u, v, w: above(w + u, 0), []),
        (
            MASSES,
            lambda u, v, w: at_least(positive_part(term(u) - w), term(u) - w),
            [by_cases(lambda u, w: u - w, "coefficients", by_sum((1, 1)))],
        ),
        (
            MASSES,
            lambda u, v, w: at_most(when("<", u, w, u, w), w),
            [by_signs(lambda u, w: w - u, by_sum((1, 1)), "coefficients", "coefficients")],
        ),
        (RATIOS, lambda x: equal(when("<", x, 1, x, 1), 1), []),
        (
            RATIOS,
            lambda x: equal(
                total_variation_of(finite_pair([1 / (1 + term(x)), term(x) / (1 + x)], [1, 0])),
                x / (1 + term(x)),
            ),
            [],
        ),
    ],
)
def test_true_claims_in_numbers(over, says, reasons):
    assert verdict(over, says, *reasons) == "proved"


@pytest.mark.parametrize(
    ("over", "says", "reasons"),
    [
        (RATIOS, lambda x: equal((x + 1) ** 2, x * x + 1), []),
        (RATIOS, lambda x: at_least(x, 2), []),
        (RATIOS, lambda x: above(x, 1), []),  # false at the end
        (PAIRS, lambda p, b: below(b, (p - 1) / (p + 1)), []),  # at the other
        (PAIRS, lambda p, b: at_most(2 * b, (p - 1) / (p + 1)), []),
        (MASSES, lambda u, v, w: at_most(v, u), [by_sum((1, 0))]),
        (MASSES, lambda u, v, w: equal(u, v), [by_sum((-1, 0))]),
        (MASSES, lambda u, v, w: equal(v, u), [by_sum((1, 0))]),  # an inequality, no equation
        (MASSES, lambda u, v, w: at_most(u * w, v * w + 1), [by_sum((lambda u: u - 1, 0))]),
        (MASSES, lambda u, v, w: at_most(positive_part(term(u) - w), u), []),  # no sign is shown
        (MASSES, lambda u, v, w: at_most(when("<", u, w, u, w), w), ["coefficients"]),
        (RATIOS, lambda x: equal(when("<=", x, 1, x, 1), 1), []),  # at x = 1 it is not known
        (
            RATIOS,
            lambda x: at_most(hockey_stick(finite_pair([x, 1], [1, x]), 1), x),  # not laws
            [],
        ),
    ],
)
def test_claims_that_are_false_or_not_shown(over, says, reasons):
    assert verdict(over, says, *reasons) is None


def test_a_claim_about_what_is_no_number_is_no_claim_in_numbers():
    from exactdp.errors import DomainError

    with pytest.raises(DomainError, match="a claim on a domain"):
        verdict(cases(x=(1,)), lambda x: at_most(x, 1))
    over = cases(n=(2,)).within(n=integers(2))
    with pytest.raises(DomainError, match="no general formula"):
        verdict(over, lambda n: at_most(sum(range(n)), n * n))


@pytest.mark.parametrize(
    ("wrong", "label"),
    [
        (lambda x: at_most(1, 0), "undecided"),  # false whatever is claimed
        (lambda x: below(term(x) * x, 0), "survived"),  # the claim's own side
        (lambda x: at_most(term(x) ** 3, 20), "undecided"),  # nothing of the claim
    ],
)
def test_a_false_variant_is_about_the_claim(wrong, label):
    found = decide(for_all(RATIOS, lambda x: at_most(1, term(x) * x), wrong=wrong))
    assert found.label == label


def test_an_instance_outside_the_domain_is_an_error():
    over = cases(x=(0, 1)).within(x=reals(1))
    with pytest.raises(Exception, match="outside its domain"):
        decide(for_all(over, lambda x: at_most(0, x)))
