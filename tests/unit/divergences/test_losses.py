"""Privacy loss distributions: atoms, infinities, vertices, the inverse, composition."""

import pytest
from flint import fmpz

from exactdp.distributions import FinitePmf
from exactdp.divergences import Largest, Pair, likelihood
from exactdp.errors import DomainError, TooLargeError
from exactdp.numbers import Epsilon, Exact

# Ratios 2, 1 and infinity, and Q alone with 5/12.
P = FinitePmf({"a": "1/2", "b": "1/3", "c": "1/6"})
Q = FinitePmf({"a": "1/4", "b": "1/3", "d": "5/12"})
LAW = Pair.from_pmfs(P, Q).losses()
DISJOINT = Pair.from_masses([1, 0], [0, 1]).losses()
SAME = Pair.from_masses(["1/3", "2/3"], ["1/3", "2/3"]).losses()
ODDS = Exact.exp("1/2")
E_COIN = Pair.from_masses(
    [ODDS / (1 + ODDS), 1 / (1 + ODDS)], [1 / (1 + ODDS), ODDS / (1 + ODDS)]
).losses()


@pytest.mark.parametrize(
    ("law", "atoms", "infinity", "minus_infinity"),
    [
        (LAW, ((1, "1/3"), (2, "1/2")), "1/6", "5/12"),
        (LAW.reversed(), (("1/2", "1/4"), (1, "1/3")), "5/12", "1/6"),
        (
            Pair.from_masses(["1/2", "1/2"], ["1/3", "2/3"]).losses(),
            (("3/4", "1/2"), ("3/2", "1/2")),
            0,
            0,
        ),
        (DISJOINT, (), 1, 1),
        (SAME, ((1, 1),), 0, 0),
    ],
)
def test_atoms_and_infinities(law, atoms, infinity, minus_infinity):
    assert law.atoms == tuple((Exact(r), Exact(mass)) for r, mass in atoms)
    assert law.breakpoints == tuple(Exact(r) for r, _ in atoms)
    assert law.infinity_mass() == Exact(infinity)
    assert law.minus_infinity_mass() == Exact(minus_infinity)
    assert Pair.from_losses(law).losses() == law
    assert law.reversed().reversed() == law


def test_delta_and_vertices():
    # 1/6 + (1/2)(1 - gamma/2) for 1 <= gamma <= 2.
    assert LAW.delta(Epsilon.log("3/2")) == Exact("1/6") + Exact("1/8")
    assert LAW.delta(Epsilon.rational("1/2")) == Exact("2/3") - ODDS / 4
    assert LAW.delta(Epsilon.log("1/2")) == 1 - Exact("7/24")
    assert LAW.delta(Epsilon.log(1000)) == Exact("1/6")
    assert DISJOINT.delta(Epsilon.log(5)) == 1
    assert LAW.vertices == (
        (Exact(0), Exact(1)),
        (Exact(1), Exact("5/12")),  # 1/6 + (1/2 - 1/4)
        (Exact(2), Exact("1/6")),
    )


@pytest.mark.parametrize(
    ("law", "delta", "epsilon"),
    [
        (LAW, 1, Epsilon.log(1)),
        (LAW, "5/12", Epsilon.log(1)),
        (LAW, "7/24", Epsilon.log("3/2")),
        (LAW, Exact("2/3") - ODDS / 4, Epsilon.rational("1/2")),
        (LAW, "1/6", Epsilon.log(2)),  # the limit is attained
        (LAW, "1/7", Epsilon.infinity()),
        (LAW, 0, Epsilon.infinity()),
        (DISJOINT, 1, Epsilon.log(1)),
        (DISJOINT, "99/100", Epsilon.infinity()),
        (SAME, 0, Epsilon.log(1)),
    ],
)
def test_inverse(law, delta, epsilon):
    assert law.epsilon(delta) == epsilon


@pytest.mark.parametrize("delta", [-1, "11/10", 1.5])
def test_bad_delta(delta):
    with pytest.raises(DomainError, match="delta="):
        LAW.epsilon(delta)


def test_the_largest_of_profiles():
    worst = Largest((LAW, LAW.reversed(), LAW))
    # The reverse has mass 5/12 at infinity, and 5/12 at every gamma >= 1.
    assert worst.delta(Epsilon.log(2)) == Exact("5/12")
    assert worst.epsilon("5/12") == Epsilon.log(1)
    assert worst.epsilon("1/6") == Epsilon.infinity()
    with pytest.raises(DomainError, match="at least one profile"):
        Largest(())


def test_equality_and_hash_ignore_how_the_pair_is_written():
    other = Pair.from_masses(
        ["1/4", "1/6", 0, "1/4", "1/3", 0], ["1/8", 0, "5/12", "1/8", "1/3", 0]
    ).losses()
    assert other == LAW
    assert hash(other) == hash(LAW)
    p, q = ([fmpz(weight) for weight in law] for law in ([6, 4, 2, 0], [3, 4, 0, 5]))
    scaled = Pair(p, q, fmpz(12), fmpz(12))
    assert scaled.losses() == LAW
    assert LAW.reversed() != LAW
    assert LAW != "a law"


