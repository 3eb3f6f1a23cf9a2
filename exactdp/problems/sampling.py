"""Noise on batches in a problem file: how they are drawn, and the neighboring relation."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Annotated, Any, ClassVar, Literal

from msgspec import UNSET, Meta, UnsetType

from exactdp.accounting import NeighborRelation
from exactdp.divergences.description import description_of
from exactdp.divergences.families import Family
from exactdp.divergences.profile import PrivacyProfile
from exactdp.errors import ParseError
from exactdp.numbers import Exact, RationalLike
from exactdp.numbers.crossing import Slope
from exactdp.numbers.limits import MAX_OUTCOMES_OF_NOISE
from exactdp.problems.laws import MechanismLaw, OpenParameter, SideNames, located
from exactdp.problems.values import HERE, Probability, Steps, Strict

__all__ = ["SampledLaw", "Sampling"]


class Sampling(Strict, frozen=True, kw_only=True):
    """The drawing of a batch, and the neighboring relation.

    Attributes:
        sampling_probability: Each record is in the batch with this probability, independently: a
            Poisson sample.
        without_replacement: The size of a batch, and of the data; all batches are equally
            likely. Composed, the answer is an upper bound.
        neighbors: A record is in or out, or ("substitution", always for without_replacement)
            one is replaced by another. The sensitivity is that of one record in or out.
    """

    old_keys: ClassVar[Mapping[str, str]] = {"poisson": "sampling_probability"}

    sampling_probability: Probability | UnsetType = UNSET
    without_replacement: Annotated[list[Steps], Meta(min_length=2, max_length=2)] | UnsetType = (
        UNSET
    )
    neighbors: NeighborRelation | UnsetType = UNSET

    def __post_init__(self) -> None:
        if not isinstance(self.without_replacement, list):
            if self.sampling_probability is UNSET and self.neighbors is UNSET:
                raise ParseError(
                    f"{HERE} says nothing. Give it a sampling_probability, or without_replacement "
                    "two sizes."
                )
            return
        batch, records = self.without_replacement
        if self.sampling_probability is not UNSET:
            raise ParseError(
                f"{HERE} has a sampling_probability and without_replacement. Give one of them."
            )
        if batch > records:
            raise ParseError(
                f"{HERE}.without_replacement: a batch of {batch} from {records} records is too "
                "large. Give the size of a batch, then that of the data."
            )
        if self.neighbors == "add_or_remove":
            raise ParseError(
                f'{HERE}.neighbors="add_or_remove" changes the number of records, which '
                'without_replacement fixes. Give "substitution", or leave it out.'
            )

    @property
    def replaces(self) -> bool:
        """True if a neighbor has another record in place of one."""
        return isinstance(self.without_replacement, list) or self.neighbors == "substitution"

    @property
    def rate(self) -> Fraction | Exact | None:
        """The probability that a record is in a batch; None if it is to be found."""
        if isinstance(self.without_replacement, list):
            return Fraction(*self.without_replacement)
        share = self.sampling_probability
        return share.number if isinstance(share, Probability) else None

    def of(
        self, noise: PrivacyProfile, sampling_probability: Exact | RationalLike
    ) -> PrivacyProfile:
        """Return a mechanism on a batch."""
        from exactdp.accounting import sampled

        if isinstance(self.without_replacement, list):
            return sampled(
                noise,
                sampling_probability=sampling_probability,
                neighbors="substitution",
                batches="fixed_size",
            )
        neighbors = "add_or_remove" if self.neighbors is UNSET else self.neighbors
        return sampled(noise, sampling_probability=sampling_probability, neighbors=neighbors)


_SHARE = "sampling_probability"
_FIRST_RATE = Fraction(1, 100)
"""The first sampling probability that is tried."""


class SampledLaw(MechanismLaw, frozen=True, kw_only=True):
    """Noise, on a random batch if ``sampling`` says so; P is then the law with the record.

    With ``"sampling": "poisson"``, or only ``neighbors``, only the largest sampling probability
    for a target can be asked.
    """

    sampling: Sampling | Literal["poisson"] | UnsetType = UNSET

    def noise(self, path: str) -> PrivacyProfile | None:
        """Return the noise itself; None if it leaves out its parameter."""
        return super().profile(path)

    def profile(self, path: str) -> PrivacyProfile | None:
        """Return the noise, on its batch if there is one; None if a parameter is left out."""
        noise, sampling = self.noise(path), self._sampling()
        if sampling is None:
            return self._short(noise)
        if sampling.rate is None:
            if noise is None:
                raise ParseError(
                    f"{path} leaves out both a parameter and the sampling probability. Give one."
                )
            return None
        with located(path):
            return None if noise is None else sampling.of(noise, sampling.rate)

    def sides(self) -> SideNames:
        """Return those of the noise, or of a record in the data of which a batch is drawn."""
        if self.sampling is UNSET:
            return self.side_names
        if isinstance(self.sampling, Sampling) and self.sampling.replaces:
            return SideNames(
                p="the noise of the sample, with the record in the data",
                q="the same with another record in its place",
                neighbors="one record is replaced by another",
            )
        return SideNames(
            p="the noise of the sample, with the record in the data",
            q="the same without the record",
            neighbors="one record is added or removed",
        )

    def open_parameters(self) -> Mapping[str, OpenParameter]:
        """Return the parameter of the noise, or the rate, whichever is left out."""
        if self.sampling is UNSET:
            return super().open_parameters()
        families = self.families().items()
        return {name: OpenParameter.of(family, note=family.note) for name, family in families}

    def families(self) -> Mapping[str, Family]:
        """Return the same for a composition."""
        sampling = self._sampling()
        if sampling is not None and sampling.rate is None:
            noise = self.noise("$")
            return {} if noise is None else {_SHARE: self._of_rate(noise, sampling)}
        is_open = description_of(self.mechanism).is_composed_open
        family = self.family() if is_open(self.arguments()) else None
        return {} if family is None else {family.parameter: family.within(self.on_batch)}

    def _of_rate(self, noise: PrivacyProfile, sampling: Sampling) -> Family:
        """Return the noise on batches of all rates."""
        return Family(
            partial(sampling.of, noise),
            _SHARE,
            slope=Slope.GROWING,
            at_most=Fraction(1),
            first=lambda epsilon, delta: _FIRST_RATE,
        )

    def on_batch(self, noise: PrivacyProfile) -> PrivacyProfile:
        """Return a noise on the batch, if there is one of a given rate."""
        sampling = self._sampling()
        if sampling is None or sampling.rate is None:
            return noise
        return sampling.of(noise, sampling.rate)

    def _short(self, noise: Any) -> PrivacyProfile | None:
        """Return noise as one finite pair, exactly, where that is short."""
        is_pair = noise is not None and description_of(self.mechanism).is_pair
        is_short = is_pair and noise.sensitivity <= MAX_OUTCOMES_OF_NOISE
        found: PrivacyProfile | None = noise.pair() if is_short else noise
        return found

    def _sampling(self) -> Sampling | None:
        if isinstance(self.sampling, Sampling):
            return self.sampling
        return Sampling(neighbors="add_or_remove") if self.sampling == "poisson" else None
