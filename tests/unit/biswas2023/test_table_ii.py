"""Table II for every k and n_x0: the two bounds, against exact views and by another route."""

from fractions import Fraction
from math import exp, lgamma, log

import mpmath
import numpy as np
import pytest

from exactdp.claims import exact_value, hockey_stick, value
from exactdp.claims.values import truth_of
from exactdp.numbers import Exact, decimal, enclosure
from exactdp.truth import Truth
from proofs_check.biswas2023.bounds import Counts
from proofs_check.biswas2023.evaluation import count_delta
from proofs_check.biswas2023.protocol import count_pair, exp_epsilon0_term, tight_delta
from proofs_check.biswas2023.trials.table_ii import below_references, chernoff, column_is_tight
from tests.routes.reals import mpf_of

X = exp_epsilon0_term(Exact.exp("49/100"))


@pytest.mark.parametrize("epsilon", [Fraction(1, 100), Fraction(2, 5)])
def test_chernoff_bounds_the_tight_delta_of_every_larger_alphabet(epsilon):
    for n, k in ((1, 2), (2, 3), (3, 3), (4, 2)):
        most, gain = chernoff(n, k, epsilon)
        assert truth_of(">", value(gain), Exact(0)) is Truth.TRUE
        for larger in (k, k + 1):
            for held in range(n):
                tight = tight_delta(X, Counts(larger, n, held), Exact.exp(epsilon))
                assert truth_of("<=", value(tight), value(most)) is Truth.TRUE


@pytest.mark.parametrize("epsilon", [Fraction(1, 100), Fraction(1, 5)])
def test_more_users_and_a_larger_alphabet_show_less_whatever_n_x0(epsilon):
    g = Exact.exp(epsilon)
    for n, most in ((2, 3), (3, 4)):
        least = exact_value(hockey_stick(count_pair(X, most, ((0, n - 1), (1, n - 1))), g))
        for k in range(2, most + 1):
            for held in range(n):
                tight = value(tight_delta(X, Counts(k, n, held), g))
                assert truth_of("<=", least, tight) is Truth.TRUE


def binomial(n, p):
    return np.array(
        [
            exp(lgamma(n + 1) - lgamma(j + 1) - lgamma(n - j + 1) + j * log(p) + (n - j) * log1p)
            for log1p in [log(1 - p)]
            for j in range(n + 1)
        ]
    )


def test_the_first_cell_by_a_convolution_in_doubles():
    x, g, k = exp(0.49), exp(0.01), 10
    q = 1 / (x + k - 1)
    law = np.convolve(binomial(999, x * q), binomial(999, q))
    gap = np.convolve(law, [(1 - x * q) - g * (1 - q), x * q - g * q])
    found = enclosure(count_delta(Fraction("0.49"), Counts(k, 1999, 999), Fraction("0.01")))
    assert np.maximum(gap, 0).sum() == pytest.approx(float(found.lower), rel=1e-7)
    assert (
        f"at least {decimal(Exact(found.lower), digits=6)} for k <= 10"
        in column_is_tight(1000, 10).found
    )


def test_the_last_cell_in_mpmath():
    most = enclosure(value(chernoff(1000, 10, Fraction(2, 5))[0]), relative_bits=60)
    with mpmath.workdps(40):
        x, g, t = mpmath.exp(mpmath.mpf("0.49")), mpmath.exp(mpmath.mpf("0.4")), 5
        q = 1 / (x + 9)
        letters = [(q, x - g), (q, 1 - g * x), (8 * q, 1 - g), (1 - 10 * q, 0)]
        moment = mpmath.fsum(p * mpmath.exp(t * z) for p, z in letters)
        other = moment**1000 / (1000 * t * mpmath.e)
        low = mpf_of(most.lower)
        assert abs(other / low - 1) < mpmath.mpf(10) ** -15


def test_the_column_falls_and_one_cell_alone_would_not_do():
    assert column_is_tight(1000, 10).truth is Truth.FALSE
    # From k = 2 on delta at the last cell may be above it: nothing is decided.
    assert column_is_tight(1000, 2).truth is Truth.UNKNOWN


def test_slack_of_the_references_is_that_of_the_two_letters():
    outcome = below_references(1000, Fraction(2, 5))
    assert outcome.truth is Truth.TRUE
    assert 10**20 < outcome.slack < 10**21
