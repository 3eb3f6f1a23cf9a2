"""Clones of unequal users: against exact laws, against exact views, against equal users."""

from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest

from exactdp.errors import DomainError, UndecidedError
from exactdp.mechanisms import Randomizer, randomized_response
from exactdp.numbers import Epsilon, Exact, decimal
from exactdp.shuffle import (
    Users,
    Victim,
    clone_decomposition,
    clone_pair,
    clone_weight,
    letter_weight,
    shuffle_view,
    stronger_clone_pair,
)
from proofs_check.liu2024.personalized_clones import (
    PersonalizedCountPair,
    personalized_clones,
)

GAMMAS = ["1", "5/4", "2", "5/2", "3", "4"]


def at(profile, epsilon, width="1e-9"):
    return profile.delta(epsilon, relative_width=width)


def view_of(pair):
    """The exact view of users who send letter 0, letter 1 or neither; the victim then says so."""
    a, v = pair.first, pair.weight
    victim = Randomizer(
        tuple((v * x, v * (1 - x), Exact(0), 1 - v) for x in (a, 1 - a)),
    )
    users = [
        Users(Randomizer(((r, r, 1 - 2 * r, Exact(0)),)), 0, count) for r, count in pair.others
    ]
    return shuffle_view(Victim(victim), users)


@pytest.mark.parametrize("exp_epsilon", ["1", "5/4", "2", "5/2", "3", "4"])
@pytest.mark.parametrize(
    "pair",
    [
        personalized_clones(Epsilon.log(3), [("1/4", 1), ("1/6", 1)]),
        personalized_clones(Epsilon.log(3), [("1/4", 3), ("1/6", 2), ("1/50", 4), (0, 2)]),
        personalized_clones(Epsilon.log(5), [("1/2", 6)]),
        PersonalizedCountPair(Exact(1), ((Exact("1/3"), 4), (Exact("1/7"), 1))),
        PersonalizedCountPair(Exact("1/5"), ((Exact("1/3"), 2),), Exact("2/3")),
    ],
)
def test_enclosures_hold_the_exact_divergence(pair, exp_epsilon):
    epsilon, view = Epsilon.log(exp_epsilon), view_of(pair)
    truth = view.delta(epsilon)
    assert view.reversed().delta(epsilon) == truth
    found = at(pair, epsilon, "1e-20")
    assert found.contains(truth)
    assert found.width <= found.lower / 10**20


@pytest.mark.parametrize("n", [2, 50, 20_000])
def test_equal_users_are_the_ordinary_clones(n):
    epsilon, asked = Epsilon.rational(1), Epsilon.rational("1/50")
    for theirs, r in (
        (clone_pair(n, epsilon), 1 / (2 * epsilon.exp)),
        (stronger_clone_pair(n, epsilon), 1 / (epsilon.exp + 1)),
    ):
        mine = personalized_clones(epsilon, [(r, n - 1)])
        a, b = at(mine, asked), at(theirs, asked)
        assert mine.users == n and a.lower <= b.upper and b.lower <= a.upper


def random_row(random, k):
    weights = [random.randint(1, 6) for _ in range(k)]
    return tuple(Exact(Fraction(w, sum(weights))) for w in weights)


@pytest.mark.parametrize("seed", range(40))
def test_bounds_are_never_below_the_view_of_unequal_users(seed):
    random = Random(seed)
    k = random.choice([2, 3])
    first = second = random_row(random, k)
    while first == second:
        second = random_row(random, k)
    victim = Randomizer((first, second))
    others = [Randomizer((random_row(random, k),)) for _ in range(random.randint(1, 3))]
    view = shuffle_view(Victim(victim), [Users(r, 0) for r in others])
    back = shuffle_view(Victim(victim, (1, 0)), [Users(r, 0) for r in others])
    epsilon = victim.ldp_epsilon()
    clones = clone_decomposition(victim, epsilon0=epsilon, others=[]).letters
    by_clones = personalized_clones(
        epsilon, [(letter_weight([c.law for c in clones], r.rows), 1) for r in others]
    )
    for exp_epsilon in (1, Fraction(5, 4), Fraction(3, 2), 2):
        asked = Epsilon.log(exp_epsilon)
        exact = view_of(by_clones).delta(asked)
        assert exact >= max(view.delta(asked), back.delta(asked))
        assert at(by_clones, asked).contains(exact)


