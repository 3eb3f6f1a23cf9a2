r"""Noise that is known by its density alone, and pairs of mixtures of it around several answers.

The density f is even, and ln f is concave: so f(y − s)/f(y) rises with y for s > 0, and falls for
s < 0. Of weights w of shifts s >= 0 and weights v of shifts r <= 0, in units of the sensitivity Δ,

    P = Σ w_s f(y − sΔ),  Q = Σ v_r f(y − rΔ),  and L = ln P/Q rises with y,

so P[L > t] = Σ w_s T(y(t) − sΔ), where T(x) = ∫_x^∞ f and L(y(t)) = t.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from flint import acb, arb

from exactdp.divergences.profile import Mixture
from exactdp.errors import DomainError
from exactdp.mechanisms.loss_profile import LossProfile
from exactdp.mechanisms.losses.even_density import EvenDensity, LogDensity
from exactdp.mechanisms.losses.log_concave_loss import MixedLoss
from exactdp.mechanisms.mixtures import mirrored
from exactdp.mechanisms.noise import AdditiveNoise
from exactdp.numbers import (
    Epsilon,
    Exact,
    Number,
    Real,
    precision,
    working_bits,
)
from exactdp.numbers.arguments import NumberLike, number, of_class, positive
from exactdp.numbers.balls import endpoints
from exactdp.numbers.validated import validated
from exactdp.sums import LossLaw

__all__ = ["LogConcaveNoise", "log_concave_mechanism"]

_LOOKED_AT = 64
"""Places at which a density is seen to be concave, and to fall."""

_FAR, _STILL = 2**60, arb("1e-12")
"""Cells from 0 to where a slope is as good as its limit, and by how much it may differ from it."""


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

    def __repr__(self) -> str:
        name = getattr(self.log_density, "__name__", "of a function")
        return f"<LogConcaveNoise {name}: steepest={self.steepest}, sensitivity={self.sensitivity}>"

    def __post_init__(self) -> None:
        AdditiveNoise.__post_init__(self)
        if self.steepest is not None:
            positive(self.steepest, name="steepest")
        _look_at(self)

    @property
    def note(self) -> str:
        """The assumptions about the density that the caller answers for."""
        return "That the density is log-concave, and how steep it is, is the caller's word."

    @property
    def loss_size(self) -> Exact:
        """About the deviation of the loss."""
        with precision(64):
            size, density = self.sensitivity.ball(64), self.density
            moved = 2 - 4 * density.tail(size / 2)
            fallen = density.log(arb(0)) - density.log(size)
            return Exact(endpoints(moved.max(fallen))[1])

    def law_between(self, first: Mixture, second: Mixture) -> LossLaw:
        """Return the law of the loss, all of which is a density."""
        loss = MixedLoss(self.density, self.steepest, self.sensitivity, first, second)
        return LossLaw(density=loss, is_symmetric=mirrored(first, second) == (first, second))

    def max_divergence(self) -> Epsilon | Number:
        """Return Δ·sup |(ln f)'|."""
        return Epsilon.infinity() if self.steepest is None else self.steepest * self.sensitivity

    def above(self, x: Number) -> Real:
        """Return T(x)."""
        return Real(partial(_tail_at, self.density, x), "tail of noise")

    def exceeded(self, level: Exact) -> Real:
        """Return the x with T(x) = level."""
        return Real(partial(_quantile, self.density, level), "quantile of noise")

    def _loss_law(self) -> LossLaw:
        return self.law_between(((1, Exact(1)),), ((0, Exact(1)),))

    def _delta_at(self, gamma: Exact) -> Number:
        return LossProfile(self._loss_law(), origin=self)._delta_at(gamma)

    @property
    def density(self) -> EvenDensity:
        """The density, and its tails."""
        return EvenDensity(self.log_density)


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
    bound = None if steepest is None else number(steepest, name="steepest")
    return LogConcaveNoise(log_density, bound, number(sensitivity, name="sensitivity"))


def _look_at(noise: LogConcaveNoise) -> None:
    """Check that a density falls, is concave, and is as steep as it is said to be.

    Raises:
        DomainError: If it is not, at one of some places.
    """
    try:
        found = noise.log_density(acb(1))
    except Exception as error:  # a function of others raises what it likes
        raise DomainError(
            f"log_density fails at 1: {error}. Pass a function of flint.acb, defined for x >= 0."
        ) from None
    of_class(found, acb, name="log_density(acb(1))", advice="Pass a function of acb to acb.")
    with precision(128):
        length = noise.density.cell
        values = [noise.density.log(k * length) for k in range(_LOOKED_AT + 1)]
        if any(a - 2 * b + c > 0 for a, b, c in zip(values, values[1:], values[2:], strict=False)):
            raise DomainError(
                "log_density is not concave: noise has to be log-concave. Pass another density."
            )
        near, half, far = (
            (noise.density.log(x) - noise.density.log(x + length)) / length
            for x in (4 * length, length * _FAR / 2, length * _FAR)
        )
        if noise.steepest is None:
            if not far > half * (1 + _STILL):
                raise DomainError(
                    f"the slope of log_density goes to -{far.str(6, radius=False)} far out, and no "
                    "further: losses end. Pass that, without the sign, as steepest."
                )
            return
        most = noise.steepest.ball(128)
        if not near < most:
            raise DomainError(
                f"steepest={most.str(6, radius=False)} is reached: losses have atoms then, as "
                "those of Laplace noise. Pass laplace_mechanism, or the least bound of all slopes."
            )
        if far > most or far < most * (1 - _STILL):
            raise DomainError(
                f"steepest={most.str(6, radius=False)} is not what log_density comes near far out: "
                f"it is {far.str(6, radius=False)} there. Pass that, or None if there is no "
                "bound."
            )


def _tail_at(density: EvenDensity, x: Number) -> arb:
    return density.tail(x.ball(working_bits()))


def _quantile(density: EvenDensity, level: Exact) -> arb:
    return density.quantile(level.ball(working_bits()))
