"""Steps of proofs that algebra decides: true ones hold, nearby false ones do not."""

import pytest

from exactdp.audit.algebra import follows, identity, nonnegative, on_box
from exactdp.errors import DomainError


@pytest.mark.parametrize(
    ("step", "holds"),
    [
        (identity("", "a b", lambda a, b: ((a + b) ** 2, a * a + 2 * a * b + b * b)), True),
        (identity("", "a b", lambda a, b: ((a + b) ** 2, a * a + b * b)), False),
        (identity("", "a", lambda a: (a / (1 + a), 1 - 1 / (1 + a))), True),
        (nonnegative("", "t", lambda t: (1 + t) ** 3 - 1), True),
        (nonnegative("", "t", lambda t: t / (1 + t) - t), False),
        (nonnegative("", "t", lambda t: (-t) / (-1 - t)), True),
        (nonnegative("", "t", lambda t: t * t - t + 1), False),
        (
            follows(
                "", "u v t", lambda u, v, t: (1 + t) * (v - u), lambda u, v, t: [(1 + t, v - u)]
            ),
            True,
        ),
        (follows("", "u v t", lambda u, v, t: t * v - v, lambda u, v, t: [(t - 1, v)]), False),
        (
            follows(
                "",
                "a b c e d",
                lambda a, b, c, e, d: e * c + d - a,
                lambda a, b, c, e, d: [(1, e * b + d - a), (e, c - b)],
            ),
            True,
        ),
        (
            follows(
                "",
                "a b c e d",
                lambda a, b, c, e, d: c + d - a,
                lambda a, b, c, e, d: [(1, e * b + d - a), (e, c - b)],
            ),
            False,
        ),
        (on_box("", lambda f, *, x: f.exp(x) - 1 - x, {"x": (0, 1)}), True),
        (on_box("", lambda f, *, x: 1 + x - f.exp(x), {"x": (0, 1)}), False),
    ],
)
def test_steps(step, holds):
    assert step.check() is holds


@pytest.mark.parametrize(
    "step",
    [
        identity("", "a", lambda a: (a + a, a + a)),
        follows("", "a b", lambda a, b: a - b, lambda a, b: [(1, a - b)]),
    ],
)
def test_what_cannot_fail_is_no_step(step):
    with pytest.raises(DomainError):
        step.check()