def test_binary_randomized_response_with_unequal_epsilons():
    victim = randomized_response(2, Epsilon.log(3))
    others = [randomized_response(2, Epsilon.log(x)) for x in (2, 3, "3/2")]
    letters = [c.law for c in clone_decomposition(victim, epsilon0=Epsilon.log(3)).letters]
    assert letters == [(1, 0), (0, 1)]
    # r_i = 1/(x_i + 1): the smaller mass of user i's row.
    weights = [letter_weight(letters, r.rows) for r in others]
    assert weights == [Fraction(1, 3), Fraction(1, 4), Fraction(2, 5)]


def test_disjoint_messages_hide_nothing():
    letters = [(Exact(1), Exact(0), Exact(0)), (Exact(0), Exact(1), Exact(0))]
    assert letter_weight(letters, [(Exact(0), Exact(0), Exact(1))]) == 0
    alone = personalized_clones(Epsilon.log(3), [(0, 1000)])
    assert at(alone, Epsilon.log(2)).contains(Exact("1/4"))


def test_delta_falls_with_every_weight():
    found = [
        at(personalized_clones(Epsilon.log(3), [(r, 5), ("1/9", 3)]), Epsilon.log("3/2"))
        for r in ("1/100", "1/10", "1/5", "1/4")
    ]
    assert all(a.lower > b.upper for a, b in pairwise(found))


def test_epsilon_is_where_delta_is_met():
    others = [(1 / (2 * Exact.exp(Fraction(i, 40))), 50) for i in range(1, 80)]
    pair = personalized_clones(Epsilon.rational(2), others)
    found = pair.epsilon("1e-6", relative_width="1e-6")
    assert 0 < found.lower < found.upper <= found.lower * (1 + Fraction(1, 10**6))
    target = Fraction(1, 10**6)
    assert at(pair, Epsilon.rational(found.upper)).upper <= target
    assert at(pair, Epsilon.rational(found.lower)).lower > target
    assert pair.epsilon("0.9").upper == 0
    asked = Epsilon.rational("1/20")
    shown = decimal(pair.delta(asked), digits=8)
    assert decimal(Exact(at(pair, asked).lower), digits=8) == shown


def test_tiny_deltas_keep_their_accuracy():
    found, other = (
        at(pair, Epsilon.rational("1/2"))
        for pair in (
            personalized_clones(Epsilon.rational(1), [("1/4", 3000)]),
            clone_pair(3001, Epsilon.rational(1)),
        )
    )
    assert found.upper < Fraction(1, 10**30)
    assert found.width <= found.lower / 10**9
    assert found.upper < other.lower


def test_beyond_the_victims_own_epsilon_nothing_is_left():
    pair = personalized_clones(Epsilon.log(3), [("1/4", 5)])
    assert pair.delta(Epsilon.log(3)) == 0
    assert at(pair, Epsilon.log(7)).upper == 0
    never = PersonalizedCountPair(Exact(1), ((Exact("1/3"), 4),))
    # As γ grows the outcomes (C + 1, 0) are left: E[2^-C] = (2/3)^4.
    assert never.epsilon("0.19").is_infinite
    assert never.epsilon("0.2").upper > 0
    assert decimal(never.infinity_mass(), digits=9) == decimal(Exact("16/81"), digits=9)
    assert never.max_divergence().is_infinite and pair.max_divergence() == Epsilon.log(3)
    assert pair.infinity_mass() == 0
    assert pair.reversed() is pair.both_directions() is pair


def test_weights():
    letters = [(Exact(1), Exact(0)), (Exact(0), Exact(1))]
    assert letter_weight(letters, [(Exact("1/3"), Exact("2/3"))]) == Exact("1/3")
    assert clone_weight(4) == Fraction(1, 8)
    with pytest.raises(DomainError, match="ratio"):
        clone_weight("1/2")
    with pytest.raises(DomainError, match="same"):
        letter_weight(letters, [(Exact(1),)])
    with pytest.raises(DomainError, match="no row"):
        letter_weight([(Exact(1),), (Exact(1),)], [])


def test_refusals():
    with pytest.raises(DomainError, match="others"):
        personalized_clones(Epsilon.log(3), [("2/3", 1)])
    with pytest.raises(DomainError, match="users"):
        personalized_clones(Epsilon.log(3), [("1/3", -1)])
    with pytest.raises(DomainError, match="at least 0"):
        at(personalized_clones(Epsilon.log(3), []), Epsilon.log("1/2"))
    with pytest.raises(UndecidedError, match="told"):
        tied = personalized_clones(Epsilon.log(3), [("1/6", 2)])
        tied.epsilon(view_of(tied).delta(Epsilon.log(1)))
