"""The numbers of ``findings.md``: Laplace noise on [0, 1], epsilon = 1/10.

User 1 has eps_1 = 2, one user has 1/2, and n - 2 have 3/2; all others hold 0.
"""

from fractions import Fraction

from exactdp.numbers import Enclosure, Epsilon, Exact
from exactdp.shuffle.at_scale.score_sums import ScoreSum
from proofs_check.liu2024.curves import CentralBound
from proofs_check.liu2024.noise import Shape, least_probability, noise, victim_probability

_ASKED = Epsilon.rational(Fraction(1, 10))
_MOST, _USUAL, _LEAST = Fraction(2), Fraction(3, 2), Fraction(1, 2)


def printed(n: int) -> Enclosure:
    """Return delta_s of Theorem 2, (5) at its best t with sums from i = 0, for user 1."""
    usual, least = (least_probability(Shape.LAPLACE, 1 / _MOST, 1 / e) for e in (_USUAL, _LEAST))
    w = victim_probability(*(noise(Shape.LAPLACE, x, 1 / _MOST) for x in (0, 1)))
    return CentralBound([(usual, n - 2), (least, 1)], w=w, bits=512).best_delta(_ASKED)


def at_least(n: int) -> Fraction:
    """Return a certified lower bound on delta for the user with 1/2.

    The truth is at least that of the number of messages above any one threshold.
    """
    return max(_above(n, threshold) for threshold in range(4, 14))


def _above(n: int, threshold: int) -> Fraction:
    def row(epsilon: Fraction, x: int) -> tuple[Exact, Exact]:
        mass = Exact.exp(-epsilon * (threshold - x)) / 2
        return mass, 1 - mass

    others = ((row(_USUAL, 0), n - 2), (row(_MOST, 0), 1))
    seen = ScoreSum(row(_LEAST, 1), row(_LEAST, 0), others)
    return seen.delta(_ASKED, relative_width="1e-9").lower
