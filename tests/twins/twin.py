"""Twins, and those of the usual shapes: a pair, noise, inputs, counts, users."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from exactdp.divergences import Pair, PrivacyProfile
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Epsilon
from exactdp.shuffle import shuffle_worst_case
from tests.twins import definitions as d
from tests.twins import shown
from tests.twins.games import Versus, mixed

F = Fraction
LN2, LN3 = Epsilon.log(2), Epsilon.log(3)
COMPOSED = frozenset({"twice", "with a coin", "with noise", "groups"})
ALL_BUT_ALONE = COMPOSED | {"reversed", "both ways", "sampled", "sampled, reversed", "renyi"}
GROUPS = frozenset({"groups"})


@dataclass(frozen=True)
class Twin:
    """A kind of mechanism: the profile that a user gets, and all pairs of neighbors.

    Attributes:
        make: Calls the public function.
        sides: All pairs, by the direction in which neighbors differ: one for all parts of a
            composition. With the name "" it stands beside every direction.
        groups: Pairs of neighbors that are two records apart, where the definition says which.
        above: The pairs that the documented bound is of, where the function states a bound.
        stays_both: Whether a sample of it is for both directions again.
        slack: How much, relatively, the truth may be above what a grid of inputs shows.
        slow: Operations that only the deep run asks; "renyi" for the divergences of one.
        slow_epsilon: Whether only the deep run asks epsilon where it is composed, as of doubles.
    """

    make: Callable[[], PrivacyProfile]
    sides: Callable[[], dict[str, list[Versus]]]
    groups: Callable[[], dict[str, list[Versus]]] | None = None
    above: Callable[[], dict[str, list[Versus]]] | None = None
    stays_both: bool = False
    slack: str = "0"
    slow: frozenset[str] = frozenset()
    slow_epsilon: bool = False


def pair(p, q):
    """Return a pair by its masses, as texts."""
    return Versus(*(tuple(F(x) for x in law.split()) for law in (p, q)))


def alone(*pairs):
    """Return pairs that stand beside every direction."""
    return {"": list(pairs)}


def given(p, q):
    """Return the twin of one ordered pair that is given by its masses."""
    return Twin(lambda: Pair.from_masses(p.split(), q.split()), lambda: alone(pair(p, q)))


def of_pairs(make, *pairs, **options):
    """Return the twin of the worst of some pairs."""
    return Twin(make, lambda: alone(*pairs), **options)


def of_noise(make, noise, most=1, *, steps=1, **options):
    """Return the twin of noise on a value that moves by up to so much, either way."""
    return Twin(
        make,
        lambda: {"": noise().moved(most, steps=steps)},
        lambda: {"": noise().moved(2 * most, steps=2 * steps)},
        **options,
    )


def of_inputs(make, law, inputs, apart, *, spread=0.0, **options):
    """Return the twin of a law of an input; neighbors are so far apart, in either order."""
    return Twin(
        make,
        lambda: {"": d.inputs_apart(law, inputs, apart, spread=spread)},
        lambda: {"": d.inputs_apart(law, inputs, [2 * x for x in apart], spread=spread)},
        **options,
    )


def of_counts(make, law, most=12, *, spread=0.0, **options):
    """Return the twin of counts of up to so many users: n -> n + 1, and back."""

    def sides(size=1):
        counts = [(1,) * n for n in range(most + 1)]
        return d.both(d.removals(law(), counts, (1,), size=size, spread=spread))

    return Twin(make, sides, lambda: sides(2), **options)


def of_gaussian(make, squared, sigma):
    """Return the twin of noise on a vector that moves by a length whose square is given."""
    length = squared**0.5
    return of_noise(
        make, lambda: d.gaussian(sigma, most=2 * length, reach=9 * sigma, per_unit=100), length
    )


def weighted(noise, first, second):
    """Return two mixtures of noise around values, each a dictionary of weights."""
    laws = (mixed(*((w, noise.law(x)) for x, w in side.items())) for side in (first, second))
    return Versus(*laws, noise.spread)


def of_users(rows, users, make=None):
    """Return the twin of shuffled users, of the worst data of all."""
    return Twin(
        lambda: shuffle_worst_case(users, make() if make else Randomizer.from_matrix(rows)),
        lambda: {"": shown.shuffled_pairs(rows, users)},
        slow=COMPOSED,
    )


def of_guarantee(make, growth, delta):
    """Return the twin of the worst (ln growth, delta)-private mechanism."""
    b, left = F(growth), 1 - F(delta)
    p = F(delta), left * b / (1 + b), left / (1 + b), F(0)
    return of_pairs(make, Versus(p, p[::-1]))
