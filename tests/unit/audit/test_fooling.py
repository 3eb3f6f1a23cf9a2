"""Attempts to have a false claim called proved: each is refuted, survives, or is refused."""

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial

import pytest

from exactdp.audit import audit_claim, decide, found_text
from exactdp.audit.algebra import identity, nonnegative
from exactdp.audit.claimed import in_numbers
from exactdp.claims import (
    Claim,
    Proof,
    Source,
    Step,
    Term,
    above,
    at_least,
    at_most,
    cases,
    decided,
    differs,
    finite_pair,
    for_all,
    formula,
    hockey_stick,
    lemma,
    papers,
    proof,
    shuffle_pair,
    term,
    total_variation_of,
    words,
)
from exactdp.claims.kinds import among, integers, objects, reals
from exactdp.claims.proofs import Ground
from exactdp.claims.quantities import quantity
from exactdp.errors import DomainError
from proofs_check.kernel import Accepted, check
from proofs_check.lemmas.theorems import in_coq, theorem

USERS = cases(n=range(1, 4)).within(n=integers(1))
RATIOS = cases(x=[Fraction(x) for x in ("1", "3/2", "3", "9")]).within(x=reals(1))
WORDS = proof(words("it is so"))


def of_users(n, least):
    """The shuffled reports of n users, e^eps0 = 3, have total variation of at least so much."""
    rows = [["3/4", "1/4"], ["1/4", "3/4"]]
    return at_least(
        total_variation_of(shuffle_pair(rows, inputs=(0, 1), others=[(0, n - 1)])), least
    )


def delta(x, most):
    """The total variation of one report is at most so much."""
    x = term(x)
    report = finite_pair([x / (x + 1), 1 / (x + 1)], [1 / (x + 1), x / (x + 1)])
    return at_most(hockey_stick(report, 1), most)


def tried(over, says, shown=None, wrong=None):
    """The verdict with a false variant that falls at once, so that it is none of the reasons."""
    return decide(for_all(over, says, wrong=wrong, proof=shown))


# --- all of a domain ----------------------------------------------------------------------------


def test_all_of_takes_no_words():
    with pytest.raises(DomainError, match=r"takes no words\. Say what each variable may be"):
        cases(n=range(1, 4)).all_of("every integer n >= 1")
    with pytest.raises(DomainError, match=r"the values of n cannot be counted: integer n ≥ 1"):
        cases(n=range(1, 4)).all_of(n=integers(1))
    with pytest.raises(DomainError, match="cannot be counted: 0 ≤ x ≤ 1"):
        cases(x=(0, 1)).all_of(x=reals(0, 1))


def test_some_of_a_domain_are_not_all_of_it():
    found = tried(cases(n=range(1, 4)).all_of(n=integers(1, 99)), lambda n: of_users(n, "1/6"))
    assert (found.label, found.witness) == ("refuted", "n=8")
    true = tried(cases(n=range(1, 4)).all_of(n=integers(1, 99)), lambda n: at_most(n, 99))
    assert (true.label, true.unproved) == (
        "survived",
        "they are 3 of all integer 1 ≤ n ≤ 99, which has more",
    )


def test_an_instance_twice_is_one():
    found = tried(cases(n=(1, 2, 2)).all_of(n=integers(1, 3)), lambda n: at_most(n, 3))
    assert found.label == "survived"


def test_all_of_a_counted_domain_is_proved():
    found = tried(cases(n=range(1, 4)).all_of(n=integers(1, 3)), lambda n: of_users(n, "1/4"))
    assert (found.label, found.domain) == ("proved", "all integer 1 ≤ n ≤ 3")
    pairs = cases(n=(1, 2), k=lambda n: range(n)).all_of(
        n=among(1, 2), k=integers(0, lambda n: n - 1)
    )
    assert tried(pairs, lambda n, k: at_most(k, n)).found == "all 3 instances computed"


# --- the search -----------------------------------------------------------------------------------

PAIRS = cases(n=(1, 2, 3), k=(1, 2)).within(n=integers(1), k=integers(1))


