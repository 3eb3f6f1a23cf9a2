"""Laplace noise on random data in a problem file: two mixtures, or a multi-user system."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Literal

from flint import fmpq
from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import asdict

from exactdp.distributions import FinitePmf
from exactdp.divergences.profile import enclosed
from exactdp.errors import ParseError
from exactdp.numbers import Enclosure, Epsilon, Exact, RationalLike, rational
from exactdp.problems.laws import Law, OpenParameter, SideNames, located
from exactdp.problems.values import (
    HERE,
    Input,
    Mass,
    Positive,
    Probability,
    Rational,
    Strict,
    check_one_key,
    check_sum,
)
from exactdp.pufferfish import (
    LaplaceMixturePair,
    LaplaceScale,
    MultiUserSystem,
    Others,
    Secret,
    User,
    line_law,
    smallest_scale,
    smallest_scale_over_systems,
    wasserstein_infinity,
)

__all__ = ["LaplaceMixture", "Pufferfish"]

LawOnLine = dict[str, Mass]
_Laws = tuple[FinitePmf[Fraction], FinitePmf[Fraction]]


class InverseLog(Rational, allows=lambda x: x > 1, rule="must be above 1: it is e^(1/scale)."):
    """A number above 1."""


class ScaleValue(Strict, frozen=True, kw_only=True):
    """The scale of Laplace noise: {"rational": "2"}, or {"inverse_log": "3"} (e^(1/scale) = 3)."""

    rational: Positive | UnsetType = UNSET
    inverse_log: InverseLog | UnsetType = UNSET

    def __post_init__(self) -> None:
        form = 'Write {"rational": "2"}, or {"inverse_log": "3"} (e^(1/scale) = 3).'
        check_one_key("a scale", self.rational, self.inverse_log, form=form)

    @property
    def value(self) -> LaplaceScale:
        """The scale."""
        if isinstance(self.inverse_log, InverseLog):
            return LaplaceScale(Fraction(1), Epsilon.log(self.inverse_log.number))
        assert isinstance(self.rational, Positive)
        return LaplaceScale.rational(self.rational.value)


class _LaplaceNoise(Law, frozen=True, kw_only=True):
    """Laplace noise added to data of either of two laws, or the scales that meet a target."""

    @abstractmethod
    def laws(self) -> _Laws:
        """Return the laws of the data."""

    def profile(self, path: str) -> LaplaceMixturePair | None:
        with located(path):
            laws = self.laws()
            scale = asdict(self)["scale"]
            return None if scale is UNSET else LaplaceMixturePair(*laws, scale.value)

    def open_parameters(self) -> Mapping[str, OpenParameter]:
        laws = self.laws()

        def smallest(epsilon: Epsilon, _: Exact, width: RationalLike) -> Enclosure:
            return smallest_scale([laws], epsilon=epsilon, relative_width=width)

        def transport(epsilon: Epsilon, _: Exact, width: RationalLike) -> Enclosure:
            distance = wasserstein_infinity(*laws)
            if distance == 0:
                return Enclosure(Fraction(0), Fraction(0))
            return enclosed(Exact(distance) / epsilon.nats, width)

        return {
            "scale": OpenParameter(smallest, needs_delta=False),
            "transport_scale": OpenParameter(transport, needs_delta=False),
        }


class LaplaceMixture(_LaplaceNoise, frozen=True, kw_only=True, tag="laplace_mixture"):
    """Laplace noise added to data of either of two laws, {point: mass}.

    Without ``scale``, only the smallest scale for a target epsilon can be asked.
    """

    p: LawOnLine
    q: LawOnLine
    scale: ScaleValue | UnsetType = UNSET

    def __post_init__(self) -> None:
        _check_points(self.p, ".p")
        _check_points(self.q, ".q")

    def sides(self) -> SideNames:
        """Return the noisy laws."""
        return SideNames(
            p="data of law p, plus noise",
            q="data of law q, plus noise",
            neighbors="whatever p and q are the laws of",
        )

    def laws(self) -> _Laws:
        """Return both laws."""
        return _law_on_line(self.p), _law_on_line(self.q)


class ReportingUser(Strict, frozen=True, kw_only=True):
    """A user who is present with a probability, and then reports a value of a law."""

    law: LawOnLine
    presence: Probability | UnsetType = UNSET

    def __post_init__(self) -> None:
        _check_points(self.law, ".law")


class SecretValue(Strict, frozen=True, kw_only=True):
    """A value that a user may hide: {"value": 3}, {"absent": true}, or {"law": {...}}."""

    value: Rational | UnsetType = UNSET
    # Literal[True] is more than msgspec reads before its version 0.22.
    absent: Annotated[bool, Meta(extra_json_schema={"enum": [True]})] | UnsetType = UNSET
    law: LawOnLine | UnsetType = UNSET

    def __post_init__(self) -> None:
        if self.absent is False:
            raise ParseError(f"{HERE}.absent=false is not known. Use true.")
        form = "Write value, absent or law."
        check_one_key("a secret", self.value, self.absent, self.law, form=form)
        if self.law is not UNSET:
            _check_points(self.law, ".law")

    @property
    def secret(self) -> Secret:
        """The secret."""
        if isinstance(self.value, Rational):
            return Secret.value(self.value.value)
        return Secret.absent() if self.law is UNSET else Secret.follows(_law_on_line(self.law))


class Pufferfish(_LaplaceNoise, frozen=True, kw_only=True, tag="pufferfish"):
    """The sum of independent users' contributions, and a pair of secrets about one of them.

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
                f"{HERE}.user={self.user} is not the index of one of {len(self.users)} users, "
                "from 0 on. Give a smaller one."
            )

    def sides(self) -> SideNames:
        """Return the noisy sums given the secrets."""
        return SideNames(
            p="the sum given the first secret, plus noise",
            q="the sum given the second secret, plus noise",
            neighbors="the pair of secrets of the user",
        )

    def laws(self) -> _Laws:
        """Return the laws of the sum given the secrets."""
        users = [
            User(_law_on_line(u.law), presence=1 if u.presence is UNSET else u.presence.value)
            for u in self.users
        ]
        first, second = (secret.secret for secret in self.secrets)
        return MultiUserSystem(users, Others(self.others)).pair(self.user, first, second)

    def open_parameters(self) -> Mapping[str, OpenParameter]:
        """Return the scales, also that for all systems."""
        first, second = (secret.secret for secret in self.secrets)

        def over_systems(epsilon: Epsilon, _: Exact, width: RationalLike) -> Enclosure:
            return smallest_scale_over_systems(first, second, epsilon=epsilon, relative_width=width)

        every = OpenParameter(over_systems, needs_delta=False)
        return {**super().open_parameters(), "scale_over_systems": every}


def _law_on_line(law: LawOnLine) -> FinitePmf[Fraction]:
    return line_law({rational(point): mass.value for point, mass in law.items()})


def _check_points(law: LawOnLine, name: str) -> None:
    """Refuse points that are not numbers or are written twice, and masses that do not sum to 1."""
    seen: dict[fmpq, str] = {}
    for key in law:
        point = rational(key, name=f"{HERE}{name}: the point")
        if point in seen:
            raise ParseError(
                f'{HERE}{name}: "{seen[point]}" and "{key}" are one point. Add their masses.'
            )
        seen[point] = key
    check_sum(law.values(), f"{HERE}{name}")
