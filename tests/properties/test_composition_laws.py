"""Laws of composed losses, and of enclosures."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.distributions import FinitePmf
from exactdp.divergences import (
    Pair,
    kl_divergence,
    renyi_divergence,
    renyi_moment,
    trade_off_function,
)
from exactdp.numbers import enclosure
from exactdp.testing import (
    exact_pairs,
    rational_pairs,
)

law = settings(max_examples=60)

all_pairs = rational_pairs() | exact_pairs()


@law
@given(first=rational_pairs(max_size=3), second=rational_pairs(max_size=3))
def test_composition_is_the_product(first, second):
    def law_of(pair, side):
        return FinitePmf({i: masses[side] for i, masses in enumerate(pair.masses())})

    product = Pair.from_pmfs(
        FinitePmf.product(law_of(first, 0), law_of(second, 0)),
        FinitePmf.product(law_of(first, 1), law_of(second, 1)),
    )
    left, right = first.losses(), second.losses()
    assert left.compose(right) == product.losses()
    assert left.compose(right) == right.compose(left)
    assert product.max_divergence() == first.max_divergence() + second.max_divergence()


@law
@given(
    first=exact_pairs(),
    second=rational_pairs(max_size=3, max_weight=4),
)
def test_composition_of_rational_and_transcendental_pairs(first, second):
    masses = [(a * c, b * d) for a, b in first.masses() for c, d in second.masses()]
    product = Pair.from_masses([p for p, _ in masses], [q for _, q in masses])
    assert first.losses().compose(second.losses()) == product.losses()


@law
@given(pair=rational_pairs(max_size=3), times=st.integers(0, 5))
def test_repeated_squaring_is_repeated_composition(pair, times):
    one = pair.losses()
    result = one.self_compose(times=0)
    for _ in range(times):
        result = result.compose(one)
    assert one.self_compose(times=times) == result
    if not pair.max_divergence().is_infinite:
        assert (
            renyi_moment(Pair.from_losses(result), order=2) == renyi_moment(pair, order=2) ** times
        )


@law
@given(pair=all_pairs)
def test_masses_of_the_losses_sum_to_one_under_both_laws(pair):
    loss = pair.losses()
    assert sum((mass for _, mass in loss.atoms), loss.infinity_mass()) == 1
    under_q = sum((mass / exp_loss for exp_loss, mass in loss.atoms), loss.minus_infinity_mass())
    assert under_q == 1


@law
@given(pair=rational_pairs(max_size=5), order=st.permutations(range(5)))
def test_canonical_form_forgets_order_scale_and_splitting(pair, order):
    masses = [m for i in order if i < len(pair) for m in [pair.masses()[i]]]
    halves = [(p / 2, q / 2) for p, q in masses for _ in range(2)]
    rewritten = Pair.from_masses([p for p, _ in halves], [q for _, q in halves])
    assert rewritten.losses() == pair.losses()
    assert rewritten.losses().weights() == pair.losses().weights()
    assert trade_off_function(rewritten) == trade_off_function(pair)
    assert Pair.from_losses(pair.losses()).losses() == pair.losses()


@pytest.mark.parametrize("bits", [64, 500])
def test_enclosures_are_as_narrow_as_asked(bits):
    coin = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
    for number in (kl_divergence(coin), renyi_divergence(coin, order="7/3")):
        found = enclosure(number, relative_bits=bits)
        assert found.width * 2**bits <= found.lower
