"""Clones of unequal users: against exact laws, against exact views, against equal users."""

from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest

from exactdp.distributions import FinitePmf
from exactdp.divergences import total_variation
from exactdp.errors import DomainError, TooLargeError, UndecidedError
from exactdp.mechanisms import Randomizer, randomized_response
from exactdp.numbers import Epsilon, Exact, decimal, log
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


def overlap(a, b):
    return a.lower <= b.upper and b.lower <= a.upper


@pytest.mark.parametrize("exp_epsilon", GAMMAS)
@pytest.mark.parametrize(
    "pair",
    [
        personalized_clones(Epsilon.log(3), [("1/4", 1), ("1/6", 1)]),
        personalized_clones(Epsilon.log(3), [("1/4", 3), ("1/6", 2), ("1/50", 4), (0, 2)]),
        personalized_clones(Epsilon.log(5), [("1/2", 6)]),
        PersonalizedCountPair(Exact(1), ((Exact("1/3"), 4), (Exact("1/7"), 1))),
        PersonalizedCountPair(Exact("1/5"), ((Exact("1/3"), 2),)),
    ],
)
def test_enclosures_hold_the_exact_divergence(pair, exp_epsilon):
    laws = pair.pair()
    truth = laws.delta(Epsilon(Exact(exp_epsilon)))
    assert laws.reversed().delta(Epsilon(Exact(exp_epsilon))) == truth
    found = pair.delta(Epsilon(Exact(exp_epsilon)), relative_width="1e-20")
    assert found.contains(truth)
    assert found.width <= found.lower / 10**20


def test_the_exact_laws_by_hand():
    laws = personalized_clones(Epsilon.log(3), [("1/4", 1)]).pair()
    p = FinitePmf({i: mass for i, (mass, _) in enumerate(laws.masses())})
    # C = 0: (1, 0) has 3/8; C = 1: (2, 0) has (1/2)(1/2)(3/4) = 3/16.
    assert sorted(p.masses.values()) == [
        Fraction(1, 16), Fraction(1, 8), Fraction(3, 16), Fraction(1, 4), Fraction(3, 8)
    ]  # fmt: skip


@pytest.mark.parametrize("n", [2, 50, 20_000])
def test_equal_users_are_the_ordinary_clones(n):
    epsilon, at = Epsilon.rational(1), Exact.exp("1/50")
    for theirs, r in (
        (clone_pair(n, epsilon), 1 / (2 * epsilon.exp)),
        (stronger_clone_pair(n, epsilon), 1 / (epsilon.exp + 1)),
    ):
        mine = personalized_clones(epsilon, [(r, n - 1)])
        assert overlap(
            mine.delta(Epsilon(Exact(at)), relative_width="1e-9"),
            theirs.delta(Epsilon(Exact(at)), relative_width="1e-9"),
        )
    assert mine.users == n


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
        truth = max(
            view.delta(Epsilon(Exact(exp_epsilon))),
            back.delta(Epsilon(Exact(exp_epsilon))),
        )
        epsilon_at = Epsilon(Exact(exp_epsilon))
        exact = by_clones.weight * by_clones.pair().delta(epsilon_at)
        assert exact >= truth
        assert by_clones.delta(epsilon_at, relative_width="1e-9").contains(exact)


def test_binary_randomized_response_with_unequal_epsilons():
    victim = randomized_response(2, Epsilon.log(3))
    others = [randomized_response(2, Epsilon.log(x)) for x in (2, 3, "3/2")]
    letters = [c.law for c in clone_decomposition(victim, epsilon0=Epsilon.log(3)).letters]
    assert letters == [(1, 0), (0, 1)]
    # r_i = 1/(x_i + 1): the smaller mass of user i's row.
    weights = [letter_weight(letters, r.rows) for r in others]
    assert weights == [Fraction(1, 3), Fraction(1, 4), Fraction(2, 5)]


def test_a_weight_above_the_largest_is_no_decomposition():
    letters = [(Exact(1), Exact(0)), (Exact(0), Exact(1))]
    row = (Exact("1/3"), Exact("2/3"))
    r = letter_weight(letters, [row])
    left = [mass - r * (a + b) for mass, a, b in zip(row, *letters, strict=True)]
    assert min(left) == 0


