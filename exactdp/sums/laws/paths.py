r"""A loss density along a parameter, and its transform by Gauss's rule, with bounds from balls.

For x between two ends, and in boxes of complex x around them, a path gives the loss ℓ(x), which
rises, ln g(x), where g dx is what P has, and ln ℓ'(x). The transform is

    M(λ + iω) = ∫ g e^((λ + iω)ℓ) dx.

On a panel the B of ``clouds`` is taken over the box around the ellipse: there the modulus of the
integrand is at most the supremum of e^(Re(ln g + λℓ) + |ω Im ℓ|), as a ball. A function that is not
analytic in a box has no finite value there; panels are halved until all have.

Against ℓ the tilted density is b = g e^(λℓ)/ℓ', with b' = b(λℓ' + f'), f = ln g − ln ℓ'. With A the
supremum of Re f within R of x, |f'(x)| <= 2(A − Re f(x))/R (Carathéodory's inequality), and the
integral of |b'| bounds what b varies by between the ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import log

from flint import acb, arb

from exactdp.errors import TooLargeError
from exactdp.sums.laws.clouds import RHO, Cloud, Panel, Transform, gauss_on

__all__ = ["Path", "PathQuadrature", "before_sampling"]

_STEEP = 48.0
"""Nats by which an integrand may be larger in a box than in its middle: 17 nodes more or so.

