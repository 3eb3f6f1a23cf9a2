r"""Noise that is known by its density alone, and pairs of mixtures of it around several answers.

The density f is even, and ln f is concave: so f(y − s)/f(y) rises with y for s > 0, and falls for
s < 0. Of weights w of shifts s >= 0 and weights v of shifts r <= 0, in units of the sensitivity Δ,

    P = Σ w_s f(y − sΔ),  Q = Σ v_r f(y − rΔ),  and L = ln P/Q rises with y,

so P[L > t] = Σ w_s T(y(t) − sΔ), where T(x) = ∫_x^∞ f and L(y(t)) = t. One record that is added is
s = 1 against r = 0; on a Poisson sample in which it is replaced it is 0 or 1 against 0 or −1, which
is the worst of all such neighbors (the proof is in ``exactdp.accounting.substitution``).

Integrals are FLINT's, with proven errors, over cells of a length h; from x_j = jh on, ln f falls by
at least its last difference d = ln f(x_j − h) − ln f(x_j) in each h, so that T(x_j) <= h f(x_j)/d.
y(t) is found by the secant, and certified on both sides of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import count

from flint import acb, arb

from exactdp.divergences import NumberProfile
from exactdp.divergences.profile import Mixture
from exactdp.errors import DomainError, UndecidedError
from exactdp.mechanisms.noise import AdditiveNoise
from exactdp.numbers import (
    Epsilon,
    Exact,
    Number,
    Real,
    certainly_below,
    exp,
    log,
    precision,
    working_bits,
)
from exactdp.numbers.arguments import NumberLike, number, of_class, positive
from exactdp.numbers.effort import remembered, spend
from exactdp.numbers.validated import validated
from exactdp.sums import LossDensity, LossLaw
from exactdp.sums.laws.density import Ends, ball_of

__all__ = ["LogConcaveNoise", "MixedNoise", "log_concave_mechanism"]

_FEWEST, _MOST = Fraction(1, 2), 60
"""By how much ln f falls at least in a cell from 0, and doublings after which it is seen to."""

_LOOKED_AT = 64
"""Places at which a density is seen to be concave, and to fall."""

_STEPS, _WIDENINGS = 4_000, 200
"""Steps to the output of a loss, and how often what certifies it is made wider."""

_SPARE = 24
"""Bits more than the working precision with which an output is found."""

LogDensity = Callable[[acb], acb]


@validated
@dataclass(frozen=True, slots=True)
class LogConcaveNoise(AdditiveNoise):
    """Noise with an even density that is log-concave, on a query of sensitivity Δ.

    Formula:
        δ(ε) = T(y − Δ) − e^ε T(y), T the tail of the noise, where ln f(y − Δ) − ln f(y) = ε.

    Attributes:
        log_density: ln f at x >= 0, but for a constant; see :func:`log_concave_mechanism`.
        steepest: sup |(ln f)'|, or None if it is infinite.
        sensitivity: Δ.

    Example:
        Logistic noise has tanh(1/4) at ε = 0:

        >>> from exactdp.numbers import decimal
        >>> def logistic(x):
        ...     return -x - 2 * (1 + (-x).exp()).log()
        >>> noise = log_concave_mechanism(logistic, steepest=1)
        >>> decimal(noise.delta(Epsilon.rational(0)), digits=6)
        '0.244919'
    """

    log_density: LogDensity
    steepest: Number | None
    sensitivity: Number

    def __post_init__(self) -> None:
        positive(self.sensitivity, name="sensitivity")
        if self.steepest is not None:
            positive(self.steepest, name="steepest")
        _look_at(self)

    @property
    def note(self) -> str:
        """What is the caller's word."""
        return "That the density is log-concave, and how steep it is, is the caller's word."

    @property
    def loss_size(self) -> Exact:
        """About the deviation of the loss."""
        with precision(64):
            size = self.sensitivity.ball(64)
            moved = 2 - 4 * self.tail(size / 2)
            fallen = self._log(arb(0)) - self._log(size)
            return Exact(Fraction(float(moved.max(fallen).mid())))

    def mixed(self, first: Mixture, second: Mixture) -> MixedNoise:
        """Return the pair of two mixtures."""
        return MixedNoise(self, first, second)

    def max_divergence(self) -> Epsilon | Number:
        """Return Δ·sup |(ln f)'|."""
        return Epsilon.infinity() if self.steepest is None else self.steepest * self.sensitivity

    def infinity_mass(self) -> Exact:
        """Return 0: a density has mass everywhere."""
        return Exact(0)

    def above(self, x: Number) -> Real:
        """Return T(x)."""
        return Real(partial(_tail_at, self, x), "tail of noise")

    def exceeded(self, level: Exact) -> Real:
        """Return the x with T(x) = level."""
        return Real(partial(_quantile, self, level), "quantile of noise")

    def _loss_law(self) -> LossLaw:
        return self._pair.loss_law()

    @property
    def _pair(self) -> MixedNoise:
        return self.mixed(((1, Exact(1)),), ((0, Exact(1)),))

    def _delta_at(self, gamma: Exact) -> Number:
        return self._pair._delta_at(gamma)

    def tail(self, x: arb) -> arb:
        """Return T(x), accurate relative to itself, at the working precision."""
        if x < 0:
            return 1 - self.tail(-x)
        if not x >= 0:
            return 1 - self.tail(arb(-x.lower())).union(1 - self.tail(arb(x.upper())))
        return self._mass_above(x) / (2 * _whole(self.log_density, working_bits()))

    def _log(self, x: arb) -> arb:
        return self.log_density(acb(abs(x))).real

    def _mass_above(self, x: arb) -> arb:
        """Return ∫ f from x >= 0 on."""
        middle, length = arb(x.mid()), _cell(self.log_density)
        first = int((middle / length).floor().unique_fmpz() or 0) + 1
        found = _mass_between(self.log_density, middle, first * length) + _far(
            self.log_density, first, working_bits()
        )
        more = x.rad() * self._log(arb(x.lower())).exp()
        return found + more * arb(0, 1)


