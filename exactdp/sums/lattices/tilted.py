r"""The tilted law of a sum modulo a period, by powers of transforms in doubles, with their errors.

Each loss lies between two laws on one lattice (``polygons``). For the sum S of the laws above, or
of those below, with the letters of ``saddle``: the N-point transform Φ of the tilted law of S
modulo Λ = Nh is the product of powers of the transforms φ_i of the tilted laws of the parts
(``fourier``). Let the threshold c lie at ηh below the next point, of index r, 0 < η <= 1, and
z_k = e^(2πik/N). As the sum of G(y) = e^(−λy)(1 − e^(−y)) over all points y above c with turns z_k
is geometric,

    V = Σ_j E[G(S − c + jΛ); S − c + jΛ > 0]
      = (1/N) Σ_k Φ_k z_k^r (α + βz_k)/((1 − az_k)(1 − bz_k)),

a = e^(−λh), b = e^(−(λ + 1)h), α = a^η − b^η, β = a b^η − b a^η, none negative. D(c) e^(λc)/M(λ)
is at most V, for the law above, and at least V − images, for the one below. Each loss is a named
number:

* ``images``: of ``saddle``, with the moments of the law below;
* ``infinite``: what the law above has at infinity;
* ``negative``: of ``polygons``, twice, as (1 + negative)^n − 1 <= 2n·negative if that is at most
  2; else nothing is said from below;
* ``off``: Φ is known as ``products`` says. In 1 − az the z are products of at most six numbers
  known to u, and err by 24u: it errs by 30u at most. Sums along an axis of r numbers with z^r err
  by ρ_r of their moduli, as in ``fourier``: Σ ρ_r <= √2(2 Σr + 3·6)u and a bit, with z^r as there.

Losses may be told apart: those that are hits, and the rest. Then S counts only where at least one
loss is a hit. This is no less monotone: it adds up products of measures, none negative, of which
each may be replaced by one above, or below. Its moments are differences, and the bounds of images,
of infinite and of negative masses hold as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, gcd, log

from flint import arb

from exactdp.errors import TooLargeError, UndecidedError
from exactdp.numbers import Enclosure, Number, fmpq_of, precision
from exactdp.numbers.balls import endpoints
from exactdp.numbers.effort import spend
from exactdp.numbers.later import np
from exactdp.sums.doubles import SAFE, UNIT, Doubles
from exactdp.sums.lattices.fourier import MAX_POINTS, Fourier
from exactdp.sums.lattices.guides import Guide, Piece
from exactdp.sums.lattices.polygons import DEPTH, Knots, Polygons
from exactdp.sums.lattices.products import TINY, PowerRow, Product, Rows
from exactdp.sums.lines.saddle import Image, Line

__all__ = ["BITS", "SMALLEST", "TiltedLaws", "most_points"]

BITS = 256
"""Bits of the balls of knots, masses and moments: they hold the rounding that doubles do not."""

SMALLEST = 1e-15
"""The least share of a tilted law that doubles show, as they err by some of u of all of it."""

_LEAST = 1e-9
"""The least e^(λh) − 1: below, 1 − az_k cancels near k = 0, and its error is too large to help."""

_ABOVE = 20
"""How far above c, in 1/λ, sums modulo Λ are read: farther ones weigh e^−20 or less."""

_FAR = 10**6
"""Nats by which a bound that may be any number, as of no hits, is below that of all sums."""

_MANY = 1 << 19
"""Masses by which a law guides a finer one, at most: more tell it nothing."""

_LONGEST = 100_000
"""The bits of a value that is told, at most."""


@dataclass(frozen=True, slots=True, eq=False)
class TiltedLaws:
    """The tilted laws of the sum modulo Λ, above and below.

    Attributes:
        tilt: λ of the line.
        step: The step h of the lattice.
        origin: The sum of index 0.
        plan: The discrete transform.
        sides: The law above, and the law below.
        laws: About N times the masses of the law above, of sums with a hit and of all, for guides:
            nothing rests on them. Where they are many, places side by side are taken together.
        log_moments: About ln E e^(λL) of the pieces, in the laws above.
        infinite: A bound of the mass that is infinite in the sum above.
        negative: A bound of the mass that is negative in the law below.
        images: The bounds of the images, of the sum below.
    """

    tilt: arb
    step: arb
    origin: arb
    plan: Fourier
    sides: tuple[_Side, _Side]
    laws: tuple[Doubles, Doubles]
    log_moments: Sequence[float]
    infinite: arb
    negative: arb
    images: Sequence[Image]

    @classmethod
    def of(cls, pieces: Sequence[Piece], line: Line) -> TiltedLaws:
        """Return the sum of all pieces on a line."""
        knots = [one for piece in pieces for one in piece.knots]
        grain = gcd(*(cell.width for one in knots for cell in one.cells))
        step = knots[0].unit * grain / 2**DEPTH
        plan = Fourier.of_at_least(ceil(line.period / float(step.mid())))
        tilt = arb(line.tilt)
        if plan.points > most_points(pieces) or not (tilt * step).expm1() > _LEAST:
            raise TooLargeError("the lattice has too many points. Ask for a wider enclosure.")
        polygons = [
            [(one, one.polygons(tilt), one is piece.hits) for one in piece.knots]
            for piece in pieces
        ]
        above = [
            _Masses(piece.knots[0], *_apart(found, lambda one: one.above), piece.times)
            for piece, found in zip(pieces, polygons, strict=True)
        ]
        below = [
            _Masses(piece.knots[0], *_apart(found, lambda one: one.below), piece.times)
            for piece, found in zip(pieces, polygons, strict=True)
        ]
        kernel = _Kernel.of(plan, tilt, step)
        high, product, log_moments = _Side.of(above, tilt, grain, kernel)
        laws = _back(product)
        del product
        low, _, _ = _Side.of(below, tilt, grain, kernel)
        every = [
            (one, piece.times)
            for piece, found in zip(pieces, polygons, strict=True)
            for _, one, _ in found
        ]
        return cls(
            tilt,
            step,
            sum((piece.times * piece.knots[0].start for piece in pieces), arb(0)),
            plan,
            (high, low),
            laws,
            [float(one.mid()) for one in log_moments],
            sum((n * one.infinite for one, n in every), arb(0)),
            sum((n * one.negative for one, n in every), arb(0)),
            line.images(lambda theta: _log_moment(below, theta)),
        )

    def guide(self, c: float) -> Guide:
        """Return the guide that these laws are for a finer lattice, near a threshold."""
        hits, whole = (np.maximum(one, 0) for one in self.laws)
        n, step, tilt = len(hits), float(self.step.mid()), float(self.tilt.mid())
        places = self.plan.points // n
        h, origin = step * places, float(self.origin.mid()) + step * (places - 1) / 2
        first = floor((c - origin) / h)
        # Sums modulo Λ are read as those from a little above c downwards: distances c − S upwards.
        above = min(n // 2, int(_ABOVE / (tilt * h)) + 1)
        indices = first + above - np.arange(n)
        total = max(float(hits.sum()), TINY)
        masses = hits[indices % n] / total
        value = float(masses[:above] @ _excess(tilt, h * np.arange(above, 0, -1)))
        distances = c - origin - h * indices
        log_value = log(max(value, SMALLEST))
        log_moment = float(self.sides[0].log_moment.mid()) + log(total / self.plan.points)
        return Guide(
            distances + h / 2,
            (np.cumsum(masses), np.cumsum(whole[indices % n]) / total),
            self.log_moments,
            tilt,
            log_value,
            log_value + log_moment - tilt * c,
            step,
        )

    def at(self, nats: Number | Fraction) -> Enclosure:
        """Return the enclosure of D(c) that these laws give."""
        with precision(BITS):
            if isinstance(nats, Fraction):
                return self._at(arb(fmpq_of(nats)))
            return self._at(nats.ball(BITS))

    def _at(self, c: arb) -> Enclosure:
        place = (c - self.origin) / self.step
        first = place.mid().floor().unique_fmpz()
        eta = None if first is None else first + 1 - place
        if first is None or eta is None or not (eta > 0 and eta <= 1):
            raise UndecidedError(
                "the threshold cannot be told from a point of the lattice. Ask at another epsilon."
            )
        a = (-self.tilt * self.step).exp()
        a_eta, rest = a**eta, -(-eta * self.step).expm1()
        alpha = a_eta * rest
        beta = a * a_eta * ((-eta * self.step).exp() - (-self.step).exp()).nonnegative_part()
        turns = [(self.plan.columns(int(first) + i), x) for i, x in ((1, alpha), (2, beta))]
        values = [
            side.mean(turns, self.plan) * (side.log_moment - self.tilt * c).exp()
            for side in self.sides
        ]
        high, lower = values[0] + self.infinite, values[1] - 2 * self.negative
        period = self.plan.points * self.step
        for image in self.images:
            lower -= image.total(c, line=self.tilt, period=period)
        if not (lower.is_finite() and high.is_finite()):
            return Enclosure(Fraction(0), Fraction(1))
        if high < arb(2) ** -_LONGEST:  # its ends are long fractions
            raise UndecidedError(f"the value is below 2^-{_LONGEST}. Ask at a smaller epsilon.")
        least = endpoints(lower)[0] if self.negative <= 1 else Fraction(0)
        return Enclosure(max(least, Fraction(0)), endpoints(high)[1])


@dataclass(frozen=True, slots=True, eq=False)
class _Kernel:
    """The numbers 1/((1 − az_k)(1 − bz_k)).

    Attributes:
        plan: The discrete transform.
        values: The numbers, in doubles.
        error: Bounds of their relative errors.
    """

    plan: Fourier
    values: Doubles
    error: Doubles

    @classmethod
    def of(cls, plan: Fourier, tilt: arb, step: arb) -> _Kernel:
        """Return the numbers for a tilt λ and a step h."""
        spend(20 + plan.frequencies // 4)
        z = plan.separable(1)
        values = np.ones(plan.frequencies, dtype=complex)
        error = np.full(plan.frequencies, 16 * UNIT)
        for rate in (tilt, tilt + 1):
            factor = 1 - float((-rate * step).exp().mid()) * z
            values = values * factor
            error += 30 * UNIT / np.abs(factor)
        return cls(plan, 1 / values, error * 1.01)


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """One of the two laws, on its line.

    Attributes:
        weights: Φ_k/((1 − az_k)(1 − bz_k)), in doubles.
        off: A bound of the sum of their errors.
        size: A bound of the sum of their moduli.
        log_moment: ln M(λ).
    """

    weights: Doubles
    off: float
    size: float
    log_moment: arb

    @classmethod
    def of(
        cls, parts: Sequence[_Masses], tilt: arb, grain: int, kernel: _Kernel
    ) -> tuple[_Side, Product, list[arb]]:
        """Return the side, Φ, and ln E e^(λL), of laws by place with their copies."""
        rows, logs = _rows(parts, tilt, grain, kernel.plan)
        log_moment = sum((one.times * log for one, log in zip(parts, logs, strict=True)), arb(0))
        product = Product.of(rows, kernel.plan)
        weights = product.values * kernel.values
        sizes, plan = np.abs(weights), kernel.plan
        off = plan.total(np.abs(kernel.values) * product.error + sizes * kernel.error)
        return cls(weights, off * SAFE, plan.total(sizes) * SAFE, log_moment), product, logs

    def mean(self, turns: Sequence[tuple[Sequence[Doubles], arb]], plan: Fourier) -> arb:
        """Return V as a ball, from the columns of z^r and z^(r + 1) with α and β."""
        lost = ((64 + 3 * sum(plan.shape)) * UNIT * self.size + self.off) * SAFE + TINY
        sums = [factor * arb(plan.turned_sum(self.weights, one), lost) for one, factor in turns]
        return sum(sums, arb(0)) / plan.points


@dataclass(frozen=True, slots=True, eq=False)
class _Masses:
    """The masses by place of a law above or below: of losses that are not hits, and of hits."""

    knots: Knots
    rest: dict[int, arb]
    hits: dict[int, arb]
    times: int

    def tilted(self, masses: dict[int, arb], tilt: arb) -> dict[int, arb]:
        """Return some of them, times e^(λ loss)."""
        spend(4 * len(masses))
        return {p: m * (tilt * self.knots.loss(p)).exp() for p, m in masses.items()}

    def log_moments(self, theta: arb) -> tuple[arb, arb | None]:
        """Return ln E e^(θL), and ln of the share of it that is not a hit; None for none."""
        rest, hits = (
            sum(self.tilted(masses, theta).values(), arb(0)) for masses in (self.rest, self.hits)
        )
        whole = rest + hits
        return whole.log(), (-hits / whole).log1p() if self.rest else None


def most_points(pieces: Sequence[Piece]) -> int:
    """Return how many points a lattice may have: with hits it takes twice as many arrays."""
    return MAX_POINTS if all(piece.rest is None for piece in pieces) else MAX_POINTS // 2


def _rows(
    parts: Sequence[_Masses], tilt: arb, grain: int, plan: Fourier
) -> tuple[list[Rows], list[arb]]:
    """Return the tilted laws modulo the period, as shares of their moments, and logs of those."""
    found: list[Rows] = []
    logs = []
    for one in parts:
        both = [one.tilted(masses, tilt) for masses in (one.rest, one.hits)]
        total = sum((mass for masses in both for mass in masses.values()), arb(0))
        rest, hits = (
            PowerRow.of(masses, total, grain, plan.points) if masses else None for masses in both
        )
        found.append((rest, hits, one.times))
        logs.append(total.log())
    return found, logs


def _back(product: Product) -> tuple[Doubles, Doubles]:
    """Return N times the masses of sums with a hit, and of all."""
    law = _together(product.values, product.plan)
    return law, law if product.hits is None else _together(product.whole, product.plan)


def _together(values: Doubles, plan: Fourier) -> Doubles:
    """Return N times masses from their transform, side by side together where they are many."""
    count = plan.points
    for r in reversed(plan.shape):
        count //= r if count > _MANY else 1
    found: Doubles = plan.backward(values).reshape(count, -1).sum(axis=1)
    return found


def _apart(
    found: Sequence[tuple[Knots, Polygons, bool]], side: Callable[[Polygons], dict[int, arb]]
) -> tuple[dict[int, arb], dict[int, arb]]:
    """Return the masses of the rest and of the hits, of which one may be missing."""
    by_kind = {is_hit: side(one) for _, one, is_hit in found}
    return by_kind.get(False, {}), by_kind.get(True, {})


def _log_moment(parts: Sequence[_Masses], theta: arb) -> arb:
    """Return at least ln E[e^(θS); S has a hit]."""
    found, share = arb(0), arb(0)
    all_are_hits = False
    for one in parts:
        whole, rest = one.log_moments(theta)
        found += one.times * whole
        if rest is None:
            all_are_hits = True
        else:
            share += one.times * rest
    if all_are_hits:
        return found
    if share >= 0:  # there are no hits, in the law below: any number is an upper bound
        return found - _FAR
    least = arb((-share.expm1()).upper())
    # Where nothing is seen, as where there are hardly others than hits, they are some of all.
    return found + least.log() if least > 0 else found


def _excess(tilt: float, y: Doubles) -> Doubles:
    """Return e^(−λy)(1 − e^(−y)), the G of the header."""
    return np.asarray(np.exp(-tilt * y) * -np.expm1(-y))
