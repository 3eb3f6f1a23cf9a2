"""What every law of a problem file has: a profile, or a parameter to be found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from flint import fmpq

from exactdp.divergences.profile import PrivacyProfile
from exactdp.errors import ExactDPError
from exactdp.numbers import Enclosure, Epsilon, RationalLike, Rounding
from exactdp.problems.values import Strict

__all__ = ["Law", "OpenParameter", "located"]


@dataclass(frozen=True, slots=True)
class OpenParameter:
    """A parameter that a law leaves out, to be found for a target (ε, δ).

    Attributes:
        solve: Returns an enclosure of its extreme value that meets ε and δ (0 for a target
            without one), of a relative width.
        safe: The direction in which other values meet the target too.
        needs_delta: Whether a target has a δ.
        note: What the value found does not show of a mechanism; None if nothing is open.
    """

    solve: Callable[[Epsilon, fmpq, RationalLike], Enclosure]
    safe: Rounding = Rounding.UP
    needs_delta: bool = True
    note: str | None = None


class Law(Strict, frozen=True, kw_only=True, tag_field="kind"):
    """What is asked about. Every object refuses unknown keys, and is told apart by its kind."""

    def profile(self, path: str) -> PrivacyProfile | None:
        """Return the profile that the file means; None if it leaves out a parameter.

        Raises:
            DomainError: If the law makes no sense; the message begins with the path.
            TooLargeError: If it is too large.
        """
        raise NotImplementedError

    def part(self, path: str) -> PrivacyProfile | None:
        """Return what a composition takes; None if it takes no such law."""
        return self.profile(path)

    def open_parameters(self) -> Mapping[str, OpenParameter]:
        """Return what can be asked for, by name, where the law leaves out a parameter."""
        return {}

    def note(self) -> str | None:
        """Return what the profile does not show of a mechanism; None if nothing is open."""
        profile = self.profile("$")
        return None if profile is None else profile.note

    def is_lower_bound(self) -> bool:
        """Return whether messages were merged with loss on request."""
        return False


@contextmanager
def located(path: str) -> Iterator[None]:
    """Put the path before the message of an error that does not name one."""
    try:
        yield
    except ExactDPError as error:
        if str(error).startswith("$"):
            raise
        raise type(error)(f"{path}: {error}") from None
