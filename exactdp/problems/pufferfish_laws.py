"""From two Laplace mixtures or a multi-user system in a problem file to its law.

Definitions: :func:`pufferfish_law`.
"""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq
from msgspec import UNSET

from exactdp.distributions import FinitePmf
from exactdp.errors import DomainError, ExactDPError
from exactdp.numbers import Enclosure, Epsilon, Exact, Number, enclosure, log, rational
from exactdp.problems.certified_laws import Calibration, CertifiedLaw, Side
from exactdp.problems.pufferfish_schema import (
    LaplaceMixture,
    Pufferfish,
    ScaleValue,
    SecretValue,
)
from exactdp.problems.values import Rational
from exactdp.pufferfish import (
    LaplaceMixturePair,
    LaplaceScale,
    MultiUserSystem,
    Others,
    Secret,
    User,
    line_law,
    smallest_scale,
    smallest_scale_over_systems,
    wasserstein_infinity,
)

__all__ = ["pufferfish_law"]

Law = FinitePmf[Fraction]


def pufferfish_law(content: LaplaceMixture | Pufferfish, *, path: str) -> CertifiedLaw:
    """Return the law that a problem is about.

    Raises:
        DomainError: If the system makes no sense; the message begins with the path.
    """
    try:
        if isinstance(content, LaplaceMixture):
            return _law((_law_on_line(content.p), _law_on_line(content.q)), content.scale, ())
        users = [
            User(
                _law_on_line(user.law),
                presence=1 if user.presence is UNSET else user.presence.value,
            )
            for user in content.users
        ]
        first, second = (_secret(secret) for secret in content.secrets)
        system = MultiUserSystem(users, Others(content.others))

        def over_systems(epsilon: Epsilon, _: fmpq, width: fmpq) -> Enclosure:
            return smallest_scale_over_systems(first, second, epsilon=epsilon, relative_width=width)

        every = Calibration("scale_over_systems", over_systems, needs_delta=False)
        return _law(system.pair(content.user, first, second), content.scale, (every,))
    except ExactDPError as error:
        raise type(error)(f"{path}: {error}") from None


def _law(
    laws: tuple[Law, Law], scale: ScaleValue | object, more: tuple[Calibration, ...]
) -> CertifiedLaw:
    if isinstance(scale, ScaleValue):
        pair = LaplaceMixturePair(*laws, _scale(scale))
        return CertifiedLaw((_side(pair), _side(pair.reversed())))

    def smallest(epsilon: Epsilon, _: fmpq, width: fmpq) -> Enclosure:
        return smallest_scale([laws], epsilon=epsilon, relative_width=width)

    def transport(epsilon: Epsilon, _: fmpq, width: fmpq) -> Enclosure:
        distance = wasserstein_infinity(*laws)
        if distance == 0:
            return Enclosure(Fraction(0), Fraction(0))
        return enclosure(Exact(distance) / epsilon.nats, relative_bits=_bits(width))

    return CertifiedLaw(
        (),
        (
            Calibration("scale", smallest, needs_delta=False),
            Calibration("transport_scale", transport, needs_delta=False),
            *more,
        ),
    )


def _side(pair: LaplaceMixturePair) -> Side:
    def delta(epsilon: Epsilon) -> Number:
        return pair.hockey_stick_divergence(exp_epsilon=epsilon.exp)

    def enclosed(epsilon: Epsilon, width: fmpq) -> Enclosure:
        return enclosure(delta(epsilon), relative_bits=_bits(width))

    def smallest(bound: fmpq, width: fmpq) -> Enclosure:
        raise DomainError(
            "$.ask.epsilon is not answered for Laplace mixtures. Ask for max_divergence, the "
            "epsilon of delta = 0, or for hockey_stick."
        )

    def top() -> Epsilon | Number:
        ratio = pair.largest_ratio().ratio
        return Epsilon(ratio) if isinstance(ratio, Exact) else log(ratio)

    return Side(enclosed, smallest, delta, top)


def _scale(scale: ScaleValue) -> LaplaceScale:
    if isinstance(scale.rational, Rational):
        return LaplaceScale.rational(scale.rational.value)
    assert isinstance(scale.inverse_log, Rational)
    return LaplaceScale(Fraction(1), Epsilon.log(scale.inverse_log.value))


def _secret(secret: SecretValue) -> Secret:
    if isinstance(secret.value, Rational):
        return Secret.value(secret.value.value)
    if secret.law is not UNSET:
        return Secret.follows(_law_on_line(secret.law))
    return Secret.absent()


def _law_on_line(law: dict[str, Rational]) -> Law:
    return line_law({rational(point): mass.value for point, mass in law.items()})


def _bits(width: fmpq) -> int:
    return int((1 / width).ceil()).bit_length()
