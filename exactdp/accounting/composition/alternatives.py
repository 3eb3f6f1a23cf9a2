"""Composition of parts that are the worst of several pairs: between one pair and all.

A profile that is the largest of others, ε by ε, may be that of no pair of neighbors. What is
composed of it, in one direction of neighbors, lies between

- below: a pair for each copy of each part. An analyst chooses every step after seeing what came
  before, and so which pair of a part neighbors have there: any combination is attained.
- above: the pair whose δ is the part's at every ε. It dominates all of them, and what dominates
  composes, so this holds for such analysts too.

Rényi divergences are those of the pairs: the largest of each part, added up. The analyst who takes
the pair with the largest moment in each step attains the sum, and none has more: the factor of a
step is at most its largest one, whatever came before.

References: Y. Zhu, J. Dong and Y.-X. Wang, Optimal Accounting of Differential Privacy via
Characteristic Function, 2022, Theorem 10; J. Dong, D. Durfee and R. Rogers, Optimal Differential
Privacy Composition for Exponential Mechanisms, ICML 2020 (pairs of two outcomes).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from exactdp.accounting.composition.certified_composition import CertifiedComposition
from exactdp.divergences import PrivacyProfile
from exactdp.divergences.profile import Named
from exactdp.divergences.worst import NOTHING, Worst

__all__ = ["between_alternatives"]

Parts = Sequence[tuple[PrivacyProfile, int]]

_MANY = 500
"""Losses of a pair beyond which it is composed by polygons: exactly it would take minutes."""

_FEW = 10
"""Copies up to which pairs are mixed among them."""

_MOST = 8
"""Combinations of pairs that are tried, at most, below."""


def between_alternatives(parts: Parts, compose: Callable[[Parts], PrivacyProfile]) -> Worst:
    """Return the composition of parts in one direction, some of which are the worst of several.

    Args:
        parts: The profiles and their numbers of copies.
        compose: Composes parts as if each were one pair, whose δ is the part's.

    Example:
        Two releases of exponential mechanisms with ranges of 1 and of 2 nats:

        >>> from fractions import Fraction
        >>> from exactdp.mechanisms import BoundedRange
        >>> from exactdp.numbers import Epsilon
        >>> from exactdp.accounting import compose
        >>> parts = [(BoundedRange(Fraction(size)), 1) for size in (1, 2)]
        >>> found = compose(parts).delta(Epsilon.rational(1))
        >>> found.lower_by[:44]
        'each time the same: two outcomes with losses'
        >>> found.upper_by
        'pairs that dominate all of each part'
    """

    def named(words: str, made: Parts, *, alone: bool = True) -> Named:
        is_long = any(x.loss_count > _MANY for x, _ in made)
        found = CertifiedComposition(tuple(made)) if is_long else compose(made)
        return Named(words, found, alone)

    below = tuple(named(words, made, alone=alone) for words, made, alone in _combinations(parts))
    above = tuple(named(*one) for one in _dominating(parts))
    return Worst(below, above)


def same_each_time(parts: Parts) -> tuple[Named, ...]:
    """Return compositions in which all copies of a part are the same pair.

    Example:
        >>> from fractions import Fraction
        >>> from exactdp.mechanisms import BoundedRange
        >>> [one.words[20:] for one in same_each_time([(BoundedRange(Fraction(2)), 3)])][:1]
        ['two outcomes with losses 1 and -1']
    """
    count = max(len(part.cases()) for part, _ in parts)
    found = []
    for words, made, alone in islice(_combinations(parts), count):
        found.append(Named(words, CertifiedComposition(tuple(made)), alone))
    return tuple(found)


def _combinations(parts: Parts) -> Iterator[tuple[str, Parts, bool]]:
    """Yield pairs for all copies: the first of each part, the second, ..., then mixed ones.

    With words, and whether no other record is needed.
    """
    cases = [part.cases() or (NOTHING,) for part, _ in parts]
    most = max(map(len, cases))
    chosen: list[tuple[tuple[tuple[int, int], ...], ...]] = [
        tuple(((min(i, len(one) - 1), k),) for one, (_, k) in zip(cases, parts, strict=True))
        for i in range(most)
    ]
    whole = [((0, k),) for _, k in parts]
    for place, (one, (_, times)) in enumerate(zip(cases, parts, strict=True)):
        for i in range(1, len(one)):
            for split in dict.fromkeys((times, times - 1, times // 2, 1)):
                if split > 0 and times <= _FEW:
                    mixed = ((i, split), (0, times - split))[: 1 + (split < times)]
                    chosen.append((*whole[:place], mixed, *whole[place + 1 :]))
    for combination in list(dict.fromkeys(chosen))[:_MOST]:
        words, made, alone = [], [], True
        for one, used in zip(cases, combination, strict=True):
            for i, times in used:
                if one[i].words:
                    words.append(f"{times} x {one[i].words}" if len(used) > 1 else one[i].words)
                made.append((one[i].profile, times))
                alone = alone and one[i].alone
        said = "; ".join(dict.fromkeys(words))
        is_alike = all(len(used) == 1 for used in combination)
        yield (f"each time the same: {said}" if is_alike else said), made, alone


def _dominating(parts: Parts) -> Iterator[tuple[str, Parts]]:
    """Yield profiles that are those of pairs which dominate all of a part, with words."""
    found = [part.dominating() for part, _ in parts]
    for i in range(max(map(len, found))):
        chosen = [one[min(i, len(one) - 1)] for one in found]
        words = "; ".join(dict.fromkeys(x.words for x in chosen if x.words))
        said = "pairs that dominate all of each part" + (f": {words}" if words else "")
        yield said, [(x.profile, times) for x, (_, times) in zip(chosen, parts, strict=True)]
