"""Claims in numbers for Coq: every proved one is written, its statement word for word."""

import pytest

from exactdp.audit.claimed import by_cases, by_sum, in_numbers
from exactdp.claims import Statement, at_least, at_most, cases, for_all, select
from exactdp.claims.kinds import integers, reals
from exactdp.coq.claims_in_numbers import coq_file_of_claim, is_in_numbers
from exactdp.coq.statements import coq_statement
from exactdp.errors import DomainError

CLAIMS = [
    (f"{claim.id}:{key}", stated)
    for _, claims in select([]).chosen
    for claim in claims
    for key, stated in claim.readings.items()
    if isinstance(stated, Statement) and is_in_numbers(stated)
]


def test_there_are_claims_in_numbers():
    assert len(CLAIMS) >= 40


@pytest.mark.parametrize(("name", "stated"), CLAIMS, ids=[name for name, _ in CLAIMS])
def test_the_theorem_is_the_claim(name, stated):
    text = coq_file_of_claim(name, stated)
    (line,) = [line for line in text.splitlines() if line.startswith("Theorem")]
    assert line.split(" ", 2)[2] == f"{coq_statement(stated)}."
    assert text.endswith("Qed.\n") and "dmitted" not in text


def test_the_data_of_a_claim():
    over = cases(k=(2,), x=(1,)).within(
        lambda k, x: at_most(x, k), k=integers(2), x=reals(0, below=3)
    )
    reason = by_cases(lambda x: x - 1, by_sum((lambda k: k, 0), (1, 1)), "coefficients")
    stated = for_all(over, lambda k, x: at_least(k * x, -1), proof=in_numbers(reason))
    lines = coq_file_of_claim("a/b:c", stated).splitlines()
    assert lines[5:15] == [
        "Definition k' : form := Plus (Number (2)) (Slack 0).",
        "Definition x' : form := "
        "Plus (Times (Number (0)) (Slack 1)) (Times (Number (3)) (Slack 2)).",
        "Definition open' : list bool := [false; true; false].",
        "Definition pairs' : list nat := [1%nat].",
        "Definition given' : list (sign * form) := [(AtLeast, Minus k' x')].",
        "Definition form0' : form := Minus (Times k' x') (Number (-1)).",
        "Definition why0' : reason := (Cases (Minus x' (Number (1))) "
        "(Sum [(k', 0%nat); ((Number (1)), 1%nat)]) (Sum [])).",
        "Theorem a_b_c (k : nat) (x : R) : (2 <= k)%nat -> 0 <= x -> x < 3 -> x <= INR k -> "
        "(INR k) * x >= - 1.",
        "Proof.",
        "  intros l0'; apply Numbers.of_nat in l0'.",
    ]


@pytest.mark.parametrize(
    ("over", "says", "reasons", "words"),
    [
        (cases(x=(1,)).within(x=reals(0)), lambda x: at_most(0, x), None, "not proved in numbers"),
        (
            cases(n=(1,)).within(n=integers(1, 3)),
            lambda n: at_most(1, n),
            (),
            "or a largest value",
        ),
        (
            cases(x=(1,)).within(x=reals(0, 2)),
            lambda x: at_least(2, x),
            (["split", "x", 1, "coefficients", "coefficients"],),
            "the reason",
        ),
    ],
)
def test_what_is_not_translated_is_refused(over, says, reasons, words):
    shown = None if reasons is None else in_numbers(*reasons)
    with pytest.raises(DomainError, match=words):
        coq_file_of_claim("a", for_all(over, says, proof=shown))
