"""A view of any number of users by enclosures: the exact views hand their questions over to it.

Exactly enclosed if all others hold one input of one randomizer, if two classes of messages are
told apart, or few, of thousands of users; else between two bounds. Below: the classes merged to a
view of these kinds. Above: what the others share (their blanket, not the victim's), or all but one
group shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from exactdp.divergences.profile import PrivacyProfile
from exactdp.divergences.worst import Named, Sandwich
from exactdp.numbers import Exact
from exactdp.shuffle.at_scale.hiding import Hidden, HiddenVictim
from exactdp.shuffle.at_scale.histogram_windows import HistogramSum
from exactdp.shuffle.at_scale.score_sums import ScoreSum
from exactdp.shuffle.views.shuffle_view import merged_masses

__all__ = ["view_at_scale"]

Masses = Sequence[Exact]
"""The probabilities of a user's messages."""


def view_at_scale(senders: Sequence[Masses], counts: Sequence[int]) -> PrivacyProfile:
    """Return the profile of a view by enclosures.

    Args:
        senders: The victim's rows, for P and for Q, and those of the groups of others.
        counts: How many users each group has.

    Returns:
        A :class:`HiddenVictim` whose δ is the view's if all others send with one law; a
        :class:`ScoreSum` if two classes of messages are told apart; a :class:`HistogramSum` if
        those of few classes are not too many; else a :class:`Sandwich`.

    Raises:
        TooLargeError: If the others share no message, so that nothing is proved from above.

    Example:
        Two users of a coin, the other on input 1:

        >>> t, q = Exact("3/4"), Exact("1/4")
        >>> from exactdp.numbers import Epsilon
        >>> found = view_at_scale([(t, q), (q, t), (q, t)], [1]).delta(Epsilon.log(2))
        >>> found.contains(Exact("1/16"))
        True
    """
    p, q, *others = senders
    groups = list(zip(others, counts, strict=True))
    if len(set(map(tuple, others))) < 2 or len(p) == 2:
        return _single(p, q, groups)
    return HistogramSum.of(p, q, groups, _between) or _between(p, q, groups)


def _between(p: Masses, q: Masses, groups: Sequence[tuple[Masses, int]]) -> Sandwich:
    """Return bounds of a view: one from merged messages, one from showing more than the view."""
    others, counts = [row for row, _ in groups], [count for _, count in groups]
    above = [
        Named(
            f"{m:,} others who send alike, all else shown",
            HiddenVictim(m + 1, _hidden(p, q, r)),
        )
        for r, m in groups
    ]
    shared = tuple(min(column) for column in zip(*others, strict=True))
    if any(mass != 0 for mass in shared):
        hidden = HiddenVictim(1 + sum(counts), _hidden(p, q, shared))
        above.insert(0, Named("what all others share, leftovers shown", hidden))
    return Sandwich(tuple(_merged_views([p, q, *others], counts)), tuple(above))


def _single(p: Masses, q: Masses, groups: Sequence[tuple[Masses, int]]) -> HiddenVictim | ScoreSum:
    """Return the view if all others send with one law, or two messages are told apart."""
    laws = {tuple(row) for row, _ in groups} or {tuple(Exact(0) for _ in p)}
    if len(laws) == 1:
        return HiddenVictim(1 + sum(count for _, count in groups), _hidden(p, q, *laws))
    return ScoreSum(tuple(p), tuple(q), tuple((tuple(row), count) for row, count in groups))


def _merged_views(senders: Sequence[Masses], counts: Sequence[int]) -> Iterator[Named]:
    """Yield views of the classes in which p − q has one sign: their counts, or their sum."""

    def merged(*parts: tuple[int, ...]) -> HiddenVictim | ScoreSum:
        p, q, *others = (merged_masses(row, [part for part in parts if part]) for row in senders)
        return _single(p, q, list(zip(others, counts, strict=True)))

    p, q, *_ = senders
    less, same, more = (
        tuple(y for y in range(len(p)) if (p[y] - q[y]).sign() == sign) for sign in (-1, 0, 1)
    )
    both = merged(less, same, more)
    if isinstance(both, HiddenVictim):
        yield Named("messages merged by the sign of p - q", both)
    elif not both.is_slow():
        yield Named("messages with p > q counted, minus those with p < q", both)
    else:
        yield Named("messages with p > q counted", merged(less + same, more))
        yield Named("messages with p < q counted", merged(less, same + more))


def _hidden(p: Masses, q: Masses, least: Masses) -> Hidden:
    return Hidden.of(zip(p, q, least, strict=True))
