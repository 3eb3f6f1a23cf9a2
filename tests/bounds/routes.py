"""Shared parts of tests of published bounds: formulas anew in mpmath, and laws of counts."""

from collections import Counter
from fractions import Fraction

import mpmath
from mpmath import mpf

from exactdp.bounds import published
from exactdp.numbers import decimal

mpmath.mp.dps = 60


def number(text):
    """A rational as an mpf."""
    value = Fraction(text)
    return mpf(value.numerator) / value.denominator


def same_formula(name, at, expected):
    """The bound's formula and its stable form are the expected number."""
    bound = published(name)
    exact = bound.checked(at)
    found = mpf(decimal(bound.formula_at(exact), digits=40))
    assert abs(found - expected) <= mpf(10) ** -35 * abs(expected) + mpf(10) ** -45
    stable = bound.stable_at(exact)
    double = bound.double_at(exact) if stable is None else stable
    assert abs(mpf(double) - expected) <= mpf(10) ** -9 * abs(expected) + mpf(10) ** -15


def ordered_truth(name, at):
    """The truth's ends are in order."""
    bound = published(name)
    target = bound.truth(**bound.checked(at)).enclosed(seconds=5)
    assert target is None or target.lower <= target.upper


def delta_of_counts(n, a, b, r, epsilon):
    """δ of the pair of counts, each user's letters added one after another."""
    law = Counter({(0, 0): mpf(1)})
    for _ in range(n - 1):
        after = Counter()
        for (x, y), mass in law.items():
            for letter, part in (((1, 0), r), ((0, 1), r), ((0, 0), 1 - 2 * r)):
                after[x + letter[0], y + letter[1]] += mass * part
        law = after

    def with_victim(first, second):
        found = Counter()
        for (x, y), mass in law.items():
            found[x + 1, y] += mass * first
            found[x, y + 1] += mass * second
            found[x, y] += mass * (1 - first - second)
        return found

    p, q = with_victim(a, b), with_victim(b, a)
    return sum(max(mpf(0), p[z] - mpmath.exp(epsilon) * q[z]) for z in p)
