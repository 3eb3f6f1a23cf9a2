"""From a pair of counts, a noise mechanism or a composition in a problem file to its law.

Definitions: :func:`law_at_scale`, :func:`composition_at_scale`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flint import fmpq
from msgspec import UnsetType

from exactdp.accounting import GridComposition, compose_on_grid
from exactdp.divergences import PrivacyProfile
from exactdp.errors import DomainError, ExactDPError, ParseError
from exactdp.mechanisms import (
    discrete_gaussian_mechanism,
    discrete_laplace_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    smallest_discrete_laplace_scale,
    smallest_laplace_scale,
    smallest_sigma,
)
from exactdp.mechanisms.noise import AdditiveNoise
from exactdp.numbers import Enclosure, Epsilon, fraction_of
from exactdp.problems.certified_laws import Calibration, CertifiedLaw, Side
from exactdp.problems.exact_laws import Law
from exactdp.problems.law_schema import (
    BlanketPair,
    ClonePair,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    StrongerClonePair,
    VariationRatioPair,
)
from exactdp.problems.randomizers import randomizer_of
from exactdp.problems.values import EpsilonValue, Rational
from exactdp.shuffle import (
    CountPair,
    blanket_pair,
    clone_pair,
    largest_epsilon0,
    stronger_clone_pair,
    variation_ratio_pair,
)

__all__ = ["LawAtScale", "composition_at_scale", "law_at_scale"]

LawAtScale = (
    ClonePair
    | StrongerClonePair
    | VariationRatioPair
    | BlanketPair
    | Gaussian
    | Laplace
    | DiscreteLaplace
    | DiscreteGaussian
)

MAX_USERS_IN_A_COMPOSITION = 100
"""Pairs of counts of more users have too many losses to compose."""

USUAL_WIDTH_ON_GRID = fmpq(1, 10**6)
USUAL_WIDTH_OF_BLANKETS = fmpq(1, 10**3)


def law_at_scale(content: LawAtScale, *, path: str) -> CertifiedLaw | Law:
    """Return the law that a problem is about.

    Raises:
        DomainError: If its parameters are refused; the message begins with the path.
    """
    try:
        match content:
            case ClonePair():
                return _clones(clone_pair, content.n, content.epsilon0)
            case StrongerClonePair():
                return _clones(stronger_clone_pair, content.n, content.epsilon0)
            case VariationRatioPair():
                p = "infinity" if content.p.value is None else content.p.value
                beta, q = content.beta.value, content.q.value
                return _counts(variation_ratio_pair(content.n, p=p, beta=beta, q=q))
            case BlanketPair():
                return _blanket(content, path)
            case Gaussian():
                return _gaussian(content)
            case Laplace():
                return _laplace(content)
            case DiscreteLaplace():
                return _discrete_laplace(content)
            case DiscreteGaussian():
                sigma_squared = content.sigma.value**2
                discrete = discrete_gaussian_mechanism(
                    sigma_squared=sigma_squared, sensitivity=content.sensitivity
                )
                return _profile(discrete, part=discrete)
    except ParseError:
        raise
    except ExactDPError as error:
        raise type(error)(f"{path}: {error}") from None


def composition_at_scale(
    parts: Sequence[tuple[Law | CertifiedLaw, int]], *, path: str
) -> CertifiedLaw:
    """Return the composition of laws of which some are not exact, or too large to be.

    Raises:
        ParseError: If a part leaves out its parameter, or cannot be composed.
    """
    entries: list[tuple[PrivacyProfile, int]] = []
    for index, (law, times) in enumerate(parts):
        part = law.pair if isinstance(law, Law) else law.part
        if part is None:
            raise ParseError(
                f"{path}.parts[{index}].problem cannot be composed. Give a mechanism all its "
                "parameters, or ask about the pair alone."
            )
        entries.append((part, times))
    composed = compose_on_grid(entries)
    sides = (_grid_side(composed), _grid_side(composed.reversed()))
    return CertifiedLaw(sides, usual_width=USUAL_WIDTH_ON_GRID)


# --- pairs of counts -------------------------------------------------------------


def _clones(
    family: Callable[[int, Epsilon], CountPair], n: int, epsilon0: EpsilonValue | UnsetType
) -> CertifiedLaw:
    if isinstance(epsilon0, EpsilonValue):
        return _counts(family(n, epsilon0.value))

    def solve(epsilon: Epsilon, delta: fmpq, width: fmpq) -> Enclosure:
        return largest_epsilon0(family, n, epsilon=epsilon, delta=delta, relative_width=width)

    return CertifiedLaw((), (Calibration("epsilon0", solve, smaller_is_safe=True),))


def _counts(pair: CountPair) -> CertifiedLaw:
    # All counts on the first letter: the largest ratio is the victim's own.
    top = Epsilon.infinity() if pair.second == 0 else Epsilon(pair.first / pair.second)
    side = Side(
        delta=lambda epsilon, width: pair.delta_enclosure(
            exp_epsilon=epsilon.exp, relative_width=width
        ),
        epsilon=lambda delta, width: pair.epsilon(delta=delta, relative_width=width),
        max_divergence=lambda: top,
    )
    part = pair.pair() if pair.n <= MAX_USERS_IN_A_COMPOSITION else None
    return CertifiedLaw((side,), part=part)


def _blanket(content: BlanketPair, path: str) -> CertifiedLaw:
    randomizer = randomizer_of(content.randomizer, path=f"{path}.randomizer")

    def side_of(inputs: tuple[int, int] | None) -> Side:
        pair = blanket_pair(content.n, randomizer, inputs=inputs)
        return Side(
            delta=lambda epsilon, width: pair.delta_enclosure(
                exp_epsilon=epsilon.exp, relative_width=width
            ),
            epsilon=lambda delta, width: pair.epsilon(delta=delta, relative_width=width),
        )

    sides = [side_of(content.inputs)]
    if content.inputs is not None:
        sides.append(side_of((content.inputs[1], content.inputs[0])))
    return CertifiedLaw(tuple(sides), usual_width=USUAL_WIDTH_OF_BLANKETS)


# --- noise -----------------------------------------------------------------------


def _gaussian(content: Gaussian) -> CertifiedLaw:
    sensitivity = content.sensitivity.value
    if isinstance(content.sigma, Rational):
        mechanism = gaussian_mechanism(sigma=content.sigma.value, sensitivity=sensitivity)
        return _profile(mechanism, part=mechanism)

    def solve(epsilon: Epsilon, delta: fmpq, width: fmpq) -> Enclosure:
        return smallest_sigma(epsilon, delta, sensitivity=sensitivity, relative_width=width)

    return CertifiedLaw((), (Calibration("sigma", solve),))


def _laplace(content: Laplace) -> CertifiedLaw:
    sensitivity = content.sensitivity.value
    if isinstance(content.scale, Rational):
        mechanism = laplace_mechanism(scale=content.scale.value, sensitivity=sensitivity)
        return _profile(mechanism, part=mechanism)

    def solve(epsilon: Epsilon, delta: fmpq, width: fmpq) -> Enclosure:
        return smallest_laplace_scale(epsilon, delta, sensitivity=sensitivity, relative_width=width)

    return CertifiedLaw((), (Calibration("scale", solve),))


def _discrete_laplace(content: DiscreteLaplace) -> CertifiedLaw | Law:
    sensitivity = content.sensitivity
    if isinstance(content.scale, Rational):
        rate = 1 / content.scale.value
        pair = discrete_laplace_mechanism(
            rate=Epsilon.rational(rate), sensitivity=sensitivity
        ).pair()
        return Law(pair, exponents=(fraction_of(rate),), users=2 * sensitivity)

    def solve(epsilon: Epsilon, delta: fmpq, width: fmpq) -> Enclosure:
        return smallest_discrete_laplace_scale(
            epsilon, delta, sensitivity=sensitivity, relative_width=width
        )

    return CertifiedLaw((), (Calibration("scale", solve),))


def _profile(noise: AdditiveNoise, *, part: PrivacyProfile) -> CertifiedLaw:
    """Return the law of a mechanism that has one curve δ(ε), the same in both directions."""

    def smallest(bound: fmpq, width: fmpq) -> Enclosure:
        if bound == 0:
            raise DomainError("$.ask.epsilon: delta=0 asks for max_divergence. Ask for that.")
        return _nats(noise.epsilon(bound, relative_width=width))

    side = Side(
        delta=lambda epsilon, width: noise.delta(epsilon, relative_width=width),
        epsilon=smallest,
        exact_delta=noise.delta,
        max_divergence=noise.max_divergence,
    )
    return CertifiedLaw((side,), part=part)


def _grid_side(composed: GridComposition) -> Side:
    return Side(
        delta=lambda epsilon, width: composed.delta(epsilon, relative_width=width),
        epsilon=lambda delta, width: _nats(composed.epsilon(delta, relative_width=width)),
    )


def _nats(found: Epsilon | Enclosure) -> Enclosure:
    if isinstance(found, Enclosure):
        return found
    raise DomainError("$.ask.epsilon: no epsilon is enough for this delta. Ask for a larger delta.")
