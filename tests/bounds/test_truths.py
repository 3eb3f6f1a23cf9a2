"""The truths of bounds, by two routes; and formulas of a paper in doubles and exactly."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.accounting import compose, composed_randomized_response
from exactdp.bounds import published
from exactdp.claims import exact_value, hockey_stick, term
from exactdp.divergences import Pair
from exactdp.divergences.values import enclosed
from exactdp.mechanisms import randomized_response
from exactdp.numbers import Epsilon, Exact, certainly_below
from exactdp.shuffle import Users, Victim, shuffle_view
from exactdp.testing import assert_never_below_truth
from proofs_check.biswas2023 import bounds as biswas
from proofs_check.biswas2023.protocol import count_pair
from proofs_check.lemmas.targets import shuffled


@given(
    st.integers(1, 8).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n - 1))),
    st.integers(2, 6),
    st.integers(1, 24).map(lambda i: 1 + i / 8),
    st.integers(1, 24).map(lambda i: 1 + i / 16),
)
def test_the_repaired_delta_of_the_count_in_doubles(sizes, k, x, e):
    """(6) with the second form of (15): the truth exactly, and in doubles to 2^-40."""
    n, n_x0 = sizes
    c = biswas.Counts(k, n, n_x0)
    form = biswas.exp_privacy_loss_form_2
    computed = biswas.delta_hat(x, c, e, form)
    exact_x, exact_e = Exact(Fraction(x)), Exact(Fraction(e))
    truth = exact_value(hockey_stick(count_pair(term(exact_x), c.k, c.plainest), exact_e))
    assert truth == biswas.delta_hat(exact_x, c, exact_e, form)
    assert abs(Fraction(computed) - truth.as_fraction()) <= Fraction(1, 2**40)


def test_the_printed_delta_is_caught():
    """The printed (6) at the smallest witness is below the truth, and by more than rounding."""
    c = biswas.Counts(2, 2, 0)
    truth = exact_value(hockey_stick(count_pair(term(4), c.k, c.plainest), 2))
    with pytest.raises(AssertionError, match="below"):
        assert_never_below_truth(biswas.delta_hat(4.0, c, 2.0), truth, at=c)


def test_the_worst_composition_dominates_randomized_response():
    """Two routes to k-fold composition agree where delta = 0."""
    pair = Pair.from_masses(["3/5", "2/5"], ["2/5", "3/5"])
    rr = composed_randomized_response(Epsilon.log("3/2"), 7)
    assert compose([(pair, 7)]).delta(Epsilon.log(2)) == rr.delta(Epsilon.log(2))


@pytest.mark.parametrize("n", [2, 3, 6])
@pytest.mark.parametrize("ones", [0, 1])
def test_a_protocol_is_between_what_is_known(n, ones):
    """Explicit views of binary randomized response are below what is above, at every ε asked."""
    below, above = shuffled(n, Fraction(1))
    rr = randomized_response(2, Epsilon.rational(1))
    others = [Users(rr, 1, ones), Users(rr, 0, n - 1 - ones)]
    view = shuffle_view(Victim(rr, (0, 1)), [one for one in others if one.count])
    for nats in ("1/10", "1/2"):
        at = Epsilon.rational(nats)
        mine = view.pair.delta(at)
        ends = [enclosed(one.profile.delta(at), "1e-9") for one in above]
        assert not any(certainly_below(Exact(end.upper), mine) for end in ends)
        known = [one for one in below if "binary" in one.words]
        if ones == 0:
            assert any(enclosed(one.profile.delta(at), "1e-9").contains(mine) for one in known)


def test_a_bound_that_is_refuted_says_so_first():
    found = published("biswas2023/theorem-IV.1")
    assert found.verdict == "refuted"
    answer = found(n=2, k=2, n_x0=0, epsilon0="1.386", epsilon="0.693")
    assert answer.below_truth == "formula"
