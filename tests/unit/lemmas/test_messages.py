"""Claims about one message, against whole randomizers."""

from fractions import Fraction

import pytest

from exactdp.claims import Instance
from exactdp.mechanisms import Randomizer, randomized_response
from exactdp.numbers import Epsilon
from exactdp.shuffle import variation_ratio_decomposition
from exactdp.truth import Truth
from proofs_check.lemmas.clones import CLONES, TWO_LETTERS
from proofs_check.lemmas.extremal import extremal_rows
from proofs_check.lemmas.mixtures import MIXTURES

X = Fraction(3)
ROWS = [
    *([tuple(map(tuple, randomized_response(k, Epsilon.log(3)).rows))] for k in (3, 4)),
    *([rows] for rows in extremal_rows(inputs=3, exp_epsilon0=X)),
]


def fractions_of(rows):
    return [[Fraction(str(mass)) for mass in row] for row in rows[:3]]


def truth(statement, **at):
    """What the claim says at one instance, which is in its domain."""
    assert statement.domain.admits(at), at
    return statement.holds(Instance.of(**at)).truth


@pytest.mark.parametrize("rows", [rows for (rows,) in ROWS])
def test_every_message_of_a_private_randomizer_is_an_instance(rows):
    first, second, other = fractions_of(rows)
    for u, v, w in zip(first, second, other, strict=True):
        assert truth(CLONES, exp_epsilon0=X, w=w, u=u, v=v) is Truth.TRUE
    at = {"P": tuple(first), "Q": tuple(second), "S": (0,)}
    assert truth(TWO_LETTERS, exp_epsilon0=X, **at) is Truth.TRUE
    laws = {"V": tuple(first), "W": tuple(second), "U": tuple(other), "S": (0,)}
    assert truth(MIXTURES, p=X, q=X, **laws) is Truth.TRUE
    steps = [(u - v) / (X - 1) for u, v in zip(first, second, strict=True)]
    letters = [[u + d for u, d in zip(first, steps, strict=True)]]
    letters.append([v - d for v, d in zip(second, steps, strict=True)])
    assert [sum(letter) for letter in letters] == [1, 1]


@pytest.mark.parametrize("rows", [rows for (rows,) in ROWS if rows[0] != rows[1]])
def test_the_letters_of_a_message_are_those_of_the_product(rows):
    first, second, other = fractions_of(rows)
    victim, others = (Randomizer.from_matrix(part) for part in ([first, second], [other]))
    parts = variation_ratio_decomposition(victim, others=others.rows)
    p = victim.ldp_epsilon().exp
    alpha = [max(u - v, Fraction(0)) / (p - 1) for u, v in zip(first, second, strict=True)]
    assert sum(alpha) == parts.second
    assert [mass / parts.second for mass in alpha] == list(parts.letters[0].law)


def test_masses_that_are_not_private_are_no_instance():
    assert not CLONES.domain.admits({"exp_epsilon0": X, "w": 1, "u": 4, "v": 1})
    assert not CLONES.domain.admits({"exp_epsilon0": X, "w": 1, "u": 3, "v": Fraction(1, 3)})
    half, rare = (Fraction(1, 2),) * 2, (Fraction(1, 8), Fraction(7, 8))
    assert not TWO_LETTERS.domain.admits({"exp_epsilon0": X, "P": half, "Q": rare, "S": ()})
    assert not MIXTURES.domain.admits({"p": X, "q": 1, "V": half, "W": half, "U": rare, "S": ()})
