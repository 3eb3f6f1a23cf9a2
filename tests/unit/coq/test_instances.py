"""The instances at which Coq compares quantities: no constant passes, nor what ignores laws."""

import re
from dataclasses import replace
from fractions import Fraction

import pytest

from exactdp.claims import Instance, at_most, equal, find_claim
from exactdp.coq.instances import ASKED, telling_instances
from exactdp.coq.meanings import OUTSIDE, meanings_file
from exactdp.coq.statements import coq_sides
from exactdp.errors import DomainError
from proofs_check.lemmas.quantities import divergence
from proofs_check.lemmas.theorems import outside_of, preamble, theorem_of

MONOTONE = find_claim("lemmas/monotone-in-epsilon")[1].readings[""]

# What each claim says makes its quantities 0 or 1, or the first instances do.
PLAIN = {
    "erlingsson2019/theorem-5": "",
    "erlingsson2019/theorem-8/proof/case-1/conclusion": "",
    "erlingsson2019/theorem-8/proof/case-1/first-step": "a",
    "erlingsson2019/theorem-8/proof/epsilon1": "",
    "erlingsson2019/section-3/client-state": "",
    "erlingsson2019/theorem-6/proof/C-partition": "",
    "ding2025/lemma-1": "c",
    "ding2025/equation-23": "",
    "ding2025/lemma-5/proof/sup-one": "b",
    "biswas2023/remark-1/adp-implies-dp": "b",
    "biswas2023/remark-1/dp-implies-adp": "",
}
# These say of something that it holds: 1 or 0 is all that they can be, and both are compared.
HOLDS_OR_NOT = ("C-partition", "equation-23", "sup-one")


def compared(text):
    """The values that Coq compares with a quantity, as texts."""
    sides = re.findall(r"Example \w+ : (.+) = (.+)\.\nProof", text)
    return [right for left, right in sides if not re.fullmatch(r"[\d /()-]+", left)]


@pytest.mark.parametrize(("claim", "reading"), PLAIN.items())
def test_no_constant_passes(claim, reading):
    stated = find_claim(claim)[1].readings[reading]
    name = theorem_of(stated)
    text = meanings_file("a claim", stated, name, preamble(name), outside_of(name))
    values = compared(text)
    assert text.count("\nModule at_") >= ASKED
    if claim.endswith(HOLDS_OR_NOT):
        assert {*values} == {"0", "1"}
    else:
        assert {*values} - {"0", "1"}


def test_the_laws_of_a_chosen_instance_differ():
    taken, changed = telling_instances(MONOTONE, coq_sides(MONOTONE), None)
    assert len(taken) == ASKED and not changed
    assert all(tried.tells and tried.at["mu"] != tried.at["mu_prime"] for tried in taken)


def test_equal_laws_are_taken_last():
    """Of equal laws every divergence is max(0, 1 − γ), whoever computes it."""
    fair = (Fraction(1, 2), Fraction(1, 2))
    laws = [fair] * 4 + [(Fraction(k, 7), Fraction(7 - k, 7)) for k in (1, 2, 3)]
    more = Fraction(1, 8)
    gammas = [Fraction(k, 9) for k in (1, 2, 4, 5)] + [Fraction(1, 2)] * 3
    at = [
        Instance.of(mu=fair, mu_prime=Q, gamma=gamma, more=more)
        for Q, gamma in zip(laws, gammas, strict=True)
    ]
    some = replace(MONOTONE, instances=lambda effort: iter(at), strategy=None)
    taken, _ = telling_instances(some, coq_sides(some), None)
    assert {tried.at["mu_prime"] for tried in taken} == {*laws[4:]}


def test_what_ignores_its_laws_has_other_values_than_coq():
    """max(0, 1 − γ) is the divergence of equal laws only."""
    blind = replace(divergence, compute=lambda P, Q, gamma: max(0, 1 - gamma))
    theirs = find_claim("lemmas/monotone-in-epsilon")[1].readings[""]
    other = replace(
        theirs,
        says=lambda mu, mu_prime, gamma, more: at_most(
            blind(mu, mu_prime, gamma), divergence(mu, mu_prime, gamma)
        ),
    )
    taken, _ = telling_instances(other, coq_sides(other), None)
    assert any(tried.value((0, 0)) != tried.value((0, 1)) for tried in taken)


def test_a_constant_quantity_is_refused():
    nothing = replace(divergence, compute=lambda P, Q, gamma: 0)
    other = replace(
        MONOTONE,
        says=lambda mu, mu_prime, gamma, more: equal(nothing(mu, mu_prime, gamma), 0),
    )
    with pytest.raises(DomainError, match="a constant would pass"):
        telling_instances(other, coq_sides(other), None)


def test_an_argument_is_changed_where_the_claim_makes_a_quantity_0():
    """A divergence at so large a factor is 0: at 1 it is the total variation."""
    far = replace(
        MONOTONE,
        says=lambda mu, mu_prime, gamma, more: at_most(divergence(mu, mu_prime, gamma + 10**6), 0),
    )
    laws = [at for at in MONOTONE.instances(None) if all(m for m in at["mu_prime"])]
    far = replace(far, instances=lambda effort: iter(laws), strategy=None)
    _, changed = telling_instances(far, coq_sides(far), None)
    assert changed and all(one.side.endswith(" 1") for one in changed)
    for one in changed:
        laws = one.at.at["mu"], one.at.at["mu_prime"]
        assert one.value == sum(max(0, p - q) for p, q in zip(*laws, strict=True))


def test_an_instance_outside_is_compared_beside_those_inside():
    stated = find_claim("ding2025/lemma-5/proof/sup-one")[1].readings["b"]
    name = theorem_of(stated)
    text = meanings_file("a claim", stated, name, preamble(name), outside_of(name))
    assert text.count(OUTSIDE) == 1 and text.count("Definition claimed") == ASKED
    with pytest.raises(DomainError, match="a constant would pass"):
        meanings_file("a claim", stated, name, preamble(name))
