"""Multi-user systems: against a sum over everyone's presence and report, in Fractions."""

from fractions import Fraction
from itertools import product
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.distributions import FinitePmf
from exactdp.errors import DomainError
from exactdp.pufferfish import MultiUserSystem, Others, Secret, User

presences = st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(4, 5), Fraction(1)])


@st.composite
def laws(draw):
    points = st.fractions(-3, 3, max_denominator=2)
    support = draw(st.lists(points, min_size=1, max_size=3, unique=True))
    weights = draw(st.lists(st.integers(1, 5), min_size=len(support), max_size=len(support)))
    return {x: Fraction(w, sum(weights)) for x, w in zip(support, weights, strict=True)}


secrets = st.one_of(
    st.just(("absent", None)),
    st.tuples(st.just("value"), st.integers(-2, 5)),
    st.tuples(st.just("follows"), laws()),
)


def secret_of(kind, argument):
    match kind:
        case "absent":
            return Secret.absent()
        case "value":
            return Secret.value(argument)
        case _:
            return Secret.follows(FinitePmf(argument))


def outcomes(kind, argument):
    """Return what user i can add, and with which probability."""
    match kind:
        case "absent":
            return [(Fraction(0), Fraction(1))]
        case "value":
            return [(Fraction(argument), Fraction(1))]
        case _:
            return list(argument.items())


def by_enumeration(users, i, secret, *, only_all_present):
    """Return the joint weights Pr(others' presence as asked, X = x | secret)."""
    choices = []
    for j, (law, zeta) in enumerate(users):
        if j == i:
            choices.append(outcomes(*secret))
            continue
        present = [(x, zeta * mass) for x, mass in law.items()]
        choices.append(present if only_all_present else [*present, (Fraction(0), 1 - zeta)])
    result = {}
    for combination in product(*choices):
        x = sum((value for value, _ in combination), Fraction(0))
        result[x] = result.get(x, 0) + prod(mass for _, mass in combination)
    return result


@given(st.lists(st.tuples(laws(), presences), min_size=1, max_size=3), secrets, st.data())
@settings(max_examples=120)
def test_against_enumeration(users, secret, data):
    i = data.draw(st.integers(0, len(users) - 1))
    people = [User(FinitePmf(law), presence=zeta) for law, zeta in users]
    conditioned_on_nothing = MultiUserSystem(people, Others.PRESENT_AT_RANDOM)
    expected = by_enumeration(users, i, secret, only_all_present=False)
    assert conditioned_on_nothing.law_given(i, secret_of(*secret)) == FinitePmf(expected)

    printed = by_enumeration(users, i, secret, only_all_present=True)
    system = MultiUserSystem(people, Others.ALL_PRESENT)
    weight = prod(zeta for j, (_, zeta) in enumerate(users) if j != i)
    if weight == 0:
        with pytest.raises(DomainError, match="PRESENT_AT_RANDOM"):
            system.law_given(i, secret_of(*secret))
    else:
        law = system.law_given(i, secret_of(*secret))
        assert {x: m * weight for x, m in law.masses.items()} == printed


def test_the_absent_user_is_the_user_who_reports_zero():
    coin = FinitePmf({1: "1/2", 4: "1/2"})
    for others in Others:
        system = MultiUserSystem((User(coin, presence="1/2"), User(coin)), others)
        absent, zero = system.pair(1, Secret.absent(), Secret.value(0))
        assert absent == zero


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: MultiUserSystem(()), "users is empty"),
        (lambda: User(FinitePmf.point(0), presence=2), "presence=2 is not a probability"),
        (lambda: MultiUserSystem((User(FinitePmf.point(0)),)).law_of_others(1), "no index"),
        (lambda: Secret.value(0.5), "a=0.5 is a float"),
    ],
)
def test_refusals(make, words):
    with pytest.raises(DomainError, match=words):
        make()
