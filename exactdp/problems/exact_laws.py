"""From a shuffled protocol or a finite pair in a problem file to its exact law.

Sizes are checked first: what would need more memory or time than is sensible is
refused at once, before anything is built.

Definitions: :class:`Law`, :func:`shuffle_law`, :func:`refuse_large_degree`,
:func:`refuse_long_weights`, :func:`weight_bits`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm

from flint import fmpz

from exactdp.distributions.polynomials import MAX_CELLS, scale_rows
from exactdp.divergences import Pair, hockey_stick_divergence
from exactdp.errors import DomainError, ParseError, TooLargeError
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Exact
from exactdp.problems.law_schema import Shuffle
from exactdp.problems.randomizer_schema import SymmetricUnaryEncoding
from exactdp.problems.randomizers import randomizer_of
from exactdp.problems.strict_json import path_of_key
from exactdp.shuffle import ShuffleView, Users, Victim, shuffle_view

__all__ = ["Law", "refuse_large_degree", "refuse_long_weights", "shuffle_law", "weight_bits"]

MAX_BITS = 10**10
"""Laws whose weights need more bits than this, all together, are refused."""

MAX_DEGREE = 100_000
"""Common powers of e beyond this degree are refused."""


@dataclass(frozen=True)
class Law:
    """A pair of laws, built on first use.

    Attributes:
        source: The pair, or the view of a shuffled protocol.
        is_lower_bound: Whether messages were merged with loss on request.
        exponents: The rational epsilons in play, in nats.
        users: The number of independent messages, which bounds the powers of e.
        reversed_source: The view with the victim's inputs swapped, for a view.
    """

    source: Pair | ShuffleView
    is_lower_bound: bool = False
    exponents: tuple[Fraction, ...] = ()
    users: int = 1
    reversed_source: ShuffleView | None = None

    @property
    def cells(self) -> int:
        """The number of outcomes."""
        return len(self.source) if isinstance(self.source, Pair) else self.source.cells

    @cached_property
    def pair(self) -> Pair:
        """The pair (P, Q)."""
        return self.source if isinstance(self.source, Pair) else self.source.pair

    def hockey_stick_divergence(self, *, exp_epsilon: Exact) -> Exact:
        """Return D_{e^eps}(P || Q)."""
        if isinstance(self.source, Pair):
            return hockey_stick_divergence(self.source, exp_epsilon=exp_epsilon)
        return self.source.hockey_stick_divergence(exp_epsilon=exp_epsilon)

    def reversed(self) -> Law:
        """Return the law of (Q, P)."""
        source = self.source.reversed() if isinstance(self.source, Pair) else self.reversed_source
        assert source is not None
        return replace(self, source=source, reversed_source=None)


# --- shuffled protocols ----------------------------------------------------------


def shuffle_law(content: Shuffle, *, path: str = "$") -> Law:
    """Return the law of the view of a shuffled protocol.

    Raises:
        ParseError: If a name or an input in the file refers to nothing.
        DomainError: If the protocol makes no sense otherwise.
        TooLargeError: If the exact law is too large.
    """
    built = {
        name: randomizer_of(spec, path=path_of_key(f"{path}.randomizers", name))
        for name, spec in content.randomizers.items()
    }

    def randomizer(name: str, place: str) -> Randomizer:
        if name not in built:
            known = ", ".join(built) or "none"
            raise ParseError(
                f'{place}.randomizer="{name}" is not in randomizers. Define it; there is: {known}.'
            )
        return built[name]

    def user_input(x: int, user: Randomizer, place: str) -> int:
        if x >= user.inputs:
            raise ParseError(
                f"{place}={x} is outside the alphabet 0..{user.inputs - 1} of the randomizer. "
                "Inputs are its row numbers."
            )
        return x

    place = f"{path}.victim"
    first = randomizer(content.victim.randomizer, place)
    inputs = [
        user_input(x, first, f"{place}.inputs[{i}]") for i, x in enumerate(content.victim.inputs)
    ]
    others = []
    for index, group in enumerate(content.others):
        place = f"{path}.others[{index}]"
        user = randomizer(group.randomizer, place)
        others.append(Users(user, user_input(group.input, user, f"{place}.input"), group.count))
    exponents = _exponents(content)
    users = 1 + sum(group.count for group in others)
    refuse_large_degree(exponents, users=1, path=path)
    try:
        view = shuffle_view(Victim(first, (inputs[0], inputs[1])), others, merge=content.merge)
        back = shuffle_view(Victim(first, (inputs[1], inputs[0])), others, merge=content.merge)
    except DomainError as error:
        raise DomainError(f"{path}: {error}") from None
    _refuse_large_view(view, first, inputs, others)
    return Law(view, view.is_lower_bound, exponents, users, back)


def _exponents(content: Shuffle) -> tuple[Fraction, ...]:
    """Return the rational epsilons of the randomizers that the users have."""
    used = {content.victim.randomizer, *(group.randomizer for group in content.others)}
    found = set()
    for name, spec in content.randomizers.items():
        if name in used and not isinstance(spec, list) and spec.epsilon.exponent:
            half = isinstance(spec, SymmetricUnaryEncoding)
            found.add(spec.epsilon.exponent / 2 if half else spec.epsilon.exponent)
    return tuple(sorted(found))


def _refuse_large_view(
    view: ShuffleView, victim: Randomizer, inputs: list[int], others: list[Users]
) -> None:
    """Refuse a view with too many histograms, or with too long weights, before it is built."""
    if view.cells > MAX_CELLS:
        size = f"{view.cells:,}" if view.cells < 10**15 else f"2^{view.cells.bit_length() - 1}"
        raise TooLargeError(
            f"n={view.users} users with {len(view.classes)} distinguishable message classes have "
            f"at least {size} histograms; the limit is {MAX_CELLS:,}. Merge messages "
            '("merge": a certified bound), let the others share fewer inputs, or lower n.'
        )
    groups = [(victim.rows[x], 1) for x in inputs]
    groups += [(group.randomizer.rows[group.input], group.count) for group in others]
    forms = scale_rows([row for row, _ in groups])
    bits = degree = 0
    for total, weights, (_, count) in zip(forms.totals, forms.weights, groups, strict=True):
        bits += count * int(max(abs(c) for c in total.coeffs())).bit_length()
        degree += count * max(0, *(int(weight.degree()) for weight in weights))
    if view.cells * bits * (degree + 1) > MAX_BITS:
        raise TooLargeError(
            f"n={view.users:,} users have {view.cells:,} histograms, with exact weights of about "
            f"{bits * (degree + 1):,} bits each. Lower n, merge messages, or give probabilities "
            "with smaller denominators."
        )


def weight_bits(pair: Pair) -> int:
    """Return about how many bits a weight of the pair has.

    Example:
        >>> weight_bits(Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"]))
        3
    """
    p_total, q_total = pair.p_total, pair.q_total
    if isinstance(p_total, fmpz) and isinstance(q_total, fmpz):
        return max(int(p_total.bit_length()), int(q_total.bit_length()))
    weights = [w for w in (*pair.p, *pair.q) if isinstance(w, Exact)]
    return max((int(w.denominator.degree()) + 1) * 64 for w in weights)


# --- powers of e -----------------------------------------------------------------


def refuse_large_degree(exponents: Iterable[Fraction], *, users: int, path: str) -> None:
    """Refuse epsilons whose common root of e has too large powers.

    e^a and e^b are powers of g = e^r only for r a common divisor of a and b: 1/1000
    and 1/1001 meet in r = 1/1001000.

    Raises:
        TooLargeError: If the degree in g would exceed 100,000.

    Example:
        >>> refuse_large_degree([Fraction(1, 100), Fraction(1, 2)], users=10, path="$")
    """
    sizes = [abs(e) for e in exponents if e]
    if not sizes:
        return
    denominator = lcm(*(e.denominator for e in sizes))
    rate = Fraction(gcd(*(int(e * denominator) for e in sizes)), denominator)
    degree = int(max(sizes) / rate) * (users if len(sizes) > 1 else 1)
    if degree > MAX_DEGREE:
        raise TooLargeError(
            f"{path}: the epsilons in play have the common divisor {rate} nats, "
            f"which makes powers of degree {degree:,}; the limit is {MAX_DEGREE:,}. "
            'Take epsilons with a common denominator, or give e^epsilon as {"log": ...}.'
        )


def refuse_long_weights(law: Law, *, bits: int, path: str) -> None:
    """Refuse a value of so many bits if every outcome's weight would be multiplied by it.

    Raises:
        TooLargeError: If all weights together would need more than 10^10 bits.
    """
    if law.cells * bits > MAX_BITS:
        raise TooLargeError(
            f"{path} makes {law.cells:,} exact weights of about {bits:,} bits each. "
            "Give a number with fewer digits, or a smaller law."
        )
