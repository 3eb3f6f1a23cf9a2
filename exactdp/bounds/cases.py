"""Deployments of a published bound, for tests of anybody's implementation of it.

    from exactdp.bounds import bound_cases
    from exactdp.testing import assert_never_below_truth

    @given(bound_cases("feldman2021/theorem-3.1"))
    def test_mine(case):
        assert_never_below_truth(mine(**case.arguments), case.truth, at=case)

Definitions: :class:`BoundCase`, :func:`bound_cases`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from exactdp.bounds.bound import PublishedBound
from exactdp.bounds.deployments import drawn_arguments
from exactdp.bounds.papers import published
from exactdp.bounds.targets import Asked
from exactdp.numbers import Exact, Real

__all__ = ["BoundCase", "bound_cases"]


@dataclass(frozen=True)
class BoundCase:
    """A bound at arguments that doubles hold.

    Attributes:
        bound: The bound.
        at: The arguments, as exact numbers.
    """

    bound: PublishedBound
    at: Mapping[str, Any]

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments, as an implementation takes them: ints and doubles."""
        return {name: x if isinstance(x, int) else float(x) for name, x in self.at.items()}

    @cached_property
    def truth(self) -> Asked:
        """The number that an implementation must not be below (above, of a lower bound).

        What some protocol certainly needs; where the worst case is one number, that number.
        """
        return self.bound.target_at(self.at).nearest(self.bound.side)

    @cached_property
    def formula(self) -> Exact | Real:
        """The formula's value: an implementation on the wrong side of it has rounded."""
        return self.bound.formula_at(self.at)

    @property
    def safe(self) -> float:
        """A double on the bound's side of the formula."""
        return self.bound.safe_at(self.at)

    def __repr__(self) -> str:
        at = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        return f"<{self.bound.claim} at {at}>"


def bound_cases(name: str | PublishedBound) -> Any:
    """Return the hypothesis strategy of a bound's deployments, its hypotheses met.

    Args:
        name: The bound, or its name.

    Raises:
        DomainError: If there is none of that name.

    Example:
        >>> from hypothesis import find
        >>> case = find(bound_cases("feldman2021/theorem-3.1"), lambda case: case.at["n"] > 100)
        >>> list(case.arguments), case.safe >= 0
        (['n', 'epsilon0', 'delta'], True)
    """
    bound = published(name) if isinstance(name, str) else name
    return drawn_arguments(bound).map(lambda at: BoundCase(bound, at))
