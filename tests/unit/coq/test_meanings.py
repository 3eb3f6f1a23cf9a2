"""The meaning of a claim's quantities at an instance, as a file for Coq."""

from dataclasses import replace
from fractions import Fraction
from itertools import islice

import pytest

from exactdp.claims import at_most, decided, find_claim
from exactdp.claims.kinds import objects
from exactdp.coq.meanings import meanings_file
from exactdp.coq.values import coq_value
from exactdp.errors import DomainError
from proofs_check.lemmas.quantities import SAME, divergence, written_neighbors
from proofs_check.lemmas.theorems import preamble, theorem_of

MONOTONE = find_claim("lemmas/monotone-in-epsilon")[1].readings[""]


def written(stated=MONOTONE):
    name = theorem_of(MONOTONE)
    return meanings_file("a claim", stated, name, preamble(name))


def test_both_sides_have_the_engines_values_at_an_instance():
    text = written()
    assert "Definition mu : law A := [(0%nat, " in text
    sides = [line for line in text.splitlines() if line.startswith("Example side_")]
    assert len(sides) == 6 and all(" = " in line for line in sides)
    values = [line.split(" = ")[1] for line in sides]
    assert not {"0.", "1."} & {*values} and len({*values}) > 2
    assert "Lemma assumed_0 : is_law mu." in text and "@lemmas_monotone_in_epsilon" in text


def test_the_values_are_those_of_the_function():
    doubled = replace(divergence, compute=lambda P, Q, gamma: 2 * divergence(P, Q, gamma))
    other = replace(
        MONOTONE,
        says=lambda mu, mu_prime, gamma, more: at_most(
            doubled(mu, mu_prime, gamma + more), doubled(mu, mu_prime, gamma)
        ),
    )
    assert written(other) != written() != ""


def test_what_has_no_form_is_refused():
    domain = MONOTONE.domain
    kind = objects("a law", coq=("whatever A", "is_law {0}", SAME))
    other = replace(MONOTONE, domain=replace(domain, kinds=domain.kinds | {"mu": kind}))
    with pytest.raises(DomainError, match="not a type that can be written"):
        written(other)
    for wrong in ("a text", -1, Fraction(1, 2)):
        with pytest.raises(DomainError, match="not written"):
            coq_value("nat", wrong)
    with pytest.raises(DomainError, match="not a rational"):
        coq_value("R", "1/2")


def test_what_stands_for_many_instances_is_passed_over():
    stated = find_claim("feldman2021/reduction")[1].readings[""]
    name = theorem_of(stated)
    text = meanings_file("a claim", stated, name, preamble(name))
    assert "Definition randomizers : protocol X A := (Build_protocol X A (repeat " in text
    only = replace(
        stated, instances=lambda effort: islice(stated.instances(effort), 3), strategy=None
    )
    with pytest.raises(DomainError, match="2 stands for many sequences"):
        meanings_file("a claim", only, name, preamble(name))


def test_all_letters_of_the_laws_have_a_place():
    stated = find_claim("balle2019/hoeffding")[1].readings[""]
    name = theorem_of(stated)
    text = meanings_file("a claim", stated, name, preamble(name))
    assert "data=((0,), (1,))" in text and "Definition k : nat := 2%nat." in text


def test_values_by_their_types():
    assert coq_value("list Z", (1, -1)) == "[(1)%Z; (-1)%Z]"
    assert coq_value("A -> bool", (0, 2)) == "(fun y => existsb (Nat.eqb y) [0%nat; 2%nat])"
    assert coq_value("law (R * R)", {(0, 1): 1}) == "[((0, 1), 1)]"
    assert coq_value("list (law nat)", ((1, 0),)) == "[[(0%nat, 1); (1%nat, 0)]]"
    text = written_neighbors("D", ((0, 1), (0, 2)))
    assert text == "(Build_neighbors D ([0%nat]) (1%nat) (2%nat) ([]))"


def test_what_the_engine_decides_by_a_computation_is_refused():
    other = replace(MONOTONE, says=lambda **at: decided(True, "computed"))
    with pytest.raises(DomainError, match="a statement in Coq is of relations, and its formula"):
        written(other)
