"""Laplace noise on random data in a problem file: two mixtures, or a multi-user system.

Definitions: :class:`LaplaceMixture`, :class:`Pufferfish` and their members.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from exactdp.errors import ParseError
from exactdp.problems.strict_json import path_of_key
from exactdp.problems.values import (
    HERE,
    Input,
    Rational,
    Strict,
    check_law,
    check_positive,
    check_rational_keys,
    short,
)

__all__ = ["LaplaceMixture", "Pufferfish", "ReportingUser", "ScaleValue", "SecretValue"]


class ScaleValue(Strict, frozen=True, kw_only=True):
    """The scale of Laplace noise: {"rational": "2"}, or {"inverse_log": "3"} (e^(1/scale) = 3)."""

    rational: Rational | UnsetType = UNSET
    inverse_log: Rational | UnsetType = UNSET

    def __post_init__(self) -> None:
        if (self.rational is UNSET) == (self.inverse_log is UNSET):
            raise ParseError(
                f"{HERE} is no scale: it needs exactly one of the keys. "
                'Write {"rational": "2"}, or {"inverse_log": "3"} (e^(1/scale) = 3).'
            )
        check_positive(self, "rational")
        if isinstance(self.inverse_log, Rational) and self.inverse_log.value <= 1:
            raise ParseError(
                f"{HERE}.inverse_log={short(self.inverse_log)} must be above 1: it is e^(1/scale)."
            )


class LaplaceMixture(Strict, frozen=True, kw_only=True, tag_field="kind", tag="laplace_mixture"):
    """Laplace noise added to data of either of two laws, {point: mass}.

    Without ``scale``, only the smallest scale for a target epsilon can be asked.
    """

    p: dict[str, Rational]
    q: dict[str, Rational]
    scale: ScaleValue | UnsetType = UNSET

    def __post_init__(self) -> None:
        for name in ("p", "q"):
            _check_points(getattr(self, name), f"{HERE}.{name}")


class ReportingUser(Strict, frozen=True, kw_only=True):
    """A user who is present with a probability, and then reports a value of a law."""

    law: dict[str, Rational]
    presence: Rational | UnsetType = UNSET

    def __post_init__(self) -> None:
        _check_points(self.law, f"{HERE}.law")
        if isinstance(self.presence, Rational) and not 0 <= self.presence.value <= 1:
            raise ParseError(
                f"{HERE}.presence={short(self.presence)} is not a probability. "
                "Give a number from 0 to 1."
            )


class SecretValue(Strict, frozen=True, kw_only=True):
    """What a user may hide: {"value": 3}, {"absent": true}, or {"law": {...}}."""

    value: Rational | UnsetType = UNSET
    absent: Literal[True] | UnsetType = UNSET
    law: dict[str, Rational] | UnsetType = UNSET

    def __post_init__(self) -> None:
        if [self.value, self.absent, self.law].count(UNSET) != 2:
            raise ParseError(
                f"{HERE} is no secret: it needs exactly one of the keys value, absent and law."
            )
        if self.law is not UNSET:
            _check_points(self.law, f"{HERE}.law")


class Pufferfish(Strict, frozen=True, kw_only=True, tag_field="kind", tag="pufferfish"):
    """The sum of what independent users report, and a pair of secrets about one of them.

    ``user`` is an index from 0. ``others`` says whether the laws given a secret suppose
    that all other users are present, or leave their presence to chance.
    """

    users: Annotated[list[ReportingUser], Meta(min_length=1, description="Give at least one user.")]
    user: Input
    secrets: Annotated[
        tuple[SecretValue, SecretValue], Meta(description="Give both secrets of the pair.")
    ]
    others: Literal["all_present", "present_at_random"] = "present_at_random"
    scale: ScaleValue | UnsetType = UNSET

    def __post_init__(self) -> None:
        if self.user >= len(self.users):
            raise ParseError(
                f"{HERE}.user={self.user} is no index of {len(self.users)} users, from 0 on."
            )


def _check_points(law: dict[str, Rational], path: str) -> None:
    check_rational_keys(law, path)
    for point, mass in law.items():
        if mass.value < 0:
            raise ParseError(
                f"{path_of_key(path, point)}={short(mass)} is negative. A mass is at least 0."
            )
    check_law(list(law.values()), path)