@pytest.mark.parametrize(
    ("over", "says"),
    [
        (USERS, lambda n: at_most(n, 5)),
        (PAIRS, lambda n, k: at_most(n * k, 60)),
        (RATIOS, lambda x: at_most(x, 2000)),
        (USERS, lambda n: at_most(n * n, 386 * 387)),
        (USERS, lambda n: at_most(formula(lambda f, *, n: f.sqrt(n) * f.log(n), n=n), 117)),
        (USERS, lambda n: at_most(term(n), 10**9)),
        (USERS, lambda n: at_least(abs(term(n) - 405), 6)),  # fails from 400 to 410
        (USERS, lambda n: differs(n, 50)),
        (RATIOS, lambda x: delta(x, "4/5")),
        (RATIOS, lambda x: delta(x, Fraction(10**9 - 1, 10**9))),
    ],
)
@pytest.mark.parametrize("shown", [None, WORDS])
def test_a_claim_that_fails_far_out_is_refuted(over, says, shown):
    assert tried(over, says, shown).label == "refuted"


@pytest.mark.parametrize("least", ["1/4", "1/50"])  # false from n = 4, and from hundreds
def test_a_law_of_many_users_is_searched_too(least):
    assert tried(USERS, lambda n: of_users(n, least)).label == "refuted"


def test_a_search_is_a_function_of_the_claim():
    found = [tried(PAIRS, lambda n, k: at_most(n * k, 60)) for _ in range(2)]
    assert found[0] == found[1]


def test_an_instance_that_is_too_large_is_passed_over():
    rows = [["3/4", "1/4", 0], ["1/4", "1/4", "1/2"]]
    views = lambda n: shuffle_pair(rows, inputs=(0, 1), others=[(0, n - 1)])  # noqa: E731
    found = tried(USERS, lambda n: at_most(total_variation_of(views(n)), 1))
    assert found.label == "survived"


def test_integers_at_which_code_computes_are_searched_to_an_end_of_their_own():
    seen = []

    def says(n):
        assert type(n) is int
        seen.append(n)
        return at_most(sum(range(n)), n * n)

    assert tried(USERS, says).label == "survived" and max(seen) == 1025


def test_a_loop_of_an_author_that_does_not_end_soon_is_passed_over():
    seen = []

    def says(n):
        if type(n) is int:
            seen.append(n)
        count = 0
        for _ in range(2**n):
            count += 1
        return at_most(0, count)

    found = tried(USERS, says)
    assert found.label == "survived" and max(seen) < 128


@lru_cache
def steps(n):
    count = 0
    for _ in range(20 * n):
        count += 1
    return count


def test_what_an_author_remembers_changes_no_search():
    says = lambda n: at_most(steps(int(n)), 10**9)  # noqa: E731
    steps.cache_clear()
    found = tried(USERS, says)
    for n in range(1, 1026):
        steps(n)
    assert tried(USERS, says) == found and found.label == "survived"


# --- a formula that is built once ---------------------------------------------------------------


def test_a_formula_that_looks_at_its_types_is_the_one_that_is_proved():
    def says(x):
        return at_most(0 * x, 1) if isinstance(x, Term) else delta(x, "4/5")

    found = tried(RATIOS, says, in_numbers())
    assert (found.label, found.unproved) == ("survived", "the claim is the same whatever x is")


def test_a_formula_that_looks_at_its_value_is_a_computation():
    found = tried(RATIOS, lambda x: at_most(x, 0) if x == 50 else at_most(x, x * x), in_numbers())
    assert found.label == "survived" and "a term has no value to compare" in found.unproved
    found = tried(RATIOS, lambda x: at_most(x, 0) if x > 40 else at_most(x, x * x), in_numbers())
    assert found.label == "refuted"


def test_a_stateful_formula_is_asked_once():
    asked = []

    def says(x):
        asked.append(x)
        return at_most(x, x * x) if len(asked) == 1 else at_most(0, 1)

    found = tried(RATIOS, says, in_numbers())
    assert found.label == "proved" and len(asked) == 1
    assert found.certificate.steps[0][1].parts["relations"][0][2].head == "mul"


@pytest.mark.parametrize("shown", [WORDS, proof(nonnegative("squares", "s", lambda s: s * s))])
def test_a_computation_is_neither_proved_nor_argued(shown):
    found = tried(USERS, lambda n: at_most(sum(range(n)), n * n), shown)
    assert found.label == "survived"
    assert found.unproved.startswith("its formula computes with numbers (TypeError: ")
    assert f"no proof that counts: {found.unproved}" in found_text(found)


