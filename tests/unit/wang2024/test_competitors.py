"""The competitors of the paper: errors by enumeration, and the subset mechanism by its matrix."""

from fractions import Fraction
from itertools import combinations

import mpmath
import pytest

from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact, enclosure
from proofs_check.wang2024.competitors import (
    SubsetMechanism,
    best_subset_size,
    blanket_error,
    separate_multi_message,
    separate_weights,
    uniform_multi_message,
)
from proofs_check.wang2024.parameters import Setting, is_admissible

HALF, ONE = Epsilon.rational("1/2"), Epsilon.rational(1)


def matrix_of(mechanism):
    """The law of the message for each set, by the definition of the mechanism."""
    e = mechanism.exp_epsilon0
    messages = list(combinations(range(mechanism.d), mechanism.size))
    rows = {}
    for items in combinations(range(mechanism.d), mechanism.s):
        weights = [e if set(z) & set(items) else Exact(1) for z in messages]
        total = sum(weights, Exact(0))
        rows[items] = {z: w / total for z, w in zip(messages, weights, strict=True)}
    return rows


@pytest.mark.parametrize(
    ("d", "s", "size"), [(3, 1, 1), (5, 1, 2), (5, 2, 1), (5, 2, 2), (6, 3, 2), (5, 3, 2)]
)
def test_the_subset_mechanism_against_its_matrix(d, s, size):
    mechanism = SubsetMechanism(d, s, size, Exact(3))
    rows = matrix_of(mechanism)
    true, false = mechanism.rates
    for items, row in rows.items():
        for j in range(d):
            rate = sum((mass for z, mass in row.items() if j in z), Exact(0))
            assert rate == (true if j in items else false)
    ratios = {a / b for p in rows.values() for q in rows.values() for a, b in
              zip(p.values(), q.values(), strict=True)}  # fmt: skip
    assert max(ratios) == 3


def test_the_error_of_the_subset_mechanism_against_its_matrix():
    mechanism, n = SubsetMechanism(4, 2, 1, Exact(3)), 2
    rows = matrix_of(mechanism)
    law = {(0, 1): Fraction(1, 2), (0, 2): Fraction(1, 4), (2, 3): Fraction(1, 4)}
    w = [sum(p for x, p in law.items() if j in x) for j in range(4)]
    true, false = mechanism.rates
    message = {}
    for items, p in law.items():
        for z, mass in rows[items].items():
            message[z] = message.get(z, Exact(0)) + p * mass
    error = Exact(0)
    for first, p in message.items():
        for second, q in message.items():
            for j in range(4):
                share = Exact(Fraction((j in first) + (j in second), n))
                error += p * q * ((share - false) / (true - false) - w[j]) ** 2
    assert mechanism.error(n=n, w=w) == error


def test_the_best_size_is_the_best_of_all():
    w = [Fraction(1, 4)] * 8
    best = best_subset_size(d=8, s=2, exp_epsilon0=Exact(2), w=w)
    errors = [SubsetMechanism(8, 2, k, Exact(2)).error(n=1, w=w) for k in range(1, 7)]
    assert best.error(n=1, w=w) == min(errors)


def test_the_uniform_protocol():
    setting, w = Setting(n=100, d=4, s=1, delta="1/100"), [Fraction(1, 4)] * 4
    m, error = uniform_multi_message(setting, HALF, w=w)
    assert is_admissible(setting, m=m, rate=1, epsilon=HALF)
    assert not is_admissible(setting, m=m * Fraction(99, 100), rate=1, epsilon=HALF)
    assert error == blanket_error(counts=[100], rates=[1], m=m, w=w)


def test_separate_protocols():
    setting, w = Setting(n=100, d=4, s=1, delta="1/100"), [Fraction(1, 4)] * 4
    segments = [(40, HALF), (60, ONE)]
    found = separate_multi_message(setting, segments, w=w)
    for (n, epsilon), m, error in zip(segments, found.m, found.errors, strict=True):
        alone = Setting(n=n, d=4, s=1, delta="1/100")
        assert (m, error) == uniform_multi_message(alone, epsilon, w=w)
    assert found.averaged == sum(found.errors) / 4
    with mpmath.workdps(40):
        raw = [
            1 / mpmath.sqrt(4 * mpmath.log(100) / (n * e) ** 2 + mpmath.mpf(1) / n)
            for n, e in ((40, mpmath.mpf(1) / 2), (60, mpmath.mpf(1)))
        ]
        shares = [x / sum(raw) for x in raw]
        truth = sum(
            share**2 * e.numerator / e.denominator
            for share, e in zip(shares, found.errors, strict=True)
        )
        near = [Fraction(mpmath.nstr(x, 30)) for x in (*shares, truth)]
    ours = [*separate_weights(setting, segments), found.weighted]
    for value, other in zip(ours, near, strict=True):
        box = enclosure(value, relative_bits=100)
        assert abs(box.lower - other) < Fraction(1, 10**27)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: SubsetMechanism(4, 2, 3, Exact(2)), "every message would meet every set"),
        (lambda: SubsetMechanism(4, 0, 3, Exact(2)), "s=0 must be at least 1"),
        (lambda: SubsetMechanism(4, 2, 2, Exact(1)), "must be above 1"),
        (lambda: best_subset_size(d=2, s=2, exp_epsilon0=Exact(2), w=[1, 1]), "above s=2"),
        (lambda: blanket_error(counts=[5], rates=[0], m=1, w=[1]), "divides by it"),
        (lambda: blanket_error(counts=[5], rates=[1], m=-1, w=[1]), "m=-1 is negative"),
        (lambda: separate_weights(Setting(n=5, d=2, s=1, delta="1/2"), []), "at least one pair"),
    ],
)
def test_refusals(make, words):
    with pytest.raises(DomainError, match=words):
        make()
