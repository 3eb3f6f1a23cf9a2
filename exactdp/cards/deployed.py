"""Profiles are read as the parts of a card."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, expm1, log, log1p, log2, sqrt
from statistics import NormalDist
from typing import Any

from exactdp.accounting import composed_randomized_response
from exactdp.accounting.conversions.renyi_guarantee import RenyiGuarantee
from exactdp.divergences import Pair, PrivacyProfile, Worst
from exactdp.errors import DomainError
from exactdp.mechanisms import (
    DiscreteGaussianMechanism,
    DiscreteLaplaceMechanism,
    GaussianMechanism,
    LaplaceMechanism,
    Randomizer,
    randomized_response,
)
from exactdp.numbers import Epsilon, Exact, Number, Rounding
from exactdp.numbers.balls import endpoints
from exactdp.shuffle.allocated_noise import NoiseAllocation
from exactdp.shuffle.at_scale.count_pairs import CountPair
from exactdp.shuffle.blankets import BlanketPair
from exactdp.shuffle.reductions.pairs import clone_pair
from exactdp.shuffle.scale import ShuffleWorstCase
from proofs_check.kernel.cards import MOST_POINTS

__all__ = ["Part", "parts_of"]

_DIGITS = 40
"""The digits of a number in a card, at most, above and below."""

_FINE = 12
"""The multiples of ratios in a deviation of one, on the coarsest grid."""

_BITS = 128
"""The bits to which a scale is known before it is rounded."""

Window = Callable[[float], tuple[float, float]]
"""About the losses beyond which P above, or Q below, has at most a mass; nothing rests on it."""

Keys = dict[str, Any]


@dataclass(frozen=True)
class Part:
    """One part of a card.

    Attributes:
        keys: Its keys, but for its window and its times.
        window: Where its losses are.
        times: The number of copies.
        amount: What adds up in all of its kind, which are one pair: squares of means, or rho.
    """

    keys: Mapping[str, Any]
    window: Window
    times: int
    amount: float = 0.0

    def spread(self, mass: float, fineness: int) -> Keys:
        """Return the multiples on which ratios are put, if one step of some sees the record.

        The squares of their distances are few of the ratio's variance, and beyond the last one P
        has about a mass.
        """
        if "one_of" not in self.keys:
            return {}
        square = float(Fraction(self.keys["noise_multiplier"])) ** -2
        octave = ceil(log2(_FINE / sqrt(expm1(square)))) + fineness
        step = Fraction(2) ** min(0, -octave)
        count = ceil(exp(_normal(square)(mass)[1]) / step)
        if count > MOST_POINTS:
            raise DomainError(
                f"noise_multiplier={self.keys['noise_multiplier']} is too small for a card of one "
                "step of some: its ratios reach too far. Take one of about 1 or more."
            )
        return {"ratio_step": str(step), "ratios": count}

    @property
    def is_two_sided(self) -> bool:
        """True if its window is from -to to to."""
        return self.keys["mechanism"] == "zcdp" or "batch_fraction" in self.keys

    @property
    def is_of_replaced(self) -> bool:
        """True if its neighbors replace a record."""
        return "users" in self.keys or "batch_fraction" in self.keys

    def losses(self, parts: Sequence[Part], mass: float, group: int) -> tuple[float, float]:
        """Return where the losses are, of this part or of all parts that are one pair with it."""
        kind = self.keys["mechanism"]
        if self.amount:
            alike = (one for one in parts if one.amount and one.keys["mechanism"] == kind)
            total = sum(one.amount * one.times for one in alike) * group**2
            return (_normal if kind == "gaussian" else _of_rho)(total)(mass)
        low, high = (group * x for x in self.window(mass / group))
        if group > 1 and kind == "discrete_gaussian":  # its middle moves with the square
            more = (group**2 - group) * self.window(0.5)[1]
            low, high = low - more, high + more
        return (-max(-low, high), max(-low, high)) if self.is_two_sided else (low, high)


def parts_of(profile: PrivacyProfile, rounding: Rounding, times: int = 1) -> Iterator[Part]:
    """Yield the parts that a profile is composed of.

    Args:
        profile: The profile.
        rounding: Which way the scale of noise is rounded, if it is no rational.
        times: The number of its copies.

    Raises:
        DomainError: If a card cannot say one of them.

    Example:
        >>> from exactdp.accounting import dp_sgd
        >>> deployed = dp_sgd(noise_multiplier=2, sampling_probability="1/10", steps=30)
        >>> [one] = parts_of(deployed, Rounding.DOWN)
        >>> one.times, one.keys["noise_multiplier"], one.keys["sampling_probability"]
        (30, '2', '1/10')
    """
    removed = profile.toward(0)
    parts = removed.composed_of() or _batches_of(removed, rounding)
    if parts:
        for part, count in parts:
            yield from parts_of(part, rounding, times * count)
        return
    (noise, share), key = removed.seen(), "sampling_probability"
    batch = removed.as_sample()
    if batch is not None and batch.kind == "fixed size" and rounding is Rounding.DOWN:
        noise, share, key = batch.noise, batch.rate, "batch_fraction"
    for make in _MAKERS:
        found = make(noise, rounding)
        if found is not None:
            yield _sampled(*found, key, _fraction(share, key), times)
            return
    raise DomainError(
        f"a card cannot say {noise!r}. It can say gaussian, laplace, discrete_gaussian and "
        "discrete_laplace noise, Poisson samples and batches of a fixed size of these, gaussian "
        "noise where one step of some sees the record, finite pairs, (epsilon, delta) and zCDP "
        "guarantees, shuffled reports, and compositions."
    )


def _batches_of(
    profile: PrivacyProfile, rounding: Rounding
) -> Sequence[tuple[PrivacyProfile, int]]:
    """Return the batches of which those are composed that dominate all neighbors."""
    for named in profile.dominating() if rounding is Rounding.DOWN else ():
        for one in named.profile.worst_of():
            samples = [part.as_sample() for part, _ in one.composed_of()]
            if samples and all(x is not None and x.kind == "fixed size" for x in samples):
                return one.composed_of()  # in the other order they are alike
    return ()


def _sampled(keys: Keys, window: Window, key: str, share: Fraction, times: int) -> Part:
    if share == 1:
        amount = 0.0
        if keys["mechanism"] == "gaussian" and "one_of" not in keys:
            amount = float(Fraction(keys["noise_multiplier"])) ** -2
        elif keys["mechanism"] == "zcdp":
            amount = float(Fraction(keys["rho"]))
        return Part(keys, window, times, amount)
    s = float(share)

    def at(mass: float) -> tuple[float, float]:
        low, high = window(min(0.5, mass / s))
        above = high + log(s + (1 - s) * exp(-high)) if high > 0 else log1p(s * expm1(high))
        return log1p(s * expm1(low)), above

    return Part({**keys, key: _text(share, key)}, at, times)


def _fraction(x: Number, name: str) -> Fraction:
    number = x
    if isinstance(number, Exact) and number.is_rational:
        return number.as_fraction()
    raise DomainError(f"{name}={x} is not rational. A card takes decimals and fractions.")


def _rounded(x: Number, rounding: Rounding) -> Fraction:
    """Return a scale of noise, rounded if it is no rational: with less noise there is more loss."""
    if isinstance(x, Exact) and x.is_rational:
        return x.as_fraction()
    low, high = endpoints(x.ball(_BITS))
    unit = Fraction(1, 10 ** (_DIGITS // 2))
    return low // unit * unit if rounding is Rounding.DOWN else -(-high // unit) * unit


def _text(x: Fraction, name: str) -> str:
    if max(x.numerator.bit_length(), x.denominator.bit_length()) > 3 * _DIGITS:
        raise DomainError(f"{name} has more than {_DIGITS} digits. Round it to the safe side.")
    return str(x)


def _nats(epsilon: Epsilon, name: str) -> str:
    nats = epsilon.nats
    if isinstance(nats, Exact) and nats.is_rational:
        return _text(nats.as_fraction(), name)
    raise DomainError(f"{name}={epsilon} is not rational. A card takes an epsilon in nats.")


def _far(mass: float) -> float:
    return -NormalDist().inv_cdf(min(0.5, max(mass, 1e-300)))


def _gaussian(noise: PrivacyProfile, rounding: Rounding) -> tuple[Keys, Window] | None:
    if not isinstance(noise, GaussianMechanism):
        return None
    ratio = _rounded(noise.sigma / noise.sensitivity, rounding)
    text = _text(ratio, "noise_multiplier")
    return {"mechanism": "gaussian", "noise_multiplier": text}, _normal(float(ratio) ** -2)


def _allocated(noise: PrivacyProfile, rounding: Rounding) -> tuple[Keys, Window] | None:
    if not isinstance(noise, NoiseAllocation) or rounding is Rounding.UP:
        return None
    found, steps = _gaussian(noise.mechanism, rounding), noise.steps
    if found is None:
        return None
    keys, window = found
    square = float(Fraction(keys["noise_multiplier"])) ** -2
    deviation = sqrt(expm1(square) / steps)

    def at(mass: float) -> tuple[float, float]:
        far, high = _far(mass), window(mass)[1]
        low = -square / 2 - far * sqrt(square / steps)
        low = max(low, log(max(1e-300, 1 - far * deviation)))
        return low, log1p(expm1(high) / steps + far * deviation)

    return {**keys, "one_of": steps}, at


def _normal(square: float) -> Window:
    def window(mass: float) -> tuple[float, float]:
        far = _far(mass) * sqrt(square) + square / 2
        return -far, far

    return window


def _laplace(noise: PrivacyProfile, rounding: Rounding) -> tuple[Keys, Window] | None:
    if not isinstance(noise, LaplaceMechanism):
        return None
    ratio = _rounded(noise.scale / noise.sensitivity, rounding)
    far = float(1 / ratio)
    return {"mechanism": "laplace", "scale": _text(ratio, "scale")}, lambda _: (-far, far)


def _discrete_laplace(noise: PrivacyProfile, rounding: Rounding) -> tuple[Keys, Window] | None:
    if not isinstance(noise, DiscreteLaplaceMechanism):
        return None
    rate = Fraction(_nats(noise.rate, "1/scale"))
    keys = {"mechanism": "discrete_laplace", "scale": _text(1 / rate, "scale")}
    far = float(rate * noise.sensitivity)
    return {**keys, "sensitivity": noise.sensitivity}, lambda _: (-far, far)


def _discrete_gaussian(noise: PrivacyProfile, rounding: Rounding) -> tuple[Keys, Window] | None:
    if not isinstance(noise, DiscreteGaussianMechanism):
        return None
    variance, shift = Fraction(noise.sigma_squared), noise.sensitivity
    keys = {"mechanism": "discrete_gaussian", "sigma_squared": _text(variance, "sigma_squared")}
    sigma = sqrt(variance)

    def window(mass: float) -> tuple[float, float]:
        far = shift * (_far(mass) / sigma + (1 + shift / 2) / float(variance))
        return -far, far

    return {**keys, "sensitivity": shift}, window


def _promised(noise: PrivacyProfile, rounding: Rounding) -> tuple[Keys, Window] | None:
    if not isinstance(noise, Pair) or all(p.is_rational for pair in noise.masses() for p in pair):
        return None
    losses = noise.losses()
    epsilon, delta = losses.largest_finite_loss(), losses.infinity_mass()
    if composed_randomized_response(epsilon, 1, delta0=delta).pair != noise:
        return None
    text = _nats(epsilon, "epsilon")
    keys = {
        "mechanism": "guarantee",
        "epsilon": text,
        "delta": _text(_fraction(delta, "delta"), "delta"),
    }
    return keys, lambda _: (-float(epsilon.nats), float(epsilon.nats))


def _concentrated(noise: PrivacyProfile, rounding: Rounding) -> tuple[Keys, Window] | None:
    rho = noise.known_rho if isinstance(noise, RenyiGuarantee) else None
    if rho is None:
        return None
    value = _fraction(rho, "rho")
    return {"mechanism": "zcdp", "rho": _text(value, "rho")}, _of_rho(float(value))


def _of_rho(rho: float) -> Window:
    def window(mass: float) -> tuple[float, float]:
        far = rho + 2 * sqrt(-rho * log(max(mass, 1e-300)))
        return -far, far

    return window


def _listed(noise: PrivacyProfile, rounding: Rounding) -> tuple[Keys, Window] | None:
    if not isinstance(noise, Pair):
        return None
    pairs = [(_fraction(p, "a mass"), _fraction(q, "a mass")) for p, q in noise.masses()]
    losses = [log(p / q) for p, q in pairs if p and q] or [0.0]
    keys = {
        "p": [_text(p, "a mass") for p, _ in pairs],
        "q": [_text(q, "a mass") for _, q in pairs],
    }
    return {"mechanism": "pair", **keys}, lambda _: (min(losses), max(losses))


def _clones(noise: PrivacyProfile, rounding: Rounding) -> tuple[Keys, Window] | None:
    if not isinstance(noise, CountPair) or noise.second == 0:
        return None
    epsilon = noise.max_divergence()
    if clone_pair(noise.n, epsilon) != noise:
        return None
    e = exp(float(epsilon.nats))
    keys = {"mechanism": "shuffled", "users": noise.n, "epsilon": _nats(epsilon, "epsilon")}
    return keys, _hidden(noise.n / e, (e - 1) / (e + 1), float(epsilon.nats))


def _shuffled(noise: PrivacyProfile, rounding: Rounding) -> tuple[Keys, Window] | None:
    about = noise.about if isinstance(noise, Worst) else None
    if not isinstance(about, BlanketPair | ShuffleWorstCase):
        return None
    if not isinstance(about.randomizer, Randomizer) or rounding is Rounding.UP:
        return None
    users, k, epsilon = about.n, about.randomizer.inputs, about.randomizer.ldp_epsilon()
    if epsilon.is_infinite:
        return None
    if k < 2 or about.randomizer.rows != randomized_response(k, epsilon).rows:
        return _clones(clone_pair(users, epsilon), rounding)
    e, nats = exp(float(epsilon.nats)), _nats(epsilon, "epsilon")
    keys = {"mechanism": "shuffled_randomized_response", "users": users, "epsilon": nats, "k": k}
    return keys, _hidden(2 * users / (e + k - 1), (e - 1) / (e + 1), float(epsilon.nats))


def _hidden(users: float, share: float, most: float) -> Window:
    """Return where the losses of a letter are among so many coins."""

    def window(mass: float) -> tuple[float, float]:
        least = max(1.0, users - _far(mass) * sqrt(users))
        far = min(most, 3 * share * _far(mass) / sqrt(least))
        return -far, far

    return window


_MAKERS = (
    _allocated,
    _clones,
    _shuffled,
    _gaussian,
    _laplace,
    _discrete_laplace,
    _discrete_gaussian,
    _promised,
    _concentrated,
    _listed,
)