def test_disjoint_messages_hide_nothing():
    letters = [(Exact(1), Exact(0), Exact(0)), (Exact(0), Exact(1), Exact(0))]
    assert letter_weight(letters, [(Exact(0), Exact(0), Exact(1))]) == 0
    alone = personalized_clones(Epsilon.log(3), [(0, 1000)])
    assert alone.delta(Epsilon.log(2), relative_width="1e-9").contains(Exact("1/4"))


def test_weights_from_ratios():
    assert clone_weight(4) == Fraction(1, 8)


def test_delta_falls_with_every_weight():
    found = [
        personalized_clones(Epsilon.log(3), [(r, 5), ("1/9", 3)]).delta(
            Epsilon.log("3/2"), relative_width="1e-9"
        )
        for r in ("1/100", "1/10", "1/5", "1/4")
    ]
    assert all(a.lower > b.upper for a, b in pairwise(found))


def test_epsilon_is_where_delta_is_met():
    others = [(1 / (2 * Exact.exp(Fraction(i, 40))), 50) for i in range(1, 80)]
    pair = personalized_clones(Epsilon.rational(2), others)
    found = pair.epsilon("1e-6", relative_width="1e-6")
    assert 0 < found.lower < found.upper <= found.lower * (1 + Fraction(1, 10**6))
    target = Fraction(1, 10**6)
    assert pair.delta(Epsilon.rational(found.upper), relative_width="1e-9").upper <= target
    assert pair.delta(Epsilon.rational(found.lower), relative_width="1e-9").lower > target
    assert pair.epsilon("0.9").upper == 0
    shown = decimal(pair.delta(Epsilon.rational("1/20")), digits=8)
    ends = pair.delta(Epsilon.rational("1/20"), relative_width="1e-9")
    assert decimal(Exact(ends.lower), digits=8) == shown


def test_tiny_deltas_keep_their_accuracy():
    pair = personalized_clones(Epsilon.rational(1), [("1/4", 3000)])
    found = pair.delta(Epsilon.rational("1/2"), relative_width="1e-9")
    other = clone_pair(3001, Epsilon.rational(1))
    assert found.upper < Fraction(1, 10**30)
    assert found.width <= found.lower / 10**9
    assert found.upper < other.delta(Epsilon.rational("1/2"), relative_width="1e-9").lower


def test_beyond_the_victims_own_epsilon_nothing_is_left():
    pair = personalized_clones(Epsilon.log(3), [("1/4", 5)])
    assert pair.delta(Epsilon.log(3)) == 0
    assert pair.delta(Epsilon.log(7), relative_width="1e-9").upper == 0
    never = PersonalizedCountPair(Exact(1), ((Exact("1/3"), 4),))
    # As γ grows the outcomes (C + 1, 0) are left: E[2^-C] = (2/3)^4.
    assert never.epsilon("0.19").is_infinite
    assert never.epsilon("0.2").upper > 0
    assert decimal(never.infinity_mass(), digits=9) == decimal(Exact("16/81"), digits=9)
    assert never.max_divergence().is_infinite and pair.max_divergence() == Epsilon.log(3)
    assert pair.infinity_mass() == 0
    assert pair.reversed() is pair.both_directions() is pair


def test_refusals():
    with pytest.raises(DomainError, match="others"):
        personalized_clones(Epsilon.log(3), [("2/3", 1)])
    with pytest.raises(DomainError, match="users"):
        personalized_clones(Epsilon.log(3), [("1/3", -1)])
    with pytest.raises(DomainError, match="at least 0"):
        personalized_clones(Epsilon.log(3), []).delta(Epsilon.log("1/2"), relative_width="1e-9")
    with pytest.raises(DomainError, match="ratio"):
        clone_weight("1/2")
    with pytest.raises(DomainError, match="same"):
        letter_weight([(Exact(1), Exact(0)), (Exact(0), Exact(1))], [(Exact(1),)])
    with pytest.raises(DomainError, match="no row"):
        letter_weight([(Exact(1),), (Exact(1),)], [])
    with pytest.raises(TooLargeError, match="Ask for delta"):
        personalized_clones(Epsilon.log(3), [("1/4", 10**4)]).pair()
    with pytest.raises(DomainError, match="not exact"):
        personalized_clones(Epsilon.log(3), [(log(2) / 4, 1)]).pair()
    with pytest.raises(UndecidedError, match="told"):
        tied = personalized_clones(Epsilon.log(3), [("1/6", 2)])
        tied.epsilon(total_variation(tied.pair()))