@validated
def log_concave_mechanism(
    log_density: LogDensity,
    *,
    steepest: NumberLike | None = None,
    sensitivity: NumberLike = 1,
) -> LogConcaveNoise:
    """Return noise of a density, which is all that is known of it.

    It is composed, sampled, replaced on samples, allocated to one of several steps, and grouped as
    Gaussian and Laplace noise are.

    Args:
        log_density: ln f of the noise at x >= 0, but for a constant: ``flint.acb`` to ``acb``, on
            boxes of complex numbers with Re x > 0 too, where it is analytic. f(−x) = f(x). It is
            concave, and nowhere straight, but at 0 may have a kink.
        steepest: The supremum of |(ln f)'|; None if there is none. Losses end there.
        sensitivity: Δ.

    Raises:
        DomainError: If ln f does not fall, is seen not to be concave, or is steeper than that or
            less steep far out; or if an argument is outside its range.

    Example:
        −x²/2 is Gaussian noise with σ = 1, and has 2Φ(1/2) − 1 at ε = 0:

        >>> from exactdp.numbers import decimal
        >>> noise = log_concave_mechanism(lambda x: -x * x / 2)
        >>> decimal(noise.delta(Epsilon.rational(0)), digits=6)
        '0.382925'
    """
    bound = (
        None if steepest is None else positive(number(steepest, name="steepest"), name="steepest")
    )
    size = positive(number(sensitivity, name="sensitivity"), name="sensitivity")
    found = LogConcaveNoise(log_density, bound, size)
    _look_at(found)
    return found