def test_a_condition_is_the_one_that_is_declared():
    def given(x):
        return at_most(x, 0) if isinstance(x, Term) else at_least(x, 1)

    over = cases(x=[1, 3]).within(given, x=reals(1))
    with pytest.raises(DomainError, match="it is tried outside its domain, all x ≥ 1 with x ≤ 0"):
        tried(over, lambda x: delta(x, "4/5"), in_numbers())


def test_an_end_of_a_range_is_the_one_that_is_declared():
    def end(x):
        return 0 * x if isinstance(x, Term) else x

    over = cases(x=[1], y=[1]).within(x=reals(1), y=reals(0, end))
    with pytest.raises(DomainError, match="outside its domain, all x ≥ 1, 0 ≤ y ≤ 0·x"):
        tried(over, lambda x, y: at_most(y, x), in_numbers())


@pytest.mark.parametrize(
    "says",
    [
        lambda x: at_most(0 * delta(x, 1).left, "4/5"),
        lambda x: at_most(delta(x, 1).left - delta(x, 1).left, "4/5"),
        lambda x: [at_most(1, x), at_most(0 * delta(x, 1).left, "4/5")],
        lambda x: at_most(0 * term(x), 1),
        lambda x: at_most(x, x),
    ],
)
def test_a_claim_that_says_nothing_of_what_it_names_is_not_proved(says):
    found = tried(RATIOS, says, WORDS)
    assert found.label == "survived" and "the claim is the same whatever" in found.unproved


# --- what a proof rests on ------------------------------------------------------------------------


def test_what_a_step_rests_on_is_not_set_from_outside():
    for more in ({"is_claim": True}, {"evidence": "coq"}):
        with pytest.raises(TypeError):
            Step("the claim is the theorem x", lambda: True, **more)
        with pytest.raises(TypeError):
            replace(identity("a", "x", lambda x: (x + x, 2 * x)), **more)
    with pytest.raises(DomainError, match="beside its check"):
        Step("the claim is the theorem x", ground=lambda: "")
    with pytest.raises(DomainError, match="is not a ground of a proof that this library checks"):
        type("Mine", (Ground,), {"rests": "coq", "refusal": lambda self: ""})


def test_a_proof_of_another_claim_is_an_argument():
    other = for_all(RATIOS, lambda x: at_most(1, x), proof=in_numbers())
    assert decide(other).label == "proved"
    assert tried(RATIOS, lambda x: delta(x, 1), other.proof).label == "argued"
    assert tried(RATIOS, lambda x: delta(x, "4/5"), other.proof).label == "refuted"
    cited = proof(lemma("p/other", other, "used"))
    assert tried(RATIOS, lambda x: delta(x, 1), cited).label == "argued"


def test_a_theorem_that_does_not_exist_proves_nothing():
    found = tried(RATIOS, lambda x: delta(x, 1), theorem("no_such_theorem"))
    assert found.label == "survived"
    assert "proofs_check/coq proves no theorem no_such_theorem" in found.unproved


def test_a_theorem_that_a_step_cites_is_no_proof_of_the_claim():
    found = tried(RATIOS, lambda x: delta(x, 1), proof(in_coq("more_users", "more users")))
    assert found.label == "argued"


def test_a_quantity_that_nobody_compares_with_coq_proves_nothing():
    mono = "lemmas_monotone_in_epsilon"

    @quantity("(hockey_stick same {0} {1} {2})", name="KL")
    def kl(P, Q, gamma):
        return max(Fraction(0), 1 - Fraction(gamma))

    law = objects("a law", coq=("law A", "is_law {0}", "{A : Type} (same : A -> A -> bool)"))
    over = cases(mu=[(1, 0)], mu_prime=[(0, 1)], gamma=[1], more=[1]).within(
        mu=law, mu_prime=law, gamma=reals(0), more=reals(0)
    )
    found = tried(
        over,
        lambda mu, mu_prime, gamma, more: at_most(kl(mu, mu_prime, gamma + more), 1),
        theorem(mono),
    )
    assert found.label == "survived"
    assert "the quantity KL is not of proofs_check" in found.unproved


