"""Finite distributions: valid once built, whatever the masses."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.distributions import FinitePmf
from exactdp.errors import DomainError
from exactdp.numbers import Exact

law = settings(max_examples=100)

E = Exact.exp(1)


@law
@given(st.lists(st.fractions(0, 9), min_size=1, max_size=8).filter(any))
def test_normalized_masses_are_python_s_quotients(weights):
    pmf = FinitePmf.normalized(dict(enumerate(weights)))
    assert [m.as_fraction() for m in pmf.masses.values()] == [w / sum(weights) for w in weights]
    assert pmf.probability(range(0, len(weights), 2)).as_fraction() == Fraction(
        sum(weights[::2])
    ) / sum(weights)


def test_sums_of_rational_and_transcendental_masses():
    quarter = FinitePmf({"a": E / (4 * E + 4), "b": 1 / (4 * E + 4), "c": "1/2", "d": "1/4"})
    assert quarter.probability("ab") == Exact("1/4")
    with pytest.raises(
        DomainError,
        match=r"^masses sum to 1\.11552\d+ \(exactly \(5\*e.*, not 1 \(3",
    ):
        FinitePmf({"a": E / (2 * E + 2), "c": "1/2", "d": "1/4"})


@pytest.mark.parametrize(
    ("masses", "message"),
    [
        ({0: "1/2", 1: "1/3"}, r"masses sum to 5/6, not 1 \(2 outcomes\)\. Write masses"),
        ({}, r"masses sum to 0, not 1 \(0 outcomes\)"),
        ({0: "3/2", 1: "-1/2"}, r"masses\[1\]=-1/2 is negative"),
        ({0: float("nan"), 1: "1/2"}, r"=nan is not finite"),
    ],
)
def test_what_is_no_law_is_refused(masses, message):
    with pytest.raises(DomainError, match=message):
        FinitePmf(masses)


def test_a_thousand_rational_masses_are_summed_over_one_denominator(monkeypatch):
    additions = []
    plain = Exact.__add__
    monkeypatch.setattr(Exact, "__add__", lambda a, b: additions.append(b) or plain(a, b))
    masses = {i: Fraction(1, i * (i + 1)) for i in range(1, 1000)} | {1000: Fraction(1, 1000)}
    assert FinitePmf(masses)[999] == Exact("1/999000")
    assert len(additions) <= 1  # each would reduce a fraction


def test_equality_ignores_what_has_no_mass():
    a, b = FinitePmf({0: 1, 1: 0}), FinitePmf({0: 1})
    assert a == b
    assert hash(a) == hash(b)
    assert a != FinitePmf({1: 1})
    assert a != 1


def test_products_mixtures_and_images():
    coin = FinitePmf({0: "1/3", 1: "2/3"})
    total = FinitePmf.product(coin, coin).push_forward(sum)
    assert total == FinitePmf({0: "1/9", 1: "4/9", 2: "4/9"})
    mixed = FinitePmf.mixture(["1/4", "3/4"], [FinitePmf.point(0), coin])
    assert mixed == FinitePmf({0: "1/2", 1: "1/2"})
    with pytest.raises(DomainError, match="2 mixture weights for 1 part"):
        FinitePmf.mixture(["1/4", "3/4"], [coin])
    with pytest.raises(DomainError, match="weights sum to 0"):
        FinitePmf.normalized({0: 0})
