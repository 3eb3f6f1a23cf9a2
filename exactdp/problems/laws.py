"""From what a problem file says to the law that it means: exact where it can be.

Definitions: :func:`law_of`, :func:`composition_on_grid`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import cast

from exactdp.accounting import compose_exactly
from exactdp.divergences import Pair
from exactdp.errors import TooLargeError
from exactdp.problems.certified_laws import CertifiedLaw
from exactdp.problems.exact_laws import Law, refuse_large_degree, shuffle_law
from exactdp.problems.law_schema import Composition, FinitePair, LawFile, Shuffle
from exactdp.problems.laws_at_scale import composition_at_scale, law_at_scale
from exactdp.problems.pufferfish_laws import pufferfish_law
from exactdp.problems.pufferfish_schema import LaplaceMixture, Pufferfish

__all__ = ["composition_on_grid", "law_of"]


def law_of(content: LawFile, *, path: str = "$") -> Law | CertifiedLaw:
    """Return the law that a problem is about.

    Args:
        content: The problem, as read.
        path: Where it stands in the file, for messages.

    Returns:
        The exact law of a shuffled protocol, a finite pair, or a composition of such
        whose losses are not too many; otherwise a law whose answers are enclosures.

    Raises:
        ParseError: If a name or an input in the file refers to nothing.
        DomainError: If the protocol makes no sense otherwise.
        TooLargeError: If the exact law of a shuffled protocol is too large.
    """
    match content:
        case Shuffle():
            return shuffle_law(content, path=path)
        case FinitePair():
            p, q = ([mass.value for mass in law] for law in (content.p, content.q))
            return Law(Pair.from_masses(p, q))
        case Composition():
            return _composition(content, path)
        case LaplaceMixture() | Pufferfish():
            return pufferfish_law(content, path=path)
    return law_at_scale(content, path=path)


def composition_on_grid(content: Composition, *, path: str = "$") -> CertifiedLaw:
    """Return a composition whose answers are enclosures, whether or not it could be exact."""
    return composition_at_scale(_parts(content, path), path=path)


def _composition(content: Composition, path: str) -> Law | CertifiedLaw:
    parts = _parts(content, path)
    if all(isinstance(law, Law) for law, _ in parts):
        try:
            return _exact_composition(cast(list[tuple[Law, int]], parts), path)
        except TooLargeError:
            pass
    return composition_at_scale(parts, path=path)


def _parts(content: Composition, path: str) -> list[tuple[Law | CertifiedLaw, int]]:
    return [
        (law_of(part.problem, path=f"{path}.parts[{i}].problem"), part.times)
        for i, part in enumerate(content.parts)
    ]


def _exact_composition(parts: list[tuple[Law, int]], path: str) -> Law:
    exponents: set[Fraction] = set()
    users = 0
    for index, (law, times) in enumerate(parts):
        exponents.update(law.exponents)
        users += times * law.users
        refuse_large_degree(exponents, users=users, path=f"{path}.parts[{index}]")
    losses = compose_exactly([(law.pair, times) for law, times in parts])
    is_lower_bound = any(law.is_lower_bound for law, _ in parts)
    return Law(Pair.from_losses(losses), is_lower_bound, tuple(sorted(exponents)), users)
