"""Integer noise with a log-concave law in a problem file, with its parameter or without."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from msgspec import UNSET, UnsetType

from exactdp.divergences import PrivacyProfile
from exactdp.divergences.families import Family, families_of
from exactdp.errors import ParseError
from exactdp.mechanisms import modular_noise
from exactdp.problems.laws import OpenParameter, located
from exactdp.problems.sampling import SampledLaw
from exactdp.problems.values import (
    HERE,
    Size,
    Steps,
    Strict,
    arguments_of,
)

__all__ = ["IntegerNoiseLaw", "Shifts"]


class Shifts(Strict, frozen=True, kw_only=True):
    """The sensitivity of a query of several integers.

    Attributes:
        dimensions: Its number of integers, each with noise of its own.
        l1: The largest sum of the absolute changes.
        l2_squared: The largest sum of their squares.
        linf: The largest absolute change of one integer.
    """

    dimensions: Steps
    l1: Steps | UnsetType = UNSET
    l2_squared: Steps | UnsetType = UNSET
    linf: Steps | UnsetType = UNSET

    def __post_init__(self) -> None:
        if {self.l1, self.l2_squared, self.linf} == {UNSET}:
            raise ParseError(f"{HERE} bounds no change. Give it l1, l2_squared or linf.")


class IntegerNoiseLaw(SampledLaw, frozen=True, kw_only=True):
    """Noise of which one parameter may be left out, to ask for the smallest.

    ``sensitivity`` is an integer, or says how far a query of several integers moves; with
    ``modulus``, results are taken modulo that.
    """

    sensitivity: Steps | Shifts = 1
    modulus: Size | UnsetType = UNSET

    mechanism: ClassVar[Callable[..., Any]]

    def noise(self, path: str) -> PrivacyProfile | None:
        """Return the noise of the worst change of the query; None if a parameter is left out."""
        with located(path):
            return None if self.left_out else self._made(self.arguments())

    def _made(self, arguments: Mapping[str, Any]) -> PrivacyProfile:
        """Return the profile of the worst change of the query, modulo the given number."""

        def shifted(size: int) -> PrivacyProfile:
            noise = self.mechanism(**{**arguments, "sensitivity": size})
            return modular_noise(noise, modulus=self.modulus) if self.modulus else noise

        if isinstance(self.sensitivity, int):
            return shifted(self.sensitivity)
        from exactdp.accounting import worst_shift

        return worst_shift(shifted, **arguments_of(self.sensitivity))

    def open_parameters(self) -> Mapping[str, OpenParameter]:
        """Return the parameter that is left out, if one is."""
        if self.left_out is None:
            return super().open_parameters()
        argument = families_of(self.mechanism)[self.left_out].argument
        family = Family(self._with, self.left_out, argument=argument).both_directions()
        return {self.left_out: OpenParameter.of(family, note=None)}

    def _with(self, **parameter: Any) -> PrivacyProfile:
        """Return the profile with the parameter that is left out."""
        with located("$"):
            return self.on_batch(self._made({**self.arguments(), **parameter}))
