"""The numbers of ``findings.md``: binary randomized response, eps0 = 0.49, delta = 1e-6."""

from fractions import Fraction
from typing import Any

from exactdp.claims import formula, value
from exactdp.mechanisms import randomized_response
from exactdp.numbers import Epsilon, Number
from exactdp.shuffle import shuffle_worst_case
from proofs_check.erlingsson2019 import bounds

_EPSILON0, _DELTA = Fraction(49, 100), Fraction(1, 10**6)


def printed(n: int) -> Number:
    """Return the third bound of Theorem 7."""
    return value(formula(bounds.large_n_bound, n=n, epsilon0=_EPSILON0, delta=_DELTA))


def truth(n: int) -> Any:
    """Return the epsilon of the worst case over all data, between certified ends."""
    coin = randomized_response(2, Epsilon.rational(_EPSILON0))
    return shuffle_worst_case(n, coin).epsilon(_DELTA)