def _look_at(noise: LogConcaveNoise) -> None:
    """See that a density falls, is concave, and is as steep as it is said to be.

    Raises:
        DomainError: If it is not, at one of some places.
    """
    try:
        found = noise.log_density(acb(1))
    except Exception as error:
        raise DomainError(
            f"log_density fails at 1: {error}. Pass a function of flint.acb, defined for x >= 0."
        ) from None
    of_class(found, acb, name="log_density(acb(1))", advice="Pass a function of acb to acb.")
    with precision(128):
        length = _cell(noise.log_density)
        values = [noise._log(k * length) for k in range(_LOOKED_AT + 1)]
        if any(a - 2 * b + c > 0 for a, b, c in zip(values, values[1:], values[2:], strict=False)):
            raise DomainError(
                "log_density is not concave: noise has to be log-concave. Pass another density."
            )
        if noise.steepest is None:
            return
        most, far = noise.steepest.ball(128), length * 2**20
        ends = (values[4], values[5]), map(noise._log, (far, far + length))
        slopes = [(a - b) / length for a, b in ends]
        if not slopes[0] < most:
            raise DomainError(
                f"steepest={most.str(6, radius=False)} is reached: losses have atoms then, as "
                "those of Laplace noise. Pass laplace_mechanism, or the least bound of all slopes."
            )
        if slopes[1] > most or slopes[1] < most * arb("0.999"):
            raise DomainError(
                f"steepest={most.str(6, radius=False)} is not what log_density comes near far out: "
                f"it is {slopes[1].str(6, radius=False)} there. Pass that, or None if there is no "
                "bound."
            )


@validated
@dataclass(frozen=True, slots=True)
class MixedNoise(NumberProfile[Number]):
    """Noise around one of several answers, against noise around one of several others.

    Attributes:
        noise: The noise.
        first: The shifts of P, in units of Δ, and their weights; none is negative.
        second: Those of Q; none is positive.

    Example:
        A record that is replaced on a Poisson sample, at ε = 0: half of what 2Δ is seen by.

        >>> def logistic(x):
        ...     return -x - 2 * (1 + (-x).exp()).log()
        >>> noise = log_concave_mechanism(logistic, steepest=1)
        >>> half = Exact("1/2")
        >>> pair = noise.mixed(((0, half), (1, half)), ((0, half), (-1, half)))
        >>> at = Epsilon.rational(0)
        >>> seen, whole = (x.delta(at, relative_width="1e-9") for x in (pair, noise.moved(2)))
        >>> 2 * seen.lower <= whole.upper and whole.lower <= 2 * seen.upper
        True
    """

    noise: LogConcaveNoise
    first: Mixture
    second: Mixture

    has_closed_form = True

    def __post_init__(self) -> None:
        if any(shift < 0 for shift, _ in self.first) or any(shift > 0 for shift, _ in self.second):
            raise DomainError(
                "a shift of first is negative, or one of second positive: then losses need not "
                "rise with the output. Exchange the two, or take the mirror image."
            )

    @property
    def note(self) -> str:
        """What is the caller's word."""
        return self.noise.note

    def reversed(self) -> MixedNoise:
        """Return (Q, P) in the mirror: shifts change their signs."""
        first, second = (
            tuple((-shift, weight) for shift, weight in side) for side in (self.second, self.first)
        )
        if (first, second) == (self.first, self.second):
            return self
        return MixedNoise(self.noise, first, second)

    def max_divergence(self) -> Epsilon | Number:
        """Return the loss far out."""
        top = _MixedLoss(self).ends()[1]
        return Epsilon.infinity() if top is None else top

    def infinity_mass(self) -> Exact:
        """Return 0."""
        return Exact(0)

    def loss_law(self) -> LossLaw:
        """Return the law of the loss."""
        return LossLaw(density=_MixedLoss(self), is_symmetric=self.reversed() is self)

    def _delta_at(self, gamma: Exact) -> Number:
        low, high = _MixedLoss(self).ends()
        nats = Epsilon(gamma).nats
        if high is not None and certainly_below(high, nats, max_bits=128):
            return Exact(0)
        if low is not None and certainly_below(nats, low, max_bits=128):
            return 1 - gamma
        return Real(partial(_delta_ball, self, gamma), "delta of noise")


