"""Every bound of every paper folder: formula against truth, and float against formula."""

import math
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.accounting import compose, composed_randomized_response
from exactdp.claims import exact_value, hockey_stick, term
from exactdp.distributions import FinitePmf
from exactdp.divergences import Pair, renyi_divergence
from exactdp.errors import UndecidedError
from exactdp.mechanisms import Randomizer, randomized_response
from exactdp.numbers import Epsilon, Exact
from exactdp.numbers.real_functions import evaluate, evaluate_float, lower_float, upper_float
from exactdp.pufferfish import smallest_scale
from exactdp.shuffle import Users, Victim, shuffle_view, variation_ratio_pair
from exactdp.testing import (
    assert_contains_truth,
    assert_never_above_truth,
    assert_never_below_truth,
)
from proofs_check.balle2019 import bounds as balle
from proofs_check.biswas2023 import bounds as biswas
from proofs_check.biswas2023.protocol import count_pair
from proofs_check.ding2025 import bounds as ding
from proofs_check.erlingsson2019 import bounds as erlingsson
from proofs_check.feldman2021 import bounds as feldman
from proofs_check.feldman2023 import bounds as stronger
from proofs_check.wang2023 import bounds as variation

QUICK = settings(max_examples=25)


def fractions(low: int, high: int, *, of: int = 8) -> st.SearchStrategy[Fraction]:
    """low/of, ..., high/of: doubles hold them exactly."""
    return st.integers(low, high).map(lambda i: Fraction(i, of))


def among(*values: str) -> st.SearchStrategy[Fraction]:
    return st.sampled_from([Fraction(value) for value in values])


DYADIC = fractions(1, 16)
DELTAS = among("1/2", "1/8", "1/128", "1/1048576")


def shuffled_pair(n: int, epsilon0: Fraction) -> Pair:
    """Shuffled binary randomized response, for one dataset."""
    rr = randomized_response(2, Epsilon.rational(epsilon0))
    return shuffle_view(Victim(rr), [Users(rr, 1, n - 1)]).pair


def shuffled_epsilon(n: int, epsilon0: Fraction, delta: Fraction) -> Any:
    return shuffled_pair(n, epsilon0).epsilon(delta).nats


def composed_epsilon(k: int, epsilon: Fraction, delta: Fraction) -> Any:
    composed = composed_randomized_response(Epsilon.rational(epsilon), k)
    return composed.losses().epsilon(delta).nats


def subsampled_epsilon(q: Fraction, epsilon: Fraction) -> Any:
    """The largest loss of (1-q) mu_0 + q mu_1 against mu_0, randomized response."""
    return Epsilon(1 + Exact(q) * (Exact.exp(epsilon) - 1)).nats


def shuffled_renyi(n: int, epsilon0: Fraction, order: int) -> Any:
    return renyi_divergence(shuffled_pair(n, epsilon0), order=order)


def shuffled_delta(k: int, epsilon: Fraction, gamma: Fraction) -> Any:
    """The delta of three users of k-ary randomized response with a blanket of mass gamma."""
    rows = [[gamma / k + (1 - gamma) * (x == y) for y in range(k)] for x in range(k)]
    rr = Randomizer.from_matrix(rows)
    view = shuffle_view(Victim(rr), [Users(rr, 1, 2)])
    return view.delta(Epsilon.rational(epsilon))


def hoeffding_of_three_users(f: Any, *, k: Any, epsilon: Any, gamma: Any) -> Any:
    e = f.exp(epsilon)
    width = balle.k_rr_range(f, k=k, exp_epsilon=e, gamma=gamma)
    return balle.hoeffding(f, n=3, exp_epsilon=e, gamma=gamma, width=width)


@cache
def explicit_variation_ratio_pair(n: int, p: Fraction, beta: Fraction, q: int) -> Pair:
    return variation_ratio_pair(n, p=p, beta=beta, q=q).pair()


def variation_ratio_epsilon(n: int, p: Fraction, beta: Fraction, q: int, delta: Fraction) -> Any:
    return explicit_variation_ratio_pair(n, p, beta, q).epsilon(delta).nats


def replacement_scale(low: Fraction, high: Fraction, epsilon: Fraction) -> Any:
    """A certified lower bound of the smallest scale for Bernoulli(low) against Bernoulli(high)."""
    laws = [FinitePmf({0: 1 - p, 1: p}) for p in (low, high)]
    found = smallest_scale(
        [(laws[0], laws[1])], epsilon=Epsilon.rational(epsilon), relative_width="1e-12"
    )
    return Exact(found.lower)


