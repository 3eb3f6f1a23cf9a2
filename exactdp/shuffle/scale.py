"""The worst case of a shuffled protocol at scale, between two proved ends.

The truth is the maximum over all data of the others and all ordered pairs of the victim's inputs.

- Below: any data will do. All others hold one input z (the likelihood ratio is then linear in
  the histogram, ``exactdp.shuffle.at_scale.hiding``), over all z and pairs up to symmetry, the most
  telling first. Where merging the messages by the sign of R(x0) − R(x1) leaves a pair of
  counts, that is below too, and takes milliseconds.
- Reports x + noise of values between two ends: ``exactdp.shuffle.noise_reports``.
- Above: the privacy blanket. Two inputs with two messages have a better one: of a others on
  input 0, least <= a <= most, show most − least: what is left is one view for the whole block.
  With 64 blocks ε is off by 1/128 or so, as with 1/64 of the users less.

Clones never beat the blanket. What a clone decomposition with a + b = 1 takes of every row,
r·(Q0 + Q1), is at most min_x R(x). So from the counts of the two letters the view of the blanket
can be made: draw a message of every letter, and shuffle them with messages of the rest of the
blanket, which do not depend on the victim. Hence δ of the blanket is at most that of the
clones, of the stronger clones where they are proved, and of :meth:`labeled_count_pair`, whose
label is one thing more that is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice, permutations

from exactdp.divergences.profile import PrivacyProfile, enclosed
from exactdp.divergences.worst import Named, Worst
from exactdp.errors import DomainError, TooLargeError
from exactdp.mechanisms import (
    GaussianMechanism,
    LaplaceMechanism,
    MatrixMechanism,
    Randomizer,
)
from exactdp.numbers import Enclosure, Epsilon, Exact, RationalLike
from exactdp.numbers.arguments import whole_number
from exactdp.numbers.effort import first_answer
from exactdp.numbers.limits import MAX_USERS, count_text, refuse_above
from exactdp.numbers.validated import validated
from exactdp.shuffle.at_scale.count_pairs import CountPair
from exactdp.shuffle.at_scale.hidden_curves import largest_curve
from exactdp.shuffle.at_scale.hiding import Hidden, HiddenVictim
from exactdp.shuffle.at_scale.score_sums import ScoreSum
from exactdp.shuffle.blankets import blanket_pair
from exactdp.shuffle.noise_reports import NoiseBlanket, bounds_above, bounds_below
from exactdp.shuffle.reductions.pairs import clone_pair, stronger_clone_pair
from exactdp.shuffle.views.worst_case import telling_inputs

__all__ = ["Published", "ShuffleWorstCase", "shuffle_worst_case"]

_MAX_DATA = 2_000
"""Pairs of the victim's inputs, with one input of the others, that are looked at.

Any data bound the worst case from below: with fewer it is a looser bound."""

_TRIED = 6
"""Views of worst data that are lower bounds, the most telling ones; each costs a δ of its own."""

_BLOCKS = 64
"""Blocks of the others' data in the upper bound of two inputs and two messages.

