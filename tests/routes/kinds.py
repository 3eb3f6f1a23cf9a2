"""The questions to a profile of some kind, and the small laws that several kinds share."""

from collections.abc import Callable
from dataclasses import dataclass

from exactdp.divergences import Pair, PrivacyProfile
from exactdp.mechanisms import (
    Randomizer,
    discrete_laplace_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    randomized_response,
)
from exactdp.numbers import Epsilon, Exact, log

LN2, LN3, ONE = Epsilon.log(2), Epsilon.log(3), Epsilon.rational(1)


@dataclass(frozen=True)
class Kind:
    """A profile, and what is asked of it.

    Attributes:
        make: Builds it.
        top: Its largest finite loss; None if losses are unbounded, ... if nobody has found it.
        width: The relative width that is asked, and reached.
        far: Whether δ is known right beside the largest loss: by a formula, or exactly.
        gap: Of two bounds, how far apart they are at most, over the lower one.
        at: Where δ is asked, in nats, if not at shares of the largest loss.
    """

    make: Callable[[], PrivacyProfile]
    top: Epsilon | Exact | None = ...
    width: str = "1e-9"
    far: bool = False
    gap: str = "0"
    at: tuple[str, ...] = ()


@dataclass(frozen=True)
class OnlyDelta(PrivacyProfile):
    """A profile of which only δ is known: everything else comes from it."""

    inner: PrivacyProfile

    def delta(self, epsilon, *, relative_width=None):
        return self.inner.delta(epsilon, relative_width=relative_width)

    def max_divergence(self):
        return self.inner.max_divergence()

    def loss_bound(self):
        return self.inner.loss_bound()

    def infinity_mass(self):
        return self.inner.infinity_mass()

    def reversed(self):
        return OnlyDelta(self.inner.reversed())


COIN = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
LEAKY = Pair.from_masses(["1/10", "6/10", "3/10"], [0, "3/10", "7/10"])
E = Exact.exp(1)
WITH_E = Pair.from_masses([E / (1 + E), 1 / (1 + E)], ["1/3", "2/3"])
HALF = Randomizer.from_matrix([["1/2", "1/2"], [0, 1]])
RR = randomized_response(2, LN3)
RR3 = randomized_response(3, LN3)
LEAKY_ROWS = Randomizer.from_matrix([["1/2", "1/4", "1/4", 0], ["1/4", "1/2", 0, "1/4"]])
UNEVEN = Randomizer.from_matrix([["1/2", "1/3", "1/6"], ["1/4", "1/4", "1/2"]])
LAPLACE, REAL = laplace_mechanism(scale=1), laplace_mechanism(scale=log(3))
GAUSSIAN = gaussian_mechanism(sigma=1)
BITS = discrete_laplace_mechanism(rate=LN2)
