"""Multi-user systems: against a sum over everyone's presence and report, in Fractions."""

from fractions import Fraction
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.distributions import FinitePmf
from exactdp.errors import DomainError
from exactdp.pufferfish import MultiUserSystem, Others, Secret, User
from exactdp.testing import fractions
from tests.routes.laws import added, laws_on

ALONE = MultiUserSystem((User(FinitePmf.point(0)),))
presences = st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(4, 5), Fraction(1)])


laws = laws_on(fractions(-3, 3, max_denominator=2), most=3, max_weight=5)
ZERO = {Fraction(0): Fraction(1)}


@st.composite
def secrets(draw):
    """A secret, and what the user adds who has it."""
    a, law = draw(st.integers(-2, 5)), draw(laws)
    return draw(
        st.sampled_from(
            [
                (Secret.absent(), ZERO),
                (Secret.value(a), {Fraction(a): Fraction(1)}),
                (Secret.follows(FinitePmf(law)), law),
            ]
        )
    )


@given(st.lists(st.tuples(laws, presences), min_size=1, max_size=3), secrets(), st.data())
@settings(max_examples=120)
def test_against_enumeration(users, secret_and_own, data):
    secret, own = secret_and_own
    i = data.draw(st.integers(0, len(users) - 1))
    people = [User(FinitePmf(law), presence=zeta) for law, zeta in users]
    rest = [user for j, user in enumerate(users) if j != i]
    present = [{x: zeta * mass for x, mass in law.items()} for law, zeta in rest]
    coming = [
        {**law, Fraction(0): law.get(0, 0) + 1 - zeta}
        for law, (_, zeta) in zip(present, rest, strict=True)
    ]
    at_random = MultiUserSystem(people, Others.PRESENT_AT_RANDOM)
    assert at_random.law_given(i, secret) == FinitePmf(added([own, *coming]))

    system = MultiUserSystem(people, Others.ALL_PRESENT)
    weight = prod(zeta for _, zeta in rest)
    if weight == 0:
        with pytest.raises(DomainError, match="PRESENT_AT_RANDOM"):
            system.law_given(i, secret)
    else:
        found = {x: m * weight for x, m in system.law_given(i, secret).masses.items()}
        assert found == added([own, *present])


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
        (lambda: ALONE.law_given(1, Secret.absent()), "not the index"),
        (lambda: Secret.value(float("nan")), "a=nan is not finite"),
    ],
)
def test_refusals(make, words):
    with pytest.raises(DomainError, match=words):
        make()