With 64 ε is off by 1/128 or so; twice as many take twice the time and halve that."""


@validated
@dataclass(frozen=True, slots=True)
class Published:
    """A published reduction's answer to the same question.

    Attributes:
        name: Whose bound it is.
        standing: Whether it is an upper bound, as far as this project knows.
        epsilon: Its ε.
    """

    name: str
    standing: str
    epsilon: Enclosure


@validated
@dataclass(frozen=True, slots=True)
class ShuffleWorstCase:
    """The users of a worst case, and the published bounds on it.

    Attributes:
        n: The number of users, the victim included.
        randomizer: The randomizer that all users run: a matrix, or noise.
    """

    n: int
    randomizer: Randomizer | GaussianMechanism | LaplaceMechanism

    def published(
        self, delta: Exact | RationalLike, *, relative_width: RationalLike = "1e-3"
    ) -> tuple[Published, ...]:
        """Return the ε of the published bounds that take no more than n and the randomizer.

        Raises:
            DomainError: If the randomizer's local ε is infinite: clones need a finite one.
        """
        local = _local_epsilon(self.randomizer)
        if local.is_infinite:
            raise DomainError(
                "the randomizer's local epsilon is infinite: clones say nothing. "
                "Take one without zero masses."
            )
        stronger = stronger_clone_pair(self.n, local)
        blanket = (
            blanket_pair(self.n, self.randomizer)
            if isinstance(self.randomizer, Randomizer)
            else NoiseBlanket(self.randomizer, self.n)
        )
        bounds: list[tuple[str, str, PrivacyProfile]] = [
            ("privacy blanket (2019)", "proved", blanket),
            ("clones (2021)", "proved for all such randomizers", clone_pair(self.n, local)),
            ("stronger clones (2023)", stronger.note or "", stronger),
        ]
        found = []
        for name, standing, profile in bounds:
            value = profile.epsilon(delta, relative_width=relative_width)
            number = value.nats if isinstance(value, Epsilon) else value
            found.append(Published(name, standing, enclosed(number, relative_width)))
        return tuple(found)


def _local_epsilon(randomizer: Randomizer | GaussianMechanism | LaplaceMechanism) -> Epsilon:
    """Return the local ε of a randomizer; a rational just above it where e^ε is not exact."""
    if isinstance(randomizer, Randomizer):
        return randomizer.ldp_epsilon()
    top = randomizer.max_divergence()
    return top if isinstance(top, Epsilon) else Epsilon.rational(enclosed(top, "1e-12").upper)


def shuffle_worst_case(
    n: int, randomizer: Randomizer | GaussianMechanism | LaplaceMechanism
) -> Worst:
    """Return the worst case over all data and victims of n shuffled users, between two ends.

    Args:
        n: The number of users, the victim included, from 1 to 10^13.
        randomizer: The randomizer that all users run. Of Gaussian or Laplace noise, the reports
            are x + noise of values between 0 and the sensitivity.

    Raises:
        DomainError: If an argument is outside its range, there is only one input, or nothing
            is proved from above: the blanket is empty.
        TooLargeError: If n, or the number of pairs of inputs, is too large.

    Example:
        Two users of a coin: the worst other user holds the victim's first input, δ = 3/16.

        >>> coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
        >>> found = shuffle_worst_case(2, coin).delta(Epsilon.log(2))
        >>> found.contains(Exact("3/16")), 1000 * found.width < 1
        (True, True)
        >>> found.lower_by
        'all others on input 0, victim 0 -> 1'
        >>> found.upper_by
        'all data of the others, in 2 blocks'

        Two reports of values in [0, 1] with Laplace noise, which alone has δ(0) = 1 − e^(−1/2):

        >>> from exactdp.mechanisms import laplace_mechanism
        >>> found = shuffle_worst_case(2, laplace_mechanism(scale=1)).delta(Epsilon.rational(0))
        >>> print(f"{found:.3g}")
        [0.288, 0.302]
    """
    n = whole_number(n, name="n", at_least=1)
    refuse_above(MAX_USERS, n, f"n={count_text(n)}", advice="Lower n.")
    if isinstance(randomizer, MatrixMechanism):
        raise DomainError(
            "randomizer releases the steps of many users, and is none of one user's report. "
            "Pass gaussian_mechanism or laplace_mechanism."
        )
    about = ShuffleWorstCase(n, randomizer)
    if isinstance(randomizer, GaussianMechanism | LaplaceMechanism):
        below, over = bounds_below(n, randomizer), bounds_above(n, randomizer)
        # All n reports may lie where one tells most: the likelihood ratio is a mean of theirs.
        return Worst(tuple(below), tuple(over), about=about, is_symmetric=True, tops=randomizer)
    if randomizer.inputs < 2:
        raise DomainError(
            "the alphabet has one input, so no two datasets differ. "
            "Take a randomizer of two inputs or more."
        )
    above = tuple(_above(n, randomizer))
    return Worst(tuple(_below(n, randomizer)), above, about=about, is_symmetric=True)


def _above(n: int, randomizer: Randomizer) -> Iterator[Named]:
    is_small = randomizer.inputs == randomizer.messages == 2
    if is_small and all(mass != 0 for row in randomizer.rows for mass in row):
        yield _blocks(n, randomizer)
        return
    local = randomizer.ldp_epsilon()
    blanket = partial(blanket_pair, n, randomizer)
    clones = partial(clone_pair, n, local)
    ways = [lambda: Named("privacy blanket of Balle, Bell, Gascon and Nissim 2019", blanket())]
    if not local.is_infinite:
        ways += [lambda: Named("clones of Feldman, McMillan and Talwar 2021", clones())]
    yield first_answer(*ways, refusals=(TooLargeError,))


def _blocks(n: int, randomizer: Randomizer) -> Named:
    """Return the bound over all data of two inputs with two messages."""
    zero, one = randomizer.rows
    count = min(n, _BLOCKS)
    edges = [i * n // count for i in range(count + 1)]
    views = []
    for least, most in zip(edges, (edge - 1 for edge in edges[1:]), strict=False):
        others = tuple((p, m) for p, m in ((zero, least), (one, n - 1 - most)) if m)
        views.append(ScoreSum(zero, one, others))
        if zero[0] != one[1]:  # else exchanging both letters and inputs gives the other direction
            views.append(ScoreSum(one, zero, others))
    return Named(f"all data of the others, in {count} blocks", largest_curve(views))


def _below(n: int, randomizer: Randomizer) -> Iterator[Named]:
    """Yield views of worst data, pairs of counts first, then all others on one input."""
    inputs = range(randomizer.inputs)
    pairs: Iterable[tuple[int, int]] = permutations(inputs, 2)
    telling = telling_inputs(randomizer)
    if telling is not None:
        pairs, inputs = [(0, 1)], inputs[:telling]
    data = islice(((pair, z) for pair in pairs for z in inputs), _MAX_DATA)
    found: dict[Hidden, str] = {}
    counts: dict[CountPair, str] = {}
    for (first, second), z in data:
        words = f"all others on input {z}, victim {first} -> {second}"
        messages = [(p, q, r) for p, q, r in randomizer.columns_of((first, second, z))]
        found.setdefault(Hidden.of(messages), words)
        pair = _counted(n, messages)
        if pair is not None:
            counts.setdefault(pair, f"{words}, messages merged to three")
    best = sorted(counts, key=lambda pair: _information(pair.hidden.hidden), reverse=True)
    for pair in best[:1]:
        yield Named(counts[pair], pair, alone=n == 1)
    for hidden in sorted(found, key=_information, reverse=True)[:_TRIED]:
        yield Named(found[hidden], HiddenVictim(n, hidden), alone=n == 1)


def _counted(n: int, messages: list[tuple[Exact, Exact, Exact]]) -> CountPair | None:
    """Return the pair of counts of the messages with p > q and of those with p < q, if it is one.

    They are merged: data processing. It is one if exchanging the two exchanges the victim's
    inputs, and the others send both alike.
    """
    masses = [
        [sum((m[i] for m in messages if (m[0] - m[1]).sign() == sign), Exact(0)) for i in range(3)]
        for sign in (1, -1)
    ]
    (a, b, r), (b_too, a_too, r_too) = masses
    if (a, b, r) != (a_too, b_too, r_too) or a == b:
        return None
    return CountPair(n, a, b, r)


def _information(hidden: Hidden) -> tuple[Exact, Exact]:
    """Return how informative a view is near ε = 0: the exposed mass, then Σ (p − q)²/m."""
    exposed = sum((p + q for p, q in hidden.alone), Exact(0))
    return exposed, sum((m * (p - q) * (p - q) for p, q, m in hidden.shared), Exact(0))
