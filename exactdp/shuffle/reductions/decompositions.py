"""Rows of randomizers over two letters: clones, stronger clones, variation-ratio.

Each construction is exact, for any finite randomizer, and comes unchecked: ``check`` verifies
it component by component and names what fails. So a claim that a decomposition exists can be
put on trial, and a failure is a witness.

What the counts of components bound. Let the other users draw their components independently
of the victim's input. The view of the analyzer is then a post-processing of the counts of the
letters, of which users are left over, and of independent leftovers. If the victim always sends
one of the two letters (a + b = 1: clones and stronger clones), the counts alone suffice: which
users are left over is uniform given the counts. If the victim sends a third, common component
with probability 1 − a − b > 0, the counts hide whether the victim is one of those left over,
and the view may show it: the pair of counts is then *not* an upper bound in general, while the
counts with that label are. None of these is a lower bound on the view's divergence in general.

In all three functions ``inputs`` are the victim's, and ``others`` the rows of the other users,
by default all rows of the randomizer.

References: V. Feldman, A. McMillan and K. Talwar, Hiding among the Clones, FOCS
2021, and Stronger Privacy Amplification by Shuffling, SODA 2023; S. Wang et al., Privacy
Amplification via Shuffling: Unified, Simplified, and Tightened, 2023.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from exactdp.errors import DomainError
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Epsilon, EpsilonLike, Exact, RationalLike
from exactdp.numbers.arguments import exact, privacy_epsilon
from exactdp.numbers.validated import validated
from exactdp.shuffle.at_scale.count_pairs import CountPair
from exactdp.shuffle.reductions.mixture_pairs import (
    Component,
    DecompositionFault,
    Mixture,
    first_fault,
    with_leftover,
)
from exactdp.shuffle.reductions.variation_ratio import RatioRow, other_rows, variation_ratio

__all__ = [
    "CloneDecomposition",
    "clone_decomposition",
    "stronger_clone_decomposition",
    "variation_ratio_decomposition",
]


@validated
@dataclass(frozen=True, slots=True)
class CloneDecomposition:
    """The victim's two rows and the others' rows over two letters.

    Formula:
        R(x0) = a·Q0 + b·Q1 + (1 − a − b)·common, R(x1) = b·Q0 + a·Q1 + (1 − a − b)·common,
        and for every other row R' = r·Q0 + r·Q1 + (1 − 2r)·leftover.

    Attributes:
        first: a.
        second: b.
        other: r.
        letters: Q0 and Q1.
        mixtures: The victim's two mixtures, then those of the others.
    """

    first: Exact
    second: Exact
    other: Exact
    letters: tuple[Component, Component]
    mixtures: tuple[Mixture, ...]

    def __repr__(self) -> str:
        weights = f"first={self.first}, second={self.second}, other={self.other}"
        return f"<CloneDecomposition: {weights}, {len(self.mixtures) - 2:,} others>"

    def check(self) -> DecompositionFault | None:
        """Return the first fault, or None."""
        return first_fault(self.mixtures)

    @property
    def hides_victim(self) -> bool:
        """True if the pair of counts bounds every divergence of the view from above.

        True if the victim always sends a letter (a + b = 1), or if every leftover of the
        others has the law of the victim's common component: given the counts, all other
        messages are then independent with one law, whoever sends them. Sufficient, not
        necessary.
        """
        common = self.mixtures[0].component("common")
        if common is None:
            return True
        leftovers = [m.component("leftover") for m in self.mixtures[2:]]
        return all(part is None or part.law == common.law for part in leftovers)

    def count_pair(self, *, n: int) -> CountPair:
        """Return the pair of laws of the counts of the two letters among n users.

        Meaning:
            An upper bound on every divergence of the view if :attr:`hides_victim`. If
            not, the view may tell more than the counts, and then this is neither an upper
            nor a lower bound: see the example.

        Example:
            The victim's rows agree on message 2, which the other user seldom sends. The
            view has divergence 3/50, the counts 1/25:

            >>> rows = [["1/5", "2/5", "2/5"], ["2/5", "1/5", "2/5"], ["1/5", "3/5", "1/5"]]
            >>> r = Randomizer.from_matrix(rows)
            >>> parts = variation_ratio_decomposition(r, others=r.rows[2:])
            >>> parts.check(), parts.hides_victim
            (None, False)
            >>> from exactdp.shuffle import Users, Victim, shuffle_view
            >>> view = shuffle_view(Victim(r), [Users(r, 2)])
            >>> view.delta(Epsilon.log("3/2"))
            Exact('3/50')
            >>> counts = parts.count_pair(n=2).delta(Epsilon.log("3/2"), relative_width="1e-9")
            >>> counts.contains(Exact("1/25"))
            True
            >>> parts.labeled_count_pair(n=2)[0]
            Exact('3/5')
        """
        said = (
            "Not an upper bound on the view here: the counts hide whether the victim is left over, "
            "and the view may show it. See labeled_count_pair."
        )
        note = None if self.hides_victim else said
        return CountPair(n, self.first, self.second, self.other, note)

    def labeled_count_pair(self, *, n: int) -> tuple[Exact, CountPair]:
        """Return the weight a + b and the pair of counts given that the victim sends a letter.

        Meaning:
            With probability 1 − a − b the victim sends the common component, which tells
            nothing. So D_{e^ε} of the view is at most (a + b) times that of the pair, and
            any divergence at most that of the counts with this label. Always an upper
            bound; no lower bound in general.

        Raises:
            DomainError: If n < 1, or the victim never sends a letter.
        """
        weight = self.first + self.second
        if weight == 0:
            raise DomainError(
                "the victim never sends a letter: the two rows are equal. Take rows that differ."
            )
        return weight, CountPair(n, self.first / weight, self.second / weight, self.other)


@validated
def clone_decomposition(
    randomizer: Randomizer,
    *,
    epsilon0: EpsilonLike,
    inputs: tuple[int, int] = (0, 1),
    others: Sequence[RatioRow] | None = None,
) -> CloneDecomposition:
    """Return the decomposition behind hiding among the clones.

    Formula:
        With x = e^ε0: R' = R(x0)/(2x) + R(x1)/(2x) + (1 − 1/x)·leftover for every other
        row, and over the letters Q0 = (x R(x0) − R(x1))/(x − 1), Q1 = (x R(x1) − R(x0))/(x − 1)
        R(x0) = x/(x + 1) Q0 + 1/(x + 1) Q1, R(x1) the other way round, and r = 1/(2x).
        For ε0 = 0 the letters are the rows themselves.

    Meaning:
        It exists, and hides the victim, if all rows are ε0-locally private together. ε0, at
        least 0, need not be the randomizer's.

    Raises:
        DomainError: If epsilon0 or an input is outside its range, or rows differ in length.

    Source:
        Feldman, McMillan & Talwar 2021, the proof of the clone reduction.

    Example:
        >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
        >>> clones = clone_decomposition(coin, epsilon0=Epsilon.log(3))
        >>> clones.check(), clones.count_pair(n=10)
        (None, CountPair(n=10, first=Exact('3/4'), second=Exact('1/4'), other=Exact('1/6')))
        >>> print(clone_decomposition(coin, epsilon0=Epsilon.log(2)).check())
        victim 0, letter 0: negative mass at message 1 (-1/4)
    """
    x = privacy_epsilon(epsilon0, name="epsilon0").exp
    parts = _clones(randomizer, x, 1 / (2 * x), inputs, others)
    rows = [Component(f"row {i}", randomizer.row(i)) for i in inputs]
    copies = [
        with_leftover(f"{m.who}, as copies", m.row, [(1 / (2 * x), part) for part in rows])
        for m in parts.mixtures[2:]
    ]
    return replace(parts, mixtures=(*parts.mixtures, *copies))


@validated
def stronger_clone_decomposition(
    randomizer: Randomizer,
    *,
    epsilon0: EpsilonLike,
    inputs: tuple[int, int] = (0, 1),
    others: Sequence[RatioRow] | None = None,
) -> CloneDecomposition:
    """Return the decomposition behind stronger clones, with p = 1/(e^ε0 + 1).

    Formula:
        As for :func:`clone_decomposition`, with r = p = 1/(x + 1) in place of 1/(2x).

    Meaning:
        It exists exactly if R' >= (R(x0) + R(x1))/(x + 1) for every other row. Not every
        ε0-private randomizer has it: if R(x0) and R(x1) are both x times R' at some
        message, 2x/(x + 1) > 1 there and the leftover is negative. If it exists it hides
        the victim. The construction that always exists is
        :func:`variation_ratio_decomposition` with p = q = e^ε0, which may not hide it.

    Raises:
        DomainError: If epsilon0 or an input is outside its range, or rows differ in length.

    Source:
        Feldman, McMillan & Talwar 2023, the case p = 1/(e^ε0 + 1) of the decomposition.

    Example:
        Message 1 is more likely for both inputs of the victim than for the third:

        >>> r = Randomizer.from_matrix([["1/4", "3/4"], ["1/4", "3/4"], ["3/4", "1/4"]])
        >>> stronger = stronger_clone_decomposition(r, epsilon0=Epsilon.log(3))
        >>> print(stronger.check())
        other 2, leftover: negative mass at message 1 (-1/4)
        >>> stronger_clone_decomposition(r, epsilon0=Epsilon.log(3), inputs=(0, 2)).check()
    """
    x = privacy_epsilon(epsilon0, name="epsilon0").exp
    return _clones(randomizer, x, 1 / (x + 1), inputs, others)


@validated
def variation_ratio_decomposition(
    randomizer: Randomizer,
    *,
    inputs: tuple[int, int] = (0, 1),
    others: Sequence[RatioRow] | None = None,
    p: Epsilon | None = None,
    q: Exact | RationalLike | None = None,
) -> CloneDecomposition:
    """Return the decomposition behind the variation-ratio reduction, from positive parts.

    Formula:
        Q0 = max(0, R(x0) − R(x1))/β, Q1 = max(0, R(x1) − R(x0))/β, α = β/(p − 1),
        a = p·α, b = α, r = p·α/q; for p = ∞: a = β, b = 0, r = β/q.

    Meaning:
        With p and q from their definitions it always exists: where R(x0) >= R(x1), the
        common part is (p R(x1) − R(x0))/(p − 1) >= 0, and the letters' share
        r·Q0 = (R(x0) − R(x1))·p/((p − 1) q) <= R(x0)/q of an other row is at most that
        row. It hides the victim in special cases only. A ``p`` (which is ln p) and a ``q``,
        at least 1, may be given in place of the exact ones: a smaller q may do where the
        victim's rows agree.

    Raises:
        DomainError: If the victim's rows are equal, p or q is outside its range, an
            input is not a row number, or rows differ in length.

    Source:
        Wang et al. 2023, Lemma 4.4 as restated in Wang et al. 2024, equations (3)-(5); the
        choice of components is ours.

    Example:
        >>> from exactdp.mechanisms import randomized_response
        >>> rr = randomized_response(4, Epsilon.log(3))
        >>> parts = variation_ratio_decomposition(rr)
        >>> parts.check(), parts.first, parts.second, parts.other
        (None, Exact('1/2'), Exact('1/6'), Exact('1/6'))
    """
    own = variation_ratio(randomizer, inputs=inputs, others=others)
    odds = own.p if p is None else p
    if own.beta == 0:
        raise DomainError(f"inputs={inputs}: the two rows are equal. Pass inputs that differ.")
    if odds <= Epsilon.log(1):
        raise DomainError(
            f"p={odds!r} must be above 0: it is ln of a ratio above 1. Pass a larger one."
        )
    if q is None:
        share = Exact(0) if own.q.is_infinite else 1 / own.q.exp
    else:
        ratio = exact(q, name="q")
        if ratio < 1:
            raise DomainError(f"q={ratio.text(most=40)} must be at least 1. Pass a larger one.")
        share = 1 / ratio
    second = Exact(0) if odds.is_infinite else own.beta / (odds.exp - 1)
    first = own.beta if odds.is_infinite else odds.exp * second

    def positive_part(near: RatioRow, far: RatioRow) -> RatioRow:
        return tuple(max(Exact(0), u - v) / own.beta for u, v in zip(near, far, strict=True))

    return _over_letters(
        randomizer, inputs, others, positive_part, weights=(first, second, first * share)
    )


def _clones(
    randomizer: Randomizer,
    x: Exact,
    other: Exact,
    inputs: tuple[int, int],
    others: Sequence[RatioRow] | None,
) -> CloneDecomposition:
    def extreme(near: RatioRow, far: RatioRow) -> RatioRow:
        if x == 1:
            return near
        return tuple((x * u - v) / (x - 1) for u, v in zip(near, far, strict=True))

    weights = (x / (x + 1), 1 / (x + 1), other)
    return _over_letters(randomizer, inputs, others, extreme, weights=weights)


def _over_letters(
    randomizer: Randomizer,
    inputs: tuple[int, int],
    others: Sequence[RatioRow] | None,
    letter: Callable[[RatioRow, RatioRow], RatioRow],
    *,
    weights: tuple[Exact, Exact, Exact],
) -> CloneDecomposition:
    """Return the decomposition with Q0 = letter(R(x0), R(x1)), Q1 the other way round."""
    zero, one = (randomizer.row(i) for i in inputs)
    letters = Component("letter 0", letter(zero, one)), Component("letter 1", letter(one, zero))
    a, b, r = weights
    mixtures = [
        with_leftover(f"victim {i}", row, list(zip(own, letters, strict=True)), name="common")
        for i, (row, own) in enumerate([(zero, (a, b)), (one, (b, a))])
    ]
    mixtures += [
        with_leftover(f"other {i}", row, [(r, part) for part in letters])
        for i, row in enumerate(other_rows(randomizer, others))
    ]
    return CloneDecomposition(a, b, r, letters, tuple(mixtures))
