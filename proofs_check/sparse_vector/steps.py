"""Why noise on a threshold and on answers costs what it does, in steps.

Definitions: :data:`SHIFTED`, :data:`ONE_SIDED`.
"""

from __future__ import annotations

from exactdp.audit.algebra import follows, identity, nonnegative
from exactdp.claims.proofs import words

__all__ = ["ONE_SIDED", "SHIFTED"]

TAILS = (
    words(
        "T = 0. A report has the probability of the integral over x of the density of the noise on "
        "the threshold, f(x/b1)/b1, times F((x - q)/b2) for each answer q below and "
        "1 - F((x - q)/b2) for each above, F the distribution function of Laplace noise of scale 1"
    ),
    follows(
        "its tail at y is at most e^s times that at y + s, s >= 0 (1 + w for e^s, u for e^y): "
        "where y + s <= 0, so that u <= 1 and u e^s <= 1",
        "u w",
        lambda u, w: (1 + w) * (1 - u * (1 + w) / 2) - (1 - u / 2),
        lambda u, w: [(w / 2, 1 - u), (w / 2, 1 - u * (1 + w))],
    ),
    nonnegative(
        "where y <= 0 <= y + s (1 + t for e^(-y)): e^s times the tail at y + s is e^(-y)/2",
        "t",
        lambda t: (1 + t) / 2 - (1 - 1 / (2 * (1 + t))),
    ),
    identity(
        "where y >= 0 both are equal",
        "u v",
        lambda u, v: (1 / (2 * u), v * (1 / (2 * u * v))),
    ),
    words("and f(y) is at most e^|s| f(y + s), as | |y + s| - |y| | <= |s|"),
)
"""What both proofs below rest on."""

SHIFTED = (
    *TAILS,
    words(
        "Put x - 1 for x: f costs e^(1/b1). An answer below has F((x - 1 - q)/b2), at most "
        "F((x - q')/b2) of its neighbor q' <= q + 1; one above has 1 - F((x - 1 - q)/b2), at most "
        "e^(2/b2) (1 - F((x - q')/b2)), as q' >= q - 1"
    ),
    words("At most c answers are above: together e^(1/b1 + 2c/b2)"),
)
"""For answers that differ by at most 1 each."""

ONE_SIDED = (
    *TAILS,
    words(
        "Where all q' >= q, put x - 1 for x: f costs e^(1/b1), an answer below nothing, as above, "
        "and one above e^(1/b2), as x - q' <= x - 1 - q + 1"
    ),
    words(
        "Where all q' <= q, leave x: F((x - q)/b2) <= F((x - q')/b2), and "
        "1 - F((x - q)/b2) <= e^(1/b2) (1 - F((x - q')/b2))"
    ),
    words("At most c answers are above: together e^(1/b1 + c/b2)"),
)
"""For answers that differ by at most 1 each, all in one direction."""