def test_ratios_beyond_the_first_comparison_are_sorted_exactly():
    # Three ratios that agree in far more than the 64 bits compared first.
    big = fmpz(10) ** 60
    weights = [big + 2, big, big + 1]
    pair = Pair(weights, [big, big, big + 3], sum(weights, fmpz(0)), 3 * big + 3)
    assert list(pair.losses().p) == [big + 1, big, big + 2]


def test_equal_transcendental_ratios_merge():
    e = Exact.exp(1)
    p = [e / (2 * e + 2)] * 2 + [1 / (1 + e)]
    q = [1 / (2 * e + 2)] * 2 + [e / (1 + e)]
    assert Pair(p, q, Exact(1), Exact(1)).losses().breakpoints == (1 / e, e)


# --- composition ------------------------------------------------------------------


def test_composition_is_the_explicit_product():
    product = Pair.from_pmfs(FinitePmf.product(P, P, P), FinitePmf.product(Q, Q, Q))
    assert LAW.self_compose(3) == product.losses()
    assert LAW.compose(LAW).compose(LAW) == LAW.self_compose(3)
    assert LAW.self_compose(3).delta(Epsilon.log(3)) == product.delta(Epsilon.log(3))


def test_infinite_masses_of_a_composition():
    twice = LAW.self_compose(2)
    assert twice.infinity_mass() == 1 - Exact("5/6") ** 2
    assert twice.minus_infinity_mass() == 1 - Exact("7/12") ** 2
    assert DISJOINT.compose(DISJOINT) == DISJOINT


def test_transcendental_losses_are_added_exactly():
    law = E_COIN.self_compose(4)
    # Losses -2, -1, 0, 1, 2: the sixteen paths fall into five atoms.
    assert [loss for loss, _ in law.atoms] == [Exact.exp(k) for k in (-2, -1, 0, 1, 2)]
    assert law.atoms[4][1] == (ODDS / (1 + ODDS)) ** 4
    mixed = E_COIN.compose(Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"]).losses())
    assert mixed.breakpoints == (1 / (3 * ODDS), ODDS / 3, 3 / ODDS, 3 * ODDS)


def test_zero_and_one_copies():
    nothing = LAW.self_compose(0)
    assert nothing.atoms == ((Exact(1), Exact(1)),)
    assert LAW.compose(nothing) == LAW
    assert LAW.self_compose(1) == LAW
    for times in (-1, 2.5, True):
        with pytest.raises(DomainError, match="times="):
            LAW.self_compose(times)


# --- sizes ------------------------------------------------------------------------

COIN = Pair.from_masses(["2/3", "1/3"], ["1/3", "2/3"]).losses()


@pytest.mark.parametrize("exponent", [5, 9, 18, 5000])
def test_too_many_copies_are_refused_at_once(exponent):
    with pytest.raises(
        TooLargeError,
        match=r"^times=.*(: the composition of 2 losses needs at least |; the limit)",
    ) as found:
        COIN.self_compose(10**exponent)
    assert "\n" not in str(found.value)
    assert len(str(found.value)) < 300


def test_copies_whose_losses_coincide_are_not_too_many():
    assert len(COIN.self_compose(500).atoms) == 501
    assert SAME.self_compose(10**18) == SAME


def test_losses_that_do_not_coincide_are_refused_on_the_way(monkeypatch):
    skewed = Pair.from_masses(["2/17", "3/17", "5/17", "7/17"], ["1/4"] * 4).losses()
    # At least 3 t + 1 losses for t copies, which is not much; in fact C(t + 3, 3).
    assert len(skewed.self_compose(8).atoms) == 165
    with pytest.raises(TooLargeError, match=r"^the product of .* and .* losses needs at least"):
        monkeypatch.setattr(likelihood, "MAX_PRODUCTS", 100_000)
        skewed.self_compose(60)


def test_long_and_transcendental_weights_count():
    one = Exact("1e-20000")
    long = Pair.from_masses([one, 1 - one], ["1/2", "1/2"]).losses()
    with pytest.raises(TooLargeError, match="the limit is"):
        long.self_compose(2_000)
    assert len(E_COIN.self_compose(20).atoms) == 21
    with pytest.raises(TooLargeError, match="the limit is"):
        E_COIN.self_compose(10_000)


def test_a_single_composition_is_guarded_too():
    many = COIN.self_compose(400)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(likelihood, "MAX_PRODUCTS", 100_000)
        with pytest.raises(TooLargeError, match=r"^the product of 401 and 401 losses"):
            many.compose(many)
