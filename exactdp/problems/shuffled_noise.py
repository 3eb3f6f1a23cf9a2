"""Shuffled reports with noise in a problem file: the worst data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET

from exactdp.divergences.profile import PrivacyProfile
from exactdp.errors import ParseError
from exactdp.mechanisms import GaussianMechanism, LaplaceMechanism
from exactdp.problems.described import noise_of
from exactdp.problems.laws import Law, SideNames, located
from exactdp.problems.sampling import SampledLaw
from exactdp.problems.shuffled import OF_ALL_DATA
from exactdp.problems.values import HERE, Copies
from exactdp.shuffle import shuffle_worst_case

__all__ = ["ShuffledNoise"]

if TYPE_CHECKING:
    _Noise = SampledLaw
else:
    _Noise = noise_of("shuffles")


class ShuffledNoise(Law, frozen=True, kw_only=True, tag="shuffled_noise"):
    """The worst case of n shuffled reports x + noise, of values between 0 and the sensitivity.

    Answers lie between certified ends of different origin, ``lower_by`` and ``upper_by``, and say
    how far these are apart, ``gap``.
    """

    n: Copies
    report: _Noise

    def __post_init__(self) -> None:
        if self.report.sampling is not UNSET:
            raise ParseError(f"{HERE}.report has sampling. Leave it out: all users report.")

    def profile(self, path: str) -> PrivacyProfile:
        """Return the worst case between its two ends."""
        report = self.report.part(f"{path}.report")
        if not isinstance(report, GaussianMechanism | LaplaceMechanism):
            raise ParseError(f"{path}.report has no scale. Give it all its parameters.")
        with located(path):
            return shuffle_worst_case(self.n, report)

    def sides(self) -> SideNames:
        """Return whose inputs differ."""
        return OF_ALL_DATA
