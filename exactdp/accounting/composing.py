"""Composition by the best route: a list of profiles to the profile of all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from exactdp.accounting.composition import compose_exactly
from exactdp.accounting.on_grids import compose_on_grid
from exactdp.accounting.randomized_response import (
    ComposedRandomizedResponse,
    as_randomized_response,
)
from exactdp.divergences import FiniteProfile, Pair, PrivacyProfile
from exactdp.errors import TooLargeError
from exactdp.mechanisms import DiscreteLaplaceMechanism, GaussianMechanism
from exactdp.numbers import Exact, Number, sqrt
from exactdp.numbers.arguments import whole_number

__all__ = ["compose", "tells_nothing"]


def compose(parts: Iterable[tuple[PrivacyProfile, int]]) -> PrivacyProfile:
    """Return the profile of independent mechanisms or pairs used together.

    Meaning:
        One ordered pair: the worst case over neighbors takes both directions. The pairs are
        fixed in advance, or dominate what an adaptive analyst may choose.

    Args:
        parts: (profile, times): profiles, each with its number of copies, at least 0.

    Returns:
        Copies of one binary randomized response as :class:`ComposedRandomizedResponse`, up
        to 10^10 of them. Other finite laws exactly, as a :class:`PrivacyLossDistribution`,
        where that is feasible. Gaussian mechanisms as one, which they are. What stands alone
        is itself. All else with certified enclosures.

    Raises:
        DomainError: If a part has no law of its loss.
        TooLargeError: If there are too many copies.

    Example:
        Two coins with loss ±ln 3, then a pair that fails outright half of the time:

        >>> from exactdp.divergences import Pair
        >>> from exactdp.numbers import Epsilon
        >>> coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> compose([(coin, 2)]).delta(Epsilon.log(2))
        Exact('7/16')
        >>> failure = Pair.from_masses(["1/2", "1/2"], [1, 0])
        >>> compose([(coin, 2), (failure, 1)]).infinity_mass()
        Exact('1/2')
    """
    given = [
        (part, whole_number(times, name=f"the copies of parts[{i}]", at_least=0))
        for i, (part, times) in enumerate(parts)
    ]
    used = [(_finite_if_exact(part), times) for part, times in given if times]
    used = [one for one in used if not tells_nothing(one[0])]
    if len(used) == 1:
        part, times = used[0]
        if times == 1 and not isinstance(part, FiniteProfile):
            return part
        if isinstance(part, ComposedRandomizedResponse):
            return ComposedRandomizedResponse(part.epsilon0, part.times * times, part.delta0)
        if isinstance(part, FiniteProfile):
            found = as_randomized_response(part, times)
            if found is not None:
                return found
    used = [_as_pairs(part, times) for part, times in used]
    finite = [(part, k) for part, k in used if isinstance(part, FiniteProfile)]
    if len(finite) == len(used):
        try:
            return compose_exactly(finite)
        except TooLargeError:
            pass  # the grid has certified enclosures instead
    normal = [(part, k) for part, k in used if isinstance(part, GaussianMechanism)]
    if not normal:
        return compose_on_grid(used)
    rest = [(part, k) for part, k in used if not isinstance(part, GaussianMechanism)]
    one = _one_gaussian(normal)
    return compose_on_grid([(one, 1), *rest]) if rest else one


def _finite_if_exact(part: PrivacyProfile) -> PrivacyProfile:
    return part.pair() if isinstance(part, DiscreteLaplaceMechanism) else part


def _as_pairs(part: PrivacyProfile, times: int) -> tuple[PrivacyProfile, int]:
    if isinstance(part, ComposedRandomizedResponse):
        return part.pair, part.times * times
    return part, times


def tells_nothing(part: PrivacyProfile) -> bool:
    """Return whether a part is a pair with one outcome."""
    return isinstance(part, Pair) and len(part.masses()) == 1


def _one_gaussian(parts: Sequence[tuple[GaussianMechanism, int]]) -> GaussianMechanism:
    """Return one mechanism with the loss of all: losses are normal, so μ² = (Δ/σ)² adds."""
    total: Number = Exact(0)
    for part, times in parts:
        total = total + times * (part.sensitivity / part.sigma) ** 2
    return GaussianMechanism(1 / sqrt(total), Exact(1))
