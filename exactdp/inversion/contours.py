r"""δ from the transform of the loss: the trapezoid rule on a vertical line, with all its errors.

Let S be a sum of independent finite losses, M(s) = E e^(sS) = Π M_i(s)^(n_i), and
D(c) = E max(0, 1 − e^(c − S)), which is δ(c) without the mass at infinity. Then
∫ e^(sc) D(c) dc = M(s)/(s(s + 1)) for Re s > 0. For any λ > 0 and Λ > 0, Poisson's
summation formula for e^(λc) D(c) reads, with s_m = λ + 2πim/Λ,

    Σ_k e^(λ(c + kΛ)) D(c + kΛ) = (1/Λ) Σ_m M(s_m)/(s_m(s_m + 1)) e^(−2πimc/Λ).

Everything on the left is nonnegative, and the term k = 0 is wanted. The errors, each one a
ball or a bound in one direction:

* the terms k != 0: :class:`~exactdp.inversion.lines.Line`;
* the terms |m| > K: |M| is bounded by :class:`~exactdp.inversion.envelopes.Envelope`;
* rounding: balls.

The number of terms grows neither with the number of losses nor, but for its logarithm,
with 1/width.

References: Y. Zhu, J. Dong and Y.-X. Wang, Optimal Accounting of Differential Privacy via
Characteristic Function, 2022; W. Alghamdi et al., The Saddle-Point Method in Differential
Privacy, 2023 (the same line, expanded instead of summed); J. Abate and W. Whitt, The
Fourier-Series Method for Inverting Transforms of Probability Distributions, 1992.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import log

from flint import acb, arb

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.inversion.envelopes import Envelope
from exactdp.inversion.lines import Image, Line, log_kappa, minimum
from exactdp.inversion.losses import LossLaw
from exactdp.inversion.tails import GaussianTails
from exactdp.inversion.transforms import LossTransform
from exactdp.numbers import Enclosure, Number, precision
from exactdp.numbers.balls import endpoints

__all__ = ["Inversion"]

_PLAN_BITS = 64
_CHUNK = 32
_MAX_TERMS = 8_000
_OCTAVES = 60
_KEPT = 2
_FEWEST = 8
_QUICK = -25.0
"""Doubles err by some e^−30; so much wider, for each loss, must the width be."""
_USUAL = 1e-6
_NARROWEST = Fraction(1, 10**50)


@dataclass(frozen=True, eq=False)
class Inversion:
    """The sum of independent losses, each with a number of copies, by its transform.

    Attributes:
        parts: The transforms and their numbers of copies, at least 1 each.
    """

    parts: tuple[tuple[LossTransform, int], ...]
    _kept: list[_Contour] = field(init=False, default_factory=list)
    _logs: dict[float, arb] = field(init=False, default_factory=dict)
    _bounds: dict[tuple[float, float], list[tuple[Envelope, int]]] = field(
        init=False, default_factory=dict
    )

    @classmethod
    def of(cls, parts: Sequence[tuple[LossLaw, int]]) -> Inversion | None:
        """Return the sum; None if a law has no transform here, or few have a density.

        Few densities do not make |M| fall fast, if none is normal; the grids are quick then.
        """
        dense = [(law.density, times) for law, times in parts if law.density is not None]
        is_normal = any(isinstance(density, GaussianTails) for density, _ in dense)
        if not is_normal and sum(times for _, times in dense) < _FEWEST:
            return None
        found = [(LossTransform.of(law), times) for law, times in parts]
        kept = tuple((transform, times) for transform, times in found if transform is not None)
        return cls(kept) if len(kept) == len(parts) else None

    @property
    def copies(self) -> int:
        """The number of losses."""
        return sum(times for _, times in self.parts)

    def mean_excess(self, nats: Number, *, relative_width: Fraction) -> Enclosure:
        """Return an enclosure of D(c), c = ``nats``.

        Returns:
            (upper − lower) <= relative_width·lower.

        Raises:
            TooLargeError: If the line or a transform would take too many points.
            UndecidedError: If the transform is not seen to fall, or the width not reached.
        """
        for contour in self._kept:
            found = contour.at(nats)
            if _is_narrow(found, relative_width):
                return found
        if relative_width < _NARROWEST:
            raise TooLargeError(f"relative_width={relative_width} takes too many points.")
        asked = float(relative_width)
        failure: TooLargeError | None = None
        # A narrow line serves other thresholds as well; where it is too long, a wide one does.
        for width in (min(asked, _USUAL), asked, asked / 1000):
            try:
                contour = self._contour(nats, log(width))
            except TooLargeError as error:
                failure = error
                continue
            self._kept.insert(0, contour)
            del self._kept[_KEPT:]
            found = contour.at(nats)
            if _is_narrow(found, relative_width):
                return found
        raise failure or UndecidedError(
            f"relative_width={relative_width} is not reached. Ask for a wider enclosure."
        )

    def guess(self, delta: Number) -> Fraction:
        """Return about the c > 0 at which D(c) is ``delta``: the Rényi conversion, a bit above.

        c = (ln M(λ) + ln κ(λ) − ln δ)/λ at the best λ; nothing rests on it.
        """
        with precision(_PLAN_BITS):
            log_delta = float(delta.ball(_PLAN_BITS).log().mid())
        value = minimum(lambda s: (self._log(s) + log_kappa(s, 1) - log_delta) / s)[1]
        return max(Fraction(value), Fraction(1, 10**9))

    def _log(self, tilt: float) -> float:
        return float(self._log_at(tilt).mid())

    def _log_at(self, tilt: float) -> arb:
        """Return ln M(λ), at the precision of plans."""
        if tilt not in self._logs:
            with precision(_PLAN_BITS):
                self._logs[tilt] = self._log_moment(arb(tilt))
        return self._logs[tilt]

    def _log_moment(self, tilt: arb) -> arb:
        return sum((times * part.real(tilt).log() for part, times in self.parts), arb(0))

    def _contour(self, nats: Number, log_width: float) -> _Contour:
        """Return a line on which D(c) has about a relative width."""
        c = nats.ball(_PLAN_BITS)

        def exponent(tilt: float) -> float:
            return float((self._log_at(tilt) - tilt * c).mid())

        line = Line.through_saddle(exponent, 1, log_width=log_width)
        bits = int(_PLAN_BITS - 1.5 * log_width + self.copies.bit_length())
        with precision(bits + 16):
            tilt, period = arb(line.tilt), arb(line.period)
            step = 2 * arb.pi() / period
            values, rest = self._values(
                tilt, step, log_width - log(16), quick=log_width > log(self.copies) + _QUICK
            )
            images = line.images(self._log_moment)
        return _Contour(tilt, period, values, rest, images, bits)

    def _values(
        self, line: arb, step: arb, log_small: float, *, quick: bool
    ) -> tuple[list[acb], arb]:
        """Return M(s_m)/(s_m(s_m + 1)), m = 0, 1, ..., K, and a bound of what they leave out.

        That is (2/Λ) Σ |M(s_m)/(s_m(s_m + 1))| over m > K. In an octave from ω on |M| is at
        most its bound at ω, |s(s + 1)| is at least ω_m², and Σ 1/m² over m >= j is at most
        1/(j − 1).
        """
        values: list[acb] = []
        envelopes = self._envelopes(line, log_small)
        size = self._log_moment(line).exp()
        enough = arb(log_small).exp() * size / (line * (line + 1)) * step
        if not self._rest(envelopes, step, _MAX_TERMS) * size < enough:
            raise TooLargeError(f"the transform is still large after {_MAX_TERMS:,} points.")
        while True:
            first = len(values)
            count = max(_CHUNK, first // 2)
            products = [acb(1)] * count
            for part, times in self.parts:
                rule = part.quickly if quick else part.along
                along = rule(acb(line, first * step), step, count=count)
                products = [a * b**times for a, b in zip(products, along, strict=True)]
            for m, product in enumerate(products, first):
                s = acb(line, m * step)
                values.append(product / (s * (s + 1)))
            rest = self._rest(envelopes, step, len(values)) * size
            if rest < enough:
                return values, rest

    def _envelopes(self, line: arb, log_small: float) -> list[tuple[Envelope, int]]:
        nats = max(60.0, 40 - log_small)
        key = float(line), nats
        if key not in self._bounds:
            self._bounds[key] = [
                (Envelope.of(part, line, copies=times, nats=nats), times)
                for part, times in self.parts
                if part.density is not None
            ]
        return self._bounds[key]

    @staticmethod
    def _rest(envelopes: Sequence[tuple[Envelope, int]], step: arb, first: int) -> arb:
        total = arb(0)
        for octave in range(_OCTAVES):
            omega = step * first * 2**octave
            bound = arb(1)
            for envelope, times in envelopes:
                bound *= envelope.at(omega) ** times
            total += bound / (omega - step)
        return total / arb.pi()


@dataclass(frozen=True, slots=True)
class _Contour:
    """The values on one line, for all thresholds near that for which it was chosen.

    Attributes:
        line: λ.
        period: Λ.
        values: M(s_m)/(s_m(s_m + 1)), m = 0, 1, ..., K.
        rest: A bound of what the terms beyond K add.
        images: The bounds for the terms k < 0 and k > 0.
        bits: Of the balls.
    """

    line: arb
    period: arb
    values: Sequence[acb]
    rest: arb
    images: Sequence[Image]
    bits: int

    def at(self, nats: Number) -> Enclosure:
        """Return the enclosure of D(c) that this line gives."""
        c = nats.ball(self.bits)
        with precision(self.bits):
            turn = acb(0, -2 * arb.pi() * c / self.period).exp()
            total, power = self.values[0].real, turn
            for value in self.values[1:]:
                total += 2 * (value * power).real
                power *= turn
            back = (-self.line * c).exp()
            middle = total / self.period * back
            low, high = middle - self.rest * back, middle + self.rest * back
            for image in self.images:
                low -= image.total(c, line=self.line, period=self.period)
            lower, upper = max(endpoints(low)[0], Fraction(0)), endpoints(high)[1]
            return Enclosure(lower, max(lower, upper))


def _is_narrow(found: Enclosure, width: Fraction) -> bool:
    return found.lower > 0 and found.upper - found.lower <= width * found.lower
