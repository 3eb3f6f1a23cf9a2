"""k-RR is shown by its two entries; here whole matrices."""

from dataclasses import replace
from fractions import Fraction
from functools import partial

import pytest

from exactdp.audit.claimed import in_numbers
from exactdp.claims.values import exact_value
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Epsilon, Exact
from proofs_check.biswas2023.protocol import rows
from proofs_check.biswas2023.trials import section_3, section_5a


@pytest.mark.parametrize("x", [Fraction(1), Fraction(3, 2), Fraction(7)])
@pytest.mark.parametrize("k", range(2, 6))
def test_whole_matrices(k, x):
    matrix = rows(Exact(x), k)
    assert all(sum(row) == 1 for row in matrix)
    assert Randomizer.from_matrix(matrix).ldp_epsilon() == Epsilon.log(x)
    same, other = map(exact_value, section_3.entries(x, k))
    for i, row in enumerate(matrix):
        assert row == [same if i == j else other for j in range(k)]
    if x > 1:
        product = section_5a.times(matrix, section_5a.inverse(Exact(x), k))
        assert product == [[int(i == j) for j in range(k)] for i in range(k)]


@pytest.mark.parametrize(
    ("claim", "change"),
    [
        (section_3.TRIALS["biswas2023/definition-III.5/normalization"], {"shift": 1}),
        (section_3.TRIALS["biswas2023/definition-III.5/ldp"], {"exponent": 2}),
        (section_5a.TRIALS["biswas2023/footnote-5/inverse"], {"offset": 1}),
    ],
)
def test_a_nearby_falsehood_is_not_proved(claim, change):
    assert in_numbers()(claim).verdict("", claim).label == "proved"
    assert in_numbers()(replace(claim, says=partial(claim.says, **change))).verdict("") is None