CASES: dict[str, tuple[Callable[..., Any], dict[str, st.SearchStrategy[Any]], Callable[..., Any]]]
CASES = {  # a bound, arguments within its hypotheses, and the exact number that it bounds
    "balle2019/hoeffding": (
        hoeffding_of_three_users,
        {"k": st.integers(2, 4), "epsilon": DYADIC, "gamma": fractions(1, 7)},
        shuffled_delta,
    ),
    "feldman2021/theorem-3.1": (
        feldman.amplified,
        {"n": st.integers(24, 60), "epsilon0": fractions(1, 4), "delta": among("1/2", "1/64")},
        shuffled_epsilon,
    ),
    "feldman2023/closed-form": (
        stronger.amplified,
        {"n": st.integers(40, 60), "epsilon0": fractions(1, 4), "delta": among("1/2", "1/32")},
        shuffled_epsilon,
    ),
    "wang2023/theorem-4.3": (
        variation.amplified,
        {
            "n": st.integers(100, 101),
            "p": fractions(9, 16),
            "beta": among("1/32"),
            "q": st.just(2),
            "delta": among("1/2", "1/4"),
        },
        variation_ratio_epsilon,
    ),
    "ding2025/lemma-6": (
        ding.bernoulli_replacement_scale,
        {"low": fractions(1, 4, of=16), "high": fractions(5, 15, of=16), "epsilon": DYADIC},
        replacement_scale,
    ),
    "erlingsson2019/theorem-2": (
        erlingsson.advanced_composition,
        {"k": st.integers(1, 12), "epsilon": DYADIC, "delta": DELTAS},
        composed_epsilon,
    ),
    "erlingsson2019/lemma-4": (
        erlingsson.amplified_by_sampling,
        {"q": fractions(1, 7, of=16), "epsilon": DYADIC},
        subsampled_epsilon,
    ),
    "erlingsson2019/theorem-7/general": (
        erlingsson.general_bound,
        # e^eps_1 multiplies the relative error of its argument by eps_1: keep it small.
        {"n": st.integers(2, 12), "epsilon0": fractions(1, 8), "delta": DELTAS},
        shuffled_epsilon,
    ),
    "erlingsson2019/theorem-7/small-epsilon0": (
        erlingsson.small_epsilon0_bound,
        {"n": st.integers(10, 40), "epsilon0": fractions(1, 4, of=16), "delta": DELTAS},
        shuffled_epsilon,
    ),
    "erlingsson2019/remark-1/rdp": (
        erlingsson.renyi_bound,
        {"n": st.integers(2, 8), "epsilon0": DYADIC, "order": st.integers(2, 5)},
        shuffled_renyi,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_formula_against_truth_and_float_against_formula(name):
    bound, arguments, truth = CASES[name]
    # Equality on paper: no digits can decide it.
    tie = UndecidedError if name == "erlingsson2019/lemma-4" else ()

    @QUICK
    @given(st.fixed_dictionaries(arguments))
    def check(at):
        formula, computed = evaluate(bound, **at), evaluate_float(bound, **at)
        safe = upper_float(bound, **at)
        with suppress(tie):
            assert_never_below_truth(safe, truth(**at), at=at)
        assert_never_below_truth(safe, formula, at=at)
        assert_never_above_truth(lower_float(bound, **at), formula, at=at)
        near, room = Fraction(computed), 64 * Fraction(math.ulp(math.nextafter(computed, 0)))
        assert_contains_truth(near - room, near + room, formula, at=at)

    check()


@QUICK
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


def test_the_layer_catches_the_printed_delta():
    """The printed (6) at the smallest witness is below the truth, and by more than rounding."""
    c = biswas.Counts(2, 2, 0)
    printed = biswas.delta_hat(4.0, c, 2.0)
    truth = exact_value(hockey_stick(count_pair(term(4), c.k, c.plainest), 2))
    with pytest.raises(AssertionError, match="below"):
        assert_never_below_truth(printed, truth, at=c)


def test_the_worst_composition_dominates_randomized_response():
    """Two routes to k-fold composition agree where delta = 0."""
    pair = Pair.from_masses(["3/5", "2/5"], ["2/5", "3/5"])
    rr = composed_randomized_response(Epsilon.log("3/2"), 7)
    assert compose([(pair, 7)]).delta(Epsilon.log(2)) == rr.delta(Epsilon.log(2))
