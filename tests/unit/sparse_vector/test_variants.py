"""The variants against the programs that they are read from, on a grid of noise, and by hand."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from exactdp.numbers import Exact, decimal
from proofs_check.sparse_vector.data import PAIRS, monotone, reports
from proofs_check.sparse_vector.variants import VARIANTS, fresh, likelihoods

PROGRAMS = {  # noise on the threshold and on an answer, for ε and c; whether it is drawn anew
    "algorithm-1": (lambda e, c: 2 / e, lambda e, c: 4 * c / e, False),
    "algorithm-1/monotone": (lambda e, c: 2 / e, lambda e, c: 2 * c / e, False),
    "algorithm-2": (lambda e, c: 2 * c / e, lambda e, c: 4 * c / e, True),
    "algorithm-3": (lambda e, c: 2 / e, lambda e, c: 2 * c / e, False),
    "algorithm-4": (lambda e, c: 4 / e, lambda e, c: 4 / (3 * e), False),
    "algorithm-5": (lambda e, c: 2 / e, lambda e, c: 0, False),
    "algorithm-6": (lambda e, c: 2 / e, lambda e, c: 2 / e, False),
    "numerical": (lambda e, c: 3 / e, lambda e, c: 6 * c / e, False),
}
EPSILON, COUNT = Fraction(3), 2


def quantiles(scale, points):
    ranks = (np.arange(points) + 0.5) / points
    return scale * np.where(ranks < 0.5, np.log(2 * ranks), -np.log(2 - 2 * ranks))


def share(name, answers, report, x=None):
    """The share of equally likely noise under which the program has the report."""
    threshold, query, renewed = PROGRAMS[name]
    scales = [float(f(EPSILON, COUNT)) for f in (threshold, query)]
    drawn, points = 2 if renewed else 1, 40 if scales[1] else 4000
    of_answers = quantiles(scales[1], points) if scales[1] else np.zeros(1)
    noise = np.meshgrid(*[quantiles(scales[0], points)] * drawn, *[of_answers] * 2, sparse=True)
    noisy_threshold, agrees = noise[0], True
    for answer, own, letter in zip(answers, noise[drawn:], report, strict=True):
        noisy = answer + own
        agrees = agrees & ((noisy >= noisy_threshold) == bool(letter))
        if letter:
            agrees = agrees & (True if x is None else noisy <= x)
            noisy_threshold = noise[drawn - 1]
    return float(np.mean(np.broadcast_to(agrees, np.broadcast_shapes(*[z.shape for z in noise]))))


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("report", [(0, 0), (1, 0), (0, 1), (1, 1)])
def test_a_report_is_as_likely_as_the_program_has_it(name, report):
    answers, x = (Fraction(1, 2), Fraction(-3, 2)), Fraction(1) if name == "algorithm-3" else None
    at = (EPSILON, COUNT, report, [answers], x)
    (mass,) = likelihoods(VARIANTS[name], *at)
    near = share(name, [float(a) for a in answers], report, x if x is None else float(x))
    assert abs(float(decimal(mass, digits=12)) - near) < 0.01


def test_other_noise_would_be_noticed():
    answers = (Fraction(1, 2), Fraction(-3, 2))
    for name in [name for name in VARIANTS if name != "algorithm-5"]:
        sharp, dull = (
            [
                float(decimal(likelihoods(one, EPSILON, COUNT, r, [answers])[0], digits=9))
                for r in [(0, 0), (1, 0), (0, 1), (1, 1)]
            ]
            for one in (VARIANTS[name].sharper, VARIANTS[name])
        )
        assert max(abs(a - b) for a, b in zip(sharp, dull, strict=True)) > 0.02


def test_what_ends_ends_and_reports_are_all_there_are():
    for name, one in VARIANTS.items():
        ended = name not in ("algorithm-5", "algorithm-6")
        for answers, _ in PAIRS:
            law = one.at(Fraction(1), 2).law(answers)
            assert set(reports(answers, 2 if ended else len(answers))) == set(law)
            assert sum(law.values(), Exact(0)) == 1


def test_adversaries_are_neighbors_in_both_ways():
    assert {monotone(*pair) for pair in PAIRS} == {True, False}
    assert all(abs(a - b) <= 1 for pair in PAIRS for a, b in zip(*pair, strict=True))


@pytest.mark.parametrize("m", [1, 3, 7])
def test_a_told_answer_loses_as_much_as_all_that_were_below(m):
    """By hand: ∫_0^1 (u/2)^m (1 - u)/4 du, and e^(m ε/2) less where the others rise."""
    data = (0,) * (m + 1), (1,) * m + (0,)
    p, q = likelihoods(VARIANTS["algorithm-3"], EPSILON, 1, (0,) * m + (1,), data, Fraction(0))
    assert p == Exact(Fraction(1, 2 ** (m + 2) * (m + 1) * (m + 2)))
    assert p / q == Exact.exp(m * EPSILON / 2)


@pytest.mark.parametrize("m", [1, 2, 3])
def test_without_an_end_it_is_the_order_of_equal_noise(m):
    """By hand: m below and m above the threshold's noise, ∫_0^1 u^m (1 - u)^m du."""
    data, report = (0,) * (2 * m), (0,) * m + (1,) * m
    (p,) = likelihoods(VARIANTS["algorithm-6"], EPSILON, 1, report, [data])
    middle = mpmath.quad(lambda u: (u * (1 - u)) ** m, [0, 1])
    assert abs(mpmath.mpf(decimal(p, digits=20)) - middle) < mpmath.mpf("1e-12")


@pytest.mark.parametrize("x", [Fraction(-2), Fraction(0), Fraction(5, 2)])
def test_fresh_noise_is_a_distribution_function_each(x):
    answers, report = (Fraction(1), Fraction(2), Fraction(-1)), (1, 0, 1)
    scale = 3 * COUNT / mpmath.mpf(3)
    found = mpmath.mpf(1)
    for answer in (1, -1):
        found *= mpmath.quad(
            lambda y, a=answer: mpmath.exp(-abs(y - a) / scale) / (2 * scale),
            [-80, min(answer, x), x] if x > answer else [-80, x],
        )
    mass = fresh(3 * COUNT / EPSILON, x, answers, report)
    assert abs(mpmath.mpf(decimal(mass, digits=20)) - found) < mpmath.mpf("1e-12")