@dataclass(frozen=True, slots=True)
class _MixedLoss(LossDensity):
    """The loss of a pair of mixtures; see the header."""

    pair: MixedNoise

    def above(self, t: arb) -> tuple[arb, arb]:
        """Return the tails of the mixtures above the output of loss t."""
        return self._tails(t, 1)

    def below(self, t: arb) -> tuple[arb, arb]:
        """Return those below it."""
        return self._tails(t, -1)

    def ends(self) -> Ends:
        """Return the losses far out on both sides."""
        return self._far(-1), self._far(1)

    def _tails(self, t: arb, side: int) -> tuple[arb, arb]:
        for end, sign in zip(self.ends(), (-1, 1), strict=True):
            if end is None:
                continue
            beyond, whole = sign * (t - ball_of(end, working_bits())), arb(sign != side)
            if beyond >= 0:
                return whole, whole
            if not beyond < 0:  # the end itself, as far as balls tell
                near = sign * arb(2) ** (-working_bits() // 2)
                p, q = self._tails(arb(t.mid()) - near, side)
                return p.union(whole), q.union(whole)
        y, size = self._place(t), self._size()
        tail = self.pair.noise.tail
        p, q = (
            sum(
                (
                    weight.ball(working_bits()) * tail(side * (y - shift * size))
                    for shift, weight in x
                ),
                arb(0),
            )
            for x in (self.pair.first, self.pair.second)
        )
        return p, q

    def _size(self) -> arb:
        return ball_of(self.pair.noise.sensitivity, working_bits())

    def _far(self, side: int) -> Number | None:
        """Return the loss far out; None if it is infinite."""
        first, second = self.pair.first, self.pair.second
        steep = self.pair.noise.steepest
        if steep is None:
            # The shift that is farthest on this side has all of the mass there.
            (s, w), (r, v) = (max(x, key=lambda one: side * one[0]) for x in (first, second))
            return log(w / v) if s == r else None
        rise = side * steep * self.pair.noise.sensitivity
        if len(first) == len(second) == 1:
            return rise * (first[0][0] - second[0][0])
        p, q = (
            sum((weight * exp(shift * rise) for shift, weight in x), Exact(0) + 0)
            for x in (first, second)
        )
        return log(p) - log(q)

    def _loss(self, y: arb) -> arb:
        size, noise = self._size(), self.pair.noise
        spend(4 * (len(self.pair.first) + len(self.pair.second)))
        p, q = (
            sum(
                (w.ball(working_bits()) * noise._log(y - s * size).exp() for s, w in x),
                arb(0),
            )
            for x in (self.pair.first, self.pair.second)
        )
        return p.log() - q.log()

    def _place(self, t: arb) -> arb:
        """Return the output of a loss, by the secant; certified on both sides.

        Raises:
            UndecidedError: If it is not found.
        """
        bits = working_bits()
        with precision(bits + _SPARE):
            low = high = self._size() / 2
            step, middle = _cell(self.pair.noise.log_density), arb(t.mid())
            for _ in range(_MOST):
                is_low, is_high = self._loss(low) < middle, self._loss(high) > middle
                if is_low and is_high:
                    break
                low, high = low if is_low else low - step, high if is_high else high + step
                step *= 2
            else:
                raise UndecidedError(
                    f"no output has a loss of {t.str(6)} nats: is the density as steep as it is "
                    "said to be? Pass the right steepest."
                )
            y = self._secant(middle, low, high, bits)
            apart = y.rad() + abs(y) * arb(2) ** -bits + self._size() * arb(2) ** -bits
            for _ in range(_WIDENINGS):
                first, last = arb((y - apart).lower()), arb((y + apart).upper())
                if self._loss(first) < t and self._loss(last) > t:
                    return first.union(last)
                apart *= 8
        raise UndecidedError(f"the output of a loss of {t.str(6)} nats is not found.")

    def _secant(self, t: arb, low: arb, high: arb, bits: int) -> arb:
        """Return about the output of a loss between two: by Illinois, and in turn by halves."""
        a, b = low, high
        f, g = (arb((self._loss(x) - t).mid()) for x in (a, b))
        last, before, tiny = 0, a, arb(2) ** -(bits + 4)
        for i in range(_STEPS):
            x = arb(((a * g - b * f) / (g - f)).mid())
            if abs(x - before) <= tiny * (abs(x) + self._size()):
                return x
            if i % 4 == 3 or not a < x < b:
                x = arb(((a + b) / 2).mid())
            before = x
            value = arb((self._loss(x) - t).mid())
            if value == 0:
                return x
            if value < 0:
                a, f = x, value
                g, last = (g / 2 if last < 0 else g), -1
            else:
                b, g = x, value
                f, last = (f / 2 if last > 0 else f), 1
        return arb(((a + b) / 2).mid())


def _delta_ball(pair: MixedNoise, gamma: Exact) -> arb:
    p, q = _MixedLoss(pair).above(Epsilon(gamma).nats.ball(working_bits()))
    return p - gamma.ball(working_bits()) * q


def _tail_at(noise: LogConcaveNoise, x: Number) -> arb:
    return noise.tail(x.ball(working_bits()))


def _quantile(noise: LogConcaveNoise, level: Exact) -> arb:
    """Return the x with T(x) = level, by bisection."""
    wanted, step = level.ball(working_bits()), _cell(noise.log_density)
    low, high = -step, step
    while not noise.tail(low) > wanted:
        low *= 2
    while not noise.tail(high) < wanted:
        high *= 2
    for _ in range(2 * working_bits()):
        middle = arb(((low + high) / 2).mid())
        value = noise.tail(middle)
        if value > wanted:
            low = middle
        elif value < wanted:
            high = middle
        else:
            break
    return low.union(high)


@remembered(maxsize=64)
def _cell(log_density: LogDensity) -> arb:
    """Return the length h of cells, a power of two in which ln f falls by about 1 from 0.

    Raises:
        DomainError: If it does not fall.
    """
    with precision(64):
        top = log_density(acb(0)).real
        for size in count():
            for sign in (1, -1):
                length = arb(2) ** (sign * size)
                fall = top - log_density(acb(length)).real
                if fall > arb(_FEWEST.numerator) / _FEWEST.denominator and fall < 3:
                    return length
            if size == 4 * _MOST:
                break
    raise DomainError(
        "log_density does not fall from 0 on as that of noise does. Pass ln f for x >= 0, finite "
        "at 0."
    )


@remembered(maxsize=64)
def _whole(log_density: LogDensity, bits: int) -> arb:
    """Return ∫ f from 0 on."""
    with precision(bits):
        return _far(log_density, 0, bits)


@remembered(maxsize=1 << 14)
def _mass_of_cell(log_density: LogDensity, j: int, bits: int) -> arb:
    """Return ∫ f over the cell from jh to (j + 1)h."""
    length = _cell(log_density)
    with precision(bits):
        return _mass_between(log_density, j * length, (j + 1) * length)


def _mass_between(log_density: LogDensity, low: arb, high: arb) -> arb:
    """Return ∫ f between two places, accurate relative to itself."""
    spend(100)
    top = log_density(acb(low))
    tiny = arb(2) ** (-2 * working_bits())

    def inner(x: acb, is_analytic: bool) -> acb:  # noqa: FBT001 - as FLINT calls it
        if is_analytic and not x.real > 0:
            return acb("nan")
        return (log_density(x) - top).exp()

    return top.real.exp() * acb.integral(inner, acb(low), acb(high), abs_tol=tiny).real


@remembered(maxsize=1 << 14)
def _far(log_density: LogDensity, j: int, bits: int) -> arb:
    """Return ∫ f from jh on."""
    length, total = _cell(log_density), arb(0)
    with precision(bits):
        for i in count(j):
            total += _mass_of_cell(log_density, i, bits)
            last, end = (log_density(acb(k * length)).real for k in (i, i + 1))
            fall = last - end
            if not fall > 0:
                continue
            rest = end.exp() * length / fall
            if rest < total * arb(2) ** -bits:
                return total + rest * arb(1, 1) / 2
    raise AssertionError