A panel where it is steeper is halved."""

_HALVINGS = 40
"""Halvings of a panel, and of the R of the header, before a density is called too steep."""

_CELLS = 4_096
"""Boxes in which the variation of a density is bounded, at most: they limit the time it takes."""


@dataclass(frozen=True, slots=True)
class Path:
    """The density of P along a parameter x; see the header.

    Attributes:
        low: The least x, at the working precision.
        high: The largest x.
        at: The loss, ln g and ln ℓ' in a box of x; not finite where they are not analytic.
        place: The x of a loss; of the losses themselves by default.
    """

    low: arb
    high: arb
    at: Callable[[acb], tuple[acb, acb, acb]]
    place: Callable[[arb], arb] = lambda loss: loss

    def above(self, loss: arb) -> Path:
        """Return the part of the path whose losses are above a number; an empty one at an end."""
        return replace(self, low=self.place(loss).max(self.low).min(self.high))

    def moved(self, factor: arb, shift: arb, *, is_turned: bool) -> Path:
        """Return that of ℓ less a number, P and Q times a positive factor.

        If it is turned that of −ℓ, along −x: what Q has is e^(−ℓ) g.
        """
        sign, more = -1 if is_turned else 1, factor.log()
        low, high = (-self.high, -self.low) if is_turned else (self.low, self.high)

        def at(x: acb) -> tuple[acb, acb, acb]:
            loss, log_mass, log_slope = self.at(sign * x)
            mass = log_mass - loss if is_turned else log_mass
            return sign * loss - shift, mass + more, log_slope

        return Path(low, high, at, lambda loss: sign * self.place(sign * (loss + shift)))

    def subsampled(self, q: arb) -> Path:
        """Return that of ℓ' = ln(1 − q + q e^ℓ): P' has e^(ℓ' − ℓ) g, and dℓ'/dℓ = q e^(ℓ − ℓ')."""

        def at(x: acb) -> tuple[acb, acb, acb]:
            loss, log_mass, log_slope = self.at(x)
            mixed = 1 - q + q * loss.exp()
            if not mixed.real > 0:
                return acb("nan"), acb("nan"), acb("nan")
            image = mixed.log()
            return image, log_mass + image - loss, log_slope + q.log() + loss - image

        def place(image: arb) -> arb:
            loss = before_sampling(image, q)
            return self.low if loss is None else self.place(loss)

        return replace(self, at=at, place=place)


def before_sampling(image: arb, q: arb) -> arb | None:
    """Return the ℓ of ℓ' = ln(1 − q + q e^ℓ), or None for an ℓ' below all of them."""
    rest = image.expm1() + q  # e^ℓ' − 1 + q, without cancellation of the 1
    return None if rest <= 0 else (rest / q).log()


@dataclass(frozen=True, slots=True)
class PathQuadrature(Transform):
    """The transform of the density of P along a path.

    Attributes:
        path: Gives the path at the working precision.
    """

    path: Callable[[], Path]

    def cloud(self, tilt: arb, omega: arb, *, accuracy_bits: int) -> Cloud:
        """Return the nodes of Gauss's rule on panels of the path."""
        path = self.path()

        def log_mass(x: acb) -> tuple[acb, acb]:
            loss, exponent, _ = path.at(x)
            return loss, exponent + tilt * loss

        def point(x: arb) -> tuple[arb, arb]:
            loss, exponent = log_mass(acb(x))
            return loss.real, exponent.real.exp()

        found, height = [], -float("inf")
        for low, high, middle, growth, turning in _parts(path, log_mass, omega):
            found.append(((low, high), growth, turning))
            length = high - low
            if not length > 0:
                raise TooLargeError("no length of the path is seen. Take a longer range of losses.")
            height = max(height, middle + float(length.log().mid()))
        enough = accuracy_bits * log(2) - height
        return gauss_on(
            (
                Panel(*ends, enough + float((growth + omega * turning).upper()), growth, turning)
                for ends, growth, turning in found
            ),
            point,
        )

    def variation(self, tilt: arb) -> arb:
        """Return b of the header at both ends, and a bound of its variation between them."""
        path = self.path()

        def parts(x: acb) -> tuple[arb, arb, arb]:
            """Return ln b, f, and ℓ'."""
            loss, exponent, slope = path.at(x)
            rest = (exponent - slope).real
            return rest + tilt * loss.real, rest, slope.real.exp()

        total = sum((parts(acb(end))[0].exp() for end in (path.low, path.high)), arb(0))
        radius = arb(1) / 2
        for _ in range(_HALVINGS):
            count = int(float(2 * (path.high - path.low).upper() / radius)) + 1
            if count > _CELLS:
                break
            length = (path.high - path.low) / count
            found = total
            for j in range(count):
                middle = path.low + (j + arb(1) / 2) * length
                log_size, here, slope = parts(_box(middle, length / 2, arb(0)))
                around = parts(_box(middle, length / 2 + radius, radius))[1]
                rise = abs(tilt) * slope + 2 * (around.upper() - here.lower()) / radius
                found += length * arb((log_size.exp() * rise).upper())
            if found.is_finite():
                return found
            radius /= 2
        raise TooLargeError("the loss density changes too fast. Ask for a larger relative_width.")


def _parts(
    path: Path, log_mass: Callable[[acb], tuple[acb, acb]], omega: arb
) -> Iterator[tuple[arb, arb, float, arb, arb]]:
    """Yield panels: ends, ln g e^(λℓ) in the middle, its bound around, and that of |Im ℓ|."""
    left = [(path.low, path.high, 0)]
    while left:
        low, high, depth = left.pop()
        half, middle = (high - low) / 2, (low + high) / 2
        center = float(log_mass(acb(middle))[1].real.mid())
        wide, tall = half * (RHO + 1 / RHO) / 2, half * (RHO - 1 / RHO) / 2
        loss, exponent = log_mass(_box(middle, wide, tall))
        turning, growth = arb(abs(loss.imag).upper()), arb(exponent.real.upper())
        if growth.is_finite() and turning.is_finite():
            steep = float((growth + omega * turning).upper()) - center
            if steep <= _STEEP:
                yield low, high, center, growth, turning
                continue
        if depth == _HALVINGS:
            raise TooLargeError("a density is too steep for a transform. Ask for another width.")
        left += [(low, middle, depth + 1), (middle, high, depth + 1)]


def _box(middle: arb, wide: arb, tall: arb) -> acb:
    return acb(middle + wide * arb(0, 1), tall * arb(0, 1))