def test_a_shipped_quantity_with_another_meaning_in_coq_is_not_of_proofs_check():
    shipped = papers()["lemmas"].claims()
    found = next(claim for claim in shipped if claim.id == "lemmas/monotone-in-epsilon")
    statement = found.readings[""]

    def other(**at):
        said = statement.says(**at)
        if not isinstance(said.left, Term) or said.left.head != "quantity":
            return said
        notion, *parts = said.left.parts
        mine = replace(notion, compute=term)
        return replace(said, left=Term("quantity", mine, *parts))

    changed = replace(statement, says=other, false_variant=None)
    changed = replace(changed, proof=theorem("lemmas_monotone_in_epsilon")(changed))
    assert " is not of proofs_check" in changed.proof.refusal()


def test_meanings_that_a_constant_would_pass_prove_nothing():
    """A shipped theorem and quantities, at instances where the divergence is always 0."""
    shipped = papers()["lemmas"].claims()
    found = next(claim for claim in shipped if claim.id == "lemmas/monotone-in-epsilon")
    statement = found.readings[""]
    law = (Fraction(1), Fraction(0))
    alike = cases(mu=[law], mu_prime=[law], gamma=[1], more=[1])
    few = replace(statement, instances=alike.instances, strategy=None, far=None)
    few = replace(few, proof=theorem("lemmas_monotone_in_epsilon")(few))
    found = decide(replace(few, false_variant=None))
    assert found.label == "survived"
    assert "both meanings of its quantities are compared where a constant would" in found.unproved


# --- a refutation ---------------------------------------------------------------------------------


def test_a_refutation_negates_what_is_claimed():
    two = cases(n=(1,))
    with pytest.raises(TypeError):
        tried(two, lambda n: decided(False, "2 > 1", failure=[above(2, 1)]))
    with pytest.raises(DomainError, match="but what it says holds: 1 <= 2"):
        tried(two, lambda n: decided(False, "2 > 1", claimed=[at_most(n, 2)]))
    told = tried(two, lambda n: decided(False, "2 > 1"))
    assert told.certificate is None and "no certificate shows it" in found_text(told)
    right = tried(two, lambda n: decided(False, "1 > 0", claimed=[at_most(n, 0)]))
    assert [sign for sign, *_ in right.certificate.conclusion] == [">"]


# --- what held ------------------------------------------------------------------------------------


def test_a_certificate_that_is_tampered_with_is_rejected():
    claim = Claim("p/c", "s", Source("p", "x"), {"": for_all(USERS, lambda n: at_most(n, 5))})
    (found,) = audit_claim(claim).readings.values()
    kept = found.certificate.to_bytes(claim="p/c", reading="")
    assert isinstance(check(kept), Accepted)
    for other in (kept.replace(b'"0x5"', b'"0x7fffffff"'), kept.replace(b'">"', b'"<"')):
        assert other != kept and not isinstance(check(other), Accepted)


def test_an_unrelated_identity_and_an_induction_without_its_step_are_arguments():
    something = proof(identity("a", "x", lambda x: (x + x, 2 * x)))
    start = proof(Step("the start", lambda: True), words("and so on"))
    for shown in (something, start):
        assert tried(RATIOS, lambda x: delta(x, 1), shown).label == "argued"
        assert tried(RATIOS, lambda x: delta(x, "4/5"), shown).label == "refuted"


def test_a_pole_is_an_error():
    says = partial(lambda x, at: at_most(1 / (term(x) - at), 1000), at=1)
    claim = Claim("p/c", "s", Source("p", "x"), {"": for_all(RATIOS, says, proof=in_numbers())})
    assert audit_claim(claim).label == "error"


def test_an_open_end_is_no_instance():
    over = cases(x=[1], y=[0]).within(x=reals(above=0), y=reals(0, lambda x: 1 / x))
    assert tried(over, lambda x, y: at_most(x * y, 1), in_numbers()).label == "proved"


def test_an_empty_domain_is_undecided():
    over = cases(x=()).within(lambda x: at_most(x, 0), x=reals(1))
    assert tried(over, lambda x: at_most(x, 0), in_numbers()).label == "undecided"


def test_a_proof_has_the_claim_itself_as_its_last_step():
    statement = for_all(RATIOS, lambda x: at_most(1, x), proof=in_numbers())
    (step,) = statement.proof.steps
    shown = Proof((step, words("therefore")))
    assert decide(replace(statement, proof=shown)).label == "argued"
